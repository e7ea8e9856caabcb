"""Probes in a virtual machine of either architecture, on programs that say what they do: hits and
values are what they say; and tracefs is as it was before.

Use: script(...) for virtual_machine.run_script(), with a build's program at /usr/bin/flametop and its
workloads in /workloads; then check() its output.
"""
import dataclasses
import json
import os
import re

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../workloads/probe_me.c")
PROBE_ME, VALUE_CALLS = "/workloads/probe_me", "/workloads/value_calls"
TRACES = ("kprobe_events", "uprobe_events", "dynamic_events", "enabled_functions")
CALLS, NAPS, NAP_NS = 1000, 20, 5_000_000
REQUESTS = 16   # of handle_request(), a multiple of 4


@dataclasses.dataclass(frozen=True)
class Names:
    """What is called otherwise in the kernels of the architectures."""
    getppid: tuple      # its function; of aliases the list of traceable functions has one
    openat: str         # its function, and the path among its registers
    entry: str          # the function that all system calls go through
    forbidden: str      # one of the blacklist of kprobes
    first: str          # the register with a function's first argument


NAMES = {
    "x86_64": Names(getppid=("__do_sys_getppid", "__x64_sys_getppid"),
                    openat="__x64_sys_openat path=regs->si:ustring", entry="do_syscall_64",
                    forbidden="do_int3", first="%di"),
    "aarch64": Names(getppid=("__arm64_sys_getppid",),
                     openat="__arm64_sys_openat path=regs->regs[1]:ustring", entry="do_el0_svc",
                     forbidden="brk_handler", first="%x0"),
}


def kernel_probes(names):
    """{name of a run: probes, and how often probe_me hits each with its requests getppid and nap_5}.
    Entry and return of one function would become one probe."""
    return {"entries": (*((f"k:{name}", CALLS) for name in names.getppid),
                        ("lat:hrtimer_nanosleep", NAPS)),
            "returns": ((f"kr:{names.getppid[0]}", CALLS),)}


