/* options.h - the command line -> one struct. Pure: touches nothing but what it returns. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/capture.h"
#include "model/filter.h"
#include "model/snapshot.h"
#include "ui/term.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
};

struct options {
	struct capture_config capture;	/* target included */
	const char **events;		/* owned; what capture.events points to */
	const char *replay_path;	/* -i */
	char *const *command;		/* behind "--"; NULL: none */
	const char *log_path;
	unsigned int keys;		/* enum row_key */
	enum window_kind window;
	uint64_t window_ns, interval_ns;
	uint64_t duration_ns;		/* 0: no end */
	uint64_t batch_count;		/* refreshes; 0: endless */
	bool is_batch, wants_help, wants_version;
	bool wants_all, wants_format;	/* -a, --format: given, for what excludes them */
	enum output_format format;
	size_t max_rows;
	size_t memory_bytes;
	struct filter filter;		/* --filter, -K, -U */
	bool show_idle;
	enum color_mode color;
	bool no_unicode;
};

/* Reads the command line. 0; -EINVAL: usage (status 2); other -errno: a target that is not there.
 * options_finish() is needed in every case. */
int options_parse(struct options *out, int argc, char **argv, struct diag *why);
void options_finish(struct options *options);

/* The text of --help. */
const char *options_help(void);

#endif
