/* Which events are counted, and what counters of this process read. */
#include "capture/counter_set.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/tracefs.h"
#include "unit_tests.h"

enum { PAGES = 1000 };

static char devices[] = "/tmp/test_counter_set-XXXXXX";
static struct counter_list list;
static struct diag why;

static int parse(const char *text)
{
	const char *const texts[] = { text };
	const struct capture_config config = { .events = texts, .event_text_count = 1 };

	counter_list_finish(&list);
	why = (struct diag){ .err = 0 };
	return counter_list_parse(&list, &config, COUNTER_DETAIL_LESS, false, &why);
}

static void assert_event(size_t index, const char *name, uint32_t group)
{
	assert_true(index < list.count);
	assert_string_equal(list.events[index].name, name);
	assert_int_equal(list.events[index].group, group);
}

static void test_braces_make_groups(void **state)
{
	(void)state;
	assert_int_equal(parse("{cycles,instructions},page-faults,{cs,faults}"), 0);
	assert_int_equal(list.count, 5);
	assert_event(0, "cycles", 1);
	assert_event(1, "instructions", 1);
	assert_event(2, "page-faults", 0);
	assert_event(3, "cs", 2);
	assert_event(4, "faults", 2);
}

static void test_the_modifiers_of_a_group_are_those_of_its_events(void **state)
{
	(void)state;
	assert_int_equal(parse("cs,{cycles,instructions}:uS"), 0);
	assert_event(0, "cs", 0);
	assert_event(1, "cycles:u", 1);
	assert_event(2, "instructions:u", 1);
	assert_true(list.events[1].attr.exclude_kernel);
	assert_false(list.events[0].attr.exclude_kernel);
	/* S is about samples: nothing is left of it. */
	assert_int_equal(parse("{cycles,instructions}:S"), 0);
	assert_event(0, "cycles", 1);
}

static void assert_refused(const char *text, const char *sentence)
{
	const int err = parse(text);

	assert_string_equal(why.text, sentence);
	assert_int_equal(err, -EINVAL);
}

static void test_what_is_no_group_is_refused(void **state)
{
	(void)state;
	assert_refused("{cycles,cs", "{cycles,cs: a group is written {EVENT,EVENT,...}");
	assert_refused("cs{cycles}", "cs{cycles}: events and groups are separated by commas");
	assert_refused("{cycles}u", "{cycles}u: after a group come its modifiers, as in "
				    "{cycles,instructions}:u, or a comma");
	assert_refused("{}", "empty event name");
	assert_int_equal(parse("{cycels,cs}"), -ENOENT);
	assert_non_null(strstr(why.text, "did you mean cycles?"));
}

static void test_what_the_machine_lacks_stays_in_the_list(void **state)
{
	(void)state;
	assert_int_equal(parse("page-faults,nosuchpmu/event=1/"), 0);
	assert_int_equal(list.count, 2);
	assert_event(1, "nosuchpmu/event=1/", 0);
	assert_int_equal(list.events[1].absent.err, -ENOENT);
	assert_int_equal(list.events[0].absent.err, 0);
}

static void test_detail_adds_to_the_usual_events(void **state)
{
	static const struct {
		enum counter_detail detail;
		size_t count;
		const char *last;
	} sets[] = {
		{ COUNTER_DETAIL_LESS, 8, "branch-misses" },
		{ COUNTER_DETAIL_CACHE, 12, "LLC-load-misses" },
		{ COUNTER_DETAIL_TLB, 18, "iTLB-load-misses" },
		{ COUNTER_DETAIL_PREFETCH, 20, "L1-dcache-prefetch-misses" },
	};
	const struct capture_config config = { .event_text_count = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		counter_list_finish(&list);
		assert_int_equal(counter_list_parse(&list, &config, sets[i].detail, i % 2, &why),
				 0);
		assert_int_equal(list.count, sets[i].count);
		assert_string_equal(list.events[list.count - 1].name, sets[i].last);
		assert_string_equal(list.events[0].name, i % 2 ? "cpu-clock" : "task-clock");
	}
}

