/* Whose run-time code an address is, what it is called when names come, and when they go. The names
 * are this process's, from a map that it writes. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define CODE	       0x7f0000000000ull
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct ingest_fixture feed;
static struct sandbox *sandbox;
static struct dso_opener *opener;
static char map_path[64];
static uint32_t own;		/* pid */

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	own = (uint32_t)getpid();
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%u.map", own);
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	feed_init(&feed, &config, NULL);
	feed.ingest.opener = opener;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	unlink(map_path);
	return 0;
}

static void write_map(const char *text)
{
	FILE *map = fopen(map_path, "w");

	assert_non_null(map);
	fputs(text, map);
	assert_int_equal(fclose(map), 0);
}

/* As the analyzer does: asks for what is wanted, whenever that may be, and takes the replies. */
static void look(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

	jit_poll(&feed.ingest);
	while (feed.ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&feed.ingest);
	}
}

static uint32_t frame_of(uint32_t pid, uint64_t ip)
{
	const struct process *process = task_table_process(&feed.ingest.tasks, pid);

	return ingest_frame(&feed.ingest, process->maps, MODE_USER, ip);
}

static const struct symbol *symbol_at(uint32_t pid, uint64_t ip)
{
	uint32_t symbol = symbol_names_of_frame(&feed.ingest.names, &feed.ingest.trie,
						frame_of(pid, ip));

	assert_int_not_equal(symbol, ID_SET_NONE);
	return &feed.ingest.names.symbols[symbol];
}

static void expect(uint32_t pid, uint64_t ip, const char *name, const char *dso)
{
	const struct symbol *symbol = symbol_at(pid, ip);

	assert_string_equal(strpool_get(feed.ingest.strings, symbol->name), name);
	assert_string_equal(strpool_get(feed.ingest.strings, symbol->dso_name), dso);
}

/* One page of code, executed before any time counts. */
static void map_code(uint32_t pid, uint64_t time_ns, uint64_t start, const char *path)
{
	feed_mmap(&feed, time_ns, pid, start, 0x1000, 0, path);
	feed_round(&feed, time_ns + 1);
}

/* From now on there is no waiting between two looks. */
static void end_process(void)
{
	feed_exit(&feed, 30, own, own);
	feed_round(&feed, 31);
}

static void test_each_process_has_memory_of_its_own(void **state)
{
	(void)state;
	map_code(100, 10, CODE, "//anon");
	map_code(200, 20, CODE, "//anon");
	assert_int_not_equal(frame_of(100, CODE), frame_of(200, CODE));
	expect(100, CODE, "[anon] JIT of pid 100, no map", "[anon]");
	expect(200, CODE, "[anon] JIT of pid 200, no map", "[anon]");
	assert_ptr_not_equal(symbol_at(100, CODE), symbol_at(200, CODE));
}

/* A JIT changes the protection of pieces of it, and gets more: that must not add rows. */
static void test_all_code_of_a_process_without_a_map_is_one_symbol(void **state)
{
	const struct symbol *symbol;
	uint32_t count;

	(void)state;
	feed_comm(&feed, 5, 100, 100, "qemu-system-aar", true);
	map_code(100, 6, 0x1000, "/usr/bin/qemu-system-aarch64");
	map_code(100, 7, 0x7fff00000000, "/lib/libc.so.6");
	map_code(100, 10, CODE, "//anon");
	symbol = symbol_at(100, CODE);
	count = feed.ingest.names.count;
	for (uint64_t at = 1; at < 1000; at++)
		assert_int_equal(symbol - feed.ingest.names.symbols,
				 symbol_at(100, CODE + at) - feed.ingest.names.symbols);
	map_code(100, 20, CODE + 0x200, "//anon");
	map_code(100, 30, CODE + 0x800000, "");
	expect(100, CODE + 0x300, "[anon] JIT of qemu-system-aarch64, no map", "[anon]");
	expect(100, CODE + 0x800010, "[anon] JIT of qemu-system-aarch64, no map", "[anon]");
	assert_int_equal(feed.ingest.names.count, count);
	assert_int_equal(symbol_at(100, CODE)->state, SYMBOL_NO_MAP);
	assert_int_equal(feed.ingest.names.refused, 0);
}

/* An executable heap is other memory than what was mapped for code. */
static void test_each_kind_of_memory_is_a_region(void **state)
{
	(void)state;
	feed_comm(&feed, 5, 100, 100, "old-program", true);
	map_code(100, 10, CODE, "//anon");
	map_code(100, 11, CODE + 0x10000, "[heap]");
	expect(100, CODE, "[anon] JIT of old-program, no map", "[anon]");
	expect(100, CODE + 0x10000, "[heap] JIT of old-program, no map", "[heap]");
}

