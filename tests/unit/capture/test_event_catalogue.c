/* What a machine can count, as trees of files like those of sysfs and tracefs: names, kinds and
 * sentences; and what becomes of an event that the kernel refuses. */
#include "capture/event.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit_tests.h"

static char place[] = "/tmp/flametop_events_XXXXXX";
static char devices[sizeof(place) + 8];
static struct event_surroundings surroundings;
static struct event_catalogue catalogue;

/* Writes a file below the place, and makes its directories. */
static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	for (char *slash = path + sizeof(place); (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static const char format[] =
	"name: x\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* Writes a tracepoint with the @fields, which are lines of a format file. */
static void write_tracepoint(const char *name, const char *fields)
{
	char path[128], text[1024];

	snprintf(path, sizeof(path), "tracing/events/%s/format", name);
	snprintf(text, sizeof(text), "%s%s\nprint fmt: \"x\"\n", format, fields);
	write_file(path, text);
	snprintf(path, sizeof(path), "tracing/events/%s/id", name);
	write_file(path, "7\n");
}

/* Two kinds of cores, RAPL and a memory controller. */
static void write_file_of(const char *pmu, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", pmu, file);
	write_file(path, text);
}

static void write_pmus(void)
{
	write_file("pmus/cpu_core/type", "4\n");
	write_file("pmus/cpu_core/cpus", "0-3\n");
	write_file("pmus/cpu_core/format/event", "config:0-7\n");
	write_file("pmus/cpu_core/events/cpu-cycles", "event=0x3c\n");
	write_file("pmus/cpu_core/events/slots", "event=0xa4\n");
	write_file("pmus/cpu_atom/type", "10\n");
	write_file("pmus/cpu_atom/cpus", "4-7\n");
	write_file("pmus/cpu_atom/format/event", "config:0-7\n");
	write_file("pmus/cpu_atom/events/cpu-cycles", "event=0x3c\n");
	write_file("pmus/power/type", "12\n");
	write_file("pmus/power/cpumask", "2,18\n");
	write_file("pmus/power/format/event", "config:0-7\n");
	write_file("pmus/power/events/energy-pkg", "event=0x02\n");
	write_file("pmus/power/events/energy-pkg.unit", "Joules\n");
	write_file("pmus/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	for (char number = '0'; number <= '1'; number++) {
		char path[64];

		snprintf(path, sizeof(path), "pmus/uncore_imc_%c/", number);
		write_file_of(path, "type", number == '0' ? "20\n" : "21\n");
		write_file_of(path, "cpumask", "0\n");
		write_file_of(path, "format/event", "config:0-7\n");
		write_file_of(path, "events/cas", "event=0x04\n");
		if (number == '1')
			write_file_of(path, "events/clock", "event=0x05\n");
	}
	write_file("pmus/hv_24x7/type", "14\n");
	write_file("pmus/hv_24x7/format/domain", "config:0-3\n");
	write_file("pmus/hv_24x7/events/reads", "domain=1,core=?\n");
	write_file("pmus/msr/type", "13\n");
	write_file("pmus/msr/format/event", "config:0-63\n");
	write_file("pmus/msr/events/tsc", "event=0x00\n");
}

static void write_tracepoints(void)
{
	write_tracepoint("sched/sched_switch",
			 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			 "\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n");
	write_tracepoint("sched/sched_idle", "");
	write_tracepoint("syscalls/sys_enter_openat",
			 "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
			 "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n");
	write_tracepoint("syscalls/sys_exit_openat",
			 "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
			 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n");
	write_tracepoint("flametop_1_2_3/p0", "");	/* a probe of ours */
	write_file("tracing/events/ftrace/bprint/format", format);	/* has no id */
	write_file("tracing/events/sched/enable", "0\n");
}

static int make_place(void **state)
{
	char path[sizeof(place) + 16];

	(void)state;
	memcpy(place + strlen(place) - 6, "XXXXXX", 6);
	if (!mkdtemp(place))
		return -1;
	write_pmus();
	write_tracepoints();
	snprintf(devices, sizeof(devices), "%s/pmus", place);
	snprintf(path, sizeof(path), "%s/tracing", place);
	surroundings = (struct event_surroundings){
		.devices = devices, .tracefs = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};
	return event_catalogue_read(&catalogue, &surroundings);
}

static int remove_place(void **state)
{
	char command[64];

	(void)state;
	event_catalogue_finish(&catalogue);
	close(surroundings.tracefs);
	snprintf(command, sizeof(command), "rm -r '%s'", place);
	return system(command);
}

/* NULL: there is none. */
static struct event_entry *find(const char *name)
{
	for (size_t i = 0; i < catalogue.count; i++)
		if (!strcmp(catalogue.list[i].name, name))
			return &catalogue.list[i];
	return NULL;
}

static const struct event_entry *get(const char *name)
{
	const struct event_entry *entry = find(name);

	if (!entry)
		fail_msg("no event %s", name);
	return entry;
}

static void expect(const char *name, enum event_kind kind, const char *sentence)
{
	const struct event_entry *entry = get(name);

	assert_int_equal(entry->kind, kind);
	assert_string_equal(entry->sentence, sentence);
}

static void test_each_event_has_a_sentence_of_its_own(void **state)
{
	(void)state;
	assert_true(catalogue.count > 40);
	for (size_t i = 0; i < catalogue.count; i++) {
		assert_true(strlen(catalogue.list[i].sentence) >= strlen("branches retired"));
		for (size_t k = 0; k < i; k++) {
			const char *other = catalogue.list[k].sentence;

			if (!strcmp(catalogue.list[i].sentence, other))
				fail_msg("%s and %s: %s", catalogue.list[i].name,
					 catalogue.list[k].name, other);
			assert_string_not_equal(catalogue.list[i].name, catalogue.list[k].name);
		}
	}
}

static void test_each_generic_name_is_an_event_or_another_name_of_one(void **state)
{
	(void)state;
	assert_string_equal(get("cycles")->aliases, "cpu-cycles");
	assert_string_equal(get("stalled-cycles-backend")->aliases, "idle-cycles-backend");
	assert_string_equal(get("page-faults")->aliases, "faults");
	assert_string_equal(get("instructions")->aliases, "");
	assert_null(find("cs"));
	assert_int_equal(get("branches")->attr.config, 4);
	assert_int_equal(get("cgroup-switches")->kind, EVENT_SOFTWARE);
}

/* Which there are: hw_cache_stat in perf's parse-events.c. */
static void test_caches_have_what_perf_lists(void **state)
{
	(void)state;
	expect("L1-dcache-load-misses", EVENT_CACHE, "loads that missed the L1 data cache");
	expect("LLC-stores", EVENT_CACHE, "stores looked up in the last cache");
	assert_int_equal(get("dTLB-prefetch-misses")->attr.config, 3 | 2 << 8 | 1 << 16);
	assert_non_null(find("iTLB-loads"));
	assert_non_null(find("branch-load-misses"));
	assert_null(find("iTLB-stores"));
	assert_null(find("L1-icache-stores"));
	assert_null(find("branch-prefetches"));
}

static void test_an_event_of_all_kinds_of_cores_is_one(void **state)
{
	(void)state;
	expect("cpu/cpu-cycles/", EVENT_PMU,
	       "cpu-cycles as the PMUs cpu_core, cpu_atom count it: event=0x3c");
	assert_null(find("cpu_core/cpu-cycles/"));
	assert_null(find("cpu_atom/cpu-cycles/"));
	expect("cpu_core/slots/", EVENT_PMU, "slots as the PMU cpu_core counts it: event=0xa4");
	assert_int_equal(get("cpu_core/slots/")->attr.type, 4);
	assert_int_equal(get("cpu_core/slots/")->attr.config, 0xa4);
}

static void test_an_event_of_a_package_is_counted_on_one_cpu_of_it(void **state)
{
	(void)state;
	expect("power/energy-pkg/", EVENT_PMU, "energy-pkg as the PMU power counts it, in Joules, "
	       "for all CPUs that share it: event=0x02");
	assert_int_equal(get("power/energy-pkg/")->cpu, 2);
	assert_int_equal(get("power/energy-pkg/")->cost, EVENT_COUNTS);
	assert_null(find("power/energy-pkg.unit/"));
	expect("uncore_imc/cas/", EVENT_PMU, "cas as the PMUs uncore_imc_0, uncore_imc_1 count it, "
	       "for all CPUs that share it: event=0x04");
	assert_int_equal(get("uncore_imc/cas/")->attr.type, 20);
	assert_int_equal(get("uncore_imc/cas/")->attr.config, 4);
	assert_null(find("uncore_imc_1/cas/"));
	assert_int_equal(get("uncore_imc_1/clock/")->attr.type, 21);	/* the only one */
	assert_null(find("power/energy-pkg.scale/"));
	assert_int_equal(get("msr/tsc/")->cpu, -1);
}

static void test_what_has_to_be_completed_is_a_form(void **state)
{
	(void)state;
	expect("hv_24x7/reads/", EVENT_FORM, "reads as the PMU hv_24x7 counts it: domain=1,core=?; "
	       "the ? is a number to be given");
	assert_int_equal(get("rNNN")->kind, EVENT_FORM);
	assert_int_equal(get("mem:ADDR[/LEN][:ACCESS]")->cost, EVENT_TRAPS);
}

static void test_a_tracepoint_says_what_its_format_says(void **state)
{
	(void)state;
	expect("sched:sched_switch", EVENT_TRACEPOINT,
	       "tracepoint sched_switch of sched; fields prev_comm, next_pid");
	expect("sched:sched_idle", EVENT_TRACEPOINT,
	       "tracepoint sched_idle of sched; no fields");
	expect("syscalls:sys_enter_openat", EVENT_TRACEPOINT,
	       "a thread enters the system call openat; fields dfd");
	expect("syscalls:sys_exit_openat", EVENT_TRACEPOINT,
	       "a thread leaves the system call openat; fields ret");
	assert_null(find("ftrace:bprint"));
	assert_null(find("flametop_1_2_3:p0"));
	assert_int_equal(catalogue.no_tracepoints.err, 0);
}

static size_t count(const char *pattern)
{
	size_t found = 0;

	for (size_t i = 0; i < catalogue.count; i++)
		found += event_entry_matches(&catalogue.list[i], pattern);
	return found;
}

static void test_patterns_are_those_of_perf_list(void **state)
{
	(void)state;
	assert_int_equal(count(NULL), catalogue.count);
	assert_int_equal(count("hw"), 10);
	assert_int_equal(count("sw"), 13);
	assert_int_equal(count("hardware"), 10);
	assert_int_equal(count("tracepoint"), 4);
	assert_int_equal(count("pmu"), 6);
	assert_int_equal(count("cache"), count("hwcache"));
	assert_int_equal(count("sched:*"), 2);
	assert_int_equal(count("sched:*switch"), 1);
	assert_int_equal(count("sched:sched"), 0);	/* with a colon the whole name */
	assert_int_equal(count("*enter_open*"), 1);
	assert_int_equal(count("MAJOR-FAULT"), 1);
	assert_int_equal(count("cpu-cyc"), 2);		/* another name of cycles, and the PMUs' */
	assert_int_equal(count("[lL]1-icache*miss"), 2);
	assert_int_equal(count("no such"), 0);
}

/* A kernel that refuses as the test wants, by the kind of event. */
static struct {
	int counters, cache, software, tracepoint, cpu_wide;	/* 0 or -errno */
	bool excludes_kernel;	/* only user code may be counted */
	size_t tracepoints;	/* how many were opened */
} kernel;

static int decide(const struct perf_event_attr *attr, int cpu)
{
	if (cpu >= 0)
		return attr->sample_period ? -EINVAL : kernel.cpu_wide;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		kernel.tracepoints++;
	if (kernel.excludes_kernel && !attr->exclude_kernel)
		return -EACCES;
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return kernel.counters;
	case PERF_TYPE_HW_CACHE:
		return kernel.cache;
	case PERF_TYPE_SOFTWARE:
		return kernel.software;
	case PERF_TYPE_TRACEPOINT:
		return kernel.tracepoint;
	case 13:	/* msr: can't interrupt */
		return attr->sample_period ? -EINVAL : 0;
	default:
		return -EBUSY;
	}
}

static int fake_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	const int err = decide(attr, cpu);

	assert_int_equal(tid, cpu < 0 ? 0 : -1);
	assert_true(attr->disabled);
	return err ? err : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void try_all(void)
{
	surroundings.open = fake_open;
	assert_int_equal(event_catalogue_try(&catalogue, &surroundings), 0);
}

static void expect_refused(const char *name, const char *reason)
{
	const struct event_entry *entry = get(name);

	assert_int_equal(entry->state, EVENT_REFUSED);
	if (!strstr(entry->reason, reason))
		fail_msg("%s: \"%s\" does not say \"%s\"", name, entry->reason, reason);
}

static void test_what_opens_is_so_marked(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.cache = -ENOENT;
	try_all();
	assert_int_equal(get("cycles")->state, EVENT_OPENS);
	assert_int_equal(get("cycles")->cost, EVENT_SAMPLES);
	assert_true(catalogue.has_counters);
	expect_refused("LLC-loads", "the counters of this CPU do not have it");
	assert_int_equal(get("msr/tsc/")->state, EVENT_OPENS);
	assert_int_equal(get("msr/tsc/")->cost, EVENT_COUNTS);
	assert_int_equal(get("power/energy-pkg/")->state, EVENT_OPENS);
	assert_int_equal(get("hv_24x7/reads/")->state, EVENT_UNTRIED);
	expect_refused("cpu_core/slots/", "no counter is free");
	expect_refused("mem:ADDR[/LEN][:ACCESS]", "all breakpoint registers of the CPU are taken");
}

static void test_a_machine_without_counters_says_so(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.counters = kernel.cache = -ENOENT;
	try_all();
	assert_false(catalogue.has_counters);
	expect_refused("cycles", "this machine has no hardware counters");
	expect_refused("LLC-loads", "this machine has no hardware counters");
	assert_ptr_equal(get("cycles")->reason, get("LLC-loads")->reason);
	assert_int_equal(get("cpu-clock")->state, EVENT_OPENS);
}

static void test_one_tracepoint_stands_for_all(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.tracepoint = -EACCES;
	try_all();
	assert_int_equal(kernel.tracepoints, 1);
	expect_refused("sched:sched_switch", "tracepoints are not permitted (kernel.perf_event_"
					     "paranoid is ");
	assert_ptr_equal(get("sched:sched_switch")->reason,
			 get("syscalls:sys_exit_openat")->reason);
}

static void test_user_code_alone_is_said(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.excludes_kernel = true;
	kernel.cpu_wide = -EACCES;
	try_all();
	assert_int_equal(get("cycles")->state, EVENT_OPENS_FOR_USER);
	assert_int_equal(get("sched:sched_switch")->state, EVENT_REFUSED);
	expect_refused("power/energy-pkg/", "counters of whole CPUs are not permitted (kernel."
					    "perf_event_paranoid is ");
	expect_refused("power/energy-pkg/", "sudo flametop");
}

static void test_other_refusals_have_their_words(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.software = -EMFILE;
	kernel.counters = -EBUSY;
	kernel.cpu_wide = -EIO;
	kernel.tracepoint = -ENOENT;
	try_all();
	expect_refused("cpu-clock", "no file descriptor is left: raise the limit (ulimit -n)");
	expect_refused("cycles", "the NMI watchdog holds it");
	expect_refused("power/energy-pkg/", "it can't be opened: Input/output error");
	expect_refused("sched:sched_idle", "this kernel does not have it");
}

UNIT_TESTS(test_event_catalogue)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		IN_PLACE(test_each_event_has_a_sentence_of_its_own),
		IN_PLACE(test_each_generic_name_is_an_event_or_another_name_of_one),
		IN_PLACE(test_caches_have_what_perf_lists),
		IN_PLACE(test_an_event_of_all_kinds_of_cores_is_one),
		IN_PLACE(test_an_event_of_a_package_is_counted_on_one_cpu_of_it),
		IN_PLACE(test_what_has_to_be_completed_is_a_form),
		IN_PLACE(test_a_tracepoint_says_what_its_format_says),
		IN_PLACE(test_patterns_are_those_of_perf_list),
		IN_PLACE(test_what_opens_is_so_marked),
		IN_PLACE(test_a_machine_without_counters_says_so),
		IN_PLACE(test_one_tracepoint_stands_for_all),
		IN_PLACE(test_user_code_alone_is_said),
		IN_PLACE(test_other_refusals_have_their_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
