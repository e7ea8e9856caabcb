/* retarget.h - changes event, frequency, target and stack copies of a running capture, on a thread
 * of its own.
 *
 *   screen --ask--> thread: opens the new capture, lets it replace the old one, closes that
 *          <--done--
 *
 *   analyzer --wish--> the same for the size of stack copies; a new source is the answer
 *
 * Thread: start and stop: main. A control: one thread, the screen's or the analyzer's.
 */
#ifndef CLI_RETARGET_H
#define CLI_RETARGET_H

#include "analyzer/source_change.h"
#include "capture/capture.h"

struct retarget;

/* Starts the thread. @capture: the slot of the running capture; the capture in it is the thread's,
 * and may become another, until retarget_stop(). @config: as that one was opened; its target is not
 * looked at, its event texts must outlive the retarget. 0 or -errno. */
int retarget_start(struct retarget **out, struct capture **capture,
		   const struct capture_config *config, struct diag *why);

/* BORROWED; lives as long as the retarget. */
const struct source_control *retarget_control(const struct retarget *retarget);

/* For the analyzer, which must have ended before the retarget is destroyed. */
struct copy_control retarget_copy_control(struct retarget *retarget);

/* Ends the thread; a change that is under way is completed. */
void retarget_stop(struct retarget *retarget);
/* Stops it too; frees the sources it has made, so: after the analyzer has ended. NULL is fine. */
void retarget_destroy(struct retarget *retarget);

#endif
