/* one_liner.c - see finder/one_liner.h.
 *
 * Idea: each block of a program is a spec, or several if it fills maps with different keys. A
 * block that reads a map which another one sets ends a latency: its spec is that of the two, and
 * the block that sets it has none. Everything else that a block does is refused, not left out.
 */
#include "finder/one_liner.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_liner_point.h"
#include "one_liner_spec.h"
#include "one_liner_syntax.h"
#include "one_liner_value.h"
#include "probe/probe_section.h"

#define CONDITIONS_MAX 8	/* ifs in each other */
#define MAPS_MAX       PROBE_AGGREGATES_MAX
#define DEPTH_MAX      64	/* as the parser's */

/* An if around a statement. */
struct condition {
	uint32_t at;		/* its node */
	uint32_t is_opposite;	/* 1: the statement is that of its else */
};

/* One spec of a block: it counts by the same keys under the same conditions, or prints. */
struct group {
	struct liner_spec spec;
	const struct liner_node *maps[MAPS_MAX];	/* those that it fills */
	uint32_t map_count;
	struct condition conditions[CONDITIONS_MAX];
	uint32_t condition_count;
	char keys[LINER_PART_BYTES];
	bool is_print;
};

struct translation {
	struct liner_tree tree;
	struct liner_scope scopes[LINER_CLAUSES_MAX];
	struct liner_point points[LINER_POINTS_MAX];	/* parsed ones, as tree.points */
	struct group groups[ONE_LINER_SPECS_MAX];	/* one block's, while it is translated */
	uint32_t group_count;
	uint32_t steps;
	struct probe_spec parsed;	/* while a spec is checked */
	struct one_liner *out;
	struct diag *why;
};

typedef bool node_visit(void *context, uint32_t at);

static const struct liner_node *node_of(const struct translation *translation, uint32_t at)
{
	return &translation->tree.nodes[at];
}

static int refuse(struct translation *translation, size_t at, const char *sentence)
{
	return probe_column_refuse(translation->why, at, "%s", sentence);
}

static int refuse_node(struct translation *translation, const struct liner_node *node,
		       const char *sentence)
{
	return liner_refuse(translation->why, node, sentence);
}

static bool is_probe(const struct translation *translation, const struct liner_clause *clause)
{
	return liner_point_use(&translation->tree, &translation->tree.points[clause->point]) ==
	       USE_PROBE;
}

