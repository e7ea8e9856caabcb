/* DSOs and their files: when a file is asked for, and what becomes of a DSO whose file
 * changes. The opener and the files are real. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "ingest/ingest.h"
#include "ingest/mappings.h"
#include "ingest/requests.h"
#include "ingest/tables.h"
#include "need_root.h"
#include "unit_tests.h"

#define MAPPED_BYTES   4096
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */
#define LATER_NS       (2 * CLOCK_NS_PER_S)

static struct sandbox *sandbox;
static struct dso_opener *opener;
static struct ingest ingest;
static char library[256];

/* A library of one function; a global one, because linkers leave local names out of build-ids. */
static void build(const char *path, const char *function)
{
	assert_true(elf_fixture_run("printf '.globl %s\\n%s: " ENDLESS_LOOP "\\n"
				    ".type %s, @function\\n.size %s, 2\\n'"
				    " | cc -shared -nostdlib -x assembler - -o %s",
				    function, function, function, function, path));
}

static int set_up(void **state)
{
	static const struct event_desc event, *const events[] = { &event };
	const struct ingest_config config = { .event_count = 1, .events = events };

	(void)state;
	snprintf(library, sizeof(library), "%s", elf_fixture_path("library.so"));
	build(library, "first_code");
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

/* The kernel's record of a mapping that @pid made of @mapping's file. */
static struct event_record record_of(uint32_t pid, uint64_t time_ns, const void *mapping)
{
	struct event_record record = { .mode = MODE_USER, .has_pid = true, .pid = pid };
	struct record_mmap *mmap = &record.mmap;
	struct stat status;

	assert_int_equal(stat(library, &status), 0);
	record.time_ns = time_ns;
	mmap->start = (uintptr_t)mapping;
	mmap->bytes = MAPPED_BYTES;
	mmap->path = (struct record_text){ library, strlen(library) };
	mmap->is_executable = mmap->has_inode = true;
	mmap->dev_major = major(status.st_dev);
	mmap->dev_minor = minor(status.st_dev);
	mmap->inode = status.st_ino;
	return record;
}

static void *map(void)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	void *mapping = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	close(fd);
	assert_true(mapping != MAP_FAILED);
	return mapping;
}

static void take_replies(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

	while (ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&ingest);
	}
}

static void see(const struct event_record *record)
{
	mappings_mmap(&ingest, record);
	take_replies();
}

/* What new samples in @record's mapping belong to. */
static uint32_t dso_of(const struct event_record *record)
{
	const struct process *process = task_table_find_process(&ingest.tasks, record->pid);
	const struct mapping *row = process_maps_find(process->maps, record->mmap.start);

	return dso_table_current(&ingest.dsos, row->dso);
}

static bool is_named(uint32_t id, const char *function)
{
	const struct dso *dso = &ingest.dsos.dsos[id];

	assert_int_equal(dso->state, DSO_READY);
	for (uint32_t i = 0; i < dso->table.header->row_count; i++)
		if (!strcmp(flat_table_name(&dso->table, i), function))
			return true;
	return false;
}

/* Same inode, other bytes: new samples get the new names, the old ones keep theirs. */
static void test_a_file_that_was_overwritten_is_another_dso(void **state)
{
	void *mapping = map();
	struct event_record record = record_of((uint32_t)getpid(), LATER_NS, mapping);
	uint32_t first;

	(void)state;
	see(&record);
	first = dso_of(&record);
	assert_true(is_named(first, "first_code"));
	build(elf_fixture_path("new.so"), "later_code");
	assert_true(elf_fixture_run("cat new.so >%s", library));
	record.time_ns += LATER_NS;
	see(&record);
	assert_int_not_equal(dso_of(&record), first);
	assert_true(is_named(dso_of(&record), "later_code"));
	assert_true(is_named(first, "first_code"));
	munmap(mapping, MAPPED_BYTES);
}

static void test_a_file_is_asked_for_once_a_second_at_most(void **state)
{
	void *mapping = map();
	struct event_record record = record_of((uint32_t)getpid(), LATER_NS, mapping);
	uint32_t first;

	(void)state;
	see(&record);
	first = dso_of(&record);
	record.time_ns += CLOCK_NS_PER_S / 2;
	mappings_mmap(&ingest, &record);
	assert_int_equal(ingest.opening, 0);
	record.time_ns += CLOCK_NS_PER_S;
	mappings_mmap(&ingest, &record);
	assert_int_equal(ingest.opening, 1);
	see(&record);
	assert_int_equal(dso_of(&record), first);	/* it did not change */
	munmap(mapping, MAPPED_BYTES);
}

static uint32_t pid_of_the_dead(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return (uint32_t)child;
}

