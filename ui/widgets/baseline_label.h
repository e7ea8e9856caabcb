/* baseline_label.h - what the baseline "A" is called: its time, or the name of its recording.
 * Thread: the ui's. */
#ifndef UI_BASELINE_LABEL_H
#define UI_BASELINE_LABEL_H

#include "state.h"

#define BASELINE_LABEL_BYTES 96

/* "13:58:00-13:58:10", in a recording "0:12-0:22" from its begin; of another recording its name. A
 * snapshot must be there. Returns @out. */
char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES]);
/* The same of what was marked, and no snapshot tells it yet. */
char *baseline_label_marked(const struct ui_state *state, char out[BASELINE_LABEL_BYTES]);

#endif
