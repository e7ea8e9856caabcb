/* command_output.h - keeps what the command prints, line by line, in the log (and its view), so
 * that it neither writes over the screen nor stops at a full pipe.
 *
 * Thread: start and stop from main; a thread of its own reads.
 */
#ifndef PROC_COMMAND_OUTPUT_H
#define PROC_COMMAND_OUTPUT_H

#include "base/diag.h"

struct command_output;

/* Reads @fd (command_output_fd(), borrowed, non-blocking) until its end. 0 or -errno. */
int command_output_start(struct command_output **out, int fd, struct diag *why);
/* Stops once all that was printed so far is in the log. NULL is fine. */
void command_output_stop(struct command_output *output);

#endif
