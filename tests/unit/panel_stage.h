/* panel_stage.h - a probe's panel on the scene, and the engine that answers it. */
#ifndef TESTS_PANEL_STAGE_H
#define TESTS_PANEL_STAGE_H

#include "probe_fixture.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"

/* An argument by debug information, one by the calling convention, and what is returned; 100 calls
 * a second. */
struct probe_answer panel_answer(enum probe_verdict verdict);
/* Answers the panel's last question. */
void panel_give(struct scene *scene, struct probe_answer answer);

/* The panel of the first row, examined, with its answer. */
struct scene *panel_open_first(void **state);
void panel_focus_on(struct scene *scene, enum panel_part part, int index);
/* Of what it would order now; changed by the next call. */
const char *panel_spec_text(const struct scene *scene);

#endif
