/* What was examined is what gets attached: one look-up serves both, unless the file or the spec is
 * another by then. Look-ups are counted by the examiner. */
#include "probe/probe_examiner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "elf/file_jobs.h"
#include "unit_tests.h"

#define HANG_MS 60000

static char folder[] = "/tmp/test-examiner-XXXXXX";
static char program[64], other[64];
static struct sandbox *sandbox;
static struct probe_examiner *examiner;
static int found_fd;
static uint64_t last_number;
static pid_t target;	/* process to be probed; 0: all */

__attribute__((noinline, used)) int examined_here(int number);
int examined_here(int number)
{
	return number * 3 + 1;
}

static void copy_myself(const char *path)
{
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char bytes[65536];
	ssize_t got;

	assert_true(from >= 0 && to >= 0);
	while ((got = whole_read(from, bytes, sizeof(bytes))) > 0)
		assert_true(whole_write(to, bytes, (size_t)got) >= 0);
	assert_int_equal(got, 0);
	close(from);
	close(to);
}

static void tell_found(void *owner)
{
	(void)owner;
	eventfd_write(found_fd, 1);
}

static int setup(void **state)
{
	struct probe_examiner_config config = { .found = tell_found };
	struct diag why;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	copy_myself(program);
	found_fd = eventfd(0, EFD_CLOEXEC);
	if (sandbox_start(&sandbox, worker_run, &why))
		fail_msg("%s", why.text);
	config.sandbox = sandbox;
	if (probe_examiner_create(&examiner, &config, &why))
		fail_msg("%s", why.text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(probe_examiner_destroy(examiner));
	sandbox_stop(sandbox);
	close(found_fd);
	unlink(program);
	unlink(other);
	rmdir(folder);
	return 0;
}

/* The caller frees the points. */
static struct examined_point ask(enum probe_request_kind kind, const char *arguments,
				 struct examined_point *known)
{
	struct probe_request request = {
		.kind = kind, .number = ++last_number,
		.choice = { .pid = target, .reach = target ? REACH_PROCESS : REACH_ALL },
	};
	struct pollfd ready = { .fd = found_fd, .events = POLLIN };
	struct examined_point examined;
	char text[PROBE_SPEC_BYTES];
	eventfd_t count;
	struct diag why;

	snprintf(text, sizeof(text), "u:%s:examined_here%s", program, arguments);
	if (probe_spec_parse(&request.choice.spec, text, &why))
		fail_msg("%s", why.text);
	assert_true(probe_examiner_ask(examiner, &request, known));
	assert_int_equal(poll(&ready, 1, HANG_MS), 1);
	eventfd_read(found_fd, &count);
	assert_true(probe_examiner_take(examiner, &examined));
	if (examined.why.err)
		fail_msg("%s", examined.why.text);
	assert_int_equal(examined.point_count, 1);
	return examined;
}

static void drop(struct examined_point *examined)
{
	probe_point_free(examined->points, examined->point_count);
}

/* Both would be attached in the same way. */
static void assert_same(const struct probe_point *a, const struct probe_point *b)
{
	assert_string_equal(a->spec.text, b->spec.text);
	assert_true(file_version_is_equal(&a->version, &b->version));
	assert_string_equal(a->path, b->path);
	assert_int_equal(a->verdict, b->verdict);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->own_ns, b->own_ns);
	assert_int_equal(a->max_active, b->max_active);
	assert_int_equal(a->site_count, b->site_count);
	for (uint32_t i = 0; i < a->site_count; i++)
		assert_memory_equal(&a->sites[i], &b->sites[i], sizeof(a->sites[i]));
}

static void test_what_was_examined_is_what_gets_attached(void **state)
{
	struct examined_point examined = ask(PROBE_EXAMINE, " number=$arg1:s32", NULL);
	const uint32_t lookups = examined.lookups;
	const struct probe_point *before = examined.points;
	struct examined_point kept, anew;

	(void)state;
	kept = ask(PROBE_ADD, " number=$arg1:s32", &examined);
	assert_ptr_equal(kept.points, before);
	assert_int_equal(kept.lookups, lookups);
	assert_null(examined.points);
	assert_int_equal(examined.point_count, 0);
	anew = ask(PROBE_ADD, " number=$arg1:s32", NULL);
	assert_int_equal(anew.lookups, lookups + 1);
	assert_same(kept.points, anew.points);
	drop(&kept);
	drop(&anew);
}

