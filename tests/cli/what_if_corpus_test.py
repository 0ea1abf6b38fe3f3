"""Over the what-if pairs of the corpus: every true value lies within what `whatif` says of the changed plan, and where
the log hides nothing unusual the numbers that `whatif --render` prints are those of the planner's own log."""
import csv
import json
import re
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from tool import CORPUS, SANITIZED, block_of, run

PLANS = CORPUS / "plans"
PAIRS = CORPUS / "whatif"
SHARD_FIELDS = {"hbm": "hbm", "ddr": "ddr", "ssd": "ssd", "input_bytes": "input", "output_bytes": "output"}
PERF_FIELDS = ("fwd_compute", "fwd_comms", "bwd_compute", "bwd_comms", "prefetch_compute", "total")
PATHS = {"critical_path_comms": "Critical Path (comms)", "critical_path_compute": "Critical Path (compute)",
         "critical_path": "Critical Path (comms + compute)"}
ROUNDING = 0.0005 + 1e-9  # ms, of three decimals
TEXT_FLOOR = 0.99  # of the numbers of pairs without hidden inputs
FEW_BYTES = 1024  # a change of so many is none to speak of
RELATIVE = 1e-12  # of a double that was printed and read back


def numbers(log: bytes) -> dict:
    """The words of a line that hold a digit, by its other words and how often it stood before."""
    seen, found = Counter(), {}
    for line in log.decode().splitlines():
        words = line.strip("# \n").split()
        if words:
            key = words[0], tuple(word for word in words if not any(c.isdigit() for c in word))
            found[key, seen[key]] = [word for word in words if any(c.isdigit() for c in word)]
            seen[key] += 1
    return found


def is_inside(true, bounds):
    slack = 0 if isinstance(true, int) else RELATIVE * abs(true)
    return bounds["low"] - slack <= true <= bounds["high"] + slack


