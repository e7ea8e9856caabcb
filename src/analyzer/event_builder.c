/* event_builder.c - see event_builder.h.
 *
 * The block: head | events | branches | fields | places | symbols | raw | frames | text. While it
 * is made, pointers are offsets: those into the text as struct probe_builder has them, the others
 * as indices.
 *
 * A line is printed once: names that come later can't be added. So the oldest lines wait a little,
 * for symtabs, then for demangled names and inlined functions, and the others wait after them.
 */
#include "event_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/safe_print.h"
#include "capture/raw_fields.h"
#include "fold/fold.h"
#include "fold/fold_filter.h"
#include "probe_builder.h"
#include "snapshot_head.h"

#define TABLES_NS CLOCK_NS_PER_S	/* large symbol tables take about half of it */
#define NAMES_NS  (200 * CLOCK_NS_PER_MS)	/* a worker takes 10 ms, some more under load */
/* Debug information of a large program takes seconds; a recording has the time. */
#define INLINED_NS	  CLOCK_NS_PER_S
#define INLINED_REPLAY_NS (30 * CLOCK_NS_PER_S)
#define SOURCE_FILE_BYTES (4 * 255)	/* NAME_MAX, each byte escaped as "\xff" */
#define TEXT_BYTES_MAX (4u * 1024 * 1024)	/* then the snapshot is full, also of few lines */

/* The lines to publish. */
struct event_request {
	const struct filter *filter;	/* applied to command, CPU and leaf */
	bool shows_idle, wants_stacks, wants_places, wants_source;
	uint64_t limit_ns;	/* only lines older than this */
};

struct builder {
	struct publisher *publisher;
	struct ingest *ingest;
	const struct event_request *request;
	struct fold_filter filter;
	struct probe_builder text;	/* its text alone */
	struct snapshot_event *events;	/* owned, as the next */
	struct snapshot_field *fields;
	const char **frames;
	struct snapshot_place *places;	/* as many as `frames`, if requested */
	struct snapshot_symbol *symbols;
	uint64_t *raw;
	struct perf_branch_entry *branches;
	uint32_t event_count, field_count, field_capacity, frame_count, frame_capacity;
	uint32_t branch_count, branch_capacity, place_count, place_capacity;
	uint32_t symbol_count, symbol_capacity;
	uint32_t raw_count, raw_capacity;	/* words */
};

static uint32_t symbol_of(struct ingest *ingest, uint32_t frame)
{
	return symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
}

static bool is_of_mode(const struct ingest *ingest, uint32_t frame, enum cpu_mode mode)
{
	const uint32_t dso = ingest->trie.frames.dso[frame];

	return dso < ingest->dsos.count && ingest->dsos.dsos[dso].mode == mode;
}

/* Whether @frame was interrupted by @callee, the kernel's: then its address is not after a call. */
static bool is_interrupted(const struct ingest *ingest, uint32_t frame, uint32_t callee)
{
	return is_of_mode(ingest, frame, MODE_USER) && is_of_mode(ingest, callee, MODE_KERNEL);
}

/* Fields of the source's tracepoints that hold addresses to be printed as functions. */
struct trace_fields {
	uint32_t count;		/* events of the source */
	struct {
		bool is_parsed;		/* done with the event's first record */
		struct raw_field *list;	/* owned */
		size_t count;
	} of[];
};

void event_builder_finish(struct publisher *publisher)
{
	struct trace_fields *fields = publisher->trace_fields;

	for (uint32_t i = 0; fields && i < fields->count; i++)
		free(fields->of[i].list);
	free(fields);
	publisher->trace_fields = NULL;
}

static void parse_fields(struct trace_fields *fields, uint32_t event,
			 const struct event_desc *desc)
{
	struct raw_fields all = { .count = 0 };
	size_t kept = 0;

	fields->of[event].is_parsed = true;
	if (!desc->raw_format ||
	    raw_fields_parse_foreign(&all, desc->raw_format, strlen(desc->raw_format),
				     desc->long_bytes, NULL))
		return;
	for (size_t i = 0; i < all.count; i++)
		if (raw_fields_print(&all, &all.list[i]) == PRINT_SYMBOL)
			all.list[kept++] = all.list[i];
	fields->of[event].list = all.list;
	fields->of[event].count = kept;
	all.list = NULL;
	raw_fields_finish(&all);
}

