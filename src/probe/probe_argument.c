/* probe_argument.c - the values of a spec: see probe/probe_spec.h.
 *
 * Problem: the kernel refuses a bad fetch argument with one word, after the probe's other parts
 * were made; and names of values are fields of an event, which must be C identifiers, and
 * different. So everything that can be checked without the kernel is refused here.
 */
#include "probe/probe_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/probe_meaning.h"
#include "probe/probe_section.h"

#define PATH "path"	/* a text in user memory: the path that a system call was given */

static const char value_needed[] = "no value: there are name, a->b.c, arr[1], $arg1, $retval, %di, "
				   "$stack0, $comm, @symbol, +8(%si)";
static const char type_needed[] = "no type: there are u8 u16 u32 u64, s8 .., x8 .., u8[4] .., "
				  "string, ustring, path, symbol, ipv4, ipv6, port, sockaddr, mac, "
				  "uuid, errno, syscall and b3@4/32";

static const char *skip_digits(const char *at)
{
	const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	const char *digits = at + (is_hex ? 2 : 0);
	const size_t bytes = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");

	return bytes && bytes <= 18 ? digits + bytes : NULL;
}

static const char *skip_identifier(const char *at)
{
	if (!isalpha((unsigned char)*at) && *at != '_')
		return NULL;
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at;
}

/* Skips "->b.c", "[1][2].x", "::global". */
static const char *skip_members(const char *at)
{
	while (at && *at) {
		if (!strncmp(at, "->", 2) || !strncmp(at, "::", 2)) {
			at = skip_identifier(at + 2);
		} else if (*at == '.') {
			at = skip_identifier(at + 1);
		} else if (*at == '[') {
			at = skip_digits(at + 1);
			at = at && *at == ']' ? at + 1 : NULL;
		} else {
			break;
		}
	}
	return at;
}

static bool is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, strlen(word));
}

/* Skips what follows a '$'. Arguments count from 1; they and return values may have members. */
static const char *skip_special(const char *at)
{
	const char *end = skip_identifier(at);
	const size_t bytes = end ? (size_t)(end - at) : 0;

	if (!end || is_word(at, end, "comm") || is_word(at, end, "stack"))
		return end;
	if (is_word(at, end, "retval") ||
	    (bytes > 3 && !strncmp(at, "arg", 3) && at[3] != '0' && skip_digits(at + 3) == end))
		return skip_members(end);
	return bytes > 5 && !strncmp(at, "stack", 5) && skip_digits(at + 5) == end ? end : NULL;
}

/* Skips "SYMBOL+8", "0x10", or of a program "+0x10", which counts in the file. */
static const char *skip_symbol(const char *at)
{
	if (*at == '+')
		return skip_digits(at + 1);
	const char *end = isdigit((unsigned char)*at) ? skip_digits(at) : skip_identifier(at);

	return end && (*end == '+' || *end == '-') ? skip_digits(end + 1) : end;
}

/* Skips "+8(" or "-u0x10("; NULL: it is none. */
static const char *skip_dereference(const char *at)
{
	if (*at != '+' && *at != '-')
		return NULL;
	at = skip_digits(at + (at[1] == 'u' ? 2 : 1));
	return at && *at == '(' ? at + 1 : NULL;
}

/* Returns the end of the value that @at begins with, or NULL. Counts nested dereferences instead of
 * recursing. */
static const char *skip_value(const char *at)
{
	const char *inner;
	size_t depth = 0;

	while ((inner = skip_dereference(at)) != NULL) {
		at = inner;
		depth++;
	}
	switch (*at) {
	case '%':
		at = skip_identifier(at + 1);
		break;
	case '$':
		at = skip_special(at + 1);
		break;
	case '@':
		at = skip_symbol(at + 1);
		break;
	case '\\':
		at = skip_digits(at + (at[1] == '-' ? 2 : 1));
		break;
	default:
		at = skip_identifier(at);
		at = at ? skip_members(at) : NULL;
	}
	for (; at && depth; depth--)
		at = *at == ')' ? at + 1 : NULL;
	return at;
}

static bool is_bitfield(const char *type)
{
	unsigned int width, offset, container;
	int used = 0;

	if (!isdigit((unsigned char)type[1]) ||
	    sscanf(type, "b%3u@%3u/%3u%n", &width, &offset, &container, &used) != 3 || type[used])
		return false;
	return (container == 8 || container == 16 || container == 32 || container == 64) &&
	       width && offset + width <= container;
}

