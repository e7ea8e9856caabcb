/* place_user.c - see place_user.h.
 *
 *   file --> worker: what is in it alone, and which debug file it wants
 *        --> worker again with that file, and with dwz's if that one asks for it
 *        --> answer, checked --> sites (code read here), values, verdict
 *
 * Invariant: the descriptor that was given to the worker is the one that the kernel gets. A file
 * that is replaced meanwhile is another inode, and places in it are never probed.
 */
#include "place_user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "base/whole_io.h"
#include "place_file.h"
#include "probe_verdict.h"
#include "sandbox/fetch_text.h"
#include "symbols/debug_file.h"
#include "symbols/line_files.h"

_Static_assert((int)VALUE_SIGNED == FETCH_SIGNED && (int)VALUE_SYMBOL == FETCH_SYMBOL,
	       "kinds of values are those of fetch arguments");
_Static_assert(PROBE_SITES_MAX <= POINT_SITES_MAX && PROBE_ARGUMENTS_MAX <= POINT_ARGUMENTS_MAX &&
	       PROBE_FUNCTION_BYTES == POINT_NAME_BYTES, "a question holds a spec");

struct search {
	struct sandbox *sandbox;
	struct place_file file;
	struct point_query query;
	int debug, alternate;		/* owned; -1: none */
	struct point_answer answer;
	struct sandbox_bytes bytes;	/* owned: the bytes that `answer` points into */
	struct diag *why;
};

static void fill_query(struct search *search, const struct probe_spec *spec)
{
	struct point_query *query = &search->query;

	snprintf(query->function, sizeof(query->function), "%s", spec->function);
	snprintf(query->source, sizeof(query->source), "%s", spec->source);
	query->line = spec->line;
	query->offset = spec->offset;
	query->is_wildcard = spec->is_wildcard;
	query->functions_max = PLACE_USER_FUNCTIONS_MAX;
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
	int fd = memfd_create("flametop-points", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && whole_write(fd, query, sizeof(*query)) == (ssize_t)sizeof(*query) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOMEM, "no memory to ask for the places of a probe");
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
	err = sandbox_run(search->sandbox, &job, &search->bytes, search->why);
	close(job.inputs[1]);
	return err ? err : point_answer_check(&search->answer, search->bytes.bytes,
					      search->bytes.count, &search->query, search->why);
}

/* Opens the debug file below our own root, or below that of a process in a container. */
static bool open_debug(struct search *search, const struct build_id *id, const char *link)
{
	const struct process_root *root = &search->file.root;
	const struct debug_search wanted = {
		.object = search->file.file.version, .build_id = *id, .link = link,
		.object_path = search->file.path,
		.has_safe_path = (root->is_ours || root->root < 0) &&
				 search->file.file.is_trusted,
	};
	struct object_file debug;

	if (debug_file_open(&debug, &wanted) &&
	    (root->is_ours || root->root < 0 ||
	     debug_file_open_below(&debug, &wanted, root)))
		return false;
	search->debug = debug.fd;
	search->query.has_debug = 1;
	return true;
}

/* Only a job without a debug file tells which one is needed: run one for the links first. */
static int look_for_debug(struct search *search)
{
	const struct point_query whole = search->query;
	int err;

	search->query.wants_links = 1;
	err = run_job(search);
	search->query = whole;
	if (err)
		return err;
	open_debug(search, &search->answer.header->build_id, search->answer.header->debug_link);
	return 0;
}

static int ask(struct search *search)
{
	int err = look_for_debug(search);
	const struct point_header *header;
	struct line_files files;

	if (!err)
		err = run_job(search);
	if (err)
		return err;
	header = search->answer.header;
	if (!header->alternate.count)
		return 0;
	line_files_open_alternate(&files, &header->alternate, header->alternate_name);
	search->alternate = files.alternate;
	search->query.has_alternate = files.alternate >= 0;
	search->query.no_alternate = files.alternate < 0;
	return run_job(search);
}

static const char *text_of(const struct search *search, uint32_t offset)
{
	return point_answer_text(&search->answer, offset);
}

/* Copies a worker's text, which is untrusted. */
static void copy_clean(char *out, size_t room, const char *text)
{
	sanitize_text(out, room, text, strlen(text));
}

static void fill_value(const struct search *search, const struct point_value *row,
		       struct probe_fetch *out)
{
	static const enum probe_origin origins[] = {
		[POINT_ORIGIN_TYPED] = ORIGIN_TYPED, [POINT_ORIGIN_DWARF] = ORIGIN_DWARF,
		[POINT_ORIGIN_ABI] = ORIGIN_ABI,
	};

	*out = (struct probe_fetch){
		.kind = (enum probe_value_kind)row->kind, .origin = origins[row->origin],
		.is_return = row->is_return != 0,
	};
	copy_clean(out->name, sizeof(out->name), text_of(search, row->name));
	copy_clean(out->type, sizeof(out->type), text_of(search, row->type));
	copy_clean(out->fetch, sizeof(out->fetch), text_of(search, row->fetch));
	copy_clean(out->reason, sizeof(out->reason), text_of(search, row->reason));
	if (strpbrk(out->fetch, " \t;") || strcmp(out->fetch, text_of(search, row->fetch)) != 0) {
		out->fetch[0] = '\0';
		snprintf(out->reason, sizeof(out->reason), "not what the kernel takes");
	}
}

