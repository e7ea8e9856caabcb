/* event_catalogue.c - see capture/event.h.
 *
 * Problem: what a machine can count is in four places, which say little of it: the kernel's own
 * numbers, sysfs, tracefs, the CPU's manual. And a name that is there need not open.
 *
 * Idea: one list with a sentence for each. Sentences are our own where the meaning is fixed; else
 * they are made of what the kernel says: name, PMU, encoding and unit, or group and fields of a
 * tracepoint. event_trial.c then opens each event once.
 *
 * Rejected: descriptions of the CPU's manual by model (libpfm4, perf's JSON): they name events that
 * a virtual machine does not have.
 */
#include "capture/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "capture/scope.h"
#include "capture/tracefs.h"

#define TEXT_BYTES     4096	/* a sysfs file is at most a page */
#define PATH_BYTES     512
#define SENTENCE_BYTES 1024
#define NAME_BYTES     (2 * NAME_MAX + 8)
/* Groups of our own probes: capture/tracefs.h. */
#define OWN_GROUP      "flametop_"

static struct event_entry *append(struct event_catalogue *catalogue, enum event_kind kind,
				  const char *name, const char *aliases, const char *sentence)
{
	struct event_entry *entry;

	if (catalogue->count == catalogue->room) {
		const size_t room = catalogue->room ? 2 * catalogue->room : 256;
		void *grown = reallocarray(catalogue->list, room, sizeof(*catalogue->list));

		if (!grown)
			return NULL;
		catalogue->list = grown;
		catalogue->room = room;
	}
	entry = &catalogue->list[catalogue->count];
	*entry = (struct event_entry){ .kind = kind, .cpu = -1, .name = strdup(name),
				       .aliases = strdup(aliases), .sentence = strdup(sentence),
				       .attr.size = sizeof(entry->attr) };
	catalogue->count++;
	return entry->name && entry->aliases && entry->sentence ? entry : NULL;
}

/* Writes the names of the list that have @attr's type and config, but @name itself. */
static void list_aliases(const char *name, const struct perf_event_attr *attr, char *out,
			 size_t room)
{
	struct perf_event_attr other = { .size = sizeof(other) };
	const char *alias;
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; (alias = event_names_at(i)) && used < room; i++)
		if (!event_names_sentence(i) && strcmp(alias, name) != 0 &&
		    event_names_find(alias, &other) &&
		    other.type == attr->type && other.config == attr->config)
			used += (size_t)snprintf(out + used, room - used, "%s%s",
						 used ? " " : "", alias);
}

static int add_generic(struct event_catalogue *out, uint32_t type, enum event_kind kind)
{
	struct event_entry *entry;
	const char *name;
	char aliases[96];

	for (size_t i = 0; (name = event_names_at(i)) != NULL; i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };

		if (!event_names_sentence(i) || !event_names_find(name, &attr) ||
		    attr.type != type)
			continue;
		list_aliases(name, &attr, aliases, sizeof(aliases));
		entry = append(out, kind, name, aliases, event_names_sentence(i));
		if (!entry)
			return -ENOMEM;
		entry->attr = attr;
	}
	return 0;
}

static int add_caches(struct event_catalogue *out)
{
	char name[64], sentence[128];
	struct event_entry *entry;

	for (size_t i = 0; event_names_cache(i, name, sizeof(name), sentence, sizeof(sentence));
	     i++) {
		if (!name[0])
			continue;
		entry = append(out, EVENT_CACHE, name, "", sentence);
		if (!entry)
			return -ENOMEM;
		event_names_find(name, &entry->attr);
	}
	return 0;
}

