/* symbol_pairs.c - see fold/fold.h.
 *
 * Mostly no path has two DSOs, which is checked before looking at any symbol: 10,000 symbols take
 * 2 ms.
 */
#include "fold/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AMBIGUOUS (ID_MAP_NONE - 1)

void symbol_pairs_finish(struct symbol_pairs *pairs)
{
	free(pairs->of);
	free(pairs->of_dso);
	memset(pairs, 0, sizeof(*pairs));
}

static uint64_t path_key(struct str_id path, enum cpu_mode mode)
{
	return (uint64_t)path.v << 8 | mode;
}

/* Returns the key of the path where counterparts would be: the one shown, for a module its own. */
static uint64_t place_of(const struct symbol *symbol)
{
	return path_key(symbol->dso_path, symbol->mode);
}

/* Newest DSOs of each path, and in @several the paths that have more than one. */
static int find_dsos(struct symbol_pairs *pairs, const struct dso_table *dsos,
		     struct id_map *several)
{
	struct id_map newest = { 0 };
	int err = id_map_reserve(&newest, dsos->count);

	for (uint32_t i = dsos->count; i-- > 0 && !err;) {
		const struct dso *dso = &dsos->dsos[i];
		const uint64_t key = path_key(dso->path, dso->mode);
		uint32_t of = id_map_get(&newest, key);

		pairs->of_dso[i] = i;
		if (dso->is_free)
			continue;
		if (of == ID_MAP_NONE)
			id_map_put(&newest, key, of = dso->canonical);		/* has room */
		else if (dso->canonical != of)
			err = id_map_put(several, key, of);
		pairs->of_dso[i] = of;
	}
	id_map_finish(&newest);
	return err;
}

static bool is_run_time(const struct symbol_names *names, const struct symbol *symbol)
{
	return names->dsos->dsos[symbol->dso].is_run_time;
}

/* Synthetic names (addresses) don't count, but the kernel's names of run-time code do. */
static bool can_have_pair(const struct symbol_names *names, const struct symbol *symbol,
			  const struct id_map *several)
{
	return symbol->state == SYMBOL_NAMED && !symbol->is_synthetic &&
	       (is_run_time(names, symbol) ||
		id_map_get(several, place_of(symbol)) != ID_MAP_NONE ||
		id_map_get(several, path_key(names->dsos->dsos[symbol->dso].path,
					     symbol->mode)) != ID_MAP_NONE);
}

static uint64_t name_key(const struct symbol *symbol)
{
	return id_set_mix(place_of(symbol), symbol->name.v);
}

/* Marks the name as ambiguous if its DSO has it twice. @seen: hash of (DSO, name) -> symbol id. */
static int look_for_namesake(const struct symbol *symbol, uint32_t id, struct id_map *seen,
			     const struct symbol_names *names, struct id_map *by_name)
{
	const uint64_t key = id_set_mix(name_key(symbol), symbol->dso);
	const uint32_t before = id_map_get(seen, key);

	if (before == ID_MAP_NONE)
		return id_map_put(seen, key, id);
	if (is_run_time(names, symbol) || names->symbols[before].address == symbol->address)
		return 0;
	return id_map_put(by_name, name_key(symbol), AMBIGUOUS);
}

/* Finds the symbol that each name counts for. */
static int find_names(const struct symbol_names *names, const struct id_map *several,
		      struct id_map *by_name)
{
	struct id_map seen = { 0 };
	int err = 0;

	for (uint32_t id = 0; id < names->count && !err; id++) {
		const struct symbol *symbol = &names->symbols[id];
		uint32_t newest;

		if (!can_have_pair(names, symbol, several))
			continue;
		err = look_for_namesake(symbol, id, &seen, names, by_name);
		newest = id_map_get(by_name, name_key(symbol));
		if (!err && (newest == ID_MAP_NONE ||
			     (newest != AMBIGUOUS &&
			      names->symbols[newest].dso <= symbol->dso)))
			err = id_map_put(by_name, name_key(symbol), id);
	}
	id_map_finish(&seen);
	return err;
}

static void put_pairs(struct symbol_pairs *pairs, const struct symbol_names *names,
		      const struct id_map *several, const struct id_map *by_name)
{
	for (uint32_t id = 0; id < names->count; id++) {
		uint32_t of = ID_MAP_NONE;

		if (can_have_pair(names, &names->symbols[id], several))
			of = id_map_get(by_name, name_key(&names->symbols[id]));
		pairs->of[id] = of == ID_MAP_NONE || of == AMBIGUOUS ? id : of;
	}
	pairs->count = names->count;
}

static bool has_run_time_code(const struct dso_table *dsos)
{
	for (uint32_t i = 0; i < dsos->count; i++)
		if (dsos->dsos[i].is_run_time)
			return true;
	return false;
}

int symbol_pairs_find(struct symbol_pairs *pairs, const struct symbol_names *names)
{
	struct id_map several = { 0 }, by_name = { 0 };
	int err = -ENOMEM;

	symbol_pairs_finish(pairs);
	pairs->of = malloc((names->count + 1) * sizeof(*pairs->of));
	pairs->of_dso = malloc(names->dsos->count * sizeof(*pairs->of_dso));
	if (pairs->of && pairs->of_dso)
		err = find_dsos(pairs, names->dsos, &several);
	if (!err && !several.used && !has_run_time_code(names->dsos)) {
		symbol_pairs_finish(pairs);
		id_map_finish(&several);
		return 0;
	}
	if (!err)
		err = find_names(names, &several, &by_name);
	if (!err) {
		pairs->dso_count = names->dsos->count;
		put_pairs(pairs, names, &several, &by_name);
	} else {
		symbol_pairs_finish(pairs);
	}
	id_map_finish(&several);
	id_map_finish(&by_name);
	return err;
}
