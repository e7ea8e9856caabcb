/* snapshot_head.c - see snapshot_head.h. */
#include "snapshot_head.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/stack_copy.h"

/* Shorter times have the cost of a single fold, as snapshots for keys come in quick succession.
 * Half of the shortest interval. */
#define OWN_COST_MIN_NS (50 * CLOCK_NS_PER_MS)

static enum stack_kind stack_kind_of(const struct record_format *format)
{
	const bool is_copied = format->sample_type & PERF_SAMPLE_STACK_USER &&
			       user_registers_are_known(format->machine);

	return is_copied ? STACKS_COPIED
	     : format->sample_type & PERF_SAMPLE_CALLCHAIN ? STACKS_CHAINED : STACKS_OFF;
}

static void describe_probe(const struct probe_row *row, struct snapshot *head)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;

	head->event = row->name;
	head->stacks = !reading ? STACKS_OFF
				: stack_kind_of(row->spec->edge == PROBE_RETURN
						? &reading->leave.format : &reading->entry.format);
}

void snapshot_head_put_event(const struct ingest_config *config, struct probe_hits *hits,
			     uint32_t event, struct snapshot *head)
{
	const struct probe_row *row = probe_hits_of_event(hits, event);

	if (row) {
		describe_probe(row, head);
	} else if (event < head->event_count) {
		head->event = config->events[event]->name;
		head->is_of_waits = config->events[event]->counts_waits;
		head->is_wall = config->events[event]->is_wall;
		head->freq_hz = config->events[event]->freq_hz;
		head->fixed_period = config->events[event]->fixed_period;
		head->stacks = stack_kind_of(&config->events[event]->format);
		head->stack_copy_bytes = config->events[event]->copy_bytes;
	} else {
		head->event = "";
		head->stacks = STACKS_OFF;
	}
}

