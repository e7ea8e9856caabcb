"""Writes recordings of `perf record --off-cpu`, as perf lays them out: Debian's perf is built without it.

Source: linux/tools/perf/util/bpf_off_cpu.c, off_cpu_write(); bpf_skel/off_cpu.bpf.c, off_cpu_dump();
perf.data-file-format.txt.
"""
import os
import struct

SOFTWARE, CPU_CLOCK, BPF_OUTPUT = 1, 0, 10
IP, TID, TIME, CALLCHAIN, CPU, PERIOD, RAW = 1, 2, 4, 1 << 5, 1 << 7, 1 << 8, 1 << 10
IDENTIFIER, CGROUP = 1 << 16, 1 << 21
COMMON = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
FREQ, SAMPLE_ID_ALL = 1 << 10, 1 << 18
SAMPLE, COMM, MMAP2 = 9, 3, 10
READ_EXECUTE, PRIVATE = 5, 2
KERNEL, USER = 1, 2
CONTEXT_USER = -512 & (1 << 64) - 1
NO_TIME = -1 << 32 & (1 << 64) - 1      # OFF_CPU_TIMESTAMP: sums come last
EVENT_DESC = 12
ATTR_BYTES = 128
IDS = {"cpu-clock": 101, "offcpu-time": 102}


def record(kind, misc, *parts):
    body = b"".join(parts)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def pair(first, second):
    return struct.pack("<II", first, second)


def padded(text):
    text = text.encode() + b"\0"
    return text + bytes(-len(text) % 8)


def attr(config, sample_type, freq):
    head = struct.pack("<IIQQQQQ", SOFTWARE, ATTR_BYTES, config, freq, sample_type, 0,
                       FREQ | SAMPLE_ID_ALL)
    return head + bytes(ATTR_BYTES - len(head))


def trailer(pid, tid, time_ns):
    return pair(pid, tid) + words(time_ns) + pair(0, 0) + words(IDS["cpu-clock"] if time_ns else 0)


def sum_of_old(index, wait):
    """Before Linux 6.16: a sample for each thread and stack, its fields filled in by perf."""
    chain = [CONTEXT_USER] + wait["stack"]
    return record(SAMPLE, USER, words(IDS["offcpu-time"], wait["stack"][0]),
                  pair(wait["pid"], wait["tid"]), words(NO_TIME + index), pair(0, 0),
                  words(wait["ns"], len(chain), *chain, 0))


def raw_of(first, second, wait):
    chain = [CONTEXT_USER] + wait["stack"]
    fields = pair(first, second) + words(wait["ns"], len(chain), *chain, 0)
    return struct.pack("<I", len(fields) + 4) + fields + bytes(4)


def sum_of_new(index, wait):
    return record(SAMPLE, USER, words(IDS["offcpu-time"], 0), pair(0, 0), words(NO_TIME + index),
                  pair(0, 0), words(0), raw_of(wait["pid"], wait["tid"], wait), words(0))


def direct(time_ns, wait):
    """A long wait: its record is from whichever task ran before, here process 1."""
    return record(SAMPLE, KERNEL, words(IDS["offcpu-time"], 0xffffffff81000000), pair(1, 1),
                  words(time_ns), pair(0, 0), words(1), raw_of(wait["tid"], wait["pid"], wait),
                  words(0))


def executable(path, base):
    """(address, bytes, offset) of the code of the ELF file that is loaded at @base."""
    with open(path, "rb") as file:
        image = file.read(4096)
    at, size, count = struct.unpack_from("<Q14xHH", image, 32)
    for i in range(count):
        kind, flags, offset, address, _, _, memory = struct.unpack_from("<IIQQQQQ", image,
                                                                        at + i * size)
        if kind == 1 and flags & 1:
            return base + address & -4096, (memory + (address & 4095) + 4095) & -4096, offset & -4096
    raise ValueError(f"{path} has no code")


def mapping(pid, path, base):
    file = os.stat(path)
    return record(MMAP2, USER, pair(pid, pid), words(*executable(path, base)),
                  pair(os.major(file.st_dev), os.minor(file.st_dev)), words(file.st_ino, 0),
                  pair(READ_EXECUTE, PRIVATE), padded(path), trailer(pid, pid, 0))


def write(path, is_new, files, comms, waits, direct_waits=()):
    """@files: (path, base) of all processes; @comms: {(pid, tid): name}; waits: dicts of pid, tid, ns
    and stack, leaf first. Samples of cpu-clock are at 1 and 2 s, of the first thread."""
    off_cpu = COMMON | CGROUP | (RAW if is_new else CALLCHAIN)
    events = [("cpu-clock", attr(CPU_CLOCK, COMMON, 997)),
              ("offcpu-time", attr(BPF_OUTPUT, off_cpu, 1))]
    records = []
    for pid in sorted({pid for pid, _ in comms}):
        records += [mapping(pid, file, base) for file, base in files]
    for (pid, tid), name in comms.items():
        records.append(record(COMM, 0, pair(pid, tid), padded(name), trailer(pid, tid, 0)))
    pid, tid = next(iter(comms))
    leaf = waits[0]["stack"][0]
    for second in 1, 2:
        if second == 2:
            records += [direct(1500000000, wait) for wait in direct_waits]
        records.append(record(SAMPLE, USER, words(IDS["cpu-clock"], leaf), pair(pid, tid),
                              words(second * 1000000000), pair(0, 0), words(1003009)))
    records += [(sum_of_new if is_new else sum_of_old)(i, wait) for i, wait in enumerate(waits)]
    records = b"".join(records)

    ids_at = 104
    attrs_at = ids_at + 8 * len(events)
    records_at = attrs_at + (ATTR_BYTES + 16) * len(events)
    ids = b"".join(words(IDS[name]) for name, _ in events)
    attrs = b"".join(bytes_of + words(ids_at + 8 * i, 8) for i, (_, bytes_of) in enumerate(events))
    description = struct.pack("<II", len(events), ATTR_BYTES)
    for name, bytes_of in events:
        text = name.encode() + bytes(64 - len(name))
        description += bytes_of + struct.pack("<II", 1, len(text)) + text + words(IDS[name])
    features = words(1 << EVENT_DESC, 0, 0, 0)
    head = b"PERFILE2" + words(104, ATTR_BYTES + 16, attrs_at, len(attrs), records_at, len(records), 0, 0)
    table_at = records_at + len(records)
    with open(path, "wb") as file:
        file.write(head + features + ids + attrs + records +
                   words(table_at + 16, len(description)) + description)
    os.chmod(path, 0o600)
