"""A grid of cells -> an image. Block elements are drawn, not taken from the font: no seams."""
import functools

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono"
FONT_SIZE = 15
MARGIN = 8

# Default front and back, then the 16 colours: black red green yellow blue magenta cyan white and
# their bright forms.
PALETTES = {
    "dark": ("#d0d0d0", "#16181d", [
        "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
        "#6b7280", "#ff7b85", "#b5e890", "#ffd68a", "#7fc1ff", "#dd94f2", "#6fd3df", "#ffffff"]),
    "light": ("#24292f", "#fbfbfa", [
        "#24292f", "#b4232c", "#1a7f37", "#8a6100", "#0a58c2", "#8230a5", "#0b7285", "#b8bdc4",
        "#7a828c", "#d1303b", "#2a9d4b", "#a97800", "#1f6feb", "#9a45c0", "#1391a8", "#ffffff"]),
}
# U+2580..U+2595 as (left, top, right, bottom) in eighths of the cell.
BLOCKS = {0x2580: (0, 0, 8, 4), 0x2588: (0, 0, 8, 8), 0x2590: (4, 0, 8, 8), 0x2594: (0, 0, 8, 1),
          0x2595: (7, 0, 8, 8)}
BLOCKS.update({0x2580 + n: (0, 8 - n, 8, 8) for n in range(1, 8)})
BLOCKS.update({0x2590 - n: (0, 0, n, 8) for n in range(1, 8)})


@functools.lru_cache
def font(bold):
    return ImageFont.truetype(FONT + ("-Bold.ttf" if bold else ".ttf"), FONT_SIZE)


def rgb(colour, palette):
    if isinstance(colour, tuple):
        return colour
    if colour < 16:
        text = PALETTES[palette][2][colour]
        return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))
    if colour < 232:    # the cube of xterm: 0, 95, 135, ... 255
        steps = ((colour - 16) // 36, (colour - 16) // 6 % 6, (colour - 16) % 6)
        return tuple(step and 55 + 40 * step for step in steps)
    return (8 + 10 * (colour - 232),) * 3


def colours(style, palette):
    default = [tuple(int(text[i:i + 2], 16) for i in (1, 3, 5)) for text in PALETTES[palette][:2]]
    front = default[0] if style.front is None else rgb(style.front, palette)
    back = default[1] if style.back is None else rgb(style.back, palette)
    if style.reverse:
        front, back = back, front
    if style.dim:
        front = tuple((6 * a + 4 * b) // 10 for a, b in zip(front, back))
    return front, back


def draw_cell(draw, cell, box, palette):
    left, top, right, bottom = box
    front, back = colours(cell.style, palette)
    draw.rectangle((left, top, right - 1, bottom - 1), fill=back)
    block = BLOCKS.get(ord(cell.text)) if len(cell.text) == 1 else None
    if block:
        across = [left + eighths * (right - left) // 8 for eighths in (block[0], block[2])]
        down = [top + eighths * (bottom - top) // 8 for eighths in (block[1], block[3])]
        draw.rectangle((across[0], down[0], across[1] - 1, down[1] - 1), fill=front)
    elif cell.text.strip():
        # One pixel up: the font puts underscores into the line below.
        draw.text((left, top - 1), cell.text, font=font(cell.style.bold), fill=front)
    if cell.style.underline:
        draw.line((left, bottom - 2, right - 1, bottom - 2), fill=front)


def draw(grid, palette):
    width = round(font(False).getlength("M"))
    height = sum(font(False).getmetrics())
    size = (len(grid[0]) * width + 2 * MARGIN, len(grid) * height + 2 * MARGIN)
    image = Image.new("RGB", size, PALETTES[palette][1])
    canvas = ImageDraw.Draw(image)
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            left, top = MARGIN + x * width, MARGIN + y * height
            draw_cell(canvas, cell, (left, top, left + width, top + height), palette)
    # The default method merges what is rare: the blue of four key names became grey.
    return image.quantize(256, method=Image.FASTOCTREE)
