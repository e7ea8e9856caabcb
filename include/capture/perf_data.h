/* perf_data.h - reads a recording of perf-record(1): the same queue, the same parser, as live.
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; <linux/perf_event.h>.
 * Scope:  file mode ("PERFILE2"), uncompressed, either with attrs section; pipe mode and zstd are
 *         refused with a sentence that says how to convert.
 * Errors: damage is found before or while reading and names the file offset; exit 3, never half a
 *         result in silence.
 * Thread: open and getters: main; perf_data_start() runs its own thread.
 */
#ifndef CAPTURE_PERF_DATA_H
#define CAPTURE_PERF_DATA_H

#include "base/build_id.h"
#include "base/diag.h"
#include "base/spsc.h"
#include "capture/event_desc.h"

struct perf_data;

struct perf_data_build_id {	/* HEADER_BUILD_ID: objects that had samples */
	const char *path;	/* raw, terminated; "[kernel.kallsyms]" for the kernel */
	struct build_id build_id;
	bool is_kernel;
};

/* Opens @path, reads headers and checks that all sections lie inside the file.
 * 0; -EBADMSG damaged or truncated (offset named); -ENOTSUP pipe mode, compressed, other byte
 * order; or the errno of open(2). */
int perf_data_open(struct perf_data **out, const char *path, struct diag *why);
void perf_data_close(struct perf_data *reader);	/* stops the thread; NULL is fine */

size_t perf_data_event_count(const struct perf_data *reader);
const struct event_desc *perf_data_event(const struct perf_data *reader, size_t index);
const char *perf_data_host(const struct perf_data *reader);	/* raw; "" when not recorded */
uint32_t perf_data_cpu_count(const struct perf_data *reader);	/* 0: not recorded */
const struct perf_data_build_id *perf_data_build_ids(const struct perf_data *reader,
						     size_t *count);

/* Starts the thread that queues every record in file order, a QUEUE_ROUND_END at each
 * PERF_RECORD_FINISHED_ROUND (limit: the newest time stamp of the round before) and, last,
 * QUEUE_END with the error, if any. Waits (eventfd or condition, no spin) while @queue is full. */
int perf_data_start(struct perf_data *reader, struct spsc *queue, struct diag *why);

#endif
