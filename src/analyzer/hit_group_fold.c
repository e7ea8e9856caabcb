/* hit_group_fold.c - see hit_group_fold.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hit_group_fold.h"

enum { NOT_WANTED, WANTED, WANTED_BY_STACK };

static bool has_groups(const struct probe_row *row, uint32_t probe)
{
	return row->id && (probe == PROBE_ALL || probe == row->id) &&
	       (row->spec->key_count || row->spec->aggregate_count);
}

static bool have_extremes(const struct probe_hits *hits, uint32_t probe)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];

		if (has_groups(row, probe) && row->spec->edge == PROBE_LATENCY)
			return true;
		for (uint32_t i = 0; has_groups(row, probe) && i < row->spec->aggregate_count; i++)
			if (row->spec->aggregates[i].kind == AGGREGATE_MIN ||
			    row->spec->aggregates[i].kind == AGGREGATE_MAX)
				return true;
	}
	return false;
}

static unsigned char want(const struct probe_hits *hits, const struct hit_tuple *tuple,
			  uint32_t probe)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];

		if (row->id == tuple->probe && has_groups(row, probe) &&
		    tuple->sum != HIT_SUM_INSIDE)
			return hit_group_has_stack(row->spec) ? WANTED_BY_STACK : WANTED;
	}
	return NOT_WANTED;
}

int hit_group_fold_init(struct hit_group_fold *fold, const struct probe_hits *hits,
			uint32_t probe)
{
	*fold = (struct hit_group_fold){ .tuples = &hits->tuples,
					 .tuple_count = hits->tuples.count };
	fold->wanted = malloc(fold->tuple_count + 1);
	if (!fold->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->tuple_count; i++)
		fold->wanted[i] = want(hits, &hits->tuples.rows[i], probe);
	fold->has_extremes = have_extremes(hits, probe);
	return 0;
}

void hit_group_fold_finish(struct hit_group_fold *fold)
{
	free(fold->cells);
	free(fold->wanted);
	id_map_finish(&fold->by_place);
	memset(fold, 0, sizeof(*fold));
}

/* Returns the cell of a place, which is new with count 0; NULL: out of memory. */
static struct hit_cell *cell_of(struct hit_group_fold *fold, uint32_t tuple, uint32_t stack)
{
	const uint64_t place = (uint64_t)tuple << 32 | stack;
	const uint32_t found = id_map_get(&fold->by_place, place);

	if (found != ID_MAP_NONE)
		return &fold->cells[found];
	if (fold->count == fold->capacity) {
		const uint32_t capacity = fold->capacity ? fold->capacity * 2 : 256;
		struct hit_cell *bigger = realloc(fold->cells, capacity * sizeof(*bigger));

		if (!bigger)
			return NULL;
		fold->cells = bigger;
		fold->capacity = capacity;
	}
	if (id_map_put(&fold->by_place, place, fold->count))
		return NULL;
	fold->cells[fold->count] = (struct hit_cell){ .tuple = tuple, .stack = stack };
	return &fold->cells[fold->count++];
}

static void add_weight(struct hit_cell *cell, const struct slice_entry *entry)
{
	const int64_t weight = (int64_t)entry->weight;

	if (entry->event == EVENT_OF_SUMS)
		cell->weight = (int64_t)((uint64_t)cell->weight + entry->weight);
	else if (!cell->count || (entry->event == EVENT_OF_MINS ? weight < cell->weight
								: weight > cell->weight))
		cell->weight = weight;
	cell->count += entry->count;
}

void hit_group_fold_add(struct hit_group_fold *fold, const struct slice_entry *entries,
			uint32_t count, bool are_extremes)
{
	for (const struct slice_entry *entry = entries;
	     fold->tuples && entry < entries + count; entry++) {
		const uint32_t tuple = slice_entry_tuple(entry);
		struct hit_cell *cell;

		if (!slice_entry_has_tuple(entry) || !entry->count ||
		    are_extremes != (entry->event != EVENT_OF_SUMS) ||
		    tuple >= fold->tuple_count || fold->wanted[tuple] == NOT_WANTED)
			continue;
		cell = cell_of(fold, tuple, fold->wanted[tuple] == WANTED_BY_STACK
					    ? entry->stack : ID_SET_NONE);
		if (cell)
			add_weight(cell, entry);
		else
			fold->is_out_of_memory = true;
	}
}

