/* The groups of a probe's hits: rows, shares of a weight, order, the way into a group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui/command_list.h"
#include "ui_fixture.h"
#include "unit_tests.h"

#define LOCKS  3	/* id of the probe of latencies by lock */
#define READS  4	/* id of the probe with aggregates by comm and file */
#define PLAIN  5	/* id of a probe of calls alone */
#define GROUPS 6

#define US 1000ull
#define MS 1000000ull

static const struct snapshot_spread_row latencies[] = {
	{ "", 32768, 65536, 611 },	{ "", 65536, 131072, 1402 },
	{ "", 131072, 262144, 2686 },	{ "", 262144, 524288, 902 },
	{ "", 524288, 1048576, 0 },	{ "", 1048576, 2097152, 511 },
	{ "", 2097152, 4194304, 168 },	{ "", 33554432, 67108864, 9 },
};
static const struct snapshot_spread_row sizes[] = {
	{ "", 0, 1, 2 }, { "", 512, 1024, 10 }, { "", 1024, 2048, 0 }, { "", 4096, 8192, 88 },
};
static const struct snapshot_spread_row files[] = {
	{ "/etc/hosts", 0, 0, 60 }, { "/etc/passwd", 0, 0, 40 },
};

/* 6289 + 12000 + 631 + 1183 = 20103 hits in rows, 31 other: their latencies sum to 2,112 ms. */
static struct snapshot_group locks[] = {
	{ .id = 11, .keys = { "BufferContent" }, .count = 12000, .per_s = 1200,
	  .latency_ns = 128 * MS, .p50_ns = 8 * US, .p99_ns = 44 * US, .max_ns = 1100 * US },
	{ .id = 12, .keys = { "WALWrite" }, .count = 6289, .per_s = 628.9,
	  .latency_ns = 1680 * MS, .p50_ns = 180 * US, .p99_ns = 3 * MS, .max_ns = 41 * MS,
	  .latency = { sizeof(latencies) / sizeof(latencies[0]), latencies } },
	{ .id = 13, .keys = { "ProcArray" }, .count = 1183, .per_s = 118.3,
	  .latency_ns = 47 * MS, .p50_ns = 33 * US, .p99_ns = 90 * US, .max_ns = 400 * US },
	{ .id = 14, .keys = { "LockManager" }, .count = 631, .per_s = 63.1,
	  .latency_ns = 256 * MS, .p50_ns = 390 * US, .p99_ns = 1200 * US, .max_ns = 3 * MS },
	{ .id = 15, .keys = { "(other)" }, .is_other = true, .count = 31, .per_s = 3.1,
	  .latency_ns = 1 * MS, .p50_ns = 29 * US, .p99_ns = 60 * US, .max_ns = 70 * US },
};

/* sum(bytes): 409600 + 90400 = 500000; the average of cat's 100 is 4096. */
static struct snapshot_group reads[] = {
	{ .id = 21, .keys = { "cat", "/var/log/messages" }, .count = 100, .per_s = 10,
	  .sums = { { .count = 100, .value = 409600 }, { .count = 100, .value = 409600 },
		    { .count = 100, .value = -11 }, { .count = 100, .value = 65536 },
		    { .count = 100 }, { .count = 100, .spread = { 4, sizes } },
		    { .count = 100, .spread = { 2, files } } } },
	{ .id = 22, .keys = { "grep", "/etc/services" }, .count = 16, .per_s = 1.6,
	  .sums = { { .count = 16, .value = 90400 }, { .count = 16, .value = 90400 },
		    { .count = 16, .value = 0 }, { .count = 16, .value = 8192 },
		    { .count = 16 } } },
	{ .id = 23, .keys = { "sh", "[unknown]" }, .count = 4, .per_s = 0.4,
	  .sums = { [4] = { .count = 4 } } },
};

static const struct snapshot_aggregate read_aggregates[] = {
	{ "sum(bytes)", AGGREGATE_SUM, false }, { "avg(bytes)", AGGREGATE_AVG, false },
	{ "min(ret)", AGGREGATE_MIN, false },	{ "max(bytes)", AGGREGATE_MAX, false },
	{ "count", AGGREGATE_COUNT, false },	{ "hist(bytes)", AGGREGATE_HIST, false },
	{ "top(file)", AGGREGATE_TOP, false },
};
#define READ_AGGREGATES (sizeof(read_aggregates) / sizeof(read_aggregates[0]))

