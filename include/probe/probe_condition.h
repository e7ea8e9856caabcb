/* probe_condition.h - the filter of a probe: "count > 1000 and comm == nginx", "lat > 5ms".
 *
 * Grammar: or/||, and/&&, not/!, parentheses around NAME OPERATOR VALUE, where OPERATOR is
 *          == != < <= > >= & (has one of these bits) ~ (matches a pattern with * and ?).
 *          NAME: a value of the probe, or comm, pid (of the process), tid, cpu, lat, ret ($retval).
 *          args.NAME (args->NAME) is a value even where it is called pid or comm.
 *          VALUE: a number: decimal, 0x, negative, with k M G (1024 each) or a time with ns us ms s
 *          (becomes ns; fractions are fine); or text: a bare word or "in quotes".
 * Use:     parsed once; evaluated for each hit in the analyzer, or written in the kernel's filter
 *          language where the kernel can evaluate it.
 * Thread:  any; pure, allocates nothing.
 */
#ifndef PROBE_PROBE_CONDITION_H
#define PROBE_PROBE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define PROBE_CONDITION_NODES 32
#define PROBE_CONDITION_TEXT  64
#define PROBE_CONDITION_NAME  96	/* long enough for "file->f_path.dentry" */

enum probe_operand {
	OPERAND_VALUE,		/* a value of the probe, looked up by name */
	OPERAND_COMM, OPERAND_PID, OPERAND_TID, OPERAND_CPU,
	OPERAND_LATENCY,	/* latency in ns */
	OPERAND_RETURN,
};

enum probe_operator {
	OPERATOR_EQUAL, OPERATOR_UNEQUAL, OPERATOR_LESS, OPERATOR_LESS_EQUAL, OPERATOR_MORE,
	OPERATOR_MORE_EQUAL, OPERATOR_BITS, OPERATOR_GLOB,	/* comparisons */
	OPERATOR_NOT, OPERATOR_AND, OPERATOR_OR,		/* applied to what precedes */
};

/* In postfix order: a comparison pushes its result, NOT, AND and OR pop theirs. */
struct probe_node {
	enum probe_operator kind;
	enum probe_operand operand;
	char name[PROBE_CONDITION_NAME];	/* as typed; OPERAND_VALUE: without "args." */
	bool is_text;		/* `text` is not a number */
	bool is_pointed;	/* the record has only the address of this text: only the kernel's
				 * filter can follow it (Linux 5.18) */
	bool is_negative;
	bool is_time;		/* the number was typed with a unit of time, and is in ns */
	uint64_t number;	/* magnitude */
	char text[PROBE_CONDITION_TEXT];	/* numbers, too: a text field may be "42" */
};

static inline bool probe_node_is_comparison(const struct probe_node *node)
{
	return node->kind < OPERATOR_NOT;
}

struct probe_condition {
	struct probe_node nodes[PROBE_CONDITION_NODES];
	uint32_t count;		/* 0: no condition, everything matches */
};

/* An operand's value for one hit. */
struct probe_value {
	bool is_known;		/* false: it could not be read: every comparison is false */
	bool is_text;
	bool is_signed;
	uint64_t number;	/* two's complement when signed */
	const char *text;	/* BORROWED; need not be terminated */
	size_t text_bytes;
	/* A process's address that was resolved: the DSO that `number` is an offset in, and its
	 * serial. 0: `number` is as recorded. */
	uint32_t dso, serial;
};

/* Fills @out with the value of @operand (OPERAND_VALUE: the one named @name). */
typedef void probe_lookup(const void *context, enum probe_operand operand, const char *name,
			  struct probe_value *out);

/* Parses @text. 0 or -EINVAL: @why says in which column the error is, and what would be right. */
int probe_condition_parse(struct probe_condition *out, const char *text, struct diag *why);
/* Parses @line from byte @from on; columns count from the start of @line. */
int probe_condition_parse_from(struct probe_condition *out, const char *line, size_t from,
			       struct diag *why);

/* Evaluates the condition. Comparing an unknown value, or a number with a word, gives false. */
bool probe_condition_holds(const struct probe_condition *condition, probe_lookup *lookup,
			   const void *context);
/* False: process, CPU and time suffice to evaluate it, without values and without the return. */
bool probe_condition_needs_values(const struct probe_condition *condition);
/* Copies part @index, from 0, of the parts that "and" joins: "a and (b or c)" has two. False: there
 * are no more. */
bool probe_condition_part(const struct probe_condition *condition, uint32_t index,
			  struct probe_condition *out);
/* Makes @to "@to and @part". There is always room as long as all are parts of one condition. */
void probe_condition_join(struct probe_condition *to, const struct probe_condition *part);
bool probe_condition_has_pointed(const struct probe_condition *condition);

/* Writes the condition as it could be typed, with the names of its nodes. False: @room is too
 * small; @out is then not to be used. */
bool probe_condition_write(const struct probe_condition *condition, char *out, size_t room);

/* Writes the condition, over fields of the record, in the kernel's filter language
 * (PERF_EVENT_IOC_SET_FILTER). False: the kernel can't express it (pid, tid, lat, names that are no
 * identifier, patterns that it would read in another way), or @room is too small; @out is then not
 * to be used. The kernel may still refuse it: EINVAL if a field has the wrong type (text, or
 * unsigned and the number negative), EEXIST because an event takes only one filter in its life. */
bool probe_condition_kernel_text(const struct probe_condition *condition, char *out, size_t room);

#endif
