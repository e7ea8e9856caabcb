#!/usr/bin/python3
"""package_root.py ARCHITECTURE DIRECTORY PACKAGE... - unpacks packages for another architecture, with
all that they depend on, below DIRECTORY: the root of a cross compiler and of an emulated machine.

apt and dpkg of this machine are left as they are: apt works on a state of its own, in DIRECTORY.apt,
in which nothing is installed. It is not asked again for packages that were unpacked before.
"""
import contextlib
import fcntl
import glob
import os
import re
import subprocess
import sys


class NoPackage(Exception):
    """A package can't be had; the text says why."""


class Packages:
    """Packages of this machine's own architecture, by its own apt."""
    options = ()

    def run_apt(self, *command, **options):
        done = subprocess.run([command[0], *self.options, *command[1:]], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", **options)
        if done.returncode:
            raise NoPackage(f"{' '.join(command)}: {done.stdout.strip() or done.returncode}")
        return done.stdout

    def run_up_to_date(self, *command, **options):
        """The lists of packages may be missing, or may name what is no longer there."""
        try:
            return self.run_apt(*command, **options)
        except NoPackage:
            self.run_apt("apt-get", "-qq", "update")
            return self.run_apt(*command, **options)

    def dependencies(self, package):
        """The names of the packages that @package depends on."""
        text = self.run_up_to_date("apt-cache", "depends", package)
        return re.findall(r"Depends: (\S+)", text)

    def download(self, package, where):
        """The path of @package alone, which is now in the directory @where."""
        self.run_up_to_date("apt-get", "-qq", "download", package, cwd=where)
        return glob.glob(os.path.join(where, "*.deb"))[0]


class PackageRoot(Packages):
    """Packages of @architecture, which are unpacked below @path. Processes may share it."""

    def __init__(self, architecture, path):
        self.path = os.path.abspath(path)
        self.state = self.path + ".apt"
        self.options = (f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}",
                        f"-oDir::State={self.state}", f"-oDir::State::status={self.state}/status",
                        f"-oDir::Cache={self.state}", "-oAPT::Install-Recommends=false",
                        "-oAPT::Sandbox::User=root")

    def run_apt(self, *command, **options):
        for name in ("lists", "archives"):
            os.makedirs(f"{self.state}/{name}/partial", exist_ok=True)
        with open(f"{self.state}/status", "a", encoding="utf-8"):   # nothing is installed
            pass
        return super().run_apt(*command, **options)

    @contextlib.contextmanager
    def _locked(self):
        os.makedirs(self.state, exist_ok=True)
        with open(f"{self.state}/lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def dependencies(self, package):
        with self._locked():
            return super().dependencies(package)

    def download(self, package, where):
        with self._locked():
            return super().download(package, where)

    def add(self, *packages):
        """Unpacks @packages and what they depend on. Raises NoPackage."""
        with self._locked():
            kept = self._unpacked()
            if kept.issuperset(packages):
                return
            wanted = sorted(kept.union(packages))
            self.run_up_to_date("apt-get", "-qq", "-y", "--download-only", "install", *wanted)
            self._unpack(glob.glob(f"{self.state}/archives/*.deb"))
            with open(f"{self.state}/unpacked", "w", encoding="utf-8") as file:
                file.write("\n".join(wanted))

    def _unpacked(self):
        with contextlib.suppress(FileNotFoundError):
            with open(f"{self.state}/unpacked", encoding="utf-8") as file:
                return set(file.read().split())
        return set()

    def _unpack(self, archives):
        for name in ("bin", "lib", "sbin"):
            os.makedirs(f"{self.path}/usr/{name}", exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.symlink(f"usr/{name}", f"{self.path}/{name}")
        for archive in archives:
            content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive],
                                       stdout=subprocess.PIPE)
            done = subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner",
                                   "-C", self.path], check=False, stdin=content.stdout)
            content.stdout.close()
            if content.wait() or done.returncode:
                raise NoPackage(f"{archive} can't be unpacked")
            os.unlink(archive)
        self._make_links_relative()

    def _make_links_relative(self):
        """A compiler would follow an absolute link to this machine's own file."""
        for where, directories, files in os.walk(self.path):
            for name in directories + files:
                path = os.path.join(where, name)
                if os.path.islink(path) and os.readlink(path).startswith("/"):
                    target = os.path.relpath(self.path + os.readlink(path), where)
                    os.unlink(path)
                    os.symlink(target, path)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.split(" - ", maxsplit=1)[0])
    try:
        PackageRoot(sys.argv[1], sys.argv[2]).add(*sys.argv[3:])
    except NoPackage as reason:
        sys.exit(f"package_root.py: {reason}")


if __name__ == "__main__":
    main()
