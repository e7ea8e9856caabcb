"""Runs the rows of the fault catalogue: each provokes one fault while a profiler watches it.

A check_* file beside this one holds a group of rows and ends with run_rows():

    @row(7, "st_name out of bounds")
    def check_wild_names(fault):
        process = fault.start(make_evil(fault.place), as_nobody=True)
        with fault.watch(pids=[process.pid]) as screen:
            fault.expect("its row says so", screen.wait_for("unreadable"))

row(number, title, is_long=False, limit_s=180): long rows are run by `make faults` alone.
tested_by(number, title, tests): other suites test it: "SUITE/FILE: FUNCTION, FUNCTION; ...". That
they exist and are used is checked; what they found is in their own results.
not_here(number, title, reason)

fault.place           a directory of the row's own, which others may enter
fault.start(...)      a provoker, killed with all it started when the row ends
fault.provoker(name)  the path of a provoker in C, tests/faults/NAME.c
fault.copy(path)      a copy in fault.place, that everybody may run
fault.watch(...)      runs flametop on a pseudo terminal as long as the block, then checks what holds
                      for every row (see expect_oracles)
fault.expect(what, is_true, detail)

With PEER=perf nothing is asserted: watch() runs `perf top` at the same provokers for a while, notes
what became of it, and leaves the row: the block is not entered. What has to happen while the
program runs is therefore done by watch(provoke=function), which is called with the screen once it
runs, and which may send, signal, resize and look, but not wait for a text.

All rows of a file run in a mount namespace with an empty /tmp and an empty cache.
"""
import contextlib
import ctypes
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests/e2e")]
from parent_death import die_with_parent  # noqa: E402
from pty_screen import PtyScreen, children_of  # noqa: E402

BUILD = os.path.abspath(os.environ["BUILD"])
FLAMETOP, WORKLOADS = os.environ["FLAMETOP"], os.environ["WORKLOADS"]
PEER = os.environ.get("PEER", "")
RUNS_LONG = os.environ.get("FAULTS") == "all"
RESULTS = os.environ.get("FAULTS_RESULTS")  # a file to which each row appends a line of JSON
RSS_LIMIT_MB = 256
FAMILY_LIMIT_MB = 512    # with a worker, which may take 256 for a program that others start meanwhile
PEER_BYTES = 6 << 30    # of addresses: some faults take all the memory that there is
RAW_LIMIT_BYTES = 64 << 20
NOBODY = 65534
SANITIZER = re.compile(rb"(Address|Leak|Thread|Memory)Sanitizer|runtime error:")
TRACEFS = "/sys/kernel/tracing"
CLONE_NEWNS, MS_BIND, MS_REC = 0x20000, 0x1000, 0x4000

ROWS = []
counts = {"passed": 0, "failed": 0, "skipped": 0}


class PeerDone(Exception):
    """The peer was watched; there is nothing to assert about it."""


class Skipped(Exception):
    """The machine cannot provoke it."""


def row(number, title, is_long=False, limit_s=180):
    def note(function):
        ROWS.append({"row": number, "fault": title, "test": function, "is_long": is_long,
                     "limit_s": limit_s})
        return function
    return note


def tested_by(number, title, tests):
    ROWS.append({"row": number, "fault": title, "test": tests})


def has_function(path, function):
    """It is defined there, and used."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.search(rf"^(static void|def) {function}\(", text, re.M) and \
        len(re.findall(rf"\b{function}\b", text)) > 1


def missing_tests(tests):
    """Which of those that tested_by() names are not there."""
    missing = []
    for part in tests.split("; "):
        place, _, functions = part.partition(": ")
        suite, name = place.split("/")
        paths = glob.glob(os.path.join(ROOT, "tests", suite, f"*/{name}.c" if suite == "unit" else name))
        missing += [f"{place}: {function or 'names no test'}" for function in functions.split(", ")
                    if not function or not any(has_function(path, function) for path in paths)]
    return missing


def not_here(number, title, reason):
    ROWS.append({"row": number, "fault": title, "test": None, "reason": reason})


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def cpu_s(pid):
    """Seconds that its threads have computed."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_running(pid):
    try:
        return status_of(pid)["State"][0] not in "ZX"
    except (OSError, KeyError):
        return False


def is_stuck(pid):
    """In a call that the kernel does not end for any signal: who is ending already gets none."""
    with contextlib.suppress(OSError, KeyError), open(f"/proc/{pid}/wchan",
                                                      encoding="ascii") as file:
        return status_of(pid)["State"][0] == "D" or file.read() == "request_wait_answer"
    return False


def descendants_of(pid):
    found = []
    with contextlib.suppress(OSError):
        for child in children_of(pid):
            found += [child, *descendants_of(child)]
    return found


