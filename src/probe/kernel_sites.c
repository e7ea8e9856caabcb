/* kernel_sites.c - see kernel_sites.h.
 *
 * A worker says where code is in the running kernel, but a file that it has parsed may have
 * controlled it: only addresses in functions that the kernel itself lists become sites, and the
 * kernel refuses what is not the begin of an instruction.
 *
 * kprobe_events takes the first of several functions with one name, or none: an address is written
 * as the distance from the nearest name before it that is unique.
 */
#include "kernel_sites.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "point_user.h"
#include "symbols/kallsyms.h"

#define KALLSYMS    "/proc/kallsyms"
#define NEAREST_MAX 6			/* names before an address of which one should be unique */
#define FUNCTION_BYTES_MAX (16u << 20)	/* farther from any name is no function */

static const atomic_bool never;

/* Runs the job with the files that may be the debug information, until one is of the right build.
 * */
static int try_files(struct kernel_sites *sites, struct sandbox *sandbox,
		     struct sandbox_request *job, struct diag *why)
{
	for (;;) {
		int err;

		job->inputs[0] = kernel_debug_next(&sites->search, why);
		if (job->inputs[0] < 0)
			return job->inputs[0];
		err = sandbox_run(sandbox, job, &sites->bytes, why);
		close(job->inputs[0]);
		if (!err || !kernel_debug_refused(&sites->search, err, why)) {
			sites->has_debug = true;
			return err;
		}
	}
}

static int run_query(struct kernel_sites *out, struct sandbox *sandbox,
		     const struct point_query *query, struct diag *why)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 3 };
	int err;

	out->search = (struct kernel_debug_search){ .layout = &out->layout };
	job.inputs[1] = sandbox_seal("flametop-points", query, sizeof(*query));
	job.inputs[2] = sandbox_seal("flametop-layout", &out->layout, sizeof(out->layout));
	if (job.inputs[1] < 0 || job.inputs[2] < 0)
		err = diag_set(why, -ENOMEM, "no memory to ask for the sites of a probe");
	else
		err = try_files(out, sandbox, &job, why);
	for (int i = 1; i <= 2; i++)
		if (job.inputs[i] >= 0)
			close(job.inputs[i]);
	return err ? err : point_reply_check(&out->reply, out->bytes.bytes, out->bytes.count, query,
					     why);
}

/* Reads the source file that FUNC;PATTERN or FILE.c;PATTERN means, and adds the lines that match to
 * @query. */
static int match_lines(struct kernel_sites *sites, struct source_reader *reader,
		       const struct probe_spec *spec, struct point_query *query, struct diag *why)
{
	const uint8_t request = query->request;
	struct source_wanted source = { .is_kernel = true };
	struct source_file *file = NULL;
	int err;

	query->request = POINT_REQUEST_SOURCE;
	err = run_query(sites, reader->sandbox, query, why);
	query->request = request;
	if (!err && !sites->reply.header->function_count)
		err = diag_set(why, -EBADMSG, "its parser's reply has no source file");
	if (err)
		return err;
	source.path = point_reply_text(&sites->reply, sites->reply.functions[0].file);
	source.author = sites->search.author;
	source.build_id = sites->layout.build_id;
	err = source_file_read(reader, &file, &source, why);
	if (!err)
		err = point_query_match_lines(query, file, spec, why);
	source_file_destroy(file);
	kernel_sites_finish(sites);
	return err;
}

int kernel_sites_find(struct kernel_sites *out, struct source_reader *reader,
		      const struct probe_spec *spec, struct point_query *query,
		      const char *module, struct diag *why)
{
	int err;

	*out = (struct kernel_sites){ .has_debug = false };
	err = kernel_layout_read(&out->layout, module, why);
	query->is_of_kernel = 1;
	if (!err && spec->pattern[0])
		err = match_lines(out, reader, spec, query, why);
	return err ? err : run_query(out, reader->sandbox, query, why);
}

void kernel_sites_finish(struct kernel_sites *sites)
{
	sandbox_bytes_finish(&sites->bytes);
}

struct module_search {
	const char *function;
	char *module;
	bool is_found;
};

static int take_module(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct module_search *search = context;

	(void)address;
	if (strcmp(name, search->function) != 0)
		return 0;
	search->is_found = true;
	snprintf(search->module, PROBE_FILE_BYTES, "%s", dso_name ? dso_name : "");
	return 1;
}

