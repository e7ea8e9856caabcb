/* listing_builder.c - see listing_builder.h. */
#include "listing_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/source_lines.h"
#include "snapshot_rows.h"

#define HOT_SHARE    100	/* run-time code with a hundredth of the samples is kept */
#define MEMORY_BYTES ((uint64_t)512 << 20)	/* debug information that is read for one listing */
#define TARGETS_MAX  16384	/* targets that are named; 100 kB of code have a tenth */
#define KEPT_MAX     65536	/* run-time functions that are remembered as kept */

void listing_builder_init(struct listing_builder *builder, struct listing_server *server,
			  struct ingest *ingest)
{
	*builder = (struct listing_builder){ .server = server, .ingest = ingest };
}

void listing_builder_finish(struct listing_builder *builder)
{
	for (uint32_t i = 0; i < LISTINGS_KEPT; i++)
		listing_document_release(builder->documents[i]);
	id_map_finish(&builder->kept);
	memset(builder, 0, sizeof(*builder));
}

/* Moves the document at @index to the front. */
static struct listing_document *use(struct listing_builder *builder, uint32_t index)
{
	struct listing_document *document = builder->documents[index];

	memmove(&builder->documents[1], &builder->documents[0], index * sizeof(document));
	return builder->documents[0] = document;
}

/* Returns the newest version of the function's document, BORROWED, or NULL. */
static struct listing_document *find(struct listing_builder *builder,
				     const struct listing_function *function)
{
	for (uint32_t i = 0; i < LISTINGS_KEPT && builder->documents[i]; i++)
		if (listing_function_is_equal(&builder->documents[i]->function, function))
			return use(builder, i);
	return NULL;
}

/* Drops the documents that were not used for longest, as long as all need too much memory. */
static void drop_oldest(struct listing_builder *builder)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < LISTINGS_KEPT && builder->documents[i]; i++) {
		bytes += listing_document_bytes(builder->documents[i]);
		if (!i || bytes <= LISTINGS_BYTES_MAX)
			continue;
		for (; i < LISTINGS_KEPT; i++) {
			listing_document_release(builder->documents[i]);
			builder->documents[i] = NULL;
		}
	}
}

bool listing_builder_take(struct listing_builder *builder)
{
	struct listing_document *document =
		builder->server ? listing_server_take(builder->server) : NULL;

	if (!document)
		return false;
	if (find(builder, &document->function)) {
		listing_document_release(builder->documents[0]);
	} else {
		listing_document_release(builder->documents[LISTINGS_KEPT - 1]);
		memmove(&builder->documents[1], &builder->documents[0],
			(LISTINGS_KEPT - 1) * sizeof(document));
	}
	builder->documents[0] = document;
	drop_oldest(builder);
	if (document->is_final &&
	    listing_function_is_equal(&document->function, &builder->requested))
		builder->requested.section_count = 0;
	return true;
}

void listing_builder_close(struct listing_builder *builder)
{
	builder->open.section_count = 0;
}

bool listing_builder_is_pending(const struct listing_builder *builder)
{
	return builder->requested.section_count;
}

/* Fills in where the bytes of the function are. 0, or -errno with the reason. */
static int place_code(const struct listing_builder *builder, const struct listing_function *of,
		      struct listing_request *out, struct diag *why)
{
	const struct ingest *ingest = builder->ingest;
	const struct dso *dso = &ingest->dsos.dsos[of->dso];
	const struct source_request code = { of->sections[0].begin, of->dso };

	if (dso->mode != MODE_USER && dso->mode != MODE_KERNEL)
		return diag_set(why, -ENOENT, "nobody has the code of guests and hypervisors");
	if (dso->mode == MODE_KERNEL && !ingest_has_running_kernel(ingest))
		return diag_set(why, -ENOENT, "another kernel runs than in the recording");
	if (dso->is_run_time) {
		out->code.place = CODE_IN_PROCESS;
		out->code.time_ns = ingest->config.is_replay ? 0 : ingest->watermark_ns;
		out->code.name_hash = of->name_hash;
		out->bias = dso->bias;
		return ingest_run_time_place(builder->ingest, of->dso, &out->code.dso,
					     &out->code.is_gone) ? 0
		       : diag_set(why, -ESRCH, "code that was made at run time is gone with its "
				  "process");
	}
	out->code.place = dso->mode == MODE_KERNEL ? CODE_IN_KERNEL : CODE_IN_FILE;
	return source_lines_place(ingest, &code, &out->code.dso, out->debug_link) ? 0
	       : diag_set(why, -ESRCH, "no process has it mapped any more, and its file has no "
			  "build-id");
}

