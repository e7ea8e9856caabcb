/* Rows worked out by hand from a few stacks. Stacks are written leaf first, as the kernel gives
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define KEYS_DEFAULT (KEY_DSO | KEY_SYMBOL)
#define CALLS(...)                                                                                 \
	fixture_calls(&model, (const enum fixture_function[]){ __VA_ARGS__ },                      \
		      sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

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

static void assert_samples(const struct fold *fold, const char *symbol, uint64_t self,
			   uint64_t total)
{
	const struct fold_row *row = fixture_row(fold, symbol, false);

	assert_non_null(row);
	assert_int_equal(row->stats.self.samples, self);
	assert_int_equal(row->stats.total.samples, total);
}

/* A recursive function must not be counted twice in one sample.
 *
 *   3 samples  main > f > g > f        expected:       self  total
 *   1 sample   main > f                         main      0      4
 *                                               f         4      4   <- 7 if recursion counts twice
 *                                               g         0      3
 */
static void test_recursion_counts_once_per_sample(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F, FN_G, FN_F, FN_MAIN), .count = 3,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 1 },
	};
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_int_equal(fold.row_count, 3);
	assert_samples(&fold, "main", 0, 4);
	assert_samples(&fold, "f", 4, 4);
	assert_samples(&fold, "g", 0, 3);
	fold_finish(&fold);
}

/*   5 samples  main > f > g > f > g      expected:   self  total
 *   2 samples  main > g > f                   main      0      7
 *                                             f         2      7
 *                                             g         5      7 */
static void test_mutual_recursion_counts_each_once(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_G, FN_F, FN_G, FN_F, FN_MAIN), .count = 5,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_G, FN_MAIN), .count = 2 },
	};
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_samples(&fold, "main", 0, 7);
	assert_samples(&fold, "f", 2, 7);
	assert_samples(&fold, "g", 5, 7);
	fold_finish(&fold);
}

/* Two addresses of one function are one row, and in one stack still one sample. */
static void test_addresses_of_a_function_are_one_row(void **state)
{
	const uint32_t frames[] = { fixture_frame(&model, FN_F, 0x10),
				    fixture_frame(&model, FN_F, 0xff),
				    fixture_frame(&model, FN_MAIN, 4) };
	const struct slice_entry entry = { .stack = fixture_stack(&model, frames, 3), .count = 6,
					   .task = fixture_task(&model, 1, 1, "app") };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, &entry, 1);

	(void)state;
	assert_int_equal(fold.row_count, 2);
	assert_samples(&fold, "f", 6, 6);
	fold_finish(&fold);
}

/*   f: 9 samples that stand for 100 events; g: 1 sample that stands for 300 */
static void test_weights_need_not_follow_the_counts(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 9, .weight = 100,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_G, FN_MAIN), .count = 1, .weight = 300 },
	};
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_int_equal(fold.samples, 10);
	assert_true(fold.weight == 400);
	assert_true(fixture_row(&fold, "f", false)->stats.self.weight == 100);
	assert_true(fixture_row(&fold, "g", false)->stats.self.weight == 300);
	assert_true(fixture_row(&fold, "main", false)->stats.self.weight == 0);
	assert_true(fixture_row(&fold, "main", false)->stats.total.weight == 400);
	fold_finish(&fold);
}

static void test_a_factor_scales_weights_and_leaves_counts(void **state)
{
	const struct slice_entry entry = { .stack = CALLS(FN_F, FN_MAIN), .count = 4, .weight = 80,
					   .task = fixture_task(&model, 1, 1, "app") };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, &entry, 1);

	(void)state;
	fold_add(&fold, &entry, 1, 0.25);	/* two half-lives older */
	assert_int_equal(fold.samples, 8);
	assert_true(fold.weight == 100);
	assert_true(fixture_row(&fold, "f", false)->stats.self.weight == 100);
	assert_true(fixture_row(&fold, "main", false)->stats.total.weight == 100);
	assert_samples(&fold, "f", 8, 8);
	fold_finish(&fold);
}