bool hit_group_has_stack(const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->key_count; i++)
		if (spec->keys[i].kind >= PROBE_KEY_STACK)
			return true;
	return false;
}

uint32_t hit_group_key(const struct ingest *ingest, uint32_t id)
{
	const struct probe_values *values = &ingest->hits->keys;

	if (id >= HIT_KEY_OTHER)
		return id;
	return values->rows[id].form == VALUE_OTHER_NUMBERS ||
	       values->rows[id].form == VALUE_OTHER_TEXTS ? HIT_KEY_OTHER : id;
}

void hit_group_walk(struct ingest *ingest, uint32_t stack, enum probe_key_kind kind,
		    hit_group_frame *take, void *context)
{
	struct stack_trie *trie = &ingest->trie;
	uint32_t frame = trie->stacks.frame[stack];
	uint32_t node = trie->stacks.node[stack];

	for (;;) {
		const uint32_t id = symbol_names_of_frame(&ingest->names, trie, frame);
		const struct symbol *symbol = &ingest->names.symbols[id];

		if (id != ID_SET_NONE &&
		    (kind == PROBE_KEY_STACK ||
		     (symbol->mode == MODE_KERNEL) == (kind == PROBE_KEY_KSTACK)))
			take(context, symbol);
		if (node == STACK_NODE_ROOT)
			return;
		frame = trie->nodes.frame[node];
		node = trie->nodes.parent[node];
	}
}

/* Ids of values and stacks change when history is compacted; their contents, which are hashed, do
 * not. */
struct hashing {
	const struct strpool *strings;
	uint64_t hash;
};

static void hash_frame(void *context, const struct symbol *symbol)
{
	struct hashing *hashing = context;

	hashing->hash = id_set_mix(hashing->hash, strpool_hash(hashing->strings, symbol->name) ^
						  symbol->address);
}

/* Returns a number that is equal for equal values. */
static uint64_t content_of(const struct ingest *ingest, uint32_t id)
{
	const struct value_row *row;

	if (id >= HIT_KEY_OTHER)
		return id;
	row = &ingest->hits->keys.rows[id];
	return id_set_mix(row->number, (uint64_t)row->serial << 8 | row->form);
}

static void hash_key(struct ingest *ingest, const struct probe_row *row,
		     const struct hit_tuple *tuple, uint32_t stack, uint32_t index,
		     struct hashing *hashing)
{
	const enum probe_key_kind kind = row->spec->keys[index].kind;
	const uint32_t id = hit_group_key(ingest, tuple->keys[index]);

	hashing->hash = id_set_mix(hashing->hash, content_of(ingest, id));
	if (kind >= PROBE_KEY_STACK && stack != ID_SET_NONE && id != HIT_KEY_OTHER)
		hit_group_walk(ingest, stack, kind, hash_frame, hashing);
}

uint64_t hit_group_value(struct ingest *ingest, const struct probe_row *row,
			 const struct hit_tuple *tuple, uint32_t stack, uint32_t index)
{
	struct hashing hashing = { ingest->strings, 1 };

	hash_key(ingest, row, tuple, stack, index, &hashing);
	return hashing.hash ? hashing.hash : 1;
}

uint64_t hit_group_identity(struct ingest *ingest, const struct probe_row *row,
			    const struct hit_tuple *tuple, uint32_t stack)
{
	struct hashing hashing = { ingest->strings, 1 };

	for (uint32_t i = 0; i < row->spec->key_count; i++)
		hash_key(ingest, row, tuple, stack, i, &hashing);
	return hashing.hash ? hashing.hash : 1;
}
