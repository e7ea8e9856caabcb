/* filter.h - which rows of a snapshot are shown: data, not code paths.
 * Thread: the owner's. Pure. */
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include <stdbool.h>

#include "model/snapshot.h"

#define FILTER_TEXT_BYTES 128

struct filter {
	char text[FILTER_TEXT_BYTES];	/* substring of symbol, object or comm; "": all. Smart case:
					 * lower-case text matches any case */
	bool show_idle, hide_kernel, hide_user;
};

bool filter_matches(const struct filter *filter, const struct snapshot_row *row);

#endif
