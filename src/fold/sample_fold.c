/* sample_fold.c - see fold/sample_fold.h.
 *
 * Problem: stacks share their callers, and may be hundreds of frames deep.
 *
 * Idea: what the filter leaves of a chain of callers is found once for each node of the trie, from
 * the outermost frame inwards; a stack adds its leaf to what is left of its callers.
 */
#include "fold/sample_fold.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

void sample_fold_init(struct sample_fold *fold, struct stack_trie *trie,
		      struct symbol_names *names, const struct task_table *tasks,
		      const struct query *query, uint32_t event)
{
	*fold = (struct sample_fold){
		.trie = trie, .names = names, .tasks = tasks, .query = query, .event = event,
	};
	if (fold_filter_init(&fold->filter, &query->filter, names, tasks))
		fold->is_out_of_memory = true;
	for (uint32_t i = 0; i < query->filter.count; i++)
		fold->is_rooted |= query->filter.parts[i].field == FILTER_SYMBOL &&
				   !query->filter.parts[i].is_negated;
}

void sample_fold_set_waits(struct sample_fold *fold, const struct wait_stacks *waits)
{
	fold->waits = fold->filter.waits = waits;
}

void sample_fold_finish(struct sample_fold *fold)
{
	fold_filter_finish(&fold->filter);
	free(fold->sums);
	id_set_finish(&fold->index);
	memset(fold, 0, sizeof(*fold));
}

static uint64_t hash_of(const struct sample_sum *sum)
{
	return id_set_mix(id_set_mix_ids(sum->task, sum->stack), sum->of_sample);
}

static uint64_t hash_of_row(const void *owner, uint32_t row)
{
	return hash_of(&((const struct sample_fold *)owner)->sums[row]);
}

/* Returns the sum with the key of @like. NULL: out of memory, noted. */
static struct sample_sum *sum_of(struct sample_fold *fold, const struct sample_sum *like)
{
	const uint64_t hash = hash_of(like);
	uint32_t id;

	if (id_set_reserve(&fold->index, hash_of_row, fold)) {
		fold->is_out_of_memory = true;
		return NULL;
	}
	for (uint32_t slot = id_set_first(&fold->index, hash);
	     (id = id_set_at(&fold->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->index, slot))
		if (fold->sums[id].task == like->task && fold->sums[id].stack == like->stack &&
		    fold->sums[id].of_sample == like->of_sample)
			return &fold->sums[id];
	if (fold->count == fold->capacity) {
		const uint32_t capacity = fold->capacity ? 2 * fold->capacity : 1024;
		struct sample_sum *bigger = realloc(fold->sums, capacity * sizeof(*bigger));

		if (!bigger) {
			fold->is_out_of_memory = true;
			return NULL;
		}
		fold->sums = bigger;
		fold->capacity = capacity;
	}
	id_set_add(&fold->index, hash, fold->count);
	fold->sums[fold->count] = *like;
	return &fold->sums[fold->count++];
}

static void add_entry(struct sample_fold *fold, const struct slice_entry *entry,
		      const struct class_load *load)
{
	const struct task *task = &fold->tasks->tasks[entry->task];
	struct sample_sum key = {
		.task = entry->task, .stack = wait_stacks_cut(fold->waits, entry),
	};
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie,
						      fold->trie->stacks.frame[key.stack]);
	struct sample_sum *sum;

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return;
	}
	if (!fold->query->tree_idle && (fold_is_idle(fold->names, task, symbol) ||
					wait_stacks_is_idle(fold->waits, entry)))
		return;
	key.of_sample = fold_filter_of_sample(&fold->filter, entry);
	if (!fold_filter_can_match(&fold->filter, key.of_sample))
		return;
	sum = sum_of(fold, &key);
	if (sum)
		class_load_add(&sum->load, load);
}

