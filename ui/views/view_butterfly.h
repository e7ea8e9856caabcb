/* view_butterfly.h - the butterfly: a function, its callers above, its callees below.
 * Thread: the ui's. */
#ifndef UI_VIEW_BUTTERFLY_H
#define UI_VIEW_BUTTERFLY_H

#include "view.h"

extern const struct view_ops view_butterfly_ops;

#endif
