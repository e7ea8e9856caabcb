/* perf_data.h - reads a recording of perf-record(1) into the queue and parser of live capture.
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; <linux/perf_event.h>.
 * Scope:  "PERFILE2" in this machine's byte order, with an attrs section (a file) or attr records
 *         (the output of `perf record -o -`, saved to a file); or a directory of
 *         `perf record --threads` or `--kcore`. A compressed recording (-z) needs an unpacker and,
 *         if a directory, space in /var/tmp; hardware trace data are refused with the reason.
 * Errors: damage, found at open or while reading, is reported with its file offset, and flametop
 *         exits with 3; a partial result is never presented as complete.
 * Thread: open and getters: main; perf_data_start() starts a thread. perf_data_queue_fd(),
 *         perf_data_consumed() and perf_data_stop(): the consumer of the queue.
 */
#ifndef CAPTURE_PERF_DATA_H
#define CAPTURE_PERF_DATA_H

#include "base/build_id.h"
#include "base/diag.h"
#include "base/thread.h"
#include "capture/scope.h"
#include "capture/event.h"

#define PERF_DATA_QUEUE_MIN_BYTES (256u * 1024) /* records up to 64 KiB; spsc limit is half */

struct perf_data_section {
	uint64_t offset, bytes;
};

#define PERF_DATA_FEATURE_BITS 256
#define PERF_DATA_PIPE_HEADER_BYTES (2 * sizeof(uint64_t))

struct perf_data_file_header {
	uint64_t magic, header_bytes;	/* a piped recording has only these */
	uint64_t attr_bytes;		/* size of an attr and the section of its ids */
	struct perf_data_section attrs, records, event_types;
	uint64_t features[PERF_DATA_FEATURE_BITS / 64];
};

struct perf_data;

struct perf_data_build_id {	/* HEADER_BUILD_ID: build-id of a DSO that had samples */
	char *path;	/* raw, NUL-terminated; "[kernel.kallsyms]" for the kernel */
	struct build_id build_id;
	bool is_kernel;	/* the kernel or one of its modules */
};

/* Unpacks the records of a compressed recording in another process. The reader's thread calls
 * begin() and end() for one file of a directory after the other. */
struct perf_data_unpacker {
	void *owner;
	/* Starts to unpack [@begin, @end) of @fd. *@records: a socket that delivers the records,
	 * owned by the caller. 0 or -errno. */
	int (*begin)(void *owner, int fd, uint64_t begin, uint64_t end, int *records,
		     struct diag *why);
	/* Called when the caller reads no more records. 0: all were unpacked; else -errno. */
	int (*end)(void *owner, struct diag *why);
};

/* Opens @path, reads the headers and checks that all sections lie inside the file.
 * Returns 0; -EBADMSG: damaged or truncated (with the offset); -ENOTSUP: compression other than
 * zstd, hardware trace, other byte order, not a regular file; or -errno of open(2). */
int perf_data_open(struct perf_data **out, const char *path, struct diag *why);
void perf_data_close(struct perf_data *reader);	/* stops the thread; NULL is fine */

/* Lets off-cpu be the first event, and the only one to be shown. Before the reader starts. Returns
 * 0; or -ENOENT: the recording has no such event, and @why says how one is made that has. */
int perf_data_show_waits(struct perf_data *reader, struct diag *why);

size_t perf_data_event_count(const struct perf_data *reader);
const struct event_desc *perf_data_event(const struct perf_data *reader, size_t index);
const char *perf_data_host(const struct perf_data *reader);	/* raw; "" when not recorded */
/* Returns the kernel release of the recorded machine (uname -r): raw; "" when not recorded. */
const char *perf_data_kernel_release(const struct perf_data *reader);
/* Returns the recorded machine (uname -m): raw; "" when not recorded, which is taken for the own
 * machine. The events' formats have it as record_format.machine. */
const char *perf_data_machine(const struct perf_data *reader);
/* Returns a descriptor of the copy of /proc/kallsyms that `perf record --kcore` made: a regular
 * file, BORROWED, contents not checked; -1: there is none. */
int perf_data_kernel_names(const struct perf_data *reader);
/* Returns the time of the last write to the recording, CLOCK_REALTIME. */
uint64_t perf_data_written_ns(const struct perf_data *reader);
uint32_t perf_data_cpu_count(const struct perf_data *reader);	/* online; 0: not recorded */
/* Returns the socket (package) of each CPU from 0 on, < 0: none; *@count 0: not recorded.
 * BORROWED. */
const int *perf_data_sockets(const struct perf_data *reader, uint32_t *count);
/* Returns the PMUs of the machine's kinds of cores, if it has several. BORROWED. */
const struct core_pmus *perf_data_pmus(const struct perf_data *reader);
const struct perf_data_build_id *perf_data_build_ids(const struct perf_data *reader,
						     size_t *count);

/* Sets the unpacker, before perf_data_start(). @unpacker is copied, its owner BORROWED. */
void perf_data_set_unpacker(struct perf_data *reader, const struct perf_data_unpacker *unpacker);

