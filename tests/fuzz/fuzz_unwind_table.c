/* fuzz_unwind_table.c - a table that passes the check can be looked up anywhere without harm, and
 * each of its rows is found from its start to the next one's. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its magic, version and sizes are right: don't spend the time on
 * guessing them. An odd first byte of the count leaves it as it is. */
static void set_header(void *bytes, size_t count)
{
	struct unwind_header *header = bytes;

	if (count < sizeof(*header))
		return;
	header->magic = UNWIND_TABLE_MAGIC;
	header->version = UNWIND_TABLE_VERSION;
	if (header->row_count % 2 == 0)
		header->row_count = (uint32_t)((count - sizeof(*header)) /
					       sizeof(struct unwind_row));
}

static void look_up(const struct unwind_table *table)
{
	const struct unwind_row *rows = table->rows;

	for (uint32_t i = 0; i < table->header->row_count; i++) {
		if (unwind_table_find(table, rows[i].start) != &rows[i])
			abort();
		if (i && unwind_table_find(table, rows[i].start - 1u) != &rows[i - 1])
			abort();
	}
	if (unwind_table_find(table, UINT64_MAX)->kind != UNWIND_GAP)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct unwind_table table;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_header(copy, count);
	if (!unwind_table_check(&table, copy, count, NULL)) {
		if (unwind_table_bytes(&table) != count)
			abort();
		look_up(&table);
	}
	free(copy);
	return 0;
}
