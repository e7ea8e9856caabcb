#!/usr/bin/python3
"""Compares the stacks that flametop makes of recordings with those of perf.

usage: replay_stacks.py [-v] FILE...      $FLAMETOP, $BUILD: as tests/run sets them

For each file, address by address:
  stacks   equal perf script's; where perf stopped before the outermost frame, its stack may be the
           inner part of ours. After an exec perf may guess by frame pointers where it finds no
           entries, which leaves callers out or ends in one that is none: at most half of its
           stacks may be such guesses, and one in fifty wrong in another way. Ours may be the
           shorter one only below the code whose entries no row expresses.
  report   if all are equal: self and total of each symbol are those of perf report --children
  table    self and total of flametop's own rows, by address and by symbol, are those of the stacks
Ends with 0 when all is equal, 1 when not, 77 when perf is missing.
"""
import argparse
import bisect
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from replay_vs_perf import WITHOUT_DEBUG_FILES, Mismatch, dso_name, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
FLAMETOP = os.environ.get("FLAMETOP", os.path.join(BUILD, "flametop"))
STACKS = os.path.join(BUILD, "tests", "oracle", "replay_stacks")
# Names are perf's on both sides, so debug files do no harm here.
PERF = ["env", "HOME=/nonexistent", "perf"]
SAMPLE = re.compile(r"^\s*(.+?)\s+(-?\d+)/(-?\d+)\s+\d+\.\d+:\s*$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?) \((.*)\)$")
OUTERMOST = {"_start", "clone3", "__clone3", "clone", "__clone", "ret_from_fork_asm"}
GUESSED_PCT, WRONG_PCT = 50, 2
NO_ROWS = "_dl_runtime_resolve"	# CFA = rbx + 32
SHOWN = 5

# frames: (DSO, address), leaf first. perf may have none at all.
Stack = collections.namedtuple("Stack", "comm pid frames")


def without_garbage(frames):
    """The outermost "frames" may be no code: beyond the copy, or no frame pointer."""
    while len(frames) > 1 and frames[-1][0] == "[unknown]":
        frames.pop()
    return tuple(frames)


class PerfStacks:
    """perf script's stacks, and how it names an address."""

    def __init__(self, path):
        self.names = {}
        self.counts = collections.Counter()
        self.whole = set()
        text = run([*PERF, "script", "-f", "-i", path, "--no-demangle", "--no-inline",
                    "--max-stack", "512", "-F", "comm,pid,tid,time,ip,sym,dso"])
        task, frames = None, []
        for line in [*text.splitlines(), ""]:
            found = SAMPLE.match(line)
            if found:
                task, frames = (found.group(1), int(found.group(2))), []
            elif line.strip():
                frames.append(self.frame(line))
            elif task:
                self.add(task, frames)
                task = None

    def frame(self, line):
        address, symbol, dso = FRAME.match(line).groups()
        frame = (dso_name(dso), int(address, 16))
        if frame[0] == "[unknown]":
            frame = ("[unknown]", 0)
        self.names[frame] = symbol
        return frame

    def add(self, task, frames):
        stack = Stack(*task, without_garbage(frames))
        self.counts[stack] += 1
        if stack.frames and self.names[stack.frames[-1]] in OUTERMOST:
            self.whole.add(stack)


def our_stacks(path):
    """(Counter of our stacks, samples whose user stack is complete)"""
    counts, complete = collections.Counter(), 0
    for line in run([*WITHOUT_DEBUG_FILES, STACKS, path]).splitlines():
        count, *rest = line.split("\t")
        if count == "complete":
            complete = int(rest[0])
            continue
        comm, pid, frames = rest
        frames = [frame.rpartition("+") for frame in frames.split(";")]
        counts[Stack(comm, int(pid), without_garbage(
            [(dso_name(name), 0 if name == "[unknown]" else int(address, 16))
             for name, _, address in frames]))] += int(count)
    return counts, complete


def is_inner_part(shorter, longer):
    return shorter[:2] == longer[:2] and \
        longer.frames[:len(shorter.frames)] == shorter.frames


