"""The tool on a terminal: the progress line, and that it never mixes with what is printed."""
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from tool import BINARY, LOGS, Terminal, run

PAUSE = 0.5  # seconds; several times what goes by before the first drawing
ERASE = b"\r\033[K"


def scan(*arguments, stdout="terminal", term="xterm"):
    """What is on the terminal after a scan with a pause between its logs; standard error is the terminal always."""
    terminal = Terminal()
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder, "pipe.log")
        os.mkfifo(pipe)

        def feed():
            with open(pipe, "wb") as slow:
                time.sleep(PAUSE)
                slow.write((LOGS / "v0.5.0.log").read_bytes())

        feeder = threading.Thread(target=feed)
        feeder.start()
        out = {"terminal": terminal.writer, "pipe": subprocess.PIPE, "file": subprocess.DEVNULL}[stdout]
        process = subprocess.Popen([BINARY, "scan", *arguments, "v0.1.0.log", pipe, "missing.log", "v1.4.0.log"], cwd=LOGS,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=terminal.writer,
                                   env={"PATH": os.environ.get("PATH", ""), "TERM": term})
        shown = terminal.read()
        printed = process.stdout.read() if stdout == "pipe" else b""
        if stdout == "pipe":
            process.stdout.close()
        process.wait(60)
        feeder.join()
        return shown.replace(b"\r\n", b"\n").replace(str(folder).encode() + b"/", b""), printed


class Progress(unittest.TestCase):
    def screen(self, shown):
        """The lines that stay: of a line that is erased, what was written after that."""
        return [line.rsplit(ERASE, 1)[-1] for line in shown.split(b"\n")]

    def test_is_drawn_and_erased(self):
        shown, _ = scan("--color", "never")
        self.assertIn(b"% [", shown)
        lines = self.screen(shown)
        self.assertEqual([line.split(b":")[0] for line in lines[:4]],
                         [b"v0.1.0.log", b"pipe.log", b"shardstats", b"v1.4.0.log"])
        self.assertTrue(lines[-2].startswith(b"failed: "), lines)
        self.assertEqual(lines[-1], b"")
        self.assertNotIn(b"% [", b"\n".join(lines))
        self.assertEqual(shown.count(b"% ["), shown.count(ERASE))
        self.assertLessEqual(max(len(line) for line in lines if not line.startswith(b"shardstats:")), 80)

    def test_goes_to_a_terminal_only_when_nothing_else_writes_there(self):
        for arguments, stdout, term, drawn in [([], "file", "xterm", True), ([], "pipe", "xterm", False),
                                               ([], "file", "dumb", False), (["-q"], "file", "xterm", False)]:
            with self.subTest(arguments=arguments, stdout=stdout, term=term):
                shown, printed = scan(*arguments, stdout=stdout, term=term)
                self.assertEqual(b"% [" in shown, drawn)
                self.assertEqual(b"\033" in shown, drawn)
                self.assertNotIn(b"\033", printed)

    def test_lines_are_cut_on_a_terminal_only(self):
        shown, _ = scan("--color", "never", "--ascii")
        self.assertIn(b"tables, 4 ranks, v1.4.0..V1.5.0, ...\n", shown)
        self.assertIn(b"v1.4.0..V1.5.0, first tiers.ranks at", run("scan", "v1.4.0.log", env={"COLUMNS": "80"}).stdout)


class Tables(unittest.TestCase):
    """Tables are no wider than the terminal, and nothing of them is left out."""
    COMMANDS = (["reconstruct", "-q", "v1.8.0.log"],
                ["whatif", "--set", "batch_size=64..4096*4", "--set", "world_size=4,8", "v1.4.0.log"])

    def test_fit_the_terminal(self):
        for command in self.COMMANDS:
            lines = run(*command, env={"COLUMNS": "80"}).stdout.decode().splitlines()
            for columns in (40, 60, 80, 200):
                with self.subTest(command=command, columns=columns):
                    terminal = Terminal(columns)
                    subprocess.run([BINARY, *command, "--color", "never"], cwd=LOGS, stdin=subprocess.DEVNULL,
                                   stdout=terminal.writer, env={"PATH": os.environ.get("PATH", ""), "TERM": "xterm"})
                    shown = terminal.read().decode().splitlines()
                    self.assertLessEqual(max(map(len, shown)), columns)
                    numbers = [word for line in lines for word in re.findall(r"[\d.,]*\d [KMGT]?i?B", line)]
                    self.assertTrue(numbers)
                    for number in numbers:
                        self.assertIn(number, "\n".join(shown))

    def test_texts_fit_a_narrow_terminal(self):
        for command in (["explain", "plan"], ["explain", "rank:0"], ["rules", "table.storage.hbm"]):
            with self.subTest(command=command):
                log = [] if command[0] == "rules" else ["v1.4.0.log"]
                lines = run(*command, *log, env={"COLUMNS": "40"}).stdout.decode().splitlines()
                self.assertLessEqual(max(map(len, lines)), 40)

    def test_are_a_line_a_row_for_other_programs(self):
        for command in self.COMMANDS:
            self.assertEqual(run(*command, env={"COLUMNS": "70"}).stdout, run(*command, env={"COLUMNS": "200"}).stdout)


class Names(unittest.TestCase):
    """A name of the log may hold what a terminal takes for a command."""

    def shown(self, command, log, file="train.log"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, file).write_bytes(log)
            terminal = Terminal()
            process = subprocess.Popen([BINARY, *command, file], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=terminal.writer, stderr=terminal.writer,
                                       env={"PATH": os.environ.get("PATH", ""), "TERM": "xterm"})
            shown = terminal.read()
            process.wait(60)
            return shown

    def test_of_tables_command_no_terminal(self):
        log = (LOGS / "v1.4.0.log").read_bytes()
        name = next(line for line in log.split(b"\n") if b" fused " in line).split()[1]
        evil = b"\033]2;x\a\033[2J\r".ljust(len(name), b"z")[:len(name)]
        self.assertIn(b"\033[1m", self.shown(["explain", "rank:0"], log))  # our own
        for command in (["summary"], ["explain", "rank:1"]):
            with self.subTest(command=command):
                shown = self.shown(command, log.replace(name, evil))
                self.assertIn("\uFFFD".encode(), shown)
                for sequence in (b"\033]", b"\033[2J", b"\a", b"\r\033"):
                    self.assertNotIn(sequence, shown)

    def test_of_files_command_no_terminal(self):
        shown = self.shown(["verify"], b"", file="a\033[2Jb.log")
        self.assertIn("a\uFFFD[2Jb.log".encode(), shown)
        self.assertNotIn(b"\033[2J", shown)

    def test_stay_as_they_are_in_a_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("verify", "a\033[2Jb.log", cwd=folder)
            self.assertIn(b"a\033[2Jb.log", done.stderr)


if __name__ == "__main__":
    unittest.main()
