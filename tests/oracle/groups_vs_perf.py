#!/usr/bin/python3
"""Compares the trees of groups that flametop makes of recordings with what perf says of them.

usage: groups_vs_perf.py [-v] FILE...      the program: $FLAMETOP, else build/flametop

For each file:
  self     of every group of several orders of keys equals the samples of perf script with these
           values, and their periods
  total    of recordings named *-chains.data: of every group of tasks and DSOs equals the
           samples of perf script that have a frame of it. In others the outermost callers may be
           guesses, and differ: see replay_stacks.py
  report   self of every group by comm, dso, symbol equals perf report --hierarchy's, where both
           name all addresses of the function
Samples of idle are in no group, so they are left out of perf's, too.
Ends with 0 when all is equal, 1 when not, 77 when perf or a compiler is missing.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from replay_vs_perf import (PERF, WITHOUT_DEBUG_FILES, Flametop, Mismatch, Perf, address_of, compare,
                            counted, missing_tool, dso_name, dso_of, raw_name, run)

SAMPLE = re.compile(r"^\s*(.+?)\s+(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+\d+\.\d+:\s*$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?) \((.*)\)$")
REPORT_LINE = re.compile(r"^ (( {3})*)[\d.]+% *\| *(\d+) *\|(.*?) *$")	# three spaces a level
JIT_NAME = re.compile(r"^\[JIT\] tid \d+$")	# executable memory without a file, "//anon"



def number(value):
    """As flametop says it; perf's -1 is none."""
    return str(int(value)) if int(value) >= 0 else "[unknown]"


# Of perf script's samples; equal addresses of two DSOs are two groups.
VALUES = {
    "comm": lambda sample: sample.comm, "pid": lambda sample: number(sample.pid),
    "tid": lambda sample: number(sample.tid), "cpu": lambda sample: number(sample.cpu),
    "dso": lambda sample: sample.dso,
    "address": lambda sample: f"{sample.dso} {sample.address:#x}",
}
SELF_ORDERS = ("comm,dso,address", "pid,comm", "cpu,dso", "dso,comm,tid,cpu", "address,dso,pid")
TOTAL_ORDERS = ("comm,dso", "dso,pid", "cpu,dso,comm", "tid")


class Groups(Flametop):
    """{path of values: (self, total, self_period)} of a recording's one event."""

    def tree(self, path, keys):
        text = run([*WITHOUT_DEBUG_FILES, self.program, "--no-cache", "-i", path, "--batch",
                    "--format", "json", "--window", "all", "--group", keys])
        groups = json.loads(text.splitlines()[0])["groups"]
        if ",".join(groups["keys"]) != keys or groups["hidden_samples"]:
            raise Mismatch(f"--group {keys}: the tree is by {groups['keys']}, "
                           f"{groups['hidden_samples']} samples are left out")
        found = {}
        self.collect(groups["groups"], (), found)
        return found

    def collect(self, nodes, above, out):
        for node in nodes:
            path = (*above, self.value(node))
            own, _, period = out.get(path, (0, 0, 0))
            if own and node["key"] != "symbol":	# static functions of one name are two
                raise Mismatch(f"{path}: two groups")
            if sum(below["self"] for below in node["groups"]) != node["self"] and node["groups"]:
                raise Mismatch(f"{path}: self is not the sum of what is below it")
            out[path] = (own + node["self"], node["total"], period + node["self_period"])
            self.collect(node["groups"], path, out)

    @staticmethod
    def value(node):
        if node["key"] == "dso":
            return dso_name(node["name"] or "")
        if node["key"] == "address":
            return f'{dso_name(node["dso"])} {node["value"]}'
        return node["name"] or node["value"]


def idle_places(refresh):
    return {(row["comm"], row["pid"], dso_of(row), address_of(row))
            for row in refresh["rows"] if row["idle"] and row["self"]}


def is_idle(sample, places):
    return (sample.comm, sample.pid, sample.dso, sample.address) in places


def prefixes(path):
    return [path[:length] for length in range(1, len(path) + 1)]


def compare_self(groups, path, samples):
    for keys in SELF_ORDERS:
        values = [VALUES[key] for key in keys.split(",")]
        perf = counted((prefix, 1, sample.period) for sample in samples
                       for prefix in prefixes(tuple(value(sample) for value in values)))
        ours = {node: complex(own, period)
                for node, (own, _, period) in groups.tree(path, keys).items() if own}
        compare(f"--group {keys}", perf, ours)


class Stack(collections.namedtuple("Stack", "comm pid tid cpu dsos")):
    """dsos: leaf first."""


