/* Each format of a window: what its file begins with, whose events it has, and names that would end
 * a line, a cell or a string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/request.h"
#include "share/shared_format.h"
#include "snapshot_fixture.h"
#include "tree_fixture.h"
#include "unit_tests.h"

/* What the sanitizer leaves of a hostile name. */
#define HOSTILE "</script>]]>\"'`|;,=1\\x0a<U+202E>"
#define LONG_BYTES (1 << 20)
#define STACKS 100000

static char *text;
static size_t text_bytes;

static int tear_down(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

#define TEXT_TEST(test) cmocka_unit_test_teardown(test, tear_down)

static void write_text(const struct snapshot *snapshot, enum shared_format format,
		       const char *command)
{
	struct shared_options options = { .format = format, .command = command };
	FILE *out;

	free(text);
	out = open_memstream(&text, &text_bytes);
	assert_non_null(out);
	shared_options_choose(&options, 0);
	assert_int_equal(shared_write(out, snapshot, &options), 0);
	assert_int_equal(fclose(out), 0);
}

static size_t count_lines(void)
{
	size_t count = 0;

	for (const char *at = text; *at; at++)
		count += *at == '\n';
	return count;
}

static struct snapshot plain_snapshot(const char *symbol)
{
	static struct snapshot_row row;

	row = (struct snapshot_row){ .comm = "app", .dso = "/usr/bin/app", .symbol = symbol,
				     .mode = MODE_USER, .now.self.samples = 3,
				     .now.total.samples = 3 };
	return fixture_snapshot(&row, 1);
}

static void test_the_end_of_a_name_chooses_the_format(void **state)
{
	static const struct {
		const char *path;
		enum shared_format format;
		bool is_known;
	} names[] = {
		{ "a.folded", SHARED_FOLDED, true }, { "/x/a.txt", SHARED_TEXT, true },
		{ "a.b.json", SHARED_JSON, true }, { "a.csv", SHARED_CSV, true },
		{ "a.pb.gz", SHARED_PPROF, true }, { "a.gz", SHARED_FOLDED, false },
		{ "a.md", SHARED_MARKDOWN, true }, { "a.TXT", SHARED_FOLDED, false },
		{ "txt", SHARED_FOLDED, false }, { ".txt", SHARED_FOLDED, false },
		{ "a.txt.gz", SHARED_FOLDED, false }, { "", SHARED_FOLDED, false },
	};
	bool is_known;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(shared_format_find(names[i].path, &is_known), names[i].format);
		assert_int_equal(is_known, names[i].is_known);
	}
	for (size_t i = 0; shared_format_end(i); i++) {
		char path[16];

		snprintf(path, sizeof(path), "a%s", shared_format_end(i));
		shared_format_find(path, &is_known);
		assert_true(is_known);
		assert_true(shared_format_words(i)[0]);
	}
}

static void test_a_page_needs_rows_beside_the_stacks(void **state)
{
	(void)state;
	assert_int_equal(shared_format_request(SHARED_NEEDS_SHOWN, true, true),
			 STACKS_AS_SHOWN);
	assert_int_equal(shared_format_request(SHARED_NEEDS_STACKS, false, false), 0);
	assert_int_equal(shared_format_request(SHARED_NEEDS_STACKS, true, false),
			 STACKS_WITH_IDLE);
	assert_int_equal(shared_format_request(SHARED_NEEDS_PAGE, true, true),
			 STACKS_WITH_ROWS | STACKS_WITH_IDLE | STACKS_INLINED);
	assert_int_equal(shared_format_request(SHARED_NEEDS_TASKS, true, true),
			 STACKS_BY_TASK | STACKS_WITH_IDLE);
}

static void test_the_command_line_is_where_readers_expect_text(void **state)
{
	static const char command[] = "flametop --batch -p '12 \"34\"'";
	struct snapshot snapshot = plain_snapshot("main");

	(void)state;
	write_text(&snapshot, SHARED_TEXT, command);
	assert_non_null(strstr(text, "# command: flametop --batch -p '12 \"34\"'\n# flametop  "));
	write_text(&snapshot, SHARED_MARKDOWN, command);
	assert_int_equal(strncmp(text, "    flametop --batch -p '12 \"34\"'\n\n```text\n", 40), 0);
	write_text(&snapshot, SHARED_JSON, command);
	assert_non_null(strstr(text,
			       ",\"command\":\"flametop --batch -p '12 \\\"34\\\"'\","));
	write_text(&snapshot, SHARED_CSV, command);
	assert_null(strstr(text, "--batch"));
	write_text(&snapshot, SHARED_FOLDED, command);
	assert_string_equal(text, "");
	write_text(&snapshot, SHARED_TEXT, "");
	assert_int_equal(strncmp(text, "# flametop  ", 12), 0);
	write_text(&snapshot, SHARED_JSON, "");
	assert_null(strstr(text, "\"command\""));
}

/* Of a batch each event has a snapshot; A's counts are there for all, or a reader sees lines with
 * one count among those with two. */
