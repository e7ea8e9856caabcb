/* point_values.h - child side: the points of a function, with the values that were asked for and
 * those that are to be had.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef SYMBOLS_POINT_VALUES_H
#define SYMBOLS_POINT_VALUES_H

#include "symbols/point_job.h"

/* Adds @vaddr to the last function, in the code of the function that begins at @entry, and what the
 * function offers if it is its first point. */
void point_values_add_point(struct point_job *job, uint64_t entry, uint64_t vaddr);

#endif