static struct snapshot_probe probes[] = {
	{ .id = LOCKS, .event = 128, .name = "lat:postgres:lwlock__wait", .dso = "postgres",
	  .spec = "lwlock_wait = lat:U:postgres:lwlock__wait__start->lwlock__wait__done by lock",
	  .scope = "pid 4121", .kind = PROBE_USDT, .edge = PROBE_LATENCY,
	  .state = PROBE_ATTACHED, .reason = "", .meaning = "", .hits = 20134,
	  .hits_per_s = 2013.4, .lease_s = 552, .cost_pct = 0.3, .has_latency = true,
	  .latency = { .count = 20134, .octaves = { [17] = 20134 } }, .key_count = 1,
	  .key_names = { "lock" } },
	{ .id = READS, .event = 129, .name = "u:libc.so.6:read", .dso = "libc.so.6",
	  .spec = "u:libc.so.6:read bytes=$arg3 by comm, file : sum(bytes), avg(bytes)",
	  .scope = "whole system", .kind = PROBE_USER, .state = PROBE_ATTACHED, .reason = "",
	  .meaning = "", .hits = 120, .hits_per_s = 12, .lease_s = -1, .key_count = 2,
	  .key_names = { "comm", "file" },
	  .aggregate_count = READ_AGGREGATES },
	{ .id = PLAIN, .event = 130, .name = "u:libc.so.6:write", .dso = "libc.so.6",
	  .spec = "u:libc.so.6:write", .scope = "whole system", .kind = PROBE_USER,
	  .state = PROBE_ATTACHED, .reason = "", .meaning = "", .hits = 1, .hits_per_s = 0.1,
	  .lease_s = -1 },
};
#define PROBE_COUNT (sizeof(probes) / sizeof(probes[0]))

static struct snapshot_groups groups;
static uint32_t heat[sizeof(latencies) / sizeof(latencies[0])][PROBE_GROUP_SECONDS];

/* The groups are compared with a baseline. */
static bool is_compared;

static void fill_sparks(struct snapshot_group *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < 30; k++)
			list[i].spark[k] = (float)((k * 7 + i * 3) % 9);
}

static void fill_heat(void)
{
	for (size_t row = 0; row < sizeof(latencies) / sizeof(latencies[0]); row++)
		for (size_t second = 0; second < PROBE_GROUP_SECONDS; second++)
			heat[row][second] = (uint32_t)(latencies[row].count * (second % 7) / 40);
	locks[1].heat = heat;
}

static void fill_groups(uint32_t id)
{
	fill_heat();
	groups = (struct snapshot_groups){
		.probe = id, .has_latency = id == LOCKS, .spark_count = 30,
		.key_count = id == LOCKS ? 1 : 2, .key_names = { id == LOCKS ? "lock" : "comm",
								 "file" },
		.is_compared = is_compared,
		.aggregate_count = id == READS ? READ_AGGREGATES : 0,
		.count = id == LOCKS ? 5 : 3, .list = id == LOCKS ? locks : reads,
	};
	memcpy(groups.aggregates, read_aggregates, sizeof(read_aggregates));
	memcpy(probes[1].aggregates, read_aggregates, sizeof(read_aggregates));
	fill_sparks(locks, sizeof(locks) / sizeof(locks[0]));
	fill_sparks(reads, sizeof(reads) / sizeof(reads[0]));
}

