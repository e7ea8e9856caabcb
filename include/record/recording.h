/* recording.h - writes what is counted as a perf.data file, live.
 *
 *   ingest -> record_tee -> encoder -> items -> sink: a file's queue and thread, or memory
 *             (analyzer's thread)       |
 *                                       `-> recording_file: items -> bytes of a perf.data
 *
 * Items:  RECORD is a perf record that is written as it is; EVENT and BUILD_ID go into the
 *         header and the features of the file. A file needs all EVENT items of its records.
 * Ids:    each event has one id, from 1 on in the order of the EVENT items; every record has it in
 *         PERF_SAMPLE_IDENTIFIER, samples at their begin and others at their end.
 * Order:  RECORD items come in the order of time, but for records that the kernel gave too late.
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "ingest/record_tee.h"

/* An event of a recording. */
struct recording_event {
	struct perf_event_attr attr;	/* as its records are written */
	uint64_t id;			/* see above */
	const char *name;		/* as shown; BORROWED, raw */
	const char *format;		/* its tracefs format file, "" if there is none; BORROWED */
	const char *group;		/* PERF_TYPE_TRACEPOINT: group of the format; BORROWED */
	const char *probe;		/* its description, probe_description_write(), or that of
					 * waits; "": neither; BORROWED */
	uint32_t members;		/* so many events after it are counted with it; 0: none */
};

#define RECORDING_KERNEL "[kernel.kallsyms]"	/* path of the kernel's build-id */

/* A DSO whose build-id is known. */
struct recording_build_id {
	const char *path;		/* BORROWED, raw */
	struct build_id build_id;
	bool is_kernel;
};

enum recording_item_kind {
	RECORDING_RECORD,
	RECORDING_EVENT,
	RECORDING_BUILD_ID,
};

struct recording_item {
	enum recording_item_kind kind;
	union {
		struct {
			const struct perf_event_header *record;
			uint64_t time_ns;	/* CLOCK_MONOTONIC; never less than before */
			bool is_sample;
		};
		struct recording_event event;
		struct recording_build_id build_id;
	};
};

/* Numbers of what the encoder has made so far. */
struct record_encoder_counts {
	uint64_t samples, records;	/* `records` includes samples */
	uint64_t lost;			/* records for which the sink had no room */
	uint64_t unsaid;		/* those of them that no LOST record reports yet */
	uint64_t newest_ns;		/* time of the newest record */
	uint64_t bytes;			/* sum over all records that the sink took */
};

/* Receives items. Thread: the encoder's. */
struct recording_sink {
	void *owner;
	/* False: there was no room for it. The encoder counts lost records, and repeats EVENT and
	 * BUILD_ID items before the next record. @item is BORROWED for the call. */
	bool (*write)(void *owner, const struct recording_item *item);
	/* Every record up to @limit_ns has been written; called often. NULL: nobody asks. */
	void (*progress)(void *owner, uint64_t limit_ns,
			 const struct record_encoder_counts *counts);
	/* The next record begins the part that record_encoder_begin_part() has asked for. False:
	 * there was no room for that; it is repeated. NULL: there are no parts. */
	bool (*part)(void *owner);
	/* The tee is detached, and everything was written. NULL: nobody asks. */
	void (*end)(void *owner, const struct record_encoder_counts *counts);
};

/* The encoder: what ingest counts -> items.
 *
 * A process is described (COMM and MMAP2 records of what is known of it) before its first sample,
 * unless the recording has its begin. record_encoder_restart() makes it describe everything again,
 * so that what follows is complete without what came before. The kernel's own map is not the
 * encoder's matter: recording_describe_kernel().
 *
 * Thread: the analyzer's, but for create and destroy.
 */
struct record_encoder;

struct record_encoder_config {
	bool keeps_raw_stacks;	/* samples keep registers and stack copies: perf unwinds */
	/* Returns the format file of a tracepoint "group:name" of this kernel, allocated: the
	 * caller frees it. NULL: it can't be read. Called on the analyzer's thread. NULL: no
	 * tracepoint has a format. */
	char *(*read_format)(void *owner, const char *name);
	void *owner;
};

