"""Over the corpus: diff names the stated change of a what-if pair first, and its bounds hold the truth.

A pair states one change if it has one kind; the ranks, kernel or load factor that come with it are part of it. Pairs
whose texts are equal have no trace of it. A dtype is known by its size only, and a release by what it prints.
"""
import csv
import json
import unittest
from pathlib import Path

from tool import CORPUS, run, sampled

PAIRS = CORPUS / "whatif"
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
        single = sampled([row["name"] for row in self.rows() if "+" not in row["kinds"]])
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
        for row in sampled([row for row in self.rows() if "+" in row["kinds"]]):
            with self.subTest(row["name"]):
                words = [word.lower() for cause in self.causes(row["name"]) for word in cause["set"]]
                for change in (PAIRS / row["name"] / "changes.txt").read_text().split():
                    if "=" in change and ".ranks=" not in change:
                        self.assertIn(change.lower(), words)


@unittest.skipUnless((CORPUS / "plans" / "index.tsv").exists(), f"no corpus in {CORPUS}")
class Bounds(unittest.TestCase):
    """Of plans that have nothing to do with each other, two of each release, as nothing but rounding hides a change."""

    def pairs(self):
        for release in sorted(path for path in (CORPUS / "plans").iterdir() if path.is_dir()):
            logs = [log for log in sorted(release.glob("*.log")) if not log.name.startswith("large")]
            yield from zip(logs, logs[1:])

    def holds(self, number, truth_before, truth_after, what):
        """What has the same bounds in both logs is not known to have changed."""
        for side, truth in (("before", truth_before), ("after", truth_after)):
            if number[side] and truth is not None:
                self.assertTrue(number[side]["low"] <= truth <= number[side]["high"], (what, side, truth, number))
        if number["change"] and number["before"] != number["after"]:
            change = truth_after - truth_before
            slack = 1  # bounds are rounded to bytes
            self.assertLessEqual(number["change"]["low"] - slack, change, what)
            self.assertGreaterEqual(number["change"]["high"] + slack, change, what)

    def compare(self, base, new):
        truths = [json.loads(log.with_suffix(".json").read_text()) for log in (base, new)]
        ranks = [{rank["rank"]: rank for rank in truth["ranks"]} for truth in truths]
        if not all(ranks):
            return  # no plan was found
        done = run("diff", "-q", "-f", "json", base, new)
        self.assertEqual(done.returncode, 0, done.stderr)
        diff = json.loads(done.stdout)["diff"]
        for number, reduce in (("largest_hbm", max), ("total_hbm", sum)):
            shown = diff[number] if number == "largest_hbm" else diff["plan"][number]
            self.holds(shown, *(reduce(rank["hbm"] for rank in side.values()) for side in ranks), number)
        for rank in diff["ranks"]:
            sides = [side.get(rank["rank"]) for side in ranks]
            for memory in ("hbm", "ddr"):
                self.holds(rank[memory], *(side and side[memory] for side in sides), (rank["rank"], memory))
            if rank["parts"]:
                change = sides[1]["hbm"] - sides[0]["hbm"]
                low, high = (sum(part["hbm"][bound] for part in rank["parts"]) for bound in ("low", "high"))
                self.assertTrue(low - len(rank["parts"]) <= change <= high + len(rank["parts"]), rank)

    def test_bounds_hold_the_truth(self):
        for base, new in sampled(list(self.pairs())):
            with self.subTest(f"{base.parent.name}: {base.stem}, {new.stem}"):
                self.compare(base, new)


if __name__ == "__main__":
    unittest.main()
