/* What users write for values, and what the kernel is told to fetch. The right-hand sides are
 * written by the rules of Documentation/trace/uprobetracer.rst. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elf/fetch_value.h"
#include "unit_tests.h"

static void test_a_path_is_read_step_by_step(void **state)
{
	struct value_path path;

	(void)state;
	assert_int_equal(value_path_parse(&path, "a->b.c[12]", NULL), 0);
	assert_int_equal(path.base, VALUE_VARIABLE);
	assert_string_equal(path.name, "a");
	assert_int_equal(path.step_count, 3);
	assert_int_equal(path.steps[0].kind, VALUE_ARROW);
	assert_string_equal(path.steps[0].name, "b");
	assert_int_equal(path.steps[1].kind, VALUE_DOT);
	assert_string_equal(path.steps[1].name, "c");
	assert_int_equal(path.steps[2].kind, VALUE_INDEX);
	assert_int_equal(path.steps[2].index, 12);
}

static void test_arguments_returns_and_the_kernels_own_words_are_told_apart(void **state)
{
	struct value_path path;

	(void)state;
	assert_int_equal(value_path_parse(&path, "$arg3->x", NULL), 0);
	assert_int_equal(path.base, VALUE_ARGUMENT);
	assert_int_equal(path.number, 3);
	assert_int_equal(value_path_parse(&path, "$retval->x", NULL), 0);
	assert_int_equal(path.base, VALUE_RETURNED);
	assert_int_equal(value_path_parse(&path, "+8(%di)", NULL), 0);
	assert_int_equal(path.base, VALUE_RAW);
	assert_int_equal(value_path_parse(&path, "$stack2", NULL), 0);
	assert_int_equal(path.base, VALUE_RAW);
	assert_true(value_path_is_return("+0($retval)"));
	assert_false(value_path_is_return("$arg1"));
}

static void test_what_is_no_value_is_refused(void **state)
{
	static const char *const bad[] = { "", "1a", "a->", "a.", "a[", "a[x]", "a[1", "a b",
					   "$arg0", "$argx", "a[9999999]",
					   "a->b->c->d->e->f->g->h->i->j" };
	struct value_path path;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(value_path_parse(&path, bad[i], NULL), -EINVAL);
}

static void test_pointers_are_followed_from_the_inside_out(void **state)
{
	struct fetch_location place = fetch_register("%di");
	char text[FETCH_TEXT_BYTES];

	(void)state;
	assert_true(fetch_write(&place, "x64", text));
	assert_string_equal(text, "%di:x64");
	place = fetch_follow(&place);
	place.offset = 16;
	assert_true(fetch_write(&place, "s32", text));
	assert_string_equal(text, "+16(%di):s32");
	place = fetch_follow(&place);
	place.offset -= 8;
	assert_true(fetch_write(&place, "string", text));
	assert_string_equal(text, "-8(+16(%di)):string");
}

/* The kernel adds nothing to "@+4096": what is there already is the pointer. */
static void test_pointers_in_the_file_are_followed_too(void **state)
{
	struct fetch_location place = fetch_memory("@", 4096);
	struct fetch_value value = { .fetch = "" };

	(void)state;
	fetch_value_put(&value, &place, false, "u32");
	assert_string_equal(value.fetch, "@+4096:u32");
	fetch_value_put(&value, &place, true, "string");
	assert_string_equal(value.fetch, "+0(@+4096):string");
	place = fetch_follow(&place);
	place.offset = 8;
	fetch_value_put(&value, &place, false, "s32");
	assert_string_equal(value.fetch, "+8(@+4096):s32");
	place = fetch_follow(&place);
	place.offset = 16;
	fetch_value_put(&value, &place, false, "s32");
	assert_string_equal(value.fetch, "+16(+8(@+4096)):s32");
}

static void test_what_is_too_deep_is_refused_and_not_cut(void **state)
{
	struct fetch_location place = fetch_register("%di");
	struct fetch_value value;

	(void)state;
	for (int i = 0; i < 40; i++)
		place = fetch_follow(&place);
	fetch_value_put(&value, &place, false, "x64");
	assert_string_equal(value.fetch, "");
	assert_string_equal(value.reason, "longer than the kernel takes");
}

static void test_a_text_is_what_a_register_points_to(void **state)
{
	struct fetch_value value = { .fetch = "" };
	struct value_path path;

	(void)state;
	value_path_parse(&path, "$arg2", NULL);
	fetch_value_put_by_convention(&value, &path, "string", true, MACHINE_X86_64);
	assert_string_equal(value.fetch, "+0(%si):string");
	assert_int_equal(value.kind, FETCH_TEXT);
	fetch_value_put_raw(&value, "%dx", "string");
	assert_string_equal(value.fetch, "+0(%dx):string");
	fetch_value_put_raw(&value, "+8(%dx)", "string");
	assert_string_equal(value.fetch, "+8(%dx):string");
}