static void request(struct listing_builder *builder, const struct listing_function *function)
{
	struct listing_request *request;

	if (listing_function_is_equal(function, &builder->requested))
		return;
	builder->why = (struct diag){ .err = 0 };
	if (!builder->server) {
		diag_set(&builder->why, -ENOSYS, "nobody reads its code");
		return;
	}
	request = calloc(1, sizeof(*request));
	if (!request)
		return;		/* requested again with the next snapshot */
	request->function = *function;
	request->memory_bytes = MEMORY_BYTES;
	if (!place_code(builder, function, request, &builder->why) &&
	    !listing_server_request(builder->server, request, &builder->why))
		builder->requested = *function;
	free(request);
}

/* True for "NAME", and for "NAME" of "NAME(int)". */
static bool is_named(const char *symbol, const char *name)
{
	const size_t len = strlen(name);

	return !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '(');
}

/* Returns the SYMBOL of @name, "DSO:SYMBOL" of this DSO or "SYMBOL"; C++ names have colons, too. */
static const char *name_within(const struct listing_builder *builder, const char *name,
			       struct str_id path, struct str_id dso)
{
	const char *prefixes[] = { strpool_get(builder->ingest->strings, path),
				   strpool_get(builder->ingest->strings, dso) };

	for (int i = 0; i < 2; i++) {
		const size_t len = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], len) && name[len] == ':')
			return name + len + 1;
	}
	return name;
}

static bool is_chosen(const struct listing_builder *builder, const struct symbol *symbol,
		      const char *name)
{
	const struct strpool *strings = builder->ingest->strings;

	if (symbol_is_bare(symbol) || symbol->state == SYMBOL_LOADING)
		return false;
	name = name_within(builder, name, symbol->dso_path, symbol->dso_name);
	return is_named(strpool_get(strings, symbol->name), name) ||
	       is_named(strpool_get(strings, symbol_names_shown(&builder->ingest->names, symbol)),
			name);
}

/* Returns the row of that name with the most samples, or NULL. */
static const struct fold_row *row_of_name(const struct listing_builder *builder,
					  const struct fold *rows, const char *name)
{
	const struct fold_row *best = NULL;

	for (uint32_t i = 0; i < rows->row_count; i++) {
		const struct fold_row *row = &rows->rows[i];

		if (!row->is_idle &&
		    is_chosen(builder, &builder->ingest->names.symbols[row->symbol], name) &&
		    (!best || row->stats.self.weight > best->stats.self.weight))
			best = row;
	}
	return best;
}

/* Finds a function of that name that has no samples. */
static bool find_in_tables(const struct listing_builder *builder, const char *name,
			   struct source_request *out)
{
	const struct dso_table *dsos = &builder->ingest->dsos;

	for (uint32_t id = 0; id < dsos->count; id++) {
		const struct dso *dso = &dsos->dsos[id];
		const char *wanted = name_within(builder, name, dso->path, dso->name);

		if (dso->is_free || dso->canonical != id || dso->is_run_time || !dso->table.header)
			continue;
		for (uint32_t row = 0; row < dso->table.header->row_count; row++)
			if (!strcmp(flat_table_name(&dso->table, row), wanted)) {
				*out = (struct source_request){ dso->table.rows[row].start, id };
				return true;
			}
	}
	return false;
}

