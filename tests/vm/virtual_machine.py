"""Boots Debian's kernel 6.1 in QEMU, without KVM, and runs a shell script in it.

The machine has a file system of its own in memory: busybox, and the programs that are brought along
with their shared libraries. Three serial lines, so that nothing mixes: the kernel's console, the
script's output, its status.

There are two machines. X86_64 runs what was built for this machine. AARCH64 runs the build for it
(make build-aarch64) with libraries, perf and Python from a root of packages of its own; it has a PMU,
whose counts are exact and the same in every run when its time is that of its instructions (icount).
"""
import contextlib
import dataclasses
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from parent_death import die_with_parent  # noqa: E402
from package_root import NoPackage, PackageRoot, Packages  # noqa: E402

CACHE = os.path.join(os.environ.get("BUILD", "build"), "vm")
TIME_LIMIT_S = 300  # for a hang, not for speed
# Its CPUs take turns in one thread: with a thread each a machine of two, whose code is changed while
# it runs, stood still now and then.
ACCELERATOR = "tcg,thread=single"
# An instruction takes 2 ns of the machine's time, which doesn't wait when all its CPUs do.
ICOUNT = "shift=1,sleep=off"
KERNEL_LINE = "panic=-1 quiet "

INIT = """#!/bin/sh
export PATH=/usr/bin:/bin HOME=/root
place() {{ mkdir -p $2; mount -t $1 $1 $2; }}
place proc /proc; place sysfs /sys; place devtmpfs /dev
mkdir -p /tmp; place tmpfs /run; cp -a /tmp/. /run/; chmod 1777 /run
mount -o move /run /tmp         # with what the run brought there
place tmpfs /dev/shm; place devpts /dev/pts; place cgroup2 /sys/fs/cgroup
place debugfs /sys/kernel/debug; place tracefs /sys/kernel/tracing
ln -s /proc/self/fd /dev/fd; ip link set lo up
place tmpfs /var/tmp; mkdir -p /etc /root
echo root:x:0:0:root:/root:/bin/sh >/etc/passwd; echo root:x:0: >/etc/group
echo nobody:x:65534:65534:nobody:/:/bin/sh >>/etc/passwd; echo nogroup:x:65534: >>/etc/group
echo 'root:*::::::' >/etc/shadow; chmod 600 /etc/shadow
stty -F /dev/{output} -opost
sh /script >/dev/{output} 2>&1 </dev/null
echo $? >/dev/{status}
poweroff -f
"""


@dataclasses.dataclass(frozen=True)
class Machine:
    name: str
    packages: Packages
    kernel: str         # the package that depends on the newest kernel's
    qemu: tuple         # the program, and what is this machine's alone
    memory_mib: int
    kernel_line: str
    serial: str         # the device of the second and third serial line; the first is the console's
    output: str         # the names of these in /dev
    status: str
    modules: tuple = ()     # those of the kernel's package that are kept
    programs: tuple = ()    # packages of programs that every run has
    brought: tuple = ()     # which of their files and directories it has
    tools: tuple = ()           # packages of compilers and others, for runs that ask for them
    tools_brought: tuple = ()   # which of their files and directories these have
    tools_mib: int = 0          # memory for them, and once more while they are unpacked
    root: str = ""          # where programs have their libraries from; "": this machine


# QEMU 7.2 emulates cmpxchg16b wrongly: some kernels die of it.
X86_64 = Machine(
    name="x86_64", packages=Packages(), kernel="linux-image-cloud-amd64",
    qemu=("qemu-system-x86_64", "-cpu", "max,-cx16"), memory_mib=768,
    kernel_line="console=ttyS0 mitigations=off tsc=reliable",
    serial="isa-serial", output="ttyS1", status="ttyS2",
    modules=("crc-itu-t", "loop", "configfs", "null_blk", "dummy", "libcrc32c", "xfs"))
X86_64_NEWER = dataclasses.replace(X86_64, name="x86_64-6.12", kernel="linux-image-6.12-cloud-amd64",
                                   modules=X86_64.modules[1:])
