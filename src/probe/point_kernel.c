/* point_kernel.c - see point_kernel.h.
 *
 * A unique symbol is passed to the kernel by its name; one that exists several times by its
 * distance from _text, which is right wherever the kernel was loaded.
 *
 * Debug information, where it is installed, adds copies of the function that are inlined in others,
 * lines, and values that BTF does not have: local variables, and those after the first instruction.
 * Without it a function is found by kallsyms and its arguments by BTF.
 *
 * The table of kallsyms has one name for each address and is made for lookup by address; a search
 * by name reads all names, and caches none: modules come and go.
 *
 * Source: /proc/kallsyms; tracefs available_filter_functions (what is not there is notrace);
 *         debugfs kprobes/blacklist; Documentation/trace/kprobes.rst. Reading them takes 50-100 ms
 *         inside the kernel.
 */
#include "point_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/machine.h"
#include "base/name_match.h"
#include "capture/tracefs.h"
#include "kernel_sites.h"
#include "point_user.h"
#include "probe_verdict.h"
#include "symbols/kallsyms.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define TRACED	  "available_filter_functions"	/* lists only one name per address */
#define KALLSYMS  "/proc/kallsyms"
#define ALIASES_MAX 16
#define KERNEL_NAME_BYTES   256
#define KERNEL_MODULE_BYTES 64
#define AARCH64_INSTRUCTION_BYTES 4u

struct kernel_function {
	uint64_t address;	/* run-time address */
	char name[KERNEL_NAME_BYTES];
	char module[KERNEL_MODULE_BYTES];	/* module name; "": the kernel itself */
};

struct kernel_functions {
	struct kernel_function *list;	/* owned; sorted by name, then address */
	uint32_t count;
	uint32_t matches;	/* more than `count` if there were too many */
	uint64_t text_address;	/* address of KALLSYMS_TEXT */
};

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
	if (!module && strcmp(name, KALLSYMS_TEXT) == 0)
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

static void finish_functions(struct kernel_functions *names)
{
	free(names->list);
	*names = (struct kernel_functions){ .list = NULL };
}

/* Finds the functions named @wanted (with * and ? if @is_wildcard) in @module; "": in all. 0 with
 * *@out the caller's; -ENOENT with the nearest name; -EPERM the kernel hides its addresses. */
static int find_functions(struct kernel_functions *out, const char *wanted, const char *module,
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
		finish_functions(out);
	else
		qsort(out->list, out->count, sizeof(*out->list), by_name);
	return err;
}

/* False: the kernel allows probes at @address, or its list can't be read. */
static bool is_blacklisted(uint64_t address)
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

struct alias {
	uint32_t function;	/* index of the address that has this name */
	char name[KERNEL_NAME_BYTES];
};

/* Functions, by their first address, of which is asked whether the kernel traces them. */
struct traced {
	const uint64_t *addresses;
	uint32_t count;
	bool is_traced[PROBE_SITES_MAX];
	struct alias *aliases;		/* owned */
	uint32_t alias_count;
};

