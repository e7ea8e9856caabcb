/* fuzz_name_list.c - a list of names that passes the check can be gone through without harm. */
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

#define TEXT_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const uint32_t texts = count ? bytes[0] % 32 : 0;
	const size_t list_bytes = count ? count - 1 : 0;
	char *list = malloc(list_bytes ? list_bytes : 1);	/* its end is guarded */
	const char *text = list;

	if (list_bytes)
		memcpy(list, bytes + 1, list_bytes);
	if (!name_list_check(list, list_bytes, texts, TEXT_MAX, NULL))
		for (uint32_t i = 0; i < texts; i++, text = name_list_next(text))
			if (strlen(text) > TEXT_MAX)
				abort();
	free(list);
	return 0;
}
