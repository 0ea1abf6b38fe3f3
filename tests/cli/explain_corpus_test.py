"""What `explain` states of plans, ranks and tables holds what the planner of the corpus counted."""
import json
import unittest

from tool import CORPUS, block_of, sampled

PLANS = CORPUS / "plans"
KINDS = ["small", "odd"]
LARGEST = 60_000  # bytes


def stated(step):
    return step.get("narrowed", step["value"])


@unittest.skipUnless(PLANS.is_dir(), f"no corpus in {PLANS}")
class Totals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        logs = [log for kind in KINDS for log in sorted(PLANS.glob(f"*/{kind}-*.log"))]
        cls.logs = sampled([log for log in logs if log.stat().st_size < LARGEST])

    def hold(self, log, target, label, true):
        for step in block_of("explain", target, "-q", log)["explained"][0]["steps"]:
            if step["label"] == label:
                bounds = stated(step)
                self.assertTrue(bounds["low"] <= true <= bounds["high"], (str(log), label, true, bounds))
                return True
        return False

    def test_of_plan_and_ranks_hold_the_truth(self):
        compared = 0
        for log in self.logs:
            truth = json.loads(log.with_suffix(".json").read_text())
            if not truth["ranks"]:
                continue
            rank = truth["ranks"][0]
            compared += self.hold(log, "plan", "HBM of all ranks", sum(one["hbm"] for one in truth["ranks"]))
            compared += self.hold(log, f"rank:{rank['rank']}", f"HBM of rank {rank['rank']}", rank["hbm"])
        self.assertGreater(compared, len(self.logs))

    def test_of_a_plan_are_those_of_its_ranks(self):
        for name, low, high in (("v1.3.0/small-103", 8.24, 8.25), ("v0.3.0/small-101", 37.4, 38.2),
                                ("v0.4.0/odd-503", 12.1, 12.9), ("v1.1.0/odd-621", 0.68, 0.7)):
            total = stated(block_of("explain", "plan", "-q", PLANS / f"{name}.log")["explained"][0]["steps"][0])
            self.assertTrue(low <= total["low"] / 2**30 <= total["high"] / 2**30 <= high, (name, total))

    def test_shares_are_of_what_is_stated(self):
        steps = block_of("explain", "rank:0", "-q", PLANS / "v1.3.0/small-103.log")["explained"][0]["steps"]
        shares = {child["label"]: child["share"] for child in steps[0]["children"]}
        self.assertAlmostEqual(shares["hour_id"], 0.176, delta=0.001)
        self.assertAlmostEqual(shares["dense modules"], 0.824, delta=0.001)


if __name__ == "__main__":
    unittest.main()
