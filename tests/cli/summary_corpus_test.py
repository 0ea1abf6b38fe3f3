"""summary against the truth: what it says a change would do is what the planner does when it is made.

Pairs of the shared corpus whose stated change is one that summary tries: the largest rank of the changed plan must lie in
the bounds that summary gives for the base.
"""
import json
import unittest

from tool import CORPUS, LOGS, block_of

PAIRS = CORPUS / "whatif"


class Changes(unittest.TestCase):
    def test_bounds_hold_the_changed_plan(self):
        if not PAIRS.exists():
            self.skipTest(f"no corpus at {PAIRS} (SHARDSTATS_SHARED)")
        compared = 0
        for stated in sorted(PAIRS.glob("*/*/changes.txt")):
            lines = [line for line in stated.read_text().split("\n") if line and ".ranks=" not in line]
            if len(lines) != 1:
                continue
            memory = block_of("summary", stated.parent / "base.log")["overview"]["memory"]
            truth = json.loads((stated.parent / "expected.json").read_text())
            largest = max(rank["hbm"] for rank in truth["ranks"])
            for change in memory["changes"]:
                if change["set"] == lines[0]:
                    compared += 1
                    self.assertLessEqual(change["largest"]["low"], largest, stated)
                    self.assertGreaterEqual(change["largest"]["high"], largest, stated)
        self.assertGreaterEqual(compared, 3)


class SameAsWhatIf(unittest.TestCase):
    """An assignment that summary names does what it says when it is pasted behind `whatif --set`."""

    def test_in_testdata(self):
        compared = 0
        for log in sorted(LOGS.glob("v*.log")):
            memory = block_of("summary", log)["overview"]["memory"]
            for change in (memory or {}).get("changes", []):
                with self.subTest(log.name, change=change["set"]):
                    ranks = block_of("whatif", "--set", change["set"], log)["ranks_detail"]
                    low, high = (max(rank["hbm"][end] for rank in ranks) for end in ("low", "high"))
                    largest = change["largest"]
                    self.assertLessEqual(largest["low"], high + 1)
                    self.assertGreaterEqual(largest["low"], low - 1)
                    self.assertLessEqual(largest["high"], high + 1)
                    compared += 1
        self.assertGreater(compared, 10)


if __name__ == "__main__":
    unittest.main()