def pss_mb(pid):
    """Resident, with its share of what it has in common with others: a fork has nearly all."""
    with contextlib.suppress(OSError), \
         open(f"/proc/{pid}/smaps_rollup", encoding="ascii", errors="replace") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    return 0


class Meter(threading.Thread):
    """Notes what a process takes, and at its worst moment all of its family, until it ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.rss_mb, self.family_mb, self.cpu_s = pid, 0, 0, 0
        self.children = set()
        self.is_over = threading.Event()
        self.start()

    def peak_mb(self, pid):
        with contextlib.suppress(OSError, KeyError):
            return int(status_of(pid)["VmHWM"].split()[0]) / 1024
        return 0

    def run(self):
        while not self.is_over.wait(0.05) and is_running(self.pid):
            self.rss_mb = max(self.rss_mb, self.peak_mb(self.pid))
            found = descendants_of(self.pid)
            self.children.update(found)
            if not PEER:
                self.family_mb = max(self.family_mb, sum(map(pss_mb, [self.pid, *found])))
            with contextlib.suppress(OSError, IndexError):
                self.cpu_s = cpu_s(self.pid)


class Screen(PtyScreen):
    """The program under test: what it wrote (raw), what is seen, what it took (meter)."""

    def __init__(self, command, size, term, locale):
        self.raw = bytearray()
        self.began = time.monotonic()
        self.is_hung_up = False
        self.seen = ""      # of a peer, before it was asked to end
        super().__init__(command, *size, term=term, locale=locale)
        self.meter = Meter(self.process.pid)

    def __exit__(self, *details):
        self.meter.is_over.set()
        if self.is_hung_up:
            self.terminal = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        super().__exit__(*details)

    def read(self):
        found = super().read()
        if len(self.raw) < RAW_LIMIT_BYTES:
            self.raw += found
        return found

    def hang_up(self):
        """The terminal goes away. Nothing can be sent or seen afterwards."""
        self.is_hung_up = True
        os.close(self.terminal)

    def signal(self, number):
        self.process.send_signal(number)

    def wait_for(self, *parts):
        """The screen's text, once it has each part."""
        return self.wait(lambda text: all(part in text for part in parts), " and ".join(parts))

    def row_of(self, *parts):
        """The first row of the table that has each part, once there is one and its names came."""
        def found(text):
            return [line for line in text.splitlines() if re.search(r"\[[k.guH]\]", line) and
                    all(part in line for part in parts)]
        text = self.wait(lambda text: found(text) and "(loading)" not in found(text)[0],
                         f"a row with {parts}")
        return found(text)[0]

    def expect_life(self, fault):
        """Frames go on, and a key's effect is seen."""
        def samples():
            return re.search(r"([\d.]+[kM]?) samples", self.text())
        before = samples()
        self.wait(lambda _: samples() and (not before or samples()[1] != before[1]),
                  "the next frame")
        self.send(b"?")
        self.wait(lambda text: re.search(r"^ *Help\b|[─-] ?Help\b", text, re.M), "the help")
        fault.expect("frames go on and a key is answered", True)
        self.send(b"\033")
        self.wait(lambda text: "SELF%" in text, "the table")

    def ended_within(self, seconds):
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            if self.is_hung_up:
                time.sleep(0.02)
            else:
                self.look(0.05)
        return self.process.poll() is not None

    def shell_status(self):
        status = self.process.returncode
        return 128 - status if status < 0 else status


def is_sanitized():
    with open(FLAMETOP, "rb") as file:
        return re.search(rb"__[at]san_init", file.read()) is not None


def tracefs_left_by(pid):
    """Events of that process; others' are no business of ours."""
    left = []
    for name in ("uprobe_events", "kprobe_events"):
        with contextlib.suppress(OSError), open(f"{TRACEFS}/{name}", encoding="utf-8",
                                                errors="replace") as file:
            left += [line.strip() for line in file if f"flametop_{pid}_" in line]
    return left


