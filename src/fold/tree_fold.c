/* tree_fold.c - see fold/tree_fold.h.
 *
 * Problem: a window has a million frames, and a tree shows a few hundred paths.
 *
 * Idea: sum entries by stack first; when all were added, build paths from the roots, and children
 * only of paths above the limit: tree_callees.c, tree_callers.c.
 *
 * The filter may match one function in one task but not in another, and commands may be roots: so
 * samples that it treats alike are a class, and a stack has a sum in each class. Most stacks are in
 * one class only: an array finds their row, and a map those in other classes.
 */
#include "fold/tree_fold.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

static void class_stacks_init(struct class_stacks *stacks, const struct stack_trie *trie)
{
	*stacks = (struct class_stacks){ .trie = trie };
	stacks->place_of = calloc(trie->stacks.count + 1, sizeof(*stacks->place_of));
	stacks->is_out_of_memory = !stacks->place_of;
}

static void class_stacks_finish(struct class_stacks *stacks)
{
	free(stacks->rows);
	free(stacks->place_of);
	id_map_finish(&stacks->others);
	free(stacks->first);
	memset(stacks, 0, sizeof(*stacks));
}

/* Room for row @index of @bytes each. False: out of memory. */
static bool reserve(void **rows, uint32_t index, uint32_t *capacity, size_t bytes)
{
	uint32_t more = *capacity ? *capacity : 512;
	void *bigger;

	if (index < *capacity)
		return true;
	while (more <= index)
		more *= 2;
	bigger = realloc(*rows, more * bytes);
	if (!bigger)
		return false;
	*rows = bigger;
	*capacity = more;
	return true;
}

static bool reserve_class(struct class_stacks *stacks, uint32_t class)
{
	const uint32_t known = stacks->class_capacity;

	if (!reserve((void **)&stacks->first, class, &stacks->class_capacity,
		     sizeof(*stacks->first)))
		return false;
	if (stacks->class_capacity > known)
		memset(stacks->first + known, 0,
		       (stacks->class_capacity - known) * sizeof(*stacks->first));
	return true;
}

static uint64_t key_of(uint64_t class, uint32_t stack)
{
	return class << 32 | stack;
}

static uint32_t append(struct class_stacks *stacks, uint32_t class, uint32_t stack)
{

	if (!reserve_class(stacks, class) ||
	    !reserve((void **)&stacks->rows, stacks->count, &stacks->capacity,
		     sizeof(*stacks->rows)) ||
	    (stacks->place_of[stack] && id_map_put(&stacks->others, key_of(class, stack),
						     stacks->count))) {
		stacks->is_out_of_memory = true;
		return UINT32_MAX;
	}
	stacks->rows[stacks->count] = (struct class_stack){
		.stack = stack, .class = class, .next = stacks->first[class],
	};
	stacks->first[class] = ++stacks->count;
	if (!stacks->place_of[stack])
		stacks->place_of[stack] = stacks->count;
	return stacks->count - 1;
}

/* Returns the row of @stack in @class, appending an empty one if needed. UINT32_MAX: no memory. */
static uint32_t class_stacks_get(struct class_stacks *stacks, uint32_t class, uint32_t stack)
{
	const uint32_t place = stacks->place_of[stack];
	uint32_t row;

	if (!place)
		return append(stacks, class, stack);
	if (stacks->rows[place - 1].class == class)
		return place - 1;
	row = id_map_get(&stacks->others, key_of(class, stack));
	return row == ID_MAP_NONE ? append(stacks, class, stack) : row;
}

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
	if (!reserve((void **)&fold->sums, fold->count, &fold->capacity, sizeof(*fold->sums))) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
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
	if (class.root == UINT32_MAX ||
	    !reserve((void **)&fold->classes, fold->class_count, &fold->class_capacity,
		     sizeof(*fold->classes)))
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
	load_add(&sum->now.self, &load->now);
	load_add(&sum->base.self, &load->base);
}

void tree_sum_add_total(struct tree_sum *sum, const struct class_load *load)
{
	load_add(&sum->now.total, &load->now);
	load_add(&sum->base.total, &load->base);
}

static void add_entry(struct tree_fold *fold, const struct slice_entry *entry,
		      const struct class_load *load)
{
	const struct task *task = &fold->tasks->tasks[entry->task];
	const uint32_t stack = wait_stacks_cut(fold->waits, entry);
	const uint32_t leaf = fold->trie->stacks.frame[stack];
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);
	uint32_t of_sample, class, at;

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return;
	}
	if (!fold->query->tree_idle && (fold_is_idle(fold->names, task, symbol) ||
					wait_stacks_is_idle(fold->waits, entry)))
		return;
	of_sample = fold_filter_of_sample(&fold->filter, entry);
	if (!fold_filter_can_match(&fold->filter, of_sample))
		return;
	class = class_of(fold, of_sample, task->comm);
	if (class == UINT32_MAX)
		return;
	at = class_stacks_get(&fold->stacks, class, stack);
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
		const struct class_load load = { .now = {
			entries[i].count, (double)entries[i].weight * factor } };

		if (count - i > PREFETCH_AHEAD)
			__builtin_prefetch(&frames[entries[i + PREFETCH_AHEAD].stack]);
		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

void tree_fold_add_base(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count && tree_fold_goes_on(fold); i++) {
		const struct class_load load = { .base = {
			entries[i].count, (double)entries[i].weight } };

		if (entries[i].event == fold->event && entries[i].count)
			add_entry(fold, &entries[i], &load);
	}
}

