#!/usr/bin/python3
"""Compares what flametop counts from recordings with what perf counts from them.

usage: replay_vs_perf.py [-v] [--named FILE]... FILE...      the program: $FLAMETOP, else build/flametop
       replay_vs_perf.py --readable FILE...   compares nothing: whether perf report reads them

For each event of each file:
  rows     counts and periods per (comm, pid, DSO, address) equal those of perf script
  symbols  names of an address are equal where both give one, and counts and periods per
           (comm, DSO, symbol) equal those of perf report wherever both name all its addresses
  sums     total = sum of self = samples of perf; sum of self_period = sum of its periods
  named    of a --named FILE each DSO that has symbols has names here, as it has in perf
  filters  what --match leaves equals the samples of perf script that have the name, for the hottest
           names of commands, DSOs and symbols that stand for one of the three only
  fields   of each tracepoint and probe: hits and, of each field that perf script prints as NAME=VALUE
           or NAME: VALUE, count, min, max, mean and most frequent values
Ends with 0 when all is equal, 1 when not, 77 when perf or a compiler is missing.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIME_LIMIT_S = 240	# for a hang
REPORT_TRIES = 5
READABLE_REPORTS = 3
SHOWN = 20		# differences printed per comparison
COMM_BYTES = 15
SHORT_SIGNED = {"s8": 8, "s16": 16}
KERNEL_MODE, GUEST_MODES, GUEST_LEVELS = 1, (4, 5), ("g", "u")
# perf names the n-th slot of a PLT by the n-th relocation, which is another function's where a linker
# put the slots of indirect functions elsewhere, and some slots by the function before them.
# check_plt compares their names with objdump's.
PLT_SUFFIX = "@plt"
# A stripped file has few symbols, which perf stretches over the functions after them. These have
# symbols of what the loads run.
WELL_NAMED = {"[kernel.kallsyms]", "hot_ab", "libc.so.6"}
# Events that flametop makes of the samples of others: check_branches and check_waits compare them.
OUR_EVENTS = {"taken-branches", "off-cpu"}
REPORT_TITLE = re.compile(r"^# Samples: \S+\s+of events? '(.*)'$")

# Debug files that happen to be installed, or lie in perf's cache, give other names than the DSOs
# themselves, and the two programs choose among aliases in different ways then: neither may find them.
# Nor may perf find the processes of the recording that still run, because it looks for DSOs in
# their mount namespaces.
DEBUG_FILES = "/usr/lib/debug/.build-id"
WITHOUT_DEBUG_FILES = ["env", "HOME=/nonexistent"] if not os.path.isdir(DEBUG_FILES) else \
    ["unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c",
     'mount -t tmpfs none /usr/lib/debug && HOME=/nonexistent exec "$@"', "sh"]
PERF = [*WITHOUT_DEBUG_FILES, "perf"]
COMM_RECORD = re.compile(r"(\d+)\.(\d{9}): PERF_RECORD_COMM(?: exec)?: (.*):\d+/(\d+)$")
FORK_RECORD = re.compile(r"(\d+)\.(\d{9}): PERF_RECORD_FORK\(\d+:(\d+)\):")

Sample = collections.namedtuple(
    "Sample", "event comm pid tid mode ip address period dso symbol cpu time")


class Mismatch(Exception):
    """The two programs disagree, or one of them failed."""


def dso_name(name):
    """The few names that differ by design; every other one must be equal as it is."""
    if name.startswith("[kernel.kallsyms]"):
        return "[kernel.kallsyms]"
    if re.fullmatch(r"/tmp/perf-\d+\.map", name):	# perf's name for executable memory
        return "//anon"
    module = re.fullmatch(r"/.*/([^/]+)\.ko(\.\w+)?", name)
    if module:	# perf says [name] instead, unless the recording has the module's build-id
        return f"[{module.group(1).replace('-', '_')}]"
    return name or "[unknown]"


def run(command, tries=1, **options):
    """What the command prints. One that dies of a signal is run again, @tries times in all."""
    for _ in range(tries):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIME_LIMIT_S, **options)
        if done.returncode >= 0:
            break
    if done.returncode:
        raise Mismatch(f"{' '.join(command)}: status {done.returncode}: "
                       f"{done.stderr.decode(errors='replace').strip()[-400:]}")
    return done.stdout.decode(errors="surrogateescape")


class Perf:
    """What perf makes of a recording."""

    def __init__(self, scratch):
        self.rows_path = os.path.join(scratch, "rows")
        self.filter = os.path.join(scratch, "perf_rows.so")
        run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", self.filter,
             os.path.join(HERE, "perf_rows.c")])

    def samples(self, path):
        """Every sample of perf script, guests left out (perf script leaves them out, too)."""
        run([*PERF, "script", "-f", "-i", path, "--no-demangle", "--dlfilter", self.filter,
             "--dlarg", self.rows_path])
        with open(self.rows_path, encoding="utf-8", errors="surrogateescape", newline="\n") as rows:
            for line in rows:
                event, comm, pid, tid, mode, ip, address, period, dso, symbol, cpu, time = \
                    line.rstrip("\n").split("\t")
                mode = int(mode)
                if mode in GUEST_MODES:
                    continue
                # Inside of a module perf counts from the module's start; we keep kernel addresses.
                address = int(ip if mode == KERNEL_MODE else address, 16)
                yield Sample(event, comm, int(pid), int(tid), mode, int(ip, 16), address,
                             int(period), dso_name(dso), symbol, int(cpu), int(time))

    @staticmethod
    def task_records(path):
        """[(time, tid, command)] of the records of commands and, with None, of forks."""
        records = []
        for line in run([*PERF, "script", "-f", "-i", path, "--show-task-events", "--ns",
                         "-F", "time,event"]).splitlines():
            if comm := COMM_RECORD.search(line):
                seconds, ns, command, tid = comm.groups()
            elif fork := FORK_RECORD.search(line):
                (seconds, ns, tid), command = fork.groups(), None
            else:
                continue
            records.append((int(seconds + ns), int(tid), command))
        return records

    def late_commands(self, path, samples):
        """{":TID": command} of threads that were sampled before the first record of their command.

        A child that is forked while perf record begins inherits its events before they count, so
        that no record tells of the fork. The thread has no command then, in perf script, and
        here. perf report prints its rows at the end, under the command that came."""
        early = collections.defaultdict(list)
        for sample in samples:
            if sample.comm == f":{sample.tid}":
                early[sample.tid].append(sample.time)
        records = sorted(self.task_records(path), key=lambda record: record[0]) if early else []
        commands = {}
        for tid, times in early.items():
            first = {next((record[2] for record in records if record[1] == tid and
                           record[0] > time), None) for time in times}
            if len(first) == 1 and first != {None}:
                commands[f":{tid}"] = first.pop()
        return commands

    @staticmethod
    def report_rows(path, tries=REPORT_TRIES):
        """(event, columns of a row as text) of perf report. Without its width perf cuts a command to
        what the thread was called at first. perf 6.1 dies of some piped recordings, of others only
        now and then."""
        text = run([*PERF, "report", "-f", "-i", path, "--stdio", "-n", "--no-children",
                    "--no-demangle", "--no-branch-stack", "--no-group", "-g", "none",
                    "-F", "sample,period,comm,dso,sym", "--percent-limit", "0", "-t", "|",
                    "-w", f"0,0,{COMM_BYTES}"], tries)
        event = None
        for line in text.splitlines():
            title = REPORT_TITLE.match(line)
            if title:
                event = title.group(1)
            elif not line.startswith("#") and "|" in line:
                yield event, [part.strip() for part in line.split("|", 4)]

    def report(self, path):
        """{event: {(comm, base name of the DSO, symbol): (samples, period)}}, named rows only."""
        tables = collections.defaultdict(collections.Counter)
        for event, (count, period, comm, dso, symbol) in self.report_rows(path):
            symbol = symbol[len("[k] "):]
            key = (comm, os.path.basename(dso_name(dso)), symbol)
            if not symbol.startswith("0x"):
                tables[event][key] += complex(int(count), int(period))
        return tables


    @staticmethod
    def traces(path, events):
        """{event: what perf script prints of the fields of each of its hits}, of @events."""
        found = collections.defaultdict(list)
        for line in run([*PERF, "script", "-f", "-i", path, "-F", "event,trace"]).splitlines():
            name = re.match(r"\s*(\S+?:\S+?):\s", line)
            if name and name.group(1) in events:
                found[name.group(1)].append(line[name.end():])
        return found


class Flametop:
    def __init__(self):
        self.program = os.environ.get("FLAMETOP", os.path.join(ROOT, "build", "flametop"))

    def refreshes(self, path, keys, *options):
        """{event: its JSON object}: of a recording there is one refresh per event."""
        text = run([*WITHOUT_DEBUG_FILES, self.program, "--no-cache", "-i", path, "--batch",
                    "--format", "json", "--idle", "--window", "all", "-s", keys, *options])
        found = {}
        for line in text.splitlines():
            refresh = json.loads(line)
            if refresh["event"] not in OUR_EVENTS:
                found[refresh["event"]] = refresh
        return found


def counted(entries):
    """{key: samples + period * i} of (key, samples, period)."""
    sums = collections.Counter()
    for key, samples, period in entries:
        sums[key] += complex(samples, period)
    return sums


def describe(number):
    return f"{int(number.real)} samples, period {int(number.imag)}"


def compare(what, perf, ours):
    differences = [key for key in perf.keys() | ours.keys() if perf.get(key, 0) != ours.get(key, 0)]
    if not differences:
        return
    lines = [f"{what}: {len(differences)} of {len(perf.keys() | ours.keys())} rows differ"]
    for key in sorted(differences, key=str)[:SHOWN]:
        shown = ", ".join(f"{part:#x}" if isinstance(part, int) and part > 1 << 22 else str(part)
                          for part in key)
        lines.append(f"    {shown}: perf {describe(perf.get(key, 0j))}; "
                     f"ours {describe(ours.get(key, 0j))}")
    raise Mismatch("\n".join(lines))


def raw_name(row):
    """As the symbol table has it, which is what perf is asked for; None where a name was made up
    of an address, which perf does not do."""
    return None if row["synthetic"] else row["raw_symbol"]


def host_rows(refresh):
    return [row for row in refresh["rows"] if row["level"] not in GUEST_LEVELS]


def address_of(row):
    return int(row["address"], 16)


def dso_of(row):
    return dso_name(row["dso"] or "")


def compare_rows(samples, refresh, doubtful):
    """Rows of process 0 are left out if it has @doubtful commands."""
    perf = counted(((s.comm, s.pid, s.dso, s.address), 1, s.period)
                   for s in samples if s.pid or not doubtful)
    ours = counted(((row["comm"], row["pid"], dso_of(row), address_of(row)),
                    row["self"], row["self_period"])
                   for row in host_rows(refresh) if row["pid"] or not doubtful)
    compare("rows", perf, ours)


def compare_sums(samples, refresh):
    rows = host_rows(refresh)
    guests = sum(row["self"] for row in refresh["rows"]) - sum(row["self"] for row in rows)
    sums = {
        "samples of perf": len(samples),
        "samples - guests": refresh["samples"] - guests,
        "sum of self": sum(row["self"] for row in rows),
    }
    if len(set(sums.values())) != 1:
        raise Mismatch(f"sums differ: {sums}")
    periods = {
        "periods of perf": sum(s.period for s in samples),
        "sum of self_period": round(sum(row["self_period"] for row in rows)),
    }
    if len(set(periods.values())) != 1:
        raise Mismatch(f"periods differ: {periods}")
    for row in refresh["rows"]:
        if row["total"] < row["self"] or row["total_period"] < row["self_period"]:
            raise Mismatch(f"total < self: {row}")
    lost = refresh["lost"]
    if lost["malformed"] or lost["late"]:
        raise Mismatch(f"records were lost: {lost}")


def compare_symbols(samples, refresh, report, doubtful, late, must_be_named):
    """Returns how many addresses both name, only perf, only we. Rows of @doubtful commands are
    left out. @late: as Perf.late_commands()."""
    perf_name = {(s.comm, s.dso, s.address): s.symbol for s in samples
                 if s.symbol and not s.symbol.endswith(PLT_SUFFIX)}
    our_name = {(row["comm"], dso_of(row), address_of(row)): raw_name(row)
                for row in host_rows(refresh) if raw_name(row) and row["self"] and
                not raw_name(row).endswith(PLT_SUFFIX)}
    both = perf_name.keys() & our_name.keys()
    wrong = sorted({(key[1], f"{key[2]:#x}", perf_name[key], our_name[key])
                    for key in both if perf_name[key] != our_name[key]})
    if wrong:
        raise Mismatch("\n".join([f"names: {len(wrong)} addresses are named differently"] + [
            f"    {dso} {address}: perf {theirs}, ours {name}"
            for dso, address, theirs, name in wrong[:SHOWN]]))

    if must_be_named:
        addresses = collections.Counter(key[1] for key in perf_name
                                        if os.path.basename(key[1]) in WELL_NAMED)
        nameless = {dso for dso, count in addresses.items() if count > 1} - \
            {key[1] for key in our_name}
        if nameless:
            raise Mismatch(f"only perf has names for {sorted(nameless)}")

    # A row of perf report can be compared when all its addresses have the name on both sides.
    partial = {(late.get(comm, comm), os.path.basename(dso), name)
               for names, other in ((perf_name, our_name), (our_name, perf_name))
               for (comm, dso, address), name in names.items()
               if (comm, dso, address) not in other}
    ours = counted(((late.get(row["comm"], row["comm"]), os.path.basename(dso_of(row)),
                     raw_name(row)), row["self"], row["self_period"])
                   for row in host_rows(refresh) if raw_name(row) and row["self"])
    compare("symbols", *({key: count for key, count in rows.items()
                          if key not in partial and key[0] not in doubtful and
                          not key[2].endswith(PLT_SUFFIX)}
                         for rows in (report, ours)))
    return len(both), len(perf_name.keys() - both), len(our_name.keys() - both)


def field_of(trace, name, names):
    """The text of a field, which goes on to the next field or to the end; None where there is none."""
    others = "|".join(map(re.escape, names))
    found = re.search(rf"(?:^|[\s,]){re.escape(name)}(?:=|: )(.*?)(?=,? +(?:==> )?(?:{others})(?:=|: )|$)",
                      trace)
    return found and found.group(1).strip().strip('"')


def as_number(text, bits=64):
    """None if it is none. perf 6.1 prints signed fields of less than 32 @bits as unsigned ones."""
    if not re.fullmatch(r"-?(0x[0-9a-f]+|0|[1-9]\d*)", text):
        return None
    number = int(text, 0)
    return number - (1 << bits) if bits < 32 and number >> (bits - 1) == 1 else number


def compare_numbers(what, numbers, ours):
    theirs = {"min": min(numbers), "max": max(numbers), "mean": sum(numbers) / len(numbers)}
    wrong = {key: (number, ours[key]) for key, number in theirs.items()
             if ours[key] is None or abs(ours[key] - number) > 0.001 + abs(number) * 1e-9}
    if wrong:
        raise Mismatch(f"{what}: (perf, ours) {wrong}")


def compare_field(what, texts, ours):
    """@texts: of perf, one for each hit. Returns whether more than their number could be compared."""
    if ours["count"] != len(texts) or ours["unknown"]:
        raise Mismatch(f"{what}: perf has {len(texts)}, ours {ours['count']} and "
                       f"{ours['unknown']} unknown")
    if sum(count for _, count in ours["top"]) + ours["other"] != ours["count"]:
        raise Mismatch(f"{what}: top and other are not all of {ours['count']}")
    bits = SHORT_SIGNED.get(ours["type"], 64)
    numbers = [as_number(text, bits) for text in texts]
    is_number = ours["min"] is not None
    if is_number and None in numbers:
        return False	# perf prints a word, or an address by its symbol
    if is_number:
        compare_numbers(what, numbers, ours)
    counts = collections.Counter(numbers if is_number else texts)
    most = [count for _, count in counts.most_common(len(ours["top"]))]
    if [count for _, count in ours["top"]] != most:
        raise Mismatch(f"{what}: most frequent: perf {most}, ours {ours['top']}")
    for value, count in ours["top"]:
        known = as_number(value) if is_number and isinstance(value, str) else value
        if known is not None and counts[known] != count:
            raise Mismatch(f"{what}: {value}: perf {counts[known]}, ours {count}")
    return True


def compare_fields(traces, refreshes):
    """Returns the fields that were compared. Events without one have no row."""
    probes = {probe["spec"][len("t:"):]: probe for refresh in refreshes.values()
              for probe in refresh.get("probes", [])}
    compared = []
    for event, probe in probes.items():
        hits = traces.get(event, [])
        if probe["hits"] != len(hits) or probe["hits"] != refreshes[event]["samples"]:
            raise Mismatch(f"{event}: perf has {len(hits)} hits, ours {probe['hits']} and "
                           f"{refreshes[event]['samples']} samples")
        before = len(compared)
        for name, value in probe["values"].items():
            texts = [field_of(trace, name, probe["values"]) for trace in hits]
            if texts and None not in texts and compare_field(f"{event} {name}", texts, value):
                compared.append(f"{event} {name}")
        if hits and probe["values"] and len(compared) == before:
            raise Mismatch(f"{event}: no field could be compared")
    for event in traces.keys() - probes.keys():
        raise Mismatch(f"{event}: its fields are not shown")
    return compared


def short_name(path):
    return "[kernel]" if path == "[kernel.kallsyms]" else os.path.basename(path)


def outside_commands(samples):
    """In a PID namespace every process outside of it is process 0, as the idle tasks are: whose maps
    and names are whose is unknown. Empty when this did not happen."""
    commands = {s.comm for s in samples if s.pid == 0}
    return commands if commands - {"swapper"} else set()


def found_by(pattern, places):
    """The places (comm, DSO, symbol, address) whose comm, DSO and symbol have the pattern."""
    return tuple({place for place in places if pattern.search(part(place))}
                 for part in (lambda p: p[0], lambda p: short_name(p[1]), lambda p: p[2]))


def filters(samples, rows):
    """(text of --match, the samples it leaves): the hottest comm, DSO and symbol whose text finds
    nothing by the other two, and the same by perf's names and by ours."""
    ours = {(row["comm"], dso_of(row), raw_name(row) or "", address_of(row)) for row in rows}
    perf = {(s.comm, s.dso, s.symbol, s.address) for s in samples}
    choices = (lambda s: s.comm,
               lambda s: os.path.basename(s.dso) if re.match("/[^/]", s.dso) else "",
               lambda s: s.symbol)
    for index, name_of in enumerate(choices):
        names = collections.Counter(map(name_of, samples))
        for name, _ in names.most_common():
            if not re.fullmatch(r"[\w.:+-]{1,60}", name):
                continue
            text = "^" + re.sub(r"[.+]", r"[\g<0>]", name) + "$"
            pattern = re.compile(text, 0 if re.search("[A-Z]", name) else re.IGNORECASE)
            by_perf, by_us = found_by(pattern, perf), found_by(pattern, ours)
            if by_perf[index] == set().union(*by_perf) and by_us[index] == set().union(*by_us) and \
                    {(p[0], p[1], p[3]) for p in by_perf[index]} == \
                    {(p[0], p[1], p[3]) for p in by_us[index]}:
                yield "~" + text, [s for s in samples if name_of(s) == name]
                break


