/* trail.h - how one came to the rows on the screen: levels, each a view through more of one filter
 * stack. "Back" takes the last level away and finds its cursor where it was.
 *
 *   filter:  [command postgres] [object libc.so.6]
 *   levels:  Commands 0 parts,  Objects 1 part,  Symbols 2 parts
 *
 * Probes:  a level below the list of them is of one: in the view of probes its figures, in every
 *          other its hits as samples. All levels below are of its hits, too.
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
#define TRAIL_PARTS  (FILTER_PARTS - 2)	/* the rest is for hiding kernel and user code */

struct trail_level {
	enum view_kind kind;
	enum view_kind table;	/* that `kind` took the place of; VIEW_COUNT: of none */
	uint32_t parts;		/* of the filter, counted from its first */
	bool has_replaced;	/* one of the level before, which no frame could match besides: */
	uint32_t replaced_at;
	struct filter_part replaced;
	enum tree_direction direction;	/* of its tree; TREE_NONE: as the filter suggests */
	uint32_t probe, event;	/* id of the one that it is of, and the event its hits are;
				 * PROBE_ALL, 0: of all, their log alone; 0: of none */
	struct table_place places[VIEW_COUNT];
};

struct trail {
	struct filter filter;	/* of the last level */
	struct trail_level levels[TRAIL_LEVELS];
	size_t count;		/* at least 1 */
};

void trail_init(struct trail *trail, enum view_kind kind);

/* The last level. BORROWED until the trail changes. */
struct trail_level *trail_here(struct trail *trail);
/* Its place in the view that it shows. As above. */
struct table_place *trail_place(struct trail *trail);

/* Goes on to @kind, through @part, too (NULL: the same filter). 0, or as filter_add(), of which
 * TRAIL_PARTS are the most. A level like the last one is not added, to one like that before it the
 * way leads back: opening rows in turns is no way down. Of two symbols the new one takes the place
 * of the other, until the level is left. */
int trail_push(struct trail *trail, enum view_kind kind, const struct filter_part *part,
	       struct diag *why);
/* The same through several parts at once: back leads out of all of them. */
int trail_push_parts(struct trail *trail, enum view_kind kind, const struct filter_part *parts,
		     size_t count, struct diag *why);
/* Goes on to the figures of one probe. 0 or -ENOSPC. */
int trail_push_probe(struct trail *trail, uint32_t probe, uint32_t event, struct diag *why);
/* Shows the same level as @kind. What is no table knows the table it took the place of. */
void trail_show(struct trail *trail, enum view_kind kind);
/* Back to that table. False: the level has none. */
bool trail_show_table(struct trail *trail);
/* A table that was left on this level, or a level below it. */
bool trail_leads_back(const struct trail *trail);
/* False: only the first level is left. */
bool trail_pop(struct trail *trail);

/* Gives the parts that came by a mangled symbol the name that @snapshot's rows or tree have for it
 * by now: names are demangled after they were counted. */
void trail_demangle(struct trail *trail, const struct snapshot *snapshot);

/* Takes one part out of every level; levels that are then as the one before them are left out. */
void trail_remove_part(struct trail *trail, uint32_t index);

#endif
