/* target_kernel.c - see target_kernel.h.
 *
 * Problem: a third of the kernel's functions can't be probed, and the kernel tells it one by one,
 * when a probe is attached. The user should see it before.
 *
 * Idea: ftrace lists what it can trace, by one name of each address. The kernel refuses a kprobe
 * where ftrace has no place ("notrace"), so an address is excluded if none of its names is in that
 * list, or if it is on the blacklist. If neither can be read all are listed: the kernel then
 * refuses later.
 */
#include "target_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs.h"
#include "symbols/kallsyms.h"

#define FIRST_ROOM 16384
#define BLACKLIST  "/sys/kernel/debug/kprobes/blacklist"

struct function {
	uint64_t address;
	char *name;		/* name; while texts are still added, an offset into `texts` */
	size_t name_at, module_at;	/* offsets into `texts`; module_at 0: the kernel itself */
	bool is_traceable, is_forbidden;
};

struct kernel_names {
	struct function *rows;	/* owned, like `texts` */
	size_t count, room;
	char *texts;
	size_t text_bytes, text_room;
};

static void finish(struct kernel_names *names)
{
	free(names->rows);
	free(names->texts);
}

static int add_text(struct kernel_names *names, const char *text, size_t *at)
{
	const size_t bytes = strlen(text) + 1;
	size_t room = names->text_room ? names->text_room : FIRST_ROOM;
	char *grown;

	while (room - names->text_bytes < bytes)
		room *= 2;
	if (room > names->text_room) {
		grown = realloc(names->texts, room);
		if (!grown)
			return -ENOMEM;
		names->texts = grown;
		names->text_room = room;
	}
	memcpy(names->texts + names->text_bytes, text, bytes);
	*at = names->text_bytes;
	names->text_bytes += bytes;
	return 0;
}

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

/* True for gaps before functions and code that ftrace or BPF made: no probe can name them. */
static bool is_no_function(const char *name, const char *module)
{
	return begins_with(name, "__pfx_") || begins_with(name, "__cfi_") ||
	       begins_with(name, ".L") ||
	       (module && (strcmp(module, "bpf") == 0 || begins_with(module, "__builtin__")));
}

static int add_function(void *context, uint64_t address, const char *name, const char *module)
{
	struct kernel_names *names = context;
	struct function *row;
	int err;

	if (is_no_function(name, module))
		return 0;
	if (names->count == names->room) {
		const size_t room = names->room ? 2 * names->room : FIRST_ROOM;
		struct function *grown = reallocarray(names->rows, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		names->rows = grown;
		names->room = room;
	}
	row = &names->rows[names->count];
	*row = (struct function){ .address = address };
	err = add_text(names, name, &row->name_at);
	/* A module's functions are adjacent: its name is stored once. */
	if (!err && module && names->count && row[-1].module_at &&
	    strcmp(names->texts + row[-1].module_at, module) == 0)
		row->module_at = row[-1].module_at;
	else if (!err && module)
		err = add_text(names, module, &row->module_at);
	names->count += !err;
	return err;
}

static int by_name(const void *one, const void *other)
{
	const struct function *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_address(const void *one, const void *other)
{
	const struct function *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

static int name_against_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct function *)row)->name);
}

/* Marks all rows with that name; `rows` are sorted by name. */
static void mark_traceable(struct kernel_names *names, const char *name)
{
	struct function *row = bsearch(name, names->rows, names->count, sizeof(*row),
				       name_against_row);

	while (row && row > names->rows && strcmp(row[-1].name, name) == 0)
		row--;
	for (; row && row < names->rows + names->count && strcmp(row->name, name) == 0; row++)
		row->is_traceable = true;
}

