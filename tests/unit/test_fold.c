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

#define KEYS_DEFAULT (KEY_OBJECT | KEY_SYMBOL)
#define CALLS(...)                                                                                 \
	fixture_calls(&world, (const enum fixture_function[]){ __VA_ARGS__ },                      \
		      sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

static struct model_fixture world;

static int set_up(void **state)
{
	(void)state;
	fixture_init(&world);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_finish(&world);
	return 0;
}

static void assert_samples(const struct fold *fold, const char *symbol, uint64_t self,
			   uint64_t total)
{
	const struct fold_row *row = fixture_row(fold, symbol, false);

	assert_non_null(row);
	assert_int_equal(row->self_samples, self);
	assert_int_equal(row->total_samples, total);
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
		  .task = fixture_task(&world, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 1 },
	};
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, entries, 2);

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
		  .task = fixture_task(&world, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_G, FN_MAIN), .count = 2 },
	};
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_samples(&fold, "main", 0, 7);
	assert_samples(&fold, "f", 2, 7);
	assert_samples(&fold, "g", 5, 7);
	fold_finish(&fold);
}

/* Two addresses of one function are one row, and in one stack still one sample. */
static void test_addresses_of_a_function_are_one_row(void **state)
{
	const uint32_t frames[] = { fixture_frame(&world, FN_F, 0x10),
				    fixture_frame(&world, FN_F, 0xff),
				    fixture_frame(&world, FN_MAIN, 4) };
	const struct slice_entry entry = { .stack = fixture_stack(&world, frames, 3), .count = 6,
					   .task = fixture_task(&world, 1, 1, "app") };
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, &entry, 1);

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
		  .task = fixture_task(&world, 1, 1, "app") },
		{ .stack = CALLS(FN_G, FN_MAIN), .count = 1, .weight = 300 },
	};
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_int_equal(fold.samples, 10);
	assert_true(fold.weight == 400);
	assert_true(fixture_row(&fold, "f", false)->self_weight == 100);
	assert_true(fixture_row(&fold, "g", false)->self_weight == 300);
	assert_true(fixture_row(&fold, "main", false)->self_weight == 0);
	assert_true(fixture_row(&fold, "main", false)->total_weight == 400);
	fold_finish(&fold);
}

static void test_a_factor_scales_weights_and_leaves_counts(void **state)
{
	const struct slice_entry entry = { .stack = CALLS(FN_F, FN_MAIN), .count = 4, .weight = 80,
					   .task = fixture_task(&world, 1, 1, "app") };
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, &entry, 1);

	(void)state;
	fold_add(&fold, &entry, 1, 0.25);	/* two half-lives older */
	assert_int_equal(fold.samples, 8);
	assert_true(fold.weight == 100);
	assert_true(fixture_row(&fold, "f", false)->self_weight == 100);
	assert_true(fixture_row(&fold, "main", false)->total_weight == 100);
	assert_samples(&fold, "f", 8, 8);
	fold_finish(&fold);
}

/* The idle task, whatever it does, and whoever is found in the idle loop: apart from the rest. */
static void test_idle_samples_have_rows_and_sums_of_their_own(void **state)
{
	const uint32_t idle = fixture_kernel_frame(&world, FIXTURE_IDLE_ADDRESS + 5);
	const uint32_t syscall = fixture_kernel_frame(&world, FIXTURE_SYSCALL_ADDRESS);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&world, 0, 0, "swapper"), .count = 10, .weight = 100,
		  .stack = fixture_stack(&world, &idle, 1) },
		{ .task = 0, .count = 1, .weight = 10,	/* an interrupt in pid 0 */
		  .stack = fixture_stack(&world, &syscall, 1) },
		{ .task = fixture_task(&world, 50, 50, "idle_inject/0"), .count = 2, .weight = 20,
		  .stack = fixture_stack(&world, &idle, 1) },
		{ .task = 1, .count = 5, .weight = 50,
		  .stack = fixture_stack(&world, &syscall, 1) },
	};
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, entries, 4);

	(void)state;
	assert_int_equal(fold.samples, 18);
	assert_int_equal(fold.idle_samples, 13);
	assert_true(fold.idle_weight == 130 && fold.weight == 50);
	assert_int_equal(fixture_row(&fold, "default_idle", true)->self_samples, 12);
	assert_int_equal(fixture_row(&fold, "do_syscall_64", true)->self_samples, 1);
	assert_int_equal(fixture_row(&fold, "do_syscall_64", false)->self_samples, 5);
	assert_null(fixture_row(&fold, "default_idle", false));
	fold_finish(&fold);
	fold = fixture_fold(&world, KEY_OBJECT, entries, 4);
	assert_int_equal(fold.row_count, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(fold.rows[i].self_samples, fold.rows[i].is_idle ? 13 : 5);
	fold_finish(&fold);
}

