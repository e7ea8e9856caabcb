/* second_recording.c - see second_recording.h. */
#include "second_recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "budget.h"
#include "event_pairs.h"

/* Appends a line if @count is not 0. @format takes @name and @count. */
__attribute__((format(printf, 5, 0)))
static void add_line(char *notice, size_t room, const char *name, uint64_t count,
		     const char *format)
{
	size_t used = strlen(notice);

	if (!count || used + 1 >= room)
		return;
	if (used)
		notice[used++] = '\n';
	snprintf(notice + used, room - used, format, name, count);
}

/* Adds the losses in the baseline, as its counters are reset for the second recording. The screen's
 * header has no room for them. */
static void add_losses(const struct ingest *ingest, const char *name, char *notice, size_t room)
{
	const struct ingest_counters *counters = &ingest->counters;

	add_line(notice, room, name, counters->lost_kernel + counters->dropped_no_memory,
		 "%s lacks %" PRIu64 " samples that were lost when it was recorded");
	add_line(notice, room, name, counters->malformed + counters->malformed_rings,
		 "%s lacks %" PRIu64 " records that could not be read");
	add_line(notice, room, name, ingest_late_records(ingest),
		 "%s has %" PRIu64 " records that came too late for their place in time");
	add_line(notice, room, name, ingest->timeline.evicted_samples,
		 "%s lacks its first %" PRIu64 " samples, for want of memory: a larger "
		 "--history-memory has room for them");
}

static void log_lines(const char *lines)
{
	while (*lines) {
		const size_t length = strcspn(lines, "\n");

		log_note("%.*s", (int)length, lines);
		lines += length + (lines[length] == '\n');
	}
}

static int take_first(const struct second_recording *second, struct publisher *publisher,
		      struct diag *why)
{
	struct ingest *ingest = publisher->ingest;
	const struct event_list from = { ingest->config.events, ingest->config.event_count };
	const struct event_list to = { second->ingest.events, second->ingest.event_count };
	struct baseline *baseline = &ingest->baseline;
	uint16_t number_of[TIMELINE_NUMBERS];
	struct probe_hits *hits;

	if (publisher_mark_all(publisher, second->first_name))
		return diag_set(why, -ENOMEM, "no memory for what %s has counted",
				second->first_name);
	event_pairs_find(from, to, number_of);
	if (probe_hits_create_recorded(&hits, to.events, to.count))
		return diag_set(why, -ENOMEM, "no memory for the probes of %s", second->name);
	event_pairs_find_probes(ingest->hits, hits, number_of);
	probe_hits_destroy(hits);
	event_pairs_describe(from, to, number_of, second->first_name, second->name,
			     baseline->notice, sizeof(baseline->notice));
	add_losses(ingest, second->first_name, baseline->notice, sizeof(baseline->notice));
	log_lines(baseline->notice);
	baseline_number_events(baseline, number_of, to.count);
	return 0;
}

int second_recording_begin(const struct second_recording *second, struct analyzer_config *config,
			   struct publisher *publisher, struct diag *why)
{
	struct ingest *ingest = publisher->ingest;
	int err = take_first(second, publisher, why);

	if (err)
		return err;
	if (ingest_next_recording(ingest, &second->ingest))
		return diag_set(why, -ENOMEM, "no memory for %s", second->name);
	config->memory_bytes += budget_bytes(ingest);
	config->ingest = second->ingest;
	config->host = second->host;
	config->target = second->target;
	config->cpus = second->cpus;
	config->sockets = second->sockets;
	config->socket_count = second->socket_count;
	config->pmus = second->pmus;
	config->queue_fd = second->queue_fd;
	config->source = second->source;
	publisher_next_recording(publisher);
	return second->start(second->source, config->queue, why);
}