static void test_another_spec_is_looked_up(void **state)
{
	struct examined_point examined = ask(PROBE_EXAMINE, "", NULL);
	struct examined_point added = ask(PROBE_ADD, " number=$arg1:s32", &examined);

	(void)state;
	assert_int_equal(added.lookups, examined.lookups + 1);
	assert_int_equal(examined.point_count, 1);
	drop(&added);
	drop(&examined);
}

static void test_a_file_that_was_written_to_is_looked_up_again(void **state)
{
	struct examined_point examined = ask(PROBE_EXAMINE, "", NULL);
	const uint32_t lookups = examined.lookups;
	const struct file_version version = examined.points[0].version;
	const int fd = open(program, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct examined_point added;

	(void)state;
	assert_int_equal(whole_write(fd, "x", 1), 1);
	close(fd);
	added = ask(PROBE_ADD, "", &examined);
	assert_int_equal(added.lookups, lookups + 1);
	assert_int_equal(added.points[0].version.bytes, version.bytes + 1);
	assert_int_equal(added.points[0].version.inode, version.inode);
	drop(&added);
}

static void test_a_file_in_its_stead_is_looked_up(void **state)
{
	struct examined_point examined = ask(PROBE_EXAMINE, "", NULL);
	const uint32_t lookups = examined.lookups;
	const uint64_t inode = examined.points[0].version.inode;
	struct examined_point added;

	(void)state;
	copy_myself(other);
	assert_int_equal(rename(other, program), 0);
	added = ask(PROBE_ADD, "", &examined);
	assert_int_equal(added.lookups, lookups + 1);
	assert_int_not_equal(added.points[0].version.inode, inode);
	drop(&added);
}

/* Attaching refuses a file with another ctime. */
static void test_a_file_that_was_touched_is_looked_up_again(void **state)
{
	struct examined_point examined = ask(PROBE_EXAMINE, "", NULL);
	const uint32_t lookups = examined.lookups;
	struct examined_point added;

	(void)state;
	assert_int_equal(chmod(program, 0700), 0);
	added = ask(PROBE_ADD, "", &examined);
	assert_int_equal(added.lookups, lookups + 1);
	drop(&added);
}

/* As after exec: it maps the file no more. */
static void test_a_process_that_runs_another_program_is_looked_up(void **state)
{
	const int fd = open(program, O_RDONLY | O_CLOEXEC);
	void *mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct examined_point examined, kept, anew;
	uint32_t lookups;

	(void)state;
	assert_true(mapped != MAP_FAILED);
	close(fd);
	target = getpid();
	examined = ask(PROBE_EXAMINE, "", NULL);
	lookups = examined.lookups;
	kept = ask(PROBE_ADD, "", &examined);
	/* On an overlay maps may have another device than stat(): then it is always looked up. */
	assert_int_equal(kept.lookups, lookups + !examined.processes);
	munmap(mapped, 4096);
	anew = ask(PROBE_ADD, "", &kept);
	assert_int_equal(anew.lookups, kept.lookups + 1);
	assert_int_not_equal(examined.process_ticks, 0);
	assert_int_equal(anew.process_ticks, examined.process_ticks);
	drop(&anew);
	target = 0;
}

static void test_points_that_nobody_takes_are_freed(void **state)
{
	struct probe_request request = { .kind = PROBE_ADD, .number = ++last_number };
	struct examined_point examined = ask(PROBE_EXAMINE, "", NULL);

	(void)state;
	request.choice = examined.request.choice;
	assert_true(probe_examiner_ask(examiner, &request, &examined));
	assert_null(examined.points);	/* teardown destroys the examiner, perhaps before it
					 * looks */
}

UNIT_TESTS(test_probe_examiner)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_examined_is_what_gets_attached),
		cmocka_unit_test(test_another_spec_is_looked_up),
		cmocka_unit_test(test_a_file_that_was_written_to_is_looked_up_again),
		cmocka_unit_test(test_a_file_in_its_stead_is_looked_up),
		cmocka_unit_test(test_a_file_that_was_touched_is_looked_up_again),
		cmocka_unit_test(test_a_process_that_runs_another_program_is_looked_up),
		cmocka_unit_test(test_points_that_nobody_takes_are_freed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