def has_gaps(shorter, longer):
    """Whether @shorter is @longer with callers left out."""
    frames = iter(longer.frames)
    return shorter[:2] == longer[:2] and shorter.frames[:1] == longer.frames[:1] and \
        all(any(frame == other for other in frames) for frame in shorter.frames)


def ends_in_a_guess(shorter, longer):
    """Whether all but the outermost frame of @shorter are @longer's, with callers left out or not."""
    return len(shorter.frames) > 1 and has_gaps(shorter._replace(frames=shorter.frames[:-1]), longer)


def describe(stack, names):
    return f"{stack.comm}/{stack.pid} " + " < ".join(
        f"{names.get(frame, '?')}@{os.path.basename(frame[0])}+{frame[1]:x}"
        for frame in stack.frames)


def take_pairs(left, right, is_pair):
    """Takes from both Counters what is a pair; returns how many samples that were."""
    taken = 0
    for one in sorted(left, key=lambda stack: -len(stack.frames)):
        for other in sorted(right, key=lambda stack: -len(stack.frames)):
            count = min(left[one], right[other])
            if count and is_pair(one, other):
                left[one] -= count
                right[other] -= count
                taken += count
    return taken


def compare_stacks(perf, ours, verbose):
    """Whether all are equal."""
    equal = perf.counts & ours
    left, right = perf.counts - equal, ours - equal
    deeper = take_pairs(left, right, lambda theirs, own:
                        theirs not in perf.whole and is_inner_part(theirs, own))
    shorter = take_pairs(left, right, lambda theirs, own: is_inner_part(own, theirs) and
                         perf.names[own.frames[-1]].startswith(NO_ROWS))
    gaps = take_pairs(left, right, has_gaps)
    guessed = take_pairs(left, right, lambda theirs, own:
                         theirs not in perf.whole and ends_in_a_guess(theirs, own))
    left, right = +left, +right
    samples = sum(perf.counts.values())
    if verbose:
        print(f"    {samples} samples: {sum(equal.values())} equal, {deeper} deeper than perf's, "
              f"{gaps} where perf has gaps, {guessed} where it ends in a guess, "
              f"{shorter} not as deep")
    wrong = sum(left.values())
    if sum(right.values()) != wrong or wrong > samples * WRONG_PCT / 100 or \
            gaps + guessed > samples * GUESSED_PCT / 100:
        lines = [f"stacks: {wrong} of perf's and {sum(right.values())} of ours have no "
                 f"counterpart, perf has {gaps} with gaps and {guessed} guesses"]
        lines += [f"    perf {count}: {describe(stack, perf.names)}"
                  for stack, count in left.most_common(SHOWN)]
        lines += [f"    ours {count}: {describe(stack, perf.names)}"
                  for stack, count in right.most_common(SHOWN)]
        raise Mismatch("\n".join(lines))
    return sum(equal.values()) == samples


def totals(counts, key):
    """{key: (self, total)} of stacks; a stack adds once to the total of each of its keys."""
    sums = collections.defaultdict(lambda: [0, 0])
    for stack, count in counts.items():
        keys = [key(stack, frame) for frame in stack.frames]
        sums[keys[0]][0] += count
        for one in set(keys):
            sums[one][1] += count
    return sums


def kernel_starts():
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as symbols:
        return sorted({int(line.split(" ", 1)[0], 16) for line in symbols})


def start_of(frame, starts):
    """Where the kernel's function of the frame starts: several may have one name. None of others."""
    at = bisect.bisect_right(starts, frame[1])
    return starts[at - 1] if frame[0] == "[kernel.kallsyms]" and at else None


def by_name(stats):
    """{key without its start: the stats of all functions of that name, in order}"""
    together = collections.defaultdict(list)
    for key, value in stats:
        together[key].append(value)
    return {key: sorted(values) for key, values in together.items()}


