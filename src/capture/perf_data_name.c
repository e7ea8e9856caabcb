/* perf_data_name.c - the name of an event, from nothing but its attr.
 *
 * Recordings that kept no event descriptions show the same names here as in perf-report(1), so that
 * results can be compared. Source: perf's names as perf-list(1) prints them first.
 */
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>

#include "perf_data_header.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hardware_names[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[PERF_COUNT_SW_MAX] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

static const char *const cache_names[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

/* Words by operation: before "-misses", and alone for accesses. */
static const char *const operation_names[PERF_COUNT_HW_CACHE_OP_MAX][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches" },
};

static const char *name_in(const char *const *names, size_t count, uint64_t config,
			   const char *unknown)
{
	return config < count && names[config] ? names[config] : unknown;
}

static void name_cache_event(uint64_t config, char *out, size_t size)
{
	const uint64_t cache = config & 0xff, operation = config >> 8 & 0xff,
		       result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-type");
	else if (operation >= PERF_COUNT_HW_CACHE_OP_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-op");
	else if (result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-result");
	else if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(out, size, "%s-%s-misses", cache_names[cache],
			 operation_names[operation][0]);
	else
		snprintf(out, size, "%s-%s", cache_names[cache], operation_names[operation][1]);
}

/* Appends the modifiers after the colon: the levels counted and the precision. */
static void add_modifiers(const struct perf_event_attr *attr, char *out, size_t size)
{
	const bool some_level_excluded = attr->exclude_kernel || attr->exclude_user ||
					 attr->exclude_hv;
	const bool expected_guest = some_level_excluded || attr->precise_ip;
	char letters[8] = "";
	size_t count = 0;

	if (some_level_excluded) {
		if (!attr->exclude_kernel)
			letters[count++] = 'k';
		if (!attr->exclude_user)
			letters[count++] = 'u';
		if (!attr->exclude_hv)
			letters[count++] = 'h';
	}
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		letters[count++] = 'p';
	if (attr->exclude_host || attr->exclude_guest == expected_guest) {
		if (!attr->exclude_host)
			letters[count++] = 'H';
		if (!attr->exclude_guest)
			letters[count++] = 'G';
	}
	letters[count] = '\0';
	if (count) {
		const size_t used = strlen(out);

		snprintf(out + used, size - used, ":%s", letters);
	}
}

void perf_data_name_event(const struct perf_event_attr *attr, char *out, size_t size)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		snprintf(out, size, "%s", name_in(hardware_names, COUNT_OF(hardware_names),
						  attr->config, "unknown-hardware"));
		break;
	case PERF_TYPE_SOFTWARE:
		snprintf(out, size, "%s", name_in(software_names, COUNT_OF(software_names),
						  attr->config, "unknown-software"));
		break;
	case PERF_TYPE_HW_CACHE:
		name_cache_event(attr->config, out, size);
		break;
	case PERF_TYPE_RAW:
		snprintf(out, size, "raw 0x%" PRIx64, (uint64_t)attr->config);
		break;
	case PERF_TYPE_TRACEPOINT:
		snprintf(out, size, "%s", PERF_DATA_UNKNOWN_TRACEPOINT);
		return;
	case PERF_TYPE_BREAKPOINT:
		snprintf(out, size, "mem:0x%" PRIx64 ":%s%s%s", (uint64_t)attr->bp_addr,
			 attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
			 attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
			 attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
		break;
	default:
		snprintf(out, size, "unknown attr type: %u", attr->type);
		return;
	}
	add_modifiers(attr, out, size);
}
