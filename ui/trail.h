/* trail.h - the breadcrumbs: how the user came to the rows on the screen. Each level is a view
 * through more parts of one filter. "Back" drops the last level and restores the cursor before it.
 *
 *   filter:  [command postgres] [object libc.so.6]
 *   levels:  Commands 0 parts,  Objects 1 part,  Symbols 2 parts
 *
 * Probes:  a level opened from the list of probes belongs to one probe: VIEW_PROBES shows its page,
 *          every other view its hits as samples. All levels below belong to that probe, too.
 *
 * Thread: the ui's. Pure.
 */
#ifndef UI_TRAIL_H
#define UI_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/call_tree.h"
#include "fold/filter.h"
#include "ui/views.h"
#include "widgets/table_place.h"

#define TRAIL_LEVELS (2 * FILTER_PARTS)
#define TRAIL_PARTS  (FILTER_PARTS - 2)	/* two are left for hiding kernel and user code */

struct trail_level {
	enum view_kind kind;
	enum view_kind table;	/* the table that `kind` replaced; VIEW_COUNT: none */
	uint32_t parts;		/* how many of the filter's parts apply, from the first */
	bool has_replaced;	/* its symbol replaced an earlier one: no frame matches both */
	uint32_t replaced_at;	/* index of that part */
	struct filter_part replaced;	/* the earlier part, restored when the level is left */
	enum tree_direction direction;	/* of its tree; TREE_NONE: chosen by the filter */
	uint32_t probe, event;	/* the level's probe id and the event index of its hits; 0, 0: no
				 * probe; PROBE_ALL, 0: the log of all probes */
	struct table_place places[VIEW_COUNT];
};

struct trail {
	struct filter filter;	/* filter of the last level */
	struct trail_level levels[TRAIL_LEVELS];
	size_t count;		/* at least 1 */
};

void trail_init(struct trail *trail, enum view_kind kind);

/* Returns the last level. BORROWED until the trail changes. */
struct trail_level *trail_here(struct trail *trail);
/* Returns the last level's place in the view that it shows. BORROWED until the trail changes. */
struct table_place *trail_place(struct trail *trail);

/* Adds a level of @kind with @part added to the filter (NULL: the same filter). A level equal to
 * the last one is not added; one equal to the level before pops the last: so opening rows in
 * turns does not grow the trail. A symbol part replaces an earlier symbol part until the level is
 * left. Returns 0, -ENOSPC (TRAIL_LEVELS, TRAIL_PARTS) or an error of filter_add(). */
int trail_push(struct trail *trail, enum view_kind kind, const struct filter_part *part,
	       struct diag *why);
/* Does what trail_push() does with several parts at once; trail_pop() removes all of them. */
int trail_push_parts(struct trail *trail, enum view_kind kind, const struct filter_part *parts,
		     size_t count, struct diag *why);
/* Adds a level with the page of one probe. Returns 0 or -ENOSPC. */
int trail_push_probe(struct trail *trail, uint32_t probe, uint32_t event, struct diag *why);
/* Shows the last level as @kind. If @kind is no table, the level remembers the replaced table. */
void trail_show(struct trail *trail, enum view_kind kind);
/* Shows the table that trail_show() replaced. False: the level has none. */
bool trail_show_table(struct trail *trail);
/* True if there is a level, or a replaced table on the first one, to go back to. */
bool trail_leads_back(const struct trail *trail);
/* Drops the last level. False: it is the only one. */
bool trail_pop(struct trail *trail);

/* Replaces mangled symbols in the filter's text by the demangled names in @snapshot's rows or tree:
 * a row may be opened before its name is demangled. */
void trail_demangle(struct trail *trail, const struct snapshot *snapshot);

/* Removes one part from every level, and levels that then equal the one before them. */
void trail_remove_part(struct trail *trail, uint32_t index);

#endif
