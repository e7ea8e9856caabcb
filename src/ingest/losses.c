/* losses.c - see ingest/losses.h.
 *
 * Losses have no timestamps: the kernel reports how many records it has dropped so far, not when.
 * So the sums are recorded once a second, and a window's part is the difference of two points.
 */
#include "ingest/losses.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "ingest/ingest.h"
#include "ingest/waits.h"
#include "ingest/reorder.h"

const struct loss_description loss_descriptions[LOSS_CAUSES] = {
	[LOSS_RING_FULL] = { "kernel", "ring full",
		"records that the kernel dropped",
		"larger rings (-m), a lower rate (-F), fewer CPUs (-C)", .is_missing = true },
	[LOSS_READ] = { "kernel_counted", "  as counted",
		"of them, by the kernel's own count: exact (PERF_FORMAT_LOST)", "",
		.is_part = true },
	[LOSS_RECORDED] = { "kernel_recorded", "  as recorded",
		"of them, reported in the ring: what was lost last is not (PERF_RECORD_LOST)", "",
		.is_part = true },
	[LOSS_PROBE_HITS] = { "probe_hits", "  hits of probes",
		"of them, hits of probes", "a condition, or fewer probes (8)", .is_part = true },
	[LOSS_PROBE_MISSED] = { "probe_missed", "missed hits",
		"calls that the kernel could not report: nested in a probe, or too deep",
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
	[LOSS_OUTSIDE] = { "outside_time", "outside the time",
		"samples of the recording before --begin or after --end: left out",
		"other times, or none",
		.is_missing = true, .is_meant = true, .is_rare = true },
	[LOSS_OWN] = { "own", "flametop's own",
		"samples and hits of flametop, its workers and what starts the command: left out",
		"--include-self shows them", .is_missing = true, .is_meant = true },
	[LOSS_WAIT_THREADS] = { "refused_threads", "refused threads",
		"switches not counted, as the kernel had no memory for a thread: its waits are in "
		"off-cpu from its next switch on",
		"a higher memory limit of flametop's cgroup", .is_missing = true, .is_rare = true },
	[LOSS_WAIT_CHILDREN] = { "unwatched_children", "missed children",
		"children of watched processes that are not in off-cpu: 65,536 processes, the "
		"limit, are watched already, or the kernel did not show that a child began",
		"-a or -G instead of -p", .is_missing = true, .is_rare = true },
	[LOSS_WAIT_TIME] = { "unseen_switches", "unseen switches",
		"time between two switches of a thread, one of which the kernel did not show: not "
		"in off-cpu",
		"another kernel: this one hides some switches, from perf as well",
		.is_time = true, .is_missing = true, .is_rare = true },
	[LOSS_WAITS] = { "unpaired_waits", "unpaired waits",
		"waits whose begin or end was not recorded: not in off-cpu",
		"-a when recording: a task's return to the CPU happens in another one",
		.is_missing = true, .is_meant = true, .is_rare = true },
	[LOSS_WAIT_ENDS] = { "shortened_waits", "shortened waits",
		"waits whose end was not recorded: counted until the wake-up, or the last switch "
		"of their CPU", .remedy = "-e sched:sched_waking when recording",
		.is_rare = true },
	[LOSS_WAKEUPS] = { "unseen_wakeups", "unseen wake-ups",
		"wake-ups that the kernel did not show, as they interrupted another: such a wait "
		"has no waker, and its time on the run queue counts as blocked",
		"interrupts on other CPUs (/proc/irq/N/smp_affinity)", .is_rare = true },
	[LOSS_WAIT_STACKS] = { "stackless_waits", "stackless waits",
		"off-cpu without BPF: time of waits whose stack could not be read, as they were "
		"too short or too many, or waited for a CPU; counted as [unknown]",
		.remedy = "root, or CAP_BPF and CAP_PERFMON", .is_time = true, .is_rare = true },
	[LOSS_TEXTS] = { "absent_texts", "absent texts",
		"texts of system calls that could not be read, as they were not in memory",
		.remedy = "lat: instead of t:, which reads them again at the call's exit",
		.is_rare = true },
	[LOSS_INSIDE] = { "inside_unheld", "inside calls",
		"samples inside calls of a latency that had no room until the call ended: not "
		"shown inside it",
		.remedy = "a latency of shorter calls, a lower rate (-F)", .is_rare = true },
	[LOSS_LATE] = { "late", "late",
		"records that came too late to be put in order; counted",
		.remedy = "a lower rate (-F)" },
	[LOSS_STALLED] = { "stalled_rounds", "stalled rounds",
		"the analysis was late; records waited in the kernel's rings",
		.remedy = "a lower rate (-F), --call-graph fp" },
	[LOSS_UNATTRIBUTED] = { "unattributed", "unattributed",
		"samples whose process ended before its name or mappings were read; counted as "
		"unknown", .remedy = "-p instead of all" },
	[LOSS_UNANSWERED] = { "unattributed_late", "  reply late",
		"of them, counted before /proc had replied: it was given a second", "",
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
	[LOSS_DSOS] = { "dsos", "DSOs",
		"times that there was no room for another file or cgroup; its samples are "
		"[unknown]",
		.remedy = "-p or -G instead of all" },
	[LOSS_NAMES] = { "names", "names",
		"addresses that had no room for a name of their own: one row per DSO has them, "
		"until older names have gone",
		.remedy = "-p or -G instead of all, less history (--history-memory)" },
	[LOSS_TABLES] = { "symbol_tables", "symbol tables",
		"files whose names were let go for want of room; read again when new code of "
		"theirs runs",
		.remedy = "-p or -G instead of all" },
	[LOSS_RECORDER] = { "not_recorded", "not recorded",
		"records that a recording (-o, O) had no room for, as its disk is slow; counted",
		.remedy = "another disk for it, a lower rate (-F)", .is_rare = true },
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
		       const uint64_t sums[SUMS])
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
			  const uint64_t now[SUMS], uint64_t out[SUMS])
{
	static const uint64_t nothing[SUMS];
	const struct loss_point *begin = point_before(history, begin_ns);
	const struct loss_point *end = point_before(history, end_ns);
	const bool is_now = !history->count ||
			    end_ns >= point_at(history, history->count - 1)->time_ns;
	const uint64_t *sums = is_now ? now : end ? end->sums : nothing;

	if (!begin && history->is_cut)
		return false;
	for (size_t cause = 0; cause < SUMS; cause++)
		out[cause] = less(sums[cause], begin ? begin->sums[cause] : 0);
	return true;
}

/* Throttled time of all events; those that are throttled now count up to now. */
static uint64_t throttled_ns(const struct ingest *ingest)
{
	const struct losses *losses = ingest->losses;
	uint64_t sum_ns = ingest->counters.throttled_ns;

	for (uint32_t i = 0; i < losses->throttle_count; i++)
		if (losses->throttles[i] && losses->throttles[i] < ingest->watermark_ns)
			sum_ns += ingest->watermark_ns - losses->throttles[i];
	return sum_ns;
}

static struct clock_gaps clock_gaps(const struct ingest *ingest)
{
	return (struct clock_gaps){ throttled_ns(ingest), ingest->counters.lost_kernel };
}

static uint64_t missing_ns(const struct ingest *ingest)
{
	return clock_ticks_missing_ns(&ingest->losses->clock, ingest->watermark_ns,
				      clock_gaps(ingest));
}

void loss_sums_begin_clock(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	clock_ticks_begin(&ingest->losses->clock, config->events, config->event_count,
			  config->whole_cpus, missing_ns(ingest), clock_gaps(ingest));
	ingest->losses->clock.begin_ns = ingest->watermark_ns;
}

void loss_sums_read(const struct ingest *ingest, uint64_t out[SUMS])
{
	const struct record_tee *recording = ingest->tees.recording;
	const struct ingest_counters *counters = &ingest->counters;
	const uint64_t probe_hits = probe_hits_lost(ingest->hits);
	const uint64_t open_ns = ingest->waits->last.has_sums ? ingest->waits->open_ns : 0;

	memset(out, 0, SUMS * sizeof(*out));
	out[LOSS_RING_FULL] = counters->lost_kernel + probe_hits;
	out[LOSS_READ] = counters->lost_counted + probe_hits;
	out[LOSS_RECORDED] = counters->lost_recorded;
	out[LOSS_PROBE_HITS] = probe_hits;
	out[LOSS_PROBE_MISSED] = probe_hits_missed(ingest->hits);
	out[LOSS_NO_MEMORY] = counters->dropped_no_memory +
			      strpool_refused(ingest->strings);
	out[LOSS_MALFORMED] = counters->malformed + counters->malformed_rings;
	out[LOSS_THROTTLED] = throttled_ns(ingest);
	out[LOSS_TICKS] = missing_ns(ingest);
	out[LOSS_STOLEN] = ingest->losses->clock.stolen_ns;
	out[LOSS_EVICTED] = ingest->timeline.evicted_samples;
	out[LOSS_UNKNOWN_USER] = counters->filtered_unknown_uid;
	out[LOSS_OUTSIDE] = counters->left_out_time;
	out[LOSS_OWN] = counters->left_out_own;
	out[LOSS_WAIT_THREADS] = ingest->waits->counted.threads_refused;
	out[LOSS_WAIT_CHILDREN] = ingest->waits->counted.processes_refused;
	out[LOSS_WAIT_TIME] = ingest->waits->counted.unknown_ns;
	out[LOSS_WAKEUPS] = ingest->waits->counted.skipped;
	out[LOSS_WAIT_STACKS] = ingest->waits->counted.stackless_ns;
	out[LOSS_TEXTS] = probe_hits_absent(ingest->hits);
	out[LOSS_INSIDE] = ingest->hits ? ingest->hits->inside.unheld : 0;
	out[LOSS_WAITS] = counters->unpaired_waits;
	out[LOSS_WAIT_ENDS] = counters->shortened_waits;
	out[LOSS_LATE] = ingest->reorder->late;
	out[LOSS_STALLED] = counters->stalled_rounds;
	out[LOSS_UNATTRIBUTED] = counters->unattributed;
	out[LOSS_UNANSWERED] = counters->unattributed_late;
	out[LOSS_FORKLESS] = counters->unattributed_forkless;
	out[LOSS_TRUNCATED] = counters->stacks.truncated;
	out[LOSS_CUT] = counters->stacks.cut;
	out[LOSS_NO_MAP] = counters->stacks.no_map;
	out[LOSS_TRIMMED] = counters->trimmed_stacks;
	out[LOSS_ENDED_RUN_TIME] = ingest->losses->enders.total[STACK_END_RUN_TIME];
	out[LOSS_ENDED_FILE] = ingest->losses->enders.total[STACK_END_FILE];
	out[LOSS_TASKS] = ingest->tasks.forgotten;
	out[LOSS_MAPPINGS] = counters->unkept_mappings;
	out[LOSS_DSOS] = ingest->dsos.refused + ingest->tasks.cgroups.refused;
	out[LOSS_NAMES] = ingest->names.refused;
	out[LOSS_TABLES] = counters->tables_let_go;
	out[LOSS_RECORDER] = counters->unrecorded +
			     (recording ? recording->lost(recording->owner) : 0);
	out[SUM_ON_CPU] = ingest->waits->counted.on_ns;
	out[SUM_BLOCKED] = ingest->waits->counted.blocked_ns + open_ns;
	out[SUM_RUN_QUEUE] = ingest->waits->counted.run_queue_ns;
	out[SUM_RECORDED] = ingest->waits->counted.recorded_ns + open_ns;
}

/* Rejected: telling masked interrupts from a late host by where the sample after a gap lies. A gap
 * that ends in user code is the host's, for user code masks nothing; one that ends where the kernel
 * enables interrupts may be either, since a late interrupt of the host waits there as well.
 * Measured on a virtual machine whose host reports no steal: beside two programs that spin in user
 * code 40 % of the missing ticks ended in user code and 29 % where interrupts are enabled; beside
 * perf bench sched messaging, with more than twice the kernel time, 31 % and 29 %.
 */

void clock_ticks_begin(struct clock_ticks *ticks, const struct event_desc *const *events,
		       uint32_t count, uint32_t cpus, uint64_t missing_ns, struct clock_gaps gaps)
{
	const bool was_of_cpus = ticks->has_clock && ticks->cpus && missing_ns;

	*ticks = (struct clock_ticks){
		.gaps = gaps, .before_ns = missing_ns, .stolen_ns = ticks->stolen_ns,
		.is_mixed = !cpus && (ticks->is_mixed || was_of_cpus),
	};
	for (uint32_t i = 0; i < count && !ticks->has_clock; i++) {
		if (strcmp(events[i]->name, "cpu-clock"))
			continue;
		ticks->has_clock = true;
		ticks->event = (uint16_t)i;
		ticks->cpus = cpus;
	}
}

static bool is_pending(const struct clock_ticks *ticks)
{
	return ticks->settled.time_ns < ticks->counted.time_ns;
}

/* All samples of the time of the last count have come. */
static void settle(struct clock_ticks *ticks)
{
	ticks->settled = ticks->counted;
	ticks->settled_sampled_ns = ticks->sampled_ns;
}

void clock_ticks_add(struct clock_ticks *ticks, uint16_t event, uint64_t time_ns, uint64_t period)
{
	if (!ticks->has_clock || event != ticks->event)
		return;
	if (is_pending(ticks) && time_ns >= ticks->counted.time_ns)
		settle(ticks);
	if (!ticks->first_ns)
		ticks->first_ns = time_ns;
	ticks->period_ns = period;
	ticks->sampled_ns += period;
}

void clock_ticks_count(struct clock_ticks *ticks, uint16_t event,
		       const struct queue_counted *counted, uint64_t until_ns)
{
	if (!ticks->has_clock || event != ticks->event)
		return;
	if (is_pending(ticks) && until_ns < ticks->counted.time_ns)
		return;
	if (is_pending(ticks))
		settle(ticks);
	ticks->counted = *counted;
}

void clock_ticks_end(struct clock_ticks *ticks)
{
	if (is_pending(ticks))
		settle(ticks);
}

bool clock_ticks_is_known(const struct clock_ticks *ticks, uint64_t until_ns)
{
	if (!ticks->has_clock || ticks->cpus)
		return ticks->has_clock;
	return ticks->settled.time_ns || (is_pending(ticks) && until_ns >= ticks->counted.time_ns);
}

static uint64_t missing_of_tasks_ns(const struct clock_ticks *ticks, uint64_t until_ns,
				    uint64_t explained_ns)
{
	const bool is_new = is_pending(ticks) && until_ns >= ticks->counted.time_ns;
	const struct queue_counted *counted = is_new ? &ticks->counted : &ticks->settled;
	const uint64_t known_ns = explained_ns + counted->descriptors * ticks->period_ns +
				  (is_new ? ticks->sampled_ns : ticks->settled_sampled_ns);

	return counted->total > known_ns ? counted->total - known_ns : 0;
}

uint64_t clock_ticks_missing_ns(const struct clock_ticks *ticks, uint64_t until_ns,
				struct clock_gaps gaps)
{
	const uint64_t explained_ns = (gaps.lost - ticks->gaps.lost) * ticks->period_ns +
				      gaps.throttled_ns - ticks->gaps.throttled_ns;
	/* Each CPU has a tick under way. */
	const uint64_t known_ns = ticks->sampled_ns + ticks->cpus * ticks->period_ns + explained_ns;
	uint64_t passed_ns;

	if (ticks->has_clock && !ticks->cpus)
		return ticks->before_ns + missing_of_tasks_ns(ticks, until_ns, explained_ns);
	if (!ticks->first_ns || until_ns < ticks->first_ns)
		return ticks->before_ns;
	passed_ns = ticks->cpus * (until_ns - ticks->first_ns);
	return ticks->before_ns + (passed_ns > known_ns ? passed_ns - known_ns : 0);
}

/* Sources of the options: java(1), node(1), the documentation of Python ("perf profiling"), .NET
 * ("debugging and profiling settings"), Erlang (erl(1), +JPperf) and QEMU (-perfmap).
 */

/* A process may load the library of its run-time system after its first samples. */
#define EARLY_STACKS 64

/* Run-time systems by the beginning of the name of a file that their processes map. A remedy ""
 * says that nothing helps. */
static const struct run_time {
	const char *file;
	const char *no_map, *no_rows;	/* remedies for STACK_END_NO_MAP and STACK_END_RUN_TIME */
} run_times[] = {
	{ "libjvm.so",
	  "java -XX:+PreserveFramePointer; names come from jcmd PID Compiler.perfmap",
	  "java -XX:+PreserveFramePointer" },
	{ "libcoreclr.so", "DOTNET_PerfMapEnabled=1 in its environment",
	  "DOTNET_PerfMapEnabled=1 in its environment" },
	{ "node", "node --perf-basic-prof", "node --interpreted-frames-native-stack" },
	{ "libnode.so", "node --perf-basic-prof", "node --interpreted-frames-native-stack" },
	{ "beam.smp", "erl +JPperf true", "erl +JPperf true" },
	{ "libluajit", "luajit -joff, which compiles nothing", "luajit -joff" },
	{ "luajit", "luajit -joff, which compiles nothing", "luajit -joff" },
	{ "qemu-", "names come from its option -perfmap (QEMU 8.0); callers stay unknown", "" },
	{ "python3", "python -X perf (3.12 and later)", "python -X perf (3.12 and later)" },
	{ "libpython3", "python -X perf (3.12 and later)", "python -X perf (3.12 and later)" },
};

/* Whether @name is @file or a version of it: "python3.11" for "python3", not "node_exporter" for
 * "node". */
static bool begins_with_file(const char *name, const char *file)
{
	const size_t len = strlen(file);

	return !strncmp(name, file, len) &&
	       (file[len - 1] == '-' || !isalpha((unsigned char)name[len])) && name[len] != '_';
}

static const struct run_time *run_time_of_file(const char *name)
{
	for (size_t i = 0; i < sizeof(run_times) / sizeof(run_times[0]); i++)
		if (begins_with_file(name, run_times[i].file))
			return &run_times[i];
	return NULL;
}

/* The run-time system of a process. If it has mapped several, embedded or as Python libraries, the
 * first of the list. */
static const struct run_time *find_run_time(const struct ingest *ingest,
					    const struct process_maps *maps)
{
	const struct run_time *found = NULL, *next;

	for (uint32_t i = 0; maps && i < maps->count; i++) {
		const struct dso *dso = &ingest->dsos.dsos[maps->rows[i].dso];

		next = run_time_of_file(strpool_get(ingest->strings, dso->name));
		if (next && (!found || next < found))
			found = next;
	}
	return found;
}

static const char *find_remedy(const struct ingest *ingest, const struct process_maps *maps,
			       enum stack_fault fault)
{
	const struct run_time *run_time;

	if (fault != STACK_END_NO_MAP && fault != STACK_END_RUN_TIME)
		return NULL;
	run_time = find_run_time(ingest, maps);
	if (!run_time)
		return NULL;
	return fault == STACK_END_NO_MAP ? run_time->no_map : run_time->no_rows;
}

static void copy_text(char out[ENDER_TEXT_BYTES], const char *text)
{
	sanitize_text(out, ENDER_TEXT_BYTES, text, strlen(text));
}

/* Sets the program's name: its file is mapped below its libraries. */
static void name_program(const struct ingest *ingest, const struct process_maps *maps,
			 struct stack_ender *out)
{
	for (uint32_t i = 0; maps && i < maps->count; i++) {
		const struct mapping *row = &maps->rows[i];
		const struct dso *dso = &ingest->dsos.dsos[row->dso];

		if (!row->is_absolute && strpool_get(ingest->strings, dso->path)[0] == '/') {
			copy_text(out->program, strpool_get(ingest->strings, dso->name));
			return;
		}
	}
}

/* Takes one from the count of each row, and returns a row whose count is 0 now. NULL: none is. */
static struct stack_ender *make_room(struct stack_ender *rows)
{
	struct stack_ender *free_row = NULL;

	for (size_t i = 0; i < STACK_ENDERS; i++)
		if (!--rows[i].count)
			free_row = &rows[i];
	return free_row;
}

/* Returns the row of @ender, or a free one that the caller fills in (*@is_new). NULL: no row is
 * free. */
static struct stack_ender *find_row(struct stack_ender *rows, const struct stack_ender *ender,
				    bool *is_new)
{
	struct stack_ender *free_row = NULL;

	*is_new = false;
	for (size_t i = 0; i < STACK_ENDERS; i++) {
		if (!rows[i].count)
			free_row = &rows[i];
		else if (rows[i].pid == ender->pid && !strcmp(rows[i].file, ender->file) &&
			 !strcmp(rows[i].program, ender->program))
			return &rows[i];
	}
	*is_new = true;
	return free_row ? free_row : make_room(rows);
}

void stack_enders_add(struct ingest *ingest, enum stack_fault fault, uint32_t pid,
		      const struct process_maps *maps, uint32_t dso)
{
	struct stack_enders *enders = &ingest->losses->enders;
	struct stack_ender ender = { .pid = pid }, *row;
	bool is_new;

	if (fault == STACK_END_NONE)
		return;
	enders->total[fault]++;
	name_program(ingest, maps, &ender);
	if (fault == STACK_END_FILE)
		copy_text(ender.file, strpool_get(ingest->strings,
						  ingest->dsos.dsos[dso].name));
	row = find_row(enders->rows[fault], &ender, &is_new);
	if (!row)
		return;
	if (is_new)
		*row = ender;
	if (is_new || (!row->remedy && row->count < EARLY_STACKS))
		row->remedy = find_remedy(ingest, maps, fault);
	row->count++;
}

const struct stack_ender *stack_enders_main(const struct stack_enders *enders,
					    enum stack_fault fault)
{
	for (size_t i = 0; i < STACK_ENDERS; i++) {
		const struct stack_ender *row = &enders->rows[fault][i];

		if (row->count > enders->total[fault] / 2 && row->program[0])
			return row;
	}
	return NULL;
}

struct loss_row {		/* losses of one (event, cpu) */
	uint64_t last_total;	/* cumulative; records already in lost_kernel */
	bool is_exact;		/* PERF_FORMAT_LOST works: LOST records are not added besides */
	uint64_t read_total;	/* newest value of PERF_FORMAT_LOST */
	uint64_t in_records, in_samples;	/* a recording's sums of LOST and LOST_SAMPLES */
};

void losses_destroy(struct losses *losses)
{
	if (!losses)
		return;
	free(losses->throttles);
	free(losses->rows);
	id_map_finish(&losses->throttled_since);
	id_map_finish(&losses->loss_of);
	free(losses);
}

/* Row of (event, cpu) in an array that grows as rows are looked up; NULL: out of memory. */
static void *row_of(struct id_map *map, void *rows, uint32_t *count, uint32_t *capacity,
		    size_t row_bytes, uint16_t event, uint32_t cpu)
{
	const uint64_t key = (uint64_t)event << 32 | cpu;
	uint32_t at = id_map_get(map, key);
	char **array = rows;

	if (at == ID_MAP_NONE) {
		if (*count == *capacity) {
			const uint32_t larger = *capacity ? *capacity * 2 : 16;
			char *bigger = realloc(*array, larger * row_bytes);

			if (!bigger)
				return NULL;
			*array = bigger;
			*capacity = larger;
		}
		if (id_map_put(map, key, *count))
			return NULL;
		at = (*count)++;
		memset(*array + at * row_bytes, 0, row_bytes);
	}
	return *array + at * row_bytes;
}

static struct loss_row *loss_row(struct ingest *ingest, uint16_t event, uint32_t cpu)
{
	struct losses *losses = ingest->losses;

	return row_of(&losses->loss_of, &losses->rows, &losses->row_count, &losses->row_capacity,
		      sizeof(*losses->rows), event, cpu);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void ingest_lost_total(struct ingest *ingest, uint16_t event, uint32_t cpu, uint64_t total)
{
	struct loss_row *loss = loss_row(ingest, ingest_event_of(ingest, event), cpu);

	if (!loss)
		return;
	loss->is_exact = true;
	ingest->counters.lost_counted += total > loss->read_total ? total - loss->read_total : 0;
	loss->read_total = larger(total, loss->read_total);
	if (total <= loss->last_total)
		return;		/* LOST records said so before */
	ingest->counters.lost_kernel += total - loss->last_total;
	loss->last_total = total;
}

/* perf record also writes the counts of read(2) at the end, as LOST_SAMPLES: if the event has
 * PERF_FORMAT_LOST, these repeat the losses of its LOST records. */
static void recorded_loss(struct ingest *ingest, const struct event_record *record)
{
	const struct record_format *format = &ingest->config.events[record->event]->format;
	struct loss_row *loss = loss_row(ingest, (uint16_t)record->event, UINT32_MAX);
	uint64_t before;

	if (!loss || !(format->read_format & PERF_FORMAT_LOST)) {
		ingest->counters.lost_kernel += record->lost.count;
		return;
	}
	before = larger(loss->in_records, loss->in_samples);
	*(record->lost.is_samples ? &loss->in_samples : &loss->in_records) += record->lost.count;
	ingest->counters.lost_kernel += larger(loss->in_records, loss->in_samples) - before;
}

/* Counts a LOST record. Where the kernel also counts exactly (live, Linux 6.0), that count is used:
 * what is lost after the last record that fits is in no LOST record. Samples that the processor
 * lost (LOST_SAMPLES) are in no such count. */
static void live_loss(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	struct loss_row *loss = NULL;

	if (!record->lost.is_samples)
		loss = loss_row(ingest, (uint16_t)record->event, cpu);
	ingest->counters.lost_recorded += record->lost.count;
	if (!loss || !loss->is_exact)
		ingest->counters.lost_kernel += record->lost.count;
	if (loss && !loss->is_exact)
		loss->last_total += record->lost.count;
}

static void lost_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	if (!ingest->config.is_replay) {
		live_loss(ingest, record, cpu);
		return;
	}
	*(record->lost.is_samples ? &ingest->counters.lost_counted
				  : &ingest->counters.lost_recorded) += record->lost.count;
	recorded_loss(ingest, record);
}

/* A recording is one stream: there the record itself says which CPU it was. */
static void throttle_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	struct losses *losses = ingest->losses;
	uint64_t *since = row_of(&losses->throttled_since, &losses->throttles,
				 &losses->throttle_count, &losses->throttle_capacity,
				 sizeof(*losses->throttles), (uint16_t)record->event,
				 record->has_cpu ? record->cpu : cpu);

	if (!since)
		return;
	if (record->kind == RECORD_THROTTLE) {
		if (!*since)
			*since = record->time_ns;
	} else if (*since) {
		if (record->time_ns > *since)
			ingest->counters.throttled_ns += record->time_ns - *since;
		*since = 0;
	}
}