static void touch_pages(void)
{
	const size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * bytes / PAGES] = 1;
	munmap(pages, bytes);
}

static void test_a_thread_is_counted_while_its_counters_are_on(void **state)
{
	pid_t own = getpid();
	const struct target target = { .kind = TARGET_THREADS, .ids = &own, .id_count = 1 };
	struct counter_value values[3], own_values[3];
	struct counter_set *set;

	(void)state;
	assert_int_equal(parse("{page-faults:u,minor-faults:u},major-faults:u"), 0);
	assert_int_equal(counter_set_open(&set, &list, &target, COUNTER_ONE_ROW, NULL, &why), 0);
	touch_pages();
	counter_set_read(set, values);
	assert_int_equal(values[0].value, 0);
	counter_set_enable(set);
	touch_pages();
	counter_set_disable(set);
	touch_pages();
	counter_set_read(set, values);
	assert_in_range(values[0].value, PAGES, PAGES + 20);
	assert_int_equal(values[0].value, values[1].value + values[2].value);
	assert_true(values[0].running_ns > 0);
	assert_true(values[0].running_ns == values[0].enabled_ns);
	assert_false(counter_set_read_own(set, own_values));
	assert_int_equal(counter_set_row_count(set), 1);
	counter_set_destroy(set);
}

static void write_pmu_file(const char *pmu, const char *file, const char *format, uint64_t number)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", devices, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%.*s", devices, pmu, (int)strcspn(file, "/"), file);
	if (strchr(file, '/'))
		mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, file);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, format, number);
	assert_int_equal(fclose(out), 0);
}

/* Two kinds of cores whose PMUs are, in truth, that of software events and that of tracepoints:
 * each counts what the other does not, and both during all the time. */
static void test_a_task_is_the_sum_of_its_kinds_of_cores(void **state)
{
	static const char *const text[] = { "armv8_pmuv3/x/" };
	const struct capture_config config = { .events = text, .event_text_count = 1,
					       .pmu_devices = devices };
	pid_t own = getpid();
	const struct target target = { .kind = TARGET_THREADS, .ids = &own, .id_count = 1 };
	struct counter_value value;
	struct counter_set *set;
	char command[100];
	uint64_t id = 0;

	(void)state;
	if (geteuid() != 0 || tracefs_event_id("syscalls", "sys_enter_getppid", &id, &why))
		skip();
	assert_non_null(mkdtemp(devices));
	write_pmu_file("armv8_pmuv3_0", "type", "1\n", 0);
	write_pmu_file("armv8_pmuv3_0", "cpus", "0\n", 0);
	write_pmu_file("armv8_pmuv3_0", "format/event", "config:0-63\n", 0);
	write_pmu_file("armv8_pmuv3_0", "events/x", "event=%" PRIu64 "\n",
		       PERF_COUNT_SW_PAGE_FAULTS);
	write_pmu_file("armv8_pmuv3_1", "type", "2\n", 0);
	write_pmu_file("armv8_pmuv3_1", "cpus", "1\n", 0);
	write_pmu_file("armv8_pmuv3_1", "format/event", "config:0-63\n", 0);
	write_pmu_file("armv8_pmuv3_1", "events/x", "event=%" PRIu64 "\n", id);
	counter_list_finish(&list);
	assert_int_equal(counter_list_parse(&list, &config, COUNTER_DETAIL_LESS, false, &why), 0);
	assert_int_equal(counter_set_open(&set, &list, &target, COUNTER_ONE_ROW, NULL, &why), 0);
	counter_set_enable(set);
	touch_pages();
	for (int i = 0; i < PAGES; i++)
		syscall(SYS_getppid);
	counter_set_disable(set);
	counter_set_read(set, &value);
	assert_in_range(value.value, 2 * PAGES, 2 * PAGES + 20);
	assert_true(value.running_ns > value.enabled_ns + value.enabled_ns / 2);
	counter_set_destroy(set);
	snprintf(command, sizeof(command), "rm -r '%s'", devices);
	assert_int_equal(system(command), 0);
}

