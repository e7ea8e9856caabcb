/* trail.c - see trail.h. */
#include "trail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void trail_init(struct trail *trail, enum view_kind kind)
{
	*trail = (struct trail){ .count = 1 };
	trail->levels[0] = (struct trail_level){ .kind = kind, .table = VIEW_COUNT };
}

struct trail_level *trail_here(struct trail *trail)
{
	return &trail->levels[trail->count - 1];
}

struct table_place *trail_place(struct trail *trail)
{
	struct trail_level *here = trail_here(trail);

	return &here->places[here->kind];
}

static bool is_level(const struct trail_level *level, enum view_kind kind, uint32_t parts,
		     uint32_t probe)
{
	return level->kind == kind && level->parts == parts && level->probe == probe;
}

/* Returns the index of the symbol part that @part replaces, or -1. */
static int find_replaced(const struct filter *filter, const struct filter_part *part)
{
	if (part->field != FILTER_SYMBOL || part->is_negated || filter_find(filter, part) >= 0)
		return -1;
	for (uint32_t i = 0; i < filter->count; i++)
		if (filter->parts[i].field == FILTER_SYMBOL && !filter->parts[i].is_negated)
			return (int)i;
	return -1;
}

static int check_depth(const struct trail *trail, struct diag *why)
{
	if (trail->count < TRAIL_LEVELS)
		return 0;
	return diag_set(why, -ENOSPC, "no deeper than %d steps: go back first", TRAIL_LEVELS);
}

/* Adds the part to @filter, or replaces another symbol part, which @level then remembers. */
static int add_part(struct filter *filter, struct trail_level *level,
		    const struct filter_part *part, struct diag *why)
{
	const int replaced = level->has_replaced ? -1 : find_replaced(filter, part);

	if (replaced >= 0) {
		level->has_replaced = true;
		level->replaced_at = (uint32_t)replaced;
		level->replaced = filter->parts[replaced];
		filter->parts[replaced] = *part;
		return 0;
	}
	if (filter->count == TRAIL_PARTS && filter_find(filter, part) < 0)
		return diag_set(why, -ENOSPC, "no more than %d filters: F takes some away",
				TRAIL_PARTS);
	return filter_add(filter, part, why);
}

int trail_push_parts(struct trail *trail, enum view_kind kind, const struct filter_part *parts,
		     size_t count, struct diag *why)
{
	const struct trail_level *here = trail_here(trail);
	struct trail_level level = {
		.kind = kind, .table = VIEW_COUNT, .probe = here->probe, .event = here->event,
	};
	struct filter filter = trail->filter;	/* a copy: all parts are added, or none */
	int err = check_depth(trail, why);

	for (size_t i = 0; !err && i < count; i++)
		err = add_part(&filter, &level, &parts[i], why);
	if (err)
		return err;
	trail->filter = filter;
	level.parts = filter.count;
	if (!level.has_replaced && is_level(here, kind, filter.count, here->probe))
		return 0;
	if (!level.has_replaced && trail->count > 1 && !here->has_replaced &&
	    is_level(here - 1, kind, filter.count, here->probe))
		trail->count--;
	else
		trail->levels[trail->count++] = level;
	return 0;
}

int trail_push(struct trail *trail, enum view_kind kind, const struct filter_part *part,
	       struct diag *why)
{
	return trail_push_parts(trail, kind, part, part ? 1 : 0, why);
}

int trail_push_probe(struct trail *trail, uint32_t probe, uint32_t event, struct diag *why)
{
	const int err = check_depth(trail, why);

	if (!err)
		trail->levels[trail->count++] = (struct trail_level){
			.kind = VIEW_PROBES, .table = VIEW_COUNT,
			.parts = trail->filter.count, .probe = probe, .event = event,
		};
	return err;
}

void trail_show(struct trail *trail, enum view_kind kind)
{
	struct trail_level *here = trail_here(trail);

	if (kind < VIEW_TABLES)
		here->table = VIEW_COUNT;
	else if (here->kind < VIEW_TABLES)
		here->table = here->kind;
	here->kind = kind;
}

bool trail_show_table(struct trail *trail)
{
	const enum view_kind table = trail_here(trail)->table;

	if (table != VIEW_COUNT)
		trail_show(trail, table);
	return table != VIEW_COUNT;
}

bool trail_leads_back(const struct trail *trail)
{
	return trail->count > 1 || trail->levels[0].table != VIEW_COUNT;
}

bool trail_pop(struct trail *trail)
{
	if (trail->count == 1)
		return false;
	if (trail_here(trail)->has_replaced)
		trail->filter.parts[trail_here(trail)->replaced_at] = trail_here(trail)->replaced;
	trail->count--;
	trail->filter.count = trail_here(trail)->parts;
	return true;
}

/* Returns the demangled name of the part's symbol; NULL: the snapshot has no other name. */
static const char *find_name(const struct snapshot *snapshot, const struct filter_part *part)
{
	const struct tree_node *node = snapshot->tree.nodes;

	for (size_t i = 0; i < snapshot->row_count; i++)
		if (strcmp(snapshot->rows[i].raw_symbol, snapshot->rows[i].symbol) != 0 &&
		    filter_hash(snapshot->rows[i].raw_symbol) == part->hash)
			return snapshot->rows[i].symbol;
	for (uint32_t i = 0; i < snapshot->tree.node_count; i++, node++)
		if (strcmp(node->raw_symbol, node->symbol) != 0 &&
		    filter_hash(node->raw_symbol) == part->hash)
			return node->symbol;
	return NULL;
}

void trail_demangle(struct trail *trail, const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < trail->filter.count; i++) {
		struct filter_part *part = &trail->filter.parts[i];
		const char *name;

		/* Only C++ and Rust symbols are demangled; see elf/demangle.h. */
		if (part->field != FILTER_SYMBOL || part->text[0] != '_')
			continue;
		name = find_name(snapshot, part);
		if (name)
			snprintf(part->text, sizeof(part->text), "%s", name);
	}
}

void trail_remove_part(struct trail *trail, uint32_t index)
{
	size_t kept = 0;

	filter_remove(&trail->filter, index);
	for (size_t i = 0; i < trail->count; i++) {
		struct trail_level *level = &trail->levels[i];
		const struct trail_level *before = kept ? &trail->levels[kept - 1] : NULL;

		level->parts -= level->parts > index;
		level->has_replaced &= level->replaced_at != index;
		level->replaced_at -= level->replaced_at > index;
		if (before && !level->has_replaced &&
		    is_level(before, level->kind, level->parts, level->probe))
			continue;
		trail->levels[kept++] = *level;
	}
	trail->count = kept;
}
