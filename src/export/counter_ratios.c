/* counter_ratios.c - scaling, means and ratios of counters: see export/print.h. */
#include "export/print.h"

#include <math.h>
#include <string.h>

#define NS_PER_S 1e9

void counter_mean_add(struct counter_mean *mean, double value)
{
	const double before = value - mean->mean;

	mean->mean += before / (double)++mean->runs;
	mean->squares += before * (value - mean->mean);
}

double counter_mean_deviation_pct(const struct counter_mean *mean)
{
	const double runs = (double)mean->runs;

	if (mean->runs < 2)
		return -1;
	if (mean->mean == 0)
		return 0;
	return 100 * sqrt(mean->squares / (runs - 1) / runs) / fabs(mean->mean);
}

struct counter_cell counter_cell_of(const struct counter_value *value,
				    const struct counter_event *event, bool is_part)
{
	struct counter_cell cell = {
		.value = (double)value->value, .deviation_pct = -1, .running_pct = 100,
		.enabled_ns = value->enabled_ns, .running_ns = value->running_ns,
	};

	if (event->absent.err)
		cell.state = COUNTER_NOT_SUPPORTED;
	else if (!value->running_ns && (value->enabled_ns || !is_part))
		cell.state = COUNTER_NOT_COUNTED;
	if (value->running_ns && value->running_ns < value->enabled_ns) {
		cell.value = round(counter_value_scaled(value));
		cell.running_pct = 100 * (double)value->running_ns / (double)value->enabled_ns;
	}
	cell.value *= counter_event_scale(event);
	return cell;
}

static bool has_same_levels(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest;
}

/* Returns the value of the event @type, @config in @row with the levels of @like (NULL: any), or
 * < 0 when it was not counted. */
static double find_value(const struct counter_report *report, size_t row, uint32_t type,
			 uint64_t config, const struct perf_event_attr *like)
{
	for (size_t i = 0; i < report->event_count; i++) {
		const struct perf_event_attr *attr = &report->events[i].attr;
		const struct counter_cell *cell = &report->cells[row * report->event_count + i];

		if (attr->type == type && attr->config == config &&
		    cell->state == COUNTER_COUNTED && (!like || has_same_levels(attr, like)))
			return cell->value;
	}
	return -1;
}

/* CPU time: of task-clock, or of cpu-clock, which counts all of it on a CPU. */
static double find_clock_ns(const struct counter_report *report, size_t row)
{
	const double task_ns = find_value(report, row, PERF_TYPE_SOFTWARE,
					  PERF_COUNT_SW_TASK_CLOCK, NULL);

	return task_ns >= 0 ? task_ns : find_value(report, row, PERF_TYPE_SOFTWARE,
						   PERF_COUNT_SW_CPU_CLOCK, NULL);
}

/* A part of another event, in %. */
struct share {
	uint64_t config, of_config;
	const char *unit;
};

static const struct share hardware_shares[] = {
	{ PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "% of all branches" },
	{ PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, "% of all cache refs" },
	{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES,
	  "% frontend cycles idle" },
	{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES,
	  "% backend cycles idle" },
};

static const char *const cache_units[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "% of all L1-dcache accesses",
	[PERF_COUNT_HW_CACHE_L1I] = "% of all L1-icache accesses",
	[PERF_COUNT_HW_CACHE_LL] = "% of all LL-cache accesses",
	[PERF_COUNT_HW_CACHE_DTLB] = "% of all dTLB cache accesses",
	[PERF_COUNT_HW_CACHE_ITLB] = "% of all iTLB cache accesses",
	[PERF_COUNT_HW_CACHE_BPU] = "% of all branches",
	[PERF_COUNT_HW_CACHE_NODE] = "% of all node accesses",
};

static bool divide(double part, double whole, double factor, const char *unit,
		   struct counter_ratio *out)
{
	if (part < 0 || whole <= 0)
		return false;
	*out = (struct counter_ratio){ .value = factor * part / whole, .unit = unit };
	return true;
}