static void fill_site(const struct search *search, struct probe_places *place,
		      const struct point *point)
{
	struct probe_site *site = &place->sites[place->site_count++];

	site->offset = point->offset;
	site->is_inlined = point->is_inlined != 0;
	copy_clean(site->symbol, sizeof(site->symbol), text_of(search, point->symbol));
	for (uint32_t i = 0; i < point->value_count; i++) {
		fill_value(search, &search->answer.values[point->first_value + i],
			   &site->values[i]);
		snprintf(site->values[i].name, sizeof(site->values[i].name), "%s",
			 place->spec.arguments[i].name);
		probe_fetch_set_meaning(&site->values[i], &place->spec.arguments[i]);
	}
	site->value_count = point->value_count;
	probe_verdict_of_code(place, site, point, search->answer.header->flags);
	if (place->spec.edge != PROBE_ENTRY)
		probe_verdict_of_name(place, site->symbol);
}

static bool is_own_program(const struct search *search)
{
	struct stat own, file;

	return stat("/proc/self/exe", &own) == 0 && fstat(search->file.file.fd, &file) == 0 &&
	       own.st_dev == file.st_dev && own.st_ino == file.st_ino;
}

static int fill_rows(const struct search *search, const struct point_function *function,
		     struct probe_places *place)
{
	const struct point *points = &search->answer.points[function->first_point];
	uint32_t left_out = 0;

	place->sites = calloc(function->point_count + 1, sizeof(*place->sites));
	place->offered = calloc(function->offered_count + 1, sizeof(*place->offered));
	if (!place->sites || !place->offered)
		return diag_set(search->why, -ENOMEM, "no memory for the places of a probe");
	for (uint32_t i = 0; i < function->point_count; i++) {
		if (place->spec.edge != PROBE_ENTRY && points[i].is_inlined)
			left_out++;
		else
			fill_site(search, place, &points[i]);
	}
	for (uint32_t i = 0; i < function->offered_count; i++)
		fill_value(search, &search->answer.values[function->first_offered + i],
			   &place->offered[place->offered_count++]);
	if (!place->site_count)
		return diag_set(search->why, -ENOENT, "'%s' is inlined wherever it is called, and "
				"inlined copies have no return: use an entry probe",
				place->spec.function);
	if (left_out)
		probe_verdict_add(place, VERDICT_COSTLY, "%u inlined copies are left out: they "
				  "have no return", left_out);
	return 0;
}

static int fill_place(const struct search *search, const struct probe_spec *spec,
		      const struct point_function *function, struct probe_places *place)
{
	const uint32_t flags = search->answer.header->flags;
	int err;

	*place = (struct probe_places){ .spec = *spec, .file = -1 };
	copy_clean(place->spec.function, sizeof(place->spec.function),
		   text_of(search, function->name));
	place->spec.is_wildcard = false;
	err = place_file_put(&search->file, place, search->why);
	if (err)
		return err;
	probe_verdict_of_file(place, flags, is_own_program(search));
	probe_verdict_of_name(place, place->spec.function);
	err = fill_rows(search, function, place);
	if (!err && flags & POINT_HAS_EXCEPTIONS && spec->edge != PROBE_ENTRY)
		probe_verdict_of_exceptions(place);
	return err;
}

static int fill_places(const struct search *search, const struct probe_spec *spec,
		       struct probe_places **out, uint32_t *count)
{
	const uint32_t all = search->answer.header->function_count;
	int err = 0;

	*out = calloc(all + 1, sizeof(**out));
	if (!*out)
		return diag_set(search->why, -ENOMEM, "no memory for the places of a probe");
	for (*count = 0; *count < all && !err; ++*count)
		err = fill_place(search, spec, &search->answer.functions[*count], &(*out)[*count]);
	if (err) {
		probe_places_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return err;
}

int place_user_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_places **out, uint32_t *count, struct diag *why)
{
	struct search *search = calloc(1, sizeof(*search));
	int err;

	if (!search)
		return diag_set(why, -ENOMEM, "no memory for the places of a probe");
	search->sandbox = sandbox;
	search->debug = search->alternate = -1;
	search->why = why;
	err = place_file_open(&search->file, spec->file, pid, why);
	if (!err) {
		fill_query(search, spec);
		err = ask(search);
		if (err)
			diag_prefix(why, "%s", spec->file);
		else
			err = fill_places(search, spec, out, count);
		place_file_close(&search->file);
	}
	if (search->debug >= 0)
		close(search->debug);
	if (search->alternate >= 0)
		close(search->alternate);
	sandbox_bytes_finish(&search->bytes);
	free(search);
	return err;
}
