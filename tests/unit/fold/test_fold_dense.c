/* The fold by stacks and nodes against the one that walks every stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define KEYS_DEFAULT (KEY_DSO | KEY_SYMBOL)

enum { ENTRIES = 400, SLICES = 4, TASKS = 5 };

static struct fold fold_dense(struct model_fixture *model, unsigned int keys,
			      const struct filter *filter, struct slice_entry *entries,
			      uint32_t count)
{
	struct slice slices[SLICES];
	struct fold fold;

	for (uint32_t i = 0; i < SLICES; i++) {
		const uint32_t from = count * i / SLICES, to = count * (i + 1) / SLICES;

		slices[i] = (struct slice){ .entries = entries + from, .count = to - from };
	}
	fold_init(&fold, &model->trie, &model->names, &model->tasks, keys, 0, filter);
	assert_true(fold_can_be_dense(&fold));
	fold_add_slices_dense(&fold, slices, NULL, SLICES);
	assert_false(fold.is_out_of_memory);
	return fold;
}

static bool count_down(void *owner)
{
	return (*(uint32_t *)owner)-- == 0;
}

/* Both ways, told to stop at the first, second, ... time that they ask; they do so in large folds
 * alone. */
static void test_a_fold_ends_when_it_is_told_to(void **state)
{
	enum { MANY = 800000, PARTS = 8, FEW = 8000 };
	struct slice_entry *entries = calloc(MANY, sizeof(*entries));
	struct slice slices[PARTS];
	struct model_fixture model;

	(void)state;
	assert_non_null(entries);
	fixture_init(&model);
	for (uint32_t i = 0; i < MANY; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_calls(&model, (enum fixture_function[]){ FN_F }, 1),
			.task = fixture_task(&model, 1, 1, "app"), .count = 1,
		};
	for (uint32_t s = 0; s < PARTS; s++)
		slices[s] = (struct slice){ .entries = entries + s * (MANY / PARTS),
					    .count = MANY / PARTS };
	for (uint32_t i = 0; i < 3 * 3; i++) {
		uint32_t left = i / 3;
		struct fold fold;

		fold_init(&fold, &model.trie, &model.names, &model.tasks, KEYS_DEFAULT, 0,
			  &(struct filter){ .count = 0 });
		fold.stop = (struct fold_stop){ count_down, &left };
		if (i % 3 == 0)
			fold_add(&fold, entries, MANY, 1.0);
		else if (i % 3 == 1)
			fold_add_slices_dense(&fold, slices, NULL, PARTS);
		else
			fold_add(&fold, entries, FEW, 1.0);
		assert_int_equal(fold.is_stopped, i % 3 < 2);
		if (i % 3 < 2)
			assert_int_equal(left, UINT32_MAX);	/* and does not ask again */
		assert_true(i % 3 == 2 ? fold.samples == FEW : fold.samples < MANY);
		fold_finish(&fold);
	}
	fixture_finish(&model);
	free(entries);
}

static const struct fold_row *same_row(const struct fold *fold, const struct fold_row *row)
{
	for (uint32_t i = 0; i < fold->row_count; i++)
		if (fold->rows[i].key.code == row->key.code &&
		    fold->rows[i].is_idle == row->is_idle)
			return &fold->rows[i];
	return NULL;
}

static void assert_same_row(const struct fold_row *row, const struct fold_row *walked)
{
	assert_int_equal(row->stats.self.samples, walked->stats.self.samples);
	assert_int_equal(row->stats.total.samples, walked->stats.total.samples);
	/* The weights are sums of whole numbers. */
	assert_true(row->stats.self.weight == walked->stats.self.weight);
	assert_true(row->stats.total.weight == walked->stats.total.weight);
	assert_int_equal(row->comm, walked->comm);
	assert_int_equal(row->pid, walked->pid);
	assert_int_equal(row->tid, walked->tid);
	assert_int_equal(row->cpu, walked->cpu);
	assert_int_equal(row->tasks, walked->tasks);
}

