/* Probes on this very program, which knows how often it calls what: the kernel's counts, and the
 * records that come through the queue. */
#include "probe/probe_engine.h"
#include "probe/probe_link.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/record.h"
#include "capture/stack_copy.h"
#include "capture/tracefs.h"
#include "probe/probe_pmu.h"
#include "unit_tests.h"

#define QUEUE_BYTES (8u << 20)
#define HANG_MS	    60000
#define KEEP	    __attribute__((noinline, used))

int called_with(int number, const char *text);
static volatile int sink;
static uintptr_t returns_to;	/* where the last call of called_with() returned to */

KEEP int called_with(int number, const char *text)
{
	returns_to = (uintptr_t)__builtin_return_address(0);
	sink = text[0];
	return number * 3;
}

static void call(int count)
{
	for (int i = 0; i < count; i++)
		sink += called_with(i, i % 2 ? "odd" : "even");
}

/* Where @address stands in the file that it was mapped from. */
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
	assert_true(found > 0);
	return found;
}

/* After the landing pad of CET: a breakpoint on that would be stepped, which costs ten times as
 * much. */
static uint64_t entry_offset(void)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uintptr_t address = (uintptr_t)called_with;

	return file_offset(address) + (memcmp((const void *)address, endbr64, 4) ? 0 : 4);
}

struct fixture {
	struct spsc queue;
	int wake_fd;
	struct probe_rings *rings;
	struct trace_group *group;
	struct trace_event event;
	struct probe_link_config config;
	struct probe_link *link;
	uint64_t limit_ns;	/* the last mark's */
	uint64_t marks, records, others;
	uint64_t sum;		/* sum of the field `sum_of` */
	int sum_of;
	char text[64];		/* the last record's field `text` */
	uint64_t return_address;	/* the last record's field `ra` */
	uint64_t with_stack;
};

static bool is_able(void)
{
	struct probe_abilities can;

	probe_abilities_try(&can);
	return can.list[PROBE_CAN_TRACEFS_UPROBE].is_there;
}

static void open_fixture(struct fixture *fixture)
{
	struct diag why = { 0 };

	if (!is_able()) {
		print_message("SKIP: needs uprobes\n");
		skip();
	}
	*fixture = (struct fixture){ .sum_of = -1 };
	assert_int_equal(spsc_init(&fixture->queue, QUEUE_BYTES), 0);
	fixture->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(probe_rings_open(&fixture->rings, &fixture->queue, fixture->wake_fd, &why),
			 0);
	assert_int_equal(trace_group_open(&fixture->group, NULL), 0);
	fixture->config = (struct probe_link_config){ .kernel_filter = "" };
}

static void add_event(struct fixture *fixture, enum trace_type type, const char *fetch_args)
{
	const bool is_return = type == TRACE_URETPROBE;
	char site[64];
	const struct trace_definition definition = { .type = type, .site = site,
						     .fetch_args = fetch_args };
	struct diag why = { 0 };

	snprintf(site, sizeof(site), "/proc/self/exe:0x%" PRIx64,
		 is_return ? file_offset((uintptr_t)called_with) : entry_offset());
	if (trace_group_add(fixture->group, &definition, &fixture->event, &why))
		fail_msg("%s", why.text);
	fixture->config.type = PERF_TYPE_TRACEPOINT;
	fixture->config.config = fixture->event.id;
}

static void open_link(struct fixture *fixture)
{
	struct diag why = { 0 };

	if (probe_link_open(&fixture->link, fixture->rings, &fixture->config, &why))
		fail_msg("%s", why.text);
	probe_link_enable(fixture->link);
}

static void close_fixture(struct fixture *fixture)
{
	probe_link_close(fixture->link);
	if (fixture->event.id && fixture->event.name[0])
		assert_int_equal(trace_group_remove(fixture->group, &fixture->event, NULL), 0);
	probe_rings_close(fixture->rings);
	trace_group_close(fixture->group);
	spsc_finish(&fixture->queue);
	close(fixture->wake_fd);
}

