/* probe_points.c - see sandbox/probe_points.h. The bytes come from a process that an untrusted file
 * may control: every number in them is checked before it is used. */
#include "sandbox/probe_points.h"

#include <assert.h>
#include <errno.h>
#include <string.h>


_Static_assert(sizeof(struct point_header) % _Alignof(struct point_function) == 0 &&
	       sizeof(struct point_function) * 2 % _Alignof(struct point_site) == 0,
	       "rows are aligned");

static int bad(struct diag *why, const char *what)
{
	return diag_set(why, -EBADMSG, "its parser's reply has %s", what);
}

/* Returns the size of the padding between functions and sites, which aligns the sites. */
static size_t gap_bytes(uint32_t function_count)
{
	return function_count % 2 ? sizeof(uint32_t) : 0;
}

static int check_header(const struct point_header *header, size_t bytes_count, struct diag *why)
{
	uint64_t bytes;

	if (bytes_count < sizeof(*header) || header->magic != POINT_REPLY_MAGIC ||
	    header->version != POINT_REPLY_VERSION)
		return bad(why, "no header");
	bytes = sizeof(*header) + (uint64_t)header->function_count * sizeof(struct point_function) +
		gap_bytes(header->function_count) +
		(uint64_t)header->site_count * sizeof(struct point_site) +
		(uint64_t)header->value_count * sizeof(struct point_value) + header->string_bytes;
	if (bytes_count > POINT_REPLY_BYTES || bytes != bytes_count || !header->string_bytes)
		return bad(why, "another size than its header says");
	if (header->build_id.count > BUILD_ID_MAX_BYTES ||
	    header->alternate.count > BUILD_ID_MAX_BYTES)
		return bad(why, "a build-id that is too long");
	if (!memchr(header->alternate_name, '\0', sizeof(header->alternate_name)) ||
	    !memchr(header->debug_link, '\0', sizeof(header->debug_link)))
		return bad(why, "a file's name that does not end");
	if (header->no_debug_reason >= header->string_bytes)
		return bad(why, "a text outside");
	if (header->machine >= MACHINES)
		return bad(why, "a machine that does not exist");
	return 0;
}

/* Returns whether all rows first <= i < first + count are below @all. */
static bool is_range(uint32_t first, uint32_t count, uint32_t all)
{
	return first <= all && count <= all - first;
}

static int check_functions(const struct point_reply *reply, const struct point_query *query,
			   struct diag *why)
{
	const struct point_header *header = reply->header;

	if (header->function_count > query->functions_max)
		return bad(why, "more functions than were asked for");
	for (uint32_t i = 0; i < header->function_count; i++) {
		const struct point_function *function = &reply->functions[i];

		if (function->name >= header->string_bytes ||
		    function->file >= header->string_bytes)
			return bad(why, "a text outside");
		if (function->site_count > POINT_SITES_MAX ||
		    function->offered_count > POINT_OFFERED_MAX ||
		    !is_range(function->first_site, function->site_count, header->site_count) ||
		    !is_range(function->first_offered, function->offered_count,
			      header->value_count))
			return bad(why, "a function with rows of others");
	}
	return 0;
}

/* Returns whether @count values are what a site has in the reply to @query. */
static bool is_count(const struct point_query *query, uint32_t count)
{
	if (query->request == POINT_REQUEST_VARIABLES || query->request == POINT_REQUEST_EXTERNS)
		return count <= POINT_VARIABLES_MAX;
	return count == query->argument_count;
}

static int check_points(const struct point_reply *reply, const struct point_query *query,
			struct diag *why)
{
	const struct point_header *header = reply->header;

	for (uint32_t i = 0; i < header->site_count; i++) {
		const struct point_site *site = &reply->sites[i];

		if (!is_count(query, site->value_count) ||
		    !is_range(site->first_value, site->value_count, header->value_count))
			return bad(why, "a site without the values that were asked for");
		if (site->start > POINT_START_UNCALLED)
			return bad(why, "a site that begins in no known way");
		if (site->begin > site->offset || site->symbol >= header->string_bytes)
			return bad(why, "a site outside of its function");
		if (site->code & ~POINT_CODE_FLAGS || site->skip > POINT_SKIP_MAX ||
		    site->instruction >= header->string_bytes ||
		    site->first >= header->string_bytes)
			return bad(why, "a site at no known instruction");
	}
	return 0;
}

static int check_values(const struct point_reply *reply, struct diag *why)
{
	const uint32_t bytes = reply->header->string_bytes;

	for (uint32_t i = 0; i < reply->header->value_count; i++) {
		const struct point_value *value = &reply->values[i];

		if (value->name >= bytes || value->type >= bytes || value->fetch >= bytes ||
		    value->reason >= bytes)
			return bad(why, "a text outside");
		if (value->kind > FETCH_SYMBOL || value->origin > POINT_ORIGIN_ABI ||
		    value->is_located > 1)
			return bad(why, "a value of no kind");
	}
	return 0;
}

int point_reply_check(struct point_reply *out, const void *bytes, size_t bytes_count,
		      const struct point_query *query, struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct point_header) == 0);
	err = check_header(bytes, bytes_count, why);
	if (err)
		return err;
	out->header = bytes;
	out->functions = (const void *)(out->header + 1);
	out->sites = (const void *)((const char *)(out->functions +
						    out->header->function_count) +
				     gap_bytes(out->header->function_count));
	out->values = (const void *)(out->sites + out->header->site_count);
	out->strings = (const void *)(out->values + out->header->value_count);
	if (out->strings[out->header->string_bytes - 1] != '\0')
		return bad(why, "texts that do not end");
	err = check_functions(out, query, why);
	if (!err)
		err = check_points(out, query, why);
	return err ? err : check_values(out, why);
}
