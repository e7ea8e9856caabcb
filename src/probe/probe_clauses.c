/* probe_clauses.c - see probe_clauses.h; aggregates are in probe_aggregate.c.
 *
 * Problem: values, conditions and keys may have any word in quotes or parentheses, and clauses
 * stand in any order.
 *
 * Idea: the words of the clauses are found first, between blanks and outside of quotes and
 * parentheses; then each clause is a text of its own. So "by" as a text in a condition is in
 * quotes, and as a value is args.by.
 */
#include "probe_clauses.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name_match.h"
#include "probe/probe_section.h"

static const struct {
	const char *word;
	enum probe_key_kind kind;
} key_words[] = {
	{ "comm", PROBE_KEY_COMM }, { "pid", PROBE_KEY_PID }, { "ppid", PROBE_KEY_PPID },
	{ "tid", PROBE_KEY_TID }, { "uid", PROBE_KEY_UID }, { "cpu", PROBE_KEY_CPU },
	{ "cgroup", PROBE_KEY_CGROUP }, { "unit", PROBE_KEY_UNIT },
	{ "container", PROBE_KEY_CONTAINER }, { "func", PROBE_KEY_FUNC },
	{ "stack", PROBE_KEY_STACK }, { "kstack", PROBE_KEY_KSTACK },
	{ "ustack", PROBE_KEY_USTACK },
};

static const char key_needed[] = "a key is needed: comm, pid, tid, cpu, func, stack, retval, a "
				 "value or norm(TEXT)";

/* Returns the clause that @text begins with, at the begin of a word; CLAUSES: it is none. */
static enum probe_clause clause_of(const char *text)
{
	static const char *const words[CLAUSES] = { "if", "on", "by", ":" };

	for (enum probe_clause clause = 0; clause < CLAUSES; clause++) {
		const size_t bytes = strlen(words[clause]);

		if (!strncmp(text, words[clause], bytes) &&
		    (!text[bytes] || isspace((unsigned char)text[bytes]) ||
		     (clause == CLAUSE_IF && text[bytes] == '(')))
			return clause;
	}
	return CLAUSES;
}

static int open_clause(struct probe_clauses *out, enum probe_clause clause, const char *line,
		       size_t at, struct diag *why)
{
	static const char *const once[CLAUSES] = {
		"there is a condition already: join two by and, or",
		"there is an on already: its fields are separated by commas",
		"there is a by already: its keys are separated by commas",
		"there are aggregates already: they are separated by commas",
	};

	if (out->words[clause])
		return probe_column_refuse(why, at, "%s", once[clause]);
	out->words[clause] = at;
	out->from[clause] = at + (line[at] == ':' ? 1 : 2);
	return 0;
}

int probe_clauses_find(struct probe_clauses *out, const char *line, size_t at, struct diag *why)
{
	const size_t point_end = at;
	enum probe_clause open = CLAUSES;
	bool in_quotes = false, is_begin = true;
	size_t depth = 0, from = 0;
	int err = 0;

	*out = (struct probe_clauses){ .head_bytes = 0 };
	for (;; at++) {
		const enum probe_clause next = is_begin && !in_quotes && !depth
						       ? clause_of(line + at) : CLAUSES;

		if (!line[at] || next != CLAUSES) {
			*(open == CLAUSES ? &out->head_bytes : &out->bytes[open]) = at - from;
			from = at;
			open = next;
		}
		if (!line[at])
			break;
		if (next != CLAUSES)
			err = open_clause(out, next, line, at, why);
		if (err)
			return err;
		is_begin = !in_quotes && isspace((unsigned char)line[at]);
		if (line[at] == '\\' && line[at + 1]) {
			at++;
			continue;
		}
		in_quotes ^= line[at] == '"';
		depth += !in_quotes && line[at] == '(';
		depth -= !in_quotes && line[at] == ')' && depth;
	}
	/* An escaped blank at the end of the point belongs to it. */
	while (out->head_bytes > point_end && isspace((unsigned char)line[out->head_bytes - 1]))
		out->head_bytes--;
	return 0;
}

