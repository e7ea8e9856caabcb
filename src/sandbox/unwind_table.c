/* unwind_table.c - see sandbox/unwind_table.h.
 *
 * The bytes come from a process that parsed an untrusted file and may be controlled by it: they are
 * checked once on arrival. A wrong rule can still mislead the walker in the stacks of that file's
 * own program; the walker trusts no address that it computes. */
#include "sandbox/unwind_table.h"

#include <assert.h>
#include <errno.h>

static const struct unwind_row gap = { .kind = UNWIND_GAP };

static int check_header(const struct unwind_header *header, size_t bytes_count, struct diag *why)
{
	if (bytes_count < sizeof(*header) || header->magic != UNWIND_TABLE_MAGIC)
		return diag_set(why, -EBADMSG, "unwind table without its header");
	if (header->version != UNWIND_TABLE_VERSION)
		return diag_set(why, -EBADMSG, "unwind table of version %u, expected %u",
				header->version, UNWIND_TABLE_VERSION);
	if ((uint64_t)header->row_count * sizeof(struct unwind_row) !=	/* < 2^35 */
	    bytes_count - sizeof(*header))
		return diag_set(why, -EBADMSG, "unwind table of %zu bytes does not hold its rows",
				bytes_count);
	if (header->bp_bytes > header->code_bytes)
		return diag_set(why, -EBADMSG, "unwind table with more frame pointers than code");
	if (header->machine >= MACHINES)
		return diag_set(why, -EBADMSG, "unwind table of an unknown machine");
	if (header->build_id.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EBADMSG, "unwind table with a build-id of %u bytes",
				header->build_id.count);
	return 0;
}

static bool is_arm_row(const struct unwind_row *row)
{
	const bool saves = row->bx & UNWIND_SAVES_PAIR;

	switch ((enum unwind_kind)row->kind) {
	case UNWIND_ARM_SP:
	case UNWIND_ARM_BP:
		return row->bx <= (UNWIND_SAVES_PAIR | UNWIND_FROM_BASE) &&
		       (saves || (!row->bp && !row->bx)) &&
		       (!saves || row->bx & UNWIND_FROM_BASE || row->bp < 0);
	case UNWIND_GAP:
	case UNWIND_END:
	case UNWIND_COMPLEX:
	case UNWIND_ARM_SIGNAL:
		return true;
	default:
		return false;
	}
}

static int check_row(const struct unwind_row *rows, uint32_t index, bool is_arm, struct diag *why)
{
	const struct unwind_row *row = &rows[index];

	if (index && row->start <= row[-1].start)
		return diag_set(why, -EBADMSG, "unwind row %u is not in order", index);
	if (is_arm ? !is_arm_row(row) : row->kind > UNWIND_COMPLEX)
		return diag_set(why, -EBADMSG, "unwind row %u is of no known kind", index);
	if (row->kind == UNWIND_PLT && (row->cfa < 0 || row->cfa > 15))
		return diag_set(why, -EBADMSG, "unwind row %u has no byte of a PLT slot", index);
	if ((row->kind == UNWIND_PLT || row->kind == UNWIND_BP_WORD) && row->bp)
		return diag_set(why, -EBADMSG, "unwind row %u says twice where bp is", index);
	return 0;
}

int unwind_table_check(struct unwind_table *out, const void *bytes, size_t bytes_count,
		       struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct unwind_header) == 0);
	err = check_header(bytes, bytes_count, why);
	if (err)
		return err;
	out->header = bytes;
	out->rows = (const void *)(out->header + 1);
	for (uint32_t i = 0; i < out->header->row_count; i++) {
		err = check_row(out->rows, i, out->header->machine == MACHINE_AARCH64, why);
		if (err)
			return err;
	}
	if (out->header->row_count && out->rows[out->header->row_count - 1].kind != UNWIND_GAP)
		return diag_set(why, -EBADMSG, "unwind table whose last row has no end");
	return 0;
}

const struct unwind_row *unwind_table_find(const struct unwind_table *table, uint64_t address)
{
	const struct unwind_row *row = table->rows;
	uint32_t count = table->header->row_count;

	if (count == 0 || address < row->start)
		return &gap;
	while (count > 1) {	/* the row is one of @count from @row on */
		uint32_t half = count / 2;

		row = row[half].start <= address ? row + half : row;
		count -= half;
	}
	return row;
}

size_t unwind_table_bytes(const struct unwind_table *table)
{
	return sizeof(*table->header) + table->header->row_count * sizeof(*table->rows);
}
