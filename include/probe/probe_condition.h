/* probe_condition.h - the filter of a probe: "count > 1000 and comm == nginx", "lat > 5ms".
 *
 * Grammar: or/||, and/&&, not/!, parentheses around NAME OPERATOR VALUE, where OPERATOR is
 *          == != < <= > >= & (has one of these bits) ~ (matches a pattern with * and ?).
 *          NAME: a value of the probe, or comm, pid (of the process), tid, cpu, lat, ret ($retval).
 *          args.NAME (args->NAME) is a value even where it is called pid or comm.
 *          VALUE: a number: decimal, 0x, negative, with k M G (1024 each) or a time with ns us ms s
 *          (becomes ns; fractions are fine); or text: a bare word or "in quotes".
 * Use:     parsed once; evaluated for each hit in the analyzer, or said to the kernel where that
 *          can evaluate it.
 * Thread:  any; pure, without memory of its own.
 */
#ifndef PROBE_PROBE_CONDITION_H
#define PROBE_PROBE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define PROBE_CONDITION_NODES 32
#define PROBE_CONDITION_TEXT  64
#define PROBE_CONDITION_NAME  96	/* "file->f_path.dentry" */

enum probe_operand {
	OPERAND_VALUE,		/* a value of the probe, by its name */
	OPERAND_COMM, OPERAND_PID, OPERAND_TID, OPERAND_CPU,
	OPERAND_LATENCY,	/* ns */
	OPERAND_RETURN,
};

enum probe_operator {
	OPERATOR_EQUAL, OPERATOR_UNEQUAL, OPERATOR_LESS, OPERATOR_LESS_EQUAL, OPERATOR_MORE,
	OPERATOR_MORE_EQUAL, OPERATOR_BITS, OPERATOR_GLOB,	/* comparisons */
	OPERATOR_NOT, OPERATOR_AND, OPERATOR_OR,		/* of what is before them */
};

/* In postfix order: comparisons push, the last three take what was pushed. */
struct probe_node {
	enum probe_operator kind;
	enum probe_operand operand;
	char name[PROBE_CONDITION_NAME];	/* as typed; of VALUE without "args." */
	bool is_text;		/* can't be a number */
	bool is_pointed;	/* the record has only the address of this text: the kernel's filter
				 * alone can follow it (Linux 5.18) */
	bool is_negative;
	uint64_t number;	/* magnitude */
	char text[PROBE_CONDITION_TEXT];	/* of numbers, too: a field of text may be "42" */
};

struct probe_condition {
	struct probe_node nodes[PROBE_CONDITION_NODES];
	uint32_t count;		/* 0: none, everything matches */
};

/* What one hit is, for an evaluation. */
struct probe_value {
	bool is_known;		/* false: could not be read; nothing but "not" is true of it */
	bool is_text;
	bool is_signed;
	uint64_t number;	/* two's complement when signed */
	const char *text;	/* BORROWED; need not be terminated */
	size_t text_bytes;
	/* Of an address in a process, once it was looked up: its object, which `number` then counts
	 * in, and that object's serial. 0: it is the number that was recorded. */
	uint32_t object, serial;
};

/* Says what @operand (OPERAND_VALUE: @name) is. */
typedef void probe_lookup(const void *context, enum probe_operand operand, const char *name,
			  struct probe_value *out);

/* 0 or -EINVAL: the sentence says in which column, and what would be right. */
int probe_condition_parse(struct probe_condition *out, const char *text, struct diag *why);
/* What stands in @line from byte @from on; columns count from the begin of @line. */
int probe_condition_parse_from(struct probe_condition *out, const char *line, size_t from,
			       struct diag *why);

/* A comparison with what is not known, or of a number with a word, is false, whatever it is. */
bool probe_condition_holds(const struct probe_condition *condition, probe_lookup *lookup,
			   const void *context);
/* False: who, where and when is enough to tell, without values and without the return. */
bool probe_condition_needs_values(const struct probe_condition *condition);
/* The condition holds if each of its parts does: "a and (b or c)" has two. Part @index from 0;
 * false: there are no more. */
bool probe_condition_part(const struct probe_condition *condition, uint32_t index,
			  struct probe_condition *out);
/* @to becomes "@to and @part". There is room if all that is put into it are parts of one
 * condition. */
void probe_condition_join(struct probe_condition *to, const struct probe_condition *part);
bool probe_condition_has_pointed(const struct probe_condition *condition);

/* It in the kernel's filter language (PERF_EVENT_IOC_SET_FILTER), of values in the record.
 * False: the kernel has no word for it (pid, tid, lat, names that are no identifier, patterns that
 * it would read in another way), or @room is too small; @out is then not to be used. A field of the
 * record may still not be of the right type (text, or unsigned and the number negative): EINVAL. An
 * event takes one filter in its life: EEXIST. */
bool probe_condition_kernel_text(const struct probe_condition *condition, char *out, size_t room);

#endif
