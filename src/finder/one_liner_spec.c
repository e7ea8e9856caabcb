/* one_liner_spec.c - see one_liner_spec.h. */
#include "one_liner_spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/probe_section.h"

#define COUNT "count"

static const struct liner_node *node_of(const struct liner_scope *scope, uint32_t at)
{
	return &scope->tree->nodes[at];
}

static int refuse(const struct liner_scope *scope, const struct liner_node *node,
		  const char *sentence)
{
	return liner_refuse(scope->why, node, sentence);
}

bool liner_append(char *out, size_t room, const char *format, ...)
{
	const size_t used = strlen(out);
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(out + used, room - used, format, args);
	va_end(args);
	if (bytes >= 0 && (size_t)bytes < room - used)
		return true;
	out[used] = '\0';
	return false;
}

int liner_too_long(const struct liner_scope *scope, const struct liner_node *node)
{
	return probe_column_refuse(scope->why, node->at, "that is too long for one spec");
}

bool liner_is_in(const char *name, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

bool liner_is_reserved(const struct liner_scope *scope, const char *name)
{
	static const char *const words[] = {
		"comm", "pid", "ppid", "tid", "uid", "cpu", "cgroup", "unit", "container", "func",
		"lat", "stack", "kstack", "ustack", "retval", "norm",
	};

	return liner_is_in(name, words, sizeof(words) / sizeof(words[0])) ||
	       (scope->point.kind != PROBE_TRACEPOINT && !strcmp(name, "ret"));
}

/* Writes the name that a value without one gets: its last word. */
static void name_of(const char *text, char out[32])
{
	size_t end = strlen(text), from;

	if (!strcmp(text, "$retval")) {
		strcpy(out, "ret");
		return;
	}
	while (end && !isalnum((unsigned char)text[end - 1]) && text[end - 1] != '_')
		end--;
	from = end;
	while (from && (isalnum((unsigned char)text[from - 1]) || text[from - 1] == '_'))
		from--;
	if (end == from || isdigit((unsigned char)text[from]))
		strcpy(out, "value");
	else
		snprintf(out, 32, "%.*s", (int)(end - from < 24 ? end - from : 24), text + from);
}

static bool has_name(const struct liner_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->value_count; i++)
		if (!strcmp(spec->values[i].name, name))
			return true;
	return false;
}

/* Lists a value. @is_plain: its own name may be one that means something else, too. Returns it;
 * NULL: there are too many, which is refused. */
static struct liner_listed *list(struct liner_spec *spec, struct liner_scope *scope,
				 const struct liner_value *value, bool is_plain)
{
	struct liner_listed *made = &spec->values[spec->value_count];
	char name[32], stem[32];

	if (spec->value_count == PROBE_ARGUMENTS_MAX) {
		probe_column_refuse(scope->why, value->node->at, "more than %d values",
				    PROBE_ARGUMENTS_MAX);
		return NULL;
	}
	*made = (struct liner_listed){ .is_named = false };
	name_of(value->text, name);
	snprintf(made->text, sizeof(made->text), "%s", value->text);
	snprintf(made->type, sizeof(made->type), "%s", value->type);
	strcpy(stem, name);
	if (!is_plain && liner_is_reserved(scope, name) && strcmp(value->text, "$retval") != 0)
		snprintf(stem, sizeof(stem), "args_%.20s", name);
	snprintf(made->name, sizeof(made->name), "%s", stem);
	for (unsigned int i = 2; has_name(spec, made->name); i++)
		snprintf(made->name, sizeof(made->name), "%.24s_%u", stem, i % 100);
	made->is_named = strcmp(made->name, name) != 0 || strlen(name) > 23;
	spec->value_count++;
	return made;
}

const char *liner_spec_name(struct liner_spec *spec, struct liner_scope *scope,
			      const struct liner_value *value)
{
	struct liner_listed *made;

	for (uint32_t i = 0; i < spec->value_count; i++)
		if (!strcmp(spec->values[i].text, value->text) &&
		    !strcmp(spec->values[i].type, value->type) &&
		    (spec->values[i].is_named || !liner_is_reserved(scope, spec->values[i].name)))
			return spec->values[i].name;
	made = list(spec, scope, value, false);
	return made ? made->name : NULL;
}

