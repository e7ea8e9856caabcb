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

#include "probe/probe_section.h"

struct point {
	struct probe_spec *out;
	const char *line;
	size_t from, at;	/* `from`: byte where the kind begins */
	struct diag *why;
	struct probe_section sections[PROBE_SECTIONS_MAX];
	size_t count;
	bool has_kind, is_latency;
	bool is_open_kind;	/* only "lat:" was typed: the number of sections tells the kind */
	bool has_arrow;		/* "->" leads to the next point */
	enum probe_edge word_edge;	/* edge of the kind's word, which begins at `word_at` */
	size_t word_at;
	struct probe_spec next;		/* a point after the first as it is parsed */
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

static void take_kind(struct point *point)
{
	const struct kind_word *word;

	point->from = point->at;
	point->is_latency = take_prefix(point, "lat");
	point->word_at = point->at;
	word = take_kind_word(point);
	point->is_open_kind = point->is_latency && !word;
	point->word_edge = word ? word->edge : PROBE_ENTRY;
	if (word) {
		point->out->kind = word->kind;
		point->out->edge = word->edge;
	}
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
		return probe_column_refuse(point->why, section->from, "\"%s\": one function of "
					   "one source file is written FUNC@FILE.c", section->text);
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
		err = probe_column_refuse(point->why, section->from, "\"%s\" is no function; "
					  "lines are FILE.c:LINE or FUNC:LINE, offsets FUNC+OFFSET"
					  "",
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
		err = probe_column_refuse(point->why, from, "after ; the text of a line is "
					  "needed, as in k:schedule;rq=cpu_rq*");
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

/* Returns the first byte from here on that is no blank. */
static size_t find_word(const struct point *point)
{
	size_t at = point->at;

	while (isspace((unsigned char)point->line[at]))
		at++;
	return at;
}

/* Refuses what only a probe alone can be: a line, a pattern, an offset, a source file. */
static int check_whole(const struct point *point, const struct probe_spec *whole, size_t at)
{
	if (whole->is_wildcard)
		return probe_column_refuse(point->why, at, "a latency between two points has one "
					   "of each, without wildcards");
	if (whole->offset || whole->line || whole->declared_in[0] || whole->source[0] ||
	    whole->pattern[0])
		return probe_column_refuse(point->why, at, "a point of a latency is a whole "
					   "function, a tracepoint or a USDT probe, without "
					   "+OFFSET, :LINE, ;PATTERN and @FILE.c");
	return 0;
}

static int set_one(struct point *point, bool has_kind);

/* Adds what a point that is only a name has from the one before it: its file and group. */
static void inherit_sections(struct point *point, const struct probe_end *last)
{
	const size_t wanted = last->kind == PROBE_KERNEL ? 1u + (last->file[0] != '\0')
			    : last->kind == PROBE_USDT ? 2u + (last->group[0] != '\0') : 2u;
	const char *const before[] = { last->kind == PROBE_TRACEPOINT ? last->group : last->file,
				       last->group };
	struct probe_section *sections = point->sections;
	const size_t missing = wanted > point->count ? wanted - point->count : 0;

	memmove(sections + missing, sections, point->count * sizeof(*sections));
	for (size_t i = 0; i < missing; i++) {
		sections[i] = (struct probe_section){ .from = sections[missing].from };
		snprintf(sections[i].text, sizeof(sections[i].text), "%s", before[i]);
	}
	point->count += missing;
}

/* A point with a kind is whole, but "ur:FUNC" after "u:FILE:FUNC" is of the same file. */
static bool is_short(const struct point *point, const struct probe_end *last,
		     const struct kind_word *word)
{
	return !word ||
	       (word->kind == PROBE_USER && last->kind == PROBE_USER && point->count == 1);
}

/* Parses "-> POINT", which comes after @last, into @next. */
static int parse_end(struct point *point, const struct probe_end *last, struct probe_spec *next)
{
	const struct kind_word *word;
	int err;

	point->at += strlen("->");
	point->at = find_word(point);
	point->from = point->at;
	word = take_kind_word(point);
	next->kind = word ? word->kind : last->kind;
	next->edge = word ? word->edge : PROBE_ENTRY;
	err = probe_sections_read(point->sections, &point->count, point->line, &point->at,
				  STOP_ARROW | STOP_PATTERN, point->why);
	if (!err && is_short(point, last, word))
		inherit_sections(point, last);
	return err ? err : set_one(point, true);
}

/* True: from the entry of a function to its return, which is its latency. */
static bool is_one_function(const struct probe_spec *spec)
{
	const struct probe_end *end = &spec->end;

	return (spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER) &&
	       spec->kind == end->kind && !spec->middle_count &&
	       !spec->is_from_return && end->edge == PROBE_RETURN &&
	       !strcmp(spec->file, end->file) && !strcmp(spec->function, end->function);
}

static void copy_point(const struct probe_spec *spec, struct probe_end *out)
{
	out->kind = spec->kind;
	out->edge = spec->edge;
	strcpy(out->file, spec->file);
	strcpy(out->group, spec->group);
	strcpy(out->function, spec->function);
}

/* Takes "-> POINT" after @last into @out. */
static int take_end(struct point *point, const struct probe_end *last, struct probe_end *out)
{
	struct probe_spec *spec = point->out;
	int err;

	memset(&point->next, 0, sizeof(point->next));
	point->out = &point->next;
	err = parse_end(point, last, &point->next);
	point->out = spec;
	if (!err)
		err = check_whole(point, &point->next, point->sections[point->count - 1].from);
	if (!err)
		copy_point(&point->next, out);
	return err;
}

/* Takes "-> POINT" as often as it is there. What was the last point lies between two then. */
static int take_ends(struct point *point)
{
	struct probe_spec *out = point->out;
	const size_t arrow = point->at;
	struct probe_end first = { .edge = PROBE_ENTRY };
	int err = check_whole(point, out, point->sections[point->count - 1].from);

	copy_point(out, &first);
	if (!err)
		err = take_end(point, &first, &out->end);
	while (!err && probe_section_is_arrow(point->line, find_word(point))) {
		point->at = find_word(point);
		if (out->middle_count == PROBE_MIDDLES_MAX)
			return probe_column_refuse(point->why, point->at, "more than %d points in "
						   "one latency: write two probes, the second "
						   "from the last point of the first",
						   PROBE_POINTS_MAX);
		out->middles[out->middle_count++] = out->end;
		memset(&out->end, 0, sizeof(out->end));
		err = take_end(point, &out->middles[out->middle_count - 1], &out->end);
	}
	if (!err && is_one_function(out))
		err = probe_column_refuse(point->why, arrow, "from the entry of %s to its return "
					  "is its latency: write lat:%s%s%s", out->function,
					  out->file, out->file[0] ? ":" : "", out->function);
	return err;
}

/* Sets the end of a system call, which is known. */
static int imply_end(struct point *point)
{
	static const char enter[] = "sys_enter";
	struct probe_spec *out = point->out;

	if (strncmp(out->function, enter, strlen(enter)) != 0)
		return probe_column_refuse(point->why, point->from, "until when? "
					   "lat:t:GROUP:NAME->GROUP:NAME on FIELD, as "
					   "block:block_rq_issue->block:block_rq_complete on "
					   "dev,sector");
	out->end.kind = PROBE_TRACEPOINT;
	strcpy(out->end.group, out->group);
	snprintf(out->end.function, sizeof(out->end.function), "sys_exit%s",
		 out->function + strlen(enter));
	return 0;
}

/* Sets one point from the sections that were read. */
static int set_one(struct point *point, bool has_kind)
{
	switch (point->out->kind) {
	case PROBE_KERNEL:
		return set_kernel(point, has_kind);
	case PROBE_USER:
		return set_user(point);
	case PROBE_USDT:
		return set_mark(point);
	default:
		return set_tracepoint(point);
	}
}

static int refuse_arrow(const struct point *point, size_t at)
{
	return probe_column_refuse(point->why, at, "from one point to another is lat:, as "
				   "in lat:%.60s", point->line + point->from);
}

/* Sets the second point of a latency, or that of a latency of one point. */
static int set_second(struct point *point)
{
	struct probe_spec *out = point->out;

	if (point->has_arrow) {
		out->is_from_return = out->edge == PROBE_RETURN;
		out->edge = PROBE_LATENCY;
		return take_ends(point);
	}
	if (point->word_edge == PROBE_RETURN)
		return probe_column_refuse(point->why, point->word_at, "lat: is entry and return: "
					   "write lat:k:... or lat:u:...");
	if (out->kind == PROBE_USDT)
		return probe_column_refuse(point->why, point->word_at, "a USDT probe has no "
					   "return; latency is of functions, and from one point "
					   "to another: lat:U:FILE:NAME->NAME");
	return out->kind == PROBE_TRACEPOINT ? imply_end(point) : 0;
}

/* A latency of one function is read as such, that between two points as its first point. */
static int set_point(struct point *point, bool has_kind)
{
	struct probe_spec *out = point->out;
	const size_t at = find_word(point);
	int err;

	if (point->is_open_kind)
		out->kind = point->count == 1 ? PROBE_KERNEL : PROBE_USER;
	point->has_arrow = probe_section_is_arrow(point->line, at);
	if (point->has_arrow && !point->is_latency)
		return refuse_arrow(point, at);
	if (point->is_latency)
		out->edge = point->has_arrow ? point->word_edge : PROBE_LATENCY;
	err = set_one(point, has_kind);
	if (point->has_arrow)
		point->at = at;
	return err || !point->is_latency ? err : set_second(point);
}

/* Returns what ends the sections of a point of @kind besides a blank. */
static unsigned int stops_of(const struct point *point)
{
	const enum probe_kind kind = point->out->kind;
	const bool is_code = kind == PROBE_KERNEL || kind == PROBE_USER;

	/* Only functions of programs can have a name like a->b. */
	return (is_code ? STOP_PATTERN : 0) |
	       (point->is_latency || kind != PROBE_USER ? STOP_ARROW : 0);
}

int probe_point_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why)
{
	struct point point = { .out = out, .line = line, .at = *at, .why = why };
	size_t from;
	int err;

	if (!line[*at])
		return probe_column_refuse(why, *at, "what is to be probed? As k:vfs_read, "
					   "u:libc.so.6:malloc, t:sched:sched_switch, lat:FUNC");
	err = take_name(&point);
	from = point.at;
	if (!err)
		take_kind(&point);
	point.has_kind = point.at != from;
	if (!err)
		err = probe_sections_read(point.sections, &point.count, line, &point.at,
					  stops_of(&point), why);
	if (!err)
		err = set_point(&point, point.has_kind);
	*at = point.at;
	return err;
}
