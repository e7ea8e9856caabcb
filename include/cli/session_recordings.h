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
	struct sandbox *sandbox;	/* BORROWED; used by the unpacker */
	struct record_unpacker *unpacker;	/* reads a compressed recording; else NULL */
	uint32_t number;		/* 1 or 2 */
	uint64_t jobs;			/* number of the last unpack job */
	char name[128];		/* base name of the file */
	char text[160];		/* description for the header */
};

struct session_recordings {
	struct session_recording first, other;	/* other.reader NULL: there is no other */
	struct second_recording second;		/* description of `other` for the analyzer */
};

/* Opens @path, and @diff_path unless that is NULL. Compressed ones are unpacked in @sandbox, which
 * is BORROWED and must not be used otherwise meanwhile. 0 or -errno with the reason;
 * session_recordings_close() is needed in every case. */
int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct sandbox *sandbox, struct diag *why);
/* Closes the recordings; zeroed ones are fine, too. The object opener must have ended, as it reads
 * kernel names from them. */
void session_recordings_close(struct session_recordings *recordings);

/* Sets the members of @config that describe the recordings. */
void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config);

#endif
