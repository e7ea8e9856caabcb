/* group_chains.c - counts samples for the groups of all frames of their stacks.
 *
 * Problem: a window has a million frames, nearly all of callers that thousands of samples share;
 * and a group counts a sample once, however many of its frames belong there.
 *
 * Idea: samples wait until all are there, and are sorted by class, and in a class by their caller
 * chains, in preorder of the tree of all chains. So a walk enters each chain once, before its first
 * sample, and leaves it after the last sample below it; `open` is the stack of chains from the root
 * to the present one. On entering a chain, mark every group not already marked by an outer frame;
 * on leaving it, add what was counted below to those groups' totals.
 *
 *   chains          samples        entered and left
 *   main            -              main( a( f( 2 ) 1 ) b( 3 ) )
 *   main > a        1
 *   main > a > f    2              total:  main 6   a 3   f 2   b 3
 *   main > b        3
 *
 * Invariant: the groups above a marked group are marked, by the same chain or by an outer one.
 */
#include "fold/groups.h"

#include <stdlib.h>

#include "fold/fold.h"
#include "window_nodes.h"

#define PREFETCH_AHEAD 8	/* entries: their stacks lie all over memory */
#define WAITING_MAX    262144	/* 10 MB: more are counted by so many at a time */

/* A caller chain of the window, at its place in the order of the walk; the root's is 0. */
struct spot {
	uint32_t parent;	/* place of the parent */
	uint32_t end;		/* place after all its descendants */
	uint32_t frame;
	uint32_t code;
};

/* A chain that was entered. */
struct way {
	uint32_t place;
	uint32_t path;		/* the group of its frame; GROUP_FOLD_HIDDEN: none */
	uint32_t marked;	/* number of groups that it marked, from `path` upwards */
	struct load load;	/* counted so far in it and in chains below it that were left */
};

struct walk {
	struct group_fold *fold;
	bool is_base;
	uint32_t class;
	struct window_nodes nodes;	/* owned, like the arrays below */
	uint32_t *place_of;		/* by number in `nodes` */
	struct spot *spots;		/* by place */
	struct group_sample *samples;	/* sorted by class and place */
	uint32_t *first;		/* by class: first sample; after the last: their number */
	struct way *open;		/* [0] is the root's */
	uint32_t open_count;
	uint32_t *missing;		/* scratch: places still to enter for a sample */
	uint32_t depth;			/* length of the longest chain, with the root */
};

static struct stats *stats_of(const struct walk *walk, uint32_t path)
{
	struct group_sum *sum = &walk->fold->sums[path];

	return walk->is_base ? &sum->base : &sum->now;
}

/* Returns the symbol of the frame at @place; ID_SET_NONE: none, or out of memory, noted. */
static uint32_t symbol_at(const struct walk *walk, uint32_t place)
{
	return place ? group_fold_symbol(walk->fold, walk->spots[place].frame) : ID_SET_NONE;
}

/* GROUP_FOLD_HIDDEN: none, or out of memory, noted. */
static uint32_t path_of_spot(const struct walk *walk, const struct spot *spot)
{
	struct group_fold *fold = walk->fold;
	const uint32_t known = group_fold_known_path(&fold->classes[walk->class], spot->code);
	struct group_frame frame = { .frame = spot->frame, .caller = ID_SET_NONE };

	if (known)
		return known;
	frame.symbol = group_fold_symbol(fold, spot->frame);
	if (fold->has_parent)
		frame.caller = symbol_at(walk, spot->parent);
	return group_fold_path(fold, walk->class, &frame, spot->code);
}

static void enter(struct walk *walk, uint32_t place)
{
	struct group_sum *sums;
	struct way way = { .place = place, .path = path_of_spot(walk, &walk->spots[place]) };

	sums = walk->fold->sums;	/* may lie elsewhere by now */
	if (way.path != GROUP_FOLD_HIDDEN)
		for (uint32_t at = way.path; at != GROUP_FOLD_TOP && !sums[at].is_marked;
		     at = sums[at].parent) {
			sums[at].is_marked = true;
			way.marked++;
		}
	walk->open[walk->open_count++] = way;
}

static void leave(struct walk *walk)
{
	const struct way *way = &walk->open[--walk->open_count];
	struct group_fold *fold = walk->fold;
	uint32_t at = way->path;

	for (uint32_t i = 0; i < way->marked; i++, at = fold->sums[at].parent) {
		fold->sums[at].is_marked = false;
		load_add(&stats_of(walk, at)->total, &way->load);
	}
	if (fold->frame_samples && way->path != GROUP_FOLD_HIDDEN)
		fold->frame_samples[walk->spots[way->place].frame << 1 | 1] += way->load.samples;
	load_add(&walk->open[walk->open_count - 1].load, &way->load);
}