/* A time in a recording, as a user writes it. */
enum perf_data_time_kind {
	PERF_DATA_TIME_NONE,		/* not given */
	PERF_DATA_TIME_CLOCK,		/* on the recording's clock, as perf script prints it */
	PERF_DATA_TIME_AFTER_BEGIN,	/* after the first sample */
	PERF_DATA_TIME_BEFORE_END,	/* before the last sample */
	PERF_DATA_TIME_OF_DAY,		/* since midnight, local time */
	PERF_DATA_TIME_WALL,		/* since 1970 */
};

struct perf_data_time {
	enum perf_data_time_kind kind;
	uint64_t ns;
};

/* Parses "03:12", "03:12:05.250", "2026-11-29 03:12", "-2h", "+1m30s" or "81234.123456" (seconds
 * of the recording's clock). 0; -EINVAL: none of these. Thread: any. */
int perf_data_time_parse(struct perf_data_time *out, const char *text, struct diag *why);

/* Leaves out samples before @begin and after @end, either of which may be PERF_DATA_TIME_NONE.
 * Records of tasks and mappings are read all the same. Before the reader starts. Returns 0; or
 * -ENOTSUP: the recording's samples have no times. */
int perf_data_set_range(struct perf_data *reader, const struct perf_data_time *begin,
			const struct perf_data_time *end, struct diag *why);

/* Starts the thread that queues every record in file order, a QUEUE_ROUND_END at each
 * PERF_RECORD_FINISHED_ROUND (limit: the newest time stamp before the previous FINISHED_ROUND),
 * now and then and before the end a QUEUE_READ and, last, QUEUE_END with the error, if any. The
 * thread sleeps while @queue (at least PERF_DATA_QUEUE_MIN_BYTES) is full. Returns 0 or -errno. */
int perf_data_start(struct perf_data *reader, struct spsc *queue, struct diag *why);

/* Returns an eventfd, readable when items were queued: read it (8 bytes), then drain the queue. */
int perf_data_queue_fd(const struct perf_data *reader);
/* Tells the reader that the queue has room: call it after draining, before waiting again. */
void perf_data_consumed(struct perf_data *reader);
/* Lets the reader end early, without a QUEUE_END: what is in the queue is the last. Returns at
 * once. Thread: the consumer's. */
void perf_data_stop(struct perf_data *reader);

/* Walks through the records of a recording one by one, also of a damaged one: up to the damage.
 *
 * Use:    perf_data_walk_next() until it returns 0 or an error.
 * Thread: one.
 */
struct perf_data_walk;

struct perf_data_step {
	uint64_t offset;		/* where the record begins in the file */
	const struct perf_event_header *record;	/* BORROWED until the next step */
	const struct event_desc *event;	/* BORROWED; the kernel's records: its event, or the one
					 * that gives their format; else NULL */
	uint64_t id;			/* the event's; 0: none */
	int err;			/* -EBADMSG: what it holds is malformed, `parsed` not set */
	struct event_record parsed;
};

/* Opens the file @path, not a directory. Returns 0, or an error of perf_data_open(); but not for
 * damage after the events: that is perf_data_walk_damage(). */
int perf_data_walk_open(struct perf_data_walk **out, const char *path, struct diag *why);
void perf_data_walk_close(struct perf_data_walk *walk);	/* NULL is fine */
/* Returns what kept part of the header from being read; err 0: nothing. BORROWED. */
const struct diag *perf_data_walk_damage(const struct perf_data_walk *walk);
const struct perf_data_file_header *perf_data_walk_header(const struct perf_data_walk *walk);
bool perf_data_walk_is_piped(const struct perf_data_walk *walk);
uint64_t perf_data_walk_file_bytes(const struct perf_data_walk *walk);
/* Returns the event that stands at @index in the header; NULL: there are no more. */
const struct event_desc *perf_data_walk_event(const struct perf_data_walk *walk, size_t index);
/* Reads the attr of event @index of a recording that is not piped, and where its ids are. Returns 0
 * or -EBADMSG, or -errno of pread(2). */
int perf_data_walk_attr(const struct perf_data_walk *walk, size_t index,
			struct perf_event_attr *attr, struct perf_data_section *ids,
			struct diag *why);
/* Finds the section of feature @bit. Returns 1, 0: it has none, or -errno. */
int perf_data_walk_feature(const struct perf_data_walk *walk, uint32_t bit,
			   struct perf_data_section *out, struct diag *why);
/* Reads @bytes at @offset of the file. Returns 0, -EBADMSG or -errno. */
int perf_data_walk_read(const struct perf_data_walk *walk, uint64_t offset, void *out,
			size_t bytes, struct diag *why);
/* Returns whether the records are compressed; then *@fd, the walk's, has them in [*@begin, *@end),
 * to be unpacked. */
bool perf_data_walk_is_packed(const struct perf_data_walk *walk, int *fd, uint64_t *begin,
			      uint64_t *end);
/* Takes the records from the socket @records, BORROWED, from now on: offsets count from its begin.
 * 0 or -ENOMEM. */
int perf_data_walk_unpacked(struct perf_data_walk *walk, int records);
/* Goes to the next record. Returns 1; 0: there are no more; or -EBADMSG, or -errno of pread(2). */
int perf_data_walk_next(struct perf_data_walk *walk, struct perf_data_step *out,
			struct diag *why);

#endif
