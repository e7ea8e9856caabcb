/* What a snapshot shows of a fold: order, shares, identity, clean text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot_build.h"
#include "base/sanitize.h"
#include "model_fixture.h"
#include "unit_tests.h"

#define KEYS_DEFAULT (KEY_DSO | KEY_SYMBOL)

static const struct row_sources nothing;
static struct model_fixture model;

static int set_up(void **state)
{
	(void)state;
	fixture_init(&model);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_finish(&model);
	return 0;
}

static struct snapshot *build(unsigned int keys, const struct slice_entry *entries, uint32_t count)
{
	struct snapshot head = { .host = "h", .event = "e", .target = "t", .keys = keys };
	struct fold fold = fixture_fold(&model, keys, entries, count);
	struct snapshot *snapshot;

	head.weight = fold.weight;
	snapshot = snapshot_build(&head, &fold, &nothing);
	assert_non_null(snapshot);
	fold_finish(&fold);
	return snapshot;
}

static uint32_t stack_of(enum fixture_function leaf)
{
	const enum fixture_function calls[] = { leaf, FN_MAIN };

	return fixture_calls(&model, calls, 2);
}

static const struct snapshot_row *row_of(const struct snapshot *snapshot, const char *symbol)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (!strcmp(snapshot->rows[i].symbol, symbol))
			return &snapshot->rows[i];
	return NULL;
}

/*   f 3 samples, 100 events;  g 5 samples, 300 events;  main calls both */
static void test_rows_are_sorted_by_weight_and_shares_are_of_it(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = stack_of(FN_F), .count = 3, .weight = 100,
		  .task = fixture_task(&model, 7, 8, "app") },
		{ .stack = stack_of(FN_G), .count = 5, .weight = 300 },
	};
	struct snapshot *snapshot = build(KEYS_DEFAULT, entries, 2);
	const struct snapshot_row *row = snapshot->rows;

	(void)state;
	assert_int_equal(snapshot->row_count, 3);
	assert_string_equal(row[0].symbol, "g");
	assert_string_equal(row[1].symbol, "f");
	assert_string_equal(row[2].symbol, "main");
	assert_true(snapshot_pct(snapshot, row[0].now.self.weight) == 75);
	assert_true(snapshot_pct(snapshot, row[1].now.self.weight) == 25);
	assert_true(snapshot_pct(snapshot, row[2].now.total.weight) == 100);
	assert_int_equal(row[1].now.self.samples, 3);
	assert_int_equal(row[1].address, FIXTURE_APP_ADDRESS(FN_F));
	assert_string_equal(row[1].dso, "app");
	assert_string_equal(row[1].dso_path, "/bin/app");
	assert_string_equal(row[1].build_id, "abcd");
	assert_string_equal(row[1].comm, "app");
	assert_int_equal(row[1].pid, 7);
	assert_int_equal(row[1].tid, 8);
	assert_int_equal(row[1].mode, MODE_USER);
	snapshot_destroy(snapshot);
}

static void test_each_dso_has_its_build_id(void **state)
{
	const uint32_t syscall = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS);
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, &syscall, 1), .count = 9, .weight = 900,
		  .task = fixture_task(&model, 7, 8, "app") },
		{ .stack = stack_of(FN_F), .count = 3, .weight = 100 },
		{ .stack = stack_of(FN_G), .count = 5, .weight = 300 },
	};
	struct snapshot *snapshot = build(KEYS_DEFAULT, entries, 3);

	(void)state;
	assert_string_equal(row_of(snapshot, "do_syscall_64")->build_id, "");
	assert_string_equal(row_of(snapshot, "f")->build_id, "abcd");
	assert_string_equal(row_of(snapshot, "g")->build_id, "abcd");
	snapshot_destroy(snapshot);
}

/* The same by total: main, which only calls, is the first. */
static void test_rows_can_be_sorted_by_total(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = stack_of(FN_F), .count = 3, .weight = 100,
		  .task = fixture_task(&model, 7, 8, "app") },
		{ .stack = stack_of(FN_G), .count = 5, .weight = 300 },
	};
	const struct snapshot head = { .host = "h", .event = "e", .target = "t" };
	const struct row_sources by_total = { .by_total = true };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);
	struct snapshot *snapshot = snapshot_build(&head, &fold, &by_total);

	(void)state;
	assert_non_null(snapshot);
	assert_string_equal(snapshot->rows[0].symbol, "main");
	assert_string_equal(snapshot->rows[1].symbol, "g");
	assert_string_equal(snapshot->rows[2].symbol, "f");
	snapshot_destroy(snapshot);
	fold_finish(&fold);
}

