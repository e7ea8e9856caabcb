/* prompt.c - see prompt.h.
 *
 * Problem: a step of the cursor, a Backspace and the cells of the cursor must cover the same unit,
 * or a name with accents cannot be corrected.
 *
 * Idea: that unit is a character with the combining marks after it. The text is always sanitized
 * (an edit that would break this is refused), so marks never stand alone.
 *
 * Invariant: cursor is 0 or after such a unit.
 */
#include "prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/sanitize.h"
#include "term/utf8.h"
#include "term/keys.h"

#define NOTE_GAP 2
/* A text too long for the line shows up to 1/AHEAD_SHARE of the line after the cursor. */
#define AHEAD_SHARE 4

/* Bytes of the character at @text with its marks, 0 at the end. In clean text, what would not be
 * clean alone is a mark. */
static size_t step_bytes(const char *text)
{
	uint32_t code;
	size_t bytes = utf8_decode(text, &code), mark;

	while (bytes > 0 && (mark = utf8_decode(text + bytes, &code)) > 0 &&
	       !sanitize_is_clean(text + bytes, mark))
		bytes += mark;
	return bytes;
}

/* Returns where the character before @at begins. */
static size_t step_back(const char *text, size_t at)
{
	size_t before = 0, next = 0;

	while (next < at) {
		before = next;
		next += step_bytes(text + next);
	}
	return before;
}

static void set_text(struct prompt *prompt, const char *text)
{
	sanitize_text(prompt->text, sizeof(prompt->text), text, strlen(text));
	prompt->cursor = strlen(prompt->text);
}

void prompt_open(struct prompt *prompt, const char *label, const char *text)
{
	prompt->is_open = true;
	prompt->label = label;
	prompt->recalled = 0;
	prompt->is_selected = false;
	prompt->note[0] = prompt->hint[0] = '\0';
	prompt->choice_count = prompt->chosen = 0;
	prompt->left_out = NULL;
	set_text(prompt, text);
}

void prompt_replace(struct prompt *prompt, const char *text)
{
	set_text(prompt, text);
	prompt->recalled = 0;
}

void prompt_select(struct prompt *prompt)
{
	prompt->is_selected = prompt->text[0] != '\0';
}

void prompt_hint(struct prompt *prompt, const char *hint)
{
	sanitize_text(prompt->hint, sizeof(prompt->hint), hint, strlen(hint));
}

void prompt_add_choice(struct prompt *prompt, const char *word)
{
	if (prompt->choice_count < PROMPT_CHOICES)
		prompt->choices[prompt->choice_count++] = word;
}

void prompt_note(struct prompt *prompt, const char *note)
{
	sanitize_text(prompt->note, sizeof(prompt->note), note, strlen(note));
}

/* Replaces the bytes @from..@to by @with. */
static enum prompt_result replace(struct prompt *prompt, size_t from, size_t to, const char *with)
{
	char text[PROMPT_BYTES];
	const size_t length = strlen(prompt->text) - (to - from) + strlen(with);

	if (length >= sizeof(text))
		return PROMPT_MOVED;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)from, prompt->text, with, prompt->text + to);
	if (!sanitize_is_clean(text, length) || strcmp(text, prompt->text) == 0)
		return PROMPT_MOVED;
	memcpy(prompt->text, text, length + 1);
	prompt->cursor = from + strlen(with);
	prompt->recalled = 0;
	return PROMPT_EDITED;
}

static enum prompt_result erase_word(struct prompt *prompt)
{
	size_t from = prompt->cursor;

	while (from > 0 && prompt->text[from - 1] == ' ')
		from--;
	while (from > 0 && prompt->text[from - 1] != ' ')
		from--;
	return replace(prompt, from, prompt->cursor, "");
}

static enum prompt_result move_to(struct prompt *prompt, size_t cursor)
{
	prompt->cursor = cursor;
	return PROMPT_MOVED;
}

/* Returns accepted text number @back of this label (1: the newest), or NULL. */
static const char *find_entry(const struct prompt *prompt, size_t back)
{
	for (size_t i = prompt->history_count; i-- > 0;)
		if (strcmp(prompt->history[i].label, prompt->label) == 0 && --back == 0)
			return prompt->history[i].text;
	return NULL;
}

static enum prompt_result recall(struct prompt *prompt, size_t back)
{
	const char *text = back ? find_entry(prompt, back) : prompt->typed;

	if (!text)
		return PROMPT_MOVED;
	if (prompt->recalled == 0)
		memcpy(prompt->typed, prompt->text, sizeof(prompt->typed));
	set_text(prompt, text);
	prompt->recalled = back;
	return PROMPT_EDITED;
}

