/* one_liner_block.h - the blocks of a one-liner, "POINT /FILTER/ { STATEMENTS }": which point each
 * has, what its variables are, and which block ends a latency that another one begins.
 *
 * Idea: a block that reads a map which another one sets ends a latency: its spec is that of the
 * two, and the block that sets it has none.
 * Thread: any. Pure.
 */
#ifndef FINDER_ONE_LINER_BLOCK_H
#define FINDER_ONE_LINER_BLOCK_H

#include "one_liner_spec.h"
#include "probe/probe_spec.h"

#define LINER_DEPTH_MAX 64	/* as the parser's */

/* A program while it is translated. */
struct liner_program {
	struct liner_tree tree;
	struct liner_scope scopes[LINER_CLAUSES_MAX];
	struct liner_point points[LINER_POINTS_MAX];	/* parsed ones, as tree.points */
	char *note;		/* gets remarks for the user; of note_bytes; BORROWED */
	size_t note_bytes;
	uint32_t steps;
	struct diag *why;
};

/* Returns node @at, BORROWED from the tree. */
const struct liner_node *liner_node_of(const struct liner_program *program, uint32_t at);
/* True: two names or texts are the same. */
bool liner_is_same_text(const struct liner_node *a, const struct liner_node *b);

/* False: BEGIN, END or interval. */
bool liner_is_probe(const struct liner_program *program,
		    const struct liner_clause *clause);
/* True: another block reads the map @name that @clause sets. */
bool liner_is_read_elsewhere(struct liner_program *program,
			     const struct liner_clause *clause, const struct liner_node *name);

/* Sets scope, point and variables of block @index. 0 or -EINVAL with a sentence. */
int liner_open_clause(struct liner_program *program, uint32_t index);

/* Sets the target of the block, and @on, how its hits are joined with those of the block that
 * begins the latency; "": there is none. 0 or -EINVAL with a sentence. */
int liner_set_target(struct liner_program *program, struct liner_scope *scope,
		     char target[PROBE_SPEC_BYTES], char on[LINER_PART_BYTES]);

#endif
