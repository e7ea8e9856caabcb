/* guardian.h - the small child that cleans up when flametop dies of anything, SIGKILL included.
 *
 * Idea:    it keeps the read end of a pipe and the terminal's saved state; main writes a byte when
 *          it takes or leaves the screen. End of file means that main is gone: it then restores the
 *          terminal if main had taken it, ends the zygote (and the command that is to end with
 *          main), removes main's dynamic events from tracefs, retrying while they are busy. It runs
 *          in a session of its own and ignores signals. A kill of the whole cgroup kills it too.
 * Thread:  guardian_start() before the first thread (and before the zygote, which must close its
 *          pipe end); the others from the ui thread.
 */
#ifndef PROBE_GUARDIAN_H
#define PROBE_GUARDIAN_H

#include <sys/types.h>

#include "base/diag.h"

#define GUARDIAN_CHILDREN_MAX 8

struct guardian;

/* Forks. @tty_fd is the terminal whose state is saved now (-1: none, nothing to restore). */
int guardian_start(struct guardian **out, int tty_fd, struct diag *why);
/* Has @pid killed if main dies; at most GUARDIAN_CHILDREN_MAX of them. */
void guardian_watch_child(struct guardian *guardian, pid_t pid);
/* Has the command @pid ended if main dies, with a group that it leads: SIGTERM, 1 s later
 * SIGKILL. */
void guardian_watch_command(struct guardian *guardian, pid_t pid);
void guardian_screen_taken(struct guardian *guardian);	/* both are async-signal-safe */
void guardian_screen_left(struct guardian *guardian);
pid_t guardian_pid(const struct guardian *guardian);
/* Returns the pipe's write end: every other child must close it. */
int guardian_pipe_fd(const struct guardian *guardian);
void guardian_stop(struct guardian *guardian);	/* normal end; NULL is fine */

#endif
