/* one_liner.c - see finder/one_liner.h.
 *
 * Idea: each block of a program is a spec, or several if it fills maps with different keys. Two
 * blocks that measure a latency are one spec (one_liner_block.h). Everything else that a block does
 * is refused, not left out.
 */
#include "finder/one_liner.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_liner_block.h"
#include "one_liner_point.h"
#include "one_liner_spec.h"
#include "one_liner_syntax.h"
#include "one_liner_value.h"
#include "probe/probe_section.h"

#define CONDITIONS_MAX 8	/* ifs in each other */
#define MAPS_MAX       PROBE_AGGREGATES_MAX

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
	struct liner_program program;
	struct group groups[ONE_LINER_SPECS_MAX];	/* one block's, while it is translated */
	uint32_t group_count;
	struct probe_spec parsed;	/* while a spec is checked */
	struct one_liner *out;
};

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
		err = liner_spec_condition(
			&group->spec, scope,
			liner_node_of(&translation->program, group->conditions[i].at)->first,
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
		return liner_refuse(translation->program.why, node,
				    "more than 4 specs would be needed");
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
	const struct liner_tree *tree = &translation->program.tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct liner_node *node = &tree->nodes[i];
		const struct liner_node *to = &tree->nodes[node->first];
		const bool is_own = node->at >= scope->clause->at &&
				    (scope->clause + 1 == tree->clauses + tree->clause_count ||
				     node->at < scope->clause[1].at);

		if (!is_own && to->kind == LINER_MAP && liner_is_same_text(to, map) &&
		    counts_into(tree, node))
			return true;
	}
	return false;
}

/* True: a key of @map is the function, so blocks of other functions fill other groups of it. */
static bool has_function_key(struct translation *translation, struct liner_scope *scope,
			     const struct liner_node *map)
{
	for (uint32_t key = map->first; key;
	     key = liner_node_of(&translation->program, key)->next) {
		struct liner_scope *inner = scope;
		const uint32_t found = liner_follow(&inner, key);

		if (found && (liner_is(liner_node_of(&translation->program, found), "func") ||
			      liner_is(liner_node_of(&translation->program, found), "probe")))
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
			if (other != group && liner_is_same_text(other->maps[k], map))
				return liner_refuse(translation->program.why, map,
						    "one map under several conditions or "
						    "keys: a spec has one of each");
	}
	if (group->map_count == MAPS_MAX)
		return liner_refuse(translation->program.why, map,
				    "more aggregates than a spec has");
	group->maps[group->map_count++] = map;
	return 0;
}

static int translate_map(struct translation *translation, struct liner_scope *scope,
			 const struct group *conditions, const struct liner_node *node)
{
	const struct liner_node *map = liner_node_of(&translation->program, node->first);
	const bool is_sum = node->kind == LINER_ASSIGN && liner_is(node, "+=");
	const bool is_set = node->kind == LINER_ASSIGN && liner_is(node, "=");
	struct group *group = NULL;
	int err;

	if (is_set && !liner_is_aggregate(liner_node_of(&translation->program, node->second)) &&
	    liner_is_read_elsewhere(&translation->program, scope->clause, map))
		return 0;
	if (!is_set && !is_sum && !liner_is(node, "++"))
		return liner_refuse(translation->program.why, node,
				    "a spec counts and sums, it takes nothing away");
	if (!has_function_key(translation, scope, map) &&
	    is_filled_elsewhere(translation, scope, map))
		return liner_refuse(translation->program.why, map,
				    "one map of several points: a spec is of one, so ask for "
				    "each, or for a pattern of names");
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
	const struct liner_node *node = liner_node_of(&translation->program, at);
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
	if (liner_is(node, "time") && !has_words(liner_node_of(&translation->program, node->first)))
		return 0;
	if (liner_is(node, "time"))
		return liner_refuse(translation->program.why, node,
				    "each line has its time: printf prints the words");
	if (liner_is(node, "exit"))
		return liner_refuse(translation->program.why, node,
				    "a hit does not end the run: --duration does after a time");
	return liner_refuse(translation->program.why, node,
			    "a spec counts, sums and prints at a hit: it does nothing to the "
			    "system");
}

