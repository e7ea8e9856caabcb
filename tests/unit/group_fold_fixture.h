/* group_fold_fixture.h - the small known fixture tree_fold_fixture.h, its samples as groups. */
#ifndef TESTS_GROUP_FOLD_FIXTURE_H
#define TESTS_GROUP_FOLD_FIXTURE_H

#include "fold/groups.h"
#include "tree_fold_fixture.h"

extern struct group_sources group_sources;	/* the fixture's; lines, sockets and events: none */

int group_fold_fixture_set_up(void **state);
#define GROUP_TEST(test)                                                 \
	cmocka_unit_test_setup_teardown(test, group_fold_fixture_set_up, \
					tree_fold_fixture_tear_down)

/* These instead of the query's keys. */
void group_fold_fixture_keys(const enum group_key *keys, uint32_t count);
#define KEYS(...)                                                        \
	group_fold_fixture_keys((const enum group_key[]){ __VA_ARGS__ }, \
				sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/* Samples of a window, and of what it is compared with. */
struct group_window {
	const struct slice_entry *entries, *base;
	uint32_t count, base_count;
};

/* The groups of the window as `query` asks for them. The caller's: snapshot_destroy(). */
struct snapshot *group_fold_fixture_build(struct group_window window);

#endif
