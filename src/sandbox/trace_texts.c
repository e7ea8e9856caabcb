/* trace_texts.c - see sandbox/trace_texts.h: the query, and the check of the reply. */
#include "sandbox/trace_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void trace_query_finish(struct trace_query *query)
{
	free(query->bytes);
	memset(query, 0, sizeof(*query));
}

/* Appends @count bytes, and zeros up to a multiple of 8. */
static void append(struct trace_query *query, const void *bytes, size_t count)
{
	const size_t padded = (count + 7) / 8 * 8;
	size_t room = query->room ? query->room : 65536;
	unsigned char *bigger;

	while (room - query->used < padded)
		room *= 2;
	if (room > query->room && !query->is_out_of_memory) {
		bigger = realloc(query->bytes, room);
		query->is_out_of_memory = !bigger;
		if (bigger) {
			query->bytes = bigger;
			query->room = room;
		}
	}
	if (query->is_out_of_memory)
		return;
	memset(query->bytes + query->used, 0, padded);
	if (count)
		memcpy(query->bytes + query->used, bytes, count);
	query->used += padded;
}

void trace_query_begin(struct trace_query *query, const struct trace_query_header *header)
{
	query->used = 0;
	append(query, header, sizeof(*header));
}

void trace_query_add_event(struct trace_query *query, const char *group, const char *format,
			   uint32_t long_bytes)
{
	const struct trace_query_event event = {
		.long_bytes = long_bytes, .format_bytes = (uint32_t)strlen(format) + 1,
		.group_bytes = (uint32_t)strlen(group) + 1,
	};

	append(query, &event, sizeof(event));
	append(query, format, event.format_bytes);
	append(query, group, event.group_bytes);
}

void trace_query_add_record(struct trace_query *query, const struct trace_query_record *record)
{
	append(query, record, sizeof(*record));
}

void trace_query_add_symbol(struct trace_query *query, uint64_t address, uint64_t start,
			    const char *name)
{
	const struct trace_query_symbol symbol = {
		.address = address, .start = start, .name_bytes = (uint32_t)strlen(name) + 1,
	};

	append(query, &symbol, sizeof(symbol));
	append(query, name, symbol.name_bytes);
}

void trace_query_end_record(struct trace_query *query, const void *bytes, uint32_t count)
{
	append(query, bytes, count);
}

int trace_texts_check(const void *bytes, size_t count, uint32_t records, struct diag *why)
{
	const char *text = bytes, *end = text + count;

	for (uint32_t i = 0; i < records; i++) {
		const size_t left = (size_t)(end - text);
		const size_t length = strnlen(text, left);

		if (length == left)
			return diag_set(why, -EBADMSG, "%u texts where %u were asked for", i,
					records);
		if (length > TRACE_TEXT_MAX || !length ||
		    (*text != TRACE_PRINTED && *text != TRACE_NOT_PRINTED))
			return diag_set(why, -EBADMSG, "a text of %zu bytes, or without mark",
					length);
		text += length + 1;
	}
	if (text != end)
		return diag_set(why, -EBADMSG, "more than the %u texts asked for", records);
	return 0;
}

const char *trace_texts_next(const char *text)
{
	return text + strlen(text) + 1;
}