static bool is_same_text(const struct liner_node *a, const struct liner_node *b)
{
	return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

/* True: the two are written alike. */
static bool is_same(const struct liner_tree *tree, uint32_t a, uint32_t b, unsigned int depth)
{
	const struct liner_node *x = &tree->nodes[a], *y = &tree->nodes[b];

	if (!a || !b || depth == DEPTH_MAX)
		return a == b;
	return x->kind == y->kind && is_same_text(x, y) &&
	       is_same(tree, x->first, y->first, depth + 1) &&
	       is_same(tree, x->second, y->second, depth + 1) &&
	       is_same(tree, x->next, y->next, depth + 1);
}

static bool is_map_call(const struct liner_node *node)
{
	return node->kind == LINER_CALL && (liner_is(node, "delete") || liner_is(node, "clear") ||
					    liner_is(node, "zero") || liner_is(node, "print"));
}

/* Calls @visit for @at, what is in it and what follows it, until one call returns true. Maps that
 * are set or deleted are left out; @depth bounds the recursion. */
static bool walk(const struct liner_tree *tree, uint32_t at, unsigned int depth, node_visit *visit,
		 void *context)
{
	for (; at && depth < DEPTH_MAX; at = tree->nodes[at].next) {
		const struct liner_node *node = &tree->nodes[at];
		const struct liner_node *first = &tree->nodes[node->first];
		const bool is_target = (node->kind == LINER_ASSIGN ||
					node->kind == LINER_INCREMENT || is_map_call(node)) &&
				       first->kind == LINER_MAP;

		if (visit(context, at) ||
		    walk(tree, is_target ? first->first : node->first, depth + 1, visit, context) ||
		    walk(tree, node->second, depth + 1, visit, context) ||
		    walk(tree, node->third, depth + 1, visit, context))
			return true;
	}
	return false;
}

static bool walk_clause(const struct translation *translation, const struct liner_clause *clause,
			node_visit *visit, void *context)
{
	return walk(&translation->tree, clause->filter, 0, visit, context) ||
	       walk(&translation->tree, clause->body, 0, visit, context);
}

/* Returns the statement of the block that sets the map @name; 0: none does. */
static uint32_t find_store(const struct translation *translation, const struct liner_clause *clause,
			   const struct liner_node *name)
{
	for (uint32_t at = clause->body; at; at = node_of(translation, at)->next) {
		const struct liner_node *node = node_of(translation, at);
		const struct liner_node *to = node_of(translation, node->first);

		if (node->kind == LINER_ASSIGN && to->kind == LINER_MAP && liner_is(node, "=") &&
		    !liner_is_aggregate(node_of(translation, node->second)) &&
		    is_same_text(to, name))
			return at;
	}
	return 0;
}

/* A search for maps that one block reads. */
struct reads {
	struct translation *translation;
	const struct liner_clause *of;	/* block that has to set them */
	const struct liner_node *name;	/* the only map that counts; NULL: any */
	uint32_t found, store;
};

static bool visit_read(void *context, uint32_t at)
{
	struct reads *reads = context;
	const struct liner_node *node = node_of(reads->translation, at);

	if (node->kind != LINER_MAP || (reads->name && !is_same_text(reads->name, node)))
		return false;
	reads->found = at;
	reads->store = reads->of ? find_store(reads->translation, reads->of, node) : 0;
	return !reads->of || reads->store;
}

/* Finds a map that @clause reads and @begin sets. Returns its node, and in *@store where it is set;
 * 0: none. */
static uint32_t find_read(struct translation *translation, const struct liner_clause *clause,
			  const struct liner_clause *begin, uint32_t *store)
{
	struct reads reads = { .translation = translation, .of = begin };

	if (!walk_clause(translation, clause, visit_read, &reads))
		return 0;
	*store = reads.store;
	return reads.found;
}

/* True: another block reads the map that @clause sets. */
static bool is_read_elsewhere(struct translation *translation, const struct liner_clause *clause,
			      const struct liner_node *name)
{
	const struct liner_tree *tree = &translation->tree;
	struct reads reads = { .translation = translation, .name = name };

	for (uint32_t i = 0; i < tree->clause_count; i++)
		if (&tree->clauses[i] != clause && is_probe(translation, &tree->clauses[i]) &&
		    walk_clause(translation, &tree->clauses[i], visit_read, &reads))
			return true;
	return false;
}

/* Notes the value of $x. One that is set twice has none. */
static int add_variable(struct liner_scope *scope, const struct liner_node *set)
{
	const struct liner_tree *tree = scope->tree;
	const struct liner_node *name = &tree->nodes[set->first];

	for (size_t i = 0; i < scope->variable_count; i++)
		if (is_same_text(&tree->nodes[scope->variables[i].name], name))
			return probe_column_refuse(scope->why, set->at, "%.*s is set again: a "
			"value "
						   "of a spec is the same for all hits",
						   (int)name->bytes, name->text);
	if (scope->variable_count == LINER_VARIABLES_MAX)
		return probe_column_refuse(scope->why, set->at, "more than %d variables",
					   LINER_VARIABLES_MAX);
	scope->variables[scope->variable_count].name = set->first;
	scope->variables[scope->variable_count++].value = set->second;
	return 0;
}

/* True: a variable that is not set yet: the value of the next one would depend on itself. */
static bool visit_unset(void *context, uint32_t at)
{
	const struct liner_scope *scope = context;
	const struct liner_node *node = &scope->tree->nodes[at];

	if (node->kind != LINER_VARIABLE)
		return false;
	for (size_t i = 0; i < scope->variable_count; i++)
		if (is_same_text(&scope->tree->nodes[scope->variables[i].name], node))
			return false;
	return true;
}

static int collect_variables(struct translation *translation, struct liner_scope *scope,
			     uint32_t at, unsigned int depth)
{
	int err = 0;

	for (; at && !err && depth < DEPTH_MAX; at = node_of(translation, at)->next) {
		const struct liner_node *node = node_of(translation, at);

		if (node->kind == LINER_IF) {
			err = collect_variables(translation, scope, node->second, depth + 1);
			if (!err)
				err = collect_variables(translation, scope, node->third, depth + 1);
		}
		if (node->kind != LINER_ASSIGN ||
		    node_of(translation, node->first)->kind != LINER_VARIABLE)
			continue;
		if (!liner_is(node, "="))
			err = refuse_node(translation, node, "a variable that changes has no "
					  "counterpart in a spec");
		else if (walk(&translation->tree, node->second, 0, visit_unset, scope))
			err = refuse(translation, node->at, "a variable in this value is not set");
		else
			err = add_variable(scope, node);
	}
	return err;
}

/* Parses the points of a block and makes one point of them. */
static int set_points(struct translation *translation, struct liner_scope *scope)
{
	const struct liner_tree *tree = &translation->tree;
	const uint32_t from = scope->clause->point;
	int err = 0;

	for (uint32_t i = 0; i < scope->clause->point_count && !err; i++) {
		struct liner_point *point = &translation->points[from + i];

		if (liner_point_use(tree, &tree->points[from + i]) != USE_PROBE)
			return refuse(translation, tree->points[from + i].at, "a block is of "
			"probes "
				      "or of times, not of both");
		err = liner_point_parse(point, tree, &tree->points[from + i], translation->why);
		if (!err && !i)
			scope->point = *point;
		else if (!err)
			err = liner_point_merge(&scope->point, point, translation->why);
	}
	return err;
}

/* Returns the process that the filter names, /pid == 123/; 0: none. */
static unsigned long long process_of(struct translation *translation, struct liner_scope *scope)
{
	const struct liner_node *node = node_of(translation, scope->clause->filter);
	int64_t pid;

	if (node->kind == LINER_BINARY && liner_is(node, "==") &&
	    liner_is(node_of(translation, node->first), "pid") &&
	    liner_constant(scope, node->second, &pid) && pid > 0)
		return (unsigned long long)pid;
	return 0;
}

/* Notes how a run ends after a time: "interval:s:5 { exit(); }". */
static void note_end(struct translation *translation, const struct liner_clause *clause)
{
	const struct liner_point_text *point = &translation->tree.points[clause->point];
	const char *text = translation->tree.text + point->at;
	const char *colon = memchr(text, ':', point->bytes);
	size_t left = colon ? point->bytes - (size_t)(colon - text) : 0;
	char *note = translation->out->note;

	if (left < 4 || strncmp(colon, ":s:", 3) != 0)
		liner_note(note, ONE_LINER_NOTE_BYTES, "exit(): --duration ends the run");
	else
		liner_note(note, ONE_LINER_NOTE_BYTES, "exit(): --duration %.*s ends the run",
			   (int)(left - 3 < 20 ? left - 3 : 20), colon + 3);
}

/* Checks that a statement of BEGIN, END or interval: only prints and clears. */
static int check_script(struct translation *translation, const struct liner_clause *clause,
			const struct liner_node *node)
{
	static const char *const harmless[] = { "printf", "print", "clear", "delete", "zero",
						"time", "exit" };
	const bool is_interval = liner_point_use(&translation->tree,
					   &translation->tree.points[clause->point]) ==
				 USE_INTERVAL;

	if (node->kind == LINER_ASSIGN && !is_interval &&
	    node_of(translation, node->first)->kind == LINER_MAP)
		return 0;	/* a table of names; who reads it is refused */
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		if (node->kind != LINER_CALL || !liner_is(node, harmless[i]))
			continue;
		if (is_interval && !strcmp(harmless[i], "printf") &&
		    node_of(translation, node->first)->next)
			break;
		if (!strcmp(harmless[i], "exit"))
			note_end(translation, clause);
		return 0;
	}
	return refuse_node(translation, node, "a spec does something at hits only: maps are on the "
			   "screen all the time, and the table is of the last seconds");
}