bool liner_is_bare(const struct liner_value *value)
{
	return !value->type[0] && !strchr("+@%", value->text[0]);
}

/* Writes a value where keys and aggregates name one, with its type. */
static void write_inline(const struct liner_scope *scope, const struct liner_value *value,
				 char out[128])
{
	snprintf(out, 128, "%s%s%s%s", liner_is_reserved(scope, value->text) ? "args." : "",
		 value->text, value->type[0] ? ":" : "", value->type);
}

/* Writes a value as a key. "": it is the same at each hit. */
static int write_key(struct liner_scope *scope, uint32_t at, char out[128])
{
	struct liner_value value;
	int err = liner_value_find(scope, at, &value);

	out[0] = '\0';
	if (err || value.kind == LINER_CONSTANT || value.kind == LINER_LITERAL)
		return err;
	if (value.kind == LINER_LATENCY || value.kind == LINER_ARITHMETIC)
		return refuse(scope, node_of(scope, at), "a key is a value as it is recorded; "
			      "hist(x) and lhist(x, from, to, step) count by ranges");
	if (value.kind == LINER_BUILTIN && !strcmp(value.text, "time"))
		return refuse(scope, node_of(scope, at), "a key is no time: the table is of the "
			      "last seconds, the log has the time of each hit");
	if (value.kind == LINER_BUILTIN && !strcmp(value.text, "func") && !scope->point.is_wildcard)
		return 0;
	if (value.kind == LINER_BUILTIN)
		snprintf(out, 128, "%s", value.text);
	else if (!strcmp(value.text, "$retval") && !value.type[0])
		strcpy(out, "retval");
	else
		write_inline(scope, &value, out);
	return 0;
}

int liner_spec_keys(struct liner_spec *spec, struct liner_scope *scope, uint32_t first)
{
	char key[128];

	for (uint32_t at = first; at; at = node_of(scope, at)->next) {
		int err = write_key(scope, at, key);

		if (err)
			return err;
		if (!key[0])
			continue;
		if (spec->key_count == 4)
			return refuse(scope, node_of(scope, at), "more than 4 keys");
		if (!liner_append(spec->keys, sizeof(spec->keys), "%s%s",
				  spec->key_count ? "," : "",
			    key))
			return liner_too_long(scope, node_of(scope, at));
		spec->key_count++;
	}
	return 0;
}

static unsigned int level_of(const struct liner_node *node)
{
	static const struct {
		const char *sign;
		unsigned int level;
	} levels[] = { { "|", 1 }, { "&", 2 }, { "<<", 3 }, { ">>", 3 }, { "+", 4 }, { "-", 4 },
		       { "*", 5 }, { "/", 5 }, { "%", 5 } };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (liner_is(node, levels[i].sign))
			return levels[i].level;
	return 0;
}

/* Appends arithmetic on values to @out[@room]; in parentheses if it binds less than @least. */
static int write_expression(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
			    unsigned int least, char *out, size_t room)
{
	struct liner_value value;
	unsigned int level;
	const char *name;
	char text[128];
	bool has_parentheses;
	int err = liner_value_find(scope, at, &value);

	if (err)
		return err;
	switch (value.kind) {
	case LINER_CONSTANT:
		return liner_append(out, room, "%" PRId64, value.number)
			       ? 0 : liner_too_long(scope, value.node);
	case LINER_LATENCY:
		if (!least || !strcmp(value.unit, "ns"))	/* alone it is a time in any unit */
			return liner_append(out, room, "lat")
				       ? 0 : liner_too_long(scope, value.node);
		return liner_append(out, room, "(lat / %" PRId64 ")", liner_unit_ns(value.unit))
			       ? 0 : liner_too_long(scope, value.node);
	case LINER_FETCHED:
		name = text;
		write_inline(scope, &value, text);
		if (strchr("+@%", text[0]))	/* it would read as arithmetic */
			name = liner_spec_name(spec, scope, &value);
		if (!name)
			return -EINVAL;
		return liner_append(out, room, "%s", name) ? 0 : liner_too_long(scope, value.node);
	case LINER_ARITHMETIC:
		break;
	default:
		return refuse(scope, value.node, "an aggregate is of values and of lat");
	}
	if (value.node->kind == LINER_UNARY) {
		if (!liner_append(out, room, "-"))
			return liner_too_long(scope, value.node);
		return write_expression(spec, value.scope, value.node->first, 6, out, room);
	}
	level = level_of(value.node);
	if (!level)
		return refuse(scope, value.node, "arithmetic is + - * / % & | << >>");
	has_parentheses = level < least;
	if (has_parentheses && !liner_append(out, room, "("))
		return liner_too_long(scope, value.node);
	err = write_expression(spec, value.scope, value.node->first, level, out, room);
	if (!err && !liner_append(out, room, " %.*s ", (int)value.node->bytes, value.node->text))
		err = liner_too_long(scope, value.node);
	if (!err)
		err = write_expression(spec, value.scope, value.node->second, level + 1, out, room);
	if (!err && has_parentheses && !liner_append(out, room, ")"))
		err = liner_too_long(scope, value.node);
	return err;
}

