/* What goes on after a signal and after a part. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/whole_io.h"
#include "unit_tests.h"

#define BYTES	100000u	/* more than a pipe holds */
#define SIGNALS 3	/* that arrive before the other side does anything */

static unsigned char sent[BYTES], received[BYTES];
static int signals[2];	/* a pipe: a byte for each signal */

static void on_alarm(int number)
{
	const int saved = errno;
	const ssize_t done = write(signals[1], "", 1);

	(void)number;
	(void)done;
	errno = saved;
}

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < BYTES; i++)
		sent[i] = (unsigned char)(i * 2654435761u >> 24);
	memset(received, 0, sizeof(received));
	return pipe2(signals, O_CLOEXEC);
}

static int tear_down(void **state)
{
	(void)state;
	close(signals[0]);
	close(signals[1]);
	return 0;
}

/* From now on a signal every millisecond: calls that wait end with EINTR, or with a part. */
static void interrupt(void)
{
	static const struct sigaction action = { .sa_handler = on_alarm };
	static const struct itimerval each_ms = { { 0, 1000 }, { 0, 1000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each_ms, NULL);
}

/* Nobody waits for a child that has ended. */
static void leave_to_child(int end)
{
	close(end);
	close(signals[1]);
	signals[1] = -1;
}

static void wait_for_signals(void)
{
	char byte;

	for (int i = 0; i < SIGNALS; i++)
		assert_int_equal(read(signals[0], &byte, 1), 1);
}

static void expect_status_0(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_a_write_goes_on_until_all_is_out(void **state)
{
	int ends[2];
	pid_t writer;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	writer = fork();
	assert_true(writer >= 0);
	if (!writer) {
		interrupt();
		_exit(whole_write(ends[1], sent, BYTES) != BYTES);
	}
	leave_to_child(ends[1]);
	wait_for_signals();	/* the pipe is full, and nobody has read yet */
	assert_int_equal(whole_read(ends[0], received, BYTES), BYTES);
	assert_memory_equal(received, sent, BYTES);
	expect_status_0(writer);
	close(ends[0]);
}

static void test_a_read_goes_on_until_all_is_there(void **state)
{
	int ends[2];
	pid_t reader;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		interrupt();
		_exit(whole_read(ends[0], received, BYTES) != BYTES ||
		      memcmp(received, sent, BYTES));
	}
	leave_to_child(ends[0]);
	wait_for_signals();	/* the pipe is empty */
	assert_int_equal(write(ends[1], sent, 10), 10);
	wait_for_signals();
	assert_int_equal(write(ends[1], sent + 10, BYTES - 10), BYTES - 10);
	expect_status_0(reader);
	close(ends[1]);
}

static int file_of(size_t bytes)
{
	const int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(whole_write(fd, sent, bytes), bytes);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void test_less_comes_only_at_the_end_of_the_file(void **state)
{
	const int fd = file_of(1000);

	(void)state;
	assert_int_equal(whole_read(fd, received, 600), 600);
	assert_int_equal(whole_read(fd, received + 600, 600), 400);
	assert_memory_equal(received, sent, 1000);
	assert_int_equal(whole_read(fd, received, 600), 0);
	assert_int_equal(whole_read(fd, received, 0), 0);
	close(fd);
}

static void test_a_read_at_a_place_leaves_the_files_own(void **state)
{
	const int fd = file_of(1000);

	(void)state;
	assert_int_equal(whole_pread(fd, received, 300, 500), 300);
	assert_memory_equal(received, sent + 500, 300);
	assert_int_equal(whole_pread(fd, received, 300, 900), 100);
	assert_memory_equal(received, sent + 900, 100);
	assert_int_equal(whole_pread(fd, received, 300, 1000), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

static void test_errors_are_the_systems(void **state)
{
	const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(whole_write(full, sent, 10), -1);
	assert_int_equal(errno, ENOSPC);
	close(full);
	assert_int_equal(whole_read(-1, received, 10), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(whole_pread(-1, received, 10, 0), -1);
	assert_int_equal(errno, EBADF);
}

/* A file that may have 60 bytes takes 60 of 100, and then none. */
static void test_an_error_after_a_part_is_an_error(void **state)
{
	const struct rlimit limit = { .rlim_cur = 60, .rlim_max = 60 };
	char path[] = "/tmp/flametop_whole_io_XXXXXX";
	const int fd = mkostemp(path, O_CLOEXEC);
	pid_t writer;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	writer = fork();
	assert_true(writer >= 0);
	if (!writer) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(whole_write(fd, sent, 100) != -1 || errno != EFBIG);
	}
	expect_status_0(writer);
	assert_int_equal(lseek(fd, 0, SEEK_END), 60);
	close(fd);
}

static void test_a_wake_up_that_is_due_already_stays_due(void **state)
{
	const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t value;

	(void)state;
	assert_int_equal(whole_eventfd_write(fd, UINT64_MAX - 1), 0);
	assert_int_equal(whole_eventfd_write(fd, 1), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(read(fd, &value, sizeof(value)), sizeof(value));
	assert_true(value == UINT64_MAX - 1);
	assert_int_equal(whole_eventfd_write(fd, 3), 0);
	assert_int_equal(whole_eventfd_write(fd, 4), 0);
	assert_int_equal(read(fd, &value, sizeof(value)), sizeof(value));
	assert_int_equal(value, 7);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_whole_io)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_write_goes_on_until_all_is_out),
		TEST(test_a_read_goes_on_until_all_is_there),
		TEST(test_less_comes_only_at_the_end_of_the_file),
		TEST(test_a_read_at_a_place_leaves_the_files_own),
		TEST(test_errors_are_the_systems),
		TEST(test_an_error_after_a_part_is_an_error),
		TEST(test_a_wake_up_that_is_due_already_stays_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
