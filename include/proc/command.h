/* command.h - runs the program of `flametop -- command args...`, whose exec waits until the events
 * are armed.
 *
 *   command_prepare()  forks a child that waits before its exec
 *   capture_open()     with target.kind TARGET_COMMAND and ids[0] = command_pid()
 *   capture_start()
 *   command_start()    lets the child exec
 *   command_outlive()  waits for the command if profiling ends before it
 *
 * Thread: main.
 */
#ifndef PROC_COMMAND_H
#define PROC_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"

#define COMMAND_STATUS_NOT_EXECUTABLE 126	/* as in env(1) */
#define COMMAND_STATUS_NOT_FOUND      127

struct command;

/* Forks the child, before the first thread. @argv is NULL-terminated and must outlive
 * command_start(). @keeps_output: for use with the screen; stdin is /dev/null, output goes to
 * command_output_fd(), and the child gets its own process group; else all are inherited.
 * Returns 0 or -errno. */
int command_prepare(struct command **out, char *const argv[], bool keeps_output, struct diag *why);

pid_t command_pid(const struct command *command);
int command_pidfd(const struct command *command);	/* readable when the command has ended */
int command_output_fd(const struct command *command);	/* non-blocking; -1: output is inherited */

/* Lets the child exec and waits until it has. Returns 0, or -errno of the exec; then the command
 * has ended with the status COMMAND_STATUS_NOT_FOUND or _NOT_EXECUTABLE. */
int command_start(struct command *command, struct diag *why);

/* Returns true when the command has ended, with its exit status or 128 + the signal in *@status.
 * Never blocks. */
bool command_has_ended(struct command *command, int *status);

/* Sends @signal to the command, or to its process group if it has its own. Does nothing when the
 * command has ended or was never started. */
void command_signal(struct command *command, int signal);
/* Makes command_destroy() end the command. */
void command_end_with_us(struct command *command);

/* Returns true while a command is running that command_destroy() would not end. */
bool command_is_left(struct command *command);
/* Waits until the command has ended and returns its status as command_has_ended() does. Meanwhile
 * relays its output to standard output, and SIGINT, SIGTERM and SIGHUP (if it has its own process
 * group also SIGQUIT, SIGTSTP and SIGCONT) to the command. These signals stay blocked afterwards.
 * Only while no other thread runs. */
int command_outlive(struct command *command);

/* Frees everything. After command_end_with_us() it first ends a running command, or its process
 * group if it has its own: SIGTERM, a second later SIGKILL. A child that never got to its exec
 * exits without running anything. NULL is fine. */
void command_destroy(struct command *command);

/* Copies the output of the command into the log, line by line, so that the command neither
 * overwrites the screen nor blocks on a full pipe.
 * Thread: start and stop from main; a thread of its own reads. */

struct command_output;

/* Starts reading @fd (command_output_fd(), BORROWED, non-blocking) to its end. 0 or -errno. */
int command_output_start(struct command_output **out, int fd, struct diag *why);
/* Stops after everything printed so far is in the log. NULL is fine. */
void command_output_stop(struct command_output *output);

#endif
