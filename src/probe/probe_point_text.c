/* probe_point_text.c - see probe_point_text.h.
 *
 * Problem: perf and bpftrace write the same point in different ways, and leave out what their other
 * options say. Rule here: the number of sections and the kind decide; a number after the last colon
 * is a line, and a name with the ending of a source file is a source file.
 */
#include "probe_point_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_section.h"

struct point {
	struct probe_spec *out;
	const char *line;
	size_t from, at;	/* `from`: byte where the kind begins */
	struct diag *why;
	struct probe_section sections[PROBE_SECTIONS_MAX];
	size_t count;
	bool is_open_kind;	/* only "lat:" was typed: the number of sections tells the kind */
};

struct kind_word {
	const char *word;
	enum probe_kind kind;
	enum probe_edge edge;
};

static const struct kind_word kind_words[] = {
	{ "k", PROBE_KERNEL, PROBE_ENTRY },	{ "kprobe", PROBE_KERNEL, PROBE_ENTRY },
	{ "kr", PROBE_KERNEL, PROBE_RETURN },	{ "kretprobe", PROBE_KERNEL, PROBE_RETURN },
	{ "u", PROBE_USER, PROBE_ENTRY },	{ "uprobe", PROBE_USER, PROBE_ENTRY },
	{ "ur", PROBE_USER, PROBE_RETURN },	{ "uretprobe", PROBE_USER, PROBE_RETURN },
	{ "t", PROBE_TRACEPOINT, PROBE_ENTRY }, { "tracepoint", PROBE_TRACEPOINT, PROBE_ENTRY },
	{ "U", PROBE_USDT, PROBE_ENTRY },	{ "usdt", PROBE_USDT, PROBE_ENTRY },
};

static const char tracepoint_needed[] = "a tracepoint is written t:GROUP:NAME, as t:sched:"
					"sched_switch";

static const char line_has_no_return[] = "returns and latencies are of functions: a line has none";

/* Returns the length of the C identifier at @text; 0: none is there. */
static size_t measure_identifier(const char *text)
{
	size_t bytes = 0;

	while (isalnum((unsigned char)text[bytes]) || text[bytes] == '_')
		bytes++;
	return isdigit((unsigned char)text[0]) ? 0 : bytes;
}

/* Consumes "WORD:" if it is next. */
static bool take_prefix(struct point *point, const char *word)
{
	const char *next = point->line + point->at;
	const size_t bytes = strlen(word);

	if (strncmp(next, word, bytes) != 0 || next[bytes] != ':' || next[bytes + 1] == ':')
		return false;
	point->at += bytes + 1;
	return true;
}

static const struct kind_word *take_kind_word(struct point *point)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (take_prefix(point, kind_words[i].word))
			return &kind_words[i];
	return NULL;
}

/* Takes "NAME=". perf's "GROUP:NAME=" is refused: a group is what removes the probes of a flametop
 * that was killed. */
static int take_name(struct point *point)
{
	const char *next = point->line + point->at;
	const size_t bytes = measure_identifier(next);
	const size_t name_bytes = bytes && next[bytes] == ':' ? measure_identifier(next + bytes + 1)
							      : 0;

	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (strlen(kind_words[i].word) == bytes && next[bytes] == ':' &&
		    !strncmp(kind_words[i].word, next, bytes))
			return 0;
	if (name_bytes && next[bytes + 1 + name_bytes] == '=' && strncmp(next, "lat:", 4) != 0)
		return probe_column_refuse(point->why, point->at, "flametop chooses the group: "
					   "write %.*s=, without %.*s:", (int)name_bytes,
					   next + bytes + 1, (int)bytes, next);
	if (!bytes || next[bytes] != '=')
		return 0;
	if (bytes >= sizeof(point->out->name))
		return probe_column_refuse(point->why, point->at, "a name of more than %zu bytes",
					   sizeof(point->out->name) - 1);
	memcpy(point->out->name, next, bytes);
	point->at += bytes + 1;
	return 0;
}

