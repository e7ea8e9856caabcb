/* What must be refused, and what a hit costs: by what a worker says of the code, and by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_verdict.h"
#include "unit_tests.h"

static struct probe_point place_of(enum probe_edge edge)
{
	struct probe_point place = { .file = -1 };

	place.spec.kind = PROBE_USER;
	place.spec.edge = edge;
	return place;
}

#define BORDER	 (POINT_CODE_KNOWN | POINT_CODE_BORDER)
#define EMULATED (BORDER | POINT_CODE_EMULATED)

/* A site of the function at 8, of 10 bytes: endbr64 | push rbp | mov eax, 5 */
static void judge(struct probe_point *place, uint64_t offset, unsigned int code,
		  struct probe_site *site)
{
	const struct point_site found = { .offset = offset, .begin = 8, .bytes = 10,
					  .code = (uint8_t)code, .skip = offset == 8 ? 4 : 0 };
	const struct probe_code at = { .site = &found, .machine = MACHINE_X86_64,
				       .instruction = "mov $0x5,%eax", .first = "" };

	*site = (struct probe_site){ .offset = offset };
	probe_verdict_of_code(place, site, &at);
}

/* A site of aarch64 code. */
static void judge_word(struct probe_point *place, unsigned int code, const char *instruction)
{
	const struct point_site found = { .offset = 8, .begin = 8, .bytes = 12,
					  .code = (uint8_t)code };
	const struct probe_code at = { .site = &found, .machine = MACHINE_AARCH64,
				       .instruction = instruction, .first = "" };
	struct probe_site site = { .offset = 8 };

	*place = place_of(PROBE_ENTRY);
	probe_verdict_of_code(place, &site, &at);
	assert_int_equal(site.offset, 8);
}

static void test_the_middle_of_an_instruction_is_refused(void **state)
{
	struct probe_point place = place_of(PROBE_ENTRY);
	struct probe_site site;

	(void)state;
	judge(&place, 8 + 5, BORDER, &site);
	assert_int_equal(place.verdict, VERDICT_COSTLY);
	assert_string_equal(place.reason, "the kernel steps over 'mov $0x5,%eax': a hit costs "
					  "12 us instead of 2");
	judge(&place, 8 + 6, POINT_CODE_KNOWN, &site);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "+6 is inside the instruction 'mov $0x5,%eax': a "
					  "breakpoint there would change what the program does");
}

static void test_an_instruction_that_works_nowhere_else_is_refused(void **state)
{
	struct probe_point place = place_of(PROBE_ENTRY);
	struct probe_site site;

	(void)state;
	judge(&place, 8, BORDER | POINT_CODE_NOWHERE_ELSE, &site);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "the kernel can neither emulate 'mov $0x5,%eax' nor step "
					  "over a copy of it: probe another instruction");
}

static void test_on_aarch64_a_step_is_no_reason_to_warn(void **state)
{
	struct probe_point place;

	(void)state;
	judge_word(&place, BORDER, "paciasp");
	assert_int_equal(place.verdict, VERDICT_OK);
	judge_word(&place, EMULATED, "b");
	assert_int_equal(place.verdict, VERDICT_OK);
	judge_word(&place, BORDER | POINT_CODE_NOWHERE_ELSE, "ldr x0");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
}

static void test_no_breakpoint_goes_into_an_exclusive_sequence(void **state)
{
	struct probe_point place;

	(void)state;
	judge_word(&place, BORDER | POINT_CODE_EXCLUSIVE, "add w0, w0, #1");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason,
			    "'add w0, w0, #1' is part of an exclusive load and store: with a "
			    "breakpoint the store fails, and the program would try for ever");
}

static void test_code_that_nobody_can_decode_is_refused(void **state)
{
	struct probe_point place = place_of(PROBE_ENTRY);
	struct probe_site site;

	(void)state;
	judge(&place, 8 + 5, 0, &site);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, "nothing tells whether an instruction begins there"));
}

static void judge_start(struct probe_point *place, unsigned int code, enum point_start start,
			enum machine machine)
{
	const struct point_site found = { .offset = 8, .begin = 8, .bytes = 4,
					  .start = (uint8_t)start, .code = (uint8_t)code };
	const struct probe_code at = { .site = &found, .machine = machine,
				       .instruction = "mov $0x5,%eax", .first = "mov $0x5,%eax" };
	struct probe_site site = { .offset = 8 };

	strcpy(place->spec.function, "fn_8");
	probe_verdict_of_code(place, &site, &at);
}

static void test_without_a_symbol_code_must_be_called_and_begin_as_a_function(void **state)
{
	struct probe_point place = place_of(PROBE_LATENCY);

	(void)state;
	judge_start(&place, EMULATED | POINT_CODE_FUNCTION, POINT_START_CALLED, MACHINE_X86_64);
	assert_int_equal(place.verdict, VERDICT_OK);
	judge_start(&place, BORDER, POINT_START_SYMBOL, MACHINE_X86_64);
	assert_int_equal(place.verdict, VERDICT_COSTLY);
	judge_start(&place, BORDER, POINT_START_CALLED, MACHINE_X86_64);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "fn_8 has no symbol, and may be a part of a function: it "
			    "begins with 'mov $0x5,%eax', not with endbr64, push or sub from rsp");
	place = place_of(PROBE_ENTRY);
	judge_start(&place, BORDER, POINT_START_CALLED, MACHINE_AARCH64);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, ", not with bti c, paciasp, stp or str to the stack, "
					     "or sub from sp"));
	place = place_of(PROBE_ENTRY);
	judge_start(&place, EMULATED | POINT_CODE_FUNCTION, POINT_START_UNCALLED,
		    MACHINE_X86_64);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "fn_8 has no symbol, and by its unwind entry it is not "
			    "called: a part of a function, or where the program starts");
}

