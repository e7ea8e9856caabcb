/* group_fold.c - see model/group_fold.h.
 *
 * Problem: keys of tasks and of code come in any order, and a window has a million frames.
 *
 * Idea: a sample's values by keys of tasks are the same for all its frames. Samples that have them
 * all alike are a class; in a class a frame's code leads to one node of the last level, looked up
 * once. A frame then costs two array reads, and the way up to the first node that the entry was
 * counted in already.
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
	free(fold->frame_samples);
	id_set_finish(&fold->by_path);
	id_set_finish(&fold->by_class);
	id_map_finish(&fold->by_sample);
	id_map_finish(&fold->by_caller);
	id_map_finish(&fold->sources.process_comms);
	memset(fold, 0, sizeof(*fold));
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

/* A sample on its way into the sums. */
struct group_sample {
	uint32_t class, of_sample;
	uint64_t samples;
	double weight;
	bool is_base;
};

static bool is_shown(struct group_fold *fold, const struct group_sample *sample, uint32_t symbol)
{
	return !fold->filter.all || fold_filter_matches(&fold->filter, sample->of_sample, symbol);
}

static uint32_t find_reached(struct group_fold *fold, const struct group_sample *sample,
			     const struct group_frame *frame, uint32_t code)
{
	uint32_t *slot = reached_slot(&fold->classes[sample->class], code);

	if (!slot) {
		fold->is_out_of_memory = true;
		return HIDDEN;
	}
	if (!*slot)
		*slot = is_shown(fold, sample, frame->symbol)
			? make_path(fold, sample->class, frame) : HIDDEN;
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

static void add_total(struct group_fold *fold, const struct group_sample *sample, uint32_t path)
{
	for (; path != GROUP_FOLD_TOP && fold->sums[path].stamp != fold->stamp;
	     path = fold->sums[path].parent) {
		struct group_sum *sum = &fold->sums[path];
		struct group_counts *counts = sample->is_base ? &sum->base : &sum->now;

		sum->stamp = fold->stamp;
		counts->total_samples += sample->samples;
		counts->total_weight += sample->weight;
	}
}

static void add_self(struct group_fold *fold, const struct group_sample *sample, uint32_t path)
{
	for (; path != GROUP_FOLD_TOP; path = fold->sums[path].parent) {
		struct group_sum *sum = &fold->sums[path];
		struct group_counts *counts = sample->is_base ? &sum->base : &sum->now;

		counts->self_samples += sample->samples;
		counts->self_weight += sample->weight;
	}
}

static void add_frame(struct group_fold *fold, const struct group_sample *sample,
		      const struct group_frame *frame)
{
	const uint32_t code = code_of(fold, frame);
	const uint32_t path = code == ID_SET_NONE ? HIDDEN
						  : find_reached(fold, sample, frame, code);

	if (path == HIDDEN)	/* or out of memory */
		return;
	if (fold->frame_samples)
		fold->frame_samples[frame->frame << 1 | !frame->is_leaf] += sample->samples;
	add_total(fold, sample, path);
	if (frame->is_leaf)
		add_self(fold, sample, path);
}

/* The symbol of what called @node's frame. */
static uint32_t caller_of(struct group_fold *fold, uint32_t node)
{
	const struct stack_nodes *nodes = &fold->sources.trie->nodes;

	return node == STACK_NODE_ROOT ? ID_SET_NONE : symbol_of(fold, nodes->frame[node]);
}

static void add_frames(struct group_fold *fold, const struct group_sample *sample, uint32_t stack)
{
	const struct stack_trie *trie = fold->sources.trie;
	uint32_t node = trie->stacks.node[stack];
	struct group_frame frame = { .frame = trie->stacks.frame[stack], .is_leaf = true };

	frame.symbol = symbol_of(fold, frame.frame);
	for (;;) {
		frame.caller = fold->has_parent ? caller_of(fold, node) : ID_SET_NONE;
		add_frame(fold, sample, &frame);
		if (node == STACK_NODE_ROOT)
			return;
		frame.frame = trie->nodes.frame[node];
		frame.symbol = symbol_of(fold, frame.frame);
		frame.is_leaf = false;
		node = trie->nodes.parent[node];
	}
}

/* No key is of code: one path for all frames, and of them only whether any is shown matters. */
static void add_whole(struct group_fold *fold, const struct group_sample *sample, uint32_t stack)
{
	const struct stack_trie *trie = fold->sources.trie;
	const bool is_self = is_shown(fold, sample, symbol_of(fold, trie->stacks.frame[stack]));
	uint32_t node = trie->stacks.node[stack], path;
	uint32_t *slot;

	while (!is_self && node != STACK_NODE_ROOT &&
	       !is_shown(fold, sample, symbol_of(fold, trie->nodes.frame[node])))
		node = trie->nodes.parent[node];
	if (!is_self && node == STACK_NODE_ROOT)
		return;
	slot = reached_slot(&fold->classes[sample->class], 0);
	if (slot && !*slot)
		*slot = make_path(fold, sample->class, NULL);
	path = slot ? *slot : HIDDEN;
	if (path == HIDDEN) {
		fold->is_out_of_memory = true;
		return;
	}
	add_total(fold, sample, path);
	if (is_self)
		add_self(fold, sample, path);
}

static void add_entry(struct group_fold *fold, const struct slice_entry *entry, double factor,
		      bool is_base)
{
	const struct task *task = &fold->sources.tasks->tasks[entry->task];
	const uint32_t symbol = symbol_of(fold, fold->sources.trie->stacks.frame[entry->stack]);
	struct group_sample sample = { .samples = entry->count, .is_base = is_base,
				       .weight = (double)entry->weight * factor };

	if (symbol == ID_SET_NONE || fold_is_idle(fold->sources.names, task, symbol))
		return;
	*(is_base ? &fold->base_whole[entry->event] : &fold->whole[entry->event]) += sample.weight;
	fold->samples += entry->count;
	sample.class = class_of(fold, entry);
	if (sample.class == UINT32_MAX)
		return;
	sample.of_sample = fold->classes[sample.class].of_sample;
	if (!fold_filter_can_match(&fold->filter, sample.of_sample))
		return;
	fold->stamp++;
	if (fold->has_code)
		add_frames(fold, &sample, entry->stack);
	else
		add_whole(fold, &sample, entry->stack);
}

static bool goes_on(struct group_fold *fold)
{
	if (fold->stop.is_due && ++fold->steps == STEPS_UNASKED) {
		fold->is_stopped |= fold->stop.is_due(fold->stop.owner);
		fold->steps = 0;
	}
	return !fold->is_out_of_memory && !fold->is_stopped;
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
