/* view_losses.h - the '$' screen: every cause by which something can be missing from the picture,
 * how much it was since start and in the window, and what helps against it. */
#ifndef UI_VIEW_LOSSES_H
#define UI_VIEW_LOSSES_H

#include "ingest/loss_ledger.h"
#include "ui/view.h"

extern const struct view_ops view_losses_ops;	/* of a struct pager */

#define LOSS_TEXT_BYTES 32
/* @count of @cause in @out[LOSS_TEXT_BYTES]: a number or a time, 0 included. Returns @out. */
char *view_losses_count(char *out, enum loss_cause cause, uint64_t count);

/* What happened with @cause, where most of it did, and what helps: two sentences without the last
 * full stop, the first in lower case. Fills @out, cuts what exceeds @room bytes, returns @out. */
char *view_losses_describe(char *out, size_t room, const struct loss_ledger *ledger,
			   enum loss_cause cause);

#endif
