"""The JSON documents of the real tool against the published schema (schema_version 1)."""
import json
import unittest

from tool import LOGS, damaged, run

WRONG = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")
VERDICTS = {0: "clean", 1: "findings", 2: "failed"}
SEVERITIES = ("error", "warning", "note")
BLOCK = {"index": int, "line": int, "release": dict, "world_size": (int, type(None)), "tables": int,
         "batch_size": (int, type(None)), "sections": list, "assumptions": list}
FINDING = {"rule": str, "severity": str, "line": int, "column": int, "text": str, "table": (str, type(None)),
           "rank": (int, type(None)), "expected": (dict, type(None)), "message": str,
           "known_issue": (str, type(None)), "suspects": list}
SUSPECT = {"line": int, "column": int, "text": str, "reason": str}
CHECK = {"budget": str, "status": str, "value": (dict, str, type(None)), "limit": (int, float, list),
         "pattern": (str, type(None)), "rank": (int, type(None)), "table": (str, type(None)), "line": int, "others": int,
         "message": str}
SHARD = ("rows", "cols", "hbm", "ddr", "ssd", "tensor", "optimizer", "cache_aux", "input", "output", "pipeline_io")


class Contract(unittest.TestCase):
    def fields(self, value, schema, where):
        for name, kind in schema.items():
            self.assertIn(name, value, where)
            self.assertIsInstance(value[name], kind, f"{where}: {name}")

    def bounds(self, pair, where, kind=int):
        self.assertEqual(set(pair), {"low", "high"}, where)
        self.assertIsInstance(pair["low"], kind, where)
        self.assertLessEqual(pair["low"], pair["high"], where)

    def head(self, document, command, status):
        self.assertEqual(document["schema_version"], 1)
        self.assertEqual(document["tool"]["name"], "shardstats")
        self.assertEqual(document["command"], command)
        self.assertEqual(document["verdict"], VERDICTS[status])
        blocks = [block for log in document["logs"] for block in log["blocks"]]
        summary = document["summary"]
        self.assertEqual((summary["logs"], summary["blocks"]), (len(document["logs"]), len(blocks)))
        self.assertEqual(set(summary["findings"]), set(SEVERITIES))
        return blocks

    def block(self, block, where):
        self.fields(block, BLOCK, where)
        self.assertTrue(block["release"]["candidates"])
        self.assertIn("layout", block["release"])
        for one in block["assumptions"]:
            self.assertIn(one["scope"], ("plan", "table", "tables"), where)
            if one["scope"] == "tables":
                self.assertTrue(all(set(v) == {"value", "tables"} for v in one["values"]), where)
                continue
            self.assertIn(one["origin"], ("log", "inferred", "flag", "default"), where)
            self.assertEqual("table" in one, one["scope"] == "table", where)
            self.assertNotIn(one["value"], one["alternatives"], where)
            self.assertIsInstance(one["support"], int, where)

    def finding(self, finding, lines, where):
        self.fields(finding, FINDING, where)
        self.assertIn(finding["severity"], SEVERITIES, where)
        for place in [finding, *finding["suspects"]]:
            start = place["column"] - 1
            text = place["text"].encode()
            self.assertEqual(lines[place["line"] - 1][start:start + len(text)], text, where)
        for suspect in finding["suspects"]:
            self.fields(suspect, SUSPECT, where)
        if finding["expected"]:
            self.assertLessEqual({"unit", "text"}, set(finding["expected"]), where)

    def verify(self, data, where):
        done = run("verify", "-f", "json", stdin=data)
        document = json.loads(done.stdout)
        counted = dict.fromkeys(SEVERITIES, 0)
        for block in self.head(document, "verify", done.returncode):
            self.block(block, where)
            coverage = block["coverage"]
            self.assertEqual(coverage["numbers"], coverage["derived"] + coverage["inputs"] + coverage["unchecked"])
            for finding in block["findings"]:
                counted[finding["severity"]] += 1
                self.finding(finding, data.split(b"\n"), where)
        self.assertEqual(document["summary"]["findings"], counted, where)
        self.assertEqual(done.returncode == 0, counted["error"] == 0, where)

    def test_verify(self):
        for log in LOGS.glob("*.log"):
            self.verify(log.read_bytes(), log.name)
        self.verify(WRONG, "wrong table")
        self.verify(b"INFO: x\n" + WRONG + b"INFO: y\n" + WRONG, "two blocks")
        self.verify(WRONG[:len(WRONG) // 2], "cut off")

    def test_reconstruct(self):
        for log in LOGS.glob("*.log"):
            done = run("reconstruct", "-f", "json", log.name)
            for block in self.head(json.loads(done.stdout), "reconstruct", done.returncode):
                self.block(block, log.name)
                self.reconstruction(block, log.name)

    def reconstruction(self, block, where):
        for table in block["tables_detail"]:
            for shard in table["shards"]:
                for name in SHARD:
                    self.bounds(shard[name], f"{where} {table['fqn']} {name}")
        for rank in block["ranks_detail"]:
            for name in ("hbm", "sparse_hbm", "ddr"):
                self.bounds(rank[name], f"{where} rank {rank['rank']} {name}")
        for one in block["assumptions"]:
            self.assertNotEqual(one["scope"], "tables", where)
        groups = {group["id"] for group in block.get("groups", [])}
        self.assertLessEqual({one["group"] for one in block["assumptions"] if "group" in one}, groups, where)

    def test_ndjson_has_one_block_a_line(self):
        done = run("verify", "-f", "ndjson", "v0.5.0.log", "-", stdin=WRONG + WRONG)
        *documents, total = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(documents), 3)
        for document in documents:
            status = int(document["summary"]["findings"]["error"] > 0)
            self.assertEqual(len(self.head(document, "verify", status)), 1)
        self.assertEqual(set(total), {"summary", "verdict"})
        self.assertEqual((total["summary"]["logs"], total["summary"]["blocks"]), (2, 3))
        self.assertEqual(total["verdict"], "findings")

    def scanned(self, summary):
        """What the summary of a scan has besides, as (clean, with findings, failed, without a block)."""
        self.assertEqual(sum(summary["findings"].values()), sum(rule["findings"] for rule in summary["rules"]))
        for rule in summary["rules"]:
            self.assertEqual(set(rule), {"rule", "severity", "findings"})
            self.assertIn(rule["severity"], SEVERITIES)
        return tuple(summary[name] for name in ("clean", "with_findings", "failed", "without_block"))

    def checks(self, blocks, where):
        counted = dict.fromkeys(("passed", "broken", "undecided"), 0)
        for block in blocks:
            self.block(block, where)
            for check in block["checks"]:
                self.fields(check, CHECK, where)
                counted[check["status"]] += 1
                value = check["value"]
                if isinstance(value, dict):
                    self.assertLessEqual(value["low"], value["high"], where)
                    self.assertIn(value["unit"], ("bytes", "percent", "ms", "count"), where)
                    if value["unit"] in ("bytes", "count"):
                        self.assertIsInstance(value["high"], int, where)
                        self.assertIsInstance(check["limit"], int, where)
        return counted

    def test_check(self):
        config = LOGS.parent / "check.toml"
        for log in LOGS.glob("*.log"):
            done = run("check", "-f", "json", "--config", config, log.name)
            document = json.loads(done.stdout)
            counted = self.checks(self.head(document, "check", done.returncode), log.name)
            self.assertEqual(document["summary"]["checks"], counted, log.name)
            self.assertEqual(document["summary"]["findings"],
                             {"error": counted["broken"], "warning": counted["undecided"], "note": 0}, log.name)
        *documents, total = map(json.loads, run("check", "-f", "ndjson", "--max-hbm", "5GiB", "v1.4.0.log",
                                                "v0.1.0.log").stdout.splitlines())
        self.assertEqual([d["summary"]["checks"]["broken"] for d in documents], [1, 0])
        self.assertEqual(total["summary"]["checks"], {"passed": 1, "broken": 1, "undecided": 0})

    def test_scan(self):
        done = run("scan", "-f", "json", ".", "missing.log", "-", stdin=WRONG)
        document = json.loads(done.stdout)
        logs = sorted(f"./{log.name}" for log in LOGS.glob("*.log"))
        self.assertEqual([log["path"] for log in document["logs"]], logs + ["missing.log", "<stdin>"])
        for block in self.head(document, "scan", 2):
            self.block(block, "scan")
            self.assertIn("unchecked", block["coverage"])
            for finding in block["findings"]:
                self.fields(finding, FINDING, "scan")
        self.assertIn("message", document["logs"][-2]["error"])
        self.assertEqual(self.scanned(document["summary"]),
                         (len(logs), 1, 1, len(list(LOGS.iterdir())) - len(logs)))

    def test_scan_as_ndjson(self):
        done = run("scan", "-f", "ndjson", "v0.1.0.log", "missing.log", "*.json", "-", stdin=WRONG + WRONG)
        *documents, total = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual([(document["logs"][0]["path"], document["verdict"]) for document in documents],
                         [("v0.1.0.log", "clean"), ("missing.log", "failed"), ("<stdin>", "findings"),
                          ("<stdin>", "findings")])
        for document in documents:
            self.assertEqual(set(document["summary"]), {"logs", "blocks", "findings"})
        self.assertEqual(set(total), {"summary", "verdict"})
        self.assertEqual((total["summary"]["logs"], total["summary"]["blocks"], total["verdict"]), (3, 3, "failed"))
        self.assertEqual(self.scanned(total["summary"]), (1, 1, 1, len(list(LOGS.glob("*.json")))))

    def test_failures_are_documents_too(self):
        for command in (["verify"], ["reconstruct"], ["explain", "plan"]):
            done = run(*command, "-f", "json", "missing.log", "v1.4.0.log")
            document = json.loads(done.stdout)
            self.assertEqual(len(self.head(document, command[0], 2)), 1)
            self.assertEqual(document["logs"][0]["blocks"], [])
            self.assertIn("message", document["logs"][0]["error"])
            self.assertIn("line", document["logs"][0]["error"])

    def test_the_first_of_two_errors(self):
        log = (LOGS / "v0.1.0.log").read_bytes()
        done = run("whatif", "--set", "batch_size=64", "-f", "json", stdin=log + log)
        error = json.loads(done.stdout)["logs"][0]["error"]
        self.assertEqual(done.stderr.decode().count("cannot be rebuilt"), 2)
        self.assertEqual(error["line"], 1)

    def test_text_that_is_no_utf8(self):
        document = json.loads(run("verify", "-f", "json", stdin=WRONG.replace(b"device_os_ad_id", b"device\xff\xfes_ad_id")).stdout)
        self.assertIn("\ufffd", document["logs"][0]["blocks"][0]["findings"][0]["table"])

    def test_rules(self):
        done = run("rules", "-f", "json")
        document = json.loads(done.stdout)
        self.head(document, "rules", done.returncode)
        ids = [rule["id"] for rule in document["rules"]]
        self.assertEqual(len(ids), len(set(ids)))
        for rule in document["rules"]:
            self.assertLessEqual({"id", "severity", "title", "compares", "formula", "since", "until", "reference"}, set(rule))


if __name__ == "__main__":
    unittest.main()