double tree_fold_limit(const struct tree_fold *fold)
{
	const struct tree_sum *top = &fold->sums[TREE_FOLD_TOP];
	const double weight = top->now.total.weight > 0 ? top->now.total.weight
							: top->base.total.weight;

	return weight * fold->query->tree_limit_pct / 100.0;
}

double tree_fold_weight(const struct tree_fold *fold, const struct tree_sum *sum)
{
	const struct tree_sum *top = &fold->sums[TREE_FOLD_TOP];
	double base = sum->base.total.weight;

	if (top->now.total.weight > 0 && top->base.total.weight > 0)
		base *= top->now.total.weight / top->base.total.weight;
	return sum->now.total.weight > base ? sum->now.total.weight : base;
}

/* Splits a tree's frames into the functions inlined at their addresses.
 *
 * Problem: one address stands for several functions, which are known only if its source lines were
 * requested. A window has more addresses than can be requested at once.
 *
 * Idea: a frame stays whole until its chain is known. Each fold sums the weight by frame, and the
 * heaviest are requested first; so the tree fills in from what is worth seeing.
 */

void tree_fold_set_waits(struct tree_fold *fold, const struct wait_stacks *waits)
{
	fold->waits = fold->filter.waits = waits;
}

void tree_fold_inline(struct tree_fold *fold, const struct inline_chains *chains)
{
	fold->chains = chains;
	fold->leaf_weight = calloc(fold->trie->frames.count + 1, sizeof(*fold->leaf_weight));
	fold->caller_weight = calloc(fold->trie->nodes.count, sizeof(*fold->caller_weight));
	if (!fold->leaf_weight || !fold->caller_weight)
		fold->is_out_of_memory = true;
}

const struct inline_chain *tree_inlined_at(const struct tree_fold *fold, uint32_t frame,
					   bool is_leaf)
{
	const struct inline_chain *chain;
	struct source_request of;

	if (!fold->chains)
		return NULL;
	of = source_lines_of_frame(fold->names, fold->trie, frame, is_leaf);
	chain = inline_chains_find(fold->chains, of.dso, of.address);
	return chain && chain->count ? chain : NULL;
}

static uint32_t append_function(struct tree_fold *fold, uint32_t dso, struct str_id name)
{
	if (!reserve((void **)&fold->inlined, fold->inlined_count, &fold->inlined_capacity,
		     sizeof(*fold->inlined)))
		return ID_SET_NONE;
	fold->inlined[fold->inlined_count] = (struct tree_inlined){ dso, name };
	return fold->inlined_count++;
}

uint32_t tree_inlined_function(struct tree_fold *fold, const struct inline_chain *chain,
			       uint32_t level)
{
	const struct str_id name = fold->chains->functions[chain->first + level];
	const uint32_t dso = symbol_pairs_dso(fold->pairs, chain->dso);
	const uint64_t key = (uint64_t)dso << 32 | name.v;
	uint32_t number = id_map_get(&fold->by_inlined, key);

	if (number != ID_MAP_NONE)
		return TREE_FOLD_INLINED | number;
	number = append_function(fold, dso, name);
	if (number == ID_SET_NONE || id_map_put(&fold->by_inlined, key, number)) {
		fold->is_out_of_memory = true;
		return ID_SET_NONE;
	}
	return TREE_FOLD_INLINED | number;
}

void tree_inlined_weigh(struct tree_fold *fold, uint32_t stack, double weight)
{
	if (!fold->chains)
		return;
	fold->leaf_weight[fold->trie->stacks.frame[stack]] += weight;
	fold->caller_weight[fold->trie->stacks.node[stack]] += weight;
}

static void consider(const struct tree_fold *fold, const struct source_lines *lines,
		     struct source_ranking *ranking, uint32_t frame, bool is_leaf, double weight)
{
	struct source_request of;

	if (!source_ranking_has_room(ranking, weight))
		return;
	of = source_lines_of_frame(fold->names, fold->trie, frame, is_leaf);
	if (!inline_chains_find(fold->chains, of.dso, of.address) &&
	    source_lines_can_be_requested(lines, &of))
		source_ranking_add(ranking, &of, weight);
}

/* Sums each frame's weight as a caller, over its nodes with all their descendants. NULL: out of
 * memory. The caller must free() it. */
static double *sum_callers(struct tree_fold *fold)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;
	double *weights = calloc(fold->trie->frames.count + 1, sizeof(*weights));

	for (uint32_t n = nodes->count - 1; weights && n > STACK_NODE_ROOT; n--) {
		weights[nodes->frame[n]] += fold->caller_weight[n];
		fold->caller_weight[nodes->parent[n]] += fold->caller_weight[n];
	}
	return weights;
}

uint32_t tree_fold_requests(struct tree_fold *fold, const struct source_lines *lines,
			    struct source_request out[SOURCE_REQUESTS_MAX])
{
	struct source_ranking ranking = { .requests = out };
	double *as_callers;

	if (fold->is_out_of_memory || fold->is_stopped || inline_chains_are_full(fold->chains))
		return 0;
	as_callers = sum_callers(fold);
	for (uint32_t i = 0; as_callers && i < fold->trie->frames.count; i++) {
		consider(fold, lines, &ranking, i, true, fold->leaf_weight[i]);
		consider(fold, lines, &ranking, i, false, as_callers[i]);
	}
	free(as_callers);
	return ranking.count;
}
