/* snapshot_losses.c - see snapshot_losses.h. */
#include "snapshot_losses.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/loss_sums.h"

/* PERF_FORMAT_LOST came with Linux 6.0. */
static bool is_by_records(const struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (uint32_t i = 0; i < config->event_count; i++)
		if (!(config->events[i]->format.read_format & PERF_FORMAT_LOST))
			return true;
	return false;
}

static void put_ledger(const struct ingest *ingest, const struct loss_history *history,
		       const uint64_t sums[LOSS_CAUSES], struct snapshot *head)
{
	struct loss_ledger *ledger = &head->ledger;
	uint64_t within[LOSS_CAUSES];
	const bool has_window = loss_history_between(history, head->begin_ns, head->time_ns, sums,
						     within);

	*ledger = (struct loss_ledger){ .is_set = true, .is_by_records = is_by_records(ingest) };
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		ledger->counts[cause] = (struct loss_count){
			.since_start = sums[cause], .has_start = true,
			.in_window = has_window ? within[cause] : 0, .has_window = has_window,
		};
	ledger->counts[LOSS_UNRESOLVED].has_start = false;	/* names come after counting */
	/* Evicted samples are in no present window; "since start" lacks all of them. */
	if (head->window != WINDOW_ALL)
		ledger->counts[LOSS_EVICTED].has_window = false;
	else
		ledger->counts[LOSS_EVICTED].in_window = sums[LOSS_EVICTED];
	if (!clock_ticks_is_known(&ingest->clock, ingest->watermark_ns))
		ledger->counts[LOSS_TICKS] = (struct loss_count){ .has_start = false };
	if (ingest->clock.is_mixed) {
		ledger->counts[LOSS_TICKS].has_start = false;
		ledger->counts[LOSS_TICKS].has_window &=
			loss_history_point(history, head->begin_ns) >= ingest->clock.begin_ns;
	}
	if (!ingest->clock.cpus)
		ledger->counts[LOSS_STOLEN] = (struct loss_count){ .has_start = false };
	if (ledger->is_by_records && !ledger->counts[LOSS_READ].since_start)
		ledger->counts[LOSS_READ] = (struct loss_count){ .has_start = false };
}

static void put_process(const struct ingest *ingest, enum stack_fault fault,
			struct loss_process *out)
{
	const struct stack_ender *ender = stack_enders_main(&ingest->stack_enders, fault);

	if (!ender)
		return;
	out->pid = ender->pid;
	out->remedy = ender->remedy;
	snprintf(out->program, sizeof(out->program), "%s", ender->program);
	snprintf(out->file, sizeof(out->file), "%s", ender->file);
}

static void put_processes(const struct ingest *ingest, struct loss_ledger *ledger)
{
	put_process(ingest, STACK_END_NO_MAP, &ledger->processes[LOSS_NO_MAP]);
	put_process(ingest, STACK_END_RUN_TIME, &ledger->processes[LOSS_ENDED_RUN_TIME]);
	put_process(ingest, STACK_END_FILE, &ledger->processes[LOSS_ENDED_FILE]);
	put_process(ingest, STACK_END_COPY, &ledger->processes[LOSS_CUT]);
}

/* Share of the time of whole CPUs without a tick, for the span of the ledger's window; < 0: not
 * known. */
static double missing_pct(const struct ingest *ingest, const struct loss_history *history,
			  const struct snapshot *head)
{
	const struct loss_count *missing = &head->ledger.counts[LOSS_TICKS];
	const uint64_t since_ns = loss_history_point(history, head->begin_ns);
	const uint64_t begin_ns = since_ns > ingest->clock.first_ns ? since_ns
								    : ingest->clock.first_ns;

	if (!ingest->clock.cpus || !missing->has_window || !begin_ns || head->is_selected ||
	    head->time_ns < begin_ns + CLOCK_NS_PER_S)
		return -1;
	return 100.0 * (double)missing->in_window /
	       ((double)(head->time_ns - begin_ns) * ingest->clock.cpus);
}

