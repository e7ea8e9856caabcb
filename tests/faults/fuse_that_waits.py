#!/usr/bin/python3
"""fuse_that_waits.py PLACE - mounts a file system at PLACE, in which files can be created, written and
read. Says "ready", then serves it. A line on stdin:

  hold writes | hold creates    from now on these wait; "held" is printed for each that does
  release                       all that wait get their replies, and later ones are at once

A request that waits gets EINTR when its process is ended, as a good server does.
Source: <linux/fuse.h>; version 7.31 of the protocol.
"""
import ctypes
import errno
import os
import select
import struct
import sys

from fuse_that_hangs import (BATCH_FORGET, FLUSH, FORGET, GETATTR, HEADER, INIT, INTERRUPT, LOOKUP, OPEN,
                             OPENDIR, READ, RELEASE, RELEASEDIR, ROOT_NODE, STATFS)

SETATTR, UNLINK, WRITE, FSYNC, CREATE = 4, 10, 16, 20, 35
SIZE_IS_SET = 1 << 3
BIG_WRITES = 1 << 5
HELD = {"hold writes": WRITE, "hold creates": CREATE}


class Files:
    """The tree: one directory. Nodes are numbered from 2 on."""

    def __init__(self):
        self.nodes, self.contents = {}, {}

    def attributes(self, node):
        size = len(self.contents.get(node, b""))
        mode = 0o40755 if node == ROOT_NODE else 0o100600
        return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                           4096, 0)

    def entry(self, node):
        return struct.pack("<4Q2I", node, 0, 0, 0, 0, 0) + self.attributes(node)

    def create(self, name):
        node = self.nodes[name] = ROOT_NODE + 1 + len(self.contents)
        self.contents[node] = bytearray()
        return self.entry(node) + struct.pack("<Q2I", 1, 0, 0)

    def write(self, node, body):
        _, offset, count = struct.unpack_from("<QQI", body)
        content = self.contents[node]
        content.extend(bytes(max(0, offset + count - len(content))))
        content[offset:offset + count] = body[40:40 + count]
        return struct.pack("<2I", count, 0)

    def change(self, node, body):
        valid, _, _, size = struct.unpack_from("<2I2Q", body)
        if valid & SIZE_IS_SET:
            content = self.contents[node]
            content.extend(bytes(max(0, size - len(content))))
            del content[size:]
        return struct.pack("<Q2I", 0, 0, 0) + self.attributes(node)

    def reply(self, opcode, node, body):
        """(error, bytes)"""
        if opcode == INIT:
            return 0, struct.pack("<4I2H2I2H8I", 7, 31, 1 << 17, BIG_WRITES, 12, 9, 1 << 17, 1, 0, 0,
                                  *[0] * 8)
        if opcode in (LOOKUP, UNLINK):
            name = body[:-1]
            if name not in self.nodes:
                return -errno.ENOENT, b""
            return 0, self.entry(self.nodes[name]) if opcode == LOOKUP else self.nodes.pop(name) and b""
        if opcode == GETATTR:
            return 0, struct.pack("<Q2I", 0, 0, 0) + self.attributes(node)
        if opcode == SETATTR:
            return 0, self.change(node, body)
        if opcode == CREATE:
            return 0, self.create(body[16:-1])
        if opcode in (OPEN, OPENDIR):
            return 0, struct.pack("<Q2I", 1, 0, 0)
        if opcode == STATFS:
            return 0, struct.pack("<5Q10I", *[0] * 5, 4096, 255, 4096, *[0] * 7)
        if opcode == WRITE:
            return 0, self.write(node, body)
        if opcode == READ:
            _, offset, count = struct.unpack_from("<QQI", body)
            return 0, bytes(self.contents[node][offset:offset + count])
        return (0 if opcode in (RELEASE, RELEASEDIR, FLUSH, FSYNC) else -errno.ENOSYS), b""


def mount(place):
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", place.encode(), b"fuse", ctypes.c_ulong(0),
                  b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % device):
        sys.exit(os.strerror(ctypes.get_errno()))
    return device


def main():
    device, files = mount(sys.argv[1]), Files()
    held_opcode, waiting = None, {}

    def reply(unique, error, body=b""):
        os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)

    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([device, sys.stdin], [], [])
        if sys.stdin in readable:
            line = sys.stdin.readline()
            if not line:
                return
            held_opcode = HELD.get(line.strip())
            for unique, request in list(waiting.items()) if not held_opcode else ():
                reply(unique, *files.reply(*request))
                del waiting[unique]
            print("does", flush=True)
            continue
        request = os.read(device, 1 << 18)
        length, opcode, unique, node, *_ = HEADER.unpack_from(request)
        body = request[HEADER.size:length]
        if opcode in (FORGET, BATCH_FORGET):
            continue
        if opcode == INTERRUPT:
            interrupted, = struct.unpack_from("<Q", body)
            if waiting.pop(interrupted, None):
                reply(interrupted, -errno.EINTR)
        elif opcode == held_opcode:
            waiting[unique] = opcode, node, body
            print("held", flush=True)
        else:
            reply(unique, *files.reply(opcode, node, body))


main()
