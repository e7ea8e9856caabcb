/* keys.c - the grammar of terminal input, one key at a time.
 *
 * Problem: an arrow key is three bytes that begin with Esc, and a slow line may deliver them one by
 * one. Waiting inside the read (as curses does) stops the refresh; not waiting turns an arrow into
 * Esc.
 *
 * Idea: keep the bytes until they are a whole key by ECMA-48's grammar; the event loop owns the
 * clock. Unknown sequences are swallowed whole, so none of their bytes acts as a command.
 *
 * Invariant: where the bytes are cut into reads changes nothing, and whatever they are, a letter
 * ends every sequence: nothing sticks.
 *
 * Rejected: terminfo's key strings. Every terminal that is supported (xterm, screen, tmux, linux,
 * vt100 and what imitates them) speaks this grammar, and strings alone cannot tell where an unknown
 * sequence ends.
 */
#include "keys.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "utf8.h"

#define ESC	   0x1b
#define SWALLOWED  (-1)		/* beside enum ui_key: whole, and no key at all */
#define X10_BYTES  6		/* ESC [ M, then button, column and row as one byte each */
#define X10_OFFSET 32
#define NUMBER_MAX 99999	/* over every coordinate; what is larger only has to fit an int */

/* A control sequence taken apart: ESC [ 1 ; 5 A, ESC [ < 0 ; 3 ; 4 M. */
struct sequence {
	unsigned char marker;	/* '<', '=', '>', '?'; 0: none */
	unsigned char final;	/* 0: broken off */
	int numbers[3];		/* -1: not there */
};

size_t keys_room(const struct keys *keys)
{
	return KEYS_BUFFER_BYTES - keys->count;
}

size_t keys_feed(struct keys *keys, const unsigned char *bytes, size_t count, uint64_t now_ns)
{
	if (count > keys_room(keys))
		count = keys_room(keys);
	memcpy(keys->bytes + keys->count, bytes, count);
	keys->count += count;
	keys->fed_ns = now_ns;
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
	case 'Q': return UI_KEY_F2;
	case 'R': return UI_KEY_F3;
	case 'S': return UI_KEY_F4;
	case 'Z': return UI_KEY_BACKTAB;
	default:  return UI_KEY_UNKNOWN;
	}
}

/* ESC [ number ~. The gaps are the VT220's: its function keys came in groups. */
static int number_key(int number)
{
	switch (number) {
	case 1: case 7: return UI_KEY_HOME;
	case 2:		return UI_KEY_INSERT;
	case 3:		return UI_KEY_DELETE;
	case 4: case 8: return UI_KEY_END;
	case 5:		return UI_KEY_PAGE_UP;
	case 6:		return UI_KEY_PAGE_DOWN;
	}
	if (number >= 11 && number <= 15)
		return UI_KEY_F1 + number - 11;
	if (number >= 17 && number <= 21)
		return UI_KEY_F6 + number - 17;
	if (number >= 23 && number <= 24)
		return UI_KEY_F11 + number - 23;
	return UI_KEY_UNKNOWN;
}

static bool is_x10_report(const unsigned char *bytes, size_t count)
{
	return count > 2 && bytes[1] == '[' && bytes[2] == 'M';
}

/* Length of the sequence that begins with ESC [ or ESC O, 0 when its end has not come. A byte that
 * can't be in it ends it and is the beginning of something else. */
static size_t sequence_bytes(const unsigned char *bytes, size_t count)
{
	size_t at = 2;

	if (is_x10_report(bytes, count)) {
		for (at = 3; at < X10_BYTES && at < count && bytes[at] >= X10_OFFSET;)
			at++;
		return at == X10_BYTES || at < count ? at : 0;
	}
	if (count > 2 && bytes[1] == '[' && bytes[2] == '[')	/* the linux console's F1 to F5 */
		at = 3;
	while (at < count && bytes[at] >= 0x20 && bytes[at] < 0x40)
		at++;
	if (at == count)
		return 0;
	return bytes[at] >= 0x40 && bytes[at] < 0x7f ? at + 1 : at;
}

static bool is_digit(unsigned char byte)
{
	return byte >= '0' && byte <= '9';
}

