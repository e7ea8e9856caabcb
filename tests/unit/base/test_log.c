/* The log view's ring and the file after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "unit_tests.h"

struct scratch {
	char directory[64], file[80], link[80];
};

static int make_scratch(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	strcpy(scratch->directory, "/tmp/flametop-log-XXXXXX");
	if (!mkdtemp(scratch->directory))
		return -1;
	snprintf(scratch->file, sizeof(scratch->file), "%s/log", scratch->directory);
	snprintf(scratch->link, sizeof(scratch->link), "%s/link", scratch->directory);
	*state = scratch;
	return 0;
}

static int remove_scratch(void **state)
{
	struct scratch *scratch = *state;

	log_close();
	unlink(scratch->file);
	unlink(scratch->link);
	rmdir(scratch->directory);
	free(scratch);
	return 0;
}

static void test_tail_gives_the_newest_lines_oldest_first(void **state)
{
	static struct log_line lines[LOG_LINES + 10];
	struct log_line two[2];

	(void)state;
	for (int i = 0; i < LOG_LINES + 5; i++)
		log_note("line %d", i);
	assert_int_equal(log_tail(lines, LOG_LINES + 10), LOG_LINES);
	assert_string_equal(lines[0].text, "line 5");
	assert_string_equal(lines[LOG_LINES - 1].text, "line 516");
	assert_int_equal(log_tail(two, 2), 2);
	assert_string_equal(two[0].text, "line 515");
	assert_string_equal(two[1].text, "line 516");
	assert_true(two[0].time_ns <= two[1].time_ns);
}

static void test_lines_are_sanitized(void **state)
{
	struct log_line line;

	(void)state;
	log_warn("comm %s", "evil\033]0;x\007");
	assert_int_equal(log_tail(&line, 1), 1);
	assert_string_equal(line.text, "comm evil\\x1b]0;x\\x07");
}

static void test_file_gets_each_line_is_private_and_is_appended_to(void **state)
{
	const struct scratch *scratch = *state;
	char text[256] = "";
	struct stat st;
	FILE *file;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(log_open(scratch->file, NULL), 0);
		log_note("round %d", i);
		log_close();
	}
	assert_int_equal(stat(scratch->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	file = fopen(scratch->file, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_non_null(strstr(text, " note round 0\n"));
	assert_non_null(fgets(text, sizeof(text), file));
	assert_non_null(strstr(text, " note round 1\n"));
	assert_null(fgets(text, sizeof(text), file));
	fclose(file);
}

static void test_a_link_is_never_followed(void **state)
{
	const struct scratch *scratch = *state;
	struct diag why = { 0 };

	assert_int_equal(symlink(scratch->file, scratch->link), 0);
	assert_int_equal(log_open(scratch->link, &why), -ELOOP);
	assert_non_null(strstr(why.text, scratch->link));
	assert_int_equal(access(scratch->file, F_OK), -1);
}

static void expect_refused(const char *path, int err, const char *part)
{
	struct diag why = { 0 };

	assert_int_equal(log_open(path, &why), err);
	if (!strstr(why.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, why.text);
	log_note("goes nowhere");
}

static void expect_empty(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void test_nothing_is_written_to_the_file_of_another_user(void **state)
{
	const struct scratch *scratch = *state;
	const int fd = open(scratch->file, O_CREAT | O_WRONLY, 0666);

	if (geteuid() != 0)
		skip();
	assert_int_equal(fchown(fd, 65534, 0), 0);
	close(fd);
	expect_refused(scratch->file, -EPERM, "belongs to user 65534");
	expect_empty(scratch->file);
}

static void test_nor_to_a_file_that_has_a_second_name(void **state)
{
	const struct scratch *scratch = *state;

	close(open(scratch->file, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(link(scratch->file, scratch->link), 0);
	expect_refused(scratch->link, -EPERM, "has other names");
	expect_empty(scratch->file);
}

static void test_nor_to_a_pipe_whether_somebody_reads_it_or_not(void **state)
{
	const struct scratch *scratch = *state;
	char byte;
	int fd;

	assert_int_equal(mkfifo(scratch->file, 0600), 0);
	expect_refused(scratch->file, -ENXIO, "cannot open");
	fd = open(scratch->file, O_RDONLY | O_NONBLOCK);
	expect_refused(scratch->file, -EINVAL, "is no file");
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
}

static void *write_lines(void *name)
{
	for (int i = 0; i < 1000; i++)
		log_note("%s %d", (const char *)name, i);
	return NULL;
}

/* A file opened with O_APPEND and one write per line: no line is torn. */
static void test_lines_of_two_threads_do_not_mix(void **state)
{
	const struct scratch *scratch = *state;
	char text[256], name;
	pthread_t threads[2];
	int number, lines = 0, next[2] = { 0, 0 };
	FILE *file;

	assert_int_equal(log_open(scratch->file, NULL), 0);
	pthread_create(&threads[0], NULL, write_lines, "A");
	pthread_create(&threads[1], NULL, write_lines, "B");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	file = fopen(scratch->file, "r");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		assert_int_equal(sscanf(text, "%*f note %c %d", &name, &number), 2);
		assert_int_equal(number, next[name - 'A']++);
		lines++;
	}
	fclose(file);
	assert_int_equal(lines, 2000);
}

UNIT_TESTS(test_log)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tail_gives_the_newest_lines_oldest_first),
		cmocka_unit_test(test_lines_are_sanitized),
		cmocka_unit_test_setup_teardown(
			test_file_gets_each_line_is_private_and_is_appended_to, make_scratch,
			remove_scratch),
		cmocka_unit_test_setup_teardown(
			test_nothing_is_written_to_the_file_of_another_user, make_scratch,
			remove_scratch),
		cmocka_unit_test_setup_teardown(test_nor_to_a_file_that_has_a_second_name,
						make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(
			test_nor_to_a_pipe_whether_somebody_reads_it_or_not, make_scratch,
			remove_scratch),
		cmocka_unit_test_setup_teardown(test_a_link_is_never_followed, make_scratch,
						remove_scratch),
		cmocka_unit_test_setup_teardown(test_lines_of_two_threads_do_not_mix, make_scratch,
						remove_scratch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