void losses_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	if (record->kind == RECORD_LOST)
		lost_record(ingest, record, cpu);
	else
		throttle_record(ingest, record, cpu);
}

void losses_begin_source(struct ingest *ingest, uint64_t now_ns)
{
	for (uint32_t i = 0; i < ingest->losses->throttle_count; i++)
		if (ingest->losses->throttles[i] && ingest->losses->throttles[i] < now_ns)
			ingest->counters.throttled_ns += now_ns - ingest->losses->throttles[i];
	ingest->losses->throttle_count = 0;
	id_map_clear(&ingest->losses->throttled_since);
	ingest->losses->stalled_before = ingest->counters.stalled_rounds;
	ingest->losses->malformed_before = ingest->counters.malformed_rings;
	ingest->losses->row_count = 0;
	id_map_clear(&ingest->losses->loss_of);
}

void losses_begin_recording(struct ingest *ingest)
{
	ingest->counters = (struct ingest_counters){ .lost_kernel = 0 };
	ingest->losses->enders = (struct stack_enders){ .total = { 0 } };
	ingest->losses->stalled_before = ingest->losses->malformed_before = 0;
}

void losses_count_mapping(struct ingest *ingest, int err)
{
	ingest->counters.dropped_no_memory += err == -ENOMEM;
	ingest->counters.unkept_mappings += err == -E2BIG;
}
