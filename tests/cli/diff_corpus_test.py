"""Over the what-if pairs of the corpus: the first cause that diff names is the stated change.

A pair states one change if it has one kind; the ranks, kernel or load factor that come with it are part of it. Pairs
whose texts are equal have no trace of it. A dtype is known by its size only, and a release by what it prints.
"""
import csv
import json
import os
import unittest
from pathlib import Path

from tool import ROOT, run

PAIRS = Path(os.environ.get("SHARDSTATS_SHARED", ROOT / ".." / "shared")) / "corpus" / "whatif"
FLOOR = 1.0  # of the pairs with one stated change
SAME_SIZE = {"bf16": "fp16"}


def stated(pair: Path) -> str:
    """The change itself, without what comes with it: it is stated first."""
    change = (pair / "changes.txt").read_text().split("\n")[0]
    left, _, value = change.partition("=")
    return f"{left}={SAME_SIZE.get(value, value)}" if value else change


def named(cause: dict) -> list:
    """What a cause says, and for a release the others that print the same."""
    words = cause["set"][:1]
    for change in cause["inputs"]:
        if change["name"] == "release":
            words += ["release=" + word for word in change.get("note", "").replace("or ", "").split(", ")]
    return [word.lower() for word in words]


@unittest.skipUnless((PAIRS / "index.tsv").exists(), f"no corpus in {PAIRS}")
class StatedChange(unittest.TestCase):
    def causes(self, name: str) -> list:
        done = run("diff", "-q", "-f", "json", PAIRS / name / "base.log", PAIRS / name / "expected.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["diff"]["causes"]

    def rows(self):
        with open(PAIRS / "index.tsv", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file, delimiter="\t") if row["same_text"] == "0"]

    def test_first_cause(self):
        single = [row["name"] for row in self.rows() if "+" not in row["kinds"]]
        missed = {}
        for name in single:
            causes = self.causes(name)
            if not causes or stated(PAIRS / name).lower() not in named(causes[0]):
                missed[name] = [cause["set"] for cause in causes[:2]]
        share = 1 - len(missed) / len(single)
        print(f"first cause is the stated change: {len(single) - len(missed)} of {len(single)} pairs")
        self.assertGreaterEqual(share, FLOOR, missed)

    def test_several_changes(self):
        """Each of several changes is among the causes."""
        for row in self.rows():
            if "+" not in row["kinds"]:
                continue
            with self.subTest(row["name"]):
                words = [word.lower() for cause in self.causes(row["name"]) for word in cause["set"]]
                for change in (PAIRS / row["name"] / "changes.txt").read_text().split():
                    if "=" in change and ".ranks=" not in change:
                        self.assertIn(change.lower(), words)


if __name__ == "__main__":
    unittest.main()
