/* probe_draft_lines.c - single hits as text: the log, and the slowest with their stacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_draft.h"

/* A text that grows by pieces: the draft's last. */
static void append(struct probe_draft *draft, const char *text, size_t bytes)
{
	if (draft->is_out_of_memory)
		return;
	draft->text_used--;	/* its terminator */
	probe_draft_text(draft, text, bytes);
}

/* A byte as it is: sanitized texts have no newline. */
static void append_raw(struct probe_draft *draft, char byte)
{
	if (draft->is_out_of_memory)
		return;
	draft->text[draft->text_used - 1] = byte;	/* in place of the terminator */
	probe_draft_text(draft, "", 0);
}

/* @between: what stands between two values. */
static const char *put_values(struct probe_draft *draft, struct ingest *ingest,
			      const struct probe_row *row, const struct hit_line *line,
			      char between)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	const char *at = probe_draft_text(draft, "", 0);

	for (uint32_t i = 0; reading && i < reading->column_count && i < row->log.columns; i++) {
		const struct hit_line_value *from = &line->values[i];
		char text[HIT_LONGEST_BYTES];
		const struct probe_value value = {
			.is_known = from->is_known, .is_text = from->is_text,
			.is_signed = from->is_signed, .number = from->is_text ? 0 : from->number,
			.text = text,
			.text_bytes = from->is_text ? hit_log_text(&row->log, from, text) : 0,
			.object = from->is_text ? 0 : from->object,
			.serial = from->is_text ? 0 : from->serial,
		};
		bool is_named;

		if (i)
			append_raw(draft, between);
		append(draft, reading->columns[i].name, strlen(reading->columns[i].name));
		append(draft, "=", 1);
		if (draft->is_out_of_memory)
			return at;
		if (!value.is_known) {
			append(draft, "?", 1);
		} else {
			draft->text_used--;
			probe_draft_value(draft, ingest, row, i, &value, &is_named);
		}
	}
	return at;
}

static const char *put_comm(struct probe_draft *draft, const struct ingest *ingest,
			    const struct hit_line *line)
{
	const struct thread *thread;

	if (line->comm_bytes)
		return probe_draft_text(draft, line->comm, line->comm_bytes);
	thread = task_table_find_thread(&ingest->tasks, line->tid);
	return thread && thread->has_comm
	       ? probe_draft_text(draft, thread->comm, thread->comm_len)
	       : probe_draft_text(draft, "", 0);
}

static void append_frame(struct probe_draft *draft, struct ingest *ingest, uint32_t frame,
			 bool with_object)
{
	const uint32_t id = symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
	const struct symbol *symbol = &ingest->names.symbols[id];
	const char *name;
	char address[24];

	if (id == ID_SET_NONE) {
		draft->is_out_of_memory = true;
		return;
	}
	name = strpool_get(ingest->strings, symbol_names_shown(&ingest->names, symbol));
	if (!*name) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 ingest->trie.frames.address[frame]);
		name = address;
	}
	append(draft, name, strlen(name));
	name = strpool_get(ingest->strings, symbol->object_name);
	if (with_object && *name) {
		append(draft, " (", 2);
		append(draft, name, strlen(name));
		append(draft, ")", 1);
	}
	append_raw(draft, '\n');
}

static const char *put_stack(struct probe_draft *draft, struct ingest *ingest, uint32_t stack,
			     bool with_objects)
{
	const struct stack_trie *trie = &ingest->trie;
	const char *at = probe_draft_text(draft, "", 0);

	if (stack == ID_SET_NONE)
		return at;
	append_frame(draft, ingest, trie->stacks.frame[stack], with_objects);
	for (uint32_t node = trie->stacks.node[stack]; node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node])
		append_frame(draft, ingest, trie->nodes.frame[node], with_objects);
	return at;
}

/* Returns @line without its texts. */
static struct snapshot_hit hit_of(const struct probe_row *row, const struct hit_line *line)
{
	return (struct snapshot_hit){
		.probe = row->id, .time_ns = line->time_ns, .number = line->number,
		.cpu = line->cpu, .pid = line->pid, .tid = line->tid,
		.latency_ns = line->latency_ns,
	};
}

/* Lines of the log come without a stack: a thousand stacks are a megabyte of text. */
static void put_line(struct probe_draft *draft, struct ingest *ingest,
		     const struct probe_row *row, const struct hit_line *line, bool with_stack,
		     struct snapshot_hit *out)
{
	*out = hit_of(row, line);
	out->comm = put_comm(draft, ingest, line);
	out->values = put_values(draft, ingest, row, line, ' ');
	out->stack = put_stack(draft, ingest, with_stack ? line->stack : ID_SET_NONE, false);
}