/* Leaves and enters chains until @place is the present one. */
static void go_to(struct walk *walk, uint32_t place)
{
	uint32_t count = 0, at;

	while (place >= walk->spots[walk->open[walk->open_count - 1].place].end)
		leave(walk);
	at = walk->open[walk->open_count - 1].place;
	for (; place != at; place = walk->spots[place].parent)
		walk->missing[count++] = place;
	while (count > 0)
		enter(walk, walk->missing[--count]);
}

/* Counts the sample's leaf. */
static void add_leaf(struct walk *walk, const struct group_sample *sample)
{
	struct group_fold *fold = walk->fold;
	struct group_frame frame = { .frame = sample->frame, .symbol = sample->symbol,
				     .caller = ID_SET_NONE, .is_leaf = true };
	uint32_t code, path;

	if (fold->has_parent)
		frame.caller = symbol_at(walk, sample->at);
	code = group_fold_code(fold, &frame);
	path = code == ID_SET_NONE ? GROUP_FOLD_HIDDEN
				   : group_fold_path(fold, walk->class, &frame, code);
	load_add(&walk->open[walk->open_count - 1].load, &sample->load);
	if (path == GROUP_FOLD_HIDDEN)
		return;
	if (fold->frame_samples)
		fold->frame_samples[frame.frame << 1] += sample->load.samples;
	group_fold_add_self(fold, path, &sample->load, walk->is_base);
	for (; path != GROUP_FOLD_TOP && !fold->sums[path].is_marked;
	     path = fold->sums[path].parent)
		load_add(&stats_of(walk, path)->total, &sample->load);
}

/* False: out of memory. */
static bool number_nodes(struct walk *walk)
{
	struct group_fold *fold = walk->fold;

	if (window_nodes_init(&walk->nodes, fold->sources.trie))
		return false;
	for (uint32_t i = 0; i < fold->waiting_count; i++)
		window_nodes_mark(&walk->nodes, fold->waiting[i].at);
	return !window_nodes_number(&walk->nodes);
}

/* The number of places that a chain takes with its descendants, and its length. */
struct extent {
	uint32_t size, depth;
	uint32_t next;		/* place of its next callee */
};

/* Parents have smaller numbers: their sizes are known when the last child was added. */
static void measure(struct walk *walk, struct extent *extents)
{
	const struct window_nodes *nodes = &walk->nodes;

	extents[0] = (struct extent){ .depth = 1 };
	for (uint32_t n = 1; n < nodes->count; n++) {
		extents[n] = (struct extent){ .depth = extents[nodes->parent[n]].depth + 1 };
		if (extents[n].depth > walk->depth)
			walk->depth = extents[n].depth;
	}
	for (uint32_t n = nodes->count; n-- > 0;) {
		extents[n].size++;	/* itself */
		if (n)
			extents[nodes->parent[n]].size += extents[n].size;
	}
}

static void place_nodes(struct walk *walk, struct extent *extents)
{
	const struct window_nodes *nodes = &walk->nodes;
	const uint32_t *frames = walk->fold->sources.trie->nodes.frame;

	extents[0].next = 1;
	walk->place_of[0] = 0;
	walk->spots[0] = (struct spot){ .end = nodes->count };
	for (uint32_t n = 1; n < nodes->count; n++) {
		struct extent *parent = &extents[nodes->parent[n]];
		const uint32_t place = parent->next;

		parent->next += extents[n].size;
		extents[n].next = place + 1;
		walk->place_of[n] = place;
		walk->spots[place] = (struct spot){
			.parent = walk->place_of[nodes->parent[n]],
			.end = place + extents[n].size, .frame = frames[nodes->node[n]],
		};
	}
}

/* Sets the code of each spot: see group_fold_code(). */
static void find_codes(struct walk *walk)
{
	struct group_fold *fold = walk->fold;

	for (uint32_t place = 1; place < walk->nodes.count; place++) {
		struct spot *spot = &walk->spots[place];
		struct group_frame frame = { .frame = spot->frame, .caller = ID_SET_NONE };

		frame.symbol = group_fold_symbol(fold, spot->frame);
		if (fold->has_parent)
			frame.caller = symbol_at(walk, spot->parent);
		spot->code = group_fold_code(fold, &frame);
	}
}

