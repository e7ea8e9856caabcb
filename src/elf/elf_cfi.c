/* elf_cfi.c - see elf_cfi.h. Everything here parses untrusted bytes.
 *
 * Idea: first make the rows of all entries in file order, then copy them in address order, with a
 * row for each gap. Where two entries cover the same code, the one that starts first wins, then the
 * one that was read first: .eh_frame, with which programs unwind themselves, takes precedence over
 * .debug_frame.
 *
 *   entries   |--- a ---|   |---- c ----|
 *                 |- b -|            |---- d ----|
 *   rows      | a       | G | c         | d      | G
 */
#include "elf_cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cfi_program.h"
#include "elf_debug_file.h"
#include "flat_sort.h"
#include "go_symbols.h"
#include "large_block.h"

#define EXTENTS_MAX    (4u << 20)	/* LLVM has 100,000 functions */
#define EDGE_BYTES_MAX 16	/* endbr64; push; mov: 9. Longer ones do more than make a frame */

#define ARM_PLT_HEAD_BYTES 32

/* The code of one entry. */
struct extent {
	uint32_t end;
	uint32_t first_row, row_count;
};

struct compilation {
	struct elf_file main, debug;	/* debug.elf NULL: none that belongs to it */
	struct cfi_program program;
	struct cfi_rows rows;
	struct flat_place *places;	/* start of each extent; owned, as is `extents` */
	struct extent *extents;
	uint32_t extent_count, extent_capacity;
	struct unwind_header *table;	/* owned */
	uint32_t covered;		/* file offset up to which the table has rows */
};

static int grow_extents(struct compilation *job)
{
	const uint32_t count = job->extent_count, capacity = count ? 2 * count : 1024;
	struct flat_place *places;
	struct extent *extents;

	if (count < job->extent_capacity)
		return 0;
	if (count >= EXTENTS_MAX)
		return -E2BIG;
	places = large_block_grow(job->places, count * sizeof(*places), capacity * sizeof(*places));
	if (!places)
		return -ENOMEM;
	job->places = places;
	extents = large_block_grow(job->extents, count * sizeof(*extents),
				   capacity * sizeof(*extents));
	if (!extents)
		return -ENOMEM;
	job->extents = extents;
	job->extent_capacity = capacity;
	return 0;
}

/* Adds the @bytes from file offset @offset on, which end below 4 GiB, as code whose rows begin with
 * @first_row. */
static int add_extent(struct compilation *job, uint64_t offset, uint64_t bytes, uint32_t first_row)
{
	int err = grow_extents(job);

	if (err)
		return err;
	job->places[job->extent_count] = (struct flat_place){ offset, job->extent_count };
	job->extents[job->extent_count++] = (struct extent){
		(uint32_t)(offset + bytes), first_row, job->rows.count - first_row,
	};
	return 0;
}

static int add_entry(void *context, const struct frame_entry *entry)
{
	struct compilation *job = context;
	const uint32_t first_row = job->rows.count;
	int err;

	if (entry->offset + entry->bytes > UINT32_MAX)
		return 0;
	err = cfi_program_run(&job->program, entry, &job->rows);
	return err ? err : add_extent(job, entry->offset, entry->bytes, first_row);
}

static int add_go_function(void *context, uint64_t offset, uint64_t bytes, uint32_t first_row)
{
	return add_extent(context, offset, bytes, first_row);
}

/* Makes rows for a Go program without .debug_frame, from the frame sizes that the program itself
 * has. */
static int add_go(struct compilation *job)
{
	if (elf_file_section(&job->main, ".debug_frame") ||
	    (job->debug.elf && elf_file_section(&job->debug, ".debug_frame")))
		return 0;
	return go_unwind_walk(&job->main, &job->rows, add_go_function, job);
}

/* Adds an UNWIND_END row for the program's first instruction, which nothing has called; ld.so has
 * no unwind entry that says so. One byte only: the next instructions may set up a frame. */