static struct sequence parse_sequence(const unsigned char *bytes, size_t count)
{
	const unsigned char last = bytes[count - 1];
	struct sequence sequence = { .numbers = { -1, -1, -1 } };
	size_t at = 2, number = 0;

	if (count > 2 && last >= 0x40)
		sequence.final = last;
	if (at < count && bytes[at] >= '<' && bytes[at] <= '?')
		sequence.marker = bytes[at++];
	for (; at < count && number < 3; at++) {
		int *value = &sequence.numbers[number];

		if (is_digit(bytes[at]))
			*value = (*value > 0 ? *value * 10 : 0) + bytes[at] - '0';
		else
			number++;
		if (*value > NUMBER_MAX)
			*value = NUMBER_MAX;
	}
	return sequence;
}

/* The left button alone makes clicks; what a plain terminal cannot tell (which button was released)
 * is taken for the left one. Bits of @button: ctlseqs, "Mouse Tracking". */
static int button_action(int button, bool is_release)
{
	const int which = button & 3;

	if (button & 128)
		return -1;
	if (button & 64)
		return is_release || which > 1 ? -1 : which ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
	if (button & 32)
		return which == 0 ? MOUSE_DRAG : -1;
	if (is_release)
		return which == 0 ? MOUSE_RELEASE : -1;
	return which == 0 ? MOUSE_PRESS : which == 2 ? MOUSE_MENU : which == 3 ? MOUSE_RELEASE : -1;
}

static bool is_second_press(const struct keys *keys)
{
	return keys->pressed_ns && keys->pressed.x == keys->mouse.x &&
	       keys->pressed.y == keys->mouse.y &&
	       keys->fed_ns - keys->pressed_ns <= KEYS_DOUBLE_MS * CLOCK_NS_PER_MS;
}

/* @x, @y count from 1, as terminals do. */
static int mouse_key(struct keys *keys, int button, int x, int y, bool is_release)
{
	const int action = button_action(button, is_release);

	if (button < 0 || action < 0 || x < 1 || y < 1)
		return UI_KEY_UNKNOWN;
	keys->mouse = (struct mouse){ (enum mouse_action)action, x - 1, y - 1 };
	if (action == MOUSE_PRESS && is_second_press(keys)) {
		keys->mouse.action = MOUSE_DOUBLE;
		keys->pressed_ns = 0;
	} else if (action == MOUSE_PRESS) {
		keys->pressed = keys->mouse;
		keys->pressed_ns = keys->fed_ns;
	}
	return UI_KEY_MOUSE;
}

static int sequence_key(struct keys *keys, const unsigned char *bytes, size_t count)
{
	const struct sequence sequence = parse_sequence(bytes, count);
	const int *numbers = sequence.numbers;

	if (is_x10_report(bytes, count))
		return count < X10_BYTES ? UI_KEY_UNKNOWN
					 : mouse_key(keys, bytes[3] - X10_OFFSET,
						     bytes[4] - X10_OFFSET, bytes[5] - X10_OFFSET,
						     false);
	if (!sequence.final)
		return UI_KEY_UNKNOWN;
	if (sequence.marker == '<' && (sequence.final == 'M' || sequence.final == 'm'))
		return mouse_key(keys, numbers[0], numbers[1], numbers[2], sequence.final == 'm');
	if (sequence.marker)
		return UI_KEY_UNKNOWN;
	if (bytes[1] == '[' && bytes[2] == '[')
		return sequence.final >= 'A' && sequence.final <= 'E'
			       ? UI_KEY_F1 + sequence.final - 'A'
			       : UI_KEY_UNKNOWN;
	if (sequence.final != '~')
		return letter_key(sequence.final);
	if (numbers[0] != 200 && numbers[0] != 201)
		return number_key(numbers[0]);
	keys->is_pasting = numbers[0] == 200;
	return SWALLOWED;
}

/* No sequence is that long, but its end must be found all the same: go on with an empty one that
 * means nothing. */
static void shorten_sequence(struct keys *keys)
{
	static const unsigned char empty[] = { ESC, '[', '?' };

	memcpy(keys->bytes, empty, sizeof(empty));
	keys->count = sizeof(empty);
}