static bool is_of_link(const struct fixture *fixture, uint64_t id)
{
	size_t count;
	const uint64_t *ids = probe_link_ids(fixture->link, &count);

	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static void read_values(struct fixture *fixture, const struct record_sample *sample)
{
	const struct raw_fields *fields = &fixture->event.fields;
	const int text = raw_fields_find(fields, "text");
	struct raw_value value;

	if (fixture->sum_of >= 0) {
		assert_true(raw_field_read(&fields->list[fixture->sum_of], sample->raw,
					   sample->raw_bytes, &value));
		fixture->sum += value.number;
	}
	if (text >= 0 && raw_field_read(&fields->list[text], sample->raw, sample->raw_bytes,
					&value))
		snprintf(fixture->text, sizeof(fixture->text), "%.*s", (int)value.text_bytes,
			 value.text);
	if (raw_fields_read(fields, raw_fields_find(fields, "ra"), sample, &value))
		fixture->return_address = value.number;
	fixture->with_stack += sample->user_stack_bytes > 0 && sample->user_regs_count > 0;
}

static void take_record(struct fixture *fixture, const void *bytes, size_t count)
{
	struct event_record record;
	uint64_t id;

	if (((const struct perf_event_header *)bytes)->type != PERF_RECORD_SAMPLE)
		return;		/* PERF_RECORD_LOST: the descriptors count better */
	assert_int_equal(record_peek_id(probe_link_format(fixture->link), bytes, count, &id), 0);
	if (!is_of_link(fixture, id)) {
		fixture->others++;
		return;
	}
	assert_int_equal(record_parse(probe_link_format(fixture->link), bytes, count, &record), 0);
	assert_int_equal(record.kind, RECORD_SAMPLE);
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
		if (item->kind == QUEUE_RECORD) {
			while ((record = queue_next_record(item, bytes, &offset)))
				take_record(fixture, record, record->size);
		} else if (item->kind == QUEUE_ROUND_END) {
			fixture->limit_ns = ((const struct queue_round_end *)(item + 1))->limit_ns;
			fixture->marks++;
		}
		spsc_release(&fixture->queue);
	}
}

static void wait_and_drain(struct fixture *fixture)
{
	struct pollfd wake = { .fd = fixture->wake_fd, .events = POLLIN };
	eventfd_t count;

	assert_int_equal(poll(&wake, 1, HANG_MS), 1);
	eventfd_read(fixture->wake_fd, &count);
	drain(fixture);
}

/* Everything that was hit until now. */
static void drain_all(struct fixture *fixture)
{
	const uint64_t now_ns = clock_now_ns();

	while (fixture->limit_ns < now_ns)
		wait_and_drain(fixture);
}

struct calls { int count; _Atomic bool is_done; };

static void *run_calls(void *argument)
{
	struct calls *calls = argument;

	call(calls->count);
	calls->is_done = true;
	return NULL;
}

/* @count calls by a thread, while this one takes what comes. */
static void call_beside(struct fixture *fixture, int count)
{
	struct calls calls = { .count = count };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, run_calls, &calls), 0);
	while (!calls.is_done)
		wait_and_drain(fixture);
	pthread_join(thread, NULL);
	drain_all(fixture);
}

static void assert_hits(struct fixture *fixture, uint64_t wanted)
{
	uint64_t hits, lost;

	probe_link_read(fixture->link, &hits, &lost);
	assert_int_equal(hits, wanted);
	assert_int_equal(fixture->records + lost, wanted);
}

static void check_count(int count)
{
	struct fixture fixture;

	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE, "");
	open_link(&fixture);
	call_beside(&fixture, count);
	probe_link_disable(fixture.link);
	call(7);	/* nobody's */
	drain_all(&fixture);
	assert_hits(&fixture, (uint64_t)count);
	if (count <= 10)
		assert_int_equal(fixture.records, count);
	assert_int_equal(fixture.others, 0);
	close_fixture(&fixture);
}

static void test_a_single_hit_is_seen(void **state)
{
	(void)state;
	check_count(1);
}

static void test_ten_calls_are_ten_hits(void **state)
{
	(void)state;
	check_count(10);
}

static void test_ten_thousand_calls_are_as_many_hits(void **state)
{
	(void)state;
	check_count(10000);
}

static void test_a_million_calls_are_a_million_hits(void **state)
{
	(void)state;
	check_count(1000000);
}

static void test_arguments_are_in_the_records(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE,
		  "number=" ARGUMENT_1 ":s32 text=+0(" ARGUMENT_2 "):string");
	fixture.sum_of = raw_fields_find(&fixture.event.fields, "number");
	open_link(&fixture);
	call(11);
	drain_all(&fixture);
	assert_hits(&fixture, 11);
	assert_int_equal(fixture.sum, 55);		/* 0 + 1 + ... + 10 */
	assert_string_equal(fixture.text, "even");
	close_fixture(&fixture);
}

