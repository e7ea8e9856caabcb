#!/usr/bin/python3
"""fuse_that_hangs.py PLACE FILE - mounts a file system at PLACE with one file, "program", whose
content is FILE's. Says "ready", then serves it until a line comes on stdin: "all": from then on it
takes no request any more, as a dead server; "names", "opens", "attributes", "reads" or "flushes":
it takes all, replies to all but those, as a server that means harm: the kernel lets nobody end a
process that waits for a request which was taken; "heads": as "reads", and the kernel has to read
the file's first page again; "late": the next one is answered after 1.5 seconds, and the others
after it; "slow": as "flushes", and it reads two megabytes a second.

Source: <linux/fuse.h>; version 7.31 of the protocol, which kernels since 5.4 speak.
"""
import ctypes
import errno
import os
import select
import struct
import sys
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = 25, 26, 27, 29, 36, 42
ROOT_NODE, FILE_NODE = 1, 2
FOPEN_KEEP_CACHE = 2    # who runs the file goes on
NOTIFY_INVAL_INODE = 2
LATE_S = 1.5
CODE_BYTES = 4 << 20    # symbols lie after it
UNANSWERED = {"names": LOOKUP, "opens": OPEN, "attributes": GETATTR, "reads": READ, "flushes": FLUSH,
              "heads": READ, "slow": FLUSH}
SLOW_BYTES_PER_S = 2 << 20
HEADER = struct.Struct("<IIQQIIII")


def attributes(node, size):
    mode = 0o40755 if node == ROOT_NODE else 0o100755
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0,
                       0, 4096, 0)


def reply_to(opcode, node, body, content):
    """(error, bytes); nothing is remembered by the kernel for longer than the call."""
    size = len(content) if node == FILE_NODE else 0
    if opcode == INIT:
        return 0, struct.pack("<4I2H2I2H8I", 7, 31, 1 << 17, 0, 12, 9, 1 << 17, 1, 0, 0, *[0] * 8)
    if opcode == LOOKUP and body == b"program\0":
        return 0, struct.pack("<4Q2I", FILE_NODE, 0, 0, 0, 0, 0) + \
            attributes(FILE_NODE, len(content))
    if opcode == LOOKUP:
        return -errno.ENOENT, b""
    if opcode == GETATTR:
        return 0, struct.pack("<Q2I", 0, 0, 0) + attributes(node, size)
    if opcode in (OPEN, OPENDIR):
        return 0, struct.pack("<Q2I", 1, FOPEN_KEEP_CACHE, 0)
    if opcode == STATFS:    # an overlay asks for it
        return 0, struct.pack("<5Q10I", *[0] * 5, 4096, 255, 4096, *[0] * 7)
    if opcode == READ:
        _, offset, count = struct.unpack_from("<QQI", body)
        return 0, content[offset:offset + count]
    return (0 if opcode in (RELEASE, RELEASEDIR, FLUSH) else -errno.ENOSYS), b""


def forget(device, offset, count):
    """As if these bytes of the file had changed on the server; count 0: to its end."""
    os.write(device, struct.pack("<IiQQqq", 40, NOTIFY_INVAL_INODE, 0, FILE_NODE, offset, count))


def main():
    place, path = sys.argv[1:]
    with open(path, "rb") as file:
        content = file.read()
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", place.encode(), b"fuse", ctypes.c_ulong(0),
                  b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % device):
        sys.exit(os.strerror(ctypes.get_errno()))
    print("ready", flush=True)
    waited_for, unanswered, delay_s, is_slow = [device, sys.stdin], None, 0, False
    while True:
        readable, _, _ = select.select(waited_for, [], [])
        if sys.stdin in readable:
            waited_for, request_line = [device], sys.stdin.readline().strip()
            if request_line == "all":
                break
            unanswered = UNANSWERED.get(request_line)
            if request_line == "heads":
                forget(device, 0, 4096)
            elif request_line in ("reads", "slow"):     # others may have read all programs by now
                forget(device, CODE_BYTES, 0)
            delay_s, is_slow = LATE_S if request_line == "late" else 0, request_line == "slow"
            print("hangs", flush=True)
            continue
        request = os.read(device, 1 << 18)
        length, opcode, unique, node, *_ = HEADER.unpack_from(request)
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT, unanswered):
            continue
        time.sleep(delay_s)
        delay_s = 0
        error, body = reply_to(opcode, node, request[HEADER.size:length], content)
        if is_slow and opcode == READ:
            time.sleep(len(body) / SLOW_BYTES_PER_S)
        os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
    print("hangs", flush=True)
    select.select([], [], [], 600)


if __name__ == "__main__":
    main()
