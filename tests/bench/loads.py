"""The loads under which flametop and perf top are measured. Both get the same running load."""
import contextlib
import os
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from parent_death import die_with_parent  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
WORKLOADS = os.path.join(BUILD, "tests/workloads")
FOREVER_S = "100000"

COMPILE = """while :; do for file in src/*/*.c; do
    cc -O2 -std=c11 -D_GNU_SOURCE -Iinclude -c "$file" -o /dev/null
done; done"""
INTERPRET = """import json
rows = [{"a": i, "b": [str(j) for j in range(50)]} for i in range(3000)]
while True: json.loads(json.dumps(rows)); sorted(rows, key=lambda row: -row["a"])"""


def workload(name, *arguments):
    return [os.path.join(WORKLOADS, name), *arguments]


def on_each_cpu(command):
    return [command] * max(2, os.cpu_count())


def spinners():
    return on_each_cpu(workload("hot_ab", FOREVER_S))


# Each process: its command. What prints "ready" is waited for.
LOADS = {
    "spinners": spinners,
    "mixed": lambda: [["sh", "-c", COMPILE], ["/usr/bin/python3", "-c", INTERPRET],
                      workload("short_lived", FOREVER_S)],
    "processes": lambda: [workload("sleepers", "3000", "100"), *spinners()],
    "syscalls": lambda: on_each_cpu(workload("call_storm", FOREVER_S)),
    "deep-fp": lambda: on_each_cpu(workload("chained_stacks", "deep41", FOREVER_S)),
    "deep": lambda: on_each_cpu(workload("hard_stacks", "deep41", FOREVER_S)),
    "threads": lambda: [workload("threads", "2000", FOREVER_S, "100")],
    "idle": lambda: [workload("sleepers", "1")],
}
AWAITED = ("sleepers", "threads")

ABOUT = {
    "spinners": "a loop on each CPU",
    "mixed": "a compiler, python, one short process after the other",
    "processes": "3,000 idle processes with 100 mappings each, a loop on each CPU",
    "syscalls": "the cheapest system call without end, on each CPU",
    "deep-fp": "stacks of 41 frames with frame pointers, on each CPU",
    "deep": "the same without frame pointers",
    "threads": "a process with 2,000 threads that work 0.1 ms and sleep 100 ms",
    "idle": "a process that waits, the machine idle",
}


@contextlib.contextmanager
def running(name):
    """The pids of the load's first processes; all of it is gone after the block."""
    processes = []
    try:
        for command in LOADS[name]():
            is_awaited = os.path.basename(command[0]) in AWAITED
            process = subprocess.Popen(
                command, cwd=ROOT, start_new_session=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if is_awaited else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
            processes.append(process)
            if is_awaited and process.stdout.readline() != b"ready\n":
                raise ChildProcessError(f"{command[0]} did not start")
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in processes:
            process.communicate()
