/* What strangers have filled is room for others when they have ended and history forgot them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "base/clock.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

enum { STRANGERS = 20, NEWCOMER = 300, NEWCOMERS_NAMES = 10000, NEIGHBOUR = 400 };

static struct ingest_fixture feed;
static struct ingest *const ingest = &feed.ingest;

static void begin(uint64_t time_ns, uint32_t pid, const char *path)
{
	feed_comm(&feed, time_ns, pid, pid, "program", true);
	feed_mmap(&feed, time_ns, pid, 0x400000, 0x10000000, 0, path);
}

/* A sample at each of @count addresses. */
static void run(uint64_t time_ns, uint32_t pid, uint32_t count)
{
	for (uint64_t i = 0; i < count; i++)
		feed_sample(&feed, time_ns + i, pid, pid, 0x400000 + i);
	feed_round(&feed, time_ns + count);
}

/* As a fold does. */
static void name_frames(void)
{
	for (uint32_t i = 0; i < ingest->trie.frames.count; i++)
		symbol_names_of_frame(&ingest->names, &ingest->trie, i);
}

static const char *shown(const char *path, uint64_t address)
{
	const struct dso *dso = feed_dso(&feed, path);
	const uint32_t id = (uint32_t)(dso - ingest->dsos.dsos);
	const uint32_t frame = stack_trie_frame(&ingest->trie, id, address);
	const uint32_t symbol = symbol_names_of_frame(&ingest->names, &ingest->trie, frame);

	return strpool_get(ingest->strings, ingest->names.symbols[symbol].name);
}

static void strangers_take_all_names(void)
{
	char path[32];

	for (uint32_t pid = 100; pid < 100 + STRANGERS; pid++) {
		snprintf(path, sizeof(path), "/tmp/stranger%u", pid);
		begin(1, pid, path);
		run(2, pid, SYMBOL_NAMES_ROWS / SYMBOL_NAMES_SHARE);
		name_frames();
	}
	assert_true(ingest->names.refused >= STRANGERS);
	assert_true(reclaim_is_wanted(ingest));
}

static void strangers_end(void)
{
	for (uint32_t pid = 100; pid < 100 + STRANGERS; pid++)
		feed_exit(&feed, CLOCK_NS_PER_S, pid, pid);
}

/* All that is older than now leaves history. */
static void forget_the_past(uint64_t now_ns)
{
	feed_round(&feed, now_ns);
	budget_enforce(ingest, SIZE_MAX, now_ns);
	assert_int_equal(timeline_cut(&ingest->timeline, now_ns), 0);
	while (timeline_evict_oldest(&ingest->timeline))
		;
	assert_true(budget_compact(ingest));
}

static void test_names_that_left_history_make_room_for_a_new_process(void **state)
{
	uint64_t refused;

	(void)state;
	strangers_take_all_names();
	strangers_end();
	begin(2 * CLOCK_NS_PER_S, NEWCOMER, "/bin/new");
	run(3 * CLOCK_NS_PER_S, NEWCOMER, NEWCOMERS_NAMES);
	refused = ingest->names.refused;
	name_frames();
	assert_true(ingest->names.refused > refused);
	assert_string_equal(shown("/bin/new", NEWCOMERS_NAMES - 1), "(no room for more names)");

	forget_the_past(10 * CLOCK_NS_PER_S);
	assert_false(reclaim_is_wanted(ingest));
	refused = ingest->names.refused;
	run(11 * CLOCK_NS_PER_S, NEWCOMER, NEWCOMERS_NAMES);
	name_frames();
	assert_int_equal(ingest->names.refused, refused);
	assert_string_equal(shown("/bin/new", NEWCOMERS_NAMES - 1), "0x270f");
}

/* What could not be named while the table was full is, as soon as there is room. */
static void test_who_stayed_without_a_name_gets_it_when_others_go(void **state)
{
	(void)state;
	strangers_take_all_names();
	strangers_end();
	forget_the_past(10 * CLOCK_NS_PER_S);
	strangers_take_all_names();
	begin(11 * CLOCK_NS_PER_S, NEWCOMER, "/bin/new");
	run(11 * CLOCK_NS_PER_S, NEWCOMER, NEWCOMERS_NAMES);
	name_frames();
	assert_string_equal(shown("/bin/new", NEWCOMERS_NAMES - 1), "(no room for more names)");
	while (ingest->timeline.slices[0].start_ns < 11 * CLOCK_NS_PER_S &&
	       timeline_evict_oldest(&ingest->timeline))
		;
	assert_true(budget_compact(ingest));
	assert_string_equal(shown("/bin/new", NEWCOMERS_NAMES - 1), "0x270f");
	assert_int_equal(feed_counted(&feed, "program", NEWCOMER, "/bin/new", 0x270f), 1);
}

