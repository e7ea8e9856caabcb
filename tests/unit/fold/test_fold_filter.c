/* What a filter leaves of samples: known answers by hand, then random ones against a fold that asks
 * every part of every frame anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "unit_tests.h"

#define KEYS_DEFAULT (KEY_DSO | KEY_SYMBOL)

static struct model_fixture model;

/* The known samples, leaf first:
 *
 *   2  f < main              of a (pid 10, tid 11), CPU 0      sums of the window: 21 samples,
 *   3  read < g < main       of a (10, 12), CPU 1                                  16 without idle
 *   4  f < g < f < main      of b (20, 20), CPU 1
 *   7  [loading] < g < main  of b (20, 20), CPU 0
 *   5  idle                  of swapper (0, 0), CPU 0
 *
 * main, f, g: /bin/app; read: ext4_read of the kernel's [ext4]; [loading]: /lib/late.so */
#define LATE_ADDRESS FIXTURE_APP_ADDRESS(FN_MAIN)
enum { ENTRIES = 5, SAMPLES = 21, IDLE = 5 };
static struct slice_entry known[ENTRIES];

static uint32_t stack_over(uint32_t leaf, const enum fixture_function *callers, uint32_t count)
{
	uint32_t frames[8] = { leaf };

	for (uint32_t i = 0; i < count; i++)
		frames[i + 1] = fixture_frame(&model, callers[i], 0);
	return fixture_stack(&model, frames, count + 1);
}

static int set_up(void **state)
{
	static const enum fixture_function callers[] = { FN_G, FN_F, FN_MAIN };
	static const enum fixture_function g_main[] = { FN_G, FN_MAIN };
	uint32_t f, late;

	(void)state;
	fixture_init(&model);
	f = fixture_frame(&model, FN_F, 0);
	late = fixture_dso(&model, "/lib/late.so", DSO_LOADING);
	known[0] = (struct slice_entry){ .stack = stack_over(f, callers + 2, 1), .count = 2,
					 .task = fixture_task(&model, 10, 11, "a"), .cpu = 0 };
	known[1] = (struct slice_entry){
		.stack = stack_over(fixture_kernel_frame(&model, FIXTURE_EXT4_ADDRESS), g_main, 2),
		.task = fixture_task(&model, 10, 12, "a"), .count = 3, .cpu = 1,
	};
	known[2] = (struct slice_entry){ .stack = stack_over(f, callers, 3), .count = 4,
					 .task = fixture_task(&model, 20, 20, "b"), .cpu = 1 };
	known[3] = (struct slice_entry){
		.stack = stack_over(stack_trie_frame(&model.trie, late, LATE_ADDRESS), g_main, 2),
		.task = fixture_task(&model, 20, 20, "b"), .count = 7, .cpu = 0,
	};
	known[4] = (struct slice_entry){
		.stack = stack_over(fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS), NULL, 0),
		.task = fixture_task(&model, 0, 0, "swapper"), .count = 5, .cpu = 0,
	};
	for (uint32_t i = 0; i < ENTRIES; i++)
		known[i].weight = 10 * known[i].count;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_finish(&model);
	return 0;
}

static struct filter_part named(enum filter_field field, const char *name)
{
	struct filter_part part = { .field = field, .hash = filter_hash(name) };

	snprintf(part.text, sizeof(part.text), "%s", name);
	return part;
}

static struct filter_part numbered(enum filter_field field, uint64_t number)
{
	return (struct filter_part){ .field = field, .number = number };
}

static struct filter_part not(struct filter_part part)
{
	part.is_negated = true;
	return part;
}

static struct filter filter_of(const struct filter_part *parts, uint32_t count)
{
	struct filter filter = { .count = 0 };

	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(filter_add(&filter, &parts[i], NULL), 0);
	return filter;
}

/* A row as "name self total", a name for each kind of key; @wanted ends with a NULL name. */
struct wanted_row {
	const char *name;
	uint64_t self, total;
};