/* Finds the function of that name with the most samples, else one without any. */
static bool find_by_name(const struct listing_builder *builder, const struct fold *rows,
			 const char *name, struct source_request *out)
{
	const struct fold_row *row = row_of_name(builder, rows, name);
	const struct symbol *symbol = row ? &builder->ingest->names.symbols[row->symbol] : NULL;

	if (!symbol)
		return find_in_tables(builder, name, out);
	*out = (struct source_request){ symbol->address, symbol->dso };
	return true;
}

/* Names the other DSOs that have samples in a function of that name. */
static void name_others(const struct listing_builder *builder,
			const struct listing_sources *sources, uint32_t dso, char *out,
			size_t bytes)
{
	const struct symbol_names *names = &builder->ingest->names;
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; sources->query->listing_name[0] && i < sources->rows->row_count; i++) {
		const struct fold_row *row = &sources->rows->rows[i];
		const struct symbol *symbol = &names->symbols[row->symbol];

		if (row->is_idle || symbol->dso == dso || used >= bytes ||
		    !is_chosen(builder, symbol, sources->query->listing_name))
			continue;
		used += (size_t)snprintf(out + used, bytes - used, "%s%s (%" PRIu64 " samples)",
					 used ? ", " : "",
					 strpool_get(builder->ingest->strings, symbol->dso_name),
					 row->stats.self.samples);
	}
}

/* An empty listing that says why it is. */
static struct listing *make_refusal(const char *reason)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	struct snapshot_text text = { .bytes = NULL };

	snapshot_text_put(&text, reason);
	if (!listing || text.is_out_of_memory) {
		free(listing);
		free(text.bytes);
		return NULL;
	}
	listing->state = LISTING_REFUSED;
	listing->texts = text.bytes;
	listing->reason = text.bytes;
	listing->symbol = listing->dso = listing->dso_path = listing->others = "";
	listing->raw_symbol = listing->events[0] = "";
	listing->event_count = 1;
	return listing;
}

/* Says that a name is unknown; names of code that was sampled a moment ago come later. */
static void refuse_name(const struct dso_table *dsos, const char *name, struct diag *why)
{
	uint32_t unread = 0;

	for (uint32_t id = 0; id < dsos->count; id++)
		unread += !dsos->dsos[id].is_free && dsos->dsos[id].is_asked;
	if (unread)
		diag_set(why, -ENOENT, "no function named %s is known; files still to be read: "
			 "%" PRIu32 "; --batch=2 lists it again", name, unread);
	else
		diag_set(why, -ENOENT, "no function named %s is known", name);
}

static bool find_function(const struct listing_builder *builder,
			  const struct listing_sources *sources, struct listing_function *out,
			  struct diag *why)
{
	const struct query *query = sources->query;
	struct source_request of = query->listing;

	if (query->listing_name[0] &&
	    !find_by_name(builder, sources->rows, query->listing_name, &of)) {
		refuse_name(&builder->ingest->dsos, query->listing_name, why);
		return false;
	}
	if (listing_function_find(out, &builder->ingest->dsos, of.dso, of.address))
		return true;
	return diag_set(why, -ENOENT, "no function is known at this address"), false;
}

bool listing_builder_begin(struct listing_builder *builder, const struct listing_sources *sources,
			   struct listing_function *function, struct listing_fold *fold,
			   struct listing **out)
{
	struct ingest *ingest = builder->ingest;
	uint32_t events[LISTING_EVENTS_MAX] = { sources->event }, count = 1;
	struct diag why = { .err = 0 };

	if (!find_function(builder, sources, function, &why)) {
		*out = make_refusal(why.text);
		return false;
	}
	for (uint32_t event = 0; event < sources->event_count && count < LISTING_EVENTS_MAX;
	     event++)
		if (event != sources->event)
			events[count++] = event;
	listing_fold_init(fold, &ingest->trie, &ingest->names, &ingest->tasks, function,
			  &sources->query->filter, events, count);
	fold->is_relative = sources->query->is_relative;
	listing_fold_set_waits(fold, sources->waits);
	return true;
}

/* Returns whether the name of the row's target is to be found: code elsewhere, not a jump within
 * the function. */
