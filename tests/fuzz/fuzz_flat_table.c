/* fuzz_flat_table.c - a table that passes the check can be looked up anywhere without harm. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/flat_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its magic is right: don't spend the time on guessing it. */
static void set_magic(void *table, size_t count)
{
	const uint64_t magic = FLAT_TABLE_MAGIC;

	if (count >= sizeof(magic))
		memcpy(table, &magic, sizeof(magic));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct flat_table table;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_magic(copy, count);
	if (!flat_table_check(&table, copy, count, NULL)) {
		for (uint32_t row = 0; row < table.header->row_count; row++) {
			uint64_t start = table.rows[row].start;
			const char *dso = flat_table_dso_name(&table, row);

			flat_table_find(&table, start);
			flat_table_find(&table, start + table.rows[row].size);
			if (strlen(flat_table_name(&table, row)) > count ||
			    (dso && strlen(dso) > count))
				abort();
		}
	}
	free(copy);
	return 0;
}
