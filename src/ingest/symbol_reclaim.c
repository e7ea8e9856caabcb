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

	for (uint32_t i = 0; i < names->objects->count; i++)
		names->objects->objects[i].symbols = 0;
	for (uint32_t i = 0; i < names->count; i++) {
		if (i == asked)
			names->asked = kept;
		if (to[i] == ID_SET_NONE)
			continue;
		names->symbols[kept] = names->symbols[i];
		names->objects->objects[names->symbols[kept].object].symbols++;
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
			names->objects->objects[symbol->object].serial, symbol->name.v);
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

static void mark(struct symbol_names *names, uint32_t object, uint32_t text, unsigned char *used)
{
	const size_t bytes = strlen(strpool_get(names->strings, (struct str_id){ text })) + 1;

	if (used[text])
		return;
	used[text] = 1;
	names->text_bytes += bytes;
	names->objects->objects[object].symbol_text_bytes += bytes;
}

void symbol_names_mark_text(struct symbol_names *names, unsigned char *used)
{
	const struct id_map *under_way = &names->under_way;

	names->text_bytes = 0;
	for (uint32_t i = 0; i < names->objects->count; i++)
		names->objects->objects[i].symbol_text_bytes = 0;
	for (uint32_t i = 0; i < names->count; i++) {
		const struct symbol *symbol = &names->symbols[i];

		mark(names, symbol->object, symbol->name.v, used);
		mark(names, symbol->object, symbol->object_name.v, used);
		mark(names, symbol->object, symbol->object_path.v, used);
		mark(names, symbol->object, symbol_names_shown(names, symbol).v, used);
	}
	for (uint32_t i = 0; i < under_way->slots; i++)
		if (under_way->rows[i].value != ID_MAP_NONE)
			used[(uint32_t)under_way->rows[i].key] = 1;
}
