"""Configuration file and environment of the real tool: precedence, keys, values, and what is said of wrong ones."""
import json
import tempfile
import unittest
from pathlib import Path

from tool import LOGS, run

LOG = LOGS / "v1.4.0.log"
TABLES = '[[check.tables]]\npattern = "ad"\n'

WRONG = [  # configuration, command, what standard error says
    ('fail_on = "error"', ["verify"], "c.toml:1:1: unknown key 'fail_on'; did you mean 'fail-on'?"),
    ('top = 1\n[verify]\n  fromat = "json"', ["verify"], "c.toml:3:3: unknown key 'fromat' in [verify]; did you mean 'format'?"),
    ('[verify]\nmax-hbm = "1GiB"', ["verify"], "c.toml:2:1: unknown key 'max-hbm' in [verify]"),
    ("[verfy]", ["verify"], "c.toml:1:2: unknown table 'verfy'; did you mean 'verify'?"),
    ("[verify.more]", ["verify"], "c.toml:1:9: unknown table 'more' in [verify]"),
    ('[scan]\nnonsense = 1', ["verify"], "c.toml:2:1: unknown key 'nonsense' in [scan]"),
    ('config = "x"', ["verify"], "c.toml:1:1: unknown key 'config'"),
    ("format = ", ["verify"], "c.toml:1:10: not valid TOML"),
    ('format = "jsn"', ["verify"], "c.toml:1:1: --format: 'jsn': expected text, json, ndjson"),
    ("format = [\"json\"]", ["verify"], "c.toml:1:1: 'format' takes one text or number"),
    ('threads = "four"', ["verify"], "c.toml:1:1: 'threads' takes a whole number"),
    ("threads = -1", ["verify"], "c.toml:1:1: 'threads' takes a whole number from 0"),
    ("threads = 1.5", ["verify"], "c.toml:1:1: "),
    ('quiet = "yes"', ["verify"], "c.toml:1:1: 'quiet' takes true or false"),
    ("ascii = 1", ["verify"], "c.toml:1:1: 'ascii' takes true or false"),
    ("fail-on = 1979-05-27", ["verify"], "c.toml:1:1: 'fail-on' takes one text or number"),
    ('table = "("', ["verify"], "c.toml:1:1: --table '('"),
    ('table = true', ["verify"], "c.toml:1:1: 'table' takes a text or a list of texts"),
    ('select = ["rank", "tabel"]', ["verify"], "c.toml:1:1: no rule begins with 'tabel'"),
    ('assume = "pipeline=fast"', ["verify"], "c.toml:1:1: "),
    ('block = "first"', ["verify"], "c.toml:1:1: --block: 'first': expected a number from 1, last or all"),
    ('block = "all"', ["diff"], "c.toml:1:1: --block: 'all': diff compares one block of each log"),
    ('output = ""', ["verify"], "c.toml:1:1: --output: names no file"),
    ('[check]\nmax-hbm = "72G"', ["check"], "c.toml:2:1: --max-hbm: '72G' is not a size such as 72GiB"),
    ('[check]\nmax-imbalance = "ten"', ["check"], "c.toml:2:1: --max-imbalance: 'ten' is not a percentage"),
    ('[check]\nmax-perf-ms = "1s"', ["check"], "c.toml:2:1: --max-perf-ms: '1s' is not milliseconds"),
    ("[check]\nmin-headroom = -5", ["check"], "c.toml:2:1: --min-headroom: '-5' is not a size"),
    ("[check]\ntables = 1", ["check"], "c.toml:2:1: 'tables' is a table, not a key: write [[check.tables]] and"),
    ('verify = "note"', ["verify"], "c.toml:1:1: 'verify' is a table, not a key: write [verify] and"),
    ("[quiet]", ["verify"], "c.toml:1:2: 'quiet' is a key, not a table: write quiet = VALUE"),
    ("[scan.quiet]", ["verify"], "c.toml:1:7: 'quiet' is a key, not a table: write quiet = VALUE"),
    ("[[check.tables]]\nmax-hbm = 0", ["check"], "c.toml:1:1: 'pattern' is missing"),
    ("[check]\nmax-hbm = 72", ["check"], "c.toml:2:1: --max-hbm: '72' is not a size such as 72GiB or 80GB; did you mean '72GiB'?"),
    (TABLES, ["check"], "c.toml:1:1: no limit"),
    (TABLES + "max_hbm = 1", ["check"], "c.toml:3:1: unknown key 'max_hbm' in [check.tables]; did you mean 'max-hbm'?"),
    (TABLES + "max-hbm = \"much\"", ["check"], "c.toml:3:1: max-hbm: 'much' is not a size"),
    (TABLES + "max-shards = 1.5", ["check"], "c.toml:3:1: max-shards: '1.5' is not a whole number"),
    (TABLES + "sharding = \"CV\"", ["check"], "c.toml:3:1: sharding: no sharding type is called 'CV'; did you mean 'CW'?"),
    (TABLES + "kernel = []", ["check"], "c.toml:3:1: kernel: an empty list allows nothing"),
    ('[[check.tables]]\npattern = "("\nmax-hbm = 1', ["check"], "c.toml:2:1: pattern: missing )"),
]