static int add_aggregate(struct liner_spec *spec, struct liner_scope *scope,
			 const struct liner_node *node, const char *text)
{
	if (!spec->has_aggregate && !strcmp(text, COUNT)) {
		spec->has_aggregate = true;	/* the default */
		return 0;
	}
	if (spec->has_aggregate && !spec->aggregates[0])
		strcpy(spec->aggregates, COUNT);
	spec->has_aggregate = true;
	if (!liner_append(spec->aggregates, sizeof(spec->aggregates), "%s%s",
		    spec->aggregates[0] ? ", " : "", text))
		return liner_too_long(scope, node);
	return 0;
}

/* Appends the limits of lhist(), with the unit in which the latency is asked for. */
static int write_limits(struct liner_scope *scope, const struct liner_node *call, const char *unit,
			char *out, size_t room)
{
	uint32_t at = node_of(scope, call->first)->next;

	for (int i = 0; i < 3; i++, at = node_of(scope, at)->next) {
		int64_t limit;

		if (!at || !liner_constant(scope, at, &limit))
			return refuse(scope, call, "lhist(x, from, to, step): three numbers are "
				      "needed");
		if (!liner_append(out, room, ", %" PRId64 "%s", limit, limit ? unit : ""))
			return liner_too_long(scope, call);
	}
	return 0;
}

static int add_histogram(struct liner_spec *spec, struct liner_scope *scope,
			 const struct liner_node *call)
{
	const bool is_linear = liner_is(call, "lhist");
	char text[LINER_PART_BYTES] = "";
	struct liner_value value;
	int err = liner_value_find(scope, call->first, &value);

	if (!err && !is_linear && node_of(scope, call->first)->next)
		return refuse(scope, call, "hist(x) has powers of two; hist(x, 1ms, 5ms) in a spec "
			      "has limits of its own");
	liner_append(text, sizeof(text), "%s(", is_linear ? "lhist" : "hist");
	if (!err)
		err = write_expression(spec, scope, call->first, 0, text, sizeof(text));
	if (!err && is_linear)
		err = write_limits(scope, call, value.kind == LINER_LATENCY ? value.unit : "", text,
				   sizeof(text));
	if (!err && !liner_append(text, sizeof(text), ")"))
		err = liner_too_long(scope, call);
	return err ? err : add_aggregate(spec, scope, call, text);
}

static int add_function(struct liner_spec *spec, struct liner_scope *scope,
			const struct liner_node *call, const char *function)
{
	char text[LINER_PART_BYTES] = "";
	int err;

	liner_append(text, sizeof(text), "%s(", function);
	err = write_expression(spec, scope, call->first, 0, text, sizeof(text));
	if (!err && !liner_append(text, sizeof(text), ")"))
		err = liner_too_long(scope, call);
	return err ? err : add_aggregate(spec, scope, call, text);
}

