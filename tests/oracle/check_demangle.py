#!/usr/bin/python3
"""check_demangle.py [FILE...] - what we make of mangled names against other demanglers.

C++   every mangled dynamic symbol of the FILEs (by default C++ libraries of this machine), as it is
      and with the suffixes of clones and of the PLT, against llvm-cxxfilt. The two write the same
      type in different ways: in_one_spelling() undoes these; what is left must be equal.
Rust  rust_names.txt: legacy and v0 names, with what Rust's own library calls them; the v0 ones
      against llvm-cxxfilt, too.
Exit status 1 when anything differs, 77 without llvm-cxxfilt. The program that prints our names is
found beside $FLAMETOP, as tests/run sets it, or in build/.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.dirname(os.environ.get("FLAMETOP", os.path.join(ROOT, "build/flametop")))
OURS = os.path.join(BUILD, "tests/oracle/demangle_names")
LIBRARIES = ["/usr/lib/*/libstdc++.so.6", "/usr/lib/*/libLLVM*.so*", "/usr/lib/*/libicui18n.so.*",
             "/usr/lib/*/libsource-highlight.so.*", "/usr/lib/*/libapt-pkg.so.*"]
SUFFIXES = ["", ".cold", ".part.0", ".constprop.0.isra.1", "@plt"]
EACH = 25000	# names of a library: more take long and show nothing new
SHOWN = 20
TEXT_MAX = 4095

# libiberty does not read letters beyond ASCII in Rust's legacy names.
NOT_READ = re.compile(r"\$u[0-9a-f]+\$")

# What LLVM 14 does not demangle at all, and libiberty does. Everything else that only one of them
# demangles is a difference.
REFUSED_BY_LLVM = re.compile(
    r"_ZGTt"		# clones for transactional memory, which only GCC makes
    r"|_ZN?K?.*cv"	# conversions to a type that is itself a template
)


def demangled(command, names):
    done = subprocess.run(command, input="\n".join(names) + "\n", capture_output=True, text=True,
                          errors="surrogateescape", check=True)
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(names), f"{command}: {len(lines)} results for {len(names)} names"
    return [line.rstrip() for line in lines]


def in_one_spelling(text):
    """The same for both demanglers where they mean the same."""
    while "> >" in text:
        text = text.replace("> >", ">>")
    # The constructor of a type without a name: LLVM gives it none, libiberty the one around it.
    text = re.sub(r"(\{unnamed type#\d+\}::~?)\w+\(", r"\1(", text)
    text = text.replace("decltype(nullptr)", "std::nullptr_t")
    text = re.sub(r"operator(<<?|->|>>?)? <", lambda m: f"operator{m.group(1) or ''}<", text)
    # LLVM: 'lambda0'(int); libiberty: {lambda(int)#2}
    text = re.sub(r"\{(?:lambda|unnamed type)", "'", text)
    text = re.sub(r"'(?:lambda|unnamed)\d*'", "'", text)
    text = re.sub(r"#\d+\}", "", text)
    # The standard's abbreviations for streams and strings.
    for short, whole in (("ostream", "basic_ostream<char, std::char_traits<char>>"),
                         ("istream", "basic_istream<char, std::char_traits<char>>"),
                         ("iostream", "basic_iostream<char, std::char_traits<char>>"),
                         ("string", "basic_string<char, std::char_traits<char>, "
                                    "std::allocator<char>>")):
        text = text.replace("std::" + whole, "std::" + short)
    if re.search("decltype|enable_if|'", text):	# of expressions: parentheses that are not needed
        text = re.sub(r"[() ]", "", text)
    return text


def mend_llvm(text):
    """Undoes mistakes of LLVM 14: "failure[abi:cxx11]::(int)" without the constructor's name, and
    "X const const&"."""
    text = re.sub(r"(\w+)(\[abi:\w+\])::(~?)\(", r"\1\2::\3\1(", text)
    return text.replace("const const", "const")


def without_templates(text):
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def is_local(name, our, other):
    """In functions of their own: LLVM writes the return type of the function template that they are
    in, libiberty does not; and where that is in a template argument, LLVM takes the parameters of
    the outer template for those of the inner one."""
    if name.startswith("_ZZ"):
        return other.endswith(" " + our)
    return "IZ" in name and without_templates(other).split("(")[0].split(" ")[-1] == \
        without_templates(our).split("(")[0].split(" ")[-1]


def suffixed_as_ours(name, suffix, stem_text):
    if suffix == "@plt":
        return stem_text + "@plt"
    return f"{stem_text} [{suffix}]" if suffix else stem_text


def names_of(path):
    listing = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True,
                             check=False).stdout
    names = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    names = sorted(name for name in names if name.startswith("_Z"))
    return names[::len(names) // EACH + 1]


def is_equal(name, our, other):
    if other == name and our != name:
        return bool(REFUSED_BY_LLVM.match(name))
    if our.endswith("\u2026"):
        our = our[:-1]
        return len(our.encode()) > TEXT_MAX - 8 and \
            in_one_spelling(other).startswith(in_one_spelling(our)[:-8])
    other = mend_llvm(other)
    return in_one_spelling(our) == in_one_spelling(other) or is_local(name, our, other)


def check_library(path, llvm):
    names = names_of(path)
    if not names:
        return 0
    theirs = demangled([llvm], names)
    bad = collections.Counter()
    for suffix in SUFFIXES:
        ours = demangled([OURS], [name + suffix for name in names])
        for name, our, other in zip(names, ours, theirs):
            expected = "" if our == name + suffix else suffixed_as_ours(name, suffix, "")
            stem = our[:len(our) - len(expected)] if our.endswith(expected) else our
            if our.endswith("\u2026"):
                stem = our
            elif our == name + suffix:
                stem = name
            elif not our.endswith(expected):
                stem = "no suffix: " + our
            if is_equal(name, stem, other):
                continue
            bad[suffix] += 1
            if sum(bad.values()) <= SHOWN:
                print(f"{name}{suffix}\n    ours {stem}\n    llvm {other}")
    print(f"{path}: {len(names)} names in {len(SUFFIXES)} forms, {sum(bad.values())} differ")
    return sum(bad.values())


def check_rust(llvm):
    with open(os.path.join(HERE, "rust_names.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    names = [row[0] for row in rows]
    bad = 0
    for (name, rust), our, other in zip(rows, demangled([OURS], names), demangled([llvm], names)):
        if NOT_READ.search(our) and not rust.isascii():
            continue
        if our != rust or (name.startswith("_R") and our != other):
            bad += 1
            print(f"{name}\n    ours {our}\n    rust {rust}\n    llvm {other}")
    legacy = sum(name.startswith("_ZN") for name in names)
    print(f"rust: {legacy} legacy and {len(names) - legacy} v0 names, {bad} differ")
    return bad


def main():
    llvm = next(filter(None, map(shutil.which, ["llvm-cxxfilt"] + [
        f"llvm-cxxfilt-{n}" for n in range(20, 12, -1)])), None)
    if not llvm:
        print("SKIP: llvm-cxxfilt is not installed")
        return 77
    files = sys.argv[1:] or sorted({os.path.realpath(path) for pattern in LIBRARIES
                                    for path in glob.glob(pattern)})
    bad = check_rust(llvm) + sum(check_library(path, llvm) for path in files)
    return 1 if bad or not files else 0


sys.exit(main())
