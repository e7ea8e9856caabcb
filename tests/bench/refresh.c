/* What one refresh costs when the window has 100,000 distinct stacks: the newest second into the
 * window and the oldest out, the fold, the snapshot, and the frame that shows it, for each view.
 *
 * usage: refresh [VIEW [ROUNDS]]      VIEW: symbols DSOs commands tasks cpus callers callees
 *                                     flame groups all
 *
 * The stacks grow as those of real programs were measured to: each has nine tenths of a caller
 * chain of its own. The same in every run: instructions can be compared.
 *   valgrind --tool=callgrind --toggle-collect=refresh build/tests/bench/refresh symbols 3 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/publisher.h"
#include "base/clock.h"
#include "elf/flat_builder.h"
#include "ui/frame.h"
#include "widgets/group_order.h"
#include "ui/input.h"

#include "../unit/random_numbers.h"

#define STACKS	      100000u
#define CHAINS_A_STACK_PCT 90u
#define DEPTH_MAX     60u
#define DSOS	      40u	/* the first is the kernel */
#define FUNCTIONS     8000u	/* in all DSOs */
#define CALLEES	      6u	/* per function, at most */
#define TASKS	      64u
#define CPUS	      8u
#define WINDOW_S      10u
#define SAMPLES_A_S   (STACKS / WINDOW_S)	/* each stack is in the window */
#define AGAIN_A_S     5000u	/* and samples of stacks that were there */
#define ROUNDS	      11u
#define FUNCTION_BYTES 256u
#define TEXT_OFFSET   0x1000u

struct bench {
	struct ingest ingest;
	struct analyzer_config config;
	struct publisher publisher;
	struct ui_state state;
	struct keymap keymap;
	struct canvas canvas, before;
	struct event_desc event;
	const struct event_desc *events[1];
	uint32_t dsos[DSOS];
	uint32_t stacks[STACKS];
	uint32_t tasks[TASKS];
	uint8_t depths[1u << 20];	/* per node */
	uint32_t node_function[1u << 20];
	uint64_t seed, second;
};

static void expect(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "refresh: %s\n", what);
	exit(1);
}

static uint32_t dso_of(uint32_t function)
{
	return function % DSOS;
}

static uint32_t frame_of(struct bench *bench, uint32_t function, uint32_t offset)
{
	const uint64_t start = dso_of(function) ? TEXT_OFFSET : 0xffffffff81000000ull;

	return stack_trie_frame(&bench->ingest.trie, bench->dsos[dso_of(function)],
				start + (uint64_t)(function / DSOS) * FUNCTION_BYTES + offset);
}

static void name_dso(struct bench *bench, uint32_t number)
{
	const uint64_t start = number ? TEXT_OFFSET : 0xffffffff81000000ull;
	struct flat_builder *builder = flat_builder_create();
	char path[64], name[96];
	struct dso_key key = { .path = path, .mode = MODE_USER, .inode = number };
	struct flat_table table;
	struct diag why;
	void *bytes;
	size_t count;
	bool is_new;

	snprintf(path, sizeof(path), "/usr/lib/x86_64-linux-gnu/libbench%u.so.1", number);
	key.path_len = strlen(path);
	bench->dsos[number] = number ? dso_table_intern(&bench->ingest.dsos, &key, &is_new)
					: DSO_KERNEL;
	for (uint32_t f = number; f < FUNCTIONS; f += DSOS) {
		snprintf(name, sizeof(name), "bench_module_%u_function_with_a_long_name_%u",
			 number, f);
		flat_builder_add(builder, start + (uint64_t)(f / DSOS) * FUNCTION_BYTES,
				 FUNCTION_BYTES, name, NULL, 0);
	}
	expect(!flat_builder_finish(builder, 1, &bytes, &count) &&
	       !flat_table_check(&table, bytes, count, &why), "no table");
	flat_builder_destroy(builder);
	dso_table_set_ready(&bench->ingest.dsos, bench->dsos[number], &table,
			    &table.header->build_id);
}

static uint32_t pick_callee(struct bench *bench, uint32_t function)
{
	const uint64_t call = (uint64_t)function * CALLEES + random_below(&bench->seed, CALLEES);

	return (uint32_t)(id_map_mix(call) % FUNCTIONS);
}

static uint32_t add_node(struct bench *bench, uint32_t parent)
{
	const uint32_t function = pick_callee(bench, bench->node_function[parent]);
	const uint32_t node = stack_trie_child(&bench->ingest.trie, parent,
					       frame_of(bench, function, 16));

	expect(node < sizeof(bench->depths), "too many nodes");
	bench->node_function[node] = function;
	bench->depths[node] = (uint8_t)(bench->depths[parent] + 1);
	return node;
}

