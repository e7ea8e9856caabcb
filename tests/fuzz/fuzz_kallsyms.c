/* fuzz_kallsyms.c - any text as the kernel's list of names, as it is and from another boot: each
 * row of the table is found by its own address, with a name out of the text. */
#include <stdlib.h>
#include <string.h>

#include "symbols/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void parse(const char *text, size_t count, uint64_t slide)
{
	struct kallsyms kallsyms;
	struct flat_table table;
	const int err = kallsyms_parse(&kallsyms, text, count, slide, NULL);

	if (err > 0)
		abort();
	if (!err && flat_table_check(&table, kallsyms.bytes,
				     flat_table_bytes(&kallsyms.table), NULL))
		abort();
	for (uint32_t i = 0; !err && i < table.header->row_count; i++)
		if (strlen(flat_table_name(&table, i)) > count)
			abort();
	kallsyms_finish(&kallsyms);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	char *text = malloc(count + 1);	/* its end is guarded */

	memcpy(text, bytes, count);
	parse(text, count, 0);
	parse(text, count, 0x200000);
	free(text);
	return 0;
}
