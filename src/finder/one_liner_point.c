/* one_liner_point.c - see one_liner_point.h. */
#include "one_liner_point.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/probe_section.h"

#define TYPED_BYTES 512

struct provider {
	const char *word;
	enum probe_kind kind;
	enum probe_edge edge;
	bool is_typed;
};

static const struct provider providers[] = {
	{ "kprobe", PROBE_KERNEL, PROBE_ENTRY, false },
	{ "k", PROBE_KERNEL, PROBE_ENTRY, false },
	{ "kretprobe", PROBE_KERNEL, PROBE_RETURN, false },
	{ "kr", PROBE_KERNEL, PROBE_RETURN, false },
	{ "kfunc", PROBE_KERNEL, PROBE_ENTRY, true },
	{ "fentry", PROBE_KERNEL, PROBE_ENTRY, true },
	{ "f", PROBE_KERNEL, PROBE_ENTRY, true },
	{ "kretfunc", PROBE_KERNEL, PROBE_RETURN, true },
	{ "fexit", PROBE_KERNEL, PROBE_RETURN, true },
	{ "fr", PROBE_KERNEL, PROBE_RETURN, true },
	{ "uprobe", PROBE_USER, PROBE_ENTRY, false },
	{ "u", PROBE_USER, PROBE_ENTRY, false },
	{ "uretprobe", PROBE_USER, PROBE_RETURN, false },
	{ "ur", PROBE_USER, PROBE_RETURN, false },
	{ "tracepoint", PROBE_TRACEPOINT, PROBE_ENTRY, false },
	{ "t", PROBE_TRACEPOINT, PROBE_ENTRY, false },
	{ "trace", PROBE_TRACEPOINT, PROBE_ENTRY, false },	/* ply 1 */
	{ "usdt", PROBE_USDT, PROBE_ENTRY, false },
	{ "U", PROBE_USDT, PROBE_ENTRY, false },
};

struct other {
	const char *word;
	enum liner_use use;
	const char *sentence;	/* USE_PROBE: why it has no spec */
};

static const struct other others[] = {
	{ "BEGIN", USE_SCRIPT, NULL }, { "END", USE_SCRIPT, NULL },
	{ "begin", USE_SCRIPT, NULL }, { "end", USE_SCRIPT, NULL },
	{ "interval", USE_INTERVAL, NULL }, { "i", USE_INTERVAL, NULL },
	{ "profile", USE_SAMPLING, NULL }, { "p", USE_SAMPLING, NULL },
	{ "hardware", USE_SAMPLING, NULL }, { "h", USE_SAMPLING, NULL },
	{ "software", USE_SAMPLING, NULL }, { "s", USE_SAMPLING, NULL },
	{ "rawtracepoint", USE_PROBE, "rawtracepoint has arguments without names: t:GROUP:NAME "
	  "is the same tracepoint with its fields" },
	{ "rt", USE_PROBE, "rawtracepoint has arguments without names: t:GROUP:NAME is the same "
	  "tracepoint with its fields" },
	{ "watchpoint", USE_PROBE, "a watchpoint samples: flametop -e mem:ADDRESS:w" },
	{ "w", USE_PROBE, "a watchpoint samples: flametop -e mem:ADDRESS:w" },
	{ "asyncwatchpoint", USE_PROBE, "a watchpoint samples: flametop -e mem:ADDRESS:w" },
	{ "aw", USE_PROBE, "a watchpoint samples: flametop -e mem:ADDRESS:w" },
	{ "iter", USE_PROBE, "iter lists what the kernel has, it is no event" },
	{ "it", USE_PROBE, "iter lists what the kernel has, it is no event" },
};

/* Returns the bytes before the first colon. */
static size_t measure_word(const char *text, size_t bytes)
{
	const char *colon = memchr(text, ':', bytes);

	return colon ? (size_t)(colon - text) : bytes;
}

static bool is_word(const char *text, size_t bytes, const char *word)
{
	return bytes == strlen(word) && !memcmp(text, word, bytes);
}