static void assert_same_fold(struct model_fixture *model, unsigned int keys,
			     const struct filter *filter, struct slice_entry *entries,
			     uint32_t count)
{
	struct fold walked = fixture_fold_filtered(model, keys, filter, entries, count);
	struct fold dense = fold_dense(model, keys, filter, entries, count);

	assert_int_equal(dense.row_count, walked.row_count);
	assert_int_equal(dense.samples, walked.samples);
	assert_int_equal(dense.idle_samples, walked.idle_samples);
	assert_int_equal(dense.unresolved, walked.unresolved);
	assert_int_equal(dense.shown_samples, walked.shown_samples);
	assert_true(dense.shown_weight == walked.shown_weight);
	assert_true(dense.weight == walked.weight);
	assert_true(dense.idle_weight == walked.idle_weight);
	for (uint32_t i = 0; i < walked.row_count; i++) {
		const struct fold_row *row = same_row(&dense, &walked.rows[i]);

		assert_non_null(row);
		assert_same_row(row, &walked.rows[i]);
	}
	fold_finish(&walked);
	fold_finish(&dense);
}

/* Few functions, long stacks: recursion everywhere, also of unknown and loading code. */
static uint32_t random_frame(struct model_fixture *model, uint64_t *seed, const uint32_t dsos[2])
{
	const uint32_t kind = random_below(seed, 16);

	if (kind == 0)
		return fixture_kernel_frame(model, FIXTURE_SYSCALL_ADDRESS);
	if (kind == 1)
		return fixture_kernel_frame(model, FIXTURE_IDLE_ADDRESS);
	if (kind == 2)
		return stack_trie_frame(&model->trie, dsos[0], random_below(seed, 3));
	if (kind == 3)
		return stack_trie_frame(&model->trie, dsos[1], random_below(seed, 3));
	return fixture_frame(model, random_below(seed, FN_COUNT), random_below(seed, 3));
}

/* Every filter of code alone comes by. */
static struct filter filter_of_round(uint32_t round)
{
	const struct filter_part parts[] = {
		{ .field = FILTER_USER, .is_negated = round & 16 },
		{ .field = FILTER_KERNEL, .is_negated = round & 16 },
		{ .field = FILTER_SYMBOL, .is_negated = round & 32, .hash = filter_hash("f") },
		{ .field = FILTER_DSO, .is_negated = round & 64,
		  .hash = filter_hash("/bin/app") },
	};
	struct filter filter = { .count = 0 };

	for (uint32_t i = 0; i < 4; i++)
		if (round & 1u << i)
			assert_int_equal(filter_add(&filter, &parts[i], NULL), 0);
	return filter;
}

static void test_a_filter_that_looks_at_tasks_is_not_for_the_dense_way(void **state)
{
	static const enum filter_field fields[] = { FILTER_TEXT, FILTER_COMMAND, FILTER_PID,
						    FILTER_TID, FILTER_CPU };
	struct model_fixture model;
	struct fold fold;

	(void)state;
	fixture_init(&model);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct filter filter = { .parts = { { .field = fields[i] } }, .count = 1 };

		fold = fixture_fold_filtered(&model, KEYS_DEFAULT, &filter, NULL, 0);
		assert_false(fold_can_be_dense(&fold));
		fold_finish(&fold);
	}
	fold = fixture_fold_filtered(&model, KEY_DSO,
				     &(struct filter){ .parts = { { .field = FILTER_USER } },
						       .count = 1 }, NULL, 0);
	assert_false(fold_can_be_dense(&fold));
	fold_finish(&fold);
	fold = fixture_fold(&model, KEYS_DEFAULT | KEY_COMM, NULL, 0);
	assert_false(fold_can_be_dense(&fold));
	fold_finish(&fold);
	fixture_finish(&model);
}

