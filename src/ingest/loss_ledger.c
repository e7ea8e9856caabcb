/* loss_ledger.c - see ingest/loss_ledger.h.
 *
 * Losses have no timestamps: the kernel reports how many records it has dropped so far, not when.
 * So the sums are recorded once a second, and a window's part is the difference of two points.
 */
#include "ingest/loss_ledger.h"

#include <stdlib.h>
#include <string.h>

const struct loss_description loss_descriptions[LOSS_CAUSES] = {
	[LOSS_RING_FULL] = { "kernel", "ring full",
		"records that the kernel dropped",
		"larger rings (-m), a lower rate (-F), fewer CPUs (-C)", .is_missing = true },
	[LOSS_READ] = { "kernel_counted", "  as counted",
		"of them, by the kernel's own count: exact (PERF_FORMAT_LOST)", "",
		.is_part = true },
	[LOSS_TOLD] = { "kernel_recorded", "  as recorded",
		"of them, told in the ring: what was lost last is not (PERF_RECORD_LOST)", "",
		.is_part = true },
	[LOSS_PROBE_HITS] = { "probe_hits", "  hits of probes",
		"of them, hits of probes", "a condition, or fewer probes (8)", .is_part = true },
	[LOSS_PROBE_MISSED] = { "probe_missed", "missed hits",
		"calls that the kernel could not tell: nested in a probe, or too deep",
		"calls only, without returns", .is_missing = true },
	[LOSS_NO_MEMORY] = { "no_memory", "no memory",
		"records and names for which flametop had none", "less history (--history-memory)",
		.is_missing = true },
	[LOSS_MALFORMED] = { "malformed", "malformed",
		"records that could not be read",
		"a report of it, with the kernel's version", .is_missing = true },
	[LOSS_THROTTLED] = { "throttled", "throttled",
		"the kernel stopped sampling to protect itself",
		"a lower rate (-F), or raise kernel.perf_event_max_sample_rate", .is_time = true,
		.is_missing = true },
	[LOSS_TICKS] = { "missing_ticks", "missing ticks",
		"CPU time without a tick of cpu-clock: late ticks are skipped (interrupts off, the "
		"host runs others), or a thread ended before its first",
		"a lower rate (-F); -e cycles, where there are counters; -a for short tasks",
		.is_time = true, .is_missing = true },
	[LOSS_STOLEN] = { "stolen", "  stolen",
		"of the time of all CPUs, what the host gave to others (/proc/stat, steal)",
		"", .is_time = true, .is_part = true },
	[LOSS_EVICTED] = { "evicted", "evicted",
		"samples that left history for want of room: not in \"since start\"",
		"more of it (--history-memory), a lower rate (-F)", .is_missing = true },
	[LOSS_UNKNOWN_USER] = { "unknown_uid", "unknown user",
		"samples whose user could not be read (-u): left out", "no -u, but a filter (\\)",
		.is_missing = true },
	[LOSS_OWN] = { "own", "flametop's own",
		"samples and hits of flametop, its workers and what starts the command: left out",
		"--include-self shows them", .is_missing = true, .is_meant = true },
	[LOSS_LATE] = { "late", "late",
		"records that came too late to be put in order; counted",
		.remedy = "a lower rate (-F)" },
	[LOSS_STALLED] = { "stalled_rounds", "stalled rounds",
		"the analysis was behind; records waited in the kernel's rings",
		.remedy = "a lower rate (-F), --call-graph fp" },
	[LOSS_UNATTRIBUTED] = { "unattributed", "unattributed",
		"samples whose process ended before its name or mappings were read; counted as "
		"unknown", .remedy = "-p instead of all" },
	[LOSS_UNANSWERED] = { "unattributed_late", "  answer late",
		"of them, counted before /proc had answered: it was given a second", "",
		.is_part = true },
	[LOSS_FORKLESS] = { "unattributed_forkless", "  no fork record",
		"of them, of processes that ended unread and whose FORK record did not come", "",
		.is_part = true },
	[LOSS_UNRESOLVED] = { "unresolved", "unresolved",
		"samples without the name of a symbol, counted by address",
		.remedy = "debug symbols; ! says why files cannot be read" },
	[LOSS_TRUNCATED] = { "truncated_stacks", "deep stacks",
		"stacks with more frames than are followed: callers at the top are missing",
		.remedy = "sudo sysctl kernel.perf_event_max_stack=512" },
	[LOSS_CUT] = { "cut_stacks", "cut stacks",
		"stacks that go on beyond their copy",
		.remedy = "larger copies (--call-graph dwarf,65528)" },
	[LOSS_TRIMMED] = { "trimmed_stacks", "  trimmed",
		"of them, stacks of which flametop took too little: the thread has several",
		"", .is_part = true },
	[LOSS_NO_MAP] = { "unmapped_code_stacks", "JIT without map",
		"stacks that end in code made at run time, which has no map and no frame pointers",
		.remedy = "java -XX:+PreserveFramePointer, node --perf-basic-prof, "
			  "python -X perf" },
	[LOSS_ENDED_RUN_TIME] = { "ended_in_run_time_code", "JIT without rows",
		"stacks that end in code made at run time, which has a map, but neither frame "
		"pointers nor unwind rows",
		.remedy = "java -XX:+PreserveFramePointer, a jitdump with unwind records" },
	[LOSS_ENDED_FILE] = { "ended_in_file", "no unwind rows",
		"stacks that end in code of a file without unwind rows and frame pointers",
		.remedy = "a build with -fasynchronous-unwind-tables, or its debug symbols" },
	[LOSS_TASKS] = { "tasks", "forgotten tasks",
		"threads and processes that were forgotten, as too many ran; read again when "
		"they are sampled",
		.remedy = "-p or -G instead of all" },
	[LOSS_MAPPINGS] = { "mappings", "mappings",
		"mappings of code beyond what one process or all may have; their samples are "
		"[unknown]", .remedy = "-p or -G instead of all" },
	[LOSS_OBJECTS] = { "objects", "objects",
		"times that there was no room for another file or cgroup; its samples are "
		"[unknown]",
		.remedy = "-p or -G instead of all" },
	[LOSS_NAMES] = { "names", "names",
		"addresses that had no room for a name of their own: one row per object has them, "
		"until older names have gone",
		.remedy = "-p or -G instead of all, less history (--history-memory)" },
	[LOSS_TABLES] = { "symbol_tables", "symbol tables",
		"files whose names were let go for want of room; read again when new code of "
		"theirs runs",
		.remedy = "-p or -G instead of all" },
};