static void test_an_empty_window_has_shares_of_nothing(void **state)
{
	struct snapshot *snapshot = build(KEYS_DEFAULT, NULL, 0);

	(void)state;
	assert_int_equal(snapshot->row_count, 0);
	assert_true(snapshot_pct(snapshot, 0) == 0);
	assert_string_equal(snapshot->notice, "");
	assert_string_equal(snapshot->end_reason, "");
	snapshot_destroy(snapshot);
	snapshot_destroy(NULL);
}

static void test_what_differs_among_the_samples_is_absent(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = stack_of(FN_F), .count = 1, .cpu = SLICE_CPU_UNKNOWN,
		  .task = fixture_task(&model, 7, 7, "one") },
		{ .stack = stack_of(FN_G), .count = 1, .cpu = 3,
		  .task = fixture_task(&model, 8, 8, "two") },
	};
	struct snapshot *snapshot = build(KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_string_equal(row_of(snapshot, "main")->comm, "");
	assert_int_equal(row_of(snapshot, "main")->pid, -1);
	assert_int_equal(row_of(snapshot, "main")->cpu, -1);
	assert_int_equal(row_of(snapshot, "main")->tasks, 2);
	assert_int_equal(row_of(snapshot, "f")->cpu, -1);	/* unknown */
	assert_int_equal(row_of(snapshot, "g")->cpu, 3);
	snapshot_destroy(snapshot);
}

static void test_rows_without_code_have_no_level(void **state)
{
	const struct slice_entry entry = { .stack = stack_of(FN_F), .count = 1,
					   .task = fixture_task(&model, 7, 7, "one") };
	struct snapshot *by_comm = build(KEY_COMM, &entry, 1);
	struct snapshot *by_dso = build(KEY_DSO, &entry, 1);

	(void)state;
	assert_int_equal(by_comm->rows[0].mode, MODE_UNKNOWN);
	assert_string_equal(by_comm->rows[0].symbol, "");
	assert_string_equal(by_comm->rows[0].dso, "");
	assert_int_equal(by_dso->rows[0].mode, MODE_USER);
	snapshot_destroy(by_comm);
	snapshot_destroy(by_dso);
}

static void test_foreign_text_is_clean_and_lines_stay_lines(void **state)
{
	const uint32_t dso = fixture_dso(&model, "/tmp/\033]0;x\007", DSO_NO_TABLE);
	const uint32_t frame = stack_trie_frame(&model.trie, dso, 1);
	const struct slice_entry entry = { .stack = fixture_stack(&model, &frame, 1), .count = 1,
					   .task = fixture_task(&model, 1, 1, "a\xc2\x9b" "b") };
	const struct snapshot head = { .host = "ho\033st", .event = "e\x80", .target = "t\n",
				       .notice = "one\033\ntwo\n\nfour", .end_reason = "r\r" };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, &entry, 1);
	struct snapshot *snapshot = snapshot_build(&head, &fold, &nothing);

	(void)state;
	assert_string_equal(snapshot->host, "ho\\x1bst");
	assert_string_equal(snapshot->event, "e\\x80");
	assert_string_equal(snapshot->target, "t\\x0a");
	assert_string_equal(snapshot->notice, "one\\x1b\ntwo\n\nfour");
	assert_string_equal(snapshot->end_reason, "r\\x0d");
	assert_string_equal(snapshot->rows[0].dso_path, "/tmp/\\x1b]0;x\\x07");
	assert_true(sanitize_is_clean(snapshot->rows[0].comm, strlen(snapshot->rows[0].comm)));
	fold_finish(&fold);
	snapshot_destroy(snapshot);
}

static void test_the_reason_stands_with_an_unreadable_dso(void **state)
{
	const uint32_t dso = fixture_dso(&model, "/tmp/x", DSO_LOADING);
	const uint32_t frame = stack_trie_frame(&model.trie, dso, 1);
	const struct slice_entry entry = { .stack = fixture_stack(&model, &frame, 1), .count = 1,
					   .task = fixture_task(&model, 1, 1, "a") };
	struct snapshot *snapshot;

	(void)state;
	dso_table_set_unreadable(&model.dsos, dso, "not ELF");
	snapshot = build(KEYS_DEFAULT, &entry, 1);
	assert_int_equal(snapshot->rows[0].state, SYMBOL_UNREADABLE);
	assert_string_equal(snapshot->rows[0].reason, "not ELF");
	snapshot_destroy(snapshot);
}

/* Everything that could be one row in two snapshots: keys of every sort, over a compaction that
 * gives tasks and stacks other numbers. */