/* It was gone before anybody could look, and its path with it; the next one is not. */
static void test_the_next_process_is_asked_when_the_first_is_gone(void **state)
{
	void *mapping = map();
	struct event_record record = record_of(pid_of_the_dead(), LATER_NS, mapping);
	char away[300];

	(void)state;
	snprintf(away, sizeof(away), "%s.away", library);
	assert_int_equal(rename(library, away), 0);
	see(&record);
	assert_int_equal(ingest.dsos.dsos[dso_of(&record)].state, DSO_UNREADABLE);
	assert_int_equal(rename(away, library), 0);
	record.pid = (uint32_t)getpid();
	record.time_ns += LATER_NS;
	see(&record);
	assert_true(is_named(dso_of(&record), "first_code"));
	munmap(mapping, MAPPED_BYTES);
}

static void test_who_maps_it_before_the_first_has_failed_is_asked_next(void **state)
{
	void *mapping = map();
	struct event_record record = record_of(pid_of_the_dead(), LATER_NS, mapping);
	char away[300];

	(void)state;
	need_root();	/* to open it by /proc/PID/map_files: no path leads to it */
	snprintf(away, sizeof(away), "%s.away", library);
	assert_int_equal(rename(library, away), 0);
	mappings_mmap(&ingest, &record);
	record.pid = (uint32_t)getpid();
	see(&record);
	assert_true(is_named(dso_of(&record), "first_code"));
	munmap(mapping, MAPPED_BYTES);
}

/* To us, every process outside is 0. */
static void test_a_file_of_another_pid_namespace_is_found_at_its_path(void **state)
{
	struct event_record record = record_of(0, LATER_NS, NULL);

	(void)state;
	see(&record);
	assert_true(is_named(dso_of(&record), "first_code"));
	record.mmap.inode++;
	see(&record);
	assert_int_equal(ingest.dsos.dsos[dso_of(&record)].state, DSO_UNREADABLE);
}

static void test_names_stay_when_a_later_process_is_gone(void **state)
{
	void *mapping = map();
	struct event_record record = record_of((uint32_t)getpid(), LATER_NS, mapping);
	uint32_t first;

	(void)state;
	see(&record);
	first = dso_of(&record);
	record.pid = pid_of_the_dead();
	record.time_ns += LATER_NS;
	assert_int_equal(unlink(library), 0);
	see(&record);
	assert_int_equal(dso_of(&record), first);
	assert_true(is_named(first, "first_code"));
	munmap(mapping, MAPPED_BYTES);
}

/* A process can map new files faster than they are looked at. What is over the limit is not lost:
 * it is asked for again when the others had their turn. */
static void test_a_storm_of_files_waits_in_bounded_memory(void **state)
{
	const uint32_t files = 8 * INGEST_WAITING_MAX;
	struct event_record record = record_of(pid_of_the_dead(), LATER_NS, NULL);
	char path[32];
	uint32_t last;

	(void)state;
	for (uint32_t i = 1; i <= files; i++) {
		record.mmap.path.len = (uint32_t)snprintf(path, sizeof(path), "/gone/%u", i);
		record.mmap.path.bytes = path;
		record.mmap.start = (uint64_t)i * MAPPED_BYTES;
		mappings_mmap(&ingest, &record);
		/* as if each were another process's */
		task_table_find_process(&ingest.tasks, record.pid)->dsos = 0;
	}
	last = dso_of(&record);
	assert_int_equal(ingest.requests->waiting_count, INGEST_WAITING_MAX);
	assert_int_equal(ingest.dsos.dsos[last].state, DSO_UNREADABLE);
	assert_string_equal(strpool_get(ingest.strings, ingest.dsos.dsos[last].reason),
			    "too many files at once: asked for again soon");
	for (uint32_t polls = 0; polls < files / 256 && ingest.dsos.dsos[last].is_refused;
	     polls++) {
		take_replies();
		ingest.requests->refused_due_ns = 1;
		requests_poll(&ingest);
	}
	take_replies();
	assert_string_equal(strpool_get(ingest.strings, ingest.dsos.dsos[last].reason),
			    "process gone");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_dsos)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_that_was_overwritten_is_another_dso),
		TEST(test_a_file_is_asked_for_once_a_second_at_most),
		TEST(test_the_next_process_is_asked_when_the_first_is_gone),
		TEST(test_who_maps_it_before_the_first_has_failed_is_asked_next),
		TEST(test_a_file_of_another_pid_namespace_is_found_at_its_path),
		TEST(test_names_stay_when_a_later_process_is_gone),
		TEST(test_a_storm_of_files_waits_in_bounded_memory),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
