"""Single bytes of genuine logs changed at random: no crash, no hang, and no change that other numbers contradict is clean.

Runs on one log of each release of the shared corpus, with the rule of its tools for what has to be found.
SHARDSTATS_EDITS is the number of changes of each log.
"""
import json
import os
import random
import re
import resource
import subprocess
import sys
import unittest

from tool import BINARY, CORPUS, ROOT, SANITIZED, SHARED

PLANS, TOOLS = CORPUS / "plans", SHARED / "tools"
EDITS = int(os.environ.get("SHARDSTATS_EDITS", "15"))
SECONDS = 100  # of processor time: a hang, as the slowest take a second, and twenty times that under sanitizers
LEFT_OPEN = 0.005  # of what the rule calls detectable: dtypes and bandwidths that a table or plan may have for itself

# What was clean once: log, text in the line, the number and what it became.
FOUND = [
    ("v0.4.0/odd-505.log", "creative_embed_bucket_22", " 9.264 ", " 9.204 "),  # all shards on one rank
    ("v0.4.0/odd-505.log", "1.1 (7%)", "(7%)", "(0%)"),  # no device has such a share
    ("v0.8.0/odd-583.log", "item_brand_30: 0.012 GB", "[0, 1, 0, 1]", "[0, 1, 1, 1]"),  # a name of several tables
    ("v0.4.0/odd-505.log", "creative_embed_bucket_22", " 9.264 ", " 9.266 "),  # no width of column blocks gives it
    ("v0.4.0/odd-505.log", "ebc_weighted.user.v3", " 0.406 ", " 0.409 "),  # only a bandwidth close to the default
    ("V1.5.0/odd-708.log", "ebc.session_category.v9", "  2.0 ", "  200 "),  # ended in a crash: output of half a byte
    ("V1.5.0/odd-708.log", "sequence_ec.click ", "(0.016 GB", "(0.019 GB"),  # a virtual table that no sum knows of
    ("v1.0.0/odd-605.log", "#         2    1.037", "2.078 (0%)", "2.078 (5%)"),  # host memory splits no rows
    ("v1.0.0/odd-605.log", "#         3    1.156", " 3.46 ", " 3.42 "),  # an empty part of rows that cannot be
    ("v1.2.0/odd-641.log", "#         2   2.409", " 0.99 ", " 0.79 "),  # a split by capacities that no sum speaks for
    ("v1.7.0/odd-746.log", "#         1   1.288", "(9%)", "(4%)"),  # many tables that are split evenly
    ("v1.8.0/small-103.log", "#         1   7.856", "(9%)", "(4%)"),  # two such tables
    ("v0.2.0/odd-445.log", "#         0     1.3 (2%)", "(2%)", "(0%)"),  # a memory without tables that is counted
    ("v1.2.0/small-101.log", "#         1   3.515", "10.445 (1%)", "10.445 (6%)"),  # the other memory has one capacity
    ("v1.1.0/small-103.log", "#         2    8.923", "(26%)", "(22%)"),  # one share that a device of its own explains
    ("v1.4.0/small-102.log", "#         1    4.59", "(3%)", "(5%)"),  # likewise, with a memory bandwidth of its own
    ("v1.3.0/odd-662.log", "#         1     0.0 (0%)", "3.359 (3%)", "3.359 (7%)"),  # likewise, on CPU
    ("v1.4.0/odd-685.log", "ebc.page_id", " 31441.845 ", " 31440.845 "),  # a multiplier a hair beside the usual one
    ("v1.8.0/small-101.log", "Total Distance: 0.714", "0.714", "1.014"),  # bounds of all that explains the log are wide
    ("v0.3.0/small-101.log", " 28.2 (27%)", " 28.2 ", " 28.9 "),  # a maximum with more digits than the rank has
    ("v0.3.0/small-101.log", " 28.2 (27%)", " 28.2 ", " 48.2 "),  # a sum that no dtype of its tables gives
]
# What was clean behind the genuine log, whose hypotheses it follows.
FOLLOWED = [
    ("main/odd-784.log", 13, " 23.62 ", " 33.62 "),
    ("v1.3.0/odd-662.log", 8, " 18.06 ", " 19.87 "),
    ("v0.3.0/mixed-202.log", 14, " 21.4 (4%)", " 21.3 (4%)"),
    ("v1.6.0/small-103.log", 8, " 5.72 ", " 5.82 "),
    ("v1.7.0/odd-745.log", 14, " 1.18 ", " 1.17 "),
    ("v1.6.0/odd-727.log", 9, " 71.85 ", " 300.0 "),
    ("v0.4.0/odd-505.log", 23, " 1.0 ", " 4.0 "),  # perf shows another dtype then, which the output speaks against
]
# What is one wrong number and was reported as many, all those that do not go with it: log, line, the number and what it
# became.
ONE_ERROR = [
    ("main/odd-784.log", 8, "(0%)", "(9%)"),  # a share of HBM of a device without any
    ("v1.6.0/odd-721.log", 20, "(0%)", "(2%)"),  # likewise, where no capacity is printed
    ("v1.8.0/odd-766.log", 41, "GB, 0.0 GB,", "GB, 4.0 GB,"),  # of a table whose dtype perf alone shows
    ("v1.6.0/mixed-203.log", 7, "0.0 (0%)", "0.2 (0%)"),  # a sum that takes options from the tables of the others
    ("v0.4.0/mixed-203.log", 10, " 8469.97 ", " 8569.97 "),  # likewise, which was clean: column blocks explained it
    # Those below were clean: the numbers of ids and outputs of some tables are open, but they are the same on all ranks.
    ("v1.6.0/odd-727.log", 9, " 71.85 ", " 300.0 "),
    ("v0.5.0/small-101.log", 7, " 28.34 ", " 200.0 "),
    ("v1.0.0/odd-601.log", 7, " 3895.34 ", " 1558.14 "),
]
# A wrong number beside a lost cell, which rows that are not split evenly explained: log, line, the number and what it
# became, and line and text of the cell.
BESIDE_A_LOST_CELL = [
    ("v1.0.0/uniform-301.log", 10, " 0.96 (1%)", " 0.77 (1%)", 25, " 64 "),
]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def verify(log: bytes):
    """Exit status, and the rules of all findings."""
    done = subprocess.run([BINARY, "verify", "-f", "json", "-"], input=log, capture_output=True, preexec_fn=limit,
                          env={"SHARDSTATS_NO_CONFIG": "1"})
    blocks = json.loads(done.stdout)["logs"][0]["blocks"] if done.returncode in (0, 1) else []
    return done.returncode, [finding["rule"] for block in blocks for finding in block["findings"]]


