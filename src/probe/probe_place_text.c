/* probe_place_text.c - see probe_place_text.h.
 *
 * Problem: perf and bpftrace write the same place in different ways, and leave out what their other
 * options say. Rule here: the number of sections and the kind decide; a number after the last colon
 * is a line, and a name with the ending of a source file is a source file.
 */
#include "probe_place_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_column.h"
#include "probe_section.h"

struct place {
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

/* Consumes "WORD:" if it is next. */
static bool take_prefix(struct place *place, const char *word)
{
	const char *next = place->line + place->at;
	const size_t bytes = strlen(word);

	if (strncmp(next, word, bytes) != 0 || next[bytes] != ':' || next[bytes + 1] == ':')
		return false;
	place->at += bytes + 1;
	return true;
}

static const struct kind_word *take_kind_word(struct place *place)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (take_prefix(place, kind_words[i].word))
			return &kind_words[i];
	return NULL;
}

static int take_kind(struct place *place)
{
	const size_t from = place->at;
	const bool is_latency = take_prefix(place, "lat");
	const size_t word_at = place->at;
	const struct kind_word *word = take_kind_word(place);

	place->from = from;
	place->is_open_kind = is_latency && !word;
	if (word) {
		place->out->kind = word->kind;
		place->out->edge = word->edge;
	}
	if (!is_latency)
		return 0;
	if (word && word->edge == PROBE_RETURN)
		return probe_column_refuse(place->why, word_at, "lat: is entry and return: write "
					   "lat:k:... or lat:u:...");
	if (word && word->kind == PROBE_USDT)
		return probe_column_refuse(place->why, word_at, "a mark has no return; latency is "
					   "of functions and between two tracepoints");
	place->out->edge = PROBE_LATENCY;
	return 0;
}

