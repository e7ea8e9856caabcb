/* fuzz_trace_texts.c - a reply with texts of tracepoints that passes the check can be gone through
 * without harm. What the worker makes of formats is not fuzzed: libtraceevent 1.7 crashes on some,
 * which costs the event its texts (tests/oracle/check_script). */
#include <stdlib.h>
#include <string.h>

#include "sandbox/trace_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const uint32_t records = count ? bytes[0] % 32 : 0;
	const size_t reply_bytes = count ? count - 1 : 0;
	char *reply = malloc(reply_bytes ? reply_bytes : 1);	/* its end is guarded */
	const char *text = reply;

	if (reply_bytes)
		memcpy(reply, bytes + 1, reply_bytes);
	if (!trace_texts_check(reply, reply_bytes, records, NULL))
		for (uint32_t i = 0; i < records; i++, text = trace_texts_next(text))
			if (strlen(text) > TRACE_TEXT_MAX || !text[0])
				abort();
	free(reply);
	return 0;
}
