/* What becomes of the file of a probe: deleted, moved, replaced, rewritten, each told from the
 * others and from what changes nothing. */
#include "probe/file_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse_fixture.h"
#include "unit_tests.h"

static char place[] = "/tmp/test-file-watch-XXXXXX";
static struct blocking_calls blocking_calls;
static struct file_watch *watch;
static int file;

static const char *at(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", place, name);
	return path;
}

static void put_file(const char *name, const char *content)
{
	const int fd = open(at(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s", content) > 0);
	close(fd);
}

static void watch_as(const char *path, int root)
{
	struct dso_file dso = { .fd = file };
	struct stat status;

	assert_int_equal(fstat(file, &status), 0);
	dso.version = file_version_of(&status);
	assert_int_equal(file_watch_create(&watch, &dso, root, path), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(place))
		return -1;
	put_file("program", "code");
	file = open(at("program"), O_RDONLY | O_CLOEXEC);
	watch_as(at("program"), -1);
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "program", "other", "link" };

	(void)state;
	file_watch_destroy(watch);
	close(file);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(at(names[i]));
	rmdir(place);
	memcpy(place + sizeof(place) - 7, "XXXXXX", 6);
	return 0;
}

static void assert_fate(enum file_fate wanted)
{
	enum file_fate found;

	assert_int_equal(file_watch_look(watch, &blocking_calls, &found), 0);
	assert_int_equal(found, wanted);
}

static void test_new_names_and_rights_change_nothing(void **state)
{
	(void)state;
	assert_fate(FILE_IS_SAME);
	assert_int_equal(link(at("program"), at("other")), 0);
	assert_int_equal(chmod(at("program"), 0755), 0);
	assert_fate(FILE_IS_SAME);
	assert_string_equal(file_fate_text(FILE_IS_SAME), "");
}

static void test_another_file_at_its_path_replaces_it(void **state)
{
	(void)state;
	put_file("other", "code");
	assert_int_equal(rename(at("other"), at("program")), 0);
	assert_fate(FILE_IS_REPLACED);
}

static void test_what_has_no_name_is_deleted(void **state)
{
	(void)state;
	assert_int_equal(unlink(at("program")), 0);
	assert_fate(FILE_IS_DELETED);
}

static void test_what_has_another_name_is_moved(void **state)
{
	(void)state;
	assert_int_equal(rename(at("program"), at("other")), 0);
	assert_fate(FILE_IS_MOVED);
	assert_int_equal(rename(at("other"), at("program")), 0);
	assert_fate(FILE_IS_SAME);
}

static void test_other_bytes_are_reported_wherever_the_file_is(void **state)
{
	(void)state;
	put_file("program", "more");
	assert_fate(FILE_IS_REWRITTEN);
	assert_int_equal(unlink(at("program")), 0);
	assert_fate(FILE_IS_REWRITTEN);
}

static void test_a_link_that_leads_elsewhere_replaces_it(void **state)
{
	(void)state;
	put_file("other", "code");
	assert_int_equal(symlink("program", at("link")), 0);
	file_watch_destroy(watch);
	watch_as(at("link"), -1);
	assert_fate(FILE_IS_SAME);
	assert_int_equal(unlink(at("link")), 0);
	assert_int_equal(symlink("other", at("link")), 0);
	assert_fate(FILE_IS_REPLACED);
}

static void test_a_path_is_looked_up_below_the_root_of_its_process(void **state)
{
	const int root = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	file_watch_destroy(watch);
	watch_as("/program", root);
	close(root);	/* the watch has its own */
	assert_fate(FILE_IS_SAME);
	assert_int_equal(unlink(at("program")), 0);
	assert_fate(FILE_IS_DELETED);
}

static void test_a_path_that_leads_nowhere_says_nothing(void **state)
{
	enum file_fate found;

	(void)state;
	assert_int_equal(symlink("link", at("link")), 0);
	file_watch_destroy(watch);
	watch_as(at("link"), -1);
	assert_int_equal(file_watch_look(watch, &blocking_calls, &found), -ELOOP);
}

/* Threads of ours that wait for the server: nothing ends them. */
static int count_waiting(void)
{
	glob_t tasks;
	int count = 0;

	assert_int_equal(glob("/proc/self/task/*/wchan", 0, NULL, &tasks), 0);
	for (size_t i = 0; i < tasks.gl_pathc; i++) {
		char call[64] = "";
		const int fd = open(tasks.gl_pathv[i], O_RDONLY | O_CLOEXEC);

		if (fd >= 0 && read(fd, call, sizeof(call) - 1) > 0)
			count += strcmp(call, "request_wait_answer") == 0;
		close(fd);
	}
	globfree(&tasks);
	return count;
}

static void test_a_path_that_leads_to_a_hanging_server_holds_no_thread(void **state)
{
	enum file_fate found;
	pid_t server;
	int waiting;

	(void)state;
	if (!fuse_fixture_is_possible())
		skip();
	assert_int_equal(symlink("mounted/program", at("link")), 0);
	server = fuse_fixture_start(at("mounted"), at("program"), "names\n");
	file_watch_destroy(watch);
	watch_as(at("link"), -1);
	assert_true(file_watch_look(watch, &blocking_calls, &found) < 0);
	waiting = count_waiting();
	fuse_fixture_end(server, at("mounted"));
	assert_int_equal(waiting, 0);
}

#define WATCH_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(test_file_watch)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(test_new_names_and_rights_change_nothing),
		WATCH_TEST(test_another_file_at_its_path_replaces_it),
		WATCH_TEST(test_what_has_no_name_is_deleted),
		WATCH_TEST(test_what_has_another_name_is_moved),
		WATCH_TEST(test_other_bytes_are_reported_wherever_the_file_is),
		WATCH_TEST(test_a_link_that_leads_elsewhere_replaces_it),
		WATCH_TEST(test_a_path_is_looked_up_below_the_root_of_its_process),
		WATCH_TEST(test_a_path_that_leads_nowhere_says_nothing),
		WATCH_TEST(test_a_path_that_leads_to_a_hanging_server_holds_no_thread),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	blocking_calls_finish(&blocking_calls);
	return failed;
}
