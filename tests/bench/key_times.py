"""Presses keys on a pseudo terminal and notes when the frame has their effects.

The measuring side runs under SCHED_FIFO: the time is the program's, not ours. It only notes when
which bytes were sent and came; what they show is worked out afterwards, by a terminal emulator. A
key is answered when the frame has what only this key brings about (another row under the cursor,
a prompt, a box), so a refresh that comes by is not taken for it.
"""
import collections
import contextlib
import itertools
import os
import random
import select
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
os.environ.update(FLAMETOP=os.path.join(BUILD, "flametop"),
                  WORKLOADS=os.path.join(BUILD, "tests/workloads"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))
from pty_screen import PtyScreen  # noqa: E402

WIDTH, HEIGHT = 100, 24
GOAL_MS = 50
PAUSE_S = (0.15, 0.35)  # between keys, at random: before, while and after a refresh

UP, DOWN, HOME = b"\033[A", b"\033[B", b"\033[H"

# When the next one follows: `pause`, from and to.
Press = collections.namedtuple("Press", "kind data effect pause", defaults=[PAUSE_S])


def lines_of(frame):
    return frame.display


def is_at_top(frame):
    """A refresh may carry the row with the cursor to the top: there Up has no effect."""
    return next((lines[1][0] in "▸>" for lines in itertools.pairwise(lines_of(frame))
                 if "SELF%" in lines[0]), False)


def bottom_line(frame):
    return lines_of(frame)[-1].strip()


def changed(look):
    return lambda before, after: look(before) is not None and look(before) != look(after)


@contextlib.contextmanager
def first_to_run():
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(2))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def record(screen, presses, warm_up_s):
    """[(when, press or bytes)]; the program's output until it has warmed up comes first."""
    events, due = [], time.monotonic() + warm_up_s
    waiting = collections.deque(presses)
    while True:
        left = due - time.monotonic()
        if left <= 0:
            if not waiting:
                return events
            press = waiting.popleft()
            events.append((time.monotonic(), press))
            with contextlib.suppress(OSError):  # it has ended
                os.write(screen.terminal, press.data)
            due = time.monotonic() + random.uniform(*press.pause)
        elif select.select([screen.terminal], [], [], left)[0]:
            output = screen.read()
            events.append((time.monotonic(), output))


def effects(screen, events):
    """Milliseconds of each kind; a key without an effect before the next one has None."""
    times, pending, before = collections.defaultdict(list), None, None
    for when, what in events:
        if isinstance(what, bytes):
            screen.stream.feed(what)
            if pending and pending[1].effect(before, screen.frame):
                times[pending[1].kind].append(1000 * (when - pending[0]))
                pending = None
        else:
            if pending:
                times[pending[1].kind].append(None)
            before = frozen(screen.frame)
            is_void = what.data in (UP, HOME) and is_at_top(before)
            pending = None if is_void else (when, what)
    if pending:
        times[pending[1].kind].append(None)
    return times


class frozen:
    """The frame as it is now, as far as the effects look at it."""

    def __init__(self, frame):
        self.display, self.kept = frame.display, frame.cells()

    def cells(self):
        return self.kept


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))]


def print_times(what, values):
    known = sorted(value for value in values if value is not None)
    if not known:
        print(f"{what:34} {len(values):5}   never answered")
        return
    late = f"   {len(values) - len(known)} not before the next key" if None in values else ""
    figures = " ".join(f"{quantile(known, share):8.2f}" for share in (0.5, 0.9, 0.99))
    print(f"{what:34} {len(known):5} {figures} {known[-1]:8.2f}{late}", flush=True)


def measure(command, presses, warm_up_s):
    with PtyScreen(command, WIDTH, HEIGHT) as screen:
        with first_to_run():
            events = record(screen, presses, warm_up_s)
        times = effects(screen, events)
        return times, screen.frame, screen.process.poll() is None
