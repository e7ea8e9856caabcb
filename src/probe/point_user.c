/* point_user.c - see point_user.h.
 *
 *   file --> worker: what is in it alone, and which debug file it wants
 *        --> worker again with that file, and with dwz's if that one asks for it
 *        --> reply, checked --> sites, values, verdict
 *
 *   FUNC;PATTERN: one more job names the source file, whose lines are read and compared here; the
 *   numbers of those that match go with the query.
 *
 * Invariant: the descriptor that was given to the worker is the one that the kernel gets. A file
 * that is replaced meanwhile is another inode, and points in it are never probed.
 */
#include "point_user.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "line_pattern.h"
#include "point_file.h"
#include "probe_verdict.h"
#include "sandbox/probe_points.h"
#include "symbols/debuginfod.h"
#include "symbols/dso_file.h"

_Static_assert((int)VALUE_SIGNED == FETCH_SIGNED && (int)VALUE_SYMBOL == FETCH_SYMBOL,
	       "kinds of values are those of fetch arguments");
_Static_assert(PROBE_SITES_MAX <= POINT_SITES_MAX && PROBE_ARGUMENTS_MAX <= POINT_ARGUMENTS_MAX &&
	       PROBE_FUNCTION_BYTES == POINT_NAME_BYTES, "a question holds a spec");

#define INSTRUCTION_BYTES 64	/* longer ones are cut: the sentence that names them has 256 */

struct search {
	struct source_reader *reader;	/* BORROWED, with its sandbox */
	struct point_file file;
	struct point_query query;
	struct build_id build_id;	/* the file's */
	int debug, alternate;		/* owned; -1: none */
	struct point_reply reply;
	struct sandbox_bytes bytes;	/* owned: the bytes that `reply` points into */
	struct diag *why;
};

void point_query_fill(struct point_query *query, const struct probe_spec *spec)
{
	*query = (struct point_query){ .line = spec->line };
	snprintf(query->function, sizeof(query->function), "%s", spec->function);
	snprintf(query->declared_in, sizeof(query->declared_in), "%s", spec->declared_in);
	snprintf(query->source, sizeof(query->source), "%s", spec->source);
	query->offset = spec->offset;
	query->is_wildcard = spec->is_wildcard;
	query->functions_max = POINT_USER_FUNCTIONS_MAX;
	query->memory_bytes = UINT64_MAX;
	query->argument_count = spec->argument_count;
	for (uint32_t i = 0; i < spec->argument_count; i++) {
		snprintf(query->arguments[i].value, sizeof(query->arguments[i].value), "%s",
			 spec->arguments[i].value);
		snprintf(query->arguments[i].type, sizeof(query->arguments[i].type), "%s",
			 probe_meaning_fetched_as(spec->arguments[i].type));
	}
}

static int make_query(const struct point_query *query, struct diag *why)
{
	const int fd = sandbox_seal("flametop-points", query, sizeof(*query));

	return fd >= 0 ? fd
		       : diag_set(why, -ENOMEM, "no memory to ask for the sites of a probe");
}

static int run_job(struct search *search)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	int err;

	job.inputs[0] = search->file.file.fd;
	job.inputs[1] = make_query(&search->query, search->why);
	if (job.inputs[1] < 0)
		return job.inputs[1];
	if (search->query.has_debug)
		job.inputs[job.input_count++] = search->debug;
	if (search->query.has_alternate)
		job.inputs[job.input_count++] = search->alternate;
	sandbox_bytes_finish(&search->bytes);
	err = sandbox_run(search->reader->sandbox, &job, &search->bytes, search->why);
	close(job.inputs[1]);
	return err ? err : point_reply_check(&search->reply, search->bytes.bytes,
					     search->bytes.count, &search->query, search->why);
}

/* Opens the debug file below our own root, or below that of a process in a container. */
static bool open_debug(struct search *search, const struct build_id *id, const char *link)
{
	const struct process_root *root = &search->file.root;
	const struct debug_search wanted = {
		.dso = search->file.file.version, .build_id = *id, .link = link,
		.dso_path = search->file.path,
		.has_safe_path = (root->is_ours || root->root < 0) &&
				 search->file.file.is_trusted,
	};
	struct dso_file debug;

	if (debug_file_open(&debug, &wanted) &&
	    (root->is_ours || root->root < 0 ||
	     debug_file_open_below(&debug, &wanted, root)))
		return false;
	search->debug = debug.fd;
	search->query.has_debug = 1;
	return true;
}

