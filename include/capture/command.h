/* command.h - the program of `flametop -- command args...`: prepared, started when the events are
 * armed, watched, ended.
 *
 *   command_prepare()  a child that waits before its exec
 *   capture_open()     with target.kind TARGET_COMMAND and ids[0] = command_pid()
 *   capture_start()
 *   command_start()    lets it go
 *
 * Thread: main.
 */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"

#define COMMAND_STATUS_NOT_EXECUTABLE 126	/* as env(1) */
#define COMMAND_STATUS_NOT_FOUND      127

struct command;

/* Forks. @argv is NULL-terminated and must outlive command_start(). @keeps_output: the screen is
 * on, so stdin is /dev/null, output goes to command_output_fd(), and the child gets a process group
 * of its own; else all three are inherited. Before the first thread. 0 or -errno. */
int command_prepare(struct command **out, char *const argv[], bool keeps_output, struct diag *why);

pid_t command_pid(const struct command *command);
int command_pidfd(const struct command *command);	/* readable when the command has ended */
int command_output_fd(const struct command *command);	/* non-blocking; -1: output is inherited */

/* Lets the child exec and waits until it has. Returns 0, or the errno of its exec; then the command
 * has ended and command_status() is COMMAND_STATUS_NOT_FOUND or _NOT_EXECUTABLE. */
int command_start(struct command *command, struct diag *why);

/* True once it has ended: *@status is its exit status, or 128 + the signal. Never waits. */
bool command_has_ended(struct command *command, int *status);

/* Ends the command if it still runs, with its whole group if it has one: SIGTERM, SIGKILL a second
 * later. One that never got to its exec runs nothing. Reaps. NULL is fine. */
void command_destroy(struct command *command);

#endif
