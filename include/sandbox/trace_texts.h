/* trace_texts.h - what tracepoints wrote, as text, by the print formats of their format files; in a
 * worker, because formats and bytes of a recording are anybody's.
 *
 *   query  | header | event | format, group ... | record | symbols | bytes ... |   each padded to 8
 *   reply  | mark, text, NUL | mark, text, NUL | ...         a text per record, not sanitized
 *
 * Use:    main builds a query, runs a SANDBOX_TRACES job with it, and checks the reply.
 * Source: Documentation/trace/events.rst, "Event formats"; libtraceevent(3).
 * Thread: any; a query belongs to one thread.
 */
#ifndef SANDBOX_TRACE_TEXTS_H
#define SANDBOX_TRACE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define TRACE_TEXT_MAX	  4096	/* bytes of a text, terminator included; the rest is cut off */
#define TRACE_RECORDS_MAX 4096	/* records in a query */
#define TRACE_EVENTS_MAX  2048
#define TRACE_RECORD_BYTES_MAX 65536

enum trace_mark { TRACE_PRINTED = '+', TRACE_NOT_PRINTED = '-' };	/* '-': the text is empty */

struct trace_query_header {
	uint32_t events, records;
};

struct trace_query_event {
	uint32_t long_bytes;	/* 4 or 8 */
	uint32_t format_bytes, group_bytes;	/* terminators included */
	uint32_t padding;
};

struct trace_query_record {
	uint32_t event;		/* which one of the query */
	uint32_t bytes, symbols;
	uint32_t cpu;
};

/* Name of an address that the record's fields hold. */
struct trace_query_symbol {
	uint64_t address, start;
	uint32_t name_bytes;	/* terminator included */
	uint32_t padding;
};

/* A query under construction. A zeroed one is empty. */
struct trace_query {
	unsigned char *bytes;	/* owned */
	size_t used, room;
	bool is_out_of_memory;
};

void trace_query_finish(struct trace_query *query);	/* leaves it zeroed */
/* Begins a query; then trace_query_add_event() @header->events times, and for each record
 * trace_query_add_record() and its symbols. */
void trace_query_begin(struct trace_query *query, const struct trace_query_header *header);
void trace_query_add_event(struct trace_query *query, const char *group, const char *format,
			   uint32_t long_bytes);
/* @record->bytes is the size of @bytes. @record->symbols calls of trace_query_add_symbol() must
 * come before trace_query_end_record(), which adds the bytes. */
void trace_query_add_record(struct trace_query *query, const struct trace_query_record *record);
void trace_query_add_symbol(struct trace_query *query, uint64_t address, uint64_t start,
			    const char *name);
void trace_query_end_record(struct trace_query *query, const void *bytes, uint32_t count);

/* Worker side. Reads the query behind @fd; *@bytes is malloc'd for the caller. 0; -EBADMSG;
 * -E2BIG; -ENOMEM. */
int trace_texts_print(int fd, void **bytes, size_t *count, struct diag *why);

/* Checks that @bytes are @records texts with marks, each at most TRACE_TEXT_MAX long. Returns 0 or
 * -EBADMSG. */
int trace_texts_check(const void *bytes, size_t count, uint32_t records, struct diag *why);
/* Returns the text after @text. Each points to its mark. */
const char *trace_texts_next(const char *text);

#endif