/* Only a job without a debug file tells which one is needed: run one for the links first. @wanted:
 * the build-id that the file has to have. */
static int look_for_debug(struct search *search, const struct build_id *wanted)
{
	const struct point_query whole = search->query;
	int err;

	search->query.request = POINT_REQUEST_LINKS;
	err = run_job(search);
	search->query = whole;
	if (!err)
		err = probe_verdict_check_build(wanted, &search->reply.header->build_id, "it",
						search->why);
	if (err)
		return err;
	search->build_id = search->reply.header->build_id;
	open_debug(search, &search->build_id, search->reply.header->debug_link);
	return 0;
}

int point_user_open_debug(struct sandbox *sandbox, const struct point_file *file,
			  struct build_id *build_id, int *debug, struct diag *why)
{
	const struct build_id any = { .count = 0 };
	struct source_reader reader = { .sandbox = sandbox };
	struct search *search = calloc(1, sizeof(*search));
	int err;

	*debug = -1;
	if (!search)
		return diag_set(why, -ENOMEM, "no memory to look for a debug file");
	search->reader = &reader;
	search->file = *file;
	search->debug = search->alternate = -1;
	search->why = why;
	err = look_for_debug(search, &any);
	if (!err)
		*build_id = search->reply.header->build_id;
	*debug = search->debug;
	sandbox_bytes_finish(&search->bytes);
	free(search);
	return err;
}

/* Runs the job, and again with dwz's file if that is what the reply asks for. */
static int ask(struct search *search)
{
	int err = run_job(search);
	const struct point_header *header;
	struct line_files files;

	if (err)
		return err;
	header = search->reply.header;
	if (!header->alternate.count || search->query.has_alternate)
		return 0;
	line_files_open_alternate(&files, &header->alternate, header->alternate_name);
	search->alternate = files.alternate;
	search->query.has_alternate = files.alternate >= 0;
	search->query.no_alternate = files.alternate < 0;
	return run_job(search);
}

/* Returns whether the reply lacks what only debug information can tell. */
static bool lacks_debug(const struct search *search, int err)
{
	return err == -ENODATA ||
	       (!err && (search->query.request == POINT_REQUEST_VARIABLES ||
			 search->query.request == POINT_REQUEST_EXTERNS) &&
		!(search->reply.header->flags & POINT_HAS_DEBUG));
}

/* Runs the job, and again with a debug file from a server if it needs one and --debuginfod allows
 * that. */
static int ask_all(struct search *search)
{
	struct diag failure = { .err = 0 };
	int err = ask(search);

	if (search->debug >= 0 || !lacks_debug(search, err))
		return err;
	search->debug = debuginfod_get_debug_file(&search->build_id, &failure);
	if (search->debug < 0) {
		search->debug = -1;
		if (err && search->why && failure.err)
			*search->why = failure;
		return err;
	}
	search->query.has_debug = 1;
	return ask(search);
}

static const char *text_of(const struct search *search, uint32_t offset)
{
	return point_reply_text(&search->reply, offset);
}

int point_query_match_lines(struct point_query *query, const struct source_file *file,
			    const struct probe_spec *spec, struct diag *why)
{
	const size_t count = line_pattern_find(spec->pattern, file->text, file->bytes, 1,
					       UINT32_MAX, query->lines, POINT_LINES_MAX);

	if (!count)
		return diag_set(why, -ENOENT, "no line of %.200s matches '%s'", file->path,
				spec->pattern);
	if (count > POINT_LINES_MAX)
		return diag_set(why, -E2BIG, "%zu lines of %.200s match '%s', at most %d can be "
				"looked for", count, file->path, spec->pattern, POINT_LINES_MAX);
	query->line_count = (uint32_t)count;
	return 0;
}

/* Reads the source file that FUNC;PATTERN or FILE.c;PATTERN means, and adds the lines that match to
 * the query. */
static int find_lines(struct search *search, const struct probe_spec *spec)
{
	struct source_file *file;
	struct source_wanted source = { .author = search->file.file.author };
	int err;

	search->query.request = POINT_REQUEST_SOURCE;
	err = ask_all(search);
	search->query.request = POINT_REQUEST_SITES;
	if (err)
		return err;
	if (!search->reply.header->function_count)
		return diag_set(search->why, -EBADMSG, "its parser's reply has no source file");
	source.path = text_of(search, search->reply.functions[0].file);
	source.build_id = search->reply.header->build_id;
	err = source_file_read(search->reader, &file, &source, search->why);
	if (!err)
		err = point_query_match_lines(&search->query, file, spec, search->why);
	source_file_destroy(file);
	return err;
}

