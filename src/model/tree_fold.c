/* tree_fold.c - see model/tree_fold.h.
 *
 * Problem: a window has a million frames, and a tree asks for each of them which path it is on.
 *
 * Idea, callees: caller chains are interned outermost first, so a node of the trie leads to one
 * path, whoever was sampled beneath it. That is looked up once per node; a sample then costs one
 * look-up for its chain and one for its leaf. A descending pass adds paths to their parents.
 *
 * The filter can see two tasks differently in one function, and commands may be roots: samples that
 * it sees alike are a class, and a node leads to one path in each class.
 *
 * Callers go the other way round, where nothing is shared: tree_callers.c.
 */
#include "model/tree_fold.h"

#include <stdlib.h>
#include <string.h>

#include "model/fold.h"

/* Of trie nodes, which have neighbours of their own time. A class has chains in few of all pages:
 * zeroing an array of all nodes for each of them was a third of a refresh. */
#define PAGE_NODES 1024

#define STEPS_UNASKED 256	/* samples of long chains: some 0.1 ms */

static uint64_t hash_of(uint32_t parent, uint32_t symbol)
{
	return id_set_mix(parent, symbol);
}

static uint64_t path_hash(const void *owner, uint32_t id)
{
	const struct tree_sum *sum = &((const struct tree_fold *)owner)->sums[id];

	return hash_of(sum->parent, sum->symbol);
}

static uint32_t append_path(struct tree_fold *fold, uint32_t parent, uint32_t symbol)
{
	if (fold->count == fold->capacity) {
		uint32_t capacity = fold->capacity ? fold->capacity * 2 : 1024;
		struct tree_sum *bigger = realloc(fold->sums, capacity * sizeof(*bigger));

		if (!bigger) {
			fold->is_out_of_memory = true;
			return UINT32_MAX;
		}
		fold->sums = bigger;
		fold->capacity = capacity;
	}
	fold->sums[fold->count] = (struct tree_sum){ .parent = parent, .symbol = symbol };
	return fold->count++;
}

uint32_t tree_fold_path(struct tree_fold *fold, uint32_t parent, uint32_t symbol)
{
	const uint64_t hash = hash_of(parent, symbol);
	uint32_t id;

	if (parent == UINT32_MAX || id_set_reserve(&fold->by_path, path_hash, fold)) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
	}
	for (uint32_t slot = id_set_first(&fold->by_path, hash);
	     (id = id_set_at(&fold->by_path, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->by_path, slot))
		if (fold->sums[id].parent == parent && fold->sums[id].symbol == symbol)
			return id;
	id = append_path(fold, parent, symbol);
	if (id != UINT32_MAX)
		id_set_add(&fold->by_path, hash, id);
	return id;
}

void tree_fold_init(struct tree_fold *fold, struct stack_trie *trie, struct symbol_names *names,
		    const struct task_table *tasks, const struct query *query, uint32_t event)
{
	*fold = (struct tree_fold){
		.trie = trie, .names = names, .tasks = tasks, .query = query, .event = event,
	};
	if (fold_filter_init(&fold->filter, &query->filter, names, tasks))
		fold->is_out_of_memory = true;
	for (uint32_t i = 0; i < query->filter.count; i++)
		fold->is_rooted |= query->filter.parts[i].field == FILTER_SYMBOL &&
				   !query->filter.parts[i].is_negated;
	/* In the set like any other: a set that grows finds its rows by their numbers from 0 on. */
	if (append_path(fold, TREE_FOLD_TOP, ID_SET_NONE) == TREE_FOLD_TOP &&
	    !id_set_reserve(&fold->by_path, path_hash, fold))
		id_set_add(&fold->by_path, path_hash(fold, TREE_FOLD_TOP), TREE_FOLD_TOP);
	else
		fold->is_out_of_memory = true;
}

static uint32_t page_count(const struct tree_fold *fold)
{
	return (fold->trie->nodes.count + PAGE_NODES - 1) / PAGE_NODES;
}

static void finish_class(const struct tree_fold *fold, struct tree_class *class)
{
	for (uint32_t i = 0; class->reached && i < page_count(fold); i++)
		free(class->reached[i]);
	free(class->reached);
}

void tree_fold_finish(struct tree_fold *fold)
{
	fold_filter_finish(&fold->filter);
	for (uint32_t i = 0; i < fold->class_count; i++)
		finish_class(fold, &fold->classes[i]);
	free(fold->sums);
	free(fold->classes);
	free(fold->walked);
	free(fold->members);
	id_set_finish(&fold->by_path);
	id_map_finish(&fold->by_class);
	id_map_finish(&fold->by_member);
	free(fold->inlined);
	id_map_finish(&fold->by_inlined);
	free(fold->leaf_weight);
	free(fold->caller_weight);
	memset(fold, 0, sizeof(*fold));
}