static int translate_statements(struct translation *translation, struct liner_scope *scope,
				const struct group *conditions, uint32_t at);

static int translate_if(struct translation *translation, struct liner_scope *scope,
			const struct group *conditions, uint32_t at)
{
	const struct liner_node *node = liner_node_of(&translation->program, at);
	struct group inner = *conditions;

	int err;

	if (inner.condition_count == CONDITIONS_MAX)
		return liner_refuse(translation->program.why, node, "too many in each other");
	if (liner_is_begun(scope, node->first)) {
		if (node->third)
			return liner_refuse(translation->program.why,
					    liner_node_of(&translation->program, node->third),
					    "a latency that did not begin is none");
		return translate_statements(translation, scope, conditions, node->second);
	}
	inner.conditions[inner.condition_count++] = (struct condition){ at, false };
	err = translate_statements(translation, scope, &inner, node->second);
	if (err || !node->third)
		return err;
	inner.conditions[inner.condition_count - 1].is_opposite = true;
	return translate_statements(translation, scope, &inner,
				    liner_node_of(&translation->program, node->third)->next);
}

static int translate_statements(struct translation *translation, struct liner_scope *scope,
				const struct group *conditions, uint32_t at)
{
	int err = 0;

	for (; at && !err; at = liner_node_of(&translation->program, at)->next) {
		const struct liner_node *node = liner_node_of(&translation->program, at);
		const struct liner_node *to = liner_node_of(&translation->program, node->first);

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
			err = liner_refuse(translation->program.why, node,
					   "that counts and prints nothing");
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
			return probe_column_refuse(translation->program.why, scope->clause->at,
						   "more than 4 specs would be needed");
		strcpy(spec->on, on);
		err = liner_spec_write(spec, target, out->specs[out->count++], scope);
		if (!err && is_repeated(out))	/* its values are on each line anyway */
			memset(out->specs[--out->count], 0, sizeof(out->specs[0]));
	}
	return err;
}

static int translate_clause(struct translation *translation, uint32_t index)
{
	const struct liner_tree *tree = &translation->program.tree;
	struct liner_scope *scope = &translation->program.scopes[index];
	const struct group none = { .condition_count = 0 };
	char target[PROBE_SPEC_BYTES] = "", on[LINER_PART_BYTES] = "";
	int err;

	if (!liner_is_probe(&translation->program, &tree->clauses[index]))
		return 0;
	translation->group_count = 0;
	err = liner_set_target(&translation->program, scope, target, on);
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
		if (!probe_spec_parse(&translation->parsed, out->specs[i],
				      translation->program.why))
			continue;
		diag_prefix(translation->program.why, "= %.300s", out->specs[i]);
		return -EINVAL;
	}
	return 0;
}

static int translate(struct translation *translation, const char *text)
{
	int err = liner_parse(&translation->program.tree, text, translation->program.why);

	translation->program.steps = LINER_STEPS_MAX;
	for (uint32_t i = 0; i < translation->program.tree.clause_count && !err; i++)
		err = liner_open_clause(&translation->program, i);
	for (uint32_t i = 0; i < translation->program.tree.clause_count && !err; i++)
		err = translate_clause(translation, i);
	if (!err)
		err = check_specs(translation);
	if (!err && !translation->out->count)
		err = probe_column_refuse(translation->program.why, liner_skip_blanks(text, 0),
					  "nothing is counted or printed at a hit: BEGIN, END and "
					  "interval: are no events, and a map that is only set is "
					  "none");
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
	translation->program.note = out->note;
	translation->program.note_bytes = sizeof(out->note);
	translation->program.why = &refusal;
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