/* Returns 0 or -ENOMEM. The caller destroys *@out, after the tee is detached. */
int record_encoder_create(struct record_encoder **out, const struct record_encoder_config *config,
			  const struct recording_sink *sink, struct diag *why);
void record_encoder_destroy(struct record_encoder *encoder);	/* NULL is fine */
/* Returns the tee to attach to ingest; BORROWED from @encoder. */
const struct record_tee *record_encoder_tee(struct record_encoder *encoder);
/* Repeats everything that later records need: events, build-ids, tasks, mappings. */
void record_encoder_restart(struct record_encoder *encoder);
/* Begins another part with the records that come from now on: what they need of tasks and mappings
 * is described in it. Records that still wait belong to the part before. The sink keeps what it has
 * of events, build-ids and the kernel, for each part. Not while a part is due. */
void record_encoder_begin_part(struct record_encoder *encoder);
/* Writes all records that still wait for their turn. */
void record_encoder_flush(struct record_encoder *encoder);
struct record_encoder_counts record_encoder_counts(const struct record_encoder *encoder);

/* Passes the maps and the build-id of the running kernel and its modules to @sink; they come before
 * all other records. What can't be read is left out. Takes the kernel 50-100 ms. Thread: any. */
void recording_describe_kernel(const struct recording_sink *sink);

/* A perf.data file: readable after each recording_file_sync(), and after a SIGKILL at any time.
 *
 *   header | attr slots | ids | data: records ... | feature index | features
 *            RECORDING_EVENTS_MAX                   ^ data.offset + data.size
 *
 * Errors: a failed write is final: the file stays readable up to the last sync that went well.
 * Thread: one per file.
 */
#define RECORDING_EVENTS_MAX 512

struct recording_file;

/* What a recording says of its machine and of itself; all texts are BORROWED for the call. */
struct recording_machine {
	const char *host, *release, *version, *arch;	/* `version`: of flametop */
	const char *cpu;	/* NULL: recording_file_begin() reads it from /proc/cpuinfo */
	uint32_t cpus_available, cpus_online;
	char *const *arguments;		/* command line, ended by NULL */
};

/* Fills in @out for this machine from uname(2) and sysconf(3), but for `cpu`, which the kernel is
 * slow to tell; the texts stay valid. @arguments: the command line, BORROWED for good. Thread:
 * main's. */
void recording_machine_read(struct recording_machine *out, char *const *arguments);

/* Takes the descriptor of a new, empty file over, which recording_file_close() closes. 0 or -errno
 * (@fd is closed). */
int recording_file_begin(struct recording_file **out, int fd,
			 const struct recording_machine *machine, struct diag *why);
/* Lets @file begin with the events and build-ids of @before, whose records it goes on with. 0,
 * -ENOMEM. */
int recording_file_continue(struct recording_file *file, const struct recording_file *before);
/* Adds an item; writes only now and then. 0, -ENOMEM, -E2BIG: too many events, or the -errno of the
 * write that failed. */
int recording_file_add(struct recording_file *file, const struct recording_item *item,
		       struct diag *why);
/* Writes everything, so that the file is readable as far as it has come. */
int recording_file_sync(struct recording_file *file, struct diag *why);
uint64_t recording_file_bytes(const struct recording_file *file);	/* its size so far */
/* Returns how many samples it has: those of the syncs that went well. */
uint64_t recording_file_samples(const struct recording_file *file);
/* Syncs, unless a write has failed, and frees @file; NULL is fine. 0 or -errno. */
int recording_file_close(struct recording_file *file, struct diag *why);

/* Creates the file of a recording, which has its name from the beginning, under the rules of
 * new_file_place() of base/privileges.h. Returns the descriptor or -errno with cause and remedy:
 * -EEXIST (also a FIFO, a device or a link), -EPERM, -EROFS, ... */
