/* budget.c - see budget.h.
 *
 * Idea: drop slices oldest first, a quarter of the budget at once, so that the compaction after it
 * (which walks everything) is rare. Only memory that this frees counts: otherwise text and the rows
 * of live tasks would evict all history without getting smaller. Rejected: reference counts per
 * stack (8 bytes each, and a cache miss per sample), or per symbol and DSO: every sample would have
 * to update them, while marking happens where all of history is walked anyway.
 */
#include "budget.h"

#include <stdlib.h>

#include "analyzer/analyzer_config.h"
#include "base/clock.h"
#include "base/diag.h"
#include "ingest/ingest.h"
#include "unwind/unwind_set.h"

bool reclaim_is_wanted(const struct ingest *ingest)
{
	return ingest->names.is_full ||
	       (!ingest->config.is_replay && ingest->dsos.is_full) || /* else none go */
	       strpool_passing_bytes(ingest->strings) > ingest->swept_bytes + RECLAIM_TEXT_BYTES;
}

static void mark_map(const struct process_maps *map, unsigned char *used)
{
	for (uint32_t i = 0; map && i < map->count; i++)
		used[map->rows[i].dso] = 1;
}

static void mark_dsos(const struct ingest *ingest, unsigned char *used)
{
	const struct task_table *tasks = &ingest->tasks;

	for (uint32_t i = 0; i < ingest->trie.frames.count; i++)
		used[ingest->trie.frames.dso[i]] = 1;
	for (uint32_t i = 0; i < ingest->names.count; i++)
		used[ingest->names.symbols[i].dso] = 1;
	for (uint32_t i = 0; i < tasks->process_count; i++)
		mark_map(tasks->processes[i].maps, used);
	ingest_mark_dsos(ingest, used);
}

/* Recounts the DSOs charged to each process: those that were reclaimed no longer count. */
static void count_brought(struct ingest *ingest)
{
	struct process *process;

	for (uint32_t i = 0; i < ingest->tasks.process_count; i++)
		ingest->tasks.processes[i].dsos = 0;
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		const uint32_t pid = ingest->dsos.dsos[i].brought_by;

		process = pid ? task_table_find_process(&ingest->tasks, pid) : NULL;
		if (process)
			process->dsos++;
	}
}

static void reclaim_dsos(struct ingest *ingest)
{
	unsigned char *used = calloc(ingest->dsos.count, 1);
	uint32_t gone;

	if (!used)
		return;
	mark_dsos(ingest, used);
	ingest->dsos.now_ns = ingest->watermark_ns;
	gone = dso_table_reclaim(&ingest->dsos, used);
	if (gone)
		log_note("%u DSOs forgotten that are no longer in use", gone);
	free(used);
	count_brought(ingest);
}

static void sweep_text(struct ingest *ingest)
{
	unsigned char *used = calloc(strpool_count(ingest->strings), 1);

	if (!used)
		return;
	task_table_mark_text(&ingest->tasks, used);
	dso_table_mark_text(&ingest->dsos, used);
	symbol_names_mark_text(&ingest->names, used);
	strpool_sweep(ingest->strings, used);
	ingest->swept_bytes = strpool_passing_bytes(ingest->strings);
	free(used);
}

/* Call after stacks and tasks were compacted. If names had no room, ages those that only old slices
 * use (symbol_names_age()). Then forgets symbols without a frame; live, DSOs without a frame,
 * symbol, map or pending sample that wait for no reply; and unreferenced passing text. Symbol ids
 * change; ids of DSOs are not reused for a while (symbols/dso_table.h). Processes are charged
 * only for the remaining DSOs. Without memory for its marks, a kind is kept until the next time.
 * Thread: the analyzer's. */
static void reclaim_unused(struct ingest *ingest, const uint32_t *stack_ages, uint32_t recent)
{
	if (ingest->names.is_full &&
	    symbol_names_age(&ingest->names, &ingest->trie, stack_ages, recent))
		log_note("no memory to let go of old names");
	/* A symbol is found by its DSO and its name: these stay as long as it does. */
	if (symbol_names_compact(&ingest->names, &ingest->trie))
		return;
	if (!ingest->config.is_replay)
		reclaim_dsos(ingest);
	sweep_text(ingest);
}

