/* breadcrumbs.c - see breadcrumbs.h. */
#include "breadcrumbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void breadcrumbs_init(struct breadcrumbs *breadcrumbs, enum view_kind kind)
{
	*breadcrumbs = (struct breadcrumbs){ .count = 1 };
	breadcrumbs->levels[0] = (struct breadcrumbs_level){ .kind = kind, .table = VIEW_COUNT };
}

struct breadcrumbs_level *breadcrumbs_here(struct breadcrumbs *breadcrumbs)
{
	return &breadcrumbs->levels[breadcrumbs->count - 1];
}

struct table_place *breadcrumbs_place(struct breadcrumbs *breadcrumbs)
{
	struct breadcrumbs_level *here = breadcrumbs_here(breadcrumbs);

	return &here->places[here->kind];
}

static bool is_listing(const struct breadcrumbs_level *level,
		       const struct breadcrumbs_level *other)
{
	return level->listing.dso == other->listing.dso &&
	       level->listing.address == other->listing.address &&
	       !strcmp(level->listed, other->listed);
}

static bool is_level(const struct breadcrumbs_level *level, const struct breadcrumbs_level *other)
{
	return level->kind == other->kind && level->parts == other->parts &&
	       level->probe == other->probe && level->group == other->group &&
	       level->inside == other->inside && level->inside_probe == other->inside_probe &&
	       (level->kind != VIEW_LISTING || is_listing(level, other));
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

static int check_depth(const struct breadcrumbs *breadcrumbs, struct diag *why)
{
	if (breadcrumbs->count < BREADCRUMBS_LEVELS)
		return 0;
	return diag_set(why, -ENOSPC, "no deeper than %d steps: go back first", BREADCRUMBS_LEVELS);
}

/* Adds the part to @filter, or replaces another symbol part, which @level then remembers. */
static int add_part(struct filter *filter, struct breadcrumbs_level *level,
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
	if (filter->count == BREADCRUMBS_PARTS && filter_find(filter, part) < 0)
		return diag_set(why, -ENOSPC, "no more than %d filters: F takes some away",
				BREADCRUMBS_PARTS);
	return filter_add(filter, part, why);
}

/* Returns the level of @kind that follows @here, with the same samples. The page of a probe is of
 * all its groups. */
static struct breadcrumbs_level next_level(const struct breadcrumbs_level *here,
					   enum view_kind kind)
{
	struct breadcrumbs_level level = {
		.kind = kind, .table = VIEW_COUNT, .parts = here->parts, .probe = here->probe,
		.event = here->event, .listing = here->listing,
		.inside = here->inside, .inside_probe = here->inside_probe,
	};

	if (kind != VIEW_PROBES) {
		level.group = here->group;
		memcpy(level.group_name, here->group_name, sizeof(level.group_name));
	}
	return level;
}

int breadcrumbs_push_parts(struct breadcrumbs *breadcrumbs, enum view_kind kind,
			   const struct filter_part *parts, size_t count, struct diag *why)
{
	const struct breadcrumbs_level *here = breadcrumbs_here(breadcrumbs);
	struct breadcrumbs_level level = next_level(here, kind);
	struct filter filter = breadcrumbs->filter;	/* a copy: all parts are added, or none */
	int err = check_depth(breadcrumbs, why);

	for (size_t i = 0; !err && i < count; i++)
		err = add_part(&filter, &level, &parts[i], why);
	if (err)
		return err;
	breadcrumbs->filter = filter;
	memcpy(level.function, here->function, sizeof(level.function));
	memcpy(level.listed, here->listed, sizeof(level.listed));
	level.parts = filter.count;
	if (!level.has_replaced && is_level(here, &level))
		return 0;
	if (!level.has_replaced && breadcrumbs->count > 1 && !here->has_replaced &&
	    is_level(here - 1, &level))
		breadcrumbs->count--;
	else
		breadcrumbs->levels[breadcrumbs->count++] = level;
	return 0;
}

int breadcrumbs_push(struct breadcrumbs *breadcrumbs, enum view_kind kind,
		     const struct filter_part *part, struct diag *why)
{
	return breadcrumbs_push_parts(breadcrumbs, kind, part, part ? 1 : 0, why);
}

int breadcrumbs_push_probe(struct breadcrumbs *breadcrumbs, uint32_t probe, uint32_t event,
			   struct diag *why)
{
	const int err = check_depth(breadcrumbs, why);

	if (!err)
		breadcrumbs->levels[breadcrumbs->count++] = (struct breadcrumbs_level){
			.kind = VIEW_PROBES, .table = VIEW_COUNT,
			.parts = breadcrumbs->filter.count, .probe = probe, .event = event,
		};
	return err;
}

int breadcrumbs_push_group(struct breadcrumbs *breadcrumbs, enum view_kind kind, uint64_t group,
			   const char *name, struct diag *why)
{
	struct breadcrumbs_level level = next_level(breadcrumbs_here(breadcrumbs), kind);
	const int err = check_depth(breadcrumbs, why);

	if (err)
		return err;
	level.group = group;
	snprintf(level.group_name, sizeof(level.group_name), "%s", name);
	breadcrumbs->levels[breadcrumbs->count++] = level;
	return 0;
}

int breadcrumbs_push_inside(struct breadcrumbs *breadcrumbs, enum view_kind kind,
			    enum inside_calls calls, uint32_t probe, struct diag *why)
{
	struct breadcrumbs_level *here = breadcrumbs_here(breadcrumbs);
	struct breadcrumbs_level level = {
		.kind = kind, .table = VIEW_COUNT, .parts = here->parts,
		.inside = calls, .inside_probe = probe,
	};
	int err;

	if (here->inside != INSIDE_NONE && !here->probe) {
		here->inside = calls;
		here->inside_probe = probe;
		breadcrumbs_show(breadcrumbs, kind);
		return 0;
	}
	err = check_depth(breadcrumbs, why);
	if (!err)
		breadcrumbs->levels[breadcrumbs->count++] = level;
	return err;
}

int breadcrumbs_push_listing(struct breadcrumbs *breadcrumbs, const struct source_request *of,
			     const char *listed, const char *name, struct diag *why)
{
	const struct breadcrumbs_level *here = breadcrumbs_here(breadcrumbs);
	struct breadcrumbs_level level = next_level(here, VIEW_LISTING);
	const int err = check_depth(breadcrumbs, why);

	level.listing = *of;
	snprintf(level.listed, sizeof(level.listed), "%s", listed);
	if (err || is_level(here, &level))
		return err;
	snprintf(level.function, sizeof(level.function), "%s", name);
	breadcrumbs->levels[breadcrumbs->count++] = level;
	return 0;
}

void breadcrumbs_show(struct breadcrumbs *breadcrumbs, enum view_kind kind)
{
	struct breadcrumbs_level *here = breadcrumbs_here(breadcrumbs);

	if (kind < VIEW_TABLES)
		here->table = VIEW_COUNT;
	else if (here->kind < VIEW_TABLES)
		here->table = here->kind;
	here->kind = kind;
}

bool breadcrumbs_show_table(struct breadcrumbs *breadcrumbs)
{
	const enum view_kind table = breadcrumbs_here(breadcrumbs)->table;

	if (table != VIEW_COUNT)
		breadcrumbs_show(breadcrumbs, table);
	return table != VIEW_COUNT;
}

bool breadcrumbs_leads_back(const struct breadcrumbs *breadcrumbs)
{
	return breadcrumbs->count > 1 || breadcrumbs->levels[0].table != VIEW_COUNT;
}

bool breadcrumbs_pop(struct breadcrumbs *breadcrumbs)
{
	if (breadcrumbs->count == 1)
		return false;
	if (breadcrumbs_here(breadcrumbs)->has_replaced)
		breadcrumbs->filter.parts[breadcrumbs_here(breadcrumbs)->replaced_at] =
			breadcrumbs_here(breadcrumbs)->replaced;
	breadcrumbs->count--;
	breadcrumbs->filter.count = breadcrumbs_here(breadcrumbs)->parts;
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

void breadcrumbs_demangle(struct breadcrumbs *breadcrumbs, const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < breadcrumbs->filter.count; i++) {
		struct filter_part *part = &breadcrumbs->filter.parts[i];
		const char *name;

		/* Only C++ and Rust symbols are demangled; see elf/demangle.h. */
		if (part->field != FILTER_SYMBOL || part->text[0] != '_')
			continue;
		name = find_name(snapshot, part);
		if (name)
			snprintf(part->text, sizeof(part->text), "%s", name);
	}
}

/* Removes the levels that equal the one before them. */
static void remove_equal(struct breadcrumbs *breadcrumbs)
{
	size_t kept = 0;

	for (size_t i = 0; i < breadcrumbs->count; i++) {
		const struct breadcrumbs_level *level = &breadcrumbs->levels[i];
		const struct breadcrumbs_level *before =
			kept ? &breadcrumbs->levels[kept - 1] : NULL;

		if (before && !level->has_replaced && is_level(before, level))
			continue;
		breadcrumbs->levels[kept++] = *level;
	}
	breadcrumbs->count = kept;
}

void breadcrumbs_remove_part(struct breadcrumbs *breadcrumbs, uint32_t index)
{
	filter_remove(&breadcrumbs->filter, index);
	for (size_t i = 0; i < breadcrumbs->count; i++) {
		struct breadcrumbs_level *level = &breadcrumbs->levels[i];

		level->parts -= level->parts > index;
		level->has_replaced &= level->replaced_at != index;
		level->replaced_at -= level->replaced_at > index;
	}
	remove_equal(breadcrumbs);
}

void breadcrumbs_remove_inside(struct breadcrumbs *breadcrumbs)
{
	for (size_t i = 0; i < breadcrumbs->count; i++) {
		breadcrumbs->levels[i].inside = INSIDE_NONE;
		breadcrumbs->levels[i].inside_probe = 0;
	}
	remove_equal(breadcrumbs);
}
