/* source_lines.c - see fold/source_lines.h.
 *
 * Problem: the file that a row came from is known by number; the thread that opens it needs a
 * process that has it mapped, or its path and build-id.
 *
 * Idea: use any process that maps it now, whichever that is: results are cached by DSO and address.
 * A file that no process maps any more is opened by its path, if it has the right build-id.
 *
 * Invariant: a job is started for wishes only, and each wish is answered, refused or dropped, so
 * none is requested forever.
 */
#include "fold/source_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ingest/ingest.h"

#define ANSWERS_MAX  8192	/* a hundred screens; about 2 MiB, then all are forgotten */
#define CHAIN_BYTES  1024	/* longer chains fit no terminal */
#define MEMORY_BYTES ((uint64_t)256 << 20)	/* what one job may read: Debian's largest objects
						 * need more, and seconds */

void source_lines_init(struct source_lines *lines, struct line_server *server,
		       const struct ingest *ingest)
{
	*lines = (struct source_lines){ .server = server, .ingest = ingest };
	inline_chains_init(&lines->inlined, ingest->strings);
}

static void drop_answers(struct source_lines *lines)
{
	for (uint32_t i = 0; i < lines->answer_count; i++) {
		free(lines->answers[i].function_line);
		free(lines->answers[i].chain);
	}
	lines->answer_count = 0;
	id_map_clear(&lines->by_wish);
}

void source_lines_finish(struct source_lines *lines)
{
	drop_answers(lines);
	free(lines->answers);
	id_map_finish(&lines->by_wish);
	inline_chains_finish(&lines->inlined);
	for (uint32_t i = 0; i < lines->reason_count; i++)
		free(lines->reasons[i]);
	free(lines->reasons);
	id_map_finish(&lines->refused);
	memset(lines, 0, sizeof(*lines));
}

static uint64_t wish_hash(const struct source_wish *wish)
{
	return id_map_mix(wish->address ^ id_map_mix(wish->object));
}

static const struct source_answer *find_answer(const struct source_lines *lines,
					       const struct source_wish *of)
{
	uint32_t at = id_map_get(&lines->by_wish, wish_hash(of));
	const struct source_answer *answer;

	if (at == ID_MAP_NONE)
		return NULL;
	answer = &lines->answers[at];
	return answer->of.object == of->object && answer->of.address == of->address ? answer
										    : NULL;
}

struct source_text source_lines_find(const struct source_lines *lines,
				     const struct source_wish *of, bool has_chain)
{
	const struct source_answer *answer = find_answer(lines, of);
	struct source_text text = { "", "" };
	uint32_t reason;

	if (answer) {
		text.line = has_chain ? answer->chain : answer->function_line;
		return text;
	}
	reason = id_map_get(&lines->refused, of->object);
	if (reason != ID_MAP_NONE)
		text.reason = lines->reasons[reason];
	return text;
}

bool source_lines_can_be_wished(const struct source_lines *lines, const struct source_wish *of)
{
	const struct object_table *objects = &lines->ingest->objects;
	const struct object *object = of->object < objects->count ? &objects->objects[of->object]
								  : NULL;

	return lines->server && object &&
	       (object->state == OBJECT_READY || object->state == OBJECT_LET_GO) &&
	       object->mode == MODE_USER && !object->is_run_time && !find_answer(lines, of) &&
	       id_map_get(&lines->refused, of->object) == ID_MAP_NONE;
}

/* Drops wishes that were fulfilled, or never can be. */
static void drop_settled(struct source_lines *lines)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->wish_count; i++)
		if (source_lines_can_be_wished(lines, &lines->wishes[i]))
			lines->wishes[kept++] = lines->wishes[i];
	lines->wish_count = kept;
}

static void drop_object(struct source_lines *lines, uint32_t object)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->wish_count; i++)
		if (lines->wishes[i].object != object)
			lines->wishes[kept++] = lines->wishes[i];
	lines->wish_count = kept;
}

static void refuse_object(struct source_lines *lines, uint32_t object, const char *reason)
{
	char **bigger = realloc(lines->reasons, (lines->reason_count + 1) * sizeof(*bigger));
	char *copy = bigger ? strdup(reason) : NULL;

	if (bigger)
		lines->reasons = bigger;
	drop_object(lines, object);
	if (!copy)
		return;		/* requested again with the next wish */
	if (id_map_put(&lines->refused, object, lines->reason_count)) {
		free(copy);
		return;
	}
	bigger[lines->reason_count++] = copy;
}

