/* group_fold.c - see model/group_fold.h.
 *
 * Problem: keys of tasks and of code come in any order, and a window has a million frames.
 *
 * Idea: a sample's values by keys of tasks are the same for all its frames. Samples that have them
 * all alike are a class; in a class a frame's code leads to one node of the last level, looked up
 * once. Entries are summed by class and stack, and each caller chain of a class with all beneath it
 * (model/class_stacks.h); so a chain counts once, however many stacks go through it: in the nodes
 * that no frame outside of it was counted in. These are marked on the way in.
 *
 * What code is: the frame's symbol; the frame itself where addresses or lines are keys; with its
 * caller's symbol where that is one.
 */
#include "model/group_fold.h"

#include <stdlib.h>
#include <string.h>

#include "model/fold.h"

#define PAGE_CODES    256
#define HIDDEN	      UINT32_MAX	/* reached: the filter leaves nothing of it */
#define STEPS_UNASKED 256		/* as in tree_fold.c */
#define STACKS_MAX    200000u	/* 20 MB: then they are put to the nodes, and others come */

static uint64_t path_hash_of(uint32_t parent, uint64_t identity)
{
	return id_set_mix(parent, identity);
}

static uint64_t path_hash(const void *owner, uint32_t id)
{
	const struct group_sum *sum = &((const struct group_fold *)owner)->sums[id];

	return path_hash_of(sum->parent, sum->value.identity);
}

static uint64_t class_hash_of(const struct group_fold *fold, const struct group_class *class)
{
	uint64_t hash = id_set_mix(class->of_sample, class->event);

	for (uint32_t i = 0; i < fold->level_count; i++)
		hash = id_set_mix(hash, class->values[i].identity);
	return hash;
}

static uint64_t class_hash(const void *owner, uint32_t id)
{
	const struct group_fold *fold = owner;

	return class_hash_of(fold, &fold->classes[id]);
}

static bool has_key(const struct group_fold *fold, enum group_key key)
{
	for (uint32_t i = 0; i < fold->level_count; i++)
		if (fold->keys[i] == key)
			return true;
	return false;
}

static void add_key(struct group_fold *fold, enum group_key key)
{
	if (fold->level_count < GROUP_LEVELS && !has_key(fold, key))
		fold->keys[fold->level_count++] = key;
}

static void choose_keys(struct group_fold *fold, const struct query *query)
{
	for (uint32_t i = 0; i < query->group_count; i++)
		fold->has_event |= query->groups[i] == GROUP_EVENT;
	if (fold->has_event)
		add_key(fold, GROUP_EVENT);
	for (uint32_t i = 0; i < query->group_count; i++)
		add_key(fold, query->groups[i]);
	for (uint32_t i = 0; i < fold->level_count; i++)
		fold->has_code |= group_key_is_of_code(fold->keys[i]);
	fold->has_parent = has_key(fold, GROUP_PARENT);
	fold->is_per_frame = has_key(fold, GROUP_ADDRESS) || has_key(fold, GROUP_SOURCE);
	fold->is_per_cpu = has_key(fold, GROUP_CPU) || has_key(fold, GROUP_SOCKET) ||
			   fold->filter.by_cpu;
}

/* The sum of a new path. UINT32_MAX: out of memory, noted. */
static uint32_t append_sum(struct group_fold *fold, struct group_sum sum)
{
	if (fold->count == fold->capacity) {
		uint32_t capacity = fold->capacity ? fold->capacity * 2 : 256;
		struct group_sum *bigger = realloc(fold->sums, capacity * sizeof(*bigger));

		if (!bigger) {
			fold->is_out_of_memory = true;
			return UINT32_MAX;
		}
		fold->sums = bigger;
		fold->capacity = capacity;
	}
	fold->sums[fold->count] = sum;
	return fold->count++;
}

