/* follow.h - the thread that samples the user's own processes where CPU-wide events are forbidden:
 * it scans /proc each second and opens events on new processes.
 *
 * Thread: create and destroy: main. Meanwhile the thread reads @set, has descriptors of its
 *         own, and stores event_lane.followed_lost; nothing else is shared.
 */
#ifndef CAPTURE_FOLLOW_H
#define CAPTURE_FOLLOW_H

#include <stddef.h>

#include "base/diag.h"
#include "capture/event_set.h"

struct follow;

/* @set: row 0 is flametop itself; BORROWED until follow_destroy(). At most @max_descriptors are
 * used; processes without descriptors are reported in the log. Returns 0 or -errno. */
int follow_create(struct follow **out, struct event_set *set, size_t max_descriptors,
		  struct diag *why);

/* Stops the thread, closes its descriptors and stores their losses. NULL is fine. */
void follow_destroy(struct follow *follow);

#endif