static void test_last_lines_that_could_not_be_kept_are_in_the_losses(void **state)
{
	struct open_reply reply = { .jit = 1, .jit_step = JIT_LAST_LOOK };

	(void)state;
	map_code(100, 10, CODE, "//anon");
	jit_reply(&feed.ingest, &reply);
	assert_int_equal(feed.ingest.counters.tables_let_go, 0);
	reply.is_let_go = true;
	jit_reply(&feed.ingest, &reply);
	assert_int_equal(feed.ingest.counters.tables_let_go, 1);
}

static void test_what_a_process_maps_twice_is_one_dso(void **state)
{
	const struct stack_frames *frames = &feed.ingest.trie.frames;
	uint32_t one, other;

	(void)state;
	map_code(100, 10, CODE, "//anon");
	map_code(100, 20, CODE + 0x10000, "//anon");
	one = frame_of(100, CODE);
	other = frame_of(100, CODE + 0x10000);
	assert_int_equal(frames->dso[one], frames->dso[other]);
}

static void test_after_exec_the_memory_is_another(void **state)
{
	uint32_t before;

	(void)state;
	map_code(100, 10, CODE, "//anon");
	before = frame_of(100, CODE);
	feed_comm(&feed, 20, 100, 100, "next", true);
	map_code(100, 30, CODE, "//anon");
	assert_int_not_equal(frame_of(100, CODE), before);
}

static void test_a_child_has_the_code_of_its_parent(void **state)
{
	(void)state;
	task_table_process(&feed.ingest.tasks, 100)->maps_state = MAPS_KNOWN;
	map_code(100, 10, CODE, "//anon");
	feed_fork(&feed, 20, 100, 100, 200, 200);
	feed_round(&feed, 21);
	assert_int_equal(frame_of(100, CODE), frame_of(200, CODE));
	map_code(200, 30, CODE + 0x10000, "//anon");
	map_code(100, 40, CODE + 0x10000, "//anon");
	assert_int_not_equal(frame_of(100, CODE + 0x10000), frame_of(200, CODE + 0x10000));
}

static void test_a_map_names_the_code_of_its_process(void **state)
{
	const uint32_t other = (uint32_t)getppid();
	char no_map[64];

	(void)state;
	snprintf(no_map, sizeof(no_map), "[anon] JIT of pid %u, no map", own);
	write_map("7f0000000000 100 first code\n7f0000000200 100 second\n");
	map_code(own, 10, CODE, "//anon");
	map_code(other, 20, CODE, "//anon");
	expect(own, CODE + 0x50, no_map, "[anon]");
	look();
	assert_true(feed.ingest.has_new_names);
	expect(own, CODE + 0x50, "first code", "[jit]");
	expect(own, CODE + 0x250, "second", "[jit]");
	snprintf(no_map, sizeof(no_map), "[anon] JIT of pid %u, not in its map", own);
	expect(own, CODE + 0x150, no_map, "[anon]");
	assert_ptr_equal(symbol_at(own, CODE + 0x150), symbol_at(own, CODE + 0x350));
	snprintf(no_map, sizeof(no_map), "[anon] JIT of pid %u, no map", other);
	expect(other, CODE + 0x50, no_map, "[anon]");
	assert_ptr_equal(symbol_at(own, CODE), symbol_at(own, CODE + 0xff));
}

static void test_code_that_replaces_other_code_at_its_place_takes_its_name(void **state)
{
	(void)state;
	write_map("7f0000000000 100 first\n");
	map_code(own, 10, CODE, "//anon");
	look();
	expect(own, CODE, "first", "[jit]");
	write_map("7f0000000000 100 first\n7f0000000000 80 second\n");
	frame_of(own, CODE);
	end_process();
	look();
	expect(own, CODE + 0x7f, "second", "[jit]");
	expect(own, CODE + 0x80, "first", "[jit]");
}

static void test_nothing_is_asked_when_no_sample_hits_it(void **state)
{
	(void)state;
	write_map("7f0000000000 800 half of it\n");
	map_code(own, 10, CODE, "//anon");
	map_code(own, 15, CODE + 0x100000, "/lib/libc.so.6");
	look();
	end_process();
	frame_of(own, CODE + 0x100000);	/* a library's code says nothing */
	jit_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);
	frame_of(own, CODE);		/* has a name: it may be other code by now */
	jit_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 1);
	look();
}

