/* fold_dense.c - folds a large window in time proportional to entries plus nodes of the trie.
 *
 * Problem: ten minutes hold a million entries of twenty frames each; walking every stack of every
 * slice takes half a second.
 *
 * Idea: (1) sum the entries per stack; (2) put each stack's sum into its caller node; (3) one
 * descending pass adds every node to its parent (parents have smaller numbers): now a node holds
 * its whole subtree; (4) a symbol's total is the sum over its OUTER nodes, those without the same
 * symbol further out, plus the stacks whose leaf's symbol does not occur among its callers.
 *
 * Step 4 needs "does this symbol occur among the ancestors": a 64-bit Bloom mask per node answers
 * no for most, the rest walk up.
 *
 * A filter that looks at code alone takes rows away and changes none: every frame of a row matches,
 * or none does. One that looks at tasks or CPUs needs the sums by these, and takes the walking way.
 *
 * Idle samples are few stacks: they take the walking way.
 */
#include <stdlib.h>
#include <string.h>

#include "model/fold.h"

#define PREFETCH_AHEAD 8	/* entries: the stacks of a slice lie all over memory */

/* 32 bytes, two to a cache line: a fold waits for memory more than for anything else. */
struct sum {
	double weight;
	uint32_t count;
	uint32_t comm, pid, tid;	/* as in struct fold_row */
	uint32_t task;			/* of stacks: the one seen last */
	uint16_t cpu;			/* or CPU_NONE, CPU_MIXED */
	bool is_idle;			/* the samples of `task` here are idle */
};

/* Entries that cost as much here as one that is walked. */
#define ENTRIES_A_STEP 16

#define CPU_NONE  (UINT16_MAX - 1)
#define CPU_MIXED UINT16_MAX		/* as entries say "unknown": neither is shown */

struct dense {
	struct sum *stacks, *nodes;
	uint64_t *outer_mask;	/* per node: bits of the symbols of itself and its ancestors */
	uint32_t *node_symbol;	/* of symbols that are one row the first, see join_codes() */
	uint32_t *first;	/* per symbol: that one; NULL: each is a row */
};

static uint64_t mask_bit(uint32_t symbol)
{
	return 1ull << (id_map_mix(symbol) & 63);
}

/* Does @symbol occur in @node or above? */
static bool is_among(const struct fold *fold, const struct dense *dense, uint32_t node,
		     uint32_t symbol)
{
	if (!(dense->outer_mask[node] & mask_bit(symbol)))
		return false;
	for (; node != STACK_NODE_ROOT; node = fold->trie->nodes.parent[node])
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
	row->total_weight += sum->weight;
	row->total_samples += sum->count;
	row->comm = fold_merge(row->comm, sum->comm);
	row->pid = fold_merge(row->pid, sum->pid);
	row->tid = fold_merge(row->tid, sum->tid);
	row->cpu = fold_merge(row->cpu, sum->cpu == CPU_MIXED ? FOLD_MIXED : sum->cpu);
	row->tasks = row->comm != FOLD_MIXED && row->pid != FOLD_MIXED && row->tid != FOLD_MIXED;
}

/* A stack mostly belongs to one task, so look-ups are done when its task changes, not for every
 * entry. Whether a row has one task or several is known from its stacks; how many would need a set
 * of (row, task), which took longer than all the rest. */
static void change_task(struct fold *fold, struct sum *sum, const struct slice_entry *entry)
{
	const uint32_t leaf = fold->trie->stacks.frame[entry->stack];
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);
	const struct task *task = &fold->tasks->tasks[entry->task];

	sum->task = entry->task;
	sum->is_idle = symbol == ID_SET_NONE || fold_is_idle(fold->names, task, symbol);
	if (sum->is_idle)
		return;
	sum->comm = fold_merge(sum->comm, task->comm.v);
	sum->pid = fold_merge(sum->pid, task->pid);
	sum->tid = fold_merge(sum->tid, task->tid);
}

/* Step 1. */
static void add_entry(struct fold *fold, struct dense *dense, const struct slice_entry *entry)
{
	struct sum *sum = &dense->stacks[entry->stack];

	if (sum->task != entry->task)
		change_task(fold, sum, entry);
	if (sum->is_idle) {
		fold_add(fold, entry, 1, 1.0);
		return;
	}
	sum->weight += (double)entry->weight;
	sum->count += entry->count;
	sum->cpu = merge_cpu(sum->cpu, entry->cpu);
}

static void add_slice(struct fold *fold, struct dense *dense, const struct slice *slice)
{
	const struct slice_entry *end = slice->entries + slice->count;

	for (const struct slice_entry *entry = slice->entries; entry < end; entry++) {
		if (end - entry > PREFETCH_AHEAD)
			__builtin_prefetch(&dense->stacks[entry[PREFETCH_AHEAD].stack]);
		if (entry->event == fold->event && entry->count)
			add_entry(fold, dense, entry);
	}
}

