/* event_columns.c - see analyzer/snapshot.h. */
#include "analyzer/snapshot.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/sanitize.h"
#include "capture/event.h"

#define PER_MANY   1000		/* "misses per 1,000 instructions" */
#define PERCENT	   100
#define NS_PER_S   1e9
#define SHARE_CHARACTERS 7	/* before the "%" in the title of a share */
#define LEVEL_BYTES 3		/* ":u", ":uk" */
#define CACHE_MISS ((uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static bool is_software(const struct event_desc *event, uint64_t config)
{
	return event->type == PERF_TYPE_SOFTWARE && event->config == config;
}

/* On machines with several kinds of cores the upper half is the PMU's type. */
static bool is_hardware(const struct event_desc *event, uint64_t config)
{
	return event->type == PERF_TYPE_HARDWARE && (uint32_t)event->config == config;
}

static bool is_clock(const struct event_desc *event)
{
	return event_is_clock(event->type, event->config) && !event->is_wall;
}

static bool is_instructions(const struct event_desc *event)
{
	return is_hardware(event, PERF_COUNT_HW_INSTRUCTIONS);
}

static bool is_cycles(const struct event_desc *event)
{
	return is_hardware(event, PERF_COUNT_HW_CPU_CYCLES);
}

/* Names of what is missed, for titles. */
static const char *const cache_titles[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1D", [PERF_COUNT_HW_CACHE_L1I] = "L1I",
	[PERF_COUNT_HW_CACHE_LL] = "LLC", [PERF_COUNT_HW_CACHE_DTLB] = "DTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "ITLB", [PERF_COUNT_HW_CACHE_BPU] = "BPU",
	[PERF_COUNT_HW_CACHE_NODE] = "NODE",
};

/* Returns the title's stem for an event that counts misses; NULL: it does not. */
static const char *miss_stem(const struct event_desc *event)
{
	const uint64_t cache = event->config & 0xff;

	if (is_hardware(event, PERF_COUNT_HW_CACHE_MISSES))
		return "MISS";
	if (is_hardware(event, PERF_COUNT_HW_BRANCH_MISSES))
		return "BRMISS";
	if (event->type == PERF_TYPE_HW_CACHE && (event->config & 0xff0000) == CACHE_MISS &&
	    cache < sizeof(cache_titles) / sizeof(cache_titles[0]))
		return cache_titles[cache];
	return NULL;
}

