/* kernel_names.c - see probe/kernel_names.h.
 *
 * The table of kallsyms (symbols/kallsyms.h) has one name for each address and is made for
 * addresses; here names are looked for, all of them, and none is kept: modules come and go.
 */
#include "probe/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near_name.h"
#include "capture/tracefs.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define TRACED	  "available_filter_functions"

struct scan {
	struct kernel_names *out;
	const char *wanted, *module;
	bool is_wildcard, has_address;
	uint32_t most;
	struct near_name near;
	char nearest[KERNEL_NAME_BYTES];
};

/* "address type name[\t[module]]" */
static bool split_line(const char *line, struct kernel_name *out, char *type)
{
	out->module[0] = '\0';
	return sscanf(line, "%" SCNx64 " %c %255s [%63[^]]]", &out->address, type, out->name,
		      out->module) >= 3;
}

static bool is_match(const struct scan *scan, const struct kernel_name *name)
{
	if (scan->module[0] && strcmp(scan->module, name->module) != 0)
		return false;
	return scan->is_wildcard ? fnmatch(scan->wanted, name->name, 0) == 0
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

static void look_at(struct scan *scan, const char *line)
{
	struct kernel_names *out = scan->out;
	struct kernel_name name;
	char type;

	if (!split_line(line, &name, &type))
		return;
	scan->has_address |= name.address != 0;
	if (!name.module[0] && strcmp(name.name, "_text") == 0)
		out->text_address = name.address;
	if (!strchr("tTwW", type) || strcmp(name.module, "bpf") == 0)
		return;
	if (!is_match(scan, &name)) {
		if (!scan->is_wildcard && !out->count)
			try_near(scan, name.name);
		return;
	}
	out->matches++;
	if (out->count < scan->most)
		out->list[out->count++] = name;
}

static int by_name(const void *a, const void *b)
{
	const struct kernel_name *x = a, *y = b;
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

int kernel_names_find(struct kernel_names *out, const char *wanted, const char *module,
		      bool is_wildcard, uint32_t most, struct diag *why)
{
	struct scan scan = { .out = out, .wanted = wanted, .module = module,
			     .is_wildcard = is_wildcard, .most = most };
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t capacity = 0;
	char *line = NULL;

	*out = (struct kernel_names){ .list = calloc(most, sizeof(*out->list)) };
	near_name_start(&scan.near, wanted);
	if (!file || !out->list) {
		if (file)
			fclose(file);
		kernel_names_finish(out);
		return diag_set(why, file ? -ENOMEM : -ENOENT, "cannot read the kernel's symbols "
				"(/proc/kallsyms)");
	}
	while (getline(&line, &capacity, file) > 0)
		look_at(&scan, line);
	free(line);
	fclose(file);
	if (!out->count || !scan.has_address) {
		kernel_names_finish(out);
		return none(&scan, why);
	}
	qsort(out->list, out->count, sizeof(*out->list), by_name);
	return 0;
}

void kernel_names_finish(struct kernel_names *names)
{
	free(names->list);
	*names = (struct kernel_names){ .list = NULL };
}

bool kernel_names_is_blacklisted(uint64_t address)
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

/* Clones are judged by what they were made of, as the kernel does it. */
bool kernel_names_is_notrace(const char *name)
{
	const size_t bytes = strcspn(name, ".");
	int directory = tracefs_open(NULL);
	int fd = directory < 0 ? -1 : openat(directory, TRACED, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool is_traced = false, has_any = false;
	char line[512];

	while (file && !is_traced && fgets(line, sizeof(line), file)) {
		const size_t len = strcspn(line, " \t\n");

		has_any = true;
		is_traced = (len == bytes || len == strlen(name)) && !strncmp(line, name, len);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	if (directory >= 0)
		close(directory);
	return has_any && !is_traced;
}