# To sign return addresses by the algorithm of the architecture would take most of its time. In ramfs
# a file can't be sealed, as on disks; in tmpfs, which it would have else, it can.
AARCH64 = Machine(
    name="aarch64", packages=(root := PackageRoot("arm64", os.path.join(CACHE, "aarch64/root"))),
    root=root.path, kernel="linux-image-arm64",
    qemu=("qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth-impdef=on,pmu=on"),
    memory_mib=1536, kernel_line="console=ttyAMA0 rootfstype=ramfs",
    serial="pci-serial", output="ttyS0", status="ttyS1",
    programs=("busybox-static", "linux-perf", "python3", "libgcc-s1", "libc-bin", "ncurses-base",
              "util-linux"),
    brought=("usr/bin/perf", "usr/bin/setpriv", "usr/bin/python3*", "usr/lib/python3*", "lib/terminfo",
             "usr/lib/locale/C.utf8", "usr/lib/*-linux-gnu/libgcc_s.so.1"),
    tools=("gcc", "g++", "clang", "musl-tools", "gcc-x86-64-linux-gnu", "binutils", "lld",
           "libc6-dev", "dwz", "elfutils", "xz-utils", "coreutils", "dash", "libcurl4"),
    tools_brought=(*(f"usr/bin/{name}" for name in (
        "gcc", "g++", "clang", "musl-gcc", "as", "ld", "ld.bfd", "ld.lld", "objcopy", "objdump",
        "addr2line", "strip", "nm", "readelf", "ar", "dwz", "eu-elfcompress", "xz", "env",
        "sha256sum", "timeout", "touch", "truncate", "dash")),
                   *(f"usr/bin/x86_64-linux-gnu-{name}" for name in (
                       "gcc", "as", "ld", "objcopy", "strip")),
                   *(f"usr/lib/gcc*/*/*/{name}" for name in (
                       "cc1", "cc1plus", "collect2", "lto-wrapper", "liblto_plugin.so")),
                   *(f"usr/lib/gcc/*/*/{name}" for name in (
                       "include", "crt*.o", "libgcc.a", "libgcc_s.so", "libgcc_eh.a",
                       "libstdc++.so")),
                   *(f"usr/lib/*-linux-gnu/{name}" for name in (
                       "*crt*.o", "libc.a", "libc.so*", "libc_nonshared.a", "libpthread.a",
                       "libm.so*", "libmvec.so*", "libcurl.so.4")),
                   "usr/lib/*-linux-musl", "usr/x86_64-linux-gnu/bin",
                   "usr/include/*.h", "usr/include/*-linux-gnu", "usr/include/linux",
                   "usr/include/asm-generic"),
    tools_mib=1024)


def run_quietly(*command, **options):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    return done.returncode, done.stdout.decode(errors="replace")


def cache_of(machine):
    return CACHE if machine is X86_64 else os.path.join(CACHE, machine.name)


def package_name(machine):
    """The package that is meant by the one that only depends on the newest."""
    for name in machine.packages.dependencies(machine.kernel):
        if re.match(r"linux-image-\d", name):
            return name
    raise NoPackage(f"{machine.kernel} depends on no kernel")


def module_of(image, name):
    """The path of one of the modules that are kept, for the kernel @image."""
    return os.path.join(os.path.dirname(image), f"{name}-{os.path.basename(image)}.ko")


def kernel_image(machine=X86_64):
    """The path of the kernel, which is downloaded once for each build directory."""
    cache = cache_of(machine)
    kept = sorted(glob.glob(os.path.join(cache, "vmlinuz-*")))
    if kept and all(os.path.exists(module_of(kept[-1], name)) for name in machine.modules):
        return kept[-1]
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as where:
        package = machine.packages.download(package_name(machine), where)
        run_quietly("dpkg-deb", "-x", package, where)
        unpacked = glob.glob(os.path.join(where, "boot/vmlinuz-*"))
        if not unpacked:
            raise NoPackage(f"{machine.kernel} holds no boot/vmlinuz")
        image = os.path.join(cache, os.path.basename(unpacked[0]))
        for name in machine.modules:
            module = glob.glob(os.path.join(where, f"lib/modules/*/kernel/**/{name}.ko*"),
                               recursive=True)
            if not module:
                raise NoPackage(f"{machine.kernel} holds no {name}.ko")
            if module[0].endswith(".xz"):   # since 6.12
                run_quietly("xz", "-d", module[0])
            os.rename(module[0].removesuffix(".xz"), module_of(image, name))
        os.rename(unpacked[0], image)   # whole, or not there
        return image


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


