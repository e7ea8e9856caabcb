/* symbol_reclaim.c - frees the symbols that history does not refer to any more.
 *
 * Problem: the symbols of programs stay after these have ended; once they use up the room, no new
 * names are shown.
 *
 * Idea: frames refer to symbols. So when the frames that no slice needs have been dropped, symbols
 * without a frame are unused. The others are renumbered in their order, together with the stacks:
 * holders of ids start over then anyway. A name that is being demangled keeps its text until the
 * reply comes, which refers to it by its id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/symbol_names.h"

/* @to[symbol] becomes 0 where a frame has it, else ID_SET_NONE. */
static void mark_used(const struct symbol_names *names, const struct stack_trie *trie, uint32_t *to)
{
	memset(to, 0xff, names->count * sizeof(*to));
	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (trie->frames.symbol[i] < SYMBOL_AGED)
			to[trie->frames.symbol[i]] = 0;
}

static void move_symbols(struct symbol_names *names, uint32_t *to)
{
	const uint32_t asked = names->asked;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < names->dsos->count; i++)
		names->dsos->dsos[i].symbols = 0;
	for (uint32_t i = 0; i < names->count; i++) {
		if (i == asked)
			names->asked = kept;
		if (to[i] == ID_SET_NONE)
			continue;
		names->symbols[kept] = names->symbols[i];
		names->dsos->dsos[names->symbols[kept].dso].symbols++;
		to[i] = kept++;
	}
	if (asked == names->count)
		names->asked = kept;
	names->count = kept;
	names->looked_at = names->waiting = 0;	/* recounted from `asked` on */
}

/* Replaces the map by @meanings, which has room, with the demangled names of the kept symbols.
 * @has_room: names that stand for themselves may have had no room before; they are requested
 * again. */
static void keep_meanings(struct symbol_names *names, struct id_map *meanings, bool has_room)
{
	for (uint32_t i = 0; i < names->count; i++) {
		const struct symbol *symbol = &names->symbols[i];
		const uint64_t key = symbol_names_meaning_key(
			names->dsos->dsos[symbol->dso].serial, symbol->name.v);
		const uint32_t meaning = id_map_get(&names->meanings, key);
		const bool is_known = meaning != symbol->name.v || !has_room ||
				      id_map_get(&names->under_way, key) != ID_MAP_NONE;

		if (symbol->is_mangled && meaning != ID_MAP_NONE && is_known)
			id_map_put(meanings, key, meaning);
	}
	id_map_finish(&names->meanings);
	names->meanings = *meanings;
	if (has_room)
		names->asked = 0;
}

static void fit(struct symbol_names *names)
{
	uint32_t capacity = names->capacity;
	struct symbol *smaller;

	while (capacity > 256 && names->count < capacity / 4)
		capacity /= 2;
	if (capacity == names->capacity)
		return;
	smaller = realloc(names->symbols, capacity * sizeof(*smaller));
	if (!smaller)
		return;		/* the larger array stays */
	names->symbols = smaller;
	names->capacity = capacity;
}

static void renumber_frames(struct symbol_names *names, struct stack_trie *trie,
			    const uint32_t *to, bool has_room)
{
	uint32_t *symbol = trie->frames.symbol;

	for (uint32_t i = 0; i < trie->frames.count; i++) {
		if (symbol[i] >= SYMBOL_AGED)
			continue;
		symbol[i] = to[symbol[i]];
		if (has_room && symbol_is_rest(names, symbol[i]))
			symbol_names_forget_frame(names, trie, i);
	}
	trie->frames.named = 0;
}

int symbol_names_compact(struct symbol_names *names, struct stack_trie *trie)
{
	const uint32_t before = names->count;
	uint32_t *to = malloc((before + 1) * sizeof(*to));
	struct id_map meanings = { 0 };
	int err;

	if (!to || id_map_reserve(&meanings, names->meanings.used)) {
		free(to);
		return -ENOMEM;
	}
	mark_used(names, trie, to);
	move_symbols(names, to);
	keep_meanings(names, &meanings, names->is_full && names->count < before);
	renumber_frames(names, trie, to, names->count < before);
	free(to);
	fit(names);
	err = id_set_rebuild(&names->index, names->count, symbol_names_hash, names);
	names->is_full = false;
	return err;
}

static void mark(struct symbol_names *names, uint32_t dso, uint32_t text, unsigned char *used)
{
	const size_t bytes = strlen(strpool_get(names->strings, (struct str_id){ text })) + 1;

	if (used[text])
		return;
	used[text] = 1;
	names->text_bytes += bytes;
	names->dsos->dsos[dso].symbol_text_bytes += bytes;
}

void symbol_names_mark_text(struct symbol_names *names, unsigned char *used)
{
	const struct id_map *under_way = &names->under_way;

	names->text_bytes = 0;
	for (uint32_t i = 0; i < names->dsos->count; i++)
		names->dsos->dsos[i].symbol_text_bytes = 0;
	for (uint32_t i = 0; i < names->count; i++) {
		const struct symbol *symbol = &names->symbols[i];

		mark(names, symbol->dso, symbol->name.v, used);
		mark(names, symbol->dso, symbol->dso_name.v, used);
		mark(names, symbol->dso, symbol->dso_path.v, used);
		mark(names, symbol->dso, symbol_names_shown(names, symbol).v, used);
	}
	for (uint32_t i = 0; i < under_way->slots; i++)
		if (under_way->rows[i].value != ID_MAP_NONE)
			used[(uint32_t)under_way->rows[i].key] = 1;
}

