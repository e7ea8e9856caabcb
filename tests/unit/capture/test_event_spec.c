/* -e texts against attr values worked out by hand from <linux/perf_event.h>. */
#include "capture/event_spec.h"

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

#include "capture/event.h"
#include "capture/tracefs.h"
#include "unit_tests.h"

static void expect_event(const char *text, uint32_t type, uint64_t config)
{
	struct event_spec spec;

	assert_int_equal(event_spec_parse(text, &spec, NULL), 0);
	assert_int_equal(spec.attr.type, type);
	assert_int_equal(spec.attr.config, config);
	assert_string_equal(spec.name, text);
}

static void expect_refusal(const char *text, int err, const char *sentence)
{
	struct event_spec spec;
	struct diag why = { 0 };

	assert_int_equal(event_spec_parse(text, &spec, &why), err);
	if (!strstr(why.text, sentence))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, why.text, sentence);
}

static void test_hardware_and_software_names(void **state)
{
	(void)state;
	expect_event("cycles", 0, 0);
	expect_event("cpu-cycles", 0, 0);
	expect_event("instructions", 0, 1);
	expect_event("branches", 0, 4);
	expect_event("ref-cycles", 0, 9);
	expect_event("cpu-clock", 1, 0);
	expect_event("faults", 1, 2);
	expect_event("cs", 1, 3);
	expect_event("cgroup-switches", 1, 11);
}

/* config = cache | operation << 8 | result << 16 */
static void test_cache_events(void **state)
{
	(void)state;
	expect_event("L1-dcache-loads", 3, 0x00000);
	expect_event("L1-dcache-load-misses", 3, 0x10000);
	expect_event("L1-icache-load-misses", 3, 0x10001);
	expect_event("LLC-loads", 3, 0x00002);
	expect_event("LLC-store-misses", 3, 0x10102);
	expect_event("dTLB-load-misses", 3, 0x10003);
	expect_event("iTLB-loads", 3, 0x00004);
	expect_event("branch-loads", 3, 0x00005);
	expect_event("node-prefetch-misses", 3, 0x10206);
	expect_event("node-misses", 3, 0x10006);
	expect_event("llc-misses-loads", 3, 0x10002);
}

static void test_half_cache_names_are_unknown(void **state)
{
	(void)state;
	expect_refusal("LLC-", -ENOENT, "no event");
	expect_refusal("LLC-loads-stores", -ENOENT, "no event");
	expect_refusal("LLC-loads-misses-x", -ENOENT, "no event");
	expect_refusal("LLCx-loads", -ENOENT, "no event");
}

static void test_raw_codes(void **state)
{
	(void)state;
	expect_event("r1c2", 4, 0x1c2);
	expect_event("rFFFFFFFFFFFFFFFF", 4, UINT64_MAX);
	expect_refusal("r", -ENOENT, "no event \"r\"");
	expect_refusal("r1ffffffffffffffff", -ENOENT, "no event");
}

static void test_level_modifiers_leave_out_what_is_not_named(void **state)
{
	struct event_spec spec;

	(void)state;
	assert_int_equal(event_spec_parse("cycles:u", &spec, NULL), 0);
	assert_int_equal(spec.attr.exclude_user, 0);
	assert_int_equal(spec.attr.exclude_kernel, 1);
	assert_int_equal(spec.attr.exclude_hv, 1);
	assert_int_equal(event_spec_parse("cycles:uk", &spec, NULL), 0);
	assert_int_equal(spec.attr.exclude_user + spec.attr.exclude_kernel, 0);
	assert_int_equal(spec.attr.exclude_hv, 1);
	assert_int_equal(event_spec_parse("cycles", &spec, NULL), 0);
	assert_int_equal(spec.attr.exclude_user + spec.attr.exclude_kernel + spec.attr.exclude_hv,
			 0);
	assert_false(spec.has_level_modifier);
}