static void test_returns_bring_their_value(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	add_event(&fixture, TRACE_URETPROBE, "ret=$retval:s32");
	fixture.sum_of = raw_fields_find(&fixture.event.fields, "ret");
	open_link(&fixture);
	call(100);
	drain_all(&fixture);
	assert_hits(&fixture, 100);
	assert_int_equal(fixture.sum, 3 * 99 * 100 / 2);
	close_fixture(&fixture);
}

static void test_the_kernel_filters_before_it_counts(void **state)
{
	struct fixture fixture;
	struct diag why = { 0 };
	struct probe_link *link;

	(void)state;
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE,
		  "number=" ARGUMENT_1 ":s32 text=+0(" ARGUMENT_2 "):string");
	fixture.config.kernel_filter = "number < 10 && text ~ \"o*\"";
	open_link(&fixture);
	call(1000);
	drain_all(&fixture);
	assert_hits(&fixture, 5);		/* 1, 3, 5, 7, 9 */
	fixture.config.kernel_filter = "no_such == 1";
	assert_int_equal(probe_link_open(&link, fixture.rings, &fixture.config, &why), -EINVAL);
	assert_null(link);
	assert_non_null(strstr(why.text, "no_such"));
	close_fixture(&fixture);
}

static void *start_and_call(void *unused)
{
	struct calls calls = { .count = 30 };
	pthread_t thread;

	(void)unused;
	call(4);
	assert_int_equal(pthread_create(&thread, NULL, run_calls, &calls), 0);
	pthread_join(thread, NULL);
	return NULL;
}

struct gate {
	pid_t tid;
	int go;		/* eventfd */
};

static void *call_on_request(void *argument)
{
	struct gate *gate = argument;
	eventfd_t count;

	__atomic_store_n(&gate->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	eventfd_read(gate->go, &count);
	return start_and_call(NULL);
}

static void test_a_thread_counts_with_what_it_starts_and_nobody_else(void **state)
{
	struct gate gate = { .go = eventfd(0, EFD_CLOEXEC) };
	pthread_t thread;
	struct fixture fixture;
	pid_t tid;

	(void)state;
	open_fixture(&fixture);
	assert_int_equal(pthread_create(&thread, NULL, call_on_request, &gate), 0);
	while ((tid = __atomic_load_n(&gate.tid, __ATOMIC_ACQUIRE)) == 0)
		sched_yield();
	add_event(&fixture, TRACE_UPROBE, "");
	fixture.config.scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &tid,
						   .tid_count = 1 };
	open_link(&fixture);
	call(1000);
	eventfd_write(gate.go, 1);
	pthread_join(thread, NULL);
	drain_all(&fixture);
	assert_hits(&fixture, 34);
	close(gate.go);
	close_fixture(&fixture);
}

static void test_threads_that_have_ended_are_nobody(void **state)
{
	struct fixture fixture;
	struct diag why = { 0 };
	pid_t ended = fork();

	(void)state;
	if (ended == 0)
		_exit(0);
	waitpid(ended, NULL, 0);
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE, "");
	fixture.config.scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &ended,
						   .tid_count = 1 };
	assert_int_equal(probe_link_open(&fixture.link, fixture.rings, &fixture.config, &why),
			 -ESRCH);
	assert_non_null(strstr(why.text, "ended"));
	close_fixture(&fixture);
}

static void test_a_link_that_only_counts_needs_no_rings(void **state)
{
	struct fixture fixture;
	uint64_t hits, lost;
	size_t ids;

	(void)state;
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE, "");
	fixture.config.only_counts = true;
	open_link(&fixture);
	call(123);
	probe_link_read(fixture.link, &hits, &lost);
	assert_int_equal(hits, 123);
	assert_int_equal(lost, 0);
	probe_link_ids(fixture.link, &ids);
	assert_int_equal(ids, 0);
	drain_all(&fixture);
	assert_int_equal(fixture.records + fixture.others, 0);
	close_fixture(&fixture);
}

static void test_hits_bring_registers_and_stack(void **state)
{
	struct fixture fixture;

	(void)state;
	if (!user_registers_mask())
		skip();
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE, "");
	fixture.config.with_stacks = true;
	fixture.config.copy_bytes = 8192;
	open_link(&fixture);
	call(5);
	drain_all(&fixture);
	assert_hits(&fixture, 5);
	assert_int_equal(fixture.with_stack, 5);
	close_fixture(&fixture);
}

