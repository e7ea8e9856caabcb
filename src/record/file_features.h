/* file_features.h - the sections of a perf.data file beside its records. See record/recording.h.
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; util/header.h HEADER_*. */
#ifndef RECORD_FILE_FEATURES_H
#define RECORD_FILE_FEATURES_H

#include "byte_store.h"
#include "record/recording.h"

/* What the features say. */
struct file_features {
	struct recording_machine machine;	/* texts are the owner's */
	const struct recording_event *events;
	uint32_t event_count;
	const struct byte_store *build_ids;	/* rows of struct perf_record_header_build_id */
	uint64_t first_ns, last_ns;		/* times of the samples */
	uint64_t wall_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* Copies @from with its texts, but for `arguments`. 0 or -ENOMEM: recording_machine_finish() is due
 * in any case. */
int recording_machine_copy(struct recording_machine *out, const struct recording_machine *from);
void recording_machine_finish(struct recording_machine *machine);

#define FILE_FEATURE_WORDS 4

/* Makes the index and the bodies of all features for the file offset @at; *@bits: which these
 * are. */
void file_features_make(struct byte_store *out, const struct file_features *features, uint64_t at,
			uint64_t bits[FILE_FEATURE_WORDS]);
/* Adds a row for @build_id to the rows of struct file_features. */
void file_features_add_build_id(struct byte_store *rows,
				const struct recording_build_id *build_id);

#endif
