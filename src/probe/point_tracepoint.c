/* point_tracepoint.c - see point_tracepoint.h.
 *
 * A tracepoint's arguments are the fields of its record; nothing is fetched, so only a name or a
 * type can be wrong. What a system call's pointers lead to is copied by a BPF program, whose record
 * takes the place of the tracepoint's (bpf/syscall_texts.h).
 */
#include "point_tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/name_match.h"
#include "capture/event.h"
#include "capture/raw_fields.h"
#include "capture/tracefs.h"
#include "probe/probe_definition.h"
#include "probe_verdict.h"

/* A system call's tracepoint has the arguments in their order, after __syscall_nr. The libc
 * function mostly has the name of the call and the same arguments. */

#define PREFIX "sys_enter_"

/* Returns the libc function for @call, whose name may differ on 64-bit systems. */
static const char *libc_name(const char *call)
{
	static const struct { const char *call, *function; } others[] = {
		{ "open", "open64" }, { "openat", "openat64" }, { "creat", "creat64" },
		{ "newstat", "stat64" }, { "newlstat", "lstat64" }, { "newfstatat", "fstatat64" },
		{ "truncate", "truncate64" }, { "statfs", "statfs64" }, { "umount", "umount2" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].call, call) == 0)
			return others[i].function;
	return call;
}

/* Writes a kernel probe that fetches argument @number, from 1, from regs, the only parameter. */
static bool kernel_way(const char *call, unsigned int number, char *out, size_t room)
{
#if defined(__x86_64__)
	static const char *const registers[] = { "di", "si", "dx", "r10", "r8", "r9" };

	if (number > sizeof(registers) / sizeof(registers[0]))
		return false;
	snprintf(out, room, "k:__x64_sys_%s regs->%s:ustring", call, registers[number - 1]);
	return true;
#elif defined(__aarch64__)
	snprintf(out, room, "k:__arm64_sys_%s regs->regs[%u]:ustring", call, number - 1);
	return number <= 6;
#else
	(void)call;
	(void)number;
	(void)out;
	(void)room;
	return false;
#endif
}

/* Returns the number, from 1, of the system call's argument; 0: the field is none. */
static unsigned int argument_number(const struct raw_fields *fields, int index)
{
	const int call = raw_fields_find(fields, "__syscall_nr");

	return call < 0 || index <= call ? 0 : (unsigned int)(index - call);
}

static bool points_to_pointers(const struct raw_field *field)
{
	return strchr(field->type, '*') != strrchr(field->type, '*');
}

bool pointed_text_is(const struct raw_field *field)
{
	return field->is_address && strstr(field->type, "char") && !points_to_pointers(field);
}

void pointed_text_refuse(const char *group, const char *name, const struct raw_fields *fields,
			 int index, char *out, size_t room)
{
	const unsigned int number = argument_number(fields, index);
	const char *call = name + sizeof(PREFIX) - 1;
	char kernel[96];
	size_t used = (size_t)snprintf(out, room, "the record has only the address of this text");

	if (strcmp(group, "syscalls") != 0 || strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
	    !number || used >= room)
		return;
	if (points_to_pointers(&fields->list[index])) {	/* argv: first string after argv[0] */
		snprintf(out + used, room - used, "; u:libc.so.6:%s $arg%u[1]:string brings one of "
			 "them", libc_name(call), number);
		return;
	}
	used += (size_t)snprintf(out + used, room - used, "; u:libc.so.6:%s %s=$arg%u:string "
				 "brings it", libc_name(call), fields->list[index].name, number);
	if (used < room && kernel_way(call, number, kernel, sizeof(kernel)))
		snprintf(out + used, room - used, ", or with kprobes %s", kernel);
}

/* Finds what a BPF program can copy for @argument: field @index of a system call's entry. */
static bool find_copied(const char *group, const char *name, const struct raw_fields *fields,
			int index, const struct probe_argument *argument, struct syscall_text *out)
{
	static const char *const with_address[] = { "connect", "bind", "sendto" };
	const struct raw_field *field = &fields->list[index];
	const unsigned int number = argument_number(fields, index);
	bool has_address = false;

	if (strcmp(group, "syscalls") != 0 || strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
	    !number || number > SYSCALL_ARGUMENTS || !field->is_address || argument->is_masked ||
	    strchr(argument->value, '['))
		return false;
	out->argument = number - 1;
	out->kind = points_to_pointers(field) ? SYSCALL_STRINGS : SYSCALL_STRING;
	if (strstr(argument->type, "string"))
		return strstr(field->type, "char");
	out->kind = SYSCALL_ADDRESS;
	for (size_t i = 0; i < sizeof(with_address) / sizeof(with_address[0]); i++)
		has_address |= strcmp(name + sizeof(PREFIX) - 1, with_address[i]) == 0;
	return has_address && strcmp(argument->type, "sockaddr") == 0 &&
	       strstr(field->type, "sockaddr");
}