static int add_forms(struct event_catalogue *out)
{
	static uint64_t watched;	/* the trial watches it */
	struct event_entry *entry = append(out, EVENT_FORM, "rNNN", "", "the CPU's own event NNN, "
					   "a hexadecimal code of its manual, as r01c0");

	if (!entry)
		return -ENOMEM;
	entry->attr.type = PERF_TYPE_RAW;
	entry = append(out, EVENT_FORM, "mem:ADDR[/LEN][:ACCESS]", "", "accesses to memory at an "
		       "address, as mem:0x601040/8:w: r read, w write, rw both, x execute");
	if (!entry)
		return -ENOMEM;
	entry->cost = EVENT_TRAPS;
	entry->attr.type = PERF_TYPE_BREAKPOINT;
	entry->attr.bp_type = HW_BREAKPOINT_W;
	entry->attr.bp_addr = (uintptr_t)&watched;
	entry->attr.bp_len = HW_BREAKPOINT_LEN_4;
	entry = append(out, EVENT_FORM, "{EVENT,EVENT,...}:S", "", "samples of the first event, "
		       "with which the others are read, as {cycles,instructions}:S");
	if (!entry)
		return -ENOMEM;
	entry->attr.type = PERF_TYPE_SOFTWARE;
	entry->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	return 0;
}

/* PMUs of sysfs. */

struct pmu_reader {
	const char *devices;
	struct core_pmus cores;
	struct dirent **pmus;		/* all of them, by name */
	int pmu_count;
	struct event_catalogue *out;
};

