/* fold_dense.c - folds a window in time proportional to its entries plus its caller chains.
 *
 * Problem: a window can have 100,000 stacks of twenty frames each, and ten minutes a million
 * entries; walking every stack of every entry takes tenths of a second.
 *
 * Idea: (1) sum the entries per stack; (2) put each stack's sum into its caller node; (3) one
 * descending pass adds every node to its parent (parents have smaller numbers): now a node holds
 * its whole subtree; (4) a symbol's total is the sum over its OUTER nodes, those without the same
 * symbol further out, plus the stacks whose leaf's symbol does not occur among its callers;
 * (5) tasks are counted like that too, a bit for each, as many at a time as fit into a few words.
 *
 * Step 4 needs "does this symbol occur among the ancestors": a 64-bit Bloom mask per node
 * says no for most, and the rest walk up.
 *
 * A filter that looks at code alone takes rows away and changes none: every frame of a row matches,
 * or none does. One that looks at tasks or CPUs needs the sums by these, and takes the walking way.
 *
 * Idle samples are few stacks: they take the walking way.
 */
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"
#include "window_nodes.h"

#define PREFETCH_AHEAD 8	/* entries: the stacks of a slice lie all over memory */
#define ENTRIES_A_STEP 4	/* entries that cost as much here as one in fold_add() */
#define ENTRIES_UNASKED 4096
#define TASK_WORDS	4	/* words of bits in a pass over the nodes */
#define TASKS_A_PASS	(64 * TASK_WORDS)
/* Most nodes and stacks visited to count tasks, 10 ms: beyond that rows with several tasks get no
 * count. Ten minutes of a compiler have 10,000. */
#define TASK_STEPS	2000000

#define CPU_NONE  UINT16_MAX
#define CPU_MIXED SLICE_CPU_UNKNOWN	/* equals "unknown" in entries: neither is shown */

/* 32 bytes, two to a cache line: a fold waits for memory more than for anything else. */
struct sum {
	double weight;
	uint64_t count;			/* 4,096 million events take but an hour */
	uint32_t comm, pid, tid;	/* see struct fold_row */
	uint16_t cpu;			/* or CPU_NONE, CPU_MIXED */
};

struct stack_sum {
	struct sum sum;
	uint32_t stack, symbol;		/* symbol of the leaf */
	uint32_t node;			/* its callers, once they are numbered */
	uint32_t task;			/* task of the last entry */
	uint32_t row;			/* row of the leaf; FOLD_NONE: not shown */
	bool is_idle;			/* the samples of `task` here are idle */
};

struct stack_task {
	uint32_t place, number;
};

struct task_bits {
	uint64_t words[TASK_WORDS];
};

struct dense {
	struct stack_sum *stacks;
	uint32_t stack_count;
	uint32_t *place_of;	/* by trie stack: index in `stacks`, + 1; 0: not in the window */
	uint32_t *task_number;	/* by task: number of fold_same_task(), + 1; 0: none yet */
	uint32_t task_count;
	struct stack_task *stack_tasks;	/* pairs of stack and task, perhaps repeated */
	uint32_t stack_task_count;

	struct window_nodes chains;
	struct sum *nodes;
	uint64_t *outer_mask;	/* per node: bits of the symbols of itself and its ancestors */
	uint32_t *node_symbol;	/* per node: symbol, or the first one in its row: join_codes() */
	uint32_t *first;	/* per symbol: first symbol in its row; NULL: each has a row */
	uint32_t *node_row;	/* per node; FOLD_NONE: not shown, or idle */
};

static uint64_t mask_bit(uint32_t symbol)
{
	return 1ull << (id_map_mix(symbol) & 63);
}

/* Does @symbol occur in @node or above? */
static bool is_among(const struct dense *dense, uint32_t node, uint32_t symbol)
{
	if (!(dense->outer_mask[node] & mask_bit(symbol)))
		return false;
	for (; node != STACK_NODE_ROOT; node = dense->chains.parent[node])
		if (dense->node_symbol[node] == symbol)
			return true;
	return false;
}

