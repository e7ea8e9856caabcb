"""What a user reads off the screen: the view, its rows, the breadcrumb, a menu."""
import collections
import contextlib
import re

LAST_ROW_S = 5      # the cursor has not moved since the key: there is no other row

Row = collections.namedtuple("Row", "is_cursor cells line")     # cells: by title; line: from 0

# What only this view has among its titles.
VIEWS = {"Symbols": "DSO +SYMBOL", "DSOs": "COMMAND +DSO$", "Commands": "PID +COMMAND$",
         "Tasks": "COMMAND LINE", "CPUs": "CPU +BUSY%",
         "Tree": "SYMBOL +.*call", "Groups": "(TOTAL%|SAMPLES) +[a-z]"}


def find_titles(text):
    """The line of titles without the mark of the order, and its number."""
    for number, line in enumerate(text.splitlines()):
        if re.search(r"(SELF%|TOTAL%|SAMPLES|SMPL/S) ", line):
            return re.sub("[▼▲]", " ", line).rstrip(), number
    return "", 0


def view_of(text):
    titles, _ = find_titles(text)
    if not titles and re.search(r"total +[\d.]+ %", text):
        return "Flame"      # boxes have no titles
    if "No probe yet" in text:
        return "Probes"
    found = [view for view, mark in VIEWS.items() if re.search(mark, titles)]
    return found[0] if len(found) == 1 else None


def order_of(text):
    """The title of the column that the rows are sorted by, "-" before it when reversed."""
    found = re.search("([▼▲])([A-ZΔ%/]+)|([A-Z]+(?: LINE)?)([▼▲])", text)
    return ("-" if "▲" in found[0] else "") + (found[2] or found[3])


class Cells(dict):
    """By title. What the columns on the screen do not have is empty: the view that a key asked for
    may be still to come."""
    def __missing__(self, title):
        return ""


def table(text):
    """The rows of the table. Numbers stand before texts in every view, in the order of titles."""
    titles, number = find_titles(text)
    texts = [(found.start(), found[0]) for found in
             re.finditer("EVENT|COMMAND LINE|COMMAND|DSO|SYMBOL", titles)]
    rows = []
    for at, line in enumerate(text.splitlines()[number + 1:-1], number + 1):
        values = re.sub("[█▉▊▋▌▍▎▏#▲▼]", " ", line[2:texts[0][0]]).split() if texts else []
        if not values or not re.fullmatch(r"[\d.]+k?|gone", values[0]):
            continue
        cells = Cells(zip(titles[:texts[0][0]].split(), values))
        for (begin, title), (end, _) in zip(texts, texts[1:] + [(None, None)]):
            cells[title] = line[begin:end].strip(" ▸▾·")
        rows.append(Row(line[0] in "▸>", cells, at))
    return rows


def cursor_row(text):
    found = [row for row in table(text) if row.is_cursor]
    return found[0] if len(found) == 1 else None


def go_home(terminal):
    """Moves the cursor onto the first row; the text then. A screen read before the key has come
    may have the cursor anywhere."""
    terminal.keys("Home")
    return terminal.wait(lambda text: table(text) and cursor_row(text) == table(text)[0],
                         "the first row")


def identity(row):
    """What tells the row from others, whatever its numbers are now."""
    return [row.cells[title] for title in ("EVENT", "PID", "COMMAND LINE", "COMMAND", "DSO", "SYMBOL",
                                           "CPU")]


def go_to(terminal, wanted, title="SYMBOL"):
    """Moves the cursor onto the row with that cell, a symbol's with or without its kind; the text
    then. Rows that are nearly equal may change places under way: then it begins anew."""
    for _ in range(5):
        text = go_home(terminal)
        with contextlib.suppress(TimeoutError):     # the last row
            for _ in range(60):
                row = cursor_row(text)
                if wanted in (row.cells[title], row.cells[title].split("] ")[-1].strip()):
                    return text
                terminal.keys("Down")
                text = terminal.wait(lambda text, row=row: (now := cursor_row(text)) and
                                     identity(now) != identity(row), "the next row", LAST_ROW_S)
    raise TimeoutError(f"the cursor does not come to {wanted}:\n{text}")


def column(text, title):
    return [row.cells.get(title) for row in table(text)]


def crumbs(text):
    """What the breadcrumb says: ["all", "hot_ab", "75.1 %"]; cut, it begins with an ellipsis."""
    for line in text.splitlines():
        if found := re.search(r"(?:\ball|…(?= ›))( › .*)?$", line.rstrip()):
            return [part.strip() for part in found[0].split("›")]
    return []


def share(text):
    """The share at the end of the breadcrumb, in %."""
    return float(crumbs(text)[-1].removesuffix("%"))


def menu_lines(text):
    """The lines in the menu's box."""
    return [found[1].strip(" ▸") for line in text.splitlines()
            if (found := re.search("│(.*)│", line))]


def place_of(text, part):
    """Column and line of a text on the screen, from 0."""
    for number, line in enumerate(text.splitlines()):
        if part in line:
            return line.index(part), number
    raise ValueError(f"{part!r} is not on the screen:\n{text}")
