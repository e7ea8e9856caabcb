/* symbol_twins.c - see fold/symbol_twins.h.
 *
 * Mostly no path has two DSOs, which is checked before looking at any symbol: 10,000 symbols take
 * 2 ms.
 */
#include "fold/symbol_twins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AMBIGUOUS (ID_MAP_NONE - 1)

void symbol_twins_finish(struct symbol_twins *twins)
{
	free(twins->of);
	free(twins->of_object);
	memset(twins, 0, sizeof(*twins));
}

static uint64_t path_key(struct str_id path, enum cpu_mode mode)
{
	return (uint64_t)path.v << 8 | mode;
}

/* Returns the key of the path where counterparts would be: the one shown, for a module its own. */
static uint64_t place_of(const struct symbol *symbol)
{
	return path_key(symbol->object_path, symbol->mode);
}

/* Newest objects of each path, and in @several the paths that have more than one. */
static int find_objects(struct symbol_twins *twins, const struct object_table *objects,
			struct id_map *several)
{
	struct id_map newest = { 0 };
	int err = id_map_reserve(&newest, objects->count);

	for (uint32_t i = objects->count; i-- > 0 && !err;) {
		const struct object *object = &objects->objects[i];
		const uint64_t key = path_key(object->path, object->mode);
		uint32_t of = id_map_get(&newest, key);

		twins->of_object[i] = i;
		if (object->is_free)
			continue;
		if (of == ID_MAP_NONE)
			id_map_put(&newest, key, of = object->canonical);	/* has room */
		else if (object->canonical != of)
			err = id_map_put(several, key, of);
		twins->of_object[i] = of;
	}
	id_map_finish(&newest);
	return err;
}

static bool is_run_time(const struct symbol_names *names, const struct symbol *symbol)
{
	return names->objects->objects[symbol->object].is_run_time;
}

/* Synthetic names (addresses) don't count, but the kernel's names of run-time code do. */
static bool can_have_twin(const struct symbol_names *names, const struct symbol *symbol,
			  const struct id_map *several)
{
	return symbol->state == SYMBOL_NAMED && !symbol->is_synthetic &&
	       (is_run_time(names, symbol) ||
		id_map_get(several, place_of(symbol)) != ID_MAP_NONE ||
		id_map_get(several, path_key(names->objects->objects[symbol->object].path,
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
	const uint64_t key = id_set_mix(name_key(symbol), symbol->object);
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

		if (!can_have_twin(names, symbol, several))
			continue;
		err = look_for_namesake(symbol, id, &seen, names, by_name);
		newest = id_map_get(by_name, name_key(symbol));
		if (!err && (newest == ID_MAP_NONE ||
			     (newest != AMBIGUOUS &&
			      names->symbols[newest].object <= symbol->object)))
			err = id_map_put(by_name, name_key(symbol), id);
	}
	id_map_finish(&seen);
	return err;
}

static void put_twins(struct symbol_twins *twins, const struct symbol_names *names,
		      const struct id_map *several, const struct id_map *by_name)
{
	for (uint32_t id = 0; id < names->count; id++) {
		uint32_t of = ID_MAP_NONE;

		if (can_have_twin(names, &names->symbols[id], several))
			of = id_map_get(by_name, name_key(&names->symbols[id]));
		twins->of[id] = of == ID_MAP_NONE || of == AMBIGUOUS ? id : of;
	}
	twins->count = names->count;
}

static bool has_run_time_code(const struct object_table *objects)
{
	for (uint32_t i = 0; i < objects->count; i++)
		if (objects->objects[i].is_run_time)
			return true;
	return false;
}

int symbol_twins_find(struct symbol_twins *twins, const struct symbol_names *names)
{
	struct id_map several = { 0 }, by_name = { 0 };
	int err = -ENOMEM;

	symbol_twins_finish(twins);
	twins->of = malloc((names->count + 1) * sizeof(*twins->of));
	twins->of_object = malloc(names->objects->count * sizeof(*twins->of_object));
	if (twins->of && twins->of_object)
		err = find_objects(twins, names->objects, &several);
	if (!err && !several.used && !has_run_time_code(names->objects)) {
		symbol_twins_finish(twins);
		id_map_finish(&several);
		return 0;
	}
	if (!err)
		err = find_names(names, &several, &by_name);
	if (!err) {
		twins->object_count = names->objects->count;
		put_twins(twins, names, &several, &by_name);
	} else {
		symbol_twins_finish(twins);
	}
	id_map_finish(&several);
	id_map_finish(&by_name);
	return err;
}