static void test_precision_and_guest_modifiers(void **state)
{
	struct event_spec spec;

	(void)state;
	assert_int_equal(event_spec_parse("cycles:pp", &spec, NULL), 0);
	assert_int_equal(spec.attr.precise_ip, 2);
	assert_int_equal(event_spec_parse("cycles:P", &spec, NULL), 0);
	assert_int_equal(spec.attr.precise_ip, 3);
	assert_true(spec.wants_max_precise);
	assert_int_equal(event_spec_parse("cycles:G", &spec, NULL), 0);
	assert_int_equal(spec.attr.exclude_host, 1);
	assert_int_equal(spec.attr.exclude_guest, 0);
	assert_int_equal(event_spec_parse("cycles:GH", &spec, NULL), 0);
	assert_int_equal(spec.attr.exclude_host + spec.attr.exclude_guest, 0);
	expect_refusal("cycles:pppp", -EINVAL, "more than ppp");
	expect_refusal("cycles:z", -EINVAL, "unknown modifier 'z'");
}

static void test_a_near_name_is_proposed(void **state)
{
	(void)state;
	expect_refusal("cpu-clok", -ENOENT, "did you mean cpu-clock?");
	expect_refusal("instuctions", -ENOENT, "did you mean instructions?");
	expect_refusal("zzzzzzzz", -ENOENT, "--list-events shows them");
	expect_refusal("", -EINVAL, "empty");
}

static void test_commas_between_slashes_do_not_split(void **state)
{
	struct event_spec_list list = { .count = 0 };
	struct diag why = { 0 };

	(void)state;
	if (access(EVENT_PMU_DEVICES "/uprobe/format/ref_ctr_offset", R_OK) != 0)
		skip();
	/* retprobe is config:0, ref_ctr_offset config:32-63 */
	assert_int_equal(event_spec_parse_list("cs,uprobe/retprobe,ref_ctr_offset=5/u,r1", &list,
					       &why), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.specs[1].name, "uprobe/retprobe,ref_ctr_offset=5/u");
	assert_int_equal(list.specs[1].attr.config, 0x500000001);
	assert_int_equal(list.specs[1].attr.exclude_kernel, 1);
	assert_int_equal(list.specs[2].attr.config, 1);
	event_spec_list_finish(&list);
}

/* sched_wakeup, sched_wakeup_new and sched_waking are in every kernel since 4.14. */
static void test_a_pattern_is_all_tracepoints_that_match(void **state)
{
	struct event_spec_list list = { .count = 0 };
	uint64_t id;

	(void)state;
	if (tracefs_event_id("sched", "sched_waking", &id, NULL) != 0)
		skip();
	assert_int_equal(event_spec_parse_list("cs,sch?d:sched_wak[ie][nu]*:k", &list, NULL), 0);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.last, 1);
	assert_string_equal(list.specs[1].name, "sched:sched_wakeup:k");
	assert_string_equal(list.specs[2].name, "sched:sched_wakeup_new:k");
	assert_string_equal(list.specs[3].name, "sched:sched_waking:k");
	assert_int_equal(list.specs[3].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.specs[3].attr.config, id);
	assert_int_equal(list.specs[3].attr.exclude_user, 1);
	assert_string_equal(list.patterns, "sch?d:sched_wak[ie][nu]*:k: 3 tracepoints");
	assert_int_equal(event_spec_parse_list("*:sched_waking", &list, NULL), 0);
	assert_int_equal(list.count, 5);
	assert_int_equal(list.last, 4);
	assert_string_equal(list.patterns, "sch?d:sched_wak[ie][nu]*:k: 3 tracepoints\n"
			    "*:sched_waking: 1 tracepoint");
	event_spec_list_finish(&list);
}