/* Returns the fields of the event of @line that hold addresses, *@count of them. */
static const struct raw_field *fields_of(struct publisher *publisher,
					 const struct event_line *line, size_t *count)
{
	const struct ingest_config *config = &publisher->ingest->config;
	struct trace_fields *fields = publisher->trace_fields;
	const uint32_t event = line->entry.event;

	*count = 0;
	if (line->is_hit || !line->raw || event >= config->event_count)
		return NULL;
	if (fields && fields->count != config->event_count) {
		event_builder_finish(publisher);
		fields = NULL;
	}
	if (!fields) {
		fields = calloc(1, sizeof(*fields) + config->event_count * sizeof(fields->of[0]));
		if (!fields)
			return NULL;
		fields->count = config->event_count;
		publisher->trace_fields = fields;
	}
	if (!fields->of[event].is_parsed)
		parse_fields(fields, event, config->events[event]);
	*count = fields->of[event].count;
	return fields->of[event].list;
}

/* Returns the symbol of the kernel's address in @field of @line; ID_SET_NONE: it holds none. */
static uint32_t symbol_in(struct ingest *ingest, const struct raw_field *field,
			  const struct event_line *line, uint64_t *address)
{
	struct raw_value value;
	uint32_t frame;

	if (!raw_field_read(field, line->raw, line->raw_bytes, &value) || value.is_text ||
	    value.number < UINT64_C(1) << 63)
		return ID_SET_NONE;
	*address = value.number;
	frame = ingest_frame(ingest, NULL, MODE_KERNEL, value.number);
	return frame == ID_SET_NONE ? ID_SET_NONE : symbol_of(ingest, frame);
}

static void ask_names(struct publisher *publisher, const struct event_line *line,
		      bool wants_stacks)
{
	struct ingest *ingest = publisher->ingest;
	const struct stack_trie *trie = &ingest->trie;
	const uint32_t stack = line->entry.stack;
	const struct raw_field *fields;
	uint64_t address;
	size_t count;

	fields = fields_of(publisher, line, &count);
	for (size_t i = 0; i < count; i++)
		symbol_in(ingest, &fields[i], line, &address);
	symbol_of(ingest, trie->stacks.frame[stack]);
	for (uint32_t node = trie->stacks.node[stack]; wants_stacks && node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node])
		symbol_of(ingest, trie->nodes.frame[node]);
}

/* Looks the names for the selected lines up, so that missing ones are requested. */
static void ask_all_names(struct publisher *publisher, const struct event_request *request)
{
	const struct ingest *ingest = publisher->ingest;

	for (uint32_t i = 0; i < ingest->lines.count; i++)
		if (ingest->lines.heap[i]->time_ns < request->limit_ns)
			ask_names(publisher, ingest->lines.heap[i], request->wants_stacks);
}

/* Room for one more. NULL: out of memory, noted. */
static void *grow(struct builder *builder, void *list, uint32_t count, uint32_t *capacity,
		  size_t bytes)
{
	const uint32_t bigger = *capacity ? *capacity * 2 : 256;
	void *grown;

	if (count < *capacity)
		return list;
	grown = realloc(list, bigger * bytes);
	if (!grown) {
		builder->text.is_out_of_memory = true;
		return NULL;
	}
	*capacity = bigger;
	return grown;
}

static const char *put_text(struct builder *builder, const char *text)
{
	return probe_builder_text(&builder->text, text, strlen(text));
}

/* Puts the line of function @function of @chain, innermost first: "file.c:12". */
static const char *put_source(struct builder *builder, const struct inline_chain *chain,
			      uint32_t function)
{
	const struct inline_chains *chains = &builder->publisher->source_lines.inlined;
	const struct inline_place *place;
	const char *path, *slash;
	char text[SOURCE_FILE_BYTES + sizeof(":4294967295")];

	if (!builder->request->wants_source || !chain || function >= chain->place_count)
		return NULL;
	place = &chains->places[chain->first_place + function];
	path = strpool_get(builder->ingest->strings, place->file);
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	if (!*path || strlen(path) > SOURCE_FILE_BYTES)
		return NULL;
	snprintf(text, sizeof(text), place->line ? "%s:%" PRIu32 : "%s:?", path, place->line);
	return put_text(builder, text);
}

