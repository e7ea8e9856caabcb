/* fuzz_maps.c - any text as /proc/PID/maps, and as /proc/PID/stat: rows are ranges with a
 * terminated path, and no row comes from nothing. */
#include <stdlib.h>
#include <string.h>

#include "proc/process_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static char *copy_text(const uint8_t *bytes, size_t count)
{
	char *text = malloc(count + 1);	/* its end is guarded */

	memcpy(text, bytes, count);
	text[count] = '\0';
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct process_reply reply = { .pid = 1 };
	struct process_stat stat;
	char *text = copy_text(bytes, count);
	size_t path_bytes = 0;

	if (process_stat_parse(&stat, text) && strlen(stat.comm) >= sizeof(stat.comm))
		abort();
	process_stat_join_arguments(text, count);
	if (strlen(text) > count)
		abort();
	free(text);
	if (process_reply_parse_maps(&reply, copy_text(bytes, count), count))
		abort();
	for (uint32_t i = 0; i < reply.row_count; i++) {
		path_bytes += strlen(reply.rows[i].path);
		if (reply.rows[i].start >= reply.rows[i].end)
			abort();
	}
	if (path_bytes > count)
		abort();
	process_reply_finish(&reply);
	return 0;
}