static bool leads_out(const struct listing *listing, const struct code_row *row)
{
	return row->flags & (CODE_HAS_TARGET | CODE_REFERS) &&
	       (row->target == listing->function.sections[0].begin ||
		listing_function_section(&listing->function, row->target) == UINT32_MAX);
}

static int compare_targets(const void *a, const void *b)
{
	const struct listing_target *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* Returns the symbol at @address of @dso, BORROWED until the next one is looked up; NULL: no
 * memory. */
static const struct symbol *symbol_at(struct listing_builder *builder, uint32_t dso,
				      uint64_t address)
{
	struct ingest *ingest = builder->ingest;
	const uint32_t frame = stack_trie_frame(&ingest->trie, dso, address);
	const uint32_t id = frame == ID_SET_NONE
			    ? ID_SET_NONE
			    : symbol_names_of_frame(&ingest->names, &ingest->trie, frame);

	return id == ID_SET_NONE ? NULL : &ingest->names.symbols[id];
}

/* Names the target by its DSO's table, and keeps the offset of its text in place of the pointer. */
static bool name_target(struct listing_builder *builder, uint32_t dso, uint64_t address,
			struct snapshot_text *text, struct listing_target *out)
{
	struct ingest *ingest = builder->ingest;
	const struct symbol *symbol = symbol_at(builder, dso, address);

	if (!symbol || symbol->state != SYMBOL_NAMED)
		return false;
	*out = (struct listing_target){
		.address = address, .offset = address - symbol->address,
		.name = (const char *)snapshot_text_put_string(
			text, ingest->strings, symbol_names_shown(&ingest->names, symbol)),
	};
	return true;
}

static int add_targets(struct listing_builder *builder, struct listing *listing,
		       struct snapshot_text *text)
{
	const struct code_rows *code = &listing->document->code;
	struct listing_target *targets = calloc(code->header->row_count + 1, sizeof(*targets));
	uint32_t kept = 0, count = 0, looked_up = 0;

	if (!targets)
		return -ENOMEM;
	for (uint32_t i = 0; i < code->header->row_count; i++)
		if (leads_out(listing, &code->rows[i]))
			targets[count++].address = code->rows[i].target;
	qsort(targets, count, sizeof(*targets), compare_targets);
	for (uint32_t i = 0; i < count && looked_up < TARGETS_MAX; i++)
		if ((!i || targets[i].address != targets[i - 1].address) && ++looked_up &&
		    name_target(builder, listing->function.dso, targets[i].address, text,
				&targets[kept]))
			kept++;
	listing->targets = targets;
	listing->target_count = kept;
	return 0;
}

static int add_callees(struct listing_builder *builder, struct listing *listing,
		       const struct listing_fold *fold, struct snapshot_text *text)
{
	const struct symbol_names *names = &builder->ingest->names;
	struct listing_callee *callees = calloc(fold->site_count + 1, sizeof(*callees));

	if (!callees)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->site_count; i++) {
		const struct listing_site *site = &fold->sites[i];
		const struct symbol *symbol = &names->symbols[site->callee];

		callees[i] = (struct listing_callee){
			.return_address = site->return_address, .samples = site->load.samples,
			.weight = site->load.weight, .dso_id = symbol->dso,
			.address = symbol->address,
			.name = (const char *)snapshot_text_put_string(
				text, builder->ingest->strings, symbol_names_shown(names, symbol)),
		};
	}
	listing->callees = callees;
	listing->callee_count = fold->site_count;
	return 0;
}

/* Replaces offsets by pointers. */
static void join(struct listing *listing, struct snapshot_text *text)
{
	struct listing_target *targets = (struct listing_target *)listing->targets;
	struct listing_callee *callees = (struct listing_callee *)listing->callees;
	const char **names[] = { &listing->symbol, &listing->dso, &listing->dso_path,
				 &listing->others, &listing->reason, &listing->raw_symbol };

	listing->texts = text->bytes;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		*names[i] = text->bytes + (size_t)*names[i];
	for (uint32_t i = 0; i < listing->event_count; i++)
		listing->events[i] = text->bytes + (size_t)listing->events[i];
	for (uint32_t i = 0; i < listing->target_count; i++)
		targets[i].name = text->bytes + (size_t)targets[i].name;
	for (uint32_t i = 0; i < listing->callee_count; i++)
		callees[i].name = text->bytes + (size_t)callees[i].name;
	id_map_finish(&text->of_string);
}

