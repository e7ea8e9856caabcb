"""Programs to order, and what can be done to their files: the kernel and the loader look at none of
what is changed here, so they run as before."""
import lzma
import os
import re
import struct
import subprocess
import zlib

SHOFF, SHNUM, SHSTRNDX = 0x28, 0x3c, 0x3e   # in the header of ELF, 64 bit
SECTION_BYTES, SYMBOL_BYTES = 64, 24
FLAGS, OFFSET, SIZE, INFO = 8, 24, 32, 44    # in a section's header
COMPRESSED, COMPRESS_ZLIB = 0x800, 1

# Each function has its turn, none is inlined or left out.
FUNCTION = """
void {symbol}(volatile unsigned long *rounds) __asm__("{name}");
void {symbol}(volatile unsigned long *rounds)
{{
	for (int i = 0; i < 1000000; i++)
		++*rounds;
}}
"""
MAIN = """
int main(void)
{{
	volatile unsigned long rounds = 0;

	for (;;) {{
		{calls}
	}}
}}
"""


def build_program(path, names, *flags):
    """A program that spins in functions with these names, each of them bytes without NUL, for ever
    and in turn. The assembler does not take any bytes: they are put into the file afterwards."""
    symbols = [name.decode() if re.fullmatch(rb"[A-Za-z_.][\w.]*", name) else
               f"{number:03}n".rjust(len(name), "n") for number, name in enumerate(names)]
    source = "".join(FUNCTION.format(symbol=f"turn_{i}", name=name)
                     for i, name in enumerate(symbols))
    source += MAIN.format(calls=" ".join(f"turn_{i}(&rounds);" for i in range(len(names))))
    subprocess.run(["cc", "-O1", "-x", "c", "-", "-o", path, *flags], input=source.encode(),
                   check=True)
    with open(path, "r+b") as file:
        content = file.read()
        for stand_in, name in zip(symbols, names):
            content = content.replace(b"\0%b\0" % stand_in.encode(), b"\0%b\0" % name)
        file.seek(0)
        file.write(content)
    return path


class Elf:
    """The bytes of a file."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())

    def get(self, at, form):
        return struct.unpack_from(form, self.bytes, at)[0]

    def put(self, at, form, number):
        struct.pack_into(form, self.bytes, at, number)

    def sections(self):
        """{name: where its header is}"""
        first, count = self.get(SHOFF, "<Q"), self.get(SHNUM, "<H")
        headers = [first + i * SECTION_BYTES for i in range(count)]
        names = self.get(headers[self.get(SHSTRNDX, "<H")] + OFFSET, "<Q")
        return {self.text_at(names + self.get(header, "<I")): header for header in headers}

    def text_at(self, at):
        return bytes(self.bytes[at:self.bytes.index(0, at)]).decode(errors="replace")

    def content(self, section):
        at, size = (self.get(self.sections()[section] + field, "<Q") for field in (OFFSET, SIZE))
        return self.bytes[at:at + size]

    def symbol(self, name):
        """Where its entry in .symtab is."""
        header = self.sections()[".symtab"]
        at, size = self.get(header + OFFSET, "<Q"), self.get(header + SIZE, "<Q")
        names = self.get(self.sections()[".strtab"] + OFFSET, "<Q")
        return next(entry for entry in range(at, at + size, SYMBOL_BYTES)
                    if self.text_at(names + self.get(entry, "<I")) == name)

    def replace_section(self, section, content):
        """With other bytes, at the end of the file."""
        header = self.sections()[section]
        self.put(header + OFFSET, "<Q", len(self.bytes))
        self.put(header + SIZE, "<Q", len(content))
        self.bytes += content

    def write(self):
        os.unlink(self.path)    # it may run
        with open(self.path, "wb") as file:
            file.write(self.bytes)
        os.chmod(self.path, 0o755)
        return self.path


def add_section(path, name, content):
    with open(path + ".section", "wb") as file:
        file.write(content)
    subprocess.run(["objcopy", "--add-section", f"{name}={path}.section", path], check=True)
    os.unlink(path + ".section")


def xz_bomb(megabytes):
    packer = lzma.LZMACompressor(preset=0)
    zeros = bytes(1 << 20)
    return b"".join([*(packer.compress(zeros) for _ in range(megabytes)), packer.flush()])


def zlib_bomb(megabytes):
    """A megabyte of zeros that begins anew, as often as wanted, is packed once."""
    zeros = bytes(1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    checksum = 1
    for _ in range(megabytes):
        checksum = zlib.adler32(zeros, checksum)
    return b"\x78\xda" + piece * megabytes + end + struct.pack(">I", checksum)


def compressed(section_bytes, packed):
    """What a section with SHF_COMPRESSED holds."""
    return struct.pack("<IIQQ", COMPRESS_ZLIB, 0, section_bytes, 1) + packed


def base36(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return (base36(number // 36) if number >= 36 else "") + digits[number % 36]


def demangle_bomb(doublings):
    """A C++ name whose meaning is twice as long after each step."""
    before = [f"S{base36(step)}_" for step in range(doublings)]
    return ("_Z1f1AIiiE" + "".join(f"S_I{one}{one}E" for one in before)).encode()


def build_library(path, name):
    """A library of one function that never ends; returns its offset in the file, as spin_in takes
    it: the linker puts the code of a small library where its addresses say."""
    subprocess.run(["cc", "-O1", "-shared", "-nostdlib", "-x", "c", "-", "-o", path], check=True,
                   input=b"void %b(void) { for (;;) __asm__ volatile(\"\"); }" % name)
    elf = Elf(path)
    return hex(elf.get(elf.symbol(name.decode()) + 8, "<Q"))


def add_symbols(elf, function, count, room=64):
    """Symbols at the first @room bytes of @function: each is called as the last one there."""
    at = elf.symbol(function)
    model = bytes(elf.bytes[at:at + 24])
    table = bytearray(elf.content(".symtab"))
    names = bytearray(elf.content(".strtab"))
    first = len(names)
    names += b"".join(b"symbol_%07d\0" % number for number in range(count))
    value, = struct.unpack_from("<Q", model, 8)
    rest = struct.pack("<BBH", model[4], model[5], struct.unpack_from("<H", model, 6)[0])
    table += b"".join(struct.pack("<I4sQQ", first + 15 * number, rest, value + number % room, 1)
                      for number in range(count))
    elf.replace_section(".symtab", table)
    elf.replace_section(".strtab", names)
    elf.put(elf.sections()[".symtab"] + INFO, "<I", len(table) // 24)