def read_stacks(path):
    text = run([*PERF, "script", "-f", "-i", path, "--no-inline", "--max-stack", "512", "-F",
                "comm,pid,tid,cpu,time,ip,sym,dso"])
    task, dsos = None, []
    for line in [*text.splitlines(), ""]:
        found = SAMPLE.match(line)
        if found:
            task, dsos = found.groups(), []
        elif line.strip():
            dsos.append(dso_name(FRAME.match(line).group(3)))
        elif task:
            yield Stack(task[0], number(task[1]), number(task[2]), number(task[3]),
                        tuple(dsos))
            task = None


def compare_totals(groups, path, stacks):
    for keys in TOTAL_ORDERS:
        names, perf = keys.split(","), collections.Counter()
        for stack in stacks:
            paths = {tuple(dso if name == "dso" else getattr(stack, name) for name in names)
                     for dso in stack.dsos}
            perf.update({prefix for whole in paths for prefix in prefixes(whole)})
        ours = {node: complex(total) for node, (_, total, _) in groups.tree(path, keys).items()}
        compare(f"--group {keys}, totals", {node: complex(count) for node, count in perf.items()},
                ours)


def read_report(path):
    """{(comm,) or (comm, DSO) or (comm, DSO, symbol): samples} of perf report --hierarchy."""
    text = run([*PERF, "report", "-f", "-i", path, "--hierarchy", "-s", "comm,dso,sym", "--stdio",
                "-n", "--no-children", "--no-demangle", "-g", "none", "--percent-limit", "0",
                "-t", "|"])
    found, above = collections.Counter(), []
    for line in text.splitlines():
        match = REPORT_LINE.match(line)
        if not match or line.startswith("#"):
            continue
        depth, name = len(match.group(1)) // 3, JIT_NAME.sub("anon", match.group(4))
        above = [*above[:depth], name[len("[k] "):] if depth == 2 else name]
        if len(above) != depth + 1:
            raise Mismatch(f"perf report: {line}")
        found[tuple(above)] += int(match.group(3))
    return found


def short(path):
    """DSOs as perf report shows them."""
    return (*path[:1], *(os.path.basename(name) for name in path[1:2]), *path[2:])


def differently_named(samples, refresh):
    """(comm, DSO, symbol) of which perf and we do not name the same addresses alike."""
    theirs = {(s.comm, s.dso, s.address): s.symbol for s in samples}
    ours = {(row["comm"], dso_of(row), address_of(row)): raw_name(row) or ""
            for row in refresh["rows"] if row["self"]}
    return {short((comm, dso, name)) for (comm, dso, address), symbol in theirs.items()
            for name in (symbol, ours.get((comm, dso, address), ""))
            if symbol != ours.get((comm, dso, address))}


def compare_report(groups, path, samples, refresh):
    left_out = differently_named(samples, refresh)
    known = {s.comm for s in samples}

    def is_compared(node):
        is_made_up = len(node) == 3 and (node[2].startswith("0x") or "!fn_" in node[2])
        return node[0] in known and node not in left_out and not is_made_up

    perf = {node: complex(count) for node, count in read_report(path).items()
            if is_compared(node)}
    ours = collections.Counter()
    for node, (own, _, _) in groups.tree(path, "comm,dso,symbol").items():
        if own and is_compared(short(node)):
            ours[short(node)] += complex(own)
    compare("perf report --hierarchy", perf, ours)
    return sum(len(node) == 3 for node in perf)


def check_file(perf, groups, path, verbose):
    refresh = next(iter(groups.refreshes(path, "comm,pid,dso,symbol,address").values()))
    places = idle_places(refresh)
    everything = list(perf.samples(path))
    samples = [sample for sample in everything if not is_idle(sample, places)]
    compare_self(groups, path, samples)
    stacks = list(read_stacks(path)) if path.endswith("-chains.data") else []
    if len(stacks) not in (0, len(everything)):
        raise Mismatch(f"perf script: {len(stacks)} stacks of {len(everything)} samples")
    if stacks:
        compare_totals(groups, path, [stack for stack, sample in zip(stacks, everything)
                                      if not is_idle(sample, places)])
    functions = compare_report(groups, path, samples, refresh)
    if verbose:
        print(f"    {len(samples)} samples, {len(stacks)} stacks, {functions} functions")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-v", "--verbose", action="store_true")
    options.add_argument("files", nargs="+")
    chosen = options.parse_args()
    missing = missing_tool()
    if missing:
        print(f"SKIP: {missing} is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        perf, groups = Perf(scratch), Groups()
        for path in chosen.files:
            try:
                check_file(perf, groups, path, chosen.verbose)
                print(f"ok   {os.path.basename(path)}")
            except (Mismatch, subprocess.TimeoutExpired, ValueError, KeyError) as failure:
                print(f"FAIL {os.path.basename(path)}\n  {type(failure).__name__}: {failure}")
                failed += 1
    print(f"{len(chosen.files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