/* The same samples, asked for nothing but their sums. */
static void test_without_keys_there_are_sums_and_no_rows(void **state)
{
	const uint32_t idle = fixture_kernel_frame(&world, FIXTURE_IDLE_ADDRESS + 5);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&world, 50, 50, "idle_inject/0"), .count = 2, .weight = 20,
		  .stack = fixture_stack(&world, &idle, 1) },
		{ .task = fixture_task(&world, 1, 1, "app"), .count = 5, .weight = 50,
		  .stack = CALLS(FN_F, FN_MAIN) },
		{ .task = 1, .count = 3, .weight = 40, .stack = CALLS(FN_MAIN) },
	};
	struct filter filter = { .count = 1 };
	struct fold fold = fixture_fold(&world, 0, entries, 3);

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
	fold = fixture_fold_filtered(&world, 0, &filter, entries, 3);
	assert_int_equal(fold.row_count, 0);
	assert_int_equal(fold.samples, 10);
	assert_int_equal(fold.shown_samples, 3);	/* those of its own */
	assert_true(fold.shown_weight == 40);
	fold_finish(&fold);
}

static void test_only_the_shown_event_counts(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F), .count = 1, .task = fixture_task(&world, 1, 1, "app") },
		{ .stack = CALLS(FN_F), .count = 100, .event = 1 },
	};
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, entries, 2);

	(void)state;
	assert_samples(&fold, "f", 1, 1);
	assert_int_equal(fold.samples, 1);
	fold_finish(&fold);
}

