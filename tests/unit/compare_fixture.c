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
#include "scene_rows.h"

#define ROWS_MAX    32
#define BASE_WEIGHT 20000
#define NOW_WEIGHT  34860

/* Of the symbols, in the order of scene_rows.c: self, total. */
static const uint64_t symbols_then[][2] = {
	{ 22000, 22000 }, { 5470, 11000 }, { 6060, 6060 }, { 2960, 8800 }, { 0, 0 },
	{ 1348, 1348 }, { 631, 631 }, { 1316, 15000 }, { 178, 178 }, { 69, 69 }, { 11, 11 },
	{ 0, 14000 },
};

static struct snapshot_row rows[ROWS_MAX];

static void set_then(struct snapshot_row *row, uint64_t self, uint64_t total)
{
	row->base_self_samples = self;
	row->base_total_samples = total;
	row->base_self_weight = (double)self;
	row->base_total_weight = (double)total;
}

/* Each row of the other views had another part of what it has. */
static void set_part(struct snapshot_row *row, size_t number)
{
	static const uint64_t percent[] = { 50, 57, 30, 88, 0, 57, 61 };
	const uint64_t part = percent[number % (sizeof(percent) / sizeof(percent[0]))];

	set_then(row, row->self_samples * part / 100, row->total_samples * part / 100);
}

static const struct snapshot_row gone = {
	.id = 777, .symbol = "deflate_slow", .raw_symbol = "deflate_slow", .object = "libz.so.1",
	.object_path = "/usr/lib/x86_64-linux-gnu/libz.so.1", .build_id = "", .comm = "gzip",
	.tasks = 1, .reason = "", .source = "", .source_reason = "", .command_line = "",
	.address = 0x4710, .pid = 3131, .tid = 3131, .cpu = -1, .mode = MODE_USER, .cpu_pct = -1,
	.busy_pct = -1,
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
		nodes[i].base_self_samples = then[i];
		nodes[i].base_self_weight = (double)then[i];
		for (uint32_t at = i; at != UINT32_MAX; at = nodes[at].parent) {
			nodes[at].base_total_samples += then[i];
			nodes[at].base_total_weight += (double)then[i];
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

static const struct query *last_query(const struct scene *scene)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == REQUEST_QUERY)
			return &scene->state.outbox[i].query;
	return NULL;
}

void compare_fixture_answer(struct scene *scene)
{
	const enum view_kind kind = state_kind(&scene->state);
	const struct query *query = last_query(scene);
	struct snapshot *snapshot = &scene->snapshot;

	scene_prepare(scene);
	snapshot->begin_ns = 86400000000000;
	snapshot->time_ns = 86410000000000;
	set_baseline(snapshot);
	snapshot->is_compared = query && query->compare;
	if (!snapshot->is_compared) {
		scene_show(scene);
		return;
	}
	compare_rows(snapshot, kind);
	if (kind == VIEW_TREE || kind == VIEW_FLAME)
		snapshot->tree = compare_fixture_tree(kind == VIEW_FLAME);
	if (kind == VIEW_PROBES)
		compare_probes(snapshot, state_probe_here(&scene->state));
	snapshot->weight = NOW_WEIGHT;
	scene_show(scene);
}

void compare_fixture_open(struct scene *scene, int width, int height, enum view_kind kind)
{
	scene_open(scene, width, height);
	scene->snapshot.has_baseline = true;
	scene_show(scene);
	scene->state.compare = (struct comparing){ .has_baseline = true, .is_on = true };
	state_show_kind(&scene->state, kind);
	if (kind == VIEW_SYMBOLS)
		state_ask(&scene->state);
	compare_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
}