/* @function: which one of @chain is at the place; @chain may be NULL. */
static void put_place(struct builder *builder, uint32_t frame, const struct symbol *symbol,
		      const struct inline_chain *chain, uint32_t function, bool is_inlined)
{
	const struct ingest *ingest = builder->ingest;
	const uint64_t address = ingest->trie.frames.address[frame];
	/* A program of BPF is one symbol that begins where it was loaded. */
	const bool has_start = symbol->mode != MODE_KERNEL || symbol->address;
	void *grown = grow(builder, builder->places, builder->place_count, &builder->place_capacity,
			   sizeof(*builder->places));

	if (!grown)
		return;
	builder->places = grown;
	builder->places[builder->place_count++] = (struct snapshot_place){
		.address = address,
		.offset = symbol->state == SYMBOL_NAMED && address >= symbol->address && has_start
			  ? address - symbol->address : UINT64_MAX,
		.is_named = symbol->state == SYMBOL_NAMED,
		.dso = put_text(builder, strpool_get(ingest->strings, symbol->dso_path)),
		.is_inlined = is_inlined,
		.source = put_source(builder, chain, function),
	};
}

/* Puts the functions of @chain, innermost first, that were inlined at @frame. */
static void put_inlined(struct builder *builder, uint32_t frame, const struct inline_chain *chain)
{
	const struct inline_chains *chains = &builder->publisher->source_lines.inlined;
	struct ingest *ingest = builder->ingest;
	const struct symbol *symbol = symbol_names_cached(&ingest->names, &ingest->trie, frame);

	for (uint32_t i = 0; symbol && i < chain->count; i++) {
		void *grown = grow(builder, builder->frames, builder->frame_count,
				   &builder->frame_capacity, sizeof(*builder->frames));

		if (!grown)
			return;
		builder->frames = grown;
		builder->frames[builder->frame_count++] =
			put_text(builder, strpool_get(ingest->strings,
						      chains->functions[chain->first + i]));
		put_place(builder, frame, symbol, chain, i, true);
	}
}

static void put_frame(struct builder *builder, uint32_t frame, const struct inline_chain *chain,
		      uint32_t function)
{
	void *grown = grow(builder, builder->frames, builder->frame_count, &builder->frame_capacity,
			   sizeof(*builder->frames));
	struct ingest *ingest = builder->ingest;
	const uint32_t id = symbol_of(ingest, frame);
	const char *name = "";
	char address[24];

	if (grown)
		builder->frames = grown;
	if (!grown || id == ID_SET_NONE) {
		builder->text.is_out_of_memory = true;
		return;
	}
	name = strpool_get(ingest->strings,
			   symbol_names_shown(&ingest->names, &ingest->names.symbols[id]));
	if (!*name) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 ingest->trie.frames.address[frame]);
		name = address;
	}
	builder->frames[builder->frame_count++] = put_text(builder, name);
	if (builder->request->wants_places)
		put_place(builder, frame, &ingest->names.symbols[id], chain, function, false);
}

/* Puts the function of @frame, and before it those that were inlined there, as far as they are
 * known and @has_chain: a sample without callers has one frame, with the innermost line. */
static void put_code(struct builder *builder, uint32_t frame, bool is_leaf, bool has_chain)
{
	const struct inline_chain *chain = NULL;
	struct ingest *ingest = builder->ingest;

	if (builder->request->wants_places) {
		const struct source_request of =
			source_lines_of_frame(&ingest->names, &ingest->trie, frame, is_leaf);

		chain = inline_chains_find(&builder->publisher->source_lines.inlined, of.dso,
					   of.address);
	}
	if (chain && has_chain)
		put_inlined(builder, frame, chain);
	put_frame(builder, frame, chain, chain && has_chain ? chain->count : 0);
}

static void put_stack(struct builder *builder, uint32_t stack, struct snapshot_event *out)
{
	const struct stack_trie *trie = &builder->ingest->trie;
	const uint32_t first = builder->frame_count;
	uint32_t frame = trie->stacks.frame[stack], callee;

	out->frames = (const char *const *)(uintptr_t)first;
	out->places = (const struct snapshot_place *)(uintptr_t)first;
	put_code(builder, frame, true, out->has_chain);
	for (uint32_t node = trie->stacks.node[stack]; node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node]) {
		callee = frame;
		frame = trie->nodes.frame[node];
		put_code(builder, frame, is_interrupted(builder->ingest, frame, callee), true);
	}
	out->frame_count = builder->frame_count - first;
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