def user_probes(names):
    """Requests to probe_me; probes on what it then calls, the ranges of their numbers and the counts
    of their texts, in the order of their values. What is returned adds up to the sum that probe_me
    prints."""
    paths = {f"/etc/r{i}": REQUESTS // 4 for i in range(4)}
    texts = dict.fromkeys(("alpha", "beta", "gamma delta", ""), 10)
    mixed = [(-19, 0), (200, 219), (-5700, 0), (0, 19), (-190_000_000_000, 0)]
    last = REQUESTS - 1
    return (
        (f"counted={CALLS}", f"lat:{PROBE_ME}:counted number $retval",
         [(0, CALLS - 1), (0, 3 * (CALLS - 1))], []),
        (f"counted={CALLS}", f"u:{PROBE_ME}:counted first={names.first}:s64 $arg1:s64",
         [(0, CALLS - 1)] * 2, []),
        ("signs=10", f"ur:{PROBE_ME}:signs $retval", [(-9, 8)], []),
        ("texts=40", f"u:{PROBE_ME}:take_text text:string bytes", [(0, 11)], [texts]),
        (f"requests={REQUESTS}", f"lat:{PROBE_ME}:handle_request request->id request->kind "
         "request->is_urgent request->level request->body.size request->body.flags "
         "request->parts[2] next=request->next->id request->path:string $retval:s64",
         [(0, last), (0, 2), (0, 1), (0, 7), (0, 4096 * last), (0x80000000, 0x80000000 + last),
          (0, 3 * last), (1000, 1000 + last), (0, 4096 * last)], [paths]),
        ("mixed=20", f"u:{PROBE_ME}:mixed tiny byte small word large text:string", mixed,
         [{"mixed": 20}]),
        ("mixed=20", f"u:{PROBE_ME}:mixed $arg1:s8 $arg2:u8 $arg3:s16 $arg4:u32 $arg5:s64 "
         "$arg6:string", mixed, [{"mixed": 20}]),
        ("recurse=50", f"lat:{PROBE_ME}:recurse $retval", [(1, 50)], []),
        ("threads=20", f"lat:{PROBE_ME}:in_thread number", [(1, 20)], []),
    )


# What is asked with a probe of what a workload or a command of busybox does, and which numbers
# (least, greatest) and texts (how often at least) of it are known; None: nobody does that. BTF has the
# arguments.
BTF_VALUES = (
    ("k:vfs_read count file->f_path.dentry->d_name.name if count == 777",
     "dd if=/tmp/seven of=/dev/null bs=777 count=3", {"count": (777, 777)}, {"seven": 3}),
    ("lat:do_sys_openat2 filename:ustring $retval:errno if comm == cat",
     "cat /tmp/seven /tmp/none", {}, {"/tmp/seven": 1, "/tmp/none": 1, "ENOENT": 1}),
)
OTHER_VALUES = (
    # What a tracepoint's refusal offers, and the kernel's own comparison of such a text.
    ("k:{openat} if comm == cat",
     "cat /tmp/seven /tmp/none", {}, {"/tmp/seven": 1, "/tmp/none": 1}),
    ('t:syscalls:sys_enter_openat flags if filename ~ "/tmp/se?en" and comm == value_calls',
     f"{VALUE_CALLS} opens 1", {}, None),
    ('t:syscalls:sys_enter_openat flags if filename ~ "/etc/pass*" and comm == value_calls',
     f"{VALUE_CALLS} opens 20", {}, {}),
    ("k:tcp_connect sk->__sk_common.skc_daddr:ipv4 sk->__sk_common.skc_dport:port",
     f"{VALUE_CALLS} connects 1 4444 4445", {}, {"127.0.0.1": 1, "4444": 1}),
    ("t:kmem:kmalloc call_site bytes_req if comm == value_calls",
     f"{VALUE_CALLS} pipes 10", {}, {"alloc_pipe_info": 10}),
    ("lat:t:syscalls:sys_enter_clock_nanosleep->syscalls:sys_exit_clock_nanosleep",
     f"{PROBE_ME} nap_5={NAPS}", {}, {}),
    # From one place to another, of all kinds: what lies between them is the sleep.
    ("lat:k:hrtimer_nanosleep->kr:do_nanosleep", f"{PROBE_ME} nap_5={NAPS}", {}, {}),
    ("lat:k:hrtimer_nanosleep->t:syscalls:sys_exit_clock_nanosleep",
     f"{PROBE_ME} nap_5={NAPS}", {}, {}),
    ("lat:t:syscalls:sys_enter_clock_nanosleep->kr:hrtimer_nanosleep",
     f"{PROBE_ME} nap_5={NAPS}", {}, {}),
    ("lat:u:/workloads/probe_me:nap_5ms->kr:do_nanosleep", f"{PROBE_ME} nap_5={NAPS}", {}, {}),
    ("u:/workloads/probe_me:probe_me.c:{line} number", f"{PROBE_ME} counted=50",
     {"number": (0, 49)}, {}),
)


def known_values(machine, is_whole):
    with open(SOURCE, encoding="utf-8") as file:
        line = next(at for at, text in enumerate(file, 1)
                    if text.startswith("long counted(") and ";" not in text)
    return [(spec.format(line=line + 2, openat=NAMES[machine.name].openat), *rest)
            for spec, *rest in BTF_VALUES + (OTHER_VALUES if is_whole else ())]


SCRIPT = """cd /sys/kernel/tracing
traces() {{ for name in {traces}; do echo "$name:"; sort $name; done; }}
# Prints what the command prints, too.
probe() {{
	name=$1; shift
	flametop --batch --format json --window all -d 60 --probe-cap off "$@" >/tmp/out
	status=$?; tr -d '\\000' </tmp/out | sed "s/^/$name /"; echo "status $name $status"
}}
traces >/tmp/before
{meanwhile}
# Without stacks the rings have room for all records.
{kernel}
probe user --call-graph off {user} -- {probe_me} {requests}
head -c 2331 /dev/zero >/tmp/seven
{valued}
{others}
flametop --batch --probe lat:do_sys_openat2 >/tmp/out & flametop=$!
until grep -q do_sys_openat2 kprobe_events || ! kill -0 $flametop; do sleep 0.1; done
kill -KILL $flametop && echo "killed while attached"
while grep -q do_sys_openat2 dynamic_events; do sleep 0.1; done
traces >/tmp/after
cmp /tmp/before /tmp/after && echo "traces alike" || cat /tmp/after
"""

OTHERS = """
flametop --batch --format folded --window all -d 60 --probe k:hrtimer_nanosleep \\
	-- {probe_me} nap_5={naps} | sed "s/^/folded /"
for name in vfs_read {forbidden}; do flametop --list-targets $name | sed "s/^/target /"; done
probe refused --probe k:{forbidden} -- {probe_me} getppid=1
"""


def options(specs):
    return " ".join(f"--probe '{spec}'" for spec in specs)


def script(machine, is_whole, meanwhile=""):
    """@is_whole: not only what differs between architectures. @meanwhile: shell that runs while
    tracefs is watched."""
    names = NAMES[machine.name]
    words = {"probe_me": PROBE_ME, "calls": CALLS, "naps": NAPS, "forbidden": names.forbidden}
    user = user_probes(names)
    return SCRIPT.format(
        **words, traces=" ".join(TRACES), meanwhile=meanwhile,
        kernel="\n".join(
            f"probe {name} --call-graph off {options(spec for spec, _ in probes)} -- {PROBE_ME} "
            f"getppid={CALLS} nap_5={NAPS}" for name, probes in kernel_probes(names).items()),
        user=options(spec for _, spec, *_ in user),
        requests=" ".join(dict.fromkeys(request for request, *_ in user)),
        valued="\n".join(f"probe valued{at} --probe '{spec}' -- {command}" for at, (spec, command, *_)
                         in enumerate(known_values(machine, is_whole))),
        others=OTHERS.format(**words) if is_whole else "")


def probes_of(output, name):
    """The probes in the last refresh of that run; none if it printed nothing."""
    found = re.findall(rf'^{name} (\{{"time_ns".*\}})$', output, re.M)
    return json.loads(found[-1])["probes"] if found else []


def check_kernel(names, output, expect):
    known = [each for probes in kernel_probes(names).values() for each in probes]
    probes = [probe for name in kernel_probes(names) for probe in probes_of(output, name)]
    expect("all kernel probes were attached", len(probes) == len(known), probes)
    for (spec, hits), probe in zip(known, probes):
        expect(f"{spec}: the kernel counted what the program did", probe["hits_since"] == hits, probe)
        expect(f"{spec}: shown and lost are all", hits == probe["hits"] + probe["lost"],
               (probe["hits"], probe["lost"]))
        if spec.startswith("lat:"):
            latency = probe["latency_ns"]
            expect(f"{spec}: no call is shorter than its sleep", latency["count"] > 0 and
                   not any(latency["log2"][:NAP_NS.bit_length() - 1]), latency)
            expect(f"{spec}: what of it is the probe's own", 0 < (latency["own"] or 0) <
                   latency["max"], latency)


def said_by_program(output, name):
    """{request: {key: number}} as probe_me printed them."""
    return {words[0]: {key: int(value) for key, value in (word.split("=") for word in words[1:])}
            for words in (line.split() for line in
                          re.findall(rf"^{name} (\w+ \w+=-?\d.*)$", output, re.M))}


def check_user(names, output, expect):
    known, probes = user_probes(names), probes_of(output, "user")
    said = said_by_program(output, "user")
    expect("all user probes were attached", len(probes) == len(known), probes)
    for (request, spec, ranges, texts), probe in zip(known, probes):
        of_program = said[request.partition("=")[0]]
        values = list(probe["values"].values())
        numbers = [value for value in values if value["min"] is not None]
        expect(f"{spec}: as many hits as calls", probe["hits_since"] == of_program["hits"] ==
               probe["hits"] and not probe["lost"] and not probe["unpaired"], (of_program, probe))
        expect(f"{spec}: numbers", [(value["min"], value["max"]) for value in numbers] == ranges and
               all(value["count"] == of_program["hits"] for value in values), values)
        expect(f"{spec}: texts", [dict(map(tuple, value["top"])) for value in values
                                  if value["min"] is None] == texts, values)
        if "$retval" in spec and "sum" in of_program:
            expect(f"{spec}: what is returned is what the program says",
                   numbers[-1]["mean"] * numbers[-1]["count"] == of_program["sum"],
                   (numbers[-1], of_program))


def check_valued(machine, is_whole, output, expect):
    for at, (spec, command, numbers, texts) in enumerate(known_values(machine, is_whole)):
        probe = (probes_of(output, f"valued{at}") or [{}])[0]
        values = probe.get("values", {})
        expect(f"{spec}: numbers", (probe.get("hits") or texts is None) and all(
            (values[name]["min"], values[name]["max"]) == known
            for name, known in numbers.items()), probe)
        if texts is None:
            expect(f"{spec}: nobody does", probe.get("hits") == 0, probe)
            continue
        tops = {}
        for text, count in (top for value in values.values() for top in value["top"]):
            name = str(text).partition("+")[0]   # of symbols without the offset
            tops[name] = tops.get(name, 0) + count
        expect(f"{spec}: texts", all(tops.get(text, 0) >= count for text, count in texts.items()),
               tops)
        if "->" in spec and f"nap_5={NAPS}" in command:
            expect(f"{spec}: no call is shorter than its sleep",
                   probe["latency_ns"]["count"] == NAPS and
                   not any(probe["latency_ns"]["log2"][:NAP_NS.bit_length() - 1]), probe)


def check_others(names, output, expect):
    # The first ones may be counted before the tables of the C library are there.
    stacks = [(line, int(count)) for line, count in re.findall(r"^folded (.*) (\d+)$", output, re.M)]
    expect("the stacks of a kernel function's hits are the kernel's", NAPS == sum(
        count for line, count in stacks if f"{names.entry};" in line and
        line.endswith(";hrtimer_nanosleep")), stacks)
    expect("and lead into the program",
           any(";main;" in line and ";nap_5ms;" in line for line, _ in stacks), stacks)
    expect("kernel functions are found", re.search(
        r"^target (k|lat):vfs_read\t(?!.*cannot)", output, re.M))
    expect("and why one can't be probed", re.search(
        rf"^target .*{names.forbidden}\t.*(blacklist|forbid|refuse)", output, re.M),
           re.findall(f"^target .*{names.forbidden}.*", output, re.M))
    expect("a function of the blacklist is refused",
           re.search(r"^status refused (?!0)", output, re.M) and names.forbidden in output)


def check(machine, is_whole, output, expect):
    """Calls @expect(name, is_true, detail) for all that must hold of the output of script()."""
    names = NAMES[machine.name]
    check_kernel(names, output, expect)
    check_user(names, output, expect)
    check_valued(machine, is_whole, output, expect)
    if is_whole:
        check_others(names, output, expect)
    expect("nothing is left in tracefs, also after SIGKILL",
           "killed while attached\ntraces alike" in output)