class Fault:
    """One run of a row."""

    def __init__(self, stack):
        self.stack = stack
        self.failures, self.notes = [], []
        self.place = stack.enter_context(tempfile.TemporaryDirectory(prefix="fault-"))
        self.made = set()
        os.chmod(self.place, 0o755)

    def expect(self, what, is_true, detail=""):
        print(f"   {'ok' if is_true else 'FAILED'} {what}{'' if is_true else f': {detail}'}",
              flush=True)
        if not is_true:
            self.failures.append(what)

    def note(self, text):
        """For the table: what the program did."""
        self.notes.append(text)

    def provoker(self, name):
        return os.path.join(BUILD, "tests/faults", name)

    def copy(self, path, name=None):
        """In the row's place; everybody may run it."""
        copied = shutil.copy(path, os.path.join(self.place, name or os.path.basename(path)))
        os.chmod(copied, 0o755)
        return copied

    def makes(self, path):
        """A file outside of the row's place that the row itself makes; removed at its end."""
        self.made.add(path)
        return path

    def start(self, *command, as_nobody=False, **options):
        """@options as of Popen."""
        if as_nobody:
            options.update(user=NOBODY, group=NOBODY, extra_groups=[])
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                   "stderr": subprocess.DEVNULL, "start_new_session": True, **options}
        process = subprocess.Popen(command, preexec_fn=die_with_parent, **options)
        self.stack.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def remove_made(self):
        for path in self.made:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    @contextlib.contextmanager
    def watch(self, *arguments, pids=None, recording=None, target=None, by="dso,symbol",
              size=(120, 30), environment=None, prefix=(), term="xterm-256color", locale="C.UTF-8",
              provoke=None, ends_with=None, is_terminal_kept=True, never_sent=(), shows=(),
              never_shows=(), peer=None, peer_s=10):
        """The program at @pids, at a @recording, at what options @target say, or at all.
        @arguments are flametop's own; @peer those of `perf top` instead of what follows from @pids
        and @by; @peer_s how long it is watched.
        @ends_with: the exit status (128+n: signal n) with which it ends by itself, or by what the
        row did; None: q ends it with 0. @is_terminal_kept: False where the terminal is gone.
        @never_sent: bytes that must not reach the terminal. @never_shows: texts that must not be on
        the screen at its end; @shows: those that the block waits for, noted of a peer."""
        target = target or (["-p", ",".join(map(str, pids))] if pids else
                            ["-i", recording] if recording else ["-a"])
        variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        if PEER:
            options = peer if peer is not None else [*target, "--sort", by, "-d", "1"]
            command = ["prlimit", f"--as={PEER_BYTES}", "perf", "top", *options]
            variables.append("HOME=/tmp")
        else:
            command = [FLAMETOP, "--config", "none", "-d", "0.3", *target, "-s", by, *arguments]
        before = set(os.listdir("/tmp"))
        with Screen(["env", *variables, *prefix, *command], size, term, locale) as screen:
            if PEER:
                self.watch_peer(screen, provoke, peer_s)
                self.note_of_peer(screen, before, never_sent, shows, never_shows)
                raise PeerDone
            if provoke:
                screen.look(1)
                provoke(screen)
            yield screen
            text = screen.text()
            shown = [part for part in never_shows if part in text]
            self.expect("it shows nothing wrong", not shown, text)
            self.expect_oracles(screen, before, ends_with, is_terminal_kept)
            sent = [foreign for foreign in never_sent if foreign in bytes(screen.raw)]
            self.expect("the terminal got no foreign control", not sent, sent)

    def expect_oracles(self, screen, before, ends_with, is_terminal_kept):
        """What holds for every row."""
        if ends_with is None:
            self.expect("it is alive", screen.process.poll() is None, screen.process.returncode)
            with contextlib.suppress(OSError):
                screen.send(b"\033q")
        has_ended = screen.ended_within(30)
        self.expect("it ends", has_ended, screen.text())
        if not has_ended:
            return
        wanted = ends_with or 0
        self.expect(f"with status {wanted}", screen.shell_status() == wanted,
                    (screen.shell_status(), screen.text()))
        if is_terminal_kept:
            while screen.take():
                pass
            self.expect("the terminal is as it was", not screen.broken_modes(),
                        screen.broken_modes())
        meter = screen.meter
        factor = 10 if is_sanitized() else 1
        self.expect(f"it took {meter.rss_mb:.0f} MB, with its children {meter.family_mb:.0f}",
                    0 < meter.family_mb <= factor * FAMILY_LIMIT_MB and
                    meter.rss_mb <= factor * RSS_LIMIT_MB, (RSS_LIMIT_MB, FAMILY_LIMIT_MB))
        self.note(f"{meter.family_mb:.0f} MB")
        end = time.monotonic() + 10
        while (left := [pid for pid in meter.children if is_running(pid) and not is_stuck(pid)]) \
                and time.monotonic() < end:
            time.sleep(0.05)
        self.expect("no process is left", not left, left)
        new = [name for name in set(os.listdir("/tmp")) - before
               if os.path.join("/tmp", name) not in self.made]
        self.expect("nothing new is in /tmp", not new, new)
        left = tracefs_left_by(screen.process.pid)
        self.expect("nothing is left in tracefs", not left, left)
        reports = SANITIZER.findall(bytes(screen.raw))
        self.expect("no sanitizer reports anything", not reports, reports)

    def watch_peer(self, screen, provoke, seconds):
        screen.hold()   # drawing all would slow it down
        if not screen.ended_within(2) and provoke:
            provoke(screen)
        if screen.ended_within(max(0, seconds - 2)):
            self.note(f"ended after {time.monotonic() - screen.began:.1f} s by itself, "
                      f"status {screen.shell_status()}")
        else:
            screen.release()
            screen.seen = screen.text()
            self.note(f"{100 * screen.meter.cpu_s / seconds:.0f} % CPU")
            self.note(how_it_ended(screen))

    def note_of_peer(self, screen, before, never_sent, shows, never_shows):
        self.note(f"{screen.meter.rss_mb:.0f} MB")
        if not screen.is_hung_up and (broken := screen.broken_modes()):
            self.note(f"leaves {', '.join(broken)}")
        if new := set(os.listdir("/tmp")) - before - {".debug", ".perfconfig"}:
            self.note(f"leaves {len(new)} files in /tmp")
        if any(foreign in bytes(screen.raw) for foreign in never_sent):
            self.note("foreign controls reach the terminal")
        for part in shows:
            if part not in screen.seen:
                self.note(f"does not show {part}")
        for part in never_shows:
            if part in screen.seen:
                self.note(f"shows {part}")


