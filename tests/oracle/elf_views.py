"""What readelf(1) says of an ELF file, and what our symtab builder makes of it (symbol_dump)."""
import bisect
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.environ.get("FLAMETOP", os.path.join(ROOT, "build/flametop")))
DUMP = os.path.join(BUILD, "tests/oracle/symbol_dump")
DEBUG_DIRECTORY = "/usr/lib/debug/.build-id"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", check=False).stdout


def find_debug_file(path):
    """The installed debug file that has the build-id of @path, or None."""
    found = re.search(r"Build ID: ([0-9a-f]{8,})", output("readelf", "-n", path))
    if not found:
        return None
    debug = os.path.join(DEBUG_DIRECTORY, found[1][:2], found[1][2:] + ".debug")
    return debug if os.path.exists(debug) else None


def dump(path, *offsets, debug=None):
    """Lines of symbol_dump."""
    command = [DUMP, *(["--debug", debug] if debug else []), path, *("%x" % o for o in offsets)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode(errors="replace").splitlines()


def dump_rows(path, debug=None):
    """(start, end, kind, name) of every row; kind S, P or U."""
    for line in dump(path, debug=debug):
        start, end, kind, name = line.split(" ", 3)
        yield int(start, 16), int(end, 16), kind, name


class Loads:
    """The executable segments of a file."""

    def __init__(self, path):
        self.rows = []
        for line in output("readelf", "-lW", path).splitlines():
            found = re.match(r" +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ ([RWE ]+)", line)
            if found and "E" in found[4]:
                self.rows.append(tuple(int(found[i], 16) for i in (1, 2, 3)))

    def offset(self, vaddr):
        for offset, start, size in self.rows:
            if start <= vaddr < start + size:
                return vaddr - start + offset
        return None


def unwind_ranges(path):
    """(start, end) virtual addresses of all FDEs that readelf lists, sorted."""
    text = output("readelf", "--debug-dump=frames", path)
    found = re.findall(r" FDE cie=\w+ pc=(\w+)\.\.(\w+)", text)
    return sorted((int(start, 16), int(end, 16)) for start, end in found)


def code_sections(path):
    """{number: (start, size)} of the sections with code."""
    code = {}
    for line in output("readelf", "-SW", path).splitlines():
        found = re.match(r" +\[ *(\d+)\] .*? (\w{8,16}) (\w{6,}) (\w{6,}) \w\w +([A-Za-z]+)", line)
        if found and "A" in found[5] and "X" in found[5]:
            code[found[1]] = int(found[2], 16), int(found[4], 16)
    return code


class Symbols:
    """The functions of a symbol table: what stands at an address, and what holds it."""

    def __init__(self, path, kind):
        code = code_sections(path)
        self.names, self.sized, self.sizeless, self.elsewhere = {}, [], [], set()
        inside = False
        for line in output("readelf", "-sW", path).splitlines():
            if line.startswith("Symbol table"):
                inside = f"'{kind}'" in line
            field = line.split()
            if (not inside or len(field) < 8 or field[3] not in ("FUNC", "IFUNC", "NOTYPE")):
                continue
            if field[6] not in code:
                self.elsewhere.add(field[7])
                continue
            start, size = int(field[1], 16), int(field[2], 0)
            self.names.setdefault(start, set()).add(field[7].split("@")[0])
            (self.sized if size else self.sizeless).append((start, size))
        self.sized.sort()
        self.sizeless_names = {name for start, _ in self.sizeless for name in self.names[start]}
        self.longest = max((size for _, size in self.sized), default=0)

    def holders(self, vaddr):
        """Every name of every sized symbol that holds the address."""
        names = set()
        index = bisect.bisect_right(self.sized, (vaddr, 1 << 64))
        while index and self.sized[index - 1][0] > vaddr - self.longest:
            index -= 1
            start, size = self.sized[index]
            if vaddr < start + size:
                names |= self.names[start]
        return names
