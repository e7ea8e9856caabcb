/* Groups in JSON and in text: each below its own, each number where it belongs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/json.h"
#include "export/text.h"
#include "unit_tests.h"

static const struct group_node nodes[] = {
	{ .id = 1, .parent = UINT32_MAX, .size = 3, .now = { { 6, 60 }, { 6, 60 } },
	  .whole_weight = 100, .text = "app", .name = "app", .dso_path = "",
	  .base = { { 1, 5 }, { 1, 5 } }, .base_whole_weight = 50, .has_base = true },
	{ .id = 2, .parent = 0, .size = 1, .depth = 1, .now = { { 5, 50 }, { 6, 60 } },
	  .whole_weight = 100, .text = "main()", .name = "_Z4mainv", .dso_path = "/bin/app",
	  .mode = MODE_USER },
	{ .id = 3, .parent = 0, .size = 1, .depth = 1, .now = { { 1, 10 }, { 1, 10 } },
	  .whole_weight = 100, .text = "(loading)", .name = "", .dso_path = "[kernel]",
	  .mode = MODE_KERNEL },
	{ .id = 4, .parent = UINT32_MAX, .size = 1, .now = { { 2, 20 }, { 2, 20 } },
	  .whole_weight = 100, .text = "[unknown]", .name = "", .dso_path = "",
	  .is_unknown = true },
};

static const struct group_tree known = {
	.level_count = 2, .keys = { GROUP_COMM, GROUP_SYMBOL }, .node_count = 4, .nodes = nodes,
	.hidden_samples = 3,
};

static char *write_json(const struct group_tree *tree, size_t max_rows, bool is_compared)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct group_tree shown = *tree;

	assert_non_null(out);
	shown.is_compared = is_compared;
	json_put_groups(out, &shown, max_rows);
	fclose(out);
	return text;
}

static char *write_text(const struct group_tree *tree, size_t max_rows, bool is_compared)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct group_tree shown = *tree;

	assert_non_null(out);
	shown.is_compared = is_compared;
	text_put_groups(out, &shown, max_rows);
	fclose(out);
	return text;
}

static void test_json_nests_groups(void **state)
{
	char *text = write_json(&known, SIZE_MAX, false);

	(void)state;
	assert_string_equal(text,
		",\"groups\":{\"keys\":[\"comm\",\"symbol\"],\"hidden_samples\":3,\"groups\":["
		"{\"key\":\"comm\",\"value\":\"app\",\"known\":true,\"name\":\"app\","
		"\"self\":6,\"total\":6,\"self_pct\":60.0000,\"total_pct\":60.0000,"
		"\"self_period\":60,\"total_period\":60,\"groups\":["
		"{\"key\":\"symbol\",\"value\":\"main()\",\"known\":true,\"name\":\"_Z4mainv\","
		"\"dso\":\"/bin/app\",\"level\":\".\",\"self\":5,\"total\":6,"
		"\"self_pct\":50.0000,\"total_pct\":60.0000,\"self_period\":50,"
		"\"total_period\":60,\"groups\":[]},"
		"{\"key\":\"symbol\",\"value\":\"(loading)\",\"known\":true,\"name\":null,"
		"\"dso\":\"[kernel]\",\"level\":\"k\",\"self\":1,\"total\":1,"
		"\"self_pct\":10.0000,\"total_pct\":10.0000,\"self_period\":10,"
		"\"total_period\":10,\"groups\":[]}]},"
		"{\"key\":\"comm\",\"value\":\"[unknown]\",\"known\":false,\"name\":null,"
		"\"self\":2,\"total\":2,\"self_pct\":20.0000,\"total_pct\":20.0000,"
		"\"self_period\":20,\"total_period\":20,\"groups\":[]}]}");
	free(text);
}

static void test_json_without_groups_says_nothing(void **state)
{
	const struct group_tree none = { .level_count = 0 };
	const struct group_tree empty = { .level_count = 1, .keys = { GROUP_CPU } };
	char *text = write_json(&none, SIZE_MAX, false);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	text = write_json(&empty, SIZE_MAX, false);
	assert_string_equal(text, ",\"groups\":{\"keys\":[\"cpu\"],\"hidden_samples\":0,"
				  "\"groups\":[]}");
	free(text);
}

static void test_json_has_the_baseline_when_compared(void **state)
{
	char *text = write_json(&known, SIZE_MAX, true);

	(void)state;
	assert_non_null(strstr(text, ",\"base_self\":1,\"base_total\":1,\"base_self_pct\":10.0000,"
				     "\"base_total_pct\":10.0000,\"base_self_period\":5,"
				     "\"base_total_period\":5,\"groups\":["));
	/* its event is missing in the baseline */
	assert_non_null(strstr(text, "\"total_period\":20,\"base_self\":null,"
				     "\"base_total\":null,\"base_self_pct\":null,"
				     "\"base_total_pct\":null,\"base_self_period\":null,"
				     "\"base_total_period\":null,\"groups\":[]}"));
	free(text);
}

