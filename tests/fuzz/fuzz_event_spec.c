/* fuzz_event_spec.c - any text as a list of events: refused with a sentence, or events with a
 * name. Reads this machine's sysfs and tracefs, as the program does. */
#include <stdlib.h>
#include <string.h>

#include "capture/event_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct event_spec *specs = NULL;
	struct diag why = { .err = 0 };
	size_t spec_count = 0;
	char *text = malloc(count + 1);
	int err;

	memcpy(text, bytes, count);
	text[count] = '\0';
	err = event_spec_parse_list(text, &specs, &spec_count, &why);
	if (err > 0 || (err && (why.err != err || !why.text[0])) || (!err && !spec_count))
		abort();
	for (size_t i = 0; i < spec_count; i++)
		if (!memchr(specs[i].name, '\0', EVENT_NAME_BYTES) || !specs[i].name[0])
			abort();
	free(specs);
	free(text);
	return 0;
}
