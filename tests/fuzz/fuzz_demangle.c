/* fuzz_demangle.c - a name, whatever it is, is demangled into a text of limited length or stays. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
const char *__asan_default_options(void);

/* What the library holds when it is left in the middle goes with the worker. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* The first byte chooses a language: don't spend the time on guessing prefixes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static const char *const prefixes[] = { "_ZN", "_Z", "_R", "_D", "" };
	const char *prefix = prefixes[count ? bytes[0] % 5 : 4];
	const size_t skipped = count ? 1 : 0;
	char *name = malloc(strlen(prefix) + count + 1);
	char *text = malloc(DEMANGLE_TEXT_MAX + 1);	/* its end is guarded */

	strcpy(name, prefix);
	memcpy(name + strlen(prefix), bytes + skipped, count - skipped);
	name[strlen(prefix) + count - skipped] = '\0';
	if (demangle_name(name, text) != (text[0] != '\0') || strlen(text) > DEMANGLE_TEXT_MAX)
		abort();
	free(name);
	free(text);
	return 0;
}