static size_t skip_blanks(const char *line, size_t at)
{
	while (isspace((unsigned char)line[at]))
		at++;
	return at;
}

/* Reads a value by which two points are joined: a field, $arg1 or %di. */
static int parse_field(const char *line, size_t *at, char out[32], struct diag *why)
{
	const char *field = line + *at;
	const size_t sign = field[0] == '$' || field[0] == '%';
	size_t bytes = sign;

	while (isalnum((unsigned char)field[bytes]) || field[bytes] == '_')
		bytes++;
	if (bytes == sign || bytes >= sizeof(((struct probe_on *)NULL)->begin))
		return probe_column_refuse(why, *at, "a field is needed, as in on dev,sector or "
					   "on pid=next_pid");
	memcpy(out, field, bytes);
	out[bytes] = '\0';
	*at += bytes;
	return 0;
}

/* Returns the name of the field at @index: 0 for the first point. */
static char *name_at(struct probe_spec *spec, struct probe_on *on, uint32_t index)
{
	if (!index)
		return on->begin;
	return index <= spec->middle_count ? on->middles[index - 1] : on->end;
}

bool probe_on_is_same(const struct probe_spec *spec, const struct probe_on *on)
{
	bool is_same = !strcmp(on->begin, on->end);

	for (uint32_t i = 0; i < spec->middle_count; i++)
		is_same &= !strcmp(on->begin, on->middles[i]);
	return is_same;
}

static int refuse_names(const struct probe_spec *spec, size_t at, struct diag *why)
{
	return probe_column_refuse(why, at, "a field has one name at all of the %u points, or one "
				   "for each, as in on prev_pid=pid%s", spec->middle_count + 2,
				   spec->middle_count ? "=next_pid" : "");
}

/* Parses "FIELD", which has one name at all points, or "FIELD=FIELD", with one for each. */
static int parse_join(struct probe_spec *spec, const char *line, size_t *at, struct diag *why)
{
	struct probe_on *on = &spec->on[spec->on_count];
	uint32_t names = 1;

	if (spec->on_count == PROBE_ON_MAX)
		return probe_column_refuse(why, *at, "more than %d fields", PROBE_ON_MAX);
	if (parse_field(line, at, on->begin, why))
		return -EINVAL;
	spec->on_count++;
	for (; line[*at] == '='; names++) {
		if (names == spec->middle_count + 2)
			return refuse_names(spec, *at, why);
		++*at;
		if (parse_field(line, at, name_at(spec, on, names), why))
			return -EINVAL;
	}
	if (names > 1 && names < spec->middle_count + 2)
		return refuse_names(spec, *at, why);
	for (; names < spec->middle_count + 2; names++)
		strcpy(name_at(spec, on, names), on->begin);
	return 0;
}

int probe_joins_parse(struct probe_spec *spec, const char *line, size_t from, struct diag *why)
{
	const struct probe_on *first = &spec->on[0];
	size_t at = from;

	for (;; at++) {
		at = skip_blanks(line, at);
		if (parse_join(spec, line, &at, why))
			return -EINVAL;
		at = skip_blanks(line, at);
		if (line[at] != ',')
			break;
	}
	if (line[at])
		return probe_column_refuse(why, at, "a comma or the next clause is needed before "
					   "\"%.40s\": values stand before on", line + at);
	if (spec->on_count == 1 && !strcmp(first->begin, "tid") && probe_on_is_same(spec, first)) {
		memset(&spec->on[0], 0, sizeof(spec->on[0]));
		spec->on_count = 0;	/* the default */
	}
	return 0;
}

/* Tracepoints that are of another thread than the one that runs, with the field that says which, or
 * of a request that no thread has. */
static const struct {
	const char *group, *name, *begin, *end;
} foreign[] = {
	{ "sched", "sched_switch", "prev_pid", "next_pid" },
	{ "sched", "sched_waking", "pid", "pid" },
	{ "sched", "sched_wakeup", "pid", "pid" },
	{ "sched", "sched_wakeup_new", "pid", "pid" },
	{ "sched", "sched_migrate_task", "pid", "pid" },
	{ "block", "block_rq_insert", "dev,sector", "dev,sector" },
	{ "block", "block_rq_issue", "dev,sector", "dev,sector" },
	{ "block", "block_rq_complete", "dev,sector", "dev,sector" },
};