static const struct other *find_other(const char *text, size_t bytes)
{
	const size_t word = measure_word(text, bytes);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_word(text, word, others[i].word))
			return &others[i];
	return NULL;
}

static const struct provider *find_provider(const char *text, size_t bytes)
{
	const size_t word = measure_word(text, bytes);

	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]) && word < bytes; i++)
		if (is_word(text, word, providers[i].word))
			return &providers[i];
	return NULL;
}

enum liner_use liner_point_use(const struct liner_tree *tree, const struct liner_point_text *typed)
{
	const struct other *other = find_other(tree->text + typed->at, typed->bytes);

	return other ? other->use : USE_PROBE;
}

/* Copies the point, with {a,b} in place of [ab] and ply's "GROUP/NAME" as GROUP:NAME. */
static int copy_typed(char out[TYPED_BYTES], const struct liner_tree *tree,
		      const struct liner_point_text *typed, const struct provider *provider,
		      struct diag *why)
{
	const char *text = tree->text + typed->at;
	bool in_class = false;
	size_t used = 0;

	for (size_t i = strlen(provider->word) + 1; i < typed->bytes; i++) {
		const char next = i + 1 < typed->bytes ? text[i + 1] : '\0';

		if (used + 3 > TYPED_BYTES)
			return probe_column_refuse(why, typed->at, "a name that is too long");
		if (text[i] == '-' && in_class)
			return probe_column_refuse(why, typed->at + i, "write all letters: a name "
						   "has * ? and {A,B}, no range");
		if (text[i] == '[' && next && next != ']' && memchr(text + i, ']',
								    typed->bytes - i)) {
			in_class = true;
			out[used++] = '{';
		} else if (text[i] == ']' && in_class) {
			in_class = false;
			out[used++] = '}';
		} else {
			out[used++] = text[i] == '/' && provider->kind == PROBE_TRACEPOINT
					      ? ':' : text[i];
			if (in_class && next != ']')
				out[used++] = ',';
		}
	}
	out[used] = '\0';
	return 0;
}

static int copy_section(const struct probe_section *section, size_t at, char *out, size_t room,
			struct diag *why)
{
	if (strlen(section->text) >= room)
		return probe_column_refuse(why, at, "a name of more than %zu bytes", room - 1);
	strcpy(out, section->text);
	return 0;
}

/* Checks how many sections a point of that kind has, and says how it is written. */
static int check_count(const struct liner_point *out, size_t count, struct diag *why)
{
	static const struct {
		size_t least, most;
		const char *form;
	} forms[] = {
		[PROBE_KERNEL] = { 1, 2, "kprobe:FUNC or kprobe:MODULE:FUNC" },
		[PROBE_USER] = { 2, 3, "uprobe:FILE:FUNC" },
		[PROBE_TRACEPOINT] = { 2, 2, "tracepoint:GROUP:NAME" },
		[PROBE_USDT] = { 2, 3, "usdt:FILE:PROVIDER:NAME" },
	};

	if (count >= forms[out->kind].least && count <= forms[out->kind].most)
		return 0;
	return probe_column_refuse(why, out->at, "a point of that kind is written %s",
				   forms[out->kind].form);
}

/* Cuts "+OFFSET" off. */
static void split_offset(struct liner_point *out, struct probe_section *section)
{
	char *plus = strrchr(section->text, '+');
	unsigned long long offset;

	if (out->kind == PROBE_TRACEPOINT || out->kind == PROBE_USDT || !plus ||
	    plus == section->text || (size_t)(plus - section->text) < section->literal_bytes ||
	    strlen(plus) >= sizeof(out->offset) || !probe_section_number(plus + 1, &offset))
		return;
	strcpy(out->offset, plus);
	*plus = '\0';
}

static int set_sections(struct liner_point *out, struct probe_section *sections, size_t count,
			struct diag *why)
{
	struct probe_section *last = &sections[count - 1];
	const bool has_file = out->kind == PROBE_USER || out->kind == PROBE_USDT ||
			      (out->kind == PROBE_KERNEL && count == 2 &&
			       strcmp(sections[0].text, "vmlinux") != 0);
	int err = 0;

