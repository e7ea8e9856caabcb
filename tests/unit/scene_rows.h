/* scene_rows.h - one small machine in the last 10 s, as each view of the table shows it: the same
 * 34860 samples and 44000 idle ones in all of them. */
#ifndef TESTS_SCENE_ROWS_H
#define TESTS_SCENE_ROWS_H

#include <stddef.h>

#include "ui/views.h"

struct scene_rows {
	struct snapshot_row *rows;
	size_t count;
};

struct scene_rows scene_rows(enum view_kind kind);

#define SCENE_STRIP_POINTS 120
/* Busy % with a peak, a quiet time and a gap. */
extern const float scene_strip[SCENE_STRIP_POINTS];

#endif