static int find_foreign(enum probe_kind kind, const char *group, const char *name)
{
	if (kind != PROBE_TRACEPOINT)
		return -1;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (!strcmp(foreign[i].group, group) && !strcmp(foreign[i].name, name))
			return (int)i;
	return -1;
}

/* A point of a spec, the first one, too. */
struct named_point {
	enum probe_kind kind;
	bool is_return;
	const char *file, *group, *function;
};

static struct named_point point_at(const struct probe_spec *spec, uint32_t index)
{
	const struct probe_end *end = index && index <= spec->middle_count
					      ? &spec->middles[index - 1] : &spec->end;

	if (!index)
		return (struct named_point){ spec->kind, spec->is_from_return, spec->file,
					     spec->group, spec->function };
	return (struct named_point){ end->kind, end->edge == PROBE_RETURN, end->file, end->group,
				     end->function };
}

static bool is_same_point(const struct named_point *a, const struct named_point *b)
{
	return a->kind == b->kind && a->is_return == b->is_return && !strcmp(a->file, b->file) &&
	       !strcmp(a->group, b->group) && !strcmp(a->function, b->function);
}

/* True: the points @a and @b are joined by the same fields. */
static bool have_same_names(struct probe_spec *spec, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < spec->on_count; i++)
		if (strcmp(name_at(spec, &spec->on[i], a), name_at(spec, &spec->on[i], b)) != 0)
			return false;
	return true;
}

/* Refuses stages with a point that stands there twice: one hit would be both. */
static int check_points(struct probe_spec *spec, size_t at, struct diag *why)
{
	for (uint32_t b = 1; spec->middle_count && b < spec->middle_count + 2; b++)
		for (uint32_t a = 0; a < b; a++) {
			const struct named_point first = point_at(spec, a);
			const struct named_point second = point_at(spec, b);

			if (is_same_point(&first, &second) && have_same_names(spec, a, b))
				return probe_column_refuse(why, at, "%s is both point %u and point "
							   "%u: join them by fields of different "
							   "names, or end the stages before it",
							   second.function, a + 1, b + 1);
		}
	return 0;
}

/* Writes the fields that join all points, "prev_pid=pid=next_pid". */
static void write_foreign(const struct probe_spec *spec, char *out, size_t room)
{
	size_t used = 0;
	bool is_same = true;

	for (uint32_t i = 0; i < spec->middle_count + 2 && used < room; i++) {
		const struct named_point point = point_at(spec, i);
		const int found = find_foreign(point.kind, point.group, point.function);
		const char *name = found < 0 ? "FIELD" : i ? foreign[found].end
							   : foreign[found].begin;

		is_same &= !i || (strlen(name) == strcspn(out, "=") &&
				  !strncmp(out, name, strlen(name)));
		used += (size_t)snprintf(out + used, room - used, "%s%s", i ? "=" : "", name);
	}
	if (is_same)
		out[strcspn(out, "=")] = '\0';
}

int probe_joins_check(struct probe_spec *spec, size_t at, struct diag *why)
{
	char fields[160] = "";

	if (!spec->end.function[0])
		return spec->on_count ? probe_column_refuse(why, at, "on joins two points: "
							    "lat:POINT->POINT on FIELD,...") : 0;
	for (uint32_t i = 0; !spec->on_count && i < spec->middle_count + 1; i++) {
		const struct named_point first = point_at(spec, i), second = point_at(spec, i + 1);
		const int from = find_foreign(first.kind, first.group, first.function);
		const int to = find_foreign(second.kind, second.group, second.function);

		if (from < 0 || to < 0 || strcmp(foreign[from].group, foreign[to].group) != 0)
			continue;
		write_foreign(spec, fields, sizeof(fields));
		return probe_column_refuse(why, at, "%s and %s are not of one thread: add on %s",
					   first.function, second.function, fields);
	}
	return check_points(spec, at, why);
}

