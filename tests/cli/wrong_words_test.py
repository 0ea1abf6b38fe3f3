"""What is said of a wrong command line: the word, and what may have been meant."""
import unittest

from tool import run

LOG = "v1.4.0.log"
CASES = [  # words, what standard error says
    (["verify", "--formt", "json", LOG], "unknown option '--formt' of verify; did you mean '--format'?"),
    (["--formt=json", LOG], "unknown option '--formt' of summary; did you mean '--format'?"),
    (["verify", "--bogus", LOG], "unknown option '--bogus' of verify; see `shardstats verify --help`"),
    (["verify", "-qz", LOG], "unknown option '-z' of verify; see `shardstats verify --help`"),
    (["--set", "batch_size=4", LOG], "unknown option '--set' of summary, which only whatif and explain have"),
    (["verify", "--strict", LOG], "unknown option '--strict' of verify, which only check has"),
    (["rules", "rank", "table"], "unexpected argument 'table'; see `shardstats rules --help`"),
    (["verify", "-f", "jsno", LOG], "--format: 'jsno': expected text, json, ndjson, csv, markdown, sarif, junit or github; "
                                    "did you mean 'json'?"),
    (["verify", "--color", "maybe", LOG], "--color: 'maybe': expected auto, always or never; see `shardstats verify --help`"),
    (["verify", "--color"], "--color needs a value: auto, always or never"),
    (["verify", LOG, "-o"], "--output needs a value: FILE"),
    (["verify", "-f", "json", "--format", "csv", LOG], "--format is given twice; give it one value"),
    (["explain"], "TARGET is required; see `shardstats explain --help`"),
    (["verify", "--json", LOG], "unknown option '--json' of verify; did you mean '--format json'?"),
    (["explain", "plan", "--csv", LOG], "unknown option '--csv' of explain; see `shardstats explain --help`"),
    (["reconstruct", "--sort", "foo", LOG], "--sort: 'foo': expected log, name, hbm, ddr or ssd; see `shardstats reconstruct --help`"),
    (["check", "--max-hbm", "16G", LOG], "--max-hbm: '16G' is not a size such as 72GiB or 80GB; "
                                         "did you mean '16GB' or '16GiB'?"),
    (["check", "--max-hbm", "72", LOG], "--max-hbm: '72' is not a size such as 72GiB or 80GB; did you mean '72GiB'?"),
    (["check", "--max-hbm", "8192", LOG], "--max-hbm: '8192' is not a size such as 72GiB or 80GB; say MiB or GiB; see `shardstats check --help`"),
    (["timeline", "--activations", "20", LOG], "--activations: '20' is not a size such as 72GiB or 80GB; "
                                               "did you mean '20GiB'?"),
    (["diff", "--fail-on-increase", "2", LOG, LOG], "--fail-on-increase '2': expected a size or a percentage, for example "
                                                    "2GiB or 3%; did you mean '2GiB'?"),
    (["stash", "--bandwidth", "450GB", LOG], "--bandwidth: '450GB' is not a rate such as 450GB/s; did you mean '450GB/s'?"),
    (["whatif", "--max", "batch_size", "--max-hbm", "72gib", LOG], "--max-hbm '72gib' is not a size such as 72GiB or 80GB; "
                                                                   "did you mean '72GiB'?"),
    (["diff", "--fail-on-increase", "2G", LOG, LOG], "--fail-on-increase '2G': expected a size or a percentage, for example "
                                                     "2GiB or 3%; did you mean '2GB' or '2GiB'?"),
    (["verify", "--sharding", "row_wise", LOG], "--sharding 'row_wise': expected CW, DP, GS, RW, TW, TWCW or TWRW; "
                                                "did you mean 'RW'?"),
    (["whatif", "--set", "release=1.8.0", LOG], "--set release: '1.8.0' is not a release from v0.4.0 to v1.8.0, or main; "
                                                "did you mean 'v1.8.0'?"),
    (["verify", "--assume", "release=1.8.0", LOG], "--assume release: '1.8.0' is not a release such as v1.4.0 or main; "
                                                   "did you mean 'v1.8.0'?"),
    (["verify", "--assume", "release=latest", LOG], "--assume release: 'latest' is not a release such as v1.4.0 or main"),
    (["whatif", "--set", "ad_emb.kernel=fused_uvm_cache", LOG], "--set ad_emb.kernel: 'fused_uvm_cache' is not a compute kernel "
                                                                "such as fused or fused_uvm_caching; did you mean "
                                                                "'fused_uvm_caching'?"),
    (["whatif", "--set", "optimizer=adamw", LOG], "--set optimizer: 'adamw' is not one of none, sgd, adagrad, "
                                                  "rowwise_adagrad, adam; did you mean 'adam'?"),
    (["whatif", "--set", "hbm=80G", LOG], "--set hbm: '80G' is not a size with its unit, such as 80GiB; "
                                          "did you mean '80GB' or '80GiB'?"),
    (["whatif", "--set", "hbm_mem_bw=3TB", LOG], "--set hbm_mem_bw: '3TB' is not a bandwidth such as 1555GiB/s; "
                                                 "did you mean '3TB/s'?"),
    (["whatif", "--set", "drop=ad_emb", LOG], "--set drop: a table is taken out with 'drop NAME'"),
    (["anonymize"], "no log given: name a file, pipe one in, or set SHARDSTATS_LOG, for example "
                    "`shardstats anonymize -o report.log train.log`"),
    (["help", "scan", "verify"], "help takes one command; `shardstats --help` lists them"),
]


class WrongWords(unittest.TestCase):
    def test_one_line_says_what_is_wrong(self):
        for words, message in CASES:
            with self.subTest(words):
                done = run(*words, stdin=None)
                self.assertEqual((done.returncode, done.stdout, done.stderr.decode()),
                                 (2, b"", f"shardstats: error: {message}\n"))


if __name__ == "__main__":
    unittest.main()