bool point_tracepoint_texts(const struct probe_point *points, bool is_return,
			    struct syscall_texts_config *out)
{
	const struct probe_spec *spec = &points->spec;
	const char *call = spec->function + sizeof(PREFIX) - 1;
	const struct probe_site *site = &points->sites[0];
	uint64_t number;

	*out = (struct syscall_texts_config){ .is_exit = is_return };
	for (uint32_t i = 0; i < site->value_count; i++)
		if (site->values[i].is_copied)
			out->texts[out->text_count++] = site->values[i].text;
	if (!out->text_count || !probe_meaning_number(MEANING_SYSCALL, call, &number))
		return false;
	out->call = (uint32_t)number;
	out->starts_program = strncmp(call, "execve", strlen("execve")) == 0;
	return true;
}

#define PATH_BYTES   (PROBE_GROUP_BYTES + PROBE_FUNCTION_BYTES + 32)

/* What all points of a spec have in common. */
struct search {
	int directory;
	const struct probe_spec *spec;
	bool has_tried;		/* whether BPF can copy texts: `no_texts` says so */
	struct diag no_texts;	/* why it can't; err 0: it can */
};

/* Fills @out from field @index. @argument NULL: as the event has the field. */
static void fill_field(const struct raw_fields *fields, int index, const char *group,
		       const char *name, const struct probe_argument *argument,
		       struct probe_fetch *out)
{
	const struct raw_field *field = &fields->list[index];
	struct field_view view;
	int err = field_view_make(&view, fields, index, group, name, argument, out->reason,
				  sizeof(out->reason));

	out->kind = view.kind;
	out->meaning = view.meaning;
	out->is_pointed = pointed_text_is(field);
	snprintf(out->name, sizeof(out->name), "%s", field->name);
	snprintf(out->type, sizeof(out->type), "%s", field->type);
	if (!err)
		snprintf(out->fetch, sizeof(out->fetch), "%s", field->name);
	else if (err == -ENOTSUP)
		pointed_text_refuse(group, name, fields, index, out->reason, sizeof(out->reason));
}

static bool asks_text(const struct probe_argument *argument)
{
	return strstr(argument->type, "string") || strcmp(argument->type, "sockaddr") == 0;
}

static bool asks_texts(const struct probe_spec *spec)
{
	bool asks = false;

	for (uint32_t i = 0; i < spec->argument_count; i++)
		asks |= asks_text(&spec->arguments[i]);
	return asks;
}

/* Tries once to copy a text of each kind, for a system call that nobody makes. */
static bool can_copy(struct search *search)
{
	const struct syscall_texts_config config = {
		.call = INT32_MAX, .texts = { { SYSCALL_STRING, 0 }, { SYSCALL_STRINGS, 1 },
					      { SYSCALL_ADDRESS, 2 } }, .text_count = 3,
	};
	struct syscall_texts *texts;

	if (!search->has_tried) {
		search->no_texts.err = syscall_texts_open(&texts, &config, &search->no_texts);
		syscall_texts_close(texts);
		search->has_tried = true;
	}
	return !search->no_texts.err;
}

/* Makes @out a text that BPF copies, if field @index points to what @argument asks for. Where some
 * text is copied, the condition's texts are, too: the kernel's filter is for the tracepoint's own
 * record. */