int liner_spec_aggregate(struct liner_spec *spec, struct liner_scope *scope, uint32_t at)
{
	static const char *const functions[] = { "sum", "avg", "min", "max" };
	const struct liner_node *call = node_of(scope, at);
	int64_t one;
	int err;

	if (call->kind != LINER_CALL)
		return refuse(scope, call, "a map that is set shows its last value: a spec counts, "
			      "as by x, or sums");
	if (liner_is(call, COUNT))
		return add_aggregate(spec, scope, call, COUNT);
	if (!call->first)
		return refuse(scope, call, "it needs a value, as in hist(args.ret)");
	if (liner_is(call, "sum") && liner_constant(scope, call->first, &one) && one == 1)
		return add_aggregate(spec, scope, call, COUNT);
	if (liner_is(call, "hist") || liner_is(call, "quantize") || liner_is(call, "lhist"))
		return add_histogram(spec, scope, call);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (liner_is(call, functions[i]))
			return add_function(spec, scope, call, functions[i]);
	if (!liner_is(call, "stats"))
		return refuse(scope, call, "no aggregate: there are count sum avg min max hist "
			      "lhist stats");
	err = add_aggregate(spec, scope, call, COUNT);
	if (!err)
		err = add_function(spec, scope, call, "avg");
	return err ? err : add_function(spec, scope, call, "sum");
}

int liner_spec_sum(struct liner_spec *spec, struct liner_scope *scope, uint32_t at)
{
	char text[LINER_PART_BYTES] = "sum(";
	const struct liner_node *node = node_of(scope, at);
	int64_t one;
	int err;

	if (!at || (liner_constant(scope, at, &one) && one == 1))
		return add_aggregate(spec, scope, node, COUNT);
	err = write_expression(spec, scope, at, 0, text, sizeof(text));
	if (!err && !liner_append(text, sizeof(text), ")"))
		err = liner_too_long(scope, node);
	return err ? err : add_aggregate(spec, scope, node, text);
}

/* The format that is being written. */
struct formatting {
	struct liner_spec *spec;
	struct liner_scope *scope;
	const struct liner_node *format;
	uint32_t argument;	/* the next one */
	bool is_join;		/* join(args.argv) */
	size_t kept;		/* bytes of the format that a conversion ended */
};

/* Appends what is between conversions; blanks are one. */
static bool put_byte(struct formatting *formatting, char byte)
{
	char *out = formatting->spec->format;
	const size_t used = strlen(out);

	if (byte == ' ' && (!used || out[used - 1] == ' '))
		return true;
	return liner_append(out, LINER_FORMAT_BYTES, "%s%c",
			    byte == '"' || byte == '\\' ? "\\" : "",
		      byte);
}

/* Leaves out what every line has by itself, with its label. Returns where the format goes on. */
static size_t drop(struct formatting *formatting, size_t at)
{
	const struct liner_node *format = formatting->format;
	char *out = formatting->spec->format;
	size_t used = strlen(out);

	while (used > formatting->kept && out[used - 1] != ' ')
		out[--used] = '\0';
	while (at < format->bytes - 1 && !isalnum((unsigned char)format->text[at]) &&
	       !strchr("%\\ ", format->text[at]))
		at++;
	return at;
}

/* Writes the conversion for the value: a format has no widths. */
static int put_conversion(struct formatting *formatting, char letter,
			  const struct liner_value *value)
{
	static const char *const texts[] = { "string", "ustring", "symbol", "ipv4", "ipv6",
					     "mac", "errno", "sockaddr" };
	const bool is_text = liner_is_in(value->type, texts, sizeof(texts) / sizeof(texts[0]));

	if (is_text || letter == 's')
		letter = 's';
	else if (letter == 'i' || letter == 'v')
		letter = 'd';
	else if (letter == 'X' || letter == 'p')
		letter = 'x';
	if (!strchr("sdux", letter))
		return refuse(formatting->scope, formatting->format, "a format has %d %u %x %s");
	if (!liner_append(formatting->spec->format, LINER_FORMAT_BYTES, "%%%c", letter))
		return liner_too_long(formatting->scope, formatting->format);
	formatting->kept = strlen(formatting->spec->format);
	return 0;
}

