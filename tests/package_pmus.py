"""PMUs that few test machines have, in a sysfs of files: the energy of a package, counted by CPU 0,
and top-down events. Energy is cpu-clock in truth (tests/faults/preload/core_pmus.c): a nanosecond is
2.5e-8 J, so a CPU has 25 W, whatever runs. Top-down events are system calls."""
import os
import subprocess

ENERGY, WATTS = "power/energy-pkg/", 25.0
# tests/workloads/counted_calls makes two getuid(2) for each getppid(2), and no sethostname(2).
SHARES = {"topdown-retiring": "getppid", "topdown-bad-spec": "sethostname",
          "topdown-fe-bound": "sethostname", "topdown-be-bound": "getuid"}
SLOTS = {"topdown-total-slots": "getuid", "topdown-slots-issued": "getppid",
         "topdown-slots-retired": "getppid", "topdown-fetch-bubbles": "sethostname",
         "topdown-recovery-bubbles": "sethostname"}


def tracepoint(call):
    """Its id, also where tracefs is not mounted."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tracefs none /sys/kernel/tracing 2>/dev/null; "
         f"cat /sys/kernel/tracing/events/syscalls/sys_enter_{call}/id"],
        check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def command(place, events=SHARES, more=None):
    """Writes the files into the directory @place. Returns the words before a program to see them."""
    files = {"power/type": "9", "power/cpumask": "0", "power/format/event": "config:0-7",
             "power/events/energy-pkg": "event=0x02", "power/events/energy-pkg.scale": "2.5e-8",
             "power/events/energy-pkg.unit": "Joules",
             "cpu/type": "2", "cpu/format/event": "config:0-63",
             **{f"cpu/events/{name}": f"event={tracepoint(call)}" for name, call in events.items()},
             **(more or {})}
    for name, text in files.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            print(text, file=file)
    library = os.path.join(os.environ["BUILD"], "tests/faults/core_pmus.so")
    return ["unshare", "-m", "sh", "-c",
            f'mount --bind "{place}" /sys/bus/event_source/devices && exec "$@"', "sh",
            "env", "CORE_PMUS=9=0;9=1", "CORE_PMUS_COUNT=9", f"LD_PRELOAD={library}"]