	split_offset(out, last);
	if (out->kind == PROBE_TRACEPOINT || (out->kind == PROBE_USDT && count == 3))
		err = copy_section(&sections[count - 2], out->at, out->group, sizeof(out->group),
				   why);
	if (!err && has_file)
		err = copy_section(&sections[0], out->at, out->file, sizeof(out->file), why);
	if (!err)
		err = copy_section(last, out->at, out->name, sizeof(out->name), why);
	if (!err && (sections[0].is_wildcard && count > 1))
		err = probe_column_refuse(why, out->at, "one file or group is needed; wildcards "
		"are "
					  "for names");
	out->is_wildcard = last->is_wildcard || strchr(last->text, '{');
	return err;
}

int liner_point_parse(struct liner_point *out, const struct liner_tree *tree,
		      const struct liner_point_text *typed, struct diag *why)
{
	const char *text = tree->text + typed->at;
	const struct provider *provider = find_provider(text, typed->bytes);
	const struct other *other = find_other(text, typed->bytes);
	struct probe_section sections[PROBE_SECTIONS_MAX];
	char line[TYPED_BYTES];
	size_t at = 0, count = 0;
	int err;

	memset(out, 0, sizeof(*out));
	if (!provider)
		return probe_column_refuse(why, typed->at, "%s", other && other->sentence
					   ? other->sentence : "no such kind of point: there are "
					   "kprobe kretprobe kfunc kretfunc uprobe uretprobe usdt "
					   "tracepoint");
	out->kind = provider->kind;
	out->edge = provider->edge;
	out->is_typed = provider->is_typed;
	out->at = typed->at;
	err = copy_typed(line, tree, typed, provider, why);
	if (!err && probe_sections_read(sections, &count, line, &at, 0, NULL))
		err = probe_column_refuse(why, typed->at, "the point can't be read: a name is "
					  "missing, or a quote does not end");
	if (!err)
		err = check_count(out, count, why);
	if (!err && out->kind == PROBE_USER && count == 3) {	/* "cpp:": the language */
		sections[1] = sections[2];
		count = 2;
	}
	return err ? err : set_sections(out, sections, count, why);
}