/* True: @text is "", for one number, or a count as in "[4]". The kernel's limit is 64. */
static bool is_count(const char *text)
{
	unsigned int count;
	int used = 0;

	if (!*text)
		return true;
	return isdigit((unsigned char)text[1]) && sscanf(text, "[%2u]%n", &count, &used) == 1 &&
	       used && !text[used] && count && count <= 64;
}

static bool is_type(const char *type)
{
	static const char *const words[] = { "8", "16", "32", "64" };
	enum probe_meaning ignored;

	if (!strcmp(type, "string") || !strcmp(type, "ustring") || !strcmp(type, PATH) ||
	    !strcmp(type, "symbol") || probe_meaning_of_type(type, &ignored))
		return true;
	if (type[0] == 'b')
		return is_bitfield(type);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (type[0] && strchr("usx", type[0]) &&
		    !strncmp(type + 1, words[i], strlen(words[i])) &&
		    is_count(type + 1 + strlen(words[i])))
			return true;
	return false;
}

/* Names a value that has no name: by its last member, "ret" for the return value. */
static void name_value(const char *value, char *out, size_t room)
{
	const char *inner, *last = "value", *last_end;

	while ((inner = skip_dereference(value)) != NULL)
		value = inner;
	while (*value) {
		const char *end = skip_identifier(value);

		if (end)
			last = value;
		else	/* a number counts as a whole: 0x1b has no name x1b */
			end = isdigit((unsigned char)*value) ? skip_digits(value) : value + 1;
		value = end ? end : value + 1;
	}
	last_end = skip_identifier(last);
	if (is_word(last, last_end, "retval"))
		snprintf(out, room, "ret");
	else
		snprintf(out, room, "%.*s", (int)(last_end - last), last);
}

static const struct probe_argument *find_name(const struct probe_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (!strcmp(spec->arguments[i].name, name))
			return &spec->arguments[i];
	return NULL;
}

/* Makes the name unique: "len", then "len_2". */
static void name_unlike_others(const struct probe_spec *spec, struct probe_argument *argument)
{
	char stem[sizeof(argument->name) - 3];	/* leaves room for "_12" */

	name_value(argument->value, stem, sizeof(stem));
	strcpy(argument->name, stem);
	for (unsigned int i = 2; find_name(spec, argument->name); i++)
		snprintf(argument->name, sizeof(argument->name), "%s_%u", stem, i % 100);
}

static bool is_variable(const char *value)
{
	const char *inner;

	while ((inner = skip_dereference(value)) != NULL)
		value = inner;
	return skip_identifier(value) != NULL;
}

/* Refuses a value that a point of one kind and edge can't have. */
static int check_one(const struct probe_spec *spec, const struct probe_argument *argument,
		       size_t at, struct diag *why)
{
	const char *value = argument->value;
	const char *end = skip_identifier(value);

	if (end && spec->kind == PROBE_TRACEPOINT && *end == '[') {
		end = skip_digits(end + 1);
		end = end && *end == ']' ? end + 1 : NULL;
	}
	if (spec->kind == PROBE_TRACEPOINT)
		return end && !*end ? 0
		     : probe_column_refuse(why, at, "a tracepoint brings its own fields, by their "
					   "names: %s is none", value);
	if (strstr(value, "@+") && spec->kind == PROBE_KERNEL)
		return probe_column_refuse(why, at, "%s counts in a file: of the kernel write "
					   "@SYMBOL", value);
	if (strstr(value, "$retval") && (spec->kind == PROBE_USDT || spec->edge == PROBE_ENTRY))
		return probe_column_refuse(why, at, "$retval is known at the return of a function: "
					   "kr: ur: or lat:");
	if (spec->edge == PROBE_RETURN && (strstr(value, "$arg") || is_variable(value)))
		return probe_column_refuse(why, at, "at the return %s is gone: lat: brings what "
					   "was there at the entry", value);
	return 0;
}

/* Sets kind and edge of @out to those of one of the two points of @spec. */
static void point_of(const struct probe_spec *spec, bool is_end, struct probe_spec *out)
{
	*out = (struct probe_spec){
		.kind = is_end ? spec->end.kind : spec->kind,
		.edge = (is_end ? spec->end.edge == PROBE_RETURN : spec->is_from_return)
				? PROBE_RETURN : PROBE_ENTRY,
	};
}

/* Returns the stage whose time @value is, counted from 1; 0: it is another value. */
static uint8_t stage_of(const struct probe_spec *spec, const char *value)
{
	const int stage = value[0] == 'l' && value[1] == 'a' && value[2] == 't' &&
			  isdigit((unsigned char)value[3]) && !value[4] ? value[3] - '0' : 0;

	return spec->middle_count && stage <= (int)spec->middle_count + 1 ? (uint8_t)stage : 0;
}

