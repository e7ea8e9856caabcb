/* Files of windows: what is created, and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "share/shared_file.h"
#include "tree_fixture.h"
#include "unit_tests.h"

static char place[] = "/tmp/flametop-test-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(place, "/tmp/flametop-test-XXXXXX");
	assert_non_null(mkdtemp(place));
	snprintf(path, sizeof(path), "%s/stacks", place);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	rmdir(place);
	return 0;
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static struct snapshot *make_stacks(void)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "app", 0, 3, MODE_USER, 0 }, { 1, "main", 3, 3, MODE_USER, 0 },
	};
	static struct tree_node nodes[2];
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	assert_non_null(snapshot);
	snapshot->tree = tree_fixture(TREE_CALLEES, lines, 2, nodes);
	nodes[0].is_command = true;
	return snapshot;
}

static int write_file(const char *to, uint64_t *samples, struct diag *why)
{
	struct shared_file *file;
	const struct shared_options folded = { .format = SHARED_FOLDED, .command = "" };
	struct pollfd done = { .events = POLLIN };

	assert_int_equal(shared_file_start(&file, to, make_stacks(), &folded, why), 0);
	done.fd = shared_file_fd(file);
	assert_int_equal(poll(&done, 1, -1), 1);
	return shared_file_finish(file, samples, why);
}

static void test_a_new_file_is_its_owners_alone(void **state)
{
	char text[64] = "";
	struct diag why = { 0 };
	struct stat status;
	uint64_t samples;
	int fd;

	(void)state;
	assert_int_equal(write_file(path, &samples, &why), 0);
	assert_int_equal(samples, 3);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 11);
	assert_string_equal(text, "app;main 3\n");
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	close(fd);
}

static void test_a_table_is_written_as_it_is_asked_for(void **state)
{
	static const char lines[] = "time_ns,event,self_pct,total_pct,self,self_period,total,"
				    "total_period,depth,dso,level,symbol,path\n"
				    "0,cycles,0.0000,100.0000,0,0,3,3,0,,,app,app\n"
				    "0,cycles,100.0000,100.0000,3,3,3,3,1,/usr/bin/postgres,.,"
				    "main,app;main\n";
	const struct shared_options table = {
		.format = SHARED_CSV, .command = "",
		.table = { .style = TABLE_CSV, .kind = TABLE_TREE, .print.max_rows = SIZE_MAX },
	};
	char text[sizeof(lines) + 1] = "";
	struct snapshot *snapshot = make_stacks();
	struct shared_file *file;
	struct diag why = { 0 };
	uint64_t samples;
	int fd;

	(void)state;
	snapshot->event = "cycles";
	assert_int_equal(shared_file_start(&file, path, snapshot, &table, &why), 0);
	assert_int_equal(shared_file_finish(file, &samples, &why), 0);
	fd = open(path, O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_string_equal(text, lines);
}

static void test_what_is_there_stays(void **state)
{
	struct diag why = { 0 };
	struct stat status;
	uint64_t samples;

	(void)state;
	close(open(path, O_CREAT | O_WRONLY, 0644));
	assert_int_equal(write_file(path, &samples, &why), -EEXIST);
	assert_non_null(strstr(why.text, "exists: give another name"));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 0);
	unlink(path);
	assert_int_equal(symlink("/tmp/flametop-test-nowhere", path), 0);
	assert_int_equal(write_file(path, &samples, &why), -EEXIST);
	assert_int_equal(access("/tmp/flametop-test-nowhere", F_OK), -1);
}

static void test_a_place_that_is_not_there_is_said(void **state)
{
	struct diag why = { 0 };
	uint64_t samples;

	(void)state;
	assert_int_equal(write_file("/tmp/flametop-test-nowhere/x", &samples, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no such directory"));
}

/* Files of -o: there is room for them before, and nobody sees them until they are complete. */
static void test_files_are_opened_before_they_are_written(void **state)
{
	const char *const paths[] = { path, "/tmp/flametop-test-nowhere/x.txt" };
	const struct shared_options folded = { .format = SHARED_FOLDED, .command = "" };
	struct shared_outputs outputs;
	struct shared_file *file;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(shared_outputs_open(&outputs, paths, 2, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no such directory"));
	shared_outputs_close(&outputs);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(shared_outputs_open(&outputs, paths, 1, &why), 0);
	assert_int_equal(access(path, F_OK), -1);
	file = shared_output_start(&outputs.list[0], make_stacks(), &folded);
	assert_non_null(file);
	shared_output_finish(&outputs.list[0], file);
	assert_true(outputs.list[0].is_ended && !outputs.list[0].why.err);
	assert_int_equal(outputs.list[0].samples, 3);
	shared_outputs_close(&outputs);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(shared_outputs_open(&outputs, paths, 1, &why), -EEXIST);
	assert_non_null(strstr(why.text, "exists: give another name"));
	shared_outputs_close(&outputs);
}

/* Somebody else's file that took the name meanwhile stays. */
static void test_a_name_that_was_taken_meanwhile_is_refused(void **state)
{
	const char *const paths[] = { path };
	const struct shared_options folded = { .format = SHARED_FOLDED, .command = "" };
	struct shared_outputs outputs;
	struct diag why = { 0 };
	struct stat status;

	(void)state;
	assert_int_equal(shared_outputs_open(&outputs, paths, 1, &why), 0);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	shared_output_finish(&outputs.list[0], shared_output_start(&outputs.list[0], make_stacks(),
								   &folded));
	assert_int_equal(outputs.list[0].why.err, -EEXIST);
	assert_non_null(strstr(outputs.list[0].why.text, "exists: give another name"));
	shared_outputs_close(&outputs);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 0);
}

UNIT_TESTS(test_shared_file)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_a_new_file_is_its_owners_alone),
		FILE_TEST(test_a_table_is_written_as_it_is_asked_for),
		FILE_TEST(test_what_is_there_stays),
		FILE_TEST(test_a_place_that_is_not_there_is_said),
		FILE_TEST(test_files_are_opened_before_they_are_written),
		FILE_TEST(test_a_name_that_was_taken_meanwhile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