@unittest.skipUnless((PAIRS / "index.tsv").exists(), f"no corpus in {PAIRS}")
class TrueValues(unittest.TestCase):
    def answer(self, name):
        return block_of("whatif", "-q", PAIRS / name / "base.log", "--changes", PAIRS / name / "changes.txt")

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

    def check_plan(self, name, base, truth, diff):
        plan = {**diff["plan"], "largest_hbm": diff["largest_hbm"]}

        def of(ranks):
            hbm = [rank["hbm"] for rank in ranks]
            return {"total_hbm": sum(hbm), "total_ddr": sum(rank["ddr"] for rank in ranks), "largest_hbm": max(hbm),
                    "largest_perf": max(float(rank["perf"]["total"]) for rank in ranks)}

        before, after = of(base["ranks"]), of(truth["ranks"])
        for key, value in after.items():
            self.check(value, plan[key]["after"], (name, key))
            self.check(value - before[key], plan[key]["change"], (name, key, "change"))
        log = (PAIRS / name / "expected.log").read_text()
        for key, words in PATHS.items():
            printed = re.search(re.escape(words) + r": ([\d.]+)", log)
            if printed is None or key not in plan:
                continue
            after = plan[key]["after"]
            self.check(float(printed[1]), {"low": after["low"] - ROUNDING, "high": after["high"] + ROUNDING}, (name, key))

    def check_rows(self, name, before, after, listed, open_names):
        """What is neither listed nor called open did not change."""
        for key in before.keys() & after.keys():
            for field in ("hbm", "ddr"):
                change = after[key][field] - before[key][field]
                if key in listed:
                    self.check(change, listed[key][field]["change"], (name, key, field, "change"))
                elif key not in open_names:
                    self.check(change, {"low": -FEW_BYTES, "high": FEW_BYTES}, (name, key, field, "not listed"))

    def check_changes(self, name, base, truth, diff):
        def tables_of(plan):
            return {table["fqn"]: {field: sum(shard[field] for shard in table["shards"]) for field in ("hbm", "ddr")}
                    for table in plan["tables"]}

        before, after = tables_of(base), tables_of(truth)
        self.check_rows(name, before, after, {table["fqn"]: table for table in diff["tables"]}, diff["tables_open"])
        self.check_rows(name, {rank["rank"]: rank for rank in base["ranks"]},
                        {rank["rank"]: rank for rank in truth["ranks"]},
                        {rank["rank"]: rank for rank in diff["ranks"]}, diff["ranks_open"])
        kernels = Counter()
        for table in truth["tables"]:
            kernels[table["compute_kernel"]] += after[table["fqn"]]["hbm"]
        for kernel in diff["kernels"]:
            if kernel["hbm"]["after"]:
                self.check(kernels[kernel["kernel"]], kernel["hbm"]["after"], (name, kernel["kernel"], "hbm"))
        causes = [cause for i, cause in enumerate(diff["causes"])
                  if not cause["shared"] or not any(other["shared"] for other in diff["causes"][:i])]
        change = sum(table["hbm"] for table in after.values()) - sum(table["hbm"] for table in before.values())
        self.check(change, {end: sum(cause["hbm"][end] for cause in causes) for end in ("low", "high")}, (name, "causes"))

    def test_every_value(self):
        self.values, self.outside = 0, []
        with open(PAIRS / "index.tsv", encoding="utf-8") as file:
            names = [row["name"] for row in csv.DictReader(file, delimiter="\t")]
        for name in names:
            truth = json.loads((PAIRS / name / "expected.json").read_text())
            said = self.answer(name)
            self.check_shards(name, truth, said)
            base = json.loads((PAIRS / name / "base.json").read_text())
            self.check_plan(name, base, truth, said["diff"])
            self.check_changes(name, base, truth, said["diff"])
            for rank, ours in zip(truth["ranks"], said["ranks_detail"], strict=True):
                for key in ("hbm", "ddr", "sparse_hbm"):
                    self.check(rank[key], ours[key], (name, rank["rank"], key))
                self.check(float(rank["perf"]["total"]), ours["perf"]["total"], (name, rank["rank"], "perf"))
        print(f"{self.values - len(self.outside)} of {self.values} true values inside, {len(names)} pairs")
        self.assertEqual(self.outside[:5], [])

    def test_texts(self):
        same = total = 0
        with open(PAIRS / "index.tsv", encoding="utf-8") as file:
            names = [row["name"] for row in csv.DictReader(file, delimiter="\t") if row["hidden"] == "-"]
        for name in names:
            changes = PAIRS / name / "changes.txt"
            done = run("whatif", "-q", "--render", PAIRS / name / "base.log", "--changes", changes)
            self.assertEqual(done.returncode, 0, done.stderr)
            ours = numbers(done.stdout)
            for key, words in numbers((PAIRS / name / "expected.log").read_bytes()).items():
                mine = ours.get(key, [])
                total += len(words)
                same += sum(a == b for a, b in zip(words, mine))
        print(f"{same} of {total} numbers of {len(names)} logs are printed alike")
        self.assertGreaterEqual(same / total, TEXT_FLOOR)


