"""The JSON of `stash`, and its text on terminals of all widths."""
import time
import unittest

from tool import CORPUS, LOGS, block_of, run

RATE = ["--bandwidth", "450GB/s", "--window", "60ms", "--activations", "20GiB"]
PUBLIC = CORPUS / "public" / "sharding_stats_example.txt"
ON_HOSTS = CORPUS / "plans" / "v1.4.0" / "mixed-201.log"


def stash(*arguments, log="v1.4.0.log"):
    return block_of("stash", *arguments, log)["stash"]


class Stash(unittest.TestCase):
    def test_bounds_hang_together(self):
        plan = stash(*RATE, "--ranks-per-host", "2")
        self.assertIsNone(plan["unknown"])
        self.assertEqual((plan["bandwidth"], plan["window_ms"], plan["target_hbm"]), (450e9, 60, None))
        self.assertEqual(len(plan["ranks"]), 4)
        for rank in plan["ranks"]:
            self.assertEqual(rank["bytes"]["high"], sum(t["bytes"]["high"] for t in rank["tables"]))
            self.assertLessEqual(rank["bytes"]["high"], 27e9)
            self.assertAlmostEqual(rank["copy_ms"]["high"], rank["bytes"]["high"] / 450e6)
            before, after = ([p["memory"]["high"] for p in rank[when]["phases"]] for when in ("before", "after"))
            for phase, (had, has) in enumerate(zip(before, after)):
                self.assertEqual(had - has, rank["bytes"]["high"] if phase in (3, 4) else 0)
        self.assertEqual([host["host"] for host in plan["hosts"]], [0, 1])
        for host in plan["hosts"]:
            own = [rank["bytes"]["high"] for rank in plan["ranks"] if rank["rank"] // 2 == host["host"]]
            self.assertEqual(host["pinned"]["high"], sum(own))

    def test_no_plan_has_no_numbers(self):
        lines = (LOGS / "v1.4.0.log").read_text().split("\n")
        lost = "\n".join(line for line in lines if "device_os_ad_id  " not in line).encode()
        plan = block_of("stash", *RATE, "-", stdin=lost)["stash"]
        self.assertIn("not every table", plan["unknown"])
        self.assertEqual((plan["peak_before"], plan["peak_after"], plan["ranks"]), (None, None, []))
        plan = block_of("stash", *RATE, "--rank", "4", "v1.4.0.log", "v1.8.0-nodebug.log")["stash"]  # the first has 4 ranks
        self.assertEqual((plan["unknown"], plan["peak_before"], plan["peak_after"], plan["ranks"]), (None, None, None, []))
        block = block_of("timeline", "-", stdin=lost)
        self.assertIn("not every table", block["timeline_unknown"])
        self.assertEqual((block["batches_in_flight"], block["timeline"]), (None, []))

    def test_the_peak_is_that_of_the_timeline(self):
        block = block_of("timeline", "--activations", "20GiB", "v1.4.0.log")
        self.assertEqual([rank["before"] for rank in stash(*RATE)["ranks"]], block["timeline"])

    def test_only_tables_that_are_asked_for(self):
        tables = {t["fqn"] for rank in stash(*RATE, "--table", "device_os|ad_emb")["ranks"] for t in rank["tables"]}
        self.assertEqual(tables, {"model.position_ebc.device_os_ad_id", "model.position_ebc_weighted.ad_emb"})
        tables = {t["fqn"] for rank in stash(*RATE, "--exclude-table", "device_os")["ranks"] for t in rank["tables"]}
        self.assertNotIn("model.position_ebc.device_os_ad_id", tables)
        self.assertTrue(tables)

    def test_only_ranks_that_are_asked_for(self):
        plan = stash(*RATE, "--rank", "1", "--ranks-per-host", "4")
        self.assertEqual([rank["rank"] for rank in plan["ranks"]], [1])
        self.assertGreater(plan["hosts"][0]["pinned"]["high"], plan["ranks"][0]["bytes"]["high"])

    def test_hosts_that_cannot_be(self):
        for count in ("5", "47"):  # of 48 ranks
            done = run("stash", *RATE, "--ranks-per-host", count, "main.log")
            self.assertEqual(done.returncode, 2, count)
            self.assertIn(f"world_size 48 is not a multiple of --ranks-per-host {count}\n".encode(), done.stderr)
        for count in ("0", "1", "8", "48", "96"):
            self.assertEqual(run("stash", *RATE, "--ranks-per-host", count, "main.log").returncode, 0, count)

    def test_one_host_with_room_for_more_ranks(self):
        [four], [eight] = (stash(*RATE, "--ranks-per-host", count)["hosts"] for count in ("4", "8"))
        self.assertEqual(four, eight)

    @unittest.skipUnless(ON_HOSTS.exists(), f"no log at {ON_HOSTS} (SHARDSTATS_SHARED)")
    def test_hosts_that_the_log_denies(self):
        """The log shows 8 ranks a host."""
        warning = b"--ranks-per-host 4, but the log shows 8 ranks a host\n"
        for options, warned in ((("4",), True), (("8",), False), (("0",), False), (("4", "-q"), False),
                                (("4", "--assume", "local_world_size=8"), False)):
            done = run("stash", *RATE, "--ranks-per-host", *options, ON_HOSTS)
            self.assertEqual(done.returncode, 0, options)
            self.assertEqual(warning in done.stderr, warned, options)

    def test_options_that_are_wrong(self):
        for option, value in (("--bandwidth", "450GB"), ("--bandwidth", "0GB/s"), ("--window", "0ms"), ("--window", "60s"),
                              ("--target-hbm", "72G"), ("--ranks-per-host", "-1")):
            done = run("stash", *([] if option == "--bandwidth" else RATE[:2]), option, value, "v1.4.0.log")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option.encode(), done.stderr)

    def test_the_window_of_the_perf_model(self):
        """The shorter of output and gradient dist, which is that of small tables here."""
        for rank in stash(*RATE[:2], "--activations", "20GiB")["ranks"]:
            self.assertEqual(rank["window_ms"], min(rank["output_dist_ms"]["low"], rank["gradient_dist_ms"]["low"]))
            self.assertLessEqual(rank["bytes"]["high"], rank["window_ms"] * 450e6)

    def test_lines_fit(self):
        for log in ("v1.4.0.log", "v1.8.0.log", "v0.5.0.log", "v1.8.0-nodebug.log"):
            for width in (80, 200):
                for extra in ([], ["--ascii"]):
                    text = run("stash", *RATE, "--target-hbm", "20GiB", log, *extra,
                               env={"COLUMNS": str(width)}).stdout.decode()
                    self.assertLessEqual(max(map(len, text.splitlines())), width, (log, width))
                    if extra:
                        self.assertTrue(text.isascii())

    @unittest.skipUnless(PUBLIC.exists(), f"no log at {PUBLIC} (SHARDSTATS_SHARED)")
    def test_a_large_plan(self):
        """Every rank of the public log reaches a target to the byte, soon."""
        start = time.monotonic()
        plan = stash(*RATE, "--target-hbm", "127GiB", log=PUBLIC)
        self.assertLess(time.monotonic() - start, 60)  # 0.1 s alone, 5 s with sanitizers on a busy machine
        self.assertEqual({rank["fits"] for rank in plan["ranks"]}, {"yes"})
        for rank in plan["ranks"]:
            fall = rank["before"]["peak"]["memory"]["high"] - 127 * 2**30
            self.assertGreaterEqual(rank["bytes"]["low"], fall)
            self.assertLessEqual(rank["off_by"], max(rank["bytes"]["high"] - fall, 0))


if __name__ == "__main__":
    unittest.main()
