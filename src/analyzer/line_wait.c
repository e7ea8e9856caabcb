/* line_wait.c - see line_wait.h. Requests the heaviest addresses that will be shown, a hundred at a
 * time, until no heavy one is left that can be known. */
#include "line_wait.h"

#include "base/clock.h"
#include "fold/group_fold.h"

#define WAIT_NS (2 * CLOCK_NS_PER_S)	/* same as in source_hold.c */

static bool is_by_lines(const struct query *query)
{
	for (uint32_t i = 0; i < query->group_count; i++)
		if (query->groups[i] == GROUP_SOURCE)
			return true;
	return false;
}

/* Returns the first slice that will be printed: an interval has those since the previous one. */
static uint32_t first_slice(const struct publisher *publisher)
{
	const struct timeline *timeline = &publisher->ingest->timeline;
	uint32_t s = 0;

	if (publisher->config->window == WINDOW_INTERVAL)
		while (s < timeline->count && timeline->slices[s].seq < publisher->published_seq)
			s++;
	return s;
}

/* Requests lines; returns how many. */
static uint32_t wish(struct publisher *publisher)
{
	struct ingest *ingest = publisher->ingest;
	const struct timeline *timeline = &ingest->timeline;
	const struct group_sources sources = {
		.trie = &ingest->trie, .names = &ingest->names, .tasks = &ingest->tasks,
		.lines = &publisher->source_lines,
	};
	const struct query query = {
		.filter = publisher->config->query.filter, .group_count = 2,
		.groups = { GROUP_EVENT, GROUP_SOURCE },
	};
	struct source_wish wishes[SOURCE_WISHES_MAX];
	struct group_fold fold;
	uint32_t count;

	group_fold_init(&fold, &sources, &query, 0);
	for (uint32_t s = first_slice(publisher); s < timeline->count; s++)
		group_fold_add(&fold, timeline->slices[s].entries, timeline->slices[s].count, 1.0);
	group_fold_add(&fold, timeline->open_slice.entries, timeline->open_slice.count, 1.0);
	group_fold_add(&fold, timeline->open.entries, timeline->open.count, 1.0);
	group_fold_sum(&fold);
	count = group_fold_wishes(&fold, wishes);
	group_fold_finish(&fold);
	if (count)
		source_lines_wish(&publisher->source_lines, wishes, count);
	return count;
}

bool line_wait_must(struct line_wait *wait, struct publisher *publisher, uint64_t now_ns)
{
	const struct analyzer_config *config = publisher->config;

	if (!config->wants_sources || !is_by_lines(&config->query))
		return false;
	if (!wait->until_ns)
		wait->until_ns = now_ns + WAIT_NS;
	if (now_ns < wait->until_ns &&
	    (source_lines_are_pending(&publisher->source_lines) || wish(publisher)))
		return true;
	wait->until_ns = 0;
	return false;
}