class NoAmounts(unittest.TestCase):
    """Numbers that no amount of memory, time or anything else is, in the place of any number."""

    NUMBER = re.compile(r"(?<![\w.+-])\d+(?:\.\d+)?(?:e-\d+)?(?![\w.])")
    CHANGES = [lambda _: "nan", lambda _: "inf", lambda n: "-" + n, lambda _: "9" * 18, lambda _: "9" * 16 + ".0"]
    ROUNDED_BELOW_ZERO = re.compile("Divergence|Total Variation|Total Distance")  # -0.000 is printed there
    SAMPLE = 10 if SANITIZED else 40  # numbers of each log

    def test_in_the_place_of_any_number(self):
        for name in ("v0.5.0.log", "v1.4.0.log", "v1.8.0.log"):
            log = (ROOT / "testdata" / "logs" / name).read_text()
            numbers = random.Random(name).sample(list(self.NUMBER.finditer(log)), self.SAMPLE)
            for number in numbers:
                line = log[log.rfind("\n", 0, number.start()) + 1:number.end()]
                if self.ROUNDED_BELOW_ZERO.search(line):
                    continue
                for change in self.CHANGES:
                    edited = log[:number.start()] + change(number[0]) + log[number.end():]
                    self.assertEqual(verify(edited.encode())[0], 1, (name, line.strip("# ")[-60:], change(number[0])))