static int open_clause(struct translation *translation, uint32_t index)
{
	const struct liner_tree *tree = &translation->tree;
	const struct liner_clause *clause = &tree->clauses[index];
	struct liner_scope *scope = &translation->scopes[index];
	int err = 0;

	*scope = (struct liner_scope){
		.tree = tree, .clause = clause, .note = translation->out->note,
		.note_bytes = sizeof(translation->out->note),
		.steps = &translation->steps, .why = translation->why,
	};
	switch (liner_point_use(tree, &tree->points[clause->point])) {
	case USE_SAMPLING:
		return liner_point_refuse_sampling(tree, &tree->points[clause->point],
					     process_of(translation, scope), translation->why);
	case USE_INTERVAL:
	case USE_SCRIPT:
		for (uint32_t at = clause->body; at && !err; at = tree->nodes[at].next)
			err = check_script(translation, clause, &tree->nodes[at]);
		return err;
	case USE_PROBE:
		break;
	}
	err = set_points(translation, scope);
	return err ? err : collect_variables(translation, scope, clause->body, 0);
}

/* Makes @out the points of @begin whose returns are those of @end. False: one has none there. */
static bool match_returns(const struct translation *translation, const struct liner_clause *begin,
			  const struct liner_clause *end, struct liner_point *out)
{
	for (uint32_t i = 0; i < end->point_count; i++) {
		const struct liner_point *found = NULL;

		for (uint32_t k = 0; k < begin->point_count && !found; k++)
			if (liner_point_is_return(&translation->points[begin->point + k],
					    &translation->points[end->point + i]))
				found = &translation->points[begin->point + k];
		if (!found)
			return false;
		if (!i)
			*out = *found;
		else if (liner_point_merge(out, found, NULL))
			return false;
	}
	return true;
}

