/* Probes on kernel functions: what this program does to the kernel is what they must count. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/record.h"
#include "capture/tracefs.h"
#include "probe/probe_engine.h"
#include "probe/probe_link.h"
#include "probe/probe_pmu.h"
#include "proc/guardian.h"
#include "proc/process_stat.h"
#include "unit_tests.h"

#define HANG_MS	     60000
#define SLEEPERS     30
#define SLEEPER_NAME "ft-sleeper"

#ifdef __x86_64__
#define GETPPID "__x64_sys_getppid"
#else
#define GETPPID "__arm64_sys_getppid"
#endif

struct fixture {
	struct spsc queue;
	int wake_fd;
	struct probe_rings *rings;
	struct trace_group *group;
	struct trace_event event;
	struct probe_link *link;
	struct probe_scope scope;
	char filter[40];
	uint64_t limit_ns, records;
	uint64_t last_number;	/* the record's own first field */
	char last_text[64];
};

static bool are_kprobes_here(void)
{
	struct probe_abilities can;

	probe_abilities_try(&can);
	return can.list[PROBE_CAN_TRACEFS_KPROBE].is_there;
}

static void open_fixture(struct fixture *fixture)
{
	if (!are_kprobes_here()) {
		print_message("SKIP: needs kprobes\n");
		skip();
	}
	*fixture = (struct fixture){ .filter = "" };
	assert_int_equal(spsc_init(&fixture->queue, 8 << 20), 0);
	fixture->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(probe_rings_open(&fixture->rings, &fixture->queue, fixture->wake_fd, NULL),
			 0);
	assert_int_equal(trace_group_open(&fixture->group, NULL), 0);
}

/* Hits of this thread only. */
static void limit_to_self(struct fixture *fixture)
{
	static pid_t tid;

	tid = (pid_t)syscall(SYS_gettid);
	fixture->scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &tid,
					     .tid_count = 1 };
}

static void attach(struct fixture *fixture, const struct trace_definition *definition)
{
	struct probe_link_config config = { .type = PERF_TYPE_TRACEPOINT,
					    .kernel_filter = fixture->filter,
					    .scope = fixture->scope };
	struct diag why = { 0 };

	if (trace_group_add(fixture->group, definition, &fixture->event, &why))
		fail_msg("%s", why.text);
	config.config = fixture->event.id;
	if (probe_link_open(&fixture->link, fixture->rings, &config, &why))
		fail_msg("%s", why.text);
	probe_link_enable(fixture->link);
}

static void close_fixture(struct fixture *fixture)
{
	probe_link_close(fixture->link);
	if (fixture->event.id)
		assert_int_equal(trace_group_remove(fixture->group, &fixture->event, NULL), 0);
	probe_rings_close(fixture->rings);
	trace_group_close(fixture->group);
	spsc_finish(&fixture->queue);
	close(fixture->wake_fd);
}

/* The first field after the probe's own addresses, and the last text. */
static void read_values(struct fixture *fixture, const struct record_sample *sample)
{
	for (size_t i = 0; i < fixture->event.fields.count; i++) {
		const struct raw_field *field = &fixture->event.fields.list[i];
		struct raw_value value;

		if (field->is_common || strncmp(field->name, "__probe_", 8) == 0)
			continue;
		assert_true(raw_fields_read(&fixture->event.fields, (int)i, sample, &value));
		if (value.is_text)
			snprintf(fixture->last_text, sizeof(fixture->last_text), "%.*s",
				 (int)value.text_bytes, value.text);
		else
			fixture->last_number = value.number;
	}
}

static void take_record(struct fixture *fixture, const struct perf_event_header *header)
{
	struct event_record record;

	if (header->type != PERF_RECORD_SAMPLE)
		return;
	assert_int_equal(record_parse(probe_link_format(fixture->link), header, header->size,
				      &record), 0);
	fixture->records++;
	read_values(fixture, &record.sample);
}

