/* one_liner_value.h - what an expression of a one-liner is at a hit: a word that every hit has, a
 * value that is fetched, a constant, the latency.
 *
 * Idea:   $x and maps that the first block of a pair sets are followed to the expression that they
 *         were given, in the block that gave it.
 * Thread: any; pure, allocates nothing.
 */
#ifndef FINDER_ONE_LINER_VALUE_H
#define FINDER_ONE_LINER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "one_liner_point.h"
#include "one_liner_syntax.h"

#define LINER_VARIABLES_MAX 32
#define LINER_STEPS_MAX	    50000	/* one program's; the largest tool takes 2000 */

/* A block, and the meaning of its names. */
struct liner_scope {
	const struct liner_tree *tree;
	const struct liner_clause *clause;
	struct liner_point point;		/* all points of the block, as one */
	struct liner_scope *begin;	/* block where a latency begins; NULL: this is none */
	/* With `begin`: a hit has the task and the stack of the first block's record. */
	bool is_of_another_task;	/* that is another one than this block's */
	bool is_of_another_stack;
	bool needs_entry;		/* set if a value of the entry is used at a return */
	struct {
		uint32_t name, value;	/* nodes */
	} variables[LINER_VARIABLES_MAX];
	size_t variable_count;
	char *note;		/* gets remarks for the user; of note_bytes */
	size_t note_bytes;
	unsigned int *steps;		/* steps that are left: a variable that has another one
					 * twice, which has another one twice, takes many */
	struct diag *why;
};

enum liner_value_kind {
	LINER_CONSTANT,		/* `number` */
	LINER_LITERAL,		/* a quoted text, `node` has it */
	LINER_BUILTIN,		/* `text`: "comm", "pid", "kstack", "time" and so on */
	LINER_FETCHED,		/* `text`, as a spec writes it, and `type` */
	LINER_LATENCY,		/* in `unit` */
	LINER_ARITHMETIC,	/* it joins such values */
};

struct liner_value {
	enum liner_value_kind kind;
	char text[96];
	char type[24];		/* "": none is needed */
	const char *unit;	/* "ns" "us" "ms" "s" */
	int64_t number;
	const struct liner_node *node;	/* it was made of this one */
	struct liner_scope *scope;	/* block of `node` */
};

/* Finds what the node @at of @scope is. 0, or -EINVAL with a sentence in scope->why. */
int liner_value_find(struct liner_scope *scope, uint32_t at, struct liner_value *out);

/* Follows variables and maps. Returns the node, and its block in *@scope; 0: @at is a variable that
 * was not set. */
uint32_t liner_follow(struct liner_scope **scope, uint32_t at);

/* Refuses @node, naming it if it is a word. Returns -EINVAL. */
int liner_refuse(struct diag *why, const struct liner_node *node, const char *sentence);

/* Appends a remark for the user to @note[@room], once; nothing if there is no room. */
void liner_note(char *note, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns how many nanoseconds @unit has, "us". */
int64_t liner_unit_ns(const char *unit);

bool liner_is_aggregate(const struct liner_node *node);

/* Returns the expression that @scope's block gives the map @name; 0: none. */
uint32_t liner_find_map(const struct liner_scope *scope, const struct liner_node *name);

/* Computes a constant. False: it is none. */
bool liner_constant(struct liner_scope *scope, uint32_t at, int64_t *out);

/* True: the expression has no other values than times and constants. */
bool liner_is_time(struct liner_scope *scope, uint32_t at);

/* True: a filter on the map of the first block, which only asks whether that was there. */
bool liner_is_begun(struct liner_scope *scope, uint32_t at);

#endif