/* Copies a worker's text, which is untrusted. */
static void copy_clean(char *out, size_t room, const char *text)
{
	sanitize_text(out, room, text, strlen(text));
}

void point_value_copy(const struct point_reply *reply, const struct point_value *row,
		      struct probe_fetch *out)
{
	static const enum probe_origin origins[] = {
		[POINT_ORIGIN_TYPED] = ORIGIN_TYPED, [POINT_ORIGIN_DWARF] = ORIGIN_DWARF,
		[POINT_ORIGIN_ABI] = ORIGIN_ABI,
	};
	const char *fetch = point_reply_text(reply, row->fetch);

	*out = (struct probe_fetch){
		.kind = (enum probe_value_kind)row->kind, .origin = origins[row->origin],
		.is_return = row->is_return != 0, .is_located = row->is_located != 0,
	};
	copy_clean(out->name, sizeof(out->name), point_reply_text(reply, row->name));
	copy_clean(out->type, sizeof(out->type), point_reply_text(reply, row->type));
	copy_clean(out->fetch, sizeof(out->fetch), fetch);
	copy_clean(out->reason, sizeof(out->reason), point_reply_text(reply, row->reason));
	if (strpbrk(out->fetch, " \t;") || strcmp(out->fetch, fetch) != 0) {
		out->fetch[0] = '\0';
		snprintf(out->reason, sizeof(out->reason), "not what the kernel takes");
	}
}

static void fill_site(const struct search *search, struct probe_point *point,
		      const struct point_site *found)
{
	struct probe_site *site = &point->sites[point->site_count++];
	char instruction[INSTRUCTION_BYTES], first[INSTRUCTION_BYTES];
	struct probe_code code = { .site = found, .instruction = instruction, .first = first };

	site->offset = found->offset;
	site->begin = found->begin;
	site->address = found->address;
	site->is_inlined = found->is_inlined != 0;
	copy_clean(site->symbol, sizeof(site->symbol), text_of(search, found->symbol));
	for (uint32_t i = 0; i < found->value_count; i++) {
		point_value_copy(&search->reply, &search->reply.values[found->first_value + i],
				 &site->values[i]);
		snprintf(site->values[i].name, sizeof(site->values[i].name), "%s",
			 point->spec.arguments[i].name);
		probe_fetch_set_meaning(&site->values[i], &point->spec.arguments[i]);
	}
	site->value_count = found->value_count;
	copy_clean(instruction, sizeof(instruction), text_of(search, found->instruction));
	copy_clean(first, sizeof(first), text_of(search, found->first));
	code.machine = (enum machine)search->reply.header->machine;
	probe_verdict_of_code(point, site, &code);
	if (point->spec.edge != PROBE_ENTRY)
		probe_verdict_of_name(point, site->symbol);
}

static bool is_own_program(const struct search *search)
{
	struct stat own, file;

	return stat("/proc/self/exe", &own) == 0 && fstat(search->file.file.fd, &file) == 0 &&
	       own.st_dev == file.st_dev && own.st_ino == file.st_ino;
}

static int fill_rows(const struct search *search, const struct point_function *function,
		     struct probe_point *point)
{
	const struct point_site *found = &search->reply.sites[function->first_site];
	uint32_t left_out = 0;

	point->sites = calloc(function->site_count + 1, sizeof(*point->sites));
	point->offered = calloc(function->offered_count + 1, sizeof(*point->offered));
	if (!point->sites || !point->offered)
		return diag_set(search->why, -ENOMEM, "no memory for the sites of a probe");
	for (uint32_t i = 0; i < function->site_count; i++) {
		if (point->spec.edge != PROBE_ENTRY && found[i].is_inlined)
			left_out++;
		else
			fill_site(search, point, &found[i]);
	}
	for (uint32_t i = 0; i < function->offered_count; i++)
		point_value_copy(&search->reply,
				 &search->reply.values[function->first_offered + i],
				 &point->offered[point->offered_count++]);
	if (!point->site_count)
		return diag_set(search->why, -ENOENT, "'%s' is inlined wherever it is called, and "
				"inlined copies have no return: use an entry probe",
				point->spec.function);
	if (left_out)
		probe_verdict_add(point, VERDICT_COSTLY, "%u inlined copies are left out: they "
				  "have no return", left_out);
	return 0;
}

