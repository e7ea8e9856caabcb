/* A process crashes; what does it say? Each test forks one that crashes in functions known by name
 * and reads its stderr. */
#include "base/diag.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "unit_tests.h"

#define FUNCTION_BYTES 256	/* more than each of the functions below has */
#define REPORT_BYTES   8192

/* In the first page, which nobody may map; not NULL, which UBSan would report. */
static volatile int *volatile nowhere = (volatile int *)64;
static volatile unsigned int sink;

__attribute__((noinline)) static void inner(void)
{
	*nowhere = 1;
	sink++;
}

__attribute__((noinline)) static void middle(void)
{
	inner();
	sink++;		/* no tail call */
}

__attribute__((noinline)) static void outer(void)
{
	middle();
	sink++;
}

static void (*volatile no_code)(void);

__attribute__((noinline)) static void call_nothing(void)
{
	no_code();
	sink++;
}

static int crash_in_comparison(const void *a, const void *b)
{
	(void)a;
	(void)b;
	inner();
	return 0;
}

/* The C library keeps no frame pointers; it calls the program here, and crashes itself below. */
__attribute__((noinline)) static void sort(void)
{
	static int numbers[] = { 2, 1 };

	qsort(numbers, 2, sizeof(numbers[0]), crash_in_comparison);
	sink += (unsigned int)numbers[0];
}

__attribute__((noinline)) static void compile_nowhere(void)
{
	static regex_t pattern;

	sink += (unsigned int)regcomp(&pattern, (const char *)nowhere, 0);
}

__attribute__((noinline)) static void sort_in_caller(void)
{
	sort();
	sink++;
}

__attribute__((noinline)) static void compile_in_caller(void)
{
	compile_nowhere();
	sink++;
}

#ifdef __x86_64__
/* Crashes with damaged registers of the stack and of the frame. */
__attribute__((noinline)) static void crash_on_odd_stack(void)
{
	sink += __builtin_frame_address(0) != NULL;	/* it has a frame */
	__asm__ volatile("dec %rsp\n\tmov $1, %ebp\n\tud2");
}

__attribute__((noinline)) static void crash_in_caller(void)
{
	crash_on_odd_stack();
	sink++;
}
#endif

static void call_abort(void)
{
	abort();
}

/* Each frame is written, so that the guard page is met. */
__attribute__((noinline)) static unsigned int grow(unsigned int depth)
{
	volatile unsigned char frame[4096];

	frame[depth % sizeof(frame)] = 1;
	return depth ? grow(depth - 1) + frame[0] : 0;
}

static void *overflow(void *unused)
{
	(void)unused;
	sink += grow(UINT32_MAX);
	return NULL;
}

static void overflow_in_a_thread(void)
{
	pthread_t thread;

	thread_start(&thread, "deep", overflow, NULL);
	pthread_join(thread, NULL);
}

static void crash_in_a_child(void)
{
	const pid_t child = fork();

	if (child == 0)
		outer();
	waitpid(child, NULL, 0);
	_exit(0);
}

/* A sanitizer handles these itself. */
static void give_signals_back(void)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
	const struct rlimit none = { 0, 0 };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
}

/* Returns the status of a process that crashes in @way, and its stderr in @report. */
static int crash(void (*way)(void), const char *log_path, char report[REPORT_BYTES])
{
	struct diag why = { 0 };
	size_t used = 0;
	ssize_t got;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		give_signals_back();
		if (log_path && log_open(log_path, &why))
			_exit(3);
		crash_catch(log_path);
		way();
		_exit(4);
	}
	close(ends[1]);
	while ((got = read(ends[0], report + used, REPORT_BYTES - 1 - used)) > 0)
		used += (size_t)got;
	report[used] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_first_line(const char *report, const char *wanted)
{
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(report, "\n"), report);
	assert_string_equal(line, wanted);
}

/* Whether the report's line at @line is a frame in @function. */
static bool is_frame_of(const char *line, void (*function)(void))
{
	const uintptr_t address = (uintptr_t)function;
	uintptr_t offset = 0;
	Dl_info found;

	assert_int_not_equal(dladdr((void *)address, &found), 0);
	return sscanf(line, "  flametop+0x%" SCNxPTR "\n", &offset) == 1 &&
	       offset + (uintptr_t)found.dli_fbase - address < FUNCTION_BYTES;
}