static const char *row_name(const struct fold_row *row, unsigned int keys)
{
	const struct symbol *symbol = &model.names.symbols[row->symbol];

	if (keys & KEY_COMM)
		return strpool_get(model.strings, (struct str_id){ row->key.comm });
	return strpool_get(model.strings, keys & KEY_SYMBOL ? symbol->name : symbol->dso_path);
}

static const struct fold_row *find(const struct fold *fold, const char *name)
{
	for (uint32_t i = 0; i < fold->row_count; i++)
		if (!strcmp(row_name(&fold->rows[i], fold->keys), name))
			return &fold->rows[i];
	return NULL;
}

static void expect_by(unsigned int keys, const struct filter *filter,
		      const struct wanted_row *wanted)
{
	struct fold fold = fixture_fold_filtered(&model, keys, filter, known, ENTRIES);
	uint64_t shown = 0;
	uint32_t count = 0;

	for (; wanted[count].name; count++) {
		const struct fold_row *row = find(&fold, wanted[count].name);

		if (!row)
			fail_msg("no row %s", wanted[count].name);
		assert_int_equal(row->stats.self.samples, wanted[count].self);
		assert_int_equal(row->stats.total.samples, wanted[count].total);
		assert_true(row->stats.self.weight == 10 * (double)wanted[count].self);
		assert_true(row->stats.total.weight == 10 * (double)wanted[count].total);
		if (!row->is_idle)
			shown += wanted[count].self;
	}
	assert_int_equal(fold.row_count, count);
	assert_int_equal(fold.shown_samples, shown);
	assert_true(fold.shown_weight == 10 * (double)shown);
	assert_int_equal(fold.samples, SAMPLES);	/* the window's, whatever is shown */
	assert_int_equal(fold.idle_samples, IDLE);
	assert_true(fold.weight == 10 * (SAMPLES - IDLE));
	assert_int_equal(fold.unresolved, 7);
	fold_finish(&fold);
}

#define NO_ROW { NULL, 0, 0 }
#define EXPECT_BY(keys, filter, ...)                                                               \
	expect_by(keys, filter, (const struct wanted_row[]){ __VA_ARGS__, NO_ROW })

static void expect_one(struct filter_part part, const struct wanted_row *wanted)
{
	const struct filter filter = filter_of(&part, 1);

	expect_by(KEYS_DEFAULT, &filter, wanted);
}

#define EXPECT(part, ...)                                                                          \
	expect_one(part, (const struct wanted_row[]){ __VA_ARGS__, NO_ROW })

static void test_no_part_leaves_everything(void **state)
{
	(void)state;
	EXPECT_BY(KEYS_DEFAULT, &fixture_no_filter,
		  { "main", 0, 16 }, { "f", 6, 6 }, { "g", 0, 14 }, { "ext4_read", 3, 3 },
		  { "", 7, 7 }, { "default_idle", 5, 5 });
}

/* All code of a command, the kernel's included. */
static void test_a_command_keeps_all_its_code(void **state)
{
	(void)state;
	EXPECT(named(FILTER_COMMAND, "a"),
	       { "main", 0, 5 }, { "f", 2, 2 }, { "g", 0, 3 }, { "ext4_read", 3, 3 });
	EXPECT(not(named(FILTER_COMMAND, "a")),
	       { "main", 0, 11 }, { "f", 4, 4 }, { "g", 0, 11 }, { "", 7, 7 },
	       { "default_idle", 5, 5 });
	EXPECT(named(FILTER_COMMAND, "A"), NO_ROW);
}

static void test_numbers_are_of_the_task_or_the_cpu(void **state)
{
	(void)state;
	EXPECT(numbered(FILTER_PID, 10),
	       { "main", 0, 5 }, { "f", 2, 2 }, { "g", 0, 3 }, { "ext4_read", 3, 3 });
	EXPECT(numbered(FILTER_TID, 11), { "main", 0, 2 }, { "f", 2, 2 });
	EXPECT(numbered(FILTER_CPU, 1),
	       { "main", 0, 7 }, { "f", 4, 4 }, { "g", 0, 7 }, { "ext4_read", 3, 3 });
	EXPECT(not(numbered(FILTER_CPU, 1)),
	       { "main", 0, 9 }, { "f", 2, 2 }, { "g", 0, 7 }, { "", 7, 7 },
	       { "default_idle", 5, 5 });
	EXPECT(numbered(FILTER_PID, 1ull << 32 | 10), NO_ROW);
}

