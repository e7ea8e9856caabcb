/* session_recordings.h - the recordings of a session: one that is shown (-i), or two, of which the
 * second (--diff) is shown beside the counts of the first.
 * Thread: main. */
#ifndef CLI_SESSION_RECORDINGS_H
#define CLI_SESSION_RECORDINGS_H

#include "analyzer/second_recording.h"
#include "capture/perf_data.h"
#include "sandbox/record_unpacker.h"

struct session_recording {
	struct perf_data *reader;
	const struct event_desc **events;	/* owned */
	struct ingest_build_id *build_ids;	/* owned */
	struct sandbox *sandbox;	/* BORROWED: for the unpacker, */
	struct record_unpacker *unpacker;	/* reads a compressed recording; else NULL */
	uint32_t number;		/* 1, 2 */
	uint64_t jobs;			/* number of the last one that was unpacked */
	char name[128];		/* of the file, without its directory */
	char text[160];		/* for the header */
};

struct session_recordings {
	struct session_recording first, other;	/* other: its reader is NULL when there is none */
	struct second_recording second;		/* the other, as the analyzer is told of it */
};

/* Opens @path, and @diff_path unless that is NULL. Compressed ones are unpacked in @sandbox, which
 * is BORROWED and used by nobody else meanwhile. 0 or -errno with the sentence;
 * session_recordings_close() is needed in every case. */
int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct sandbox *sandbox, struct diag *why);
/* Takes a zeroed one, too. The object opener must have ended: it reads kernel names from them. */
void session_recordings_close(struct session_recordings *recordings);

/* What the analyzer must know of the first, and of the other one. */
void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config);

#endif