/* The idle task, whatever it does, and whoever is found in the idle loop: apart from the rest. */
static void test_idle_samples_have_rows_and_sums_of_their_own(void **state)
{
	const uint32_t idle = fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS + 5);
	const uint32_t syscall = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&model, 0, 0, "swapper"), .count = 10, .weight = 100,
		  .stack = fixture_stack(&model, &idle, 1) },
		{ .task = 0, .count = 1, .weight = 10,	/* an interrupt in pid 0 */
		  .stack = fixture_stack(&model, &syscall, 1) },
		{ .task = fixture_task(&model, 50, 50, "idle_inject/0"), .count = 2, .weight = 20,
		  .stack = fixture_stack(&model, &idle, 1) },
		{ .task = 1, .count = 5, .weight = 50,
		  .stack = fixture_stack(&model, &syscall, 1) },
	};
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 4);

	(void)state;
	assert_int_equal(fold.samples, 18);
	assert_int_equal(fold.idle_samples, 13);
	assert_true(fold.idle_weight == 130 && fold.weight == 50);
	assert_int_equal(fixture_row(&fold, "default_idle", true)->stats.self.samples, 12);
	assert_int_equal(fixture_row(&fold, "do_syscall_64", true)->stats.self.samples, 1);
	assert_int_equal(fixture_row(&fold, "do_syscall_64", false)->stats.self.samples, 5);
	assert_null(fixture_row(&fold, "default_idle", false));
	fold_finish(&fold);
	fold = fixture_fold(&model, KEY_DSO, entries, 4);
	assert_int_equal(fold.row_count, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(fold.rows[i].stats.self.samples, fold.rows[i].is_idle ? 13 : 5);
	fold_finish(&fold);
}

/* The same samples, asked for nothing but their sums. */
static void test_without_keys_there_are_sums_and_no_rows(void **state)
{
	const uint32_t idle = fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS + 5);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&model, 50, 50, "idle_inject/0"), .count = 2, .weight = 20,
		  .stack = fixture_stack(&model, &idle, 1) },
		{ .task = fixture_task(&model, 1, 1, "app"), .count = 5, .weight = 50,
		  .stack = CALLS(FN_F, FN_MAIN) },
		{ .task = 1, .count = 3, .weight = 40, .stack = CALLS(FN_MAIN) },
	};
	struct filter filter = { .count = 1 };
	struct fold fold = fixture_fold(&model, 0, entries, 3);

	(void)state;
	assert_int_equal(fold.row_count, 0);
	assert_int_equal(fold.samples, 10);
	assert_int_equal(fold.idle_samples, 2);
	assert_true(fold.weight == 90 && fold.idle_weight == 20);
	assert_int_equal(fold.shown_samples, 8);
	assert_true(fold.shown_weight == 90);
	fold_finish(&fold);
	filter.parts[0] = (struct filter_part){ .field = FILTER_SYMBOL, .text = "main",
						.hash = filter_hash("main") };
	fold = fixture_fold_filtered(&model, 0, &filter, entries, 3);
	assert_int_equal(fold.row_count, 0);
	assert_int_equal(fold.samples, 10);
	assert_int_equal(fold.shown_samples, 3);	/* those of its own */
	assert_true(fold.shown_weight == 40);
	fold_finish(&fold);
}

static void test_only_the_shown_event_counts(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F), .count = 1, .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F), .count = 100, .event = 1 },
	};
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_samples(&fold, "f", 1, 1);
	assert_int_equal(fold.samples, 1);
	fold_finish(&fold);
}

/* app: named. lib: its table is on the way, one row. jit: no table, a row per address. */
static void test_a_loading_dso_is_one_row_and_unknown_addresses_are_each_their_own(void **state)
{
	const uint32_t lib = fixture_dso(&model, "/lib/lib.so", DSO_LOADING);
	const uint32_t jit = fixture_dso(&model, "//anon", DSO_NO_TABLE);
	const uint32_t leaves[] = {
		stack_trie_frame(&model.trie, lib, 0x100),
		stack_trie_frame(&model.trie, lib, 0x200),
		stack_trie_frame(&model.trie, jit, 0x100),
		stack_trie_frame(&model.trie, jit, 0x200),
		stack_trie_frame(&model.trie, model.app, 0x77),	/* before every function */
		fixture_frame(&model, FN_F, 0),
	};
	struct slice_entry entries[6];
	struct fold fold;

	(void)state;
	fixture_task(&model, 1, 1, "app");
	for (uint32_t i = 0; i < 6; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&model, &leaves[i], 1), .count = i + 1,
		};
	fold = fixture_fold(&model, KEYS_DEFAULT, entries, 6);
	assert_int_equal(fold.row_count, 5);
	assert_samples(&fold, "", 3, 3);	/* 1 + 2 */
	assert_samples(&fold, "0x100", 3, 3);
	assert_samples(&fold, "0x200", 4, 4);
	assert_samples(&fold, "0x77", 5, 5);
	assert_samples(&fold, "f", 6, 6);
	assert_int_equal(fold.unresolved, 15);
	fold_finish(&fold);
}