/* Finds a map of @object, or of a copy that it stands for, in a process that still runs. The file's
 * identity is that of the mapping: the one of @object itself may have been replaced. */
static bool find_mapping(const struct ingest *ingest, uint32_t object, struct open_request *out)
{
	for (uint32_t p = 0; p < ingest->tasks.process_count; p++) {
		const struct process *process = &ingest->tasks.processes[p];

		if (!process->is_alive || !process->maps)
			continue;
		for (uint32_t i = 0; i < process->maps->count; i++) {
			const struct mapping *row = &process->maps->rows[i];
			const uint32_t id = object_table_current(&ingest->objects, row->object);

			if (ingest->objects.objects[id].canonical != object)
				continue;
			ingest_mapping_place(ingest, process->pid, row, out);
			return true;
		}
	}
	return false;
}

static bool describe_object(const struct ingest *ingest, uint32_t id, struct line_request *request)
{
	struct open_request *out = &request->object;
	const struct object *object = &ingest->objects.objects[id];
	bool is_mapped;

	snprintf(out->path, sizeof(out->path), "%s", strpool_get(ingest->strings, object->path));
	out->build_id = object->build_id;
	snprintf(request->debug_link, sizeof(request->debug_link), "%s",
		 strpool_get(ingest->strings, object->debug_link));
	is_mapped = !ingest->config.is_replay && find_mapping(ingest, id, out);
	out->object = id;
	out->serial = object->serial;
	return is_mapped || object->build_id.count;
}

/* Requests all wishes for the DSO of the first one. */
static void ask(struct source_lines *lines)
{
	struct line_request *request;
	uint32_t object;

	if (!lines->wish_count || !line_server_is_idle(lines->server))
		return;
	request = calloc(1, sizeof(*request));
	if (!request)
		return;
	while (lines->wish_count && !request->count) {
		object = lines->wishes[0].object;
		if (!describe_object(lines->ingest, object, request)) {
			drop_object(lines, object);	/* no process has it mapped now */
			continue;
		}
		for (uint32_t i = 0; i < lines->wish_count; i++)
			if (lines->wishes[i].object == object)
				request->offsets[request->count++] = lines->wishes[i].address;
	}
	request->memory_bytes = MEMORY_BYTES;
	if (request->count) {
		lines->asked_object = request->object.object;
		line_server_request(lines->server, request);
	}
	free(request);
}

static bool is_wished_object(const struct source_lines *lines, uint32_t object)
{
	for (uint32_t i = 0; i < lines->wish_count; i++)
		if (lines->wishes[i].object == object)
			return true;
	return false;
}

void source_lines_wish(struct source_lines *lines, const struct source_wish *wishes,
		       uint32_t count)
{
	lines->wish_count = count < SOURCE_WISHES_MAX ? count : SOURCE_WISHES_MAX;
	memcpy(lines->wishes, wishes, lines->wish_count * sizeof(*wishes));
	drop_settled(lines);
	if (lines->wish_count && !is_wished_object(lines, lines->asked_object))
		line_server_cancel(lines->server);
	ask(lines);
}

struct text {
	char bytes[CHAIN_BYTES];
	size_t used;
};

static void put(struct text *text, const char *part)
{
	const size_t len = strnlen(part, sizeof(text->bytes) - 1 - text->used);

	memcpy(text->bytes + text->used, part, len);
	text->used += len;
	text->bytes[text->used] = '\0';
}

/* "file.c:12"; nothing where neither is known. */
static void put_place(struct text *text, const struct line_chains *chains,
		      const struct line_frame *frame, const char *before)
{
	const char *path = line_chains_text(chains, frame->file);
	const char *slash = strrchr(path, '/');
	char line[16];

	if (!path[0])
		return;
	snprintf(line, sizeof(line), ":%u", frame->line);
	put(text, before);
	put(text, slash ? slash + 1 : path);
	put(text, frame->line ? line : ":?");
}

static void put_function(struct text *text, const struct line_chains *chains,
			 const struct line_frame *frame)
{
	const char *name = line_chains_text(chains, frame->function);

	put(text, name[0] ? name : "?");
}

/* Writes the line and, in brackets, the inlined functions, innermost first, each caller with the
 * line of its call. */