static uint16_t merge_cpu(uint16_t part, uint16_t value)
{
	return part == CPU_NONE || part == value ? value : CPU_MIXED;
}

static void add_sum(struct sum *into, const struct sum *from)
{
	into->weight += from->weight;
	into->count += from->count;
	into->comm = from->comm == FOLD_NONE ? into->comm : fold_merge(into->comm, from->comm);
	into->pid = from->pid == FOLD_NONE ? into->pid : fold_merge(into->pid, from->pid);
	into->tid = from->tid == FOLD_NONE ? into->tid : fold_merge(into->tid, from->tid);
	into->cpu = from->cpu == CPU_NONE ? into->cpu : merge_cpu(into->cpu, from->cpu);
}

static void add_total(struct fold_row *row, const struct sum *sum)
{
	row->stats.total.weight += sum->weight;
	row->stats.total.samples += sum->count;
	row->comm = fold_merge(row->comm, sum->comm);
	row->pid = fold_merge(row->pid, sum->pid);
	row->tid = fold_merge(row->tid, sum->tid);
	row->cpu = fold_merge(row->cpu, sum->cpu == CPU_MIXED ? FOLD_MIXED : sum->cpu);
	/* Until they are counted. */
	row->tasks = row->comm != FOLD_MIXED && row->pid != FOLD_MIXED && row->tid != FOLD_MIXED;
}

static uint32_t number_of_task(struct fold *fold, struct dense *dense, uint32_t task)
{
	uint32_t same;

	if (dense->task_number[task])
		return dense->task_number[task] - 1;
	same = fold_same_task(fold, task);
	if (!dense->task_number[same])
		dense->task_number[same] = ++dense->task_count;
	dense->task_number[task] = dense->task_number[same];
	return dense->task_number[task] - 1;
}

/* A stack mostly belongs to one task, so look-ups are done when its task changes, not for every
 * entry. */
static void change_task(struct fold *fold, struct dense *dense, struct stack_sum *stack,
			uint32_t task_id)
{
	const struct task *task = &fold->tasks->tasks[task_id];
	struct sum *sum = &stack->sum;

	stack->task = task_id;
	stack->is_idle = stack->symbol == ID_SET_NONE ||
			 fold_is_idle(fold->names, task, stack->symbol);
	if (stack->is_idle)
		return;
	sum->comm = fold_merge(sum->comm, task->comm.v);
	sum->pid = fold_merge(sum->pid, task->pid);
	sum->tid = fold_merge(sum->tid, task->tid);
	dense->stack_tasks[dense->stack_task_count++] = (struct stack_task){
		.place = (uint32_t)(stack - dense->stacks),
		.number = number_of_task(fold, dense, task_id),
	};
}

static struct stack_sum *add_stack(struct fold *fold, struct dense *dense, uint32_t stack)
{
	struct stack_sum *sum = &dense->stacks[dense->stack_count];

	*sum = (struct stack_sum){
		.sum = { .comm = FOLD_NONE, .pid = FOLD_NONE, .tid = FOLD_NONE, .cpu = CPU_NONE },
		.stack = stack, .task = FOLD_NONE, .row = FOLD_NONE,
		.symbol = symbol_names_of_frame(fold->names, fold->trie,
						fold->trie->stacks.frame[stack]),
	};
	window_nodes_mark(&dense->chains, fold->trie->stacks.node[stack]);
	dense->place_of[stack] = ++dense->stack_count;
	return sum;
}

