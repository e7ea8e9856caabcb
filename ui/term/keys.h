/* keys.h - decodes bytes from the terminal into keys.
 *
 * Use:    keys_feed() the bytes of read(2), keys_next() until UI_KEY_NONE. While keys_is_waiting(),
 *         call keys_expire() when keys_wait_ms() have passed without another byte.
 * Keys:   a code point for characters, 1..31 for Ctrl-A.., enum ui_key for the rest. Shift, Alt and
 *         Ctrl with a special key or the mouse are ignored.
 * Paste:  inside a bracketed paste only characters are keys, with is_pasted set: text for a prompt,
 *         never a command.
 * Source: ECMA-48 5.4 (control sequences); ctlseqs of xterm; console_codes(4).
 * Thread: the owner's. Never blocks.
 */
#ifndef UI_KEYS_H
#define UI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ui_key {
	UI_KEY_NONE = 0,
	UI_KEY_TAB = 9,
	UI_KEY_ENTER = 13,
	UI_KEY_ESCAPE = 27,
	UI_KEY_BACKSPACE = 127,
	UI_KEY_SPECIAL = 0x110000,	/* above every code point */
	UI_KEY_UP = UI_KEY_SPECIAL,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_PAGE_UP,
	UI_KEY_PAGE_DOWN,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_BACKTAB,
	UI_KEY_DELETE,
	UI_KEY_INSERT,
	UI_KEY_CTRL_SPACE,	/* the byte 0 */
	UI_KEY_F1, UI_KEY_F2, UI_KEY_F3, UI_KEY_F4, UI_KEY_F5, UI_KEY_F6, UI_KEY_F7, UI_KEY_F8,
	UI_KEY_F9, UI_KEY_F10, UI_KEY_F11, UI_KEY_F12,
	UI_KEY_MOUSE,		/* the event is in keys.mouse until the next keys_next() */
	UI_KEY_UNKNOWN,		/* a well-formed sequence that means nothing here */
};

#define UI_KEY_CTRL(letter) ((letter) & 0x1f)

/* How long the rest of an escape sequence may take. A lone Esc is recognised only after this, and
 * must act within 50 ms on a busy machine; bytes delayed by a slow line follow in a few ms. */
#define KEYS_ESCAPE_MS 25
/* How long the rest of anything else may take. No one types these bytes, so the delay is not felt,
 * and half a mouse report must not act as the digits it consists of. */
#define KEYS_SEQUENCE_MS 500

#define KEYS_BUFFER_BYTES 256
#define KEYS_NAME_BYTES	  16

enum mouse_action {
	MOUSE_PRESS,		/* left button */
	MOUSE_DOUBLE,		/* second press of the left button in the same cell within
				 * KEYS_DOUBLE_MS, with only the release between them */
	MOUSE_MENU,		/* right button */
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
	MOUSE_DRAG,		/* moved to another cell with the left button held */
	MOUSE_RELEASE,
};

#define KEYS_DOUBLE_MS 400

struct mouse {
	enum mouse_action action;
	int x, y;		/* cell, from 0 */
};

/* All zero at first. */
struct keys {
	struct mouse mouse;
	bool is_pasted;		/* the last key of keys_next() was pasted */
	bool is_pasting;	/* inside a bracketed paste */
	struct mouse pressed;	/* last press, which another press may make a double click */
	uint64_t pressed_ns;	/* time of that press; 0: none */
	uint64_t fed_ns;	/* time of the last keys_feed() */
	unsigned char bytes[KEYS_BUFFER_BYTES];
	size_t count;
};

/* Takes as many of @bytes[0..@count) as there is room for, read at @now_ns (base/clock.h); returns
 * how many. */
size_t keys_feed(struct keys *keys, const unsigned char *bytes, size_t count, uint64_t now_ns);

/* Returns how many bytes keys_feed() has room for. */
size_t keys_room(const struct keys *keys);

/* Returns the next whole key, or UI_KEY_NONE if there is none yet. */
int keys_next(struct keys *keys);

/* True if part of a key or of a paste has arrived. */
bool keys_is_waiting(const struct keys *keys);
/* Returns how long the rest may take after the last keys_feed(); 0: nothing is incomplete. */
unsigned int keys_wait_ms(const struct keys *keys);

/* Ends the wait for more bytes: Esc alone is the key Esc, half a sequence is dropped, a paste ends.
 * Returns the key. */
int keys_expire(struct keys *keys);

/* Formats a key's name ("Up", "Space", "Ctrl-L", "\") into @out[KEYS_NAME_BYTES]; returns @out. */
char *keys_format(int key, char *out);

#endif
