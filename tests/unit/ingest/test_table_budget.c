/* Symbol tables that go for want of room: which goes, what keeps its name, what comes back. The
 * opener and the files are real. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "ingest/ingest.h"
#include "ingest/mappings.h"
#include "ingest/tables.h"
#include "unit_tests.h"

enum { FILES = 3 };	/* less than 3/4 of what they take is room for two */
#define MAPPED_BYTES   4096
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct dso_opener *opener;
static struct ingest ingest;
static char paths[FILES][256];
static void *mappings[FILES];
static uint32_t dsos[FILES];
static uint64_t seen_at[FILES], new_at[FILES];	/* two functions of each file */

static void build(const char *path, unsigned int number, const char *kind)
{
	assert_true(elf_fixture_run(
		"printf '.globl seen_%u, %s_%u\\nseen_%u: " ENDLESS_LOOP "\\n.size seen_%u, 2\\n"
		".type seen_%u, @function\\n%s_%u: " ENDLESS_LOOP "\\n.size %s_%u, 2\\n.type %s_%u,"
		" @function\\n' | cc -shared -nostdlib -x assembler - -o %s",
		number, kind, number, number, number, number, kind, number, kind, number, kind,
		number, path));
}

static void take_replies(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

	while (ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&ingest);
	}
}

/* Its file is asked for. */
static void begin_to_see(const char *path, const void *mapping)
{
	struct event_record record = { .mode = MODE_USER, .has_pid = true,
				       .pid = (uint32_t)getpid(), .time_ns = CLOCK_NS_PER_S };
	struct record_mmap *mmap = &record.mmap;
	struct stat status;

	mmap->start = (uintptr_t)mapping;
	mmap->bytes = MAPPED_BYTES;
	mmap->path = (struct record_text){ path, strlen(path) };
	mmap->is_executable = mmap->has_inode = true;
	if (stat(path, &status) == 0) {
		mmap->dev_major = major(status.st_dev);
		mmap->dev_minor = minor(status.st_dev);
		mmap->inode = status.st_ino;
	}
	mappings_mmap(&ingest, &record);
}

static void see(const char *path, const void *mapping)
{
	begin_to_see(path, mapping);
	take_replies();
}

static void *map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *mapping = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	close(fd);
	assert_true(mapping != MAP_FAILED);
	return mapping;
}

static uint32_t dso_at(const void *mapping)
{
	const struct process *process = task_table_find_process(&ingest.tasks, (uint32_t)getpid());

	return dso_table_current(&ingest.dsos,
				 process_maps_find(process->maps, (uintptr_t)mapping)->dso);
}

static uint64_t address_of(uint32_t dso, const char *kind)
{
	const struct flat_table *table = &ingest.dsos.dsos[dso].table;

	for (uint32_t i = 0; i < table->header->row_count; i++)
		if (!strncmp(flat_table_name(table, i), kind, strlen(kind)))
			return table->rows[i].start;
	fail();
	return 0;
}

static const char *name_at(uint32_t dso, uint64_t address)
{
	const uint32_t frame = stack_trie_frame(&ingest.trie, dso, address);
	const uint32_t symbol = symbol_names_of_frame(&ingest.names, &ingest.trie, frame);

	return strpool_get(ingest.strings, ingest.names.symbols[symbol].name);
}

static enum dso_state state_of(int file)
{
	return ingest.dsos.dsos[dsos[file]].state;
}

/* Files 0 to 2 are mapped here. Of each a frame is in the history, not yet named. */
static int set_up(void **state)
{
	static const struct event_desc event, *const events[] = { &event };
	const struct ingest_config config = { .event_count = 1, .events = events };
	char name[16];

	(void)state;
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL) ||
	    ingest_init(&ingest, &config, opener, NULL, NULL))
		return -1;
	for (unsigned int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "table%u.so", i);
		snprintf(paths[i], sizeof(paths[i]), "%s", elf_fixture_path(name));
		build(paths[i], i, "new");
		mappings[i] = map(paths[i]);
		see(paths[i], mappings[i]);
		dsos[i] = dso_at(mappings[i]);
		seen_at[i] = address_of(dsos[i], "seen");
		new_at[i] = address_of(dsos[i], "new");
		stack_trie_frame(&ingest.trie, dsos[i], seen_at[i]);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ingest_finish(&ingest);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	for (int i = 0; i < FILES; i++)
		munmap(mappings[i], MAPPED_BYTES);
	return 0;
}

/* As the analyzer does each second. */
static void second_with_room_for(size_t bytes)
{
	ingest_limit_tables(&ingest, bytes);
	take_replies();
}

