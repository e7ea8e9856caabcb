/* A process that probes is killed at any moment: its guardian leaves no definition in tracefs and
 * no breakpoint in the code. The child plays flametop and probes this very program, so that the
 * breakpoints are in the test's own memory, too. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/tracefs.h"
#include "probe/probe_engine.h"
#include "probe/probe_link.h"
#include "proc/guardian.h"
#include "unit_tests.h"

#define KILLS	      20
#define PROBES	      3
#define HANG_NS	      (60 * CLOCK_NS_PER_S)
#define RANDOM_MAX_MS 300	/* defining, attaching and some of the hits */
#define KEEP	      __attribute__((noinline, used))

int probed_here(int number);

static volatile int sink;

KEEP int probed_here(int number)
{
	sink = number;
	return number;
}

static uint64_t file_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t begin, end, offset, found = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &begin, &end, &offset) ==
		    3 && begin <= address && address < end)
			found = address - begin + offset;
	fclose(maps);
	return found;
}

static bool attach(struct trace_group *group, struct probe_rings *rings, enum trace_type type)
{
	struct probe_link_config config = { .type = PERF_TYPE_TRACEPOINT, .kernel_filter = "" };
	char site[64];
	const struct trace_definition definition = { .type = type, .site = site,
						     .fetch_args = "" };
	struct trace_event event;
	struct probe_link *link;

	snprintf(site, sizeof(site), "/proc/self/exe:0x%" PRIx64,
		 file_offset((uintptr_t)probed_here));
	if (trace_group_add(group, &definition, &event, NULL))
		return false;
	config.config = event.id;
	if (probe_link_open(&link, rings, &config, NULL))
		return false;
	probe_link_enable(link);
	return true;
}

/* Ends only by being killed, but where the kernel has no probes. */
_Noreturn static void play_flametop(int begun_fd)
{
	static struct spsc queue;
	struct guardian_leftovers leftovers;
	struct guardian *guardian;
	struct probe_rings *rings;
	struct trace_group *group;
	int wake_fd;

	trace_group_leftovers(&leftovers);
	if (guardian_start(&guardian, -1, &leftovers, NULL))
		_exit(1);
	eventfd_write(begun_fd, 1);
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (spsc_init(&queue, 1 << 20) || trace_group_open(&group, NULL) ||
	    probe_rings_open(&rings, &queue, wake_fd, NULL))
		_exit(2);
	for (int i = 0; i < PROBES; i++)
		if (!attach(group, rings, i % 2 ? TRACE_URETPROBE : TRACE_UPROBE))
			_exit(3);
	for (;;)
		sink = probed_here(sink);
}

struct count {
	char group[32];
	int lines;
};

static void count_line(void *context, const char *line, bool is_ours, bool is_stale)
{
	struct count *count = context;

	(void)is_ours;
	(void)is_stale;
	count->lines += strstr(line, count->group) != NULL;
}

static int count_events_of(pid_t pid)
{
	struct count count = { .lines = 0 };

	snprintf(count.group, sizeof(count.group), ":flametop_%d_", pid);
	assert_true(trace_group_list_all(count_line, &count, NULL) >= 0);
	return count.lines;
}

static void kill_at(int delay_ms, const unsigned char *text, size_t bytes)
{
	const int begun_fd = eventfd(0, EFD_CLOEXEC);
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;
	eventfd_t begun;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		play_flametop(begun_fd);
	eventfd_read(begun_fd, &begun);
	poll(NULL, 0, delay_ms);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (count_events_of(pid) || memcmp((const void *)probed_here, text, bytes) != 0) {
		assert_true(clock_now_ns() < give_up_ns);
		poll(NULL, 0, 20);
	}
	close(begun_fd);
}

static void test_nothing_is_left_after_a_kill_at_any_moment(void **state)
{
	const unsigned int seed = (unsigned int)clock_now_ns();
	struct probe_abilities can;
	unsigned char text[16];

	(void)state;
	probe_abilities_try(&can);
	if (!can.list[PROBE_CAN_TRACEFS_UPROBE].is_there) {
		print_message("SKIP: needs uprobes\n");
		skip();
	}
	memcpy(text, (const void *)probed_here, sizeof(text));
	print_message("random seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < KILLS; i++)
		kill_at((int)(random() % RANDOM_MAX_MS), text, sizeof(text));
}

UNIT_TESTS(test_probe_leftovers)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_left_after_a_kill_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