static void put_field(struct builder *builder, const struct probe_row *row, uint32_t column,
		      const struct probe_value *value)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	void *grown = grow(builder, builder->fields, builder->field_count, &builder->field_capacity,
			   sizeof(*builder->fields));
	struct snapshot_field *field;
	char name[PROBE_SPEC_BYTES];
	bool is_named = false;

	if (!grown)
		return;
	probe_value_name_write(row->spec, reading->columns[column].name, name, sizeof(name));
	builder->fields = grown;
	field = &builder->fields[builder->field_count++];
	*field = (struct snapshot_field){
		.name = put_text(builder, name),
		.is_known = value->is_known, .is_ns = reading->columns[column].stage != 0,
	};
	field->text = value->is_known ? probe_builder_value(&builder->text, builder->ingest, row,
							    column, value, &is_named)
				      : put_text(builder, reading->columns[column].is_copied
						       ? SYSCALL_TEXT_ABSENT : "");
	if (!builder->text.is_out_of_memory && value->is_known && !value->is_text && !is_named)
		field->is_number = is_number(builder->text.text + (uintptr_t)field->text);
}

static void put_fields(struct builder *builder, const struct event_line *line,
		       struct snapshot_event *out)
{
	const struct probe_row *row = row_of(builder->ingest, line);
	const struct probe_reading *reading = row ? row->generations[row->newest].reading : NULL;

	out->format = put_text(builder, row && row->spec ? row->spec->format : "");
	out->fields = (const struct snapshot_field *)(uintptr_t)builder->field_count;
	for (uint32_t i = 0; reading && i < line->value_count && i < reading->column_count; i++)
		put_field(builder, row, i, &line->values[i]);
	out->field_count = builder->field_count - (uint32_t)(uintptr_t)out->fields;
}

static void put_branches(struct builder *builder, const struct event_line *line,
			 struct snapshot_event *out)
{
	out->branches = (const struct perf_branch_entry *)(uintptr_t)builder->branch_count;
	for (uint32_t i = 0; i < line->branch_count; i++) {
		void *grown = grow(builder, builder->branches, builder->branch_count,
				   &builder->branch_capacity, sizeof(*builder->branches));

		if (!grown)
			return;
		builder->branches = grown;
		builder->branches[builder->branch_count++] = line->branches[i];
	}
	out->branch_count = line->branch_count;
}

static void put_raw(struct builder *builder, const struct event_line *line,
		    struct snapshot_event *out)
{
	const uint32_t words = (uint32_t)((line->raw_bytes + sizeof(uint64_t) - 1) /
					  sizeof(uint64_t));

	out->raw = (const void *)(uintptr_t)builder->raw_count;
	for (uint32_t i = 0; i < words; i++) {
		const size_t left = line->raw_bytes - i * sizeof(uint64_t);
		void *grown = grow(builder, builder->raw, builder->raw_count,
				   &builder->raw_capacity, sizeof(*builder->raw));

		if (!grown)
			return;
		builder->raw = grown;
		builder->raw[builder->raw_count] = 0;
		memcpy(&builder->raw[builder->raw_count++],
		       (const unsigned char *)line->raw + i * sizeof(uint64_t),
		       left < sizeof(uint64_t) ? left : sizeof(uint64_t));
	}
	out->raw_bytes = line->raw_bytes;
}

static void put_symbols(struct builder *builder, const struct event_line *line,
			struct snapshot_event *out)
{
	struct ingest *ingest = builder->ingest;
	const struct raw_field *fields;
	uint64_t address = 0;
	size_t count;

	fields = fields_of(builder->publisher, line, &count);
	out->symbols = (const void *)(uintptr_t)builder->symbol_count;
	for (size_t i = 0; i < count; i++) {
		const uint32_t id = symbol_in(ingest, &fields[i], line, &address);
		const struct symbol *symbol = id == ID_SET_NONE ? NULL : &ingest->names.symbols[id];
		void *grown;

		if (!symbol || symbol->state != SYMBOL_NAMED)
			continue;
		grown = grow(builder, builder->symbols, builder->symbol_count,
			     &builder->symbol_capacity, sizeof(*builder->symbols));
		if (!grown)
			return;
		builder->symbols = grown;
		builder->symbols[builder->symbol_count++] = (struct snapshot_symbol){
			.address = address, .start = symbol->address,
			.name = put_text(builder, strpool_get(ingest->strings, symbol->name)),
		};
		out->symbol_count++;
	}
}

