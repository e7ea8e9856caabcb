/* fuzz_line_chains.c - chains that pass the check can be read through without harm. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its magic is right: don't spend the time on guessing it. */
static void set_magic(void *reply, size_t count)
{
	const uint64_t magic = LINE_CHAINS_MAGIC;

	if (count >= sizeof(magic))
		memcpy(reply, &magic, sizeof(magic));
}

static void read_frame(const struct line_chains *chains, const struct line_frame *frame,
		       size_t count)
{
	if (strlen(line_chains_text(chains, frame->file)) > count ||
	    strlen(line_chains_text(chains, frame->function)) > count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const uint32_t asked = count ? bytes[count - 1] % 8 : 0;
	struct line_chains chains;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_magic(copy, count);
	if (!line_chains_check(&chains, copy, count, asked, NULL))
		for (uint32_t i = 0; i < chains.first[asked]; i++)
			read_frame(&chains, &chains.frames[i], count);
	free(copy);
	return 0;
}