/* Writes a field by which two tracepoints are joined. */
static int add_field(struct translation *translation, struct liner_spec *spec,
		     const struct liner_value *begin, const struct liner_value *end)
{
	const size_t used = strlen(spec->on);
	int bytes;

	if (begin->kind != LINER_FETCHED || end->kind != LINER_FETCHED || begin->type[0] ||
	    end->type[0] || begin->scope->point.kind != PROBE_TRACEPOINT ||
	    end->scope->point.kind != PROBE_TRACEPOINT || strpbrk(begin->text, "[.") ||
	    strpbrk(end->text, "[."))
		return refuse_node(translation, end->node, "two points are joined by tid, or by "
				   "fields of tracepoints");
	bytes = snprintf(spec->on + used, sizeof(spec->on) - used, "%s%s%s%s", used ? "," : "",
			 begin->text, strcmp(begin->text, end->text) ? "=" : "",
			 strcmp(begin->text, end->text) ? end->text : "");
	return bytes > 0 && (size_t)bytes < sizeof(spec->on) - used
		       ? 0 : refuse_node(translation, end->node, "too long");
}

static bool is_builtin(const struct liner_value *value, const char *name)
{
	return value->kind == LINER_BUILTIN && !strcmp(value->text, name);
}

/* Sets how the hits of the two blocks are joined: by the keys under which the map is set, @from,
 * and read, @to. */
static int set_join(struct translation *translation, struct liner_spec *spec,
		    struct liner_scope *scope, const struct liner_node *from,
		    const struct liner_node *to)
{
	uint32_t a = from->first, b = to->first;
	struct liner_value begin, end;
	int err;

	if (!a || !b)
		return refuse_node(translation, to, "one time of all threads: write it by thread, "
				   "[tid]");
	for (; a && b; a = node_of(translation, a)->next, b = node_of(translation, b)->next) {
		err = liner_value_find(scope->begin, a, &begin);
		if (!err)
			err = liner_value_find(scope, b, &end);
		if (err)
			return err;
		if (is_builtin(&begin, "pid") && is_builtin(&end, "pid"))
			return refuse_node(translation, end.node, "threads of one process would be "
					   "mixed: write tid");
		if (!is_builtin(&begin, "tid") || !is_builtin(&end, "tid") || a != from->first ||
		    node_of(translation, a)->next)
			err = add_field(translation, spec, &begin, &end);
		if (err)
			return err;
	}
	scope->is_of_another_task = spec->on[0] != '\0';
	return a || b ? refuse_node(translation, to, "it is set with another number of keys") : 0;
}

static bool visit_other_key(void *context, uint32_t at)
{
	struct reads *reads = context;
	const struct liner_node *node = node_of(reads->translation, at);

	if (node->kind != LINER_MAP || !find_store(reads->translation, reads->of, node) ||
	    is_same(&reads->translation->tree, node->first, reads->name->first, 0))
		return false;
	reads->found = at;
	return true;
}

/* Checks that all maps of the pair have the same keys where they are read. */
static int check_keys(struct translation *translation, const struct liner_scope *scope,
		      const struct liner_node *read)
{
	struct reads reads = { .translation = translation, .of = scope->begin->clause,
			       .name = read };

	if (!walk_clause(translation, scope->clause, visit_other_key, &reads))
		return 0;
	return refuse_node(translation, node_of(translation, reads.found), "the maps of a pair are "
			   "read with the same keys");
}

/* The block that begins what @scope's block ends. */
struct pairing {
	struct liner_scope *begin;	/* NULL: none */
	const struct liner_node *read;	/* map that joins them, in the second block */
	const struct liner_node *stored;	/* and in the first */
	struct liner_point returns;		/* points whose returns the second block has */
	bool has_returns;
};

static int find_pairing(struct translation *translation, const struct liner_scope *scope,
			struct pairing *out)
{
	struct liner_tree *tree = &translation->tree;
	uint32_t candidates = 0;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < tree->clause_count; i++) {
		const struct liner_clause *begin = &tree->clauses[i];
		struct liner_point returns;
		uint32_t store = 0, read;
		bool has_returns;

		if (begin == scope->clause || !is_probe(translation, begin))
			continue;
		read = find_read(translation, scope->clause, begin, &store);
		if (!read)
			continue;
		has_returns = match_returns(translation, begin, scope->clause, &returns);
		if (out->has_returns && !has_returns)
			continue;
		candidates = out->has_returns == has_returns ? candidates + 1 : 1;
		out->begin = &translation->scopes[i];
		out->read = &tree->nodes[read];
		out->stored = &tree->nodes[tree->nodes[store].first];
		out->has_returns = has_returns;
		if (has_returns)
			out->returns = returns;
	}
	if (candidates > 1)
		return refuse_node(translation, out->read, "several blocks set it: a latency has "
				   "one point where it begins");
	return 0;
}