@functools.cache
def needed_by(program, root):
    """The paths, as in @root, of the loader and the libraries that @program names itself."""
    paths = []
    _, text = run_quietly("readelf", "-W", "-l", "-d", program)
    for loader, library in re.findall(r"interpreter: (\S+)\]|\(NEEDED\).*\[(.*)\]", text):
        found = (f"/usr/lib/*-linux-gnu/{library}", f"/usr/lib/{library}") if library else (loader,)
        paths += (path[len(root):] for name in found for path in glob.glob(root + name))
    return paths


def libraries_of(program, root):
    """The paths of the shared libraries of @program, as in @root; "": this machine's."""
    if not root:
        _, text = run_quietly("ldd", program)
        return re.findall(r"(?:=> )?(/\S+) \(0x", text)
    found, unread = set(), [program]
    while unread:
        new = set(needed_by(unread.pop(), root)) - found
        found |= new
        unread += [root + path for path in new]
    return sorted(found)


def bring(tree, path, to, root):
    """Copies a program with its libraries, another file, or a directory, to @to in @tree."""
    target = tree + to
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(path):
        shutil.copytree(path, target, symlinks=True, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))
    elif not os.path.exists(target):
        shutil.copy(path, target)
        for library in libraries_of(path, root) if is_elf(path) else ():
            bring(tree, root + library, library, root)


def make_directories(tree):
    for name in ("usr/bin", "usr/lib", "usr/lib64"):
        os.makedirs(os.path.join(tree, name))
    for name in ("bin", "lib", "lib64"):
        os.symlink("usr/" + name, os.path.join(tree, name))


