/* snapshot_text.c - see snapshot_text.h. */
#include "snapshot_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"

void snapshot_text_finish(struct snapshot_text *block)
{
	free(block->bytes);
	id_map_finish(&block->of_string);
	id_map_finish(&block->of_process);
	id_map_finish(&block->of_object);
	memset(block, 0, sizeof(*block));
}

/* Room for @room more bytes. */
static bool reserve(struct snapshot_text *block, size_t room)
{
	const size_t capacity = (block->capacity + room) * 2;
	char *bigger;

	if (block->capacity - block->used >= room)
		return true;
	bigger = realloc(block->bytes, capacity);
	block->is_out_of_memory |= !bigger;
	if (!bigger)
		return false;
	block->bytes = bigger;
	block->capacity = capacity;
	return true;
}

size_t snapshot_text_put(struct snapshot_text *block, const char *text)
{
	const size_t room = text ? 12 * strlen(text) + 1 : 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = block->used;

	if (!reserve(block, room))
		return 0;
	block->used += 1 + (text ? sanitize_text(block->bytes + at, room, text, strlen(text)) : 0);
	block->bytes[block->used - 1] = '\0';
	return at;
}

/* Adds a copy of text that is sanitized already. */
static size_t put_clean(struct snapshot_text *block, const char *text)
{
	const size_t room = strlen(text) + 1, at = block->used;

	if (!reserve(block, room))
		return 0;
	memcpy(block->bytes + at, text, room);
	block->used += room;
	return at;
}

size_t snapshot_text_put_lines(struct snapshot_text *block, const char *lines)
{
	char line[1024];
	size_t at = snapshot_text_put(block, "");

	for (size_t len; lines && *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		if (block->is_out_of_memory)
			return 0;
		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		block->bytes[block->used - 1] = '\n';	/* in place of the terminator before */
		snapshot_text_put(block, line);
	}
	return at + (block->bytes && block->bytes[at] == '\n');
}

size_t snapshot_text_put_string(struct snapshot_text *block, const struct strpool *strings,
			 struct str_id id)
{
	uint32_t at = id_map_get(&block->of_string, id.v);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_clean(block, strpool_get(strings, id));
	id_map_put(&block->of_string, id.v, at);
	return at;
}
