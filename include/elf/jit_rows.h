/* jit_rows.h - the names of one process's JIT-compiled code, as a flat table of absolute addresses,
 * and its unwind rows as far as they are known.
 *
 * Rule:   a JIT compiler logs the code it generates, and reuses the addresses of old code. The last
 *         entry ("word") on an address wins; the rest of an older one keeps the older name.
 *
 *           1st word  |------- a -------|		rows:  a | b | a
 *           2nd word       |-- b --|
 *
 * Use:    a parser (elf/jit_map.h, elf/jitdump.h) first adds the previous answer with
 *         jit_rows_add_answer(), then new entries in file order, so a growing file is read once.
 * Thread: the owner's. struct jit_rows is used only in a worker (and in tests and fuzzers).
 */
#ifndef ELF_JIT_ROWS_H
#define ELF_JIT_ROWS_H

#include "sandbox/flat_table.h"
#include "sandbox/unwind_table.h"

#define JIT_NAME_BYTES 4096	/* longer names are cut */

/* Start of a worker's reply; an unwind table and a flat table follow. */
struct jit_answer {
	uint64_t read_bytes;	/* file offset where the next job continues */
	uint64_t skipped;	/* unusable lines or records, those of previous jobs included */
	uint64_t unwind_base;	/* address that the unwind table's starts are relative to */
	uint64_t unwind_bytes;	/* size of the unwind table, a multiple of 8 */
};

/* A checked reply; everything is BORROWED from its bytes. */
struct jit_tables {
	const struct jit_answer *answer;
	struct flat_table names;
	struct unwind_table unwind;
};

struct jit_rows;

struct jit_rows *jit_rows_create(void);		/* NULL: out of memory */
void jit_rows_destroy(struct jit_rows *rows);	/* NULL is fine */

/* Adds @size bytes of code at @start. @name need not be NUL-terminated. Code that has no size or no
 * name, wraps, or has 4 GiB is skipped and counted. Returns 0, -ENOMEM, or -E2BIG: too many. */
int jit_rows_add(struct jit_rows *rows, uint64_t start, uint64_t size, const char *name,
		 size_t name_len);
/* Sets the unwind rows of the code added last; they are sorted, their starts relative to the code's
 * start. Ignored if no code was added or the last was skipped. Returns 0, -ENOMEM or -E2BIG. */
int jit_rows_add_unwind(struct jit_rows *rows, const struct unwind_row *unwind, uint32_t count);
/* Adds the code that was last added at @from at @to, too; skips and counts it if there is none. */
int jit_rows_add_moved(struct jit_rows *rows, uint64_t from, uint64_t to, uint64_t size);
void jit_rows_skip(struct jit_rows *rows);

/* Adds the contents of the answer behind @fd (a whole file; -1: none). Returns 0, -EBADMSG, -ENOMEM
 * or -E2BIG. */
int jit_rows_add_answer(struct jit_rows *rows, int fd, struct diag *why);

/* Builds the answer, for jit_answer_check(); *@bytes is malloc'd for the caller. Returns 0, -ENOMEM
 * or -E2BIG. Afterwards @rows can only be destroyed. */
int jit_rows_finish(struct jit_rows *rows, uint64_t read_bytes, void **bytes, size_t *bytes_count);

/* Checks everything once, see flat_table_check() and unwind_table_check(). */
int jit_answer_check(struct jit_tables *tables, const void *bytes, size_t bytes_count,
		     struct diag *why);

#endif
