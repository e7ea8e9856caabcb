/* one_liner_block.c - see one_liner_block.h. */
#include "one_liner_block.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_liner_point.h"
#include "one_liner_syntax.h"
#include "one_liner_value.h"
#include "probe/probe_section.h"

typedef bool node_visit(void *context, uint32_t at);

const struct liner_node *liner_node_of(const struct liner_program *program, uint32_t at)
{
	return &program->tree.nodes[at];
}

bool liner_is_probe(const struct liner_program *program, const struct liner_clause *clause)
{
	return liner_point_use(&program->tree, &program->tree.points[clause->point]) ==
	       USE_PROBE;
}

bool liner_is_same_text(const struct liner_node *a, const struct liner_node *b)
{
	return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

/* True: the two are written alike. */
static bool is_same(const struct liner_tree *tree, uint32_t a, uint32_t b, unsigned int depth)
{
	const struct liner_node *x = &tree->nodes[a], *y = &tree->nodes[b];

	if (!a || !b || depth == LINER_DEPTH_MAX)
		return a == b;
	return x->kind == y->kind && liner_is_same_text(x, y) &&
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
	for (; at && depth < LINER_DEPTH_MAX; at = tree->nodes[at].next) {
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

static bool walk_clause(const struct liner_program *program, const struct liner_clause *clause,
			node_visit *visit, void *context)
{
	return walk(&program->tree, clause->filter, 0, visit, context) ||
	       walk(&program->tree, clause->body, 0, visit, context);
}

/* Returns the statement of the block that sets the map @name; 0: none does. */
static uint32_t find_store(const struct liner_program *program,
			   const struct liner_clause *clause, const struct liner_node *name)
{
	for (uint32_t at = clause->body; at; at = liner_node_of(program, at)->next) {
		const struct liner_node *node = liner_node_of(program, at);
		const struct liner_node *to = liner_node_of(program, node->first);

		if (node->kind == LINER_ASSIGN && to->kind == LINER_MAP && liner_is(node, "=") &&
		    !liner_is_aggregate(liner_node_of(program, node->second)) &&
		    liner_is_same_text(to, name))
			return at;
	}
	return 0;
}

/* A search for maps that one block reads. */
struct reads {
	struct liner_program *program;
	const struct liner_clause *of;	/* block that has to set them */
	const struct liner_node *name;	/* the only map that counts; NULL: any */
	uint32_t found, store;
};

static bool visit_read(void *context, uint32_t at)
{
	struct reads *reads = context;
	const struct liner_node *node = liner_node_of(reads->program, at);

	if (node->kind != LINER_MAP || (reads->name && !liner_is_same_text(reads->name, node)))
		return false;
	reads->found = at;
	reads->store = reads->of ? find_store(reads->program, reads->of, node) : 0;
	return !reads->of || reads->store;
}

/* Finds a map that @clause reads and @begin sets. Returns its node, and in *@store where it is set;
 * 0: none. */
static uint32_t find_read(struct liner_program *program, const struct liner_clause *clause,
			  const struct liner_clause *begin, uint32_t *store)
{
	struct reads reads = { .program = program, .of = begin };

	if (!walk_clause(program, clause, visit_read, &reads))
		return 0;
	*store = reads.store;
	return reads.found;
}

bool liner_is_read_elsewhere(struct liner_program *program, const struct liner_clause *clause,
			      const struct liner_node *name)
{
	const struct liner_tree *tree = &program->tree;
	struct reads reads = { .program = program, .name = name };

	for (uint32_t i = 0; i < tree->clause_count; i++)
		if (&tree->clauses[i] != clause && liner_is_probe(program, &tree->clauses[i]) &&
		    walk_clause(program, &tree->clauses[i], visit_read, &reads))
			return true;
	return false;
}

/* Notes the value of $x. One that is set twice has none. */
static int add_variable(struct liner_scope *scope, const struct liner_node *set)
{
	const struct liner_tree *tree = scope->tree;
	const struct liner_node *name = &tree->nodes[set->first];

	for (size_t i = 0; i < scope->variable_count; i++)
		if (liner_is_same_text(&tree->nodes[scope->variables[i].name], name))
			return probe_column_refuse(scope->why, set->at,
						   "%.*s is set again: a value of a spec is the "
						   "same for all hits",
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
		if (liner_is_same_text(&scope->tree->nodes[scope->variables[i].name], node))
			return false;
	return true;
}

static int collect_variables(struct liner_program *program, struct liner_scope *scope,
			     uint32_t at, unsigned int depth)
{
	int err = 0;

	for (; at && !err && depth < LINER_DEPTH_MAX; at = liner_node_of(program, at)->next) {
		const struct liner_node *node = liner_node_of(program, at);

		if (node->kind == LINER_IF) {
			err = collect_variables(program, scope, node->second, depth + 1);
			if (!err)
				err = collect_variables(program, scope, node->third, depth + 1);
		}
		if (node->kind != LINER_ASSIGN ||
		    liner_node_of(program, node->first)->kind != LINER_VARIABLE)
			continue;
		if (!liner_is(node, "="))
			err = liner_refuse(program->why, node, "a variable that changes has no "
					  "counterpart in a spec");
		else if (walk(&program->tree, node->second, 0, visit_unset, scope))
			err = probe_column_refuse(program->why, node->at,
						  "a variable in this value is not set");
		else
			err = add_variable(scope, node);
	}
	return err;
}

/* Parses the points of a block and makes one point of them. */
static int set_points(struct liner_program *program, struct liner_scope *scope)
{
	const struct liner_tree *tree = &program->tree;
	const uint32_t from = scope->clause->point;
	int err = 0;

	for (uint32_t i = 0; i < scope->clause->point_count && !err; i++) {
		struct liner_point *point = &program->points[from + i];

		if (liner_point_use(tree, &tree->points[from + i]) != USE_PROBE)
			return probe_column_refuse(program->why, tree->points[from + i].at,
						   "a block is of probes or of times, not of both");
		err = liner_point_parse(point, tree, &tree->points[from + i], program->why);
		if (!err && !i)
			scope->point = *point;
		else if (!err)
			err = liner_point_merge(&scope->point, point, program->why);
	}
	return err;
}

/* Returns the process that the filter names, /pid == 123/; 0: none. */
static unsigned long long process_of(struct liner_program *program, struct liner_scope *scope)
{
	const struct liner_node *node = liner_node_of(program, scope->clause->filter);
	int64_t pid;

	if (node->kind == LINER_BINARY && liner_is(node, "==") &&
	    liner_is(liner_node_of(program, node->first), "pid") &&
	    liner_constant(scope, node->second, &pid) && pid > 0)
		return (unsigned long long)pid;
	return 0;
}

/* Notes how a run ends after a time: "interval:s:5 { exit(); }". */
static void note_end(struct liner_program *program, const struct liner_clause *clause)
{
	const struct liner_point_text *point = &program->tree.points[clause->point];
	const char *text = program->tree.text + point->at;
	const char *colon = memchr(text, ':', point->bytes);
	size_t left = colon ? point->bytes - (size_t)(colon - text) : 0;

	if (left < 4 || strncmp(colon, ":s:", 3) != 0)
		liner_note(program->note, program->note_bytes, "exit(): --duration ends the run");
	else
		liner_note(program->note, program->note_bytes,
			   "exit(): --duration %.*s ends the run",
			   (int)(left - 3 < 20 ? left - 3 : 20), colon + 3);
}

/* Checks that a statement of BEGIN, END or interval: only prints and clears. */
static int check_script(struct liner_program *program, const struct liner_clause *clause,
			const struct liner_node *node)
{
	static const char *const harmless[] = { "printf", "print", "clear", "delete", "zero",
						"time", "exit" };
	const bool is_interval = liner_point_use(&program->tree,
					   &program->tree.points[clause->point]) ==
				 USE_INTERVAL;

	if (node->kind == LINER_ASSIGN && !is_interval &&
	    liner_node_of(program, node->first)->kind == LINER_MAP)
		return 0;	/* a table of names; who reads it is refused */
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		if (node->kind != LINER_CALL || !liner_is(node, harmless[i]))
			continue;
		if (is_interval && !strcmp(harmless[i], "printf") &&
		    liner_node_of(program, node->first)->next)
			break;
		if (!strcmp(harmless[i], "exit"))
			note_end(program, clause);
		return 0;
	}
	return liner_refuse(program->why, node,
			    "a spec does something at hits only: maps are on the screen all the "
			    "time, and the table is of the last seconds");
}

int liner_open_clause(struct liner_program *program, uint32_t index)
{
	const struct liner_tree *tree = &program->tree;
	const struct liner_clause *clause = &tree->clauses[index];
	struct liner_scope *scope = &program->scopes[index];
	int err = 0;

	*scope = (struct liner_scope){
		.tree = tree, .clause = clause, .note = program->note,
		.note_bytes = program->note_bytes,
		.steps = &program->steps, .why = program->why,
	};
	switch (liner_point_use(tree, &tree->points[clause->point])) {
	case USE_SAMPLING:
		return liner_point_refuse_sampling(tree, &tree->points[clause->point],
					     process_of(program, scope), program->why);
	case USE_INTERVAL:
	case USE_SCRIPT:
		for (uint32_t at = clause->body; at && !err; at = tree->nodes[at].next)
			err = check_script(program, clause, &tree->nodes[at]);
		return err;
	case USE_PROBE:
		break;
	}
	err = set_points(program, scope);
	return err ? err : collect_variables(program, scope, clause->body, 0);
}

/* Makes @out the points of @begin whose returns are those of @end. False: one has none there. */
static bool match_returns(const struct liner_program *program, const struct liner_clause *begin,
			  const struct liner_clause *end, struct liner_point *out)
{
	for (uint32_t i = 0; i < end->point_count; i++) {
		const struct liner_point *found = NULL;

		for (uint32_t k = 0; k < begin->point_count && !found; k++)
			if (liner_point_is_return(&program->points[begin->point + k],
					    &program->points[end->point + i]))
				found = &program->points[begin->point + k];
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
static int add_field(struct liner_program *program, struct liner_spec *spec,
		     const struct liner_value *begin, const struct liner_value *end)
{
	const size_t used = strlen(spec->on);
	int bytes;

	if (begin->kind != LINER_FETCHED || end->kind != LINER_FETCHED || begin->type[0] ||
	    end->type[0] || begin->scope->point.kind != PROBE_TRACEPOINT ||
	    end->scope->point.kind != PROBE_TRACEPOINT || strpbrk(begin->text, "[.") ||
	    strpbrk(end->text, "[."))
		return liner_refuse(program->why, end->node,
				    "two points are joined by tid, or by fields of tracepoints");
	bytes = snprintf(spec->on + used, sizeof(spec->on) - used, "%s%s%s%s", used ? "," : "",
			 begin->text, strcmp(begin->text, end->text) ? "=" : "",
			 strcmp(begin->text, end->text) ? end->text : "");
	return bytes > 0 && (size_t)bytes < sizeof(spec->on) - used
		       ? 0 : liner_refuse(program->why, end->node, "too long");
}

static bool is_builtin(const struct liner_value *value, const char *name)
{
	return value->kind == LINER_BUILTIN && !strcmp(value->text, name);
}

/* Sets how the hits of the two blocks are joined: by the keys under which the map is set, @from,
 * and read, @to. */
static int set_join(struct liner_program *program, struct liner_spec *spec,
		    struct liner_scope *scope, const struct liner_node *from,
		    const struct liner_node *to)
{
	uint32_t a = from->first, b = to->first;
	struct liner_value begin, end;
	int err;

	if (!a || !b)
		return liner_refuse(program->why, to,
				    "one time of all threads: write it by thread, [tid]");
	for (; a && b; a = liner_node_of(program, a)->next,
	     b = liner_node_of(program, b)->next) {
		err = liner_value_find(scope->begin, a, &begin);
		if (!err)
			err = liner_value_find(scope, b, &end);
		if (err)
			return err;
		if (is_builtin(&begin, "pid") && is_builtin(&end, "pid"))
			return liner_refuse(program->why, end.node,
					    "threads of one process would be mixed: write tid");
		if (!is_builtin(&begin, "tid") || !is_builtin(&end, "tid") || a != from->first ||
		    liner_node_of(program, a)->next)
			err = add_field(program, spec, &begin, &end);
		if (err)
			return err;
	}
	scope->is_of_another_task = spec->on[0] != '\0';
	return a || b ? liner_refuse(program->why, to,
				     "it is set with another number of keys") : 0;
}

static bool visit_other_key(void *context, uint32_t at)
{
	struct reads *reads = context;
	const struct liner_node *node = liner_node_of(reads->program, at);

	if (node->kind != LINER_MAP || !find_store(reads->program, reads->of, node) ||
	    is_same(&reads->program->tree, node->first, reads->name->first, 0))
		return false;
	reads->found = at;
	return true;
}

/* Checks that all maps of the pair have the same keys where they are read. */
static int check_keys(struct liner_program *program, const struct liner_scope *scope,
		      const struct liner_node *read)
{
	struct reads reads = { .program = program, .of = scope->begin->clause,
			       .name = read };

	if (!walk_clause(program, scope->clause, visit_other_key, &reads))
		return 0;
	return liner_refuse(program->why, liner_node_of(program, reads.found),
			    "the maps of a pair are read with the same keys");
}

/* The block that begins what @scope's block ends. */
struct pairing {
	struct liner_scope *begin;	/* NULL: none */
	const struct liner_node *read;	/* map that joins them, in the second block */
	const struct liner_node *stored;	/* and in the first */
	struct liner_point returns;		/* points whose returns the second block has */
	bool has_returns;
};

static int find_pairing(struct liner_program *program, const struct liner_scope *scope,
			struct pairing *out)
{
	struct liner_tree *tree = &program->tree;
	uint32_t candidates = 0;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < tree->clause_count; i++) {
		const struct liner_clause *begin = &tree->clauses[i];
		struct liner_point returns;
		uint32_t store = 0, read;
		bool has_returns;

		if (begin == scope->clause || !liner_is_probe(program, begin))
			continue;
		read = find_read(program, scope->clause, begin, &store);
		if (!read)
			continue;
		has_returns = match_returns(program, begin, scope->clause, &returns);
		if (out->has_returns && !has_returns)
			continue;
		candidates = out->has_returns == has_returns ? candidates + 1 : 1;
		out->begin = &program->scopes[i];
		out->read = &tree->nodes[read];
		out->stored = &tree->nodes[tree->nodes[store].first];
		out->has_returns = has_returns;
		if (has_returns)
			out->returns = returns;
	}
	if (candidates > 1)
		return liner_refuse(program->why, out->read,
				    "several blocks set it: a latency has one point "
				    "where it begins");
	return 0;
}

int liner_set_target(struct liner_program *program, struct liner_scope *scope,
		      char target[PROBE_SPEC_BYTES], char on[LINER_PART_BYTES])
{
	struct liner_spec joined = { .on = "" };
	struct pairing pairing;
	int err = find_pairing(program, scope, &pairing);

	if (err)
		return err;
	liner_point_write(&scope->point, target, PROBE_SPEC_BYTES);
	if (!pairing.begin)
		return 0;
	scope->begin = pairing.begin;
	err = set_join(program, &joined, scope, pairing.stored, pairing.read);
	if (!err)
		err = check_keys(program, scope, pairing.read);
	if (err)
		return err;
	strcpy(on, joined.on);
	scope->is_of_another_stack = !pairing.has_returns;
	if (pairing.has_returns && on[0])
		return liner_refuse(program->why, pairing.read,
				    "a call ends in its thread: write [tid]");
	if (pairing.has_returns) {
		liner_point_write_latency(&pairing.returns, target, PROBE_SPEC_BYTES);
		return 0;
	}
	liner_point_write_pair(&pairing.begin->point, &scope->point, target, PROBE_SPEC_BYTES);
	if (pairing.begin->point.is_wildcard || scope->point.is_wildcard)
		return probe_column_refuse(program->why,
					   pairing.begin->point.is_wildcard
					   ? pairing.begin->point.at : scope->point.at,
					   "a latency between two points has one at each end: ask "
					   "for each pair, as lat:A->B");
	return 0;
}