static int keep_alias(void *context, uint64_t address, const char *name, const char *module)
{
	struct traced *traced = context;

	(void)module;
	for (uint32_t i = 0; i < traced->count; i++) {
		struct alias *alias = &traced->aliases[traced->alias_count];

		if (address != traced->addresses[i] ||
		    traced->alias_count == traced->count * ALIASES_MAX)
			continue;
		alias->function = i;
		snprintf(alias->name, sizeof(alias->name), "%s", name);
		traced->alias_count++;
	}
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

static void look_for_traced(struct traced *traced, const char *line)
{
	for (uint32_t i = 0; i < traced->alias_count; i++) {
		const struct alias *alias = &traced->aliases[i];

		if (!traced->is_traced[alias->function])
			traced->is_traced[alias->function] =
				is_traced_as(line, strcspn(line, " \t\n"), alias->name);
	}
}

/* Sets @is_notrace[i] for functions that the kernel takes no probe in; none of them if its list
 * can't be read. @count <= PROBE_SITES_MAX. */
static void find_notrace(const uint64_t *addresses, uint32_t count, bool *is_notrace)
{
	struct traced *traced = calloc(1, sizeof(*traced));
	FILE *file = open_traced();
	bool has_any = false;
	char line[512];

	memset(is_notrace, 0, count * sizeof(*is_notrace));
	if (traced) {
		traced->addresses = addresses;
		traced->count = count;
		traced->aliases = calloc(count * ALIASES_MAX + 1, sizeof(*traced->aliases));
	}
	if (file && traced && traced->aliases &&
	    !kallsyms_list(KALLSYMS, keep_alias, traced, &never, NULL)) {
		while (fgets(line, sizeof(line), file)) {
			has_any = true;
			look_for_traced(traced, line);
		}
		for (uint32_t i = 0; i < count && has_any; i++)
			is_notrace[i] = !traced->is_traced[i];
	}
	if (traced)
		free(traced->aliases);
	free(traced);
	if (file)
		fclose(file);
}

#define MAX_ACTIVE 4096	/* the kernel's maximum: sleeping functions have many concurrent calls */
#define KPROBES_OFF "/sys/kernel/debug/kprobes/enabled"

struct lookup {
	struct kernel_types *types;
	struct source_reader *reader;	/* its sandbox does the jobs */
	const struct probe_spec *spec;
	const struct kernel_functions *names;
	struct diag *why;
};

static bool is_off(void)
{
	FILE *file = fopen(KPROBES_OFF, "re");
	bool is_zero = file && fgetc(file) == '0';

	if (file)
		fclose(file);
	return is_zero;
}

static void judge_kernel(struct probe_point *point)
{
	int directory = tracefs_open(NULL);
	const bool has_events = directory >= 0 &&
				faccessat(directory, "kprobe_events", F_OK, AT_EACCESS) == 0;

	if (directory >= 0)
		close(directory);
	if (!has_events && access("/sys/bus/event_source/devices/kprobe/type", F_OK) != 0)
		probe_verdict_add(point, VERDICT_UNABLE, "this kernel has no kprobes "
				  "(CONFIG_KPROBE_EVENTS): use a tracepoint, or another kernel");
	else if (is_off())
		probe_verdict_add(point, VERDICT_UNABLE, "kprobes are switched off: write 1 to "
				  KPROBES_OFF);
}

static void fill_site(const struct lookup *lookup, struct probe_site *site,
		      const struct kernel_function *name, bool is_alone)
{
	const struct probe_spec *spec = lookup->spec;

	site->offset = spec->offset;
	if (is_alone || name->module[0]) {
		snprintf(site->symbol, sizeof(site->symbol), "%s%s%s", name->module,
			 name->module[0] ? ":" : "", name->name);
	} else {
		snprintf(site->symbol, sizeof(site->symbol), KALLSYMS_TEXT);
		site->offset += name->address - lookup->names->text_address;
	}
	site->is_emulated = true;
	for (uint32_t i = 0; i < spec->argument_count; i++)
		kernel_types_fetch(lookup->types, name->module, name->name, &spec->arguments[i],
				   !spec->offset, &site->values[i]);
	site->value_count = spec->argument_count;
}

/* A point while its sites are looked for. */
struct making {
	const struct lookup *lookup;
	struct probe_point *point;
	const char *module;
	uint64_t addresses[PROBE_SITES_MAX];	/* run-time address of each site */
	uint64_t functions[PROBE_SITES_MAX];	/* where the function that has it begins */
	bool is_named[PROBE_SITES_MAX];		/* the site is that of the name itself, no copy */
	uint32_t left_out;			/* inlined copies without a return */
	uint32_t refused;			/* copies where the kernel takes no probe */
};

static void refuse_function(struct making *making, const char *name, bool is_listed)
{
	if (is_listed)
		probe_verdict_add(making->point, VERDICT_REFUSED, "%s is on the kernel's "
				  "blacklist: a probe there would break the kernel", name);
	else
		probe_verdict_add(making->point, VERDICT_REFUSED, "%s is marked notrace: the "
				  "kernel takes no probe there; use its caller", name);
	making->refused++;
}

static void drop_site(struct making *making, uint32_t at)
{
	struct probe_point *point = making->point;
	const uint32_t after = --point->site_count - at;

	memmove(&point->sites[at], &point->sites[at + 1], after * sizeof(point->sites[0]));
	memmove(&making->addresses[at], &making->addresses[at + 1],
		after * sizeof(making->addresses[0]));
	memmove(&making->functions[at], &making->functions[at + 1],
		after * sizeof(making->functions[0]));
	memmove(&making->is_named[at], &making->is_named[at + 1],
		after * sizeof(making->is_named[0]));
	making->refused++;
}

/* Refuses a point between two instructions. Where they have one length, the kernel's reason for
 * that is EINVAL alone. */
static void judge_offset(struct probe_point *point)
{
	if (MACHINE_OWN == MACHINE_AARCH64 && point->spec.offset % AARCH64_INSTRUCTION_BYTES)
		probe_verdict_add(point, VERDICT_REFUSED, "not an instruction boundary: each "
				  "instruction has %u bytes", AARCH64_INSTRUCTION_BYTES);
}

/* Refuses the point if the kernel takes no probe in the function itself, or in any of its copies;
 * else leaves out the copies where it takes none. */
static void judge_sites(struct making *making)
{
	struct probe_point *point = making->point;
	bool is_notrace[PROBE_SITES_MAX], is_listed;
	const uint32_t count = point->site_count;

	find_notrace(making->functions, count, is_notrace);
	for (uint32_t i = count; i-- > 0;) {
		is_listed = is_blacklisted(making->addresses[i]);
		if (!is_listed && !is_notrace[i])
			continue;
		if (making->is_named[i] || point->site_count == 1)
			refuse_function(making, point->spec.function, is_listed);
		else
			drop_site(making, i);
	}
	if (making->refused && point->verdict != VERDICT_REFUSED)
		probe_verdict_add(point, VERDICT_COSTLY, "%u copies are left out: they are inlined "
				  "in functions where the kernel takes no probe", making->refused);
	if (making->left_out)
		probe_verdict_add(point, VERDICT_COSTLY, "%u inlined copies are left out: they "
				  "have no return", making->left_out);
}

/* Adds the functions first <= i < end, which share a name, as sites. */
static void add_named(struct making *making, uint32_t first, uint32_t end)
{
	const struct lookup *lookup = making->lookup;
	struct probe_point *point = making->point;

	for (uint32_t i = first; i < end && point->site_count < PROBE_SITES_MAX; i++) {
		const struct kernel_function *name = &lookup->names->list[i];
		const uint32_t at = point->site_count++;

		fill_site(lookup, &point->sites[at], name, end == first + 1);
		making->functions[at] = name->address;
		making->addresses[at] = name->address + lookup->spec->offset;
		making->is_named[at] = true;
	}
}

/* Finds the functions that the sites are in: at an offset, it may be another one than the named
 * ("_text+4096"). */
static int find_containing(struct making *making, struct diag *why)
{
	const uint32_t count = making->point->site_count;
	struct kernel_address *rows = calloc(count + 1, sizeof(*rows));
	int err;

	if (!rows)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	for (uint32_t i = 0; i < count; i++) {
		rows[i].address = making->addresses[i];
		rows[i].module = making->module;
	}
	err = kernel_addresses_name(rows, count, why);
	for (uint32_t i = 0; i < count && !err; i++)
		if (rows[i].is_known)
			making->functions[i] = rows[i].function_address;
	free(rows);
	return err;
}

/* Returns whether the spec is one that --dry-run made: of this build, and without a value that
 * needs debug information. It means these sites alone. */
static bool is_resolved(const struct making *making)
{
	const struct probe_spec *spec = making->lookup->spec;
	const struct probe_point *point = making->point;

	if (!spec->build_id.count || !point->site_count)
		return false;
	for (uint32_t i = 0; i < point->sites[0].value_count; i++)
		if (!point->sites[0].values[i].fetch[0])
			return false;
	return true;
}

/* Copies the values of @found where debug information knows them; BTF's stay elsewhere. */
static void copy_values(const struct making *making, const struct point_reply *reply,
			const struct point_site *found, struct probe_site *site)
{
	const struct probe_spec *spec = making->lookup->spec;

	for (uint32_t i = 0; i < spec->argument_count && i < found->value_count; i++) {
		struct probe_fetch value;

		point_value_copy(reply, &reply->values[found->first_value + i], &value);
		if (!value.fetch[0] && site->values[i].fetch[0])
			continue;
		snprintf(value.name, sizeof(value.name), "%s", spec->arguments[i].name);
		probe_fetch_set_meaning(&value, &spec->arguments[i]);
		site->values[i] = value;
	}
	site->value_count = spec->argument_count;
}

static struct probe_site *site_at(struct making *making, uint64_t address)
{
	for (uint32_t i = 0; i < making->point->site_count; i++)
		if (making->addresses[i] == address)
			return &making->point->sites[i];
	return NULL;
}

static void add_copy(struct making *making, const struct point_reply *reply,
		     const struct point_site *found, const struct kernel_address *named)
{
	struct probe_point *point = making->point;
	const uint32_t at = point->site_count;
	struct probe_site *site = &point->sites[at];

	if (!named->is_known || at == PROBE_SITES_MAX)
		return;		/* not where the kernel says that code of the module is */
	point->site_count++;
	making->addresses[at] = named->address;
	making->functions[at] = named->function_address;
	site->offset = named->offset;
	snprintf(site->symbol, sizeof(site->symbol), "%s", named->symbol);
	site->is_inlined = found->is_inlined != 0;
	site->is_emulated = true;
	copy_values(making, reply, found, site);
}

/* Adds what debug information says of the sites, and those that only it knows. */
static int add_found(struct making *making, const struct kernel_sites *sites, struct diag *why)
{
	const struct point_reply *reply = &sites->reply;
	const struct point_function *function = reply->functions;
	struct kernel_address *found_at = calloc(PROBE_SITES_MAX, sizeof(*found_at));
	const struct point_site *found[PROBE_SITES_MAX];
	uint32_t count = 0;
	int err;

	if (!found_at)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	for (uint32_t i = 0; i < function->site_count; i++) {
		const struct point_site *row = &reply->sites[function->first_site + i];
		struct probe_site *known = site_at(making, row->offset);

		if (known && !row->is_inlined) {
			copy_values(making, reply, row, known);
		} else if (!known && row->is_inlined && making->lookup->spec->offset) {
			continue;	/* an offset is of the function itself */
		} else if (!known && row->is_inlined && making->point->spec.edge != PROBE_ENTRY) {
			making->left_out++;
		} else if (!known && count < PROBE_SITES_MAX) {
			found_at[count].address = row->offset;
			found_at[count].module = making->module;
			found[count++] = row;
		}
	}
	err = kernel_addresses_name(found_at, count, why);
	for (uint32_t i = 0; i < count && !err; i++)
		add_copy(making, reply, found[i], &found_at[i]);
	free(found_at);
	return err;
}

static void add_offered(struct making *making, const struct point_reply *reply)
{
	const struct point_function *function = reply->functions;
	struct probe_point *point = making->point;

	for (uint32_t i = 0; i < function->offered_count && i < PROBE_OFFERED_MAX; i++)
		point_value_copy(reply, &reply->values[function->first_offered + i],
				 &point->offered[point->offered_count++]);
}

/* Returns whether only debug information knows what @spec means, not the names. */
static bool is_of_debug(const struct probe_spec *spec)
{
	return spec->line || spec->source[0] || spec->pattern[0] || spec->declared_in[0];
}

/* Asks debug information about the spec. 0 also where there is none, if it is not needed. */
static int add_debug(struct making *making, struct diag *why)
{
	const struct lookup *lookup = making->lookup;
	const bool is_needed = is_of_debug(lookup->spec) || !making->point->site_count;
	struct kernel_sites *sites = calloc(1, sizeof(*sites));
	struct point_query *query = calloc(1, sizeof(*query));
	int err = -ENOMEM;

	if (sites && query) {
		point_query_fill(query, lookup->spec);
		query->functions_max = 1;
		err = kernel_sites_find(sites, lookup->reader, lookup->spec, query, making->module,
					why);
		if (!err && sites->reply.header->function_count) {
			err = add_found(making, sites, why);
			add_offered(making, &sites->reply);
		}
		kernel_sites_finish(sites);
	} else {
		diag_set(why, err, "no memory for the sites of a probe");
	}
	free(query);
	free(sites);
	return is_needed || err == -ENOMEM ? err : 0;
}

static int begin_point(struct making *making, const char *name, uint32_t sites_max)
{
	struct probe_point *point = making->point;

	*point = (struct probe_point){ .spec = *making->lookup->spec, .file = -1 };
	snprintf(point->spec.function, sizeof(point->spec.function), "%s", name);
	point->spec.is_wildcard = false;
	snprintf(point->path, sizeof(point->path), "%s",
		 making->module[0] ? making->module : "kernel");
	point->sites = calloc(sites_max, sizeof(*point->sites));
	point->offered = calloc(PROBE_OFFERED_MAX, sizeof(*point->offered));
	if (!point->sites || !point->offered)
		return diag_set(making->lookup->why, -ENOMEM, "no memory for the sites of a "
				"probe");
	judge_kernel(point);
	return 0;
}

static int no_sites(const struct making *making, struct diag *why)
{
	if (making->left_out)
		return diag_set(why, -ENOENT, "'%s' is inlined wherever it is called, and inlined "
				"copies have no return: use an entry probe",
				making->point->spec.function);
	return diag_set(why, -ENOENT, "no code of the kernel at '%s'",
			making->point->spec.function);
}

/* Fills the point of the functions first <= i < end, which share a name; first == end: only debug
 * information has it. */
static int fill_sites(struct making *making, uint32_t first, uint32_t end)
{
	const struct lookup *lookup = making->lookup;
	const struct probe_spec *spec = lookup->spec;
	struct probe_point *point = making->point;
	struct diag why = { .err = 0 };
	int err = 0;

	if (!is_of_debug(spec))
		add_named(making, first, end);
	if (spec->offset)
		err = find_containing(making, &why);
	if (!err && !spec->is_wildcard && !is_resolved(making))
		err = add_debug(making, &why);
	if (!err && !point->site_count)
		err = no_sites(making, &why);
	if (err)
		return diag_set(lookup->why, err, "%s", why.text);
	probe_verdict_of_name(point, point->spec.function);
	judge_offset(making->point);
	judge_sites(making);
	if (!point->offered_count)
		point->offered_count = kernel_types_offer(lookup->types, making->module,
							  point->spec.function, point->offered,
							  PROBE_VALUES_MAX);
	if (spec->edge != PROBE_ENTRY)
		point->max_active = MAX_ACTIVE;
	return 0;
}

static int fill_point(const struct lookup *lookup, uint32_t first, uint32_t end,
		      struct probe_point *point)
{
	const struct kernel_function *name = first < end ? &lookup->names->list[first] : NULL;
	struct making *making = calloc(1, sizeof(*making));
	int err;

	*point = (struct probe_point){ .file = -1 };
	if (!making)
		return diag_set(lookup->why, -ENOMEM, "no memory for the sites of a probe");
	making->lookup = lookup;
	making->point = point;
	making->module = name ? name->module : lookup->spec->file;
	/* Of a wildcard's functions no copies are looked for. */
	err = begin_point(making, name ? name->name : lookup->spec->function,
			  lookup->spec->is_wildcard ? end - first : PROBE_SITES_MAX);
	if (!err)
		err = fill_sites(making, first, end);
	free(making);
	return err;
}

static int fill_points(const struct lookup *lookup, struct probe_point *points, uint32_t *count)
{
	const struct kernel_functions *names = lookup->names;
	uint32_t end;
	int err = 0;

	for (uint32_t i = 0; i < names->count && !err; i = end) {
		for (end = i + 1; end < names->count; end++)
			if (strcmp(names->list[i].name, names->list[end].name) != 0 ||
			    strcmp(names->list[i].module, names->list[end].module) != 0)
				break;
		err = fill_point(lookup, i, end, &points[(*count)++]);
	}
	return err;
}

static int refuse_number(const struct probe_spec *spec, uint32_t matches, struct diag *why)
{
	if (spec->is_wildcard)
		return diag_set(why, -E2BIG, "%u kernel functions match '%s', at most %d can be "
				"probed at once", matches, spec->function, PROBE_MATCHES_MAX);
	return diag_set(why, -E2BIG, "%u kernel functions are called '%s': no probe can tell them "
			"apart", matches, spec->function);
}

/* Looks for what only debug information has: lines, and functions that are inlined everywhere.
 * @by_name: why the names have no such function; err 0: they have it, which tells the module. */
static int find_by_debug(const struct lookup *lookup, const struct diag *by_name,
			 struct probe_point *points, uint32_t *count)
{
	int err;

	*count = 1;
	err = fill_point(lookup, 0, lookup->names->count ? 1 : 0, &points[0]);
	/* Without debug information the name alone is the reason, with a name that is similar. */
	if (err == -ENOENT && by_name->err && !is_of_debug(lookup->spec)) {
		const struct diag debug = *lookup->why;

		diag_set(lookup->why, err, strstr(by_name->text, "did you mean") ? "%s" : "%s; %s",
			 by_name->text, debug.text);
	}
	return err;
}

static int find_names(const struct lookup *lookup, struct kernel_functions *names,
		      struct diag *why)
{
	const struct probe_spec *spec = lookup->spec;
	int err;

	*names = (struct kernel_functions){ .list = NULL };
	if (!spec->function[0])
		return 0;
	err = find_functions(names, spec->function, spec->file, spec->is_wildcard,
			     PROBE_MATCHES_MAX, why);
	if (!err && names->matches > names->count && !is_of_debug(spec))
		err = refuse_number(spec, names->matches, why);
	return err;
}

int point_kernel_find(struct kernel_types *types, struct source_reader *reader,
		      const struct probe_spec *spec, struct probe_point **out, uint32_t *count,
		      struct diag *why)
{
	struct diag own = { .err = 0 }, by_name = { .err = 0 };
	struct kernel_functions names;
	const struct lookup lookup = { types, reader, spec, &names, why ? why : &own };
	int err = find_names(&lookup, &names, &by_name);
	const bool by_debug = !err ? is_of_debug(spec) : err == -ENOENT && !spec->is_wildcard;

	if (!err || by_debug)
		*out = calloc(names.count + 1, sizeof(**out));
	if (err && !by_debug)
		diag_set(why, err, "%s", by_name.text);
	else if (!*out)
		err = diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	else if (by_debug)
		err = find_by_debug(&lookup, &by_name, *out, count);
	else
		err = fill_points(&lookup, *out, count);
	finish_functions(&names);
	if (err) {
		probe_point_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return err;
}
