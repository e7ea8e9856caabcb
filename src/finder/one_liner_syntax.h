/* one_liner_syntax.h - parses a program of bpftrace or ply into blocks and expressions.
 *
 * Use:    liner_parse() into the caller's tree; nodes are indices into it, 0 is none. All texts
 *         point into the parsed text, which must outlive the tree.
 * Source: bpftrace(8), ply(1). Syntax only: what a name means is one_liner_value.c's matter.
 * Thread: any; pure, allocates nothing.
 */
#ifndef FINDER_ONE_LINER_SYNTAX_H
#define FINDER_ONE_LINER_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define LINER_NODES_MAX	  1200	/* the largest tool of bpftrace 0.17 has 700 */
#define LINER_POINTS_MAX  64
#define LINER_CLAUSES_MAX 24

enum liner_node_kind {
	LINER_NUMBER, LINER_STRING,	/* `text`: as typed, with quotes and escapes */
	LINER_NAME, LINER_VARIABLE,	/* `text`: "comm"; "$x" */
	LINER_POSITIONAL,		/* `text`: "$1" */
	LINER_MAP,		/* `text`: "@x"; `first`: its keys */
	LINER_CALL,		/* `text`: the function; `first`: its arguments */
	LINER_MEMBER,		/* `text`: the member; `first`: whose; `is_arrow` */
	LINER_INDEX,		/* `first`[`second`] */
	LINER_CAST,		/* `text`: the type; `first` */
	LINER_UNARY,		/* `text`: the sign; `first` */
	LINER_BINARY,		/* `text`: the sign; `first`, `second` */
	LINER_TERNARY,		/* `first` ? `second` : `third` */
	/* Statements, which are linked by `next`; a call is one, too: */
	LINER_ASSIGN,		/* `text`: the sign, "=" or "+="; `first`, `second` */
	LINER_INCREMENT,	/* `text`: "++" or "--"; `first` */
	LINER_IF,		/* `first`: the condition; `second`, `third`: statements */
	LINER_ELSE_MARK,	/* begins the statements of an else */
};

struct liner_node {
	enum liner_node_kind kind;
	bool is_arrow;
	size_t at;		/* byte of the text, for columns */
	const char *text;	/* BORROWED from the parsed text; not terminated */
	size_t bytes;
	uint32_t first, second, third;
	uint32_t next;		/* next of a list: statements, arguments, keys */
};

/* An attach point as typed: "kprobe:vfs_read". */
struct liner_point_text {
	size_t at, bytes;
};

struct liner_clause {
	size_t at;
	uint32_t point, point_count;	/* in `points` */
	uint32_t filter;	/* an expression; 0: none */
	uint32_t body;		/* statements */
};

struct liner_tree {
	const char *text;
	struct liner_node nodes[LINER_NODES_MAX];	/* nodes[0] is not used */
	uint32_t node_count;
	struct liner_point_text points[LINER_POINTS_MAX];
	uint32_t point_count;
	struct liner_clause clauses[LINER_CLAUSES_MAX];
	uint32_t clause_count;
};

/* Parses @text. 0 or -EINVAL with a sentence that names the column. */
int liner_parse(struct liner_tree *out, const char *text, struct diag *why);

/* Returns the offset of the first byte of @text that is neither blank nor part of a comment or of a
 * line with #. */
size_t liner_skip_blanks(const char *text, size_t at);

/* True: the text of @node is @word. */
bool liner_is(const struct liner_node *node, const char *word);

#endif
