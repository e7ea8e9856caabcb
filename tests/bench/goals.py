"""The goals for what flametop may cost, and what was measured of them.

A goal that needs a load which was not run is "not measured", never met.
"""
import os
import re
import subprocess

from loads import BUILD
from results import is_number

SPINNERS, MIXED = "spinners", "mixed"
FAST, DWARF = "20,000 Hz fp", "4,000 Hz dwarf"
HZ = {FAST: 20000, DWARF: 4000}
BUSY_CPUS = {SPINNERS: os.cpu_count(), MIXED: min(2, os.cpu_count())}
KEPT_SHARE = 0.98       # the header rounds
# Of what judges say; other words are themselves.
VERDICTS = {True: "met", False: "NOT MET", None: "not measured"}


class Missing(Exception):
    pass


class NoFigure(Exception):
    """Arguments: what the judge says instead, and what was measured."""


class Medians:
    def __init__(self, medians):
        self.medians, self.failed = medians, set()

    def add(self, load, setting, **values):
        self.medians[load, setting, "flametop"] = values

    def add_failure(self, load):
        self.failed.add(load)

    def of(self, load, setting, what, program="flametop"):
        if load in self.failed:
            raise NoFigure("failed", "-")
        values = self.medians.get((load, setting, program))
        value = (values or {}).get(what)
        if values and value is None and program == "flametop":
            raise NoFigure(False, "in no round")
        if value is None:
            raise Missing
        if not is_number(value):
            raise NoFigure(False, f"{program}: {value}")
        return value

    def ratio(self, load, setting, what):
        """flametop's share of what perf top takes."""
        theirs = self.of(load, setting, what, "perf top")
        if not theirs:
            raise Missing
        return self.of(load, setting, what) / theirs


def part(load, setting, what, most):
    """At most 1/@most of perf top's."""
    def judge(medians):
        ratio = medians.ratio(load, setting, what)
        return ratio <= 1 / most, f"1/{1 / ratio:.1f}" if ratio < 1 else f"{ratio:.2f} times"
    return judge


def at_most(load, setting, what, most, unit, digits=0):
    def judge(medians):
        value = medians.of(load, setting, what)
        return value <= most, f"{value:,.{digits}f} {unit}"
    return judge


def at_least(load, setting, what, least, unit):
    def judge(medians):
        value = medians.of(load, setting, what)
        return value >= least, f"{value:,.0f} {unit}"
    return judge


def nothing_lost(load, setting):
    def judge(medians):
        lost, kept_per_s = (medians.of(load, setting, what) for what in ("lost", "kept_per_s"))
        due_per_s = HZ[setting] * BUSY_CPUS[load]
        return (lost == 0 and kept_per_s >= KEPT_SHARE * due_per_s,
                f"{lost:,.0f} lost, {kept_per_s:,.0f} of {due_per_s:,.0f}/s")
    return judge


def kept_or_counted(load, setting):
    """That what is not kept is counted is for tests/live/check_counts to prove."""
    def judge(medians):
        lost = medians.of(load, setting, "lost")
        kept = f"{medians.of(load, setting, 'kept_per_s'):,.0f}/s"
        return "counted" if lost else True, f"{kept}, {lost:,.0f} lost"
    return judge


STORM, ALIKE = ("syscalls", "every sys_enter"), ("syscalls", "every sys_enter, alike")

