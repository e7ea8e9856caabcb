/* open_waits.h - records of threads that go on waiting: the scheduler switches none of them, so no
 * program and no event ever shows them. A deadlock is found so.
 *
 * Use:    open_waits_create() with the queue that the sampler reads, open_waits_start() once the
 *         off-CPU clock runs, open_waits_end() before the sampler's last round, _destroy().
 * Record: a sample as the kernel writes those of off-cpu, with struct wait_record and WAIT_IS_OPEN:
 *         ingest/waits.h counts each moment of a wait once. Its time is not later than now; the
 *         sampler sets it to one that it has not promised to be past.
 * Bounds: OPEN_WAITS_LOOK stacks for each slice; threads whose turn comes later lose no time. At
 *         the end all have their turn, as far as a second suffices for them; the log has the number
 *         of the others.
 * Thread: a thread of its own looks; all calls come from one other thread.
 */
#ifndef CAPTURE_OPEN_WAITS_H
#define CAPTURE_OPEN_WAITS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "bpf/off_cpu.h"
#include "capture/record.h"

#define OPEN_WAITS_LOOK 64	/* 10 ms a second */

struct open_waits;

/* @attr is that of off-cpu's event, and @period_ns the clock's: the time of a shorter wait is
 * counted with others when it ends, so it is not counted while it is open. @is_of_all: the threads
 * are all of the machine or of a user. @round_fd is written to when records are queued. 0; -ENOMEM,
 * -EMFILE. */
int open_waits_create(struct open_waits **out, const struct perf_event_attr *attr,
		      uint64_t period_ns, bool is_of_all, int round_fd);
/* Returns the queue, BORROWED, in which each payload is a record of the event. */
struct spsc *open_waits_queue(struct open_waits *open_waits);
/* Begins with a look at once: threads that are blocked already are watched from then on. @off_cpu
 * is BORROWED for the call. 0 or -errno: there are no records. */
int open_waits_start(struct open_waits *open_waits, const struct off_cpu *off_cpu);
/* Looks once more, for the time since the last slice's end, and waits for that for a second. */
void open_waits_end(struct open_waits *open_waits);
void open_waits_destroy(struct open_waits *open_waits);	/* NULL is fine */

#endif
