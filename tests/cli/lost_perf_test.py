"""Answers about a log whose tables lost their perf: nothing is known of it, which is not 0 ms."""
import unittest

from tool import LOGS, block_of, run

HEADER = "Perf (ms)"


def without_perf_of_tables():
    lines = (LOGS / "v1.4.0.log").read_text().splitlines()
    header = next(i for i, line in enumerate(lines) if "FQN" in line)
    end = lines[header].index(HEADER) + len(HEADER)
    begin = lines[header].index("Compute Kernel") + len("Compute Kernel")
    for row in range(header + 2, header + 6):
        lines[row] = lines[row][:begin] + " " * (end - begin) + lines[row][end:]
    return "\n".join(lines).encode()


class LostPerf(unittest.TestCase):
    LOG = without_perf_of_tables()

    def answer(self, *arguments):
        done = run(*arguments, "-", stdin=self.LOG)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_changed_plan(self):
        block = block_of("whatif", "--set", "batch_size=1024", "-", stdin=self.LOG)
        self.assertEqual([rank["perf"]["total"] for rank in block["ranks_detail"]], [None] * 4)
        self.assertEqual({rank["perf"]["after"] is None for rank in block["diff"]["ranks"]}, {True})
        self.assertIsNone(block["diff"]["plan"]["largest_perf"]["after"])
        self.assertNotIn("ms", self.answer("whatif", "--set", "batch_size=1024").split("ranks: ")[1])

    def test_changed_log(self):
        changed = self.answer("whatif", "--set", "batch_size=1024", "--render")
        self.assertEqual(changed.count("? (?,?,?,?,?)"), 4)
        self.assertIn("Maximum of Total Perf: ? ms on rank ?", changed)
        self.assertIn("Critical Path (compute): ?", changed)

    def test_log_with_the_same_inputs(self):
        self.assertIn("Maximum of Total Perf: 0.5", self.answer("whatif", "--set", "batch_size=512", "--render"))

    def test_explanation(self):
        self.assertNotIn("perf of rank 2", self.answer("explain", "--set", "batch_size=1024", "rank:2"))
        self.assertIn("perf of rank 2", self.answer("explain", "rank:2"))


if __name__ == "__main__":
    unittest.main()