/* Marks the time of a stage; no other value may have such a name. */
static int set_stage(const struct probe_spec *spec, struct probe_argument *argument, size_t at,
		     struct diag *why)
{
	const uint8_t named = stage_of(spec, argument->name);

	argument->stage = stage_of(spec, argument->value);
	if (named && named != argument->stage)
		return probe_column_refuse(why, at, "%s is the time of stage %d: another name is "
					   "needed", argument->name, named);
	if (argument->stage && (argument->type[0] || argument->is_masked))
		return probe_column_refuse(why, at, "%s is a time in ns: it has no type",
					   argument->value);
	return 0;
}

/* Refuses a value that no point of the spec can have. */
static int check_point(const struct probe_spec *spec, const struct probe_argument *argument,
		       size_t at, struct diag *why)
{
	struct probe_spec one;

	if (argument->stage)
		return 0;
	if (!spec->end.function[0])
		return check_one(spec, argument, at, why);
	point_of(spec, true, &one);
	if (!check_one(&one, argument, at, NULL))
		return 0;
	point_of(spec, false, &one);
	return check_one(&one, argument, at, why);
}

bool probe_argument_fits(const struct probe_spec *spec, const struct probe_argument *argument)
{
	return check_point(spec, argument, 0, NULL) == 0;
}

/* Skips "args->" or "args.": bpftrace's old and new way to write a field. */
static const char *skip_args(const struct probe_spec *spec, const char *word)
{
	if (spec->kind != PROBE_TRACEPOINT)
		return word;
	if (!strncmp(word, "args->", 6))
		return word + 6;
	return strncmp(word, "args.", 5) != 0 ? word : word + 5;
}

/* Splits @word into name, value and type. */
static int split(const struct probe_spec *spec, struct probe_argument *out, const char *word,
		 size_t at, struct diag *why)
{
	static const char norm[] = "norm(";
	const char *end = skip_identifier(word);
	const char *value = end && *end == '=' ? end + 1 : word;
	const size_t name_bytes = value == word ? 0 : (size_t)(end - word);
	size_t value_at, value_bytes;

	if (name_bytes >= sizeof(out->name))
		return probe_column_refuse(why, at, "a name of more than %zu bytes",
					   sizeof(out->name) - 1);
	out->is_masked = !strncmp(value, norm, sizeof(norm) - 1);
	value = skip_args(spec, value + (out->is_masked ? sizeof(norm) - 1 : 0));
	value_at = at + (size_t)(value - word);
	end = skip_value(value);
	if (out->is_masked && (!end || *end != ')'))
		return probe_column_refuse(why, value_at, "norm(VALUE) masks the constants of a "
					   "text: as in norm($arg1):string");
	value_bytes = end ? (size_t)(end - value) : 0;
	end = end && out->is_masked ? end + 1 : end;
	if (!end || (*end && *end != ':'))
		return probe_column_refuse(why, value_at, "%.40s: %s", value, value_needed);
	if (value_bytes >= sizeof(out->value))
		return probe_column_refuse(why, value_at, "a value of more than %zu bytes",
					   sizeof(out->value) - 1);
	if (*end && (strlen(end + 1) >= sizeof(out->type) || !is_type(end + 1)))
		return probe_column_refuse(why, at + (size_t)(end - word) + 1, "%.40s: %s",
					   end + 1, type_needed);
	if (*end && !strcmp(end + 1, PATH) &&
	    (spec->kind != PROBE_TRACEPOINT || strcmp(spec->group, "syscalls") != 0))
		return probe_column_refuse(why, at + (size_t)(end - word) + 1, "path: of system "
					   "calls (t:syscalls:..) only; string and ustring are "
					   "texts, too");
	memcpy(out->name, word, name_bytes);
	memcpy(out->value, value, value_bytes);
	if (*end)
		strcpy(out->type, strcmp(end + 1, PATH) != 0 ? end + 1 : "ustring");
	return 0;
}

static int add(struct probe_spec *spec, struct probe_argument *argument, size_t at,
	       struct diag *why)
{
	int err = set_stage(spec, argument, at, why);

	if (!err)
		err = check_point(spec, argument, at, why);
	if (err)
		return err;
	if (spec->argument_count == PROBE_ARGUMENTS_MAX)
		return probe_column_refuse(why, at, "more than %d values, with those that the "
					   "condition, keys and aggregates name",
					   PROBE_ARGUMENTS_MAX);
	if (!argument->name[0])
		name_unlike_others(spec, argument);
	else if (find_name(spec, argument->name))
		return probe_column_refuse(why, at, "there is a value %s already", argument->name);
	spec->arguments[spec->argument_count++] = *argument;
	return 0;
}

