/* Columns as text of the configuration. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/config_columns.h"
#include "unit_tests.h"

static struct column_choice choice;
static struct diag why;

static int forget(void **state)
{
	(void)state;
	memset(&choice, 0, sizeof(choice));
	return 0;
}

static void refuse(const char *view, const char *names, const char *sentence)
{
	const struct column_choice before = choice;

	assert_int_equal(config_columns_parse(view, names, &choice, &why), -EINVAL);
	assert_string_equal(why.text, sentence);
	assert_memory_equal(&choice, &before, sizeof(before));
}

static void assert_printed(enum view_kind kind, const char *line)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	config_columns_print(out, kind, &choice);
	fclose(out);
	assert_string_equal(text, line);
	free(text);
}

static void test_what_is_not_named_is_hidden(void **state)
{
	(void)state;
	assert_int_equal(config_columns_parse("dsos", " self ,bar,  total\t,samples", &choice,
					      &why), 0);
	assert_int_equal(choice.hidden[VIEW_DSOS],
			 COLUMN_BIT(COL_RATE) | COLUMN_BIT(COL_COMMAND) |
			 COLUMN_BIT(COL_PERIOD) | COLUMN_BIT(COL_EVENT) |
			 COLUMN_BIT(COL_TOTAL_CHANGE) | COLUMN_BIT(COL_TIME));
	assert_int_equal(choice.hidden[VIEW_SYMBOLS], 0);
	assert_printed(VIEW_DSOS, "dsos = self, bar, change, change-bar, total, samples, "
		       "rate-change, dso\n");
	assert_int_equal(config_columns_parse("dsos", "", &choice, &why), 0);
	assert_int_equal(choice.hidden[VIEW_DSOS], columns_at_first.hidden[VIEW_DSOS]);
}

static void test_the_earlier_names_of_dsos_are_read(void **state)
{
	(void)state;
	assert_int_equal(config_columns_parse("objects", "self, object", &choice, &why), 0);
	assert_printed(VIEW_DSOS, "dsos = self, change, change-bar, rate-change, dso\n");
	assert_int_equal(config_columns_parse("symbols", "self, object", &choice, &why), 0);
	assert_printed(VIEW_SYMBOLS, "symbols = self, change, change-bar, rate-change, dso, "
		       "symbol\n");
}

static void test_columns_of_several_events_are_a_list_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(config_columns_parse("events", "ratio-1, event-2", &choice, &why), 0);
	assert_int_equal(choice.events_hidden,
			 COLUMNS_OF_EVENTS & ~COLUMN_BIT(COL_RATIO_1) & ~COLUMN_BIT(COL_EVENT_2));
	assert_int_equal(choice.hidden[VIEW_SYMBOLS], 0);
	assert_printed(VIEW_TABLES, "events = ratio-1, event-2\n");
	assert_int_equal(config_columns_parse("events", "none", &choice, &why), 0);
	assert_int_equal(choice.events_hidden, COLUMNS_OF_EVENTS);
	assert_printed(VIEW_TABLES, "events = none\n");
	assert_int_equal(config_columns_parse("events", "", &choice, &why), 0);
	assert_printed(VIEW_TABLES, "events = ipc\n");
	refuse("symbols", "ipc", "no column \"ipc\" in Symbols");
	refuse("events", "self", "no column \"self\" in events");
}

/* They are there only while windows are compared, and a list of before may not take them away. */
static void test_changes_are_hidden_only_by_a_list_that_names_one(void **state)
{
	(void)state;
	assert_int_equal(config_columns_parse("commands", "self, total-change", &choice, &why), 0);
	assert_printed(VIEW_COMMANDS, "commands = self, total-change, command\n");
}

static void test_the_column_that_fills_is_always_shown(void **state)
{
	(void)state;
	assert_int_equal(config_columns_parse("cpus", "cpu", &choice, &why), 0);
	assert_printed(VIEW_CPUS, "cpus = change, change-bar, rate-change, cpu, command\n");
}

static void test_every_view_is_read_back_as_it_is_printed(void **state)
{
	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		const enum view_kind view = (enum view_kind)kind;
		const struct column_choice hides_one = {
			.hidden = { [VIEW_SYMBOLS] = COLUMN_BIT(COL_BAR),
				    [VIEW_DSOS] = COLUMN_BIT(COL_BAR),
				    [VIEW_COMMANDS] = COLUMN_BIT(COL_BAR),
				    [VIEW_TASKS] = COLUMN_BIT(COL_BAR),
				    [VIEW_CPUS] = COLUMN_BIT(COL_BAR) },
		};
		char *text, *value;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		config_columns_print(out, view, &hides_one);
		fclose(out);
		text[size - 1] = '\0';
		value = strstr(text, " = ");
		*value = '\0';
		assert_int_equal(config_columns_parse(text, value + 3, &choice, &why), 0);
		assert_int_equal(choice.hidden[kind], COLUMN_BIT(COL_BAR));
		free(text);
	}
}

static void test_unknown_names_are_refused_with_a_near_one(void **state)
{
	(void)state;
	refuse("symbol", "self", "no view \"symbol\": did you mean symbols?");
	refuse("zzz", "self", "no view \"zzz\"");
	refuse("symbols", "self,samplse",
	       "no column \"samplse\" in Symbols: did you mean samples?");
	refuse("symbols", "self,,total", "no column \"\" in Symbols");
	refuse("symbols", "self,", "no column \"\" in Symbols");
	refuse("commands", "symbol", "no column \"symbol\" in Commands");
}

#define TEST(name) cmocka_unit_test_setup(name, forget)

UNIT_TESTS(test_config_columns)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_not_named_is_hidden),
		TEST(test_the_earlier_names_of_dsos_are_read),
		TEST(test_columns_of_several_events_are_a_list_of_their_own),
		TEST(test_changes_are_hidden_only_by_a_list_that_names_one),
		TEST(test_the_column_that_fills_is_always_shown),
		TEST(test_every_view_is_read_back_as_it_is_printed),
		TEST(test_unknown_names_are_refused_with_a_near_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
