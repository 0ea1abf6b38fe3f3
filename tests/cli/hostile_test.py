"""Logs that try to exhaust the tool: a clear error or a finding, no crash, bounded time and memory."""
import bz2
import gzip
import json
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import BINARY, LOGS, SANITIZED

LINES = (LOGS / "v1.8.0.log").read_text().split("\n")
EMPTY = (LOGS / "v0.8.0-empty.log").read_text()
MEMORY = 4_000_000 << 10  # bytes
SECONDS = 20  # of processor time, with room for a debug build


def many(count: int) -> int:
    """So many lines that quadratic time shows; sanitizers look at the same code with fewer."""
    return count // 8 if SANITIZED else count


def at(mark: str) -> int:
    return next(i for i, line in enumerate(LINES) if mark in line)


def changed(mark: str, old: str, new: str) -> str:
    """The log with one text of the first line that has `mark` changed."""
    lines = list(LINES)
    assert old in lines[at(mark)], (mark, old)
    lines[at(mark)] = lines[at(mark)].replace(old, new, 1)
    return "\n".join(lines)


def with_rows(mark: str, count: int, rows) -> str:
    """The log with `rows` in place of the `count` lines from the one that has `mark`."""
    return "\n".join(LINES[: at(mark)] + list(rows) + LINES[at(mark) + count :])


def table_row(i: int) -> str:
    name = "fused_ebc.like_creative_slot_emb"
    return LINES[at(name)].replace(name, f"t{i}".rjust(len(name)))


def tables(count: int, change=lambda row, i: row) -> str:
    return with_rows("like_creative_slot_emb", 6, (change(table_row(i), i) for i in range(count)))


def ranks(numbers) -> str:
    row = LINES[at("   7.856 (9%)")]
    return with_rows("   7.856 (9%)", 2, (row.replace("         0   ", f"{n:10d}   ", 1) for n in numbers))


def nested_json(depth: int) -> str:
    text = "\n".join(LINES)
    for _ in range(depth):
        text = json.dumps({"m": text})
    return text


def repeated_header() -> str:
    lines = list(LINES)
    lines[at("FQN")] = lines[at("FQN")].replace("   Sharding", "        FQN", 1)
    return "\n".join(lines)


def box(lines, width: int = 240) -> str:
    return "\n".join(["#" * width, *(("# " + line).ljust(width - 1) + "#" for line in lines), "#" * width, ""])


def column_table(header, dashes, rows):
    widths = [3 + max(len(row[c]) for row in [header, *rows]) for c in range(len(header))]
    rule = ["-" * count for count in dashes]
    return ["".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [header, rule, *rows]]


def split_by_memory(count: int) -> str:
    """A row-wise table on devices of two sizes by turns, so that each rank has a part of its own."""
    rows = count * 2**26
    ranks = [[str(r), ("0.8 (9%)", "1.2 (3%)")[r % 2], "0.0 (0%)", "0.0 (0,0,0,0,0)", "0.0", "0.6", "RW: 1"]
             for r in range(count)]
    table = ["ebc.user_id", "RW", "fused", "0.0 (0,0,0,0,0)", f"({float(count)} GB, 0.0 GB)", "None", "1.0", "1.0", "pooled",
             "unweighted", "EmbeddingBagCollectionSharder", "1", "4", str(rows), f"0-{count - 1}"]
    headers = ["FQN", "Sharding", "Compute Kernel", "Perf (ms)", "Storage (HBM, DDR)", "Cache Load Factor", "Pooling Factor",
               "Num Poolings", "Output", "Weighing", "Sharder", "Features", "Emb Dim (CW Dim)", "Hash Size", "Ranks"]
    return box([
        "--- Planner Statistics ---".center(236),
        "--- Evaluated 1 proposal(s), found 1 possible plan(s), ran for 0.01s ---".center(236),
        "-" * 236,
        *column_table(["Rank", "HBM (GB)", "DDR (GB)", "Perf (ms)", "Input (MB)", "Output (MB)", "Shards"],
                      [6, 10, 10, 11, 12, 13, 8], ranks),
        "",
        "Parameter Info:",
        *column_table(headers, [5, 10, 16, 11, 20, 19, 16, 14, 8, 10, 9, 10, 18, 11, 7], [table]),
        "",
        "Batch Size: 1",
        "",
        "Planning Memory:",
        "   HBM: 27.2 GB, DDR: 128.0 GB",
        "   Percent of Total HBM: 85%",
    ])


def lines_between(before: str, line: str, count: int, behind: str) -> str:
    return before + f"{line}\n" * count + behind


BORDER, TITLE = "#" * 90, "#" + "--- Planner Statistics ---".center(88) + "#"
SIDE_TEXT = TITLE + " text behind the box"
WIDE = 60_000
BIG = "99999999999999999999"
CITY = "fused_ebc.city_table"


