/* compare_fixture.c - see compare_fixture.h. */
#include "compare_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flame_fixture.h"
#include "probe_fixture.h"
#include "ui_rows.h"

#define ROWS_MAX    32
#define BASE_WEIGHT 20000
#define NOW_WEIGHT  34860

/* Of the symbols, in the order of ui_rows.c: self, total. */
static const uint64_t symbols_then[][2] = {
	{ 22000, 22000 }, { 5470, 11000 }, { 6060, 6060 }, { 2960, 8800 }, { 0, 0 },
	{ 1348, 1348 }, { 631, 631 }, { 1316, 15000 }, { 178, 178 }, { 69, 69 }, { 11, 11 },
	{ 0, 14000 },
};

static struct snapshot_row rows[ROWS_MAX];

static void set_then(struct snapshot_row *row, uint64_t self, uint64_t total)
{
	row->base.self.samples = self;
	row->base.total.samples = total;
	row->base.self.weight = (double)self;
	row->base.total.weight = (double)total;
}

/* Each row of the other views had another part of what it has. */
static void set_part(struct snapshot_row *row, size_t number)
{
	static const uint64_t percent[] = { 50, 57, 30, 88, 0, 57, 61 };
	const uint64_t part = percent[number % (sizeof(percent) / sizeof(percent[0]))];

	set_then(row, row->now.self.samples * part / 100, row->now.total.samples * part / 100);
}

static const struct snapshot_row gone = {
	.id = 777, .symbol = "deflate_slow", .raw_symbol = "deflate_slow", .dso = "libz.so.1",
	.dso_path = "/usr/lib/x86_64-linux-gnu/libz.so.1", .build_id = "", .comm = "gzip",
	.tasks = 1, .event = "", .reason = "", .source = "", .source_reason = "",
	.command_line = "", .address = 0x4710, .pid = 3131, .tid = 3131, .cpu = -1,
	.mode = MODE_USER, .cpu_pct = -1, .busy_pct = -1,
};

static void compare_rows(struct snapshot *snapshot, enum view_kind kind)
{
	size_t count = snapshot->row_count;

	assert_true(count < ROWS_MAX);
	memcpy(rows, snapshot->rows, count * sizeof(rows[0]));
	for (size_t i = 0; i < count; i++) {
		if (kind == VIEW_SYMBOLS)
			set_then(&rows[i], symbols_then[i][0], symbols_then[i][1]);
		else
			set_part(&rows[i], i);
	}
	if (kind != VIEW_CPUS) {
		rows[count] = gone;
		set_then(&rows[count++], 1960, 2860);
	}
	snapshot->rows = rows;
	snapshot->row_count = count;
	row_changes_weigh_samples(snapshot);
}

struct call_tree compare_fixture_tree(bool has_command)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main" },
		{ .depth = 1, .name = "sort", .self = 9000 },
		{ .depth = 2, .name = "qsort", .self = 6000 },
		{ .depth = 2, .name = "swap", .self = 2000 },
		{ .depth = 1, .name = "read", .self = 5000, .mode = MODE_KERNEL },
		{ .depth = 1, .name = "deflate", .self = 1500 },
		{ .depth = 2, .name = "deflate_slow" },
		{ .depth = 3, .name = "longest_match" },
		{ .depth = 1, .name = "parse", .self = 400 },
		{ .depth = 0, .name = "worker_thread", .self = 10960, .mode = MODE_KERNEL },
	};
	static const uint64_t then[] = { 0, 1000, 700, 0, 3000, 6000, 1960, 900, 230, 6210 };
	static struct tree_node nodes[sizeof(frames) / sizeof(frames[0])];
	const uint32_t count = sizeof(frames) / sizeof(frames[0]);
	struct call_tree tree = flame_fixture_tree(frames, count, nodes);

	for (uint32_t i = 0; i < count; i++) {
		nodes[i].base.self.samples = then[i];
		nodes[i].base.self.weight = (double)then[i];
		for (uint32_t at = i; at != UINT32_MAX; at = nodes[at].parent) {
			nodes[at].base.total.samples += then[i];
			nodes[at].base.total.weight += (double)then[i];
		}
		tree.base_weight += (double)then[i];
	}
	nodes[0].is_command = has_command;
	tree.limit_pct = 0.5;
	return tree;
}

/* The first is slower and more often, the second was not there. */
static void compare_probes(struct snapshot *snapshot, uint32_t detail)
{
	static struct snapshot_probe list[PROBE_FIXTURE_COUNT];

	snapshot->probes = probe_fixture(detail);
	memcpy(list, snapshot->probes.list, sizeof(list));
	for (uint32_t i = 0; i < PROBE_FIXTURE_COUNT; i++)
		list[i].base_hits_per_s = list[i].hits_per_s;
	list[0].base_hits_per_s = 9300;
	list[0].base_latency = (struct snapshot_latency){
		.count = 46500, .p50_ns = 1000, .p90_ns = 2000, .p99_ns = 90000, .max_ns = 100000,
	};
	list[1].base_hits_per_s = -1;
	snapshot->probes.list = list;
}

static void set_baseline(struct snapshot *snapshot)
{
	snapshot->has_baseline = true;
	snapshot->baseline = (struct snapshot_baseline){
		.begin_ns = COMPARE_BEGIN_NS, .end_ns = COMPARE_END_NS, .window_s = 5,
		.samples = 42000, .weight = BASE_WEIGHT, .label = "",
	};
}

static const struct query *last_query(const struct ui *ui)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			return &ui->state.out.requests[i].query;
	return NULL;
}

void compare_fixture_reply(struct ui *ui)
{
	const enum view_kind kind = state_kind(&ui->state);
	const struct query *query = last_query(ui);
	struct snapshot *snapshot = &ui->snapshot;

	ui_prepare(ui);
	snapshot->begin_ns = 86400000000000;
	snapshot->time_ns = 86410000000000;
	set_baseline(snapshot);
	snapshot->is_compared = query && query->compare;
	if (!snapshot->is_compared) {
		ui_show(ui);
		return;
	}
	compare_rows(snapshot, kind);
	if (kind == VIEW_TREE || kind == VIEW_FLAME)
		snapshot->tree = compare_fixture_tree(kind == VIEW_FLAME);
	if (kind == VIEW_PROBES)
		compare_probes(snapshot, state_probe_here(&ui->state));
	snapshot->weight = NOW_WEIGHT;
	ui_show(ui);
}

void compare_fixture_open(struct ui *ui, int width, int height, enum view_kind kind)
{
	ui_open(ui, width, height);
	ui->snapshot.has_baseline = true;
	ui_show(ui);
	ui->state.query.compare = (struct comparing){ .has_baseline = true, .is_on = true };
	state_show_kind(&ui->state, kind);
	if (kind == VIEW_SYMBOLS)
		state_ask(&ui->state);
	compare_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
}