int probe_key_word(const char *word, size_t bytes)
{
	for (size_t i = 0; i < sizeof(key_words) / sizeof(key_words[0]); i++)
		if (strlen(key_words[i].word) == bytes && !strncmp(word, key_words[i].word, bytes))
			return (int)key_words[i].kind;
	return -1;
}

/* Returns the length of "args." or "args->" at the begin of @word. */
static size_t measure_args(const char *word, size_t bytes)
{
	if (bytes > 5 && !strncmp(word, "args.", 5))
		return 5;
	return bytes > 6 && !strncmp(word, "args->", 6) ? 6 : 0;
}

static bool has_return(const struct probe_spec *spec)
{
	return spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER ||
	       (spec->end.function[0] &&
		(spec->end.kind == PROBE_KERNEL || spec->end.kind == PROBE_USER));
}

int probe_operand_parse(struct probe_spec *spec, const char *word, size_t bytes, size_t at,
			uint32_t *index, struct diag *why)
{
	const size_t prefix = measure_args(word, bytes);
	char value[PROBE_SPEC_BYTES];

	if (bytes >= sizeof(value))
		return probe_column_refuse(why, at, "a value of more than %zu bytes",
					   sizeof(value) - 1);
	snprintf(value, sizeof(value), "%.*s", (int)(bytes - prefix), word + prefix);
	if (!prefix && has_return(spec) && (!strcmp(value, "ret") || !strcmp(value, "retval")))
		strcpy(value, "$retval");
	return probe_argument_want(spec, value, at, index, why);
}

/* True: @name has another meaning than a value without "args.". */
static bool is_taken(const struct probe_spec *spec, const char *name)
{
	static const char *const words[] = { "if", "on", "by", "lat" };

	if (has_return(spec) && (!strcmp(name, "ret") || !strcmp(name, "retval")))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return true;
	return probe_key_word(name, strlen(name)) >= 0;
}

/* Returns the argument that was typed for the text that @masked masks; NULL: none was. */
static const struct probe_argument *unmasked(const struct probe_spec *spec,
					     const struct probe_argument *masked)
{
	for (uint32_t i = 0; i < spec->argument_count; i++) {
		const struct probe_argument *argument = &spec->arguments[i];

		if (!argument->is_masked && !argument->is_implied &&
		    !strcmp(argument->value, masked->value) &&
		    !strcmp(argument->type, masked->type) && !is_taken(spec, argument->name))
			return argument;
	}
	return NULL;
}

size_t probe_operand_write(const struct probe_spec *spec, uint32_t index, char *out, size_t room)
{
	const struct probe_argument *argument = &spec->arguments[index];
	const struct probe_argument *plain =
		argument->is_masked && argument->is_implied ? unmasked(spec, argument) : NULL;
	const bool is_returned = !strcmp(argument->value, "$retval");
	const char *value = argument->is_implied ? argument->value : argument->name;
	const bool is_bare = argument->is_implied && !argument->type[0] && !argument->is_masked;
	const bool needs_args = measure_args(value, strlen(value)) ||
				((!argument->is_implied || is_bare) && is_taken(spec, value) &&
				 !(is_returned && !strcmp(value, "ret")));

	if (plain)
		return (size_t)snprintf(out, room, "norm(%s)", plain->name);
	if (!argument->is_implied || is_bare)
		return (size_t)snprintf(out, room, "%s%s", needs_args ? "args." : "",
					is_returned && is_bare ? "retval" : value);
	return (size_t)snprintf(out, room, "%s%s%s%s%s%s", argument->is_masked ? "norm(" : "",
				needs_args ? "args." : "", value, argument->is_masked ? ")" : "",
				argument->type[0] ? ":" : "", argument->type);
}

size_t probe_value_name_write(const struct probe_spec *spec, const char *name, char *out,
			      size_t room)
{
	for (uint32_t i = 0; spec && i < spec->argument_count; i++) {
		const struct probe_argument *argument = &spec->arguments[i];

		if (argument->is_masked && argument->is_implied && !strcmp(argument->name, name))
			return probe_operand_write(spec, i, out, room);
	}
	return (size_t)snprintf(out, room, "%s", name);
}

