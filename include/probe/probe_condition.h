/* probe_condition.h - the filter of a probe: "count > 1000 and comm == nginx", "lat > 5ms".
 *
 * Grammar: or/||, and/&&, not/!, == != < <= > >= & (bits), ~ (glob of text), parentheses. Names are
 *          the probe's values, or comm, pid, tid, cpu, lat, ret (also $retval). Numbers: decimal,
 *          0x, negative, with k M G, and times with ns us ms s. Text: bare word or "in quotes".
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
	enum probe_operator operator;
	enum probe_operand operand;
	char name[32];		/* OPERAND_VALUE */
	bool is_text;
	bool is_negative;
	uint64_t number;	/* magnitude */
	char text[PROBE_CONDITION_TEXT];
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
};

/* Says what @operand (OPERAND_VALUE: @name) is. */
typedef void probe_lookup(const void *context, enum probe_operand operand, const char *name,
			  struct probe_value *out);

/* 0 or -EINVAL with a sentence. */
int probe_condition_parse(struct probe_condition *out, const char *text, struct diag *why);
bool probe_condition_holds(const struct probe_condition *condition, probe_lookup *lookup,
			   const void *context);
/* True if all operands are among @names[@count] (values of one event record). */
bool probe_condition_uses_only(const struct probe_condition *condition, const char *const *names,
			       size_t count);
/* The same in the kernel's filter language (PERF_EVENT_IOC_SET_FILTER), of values in the record.
 * False: the kernel has no word for it, or @room is too small. Texts are quoted. */
bool probe_condition_kernel_text(const struct probe_condition *condition, char *out, size_t room);

#endif
