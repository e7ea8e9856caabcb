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

#include "elf_fixture.h"
#include "model/ingest.h"

#define MAPPED_BYTES   4096
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct object_opener *opener;
static struct ingest ingest;

static int set_up(void **state)
{
	static const struct event_desc event, *const events[] = { &event };
	const struct ingest_config config = { .event_count = 1, .events = events };

	(void)state;
	if (sandbox_start(&sandbox, NULL) || object_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	return ingest_init(&ingest, &config, opener, NULL, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	ingest_finish(&ingest);
	object_opener_destroy(opener);
	sandbox_stop(sandbox);
	return 0;
}

static void take_replies(void)
{
	struct pollfd wait = { .fd = object_opener_fd(opener), .events = POLLIN };

	while (ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		ingest_opener_replies(&ingest);
	}
}

/* Builds a library of one function with an entry, maps it, and tells the analyzer. */
static const struct mapping *map_library(const char *name)
{
	const char *path = elf_fixture_path(name);
	struct event_record record = { .mode = MODE_USER, .has_pid = true, .time_ns = 1 };
	struct stat status;
	void *mapping;
	int fd;

	assert_true(elf_fixture_run("printf '.globl %s\\n%s: .cfi_startproc\\njmp .\\n"
				    ".cfi_endproc\\n' | cc -shared -nostdlib -x assembler - "
				    "-o %s.so && mv %s.so %s", name, name, name, name, name));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	mapping = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(mapping != MAP_FAILED);
	record.pid = (uint32_t)getpid();
	record.mmap = (struct record_mmap){
		.start = (uintptr_t)mapping, .bytes = MAPPED_BYTES, .is_executable = true,
		.path = { path, strlen(path) }, .has_inode = true, .inode = status.st_ino,
		.dev_major = major(status.st_dev), .dev_minor = minor(status.st_dev),
	};
	ingest_mmap(&ingest, &record);
	take_replies();
	return address_map_find(task_table_find_process(&ingest.tasks, record.pid)->maps,
				record.mmap.start);
}

static const struct unwind_table *find(const struct mapping *mapping, bool *is_loading)
{
	return ingest_unwind_find(&ingest, (uint32_t)getpid(), mapping, is_loading);
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
	assert_int_equal(ingest.unwind.changes, 1);
}

static void test_a_table_that_had_to_go_is_asked_for_again(void **state)
{
	const struct mapping first = *map_library("first"), second = *map_library("second");
	size_t bytes;
	bool is_loading = false;

	(void)state;
	ingest.unwind.bytes_max = 1;
	assert_non_null(load(&first));
	bytes = object_opener_bytes(opener);
	assert_non_null(load(&second));
	take_replies();		/* to what was given back */
	assert_int_equal(object_opener_bytes(opener), bytes);
	assert_null(find(&first, &is_loading));
	assert_true(is_loading);
	assert_int_equal(ingest.opening, 1);
	assert_non_null(load(&first));
	assert_null(find(&second, &is_loading));
	assert_true(is_loading);
}

/* What waited for it would wait for ever. */
static void test_a_table_that_can_not_be_asked_for_again_is_not_waited_for(void **state)
{
	const struct mapping first = *map_library("first"), second = *map_library("second");
	const uint32_t waiting = ingest.waiting_count;
	bool is_loading = true;

	(void)state;
	ingest.unwind.bytes_max = 1;
	assert_non_null(load(&first));
	assert_non_null(load(&second));
	take_replies();
	ingest.waiting_count = INGEST_WAITING_MAX;	/* as with many files at once */
	assert_null(find(&first, &is_loading));
	assert_false(is_loading);
	assert_int_equal(ingest.opening, 0);
	ingest.waiting_count = waiting;
	assert_non_null(load(&first));
}

static void test_memory_without_a_file_has_no_table(void **state)
{
	struct mapping mapping = *map_library("first");
	bool is_loading = true;

	(void)state;
	mapping.object = OBJECT_UNKNOWN;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_table_is_asked_for_when_its_code_is_hit),
		TEST(test_a_table_that_had_to_go_is_asked_for_again),
		TEST(test_a_table_that_can_not_be_asked_for_again_is_not_waited_for),
		TEST(test_memory_without_a_file_has_no_table),
		TEST(test_a_file_that_is_gone_has_no_table),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