static void drain(struct fixture *fixture)
{
	const struct queue_item *item;
	const struct perf_event_header *record;
	size_t bytes, offset;

	while ((item = spsc_peek(&fixture->queue, &bytes)) != NULL) {
		offset = 0;
		while (item->kind == QUEUE_RECORD &&
		       (record = queue_next_record(item, bytes, &offset)))
			take_record(fixture, record);
		if (item->kind == QUEUE_ROUND_END)
			fixture->limit_ns = ((const struct queue_round_end *)(item + 1))->limit_ns;
		spsc_release(&fixture->queue);
	}
}

/* Everything that was hit until now. */
static void drain_all(struct fixture *fixture)
{
	struct pollfd wake = { .fd = fixture->wake_fd, .events = POLLIN };
	const uint64_t now_ns = clock_now_ns();
	eventfd_t count;

	while (fixture->limit_ns < now_ns) {
		assert_int_equal(poll(&wake, 1, HANG_MS), 1);
		eventfd_read(fixture->wake_fd, &count);
		drain(fixture);
	}
}

static void assert_hits(struct fixture *fixture, uint64_t wanted)
{
	uint64_t hits, lost;

	probe_link_read(fixture->link, &hits, &lost);
	assert_int_equal(hits, wanted);
	assert_int_equal(fixture->records + lost, wanted);
}

static void check_getppid(enum trace_type type, const char *fetch_args, int count)
{
	const struct trace_definition definition = { .type = type, .site = GETPPID,
						     .fetch_args = fetch_args };
	struct fixture fixture;

	open_fixture(&fixture);
	limit_to_self(&fixture);
	attach(&fixture, &definition);
	for (int i = 0; i < count; i++)
		syscall(SYS_getppid);
	probe_link_disable(fixture.link);
	drain_all(&fixture);
	assert_hits(&fixture, (uint64_t)count);
	if (type == TRACE_KRETPROBE)
		assert_int_equal(fixture.last_number, getppid());
	assert_int_equal(trace_group_missed(fixture.group, &fixture.event), 0);
	close_fixture(&fixture);
}

static void test_entries_are_as_many_as_system_calls(void **state)
{
	(void)state;
	check_getppid(TRACE_KPROBE, "", 10);
	check_getppid(TRACE_KPROBE, "", 10000);
}

static void test_returns_are_as_many_and_bring_the_value(void **state)
{
	(void)state;
	check_getppid(TRACE_KRETPROBE, "ret=$retval:s32", 10);
	check_getppid(TRACE_KRETPROBE, "ret=$retval:s32", 10000);
}

static void test_texts_of_user_memory_are_fetched(void **state)
{
	const struct trace_definition definition = {
		.type = TRACE_KPROBE, .site = "do_sys_openat2",
		.fetch_args = "dfd=" ARGUMENT_1 ":s32 name=+0(" ARGUMENT_2 "):ustring",
	};
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	limit_to_self(&fixture);
	attach(&fixture, &definition);
	assert_true(open("/no/such/flametop", O_RDONLY) < 0);
	drain_all(&fixture);
	assert_hits(&fixture, 1);
	assert_int_equal((int64_t)fixture.last_number, AT_FDCWD);
	assert_string_equal(fixture.last_text, "/no/such/flametop");
	close_fixture(&fixture);
}

struct sleeper {
	pthread_t thread;
	_Atomic pid_t tid;
	int bed;	/* eventfd */
};

static void *sleep_in_kernel(void *argument)
{
	struct sleeper *sleeper = argument;
	eventfd_t count;

	prctl(PR_SET_NAME, SLEEPER_NAME);
	sleeper->tid = (pid_t)syscall(SYS_gettid);
	eventfd_read(sleeper->bed, &count);
	return NULL;
}

static bool is_asleep(const struct sleeper *sleeper)
{
	struct process_stat stat;

	return sleeper->tid && process_stat_read(&stat, (uint32_t)getpid(),
						 (uint32_t)sleeper->tid) == 0 &&
	       stat.state == 'S';
}

