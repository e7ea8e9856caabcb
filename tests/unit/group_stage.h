/* group_stage.h - the small known world of tree_stage.h, its samples as groups. */
#ifndef TESTS_GROUP_STAGE_H
#define TESTS_GROUP_STAGE_H

#include "fold/group_fold.h"
#include "tree_stage.h"

extern struct group_sources group_sources;	/* of the world; lines, sockets and events: none */

int group_stage_set_up(void **state);
#define GROUP_TEST(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, group_stage_set_up, tree_stage_tear_down)

/* These instead of the query's keys. */
void group_stage_keys(const enum group_key *keys, uint32_t count);
#define KEYS(...)                                                                                  \
	group_stage_keys((const enum group_key[]){ __VA_ARGS__ },                                  \
			 sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/* Samples of a window, and of what it is compared with. */
struct group_window {
	const struct slice_entry *entries, *base;
	uint32_t count, base_count;
};

/* The groups of the window as `query` asks for them. The caller's: snapshot_destroy(). */
struct snapshot *group_stage_build(struct group_window window);

#endif
