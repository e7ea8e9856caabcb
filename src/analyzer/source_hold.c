/* source_hold.c - see source_hold.h.
 *
 * A snapshot is one block, and lines arrive after it was built: they are put into a block of their
 * own, which the snapshot owns.
 */
#include "source_hold.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "fold/groups.h"

#define SANITIZE_ROOM(len) (12 * (len) + 1)	/* the worst: "<U+NNNN>" per byte */
#define HOLD_NS (2 * CLOCK_NS_PER_S)	/* per refresh; large debug information takes that long */

#define LISTING_HOLD_NS (15 * CLOCK_NS_PER_S)	/* a listing is what was asked for */

void source_hold_init(struct source_hold *hold, struct source_lines *lines,
		      struct listing_builder *listings, size_t max_rows)
{
	*hold = (struct source_hold){ .lines = lines, .listings = listings,
				      .max_rows = max_rows };
}

void source_hold_finish(struct source_hold *hold)
{
	snapshot_destroy(hold->snapshot);
	hold->snapshot = NULL;
}

static struct source_request request_of(const struct snapshot_row *row)
{
	return (struct source_request){ row->address, row->dso_id };
}

/* Requests the unknown lines of as many rows as one list of requests can have. */
static void request(struct source_hold *hold)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];
	uint32_t count = 0;

	for (const struct snapshot *each = hold->snapshot; each; each = each->next_event) {
		size_t printed = 0;

		for (size_t i = 0; i < each->row_count && printed < hold->max_rows &&
				   count < SOURCE_REQUESTS_MAX; i++) {
			const struct source_request of = request_of(&each->rows[i]);

			if (each->rows[i].is_idle)
				continue;
			printed++;
			if (source_lines_can_be_requested(hold->lines, &of))
				requests[count++] = of;
		}
	}
	source_lines_request(hold->lines, requests, count);
}

/* Keeps what was requested for a file, unless the newer @snapshot has its own. */
static void replace(struct source_hold *hold, struct snapshot *snapshot)
{
	struct snapshot *old = hold->snapshot;

	if (old && !snapshot->folded) {
		snapshot->folded = old->folded;
		old->folded = NULL;
	}
	snapshot_destroy(old);
}

void source_hold_put(struct source_hold *hold, struct snapshot *snapshot, uint64_t now_ns)
{
	replace(hold, snapshot);
	hold->snapshot = snapshot;
	hold->until_ns = now_ns + (snapshot->listing ? LISTING_HOLD_NS : HOLD_NS);
	request(hold);
}

static const char *find_line(const struct source_hold *hold, const struct snapshot *snapshot,
			     const struct snapshot_row *row)
{
	const struct source_request of = request_of(row);

	return source_lines_find(hold->lines, &of, snapshot->keys & KEY_ADDRESS).line;
}

static void fill(const struct source_hold *hold, struct snapshot *snapshot)
{
	/* Not published yet, so still writable. */
	struct snapshot_row *rows = (struct snapshot_row *)snapshot->rows;
	size_t room = 0;
	char *out;

	for (size_t i = 0; i < snapshot->row_count; i++)
		room += SANITIZE_ROOM(strlen(find_line(hold, snapshot, &rows[i])));
	snapshot->source_text = out = malloc(room + 1);
	for (size_t i = 0; out && i < snapshot->row_count; i++) {
		const char *line = find_line(hold, snapshot, &rows[i]);
		const size_t needed = SANITIZE_ROOM(strlen(line));

		if (!line[0])
			continue;
		rows[i].source = out;
		out += sanitize_text(out, needed, line, strlen(line)) + 1;
	}
}

bool source_hold_must_wait(const struct source_hold *hold)
{
	return source_lines_are_pending(hold->lines) ||
	       (hold->snapshot->listing && listing_builder_is_pending(hold->listings));
}

struct snapshot *source_hold_release(struct source_hold *hold, uint64_t now_ns)
{
	struct snapshot *snapshot = hold->snapshot;

	if (!snapshot)
		return NULL;
	if (!source_lines_are_pending(hold->lines))
		request(hold);
	if (source_hold_must_wait(hold) && now_ns < hold->until_ns)
		return NULL;
	for (struct snapshot *each = snapshot; each; each = each->next_event) {
		fill(hold, each);
		if (each->listing)
			listing_builder_complete(hold->listings, each->listing);
	}
	hold->snapshot = NULL;
	return snapshot;
}

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

/* Requests the heaviest addresses that will be shown, a hundred at a time, until no heavy one is
 * left that can be known. True: some can; not those of a DSO that nothing has mapped any more. */
static bool request_keys(struct publisher *publisher)
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
	struct source_request requests[SOURCE_REQUESTS_MAX];
	struct group_fold fold;
	uint32_t count;

	group_fold_init(&fold, &sources, &query, 0);
	for (uint32_t s = first_slice(publisher); s < timeline->count; s++)
		group_fold_add(&fold, timeline->slices[s].entries, timeline->slices[s].count, 1.0);
	group_fold_add(&fold, timeline->open_slice.entries, timeline->open_slice.count, 1.0);
	group_fold_add(&fold, timeline->open.entries, timeline->open.count, 1.0);
	group_fold_sum(&fold);
	count = group_fold_requests(&fold, requests);
	group_fold_finish(&fold);
	if (count)
		source_lines_request(&publisher->source_lines, requests, count);
	return count && source_lines_are_pending(&publisher->source_lines);
}

bool line_wait_must(struct line_wait *wait, struct publisher *publisher, uint64_t now_ns)
{
	const struct analyzer_config *config = publisher->config;

	if (!config->wants_sources || !is_by_lines(&config->query))
		return false;
	if (!wait->until_ns)
		wait->until_ns = now_ns + HOLD_NS;
	if (now_ns < wait->until_ns &&
	    (source_lines_are_pending(&publisher->source_lines) || request_keys(publisher)))
		return true;
	wait->until_ns = 0;
	return false;
}