/* Copies all texts to @text, which begins with "", and leaves offsets in place of the pointers. */
static void copy_texts(struct listing *listing, struct snapshot_text *text)
{
	struct listing_callee *callees = (struct listing_callee *)listing->callees;
	const char **names[] = { &listing->symbol, &listing->dso, &listing->dso_path,
				 &listing->others, &listing->reason, &listing->raw_symbol };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		*names[i] = (const char *)snapshot_text_put(text, *names[i]);
	for (uint32_t i = 0; i < listing->event_count; i++)
		listing->events[i] = (const char *)snapshot_text_put(text, listing->events[i]);
	for (uint32_t i = 0; i < listing->callee_count; i++)
		callees[i].name = (const char *)snapshot_text_put(text, callees[i].name);
}

void listing_builder_complete(struct listing_builder *builder, struct listing *listing)
{
	struct listing_document *document = find(builder, &listing->function);
	struct snapshot_text text = { .bytes = NULL };
	char *before = listing->texts;

	snapshot_text_put(&text, "");
	if (!document || document == listing->document || text.is_out_of_memory) {
		free(text.bytes);
		return;
	}
	listing_document_release(listing->document);
	listing->document = listing_document_get(document);
	listing->state = LISTING_READY;
	free((void *)listing->targets);
	listing->targets = NULL;
	listing->target_count = 0;
	copy_texts(listing, &text);
	if (document->has_code)
		add_targets(builder, listing, &text);	/* without memory they stay addresses */
	join(listing, &text);
	free(before);
}

static void sum(struct listing *listing)
{
	for (uint32_t i = 0; i < listing->address_count; i++)
		for (uint32_t event = 0; event < listing->event_count; event++) {
			load_add(&listing->now[event], &listing->addresses[i].now[event]);
			load_add(&listing->base[event], &listing->addresses[i].base[event]);
		}
}

/* Returns whether the document is to be made, or made again: it is not complete, or the listing was
 * opened just now and its code may have been patched since, or may be readable now. */
static bool must_request(const struct listing_builder *builder,
			 const struct listing_document *document, const struct listing *listing)
{
	return !document || !document->is_final ||
	       ((listing->is_of_kernel || listing->is_run_time || !document->has_code) &&
		!listing_function_is_equal(&builder->open, &listing->function));
}

/* Sets the listing's document, state and reason. */
static void set_document(struct listing_builder *builder, struct listing *listing,
			 struct snapshot_text *text)
{
	struct listing_document *document = find(builder, &listing->function);

	if (must_request(builder, document, listing))
		request(builder, &listing->function);
	builder->open = listing->function;
	if (document) {
		listing->document = listing_document_get(document);
		listing->state = LISTING_READY;
	} else {
		listing->state = builder->why.err ? LISTING_REFUSED : LISTING_LOADING;
		listing->reason = (const char *)snapshot_text_put(
			text, builder->why.err ? builder->why.text : "reading its code…");
	}
}

/* True for an event whose modifiers ask for precise samples: "cycles:pp", "cycles:P". */
static bool is_precise(const char *event)
{
	const char *modifiers = strrchr(event, ':');

	return modifiers && strpbrk(modifiers, "pP") && !strchr(modifiers, '_');
}

static void describe(struct listing_builder *builder, struct listing *listing,
		     struct snapshot_text *text)
{
	struct ingest *ingest = builder->ingest;
	const struct dso *dso = &ingest->dsos.dsos[listing->function.dso];
	const struct symbol *symbol =
		symbol_at(builder, listing->function.dso, listing->function.sections[0].begin);

