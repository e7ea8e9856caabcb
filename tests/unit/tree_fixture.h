/* tree_fixture.h - call trees written down by hand, for tests of the tree's view. */
#ifndef TESTS_TREE_FIXTURE_H
#define TESTS_TREE_FIXTURE_H

#include "fold/tree.h"

/* Preorder; siblings largest first. Each sample weighs 1. */
struct tree_fixture_line {
	uint32_t depth;
	const char *name;
	uint64_t self, total;
	enum cpu_mode mode;	/* MODE_UNKNOWN: user code */
	uint64_t hidden;	/* weight of children that the tree leaves out */
};

/* The tree of @lines in @nodes[@count]; both must outlive it. An id follows from the path's names
 * alone. Kernel code is of "[kernel]", other of "postgres". */
struct call_tree tree_fixture(enum tree_direction direction, const struct tree_fixture_line *lines,
			      uint32_t count, struct tree_node *nodes);

/* A small machine's: whole, or of one of its functions. BORROWED, static. */
struct call_tree tree_fixture_machine(enum tree_direction direction);
/* What hash_search_with_hash_value calls there. */
struct call_tree tree_fixture_callees(void);

#endif
