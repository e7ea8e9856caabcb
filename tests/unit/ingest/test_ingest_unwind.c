/* The unwind tables that the analyzer holds: asked for when code is hit, given back when there are
 * too many, and asked for again. The opener and the files are real. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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
#include "ingest/requests.h"
#include "ingest/tables.h"
#include "unit_tests.h"

#define MAPPED_BYTES   4096
#define NO_SUCH_PID    4194303	/* the last that can be */
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct dso_opener *opener;
static struct ingest ingest;
static struct event_record last_mapped;
static const char *build_id = "none";	/* an argument of ld --build-id */
static bool is_of_ended_process, is_deleted;

static int set_up(void **state)
{
	static const struct event_desc event, *const events[] = { &event };
	const struct ingest_config config = { .event_count = 1, .events = events };

	(void)state;
	build_id = "none";
	is_of_ended_process = is_deleted = false;
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	return ingest_init(&ingest, &config, opener, NULL, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	ingest_finish(&ingest);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	return 0;
}

static void take_replies(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

	while (ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&ingest);
	}
}

/* The kernel says that the last library is mapped. */
static const struct mapping *map_last(void)
{
	mappings_mmap(&ingest, &last_mapped);
	take_replies();
	return process_maps_find(task_table_find_process(&ingest.tasks, last_mapped.pid)->maps,
				 last_mapped.mmap.start);
}

/* A library of one function with an entry of its own. */
static void build_library(const char *name, const char *function, const char *more)
{
	assert_true(elf_fixture_run("printf '.globl %s\\n%s: .cfi_startproc\\n%s" ENDLESS_LOOP "\\n"
				    ".cfi_endproc\\n' | cc -shared -nostdlib -Wl,--build-id=%s "
				    "-x assembler - -o %s.so && mv %s.so %s", function, function,
				    more, build_id, name, name, name));
}