/* app: named. lib: its table is on the way, one row. jit: no table, a row per address. */
static void test_a_loading_object_is_one_row_and_unknown_addresses_are_each_their_own(void **state)
{
	const uint32_t lib = fixture_object(&world, "/lib/lib.so", OBJECT_LOADING);
	const uint32_t jit = fixture_object(&world, "//anon", OBJECT_NO_TABLE);
	const uint32_t leaves[] = {
		stack_trie_frame(&world.trie, lib, 0x100),
		stack_trie_frame(&world.trie, lib, 0x200),
		stack_trie_frame(&world.trie, jit, 0x100),
		stack_trie_frame(&world.trie, jit, 0x200),
		stack_trie_frame(&world.trie, world.app, 0x77),	/* before every function */
		fixture_frame(&world, FN_F, 0),
	};
	struct slice_entry entries[6];
	struct fold fold;

	(void)state;
	fixture_task(&world, 1, 1, "app");
	for (uint32_t i = 0; i < 6; i++)
		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&world, &leaves[i], 1), .count = i + 1,
		};
	fold = fixture_fold(&world, KEYS_DEFAULT, entries, 6);
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
	const uint32_t one = fixture_object(&world, "//anon", OBJECT_NO_TABLE);
	const uint32_t other = fixture_object(&world, "/dev/[anon]", OBJECT_NO_TABLE);
	struct object *objects = world.objects.objects;
	struct slice_entry entries[3];

	(void)state;
	objects[one].is_jit = objects[other].is_jit = true;
	objects[one].maker = objects[other].maker = objects[world.app].name;
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t frame = stack_trie_frame(&world.trie, i == 2 ? other : one, i);

		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&world, &frame, 1), .count = i + 1,
			.task = fixture_task(&world, 1, 1, "app"),
		};
	}
	for (size_t i = 0; i < 2; i++) {
		struct fold fold = fixture_fold(&world, keys[i], entries, 3);

		assert_int_equal(fold.row_count, 2);
		assert_int_equal(fold.rows[0].self_samples, 3);
		assert_int_equal(fold.rows[1].self_samples, 3);
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
	const uint32_t syscall = fixture_kernel_frame(&world, FIXTURE_SYSCALL_ADDRESS);
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&world, 10, 10, "a"), .stack = CALLS(FN_F, FN_MAIN),
		  .cpu = 0, .count = 1 },
		{ .task = fixture_task(&world, 10, 11, "a"), .stack = CALLS(FN_F, FN_MAIN),
		  .cpu = 1, .count = 2 },
		{ .task = fixture_task(&world, 20, 20, "a"), .stack = CALLS(FN_G, FN_MAIN),
		  .cpu = 0, .count = 4 },
		{ .task = fixture_task(&world, 30, 30, "b"), .cpu = 1, .count = 8,
		  .stack = fixture_stack(&world, &syscall, 1) },
	};

	return fixture_fold(&world, keys, entries, 4);
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
			found += fold.rows[r].self_samples == expected[i];
		assert_true(found >= 1);
		sum += fold.rows[i].self_samples;
		assert_true(fold.rows[i].total_samples >= fold.rows[i].self_samples);
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
	ASSERT_SELF(KEY_OBJECT, 7, 8);
	ASSERT_SELF(KEY_SYMBOL, 3, 4, 8, 0);
	ASSERT_SELF(KEY_ADDRESS, 3, 4, 8, 0);
	ASSERT_SELF(KEY_COMM | KEY_CPU, 5, 2, 8);
	ASSERT_SELF(KEY_PID | KEY_CPU, 1, 2, 4, 8);
	ASSERT_SELF(KEY_COMM | KEY_OBJECT, 7, 8);
	ASSERT_SELF(KEY_PID | KEY_OBJECT, 3, 4, 8);
	ASSERT_SELF(KEYS_DEFAULT | KEY_PID, 3, 4, 8, 0, 0);	/* main twice */
	ASSERT_SELF(KEYS_DEFAULT | KEY_TID, 1, 2, 4, 8, 0, 0, 0);
	ASSERT_SELF(KEYS_DEFAULT | KEY_COMM, 3, 4, 8, 0);
	ASSERT_SELF(KEYS_DEFAULT | KEY_CPU, 1, 2, 4, 8, 0, 0);
	ASSERT_SELF(KEY_COMM | KEY_PID | KEY_TID | KEY_CPU, 1, 2, 4, 8);
}

static const struct fold_row *row_with_self(const struct fold *fold, uint64_t self)
{
	for (uint32_t i = 0; i < fold->row_count; i++)
		if (fold->rows[i].self_samples == self)
			return &fold->rows[i];
	return NULL;
}

static void test_a_key_of_the_code_holds_every_sample_of_it_once(void **state)
{
	struct fold by_object = fold_by(KEY_OBJECT), by_comm = fold_by(KEY_COMM);

	(void)state;
	/* not 14 for f and main */
	assert_int_equal(row_with_self(&by_object, 7)->total_samples, 7);
	assert_int_equal(row_with_self(&by_comm, 7)->total_samples, 7);
	assert_int_equal(row_with_self(&by_comm, 8)->total_samples, 8);
	fold_finish(&by_object);
	fold_finish(&by_comm);
}

/* The same word in kernel and program are two things, also without the object as a key. */
static void test_a_name_is_another_on_another_level(void **state)
{
	const uint32_t user = fixture_object(&world, "/lib/x.so", OBJECT_NO_TABLE);
	const uint32_t kernel = fixture_kernel_frame(&world, 0x100);
	const uint32_t jit = stack_trie_frame(&world.trie, user, 0x100);
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&world, &kernel, 1), .count = 1,
		  .task = fixture_task(&world, 1, 1, "app") },
		{ .stack = fixture_stack(&world, &jit, 1), .count = 2 },
	};
	struct fold by_symbol = fixture_fold(&world, KEY_SYMBOL, entries, 2);
	struct fold by_address = fixture_fold(&world, KEY_ADDRESS, entries, 2);

	(void)state;
	assert_int_equal(by_symbol.row_count, 2);
	assert_int_equal(by_address.row_count, 2);
	fold_finish(&by_symbol);
	fold_finish(&by_address);
}