/* Nobody maps file 2 any longer, although it was needed last. */
static void test_a_table_that_nobody_maps_goes_first_and_its_names_stay(void **state)
{
	const size_t before = dso_opener_bytes(opener);

	(void)state;
	see("//anon", mappings[2]);
	ingest.dsos.round++;
	name_at(dsos[2], seen_at[2]);
	second_with_room_for(ingest.tables->names.bytes - 1);
	assert_int_equal(state_of(0), DSO_READY);
	assert_int_equal(state_of(1), DSO_READY);
	assert_int_equal(state_of(2), DSO_LET_GO);
	assert_true(dso_opener_bytes(opener) < before);
	assert_int_equal(ingest.counters.tables_let_go, 1);
	assert_string_equal(name_at(dsos[2], seen_at[2]), "seen_2");
	assert_string_equal(name_at(dsos[2], new_at[2]), "(names let go for want of room)");
	second_with_room_for(SIZE_MAX);
	assert_int_equal(state_of(2), DSO_LET_GO);
}

static void test_the_table_that_was_needed_longest_ago_goes_and_comes_back_when_needed(void **state)
{
	(void)state;
	for (int file = 1; file < FILES; file++) {
		ingest.dsos.round++;
		name_at(dsos[file], seen_at[file]);
	}
	second_with_room_for(ingest.tables->names.bytes - 1);
	assert_int_equal(state_of(0), DSO_LET_GO);
	assert_int_equal(state_of(1), DSO_READY);
	assert_string_equal(name_at(dsos[0], seen_at[0]), "seen_0");
	second_with_room_for(SIZE_MAX);
	assert_int_equal(state_of(0), DSO_LET_GO);	/* a seen address needs no table */
	assert_string_equal(name_at(dsos[0], new_at[0]), "(names let go for want of room)");
	second_with_room_for(SIZE_MAX);
	assert_int_equal(dso_at(mappings[0]), dsos[0]);
	assert_int_equal(state_of(0), DSO_READY);
	assert_string_equal(name_at(dsos[0], new_at[0]), "new_0");
	assert_string_equal(name_at(dsos[0], seen_at[0]), "seen_0");
}

static void let_go_of_the_first_and_rewrite_it(void)
{
	ingest.dsos.round++;
	name_at(dsos[1], seen_at[1]);
	name_at(dsos[2], seen_at[2]);
	second_with_room_for(ingest.tables->names.bytes - 1);
	build(elf_fixture_path("other.so"), 0, "other");
	assert_true(elf_fixture_run("cat %s > %s", elf_fixture_path("other.so"), paths[0]));
}

/* Same inode, other bytes: what was named before keeps its name. */
static void test_a_file_that_changed_while_its_table_was_gone_is_another_dso(void **state)
{
	(void)state;
	let_go_of_the_first_and_rewrite_it();
	name_at(dsos[0], new_at[0]);
	second_with_room_for(SIZE_MAX);
	assert_int_equal(state_of(0), DSO_LET_GO);
	assert_string_equal(name_at(dsos[0], seen_at[0]), "seen_0");
	assert_int_not_equal(dso_at(mappings[0]), dsos[0]);
	assert_string_equal(name_at(dso_at(mappings[0]), new_at[0]), "other_0");
}

/* A package is installed again: another inode with the same bytes at the same path, while the old
 * file is still mapped. Both are one for the screen, but each has, or has not, a table. */
static void test_a_copy_whose_table_came_back_alone_has_names(void **state)
{
	uint32_t copy;
	void *mapping;

	(void)state;
	assert_true(elf_fixture_run("cp %s copy.so && mv copy.so %s", paths[0], paths[0]));
	mapping = map(paths[0]);
	see(paths[0], mapping);
	copy = dso_at(mapping);
	assert_int_not_equal(copy, dsos[0]);
	assert_int_equal(ingest.dsos.dsos[copy].canonical, dsos[0]);
	name_at(copy, seen_at[0]);
	for (int file = 1; file < FILES; file++) {
		ingest.dsos.round++;
		name_at(dsos[file], seen_at[file]);
	}
	second_with_room_for(ingest.tables->names.bytes - 1);
	assert_int_equal(state_of(0), DSO_LET_GO);
	assert_int_equal(ingest.dsos.dsos[copy].state, DSO_LET_GO);
	assert_string_equal(name_at(copy, new_at[0]), "(names let go for want of room)");
	second_with_room_for(SIZE_MAX);
	assert_int_equal(state_of(0), DSO_LET_GO);
	assert_int_equal(ingest.dsos.dsos[copy].state, DSO_READY);
	assert_string_equal(name_at(copy, new_at[0]), "new_0");
	assert_string_equal(name_at(copy, seen_at[0]), "seen_0");
	assert_string_equal(name_at(dsos[0], seen_at[0]), "seen_0");
	munmap(mapping, MAPPED_BYTES);
}

