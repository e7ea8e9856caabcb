/* presets.c - see finder/presets.h.
 *
 * Idea: the text is copied once and cut where it stands; a preset points into the copy. What is
 * wrong in a line costs that line only, so that a slip in one preset does not take the others away.
 *
 * Rejected: the grammar of the configuration (inih): it cuts values at " ;", which specs have, and
 * knows no column.
 */
#include "finder/presets.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/name_match.h"
#include "base/safe_print.h"

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
#define PROBLEMS_SHOWN 10
#define BLANKS " \t"

extern const char presets_in[];	/* presets.in; the Makefile makes a string of it */

/* What presets point into. */
struct preset_text {
	struct preset_text *next;
	char bytes[];
};

struct presets {
	struct preset *list;		/* owned */
	size_t count;
	struct preset_text *texts;	/* owned */
};

/* Where a line goes on in another physical line of the text. */
struct join {
	const char *at;		/* its first byte, in the joined line */
	unsigned int line;
	size_t column;
};
#define JOINS_MAX 16		/* columns after more of them are those of the joined line */

/* One text that is being read. */
struct reader {
	struct presets *presets;
	const char *path;
	FILE *problems;		/* NULL: none are shown */
	int problem_count;
	char *at;		/* unread text */
	unsigned int lines;	/* number of physical lines read */
	unsigned int line;	/* number of the first physical line of `key` */
	const char *start;	/* where that line begins */
	struct preset preset;	/* being read; no name: lines belong to none */
	const char *machine;	/* NULL: all */
	char *example_end;	/* where another line of the example goes; NULL: there is none */
	unsigned int head_line;
	bool has_probes;	/* it has lines for them, right or wrong */
	struct join joins[JOINS_MAX];	/* in the line that is being read */
	uint32_t join_count;
};

/* Returns the last join that is not after @at; NULL: there is none. */
static const struct join *find_join(const struct reader *reader, const char *at)
{
	const struct join *found = NULL;

	for (uint32_t i = 0; i < reader->join_count && reader->joins[i].at <= at; i++)
		found = &reader->joins[i];
	return found;
}

struct key {
	const char *name;
	/* Keeps @value, which is sanitized and not "". */
	void (*keep)(struct reader *reader, char *value);
	size_t room;		/* values are shorter */
};