/* Whether the event of @line samples callers. */
static bool has_chain(const struct builder *builder, const struct event_line *line)
{
	const struct ingest_config *config = &builder->ingest->config;
	const struct probe_row *row = line->is_hit ? row_of(builder->ingest, line) : NULL;

	if (line->is_hit)
		return row && row->with_stacks;
	return line->entry.event < config->event_count &&
	       config->events[line->entry.event]->format.sample_type &
			(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
}

static bool has_addr(const struct builder *builder, const struct event_line *line)
{
	const struct ingest_config *config = &builder->ingest->config;

	return !line->is_hit && line->entry.event < config->event_count &&
	       config->events[line->entry.event]->format.sample_type & PERF_SAMPLE_ADDR;
}

static const char *name_of_event(const struct builder *builder, const struct event_line *line)
{
	const struct ingest_config *config = &builder->ingest->config;
	const struct probe_row *row = line->is_hit ? row_of(builder->ingest, line) : NULL;

	if (row)
		return row->name;
	return !line->is_hit && line->entry.event < config->event_count
	       ? config->events[line->entry.event]->name : "";
}

static void put_line(struct builder *builder, const struct event_line *line, uint32_t symbol)
{
	const struct ingest *ingest = builder->ingest;
	const struct strpool *strings = ingest->strings;
	const struct task *task = &ingest->tasks.tasks[line->entry.task];
	const struct symbol *leaf = &ingest->names.symbols[symbol];
	struct snapshot_event *out = &builder->events[builder->event_count++];

	*out = (struct snapshot_event){
		.time_ns = line->time_ns, .cpu = line->cpu, .pid = task->pid, .tid = task->tid,
		.parent_pid = task_table_parent(&ingest->tasks, task->pid, line->time_ns),
		.latency_ns = line->latency_ns, .has_period = !line->is_hit,
		.period = line->is_hit ? 0 : line->entry.weight, .ip = line->ip,
		.addr = line->addr, .has_addr = has_addr(builder, line),
		.number = line->is_hit ? UINT32_MAX : line->entry.event,
		.has_chain = has_chain(builder, line),
		.comm = put_text(builder, strpool_get(strings, task->comm)),
		.event = put_text(builder, name_of_event(builder, line)),
		.symbol = put_text(builder, strpool_get(strings,
							symbol_names_shown(&ingest->names, leaf))),
		.dso = put_text(builder, strpool_get(strings, leaf->dso_name)),
	};
	put_fields(builder, line, out);
	put_branches(builder, line, out);
	put_raw(builder, line, out);
	put_symbols(builder, line, out);
	if (builder->request->wants_stacks)
		put_stack(builder, line->entry.stack, out);
}

/* Whether the event of a recording was made of the samples of another that is shown, too:
 * perf-script(1) doesn't have it. */
static bool is_derived(const struct ingest_config *config, uint32_t event)
{
	uint32_t shown = 0;

	if (event >= config->event_count || !config->events[event]->is_of_switches)
		return false;
	for (uint32_t i = 0; i < config->event_count; i++)
		shown += !event_desc_is_hidden(config->events[i]);
	return shown > 1;
}

static bool is_wanted(struct builder *builder, const struct event_line *line, uint32_t symbol)
{
	const struct ingest *ingest = builder->ingest;
	const struct slice_entry *entry = &line->entry;

	if (builder->request->wants_places && !line->is_hit &&
	    is_derived(&ingest->config, entry->event))
		return false;
	if (!builder->request->shows_idle && !line->is_hit &&
	    fold_is_idle(&ingest->names, &ingest->tasks.tasks[entry->task], symbol))
		return false;
	return !builder->filter.all ||
	       fold_filter_matches(&builder->filter, fold_filter_of_sample(&builder->filter, entry),
				   symbol);
}

static void take_lines(struct builder *builder)
{
	struct event_lines *lines = &builder->ingest->lines;
	const struct event_line *line;

	while (builder->event_count < EVENT_LINES_BATCH &&
	       builder->text.text_used < TEXT_BYTES_MAX &&
	       builder->raw_count < TEXT_BYTES_MAX / sizeof(*builder->raw) &&
	       !builder->text.is_out_of_memory &&
	       (line = event_lines_peek(lines, builder->request->limit_ns))) {
		const uint32_t symbol =
			symbol_of(builder->ingest,
				  builder->ingest->trie.stacks.frame[line->entry.stack]);

		if (symbol == ID_SET_NONE)
			builder->text.is_out_of_memory = true;
		else if (is_wanted(builder, line, symbol))
			put_line(builder, line, symbol);
		event_lines_pop(lines);
	}
}

/* The arrays of the block. */
struct block {
	struct snapshot_event *events;
	struct perf_branch_entry *branches;
	struct snapshot_field *fields;
	struct snapshot_place *places;
	struct snapshot_symbol *symbols;
	uint64_t *raw;
	const char **frames;
	char *text;
};

static void join_places(const struct builder *builder, const struct block *block)
{
	for (uint32_t i = 0; i < builder->place_count; i++) {
		block->places[i] = builder->places[i];
		block->places[i].dso = block->text + (uintptr_t)block->places[i].dso;
		block->places[i].source = block->text + (uintptr_t)block->places[i].source;
	}
	for (uint32_t i = 0; i < builder->event_count; i++) {
		struct snapshot_event *event = &block->events[i];

		event->places = builder->place_count
				? block->places + (uintptr_t)event->places : NULL;
		event->raw = event->raw_bytes ? block->raw + (uintptr_t)event->raw : NULL;
		event->symbols = block->symbols + (uintptr_t)event->symbols;
	}
	for (uint32_t i = 0; i < builder->symbol_count; i++) {
		block->symbols[i] = builder->symbols[i];
		block->symbols[i].name = block->text + (uintptr_t)block->symbols[i].name;
	}
	if (builder->raw_count)
		memcpy(block->raw, builder->raw, builder->raw_count * sizeof(*builder->raw));
}

static void join(const struct builder *builder, const struct block *block)
{
	struct perf_branch_entry *branches = block->branches;
	struct snapshot_event *events = block->events;
	struct snapshot_field *fields = block->fields;
	const char **frames = block->frames, *text = block->text;

	if (builder->branch_count)
		memcpy(branches, builder->branches,
		       builder->branch_count * sizeof(*builder->branches));
	for (uint32_t i = 0; i < builder->event_count; i++) {
		struct snapshot_event *event = &events[i];

		*event = builder->events[i];
		event->comm = text + (uintptr_t)event->comm;
		event->event = text + (uintptr_t)event->event;
		event->symbol = text + (uintptr_t)event->symbol;
		event->format = text + (uintptr_t)event->format;
		event->dso = text + (uintptr_t)event->dso;
		event->fields = fields + (uintptr_t)event->fields;
		event->frames = frames + (uintptr_t)event->frames;
		event->branches = event->branch_count ? branches + (uintptr_t)event->branches
						      : NULL;
	}
	for (uint32_t i = 0; i < builder->field_count; i++) {
		fields[i] = builder->fields[i];
		fields[i].name = text + (uintptr_t)fields[i].name;
		fields[i].text = text + (uintptr_t)fields[i].text;
	}
	for (uint32_t i = 0; i < builder->frame_count; i++)
		frames[i] = text + (uintptr_t)builder->frames[i];
}

static uint32_t name_width_of(const struct ingest_config *config)
{
	size_t width = 0;

	for (size_t i = 0; i < config->event_count; i++) {
		const struct event_desc *event = config->events[i];
		const bool is_added = i && i == config->branch_event;
		const size_t bytes = event_desc_is_hidden(event) || is_added ||
				     is_derived(config, (uint32_t)i) ? 0 : strlen(event->name);

		width = bytes > width ? bytes : width;
	}
	return (uint32_t)width;
}

/* NULL: out of memory. */
static struct snapshot_events *build(const struct builder *builder)
{
	const size_t events_bytes = builder->event_count * sizeof(*builder->events);
	const size_t fields_bytes = builder->field_count * sizeof(*builder->fields);
	const size_t frames_bytes = builder->frame_count * sizeof(*builder->frames);
	const size_t branches_bytes = builder->branch_count * sizeof(*builder->branches);
	const size_t places_bytes = builder->place_count * sizeof(*builder->places);
	const size_t symbols_bytes = builder->symbol_count * sizeof(*builder->symbols);
	const size_t raw_bytes = builder->raw_count * sizeof(*builder->raw);
	struct snapshot_events *out = malloc(sizeof(*out) + events_bytes + branches_bytes +
					     fields_bytes + places_bytes + symbols_bytes +
					     raw_bytes + frames_bytes + builder->text.text_used);
	struct block block;
	char *at;

	if (!out)
		return NULL;
	at = (char *)(out + 1);
	block.events = (void *)at;
	block.branches = (void *)(at += events_bytes);
	block.fields = (void *)(at += branches_bytes);
	block.places = (void *)(at += fields_bytes);
	block.symbols = (void *)(at += places_bytes);
	block.raw = (void *)(at += symbols_bytes);
	block.frames = (void *)(at += raw_bytes);
	block.text = at + frames_bytes;
	memcpy(block.text, builder->text.text, builder->text.text_used);
	join(builder, &block);
	join_places(builder, &block);
	*out = (struct snapshot_events){
		.count = builder->event_count, .list = block.events,
		.name_width = name_width_of(&builder->ingest->config),
		.dropped = builder->ingest->lines.dropped,
	};
	return out;
}

/* Moves the oldest lines, EVENT_LINES_BATCH at most, from the ingest to *@out, which the caller
 * must free(). 0; -ENOMEM; -EINVAL: see fold_filter_init(). */
static int make_events(struct snapshot_events **out, struct publisher *publisher,
		       const struct event_request *request)
{
	struct ingest *ingest = publisher->ingest;
	struct builder builder = { .publisher = publisher, .ingest = ingest, .request = request };
	int err =
		fold_filter_init(&builder.filter, request->filter, &ingest->names, &ingest->tasks);

	*out = NULL;
	builder.events = calloc(EVENT_LINES_BATCH, sizeof(*builder.events));
	if (!err && !builder.events)
		err = -ENOMEM;
	if (!err) {
		put_text(&builder, "");
		take_lines(&builder);
		*out = builder.text.is_out_of_memory ? NULL : build(&builder);
		err = *out ? 0 : -ENOMEM;
	}
	fold_filter_finish(&builder.filter);
	probe_builder_finish(&builder.text);
	free(builder.events);
	free(builder.fields);
	free(builder.frames);
	free(builder.places);
	free(builder.symbols);
	free(builder.raw);
	free(builder.branches);
	return err;
}

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
static bool wait_for_names(struct publisher *publisher, const struct event_request *request)
{
	const uint64_t now_ns = clock_now_ns();

	ask_all_names(publisher, request);
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

/* Addresses to ask the line server for. */
struct inlined_requests {
	struct source_request list[SOURCE_REQUESTS_MAX];
	uint32_t count;
};

/* @wants_source: also code of the kernel, whose functions are left whole otherwise. */
static void want_inlined(struct publisher *publisher, uint32_t frame, bool is_leaf,
			 bool wants_source, struct inlined_requests *out)
{
	const struct source_lines *lines = &publisher->source_lines;
	struct ingest *ingest = publisher->ingest;
	const struct source_request of =
		source_lines_of_frame(&ingest->names, &ingest->trie, frame, is_leaf);
	const struct dso *dso = of.dso < ingest->dsos.count ? &ingest->dsos.dsos[of.dso] : NULL;

	if (out->count == SOURCE_REQUESTS_MAX || !dso ||
	    (dso->mode != MODE_USER && !wants_source) ||
	    inline_chains_find(&lines->inlined, of.dso, of.address) ||
	    !source_lines_can_be_requested(lines, &of))
		return;
	for (uint32_t i = 0; i < out->count; i++)
		if (out->list[i].address == of.address && out->list[i].dso == of.dso)
			return;
	out->list[out->count++] = of;
}

static void want_inlined_of_stack(struct publisher *publisher, uint32_t stack, bool wants_source,
				  struct inlined_requests *out)
{
	const struct stack_trie *trie = &publisher->ingest->trie;
	uint32_t frame = trie->stacks.frame[stack], callee;

	want_inlined(publisher, frame, true, wants_source, out);
	for (uint32_t node = trie->stacks.node[stack]; node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node]) {
		callee = frame;
		frame = trie->nodes.frame[node];
		want_inlined(publisher, frame, is_interrupted(publisher->ingest, frame, callee),
			     wants_source, out);
	}
}

static void want_inlined_of_lines(struct publisher *publisher, const struct event_request *request,
				  struct inlined_requests *out)
{
	const struct event_lines *lines = &publisher->ingest->lines;

	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->heap[i]->time_ns < request->limit_ns)
			want_inlined_of_stack(publisher, lines->heap[i]->entry.stack,
					      request->wants_source, out);
}