/* Writes the event that perf and flametop call what bpftrace's @name is. */
static const char *event_of(const char *name)
{
	static const char *const names[][2] = {
		{ "cycles", "cycles" }, { "cpu-cycles", "cycles" }, { "faults", "page-faults" },
		{ "cs", "context-switches" }, { "cpu", "cpu-clock" },
		{ "branches", "branch-instructions" },
		{ "frontend-stalls", "stalled-cycles-frontend" },
		{ "backend-stalls", "stalled-cycles-backend" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return name;
}

/* Splits "WORD:A:B" into @a and @b, "" if they are not there. */
static void split(const char *text, size_t bytes, char a[48], char b[48])
{
	char copy[100];
	const char *colon;

	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	a[0] = b[0] = '\0';
	colon = strchr(copy, ':');
	if (!colon)
		return;
	snprintf(a, 48, "%.*s", (int)strcspn(colon + 1, ":"), colon + 1);
	colon = strchr(colon + 1, ':');
	if (colon)
		snprintf(b, 48, "%.47s", colon + 1);
}

/* Returns the rate of "profile:UNIT:NUMBER" in Hz; 0: it has none. */
static unsigned long long rate_of(const char *unit, const char *number)
{
	unsigned long long value, per_second;

	if (!probe_section_number(number, &value) || !value)
		return 0;
	per_second = !strcmp(unit, "ms") ? 1000 : !strcmp(unit, "us") ? 1000000
		     : !strcmp(unit, "s") ? 1 : 0;
	if (!strcmp(unit, "hz"))
		return value;
	return value > per_second ? 0 : per_second / value;
}

int liner_point_refuse_sampling(const struct liner_tree *tree, const struct liner_point_text *typed,
			  unsigned long long pid, struct diag *why)
{
	const char *text = tree->text + typed->at;
	char first[48], second[48], process[32] = "";
	unsigned long long hz;

	split(text, typed->bytes, first, second);
	if (pid)
		snprintf(process, sizeof(process), " -p %llu", pid);
	if (text[0] != 'p')
		return probe_column_refuse(why, typed->at, "an event that samples is no probe: "
					   "flametop -e %s%s%s%s", event_of(first),
					   second[0] ? " -c " : "", second, process);
	hz = rate_of(first, second);
	if (!hz)
		return probe_column_refuse(why, typed->at, "sampling is flametop itself: flametop "
					   "-F HZ%s", process);
	return probe_column_refuse(why, typed->at, "sampling is flametop itself: flametop -F "
	"%llu%s",
				   hz, process);
}

#define NAMES_MAX 48	/* more than fit into a pattern of that length */

struct name_list {
	char names[NAMES_MAX][PROBE_FUNCTION_BYTES];
	size_t count;
};

static bool append(struct name_list *list, const char *before, size_t before_bytes,
		   const char *name, size_t bytes)
{
	if (list->count == NAMES_MAX)
		return false;
	snprintf(list->names[list->count++], PROBE_FUNCTION_BYTES, "%.*s%.*s", (int)before_bytes,
		 before, (int)bytes, name);
	return true;
}

/* Appends the names of "pre{a,b}", a list that write_list() made, or @pattern itself. */
static bool expand(struct name_list *list, const char *pattern)
{
	const char *open = strchr(pattern, '{');
	const char *at = open ? open + 1 : NULL;

	if (!open)
		return append(list, "", 0, pattern, strlen(pattern));
	if (strchr(at, '{') || strcspn(at, "}") + 1 != strlen(at))
		return false;
	for (;; at++) {
		const size_t bytes = strcspn(at, ",}");

		if (!append(list, pattern, (size_t)(open - pattern), at, bytes))
			return false;
		at += bytes;
		if (*at == '}')
			return true;
	}
}

/* Returns how many bytes all names begin with, before any wildcard. */
static size_t measure_prefix(const struct name_list *list)
{
	size_t bytes = strcspn(list->names[0], "*?");

	for (size_t i = 1; i < list->count; i++) {
		size_t same = 0;

		while (same < bytes && list->names[i][same] == list->names[0][same])
			same++;
		bytes = same;
	}
	return bytes;
}

/* Writes "{A,B}" of the names, with what all begin with before it. False: no room. */
static bool write_list(const struct name_list *list, char out[PROBE_FUNCTION_BYTES])
{
	const size_t prefix = measure_prefix(list);
	size_t used = (size_t)snprintf(out, PROBE_FUNCTION_BYTES, "%.*s", (int)prefix,
				       list->names[0]);

	for (size_t i = 0; i < list->count && used < PROBE_FUNCTION_BYTES; i++)
		used += (size_t)snprintf(out + used, PROBE_FUNCTION_BYTES - used, "%c%s",
					 i ? ',' : '{', list->names[i] + prefix);
	if (used + 1 >= PROBE_FUNCTION_BYTES)
		return false;
	strcpy(out + used, "}");
	return true;
}

/* Makes @out, a name or pattern, one that matches @more, too. */
static bool join_names(char out[PROBE_FUNCTION_BYTES], const char *more)
{
	struct name_list list = { .count = 0 };
	char joined[PROBE_FUNCTION_BYTES];

	if (!expand(&list, out) || !expand(&list, more) || !write_list(&list, joined))
		return false;
	strcpy(out, joined);
	return true;
}

int liner_point_merge(struct liner_point *to, const struct liner_point *more, struct diag *why)
{
	char target[PROBE_SPEC_BYTES];

	liner_point_write(more, target, sizeof(target));
	if (to->kind != more->kind || to->edge != more->edge || strcmp(to->file, more->file) != 0 ||
	    strcmp(to->group, more->group) != 0)
		return probe_column_refuse(why, more->at, "one spec has points of one kind in one "
					   "file or group: ask for %.200s in another one", target);
	if (!strcmp(to->name, more->name) && !strcmp(to->offset, more->offset))
		return 0;
	if (to->offset[0] || more->offset[0] || !join_names(to->name, more->name))
		return probe_column_refuse(why, more->at, "the names have no pattern in common "
		"that "
					   "fits: ask for %.200s in another spec", target);
	to->is_wildcard = true;
	return 0;
}

bool liner_point_is_return(const struct liner_point *entry, const struct liner_point *back)
{
	static const char enter[] = "sys_enter", leave[] = "sys_exit";

	if (entry->kind != back->kind || strcmp(entry->file, back->file) != 0)
		return false;
	if (entry->kind == PROBE_KERNEL || entry->kind == PROBE_USER)
		return entry->edge == PROBE_ENTRY && back->edge == PROBE_RETURN &&
		       !strcmp(entry->name, back->name);
	return entry->kind == PROBE_TRACEPOINT && !strcmp(entry->group, back->group) &&
	       !strncmp(entry->name, enter, strlen(enter)) &&
	       !strncmp(back->name, leave, strlen(leave)) &&
	       !strcmp(entry->name + strlen(enter), back->name + strlen(leave));
}

/* Writes the sections after the kind. Wildcards must not be in quotes. */
static size_t write_sections(const struct liner_point *point, char *out, size_t room)
{
	char file[2 * PROBE_FILE_BYTES + 2] = "", group[2 * PROBE_GROUP_BYTES + 2] = "";
	char name[2 * PROBE_FUNCTION_BYTES + 2];
	int used;

	if (point->file[0])
		probe_section_write(point->file, file, sizeof(file));
	if (point->group[0])
		probe_section_write(point->group, group, sizeof(group));
	if (point->is_wildcard)
		strcpy(name, point->name);
	else
		probe_section_write(point->name, name, sizeof(name));
	used = snprintf(out, room, "%s%s%s%s%s%s", file, file[0] ? ":" : "", group,
			group[0] ? ":" : "", name, point->offset);
	return used > 0 ? (size_t)used : 0;
}

static const char *kind_of(const struct liner_point *point)
{
	static const char *const entries[] = {
		[PROBE_KERNEL] = "k", [PROBE_USER] = "u", [PROBE_TRACEPOINT] = "t",
		[PROBE_USDT] = "U",
	};

	if (point->edge == PROBE_RETURN)
		return point->kind == PROBE_KERNEL ? "kr" : "ur";
	return entries[point->kind];
}

size_t liner_point_write(const struct liner_point *point, char *out, size_t room)
{
	char sections[PROBE_SPEC_BYTES];
	int used;

	write_sections(point, sections, sizeof(sections));
	used = snprintf(out, room, "%s:%s", kind_of(point), sections);
	return used > 0 ? (size_t)used : 0;
}

size_t liner_point_write_latency(const struct liner_point *begin, char *out, size_t room)
{
	char sections[PROBE_SPEC_BYTES];
	const bool has_kind = begin->kind == PROBE_TRACEPOINT ||
			      (begin->kind == PROBE_KERNEL && begin->file[0]);
	int used;

	write_sections(begin, sections, sizeof(sections));
	used = snprintf(out, room, "lat:%s%s%s", has_kind ? kind_of(begin) : "",
			has_kind ? ":" : "", sections);
	return used > 0 ? (size_t)used : 0;
}

size_t liner_point_write_pair(const struct liner_point *begin, const struct liner_point *end,
			      char *out, size_t room)
{
	char from[PROBE_SPEC_BYTES], to[PROBE_SPEC_BYTES];
	int used;

	liner_point_write(begin, from, sizeof(from));
	liner_point_write(end, to, sizeof(to));
	used = snprintf(out, room, "lat:%s->%s", from, to);
	return used > 0 ? (size_t)used : 0;
}