GOALS = [
    ("CPU per kept sample, 20,000 Hz fp", "<= 1/40", part(SPINNERS, FAST, "us_per_kept", 40)),
    ("CPU per kept sample, 20,000 Hz fp, mixed load", "<= 1/40",
     part(MIXED, FAST, "us_per_kept", 40)),
    ("samples kept at 20,000 Hz fp", "all", nothing_lost(SPINNERS, FAST)),
    ("samples kept at 20,000 Hz fp, mixed load", "all", nothing_lost(MIXED, FAST)),
    ("samples kept at 4,000 Hz dwarf", "all", nothing_lost(SPINNERS, DWARF)),
    ("samples lost at 4,000 Hz dwarf, mixed load", "0",
     at_most(MIXED, DWARF, "lost", 0, "lost")),
    ("samples lost beside 2,000 threads", "0", at_most("threads", "default", "lost", 0, "lost")),
    ("CPU per kept sample, 4,000 Hz dwarf", "<= 1/4", part(SPINNERS, DWARF, "us_per_kept", 4)),
    ("CPU per kept sample, 4,000 Hz dwarf, mixed load", "<= 1/4",
     part(MIXED, DWARF, "us_per_kept", 4)),
    ("CPU per kept sample, 4,000 Hz dwarf, 41 frames", "<= 1/4",
     part("deep", DWARF, "us_per_kept", 4)),
    ("peak RSS, 4,000 Hz dwarf", "<= 1/4", part(SPINNERS, DWARF, "peak_rss_mb", 4)),
    ("memory of all processes, 4,000 Hz dwarf", "<= 1/4", part(SPINNERS, DWARF, "memory_mb", 4)),
    ("CPU per event, raw_syscalls:sys_enter", "<= 1/8", part(*STORM, "us_per_kept", 8)),
    ("CPU per event, both by symbol, without stacks", "<= 1/8", part(*ALIKE, "us_per_kept", 8)),
    ("events of raw_syscalls:sys_enter kept", "all, or counted", kept_or_counted(*ALIKE)),
    ("analyzer, 20 frames fp, warm, per sample", "<= 500 ns",
     at_most("stages", "ingest", "ns", 500, "ns")),
    ("allocations of it", "0", at_most("stages", "ingest", "allocations", 0, "a sample", 4)),
    ("CPU at 99 Hz, drawn once a second", "<= 5 ms/s",
     at_most(SPINNERS, "99 Hz", "cpu_ms_per_s", 5, "ms/s", 2)),
    ("a hot function's name on the screen", "<= 250 ms",
     at_most(SPINNERS, "default", "first_name_ms", 250, "ms")),
    ("a hot function's name, symbol tables not in the cache", "<= 250 ms",
     at_most(SPINNERS, "default, no cache", "first_name_ms", 250, "ms")),
    ("a hot function's name, 3,000 processes", "<= 250 ms",
     at_most("processes", "default", "first_name_ms", 250, "ms")),
    ("CPU with default settings", "<= 20 ms/s",
     at_most(SPINNERS, "default", "cpu_ms_per_s", 20, "ms/s", 2)),
    ("CPU with default settings, mixed load", "<= 20 ms/s",
     at_most(MIXED, "default", "cpu_ms_per_s", 20, "ms/s", 2)),
    ("complete stacks, default settings", ">= 95 %",
     at_least(SPINNERS, "default", "complete_pct", 95, "%")),
    ("complete stacks, default settings, mixed load", ">= 95 %",
     at_least(MIXED, "default", "complete_pct", 95, "%")),
    ("refresh of symbols, 100,000 stacks", "<= 50 ms",
     at_most("refresh", "symbols", "ms", 50, "ms", 1)),
    ("refresh of the slowest view, 100,000 stacks", "<= 50 ms",
     at_most("refresh", "slowest", "ms", 50, "ms", 1)),
    ("wake-ups for an idle -p PID", "<= 20/s",
     at_most("idle", "-p PID", "wakeups_per_s", 20, "/s", 1)),
]


def output_of(name, *arguments):
    """"" when it is not built, None when it fails."""
    path = os.path.join(BUILD, "tests/bench", name)
    if not os.path.exists(path):
        return ""
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout


def measure_alone(of):
    """What needs no perf top beside it."""
    output = output_of("stages", "ingest")
    found = re.search(r"^ingest +([\d.]+) ns, ([\d.]+) allocations", output or "", re.MULTILINE)
    if output is None:
        of.add_failure("stages")
    elif found:
        of.add("stages", "ingest", ns=float(found[1]), allocations=float(found[2]))
    output = output_of("refresh")
    views = re.findall(r"^\w+ +([\d.]+) ms:", output or "", re.MULTILINE)
    if output is None:
        of.add_failure("refresh")
    elif views:
        of.add("refresh", "symbols", ms=float(views[0]))
        of.add("refresh", "slowest", ms=max(map(float, views)))


def judged(medians, is_whole):
    """is_whole: of all loads, so of what is measured without a load as well."""
    of = Medians(medians)
    if is_whole:
        measure_alone(of)
    for what, goal, judge in GOALS:
        try:
            is_met, measured = judge(of)
        except Missing:
            is_met, measured = None, "-"
        except NoFigure as reason:
            is_met, measured = reason.args
        yield {"what": what, "goal": goal, "measured": measured, "is_met": is_met}


def print_goal(goal):
    verdict = VERDICTS.get(goal["is_met"], goal["is_met"])
    print(f"{goal['what']:47} {goal['goal']:>17} {goal['measured']:>31}   {verdict}", flush=True)