def pack(tree, archive):
    names = subprocess.run(["find", ".", "-print0"], cwd=tree, check=True, stdout=subprocess.PIPE)
    with open(archive, "wb") as file:
        subprocess.run(["cpio", "--null", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=tree,
                       check=True, input=names.stdout, stdout=file)


@contextlib.contextmanager
def made_archive(path):
    """A directory that becomes the archive @path, whole, when the block is left."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as where:
        make_directories(f"{where}/tree")
        yield f"{where}/tree"
        pack(f"{where}/tree", f"{where}/archive")
        os.rename(f"{where}/archive", path)


def is_current(path):
    return os.path.exists(path) and os.path.getmtime(path) > os.path.getmtime(__file__)


def bring_packages(tree, machine, packages, patterns):
    if packages:
        machine.packages.add(*packages)
    for name in (name for pattern in patterns for name in glob.glob(pattern, root_dir=machine.root)):
        bring(tree, f"{machine.root}/{name}", f"/{name}", machine.root)


def system_archive(machine):
    """The path of the archive with what every run has: made again when this file changes."""
    path = os.path.join(cache_of(machine), "system.cpio")
    if is_current(path):
        return path
    with made_archive(path) as tree:
        bring_packages(tree, machine, machine.programs, machine.brought)
        busybox = f"{machine.root}/usr/bin/busybox" if machine.root else shutil.which("busybox")
        bring(tree, busybox, "/usr/bin/busybox", machine.root)
        for applet in run_quietly(shutil.which("busybox"), "--list")[1].split():
            if not os.path.lexists(f"{tree}/usr/bin/{applet}"):
                os.symlink("busybox", f"{tree}/usr/bin/{applet}")
        with open(f"{tree}/init", "w", encoding="utf-8") as file:
            file.write(INIT.format(output=machine.output, status=machine.status))
        os.chmod(f"{tree}/init", 0o755)
    return path


def tools_archive(machine):
    """The path of the archive with a compiler and what belongs to it."""
    path = os.path.join(cache_of(machine), "tools.cpio")
    if not is_current(path):
        with made_archive(path) as tree:
            bring_packages(tree, machine, machine.tools, machine.tools_brought)
            # The shell of busybox prefers its own applets to the programs that were brought.
            for name, program in (("cc", "gcc"), ("aarch64-linux-gnu-gcc", "gcc"), ("c++", "g++"),
                                  ("sh", "dash")):
                os.symlink(program, f"{tree}/usr/bin/{name}")
    return path


def pack_files(machine, script, files, where, has_tools):
    """Makes @where/initrd: what every run has, the tools, then @files and @script."""
    tree = f"{where}/tree"
    make_directories(tree)
    for path, to in files.items():
        bring(tree, path, to, machine.root)
    with open(f"{tree}/script", "w", encoding="utf-8") as file:
        file.write(script)
    pack(tree, f"{where}/files")
    parts = [system_archive(machine), *([tools_archive(machine)] if has_tools else ()),
             f"{where}/files"]
    with open(f"{where}/initrd", "wb") as whole:
        for path in parts:
            with open(path, "rb") as part:
                shutil.copyfileobj(part, whole)


def build_for_aarch64(*rooms):
    """Makes the build for AARCH64, when it is not up to date, with the unit tests of @rooms; without
    any, those that the Makefile says. Returns its directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    build = os.path.relpath(os.environ["BUILD"], ROOT)
    wanted = [f"AARCH64_ROOMS={' '.join(rooms)}"] if rooms else []
    status, text = run_quietly("make", f"-j{os.cpu_count()}", f"BUILD={build}", *wanted,
                               "aarch64-programs", cwd=ROOT, env=environment)
    if status:
        raise RuntimeError(f"make aarch64-programs: {text[-4000:]}")
    return os.path.join(ROOT, build, "aarch64")


def files_of_build(build):
    """What a run brings of a build: the program, those of unit tests and oracles, and the workloads."""
    files = {f"{build}/flametop": "/usr/bin/flametop"}
    for path in glob.glob(f"{build}/tests/*/*"):
        if not path.endswith(".d"):
            files[path] = path.removeprefix(f"{build}/tests")
    return files


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def command_of(machine, where, cpus, image, is_counted, has_tools, more_mib):
    memory_mib = machine.memory_mib + (machine.tools_mib if has_tools else 0) + more_mib
    command = [*machine.qemu, "-accel", ACCELERATOR, "-smp", str(cpus), "-m", str(memory_mib),
               "-display", "none", "-monitor", "none", "-nodefaults", "-no-user-config",
               "-no-reboot", "-kernel", image, "-initrd", f"{where}/initrd",
               "-append", KERNEL_LINE + machine.kernel_line, "-serial", f"file:{where}/console"]
    for name in ("output", "status"):
        command += ["-chardev", f"file,id={name},path={where}/{name}",
                    "-device", f"{machine.serial},chardev={name}"]
    return [*command, *(("-icount", ICOUNT) if is_counted else ())]


def boot(command, where, time_limit_s):
    """Until the machine has powered itself off, or hangs: then it has no status."""
    with open(f"{where}/qemu", "wb") as errors, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=errors,
                       stderr=errors, timeout=time_limit_s, preexec_fn=die_with_parent)


def run_script(script, files, cpus, image, machine=X86_64, is_counted=False, has_tools=False,
               time_limit_s=TIME_LIMIT_S, more_mib=0):
    """Runs @script with @files {path here: path there} on a machine of @cpus. @is_counted: its time is
    that of its instructions. @has_tools: it has compilers and binutils (AARCH64 alone). @more_mib:
    memory beyond the machine's, for large files. Returns its status and output; a machine that died has
    no status (None), and its console as output. Raises NoPackage."""
    with tempfile.TemporaryDirectory(prefix="flametop-test-") as where:
        pack_files(machine, script, files, where, has_tools)
        boot(command_of(machine, where, cpus, image, is_counted, has_tools, more_mib), where,
             time_limit_s)
        status = read(f"{where}/status").strip()
        if status:
            return int(status), read(f"{where}/output")
        return None, read(f"{where}/output") + read(f"{where}/console") + read(f"{where}/qemu")
