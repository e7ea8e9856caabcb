/* snapshot_text.h - the text of a snapshot while it is collected: clean copies one behind another,
 * known by their offsets, because the block still moves.
 *
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SNAPSHOT_TEXT_H
#define ANALYZER_SNAPSHOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id_map.h"
#include "base/strpool.h"

struct snapshot_text {		/* zeroed: empty; its first text must be "" */
	char *bytes;
	size_t used, capacity;
	struct id_map of_string;	/* str id -> offset */
	struct id_map of_process;	/* pid -> offset of its command line */
	struct id_map of_object;	/* object -> offset of its build-id */
	bool is_out_of_memory;
};

void snapshot_text_finish(struct snapshot_text *block);

/* Offset of a copy of the clean form of @text, which may be NULL; without memory 0, that is "". */
size_t snapshot_text_put(struct snapshot_text *block, const char *text);
/* The same for lines: their newlines stay. */
size_t snapshot_text_put_lines(struct snapshot_text *block, const char *lines);
/* The same, once for each string: thousands of rows share few comms and objects. */
size_t snapshot_text_put_string(struct snapshot_text *block, const struct strpool *strings,
				struct str_id id);

#endif
