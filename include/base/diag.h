/* diag.h - the sentence that a user reads when something fails: cause and remedy; and the log.
 *
 * Use:    a function that can fail takes `struct diag *why`, returns -errno and fills @why. The
 *         caller either returns it to its own caller or prints it (only main and ui print).
 * Thread: a diag belongs to the thread that passed it.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag {
	int err;	/* -errno of the failure, 0 when nothing was set */
	char text[480];	/* one line, no newline at the end; cut when longer */
};

/* Writes the sentence and returns @err, so that `return diag_set(why, -EINVAL, ...)` works.
 * @why may be NULL: then only @err is returned. */
int diag_set(struct diag *why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prepends a formatted prefix and ": " to the sentence (which DSO, which CPU). @why may be NULL. */
void diag_prefix(struct diag *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Messages of flametop about itself, shown in the log view and written to --log FILE.
 *
 * Use:    log_open() once, then log_note()/log_warn() from any thread but the sampler. They do not
 *         touch stdout or stderr. Lines pass the sanitizer. At a crash the log gets the report.
 * Thread: any; a short lock inside. Never called from a signal handler or the sampler's round.
 */

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
 * of base/privileges.h allows that place. An existing file must have one link and belong to the
 * user or to the caller of sudo(8), else -EPERM. -EINVAL: not a regular file. */
int log_open(const char *path, struct diag *why);
void log_close(void);

void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies the newest lines into @out[@cap] in order of time; returns their number. */
size_t log_tail(struct log_line *out, size_t cap);

/* Reports that flametop crashed, and where, before the process dies of the signal.
 *
 * Use:    crash_catch() after the children are forked, as they must not report a crash of flametop.
 *         On a fatal signal in any thread the handler writes one line, then module and offset of
 *         each caller (input for addr2line(1)), to stderr and to the log. The process still dies of
 *         the signal, so that its parent sees 128+n.
 * Order:  the handler that restores the terminal is installed later, runs first, and raises the
 *         signal again.
 * Source: sigaction(2), signal-safety(7), sigaltstack(2).
 */

/* Enough for the handlers and for the registers that the kernel saves: 3 KiB with AVX-512. */
#define CRASH_STACK_BYTES 32768

/* Installs the handlers. @log_path: the file of log_open(), to be named in the first line; NULL:
 * none. Keeps handlers that others installed, such as a sanitizer's.
 * Thread: main, before the first thread. */
void crash_catch(const char *log_path);

/* Makes signal handlers of the calling thread run on @stack, which must outlive the thread, so that
 * an overflow of the thread's own stack is reported too. Keeps an alternate stack set before. */
void crash_use_stack(unsigned char stack[CRASH_STACK_BYTES]);

#endif
