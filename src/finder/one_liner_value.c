/* one_liner_value.c - see one_liner_value.h. */
#include "one_liner_value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_section.h"

#define REMARK_BYTES 240	/* a longer one is cut */

static const struct liner_node *node_of(const struct liner_scope *scope, uint32_t at)
{
	return &scope->tree->nodes[at];
}

void liner_note(char *note, size_t room, const char *format, ...)
{
	const size_t used = strlen(note);
	char text[REMARK_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!strstr(note, text) && used + strlen(text) + 3 <= room)
		snprintf(note + used, room - used, "%s%s", used ? "; " : "", text);
}

bool liner_is_aggregate(const struct liner_node *node)
{
	static const char *const names[] = { "count", "sum", "avg", "min", "max", "hist", "lhist",
					     "quantize", "stats" };

	for (size_t i = 0; node->kind == LINER_CALL && i < sizeof(names) / sizeof(names[0]); i++)
		if (liner_is(node, names[i]))
			return true;
	return false;
}

uint32_t liner_find_map(const struct liner_scope *scope, const struct liner_node *name)
{
	const struct liner_tree *tree = scope->tree;

	for (uint32_t at = scope->clause->body; at; at = tree->nodes[at].next) {
		const struct liner_node *node = &tree->nodes[at];
		const struct liner_node *to = &tree->nodes[node->first];

		if (node->kind == LINER_ASSIGN && to->kind == LINER_MAP && liner_is(node, "=") &&
		    !liner_is_aggregate(node_of(scope, node->second)) &&
		    to->bytes == name->bytes && !memcmp(to->text, name->text, name->bytes))
			return node->second;
	}
	return 0;
}

static uint32_t find_variable(const struct liner_scope *scope, const struct liner_node *name)
{
	for (size_t i = 0; i < scope->variable_count; i++) {
		const struct liner_node *known = node_of(scope, scope->variables[i].name);

		if (known->bytes == name->bytes && !memcmp(known->text, name->text, name->bytes))
			return scope->variables[i].value;
	}
	return 0;
}

uint32_t liner_follow(struct liner_scope **scope, uint32_t at)
{
	while (at && *(*scope)->steps) {
		const struct liner_node *node = node_of(*scope, at);

		--*(*scope)->steps;
		if (node->kind == LINER_VARIABLE) {
			at = find_variable(*scope, node);
		} else if (node->kind == LINER_MAP && (*scope)->begin &&
			   liner_find_map((*scope)->begin, node)) {
			*scope = (*scope)->begin;
			at = liner_find_map(*scope, node);
		} else {
			return at;
		}
	}
	return 0;
}

/* Reads decimal, hexadecimal, "1e6", "1_000" and "5ms". */
static bool read_number(const struct liner_node *node, int64_t *out)
{
	static const struct {
		const char *suffix;
		int64_t factor;
	} suffixes[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
			 { "u", 1 }, { "ul", 1 }, { "ull", 1 }, { "l", 1 }, { "ll", 1 } };
	char text[48];
	size_t used = 0;
	char *end, *power = NULL;
	unsigned long long value;

	if (node->bytes >= sizeof(text))
		return false;
	for (size_t i = 0; i < node->bytes; i++)
		if (node->text[i] != '_')
			text[used++] = (char)tolower((unsigned char)node->text[i]);
	text[used] = '\0';
	if (probe_section_number(text, &value) && value <= INT64_MAX) {
		*out = (int64_t)value;
		return true;
	}
	end = text + strspn(text, "0123456789");
	if (*end == 'e')
		power = end + 1;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && !power; i++) {
		if (strcmp(end, suffixes[i].suffix) != 0)
			continue;
		*end = '\0';
		return probe_section_number(text, &value) && value < INT32_MAX &&
		       !__builtin_mul_overflow((int64_t)value, suffixes[i].factor, out);
	}
	if (!power || !isdigit((unsigned char)*power) || strlen(power) > 2)
		return false;
	*end = '\0';
	if (!probe_section_number(text, &value) || value > INT32_MAX)
		return false;
	*out = (int64_t)value;
	for (int i = (int)strtol(power, NULL, 10); i > 0; i--)
		if (__builtin_mul_overflow(*out, 10, out))
			return false;
	return true;
}

