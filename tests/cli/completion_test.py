"""The completion scripts in the shells themselves: what is offered for a line that ends at the cursor."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import BINARY, LOGS, run

COMMANDS = re.findall(r"^  (\w+) ", run("--help").stdout.decode().split("Options:")[0], re.M)
FILES = ["v0.1.0.log", "v0.3.0.log"]

OFFERS = [  # words up to the cursor, what must be offered, what must not
    (["shardstats", ""], COMMANDS, ["--help", "text"]),
    (["shardstats", "ver"], ["verify"], ["scan"]),
    (["shardstats", "--v"], ["--version"], ["verify"]),
    (["shardstats", "v0"], FILES, ["verify"]),
    (["shardstats", "verify", "v0"], FILES, []),
    (["shardstats", "verify", "v0.1.0.log", "v0"], FILES, []),
    (["shardstats", "diff", "v0.1.0.log", "v0"], FILES, []),
    (["shardstats", "scan", "v0"], FILES, []),
    (["shardstats", "verify", "--f"], ["--format", "--fail-on"], ["--help", "verify"]),
    (["shardstats", "verify", "--format", ""], ["text", "json", "sarif"], ["--help", "FORMAT"]),
    (["shardstats", "verify", "-f", "j"], ["json", "junit"], ["text"]),
    (["shardstats", "explain", "-f", "s"], [], ["sarif"]),
    (["shardstats", "v0.1.0.log", "-f", ""], ["text", "json"], ["sarif"]),
    (["shardstats", "v0.1.0.log", "--to"], ["--top"], []),
    (["shardstats", "verify", "--fail-on", ""], ["error", "warning", "note"], []),
    (["shardstats", "verify", "--color", "a"], ["auto", "always"], ["never"]),
    (["shardstats", "verify", "-o", "v0"], FILES, []),
    (["shardstats", "verify", "--select", "rank."], ["rank.hbm"], ["table.storage.hbm"]),
    (["shardstats", "verify", "--sharding", "T"], ["TW", "TWCW", "TWRW"], ["RW"]),
    (["shardstats", "verify", "--table", "v0"], [], FILES),
    (["shardstats", "verify", "--block", ""], ["last", "all"], []),
    (["shardstats", "diff", "--block", ""], ["last"], ["all"]),
    (["shardstats", "help", "s"], ["scan", "stash", "summary"], ["verify"]),
    (["shardstats", "help", "v"], ["verify"], FILES),
    (["shardstats", "rules", "tiers."], ["tiers.ranks"], ["rank.hbm"]),
    (["shardstats", "completion", ""], ["bash", "zsh", "fish"], ["v0.1.0.log"]),
    (["shardstats", "explain", "plan", "v0"], FILES, []),
]

BASH = r"""
source "$1"
shift
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shardstats
printf '%s\n' "${COMPREPLY[@]}"
"""

# _arguments and the like work in a widget only: a terminal of its own runs them, and compadd tells what it is given.
ZSH = r"""
zmodload zsh/zpty
script=$1 shown=$2
zpty shell zsh -f -i
zpty -w shell "PROMPT= PS2= ; autoload -Uz compinit; compinit -u -D; source ${(q)script}"
zpty -w shell 'compadd () {
  local -a found
  builtin compadd -O found "$@"
  print -rl -- $found >> '${(q)shown}'
  builtin compadd "$@"
}'
zpty -w shell 'show () { zle list-choices; BUFFER=; print // >> '${(q)shown}'; : > '${(q)shown}'.ready; }; zle -N show; bindkey "^X" show'
touch $shown
for line in "${@:3}"; do
  rm $shown.ready 2> /dev/null
  zpty -w -n shell "$line"$'\x18'
  for i in {1..200}; do
    [[ -e $shown.ready ]] && break
    sleep 0.02
  done