static int copy_section(const struct place *place, const struct probe_section *section, char *out,
			size_t room)
{
	if (strlen(section->text) >= room)
		return probe_column_refuse(place->why, section->from, "a name of more than %zu "
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

/* Cuts "%return" and "+OFFSET" off. */
static int take_suffixes(struct place *place, struct probe_section *section)
{
	struct probe_spec *out = place->out;
	char *back = find_suffix(section, '%');
	char *plus;
	unsigned long long offset;

	if (back && !strcmp(back, "%return") && out->edge == PROBE_LATENCY)
		return probe_column_refuse(place->why, section->from, "lat: is entry and return: "
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
		return probe_column_refuse(place->why, section->from, "a function is missing");
	if (out->offset && (out->edge != PROBE_ENTRY || section->is_wildcard))
		return probe_column_refuse(place->why, section->from, "an offset is of one "
					   "function, and of its code, not of its return");
	return 0;
}

/* Checks a kernel name: a C name, with what compilers append. */
static int check_kernel_name(const struct place *place, const struct probe_section *section)
{
	for (const char *at = section->text; *at; at++) {
		if (isalnum((unsigned char)*at) || strchr("_.$*?{,}", *at))
			continue;
		if (*at == '@')
			return probe_column_refuse(place->why, section->from, "\"%s\": write "
						   "FUNC, FUNC:LINE or FILE.c:LINE",
						   section->text);
		return probe_column_refuse(place->why, section->from, "\"%s\" is no kernel "
					   "function: '%c' is in no name; programs are "
					   "u:FILE:FUNC", section->text, *at);
	}
	return 0;
}

/* True: an address in a file, "0x472280". */
static bool is_address(const struct place *place, const char *text)
{
	return place->out->kind == PROBE_USER && !strncmp(text, "0x", 2) && text[2] &&
	       strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

static int set_function(struct place *place, struct probe_section *section)
{
	int err = take_suffixes(place, section);

	if (!err && place->out->kind == PROBE_KERNEL)
		err = check_kernel_name(place, section);
	if (!err && isdigit((unsigned char)section->text[0]) && !is_address(place, section->text))
		err = probe_column_refuse(place->why, section->from, "\"%s\" is no function; lines "
					  "are FILE.c:LINE or FUNC:LINE, offsets FUNC+OFFSET",
					  section->text);
	if (err)
		return err;
	place->out->is_wildcard = section->is_wildcard;
	return copy_section(place, section, place->out->function, sizeof(place->out->function));
}

/* Sets FUNC:LINE or FILE.c:LINE. Line 0 of a function is its start. */
static int set_line(struct place *place, struct probe_section *where,
		    const struct probe_section *number)
{
	struct probe_spec *out = place->out;
	const bool is_source = looks_like_source(where->text);
	unsigned long long line;
	int err;

	if (!probe_section_number(number->text, &line) || line > INT32_MAX || (is_source && !line))
		return probe_column_refuse(place->why, number->from, "\"%s\" is no line: a number "
					   "is needed, as in FUNC:3 or main.c:42", number->text);
	out->line = (uint32_t)line;
	if (is_source && where->is_wildcard)
		return probe_column_refuse(place->why, where->from, "a line is of one file");
	err = is_source ? copy_section(place, where, out->source, sizeof(out->source))
			: set_function(place, where);
	if (!err && out->line && (out->offset || out->is_wildcard))
		err = probe_column_refuse(place->why, where->from, "a line is of one function, "
					  "without an offset");
	if (!err && out->line && out->edge != PROBE_ENTRY)
		err = probe_column_refuse(place->why, number->from, "returns and latencies are of "
					  "functions: a line has none");
	return err;
}

static int set_file(struct place *place, const struct probe_section *section)
{
	if (section->is_wildcard)
		return probe_column_refuse(place->why, section->from, "one file is needed; "
					   "wildcards are for functions (in quotes * is itself)");
	return copy_section(place, section, place->out->file, sizeof(place->out->file));
}

static bool is_number(const struct probe_section *section)
{
	unsigned long long number;

	return probe_section_number(section->text, &number);
}

static int unknown_kind(struct place *place)
{
	return probe_column_refuse(place->why, place->from, "there is no kind \"%s\": k kr u ur t "
				   "U lat, as in t:sched:sched_switch or u:libc.so.6:malloc",
				   place->sections[0].text);
}

/* A module needs an explicit kind (@has_kind), to be told from a mistyped one. */
static int set_kernel(struct place *place, bool has_kind)
{
	struct probe_section *sections = place->sections;

	if (place->count == 1)
		return set_function(place, &sections[0]);
	if (place->count == 2 && is_number(&sections[1]))
		return set_line(place, &sections[0], &sections[1]);
	if (!has_kind)
		return unknown_kind(place);
	if (set_file(place, &sections[0]))
		return -EINVAL;
	if (place->count == 2)
		return set_function(place, &sections[1]);
	if (place->count == 3)
		return set_line(place, &sections[1], &sections[2]);
	return probe_column_refuse(place->why, place->from, "a kernel function is written "
				   "k:[MODULE:]FUNC[:LINE]");
}

static int set_user(struct place *place)
{
	struct probe_section *sections = place->sections;

	if (place->count < 2 || place->count > 3)
		return probe_column_refuse(place->why, place->from, "a function of a program is "
					   "written u:FILE:FUNC, as u:libc.so.6:malloc");
	if (set_file(place, &sections[0]))
		return -EINVAL;
	return place->count == 2 ? set_function(place, &sections[1])
				 : set_line(place, &sections[1], &sections[2]);
}

static int set_mark(struct place *place)
{
	struct probe_section *sections = place->sections;
	struct probe_section *name = &sections[place->count - 1];

	if (place->count < 2 || place->count > 3)
		return probe_column_refuse(place->why, place->from, "a mark is written "
					   "U:FILE:PROVIDER:NAME");
	if (set_file(place, &sections[0]) ||
	    (place->count == 3 && copy_section(place, &sections[1], place->out->group,
					       sizeof(place->out->group))))
		return -EINVAL;
	place->out->is_wildcard = name->is_wildcard;
	return copy_section(place, name, place->out->function, sizeof(place->out->function));
}

static int check_event_name(const struct place *place, const struct probe_section *section)
{
	for (const char *at = section->text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_-.*?{,}", *at))
			return probe_column_refuse(place->why, section->from, "\"%s\" is no "
						   "tracepoint: '%c' is in no name", section->text,
						   *at);
	return 0;
}

static int set_tracepoint(struct place *place)
{
	struct probe_section *group = &place->sections[0], *name = &place->sections[1];

	if (place->count != 2)
		return probe_column_refuse(place->why, place->from, tracepoint_needed);
	if (check_event_name(place, group) || check_event_name(place, name))
		return -EINVAL;
	if (group->is_wildcard)
		return probe_column_refuse(place->why, group->from, "one group is needed; "
					   "wildcards are for names");
	place->out->is_wildcard = name->is_wildcard;
	if (copy_section(place, group, place->out->group, sizeof(place->out->group)))
		return -EINVAL;
	return copy_section(place, name, place->out->function, sizeof(place->out->function));
}

static void skip_blanks(struct place *place)
{
	while (isspace((unsigned char)place->line[place->at]))
		place->at++;
}

/* Parses "-> [GROUP:]NAME". */
static int take_end(struct place *place)
{
	struct probe_spec *out = place->out;
	struct probe_section *sections = place->sections;
	struct probe_section *name;

	place->at += strlen("->");
	skip_blanks(place);
	if (probe_sections_read(sections, &place->count, place->line, &place->at, false,
				place->why))
		return -EINVAL;
	name = &sections[place->count - 1];
	if (place->count > 2)
		return probe_column_refuse(place->why, sections[0].from, tracepoint_needed);
	if (check_event_name(place, &sections[0]) || check_event_name(place, name))
		return -EINVAL;
	if (sections[0].is_wildcard || name->is_wildcard)
		return probe_column_refuse(place->why, sections[0].from, "one end is needed, "
					   "without wildcards");
	if (place->count == 1)
		strcpy(out->end_group, out->group);
	else if (copy_section(place, &sections[0], out->end_group, sizeof(out->end_group)))
		return -EINVAL;
	return copy_section(place, name, out->end_name, sizeof(out->end_name));
}

/* Sets the end of a system call, which is known. */
static int imply_end(struct place *place)
{
	static const char enter[] = "sys_enter";
	struct probe_spec *out = place->out;

	if (strncmp(out->function, enter, strlen(enter)) != 0)
		return probe_column_refuse(place->why, place->from, "until when? lat:t:GROUP:NAME->"
					   "GROUP:NAME by FIELD, as block:block_rq_issue->block:"
					   "block_rq_complete by dev,sector");
	strcpy(out->end_group, out->group);
	snprintf(out->end_name, sizeof(out->end_name), "sys_exit%s", out->function + strlen(enter));
	return 0;
}

static int add_key(struct place *place, const char *key, size_t bytes)
{
	struct probe_spec *out = place->out;

	if (!bytes || bytes >= sizeof(out->keys[0]))
		return probe_column_refuse(place->why, place->at, "a field is needed, as in "
					   "by dev,sector");
	if (out->key_count == PROBE_KEYS_MAX)
		return probe_column_refuse(place->why, place->at, "more than %d fields",
					   PROBE_KEYS_MAX);
	memcpy(out->keys[out->key_count++], key, bytes);
	place->at += bytes;
	return 0;
}

/* Parses "by FIELD, FIELD"; "by tid" is the default. */
static int take_keys(struct place *place)
{
	struct probe_spec *out = place->out;

	for (;;) {
		const char *key;
		size_t bytes = 0;

		skip_blanks(place);
		key = place->line + place->at;
		while (isalnum((unsigned char)key[bytes]) || key[bytes] == '_')
			bytes++;
		if (add_key(place, key, bytes))
			return -EINVAL;
		skip_blanks(place);
		if (place->line[place->at] != ',')
			break;
		place->at++;
	}
	if (out->key_count == 1 && !strcmp(out->keys[0], "tid")) {
		memset(out->keys[0], 0, sizeof(out->keys[0]));
		out->key_count = 0;
	}
	return 0;
}

static int set_pair(struct place *place)
{
	struct probe_spec *out = place->out;
	const char *next;
	int err;

	skip_blanks(place);
	if (out->is_wildcard && !strncmp(place->line + place->at, "->", 2))
		return probe_column_refuse(place->why, place->sections[1].from, "one begin is "
					   "needed, without wildcards");
	err = strncmp(place->line + place->at, "->", 2) ? imply_end(place) : take_end(place);
	if (err)
		return err;
	skip_blanks(place);
	next = place->line + place->at;
	if (strncmp(next, "by", 2) != 0 || (next[2] && !isspace((unsigned char)next[2])))
		return 0;
	place->at += strlen("by");
	return take_keys(place);
}

static int set_place(struct place *place, bool has_kind)
{
	int err;

	if (place->is_open_kind)
		place->out->kind = place->count == 1 ? PROBE_KERNEL : PROBE_USER;
	switch (place->out->kind) {
	case PROBE_KERNEL:
		return set_kernel(place, has_kind);
	case PROBE_USER:
		return set_user(place);
	case PROBE_USDT:
		return set_mark(place);
	default:
		err = set_tracepoint(place);
		if (err || place->out->edge == PROBE_LATENCY)
			return err ? err : set_pair(place);
		if (place->line[place->at] == '-')
			err = probe_column_refuse(place->why, place->at, "from one tracepoint to "
						  "another is lat:t:GROUP:NAME->GROUP:NAME");
		return err;
	}
}

int probe_place_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why)
{
	struct place place = { .out = out, .line = line, .at = *at, .why = why };
	bool has_kind;
	int err;

	if (!line[*at])
		return probe_column_refuse(why, *at, "what is to be probed? As k:vfs_read, "
					   "u:libc.so.6:malloc, t:sched:sched_switch, lat:FUNC");
	err = take_kind(&place);
	has_kind = place.at != *at;
	if (!err)
		err = probe_sections_read(place.sections, &place.count, line, &place.at,
					  out->kind == PROBE_TRACEPOINT, why);
	if (!err)
		err = set_place(&place, has_kind);
	*at = place.at;
	return err;
}
