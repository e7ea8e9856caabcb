/* listing_fold.c - see listing/listing.h.
 *
 * Most entries of a window are not in the function: one comparison of DSO and address rejects them.
 * The DSO of a frame may be a copy that another DSO stands for, so the canonical DSOs are compared;
 * an address that two symbols of one DSO cover is of the inner one, as in the table.
 */
#include "listing/listing.h"

#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

#define STEPS_UNASKED 8192	/* entries: about 2 ms */

void listing_fold_init(struct listing_fold *fold, struct stack_trie *trie,
		       struct symbol_names *names, const struct task_table *tasks,
		       const struct listing_function *function, const struct filter *filter,
		       const uint32_t *events, uint32_t event_count)
{
	*fold = (struct listing_fold){
		.trie = trie, .names = names, .tasks = tasks, .function = function,
		.event_count = event_count,
	};
	memcpy(fold->events, events, event_count * sizeof(*events));
	if (fold_filter_init(&fold->filter, filter, names, tasks))
		fold->is_out_of_memory = true;
}

void listing_fold_set_waits(struct listing_fold *fold, const struct wait_stacks *waits)
{
	fold->waits = fold->filter.waits = waits;
}

void listing_fold_finish(struct listing_fold *fold)
{
	fold_filter_finish(&fold->filter);
	free(fold->addresses);
	id_map_finish(&fold->by_address);
	free(fold->sites);
	id_map_finish(&fold->by_site);
	memset(fold, 0, sizeof(*fold));
}

/* Makes room for one more of @bytes each. */
static bool grow(void **rows, uint32_t count, uint32_t *capacity, size_t bytes)
{
	const uint32_t more = *capacity ? *capacity * 2 : 256;
	void *bigger;

	if (count < *capacity)
		return true;
	bigger = realloc(*rows, more * bytes);
	if (!bigger)
		return false;
	*rows = bigger;
	*capacity = more;
	return true;
}

static struct listing_address *address_of(struct listing_fold *fold, uint64_t address)
{
	const uint32_t known = id_map_get(&fold->by_address, address);
	struct listing_address *row;

	if (known != ID_MAP_NONE)
		return &fold->addresses[known];
	if (!grow((void **)&fold->addresses, fold->address_count, &fold->address_capacity,
		  sizeof(*fold->addresses)) ||
	    id_map_put(&fold->by_address, address, fold->address_count)) {
		fold->is_out_of_memory = true;
		return NULL;
	}
	row = &fold->addresses[fold->address_count++];
	*row = (struct listing_address){ .address = address };
	return row;
}

static void add_site(struct listing_fold *fold, uint64_t return_address, uint32_t callee,
		     const struct load *load)
{
	const uint64_t key = id_map_mix(return_address ^ id_map_mix(callee));
	uint32_t known = id_map_get(&fold->by_site, key);

	if (known == ID_MAP_NONE) {
		if (!grow((void **)&fold->sites, fold->site_count, &fold->site_capacity,
			  sizeof(*fold->sites)) ||
		    id_map_put(&fold->by_site, key, fold->site_count)) {
			fold->is_out_of_memory = true;
			return;
		}
		known = fold->site_count++;
		fold->sites[known] = (struct listing_site){ return_address, callee, { 0, 0 } };
	}
	load_add(&fold->sites[known].load, load);
}

static bool is_listed(const struct listing_fold *fold, uint32_t frame)
{
	const struct dso_table *dsos = fold->names->dsos;
	const uint64_t address = fold->trie->frames.address[frame];
	const uint32_t dso = fold->trie->frames.dso[frame];

	return listing_function_section(fold->function, address) != UINT32_MAX &&
	       dsos->dsos[dso].canonical == fold->function->dso;
}

/* Return addresses are after the call, and so may be those of the next function. */
static bool is_caller(const struct listing_fold *fold, uint32_t frame)
{
	const struct dso_table *dsos = fold->names->dsos;
	const uint64_t address = fold->trie->frames.address[frame];

	return address && listing_function_section(fold->function, address - 1) != UINT32_MAX &&
	       dsos->dsos[fold->trie->frames.dso[frame]].canonical == fold->function->dso;
}

static uint32_t shown_stack(const struct listing_fold *fold, const struct slice_entry *entry)
{
	return wait_stacks_cut(wait_stacks_of(fold->waits, entry->event), entry);
}