static int tables_held(void)
{
	int count = 0;

	for (uint32_t i = 0; i < ingest.tables->names.count; i++)
		count += ingest.tables->names.held[i].bytes > 0;
	return count;
}

/* The same where there is no room for another: new code has no name, and never that of the old. */
static void test_a_file_that_changed_without_room_for_another_dso_keeps_its_names(void **state)
{
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	bool is_new = true;

	(void)state;
	let_go_of_the_first_and_rewrite_it();
	while (key.inode++, is_new)
		dso_table_intern(&ingest.dsos, &key, &is_new);
	name_at(dsos[0], new_at[0]);
	second_with_room_for(SIZE_MAX);
	assert_int_equal(dso_at(mappings[0]), dsos[0]);
	assert_int_equal(state_of(0), DSO_LET_GO);
	assert_string_equal(name_at(dsos[0], seen_at[0]), "seen_0");
	assert_string_equal(name_at(dsos[0], new_at[0]), "(names let go for want of room)");
	assert_int_equal(ingest.dsos.refused, 2);
	second_with_room_for(SIZE_MAX);
	assert_int_equal(tables_held(), 3);	/* that of the new file goes first */
	second_with_room_for(ingest.tables->names.bytes - 1);
	assert_int_equal(tables_held(), 2);
	assert_int_equal(state_of(1), DSO_READY);
	assert_int_equal(state_of(2), DSO_READY);
}

/* Many rounds of coming and going leave as much as the first. */
static void test_tables_that_come_and_go_leave_nothing(void **state)
{
	size_t bytes = 0;

	(void)state;
	for (uint64_t round = 0; round < 20; round++) {
		second_with_room_for(0);	/* one stays */
		if (!round)
			bytes = dso_opener_bytes(opener);
		assert_int_equal(dso_opener_bytes(opener), bytes);
		for (int file = 0; file < FILES; file++)
			name_at(dsos[file], new_at[file] + 64 + round);
		second_with_room_for(SIZE_MAX);
		for (int file = 0; file < FILES; file++)
			assert_int_equal(state_of(file), DSO_READY);
	}
	assert_int_equal(ingest.counters.tables_let_go, 20 * (FILES - 1));
}

/* Gives the row of @dso to a DSO that has no file. */
static void give_to_another(uint32_t dso)
{
	const struct dso_key key = { .path = "//anon", .path_len = 6, .place = 1,
					.mode = MODE_USER };
	unsigned char used[64];
	bool is_new;

	assert_true(ingest.dsos.count <= sizeof(used));
	memset(used, 1, sizeof(used));
	used[dso] = 0;
	ingest.dsos.dsos[dso].is_asked = false;
	ingest.dsos.dsos[dso].unwind = DSO_UNWIND_UNASKED;
	assert_int_equal(dso_table_reclaim(&ingest.dsos, used), 1);
	ingest.dsos.now_ns += DSO_REST_NS;
	assert_int_equal(dso_table_intern(&ingest.dsos, &key, &is_new), dso);
}

/* The reply comes when its DSO has gone and another has the number: the tables are counted, so
 * that they can be given back, but nobody's. */
static void test_a_late_reply_names_nobody_elses_code(void **state)
{
	const char *path = elf_fixture_path("late.so");
	const struct table_set *unwind = &ingest.tables->unwind.tables;
	uint32_t dso, unwind_tables;
	void *mapping;
	size_t bytes;

	(void)state;
	build(path, 7, "late");
	mapping = map(path);
	ingest.wants_unwind = true;
	bytes = ingest.tables->names.bytes;
	unwind_tables = unwind->count;
	begin_to_see(path, mapping);
	dso = dso_at(mapping);
	give_to_another(dso);
	take_replies();
	assert_int_equal(ingest.dsos.dsos[dso].state, DSO_NO_TABLE);
	assert_int_equal(ingest.dsos.dsos[dso].unwind, DSO_UNWIND_UNASKED);
	assert_true(ingest.tables->names.bytes > bytes);
	assert_int_equal(unwind->count, unwind_tables + 1);
	munmap(mapping, MAPPED_BYTES);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_table_budget)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_table_that_nobody_maps_goes_first_and_its_names_stay),
		TEST(test_the_table_that_was_needed_longest_ago_goes_and_comes_back_when_needed),
		TEST(test_a_file_that_changed_while_its_table_was_gone_is_another_dso),
		TEST(test_a_file_that_changed_without_room_for_another_dso_keeps_its_names),
		TEST(test_a_copy_whose_table_came_back_alone_has_names),
		TEST(test_tables_that_come_and_go_leave_nothing),
		TEST(test_a_late_reply_names_nobody_elses_code),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
