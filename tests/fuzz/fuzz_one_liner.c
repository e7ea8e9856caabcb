/* fuzz_one_liner.c - any text as a one-liner: a translation is one line that fits a spec, the same
 * each time, and a spec; a refusal has a sentence. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "finder/one_liner.h"
#include "probe/probe_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_spec(const char *text)
{
	static struct probe_spec spec;

	if (!text[0] || strlen(text) >= PROBE_SPEC_BYTES)
		abort();
	for (const char *byte = text; *byte; byte++)
		if (iscntrl((unsigned char)*byte))
			abort();
	if (probe_spec_parse(&spec, text, NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static struct one_liner made, again;
	struct diag why = { .text = "" };
	char *text = malloc(count + 1);
	int err;

	if (!text)
		return 0;
	memcpy(text, bytes, count);
	text[count] = '\0';
	(void)one_liner_is(text);
	err = one_liner_translate(&made, text, &why);
	if (err != one_liner_translate(&again, text, NULL) ||
	    memcmp(&made, &again, sizeof(made)) != 0 || (err && !why.text[0]) ||
	    (!err && (!made.count || made.count > ONE_LINER_SPECS_MAX)))
		abort();
	for (uint32_t i = 0; i < made.count; i++)
		check_spec(made.specs[i]);
	free(text);
	return 0;
}