static int add_start(struct compilation *job)
{
	const uint32_t first_row = job->rows.count;
	uint64_t offset, left;
	int err;

	if (!job->main.header.e_entry ||
	    !elf_file_find_code(&job->main, job->main.header.e_entry, &offset, &left) ||
	    offset >= UINT32_MAX)
		return 0;
	err = cfi_rows_append(&job->rows, (struct unwind_row){ (uint32_t)offset,
							       .kind = UNWIND_END });
	return err ? err : add_extent(job, offset, 1, first_row);
}

/* Appends the rows of an aarch64 PLT with @bytes from @offset on: no linker writes entries for it.
 * Only its head, which calls the resolver, has a frame, from the instruction after @push on (0: the
 * head has none). */
static int append_arm_plt(struct cfi_rows *rows, uint64_t offset, uint64_t bytes, uint32_t push)
{
	const struct unwind_row slots = { (uint32_t)offset, .kind = UNWIND_ARM_SP };
	struct unwind_row head = { (uint32_t)offset + push, 2, -1, UNWIND_ARM_SP, UNWIND_SAVES_LR };
	struct unwind_row after = slots;
	int err = cfi_rows_append(rows, slots);

	after.start += ARM_PLT_HEAD_BYTES;
	if (!err && push)
		err = cfi_rows_append(rows, head);
	return err || !push || bytes <= ARM_PLT_HEAD_BYTES ? err : cfi_rows_append(rows, after);
}

static int add_arm_plt(struct compilation *job)
{
	/* stp x16, x30, [sp, #-16]!; BTI may come before it. */
	static const unsigned char push[] = { 0xf0, 0x7b, 0xbf, 0xa9 };
	const struct elf_section *section = elf_file_section(&job->main, ".plt");
	const uint32_t first_row = job->rows.count;
	uint64_t offset, left;
	struct elf_bytes head;
	uint32_t pushed = 0;
	int err;

	if (job->main.header.e_machine != EM_AARCH64 || !section ||
	    section->bytes < ARM_PLT_HEAD_BYTES ||
	    !elf_file_find_code(&job->main, section->vaddr, &offset, &left) ||
	    left < section->bytes || offset + section->bytes > UINT32_MAX)
		return 0;
	head = elf_file_read_at(&job->main, offset, ARM_PLT_HEAD_BYTES);
	for (uint32_t at = 0; head.at && !pushed && at <= sizeof(push); at += sizeof(push))
		pushed = memcmp(head.at + at, push, sizeof(push)) ? 0 : at + sizeof(push);
	err = append_arm_plt(&job->rows, offset, section->bytes, pushed);
	return err ? err : add_extent(job, offset, section->bytes, first_row);
}

static struct unwind_row *table_rows(const struct compilation *job)
{
	return (void *)(job->table + 1);
}

static size_t table_bytes(const struct compilation *job)
{
	return sizeof(*job->table) + job->table->row_count * sizeof(struct unwind_row);
}

static void put_row(struct compilation *job, const struct unwind_row *row, uint32_t start)
{
	struct unwind_row *rows = table_rows(job);
	uint32_t *count = &job->table->row_count;

	if (*count && unwind_row_is_same_rule(&rows[*count - 1], row))
		return;
	rows[*count] = *row;
	rows[(*count)++].start = start;
}

static bool is_arm_row(const struct unwind_row *row)
{
	return row->kind == UNWIND_ARM_SP || row->kind == UNWIND_ARM_BP;
}

/* Returns whether bp points to the saved bp and return address. Where gcc aligns the stack, it
 * pushes the return address a second time for that. */
static bool is_bp_frame(const struct unwind_row *row)
{
	return (row->kind == UNWIND_BP && row->cfa == 2) || row->kind == UNWIND_BP_WORD ||
	       (is_arm_row(row) && (row->bx & UNWIND_SAVES_PAIR) == UNWIND_SAVES_PAIR);
}

/* Returns whether the row may be the prologue or epilogue of a function with a frame pointer. */
static bool is_edge(const struct unwind_row *row, uint32_t bytes)
{
	return ((row->kind == UNWIND_SP && row->cfa <= 2) ||
		(row->kind == UNWIND_ARM_SP && !row->bx)) && bytes <= EDGE_BYTES_MAX;
}

