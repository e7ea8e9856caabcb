/* flat_table.c - checks the bytes of a symbol table once, then looks up in them.
 *
 * Problem: the bytes come from a process that parsed an untrusted file and may be controlled by it.
 * Look-ups happen a million times a second and cannot check anything.
 *
 * Idea: everything that a look-up relies on is a property of the bytes, checked on arrival. Rows
 * may nest and overlap, so the row before an address need not be the one that contains it, and the
 * one that does may lie any number of rows before. `outer` makes that a walk over candidates only:
 * rows between a row and its `outer` end no later than the row itself, so an address after the
 * row's end is after theirs, too.
 *
 *   row 0  |---------------------------|     outer NONE
 *   row 1     |-----|                        outer 0
 *   row 2              |----|                outer 0     @ : row 2 ends before it, row 0 does not
 *                              @
 *
 * Rejected: looking back a fixed number of rows (an outer symbol may hold thousands of inner ones);
 * cutting rows into disjoint pieces (a symbol must stay one row: rows are what is counted).
 */
#include "sandbox/flat_table.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define OUTER_STEPS_MAX 64	/* a hostile file can nest millions of rows */

static uint64_t row_end(const struct flat_row *row)
{
	return row->start + row->size;
}

uint32_t flat_table_outer(const struct flat_row *rows, uint32_t index)
{
	uint32_t outer = index ? index - 1 : FLAT_NONE;

	/* Called for all rows in order, this skips each row at most once: linear time in total. */
	while (outer != FLAT_NONE && row_end(&rows[outer]) <= row_end(&rows[index]))
		outer = rows[outer].outer;
	return outer;
}

static int check_header(const struct flat_header *header, size_t bytes_count, struct diag *why)
{
	uint64_t rows_bytes;

	if (bytes_count < sizeof(*header) || header->magic != FLAT_TABLE_MAGIC)
		return diag_set(why, -EBADMSG, "symbol table without its header");
	if (header->version != FLAT_TABLE_VERSION)
		return diag_set(why, -EBADMSG, "symbol table of version %u, expected %u",
				header->version, FLAT_TABLE_VERSION);
	rows_bytes = (uint64_t)header->row_count * sizeof(struct flat_row); /* < 2^37 */
	if (header->row_count == FLAT_NONE || header->string_bytes == 0 ||
	    header->string_bytes > bytes_count ||
	    sizeof(*header) + rows_bytes != bytes_count - header->string_bytes)
		return diag_set(why, -EBADMSG, "symbol table of %zu bytes does not hold its rows",
				bytes_count);
	if (!memchr(header->debug_link, '\0', sizeof(header->debug_link)))
		return diag_set(why, -EBADMSG, "symbol table whose debug link does not end");
	if (header->build_id.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EBADMSG, "symbol table with a build-id of %u bytes",
				header->build_id.count);
	return 0;
}

static int check_row(const struct flat_table *table, uint32_t index, struct diag *why)
{
	const struct flat_row *row = &table->rows[index];
	const uint64_t string_bytes = table->header->string_bytes;

	if (row->size == 0 || row->size > UINT64_MAX - row->start)
		return diag_set(why, -EBADMSG, "symbol table row %u has a bad size", index);
	if (index && row->start <= row[-1].start)
		return diag_set(why, -EBADMSG, "symbol table row %u is not in order", index);
	if (row->name >= string_bytes ||
	    (row->dso_name != FLAT_NONE && row->dso_name >= string_bytes))
		return diag_set(why, -EBADMSG, "symbol table row %u has a name outside the table",
				index);
	if (row->kind >= FLAT_KINDS)
		return diag_set(why, -EBADMSG, "symbol table row %u is of no known kind", index);
	if (row->outer != flat_table_outer(table->rows, index))
		return diag_set(why, -EBADMSG, "symbol table row %u has a wrong outer row", index);
	return 0;
}

int flat_table_check(struct flat_table *out, const void *bytes, size_t bytes_count,
		     struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct flat_header) == 0);
	err = check_header(bytes, bytes_count, why);
	if (err)
		return err;
	out->header = bytes;
	out->rows = (const void *)(out->header + 1);
	out->strings = (const void *)(out->rows + out->header->row_count);
	if (out->strings[out->header->string_bytes - 1] != '\0')
		return diag_set(why, -EBADMSG, "symbol table with names that do not end");
	for (uint32_t i = 0; i < out->header->row_count; i++) {
		err = check_row(out, i, why);
		if (err)
			return err;
	}
	return 0;
}

/* Returns the last row that starts at or before @address. Branch-free: half of the branches on the
 * comparison would be mispredicted, which takes longer than all the rest. */
static uint32_t last_start(const struct flat_table *table, uint64_t address)
{
	const struct flat_row *rows = table->rows;
	uint32_t row = 0;

	for (uint32_t left = table->header->row_count; left > 1; left -= left / 2)
		row = rows[row + left / 2].start <= address ? row + left / 2 : row;
	return table->header->row_count && rows[row].start <= address ? row : FLAT_NONE;
}

uint32_t flat_table_find(const struct flat_table *table, uint64_t address)
{
	uint32_t row = last_start(table, address);

	for (int steps = 0; row != FLAT_NONE && steps < OUTER_STEPS_MAX; steps++) {
		if (address < row_end(&table->rows[row]))
			return row;
		row = table->rows[row].outer;
	}
	return FLAT_NONE;
}

const char *flat_table_name(const struct flat_table *table, uint32_t row)
{
	assert(row < table->header->row_count);
	return table->strings + table->rows[row].name;
}

const char *flat_table_dso_name(const struct flat_table *table, uint32_t row)
{
	assert(row < table->header->row_count);
	if (table->rows[row].dso_name == FLAT_NONE)
		return NULL;
	return table->strings + table->rows[row].dso_name;
}

const char *flat_table_caution(const struct flat_table *table)
{
	switch (table->header->minidebug) {
	case FLAT_MINIDEBUG_FINE:
		return NULL;
	case FLAT_MINIDEBUG_TOO_LARGE:
		return ".gnu_debugdata holds more than the limit of 64 MiB: not used";
	default:
		return ".gnu_debugdata cannot be read: not used";
	}
}

size_t flat_table_bytes(const struct flat_table *table)
{
	return sizeof(*table->header) + table->header->row_count * sizeof(*table->rows) +
	       (size_t)table->header->string_bytes;
}
