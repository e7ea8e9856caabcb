"""One run of flametop or of perf top under a load: what it costs once it is warm, and in all.

Steady costs are the difference of two readings, after start-up. flametop's header says at the
second how many samples its window has and how long that is; each of perf top's headers between them
says how many it has counted since the one before, divided by its refresh interval. What it has
dropped or the kernel has lost is not among these. Losses are since start: flametop's list of them
is opened after the second reading.
"""
import os
import re
import sys
import time

from process_tree import HEIGHT, WIDTH, ProcessTree, RunFailed
from loads import BUILD, ROOT

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))
from pty_screen import Frame, Stream  # noqa: E402

FLAMETOP = os.path.join(BUILD, "flametop")
SCALE = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
REFRESH_S = 2           # of both, when nothing else is asked for
PATIENCE_S = 30
REPLY_S = 0.5
# A share and what has it, be it named yet or not. perf has fields of tracepoints after it, and
# one digit in its header.
OUR_ROW, THEIR_ROW = r"\d\.\d+ .*\[[.k]\] \S", r"\d\.\d\d%"
TRIES = 5               # perf 6.1 aborts now and then while processes end


def refresh_s(arguments):
    return float(arguments[arguments.index("-d") + 1]) if "-d" in arguments else REFRESH_S


def figure(text, unit):
    return float(text) * SCALE[unit]


def steady(kept_per_s, before, after):
    seconds = after.at - before.at
    cpu_s = after.cpu_s - before.cpu_s
    kept = kept_per_s * seconds
    return {"cpu_ms_per_s": 1000 * cpu_s / seconds, "kept_per_s": kept_per_s,
            "us_per_kept": 1e6 * cpu_s / kept if kept else None,
            "switches_per_s": (after.switches - before.switches) / seconds,
            "wakeups_per_s": (after.wakeups - before.wakeups) / seconds,
            "threads_ms_per_s": {
                name: round(1000 * (cpu - before.threads[name]) / seconds, 3)
                for name, cpu in after.threads.items()}}


# flametop ------------------------------------------------------------------------------------

def header_of(frame):
    return " ".join(frame.display[:3])


def kept_by_header(header):
    found = re.search(r"last ([\d.]+) (m?s) +([\d.]+)([kMG]?) samples", header)
    if not found:
        raise RunFailed(f"no window in the header: {header}")
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    return figure(found[3], found[4]) / seconds


LOSSES = "ring full", "no memory", "malformed", "late", "unattributed", "stalled rounds"


def losses_by_list(text):
    """Since start; None: not all are there."""
    found = {what: re.search(rf"^ +{what} +([\d.]+)([kMG]?) ", text, re.MULTILINE)
             for what in LOSSES}
    if not all(found.values()):
        return None
    return {what: figure(*of.groups()) for what, of in found.items()}


def losses_of(tree, hot):
    os.write(tree.terminal, b"$")
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and not tree.is_over:
        tree.read_until(time.monotonic() + REPLY_S)
        frame, _, _ = drawn(tree.chunks, hot, time.monotonic())
        losses = losses_by_list(frame.text())
        if losses:
            return losses
    raise RunFailed("flametop shows no list of its losses")


def drawn(chunks, hot, until):
    """The screen as it was then; when the first row was on it, and the first of a hot function."""
    frame, first_row, first_name = Frame(WIDTH, HEIGHT), None, None
    stream = Stream(frame)
    for when, chunk in chunks:
        if when > until:
            break
        stream.feed(chunk)
        if first_row is None and re.search(OUR_ROW, frame.text()):
            first_row = when
        if first_row and first_name is None and re.search(hot, frame.text()):
            first_name = when
    return frame, first_row, first_name