static void write_chain(struct text *text, const struct line_chains *chains,
			const struct line_frame *frames, uint32_t count)
{
	put_place(text, chains, &frames[0], "");
	if (count < 2)
		return;
	put(text, " (");
	put_function(text, chains, &frames[0]);
	for (uint32_t i = 1; i < count; i++) {
		put(text, " < ");
		put_function(text, chains, &frames[i]);
		put_place(text, chains, &frames[i], " ");
	}
	put(text, ")");
}

static int add_answer(struct source_lines *lines, const struct source_wish *of,
		      const struct line_chains *chains, const struct line_frame *frames,
		      uint32_t count)
{
	struct text line = { .used = 0 }, chain = { .used = 0 };
	struct source_answer *answer;

	if (count) {
		put_place(&line, chains, &frames[count - 1], "");
		write_chain(&chain, chains, frames, count);
	}
	if (lines->answer_count == ANSWERS_MAX)
		drop_answers(lines);
	if (lines->answer_count == lines->answer_capacity) {
		uint32_t capacity = lines->answer_capacity ? 2 * lines->answer_capacity : 64;

		answer = realloc(lines->answers, capacity * sizeof(*answer));
		if (!answer)
			return -ENOMEM;
		lines->answers = answer;
		lines->answer_capacity = capacity;
	}
	answer = &lines->answers[lines->answer_count];
	*answer = (struct source_answer){ *of, strdup(line.bytes), strdup(chain.bytes) };
	if (answer->function_line && answer->chain &&
	    !id_map_put(&lines->by_wish, wish_hash(of), lines->answer_count)) {
		lines->answer_count++;
		return 0;
	}
	free(answer->function_line);
	free(answer->chain);
	return -ENOMEM;
}

/* When there is no room or memory for it the frame stays as it is. */
static void add_inlined(struct source_lines *lines, const struct source_wish *of,
			const struct line_chains *chains, const struct line_frame *frames,
			uint32_t count)
{
	if (inline_chains_find(&lines->inlined, of->object, of->address) ||
	    inline_chains_begin(&lines->inlined, of->object, of->address))
		return;
	for (uint32_t i = 0; i + 1 < count; i++) {
		const char *name = line_chains_text(chains, frames[i].function);

		if (inline_chains_add(&lines->inlined, name[0] ? name : "?"))
			return;
	}
}

static void take_reply(struct source_lines *lines, const struct line_reply *reply)
{
	const struct line_chains *chains = &reply->chains;
	const struct object *object = &lines->ingest->objects.objects[reply->object];

	if (reply->why.err == -ECANCELED || reply->serial != object->serial)
		return;		/* or the object has gone */
	if (reply->why.err) {
		log_note("source lines of %s: %s",
			 strpool_get(lines->ingest->strings, object->path), reply->why.text);
		refuse_object(lines, reply->object, reply->why.text);
		return;
	}
	for (uint32_t i = 0; i < reply->count; i++) {
		const struct source_wish of = { reply->offsets[i], reply->object };
		const uint32_t first = chains->first[i];

		if (add_answer(lines, &of, chains, &chains->frames[first],
			       chains->first[i + 1] - first))
			drop_object(lines, reply->object);
		add_inlined(lines, &of, chains, &chains->frames[first],
			    chains->first[i + 1] - first);
	}
	drop_settled(lines);
}

bool source_lines_take(struct source_lines *lines)
{
	struct line_reply reply;

	if (!lines->server || !line_server_reply(lines->server, &reply))
		return false;
	take_reply(lines, &reply);
	line_reply_finish(&reply);
	ask(lines);
	return true;
}

bool source_lines_are_pending(const struct source_lines *lines)
{
	return lines->wish_count > 0;
}

void source_lines_forget_gone(struct source_lines *lines)
{
	const struct object_table *objects = &lines->ingest->objects;

	if (lines->reclaims == objects->reclaims)
		return;
	lines->reclaims = objects->reclaims;
	drop_answers(lines);	/* open wishes are requested again */
	for (uint32_t id = 0; id < objects->count; id++)
		if (objects->objects[id].is_free)
			id_map_remove(&lines->refused, id);
	for (uint32_t i = 0; i < lines->inlined.count; i++)
		if (objects->objects[lines->inlined.chains[i].object].is_free)
			lines->inlined.chains[i].object = OBJECT_UNKNOWN;	/* has none */
	drop_settled(lines);
}
