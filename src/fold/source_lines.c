/* source_lines.c - see fold/source_lines.h.
 *
 * Problem: the file that a row came from is known by number; the thread that opens it needs a
 * process that has it mapped, or its path and build-id.
 *
 * Idea: use any process that maps it now, whichever that is: results are cached by DSO and address.
 * A file that no process maps any more is opened by its path, if it has the right build-id.
 *
 * The kernel is one DSO, but each of its modules has a file of its own: which one an address is in
 * is looked up in the kernel's symtab.
 *
 * Invariant: a job is started for requests only, and each request is answered, refused or dropped,
 * so none is sent again forever.
 */
#include "fold/source_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/diag.h"
#include "ingest/ingest.h"

void inline_chains_init(struct inline_chains *chains, struct strpool *strings)
{
	*chains = (struct inline_chains){ .strings = strings };
}

void inline_chains_finish(struct inline_chains *chains)
{
	free(chains->chains);
	free(chains->functions);
	free(chains->places);
	id_map_finish(&chains->by_address);
	memset(chains, 0, sizeof(*chains));
}

static uint64_t hash_of(uint32_t dso, uint64_t address)
{
	return id_map_mix(address ^ id_map_mix(dso));
}

const struct inline_chain *inline_chains_find(const struct inline_chains *chains, uint32_t dso,
					      uint64_t address)
{
	const uint32_t at = id_map_get(&chains->by_address, hash_of(dso, address));
	const struct inline_chain *chain;

	if (at == ID_MAP_NONE)
		return NULL;
	chain = &chains->chains[at];
	return chain->dso == dso && chain->address == address ? chain : NULL;
}

bool inline_chains_are_full(const struct inline_chains *chains)
{
	return chains->count == INLINE_CHAINS_MAX || chains->text_bytes > INLINE_CHAINS_TEXT_MAX;
}