#define TICKS_STAY_NS (30 * CLOCK_NS_PER_S) /* short of memory, older times are exact to a second */
#define NAMES_STAY_NS (60 * CLOCK_NS_PER_S) /* the largest window that is easily chosen */
#define DEAD_STAY_NS (2 * CLOCK_NS_PER_S) /* samples of the exit path come after EXIT */

/* The table in budget.h. Passing text has an allocation, a row of the pool and one of its hash. */
#define SLOT_BYTES   (2 * sizeof(struct id_map_slot))	/* a row's part of a hash */
#define SYMBOL_BYTES (sizeof(struct symbol) + 2 * sizeof(uint32_t) + SLOT_BYTES)
#define TEXT_BYTES   (48 + SLOT_BYTES)
#define TASK_BYTES   (sizeof(struct process) + sizeof(struct thread) + 2 * SLOT_BYTES)
#define DSO_BYTES    (sizeof(struct dso) + SLOT_BYTES)
#define RECORD_BYTES ((size_t)20 << 20)
#define BASE_BYTES   ((size_t)14 << 20)

_Static_assert(ANALYZER_DEFAULT_MEMORY_BYTES +
	       SYMBOL_NAMES_ROWS * (SYMBOL_BYTES + TEXT_BYTES) + SYMBOL_NAMES_TEXT_BYTES +
	       DSO_TABLE_ROWS * DSO_BYTES + DSO_TABLE_TEXT_BYTES +
	       TASK_TABLE_ROWS * TASK_BYTES + TASK_TABLE_MAP_BYTES +
	       CGROUP_TABLE_ROWS * sizeof(struct cgroup_names) + CGROUP_TABLE_TEXT_BYTES +
	       INGEST_TABLE_BYTES + UNWIND_SET_BYTES_MAX + JIT_FILES_BYTES_MAX +
	       INGEST_PENDING_BYTES_MAX +
	       INGEST_WAITING_MAX * sizeof(struct open_request) +
	       RECLAIM_TEXT_BYTES + RECORD_BYTES + BASE_BYTES <= 256u << 20,
	       "who fills everything leaves flametop within 256 MiB");

size_t budget_bytes(const struct ingest *ingest)
{
	return timeline_bytes(&ingest->timeline) + baseline_bytes(&ingest->baseline) +
	       stack_trie_bytes(&ingest->trie) + task_table_bytes(&ingest->tasks) +
	       ingest->lines.bytes;
}

struct usage {
	unsigned char *stacks, *tasks, *values, *keys, *tuples;	/* the last three: of probes */
	uint32_t *ages;		/* by stack: number of the last slice that has it, from 1 on */
	uint32_t *new_stack, *new_task, *new_value, *new_key, *new_tuple;
};

/* @age: not less than in the calls before. */
static void mark(const struct usage *usage, const struct slice_entry *entries, uint32_t count,
		 uint32_t age)
{
	for (uint32_t i = 0; i < count; i++) {
		if (entries[i].event == EVENT_OF_VALUES) {
			usage->values[entries[i].stack] = 1;
			continue;
		}
		if (slice_entry_has_tuple(&entries[i]))
			usage->tuples[slice_entry_tuple(&entries[i])] = 1;
		usage->stacks[entries[i].stack] = 1;
		usage->ages[entries[i].stack] = age;
		usage->tasks[entries[i].task] = 1;
	}
}

static void renumber(const struct usage *usage, struct slice_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (entries[i].event == EVENT_OF_VALUES) {
			entries[i].stack = usage->new_value[entries[i].stack];
			continue;
		}
		if (slice_entry_has_tuple(&entries[i]))
			slice_entry_set_tuple(&entries[i],
					      usage->new_tuple[slice_entry_tuple(&entries[i])]);
		entries[i].stack = usage->new_stack[entries[i].stack];
		entries[i].task = usage->new_task[entries[i].task];
	}
}

static void mark_line(const struct usage *usage, const struct hit_line *line)
{
	if (line && line->stack != ID_SET_NONE)
		usage->stacks[line->stack] = 1;
}

/* Marks the stacks of each probe's slowest and newest hits, which are kept whatever their age.
 * Other lines keep theirs as long as history has them: a thousand per probe would evict it. */
