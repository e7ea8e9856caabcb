/* text_lines.c - see text_lines.h. */
#include "text_lines.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define LEFT_X 2

static bool fits(const struct canvas *canvas, const char *text, size_t bytes, int width)
{
	char line[TEXT_LINES_BYTES];

	memcpy(line, text, bytes);
	line[bytes] = '\0';
	return canvas_text_width(canvas, line) <= width;
}

/* Returns the bytes of a word wider than a line that fit on one line, at least one character. */
static size_t broken_bytes(const struct canvas *canvas, const char *text, int width)
{
	uint32_t code;
	size_t bytes = utf8_decode(text, &code), next;

	while ((next = utf8_decode(text + bytes, &code)) > 0 &&
	       fits(canvas, text, bytes + next, width))
		bytes += next;
	return bytes;
}

/* Returns the bytes of @text that go on a line of @width cells: whole words if one has room. */
static size_t line_bytes(const struct canvas *canvas, const char *text, int width)
{
	size_t best = 0, end;

	if (width < 1 || canvas_text_width(canvas, text) <= width)
		return strlen(text);
	for (const char *at = strchr(text, ' '); at; at = strchr(at + 1, ' ')) {
		end = (size_t)(at - text);
		if (!fits(canvas, text, end, width))
			break;
		best = end;
	}
	return best ? best : broken_bytes(canvas, text, width);
}

/* Takes the next line off *@text into @line; false: there is none. */
static bool next_line(const struct canvas *canvas, int width, const char **text, char *line)
{
	const size_t bytes = line_bytes(canvas, *text, width);

	if (!**text)
		return false;
	memcpy(line, *text, bytes);
	line[bytes] = '\0';
	*text += bytes + ((*text)[bytes] == ' ');
	return true;
}

int text_lines_count(const struct canvas *canvas, int width, const char *text)
{
	char all[TEXT_LINES_BYTES], line[TEXT_LINES_BYTES];
	int count = 0;

	snprintf(all, sizeof(all), "%s", text);
	for (text = all; next_line(canvas, width, &text, line);)
		count++;
	return count;
}

int text_lines_put_part(struct canvas *canvas, struct canvas_area area, int begin, int end,
			const char *text, enum role role)
{
	char all[TEXT_LINES_BYTES], line[TEXT_LINES_BYTES];

	snprintf(all, sizeof(all), "%s", text);
	for (text = all; area.y < end && next_line(canvas, area.width, &text, line); area.y++)
		if (area.y >= begin)
			canvas_put_text(canvas, area, canvas_clean(line), role);
	return area.y;
}

int text_lines_put(struct canvas *canvas, struct canvas_area area, int end, const char *text,
		   enum role role)
{
	return text_lines_put_part(canvas, area, area.y, end, text, role);
}

int text_lines_draw(struct canvas *canvas, int y, int end, const char *text, enum role role)
{
	const struct canvas_area area = { LEFT_X, y, canvas->width - LEFT_X - 1 };

	return text_lines_put(canvas, area, end, text, role);
}