static void assert_ids_are_stable(unsigned int keys, struct slice_entry *entries, uint32_t count)
{
	struct snapshot *before = build(keys, entries, count), *after;
	unsigned char used_stacks[64] = { 0 }, used_tasks[64] = { 0 };
	uint32_t new_stack[64], new_task[64];

	for (uint32_t i = 0; i < count; i++) {
		used_stacks[entries[i].stack] = 1;
		used_tasks[entries[i].task] = 1;
	}
	assert_int_equal(stack_trie_compact(&model.trie, used_stacks, new_stack), 0);
	assert_int_equal(task_table_compact(&model.tasks, used_tasks, new_task), 0);
	for (uint32_t i = 0; i < count; i++) {
		entries[i].stack = new_stack[entries[i].stack];
		entries[i].task = new_task[entries[i].task];
	}
	after = build(keys, entries, count);
	assert_int_equal(after->row_count, before->row_count);
	for (size_t i = 0; i < after->row_count; i++) {
		assert_true(after->rows[i].id == before->rows[i].id);
		for (size_t other = 0; other < i; other++)
			assert_true(after->rows[i].id != after->rows[other].id);
	}
	snapshot_destroy(before);
	snapshot_destroy(after);
}

/* Entries 2.. are what is looked at; 0 and 1 make the numbers move. Every weight is another, so
 * that the order of rows is known. */
static uint32_t mixed_entries(struct slice_entry *entries)
{
	const uint32_t unknown = stack_trie_frame(&model.trie, DSO_UNKNOWN, 0x10);
	const uint32_t unknown_kernel = stack_trie_frame(&model.trie, DSO_UNKNOWN_KERNEL, 0x10);
	const uint32_t hypervisor = stack_trie_frame(&model.trie, DSO_HYPERVISOR, 0x10);
	const uint32_t idle = fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS);
	const uint32_t kernel = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS);
	const uint32_t one = fixture_dso(&model, "/lib/one.so", DSO_NO_TABLE);
	const uint32_t other = fixture_dso(&model, "/lib/other.so", DSO_NO_TABLE);
	const uint32_t frames[] = { unknown, unknown_kernel, hypervisor, idle, kernel,
				    stack_trie_frame(&model.trie, one, 0x10),
				    stack_trie_frame(&model.trie, other, 0x10) };
	uint32_t count = 0;

	for (uint32_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		entries[count++] = (struct slice_entry){
			.stack = fixture_stack(&model, &frames[i], 1),
			.task = fixture_task(&model, i / 2, i, i % 2 ? "odd" : "even"),
			.cpu = (uint16_t)(i % 2),
		};
	for (uint32_t i = 0; i < FN_COUNT; i++)
		entries[count++] = (struct slice_entry){
			.stack = stack_of((enum fixture_function)i),
			.task = fixture_task(&model, 10 + i / 3, 10 + i, i % 2 ? "odd" : "even"),
		};
	for (uint32_t i = 0; i < count; i++) {
		entries[i].count = 1;
		entries[i].weight = 1u << i;
	}
	return count;
}

static void test_ids_are_stable_and_differ_for_every_set_of_keys(void **state)
{
	struct slice_entry entries[16];
	const uint32_t unused = stack_of(FN_H);

	(void)state;
	assert_int_equal(unused, 0);	/* it goes at the compaction */
	fixture_task(&model, 999, 999, "gone");
	for (unsigned int keys = 1; keys < 1u << 7; keys++) {
		const uint32_t count = mixed_entries(entries);

		fixture_task(&model, 1000 + keys, 1000 + keys, "gone");
		assert_ids_are_stable(keys, entries, count);
	}
}

static void test_levels_are_written_as_perf_does(void **state)
{
	(void)state;
	assert_int_equal(snapshot_level(MODE_KERNEL), 'k');
	assert_int_equal(snapshot_level(MODE_USER), '.');
	assert_int_equal(snapshot_level(MODE_GUEST_KERNEL), 'g');
	assert_int_equal(snapshot_level(MODE_GUEST_USER), 'u');
	assert_int_equal(snapshot_level(MODE_HYPERVISOR), 'H');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_snapshot)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_are_sorted_by_weight_and_shares_are_of_it),
		TEST(test_each_dso_has_its_build_id),
		TEST(test_rows_can_be_sorted_by_total),
		TEST(test_an_empty_window_has_shares_of_nothing),
		TEST(test_what_differs_among_the_samples_is_absent),
		TEST(test_rows_without_code_have_no_level),
		TEST(test_foreign_text_is_clean_and_lines_stay_lines),
		TEST(test_the_reason_stands_with_an_unreadable_dso),
		TEST(test_ids_are_stable_and_differ_for_every_set_of_keys),
		TEST(test_levels_are_written_as_perf_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