/* Step 1. */
static void add_entry(struct fold *fold, struct dense *dense, const struct slice_entry *entry,
		      double factor)
{
	const uint32_t place = dense->place_of[entry->stack];
	struct stack_sum *stack = place ? &dense->stacks[place - 1]
					: add_stack(fold, dense, entry->stack);

	if (stack->task != entry->task)
		change_task(fold, dense, stack, entry->task);
	if (stack->is_idle) {
		fold_add(fold, entry, 1, factor);
		return;
	}
	stack->sum.weight += (double)entry->weight * factor;
	stack->sum.count += entry->count;
	stack->sum.cpu = merge_cpu(stack->sum.cpu, entry->cpu);
}

/* False: the fold is to end. */
static bool add_slice(struct fold *fold, struct dense *dense, const struct slice *slice,
		      double factor)
{
	for (uint32_t i = 0; i < slice->count; i++) {
		const struct slice_entry *entry = &slice->entries[i];

		if (slice->count - i > PREFETCH_AHEAD)
			__builtin_prefetch(&dense->place_of[entry[PREFETCH_AHEAD].stack]);
		if (i % ENTRIES_UNASKED == ENTRIES_UNASKED - 1 &&
		    !fold_goes_on(fold, ENTRIES_UNASKED / ENTRIES_A_STEP))
			return false;
		if (entry->event == fold->event && entry->count)
			add_entry(fold, dense, entry, factor);
	}
	return fold_goes_on(fold, slice->count % ENTRIES_UNASKED / ENTRIES_A_STEP);
}

static void name_nodes(struct fold *fold, struct dense *dense)
{
	const uint32_t *frames = fold->trie->nodes.frame;

	dense->node_symbol[STACK_NODE_ROOT] = ID_SET_NONE;
	for (uint32_t n = 1; n < dense->chains.count; n++)
		dense->node_symbol[n] = fold_symbol_of(fold, frames[dense->chains.node[n]]);
}

static uint32_t first_of(const struct dense *dense, uint32_t symbol)
{
	return dense->first && symbol != ID_SET_NONE ? dense->first[symbol] : symbol;
}

/* Symbols of one DSO, or of one name, are one where rows are keyed by that. After it no symbol
 * may be new. */
static void join_codes(struct fold *fold, struct dense *dense)
{
	const uint32_t count = fold->names->count;
	struct id_map by_code = { 0 };

	if (fold->keys == (KEY_DSO | KEY_SYMBOL))
		return;
	dense->first = malloc((count + 1) * sizeof(*dense->first));
	for (uint32_t symbol = 0; dense->first && symbol < count; symbol++) {
		const uint64_t code = fold_code_key(fold, symbol);
		const uint32_t first = id_map_get(&by_code, code);

		dense->first[symbol] = first == ID_MAP_NONE ? symbol : first;
		if (first == ID_MAP_NONE && id_map_put(&by_code, code, symbol))
			fold->is_out_of_memory = true;
	}
	id_map_finish(&by_code);
	if (!dense->first) {
		fold->is_out_of_memory = true;
		return;
	}
	for (uint32_t n = 1; n < dense->chains.count; n++)
		dense->node_symbol[n] = first_of(dense, dense->node_symbol[n]);
}

/* Parents first. */
static void mask_nodes(struct dense *dense)
{
	dense->outer_mask[STACK_NODE_ROOT] = 0;
	for (uint32_t n = 1; n < dense->chains.count; n++)
		dense->outer_mask[n] = dense->outer_mask[dense->chains.parent[n]] |
				       mask_bit(dense->node_symbol[n]);
}

static bool matches(struct fold *fold, uint32_t symbol)
{
	return !fold->filter.all || symbol == ID_SET_NONE ||
	       fold_filter_matches(&fold->filter, 0, symbol);
}