bool probe_operand_is_text(const struct probe_argument *argument)
{
	static const char *const types[] = { "string", "ustring", "sockaddr", "uuid", "mac" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(argument->type, types[i]))
			return true;
	return argument->is_masked || strchr(argument->type, '[');
}

size_t probe_key_write(const struct probe_spec *spec, const struct probe_key *key, char *out,
		       size_t room)
{
	for (size_t i = 0; i < sizeof(key_words) / sizeof(key_words[0]); i++)
		if (key->kind == key_words[i].kind)
			return (size_t)snprintf(out, room, "%s", key_words[i].word);
	return probe_operand_write(spec, key->argument, out, room);
}

/* Returns the key's word nearest to the mistyped @word[@bytes], or NULL. */
static const char *near_key(const char *word, size_t bytes)
{
	struct near_name near;
	char typed[32];

	snprintf(typed, sizeof(typed), "%.*s", (int)bytes, word);
	if (bytes >= sizeof(typed))
		return NULL;
	near_name_start(&near, typed);
	for (size_t i = 0; i < sizeof(key_words) / sizeof(key_words[0]); i++)
		near_name_try(&near, key_words[i].word);
	near_name_try(&near, "retval");
	return near.nearest;
}

/* Parses the key @word[@bytes]. A point that has no such value may have had a key in mind. */
static int parse_key(struct probe_spec *spec, const char *word, size_t bytes, size_t at,
		     struct probe_key *out, struct diag *why)
{
	const int kind = probe_key_word(word, bytes);
	const char *near;
	int err;

	*out = (struct probe_key){ .kind = kind < 0 ? PROBE_KEY_VALUE : (enum probe_key_kind)kind };
	if (kind >= 0)
		return 0;
	err = probe_operand_parse(spec, word, bytes, at, &out->argument, why);
	near = err ? near_key(word, bytes) : NULL;
	return near ? probe_column_refuse(why, at, "there is no key \"%.*s\": did you mean %s?",
					  (int)bytes, word, near) : err;
}

static bool has_key(const struct probe_spec *spec, const struct probe_key *key)
{
	for (uint32_t i = 0; i < spec->key_count; i++)
		if (spec->keys[i].kind == key->kind && spec->keys[i].argument == key->argument)
			return true;
	return false;
}

/* Measures a key: up to a comma outside of parentheses and brackets, or to the end. */
static size_t measure_key(const char *text)
{
	size_t bytes = 0, depth = 0;

	for (; text[bytes] && (depth || text[bytes] != ','); bytes++) {
		depth += text[bytes] == '(' || text[bytes] == '[';
		depth -= (text[bytes] == ')' || text[bytes] == ']') && depth;
	}
	return bytes;
}

static size_t trim(const char *line, size_t from, size_t end)
{
	while (end > from && isspace((unsigned char)line[end - 1]))
		end--;
	return end - from;
}

int probe_keys_parse(struct probe_spec *spec, const char *line, size_t from, struct diag *why)
{
	for (size_t at = from;; at++) {
		struct probe_key key;
		size_t bytes, used;
		int err;

		at = skip_blanks(line, at);
		bytes = measure_key(line + at);
		used = trim(line, at, at + bytes);
		if (!used)
			return probe_column_refuse(why, at, key_needed);
		for (size_t i = 0; i < used; i++)
			if (isspace((unsigned char)line[at + i]))
				return probe_column_refuse(why, at + i, "a comma or the next "
							   "clause is needed: values stand before "
							   "by");
		if (spec->key_count == PROBE_KEYS_MAX)
			return probe_column_refuse(why, at, "more than %d keys", PROBE_KEYS_MAX);
		err = parse_key(spec, line + at, used, at, &key, why);
		if (!err && has_key(spec, &key))
			err = probe_column_refuse(why, at, "the key %.*s is given twice",
						  (int)used, line + at);
		if (err)
			return err;
		spec->keys[spec->key_count++] = key;
		at += bytes;
		if (!line[at])
			return 0;
	}
}
