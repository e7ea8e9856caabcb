/* A condition means to the kernel what it means to the analyzer: of seven known system calls both
 * let through the same ones. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/tracefs.h"
#include "probe/probe_condition.h"
#include "unit_tests.h"

enum { CALLS = 7, BAD_FD = 1000 };	/* offsets 0 to 6; no call does anything */

static const struct filter_case {
	const char *condition;
	int calls;		/* that it lets through, counted by hand */
} of_begin[] = {
	{ "offset == 3", 1 }, { "offset != 3", 6 }, { "offset >= 3", 4 }, { "offset > 3", 3 },
	{ "offset < 3", 3 }, { "offset <= 3", 4 }, { "offset & 4", 3 }, { "offset & 5", 5 },
	{ "fd == 1000 and offset == 0x6", 1 },
	{ "offset == 2 or offset == 5 and whence == 1", 1 },
	{ "(offset == 2 or offset == 5) and whence == 1", 0 },
	{ "not offset < 5", 2 }, { "not (offset < 2 or offset > 5)", 4 },
	{ "not not offset == 1", 1 }, { "not offset == 1 and not offset == 2", 5 },
	{ "comm == \"a known'one\"", 7 }, { "comm != \"a known'one\"", 0 },
	{ "comm == \"a known\"", 0 }, { "comm ~ \"a known\"", 0 }, { "comm ~ \"a kn*\"", 7 },
	{ "comm ~ \"*'on?\"", 7 }, { "comm ~ \"*known\"", 0 }, { "comm ~ *", 7 },
	{ "cpu >= 0", 7 }, { "cpu < 0", 0 }, { "cpu < 0 or offset == 4", 1 },
}, of_end[] = {	/* all fail with -EBADF, which is -9 */
	{ "ret == -9", 7 }, { "ret < 0", 7 }, { "ret < -9", 0 }, { "ret >= -9", 7 },
	{ "ret > -10 and not ret > -9", 7 }, { "ret != -9", 0 }, { "ret > 0", 0 },
};

/* @context: the offset of the call. */
static void look_up(const void *context, enum probe_operand operand, const char *name,
		    struct probe_value *out)
{
	static const char comm[] = "a known'one";

	*out = (struct probe_value){ .is_known = true };
	if (operand == OPERAND_COMM) {
		out->is_text = true;
		out->text = comm;
		out->text_bytes = strlen(comm);
	} else if (!strcmp(name, "offset")) {
		out->number = *(const uint64_t *)context;
		out->is_signed = true;
	} else if (operand == OPERAND_RETURN) {
		out->number = (uint64_t)-EBADF;
		out->is_signed = true;
	} else if (!strcmp(name, "fd")) {
		out->number = BAD_FD;
	}
}

static int count_here(const struct probe_condition *condition)
{
	int held = 0;

	for (uint64_t offset = 0; offset < CALLS; offset++)
		held += probe_condition_holds(condition, look_up, &offset);
	return held;
}

static int open_counter(uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A counter takes one filter in its life: EEXIST for a second one. */
static int count_in_kernel(const struct probe_condition *condition, uint64_t id)
{
	const int counter = open_counter(id);
	uint64_t before, after;
	char filter[200];

	assert_true(counter >= 0);

	assert_true(probe_condition_kernel_text(condition, filter, sizeof(filter)));
	if (ioctl(counter, PERF_EVENT_IOC_SET_FILTER, filter))
		fail_msg("the kernel refuses \"%s\": %s", filter, strerror(errno));
	assert_int_equal(read(counter, &before, sizeof(before)), sizeof(before));
	for (off_t offset = 0; offset < CALLS; offset++)
		assert_int_equal(lseek(BAD_FD, offset, SEEK_SET), -1);
	assert_int_equal(read(counter, &after, sizeof(after)), sizeof(after));
	close(counter);
	return (int)(after - before);
}

static void compare(const char *text, int calls, uint64_t id)
{
	struct probe_condition condition;
	int here, there;

	assert_int_equal(probe_condition_parse(&condition, text, NULL), 0);
	here = count_here(&condition);
	there = count_in_kernel(&condition, id);
	if (here != calls || there != calls)
		fail_msg("%s: %d here, %d in the kernel, not %d", text, here, there, calls);
}

static bool may_count(uint64_t id)
{
	const int counter = open_counter(id);

	if (counter < 0)
		return errno != EACCES && errno != EPERM;
	close(counter);
	return true;
}

static void test_kernel_and_analyzer_let_the_same_hits_through(void **state)
{
	uint64_t begin, end;

	(void)state;
	if (tracefs_event_id("syscalls", "sys_enter_lseek", &begin, NULL) ||
	    tracefs_event_id("syscalls", "sys_exit_lseek", &end, NULL) || !may_count(begin))
		skip();		/* no right to, or no such events in this kernel */
	assert_int_equal(prctl(PR_SET_NAME, "a known'one"), 0);
	for (size_t i = 0; i < sizeof(of_begin) / sizeof(of_begin[0]); i++)
		compare(of_begin[i].condition, of_begin[i].calls, begin);
	for (size_t i = 0; i < sizeof(of_end) / sizeof(of_end[0]); i++)
		compare(of_end[i].condition, of_end[i].calls, end);
}

UNIT_TESTS(test_probe_condition_kernel)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_and_analyzer_let_the_same_hits_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