/* a's first thread in one, b in another, nothing known of the idle task and a's second. */
static void test_cgroup_unit_container_and_pod_are_the_tasks(void **state)
{
	static const char id[] = "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970";
	char path[256];

	(void)state;
	known[0].task = fixture_task_in(&model, 10, 11, "a", "/system.slice/a.service");
	snprintf(path, sizeof(path), "/kubepods/pod8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5/%s", id);
	known[2].task = known[3].task = fixture_task_in(&model, 20, 20, "b", path);
	EXPECT(named(FILTER_UNIT, "a.service"), { "main", 0, 2 }, { "f", 2, 2 });
	EXPECT(named(FILTER_CGROUP, "/system.slice/a.service"), { "main", 0, 2 }, { "f", 2, 2 });
	EXPECT(named(FILTER_CGROUP, "a.service"), NO_ROW);
	EXPECT(named(FILTER_CONTAINER, "4f797c539e6c"),
	       { "main", 0, 11 }, { "f", 4, 4 }, { "g", 0, 11 }, { "", 7, 7 });
	EXPECT(named(FILTER_POD, "8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5"),
	       { "main", 0, 11 }, { "f", 4, 4 }, { "g", 0, 11 }, { "", 7, 7 });
	EXPECT(not(named(FILTER_CONTAINER, "4f797c539e6c")),
	       { "main", 0, 5 }, { "f", 2, 2 }, { "g", 0, 3 }, { "ext4_read", 3, 3 },
	       { "default_idle", 5, 5 });
	EXPECT(named(FILTER_CONTAINER, ""),
	       { "main", 0, 5 }, { "f", 2, 2 }, { "g", 0, 3 }, { "ext4_read", 3, 3 },
	       { "default_idle", 5, 5 });
}

/* A module's code is the module's, not the kernel's; a DSO is its path. */
static void test_a_dso_keeps_its_own_frames(void **state)
{
	(void)state;
	EXPECT(named(FILTER_DSO, "/bin/app"),
	       { "main", 0, 16 }, { "f", 6, 6 }, { "g", 0, 14 });
	EXPECT(named(FILTER_DSO, "app"), NO_ROW);
	EXPECT(named(FILTER_DSO, "[ext4]"), { "ext4_read", 3, 3 });
	EXPECT(named(FILTER_DSO, "/lib/late.so"), { "", 7, 7 });
	EXPECT(not(named(FILTER_DSO, "/bin/app")),
	       { "ext4_read", 3, 3 }, { "", 7, 7 }, { "default_idle", 5, 5 });
}

/* f < g < f < main: self by the leaf, total once though f is there twice. */
static void test_a_symbol_that_recurs_counts_once(void **state)
{
	(void)state;
	EXPECT(named(FILTER_SYMBOL, "f"), { "f", 6, 6 });
	EXPECT(named(FILTER_SYMBOL, "g"), { "g", 0, 14 });
	EXPECT(not(named(FILTER_SYMBOL, "f")),
	       { "main", 0, 16 }, { "g", 0, 14 }, { "ext4_read", 3, 3 }, { "", 7, 7 },
	       { "default_idle", 5, 5 });
}

static void test_a_symbol_may_be_of_one_dso_only(void **state)
{
	struct filter_part f = named(FILTER_SYMBOL, "f");

	(void)state;
	f.number = filter_hash("/bin/app");
	EXPECT(f, { "f", 6, 6 });
	f.number = filter_hash("/bin/other");
	EXPECT(f, NO_ROW);
}

