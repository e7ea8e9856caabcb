/* perf_data_feature.h - what the header of a recording says: the events, the host and its CPUs,
 * build-ids. A feature is one of these in a section or record of its own. */
#ifndef CAPTURE_PERF_DATA_FEATURE_H
#define CAPTURE_PERF_DATA_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/id_map.h"
#include "capture/event.h"
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

#define PERF_DATA_FEATURE_TRACING 1 /* follows a PERF_DATA_RECORD_TRACING_DATA */
#define PERF_DATA_FEATURE_BUILD_ID 2 /* a sequence of PERF_DATA_RECORD_BUILD_ID */
#define PERF_DATA_FEATURE_PROBES 200	/* flametop's own: what its probes were; perf has far fewer
					 * features, and passes over it */
#define PERF_DATA_UNKNOWN_TRACEPOINT "unknown tracepoint"	/* until its format was read */

struct perf_data_header {
	struct diag *damage;	/* BORROWED; NULL: damage is an error. Else the first is noted in
				 * it, what can be read is read, and no event is added */
	uint64_t records_offset, records_end;	/* in the file */
	bool is_piped;			/* no sections: attrs and features are records */
	bool is_compressed;
	struct event_desc *events;	/* owned, like all pointers below */
	size_t event_count;
	size_t recorded_count;	/* events that have records; one more is made of theirs */
	uint32_t first_recorded;	/* the first event of the file; of a record without an id */
	/* perf record --off-cpu: the index of its event, and the format of its samples in the file.
	 * That of the event is what the reader makes of them. */
	bool has_waits;
	uint32_t wait_event;
	struct record_format wait_format;
	struct id_map event_of_id;
	char **formats;			/* the texts of event_desc.raw_format and .probe */
	size_t format_count;
	struct perf_data_build_id *build_ids;
	size_t build_id_count;
	char *host;			/* raw; NULL when not recorded */
	char *kernel_release;		/* raw, as uname -r prints it; NULL when not recorded */
	char *machine_name;		/* raw, as uname -m prints it; NULL when not recorded */
	uint32_t cpu_count;		/* online; 0 when not recorded */
	uint32_t configured_cpus;
	int *sockets;			/* socket per CPU, < 0: none. NULL when not recorded */
	uint32_t socket_count;
	/* Times of the first and the last sample, on the recording's clock; both 0: not recorded */
	uint64_t first_sample_ns, last_sample_ns;
	/* What both clocks read at one moment; has_wall false: not recorded */
	bool has_wall;
	uint64_t wall_ns, wall_clock_ns;	/* CLOCK_REALTIME; the recording's clock */
	struct core_pmus pmus;		/* one per kind of cores, where there are several; none:
					 * not recorded */
};

/* Reads the feature number @bit into @header; ignores unknown ones.
 * Returns 0; -EBADMSG; -ENOTSUP (compressed, hardware trace); -ENOMEM. */
int perf_data_feature_take(struct perf_data_header *header, uint32_t bit, const void *bytes,
			   size_t size, struct diag *why);

/* Reads tracepoint formats from the @size bytes of a tracing section: names the events and sets
 * event_desc.raw_format. Returns 0, -EBADMSG or -ENOMEM. */
int perf_data_tracing_take(struct perf_data_header *header, const void *bytes, size_t size,
			   struct diag *why);

#endif