static void test_text_is_indented(void **state)
{
	char *text = write_text(&known, SIZE_MAX, false);

	(void)state;
	assert_string_equal(text,
		"  SELF%  TOTAL%  SAMPLES  comm > symbol\n"
		"  60.00   60.00        6  app\n"
		"  50.00   60.00        5    [.] main()\n"
		"  10.00   10.00        1    [k] (loading)\n"
		"  20.00   20.00        2  [unknown]\n"
		"  3 samples of smaller groups are not shown\n");
	free(text);
}

/* main() is on every stack and works itself in none: it takes no line of those that do. */
static void test_the_first_lines_are_those_with_the_most_self(void **state)
{
	const struct group_node tree_nodes[] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 4, .now = { { 9, 90 }, { 9, 90 } },
		  .whole_weight = 90, .text = "app" },
		{ .id = 2, .parent = 0, .size = 1, .depth = 1, .now = { { 6, 60 }, { 6, 60 } },
		  .whole_weight = 90, .text = "hot" },
		{ .id = 3, .parent = 0, .size = 1, .depth = 1, .now = { { 3, 30 }, { 3, 30 } },
		  .whole_weight = 90, .text = "warm" },
		{ .id = 4, .parent = 0, .size = 1, .depth = 1, .now.total = { 9, 90 },
		  .whole_weight = 90, .text = "main" },
	};
	const struct group_tree tree = {
		.level_count = 2, .keys = { GROUP_COMM, GROUP_SYMBOL }, .node_count = 4,
		.nodes = tree_nodes,
	};
	char *text = write_text(&tree, 3, false);

	(void)state;
	assert_non_null(strstr(text, "hot"));
	assert_non_null(strstr(text, "warm"));
	assert_null(strstr(text, "main"));
	assert_non_null(strstr(text, "  ... 1 more groups (-E shows more)\n"));
	free(text);
}

static void test_text_tells_what_has_changed(void **state)
{
	struct group_node pair[] = { nodes[0], nodes[3], nodes[3], nodes[3] };
	const struct group_tree tree = { .level_count = 1, .keys = { GROUP_COMM },
					 .node_count = 4, .nodes = pair };
	char *text;

	(void)state;
	pair[1].has_base = true;
	pair[2] = (struct group_node){ .parent = UINT32_MAX, .size = 1, .text = "old", .name = "",
				       .dso_path = "", .base.self.samples = 4,
				       .base.total.samples = 5, .base.self.weight = 20,
				       .base.total.weight = 25, .base_whole_weight = 50,
				       .has_base = true };
	text = write_text(&tree, SIZE_MAX, true);
	assert_string_equal(text,
		"  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES  A SAMPLES  comm\n"
		"  +50.00         60.00    10.00   60.00     10.00        6          1  app\n"
		"  +20.00  new    20.00     0.00   20.00      0.00        2          0  [unknown]\n"
		"  -40.00  gone    0.00    40.00    0.00     50.00        0          4  old\n"
		"       -         20.00        -   20.00         -        2          -"
		"  [unknown]\n");
	free(text);
}

/* With those above them, also when these have less self. */
static void test_the_largest_are_printed(void **state)
{
	char *text = write_text(&known, 3, false);

	(void)state;
	assert_string_equal(text,
		"  SELF%  TOTAL%  SAMPLES  comm > symbol\n"
		"  60.00   60.00        6  app\n"
		"  50.00   60.00        5    [.] main()\n"
		"  20.00   20.00        2  [unknown]\n"
		"  ... 1 more groups (-E shows more)\n"
		"  3 samples of smaller groups are not shown\n");
	free(text);
	text = write_json(&known, 1, false);
	assert_non_null(strstr(text, "\"total_period\":60,\"groups\":[]}]}"));
	free(text);
}

UNIT_TESTS(test_json_groups)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_nests_groups),
		cmocka_unit_test(test_json_without_groups_says_nothing),
		cmocka_unit_test(test_json_has_the_baseline_when_compared),
		cmocka_unit_test(test_text_is_indented),
		cmocka_unit_test(test_the_first_lines_are_those_with_the_most_self),
		cmocka_unit_test(test_text_tells_what_has_changed),
		cmocka_unit_test(test_the_largest_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
