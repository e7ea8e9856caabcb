"""Runs flametop and workloads for the live tests, and counts what the tests find."""
import concurrent.futures
import contextlib
import json
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

FLAMETOP, WORKLOADS = os.environ["FLAMETOP"], os.environ["WORKLOADS"]
FIRST_ARGUMENT = {"x86_64": "%di", "aarch64": "%x0"}[platform.machine()]    # its register
PATIENCE_S = int(os.environ.get("PATIENCE_S", "180"))    # for a hang, not for speed
counts = {"passed": 0, "failed": 0, "skipped": 0}


def expect(name, is_true, detail=""):
    counts["passed" if is_true else "failed"] += 1
    print(f"{'ok' if is_true else 'FAILED'} {name}{'' if is_true else f': {str(detail)[:4000]}'}",
          flush=True)


def skip(reason):
    counts["skipped"] += 1
    print(f"SKIP: {reason}", flush=True)


def perf_kernel_pct(pid, seconds=3):
    """Share of its samples that perf finds in the kernel: how much that is depends on the kernel."""
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "perf.data")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-p", str(pid),
                        "-o", file, "--", "sleep", str(seconds)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        printed = subprocess.run(["perf", "script", "-i", file, "-F", "ip"], check=True, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    addresses = [int(word, 16) for word in printed.split()]
    return 100 * sum(address >= 1 << 63 for address in addresses) / len(addresses)


def give_up(*_):
    raise TimeoutError(f"nothing came within {PATIENCE_S} s")


def run_checks(*checks):
    """The main() of a test program: each check gets its patience; the totals are the last line."""
    if os.geteuid() != 0:
        print("SKIP: needs root")
        sys.exit(77)
    signal.signal(signal.SIGALRM, give_up)
    for check in checks:
        began = time.monotonic()
        signal.alarm(PATIENCE_S)
        try:
            check()
        except Exception as error:   # a test that breaks has failed, and the others go on
            expect(check.__name__, False, repr(error))
            traceback.print_exc(file=sys.stdout)    # says what the check waited for
        signal.alarm(0)
        print(f"   {check.__name__} took {time.monotonic() - began:.1f} s", flush=True)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    sys.exit(1 if counts["failed"] else 0)


def wait_until(is_true, what):
    """Returns the first true value of @is_true()."""
    end = time.monotonic() + PATIENCE_S
    while not (value := is_true()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited for {what}")
        time.sleep(0.02)
    return value


def together(*calls):
    """Their results; they run at the same time. For what waits: for the seconds of a run, or while the
    kernel closes hundreds of tracepoints, which is quick for all but the last one that has them open."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [running.result() for running in [pool.submit(call) for call in calls]]


@contextlib.contextmanager
def started(*command, **options):
    """A program that is ended, with all that it started, when the block is left."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
               "stderr": subprocess.DEVNULL, "start_new_session": True, **options}
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


@contextlib.contextmanager
def workload(name, *arguments, prefix=(), **options):
    """A workload that runs. AS_NOBODY becomes the workload: the block begins once it has."""
    path = os.path.join(WORKLOADS, name)
    with started(*prefix, path, *arguments, **options) as process:
        if prefix == AS_NOBODY:
            wait_until(lambda: os.readlink(f"/proc/{process.pid}/exe") == os.path.realpath(path),
                       f"the start of {name}")
        yield process


@contextlib.contextmanager
def on_request(prefix=()):
    """The workload on_request, and a function that asks it for something and returns the reply."""
    with workload("on_request", prefix=prefix, stdin=subprocess.PIPE,
                  stdout=subprocess.PIPE) as process:
        process.stdout.readline()   # "ready"

        def ask(line):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield process, ask


class Refreshes:
    """A running `flametop --batch --format json`: its refreshes, one after the other."""

    def __init__(self, process):
        self.process = process
        self.seen = []

    def next(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"flametop ended: {self.process.stderr.read().decode().strip()}")
        self.seen.append(json.loads(line))
        return self.seen[-1]

    def until(self, is_true):
        while not is_true(self.next()):
            pass
        return self.seen[-1]

    def to_end(self):
        """Reads to the end of output; returns the exit status."""
        for line in self.process.stdout:
            self.seen.append(json.loads(line))
        return self.process.wait()

    def total(self, field="samples"):
        return sum(refresh[field] for refresh in self.seen)


@contextlib.contextmanager
def refreshes(*arguments, interval_s=0.3, prefix=(), program=FLAMETOP):
    with started(*prefix, program, "--batch", "--format", "json", "-d", str(interval_s), *arguments,
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield Refreshes(process)


def run(*arguments, prefix=(), program=FLAMETOP, **options):
    """A run of flametop to its end: status, stdout and stderr as text."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               **options}
    done = subprocess.run([*prefix, program, *arguments], check=False, timeout=PATIENCE_S, **options)
    return done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode()


def whole_run(*arguments, seconds, prefix=(), program=FLAMETOP):
    """One snapshot of a run of @seconds."""
    status, out, err = run("--batch", "--format", "json", "--window", "all", "-d", str(seconds),
                           "--duration", str(seconds), *arguments, prefix=prefix, program=program)
    if status:
        raise RuntimeError(f"flametop ended with {status}: {err}")
    return json.loads(out.splitlines()[-1])


def probe_run(specs, *command, extra=(), **how):
    """The probes of one run over @command, and what that wrote. @how: as of run().

    No shell in between: of the threads of a process that was forked from what is probed, Linux 6.18
    misses hits once some have ended; perf stat does, too.
    """
    options = [word for spec in specs for word in ("--probe", spec)]
    status, out, err = run("--batch", "--format", "json", "--window", "all", "-d", "60", *options,
                           *extra, "--", *command, **how)
    if status:
        raise RuntimeError(f"{specs}: status {status}: {err}")
    lines = out.splitlines(keepends=True)
    refresh = next(line for line in lines if line.startswith('{"time_ns"'))
    return json.loads(refresh)["probes"], "".join(line for line in lines if line is not refresh)


@contextlib.contextmanager
def bpftrace(program):
    """bpftrace runs @program; gives a function that ends it and returns the lines it printed."""
    # The last probe of a program is attached after the others.
    ready = ' interval:ms:50 { printf("ready\\n"); }'
    with subprocess.Popen(["bpftrace", "-B", "line", "-e", program + ready],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        printed = b""

        def read_until_ready(times):
            nonlocal printed
            wanted = printed.count(b"ready\n") + times
            while printed.count(b"ready\n") < wanted:
                if not select.select([process.stdout], [], [], PATIENCE_S)[0]:
                    raise TimeoutError(f"bpftrace printed {printed} only")
                piece = os.read(process.stdout.fileno(), 4096)
                if not piece:
                    raise RuntimeError(f"bpftrace ended: {process.stderr.read().decode()}")
                printed += piece

        def end():
            read_until_ready(4)     # what it has not read when it ends is gone
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
            if process.returncode:
                raise RuntimeError(f"bpftrace ended with {process.returncode}: {err.decode()}")
            return (printed + out).decode().splitlines()

        try:
            read_until_ready(1)
            yield end
        finally:
            if process.poll() is None:
                process.kill()


def rows_with(snapshot, **fields):
    return [row for row in snapshot["rows"]
            if all(row[name] == value for name, value in fields.items())]


def self_of(rows):
    return sum(row["self"] for row in rows)


AS_NOBODY = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups")


@contextlib.contextmanager
def copy_for_nobody(*paths):
    """Copies of programs where every user can run them: the build may lie in a private place."""
    with tempfile.TemporaryDirectory(prefix="flametop-test-") as place:
        os.chmod(place, 0o755)
        for path in paths:
            shutil.copy(path, place)
        yield [os.path.join(place, os.path.basename(path)) for path in paths]


def children_of(pid):
    """Every process below @pid, by /proc/PID/task/TID/children."""
    found = []
    with contextlib.suppress(OSError):
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    found += [child, *children_of(child)]
    return found


def state_of(pid):
    """The letter of /proc/PID/stat, or "" when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_running(pid):
    return state_of(pid) not in ("", "Z", "X")


def is_stopped(pid):
    """Whether every thread of the process is stopped by a signal."""
    return all(state_of(f"{pid}/task/{tid}") == "T" for tid in os.listdir(f"/proc/{pid}/task"))
