/* value_path.h - parses an argument of a probe as the user wrote it: "count", "a->b.c", "arr[1]",
 * "$retval->id", or a fetch argument in the kernel's syntax ("%di", "+8(%si)", "$stack2").
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
	VALUE_RAW,		/* passed to the kernel unchanged */
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

/* Parses @text. Returns 0, or -EINVAL with the reason. */
int value_path_parse(struct value_path *out, const char *text, struct diag *why);
/* Returns whether @text is a value that only a return probe has. */
bool value_path_is_return(const char *text);

#endif