/* Step 2, the rows' self, and step 4 for leaves. */
static void add_stacks(struct fold *fold, struct dense *dense)
{
	for (uint32_t s = 0; s < dense->stack_count; s++) {
		struct stack_sum *stack = &dense->stacks[s];
		const struct sum *sum = &stack->sum;
		struct fold_row *row;

		if (!sum->count)
			continue;
		stack->node = window_nodes_find(&dense->chains,
						fold->trie->stacks.node[stack->stack]);
		stack->symbol = symbol_pairs_of(fold->pairs, stack->symbol);
		add_sum(&dense->nodes[stack->node], sum);
		fold_count(fold, sum->count, sum->weight, false,
			   fold->names->symbols[stack->symbol].state == SYMBOL_NAMED);
		if (!matches(fold, stack->symbol))
			continue;
		row = fold_row_of_symbol(fold, stack->symbol);
		if (!row) {
			fold->is_out_of_memory = true;
			continue;
		}
		stack->row = (uint32_t)(row - fold->rows);
		fold_add_self(fold, row, sum->count, sum->weight);
		if (!is_among(dense, stack->node, first_of(dense, stack->symbol)))
			add_total(row, sum);
	}
}

/* Step 3, and step 4 for callers. */
static void add_nodes(struct fold *fold, struct dense *dense)
{
	for (uint32_t n = dense->chains.count - 1; n > STACK_NODE_ROOT; n--) {
		const uint32_t parent = dense->chains.parent[n], symbol = dense->node_symbol[n];
		struct fold_row *row;

		dense->node_row[n] = FOLD_NONE;
		if (!dense->nodes[n].count)	/* idle */
			continue;
		add_sum(&dense->nodes[parent], &dense->nodes[n]);
		if (!matches(fold, symbol))
			continue;
		row = fold_row_of_symbol(fold, symbol);
		if (!row) {
			fold->is_out_of_memory = true;
			continue;
		}
		dense->node_row[n] = (uint32_t)(row - fold->rows);
		if (!is_among(dense, parent, symbol))
			add_total(row, &dense->nodes[n]);
	}
}

static void add_bits(struct task_bits *into, const struct task_bits *from)
{
	for (uint32_t w = 0; w < TASK_WORDS; w++)
		into->words[w] |= from->words[w];
}

/* The tasks from number @first on: at @rows whose they are. */
static void pass_tasks(const struct dense *dense, uint32_t first, struct task_bits *nodes,
		       struct task_bits *rows)
{
	for (uint32_t i = 0; i < dense->stack_task_count; i++) {
		const uint32_t number = dense->stack_tasks[i].number - first;
		const struct stack_sum *stack = &dense->stacks[dense->stack_tasks[i].place];
		const uint64_t bit = 1ull << number % 64;

		if (number >= TASKS_A_PASS)	/* or before @first */
			continue;
		nodes[stack->node].words[number / 64] |= bit;
		if (stack->row != FOLD_NONE)
			rows[stack->row].words[number / 64] |= bit;
	}
	for (uint32_t n = dense->chains.count - 1; n > STACK_NODE_ROOT; n--) {
		add_bits(&nodes[dense->chains.parent[n]], &nodes[n]);
		if (dense->node_row[n] != FOLD_NONE)
			add_bits(&rows[dense->node_row[n]], &nodes[n]);
	}
}

/* Step 5. */
static void count_tasks(struct fold *fold, const struct dense *dense)
{
	const uint64_t steps = (uint64_t)dense->chains.count + dense->stack_task_count;
	struct task_bits *nodes, *rows;

	if (steps * (dense->task_count / TASKS_A_PASS + 1) > TASK_STEPS)
		return;
	nodes = malloc(dense->chains.count * sizeof(*nodes));
	rows = malloc((fold->row_count + 1) * sizeof(*rows));
	fold->is_out_of_memory |= !nodes || !rows;
	for (uint32_t r = 0; r < fold->row_count; r++)
		if (!fold->rows[r].is_idle)
			fold->rows[r].tasks = 0;
	for (uint32_t first = 0; nodes && rows && first < dense->task_count;
	     first += TASKS_A_PASS) {
		memset(nodes, 0, dense->chains.count * sizeof(*nodes));
		memset(rows, 0, fold->row_count * sizeof(*rows));
		pass_tasks(dense, first, nodes, rows);
		for (uint32_t r = 0; r < fold->row_count; r++)
			for (uint32_t w = 0; w < TASK_WORDS; w++)
				fold->rows[r].tasks +=
					(uint32_t)__builtin_popcountll(rows[r].words[w]);
	}
	free(nodes);
	free(rows);
}

