"""`report`: exit status and files, and the page in a real browser (skipped where Chromium or Selenium is missing).

Debian's Selenium belongs to Debian's Python: where this Python lacks it, the tests run in that one.
"""
import importlib.util
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from tool import BINARY, CORPUS, LOGS, block_of, damaged, run

DEBIAN_PYTHON = "/usr/bin/python3"
if importlib.util.find_spec("selenium") is None and os.path.exists(DEBIAN_PYTHON) and sys.executable != DEBIAN_PYTHON:
    os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-B", *sys.argv])

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PUBLIC_LOG = CORPUS / "public" / "sharding_stats_example.txt"
HOSTILE = "<img/src=x/onerror=alert(1)>"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
SLOW = 5  # a busy machine may be so many times slower than the times that are aimed at
OPEN_MS, ANSWER_MS = 2000, 200


def data_of(page: str) -> dict:
    return json.loads(DATA.search(page)[1])


def stretched(value, rows: int):
    """Columns with their rows repeated until there are so many."""
    if isinstance(value, list):
        return (value * (rows // len(value) + 1))[:rows]
    return {key: part if key == "words" else stretched(part, rows) for key, part in value.items()}


def wide_page(page: str, tables: int, ranks: int) -> str:
    """A page of a small log with the data of a plan of that size: row-wise tables on all ranks and some on eight."""
    data = data_of(page)
    block = data["blocks"][0]
    block["table_columns"] = stretched(block["table_columns"], tables)
    block["table_columns"]["name"] = [f"model.sparse.ebc.table_{t}" for t in range(tables)]
    causes = block["rank_columns"].pop("causes")
    block["rank_columns"] = stretched(block["rank_columns"], ranks)
    block["rank_columns"]["rank"] = list(range(ranks))
    block["rank_columns"]["causes"] = {
        mode: [{"name": cause["name"], "bytes": stretched(cause["bytes"], ranks)} for cause in causes[mode]]
        for mode in causes}
    runs = [run for t in range(tables)
            for run in ([(t, 0, ranks)] if t % 4 == 0 else [(t, r, 1) for r in range(t % 32, ranks, 32)])]
    block["runs"] = {"table": [run[0] for run in runs], "rank": [run[1] for run in runs],
                     "ranks": [run[2] for run in runs], "bytes": {"low": [2 ** (t % 33) for t, _, _ in runs]}}
    return page.replace(DATA.search(page)[1], json.dumps(data).replace("<", "\\u003c"))


class Command(unittest.TestCase):
    def page(self, *arguments, status=0, stdin=b""):
        done = run("report", *arguments, stdin=stdin)
        self.assertEqual(done.returncode, status, done.stderr)
        return data_of(done.stdout.decode())

    def test_a_log(self):
        data = self.page("v1.4.0.log")
        self.assertEqual([block["path"] for block in data["blocks"]], ["v1.4.0.log"])
        self.assertEqual(data["errors"], [])
        self.assertIsNone(data["comparison"])

    def test_findings_are_those_of_verify(self):
        log = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")
        findings = self.page(stdin=log)["blocks"][0]["findings"]
        verified = block_of("verify", stdin=log, status=1)["findings"]
        self.assertGreater(len(findings), 0)
        self.assertEqual(findings, verified)

    def test_kernels_of_tables_that_are_not_printed_have_no_number_of_them(self):
        block, = data_of(run("report", "v1.8.0-nodebug.log").stdout.decode())["blocks"]
        self.assertEqual(set(block["kernel_columns"]["tables"]), {None})

    def test_two_logs_are_compared(self):
        comparison = self.page("v1.4.0.log", "v1.8.0.log")["comparison"]
        self.assertEqual((comparison["before"], comparison["after"]), ("v1.4.0.log", "v1.8.0.log"))
        self.assertIsNone(self.page("v1.4.0.log", "v1.8.0.log", "v0.5.0.log")["comparison"])

    def test_a_log_that_cannot_be_read_leaves_the_others(self):
        data = self.page("missing.log", "v1.4.0.log", status=2)
        self.assertEqual([error["path"] for error in data["errors"]], ["missing.log"])
        self.assertEqual(len(data["blocks"]), 1)

    def test_output_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.html"
            done = run("report", "v1.4.0.log", "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            self.assertEqual(len(data_of(path.read_text())["blocks"]), 1)

    def test_not_to_a_terminal(self):
        terminal, end = pty.openpty()
        done = subprocess.run([BINARY, "report", LOGS / "v1.4.0.log"], stdout=end, stderr=subprocess.PIPE, timeout=60)
        os.close(end)
        os.close(terminal)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"-o report.html", done.stderr)


@unittest.skipUnless(CHROMIUM and DRIVER and importlib.util.find_spec("selenium"),
                     "Chromium, its driver or Selenium is missing: the page is not tried in a browser")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.folder.name) / "page.html"

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def open(self, *arguments, status=0, stdin=b""):
        """Opens the page of these logs; how many milliseconds that took."""
        done = run("report", *arguments, "-o", self.page, stdin=stdin)
        self.assertEqual(done.returncode, status, done.stderr)
        return self.reopen()

    def reopen(self):
        begin = time.monotonic()
        self.browser.get(self.page.as_uri())
        return (time.monotonic() - begin) * 1000

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [], "the console is not empty")
        requests = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [r["params"]["request"]["url"] for r in requests if r["method"] == "Network.requestWillBeSent"]
        foreign = [url for url in urls if not url.startswith(("file:", "data:", "chrome:", "about:"))]
        self.assertEqual(foreign, [], "the page asked the network for something")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent", selector)

    def column(self, n):
        return self.script("return [...document.querySelectorAll('#grid tbody tr:not(.spacer)')]"
                           ".map(row => row.children[arguments[0]].textContent)", n)

    def choose(self, identifier, value):
        self.script("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                    "e.dispatchEvent(new Event(e.type === 'search' ? 'input' : 'change'))", identifier, value)

    def press(self, selector, n=0):
        self.script("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, n)

    def drawn(self, identifier):
        """How many different colours are in a canvas."""
        return self.script("""const c = document.getElementById(arguments[0]);
            const copy = document.createElement('canvas');
            copy.width = c.width;
            copy.height = c.height;
            const context = copy.getContext('2d', {willReadFrequently: true});
            context.drawImage(c, 0, 0);
            const d = context.getImageData(0, 0, c.width, c.height).data, colours = new Set();
            for (let i = 0; i < d.length; i += 4) colours.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
            return colours.size""", identifier)

    def milliseconds(self, text, *arguments):
        """How long a script and the frame after it take."""
        return self.browser.execute_async_script(
            "const done = arguments[arguments.length - 1], begin = performance.now();" + text +
            ";requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)))", *arguments)

    def test_it_renders(self):
        self.open("v1.4.0.log")
        self.assertIn("v1.4.0", self.text("#facts"))
        self.assertEqual(self.column(0)[0], "model.position_ebc_weighted.ad_emb")
        for canvas in ("rank-chart", "heat", "waterfall"):
            self.assertGreater(self.drawn(canvas), 3, canvas)
        for mode in ("table", "kernel", "perf", "part"):
            self.choose("rank-mode", mode)
            self.assertGreater(self.drawn("rank-chart"), 3, mode)

    def test_parts_add_up_to_the_whole(self):
        def middle_of(column, i):
            return column["low"][i] + (column["spread"][i] if "spread" in column else 0) / 2

        for log in (LOGS / "v0.3.0.log", LOGS.parent / "planner" / "v1.3.0-tiny.log"):
            self.open(log)
            data = data_of(self.page.read_text())
            block, = data["blocks"]
            for mode in ("part", "table", "kernel"):
                self.choose("rank-mode", mode)
                drawn = self.script("""const {data, options} = Chart.getChart("rank-chart");
                    const unit = 1024 ** ["B", "KiB", "MiB", "GiB"].indexOf(options.scales.y.title.text);
                    return Object.fromEntries(data.labels.map((rank, i) => [rank,
                        data.datasets.filter((d) => d.cause).reduce((sum, d) => sum + d.data[i] * unit, 0)]))""")
                for i, rank in enumerate(block["rank_columns"]["rank"]):
                    self.assertAlmostEqual(drawn[str(rank)], middle_of(block["rank_columns"]["hbm"], i), delta=1)
            data["blocks"][0]["explained"] = []  # else the parts are those of the steps
            self.page.write_text(self.page.read_text().replace(DATA.search(self.page.read_text())[1], json.dumps(data)))
            self.reopen()
            for i, name in enumerate(block["table_columns"]["name"]):
                self.press("#grid tbody tr:not(.spacer)", self.column(0).index(name))
                total, unit = self.script("""const {data, options} = Chart.getChart("waterfall");
                    return [data.datasets[0].data.at(-1)[1], options.scales.y.title.text]""")
                drawn = total * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)
                self.assertAlmostEqual(drawn, middle_of(block["table_columns"]["hbm"], i), delta=1, msg=name)

    def test_filter_and_sort(self):
        self.open("v1.4.0.log")
        self.choose("search", "ad_emb")
        self.assertTrue(all("ad_emb" in name for name in self.column(0)))
        self.assertEqual(self.text("#count"), "1 of 4 rows")
        self.choose("search", "AD_ID tw")
        self.assertEqual(len(self.column(0)), 1)
        self.choose("search", "no such table")
        self.assertEqual(self.column(0), [])
        self.choose("search", "")
        self.press("#grid th button", 0)
        self.assertEqual(self.column(0), sorted(self.column(0)))
        self.press("#grid th button", 0)
        self.assertEqual(self.column(0), sorted(self.column(0), reverse=True))
        self.assertEqual(self.script("return document.querySelector('#grid th').ariaSort"), "descending")
        self.press("#grid th button", 3)
        rows = [int(text.replace(",", "")) for text in self.column(3)]
        self.assertEqual(rows, sorted(rows, reverse=True))

    def test_a_table_is_chosen(self):
        self.open("v1.4.0.log")
        name = self.column(0)[1]
        self.press("#grid tbody tr:not(.spacer)", 1)
        self.assertEqual(self.text("#table-name"), name)
        self.assertIn("HBM of all", self.text("#tree"))
        self.assertIn("ceil(", self.text("#tree"))

    def test_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        self.open("v1.4.0.log")
        grid = self.browser.find_element("id", "grid")
        grid.send_keys(Keys.HOME)
        self.assertEqual(self.text("#table-name"), self.column(0)[0])
        grid.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.text("#table-name"), self.column(0)[1])
        heat = self.browser.find_element("id", "heat")
        heat.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("rank 1:", self.text("#heat-text"))
        self.browser.find_element("css selector", "#tabs [aria-selected=true]").send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.text("#tabs [aria-selected=true]"), "Ranks")
        self.assertEqual(self.column(0), ["0", "1", "2", "3"])

    def test_theme(self):
        self.open("v1.4.0.log")
        colour = "return getComputedStyle(document.body).backgroundColor"
        before = self.script(colour)
        self.press("#theme")
        self.assertNotEqual(self.script(colour), before)
        self.assertGreater(self.drawn("rank-chart"), 3)
        self.press("#theme")
        self.assertEqual(self.script(colour), before)

    def test_the_theme_is_that_of_the_system_at_first(self):
        for theme in ("dark", "light"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": theme}]})
            self.open("v1.4.0.log")
            self.assertEqual(self.script("return document.documentElement.dataset.theme"), theme)

    def test_findings(self):
        self.open(stdin=damaged("v1.4.0.log", "8.941", "5.333", "position_ebc.device_os_ad_id"))
        self.press("#tabs button", 3)
        self.assertIn("explain the storage of 1 of 4 tables", self.text("#detail"))
        at = self.column(1).index("table.storage.hbm")
        self.assertEqual((self.column(0)[at], self.column(3)[at]), ("error", "5.333"))
        self.press("#grid tbody tr:not(.spacer)", at)
        self.assertIn("Suspects: 5.333", self.text("#detail"))

    def test_every_tab(self):
        self.open("v1.4.0.log", "v1.8.0.log")
        tabs = self.script("return [...document.querySelectorAll('#tabs button')].map(b => b.textContent)")
        self.assertEqual(tabs[-3:], ["What changed", "Tables compared", "Ranks compared"])
        for n, tab in enumerate(tabs):
            self.press("#tabs button", n)
            if not tab.startswith("Findings"):
                self.assertGreater(len(self.column(0)), 0, tab)
        self.choose("block", "1")
        self.assertIn("v1.8.0", self.text("#facts"))

    def test_logs_that_print_little(self):
        for log in sorted(LOGS.glob("*.log")):
            with self.subTest(log.name):
                self.open(log.name)
                self.assertEqual(self.script("return document.getElementById('errors').hidden"), True)

    def test_errors_are_shown(self):
        self.open("missing.log", status=2)
        self.assertIn("missing.log", self.text("#errors"))

    def test_names_are_text(self):
        name = "model.position_ebc_weighted.ad_emb"
        log = (LOGS / "v1.4.0.log").read_text().replace(name, HOSTILE.ljust(len(name), "x"))
        self.open(stdin=log.encode())
        self.assertEqual(self.script("return document.querySelectorAll('main img').length"), 0)
        self.assertTrue(any(text.startswith("<img/src") for text in self.column(0)))

    def measure(self, opened):
        search = ("const s = document.getElementById('search'); s.value = arguments[0];"
                  "s.dispatchEvent(new Event('input'))")
        times = {"open": opened, "filter": self.milliseconds(search, "table_1 cw"),
                 "no filter": self.milliseconds(search, "")}
        for column in (0, 7):
            times[f"sort by column {column}"] = self.milliseconds(
                "document.querySelectorAll('#grid th button')[arguments[0]].click()", column)
        times["scroll"] = self.milliseconds("document.getElementById('grid').scrollTop = 20000")
        times["heat map of all tables"] = self.milliseconds(
            "const s = document.getElementById('heat-rows'); s.value = '0'; s.dispatchEvent(new Event('change'))")
        print(self.id(), ", ".join(f"{name} {ms:.0f} ms" for name, ms in times.items()), file=sys.stderr)
        self.assertLess(times.pop("open"), OPEN_MS * SLOW)
        for name, ms in times.items():
            self.assertLess(ms, ANSWER_MS * SLOW, name)

    def test_speed_of_a_wide_plan(self):
        page = run("report", "v1.4.0.log").stdout.decode()
        self.page.write_text(wide_page(page, 2000, 256))
        self.measure(self.reopen())
        self.assertEqual(self.text("#count"), "2,000 rows")

    def test_speed_of_the_public_log(self):
        if not PUBLIC_LOG.exists():
            self.skipTest(f"there is no {PUBLIC_LOG}")
        self.measure(self.open(PUBLIC_LOG))
        self.assertLess(self.page.stat().st_size, 2_000_000 + 200_000, "the data should stay small")


if __name__ == "__main__":
    unittest.main()