static uint32_t append_class(struct tree_fold *fold, uint32_t of_sample, uint32_t comm)
{
	struct tree_class class = { .of_sample = of_sample, .root = TREE_FOLD_TOP };

	if (fold->query->tree_commands)
		class.root = tree_fold_path(fold, TREE_FOLD_TOP, comm);
	if (fold->class_count == fold->class_capacity) {
		uint32_t capacity = fold->class_capacity ? fold->class_capacity * 2 : 16;
		struct tree_class *bigger = realloc(fold->classes, capacity * sizeof(*bigger));

		if (!bigger)
			return UINT32_MAX;
		fold->classes = bigger;
		fold->class_capacity = capacity;
	}
	if (fold->query->tree == TREE_CALLEES)
		class.reached = calloc(page_count(fold), sizeof(*class.reached));
	if (class.root == UINT32_MAX || (!class.reached && fold->query->tree == TREE_CALLEES)) {
		free(class.reached);
		return UINT32_MAX;
	}
	fold->classes[fold->class_count] = class;
	return fold->class_count++;
}

/* UINT32_MAX: out of memory, noted. */
static uint32_t class_of(struct tree_fold *fold, uint32_t of_sample, struct str_id comm)
{
	const uint32_t by_comm = fold->query->tree_commands ? comm.v : 0;
	const uint64_t key = (uint64_t)of_sample << 32 | by_comm;
	uint32_t class = id_map_get(&fold->by_class, key);

	if (class != ID_MAP_NONE)
		return class;
	class = append_class(fold, of_sample, by_comm);
	if (class == UINT32_MAX || id_map_put(&fold->by_class, key, class)) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
	}
	return class;
}

/* How far a caller chain has come: its path, and in the lowest bits whether the filter's parts held
 * for one of its frames, and that it is known. */
static uint32_t reach(uint32_t path, bool is_matched)
{
	return path << 2 | (uint32_t)is_matched << 1 | 1;
}

/* From @path on to what was inlined at the frame. */
static uint32_t step_inwards(struct tree_fold *fold, uint32_t path, uint32_t frame, bool is_leaf)
{
	const struct inline_chain *chain = tree_inlined_at(fold, frame, is_leaf);

	for (uint32_t level = chain ? chain->count : 0; level-- > 0 && path != UINT32_MAX;)
		path = tree_fold_path(fold, path, tree_inlined_function(fold, chain, level));
	return path;
}

static uint32_t step(struct tree_fold *fold, const struct tree_class *class, uint32_t reached,
		     uint32_t frame, bool is_leaf)
{
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, frame);
	bool is_matched = reached & 2;
	uint32_t path;

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return reached;
	}
	if (fold->filter.all) {
		if (!fold_filter_shows(&fold->filter, symbol))
			return reached;
		if (!is_matched)
			is_matched = fold_filter_matches(&fold->filter, class->of_sample, symbol);
		if (fold->is_rooted && !is_matched)
			return reached;
	}
	path = tree_fold_path(fold, reached >> 2, symbol_twins_of(fold->twins, symbol));
	path = step_inwards(fold, path, frame, is_leaf);
	return path == UINT32_MAX ? reached : reach(path, is_matched);
}

/* 0: not known yet. */
static uint32_t known_reach(const struct tree_class *class, uint32_t node)
{
	const uint32_t *page = class->reached[node / PAGE_NODES];

	return page ? page[node % PAGE_NODES] : 0;
}

/* Without memory it is looked up again. */
static void remember_reach(const struct tree_class *class, uint32_t node, uint32_t reached)
{
	uint32_t **page = &class->reached[node / PAGE_NODES];

	if (!*page)
		*page = calloc(PAGE_NODES, sizeof(**page));
	if (*page)
		(*page)[node % PAGE_NODES] = reached;
}

static bool push_walked(struct tree_fold *fold, uint32_t count, uint32_t node)
{
	if (count == fold->walked_capacity) {
		uint32_t capacity = count ? count * 2 : 256;
		uint32_t *bigger = realloc(fold->walked, capacity * sizeof(*bigger));

		if (!bigger)
			return false;
		fold->walked = bigger;
		fold->walked_capacity = capacity;
	}
	fold->walked[count] = node;
	return true;
}

/* Where the caller chain @node leads: up to one that is known, and from there down again. */
static uint32_t reach_node(struct tree_fold *fold, const struct tree_class *class, uint32_t node)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;
	uint32_t reached, count = 0;

	for (; node != STACK_NODE_ROOT && !known_reach(class, node); node = nodes->parent[node]) {
		if (!push_walked(fold, count++, node)) {
			fold->is_out_of_memory = true;
			return reach(TREE_FOLD_TOP, false);
		}
	}
	reached = node == STACK_NODE_ROOT ? reach(class->root, !fold->filter.all)
					  : known_reach(class, node);
	while (count-- > 0) {
		node = fold->walked[count];
		reached = step(fold, class, reached, nodes->frame[node], false);
		remember_reach(class, node, reached);
	}
	return reached;
}

