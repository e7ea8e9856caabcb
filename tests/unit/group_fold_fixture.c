/* group_fold_fixture.c - see group_fold_fixture.h. */
#include "group_fold_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot_build.h"

struct group_sources group_sources;

int group_fold_fixture_set_up(void **state)
{
	tree_fold_fixture_set_up(state);
	query.tree = TREE_NONE;
	group_sources = (struct group_sources){
		.trie = &model.trie, .names = &model.names, .tasks = &model.tasks,
	};
	return 0;
}

void group_fold_fixture_keys(const enum group_key *keys, uint32_t count)
{
	memcpy(query.groups, keys, count * sizeof(*keys));
	query.group_count = count;
}

struct snapshot *group_fold_fixture_build(struct group_window window)
{
	const struct baseline whole = { .is_set = true };
	const struct snapshot head = { .host = "h", .event = "e", .target = "t" };
	struct row_sources sources = { 0 };
	struct group_fold groups;
	struct fold fold = fixture_fold_filtered(&model, query.keys, &query.filter,
						 window.entries, window.count);
	struct snapshot *snapshot;

	group_fold_init(&groups, &group_sources, &query, 0);
	group_fold_add(&groups, window.entries, window.count, 1.0);
	groups.baseline = window.base ? &whole : NULL;
	group_fold_add_base(&groups, window.base, window.base_count);
	group_fold_sum(&groups);
	assert_false(groups.is_out_of_memory);
	sources.groups = &groups;
	snapshot = snapshot_build(&head, &fold, &sources);
	assert_non_null(snapshot);
	group_fold_finish(&groups);
	fold_finish(&fold);
	return snapshot;
}