/* Two processes of one program: what each made is a row, whatever the keys. */
static void test_code_without_a_map_is_one_row_per_process(void **state)
{
	static const unsigned int keys[] = { KEYS_DEFAULT, KEY_SYMBOL };
	const uint32_t one = fixture_dso(&model, "//anon", DSO_NO_TABLE);
	const uint32_t other = fixture_dso(&model, "/dev/[anon]", DSO_NO_TABLE);
	struct dso *dsos = model.dsos.dsos;
	struct slice_entry entries[3];

	(void)state;
	dsos[one].is_jit = dsos[other].is_jit = true;
	dsos[one].maker = dsos[other].maker = dsos[model.app].name;
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t frame = stack_trie_frame(&model.trie, i == 2 ? other : one, i);

		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&model, &frame, 1), .count = i + 1,
			.task = fixture_task(&model, 1, 1, "app"),
		};
	}
	for (size_t i = 0; i < 2; i++) {
		struct fold fold = fixture_fold(&model, keys[i], entries, 3);

		assert_int_equal(fold.row_count, 2);
		assert_int_equal(fold.rows[0].stats.self.samples, 3);
		assert_int_equal(fold.rows[1].stats.self.samples, 3);
		assert_int_equal(fold.unresolved, 6);
		fold_finish(&fold);
	}
}

/* Two programs in four threads on two CPUs: f of each, with different counts.
 *
 *   task       stack           cpu  samples
 *   a 10/10    f < main          0        1
 *   a 10/11    f < main          1        2
 *   a 20/20    g < main          0        4
 *   b 30/30    do_syscall_64     1        8   */
static struct fold fold_by(unsigned int keys)
{
	const uint32_t syscall = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&model, 10, 10, "a"), .stack = CALLS(FN_F, FN_MAIN),
		  .cpu = 0, .count = 1 },
		{ .task = fixture_task(&model, 10, 11, "a"), .stack = CALLS(FN_F, FN_MAIN),
		  .cpu = 1, .count = 2 },
		{ .task = fixture_task(&model, 20, 20, "a"), .stack = CALLS(FN_G, FN_MAIN),
		  .cpu = 0, .count = 4 },
		{ .task = fixture_task(&model, 30, 30, "b"), .cpu = 1, .count = 8,
		  .stack = fixture_stack(&model, &syscall, 1) },
	};

	return fixture_fold(&model, keys, entries, 4);
}

/* Self of every row, as a set: each sum of samples is another, so this tells which rows were
 * joined. */
static void assert_self(unsigned int keys, const uint64_t *expected, uint32_t count)
{
	struct fold fold = fold_by(keys);
	uint64_t sum = 0;

	assert_int_equal(fold.row_count, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t found = 0;

		for (uint32_t r = 0; r < fold.row_count; r++)
			found += fold.rows[r].stats.self.samples == expected[i];
		assert_true(found >= 1);
		sum += fold.rows[i].stats.self.samples;
		assert_true(fold.rows[i].stats.total.samples >= fold.rows[i].stats.self.samples);
	}
	assert_int_equal(sum, 15);
	fold_finish(&fold);
}

