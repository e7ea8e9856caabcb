/* panel_fixture.h - a screen with the panel of a probe, and the replies of its engine. */
#ifndef TESTS_PANEL_FIXTURE_H
#define TESTS_PANEL_FIXTURE_H

#include "probe_fixture.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"

/* An argument by debug information, one by the calling convention, and what is returned; 100 calls
 * a second. */
struct probe_reply panel_reply(enum probe_verdict verdict);
/* Replies to the panel's last question. */
void panel_give(struct ui *ui, struct probe_reply reply);

/* The panel of the first row, examined, with its reply. */
struct ui *panel_open_first(void **state);
void panel_focus_on(struct ui *ui, enum panel_part part, int index);
/* Of what it would order now; changed by the next call. */
const char *panel_spec_text(const struct ui *ui);

#endif
