"""Which test tries which command, so that a command without a test fails the check.

A test says what it tries and where, and takes the keys from the table:

    @tries("sort", "reverse")
    @tries("help", place="IN_PAGER")
    def check_sort():
        terminal.keys(key("sort"))

It fails if it never takes a key that it says it tries, or takes another's.
"""
import functools
import re
import subprocess

from command_table import COMMANDS
from terminal import FLAMETOP, expect, own_options

tried = set()   # (command, place) of every test that went to its end
taken = set()   # (command, key) that were asked for
_running = []   # the names that each running @tries still waits for, and all of its names


def tries(*names, place="IN_TABLE"):
    for name in names:
        if name not in COMMANDS or place not in COMMANDS[name].places:
            raise ValueError(f"{place} has no command {name}")

    def wrap(check):
        @functools.wraps(check)
        def run():
            _running.append((set(names), set(names)))
            try:
                check()
                if _running[-1][0]:
                    raise AssertionError(f"never pressed: {_running[-1][0]}")
                tried.update((name, place) for name in names)
            finally:
                _running.pop()
        return run
    return wrap


def take(name):
    if not any(name in names for _, names in _running):
        raise AssertionError(f"{name} is pressed by a test that does not say so")
    for waiting, _ in _running:
        waiting.discard(name)


def key(name, number=0):
    """tmux's name of a key of the command."""
    take(name)
    taken.add((name, number))
    return COMMANDS[name].keys[number].tmux


def keys_of(name):
    """All of them."""
    return [key(name, number) for number in range(len(COMMANDS[name].keys))]


def expect_every_command_tried():
    """To be called when all other tests have run."""
    wanted = {(name, place) for name, command in COMMANDS.items() for place in command.places}
    expect("each command has a test wherever it works", tried == wanted, wanted - tried)
    wanted = {(name, number) for name, command in COMMANDS.items()
              for number in range(len(command.keys))}
    expect("each of its keys is pressed", taken == wanted,
           [COMMANDS[name].keys[number].name for name, number in wanted - taken])


def expect_table_read_right(help_text):
    """The table as this test reads it is the one that the program has."""
    keys = help_text[help_text.index("  Keys"):].partition("\n\n")[0]
    listed = {name for line in keys.splitlines()
              if (found := re.match(r"  (\S+(?:, \S+)*)  +\S", line)) for name in
              found[1].split(", ")}
    wanted = {key.name for command in COMMANDS.values() for key in command.keys}
    expect("the help lists the keys of the table", listed == wanted,
           (listed - wanted, wanted - listed))
    if own_options():
        text = subprocess.run([FLAMETOP, "--print-config"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        section = re.search(r"^\[keys\]\n(.*?)(?:^\[|\Z)", text, re.M | re.S)
        names = set(re.findall(r"^[#; ]*([\w-]+) *=", section[1] if section else "", re.M))
        expect("--print-config lists the commands of the table", names == set(COMMANDS),
               names ^ set(COMMANDS))
