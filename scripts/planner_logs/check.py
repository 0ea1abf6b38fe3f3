#!/usr/bin/env python3
"""Holds a shardstats binary against logs that generate.py wrote: `check.py BINARY LOG...`.

Prints each log that `verify` reports errors of, though nothing in it is wrong, and each whose true storage or perf of a
shard is outside the bounds that `reconstruct` states. Exit status 1 if there is any.
"""

import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys


class Crash(Exception):
    """Of the binary on a log."""


def blocks_of(binary, command, log):
    done = subprocess.run([binary, command, "--format", "json", log], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise Crash(f"{command} ends with status {done.returncode}")
    return json.loads(done.stdout)["logs"][0]["blocks"]


def errors_of(binary, log):
    """The rules of the errors of an undamaged log, with how often each was reported."""
    blocks = blocks_of(binary, "verify", log)
    rules = collections.Counter(f["rule"] for b in blocks for f in b["findings"] if f["severity"] == "error")
    return [f"{count} {rule}" for rule, count in rules.items()]


def by_rank(shards):
    """Shards of a table on one rank are interchangeable: the same size makes them the same."""
    ranks = collections.defaultdict(list)
    for shard in shards:
        ranks[shard["rank"]].append(shard)
    for rank, on_rank in sorted(ranks.items()):
        yield rank, sorted(on_rank, key=lambda s: (bounds(s["rows"]), bounds(s["cols"])))


def bounds(value):
    return (value["low"], value["high"]) if isinstance(value, dict) else (value, value)


def is_outside(true, stated):
    low, high = bounds(stated)
    rounding = 1e-9 * abs(true)
    return (low is not None and true < low - rounding) or (high is not None and true > high + rounding)


def wrong_of(truth, block):
    """Each shard's true values that are outside their bounds."""
    if not block["tables_detail"]:  # without debug the log has no tables
        return
    stated = collections.defaultdict(list)
    for table in block["tables_detail"]:
        stated[table["fqn"]].append(table)
    for table in truth["tables"]:
        ours = stated[table["fqn"]].pop(0)["shards"] if stated[table["fqn"]] else []
        pairs = zip(by_rank(table["shards"]), by_rank(ours))
        if len(ours) != len(table["shards"]):
            yield f"{table['fqn']} has {len(table['shards'])} shards, not {len(ours)}"
        for (rank, true_shards), (_, our_shards) in pairs:
            for true, our in zip(true_shards, our_shards):
                perf = our.get("perf") or {}
                for name, value in (("hbm", our["hbm"]), ("ddr", our["ddr"]), ("perf", perf.get("total"))):
                    if value is not None and is_outside(true[name], value):
                        yield f"{table['fqn']} on rank {rank}: {name} {true[name]} is not in {bounds(value)}"


def check(binary, log):
    """What is misunderstood of the log, a line each."""
    try:
        return [f"{log.name}: {line}" for line in misunderstood(binary, log)]
    except Crash as crash:
        return [f"{log.name}: {crash}"]


def misunderstood(binary, log):
    errors = errors_of(binary, log)
    if errors:
        yield f"errors: {', '.join(errors)}"
    wrong = list(wrong_of(json.loads(log.with_suffix(".json").read_text()), blocks_of(binary, "reconstruct", log)[0]))
    if wrong:
        yield f"{len(wrong)} wrong bounds: {wrong[0]}"


def main():
    binary, logs = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda log: check(binary, log), logs))
    for lines in found:
        print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{sum(map(bool, found))} of {len(logs)} logs are misunderstood")
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
