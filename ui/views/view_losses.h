/* view_losses.h - the '$' screen: every cause by which data can be missing, its count since start
 * and in the window, and its remedy. */
#ifndef UI_VIEW_LOSSES_H
#define UI_VIEW_LOSSES_H

#include "ingest/losses.h"
#include "view.h"

extern const struct view_ops view_losses_ops;	/* for a struct pager */

#define LOSS_TEXT_BYTES 32
/* Formats @count of @cause, a number or a time, into @out[LOSS_TEXT_BYTES]. Returns @out. */
char *view_losses_count(char *out, enum loss_cause cause, uint64_t count);

/* Writes what @cause means, where most of its losses were, and the remedy: two sentences without
 * the last full stop, the first in lower case. Cuts them at @room bytes; returns @out. */
char *view_losses_describe(char *out, size_t room, const struct loss_counters *losses,
			   enum loss_cause cause);

#endif