void group_fold_init(struct group_fold *fold, const struct group_sources *sources,
		     const struct query *query, uint32_t event)
{
	*fold = (struct group_fold){ .sources = *sources, .query = query, .event = event };
	if (fold_filter_init(&fold->filter, &query->filter, sources->names, sources->tasks))
		fold->is_out_of_memory = true;
	choose_keys(fold, query);
	fold->sources.raw_names = query->raw_names;
	class_stacks_init(&fold->stacks, sources->trie);
	fold->is_out_of_memory |= fold->stacks.is_out_of_memory;
	if ((has_key(fold, GROUP_PID) || has_key(fold, GROUP_THREAD)) &&
	    group_sources_name_processes(&fold->sources))
		fold->is_out_of_memory = true;
	if (has_key(fold, GROUP_SOURCE)) {
		fold->frame_samples = calloc(2 * (size_t)sources->trie->frames.count + 1,
					     sizeof(*fold->frame_samples));
		fold->is_out_of_memory |= !fold->frame_samples;
	}
	/* In the set like any other: a set that grows finds its rows by their numbers from 0 on. */
	if (append_sum(fold, (struct group_sum){ .parent = UINT32_MAX }) == GROUP_FOLD_TOP &&
	    !id_set_reserve(&fold->by_path, path_hash, fold))
		id_set_add(&fold->by_path, path_hash(fold, GROUP_FOLD_TOP), GROUP_FOLD_TOP);
	else
		fold->is_out_of_memory = true;
}

void group_fold_finish(struct group_fold *fold)
{
	fold_filter_finish(&fold->filter);
	for (uint32_t i = 0; i < fold->class_count; i++) {
		for (uint32_t p = 0; p < fold->classes[i].page_count; p++)
			free(fold->classes[i].reached[p]);
		free(fold->classes[i].reached);
	}
	free(fold->classes);
	free(fold->sums);
	class_stacks_finish(&fold->stacks);
	free(fold->frame_samples);
	id_set_finish(&fold->by_path);
	id_set_finish(&fold->by_class);
	id_map_finish(&fold->by_sample);
	id_map_finish(&fold->by_caller);
	id_map_finish(&fold->sources.process_comms);
	memset(fold, 0, sizeof(*fold));
}

static bool goes_on(struct group_fold *fold)
{
	if (fold->stop.is_due && ++fold->steps == STEPS_UNASKED) {
		fold->is_stopped |= fold->stop.is_due(fold->stop.owner);
		fold->steps = 0;
	}
	return !fold->is_out_of_memory && !fold->is_stopped;
}

/* GROUP_FOLD_TOP: there are too many. UINT32_MAX: out of memory, noted. */
static uint32_t path_of(struct group_fold *fold, uint32_t parent, struct group_value value,
			uint32_t depth, uint32_t event)
{
	const uint64_t hash = path_hash_of(parent, value.identity);
	struct group_sum sum = { .parent = parent, .depth = depth, .event = event, .value = value };
	uint32_t id;

	if (id_set_reserve(&fold->by_path, path_hash, fold)) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
	}
	for (uint32_t slot = id_set_first(&fold->by_path, hash);
	     (id = id_set_at(&fold->by_path, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->by_path, slot))
		if (fold->sums[id].parent == parent &&
		    fold->sums[id].value.identity == value.identity)
			return id;
	if (depth && fold->count >= GROUP_FOLD_SUMS && fold->query->tree_limit_pct >= 0)
		return GROUP_FOLD_TOP;
	sum.id = id_set_mix(id_set_mix(fold->sums[parent].id, fold->keys[depth]), value.identity);
	id = append_sum(fold, sum);
	if (id != UINT32_MAX)
		id_set_add(&fold->by_path, hash, id);
	return id;
}

static bool is_same_class(const struct group_fold *fold, const struct group_class *a,
			  const struct group_class *b)
{
	for (uint32_t i = 0; i < fold->level_count; i++)
		if (a->values[i].identity != b->values[i].identity)
			return false;
	return a->of_sample == b->of_sample && a->event == b->event;
}