/* The query that waits, as the analyzer replies to it. */
static void reply(struct ui *ui)
{
	const uint32_t here = state_probe_here(&ui->state);
	const bool is_page = state_kind(&ui->state) == VIEW_PROBES;

	ui_prepare(ui);
	fill_groups(here);
	ui->snapshot.probes = (struct snapshot_probes){
		.count = PROBE_COUNT, .list = probes, .detail = is_page ? here : 0,
		.groups = &groups, .group_count = is_page && (here == LOCKS || here == READS),
	};
	ui->snapshot.hit_weight = "";
	ui->snapshot.is_hit_time = false;
	if (here && !is_page && state_hit_weight(&ui->state) == HIT_WEIGHT_LATENCY) {
		ui->snapshot.hit_weight = "lat";
		ui->snapshot.is_hit_time = true;
	} else if (here && !is_page && state_hit_weight(&ui->state) != HIT_WEIGHT_COUNT) {
		ui->snapshot.hit_weight = "sum(bytes)";
	}
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

/* Opens the page of the probe on line @line of the list. */
static void open_line(struct ui *ui, int line)
{
	ui_press(ui, "8");
	reply(ui);
	ui_press_key(ui, UI_KEY_HOME);
	while (line-- > 0)
		ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	reply(ui);
}

static void open_at(struct ui *ui, int width, int height, int line)
{
	ui_open(ui, width, height);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
	open_line(ui, line);
}

static const struct query *last_query(const struct ui *ui)
{
	const struct query *found = NULL;

	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			found = &ui->state.out.requests[i].query;
	assert_non_null(found);
	return found;
}

static const char *cursor_key(const struct ui *ui)
{
	const struct snapshot_group *group = probe_view_group(probe_view_of(&ui->state));

	return group ? group->keys[0] : "";
}

static const char *key_at(const struct ui *ui, size_t index)
{
	const struct group_table *table = &probe_view_of(&ui->state)->groups;

	return table->groups->list[table->order[index]].keys[0];
}

static void weigh(struct ui *ui, const char *words)
{
	ui_press(ui, "W");
	ui_choose(ui, words);
	reply(ui);
}

static void test_a_probe_with_keys_opens_on_its_groups(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	assert_true(ui_has(ui, "[Groups]"));
	assert_true(ui_has(ui, "by lock \u00b7 weight: hits (W)"));
	assert_string_equal(cursor_key(ui), "BufferContent");	/* 12000 of 20134 hits */
	assert_true(ui_has(ui, "59.60 "));
	ui_press_key(ui, UI_KEY_RIGHT);
	assert_true(ui_has(ui, "[Log]"));
	ui_press_key(ui, UI_KEY_LEFT);
	ui_press_key(ui, UI_KEY_LEFT);
	assert_true(ui_has(ui, "[Slowest]"));
}

static void test_a_probe_without_keys_has_no_groups(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 2);
	assert_false(ui_has(ui, "Groups]"));
	assert_false(ui_has(ui, "Slowest   Groups"));
	ui_press_key(ui, UI_KEY_LEFT);
	assert_true(ui_has(ui, "[Slowest]"));
}

/* 1680 of 2112 ms are 79.55 %. The cursor goes to the first row, as no key has moved it. */
static void test_shares_and_order_are_of_the_weight(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	weigh(ui, "sum of latency");
	assert_string_equal(cursor_key(ui), "WALWrite");
	assert_true(ui_has(ui, "79.55 "));
	assert_true(ui_has(ui, "1.68 s"));
	assert_true(ui_has(ui, "weight: sum of latency (W)"));
	assert_true(ui_has(ui, "latency of WALWrite"));
	assert_true(ui_has(ui, "131\u00b5s..262\u00b5s"));
}

/* 1680 of 2112 + 888 ms are 56 %. */
static void test_groups_without_a_row_are_in_the_whole(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	groups.left_out = 1200;
	groups.left_out_hits = 2000;
	groups.left_out_latency_ns = 888 * MS;
	ui_show(ui);
	assert_true(ui_has(ui, "22,134 hits = 20,103 in rows + 31 other: no room for their keys + "
			       "2,000 in 1,200 rarer groups"));
	assert_true(ui_has(ui, "54.22 "));	/* 12000 of 22134 hits */
	ui->state.query.weighed_probe = LOCKS;
	ui->state.query.hit_weight = HIT_WEIGHT_LATENCY;
	ui_show(ui);
	assert_true(ui_has(ui, "56.00 "));
}

static void test_w_offers_what_the_probe_has(void **state)
{
	struct ui *ui = *state;

	probes[0].aggregate_count = 1;		/* sum(lat) is the latency */
	probes[0].aggregates[0] = (struct snapshot_aggregate){ "sum(lat)", AGGREGATE_SUM, true };
	open_line(ui, 0);
	ui_press(ui, "W");
	assert_int_equal(ui->state.menu.count, 2);
	ui_press_key(ui, UI_KEY_ESCAPE);
	probes[0].aggregates[0].name = "sum(lat2)";	/* a stage's time is none */
	ui_press(ui, "W");
	assert_int_equal(ui->state.menu.count, 3);
	ui_press_key(ui, UI_KEY_ESCAPE);
	probes[0].aggregate_count = 0;
	open_line(ui, 1);
	ui_press(ui, "W");
	assert_int_equal(ui->state.menu.count, 3);	/* hits, the sum, the average's sum */
	ui_press_key(ui, UI_KEY_ESCAPE);
	open_line(ui, 2);
	ui_press(ui, "W");
	assert_false(ui->state.menu.is_open);
	assert_true(ui_has(ui, "each hit weighs 1"));
}

