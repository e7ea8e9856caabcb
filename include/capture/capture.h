/* capture.h - live sampling from the kernel: opens events and rings, runs the sampler threads.
 *
 *   capture_open()   opens the events, with errors and fallbacks, before the screen starts
 *   capture_start()  rings -> record queue, until capture_stop() or the end of the target
 *
 * Source: perf_event_open(2).
 * Thread: one at a time: main, or the one of src/cli/retarget.c while that runs.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "base/diag.h"
#include "base/thread.h"
#include "capture/event.h"
#include "capture/scope.h"

struct off_cpu;	/* bpf/off_cpu.h */
struct source;	/* ingest/source.h */

struct capture;

#define CAPTURE_MAX_FREQ_HZ 1000000

/* Parses the text of -F: a number of Hz, or "max" (UINT64_MAX). Returns 0 or -EINVAL. */
int capture_parse_freq(const char *text, uint64_t *out_hz, struct diag *why);

/* Raises the soft limit of file descriptors (RLIMIT_NOFILE) to the hard one and sets *@out to the
 * new limit. Returns 0; -EMFILE: too few to work at all. inherited_give_back() restores the limit
 * for the user's command. Call it before opening many files; any thread. */
int capture_claim_descriptors(size_t *out, struct diag *why);

/* Opens the events, disabled (or to be enabled by the command's exec). 0 or -errno:
 * -EACCES/-EPERM permission, -ESRCH target gone, -EMFILE descriptors, -EINVAL bad event, ... */
int capture_open(struct capture **out, struct capture_config *config, struct diag *why);

/* Return the events, by queue_item.event. The last one is the side-band dummy. */
size_t capture_event_count(const struct capture *capture);
const struct event_desc *capture_event(const struct capture *capture, size_t index);

/* Returns the fallbacks taken (no PMU -> cpu-clock, kernel excluded, own processes only,
 * system-wide because of too many threads, ...), a sentence each, separated by '\n'; "": none. */
const char *capture_notice(const struct capture *capture);
/* Returns the events that can't be sampled here, if others can: two lines each, the name as the
 * user wrote it and the reason; "": none. */
const char *capture_absent_events(const struct capture *capture);
/* Returns the events that can't be sampled and are to be counted, with commas between their names,
 * a text for -e; "": none. */
const char *capture_counted_events(const struct capture *capture);
/* Returns the target as text for the header: "8 CPUs", "pid 4121", "user www-data", ... */
const char *capture_target_text(const struct capture *capture);
/* Returns the kind in effect (TARGET_OWN after a refusal, ...). */
enum target_kind capture_target_kind(const struct capture *capture);
/* Returns true when events are CPU-wide although the user named tasks (too many threads): the
 * analyzer must then drop all but these processes and their children. */
bool capture_needs_task_filter(const struct capture *capture);
const struct target *capture_target(const struct capture *capture);
/* Copies the target for another capture of the same tasks, which then includes the processes that
 * they started since this capture was opened; but neither tasks that the threads of -t started, nor
 * orphans, as their origin is unknown. The caller owns *@out. Returns 0 or -ENOMEM. */
int capture_copy_target(const struct capture *capture, struct target *out, struct diag *why);
/* Returns the bytes of each stack copy if that size may be changed, else 0: without copies, with a
 * size that the user gave, and where a new capture would lose tasks (TARGET_OWN). */
uint32_t capture_adaptable_copy(const struct capture *capture);
size_t capture_cpu_count(const struct capture *capture);

/* Enables the events and starts the sampler, which is the only producer of @queue from now on (at
 * least SAMPLER_QUEUE_MIN_BYTES). A command's exec enables its events: call command_start() next.
 * When every profiled task has ended, the sampler queues QUEUE_END by itself (the command may be
 * reapable only a little later: wait for command_pidfd()); capture_stop() is still needed. */
int capture_start(struct capture *capture, struct spsc *queue, struct diag *why);
/* Starts @capture in place of @old, which was started, with its queue and queue descriptor. Both
 * sample for a moment, then @source is queued (QUEUE_SOURCE); its begin_ns separates the last valid
 * record of @old from the first of @capture. @old is stopped then and can only be destroyed.
 * Returns 0, or -errno: @old continues. */
int capture_replace(struct capture *capture, struct capture *old, struct source *source,
		    struct diag *why);
/* Queues the records of a last round and QUEUE_END, and joins the sampler. The consumer must drain
 * the queue meanwhile. */
void capture_stop(struct capture *capture);
/* Returns an eventfd, readable when the sampler has queued something; read it to reset it. */
int capture_queue_fd(const struct capture *capture);
/* Returns an eventfd; writing to it, from any thread, requests a round of the sampler now. Valid
 * until the last capture that replaced this one is destroyed. */
int capture_round_fd(const struct capture *capture);
void capture_destroy(struct capture *capture);	/* NULL is fine */

/* Returns off_cpu_share() of the programs that write the records of off-cpu; NULL: that is no event
 * of @capture. The caller's: off_cpu_close(). */
struct off_cpu *capture_share_off_cpu(const struct capture *capture);

#endif
