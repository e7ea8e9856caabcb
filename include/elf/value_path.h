/* value_path.h - what a typed argument of a probe means: "count", "a->b.c", "arr[1]",
 * "$retval->id", or a fetch argument of the kernel's own ("%di", "+8(%si)", "$stack2").
 *
 * Source: perf-probe(1) "PROBE ARGUMENT"; Documentation/trace/uprobetracer.rst.
 * Thread: any; pure.
 */
#ifndef ELF_VALUE_PATH_H
#define ELF_VALUE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define VALUE_NAME_BYTES 64
#define VALUE_STEPS_MAX	 8

enum value_base {
	VALUE_VARIABLE,		/* `name` */
	VALUE_ARGUMENT,		/* $argN: `number`, from 1 */
	VALUE_RETURNED,		/* $retval */
	VALUE_RAW,		/* for the kernel as it is */
};

enum value_step_kind { VALUE_ARROW, VALUE_DOT, VALUE_INDEX };

struct value_step {
	enum value_step_kind kind;
	char name[VALUE_NAME_BYTES];	/* ARROW, DOT */
	uint32_t index;			/* INDEX */
};

struct value_path {
	enum value_base base;
	char name[VALUE_NAME_BYTES];
	uint32_t number;
	struct value_step steps[VALUE_STEPS_MAX];
	uint32_t step_count;
};

/* 0 or -EINVAL with a sentence. */
int value_path_parse(struct value_path *out, const char *text, struct diag *why);
/* True for what only a return has. */
bool value_path_is_return(const char *text);

#endif