static void test_the_weight_of_one_probe_is_not_that_of_another(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	weigh(ui, "sum of latency");
	assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_LATENCY);
	open_line(ui, 1);
	assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_COUNT);
}

static void test_the_other_hits_come_last_in_any_order(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	ui_press_key(ui, UI_KEY_END);
	assert_string_equal(cursor_key(ui), "(other)");
	assert_string_equal(key_at(ui, 0), "BufferContent");
	ui_press(ui, "S");
	assert_string_equal(key_at(ui, 0), "LockManager");
	assert_string_equal(key_at(ui, 4), "(other)");
	assert_true(ui_has(ui, "20,134 hits = 20,103 in rows + 31 other"));
}

static void test_the_cursor_stays_with_its_group(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	ui_press(ui, "jj");
	assert_string_equal(cursor_key(ui), "ProcArray");
	ui_press(ui, "sssss");		/* rate, mean, p50, p99, max */
	assert_true(ui_has(ui, "\u25bcMAX"));
	assert_string_equal(cursor_key(ui), "ProcArray");
	ui_press(ui, "s");
	assert_true(ui_has(ui, "LOCK\u25bc"));
	ui_press_key(ui, UI_KEY_HOME);
	assert_string_equal(cursor_key(ui), "BufferContent");
	ui_press(ui, "S");
	ui_press_key(ui, UI_KEY_HOME);
	assert_string_equal(cursor_key(ui), "WALWrite");
}

static void test_keys_that_are_numbers_are_sorted_by_size(void **state)
{
	static const char *const numbers[] = { "10", "9", "-1", "1000", "(other)" };
	static const char *const sorted[] = { "-1", "9", "10", "1000", "(other)" };
	const char *names[5];
	struct ui *ui = *state;

	open_line(ui, 0);
	for (size_t i = 0; i < 5; i++) {
		names[i] = locks[i].keys[0];
		locks[i].keys[0] = numbers[i];
	}
	command_sort_groups(&ui->state, GROUP_COL_KEY);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(key_at(ui, i), sorted[i]);
	for (size_t i = 0; i < 5; i++)
		locks[i].keys[0] = names[i];
}

static void test_a_title_is_clicked_to_sort_by_it(void **state)
{
	struct ui *ui = *state;
	struct mouse at;

	open_line(ui, 0);
	at = ui_find(ui, "P99 ");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	ui_press_key(ui, UI_KEY_HOME);
	assert_string_equal(cursor_key(ui), "WALWrite");
	at = ui_find(ui, "LockManager");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_string_equal(cursor_key(ui), "LockManager");
	ui_click(ui, MOUSE_WHEEL_DOWN, at.x, at.y);
	assert_true(ui_has(ui, "latency of "));
}

static void test_groups_are_searched_by_their_keys(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	ui_press(ui, "/procarr");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(cursor_key(ui), "ProcArray");
}

/* Tree, flame graph and table have its hits; back leads to its row. */
static void test_enter_opens_the_hits_of_the_group(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(last_query(ui)->hit_group, 12);
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
	reply(ui);
	assert_true(ui_has(ui, "WALWrite"));
	ui_press(ui, "7");
	assert_int_equal(last_query(ui)->hit_group, 12);
	reply(ui);
	ui_press(ui, "1");
	assert_int_equal(last_query(ui)->hit_group, 12);
	reply(ui);
	assert_true(ui_has(ui, "\u203a WALWrite"));
	ui_press_key(ui, UI_KEY_ENTER);		/* also with a filter */
	assert_int_equal(last_query(ui)->filter.count, 1);
	assert_int_equal(last_query(ui)->hit_group, 12);
	reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	reply(ui);
	assert_true(ui_has(ui, "[Groups]"));
	assert_int_equal(last_query(ui)->hit_group, 0);
	assert_string_equal(cursor_key(ui), "WALWrite");
	ui_press(ui, "7");
	assert_int_equal(last_query(ui)->hit_group, 12);
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
}

