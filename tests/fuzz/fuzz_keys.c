/* fuzz_keys.c - input in one piece and byte by byte is the same keys; no bytes fill the buffer for
 * ever, and after a letter nothing waits but a paste. */
#include <stdlib.h>
#include <string.h>

#include "term/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

struct pressed {
	int key;
	bool is_pasted;
	struct mouse mouse;
};

static size_t drain(struct keys *keys, struct pressed *out)
{
	size_t count = 0;
	int key;

	while ((key = keys_next(keys)) != UI_KEY_NONE) {
		out[count] = (struct pressed){ .key = key, .is_pasted = keys->is_pasted };
		if (key == UI_KEY_MOUSE)
			out[count].mouse = keys->mouse;
		count++;
	}
	if (keys_room(keys) == 0)
		abort();
	return count;
}

static size_t press(const uint8_t *bytes, size_t count, size_t step, struct pressed *out)
{
	static const unsigned char letters[] = "zzzz";	/* a mouse report takes three of them */
	struct keys keys = { .count = 0 };
	size_t pressed = 0;

	for (size_t at = 0; at < count;) {
		const size_t piece = count - at < step ? count - at : step;

		at += keys_feed(&keys, bytes + at, piece, 1);
		pressed += drain(&keys, out + pressed);
	}
	keys_feed(&keys, letters, sizeof(letters) - 1, 1);
	pressed += drain(&keys, out + pressed);
	if (keys.count)
		abort();
	return pressed;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const size_t room = count + 4;	/* a key has at least one byte */
	struct pressed *whole = calloc(room, sizeof(*whole));
	struct pressed *single = calloc(room, sizeof(*single));
	const size_t pressed = press(bytes, count, KEYS_BUFFER_BYTES, whole);

	if (press(bytes, count, 1, single) != pressed)
		abort();
	for (size_t i = 0; i < pressed; i++)
		if (whole[i].key != single[i].key || whole[i].is_pasted != single[i].is_pasted ||
		    whole[i].mouse.action != single[i].mouse.action ||
		    whole[i].mouse.x != single[i].mouse.x || whole[i].mouse.y != single[i].mouse.y)
			abort();
	free(whole);
	free(single);
	return 0;
}
