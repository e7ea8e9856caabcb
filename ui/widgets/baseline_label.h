/* baseline_label.h - the name of the baseline "A": its time range, or the name of its recording.
 * Thread: the ui's. */
#ifndef UI_BASELINE_LABEL_H
#define UI_BASELINE_LABEL_H

#include "state.h"

#define BASELINE_LABEL_BYTES 96

/* Formats the label: "13:58:00-13:58:10"; in a recording "0:12-0:22" counted from its start; for
 * another recording its name. A snapshot must have arrived. Returns @out. */
char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES]);
/* Formats the label of a baseline that was marked and is in no snapshot yet. Returns @out. */
char *baseline_label_marked(const struct ui_state *state, char out[BASELINE_LABEL_BYTES]);

#endif