static void add_sites(struct listing_fold *fold, const struct slice_entry *entry,
		      const struct load *load)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;
	const uint32_t stack = shown_stack(fold, entry);
	uint32_t below = fold->trie->stacks.frame[stack];

	for (uint32_t n = fold->trie->stacks.node[stack]; n != STACK_NODE_ROOT;
	     n = nodes->parent[n]) {
		if (is_caller(fold, nodes->frame[n])) {
			const uint32_t callee =
				symbol_names_of_frame(fold->names, fold->trie, below);

			if (callee == ID_SET_NONE)
				fold->is_out_of_memory = true;
			else
				add_site(fold, fold->trie->frames.address[nodes->frame[n]], callee,
					 load);
		}
		below = nodes->frame[n];
	}
}

/* False for a symbol of its own inside of the function: it has a row of its own, too. */
static bool is_of_function(const struct listing_fold *fold, uint32_t symbol)
{
	const uint64_t address = fold->names->symbols[symbol].address;

	for (uint32_t i = 0; i < fold->function->section_count; i++)
		if (fold->function->sections[i].begin == address)
			return true;
	return false;
}

static bool passes(struct listing_fold *fold, const struct slice_entry *entry, uint32_t symbol)
{
	return !fold->filter.all ||
	       fold_filter_matches(&fold->filter, fold_filter_of_sample(&fold->filter, entry),
				   symbol);
}

/* Adds the entry to all functions' weight. Returns whether it counts for this one. */
static bool count_entry(struct listing_fold *fold, const struct slice_entry *entry, uint32_t leaf,
			double *all_weight, double weight)
{
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);
	bool is_of_it, is_shown;

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return false;
	}
	if (fold_is_idle(fold->names, &fold->tasks->tasks[entry->task], symbol) ||
	    wait_stacks_is_idle(wait_stacks_of(fold->waits, entry->event), entry))
		return false;
	is_of_it = is_listed(fold, leaf) && is_of_function(fold, symbol);
	is_shown = (is_of_it || fold->is_relative) && passes(fold, entry, symbol);
	if (is_shown || !fold->is_relative)
		*all_weight += weight;
	return is_of_it && is_shown;
}

static void add_entry(struct listing_fold *fold, const struct slice_entry *entry, uint32_t column,
		      double factor, bool is_base)
{
	const struct load load = { entry->count, (double)entry->weight * factor };
	const uint32_t leaf =
		fold->trie->stacks.frame[shown_stack(fold, entry)];
	struct listing_address *row;
	double of_base = 0;

	if (column == fold->shown && !is_base)
		add_sites(fold, entry, &load);
	if (!count_entry(fold, entry, leaf, is_base ? &of_base : &fold->all_weight[column],
			 load.weight))
		return;
	row = address_of(fold, fold->trie->frames.address[leaf]);
	if (row)
		load_add(is_base ? &row->base[column] : &row->now[column], &load);
}

static void add_entries(struct listing_fold *fold, const struct slice_entry *entries,
			uint32_t count, double factor, bool is_base)
{
	for (uint32_t i = 0; i < count && !fold->is_stopped; i++) {
		if (i % STEPS_UNASKED == STEPS_UNASKED - 1 && fold->stop.is_due)
			fold->is_stopped = fold->stop.is_due(fold->stop.owner);
		for (uint32_t column = 0; column < fold->event_count; column++)
			if (entries[i].event == fold->events[column] && entries[i].count)
				add_entry(fold, &entries[i], column, factor, is_base);
	}
}

void listing_fold_add(struct listing_fold *fold, const struct slice_entry *entries, uint32_t count,
		      double factor)
{
	add_entries(fold, entries, count, factor, false);
}

void listing_fold_add_base(struct listing_fold *fold, const struct slice_entry *entries,
			   uint32_t count)
{
	add_entries(fold, entries, count, 1.0, true);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct listing_address *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static int compare_sites(const void *a, const void *b)
{
	const struct listing_site *left = a, *right = b;

	if (left->return_address != right->return_address)
		return left->return_address < right->return_address ? -1 : 1;
	if (left->load.weight != right->load.weight)
		return left->load.weight > right->load.weight ? -1 : 1;
	return (left->callee > right->callee) - (left->callee < right->callee);
}

void listing_fold_sort(struct listing_fold *fold)
{
	if (fold->address_count)
		qsort(fold->addresses, fold->address_count, sizeof(*fold->addresses),
		      compare_addresses);
	if (fold->site_count)
		qsort(fold->sites, fold->site_count, sizeof(*fold->sites), compare_sites);
}