static void copy_text(struct search *search, const struct probe_spec *spec,
		      const struct raw_fields *fields, int index,
		      const struct probe_argument *argument, struct probe_fetch *out)
{
	const struct raw_field *field = &fields->list[index];
	struct probe_argument asked = *argument;
	size_t used;

	if (argument->is_implied && !argument->type[0] && pointed_text_is(field) &&
	    asks_texts(spec))
		snprintf(asked.type, sizeof(asked.type), "ustring");
	if (!find_copied(spec->group, spec->function, fields, index, &asked, &out->text))
		return;
	if (!can_copy(search)) {
		used = strlen(out->reason);
		snprintf(out->reason + used, sizeof(out->reason) - used, "; %s",
			 search->no_texts.text);
		return;
	}
	out->is_copied = true;
	out->is_pointed = false;
	out->reason[0] = '\0';
	out->kind = VALUE_TEXT;
	out->meaning = out->text.kind == SYSCALL_ADDRESS ? MEANING_SOCKET_ADDRESS : MEANING_PLAIN;
	snprintf(out->fetch, sizeof(out->fetch), "%s", field->name);
}

static void fill_value(struct search *search, const struct probe_spec *spec,
		       const struct raw_fields *fields, const struct probe_argument *argument,
		       struct probe_fetch *out)
{
	char name[sizeof(argument->value)], names[80];
	int index;

	*out = (struct probe_fetch){ .origin = ORIGIN_FORMAT };
	field_view_name(argument->value, name, sizeof(name));
	index = raw_fields_find(fields, name);
	if (index >= 0) {
		fill_field(fields, index, spec->group, spec->function, argument, out);
		copy_text(search, spec, fields, index, argument, out);
	} else {
		raw_fields_list(fields, names, sizeof(names));
		snprintf(out->reason, sizeof(out->reason), "no such field: %s", names);
	}
	snprintf(out->name, sizeof(out->name), "%s", argument->name);
}

static uint32_t count_own(const struct raw_fields *fields)
{
	uint32_t count = 0;

	for (size_t i = 0; i < fields->count; i++)
		count += !fields->list[i].is_common;
	return count;
}

/* Offers the text in place of its address where that points to one for sure: what a call fills in,
 * or is not terminated, is none. */
static void offer_text(const struct raw_fields *fields, int index, const char *group,
		       const char *name, struct search *search, struct probe_fetch *out)
{
	const struct raw_field *field = &fields->list[index];
	const bool is_address = strstr(field->type, "sockaddr");
	struct probe_argument argument = { .value = "" };

	snprintf(argument.type, sizeof(argument.type), is_address ? "sockaddr" : "ustring");
	if ((!is_address && strncmp(field->type, "const char", strlen("const char")) != 0) ||
	    strcmp(field->name, "buf") == 0 ||
	    !find_copied(group, name, fields, index, &argument, &out->text) ||
	    !can_copy(search))
		return;
	out->is_copied = true;
	out->kind = VALUE_TEXT;
}

static void offer_fields(struct search *search, const struct raw_fields *fields,
			 struct probe_point *point)
{
	const struct probe_spec *spec = &point->spec;

	for (size_t i = 0; i < fields->count; i++) {
		struct probe_fetch *out = &point->offered[point->offered_count];

		if (fields->list[i].is_common)
			continue;
		*out = (struct probe_fetch){ .origin = ORIGIN_FORMAT };
		fill_field(fields, (int)i, spec->group, spec->function, NULL, out);
		offer_text(fields, (int)i, spec->group, spec->function, search, out);
		point->offered_count++;
	}
}

static int fill_rows(struct search *search, const struct raw_fields *fields,
		     struct probe_point *point, struct diag *why)
{
	const struct probe_spec *spec = &point->spec;
	struct probe_site *site;

	point->sites = calloc(1, sizeof(*point->sites));
	point->offered = calloc(count_own(fields) + 1, sizeof(*point->offered));
	if (!point->sites || !point->offered)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	point->site_count = 1;
	site = &point->sites[0];
	snprintf(site->symbol, sizeof(site->symbol), "%.63s:%.191s", spec->group, spec->function);
	site->is_emulated = true;
	for (uint32_t i = 0; i < spec->argument_count; i++)
		fill_value(search, spec, fields, &spec->arguments[i], &site->values[i]);
	site->value_count = spec->argument_count;
	offer_fields(search, fields, point);
	return 0;
}

/* True: the kernel accepts @filter for the tracepoint, or the tracepoint can't be opened, which
 * attaching will report. */
static bool is_taken(const struct probe_spec *spec, const char *filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.disabled = 1 };
	uint64_t id;
	bool is_taken;
	int fd;

	if (tracefs_event_id(spec->group, spec->function, &id, NULL))
		return true;
	attr.config = id;
	fd = event_open(&attr, -1, 0);
	if (fd < 0)
		return true;
	is_taken = !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) || errno != EINVAL;
	close(fd);
	return is_taken;
}