static void test_the_menu_of_a_group_has_only_this(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 1);
	ui_press(ui, ".");
	ui_choose(ui, "only cat, /var/log/messages: the flame graph");
	assert_int_equal(last_query(ui)->hit_group, 21);
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
}

static void test_the_row_is_copied_by_names_and_numbers(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 1);
	ui_press(ui, "y");
	assert_true(ui->state.out.wants_clipboard);
	assert_string_equal(ui->state.out.clipboard,
			    "comm=cat file=/var/log/messages hits=100 sum(bytes)=410k "
			    "avg(bytes)=4096 min(ret)=-11 max(bytes)=65.5k");
}

static void test_the_command_line_has_the_weight(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0);
	weigh(ui, "sum of latency");
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	reply(ui);
	ui_press(ui, ":command");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "--weight lat"));
	assert_true(ui_has(ui, "No option chooses the group \"LockManager\""));
}

static void test_a_weight_can_be_given_at_the_start(void **state)
{
	struct ui *ui = *state;

	ui->state.query.first_weight = "sum(bytes)";
	open_line(ui, 1);
	assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_AGGREGATE);
	assert_true(ui_has(ui, "weight: sum(bytes) (W)"));
	weigh(ui, "hits");
	assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_COUNT);
	open_line(ui, 0);		/* it has no such sum */
	assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_COUNT);
}

static void test_the_help_explains_the_columns(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 100, 160, 0);
	ui_press(&ui, "?");
	frame_draw(&ui.state, &ui.canvas);
	assert_true(ui_has(&ui, "Columns of the groups"));
	assert_true(ui_has(&ui, "HITS/S "));
	assert_true(ui_has(&ui, "LOCK "));
	ui_finish(&ui);
}

static void test_no_hit_gives_no_empty_table(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 80, 24, 0);
	groups.count = 0;
	ui_show(&ui);
	assert_true(ui_has(&ui, "No hits in the last 10 s."));
	ui_press(&ui, "jy");
	ui_press(&ui, "k");
	ui_close(&ui, "hit_groups_empty_80x24");
}

static void test_the_screens_of_groups(void **state)
{
	static const struct { int width, height; } screens[] = {
		{ 40, 12 }, { 80, 24 }, { 100, 30 }, { 160, 40 },
	};
	char name[48];
	struct ui ui;

	(void)state;
	for (int line = 0; line < 2; line++) {
		for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
			open_at(&ui, screens[i].width, screens[i].height, line);
			weigh(&ui, line ? "sum(bytes)" : "sum of latency");
			ui_press(&ui, "k");	/* the message leaves */
			snprintf(name, sizeof(name), "hit_groups_%s_%dx%d",
				 line ? "aggregates" : "latency", screens[i].width,
				 screens[i].height);
			ui_close(&ui, name);
		}
	}
}

static void test_a_group_is_in_the_breadcrumbs(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 160, 40, 0);
	ui_press(&ui, "j");
	ui_press_key(&ui, UI_KEY_ENTER);
	reply(&ui);
	assert_true(ui_has(&ui, "all \u203a hits of lwlock__wait \u203a WALWrite"));
	assert_false(ui_has(&ui, "WALWrite \u203a"));
	ui_finish(&ui);
}

static void test_the_menu_of_weights(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 80, 24, 0);
	ui_press(&ui, "W");
	ui_close(&ui, "hit_weights_80x24");
}

static void test_views_of_hits_show_the_weight(void **state)
{
	static const char *const keys[] = { "1", "6", "7", "9" };
	struct ui *ui = *state;

	open_line(ui, 0);
	weigh(ui, "sum of latency");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ui_press(ui, keys[i]);
		reply(ui);
		assert_true(ui_has(ui, "weight: sum of latency (W)"));
		assert_int_equal(last_query(ui)->hit_weight, HIT_WEIGHT_LATENCY);
	}
	ui_press(ui, "1");
	reply(ui);
	assert_true(ui_has(ui, " TIME "));
	weigh(ui, "hits");
	assert_false(ui_has(ui, " TIME "));
	assert_false(ui_has(ui, "weight: hits (W)"));
	open_line(ui, 1);
	weigh(ui, "sum(bytes)");
	ui_press(ui, "1");
	reply(ui);
	assert_true(ui_has(ui, " SUM "));
}

