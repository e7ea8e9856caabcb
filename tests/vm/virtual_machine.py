"""Boots Debian's kernel 6.1 in QEMU, without KVM, and runs a shell script in it.

The machine has a file system of its own in memory: busybox, and the programs that are brought along
with their shared libraries. Three serial lines, so that nothing mixes: the kernel's console, the
script's output, its status.
"""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from parent_death import die_with_parent  # noqa: E402

META_PACKAGE = "linux-image-cloud-amd64"
CACHE = os.path.join(os.environ["BUILD"], "vm")
TIME_LIMIT_S = 300  # for a hang, not for speed
MEMORY_MIB = 768
# Its CPUs take turns in one thread: with a thread each a machine of two, whose code is changed while
# it runs, stood still now and then.
ACCELERATOR = "tcg,thread=single"
# QEMU 7.2 emulates cmpxchg16b wrongly: some kernels die of it.
CPU_MODEL = "max,-cx16"
KERNEL_LINE = "console=ttyS0 panic=-1 quiet mitigations=off tsc=reliable"

INIT = """#!/bin/sh
export PATH=/usr/bin:/bin HOME=/tmp
place() { mkdir -p $2; mount -t $1 $1 $2; }
place proc /proc; place sysfs /sys; place devtmpfs /dev; place tmpfs /tmp
place tmpfs /dev/shm; place debugfs /sys/kernel/debug; place tracefs /sys/kernel/tracing
ln -s /proc/self/fd /dev/fd; ip link set lo up
mkdir -p /etc; echo root:x:0:0:root:/tmp:/bin/sh >/etc/passwd; echo root:x:0: >/etc/group
stty -F /dev/ttyS1 -opost
sh /script >/dev/ttyS1 2>&1 </dev/null
echo $? >/dev/ttyS2
poweroff -f
"""


class NoKernel(Exception):
    """The kernel's package can't be had; the text says why."""


def run_quietly(*command, **options):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    return done.returncode, done.stdout.decode(errors="replace")


def package_name():
    """The package behind the one that only depends on the newest."""
    for attempt in range(2):
        _, text = run_quietly("apt-cache", "depends", META_PACKAGE)
        found = re.search(r"Depends: (linux-image-\d\S*)", text)
        if found:
            return found.group(1)
        if attempt == 0:
            run_quietly("apt-get", "-qq", "update")
    raise NoKernel(f"apt knows no {META_PACKAGE}")


def download(package, where):
    status, text = run_quietly("apt-get", "-qq", "download", package, cwd=where)
    debs = glob.glob(os.path.join(where, "*.deb"))
    if status or not debs:
        raise NoKernel(f"apt-get download {package}: {text.strip() or status}")
    return debs[0]


def kernel_image():
    """The path of the kernel, which is downloaded once for each build directory."""
    kept = sorted(glob.glob(os.path.join(CACHE, "vmlinuz-*")))
    if kept:
        return kept[-1]
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as where:
        run_quietly("dpkg-deb", "-x", download(package_name(), where), where)
        unpacked = glob.glob(os.path.join(where, "boot/vmlinuz-*"))
        if not unpacked:
            raise NoKernel(f"{META_PACKAGE} holds no boot/vmlinuz")
        image = os.path.join(CACHE, os.path.basename(unpacked[0]))
        os.rename(unpacked[0], image)   # whole, or not there
        return image


def libraries_of(program):
    _, text = run_quietly("ldd", program)
    return re.findall(r"(?:=> )?(/\S+) \(0x", text)


def bring(root, path, to):
    target = root + to
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(path, target)


def build_root(root, script, files):
    for name in ("usr/bin", "usr/lib", "usr/lib64"):
        os.makedirs(os.path.join(root, name))
    for name in ("bin", "lib", "lib64"):
        os.symlink("usr/" + name, os.path.join(root, name))
    busybox = shutil.which("busybox")
    bring(root, busybox, "/usr/bin/busybox")
    for applet in run_quietly(busybox, "--list")[1].split():
        if applet != "busybox":
            os.symlink("busybox", os.path.join(root, "usr/bin", applet))
    for path, to in files.items():
        bring(root, path, to)
        for library in libraries_of(path):
            bring(root, library, library)
    for name, text in (("init", INIT), ("script", script)):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.chmod(os.path.join(root, "init"), 0o755)


def pack(root, archive):
    names = subprocess.run(["find", ".", "-print0"], cwd=root, check=True, stdout=subprocess.PIPE)
    with open(archive, "wb") as file:
        subprocess.run(["cpio", "--null", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=root,
                       check=True, input=names.stdout, stdout=file)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def boot(where, cpus, image):
    """Until the machine has powered itself off, or hangs: then it has no status."""
    lines = [f"file:{where}/{name}" for name in ("console", "output", "status")]
    command = ["qemu-system-x86_64", "-accel", ACCELERATOR, "-cpu", CPU_MODEL,
               "-smp", str(cpus), "-m", str(MEMORY_MIB), "-display", "none", "-monitor", "none",
               "-nodefaults", "-no-user-config", "-no-reboot", "-kernel", image,
               "-initrd", f"{where}/initrd", "-append", KERNEL_LINE]
    for line in lines:
        command += ["-serial", line]
    with open(f"{where}/qemu", "wb") as errors, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=errors,
                       stderr=errors, timeout=TIME_LIMIT_S, preexec_fn=die_with_parent)


def run_script(script, files, cpus, image):
    """Runs @script with @files {path here: path there} on a machine of @cpus. Returns its status
    and output; a machine that died has no status (None), and its console as output."""
    with tempfile.TemporaryDirectory(prefix="flametop-test-") as where:
        root = os.path.join(where, "root")
        os.mkdir(root)
        build_root(root, script, files)
        pack(root, f"{where}/initrd")
        boot(where, cpus, image)
        status = read(f"{where}/status").strip()
        if status:
            return int(status), read(f"{where}/output")
        return None, read(f"{where}/output") + read(f"{where}/console") + read(f"{where}/qemu")
