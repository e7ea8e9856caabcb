/* probe_clauses.h - the clauses of a spec after its values: on, by and ':'.
 *
 * Use:    each parser reads @line from byte @from to its end, which is the end of the clause;
 *         columns count from the start of @line. The condition is parsed before: arguments that
 *         clauses imply are in the order of the clauses.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_CLAUSES_H
#define PROBE_PROBE_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

enum probe_clause { CLAUSE_IF, CLAUSE_ON, CLAUSE_BY, CLAUSE_AGGREGATES, CLAUSES };

/* Where the clauses of a line are. */
struct probe_clauses {
	size_t head_bytes;		/* length up to the first one */
	size_t words[CLAUSES];		/* byte of the clause's word; 0: there is none */
	size_t from[CLAUSES];		/* byte after the word */
	size_t bytes[CLAUSES];		/* length from the word to the next one, or to the end */
};

/* Finds the clauses of @line from byte @at on, which is after the point. 0; -EINVAL: one is there
 * twice. */
int probe_clauses_find(struct probe_clauses *out, const char *line, size_t at, struct diag *why);

int probe_joins_parse(struct probe_spec *spec, const char *line, size_t from, struct diag *why);
int probe_keys_parse(struct probe_spec *spec, const char *line, size_t from, struct diag *why);
int probe_aggregates_parse(struct probe_spec *spec, const char *line, size_t from,
			   struct diag *why);

/* Refuses points that nothing joins, or of which one stands in two stages, and with joins what has
 * no second point. @at: byte of the point. */
int probe_joins_check(struct probe_spec *spec, size_t at, struct diag *why);
/* True: the field @on, of @spec, has one name at all points. */
bool probe_on_is_same(const struct probe_spec *spec, const struct probe_on *on);

/* Parses an expression from byte *@at of @line and moves *@at past it. 0 or -EINVAL. */
int probe_expression_parse(struct probe_spec *spec, const char *line, size_t *at,
			   struct probe_expression *out, struct diag *why);
/* Writes @expression as it could be typed. Returns the length as snprintf(). */
size_t probe_expression_write(const struct probe_spec *spec,
			      const struct probe_expression *expression, char *out, size_t room);

/* Finds or adds the argument that @word[@bytes], from byte @at of the line, means in a key or
 * expression. 0 or -EINVAL. */
int probe_operand_parse(struct probe_spec *spec, const char *word, size_t bytes, size_t at,
			uint32_t *index, struct diag *why);
/* Writes the argument at @index as an operand or key could be typed. Returns the length as
 * snprintf(). */
size_t probe_operand_write(const struct probe_spec *spec, uint32_t index, char *out, size_t room);
/* Finds the key that @word[@bytes] means on its own; -1: it is none. */
int probe_key_word(const char *word, size_t bytes);
/* True: @argument was typed as a text, or is masked. */
bool probe_operand_is_text(const struct probe_argument *argument);

#endif
