/* probe_link.h - opens one kernel event for a scope of processes and directs its records into the
 * rings that all probes share. The interface knows nothing of tracefs: an engine that counts in the
 * kernel could implement the same calls.
 *
 *   probe_rings     one ring per CPU, kept by a dummy event; a sampler thread moves the records
 *                   into a queue of its own (capture/event_set.h)
 *   probe_link      the descriptors of one attached event: CPU-wide, or per thread and CPU
 *
 * Cost:   closing the last descriptor of a uprobe takes ~90 ms: never on the ui's thread.
 * Thread: one at a time (the probe engine's); the sampler runs beside it.
 */
#ifndef PROBE_PROBE_LINK_H
#define PROBE_PROBE_LINK_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/thread.h"
#include "bpf/syscall_texts.h"
#include "capture/record.h"

struct probe_rings;

/* @queue: SPSC to the analyzer, written by the sampler that is started here; @wake_fd: eventfd that
 * is written when something was queued. Both BORROWED until probe_rings_close(). The sampler sends
 * a QUEUE_ROUND_END at least every 50 ms. QUEUE_RECORD items have event 0: the id in the record
 * tells which event it is. */
int probe_rings_open(struct probe_rings **out, struct spsc *queue, int wake_fd, struct diag *why);
void probe_rings_close(struct probe_rings *rings);	/* after all links; NULL is fine */

enum probe_scope_kind {
	PROBE_SCOPE_ALL,	/* CPU-wide */
	PROBE_SCOPE_TASKS,	/* one descriptor per thread and CPU, inherited by new threads and
				 * children; a PMU's isn't */
};

#define PROBE_SCOPE_TASKS_MAX 64	/* threads; more: CPU-wide, and the caller filters by pid */

struct probe_scope {
	enum probe_scope_kind kind;
	const pid_t *tids;
	size_t tid_count;
};

struct probe_link_config {
	uint32_t type;		/* perf_event_attr.type: PERF_TYPE_TRACEPOINT or a PMU's */
	uint64_t config, config1, config2;
	struct probe_scope scope;
	const char *kernel_filter;	/* for PERF_EVENT_IOC_SET_FILTER; "": none */
	bool only_counts;	/* no records: @rings may be NULL */
	bool has_weight;	/* a hit adds more than 1 to the count (nanoseconds). With
				 * only_counts, hits are counted all the same; with records,
				 * probe_link_read() gives the sum of the weights */
	bool with_stacks;	/* kernel chain, user registers and copy_bytes of user stack */
	uint32_t copy_bytes;	/* 0, or not possible here: both chains by frame pointers */
	bool with_registers;	/* registers at the site: a PMU has no other values */
	bool with_stack_top;	/* record the user stack's first word even without stack copies */
	/* The records and the counts of hits are those of a BPF program, in place of an event of
	 * `type`; for PROBE_SCOPE_ALL without a filter. NULL: they are the event's own. */
	const struct syscall_texts_config *texts;
};

struct probe_link;

/* Opens all descriptors, disabled. *@out is the caller's: probe_link_close(). Skips CPUs that went
 * offline since the rings were opened, and threads that have ended. 0; -ESRCH: none of the threads
 * is left; -EINVAL: bad filter; -ENOTSUP: counting hits of a tracepoint with a weight needs Linux
 * 6.0; -errno of perf_event_open(2). */
int probe_link_open(struct probe_link **out, struct probe_rings *rings,
		    const struct probe_link_config *config, struct diag *why);
/* Calls event_warn_of_programs() for the link of the tracepoint @name. */
void probe_link_warn_of_programs(const struct probe_link *link, const char *name);
/* Returns the ids that the link's records carry (PERF_SAMPLE_IDENTIFIER), BORROWED. */
const uint64_t *probe_link_ids(const struct probe_link *link, size_t *count);
/* Returns the format for parsing the link's records, BORROWED. */
const struct record_format *probe_link_format(const struct probe_link *link);
void probe_link_enable(struct probe_link *link);
void probe_link_disable(struct probe_link *link);
/* Reads hits and lost records so far, as the kernel counts them: exact, whatever the rings lost. */
void probe_link_read(const struct probe_link *link, uint64_t *hits, uint64_t *lost);
/* Returns how often the kernel skipped the program of config.texts, each time perhaps at a hit; 0:
 * there is none. *@absent: the texts that were not in memory. */
uint64_t probe_link_missed(const struct probe_link *link, uint64_t *absent);
/* BLOCKS for up to 110 ms. NULL is fine. */
void probe_link_close(struct probe_link *link);

#endif