static bool find_share(const struct counter_report *report, size_t row,
		       const struct perf_event_attr *attr, double value, struct counter_ratio *out)
{
	const uint64_t misses = (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
	const uint64_t cache = attr->config & 0xff;

	for (size_t i = 0; attr->type == PERF_TYPE_HARDWARE &&
			   i < sizeof(hardware_shares) / sizeof(hardware_shares[0]); i++) {
		const struct share *share = &hardware_shares[i];

		if (share->config == attr->config)
			return divide(value, find_value(report, row, attr->type, share->of_config,
							attr), 100, share->unit, out);
	}
	if (attr->type != PERF_TYPE_HW_CACHE || (attr->config & 0xff0000) != misses ||
	    cache >= sizeof(cache_units) / sizeof(cache_units[0]))
		return false;
	return divide(value, find_value(report, row, attr->type, attr->config & ~misses, attr),
		      100, cache_units[cache], out);
}

/* Top-down level 1.
 * Source: Yasin, A Top-Down Method for Performance Analysis and Counters Architecture (2014);
 * perf-stat(1), --topdown; the events of arch/x86/events/intel/core.c. */

enum topdown_event { SLOTS, RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, TOTAL_SLOTS, SLOTS_ISSUED,
		     SLOTS_RETIRED, FETCH_BUBBLES, RECOVERY_BUBBLES, TOPDOWN_EVENTS };

static const char *const topdown_terms[TOPDOWN_EVENTS] = {
	[SLOTS] = "slots", [RETIRING] = "topdown-retiring", [BAD_SPEC] = "topdown-bad-spec",
	[FE_BOUND] = "topdown-fe-bound", [BE_BOUND] = "topdown-be-bound",
	[TOTAL_SLOTS] = "topdown-total-slots", [SLOTS_ISSUED] = "topdown-slots-issued",
	[SLOTS_RETIRED] = "topdown-slots-retired", [FETCH_BUBBLES] = "topdown-fetch-bubbles",
	[RECOVERY_BUBBLES] = "topdown-recovery-bubbles",
};

/* Returns the number of the event "pmu/TERM/...", TOPDOWN_EVENTS: it is another one. */
static size_t topdown_event_of(const struct counter_event *event)
{
	const char *term = strchr(event->name, '/');
	const size_t length = term ? strcspn(term + 1, "/") : 0;
	size_t i = 0;

	while (i < TOPDOWN_EVENTS && (strlen(topdown_terms[i]) != length ||
				      strncmp(term + 1, topdown_terms[i], length)))
		i++;
	return i;
}

bool counter_is_topdown(const struct counter_event *event, const struct counter_event *like)
{
	const size_t length = strcspn(event->name, "/") + 1;

	return topdown_event_of(event) < TOPDOWN_EVENTS &&
	       (!like || (has_same_levels(&event->attr, &like->attr) &&
			  !strncmp(event->name, like->name, length)));
}

/* Returns the value of an event of the same PMU as @like; < 0: not counted. */
static double find_topdown(const struct counter_report *report, size_t row, size_t like,
			   enum topdown_event wanted)
{
	for (size_t i = 0; i < report->event_count; i++) {
		const struct counter_cell *cell = &report->cells[row * report->event_count + i];

		if (topdown_event_of(&report->events[i]) == wanted &&
		    counter_is_topdown(&report->events[i], &report->events[like]) &&
		    cell->state == COUNTER_COUNTED)
			return cell->value;
	}
	return -1;
}

/* Makes shares of the four numbers. False: one is not known, or all are 0. */
static bool share_slots(double shares[TOPDOWN_SHARES])
{
	double slots = 0;

	for (int i = 0; i < TOPDOWN_SHARES; i++) {
		if (shares[i] < 0)
			return false;
		slots += shares[i];
	}
	for (int i = 0; slots > 0 && i < TOPDOWN_SHARES; i++)
		shares[i] *= 100 / slots;
	return slots > 0;
}

bool counter_topdown_find(const struct counter_report *report, size_t row, size_t event,
			  double shares[TOPDOWN_SHARES])
{
	const double total = find_topdown(report, row, event, TOTAL_SLOTS);
	const double issued = find_topdown(report, row, event, SLOTS_ISSUED);
	const double retired = find_topdown(report, row, event, SLOTS_RETIRED);
	const double bubbles = find_topdown(report, row, event, FETCH_BUBBLES);
	const double recovery = find_topdown(report, row, event, RECOVERY_BUBBLES);

	if (total < 0) {
		shares[TOPDOWN_RETIRING] = find_topdown(report, row, event, RETIRING);
		shares[TOPDOWN_BAD_SPECULATION] = find_topdown(report, row, event, BAD_SPEC);
		shares[TOPDOWN_FRONTEND] = find_topdown(report, row, event, FE_BOUND);
		shares[TOPDOWN_BACKEND] = find_topdown(report, row, event, BE_BOUND);
		return share_slots(shares);
	}
	if (issued < 0 || retired < 0 || bubbles < 0 || recovery < 0)
		return false;
	shares[TOPDOWN_RETIRING] = retired;
	shares[TOPDOWN_BAD_SPECULATION] = fmax(issued - retired + recovery, 0);
	shares[TOPDOWN_FRONTEND] = bubbles;
	shares[TOPDOWN_BACKEND] = fmax(total - retired - shares[TOPDOWN_BAD_SPECULATION] - bubbles,
				       0);
	return share_slots(shares);
}

/* Each share stands beside the event that it is closest to. */
static bool find_topdown_share(const struct counter_report *report, size_t row, size_t event,
			       struct counter_ratio *out)
{
	static const struct {
		enum topdown_share share;
		const char *unit;
	} units[TOPDOWN_EVENTS] = {
		[RETIRING] = { TOPDOWN_RETIRING, "% retiring" },
		[BAD_SPEC] = { TOPDOWN_BAD_SPECULATION, "% bad speculation" },
		[FE_BOUND] = { TOPDOWN_FRONTEND, "% frontend bound" },
		[BE_BOUND] = { TOPDOWN_BACKEND, "% backend bound" },
		[TOTAL_SLOTS] = { TOPDOWN_BACKEND, "% backend bound" },
		[SLOTS_ISSUED] = { TOPDOWN_BAD_SPECULATION, "% bad speculation" },
		[SLOTS_RETIRED] = { TOPDOWN_RETIRING, "% retiring" },
		[FETCH_BUBBLES] = { TOPDOWN_FRONTEND, "% frontend bound" },
	};
	const size_t of = topdown_event_of(&report->events[event]);
	double shares[TOPDOWN_SHARES];

	if (of == TOPDOWN_EVENTS || !units[of].unit ||
	    !counter_topdown_find(report, row, event, shares))
		return false;
	*out = (struct counter_ratio){ shares[units[of].share], units[of].unit };
	return true;
}

bool counter_ratio_find(const struct counter_report *report, size_t row, size_t event,
			struct counter_ratio *out)
{
	const struct perf_event_attr *attr = &report->events[event].attr;
	const struct counter_cell *cell = &report->cells[row * report->event_count + event];
	const double clock_ns = find_clock_ns(report, row);
	const bool is_hardware = attr->type == PERF_TYPE_HARDWARE;

	if (cell->state != COUNTER_COUNTED)
		return false;
	if (!strcmp(report->events[event].unit.text, "Joules"))
		return divide(cell->value, report->elapsed_s, 1, "W", out);
	if (event_is_clock(attr->type, attr->config))
		return divide(cell->value, report->elapsed_s * NS_PER_S, 1, "CPUs utilized", out);
	if (is_hardware && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		return divide(cell->value, clock_ns, 1, "GHz", out);
	if (is_hardware && attr->config == PERF_COUNT_HW_INSTRUCTIONS &&
	    divide(cell->value, find_value(report, row, attr->type, PERF_COUNT_HW_CPU_CYCLES,
					   attr), 1, "insn per cycle", out))
		return true;
	if (find_share(report, row, attr, cell->value, out) ||
	    find_topdown_share(report, row, event, out))
		return true;
	return divide(cell->value, clock_ns, NS_PER_S, "/sec", out);
}
