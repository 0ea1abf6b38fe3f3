"""Exit status, streams and input rules of the real tool (design contract, "Exit status" and "Commands")."""
import bz2
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tool import BINARY, LOGS, SANITIZED, Terminal, damaged, run

WRONG = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")
WRONG_KERNEL = damaged("v1.4.0.log", "fused: 3", "fused: 4", "fused: 3")
# The scaled outputs of v1.7.0 explain it, but not with what perf says of them.
WRONG_OUTPUT = damaged("../planner/v1.7.0-one_of_two_bandwidths.log", " 50.62", " 50.64", "#         7 ")
# Single explanations leave room for it.
DOUBTFUL_OUTPUT = damaged("../rows/capacities_or_buckets.log", " 0.41 ", " 0.43 ", "#         2 ")
WRONG_HBM = damaged("../rows/capacities_or_buckets.log", "3.313", "3.319", "#         0 ")
GOOD = (LOGS / "v1.4.0.log").read_bytes()

STATUS = [  # arguments, standard input, status
    ([], GOOD, 0),
    ([], b"", 2),
    ([], None, 2),
    (["v1.4.0.log"], b"", 0),
    (["-"], GOOD, 0),
    (["-q", "--top", "1", "v1.4.0.log"], b"", 0),
    (["-q", "-f", "json", "verify", "-"], WRONG, 1),
    (["-qf", "json", "verify", "-"], WRONG, 1),
    (["-qfjson", "verify", "-"], WRONG, 1),
    (["-q", "--version"], b"", 0),
    (["-q", "verify", "--version"], b"", 0),
    (["whatif", "--set", "pub_table.kernel=customized_kernel", "v1.4.0.log"], b"", 2),
    (["whatif", "--set", "pub_table.kernel=customized_kernel", "--max", "batch_size", "v1.4.0.log"], b"", 2),
    (["--format=json", "-o", "/dev/null", "verify", "-"], WRONG, 1),
    (["-o", "verify", "v1.4.0.log", "-f", "xml"], b"", 2),  # here a file's name
    (["--help", "verify"], b"", 0),
    (["help"], b"", 0),
    (["help", "verify"], b"", 0),
    (["help", "verfy"], b"", 2),
    (["missing.log"], b"", 2),
    (["verify", "v1.4.0.log"], b"", 0),
    (["verify", "-"], GOOD, 0),
    (["verify"], GOOD, 0),
    (["verify"], gzip.compress(GOOD), 0),
    (["verify"], gzip.compress(GOOD)[:-8], 1),
    (["verify"], gzip.compress(GOOD + GOOD)[:-400], 1),
    (["verify"], gzip.compress(GOOD) + b"garbage", 0),
    (["verify"], gzip.compress(GOOD)[:-8] + bytes(8), 1),
    (["verify"], gzip.compress(GOOD)[:30], 2),
    (["verify"], gzip.compress(b"nothing here\n")[:-8], 2),
    (["verify", "--block", "last"], gzip.compress(GOOD + GOOD)[:-8], 1),
    (["verify", "--allow-empty"], gzip.compress(b"nothing here\n")[:-8], 2),
    (["verify"], lzma.compress(GOOD * 9)[:-20], 1),
    (["verify"], bz2.compress(GOOD * 60, 1)[:-20], 1),
    (["summary"], gzip.compress(GOOD)[:-8], 0),
    (["whatif", "--set", "batch_size=64", "--top", "-1"], GOOD, 2),
    (["verify", "--threads", "08"], GOOD, 0),
    (["verify", "-o", "/dev/null", "-o", "/dev/null"], GOOD, 0),
    (["verify"], b"step 1\n" + GOOD + b"step 2\n" + GOOD, 0),
    (["verify"], WRONG, 1),
    (["verify"], WRONG_OUTPUT, 1),
    (["verify", "-f", "json"], WRONG, 1),
    (["verify", "-f", "ndjson"], WRONG, 1),
    (["verify", "--exit-zero"], WRONG, 0),
    (["verify", "--ignore", "table"], WRONG, 0),
    (["verify", "--select", "kernel"], WRONG, 0),
    (["verify", "--table", "pub_table"], WRONG, 0),
    (["verify", "v1.4.0.log", "-"], WRONG, 1),
    (["verify", "missing.log", "-"], WRONG, 2),
    (["verify"], b"", 2),
    (["verify", "--allow-empty"], b"", 0),
    (["verify"], b"nothing here\n", 2),
    (["verify", "--block", "last"], GOOD + WRONG, 1),
    (["verify", "--block", "1"], GOOD + WRONG, 0),
    (["verify", "--block", "3"], GOOD + WRONG, 2),
    (["verify", "--block", "zero"], GOOD, 2),
    (["verify", "--format", "xml"], GOOD, 2),
    (["verify", "--table", "("], GOOD, 2),
    (["verify", "--rank", "x"], GOOD, 2),
    (["verify", "--table", "no_such_table"], GOOD, 2),
    (["verify", "--rank", "0,99"], GOOD, 2),
    (["verify", "--kernel", "fusedd"], GOOD, 2),
    (["verify", "--kernel", "quant"], GOOD, 0),  # a kernel, though of no table here
    (["verify", "--threads", "-1"], GOOD, 2),
    (["verify", "--threads", "99999999999"], GOOD, 2),
    (["summary", "--top", "-1"], GOOD, 2),
    (["whatif", "--set", "drop ad_emb", "--set", "dtype=fp16"], GOOD, 0),
    (["whatif", "--set", "drop ad_emb", "--set", "ad_emb.dtype=fp16"], GOOD, 2),
    (["verify", "--assume", "pipeline=fast"], GOOD, 2),
    (["verify", "--assume", "dtype=fp16", "--assume", "dtype=fp32"], GOOD, 2),  # which of the two?
    (["verify", "--rank", ""], GOOD, 2),
    (["verify", "--select", "rank", "--ignore", "rank"], GOOD, 2),
    (["verify", "--version"], b"", 0),
    # "--option=" has an empty value; the next word is a log.
    (["verify", "--output=", "v1.4.0.log"], b"", 2),
    (["verify", "--exclude-table=", "v1.4.0.log"], b"", 2),
    (["verify", "--config=", "v1.4.0.log"], b"", 0),
    (["verify", "--table=", "v1.4.0.log"], b"", 2),
    (["verify", "--quiet=", "v1.4.0.log"], b"", 0),
    (["verify", "--exclude-table", "no_such_table", "-"], WRONG, 1),
    (["verify", "--exclude-table", ".", "-"], WRONG, 0),
    (["verify", "--exclude-table", ".", "-"], WRONG_KERNEL, 1),
    (["whatif", "--max=", "v1.4.0.log"], b"", 2),
    (["whatif", "--set", "batch_size=8", "--max-hbm=", "v1.4.0.log"], b"", 2),
    (["anonymize", "--map=", "v1.4.0.log"], b"", 2),
    (["diff", "v1.4.0.log", "-"], b"nothing here\n", 2),
    (["diff", "--allow-empty", "v1.4.0.log", "-"], b"nothing here\n", 0),
    (["diff", "--allow-empty", "v1.4.0.log", "missing.log"], b"", 2),
    (["diff", "--fail-on-increase", "", "v1.4.0.log", "v1.4.0.log"], b"", 2),
    (["verify", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log"], b"", 2),  # which knows no pipelines
    (["diff", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log", "v0.3.0.log"], b"", 2),
    (["whatif", "--set", "batch_size=8", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log"], b"", 2),
    (["render", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log"], b"", 0),
    (["scan", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log"], b"", 2),
    (["summary", "--assume", "pipeline=train_sparse_dist", "v0.3.0.log"], b"", 2),
    (["verify", "--threads", "3", "v0.5.0.log", "v1.4.0.log", "v1.8.0.log", "v0.1.0.log"], b"", 0),
    (["verify", "-o", "/nowhere/report.json"], GOOD, 2),
    (["scan", "."], b"", 0),
    (["scan", "../logs", "../compressed"], b"", 0),
    (["scan", "v*.log"], b"", 0),
    (["scan", ".", "-"], WRONG, 1),
    (["scan", ".", "-", "--exit-zero"], WRONG, 0),
    (["scan", ".", "--fail-on", "note"], b"", 1),
    (["scan", ".", "--fail-on", "note", "--select", "table"], b"", 0),
    (["scan", ".", "-", "--ignore", "table"], WRONG, 0),
    (["scan", ".", "missing.log"], b"", 2),
    (["scan", ".", "missing/*.log"], b"", 2),
    (["scan", ".", "v*.tgz", "-"], WRONG, 2),
    (["scan", ".", "README.md"], b"", 2),
    (["scan", ".", "README.md", "--allow-empty"], b"", 0),
    (["scan", "*.md"], b"", 2),
    (["scan", "*.md", "--allow-empty"], b"", 0),
    (["scan", "*.md", "v0.1.0.log"], b"", 0),
    (["scan", ".", "--block", "2"], b"", 2),
    (["scan", "*.md", "-f", "json"], b"", 2),
    (["scan", "."], WRONG, 0),
    (["scan"], WRONG, 1),
    (["check", "--max-hbm", "10GiB"], GOOD, 0),
    (["check", "--max-hbm", "9GiB"], GOOD, 1),
    (["check", "--max-hbm", "9GiB", "--exit-zero"], GOOD, 0),
    (["check", "--max-hbm", "9GiB", "-f", "json"], GOOD, 1),
    (["check", "--max-hbm", "10GiB"], WRONG, 0),
    (["check", "--max-hbm", "9.161GiB"], GOOD, 0),
    (["check", "--max-hbm", "9.1607GiB", "--strict"], GOOD, 1),
    (["check", "--max-hbm", "10GiB", "v1.4.0.log", "missing.log"], b"", 2),
    (["check"], GOOD, 2),
    (["check", "--max-hbm", "much"], GOOD, 2),
    (["check", "--max-hbm", "-1"], GOOD, 2),
    (["check", "--fail-on", "note", "--max-hbm", "10GiB"], GOOD, 2),
    (["reconstruct"], WRONG, 0),
    (["render"], WRONG, 0),
    (["render", "-f", "json"], GOOD, 2),
    (["verify", "-f", "sarif"], WRONG, 1),
    (["verify", "-f", "junit", "--exit-zero"], WRONG, 0),
    (["verify", "-f", "csv"], b"nothing here\n", 2),
    (["verify", "-f", "markdown", "--allow-empty"], b"", 0),
    (["verify", "--step-summary"], GOOD, 2),
    (["reconstruct", "-f", "sarif"], GOOD, 2),
    (["reconstruct", "-o", "x.sarif"], GOOD, 2),
    (["rules"], b"", 0),
    (["rules", "tabel"], b"", 2),
    (["explain", "no_such_table_at_all"], GOOD, 2),
    (["explain", ""], GOOD, 2),
    (["explain", "rank:x"], GOOD, 2),
    (["timeline"], GOOD, 0),
    (["timeline"], WRONG, 0),
    (["timeline", "--activations", "much"], GOOD, 2),
    (["whatif", "--set", "batch_size=64"], GOOD, 0),
    (["whatif", "--set", "batch_size=64"], WRONG, 2),  # the table cannot be rebuilt
    (["whatif"], GOOD, 2),
    (["whatif", "--set", "batch_size=64", "--set", "batch_size=128"], GOOD, 2),
    (["whatif", "--set", "batch_size=64", "--max", "batch_size"], GOOD, 2),
    (["whatif", "--set", "dtype=fp16", "--set", "ad_emb.dtype=fp32"], GOOD, 0),
    (["whatif", "--set", "batch_size=64", "--render"], GOOD, 0),
    (["whatif", "--set", "batch_size=64", "--render", "-f", "json"], GOOD, 2),
    (["whatif", "--set", "batch_size=64", "--render", "-o", "changed.json"], GOOD, 2),
    (["whatif", "--set", "batch=64"], GOOD, 2),
    (["whatif", "--set", "no_such_table.rows=64"], GOOD, 2),
    (["whatif", "--max", "world_size"], GOOD, 2),
    (["stash", "--bandwidth", "450GB/s"], GOOD, 0),
    (["stash", "--bandwidth", "450GB/s"], WRONG, 0),
    (["stash"], GOOD, 2),
    (["--version"], b"", 0),
    (["diff", "v1.4.0.log", "-"], WRONG, 0),
    (["diff", "v1.4.0.log", "v1.8.0-nodebug.log"], b"", 0),
    (["diff", "v1.4.0.log"], b"", 2),
    (["diff", "v1.4.0.log", "v1.8.0.log", "v0.1.0.log"], b"", 2),
    (["diff", "-", "-"], GOOD, 2),
    (["diff", "--block", "all", "v1.4.0.log", "-"], GOOD, 2),
    (["diff", "--block", "2", "v1.4.0.log", "-"], GOOD + GOOD, 2),
    (["diff", "v1.4.0.log", "missing.log"], b"", 2),
    (["diff", "--fail-on-increase", "2 apples", "v1.4.0.log", "v1.8.0.log"], b"", 2),
    (["diff", "--fail-on-increase", "0%", "v1.4.0.log", "-"], GOOD, 0),
    (["verify", "--help"], b"", 0),
]

# What a command takes instead of a log to answer.
SPECIAL = {
    "scan": ["v1.4.0.log", "v0.1.0.log"],
    "check": ["--max-hbm", "10GiB", "v1.4.0.log"],
    "diff": ["v1.4.0.log", "v1.8.0.log"],
    "explain": ["plan", "v1.4.0.log"],
    "whatif": ["--set", "batch_size=64", "v1.4.0.log"],
    "stash": ["--bandwidth", "450GB/s", "v1.4.0.log"],
    "rules": [],
    "completion": ["bash"],
    "man": [],
}

# What is measured of memory: a log's other lines, and why the sanitizers' build is not measured.
NOISE = b"epoch 1: loss 0.5\n" * (1 << 16)
KEEPS_MEMORY = "the address sanitizer keeps freed memory for a while"


def peak_memory(*arguments, expected=0):
    """Of a run, in bytes."""
    process = subprocess.Popen([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == expected, arguments
    return usage.ru_maxrss << 10


class PlannerLogs(unittest.TestCase):
    """Released planners printed them, so that nothing in them is wrong (testdata/planner/README.md)."""

    def test_are_clean(self):
        logs = sorted((LOGS.parent / "planner").glob("*.log"))
        self.assertGreater(len(logs), 20)
        for log in logs:
            with self.subTest(log.name):
                done = run("verify", "-q", log)
                self.assertEqual(done.returncode, 0, done.stdout)


class Status(unittest.TestCase):
    def test_table(self):
        for arguments, stdin, status in STATUS:
            with self.subTest(" ".join(arguments), input=len(stdin or b"")):
                done = run(*arguments, stdin=stdin)
                self.assertEqual(done.returncode, status, done.stderr.decode())
                if status == 2:
                    self.assertTrue(done.stderr, "a failure says why")

    def test_an_assumption_that_cannot_hold_is_named(self):
        assumption = ["--assume", "pipeline=train_sparse_dist"]
        for arguments in (["whatif", "--set", "batch_size=8"], ["diff", "v0.3.0.log"], ["scan"]):
            done = run(*arguments, *assumption, "v0.3.0.log")
            self.assertIn(b"no release with this log's layout", done.stderr)
        self.assertIn(b"1 log with 0 blocks: 0 clean, 0 with findings, 1 failed", b" ".join(done.stdout.split()))

    def test_a_release_of_another_layout_is_refused(self):
        for log, release in (("v0.3.0.log", "v1.8.0"), ("v1.4.0.log", "v0.3.0")):
            done = run("verify", "--assume", "release=" + release, log)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"no release with this log's layout", done.stderr)
        self.assertEqual(run("verify", "--assume", "release=v1.4.0", "v1.4.0.log").returncode, 0)

    def test_an_assumed_size_of_hosts_stays_as_it_is(self):
        for ranks in ("3", "8"):  # of 4
            done = run("whatif", "--assume", "local_world_size=" + ranks, "--set", "hbm=40GiB",
                       "../planner/v1.2.0-hosts_of_one_rank.log")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(b"local_world_size", done.stdout)
            self.assertNotIn(b"perf", done.stdout)

    def test_a_change_to_what_is_logged_renders_the_log(self):
        for log, ranks in (("v1.4.0.log", "4"), ("v1.8.0.log", "2")):
            done = run("whatif", "--set", "world_size=" + ranks, "--render", log)
            self.assertEqual(done.stdout, (LOGS / log).read_bytes())

    def test_ranks_that_the_log_lost_are_rendered(self):
        lines = GOOD.splitlines(keepends=True)
        lost = b"".join(lines[:8] + lines[9:])
        self.assertEqual(run("whatif", "-q", "--set", "batch_size=512", "--render", "-", stdin=lost).stdout, GOOD)

    def test_a_change_to_what_the_log_hides_is_rendered(self):
        done = run("whatif", "--set", "hbm_mem_bw=905GB/s", "--render", "v1.4.0.log")
        self.assertEqual(done.returncode, 0)
        plain = run("whatif", "--set", "batch_size=512", "--set", "hbm_mem_bw=905GB/s", "--render", "v1.4.0.log")
        self.assertEqual(done.stdout, plain.stdout)

    def test_help_of_a_command(self):
        self.assertEqual(run("help", "verify").stdout, run("verify", "--help").stdout)
        self.assertEqual(run("help").stdout, run("--help").stdout)

    def test_explain_without_target_names_the_log(self):
        done = run("explain", "v1.4.0.log", stdin=None)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"'v1.4.0.log' is a log, and TARGET is missing", done.stderr)
        done = run("explain", "v1.4.0.log", stdin=GOOD)  # which may have such a table
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(b"is missing", done.stderr)

    def test_why_nothing_is_rebuilt(self):
        for log, why in (("v0.8.0-empty.log", b"the planner found no plan"),
                         ("v1.8.0-nodebug.log", b"the log has no rows of the table of parameters")):
            for command in (["reconstruct"], ["explain", "plan"], ["timeline"], ["check", "--max-table-hbm", "1GiB"]):
                with self.subTest(log, command=command):
                    self.assertIn(why, b" ".join(run(*command, log).stdout.split()))
        self.assertIn(b"8 ranks, tables not printed", b" ".join(run("verify", "v1.8.0-nodebug.log").stdout.split()))

    def test_an_archive_says_how_to_read_it(self):
        done = run("verify", stdin=b"PK\x03\x04" + GOOD[:100])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"it is a zip archive, whose content is not read: `unzip -p LOG | shardstats -`", done.stderr)

    def test_no_input_is_a_usage_error(self):
        done = run("verify", stdin=None)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"SHARDSTATS_LOG", done.stderr)

    def test_environment_names_the_log(self):
        done = run("verify", stdin=None, env={"SHARDSTATS_LOG": "v1.4.0.log"})
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"v1.4.0.log: block 1", done.stdout)

    def test_other_commands_warn(self):
        done = run("render", stdin=WRONG)
        self.assertEqual(done.stdout, WRONG)
        self.assertIn(b"verify", done.stderr)
        self.assertEqual(run("render", "-q", stdin=WRONG).stderr, b"")

    def test_other_commands_say_what_verify_says(self):
        beyond, errors = b"block 1: 6 numbers beyond the bounds here, first at 19:99", b"`shardstats verify` reports errors here"
        self.assertEqual([run("verify", stdin=log).returncode for log in (DOUBTFUL_OUTPUT, WRONG_HBM)], [0, 1])
        for arguments in (["summary"], ["explain", "rank:3"], ["whatif", "--set", "batch_size=32"], ["report"],
                          ["render"], ["reconstruct", "--table", "os_session"]):
            with self.subTest(" ".join(arguments)):
                doubtful, wrong = (run(*arguments, stdin=log).stderr for log in (DOUBTFUL_OUTPUT, WRONG_HBM))
                self.assertIn(beyond, doubtful)
                self.assertNotIn(errors, doubtful)
                self.assertIn(errors, wrong)
                self.assertNotIn(b"beyond", wrong)
        self.assertEqual(run("summary", "-q", stdin=DOUBTFUL_OUTPUT).stderr, b"")

    def test_render_gives_the_bytes_back(self):
        for log in LOGS.glob("*.log"):
            self.assertEqual(run("render", log.name).stdout, log.read_bytes(), log.name)

    def test_output_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text, document = Path(folder, "report.txt"), Path(folder, "report.json")
            done = run("verify", "-o", text, "-o", document, "v1.4.0.log")
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            self.assertTrue(text.read_text().endswith("clean: 2 notes in 1 block\n"))
            self.assertEqual(json.loads(document.read_text())["verdict"], "clean")
            done = run("verify", "-o", document, "-o", "-", "v1.4.0.log")
            self.assertIn(b"clean", done.stdout)

    def test_threads_change_nothing(self):
        stdin = (GOOD + WRONG) * 5
        one, four = (run("verify", "-f", "json", "--threads", n, stdin=stdin) for n in (1, 4))
        self.assertEqual((one.stdout, one.returncode), (four.stdout, 1))
        self.assertEqual([b["index"] for b in json.loads(one.stdout)["logs"][0]["blocks"]], list(range(10)))

    def test_what_is_wrong_with_compressed_logs_is_said(self):
        short = gzip.compress(GOOD)
        wrong = short[:-8] + bytes(4) + short[-4:]
        for log, severity, text in [(short[:-8], "error", "ends early"), (wrong, "error", "checksum"),
                                    (short + b"garbage", "note", "behind the compressed log"),
                                    (lzma.compress(GOOD * 9)[:-20], "error", "broken or ends early")]:
            document = json.loads(run("verify", "-f", "json", stdin=log).stdout)
            found = [[f for f in b["findings"] if f["rule"] == "log.compression"] for b in document["logs"][0]["blocks"]]
            self.assertEqual([len(block) for block in found], [0] * (len(found) - 1) + [1])
            self.assertEqual(found[-1][0]["severity"], severity)
            self.assertIn(text, found[-1][0]["message"])

    def test_scan_reads_what_it_can(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "runs")
            (folder / "deep" / ".hidden").mkdir(parents=True)
            (folder / "again").symlink_to(folder)
            (folder / "model.bin").write_bytes(bytes(range(256)) * 500)
            (folder / "bad.log.gz").write_bytes(gzip.compress(GOOD)[:30])
            (folder / "deep" / "a.log.gz").write_bytes(gzip.compress(GOOD))
            (folder / "deep" / "empty.log").touch()
            (folder / "deep" / "wrong.txt").write_bytes(b"epoch 1\n" + WRONG + GOOD)
            (folder / "deep" / ".hidden" / "b.log").write_bytes(WRONG)
            one, four = (run("scan", "runs", "--threads", n, stdin=None, cwd=name) for n in (1, 4))
            self.assertEqual((one.stdout, one.stderr, one.returncode), (four.stdout, four.stderr, 2))
            lines = one.stdout.decode().splitlines()
            self.assertEqual([line.split(":")[0] for line in lines[:2]], ["runs/deep/a.log.gz", "runs/deep/wrong.txt"])
            self.assertIn("3 logs with 3 blocks: 1 clean, 1 with findings, 1 failed; 2 files without a planner block",
                          " ".join(lines))
            self.assertIn(b"runs/bad.log.gz: cannot decompress", one.stderr)
            document = json.loads(run("scan", "-f", "json", "runs", stdin=None, cwd=name).stdout)
            self.assertEqual([log["path"] for log in document["logs"]],
                             ["runs/bad.log.gz", "runs/deep/a.log.gz", "runs/deep/wrong.txt"])

    @unittest.skipIf(SANITIZED, KEEPS_MEMORY)
    def test_memory_does_not_grow_with_the_logs(self):
        with tempfile.TemporaryDirectory() as folder:
            small, large = Path(folder, "small.log"), Path(folder, "large.log")
            small.write_bytes(NOISE + GOOD)
            with large.open("wb") as file:  # piece by piece: the peak of a child begins with what its parent has
                for _ in range(100):
                    file.write(NOISE + GOOD)
            for command in (["scan"], ["scan", "-f", "ndjson"], ["verify"], ["verify", "-f", "sarif"], ["verify", "-f", "csv"],
                            ["verify", "-f", "junit"], ["scan", "-f", "github"], ["scan", "-f", "markdown"]):
                with self.subTest(command):
                    little, much = (peak_memory(*command, "--threads", "2", log) for log in (small, large))
                    self.assertLess(much - little, large.stat().st_size / 3)
            small.unlink()
            with large.open("wb") as file:
                for _ in range(100):
                    file.write(NOISE)
            for arguments in (["verify", large], ["scan", folder]):
                with self.subTest(arguments):
                    self.assertLess(peak_memory(*arguments, expected=2) - little, large.stat().st_size / 3)

    @unittest.skipIf(SANITIZED, KEEPS_MEMORY)
    def test_gzip_takes_as_much_memory_as_its_content(self):
        with tempfile.TemporaryDirectory() as folder:
            small, large = Path(folder, "small.log.gz"), Path(folder, "large.log.gz")
            for log, pieces in ((small, 1), (large, 115)):  # 129 MiB: a text that grows to it is 128 MiB long before
                with gzip.open(log, "wb", compresslevel=1) as file:
                    for _ in range(pieces):
                        file.write(NOISE)
                    file.write(GOOD)
            little, much = (peak_memory("verify", log) for log in (small, large))
            self.assertLess(much - little, 115 * len(NOISE) * 1.3)

    def test_colour(self):
        self.assertNotIn(b"\033", run("verify", stdin=WRONG).stdout)
        self.assertIn(b"\033", run("verify", stdin=WRONG, env={"FORCE_COLOR": "1"}).stdout)
        self.assertNotIn(b"\033", run("verify", stdin=WRONG, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout)
        self.assertIn(b"\033", run("verify", "--color", "always", stdin=WRONG, env={"NO_COLOR": "1"}).stdout)

    def invocations(self):
        """A run of each command of the table that answers, and the two that answer without one."""
        commands = re.findall(r"^  (\w+) ", run("--help").stdout.decode().split("Options:")[0], re.M)
        self.assertLessEqual(set(SPECIAL), set(commands))
        for command in commands:
            yield [command, *SPECIAL.get(command, ["v1.4.0.log"])]
        yield from (["--help"], ["--version"], ["verify", "--help"])

    def test_a_reader_that_goes_away(self):
        for arguments in self.invocations():
            for restore in (True, False):   # SIGPIPE as usual, and ignored: then writing fails with EPIPE
                with self.subTest(arguments, restore=restore):
                    reader, writer = os.pipe()
                    os.close(reader)
                    done = subprocess.run([BINARY, *arguments], stdout=writer, stderr=subprocess.PIPE, cwd=LOGS,
                                          restore_signals=restore, timeout=60)
                    os.close(writer)
                    self.assertEqual(done.stderr, b"")
                    self.assertEqual(done.returncode, -signal.SIGPIPE if restore else 2)

    def test_a_log_that_is_cut_short_while_it_is_read(self):
        """It waits for its reader with most blocks still unread; the other log is read all the same."""
        blocks = 400
        with tempfile.TemporaryDirectory() as folder:
            log, other = Path(folder, "a.log"), Path(folder, "b.log")
            log.write_bytes(WRONG * blocks)
            other.write_bytes(GOOD)
            arguments = [BINARY, "verify", "-f", "ndjson", "--threads", "2", log, other]
            with subprocess.Popen(arguments, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
                first = tool.stdout.readline()
                os.truncate(log, len(WRONG) * 3 // 2)
                out, error = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, 2)
        self.assertEqual(error, f"shardstats: error: {log}: it became shorter while it was read; pass a copy of it, or its "
                                "content on standard input\n".encode())
        *documents, _ = map(json.loads, [first, *out.splitlines()])
        of_log, of_other = ([d for d in documents if d["logs"][0]["path"] == str(path)] for path in (log, other))
        self.assertLess(len(of_log), blocks)
        self.assertIn("became shorter", of_log[-1]["logs"][0]["error"]["message"])
        self.assertEqual([d["verdict"] for d in of_other], ["clean"])

    def test_a_bus_error_that_no_log_raises(self):
        with subprocess.Popen([BINARY, "verify", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
            tool.stdin.write(GOOD)
            tool.stdin.flush()
            time.sleep(0.5)  # until it waits for more
            tool.send_signal(signal.SIGBUS)
            _, error = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, 2)
        self.assertIn(b"cannot be read any more", error)

    def test_a_full_disk(self):
        for arguments in self.invocations():
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([BINARY, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=LOGS, timeout=60)
                self.assertEqual((done.returncode, done.stderr.count(b"cannot write: No space left")), (2, 1), done.stderr)

    def test_a_log_is_never_overwritten(self):
        cases = [
            (["verify", "-o", "a.log", "a.log"], {}),
            (["summary", "-o", "sub/../a.log", "b.log", "a.log"], {}),
            (["diff", "-o", "a.log", "b.log", "a.log"], {}),
            (["anonymize", "-o", "a.log", "a.log"], {}),
            (["verify", "-o", "link.log", "a.log"], {}),
            (["scan", "-o", "a.log", "."], {}),
            (["scan", "-o", "a.log", "*.log"], {}),
            (["verify", "--step-summary", "a.log"], {"GITHUB_STEP_SUMMARY": "a.log"}),
        ]
        for arguments, env in cases:
            with self.subTest(" ".join(arguments)), tempfile.TemporaryDirectory() as folder:
                for name in ("a.log", "b.log"):
                    (Path(folder) / name).write_bytes(GOOD)
                (Path(folder) / "sub").mkdir()
                (Path(folder) / "link.log").symlink_to("a.log")
                done = run(*arguments, env=env, cwd=folder)
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"is one of the logs", done.stderr)
                self.assertEqual((Path(folder) / "a.log").read_bytes(), GOOD)

    def test_counts_are_decimal(self):
        plain, padded = (run("reconstruct", "-n", count, "v1.8.0-nodebug.log") for count in ("4", "04"))
        self.assertIn(b"more", plain.stdout)
        self.assertEqual(plain.stdout, padded.stdout)
        self.assertEqual(run("reconstruct", "-n", "08", "v1.8.0-nodebug.log").returncode, 0)  # no octal number
        hosts = [run("stash", "-f", "json", "--bandwidth", "450GB/s", "--ranks-per-host", count, "main.log").stdout
                 for count in ("8", "08", "12", "012")]
        self.assertEqual((hosts[0], hosts[2]), (hosts[1], hosts[3]))
        self.assertNotEqual(hosts[0], hosts[2])

    def test_an_output_is_written_once(self):
        for outputs in (["out.csv", "out.csv"], ["a.md", "-", "sub/../a.md"], ["-", "-"]):
            with self.subTest(outputs), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "sub").mkdir()
                done = run("verify", *(f"--output={path}" for path in outputs), "-", stdin=GOOD, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(f"--output '{outputs[-1]}' is given twice".encode(), done.stderr)
                self.assertEqual([path.name for path in Path(folder).iterdir()], ["sub"])

    def test_an_output_behind_links_is_written_once(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sub").mkdir()
            (Path(folder) / "sub" / "near.csv").symlink_to("../out.csv")
            (Path(folder) / "far.csv").symlink_to("sub/near.csv")
            for outputs in (["far.csv", "out.csv"], ["out.csv", "sub/near.csv"]):
                done = run("verify", *(f"--output={path}" for path in outputs), "-", stdin=GOOD, cwd=folder)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"--output '{outputs[-1]}' is given twice".encode(), done.stderr)

    def test_answers_of_several_blocks_say_which(self):
        for arguments in (["explain", "plan"], ["whatif", "--set", "batch_size=16"]):
            with self.subTest(" ".join(arguments)):
                both = run(*arguments, "-", stdin=GOOD + GOOD).stdout.decode()
                self.assertIn("<stdin>: block 1 at line 1\n", both)
                self.assertIn("\n\n<stdin>: block 2 at line 101\n", both)
                self.assertNotIn("block 1 at line", run(*arguments, "-", stdin=GOOD).stdout.decode())

    def test_a_scan_writes_below_what_it_scans(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.log").write_bytes(GOOD)
            for _ in range(2):
                done = run("scan", "-o", "report.json", ".", cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads((Path(folder) / "report.json").read_text())["summary"]["blocks"], 1)

    def test_a_closed_standard_output(self):
        for arguments in self.invocations():
            with self.subTest(arguments):
                done = subprocess.run([BINARY, *arguments], stderr=subprocess.PIPE, cwd=LOGS, timeout=60,
                                      preexec_fn=lambda: os.close(1))
                self.assertEqual((done.returncode, done.stderr.count(b"cannot write: Bad file descriptor")), (2, 1),
                                 done.stderr)

    def test_no_file_is_opened_in_the_place_of_a_closed_stream(self):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.json")
            for stream in (0, 1, 2):
                done = subprocess.run([BINARY, "verify", "-o", report, "-o", "-", "v1.4.0.log"], cwd=LOGS, timeout=60,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      preexec_fn=lambda stream=stream: os.close(stream))
                self.assertEqual(json.loads(report.read_text())["verdict"], "clean", stream)
                self.assertEqual(done.returncode, 2 if stream == 1 else 0)

    def test_nothing_but_text_goes_into_a_pipe(self):
        """No colours, no cursor movement, no waiting for a key; wherever the tool runs and whatever the terminal is."""
        for arguments in self.invocations():
            plain = run(*arguments, env={"TERM": "xterm-256color"})
            self.assertEqual((plain.returncode, b"\033" in plain.stdout + plain.stderr), (0, False), arguments)
            for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
                again = run(*arguments, env=env)
                self.assertEqual((again.stdout, again.stderr), (plain.stdout, plain.stderr), (arguments, env))

    def test_colours_on_a_terminal(self):
        painted = 0
        for arguments in self.invocations():
            for env, may in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({}, False),
                             ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
                terminal = Terminal()
                process = subprocess.Popen([BINARY, *arguments], cwd=LOGS, stdin=subprocess.DEVNULL, stdout=terminal.writer,
                                           stderr=subprocess.PIPE, env=env)
                shown = terminal.read()
                _, errors = process.communicate(timeout=60)
                if arguments[0] == "report":  # not for a terminal
                    self.assertEqual((process.returncode, shown), (2, b""))
                    continue
                self.assertEqual((process.returncode, errors), (0, b""), arguments)
                self.assertTrue(may or b"\033" not in shown, (arguments, env))
                painted += b"\033[" in shown
        self.assertGreater(painted, 3, "some commands have colours")


if __name__ == "__main__":
    unittest.main()
