/* tree_fold.c - see fold/tree_fold.h.
 *
 * Problem: a window has a million frames, and a tree shows a few hundred paths.
 *
 * Idea: sum entries by stack first; when all were added, build paths from the roots, and children
 * only of paths above the limit: tree_callees.c, tree_callers.c.
 *
 * The filter may match one function in one task but not in another, and commands may be roots: so
 * samples that it treats alike are a class, and a stack has a sum in each class.
 */
#include "fold/tree_fold.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

#define STEPS_UNASKED	256	/* entries, or members of paths: 10 to 50 us */
#define PREFETCH_AHEAD	8	/* entries: their stacks lie all over memory */

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
	class_stacks_init(&fold->stacks, trie);
	fold->is_out_of_memory |= fold->stacks.is_out_of_memory;
	/* In the set like any other: a set that grows finds its rows by their numbers from 0 on. */
	if (append_path(fold, TREE_FOLD_TOP, ID_SET_NONE) == TREE_FOLD_TOP &&
	    !id_set_reserve(&fold->by_path, path_hash, fold))
		id_set_add(&fold->by_path, path_hash(fold, TREE_FOLD_TOP), TREE_FOLD_TOP);
	else
		fold->is_out_of_memory = true;
}

void tree_fold_finish(struct tree_fold *fold)
{
	fold_filter_finish(&fold->filter);
	free(fold->sums);
	free(fold->classes);
	class_stacks_finish(&fold->stacks);
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
	if (class.root == UINT32_MAX)
		return UINT32_MAX;
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

void tree_sum_add_self(struct tree_sum *sum, const struct class_load *load)
{
	sum->self_samples += load->samples;
	sum->self_weight += load->weight;
	sum->base_self_samples += load->base_samples;
	sum->base_self_weight += load->base_weight;
}

void tree_sum_add_total(struct tree_sum *sum, const struct class_load *load)
{
	sum->total_samples += load->samples;
	sum->total_weight += load->weight;
	sum->base_total_samples += load->base_samples;
	sum->base_total_weight += load->base_weight;
}

static void add_entry(struct tree_fold *fold, const struct slice_entry *entry,
		      const struct class_load *load)
{
	const struct task *task = &fold->tasks->tasks[entry->task];
	const uint32_t leaf = fold->trie->stacks.frame[entry->stack];
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);
	uint32_t of_sample = 0, class, at;

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
	at = class_stacks_get(&fold->stacks, class, entry->stack);
	if (at == UINT32_MAX)
		fold->is_out_of_memory = true;
	else
		class_load_add(&fold->stacks.rows[at].load, load);
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
	const uint32_t *frames = fold->trie->stacks.frame;

	for (uint32_t i = 0; i < count && tree_fold_goes_on(fold); i++) {
		const struct class_load load = { .samples = entries[i].count,
						.weight = (double)entries[i].weight * factor };

		if (count - i > PREFETCH_AHEAD)
			__builtin_prefetch(&frames[entries[i + PREFETCH_AHEAD].stack]);
		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

void tree_fold_add_base(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count && tree_fold_goes_on(fold); i++) {
		const struct class_load load = { .base_samples = entries[i].count,
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
	if (fold->query->tree == TREE_CALLERS)
		tree_callers_sum(fold);
	else
		tree_callees_sum(fold);
}
