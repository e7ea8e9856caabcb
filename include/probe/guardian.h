/* guardian.h - the small child that cleans up when flametop dies of anything, SIGKILL included.
 *
 * Idea:    it holds the read end of a pipe and the terminal's saved state; main writes a byte when
 *          it takes or leaves the screen. End of file means that main is gone: restore the terminal
 *          if it was taken, end the zygote (and the command that is to end with main), remove
 *          main's dynamic events from tracefs, trying as long as they are busy, go. It runs in a
 *          session of its own and ignores signals. A kill of the whole cgroup takes it too.
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
/* Killed if main dies; at most GUARDIAN_CHILDREN_MAX of them. */
void guardian_watch_child(struct guardian *guardian, pid_t pid);
/* Ended if main dies, with its group if it leads one: SIGTERM, SIGKILL a second later. */
void guardian_watch_command(struct guardian *guardian, pid_t pid);
void guardian_screen_taken(struct guardian *guardian);	/* async-signal-safe, as the next */
void guardian_screen_left(struct guardian *guardian);
pid_t guardian_pid(const struct guardian *guardian);
/* The pipe's write end: every other child must close it. */
int guardian_pipe_fd(const struct guardian *guardian);
void guardian_stop(struct guardian *guardian);	/* normal end; NULL is fine */

#endif
