"""Every command that README.md and docs/*.md show is run, and what they show of its output is compared.

A command is an indented line that begins with `$ `; what follows it, up to the next one or the end of the block, is its
output, in which `...` stands for anything. It has to succeed, unless it ends in `# exit status N`. Lines of other blocks
(YAML, scripts) that begin with `shardstats` are run as well; they may find something.
The commands of a document run one after the other in a folder of its own, see prepare().

`scripts/update_golden` writes docs/rules.md anew.
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tool import BINARY, LOGS, ROOT, damaged, run

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RULES = ROOT / "docs" / "rules.md"
REFERENCE = ROOT / "docs" / "reference"
CITED = re.compile(r"(log-format|storage-model|perf-model)\.md(?:,? sections? ([\d.]+(?:(?:, | and | to )[\d.]+)*)|,? Q(\d+))")
WRONG = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")
OPTIONAL = ("jq", "sqlite3", "man")  # a command is skipped where its tool is not installed
STUBS = {  # programs of the reader's own: what they print
    "kubectl": "cat train.log",
    "python": "cat train.log",
    "gh": "cat > comment.md",
    "pre-commit": "true",
}
IN_SCRIPT = re.compile(r"^(?:- )?(?:run: |sh ')?(shardstats .*?)'?$")


def prepare(folder):
    """The files that the documents name."""
    for name, log in {"train.log": "v1.4.0.log", "base.log": "v1.4.0.log", "new.log": "v1.8.0.log", "old.log": "v0.5.0.log",
                      "plan.log": "v1.4.0.log", "runs/9/rank0.log": "v1.8.0.log"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(LOGS / log, path)
    (folder / "train.log.gz").write_bytes(gzip.compress((LOGS / "v1.4.0.log").read_bytes()))
    for name, log in {"runs/7/rank0.log": WRONG, "runs/8/rank0.log.gz": gzip.compress((LOGS / "v0.5.0.log").read_bytes())}.items():
        (folder / name).parent.mkdir()
        (folder / name).write_bytes(log)
    (folder / "runs" / "7" / "notes.txt").write_text("a file without a planner block\n")
    for name in ("limits.toml", ".shardstats.toml"):
        (folder / name).write_text('[check]\nmax-hbm = "72GiB"\n')
    (folder / "testdata").symlink_to(ROOT / "testdata")
    (folder / "bin").mkdir()
    (folder / "bin" / "shardstats").symlink_to(Path(BINARY).resolve())
    for name, script in STUBS.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)


def blocks(text):
    """The indented blocks of a document, as pairs of line number and lines."""
    found, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    ") or (block and not line.strip()):
            if block is None:
                found.append(block := (number, []))
            block[1].append(line[4:])
        else:
            block = None
    for _, lines in found:
        while not lines[-1].strip():
            lines.pop()
    return found


def commands(text):
    """Line number, command, output lines (None: not shown), statuses that are allowed."""
    for number, lines in blocks(text):
        if not any(line.startswith("$ ") for line in lines):
            for at, line in enumerate(lines):
                if match := IN_SCRIPT.match(line.strip()):
                    yield number + at, match[1], None, (0, 1)
            continue
        at = 0
        while at < len(lines):
            start, command = at, lines[at]
            assert command.startswith("$ "), f"line {number + at}: output without a command"
            while command.endswith("\\") or command.count("'") % 2:
                at += 1
                command += "\n" + lines[at]
            at += 1
            output = []
            while at < len(lines) and not lines[at].startswith("$ "):
                output.append(lines[at])
                at += 1
            status = re.search(r"# exit status (\d)$", command)
            yield number + start, command[2:], output or None, (int(status[1]) if status else 0,)


def matches(shown, printed):
    """`...` alone on a line is any number of lines, within a line anything."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
                      for line in shown)
    return re.fullmatch(pattern, printed) is not None


def headings(page):
    """Anchors of the numbered headings of a reference page, by number: {"7.1": "71-per-shard-run"}."""
    found = {}
    for number, text in re.findall(r"^#+ ((?:\d+\.)*\d+)\.? (.*)$", (REFERENCE / page).read_text(), re.M):
        words = re.sub(r"[^\w\- ]", "", f"{number} {text}".lower())
        found[number] = words.replace(" ", "-")
    return found


def citations(text):
    """The sections and quirks of reference pages that a text names, as pairs of page and number."""
    for page, sections, quirk in CITED.findall(re.sub(r"\s*\n(?://|#)?\s*", " ", text)):
        yield from ((f"{page}.md", number.rstrip(".")) for number in re.findall(r"[\d.]*\d", sections))
        if quirk:
            yield f"{page}.md", f"Q{quirk}"


def rules_document():
    rules = json.loads(run("rules", "-f", "json").stdout)["rules"]
    cell = lambda text: text.replace("|", "\\|")
    lines = ["# Rules", "",
             f"All {len(rules)} checks of `shardstats verify`, written by `scripts/update_golden` from `shardstats rules`, which also says",
             "what to try. `--select` and `--ignore` take a rule or its beginning: `table`, `table.storage`, `table.storage.hbm`.",
             "The severity is that of most findings; some are weaker where the log leaves a doubt. Formulas that stand in",
             "brackets are those that `shardstats explain` shows step by step."]
    anchors = {page.name: headings(page.name) for page in REFERENCE.glob("*.md")}

    def linked(reference):
        """With a link to the first section named."""
        page, number = next(citations(reference), (None, None))
        return f"[{reference}](reference/{page}#{anchors[page][number]})" if page else reference

    group = None
    for rule in rules:
        if (first := rule["id"].split(".")[0]) != group:
            group = first
            lines += ["", f"## {group}", "", "| rule | severity | compares | formula | releases | see |", "| --- | --- | --- | --- | --- | --- |"]
        lines.append(f"| `{rule['id']}` | {rule['severity']} | {cell(rule['compares'])} | {cell(rule['formula'])} | "
                     f"{rule['since']} to {rule['until']} | {linked(rule['reference'])} |")
    return "\n".join(lines) + "\n"


