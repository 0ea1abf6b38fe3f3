"""The machine formats of the real tool, each read by what reads it elsewhere: SARIF by its published schema, JUnit XML by
xmllint, CSV by csv and sqlite3, Markdown by markdown-it, annotations by the grammar of workflow commands."""
import csv
import html
import io
import json
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote

from tool import LOGS, ROOT, damaged, run, sampled

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    from markdown_it import MarkdownIt
except ImportError:
    MarkdownIt = None

SCHEMAS = ROOT / "testdata" / "schemas"
DOCS = (ROOT / "docs" / "formats.md").read_text()
NAME = "model.position_ebc.device_os_ad_id"
WRONG = damaged("v1.4.0.log", "8.941", "8.945", NAME)
# As many characters as NAME, and no blank, which would end the cell; a stray byte counts as one.
HOSTILE_NAME = b'=a,"b|c`d``<script>::e%0A@f&*_[](x)'[:len(NAME) - 5] + b"\x01\xff\x7f\xc3\xbc\\"
assert len(HOSTILE_NAME) == len(NAME) + 1  # one character of two bytes
HOSTILE = WRONG.replace(NAME.encode(), HOSTILE_NAME)  # a second error: the top tables have its old name
FAR = "😀ü ".encode()  # in front of every line: 4 + 2 + 1 bytes, 2 + 1 + 1 UTF-16 units
LOG_NAME = "a b,c|d`e`<f>::%@g&\"h.log"
INPUTS = {"wrong.log": WRONG, "good.log": (LOGS / "v1.8.0.log").read_bytes(), LOG_NAME: HOSTILE,
          "two.log": WRONG + b"step\n" + HOSTILE, "far.log": b"".join(FAR + line for line in WRONG.splitlines(True)),
          "empty.log": b"", "nodebug.log": (LOGS / "v1.8.0-nodebug.log").read_bytes(),
          "oldest.log": (LOGS / "v0.1.0.log").read_bytes()}


def utf16(data: bytes) -> bytes:
    return data.decode(errors="replace").encode("utf-16-le")


CHECK = ["check", "--max-hbm", "2GiB", "--max-critical-path", "1", "--max-imbalance", "100%"]
# How each command is called, without its logs.
COMMANDS = {"summary": [], "verify": [], "scan": [], "check": ["--max-hbm", "2GiB", "--max-critical-path", "1",
            "--max-table-hbm", "1GB", "--config", str(ROOT / "testdata" / "check.toml")],
            "diff": ["--fail-on-increase", "3%"], "explain": ["plan"], "whatif": ["--set", "batch_size=64"], "reconstruct": [], "timeline": [], "stash": ["--bandwidth", "450GB/s"], "rules": []}


def formats_of(command) -> dict:
    """The extensions of each format that the help of a command lists."""
    output = run(command, "--help").stdout.decode()
    if "Formats, and" not in output:
        return {"html": [".html"]} if command == "report" else {"text": [".txt"]}
    lines = re.sub(r"\n {8,}", " ", output.split("Formats, and")[1].split("\n\n")[0]).splitlines()[1:]
    return {line.split()[0]: re.findall(r"(?<=[; ])\.[a-z.]+", line) for line in lines}