static void add_problem(struct reader *reader, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* @at: where in the line that is being read; NULL: it is about the preset as a whole. */
static void add_problem(struct reader *reader, const char *at, const char *format, ...)
{
	const struct join *join = find_join(reader, at);
	const unsigned int line = !at ? reader->head_line : join ? join->line : reader->line;
	const size_t column = !at ? 1 : join ? join->column + (size_t)(at - join->at)
					     : (size_t)(at - reader->start) + 1;
	char raw[600], clean[4 * sizeof(raw)], path[1024];
	va_list args;

	if (reader->problem_count++ >= PROBLEMS_SHOWN || !reader->problems)
		return;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	safe_print(reader->problems, "%s:%u:%lu: %s\n",
		   sanitize(path, sizeof(path), reader->path, strlen(reader->path)), line,
		   (unsigned long)column, sanitize(clean, sizeof(clean), raw, strlen(raw)));
}

static char *skip_blanks(char *text)
{
	return text + strspn(text, BLANKS);
}

/* Cuts the word at @text off and returns what follows it. */
static char *cut_word(char *text)
{
	char *end = text + strcspn(text, BLANKS);

	if (!*end)
		return end;
	*end = '\0';
	return skip_blanks(end + 1);
}

/* Texts of one line each. */

static void keep_title(struct reader *reader, char *value)
{
	reader->preset.title = value;
}

static void keep_also(struct reader *reader, char *value)
{
	reader->preset.also = value;
}

static void keep_about(struct reader *reader, char *value)
{
	reader->preset.about = value;
}

static void keep_needs(struct reader *reader, char *value)
{
	reader->preset.needs = value;
}

static void keep_machine(struct reader *reader, char *value)
{
	reader->machine = value;
}

static bool is_name(const char *text)
{
	return *text && !text[strspn(text, NAME_LETTERS)];
}

/* "MS=10 milliseconds", "SPEC... any probe". */
static void keep_parameter(struct reader *reader, char *value)
{
	struct preset *preset = &reader->preset;
	const uint32_t count = preset->parameter_count;
	struct preset_parameter made = { .name = value };
	char *text = cut_word(value), *equals = strchr(value, '=');
	const size_t length = strlen(value);

	made.text = text;
	if (equals) {
		*equals = '\0';
		made.value = equals + 1;
	} else if (length > 3 && !strcmp(value + length - 3, "...")) {
		value[length - 3] = '\0';
		made.takes_rest = true;
	}
	if (!is_name(value)) {
		add_problem(reader, value, "arg = NAME=VALUE TEXT is needed, or NAME TEXT, or "
			    "NAME... TEXT; a name has letters, digits, - . and _");
		return;
	}
	if (count == PRESET_PARAMETERS_MAX || (count && preset->parameters[count - 1].takes_rest)) {
		add_problem(reader, value, "%s", count == PRESET_PARAMETERS_MAX
		       ? "there are too many parameters: at most 6"
		       : "the parameter before takes all words: it must be the last");
		return;
	}
	preset->parameters[preset->parameter_count++] = made;
}

/* Finds the parameter @name[@length]; -1: there is none. */
static int find_parameter(const struct preset *preset, const char *name, size_t length)
{
	for (uint32_t i = 0; i < preset->parameter_count; i++)
		if (strlen(preset->parameters[i].name) == length &&
		    !memcmp(preset->parameters[i].name, name, length))
			return (int)i;
	return -1;
}

/* The values of parameters: parts of a text. */
struct values {
	const char *at[PRESET_PARAMETERS_MAX];	/* NULL: none */
	size_t bytes[PRESET_PARAMETERS_MAX];
};

static void set_value(struct values *values, size_t index, const char *text, size_t bytes)
{
	values->at[index] = text;
	values->bytes[index] = bytes;
}

static void set_defaults(struct values *values, const struct preset *preset)
{
	for (uint32_t i = 0; i < preset->parameter_count; i++) {
		const char *value = preset->parameters[i].value;

		set_value(values, i, value, value ? strlen(value) : 0);
	}
}

/* Writes @spec with values for its parameters. Returns the byte of @spec up to which it came:
 * before the end at a parameter without a value, or where @out is full. */
static size_t fill_in(const struct preset *preset, const struct values *values, const char *spec,
		      char *out, size_t room)
{
	const char *at = spec;
	size_t used = 0;

	while (*at && used + 1 < room) {
		const char *end = at[0] == '$' && at[1] == '{' ? strchr(at, '}') : NULL;
		const int index = end ? find_parameter(preset, at + 2, (size_t)(end - at - 2)) : -1;

		if (!end) {
			out[used++] = *at++;
			continue;
		}
		if (index < 0 || !values->at[index] || used + values->bytes[index] + 1 > room)
			break;
		memcpy(out + used, values->at[index], values->bytes[index]);
		used += values->bytes[index];
		at = end + 1;
	}
	out[used] = '\0';
	return (size_t)(at - spec);
}

/* Returns the first ${NAME} in @spec that is no parameter; NULL: there is none. */
static const char *find_unknown(const struct preset *preset, const char *spec)
{
	for (const char *at = spec; (at = strstr(at, "${")); at += 2) {
		const char *end = strchr(at, '}');

		if (!end || find_parameter(preset, at + 2, (size_t)(end - at - 2)) < 0)
			return at;
	}
	return NULL;
}

/* Returns the byte of @spec that byte @filled of it was, with values for its parameters. */
static size_t find_unfilled(const struct preset *preset, const struct values *values,
			    const char *spec, size_t filled)
{
	char prefix[PRESET_LINE_BYTES], out[PROBE_SPEC_BYTES];

	for (size_t i = 0; spec[i]; i++) {
		snprintf(prefix, sizeof(prefix), "%.*s", (int)i + 1, spec);
		fill_in(preset, values, prefix, out, sizeof(out));
		if (strlen(out) > filled)
			return i;
	}
	return strlen(spec);
}

/* Says what is wrong with @text; the sentence of @why begins with the column in @spec. */
static void refuse_spec(struct reader *reader, const char *text, const struct values *values,
			const struct diag *why)
{
	size_t column = 1;
	int skipped = 0;

	if (sscanf(why->text, "column %zu: %n", &column, &skipped) != 1 || !column)
		column = 1;
	add_problem(reader, text + find_unfilled(&reader->preset, values, text, column - 1), "%s",
		    why->text + skipped);
}

/* True: probe @text can be used; a parameter that must be given may be anything. */
static bool check_probe(struct reader *reader, const char *text)
{
	const struct preset *preset = &reader->preset;
	const char *unknown = find_unknown(preset, text);
	char spec[PROBE_SPEC_BYTES];
	struct probe_spec parsed;
	struct values values;
	struct diag why;

	if (unknown) {
		add_problem(reader, unknown, "no such parameter: %.*s}; a line arg = NAME before "
			    "it says which there are", (int)strcspn(unknown, "}"), unknown);
		return false;
	}
	set_defaults(&values, preset);
	if (text[fill_in(preset, &values, text, spec, sizeof(spec))] ||
	    !probe_spec_parse(&parsed, spec, &why))
		return true;
	refuse_spec(reader, text, &values, &why);
	return false;
}

static void keep_probe(struct reader *reader, char *value)
{
	struct preset *preset = &reader->preset;

	if (preset->probe_count == PRESET_PROBES_MAX) {
		add_problem(reader, value, "there are too many probes: at most 8");
		return;
	}
	reader->has_probes = true;
	if (check_probe(reader, value))
		preset->probes[preset->probe_count++] = value;
}

static void keep_column(struct reader *reader, char *value)
{
	struct preset *preset = &reader->preset;

	if (preset->column_count == PRESET_COLUMNS_MAX) {
		add_problem(reader, value, "there are too many columns: at most 12");
		return;
	}
	preset->columns[preset->column_count++] = (struct preset_entry){
		.name = value, .text = cut_word(value),
	};
}

static const struct key keys[] = {
	{ "title", keep_title, PRESET_TITLE_BYTES },
	{ "also", keep_also, PRESET_ALSO_BYTES },
	{ "about", keep_about, PRESET_ABOUT_BYTES },
	{ "needs", keep_needs, PRESET_LINE_BYTES },
	{ "machine", keep_machine, PRESET_NAME_BYTES },
	{ "arg", keep_parameter, PRESET_LINE_BYTES },
	{ "probe", keep_probe, PRESET_LINE_BYTES },
	{ "column", keep_column, PRESET_LINE_BYTES },
};
#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static bool is_of_machine(const char *machine)
{
	struct utsname name;

	return !machine || (!uname(&name) && !strcmp(name.machine, machine));
}

static int append(struct presets *presets, const struct preset *preset)
{
	struct preset *bigger;

	for (size_t i = 0; i < presets->count; i++) {
		if (!strcmp(presets->list[i].name, preset->name)) {
			presets->list[i] = *preset;
			return 0;
		}
	}
	bigger = realloc(presets->list, (presets->count + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	presets->list = bigger;
	bigger[presets->count++] = *preset;
	return 0;
}

/* Ends the preset that is being read: keeps it if it can be used. */
static int end_preset(struct reader *reader)
{
	struct preset *preset = &reader->preset;

	if (!preset->name || !is_of_machine(reader->machine))
		return 0;
	if (!preset->probe_count) {
		if (!reader->has_probes)
			add_problem(reader, NULL, "[%s] has no probe: a line probe = SPEC is "
				    "needed", preset->name);
		return 0;
	}
	if (!preset->title)
		preset->title = preset->name;
	if (!preset->about)
		preset->about = preset->title;
	return append(reader->presets, preset);
}

static int begin_preset(struct reader *reader, char *line)
{
	char *name = line + 1, *end = strchr(name, ']');
	const int err = end_preset(reader);

	reader->preset = (struct preset){ .also = "", .needs = "", .example = "" };
	reader->machine = NULL;
	reader->has_probes = false;
	reader->example_end = NULL;
	reader->head_line = reader->line;
	if (!end || *skip_blanks(end + 1)) {
		add_problem(reader, end ? end + 1 : line + strlen(line), "%s",
		       end ? "nothing may follow the ]" : "a ] is needed after the name");
		return err;
	}
	*end = '\0';
	if (!is_name(name) || strlen(name) >= PRESET_NAME_BYTES || !strcmp(name, "help"))
		add_problem(reader, name, "a name of up to 31 letters, digits, - . and _ is "
			    "needed, other than help");
	else
		reader->preset.name = name;
	return err;
}

/* Joins the lines of an example: each is moved to the end of the one before it. */
static void keep_example(struct reader *reader, char *line)
{
	const char *text = line + 1 + (line[1] == ' ');
	const size_t length = strlen(text);

	if (!reader->preset.name)
		return;
	if (!sanitize_is_clean(text, length)) {
		add_problem(reader, text, "the line has characters that can't be printed");
		return;
	}
	if (!reader->example_end)
		reader->preset.example = reader->example_end = line;
	memmove(reader->example_end, text, length);
	reader->example_end += length;
	*reader->example_end++ = '\n';
	*reader->example_end = '\0';
}

static void refuse_key(struct reader *reader, const char *name)
{
	struct near_name near;

	near_name_start(&near, name);
	for (size_t i = 0; i < KEY_COUNT; i++)
		near_name_try(&near, keys[i].name);
	if (near.nearest)
		add_problem(reader, name, "no such key: %.40s; did you mean %s?", name,
			    near.nearest);
	else
		add_problem(reader, name, "no such key: %.40s; there are title, also, about, "
			    "needs, machine, arg, probe and column", name);
}

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (!strcmp(name, keys[i].name))
			return &keys[i];
	return NULL;
}

/* "KEY = VALUE". */
static void keep_pair(struct reader *reader, char *line)
{
	char *equals = strchr(line, '='), *value;
	const struct key *key;
	size_t length;

	reader->example_end = NULL;
	if (!equals) {
		add_problem(reader, line, "KEY = VALUE is needed, [NAME], # or |");
		return;
	}
	value = skip_blanks(equals + 1);
	while (equals > line && strchr(BLANKS, equals[-1]))
		equals--;
	*equals = '\0';
	key = find_key(line);
	length = strlen(value);
	if (!key)
		refuse_key(reader, line);
	else if (!length)
		add_problem(reader, value, "a value is needed");
	else if (!sanitize_is_clean(value, length))
		add_problem(reader, value, "the value has characters that can't be printed");
	else if (length >= key->room)
		add_problem(reader, value + key->room - 1, "the value is too long");
	else if (reader->preset.name)
		key->keep(reader, value);
	else if (!reader->head_line)
		add_problem(reader, line, "a line [NAME] is needed before it");
}

/* Cuts the next line off and joins it with those that go on with it; NULL: there is none. */
static char *next_line(struct reader *reader)
{
	char *line = reader->at, *end, *next;

	if (!*line)
		return NULL;
	reader->start = line;
	reader->line = reader->lines + 1;
	reader->join_count = 0;
	end = line + strcspn(line, "\n");
	for (next = end; *next == '\n';) {
		char *more = skip_blanks(++next);
		size_t length;

		reader->lines++;
		if (more == next || strchr("\r\n", *more) || line[0] == '#' || line[0] == '|')
			break;
		while (end > line && strchr(BLANKS "\r", end[-1]))
			end--;
		length = strcspn(more, "\n");
		*end++ = ' ';
		if (reader->join_count < JOINS_MAX)
			reader->joins[reader->join_count++] = (struct join){
				.at = end, .line = reader->lines + 1,
				.column = (size_t)(more - next) + 1,
			};
		memmove(end, more, length);
		end += length;
		next = more + length;
	}
	reader->at = next;
	while (end > line && strchr(BLANKS "\r", end[-1]))
		end--;
	*end = '\0';
	return line;
}

static int read_line(struct reader *reader, char *line)
{
	switch (line[0]) {
	case '\0':
	case '#':
		return 0;
	case '[':
		return begin_preset(reader, line);
	case '|':
		keep_example(reader, line);
		return 0;
	default:
		keep_pair(reader, line);
		return 0;
	}
}

int presets_read(struct presets *presets, const char *text, const char *path, FILE *problems)
{
	const size_t bytes = strlen(text) + 1;
	struct preset_text *copy = malloc(sizeof(*copy) + bytes);
	struct reader reader = { .presets = presets, .path = path, .problems = problems };
	char *line;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	memcpy(copy->bytes, text, bytes);
	copy->next = presets->texts;
	presets->texts = copy;
	reader.at = copy->bytes + (strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3);
	while (!err && (line = next_line(&reader)))
		err = read_line(&reader, line);
	if (!err)
		err = end_preset(&reader);
	return err ? err : reader.problem_count;
}

int presets_create(struct presets **out)
{
	struct presets *presets = calloc(1, sizeof(*presets));

	*out = presets;
	if (!presets || presets_read(presets, presets_in, "presets", NULL) < 0) {
		presets_destroy(presets);
		*out = NULL;
		return -ENOMEM;
	}
	return 0;
}

void presets_destroy(struct presets *presets)
{
	struct preset_text *next;

	if (!presets)
		return;
	for (struct preset_text *text = presets->texts; text; text = next) {
		next = text->next;
		free(text);
	}
	free(presets->list);
	free(presets);
}

size_t presets_count(const struct presets *presets)
{
	return presets->count;
}

const struct preset *presets_at(const struct presets *presets, size_t index)
{
	return &presets->list[index];
}

static bool has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (words += strspn(words, BLANKS); *words; words += strspn(words, BLANKS)) {
		const size_t found = strcspn(words, BLANKS);

		if (found == length && !memcmp(words, word, length))
			return true;
		words += found;
	}
	return false;
}

const struct preset *presets_find(const struct presets *presets, const char *name)
{
	for (size_t i = 0; i < presets->count; i++)
		if (!strcmp(presets->list[i].name, name))
			return &presets->list[i];
	for (size_t i = 0; i < presets->count; i++)
		if (has_word(presets->list[i].also, name))
			return &presets->list[i];
	return NULL;
}

/* Returns the length of the word at @text: blanks between double quotes belong to it. */
static size_t word_length(const char *text)
{
	bool is_quoted = false;
	size_t length = 0;

	for (; text[length] && (is_quoted || !strchr(BLANKS, text[length])); length++)
		is_quoted ^= text[length] == '"';
	return length;
}

static int refuse_name(const struct presets *presets, const char *name, struct diag *why)
{
	struct near_name near;

	near_name_start(&near, name);
	for (size_t i = 0; i < presets->count; i++)
		near_name_try(&near, presets->list[i].name);
	if (near.nearest)
		return diag_set(why, -ENOENT, "no preset is called %s: did you mean %s? "
				"--list-presets has all", name, near.nearest);
	return diag_set(why, -ENOENT, "no preset is called %s: --list-presets has all", name);
}

/* Returns the parameter that the word at @text is for by its name, NAME=VALUE; -1: none. */
static int named_parameter(const struct preset *preset, const char *text)
{
	const size_t length = strcspn(text, "= ");

	return text[length] == '=' ? find_parameter(preset, text, length) : -1;
}

/* Assigns the words of @text to parameters. */
static int take_values(const struct preset *preset, const char *text, struct values *values,
		       struct diag *why)
{
	char usage[PRESET_LINE_BYTES];
	uint32_t next = 0;

	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		const int named = named_parameter(preset, text);
		const size_t index = named >= 0 ? (size_t)named : next;
		size_t length = word_length(text), skipped = 0;

		if (index >= preset->parameter_count) {
			preset_usage(preset, usage, sizeof(usage));
			return diag_set(why, -EINVAL, "--preset %s: %.*s is one value too many; "
					"its form is '%s'", preset->name, (int)length, text, usage);
		}
		if (preset->parameters[index].takes_rest)
			length = strlen(text);
		if (named >= 0)
			skipped = strlen(preset->parameters[index].name) + 1;
		else
			next++;
		set_value(values, index, text + skipped, length - skipped);
		text += length;
	}
	return 0;
}

