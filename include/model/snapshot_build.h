/* snapshot_build.h - a finished fold and the figures around it -> one immutable snapshot. */
#ifndef MODEL_SNAPSHOT_BUILD_H
#define MODEL_SNAPSHOT_BUILD_H

#include "model/fold.h"

/* Copies @head (its text pointers raw or pool text, copied and sanitized too) and the rows of @fold
 * into one block. NULL: out of memory. The caller's: snapshot_destroy(). Thread: the analyzer's. */
struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold);

#endif
