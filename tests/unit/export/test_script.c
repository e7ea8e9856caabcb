/* The layout of perf-script(1), by lines that perf 6.1 printed of the same samples. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/print.h"
#include "unit_tests.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static char *printed;		/* owned: what the last print() wrote */

static const char *print(const struct snapshot_event *event, const struct script_fields *fields,
			 const char *trace)
{
	const struct snapshot_events events = { .count = 1, .list = event, .name_width = 12 };
	size_t bytes;
	FILE *out;

	free(printed);
	out = open_memstream(&printed, &bytes);
	assert_non_null(out);
	script_write(out, &events, fields, &trace);
	assert_int_equal(fclose(out), 0);
	return printed;
}

static struct script_fields parsed(const char *text)
{
	struct script_fields fields;
	struct diag why;

	assert_int_equal(script_fields_parse(&fields, "--fields", text, &why), 0);
	return fields;
}

static const char *const frames[] = { "do_syscall_64", "inner", "outer", "bpf_prog", "" };
static const struct snapshot_place places[] = {
	{ .address = 0xffffffff8225aa01, .offset = 0x71, .is_named = true,
	  .dso = "[kernel.kallsyms]", .source = "" },
	{ .address = 0x1148, .offset = 0xf, .is_named = true, .dso = "/tmp/inl",
	  .is_inlined = true, .source = "inl.c:12" },
	{ .address = 0x1148, .offset = 0xf, .is_named = true, .dso = "/tmp/inl",
	  .source = "inl.c:23" },
	{ .address = 0xffffffffc0026135, .offset = UINT64_MAX, .is_named = true,
	  .dso = "bpf_prog", .source = "" },
	{ .address = 0x2f, .offset = UINT64_MAX, .dso = "", .source = "" },
};

static const struct snapshot_event sample = {
	.time_ns = 13054297452999, .cpu = 1, .pid = 29891, .tid = 29892, .comm = "load",
	.event = "cpu-clock", .period = 1003009, .has_period = true, .latency_ns = -1,
	.symbol = "do_syscall_64", .dso = "[kernel]", .has_chain = true,
	.ip = 0xffffffff8225aa01, .format = "",
	.frames = frames, .places = places, .frame_count = COUNT_OF(frames),
};

static void test_a_stack_follows_its_sample(void **state)
{
	const struct script_fields fields = { .is_chosen = false };

	(void)state;
	assert_string_equal(print(&sample, &fields, NULL),
			    "load 29891/29892 [001] 13054.297452:    1003009    cpu-clock: \n"
			    "\tffffffff8225aa01 do_syscall_64+0x71 ([kernel.kallsyms])\n"
			    "\t            1148 inner+0xf (inlined)\n"
			    "\t            1148 outer+0xf (/tmp/inl)\n"
			    "\tffffffffc0026135 bpf_prog (bpf_prog)\n"
			    "\t              2f [unknown] ([unknown])\n\n");
}

static void test_without_callers_the_address_is_in_the_line(void **state)
{
	const struct script_fields fields = { .is_chosen = false };
	struct snapshot_event alone = sample;

	(void)state;
	alone.has_chain = false;
	alone.cpu = UINT32_MAX;
	alone.frame_count = 1;
	assert_string_equal(print(&alone, &fields, NULL),
			    "            load 29891/29892 13054.297452:    1003009    cpu-clock:  "
			    "ffffffff8225aa01 do_syscall_64+0x71 ([kernel.kallsyms])\n");
}

static void test_a_tracepoint_has_its_text_in_place_of_a_period(void **state)
{
	const struct script_fields fields = { .is_chosen = false }, more = parsed("+period,-cpu");
	struct snapshot_event hit = sample;

	(void)state;
	hit.has_chain = false;
	hit.event = "a:b";
	hit.time_ns = 1000;
	assert_string_equal(print(&hit, &fields, "NR 12 (0, 3)"),
			    "            load 29891/29892 [001]     0.000001:          a:b: "
			    "NR 12 (0, 3)\n");
	assert_string_equal(print(&hit, &more, "NR 12 (0, 3)"),
			    "            load 29891/29892     0.000001:    1003009          a:b: "
			    "NR 12 (0, 3)\n");
}

