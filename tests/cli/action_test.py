"""action.yml and .pre-commit-hooks.yaml: their form, and their commands run with the built tool."""
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import BINARY, LOGS, ROOT, damaged

try:
    import yaml
except ImportError:
    yaml = None
try:
    import jsonschema
except ImportError:
    jsonschema = None

WRONG = damaged("v1.4.0.log", "8.941", "8.945", "position_ebc.device_os_ad_id")


@unittest.skipIf(yaml is None, "python3-yaml is not installed")
class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "wrong.log").write_bytes(WRONG)
        (self.folder / "good log.log").write_bytes((LOGS / "v1.4.0.log").read_bytes())
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        self.steps = self.action["runs"]["steps"]

    def tool_on_path(self):
        (self.folder / "bin" / "shardstats").symlink_to(Path(BINARY).resolve())

    def run_step(self, step, **inputs):
        """As the runner does: expressions filled in, `bash -eo pipefail`."""
        values = {name: str(one.get("default", "")) for name, one in self.action["inputs"].items()} | inputs
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "RUNNER_TEMP": str(self.folder / "temp"),
                       "GITHUB_PATH": str(self.folder / "path"), "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                       "GITHUB_ACTION_PATH": str(self.folder), "SHARDSTATS_NO_CONFIG": "1"}
        for name, text in step.get("env", {}).items():
            environment[name] = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
        self.assertNotIn("${{", step["run"], "an input in a script could run as a part of it")
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.folder,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_schema(self):
        schema = json.loads((ROOT / "testdata" / "schemas" / "github-action.json").read_text())
        jsonschema.Draft7Validator(schema).validate(self.action)

    def test_inputs_are_used_and_exist(self):
        text = (ROOT / "action.yml").read_text()
        self.assertEqual(set(re.findall(r"inputs\.([\w-]+)", text)), set(self.action["inputs"]))

    def test_a_tool_that_is_there_is_taken(self):
        self.tool_on_path()
        done = self.run_step(self.steps[0])
        self.assertEqual((done.returncode, done.stderr, (self.folder / "path").exists()), (0, "", False))

    def test_else_it_is_built(self):
        (self.folder / "scripts").mkdir()
        script = self.folder / "scripts" / "install"
        script.write_text('#!/bin/sh\necho "$1" > "$RUNNER_TEMP.asked"\n')
        script.chmod(0o755)
        done = self.run_step(self.steps[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "temp.asked").read_text(), f"{self.folder}/temp/shardstats\n")
        self.assertEqual((self.folder / "path").read_text(), f"{self.folder}/temp/shardstats/bin\n")
        self.assertTrue(os.access(ROOT / "scripts" / "install", os.X_OK))

    def test_run(self):
        self.tool_on_path()
        for inputs, status in (({"logs": "good log.log"}, 0), ({"logs": "good log.log\nwrong.log\n"}, 1), ({"logs": "*.log"}, 1),
                               ({"logs": "good log.log", "fail-on": "note"}, 1),
                               ({"logs": "good log.log", "fail-on": "note", "args": "--ignore tiers"}, 0),
                               ({"logs": "wrong.log", "command": "verify", "args": "--select kernel --exit-zero"}, 0),
                               ({"logs": "missing.log"}, 2), ({"logs": "$(touch hacked).log; touch hacked"}, 2)):
            with self.subTest(inputs):
                (self.folder / "summary.md").unlink(missing_ok=True)
                done = self.run_step(self.steps[1], **inputs)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertTrue("::" in done.stdout or status == 0, done.stdout)
                self.assertIn("shardstats", (self.folder / "summary.md").read_text())
        self.assertFalse((self.folder / "hacked").exists())

    def test_sarif(self):
        self.tool_on_path()
        self.assertEqual(self.run_step(self.steps[1], logs="wrong.log", sarif="out file.sarif").returncode, 1)
        self.assertEqual(json.loads((self.folder / "out file.sarif").read_text())["version"], "2.1.0")

    def test_hooks(self):
        self.tool_on_path()
        for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
            self.assertLessEqual({"id", "name", "entry", "language"}, set(hook))
            self.assertEqual(hook["language"], "system")
            self.assertIn(f"- id: {hook['id']}", (ROOT / "docs" / "recipes.md").read_text())
            for name, matches in (("a.log", True), ("a/b.log.gz", True), ("a.logs", False), ("log", False)):
                self.assertEqual(bool(re.search(hook["files"], name)), matches, name)
            (self.folder / "empty.log").write_text("nothing\n")
            for log, status in (("good log.log", 0), ("wrong.log", 1), ("empty.log", 0)):
                command = shlex.join([str(self.folder / "bin" / "shardstats"), *shlex.split(hook["entry"])[1:], log])
                done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, status, done.stderr)


if __name__ == "__main__":
    unittest.main()
