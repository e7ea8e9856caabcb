"""A program on a terminal of its own, and what it and all that it starts cost.

Its parent is a keeper, a process that does nothing but wait: as a subreaper it also gets what the
program leaves behind, and it waits for no load. So the rusage of everybody that it has waited for
is that of the program's whole tree, from the first fork to the last exit.

Between start and end, a tree is read from /proc: the CPU clock of each process that is there, which
has the time of its ended threads as well and counts in nanoseconds, and what its ended children
took.
"""
import collections
import contextlib
import ctypes
import fcntl
import glob
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time

WIDTH, HEIGHT = 120, 40
PATIENCE_S = 20         # for an end that was asked for
PR_SET_CHILD_SUBREAPER = 36
ASKED_TO_END = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

class RunFailed(Exception):
    pass


# `at` is CLOCK_MONOTONIC; switches are those of living threads; threads: name -> CPU seconds.
Cost = collections.namedtuple("Cost", "at cpu_s switches wakeups threads")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def children_of(pid):
    children = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError):
            children += [int(child) for child in read(path).split()]
    return children


def family_of(pid):
    return [pid, *(member for child in children_of(pid) for member in family_of(child))]


def cpu_clock_s(pid):
    """clock_getcpuclockid(3), which python lacks."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def seconds_of_ended_children(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICKS_PER_S


def field_kib(path, name):
    found = re.search(rf"^{name}:\s*(\d+)", read(path), re.MULTILINE)
    return int(found[1]) if found else 0


def keep(command, terminal, report):
    """The keeper: starts the command and says at the end what its tree took."""
    for number in ASKED_TO_END:     # it ends after all others
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    first = os.fork()
    if first == 0:
        for number in ASKED_TO_END:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        for standard in range(3):
            os.dup2(terminal, standard)
        os.execvpe(command[0], command, dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8"))
    os.close(terminal)
    total = {"cpu_s": 0.0, "switches": 0, "status": None}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status, usage = os.wait4(-1, 0)
            total["cpu_s"] += usage.ru_utime + usage.ru_stime
            total["switches"] += usage.ru_nvcsw + usage.ru_nivcsw
            if pid == first:
                total["status"] = os.waitstatus_to_exitcode(status)
    os.write(report, json.dumps(total).encode())


class ProcessTree:
    """Use as a context: `with ProcessTree([FLAMETOP]) as tree`. `chunks`: [(when, bytes)]."""

    def __init__(self, command):
        self.terminal, program_side = pty.openpty()
        fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        self.report, report = os.pipe()
        self.chunks, self.is_over = [], False
        self.began = time.monotonic()
        self.keeper = os.fork()
        if self.keeper == 0:
            try:
                os.close(self.terminal)
                os.close(self.report)
                keep(command, program_side, report)
            finally:
                os._exit(0)     # nothing of what the caller would do
        os.close(program_side)
        os.close(report)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.keeper:
            with contextlib.suppress(RunFailed):
                self.end()

    def members(self):
        """The program, if it is still there, comes first."""
        return family_of(self.keeper)[1:]

    def read_until(self, end, stop=lambda chunk: False):
        """Keeps output until `end`, or until stop() of a piece of it; whether it was stop()."""
        while not self.is_over:
            left = end - time.monotonic()
            if left <= 0:
                return False
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    chunk = os.read(self.terminal, 1 << 16)
                except OSError:     # the terminal hangs up when the program is gone
                    self.is_over = True
                    return False
                self.chunks.append((time.monotonic(), chunk))
                if stop(chunk):
                    return True
        return False

    def cost(self):
        switches, wakeups, threads = 0, 0, collections.Counter()
        at, cpu_s = time.monotonic(), seconds_of_ended_children(self.keeper)    # orphans
        for pid in self.members():
            with contextlib.suppress(OSError):
                cpu_s += cpu_clock_s(pid) + seconds_of_ended_children(pid)
            for task in glob.glob(f"/proc/{pid}/task/*"):
                with contextlib.suppress(OSError):
                    threads[read(task + "/comm").strip()] += \
                        int(read(task + "/schedstat").split()[0]) / 1e9
                    voluntary = field_kib(task + "/status", "voluntary_ctxt_switches")
                    wakeups += voluntary
                    switches += voluntary + field_kib(task + "/status",
                                                      "nonvoluntary_ctxt_switches")
        return Cost(at, cpu_s, switches, wakeups, threads)

    def peak_rss_mb(self):
        """Of the program itself. Not ru_maxrss, which also knows the process before its exec."""
        return field_kib(f"/proc/{self.members()[0]}/status", "VmHWM") * 1024 / 1e6

    def memory_mb(self):
        """Of all members; what they share counts once."""
        total = 0
        for pid in self.members():
            with contextlib.suppress(OSError):
                total += field_kib(f"/proc/{pid}/smaps_rollup", "Pss")
        return total * 1024 / 1e6

    def end(self):
        """Asks it to quit, waits for all of them; what the whole tree took."""
        for ask in (lambda: os.write(self.terminal, b"q"), lambda: self.kill(signal.SIGTERM),
                    lambda: self.kill(signal.SIGKILL)):
            with contextlib.suppress(OSError):
                ask()
            self.read_until(time.monotonic() + PATIENCE_S)
            if self.is_over:
                break
        took_s = time.monotonic() - self.began
        if not select.select([self.report], [], [], PATIENCE_S)[0]:
            self.kill(signal.SIGKILL)   # who has left the terminal
        received = os.read(self.report, 4096)
        os.waitpid(self.keeper, 0)
        os.close(self.report)
        os.close(self.terminal)
        self.keeper = 0
        if not received:
            raise RunFailed("the keeper was killed: nobody knows what the run took")
        return dict(json.loads(received), seconds=took_s)

    def kill(self, number):
        for pid in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
