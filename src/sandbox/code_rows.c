/* code_rows.c - see sandbox/code_rows.h. The bytes come from a process that an untrusted file may
 * control: every number in them is checked before it is used. */
#include "sandbox/code_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(sizeof(struct code_row) == 24 && sizeof(struct code_header) == 24,
	       "no gaps that nobody fills");

static int bad(struct diag *why, const char *what)
{
	return diag_set(why, -EBADMSG, "its decoder's reply has %s", what);
}

static int check_header(const struct code_header *header, size_t bytes_count,
			const struct code_query *query, struct diag *why)
{
	uint64_t bytes;

	if (bytes_count < sizeof(*header) || header->magic != CODE_ROWS_MAGIC ||
	    header->version != CODE_ROWS_VERSION)
		return bad(why, "no header");
	bytes = sizeof(*header) + (uint64_t)header->row_count * sizeof(struct code_row) +
		header->string_bytes;
	if (bytes_count > CODE_ROWS_BYTES_MAX || bytes != bytes_count || !header->string_bytes)
		return bad(why, "another size than its header says");
	if (header->machine == MACHINE_UNKNOWN || header->machine >= MACHINES ||
	    (query->machine != MACHINE_UNKNOWN && header->machine != query->machine))
		return bad(why, "code of another machine");
	return 0;
}

static bool is_text(const struct code_rows *rows, uint32_t offset)
{
	return offset < rows->header->string_bytes &&
	       strnlen(rows->strings + offset, CODE_TEXT_BYTES) < CODE_TEXT_BYTES;
}

static bool has_target(const struct code_row *row)
{
	return row->flags & (CODE_HAS_TARGET | CODE_REFERS);
}

static bool is_direct(const struct code_row *row)
{
	return row->kind == CODE_JUMP || row->kind == CODE_BRANCH || row->kind == CODE_CALL;
}

/* Checks @row, which has to begin at @address and end with @left bytes at the latest. */
static int check_row(const struct code_rows *rows, const struct code_row *row, uint64_t address,
		     uint64_t left, struct diag *why)
{
	if (row->address != address)
		return bad(why, "a gap between rows");
	if (!row->length || row->length > left || row->length > CODE_LENGTH_MAX ||
	    row->kind >= CODE_KINDS)
		return bad(why, "an instruction of no length or kind");
	if (row->flags & ~CODE_FLAGS || row->padding ||
	    (row->flags & CODE_FUSES && row->length == left) ||
	    (row->flags & CODE_HAS_TARGET && (row->flags & CODE_REFERS || !is_direct(row))) ||
	    (row->target && !has_target(row)))
		return bad(why, "flags that contradict each other");
	if (!is_text(rows, row->text))
		return bad(why, "a text outside");
	return 0;
}

static int check_range(const struct code_rows *rows, const struct code_range *range, uint32_t *next,
		       struct diag *why)
{
	uint64_t into = 0;

	while (into < range->bytes) {
		const struct code_row *row = &rows->rows[*next];
		int err;

		if (*next == rows->header->row_count)
			return bad(why, "too few rows");
		err = check_row(rows, row, range->address + into, range->bytes - into, why);
		if (err)
			return err;
		into += row->length;
		++*next;
	}
	return 0;
}

int code_rows_check(struct code_rows *out, const void *bytes, size_t bytes_count,
		    const struct code_query *query, struct diag *why)
{
	uint32_t next = 0;
	int err;

	assert((uintptr_t)bytes % _Alignof(struct code_header) == 0);
	assert(query->range_count <= CODE_RANGES_MAX);
	err = check_header(bytes, bytes_count, query, why);
	if (err)
		return err;
	out->header = bytes;
	out->rows = (const void *)(out->header + 1);
	out->strings = (const void *)(out->rows + out->header->row_count);
	if (out->strings[out->header->string_bytes - 1] != '\0')
		return bad(why, "texts that do not end");
	for (uint32_t i = 0; i < query->range_count && !err; i++)
		err = check_range(out, &query->ranges[i], &next, why);
	if (!err && next != out->header->row_count)
		err = bad(why, "too many rows");
	return err;
}
