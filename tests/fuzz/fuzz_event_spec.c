/* fuzz_event_spec.c - any text as a list of events: refused with a sentence, or events with a
 * name. Reads this machine's sysfs and tracefs, as the program does. */
#include <stdlib.h>
#include <string.h>

#include "capture/event_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct event_spec_list list = { .count = 0 };
	struct diag why = { .err = 0 };
	char *text = malloc(count + 1);
	int err;

	memcpy(text, bytes, count);
	text[count] = '\0';
	err = event_spec_parse_list(text, &list, &why);
	if (err > 0 || (err && (why.err != err || !why.text[0])) ||
	    (!err && !list.count && !list.absent_count))
		abort();
	for (size_t i = 0; i < list.count; i++)
		if (!memchr(list.specs[i].name, '\0', EVENT_NAME_BYTES) || !list.specs[i].name[0])
			abort();
	event_spec_list_finish(&list);
	free(text);
	return 0;
}
