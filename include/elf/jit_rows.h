/* jit_rows.h - the names of code that one process made at run time, as a flat table of absolute
 * addresses; and its unwind rows, as far as it is known how such code is left.
 *
 * Rule:   a JIT compiler writes down what it makes, and makes new code where old code was. The last
 *         word on an address holds; what it leaves of an older one keeps the older name.
 *
 *           1st word  |------- a -------|		rows:  a | b | a
 *           2nd word       |-- b --|
 *
 * Use:    a parser (elf/jit_map.h, elf/jitdump.h) adds in the order of the file. What was
 *         read before comes first, by jit_rows_add_answer(), so a file that grows is read once.
 * Thread: the owner's. The collector runs only in a worker (and in tests and fuzzers).
 */
#ifndef ELF_JIT_ROWS_H
#define ELF_JIT_ROWS_H

#include "sandbox/flat_table.h"
#include "sandbox/unwind_table.h"

#define JIT_NAME_BYTES 4096	/* longer names are cut */

/* What a worker answers: this, then an unwind table, then a flat table. */
struct jit_answer {
	uint64_t read_bytes;	/* offset in the file where the next look begins */
	uint64_t skipped;	/* lines or records that said nothing, also of the looks before */
	uint64_t unwind_base;	/* the address that the unwind table counts from */
	uint64_t unwind_bytes;	/* size of the unwind table, a multiple of 8 */
};

/* A checked answer: all is BORROWED from its bytes. */
struct jit_tables {
	const struct jit_answer *answer;
	struct flat_table names;
	struct unwind_table unwind;
};

struct jit_rows;

struct jit_rows *jit_rows_create(void);		/* NULL: out of memory */
void jit_rows_destroy(struct jit_rows *rows);	/* NULL is fine */

/* Adds @size bytes of code at @start. The name need not be terminated. Code without a size or a
 * name, or that wraps or has 4 GiB, is skipped and counted. 0, -ENOMEM, or -E2BIG: too many. */
int jit_rows_add(struct jit_rows *rows, uint64_t start, uint64_t size, const char *name,
		 size_t name_len);
/* The code last added is left by these rows, whose starts count from that of the code, in order.
 * Nothing was added, or it was skipped: they are left out. 0, -ENOMEM or -E2BIG. */
int jit_rows_add_unwind(struct jit_rows *rows, const struct unwind_row *unwind, uint32_t count);
/* The code last added at @from is at @to as well from now on; skipped and counted if none is. */
int jit_rows_add_moved(struct jit_rows *rows, uint64_t from, uint64_t to, uint64_t size);
void jit_rows_skip(struct jit_rows *rows);

/* What the answer behind @fd (a whole file; -1: none) says. 0, -EBADMSG, -ENOMEM or -E2BIG. */
int jit_rows_add_answer(struct jit_rows *rows, int fd, struct diag *why);

/* *@bytes is malloc'd for the caller: an answer, for jit_answer_check(). 0, -ENOMEM or -E2BIG.
 * The rows can only be destroyed afterwards. */
int jit_rows_finish(struct jit_rows *rows, uint64_t read_bytes, void **bytes, size_t *bytes_count);

/* Checks everything once, see flat_table_check() and unwind_table_check(). */
int jit_answer_check(struct jit_tables *tables, const void *bytes, size_t bytes_count,
		     struct diag *why);

#endif