/* SLEEPERS threads, all in the same function of the kernel at the same time. */
static void sleep_together(void)
{
	const int bed = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	struct sleeper sleepers[SLEEPERS] = { 0 };

	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i].bed = bed;
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleep_in_kernel,
						&sleepers[i]), 0);
	}
	for (int i = 0; i < SLEEPERS; i++)
		while (!is_asleep(&sleepers[i]))
			poll(NULL, 0, 1);
	eventfd_write(bed, SLEEPERS);
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(sleepers[i].thread, NULL);
	close(bed);
}

/* How many of them returned as a probe sees it, with room for @max_active. */
static uint64_t count_returns(uint32_t max_active, uint64_t *missed)
{
	const struct trace_definition definition = { .type = TRACE_KRETPROBE,
						     .site = "eventfd_read",
						     .fetch_args = "comm=$comm",
						     .max_active = max_active };
	struct fixture fixture;
	uint64_t hits, lost;

	open_fixture(&fixture);
	snprintf(fixture.filter, sizeof(fixture.filter), "comm == \"%s\"", SLEEPER_NAME);
	attach(&fixture, &definition);
	sleep_together();
	probe_link_read(fixture.link, &hits, &lost);
	*missed = trace_group_missed(fixture.group, &fixture.event);
	close_fixture(&fixture);
	return hits;
}

static void test_returns_of_sleepers_need_room_for_all(void **state)
{
	uint64_t missed;

	(void)state;
	assert_int_equal(count_returns(4096, &missed), SLEEPERS);
	assert_int_equal(missed, 0);
}

static void test_returns_that_found_no_room_are_counted_as_missed(void **state)
{
	uint64_t missed, hits;

	(void)state;
	hits = count_returns(3, &missed);
	assert_true(hits <= 3);
	assert_true(hits + missed >= SLEEPERS);	/* others read, too */
}

/* The first function that the kernel itself forbids. */
static bool read_forbidden(char name[128])
{
	FILE *list = fopen("/sys/kernel/debug/kprobes/blacklist", "re");
	bool is_found = list && fscanf(list, "%*s %127s", name) == 1;

	if (list)
		fclose(list);
	return is_found;
}

static void test_forbidden_functions_are_refused_with_a_sentence(void **state)
{
	char name[128];
	struct trace_definition definition = { .type = TRACE_KPROBE, .site = name,
					       .fetch_args = "" };
	struct diag why = { 0 };
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	assert_true(read_forbidden(name));
	assert_true(trace_group_add(fixture.group, &definition, &fixture.event, &why) < 0);
	assert_non_null(strstr(why.text, name));
	definition.site = "vfs_read+1";
#ifdef __aarch64__
	assert_int_equal(trace_group_add(fixture.group, &definition, &fixture.event, &why),
			 -EINVAL);
#else
	assert_int_equal(trace_group_add(fixture.group, &definition, &fixture.event, &why),
			 -EILSEQ);
	assert_non_null(strstr(why.text, "not an instruction boundary"));
#endif
	definition.site = "no_such_function";
	assert_int_equal(trace_group_add(fixture.group, &definition, &fixture.event, &why),
			 -ENOENT);
	close_fixture(&fixture);
}

static void test_the_pmu_counts_without_tracefs(void **state)
{
	const struct probe_pmu_site site = { .name = GETPPID };
	struct probe_link_config config = { .kernel_filter = "" };
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	limit_to_self(&fixture);
	config.scope = fixture.scope;
	assert_int_equal(probe_pmu_point_at(&config, &site, NULL), 0);
	assert_int_equal(probe_link_open(&fixture.link, fixture.rings, &config, NULL), 0);
	probe_link_enable(fixture.link);
	for (int i = 0; i < 500; i++)
		syscall(SYS_getppid);
	drain_all(&fixture);
	assert_hits(&fixture, 500);
	close_fixture(&fixture);
}

