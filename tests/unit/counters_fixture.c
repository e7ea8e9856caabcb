/* counters_fixture.c - see counters_fixture.h. */
#include "counters_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CPUS	8
#define THREADS 2
#define S	1000000000ull
#define WINDOW	10		/* s */
#define NO_COUNTER "this machine has no such counter (virtual machines often have none)"

enum { CLOCK, CYCLES, INSTRUCTIONS, BRANCHES, BRANCH_MISSES, CACHE_REFS, CACHE_MISSES, FRONTEND,
       BACKEND, FAULTS, MAJOR, SWITCHES, MIGRATIONS, USUAL_EVENTS, ENERGY = USUAL_EVENTS, SLOTS,
       RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, EVENTS };

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config, value;
} known[EVENTS] = {
	[CLOCK] = { "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 80 * S },
	[CYCLES] = { "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 248 * S },
	[INSTRUCTIONS] = { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
			   203360000000 },
	[BRANCHES] = { "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 41 * S },
	[BRANCH_MISSES] = { "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
			    369000000 },
	[CACHE_REFS] = { "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
			 13420000000 },
	[CACHE_MISSES] = { "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
			   3837000000 },
	[FRONTEND] = { "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
		       PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0 },
	[BACKEND] = { "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		      PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0 },
	[FAULTS] = { "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 12000 },
	[MAJOR] = { "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 3 },
	[SWITCHES] = { "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		       84000 },
	[MIGRATIONS] = { "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 610 },
	[ENERGY] = { "power/energy-pkg/", 9, 2, 410000 },
	[SLOTS] = { "cpu/slots/", PERF_TYPE_RAW, 0x400, 1000 * S },
	[RETIRING] = { "cpu/topdown-retiring/", PERF_TYPE_RAW, 0x8000, 210 * S },
	[BAD_SPEC] = { "cpu/topdown-bad-spec/", PERF_TYPE_RAW, 0x8100, 30 * S },
	[FE_BOUND] = { "cpu/topdown-fe-bound/", PERF_TYPE_RAW, 0x8200, 110 * S },
	[BE_BOUND] = { "cpu/topdown-be-bound/", PERF_TYPE_RAW, 0x8300, 650 * S },
};

static struct counter_event events[EVENTS];
static struct counter_row rows[CPUS];
static struct counter_value values[(1 + CPUS) * EVENTS];
static float rates[EVENTS * SNAPSHOT_COUNTERS_SECONDS];
static struct snapshot_counters counters;

static void refuse(int event, const char *why)
{
	events[event].absent.err = -ENOENT;
	snprintf(events[event].absent.text, sizeof(events[event].absent.text), "%s", why);
	for (uint32_t row = 0; row <= counters.row_count; row++)
		values[row * counters.event_count + (uint32_t)event] = (struct counter_value){ 0 };
	for (int i = 0; i < SNAPSHOT_COUNTERS_SECONDS; i++)
		rates[event * SNAPSHOT_COUNTERS_SECONDS + i] = -1;
}

/* Row 1 has half of all, the others share the rest. */
static uint64_t part_of(uint64_t value, uint32_t row)
{
	return row == 0 ? value
	     : row == 1 ? value - value / 2
			: value / 2 / (counters.row_count - 1);
}

static void fill(uint32_t event)
{
	const bool is_multiplexed = event == CACHE_REFS || event == CACHE_MISSES;

	snprintf(events[event].name, sizeof(events[event].name), "%s", known[event].name);
	events[event].attr.type = known[event].type;
	events[event].attr.config = known[event].config;
	for (uint32_t row = 0; row <= counters.row_count; row++)
		values[row * counters.event_count + event] = (struct counter_value){
			.value = part_of(known[event].value, row),
			.enabled_ns = part_of(80 * S, row),
			.running_ns = event == BACKEND ? 0
				      : part_of(is_multiplexed ? 488 * S / 10 : 80 * S, row),
		};
	/* The last 30 seconds, with a peak of twice as much, and a gap of three. */
	for (int i = 0; i < SNAPSHOT_COUNTERS_SECONDS; i++) {
		const int ago = SNAPSHOT_COUNTERS_SECONDS - 1 - i;
		const float usual = (float)known[event].value / WINDOW;

		rates[event * SNAPSHOT_COUNTERS_SECONDS + (uint32_t)i] =
			ago >= 30 || (ago >= 4 && ago < 7) || event == BACKEND ? -1
			: ago == 2 && event != CYCLES ? 2 * usual : usual;
	}
}

static void fill_rows(bool is_machine)
{
	for (uint32_t row = 0; row < counters.row_count; row++) {
		rows[row].number = is_machine ? (int)row : 4121 + (int)row;
		snprintf(rows[row].text, sizeof(rows[row].text), "%s",
			 is_machine ? "" : row ? "worker" : "postgres");
	}
}

static struct snapshot_counters *make(bool is_machine, uint32_t event_count)
{
	memset(events, 0, sizeof(events));
	memset(rows, 0, sizeof(rows));
	counters = (struct snapshot_counters){
		.state = COUNTERS_COUNTED, .of = is_machine ? COUNTERS_OF_ALL : COUNTERS_OF_PROCESS,
		.id = is_machine ? 0 : 4121, .counted_s = WINDOW, .rows_counted_s = WINDOW,
		.event_count = event_count, .row_count = is_machine ? CPUS : THREADS,
		.rows_are = is_machine ? COUNTER_PER_CPU : COUNTER_PER_THREAD,
		.events = events, .rows = rows, .values = values, .rates = rates,
	};
	fill_rows(is_machine);
	for (uint32_t event = 0; event < event_count; event++)
		fill(event);
	refuse(FRONTEND, NO_COUNTER);
	return &counters;
}

struct snapshot_counters *counters_fixture_machine(void)
{
	return make(true, USUAL_EVENTS);
}

/* Row 1 has all of the energy, since its CPU counts it for the package. */
struct snapshot_counters *counters_fixture_packages(void)
{
	make(true, EVENTS);
	events[ENERGY].unit = (struct event_unit){ 1e-3, "Joules" };
	events[ENERGY].cpu_count = events[ENERGY].package_count = 1;
	for (uint32_t row = 1; row <= CPUS; row++)
		values[row * EVENTS + ENERGY] = row > 1 ? (struct counter_value){ 0 }
							: values[ENERGY];
	for (int i = 0; i < SNAPSHOT_COUNTERS_SECONDS; i++)
		if (rates[ENERGY * SNAPSHOT_COUNTERS_SECONDS + i] > 0)
			rates[ENERGY * SNAPSHOT_COUNTERS_SECONDS + i] *= 1e-3f;
	return &counters;
}

struct snapshot_counters *counters_fixture_process(void)
{
	make(false, USUAL_EVENTS);
	snprintf(events[CLOCK].name, sizeof(events[CLOCK].name), "task-clock");
	events[CLOCK].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	return &counters;
}

struct snapshot_counters *counters_fixture_software(void)
{
	make(true, USUAL_EVENTS);
	for (int event = CYCLES; event <= BACKEND; event++)
		refuse(event, NO_COUNTER);
	return &counters;
}

struct snapshot_counters *counters_fixture_state(enum counters_state state, const char *reason)
{
	counters = (struct snapshot_counters){ .state = state, .of = COUNTERS_OF_ALL };
	snprintf(counters.reason, sizeof(counters.reason), "%s", reason);
	return &counters;
}
