"""Checks that only the include edges of the layering exist (CONTRIBUTING.md), and that this check sees a bad one."""

import os
import pathlib
import re
import unittest

# folder -> the other folders whose headers it may include. Every folder may include itself and the loose headers.
ALLOWED = {
    "numbers": set(),
    "input": set(),
    "log": {"input", "numbers"},
    "planner": {"numbers"},
    "infer": {"numbers", "log", "planner"},
    "analysis": {"numbers", "log", "planner", "infer"},
    "report": {"analysis", "numbers", "input"},  # result structs are made of intervals and places
    "cli": {"numbers", "input", "log", "planner", "infer", "analysis", "report"},
}
LOOSE = {"ascii.h", "limits.h", "utf8.h", "vocabulary.h", "version.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def folder_of(path):
    """The folder of src/ or include/shardstats/ that a file belongs to, or None for a loose header."""
    parts = pathlib.PurePosixPath(path).parts
    parts = parts[1:] if parts[0] == "src" else parts[2:]
    return parts[0] if len(parts) > 1 else None


def included_folder(name, own):
    """The folder that an include names: "shardstats/log/printed.h", "log/x.h", "src/log/x.h", or "x.h" beside it."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "src":
        parts = parts[1:]
    if parts[0] == "shardstats":
        parts = parts[1:]
        if len(parts) == 1:
            return own if parts[0] in LOOSE else parts[0]
    return parts[0] if len(parts) > 1 else own


def violations(path, text):
    """What is wrong with the includes of one file, as lines to print."""
    own = folder_of(path)
    if own is not None and own not in ALLOWED:
        return [f"{path}: folder {own} is not in the layering"]
    allowed = ALLOWED[own] | {own} if own is not None else {None}
    found = []
    for name in INCLUDE.findall(text):
        folder = included_folder(name, own)
        if folder not in allowed:
            found.append(f"{path}: {own or 'a loose header'} must not include {name}")
    return found


def source_files(root):
    for top in ("src", "include/shardstats"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path


class Layers(unittest.TestCase):
    def test_the_tree_keeps_the_layering(self):
        root = pathlib.Path(os.environ.get("SHARDSTATS_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
        files = list(source_files(root))
        self.assertGreater(len(files), 10, "no sources found")
        found = []
        for path in files:
            found += violations(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        self.assertEqual([], found, "\n".join(found))

    def test_the_documentation_has_the_same_edges(self):
        root = pathlib.Path(os.environ.get("SHARDSTATS_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
        table = (root / "CONTRIBUTING.md").read_text(encoding="utf-8").split("may include |")[1].split("\n\n")[0]
        rows = [row.split("|")[1:-1] for row in table.splitlines()[2:]]
        said = {folder.strip(" `"): set(re.findall("`(\\w+)`", allowed)) for folder, _, allowed in rows}
        self.assertEqual(said, ALLOWED | {"cli": set()})  # "all"

    def test_good_edges(self):
        for path, name in [
            ("src/log/parse.cc", "shardstats/input/blocks.h"),
            ("src/log/parse.cc", "shardstats/vocabulary.h"),
            ("src/input/source.cc", "input/decompress.h"),
            ("src/input/source.cc", "decompress.h"),
            ("include/shardstats/report/json.h", "shardstats/analysis/verify.h"),
            ("src/cli/main.cc", "shardstats/report/json.h"),
        ]:
            self.assertEqual([], violations(path, f'#include "{name}"\n'), (path, name))

    def test_bad_edges(self):
        for path, name in [
            ("src/numbers/interval.cc", "shardstats/log/printed.h"),
            ("src/planner/storage.cc", "shardstats/log/printed.h"),
            ("src/planner/storage.cc", "log/private.h"),
            ("src/planner/storage.cc", "src/log/private.h"),
            ("src/infer/search.cc", "shardstats/input/source.h"),
            ("src/report/json.cc", "shardstats/log/printed.h"),
            ("include/shardstats/input/source.h", "shardstats/numbers/interval.h"),
            ("src/input/source.cc", "shardstats/other.h"),
            ("include/shardstats/vocabulary.h", "shardstats/log/printed.h"),
            ("src/elsewhere/x.cc", "shardstats/log/printed.h"),
        ]:
            self.assertEqual(1, len(violations(path, f'#include <vector>\n# include "{name}"\n')), (path, name))


if __name__ == "__main__":
    unittest.main()