bool kernel_sites_module(const struct probe_spec *spec, char module[PROBE_FILE_BYTES])
{
	struct module_search search = { .function = spec->function, .module = module };

	memcpy(module, spec->file, PROBE_FILE_BYTES);
	if (!spec->file[0] && spec->function[0])
		kallsyms_list(KALLSYMS, take_module, &search, &never, NULL);
	return search.is_found;
}

struct near_symbol {
	uint64_t address;
	uint32_t count;			/* functions with that name */
	char name[PROBE_FUNCTION_BYTES];
};

struct near_symbols {
	struct near_symbol list[NEAREST_MAX];	/* the nearest first */
	uint32_t count;
};

struct naming {
	const struct kernel_address *addresses;
	struct near_symbols *near;	/* one for each address */
	uint32_t count;
};

static bool is_in(const char *dso_name, const char *module)
{
	return strcmp(dso_name ? dso_name : "", module) == 0;
}

static int keep_near(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct naming *naming = context;

	for (uint32_t i = 0; i < naming->count; i++) {
		const struct kernel_address *wanted = &naming->addresses[i];
		struct near_symbols *near = &naming->near[i];
		uint32_t at = near->count;

		if (address > wanted->address || wanted->address - address > FUNCTION_BYTES_MAX ||
		    !is_in(dso_name, wanted->module))
			continue;
		while (at > 0 && near->list[at - 1].address < address)
			at--;
		if (at == NEAREST_MAX)
			continue;
		if (near->count < NEAREST_MAX)
			near->count++;
		memmove(&near->list[at + 1], &near->list[at],
			(near->count - at - 1) * sizeof(near->list[0]));
		near->list[at] = (struct near_symbol){ .address = address };
		snprintf(near->list[at].name, sizeof(near->list[at].name), "%s", name);
	}
	return 0;
}

/* A name counts once for each address that has it. */
static int count_name(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct naming *naming = context;

	(void)address;
	for (uint32_t i = 0; i < naming->count; i++) {
		struct near_symbols *near = &naming->near[i];

		if (!is_in(dso_name, naming->addresses[i].module))
			continue;
		for (uint32_t k = 0; k < near->count; k++)
			near->list[k].count += near->list[k].name[0] == name[0] &&
					       strcmp(near->list[k].name, name) == 0;
	}
	return 0;
}

struct text_search {
	uint64_t address;
};

static int take_text(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct text_search *text = context;

	if (dso_name || strcmp(name, KALLSYMS_TEXT) != 0)
		return 0;
	text->address = address;
	return 1;
}

static void write_symbol(struct kernel_address *at, const char *name, uint64_t address)
{
	const int bytes = snprintf(at->symbol, sizeof(at->symbol), "%s%s%s", at->module,
				   at->module[0] ? ":" : "", name);

	at->offset = at->address - address;
	at->is_known = bytes > 0 && (size_t)bytes < sizeof(at->symbol);
}

static void name_address(struct kernel_address *at, const struct near_symbols *near,
		       const struct text_search *text)
{
	at->is_known = false;
	if (!near->count)
		return;
	snprintf(at->function, sizeof(at->function), "%s", near->list[0].name);
	at->function_address = near->list[0].address;
	for (uint32_t i = 0; i < near->count; i++)
		if (near->list[i].count == 1) {
			write_symbol(at, near->list[i].name, near->list[i].address);
			return;
		}
	if (!at->module[0] && text->address)
		write_symbol(at, KALLSYMS_TEXT, text->address);
}

int kernel_addresses_name(struct kernel_address *addresses, uint32_t count, struct diag *why)
{
	struct naming naming = { .addresses = addresses, .count = count };
	struct text_search text = { .address = 0 };
	int err = 0;

	if (!count)
		return 0;
	naming.near = calloc(count, sizeof(*naming.near));
	if (!naming.near)
		return diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
	err = kallsyms_list(KALLSYMS, keep_near, &naming, &never, why);
	if (!err)
		err = kallsyms_list(KALLSYMS, count_name, &naming, &never, why);
	if (!err)
		err = kallsyms_list(KALLSYMS, take_text, &text, &never, why);
	for (uint32_t i = 0; err >= 0 && i < count; i++)
		name_address(&addresses[i], &naming.near[i], &text);
	free(naming.near);
	return err < 0 ? err : 0;
}

/* Variables. */

