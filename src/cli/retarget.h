/* retarget.h - changes event, frequency, target and stack copies of a running capture, on a thread
 * of its own.
 *
 *   screen   --ask-->     thread: opens the new capture, lets it replace the old one, closes that
 *            <--done--
 *   analyzer --request--> thread: does the same with stack copies of another size
 *            <--new source--
 *
 * Thread: start and stop: main. A control: one thread, the screen's or the analyzer's.
 */
#ifndef CLI_RETARGET_H
#define CLI_RETARGET_H

#include "analyzer/request.h"
#include "capture/capture.h"

struct retarget;

/* Starts the thread. @capture: the slot of the running capture, which the thread owns and may
 * replace until retarget_stop(). @config: that capture's configuration; its target is ignored, its
 * event texts must outlive the retarget. 0 or -errno. */
int retarget_start(struct retarget **out, struct capture **capture,
		   const struct capture_config *config, struct diag *why);

/* Returns the screen's interface, BORROWED for the life of the retarget. */
const struct source_control *retarget_control(const struct retarget *retarget);

/* Returns the analyzer's interface; the analyzer must end before the retarget is destroyed. */
struct copy_control retarget_copy_control(struct retarget *retarget);

/* Takes the off-CPU clock of the capture that runs now, for reads, if it is another one than at the
 * last call: *@out is the caller's, NULL: it has none. False: it is the same. Any one thread. */
bool retarget_take_off_cpu(struct retarget *retarget, struct off_cpu **out);

/* Ends the thread, after completing a change that is under way. */
void retarget_stop(struct retarget *retarget);
/* Stops the thread, if needed, and frees the sources it has made; so call it after the analyzer has
 * ended. NULL is fine. */
void retarget_destroy(struct retarget *retarget);

#endif
