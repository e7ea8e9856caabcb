/* probe_names.c - see sandbox/probe_names.h. The bytes come from a process that an untrusted file
 * may control: every number in them is checked before it is used. */
#include "sandbox/probe_names.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int check_header(const struct probe_names_header *header, size_t bytes_count,
			struct diag *why)
{
	uint64_t fixed_bytes;

	if (bytes_count < sizeof(*header) || header->magic != PROBE_NAMES_MAGIC ||
	    header->version != PROBE_NAMES_VERSION)
		return diag_set(why, -EBADMSG, "names to probe without their header");
	fixed_bytes = sizeof(*header) +
		      (uint64_t)header->function_count * sizeof(struct probe_function) +
		      (uint64_t)header->usdt_count * sizeof(struct usdt_probe);
	if (header->string_bytes == 0 || fixed_bytes + header->string_bytes != bytes_count)
		return diag_set(why, -EBADMSG, "names to probe: %zu bytes do not hold them",
				bytes_count);
	if (header->build_id.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EBADMSG, "names to probe with a build-id of %u bytes",
				header->build_id.count);
	return 0;
}

/* Short, too: nothing compares a worker's texts of many MiB with each other. */
static bool is_text(const struct probe_names *names, uint32_t offset)
{
	return offset < names->header->string_bytes &&
	       strnlen(names->strings + offset, PROBE_NAMES_TEXT_MAX + 1) <= PROBE_NAMES_TEXT_MAX;
}

/* Returns < 0 if @a sorts before @b, 0 if they are equal. */
static int compare_functions(const struct probe_names *names, const struct probe_function *a,
			     const struct probe_function *b)
{
	int order = strcmp(names->strings + a->name, names->strings + b->name);

	return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static int compare_usdt(const struct probe_names *names, const struct usdt_probe *a,
			const struct usdt_probe *b)
{
	int order = strcmp(names->strings + a->provider, names->strings + b->provider);

	if (!order)
		order = strcmp(names->strings + a->name, names->strings + b->name);
	return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static int check_functions(const struct probe_names *names, struct diag *why)
{
	for (uint32_t i = 0; i < names->header->function_count; i++) {
		const struct probe_function *function = &names->functions[i];

		if (!is_text(names, function->name) || !is_text(names, function->shown) ||
		    function->offset > INT64_MAX || function->is_resolver > 1)
			return diag_set(why, -EBADMSG, "names to probe with a bad function %u", i);
		if (i && compare_functions(names, function - 1, function) >= 0)
			return diag_set(why, -EBADMSG, "names to probe out of order at %u", i);
	}
	return 0;
}

static int check_usdt_probes(const struct probe_names *names, struct diag *why)
{
	for (uint32_t i = 0; i < names->header->usdt_count; i++) {
		const struct usdt_probe *usdt = &names->usdt_probes[i];

		if (!is_text(names, usdt->provider) || !is_text(names, usdt->name) ||
		    !is_text(names, usdt->arguments) || usdt->offset > INT64_MAX ||
		    usdt->semaphore > INT64_MAX || !names->strings[usdt->provider] ||
		    !names->strings[usdt->name])
			return diag_set(why, -EBADMSG, "names to probe with a bad USDT probe %u",
					i);
		if (i && compare_usdt(names, usdt - 1, usdt) > 0)
			return diag_set(why, -EBADMSG, "USDT probes out of order at %u", i);
	}
	return 0;
}

int probe_names_check(struct probe_names *out, const void *bytes, size_t bytes_count,
		      struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct probe_names_header) == 0);
	err = check_header(bytes, bytes_count, why);
	if (err)
		return err;
	*out = (struct probe_names){ .header = bytes };
	out->functions = (const void *)(out->header + 1);
	out->usdt_probes = (const void *)(out->functions + out->header->function_count);
	out->strings = (const void *)(out->usdt_probes + out->header->usdt_count);
	if (out->strings[out->header->string_bytes - 1] != '\0')
		return diag_set(why, -EBADMSG, "names to probe with texts that do not end");
	err = check_functions(out, why);
	return err ? err : check_usdt_probes(out, why);
}

int probe_names_read(struct sandbox *sandbox, int fd, int debug_fd, uint64_t parts,
		     struct probe_names *out, struct diag *why)
{
	const struct sandbox_request request = {
		.kind = SANDBOX_PROBE_NAMES, .inputs = { fd, debug_fd },
		.input_count = debug_fd >= 0 ? 2 : 1, .argument = parts,
	};
	struct sandbox_bytes bytes;
	int err = sandbox_run(sandbox, &request, &bytes, why);

	*out = (struct probe_names){ .header = NULL };	/* valid for probe_names_finish() */
	if (err)
		return err;
	err = probe_names_check(out, bytes.bytes, bytes.count, why);
	if (err) {
		sandbox_bytes_finish(&bytes);
		*out = (struct probe_names){ .header = NULL };
		return err;
	}
	out->bytes = bytes;
	return 0;
}

void probe_names_finish(struct probe_names *names)
{
	sandbox_bytes_finish(&names->bytes);
	*names = (struct probe_names){ .header = NULL };
}

const struct probe_function *probe_names_find_function(const struct probe_names *names,
						       const char *name, uint32_t *count)
{
	uint32_t low = 0, high = names->header->function_count, end;

	while (low < high) {	/* until low is the first that is not before @name */
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(names->strings + names->functions[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < names->header->function_count; end++)
		if (strcmp(names->strings + names->functions[end].name, name) != 0)
			break;
	*count = end - low;
	return *count ? &names->functions[low] : NULL;
}

static bool is_usdt(const struct probe_names *names, uint32_t index, const char *provider,
		    const char *name)
{
	const struct usdt_probe *usdt = &names->usdt_probes[index];

	return strcmp(names->strings + usdt->name, name) == 0 &&
	       (!provider[0] || strcmp(names->strings + usdt->provider, provider) == 0);
}

/* Searches linearly: a file has only hundreds of USDT probes. */
const struct usdt_probe *probe_names_find_usdt(const struct probe_names *names,
					       const char *provider, const char *name,
					       uint32_t *count)
{
	uint32_t first = 0, end;

	while (first < names->header->usdt_count && !is_usdt(names, first, provider, name))
		first++;
	*count = 0;
	if (first == names->header->usdt_count)
		return NULL;
	provider = names->strings + names->usdt_probes[first].provider;
	for (end = first; end < names->header->usdt_count; end++)
		if (!is_usdt(names, end, provider, name))
			break;
	*count = end - first;
	return &names->usdt_probes[first];
}