	listing->is_of_kernel = dso->mode == MODE_KERNEL;
	listing->is_run_time = dso->is_run_time;
	if (!symbol)
		return;
	listing->symbol = (const char *)snapshot_text_put_string(
		text, ingest->strings, symbol_names_shown(&ingest->names, symbol));
	listing->raw_symbol =
		(const char *)snapshot_text_put_string(text, ingest->strings, symbol->name);
	listing->is_synthetic = symbol->is_synthetic;
	listing->dso =
		(const char *)snapshot_text_put_string(text, ingest->strings, symbol->dso_name);
	listing->dso_path =
		(const char *)snapshot_text_put_string(text, ingest->strings, symbol->dso_path);
}

struct listing *listing_builder_make(struct listing_builder *builder,
				     const struct listing_sources *sources,
				     struct listing_fold *fold)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	struct snapshot_text text = { .bytes = NULL };
	char others[256];
	int err;

	if (!listing)
		return NULL;
	snapshot_text_put(&text, "");
	listing->function = *fold->function;
	listing->event_count = fold->event_count;
	listing->is_compared = sources->is_compared;
	for (uint32_t i = 0; i < fold->event_count; i++) {
		const char *name = sources->event_name(sources->owner, fold->events[i]);

		listing->events[i] = (const char *)snapshot_text_put(&text, name);
		if (!i)
			listing->is_precise = is_precise(name);
	}
	memcpy(listing->all_weight, fold->all_weight, sizeof(listing->all_weight));
	listing->addresses = fold->addresses;
	listing->address_count = fold->address_count;
	fold->addresses = NULL;
	sum(listing);
	describe(builder, listing, &text);
	name_others(builder, sources, listing->function.dso, others, sizeof(others));
	listing->others = (const char *)snapshot_text_put(&text, others);
	set_document(builder, listing, &text);
	err = add_callees(builder, listing, fold, &text);
	if (!err && listing->document && listing->document->has_code)
		err = add_targets(builder, listing, &text);
	if (err || text.is_out_of_memory) {
		free(text.bytes);
		id_map_finish(&text.of_string);
		listing_destroy(listing);
		return NULL;
	}
	join(listing, &text);
	return listing;
}

/* Adds the function of @row, made at run time and not kept yet, to @requests. */
static bool add_kept(struct listing_builder *builder, const struct fold_row *row,
		     struct listing_request *out)
{
	const struct ingest *ingest = builder->ingest;
	const struct symbol *symbol = &ingest->names.symbols[row->symbol];
	const struct dso *dso = &ingest->dsos.dsos[symbol->dso];
	uint64_t key;
	struct diag why;

	memset(out, 0, sizeof(*out));	/* an earlier row may have been refused */
	if (!dso->is_run_time || symbol->state != SYMBOL_NAMED ||
	    !listing_function_find(&out->function, &ingest->dsos, symbol->dso, symbol->address))
		return false;
	key = id_map_mix(symbol->address ^ id_map_mix(dso->serial ^ out->function.name_hash));
	if (id_map_get(&builder->kept, key) != ID_MAP_NONE ||
	    place_code(builder, &out->function, out, &why) || out->code.dso.path[0])
		return false;
	return !id_map_put(&builder->kept, key, 1);
}

void listing_builder_keep(struct listing_builder *builder, const struct fold *rows)
{
	struct listing_request *requests = NULL;
	uint32_t count = 0;

	if (!builder->server || builder->ingest->config.is_replay ||
	    !listing_server_can_keep(builder->server))
		return;
	for (uint32_t i = 0; i < rows->row_count && count < LISTING_KEPT_MAX; i++) {
		const struct fold_row *row = &rows->rows[i];

		if (row->is_idle || row->stats.self.weight * HOT_SHARE < rows->weight ||
		    rows->weight <= 0)
			continue;
		if (!requests)
			requests = calloc(LISTING_KEPT_MAX, sizeof(*requests));
		if (!requests)
			return;
		count += add_kept(builder, row, &requests[count]);
		if (builder->kept.used > KEPT_MAX)
			id_map_clear(&builder->kept);	/* they are looked for once more */
	}
	if (count)
		listing_server_keep(builder->server, requests, count);
	else
		free(requests);
}