static void test_what_the_machine_lacks_is_no_misspelling(void **state)
{
	struct event_spec_list list = { .count = 0 };
	struct diag why = { .err = 0 };
	uint64_t id;

	(void)state;
	if (tracefs_event_id("sched", "sched_waking", &id, NULL) != 0)
		skip();
	assert_int_equal(event_spec_parse_list("sched:no_such,cs,nosuch_pmu/x/,no_such:*", &list,
					       NULL), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.absent_count, 3);
	assert_string_equal(list.absent[0].name, "sched:no_such");
	assert_non_null(strstr(list.absent[0].why.text, "no tracepoint \"no_such\""));
	assert_string_equal(list.absent[1].name, "nosuch_pmu/x/");
	assert_non_null(strstr(list.absent[2].why.text, "no tracepoint matches \"no_such:*\""));
	assert_int_equal(event_spec_parse_list("cs,cycels", &list, &why), -ENOENT);
	assert_non_null(strstr(why.text, "did you mean cycles"));
	assert_int_equal(event_spec_parse_list("sched:sched_waking:z", &list, &why), -EINVAL);
	event_spec_list_finish(&list);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The files of a server's core PMU, in a directory like sysfs's. */
static int make_pmu(void **state)
{
	static char dir[] = "/tmp/test_event_spec.XXXXXX";
	char path[256];

	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/cpu", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu/format", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu/events", dir);
	mkdir(path, 0700);
	write_file(dir, "cpu/type", "4\n");
	write_file(dir, "cpu/format/event", "config:0-7,32-35\n");
	write_file(dir, "cpu/format/umask", "config:8-15\n");
	write_file(dir, "cpu/format/edge", "config:18\n");
	write_file(dir, "cpu/format/ldlat", "config1:0-15\n");
	write_file(dir, "cpu/format/all", "config2:0-63\n");
	write_file(dir, "cpu/format/later", "config3:0-7\n");
	write_file(dir, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	write_file(dir, "cpu/events/asks", "event=0x12,umask=?\n");
	write_file(dir, "cpu/events/asks.scale", "2.3283064365386962890625e-10\n");
	write_file(dir, "cpu/events/asks.unit", "Joules\n");
	*state = dir;
	return 0;
}

static int drop_pmu(void **state)
{
	static const char *const files[] = {
		"cpu/type", "cpu/format/event", "cpu/format/umask", "cpu/format/edge",
		"cpu/format/ldlat", "cpu/format/all", "cpu/format/later", "cpu/events/mem-loads",
		"cpu/events/asks", "cpu/events/asks.scale", "cpu/events/asks.unit", "cpu/format",
		"cpu/events", "cpu", "",
	};
	char path[256];
	int failures = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", (const char *)*state, files[i]);
		failures += remove(path) != 0;
	}
	return failures;
}

static void test_pmu_terms_fill_the_fields_of_sysfs(void **state)
{
	struct perf_event_attr attr = { 0 };
	char name[32] = "";

	/* event's low 8 bits go to 0-7, its next 4 to 32-35: 0x3c1 -> 0xc1 and 3 << 32 */
	assert_int_equal(event_pmu_parse(*state, "cpu", "event=0x3c1,umask=2,edge", &attr, name,
					 sizeof(name), NULL), 0);
	assert_int_equal(attr.type, 4);
	assert_int_equal(attr.config, 0x3000402c1);
	attr = (struct perf_event_attr){ 0 };
	assert_int_equal(event_pmu_parse(*state, "cpu", "mem-loads,ldlat=30,name=slow,"
					 "all=0xffffffffffffffff", &attr, name, sizeof(name),
					 NULL), 0);
	assert_int_equal(attr.config, 0x1cd);
	assert_int_equal(attr.config1, 30);
	assert_int_equal(attr.config2, UINT64_MAX);
	assert_string_equal(name, "slow");
	assert_int_equal(event_pmu_parse(*state, "cpu", "event=1,name=", &attr, name, sizeof(name),
					 NULL), -EINVAL);
	assert_int_equal(event_pmu_parse(*state, "cpu", "config=0x1b1,config1=7", &attr, name,
					 sizeof(name), NULL), 0);
	assert_int_equal(attr.config, 0x1b1);
	assert_int_equal(attr.config1, 7);
}

static void expect_scale(const char *devices, const char *text, double scale)
{
	struct event_unit unit;

	write_file(devices, "cpu/events/asks.scale", text);
	event_pmu_read_unit(devices, "cpu", "asks", &unit);
	assert_true(unit.scale == scale);
	assert_string_equal(unit.text, "Joules");
}

static void test_units_are_those_of_sysfs(void **state)
{
	struct event_unit unit;

	(void)state;
	event_pmu_read_unit(*state, "cpu", "umask=0x2,asks", &unit);
	assert_true(unit.scale == 1.0 / 4294967296);
	assert_string_equal(unit.text, "Joules");
	event_pmu_read_unit(*state, "cpu", "mem-loads,ldlat=30", &unit);
	assert_true(unit.scale == 0);
	assert_string_equal(unit.text, "");
	/* Without a scale that makes sense a count is a count. */
	expect_scale(*state, "0.5\n", 0.5);
	expect_scale(*state, "", 0);
	expect_scale(*state, "half\n", 0);
	expect_scale(*state, "-1\n", 0);
	expect_scale(*state, "inf\n", 0);
	expect_scale(*state, "nan\n", 0);
}

static void expect_pmu_refusal(const char *devices, const char *pmu, const char *terms, int err,
			       const char *sentence)
{
	struct perf_event_attr attr = { 0 };
	struct diag why = { 0 };
	char name[32];

	assert_int_equal(event_pmu_parse(devices, pmu, terms, &attr, name, sizeof(name), &why),
			 err);
	if (!strstr(why.text, sentence))
		fail_msg("%s/%s/: \"%s\" does not say \"%s\"", pmu, terms, why.text, sentence);
}

static void test_bad_pmu_terms_are_named(void **state)
{
	expect_pmu_refusal(*state, "gpu", "event=1", -ENOENT, "no PMU \"gpu\" here; there"
			   " are: cpu");
	expect_pmu_refusal(*state, "../cpu", "event=1", -ENOENT, "no PMU");
	expect_pmu_refusal(*state, "cpu", "foo=1", -ENOENT, "no field \"foo\"; its fields: ");
	expect_pmu_refusal(*state, "cpu", "event=0x1000", -EINVAL, "more bits than the field");
	expect_pmu_refusal(*state, "cpu", "edge=2", -EINVAL, "more bits than the field");
	expect_pmu_refusal(*state, "cpu", "event=x", -EINVAL, "\"x\" is not a number");
	expect_pmu_refusal(*state, "cpu", "asks", -EINVAL, "needs umask=NUMBER");
	expect_pmu_refusal(*state, "cpu", "later=1", -ENOTSUP, "unknown form");
}

/* tracefs's own file is the oracle. */
static void test_a_tracepoint_has_the_number_of_its_id_file(void **state)
{
	struct event_spec spec;
	char text[32] = "";
	int dir = tracefs_open(NULL), fd;

	(void)state;
	if (dir < 0)
		skip();
	fd = openat(dir, "events/sched/sched_switch/id", O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	close(dir);
	assert_int_equal(event_spec_parse("sched:sched_switch:u", &spec, NULL), 0);
	assert_int_equal(spec.attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(spec.attr.config, atoi(text));
	assert_int_equal(spec.attr.exclude_kernel, 1);
	expect_refusal("sched:nope", -ENOENT, "no tracepoint \"nope\" in the group sched");
	expect_refusal("nope:nope", -ENOENT, "no tracepoint group \"nope\"");
	expect_refusal("../sched:x", -EINVAL, "PMU's terms");
}

static void expect_breakpoint(const char *text, uint64_t address, uint64_t bytes, uint32_t access)
{
	struct event_spec spec;

	assert_int_equal(event_spec_parse(text, &spec, NULL), 0);
	assert_int_equal(spec.attr.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(spec.attr.bp_addr, address);
	assert_int_equal(spec.attr.bp_len, bytes);
	assert_int_equal(spec.attr.bp_type, access);
	assert_string_equal(spec.name, text);
}

/* Access: 1 is read, 2 write, 4 execute (<linux/hw_breakpoint.h>). */
static void test_a_breakpoint_has_address_length_and_access(void **state)
{
	struct event_spec_list list = { .count = 0 };

	(void)state;
	expect_breakpoint("mem:0x601040", 0x601040, 4, 3);
	expect_breakpoint("mem:0x601040/8:w", 0x601040, 8, 2);
	expect_breakpoint("mem:4096/1:r", 4096, 1, 1);
	expect_breakpoint("mem:0x601040:rw:u", 0x601040, 4, 3);
	expect_breakpoint("mem:0x601040:x", 0x601040, 8, 4);
	expect_breakpoint("mem:0x601040:u", 0x601040, 4, 3);
	expect_refusal("mem:", -EINVAL, "an address must follow");
	expect_refusal("mem:ADDR:rw", -EINVAL, "an address must follow");
	expect_refusal("mem:0x10/4w", -EINVAL, "after the address come /LEN and :ACCESS");
	expect_refusal("mem:0x10:q", -EINVAL, "unknown modifier 'q'");
	assert_int_equal(event_spec_parse_list("mem:0x10/4:w,cpu-clock", &list, NULL), 0);
	assert_int_equal(list.count, 2);
	event_spec_list_finish(&list);
}

static void expect_member(const struct event_spec_list *list, size_t index, const char *name,
			  uint32_t group, bool is_read)
{
	assert_true(index < list->count);
	assert_string_equal(list->specs[index].name, name);
	assert_int_equal(list->specs[index].group, group);
	assert_int_equal(event_spec_is_read(list, index), is_read);
}

static void test_of_a_group_with_s_the_first_event_is_sampled(void **state)
{
	struct event_spec_list list = { .count = 0 };

	(void)state;
	assert_int_equal(event_spec_parse_list("{cpu-clock,faults,cs}:S,dummy,{cs,faults}:uS",
					       &list, NULL), 0);
	assert_int_equal(event_spec_parse_list("{cycles,instructions}", &list, NULL), 0);
	assert_int_equal(list.count, 8);
	expect_member(&list, 0, "cpu-clock", 1, false);
	expect_member(&list, 1, "faults", 1, true);
	expect_member(&list, 2, "cs", 1, true);
	expect_member(&list, 3, "dummy", 0, false);
	expect_member(&list, 4, "cs:u", 2, false);
	expect_member(&list, 5, "faults:u", 2, true);
	expect_member(&list, 6, "cycles", 3, false);
	expect_member(&list, 7, "instructions", 3, false);
	assert_int_equal(event_spec_leader(&list, 2), 0);
	assert_int_equal(event_spec_leader(&list, 3), 3);
	assert_int_equal(event_spec_leader(&list, 7), 6);
	assert_int_equal(list.last, 6);
	assert_true(list.specs[5].attr.exclude_kernel);
	/* Without its first event another one leads. */
	assert_int_equal(event_spec_list_drop(&list, 0, &(struct diag){ .err = -ENOENT }), 0);
	expect_member(&list, 0, "faults", 1, false);
	expect_member(&list, 1, "cs", 1, true);
	event_spec_list_finish(&list);
}

/* The part goes with wall, whichever of the two the machine can't open. */
static void test_wall_has_off_cpu_as_its_part(void **state)
{
	struct event_spec_list list = { .count = 0 };
	struct diag why;

	(void)state;
	assert_int_equal(event_spec_parse_list("cs,wall:u,faults", &list, NULL), 0);
	assert_int_equal(event_spec_list_add_part(&list, NULL), 0);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.specs[1].attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(list.specs[1].is_wall && list.specs[3].is_part);
	assert_true(event_is_off_cpu(&list.specs[3].attr));
	assert_int_equal(event_spec_list_add_part(&list, &why), -EINVAL);
	assert_int_equal(event_spec_list_drop(&list, 3, &(struct diag){ .err = -EPERM }), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.specs[1].name, "faults");
	assert_int_equal(list.absent_count, 1);
	assert_string_equal(list.absent[0].name, "wall:u");
	assert_int_equal(event_spec_list_add_part(&list, NULL), 0);
	assert_int_equal(list.count, 2);
	event_spec_list_finish(&list);
}

UNIT_TESTS(test_event_spec)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardware_and_software_names),
		cmocka_unit_test(test_cache_events),
		cmocka_unit_test(test_half_cache_names_are_unknown),
		cmocka_unit_test(test_raw_codes),
		cmocka_unit_test(test_level_modifiers_leave_out_what_is_not_named),
		cmocka_unit_test(test_precision_and_guest_modifiers),
		cmocka_unit_test(test_a_near_name_is_proposed),
		cmocka_unit_test(test_a_pattern_is_all_tracepoints_that_match),
		cmocka_unit_test(test_what_the_machine_lacks_is_no_misspelling),
		cmocka_unit_test(test_commas_between_slashes_do_not_split),
		cmocka_unit_test(test_pmu_terms_fill_the_fields_of_sysfs),
		cmocka_unit_test(test_units_are_those_of_sysfs),
		cmocka_unit_test(test_bad_pmu_terms_are_named),
		cmocka_unit_test(test_a_tracepoint_has_the_number_of_its_id_file),
		cmocka_unit_test(test_a_breakpoint_has_address_length_and_access),
		cmocka_unit_test(test_of_a_group_with_s_the_first_event_is_sampled),
		cmocka_unit_test(test_wall_has_off_cpu_as_its_part),
	};

	return cmocka_run_group_tests(tests, make_pmu, drop_pmu);
}
