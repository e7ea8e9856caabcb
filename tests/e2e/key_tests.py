"""Which test tries which command, so that a command without a test fails the check.

A test says what it tries and where, and takes the keys from the table:

    @tries("sort", "reverse")
    @tries("help", place="IN_PAGER")
    def check_sort():
        terminal.keys(key("sort"))

It fails if it never takes a key that it says it tries, or takes another's. All tests/e2e/check_*
together must try all that there is: expect_every_command_tried() reads it from their sources.
"""
import ast
import functools
import glob
import os
import re
import subprocess

from command_table import COMMANDS, ROOT, read_source
from terminal import FLAMETOP, expect

DEFAULT_PLACE = "IN_TABLE"
_running = []   # of each running @tries: the names it still waits for, and all of its names


def tries(*names, place=DEFAULT_PLACE):
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
            finally:
                _running.pop()
        return run
    return wrap


def take(name):
    if not any(name in names for _, names in _running):
        raise AssertionError(f"{name} is pressed by a test that does not say so")
    for waiting, _ in _running:
        waiting.discard(name)


def key(name):
    """tmux's name of the first key of the command."""
    take(name)
    return COMMANDS[name].keys[0].tmux


def keys_of(name):
    """All of them; a command that has several has a test that goes through them."""
    take(name)
    return [each.tmux for each in COMMANDS[name].keys]


def by_name(name):
    """What to type into the palette for it."""
    take(name)
    return name


def calls_of(function):
    """Every call of it in the end-to-end tests."""
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/e2e/check_*"))):
        source = read_source(path)
        if "python" in source.partition("\n")[0]:
            yield from (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)
                        and isinstance(node.func, ast.Name) and node.func.id == function)


def expect_every_command_tried():
    tried, stepped = set(), set()
    for call in calls_of("tries"):
        place = next((each.value.value for each in call.keywords if each.arg == "place"),
                     DEFAULT_PLACE)
        tried |= {(name.value, place) for name in call.args}
    for call in calls_of("keys_of"):
        stepped |= {name.value for name in call.args}
    wanted = {(name, place) for name, command in COMMANDS.items() for place in command.places}
    expect("each command has a test wherever it works", tried == wanted,
           (sorted(wanted - tried), sorted(tried - wanted)))
    several = {name for name, command in COMMANDS.items() if len(command.keys) > 1}
    expect("each of its keys is pressed", several <= stepped, sorted(several - stepped))


def expect_table_read_right(help_text):
    """The table as this test reads it is the one that the program has."""
    keys = help_text[help_text.index("  Keys"):].partition("\n\n")[0]
    listed = {name for line in keys.splitlines()
              if (found := re.match(r"  (\S+(?:, \S+)*)  +\S", line)) for name in
              found[1].split(", ") if not re.match(r":\w", name)}   # one that has no key
    wanted = {key.name for command in COMMANDS.values() for key in command.keys}
    expect("the help lists the keys of the table", listed == wanted,
           (listed - wanted, wanted - listed))
    text = subprocess.run([FLAMETOP, "--print-config"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    section = text.partition("[keys]\n")[2].partition("\n[")[0]
    names = set(re.findall(r"^#([\w-]+) =", section, re.M))
    expect("--print-config lists the commands of the table", names == set(COMMANDS),
           names ^ set(COMMANDS))
