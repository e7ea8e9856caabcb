/* event_names.c - see capture/event.h.
 *
 * A cache event is written CACHE[-OPERATION][-RESULT], "L1-dcache-load-misses", and its config is
 * cache | operation << 8 | result << 16. Operation and result may come in either order and are
 * "read" and "accesses" when left out.
 */
#include "capture/event.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/name_match.h"

struct event_name {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *sentence;	/* NULL: another name of an event that has one */
};

static const struct event_name names[] = {
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	  "cycles of the CPUs while they work, at the clock that they run at" },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  "instructions retired" },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  "lookups in the last cache" },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  "lookups that the last cache missed" },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "branches retired" },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  "branches that were mispredicted" },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
	  "cycles of the bus, whose clock is not the CPU's" },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  "cycles without an instruction to issue: none was fetched or decoded" },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, NULL },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  "cycles in which instructions waited for data or a free unit" },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, NULL },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
	  "cycles of the CPUs while they work, at a clock that never changes" },

	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  "time on a CPU, by a timer: there on every machine" },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
	  "time on a CPU of the tasks that are sampled, by a timer" },
	{ "wall", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  "time that tasks spend on a CPU and waiting, together" },
	{ "off-cpu", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
	  "time that tasks wait: blocked, or for a CPU" },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, NULL },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
	  "memory that had to be mapped in" },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
	  "tasks that left a CPU" },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
	  "tasks that changed their CPU" },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
	  "memory that had to be mapped in and was there already" },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	  "memory that had to be read in" },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
	  "accesses that the kernel completed, as they were not aligned" },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
	  "instructions that the kernel emulated, as the CPU lacks them" },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
	  "nothing: it never counts; perf uses it for records of maps and tasks" },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES,
	  "switches to a task of another cgroup" },
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

const char *event_names_sentence(size_t index)
{
	return names[index].sentence;
}

/* The events of caches that are listed: those that the kernel has a meaning for on some CPU, by the
 * names that perf-list(1) gives them. */
static const struct listed_cache {
	const char *name, *text;
	bool has_stores, has_prefetches;
} listed_caches[] = {
	{ "L1-dcache", "the L1 data cache", true, true },
	{ "L1-icache", "the L1 instruction cache", false, true },
	{ "LLC", "the last cache", true, true },
	{ "dTLB", "the TLB of data addresses", true, true },
	{ "iTLB", "the TLB of instruction addresses", false, false },
	{ "branch", "the branch predictor", false, false },
	{ "node", "the memory of the CPU's own node", true, true },
};

static const struct {
	const char *one, *many;
} listed_operations[] = {
	{ "load", "loads" }, { "store", "stores" }, { "prefetch", "prefetches" },
};

bool event_names_cache(size_t index, char *name, size_t name_room, char *sentence,
		       size_t sentence_room)
{
	const size_t of_cache = COUNT_OF(listed_operations) * 2;
	const size_t operation = index % of_cache / 2;
	const bool is_miss = index % 2;
	const struct listed_cache *cache;

	if (index / of_cache >= COUNT_OF(listed_caches))
		return false;
	cache = &listed_caches[index / of_cache];
	name[0] = '\0';
	if ((operation == PERF_COUNT_HW_CACHE_OP_WRITE && !cache->has_stores) ||
	    (operation == PERF_COUNT_HW_CACHE_OP_PREFETCH && !cache->has_prefetches))
		return true;
	snprintf(name, name_room, "%s-%s%s", cache->name, is_miss ? listed_operations[operation].one
		 : listed_operations[operation].many, is_miss ? "-misses" : "");
	snprintf(sentence, sentence_room, "%s %s %s", listed_operations[operation].many,
		 is_miss ? "that missed" : "looked up in", cache->text);
	return true;
}

int event_names_append(char **list, const char *name, size_t length)
{
	char *longer;

	if (asprintf(&longer, "%s%s%.*s", *list ? *list : "", *list ? "," : "", (int)length,
		     name) < 0)
		return -ENOMEM;
	free(*list);
	*list = longer;
	return 0;
}
