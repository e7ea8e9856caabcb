/* keys.c - the grammar of terminal input, one key at a time.
 *
 * Problem: an arrow key is three bytes that begin with Esc, and a slow line may deliver them one by
 * one. Waiting inside the read (as curses does) stops the refresh; not waiting turns an arrow into
 * Esc.
 *
 * Idea: keep the bytes until they are a whole key by ECMA-48's grammar; the event loop owns the
 * clock. Unknown sequences are swallowed whole, so none of their bytes acts as a command.
 *
 * Rejected: terminfo's key strings. Every terminal that is supported (xterm, screen, tmux, linux,
 * vt100 and what imitates them) speaks this grammar, and strings alone cannot tell where an unknown
 * sequence ends.
 */
#include "ui/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/utf8.h"

#define ESC 0x1b

size_t keys_room(const struct keys *keys)
{
	return KEYS_BUFFER_BYTES - keys->count;
}

size_t keys_feed(struct keys *keys, const unsigned char *bytes, size_t count)
{
	if (count > keys_room(keys))
		count = keys_room(keys);
	memcpy(keys->bytes + keys->count, bytes, count);
	keys->count += count;
	return count;
}

static void drop_bytes(struct keys *keys, size_t count)
{
	keys->count -= count;
	memmove(keys->bytes, keys->bytes + count, keys->count);
}

/* CSI final bytes and SS3 letters. */
static int letter_key(unsigned char letter)
{
	switch (letter) {
	case 'A': return UI_KEY_UP;
	case 'B': return UI_KEY_DOWN;
	case 'C': return UI_KEY_RIGHT;
	case 'D': return UI_KEY_LEFT;
	case 'H': return UI_KEY_HOME;
	case 'F': return UI_KEY_END;
	case 'P': return UI_KEY_F1;
	case 'Z': return UI_KEY_BACKTAB;
	default:  return UI_KEY_UNKNOWN;
	}
}

/* ESC [ number ~ */
static int number_key(long number)
{
	switch (number) {
	case 1: case 7: return UI_KEY_HOME;
	case 4: case 8: return UI_KEY_END;
	case 5:		return UI_KEY_PAGE_UP;
	case 6:		return UI_KEY_PAGE_DOWN;
	case 11:	return UI_KEY_F1;
	default:	return UI_KEY_UNKNOWN;
	}
}

/* Length of the sequence that begins with ESC [ at @bytes, 0 when its end has not come. */
static size_t csi_bytes(const unsigned char *bytes, size_t count)
{
	if (count > 2 && bytes[2] == '[')	/* the linux console's F1 to F5: ESC [ [ letter */
		return count > 3 ? 4 : 0;
	for (size_t i = 2; i < count; i++)
		if (bytes[i] < 0x20 || bytes[i] > 0x3f)
			return i + 1;
	return 0;
}

static int csi_key(const unsigned char *bytes, size_t count)
{
	const unsigned char final = bytes[count - 1];

	if (bytes[2] == '[')
		return final == 'A' ? UI_KEY_F1 : UI_KEY_UNKNOWN;
	if (final == '~')
		return number_key(strtol((const char *)bytes + 2, NULL, 10));
	return letter_key(final);
}

static int next_escape(struct keys *keys)
{
	size_t bytes = 0;
	int key = UI_KEY_ESCAPE;

	if (keys->count == 1)
		return UI_KEY_NONE;
	if (keys->bytes[1] == '[') {
		bytes = csi_bytes(keys->bytes, keys->count);
		key = bytes ? csi_key(keys->bytes, bytes) : UI_KEY_NONE;
	} else if (keys->bytes[1] == 'O') {
		bytes = keys->count > 2 ? 3 : 0;
		key = bytes ? letter_key(keys->bytes[2]) : UI_KEY_NONE;
	} else {
		bytes = 1;
	}
	drop_bytes(keys, bytes);
	return key;
}

static int next_character(struct keys *keys)
{
	const size_t bytes = utf8_sequence_bytes(keys->bytes[0]);
	char text[UTF8_MAX_BYTES + 1] = "";
	uint32_t code;

	if (bytes > keys->count)
		return UI_KEY_NONE;
	memcpy(text, keys->bytes, bytes);
	drop_bytes(keys, bytes ? bytes : 1);
	utf8_decode(text, &code);
	return code == UTF8_REPLACEMENT ? UI_KEY_UNKNOWN : (int)code;
}

int keys_next(struct keys *keys)
{
	int key;

	if (keys->count == 0)
		return UI_KEY_NONE;
	if (keys->bytes[0] == ESC)
		key = next_escape(keys);
	else if (keys->bytes[0] == '\0') {
		drop_bytes(keys, 1);
		return UI_KEY_UNKNOWN;
	} else
		key = next_character(keys);

	if (key == UI_KEY_NONE && keys_room(keys) == 0)
		keys->count = 0;	/* a sequence that never ends is noise on the line */
	if (key == '\n')
		return UI_KEY_ENTER;
	return key == '\b' ? UI_KEY_BACKSPACE : key;
}

bool keys_is_waiting(const struct keys *keys)
{
	return keys->count > 0;
}

int keys_expire(struct keys *keys)
{
	const bool is_escape = keys->count == 1 && keys->bytes[0] == ESC;

	keys->count = 0;
	return is_escape ? UI_KEY_ESCAPE : UI_KEY_NONE;
}

char *keys_format(int key, char *out)
{
	static const char *const special[] = {
		"Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Shift-Tab", "F1",
	};

	if (key >= UI_KEY_SPECIAL && key < UI_KEY_UNKNOWN)
		snprintf(out, KEYS_NAME_BYTES, "%s", special[key - UI_KEY_SPECIAL]);
	else if (key == ' ')
		snprintf(out, KEYS_NAME_BYTES, "Space");
	else if (key == UI_KEY_TAB)
		snprintf(out, KEYS_NAME_BYTES, "Tab");
	else if (key == UI_KEY_ENTER)
		snprintf(out, KEYS_NAME_BYTES, "Enter");
	else if (key == UI_KEY_ESCAPE)
		snprintf(out, KEYS_NAME_BYTES, "Esc");
	else if (key == UI_KEY_BACKSPACE)
		snprintf(out, KEYS_NAME_BYTES, "Backspace");
	else if (key < ' ')
		snprintf(out, KEYS_NAME_BYTES, "Ctrl-%c", key + 0x40);
	else
		utf8_encode(out, (uint32_t)key);
	return out;
}