static void test_the_name_of_the_thread_is_a_text_without_a_type(void **state)
{
	struct fetch_value value = { .fetch = "" };

	(void)state;
	fetch_value_put_raw(&value, "$comm", "");
	assert_string_equal(value.fetch, "$comm");
	assert_int_equal(value.kind, FETCH_TEXT);
	fetch_value_put_raw(&value, "$COMM", "");
	assert_int_equal(value.kind, FETCH_TEXT);
	fetch_value_put_raw(&value, "$comm", "string");
	assert_string_equal(value.fetch, "$comm:string");
	fetch_value_put_raw(&value, "$stack2", "");
	assert_int_equal(value.kind, FETCH_HEX);
}

static void expect_bits(int64_t offset, uint32_t first_bit, uint32_t bits, uint64_t bytes,
			const char *wanted)
{
	const struct fetch_location place = fetch_memory("%bp", offset);
	struct fetch_value value = { .fetch = "" };

	fetch_value_put_bits(&value, &place, first_bit, bits, bytes);
	assert_string_equal(value.fetch, wanted);
}

/* From the begin of the word that has them, above and below the frame pointer. */
static void test_bits_are_taken_from_their_word(void **state)
{
	(void)state;
	expect_bits(16, 3, 5, 4, "+16(%bp):b5@3/32");
	expect_bits(18, 1, 4, 4, "+16(%bp):b4@17/32");
	expect_bits(-24, 3, 5, 4, "-24(%bp):b5@3/32");
	expect_bits(-21, 2, 6, 4, "-24(%bp):b6@26/32");
	expect_bits(-8, 35, 2, 4, "-4(%bp):b2@3/32");
	expect_bits(-1, 7, 1, 8, "-8(%bp):b1@63/64");
	expect_bits(-21, 2, 7, 4, "");
}

static void test_the_convention_holds_only_where_a_function_begins(void **state)
{
	struct fetch_value value = { .fetch = "" };
	struct value_path path;

	(void)state;
	value_path_parse(&path, "$arg7", NULL);
	fetch_value_put_by_convention(&value, &path, "", true, MACHINE_X86_64);
	assert_string_equal(value.fetch, "$stack1:x64");
	fetch_value_put_by_convention(&value, &path, "", false, MACHINE_X86_64);
	assert_string_equal(value.fetch, "");
	value_path_parse(&path, "$retval", NULL);
	fetch_value_put_by_convention(&value, &path, "s32", false, MACHINE_X86_64);
	assert_string_equal(value.fetch, "$retval:s32");
	value_path_parse(&path, "name", NULL);
	fetch_value_put_by_convention(&value, &path, "", true, MACHINE_X86_64);
	assert_non_null(strstr(value.reason, "no debug information"));
}

#define INDEXED(place) "'" place "' has an index register, which a uprobe event can't add"

/* An argument of each form that gcc and clang write, by "as -al". */
static void test_arguments_of_usdt_probes_are_read(void **state)
{
	static const struct { const char *fetch; enum fetch_kind kind; const char *reason; }
	wanted[] = {
		{ "%ax:s32", FETCH_SIGNED, "" }, { "%r8:x64", FETCH_HEX, "" },
		{ "\\5:s32", FETCH_SIGNED, "" }, { "-24(%bp):u16", FETCH_UNSIGNED, "" },
		{ "+0(%r12):u8", FETCH_UNSIGNED, "" }, { "%di:x64", FETCH_HEX, "" },
		{ "", 0, INDEXED("(%rax,%rbx,8)") },
		{ "", 0, "its location 'counter(%rip)' is more than a uprobe event can fetch" },
		{ "", 0, "a floating point number: probes fetch integers only" },
		{ "", 0, "16 bytes: probes fetch integers of 1, 2, 4 and 8" },
		{ "\\-1:s64", FETCH_SIGNED, "" },
	};
	const char *at = "-4@%eax 8@%r8 -4@$5 2@-24(%rbp) 1@(%r12) %rdi 8@(%rax,%rbx,8) "
			 "8@counter(%rip) -8f@%xmm0 16@%rax -8@$-1";
	struct usdt_argument argument;
	struct fetch_value value;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(usdt_argument_next(&at, MACHINE_X86_64, &argument));
		usdt_argument_fetch(&argument, 1, 0, "", &value);
		assert_string_equal(value.fetch, wanted[i].fetch);
		assert_string_equal(value.reason, wanted[i].reason);
		if (value.fetch[0])
			assert_int_equal(value.kind, wanted[i].kind);
	}
	assert_false(usdt_argument_next(&at, MACHINE_X86_64, &argument));
}