static bool compute(const struct liner_node *sign, int64_t a, int64_t b, int64_t *out)
{
	if (liner_is(sign, "+"))
		return !__builtin_add_overflow(a, b, out);
	if (liner_is(sign, "-"))
		return !__builtin_sub_overflow(a, b, out);
	if (liner_is(sign, "*"))
		return !__builtin_mul_overflow(a, b, out);
	if (liner_is(sign, "/") && b > 0)
		*out = a / b;
	else if (liner_is(sign, "%") && b > 0)
		*out = a % b;
	else if (liner_is(sign, "<<") && a >= 0 && a <= INT32_MAX && b >= 0 && b < 32)
		*out = a << b;
	else if (liner_is(sign, ">>") && a >= 0 && b >= 0 && b < 63)
		*out = a >> b;
	else if (liner_is(sign, "|"))
		*out = a | b;
	else if (liner_is(sign, "&"))
		*out = a & b;
	else
		return false;
	return true;
}

bool liner_constant(struct liner_scope *scope, uint32_t at, int64_t *out)
{
	const struct liner_node *node;
	int64_t a, b;

	at = liner_follow(&scope, at);
	node = node_of(scope, at);
	if (!at)
		return false;
	switch (node->kind) {
	case LINER_NUMBER:
		return read_number(node, out);
	case LINER_NAME:
		*out = liner_is(node, "AF_INET6") ? 10 : liner_is(node, "AF_INET") ? 2 : 0;
		return *out || liner_is(node, "TASK_RUNNING") || liner_is(node, "NULL") ||
		       liner_is(node, "false");
	case LINER_CAST:
		return liner_constant(scope, node->first, out);
	case LINER_UNARY:
		if (!liner_constant(scope, node->first, &a))
			return false;
		*out = liner_is(node, "-") ? -a : ~a;
		return liner_is(node, "~") || (liner_is(node, "-") && a != INT64_MIN);
	case LINER_BINARY:
		return liner_constant(scope, node->first, &a) &&
		       liner_constant(scope, node->second, &b) && compute(node, a, b, out);
	default:
		return false;
	}
}

static bool is_name(struct liner_scope *scope, uint32_t at, const char *name)
{
	const uint32_t found = liner_follow(&scope, at);

	return found && node_of(scope, found)->kind == LINER_NAME &&
	       liner_is(node_of(scope, found), name);
}

/* True: now less the time that the first block stored. */
static bool is_difference(struct liner_scope *scope, const struct liner_node *node)
{
	struct liner_scope *then = scope;
	const uint32_t stored = liner_follow(&then, node->second);

	return scope->begin && node->kind == LINER_BINARY && liner_is(node, "-") &&
	       is_name(scope, node->first, "nsecs") && stored && then == scope->begin &&
	       is_name(then, stored, "nsecs");
}

