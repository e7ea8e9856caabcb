/* flame_fixture.h - call trees written down by hand, for tests of the flame graph. */
#ifndef TESTS_FLAME_FIXTURE_H
#define TESTS_FLAME_FIXTURE_H

#include "fold/tree.h"

/* Preorder; siblings largest first. */
struct flame_frame {
	uint32_t depth;
	const char *name;
	uint64_t self;		/* samples, each of weight 1 */
	enum cpu_mode mode;	/* MODE_UNKNOWN: user code */
	uint64_t hidden;	/* samples of callees that the tree leaves out */
	bool is_inlined, is_run_time, is_command;
};

/* The tree of @frames in @nodes[@count]; both must outlive it. An id follows from the path's names
 * alone. Kernel code is of "[kernel]", other of "prog". */
struct call_tree flame_fixture_tree(const struct flame_frame *frames, uint32_t count,
				    struct tree_node *nodes);

/* A small machine's 34860 samples below their commands. BORROWED, static. */
struct call_tree flame_fixture_machine(void);

/* One stack of @depth frames called f0, f1, ... BORROWED, static. */
struct call_tree flame_fixture_deep(uint32_t depth);
#define FLAME_FIXTURE_DEPTH 300

#endif