int inline_chains_begin(struct inline_chains *chains, uint32_t dso, uint64_t address)
{
	if (inline_chains_are_full(chains))
		return -ENOSPC;
	if (chains->count == chains->capacity) {
		const uint32_t capacity = chains->capacity ? 2 * chains->capacity : 256;
		struct inline_chain *bigger = realloc(chains->chains, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		chains->chains = bigger;
		chains->capacity = capacity;
	}
	if (id_map_put(&chains->by_address, hash_of(dso, address), chains->count))
		return -ENOMEM;
	chains->chains[chains->count++] = (struct inline_chain){
		.address = address, .dso = dso, .first = chains->function_count,
		.first_place = chains->place_count,
	};
	return 0;
}

int inline_chains_add(struct inline_chains *chains, const char *function)
{
	const size_t len = strlen(function);

	if (chains->function_count == chains->function_capacity) {
		const uint32_t capacity =
			chains->function_capacity ? 2 * chains->function_capacity : 1024;
		struct str_id *bigger = realloc(chains->functions, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		chains->functions = bigger;
		chains->function_capacity = capacity;
	}
	chains->functions[chains->function_count++] =
		strpool_intern(chains->strings, function, len);
	chains->text_bytes += len;
	chains->chains[chains->count - 1].count++;
	return 0;
}

int inline_chains_add_place(struct inline_chains *chains, const char *file, uint32_t line,
			    uint32_t first_line)
{
	const size_t len = strlen(file);

	if (chains->place_count == chains->place_capacity) {
		const uint32_t capacity =
			chains->place_capacity ? 2 * chains->place_capacity : 1024;
		struct inline_place *bigger = realloc(chains->places, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		chains->places = bigger;
		chains->place_capacity = capacity;
	}
	if (len && !strpool_find(chains->strings, file, len).v)
		chains->text_bytes += len;
	chains->places[chains->place_count++] = (struct inline_place){
		strpool_intern(chains->strings, file, len), line, first_line,
	};
	chains->chains[chains->count - 1].place_count++;
	return 0;
}

#define REPLIES_MAX  8192	/* a hundred screens; about 2 MiB, then all are forgotten */
#define CHAIN_BYTES  1024	/* longer chains fit no terminal */
#define MEMORY_BYTES ((uint64_t)256 << 20)	/* a job may read so much: Debian's largest DSOs
						 * need more, and seconds */

void source_lines_init(struct source_lines *lines, struct line_server *server,
		       const struct ingest *ingest)
{
	*lines = (struct source_lines){ .server = server, .ingest = ingest };
	inline_chains_init(&lines->inlined, ingest->strings);
}

static void drop_replies(struct source_lines *lines)
{
	for (uint32_t i = 0; i < lines->reply_count; i++) {
		free(lines->replies[i].function_line);
		free(lines->replies[i].chain);
	}
	lines->reply_count = 0;
	id_map_clear(&lines->by_request);
}

void source_lines_finish(struct source_lines *lines)
{
	drop_replies(lines);
	free(lines->replies);
	id_map_finish(&lines->by_request);
	inline_chains_finish(&lines->inlined);
	for (uint32_t i = 0; i < lines->reason_count; i++)
		free(lines->reasons[i]);
	free(lines->reasons);
	id_map_finish(&lines->refused);
	memset(lines, 0, sizeof(*lines));
}

static const struct source_reply *find_reply(const struct source_lines *lines,
					     const struct source_request *of)
{
	uint32_t at = id_map_get(&lines->by_request, hash_of(of->dso, of->address));
	const struct source_reply *reply;

	if (at == ID_MAP_NONE)
		return NULL;
	reply = &lines->replies[at];
	return reply->of.dso == of->dso && reply->of.address == of->address ? reply : NULL;
}

/* Returns the module that has @address in the symtab of a kernel; "": the kernel itself. */
static const char *module_of(const struct dso *kernel, uint64_t address)
{
	const uint32_t row = kernel->state == DSO_READY
				     ? flat_table_find(&kernel->table, address) : FLAT_NONE;
	const char *module = row != FLAT_NONE ? flat_table_dso_name(&kernel->table, row) : NULL;

	return module ? module : "";
}

/* Returns the number of the file that has the lines of @of: a DSO, or a module of the kernel. */
static uint64_t file_of(const struct source_lines *lines, const struct source_request *of)
{
	const struct dso_table *dsos = &lines->ingest->dsos;
	const char *module;
	uint64_t hash = 0;

	if (of->dso >= dsos->count || dsos->dsos[of->dso].mode != MODE_KERNEL)
		return of->dso;
	module = module_of(&dsos->dsos[of->dso], of->address);
	for (const char *at = module; *at; at++)
		hash = id_map_mix(hash ^ (unsigned char)*at);
	return module[0] ? hash | UINT64_C(1) << 32 : of->dso;	/* no number of a DSO */
}

struct source_text source_lines_find(const struct source_lines *lines,
				     const struct source_request *of, bool has_chain)
{
	const struct source_reply *reply = find_reply(lines, of);
	struct source_text text = { "", "" };
	uint32_t reason;

	if (reply) {
		text.line = has_chain ? reply->chain : reply->function_line;
		return text;
	}
	reason = id_map_get(&lines->refused, file_of(lines, of));
	if (reason != ID_MAP_NONE)
		text.reason = lines->reasons[reason];
	return text;
}

/* True for DSOs whose debug information may be read: files, and the kernel that runs. */
static bool has_file(const struct source_lines *lines, const struct dso *dso)
{
	if (dso->mode == MODE_KERNEL)
		return dso->state == DSO_READY && !lines->ingest->config.is_replay;
	return dso->mode == MODE_USER && !dso->is_run_time &&
	       (dso->state == DSO_READY || dso->state == DSO_LET_GO);
}

bool source_lines_can_be_requested(const struct source_lines *lines,
				   const struct source_request *of)
{
	const struct dso_table *dsos = &lines->ingest->dsos;
	const struct dso *dso = of->dso < dsos->count ? &dsos->dsos[of->dso] : NULL;

	return lines->server && dso && has_file(lines, dso) && !find_reply(lines, of) &&
	       id_map_get(&lines->refused, file_of(lines, of)) == ID_MAP_NONE;
}

struct source_request source_lines_of_frame(struct symbol_names *names, struct stack_trie *trie,
					    uint32_t frame, bool is_leaf)
{
	const uint32_t id = symbol_names_of_frame(names, trie, frame);
	uint64_t address = trie->frames.address[frame];
	const struct symbol *symbol;

	if (id == ID_SET_NONE)		/* no memory: no DSO either */
		return (struct source_request){ address, UINT32_MAX };
	symbol = &names->symbols[id];
	if (!is_leaf && address > symbol->address)
		address--;
	return (struct source_request){ address, symbol->dso };
}

bool source_ranking_has_room(const struct source_ranking *ranking, double weight)
{
	return weight > 0 && (ranking->count < SOURCE_REQUESTS_MAX ||
			      weight > ranking->weights[SOURCE_REQUESTS_MAX - 1]);
}

void source_ranking_add(struct source_ranking *ranking, const struct source_request *of,
			double weight)
{
	uint32_t at = ranking->count < SOURCE_REQUESTS_MAX ? ranking->count++
							   : SOURCE_REQUESTS_MAX - 1;
	const uint32_t moved = at;

	while (at > 0 && ranking->weights[at - 1] < weight)
		at--;
	memmove(&ranking->weights[at + 1], &ranking->weights[at], (moved - at) * sizeof(weight));
	memmove(&ranking->requests[at + 1], &ranking->requests[at], (moved - at) * sizeof(*of));
	ranking->weights[at] = weight;
	ranking->requests[at] = *of;
}

/* Drops requests that were fulfilled, or never can be. */
static void drop_settled(struct source_lines *lines)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->request_count; i++)
		if (source_lines_can_be_requested(lines, &lines->requests[i]))
			lines->requests[kept++] = lines->requests[i];
	lines->request_count = kept;
}

static void drop_file(struct source_lines *lines, uint64_t file)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->request_count; i++)
		if (file_of(lines, &lines->requests[i]) != file)
			lines->requests[kept++] = lines->requests[i];
	lines->request_count = kept;
}