void tree_sum_add_self(struct tree_sum *sum, const struct tree_load *load)
{
	sum->self_samples += load->samples;
	sum->self_weight += load->weight;
	sum->base_self_samples += load->base_samples;
	sum->base_self_weight += load->base_weight;
}

void tree_sum_add_total(struct tree_sum *sum, const struct tree_load *load)
{
	sum->total_samples += load->samples;
	sum->total_weight += load->weight;
	sum->base_total_samples += load->base_samples;
	sum->base_total_weight += load->base_weight;
}

static void add_callees(struct tree_fold *fold, const struct tree_class *class, uint32_t stack,
			uint32_t symbol, const struct tree_load *load)
{
	const uint32_t before = reach_node(fold, class, fold->trie->stacks.node[stack]);
	const uint32_t leaf = fold->trie->stacks.frame[stack];
	const uint32_t reached = step(fold, class, before, leaf, true);
	struct tree_sum *sum = &fold->sums[reached >> 2];

	if (!(reached & 2))
		return;
	tree_inlined_weigh(fold, stack, load->weight + load->base_weight);
	tree_sum_add_total(sum, load);
	if (fold->filter.all && !fold_filter_shows(&fold->filter, symbol))
		return;
	tree_sum_add_self(sum, load);
}

static void add_entry(struct tree_fold *fold, const struct slice_entry *entry,
		      const struct tree_load *load)
{
	const struct task *task = &fold->tasks->tasks[entry->task];
	const uint32_t leaf = fold->trie->stacks.frame[entry->stack];
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);
	uint32_t of_sample = 0, class;

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return;
	}
	if (!fold->query->tree_idle && fold_is_idle(fold->names, task, symbol))
		return;
	if (fold->filter.all)
		of_sample = fold_filter_of_sample(&fold->filter, entry);
	if (!fold_filter_can_match(&fold->filter, of_sample))
		return;
	class = class_of(fold, of_sample, task->comm);
	if (class == UINT32_MAX)
		return;
	if (fold->query->tree == TREE_CALLERS)
		tree_callers_add(fold, &fold->classes[class], entry->stack, symbol, load);
	else
		add_callees(fold, &fold->classes[class], entry->stack, symbol, load);
}

bool tree_fold_goes_on(struct tree_fold *fold)
{
	if (fold->stop.is_due && ++fold->steps == STEPS_UNASKED) {
		fold->is_stopped |= fold->stop.is_due(fold->stop.owner);
		fold->steps = 0;
	}
	return !fold->is_out_of_memory && !fold->is_stopped;
}

void tree_fold_add(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count,
		   double factor)
{
	for (uint32_t i = 0; i < count && tree_fold_goes_on(fold); i++) {
		const struct tree_load load = { .samples = entries[i].count,
						.weight = (double)entries[i].weight * factor };

		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

void tree_fold_add_base(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count && tree_fold_goes_on(fold); i++) {
		const struct tree_load load = { .base_samples = entries[i].count,
						.base_weight = (double)entries[i].weight };

		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

double tree_fold_limit(const struct tree_fold *fold)
{
	const struct tree_sum *top = &fold->sums[TREE_FOLD_TOP];
	const double weight = top->total_weight > 0 ? top->total_weight : top->base_total_weight;

	return weight * fold->query->tree_limit_pct / 100.0;
}

double tree_fold_weight(const struct tree_fold *fold, const struct tree_sum *sum)
{
	const struct tree_sum *top = &fold->sums[TREE_FOLD_TOP];
	double base = sum->base_total_weight;

	if (top->total_weight > 0 && top->base_total_weight > 0)
		base *= top->total_weight / top->base_total_weight;
	return sum->total_weight > base ? sum->total_weight : base;
}

void tree_fold_sum(struct tree_fold *fold)
{
	if (!tree_fold_goes_on(fold))
		return;
	if (fold->query->tree == TREE_CALLERS) {
		tree_callers_sum(fold);
		return;
	}
	for (uint32_t n = fold->count - 1; n > TREE_FOLD_TOP; n--) {
		const struct tree_sum *sum = &fold->sums[n];
		const struct tree_load load = {
			.samples = sum->total_samples, .weight = sum->total_weight,
			.base_samples = sum->base_total_samples,
			.base_weight = sum->base_total_weight,
		};

		tree_sum_add_total(&fold->sums[sum->parent], &load);
	}
}