@unittest.skipUnless(PLANS.is_dir() and TOOLS.is_dir(), "no shared corpus")
class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(TOOLS))
        global detectable, statslog
        import detectable
        import statslog

    def is_detectable(self, numbers, at: int, new: int) -> bool:
        for box, number, start in numbers:
            if not start <= at < start + len(number.text):
                continue
            text = number.text[:at - start] + chr(new) + number.text[at - start + 1:]
            if not {number.text[at - start], chr(new)} <= set("0123456789"):
                return False
            rule = detectable.ranks_are_detectable if number.form == "RANKS" else detectable.value_is_detectable
            return rule(box, number, text)
        return False

    def test_random_bytes(self):
        detected = missed = 0
        for folder in sorted(folder for folder in PLANS.iterdir() if folder.is_dir()):
            logs = sorted(folder.glob("*.log"), key=lambda log: log.stat().st_size)
            log = logs[len(logs) // 4]
            data, rng = log.read_bytes(), random.Random(folder.name)
            parsed = statslog.Log(data)
            starts = [0]
            for line in parsed.lines:
                starts.append(starts[-1] + len(line.encode("utf-8", "surrogateescape")) + 1)
            numbers = [(box, n, starts[n.line] + statslog.byte_column(parsed.lines[n.line], n.start) - 1)
                       for box in parsed.boxes for n in box.numbers]
            for edit in range(EDITS):
                at, new = rng.randrange(len(data)), rng.randrange(256)
                if edit % 2:  # another digit in a number
                    _, number, start = rng.choice(numbers)
                    at, new = start + rng.randrange(len(number.text)), rng.choice(b"0123456789")
                edited = data[:at] + bytes([new]) + data[at + 1:]
                status, _ = verify(edited)
                self.assertIn(status, (0, 1, 2), (log.name, at, new))
                if edit % 2 and status == 1:
                    self.assertEqual(verify(data + edited)[0], 1, (log.name, at, new, "behind the genuine log"))
                if data[at] == new or not self.is_detectable(numbers, at, new):
                    continue
                detected += status == 1
                missed += status == 0
        self.assertGreater(detected, EDITS)
        self.assertLessEqual(missed, LEFT_OPEN * detected)

    def test_what_was_clean_once(self):
        for name, mark, old, new in FOUND:
            with self.subTest(name, old=old, new=new):
                lines = (PLANS / name).read_text().split("\n")
                at = next(i for i, line in enumerate(lines) if mark in line)
                self.assertIn(old, lines[at])
                lines[at] = lines[at].replace(old, new, 1)
                self.assertEqual(verify("\n".join(lines).encode())[0], 1)

    def test_one_error_where_there_were_many(self):
        for name, line, old, new in ONE_ERROR:
            with self.subTest(name, old=old, new=new):
                lines = (PLANS / name).read_text().split("\n")
                self.assertIn(old, lines[line - 1])
                lines[line - 1] = lines[line - 1].replace(old, new, 1)
                rules = verify("\n".join(lines).encode())[1]
                self.assertEqual(len([rule for rule in rules if rule != "tiers.ranks"]), 1, rules)

    def test_a_lost_cell_excuses_no_number(self):
        for name, line, old, new, row, cell in BESIDE_A_LOST_CELL:
            with self.subTest(name, old=old, new=new):
                lines = (PLANS / name).read_text().split("\n")
                for number, text, other in ((line, old, new), (row, cell, " " * len(cell))):
                    self.assertEqual(lines[number - 1].count(text), 1)
                    lines[number - 1] = lines[number - 1].replace(text, other)
                self.assertEqual(sorted(verify("\n".join(lines).encode())[1]),
                                 ["log.malformed_cell", "rank.hbm", "tiers.ranks", "tiers.ranks"])

    def test_what_was_clean_behind_the_genuine_log(self):
        for name, line, old, new in FOLLOWED:
            with self.subTest(name, old=old, new=new):
                lines = (PLANS / name).read_text().split("\n")
                self.assertIn(old, lines[line - 1])
                genuine = "\n".join(lines)
                lines[line - 1] = lines[line - 1].replace(old, new, 1)
                edited = "\n".join(lines)
                self.assertEqual(verify(edited.encode())[0], 1)
                self.assertEqual(verify((genuine + edited).encode())[0], 1)


if __name__ == "__main__":
    unittest.main()