done
zpty -d shell
"""


def script(shell, folder):
    path = Path(folder, f"shardstats.{shell}")
    path.write_bytes(run("completion", shell).stdout)
    return path


# Each takes many lines, as lists of words, and gives what is offered for each.
def in_bash(path, lines):
    return [[found for found in asked(["bash", "--norc", "-c", BASH, "bash", path, *words], path).split()] for words in lines]


def in_fish(path, lines):
    program = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo //; end"
    shown = asked(["fish", "--no-config", "-c", program, path, *map(" ".join, lines)], path)
    return [[line.split("\t")[0] for line in part.splitlines()] for part in shown.split("//\n")[:-1]]


def in_zsh(path, lines):
    shown = path.with_suffix(".shown")
    asked(["zsh", "-f", "-c", ZSH, "zsh", path, shown, *map(" ".join, lines)], path)
    return [part.split() for part in shown.read_text().split("//\n")[:-1]]


def asked(command, path):
    done = subprocess.run(command, capture_output=True, text=True, cwd=LOGS, timeout=120,
                          env={"PATH": os.environ["PATH"], "HOME": str(path.parent), "TERM": "xterm"})
    assert not done.stderr, done.stderr
    return done.stdout


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def need(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        return script(shell, self.folder)

    def offers(self, ask, path):
        answers = ask(path, [words for words, _, _ in OFFERS])
        self.assertEqual(len(answers), len(OFFERS))
        for (words, offered, not_offered), found in zip(OFFERS, answers):
            with self.subTest(" ".join(words)):
                self.assertLessEqual(set(offered), set(found))
                self.assertFalse(set(not_offered) & set(found), found)

    def test_commands_are_found(self):
        self.assertIn("completion", COMMANDS)
        self.assertGreater(len(COMMANDS), 8)

    def test_bash(self):
        self.offers(in_bash, self.need("bash"))

    def test_a_target_is_no_file(self):
        for ask, shell in ((in_bash, "bash"), (in_zsh, "zsh")):
            with self.subTest(shell):
                target, log = ask(self.need(shell), [["shardstats", "explain", "-f", "text", "v0"],
                                                     ["shardstats", "explain", "-f", "text", "plan", "v0"]])
                self.assertFalse(set(FILES) & set(target))
                self.assertLessEqual(set(FILES), set(log))

    def test_bash_cuts_words_at_equals_signs(self):
        for words, found in ((["verify", "--format", "=", "js"], ["json"]), (["verify", "--format", "="], None),
                             (["explain", "--format", "=", "text", "v0.1"], []),
                             (["explain", "--format", "=", "text", "plan", "v0.1"], ["v0.1.0.log"])):
            with self.subTest(words):
                answer, = in_bash(self.need("bash"), [["shardstats", *words]])
                if found is None:
                    self.assertIn("json", answer)
                else:
                    self.assertEqual(answer, found)

    def test_fish(self):
        self.offers(in_fish, self.need("fish"))

    def test_zsh(self):
        self.offers(in_zsh, self.need("zsh"))

    def test_every_command_offers_all_of_its_options(self):
        """As --help lists them: what bash is told is what the parser has."""
        path = self.need("bash")
        for command in COMMANDS:
            listed = run(command, "--help").stdout.decode().split("\nOptions:\n")[1].split("\n\n")[0]
            names = re.findall(r"^  (?:(-\w), )?(--[\w-]+)", listed, re.M)
            wanted = {name for pair in names for name in pair if name}
            self.assertIn("--help", wanted)
            found, = in_bash(path, [["shardstats", command, "-"]])
            self.assertEqual(set(found), wanted, command)

    def test_nothing_but_the_command_line_counts(self):
        """A shell sources the script at its start, wherever that is."""
        Path(self.folder, ".shardstats.toml").write_text("no toml at all")
        done = run("completion", "bash", env={"SHARDSTATS_NO_CONFIG": "", "SHARDSTATS_FORMAT": "nonsense"},
                   cwd=self.folder, stdin=None)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_wrong_shell(self):
        for arguments in (["tcsh"], []):
            done = run("completion", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""))


if __name__ == "__main__":
    unittest.main()