#define ASSERT_SELF(keys, ...)                                                                     \
	assert_self(keys, (const uint64_t[]){ __VA_ARGS__ },                                       \
		    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Rows that only call (main) have a self of 0. */
static void test_rows_are_keyed_by_any_set_of_keys(void **state)
{
	(void)state;
	ASSERT_SELF(KEY_COMM, 7, 8);
	ASSERT_SELF(KEY_PID, 3, 4, 8);
	ASSERT_SELF(KEY_TID, 1, 2, 4, 8);
	ASSERT_SELF(KEY_CPU, 5, 10);
	ASSERT_SELF(KEY_DSO, 7, 8);
	ASSERT_SELF(KEY_SYMBOL, 3, 4, 8, 0);
	ASSERT_SELF(KEY_ADDRESS, 3, 4, 8, 0);
	ASSERT_SELF(KEY_COMM | KEY_CPU, 5, 2, 8);
	ASSERT_SELF(KEY_PID | KEY_CPU, 1, 2, 4, 8);
	ASSERT_SELF(KEY_COMM | KEY_DSO, 7, 8);
	ASSERT_SELF(KEY_PID | KEY_DSO, 3, 4, 8);
	ASSERT_SELF(KEYS_DEFAULT | KEY_PID, 3, 4, 8, 0, 0);	/* main twice */
	ASSERT_SELF(KEYS_DEFAULT | KEY_TID, 1, 2, 4, 8, 0, 0, 0);
	ASSERT_SELF(KEYS_DEFAULT | KEY_COMM, 3, 4, 8, 0);
	ASSERT_SELF(KEYS_DEFAULT | KEY_CPU, 1, 2, 4, 8, 0, 0);
	ASSERT_SELF(KEY_COMM | KEY_PID | KEY_TID | KEY_CPU, 1, 2, 4, 8);
}

static const struct fold_row *row_with_self(const struct fold *fold, uint64_t self)
{
	for (uint32_t i = 0; i < fold->row_count; i++)
		if (fold->rows[i].stats.self.samples == self)
			return &fold->rows[i];
	return NULL;
}

static void test_a_key_of_the_code_holds_every_sample_of_it_once(void **state)
{
	struct fold by_dso = fold_by(KEY_DSO), by_comm = fold_by(KEY_COMM);

	(void)state;
	/* not 14 for f and main */
	assert_int_equal(row_with_self(&by_dso, 7)->stats.total.samples, 7);
	assert_int_equal(row_with_self(&by_comm, 7)->stats.total.samples, 7);
	assert_int_equal(row_with_self(&by_comm, 8)->stats.total.samples, 8);
	fold_finish(&by_dso);
	fold_finish(&by_comm);
}

/* Branches: the leaf is where it leads, the caller where it comes from.
 *
 *   from      to      predicted  mispredicted  unknown
 *   main+4    f       3          1                          one row
 *   main+8    f       2                                     another
 *   g+4       main                             5 */
static void test_branches_are_told_apart_by_both_ends(void **state)
{
	const uint32_t near[] = { fixture_frame(&model, FN_F, 0),
				  fixture_frame(&model, FN_MAIN, 4) };
	const uint32_t far[] = { fixture_frame(&model, FN_F, 0),
				 fixture_frame(&model, FN_MAIN, 8) };
	const uint32_t back[] = { fixture_frame(&model, FN_MAIN, 0),
				  fixture_frame(&model, FN_G, 4) };
	const uint32_t task = fixture_task(&model, 1, 1, "app");
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, near, 2), .count = 3, .weight = 3, .task = task,
		  .bucket = BRANCH_PREDICTED },
		{ .stack = fixture_stack(&model, near, 2), .count = 1, .weight = 1, .task = task,
		  .bucket = BRANCH_MISPREDICTED },
		{ .stack = fixture_stack(&model, far, 2), .count = 2, .weight = 2, .task = task,
		  .bucket = BRANCH_PREDICTED },
		{ .stack = fixture_stack(&model, back, 2), .count = 5, .weight = 5, .task = task },
	};
	struct fold fold = fixture_fold(&model, KEYS_BRANCH, entries, 4);
	const struct fold_row *rows = fold.rows;

	(void)state;
	assert_int_equal(fold.row_count, 3);	/* where a branch comes from is no row */
	assert_int_equal(rows[0].stats.self.samples, 4);
	assert_int_equal(rows[0].stats.total.samples, 4);
	assert_true(rows[0].predicted == 3 && rows[0].mispredicted == 1);
	assert_int_equal(rows[0].key.from, FIXTURE_APP_ADDRESS(FN_MAIN) + 4);
	assert_int_equal(rows[0].from_symbol, rows[2].symbol);	/* main */
	assert_int_equal(rows[1].key.from, FIXTURE_APP_ADDRESS(FN_MAIN) + 8);
	assert_true(rows[1].predicted == 2 && rows[1].mispredicted == 0);
	assert_int_equal(rows[2].stats.self.samples, 5);
	assert_true(rows[2].predicted == 0 && rows[2].mispredicted == 0);
	assert_ptr_equal(fold_find_row(&fold, &rows[1].key), &rows[1]);
	fold_finish(&fold);
}

/* A filter looks at where branches lead. */
static void test_a_filter_leaves_branches_to_what_matches(void **state)
{
	const uint32_t to_f[] = { fixture_frame(&model, FN_F, 0), fixture_frame(&model, FN_G, 4) };
	const uint32_t to_g[] = { fixture_frame(&model, FN_G, 0), fixture_frame(&model, FN_F, 4) };
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, to_f, 2), .count = 3,
		  .task = fixture_task(&model, 1, 1, "app"), .bucket = BRANCH_PREDICTED },
		{ .stack = fixture_stack(&model, to_g, 2), .count = 1 },
	};
	struct filter filter = { .count = 1, .parts[0] = { .field = FILTER_SYMBOL, .text = "f",
							   .hash = filter_hash("f") } };
	struct fold fold = fixture_fold_filtered(&model, KEYS_BRANCH, &filter, entries, 2);

	(void)state;
	assert_int_equal(fold.row_count, 1);
	assert_int_equal(fold.rows[0].stats.self.samples, 3);
	fold_finish(&fold);
}

