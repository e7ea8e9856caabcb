"""Text with SGR sequences (tmux capture-pane -e) -> a grid of cells."""
import dataclasses
import re
import unicodedata

SGR = re.compile(r"\x1b\[([0-9;:]*)m|(.)", re.S)
FLAGS = {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}
FLAGS_OFF = {22: ("bold", "dim"), 24: ("underline",), 27: ("reverse",)}


@dataclasses.dataclass(frozen=True)
class Style:
    """Colours: None (the terminal's own), 0..255, or (red, green, blue)."""
    front: object = None
    back: object = None
    bold: bool = False
    dim: bool = False
    underline: bool = False
    reverse: bool = False


@dataclasses.dataclass(frozen=True)
class Cell:
    text: str = " "
    style: Style = Style()


def take_colour(codes):
    """The rest of 38;5;N or 38;2;R;G;B."""
    if next(codes, 0) == 5:
        return next(codes, 0)
    return tuple(next(codes, 0) for _ in range(3))


def apply_sgr(style, parameters):
    codes = iter([int(code or 0) for code in re.split("[;:]", parameters)])
    for code in codes:
        if code == 0:
            style = Style()
        elif code in FLAGS:
            style = dataclasses.replace(style, **{FLAGS[code]: True})
        elif code in FLAGS_OFF:
            style = dataclasses.replace(style, **dict.fromkeys(FLAGS_OFF[code], False))
        elif code in (38, 48):
            where = "front" if code == 38 else "back"
            style = dataclasses.replace(style, **{where: take_colour(codes)})
        elif code in (39, 49):
            style = dataclasses.replace(style, **{"front" if code == 39 else "back": None})
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = dataclasses.replace(style, front=code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = dataclasses.replace(style, back=code - 40 if code < 100 else code - 92)
    return style


def parse_line(line, style, columns):
    row = []
    for parameters, char in SGR.findall(line):
        if not char:
            style = apply_sgr(style, parameters)
        elif unicodedata.combining(char) and row:
            row[-1] = Cell(row[-1].text + char, row[-1].style)
        else:
            row.append(Cell(char, style))
            if unicodedata.east_asian_width(char) in "WF":
                row.append(Cell("", style))
    return (row + [Cell()] * columns)[:columns], style


def parse(text, columns, lines):
    grid, style = [], Style()
    for line in (text.split("\n") + [""] * lines)[:lines]:
        row, style = parse_line(line, style, columns)
        grid.append(row)
    return grid