def compare_filters(flametop, path, by_event, refreshes):
    """Returns the filters that were compared."""
    samples = [sample for of_event in by_event.values() for sample in of_event]
    rows = [row for refresh in refreshes.values() for row in host_rows(refresh) if row["self"]]
    if any(row["level"] in GUEST_LEVELS for of in refreshes.values() for row in of["rows"]):
        return []	# perf gives guests other comms in each of its tools
    if outside_commands(samples):
        return []	# process 0 has another comm in each, too
    candidates = list(filters(samples, rows))
    chosen = candidates[len(samples) % 3:][:1] or candidates[:1]	# all kinds, in many recordings
    for text, left_samples in chosen:
        left = counted((s.event, 1, s.period) for s in left_samples)
        for event, refresh in flametop.refreshes(path, "dso,symbol", "--match", text).items():
            ours = sum(complex(row["self"], row["self_period"]) for row in host_rows(refresh))
            compare(f"{event} --match {text}", {(text,): left[event]}, {(text,): ours})
            busy = sum(row["self"] for row in refresh["rows"] if not row["idle"])
            if refresh["shown_samples"] != busy:
                raise Mismatch(f"--match {text}: shown_samples {refresh['shown_samples']}, "
                               f"the rows have {busy}")
    return chosen


def check_event(event, samples, refresh, report, late, must_be_named):
    if refresh is None:
        raise Mismatch(f"no refresh for event '{event}'")
    doubtful = outside_commands(samples)
    compare_sums(samples, refresh)
    compare_rows(samples, refresh, doubtful)
    return compare_symbols(samples, refresh, report, doubtful, late, must_be_named)