int probe_argument_add(struct probe_spec *spec, const char *line, size_t from, size_t bytes,
		       struct diag *why)
{
	struct probe_argument argument = { .is_implied = false };
	char word[PROBE_SPEC_BYTES];
	int err;

	if (bytes >= sizeof(word))
		return probe_column_refuse(why, from, "a value of more than %zu bytes",
					   sizeof(word) - 1);
	snprintf(word, sizeof(word), "%.*s", (int)bytes, line + from);
	err = split(spec, &argument, word, from, why);
	return err ? err : add(spec, &argument, from, why);
}

static bool has_stage(const struct probe_spec *spec, uint8_t stage)
{
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (spec->arguments[i].stage == stage)
			return true;
	return false;
}

int probe_argument_add_stages(struct probe_spec *spec, size_t at, struct diag *why)
{
	int err = 0;

	for (uint8_t stage = 1; spec->middle_count && stage <= spec->middle_count + 1 && !err;
	     stage++) {
		struct probe_argument argument = { .is_implied = true };

		if (has_stage(spec, stage))
			continue;
		snprintf(argument.value, sizeof(argument.value), "lat%d", stage);
		strcpy(argument.name, argument.value);
		err = add(spec, &argument, at, why);
	}
	return err;
}

/* Finds what the user gave that name; other names are made, and mean nothing to him. */
static const struct probe_argument *find_typed(const struct probe_spec *spec, const char *name)
{
	const struct probe_argument *found = find_name(spec, name);

	return found && !found->is_implied ? found : NULL;
}

/* True: @argument is @wanted, which has no type if any will do. */
static bool is_wanted(const struct probe_argument *argument, const struct probe_argument *wanted)
{
	return !strcmp(argument->value, wanted->value) &&
	       argument->is_masked == wanted->is_masked &&
	       (!wanted->type[0] || !strcmp(argument->type, wanted->type));
}

/* Finds what was split from a word: the value of a name may be meant, and without norm() and type
 * that of a masked one. */
static const struct probe_argument *find_wanted(const struct probe_spec *spec,
						struct probe_argument *wanted)
{
	const struct probe_argument *named = find_typed(spec, wanted->value);

	if (named && (named->is_masked || !wanted->is_masked) &&
	    (!wanted->type[0] || !strcmp(named->type, wanted->type)))
		return named;
	if (named) {
		strcpy(wanted->value, named->value);
		if (!wanted->type[0])
			strcpy(wanted->type, named->type);
	}
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (is_wanted(&spec->arguments[i], wanted))
			return &spec->arguments[i];
	for (uint32_t i = 0; i < spec->argument_count && !wanted->is_masked && !wanted->type[0];
	     i++)
		if (!strcmp(spec->arguments[i].value, wanted->value))
			return &spec->arguments[i];
	return NULL;
}

int probe_argument_want(struct probe_spec *spec, const char *value, size_t at, uint32_t *index,
			struct diag *why)
{
	struct probe_argument wanted = { .is_implied = true };
	const struct probe_argument *found = find_typed(spec, value);
	int err = found ? 0 : split(spec, &wanted, value, at, why);

	if (!err && wanted.name[0])
		err = probe_column_refuse(why, at, "a value gets its name where it is listed: "
					  "%.60s before the clauses, then its name here", value);
	if (!err && !found)
		found = find_wanted(spec, &wanted);
	if (!err && !found) {
		err = add(spec, &wanted, at, why);
		if (!err)
			found = &spec->arguments[spec->argument_count - 1];
	}
	if (!err)
		*index = (uint32_t)(found - spec->arguments);
	return err;
}

/* A value that is called as a clause begins needs more than its name. */
static bool is_clause_word(const char *word)
{
	return !strcmp(word, "if") || !strcmp(word, "on") || !strcmp(word, "by");
}

size_t probe_argument_write(const struct probe_argument *argument, char *out, size_t room)
{
	char name[sizeof(argument->name)];
	bool is_named;

	name_value(argument->value, name, sizeof(name));
	is_named = strcmp(name, argument->name) != 0 || is_clause_word(argument->value);
	return (size_t)snprintf(out, room, "%s%s%s%s%s%s%s", is_named ? argument->name : "",
				is_named ? "=" : "", argument->is_masked ? "norm(" : "",
				argument->value, argument->is_masked ? ")" : "",
				argument->type[0] ? ":" : "", argument->type);
}