static void test_levels_are_those_of_the_code(void **state)
{
	(void)state;
	EXPECT(numbered(FILTER_KERNEL, 0), { "ext4_read", 3, 3 }, { "default_idle", 5, 5 });
	EXPECT(numbered(FILTER_USER, 0),
	       { "main", 0, 16 }, { "f", 6, 6 }, { "g", 0, 14 }, { "", 7, 7 });
	EXPECT(not(numbered(FILTER_KERNEL, 0)),
	       { "main", 0, 16 }, { "f", 6, 6 }, { "g", 0, 14 }, { "", 7, 7 });
	EXPECT(not(numbered(FILTER_USER, 0)), { "ext4_read", 3, 3 }, { "default_idle", 5, 5 });
}

static void test_text_is_in_symbol_dso_or_command(void **state)
{
	(void)state;
	EXPECT(named(FILTER_TEXT, "LATE"), NO_ROW);
	EXPECT(named(FILTER_TEXT, "late"), { "", 7, 7 });
	EXPECT(named(FILTER_TEXT, "xt4]"), { "ext4_read", 3, 3 });
	EXPECT(named(FILTER_TEXT, "~^ma"), { "main", 0, 16 });
	EXPECT(named(FILTER_TEXT, "~^a$"),
	       { "main", 0, 5 }, { "f", 2, 2 }, { "g", 0, 3 }, { "ext4_read", 3, 3 });
	EXPECT(named(FILTER_TEXT, "lib"), NO_ROW);	/* only the end of a path is shown */
	EXPECT(not(named(FILTER_TEXT, "~^(a|f)$")),
	       { "main", 0, 11 }, { "g", 0, 11 }, { "", 7, 7 }, { "default_idle", 5, 5 });
}

static void test_all_parts_must_hold_for_one_frame(void **state)
{
	const struct filter_part parts[] = { named(FILTER_COMMAND, "b"),
					     named(FILTER_DSO, "/bin/app"),
					     not(named(FILTER_SYMBOL, "main")) };
	const struct filter_part never[] = { named(FILTER_SYMBOL, "f"),
					     named(FILTER_SYMBOL, "g") };
	struct filter filter = filter_of(parts, 3);

	(void)state;
	EXPECT_BY(KEYS_DEFAULT, &filter, { "f", 4, 4 }, { "g", 0, 11 });
	filter = filter_of(never, 2);
	EXPECT_BY(KEYS_DEFAULT, &filter, NO_ROW);
}

/* Who uses the DSO: once per sample with such a frame, though none of them be the leaf. */
static void test_rows_without_code_count_a_sample_with_any_matching_frame(void **state)
{
	const struct filter_part g = named(FILTER_SYMBOL, "g"), f = named(FILTER_SYMBOL, "f");
	struct filter filter = filter_of(&g, 1);

	(void)state;
	EXPECT_BY(KEY_COMM, &filter, { "a", 0, 3 }, { "b", 0, 11 });
	filter = filter_of(&f, 1);
	EXPECT_BY(KEY_COMM, &filter, { "a", 2, 2 }, { "b", 4, 4 });
	EXPECT_BY(KEY_DSO, &filter, { "/bin/app", 6, 6 });
}

static void test_idle_rows_are_filtered_and_never_shown_samples(void **state)
{
	(void)state;
	EXPECT(named(FILTER_COMMAND, "swapper"), { "default_idle", 5, 5 });
	EXPECT(named(FILTER_SYMBOL, "default_idle"), { "default_idle", 5, 5 });
	EXPECT(not(named(FILTER_SYMBOL, "default_idle")),
	       { "main", 0, 16 }, { "f", 6, 6 }, { "g", 0, 14 }, { "ext4_read", 3, 3 },
	       { "", 7, 7 });
}

