#!/usr/bin/python3
"""check_symbols.py [FILE...] - our names against those of other programs.

For each FILE (by default ten programs and libraries of this machine) 100 addresses inside of
functions and 100 anywhere in the code are named by symbol_dump (our table) and by eu-addr2line -f
and llvm-symbolizer. A name counts as equal when it stands at the same address in the symbol table:
programs choose differently among aliases. Where we name nothing, no sized symbol of readelf may
hold the address. Exit status 1 when anything differs, 77 when no other program is there.
symbol_dump is found beside $FLAMETOP, as tests/run sets it, or in build/.
"""
import glob
import os
import random
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.environ.get("FLAMETOP", os.path.join(ROOT, "build/flametop")))
DUMP = os.path.join(BUILD, "tests/oracle/symbol_dump")
PER_KIND = 100
DEFAULTS = ["/bin/bash", "/bin/ls", "/usr/bin/python3.*[0-9]", "/usr/bin/perf", "/usr/bin/perl",
            "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
            "/lib/x86_64-linux-gnu/libcrypto.so.*", "/lib/x86_64-linux-gnu/libstdc++.so.*",
            "/lib/x86_64-linux-gnu/libelf.so.1", "/lib/x86_64-linux-gnu/libLLVM*.so*",
            "/lib/x86_64-linux-gnu/libncursesw.so.6"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


class Elf:
    """What readelf(1) says of one file."""

    def __init__(self, path):
        self.path = path
        self.loads = []
        for line in output("readelf", "-lW", path).splitlines():
            m = re.match(r" +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ ([RWE ]+)", line)
            if m and "E" in m[4]:
                self.loads.append(tuple(int(m[i], 16) for i in (1, 2, 3)))
        sections = output("readelf", "-SW", path)
        kind = ".symtab" if " .symtab " in sections else ".dynsym"
        code = set()
        for line in sections.splitlines():
            m = re.match(r" +\[ *(\d+)\] .*? (\w{16}) (\w{6,}) (\w{6,}) \w\w +([A-Za-z]+)", line)
            if m and "A" in m[5] and "X" in m[5]:
                code.add(m[1])
        self.names, self.sized = {}, []
        inside = False
        for line in output("readelf", "-sW", path).splitlines():
            if line.startswith("Symbol table"):
                inside = kind in line
            f = line.split()
            if not inside or len(f) < 8 or f[3] not in ("FUNC", "IFUNC", "NOTYPE") or f[6] not in code:
                continue
            start, size = int(f[1], 16), int(f[2], 0)
            self.names.setdefault(start, set()).add(f[7].split("@")[0])
            if size:
                self.sized.append((start, size))

    def offset(self, vaddr):
        for offset, start, size in self.loads:
            if start <= vaddr < start + size:
                return vaddr - start + offset
        return None

    def places(self, rng):
        places = [s + rng.randrange(n) for s, n in
                  (rng.choice(self.sized) for _ in range(PER_KIND if self.sized else 0))]
        for _ in range(PER_KIND):
            _, start, size = rng.choice(self.loads)
            places.append(start + rng.randrange(size))
        return [p for p in places if self.offset(p) is not None]

    def holders(self, vaddr):
        """Every name of every sized symbol that holds the address."""
        names = set()
        for start, size in self.sized:
            if start <= vaddr < start + size:
                names |= self.names[start]
        return names


def theirs_eu(path, places):
    """eu-addr2line -f prints the function, then the line, per address."""
    lines = output("eu-addr2line", "-f", "-e", path, *[hex(p) for p in places]).splitlines()
    return lines[0::2]


def theirs_llvm(path, places, program):
    text = output(program, "--no-demangle", "--no-inlines", "--functions=linkage", "-e", path,
                  *[hex(p) for p in places])
    return [block.split("\n")[0] for block in text.strip().split("\n\n")]


def differs(elf, vaddr, ours, other):
    holders = elf.holders(vaddr)
    if ours == "-":
        return bool(holders)
    if holders:
        return ours not in holders
    return False if other in ("??", "") else not any(
        ours in names and other in names for names in elf.names.values())


def check(path, programs):
    elf = Elf(path)
    if not elf.loads:
        return 0
    places = elf.places(random.Random(path))
    ours = output(DUMP, path, *["%x" % elf.offset(p) for p in places]).splitlines()
    assert len(ours) == len(places), "symbol_dump failed on " + path
    bad = named = alias = 0
    for label, ask in programs:
        theirs = ask(path, places)
        assert len(theirs) == len(places), "%s gave %d answers for %d addresses of %s" % (
            label, len(theirs), len(places), path)
        for vaddr, our, other in zip(places, ours, theirs):
            named += our != "-" and other != "??"
            alias += our != "-" and other not in ("??", our)
            if differs(elf, vaddr, our, other):
                bad += 1
                print("%s %#x: ours %s, %s %s" % (path, vaddr, our, label, other))
    print("%-48s %6d sized symbols, %4d both named, %3d by an alias, %d differ" % (
        path, len(elf.sized), named, alias, bad))
    return bad


def main():
    programs = []
    if shutil.which("eu-addr2line"):
        programs.append(("eu-addr2line", theirs_eu))
    llvm = next(filter(None, map(shutil.which, ["llvm-symbolizer"] + [
        "llvm-symbolizer-%d" % n for n in range(20, 11, -1)])), None)
    if llvm:
        programs.append(("llvm-symbolizer", lambda path, places: theirs_llvm(path, places, llvm)))
    if not programs:
        print("SKIP: neither eu-addr2line nor llvm-symbolizer is installed")
        return 77
    files = sys.argv[1:] or [path for pattern in DEFAULTS for path in sorted(glob.glob(pattern))[:1]]
    return 1 if sum(check(path, programs) for path in files) else 0


sys.exit(main())