/* The same word in kernel and program are two things, also without the DSO as a key. */
static void test_a_name_is_another_on_another_level(void **state)
{
	const uint32_t user = fixture_dso(&model, "/lib/x.so", DSO_NO_TABLE);
	const uint32_t kernel = fixture_kernel_frame(&model, 0x100);
	const uint32_t jit = stack_trie_frame(&model.trie, user, 0x100);
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, &kernel, 1), .count = 1,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = fixture_stack(&model, &jit, 1), .count = 2 },
	};
	struct fold by_symbol = fixture_fold(&model, KEY_SYMBOL, entries, 2);
	struct fold by_address = fixture_fold(&model, KEY_ADDRESS, entries, 2);

	(void)state;
	assert_int_equal(by_symbol.row_count, 2);
	assert_int_equal(by_address.row_count, 2);
	fold_finish(&by_symbol);
	fold_finish(&by_address);
}

/* The same offset in two stripped files is not the same code. */
static void test_an_address_is_no_name_that_dsos_share(void **state)
{
	const uint32_t one = fixture_dso(&model, "/lib/one.so", DSO_NO_TABLE);
	const uint32_t other = fixture_dso(&model, "/lib/other.so", DSO_UNREADABLE);
	const uint32_t third = fixture_dso(&model, "/lib/third.so", DSO_NO_TABLE);
	const uint32_t frames[] = { stack_trie_frame(&model.trie, one, 0x1234),
				    stack_trie_frame(&model.trie, other, 0x1234),
				    stack_trie_frame(&model.trie, third, 0x1234) };
	const struct slice_entry entry = { .stack = fixture_stack(&model, frames, 3), .count = 3,
					   .task = fixture_task(&model, 1, 1, "app") };
	struct fold fold = fixture_fold(&model, KEY_SYMBOL, &entry, 1);

	(void)state;
	assert_int_equal(fold.row_count, 3);
	assert_int_equal(fold.rows[0].stats.self.samples + fold.rows[1].stats.self.samples +
			 fold.rows[2].stats.self.samples, 3);
	fold_finish(&fold);
}

static void test_a_row_tells_whose_it_is_or_how_many_share_it(void **state)
{
	struct fold fold = fold_by(KEYS_DEFAULT);
	const struct fold_row *row = fixture_row(&fold, "g", false);
	const char *comm = strpool_get(model.strings, (struct str_id){ row->comm });

	(void)state;
	assert_string_equal(comm, "a");
	assert_int_equal(row->pid, 20);
	assert_int_equal(row->tid, 20);
	assert_int_equal(row->cpu, 0);
	assert_int_equal(row->tasks, 1);

	row = fixture_row(&fold, "f", false);	/* two threads of one process */
	assert_int_equal(row->pid, 10);
	assert_int_equal(row->tid, FOLD_MIXED);
	assert_int_equal(row->cpu, FOLD_MIXED);
	assert_int_equal(row->tasks, 2);

	row = fixture_row(&fold, "main", false);	/* two processes of one name */
	assert_true(row->comm != FOLD_MIXED);
	assert_int_equal(row->pid, FOLD_MIXED);
	assert_int_equal(row->tasks, 3);
	fold_finish(&fold);
}

static void test_a_task_that_comes_again_is_counted_once(void **state)
{
	struct slice_entry entries[30];
	struct fold fold;

	(void)state;
	for (uint32_t i = 0; i < 30; i++)
		entries[i] = (struct slice_entry){
			.stack = CALLS(FN_F), .count = 1,
			.task = fixture_task(&model, 1 + i % 3, 1 + i % 3, "app"),
		};
	fold = fixture_fold(&model, KEYS_DEFAULT, entries, 30);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 3);
	assert_int_equal(fixture_row(&fold, "f", false)->pid, FOLD_MIXED);
	fold_finish(&fold);
}