static void hit(uint64_t time_ns, uint64_t ip, uint64_t caller)
{
	const uint64_t chain[] = { (uint64_t)-512, ip, caller };

	feed_sample_at(&feed, time_ns, own, own, PERF_RECORD_MISC_USER, ip, chain, 3);
	feed_round(&feed, time_ns + 1);
	jit_poll(&feed.ingest);
}

static void test_a_stack_that_was_there_before_hits_it_again(void **state)
{
	(void)state;
	map_code(own, 10, CODE, "//anon");
	hit(12, 1, CODE + 8);
	hit(14, CODE + 9, 1);
	look();
	end_process();
	look();
	hit(32, 1, 2);
	assert_int_equal(feed.ingest.opening, 0);
	hit(34, 1, CODE + 8);
	assert_int_equal(feed.ingest.opening, 1);
	look();
	hit(36, CODE + 9, 1);
	assert_int_equal(feed.ingest.opening, 1);
	look();
}

static void test_a_refused_map_is_said_where_its_names_would_be(void **state)
{
	const struct symbol *symbol;
	struct dso *dso;

	(void)state;
	assert_int_equal(symlink("/proc/kallsyms", map_path), 0);
	map_code(own, 10, CODE, "//anon");
	look();
	symbol = symbol_at(own, CODE);
	dso = &feed.ingest.dsos.dsos[symbol->dso];
	assert_int_equal(symbol->state, SYMBOL_UNREADABLE);
	assert_string_equal(strpool_get(feed.ingest.strings, dso->reason),
			    "perf map is a link: not followed");
	assert_ptr_equal(symbol, symbol_at(own, CODE + 0x100));
}

static void test_no_map_is_no_reason(void **state)
{
	(void)state;
	map_code(own, 10, CODE, "//anon");
	look();
	assert_int_equal(symbol_at(own, CODE)->state, SYMBOL_NO_MAP);
}

static bool is_read(void)
{
	return jit_is_read(&feed.ingest,
				  task_table_process(&feed.ingest.tasks, own)->code);
}

static void test_without_a_waiting_stack_nothing_is_walked_again(void **state)
{
	const uint64_t number = feed.ingest.tables_epoch;

	(void)state;
	map_code(own, 10, CODE, "//anon");
	look();
	assert_int_equal(feed.ingest.tables_epoch, number);
}

static void test_what_could_not_be_asked_is_asked_later(void **state)
{
	(void)state;
	map_code(own, 10, CODE, "//anon");
	jit_request_later(&feed.ingest, task_table_process(&feed.ingest.tasks, own)->code);
	jit_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);	/* not at once */
	end_process();
	look();
	assert_true(is_read());
}

/* Frame pointers lead around trampolines that only a map can tell. */
static void test_stacks_wait_until_somebody_looked_for_a_map(void **state)
{
	uint64_t number;

	(void)state;
	map_code(own, 10, CODE, "//anon");
	assert_false(is_read());
	number = feed.ingest.tables_epoch;
	look();
	assert_true(is_read());
	assert_true(feed.ingest.tables_epoch > number);	/* the walker asks again */
	number = feed.ingest.tables_epoch;
	end_process();
	look();
	assert_int_equal(feed.ingest.tables_epoch, number);
}

/* Its name is that of perf's memory, and a program's path may begin as that does. */
static void test_a_program_below_tmp_perf_is_a_file(void **state)
{
	uint32_t frame;

	(void)state;
	feed_mmap(&feed, 10, own, CODE, 0x1000, 0x10000, "/tmp/perf-build/program");
	feed_mmap(&feed, 10, own, CODE + 0x1000, 0x1000, 0x10000, "/tmp/perf-77.map");
	feed_round(&feed, 11);
	look();
	frame = frame_of(own, CODE);
	assert_int_equal(feed.ingest.trie.frames.address[frame], 0x10000);
	frame = frame_of(own, CODE + 0x1000);
	assert_int_equal(feed.ingest.trie.frames.address[frame], CODE + 0x1000);
}

/* Frames of a file are offsets in it, those of the map are addresses: bias 7effffff0000. */
static void test_memory_with_a_nameless_file_is_named_by_address(void **state)
{
	uint32_t frame;

	(void)state;
	write_map("7f0000000000 100 in a memfd\n");
	feed_mmap(&feed, 10, own, CODE, 0x1000, 0x10000, "/memfd:doublemapper (deleted)");
	feed_round(&feed, 11);
	look();
	frame = frame_of(own, CODE);
	assert_int_equal(feed.ingest.trie.frames.address[frame], 0x10000);
	expect(own, CODE + 0xff, "in a memfd", "[jit]");
	assert_int_equal(symbol_at(own, CODE)->address, 0x10000);
	assert_int_equal(symbol_at(own, CODE + 0x100)->state, SYMBOL_NO_MAP);
}

