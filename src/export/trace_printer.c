/* trace_printer.c - see export/print.h.
 *
 * Problem: a format or a record may crash the worker, and take the texts of all others with it.
 *
 * Idea: all records of a snapshot are one job. If it fails, those of each event are a job of their
 * own, and the event whose job fails alone is refused from then on.
 */
#include "export/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/sanitize.h"
#include "sandbox/trace_texts.h"

#define CLEAN_BYTES (4 * TRACE_TEXT_MAX)
#define NO_EVENT    UINT32_MAX

struct trace_printer {
	struct sandbox *sandbox;	/* borrowed */
	const struct event_desc **events;	/* owned; the events are borrowed */
	bool *is_refused;		/* owned; by event */
	uint32_t *number_of;		/* owned; by event: its number in the query, or NO_EVENT */
	uint32_t event_count;
	struct trace_query query;
	const char **texts;		/* owned, each one too */
	uint32_t text_count;
};

static void forget_texts(struct trace_printer *printer)
{
	for (uint32_t i = 0; i < printer->text_count; i++)
		free((char *)printer->texts[i]);
	free(printer->texts);
	printer->texts = NULL;
	printer->text_count = 0;
}

void trace_printer_destroy(struct trace_printer *printer)
{
	if (!printer)
		return;
	forget_texts(printer);
	trace_query_finish(&printer->query);
	free(printer->events);
	free(printer->is_refused);
	free(printer->number_of);
	free(printer);
}

int trace_printer_create(struct trace_printer **out, struct sandbox *sandbox,
			 const struct event_desc *const *events, uint32_t count)
{
	struct trace_printer *printer = calloc(1, sizeof(*printer));

	*out = NULL;
	if (!printer)
		return -ENOMEM;
	printer->sandbox = sandbox;
	printer->event_count = count;
	printer->events = calloc(count + 1, sizeof(*printer->events));
	printer->is_refused = calloc(count + 1, sizeof(*printer->is_refused));
	printer->number_of = calloc(count + 1, sizeof(*printer->number_of));
	if (!printer->events || !printer->is_refused || !printer->number_of) {
		trace_printer_destroy(printer);
		return -ENOMEM;
	}
	if (count)
		memcpy(printer->events, events, count * sizeof(*events));
	*out = printer;
	return 0;
}

static bool is_printable(const struct trace_printer *printer, const struct snapshot_event *event)
{
	return event->raw && event->number < printer->event_count &&
	       event->raw_bytes <= TRACE_RECORD_BYTES_MAX &&
	       printer->events[event->number]->raw_format && !printer->is_refused[event->number];
}

/* Whether the record of @event is in a job for @only; NO_EVENT: a job for all. */
static bool is_in_job(const struct trace_printer *printer, const struct snapshot_event *event,
		      uint32_t only)
{
	return is_printable(printer, event) && (only == NO_EVENT || event->number == only);
}

/* Numbers the events of the job, and counts its records. */
static struct trace_query_header number_events(struct trace_printer *printer,
					       const struct snapshot_events *events, uint32_t only)
{
	struct trace_query_header header = { .events = 0 };

	for (uint32_t i = 0; i < printer->event_count; i++)
		printer->number_of[i] = NO_EVENT;
	for (uint32_t i = 0; i < events->count; i++) {
		const struct snapshot_event *event = &events->list[i];

		if (!is_in_job(printer, event, only))
			continue;
		header.records++;
		if (printer->number_of[event->number] == NO_EVENT)
			printer->number_of[event->number] = header.events++;
	}
	return header;
}

static void add_events(struct trace_printer *printer, const struct snapshot_events *events,
		       uint32_t only)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < events->count; i++) {
		const struct snapshot_event *event = &events->list[i];
		const struct event_desc *desc;
		char group[sizeof(desc->name)];

		if (!is_in_job(printer, event, only) || printer->number_of[event->number] != next)
			continue;
		desc = printer->events[event->number];
		snprintf(group, sizeof(group), "%.*s", (int)strcspn(desc->name, ":"), desc->name);
		trace_query_add_event(&printer->query, group, desc->raw_format, desc->long_bytes);
		next++;
	}
}

static void add_records(struct trace_printer *printer, const struct snapshot_events *events,
			uint32_t only)
{
	for (uint32_t i = 0; i < events->count; i++) {
		const struct snapshot_event *event = &events->list[i];

		if (!is_in_job(printer, event, only))
			continue;
		trace_query_add_record(&printer->query, &(struct trace_query_record){
			.event = printer->number_of[event->number], .bytes = event->raw_bytes,
			.symbols = event->symbol_count, .cpu = event->cpu,
		});
		for (uint32_t s = 0; s < event->symbol_count; s++)
			trace_query_add_symbol(&printer->query, event->symbols[s].address,
					       event->symbols[s].start, event->symbols[s].name);
		trace_query_end_record(&printer->query, event->raw, event->raw_bytes);
	}
}

static void keep_texts(struct trace_printer *printer, const struct snapshot_events *events,
		       uint32_t only, const char *text)
{
	char clean[CLEAN_BYTES];

	for (uint32_t i = 0; i < events->count; i++) {
		if (!is_in_job(printer, &events->list[i], only))
			continue;
		if (*text == TRACE_PRINTED) {
			sanitize_text(clean, sizeof(clean), text + 1, strlen(text + 1));
			printer->texts[i] = strdup(clean);
		}
		text = trace_texts_next(text);
	}
}

/* Runs a job for the records of event @only; NO_EVENT: of all. */
static int run(struct trace_printer *printer, const struct snapshot_events *events, uint32_t only,
	       struct diag *why)
{
	const struct trace_query_header header = number_events(printer, events, only);
	struct sandbox_request request = { .kind = SANDBOX_TRACES, .input_count = 1 };
	struct sandbox_bytes reply;
	int err;

	if (!header.records)
		return 0;
	trace_query_begin(&printer->query, &header);
	add_events(printer, events, only);
	add_records(printer, events, only);
	if (printer->query.is_out_of_memory)
		return diag_set(why, -ENOMEM, "no memory");
	request.inputs[0] = sandbox_seal("flametop-traces", printer->query.bytes,
					 printer->query.used);
	if (request.inputs[0] < 0)
		return diag_set(why, request.inputs[0], "no memory file");
	err = sandbox_run(printer->sandbox, &request, &reply, why);
	close(request.inputs[0]);
	if (err)
		return err;
	err = trace_texts_check(reply.bytes, reply.count, header.records, why);
	if (!err)
		keep_texts(printer, events, only, reply.bytes);
	sandbox_bytes_finish(&reply);
	return err;
}

static void run_each(struct trace_printer *printer, const struct snapshot_events *events)
{
	struct diag why;

	for (uint32_t event = 0; event < printer->event_count; event++) {
		if (!run(printer, events, event, &why))
			continue;
		printer->is_refused[event] = true;
		log_note("fields of %s are printed without its format: %s",
			 printer->events[event]->name, why.text);
	}
}

const char *const *trace_printer_print(struct trace_printer *printer,
				       const struct snapshot_events *events)
{
	struct diag why;

	forget_texts(printer);
	printer->texts = calloc(events->count + 1, sizeof(*printer->texts));
	if (!printer->texts)
		return NULL;
	printer->text_count = events->count;
	if (run(printer, events, NO_EVENT, &why))
		run_each(printer, events);
	return printer->texts;
}