/* With a baseline: ProcArray is new in it. */
static void open_compared(struct ui *ui, int width, int height)
{
	static const uint64_t counts[] = { 16000, 3000, 0, 631, 20 };

	is_compared = true;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		locks[i].base.count = counts[i];
	open_at(ui, width, height, 0);
	groups.base.count = 20000;
	ui->state.query.compare.has_baseline = ui->state.query.compare.is_on = true;
	ui->snapshot.has_baseline = ui->snapshot.is_compared = true;
	ui->snapshot.baseline.label = ui->snapshot.baseline.notice = "";
	ui_show(ui);
}

static void end_comparing(void)
{
	is_compared = false;
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		locks[i].base.count = 0;
}

/* BufferContent has 59.6 % after 80 %, WALWrite 31.2 % after 15 %, ProcArray 5.9 % after none. */
static void test_groups_that_changed_most_come_first(void **state)
{
	struct ui ui;

	(void)state;
	open_compared(&ui, 120, 30);
	assert_string_equal(key_at(&ui, 0), "BufferContent");
	assert_string_equal(key_at(&ui, 1), "WALWrite");
	assert_string_equal(key_at(&ui, 2), "ProcArray");
	assert_true(ui_has(&ui, "-20.40  80.00"));
	assert_true(ui_has(&ui, "+16.24  15.00"));
	state_ask(&ui.state);
	assert_int_equal(last_query(&ui)->hit_order, HIT_ORDER_CHANGE);
	ui.state.query.compare.is_on = false;
	end_comparing();
	reply(&ui);
	assert_true(ui_has(&ui, "\u25bcHITS"));
	state_ask(&ui.state);
	assert_int_equal(last_query(&ui)->hit_order, HIT_ORDER_HITS);
	ui_finish(&ui);
	open_compared(&ui, 80, 24);
	ui_close(&ui, "hit_groups_compared_80x24");
	open_compared(&ui, 160, 40);
	ui_close(&ui, "hit_groups_compared_160x40");
	end_comparing();
}

static void reply_with_more(struct ui *ui)
{
	reply(ui);
	groups.left_out = 1;
	groups.left_out_hits = 5;
	ui_show(ui);
}

/* Asked for as an aggregate, the histogram of the latency is not there a second time. */
static void test_latencies_have_one_histogram_with_its_heat_map(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 200, 60, 0);
	weigh(&ui, "sum of latency");
	assert_true(ui_has(&ui, "latency of WALWrite"));
	assert_true(ui_has(&ui, "30 s to now"));
	groups.aggregate_count = 2;
	groups.aggregates[0] = (struct snapshot_aggregate){ "hist(lat)", AGGREGATE_HIST, true };
	groups.aggregates[1] = (struct snapshot_aggregate){ "hist(n)", AGGREGATE_HIST, false };
	ui_show(&ui);
	assert_false(ui_has(&ui, "latency of WALWrite"));
	assert_true(ui_has(&ui, "hist(lat) of WALWrite"));
	assert_true(ui_has(&ui, "hist(n) of WALWrite"));
	assert_true(ui_has(&ui, "30 s to now"));
	ui_finish(&ui);
}

/* Groups that weigh most in the column are listed, even if others have more hits. */
static void test_the_rows_are_chosen_by_the_order(void **state)
{
	struct ui *ui = *state;
	size_t asked;

	open_line(ui, 0);
	asked = ui->state.query.number;
	ui_press(ui, "s");
	assert_int_equal(ui->state.query.number, asked);	/* all have rows */
	reply_with_more(ui);
	ui_press(ui, "s");		/* mean */
	assert_int_equal(last_query(ui)->hit_order, HIT_ORDER_MEAN);
	assert_false(last_query(ui)->is_hit_order_reversed);
	reply_with_more(ui);
	ui_press(ui, "S");
	assert_true(last_query(ui)->is_hit_order_reversed);
	command_sort_groups(&ui->state, GROUP_COL_KEY);
	assert_int_equal(last_query(ui)->hit_order, HIT_ORDER_HITS);
	reply_with_more(ui);
	command_sort_groups(&ui->state, GROUP_COL_SUM);
	reply_with_more(ui);
	weigh(ui, "sum of latency");
	assert_int_equal(last_query(ui)->hit_order, HIT_ORDER_LATENCY);
}