static void test_the_site_moves_past_endbr64(void **state)
{
	struct probe_point place = place_of(PROBE_LATENCY);
	struct probe_site site;

	(void)state;
	judge(&place, 8, EMULATED, &site);
	assert_int_equal(place.verdict, VERDICT_OK);
	assert_int_equal(site.offset, 12);
	assert_true(site.is_emulated);
}

static void judge_file(struct probe_point *place, uint32_t flags, enum machine machine,
		       bool is_own_program)
{
	const struct point_header file = { .flags = flags, .machine = (uint8_t)machine };

	probe_verdict_of_file(place, &file, is_own_program);
}

static void test_return_probes_are_refused_in_go_and_split_stack_programs(void **state)
{
	struct probe_point place = place_of(PROBE_LATENCY);

	(void)state;
	judge_file(&place, POINT_IS_GO, MACHINE_OWN, false);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, "Go moves stacks"));
	place = place_of(PROBE_RETURN);
	judge_file(&place, POINT_IS_SPLIT_STACK, MACHINE_OWN, false);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	place = place_of(PROBE_ENTRY);
	judge_file(&place, POINT_IS_GO | POINT_IS_SPLIT_STACK, MACHINE_OWN, false);
	assert_int_equal(place.verdict, VERDICT_OK);
	judge_file(&place, 0, MACHINE_OWN, true);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
}

static void test_a_program_for_another_cpu_is_never_hit(void **state)
{
	struct probe_point place = place_of(PROBE_ENTRY);

	(void)state;
	judge_file(&place, 0, MACHINE_UNKNOWN, false);
	assert_int_equal(place.verdict, VERDICT_UNABLE);
	assert_string_equal(place.reason, "its code is for another CPU: nothing runs it on this "
					  "machine");
	place = place_of(PROBE_ENTRY);
	judge_file(&place, 0, MACHINE_OWN, false);
	assert_int_equal(place.verdict, VERDICT_OK);
}

static void test_returns_are_only_of_a_functions_begin(void **state)
{
	struct probe_point place = place_of(PROBE_RETURN);

	(void)state;
	place.spec.offset = 4;
	probe_verdict_of_name(&place, "work");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, "only the begin of a function has a return"));
}

static void test_dangers_are_known_by_name_and_edge(void **state)
{
	struct probe_point place = place_of(PROBE_LATENCY);

	(void)state;
	assert_null(probe_danger_find("setjmp", false, false));
	assert_non_null(probe_danger_find("setjmp", false, true));
	assert_null(probe_danger_find("setjmp", true, true));
	assert_non_null(probe_danger_find("_raw_spin_lock_irqsave", true, true));
	assert_null(probe_danger_find("_raw_spin_lock_irqsave", true, false));
	assert_non_null(probe_danger_find("perf_output_begin_forward", true, false));
	assert_null(probe_danger_find("malloc", false, true));
	probe_verdict_of_name(&place, "_setjmp");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
}

static void test_the_worst_verdict_stays(void **state)
{
	struct probe_point place = place_of(PROBE_ENTRY);

	(void)state;
	probe_verdict_add(&place, VERDICT_REFUSED, "one");
	probe_verdict_add(&place, VERDICT_COSTLY, "two");
	probe_verdict_add(&place, VERDICT_REFUSED, "three");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "one");
}

static void test_another_build_is_refused_with_both_ids(void **state)
{
	const struct build_id one = { .bytes = { 0x12, 0xab }, .count = 2 };
	const struct build_id other = { .bytes = { 0x12, 0xac }, .count = 2 };
	const struct build_id none = { .count = 0 };
	struct diag why = { .err = 0 };

	(void)state;
	assert_int_equal(probe_verdict_check_build(&none, &one, "x", &why), 0);
	assert_int_equal(probe_verdict_check_build(&one, &one, "x", &why), 0);
	assert_int_equal(probe_verdict_check_build(&one, &other, "x", &why), -ESTALE);
	assert_string_equal(why.text, "x has build-id 12ac, the probe is for 12ab: make it anew, "
			    "by --dry-run where the debug information of this build is");
	assert_int_equal(probe_verdict_check_build(&one, &none, "x", &why), -ESTALE);
	assert_non_null(strstr(why.text, "x has build-id (none that can be read), "));
}

UNIT_TESTS(test_probe_verdict)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_middle_of_an_instruction_is_refused),
		cmocka_unit_test(test_an_instruction_that_works_nowhere_else_is_refused),
		cmocka_unit_test(test_on_aarch64_a_step_is_no_reason_to_warn),
		cmocka_unit_test(test_no_breakpoint_goes_into_an_exclusive_sequence),
		cmocka_unit_test(test_a_program_for_another_cpu_is_never_hit),
		cmocka_unit_test(test_code_that_nobody_can_decode_is_refused),
		cmocka_unit_test(test_the_site_moves_past_endbr64),
		cmocka_unit_test(test_return_probes_are_refused_in_go_and_split_stack_programs),
		cmocka_unit_test(test_returns_are_only_of_a_functions_begin),
		cmocka_unit_test(test_dangers_are_known_by_name_and_edge),
		cmocka_unit_test(test_the_worst_verdict_stays),
		cmocka_unit_test(test_another_build_is_refused_with_both_ids),
		cmocka_unit_test(test_without_a_symbol_code_must_be_called_and_begin_as_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