static void test_arguments_of_aarch64_are_in_registers_and_on_the_stack(void **state)
{
	static const struct { const char *value, *fetch; } wanted[] = {
		{ "$arg1", "%x0:x64" }, { "$arg8", "%x7:x64" }, { "$arg9", "$stack0:x64" },
		{ "$arg11", "$stack2:x64" }, { "$arg2[3]", "+24(%x1):x64" }, { "$retval",
		"$retval:x64" },
	};
	struct fetch_value value = { .fetch = "" };
	struct value_path path;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(value_path_parse(&path, wanted[i].value, NULL), 0);
		fetch_value_put_by_convention(&value, &path, "", true, MACHINE_AARCH64);
		assert_string_equal(value.fetch, wanted[i].fetch);
	}
	assert_string_equal(fetch_dwarf_register(MACHINE_AARCH64, 30), "%x30");
	assert_string_equal(fetch_dwarf_register(MACHINE_AARCH64, 31), "%sp");
	assert_null(fetch_dwarf_register(MACHINE_AARCH64, 32));
	assert_null(fetch_dwarf_register(MACHINE_AARCH64, 64));		/* v0 */
}

static void test_arguments_of_an_unknown_machine_are_refused(void **state)
{
	struct fetch_value value = { .fetch = "" };
	struct value_path path;

	(void)state;
	assert_int_equal(value_path_parse(&path, "$arg1", NULL), 0);
	fetch_value_put_by_convention(&value, &path, "", true, MACHINE_X86_32);
	assert_string_equal(value.reason, "a 32-bit program has its arguments on the stack: write "
					  "+4(%sp)");
	fetch_value_put_by_convention(&value, &path, "", true, MACHINE_UNKNOWN);
	assert_string_equal(value.reason, "a program for another CPU: its calling convention is "
					  "unknown");
}

/* As GNU as and clang write operands of AArch64: perf's arch/arm64/util/perf_regs.c knows
 * "[sp, 12]" and registers only. */
static void test_arguments_of_usdt_probes_of_aarch64_become_fetch_arguments(void **state)
{
	static const struct { const char *fetch, *reason; } wanted[] = {
		{ "%x0:s32", "" }, { "%x19:u16", "" }, { "%x30:x64", "" }, { "%sp:x64", "" },
		{ "\\5:s32", "" }, { "\\-1:s64", "" }, { "\\0:u32", "" }, { "\\7:u8", "" },
		{ "+12(%sp):s32", "" }, { "-8(%x29):x64", "" }, { "+0(%x2):u8", "" },
		{ "+16(%x1):x64", "" },
		{ "", INDEXED("[x0, x1, lsl 3]") }, { "", INDEXED("[x0, w1, sxtw 3]") },
		{ "", "its location 'counter' is more than a uprobe event can fetch" },
		{ "", "its location 'x31' is more than a uprobe event can fetch" },
		{ "", "a floating point number: probes fetch integers only" },
		{ "%x1:x64", "" },
	};
	const char *at = "-4@w0 2@x19 8@x30 8@sp -4@5 -8@-1 4@wzr 1@#7 -4@[sp, 12] 8@[x29, #-8] "
			 "1@[x2] 8@[x1,16] 8@[x0, x1, lsl 3] 8@[x0, w1, sxtw 3] 8@counter 8@x31 "
			 "8f@d0 x1";
	struct usdt_argument argument;
	struct fetch_value value;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(usdt_argument_next(&at, MACHINE_AARCH64, &argument));
		usdt_argument_fetch(&argument, 1, 0, "", &value);
		assert_string_equal(value.fetch, wanted[i].fetch);
		assert_string_equal(value.reason, wanted[i].reason);
	}
	assert_false(usdt_argument_next(&at, MACHINE_AARCH64, &argument));
	at = "8@[x0";
	assert_true(usdt_argument_next(&at, MACHINE_AARCH64, &argument));
	assert_string_not_equal(argument.reason, "");
	assert_false(usdt_argument_next(&at, MACHINE_AARCH64, &argument));
}

/* The copies of one USDT probe, "|" between them: what is fetched for the argument in each, or
 * why it is fetched in none. */