/* Sets the target of the block, and how its hits are joined with those of the one before. */
static int set_target(struct translation *translation, struct liner_scope *scope,
		      char target[PROBE_SPEC_BYTES], char on[LINER_PART_BYTES])
{
	struct liner_spec joined = { .on = "" };
	struct pairing pairing;
	int err = find_pairing(translation, scope, &pairing);

	if (err)
		return err;
	liner_point_write(&scope->point, target, PROBE_SPEC_BYTES);
	if (!pairing.begin)
		return 0;
	scope->begin = pairing.begin;
	err = set_join(translation, &joined, scope, pairing.stored, pairing.read);
	if (!err)
		err = check_keys(translation, scope, pairing.read);
	if (err)
		return err;
	strcpy(on, joined.on);
	scope->is_of_another_stack = !pairing.has_returns;
	if (pairing.has_returns && on[0])
		return refuse_node(translation, pairing.read, "a call ends in its thread: write "
				   "[tid]");
	if (pairing.has_returns) {
		liner_point_write_latency(&pairing.returns, target, PROBE_SPEC_BYTES);
		return 0;
	}
	liner_point_write_pair(&pairing.begin->point, &scope->point, target, PROBE_SPEC_BYTES);
	if (pairing.begin->point.is_wildcard || scope->point.is_wildcard)
		return probe_column_refuse(translation->why,
					   pairing.begin->point.is_wildcard
					   ? pairing.begin->point.at : scope->point.at,
					   "a latency between two points has one at each end: ask "
					   "for each pair, as lat:A->B");
	return 0;
}

/* Returns the group for what is done under the keys and conditions; NULL: there are too many. */
static struct group *find_group(struct translation *translation, const struct group *like)
{
	struct group *made;

	for (uint32_t i = 0; i < translation->group_count; i++) {
		struct group *group = &translation->groups[i];

		if (group->is_print == like->is_print && !strcmp(group->keys, like->keys) &&
		    group->condition_count == like->condition_count &&
		    !memcmp(group->conditions, like->conditions,
			    like->condition_count * sizeof(like->conditions[0])))
			return group;
	}
	if (translation->group_count == ONE_LINER_SPECS_MAX)
		return NULL;
	made = &translation->groups[translation->group_count++];
	*made = *like;
	return made;
}

/* Adds the filters of the block, of the one that begins it, and the ifs around the statement. */
static int add_conditions(struct translation *translation, struct liner_scope *scope,
			  struct group *group)
{
	int err = 0;

	if (scope->begin)
		err = liner_spec_condition(&group->spec, scope->begin,
					   scope->begin->clause->filter, false);
	if (!err)
		err = liner_spec_condition(&group->spec, scope, scope->clause->filter, false);
	for (uint32_t i = 0; i < group->condition_count && !err; i++)
		err = liner_spec_condition(&group->spec, scope,
					   node_of(translation, group->conditions[i].at)->first,
					   group->conditions[i].is_opposite);
	return err;
}

/* Opens the group of a statement. @keys: of its map; 0: none. */
static int open_group(struct translation *translation, struct liner_scope *scope,
		      const struct group *conditions, uint32_t keys, bool is_print,
		      const struct liner_node *node, struct group **out)
{
	struct group like = *conditions;
	const uint32_t count = translation->group_count;
	int err = liner_spec_keys(&like.spec, scope, keys);

	if (err)
		return err;
	strcpy(like.keys, like.spec.keys);
	like.is_print = is_print;
	*out = find_group(translation, &like);
	if (!*out)
		return refuse_node(translation, node, "more than 4 specs would be needed");
	return translation->group_count > count ? add_conditions(translation, scope, *out) : 0;
}

/* True: the statement counts or sums, in a map that is its first. */
static bool counts_into(const struct liner_tree *tree, const struct liner_node *node)
{
	if (node->kind == LINER_INCREMENT)
		return true;
	return node->kind == LINER_ASSIGN &&
	       (!liner_is(node, "=") || liner_is_aggregate(&tree->nodes[node->second]));
}