static void put_hit(struct probe_draft *draft, struct ingest *ingest, const struct probe_row *row,
		    uint64_t number)
{
	const struct hit_line *line = row ? hit_log_find(&row->log, number) : NULL;
	struct snapshot_hit *out = &draft->head.hit;

	if (!line)
		return;
	*out = hit_of(row, line);
	out->comm = put_comm(draft, ingest, line);
	out->values = put_values(draft, ingest, row, line, '\n');
	out->stack = put_stack(draft, ingest, line->stack, true);
}

static int slowest_first(const void *a, const void *b)
{
	const struct snapshot_hit *left = a, *right = b;

	if (left->latency_ns != right->latency_ns)
		return left->latency_ns > right->latency_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

static const struct probe_row *find_row(const struct probe_hits *hits, uint32_t id)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		if (id && hits->rows[slot].id == id)
			return &hits->rows[slot];
	return NULL;
}

/* A position in the log of a probe, moving back in time. */
struct log_cursor {
	const struct probe_row *row;
	uint64_t number;	/* next line; 0: none */
};

static const struct hit_line *line_here(const struct log_cursor *at)
{
	return hit_log_recent(&at->row->log, at->number);
}

static size_t set_cursors(const struct probe_hits *hits, uint64_t end_ns,
			  struct log_cursor cursors[PROBE_SLOTS])
{
	size_t count = 0;

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];
		struct log_cursor at = { row, row->log.last_number };

		while (row->id && line_here(&at) && line_here(&at)->time_ns > end_ns)
			at.number--;
		if (row->id)
			cursors[count++] = at;
	}
	return count;
}

/* Returns the cursor at the latest line that is not before @begin_ns; NULL: there is none. */
static struct log_cursor *latest(struct log_cursor *cursors, size_t count, uint64_t begin_ns)
{
	const struct hit_line *best = NULL;
	struct log_cursor *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct hit_line *line = line_here(&cursors[i]);

		if (line && line->time_ns >= begin_ns && (!best || line->time_ns > best->time_ns)) {
			best = line;
			found = &cursors[i];
		}
	}
	return found;
}

static int in_time_order(const void *a, const void *b)
{
	const struct snapshot_hit *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (left->probe != right->probe)
		return left->probe < right->probe ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Merges the logs from their ends, as far as the snapshot has room. */
static int put_all_logs(struct probe_draft *draft, struct ingest *ingest,
			const struct probe_draft_span *span)
{
	const uint64_t begin_ns = span->is_chosen ? span->begin_ns : 0;
	struct snapshot_probes *head = &draft->head;
	struct log_cursor cursors[PROBE_SLOTS], *at;
	const size_t count = set_cursors(ingest->hits, span->end_ns, cursors);

	draft->lines = calloc(PROBE_LOG_LINES, sizeof(*draft->lines));
	if (!draft->lines)
		return -ENOMEM;
	while (head->log_count < PROBE_LOG_LINES && (at = latest(cursors, count, begin_ns))) {
		put_line(draft, ingest, at->row, line_here(at), false,
			 &draft->lines[head->log_count++]);
		at->number--;
	}
	for (size_t i = 0; i < count; i++)
		head->log_dropped += cursors[i].number;
	qsort(draft->lines, head->log_count, sizeof(*draft->lines), in_time_order);
	return 0;
}

int probe_draft_lines(struct probe_draft *draft, struct ingest *ingest,
		      const struct probe_draft_span *span)
{
	const struct probe_row *row = find_row(ingest->hits, span->detail);
	const uint32_t kept = row ? hit_log_count(&row->log) : 0;
	struct snapshot_probes *head = &draft->head;

	put_hit(draft, ingest, find_row(ingest->hits, span->hit_probe), span->hit);
	if (span->detail == PROBE_ALL)
		return put_all_logs(draft, ingest, span);
	if (!row)
		return 0;
	draft->lines = calloc(kept + row->log.slowest_count + 1, sizeof(*draft->lines));
	if (!draft->lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < kept; i++) {
		const struct hit_line *line = hit_log_line(&row->log, i);

		if (line->time_ns > span->end_ns ||	/* after a frozen window */
		    (span->is_chosen && line->time_ns < span->begin_ns))
			continue;
		put_line(draft, ingest, row, line, false,
			 &draft->lines[head->log_count++]);
	}
	head->log_dropped = row->log.last_number - kept;
	for (uint32_t i = 0; i < row->log.slowest_count; i++)
		put_line(draft, ingest, row, hit_log_slowest(&row->log, i), true,
			 &draft->lines[head->log_count + head->slowest_count++]);
	qsort(draft->lines + head->log_count, head->slowest_count, sizeof(*draft->lines),
	      slowest_first);
	return 0;
}