static void mark_log(const struct usage *usage, const struct hit_log *log)
{
	for (uint32_t i = 0; i < log->slowest_count; i++)
		mark_line(usage, hit_log_slowest(log, i));
	for (uint64_t i = 0; i < HIT_STACKS_KEPT && i < log->last_number; i++)
		mark_line(usage, hit_log_recent(log, log->last_number - i));
}

/* Moves the ages of remaining stacks to their new numbers, which are never larger. */
static void renumber_ages(const struct usage *usage, size_t stacks)
{
	for (size_t i = 0; i < stacks; i++)
		if (usage->new_stack[i] != ID_SET_NONE)
			usage->ages[usage->new_stack[i]] = usage->ages[i];
}

/* Returns the age of the first slice that a screen is likely to show. */
static uint32_t first_recent(const struct timeline *timeline, uint64_t now_ns)
{
	uint32_t s = timeline->count;

	while (s && timeline->slices[s - 1].end_ns + NAMES_STAY_NS > now_ns)
		s--;
	return s + 1;
}

static void renumber_line(const struct usage *usage, struct hit_line *line)
{
	if (line && line->stack != ID_SET_NONE)
		line->stack = usage->new_stack[line->stack];
}

static void renumber_log(const struct usage *usage, const struct hit_log *log)
{
	for (uint32_t i = 0; i < log->slowest_count; i++)
		renumber_line(usage, hit_log_slowest(log, i));
	for (uint64_t i = 0; i < PROBE_LOG_LINES && i < log->last_number; i++)
		renumber_line(usage, hit_log_recent(log, log->last_number - i));
}

static void compact_hits(const struct usage *usage, struct ingest *ingest)
{
	struct probe_hits *hits = ingest->hits;
	uint32_t probes[PROBE_SLOTS];

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		probes[slot] = hits->rows[slot].id;
	hit_tuples_mark(&hits->tuples, usage->tuples, usage->keys);
	ingest_mark_hit_values(ingest, usage->keys);
	probe_values_compact(&hits->values, usage->values, usage->new_value);
	probe_values_compact(&hits->keys, usage->keys, usage->new_key);
	hit_tuples_compact(&hits->tuples, usage->tuples, usage->new_key, probes,
			   usage->new_tuple);
	ingest_renumber_hit_values(ingest, usage->new_key);
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		renumber_log(usage, &hits->rows[slot].log);
}

/* Marks and renumbers what samples held for the end of a call have. */
static void mark_inside(const struct usage *usage, const struct inside *inside, uint32_t age)
{
	for (uint32_t i = 0; inside->held && i < INSIDE_HELD; i++)
		if (inside->held[i].call)
			mark(usage, &inside->held[i].entry, 1, age);
}

static void renumber_inside(const struct usage *usage, struct inside *inside)
{
	for (uint32_t i = 0; inside->held && i < INSIDE_HELD; i++)
		if (inside->held[i].call)
			renumber(usage, &inside->held[i].entry, 1);
}

static bool compact(struct ingest *ingest, const struct usage *usage)
{
	struct timeline *timeline = &ingest->timeline;
	const uint32_t stacks = ingest->trie.stacks.count;

	for (uint32_t s = 0; s < timeline->count; s++)
		mark(usage, timeline->slices[s].entries, timeline->slices[s].count, s + 1);
	mark(usage, ingest->baseline.entries, ingest->baseline.count, timeline->count);
	for (uint32_t i = 0; i < ingest->lines.count; i++)
		mark(usage, &ingest->lines.heap[i]->entry, 1, timeline->count);
	if (ingest->hits)
		mark_inside(usage, &ingest->hits->inside, timeline->count);
	for (uint32_t slot = 0; ingest->hits && slot < PROBE_SLOTS; slot++)
		mark_log(usage, &ingest->hits->rows[slot].log);
	if (stack_trie_compact(&ingest->trie, usage->stacks, usage->new_stack))
		return false;	/* nothing changed */
	task_table_compact(&ingest->tasks, usage->tasks, usage->new_task);
	if (ingest->hits)
		compact_hits(usage, ingest);
	renumber_ages(usage, stacks);
	reclaim_unused(ingest, usage->ages, first_recent(timeline, ingest->watermark_ns));
	for (uint32_t s = 0; s < timeline->count; s++)
		renumber(usage, timeline->slices[s].entries, timeline->slices[s].count);
	renumber(usage, ingest->baseline.entries, ingest->baseline.count);
	for (uint32_t i = 0; i < ingest->lines.count; i++)
		renumber(usage, &ingest->lines.heap[i]->entry, 1);
	if (ingest->hits)
		renumber_inside(usage, &ingest->hits->inside);
	return true;
}

