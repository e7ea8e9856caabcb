/* publisher_events.c - snapshots of hits and samples one by one: publisher_make_events() of
 * analyzer/publisher.h.
 *
 * A line is printed once: names that come later can't be added. So the oldest lines wait a little,
 * for symtabs and then for demangled names, and the others wait behind them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/publisher.h"
#include "base/clock.h"
#include "base/safe_print.h"
#include "event_draft.h"
#include "snapshot_losses.h"

#define TABLES_NS CLOCK_NS_PER_S	/* large symbol tables take about half of it */
#define NAMES_NS  (200 * CLOCK_NS_PER_MS)	/* a worker takes 10 ms, some more under load */

/* Until tables are read lines would have addresses for names; a recording has the time to wait. */
static bool wait_for_tables(const struct publisher *publisher, uint64_t *limit_ns)
{
	const struct ingest *ingest = publisher->ingest;

	if (!ingest->opening)
		return false;
	if (ingest->config.is_replay)
		return true;
	if (*limit_ns > ingest->watermark_ns - TABLES_NS)
		*limit_ns = ingest->watermark_ns - TABLES_NS;
	return false;
}

/* Requests the names that are about to be shown. True: they may be there in a moment. */
static bool wait_for_names(struct publisher *publisher, const struct event_wish *wish)
{
	const uint64_t now_ns = clock_now_ns();

	event_draft_ask_names(publisher->ingest, wish);
	if (!symbol_names_are_pending(&publisher->ingest->names)) {
		publisher->names_asked_ns = 0;
		return false;
	}
	if (!publisher->names_asked_ns)
		publisher->names_asked_ns = now_ns;
	if (now_ns - publisher->names_asked_ns < NAMES_NS)
		return true;
	publisher->names_asked_ns = 0;
	return false;
}

static void put_stopped(FILE *out, const struct probe_row *row)
{
	char name[PROBE_FUNCTION_BYTES], state[32], reason[sizeof(row->status.reason)];

	if (ftell(out))
		safe_put(out, "; ");
	safe_print(out, "%s was stopped (%s): %s", sanitize_lazily(name, sizeof(name), row->name),
		   sanitize_lazily(state, sizeof(state), probe_state_name(row->status.state)),
		   sanitize_lazily(reason, sizeof(reason), row->status.reason));
}

/* Lists probes that ended before the run did. NULL: none, or no memory. The caller must free()
 * it. */
static char *name_stopped_probes(const struct ingest *ingest)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	for (uint32_t slot = 0; out && ingest->hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &ingest->hits->rows[slot];
		const struct probe_status *status = &row->status;

		if (row->id && (status->state == PROBE_CAPPED || status->state == PROBE_EXPIRED ||
				status->state == PROBE_FAILED || status->state == PROBE_REFUSED))
			put_stopped(out, row);
	}
	if (out && fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

struct snapshot *publisher_make_events(struct publisher *publisher, bool is_end, bool is_last,
				       const struct diag *end_why)
{
	const struct analyzer_config *config = publisher->config;
	struct ingest *ingest = publisher->ingest;
	struct event_wish wish = {
		.filter = &config->query.filter, .wants_stacks = config->wants_event_stacks,
		.shows_idle = config->shows_idle_events,
		.limit_ns = is_end ? UINT64_MAX : ingest_lines_limit_ns(ingest),
	};
	struct snapshot *snapshot;

	if (!is_end && (wait_for_tables(publisher, &wish.limit_ns) ||
			!event_lines_peek(&ingest->lines, wish.limit_ns) ||
			wait_for_names(publisher, &wish)))
		return NULL;
	snapshot = snapshot_create_failure();
	if (!snapshot)
		return NULL;
	snapshot->end_err = is_last ? end_why->err : 0;
	snapshot->is_last = is_last;
	snapshot->source_text = !is_last ? NULL : end_why->err ? strdup(end_why->text)
							: name_stopped_probes(ingest);
	snapshot->end_reason = snapshot->source_text ? snapshot->source_text : "";
	snapshot->seq = ++publisher->seq;
	snapshot_losses_put(ingest, &publisher->losses, snapshot);
	if (!event_draft_make(&snapshot->events, ingest, &wish))
		return snapshot;
	snapshot_destroy(snapshot);
	snapshot = publisher->failure;
	publisher->failure = NULL;
	return snapshot;
}

bool publisher_is_full_of_events(const struct publisher *publisher)
{
	const struct ingest *ingest = publisher->ingest;

	return ingest->config.is_replay && ingest->lines.count >= EVENT_LINES_BATCH &&
	       event_lines_peek(&ingest->lines, ingest_lines_limit_ns(ingest));
}