/* Frames keep the names they had when the last process with that memory is gone. */
static void test_names_stay_and_the_table_goes_with_its_process(void **state)
{
	const size_t before = dso_opener_bytes(opener);
	char no_map[64];

	(void)state;
	write_map("7f0000000000 100 first\n");
	map_code(own, 10, CODE, "//anon");
	frame_of(own, CODE + 0x10);
	look();
	assert_true(dso_opener_bytes(opener) > before);
	frame_of(own, CODE + 0x20);	/* not asked for its name as long as the process lives */
	end_process();
	look();
	assert_true(dso_opener_bytes(opener) > before);
	task_table_drop_dead(&feed.ingest.tasks, 1000);
	feed.ingest.jit->swept_ns = 0;
	look();
	assert_int_equal(dso_opener_bytes(opener), before);
	for (uint32_t i = 0; i < feed.ingest.dsos.count; i++)
		if (feed.ingest.dsos.dsos[i].is_jit)
			assert_null(feed.ingest.dsos.dsos[i].table.header);
	map_code(own, 40, CODE, "//anon");	/* the pid is another process's now */
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t symbol = symbol_names_of_frame(&feed.ingest.names,
							      &feed.ingest.trie, i);

		assert_string_equal(strpool_get(feed.ingest.strings,
						feed.ingest.names.symbols[symbol].name), "first");
	}
	snprintf(no_map, sizeof(no_map), "[anon] JIT of pid %u, no map", own);
	expect(own, CODE + 0x10, no_map, "[anon]");
}

/* All 64-bit processes have the same; a 32-bit one has another, which it may have overwritten. */
static void test_the_vdso_of_a_32_bit_process_is_its_own(void **state)
{
	const uint32_t *dso;
	uint32_t frames[4];

	(void)state;
	map_code(100, 10, 0x7fff00001000, "[vdso]");
	map_code(200, 11, 0x7fff00005000, "[vdso]");
	map_code(300, 12, 0xf7f02000, "[vdso]");
	map_code(400, 13, 0xf7f02000, "[vdso]");
	frames[0] = frame_of(100, 0x7fff00001234);
	frames[1] = frame_of(200, 0x7fff00005234);
	frames[2] = frame_of(300, 0xf7f02234);
	frames[3] = frame_of(400, 0xf7f02234);
	dso = feed.ingest.trie.frames.dso;
	assert_int_equal(frames[0], frames[1]);
	assert_int_not_equal(dso[frames[0]], dso[frames[2]]);
	assert_int_not_equal(dso[frames[2]], dso[frames[3]]);
}

static void test_a_recording_asks_for_no_map(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	feed_finish(&feed);
	feed_init(&feed, &replay, NULL);
	feed.ingest.opener = opener;
	write_map("7f0000000000 100 first\n");
	map_code(own, 10, CODE, "//anon");
	frame_of(own, CODE);
	assert_true(is_read());
	jit_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);
	(void)state;
}

UNIT_TESTS(test_ingest_jit)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_each_process_has_memory_of_its_own),
		TEST(test_all_code_of_a_process_without_a_map_is_one_symbol),
		TEST(test_each_kind_of_memory_is_a_region),
		TEST(test_what_a_process_maps_twice_is_one_dso),
		TEST(test_last_lines_that_could_not_be_kept_are_in_the_losses),
		TEST(test_after_exec_the_memory_is_another),
		TEST(test_a_child_has_the_code_of_its_parent),
		TEST(test_a_map_names_the_code_of_its_process),
		TEST(test_code_that_replaces_other_code_at_its_place_takes_its_name),
		TEST(test_nothing_is_asked_when_no_sample_hits_it),
		TEST(test_a_stack_that_was_there_before_hits_it_again),
		TEST(test_a_refused_map_is_said_where_its_names_would_be),
		TEST(test_no_map_is_no_reason),
		TEST(test_without_a_waiting_stack_nothing_is_walked_again),
		TEST(test_what_could_not_be_asked_is_asked_later),
		TEST(test_stacks_wait_until_somebody_looked_for_a_map),
		TEST(test_a_program_below_tmp_perf_is_a_file),
		TEST(test_memory_with_a_nameless_file_is_named_by_address),
		TEST(test_names_stay_and_the_table_goes_with_its_process),
		TEST(test_the_vdso_of_a_32_bit_process_is_its_own),
		TEST(test_a_recording_asks_for_no_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