int recording_file_create(const char *path, struct diag *why);

/* The recorder: an encoder, and a thread that writes its items into a file. A slow disk makes
 * nobody wait: what finds no room in the queue is lost and counted. The analyzer of a replay waits
 * for room, so that nothing is lost. A failed write ends the recording, not the program.
 *
 *   recorder_begin() -> attach recorder_tee() to ingest -> detach, or destroy the analyzer
 *   -> recorder_finish()
 */
struct recorder;

struct recorder_status {
	bool is_on;		/* it goes on */
	bool is_done;		/* its thread has ended: recorder_finish() does not wait */
	bool is_stalled;	/* the disk has taken nothing for some seconds */
	uint64_t bytes;		/* size of its files */
	uint64_t samples;	/* that these have */
	uint64_t unwritten;	/* samples that came and that no file has; known when it is done */
	uint64_t lost;		/* records for which the queue had no room */
	uint32_t files;
	bool is_split;		/* config.split.is_on: `files` says how many there are */
	uint64_t undescribed;	/* records of kernel code, cgroups and the like that the last file
				 * lacks, as there was no room to repeat more of them */
	struct diag why;	/* why it ended early; err 0: it did not */
};

/* When a recording goes on in another file; all zero: never. Each file is complete by itself, and
 * no record is in two of them. */
struct recorder_split {
	uint64_t bytes, time_ns;	/* after so much of records, or of time; 0: never */
	bool by_signal;			/* at SIGUSR2: see flight_recorder_block_signal() */
	bool is_on;			/* the name of each file ends with the time it begins at */
	uint32_t files_max;		/* so many are left, the newest; 0: all */
};

struct recorder_config {
	struct record_encoder_config encoder;
	struct recording_machine machine;
	bool is_replay;			/* the kernel's map comes with the records, and these can
					 * wait */
	struct build_id kernel_build_id;	/* is_replay: of the recorded kernel */
	struct recorder_split split;
	bool opens_later;		/* the thread opens the file, so that nobody waits for the
					 * disk: a file that can't be opened ends the recording */
};

/* Starts the thread, after @path was opened unless opens_later. 0 or -errno. The texts of
 * config->machine are copied but for the arguments. Thread: main's. */
int recorder_begin(struct recorder **out, const char *path, const struct recorder_config *config,
		   struct diag *why);
const struct record_tee *recorder_tee(struct recorder *recorder);	/* BORROWED */
const char *recorder_path(const struct recorder *recorder);	/* BORROWED */
/* Lets the recorder write what is left and close its file. False: a disk that is slow or hangs has
 * not taken all of it after @wait_ms. The tee must be detached. Thread: main's. */
bool recorder_wait(struct recorder *recorder, uint32_t wait_ms);
/* As recorder_wait() for a moment; then frees @recorder; NULL is fine. @out: the last status, may
 * be NULL. Returns 0, or -errno if the recording ended early; -ETIMEDOUT: the disk hangs, and the
 * thread is left to the end of the program. Thread: main's. */
int recorder_finish(struct recorder *recorder, struct recorder_status *out, struct diag *why);
/* As recorder_finish(), for a run that could not start: removes the file if no sample is in it.
 * Returns true if it did: then @recorder is freed, else it is as before. Thread: main's. */
bool recorder_discard(struct recorder *recorder);
/* The newest status. Thread: main's. */
void recorder_status(struct recorder *recorder, struct recorder_status *out);

/* The screen's interface to the recorder. Thread: main's. */
struct record_control {
	void *owner;
	/* Begins a recording in @path; *@tee is to be attached. 0 or -errno. */
	int (*begin)(void *owner, const char *path, const struct record_tee **tee,
		     struct diag *why);
	/* False: nothing is recorded. */
	bool (*status)(void *owner, struct recorder_status *out);
	/* Frees what the recording needed, once its status is_done. 0 or -errno: it ended early. */
	int (*finish)(void *owner, struct recorder_status *out, struct diag *why);
};

#endif