/* The cgroup of one was assumed, and read when there was the other already. */
static void test_tasks_that_became_alike_are_one(void **state)
{
	struct thread *thread = task_table_thread(&model.tasks, 1, 1);
	const uint32_t known = fixture_task_in(&model, 1, 1, "app", "/a");
	struct slice_entry entries[3];
	struct fold fold;

	(void)state;
	thread_set_cgroup(thread, 0, true);
	for (uint32_t i = 0; i < 3; i++)
		entries[i] = (struct slice_entry){ .stack = CALLS(FN_F), .count = 1 };
	entries[0].task = known;
	entries[1].task = task_table_task(&model.tasks, thread);
	entries[2].task = fixture_task_in(&model, 1, 1, "app", "/b");
	assert_true(task_table_settle(&model.tasks, task_table_process(&model.tasks, 1),
				      model.tasks.tasks[known].cgroup));
	assert_int_not_equal(known, entries[1].task);
	fold = fixture_fold(&model, KEYS_DEFAULT, entries, 2);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 1);
	fold_finish(&fold);
	fold = fixture_fold(&model, KEYS_DEFAULT, entries, 3);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 2);
	fold_finish(&fold);
}

static void test_an_entry_that_counts_nothing_makes_no_row(void **state)
{
	const struct slice_entry entry = { .stack = CALLS(FN_F, FN_MAIN),
					   .task = fixture_task(&model, 1, 1, "app") };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT, &entry, 1);

	(void)state;
	assert_int_equal(fold.row_count, 0);
	assert_int_equal(fold.samples, 0);
	fold_finish(&fold);
}

/* Event 0: 3 samples main > f. Event 1: 5 samples main > f, 1 sample main > g. The sums stay those
 * of event 0, and each event has a whole of its own. */
static void test_rows_may_be_of_all_events(void **state)
{
	const struct filter only_f = { .count = 1, .parts = {
		{ .field = FILTER_TEXT, .text = "f" } } };
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 3, .weight = 30,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 5, .weight = 500, .event = 1 },
		{ .stack = CALLS(FN_G, FN_MAIN), .count = 1, .weight = 100, .event = 1 },
		{ .stack = 0, .count = 7, .weight = 7, .event = EVENT_OF_VALUES },
	};
	struct fold fold = fixture_fold(&model, KEY_SYMBOL | KEY_EVENT, entries, 4);
	struct fold_key key = fixture_row(&fold, "f", false)->key;

	(void)state;
	assert_int_equal(fold.row_count, 5);	/* f and main of both, and g */
	assert_int_equal(key.event, 0);
	assert_int_equal(fold_find_row(&fold, &key)->stats.self.samples, 3);
	key.event = 1;
	assert_int_equal(fold_find_row(&fold, &key)->stats.self.samples, 5);
	assert_int_equal(fold.samples, 3);
	assert_true(fold.weight == 30 && fold.shown_weight == 30);
	assert_true(fold.wholes[0].weight == 30 && fold.wholes[1].weight == 600);
	fold_finish(&fold);
	fold = fixture_fold_filtered(&model, KEY_EVENT, &only_f, entries, 4);
	assert_int_equal(fold.row_count, 2);
	assert_true(fold.wholes[1].weight == 600 && fold.wholes[1].shown_weight == 500);
	assert_true(fold.shown_weight == 30);
	fold_finish(&fold);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_fold)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recursion_counts_once_per_sample),
		TEST(test_mutual_recursion_counts_each_once),
		TEST(test_addresses_of_a_function_are_one_row),
		TEST(test_weights_need_not_follow_the_counts),
		TEST(test_a_factor_scales_weights_and_leaves_counts),
		TEST(test_idle_samples_have_rows_and_sums_of_their_own),
		TEST(test_without_keys_there_are_sums_and_no_rows),
		TEST(test_only_the_shown_event_counts),
		TEST(test_a_loading_dso_is_one_row_and_unknown_addresses_are_each_their_own),
		TEST(test_code_without_a_map_is_one_row_per_process),
		TEST(test_rows_are_keyed_by_any_set_of_keys),
		TEST(test_a_key_of_the_code_holds_every_sample_of_it_once),
		TEST(test_a_name_is_another_on_another_level),
		TEST(test_branches_are_told_apart_by_both_ends),
		TEST(test_a_filter_leaves_branches_to_what_matches),
		TEST(test_an_address_is_no_name_that_dsos_share),
		TEST(test_a_row_tells_whose_it_is_or_how_many_share_it),
		TEST(test_a_task_that_comes_again_is_counted_once),
		TEST(test_tasks_that_became_alike_are_one),
		TEST(test_an_entry_that_counts_nothing_makes_no_row),
		TEST(test_rows_may_be_of_all_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