/* False: out of memory. */
static bool lay_out(struct walk *walk)
{
	const uint32_t count = walk->nodes.count;
	struct extent *extents = malloc(count * sizeof(*extents));

	walk->depth = 1;
	walk->place_of = malloc(count * sizeof(*walk->place_of));
	walk->spots = malloc(count * sizeof(*walk->spots));
	if (extents && walk->place_of && walk->spots) {
		measure(walk, extents);
		place_nodes(walk, extents);
		find_codes(walk);
	}
	free(extents);
	walk->open = malloc(walk->depth * sizeof(*walk->open));
	walk->missing = malloc(walk->depth * sizeof(*walk->missing));
	return extents && walk->place_of && walk->spots && walk->open && walk->missing &&
	       !walk->fold->is_out_of_memory;
}

/* Says of each sample at which place it is, and how many there are of each class and place. */
static void find_places(struct walk *walk, uint32_t *at_place)
{
	struct group_fold *fold = walk->fold;

	for (uint32_t i = 0; i < fold->waiting_count; i++) {
		struct group_sample *sample = &fold->waiting[i];

		sample->at = walk->place_of[window_nodes_find(&walk->nodes, sample->at)];
		sample->next = at_place[sample->at];
		at_place[sample->at] = i + 1;
		walk->first[sample->class]++;
	}
	for (uint32_t c = 1; c <= fold->class_count; c++)
		walk->first[c] += walk->first[c - 1];
}

/* All samples of a class side by side, in the order of the walk. False: out of memory. */
static bool line_up(struct walk *walk)
{
	struct group_fold *fold = walk->fold;
	uint32_t *at_place = calloc(walk->nodes.count, sizeof(*at_place));

	walk->first = calloc(fold->class_count + 1, sizeof(*walk->first));
	walk->samples = malloc(fold->waiting_count * sizeof(*walk->samples));
	if (!at_place || !walk->first || !walk->samples) {
		free(at_place);
		return false;
	}
	find_places(walk, at_place);
	/* From the last on, each before those of its class that are there already. */
	for (uint32_t place = walk->nodes.count; place-- > 0;)
		for (uint32_t i = at_place[place]; i; i = fold->waiting[i - 1].next) {
			const struct group_sample *sample = &fold->waiting[i - 1];

			walk->samples[--walk->first[sample->class]] = *sample;
		}
	free(at_place);
	return true;
}

static void count_class(struct walk *walk, uint32_t class)
{
	struct group_fold *fold = walk->fold;

	walk->class = class;
	walk->open[0] = (struct way){ .path = GROUP_FOLD_HIDDEN };
	walk->open_count = 1;
	for (uint32_t i = walk->first[class];
	     i < walk->first[class + 1] && group_fold_goes_on(fold); i++) {
		go_to(walk, walk->samples[i].at);
		add_leaf(walk, &walk->samples[i]);
	}
	while (walk->open_count > 1)
		leave(walk);
}