void loss_history_finish(struct loss_history *history)
{
	free(history->points);
	memset(history, 0, sizeof(*history));
}

void loss_history_clear(struct loss_history *history)
{
	history->first = history->count = 0;
	history->is_cut = false;
}

static struct loss_point *point_at(const struct loss_history *history, uint32_t index)
{
	return &history->points[(history->first + index) % LOSS_POINTS];
}

void loss_history_note(struct loss_history *history, uint64_t time_ns,
		       const uint64_t sums[LOSS_CAUSES])
{
	struct loss_point *point;

	if (!history->points)
		history->points = malloc(LOSS_POINTS * sizeof(*history->points));
	if (!history->points)
		history->is_cut = true;	/* losses before the first point are unknown */
	if (!history->points || (history->count && time_ns < LOSS_STEP_NS +
				 point_at(history, history->count - 1)->time_ns))
		return;
	if (history->count == LOSS_POINTS) {
		history->first = (history->first + 1) % LOSS_POINTS;
		history->count--;
		history->is_cut = true;
	}
	point = point_at(history, history->count++);
	point->time_ns = time_ns;
	memcpy(point->sums, sums, sizeof(point->sums));
}

/* The newest point at or before @time_ns; NULL: there is none. */
static const struct loss_point *point_before(const struct loss_history *history, uint64_t time_ns)
{
	uint32_t low = 0, high = history->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (point_at(history, middle)->time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? point_at(history, low - 1) : NULL;
}

/* Difference of two sums; 0 if the sum has restarted in between. */
static uint64_t less(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

uint64_t loss_history_point(const struct loss_history *history, uint64_t begin_ns)
{
	const struct loss_point *begin = point_before(history, begin_ns);

	return begin ? begin->time_ns : 0;
}

bool loss_history_between(const struct loss_history *history, uint64_t begin_ns, uint64_t end_ns,
			  const uint64_t now[LOSS_CAUSES], uint64_t out[LOSS_CAUSES])
{
	static const uint64_t nothing[LOSS_CAUSES];
	const struct loss_point *begin = point_before(history, begin_ns);
	const struct loss_point *end = point_before(history, end_ns);
	const bool is_now = !history->count ||
			    end_ns >= point_at(history, history->count - 1)->time_ns;
	const uint64_t *sums = is_now ? now : end ? end->sums : nothing;

	if (!begin && history->is_cut)
		return false;
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		out[cause] = less(sums[cause], begin ? begin->sums[cause] : 0);
	return true;
}