/* Groups of the page go on as a tree by the same keys, which its panel offers by their names. */
static void test_g_groups_the_hits_by_the_keys_of_the_probe(void **state)
{
	struct ui *ui = *state;
	const struct query *query;

	open_line(ui, 1);
	ui_press(ui, "g");
	query = last_query(ui);
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
	assert_int_equal(query->group_count, 3);
	assert_int_equal(query->groups[0], GROUP_BY1);
	assert_int_equal(query->groups[1], GROUP_BY2);
	assert_int_equal(query->groups[2], GROUP_SYMBOL);
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, "1 comm"));
	assert_true(ui_has(ui, "2 file"));
	assert_false(ui_has(ui, "by3"));
	ui_press(ui, " ");		/* without the first */
	assert_int_equal(last_query(ui)->group_count, 2);
	assert_int_equal(last_query(ui)->groups[0], GROUP_BY2);
}

/* Another probe has not these keys, samples have none. */
static void test_keys_that_a_probe_has_not_are_no_groups(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 1);
	ui_press(ui, "g");
	ui_press_key(ui, UI_KEY_ESCAPE);
	reply(ui);
	open_line(ui, 0);
	ui_press(ui, "9");
	assert_int_equal(last_query(ui)->group_count, 2);
	assert_int_equal(last_query(ui)->groups[0], GROUP_BY1);
	assert_int_equal(last_query(ui)->groups[1], GROUP_SYMBOL);
	reply(ui);
	open_line(ui, 2);
	ui_press(ui, "9");
	assert_int_equal(last_query(ui)->group_count, 1);
	assert_int_equal(last_query(ui)->groups[0], GROUP_SYMBOL);
}

static void test_inside_is_grey_where_calls_are_of_no_thread(void **state)
{
	struct ui ui;

	(void)state;
	probes[0].is_joined = true;
	open_at(&ui, 80, 24, 0);
	ui_press(&ui, ".");
	assert_true(ui_has(&ui, "inside its calls"));
	ui_close(&ui, "hit_groups_menu_joined_80x24");
	probes[0].is_joined = false;
}

UNIT_TESTS(test_groups_of_hits)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_a_probe_with_keys_opens_on_its_groups),
		UI_TEST(test_a_probe_without_keys_has_no_groups),
		UI_TEST(test_shares_and_order_are_of_the_weight),
		UI_TEST(test_groups_without_a_row_are_in_the_whole),
		UI_TEST(test_w_offers_what_the_probe_has),
		UI_TEST(test_the_weight_of_one_probe_is_not_that_of_another),
		UI_TEST(test_the_other_hits_come_last_in_any_order),
		UI_TEST(test_the_cursor_stays_with_its_group),
		UI_TEST(test_keys_that_are_numbers_are_sorted_by_size),
		UI_TEST(test_a_title_is_clicked_to_sort_by_it),
		UI_TEST(test_groups_are_searched_by_their_keys),
		UI_TEST(test_enter_opens_the_hits_of_the_group),
		UI_TEST(test_the_menu_of_a_group_has_only_this),
		UI_TEST(test_the_row_is_copied_by_names_and_numbers),
		UI_TEST(test_the_command_line_has_the_weight),
		UI_TEST(test_a_weight_can_be_given_at_the_start),
		cmocka_unit_test(test_the_help_explains_the_columns),
		cmocka_unit_test(test_no_hit_gives_no_empty_table),
		cmocka_unit_test(test_the_screens_of_groups),
		cmocka_unit_test(test_a_group_is_in_the_breadcrumbs),
		cmocka_unit_test(test_the_menu_of_weights),
		UI_TEST(test_views_of_hits_show_the_weight),
		cmocka_unit_test(test_groups_that_changed_most_come_first),
		cmocka_unit_test(test_latencies_have_one_histogram_with_its_heat_map),
		UI_TEST(test_the_rows_are_chosen_by_the_order),
		UI_TEST(test_g_groups_the_hits_by_the_keys_of_the_probe),
		UI_TEST(test_keys_that_a_probe_has_not_are_no_groups),
		cmocka_unit_test(test_inside_is_grey_where_calls_are_of_no_thread),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
