/* Machine code written by hand: where instructions begin, what the kernel emulates, and what must
 * be refused. Encodings: Intel SDM, volume 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/probe_code.h"
#include "probe/probe_dangers.h"
#include "probe/probe_verdict.h"

static struct probe_code look(const char *bytes, size_t count, uint64_t at)
{
	struct probe_code code;

	probe_code_look((const uint8_t *)bytes, count, at, false, &code);
	return code;
}

#define LOOK(bytes, at) look(bytes, sizeof(bytes) - 1, at)

static void test_a_push_is_emulated_and_a_move_is_stepped(void **state)
{
	(void)state;
	assert_true(LOOK("\x55\x48\x89\xe5", 0).is_emulated);		/* push rbp */
	assert_true(LOOK("\x41\x57\xc3", 0).is_emulated);		/* push r15 */
	assert_true(LOOK("\x90\xc3", 0).is_emulated);			/* nop */
	assert_true(LOOK("\xe8\x10\x00\x00\x00\xc3", 0).is_emulated);	/* call */
	assert_true(LOOK("\xeb\x02\x90\x90\xc3", 0).is_emulated);	/* jmp */
	assert_true(LOOK("\x0f\x84\x10\x00\x00\x00\xc3", 0).is_emulated);	/* je, far */
	assert_true(LOOK("\x74\x02\xc3", 0).is_emulated);		/* je */
	assert_false(LOOK("\x48\x89\xe5\xc3", 0).is_emulated);		/* mov rbp, rsp */
	assert_false(LOOK("\x48\x83\xec\x08\xc3", 0).is_emulated);	/* sub rsp, 8 */
	assert_false(LOOK("\x6a\x05\xc3", 0).is_emulated);		/* push 5 */
}

static void test_only_borders_of_instructions_are_borders(void **state)
{
	/* push rbp | mov rbp, rsp (3) | lea rax, [rdi + rsi] (4) | ret */
	static const char code[] = "\x55\x48\x89\xe5\x48\x8d\x04\x37\xc3";
	static const char borders[] = "bb..b...b";

	(void)state;
	for (uint64_t at = 0; at < sizeof(code) - 1; at++) {
		const struct probe_code found = LOOK(code, at);

		assert_true(found.is_known);
		assert_int_equal(found.is_border, borders[at] == 'b');
	}
	assert_string_equal(LOOK(code, 6).text, "lea rax, [rdi + rsi]");
}

static void test_code_that_cannot_be_read_has_no_borders(void **state)
{
	(void)state;
	assert_false(LOOK("\x55\x06\x55\xc3", 2).is_known);	/* 06: none in 64 bits */
	assert_false(LOOK("\x55", 1).is_known);
	assert_false(LOOK("\x48\x8d\x04", 0).is_known);		/* cut off */
}

static void test_entry_probes_go_behind_endbr64_where_that_is_cheaper(void **state)
{
	(void)state;
	assert_int_equal(LOOK("\xf3\x0f\x1e\xfa\x55\xc3", 0).skip, 4);
	assert_true(LOOK("\xf3\x0f\x1e\xfa\x55\xc3", 0).is_emulated);
	assert_int_equal(LOOK("\xf3\x0f\x1e\xfa\x31\xc0\xc3", 0).skip, 0);
	assert_false(LOOK("\xf3\x0f\x1e\xfa\x31\xc0\xc3", 0).is_emulated);
}

static void test_a_step_costs_ten_times_as_much(void **state)
{
	(void)state;
	assert_int_equal(probe_code_cost_ns(true, true, false), 1950);
	assert_int_equal(probe_code_cost_ns(false, true, false), 13150);
	assert_int_equal(probe_code_cost_ns(true, true, true), 1950 + 2540 - 1030);
}

static int code_file;

static struct probe_places place_of(enum probe_edge edge)
{
	struct probe_places place = { .file = code_file };

	place.spec.kind = PROBE_USER;
	place.spec.edge = edge;
	return place;
}

static void judge(struct probe_places *place, uint64_t offset, struct probe_site *site)
{
	const struct point point = { .offset = offset, .begin = 8, .bytes = 10 };

	*site = (struct probe_site){ .offset = offset };
	probe_verdict_of_code(place, site, &point, 0);
}

/* In the file from 8 on: endbr64 | push rbp | mov eax, 5 | ret */
static int make_code(void **state)
{
	static const char code[] = "\xf3\x0f\x1e\xfa\x55\xb8\x05\0\0\0\xc3";

	(void)state;
	code_file = memfd_create("code", MFD_CLOEXEC);
	return pwrite(code_file, code, sizeof(code) - 1, 8) == sizeof(code) - 1 ? 0 : -1;
}

static int close_code(void **state)
{
	(void)state;
	return close(code_file);
}

static void test_the_middle_of_an_instruction_is_refused(void **state)
{
	struct probe_places place = place_of(PROBE_ENTRY);
	struct probe_site site;

	(void)state;
	judge(&place, 8 + 5, &site);
	assert_int_equal(place.verdict, VERDICT_COSTLY);
	judge(&place, 8 + 6, &site);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "+6 is inside the instruction 'mov eax, 5': a breakpoint "
					  "there would change what the program does");
}

