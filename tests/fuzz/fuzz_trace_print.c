/* fuzz_trace_print.c - any bytes as a format and its record, separated by the first NUL: a text, or
 * none. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/sandbox_protocol.h"
#include "sandbox/trace_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const struct trace_query_header header = { .events = 1, .records = 1 };
	struct trace_query query = { .used = 0 };
	char *format = strndup((const char *)bytes, count);
	const size_t begin = format ? strlen(format) : 0;
	const uint32_t left = count - begin < TRACE_RECORD_BYTES_MAX ? (uint32_t)(count - begin)
								     : TRACE_RECORD_BYTES_MAX;
	struct diag why = { .err = 0 };
	void *reply = NULL;
	size_t reply_bytes = 0;
	int fd;

	if (!format)
		abort();
	trace_query_begin(&query, &header);
	trace_query_add_event(&query, "group", format, 8);
	trace_query_add_record(&query, &(struct trace_query_record){ .bytes = left });
	trace_query_end_record(&query, bytes + begin, left);
	fd = sandbox_seal("query", query.bytes, query.used);
	if (fd < 0 || trace_texts_print(fd, &reply, &reply_bytes, &why) ||
	    trace_texts_check(reply, reply_bytes, 1, &why))
		abort();
	close(fd);
	free(reply);
	free(format);
	trace_query_finish(&query);
	return 0;
}
