/* ui_rows.h - one small machine in the last 10 s, as each view of the table shows it: the same
 * 34860 samples and 44000 idle ones in all of them. */
#ifndef TESTS_UI_ROWS_H
#define TESTS_UI_ROWS_H

#include <stddef.h>

#include "ui/views.h"

struct ui_rows {
	struct snapshot_row *rows;
	size_t count;
};

struct ui_rows ui_rows(enum view_kind kind);

#define UI_ACTIVITY_POINTS 120
/* Busy % with a peak, a quiet time and a gap. */
extern const float ui_activity[UI_ACTIVITY_POINTS];

#endif