/* UINT32_MAX: out of memory. */
static uint32_t intern_class(struct group_fold *fold, const struct group_class *class)
{
	const uint64_t hash = class_hash_of(fold, class);
	uint32_t id;

	if (id_set_reserve(&fold->by_class, class_hash, fold))
		return UINT32_MAX;
	for (uint32_t slot = id_set_first(&fold->by_class, hash);
	     (id = id_set_at(&fold->by_class, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->by_class, slot))
		if (is_same_class(fold, &fold->classes[id], class))
			return id;
	if (fold->class_count == fold->class_capacity) {
		uint32_t capacity = fold->class_capacity ? fold->class_capacity * 2 : 16;
		struct group_class *bigger = realloc(fold->classes, capacity * sizeof(*bigger));

		if (!bigger)
			return UINT32_MAX;
		fold->classes = bigger;
		fold->class_capacity = capacity;
	}
	id = fold->class_count++;
	fold->classes[id] = *class;
	id_set_add(&fold->by_class, hash, id);
	return id;
}

/* UINT32_MAX: out of memory, noted. */
static uint32_t class_of(struct group_fold *fold, const struct slice_entry *entry)
{
	const uint64_t cpu = fold->is_per_cpu ? entry->cpu : 0;
	const uint64_t key = (uint64_t)entry->task << 24 | cpu << 8 | entry->event;
	uint32_t id = id_map_get(&fold->by_sample, key);
	struct group_class class = { .event = entry->event };

	if (id != ID_MAP_NONE)
		return id;
	if (fold->filter.all)
		class.of_sample = fold_filter_of_sample(&fold->filter, entry);
	for (uint32_t i = 0; i < fold->level_count; i++)
		if (!group_key_is_of_code(fold->keys[i]))
			class.values[i] = group_value_of_sample(&fold->sources, fold->keys[i],
								entry);
	id = intern_class(fold, &class);
	if (id == UINT32_MAX || id_map_put(&fold->by_sample, key, id)) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
	}
	return id;
}

/* The node of the last level, or of the last that may be. UINT32_MAX: out of memory, noted. */
static uint32_t make_path(struct group_fold *fold, uint32_t class_id,
			  const struct group_frame *frame)
{
	bool is_of_object = false;
	uint32_t path = GROUP_FOLD_TOP, below;

	for (uint32_t i = 0; i < fold->level_count && path != UINT32_MAX; i++) {
		const enum group_key key = fold->keys[i];
		struct group_value value = fold->classes[class_id].values[i];

		if (group_key_is_of_code(key))
			value = group_value_of_frame(&fold->sources, key, frame, is_of_object);
		is_of_object |= key == GROUP_OBJECT;
		below = path_of(fold, path, value, i, fold->classes[class_id].event);
		if (below == GROUP_FOLD_TOP)
			break;
		path = below;
	}
	return path;
}

/* Where a class keeps what a code leads to. NULL: out of memory. */
static uint32_t *reached_slot(struct group_class *class, uint32_t code)
{
	const uint32_t page = code / PAGE_CODES;

	if (page >= class->page_count) {
		const uint32_t count = page + page / 2 + 4;
		uint32_t **bigger = realloc(class->reached, count * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + class->page_count, 0,
		       (count - class->page_count) * sizeof(*bigger));
		class->reached = bigger;
		class->page_count = count;
	}
	if (!class->reached[page])
		class->reached[page] = calloc(PAGE_CODES, sizeof(**class->reached));
	return class->reached[page] ? &class->reached[page][code % PAGE_CODES] : NULL;
}

static bool is_shown(struct group_fold *fold, uint32_t class, uint32_t symbol)
{
	return !fold->filter.all ||
	       fold_filter_matches(&fold->filter, fold->classes[class].of_sample, symbol);
}

