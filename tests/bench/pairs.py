"""What is measured under which load: the settings of flametop and those of perf top."""
import collections

PROGRAMS = "flametop", "perf top"

Pair = collections.namedtuple("Pair", "load setting ours theirs")


def both(*arguments):
    return arguments, arguments


def chains(rate):
    """-g is frame pointers for perf."""
    return ("-F", rate, "--call-graph", "fp"), ("-F", rate, "-g")


PAIRS = [
    Pair("spinners", "99 Hz", *both("-F", "99", "-d", "1")),
    Pair("spinners", "default", *both()),
    Pair("spinners", "default, no cache", ("--no-cache",), ()),
    Pair("spinners", "4,000 Hz fp", *chains("4000")),
    Pair("spinners", "4,000 Hz dwarf", *both("-F", "4000", "--call-graph", "dwarf")),
    Pair("spinners", "20,000 Hz fp", *chains("20000")),
    Pair("mixed", "default", *both()),
    Pair("mixed", "4,000 Hz dwarf", *both("-F", "4000", "--call-graph", "dwarf")),
    Pair("mixed", "20,000 Hz fp", *chains("20000")),
    Pair("processes", "default", *both()),
    Pair("syscalls", "every sys_enter", *both("-e", "raw_syscalls:sys_enter")),
    Pair("syscalls", "every sys_enter, alike",
         ("-e", "raw_syscalls:sys_enter", "--call-graph", "off"),
         ("-e", "raw_syscalls:sys_enter", "-s", "dso,symbol")),
    Pair("deep-fp", "20,000 Hz fp", *chains("20000")),
    Pair("deep", "4,000 Hz dwarf", *both("-F", "4000", "--call-graph", "dwarf")),
    Pair("threads", "default", *both()),
    Pair("idle", "-p PID", *both("-p", "PID")),
]