static int print_value(struct formatting *formatting, char letter,
		       const struct liner_value *value)
{
	struct liner_spec *spec = formatting->spec;
	struct liner_listed *made = NULL;

	for (uint32_t i = 0; i < spec->value_count && !made; i++)
		if (!spec->values[i].is_printed && !strcmp(spec->values[i].text, value->text) &&
		    !strcmp(spec->values[i].type, value->type)) {
			const struct liner_listed moved = spec->values[i];

			memmove(&spec->values[i], &spec->values[i + 1],
				(spec->value_count - i - 1) * sizeof(moved));
			spec->values[spec->value_count - 1] = moved;
			made = &spec->values[spec->value_count - 1];
		}
	if (!made)
		made = list(spec, formatting->scope, value, true);
	if (!made)
		return -EINVAL;
	made->is_printed = true;
	return put_conversion(formatting, letter, value);
}

/* Writes a constant into the format. */
static int put_constant(struct formatting *formatting, const struct liner_value *value)
{
	char *out = formatting->spec->format;
	const bool fits = value->kind == LINER_CONSTANT
		? liner_append(out, LINER_FORMAT_BYTES, "%" PRId64, value->number)
		: liner_append(out, LINER_FORMAT_BYTES, "%.*s", (int)value->node->bytes - 2,
			 value->node->text + 1);

	return fits ? 0 : liner_too_long(formatting->scope, formatting->format);
}

/* Converts the next argument, by a conversion that ends in @letter. */
static int convert(struct formatting *formatting, char letter, bool *is_dropped)
{
	struct liner_scope *scope = formatting->scope;
	const uint32_t at = formatting->argument;
	struct liner_value value;
	int err;

	if (!at)
		return refuse(scope, formatting->format, "more conversions than values");
	formatting->argument = node_of(scope, at)->next;
	err = liner_value_find(scope, at, &value);
	if (err)
		return err;
	if (value.kind == LINER_CONSTANT || value.kind == LINER_LITERAL)
		return put_constant(formatting, &value);
	if (formatting->is_join)	/* the texts of an argv */
		strcpy(value.type, scope->point.kind == PROBE_TRACEPOINT ? "ustring" : "string");
	if (value.kind == LINER_FETCHED)
		return print_value(formatting, letter, &value);
	*is_dropped = true;	/* a line has time, process, thread, CPU, function and latency */
	if (value.kind == LINER_BUILTIN && (!strcmp(value.text, "uid") ||
					    !strcmp(value.text, "cgroup") ||
					    !strcmp(value.text, "ppid")))
		liner_note(scope->note, scope->note_bytes,
			   "%s is not in the lines: by %s counts by it", value.text,
			   value.text);
	if (value.kind == LINER_ARITHMETIC && !liner_is_time(scope, at))
		return refuse(scope, node_of(scope, at), "a printed value is as it is recorded: "
			      "print it without arithmetic");
	return 0;
}

/* Measures the conversion at @text, "%-16s". */
static size_t measure_conversion(const char *text, size_t room)
{
	size_t bytes = 1;

	while (bytes < room && (isdigit((unsigned char)text[bytes]) || strchr("-+ #.lhzjq",
									      text[bytes])))
		bytes++;
	return bytes < room ? bytes + 1 : room;
}

/* Handles an escape. Returns its length. */
static size_t put_escape(struct formatting *formatting, const char *text, bool *fits)
{
	const bool is_plain = strchr("\"\\", text[1]);

	*fits = put_byte(formatting, is_plain ? text[1] : ' ');
	return 2;
}

static int format(struct formatting *formatting)
{
	const struct liner_node *node = formatting->format;
	const size_t end = node->bytes - 1;	/* before the quote */
	size_t at = 1;

	while (at < end) {
		const char *text = node->text + at;
		bool fits = true, is_dropped = false;
		size_t bytes = 1;
		int err = 0;

		if (*text == '\\' && at + 1 < end) {
			bytes = put_escape(formatting, text, &fits);
		} else if (*text == '%' && at + 1 < end && text[1] == '%') {
			bytes = 2;
			fits = liner_append(formatting->spec->format, LINER_FORMAT_BYTES, "%%%%");
		} else if (*text == '%') {
			bytes = measure_conversion(text, end - at);
			err = convert(formatting, text[bytes - 1], &is_dropped);
		} else {
			fits = put_byte(formatting, isspace((unsigned char)*text) ? ' ' : *text);
		}
		if (err)
			return err;
		if (!fits)
			return liner_too_long(formatting->scope, node);
		at += bytes;
		if (is_dropped)
			at = drop(formatting, at);
	}
	return 0;
}

