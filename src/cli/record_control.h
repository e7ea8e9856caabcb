/* record_control.h - begins and ends the recordings of a session: -o, and the screen's key.
 * Thread: main. */
#ifndef CLI_RECORD_CONTROL_H
#define CLI_RECORD_CONTROL_H

#include "capture/perf_data.h"
#include "cli/options.h"
#include "record/recording.h"

struct record_owner {
	struct record_control control;	/* the screen's interface */
	const struct options *options;	/* BORROWED, as the next */
	const struct perf_data *replayed;	/* NULL: this machine is sampled */
	struct recorder *recorder;	/* owned; NULL: nothing is recorded */
};

/* Creates what recordings need; @replayed: the recording that is shown, NULL: none. Begins that of
 * -o, whose *@tee the analyzer's configuration gets. 0 or -errno; record_owner_destroy() is due in
 * both cases. */
int record_owner_create(struct record_owner **out, const struct options *options,
			const struct perf_data *replayed, const struct record_tee **tee,
			struct diag *why);
/* Removes a recording without a sample, of a run that could not start. The analyzer must have left
 * it; record_owner_destroy() then finds none. NULL is fine. */
void record_owner_discard(struct record_owner *owner);
/* Ends the recording, which the analyzer must have left, and waits for its disk. @path[@room]: its
 * file's; "": there was none. @status and @why as in recorder_finish(). NULL is fine. */
void record_owner_destroy(struct record_owner *owner, char *path, size_t room,
			  struct recorder_status *status, struct diag *why);

#endif