/* Returns the line after @line, or NULL. */
static const char *line_after(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

/* The frame in line @number, counted from 0 below the first, lies in @function. */
static void assert_frame(const char *report, int number, void (*function)(void))
{
	for (int line = 0; line <= number; line++) {
		report = line_after(report);
		assert_non_null(report);
	}
	assert_true(is_frame_of(report, function));
}

/* @functions[@count] are among the frames, in this order. */
static void assert_frames(const char *report, void (*const *functions)(void), size_t count)
{
	size_t seen = 0;

	for (const char *line = report; line && seen < count; line = line_after(line))
		seen += is_frame_of(line, functions[seen]);
	if (seen < count)
		fail_msg("%zu of %zu functions are in: %s", seen, count, report);
}

#define NO_LOG "; with --log FILE there is a log of what came before"

static void test_a_crash_is_reported_with_its_callers_and_the_signal_stays(void **state)
{
	char report[REPORT_BYTES];
	const int status = crash(outer, NULL, report);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_first_line(report, "flametop crashed: signal 11" NO_LOG);
	assert_frame(report, 0, inner);
	assert_frame(report, 1, middle);
	assert_frame(report, 2, outer);
}

static void test_a_call_of_no_code_is_reported_with_who_called(void **state)
{
	char report[REPORT_BYTES];

	(void)state;
	crash(call_nothing, NULL, report);
	assert_non_null(strstr(report, "\n  [unknown]+0x0\n"));
	assert_frame(report, 1, call_nothing);
}

static void test_callers_of_code_without_frame_pointers_are_reported(void **state)
{
	static void (*const sorts[])(void) = { inner, sort, sort_in_caller };
	static void (*const compiles[])(void) = { compile_nowhere, compile_in_caller };
	char report[REPORT_BYTES];

	(void)state;
	crash(sort_in_caller, NULL, report);
	assert_frames(report, sorts, 3);
	crash(compile_in_caller, NULL, report);
	assert_frames(report, compiles, 2);
#ifdef __x86_64__
	static void (*const odd[])(void) = { crash_on_odd_stack, crash_in_caller };

	crash(crash_in_caller, NULL, report);
	assert_frames(report, odd, 2);
#endif
}

static void test_abort_is_reported(void **state)
{
	char report[REPORT_BYTES];
	const int status = crash(call_abort, NULL, report);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_first_line(report, "flametop crashed: signal 6" NO_LOG);
}

static void test_the_overflow_of_a_threads_stack_is_reported(void **state)
{
	char report[REPORT_BYTES];
	const int status = crash(overflow_in_a_thread, NULL, report);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_first_line(report, "flametop crashed: signal 11" NO_LOG);
}

static void test_the_log_is_named_and_has_the_same(void **state)
{
	char path[] = "/tmp/flametop-test-XXXXXX", report[REPORT_BYTES], logged[REPORT_BYTES] = "";
	char wanted[128];
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	crash(outer, path, report);
	snprintf(wanted, sizeof(wanted), "flametop crashed: signal 11; see %s", path);
	assert_first_line(report, wanted);
	assert_true(read(fd, logged, sizeof(logged) - 1) > 0);
	assert_string_equal(logged, report);
	close(fd);
	unlink(path);
}

static void test_a_child_does_not_speak_for_flametop(void **state)
{
	char report[REPORT_BYTES];

	(void)state;
	assert_int_equal(crash(crash_in_a_child, NULL, report), 0);
	assert_string_equal(report, "");
}

/* The pipe is full and stays so: the process ends nevertheless. */
static void crash_beside_a_full_pipe(void)
{
	static const char page[4096];
	int ends[2];

	if (pipe2(ends, O_NONBLOCK))
		_exit(3);
	while (write(ends[1], page, sizeof(page)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
	dup2(ends[1], STDERR_FILENO);
	outer();
}

static void test_a_stderr_that_nobody_reads_holds_up_nothing(void **state)
{
	char report[REPORT_BYTES];
	const int status = crash(crash_beside_a_full_pipe, NULL, report);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

UNIT_TESTS(test_crash)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_crash_is_reported_with_its_callers_and_the_signal_stays),
		cmocka_unit_test(test_a_call_of_no_code_is_reported_with_who_called),
		cmocka_unit_test(test_callers_of_code_without_frame_pointers_are_reported),
		cmocka_unit_test(test_abort_is_reported),
		cmocka_unit_test(test_the_overflow_of_a_threads_stack_is_reported),
		cmocka_unit_test(test_the_log_is_named_and_has_the_same),
		cmocka_unit_test(test_a_child_does_not_speak_for_flametop),
		cmocka_unit_test(test_a_stderr_that_nobody_reads_holds_up_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