static uint32_t find_reached(struct group_fold *fold, uint32_t class,
			     const struct group_frame *frame, uint32_t code)
{
	uint32_t *slot = reached_slot(&fold->classes[class], code);

	if (!slot) {
		fold->is_out_of_memory = true;
		return HIDDEN;
	}
	if (!*slot)
		*slot = is_shown(fold, class, frame->symbol) ? make_path(fold, class, frame)
							     : HIDDEN;
	return *slot;
}

/* ID_SET_NONE: out of memory, noted. */
static uint32_t symbol_of(struct group_fold *fold, uint32_t frame)
{
	const uint32_t symbol =
		symbol_names_of_frame(fold->sources.names, fold->sources.trie, frame);

	fold->is_out_of_memory |= symbol == ID_SET_NONE;
	return symbol_twins_of(fold->sources.twins, symbol);
}

/* What the frame's groups depend on, numbered; ID_SET_NONE: out of memory, noted. */
static uint32_t code_of(struct group_fold *fold, const struct group_frame *frame)
{
	uint32_t code = frame->symbol, number;
	uint64_t key;

	if (fold->is_per_frame)
		code = frame->frame << 1 | !frame->is_leaf;
	if (!fold->has_parent || code == ID_SET_NONE)
		return code;
	key = (uint64_t)code << 32 | frame->caller;
	number = id_map_get(&fold->by_caller, key);
	if (number != ID_MAP_NONE)
		return number;
	number = fold->by_caller.used;
	if (!id_map_put(&fold->by_caller, key, number))
		return number;
	fold->is_out_of_memory = true;
	return ID_SET_NONE;
}

static void add_total(struct group_sum *sum, const struct class_load *load)
{
	sum->now.total_samples += load->samples;
	sum->now.total_weight += load->weight;
	sum->base.total_samples += load->base_samples;
	sum->base.total_weight += load->base_weight;
}

/* In all nodes from @path on up. */
static void add_self(struct group_fold *fold, const struct class_load *load, uint32_t path)
{
	for (; path != GROUP_FOLD_TOP; path = fold->sums[path].parent) {
		struct group_sum *sum = &fold->sums[path];

		sum->now.self_samples += load->samples;
		sum->now.self_weight += load->weight;
		sum->base.self_samples += load->base_samples;
		sum->base.self_weight += load->base_weight;
	}
}

/* The node of the last level that the frame counts in, or HIDDEN: none, or out of memory. */
static uint32_t path_of_frame(struct group_fold *fold, uint32_t class,
			      const struct group_frame *frame, const struct class_load *load)
{
	const uint32_t code = code_of(fold, frame);
	const uint32_t path = code == ID_SET_NONE ? HIDDEN
						  : find_reached(fold, class, frame, code);

	if (path != HIDDEN && fold->frame_samples)
		fold->frame_samples[frame->frame << 1 | !frame->is_leaf] +=
			load->samples + load->base_samples;
	return path;
}

/* The symbol of what called @node's frame. */
static uint32_t caller_of(struct group_fold *fold, uint32_t node)
{
	const struct stack_nodes *nodes = &fold->sources.trie->nodes;

	return node == STACK_NODE_ROOT ? ID_SET_NONE : symbol_of(fold, nodes->frame[node]);
}

/* A class on its way into the sums. */
struct passage {
	struct group_fold *fold;
	uint32_t class;
	const struct class_chains *chains;
	struct way {		/* owned; of each spot the nodes it has marked: so many from */
		uint32_t path, count;	/* `path` on up */
	} * ways;
};

