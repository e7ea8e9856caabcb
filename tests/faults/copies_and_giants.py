#!/usr/bin/python3
"""copies_and_giants.py PLACE COPY GIANT - starts programs in PLACE for ever, as whoever runs it.

Each second the file of another one of COPIES paths is replaced by an identical copy of COPY, and
the copy is started; the one before it runs a second longer. So of two files with one path and one
symtab the older is mapped by nobody. Every GIANT_S seconds a new copy of GIANT, whose symtab alone
is more than all may have, takes the place of the giant before. Says "ready" when all have begun.
"""
import itertools
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from parent_death import die_with_parent  # noqa: E402

COPIES, GIANT_S = 3, 5


def start_copy_of(program, path):
    """Replaces the file at @path, which others may still run."""
    shutil.copy(program, f"{path}.new")
    os.rename(f"{path}.new", path)
    return subprocess.Popen([path], preexec_fn=die_with_parent)


def end(process):
    process.kill()
    process.wait()


def main():
    place, copy, giant = sys.argv[1:]
    running, ending = {}, []
    for second in itertools.count():
        while ending:
            end(ending.pop())
        paths = [(copy, os.path.join(place, f"copied{second % COPIES}"))]
        if second % GIANT_S == 0:
            paths.append((giant, os.path.join(place, "giant")))
        for program, path in paths:
            if path in running:
                ending.append(running[path])
            running[path] = start_copy_of(program, path)
        if second == COPIES:
            print("ready", flush=True)
        time.sleep(1)


main()
