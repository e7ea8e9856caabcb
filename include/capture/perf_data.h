/* perf_data.h - reads a recording of perf-record(1): the same queue, the same parser, as live.
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; <linux/perf_event.h>.
 * Scope:  "PERFILE2" of this machine's byte order, with attrs section (a file) or with attr records
 *         (what `perf record -o -` wrote, saved to a file); or a directory of
 *         `perf record --threads` or `--kcore`. A compressed one (-z) needs an unpacker, and if it
 *         is a directory, room in /var/tmp; hardware trace data are refused with a sentence.
 * Errors: damage is found before or while reading and names the file offset; exit 3, never half a
 *         result in silence.
 * Thread: open and getters: main; perf_data_start() runs its own thread. perf_data_queue_fd() and
 *         perf_data_consumed(): the consumer of the queue.
 */
#ifndef CAPTURE_PERF_DATA_H
#define CAPTURE_PERF_DATA_H

#include "base/build_id.h"
#include "base/diag.h"
#include "base/spsc.h"
#include "capture/event_desc.h"

#define PERF_DATA_QUEUE_MIN_BYTES (256u * 1024) /* a record has up to 64 KiB; spsc takes half */

struct perf_data;

struct perf_data_build_id {	/* HEADER_BUILD_ID: objects that had samples */
	char *path;	/* raw, terminated; "[kernel.kallsyms]" for the kernel */
	struct build_id build_id;
	bool is_kernel;	/* the kernel or one of its modules */
};

/* Another process unpacks the records of a compressed recording. The files of a directory are
 * unpacked one after the other: the reader's thread calls begin() and end(). */
struct perf_data_unpacker {
	void *owner;
	/* Begins with [@begin, @end) of @fd. *@records: a socket from which they come, the
	 * caller's. 0 or -errno. */
	int (*begin)(void *owner, int fd, uint64_t begin, uint64_t end, int *records,
		     struct diag *why);
	/* Once nobody reads them any more. 0: all were unpacked; else why not. */
	int (*end)(void *owner, struct diag *why);
};

/* Opens @path, reads headers and checks that all sections lie inside the file.
 * 0; -EBADMSG damaged or truncated (offset named); -ENOTSUP compressed in another way than zstd's,
 * hardware trace, other byte order, no regular file; or the errno of open(2). */
int perf_data_open(struct perf_data **out, const char *path, struct diag *why);
void perf_data_close(struct perf_data *reader);	/* stops the thread; NULL is fine */

size_t perf_data_event_count(const struct perf_data *reader);
const struct event_desc *perf_data_event(const struct perf_data *reader, size_t index);
const char *perf_data_host(const struct perf_data *reader);	/* raw; "" when not recorded */
/* The kernel release that uname -r printed there: raw; "" when not recorded. */
const char *perf_data_kernel_release(const struct perf_data *reader);
/* The list of the kernel's functions that `perf record --kcore` kept, as /proc/kallsyms was: a
 * regular file, BORROWED and not checked; -1: there is none. */
int perf_data_kernel_names(const struct perf_data *reader);
/* When the recording was written last, by CLOCK_REALTIME. */
uint64_t perf_data_written_ns(const struct perf_data *reader);
uint32_t perf_data_cpu_count(const struct perf_data *reader);	/* online; 0: not recorded */
/* The socket (package) of each CPU from 0 on, < 0: it has none; *@count 0: not recorded.
 * BORROWED. */
const int *perf_data_sockets(const struct perf_data *reader, uint32_t *count);
const struct perf_data_build_id *perf_data_build_ids(const struct perf_data *reader,
						     size_t *count);

/* Before the start; @unpacker is copied, its owner BORROWED. */
void perf_data_set_unpacker(struct perf_data *reader, const struct perf_data_unpacker *unpacker);

/* Starts the thread that queues every record in file order, a QUEUE_ROUND_END at each
 * PERF_RECORD_FINISHED_ROUND (limit: the newest time stamp before the FINISHED_ROUND before it)
 * and, last, QUEUE_END with the error, if any. Waits without spinning while @queue (at least
 * PERF_DATA_QUEUE_MIN_BYTES) is full. 0 or -errno. */
int perf_data_start(struct perf_data *reader, struct spsc *queue, struct diag *why);

/* An eventfd that is readable when items were queued: read it (8 bytes), then drain the queue. */
int perf_data_queue_fd(const struct perf_data *reader);
/* The consumer made room: call it after draining, before it waits again. */
void perf_data_consumed(struct perf_data *reader);

#endif
