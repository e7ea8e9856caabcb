/* text_lines.c - see ui/text_lines.h. */
#include "ui/text_lines.h"

#include <stdio.h>
#include <string.h>

#define LEFT_X 2

/* Bytes of @text that go on one line of @width cells: whole words, or all that is left when even
 * one word is too long. */
static size_t line_bytes(const struct canvas *canvas, const char *text, int width)
{
	char line[TEXT_LINES_BYTES];
	size_t best = strlen(text), end;

	if (canvas_text_width(canvas, text) <= width)
		return best;
	for (const char *at = strchr(text, ' '); at; at = strchr(at + 1, ' ')) {
		end = (size_t)(at - text);
		memcpy(line, text, end);
		line[end] = '\0';
		if (canvas_text_width(canvas, line) > width)
			break;
		best = end;
	}
	return best;
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
			canvas_put_text(canvas, area, line, role);
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
