"""What `verify` takes for a wrong number, the other commands do not explain away: one digit of the fullest rank's HBM is
changed in logs of the corpus."""
import re
import unittest
from pathlib import Path

from tool import CORPUS, block_of, sampled

PLANS = CORPUS / "plans"
RELEASES = ["v1.4.0", "v1.6.0", "v1.8.0", "main"]
KINDS = ["small", "uniform", "mixed"]
RANK = re.compile(r"# +(\d+) +(\d+)\.\d+ \(\d+%\)")
LARGEST = 300_000  # bytes


def with_wrong_memory(log: Path):
    """The log with another first digit in the HBM of its fullest rank; and that rank."""
    lines = log.read_text().split("\n")
    rows = [(i, row) for i, line in enumerate(lines) if (row := RANK.match(line))]
    i, row = max(rows, key=lambda one: int(one[1][2]))
    digit = row[2][0]
    start = row.start(2)
    lines[i] = lines[i][:start] + ("3" if digit != "3" else "5") + lines[i][start + 1:]
    return "\n".join(lines).encode(), int(row[1])


@unittest.skipUnless(PLANS.is_dir(), f"no corpus in {PLANS}")
class WrongMemoryOfARank(unittest.TestCase):
    def is_disputed(self, log, rank):
        findings = block_of("verify", "-q", stdin=log, status=None)["findings"]
        return any(f["rule"] == "rank.hbm" and f["severity"] == "error" and f.get("rank") == rank for f in findings)

    def test_is_one_for_explain_too(self):
        logs = [log for release in RELEASES for kind in KINDS for log in sorted((PLANS / release).glob(f"{kind}-*.log"))]
        disputed = 0
        for path in sampled([log for log in logs if log.stat().st_size < LARGEST]):
            log, rank = with_wrong_memory(path)
            if not self.is_disputed(log, rank):
                continue
            disputed += 1
            steps = block_of("explain", f"rank:{rank}", "-q", stdin=log)["explained"][0]["steps"]
            with self.subTest(log=f"{path.parent.name}/{path.name}"):
                memory = next(step for step in steps if step["label"] == "printed")  # perf comes later
                self.assertNotEqual(memory.get("note"), "agrees")
        self.assertGreater(disputed, 3)


if __name__ == "__main__":
    unittest.main()
