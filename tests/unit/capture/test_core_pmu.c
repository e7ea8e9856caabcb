/* Machines with several kinds of cores, as trees of files like sysfs's: what is opened where. */
#include "capture/scope.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "capture/event.h"
#include "capture/event_spec.h"
#include "unit_tests.h"

static char directory[] = "/tmp/flametop_pmus_XXXXXX";

/* Writes a file of a PMU, and makes its directories. */
static void write_file(const char *pmu, const char *name, const char *text)
{
	char path[256];
	char *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%s", directory, pmu, name);
	for (slash = path + strlen(directory); (slash = strchr(slash + 1, '/')) != NULL;
	     *slash = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int make_directory(void **state)
{
	(void)state;
	memcpy(directory + strlen(directory) - 6, "XXXXXX", 6);
	return !mkdtemp(directory);
}

static int remove_directory(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return system(command);
}

/* Two fast cores with two threads each, CPUs 0-3, and four slow ones, CPUs 4-7. */
static void make_hybrid(struct core_pmus *pmus)
{
	write_file("cpu_core", "type", "4\n");
	write_file("cpu_core", "cpus", "0-3\n");
	write_file("cpu_core", "format/event", "config:0-7\n");
	write_file("cpu_core", "events/slots", "event=0x00a4\n");
	write_file("cpu_atom", "type", "10\n");
	write_file("cpu_atom", "cpus", "4-7\n");
	write_file("cpu_atom", "format/event", "config:0-7\n");
	write_file("uncore_imc_0", "type", "18\n");
	write_file("uncore_imc_0", "cpumask", "0\n");
	write_file("software", "type", "1\n");
	core_pmus_read(pmus, directory);
}

/* The PMUs of a server with two kinds of cores, by ACPI, the second with one event more. */
static void make_big_little(struct core_pmus *pmus)
{
	write_file("armv8_pmuv3_0", "type", "8\n");
	write_file("armv8_pmuv3_0", "cpus", "0,2-3\n");
	write_file("armv8_pmuv3_0", "format/event", "config:0-15\n");
	write_file("armv8_pmuv3_0", "events/cpu_cycles", "event=0x0011\n");
	write_file("armv8_pmuv3_1", "type", "9\n");
	write_file("armv8_pmuv3_1", "cpus", "1\n");
	write_file("armv8_pmuv3_1", "format/event", "config:0-15\n");
	write_file("armv8_pmuv3_1", "events/cpu_cycles", "event=0x0011\n");
	write_file("armv8_pmuv3_1", "events/stall", "event=0x003c\n");
	core_pmus_read(pmus, directory);
}

static int parse(const char *text, struct event_spec *out)
{
	struct event_spec_list list = { .devices = directory };
	int err = event_spec_parse_list(text, &list, NULL);

	if (!err && list.count)
		*out = list.specs[0];
	if (!err && list.absent_count)
		err = list.absent[0].why.err;
	event_spec_list_finish(&list);
	return err;
}

#define NOT_THERE UINT32_MAX

static void expect_code(const struct core_pmus *pmus, const char *text, int cpu, uint32_t type,
			uint64_t config)
{
	struct event_spec spec;
	struct event_code code;

	assert_int_equal(parse(text, &spec), 0);
	if (!event_spec_code(&spec, pmus, cpu, &code)) {
		assert_int_equal(type, NOT_THERE);
		return;
	}
	assert_int_equal(code.type, type);
	assert_int_equal(code.config, config);
}

/* "imc" and "uncore_imc" are both channels of the memory controller, in the order of their numbers,
 * and neither the free running counters, which have another name, nor cores. */
static void test_a_name_stands_for_all_units_outside_the_cores(void **state)
{
	static const char *const texts[] = { "uncore_imc/event=4/", "imc/event=4/" };
	struct event_spec_list list = { .devices = directory };
	struct core_pmus pmus;
	struct diag why;

	(void)state;
	make_hybrid(&pmus);
	write_file("uncore_imc_0", "format/event", "config:0-7\n");
	write_file("uncore_imc_10", "type", "20\n");
	write_file("uncore_imc_10", "format/event", "config:0-7\n");
	write_file("uncore_imc_2", "type", "19\n");
	write_file("uncore_imc_2", "format/other", "config:0-7\n");
	write_file("uncore_imc_free_running_0", "type", "30\n");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(event_spec_parse_list(texts[i], &list, &why), 0);
		assert_int_equal(list.count, 2);
		assert_string_equal(list.specs[0].name, "uncore_imc_0/event=4/");
		assert_string_equal(list.specs[0].pmu, "uncore_imc_0");
		assert_int_equal(list.specs[0].attr.type, 18);
		assert_int_equal(list.specs[1].attr.type, 20);
		assert_int_equal(list.specs[1].attr.config, 4);
		assert_int_equal(list.absent_count, 1);
		assert_string_equal(list.absent[0].name, "uncore_imc_2/event=4/");
		assert_non_null(strstr(list.patterns, "imc/event=4/: 3 PMUs"));
		event_spec_list_finish(&list);
		list = (struct event_spec_list){ .devices = directory };
	}
	assert_int_equal(event_spec_parse_list("uncore_cha/event=4/", &list, &why), 0);
	assert_int_equal(list.absent_count, 1);
	assert_non_null(strstr(list.absent[0].why.text, "no PMU \"uncore_cha\""));
	event_spec_list_finish(&list);
	core_pmus_finish(&pmus);
}

static void test_the_pmus_of_cores_are_those_with_cpus(void **state)
{
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	assert_int_equal(pmus.count, 2);
	assert_string_equal(pmus.list[0].name, "cpu_core");
	assert_string_equal(pmus.list[1].name, "cpu_atom");
	assert_int_equal(core_pmus_of_cpu(&pmus, 3), 0);
	assert_int_equal(core_pmus_of_cpu(&pmus, 4), 1);
	assert_int_equal(core_pmus_of_cpu(&pmus, 8), CORE_PMU_NONE);
	assert_int_equal(core_pmus_of_cpu(&pmus, UINT32_MAX), CORE_PMU_NONE);
	assert_int_equal(core_pmus_of_type(&pmus, 10), 1);
	assert_int_equal(core_pmus_of_type(&pmus, 18), CORE_PMU_NONE);
	core_pmus_finish(&pmus);
	core_pmus_read(&pmus, "/nonexistent");
	assert_int_equal(pmus.count, 0);
}

/* perf_event_open(2): PERF_TYPE_HARDWARE's config is 0xEEEEEEEE000000AA, E the PMU's type. */
static void test_a_generic_event_has_the_type_of_each_pmu(void **state)
{
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	expect_code(&pmus, "cycles", 0, 0, 0x400000000);
	expect_code(&pmus, "cycles", 7, 0, 0xa00000000);
	expect_code(&pmus, "instructions:u", 4, 0, 0xa00000001);
	expect_code(&pmus, "L1-dcache-load-misses", 4, 3, 0xa00010000);
	expect_code(&pmus, "cycles", 8, NOT_THERE, 0);	/* a CPU without a PMU */
	core_pmus_finish(&pmus);
}

static void test_a_raw_event_is_of_the_pmu_of_its_cpu(void **state)
{
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	expect_code(&pmus, "r1a4", 1, 4, 0x1a4);
	expect_code(&pmus, "r1a4", 5, 10, 0x1a4);
	core_pmus_finish(&pmus);
}

static void test_an_event_of_one_pmu_is_on_its_cpus_only(void **state)
{
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	expect_code(&pmus, "cpu_core/slots/", 3, 4, 0xa4);
	expect_code(&pmus, "cpu_core/slots/", 4, NOT_THERE, 0);
	expect_code(&pmus, "cpu_atom/event=0x3c/u", 4, 10, 0x3c);
	expect_code(&pmus, "cpu_atom/event=0x3c/u", 0, NOT_THERE, 0);
	core_pmus_finish(&pmus);
}

static void test_software_events_are_everywhere(void **state)
{
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	expect_code(&pmus, "cpu-clock", 0, 1, 0);
	expect_code(&pmus, "page-faults", 8, 1, 2);
	core_pmus_finish(&pmus);
}

static void test_a_name_without_its_number_means_all_pmus_of_it(void **state)
{
	struct event_spec spec;
	struct core_pmus pmus;

	(void)state;
	make_big_little(&pmus);
	expect_code(&pmus, "armv8_pmuv3/cpu_cycles/", 3, 8, 0x11);
	expect_code(&pmus, "armv8_pmuv3/cpu_cycles/", 1, 9, 0x11);
	expect_code(&pmus, "armv8_pmuv3/event=0x1b/k", 1, 9, 0x1b);
	expect_code(&pmus, "armv8_pmuv3_1/cpu_cycles/", 1, 9, 0x11);
	expect_code(&pmus, "armv8_pmuv3_1/cpu_cycles/", 0, NOT_THERE, 0);
	expect_code(&pmus, "armv8_pmuv3/stall/", 1, 9, 0x3c);	/* that of the second */
	expect_code(&pmus, "armv8_pmuv3/stall/", 0, NOT_THERE, 0);
	assert_int_equal(parse("armv8_pmuv3/no_such/", &spec), -ENOENT);
	assert_int_equal(parse("armv8_pmu/cpu_cycles/", &spec), -ENOENT);
	core_pmus_finish(&pmus);
}

static void test_cpu_means_both_kinds_of_cores_of_a_hybrid(void **state)
{
	struct event_spec spec;
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	write_file("cpu_atom", "events/slots", "event=0x00a5\n");
	expect_code(&pmus, "cpu/slots/", 3, 4, 0xa4);
	expect_code(&pmus, "cpu/slots/u", 4, 10, 0xa5);
	expect_code(&pmus, "cpu/event=0x3c/", 4, 10, 0x3c);
	assert_int_equal(parse("cpu/no_such/", &spec), -ENOENT);
	assert_int_equal(parse("uncore_imc/slots/", &spec), -ENOENT);	/* these are no cores */
	core_pmus_finish(&pmus);
}

static void test_a_pmu_that_lacks_an_event_is_left_out(void **state)
{
	struct event_spec spec;
	struct event_code code;
	struct core_pmus pmus;

	(void)state;
	make_hybrid(&pmus);
	assert_int_equal(parse("cycles", &spec), 0);
	spec.absent_from = 1u << 1;
	assert_true(event_spec_code(&spec, &pmus, 3, &code));
	assert_false(event_spec_code(&spec, &pmus, 4, &code));
	spec.has_plain_type = true;	/* Arm, before Linux 6.6 */
	assert_true(event_spec_code(&spec, &pmus, 3, &code));
	assert_int_equal(code.config, 0);
	core_pmus_finish(&pmus);
}

/* Most machines have a PMU called "cpu", and no other. */
static void test_with_one_kind_of_cores_nothing_is_added(void **state)
{
	struct core_pmus pmus;

	(void)state;
	write_file("cpu", "type", "4\n");
	write_file("cpu", "format/event", "config:0-7\n");
	core_pmus_read(&pmus, directory);
	assert_int_equal(pmus.count, 1);
	expect_code(&pmus, "cycles", 5, 0, 0);
	expect_code(&pmus, "r1a4", 5, 4, 0x1a4);
	expect_code(&pmus, "cpu/event=0x3c/", 5, 4, 0x3c);
	core_pmus_finish(&pmus);
	core_pmus_read(&pmus, "/nonexistent");
	expect_code(&pmus, "cycles", 5, 0, 0);
}

UNIT_TESTS(test_core_pmu)
{
#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(test_the_pmus_of_cores_are_those_with_cpus),
		IN_DIRECTORY(test_a_name_stands_for_all_units_outside_the_cores),
		IN_DIRECTORY(test_a_generic_event_has_the_type_of_each_pmu),
		IN_DIRECTORY(test_a_raw_event_is_of_the_pmu_of_its_cpu),
		IN_DIRECTORY(test_an_event_of_one_pmu_is_on_its_cpus_only),
		IN_DIRECTORY(test_software_events_are_everywhere),
		IN_DIRECTORY(test_a_name_without_its_number_means_all_pmus_of_it),
		IN_DIRECTORY(test_cpu_means_both_kinds_of_cores_of_a_hybrid),
		IN_DIRECTORY(test_a_pmu_that_lacks_an_event_is_left_out),
		IN_DIRECTORY(test_with_one_kind_of_cores_nothing_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
