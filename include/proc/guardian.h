/* guardian.h - the small child that cleans up when flametop dies of anything, SIGKILL included.
 *
 * Idea:    it keeps one end of a channel and the terminal's saved state; main sends a message when
 *          it takes or leaves the screen. End of file means that main is gone: it then restores the
 *          terminal if main had taken it, ends the zygote (and the command that is to end with
 *          main), and removes what main left in the kernel, retrying while that is busy. It runs in
 *          a session of its own and ignores signals. A kill of the whole cgroup kills it too.
 * Thread:  guardian_start() before the first thread (and before the zygote, which must close main's
 *          end); the others from the ui thread.
 */
#ifndef PROC_GUARDIAN_H
#define PROC_GUARDIAN_H

#include <sys/types.h>

#include "base/diag.h"

#define GUARDIAN_CHILDREN_MAX 8

struct guardian;

/* What main may leave in the kernel. */
struct guardian_leftovers {
	char name[64];
	/* Called in the guardian once main is gone, and again as long as it returns -EBUSY; NULL:
	 * there is nothing to remove. */
	int (*remove)(const char *name);
};

/* Forks. @tty_fd is the terminal whose state is saved now (-1: none, nothing to restore).
 * @leftovers is copied; NULL: none. */
int guardian_start(struct guardian **out, int tty_fd, const struct guardian_leftovers *leftovers,
		   struct diag *why);
/* Has @pid killed if main dies; at most GUARDIAN_CHILDREN_MAX of them. */
void guardian_watch_child(struct guardian *guardian, pid_t pid);
/* Has the command @pid ended if main dies, with a group that it leads: SIGTERM, 1 s later
 * SIGKILL. */
void guardian_watch_command(struct guardian *guardian, pid_t pid);
void guardian_screen_taken(struct guardian *guardian);	/* both are async-signal-safe */
void guardian_screen_left(struct guardian *guardian);
pid_t guardian_pid(const struct guardian *guardian);
/* Returns main's end of the channel: every other child must close it. */
int guardian_pipe_fd(const struct guardian *guardian);
void guardian_stop(struct guardian *guardian);	/* normal end; NULL is fine */

#endif