static void trim(char *text)
{
	size_t bytes = strlen(text);

	while (bytes && text[bytes - 1] == ' ')
		text[--bytes] = '\0';
}

int liner_spec_print(struct liner_spec *spec, struct liner_scope *scope, uint32_t at)
{
	static const struct liner_node any = { .kind = LINER_STRING, .text = "\"%v\"", .bytes = 4 };
	const struct liner_node *call = node_of(scope, at);
	const struct liner_node *first = node_of(scope, call->first);
	struct formatting formatting = {
		.spec = spec, .scope = scope, .format = first, .argument = first->next,
		.kept = strlen(spec->format), .is_join = liner_is(call, "join"),
	};
	struct liner_node of_call = any;

	if (!call->first)
		return refuse(scope, call, "there is nothing to be printed");
	of_call.at = call->at;
	if (first->kind == LINER_MAP && !liner_is(call, "printf"))
		return refuse(scope, call, "a map is on the screen all the time: leave it out");
	if (first->kind != LINER_STRING) {
		formatting.format = &of_call;
		formatting.argument = call->first;
	}
	spec->has_print = true;
	if (spec->format[0] && !put_byte(&formatting, ' '))
		return liner_too_long(scope, call);
	return format(&formatting);
}

static bool write_value(const struct liner_listed *value, char *out)
{
	return liner_append(out, PROBE_SPEC_BYTES, " %s%s%s%s%s",
			    value->is_named ? value->name : "",
		      value->is_named ? "=" : "", value->text, value->type[0] ? ":" : "",
		      value->type);
}

/* Adds conversions to a format for values that only the condition needs: each value has one. */
static bool add_unprinted(const struct liner_spec *spec, char format[LINER_FORMAT_BYTES])
{
	bool fits = true;

	for (uint32_t i = 0; i < spec->value_count && format[0]; i++)
		if (!spec->values[i].is_printed)
			fits = fits && liner_append(format, LINER_FORMAT_BYTES, " %s=%%s",
						    spec->values[i].name);
	return fits;
}

int liner_spec_write(const struct liner_spec *spec, const char *target,
		     char out[PROBE_SPEC_BYTES], struct liner_scope *scope)
{
	char format[LINER_FORMAT_BYTES];
	bool fits;

	strcpy(format, spec->format);
	trim(format);
	out[0] = '\0';
	fits = add_unprinted(spec, format) && liner_append(out, PROBE_SPEC_BYTES, "%s", target);
	for (int is_printed = 1; is_printed >= 0; is_printed--)
		for (uint32_t i = 0; i < spec->value_count; i++)
			if (spec->values[i].is_printed == is_printed)
				fits = fits && write_value(&spec->values[i], out);
	if (spec->condition[0])
		fits = fits && liner_append(out, PROBE_SPEC_BYTES, " if %s", spec->condition);
	if (spec->on[0])
		fits = fits && liner_append(out, PROBE_SPEC_BYTES, " on %s", spec->on);
	if (spec->keys[0])
		fits = fits && liner_append(out, PROBE_SPEC_BYTES, " by %s", spec->keys);
	if (spec->aggregates[0])
		fits = fits && liner_append(out, PROBE_SPEC_BYTES, " : %s", spec->aggregates);
	else if (format[0])
		fits = fits && liner_append(out, PROBE_SPEC_BYTES, " : print \"%s\"", format);
	for (const char *byte = out; *byte; byte++)
		if (iscntrl((unsigned char)*byte))
			return probe_column_refuse(scope->why, scope->clause->at,
						   "a control character in a text");
	return fits ? 0
		    : probe_column_refuse(scope->why, scope->clause->at, "that is too long for one "
					  "spec of %d bytes", PROBE_SPEC_BYTES - 1);
}