static void test_all_events_of_a_batch_are_written(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "app", 0, 3, MODE_USER, 0 }, { 1, "main", 3, 3, MODE_USER, 0 },
	};
	struct tree_node nodes[2];
	struct snapshot first = plain_snapshot("main"), second = plain_snapshot("other");

	(void)state;
	first.tree = second.tree = tree_fixture(TREE_CALLEES, lines, 2, nodes);
	nodes[0].is_command = true;
	first.next_event = &second;
	first.event = "cycles";
	second.event = "faults";
	write_text(&first, SHARED_FOLDED, "");
	assert_string_equal(text, "cycles;app;main 3\nfaults;app;main 3\n");
	second.is_compared = true;
	write_text(&first, SHARED_FOLDED, "");
	assert_string_equal(text, "cycles;app;main 0 3\nfaults;app;main 0 3\n");
	second.is_compared = false;
	write_text(&first, SHARED_JSON, "");
	assert_int_equal(count_lines(), 2);
	write_text(&first, SHARED_TEXT, "");
	assert_non_null(strstr(strstr(text, "# flametop"), "other"));
}

static void test_hostile_names_stay_names(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "app", 0, 3, MODE_USER, 0 }, { 1, HOSTILE, 3, 3, MODE_USER, 0 },
	};
	struct tree_node nodes[2];
	struct snapshot snapshot = plain_snapshot(HOSTILE);

	(void)state;
	snapshot.tree = tree_fixture(TREE_CALLEES, lines, 2, nodes);
	write_text(&snapshot, SHARED_FOLDED, HOSTILE);
	assert_string_equal(text, "app;</script>]]>\"'`|:,=1\\x0a<U+202E> 3\n");
	snapshot.tree = (struct call_tree){ .direction = TREE_NONE };
	write_text(&snapshot, SHARED_CSV, HOSTILE);
	assert_int_equal(count_lines(), 2);
	assert_non_null(strstr(text, ",\"</script>]]>\"\"'`|;,=1\\x0a<U+202E>\","));
	write_text(&snapshot, SHARED_JSON, HOSTILE);
	assert_int_equal(count_lines(), 1);
	assert_non_null(strstr(text, "\"symbol\":\"</script>]]>\\\"'`|;,=1\\\\x0a<U+202E>\""));
	assert_non_null(strstr(text, "\"command\":\"</script>]]>\\\"'`|;,=1\\\\x0a<U+202E>\""));
	write_text(&snapshot, SHARED_TEXT, HOSTILE);
	assert_non_null(strstr(text, HOSTILE "\n"));
}

static void test_a_name_of_a_mebibyte_is_whole(void **state)
{
	char *name = malloc(LONG_BYTES + 1);
	struct tree_fixture_line lines[] = {
		{ 0, "app", 0, 3, MODE_USER, 0 }, { 1, "", 3, 3, MODE_USER, 0 },
	};
	struct tree_node nodes[2];
	struct snapshot snapshot;

	(void)state;
	assert_non_null(name);
	memset(name, 'a', LONG_BYTES);
	name[LONG_BYTES] = '\0';
	lines[1].name = name;
	snapshot = plain_snapshot(name);
	for (int format = SHARED_TEXT; format <= SHARED_MARKDOWN; format++) {
		write_text(&snapshot, (enum shared_format)format, "");
		assert_non_null(strstr(text, name));
	}
	snapshot.tree = tree_fixture(TREE_CALLEES, lines, 2, nodes);
	write_text(&snapshot, SHARED_FOLDED, "");
	assert_int_equal(text_bytes, strlen("app;") + LONG_BYTES + strlen(" 3\n"));
	free(name);
}

static void test_a_hundred_thousand_stacks_are_as_many_lines(void **state)
{
	struct tree_fixture_line *lines = calloc(STACKS + 1, sizeof(*lines));
	struct tree_node *nodes = calloc(STACKS + 1, sizeof(*nodes));
	char(*names)[16] = calloc(STACKS, sizeof(*names));
	struct snapshot snapshot = plain_snapshot("main");
	const char *at;
	size_t sum = 0;

	(void)state;
	assert_true(lines && nodes && names);
	lines[0] = (struct tree_fixture_line){ 0, "app", 0, STACKS, MODE_USER, 0 };
	for (uint32_t i = 0; i < STACKS; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		lines[i + 1] = (struct tree_fixture_line){ 1, names[i], 1, 1, MODE_USER, 0 };
	}
	snapshot.tree = tree_fixture(TREE_CALLEES, lines, STACKS + 1, nodes);
	write_text(&snapshot, SHARED_FOLDED, "");
	assert_int_equal(count_lines(), STACKS);
	for (at = text; (at = strchr(at, ' ')); at++)
		sum += strtoul(at, NULL, 10);
	assert_int_equal(sum, STACKS);
	free(lines);
	free(nodes);
	free(names);
}

UNIT_TESTS(test_shared_format)
{
	const struct CMUnitTest tests[] = {
		TEXT_TEST(test_the_end_of_a_name_chooses_the_format),
		TEXT_TEST(test_a_page_needs_rows_beside_the_stacks),
		TEXT_TEST(test_the_command_line_is_where_readers_expect_text),
		TEXT_TEST(test_all_events_of_a_batch_are_written),
		TEXT_TEST(test_hostile_names_stay_names),
		TEXT_TEST(test_a_name_of_a_mebibyte_is_whole),
		TEXT_TEST(test_a_hundred_thousand_stacks_are_as_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
