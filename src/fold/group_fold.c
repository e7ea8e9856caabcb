/* group_fold.c - see fold/groups.h.
 *
 * Problem: keys of tasks and of code come in any order, and a window has a million frames.
 *
 * Idea: a sample's values for keys of tasks are the same for all its frames. Samples with equal
 * values are a class; within a class a frame's code determines one node of the last level, looked
 * up once. group_chains.c finds the frames of a class and the load of each.
 *
 * A code is the frame's symbol, or the frame itself if addresses or lines are keys; combined with
 * the caller's symbol if GROUP_PARENT is a key.
 */
#include "fold/groups.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

#define LEAST_SHARE    2000	/* one in so many */
#define STEPS_UNASKED  256	/* entries: 10 to 50 us */

static uint64_t path_hash_of(uint32_t parent, uint64_t identity)
{
	return id_set_mix(parent, identity);
}

static uint64_t path_hash(const void *owner, uint32_t id)
{
	const struct group_sum *sum = &((const struct group_fold *)owner)->sums[id];

	return path_hash_of(sum->parent, sum->value.identity);
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
	while (fold->code_level < fold->level_count &&
	       !group_key_is_of_code(fold->keys[fold->code_level]))
		fold->code_level++;
	fold->has_code = fold->code_level < fold->level_count;
	fold->has_parent = has_key(fold, GROUP_PARENT);
	fold->is_per_frame = has_key(fold, GROUP_ADDRESS) || has_key(fold, GROUP_SOURCE);
	fold->is_per_cpu = has_key(fold, GROUP_CPU) || has_key(fold, GROUP_SOCKET) ||
			   has_key(fold, GROUP_PMU) ||
			   fold->filter.by_cpu;
	fold->is_per_wait = has_key(fold, GROUP_WAIT) || has_key(fold, GROUP_STATE) ||
			    has_key(fold, GROUP_WAKER) || fold->filter.by_wait;
	fold->is_per_hit = fold->filter.by_hit;
	for (uint32_t i = 0; i < fold->level_count; i++)
		fold->is_per_hit |= group_key_is_by(fold->keys[i]);
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
	fold->filter.waits = sources->waits;
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
	free(fold->waiting);
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

/* The node of the last level, or of the last that may be. UINT32_MAX: out of memory, noted. */
static uint32_t make_path(struct group_fold *fold, uint32_t class_id,
			  const struct group_frame *frame)
{
	struct group_class *class = &fold->classes[class_id];
	uint32_t path = class->above, below;
	bool is_of_dso = false;

	for (uint32_t i = path ? fold->code_level : 0;
	     i < fold->level_count && path != UINT32_MAX; i++) {
		const enum group_key key = fold->keys[i];
		struct group_value value = class->values[i];

		if (group_key_is_of_code(key))
			value = group_value_of_frame(&fold->sources, key, frame, is_of_dso);
		is_of_dso |= key == GROUP_DSO;
		below = path_of(fold, path, value, i, class->event);
		if (below == GROUP_FOLD_TOP)
			break;
		path = below;
		if (i + 1 == fold->code_level && path != UINT32_MAX)
			class->above = path;
	}
	return path;
}

/* Returns the slot for the sum that @code leads to in @class. NULL: out of memory. */
static uint32_t *reached_slot(struct group_class *class, uint32_t code)
{
	const uint32_t page = code / GROUP_FOLD_PAGE;

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
		class->reached[page] = calloc(GROUP_FOLD_PAGE, sizeof(**class->reached));
	return class->reached[page] ? &class->reached[page][code % GROUP_FOLD_PAGE] : NULL;
}

static bool is_shown(struct group_fold *fold, uint32_t class_id, uint32_t symbol)
{
	return !fold->filter.all ||
	       fold_filter_matches(&fold->filter, fold->classes[class_id].of_sample, symbol);
}

uint32_t group_fold_path(struct group_fold *fold, uint32_t class_id,
			 const struct group_frame *frame, uint32_t code)
{
	uint32_t *slot = reached_slot(&fold->classes[class_id], code);

	if (!slot) {
		fold->is_out_of_memory = true;
		return GROUP_FOLD_HIDDEN;
	}
	if (!*slot)
		*slot = is_shown(fold, class_id, frame->symbol) ? make_path(fold, class_id, frame)
								: GROUP_FOLD_HIDDEN;
	return *slot;
}

uint32_t group_fold_symbol(struct group_fold *fold, uint32_t frame)
{
	const uint32_t symbol =
		symbol_names_of_frame(fold->sources.names, fold->sources.trie, frame);

	fold->is_out_of_memory |= symbol == ID_SET_NONE;
	return symbol_pairs_of(fold->sources.pairs, symbol);
}

uint32_t group_fold_code(struct group_fold *fold, const struct group_frame *frame)
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

void group_fold_add_self(struct group_fold *fold, uint32_t path, const struct load *load,
			 bool is_base)
{
	for (; path != GROUP_FOLD_TOP; path = fold->sums[path].parent) {
		struct group_sum *sum = &fold->sums[path];

		load_add(is_base ? &sum->base.self : &sum->now.self, load);
	}
}

static void add_total(struct group_fold *fold, uint32_t path, const struct load *load,
		      bool is_base)
{
	for (; path != GROUP_FOLD_TOP; path = fold->sums[path].parent) {
		struct group_sum *sum = &fold->sums[path];

		load_add(is_base ? &sum->base.total : &sum->now.total, load);
	}
}

void group_fold_add_whole(struct group_fold *fold, const struct group_sample *sample, bool is_base)
{
	const struct stack_trie *trie = fold->sources.trie;
	const bool is_self = is_shown(fold, sample->class, sample->symbol);
	uint32_t node = sample->at, path;
	uint32_t *slot;

	while (!is_self && node != STACK_NODE_ROOT &&
	       !is_shown(fold, sample->class, group_fold_symbol(fold, trie->nodes.frame[node])))
		node = trie->nodes.parent[node];
	if (!is_self && node == STACK_NODE_ROOT)
		return;
	slot = reached_slot(&fold->classes[sample->class], 0);
	if (slot && !*slot)
		*slot = make_path(fold, sample->class, NULL);
	path = slot ? *slot : GROUP_FOLD_HIDDEN;
	if (path == GROUP_FOLD_HIDDEN) {
		fold->is_out_of_memory = true;
		return;
	}
	add_total(fold, path, &sample->load, is_base);
	if (is_self)
		group_fold_add_self(fold, path, &sample->load, is_base);
}

bool group_fold_goes_on(struct group_fold *fold)
{
	if (fold->stop.is_due && ++fold->steps == STEPS_UNASKED) {
		fold->is_stopped |= fold->stop.is_due(fold->stop.owner);
		fold->steps = 0;
	}
	return !fold->is_out_of_memory && !fold->is_stopped;
}

/* Chooses frames with most samples first, so that the tree fills in from what is worth seeing.
 * Those with less than a two-thousandth of all samples are never requested: that keeps the requests
 * below what source_lines.c caches, or it would evict and request without end. */
uint32_t group_fold_requests(const struct group_fold *fold,
			     struct source_request out[SOURCE_REQUESTS_MAX])
{
	const struct source_lines *lines = fold->sources.lines;
	const uint32_t frames = fold->sources.trie->frames.count;
	struct source_ranking ranking = { .requests = out };

	if (!fold->frame_samples || !lines || fold->is_out_of_memory || fold->is_stopped)
		return 0;
	for (uint32_t i = 0; i < 2 * frames; i++) {
		const uint64_t samples = fold->frame_samples[i];
		struct source_request of;

		if (samples < fold->samples / LEAST_SHARE ||
		    !source_ranking_has_room(&ranking, (double)samples))
			continue;
		of = source_lines_of_frame(fold->sources.names, fold->sources.trie, i >> 1,
					   !(i & 1));
		if (source_lines_can_be_requested(lines, &of))
			source_ranking_add(&ranking, &of, (double)samples);
	}
	return ranking.count;
}
