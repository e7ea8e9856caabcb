/* tree_fold_fixture.h - one small known fixture, whose samples become call trees. */
#ifndef TESTS_TREE_FOLD_FIXTURE_H
#define TESTS_TREE_FOLD_FIXTURE_H

#include "analyzer/request.h"
#include "fold/source_lines.h"
#include "model_fixture.h"

extern struct model_fixture model;
extern struct query query;
extern struct inline_chains known_chains;	/* in trees with query.tree_inlined */

int tree_fold_fixture_set_up(void **state);
int tree_fold_fixture_tear_down(void **state);
#define TREE_TEST(test)                                                                            \
	cmocka_unit_test_setup_teardown(test, tree_fold_fixture_set_up, tree_fold_fixture_tear_down)

/* The tree of @entries as @query asks for it. The caller's: snapshot_destroy(). */
struct snapshot *tree_fold_fixture_build(const struct slice_entry *entries, uint32_t count);

void tree_fold_fixture_add_part(enum filter_field field, const char *name, bool is_negated);

/* What is inlined @offset bytes into a function: innermost first, NULL ends it. */
void tree_fold_fixture_inline(enum fixture_function in, uint32_t offset,
			      const char *const *functions);

#endif
