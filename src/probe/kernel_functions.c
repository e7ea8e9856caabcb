/* kernel_functions.c - see kernel_functions.h.
 *
 * The table of kallsyms has one name for each address and is made for lookup by address; a search
 * by name reads all names, and caches none: modules come and go.
 */
#include "kernel_functions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/name_pattern.h"
#include "base/near_name.h"
#include "capture/tracefs.h"
#include "symbols/kallsyms.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define TRACED	  "available_filter_functions"	/* lists only one name per address */
#define KALLSYMS  "/proc/kallsyms"
#define ALIASES_MAX 16

static const atomic_bool never;

struct scan {
	struct kernel_functions *out;
	const char *wanted, *module;
	bool is_wildcard, has_address;
	uint32_t most;
	struct near_name near;
	char nearest[KERNEL_NAME_BYTES];
};

static bool is_match(const struct scan *scan, const struct kernel_function *name)
{
	if (scan->module[0] && strcmp(scan->module, name->module) != 0)
		return false;
	return scan->is_wildcard ? name_pattern_matches(scan->wanted, name->name)
				 : strcmp(scan->wanted, name->name) == 0;
}

static void try_near(struct scan *scan, const char *name)
{
	near_name_try(&scan->near, name);
	if (scan->near.nearest == name) {
		snprintf(scan->nearest, sizeof(scan->nearest), "%s", name);
		scan->near.nearest = scan->nearest;
	}
}

static int look_at(void *context, uint64_t address, const char *name, const char *module)
{
	struct scan *scan = context;
	struct kernel_functions *out = scan->out;
	struct kernel_function function = { .address = address };

	scan->has_address |= address != 0;
	if (!module && strcmp(name, "_text") == 0)
		out->text_address = address;
	if (module && strcmp(module, "bpf") == 0)
		return 0;
	snprintf(function.name, sizeof(function.name), "%s", name);
	snprintf(function.module, sizeof(function.module), "%s", module ? module : "");
	if (!is_match(scan, &function)) {
		if (!scan->is_wildcard && !out->count)
			try_near(scan, name);
		return 0;
	}
	out->matches++;
	if (out->count < scan->most)
		out->list[out->count++] = function;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct kernel_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : (x->address > y->address) - (x->address < y->address);
}

static int none(const struct scan *scan, struct diag *why)
{
	const char *inside = scan->module[0] ? scan->module : "the kernel";

	if (!scan->has_address)
		return diag_set(why, -EPERM, "the kernel hides its addresses: run as root, with "
				"kernel.kptr_restrict at most 1");
	if (scan->is_wildcard)
		return diag_set(why, -ENOENT, "no function of %s matches '%s'", inside,
				scan->wanted);
	return diag_set(why, -ENOENT, scan->near.nearest
			? "no function '%s' in %s; did you mean '%s'?"
			: "no function '%s' in %s: it may be inlined, or in a module that is not "
			  "loaded", scan->wanted, inside, scan->nearest);
}

int kernel_functions_find(struct kernel_functions *out, const char *wanted, const char *module,
			  bool is_wildcard, uint32_t most, struct diag *why)
{
	struct scan scan = { .out = out, .wanted = wanted, .module = module,
			     .is_wildcard = is_wildcard, .most = most };
	int err;

	*out = (struct kernel_functions){ .list = calloc(most, sizeof(*out->list)) };
	near_name_start(&scan.near, wanted);
	err = out->list ? kallsyms_list(KALLSYMS, look_at, &scan, &never, why)
			: diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
	if (!err && (!out->count || !scan.has_address))
		err = none(&scan, why);
	if (err)
		kernel_functions_finish(out);
	else
		qsort(out->list, out->count, sizeof(*out->list), by_name);
	return err;
}

void kernel_functions_finish(struct kernel_functions *names)
{
	free(names->list);
	*names = (struct kernel_functions){ .list = NULL };
}

bool kernel_functions_is_blacklisted(uint64_t address)
{
	FILE *file = fopen(BLACKLIST, "re");
	uint64_t begin, end;
	bool is_there = false;
	char line[512];

	while (file && !is_there && fgets(line, sizeof(line), file))
		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &begin, &end) == 2)
			is_there = address >= begin && address < end;
	if (file)
		fclose(file);
	return is_there;
}

/* Compiler clones count as the function that they were cloned from, as in the kernel. */
static bool is_traced_as(const char *line, size_t len, const char *name)
{
	return (len == strlen(name) || len == strcspn(name, ".")) && !strncmp(line, name, len);
}

struct aliases {
	uint64_t address;
	char names[ALIASES_MAX][KERNEL_NAME_BYTES];
	uint32_t count;
};

static int keep_alias(void *context, uint64_t address, const char *name, const char *module)
{
	struct aliases *aliases = context;

	(void)module;
	if (address == aliases->address && aliases->count < ALIASES_MAX)
		snprintf(aliases->names[aliases->count++], KERNEL_NAME_BYTES, "%s", name);
	return 0;
}

static FILE *open_traced(void)
{
	int directory = tracefs_open(NULL);
	int fd = directory < 0 ? -1 : openat(directory, TRACED, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	if (directory >= 0)
		close(directory);
	return file;
}

bool kernel_functions_is_notrace(uint64_t address)
{
	struct aliases aliases = { .address = address };
	bool is_traced = false, has_any = false;
	FILE *file = open_traced();
	char line[512];

	if (!file || kallsyms_list(KALLSYMS, keep_alias, &aliases, &never, NULL))
		aliases.count = 0;
	while (aliases.count && !is_traced && fgets(line, sizeof(line), file)) {
		has_any = true;
		for (uint32_t i = 0; i < aliases.count && !is_traced; i++)
			is_traced = is_traced_as(line, strcspn(line, " \t\n"), aliases.names[i]);
	}
	if (file)
		fclose(file);
	return has_any && !is_traced;
}
