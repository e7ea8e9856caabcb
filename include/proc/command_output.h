/* command_output.h - copies the output of the command into the log, line by line, so that the
 * command neither overwrites the screen nor blocks on a full pipe.
 *
 * Thread: start and stop from main; a thread of its own reads.
 */
#ifndef PROC_COMMAND_OUTPUT_H
#define PROC_COMMAND_OUTPUT_H

#include "base/diag.h"

struct command_output;

/* Starts reading @fd (command_output_fd(), BORROWED, non-blocking) to its end. 0 or -errno. */
int command_output_start(struct command_output **out, int fd, struct diag *why);
/* Stops after everything printed so far is in the log. NULL is fine. */
void command_output_stop(struct command_output *output);

#endif