static void test_random_stacks_give_the_same_rows_both_ways(void **state)
{
	static struct slice_entry entries[ENTRIES];
	uint64_t seed = 99;

	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		const uint32_t tasks = 1 + round % TASKS, depth_max = 1 + round % 12;
		const uint32_t count = 1 + random_below(&seed, 1 + round);
		const struct filter filter = filter_of_round(round % 2 ? round / 2 : 0);
		struct model_fixture model;
		uint32_t dsos[2];

		fixture_init(&model);
		dsos[0] = fixture_dso(&model, "/lib/loading.so", DSO_LOADING);
		dsos[1] = fixture_dso(&model, "//anon", DSO_NO_TABLE);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t depth = 1 + random_below(&seed, depth_max);
			const uint32_t pid = random_below(&seed, tasks) / 2 + (round % 3 != 0);
			const uint32_t tid = pid ? 10 + random_below(&seed, 2) : 0;
			uint32_t frames[12];

			for (uint32_t d = 0; d < depth; d++)
				frames[d] = random_frame(&model, &seed, dsos);
			entries[i] = (struct slice_entry){
				.stack = fixture_stack(&model, frames, depth),
				.task = fixture_task(&model, pid, tid,
						     random_below(&seed, tasks) ? "one" : "two"),
				.cpu = random_below(&seed, 1 + round % 2) & 1,
				.event = random_below(&seed, 20) == 0,
				.count = random_below(&seed, 4),	/* 0: it left the window */
				.weight = random_below(&seed, 1000),
			};
			if (!entries[i].count)
				entries[i].weight = 0;
		}
		assert_same_fold(&model, KEYS_DEFAULT, &filter, entries, count);
		assert_same_fold(&model, KEY_DSO, &fixture_no_filter, entries, count);
		assert_same_fold(&model, KEY_SYMBOL, &fixture_no_filter, entries, count);
		fixture_finish(&model);
	}
}

/*   3 samples  main > f > g > f   of a,     1 sample  main > f   of b */
static void test_recursion_counts_once_and_callers_know_all_their_tasks(void **state)
{
	static const enum fixture_function deep[] = { FN_F, FN_G, FN_F, FN_MAIN };
	static const enum fixture_function flat[] = { FN_F, FN_MAIN };
	struct model_fixture model;
	struct slice_entry entries[2] = { { .count = 3 }, { .count = 1 } };
	const struct fold_row *row;
	struct fold fold;

	(void)state;
	fixture_init(&model);
	entries[0].stack = fixture_calls(&model, deep, 4);
	entries[1].stack = fixture_calls(&model, flat, 2);
	entries[0].task = fixture_task(&model, 1, 1, "a");
	entries[1].task = fixture_task(&model, 2, 2, "b");
	fold = fold_dense(&model, KEYS_DEFAULT, &fixture_no_filter, entries, 2);
	row = fixture_row(&fold, "f", false);
	assert_int_equal(row->stats.self.samples, 4);
	assert_int_equal(row->stats.total.samples, 4);
	assert_int_equal(row->tasks, 2);
	row = fixture_row(&fold, "g", false);
	assert_int_equal(row->stats.total.samples, 3);
	assert_int_equal(row->pid, 1);
	assert_int_equal(row->tid, 1);
	assert_int_equal(row->tasks, 1);
	row = fixture_row(&fold, "main", false);
	assert_int_equal(row->stats.total.samples, 4);
	assert_int_equal(row->pid, FOLD_MIXED);
	assert_int_equal(row->tasks, 2);
	fold_finish(&fold);
	fixture_finish(&model);
}

/* Each third of them in f, g or h, and all in main. */
static void test_tasks_are_counted_however_many_they_are(void **state)
{
	enum { MANY = 700 };
	static const enum fixture_function leaves[] = { FN_F, FN_G, FN_H };
	static struct slice_entry entries[MANY];
	struct model_fixture model;
	struct fold fold;

	(void)state;
	fixture_init(&model);
	for (uint32_t i = 0; i < MANY; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_calls(&model, (enum fixture_function[]){ leaves[i % 3],
										  FN_MAIN }, 2),
			.task = fixture_task(&model, 1 + i, 1 + i, "app"), .count = 1,
		};
	assert_same_fold(&model, KEYS_DEFAULT, &fixture_no_filter, entries, MANY);
	fold = fold_dense(&model, KEYS_DEFAULT, &fixture_no_filter, entries, MANY);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 234);
	assert_int_equal(fixture_row(&fold, "h", false)->tasks, 233);
	assert_int_equal(fixture_row(&fold, "main", false)->tasks, MANY);
	fold_finish(&fold);
	fixture_finish(&model);
}