/* What a row shows of its tasks is of the samples that are left in it. */
static void test_a_row_tells_whose_its_samples_are(void **state)
{
	const struct filter_part part = numbered(FILTER_CPU, 1);
	const struct filter filter = filter_of(&part, 1);
	struct fold fold = fixture_fold_filtered(&model, KEYS_DEFAULT, &filter, known, ENTRIES);
	const struct fold_row *row = fixture_row(&fold, "f", false);

	(void)state;
	assert_int_equal(row->pid, 20);
	assert_int_equal(row->cpu, 1);
	assert_int_equal(row->tasks, 1);
	fold_finish(&fold);
}

/* The name that a row shows, put back as a filter, finds the row: hostile bytes included. */
static void test_the_name_of_a_row_finds_it_again(void **state)
{
	static const char comm[] = "\x1b[2J\xff\xe2\x80\xae~";
	const uint32_t lib = fixture_dso(&model, "/tmp/\x9b\xc3(\n\xf0\x9f\x92\xa9.so",
					 DSO_NO_TABLE);
	const uint32_t leaf = stack_trie_frame(&model.trie, lib, 0x10);
	const struct slice_entry entry = { .task = fixture_task(&model, 5, 5, comm), .count = 1,
					   .stack = fixture_stack(&model, &leaf, 1) };
	struct fold fold = fixture_fold(&model, KEYS_DEFAULT | KEY_COMM, &entry, 1);
	const struct symbol *symbol = &model.names.symbols[fold.rows[0].symbol];
	const struct filter_part parts[] = {
		named(FILTER_COMMAND,
		      strpool_get(model.strings, (struct str_id){ fold.rows[0].comm })),
		named(FILTER_DSO, strpool_get(model.strings, symbol->dso_path)),
		named(FILTER_SYMBOL, strpool_get(model.strings, symbol->name)),
		named(FILTER_TEXT, strpool_get(model.strings, symbol->dso_name)),
	};
	const struct filter filter = filter_of(parts, 4);

	(void)state;
	fold_finish(&fold);
	fold = fixture_fold_filtered(&model, KEYS_DEFAULT, &filter, &entry, 1);
	assert_int_equal(fold.row_count, 1);
	assert_int_equal(fold.shown_samples, 1);
	fold_finish(&fold);
}

/* The table of late.so arrives between two folds: the second one looks at the name. */
static void test_a_name_that_arrives_is_seen_by_the_next_fold(void **state)
{
	const struct filter_part part = named(FILTER_SYMBOL, "main");
	const struct filter filter = filter_of(&part, 1);
	struct dso *dsos = model.dsos.dsos;
	struct fold fold;

	(void)state;
	EXPECT(part, { "main", 0, 16 });
	for (uint32_t i = 0; i < model.dsos.count; i++) {
		if (dsos[i].state != DSO_LOADING)
			continue;
		dsos[i].table = dsos[model.app].table;
		dsos[i].state = DSO_READY;
		symbol_names_forget_dso(&model.names, &model.trie, i);
	}
	fold = fixture_fold_filtered(&model, KEYS_DEFAULT, &filter, known, ENTRIES);
	assert_int_equal(fold.shown_samples, 7);
	fold_finish(&fold);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_fold_filter)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_part_leaves_everything),
		TEST(test_a_command_keeps_all_its_code),
		TEST(test_numbers_are_of_the_task_or_the_cpu),
		TEST(test_cgroup_unit_container_and_pod_are_the_tasks),
		TEST(test_a_dso_keeps_its_own_frames),
		TEST(test_a_symbol_that_recurs_counts_once),
		TEST(test_a_symbol_may_be_of_one_dso_only),
		TEST(test_levels_are_those_of_the_code),
		TEST(test_text_is_in_symbol_dso_or_command),
		TEST(test_all_parts_must_hold_for_one_frame),
		TEST(test_rows_without_code_count_a_sample_with_any_matching_frame),
		TEST(test_idle_rows_are_filtered_and_never_shown_samples),
		TEST(test_a_row_tells_whose_its_samples_are),
		TEST(test_the_name_of_a_row_finds_it_again),
		TEST(test_a_name_that_arrives_is_seen_by_the_next_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