int presets_use(const struct presets *presets, const char *text, struct preset_use *out,
		struct diag *why)
{
	const char *first = text + strspn(text, BLANKS);
	const size_t length = strcspn(first, BLANKS);
	char name[PRESET_TITLE_BYTES];
	struct values values;

	snprintf(name, sizeof(name), "%.*s", (int)length, first);
	out->count = 0;
	out->preset = presets_find(presets, name);
	if (!out->preset)
		return refuse_name(presets, name, why);
	set_defaults(&values, out->preset);
	if (take_values(out->preset, first + length, &values, why))
		return -EINVAL;
	for (uint32_t i = 0; i < out->preset->parameter_count; i++)
		if (!values.at[i] || !values.bytes[i])
			return diag_set(why, -EINVAL, "--preset %s needs %s: %s", name,
					out->preset->parameters[i].name,
					out->preset->parameters[i].text);
	for (; out->count < out->preset->probe_count; out->count++) {
		const char *spec = out->preset->probes[out->count];

		if (spec[fill_in(out->preset, &values, spec, out->specs[out->count],
				 sizeof(out->specs[0]))])
			return diag_set(why, -EINVAL, "--preset %s: the values are too long", name);
	}
	return 0;
}

bool preset_use_defaults(const struct preset *preset, struct preset_use *out)
{
	struct values values;
	bool is_whole = true;

	*out = (struct preset_use){ .preset = preset };
	set_defaults(&values, preset);
	for (; out->count < preset->probe_count; out->count++) {
		const char *spec = preset->probes[out->count];

		is_whole &= !spec[fill_in(preset, &values, spec, out->specs[out->count],
					  sizeof(out->specs[0]))];
	}
	return is_whole;
}

size_t preset_use_join(const struct preset_use *use, char *out, size_t room)
{
	size_t used = 0;

	for (uint32_t i = 0; i < use->count; i++)
		used += (size_t)snprintf(used < room ? out + used : NULL,
					 used < room ? room - used : 0, "%s%s", i ? "\n" : "",
					 use->specs[i]);
	return used;
}

size_t preset_usage(const struct preset *preset, char *out, size_t room)
{
	size_t used = (size_t)snprintf(out, room, "%s", preset->name);

	for (uint32_t i = 0; i < preset->parameter_count; i++) {
		const struct preset_parameter *parameter = &preset->parameters[i];
		const size_t left = used < room ? room - used : 0;

		used += (size_t)snprintf(left ? out + used : NULL, left,
					 parameter->value ? " [%s%s]" : " %s%s", parameter->name,
					 parameter->takes_rest ? "..." : "");
	}
	return used;
}