static void test_a_task_that_has_ended_is_said(void **state)
{
	pid_t gone = 4194304;	/* above every pid: PID_MAX_LIMIT */
	const struct target target = { .kind = TARGET_THREADS, .ids = &gone, .id_count = 1 };
	struct counter_set *set;

	(void)state;
	assert_int_equal(parse("page-faults:u"), 0);
	assert_int_equal(counter_set_open(&set, &list, &target, COUNTER_ONE_ROW, NULL, &why),
			 -ESRCH);
	assert_null(set);
	assert_string_equal(why.text, "the process to count has ended");
}

static void test_the_descriptors_are_counted_before_they_are_opened(void **state)
{
	pid_t own = getpid();
	struct target target = { .kind = TARGET_THREADS, .id_count = 0 };
	pid_t many[40000];
	struct counter_set *set;

	(void)state;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		many[i] = own;
	target.ids = many;
	target.id_count = sizeof(many) / sizeof(many[0]);
	assert_int_equal(parse("cs:u,faults:u,migrations:u,task-clock:u,dummy:u,{cycles:u},"
			       "{instructions:u},{branches:u},major-faults:u,minor-faults:u,"
			       "cgroup-switches:u,alignment-faults:u,emulation-faults:u,"
			       "cpu-clock:u,bus-cycles:u,ref-cycles:u,LLC-loads:u,dTLB-loads:u,"
			       "iTLB-loads:u,node-loads:u,branch-loads:u,L1-dcache-loads:u,"
			       "L1-icache-loads:u,LLC-stores:u,dTLB-stores:u,node-stores:u"), 0);
	assert_int_equal(counter_set_open(&set, &list, &target, COUNTER_ONE_ROW, NULL, &why),
			 -EMFILE);
	assert_non_null(strstr(why.text, "26 events on 40000 threads need 1040064 descriptors, the "
					 "limit is "));
	assert_non_null(strstr(why.text, "raise it (ulimit -n 1040064), or name fewer events or "
					 "threads (-t)"));
}

static void test_values_that_shrink_are_no_count_at_all(void **state)
{
	const struct counter_value before[] = { { 10, 100, 100 }, { 10, 100, 100 } };
	const struct counter_value now[] = { { 15, 190, 180 }, { 9, 190, 180 } };
	struct counter_value since[] = { { 1, 1, 1 }, { 1, 1, 1 } };

	(void)state;
	counter_values_subtract(now, before, since, 2);
	assert_int_equal(since[0].value, 5);
	assert_int_equal(since[0].enabled_ns, 90);
	assert_int_equal(since[0].running_ns, 80);
	assert_int_equal(since[1].value, 0);
	assert_int_equal(since[1].enabled_ns, 0);
	assert_int_equal(since[1].running_ns, 0);
}

UNIT_TESTS(test_counter_set)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_braces_make_groups),
		cmocka_unit_test(test_the_modifiers_of_a_group_are_those_of_its_events),
		cmocka_unit_test(test_what_is_no_group_is_refused),
		cmocka_unit_test(test_what_the_machine_lacks_stays_in_the_list),
		cmocka_unit_test(test_detail_adds_to_the_usual_events),
		cmocka_unit_test(test_a_thread_is_counted_while_its_counters_are_on),
		cmocka_unit_test(test_a_task_is_the_sum_of_its_kinds_of_cores),
		cmocka_unit_test(test_a_task_that_has_ended_is_said),
		cmocka_unit_test(test_values_that_shrink_are_no_count_at_all),
		cmocka_unit_test(test_the_descriptors_are_counted_before_they_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