void point_tracepoint_judge_filter(struct probe_point *point, const struct raw_fields *fields)
{
	char filter[PROBE_FILTER_BYTES], way[PROBE_REASON_BYTES];
	struct probe_condition *condition = &point->spec.condition, rest;
	bool is_whole;
	int field = -1;

	if (!probe_condition_has_pointed(condition) || point->verdict == VERDICT_UNABLE)
		return;
	is_whole = probe_definition_filter(point, &point->sites[0], fields, false, filter,
					   sizeof(filter), &rest);
	if (probe_condition_has_pointed(&rest))
		probe_verdict_add(point, VERDICT_UNABLE, "a text behind a pointer is compared by "
				  "the kernel: join it by \"and\" with what the kernel can't "
				  "compare");
	if (probe_condition_has_pointed(&rest) || (is_whole && is_taken(&point->spec, filter)))
		return;
	for (uint32_t i = 0; i < condition->count && field < 0; i++)
		if (condition->nodes[i].is_pointed)
			field = raw_fields_find(fields, condition->nodes[i].name);
	pointed_text_refuse(point->spec.group, point->spec.function, fields,
			    field < 0 ? 0 : field, way, sizeof(way));
	probe_verdict_add(point, VERDICT_UNABLE, "this kernel compares no text behind a pointer "
			  "(Linux 5.18 and later do): %s", way);
}

static int fill_point(struct search *search, const char *name, struct probe_point *point,
		      struct diag *why)
{
	const struct probe_spec *spec = &point->spec;
	struct raw_fields fields = { .list = NULL };
	int err;

	*point = (struct probe_point){ .spec = *search->spec, .file = -1 };
	snprintf(point->spec.function, sizeof(point->spec.function), "%s", name);
	point->spec.is_wildcard = false;
	snprintf(point->path, sizeof(point->path), "%s", spec->group);
	err = tracefs_read_fields(search->directory, spec->group, name, &fields, why);
	if (!err)
		err = fill_rows(search, &fields, point, why);
	if (!err) {
		condition_words_resolve(point, &fields, NULL);
		point_tracepoint_judge_filter(point, &fields);
	}
	raw_fields_finish(&fields);
	return err;
}

static int open_group(int directory, const char *group, DIR **out, struct diag *why)
{
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "events/%s", group);
	fd = strchr(group, '/') ? -1 : openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*out = fd < 0 ? NULL : fdopendir(fd);
	if (*out)
		return 0;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOENT, "no tracepoint group '%s'", group);
}

static int fill_matches(struct search *search, struct probe_point *points, uint32_t *count,
			struct diag *why)
{
	const struct probe_spec *spec = search->spec;
	struct dirent *entry;
	uint32_t matches = 0;
	DIR *group;
	int err = open_group(search->directory, spec->group, &group, why);

	if (err)
		return err;
	while (!err && (entry = readdir(group))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    !name_pattern_matches(spec->function, entry->d_name))
			continue;
		if (++matches <= PROBE_MATCHES_MAX)
			err = fill_point(search, entry->d_name, &points[(*count)++], why);
	}
	closedir(group);
	if (err)
		return err;
	if (!matches)
		return diag_set(why, -ENOENT, "no tracepoint of %s matches '%s'", spec->group,
				spec->function);
	return matches <= PROBE_MATCHES_MAX ? 0 : diag_set(why, -E2BIG, "%u tracepoints match "
							   "'%s', at most %d can be probed at once",
							   matches, spec->function,
							   PROBE_MATCHES_MAX);
}

int point_tracepoint_find(const struct probe_spec *spec, struct probe_point **out,
			  uint32_t *count, struct diag *why)
{
	struct search search = { .directory = tracefs_open(why), .spec = spec };
	int err;

	if (search.directory < 0)
		return search.directory;
	*out = calloc(spec->is_wildcard ? PROBE_MATCHES_MAX : 1, sizeof(**out));
	if (!*out)
		err = diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	else if (spec->is_wildcard)
		err = fill_matches(&search, *out, count, why);
	else
		err = fill_point(&search, spec->function, &(*out)[(*count)++], why);
	close(search.directory);
	if (err) {
		probe_point_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return err;
}