static void refuse_file(struct source_lines *lines, uint64_t file, const char *reason)
{
	char **bigger = realloc(lines->reasons, (lines->reason_count + 1) * sizeof(*bigger));
	char *copy = bigger ? strdup(reason) : NULL;

	if (bigger)
		lines->reasons = bigger;
	drop_file(lines, file);
	if (!copy)
		return;		/* requested again with the next list */
	if (id_map_put(&lines->refused, file, lines->reason_count)) {
		free(copy);
		return;
	}
	bigger[lines->reason_count++] = copy;
}

/* Finds a map of @dso, or of a copy that it stands for, in a process that still runs. The file's
 * identity is that of the mapping: the one of @dso itself may have been replaced. */
static bool find_mapping(const struct ingest *ingest, uint32_t dso, struct open_request *out)
{
	for (uint32_t p = 0; p < ingest->tasks.process_count; p++) {
		const struct process *process = &ingest->tasks.processes[p];

		if (!process->is_alive || !process->maps)
			continue;
		for (uint32_t i = 0; i < process->maps->count; i++) {
			const struct mapping *row = &process->maps->rows[i];
			const uint32_t id = dso_table_current(&ingest->dsos, row->dso);

			if (ingest->dsos.dsos[id].canonical != dso)
				continue;
			ingest_mapping_place(ingest, process->pid, row, out);
			return true;
		}
	}
	return false;
}

bool source_lines_place(const struct ingest *ingest, const struct source_request *of,
			struct open_request *out, char debug_link[FLAT_LINK_BYTES])
{
	const uint32_t id = of->dso;
	const struct dso *dso = &ingest->dsos.dsos[id];
	bool is_mapped;

	out->dso = id;
	out->serial = dso->serial;
	if (dso->mode == MODE_KERNEL) {
		out->is_kernel = true;
		snprintf(out->path, sizeof(out->path), "%s", module_of(dso, of->address));
		return true;
	}
	snprintf(out->path, sizeof(out->path), "%s", strpool_get(ingest->strings, dso->path));
	out->build_id = dso->build_id;
	snprintf(debug_link, FLAT_LINK_BYTES, "%s", strpool_get(ingest->strings, dso->debug_link));
	is_mapped = !ingest->config.is_replay && find_mapping(ingest, id, out);
	out->dso = id;		/* again: find_mapping() fills the whole request */
	out->serial = dso->serial;
	if (!is_mapped && !ingest->config.is_replay) {	/* its processes have ended */
		out->dev_major = major(dso->device);
		out->dev_minor = minor(dso->device);
		out->inode = dso->inode;
		out->inode_generation = dso->inode_generation;
	}
	return is_mapped || out->inode || dso->build_id.count;
}

/* Sends all requests for the file of the first one, if the line server is idle. */
static void send_requests(struct source_lines *lines)
{
	struct line_request *request;
	uint64_t file = 0;

	if (!lines->request_count || !line_server_is_idle(lines->server))
		return;
	request = calloc(1, sizeof(*request));
	if (!request)
		return;
	while (lines->request_count && !request->count) {
		file = file_of(lines, &lines->requests[0]);
		if (!source_lines_place(lines->ingest, &lines->requests[0], &request->dso,
					request->debug_link)) {
			drop_file(lines, file);		/* no process has it mapped now */
			continue;
		}
		for (uint32_t i = 0; i < lines->request_count; i++)
			if (file_of(lines, &lines->requests[i]) == file)
				request->offsets[request->count++] = lines->requests[i].address;
	}
	request->memory_bytes = MEMORY_BYTES;
	if (request->count) {
		lines->asked_file = file;
		line_server_request(lines->server, request);
	}
	free(request);
}