/* Counts the spot's frame with all beneath it, and marks where. */
static void enter(struct passage *passage, uint32_t spot_id)
{
	struct group_fold *fold = passage->fold;
	const struct stack_nodes *nodes = &fold->sources.trie->nodes;
	const struct class_spot *spot = &passage->chains->spots[spot_id];
	struct group_frame frame = { .frame = nodes->frame[spot->node], .caller = ID_SET_NONE };
	struct way way = { .count = 0 };

	frame.symbol = symbol_of(fold, frame.frame);
	if (fold->has_parent)
		frame.caller = caller_of(fold, nodes->parent[spot->node]);
	way.path = path_of_frame(fold, passage->class, &frame, &spot->load);
	if (way.path == HIDDEN)
		way.path = GROUP_FOLD_TOP;
	for (uint32_t at = way.path; at != GROUP_FOLD_TOP && !fold->sums[at].is_on_way;
	     at = fold->sums[at].parent) {
		fold->sums[at].is_on_way = true;
		add_total(&fold->sums[at], &spot->load);
		way.count++;
	}
	passage->ways[spot_id] = way;
}

static void leave(const struct passage *passage, uint32_t spot_id)
{
	struct group_sum *sums = passage->fold->sums;
	uint32_t at = passage->ways[spot_id].path;

	for (uint32_t i = passage->ways[spot_id].count; i-- > 0; at = sums[at].parent)
		sums[at].is_on_way = false;
}

/* The stacks that end at the spot. */
static void add_leaves(const struct passage *passage, uint32_t spot_id)
{
	struct group_fold *fold = passage->fold;
	const struct class_spot *spot = &passage->chains->spots[spot_id];
	const struct class_stack *stack;

	for (uint32_t row = spot->leaf; row; row = stack->sibling) {
		struct group_frame frame = { .is_leaf = true, .caller = ID_SET_NONE };
		uint32_t path;

		stack = &fold->stacks.rows[row - 1];
		frame.frame = fold->sources.trie->stacks.frame[stack->stack];
		frame.symbol = symbol_of(fold, frame.frame);
		if (fold->has_parent)
			frame.caller = caller_of(fold, spot->node);
		path = path_of_frame(fold, passage->class, &frame, &stack->load);
		if (path == HIDDEN)
			continue;
		add_self(fold, &stack->load, path);
		for (; path != GROUP_FOLD_TOP && !fold->sums[path].is_on_way;
		     path = fold->sums[path].parent)
			add_total(&fold->sums[path], &stack->load);
	}
}

/* Every spot below @root, callees between the coming and the going of their caller. */
static void pass(struct passage *passage, uint32_t root)
{
	const struct class_spot *spots = passage->chains->spots;
	uint32_t spot = root;

	add_leaves(passage, root);
	while (goes_on(passage->fold)) {
		if (spots[spot].child) {
			spot = spots[spot].child;
		} else {
			while (spot != root && !spots[spot].sibling) {
				leave(passage, spot);
				spot = spots[spot].parent;
			}
			if (spot == root)
				return;
			leave(passage, spot);
			spot = spots[spot].sibling;
		}
		enter(passage, spot);
		add_leaves(passage, spot);
	}
}

static void add_chains(struct group_fold *fold, struct class_chains *chains, uint32_t class)
{
	struct passage passage = { .fold = fold, .class = class, .chains = chains };
	const uint32_t root = class_chains_begin(chains);
	uint32_t spot = root;

	for (uint32_t row = class_stacks_first(&fold->stacks, class); row && spot && goes_on(fold);
	     row = fold->stacks.rows[row - 1].next) {
		spot = class_chains_find(chains, row - 1);
		if (spot)
			class_chains_put(chains, spot, row - 1);
	}
	passage.ways = malloc(chains->count * sizeof(*passage.ways));
	if (!spot || !passage.ways) {
		fold->is_out_of_memory = true;
	} else {
		class_chains_sum(chains);
		pass(&passage, root);
	}
	class_chains_forget(chains);
	free(passage.ways);
}

