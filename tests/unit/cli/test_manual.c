/* The manual and the completion have every line of their files; each mark is replaced by a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "probe/probe_spec.h"
#include "unit_tests.h"

/* Returns what @print prints; free() it. */
static char *printed_by(void (*print)(FILE *out))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* In @text, which is advanced, the lines of the file at @path follow each other; where the file has
 * "@MARK@" there is at least one other line. */
static void assert_follows_file(const char *text, const char *path)
{
	FILE *file = fopen(path, "r");
	const char *found;
	char line[1024];
	bool is_replaced = false;
	int marks = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '@') {
			assert_false(is_replaced);
			is_replaced = true;
			marks++;
			continue;
		}
		found = strstr(text, line);
		assert_non_null(found);
		assert_true(is_replaced ? found > text : found == text);
		text = found + strlen(line);
		is_replaced = false;
	}
	fclose(file);
	assert_true(marks > 1);
	assert_string_equal(text, "");
}

static void test_the_manual_is_its_file_and_the_tables(void **state)
{
	char *text = printed_by(manual_print);

	(void)state;
	assert_follows_file(text, "src/cli/flametop.8.in");
	assert_non_null(strstr(text, "\n.It Fl K , Fl -hide-kernel\nno kernel rows.\n"));
	free(text);
}

static void test_the_completion_is_its_file_and_the_table(void **state)
{
	char *text = printed_by(completion_print);

	(void)state;
	assert_follows_file(text, "src/cli/flametop.bash.in");
	assert_non_null(strstr(text, "\n\t--hide-kernel -K\n"));
	free(text);
}

/* Reads a line of mdoc as the reader sees it. */
static void unescape(char *line)
{
	static const char *const escapes[][2] = {
		{ "\\-", "-" }, { "\\&", "" }, { "\\(dq", "\"" }, { "\\e", "\\" }, { "\n", "" },
	};
	char *to = line;

	for (const char *from = line; *from;) {
		size_t i = 0;

		while (i < 5 && strncmp(from, escapes[i][0], strlen(escapes[i][0])) != 0)
			i++;
		if (i == 5) {
			*to++ = *from++;
			continue;
		}
		from += strlen(escapes[i][0]);
		if (escapes[i][1][0])
			*to++ = escapes[i][1][0];
	}
	*to = '\0';
}

/* An example is a spec, or a condition. */
static bool is_sound(const char *example)
{
	struct probe_spec spec;
	char text[PROBE_SPEC_BYTES];
	struct diag why = { 0 };

	snprintf(text, sizeof(text), "%s%s", strncmp(example, "if ", 3) ? "" : "lat:f ", example);
	if (probe_spec_parse(&spec, text, &why))
		print_error("%s: %s\n", example, why.text);
	return !why.err;
}

static void test_the_examples_of_the_language_are_specs(void **state)
{
	FILE *file = fopen("src/cli/flametop-spec.7", "r");
	unsigned int examples = 0;
	char line[1024];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, ".Dl ", 4) != 0)
			continue;
		unescape(line);
		assert_true(is_sound(line + 4));
		examples++;
	}
	fclose(file);
	assert_true(examples > 25);
}

/* Each is shown as one word, at the begin of an item. */
static void test_the_language_has_all_keys_and_aggregates(void **state)
{
	static const char *const aggregates[] = { "count", "sum", "avg", "min", "max", "stats",
						  "hist", "lhist", "top", "print" };
	const struct probe_spec spec = { .argument_count = 1 };
	char *page = NULL, word[64];
	size_t size = 0;
	FILE *file = fopen("src/cli/flametop-spec.7", "r");

	(void)state;
	assert_non_null(file);
	assert_true(getdelim(&page, &size, '\0', file) > 0);
	fclose(file);
	for (int kind = PROBE_KEY_COMM; kind < PROBE_KEY_KINDS; kind++) {
		const struct probe_key key = { .kind = (enum probe_key_kind)kind };

		probe_key_write(&spec, &key, word, sizeof(word));
		if (!strstr(strstr(page, ".Sh KEYS"), word))
			fail_msg("the key %s is not in the page", word);
	}
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++)
		if (!strstr(strstr(page, ".Sh AGGREGATES"), aggregates[i]))
			fail_msg("%s is not in the page", aggregates[i]);
	free(page);
}

UNIT_TESTS(test_manual)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_manual_is_its_file_and_the_tables),
		cmocka_unit_test(test_the_completion_is_its_file_and_the_table),
		cmocka_unit_test(test_the_examples_of_the_language_are_specs),
		cmocka_unit_test(test_the_language_has_all_keys_and_aggregates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