static const struct {
	const char *name;
	int64_t ns;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

#define UNITS (sizeof(units) / sizeof(units[0]))

int64_t liner_unit_ns(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 1;
}

/* Returns the unit of a time in @unit that was divided by @by; NULL: it is none. */
static const char *unit_of(const char *unit, int64_t by)
{
	for (size_t i = 0; i < UNITS; i++)
		if (by > 0 && by <= units[UNITS - 1].ns && units[i].ns == liner_unit_ns(unit) * by)
			return units[i].name;
	return NULL;
}

/* Finds the latency, or its quotient that makes another unit. */
static bool find_latency(struct liner_scope *scope, uint32_t at, const char **unit)
{
	struct liner_scope *inner = scope;
	const uint32_t found = liner_follow(&inner, at);
	const struct liner_node *node = node_of(inner, found);
	int64_t by;

	if (!found)
		return false;
	if (node->kind == LINER_CAST)
		return find_latency(inner, node->first, unit);
	*unit = "ns";
	if (is_difference(inner, node))
		return true;
	if (node->kind != LINER_BINARY || !liner_is(node, "/") ||
	    !find_latency(inner, node->first, unit) || !liner_constant(inner, node->second, &by))
		return false;
	*unit = unit_of(*unit, by);
	return *unit != NULL;
}

bool liner_is_time(struct liner_scope *scope, uint32_t at)
{
	const char *unit;
	const struct liner_node *node;
	int64_t number;

	if (find_latency(scope, at, &unit) || liner_constant(scope, at, &number))
		return true;
	at = liner_follow(&scope, at);
	node = node_of(scope, at);
	if (!at)
		return false;
	if (node->kind == LINER_NAME)
		return liner_is(node, "nsecs") || liner_is(node, "elapsed");
	if (node->kind == LINER_CAST)
		return liner_is_time(scope, node->first);
	return node->kind == LINER_BINARY && liner_is_time(scope, node->first) &&
	       liner_is_time(scope, node->second);
}

bool liner_is_begun(struct liner_scope *scope, uint32_t at)
{
	const struct liner_node *node = node_of(scope, at);
	int64_t number;

	if (!scope->begin || !at)
		return false;
	if (node->kind == LINER_VARIABLE)
		return liner_is_begun(scope, find_variable(scope, node));
	if (node->kind == LINER_MAP)
		return liner_find_map(scope->begin, node) != 0;
	if (node->kind != LINER_BINARY)
		return false;
	if (liner_is(node, "&&"))
		return liner_is_begun(scope, node->first) && liner_is_begun(scope, node->second);
	return (liner_is(node, "!=") || liner_is(node, ">")) &&
	       liner_is_begun(scope, node->first) &&
	       ((liner_constant(scope, node->second, &number) && !number) ||
		(node_of(scope, node->second)->kind == LINER_STRING &&
		 !node_of(scope, node->second)->bytes) ||
		liner_is(node_of(scope, node->second), "\"\""));
}

int liner_refuse(struct diag *why, const struct liner_node *node, const char *sentence)
{
	if (!isalnum((unsigned char)node->text[0]) && !strchr("@$", node->text[0]))
		return probe_column_refuse(why, node->at, "%s", sentence);	/* a sign */
	return probe_column_refuse(why, node->at, "%.*s: %s",
				   (int)(node->bytes < 60 ? node->bytes : 60), node->text,
				   sentence);
}

static int refuse(const struct liner_scope *scope, const struct liner_node *node,
		  const char *sentence)
{
	return liner_refuse(scope->why, node, sentence);
}

/* True: @node's block is entered at the return, where arguments are gone. */
static bool is_return(const struct liner_scope *scope)
{
	return scope->point.edge == PROBE_RETURN;
}

/* Takes words that every hit has. False: it is none. */
static bool find_builtin(const struct liner_node *node, struct liner_value *out)
{
	static const char *const words[][2] = {
		{ "comm", "comm" }, { "execname", "comm" }, { "pid", "pid" }, { "tid", "tid" },
		{ "kpid", "tid" }, { "uid", "uid" }, { "username", "uid" }, { "cpu", "cpu" },
		{ "cgroup", "cgroup" }, { "func", "func" }, { "probe", "func" },
		{ "caller", "func" }, { "kstack", "kstack" }, { "stack", "kstack" },
		{ "ustack", "ustack" }, { "nsecs", "time" }, { "elapsed", "time" },
		{ "time", "time" }, { "ppid", "ppid" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!liner_is(node, words[i][0]))
			continue;
		out->kind = LINER_BUILTIN;
		snprintf(out->text, sizeof(out->text), "%s", words[i][1]);
		return true;
	}
	return false;
}

static int find_argument(struct liner_scope *scope, const struct liner_node *node,
			 struct liner_value *out)
{
	unsigned int number = 0;

	for (size_t i = 3; i < node->bytes && number < 100; i++)
		number = number * 10 + (unsigned int)(node->text[i] - '0');
	if (scope->point.kind == PROBE_TRACEPOINT)
		return refuse(scope, node, "a tracepoint has fields: args.NAME");
	if (is_return(scope))
		return refuse(scope, node, "at the return the arguments are gone: store it at the "
			      "entry, or lat: brings what was there");
	if (number > 30)
		return refuse(scope, node, "there are arg0 to arg30");
	out->kind = LINER_FETCHED;
	snprintf(out->text, sizeof(out->text), "$arg%u", number + 1);
	return 0;
}

static bool is_argument(const struct liner_node *node)
{
	if (node->bytes < 4 || memcmp(node->text, "arg", 3) != 0)
		return false;
	for (size_t i = 3; i < node->bytes; i++)
		if (!isdigit((unsigned char)node->text[i]))
			return false;
	return true;
}

static int find_return(struct liner_scope *scope, const struct liner_node *node,
		       struct liner_value *out)
{
	if (scope->point.kind == PROBE_TRACEPOINT)
		return refuse(scope, node, "a tracepoint has fields: sys_exit_* has args.ret");
	if (!is_return(scope))
		return refuse(scope, node, "it is known at the return: kretprobe or uretprobe");
	out->kind = LINER_FETCHED;
	snprintf(out->text, sizeof(out->text), "$retval");
	return 0;
}

static int find_name(struct liner_scope *scope, const struct liner_node *node,
		     struct liner_value *out)
{
	if (find_builtin(node, out))
		return 0;
	if (is_argument(node))
		return find_argument(scope, node, out);
	if (liner_is(node, "retval"))
		return find_return(scope, node, out);
	if (liner_is(node, "gid"))
		return refuse(scope, node, "hits have no group; by uid counts by user");
	if (liner_is(node, "curtask"))
		return refuse(scope, node, "of the task a hit has comm, pid, ppid, tid, uid and "
			      "cgroup");
	if (liner_is(node, "rand"))
		return refuse(scope, node, "a random number is no value of a hit");
	if (!memcmp(node->text, "sarg", node->bytes < 4 ? node->bytes : 4))
		return refuse(scope, node, "an argument on the stack is +8(%sp), +16(%sp) and so "
			      "on, at the entry on x86-64");
	if (isupper((unsigned char)node->text[0]))
		return refuse(scope, node, "a constant of the kernel's headers is not known here: "
			      "write its number");
	return refuse(scope, node, "it is no value of a hit: there are comm, pid, tid, uid, cpu, "
		      "func, kstack, ustack, retval, arg0 .., args.NAME");
}

static int find_path(struct liner_scope *scope, uint32_t at, struct liner_value *out);

/* Notes that memory is read by a pointer of the first block: it may change until the second. */
static void note_memory(const struct liner_scope *scope, const struct liner_value *value)
{
	if (scope->begin && value->scope == scope->begin)
		liner_note(scope->note, scope->note_bytes,
			   "memory at a stored pointer is read when it is stored");
}

/* Appends to a path. */
static int append(struct liner_scope *scope, const struct liner_node *node, struct liner_value *out,
		  const char *between, const char *text, size_t bytes)
{
	const size_t used = strlen(out->text);
	const int more = snprintf(out->text + used, sizeof(out->text) - used, "%s%.*s", between,
				  (int)bytes, text);

	if (more < 0 || (size_t)more >= sizeof(out->text) - used)
		return refuse(scope, node, "a value that is too long for a spec");
	return 0;
}

/* Finds curtask->real_parent->pid. */
static bool find_parent(struct liner_scope *scope, const struct liner_node *node,
			struct liner_value *out)
{
	struct liner_scope *inner = scope;
	const struct liner_node *parent = node_of(scope, liner_follow(&inner, node->first));
	uint32_t task;

	if (parent->kind != LINER_MEMBER ||
	    (!liner_is(parent, "real_parent") && !liner_is(parent, "parent")) ||
	    (!liner_is(node, "pid") && !liner_is(node, "tgid")))
		return false;
	task = liner_follow(&inner, parent->first);
	while (task && node_of(inner, task)->kind == LINER_CAST)
		task = liner_follow(&inner, node_of(inner, task)->first);
	if (!task || !liner_is(node_of(inner, task), "curtask"))
		return false;
	out->kind = LINER_BUILTIN;
	snprintf(out->text, sizeof(out->text), "ppid");
	return true;
}

/* True: the node is the structure of a probe's arguments: args, in ply data. */
static bool is_arguments(const struct liner_node *node)
{
	return node->kind == LINER_NAME && (liner_is(node, "args") || liner_is(node, "data"));
}

/* Finds args.NAME. */
static int find_field(struct liner_scope *scope, const struct liner_node *node,
		      struct liner_value *out)
{
	if (is_return(scope) && !scope->point.is_typed)
		return refuse(scope, node, "at the return the arguments are gone: kretfunc, or "
			      "lat: in a spec, brings what was there at the entry");
	if (is_return(scope))
		scope->needs_entry = true;
	if (is_return(scope) && liner_is(node, "retval"))
		return find_return(scope, node, out);
	out->kind = LINER_FETCHED;
	out->text[0] = '\0';
	return append(scope, node, out, "", node->text, node->bytes);
}

static int find_member(struct liner_scope *scope, const struct liner_node *node,
		       struct liner_value *out)
{
	struct liner_scope *inner = scope;
	const uint32_t base = liner_follow(&inner, node->first);
	int err;

	if (base && is_arguments(node_of(inner, base)))
		return find_field(inner, node, out);
	if (find_parent(scope, node, out))
		return 0;
	err = find_path(scope, node->first, out);
	if (!err && scope->point.kind == PROBE_TRACEPOINT)
		err = refuse(scope, node, "a tracepoint's record has what its fields are, not what "
			     "they point to");
	note_memory(scope, out);
	return err ? err : append(scope, node, out, node->is_arrow ? "->" : ".", node->text,
				  node->bytes);
}

static int find_index(struct liner_scope *scope, const struct liner_node *node,
		      struct liner_value *out)
{
	int64_t index;
	char text[32];
	int err = find_path(scope, node->first, out);

	if (!err && !liner_constant(scope, node->second, &index))
		err = refuse(scope, node, "an index is a number");
	if (err)
		return err;
	snprintf(text, sizeof(text), "[%" PRId64 "]", index);
	return append(scope, node, out, "", text, strlen(text));
}

/* Returns the type of a spec for a cast to a number; NULL: it is to a pointer or a structure. */
static const char *type_of(const struct liner_node *cast)
{
	static const char *const types[][2] = {
		{ "uint8", "u8" }, { "uint16", "u16" }, { "uint32", "u32" }, { "uint64", "u64" },
		{ "int8", "s8" }, { "int16", "s16" }, { "int32", "s32" }, { "int64", "s64" },
		{ "uint8_t", "u8" }, { "uint16_t", "u16" }, { "uint32_t", "u32" },
		{ "uint64_t", "u64" }, { "int8_t", "s8" }, { "int16_t", "s16" },
		{ "int32_t", "s32" }, { "int64_t", "s64" }, { "u8", "u8" }, { "u16", "u16" },
		{ "u32", "u32" }, { "u64", "u64" }, { "s8", "s8" }, { "s16", "s16" },
		{ "s32", "s32" }, { "s64", "s64" }, { "int", "s32" }, { "unsigned int", "u32" },
		{ "unsigned", "u32" }, { "char", "s8" }, { "unsigned char", "u8" },
		{ "short", "s16" }, { "unsigned short", "u16" }, { "long", "s64" },
		{ "unsigned long", "u64" }, { "size_t", "u64" }, { "bool", "u8" },
	};
	size_t bytes = cast->bytes;

	while (bytes && (cast->text[bytes - 1] == ' ' || cast->text[bytes - 1] == '*'))
		bytes--;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (bytes == strlen(types[i][0]) && !memcmp(cast->text, types[i][0], bytes))
			return types[i][1];
	return NULL;
}

static bool is_pointer(const struct liner_node *cast)
{
	return memchr(cast->text, '*', cast->bytes) != NULL;
}

/* A cast of a pointer says what debug information knows. A second one to something else does
 * not. */
static int find_cast(struct liner_scope *scope, const struct liner_node *node,
		     struct liner_value *out)
{
	struct liner_scope *inner = scope;
	const struct liner_node *again = node_of(scope, liner_follow(&inner, node->first));
	int err = find_path(scope, node->first, out);

	if (!err && again->kind == LINER_CAST && is_pointer(again) &&
	    (again->bytes != node->bytes || memcmp(again->text, node->text, node->bytes) != 0))
		return refuse(scope, node, "a value has the type that debug information gives it: "
			      "it is no other structure");
	if (!err && !is_pointer(node) && type_of(node) && out->kind == LINER_FETCHED)
		snprintf(out->type, sizeof(out->type), "%s", type_of(node));
	return err;
}

/* Finds *X: the memory at X; *kaddr("x"): the variable x of the kernel. */
static int find_memory(struct liner_scope *scope, const struct liner_node *node,
		       struct liner_value *out)
{
	struct liner_scope *inner = scope;
	const uint32_t at = liner_follow(&inner, node->first);
	const struct liner_node *pointer = node_of(inner, at);
	char value[96];
	int err;

	if (at && pointer->kind == LINER_CALL && liner_is(pointer, "kaddr") && pointer->first) {
		const struct liner_node *name = node_of(inner, pointer->first);

		out->kind = LINER_FETCHED;
		return append(scope, node, out, "@", name->text + 1,
			      name->bytes > 2 ? name->bytes - 2 : 0);
	}
	err = find_path(scope, node->first, out);
	if (err)
		return err;
	if (out->kind != LINER_FETCHED || out->type[0])
		return refuse(scope, node, "it is no pointer");
	note_memory(scope, out);
	if (scope->point.kind == PROBE_TRACEPOINT)
		return refuse(scope, node, "a tracepoint's record has what its fields are, not "
			      "what they point to");
	strcpy(value, out->text);
	out->text[0] = '\0';
	err = append(scope, node, out, "+0(", value, strlen(value));
	if (!err)
		err = append(scope, node, out, ")", "", 0);
	if (!err && pointer->kind == LINER_CAST && type_of(pointer))
		snprintf(out->type, sizeof(out->type), "%s", type_of(pointer));
	return err;
}

static void set_type(struct liner_value *out, const char *type)
{
	snprintf(out->type, sizeof(out->type), "%s", type);
}

/* In the kernel the two kinds of text differ by what they point to: of system calls it is memory of
 * the process. */
static void set_text_type(const struct liner_scope *scope, struct liner_value *out)
{
	const struct liner_point *point = &scope->point;

	if (point->kind != PROBE_TRACEPOINT)
		set_type(out, point->kind == PROBE_KERNEL && (strstr(point->name, "sys_") ||
							      strstr(point->name, "getname"))
				      ? "ustring" : "string");
	else if (!strcmp(point->group, "syscalls"))
		set_type(out, "ustring");
}

static bool has_family_6(struct liner_scope *scope, const struct liner_node *call)
{
	const struct liner_node *first = node_of(scope, call->first);
	int64_t family;

	return first->next && liner_constant(scope, call->first, &family) && family == 10;
}

/* Finds ntop(x), ntop(AF_INET6, x). */
static int find_address(struct liner_scope *scope, const struct liner_node *node,
			struct liner_value *out)
{
	const uint32_t second = node_of(scope, node->first)->next;
	int err = find_path(scope, second ? second : node->first, out);

	if (!err && out->kind != LINER_FETCHED)
		err = refuse(scope, node, "an address is needed");
	if (!err)
		set_type(out, has_family_6(scope, node) || (!second && strstr(out->text, "v6"))
				      ? "ipv6" : "ipv4");
	return err;
}

static int find_stack(struct liner_scope *scope, const struct liner_node *node,
		      struct liner_value *out)
{
	out->kind = LINER_BUILTIN;
	snprintf(out->text, sizeof(out->text), "%.*s", (int)node->bytes, node->text);
	liner_note(scope->note, scope->note_bytes,
		   "stacks are whole: %.*s(...) cut them", (int)node->bytes,
		   node->text);
	return 0;
}

static int find_swapped(struct liner_scope *scope, const struct liner_node *node,
			struct liner_value *out)
{
	int err = find_path(scope, node->first, out);

	if (!err && !strstr(out->text, "port"))
		err = refuse(scope, node, "only ports are turned: :port");
	if (!err)
		set_type(out, "port");
	return err;
}

static int find_register(struct liner_scope *scope, const struct liner_node *node,
			 struct liner_value *out)
{
	const struct liner_node *name = node_of(scope, node->first);

	if (name->kind != LINER_STRING || name->bytes < 3)
		return refuse(scope, node, "the name of a register is needed: reg(\"di\")");
	out->kind = LINER_FETCHED;
	return append(scope, node, out, "%", name->text + 1, name->bytes - 2);
}

static int refuse_call(const struct liner_scope *scope, const struct liner_node *node)
{
	static const char *const reasons[][2] = {
		{ "cgroupid", "a condition has no cgroup; by cgroup counts by it" },
		{ "buf", "bytes of a length that is known at the hit have no type; :u8[64] has 64 "
			 "of them" },
		{ "kaddr", "the address of a variable is none of a hit; *kaddr(\"x\") is @x" },
		{ "uaddr", "a global of a program is found by its name, as in u:FILE:FUNC x" },
		{ "strftime", "each hit has its time; the table is of the last seconds" },
		{ "sizeof", "a constant of the kernel's headers is not known here: write its "
			    "number" },
		{ "strncmp", "write comm ~ \"NAME*\" in a spec; here a filter strncmp(x, \"NAME\", "
			     "4) == 0" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (liner_is(node, reasons[i][0]))
			return refuse(scope, node, reasons[i][1]);
	return refuse(scope, node, "the function has no counterpart in a spec");
}

static int find_call(struct liner_scope *scope, const struct liner_node *node,
		     struct liner_value *out)
{
	static const char *const typed[][2] = {
		{ "ksym", "symbol" }, { "usym", "symbol" }, { "sym", "symbol" },
		{ "func", "symbol" }, { "macaddr", "mac" }, { "strerror", "errno" },
	};
	int err;

	if (liner_is(node, "kstack") || liner_is(node, "ustack"))
		return find_stack(scope, node, out);
	if (!node->first)
		return refuse_call(scope, node);
	if (liner_is(node, "ntop"))
		return find_address(scope, node, out);
	if (liner_is(node, "bswap"))
		return find_swapped(scope, node, out);
	if (liner_is(node, "reg"))
		return find_register(scope, node, out);
	if (liner_is(node, "str")) {
		struct liner_scope *inner = scope;

		err = find_path(scope, node->first, out);
		(void)liner_follow(&inner, node->first);
		if (!err && out->kind == LINER_FETCHED) {
			set_text_type(inner, out);
			note_memory(scope, out);
		}
		return err;
	}
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		if (!liner_is(node, typed[i][0]))
			continue;
		err = find_path(scope, node->first, out);
		if (!err && out->kind == LINER_FETCHED)
			set_type(out, typed[i][1]);
		return err;
	}
	return refuse_call(scope, node);
}

static int refuse_other(const struct liner_scope *scope, const struct liner_node *node)
{
	if (node->kind == LINER_POSITIONAL)
		return refuse(scope, node, "an argument of the program: write what it is");
	if (node->kind == LINER_MAP)
		return refuse(scope, node, "a spec reads no map, but what a block before it stored "
			      "by thread or by the same fields");
	if (node->kind == LINER_TERNARY)
		return refuse(scope, node, "a choice has no counterpart in a spec: take the value "
			      "itself");
	if (node->kind == LINER_VARIABLE)
		return refuse(scope, node, "the variable is not set, or more than once");
	return refuse(scope, node, "a value is needed here, without arithmetic");
}

/* Finds a value that is no arithmetic. */
static int find_path(struct liner_scope *scope, uint32_t at, struct liner_value *out)
{
	const struct liner_node *typed = node_of(scope, at);
	const struct liner_node *node;

	at = liner_follow(&scope, at);
	if (!at)
		return refuse_other(scope, typed);
	node = node_of(scope, at);
	out->node = node;
	out->scope = scope;
	switch (node->kind) {
	case LINER_STRING:
		out->kind = LINER_LITERAL;
		return 0;
	case LINER_NAME:
		return find_name(scope, node, out);
	case LINER_MEMBER:
		return find_member(scope, node, out);
	case LINER_INDEX:
		return find_index(scope, node, out);
	case LINER_CAST:
		return find_cast(scope, node, out);
	case LINER_CALL:
		return find_call(scope, node, out);
	case LINER_UNARY:
		if (liner_is(node, "*"))
			return find_memory(scope, node, out);
		if (liner_is(node, "&"))
			return refuse(scope, node, "a spec has values, no addresses of them");
		return refuse_other(scope, node);
	default:
		return refuse_other(scope, node);
	}
}

/* Refuses what the hit of a latency has from where it begins, in the block where it ends. */
static int check_task(const struct liner_scope *scope, const struct liner_node *node,
		      const struct liner_value *value)
{
	const bool is_stack = !strcmp(value->text, "kstack") || !strcmp(value->text, "ustack");

	if (value->kind != LINER_BUILTIN || !strcmp(value->text, "time") ||
	    !strcmp(value->text, "func"))
		return 0;
	if (is_stack && scope->is_of_another_stack)
		return refuse(scope, node, "a latency has the stack of where it begins: store it "
			      "there");
	if (!is_stack && scope->is_of_another_task)
		return refuse(scope, node, "a latency that is joined by fields has the task of "
			      "where it begins: store it there");
	return 0;
}

int liner_value_find(struct liner_scope *scope, uint32_t at, struct liner_value *out)
{
	struct liner_scope *inner = scope;
	const uint32_t found = liner_follow(&inner, at);
	const struct liner_node *node = node_of(inner, found);
	int err;

	*out = (struct liner_value){ .node = node, .scope = inner };
	if (find_latency(scope, at, &out->unit)) {
		out->kind = LINER_LATENCY;
		return 0;
	}
	if (liner_constant(scope, at, &out->number)) {
		out->kind = LINER_CONSTANT;
		return 0;
	}
	if (found && (node->kind == LINER_BINARY ||
		      (node->kind == LINER_UNARY && liner_is(node, "-")))) {
		out->kind = LINER_ARITHMETIC;
		return 0;
	}
	err = find_path(scope, at, out);
	return err ? err : check_task(inner, node, out);
}