static void test_values_of_a_hit_are_its_text(void **state)
{
	static const struct snapshot_field values[] = {
		{ .name = "count", .text = "5", .is_known = true, .is_number = true },
		{ .name = "path", .text = "" },
	};
	const struct script_fields fields = parsed("comm,trace");
	struct snapshot_event hit = sample;

	(void)state;
	hit.has_chain = hit.has_period = false;
	hit.fields = values;
	hit.field_count = COUNT_OF(values);
	assert_string_equal(print(&hit, &fields, NULL), "            load count=5 path=?\n");
}

static void test_chosen_fields_alone_are_printed(void **state)
{
	const struct script_fields stacks = parsed("comm,pid,ip,sym"), ids = parsed("tid,time");

	(void)state;
	assert_string_equal(print(&sample, &stacks, NULL),
			    "load 29891 \n"
			    "\tffffffff8225aa01 do_syscall_64\n"
			    "\t            1148 inner (inlined)\n"
			    "\t            1148 outer\n"
			    "\tffffffffc0026135 bpf_prog\n"
			    "\t              2f [unknown]\n\n");
	assert_string_equal(print(&sample, &ids, NULL), "29892 13054.297452: \n");
}

static void test_a_known_source_line_follows_its_frame(void **state)
{
	const struct script_fields stacks = parsed("comm,ip,sym,srcline");
	const struct script_fields line = parsed("ip,srcline");
	struct snapshot_event alone = sample;

	(void)state;
	assert_string_equal(print(&sample, &stacks, NULL),
			    "load \n"
			    "\tffffffff8225aa01 do_syscall_64\n"
			    "\t            1148 inner\n"
			    "  inl.c:12 (inlined)\n"
			    "\t            1148 outer\n"
			    "  inl.c:23\n"
			    "\tffffffffc0026135 bpf_prog\n"
			    "\t              2f [unknown]\n\n");
	alone.has_chain = false;
	alone.ip = 0x1148;
	alone.places = &places[2];
	alone.frames = &frames[2];
	alone.frame_count = 1;
	assert_string_equal(print(&alone, &line, NULL), "             1148\n  inl.c:23\n");
}

static void test_what_is_no_field_is_refused_at_its_column(void **state)
{
	static const struct { const char *text, *begin; } bad[] = {
		{ "comm,foo", "--fields: column 6: \"foo\" is no field" },
		{ "+symbol", "--fields: column 2: \"symbol\" is no field" },
		{ "comm,,pid", "--fields: column 6: \"\" is no field" },
		{ "", "--fields: no field is left" },
		{ "comm,dso", "--fields: sym, dso, symoff and srcline need ip" },
		{ "comm,srcline", "--fields: sym, dso, symoff and srcline need ip" },
	};
	struct script_fields fields;
	struct diag why;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(script_fields_parse(&fields, "--fields", bad[i].text, &why),
				 -EINVAL);
		assert_memory_equal(why.text, bad[i].begin, strlen(bad[i].begin));
	}
}

static int finish(void **state)
{
	(void)state;
	free(printed);
	printed = NULL;
	return 0;
}

UNIT_TESTS(test_script)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stack_follows_its_sample),
		cmocka_unit_test(test_without_callers_the_address_is_in_the_line),
		cmocka_unit_test(test_a_tracepoint_has_its_text_in_place_of_a_period),
		cmocka_unit_test(test_values_of_a_hit_are_its_text),
		cmocka_unit_test(test_chosen_fields_alone_are_printed),
		cmocka_unit_test(test_a_known_source_line_follows_its_frame),
		cmocka_unit_test(test_what_is_no_field_is_refused_at_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
