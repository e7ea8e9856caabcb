/* fuzz_code_rows.c - rows that pass the check fill their ranges and can be read without harm. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/code_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its first words are right: don't spend the time on guessing
 * them. */
static void set_header(void *reply, size_t count)
{
	struct code_header header;

	if (count < sizeof(header))
		return;
	memcpy(&header, reply, sizeof(header));
	header.magic = CODE_ROWS_MAGIC;
	header.version = CODE_ROWS_VERSION;
	memcpy(reply, &header, sizeof(header));
}

static void read_rows(const struct code_rows *rows, const struct code_query *query)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < rows->header->row_count; i++) {
		if (strlen(code_rows_text(rows, &rows->rows[i])) >= CODE_TEXT_BYTES)
			abort();
		bytes += rows->rows[i].length;
	}
	if (bytes != query->ranges[0].bytes + query->ranges[1].bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct code_query query = { .range_count = 2 };
	struct code_rows rows;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_header(copy, count);
	query.machine = count ? bytes[count - 1] % 4u : 0;
	query.ranges[0] = (struct code_range){ 0x1000, 0, 8 };
	query.ranges[1] = (struct code_range){ 0x4000, 8, 4 };
	if (!code_rows_check(&rows, copy, count, &query, NULL))
		read_rows(&rows, &query);
	free(copy);
	return 0;
}