static void test_the_pmu_brings_values_in_registers(void **state)
{
	struct probe_site site = { .symbol = GETPPID, .value_count = 1 };
	const struct probe_point point = { .sites = &site, .site_count = 1, .file = -1,
					     .spec = { .kind = PROBE_KERNEL,
						       .edge = PROBE_LATENCY } };
	struct probe_link_config config = { .kernel_filter = "" };
	struct probe_pmu_definition made;
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	limit_to_self(&fixture);
	config.scope = fixture.scope;
	site.values[0] = (struct probe_fetch){ .name = "ret", .fetch = "$retval:s32",
					       .is_return = true };
	assert_int_equal(probe_pmu_define(&made, &config, &point, &site, true, NULL), 0);
	assert_int_equal(probe_link_open(&fixture.link, fixture.rings, &config, NULL), 0);
	fixture.event.fields = made.fields;
	probe_link_enable(fixture.link);
	syscall(SYS_getppid);
	drain_all(&fixture);
	assert_hits(&fixture, 1);
	assert_int_equal(fixture.last_number, getppid());
	raw_fields_finish(&fixture.event.fields);
	close_fixture(&fixture);
}

/* Ends only by being killed. */
_Noreturn static void play_flametop(int ready_fd)
{
	static const enum trace_type types[] = { TRACE_KPROBE, TRACE_KRETPROBE };
	struct trace_definition definition = { .site = GETPPID, .fetch_args = "" };
	struct guardian_leftovers leftovers;
	struct guardian *guardian;
	struct fixture fixture;

	trace_group_leftovers(&leftovers);
	if (guardian_start(&guardian, -1, &leftovers, NULL))
		_exit(1);
	open_fixture(&fixture);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		definition.type = types[i];
		attach(&fixture, &definition);
	}
	eventfd_write(ready_fd, 1);
	for (;;)
		syscall(SYS_getppid);
}

static size_t read_traces(const char *name, char *out, size_t room)
{
	int tracefs = tracefs_open(NULL), fd = openat(tracefs, name, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, out + used, room - 1 - used)) > 0)
		used += (size_t)got;
	out[used] = '\0';
	if (fd >= 0)
		close(fd);
	close(tracefs);
	return used;
}

static bool is_mentioned(const char *file, const char *word)
{
	static char text[1 << 20];

	read_traces(file, text, sizeof(text));
	return strstr(text, word) != NULL;
}

static void test_nothing_is_left_after_a_kill(void **state)
{
	static const char *const files[] = { "kprobe_events", "dynamic_events" };
	const int ready_fd = eventfd(0, EFD_CLOEXEC);
	char group[40];
	eventfd_t ready;
	pid_t pid;

	(void)state;
	if (!are_kprobes_here()) {
		print_message("SKIP: needs kprobes\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		play_flametop(ready_fd);
	eventfd_read(ready_fd, &ready);
	snprintf(group, sizeof(group), ":flametop_%d_", pid);
	assert_true(is_mentioned("kprobe_events", group));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (int waited = 0; is_mentioned(files[i], group); waited += 20) {
			assert_true(waited < HANG_MS);
			poll(NULL, 0, 20);
		}
	assert_false(is_mentioned("enabled_functions", GETPPID " "));
	close(ready_fd);
}

UNIT_TESTS(test_kprobes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_are_as_many_as_system_calls),
		cmocka_unit_test(test_returns_are_as_many_and_bring_the_value),
		cmocka_unit_test(test_texts_of_user_memory_are_fetched),
		cmocka_unit_test(test_returns_of_sleepers_need_room_for_all),
		cmocka_unit_test(test_returns_that_found_no_room_are_counted_as_missed),
		cmocka_unit_test(test_forbidden_functions_are_refused_with_a_sentence),
		cmocka_unit_test(test_the_pmu_counts_without_tracefs),
		cmocka_unit_test(test_the_pmu_brings_values_in_registers),
		cmocka_unit_test(test_nothing_is_left_after_a_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