/* Counts the row's code, except PLT slots and the like, which are not in functions. */
static void count_bytes(struct compilation *job, const struct unwind_row *row, uint32_t bytes,
			bool has_bp_frame)
{
	if (row->kind == UNWIND_PLT || row->kind == UNWIND_SIGNAL || row->kind == UNWIND_END ||
	    row->kind == UNWIND_ARM_SIGNAL)
		return;
	job->table->code_bytes += bytes;
	if (is_bp_frame(row) || (has_bp_frame && is_edge(row, bytes)))
		job->table->bp_bytes += bytes;
}

static void put_extent(struct compilation *job, const struct extent *extent, uint32_t start)
{
	static const struct unwind_row gap = { .kind = UNWIND_GAP };
	const struct unwind_row *rows = &job->rows.rows[extent->first_row];
	bool has_bp_frame = false;

	if (extent->end <= job->covered)
		return;
	if (job->covered && start > job->covered)
		put_row(job, &gap, job->covered);
	if (start < job->covered)
		start = job->covered;
	for (uint32_t i = 0; i < extent->row_count; i++)
		has_bp_frame |= is_bp_frame(&rows[i]);
	for (uint32_t i = 0; i < extent->row_count; i++) {
		const uint32_t end = i + 1 < extent->row_count ? rows[i + 1].start : extent->end;
		const uint32_t from = rows[i].start < start ? start : rows[i].start;

		if (end <= start)
			continue;
		put_row(job, &rows[i], from);
		count_bytes(job, &rows[i], end - from, has_bp_frame);
	}
	job->covered = extent->end;
}

static int make_table(struct compilation *job)
{
	/* Room for a gap after each extent. */
	const size_t bytes = sizeof(*job->table) +
			     ((size_t)job->rows.count + job->extent_count) *
			     sizeof(struct unwind_row);

	job->table = large_block_alloc(bytes);
	if (!job->table || flat_sort_by_start(job->places, job->extent_count))
		return -ENOMEM;
	memset(job->table, 0, sizeof(*job->table));
	job->table->magic = UNWIND_TABLE_MAGIC;
	job->table->version = UNWIND_TABLE_VERSION;
	job->table->build_id = elf_file_build_id(&job->main);
	if (job->extent_count)
		job->table->machine = (uint8_t)machine_of_elf(job->main.header.e_machine);
	for (uint32_t i = 0; i < job->extent_count; i++)
		put_extent(job, &job->extents[job->places[i].index],
			   (uint32_t)job->places[i].start);
	if (job->extent_count)
		put_row(job, &(struct unwind_row){ .kind = UNWIND_GAP }, job->covered);
	return table_bytes(job) <= UNWIND_BYTES_MAX ? 0 : -E2BIG;
}

static int compile(struct compilation *job, int fd, int debug_fd, struct diag *why)
{
	int err = elf_file_open(&job->main, fd, why);

	if (!err)
		err = elf_file_read_segments(&job->main, why);
	if (err)
		return err;
	job->program.machine = cfi_machine_find(job->main.header.e_machine);
	if (job->program.machine && !job->main.is_32_bit) {
		elf_debug_file_open(&job->debug, &job->main, debug_fd);
		err = frame_entries_walk(&job->main, job->debug.elf ? &job->debug : NULL, add_entry,
					 job);
		if (!err)
			err = add_go(job);
		if (!err)
			err = add_arm_plt(job);
		if (!err)
			err = add_start(job);
	}
	if (!err)
		err = make_table(job);
	if (err == -E2BIG)
		diag_set(why, err, "more than %u MiB of unwind rows", UNWIND_BYTES_MAX >> 20);
	else if (err)
		diag_set(why, err, "the unwind table needs more memory than allowed");
	return err;
}

int elf_cfi_compile(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct compilation job = { .extent_count = 0 };
	int err = compile(&job, fd, debug_fd, why);

	*bytes = NULL;
	if (!err) {
		*bytes_count = table_bytes(&job);
		*bytes = job.table;
		job.table = NULL;
	}
	elf_file_close(&job.debug);
	elf_file_close(&job.main);
	free(job.rows.rows);
	free(job.places);
	free(job.extents);
	free(job.table);
	return err;
}