static uint64_t own_rss_bytes(void)
{
	unsigned long long total, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void own_cost_begin(struct own_cost *cost, uint64_t now_ns)
{
	cost->cpu_ns = clock_own_cpu_ns();
	cost->at_ns = now_ns;
}

void snapshot_head_put_cost(struct own_cost *cost, bool is_first, struct snapshot *head)
{
	const uint64_t now_ns = clock_now_ns(), cpu_ns = clock_own_cpu_ns();

	if (now_ns >= cost->at_ns + (is_first ? 1 : OWN_COST_MIN_NS)) {
		cost->pct = 100.0 * (double)(cpu_ns - cost->cpu_ns) /
			    (double)(now_ns - cost->at_ns);
		cost->cpu_ns = cpu_ns;
		cost->at_ns = now_ns;
	}
	head->own_cpu_pct = cost->pct;
	head->own_rss_bytes = own_rss_bytes();
}

/* PERF_FORMAT_LOST came with Linux 6.0. */
static bool is_by_records(const struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (uint32_t i = 0; i < config->event_count; i++)
		if (!(config->events[i]->format.read_format & PERF_FORMAT_LOST))
			return true;
	return false;
}

static void put_loss_counters(const struct ingest *ingest, const struct loss_history *history,
			      const uint64_t sums[SUMS], struct snapshot *head)
{
	const struct clock_ticks *clock = &ingest->losses->clock;
	struct loss_counters *losses = &head->losses;
	uint64_t within[SUMS];
	const bool has_window = loss_history_between(history, head->begin_ns, head->time_ns, sums,
						     within);

	*losses = (struct loss_counters){ .is_set = true, .is_by_records = is_by_records(ingest) };
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		losses->counts[cause] = (struct loss_count){
			.since_start = sums[cause], .has_start = true,
			.in_window = has_window ? within[cause] : 0, .has_window = has_window,
		};
	if (has_window) {
		const uint64_t waited = within[SUM_BLOCKED] + within[SUM_RUN_QUEUE];
		const uint64_t recorded = within[SUM_RECORDED];

		head->waits = (struct wait_sums){
			within[SUM_ON_CPU], within[SUM_BLOCKED], within[SUM_RUN_QUEUE],
			waited > recorded ? waited - recorded : 0,
		};
	}
	losses->counts[LOSS_UNRESOLVED].has_start = false;	/* names come after counting */
	/* Evicted samples are in no present window; "since start" lacks all of them. */
	if (head->window != WINDOW_ALL)
		losses->counts[LOSS_EVICTED].has_window = false;
	else
		losses->counts[LOSS_EVICTED].in_window = sums[LOSS_EVICTED];
	if (!clock_ticks_is_known(clock, ingest->watermark_ns))
		losses->counts[LOSS_TICKS] = (struct loss_count){ .has_start = false };
	if (clock->is_mixed) {
		losses->counts[LOSS_TICKS].has_start = false;
		losses->counts[LOSS_TICKS].has_window &=
			loss_history_point(history, head->begin_ns) >= clock->begin_ns;
	}
	if (!clock->cpus)
		losses->counts[LOSS_STOLEN] = (struct loss_count){ .has_start = false };
	if (losses->is_by_records && !losses->counts[LOSS_READ].since_start)
		losses->counts[LOSS_READ] = (struct loss_count){ .has_start = false };
}

static void put_process(const struct ingest *ingest, enum stack_fault fault,
			struct loss_process *out)
{
	const struct stack_ender *ender = stack_enders_main(&ingest->losses->enders, fault);

	if (!ender)
		return;
	out->pid = ender->pid;
	out->remedy = ender->remedy;
	snprintf(out->program, sizeof(out->program), "%s", ender->program);
	snprintf(out->file, sizeof(out->file), "%s", ender->file);
}

static void put_processes(const struct ingest *ingest, struct loss_counters *losses)
{
	put_process(ingest, STACK_END_NO_MAP, &losses->processes[LOSS_NO_MAP]);
	put_process(ingest, STACK_END_RUN_TIME, &losses->processes[LOSS_ENDED_RUN_TIME]);
	put_process(ingest, STACK_END_FILE, &losses->processes[LOSS_ENDED_FILE]);
	put_process(ingest, STACK_END_COPY, &losses->processes[LOSS_CUT]);
}

/* Share of the time of whole CPUs without a tick, for the span of the loss counters' window; < 0:
 * not known. */
static double missing_pct(const struct ingest *ingest, const struct loss_history *history,
			  const struct snapshot *head)
{
	const struct clock_ticks *clock = &ingest->losses->clock;
	const struct loss_count *missing = &head->losses.counts[LOSS_TICKS];
	const uint64_t since_ns = loss_history_point(history, head->begin_ns);
	const uint64_t begin_ns = since_ns > clock->first_ns ? since_ns : clock->first_ns;

	if (!clock->cpus || !missing->has_window || !begin_ns || head->is_selected ||
	    head->time_ns < begin_ns + CLOCK_NS_PER_S)
		return -1;
	return 100.0 * (double)missing->in_window /
	       ((double)(head->time_ns - begin_ns) * clock->cpus);
}

void snapshot_head_put_losses(const struct ingest *ingest, const struct loss_history *history,
			 struct snapshot *head)
{
	uint64_t sums[SUMS];

	loss_sums_read(ingest, sums);
	head->lost_kernel = sums[LOSS_RING_FULL] + sums[LOSS_NO_MEMORY];
	head->lost_malformed = sums[LOSS_MALFORMED];
	head->lost_late = sums[LOSS_LATE];
	head->unattributed = sums[LOSS_UNATTRIBUTED];
	head->filtered_unknown_uid = sums[LOSS_UNKNOWN_USER];
	head->stalled_rounds = sums[LOSS_STALLED];
	head->throttled_ns = sums[LOSS_THROTTLED];
	put_loss_counters(ingest, history, sums, head);
	put_processes(ingest, &head->losses);
	head->clock_cpus = ingest->losses->clock.cpus;
	head->clock_period_ns = ingest->losses->clock.period_ns;
	head->missing_ticks_pct = missing_pct(ingest, history, head);
}

static void put_in_window(struct snapshot *head, enum loss_cause cause, uint64_t count)
{
	head->losses.counts[cause].in_window = count;
	head->losses.counts[cause].has_window = true;
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
	struct loss_count *missing = &head->losses.counts[LOSS_TICKS];
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
	const struct loss_count *missing = &head->losses.counts[LOSS_TICKS];
	const double sampled_ns = (double)head->samples * (double)head->clock_period_ns;

	if (!missing->has_window || head->window_s < 1 || head->is_selected ||
	    strcmp(head->event, "cpu-clock") || (!missing->in_window && !head->samples))
		return -1;
	return 100 * (double)missing->in_window / ((double)missing->in_window + sampled_ns);
}

void snapshot_head_put_window_losses(struct snapshot *head)
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
