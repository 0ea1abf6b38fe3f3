"""Over the what-if pairs of the corpus: every true value lies within what `whatif` says of the changed plan."""
import csv
import json
import os
import unittest
from collections import defaultdict
from pathlib import Path

from tool import ROOT, run

PAIRS = Path(os.environ.get("SHARDSTATS_SHARED", ROOT / ".." / "shared")) / "corpus" / "whatif"
SHARD_FIELDS = {"hbm": "hbm", "ddr": "ddr", "ssd": "ssd", "input_bytes": "input", "output_bytes": "output"}
PERF_FIELDS = ("fwd_compute", "fwd_comms", "bwd_compute", "bwd_comms", "prefetch_compute", "total")
RELATIVE = 1e-12  # of a double that was printed and read back


def is_inside(true, bounds):
    slack = 0 if isinstance(true, int) else RELATIVE * abs(true)
    return bounds["low"] - slack <= true <= bounds["high"] + slack


@unittest.skipUnless((PAIRS / "index.tsv").exists(), f"no corpus in {PAIRS}")
class TrueValues(unittest.TestCase):
    def answer(self, name):
        done = run("whatif", "-q", "-f", "json", PAIRS / name / "base.log", "--changes", PAIRS / name / "changes.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["logs"][0]["blocks"][0]

    def check(self, true, bounds, where):
        self.values += 1
        if not is_inside(true, bounds):
            self.outside.append((where, true, bounds))

    def check_shards(self, name, truth, said):
        shards = defaultdict(list)
        for table in said["tables_detail"]:
            for shard in table["shards"]:
                shards[table["fqn"], shard["rank"]].append(shard)
        for table in truth["tables"]:
            for shard in table["shards"]:
                # Shards of a table on one rank are told apart by nothing: some one has to fit.
                ours = shards[table["fqn"], shard["rank"]]
                fits = [one for one in ours if is_inside(shard["hbm"], one["hbm"]) and is_inside(shard["ddr"], one["ddr"])]
                self.assertTrue(fits, (name, table["fqn"], shard["rank"], shard["hbm"]))
                for key, field in SHARD_FIELDS.items():
                    if key in shard:
                        self.check(shard[key], fits[0][field], (name, table["fqn"], shard["rank"], field))
                for key in PERF_FIELDS:
                    if key in (shard.get("perf") or {}):
                        self.check(float(shard["perf"][key]), fits[0]["perf"][key], (name, table["fqn"], key))

    def test_every_value(self):
        self.values, self.outside = 0, []
        with open(PAIRS / "index.tsv", encoding="utf-8") as file:
            names = [row["name"] for row in csv.DictReader(file, delimiter="\t")]
        for name in names:
            truth = json.loads((PAIRS / name / "expected.json").read_text())
            said = self.answer(name)
            self.check_shards(name, truth, said)
            for rank, ours in zip(truth["ranks"], said["ranks_detail"], strict=True):
                for key in ("hbm", "ddr", "sparse_hbm"):
                    self.check(rank[key], ours[key], (name, rank["rank"], key))
                self.check(float(rank["perf"]["total"]), ours["perf"]["total"], (name, rank["rank"], "perf"))
        print(f"{self.values - len(self.outside)} of {self.values} true values inside, {len(names)} pairs")
        self.assertEqual(self.outside[:5], [])


if __name__ == "__main__":
    unittest.main()