/* Requests what was inlined in the stacks that are about to be printed. True: it may come. What
 * takes too long is printed without. */
static bool wait_for_inlined(struct publisher *publisher, const struct event_request *request)
{
	const uint64_t now_ns = clock_now_ns();
	struct inlined_requests *wanted;
	bool is_waiting;

	if (!request->wants_places || !request->wants_stacks ||
	    inline_chains_are_full(&publisher->source_lines.inlined))
		return false;
	if (publisher->inlined_until_ns && source_lines_are_pending(&publisher->source_lines))
		return now_ns < publisher->inlined_until_ns;
	publisher->inlined_until_ns = 0;
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return false;
	want_inlined_of_lines(publisher, request, wanted);
	is_waiting = wanted->count;
	if (is_waiting)
		source_lines_request(&publisher->source_lines, wanted->list, wanted->count);
	free(wanted);
	if (!is_waiting || !source_lines_are_pending(&publisher->source_lines))
		return false;
	publisher->inlined_until_ns =
		now_ns + (publisher->ingest->config.is_replay ? INLINED_REPLAY_NS : INLINED_NS);
	return true;
}

uint64_t event_builder_waits_until_ns(const struct publisher *publisher)
{
	return publisher->inlined_until_ns && source_lines_are_pending(&publisher->source_lines)
	       ? publisher->inlined_until_ns : 0;
}