/* No key is of code: one path for all frames, and of them only whether any is shown matters. */
static void add_whole(struct group_fold *fold, const struct class_stack *from)
{
	const struct stack_trie *trie = fold->sources.trie;
	const uint32_t leaf = trie->stacks.frame[from->stack];
	const bool is_self = is_shown(fold, from->class, symbol_of(fold, leaf));
	uint32_t node = trie->stacks.node[from->stack], path;
	uint32_t *slot;

	while (!is_self && node != STACK_NODE_ROOT &&
	       !is_shown(fold, from->class, symbol_of(fold, trie->nodes.frame[node])))
		node = trie->nodes.parent[node];
	if (!is_self && node == STACK_NODE_ROOT)
		return;
	slot = reached_slot(&fold->classes[from->class], 0);
	if (slot && !*slot)
		*slot = make_path(fold, from->class, NULL);
	path = slot ? *slot : HIDDEN;
	if (path == HIDDEN) {
		fold->is_out_of_memory = true;
		return;
	}
	if (is_self)
		add_self(fold, &from->load, path);
	for (; path != GROUP_FOLD_TOP; path = fold->sums[path].parent)
		add_total(&fold->sums[path], &from->load);
}

void group_fold_sum(struct group_fold *fold)
{
	struct class_chains chains;

	class_chains_init(&chains, &fold->stacks);
	for (uint32_t i = 0; i < fold->stacks.count && !fold->has_code && goes_on(fold); i++)
		add_whole(fold, &fold->stacks.rows[i]);
	for (uint32_t i = 0; i < fold->class_count && fold->has_code && goes_on(fold); i++)
		if (class_stacks_first(&fold->stacks, i))
			add_chains(fold, &chains, i);
	class_chains_finish(&chains);
	class_stacks_finish(&fold->stacks);
	class_stacks_init(&fold->stacks, fold->sources.trie);
	fold->is_out_of_memory |= fold->stacks.is_out_of_memory;
}

static void add_entry(struct group_fold *fold, const struct slice_entry *entry, double factor,
		      bool is_base)
{
	const struct task *task = &fold->sources.tasks->tasks[entry->task];
	const uint32_t symbol = symbol_of(fold, fold->sources.trie->stacks.frame[entry->stack]);
	const double weight = (double)entry->weight * factor;
	struct class_load load = { .samples = entry->count, .weight = weight };
	uint32_t class, row;

	if (is_base)
		load = (struct class_load){ .base_samples = entry->count, .base_weight = weight };
	if (symbol == ID_SET_NONE || fold_is_idle(fold->sources.names, task, symbol))
		return;
	*(is_base ? &fold->base_whole[entry->event] : &fold->whole[entry->event]) += weight;
	fold->samples += entry->count;
	class = class_of(fold, entry);
	if (class == UINT32_MAX ||
	    !fold_filter_can_match(&fold->filter, fold->classes[class].of_sample))
		return;
	row = class_stacks_get(&fold->stacks, class, entry->stack);
	if (row == UINT32_MAX) {
		fold->is_out_of_memory = true;
		return;
	}
	class_load_add(&fold->stacks.rows[row].load, &load);
	if (fold->stacks.count == STACKS_MAX)
		group_fold_sum(fold);
}

static bool is_folded(const struct group_fold *fold, const struct slice_entry *entry)
{
	return entry->count &&
	       (fold->has_event ? entry->event != EVENT_OF_VALUES : entry->event == fold->event);
}

static void add_entries(struct group_fold *fold, const struct slice_entry *entries, uint32_t count,
			double factor, bool is_base)
{
	for (uint32_t i = 0; i < count && goes_on(fold); i++)
		if (is_folded(fold, &entries[i]))
			add_entry(fold, &entries[i], factor, is_base);
}

void group_fold_add(struct group_fold *fold, const struct slice_entry *entries, uint32_t count,
		    double factor)
{
	add_entries(fold, entries, count, factor, false);
}

void group_fold_add_base(struct group_fold *fold, const struct slice_entry *entries,
			 uint32_t count)
{
	add_entries(fold, entries, count, 1.0, true);
}