class Documents(unittest.TestCase):
    maxDiff = None

    def run_all(self, document):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)
            environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": name, "LC_ALL": "C.UTF-8",
                           "GITHUB_STEP_SUMMARY": f"{name}/step_summary.md"}
            for number, command, shown, statuses in commands(document.read_text()):
                with self.subTest(f"{document.name}:{number}: {command}"):
                    if missing := [tool for tool in OPTIONAL if re.search(rf"\b{tool} ", command) and not shutil.which(tool)]:
                        self.skipTest(f"{missing[0]} is not installed")
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
                    self.assertIn(done.returncode, statuses, done.stdout)
                    if shown is not None and not matches(shown, done.stdout):
                        self.assertEqual("\n".join(shown) + "\n", done.stdout)

    def test_documents(self):
        for document in DOCUMENTS:
            self.run_all(document)

    def test_there_are_commands(self):
        self.assertGreater(sum(len(list(commands(document.read_text()))) for document in DOCUMENTS), 60)

    def test_commands_are_marked_as_such(self):
        """So that none is left out: a block of a shell begins with `$ `."""
        for document in DOCUMENTS:
            for number, lines in blocks(document.read_text()):
                self.assertFalse(lines[0].startswith("shardstats "), f"{document.name}:{number}")

    def test_links_lead_to_files(self):
        for document in DOCUMENTS:
            for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
                if not link.startswith("http"):
                    self.assertTrue((document.parent / link).exists(), f"{document.name}: {link}")

    def test_cited_sections_exist(self):
        cited = {pair for folder in ("src", "include") for path in (ROOT / folder).rglob("*.[ch]*") for pair in citations(path.read_text())}
        self.assertGreater(len(cited), 60)
        formulas = re.findall(r'"([\w.]+)".*"([\d.]+)"\}', (ROOT / "src" / "planner" / "formulas.cc").read_text())
        self.assertGreater(len(formulas), 30)
        cited |= {("perf-model.md" if name.startswith("perf.") else "storage-model.md", section) for name, section in formulas}
        for page, number in sorted(cited):
            exists = number in headings(page) if number[0] != "Q" else f"| {number} |" in (REFERENCE / page).read_text()
            self.assertTrue(exists, f"{page} has no {number}")

    def test_library_example_compiles(self):
        text = (ROOT / "README.md").read_text().split("As a library:")[1].split("More:")[0]
        code = "\n".join(line[4:] for line in text[text.index("    #include"):].splitlines())
        self.assertIn("shardstats::Verification ", code)
        compiler = shutil.which("c++") or self.skipTest("no C++ compiler is installed")
        done = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT}/include", "-xc++", "-"],
                              input=code, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_document_is_listed(self):
        listed = (ROOT / "docs" / "README.md").read_text()
        for document in DOCUMENTS[1:]:
            if document.name != "README.md":
                self.assertIn(f"]({document.name})", listed)

    def test_table_of_keys_is_up_to_date(self):
        """docs/configuration.md says which commands have which option."""
        commands = re.findall(r"^  (\w+) ", run("--help").stdout.decode().split("Options:")[0], re.M)
        options = {}
        for command in commands:
            text = run(command, "--help", env={"COLUMNS": "100"}).stdout.decode()
            for option in re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.M):
                options.setdefault(option, set()).add(command)
        for name in ("help", "config", "no-config"):
            del options[name]
        groups = {"all": set(commands) - {"completion", "man"}, "all that read logs": options["block"]}

        def said(document):
            """Of each name in the first column, the commands in the third."""
            for row in re.findall(r"^\| (`.*) \|$", (ROOT / "docs" / document).read_text(), re.M):
                names, _, who, *_ = [*map(str.strip, row.split("|")), "", ""]
                words = set(re.findall(r"`([\w-]+)`", who))
                have = set(commands) - words if who.startswith("all but") else groups.get(who, words)
                yield from ((name, have) for name in re.findall(r"`([\w-]+)`", names) if have)

        self.assertEqual(dict(said("configuration.md")), options)

    def test_rules_are_up_to_date(self):
        self.assertEqual(RULES.read_text(), rules_document(), "run scripts/update_golden")

    def test_output_is_compared(self):
        for shown, printed, same in ((["a"], "a\n", True), (["a"], "b\n", False), (["a", "..."], "a\nb\nc\n", True),
                                     (["a", "...", "c"], "a\nc\n", True), (["a ... c"], "a b c\n", True),
                                     (["a ... c"], "a b d\n", False), (["..."], "", True), (["a"], "a\nb\n", False)):
            self.assertEqual(matches(shown, printed), same, (shown, printed))

    def test_commands_are_found(self):
        text = "x\n\n    $ a \\\n      b\n    out\n\n    more\n    $ c    # exit status 2\n\ny\n\n    - run: shardstats verify x\n"
        self.assertEqual(list(commands(text)), [(3, "a \\\n  b", ["out", "", "more"], (0,)), (8, "c    # exit status 2", None, (2,)),
                                                (12, "shardstats verify x", None, (0, 1))])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        RULES.write_text(rules_document())
    else:
        unittest.main()
