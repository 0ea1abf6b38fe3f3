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
