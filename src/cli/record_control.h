/* record_control.h - begins and ends the recordings of a session: -o, and the screen's key.
 * Thread: main. */
#ifndef CLI_RECORD_CONTROL_H
#define CLI_RECORD_CONTROL_H

#include "cli/session.h"

/* Begins the recording of -o, if there is one; before the analyzer exists, whose configuration gets
 * @tee. Fills in session->record, the screen's interface. 0 or -errno. */
int record_control_begin(struct session *session, const struct options *options,
			 const struct record_tee **tee, struct diag *why);

#endif
