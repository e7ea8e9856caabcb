/* event_draft.c - see event_draft.h.
 *
 * The block: head | events | fields | frames | text. While it is made, pointers are offsets: those
 * into the text as struct probe_draft has them, those into fields and frames as indices.
 */
#include "event_draft.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"
#include "fold/fold_filter.h"
#include "probe_draft.h"

#define TEXT_BYTES_MAX (4u * 1024 * 1024)	/* then the snapshot is full, also of few lines */

struct draft {
	struct ingest *ingest;
	const struct event_wish *wish;
	struct fold_filter filter;
	struct probe_draft text;	/* its text alone */
	struct snapshot_event *events;	/* owned, as the next */
	struct snapshot_field *fields;
	const char **frames;
	uint32_t event_count, field_count, field_capacity, frame_count, frame_capacity;
};

static uint32_t symbol_of(struct ingest *ingest, uint32_t frame)
{
	return symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
}

static void ask_names(struct ingest *ingest, const struct event_line *line, bool wants_stacks)
{
	const struct stack_trie *trie = &ingest->trie;
	const uint32_t stack = line->entry.stack;

	symbol_of(ingest, trie->stacks.frame[stack]);
	for (uint32_t node = trie->stacks.node[stack]; wants_stacks && node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node])
		symbol_of(ingest, trie->nodes.frame[node]);
}

void event_draft_ask_names(struct ingest *ingest, const struct event_wish *wish)
{
	for (uint32_t i = 0; i < ingest->lines.count; i++)
		if (ingest->lines.heap[i]->time_ns < wish->limit_ns)
			ask_names(ingest, ingest->lines.heap[i], wish->wants_stacks);
}

/* Room for one more. NULL: out of memory, noted. */
static void *grow(struct draft *draft, void *list, uint32_t count, uint32_t *capacity, size_t bytes)
{
	const uint32_t bigger = *capacity ? *capacity * 2 : 256;
	void *grown;

	if (count < *capacity)
		return list;
	grown = realloc(list, bigger * bytes);
	if (!grown) {
		draft->text.is_out_of_memory = true;
		return NULL;
	}
	*capacity = bigger;
	return grown;
}

static const char *put_text(struct draft *draft, const char *text)
{
	return probe_draft_text(&draft->text, text, strlen(text));
}

static void put_frame(struct draft *draft, uint32_t frame)
{
	void *grown = grow(draft, draft->frames, draft->frame_count, &draft->frame_capacity,
			   sizeof(*draft->frames));
	struct ingest *ingest = draft->ingest;
	const uint32_t id = symbol_of(ingest, frame);
	const char *name = "";
	char address[24];

	if (!grown || id == ID_SET_NONE) {
		draft->text.is_out_of_memory = true;
		return;
	}
	draft->frames = grown;
	name = strpool_get(ingest->strings,
			   symbol_names_shown(&ingest->names, &ingest->names.symbols[id]));
	if (!*name) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 ingest->trie.frames.address[frame]);
		name = address;
	}
	draft->frames[draft->frame_count++] = put_text(draft, name);
}

static void put_stack(struct draft *draft, uint32_t stack, struct snapshot_event *out)
{
	const struct stack_trie *trie = &draft->ingest->trie;
	const uint32_t first = draft->frame_count;

	out->frames = (const char *const *)(uintptr_t)first;
	put_frame(draft, trie->stacks.frame[stack]);
	for (uint32_t node = trie->stacks.node[stack]; node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node])
		put_frame(draft, trie->nodes.frame[node]);
	out->frame_count = draft->frame_count - first;
}

static const struct probe_row *row_of(const struct ingest *ingest, const struct event_line *line)
{
	return line->is_hit ? probe_hits_of_event(ingest->hits, line->entry.event)
			    : probe_hits_of_recorded(ingest->hits, line->entry.event);
}

static bool is_number(const char *text)
{
	const char *digits = text + (*text == '-');

	return *digits && strspn(digits, "0123456789") == strlen(digits);
}

static void put_field(struct draft *draft, const struct probe_row *row, uint32_t column,
		      const struct probe_value *value)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	void *grown = grow(draft, draft->fields, draft->field_count, &draft->field_capacity,
			   sizeof(*draft->fields));
	struct snapshot_field *field;
	bool is_named = false;

	if (!grown)
		return;
	draft->fields = grown;
	field = &draft->fields[draft->field_count++];
	*field = (struct snapshot_field){
		.name = put_text(draft, reading->columns[column].name),
		.is_known = value->is_known,
	};
	field->text = value->is_known ? probe_draft_value(&draft->text, draft->ingest, row, column,
							  value, &is_named)
				      : put_text(draft, "");
	if (!draft->text.is_out_of_memory && value->is_known && !value->is_text && !is_named)
		field->is_number = is_number(draft->text.text + (uintptr_t)field->text);
}

static void put_fields(struct draft *draft, const struct event_line *line,
		       struct snapshot_event *out)
{
	const struct probe_row *row = row_of(draft->ingest, line);
	const struct probe_reading *reading = row ? row->generations[row->newest].reading : NULL;

	out->fields = (const struct snapshot_field *)(uintptr_t)draft->field_count;
	for (uint32_t i = 0; reading && i < line->value_count && i < reading->column_count; i++)
		put_field(draft, row, i, &line->values[i]);
	out->field_count = draft->field_count - (uint32_t)(uintptr_t)out->fields;
}

