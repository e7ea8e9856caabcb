/* log.h - what flametop has to tell besides the picture: goes to --log FILE and to the log view.
 *
 * Use:    log_open() once, then log_note()/log_warn() from any thread but the sampler.
 *         Nothing here touches stdout or stderr. Lines pass the sanitizer.
 * Thread: any; a short lock inside. Never called from a signal handler or the sampler's round.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define LOG_LINES	512	/* kept in memory for the log view; older ones only in the file */
#define LOG_LINE_BYTES	240

struct log_line {
	uint64_t number;	/* of all lines since the start; the first is 1 */
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	int64_t wall_s;		/* the same in seconds since 1970: the clock on the user's wall */
	bool is_warning;
	char text[LOG_LINE_BYTES];
};

/* Also appends to @path from now on (O_APPEND, 0600, never through a link), where
 * new_file_place() of base/new_file.h lets one write. A file that is there already must be the
 * user's own, or of who called sudo, with one name: -EPERM. -EINVAL: it is no file. */
int log_open(const char *path, struct diag *why);
void log_close(void);
/* The file's descriptor, which stays the log's; -1: there is none. */
int log_fd(void);

void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies the newest lines, oldest of them first, into @out[@cap]; returns how many. */
size_t log_tail(struct log_line *out, size_t cap);

#endif