def is_tracepoint(event):
    """By its name: "sched:sched_switch", but not "cycles:ppp"."""
    group, _, name = event.partition(":")
    return re.fullmatch(r"\w+", group) and re.fullmatch(r"\w+", name) and \
        not re.fullmatch(r"[ukhGHpPSDIWeb]+", name)


def check_file(perf, flametop, path, verbose, must_be_named):
    by_event = collections.defaultdict(list)
    for sample in perf.samples(path):
        by_event[sample.event].append(sample)
    report = perf.report(path)
    ours = flametop.refreshes(path, "comm,pid,dso,symbol,address")
    failures = []
    for event, refresh in ours.items():
        if event not in by_event and refresh["samples"]:
            failures.append(f"{event}: perf has no such samples")
    for event, samples in by_event.items():
        try:
            named = check_event(event, samples, ours.get(event), report.get(event, {}),
                                perf.late_commands(path, samples), must_be_named)
        except Mismatch as failure:
            failures.append(f"{event}: {failure}")
            continue
        if verbose:
            print(f"    {event}: {len(samples)} samples; addresses named by both {named[0]}, "
                  f"only by perf {named[1]}, only by us {named[2]}")
    try:
        tracepoints = list(filter(is_tracepoint, by_event))
        fields = compare_fields(perf.traces(path, tracepoints), ours) if tracepoints else []
    except Mismatch as failure:
        failures.append(str(failure))
    else:
        if verbose:
            print("    fields: " + (", ".join(fields) or "none"))
    try:
        chosen = compare_filters(flametop, path, by_event, ours)
    except Mismatch as failure:
        failures.append(str(failure))
    else:
        if verbose:
            print("    filters: " + (", ".join(text for text, _ in chosen) or "none"))
    return failures


