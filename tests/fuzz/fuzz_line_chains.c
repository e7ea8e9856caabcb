/* fuzz_line_chains.c - chains that pass the check can be read through without harm. */
#include <stdlib.h>
#include <string.h>

#include "symbols/line_chains.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its magic is right: don't spend the time on guessing it. */
static void set_magic(void *answer, size_t count)
{
	const uint64_t magic = LINE_CHAINS_MAGIC;

	if (count >= sizeof(magic))
		memcpy(answer, &magic, sizeof(magic));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const uint32_t asked = count ? bytes[count - 1] % 8 : 0;
	struct line_chains chains;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_magic(copy, count);
	if (!line_chains_check(&chains, copy, count, asked, NULL)) {
		for (uint32_t i = 0; i < asked; i++)
			for (uint32_t f = chains.first[i]; f < chains.first[i + 1]; f++)
				if (strlen(line_chains_text(&chains, chains.frames[f].file)) > count ||
				    strlen(line_chains_text(&chains, chains.frames[f].function)) > count)
					abort();
	}
	free(copy);
	return 0;
}