class Settings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def tool(self, *arguments, config=None, env=None, cwd=None):
        if config is not None:
            (self.path / ".shardstats.toml").write_text(config)
        return run(*arguments, env={"SHARDSTATS_NO_CONFIG": ""} | (env or {}), cwd=cwd or self.path, stdin=None)

    def format_of(self, *arguments, **more):
        done = self.tool("reconstruct", *arguments, LOG, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        try:
            return "json" if "logs" in json.loads(done.stdout) else "?"
        except json.JSONDecodeError:
            return "ndjson" if done.stdout.startswith(b"{") else "text"

    def test_precedence(self):
        config = 'format = "json"'
        ndjson = {"SHARDSTATS_FORMAT": "ndjson"}
        self.assertEqual(self.format_of(), "text")
        self.assertEqual(self.format_of(config=config), "json")
        self.assertEqual(self.format_of(config='format = "ndjson"\n[reconstruct]\nformat = "json"'), "json")
        self.assertEqual(self.format_of(config='[reconstruct]\nformat = "json"\n[verify]\nformat = "ndjson"'), "json")
        self.assertEqual(self.format_of(config='[verify]\nformat = "ndjson"'), "text")
        self.assertEqual(self.format_of(config=config, env=ndjson), "ndjson")
        self.assertEqual(self.format_of("-f", "text", config=config, env=ndjson), "text")
        self.assertEqual(self.format_of(config=config, env={"SHARDSTATS_FORMAT": ""}), "json")
        for word, format in [("1", "text"), ("yes", "text"), ("0", "json"), ("no", "json"), ("False", "json"), ("", "json")]:
            self.assertEqual(self.format_of(config=config, env={"SHARDSTATS_NO_CONFIG": word}), format, word)

    def test_which_file(self):
        other = self.path / "other.toml"
        other.write_text('format = "ndjson"')
        below = self.path / "a" / "b"
        below.mkdir(parents=True)
        config = 'format = "json"'
        self.assertEqual(self.format_of(config=config, cwd=below), "json")
        self.assertEqual(self.format_of("--config", other), "ndjson")
        self.assertEqual(self.format_of(env={"SHARDSTATS_CONFIG": str(other)}), "ndjson")
        self.assertEqual(self.format_of("--config", self.path / ".shardstats.toml",
                                        env={"SHARDSTATS_CONFIG": str(other)}), "json")
        self.assertEqual(self.format_of("--config", other, env={"SHARDSTATS_NO_CONFIG": "1"}), "ndjson")
        for off in (["--config", ""], ["--no-config"], ["--no-config", "--config", "missing.toml"]):
            self.assertEqual(self.format_of(*off), "text", off)
        self.assertEqual(self.format_of(env={"SHARDSTATS_NO_CONFIG": "1"}), "text")
        missing = self.tool("verify", "--config", "missing.toml", LOG)
        self.assertEqual((missing.returncode, missing.stdout), (2, b""))
        self.assertIn(b"missing.toml: cannot read", missing.stderr)

    def test_wrong(self):
        for text, command, message in WRONG:
            with self.subTest(text):
                (self.path / "c.toml").write_text(text)
                done = self.tool(*command, "--config", "c.toml", LOG)
                self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
                self.assertIn("shardstats: error: " + message, done.stderr.decode())

    def test_wrong_environment(self):
        for variable, value, message in (("FORMAT", "jsn", "--format: 'jsn': expected text"), ("THREADS", "x", ""),
                                         ("TABLE", "(", "--table '('"), ("ASCII", "perhaps", ""),
                                         ("FAIL_ON", "never", "--fail-on: 'never': expected error")):
            done = self.tool("verify", LOG, env={"SHARDSTATS_" + variable: value})
            self.assertEqual((done.returncode, done.stdout), (2, b""), variable)
            self.assertIn(f"shardstats: error: SHARDSTATS_{variable}: {message}", done.stderr.decode())

    def test_values(self):
        notes = self.tool("verify", LOG, config='fail-on = "note"')
        self.assertEqual(notes.returncode, 1)
        self.assertEqual(self.tool("verify", LOG, config='fail-on = "note"\nignore = ["tiers"]').returncode, 0)
        self.assertEqual(self.tool("verify", LOG, env={"SHARDSTATS_FAIL_ON": "note"}, config="").returncode, 1)
        self.assertEqual(self.tool("verify", LOG, config='quiet = true\n[verify]\nquiet = false').stdout,
                         self.tool("verify", LOG, config="").stdout)
        quiet = self.tool("verify", "-q", LOG, config="").stdout
        self.assertEqual(self.tool("verify", LOG, config="quiet = true").stdout, quiet)
        self.assertEqual(self.tool("verify", LOG, config="", env={"SHARDSTATS_QUIET": "1"}).stdout, quiet)
        self.assertEqual(self.tool("verify", LOG, config="select = []\nthreads = 2").returncode, 0)
        one = json.loads(self.tool("reconstruct", "-f", "json", LOG,
                                   config='table = ["ad_emb", "pub"]\nexclude-table = "pub"').stdout)
        self.assertEqual([t["fqn"] for t in one["logs"][0]["blocks"][0]["tables_detail"]],
                         ["model.position_ebc_weighted.ad_emb"])
        assumed = self.tool("reconstruct", "-f", "json", LOG, config='assume = ["pipeline=train_sparse_dist"]')
        self.assertIn(b'"origin":"flag"', assumed.stdout)

    def test_a_shared_format_is_for_the_commands_that_have_it(self):
        for env, config in (({"SHARDSTATS_FORMAT": "ndjson"}, ""), ({}, 'format = "ndjson"')):
            self.assertEqual(self.tool("rules", "rank.hbm", config=config, env=env).returncode, 0)
        self.assertEqual(self.tool("rules", "rank.hbm", config='[rules]\nformat = "ndjson"').returncode, 2)

    def test_a_setting_that_a_run_has_no_use_for_is_for_others(self):
        change = ["whatif", "--set", "batch_size=4", LOG]
        alone = self.tool(*change, config="").stdout
        for env, config in (({"SHARDSTATS_MAX_HBM": "9GiB"}, ""), ({}, 'max-hbm = "9GiB"'),
                            ({}, '[whatif]\nmax-hbm = "9GiB"')):
            with self.subTest(env=env, config=config):
                done = self.tool(*change, env=env, config=config)
                self.assertEqual((done.returncode, done.stdout), (0, alone), done.stderr)
                limit = self.tool("whatif", "--max", "batch_size", LOG, env=env, config=config).stdout
                self.assertIn(b"fits 9.000 GiB", limit)
                limit = self.tool("whatif", LOG, env=env | {"SHARDSTATS_MAX": "batch_size"}, config=config).stdout
                self.assertIn(b"fits 9.000 GiB", limit)
        self.assertEqual(self.tool("whatif", "--max-hbm", "9GiB", *change[1:], config="").returncode, 2)
        rendered = self.tool(*change, "--render", config="").stdout
        for env, config in (({"SHARDSTATS_FORMAT": "json"}, ""), ({}, 'format = "json"')):
            with self.subTest(env=env, config=config):
                done = self.tool(*change, "--render", env=env, config=config)
                self.assertEqual((done.returncode, done.stdout), (0, rendered), done.stderr)
        self.assertEqual(self.tool(*change, "--render", config='[whatif]\nformat = "json"').returncode, 2)

    def test_changes_of_the_command_line_win_over_those_of_other_options(self):
        largest = '[whatif]\nmax = "batch_size"\nmax-hbm = "9GiB"'
        (self.path / "changes.txt").write_text("batch_size = 4\n")
        (self.path / "ad_emb.txt").write_text("ad_emb.rows = 7\n")
        for words, config, other in (
                (["--set", "batch_size=4"], largest, ["--set", "batch_size=4"]),
                (["--changes", "changes.txt"], largest, ["--set", "batch_size=4"]),
                (["--set", "world_size=4,8"], largest, ["--set", "world_size=4,8"]),
                (["--set", "dtype=fp16"], largest, ["--set", "dtype=fp16", "--max", "batch_size", "--max-hbm", "9GiB"]),
                (["--set", "dtype=fp16", "--render"], largest, ["--set", "dtype=fp16", "--render"]),
                (["--max", "batch_size"], 'set = "batch_size=4"', ["--max", "batch_size"]),
                (["--set", "batch_size=8"], 'changes = "changes.txt"', ["--set", "batch_size=8"]),
                (["--changes", "changes.txt"], 'set = ["batch_size=8", "dtype=fp16"]',
                 ["--set", "dtype=fp16", "--set", "batch_size=4"]),
                (["--changes", "ad_emb.txt"], 'set = "position_ebc_weighted.ad_emb.rows=5"', ["--set", "ad_emb.rows=7"])):
            with self.subTest(words=words, config=config):
                done = self.tool("whatif", *words, LOG, config=config)
                alone = self.tool("whatif", *other, LOG, config="")
                self.assertEqual((done.returncode, done.stdout),
                                 (0, alone.stdout), done.stderr)
        for words, config in ((["--set", "batch_size=4", "--max", "batch_size"], ""),
                              (["--set", "batch_size=4", "--max-hbm", "9GiB"], '[whatif]\nmax = "batch_size"'),
                              ([], '[whatif]\nmax = "batch_size"\nset = "batch_size=4"'),
                              ([], '[whatif]\nmax = "ad_emb.rows"\nset = "position_ebc_weighted.ad_emb.rows=4"')):
            with self.subTest(words=words, config=config):
                self.assertEqual(self.tool("whatif", *words, LOG, config=config).returncode, 2)

    def test_changes_of_the_command_line_win_over_those_of_the_same_table(self):
        one, whole = "ad_emb", "model.position_ebc_weighted.ad_emb"
        other = "share_embed_emb"
        for words, changes, alone in (
                ([f"{one}.rows=7"], f"{whole}.rows=5", [f"{one}.rows=7"]),
                ([f"{one}.rows=7"], f"model.*.{one}.rows=5", [f"model.*.{one}.rows=5", f"{one}.rows=7"]),
                ([f"{one}.rows=7"], f"drop {whole}", [f"{one}.rows=7"]),
                ([f"{one}.rows=7"], f"drop *.{one}", [f"{one}.rows=7"]),
                ([f"drop {one}"], f"*.{one}.rows=5", [f"drop {one}"]),
                ([f"{one}.rows=7", f"{other}.rows=9"], "drop *emb", [f"{one}.rows=7", f"{other}.rows=9"]),
                ([f"{one}.rows=7"], f"drop {other}", [f"drop {other}", f"{one}.rows=7"])):
            with self.subTest(words=words, changes=changes):
                done = self.changed(words, changes)
                expected = self.tool("whatif", *(f"--set={text}" for text in alone), LOG, config="")
                self.assertEqual((done.returncode, done.stdout), (0, expected.stdout), done.stderr)

    def test_changes_of_the_settings_that_stay_contradict_those_of_the_command_line(self):
        one, whole = "ad_emb", "model.position_ebc_weighted.ad_emb"
        asked = f'[whatif]\nmax = "{one}.rows"\nmax-hbm = "9GiB"'
        for words, changes, config, message in (
                ([f"{one}.rows=7"], "drop *emb", "", f"'drop *emb' leaves nothing for '{one}.rows=7'"),
                ([f"{one}.rows=7"], f"{whole}.rows=5,6", "", f"'{whole}.rows=5' and '{one}.rows=7' set the same"),
                ([f"{whole}.rows=7"], "", asked, f"'{whole}.rows=7' and '--max {one}.rows' set the same"),
                ([f"drop {one}"], "", asked, f"'drop {one}' leaves nothing for '--max {one}.rows'")):
            with self.subTest(words=words, changes=changes, config=config):
                done = self.changed(words, changes, config)
                self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
                self.assertIn(message, done.stderr.decode())

    def changed(self, words, changes, config=""):
        """whatif with the words on the command line and the changes, and more, in the settings."""
        (self.path / "changes.txt").write_text(changes)
        return self.tool("whatif", *(f"--set={text}" for text in words), LOG,
                         config='changes = "changes.txt"\n' + config)

    def test_colours(self):
        def colours(**more):
            return b"\033[" in self.tool("verify", LOG, **more).stdout
        config = 'color = "always"'
        self.assertTrue(colours(config=config))
        self.assertFalse(colours(config=config, env={"NO_COLOR": "1"}))
        self.assertTrue(colours(config=config, env={"NO_COLOR": "1", "SHARDSTATS_COLOR": "always"}))
        self.assertFalse(colours(config='color = "never"', env={}))

    def test_the_log_variable_keeps_its_meaning(self):
        done = self.tool("verify", "-q", config="", env={"SHARDSTATS_LOG": str(LOG)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(LOG).encode(), done.stdout)

    def test_budgets(self):
        limits = '[check]\nmax-hbm = "9GiB"\n' + TABLES + 'max-hbm = "1.5GiB"\n'
        self.assertEqual(self.tool("check", LOG, config=limits).returncode, 1)
        self.assertEqual(self.tool("check", "--max-hbm", "10GiB", LOG).returncode, 1)  # device_os_ad_id
        self.assertEqual(self.tool("check", LOG, env={"SHARDSTATS_MAX_HBM": "10GiB"},
                                   config=limits.replace('"ad"', '"ad_emb"')).returncode, 0)
        self.assertEqual(self.tool("check", LOG, config="").returncode, 2)

    def test_sizes_in_bytes(self):
        for limit, status in (("10737418240", 0), ("8589934592", 1), ("1048575", 2)):
            check = self.tool("check", LOG, config=f"[check]\nmax-hbm = {limit}")
            diff = self.tool("diff", LOG, LOG, config=f"[diff]\nfail-on-increase = {limit}")
            self.assertEqual(check.returncode, status, check.stderr)
            self.assertEqual(diff.returncode, 2 if status == 2 else 0, diff.stderr)
            self.assertEqual(self.tool("check", "--max-hbm", limit, LOG).returncode, status)
        largest = ["whatif", "--max", "batch_size", "-q", "--max-hbm"]
        said = [self.tool(*largest, size, LOG).stdout for size in ("10GiB", "10737418240")]
        self.assertEqual(*said)

    def test_nothing_is_read_that_is_not_needed(self):
        for arguments in (["--version"], ["--help"], ["verify", "--help"]):
            self.assertEqual(self.tool(*arguments, config="no toml at all").returncode, 0)


if __name__ == "__main__":
    unittest.main()