static bool is_requested_file(const struct source_lines *lines, uint64_t file)
{
	for (uint32_t i = 0; i < lines->request_count; i++)
		if (file_of(lines, &lines->requests[i]) == file)
			return true;
	return false;
}

void source_lines_request(struct source_lines *lines, const struct source_request *requests,
			  uint32_t count)
{
	lines->request_count = count < SOURCE_REQUESTS_MAX ? count : SOURCE_REQUESTS_MAX;
	memcpy(lines->requests, requests, lines->request_count * sizeof(*requests));
	drop_settled(lines);
	if (lines->request_count && !is_requested_file(lines, lines->asked_file))
		line_server_cancel(lines->server);
	send_requests(lines);
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

static int add_reply(struct source_lines *lines, const struct source_request *of,
		     const struct line_chains *chains, const struct line_frame *frames,
		     uint32_t count)
{
	struct text line = { .used = 0 }, chain = { .used = 0 };
	struct source_reply *reply;

	if (count) {
		put_place(&line, chains, &frames[count - 1], "");
		write_chain(&chain, chains, frames, count);
	}
	if (lines->reply_count == REPLIES_MAX)
		drop_replies(lines);
	if (lines->reply_count == lines->reply_capacity) {
		uint32_t capacity = lines->reply_capacity ? 2 * lines->reply_capacity : 64;

		reply = realloc(lines->replies, capacity * sizeof(*reply));
		if (!reply)
			return -ENOMEM;
		lines->replies = reply;
		lines->reply_capacity = capacity;
	}
	reply = &lines->replies[lines->reply_count];
	*reply = (struct source_reply){ *of, strdup(line.bytes), strdup(chain.bytes) };
	if (reply->function_line && reply->chain &&
	    !id_map_put(&lines->by_request, hash_of(of->dso, of->address), lines->reply_count)) {
		lines->reply_count++;
		return 0;
	}
	free(reply->function_line);
	free(reply->chain);
	return -ENOMEM;
}

/* When there is no room or memory for it the frame stays as it is. */
static void add_inlined(struct source_lines *lines, const struct source_request *of,
			const struct line_chains *chains, const struct line_frame *frames,
			uint32_t count)
{
	if (inline_chains_find(&lines->inlined, of->dso, of->address) ||
	    inline_chains_begin(&lines->inlined, of->dso, of->address))
		return;
	for (uint32_t i = 0; i + 1 < count; i++) {
		const char *name = line_chains_text(chains, frames[i].function);

		if (inline_chains_add(&lines->inlined, name[0] ? name : "?"))
			return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (inline_chains_add_place(&lines->inlined,
					    line_chains_text(chains, frames[i].file),
					    frames[i].line, frames[i].first_line))
			return;
}

static void take_reply(struct source_lines *lines, const struct line_reply *reply)
{
	const struct line_chains *chains = &reply->chains;
	const struct dso *dso = &lines->ingest->dsos.dsos[reply->dso];

	if (reply->why.err == -ECANCELED || reply->serial != dso->serial)
		return;		/* or the DSO has gone */
	if (reply->why.err) {
		log_note("source lines of %s: %s",
			 strpool_get(lines->ingest->strings, dso->path), reply->why.text);
		refuse_file(lines, lines->asked_file, reply->why.text);
		return;
	}
	for (uint32_t i = 0; i < reply->count; i++) {
		const struct source_request of = { reply->offsets[i], reply->dso };
		const uint32_t first = chains->first[i];

		if (add_reply(lines, &of, chains, &chains->frames[first],
			      chains->first[i + 1] - first))
			drop_file(lines, lines->asked_file);
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
	send_requests(lines);
	return true;
}

bool source_lines_are_pending(const struct source_lines *lines)
{
	return lines->request_count > 0;
}

void source_lines_forget_gone(struct source_lines *lines)
{
	const struct dso_table *dsos = &lines->ingest->dsos;

	if (lines->reclaims == dsos->reclaims)
		return;
	lines->reclaims = dsos->reclaims;
	drop_replies(lines);	/* rows that are shown request them again */
	for (uint32_t id = 0; id < dsos->count; id++)
		if (dsos->dsos[id].is_free)
			id_map_remove(&lines->refused, id);
	for (uint32_t i = 0; i < lines->inlined.count; i++)
		if (dsos->dsos[lines->inlined.chains[i].dso].is_free)
			lines->inlined.chains[i].dso = DSO_UNKNOWN;		/* has none */
	drop_settled(lines);
}
