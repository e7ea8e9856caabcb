/* perf_data_header.h - reads the header of a recording: events, host, build-ids, place of the
 * records.
 *
 * Layout:  |file header|attrs + their ids|records ......|table of features|feature|feature|...|
 *          or, when perf wrote to a pipe: |short header|records, attrs and features among them|
 * Source:  linux/tools/perf/Documentation/perf.data-file-format.txt.
 * Thread:  main, at open.
 */
#ifndef CAPTURE_PERF_DATA_HEADER_H
#define CAPTURE_PERF_DATA_HEADER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/id_map.h"
#include "capture/event_desc.h"
#include "capture/perf_data.h"

/* Records that perf itself writes between those of the kernel. */
enum perf_data_record {
	PERF_DATA_RECORD_FIRST = 64,
	PERF_DATA_RECORD_ATTR = 64,
	PERF_DATA_RECORD_EVENT_TYPE = 65,	/* before Linux 3.11: name of a tracepoint */
	PERF_DATA_RECORD_TRACING_DATA = 66,	/* followed by tracepoint formats */
	PERF_DATA_RECORD_BUILD_ID = 67,
	PERF_DATA_RECORD_FINISHED_ROUND = 68,
	PERF_DATA_RECORD_AUXTRACE_INFO = 70,
	PERF_DATA_RECORD_AUXTRACE = 71,
	PERF_DATA_RECORD_EVENT_UPDATE = 78,
	PERF_DATA_RECORD_FEATURE = 80,
	PERF_DATA_RECORD_COMPRESSED = 81,
	PERF_DATA_RECORD_COMPRESSED2 = 83,
};

#define PERF_DATA_FEATURE_TRACING 1 /* what follows a PERF_DATA_RECORD_TRACING_DATA */
#define PERF_DATA_FEATURE_BUILD_ID 2 /* a sequence of PERF_DATA_RECORD_BUILD_ID */

struct perf_data_header {
	uint64_t records_offset, records_end;	/* in the file */
	bool is_piped;			/* no sections: attrs and features are records */
	bool is_compressed;
	struct event_desc *events;	/* owned, like all pointers below */
	size_t event_count;
	struct id_map event_of_id;
	char **formats;			/* the texts of event_desc.raw_format */
	size_t format_count;
	struct perf_data_build_id *build_ids;
	size_t build_id_count;
	char *host;			/* raw; NULL when not recorded */
	char *kernel_release;		/* raw, as uname -r prints it; NULL when not recorded */
	uint32_t cpu_count;		/* online; 0 when not recorded */
	uint32_t configured_cpus;
	int *sockets;			/* socket per CPU, < 0: none. NULL when not recorded */
	uint32_t socket_count;
};

/* Reads the header of @fd, a regular file of @file_bytes. @header must be zeroed; the caller must
 * call perf_data_header_finish() also after a failure. Errors as perf_data_open(). */
int perf_data_header_read(struct perf_data_header *header, int fd, uint64_t file_bytes,
			  struct diag *why);
void perf_data_header_finish(struct perf_data_header *header);

/* Returns the size of the bytes that follow a TRACING_DATA record. */
uint64_t perf_data_tracing_bytes(const struct perf_event_header *record);

/* The steps of perf_data_header_read(), each in a file of its own. */

/* perf_data_feature.c: reads the feature number @bit into @header; ignores unknown ones.
 * Returns 0; -EBADMSG; -ENOTSUP (compressed, hardware trace); -ENOMEM. */
int perf_data_feature_take(struct perf_data_header *header, uint32_t bit, const void *bytes,
			   size_t size, struct diag *why);

/* perf_data_tracing.c: reads tracepoint formats from the @size bytes of a tracing section: names
 * the events and sets event_desc.raw_format. Returns 0, -EBADMSG or -ENOMEM. */
int perf_data_tracing_take(struct perf_data_header *header, const void *bytes, size_t size,
			   struct diag *why);

#define PERF_DATA_UNKNOWN_TRACEPOINT "unknown tracepoint"

/* perf_data_name.c: writes the name that perf 6.1 gives an event without a recorded name. */
void perf_data_name_event(const struct perf_event_attr *attr, char *out, size_t size);

#endif
