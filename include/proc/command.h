/* command.h - the program of `flametop -- command args...`: prepared, started when the events are
 * armed, watched, ended.
 *
 *   command_prepare()  a child that waits before its exec
 *   capture_open()     with target.kind TARGET_COMMAND and ids[0] = command_pid()
 *   capture_start()
 *   command_start()    lets it go
 *   command_outlive()  when the looking has ended before the command
 *
 * Thread: main.
 */
#ifndef PROC_COMMAND_H
#define PROC_COMMAND_H

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

/* Sends @signal to the command, and to its whole group if it has one; nothing to one that has ended
 * or was never started. */
void command_signal(struct command *command, int signal);
/* command_destroy() ends the command from now on. */
void command_end_with_us(struct command *command);

/* True while a command that command_destroy() would not end is running. */
bool command_is_left(struct command *command);
/* Waits until the command has ended and returns its status as command_has_ended() does. Meanwhile
 * its output goes to standard output, and SIGINT, SIGTERM and SIGHUP (of one with a group also
 * SIGQUIT, SIGTSTP and SIGCONT) go to the command. They stay blocked. Only while no other thread
 * runs. */
int command_outlive(struct command *command);

/* Frees everything. After command_end_with_us() a command that still runs is ended first, with its
 * whole group if it has one: SIGTERM, SIGKILL a second later. One that never got to its exec runs
 * nothing. NULL is fine. */
void command_destroy(struct command *command);

#endif
