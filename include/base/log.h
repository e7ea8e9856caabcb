/* log.h - messages of flametop about itself, shown in the log view and written to --log FILE.
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
	uint64_t number;	/* counts all lines since the start, from 1 */
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	int64_t wall_s;		/* CLOCK_REALTIME, seconds since 1970 */
	bool is_warning;
	char text[LOG_LINE_BYTES];
};

/* Appends later lines to @path too (O_APPEND, 0600, links are not followed), if new_file_place()
 * of base/new_file.h allows that place. An existing file must have one link and belong to the user
 * or to the caller of sudo(8), else -EPERM. -EINVAL: not a regular file. */
int log_open(const char *path, struct diag *why);
void log_close(void);
/* Returns the file's descriptor, BORROWED until log_close(); -1: there is no file. */
int log_fd(void);

void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies the newest lines into @out[@cap] in order of time; returns their number. */
size_t log_tail(struct log_line *out, size_t cap);

#endif
