/* session_recordings.h - the recordings of a session: one that is shown (-i), or two, of which the
 * second (--diff) is shown beside the counts of the first.
 * Thread: main. */
#ifndef SESSION_RECORDINGS_H
#define SESSION_RECORDINGS_H

#include "capture/perf_data.h"
#include "model/second_recording.h"

struct session_recording {
	struct perf_data *reader;
	const struct event_desc **events;	/* owned */
	struct ingest_build_id *build_ids;	/* owned */
	char name[128];		/* of the file, without its directory */
	char text[160];		/* for the header */
};

struct session_recordings {
	struct session_recording first, other;	/* other: its reader is NULL when there is none */
	struct second_recording second;		/* the other, as the analyzer is told of it */
};

/* Opens @path, and @diff_path unless that is NULL. 0 or -errno with the sentence;
 * session_recordings_close() is needed in every case. */
int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct diag *why);
void session_recordings_close(struct session_recordings *recordings);	/* of a zeroed one, too */

/* What the analyzer must know of the first, and of the other one. */
void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config);

#endif