/* @count samples of the newcomer at addresses from @first on, and what is shown of them by a fold
 * of that second. Then what the analyzer does from time to time. */
static void run_and_show(uint64_t second, uint64_t first, uint32_t count)
{
	char wanted[32];
	uint32_t named = 0;

	for (uint64_t i = 0; i < count; i++)
		feed_sample(&feed, second * CLOCK_NS_PER_S + i, NEWCOMER, NEWCOMER,
			    0x400000 + first + i);
	feed_round(&feed, second * CLOCK_NS_PER_S + count);
	for (int turn = 0; turn < 2 && named < count; turn++) {
		named = 0;
		for (uint64_t i = first; i < first + count; i++) {
			snprintf(wanted, sizeof(wanted), "0x%llx", (unsigned long long)i);
			named += !strcmp(shown("/bin/new", i), wanted);
		}
		if (reclaim_is_wanted(ingest))
			assert_true(budget_compact(ingest));
	}
	assert_int_equal(named, count);
}

/* Hours of a program that has new code all the time, of which history forgets nothing. */
static void test_new_names_take_the_place_of_the_oldest(void **state)
{
	enum { HOURS = 60, NEW = 3000, HOT = 100 };

	(void)state;
	begin(1, NEWCOMER, "/bin/new");
	begin(1, NEIGHBOUR, "/bin/neighbour");
	run(2, NEIGHBOUR, HOT);
	name_frames();
	for (uint64_t hour = 1; hour <= HOURS; hour++) {
		run_and_show(hour * 3600, 0, HOT);
		run_and_show(hour * 3600 + 2, HOT + hour * NEW, NEW);
		feed_round(&feed, hour * 3600 * CLOCK_NS_PER_S + 10 * CLOCK_NS_PER_S);
	}
	assert_int_equal(feed_counted(&feed, "program", NEWCOMER, "/bin/new", HOT + NEW), 1);
	assert_string_equal(shown("/bin/new", HOT + NEW), "0xc1c");	/* its name has gone */
	for (uint64_t i = 0; i < HOT; i++)	/* the neighbour has nothing to do with it */
		assert_non_null(symbol_names_cached(&ingest->names, &ingest->trie,
						    stack_trie_frame(&ingest->trie,
			(uint32_t)(feed_dso(&feed, "/bin/neighbour") -
				   ingest->dsos.dsos), i)));
}

/* A day in which all that runs is new all the time, with little history. */
static void test_after_many_generations_the_same_names_are_shown(void **state)
{
	enum { GENERATIONS = 200, NAMES = 2000, HISTORY_BYTES = 1 << 20 };
	char path[32], first[64] = "", wanted[32];

	(void)state;
	for (uint32_t g = 0; g < GENERATIONS; g++) {
		const uint64_t now_ns = (uint64_t)(g + 1) * 10 * CLOCK_NS_PER_S;
		const uint32_t pid = 1000 + 2 * g, jit = pid + 1;

		snprintf(path, sizeof(path), "/tmp/build/cc%u", g);
		begin(now_ns, pid, path);
		begin(now_ns, jit, "/bin/qemu");
		feed_mmap(&feed, now_ns, jit, 0x20000000, 0x100000, 0, "//anon");
		run(now_ns + 2, pid, NAMES);
		for (uint64_t i = 0; i < NAMES; i++)
			feed_sample(&feed, now_ns + CLOCK_NS_PER_S + i, jit, jit, 0x20000000 + i);
		feed_exit(&feed, now_ns + 2 * CLOCK_NS_PER_S, pid, pid);
		feed_exit(&feed, now_ns + 2 * CLOCK_NS_PER_S, jit, jit);
		feed_round(&feed, now_ns + 3 * CLOCK_NS_PER_S);
		name_frames();
		if (!g)
			snprintf(first, sizeof(first), "%s", shown("//anon", 0x20000000));
		assert_string_equal(shown("//anon", 0x20000000 + NAMES - 1), first);
		snprintf(wanted, sizeof(wanted), "0x%x", NAMES - 1);
		assert_string_equal(shown(path, NAMES - 1), wanted);
		if (reclaim_is_wanted(ingest))
			assert_true(budget_compact(ingest));
		budget_enforce(ingest, HISTORY_BYTES, now_ns + 3 * CLOCK_NS_PER_S);
	}
	assert_string_equal(first, "[anon] JIT of qemu, no map");
	assert_int_equal(ingest->names.refused, 0);
}