/* 50,000 tasks at 50,000 callers, 196 times: that would take a second. */
static void test_very_many_tasks_are_several(void **state)
{
	enum { MANY = 50000 };
	struct slice_entry *entries = calloc(MANY, sizeof(*entries));
	struct model_fixture model;
	struct fold fold;

	(void)state;
	assert_non_null(entries);
	fixture_init(&model);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint32_t dso = i % DSO_FIXED_COUNT;	/* one alone may not have all */
		const uint32_t frames[] = { fixture_frame(&model, FN_F, 0),
					    stack_trie_frame(&model.trie, dso, i) };

		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&model, frames, 2), .count = 1,
			.task = fixture_task(&model, 1 + i, 1 + i, "app"),
		};
	}
	fold = fold_dense(&model, KEYS_DEFAULT, &fixture_no_filter, entries, MANY);
	assert_int_equal(fold.row_count, MANY + 1);
	assert_int_equal(fixture_row(&fold, "f", false)->stats.total.samples, MANY);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 0);
	assert_int_equal(fixture_row(&fold, "0x1", false)->tasks, 1);
	fold_finish(&fold);
	fixture_finish(&model);
	free(entries);
}

/* The cgroup of one was assumed, and read when there was the other already. */
static void test_tasks_that_became_alike_are_one(void **state)
{
	struct model_fixture model;
	struct slice_entry entries[3];
	struct thread *thread;
	uint32_t known;

	(void)state;
	fixture_init(&model);
	thread = task_table_thread(&model.tasks, 1, 1);
	known = fixture_task_in(&model, 1, 1, "app", "/a");
	thread_set_cgroup(thread, 0, true);
	for (uint32_t i = 0; i < 3; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_calls(&model, (enum fixture_function[]){ FN_F }, 1),
			.count = 1,
		};
	entries[0].task = known;
	entries[1].task = task_table_task(&model.tasks, thread);
	entries[2].task = fixture_task_in(&model, 1, 1, "app", "/b");
	assert_true(task_table_settle(&model.tasks, task_table_process(&model.tasks, 1),
				      model.tasks.tasks[known].cgroup));
	for (uint32_t count = 2; count <= 3; count++) {
		struct fold fold = fold_dense(&model, KEYS_DEFAULT, &fixture_no_filter, entries,
					      count);

		assert_int_equal(fixture_row(&fold, "f", false)->tasks, count - 1);
		fold_finish(&fold);
	}
	fixture_finish(&model);
}

static void test_a_stack_may_count_more_than_32_bits_hold(void **state)
{
	struct model_fixture model;
	struct slice_entry entries[2];
	struct fold fold;

	(void)state;
	fixture_init(&model);
	for (int i = 0; i < 2; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_calls(&model,
					       (enum fixture_function[]){ FN_F, FN_MAIN }, 2),
			.task = fixture_task(&model, 1, 1, "app"),
			.count = UINT32_MAX / 2 + 1, .weight = 1 };
	fold = fold_dense(&model, KEYS_DEFAULT, &(struct filter){ .count = 0 }, entries, 2);
	assert_int_equal(fold.samples, UINT64_C(1) << 32);
	assert_int_equal(fold.row_count, 2);
	assert_int_equal(fold.rows[0].stats.total.samples, UINT64_C(1) << 32);
	fold_finish(&fold);
	fixture_finish(&model);
}

UNIT_TESTS(test_fold_dense)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_fold_ends_when_it_is_told_to),
		cmocka_unit_test(test_random_stacks_give_the_same_rows_both_ways),
		cmocka_unit_test(test_a_filter_that_looks_at_tasks_is_not_for_the_dense_way),
		cmocka_unit_test(test_recursion_counts_once_and_callers_know_all_their_tasks),
		cmocka_unit_test(test_tasks_are_counted_however_many_they_are),
		cmocka_unit_test(test_very_many_tasks_are_several),
		cmocka_unit_test(test_a_stack_may_count_more_than_32_bits_hold),
		cmocka_unit_test(test_tasks_that_became_alike_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
