/* stack_enders.h - which programs' code incomplete stacks end in, and what helps there.
 *
 * Problem: a stack that ends early in Java's compiled code needs another option than one that ends
 *          in node's, and a larger copy helps neither.
 * Idea:    for each cause a few processes with the most such stacks are remembered. A process
 *          belongs to a known run-time system if it has mapped that system's program or library.
 * Invariant: `total` is exact. A process with more than half of the stacks of a cause is in its
 *          list, whatever the others were; its count is a lower bound (Misra and Gries).
 * Thread:  the analyzer's.
 */
#ifndef INGEST_STACK_ENDERS_H
#define INGEST_STACK_ENDERS_H

#include <stdint.h>

#include "ingest/loss_ledger.h"

#define STACK_ENDERS	 16	/* processes remembered for each cause */
#define ENDER_TEXT_BYTES LOSS_PROGRAM_BYTES	/* longer names are cut */

/* Why a stack is incomplete. */
enum stack_fault {
	STACK_END_NO_MAP,	/* run-time code without a map; its frame pointers lead nowhere */
	STACK_END_RUN_TIME,	/* named run-time code without unwind rows and frame pointers */
	STACK_END_FILE,		/* a file without unwind rows, or one that can't be read */
	STACK_END_COPY,		/* the copy of the stack was too short */
	STACK_ENDS,
	STACK_END_NONE = STACK_ENDS	/* the stack is complete, or ended for another reason */
};

struct stack_ender {
	uint32_t pid;
	uint64_t count;			/* 0: the row is free */
	const char *remedy;		/* static; NULL: the run-time system is not known */
	char program[ENDER_TEXT_BYTES];	/* sanitized file name of the program */
	char file[ENDER_TEXT_BYTES];	/* STACK_END_FILE: sanitized name of the file; else "" */
};

struct stack_enders {
	struct stack_ender rows[STACK_ENDS][STACK_ENDERS];
	uint64_t total[STACK_ENDS];	/* stacks since start */
};

struct ingest;
struct address_map;

/* Counts one stack of process @pid with mappings @maps (NULL: unknown) that ended in code of
 * @object because of @fault. STACK_END_NONE counts nothing. */
void stack_enders_add(struct ingest *ingest, enum stack_fault fault, uint32_t pid,
		      const struct address_map *maps, uint32_t object);

/* The process known to have more than half of the stacks of @fault; NULL: none. BORROWED until the
 * next stack is counted. */
const struct stack_ender *stack_enders_main(const struct stack_enders *enders,
					    enum stack_fault fault);

#endif