/* Below a chain that was there, or one new frame further in. */
static void grow_stacks(struct bench *bench)
{
	struct stack_trie *trie = &bench->ingest.trie;
	uint32_t count = 0;

	for (uint32_t node = STACK_NODE_ROOT, i = 0; i < 10; i++)
		node = add_node(bench, node);
	while (count < STACKS) {
		uint32_t node = 1 + random_below(&bench->seed, trie->nodes.count - 1);
		const uint32_t before = trie->stacks.count;

		if (bench->depths[node] < DEPTH_MAX &&
		    random_below(&bench->seed, 100) < CHAINS_A_STACK_PCT)
			node = add_node(bench, node);
		bench->stacks[count] = stack_trie_stack(
			trie, node, frame_of(bench, pick_callee(bench, bench->node_function[node]),
					     random_below(&bench->seed, 64) * 4));
		count += trie->stacks.count > before;
	}
}

static void start_tasks(struct bench *bench)
{
	struct task_table *tasks = &bench->ingest.tasks;
	char comm[16];

	for (uint32_t t = 0; t < TASKS; t++) {
		const uint32_t pid = 1000 + t / 4 * 4, tid = 1000 + t;
		const int length = snprintf(comm, sizeof(comm), "bench-%u", t / 8);

		task_table_set_comm(tasks, pid, tid, comm, (size_t)length, false);
		bench->tasks[t] = task_table_task(tasks, task_table_thread(tasks, pid, tid));
	}
}

static void count_sample(struct bench *bench, uint64_t time_ns, uint32_t stack)
{
	const uint64_t mix = id_map_mix(stack + 1);	/* a stack is mostly of one task */
	const struct slice_entry entry = {
		.task = bench->tasks[mix % TASKS], .stack = bench->stacks[stack], .count = 1,
		.cpu = mix >> 32 & (CPUS - 1), .weight = 1000000,
	};

	expect(!timeline_add(&bench->ingest.timeline, time_ns, &entry, NULL), "no memory");
	tick_totals_add(&bench->ingest.timeline.totals, 0, time_ns, 1, true);
}

/* A tenth of the stacks in turn, and some of any. */
static void count_second(struct bench *bench)
{
	const uint32_t first = (uint32_t)(bench->second % WINDOW_S) * SAMPLES_A_S;
	const uint64_t begin_ns = bench->second * CLOCK_NS_PER_S;
	const uint32_t samples = SAMPLES_A_S + AGAIN_A_S;

	for (uint32_t i = 0; i < samples; i++)
		count_sample(bench, begin_ns + i * (CLOCK_NS_PER_S / samples),
			     i < SAMPLES_A_S ? first + i : random_below(&bench->seed, STACKS));
	bench->second++;
	bench->ingest.watermark_ns = bench->second * CLOCK_NS_PER_S;
	expect(!timeline_cut(&bench->ingest.timeline, bench->ingest.watermark_ns), "no memory");
	timeline_roll_up(&bench->ingest.timeline, bench->ingest.watermark_ns);
}

static void start(struct bench *bench)
{
	struct diag why = { 0 };

	bench->seed = 1;
	bench->second = 1000;
	bench->events[0] = &bench->event;
	snprintf(bench->event.name, sizeof(bench->event.name), "cycles");
	bench->config = (struct analyzer_config){
		.ingest = { .events = bench->events, .event_count = 1, .is_replay = true },
		.host = "host", .target = "target", .notice = "", .cpus = CPUS,
		.window = WINDOW_SECONDS, .window_ns = WINDOW_S * CLOCK_NS_PER_S,
	};
	expect(!ingest_init(&bench->ingest, &bench->config.ingest, NULL, NULL, &why), why.text);
	for (uint32_t i = 0; i < DSOS; i++)
		name_dso(bench, i);
	grow_stacks(bench);
	start_tasks(bench);
	publisher_init(&bench->publisher, &bench->config, &bench->ingest);
	publisher_start(&bench->publisher, clock_now_ns());
	for (uint32_t i = 0; i < WINDOW_S; i++)
		count_second(bench);
	setenv("TZ", "UTC0", 1);
	state_init(&bench->state, view_specs, page_ops, overlay_ops);
	keymap_init(&bench->keymap, commands, command_count);
	bench->state.keymap = &bench->keymap;
	bench->state.display.theme = &themes[0];
	bench->state.query.window_ns = bench->config.window_ns;
	bench->state.query.interval_ns = CLOCK_NS_PER_S;
	expect(!canvas_resize(&bench->canvas, 160, 50) && !canvas_resize(&bench->before, 160, 50),
	       "no memory");
}