/* Returns whether @whole counts all of what @miss counts the misses of. */
static bool is_whole_of(const struct event_desc *whole, const struct event_desc *miss)
{
	if (is_hardware(miss, PERF_COUNT_HW_CACHE_MISSES))
		return is_hardware(whole, PERF_COUNT_HW_CACHE_REFERENCES);
	if (is_hardware(miss, PERF_COUNT_HW_BRANCH_MISSES))
		return is_hardware(whole, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	return whole->type == PERF_TYPE_HW_CACHE && whole->config == (miss->config & ~CACHE_MISS);
}

/* Returns the title of a rate per second of CPU time; NULL: it is not usual. */
static const char *rate_title(const struct event_desc *event)
{
	if (is_software(event, PERF_COUNT_SW_PAGE_FAULTS) ||
	    is_software(event, PERF_COUNT_SW_PAGE_FAULTS_MIN))
		return "FAULTS/S";
	if (is_software(event, PERF_COUNT_SW_PAGE_FAULTS_MAJ))
		return "MAJOR/S";
	if (is_software(event, PERF_COUNT_SW_CONTEXT_SWITCHES))
		return "SWITCH/S";
	return is_software(event, PERF_COUNT_SW_CPU_MIGRATIONS) ? "MIGR/S" : NULL;
}

/* "sched:sched_switch" -> "SCHED_S%". */
static void make_title(char *out, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t length = 0;

	if (colon && strlen(colon) > 4)		/* not a modifier such as :u */
		name = colon + 1;
	while (length < SHARE_CHARACTERS && name[length] && name[length] != ':') {
		const unsigned char c = (unsigned char)name[length];

		out[length++] = isgraph(c) ? (char)toupper(c) : '?';
	}
	out[length++] = '%';
	out[length] = '\0';
}

/* Events while they are paired. */
struct pairing {
	struct event_columns *columns;
	const struct event_desc *const *events;
};

/* Finds the first other event of the same levels for which @is_it; columns->count: none. A clock
 * may be of all levels. */
static uint32_t find(const struct pairing *pairing, uint32_t part,
		     bool (*is_it)(const struct event_desc *event), bool of_any_level)
{
	uint32_t i;

	for (i = 0; i < pairing->columns->count; i++)
		if (i != part && is_it(pairing->events[i]) &&
		    (of_any_level ||
		     pairing->events[i]->excluded == pairing->events[part]->excluded))
			break;
	return i;
}

static uint32_t find_whole(const struct pairing *pairing, uint32_t miss)
{
	uint32_t i;

	for (i = 0; i < pairing->columns->count; i++)
		if (i != miss && is_whole_of(pairing->events[i], pairing->events[miss]) &&
		    pairing->events[i]->excluded == pairing->events[miss]->excluded)
			break;
	return i;
}

static bool has_title(const struct event_columns *columns, const char *title)
{
	for (uint32_t i = 0; i < columns->ratio_count; i++)
		if (!strcmp(columns->ratios[i].title, title))
			return true;
	return false;
}

/* Writes a title that no ratio has: "IPC", and of cycles:k "IPC:k"; "L1D/K", "L1D/K2". */
static void make_unique_title(const struct event_columns *columns, const char *name,
			      const char *stem, const char *unit, char *out)
{
	const char *colon = strrchr(name, ':');
	char title[EVENT_TITLE_BYTES - 1];

	snprintf(title, sizeof(title), "%s%s", stem, unit);
	if (has_title(columns, title) && colon && strlen(colon) <= LEVEL_BYTES)
		snprintf(title, sizeof(title), "%s%s%s", stem, unit, colon);
	snprintf(out, EVENT_TITLE_BYTES, "%s", title);
	for (int copy = 2; has_title(columns, out); copy++)
		snprintf(out, EVENT_TITLE_BYTES, "%s%d", title, copy);
}

/* Adds a ratio, if there is a @whole and room for it. */
static struct event_ratio *add(const struct pairing *pairing, uint32_t part, uint32_t whole,
			       double factor, const char *stem, const char *unit)
{
	struct event_columns *columns = pairing->columns;
	struct event_ratio *ratio;

	if (whole >= columns->count || columns->ratio_count == EVENT_RATIOS)
		return NULL;
	ratio = &columns->ratios[columns->ratio_count];
	*ratio = (struct event_ratio){ .part = part, .whole = whole, .factor = factor };
	make_unique_title(columns, columns->events[part].name, stem, unit, ratio->title);
	columns->ratio_count++;
	return ratio;
}

static void add_ipc(const struct pairing *pairing, uint32_t event)
{
	struct event_ratio *ratio;

	if (!is_instructions(pairing->events[event]))
		return;
	ratio = add(pairing, event, find(pairing, event, is_cycles, false), 1, "IPC", "");
	if (!ratio)
		return;
	ratio->is_ipc = true;
	snprintf(ratio->help, sizeof(ratio->help), "%s per cycle (%s); ~: of fewer than %d samples",
		 pairing->columns->events[event].name, pairing->columns->events[ratio->whole].name,
		 EVENT_RATIO_SAMPLES);
}

static void add_misses(const struct pairing *pairing, uint32_t event)
{
	const struct event_column *columns = pairing->columns->events;
	const char *stem = miss_stem(pairing->events[event]);
	struct event_ratio *ratio;

	if (!stem)
		return;
	ratio = add(pairing, event, find(pairing, event, is_instructions, false), PER_MANY, stem,
		    "/K");
	if (ratio)
		snprintf(ratio->help, sizeof(ratio->help), "%s per 1,000 instructions",
			 columns[event].name);
	ratio = add(pairing, event, find_whole(pairing, event), PERCENT, stem, "%");
	if (ratio)
		snprintf(ratio->help, sizeof(ratio->help), "%s in %% of %s", columns[event].name,
			 columns[ratio->whole].name);
}

static void add_rate(const struct pairing *pairing, uint32_t event)
{
	const char *title = rate_title(pairing->events[event]);
	struct event_ratio *ratio = NULL;

	if (title)
		ratio = add(pairing, event, find(pairing, event, is_clock, true), NS_PER_S, title,
			    "");
	if (ratio)
		snprintf(ratio->help, sizeof(ratio->help), "%s per second of CPU time",
			 pairing->columns->events[event].name);
}

void event_columns_describe(struct event_columns *out, const struct event_desc *const *events,
			    uint32_t count)
{
	const struct pairing pairing = { out, events };

	memset(out, 0, sizeof(*out));
	if (count < 2 || count > EVENT_COLUMNS)
		return;
	out->count = count;
	for (uint32_t i = 0; i < count; i++) {
		sanitize_text(out->events[i].name, sizeof(out->events[i].name), events[i]->name,
			      strlen(events[i]->name));
		make_title(out->events[i].title, events[i]->name);
	}
	for (uint32_t i = 0; i < count; i++)
		add_ipc(&pairing, i);
	for (uint32_t i = 0; i < count; i++)
		add_misses(&pairing, i);
	for (uint32_t i = 0; i < count; i++)
		add_rate(&pairing, i);
}

double event_ratio_of(const struct event_ratio *ratio, const struct stats *by_event, bool is_total,
		      bool *is_rough)
{
	const struct load *part, *whole;

	*is_rough = false;
	if (!by_event)
		return -1;
	part = is_total ? &by_event[ratio->part].total : &by_event[ratio->part].self;
	whole = is_total ? &by_event[ratio->whole].total : &by_event[ratio->whole].self;
	if (whole->weight <= 0)
		return -1;
	*is_rough = whole->samples < EVENT_RATIO_SAMPLES ||
		    (part->samples && part->samples < EVENT_RATIO_SAMPLES);
	return ratio->factor * part->weight / whole->weight;
}