/* Reads the first line of devices/@pmu/@file. Returns false when there is none. */
static bool read_file(const char *devices, const char *pmu, const char *file, char *out,
		      size_t room)
{
	char path[PATH_BYTES];
	ssize_t got = -1;
	int fd;

	out[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, file) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = whole_read(fd, out, room - 1);
	close(fd);
	out[got > 0 ? got : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return got > 0;
}

/* Lists the directory @path below @dir (-1: a whole path), sorted. Returns the number of entries,
 * of which the caller frees each and the list; 0: none. */
static int list_directory(int dir, const char *path, struct dirent ***out)
{
	const int count = scandirat(dir < 0 ? AT_FDCWD : dir, path, out, NULL, alphasort);

	return count < 0 ? 0 : count;
}

static void free_directory(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	if (count > 0)
		free(entries);
}

/* False for "energy-pkg.unit" and the other files beside an event's. */
static bool is_event_file(const char *name)
{
	static const char *const ends[] = { ".unit", ".scale", ".snapshot", ".per-pkg" };
	const size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return false;
	return name[0] != '.';
}

/* Returns the first CPU of the PMU's cpumask; -1: it has none, and follows tasks. */
static int read_cpumask(const char *devices, const char *pmu)
{
	char text[TEXT_BYTES];
	size_t count = 0;
	int *cpus = NULL, first = -1;

	if (read_file(devices, pmu, "cpumask", text, sizeof(text)) &&
	    !cpu_list_parse(text, &cpus, &count, NULL) && count)
		first = cpus[0];
	free(cpus);
	return first;
}

/* Returns the index of the PMU among those of cores; CORE_PMU_NONE: it is none. */
static size_t find_core(const struct core_pmus *cores, const char *pmu)
{
	for (size_t i = 0; i < cores->count; i++)
		if (!strcmp(cores->list[i].name, pmu))
			return i;
	return CORE_PMU_NONE;
}

/* Returns the bytes of the name of @pmu's family: those of "cpu" for cores called cpu_core and
 * cpu_atom, of "uncore_imc" for uncore_imc_0 and uncore_imc_1; 0: it is of none. */
static size_t measure_family(const struct pmu_reader *reader, const char *pmu)
{
	const char *end = strrchr(pmu, '_');
	const size_t bytes = event_pmu_measure_unnumbered(pmu);

	if (find_core(&reader->cores, pmu) != CORE_PMU_NONE)
		return end ? (size_t)(end - pmu) : 0;
	return pmu[bytes] ? bytes : 0;
}

/* True if @other is another PMU of @pmu's family, and has the event, too. */
static bool is_relative(const struct pmu_reader *reader, const char *pmu, const char *other,
			const char *event)
{
	const size_t family = measure_family(reader, pmu);
	char file[NAME_MAX + 8], text[TEXT_BYTES];

	if (!family || family != measure_family(reader, other) ||
	    strncmp(pmu, other, family) != 0 || !strcmp(pmu, other))
		return false;
	snprintf(file, sizeof(file), "events/%s", event);
	return read_file(reader->devices, other, file, text, sizeof(text));
}

/* Finds the PMUs of the family that have the event, too. Writes the names of all of them into
 * @all[@room]. Returns how many there are besides @pmu, or -1 when one of them comes before it and
 * has the entry. */
static int find_relatives(const struct pmu_reader *reader, const char *pmu, const char *event,
			  char *all, size_t room)
{
	const size_t own = find_core(&reader->cores, pmu);
	const bool is_core = own != CORE_PMU_NONE;
	const size_t most = is_core ? reader->cores.count : (size_t)reader->pmu_count;
	size_t used = (size_t)snprintf(all, room, "%s", pmu);
	int count = 0;

	for (size_t i = 0; i < most; i++) {
		const char *other = is_core ? reader->cores.list[i].name : reader->pmus[i]->d_name;

		if (!is_relative(reader, pmu, other, event))
			continue;
		if (is_core ? i < own : strcmp(other, pmu) < 0)
			return -1;
		count++;
		if (used < room)
			used += (size_t)snprintf(all + used, room - used, ", %s", other);
	}
	return count;
}

/* A term that has to be completed: "event=0x1,thread=?". */
static bool is_incomplete(const char *terms)
{
	return strstr(terms, "=?");
}

static void put_unit(const struct pmu_reader *reader, const char *pmu, const char *event,
		     char *out, size_t room)
{
	char file[NAME_MAX + 16], unit[64];

	out[0] = '\0';
	snprintf(file, sizeof(file), "events/%s.unit", event);
	if (read_file(reader->devices, pmu, file, unit, sizeof(unit)))
		snprintf(out, room, ", in %s", unit);
}

/* Adds the event @event of @pmu, which @terms encode; one that others of the family have, too, by
 * the family's name. */
static int add_pmu_event(struct pmu_reader *reader, const char *pmu, const char *event,
			 const char *terms, int cpu)
{
	char name[NAME_BYTES], sentence[SENTENCE_BYTES], all[PATH_BYTES], unit[80];
	const int relatives = find_relatives(reader, pmu, event, all, sizeof(all));
	const size_t length = relatives > 0 ? measure_family(reader, pmu) : strlen(pmu);
	const bool is_form = is_incomplete(terms);
	struct event_entry *entry;

	if (relatives < 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s/%s/", (int)length, pmu, event);
	put_unit(reader, pmu, event, unit, sizeof(unit));
	snprintf(sentence, sizeof(sentence), "%s as the PMU%s %s count%s it%s%s: %s%s", event,
		 relatives ? "s" : "", all, relatives ? "" : "s", unit,
		 cpu < 0 ? "" : ", for all CPUs that share it", terms,
		 is_form ? "; the ? is a number to be given" : "");
	entry = append(reader->out, is_form ? EVENT_FORM : EVENT_PMU, name, "", sentence);
	if (!entry)
		return -ENOMEM;
	entry->cpu = cpu;
	if (cpu >= 0)
		entry->cost = EVENT_COUNTS;
	if (!is_form)
		event_pmu_parse(reader->devices, pmu, event, &entry->attr, name, sizeof(name),
				NULL);
	return 0;
}

static int add_pmu(struct pmu_reader *reader, const char *pmu)
{
	const int cpu = read_cpumask(reader->devices, pmu);
	char path[PATH_BYTES], file[NAME_MAX + 8], terms[TEXT_BYTES];
	struct dirent **entries = NULL;
	int count, err = 0;

	snprintf(path, sizeof(path), "%s/%s/events", reader->devices, pmu);
	count = list_directory(-1, path, &entries);
	for (int i = 0; !err && i < count; i++) {
		snprintf(file, sizeof(file), "events/%s", entries[i]->d_name);
		if (is_event_file(entries[i]->d_name) &&
		    read_file(reader->devices, pmu, file, terms, sizeof(terms)))
			err = add_pmu_event(reader, pmu, entries[i]->d_name, terms, cpu);
	}
	free_directory(entries, count);
	return err;
}

static int add_pmus(struct event_catalogue *out, const char *devices)
{
	struct pmu_reader reader = { .devices = devices, .out = out };
	int err = 0;

	reader.pmu_count = list_directory(-1, devices, &reader.pmus);
	core_pmus_read(&reader.cores, devices);
	for (int i = 0; !err && i < reader.pmu_count; i++)
		if (reader.pmus[i]->d_name[0] != '.')
			err = add_pmu(&reader, reader.pmus[i]->d_name);
	core_pmus_finish(&reader.cores);
	free_directory(reader.pmus, reader.pmu_count);
	return err;
}

/* Tracepoints. */

__attribute__((format(printf, 3, 4)))
static void put(char *out, size_t room, const char *format, ...)
{
	const size_t used = strlen(out);
	va_list args;

	va_start(args, format);
	vsnprintf(out + used, room - used, format, args);
	va_end(args);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void put_fields(const struct raw_fields *fields, char *out, size_t room)
{
	const char *before = "; fields ";

	for (size_t i = 0; i < fields->count; i++) {
		const struct raw_field *field = &fields->list[i];

		if (field->is_common || !strcmp(field->name, "__syscall_nr"))
			continue;
		put(out, room, "%s%s", before, field->name);
		before = ", ";
	}
	if (*before == ';')
		put(out, room, "; no fields");
}

/* Writes what a hit of the tracepoint means, as far as the kernel says so: its names and fields. */
static void describe_tracepoint(int dir, const char *group, const char *event, char *out,
				size_t room)
{
	struct raw_fields fields = { .count = 0 };
	const bool is_syscall = !strcmp(group, "syscalls");

	out[0] = '\0';
	if (is_syscall && begins(event, "sys_enter_"))
		put(out, room, "a thread enters the system call %s", event + strlen("sys_enter_"));
	else if (is_syscall && begins(event, "sys_exit_"))
		put(out, room, "a thread leaves the system call %s", event + strlen("sys_exit_"));
	else
		put(out, room, "tracepoint %s of %s", event, group);
	if (!tracefs_read_fields(dir, group, event, &fields, NULL))
		put_fields(&fields, out, room);
	else
		put(out, room, "; fields unknown");
	raw_fields_finish(&fields);
}

/* The kernel makes a file id for what perf_event_open(2) can open: not for most of ftrace's own. */
static bool has_id(int dir, const char *group, const char *event)
{
	char path[NAME_BYTES + 16];

	snprintf(path, sizeof(path), "events/%s/%s/id", group, event);
	return faccessat(dir, path, F_OK, AT_EACCESS) == 0;
}

static int add_group(struct event_catalogue *out, int dir, const char *group)
{
	char path[NAME_MAX + 8], name[NAME_BYTES], sentence[SENTENCE_BYTES];
	struct dirent **entries = NULL;
	int count, err = 0;

	snprintf(path, sizeof(path), "events/%s", group);
	count = list_directory(dir, path, &entries);
	for (int i = 0; !err && i < count; i++) {
		const char *event = entries[i]->d_name;

		if (event[0] == '.' || !has_id(dir, group, event))
			continue;
		snprintf(name, sizeof(name), "%s:%s", group, event);
		describe_tracepoint(dir, group, event, sentence, sizeof(sentence));
		if (!append(out, EVENT_TRACEPOINT, name, "", sentence))
			err = -ENOMEM;
		else
			out->list[out->count - 1].attr.type = PERF_TYPE_TRACEPOINT;
	}
	free_directory(entries, count);
	return err;
}

static int add_tracepoints(struct event_catalogue *out, int given)
{
	const int dir = given >= 0 ? given : tracefs_open(&out->no_tracepoints);
	struct dirent **entries = NULL;
	int count, err = 0;

	if (dir < 0)
		return 0;
	count = list_directory(dir, "events", &entries);
	if (!count)
		diag_set(&out->no_tracepoints, -errno, "the list of tracepoints can't be read: %s",
			 strerror(errno));
	for (int i = 0; !err && i < count; i++)
		if (entries[i]->d_name[0] != '.' && entries[i]->d_type == DT_DIR &&
		    !begins(entries[i]->d_name, OWN_GROUP))
			err = add_group(out, dir, entries[i]->d_name);
	free_directory(entries, count);
	if (given < 0)
		close(dir);
	return err;
}

int event_catalogue_read(struct event_catalogue *out,
			 const struct event_surroundings *surroundings)
{
	const struct event_surroundings here = { .tracefs = -1 };
	const struct event_surroundings *from = surroundings ? surroundings : &here;
	int err;

	*out = (struct event_catalogue){ .count = 0 };
	err = add_generic(out, PERF_TYPE_HARDWARE, EVENT_HARDWARE);
	if (!err)
		err = add_generic(out, PERF_TYPE_SOFTWARE, EVENT_SOFTWARE);
	if (!err)
		err = add_caches(out);
	if (!err)
		err = add_pmus(out, from->devices ? from->devices : EVENT_PMU_DEVICES);
	if (!err)
		err = add_forms(out);
	return err ? err : add_tracepoints(out, from->tracefs);
}

void event_catalogue_finish(struct event_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		free(catalogue->list[i].name);
		free(catalogue->list[i].aliases);
		free(catalogue->list[i].sentence);
	}
	for (size_t i = 0; i < EVENT_REASONS_MAX; i++)
		free(catalogue->reasons[i]);
	free(catalogue->list);
	*catalogue = (struct event_catalogue){ .count = 0 };
}

/* Patterns. */

static const struct {
	const char *name, *words;	/* words: names of the kind for perf-list(1) */
} kinds[EVENT_KINDS] = {
	[EVENT_HARDWARE] = { "hardware", "hw hardware" },
	[EVENT_SOFTWARE] = { "software", "sw software" },
	[EVENT_CACHE] = { "cache", "cache hwcache" },
	[EVENT_PMU] = { "pmu", "pmu" },
	[EVENT_FORM] = { "form", "form" },
	[EVENT_TRACEPOINT] = { "tracepoint", "tracepoint" },
};

const char *event_kind_name(enum event_kind kind)
{
	return kinds[kind].name;
}

const char *event_cost_name(enum event_cost cost)
{
	static const char *const names[] = {
		[EVENT_SAMPLES] = "sample", [EVENT_COUNTS] = "count", [EVENT_TRAPS] = "trap",
	};

	return names[cost];
}

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		const size_t next = strcspn(at, " ");

		if (next == len && !strncmp(at, word, len))
			return true;
		at += next;
	}
	return false;
}

static bool is_kind(const char *pattern)
{
	for (size_t i = 0; i < EVENT_KINDS; i++)
		if (has_word(kinds[i].words, pattern))
			return true;
	return false;
}

static bool matches_part(const char *name, const char *pattern)
{
	char glob[NAME_BYTES];

	snprintf(glob, sizeof(glob), "*%s*", pattern);
	return fnmatch(glob, name, FNM_CASEFOLD) == 0;
}

bool event_entry_matches(const struct event_entry *entry, const char *pattern)
{
	if (!pattern)
		return true;
	if (is_kind(pattern))
		return has_word(kinds[entry->kind].words, pattern);
	if (strchr(pattern, ':') && entry->kind == EVENT_TRACEPOINT)
		return fnmatch(pattern, entry->name, 0) == 0;
	return matches_part(entry->name, pattern) || matches_part(entry->aliases, pattern);
}