bool fold_can_be_dense(const struct fold *fold)
{
	if (wait_stacks_of(fold->waits, fold->event))
		return false;	/* a row has what its waits have in common */
	if (fold->keys == KEY_DSO || fold->keys == KEY_SYMBOL)
		return !fold->filter.all;	/* it may match a part of a row */
	return fold->keys == (KEY_DSO | KEY_SYMBOL) &&
	       !(fold->filter.by_task | fold->filter.by_cpu | fold->filter.by_hit);
}

/* For step 1. False: out of memory. */
static bool start(const struct fold *fold, struct dense *dense, const struct slice *slices,
		  uint32_t count)
{
	const uint32_t stack_count = fold->trie->stacks.count;
	uint64_t entries = 0;

	for (uint32_t s = 0; s < count; s++)
		entries += slices[s].count;
	dense->task_number = calloc(fold->tasks->task_count + 1, sizeof(*dense->task_number));
	dense->stack_tasks = malloc((entries + 1) * sizeof(*dense->stack_tasks));
	dense->place_of = calloc(stack_count + 1, sizeof(*dense->place_of));
	dense->stacks = malloc(((entries < stack_count ? entries : stack_count) + 1) *
			       sizeof(*dense->stacks));
	return dense->place_of && dense->stacks && dense->task_number && dense->stack_tasks &&
	       !window_nodes_init(&dense->chains, fold->trie);
}

/* For the steps after it. */
static bool number_nodes(struct dense *dense)
{
	uint32_t count;

	if (window_nodes_number(&dense->chains))
		return false;
	count = dense->chains.count;
	dense->nodes = malloc(count * sizeof(*dense->nodes));
	dense->outer_mask = malloc(count * sizeof(*dense->outer_mask));
	dense->node_symbol = malloc(count * sizeof(*dense->node_symbol));
	dense->node_row = malloc(count * sizeof(*dense->node_row));
	for (uint32_t n = 0; dense->nodes && n < count; n++)
		dense->nodes[n] = (struct sum){ .comm = FOLD_NONE, .pid = FOLD_NONE,
						.tid = FOLD_NONE, .cpu = CPU_NONE };
	return dense->nodes && dense->outer_mask && dense->node_symbol && dense->node_row;
}

static void finish(struct dense *dense)
{
	free(dense->stacks);
	free(dense->place_of);
	free(dense->task_number);
	free(dense->stack_tasks);
	window_nodes_finish(&dense->chains);
	free(dense->nodes);
	free(dense->outer_mask);
	free(dense->node_symbol);
	free(dense->first);
	free(dense->node_row);
}

static void make_rows(struct fold *fold, struct dense *dense)
{
	if (!number_nodes(dense)) {
		fold->is_out_of_memory = true;
		return;
	}
	name_nodes(fold, dense);
	join_codes(fold, dense);
	mask_nodes(dense);
	if (fold->is_out_of_memory || !fold_goes_on(fold, dense->chains.count / ENTRIES_A_STEP))
		return;
	add_stacks(fold, dense);
	add_nodes(fold, dense);
	count_tasks(fold, dense);
}

void fold_add_slices_dense(struct fold *fold, const struct slice *slices, const double *factors,
			   uint32_t count)
{
	struct dense dense = { .stack_count = 0 };
	bool goes_on = start(fold, &dense, slices, count);

	fold->is_out_of_memory |= !goes_on;
	for (uint32_t s = 0; s < count && goes_on; s++)
		goes_on = add_slice(fold, &dense, &slices[s], factors ? factors[s] : 1.0);
	if (goes_on)
		make_rows(fold, &dense);
	finish(&dense);
}