void sample_fold_add(struct sample_fold *fold, const struct slice_entry *entries, uint32_t count,
		     double factor)
{
	for (uint32_t i = 0; i < count && !fold->is_out_of_memory; i++) {
		const struct class_load load = { .now = {
			entries[i].count, (double)entries[i].weight * factor } };

		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

void sample_fold_add_base(struct sample_fold *fold, const struct slice_entry *entries,
			  uint32_t count)
{
	for (uint32_t i = 0; i < count && !fold->is_out_of_memory; i++) {
		const struct class_load load = { .base = {
			entries[i].count, (double)entries[i].weight } };

		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

/* What the filter leaves of a chain of callers. */
struct shown_chain {
	uint32_t node;		/* stack_samples.nodes has it; 0: nothing */
	bool is_matched;	/* a frame of the chain matches the filter */
};

struct making {
	struct sample_fold *fold;
	struct stack_samples *out;
	struct id_map matches;	/* (of_sample, node of the trie) -> whether its chain matches */
	struct id_map chains;	/* (of_sample, node of the trie) -> 2 * node + is_matched */
	uint32_t *waiting;	/* owned; nodes of the trie whose chains are not known yet */
	uint32_t waiting_capacity;
};

static bool frame_matches(struct making *making, uint32_t of_sample, uint32_t frame)
{
	struct sample_fold *fold = making->fold;
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, frame);

	if (symbol == ID_SET_NONE)
		making->out->is_out_of_memory = true;
	return symbol != ID_SET_NONE && fold_filter_shows(&fold->filter, symbol) &&
	       fold_filter_matches(&fold->filter, of_sample, symbol);
}

/* Says whether the filter takes @sum: frames of other stacks have no place in the file, and their
 * lines are not asked for. */
static bool sum_matches(struct making *making, const struct sample_sum *sum)
{
	struct sample_fold *fold = making->fold;
	const struct stack_nodes *nodes = &fold->trie->nodes;
	const uint32_t first = fold->trie->stacks.node[sum->stack];
	const uint64_t class = (uint64_t)sum->of_sample << 32;
	uint32_t node = first, known = ID_MAP_NONE;
	bool is_matched = !fold->filter.all || frame_matches(making, sum->of_sample,
							     fold->trie->stacks.frame[sum->stack]);

	for (; !is_matched && node != STACK_NODE_ROOT &&
	       (known = id_map_get(&making->matches, class | node)) == ID_MAP_NONE;
	     node = nodes->parent[node])
		is_matched = frame_matches(making, sum->of_sample, nodes->frame[node]);
	is_matched |= known == 1;
	for (uint32_t n = first; n != node; n = nodes->parent[n])
		if (id_map_put(&making->matches, class | n, is_matched))
			making->out->is_out_of_memory = true;
	return is_matched;
}

/* Adds @frame to @chain, if it is shown. */
static void add_frame(struct making *making, struct shown_chain *chain, uint32_t of_sample,
		      uint32_t frame, bool is_leaf)
{
	struct sample_fold *fold = making->fold;
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, frame);
	uint32_t made;

	if (symbol == ID_SET_NONE) {
		making->out->is_out_of_memory = true;
		return;
	}
	if (fold->filter.all) {
		if (!fold_filter_shows(&fold->filter, symbol))
			return;
		chain->is_matched |= fold_filter_matches(&fold->filter, of_sample, symbol);
		if (fold->is_rooted && !is_leaf && !chain->is_matched)
			return;
	}
	made = stack_samples_frame(making->out, fold->names, fold->trie, frame, is_leaf,
				   fold->query->raw_names);
	if (made != UINT32_MAX)
		chain->node = stack_samples_node(making->out, chain->node, made);
}

/* Makes room for one more node that waits. False: out of memory, noted. */
static bool push(struct making *making, uint32_t count, uint32_t node)
{
	if (count == making->waiting_capacity) {
		const uint32_t capacity = count ? 2 * count : 256;
		uint32_t *bigger = realloc(making->waiting, capacity * sizeof(*bigger));

		if (!bigger) {
			making->out->is_out_of_memory = true;
			return false;
		}
		making->waiting = bigger;
		making->waiting_capacity = capacity;
	}
	making->waiting[count] = node;
	return true;
}

/* Returns what is shown of the callers that @node of the trie stands for. */
static struct shown_chain chain_of(struct making *making, uint32_t of_sample, uint32_t node)
{
	const struct stack_nodes *nodes = &making->fold->trie->nodes;
	const uint64_t class = (uint64_t)of_sample << 32;
	struct shown_chain chain = { 0, !making->fold->filter.all };
	uint32_t count = 0, known = ID_MAP_NONE;

	for (; node != STACK_NODE_ROOT &&
	       (known = id_map_get(&making->chains, class | node)) == ID_MAP_NONE;
	     node = nodes->parent[node])
		if (!push(making, count++, node))
			return chain;
	if (node != STACK_NODE_ROOT)
		chain = (struct shown_chain){ known >> 1, known & 1 };
	while (count-- > 0 && !making->out->is_out_of_memory) {
		node = making->waiting[count];
		add_frame(making, &chain, of_sample, nodes->frame[node], false);
		if (id_map_put(&making->chains, class | node, chain.node << 1 | chain.is_matched))
			making->out->is_out_of_memory = true;
	}
	return chain;
}

static void put_sum(struct making *making, const struct sample_sum *sum)
{
	struct sample_fold *fold = making->fold;
	const struct task *task = &fold->tasks->tasks[sum->task];
	const struct cgroup_names *names = cgroup_table_get(&fold->tasks->cgroups, task->cgroup);
	const struct strpool *strings = fold->names->strings;
	struct shown_chain chain;

	if (!sum_matches(making, sum))
		return;
	chain = chain_of(making, sum->of_sample, fold->trie->stacks.node[sum->stack]);
	add_frame(making, &chain, sum->of_sample, fold->trie->stacks.frame[sum->stack], true);
	if (making->out->is_out_of_memory)
		return;
	stack_samples_add(making->out, &(struct stack_sample){
		.pid = task->pid, .tid = task->tid, .node = chain.node, .load = sum->load,
		.comm = stack_samples_text_of(making->out, strings, task->comm),
		.cgroup = stack_samples_text_of(making->out, strings, names->path),
		.container = stack_samples_text_of(making->out, strings, names->container),
	});
}

struct stack_samples *sample_fold_make(struct sample_fold *fold)
{
	struct making making = { .fold = fold, .out = stack_samples_create() };

	if (!making.out)
		return NULL;
	making.out->is_out_of_memory = fold->is_out_of_memory;
	for (uint32_t i = 0; i < fold->count && !making.out->is_out_of_memory; i++)
		put_sum(&making, &fold->sums[i]);
	if (!making.out->is_out_of_memory)
		stack_samples_weigh(making.out);
	id_map_finish(&making.matches);
	id_map_finish(&making.chains);
	free(making.waiting);
	if (!making.out->is_out_of_memory)
		return making.out;
	stack_samples_destroy(making.out);
	return NULL;
}