/* True: another block counts into the map, too. */
static bool is_filled_elsewhere(struct translation *translation, const struct liner_scope *scope,
				const struct liner_node *map)
{
	const struct liner_tree *tree = &translation->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct liner_node *node = &tree->nodes[i];
		const struct liner_node *to = &tree->nodes[node->first];
		const bool is_own = node->at >= scope->clause->at &&
				    (scope->clause + 1 == tree->clauses + tree->clause_count ||
				     node->at < scope->clause[1].at);

		if (!is_own && to->kind == LINER_MAP && is_same_text(to, map) &&
		    counts_into(tree, node))
			return true;
	}
	return false;
}

/* True: a key of @map is the function, so blocks of other functions fill other groups of it. */
static bool has_function_key(struct translation *translation, struct liner_scope *scope,
			     const struct liner_node *map)
{
	for (uint32_t key = map->first; key; key = node_of(translation, key)->next) {
		struct liner_scope *inner = scope;
		const uint32_t found = liner_follow(&inner, key);

		if (found && (liner_is(node_of(translation, found), "func") ||
			      liner_is(node_of(translation, found), "probe")))
			return true;
	}
	return false;
}

/* Notes that @group fills @map, which no other group of the block may. */
static int add_map(struct translation *translation, struct group *group,
		   const struct liner_node *map)
{
	for (uint32_t i = 0; i < translation->group_count; i++) {
		struct group *other = &translation->groups[i];

		for (uint32_t k = 0; k < other->map_count; k++)
			if (other != group && is_same_text(other->maps[k], map))
				return refuse_node(translation, map, "one map under several "
						   "conditions or keys: a spec has one of each");
	}
	if (group->map_count == MAPS_MAX)
		return refuse_node(translation, map, "more aggregates than a spec has");
	group->maps[group->map_count++] = map;
	return 0;
}

static int translate_map(struct translation *translation, struct liner_scope *scope,
			 const struct group *conditions, const struct liner_node *node)
{
	const struct liner_node *map = node_of(translation, node->first);
	const bool is_sum = node->kind == LINER_ASSIGN && liner_is(node, "+=");
	const bool is_set = node->kind == LINER_ASSIGN && liner_is(node, "=");
	struct group *group = NULL;
	int err;

	if (is_set && !liner_is_aggregate(node_of(translation, node->second)) &&
	    is_read_elsewhere(translation, scope->clause, map))
		return 0;
	if (!is_set && !is_sum && !liner_is(node, "++"))
		return refuse_node(translation, node, "a spec counts and sums, it takes nothing "
				   "away");
	if (!has_function_key(translation, scope, map) &&
	    is_filled_elsewhere(translation, scope, map))
		return refuse_node(translation, map, "one map of several points: a spec is of one, "
				   "so ask for each, or for a pattern of names");
	err = open_group(translation, scope, conditions, map->first, false, node, &group);
	if (!err)
		err = add_map(translation, group, map);
	if (!err && is_set)
		err = liner_spec_aggregate(&group->spec, scope, node->second);
	else if (!err)
		err = liner_spec_sum(&group->spec, scope, is_sum ? node->second : 0);
	return err;
}

/* True: a format of times has more than conversions and signs. */
static bool has_words(const struct liner_node *format)
{
	for (size_t i = 1; format->kind == LINER_STRING && i < format->bytes; i++)
		if (isalnum((unsigned char)format->text[i]) &&
		    !strchr("%\\", format->text[i - 1]))
			return true;
	return false;
}

static int translate_call(struct translation *translation, struct liner_scope *scope,
			  const struct group *conditions, uint32_t at)
{
	static const char *const ignored[] = { "delete", "clear", "zero" };
	static const char *const printing[] = { "printf", "print", "join" };
	const struct liner_node *node = node_of(translation, at);
	struct group *group = NULL;
	int err;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (liner_is(node, ignored[i]))
			return 0;
	for (size_t i = 0; i < sizeof(printing) / sizeof(printing[0]); i++) {
		if (!liner_is(node, printing[i]))
			continue;
		err = open_group(translation, scope, conditions, 0, true, node, &group);
		return err ? err : liner_spec_print(&group->spec, scope, at);
	}
	if (liner_is(node, "time") && !has_words(node_of(translation, node->first)))
		return 0;
	if (liner_is(node, "time"))
		return refuse_node(translation, node, "each line has its time: printf prints the "
				   "words");
	if (liner_is(node, "exit"))
		return refuse_node(translation, node, "a hit does not end the run: --duration "
				   "does after a time");
	return refuse_node(translation, node, "a spec counts, sums and prints at a hit: it does "
			   "nothing to the system");
}

static int translate_statements(struct translation *translation, struct liner_scope *scope,
				const struct group *conditions, uint32_t at);