def maps_have_devices_of_stat():
    """On overlayfs and btrfs a mapping has another device than stat(2) says of its file."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        _, _, _, device, inode, path = next(line for line in maps if "/" in line).split(None, 5)
    status = os.stat(path.strip())
    return (device, inode) == (f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}",
                               str(status.st_ino))


def missing_tool():
    if not shutil.which("perf"):
        return "perf"
    if not shutil.which(os.environ.get("CC", "cc")):
        return "a C compiler"
    if not os.path.exists("/usr/include/perf/perf_dlfilter.h"):
        return "perf/perf_dlfilter.h"
    return None


def is_readable(path):
    try:
        return all(list(Perf.report_rows(path, tries=1)) for _ in range(READABLE_REPORTS))
    except Mismatch:
        return False


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-v", "--verbose", action="store_true")
    options.add_argument("--named", action="append", default=[])
    options.add_argument("--readable", action="store_true")
    options.add_argument("files", nargs="+")
    chosen = options.parse_args()
    missing = missing_tool()
    if missing:
        print(f"SKIP: {missing} is not installed")
        return 77
    if chosen.readable:
        return 0 if all(is_readable(path) for path in chosen.files) else 1
    named = chosen.named if maps_have_devices_of_stat() else []
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        perf, flametop = Perf(scratch), Flametop()
        for path in chosen.files:
            try:
                failures = check_file(perf, flametop, path, chosen.verbose, path in named)
            except (Mismatch, subprocess.TimeoutExpired, ValueError, KeyError) as failure:
                failures = [f"{type(failure).__name__}: {failure}"]
            print(f"{'FAIL' if failures else 'ok'}   {os.path.basename(path)}")
            for failure in failures:
                print(f"  {failure}")
            failed += bool(failures)
    print(f"{len(chosen.files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