def flametop_run(tree, arguments, warm_s, seconds, hot):
    tree.read_until(tree.began + warm_s)
    before = tree.cost()
    tree.read_until(before.at + seconds)
    after = tree.cost()
    if tree.is_over:
        raise RunFailed("flametop has ended")
    frame, first_row, first_name = drawn(tree.chunks, hot, after.at)
    header = header_of(frame)
    losses = losses_of(tree, hot)
    complete = re.search(r"stacks +(\d+) %", header)
    return {**steady(kept_by_header(header), before, after),
            "first_row": first_row, "first_name": first_name,
            "counted_s": after.at - tree.began,
            "lost": sum(losses[what] for what in ("ring full", "no memory", "malformed", "late")),
            "dropped": 0, "losses": losses,
            "complete_pct": float(complete[1]) if complete else None}


# perf top ------------------------------------------------------------------------------------

HEADER = re.compile(rb"PerfTop: +(\d+) irqs/sec.*?lost: (\d+)/(\d+) drop: (\d+)/(\d+) ")
HEADER_BYTES = 400


class Headers:
    """Finds headers in the output as it comes."""

    def __init__(self):
        self.tail, self.last = b"", None

    def has(self, chunk):
        text = self.tail + chunk
        found = list(HEADER.finditer(text))
        self.tail = (text[found[-1].end():] if found else text)[-HEADER_BYTES:]
        if found:
            self.last = [int(number) for number in found[-1].groups()]
        return bool(found)


def next_header(tree, headers):
    if not tree.read_until(time.monotonic() + PATIENCE_S, headers.has):
        raise RunFailed("perf top has ended" if tree.is_over else "perf top shows nothing")
    return headers.last


def perf_run(tree, arguments, warm_s, seconds, hot):
    headers, kept = Headers(), 0
    tree.read_until(tree.began + warm_s, lambda chunk: headers.has(chunk) and False)
    next_header(tree, headers)
    before = tree.cost()
    while True:
        kept += next_header(tree, headers)[0] * refresh_s(arguments)
        after = tree.cost()
        if after.at - before.at >= seconds:
            break
    output = b"".join(chunk for _, chunk in tree.chunks)
    return {**steady(kept / (after.at - before.at), before, after),
            "first_row": first_match(tree.chunks, output, THEIR_ROW),
            "first_name": first_match(tree.chunks, output, hot),
            "counted_s": after.at - tree.began,
            "lost": headers.last[2], "dropped": headers.last[4], "complete_pct": None}


def first_match(chunks, output, wanted):
    found = re.search(wanted.encode(), output)
    end = found.end() if found else len(output) + 1
    for when, chunk in chunks:
        end -= len(chunk)
        if end <= 0:
            return when
    return None


# both ----------------------------------------------------------------------------------------

def measured(program, arguments, warm_s, seconds, hot):
    """program: "flametop" or "perf top"; hot: regular expression, the row of a hot function."""
    is_ours = program == "flametop"
    command = [FLAMETOP, "--config", "none"] if is_ours else ["perf", "top", "--stdio"]
    with ProcessTree([*command, *arguments]) as tree:
        result = (flametop_run if is_ours else perf_run)(tree, arguments, warm_s, seconds, hot)
        result.update(peak_rss_mb=tree.peak_rss_mb(), memory_mb=tree.memory_mb(),
                      events_per_s=result["kept_per_s"] +
                      (result["lost"] + result["dropped"]) / result.pop("counted_s"))
        whole = tree.end()
        if is_ours and whole["status"] != 0:
            raise RunFailed(f"flametop ended with status {whole['status']}")
        for name in ("first_row", "first_name"):
            when = result.pop(name)
            result[name + "_ms"] = 1000 * (when - tree.began) if when else None
        return {**result,
                "whole_cpu_ms": 1000 * whole["cpu_s"], "whole_s": whole["seconds"],
                "whole_switches": whole["switches"]}


def measure(program, arguments, warm_s, seconds, hot):
    """`failures` are those of runs of perf that had to be made again. RunFailed: flametop's at the
    first, perf's after TRIES."""
    failures = []
    for _ in range(1 if program == "flametop" else TRIES):
        try:
            return dict(measured(program, arguments, warm_s, seconds, hot), failures=failures)
        except (RunFailed, IndexError) as error:
            failures.append(repr(error))
    raise RunFailed(f"{program} {' '.join(arguments)}: {failures}")