static int fill_point(const struct search *search, const struct probe_spec *spec,
		      const struct point_function *function, struct probe_point *point)
{
	const uint32_t flags = search->reply.header->flags;
	int err;

	*point = (struct probe_point){ .spec = *spec, .file = -1 };
	copy_clean(point->spec.function, sizeof(point->spec.function),
		   text_of(search, function->name));
	point->spec.is_wildcard = false;
	point->build_id = search->reply.header->build_id;
	err = point_file_put(&search->file, point, search->why);
	if (err)
		return err;
	probe_verdict_of_file(point, search->reply.header, is_own_program(search));
	probe_verdict_of_name(point, point->spec.function);
	err = fill_rows(search, function, point);
	if (!err && flags & POINT_HAS_EXCEPTIONS && spec->edge != PROBE_ENTRY)
		probe_verdict_of_exceptions(point);
	return err;
}

static int fill_points(const struct search *search, const struct probe_spec *spec,
		       struct probe_point **out, uint32_t *count)
{
	const uint32_t all = search->reply.header->function_count;
	int err = 0;

	*out = calloc(all + 1, sizeof(**out));
	if (!*out)
		return diag_set(search->why, -ENOMEM, "no memory for the sites of a probe");
	for (*count = 0; *count < all && !err; ++*count)
		err = fill_point(search, spec, &search->reply.functions[*count], &(*out)[*count]);
	return err;
}

/* Makes a point of site @index with its variables: they are what it offers. */
static int fill_variables(const struct search *search, const struct probe_spec *spec,
			  uint32_t index, struct probe_point *point)
{
	const struct point_site *found = &search->reply.sites[index];
	struct probe_site *site = calloc(1, sizeof(*site));

	*point = (struct probe_point){ .spec = *spec, .file = -1, .sites = site,
				       .build_id = search->reply.header->build_id };
	point->offered = calloc(found->value_count + 1, sizeof(*point->offered));
	if (!site || !point->offered)
		return diag_set(search->why, -ENOMEM, "no memory for the variables of a probe");
	snprintf(point->path, sizeof(point->path), "%s", search->file.path);
	point->site_count = 1;
	site->offset = found->offset;
	site->begin = found->begin;
	site->address = found->address;
	site->is_inlined = found->is_inlined != 0;
	copy_clean(site->symbol, sizeof(site->symbol), text_of(search, found->symbol));
	for (; point->offered_count < found->value_count; point->offered_count++)
		point_value_copy(&search->reply,
				 &search->reply.values[found->first_value + point->offered_count],
				 &point->offered[point->offered_count]);
	return 0;
}

static int fill_points_of_variables(const struct search *search, const struct probe_spec *spec,
				    struct probe_point **out, uint32_t *count)
{
	const struct point_header *header = search->reply.header;
	int err = 0;

	if (!(header->flags & POINT_HAS_DEBUG))
		return diag_set(search->why, -ENODATA, "no debug information, so variables are "
				"unknown: install its debug symbols");
	*out = calloc(header->site_count + 1, sizeof(**out));
	if (!*out)
		return diag_set(search->why, -ENOMEM, "no memory for the variables of a probe");
	for (*count = 0; *count < header->site_count && !err; ++*count)
		err = fill_variables(search, spec, *count, &(*out)[*count]);
	return err;
}

static int find(struct search *search, const struct probe_spec *spec, enum point_request request,
		struct probe_point **out, uint32_t *count)
{
	int err;

	point_query_fill(&search->query, spec);
	err = look_for_debug(search, &spec->build_id);
	if (!err && spec->pattern[0])
		err = find_lines(search, spec);
	search->query.request = (uint8_t)request;
	if (!err)
		err = ask_all(search);
	if (err) {
		diag_prefix(search->why, "%s", spec->file);
		return err;
	}
	return request == POINT_REQUEST_SITES ? fill_points(search, spec, out, count)
					 : fill_points_of_variables(search, spec, out, count);
}

int point_user_find(struct source_reader *reader, const struct probe_spec *spec, pid_t pid,
		    enum point_request request, struct probe_point **out, uint32_t *count,
		    struct diag *why)
{
	struct search *search = calloc(1, sizeof(*search));
	int err;

	if (!search)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	search->reader = reader;
	search->debug = search->alternate = -1;
	search->why = why;
	err = point_file_open(&search->file, spec->file, pid, why);
	if (!err) {
		err = find(search, spec, request, out, count);
		point_file_close(&search->file);
	}
	if (search->debug >= 0)
		close(search->debug);
	if (search->alternate >= 0)
		close(search->alternate);
	sandbox_bytes_finish(&search->bytes);
	free(search);
	return err;
}