/* True: no line is old enough, or the oldest ones wait for names. A line with an address for a name
 * is better than a dropped one, so nothing waits while room for others is short. */
static bool must_wait(struct publisher *publisher, struct event_request *request)
{
	const struct event_lines *lines = &publisher->ingest->lines;

	if (lines->bytes_max && lines->bytes > lines->bytes_max / 2)
		return !event_lines_peek(lines, request->limit_ns);
	return wait_for_tables(publisher, &request->limit_ns) ||
	       !event_lines_peek(lines, request->limit_ns) ||
	       wait_for_names(publisher, request) || wait_for_inlined(publisher, request);
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

struct snapshot *event_builder_publish(struct publisher *publisher, bool is_end, bool is_last,
				       const struct diag *end_why)
{
	const struct analyzer_config *config = publisher->config;
	struct ingest *ingest = publisher->ingest;
	struct event_request request = {
		.filter = &config->query.filter, .wants_stacks = config->wants_event_stacks,
		.shows_idle = config->shows_idle_events,
		.wants_places = config->wants_event_places,
		.wants_source = config->wants_event_source,
		.limit_ns = is_end ? UINT64_MAX : ingest_lines_limit_ns(ingest),
	};
	struct snapshot *snapshot;

	if (is_end && ingest->lines.count && !publisher->has_asked_last) {
		publisher->has_asked_last = true;
		ask_all_names(publisher, &request);
		if (symbol_names_are_pending(&ingest->names))
			return NULL;	/* comes again with the names, or when they are overdue */
	}
	if (is_end && ingest->lines.count && wait_for_inlined(publisher, &request))
		return NULL;
	if (!is_end && must_wait(publisher, &request))
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
	snapshot_head_put_losses(ingest, &publisher->losses, snapshot);
	snapshot->user_stacks = ingest->counters.stacks.user;
	snapshot->complete_stacks = ingest->counters.stacks.complete;
	if (!make_events(&snapshot->events, publisher, &request))
		return snapshot;
	snapshot_destroy(snapshot);
	snapshot = publisher->failure;
	publisher->failure = NULL;
	return snapshot;
}

bool event_builder_is_full(const struct publisher *publisher)
{
	const struct ingest *ingest = publisher->ingest;

	return ingest->config.is_replay && ingest->lines.count >= EVENT_LINES_BATCH &&
	       event_lines_peek(&ingest->lines, ingest_lines_limit_ns(ingest));
}

uint64_t event_builder_due_ns(const struct publisher *publisher)
{
	const struct ingest *ingest = publisher->ingest;

	if (!event_builder_is_full(publisher) || ingest->opening)
		return UINT64_MAX;
	if (event_builder_waits_until_ns(publisher))
		return event_builder_waits_until_ns(publisher);
	return publisher->names_asked_ns && symbol_names_are_pending(&ingest->names)
	       ? publisher->names_asked_ns + NAMES_NS : 0;
}
