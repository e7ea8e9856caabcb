/* capture.h - live sampling from the kernel: opens events and rings, runs the sampler threads.
 *
 *   capture_open()   refusals, fallbacks and their sentences, before the screen is taken
 *   capture_start()  rings -> record queue, until capture_stop() or the target is gone
 *
 * Source: perf_event_open(2).
 * Thread: one at a time: main, or src/cli/retarget.c's while that runs.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "base/diag.h"
#include "base/spsc.h"
#include "capture/call_graph.h"
#include "capture/event_desc.h"
#include "capture/target.h"

struct source;	/* ingest/source.h */
struct stack_ends;	/* capture/stack_ends.h */

#define CAPTURE_MAX_EVENTS 1919	/* with the side-band's those that can be counted apart */
#define CAPTURE_DEFAULT_FREQ_HZ 997 /* odd: does not march with timers; see README "cost" */

struct capture_config {
	const char *const *events;	/* -e texts, comma lists too; none: the default chain */
	size_t event_text_count;
	/* --filter: of each text, in perf's language, for its last event; or NULL. NULL: none at
	 * all. BORROWED, as `events`, until capture_destroy(). */
	const char *const *event_filters;
	bool has_no_event;	/* only the side-band: what is counted comes from probes */
	uint64_t freq_hz;	/* 0: use `period`; UINT64_MAX: max (perf_event_max_sample_rate) */
	uint64_t period;	/* both 0: the default: every hit of a tracepoint, else 997 Hz */
	size_t ring_pages;	/* per CPU and event, a power of two; 0: by ring_size_choose() */
	struct call_graph call_graph;
	bool are_hits_too_many;	/* call_graph auto: no copies where every hit is a sample */
	const struct stack_ends *stack_ends;	/* BORROWED until capture_stop(); NULL: none */
	bool insists_on_all;	/* -a: an error where not everything may be sampled */
	struct target target;	/* taken over by capture_open(), also on failure */
};

struct capture;

#define CAPTURE_MAX_FREQ_HZ 1000000

/* The text of -F: a number of Hz, or "max". 0 or -EINVAL. */
int capture_parse_freq(const char *text, uint64_t *out_hz, struct diag *why);

/* Raises the soft limit of file descriptors (RLIMIT_NOFILE) to the hard one; *@out is what may be
 * open now. 0; -EMFILE: too few for anything. The user's command gets its own limit back
 * (inherited_give_back()). Before whatever opens files; any thread. */
int capture_claim_descriptors(size_t *out, struct diag *why);

/* Opens everything, events disabled (or armed to start with the command's exec). 0 or -errno:
 * -EACCES/-EPERM permission, -ESRCH target gone, -EMFILE descriptors, -EINVAL bad event, ... */
int capture_open(struct capture **out, struct capture_config *config, struct diag *why);

/* The events: index = queue_item.event. The last one is the side-band dummy. */
size_t capture_event_count(const struct capture *capture);
const struct event_desc *capture_event(const struct capture *capture, size_t index);

/* What had to be given up to get here (no PMU -> cpu-clock, kernel excluded, own processes only,
 * system-wide because of too many threads, ...), a sentence each, '\n' between; "" when nothing. */
const char *capture_notice(const struct capture *capture);
/* Of several events those that can't be sampled here: two lines each, the name as it was written
 * and the reason; "" none. */
const char *capture_absent_events(const struct capture *capture);
/* "8 CPUs", "pid 4121", "user www-data", ... for the header. */
const char *capture_target_text(const struct capture *capture);
/* The kind in force (TARGET_OWN after a refusal, ...). */
enum target_kind capture_target_kind(const struct capture *capture);
/* True when events are CPU-wide although single tasks were asked for (too many threads): the
 * analyzer must keep only these processes and their children. */
bool capture_needs_task_filter(const struct capture *capture);
const struct target *capture_target(const struct capture *capture);
/* The target for another capture of the same: what it has started meanwhile belongs to it. Not so
 * what -t's threads started, and orphans: nothing tells whose they were. *@out is the caller's. */
int capture_copy_target(const struct capture *capture, struct target *out, struct diag *why);
/* Bytes of each stack copy, if another size can take its place: 0 without copies, with a size that
 * the user named, and where another capture would lose tasks (TARGET_OWN). */
uint32_t capture_adaptable_copy(const struct capture *capture);
size_t capture_cpu_count(const struct capture *capture);

/* Enables the events and starts the sampler; records go to @queue (the sampler is its only
 * producer from now on; one sampler thread, one queue; at least SAMPLER_QUEUE_MIN_BYTES of it).
 * The events of a command wait for its exec: command_start() comes after this. When every profiled
 * task has ended, QUEUE_END comes by itself (a command can be reaped only shortly after: wait for
 * command_pidfd()); capture_stop() is still needed. */
int capture_start(struct capture *capture, struct spsc *queue, struct diag *why);
/* Takes the place of @old, which was started: the same queue and queue descriptor. Both sample for
 * a moment, then @source is queued (QUEUE_SOURCE), its begin behind the last record of @old that
 * counts and before the first of @capture. @old is stopped then, and only to be destroyed.
 * 0, or -errno: @old goes on. */
int capture_replace(struct capture *capture, struct capture *old, struct source *source,
		    struct diag *why);
/* Last round, QUEUE_END, join. The queue must still be drained by the consumer meanwhile. */
void capture_stop(struct capture *capture);
/* Becomes readable when the sampler has queued something (an eventfd; read it to reset it). */
int capture_queue_fd(const struct capture *capture);
/* An eventfd; writing it asks for a round now, from any thread. Good as long as the last capture
 * that took another's place. */
int capture_round_fd(const struct capture *capture);
void capture_destroy(struct capture *capture);	/* NULL is fine */

#endif