static const char *name_of_event(const struct draft *draft, const struct event_line *line)
{
	const struct ingest_config *config = &draft->ingest->config;
	const struct probe_row *row = line->is_hit ? row_of(draft->ingest, line) : NULL;

	if (row)
		return row->name;
	return !line->is_hit && line->entry.event < config->event_count
	       ? config->events[line->entry.event]->name : "";
}

static void put_line(struct draft *draft, const struct event_line *line, uint32_t symbol)
{
	const struct ingest *ingest = draft->ingest;
	const struct strpool *strings = ingest->strings;
	const struct task *task = &ingest->tasks.tasks[line->entry.task];
	const struct symbol *leaf = &ingest->names.symbols[symbol];
	struct snapshot_event *out = &draft->events[draft->event_count++];

	*out = (struct snapshot_event){
		.time_ns = line->time_ns, .cpu = line->cpu, .pid = task->pid, .tid = task->tid,
		.latency_ns = line->latency_ns, .has_period = !line->is_hit,
		.period = line->is_hit ? 0 : line->entry.weight,
		.comm = put_text(draft, strpool_get(strings, task->comm)),
		.event = put_text(draft, name_of_event(draft, line)),
		.symbol = put_text(draft, strpool_get(strings,
						      symbol_names_shown(&ingest->names, leaf))),
		.dso = put_text(draft, strpool_get(strings, leaf->object_name)),
	};
	put_fields(draft, line, out);
	if (draft->wish->wants_stacks)
		put_stack(draft, line->entry.stack, out);
}

static bool is_wanted(struct draft *draft, const struct event_line *line, uint32_t symbol)
{
	const struct ingest *ingest = draft->ingest;
	const struct slice_entry *entry = &line->entry;

	if (!draft->wish->shows_idle && !line->is_hit &&
	    fold_is_idle(&ingest->names, &ingest->tasks.tasks[entry->task], symbol))
		return false;
	return !draft->filter.all ||
	       fold_filter_matches(&draft->filter, fold_filter_of_sample(&draft->filter, entry),
				   symbol);
}

static void take_lines(struct draft *draft)
{
	struct event_lines *lines = &draft->ingest->lines;
	const struct event_line *line;

	while (draft->event_count < EVENT_LINES_BATCH && draft->text.text_used < TEXT_BYTES_MAX &&
	       !draft->text.is_out_of_memory &&
	       (line = event_lines_peek(lines, draft->wish->limit_ns))) {
		const uint32_t symbol =
			symbol_of(draft->ingest,
				  draft->ingest->trie.stacks.frame[line->entry.stack]);

		if (symbol == ID_SET_NONE)
			draft->text.is_out_of_memory = true;
		else if (is_wanted(draft, line, symbol))
			put_line(draft, line, symbol);
		event_lines_pop(lines);
	}
}

static void join(const struct draft *draft, struct snapshot_event *events,
		 struct snapshot_field *fields, const char **frames, const char *text)
{
	for (uint32_t i = 0; i < draft->event_count; i++) {
		struct snapshot_event *event = &events[i];

		*event = draft->events[i];
		event->comm = text + (uintptr_t)event->comm;
		event->event = text + (uintptr_t)event->event;
		event->symbol = text + (uintptr_t)event->symbol;
		event->dso = text + (uintptr_t)event->dso;
		event->fields = fields + (uintptr_t)event->fields;
		event->frames = frames + (uintptr_t)event->frames;
	}
	for (uint32_t i = 0; i < draft->field_count; i++) {
		fields[i] = draft->fields[i];
		fields[i].name = text + (uintptr_t)fields[i].name;
		fields[i].text = text + (uintptr_t)fields[i].text;
	}
	for (uint32_t i = 0; i < draft->frame_count; i++)
		frames[i] = text + (uintptr_t)draft->frames[i];
}

/* NULL: out of memory. */
static struct snapshot_events *build(const struct draft *draft)
{
	const size_t events_bytes = draft->event_count * sizeof(*draft->events);
	const size_t fields_bytes = draft->field_count * sizeof(*draft->fields);
	const size_t frames_bytes = draft->frame_count * sizeof(*draft->frames);
	struct snapshot_events *out = malloc(sizeof(*out) + events_bytes + fields_bytes +
					     frames_bytes + draft->text.text_used);
	char *events, *fields, *frames, *text;

	if (!out)
		return NULL;
	events = (char *)(out + 1);
	fields = events + events_bytes;
	frames = fields + fields_bytes;
	text = frames + frames_bytes;
	memcpy(text, draft->text.text, draft->text.text_used);
	join(draft, (struct snapshot_event *)(void *)events,
	     (struct snapshot_field *)(void *)fields, (const char **)(void *)frames, text);
	*out = (struct snapshot_events){
		.count = draft->event_count, .list = (const void *)events,
		.dropped = draft->ingest->lines.dropped,
	};
	return out;
}

int event_draft_make(struct snapshot_events **out, struct ingest *ingest,
		     const struct event_wish *wish)
{
	struct draft draft = { .ingest = ingest, .wish = wish };
	int err = fold_filter_init(&draft.filter, wish->filter, &ingest->names, &ingest->tasks);

	*out = NULL;
	draft.events = calloc(EVENT_LINES_BATCH, sizeof(*draft.events));
	if (!err && !draft.events)
		err = -ENOMEM;
	if (!err) {
		put_text(&draft, "");
		take_lines(&draft);
		*out = draft.text.is_out_of_memory ? NULL : build(&draft);
		err = *out ? 0 : -ENOMEM;
	}
	fold_filter_finish(&draft.filter);
	probe_draft_finish(&draft.text);
	free(draft.events);
	free(draft.fields);
	free(draft.frames);
	return err;
}