static void test_memory_and_quotas_are_given_back(void **state)
{
	const size_t before = strpool_bytes(ingest->strings);

	(void)state;
	strangers_take_all_names();
	assert_true(strpool_bytes(ingest->strings) > before + ((size_t)1 << 20));
	strangers_end();
	forget_the_past(10 * CLOCK_NS_PER_S);
	assert_int_equal(ingest->names.count, 0);
	assert_int_equal(ingest->names.text_bytes, 0);
	assert_true(ingest->names.capacity <= 1024);
	assert_int_equal(ingest->dsos.count - ingest->dsos.free_count, DSO_FIXED_COUNT);
	assert_true(strpool_passing_bytes(ingest->strings) < 10000);
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		assert_int_equal(ingest->dsos.dsos[i].symbols, 0);
		assert_int_equal(ingest->dsos.dsos[i].symbol_text_bytes, 0);
	}
}

/* Whatever it is counted as; and what is in use is no reason, however much it is. */
static void test_much_text_that_nobody_has_is_swept(void **state)
{
	enum { FILES = 2500 };	/* more than may have paths */
	char text[1024];
	size_t in_use;

	(void)state;
	begin(1, NEIGHBOUR, "/bin/neighbour");
	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(text, sizeof(text), "/tmp/%01000u", i);
		feed_mmap(&feed, 1, NEIGHBOUR, 0x20000000 + 0x1000 * i, 0x1000, 0, text);
	}
	feed_round(&feed, 2);
	assert_true(reclaim_is_wanted(ingest));
	assert_true(budget_compact(ingest));
	in_use = strpool_passing_bytes(ingest->strings);
	assert_true(in_use > RECLAIM_TEXT_BYTES);
	assert_false(reclaim_is_wanted(ingest));
	for (int i = 0; i < 5000; i++) {
		const int len = snprintf(text, sizeof(text), "%01000d", FILES + i);

		strpool_intern_passing(ingest->strings, text, (size_t)len);
	}
	assert_true(reclaim_is_wanted(ingest));
	assert_true(budget_compact(ingest));
	assert_false(reclaim_is_wanted(ingest));
	assert_int_equal(strpool_passing_bytes(ingest->strings), in_use);
}

/* Every second name goes; texts of others move into their places. */
static void test_what_stays_has_its_own_name_after_it(void **state)
{
	enum { NAMES = 1000 };
	char wanted[32];

	(void)state;
	begin(1, NEIGHBOUR, "/bin/neighbour");
	run(2, NEIGHBOUR, NAMES);
	name_frames();
	feed_round(&feed, 2 * CLOCK_NS_PER_S);
	for (uint64_t i = 0; i < NAMES; i += 2)
		feed_sample(&feed, 3 * CLOCK_NS_PER_S + i, NEIGHBOUR, NEIGHBOUR, 0x400000 + i);
	feed_round(&feed, 5 * CLOCK_NS_PER_S);
	assert_true(timeline_evict_oldest(&ingest->timeline));
	assert_true(budget_compact(ingest));
	assert_int_equal(ingest->names.count, NAMES / 2);
	begin(6 * CLOCK_NS_PER_S, NEWCOMER, "/bin/new");
	run(6 * CLOCK_NS_PER_S, NEWCOMER, 5000);
	name_frames();
	for (uint64_t i = 0; i < NAMES; i += 2) {
		snprintf(wanted, sizeof(wanted), "0x%llx", (unsigned long long)i);
		assert_string_equal(shown("/bin/neighbour", i), wanted);
	}
	assert_string_equal(feed_name_of(&feed, "/bin/neighbour"), "neighbour");
}

/* It was never sampled, but will be; and the one that ended with it goes. */
static void test_who_is_mapped_stays(void **state)
{
	(void)state;
	begin(1, NEIGHBOUR, "/bin/neighbour");
	begin(1, NEWCOMER, "/bin/new");
	feed_round(&feed, 2);
	feed_exit(&feed, 3, NEWCOMER, NEWCOMER);
	forget_the_past(10 * CLOCK_NS_PER_S);
	assert_string_equal(feed_name_of(&feed, "/bin/neighbour"), "neighbour");
	assert_null(feed_name_of(&feed, "/bin/new"));
	run(11 * CLOCK_NS_PER_S, NEIGHBOUR, 1);
	assert_int_equal(feed_counted(&feed, "program", NEIGHBOUR, "/bin/neighbour", 0), 1);
}

