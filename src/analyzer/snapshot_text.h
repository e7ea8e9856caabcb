/* snapshot_text.h - collects the text of a snapshot: sanitized copies one after the other, known by
 * their offsets, as the block may still move.
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

/* Adds a sanitized copy of @text (may be NULL) and returns its offset; 0, which is "", without
 * memory. */
size_t snapshot_text_put(struct snapshot_text *block, const char *text);
/* Like snapshot_text_put(), but newlines are kept. */
size_t snapshot_text_put_lines(struct snapshot_text *block, const char *lines);
/* Like snapshot_text_put(), once per string: thousands of rows share few comms and DSOs. */
size_t snapshot_text_put_string(struct snapshot_text *block, const struct strpool *strings,
				struct str_id id);

#endif