@unittest.skipUnless((PLANS / "index.tsv").exists(), f"no corpus in {PLANS}")
class Plans(unittest.TestCase):
    def whatif(self, log, *changes, output=("--render",)):
        sets = [word for change in changes for word in ("--set", change)]
        done = run("whatif", "-q", *output, *sets, PLANS / log)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_what_is_so_already_changes_nothing(self):
        for log, change in (
            ("v1.8.0/odd-761.log", "release=v1.8.0"),  # with cache statistics
            ("v1.3.0/mixed-202.log", "release=v1.3.0"),
            ("v1.3.0/mixed-203.log", "local_world_size=8"),  # with GS tables
        ):
            before = (PLANS / log).read_text()
            self.assertTrue(self.whatif(log, change) == before, (log, change))

    def test_a_kernel_that_the_device_does_not_have_is_refused(self):
        log = PLANS / "main/odd-784.log"  # tpu
        done = run("whatif", "--set", "model.ebc.creative_hist_id.kernel=quant_uvm_caching", log)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"how fast compute kernel quant_uvm_caching is on tpu", done.stderr)

    def ranks_of(self, log, *changes):
        document = json.loads(self.whatif(log, *changes, output=("-f", "json")))
        return document["logs"][0]["blocks"][0]["ranks_detail"]

    def test_the_print_lies_within_the_answer(self):
        # The likeliest explanation of this log's storage does not explain its perf.
        log, change = "v1.6.0/small-103.log", "batch_size=777"
        row = re.compile(r"#\s+(\d+)   .*\)\s+([\d.]+) \([^%]*?\)\s")
        printed = {int(m[1]): float(m[2]) for m in map(row.match, self.whatif(log, change).splitlines()) if m}
        ranks = self.ranks_of(log, change)
        self.assertEqual(len(printed), len(ranks))
        for rank in ranks:
            bounds, half = rank["perf"]["total"], 0.0005
            self.assertLessEqual(bounds["low"] - half, printed[rank["rank"]])
            self.assertLessEqual(printed[rank["rank"]], bounds["high"] + half)

    def test_a_rank_keeps_what_the_log_prints_of_it(self):
        # The likeliest sizes of each table do not add up to the output that this log prints of its rank 13.
        log, change = "v1.3.0/mixed-202.log", "drop _dmp_wrapped_module.module.sparse.ebc.geo"
        row = next(line for line in self.whatif(log, change).splitlines() if re.match(r"#\s+13   ", line))
        printed = float(re.search(r"\)\s+[\d.]+\s+([\d.]+)\s+CW", row)[1]) * 2**20
        bounds, half = self.ranks_of(log, change)[13]["output"], 0.005 * 2**20
        self.assertTrue(bounds["low"] - half <= printed <= bounds["high"] + half, (printed, bounds))

    def test_the_print_is_clean(self):
        # Ranks and lines come from the same values; half a digit of the log must not grow with the batch.
        with tempfile.TemporaryDirectory() as folder:
            for log in ("v0.6.0/mixed-203.log", "v1.0.0/small-103.log", "v1.2.0/odd-641.log", "v1.7.0/mixed-202.log"):
                changed = Path(folder, "changed.log")
                changed.write_text(self.whatif(log, "batch_size=3000"))
                done = run("verify", "-q", changed)
                self.assertEqual(done.returncode, 0, (log, done.stdout.decode()))

    @unittest.skipIf(SANITIZED, "minutes under sanitizers")
    def test_few_prints_are_wrong(self):
        # Where the likeliest dtypes do not go together, or statistics decide that no log prints, bounds stay open.
        logs = sorted(log for kind in ("mixed", "small", "odd") for log in PLANS.glob(f"*/{kind}-*.log"))
        for change, most in (("batch_size=256", 16), ("dtype=fp16", 15), ("release=v1.4.0", 18), ("world_size=16", 8),
                             ("pipeline=train_sparse_dist", 0)):
            wrong, printed = [], 0
            for log in logs:
                done = run("whatif", "-q", "--render", "--set", change, log)
                if done.returncode != 0:
                    continue  # refused
                printed += 1
                if run("verify", "-q", "-", stdin=done.stdout).returncode != 0:
                    wrong.append(str(log.relative_to(PLANS)))
            print(f"{change}: verify finds errors in {len(wrong)} of {printed} prints")
            self.assertLessEqual(len(wrong), most, (change, wrong))

    def test_explain_takes_no_likely_number_for_known(self):
        log, change = "v1.1.0/odd-621.log", "batch_size=777"
        perf = self.ranks_of(log, change)[0]["perf"]["total"]
        steps = block_of("explain", "rank:0", "--set", change, PLANS / log)["explained"][0]["steps"]
        told = next(step for step in steps if step["label"] == "perf of rank 0")
        told = told.get("narrowed", told["value"])
        self.assertLess(perf["high"] - perf["low"], 1.01 * (told["high"] - told["low"]))

    def test_prefetching_is_bounded_by_the_ids(self):
        for log in ("v1.8.0/odd-761.log", "v1.7.0/mixed-201.log"):
            for rank in self.ranks_of(log, "batch_size=3"):
                self.assertLess(rank["perf"]["prefetch_compute"]["high"], 1e4, (log, rank["rank"]))


if __name__ == "__main__":
    unittest.main()
