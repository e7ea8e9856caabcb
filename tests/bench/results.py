"""Where results go: JSON lines in a file outside the source tree, and what the machine was."""
import json
import os
import platform
import re
import statistics
import subprocess
import time

from loads import ROOT
from side_by_side import FLAMETOP


def state_directory():
    return os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or ["unknown"])[0].strip()


def first_match(path, pattern):
    with open(path, encoding="utf-8", errors="replace") as file:
        found = re.search(pattern, file.read())
    return found[1].strip() if found else "unknown"


def describe_machine():
    uname = platform.uname()
    return {"cpu": first_match("/proc/cpuinfo", r"model name\s*:(.*)"), "cpus": os.cpu_count(),
            "is_virtual": bool(re.search(r"\bhypervisor\b", first_match("/proc/cpuinfo",
                                                                        r"flags\s*:(.*)"))),
            "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") / 1e9, 1),
            "kernel": f"{uname.system} {uname.release} {uname.machine}",
            "flametop": first_line(FLAMETOP, "--version"),
            "commit": first_line("git", "-C", ROOT, "rev-parse", "--short", "HEAD"),
            "perf": first_line("perf", "--version"),
            "load_before": os.getloadavg()[0]}


class Results:
    """Use as a context. Each add() is a line at once: a run that breaks keeps what it had."""

    def __init__(self):
        self.path = os.environ.get("RESULTS") or os.path.join(
            state_directory(), "flametop", time.strftime("bench-%Y%m%d-%H%M%S.jsonl"))
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)

    def __enter__(self):
        self.file = open(self.path, "a", encoding="utf-8")
        machine = describe_machine()
        self.add("machine", **machine)
        kind = "virtual machine, " if machine["is_virtual"] else ""
        print(f"{kind}{machine['cpus']} CPUs {machine['cpu']}, {machine['memory_gb']} GB; "
              f"{machine['kernel']}\n{machine['flametop']}; {machine['perf']}; "
              f"load {machine['load_before']:.1f}\n", flush=True)
        return self

    def __exit__(self, *_):
        self.file.close()
        print(f"results: {self.path}")

    def add(self, kind, **values):
        self.file.write(json.dumps({"kind": kind, "time": round(time.time(), 3), **values}) + "\n")
        self.file.flush()


def is_number(value):
    return isinstance(value, (int, float))


COUNTS_OF_WRONG = ("lost", "dropped", "ring full", "no memory", "malformed", "late", "unattributed",
                   "stalled rounds")


def median_of(runs, rounds):
    """Of each figure; of those that count what went wrong the largest. What not every one of
    @rounds has is said to be "in 1 of 5", which is no figure."""
    medians = {}
    for name in runs[0]:
        values = [run[name] for run in runs if run[name] is not None]
        if all(isinstance(value, dict) for value in values):
            keys = {key: None for value in values for key in value}     # threads come and go
            medians[name] = median_of([{key: value.get(key, 0) for key in keys}
                                       for value in values], len(values)) if values else None
        elif not all(map(is_number, values)):
            medians[name] = None
        elif len(values) < rounds:
            medians[name] = f"in {len(values)} of {rounds}"
        elif name in COUNTS_OF_WRONG:
            medians[name] = max(values)
        else:
            medians[name] = statistics.median(values)
    return medians