/* Drops the oldest symbols of DSOs that have no room for new ones.
 *
 * Problem: a DSO may have a share of all names (symbol_names.h). A program that makes code all
 * day, or one with very many functions, has used it up after an hour, and then its new functions
 * have no names as long as history refers to the old ones.
 *
 * Idea: a symbol is only a cached look-up. So frames that recent slices do not use lose theirs, the
 * oldest half of a DSO's first; a fold of older slices looks them up again, while there is
 * room. They are not looked up ahead of folds (SYMBOL_AGED), or all would be back at once.
 *
 * Invariant: a DSO that uses less than half of its share keeps all, whatever others do.
 */

struct aged {
	uint32_t dso, age, symbol;
};

/* By node, frame and symbol: number of the last slice that uses it, from 1 on; 0: none does. */
struct ages {
	uint32_t *node, *frame, *symbol;	/* owned */
	struct aged *used;			/* owned; the symbols in use */
	uint32_t used_count;
};

static void raise(uint32_t *age, uint32_t to)
{
	if (*age < to)
		*age = to;
}

static int start(struct ages *ages, const struct symbol_names *names, const struct stack_trie *trie)
{
	*ages = (struct ages){
		.node = calloc(trie->nodes.count + 1, sizeof(*ages->node)),
		.frame = calloc(trie->frames.count + 1, sizeof(*ages->frame)),
		.symbol = calloc(names->count + 1, sizeof(*ages->symbol)),
		.used = malloc((names->count + 1) * sizeof(*ages->used)),
	};
	return ages->node && ages->frame && ages->symbol && ages->used ? 0 : -ENOMEM;
}

static void finish(struct ages *ages)
{
	free(ages->node);
	free(ages->frame);
	free(ages->symbol);
	free(ages->used);
}

/* Parents have smaller numbers: one pass down raises them all. */
static void find_ages(struct ages *ages, const struct symbol_names *names,
		      const struct stack_trie *trie, const uint32_t *stack_ages)
{
	const struct stack_nodes *nodes = &trie->nodes;

	for (uint32_t i = 0; i < trie->stacks.count; i++) {
		raise(&ages->frame[trie->stacks.frame[i]], stack_ages[i]);
		raise(&ages->node[trie->stacks.node[i]], stack_ages[i]);
	}
	for (uint32_t i = nodes->count; i-- > 1;) {
		raise(&ages->node[nodes->parent[i]], ages->node[i]);
		raise(&ages->frame[nodes->frame[i]], ages->node[i]);
	}
	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (trie->frames.symbol[i] < SYMBOL_AGED)
			raise(&ages->symbol[trie->frames.symbol[i]], ages->frame[i]);
	for (uint32_t i = 0; i < names->count; i++)
		if (ages->symbol[i])
			ages->used[ages->used_count++] = (struct aged){
				names->symbols[i].dso, ages->symbol[i], i,
			};
}

static int by_dso_and_age(const void *a, const void *b)
{
	const struct aged *left = a, *right = b;

	if (left->dso != right->dso)
		return left->dso < right->dso ? -1 : 1;
	if (left->age != right->age)
		return left->age < right->age ? -1 : 1;
	return left->symbol < right->symbol ? -1 : left->symbol > right->symbol;
}

/* Whether the DSO uses over half of its share of rows or text; of its text only the part of the
 * @count symbols in use is taken into account. @all: symbols in use of all DSOs. */
static bool has_much(const struct symbol_names *names, uint32_t dso, uint32_t count, uint32_t all)
{
	const struct dso *owner = &names->dsos->dsos[dso];
	const uint32_t rows = SYMBOL_NAMES_ROWS - SYMBOL_NAMES_RESERVE;
	const uint32_t rows_left = all < rows ? rows - all : 0;
	const size_t text_left = names->text_bytes < SYMBOL_NAMES_TEXT_BYTES ?
				 SYMBOL_NAMES_TEXT_BYTES - names->text_bytes : 0;
	const size_t text = owner->symbols ?
			    owner->symbol_text_bytes / owner->symbols * count : 0;

	return count > rows_left / SYMBOL_NAMES_SHARE / 2 ||
	       text > text_left / SYMBOL_NAMES_SHARE / 2;
}

/* In each DSO that has many symbols, sets the age of the older half to 0, except where it is
 * @recent or more. Returns whether it set any. */
static bool drop_oldest(struct ages *ages, const struct symbol_names *names, uint32_t recent)
{
	bool has_dropped = false;
	uint32_t first = 0, end;

	qsort(ages->used, ages->used_count, sizeof(*ages->used), by_dso_and_age);
	for (; first < ages->used_count; first = end) {
		const uint32_t dso = ages->used[first].dso;

		for (end = first; end < ages->used_count && ages->used[end].dso == dso; end++)
			;
		if (!has_much(names, dso, end - first, ages->used_count))
			continue;
		for (uint32_t i = first; i < (first + end) / 2 && ages->used[i].age < recent; i++) {
			ages->symbol[ages->used[i].symbol] = 0;
			has_dropped = true;
		}
	}
	return has_dropped;
}

int symbol_names_age(const struct symbol_names *names, struct stack_trie *trie,
		     const uint32_t *stack_ages, uint32_t recent)
{
	struct ages ages;
	int err = start(&ages, names, trie);

	if (!err) {
		find_ages(&ages, names, trie, stack_ages);
		if (drop_oldest(&ages, names, recent))
			for (uint32_t i = 0; i < trie->frames.count; i++)
				if (trie->frames.symbol[i] < SYMBOL_AGED &&
				    !ages.symbol[trie->frames.symbol[i]])
					trie->frames.symbol[i] = SYMBOL_AGED;
	}
	finish(&ages);
	return err;
}