static int take_kind(struct point *point)
{
	const size_t from = point->at;
	const bool is_latency = take_prefix(point, "lat");
	const size_t word_at = point->at;
	const struct kind_word *word = take_kind_word(point);

	point->from = from;
	point->is_open_kind = is_latency && !word;
	if (word) {
		point->out->kind = word->kind;
		point->out->edge = word->edge;
	}
	if (!is_latency)
		return 0;
	if (word && word->edge == PROBE_RETURN)
		return probe_column_refuse(point->why, word_at, "lat: is entry and return: write "
					   "lat:k:... or lat:u:...");
	if (word && word->kind == PROBE_USDT)
		return probe_column_refuse(point->why, word_at, "a USDT probe has no return; "
					   "latency is of functions and between two tracepoints");
	point->out->edge = PROBE_LATENCY;
	return 0;
}

bool probe_point_is_kind(const char *text)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (!strcmp(kind_words[i].word, text))
			return true;
	return false;
}

static int copy_section(const struct point *point, const struct probe_section *section, char *out,
			size_t room)
{
	if (strlen(section->text) >= room)
		return probe_column_refuse(point->why, section->from, "a name of more than %zu "
					   "bytes", room - 1);
	strcpy(out, section->text);
	return 0;
}

static bool looks_like_source(const char *text)
{
	static const char *const endings[] = {
		"c", "h", "S", "s", "cc", "cpp", "cxx", "C", "c++", "hh", "hpp", "hxx", "inc",
		"inl", "ipp", "tcc", "rs", "go", "d", "zig", "f", "f90", "adb", "pas", "nim",
		"m", "mm", "swift", "y", "l",
	};
	const char *ending = strrchr(text, '.');

	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(ending + 1, endings[i]))
			return true;
	return false;
}

/* Finds the unquoted suffix of the section that begins with @sign. NULL: there is none. */
static char *find_suffix(struct probe_section *section, char sign)
{
	char *found = strrchr(section->text, sign);

	return found && (size_t)(found - section->text) >= section->literal_bytes ? found : NULL;
}

/* Finds the '@' of FUNC@FILE.c. NULL: there is none, or it is one of a path (go/mod/x@v1.2/x.go).
 */
static char *find_source(struct probe_section *section)
{
	char *sign = find_suffix(section, '@');

	return sign && !memchr(section->text, '/', (size_t)(sign - section->text)) ? sign : NULL;
}

/* Cuts "@FILE.c" off. The names of programs have an '@', too: malloc@GLIBC_2.2.5. @is_last: no
 * suffix is left that could follow it. */
static int take_source(struct point *point, struct probe_section *section, bool is_last)
{
	struct probe_spec *out = point->out;
	char *sign = find_source(section);
	const size_t bytes = sign ? strlen(sign + 1) : 0;

	if (is_last && sign && !looks_like_source(sign + 1) && out->kind == PROBE_KERNEL)
		return probe_column_refuse(point->why, section->from, "after the @ of \"%s\" the "
					   "source file is needed that declares the function, as "
					   "in vfs_read@fs/read_write.c", section->text);
	if (!sign || !looks_like_source(sign + 1))
		return 0;
	if (out->declared_in[0] || sign == section->text || section->is_wildcard)
		return probe_column_refuse(point->why, section->from, "\"%s\": one function of one "
					   "source file is written FUNC@FILE.c", section->text);
	memcpy(out->declared_in, sign + 1, bytes + 1);
	*sign = '\0';
	return 0;
}

/* Cuts "%return" and "+OFFSET" off. */
static int take_suffixes(struct point *point, struct probe_section *section)
{
	struct probe_spec *out = point->out;
	char *back = find_suffix(section, '%');
	char *plus;
	unsigned long long offset;

	if (back && !strcmp(back, "%return") && out->edge == PROBE_LATENCY)
		return probe_column_refuse(point->why, section->from, "lat: is entry and return: "
					   "leave %%return out");
	if (back && !strcmp(back, "%return")) {
		out->edge = PROBE_RETURN;
		*back = '\0';
	}
	plus = find_suffix(section, '+');
	if (plus && probe_section_number(plus + 1, &offset)) {
		out->offset = offset;
		*plus = '\0';
	}
	if (!section->text[0])
		return probe_column_refuse(point->why, section->from, "a function is missing");
	if (out->offset && (out->edge != PROBE_ENTRY || section->is_wildcard))
		return probe_column_refuse(point->why, section->from, "an offset is of one "
					   "function, and of its code, not of its return");
	return 0;
}