/* By the clock, however often there is something to do. */
static void test_the_number_of_a_dso_that_went_rests_for_a_minute(void **state)
{
	const uint32_t fixed = DSO_FIXED_COUNT;

	(void)state;
	begin(1, NEWCOMER, "/bin/gone");
	feed_round(&feed, 2);
	feed_exit(&feed, 3, NEWCOMER, NEWCOMER);
	forget_the_past(10 * CLOCK_NS_PER_S);
	assert_true(ingest->dsos.dsos[fixed].is_free);
	for (int i = 0; i < 1000; i++)
		budget_enforce(ingest, SIZE_MAX, 11 * CLOCK_NS_PER_S);
	begin(11 * CLOCK_NS_PER_S, NEIGHBOUR, "/bin/soon");
	feed_round(&feed, 71 * CLOCK_NS_PER_S);
	assert_true(ingest->dsos.dsos[fixed].is_free);
	budget_enforce(ingest, SIZE_MAX, 71 * CLOCK_NS_PER_S);
	begin(71 * CLOCK_NS_PER_S, NEIGHBOUR, "/bin/later");
	feed_round(&feed, 72 * CLOCK_NS_PER_S);
	assert_ptr_equal(feed_dso(&feed, "/bin/later"), &ingest->dsos.dsos[fixed]);
}

/* Maps 4000 files, more than one process may have, @step bytes apart. */
static void map_many(uint64_t time_ns, uint32_t pid, uint64_t step)
{
	const uint64_t refused = ingest->dsos.refused;
	char path[32];

	for (uint64_t i = 0; i < 4000; i++) {
		snprintf(path, sizeof(path), "/tmp/%llx.so", (unsigned long long)(time_ns + i));
		feed_mmap(&feed, time_ns, pid, 0x20000000 + i * step, 0x1000, 0, path);
	}
	feed_round(&feed, time_ns + 1);
	assert_true(ingest->dsos.refused > refused);
}

static void test_who_loads_and_drops_files_all_day_may_go_on(void **state)
{
	(void)state;
	begin(1, NEWCOMER, "/bin/loader");
	for (uint64_t s = 10; s <= 30; s += 10) {
		map_many((s - 5) * CLOCK_NS_PER_S, NEWCOMER, 0);	/* all at one place */
		assert_in_range(ingest->dsos.count - ingest->dsos.free_count, 3270, 3300);
		forget_the_past(s * CLOCK_NS_PER_S);
	}
}

static void test_who_keeps_many_files_gets_no_more_for_waiting(void **state)
{
	(void)state;
	begin(1, NEWCOMER, "/bin/loader");
	map_many(2, NEWCOMER, 0x1000);
	forget_the_past(10 * CLOCK_NS_PER_S);
	feed_mmap(&feed, 11 * CLOCK_NS_PER_S, NEWCOMER, 0x10000, 0x1000, 0, "/lib/new.so");
	begin(11 * CLOCK_NS_PER_S, NEIGHBOUR, "/bin/neighbour");
	feed_round(&feed, 12 * CLOCK_NS_PER_S);
	assert_null(feed_name_of(&feed, "/lib/new.so"));
	assert_non_null(feed_name_of(&feed, "/bin/neighbour"));
}

/* The DSOs of a recording stay: to walk all of history again and again would free nothing. */
static void test_in_a_replay_a_full_table_of_dsos_is_no_reason(void **state)
{
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	bool is_new;

	(void)state;
	while (key.inode++,
	       dso_table_intern(&ingest->dsos, &key, &is_new) != DSO_UNKNOWN)
		;
	assert_true(reclaim_is_wanted(ingest));
	ingest->config.is_replay = true;
	assert_false(reclaim_is_wanted(ingest));
}

#define TEST(name) FEED_TEST(name, feed_set_up_live)

UNIT_TESTS(test_reclaim)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_that_left_history_make_room_for_a_new_process),
		TEST(test_who_stayed_without_a_name_gets_it_when_others_go),
		TEST(test_new_names_take_the_place_of_the_oldest),
		TEST(test_after_many_generations_the_same_names_are_shown),
		TEST(test_memory_and_quotas_are_given_back),
		TEST(test_much_text_that_nobody_has_is_swept),
		TEST(test_what_stays_has_its_own_name_after_it),
		TEST(test_who_is_mapped_stays),
		TEST(test_the_number_of_a_dso_that_went_rests_for_a_minute),
		TEST(test_who_loads_and_drops_files_all_day_may_go_on),
		TEST(test_who_keeps_many_files_gets_no_more_for_waiting),
		TEST(test_in_a_replay_a_full_table_of_dsos_is_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