/* The same offset in two stripped files is not the same code. */
static void test_an_address_is_no_name_that_objects_share(void **state)
{
	const uint32_t one = fixture_object(&world, "/lib/one.so", OBJECT_NO_TABLE);
	const uint32_t other = fixture_object(&world, "/lib/other.so", OBJECT_UNREADABLE);
	const uint32_t third = fixture_object(&world, "/lib/third.so", OBJECT_NO_TABLE);
	const uint32_t frames[] = { stack_trie_frame(&world.trie, one, 0x1234),
				    stack_trie_frame(&world.trie, other, 0x1234),
				    stack_trie_frame(&world.trie, third, 0x1234) };
	const struct slice_entry entry = { .stack = fixture_stack(&world, frames, 3), .count = 3,
					   .task = fixture_task(&world, 1, 1, "app") };
	struct fold fold = fixture_fold(&world, KEY_SYMBOL, &entry, 1);

	(void)state;
	assert_int_equal(fold.row_count, 3);
	assert_int_equal(fold.rows[0].self_samples + fold.rows[1].self_samples +
			 fold.rows[2].self_samples, 3);
	fold_finish(&fold);
}

static void test_a_row_tells_whose_it_is_or_how_many_share_it(void **state)
{
	struct fold fold = fold_by(KEYS_DEFAULT);
	const struct fold_row *row = fixture_row(&fold, "g", false);
	const char *comm = strpool_get(world.strings, (struct str_id){ row->comm });

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
			.task = fixture_task(&world, 1 + i % 3, 1 + i % 3, "app"),
		};
	fold = fixture_fold(&world, KEYS_DEFAULT, entries, 30);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 3);
	assert_int_equal(fixture_row(&fold, "f", false)->pid, FOLD_MIXED);
	fold_finish(&fold);
}

/* The cgroup of one was assumed, and read when there was the other already. */
static void test_tasks_that_became_alike_are_one(void **state)
{
	struct thread *thread = task_table_thread(&world.tasks, 1, 1);
	const uint32_t known = fixture_task_in(&world, 1, 1, "app", "/a");
	struct slice_entry entries[3];
	struct fold fold;

	(void)state;
	thread_set_cgroup(thread, 0, true);
	for (uint32_t i = 0; i < 3; i++)
		entries[i] = (struct slice_entry){ .stack = CALLS(FN_F), .count = 1 };
	entries[0].task = known;
	entries[1].task = task_table_task(&world.tasks, thread);
	entries[2].task = fixture_task_in(&world, 1, 1, "app", "/b");
	assert_true(task_table_settle(&world.tasks, task_table_process(&world.tasks, 1),
				      world.tasks.tasks[known].cgroup));
	assert_int_not_equal(known, entries[1].task);
	fold = fixture_fold(&world, KEYS_DEFAULT, entries, 2);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 1);
	fold_finish(&fold);
	fold = fixture_fold(&world, KEYS_DEFAULT, entries, 3);
	assert_int_equal(fixture_row(&fold, "f", false)->tasks, 2);
	fold_finish(&fold);
}

static void test_an_entry_that_counts_nothing_makes_no_row(void **state)
{
	const struct slice_entry entry = { .stack = CALLS(FN_F, FN_MAIN),
					   .task = fixture_task(&world, 1, 1, "app") };
	struct fold fold = fixture_fold(&world, KEYS_DEFAULT, &entry, 1);

	(void)state;
	assert_int_equal(fold.row_count, 0);
	assert_int_equal(fold.samples, 0);
	fold_finish(&fold);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
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
		TEST(test_a_loading_object_is_one_row_and_unknown_addresses_are_each_their_own),
		TEST(test_code_without_a_map_is_one_row_per_process),
		TEST(test_rows_are_keyed_by_any_set_of_keys),
		TEST(test_a_key_of_the_code_holds_every_sample_of_it_once),
		TEST(test_a_name_is_another_on_another_level),
		TEST(test_an_address_is_no_name_that_objects_share),
		TEST(test_a_row_tells_whose_it_is_or_how_many_share_it),
		TEST(test_a_task_that_comes_again_is_counted_once),
		TEST(test_tasks_that_became_alike_are_one),
		TEST(test_an_entry_that_counts_nothing_makes_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
