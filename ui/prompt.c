/* prompt.c - see ui/prompt.h. Edits at the end of the line only: a filter is a few letters. */
#include "ui/prompt.h"

#include <stdio.h>
#include <string.h>

#include "ui/keys.h"
#include "ui/utf8.h"

void prompt_open(struct prompt *prompt, const char *label, const char *text)
{
	prompt->is_open = true;
	prompt->label = label;
	snprintf(prompt->text, sizeof(prompt->text), "%s", text);
}

static void erase_char(struct prompt *prompt)
{
	size_t length = strlen(prompt->text);

	while (length > 0 && ((unsigned char)prompt->text[--length] & 0xc0) == 0x80)
		;
	prompt->text[length] = '\0';
}

static void append_char(struct prompt *prompt, int code)
{
	const size_t length = strlen(prompt->text);
	char bytes[UTF8_MAX_BYTES + 1];
	const size_t count = utf8_encode(bytes, (uint32_t)code);

	if (length + count < sizeof(prompt->text))
		memcpy(prompt->text + length, bytes, count + 1);
}

enum prompt_result prompt_press(struct prompt *prompt, int key)
{
	switch (key) {
	case UI_KEY_ENTER:
		prompt->is_open = false;
		return PROMPT_ACCEPTED;
	case UI_KEY_ESCAPE:
		prompt->is_open = false;
		return PROMPT_CANCELLED;
	case UI_KEY_BACKSPACE:
		erase_char(prompt);
		return PROMPT_EDITED;
	case UI_KEY_CTRL('U'):
		prompt->text[0] = '\0';
		return PROMPT_EDITED;
	}
	if (key < ' ' || key >= UI_KEY_SPECIAL)
		return PROMPT_IGNORED;
	append_char(prompt, key);
	return PROMPT_EDITED;
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, int y)
{
	static const char keys[] = "Enter keep \u00b7 Esc cancel";
	const int label = canvas_text_width(canvas, prompt->label);
	int room = canvas->width - 1 - label - 2;
	const char *text = prompt->text;
	int x = 1 + label + 1;
	uint32_t code;

	canvas_put_text(canvas, (struct canvas_area){ 1, y, label }, prompt->label, ROLE_STATE);
	while (canvas_text_width(canvas, text) > room - 1)	/* its end is where one types */
		text += utf8_decode(text, &code);
	x += canvas_put_text(canvas, (struct canvas_area){ x, y, room }, text, ROLE_TEXT);
	canvas_put_text(canvas, (struct canvas_area){ x, y, 1 }, " ", ROLE_SELECTED);
	room = canvas->width - x - 3;
	if (room > canvas_text_width(canvas, keys))
		canvas_put_right(canvas, (struct canvas_area){ x + 2, y, room }, keys, ROLE_DIM);
}