void snapshot_losses_put(const struct ingest *ingest, const struct loss_history *history,
		   struct snapshot *head)
{
	uint64_t sums[LOSS_CAUSES];

	loss_sums_read(ingest, sums);
	head->lost_kernel = sums[LOSS_RING_FULL] + sums[LOSS_NO_MEMORY];
	head->lost_malformed = sums[LOSS_MALFORMED];
	head->lost_late = sums[LOSS_LATE];
	head->unattributed = sums[LOSS_UNATTRIBUTED];
	head->filtered_unknown_uid = sums[LOSS_UNKNOWN_USER];
	head->stalled_rounds = sums[LOSS_STALLED];
	head->throttled_ns = sums[LOSS_THROTTLED];
	put_ledger(ingest, history, sums, head);
	put_processes(ingest, &head->ledger);
	head->clock_cpus = ingest->clock.cpus;
	head->clock_period_ns = ingest->clock.period_ns;
	head->missing_ticks_pct = missing_pct(ingest, history, head);
}

static void put_in_window(struct snapshot *head, enum loss_cause cause, uint64_t count)
{
	head->ledger.counts[cause].in_window = count;
	head->ledger.counts[cause].has_window = true;
}

/* Share of all CPU time in the window for which idle CPUs have samples. */
static double sampled_idle_pct(const struct snapshot *head)
{
	if (!head->clock_cpus || head->window_s <= 0 || strcmp(head->event, "cpu-clock"))
		return 0;
	return 100 * head->idle_weight / (head->window_s * 1e9 * head->clock_cpus);
}

/* An idle CPU of a virtual machine may tick late or not at all, which is nothing to be missed: what
 * is missing for certain is what idle time without samples cannot explain. Share of all time. */
static double certain_missing_pct(const struct snapshot *head)
{
	const double unsampled_pct = 100 - head->busy_pct - sampled_idle_pct(head);
	const double certain_pct = head->missing_ticks_pct -
				   (unsampled_pct > 0 ? unsampled_pct : 0);

	return certain_pct > 0 ? certain_pct : 0;
}

/* /proc/stat counts whole ticks, and is read a moment earlier or later. */
#define CLOCKS_DIFFER_PCT 1

/* From here on missing ticks are those of busy CPUs. Since start they are not known: how busy the
 * CPUs were is not kept for so long. */
static void leave_out_idle(struct snapshot *head)
{
	struct loss_count *missing = &head->ledger.counts[LOSS_TICKS];
	double certain_pct = certain_missing_pct(head);

	if (certain_pct < CLOCKS_DIFFER_PCT || head->busy_pct < CLOCKS_DIFFER_PCT)
		certain_pct = 0;
	if (head->missing_ticks_pct > 0)
		missing->in_window = (uint64_t)((double)missing->in_window * certain_pct /
						head->missing_ticks_pct);
	missing->has_start = false;
	head->missing_ticks_pct = certain_pct > 0 ? 100 * certain_pct / head->busy_pct : 0;
}

/* Share of the time for which tasks ran. */
static double missing_of_tasks_pct(const struct snapshot *head)
{
	const struct loss_count *missing = &head->ledger.counts[LOSS_TICKS];
	const double sampled_ns = (double)head->samples * (double)head->clock_period_ns;

	if (!missing->has_window || head->window_s < 1 || head->is_selected ||
	    strcmp(head->event, "cpu-clock") || (!missing->in_window && !head->samples))
		return -1;
	return 100 * (double)missing->in_window / ((double)missing->in_window + sampled_ns);
}

void snapshot_losses_put_window(struct snapshot *head)
{
	if (head->missing_ticks_pct >= 0 && head->busy_pct >= 0)
		leave_out_idle(head);
	else if (!head->clock_cpus)
		head->missing_ticks_pct = missing_of_tasks_pct(head);
	put_in_window(head, LOSS_UNRESOLVED, head->unresolved);
	put_in_window(head, LOSS_TRUNCATED, head->truncated_stacks);
	put_in_window(head, LOSS_CUT, head->cut_stacks);
	put_in_window(head, LOSS_NO_MAP, head->no_map_stacks);
}
