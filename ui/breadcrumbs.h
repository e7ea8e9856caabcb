/* breadcrumbs.h - the breadcrumbs: how the user came to the rows on the screen. Each level is a
 * view through more parts of one filter. "Back" drops the last level and restores the cursor before
 * it.
 *
 *   filter:  [command postgres] [DSO libc.so.6]
 *   levels:  Commands 0 parts,  DSOs 1 part,  Symbols 2 parts
 *
 * Probes:  a level opened from the list of probes belongs to one probe: VIEW_PROBES shows its page,
 *          every other view its hits as samples. All levels below belong to that probe, too.
 *          A level opened from a group of hits has only these, as have all levels of hits below.
 * Inside:  a level opened from a probe of a latency shows only what is inside its calls, as do all
 *          levels of samples below.
 * Listing: a level of VIEW_LISTING has its function; it adds nothing to the filter.
 *
 * Thread: the ui's. Pure.
 */
#ifndef UI_BREADCRUMBS_H
#define UI_BREADCRUMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/filter.h"
#include "fold/query.h"
#include "fold/tree.h"
#include "ui/views.h"
#include "widgets/table_rows.h"

#define BREADCRUMBS_LEVELS (2 * FILTER_PARTS)
#define BREADCRUMBS_PARTS  (FILTER_PARTS - 2)	/* two are left for hiding kernel and user code */
#define BREADCRUMBS_NAME_BYTES 96		/* longer names are cut */

struct breadcrumbs_level {
	enum view_kind kind;
	enum view_kind table;	/* the table that `kind` replaced; VIEW_COUNT: none */
	uint32_t parts;		/* how many of the filter's parts apply, from the first */
	bool has_replaced;	/* its symbol replaced an earlier one: no frame matches both */
	uint32_t replaced_at;	/* index of that part */
	struct filter_part replaced;	/* the earlier part, restored when the level is left */
	enum tree_direction direction;	/* its tree's; TREE_NONE: chosen by the filter */
	uint32_t probe, event;	/* the level's probe id and the event index of its hits; 0, 0: no
				 * probe; PROBE_ALL, 0: the log of all probes */
	uint64_t group;		/* snapshot_group.id: only those hits; 0: all */
	char group_name[BREADCRUMBS_NAME_BYTES];
	enum inside_calls inside;	/* only samples inside calls of a latency */
	uint32_t inside_probe;	/* id of that latency's probe; 0: the first, not known yet */
	struct source_request listing;	/* VIEW_LISTING: an address in its function; DSO 0: */
	char listed[QUERY_NAME_BYTES];	/* its DSO and its name, as in struct query */
	char function[BREADCRUMBS_NAME_BYTES];	/* its name when it was opened */
	struct table_place places[VIEW_COUNT];
};

struct breadcrumbs {
	struct filter filter;	/* filter of the last level */
	struct breadcrumbs_level levels[BREADCRUMBS_LEVELS];
	size_t count;		/* at least 1 */
};

void breadcrumbs_init(struct breadcrumbs *breadcrumbs, enum view_kind kind);

/* Returns the last level. BORROWED until the breadcrumbs change. */
struct breadcrumbs_level *breadcrumbs_here(struct breadcrumbs *breadcrumbs);
/* Returns the last level's place in the view that it shows. BORROWED until the breadcrumbs
 * change. */
struct table_place *breadcrumbs_place(struct breadcrumbs *breadcrumbs);

/* Adds a level of @kind with @part added to the filter (NULL: the same filter). A level equal to
 * the last one is not added; one equal to the level before pops the last: so opening rows in
 * turns does not grow the breadcrumbs. A symbol part replaces an earlier symbol part until the
 * level is left. Returns 0, -ENOSPC (BREADCRUMBS_LEVELS, BREADCRUMBS_PARTS) or an error of
 * filter_add(). */
int breadcrumbs_push(struct breadcrumbs *breadcrumbs, enum view_kind kind,
		     const struct filter_part *part, struct diag *why);
/* Does what breadcrumbs_push() does with several parts at once; breadcrumbs_pop() removes all of
 * them. */
int breadcrumbs_push_parts(struct breadcrumbs *breadcrumbs, enum view_kind kind,
			   const struct filter_part *parts, size_t count, struct diag *why);
/* Adds a level with the page of one probe. Returns 0 or -ENOSPC. */
int breadcrumbs_push_probe(struct breadcrumbs *breadcrumbs, uint32_t probe, uint32_t event,
			   struct diag *why);
/* Adds a level of @kind with the hits of one group, called @name, of the last level's probe.
 * Returns 0 or -ENOSPC. */
int breadcrumbs_push_group(struct breadcrumbs *breadcrumbs, enum view_kind kind, uint64_t group,
			   const char *name, struct diag *why);
/* Adds a level of @kind with the samples inside @calls (not INSIDE_NONE) of @probe. From a list of
 * probes that has such calls already, changes these. Returns 0 or -ENOSPC. */
int breadcrumbs_push_inside(struct breadcrumbs *breadcrumbs, enum view_kind kind,
			    enum inside_calls calls, uint32_t probe, struct diag *why);
/* Adds a level with the listing of the function called @name: the one that has address @of or, if
 * its DSO is 0, the one called @listed, "DSO:SYMBOL" (else ""). One equal to the last level is not
 * added. Returns 0 or -ENOSPC. */
int breadcrumbs_push_listing(struct breadcrumbs *breadcrumbs, const struct source_request *of,
			     const char *listed, const char *name, struct diag *why);
/* Shows the last level as @kind. If @kind is no table, the level remembers the replaced table. */
void breadcrumbs_show(struct breadcrumbs *breadcrumbs, enum view_kind kind);
/* Shows the table that breadcrumbs_show() replaced. False: the level has none. */
bool breadcrumbs_show_table(struct breadcrumbs *breadcrumbs);
/* True if there is a level, or a replaced table on the first one, to go back to. */
bool breadcrumbs_leads_back(const struct breadcrumbs *breadcrumbs);
/* Drops the last level. False: it is the only one. */
bool breadcrumbs_pop(struct breadcrumbs *breadcrumbs);

/* Replaces mangled symbols in the filter's text by the demangled names in @snapshot's rows or tree:
 * a row may be opened before its name is demangled. */
void breadcrumbs_demangle(struct breadcrumbs *breadcrumbs, const struct snapshot *snapshot);

/* Removes one part from every level, and levels that then equal the one before them. */
void breadcrumbs_remove_part(struct breadcrumbs *breadcrumbs, uint32_t index);
/* Makes every level one of all samples, not of those inside calls, and removes levels likewise. */
void breadcrumbs_remove_inside(struct breadcrumbs *breadcrumbs);

#endif