/* Reads lines such as "vfs_read", "nf_hook [nf_tables]". False: the list can't be read. */
static bool read_traceable(struct kernel_names *names)
{
	int dir = tracefs_open(NULL), fd;
	size_t lines = 0;
	FILE *file;
	char line[512];

	if (dir < 0)
		return false;
	fd = openat(dir, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	close(dir);
	file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (; fgets(line, sizeof(line), file); lines++) {
		line[strcspn(line, " \t\n")] = '\0';
		mark_traceable(names, line);
	}
	fclose(file);
	return lines > 0;
}

/* Marks the other names of traceable addresses; `rows` are sorted by address. */
static void spread_over_aliases(struct kernel_names *names)
{
	for (size_t i = 0, end; i < names->count; i = end) {
		bool is_any = false;

		for (end = i; end < names->count &&
		     names->rows[end].address == names->rows[i].address; end++)
			is_any |= names->rows[end].is_traceable;
		for (size_t j = i; j < end && names->rows[i].address; j++)
			names->rows[j].is_traceable = is_any;
	}
}

/* Reads lines "0xffffffff81000000-0xffffffff81000010\tname"; `rows` are sorted by address. */
static void read_blacklist(struct kernel_names *names)
{
	FILE *file = fopen(BLACKLIST, "re");
	unsigned long long start, end;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		size_t low = 0, high = names->count;

		if (sscanf(line, "0x%llx-0x%llx", &start, &end) != 2 || !start)
			continue;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;

			if (names->rows[middle].address < start)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < names->count && names->rows[low].address < end; low++)
			names->rows[low].is_forbidden = true;
	}
	if (file)
		fclose(file);
}

static void set_names(struct kernel_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		names->rows[i].name = names->texts + names->rows[i].name_at;
}

static unsigned int reason_of(const struct function *row, bool has_list, unsigned int forbidden,
			      unsigned int untraceable)
{
	if (row->is_forbidden)
		return forbidden;
	return has_list && !row->is_traceable ? untraceable : 0;
}

/* Adds each name once; `rows` are sorted by name. */
static int fill(struct target_index *index, const struct kernel_names *names, bool has_list,
		unsigned int unable)
{
	const unsigned int forbidden = target_index_reason(index, "the kernel forbids probes here "
							   "(kprobe blacklist)");
	const unsigned int untraceable = target_index_reason(index, "notrace: the kernel traces "
							     "nothing here");
	int err = 0;

	for (size_t i = 0; i < names->count && !err; i++) {
		const struct function *row = &names->rows[i];
		const struct target_name name = {
			.raw = row->name,
			.note = row->module_at ? names->texts + row->module_at : NULL,
			.reason = unable ? unable :
				  reason_of(row, has_list, forbidden, untraceable),
		};

		if (i == 0 || strcmp(row[-1].name, row->name) != 0)
			err = target_index_add(index, &name);
	}
	return err;
}

static int make_index(struct kernel_names *names, const struct probe_abilities *abilities,
		      struct target_index **out)
{
	struct target_index *index = target_index_create(TARGET_KERNEL_FUNCTION, "", "kernel");
	unsigned int unable = 0;
	bool has_list = false;
	int err;

	if (!index)
		return -ENOMEM;
	if (abilities && !abilities->list[PROBE_CAN_TRACEFS_KPROBE].is_there &&
	    !abilities->list[PROBE_CAN_KPROBE_PMU].is_there)
		unable = target_index_reason(index,
					     abilities->list[PROBE_CAN_TRACEFS_KPROBE].reason);
	set_names(names);
	qsort(names->rows, names->count, sizeof(*names->rows), by_name);
	if (!unable) {
		has_list = read_traceable(names);
		qsort(names->rows, names->count, sizeof(*names->rows), by_address);
		spread_over_aliases(names);
		read_blacklist(names);
		qsort(names->rows, names->count, sizeof(*names->rows), by_name);
	}
	err = fill(index, names, has_list, unable);
	if (err) {
		target_index_destroy(index);
		return err;
	}
	*out = index;
	return 0;
}

int target_kernel_load(struct target_index **out, const struct probe_abilities *abilities,
		       const atomic_bool *is_stopping, struct diag *why)
{
	struct kernel_names names = { .count = 0 };
	size_t ignored;
	int err = add_text(&names, "", &ignored);	/* so that offset 0 is no text */

	*out = NULL;
	if (!err)
		err = kallsyms_list("/proc/kallsyms", add_function, &names, is_stopping, why);
	if (!err)
		err = make_index(&names, abilities, out);
	finish(&names);
	return err == -ENOMEM ? diag_set(why, err, "no memory for the kernel's functions") : err;
}
