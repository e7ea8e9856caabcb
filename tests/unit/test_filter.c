/* A filter shows exactly the rows that it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/filter.h"

static struct snapshot_row make_row(void)
{
	return (struct snapshot_row){
		.symbol = "Hash_Search", .object = "libfoo.so", .comm = "postgres",
		.mode = MODE_USER,
	};
}

static bool matches(const char *text)
{
	const struct snapshot_row row = make_row();
	struct filter filter = { .text = "" };

	for (size_t i = 0; text[i]; i++)
		filter.text[i] = text[i];
	return filter_matches(&filter, &row);
}

static void test_no_text_matches_every_row(void **state)
{
	(void)state;
	assert_true(matches(""));
}

static void test_text_is_looked_for_in_symbol_object_and_command(void **state)
{
	(void)state;
	assert_true(matches("search"));
	assert_true(matches("foo.s"));
	assert_true(matches("gres"));
	assert_false(matches("mysql"));
	assert_false(matches("searchlib"));	/* not across two fields */
}

static void test_capitals_count_only_when_typed(void **state)
{
	(void)state;
	assert_true(matches("hash"));
	assert_true(matches("Hash"));
	assert_false(matches("HASH"));
	assert_false(matches("Postgres"));
}

static void test_letters_beyond_ascii_match_themselves(void **state)
{
	struct snapshot_row row = make_row();
	const struct filter filter = { .text = "\u00e9t" };

	(void)state;
	row.symbol = "qu\u00e9t\u00e9";
	assert_true(filter_matches(&filter, &row));
	row.symbol = "qu\u00e8t";
	assert_false(filter_matches(&filter, &row));
}

static void test_idle_is_hidden_until_asked_for(void **state)
{
	struct filter filter = { .text = "" };
	struct snapshot_row row = make_row();

	(void)state;
	row.is_idle = true;
	assert_false(filter_matches(&filter, &row));
	filter.show_idle = true;
	assert_true(filter_matches(&filter, &row));
}

static void test_levels_are_hidden_with_their_guests(void **state)
{
	static const struct {
		enum cpu_mode mode;
		bool with_kernel_hidden, with_user_hidden;
	} known[] = {
		{ MODE_UNKNOWN, true, true },	   { MODE_KERNEL, false, true },
		{ MODE_USER, true, false },	   { MODE_HYPERVISOR, false, true },
		{ MODE_GUEST_KERNEL, false, true }, { MODE_GUEST_USER, true, false },
	};
	const struct filter no_kernel = { .hide_kernel = true };
	const struct filter no_user = { .hide_user = true };
	struct snapshot_row row = make_row();

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		row.mode = known[i].mode;
		assert_int_equal(filter_matches(&no_kernel, &row), known[i].with_kernel_hidden);
		assert_int_equal(filter_matches(&no_user, &row), known[i].with_user_hidden);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_text_matches_every_row),
		cmocka_unit_test(test_text_is_looked_for_in_symbol_object_and_command),
		cmocka_unit_test(test_capitals_count_only_when_typed),
		cmocka_unit_test(test_letters_beyond_ascii_match_themselves),
		cmocka_unit_test(test_idle_is_hidden_until_asked_for),
		cmocka_unit_test(test_levels_are_hidden_with_their_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