def kernels(count: int) -> str:
    """A kernel for each table, and a line for each of them among those of the constraints."""
    log = tables(count, lambda row, i: row.replace("     fused   ", f"  k{i:07d}   "))
    lines = log.split("\n")
    line = next(i for i, text in enumerate(lines) if "Hardcoded fused" in text)
    lines[line:line + 1] = (lines[line].replace("Hardcoded fused: 2", f"Hardcoded k{i:07d}: 1")[:len(lines[line]) - 1] + "#"
                            for i in range(count))
    hardcoded = next(i for i, text in enumerate(lines) if "Hardcoded: 2" in text)
    lines[hardcoded] = lines[hardcoded].replace("Hardcoded: 2, Auto-selected: 4", f"Hardcoded: {count}, Auto-selected: 0")
    return "\n".join(lines)

HEAD, ROW = at("FQN"), at("like_creative_slot_emb")

CASES = [  # what, log, status, part of what is printed
    ("ranks beyond all clusters", changed(CITY, "       0-1 ", " 0-99999999 "), 1, "log.malformed_cell"),
    ("more ranks than there are", changed(CITY, "    0-1 ", "0-99999 "), 1, "the last rank is 1"),
    ("batch size beyond 64 bits", changed("Batch Size:", "1024", BIG), 1, "log.bounds"),
    ("batch size beyond its bound", changed("Batch Size:", "1024", "9223372036854775807"), 1, "log.bounds"),
    ("count beyond 64 bits", changed("   fused: 5", "5", BIG), 1, "log.bounds"),
    ("features beyond their bound", changed(CITY, "Sharder            2", "Sharder     99999999"), 1, "log.bounds"),
    ("rows beyond 64 bits", changed(CITY, "20000000", BIG), 1, "log.bounds"),
    ("table beyond its bound", changed(CITY, "20000000", "9000000000000000000"), 1, "log.bounds"),
    ("world size beyond its bound", EMPTY.replace("World Size: 16        ", "World Size: 1000000000"), 1, "log.bounds"),
    ("number with an exponent", changed(CITY, "112.025", " 1e+308"), 1, "log.bounds"),
    ("share of a thousand digits", changed("   7.856 (9%)", "(9%)", "(" + "9" * 1000 + "%)"), 1, "error"),
    ("a million batch sizes", changed(CITY, "       0-1 ", "       0-1 " + ", 1024" * many(10**6)), 1, "log."),
    ("column header twice", repeated_header(), 0, "log.unknown_column"),
    ("ranks backwards", ranks(range(many(3000), 0, -1)), 1, "log.rank_rows"),
    ("one rank again and again", ranks([7] * many(3000)), 1, "log.rank_rows"),
    ("strings in strings", nested_json(12), 1, "log."),
    ("a thousand strings open", '["' * 1000 + "# --- Planner Statistics ---" + '"]' * 1000, 2, "no planner block found"),
    ("unknown lines", "\n".join(LINES[:2] + [f"#    foo bar {i}" for i in range(many(50_000))] + LINES[2:]), 0,
     "log.unknown_line"),
    ("parameter table again and again",
     "\n".join(LINES[:HEAD] + [LINES[HEAD], LINES[HEAD + 1], LINES[ROW]] * many(3000) + LINES[HEAD + 8 :]), 1,
     "log.repeated_lines"),
    ("one table again and again",
     "\n".join(LINES[:ROW] + [LINES[ROW]] * many(3000) + LINES[HEAD + 8 :]), 1, "log.duplicate_table"),
    ("three malformed cells in each row",
     tables(many(100_000), lambda row, i: row.replace(" pooled ", " po0led ").replace("unweighted", "un0eighted")
            .replace(" GB, ", " GB; ", 1)), 1, "log.unknown_format"),
    ("a kernel for each table and constraint", kernels(many(16_000)), 1, "error"),
    ("a kernel for each table", tables(many(8000), lambda row, i: row.replace("     fused   ", f"  k{i:07d}   ")), 1, "error"),
    ("a sharder for each table",
     tables(many(16_000), lambda row, i: row.replace("EmbeddingBagCollectionSharder", f"EmbeddingBagCollectionS{i:06d}")),
     1, "error"),
    ("a module for each table that lost its sharder",
     tables(many(16_000), lambda row, i: row.replace("EmbeddingBagCollectionSharder", " " * 29)
            .replace(f"{f't{i}':>12} ", f"{f'm{i}.t':>12} ")), 1, "error"),
    ("titles only", "# --- Planner Statistics ---\n" * many(100_000), 2, "no planner block found"),
    ("borders only", ("#" * 90 + "\n") * many(100_000), 2, "no planner block found"),
    # Each took minutes when a part of it was read again for each of its lines.
    ("box lines in front of a piece of a border",
     lines_between("", "# x", many(1_200_000), "a" + "#" * 20 + "\n# HBM (GB) #\n"), 2, "no planner block found"),
    ("box lines in front of a damaged block",
     lines_between("", "# x", many(400_000), lines_between(f"{BORDER}\n{SIDE_TEXT}\n", "# y #", many(200_000), BORDER)), 1,
     "error"),
    ("titles that are not centred", lines_between("", "# --- Planner Statistics ---   text  #", many(800_000), ""), 2,
     "no planner block found"),
    ("runs of # without an end", lines_between("", "#" * 61 + " x", many(60_000), "# HBM (GB)\n# Compute Kernels:\n"), 1,
     "error"),
    ("a run of # below a title", "\n".join((BORDER, TITLE, "#" * many(4_000_000))), 1, "log.missing_lines"),
    ("boxes in a line of a wide box",
     "\n".join(f"x {line}" for line in ("#" * WIDE, "#" + TITLE.strip("#").center(WIDE - 2) + "#",
                                        "# " * many(2_000_000) + "z", "#" * WIDE)), 1, "error"),
    ("signs that begin no tag", "\n".join((BORDER, TITLE, "# " + "<" * many(25_000_000), BORDER)), 1, "error"),
    ("borders of many processes", "".join(f"p{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)} {BORDER}\n"
                                          for i in range(many(17_000))) + "x # Compute Kernels Count:\n", 2,
     "no planner block"),
    ("ranks of many records on one line",
     json.dumps({"msg": "\n".join([BORDER, TITLE] + ["# x"] * many(100_000)),
                 "of": [{"rank": i} for i in range(many(50_000))]}), 1,
     "log.unknown_line"),
    ("a long key in front of lines that end as borders do",
     "\n".join([json.dumps({"log": BORDER}), json.dumps({"log": TITLE}), json.dumps({"k" * 16_000_000: SIDE_TEXT})] +
               ["# x ##"] * many(60_000)), 1, "error"),
    ("strings that end as borders do, in front of one with many quotes",
     "\n".join((BORDER, TITLE, json.dumps(["# x ##"] * many(60_000)), "\"'[{" * 2000)), 1, "error"),
    # As many as meet the bound, also under sanitizers.
    ("lines of one string", json.dumps({"rank": "r" * 64, "msg": "\n".join([BORDER, TITLE] + ["# x"] * 1_000_000)}), 2,
     "bytes of damaged lines"),
    ("beginnings of rows between rows", ranks(range(many(60_000))).replace("\n#     ", "\n# 1 2\n#     "), 1, "error"),
    ("shares of no rank on one line", "\n".join(LINES[:8] + ["y " + "x%) " * many(300_000)] + LINES[8:]), 0,
     "log.foreign_lines"),
    ("escape sequences", "\n".join(LINES[:8] + ["\x1b[" * 10**5 + "[0;" * 10**5] + LINES[8:]), 0, "log.foreign_lines"),
    ("overwritten line", "\n".join(LINES[:8] + ["# a\r" * 10**5] + LINES[8:]), 0, "block"),
]
COMPRESSED = [  # what, bytes, part of the message
    ("gzip in gzip", gzip.compress(gzip.compress(b"x")), "it is compressed more than once"),
    ("bzip2 in gzip", gzip.compress(bz2.compress(b"x")), "it is compressed more than once"),
    ("gzip in gzip, 20 times", None, "it is compressed more than once"),
    ("300 MB of zeros", gzip.compress(bytes(300 << 20), 9), "it decompresses to more than"),
    ("many zeros in many bzip2 streams", bz2.compress(bytes(1 << 24)) * 16, "it decompresses to more than"),
]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def may_be_limited() -> bool:
    """Sanitizers reserve more address space than any limit."""
    return subprocess.run([BINARY, "--version"], preexec_fn=limited, capture_output=True).returncode == 0


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.limit = staticmethod(limited) if may_be_limited() else None

    def check(self, log: bytes, status: int, text: str, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "hostile.log"
            path.write_bytes(log)
            done = subprocess.run([BINARY, *arguments, path], capture_output=True, preexec_fn=self.limit, timeout=300,
                                  env={"PATH": os.environ.get("PATH", "")})
        self.assertEqual(done.returncode, status, done.stderr[-500:])
        self.assertIn(text, (done.stdout + done.stderr).decode(errors="replace"))

    def test_logs(self):
        for what, log, status, text in CASES:
            with self.subTest(what):
                self.check(log.encode(), status, text, "verify")

    def test_many_ranks_with_parts_of_their_own(self):
        self.check(split_by_memory(40_000).encode(), 0, "rank", "reconstruct")

    def test_compressed(self):
        for what, content, message in COMPRESSED:
            with self.subTest(what):
                if content is None:
                    content = b"x"
                    for _ in range(20):
                        content = gzip.compress(content)
                self.check(content, 2, message, "verify")

    def test_blocks_before_a_bound_are_reported(self):
        log = "\n".join(LINES) + '\n{"m": "' + " " * (1 << 26) + '# --- Planner Statistics ---"}\n'
        self.check(log.encode(), 2, "hostile.log: block 1", "verify")
        self.check(log.encode(), 2, f"hostile.log:{len(LINES) + 1}", "verify")

    def test_a_block_too_large_to_print(self):
        rows = [" ".join(table_row(i).split()) for i in range(9000)]
        squeezed = [" ".join(line.split()) for line in LINES]
        wide = squeezed[ROW].replace("fused_ebc", "f" * 300_000)
        log = "\n".join(squeezed[:ROW] + [wide] + rows + squeezed[ROW + 6 :])
        self.check(log.encode(), 2, "too large to be printed", "render")


if __name__ == "__main__":
    unittest.main()