static void drop_entry(struct prompt *prompt, size_t index)
{
	prompt->history_count--;
	memmove(&prompt->history[index], &prompt->history[index + 1],
		(prompt->history_count - index) * sizeof(prompt->history[0]));
}

/* An old one that says the same moves to the end: Up goes through different texts. */
static void remember(struct prompt *prompt)
{
	struct prompt_entry *entry;

	if (prompt->text[0] == '\0')
		return;
	for (size_t i = 0; i < prompt->history_count; i++) {
		entry = &prompt->history[i];
		if (strcmp(entry->label, prompt->label) == 0 &&
		    strcmp(entry->text, prompt->text) == 0) {
			drop_entry(prompt, i);
			break;
		}
	}
	if (prompt->history_count == PROMPT_HISTORY)
		drop_entry(prompt, 0);
	entry = &prompt->history[prompt->history_count++];
	entry->label = prompt->label;
	memcpy(entry->text, prompt->text, sizeof(entry->text));
}

static enum prompt_result close_prompt(struct prompt *prompt, enum prompt_result result)
{
	if (result == PROMPT_ACCEPTED)
		remember(prompt);
	prompt->is_open = false;
	return result;
}

static enum prompt_result type_character(struct prompt *prompt, int key)
{
	char bytes[UTF8_MAX_BYTES + 1];

	if (key < ' ' || key >= UI_KEY_SPECIAL)
		return PROMPT_IGNORED;
	utf8_encode(bytes, (uint32_t)key);
	return replace(prompt, prompt->cursor, prompt->cursor, bytes);
}

static bool is_text_key(int key)
{
	return key >= ' ' && key < UI_KEY_SPECIAL && key != UI_KEY_BACKSPACE;
}

static bool is_erasing_key(int key)
{
	return key == UI_KEY_BACKSPACE || key == UI_KEY_DELETE || key == UI_KEY_CTRL('W') ||
	       key == UI_KEY_CTRL('U') || key == UI_KEY_CTRL('K');
}

/* A letter in the place of a selected text, or nothing. A letter that can't stand there leaves the
 * text as it is. */
static enum prompt_result replace_selected(struct prompt *prompt, int key)
{
	char bytes[UTF8_MAX_BYTES + 1] = "";

	if (is_text_key(key))
		utf8_encode(bytes, (uint32_t)key);
	return replace(prompt, 0, strlen(prompt->text), bytes);
}

enum prompt_result prompt_press(struct prompt *prompt, int key)
{
	const bool was_selected = prompt->is_selected;
	const size_t at = prompt->cursor, end = strlen(prompt->text);
	const size_t before = step_back(prompt->text, at);
	const size_t after = at + step_bytes(prompt->text + at);

	prompt->note[0] = '\0';
	prompt->is_selected = false;
	if (was_selected && (is_text_key(key) || is_erasing_key(key)))
		return replace_selected(prompt, key);
	switch (key) {
	case UI_KEY_ENTER:	return close_prompt(prompt, PROMPT_ACCEPTED);
	case UI_KEY_ESCAPE:	return close_prompt(prompt, PROMPT_CANCELLED);
	case UI_KEY_LEFT:	return move_to(prompt, before);
	case UI_KEY_RIGHT:	return move_to(prompt, after);
	case UI_KEY_CTRL('A'):
	case UI_KEY_HOME:	return move_to(prompt, 0);
	case UI_KEY_CTRL('E'):
	case UI_KEY_END:	return move_to(prompt, end);
	case UI_KEY_UP:		return recall(prompt, prompt->recalled + 1);
	case UI_KEY_DOWN:
		return prompt->recalled ? recall(prompt, prompt->recalled - 1) : PROMPT_MOVED;
	case UI_KEY_BACKSPACE:	return replace(prompt, before, at, "");
	case UI_KEY_DELETE:	return replace(prompt, at, after, "");
	case UI_KEY_CTRL('W'):	return erase_word(prompt);
	case UI_KEY_CTRL('U'):	return replace(prompt, 0, at, "");
	case UI_KEY_CTRL('K'):	return replace(prompt, at, end, "");
	default:		return type_character(prompt, key);
	}
}

/* Returns the cells of @text[0..@bytes). */
static int cells_of(const struct canvas *canvas, const char *text, size_t bytes)
{
	char part[PROMPT_BYTES];

	memcpy(part, text, bytes);
	part[bytes] = '\0';
	return canvas_text_width(canvas, part);
}

