"""`anonymize`: the list of names leads back to the log, and is written nowhere else."""
import json
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import BINARY, LOGS, block_of, damaged, run

LOG = "v1.4.0.log"
WRONG = damaged(LOG, "8.941", "8.945", "position_ebc.device_os_ad_id")


class NameMap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self, path: Path) -> dict:
        """Replacement -> name."""
        if path.suffix == ".json":
            return {one["replacement"]: one["name"] for one in json.loads(path.read_text())["names"]}
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        self.assertEqual(rows[0], ["kind", "name", "replacement"])
        return {replacement: name for _, name, replacement in rows[1:]}

    def test_leads_back(self):
        for name in ("names.json", "names.tsv", "names"):
            with self.subTest(name):
                done = run("anonymize", "--map", self.folder / name, LOG)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                text = done.stdout.decode()
                for replacement, original in self.names(self.folder / name).items():
                    text = text.replace(replacement, original)
                self.assertEqual(text, (LOGS / LOG).read_text())

    def test_readable_by_owner_alone(self):
        path = self.folder / "names.tsv"
        path.write_text("old")
        path.chmod(0o644)
        self.assertEqual(run("anonymize", "--map", path, LOG).returncode, 0)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertTrue(path.read_text().startswith("kind\t"))

    def test_never_with_the_log(self):
        out = self.folder / "out.log"
        old = self.folder / "old.log"
        old.write_text("old")
        link = self.folder / "link"
        link.symlink_to(old)
        copy = self.folder / "copy.log"
        copy.write_bytes((LOGS / LOG).read_bytes())
        for arguments in (["--map", "-"], ["-o", out, "--map", out], ["-o", old, "--map", link],
                          ["-o", out, "--map", f"{self.folder}/./out.log"], ["--map", "/dev/stdout"]):
            with self.subTest(arguments):
                done = run("anonymize", *arguments, LOG)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"--map", done.stderr)
                self.assertFalse(out.exists())
                self.assertEqual(old.read_text(), "old")
        done = run("anonymize", "--map", copy, copy)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(copy.read_bytes(), (LOGS / LOG).read_bytes())

    def test_standard_input_is_the_log(self):
        path = self.folder / "train.log"
        for arguments in ([], ["-"]):
            path.write_bytes((LOGS / LOG).read_bytes())
            with open(path, "rb") as log:
                done = subprocess.run([BINARY, "anonymize", "--map", path, *arguments], stdin=log, capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(path.read_bytes(), (LOGS / LOG).read_bytes())

    def test_standard_output_is_a_file(self):
        path = self.folder / "out.log"
        with open(path, "wb") as out:
            done = subprocess.run([BINARY, "anonymize", "--map", path, LOGS / LOG], stdout=out, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(path.read_bytes(), b"")

    def test_not_written(self):
        done = run("anonymize", "--map", self.folder / "none" / "names.tsv", LOG)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"cannot write", done.stderr)


class Blocks(unittest.TestCase):
    def test_same_names_in_several_logs(self):
        once = run("anonymize", LOG).stdout
        done = run("anonymize", LOG, "missing.log", LOG)
        self.assertEqual((done.returncode, done.stdout), (2, once + once))
        self.assertIn(b"missing.log", done.stderr)

    def test_threads_change_nothing(self):
        logs = sorted(path.name for path in LOGS.glob("*.log"))
        self.assertEqual(run("anonymize", "--threads", "4", *logs).stdout,
                         run("anonymize", "--threads", "1", *logs).stdout)

    def test_prefixes_go(self):
        secret = b"".join(b"[bob@host7 /home/bob] " + line for line in (LOGS / LOG).read_bytes().splitlines(True))
        done = run("anonymize", stdin=b"loading /home/bob/users.csv\n" + secret + b"bye bob\n")
        self.assertEqual(done.stdout, run("anonymize", LOG).stdout)

    def test_wrong_number_is_found_again(self):
        done = run("anonymize", stdin=WRONG)
        self.assertIn(b"`shardstats verify` reports", done.stderr)
        self.assertNotIn(b"device_os", done.stdout)
        before, after = (block_of("verify", stdin=log, status=1)["findings"] for log in (WRONG, done.stdout))
        self.assertTrue(before)
        places = [[(f["rule"], f["line"], f["column"], f["text"], f["expected"], len(f["suspects"])) for f in findings]
                  for findings in (before, after)]
        self.assertEqual(places[0], places[1])


if __name__ == "__main__":
    unittest.main()