static void test_a_tracepoint_counts_system_calls(void **state)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	if (trace_group_find(fixture.group, "syscalls", "sys_enter_getppid",
			     &fixture.event, NULL)) {
		print_message("SKIP: the kernel has no tracepoints of system calls\n");
		skip();
	}
	fixture.config.type = PERF_TYPE_TRACEPOINT;
	fixture.config.config = fixture.event.id;
	fixture.config.scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &tid,
						   .tid_count = 1 };
	open_link(&fixture);
	for (int i = 0; i < 1234; i++)
		syscall(SYS_getppid);
	drain_all(&fixture);
	assert_hits(&fixture, 1234);
	raw_fields_finish(&fixture.event.fields);
	fixture.event.name[0] = '\0';	/* it is the kernel's own */
	close_fixture(&fixture);
}

static void test_two_probes_share_the_rings(void **state)
{
	struct fixture fixture;
	struct probe_link *other;
	uint64_t hits, lost;

	(void)state;
	open_fixture(&fixture);
	add_event(&fixture, TRACE_UPROBE, "");
	assert_int_equal(probe_link_open(&other, fixture.rings, &fixture.config, NULL), 0);
	probe_link_enable(other);
	open_link(&fixture);
	call(50);
	drain_all(&fixture);
	assert_hits(&fixture, 50);
	probe_link_read(other, &hits, &lost);
	assert_int_equal(fixture.others + lost, 50);
	probe_link_close(other);
	close_fixture(&fixture);
}

static void test_the_pmu_counts_without_tracefs(void **state)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	struct probe_pmu_site site = { .is_user = true, .name = "/proc/self/exe" };
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	site.offset = entry_offset();
	assert_int_equal(probe_pmu_point_at(&fixture.config, &site, NULL), 0);
	fixture.config.with_registers = true;
	fixture.config.scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &tid,
						   .tid_count = 1 };
	open_link(&fixture);
	call(77);
	drain_all(&fixture);
	assert_hits(&fixture, 77);
	close_fixture(&fixture);
}

static void test_an_entry_of_the_pmu_brings_the_return_address(void **state)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	struct probe_site site = { .offset = 0 };
	const struct probe_point point = { .sites = &site, .site_count = 1,
					   .file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
					   .spec = { .kind = PROBE_USER, .edge = PROBE_LATENCY } };
	struct probe_pmu_definition made;
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	site.offset = entry_offset();
	assert_int_equal(probe_pmu_define(&made, &fixture.config, &point, &site, false, NULL), 0);
	fixture.event.fields = made.fields;
	fixture.config.scope = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = &tid,
						     .tid_count = 1 };
	open_link(&fixture);
	call(3);
	drain_all(&fixture);
	assert_hits(&fixture, 3);
	assert_int_equal(fixture.return_address, returns_to);
	raw_fields_finish(&made.fields);
	close_fixture(&fixture);
	close(point.file);
}

/* Where nothing is hit the marks go on: who waits for a time need not wait for a hit. */
static void test_marks_come_without_hits(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	while (fixture.marks < 3)
		wait_and_drain(&fixture);
	assert_int_equal(fixture.records + fixture.others, 0);
	close_fixture(&fixture);
}

UNIT_TESTS(test_probe_link)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_single_hit_is_seen),
		cmocka_unit_test(test_ten_calls_are_ten_hits),
		cmocka_unit_test(test_ten_thousand_calls_are_as_many_hits),
		cmocka_unit_test(test_a_million_calls_are_a_million_hits),
		cmocka_unit_test(test_arguments_are_in_the_records),
		cmocka_unit_test(test_returns_bring_their_value),
		cmocka_unit_test(test_the_kernel_filters_before_it_counts),
		cmocka_unit_test(test_a_thread_counts_with_what_it_starts_and_nobody_else),
		cmocka_unit_test(test_threads_that_have_ended_are_nobody),
		cmocka_unit_test(test_a_link_that_only_counts_needs_no_rings),
		cmocka_unit_test(test_hits_bring_registers_and_stack),
		cmocka_unit_test(test_a_tracepoint_counts_system_calls),
		cmocka_unit_test(test_two_probes_share_the_rings),
		cmocka_unit_test(test_the_pmu_counts_without_tracefs),
		cmocka_unit_test(test_an_entry_of_the_pmu_brings_the_return_address),
		cmocka_unit_test(test_marks_come_without_hits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