static int begin_point(struct probe_point *point, const struct probe_spec *spec,
		       const char *module, uint32_t offered_max, struct diag *why)
{
	*point = (struct probe_point){ .spec = *spec, .file = -1, .site_count = 1 };
	snprintf(point->path, sizeof(point->path), "%s", module[0] ? module : "kernel");
	point->sites = calloc(1, sizeof(*point->sites));
	point->offered = calloc(offered_max + 1, sizeof(*point->offered));
	return point->sites && point->offered ? 0
	       : diag_set(why, -ENOMEM, "no memory for the variables of a probe");
}

static int fill_point(const struct kernel_sites *sites, uint32_t index,
		      const struct kernel_address *at, const struct probe_spec *spec,
		      struct probe_point *point, struct diag *why)
{
	const struct point_site *found = &sites->reply.sites[index];
	const struct point_value *rows = &sites->reply.values[found->first_value];
	int err = begin_point(point, spec, at->module, found->value_count, why);

	if (err)
		return err;
	snprintf(point->sites->symbol, sizeof(point->sites->symbol), "%s", at->symbol);
	point->sites->offset = at->offset;
	point->sites->is_inlined = found->is_inlined != 0;
	for (; point->offered_count < found->value_count; point->offered_count++)
		point_value_copy(&sites->reply, &rows[point->offered_count],
				 &point->offered[point->offered_count]);
	return 0;
}

static int fill_points(const struct kernel_sites *sites, const char *module,
		       const struct probe_spec *spec, struct probe_point **out, uint32_t *count,
		       struct diag *why)
{
	const uint32_t all = sites->reply.header->site_count;
	struct kernel_address *addresses = calloc(all + 1, sizeof(*addresses));
	int err = 0;

	*out = calloc(all + 1, sizeof(**out));
	if (!*out || !addresses)
		err = diag_set(why, -ENOMEM, "no memory for the variables of a probe");
	for (uint32_t i = 0; i < all && !err; i++) {
		addresses[i].address = sites->reply.sites[i].offset;
		addresses[i].module = module;
	}
	if (!err)
		err = kernel_addresses_name(addresses, all, why);
	for (uint32_t i = 0; i < all && !err; i++)
		if (addresses[i].is_known)
			err = fill_point(sites, i, &addresses[i], spec, &(*out)[(*count)++], why);
	free(addresses);
	return err;
}

/* Keeps what BTF knows, not what the calling convention suggests, nor what only the return has. */
static void keep_arguments(struct probe_point *point)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < point->offered_count; i++) {
		if (point->offered[i].origin != ORIGIN_BTF || point->offered[i].is_return)
			continue;
		point->offered[kept] = point->offered[i];
		point->offered[kept++].is_located = true;
	}
	point->offered_count = kept;
}

/* Lists the arguments that BTF knows. Returns -ENOENT, with @why as it is, if there are none. */
static int list_arguments(struct kernel_types *types, const struct probe_spec *spec,
			  const char *module, struct probe_point **out, uint32_t *count,
			  struct diag *why)
{
	int err;

	if (spec->line || spec->pattern[0] || spec->source[0] || spec->offset ||
	    spec->declared_in[0])
		return -ENOENT;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory for the variables of a probe");
	*count = 1;
	err = begin_point(*out, spec, module, PROBE_VALUES_MAX, why);
	if (err)
		return err;
	snprintf((*out)->sites->symbol, sizeof((*out)->sites->symbol), "%s", spec->function);
	(*out)->offered_count = kernel_types_offer(types, module, spec->function,
						   (*out)->offered, PROBE_VALUES_MAX);
	keep_arguments(*out);
	return (*out)->offered_count ? 0 : -ENOENT;
}

int kernel_variables_find(struct kernel_types *types, struct source_reader *reader,
			  const struct probe_spec *spec, struct point_query *query,
			  struct probe_point **out, uint32_t *count, struct diag *why)
{
	struct kernel_sites *sites = calloc(1, sizeof(*sites));
	char module[PROBE_FILE_BYTES];
	bool is_listed;
	int err;

	if (!sites)
		return diag_set(why, -ENOMEM, "no memory for the variables of a probe");
	is_listed = kernel_sites_module(spec, module);
	err = kernel_sites_find(sites, reader, spec, query, module, why);
	if (!err)
		err = fill_points(sites, module, spec, out, count, why);
	else if (err == -ENOENT && !sites->has_debug && is_listed &&
		 !list_arguments(types, spec, module, out, count, why))
		err = 0;
	kernel_sites_finish(sites);
	free(sites);
	return err;
}
