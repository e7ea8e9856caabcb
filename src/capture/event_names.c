/* event_names.c - see event_names.h.
 *
 * A cache event is written CACHE[-OPERATION][-RESULT], "L1-dcache-load-misses", and its config is
 * cache | operation << 8 | result << 16. Operation and result may come in either order and are
 * "read" and "accesses" when left out.
 */
#include "capture/event_names.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/near_name.h"

struct event_name {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct event_name names[] = {
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },

	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
};

struct word {
	const char *text;
	uint32_t value;
};

static const struct word caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "L1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "L1i", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL }, { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB }, { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB }, { "i-tlb", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU }, { "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct word operations[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ }, { "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE }, { "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct word results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "accesses", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Finds the longest word at the start of @text, up to '-' or the end. Returns the text after it. */
static const char *match_word(const char *text, const struct word *words, size_t count,
			      uint32_t *value)
{
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(words[i].text);

		if (len <= longest || strncasecmp(text, words[i].text, len) != 0 ||
		    (text[len] && text[len] != '-'))
			continue;
		longest = len;
		*value = words[i].value;
	}
	return longest ? text + longest : NULL;
}

static bool find_cache_event(const char *name, struct perf_event_attr *attr)
{
	uint32_t cache = 0, operation = PERF_COUNT_HW_CACHE_OP_READ;
	uint32_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool has_operation = false, has_result = false;
	const char *at = match_word(name, caches, COUNT_OF(caches), &cache);

	while (at && *at == '-') {
		const char *word = at + 1;

		at = has_operation ? NULL
				   : match_word(word, operations, COUNT_OF(operations), &operation);
		if (at) {
			has_operation = true;
			continue;
		}
		at = has_result ? NULL : match_word(word, results, COUNT_OF(results), &result);
		has_result = true;
	}
	if (!at)
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = cache | operation << 8 | result << 16;
	return true;
}

bool event_names_find(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (strcmp(name, names[i].name) != 0)
			continue;
		attr->type = names[i].type;
		attr->config = names[i].config;
		return true;
	}
	return find_cache_event(name, attr);
}

const char *event_names_nearest(const char *name)
{
	struct near_name near;

	near_name_start(&near, name);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		near_name_try(&near, names[i].name);
	return near.nearest;
}

const char *event_names_at(size_t index)
{
	return index < COUNT_OF(names) ? names[index].name : NULL;
}