static void name_nodes(struct fold *fold, struct dense *dense)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	dense->node_symbol[STACK_NODE_ROOT] = ID_SET_NONE;
	for (uint32_t n = 1; n < nodes->count; n++)
		dense->node_symbol[n] = fold_symbol_of(fold, nodes->frame[n]);
}

static uint32_t first_of(const struct dense *dense, uint32_t symbol)
{
	return dense->first && symbol != ID_SET_NONE ? dense->first[symbol] : symbol;
}

/* Symbols of one object, or of one name, are one where rows are keyed by that. After it no symbol
 * may be new. */
static void join_codes(struct fold *fold, struct dense *dense)
{
	const uint32_t count = fold->names->count;
	struct id_map by_code = { 0 };

	if (fold->keys == (KEY_OBJECT | KEY_SYMBOL))
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
	for (uint32_t n = 1; n < fold->trie->nodes.count; n++)
		dense->node_symbol[n] = first_of(dense, dense->node_symbol[n]);
}

/* Parents first. */
static void mask_nodes(const struct fold *fold, struct dense *dense)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	dense->outer_mask[STACK_NODE_ROOT] = 0;
	for (uint32_t n = 1; n < nodes->count; n++)
		dense->outer_mask[n] = dense->outer_mask[nodes->parent[n]] |
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
	const struct stack_leaves *stacks = &fold->trie->stacks;

	for (uint32_t s = 0; s < stacks->count; s++) {
		const struct sum *sum = &dense->stacks[s];
		struct fold_row *row;
		uint32_t symbol;

		if (!sum->count)
			continue;
		/* change_task() asked for it */
		symbol = symbol_twins_of(fold->twins,
					 fold->trie->frames.symbol[stacks->frame[s]]);
		add_sum(&dense->nodes[stacks->node[s]], sum);
		fold_count(fold, sum->count, sum->weight, false,
			   fold->names->symbols[symbol].state == SYMBOL_NAMED);
		if (!matches(fold, symbol))
			continue;
		symbol = first_of(dense, symbol);
		row = fold_row_of_symbol(fold, symbol);
		if (!row) {
			fold->is_out_of_memory = true;
			continue;
		}
		fold_add_self(fold, row, sum->count, sum->weight);
		if (!is_among(fold, dense, stacks->node[s], symbol))
			add_total(row, sum);
	}
}

/* Step 3, and step 4 for callers. */
static void add_nodes(struct fold *fold, struct dense *dense)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	for (uint32_t n = nodes->count - 1; n > STACK_NODE_ROOT; n--) {
		struct fold_row *row;

		if (!dense->nodes[n].count)
			continue;
		add_sum(&dense->nodes[nodes->parent[n]], &dense->nodes[n]);
		if (!matches(fold, dense->node_symbol[n]) ||
		    is_among(fold, dense, nodes->parent[n], dense->node_symbol[n]))
			continue;
		row = fold_row_of_symbol(fold, dense->node_symbol[n]);
		if (row)
			add_total(row, &dense->nodes[n]);
		else
			fold->is_out_of_memory = true;
	}
}

static struct sum *create_sums(uint32_t count)
{
	struct sum *sums = malloc(count * sizeof(*sums));

	for (uint32_t i = 0; sums && i < count; i++)
		sums[i] = (struct sum){ .comm = FOLD_NONE, .pid = FOLD_NONE, .tid = FOLD_NONE,
				       .cpu = CPU_NONE, .task = FOLD_NONE };
	return sums;
}

bool fold_can_be_dense(const struct fold *fold)
{
	if (fold->keys == KEY_OBJECT || fold->keys == KEY_SYMBOL)
		return !fold->filter.all;	/* it may match a part of a row */
	return fold->keys == (KEY_OBJECT | KEY_SYMBOL) &&
	       !(fold->filter.by_task | fold->filter.by_cpu);
}

void fold_add_slices_dense(struct fold *fold, const struct slice *slices, uint32_t count)
{
	const uint32_t node_count = fold->trie->nodes.count;
	struct dense dense = {
		.stacks = create_sums(fold->trie->stacks.count + 1),
		.nodes = create_sums(node_count),
		.outer_mask = malloc(node_count * sizeof(*dense.outer_mask)),
		.node_symbol = malloc(node_count * sizeof(*dense.node_symbol)),
	};

	if (dense.stacks && dense.nodes && dense.outer_mask && dense.node_symbol) {
		for (uint32_t s = 0; s < count &&
				     fold_goes_on(fold, slices[s].count / ENTRIES_A_STEP); s++)
			add_slice(fold, &dense, &slices[s]);
		if (!fold->is_stopped) {
			name_nodes(fold, &dense);
			join_codes(fold, &dense);
			mask_nodes(fold, &dense);
		}
		if (!fold->is_out_of_memory && fold_goes_on(fold, node_count / ENTRIES_A_STEP)) {
			add_stacks(fold, &dense);
			add_nodes(fold, &dense);
		}
	} else {
		fold->is_out_of_memory = true;
	}
	free(dense.stacks);
	free(dense.nodes);
	free(dense.outer_mask);
	free(dense.node_symbol);
	free(dense.first);
}