static int next_escape(struct keys *keys)
{
	unsigned char bytes[KEYS_BUFFER_BYTES];
	size_t count;

	if (keys->count == 1)
		return UI_KEY_NONE;
	if (keys->bytes[1] == UI_KEY_TAB && !keys->is_pasting) {	/* the linux console's */
		drop_bytes(keys, 2);
		return UI_KEY_BACKTAB;
	}
	if (keys->bytes[1] != '[' && keys->bytes[1] != 'O') {
		drop_bytes(keys, 1);
		return UI_KEY_ESCAPE;
	}
	count = sequence_bytes(keys->bytes, keys->count);
	if (count == 0) {
		if (keys_room(keys) == 0)
			shorten_sequence(keys);
		return UI_KEY_NONE;
	}
	memcpy(bytes, keys->bytes, count);
	drop_bytes(keys, count);
	return sequence_key(keys, bytes, count);
}

static int next_character(struct keys *keys)
{
	const size_t wanted = utf8_sequence_bytes(keys->bytes[0]);
	const size_t count = wanted < keys->count ? wanted : keys->count;
	char text[UTF8_MAX_BYTES + 1] = "";
	size_t at = 1, used;
	uint32_t code;

	memcpy(text, keys->bytes, count);
	while (at < count && (keys->bytes[at] & 0xc0) == 0x80)
		at++;
	if (at == keys->count && at < wanted)	/* right so far */
		return UI_KEY_NONE;
	used = utf8_decode(text, &code);
	drop_bytes(keys, used ? used : 1);
	return code == UTF8_REPLACEMENT ? UI_KEY_UNKNOWN : (int)code;
}

static int next_whole(struct keys *keys)
{
	int key = UI_KEY_CTRL_SPACE;

	if (keys->count == 0)
		return UI_KEY_NONE;
	keys->is_pasted = keys->is_pasting;
	if (!keys->bytes[0])
		drop_bytes(keys, 1);
	else
		key = keys->bytes[0] == ESC ? next_escape(keys) : next_character(keys);
	if (key == UI_KEY_NONE || key == SWALLOWED)
		return key;
	if (keys->is_pasted)
		return key < ' ' || key == UI_KEY_BACKSPACE || key >= UI_KEY_SPECIAL ? SWALLOWED
										     : key;
	if (key == '\n')
		return UI_KEY_ENTER;
	return key == '\b' ? UI_KEY_BACKSPACE : key;
}

int keys_next(struct keys *keys)
{
	int key;

	do
		key = next_whole(keys);
	while (key == SWALLOWED);
	if (key != UI_KEY_NONE && (key != UI_KEY_MOUSE || (keys->mouse.action != MOUSE_PRESS &&
							   keys->mouse.action != MOUSE_RELEASE)))
		keys->pressed_ns = 0;
	return key;
}

bool keys_is_waiting(const struct keys *keys)
{
	return keys->count > 0 || keys->is_pasting;
}

unsigned int keys_wait_ms(const struct keys *keys)
{
	if (!keys_is_waiting(keys))
		return 0;
	return keys->count == 1 && keys->bytes[0] == ESC && !keys->is_pasting ? KEYS_ESCAPE_MS
									      : KEYS_SEQUENCE_MS;
}

int keys_expire(struct keys *keys)
{
	const bool is_escape = keys_wait_ms(keys) == KEYS_ESCAPE_MS;

	keys->count = 0;
	keys->is_pasting = keys->is_pasted = false;
	return is_escape ? UI_KEY_ESCAPE : UI_KEY_NONE;
}

char *keys_format(int key, char *out)
{
	static const char *const special[] = {
		"Up",	"Down", "Left",	     "Right",  "PgUp", "PgDn",
		"Home", "End",	"Shift-Tab", "Delete", "Insert",
		"Ctrl-Space",
	};

	if (key >= UI_KEY_SPECIAL && key < UI_KEY_F1)
		snprintf(out, KEYS_NAME_BYTES, "%s", special[key - UI_KEY_SPECIAL]);
	else if (key >= UI_KEY_F1 && key <= UI_KEY_F12)
		snprintf(out, KEYS_NAME_BYTES, "F%d", key - UI_KEY_F1 + 1);
	else if (key > UI_KEY_F12)
		snprintf(out, KEYS_NAME_BYTES, "%s", key == UI_KEY_MOUSE ? "Mouse" : "?");
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