static void expect_copies(const char *notes, const char *wanted)
{
	struct usdt_argument copies[4];
	char text[256], got[256] = "";
	struct fetch_value value;
	size_t count = 0;

	snprintf(text, sizeof(text), "%s", notes);
	for (char *rest = text, *note; (note = strsep(&rest, "|")) != NULL; count++) {
		const char *at = note;

		assert_true(usdt_argument_next(&at, MACHINE_X86_64, &copies[count]));
	}
	for (size_t i = 0; i < count; i++) {
		usdt_argument_fetch(copies, count, i, "", &value);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? "|" : "",
			 value.fetch[0] ? value.fetch : value.reason);
	}
	assert_string_equal(got, wanted);
}

#define DIFFERENT "its copies have different types, and a uprobe event widens unsigned ones only"

static void test_copies_of_an_argument_are_fetched_as_one_type(void **state)
{
	(void)state;
	/* PostgreSQL 15: lwlock__wait__done and sort__start. */
	expect_copies("4@%r14d|4@%r14d|-4@$0", "%r14:u32|%r14:u32|\\0:u32");
	expect_copies("-4@$0|1@-57(%rbp)", "\\0:u8|-57(%bp):u8");
	expect_copies("-4@$7|8@$-1", "\\7:s64|\\-1:s64");
	expect_copies("4@$4000000000|-4@$-1", "\\4000000000:s64|\\-1:s64");
	expect_copies("8@%rax|-8@%rbx", "%ax:s64|%bx:s64");
	expect_copies("8@%rax|-4@$-1", "%ax:s64|\\-1:s64");
}

static void test_shorter_unsigned_copies_are_widened(void **state)
{
	(void)state;
	expect_copies("4@%eax|2@8(%rsp)|8@%rdx|-4@$1",
		      "%ax:b32@0/64|+8(%sp):b16@0/64|%dx:x64|\\1:x64");
	expect_copies("1@%al|-4@$300", "%ax:b8@0/64|\\300:x64");
}

static void test_copies_that_no_type_holds_are_refused_in_all(void **state)
{
	(void)state;
	expect_copies("-4@%eax|4@%edx", DIFFERENT "|" DIFFERENT);
	expect_copies("-2@%ax|8@%rdx", DIFFERENT "|" DIFFERENT);
	expect_copies("4@%eax|-4@$-1", DIFFERENT "|" DIFFERENT);
	expect_copies("-1@%al|-4@$300", DIFFERENT "|" DIFFERENT);
	expect_copies("8@%rax|8@(%rsp,%rax,8)", INDEXED("(%rsp,%rax,8)") "|"
		      INDEXED("(%rsp,%rax,8)"));
}

static void test_a_type_that_is_asked_for_wins(void **state)
{
	const char *at = "8@%rax";
	struct usdt_argument argument;
	struct fetch_value value;

	(void)state;
	assert_true(usdt_argument_next(&at, MACHINE_X86_64, &argument));
	usdt_argument_fetch(&argument, 1, 0, "string", &value);
	assert_string_equal(value.fetch, "+0(%ax):string");
}

UNIT_TESTS(test_fetch_value)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_is_read_step_by_step),
		cmocka_unit_test(test_arguments_returns_and_the_kernels_own_words_are_told_apart),
		cmocka_unit_test(test_what_is_no_value_is_refused),
		cmocka_unit_test(test_pointers_are_followed_from_the_inside_out),
		cmocka_unit_test(test_pointers_in_the_file_are_followed_too),
		cmocka_unit_test(test_what_is_too_deep_is_refused_and_not_cut),
		cmocka_unit_test(test_a_text_is_what_a_register_points_to),
		cmocka_unit_test(test_the_name_of_the_thread_is_a_text_without_a_type),
		cmocka_unit_test(test_bits_are_taken_from_their_word),
		cmocka_unit_test(test_the_convention_holds_only_where_a_function_begins),
		cmocka_unit_test(test_arguments_of_usdt_probes_are_read),
		cmocka_unit_test(test_arguments_of_aarch64_are_in_registers_and_on_the_stack),
		cmocka_unit_test(test_arguments_of_an_unknown_machine_are_refused),
		cmocka_unit_test(test_arguments_of_usdt_probes_of_aarch64_become_fetch_arguments),
		cmocka_unit_test(test_copies_of_an_argument_are_fetched_as_one_type),
		cmocka_unit_test(test_shorter_unsigned_copies_are_widened),
		cmocka_unit_test(test_copies_that_no_type_holds_are_refused_in_all),
		cmocka_unit_test(test_a_type_that_is_asked_for_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