def how_it_ended(screen):
    """Keys first, as a user would; one that is not answered is no hang yet."""
    for keys, patience_s in ((b"q", 4), (b"q\033q\003", 4)):
        if screen.is_hung_up:
            break
        screen.send(keys)
        if screen.ended_within(patience_s):
            return "ends by q" if keys == b"q" else "ends by q, Esc, Ctrl-C"
    for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGKILL, "SIGKILL")):
        screen.signal(number)
        if screen.ended_within(4):
            return f"keys dead, ends by {name}"
    return "never ends"


def mount(source, target, kind=None, flags=0, options=None):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(*(word.encode() if word else None for word in (source, target, kind)),
                  ctypes.c_ulong(flags), options.encode() if options else None):
        raise OSError(ctypes.get_errno(), f"mount {target}")


def use_own_places():
    """Whatever appears in /tmp from now on is ours, and no table is known from before."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    kept = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in (ROOT, BUILD)
            if path.startswith("/tmp/")}
    mount("none", "/tmp", "tmpfs", 0, "mode=1777")
    for path, descriptor in kept.items():
        os.makedirs(path, exist_ok=True)
        mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        os.close(descriptor)
    os.chdir(ROOT)
    os.makedirs("/root/.cache", mode=0o700, exist_ok=True)
    mount("none", "/root/.cache", "tmpfs", 0, "mode=0700")


def give_up(*_):
    raise TimeoutError("the row took too long")


def run_row(entry):
    began = time.monotonic()
    outcome, fault = "ok", None
    print(f"row {entry['row']}: {entry['fault']}", flush=True)
    signal.alarm(entry["limit_s"])
    try:
        with contextlib.ExitStack() as stack:
            fault = Fault(stack)
            try:
                entry["test"](fault)
            finally:
                fault.remove_made()
    except PeerDone:
        pass
    except Skipped as reason:
        outcome = f"SKIP: {reason}"
    except Exception as error:   # a row that breaks has failed, and the others go on
        fault.expect(entry["test"].__name__, False, f"{error!r}")
    signal.alarm(0)
    if fault.failures and not PEER:
        outcome = "FAILED: " + "; ".join(fault.failures)
    counts["failed" if fault.failures and not PEER else
           "skipped" if outcome.startswith("SKIP") else "passed"] += 1
    print(f"{outcome} row {entry['row']} ({', '.join(fault.notes)}) "
          f"{time.monotonic() - began:.1f} s", flush=True)
    return "; ".join([*([] if PEER and outcome == "ok" else [outcome]), *fault.notes])


def judge_elsewhere(entry):
    """The result of a row without a test of its own."""
    result = entry.get("reason") or "see there"     # the test stands beside it in the table
    if entry["test"] and (missing := missing_tests(entry["test"])):
        counts["failed"] += 1
        result = f"FAILED: no such test: {'; '.join(missing)}"
    print(f"row {entry['row']}: {entry['fault']}: {result} {entry['test'] or ''}", flush=True)
    return result


def run_rows():
    """The main() of a check; the totals are its last line."""
    if os.geteuid() != 0:
        print("SKIP: needs root")
        sys.exit(77)
    signal.signal(signal.SIGALRM, give_up)
    use_own_places()
    wanted = os.environ.get("FAULT_ROWS", "").split()
    check = os.path.basename(sys.argv[0])
    for entry in ROWS:
        if wanted and str(entry["row"]) not in wanted or entry.get("is_long") and not RUNS_LONG:
            continue
        if callable(entry["test"]):
            result, test = run_row(entry), f"{check}: {entry['test'].__name__}"
        elif PEER:
            continue
        else:
            result, test = judge_elsewhere(entry), entry["test"]
        if RESULTS:
            with open(RESULTS, "a", encoding="utf-8") as file:
                file.write(json.dumps({"row": entry["row"], "fault": entry["fault"],
                                       "test": test, "result": result}) + "\n")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    sys.exit(1 if counts["failed"] else 0)