def compare_report(path, perf, ours, starts):
    """What perf report prints has two digits after the point."""
    text = run([*PERF, "report", "-f", "-i", path, "--stdio", "--children", "--no-demangle",
                "--no-inline", "--max-stack", "512", "-g", "none",
                "-F", "overhead_children,overhead,comm,dso,sym", "--percent-limit", "0",
                "-t", "|", "-w", "0,0,15"])
    reported = []
    for line in text.splitlines():
        if line.startswith("#") or line.count("|") < 4:
            continue
        total, own, comm, dso, symbol = (part.strip() for part in line.split("|", 4))
        reported.append(((comm, os.path.basename(dso_name(dso)), symbol[len("[k] "):]),
                         (float(own.rstrip("%")), float(total.rstrip("%")))))
    reported = by_name(reported)
    share = 100 / sum(ours.values())
    sums = totals(ours, lambda stack, frame: (
        (stack.comm, os.path.basename(frame[0]), perf.names[frame]), start_of(frame, starts)))
    named = by_name((key, (share * own, share * total)) for (key, _), (own, total) in sums.items()
                    if key[2] != "[unknown]")
    for key, found in named.items():
        expected = reported.get(key, [])
        if len(expected) != len(found) or any(
                abs(a - b) > 0.0051 for pair in zip(expected, found) for a, b in zip(*pair)):
            raise Mismatch(f"report: {key}: perf {expected}, ours {found}")
    return len(named)


def refresh(path, keys):
    text = run([*WITHOUT_DEBUG_FILES, FLAMETOP, "--no-cache", "-i", path, "--batch", "--format",
                "json", "--idle", "--window", "all", "-s", keys])
    return json.loads(text.splitlines()[-1])["rows"]


def compare_table(path, ours, starts):
    """The program's own rows against the stacks."""
    names, found = {}, {}
    for row in refresh(path, "comm,dso,symbol,address"):
        frame = (dso_name(row["dso"] or ""), int(row["address"], 16))
        if frame[0] == "[unknown]":
            continue
        names[frame] = row["raw_symbol"]
        found[row["comm"], frame] = [row["self"], row["total"]]
    expected = totals(ours, lambda stack, frame: (stack.comm, frame))
    expected = {key: sums for key, sums in expected.items() if key[1][0] != "[unknown]"}
    compare_rows("rows by address", expected, found)
    found = by_name(((row["comm"], dso_name(row["dso"] or ""), row["raw_symbol"]),
                     [row["self"], row["total"]]) for row in refresh(path, "comm,dso,symbol")
                    if row["raw_symbol"] is not None)
    expected = totals(ours, lambda stack, frame: (
        (stack.comm, frame[0], names.get(frame)), start_of(frame, starts)))
    compare_rows("rows by symbol", by_name(
        (key, sums) for (key, _), sums in expected.items() if key[2] is not None), found)


def compare_rows(what, expected, found):
    differing = [key for key in expected.keys() | found.keys()
                 if expected.get(key) != found.get(key)]
    if differing:
        raise Mismatch(f"{what}: {len(differing)} differ: " + "; ".join(
            f"{key}: stacks {expected.get(key)}, row {found.get(key)}"
            for key in differing[:SHOWN]))


def check_file(path, verbose, starts):
    perf = PerfStacks(path)
    ours, complete = our_stacks(path)
    are_equal = compare_stacks(perf, ours, verbose)
    compare_table(path, ours, starts)
    if are_equal:
        compared = compare_report(path, perf, ours, starts)
        if verbose:
            print(f"    {compared} symbols as in perf report --children")
    if verbose:
        print(f"    user stacks complete: {complete}")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-v", "--verbose", action="store_true")
    options.add_argument("files", nargs="+")
    chosen = options.parse_args()
    if not shutil.which("perf"):
        print("SKIP: perf is not installed")
        return 77
    failed, starts = 0, kernel_starts()
    for path in chosen.files:
        failure = None
        try:
            check_file(path, chosen.verbose, starts)
        except (Mismatch, subprocess.TimeoutExpired, ValueError, KeyError) as error:
            failure = error
        print(f"{'FAIL' if failure else 'ok'}   {os.path.basename(path)}")
        if failure:
            print(f"  {type(failure).__name__}: {failure}")
        failed += bool(failure)
    print(f"{len(chosen.files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
