"""The manual page: no warning of groff or mandoc, and all commands and options are in it."""
import re
import shutil
import subprocess
import unittest

from tool import run

PAGE = run("man").stdout
COMMANDS = re.findall(r"^  (\w+) ", run("--help").stdout.decode().split("Options:")[0], re.M)


def shown():
    """As text, without bold and the like, each run of blanks as one."""
    done = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-rLL=500n"], input=PAGE, capture_output=True, timeout=60)
    return re.sub(r"\s+", " ", done.stdout.decode())


class ManPage(unittest.TestCase):
    def warnings(self, *command):
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        done = subprocess.run(command, input=PAGE, capture_output=True, timeout=60)
        return (done.stdout + done.stderr).decode().splitlines()

    def test_groff(self):
        self.assertEqual(self.warnings("groff", "-man", "-Tutf8", "-ww", "-z"), [])

    def test_mandoc(self):
        # A page that is made by each build has no date.
        self.assertEqual([line for line in self.warnings("mandoc", "-T", "lint", "-W", "warning")
                          if "missing date" not in line], [])

    def test_it_is_complete(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        text = shown()
        for command in COMMANDS:
            help_text = run(command, "--help").stdout.decode()
            self.assertIn(re.search(r"^Usage: (.*)$", help_text, re.M)[1], text, command)
            for example in help_text.split("Examples:\n")[1].splitlines():
                self.assertIn(re.sub(r"\s+", " ", example.strip()), text)
            for name in re.findall(r" (--[a-z][\w-]+)", help_text.split("\nOptions:\n")[1].split("\n\n")[0]):
                self.assertIn(name, text)
        for word in ("EXIT STATUS", "SHARDSTATS_LOG", ".shardstats.toml", "NO_COLOR"):
            self.assertIn(word, text)

    def test_it_comes_without_control_characters(self):
        self.assertEqual((run("man").returncode, run("man").stderr), (0, b""))
        self.assertTrue(PAGE.isascii() and not re.search(rb"[\x00-\x08\x0b-\x1f]", PAGE))


if __name__ == "__main__":
    unittest.main()
