"""Runs the built tool for the tests of this folder: fixed width, no colour, nothing from the user's environment."""
import json
import os
import pty
import random
import struct
import subprocess
import termios
from fcntl import ioctl
from pathlib import Path

ROOT = Path(os.environ.get("SHARDSTATS_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BINARY = os.environ.get("SHARDSTATS_BINARY", ROOT / "build" / "shardstats")
LOGS = ROOT / "testdata" / "logs"
SHARED = Path(os.environ.get("SHARDSTATS_SHARED", ROOT / ".." / "shared"))
CORPUS = SHARED / "corpus"
SANITIZED = bool(os.environ.get("SHARDSTATS_SANITIZE"))  # built with sanitizers, and ten to twenty times as slow


def sampled(cases: list) -> list:
    """All of them; under sanitizers a quarter, and at least one."""
    return random.Random(0).sample(cases, -(-len(cases) // 4)) if SANITIZED else cases


def run(*arguments, stdin=b"", env=None, cwd=LOGS):
    """The finished run; `stdin` None: no input at all (a closed terminal)."""
    environment = {"PATH": os.environ.get("PATH", ""), "COLUMNS": "100", "SHARDSTATS_NO_CONFIG": "1"} | (env or {})
    source = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, env=environment, cwd=cwd, timeout=60,
                          **source)


def block_of(*arguments, status=0, **more) -> dict:
    """The first block of what a run answers in JSON; `status` None: any."""
    done = run(*arguments, "-f", "json", **more)
    assert status in (None, done.returncode), done.stderr
    return json.loads(done.stdout)["logs"][0]["blocks"][0]


def damaged(name: str, old: str, new: str, mark: str) -> bytes:
    """A log with one text changed in the first line that has `mark`."""
    lines = (LOGS / name).read_text().split("\n")
    index = next(i for i, line in enumerate(lines) if mark in line)
    assert old in lines[index] and len(old) == len(new), (name, old)
    lines[index] = lines[index].replace(old, new, 1)
    return "\n".join(lines).encode()


class Terminal:
    """A pseudo-terminal and what was written to it."""

    def __init__(self, columns=80):
        self.reader, self.writer = pty.openpty()
        ioctl(self.writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.shown = b""

    def read(self):
        os.close(self.writer)
        try:
            while data := os.read(self.reader, 4096):
                self.shown += data
        except OSError:  # all writers are gone
            pass
        os.close(self.reader)
        return self.shown
