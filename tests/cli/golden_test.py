"""Golden runs: standard output, standard error and exit status of the real tool, compared with golden/NAME.txt.

`scripts/update_golden` writes the files anew; review the difference before you commit it.
"""
import sys
import unittest
from pathlib import Path

from tool import LOGS, damaged, run

GOLDEN = Path(__file__).resolve().parent / "golden"
WRONG_TABLE = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")
CUT_OFF = b"".join((LOGS / "v1.4.0.log").read_bytes().splitlines(True)[:82])  # before the reservation
WRONG_COUNT = damaged("v1.4.0.log", "CW: 1", "CW: 2", "1.65 (10%)")


def wrapped_by_two_ranks(name: str, width: int) -> bytes:
    """A log as a terminal of that width shows it when two ranks print it line by line."""
    lines = []
    for line in (LOGS / name).read_text().splitlines():
        for rank in (0, 1):
            text = f"[rank{rank}]: {line}"
            lines += [text[at:at + width] for at in range(0, len(text), width)]
    return "\n".join(lines).encode()


TWO_RANKS = wrapped_by_two_ranks("v0.1.0.log", 90)

PAIRS = LOGS.parent / "pairs"

CASES = {  # name: arguments, standard input; and where to run, if not among the logs
    "summary": (["summary", "v1.8.0.log"], b""),
    "summary_without_command": (["v0.1.0.log", "--ascii"], b""),
    "summary_json": (["summary", "-f", "json", "-n", "1", "v1.4.0.log"], b""),
    "summary_markdown": (["summary", "-f", "markdown", "v1.4.0.log"], b""),
    "summary_empty": (["summary", "v0.8.0-empty.log"], b""),
    "help_summary": (["summary", "--help"], b""),
    "verify": (["verify", "v1.4.0.log"], b""),
    "verify_several": (["verify", "v0.1.0.log", "v0.5.0.log", "v1.8.0.log"], b""),
    "verify_wrong_table": (["verify", "-v"], WRONG_TABLE),
    "verify_wrong_count": (["verify"], WRONG_COUNT),
    "verify_wrong_table_json": (["verify", "-f", "json"], WRONG_TABLE),
    "verify_wrong_table_markdown": (["verify", "-f", "markdown"], WRONG_TABLE),
    "verify_wrong_table_junit": (["verify", "-f", "junit", "--select", "table", "--fail-on", "note"], WRONG_TABLE),
    "verify_wrong_table_github": (["verify", "-f", "github", "-", "missing.log"], WRONG_TABLE),
    "verify_two_ranks": (["verify"], TWO_RANKS),
    "render_two_ranks": (["render", "--block", "last"], TWO_RANKS),
    "verify_precedent": (["verify", "v1.4.0.log", "-"], (LOGS / "v1.4.0.log").read_bytes() * 2),
    "verify_precedent_json": (["verify", "-f", "json", "v0.5.0.log", "-"], (LOGS / "v0.5.0.log").read_bytes()),
    "verify_quiet": (["verify", "-q", "v1.8.0-nodebug.log", "v0.8.0-empty.log"], b""),
    "verify_wrong_assumption": (["verify", "-q", "--assume", "ad_enb.dtype=fp16", "v1.8.0.log", "v1.4.0.log"], b""),
    "verify_ndjson": (["verify", "-f", "ndjson", "v0.1.0.log", "missing.log"], b""),
    "verify_no_block": (["verify"], b"one line\nepoch 1: loss 0.5\n"),
    "scan": (["scan", ".", "-"], WRONG_TABLE),
    "scan_quiet": (["scan", "-q", "v*[.]log", "../logs", "-"], WRONG_TABLE),
    "scan_several_failures": (["scan", "-v", "missing.log", "README.md", "v0.*.json", "x/*.log", "v9*"], b""),
    "scan_nothing": (["scan", "v*.json"], b""),
    "scan_ndjson": (["scan", "-f", "ndjson", "v0.1.0.log", "missing.log", "*.json"], b""),
    "reconstruct": (["reconstruct", "-n", "2", "--sort", "hbm", "v1.8.0.log"], b""),
    "reconstruct_json": (["reconstruct", "-f", "json", "--table", "ad_emb", "--rank", "1", "v1.4.0.log"], b""),
    "check": (["check", "--max-hbm", "9GiB", "--max-hbm-percent", "90", "--max-ddr", "1GiB", "--max-table-hbm", "9GB",
               "--max-imbalance", "10%", "--max-perf-imbalance", "200", "--max-perf-ms", "1", "--max-critical-path",
               "0.625", "--min-headroom", "2GiB", "v1.4.0.log"], b""),
    "check_tables": (["check", "--config", "../check.toml", "v1.8.0.log"], b""),
    "check_several": (["check", "-q", "--max-hbm", "20GiB", "--max-critical-path", "1", "v1.8.0-nodebug.log",
                       "v0.8.0-empty.log", "v1.4.0.log"], b""),
    "check_strict": (["check", "-q", "--strict", "--min-headroom", "2GiB", "v1.8.0-nodebug.log"], b""),
    "check_wrong_log": (["check", "--max-table-hbm", "9GiB"], WRONG_TABLE),
    "check_ndjson": (["check", "-f", "ndjson", "--max-hbm", "2GiB", "v0.1.0.log", "missing.log"], b""),
    "check_csv": (["check", "-f", "csv", "--config", "../check.toml", "v1.8.0.log", "missing.log"], b""),
    "check_markdown": (["check", "-f", "markdown", "--config", "../check.toml", "v1.8.0.log"], b""),
    "check_junit": (["check", "-f", "junit", "--max-hbm", "9GiB", "--min-headroom", "2GiB", "v1.8.0-nodebug.log"], b""),
    "check_github": (["check", "-f", "github", "--max-hbm", "8GiB", "--min-headroom", "2GiB", "v1.4.0.log",
                      "v1.8.0-nodebug.log"], b""),
    "check_no_budget": (["check", "v1.4.0.log"], b""),
    "check_bad_size": (["check", "--max-hbm", "72G", "v1.4.0.log"], b""),
    "help_check": (["check", "--help"], b""),
    "reconstruct_markdown": (["reconstruct", "-f", "markdown", "v1.4.0.log"], b""),
    "explain": (["explain", "rank:1", "v1.4.0.log"], b""),
    "explain_unknown": (["explain", "pub_tabel", "v1.4.0.log"], b""),
    "diff": (["diff", "-n", "3", "v1.4.0.log", "v1.8.0.log"], b""),
    "diff_same": (["diff", "v1.4.0.log", "v1.4.0.log"], b""),
    "diff_wrong_table": (["diff", "v1.4.0.log", "-"], WRONG_TABLE),
    "diff_wrong_assumption": (["diff", "--assume", "nosuch.dtype=fp16", "v1.4.0.log", "v1.4.0.log"], b""),
    "diff_nodebug": (["diff", "-n", "2", "--fail-on-increase", "1MiB", "v1.8.0-nodebug.log", "v0.5.0.log"], b""),
    "diff_markdown": (["diff", "-n", "2", "-f", "markdown", "v1.4.0.log", "v1.8.0.log"], b""),
    "diff_exceeded": (["diff", "-n", "1", "--fail-on-increase", "3%", "v1.8.0.log", "v1.4.0.log"], b""),
    "diff_exit_zero": (["diff", "-f", "github", "--exit-zero", "--fail-on-increase", "1MiB", "v1.8.0.log", "v1.4.0.log"],
                       b""),
    "diff_csv": (["diff", "-f", "csv", "-n", "1", "v1.4.0.log", "v1.8.0.log"], b""),
    "diff_cut_off": (["diff", "v1.4.0.log", "-"], CUT_OFF),
    "diff_missing_github": (["diff", "-f", "github", "v1.4.0.log", "missing.log"], b""),
    "diff_optimizer": (["diff", "-n", "2", "base.log", "next.log"], b"", PAIRS / "optimizer"),
    "diff_world_size": (["diff", "-n", "2", "-f", "markdown", "base.log", "next.log"], b"", PAIRS / "world_size"),
    "diff_json": (["diff", "-n", "1", "-f", "json", "--table", "ad_emb", "v1.4.0.log", "v1.8.0.log"], b""),
    "diff_one_log": (["diff", "v1.4.0.log"], b""),
    "help_diff": (["diff", "--help"], b""),
    "what_if": (["whatif", "--set", "batch_size=64", "--set", "ad_emb.dtype=fp16", "v1.4.0.log"], b""),
    "what_if_render": (["whatif", "--set", "device_os_ad_id.sharding=RW", "--render", "v1.4.0.log"], b""),
    "what_if_open": (["whatif", "--set", "release=v1.8.0", "v1.4.0.log"], b""),
    "what_if_small_device": (["whatif", "--set", "hbm=100MiB", "v1.4.0.log"], b""),
    "what_if_release": (["whatif", "-q", "--set", "release=v1.8.0", "--render", "v1.4.0.log"], b""),
    "what_if_placed": (["whatif", "--ascii", "-n", "1", "--set", "share_embed_emb.sharding=TW", "--set", "drop ad_emb",
                        "v1.4.0.log"], b""),
    "what_if_sweep": (["whatif", "--set", "batch_size=64..256*2", "--set", "pipeline=none,train_sparse_dist", "--set",
                       "*.optimizer=adam", "v1.4.0.log"], b""),
    "what_if_sweep_json": (["whatif", "-f", "json", "--set", "world_size=2,4", "v1.4.0.log"], b""),
    "what_if_sweep_csv": (["whatif", "-f", "csv", "--set", "ad_emb.sharding=CW,DP", "--set", "ad_emb.dtype=fp16,fp32", "v1.4.0.log"], b""),
    "what_if_csv": (["whatif", "-f", "csv", "-n", "1", "--set", "batch_size=64", "v1.4.0.log"], b""),
    "what_if_largest_csv": (["whatif", "-f", "csv", "--max", "batch_size", "v1.4.0.log"], b""),
    "what_if_sweep_markdown": (["whatif", "-f", "markdown", "--set", "ad_emb.sharding=CW,DP", "v1.4.0.log"], b""),
    "what_if_markdown": (["whatif", "-f", "markdown", "-n", "1", "--set", "share_embed_emb.sharding=TW", "v1.4.0.log"], b""),
    "what_if_largest_markdown": (["whatif", "-f", "markdown", "--max", "batch_size", "v1.4.0.log"], b""),
    "what_if_sweep_page": (["whatif", "-f", "html", "--set", "batch_size=64..256*2", "--set", "ad_emb.sharding=CW,DP", "v1.4.0.log"], b""),
    "what_if_page": (["whatif", "-f", "html", "-n", "1", "--set", "share_embed_emb.sharding=TW", "v1.4.0.log"], b""),
    "what_if_largest": (["whatif", "--max", "device_os_ad_id.rows", "--max-hbm", "12GiB", "v1.4.0.log"], b""),
    "what_if_refused": (["whatif", "--set", "ad_emb.sharding=DP", "v1.4.0.log", "v0.1.0.log"], b""),
    "what_if_no_table": (["whatif", "--set", "ad_enb.rows=5", "v1.4.0.log"], b""),
    "help_what_if": (["whatif", "--help"], b""),
    "explain_changed": (["explain", "rank:2", "--set", "batch_size=64", "v1.4.0.log"], b""),
    "timeline": (["timeline", "--activations", "2GiB", "v1.4.0.log"], b""),
    "timeline_ascii": (["timeline", "-q", "--ascii", "--rank", "1", "v1.8.0.log"], b""),
    "timeline_json": (["timeline", "-f", "json", "--rank", "3", "v1.4.0.log"], b""),
    "timeline_nodebug": (["timeline", "-q", "v1.8.0-nodebug.log"], b""),
    "timeline_bad_size": (["timeline", "--activations", "20G", "v1.4.0.log"], b""),
    "help_timeline": (["timeline", "--help"], b""),
    "stash": (["stash", "--bandwidth", "450GB/s", "--window", "60ms", "--activations", "20GiB", "v1.4.0.log"], b""),
    "stash_target": (["stash", "-q", "--ascii", "-n", "2", "--bandwidth", "30GB/s", "--window", "60ms", "--target-hbm",
                      "27GiB", "--sequence", "--activations", "20GiB", "--ranks-per-host", "2", "v1.8.0.log"], b""),
    "stash_json": (["stash", "-f", "json", "--bandwidth", "450GB/s", "--rank", "0", "--activations", "20GiB",
                    "v1.4.0.log"], b""),
    "stash_nodebug": (["stash", "-q", "--bandwidth", "450GB/s", "v1.8.0-nodebug.log"], b""),
    "stash_no_bandwidth": (["stash", "v1.4.0.log"], b""),
    "help_stash": (["stash", "--help"], b""),
    "render": (["render", "v0.1.0.log"], b""),
    "anonymize": (["anonymize", "--keep", "main_module|ebc", "v0.5.0.log"], b""),
    "anonymize_wrong_table": (["anonymize"], WRONG_TABLE),
    "anonymize_bad_keep": (["anonymize", "--keep", "(", "v1.4.0.log"], b""),
    "anonymize_map_on_output": (["anonymize", "--map", "-", "v1.4.0.log"], b""),
    "help_anonymize": (["anonymize", "--help"], b""),
    "rules": (["rules"], b""),
    "rules_one": (["rules", "rank.hbm"], b""),
    "unknown_command": (["verfy", "v1.4.0.log"], b""),
    "unknown_option": (["verify", "--formt", "json", "v1.4.0.log"], b""),
    "unknown_rule": (["verify", "--select", "tabel", "v1.4.0.log"], b""),
    "help": (["--help"], b""),
    "help_explain": (["explain", "--help"], b""),
    "help_completion": (["completion", "--help"], b""),
    "completion_wrong_shell": (["completion", "tcsh"], b""),
    "help_verify": (["verify", "--help"], b""),
    "help_scan": (["scan", "--help"], b""),
    "verify_directory": (["verify", "../logs"], b""),
    "directory_without_command": (["../logs"], b""),
}


def transcript(name: str) -> str:
    arguments, stdin, *folder = CASES[name]
    done = run(*arguments, stdin=stdin, cwd=folder[0] if folder else LOGS)
    return (f"$ shardstats {' '.join(arguments)}\n{done.stdout.decode()}--- standard error\n{done.stderr.decode()}"
            f"--- exit status {done.returncode}\n")


class Golden(unittest.TestCase):
    maxDiff = None

    def test_cases(self):
        for name in CASES:
            with self.subTest(name):
                self.assertEqual(transcript(name), (GOLDEN / f"{name}.txt").read_bytes().decode(),
                                 "run scripts/update_golden if this change is meant")

    def test_no_stale_files(self):
        self.assertEqual({f.stem for f in GOLDEN.glob("*.txt")}, set(CASES))


def update():
    for stale in GOLDEN.glob("*.txt"):
        stale.unlink()
    for name in CASES:
        (GOLDEN / f"{name}.txt").write_bytes(transcript(name).encode())


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