/* Builds it, maps it, and tells the analyzer. */
static const struct mapping *map_library(const char *name)
{
	const char *path = elf_fixture_path(name);
	struct stat status;
	void *mapping;
	int fd;

	build_library(name, name, "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	mapping = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(mapping != MAP_FAILED);
	if (is_deleted)
		assert_int_equal(unlink(path), 0);
	last_mapped = (struct event_record){
		.mode = MODE_USER, .has_pid = true, .time_ns = 1,
		.pid = is_of_ended_process ? NO_SUCH_PID : (uint32_t)getpid(),
		.mmap = {
			.start = (uintptr_t)mapping, .bytes = MAPPED_BYTES, .is_executable = true,
			.path = { path, strlen(path) }, .has_inode = true, .inode = status.st_ino,
			.dev_major = major(status.st_dev), .dev_minor = minor(status.st_dev),
		},
	};
	return map_last();
}

static const struct unwind_table *find(const struct mapping *mapping, bool *is_loading)
{
	return tables_find_unwind(&ingest, last_mapped.pid, mapping, is_loading);
}

/* Hits it, waits, and hits it again. */
static const struct unwind_table *load(const struct mapping *mapping)
{
	bool is_loading;

	find(mapping, &is_loading);
	take_replies();
	return find(mapping, &is_loading);
}

static void test_a_table_is_asked_for_when_its_code_is_hit(void **state)
{
	const struct mapping mapping = *map_library("first");
	const struct unwind_table *table;
	bool is_loading = false;

	(void)state;
	assert_null(find(&mapping, &is_loading));
	assert_true(is_loading);
	assert_int_equal(ingest.opening, 1);
	assert_null(find(&mapping, &is_loading));
	assert_int_equal(ingest.opening, 1);	/* once */
	take_replies();
	table = find(&mapping, &is_loading);
	assert_non_null(table);
	assert_false(is_loading);
	assert_int_equal(table->header->row_count, 2);
	assert_int_equal(ingest.tables->unwind.changes, 1);
}

static void test_a_table_that_had_to_go_is_asked_for_again(void **state)
{
	const struct mapping first = *map_library("first"), second = *map_library("second");
	size_t bytes;
	bool is_loading = false;

	(void)state;
	ingest.tables->unwind.bytes_max = 1;
	assert_non_null(load(&first));
	bytes = dso_opener_bytes(opener);
	assert_non_null(load(&second));
	take_replies();		/* to what was given back */
	assert_int_equal(dso_opener_bytes(opener), bytes);
	assert_null(find(&first, &is_loading));
	assert_true(is_loading);
	assert_int_equal(ingest.opening, 1);
	assert_non_null(load(&first));
	assert_null(find(&second, &is_loading));
	assert_true(is_loading);
}

/* A file that is mapped all the time, and never hit, must not put out those that are. */
static void test_a_table_that_had_to_go_does_not_come_with_the_next_mapping(void **state)
{
	struct mapping first, second;
	struct event_record first_mapped;
	bool is_loading = false;

	(void)state;
	ingest.wants_unwind = true;
	ingest.tables->unwind.bytes_max = 1;
	first = *map_library("first");
	first_mapped = last_mapped;
	second = *map_library("second");
	take_replies();		/* to what was given back */
	first_mapped.time_ns = 2 * CLOCK_NS_PER_S;
	last_mapped = first_mapped;
	map_last();
	assert_int_equal(ingest.tables->unwind.changes, 2);
	assert_non_null(find(&second, &is_loading));
	assert_null(find(&first, &is_loading));
	assert_true(is_loading);
	assert_non_null(load(&first));
}

/* Where only a recording is made, an unwind table is made for code that is hit alone, and the table
 * tells the build-id if the process has ended, so that the kernel doesn't. */
static void test_without_a_screen_only_code_that_is_hit_has_a_table(void **state)
{
	static const unsigned char id[] = { 0xab, 0xcd, 0xef, 0x01 };
	struct mapping mapping;
	const struct dso *dso;
	bool is_loading = false;

	(void)state;
	ingest.wants_unwind = ingest.config.only_records = true;
	build_id = "0xabcdef01";
	is_of_ended_process = true;
	mapping = *map_library("first");
	dso = &ingest.dsos.dsos[mapping.dso];
	assert_int_equal(dso->state, DSO_READY);
	assert_int_equal(dso->table.header->row_count, 0);
	assert_int_equal(dso->unwind, DSO_UNWIND_UNASKED);
	assert_int_equal(dso->build_id.count, 0);
	assert_null(find(&mapping, &is_loading));
	assert_true(is_loading);
	take_replies();
	assert_int_equal(find(&mapping, &is_loading)->header->row_count, 2);
	assert_int_equal(dso->build_id.count, sizeof(id));
	assert_memory_equal(dso->build_id.bytes, id, sizeof(id));
	assert_int_equal(ingest.dsos.successions, 0);
}

static void test_a_deleted_file_has_a_table_before_its_code_is_hit(void **state)
{
	struct mapping mapping;
	bool is_loading;

	(void)state;
	if (geteuid())
		skip();		/* only root may open it */
	ingest.wants_unwind = ingest.config.only_records = is_deleted = true;
	mapping = *map_library("first");
	assert_non_null(find(&mapping, &is_loading));
	assert_false(is_loading);
}

/* Maps a library without a screen, and gives its file other rows and another build-id. */
static const struct mapping *map_and_overwrite(void)
{
	const struct mapping *mapping;

	ingest.wants_unwind = ingest.config.only_records = true;
	build_id = "0xabcdef01";
	mapping = map_library("first");
	if (!ingest.dsos.dsos[mapping->dso].build_id.count)
		skip();		/* a kernel that does not tell it */
	build_id = "0xabcdef02";
	build_library("new", "first", ".cfi_def_cfa_offset 16\\n");
	assert_true(elf_fixture_run("cat new > first"));
	return mapping;
}

static void test_a_file_that_was_overwritten_before_its_code_is_hit_has_no_table(void **state)
{
	struct mapping mapping;

	(void)state;
	mapping = *map_and_overwrite();
	assert_null(load(&mapping));
	assert_int_equal(ingest.dsos.dsos[mapping.dso].unwind, DSO_UNWIND_NONE);
}

static void test_a_file_that_was_overwritten_is_another_without_names_too(void **state)
{
	struct mapping mapping;
	bool is_loading = false;

	(void)state;
	mapping = *map_and_overwrite();
	last_mapped.time_ns = 2 * CLOCK_NS_PER_S;
	mapping = *map_last();
	assert_int_equal(ingest.dsos.successions, 1);
	assert_int_equal(load(&mapping)->rows[0].cfa, 2);
	assert_false(find(&mapping, &is_loading) == NULL || is_loading);
}

/* Its names are the same, so that it is no other DSO. */
static void test_a_file_that_was_overwritten_has_its_new_rows(void **state)
{
	struct mapping mapping;
	bool is_loading = false;

	(void)state;
	ingest.wants_unwind = true;
	mapping = *map_library("first");
	assert_int_equal(find(&mapping, &is_loading)->rows[0].cfa, RETURN_BYTES / 8);
	build_library("new", "first", ".cfi_def_cfa_offset 16\\n");
	assert_true(elf_fixture_run("cat new > first"));
	last_mapped.time_ns = 2 * CLOCK_NS_PER_S;
	mapping = *map_last();
	assert_int_equal(find(&mapping, &is_loading)->rows[0].cfa, 2);
	assert_int_equal(ingest.dsos.successions, 0);
}

/* Two DSOs may share a table; the one that asks for it again may get another instead. */
static void test_a_table_for_which_another_came_can_be_asked_for_again(void **state)
{
	const struct mapping first = *map_library("first"), second = *map_library("second");
	struct dso *dso = &ingest.dsos.dsos[first.dso];
	uint64_t number;
	bool is_loading = false;

	(void)state;
	ingest.tables->unwind.bytes_max = 1;
	assert_non_null(load(&first));
	number = dso->unwind_number;
	assert_non_null(load(&second));
	build_library("new", "first", ".cfi_def_cfa_offset 16\\n");
	assert_true(elf_fixture_run("cat new > first"));
	assert_non_null(load(&first));
	assert_int_not_equal(dso->unwind_number, number);
	take_replies();
	dso->unwind_number = number;		/* as that of the one that shared it */
	assert_null(find(&first, &is_loading));
	assert_true(is_loading);
	assert_int_equal(ingest.opening, 1);
	assert_non_null(load(&first));
}

static void test_a_table_whose_row_is_anothers_by_now_is_asked_for_as_if_new(void **state)
{
	const struct mapping mapping = *map_library("first");
	struct dso *dso = &ingest.dsos.dsos[mapping.dso];
	struct table_held *held;
	bool is_loading = false;

	(void)state;
	assert_non_null(load(&mapping));
	held = unwind_set_held(&ingest.tables->unwind, dso->unwind_number);
	held->number += (uint64_t)1 << 32;
	assert_null(find(&mapping, &is_loading));
	assert_true(is_loading);
	assert_int_equal(dso->unwind, DSO_UNWIND_LOADING);
	assert_int_equal(ingest.opening, 1);
	assert_non_null(load(&mapping));
	assert_false(unwind_set_is_lost(&ingest.tables->unwind, dso->unwind_number));
}

/* What waited for it would wait for ever. */
static void test_a_table_that_can_not_be_asked_for_again_is_not_waited_for(void **state)
{
	const struct mapping first = *map_library("first"), second = *map_library("second");
	const uint32_t waiting = ingest.requests->waiting_count;
	bool is_loading = true;

	(void)state;
	ingest.tables->unwind.bytes_max = 1;
	assert_non_null(load(&first));
	assert_non_null(load(&second));
	take_replies();
	ingest.requests->waiting_count = INGEST_WAITING_MAX;	/* as with many files at once */
	assert_null(find(&first, &is_loading));
	assert_false(is_loading);
	assert_int_equal(ingest.opening, 0);
	ingest.requests->waiting_count = waiting;
	assert_non_null(load(&first));
}

/* Its file system did not reply, and is asked some seconds later. */
static void ask_refused(struct dso *dso)
{
	requests_note_refused(&ingest, dso, true);
	dso->is_asked = false;
	ingest.requests->refused_due_ns = ingest.requests->refused_due_ns ? 1 : 0;
	requests_poll(&ingest);
}

static void test_a_table_is_kept_while_its_file_system_does_not_answer(void **state)
{
	struct mapping mapping;
	struct dso *dso;
	bool is_loading = true;

	(void)state;
	ingest.wants_unwind = true;
	mapping = *map_library("first");
	dso = &ingest.dsos.dsos[mapping.dso];
	ask_refused(dso);
	assert_int_equal(ingest.opening, 0);
	dso_table_let_go(&ingest.dsos, mapping.dso);
	ask_refused(dso);
	assert_int_equal(ingest.opening, 2);
	assert_non_null(find(&mapping, &is_loading));
	assert_false(is_loading);
	take_replies();
	assert_int_equal(dso->state, DSO_READY);
	assert_non_null(find(&mapping, &is_loading));
	assert_int_equal(ingest.tables->unwind.tables.held[dso->unwind_number - 1].received, 1);
}

static void test_a_table_that_was_refused_is_waited_for_once_more(void **state)
{
	const struct mapping mapping = *map_library("first");
	struct dso *dso = &ingest.dsos.dsos[mapping.dso];
	bool is_loading = false;

	(void)state;
	ingest.wants_unwind = true;
	dso_table_set_unreadable(&ingest.dsos, mapping.dso, "it does not answer");
	dso->unwind = DSO_UNWIND_NONE;
	ask_refused(dso);
	assert_null(find(&mapping, &is_loading));
	assert_true(is_loading);
	take_replies();
	assert_non_null(find(&mapping, &is_loading));
}

/* The file was there when its names were read. */
static void test_rows_that_were_refused_are_asked_for_by_the_code_that_needs_them(void **state)
{
	const struct mapping mapping = *map_library("first");
	struct dso *dso = &ingest.dsos.dsos[mapping.dso];
	const struct open_reply refused = { .dso = mapping.dso, .serial = dso->serial,
					    .is_unwind = true, .is_refused = true };
	bool is_loading = true;

	(void)state;
	assert_null(find(&mapping, &is_loading));
	take_replies();
	dso->unwind = DSO_UNWIND_LOADING;
	tables_take_unwind(&ingest, &refused);
	assert_int_equal(dso->state, DSO_READY);
	assert_null(find(&mapping, &is_loading));
	assert_false(is_loading);
	ingest.requests->refused_due_ns = ingest.requests->refused_due_ns ? 1 : 0;
	requests_poll(&ingest);
	assert_null(find(&mapping, &is_loading));
	assert_true(is_loading);
	take_replies();
	assert_non_null(find(&mapping, &is_loading));
}

static void test_memory_without_a_file_has_no_table(void **state)
{
	struct mapping mapping = *map_library("first");
	bool is_loading = true;

	(void)state;
	mapping.dso = DSO_UNKNOWN;
	assert_null(find(&mapping, &is_loading));
	assert_false(is_loading);
	assert_int_equal(ingest.opening, 0);
}

static void test_a_file_that_is_gone_has_no_table(void **state)
{
	const struct mapping mapping = *map_library("first");
	bool is_loading = true;

	(void)state;
	munmap((void *)(uintptr_t)mapping.start, MAPPED_BYTES);
	assert_true(elf_fixture_run("rm first"));
	assert_null(load(&mapping));
	assert_null(find(&mapping, &is_loading));
	assert_false(is_loading);
	assert_int_equal(ingest.opening, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_unwind)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_table_is_asked_for_when_its_code_is_hit),
		TEST(test_a_table_that_had_to_go_is_asked_for_again),
		TEST(test_a_table_that_had_to_go_does_not_come_with_the_next_mapping),
		TEST(test_a_file_that_was_overwritten_has_its_new_rows),
		TEST(test_without_a_screen_only_code_that_is_hit_has_a_table),
		TEST(test_a_deleted_file_has_a_table_before_its_code_is_hit),
		TEST(test_a_file_that_was_overwritten_before_its_code_is_hit_has_no_table),
		TEST(test_a_file_that_was_overwritten_is_another_without_names_too),
		TEST(test_a_table_for_which_another_came_can_be_asked_for_again),
		TEST(test_a_table_whose_row_is_anothers_by_now_is_asked_for_as_if_new),
		TEST(test_a_table_that_can_not_be_asked_for_again_is_not_waited_for),
		TEST(test_a_table_is_kept_while_its_file_system_does_not_answer),
		TEST(test_a_table_that_was_refused_is_waited_for_once_more),
		TEST(test_rows_that_were_refused_are_asked_for_by_the_code_that_needs_them),
		TEST(test_memory_without_a_file_has_no_table),
		TEST(test_a_file_that_is_gone_has_no_table),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