/* Counts the waiting samples into the sums of the window or of the baseline. */
static void count_waiting(struct group_fold *fold, bool is_base)
{
	struct walk walk = { .fold = fold, .is_base = is_base };

	if (!group_fold_goes_on(fold) || !fold->waiting_count)
		return;
	if (!number_nodes(&walk) || !lay_out(&walk) || !line_up(&walk))
		fold->is_out_of_memory = true;
	for (uint32_t c = 0; c < fold->class_count && group_fold_goes_on(fold); c++)
		count_class(&walk, c);
	fold->waiting_count = 0;
	window_nodes_finish(&walk.nodes);
	free(walk.place_of);
	free(walk.spots);
	free(walk.first);
	free(walk.samples);
	free(walk.open);
	free(walk.missing);
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
static uint32_t class_of(struct group_fold *fold, const struct slice_entry *entry, uint32_t tuple)
{
	const struct wait_stacks *waits = wait_stacks_of(fold->sources.waits, entry->event);
	const uint64_t cpu = fold->is_per_cpu ? entry->cpu : 0;
	const uint64_t wait = fold->is_per_wait && waits
			      ? (uint64_t)wait_stacks_kind(waits, entry) << 8 | entry->bucket : 0;
	/* No hit is a wait. The bucket of a hit has its parts of FILTER_BY. */
	const uint64_t parts = fold->filter.by_hit && entry->event >= PROBE_EVENT_FIRST
			       ? entry->bucket : 0;
	/* An entry with a tuple is of no known CPU, and its tuple decides on its parts. */
	const uint64_t of_sample = fold->is_per_hit && tuple != SLICE_TUPLE_NONE
				   ? (uint64_t)tuple : (wait | parts) << 13 | cpu;
	const uint64_t key = (uint64_t)entry->task << 36 | of_sample << 11 | entry->event;
	const bool is_by_stack = fold->is_per_hit && fold->sources.is_hit_by_stack;
	uint32_t id = is_by_stack ? ID_MAP_NONE : id_map_get(&fold->by_sample, key);
	struct group_class class = { .event = entry->event };

	if (id != ID_MAP_NONE)
		return id;
	class.of_sample = fold_filter_of_sample(&fold->filter, entry);
	for (uint32_t i = 0; i < fold->level_count; i++)
		if (!group_key_is_of_code(fold->keys[i]))
			class.values[i] = group_value_of_sample(&fold->sources, fold->keys[i],
								entry, tuple);
	id = intern_class(fold, &class);
	if (id == UINT32_MAX || (!is_by_stack && id_map_put(&fold->by_sample, key, id))) {
		fold->is_out_of_memory = true;
		return UINT32_MAX;
	}
	return id;
}

/* Queues a sample, to be counted with others. */
static void add_waiting(struct group_fold *fold, const struct group_sample *sample, bool is_base)
{
	if (fold->waiting_count == WAITING_MAX || fold->is_base_waiting != is_base)
		count_waiting(fold, fold->is_base_waiting);
	fold->is_base_waiting = is_base;
	if (fold->waiting_count == fold->waiting_capacity) {
		uint32_t capacity = fold->waiting_capacity ? fold->waiting_capacity * 2 : 1024;
		struct group_sample *bigger = realloc(fold->waiting, capacity * sizeof(*bigger));

		if (!bigger) {
			fold->is_out_of_memory = true;
			return;
		}
		fold->waiting = bigger;
		fold->waiting_capacity = capacity;
	}
	fold->waiting[fold->waiting_count++] = *sample;
}

static void add_entry(struct group_fold *fold, const struct slice_entry *entry, uint32_t tuple,
		      double factor, bool is_base)
{
	const struct stack_trie *trie = fold->sources.trie;
	const struct task *task = &fold->sources.tasks->tasks[entry->task];
	const struct wait_stacks *waits = wait_stacks_of(fold->sources.waits, entry->event);
	const uint32_t stack = wait_stacks_cut(waits, entry);
	struct group_sample sample = {
		.at = trie->stacks.node[stack], .frame = trie->stacks.frame[stack],
		.load = { entry->count, (double)entry->weight * factor },
	};

	sample.symbol = group_fold_symbol(fold, sample.frame);
	if (sample.symbol == ID_SET_NONE ||
	    fold_is_idle(fold->sources.names, task, sample.symbol) ||
	    wait_stacks_is_idle(waits, entry))
		return;
	*(is_base ? &fold->base_whole[entry->event] : &fold->whole[entry->event]) +=
		sample.load.weight;
	fold->samples += entry->count;
	sample.class = class_of(fold, entry, tuple);
	if (sample.class == UINT32_MAX ||
	    !fold_filter_can_match(&fold->filter, fold->classes[sample.class].of_sample))
		return;
	if (fold->has_code)
		add_waiting(fold, &sample, is_base);
	else
		group_fold_add_whole(fold, &sample, is_base);
}

static bool is_folded(const struct group_fold *fold, const struct slice_entry *entry)
{
	return entry->count &&
	       (fold->has_event ? slice_entry_is_sample(entry) : entry->event == fold->event);
}

static void add_entries(struct group_fold *fold, const struct slice_entry *entries, uint32_t count,
			double factor, bool is_base)
{
	const struct stack_trie *trie = fold->sources.trie;

	for (uint32_t i = 0; i < count && group_fold_goes_on(fold); i++) {
		if (count - i > PREFETCH_AHEAD) {
			__builtin_prefetch(&trie->stacks.frame[entries[i + PREFETCH_AHEAD].stack]);
			__builtin_prefetch(&trie->stacks.node[entries[i + PREFETCH_AHEAD].stack]);
		}
		if (is_folded(fold, &entries[i]))
			add_entry(fold, &entries[i],
				  fold->tuples ? fold->tuples[i] : SLICE_TUPLE_NONE, factor,
				  is_base);
	}
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

void group_fold_sum(struct group_fold *fold)
{
	count_waiting(fold, fold->is_base_waiting);
}