static void judge_start(struct probe_places *place, uint64_t begin, enum point_start start)
{
	const struct point point = { .offset = begin, .begin = begin, .bytes = 4,
				     .start = (uint8_t)start };
	struct probe_site site = { .offset = begin };

	strcpy(place->spec.function, "fn_8");
	probe_verdict_of_code(place, &site, &point, 0);
}

static void test_without_a_symbol_code_must_be_called_and_begin_as_a_function(void **state)
{
	struct probe_places place = place_of(PROBE_LATENCY);

	(void)state;
	judge_start(&place, 8, POINT_START_CALLED);	/* endbr64 */
	judge_start(&place, 12, POINT_START_CALLED);	/* push rbp */
	assert_int_equal(place.verdict, VERDICT_OK);
	judge_start(&place, 13, POINT_START_SYMBOL);	/* mov eax, 5 */
	assert_int_equal(place.verdict, VERDICT_COSTLY);
	judge_start(&place, 13, POINT_START_CALLED);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "fn_8 has no symbol, and may be a part of a function: it "
			    "begins with 'mov eax, 5', not with endbr64, push or sub from rsp");
	place = place_of(PROBE_ENTRY);
	judge_start(&place, 12, POINT_START_UNCALLED);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "fn_8 has no symbol, and by its unwind entry it is not "
			    "called: a part of a function, or where the program starts");
}

#define BEGINS_FUNCTION(bytes) \
	probe_code_begins_function((const uint8_t *)(bytes), sizeof(bytes) - 1)

static void test_what_compilers_begin_functions_with(void **state)
{
	(void)state;
	assert_true(BEGINS_FUNCTION("\x41\x57"));			/* push r15 */
	assert_true(BEGINS_FUNCTION("\x48\x83\xec\x08"));		/* sub rsp, 8 */
	assert_true(BEGINS_FUNCTION("\x48\x81\xec\0\1\0\0"));		/* sub rsp, 256 */
	assert_false(BEGINS_FUNCTION("\xff\x35\0\0\0\0"));		/* push [rip]: .plt */
	assert_false(BEGINS_FUNCTION("\x48\x83\xc4\x08"));		/* add rsp, 8 */
	assert_false(BEGINS_FUNCTION("\xf3\x0f\x1e"));			/* cut off */
	assert_false(probe_code_begins_function(NULL, 0));
}

static void test_the_site_moves_behind_endbr64(void **state)
{
	struct probe_places place = place_of(PROBE_LATENCY);
	struct probe_site site;

	(void)state;
	judge(&place, 8, &site);
	assert_int_equal(place.verdict, VERDICT_OK);
	assert_int_equal(site.offset, 12);
	assert_true(site.is_emulated);
}

static void test_return_probes_are_refused_in_go_and_split_stack_programs(void **state)
{
	struct probe_places place = place_of(PROBE_LATENCY);

	(void)state;
	probe_verdict_of_file(&place, POINT_IS_GO, false);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, "Go moves stacks"));
	place = place_of(PROBE_RETURN);
	probe_verdict_of_file(&place, POINT_IS_SPLIT_STACK, false);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	place = place_of(PROBE_ENTRY);
	probe_verdict_of_file(&place, POINT_IS_GO | POINT_IS_SPLIT_STACK, false);
	assert_int_equal(place.verdict, VERDICT_OK);
	probe_verdict_of_file(&place, 0, true);
	assert_int_equal(place.verdict, VERDICT_REFUSED);
}

static void test_returns_are_only_of_a_functions_begin(void **state)
{
	struct probe_places place = place_of(PROBE_RETURN);

	(void)state;
	place.spec.offset = 4;
	probe_verdict_of_name(&place, "work");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_non_null(strstr(place.reason, "only the begin of a function has a return"));
}

static void test_dangers_are_known_by_name_and_edge(void **state)
{
	struct probe_places place = place_of(PROBE_LATENCY);

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
	struct probe_places place = place_of(PROBE_ENTRY);

	(void)state;
	probe_verdict_add(&place, VERDICT_REFUSED, "one");
	probe_verdict_add(&place, VERDICT_COSTLY, "two");
	probe_verdict_add(&place, VERDICT_REFUSED, "three");
	assert_int_equal(place.verdict, VERDICT_REFUSED);
	assert_string_equal(place.reason, "one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_push_is_emulated_and_a_move_is_stepped),
		cmocka_unit_test(test_only_borders_of_instructions_are_borders),
		cmocka_unit_test(test_code_that_cannot_be_read_has_no_borders),
		cmocka_unit_test(test_entry_probes_go_behind_endbr64_where_that_is_cheaper),
		cmocka_unit_test(test_a_step_costs_ten_times_as_much),
		cmocka_unit_test(test_the_middle_of_an_instruction_is_refused),
		cmocka_unit_test(test_the_site_moves_behind_endbr64),
		cmocka_unit_test(test_return_probes_are_refused_in_go_and_split_stack_programs),
		cmocka_unit_test(test_returns_are_only_of_a_functions_begin),
		cmocka_unit_test(test_dangers_are_known_by_name_and_edge),
		cmocka_unit_test(test_the_worst_verdict_stays),
		cmocka_unit_test(test_what_compilers_begin_functions_with),
		cmocka_unit_test(test_without_a_symbol_code_must_be_called_and_begin_as_a_function),
	};

	return cmocka_run_group_tests(tests, make_code, close_code);
}