static int translate_if(struct translation *translation, struct liner_scope *scope,
			const struct group *conditions, uint32_t at)
{
	const struct liner_node *node = node_of(translation, at);
	struct group inner = *conditions;

	int err;

	if (inner.condition_count == CONDITIONS_MAX)
		return refuse_node(translation, node, "too many in each other");
	if (liner_is_begun(scope, node->first)) {
		if (node->third)
			return refuse_node(translation, node_of(translation, node->third),
					   "a latency that did not begin is none");
		return translate_statements(translation, scope, conditions, node->second);
	}
	inner.conditions[inner.condition_count++] = (struct condition){ at, false };
	err = translate_statements(translation, scope, &inner, node->second);
	if (err || !node->third)
		return err;
	inner.conditions[inner.condition_count - 1].is_opposite = true;
	return translate_statements(translation, scope, &inner,
				    node_of(translation, node->third)->next);
}

static int translate_statements(struct translation *translation, struct liner_scope *scope,
				const struct group *conditions, uint32_t at)
{
	int err = 0;

	for (; at && !err; at = node_of(translation, at)->next) {
		const struct liner_node *node = node_of(translation, at);
		const struct liner_node *to = node_of(translation, node->first);

		if (node->kind == LINER_IF)
			err = translate_if(translation, scope, conditions, at);
		else if (node->kind == LINER_CALL)
			err = translate_call(translation, scope, conditions, at);
		else if (node->kind == LINER_ASSIGN && to->kind == LINER_VARIABLE)
			continue;	/* its value is found where it is used */
		else if ((node->kind == LINER_ASSIGN || node->kind == LINER_INCREMENT) &&
			 to->kind == LINER_MAP)
			err = translate_map(translation, scope, conditions, node);
		else
			err = refuse_node(translation, node, "that counts and prints nothing");
	}
	return err;
}

/* True: the last spec is there before. */
static bool is_repeated(const struct one_liner *out)
{
	for (uint32_t i = 0; i + 1 < out->count; i++)
		if (!strcmp(out->specs[i], out->specs[out->count - 1]))
			return true;
	return false;
}

/* Appends the specs of the groups. */
static int write_groups(struct translation *translation, struct liner_scope *scope,
			const char *target, const char *on)
{
	struct one_liner *out = translation->out;
	int err = 0;

	for (uint32_t i = 0; i < translation->group_count && !err; i++) {
		struct liner_spec *spec = &translation->groups[i].spec;

		if (out->count == ONE_LINER_SPECS_MAX)
			return refuse(translation, scope->clause->at, "more than 4 specs would be "
				      "needed");
		strcpy(spec->on, on);
		err = liner_spec_write(spec, target, out->specs[out->count++], scope);
		if (!err && is_repeated(out))	/* its values are on each line anyway */
			memset(out->specs[--out->count], 0, sizeof(out->specs[0]));
	}
	return err;
}

static int translate_clause(struct translation *translation, uint32_t index)
{
	const struct liner_tree *tree = &translation->tree;
	struct liner_scope *scope = &translation->scopes[index];
	const struct group none = { .condition_count = 0 };
	char target[PROBE_SPEC_BYTES] = "", on[LINER_PART_BYTES] = "";
	int err;

	if (!is_probe(translation, &tree->clauses[index]))
		return 0;
	translation->group_count = 0;
	err = set_target(translation, scope, target, on);
	if (!err)
		err = translate_statements(translation, scope, &none, scope->clause->body);
	if (err)
		return err;
	if (scope->needs_entry && !scope->begin)
		liner_point_write_latency(&scope->point, target, sizeof(target));
	return write_groups(translation, scope, target, on);
}

/* Refuses what the language of specs refuses, in the words that it has. */
static int check_specs(struct translation *translation)
{
	const struct one_liner *out = translation->out;

	for (uint32_t i = 0; i < out->count; i++) {
		if (!probe_spec_parse(&translation->parsed, out->specs[i], translation->why))
			continue;
		diag_prefix(translation->why, "= %.300s", out->specs[i]);
		return -EINVAL;
	}
	return 0;
}

static int translate(struct translation *translation, const char *text)
{
	int err = liner_parse(&translation->tree, text, translation->why);

	translation->steps = LINER_STEPS_MAX;
	for (uint32_t i = 0; i < translation->tree.clause_count && !err; i++)
		err = open_clause(translation, i);
	for (uint32_t i = 0; i < translation->tree.clause_count && !err; i++)
		err = translate_clause(translation, i);
	if (!err)
		err = check_specs(translation);
	if (!err && !translation->out->count)
		err = refuse(translation, liner_skip_blanks(text, 0), "nothing is counted or "
		"printed "
			     "at a hit: BEGIN, END and interval: are no events, and a map that is "
			     "only set is none");
	return err;
}

