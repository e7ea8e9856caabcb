/* flight_recorder.h - holds the records of the last seconds in bounded memory, and saves them as a
 * perf.data file when something has happened.
 *
 *   encoder --> segments of some seconds, each complete by itself --> thread: files
 *   (analyzer's thread)    oldest leave first
 *
 * A save hands the segments over as they are; nothing is copied, and nobody waits for the disk.
 *
 * Thread: create and destroy: main's; others as stated.
 */
#ifndef RECORD_FLIGHT_RECORDER_H
#define RECORD_FLIGHT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "record/recording.h"

#define FLIGHT_PATH_BYTES 4096

/* What became of a save. */
struct flight_saved {
	const char *path;
	struct diag why;	/* err 0: it was saved */
	uint64_t bytes, samples;
	double seconds;		/* from the first sample to the last */
	uint32_t removed;	/* older files of its own that were removed */
};

struct flight_config {
	struct record_encoder_config encoder;
	struct recording_machine machine;
	uint64_t length_ns;	/* how far back records are kept */
	size_t memory_bytes;	/* for the records, at most */
	const char *directory;	/* for files that are not given a name; BORROWED */
	uint32_t files_max;	/* so many of these are left there, the newest */
	/* Reports a save. Thread: the analyzer's, or main's in flight_recorder_destroy(). */
	void (*saved)(void *owner, const struct flight_saved *saved);
	void *owner;
};

struct flight_status {
	uint64_t kept_ns;	/* so far back, at the last look */
	uint64_t bytes;
	bool is_cut;		/* less than config.length_ns, for want of memory */
};

struct flight_recorder;

/* Blocks SIGUSR2, which saves, in the calling thread and those that it starts later: call it
 * before the first thread. */
void flight_recorder_block_signal(void);
/* 0 or -errno. */
int flight_recorder_create(struct flight_recorder **out, const struct flight_config *config,
			   struct diag *why);
/* The tee must be detached. Waits until what was to be saved is saved, but not for ever: a disk
 * that hangs is reported, and its thread left to the end of the program. NULL is fine. */
void flight_recorder_destroy(struct flight_recorder *flight);
const struct record_tee *flight_recorder_tee(struct flight_recorder *flight);	/* BORROWED */

/* Saves what is kept, under a name of its own, once everything up to @until_ns is in it. Thread:
 * the analyzer's. */
void flight_recorder_trigger(struct flight_recorder *flight, uint64_t until_ns);
/* Notes that triggers are for seconds that end after @until_ns only: what these need is kept until
 * then. Without a call, triggers are for the newest second. Thread: the analyzer's. */
void flight_recorder_note_look(struct flight_recorder *flight, uint64_t until_ns);
/* Saves what is kept now as @path, "": under a name of its own; of two requests that come at once
 * the later one counts. False: no memory. Thread: any. */
bool flight_recorder_save(struct flight_recorder *flight, const char *path);
/* Thread: main's. */
void flight_recorder_status(struct flight_recorder *flight, struct flight_status *out);

#endif