static bool is_whole(const struct usage *usage)
{
	return usage->stacks && usage->ages && usage->tasks && usage->values && usage->keys &&
	       usage->tuples && usage->new_stack && usage->new_task && usage->new_value &&
	       usage->new_key && usage->new_tuple;
}

bool budget_compact(struct ingest *ingest)
{
	const size_t stacks = ingest->trie.stacks.count + 1, tasks = ingest->tasks.task_count + 1;
	const size_t values = ingest->hits ? ingest->hits->values.count + 1 : 1;
	const size_t keys = ingest->hits ? ingest->hits->keys.count + 1 : 1;
	const size_t tuples = ingest->hits ? ingest->hits->tuples.count + 1 : 1;
	const uint32_t stacks_before = ingest->trie.stacks.count;
	struct usage usage = {
		.stacks = calloc(stacks, 1), .tasks = calloc(tasks, 1),
		.ages = calloc(stacks, sizeof(uint32_t)),
		.values = calloc(values, 1), .new_value = malloc(values * sizeof(uint32_t)),
		.keys = calloc(keys, 1), .new_key = malloc(keys * sizeof(uint32_t)),
		.tuples = calloc(tuples, 1), .new_tuple = malloc(tuples * sizeof(uint32_t)),
		.new_stack = malloc(stacks * sizeof(uint32_t)),
		.new_task = malloc(tasks * sizeof(uint32_t)),
	};
	bool done = false;

	/* The open slice finds its entries by their ids: close it before these change. */
	if (is_whole(&usage) && !timeline_cut(&ingest->timeline, ingest->watermark_ns))
		done = compact(ingest, &usage);
	free(usage.stacks);
	free(usage.ages);
	free(usage.tasks);
	free(usage.values);
	free(usage.new_value);
	free(usage.keys);
	free(usage.new_key);
	free(usage.tuples);
	free(usage.new_tuple);
	free(usage.new_stack);
	free(usage.new_task);
	if (done)
		log_note("history compacted: %u of %u stacks stay", ingest->trie.stacks.count,
			 stacks_before);
	return done;
}

static void drop_dead(struct ingest *ingest)
{
	const uint64_t now_ns = ingest->watermark_ns;

	if (now_ns > DEAD_STAY_NS)
		task_table_drop_dead(&ingest->tasks, now_ns - DEAD_STAY_NS);
}

static bool has_more_tasks_than(const struct ingest *ingest, uint32_t rows)
{
	return ingest->tasks.process_count > rows || ingest->tasks.thread_count > rows;
}

bool budget_is_pressed(const struct ingest *ingest)
{
	return has_more_tasks_than(ingest, 2 * TASK_TABLE_ROWS);
}

bool budget_enforce(struct ingest *ingest, size_t limit_bytes, uint64_t now_ns)
{
	size_t aim;

	/* In a recording ended tasks are kept, as samples of a thread may follow its EXIT, unless
	 * there are too many: live tasks could not be read again, so the ended ones go first. */
	if (!ingest->config.is_replay || has_more_tasks_than(ingest, TASK_TABLE_ROWS))
		drop_dead(ingest);
	task_table_trim(&ingest->tasks, TASK_TABLE_ROWS, TASK_TABLE_MAP_BYTES);
	if (!ingest->config.is_replay)
		ingest_limit_tables(ingest, INGEST_TABLE_BYTES);
	timeline_roll_up(&ingest->timeline, now_ns);
	if (budget_bytes(ingest) <= limit_bytes)
		return false;
	if (now_ns > TICKS_STAY_NS)
		timeline_merge_ticks(&ingest->timeline, now_ns - TICKS_STAY_NS);
	if (budget_bytes(ingest) <= limit_bytes)
		return false;
	aim = timeline_bytes(&ingest->timeline) / 4 * 3;
	while (timeline_bytes(&ingest->timeline) > aim &&
	       timeline_evict_oldest(&ingest->timeline))
		;
	return budget_compact(ingest);
}
