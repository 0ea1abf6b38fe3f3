"""The trace and the page of `timeline`, as the programs that open them see them."""
import json
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tool import LOGS, run

PHASES = ["input dist", "lookup", "output dist", "dense forward", "dense backward", "gradient dist",
          "embedding backward", "optimizer"]


def outputs(*arguments, log="v1.4.0.log"):
    """The JSON block and the trace events of one run, and the text of the page."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("all.json", "step.trace.json", "step.html")]
        done = run("timeline", *arguments, LOGS / log, *(word for path in paths for word in ("-o", path)))
        assert done.returncode == 0 and done.stdout == b"", done
        texts = [path.read_text() for path in paths]
    return json.loads(texts[0])["logs"][0]["blocks"][0], json.loads(texts[1]), texts[2]


class Timeline(unittest.TestCase):
    def test_phases_follow_from_the_buffers(self):
        block, _, _ = outputs("--activations", "1GiB")
        self.assertEqual(block["activations"], 2**30)
        self.assertIsNone(block["timeline_unknown"])
        self.assertEqual([rank["rank"] for rank in block["timeline"]], [0, 1, 2, 3])
        for rank in block["timeline"]:
            held = {buffer["buffer"]: buffer["bytes"] for buffer in rank["buffers"]}
            for phase in rank["phases"]:
                for kind, total in (("allocates", "allocated"), ("releases", "released")):
                    self.assertTrue(all(held[one["buffer"]] == one["bytes"] for one in phase[kind]))
                    self.assertEqual(sum(one["bytes"]["high"] for one in phase[kind]), phase[total]["high"])
                self.assertLessEqual(phase["memory"]["high"], rank["peak"]["memory"]["high"])
            at_peak = next(p for p in rank["phases"] if p["phase"] == rank["peak"]["phase"])
            self.assertEqual(at_peak["memory"]["high"], rank["peak"]["memory"]["high"])
            self.assertIn("activations", [buffer["buffer"] for buffer in rank["peak"]["buffers"]])

    def test_trace_events(self):
        """What the trace event format asks for, and the same bytes as in JSON."""
        block, trace, _ = outputs()
        events = trace["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(len(names), 4)
        tracks = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
        for event in events:
            self.assertIn(event["ph"], "MXC")
            self.assertIn(event["pid"], names)
            if event["ph"] == "X":
                self.assertIn((event["pid"], event["tid"]), tracks)
                self.assertGreater(event["dur"], 0)
                self.assertLessEqual(event["ts"] + event["dur"], 8000)
        for process, name in names.items():
            rank = next(r for r in block["timeline"] if name.endswith(f"rank {r['rank']}"))
            own = [e for e in events if e["pid"] == process]
            phases = [e for e in own if e["ph"] == "X" and e["tid"] == 1]
            self.assertEqual([e["name"] for e in phases], PHASES)
            self.assertEqual([e["args"]["bytes"] for e in phases], [p["memory"] for p in rank["phases"]])
            counters = [e for e in own if e["ph"] == "C"]
            self.assertEqual([e["ts"] for e in counters], [1000 * p for p in range(8)])
            for at, event in enumerate(counters):
                live = {e["name"]: e["args"]["bytes"]["high"] for e in own
                        if e["ph"] == "X" and e["tid"] > 1 and e["ts"] <= 1000 * at < e["ts"] + e["dur"]}
                self.assertEqual({name: n for name, n in event["args"].items() if n}, live)

    def test_blocks_have_processes_of_their_own(self):
        done = run("timeline", "-f", "trace", "v1.4.0.log", "v1.8.0.log")
        events = json.loads(done.stdout)["traceEvents"]
        processes = [e["pid"] for e in events if e["name"] == "process_name"]
        self.assertEqual(processes, [1, 2, 3, 4, 5, 6])

    def test_page(self):
        _, _, page = outputs("--rank", "1,2")
        self.assertIn("default-src 'none'", page)
        self.assertNotIn("<script", page)
        drawings = [part[:part.index("</svg>") + 6] for part in page.split("<svg")[1:]]
        self.assertEqual(len(drawings), 2)
        for drawing in drawings:
            root = ElementTree.fromstring("<svg" + drawing)
            self.assertGreater(len(root.findall("rect")), 8)
            self.assertTrue(all(float(rect.get("height")) >= 0 for rect in root.findall("rect")))

    def test_names_cannot_make_markup(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "<b>&.log"
            path.write_bytes((LOGS / "v1.4.0.log").read_bytes())
            page = run("timeline", "-f", "html", path).stdout.decode()
        self.assertIn("&lt;b&gt;&amp;.log", page)

    def test_a_log_that_cannot_be_read(self):
        done = run("timeline", "-f", "html", "missing.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn("missing.log", done.stdout.decode())
        done = run("timeline", "-f", "trace", "missing.log")
        self.assertEqual(json.loads(done.stdout)["traceEvents"], [])

    def test_lines_fit(self):
        for log in ("v1.4.0.log", "v1.8.0.log", "v0.5.0.log"):
            for width in (80, 200):
                for extra in ([], ["--ascii"]):
                    text = run("timeline", "-n", "0", log, *extra, env={"COLUMNS": str(width)}).stdout.decode()
                    self.assertLessEqual(max(map(len, text.splitlines())), width, (log, width))
                    if extra:
                        self.assertTrue(text.isascii())


if __name__ == "__main__":
    unittest.main()