class Formats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, data in INPUTS.items():
            (self.folder / name).write_bytes(data)

    def out(self, *arguments, status=None):
        done = run(*arguments, cwd=self.folder)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode()  # strictly UTF-8

    def findings(self, command="verify"):
        """(log, block, finding) of all inputs, from JSON."""
        document = json.loads(self.out(command, "-f", "json", *INPUTS))
        return [(log["path"], block["index"] + 1, finding) for log in document["logs"] for block in log["blocks"]
                for finding in block["findings"]]

    def test_documented(self):
        """The table of commands and formats is that of the help."""
        header, _, *rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]]
                            for line in DOCS.split("## Commands")[1].split("\n\n")[1].splitlines()]
        matrix = {row[0]: {name for name, mark in zip(header[1:], row[1:]) if mark} for row in rows}
        self.assertEqual(set(matrix), set(COMMANDS) | {"render", "anonymize", "report"})
        for command, formats in matrix.items():
            self.assertEqual(formats, set(formats_of(command)), command)
        for extensions in formats_of("verify").values():
            for extension in extensions:
                self.assertIn(f"`{extension}`", DOCS)

    def test_every_command_and_format(self):
        """All logs of testdata and hostile ones come out valid, whatever the command and the format."""
        logs = [LOGS / log.name for log in sorted(LOGS.glob("*.log"))] + ["wrong.log", "far.log", LOG_NAME, "two.log"]
        inputs = {"rules": [[]], "diff": list(zip(logs, logs[1:] + logs[:1]))}
        cases = [(command, format, words) for command in COMMANDS for format in formats_of(command)
                 for words in sampled(inputs.get(command, [[log] for log in logs]))]
        for command, format, words in cases:
            with self.subTest(command=command, format=format, logs=words):
                done = run(command, *COMMANDS[command], "-f", format, *words, cwd=self.folder)
                if b"no limit can be checked" in done.stderr:  # of an empty plan
                    self.assertEqual((command, done.returncode), ("diff", 2))
                else:
                    refused = b"this log cannot be rebuilt" in done.stderr  # by whatif
                    self.assertIn(done.returncode, (2,) if refused else (0, 1), done.stderr)
                    if refused and format == "text":  # standard error has it
                        self.assertEqual(done.stdout, b"")
                        continue
                self.valid(format, done.stdout)

    def test_failed_logs_in_every_format(self):
        for command, arguments in COMMANDS.items():
            if command == "rules":
                continue
            for format in formats_of(command):
                with self.subTest(command=command, format=format):
                    done = run(command, *arguments, "-f", format, "empty.log", "good.log", cwd=self.folder)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    if (command, format) != ("diff", "text"):
                        self.valid(format, done.stdout)

    # A pipeline that reads the document alone has to see that the job was not done.
    def test_errors_of_the_run_in_every_format(self):
        wrong = ["--assume", "nosuch.dtype=fp16"]
        message = "--assume nosuch.dtype: no block has a table 'nosuch'"
        for command in ("verify", "scan", "check"):
            for format in set(formats_of(command)) - {"text"}:
                with self.subTest(command=command, format=format):
                    text = self.out(command, *COMMANDS[command], "-f", format, *wrong, "good.log", status=2)
                    self.valid(format, text.encode())
                    self.assertIn(message, html.unescape(text).replace("\\", ""))
        for command, logs in {"reconstruct": ["good.log"], "diff": ["good.log", "good.log"]}.items():
            document = json.loads(self.out(command, "-f", "json", *wrong, *logs, status=2))
            self.assertEqual((document["errors"], document["verdict"]), ([message], "failed"))
        (self.folder / "bare").mkdir()
        document = json.loads(self.out("scan", "-f", "json", "bare", status=2))
        self.assertIn("no file found", document["errors"][0])

    def valid(self, format, output):
        if format == "text":
            self.assertTrue(output)
            return
        text = output.decode()  # strictly UTF-8
        if format != "json" and format != "ndjson":
            self.assertNotRegex(text, r"(?<![\w.-])-0(\.0+)?(?![\w.])|\bnan\b")
        if format == "json":
            json.loads(text)
        elif format == "ndjson":
            for line in text.splitlines():
                json.loads(line)
        elif format == "csv":
            self.rows(text)
        elif format == "markdown":
            if MarkdownIt is not None:
                self.markdown(text)
        elif format == "sarif":
            self.valid_sarif(json.loads(text))
        elif format == "junit":
            (self.folder / "r.xml").write_bytes(output)
            self.valid_junit()
        elif format == "html":
            self.assertTrue(text.endswith("</html>\n"))
        elif format == "trace":
            json.loads(text)
        else:
            self.assertTrue(self.annotations(text))

    def test_extensions(self):
        names = {"r.json": "json", "r.jsonl": "ndjson", "r.csv": "csv", "r.md": "markdown", "r.sarif": "sarif",
                 "r.sarif.json": "sarif", "r.xml": "junit", "r.txt": "text", "r.other": "github"}
        outputs = [word for name in names for word in ("-o", name)]
        done = run("verify", "-f", "github", *outputs, "-o", "-", "wrong.log", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        for name, format in names.items():
            alone = run("verify", "-f", format, "wrong.log", cwd=self.folder).stdout
            if format != "text":
                self.assertEqual((self.folder / name).read_bytes(), alone, name)
        self.assertEqual(done.stdout, (self.folder / "r.other").read_bytes())
        self.assertIn(b"has no format sarif", run("explain", "plan", "-o", "x.sarif", "wrong.log", cwd=self.folder).stderr)
        self.assertFalse((self.folder / "x.sarif").exists())

    def test_threads_change_nothing(self):
        (self.folder / "many.log").write_bytes((WRONG + HOSTILE) * 5)
        for format in ("csv", "markdown", "sarif", "junit", "github"):
            one, four = (self.out("verify", "-f", format, "--threads", n, "many.log", *INPUTS) for n in (1, 4))
            self.assertEqual(one, four, format)

    # CSV

    def rows(self, text, keys=frozenset()):
        self.assertTrue(text.endswith("\r\n"))
        self.assertNotRegex(text.replace("\r\n", ""), r"[\x00-\x1f\x7f]")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        for column in set(rows[0]) - keys:
            self.assertIn(f"`{column.removesuffix('_low').removesuffix('_high')}", DOCS, "is not documented")
        return [dict(zip(rows[0], row)) for row in rows[1:]]

    def test_csv_of_findings(self):
        for command in ("verify", "scan"):
            rows = self.rows(self.out(command, "-f", "csv", *INPUTS, status=2))
            failed = [row for row in rows if row["severity"] == "failed"]
            self.assertEqual([row["log"] for row in failed], ["empty.log"])
            self.assertIn("no planner block", failed[0]["message"])
            rows = [row for row in rows if row["severity"] != "failed"]
            self.assertEqual([(r["log"], int(r["block"]), int(r["line"]), int(r["column"]), r["severity"], r["rule"])
                              for r in rows],
                             [(log, block, f["line"], f["column"], f["severity"], f["rule"])
                              for log, block, f in self.findings(command)])
        wrong = next(row for row in rows if row["rule"] == "table.storage.hbm")
        self.assertEqual((wrong["table"], wrong["text"], wrong["expected"], wrong["unit"]),
                         (NAME, "8.945", "8.941", "bytes"))
        self.assertLessEqual(int(wrong["expected_low"]), int(wrong["expected_high"]))
        hostile = next(row for row in rows if row["log"] == LOG_NAME and row["rule"] == "table.storage.hbm")
        self.assertEqual(hostile["table"], '=a,"b|c`d``<script>::e%0A@f&*\ufffd\ufffd\ufffdü\\')

    def test_csv_of_shards(self):
        rows = self.rows(self.out("reconstruct", "-f", "csv", "wrong.log", LOG_NAME, status=0))
        document = json.loads(self.out("reconstruct", "-f", "json", "wrong.log", LOG_NAME))
        shards = [shard for log in document["logs"] for block in log["blocks"] for table in block["tables_detail"]
                  for shard in table["shards"]]
        self.assertEqual(len(rows), len(shards))
        for row, shard in zip(rows, shards):
            self.assertEqual((int(row["shard"]), int(row["rank"])), (shard["index"], shard["rank"]))
            for column, field in {"hbm": "hbm", "ddr": "ddr", "shard_rows": "rows", "optimizer_state": "optimizer",
                                  "pipeline_io": "pipeline_io"}.items():
                self.assertEqual((int(row[column + "_low"]), int(row[column + "_high"])),
                                 (shard[field]["low"], shard[field]["high"]), column)
            self.assertEqual(float(row["perf_total_high"]), shard["perf"]["total"]["high"])

    def checks(self, *logs):
        """(log, result) of each budget, from JSON."""
        document = json.loads(self.out(*CHECK, "-f", "json", *logs))
        return [(log["path"], check) for log in document["logs"] for block in log["blocks"] for check in block["checks"]]

    def test_csv_of_budgets(self):
        rows = self.rows(self.out(*CHECK, "-f", "csv", "good.log", LOG_NAME, "empty.log", status=2))
        self.assertEqual([rows[-1]["log"], rows[-1]["status"]], ["empty.log", "failed"])
        checks = self.checks("good.log", LOG_NAME)
        self.assertEqual(len(rows) - 1, len(checks))
        for row, (log, check) in zip(rows, checks):
            self.assertEqual((row["log"], row["budget"], row["status"], int(row["line"])),
                             (log, check["budget"], check["status"], check["line"]))
            if isinstance(check["value"], dict):
                self.assertEqual((float(row["value_low"]), float(row["value_high"]), row["unit"], float(row["limit"])),
                                 (check["value"]["low"], check["value"]["high"], check["value"]["unit"], check["limit"]))

    def test_junit_of_budgets(self):
        for strict, elements in ((), {"broken": "failure", "undecided": "skipped"}), \
                (("--strict",), {"broken": "failure", "undecided": "failure"}):
            suite, = self.junit(*CHECK, *strict, "nodebug.log")
            cases = suite.findall("testcase")
            checks = self.checks("nodebug.log")
            self.assertLessEqual({"broken", "undecided"}, {check["status"] for _, check in checks})
            for case, (_, check) in zip(cases, checks, strict=True):
                self.assertEqual([child.tag for child in case],
                                 [elements[check["status"]]] if check["status"] in elements else [])

    def test_csv_of_diff(self):
        arguments = ["diff", "wrong.log", "good.log"]
        rows = self.rows(self.out(*arguments, "-f", "csv", status=0))
        diff = json.loads(self.out(*arguments, "-f", "json"))["diff"]
        by_key = {(row["what"], row["name"], row["field"]): row for row in rows}
        self.assertEqual(len(by_key), len(rows))
        for name, number in [("largest_hbm", diff["largest_hbm"]), *diff["plan"].items()]:
            row = by_key.get(("plan", "", name))
            self.assertEqual(row is not None, number["changed"], name)
            if row:
                self.assertEqual(float(row["change_low"]), number["change"]["low"])
        for rank in diff["ranks"]:
            self.assertIn(("rank", str(rank["rank"]), "hbm"), by_key)
        dropped = next(table["fqn"] for table in diff["tables"] if table["presence"] == "dropped")
        self.assertEqual(by_key["table", dropped, "hbm"]["after_low"], "")

    def test_csv_of_sweeps(self):
        arguments = ["whatif", "--set", "ad_emb.sharding=CW,DP", LOGS / "v1.4.0.log", LOGS / "v1.4.0.log"]
        rows = self.rows(self.out(*arguments, "-f", "csv", status=0), keys={"ad_emb.sharding"})
        document = json.loads(self.out(*arguments, "-f", "json"))
        points = []
        for log in document["logs"]:
            sweep = log["blocks"][0]["sweep"]
            points += [sweep["base"] | {"values": {"ad_emb.sharding": "(as logged)"}}, *sweep["points"]]
        self.assertEqual([row["refused"] for row in rows], [point.get("refused", "") for point in points])
        self.assertTrue(any(row["refused"] for row in rows))
        for row, point in zip(rows, points):
            self.assertEqual(row["ad_emb.sharding"], point["values"]["ad_emb.sharding"])
            for column in ("hbm", "headroom", "perf") if "hbm" in point else ():
                self.assertEqual([float(row[column + end]) for end in ("_low", "_high")],
                                 [point[column]["low"], point[column]["high"]])

    def test_csv_of_rules(self):
        rows = self.rows(self.out("rules", "-f", "csv", status=0))
        self.assertEqual([row["id"] for row in rows],
                         [rule["id"] for rule in json.loads(self.out("rules", "-f", "json"))["rules"]])

    @unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
    def test_csv_in_sqlite(self):
        self.out("verify", "-o", "r.csv", *INPUTS)
        done = subprocess.run(["sqlite3", ":memory:", "-cmd", ".import --csv r.csv t",
                               "select count(*), sum(severity = 'error'), max(hint like '%\r') from t"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        findings = self.findings()
        errors = sum(finding["severity"] == "error" for *_, finding in findings)
        self.assertEqual(done.stdout.strip(), f"{len(findings) + 1}|{errors}|0")

    # SARIF

    def sarif(self, *arguments):
        document = json.loads(self.out("verify", "-f", "sarif", *arguments))
        self.valid_sarif(document)
        return document["runs"][0]

    def valid_sarif(self, document):
        if jsonschema is not None:
            schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text())
            jsonschema.Draft4Validator(schema).validate(document)

    def test_sarif_of_budgets(self):
        run_ = json.loads(self.out(*CHECK, "-f", "sarif", "good.log", "wrong.log", status=1))["runs"][0]
        checks = self.checks("good.log", "wrong.log")
        self.assertEqual([(r["ruleId"], r["level"]) for r in run_["results"]],
                         [("budget." + c["budget"], "error" if c["status"] == "broken" else "warning") for _, c in checks
                          if c["status"] != "passed"])

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_sarif_against_the_schema(self):
        rules = self.sarif(*INPUTS)["tool"]["driver"]["rules"]
        self.assertEqual([rule["id"] for rule in rules],
                         [rule["id"] for rule in json.loads(self.out("rules", "-f", "json"))["rules"]])
        self.sarif("good.log")
        self.sarif("empty.log")

    def test_sarif_results(self):
        sarif = self.sarif(*INPUTS)
        rules, results, findings = sarif["tool"]["driver"]["rules"], sarif["results"], self.findings()
        self.assertEqual(len(results), len(findings))
        for result, (path, block, finding) in zip(results, findings):
            self.assertEqual(rules[result["ruleIndex"]]["id"], finding["rule"])
            self.assertEqual((result["ruleId"], result["level"]), (finding["rule"], finding["severity"]))
            self.assertEqual(result["properties"]["block"], block)
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(unquote(place["artifactLocation"]["uri"]), path)
            self.assertNotRegex(place["artifactLocation"]["uri"], r'[ "<>|`]')
            self.assertEqual(place["region"]["startLine"], finding["line"])
        prints = [r["partialFingerprints"]["finding/v1"] for r in results
                  if r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "two.log"]
        self.assertEqual(len(prints), len(set(prints)))

    def test_sarif_columns_are_utf16_units(self):
        for name in ("wrong.log", "far.log", LOG_NAME):
            lines = INPUTS[name].split(b"\n")
            sarif = self.sarif(name)
            self.assertEqual(sarif["columnKind"], "utf16CodeUnits")
            checked = 0
            for result in sarif["results"]:
                region = result["locations"][0]["physicalLocation"]["region"]
                if result["ruleId"] == "log.prefix":  # stands at the prefix, and its text is the border behind it
                    self.assertNotIn("endColumn", region)
                    continue
                units = utf16(lines[region["startLine"] - 1])
                start, end = 2 * (region["startColumn"] - 1), 2 * (region["endColumn"] - 1)
                self.assertEqual(units[start:end], utf16(result["properties"]["text"].encode()), name)
                checked += 1
            self.assertGreaterEqual(checked, 2, name)

    def test_sarif_fingerprints_do_not_move(self):
        (self.folder / "moved.log").write_bytes(b"epoch\n" * 7 + WRONG)
        before, after = ([r["partialFingerprints"] for r in self.sarif(name)["results"]]
                         for name in ("wrong.log", "moved.log"))
        self.assertEqual(before, after)

    def test_sarif_invocation(self):
        self.assertEqual(self.sarif("good.log")["invocations"], [{"executionSuccessful": True, "exitCode": 0}])
        self.assertEqual(self.sarif("wrong.log")["invocations"][0]["exitCode"], 1)
        self.assertEqual(self.sarif("wrong.log", "--exit-zero")["invocations"][0]["exitCode"], 0)
        failed = self.sarif("empty.log")["invocations"][0]
        self.assertEqual((failed["executionSuccessful"], failed["exitCode"]), (False, 2))
        self.assertIn("no planner block", failed["toolExecutionNotifications"][0]["message"]["text"])

    def test_sarif_paths(self):
        def uri(path):
            return self.sarif(path)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(uri("./wrong.log"), "wrong.log")
        self.assertEqual(uri(self.folder.resolve() / "wrong.log"), "wrong.log")
        with tempfile.TemporaryDirectory() as other:
            path = Path(other, "x y.log")
            path.write_bytes(WRONG)
            self.assertEqual(uri(path), "file://" + str(path).replace(" ", "%20"))

    # JUnit

    def junit(self, *arguments):
        self.out(*arguments, "-o", "r.xml")
        return self.valid_junit()

    def valid_junit(self):
        if shutil.which("xmllint"):
            done = subprocess.run(["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd", "r.xml"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        suites = list(ElementTree.parse(self.folder / "r.xml").getroot())
        for suite in suites:
            for attribute, path in {"tests": "testcase", "failures": "testcase/failure",
                                    "errors": "testcase/error", "skipped": "testcase/skipped"}.items():
                self.assertEqual(int(suite.get(attribute)), len(suite.findall(path)))
        return suites

    @unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed")
    def test_junit_against_the_schema(self):
        self.assertEqual(len(self.junit("verify", *INPUTS)), len(INPUTS) + 1)  # two.log has two blocks
        self.junit("scan", ".")

    def test_junit_cases(self):
        good, wrong, hostile, empty = self.junit("verify", "good.log", "wrong.log", LOG_NAME, "empty.log")
        self.assertEqual([case.get("name") for case in wrong.findall("testcase[failure]")], ["table.storage.hbm"])
        failure = wrong.find("testcase/failure")
        self.assertIn("8.945 GB, the formulas give 8.941 GB", failure.get("message"))
        self.assertIn("wrong.log:22:114: error", failure.text)
        self.assertIn("note tiers.ranks", wrong.find("system-out").text)
        self.assertFalse(good.findall("testcase/failure"))
        self.assertIn("<script>::", hostile.find("testcase/failure").text)
        self.assertIn("no planner block", empty.find("testcase/error").get("message"))
        notes = self.junit("verify", "--fail-on", "note", "wrong.log")[0]
        self.assertEqual([case.get("name") for case in notes.findall("testcase[failure]")],
                         ["table.storage.hbm", "tiers.ranks"])

    def test_junit_has_what_was_checked(self):
        def names(*arguments):
            return {case.get("name") for case in self.junit("verify", *arguments)[0].findall("testcase")}
        everything = names("wrong.log")
        self.assertLess({"table.storage.hbm", "rank.hbm", "imbalance.hbm", "log.prefix"}, everything)
        self.assertNotIn("table.storage.ssd", everything)  # not printed by v1.4.0
        self.assertEqual(names("--select", "table.storage", "wrong.log"), {"table.storage.hbm", "table.storage.ddr"})
        self.assertEqual({n.split(".")[0] for n in names("--table", "ad_emb", "wrong.log")}, {"table", "log"})
        self.assertFalse({n for n in names("oldest.log") if n.startswith("table.")})

    # Annotations

    COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\r\n]*)(?:,[a-zA-Z]+=[^,:\r\n]*)*)::([^\r\n]*)")

    def annotations(self, text):
        """(command, properties, message) of each, and the lines that are none."""
        def unescaped(value):
            return re.sub("%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), value)
        found, others = [], []
        for line in text.splitlines():
            match = self.COMMAND.fullmatch(line)
            self.assertEqual(bool(match), line.startswith("::"), line)
            if match:
                properties = dict(part.split("=", 1) for part in match[2].split(","))
                found.append((match[1], {k: unescaped(v) for k, v in properties.items()}, unescaped(match[3])))
            else:
                others.append(line)
        return found, others

    def test_annotations(self):
        found, others = self.annotations(self.out("verify", "-f", "github", LOG_NAME, "wrong.log", status=1))
        self.assertEqual([command for command, *_ in found], ["error"] * 3 + ["notice"] * 4)
        command, properties, message = found[0]
        self.assertEqual(properties, {"file": LOG_NAME, "line": "22", "col": "115", "title": "table.storage.hbm"})
        self.assertIn("::e%0A@f", message)
        self.assertEqual(others, ["findings: 3 errors and 4 notes in 2 blocks of 2 logs"])

    def test_the_worst_annotations(self):
        (self.folder / "many.log").write_bytes(WRONG * 12)
        found, others = self.annotations(self.out("scan", "-f", "github", "many.log", "empty.log", status=2))
        self.assertEqual([command for command, *_ in found], ["error"] * 10 + ["notice"])
        self.assertEqual(found[0][1], {"file": "empty.log", "title": "cannot be read"})
        self.assertEqual(found[-1][2], "and 3 errors and 24 notes more")
        self.assertEqual(others, ["failed: 12 errors and 24 notes in 12 blocks of 2 logs"])

    # Markdown

    def markdown(self, text):
        """Rows of each table; nothing of the log may have become markup."""
        self.assertLessEqual(len(text.encode()), 65_536)
        if MarkdownIt is None:
            self.skipTest("python3-markdown-it is not installed")
        tables = []
        cells = 0
        for token in MarkdownIt("commonmark").enable("table").parse(text):
            self.assertNotIn(token.type, ("html_block", "link_open"))
            if token.type == "table_open":
                tables.append([])
            elif token.type == "tr_open":
                cells = 0
            elif token.type in ("td_open", "th_open"):
                cells += 1
            elif token.type == "tr_close":
                tables[-1].append(cells)
            for child in token.children or []:
                self.assertNotIn(child.type, ("html_inline", "link_open", "image", "strong_open", "em_open"))
        for table in tables:
            self.assertEqual(len(set(table)), 1, "a row is broken")
        return [len(table) - 1 for table in tables]

    def test_markdown_of_findings(self):
        for command in ("verify", "scan"):
            text = self.out(command, "-f", "markdown", *INPUTS, status=2)
            self.assertEqual(self.markdown(text), [len(self.findings()), len(INPUTS)])  # one is empty, one has two
            self.assertIn("- `empty.log`: no planner block found", text)
            severities = re.findall("^\\| (error|warning|note) ", text, re.M)
            self.assertEqual(severities, sorted(severities, key=("error", "warning", "note").index))

    def test_markdown_fits(self):
        (self.folder / "many.log").write_bytes((WRONG + HOSTILE) * 150)
        text = self.out("verify", "-f", "markdown", "many.log", status=1)
        findings, blocks = self.markdown(text)
        rest = {word: int(count.replace(",", "")) for count, word in re.findall("and ([0-9,]+) more ([a-z]+?)s?\n", text)}
        self.assertEqual(findings + rest["finding"], 7 * 150)
        self.assertEqual(blocks + rest.get("block", 0), 300)
        self.assertTrue(text.splitlines()[6].startswith("| error "))

    def test_markdown_of_plans(self):
        text = self.out("reconstruct", "-f", "markdown", "good.log", LOG_NAME, status=0)
        self.assertEqual(self.markdown(text), [6, 2, 4, 4])
        (self.folder / "many.log").write_bytes(HOSTILE * 100)
        text = self.out("reconstruct", "-f", "markdown", "many.log", status=0)
        self.assertEqual(len(self.markdown(text)) / 2 + int(re.search("and ([0-9]+) more parts", text)[1]), 100)

    def test_markdown_of_steps(self):
        text = self.out("explain", "plan", "-f", "markdown", "good.log", status=0)
        self.assertEqual(self.markdown(text), [])
        self.assertIn("### `plan`", text)
        self.assertIn("\n```text\n", text)
        self.markdown(self.out("explain", "*", "-f", "markdown", *(["two.log"] * 20), status=0))

    def test_step_summary(self):
        done = run("verify", "--step-summary", "wrong.log", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"GITHUB_STEP_SUMMARY", done.stderr)
        summary = self.folder / "summary.md"
        summary.write_text("before\n\n")
        env = {"GITHUB_STEP_SUMMARY": str(summary)}
        done = run("verify", "-f", "github", "--step-summary", "wrong.log", cwd=self.folder, env=env)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith(b"::error "))
        first = summary.read_text()
        self.assertEqual(first, "before\n\n" + self.out("verify", "-f", "markdown", "wrong.log"))
        run("scan", "--step-summary", "-o", "r.csv", "good.log", cwd=self.folder, env=env)
        self.assertEqual(self.markdown(summary.read_text()), [3, 1, 1])  # good.log has no findings
        for command, *arguments in (CHECK, ["summary"], ["diff", "wrong.log"], ["explain", "plan"], ["reconstruct"]):
            summary.unlink()
            run(command, *arguments, "--step-summary", "-f", "json", "good.log", cwd=self.folder, env=env)
            self.assertEqual(summary.read_text(), self.out(command, *arguments, "-f", "markdown", "good.log"))


if __name__ == "__main__":
    unittest.main()
