"""The commands of ui/commands.c: names, keys and places, read from the table itself.

A command without a key is one of the palette's.
"""
import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Key: the help's name, tmux's name, the bytes that an xterm sends.
Key = collections.namedtuple("Key", "name tmux data")
Command = collections.namedtuple("Command", "name keys places")

SPECIAL = {
    "UI_KEY_TAB": Key("Tab", "Tab", b"\t"), "UI_KEY_ENTER": Key("Enter", "Enter", b"\r"),
    "UI_KEY_ESCAPE": Key("Esc", "Escape", b"\033"),
    "UI_KEY_BACKSPACE": Key("Backspace", "BSpace", b"\x7f"),
    "UI_KEY_UP": Key("Up", "Up", b"\033[A"), "UI_KEY_DOWN": Key("Down", "Down", b"\033[B"),
    "UI_KEY_RIGHT": Key("Right", "Right", b"\033[C"),
    "UI_KEY_LEFT": Key("Left", "Left", b"\033[D"),
    "UI_KEY_PAGE_UP": Key("PgUp", "PageUp", b"\033[5~"),
    "UI_KEY_PAGE_DOWN": Key("PgDn", "PageDown", b"\033[6~"),
    "UI_KEY_HOME": Key("Home", "Home", b"\033[H"), "UI_KEY_END": Key("End", "End", b"\033[F"),
    "UI_KEY_BACKTAB": Key("Shift-Tab", "BTab", b"\033[Z"),
    "UI_KEY_DELETE": Key("Delete", "DC", b"\033[3~"),
    "UI_KEY_INSERT": Key("Insert", "IC", b"\033[2~"),
    "' '": Key("Space", "Space", b" "), "'\\\\'": Key("\\", "\\", b"\\"),
    "'\\''": Key("'", "'", b"'"), "';'": Key(";", "\\;", b";"),
}
for number, data in enumerate([b"\033OP", b"\033OQ", b"\033OR", b"\033OS", b"\033[15~",
                               b"\033[17~", b"\033[18~", b"\033[19~", b"\033[20~", b"\033[21~",
                               b"\033[23~", b"\033[24~"], 1):
    SPECIAL[f"UI_KEY_F{number}"] = Key(f"F{number}", f"F{number}", data)

CHARACTER = r"'(?:\\.|[^'])'"
KEY = rf"UI_KEY_CTRL\('.'\)|UI_KEY_\w+|{CHARACTER}"
ROW = re.compile(rf'\{{\s*\{{((?:\s*(?:{KEY}|0),?)*)\s*\}},\s*"([\w-]+)",\s*([\w\s|]+?),\s*[\w\s|]+,')


def read_key(text):
    if text in SPECIAL:
        return SPECIAL[text]
    if found := re.fullmatch(r"UI_KEY_CTRL\('(.)'\)", text):
        letter = found[1]
        return Key(f"Ctrl-{letter}", f"C-{letter.lower()}", bytes([ord(letter) & 0x1f]))
    return Key(text[1], text[1], text[1].encode())


def read_source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def read_places():
    """What each name of enum view_place stands for: IN_ALL -> {"IN_TABLE", "IN_PAGER"}."""
    body = re.search(r"enum view_place \{(.*?)\};", read_source("include/ui/keymap.h"), re.S)[1]
    places = {}
    for name, value in re.findall(r"(IN_\w+)\s*=\s*([^,]+)", body):
        parts = re.findall(r"IN_\w+", value)
        places[name] = set().union(*(places[part] for part in parts)) if parts else {name}
    return places


def read_commands():
    """Every command of the table, by name."""
    source = read_source("ui/commands.c")
    table = source[source.index("const struct command commands[]"):]
    table = table[:table.index("\n};")]
    places = read_places()
    commands = {}
    for keys, name, where in ROW.findall(table):
        commands[name] = Command(name, [read_key(key) for key in re.findall(KEY, keys)],
                                 set().union(*(places[place] for place in
                                               re.findall(r"IN_\w+", where))))
    if len(commands) != len(re.findall(r"^\t\{ \{", table, re.M)):
        raise ValueError("ui/commands.c has rows that this test cannot read")
    return commands


COMMANDS = read_commands()

# What opens a line to type in, and what else comes over the table or in its place. Tests try those
# that the program has.
PROMPTS = ("filter", "search", "palette", "target", "event", "frequency")
OPENERS = (*PROMPTS, "row-menu", "order", "columns", "help", "messages", "losses", "log")