/* The first byte that is drawn in @room cells, so that the cursor is in sight. */
static size_t first_shown(const struct prompt *prompt, const struct canvas *canvas, int room)
{
	const size_t after = prompt->cursor + step_bytes(prompt->text + prompt->cursor);
	int ahead = canvas_text_width(canvas, prompt->text + after);
	int used = cells_of(canvas, prompt->text, after) + (after == prompt->cursor);
	size_t first = 0, bytes;

	if (ahead > room / AHEAD_SHARE)
		ahead = room / AHEAD_SHARE;
	if (used + ahead <= room)
		return 0;
	for (used += 1; first < prompt->cursor && used + ahead > room; first += bytes) {
		bytes = step_bytes(prompt->text + first);	/* + 1: the ellipsis before it */
		used -= cells_of(canvas, prompt->text + first, bytes);
	}
	return first;
}

int prompt_draw_text(const struct prompt *prompt, struct canvas *canvas, struct canvas_area area)
{
	const size_t first = first_shown(prompt, canvas, area.width);
	const size_t under = step_bytes(prompt->text + prompt->cursor);
	struct canvas_area cursor = area;
	int cut = 0;

	if (first > 0)
		cut = canvas_put_text(canvas, area, SAFE_TEXT("\u2026"), ROLE_DIM);
	area.x += cut;
	area.width -= cut;
	cursor.x = area.x + cells_of(canvas, prompt->text + first, prompt->cursor - first);
	cursor.width = under ? cells_of(canvas, prompt->text + prompt->cursor, under) : 1;
	cut += canvas_put_text(canvas, area, canvas_clean(prompt->text + first),
			       prompt->is_selected ? ROLE_SELECTED : ROLE_TEXT);
	canvas_set_role(canvas, cursor, ROLE_SELECTED);
	return cut;
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, int y)
{
	static const char keys[] = "Enter keep \u00b7 Esc cancel";
	const int label = canvas_text_width(canvas, prompt->label);
	struct canvas_area area = { 1 + label + 1, y, canvas->width - 1 - label - 2 };
	struct canvas_area note = { 0, y, 0 };

	canvas_put_text(canvas, (struct canvas_area){ 1, y, label }, canvas_clean(prompt->label),
			ROLE_STATE);
	if (prompt->note[0]) {
		note.width = canvas_text_width(canvas, prompt->note);
		if (note.width > area.width / 2)
			note.width = area.width / 2;
		area.width -= note.width + NOTE_GAP;
		note.x = area.x + area.width + NOTE_GAP;
		canvas_put_right(canvas, note, canvas_clean(prompt->note), ROLE_STATE);
		prompt_draw_text(prompt, canvas, area);
		return;
	}
	note.x = area.x + prompt_draw_text(prompt, canvas, area) + 1 + NOTE_GAP;
	note.width = canvas->width - 1 - note.x;
	if (prompt->hint[0])
		canvas_put_text(canvas, note, canvas_clean(prompt->hint), ROLE_DIM);
	else if (note.width >= canvas_text_width(canvas, keys))
		canvas_put_right(canvas, note, canvas_clean(keys), ROLE_DIM);
}

/* Returns the first choice that is drawn in @room cells, so that the chosen one is in sight. */
static size_t first_choice(const struct prompt *prompt, const struct canvas *canvas, int room)
{
	size_t first = 0;
	int used = 0;

	if (prompt->chosen >= prompt->choice_count)
		return 0;
	for (size_t i = 0; i <= prompt->chosen; i++)
		used += canvas_text_width(canvas, prompt->choices[i]) + 1;
	while (first < prompt->chosen && used + (first ? 2 : 0) + 1 > room)	/* ellipses */
		used -= canvas_text_width(canvas, prompt->choices[first++]) + 1;
	return first;
}

/* Draws @text at the left edge of @area, which begins a cell after it then. */
static void put_word(struct canvas *canvas, struct canvas_area *area, const char *text,
		     enum role role)
{
	const int used = canvas_put_text(canvas, *area, canvas_clean(text), role) + 1;

	area->x += used;
	area->width -= used;
}

void prompt_draw_choices(const struct prompt *prompt, struct canvas *canvas, int y)
{
	struct canvas_area area = { 1, y, canvas->width - 2 };
	size_t i;

	if (!prompt->choice_count)
		return;
	canvas_put_fill(canvas, 0, 2 * canvas->width, y, ROLE_TEXT);
	put_word(canvas, &area, "Tab", ROLE_KEY);
	i = first_choice(prompt, canvas, area.width);
	if (i)
		put_word(canvas, &area, "\u2026", ROLE_DIM);
	for (; i < prompt->choice_count && area.width > 0; i++)
		put_word(canvas, &area, prompt->choices[i],
			 i == prompt->chosen ? ROLE_SELECTED : ROLE_DIM);
	if (prompt->left_out && area.width > 0)
		put_word(canvas, &area, prompt->left_out, ROLE_DIM);
}