/* Adds to a refusal the spec that is nearest to what the program asks. */
static void add_nearest(const char *text, struct diag *why)
{
	static const struct {
		const char *point, *spec;
	} nearest[] = {
		{ "blk_account_io_start", "lat:t:block:block_rq_issue->t:block:block_rq_complete "
					  "bytes rwbs on dev,sector : hist(lat)" },
		{ "sched:sched_wakeup", "lat:t:sched:sched_wakeup->t:sched:sched_switch on "
					"pid=next_pid : hist(lat)" },
		{ "kprobe:tcp_connect", "t:sock:inet_sock_set_state daddr daddr_v6 dport:port if "
					"protocol == IPPROTO_TCP and newstate == TCP_SYN_SENT" },
		{ "inet_csk_accept", "t:sock:inet_sock_set_state daddr daddr_v6 sport:port if "
				     "protocol == IPPROTO_TCP and oldstate == TCP_SYN_RECV and "
				     "newstate == TCP_ESTABLISHED" },
		{ "tcp_retransmit_skb", "t:tcp:tcp_retransmit_skb saddr sport:port daddr "
					"dport:port state" },
		{ "skb:kfree_skb", "t:skb:kfree_skb reason location" },
		{ "sys_enter_openat", "lat:t:syscalls:sys_enter_openat filename:ustring ret" },
		{ "sys_enter_statfs", "lat:t:syscalls:sys_enter_{statx,newstat,newlstat} "
				      "filename:ustring ret" },
		{ "cap_capable", "k:cap_capable cap=$arg3:s32 : print \"%d\"" },
		{ "oom_kill_process", "t:oom:mark_victim" },
		{ "writeback:writeback_start", "lat:t:writeback:writeback_start->t:writeback:"
					       "writeback_written on sb_dev : hist(lat)" },
	};
	const size_t used = strlen(why->text);

	for (size_t i = 0; i < sizeof(nearest) / sizeof(nearest[0]); i++) {
		if (!strstr(text, nearest[i].point))
			continue;
		if (used + strlen(nearest[i].spec) + 32 < sizeof(why->text))
			snprintf(why->text + used, sizeof(why->text) - used,
				 "; the nearest spec: %s", nearest[i].spec);
		return;
	}
}

int one_liner_translate(struct one_liner *out, const char *text, struct diag *why)
{
	struct translation *translation = calloc(1, sizeof(*translation));
	struct diag refusal = { .err = 0 };
	int err;

	memset(out, 0, sizeof(*out));
	if (!translation)
		return diag_set(why, -ENOMEM, "no memory for a translation");
	translation->out = out;
	translation->why = &refusal;
	err = translate(translation, text);
	free(translation);
	if (!err)
		return 0;
	memset(out, 0, sizeof(*out));
	add_nearest(text, &refusal);
	return diag_set(why, err, "%s", refusal.text);
}

/* True: the text between the braces is that of a block, and no {A,B} of a name. */
static bool is_block(const char *open)
{
	size_t bytes = 1;

	while (isalnum((unsigned char)open[bytes]) ||
	       (open[bytes] && strchr("_*?,.:", open[bytes])))
		bytes++;
	return open[bytes] != '}' || bytes == 1;
}

bool one_liner_is(const char *text)
{
	static const char *const kinds[] = {
		"kprobe", "kretprobe", "uprobe", "uretprobe", "tracepoint", "usdt", "k", "kr", "u",
		"ur", "t", "U", "kfunc", "kretfunc", "fentry", "fexit", "f", "fr", "profile", "p",
		"interval", "i", "software", "s", "hardware", "h", "rawtracepoint", "rt", "iter",
		"it", "watchpoint", "w", "asyncwatchpoint", "aw", "trace",
	};
	const char *from = text + liner_skip_blanks(text, 0);
	const size_t bytes = strcspn(from, ": \t\n{");
	const bool is_script = (bytes == 5 && !strncmp(from, "BEGIN", 5)) ||
			       (bytes == 3 && !strncmp(from, "END", 3));
	bool is_kind = is_script;
	bool in_quotes = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		is_kind |= from[bytes] == ':' && bytes == strlen(kinds[i]) &&
			   !strncmp(from, kinds[i], bytes);
	for (; is_kind && *from && (*from != ';' || in_quotes); from++) {
		if (*from == '\\' && from[1])
			from++;
		else if (*from == '"')
			in_quotes = !in_quotes;
		else if (*from == '{' && !in_quotes && is_block(from))
			return true;
	}
	return false;
}