/* Checks a kernel name: a C name, with what compilers append. */
static int check_kernel_name(const struct point *point, const struct probe_section *section)
{
	for (const char *at = section->text; *at; at++) {
		if (isalnum((unsigned char)*at) || strchr("_.$*?{,}", *at))
			continue;
		if (*at == '=')
			return probe_column_refuse(point->why, section->from, "\"%s\": a probe's "
						   "name comes first, as in NAME=k:vfs_read",
						   section->text);
		return probe_column_refuse(point->why, section->from, "\"%s\" is no kernel "
					   "function: '%c' is in no name; programs are "
					   "u:FILE:FUNC", section->text, *at);
	}
	return 0;
}

/* True: an address in a file, "0x472280". */
static bool is_address(const struct point *point, const char *text)
{
	return point->out->kind == PROBE_USER && !strncmp(text, "0x", 2) && text[2] &&
	       strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

static int set_function(struct point *point, struct probe_section *section)
{
	int err = take_source(point, section, false);	/* FUNC+OFFSET@FILE.c is one, too */

	if (!err)
		err = take_suffixes(point, section);
	if (!err)
		err = take_source(point, section, true);
	if (!err && point->out->kind == PROBE_KERNEL)
		err = check_kernel_name(point, section);
	if (!err && isdigit((unsigned char)section->text[0]) && !is_address(point, section->text))
		err = probe_column_refuse(point->why, section->from, "\"%s\" is no function; lines "
					  "are FILE.c:LINE or FUNC:LINE, offsets FUNC+OFFSET",
					  section->text);
	if (err)
		return err;
	point->out->is_wildcard = section->is_wildcard;
	return copy_section(point, section, point->out->function, sizeof(point->out->function));
}

/* Sets FUNC:LINE or FILE.c:LINE. Line 0 of a function is its start. */
static int set_line(struct point *point, struct probe_section *where,
		    const struct probe_section *number)
{
	struct probe_spec *out = point->out;
	const bool is_source = looks_like_source(where->text) && !find_source(where);
	unsigned long long line;
	int err;

	if (!probe_section_number(number->text, &line) || line > INT32_MAX || (is_source && !line))
		return probe_column_refuse(point->why, number->from, "\"%s\" is no line: a number "
					   "is needed, as in FUNC:3 or main.c:42", number->text);
	out->line = (uint32_t)line;
	if (is_source && where->is_wildcard)
		return probe_column_refuse(point->why, where->from, "a line is of one file");
	err = is_source ? copy_section(point, where, out->source, sizeof(out->source))
			: set_function(point, where);
	if (!err && out->line && (out->offset || out->is_wildcard))
		err = probe_column_refuse(point->why, where->from, "a line is of one function, "
					  "without an offset");
	if (!err && out->line && out->edge != PROBE_ENTRY)
		err = probe_column_refuse(point->why, number->from, line_has_no_return);
	return err;
}

/* Reads "PATTERN", whose only escapes are \" and \\. */
static int read_quoted(struct point *point, char *out, size_t room)
{
	const size_t from = point->at++;
	const char *next = point->line + point->at;
	size_t used = 0;

	for (; *next && *next != '"'; next++) {
		next += next[0] == '\\' && (next[1] == '"' || next[1] == '\\');
		if (used < room)
			out[used] = *next;
		used++;
	}
	if (!*next)
		return probe_column_refuse(point->why, from, "the quote does not end");
	point->at = (size_t)(next + 1 - point->line);
	if (point->line[point->at] && !isspace((unsigned char)point->line[point->at]))
		return probe_column_refuse(point->why, point->at, "a blank is needed after a "
					   "pattern");
	if (used >= room)
		return probe_column_refuse(point->why, from, "a pattern of more than %zu bytes",
					   room - 1);
	return 0;
}

/* Takes ";PATTERN". As with perf it goes on to the next blank, and is no name: a quote inside of it
 * is one of the source. */
static int take_pattern(struct point *point)
{
	char *out = point->out->pattern;
	const size_t room = sizeof(point->out->pattern);
	const size_t from = ++point->at;
	const char *next = point->line + from;
	size_t bytes = 0;
	int err = 0;

	if (*next == '"') {
		err = read_quoted(point, out, room);
	} else {
		while (next[bytes] && !isspace((unsigned char)next[bytes]))
			bytes++;
		if (bytes >= room)
			return probe_column_refuse(point->why, from, "a pattern of more than %zu "
						   "bytes", room - 1);
		memcpy(out, next, bytes);
		point->at += bytes;
	}
	if (!err && !out[strspn(out, " \t")])
		err = probe_column_refuse(point->why, from, "after ; the text of a line is needed, "
					  "as in k:schedule;rq=cpu_rq*");
	return err;
}

/* Sets FUNC;PATTERN or FILE.c;PATTERN. */
static int set_pattern(struct point *point, struct probe_section *where)
{
	struct probe_spec *out = point->out;
	const size_t sign = point->at;
	int err;

	if (where->is_wildcard)
		return probe_column_refuse(point->why, where->from, "a pattern is of lines of one "
					   "function or one source file");
	err = looks_like_source(where->text) && !find_source(where)
		      ? copy_section(point, where, out->source, sizeof(out->source))
		      : set_function(point, where);
	if (!err && out->offset)
		err = probe_column_refuse(point->why, where->from, "a line is of one function, "
					  "without an offset");
	if (!err && out->edge != PROBE_ENTRY)
		err = probe_column_refuse(point->why, sign, line_has_no_return);
	return err ? err : take_pattern(point);
}

static int set_file(struct point *point, const struct probe_section *section)
{
	if (section->is_wildcard)
		return probe_column_refuse(point->why, section->from, "one file is needed; "
					   "wildcards are for functions (in quotes * is itself)");
	return copy_section(point, section, point->out->file, sizeof(point->out->file));
}

static bool is_number(const struct probe_section *section)
{
	unsigned long long number;

	return probe_section_number(section->text, &number);
}

static int unknown_kind(struct point *point)
{
	return probe_column_refuse(point->why, point->from, "there is no kind \"%s\": k kr u ur t "
				   "U lat, as in t:sched:sched_switch or u:libc.so.6:malloc",
				   point->sections[0].text);
}

/* Sets FUNC, FUNC:LINE or FUNC;PATTERN, and what can be in place of FUNC, from the @count sections
 * at @sections. */
static int set_code(struct point *point, struct probe_section *sections, size_t count)
{
	const bool has_pattern = point->line[point->at] == ';';

	if (has_pattern && count == 2)
		return probe_column_refuse(point->why, point->at, "a line is known by its number "
					   "or by its text, not by both");
	if (has_pattern)
		return set_pattern(point, &sections[0]);
	return count == 1 ? set_function(point, &sections[0])
			  : set_line(point, &sections[0], &sections[1]);
}

/* A module needs an explicit kind (@has_kind), to be told from a mistyped one. */
static int set_kernel(struct point *point, bool has_kind)
{
	struct probe_section *sections = point->sections;

	if (point->count == 1 || (point->count == 2 && is_number(&sections[1])))
		return set_code(point, sections, point->count);
	if (!has_kind)
		return unknown_kind(point);
	if (point->count > 3)
		return probe_column_refuse(point->why, point->from, "a kernel function is written "
					   "k:[MODULE:]FUNC[@FILE.c][:LINE]");
	if (set_file(point, &sections[0]))
		return -EINVAL;
	return set_code(point, sections + 1, point->count - 1);
}

static int set_user(struct point *point)
{
	struct probe_section *sections = point->sections;

	if (point->count < 2 || point->count > 3)
		return probe_column_refuse(point->why, point->from, "a function of a program is "
					   "written u:FILE:FUNC, as u:libc.so.6:malloc");
	if (set_file(point, &sections[0]))
		return -EINVAL;
	return set_code(point, sections + 1, point->count - 1);
}

static int set_mark(struct point *point)
{
	struct probe_section *sections = point->sections;
	struct probe_section *name = &sections[point->count - 1];

	if (point->count < 2 || point->count > 3)
		return probe_column_refuse(point->why, point->from, "a USDT probe is written "
					   "U:FILE:PROVIDER:NAME");
	if (set_file(point, &sections[0]) ||
	    (point->count == 3 && copy_section(point, &sections[1], point->out->group,
					       sizeof(point->out->group))))
		return -EINVAL;
	point->out->is_wildcard = name->is_wildcard;
	return copy_section(point, name, point->out->function, sizeof(point->out->function));
}

static int check_event_name(const struct point *point, const struct probe_section *section)
{
	for (const char *at = section->text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_-.*?{,}", *at))
			return probe_column_refuse(point->why, section->from, "\"%s\" is no "
						   "tracepoint: '%c' is in no name", section->text,
						   *at);
	return 0;
}

static int set_tracepoint(struct point *point)
{
	struct probe_section *group = &point->sections[0], *name = &point->sections[1];

	if (point->count != 2)
		return probe_column_refuse(point->why, point->from, tracepoint_needed);
	if (check_event_name(point, group) || check_event_name(point, name))
		return -EINVAL;
	if (group->is_wildcard)
		return probe_column_refuse(point->why, group->from, "one group is needed; "
					   "wildcards are for names");
	point->out->is_wildcard = name->is_wildcard;
	if (copy_section(point, group, point->out->group, sizeof(point->out->group)))
		return -EINVAL;
	return copy_section(point, name, point->out->function, sizeof(point->out->function));
}

static void skip_blanks(struct point *point)
{
	while (isspace((unsigned char)point->line[point->at]))
		point->at++;
}

/* Parses "-> [GROUP:]NAME". */
static int take_end(struct point *point)
{
	struct probe_spec *out = point->out;
	struct probe_section *sections = point->sections;
	struct probe_section *name;

	point->at += strlen("->");
	skip_blanks(point);
	if (probe_sections_read(sections, &point->count, point->line, &point->at, NULL,
				point->why))
		return -EINVAL;
	name = &sections[point->count - 1];
	if (point->count > 2)
		return probe_column_refuse(point->why, sections[0].from, tracepoint_needed);
	if (check_event_name(point, &sections[0]) || check_event_name(point, name))
		return -EINVAL;
	if (sections[0].is_wildcard || name->is_wildcard)
		return probe_column_refuse(point->why, sections[0].from, "one end is needed, "
					   "without wildcards");
	if (point->count == 1)
		strcpy(out->end.group, out->group);
	else if (copy_section(point, &sections[0], out->end.group, sizeof(out->end.group)))
		return -EINVAL;
	return copy_section(point, name, out->end.function, sizeof(out->end.function));
}

/* Sets the end of a system call, which is known. */
static int imply_end(struct point *point)
{
	static const char enter[] = "sys_enter";
	struct probe_spec *out = point->out;

	if (strncmp(out->function, enter, strlen(enter)) != 0)
		return probe_column_refuse(point->why, point->from, "until when? lat:t:GROUP:NAME->"
					   "GROUP:NAME on FIELD, as block:block_rq_issue->block:"
					   "block_rq_complete on dev,sector");
	strcpy(out->end.group, out->group);
	snprintf(out->end.function, sizeof(out->end.function), "sys_exit%s", out->function + strlen(enter));
	return 0;
}

static int take_field(struct point *point, char out[32])
{
	const char *field = point->line + point->at;
	size_t bytes = 0;

	while (isalnum((unsigned char)field[bytes]) || field[bytes] == '_')
		bytes++;
	if (!bytes || bytes >= sizeof(((struct probe_on *)NULL)->begin))
		return probe_column_refuse(point->why, point->at, "a field is needed, as in "
					   "on dev,sector or on pid=next_pid");
	memcpy(out, field, bytes);
	out[bytes] = '\0';
	point->at += bytes;
	return 0;
}

/* Takes "FIELD", which has one name at both places, or "FIELD=FIELD". */
static int take_join(struct point *point)
{
	struct probe_spec *out = point->out;
	struct probe_on *on = &out->on[out->on_count];

	if (out->on_count == PROBE_ON_MAX)
		return probe_column_refuse(point->why, point->at, "more than %d fields",
					   PROBE_ON_MAX);
	if (take_field(point, on->begin))
		return -EINVAL;
	out->on_count++;
	strcpy(on->end, on->begin);
	if (point->line[point->at] != '=')
		return 0;
	point->at++;
	return take_field(point, on->end);
}

/* Parses "on FIELD, FIELD=FIELD"; "on tid" is the default. */
static int take_joins(struct point *point)
{
	struct probe_spec *out = point->out;

	for (;;) {
		skip_blanks(point);
		if (take_join(point))
			return -EINVAL;
		skip_blanks(point);
		if (point->line[point->at] != ',')
			break;
		point->at++;
	}
	if (out->on_count == 1 && !strcmp(out->on[0].begin, "tid") &&
	    !strcmp(out->on[0].end, "tid")) {
		memset(&out->on[0], 0, sizeof(out->on[0]));
		out->on_count = 0;
	}
	return 0;
}

static int set_pair(struct point *point)
{
	struct probe_spec *out = point->out;
	const char *next;
	int err;

	skip_blanks(point);
	if (out->is_wildcard && !strncmp(point->line + point->at, "->", 2))
		return probe_column_refuse(point->why, point->sections[1].from, "one begin is "
					   "needed, without wildcards");
	err = strncmp(point->line + point->at, "->", 2) ? imply_end(point) : take_end(point);
	if (err)
		return err;
	skip_blanks(point);
	next = point->line + point->at;
	if (strncmp(next, "on", 2) != 0 || (next[2] && !isspace((unsigned char)next[2])))
		return 0;
	point->at += strlen("on");
	return take_joins(point);
}

static int set_point(struct point *point, bool has_kind)
{
	int err;

	if (point->is_open_kind)
		point->out->kind = point->count == 1 ? PROBE_KERNEL : PROBE_USER;
	switch (point->out->kind) {
	case PROBE_KERNEL:
		return set_kernel(point, has_kind);
	case PROBE_USER:
		return set_user(point);
	case PROBE_USDT:
		return set_mark(point);
	default:
		err = set_tracepoint(point);
		if (err || point->out->edge == PROBE_LATENCY)
			return err ? err : set_pair(point);
		if (point->line[point->at] == '-')
			err = probe_column_refuse(point->why, point->at, "from one tracepoint to "
						  "another is lat:t:GROUP:NAME->GROUP:NAME");
		return err;
	}
}

/* Returns what ends the sections of a point of @kind besides a blank; NULL: nothing does. */
static const char *stop_of(enum probe_kind kind)
{
	if (kind == PROBE_TRACEPOINT)
		return "->";
	return kind == PROBE_USDT ? NULL : ";";
}

int probe_point_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why)
{
	struct point point = { .out = out, .line = line, .at = *at, .why = why };
	bool has_kind;
	size_t from;
	int err;

	if (!line[*at])
		return probe_column_refuse(why, *at, "what is to be probed? As k:vfs_read, "
					   "u:libc.so.6:malloc, t:sched:sched_switch, lat:FUNC");
	err = take_name(&point);
	from = point.at;
	if (!err)
		err = take_kind(&point);
	has_kind = point.at != from;
	if (!err)
		err = probe_sections_read(point.sections, &point.count, line, &point.at,
					  stop_of(out->kind), why);
	if (!err)
		err = set_point(&point, has_kind);
	*at = point.at;
	return err;
}