/* As the analyzer and the screen would. */
static void take_requests(struct bench *bench)
{
	for (size_t i = 0; i < bench->state.out.count; i++)
		if (bench->state.out.requests[i].kind == REQUEST_QUERY)
			bench->config.query = bench->state.out.requests[i].query;
	bench->state.out.count = 0;
}

/* CPU time, not wall time: the machine has other work. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct cost {
	double publish_ms, take_ms, draw_ms, whole_ms;
	int rows_changed;
};

static int rows_changed(struct bench *bench)
{
	const size_t row_bytes = (size_t)bench->canvas.width * sizeof(*bench->canvas.cells);
	int changed = 0;

	for (int y = 0; y < bench->canvas.height; y++) {
		const int first = y * bench->canvas.width;

		if (!memcmp(&bench->before.cells[first], &bench->canvas.cells[first], row_bytes))
			continue;
		memcpy(&bench->before.cells[first], &bench->canvas.cells[first], row_bytes);
		changed++;
	}
	return changed;
}

/* Not static: callgrind finds it by its name. */
struct cost refresh(struct bench *bench);
struct cost refresh(struct bench *bench)
{
	const struct diag why = { 0 };
	const double began = now_ms();
	struct snapshot *snapshot = publisher_make(&bench->publisher, false, &why);
	const double published = now_ms();
	struct cost cost = { .publish_ms = published - began };

	expect(snapshot, "no snapshot");
	snapshot_destroy((struct snapshot *)input_offer_snapshot(&bench->state, snapshot));
	cost.take_ms = now_ms() - published;
	frame_draw(&bench->state, &bench->canvas);
	cost.rows_changed = rows_changed(bench);
	cost.whole_ms = now_ms() - began;
	cost.draw_ms = cost.whole_ms - cost.publish_ms - cost.take_ms;
	return cost;
}

static int by_whole(const void *a, const void *b)
{
	const struct cost *left = a, *right = b;

	return (left->whole_ms > right->whole_ms) - (left->whole_ms < right->whole_ms);
}

static const struct known_view {
	const char *name;
	enum view_kind kind;
	enum tree_direction direction;
} known_views[] = {
	{ "symbols", VIEW_SYMBOLS, TREE_NONE }, { "dsos", VIEW_DSOS, TREE_NONE },
	{ "commands", VIEW_COMMANDS, TREE_NONE },	{ "tasks", VIEW_TASKS, TREE_NONE },
	{ "cpus", VIEW_CPUS, TREE_NONE },	{ "callers", VIEW_TREE, TREE_CALLERS },
	{ "callees", VIEW_TREE, TREE_CALLEES },	{ "flame", VIEW_FLAME, TREE_CALLEES },
	{ "groups", VIEW_GROUPS, TREE_NONE },
};
#define VIEWS (sizeof(known_views) / sizeof(known_views[0]))

static void print_view(struct bench *bench, const struct known_view *view, uint32_t rounds)
{
	struct cost *costs = calloc(rounds, sizeof(*costs)), *median;

	expect(costs, "no memory");
	breadcrumbs_init(&bench->state.query.breadcrumbs, view->kind);
	bench->state.query.breadcrumbs.levels[0].direction = view->direction;
	state_ask(&bench->state);
	take_requests(bench);
	for (uint32_t i = 0; i < rounds; i++) {
		count_second(bench);
		costs[i] = refresh(bench);
	}
	qsort(costs, rounds, sizeof(*costs), by_whole);
	median = &costs[rounds / 2];
	printf("%-9s %6.1f ms: fold and snapshot %.1f, taken by the screen %.2f, drawn %.2f; "
	       "%d rows of it changed\n", view->name, median->whole_ms, median->publish_ms,
	       median->take_ms, median->draw_ms, median->rows_changed);
	free(costs);
}

int main(int argc, char **argv)
{
	static struct bench bench;
	const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : ROUNDS;
	uint64_t depths = 0;

	expect(rounds, "no rounds");
	setlocale(LC_CTYPE, "C.UTF-8");
	start(&bench);
	for (uint32_t s = 0; s < STACKS; s++)
		depths += bench.depths[bench.ingest.trie.stacks.node[bench.stacks[s]]] + 1u;
	printf("window    %u stacks of %.1f frames, %u nodes, %u frames\n", STACKS,
	       (double)depths / STACKS, bench.ingest.trie.nodes.count,
	       bench.ingest.trie.frames.count);
	for (size_t i = 0; i < VIEWS; i++)
		if (argc < 2 || !strcmp(argv[1], known_views[i].name) || !strcmp(argv[1], "all"))
			print_view(&bench, &known_views[i], rounds);
	return 0;
}
