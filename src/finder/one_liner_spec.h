/* one_liner_spec.h - the parts of a spec that a block of a one-liner becomes.
 *
 * Use:    add conditions, keys, aggregates and printed texts in any order, then write it once.
 * Errors: -EINVAL with a sentence in scope->why, when there is no counterpart.
 * Thread: any; pure, allocates nothing.
 */
#ifndef FINDER_ONE_LINER_SPEC_H
#define FINDER_ONE_LINER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "one_liner_value.h"
#include "probe/probe_spec.h"

#define LINER_PART_BYTES   256
#define LINER_FORMAT_BYTES 128	/* that of a spec */

/* A value that the spec lists. */
struct liner_listed {
	char name[32];
	char text[96], type[24];
	bool is_named;		/* `name` has to be written: it is not the one that it gets */
	bool is_printed;	/* a conversion of the format takes it: those come first */
};

struct liner_spec {
	struct liner_listed values[PROBE_ARGUMENTS_MAX];
	uint32_t value_count;
	char condition[LINER_PART_BYTES];
	char on[LINER_PART_BYTES];
	char keys[LINER_PART_BYTES];
	uint32_t key_count;
	char aggregates[LINER_PART_BYTES];
	bool has_aggregate;	/* `aggregates` "" with it: count, the default */
	bool has_print;
	char format[LINER_FORMAT_BYTES];
};

/* Adds the condition @at, which must hold, too. @is_opposite: its opposite must. */
int liner_spec_condition(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
			 bool is_opposite);
/* Adds the keys of a map, @first and those linked to it. */
int liner_spec_keys(struct liner_spec *spec, struct liner_scope *scope, uint32_t first);
/* Adds the aggregate of the call @at: count(), hist(x), stats(x). */
int liner_spec_aggregate(struct liner_spec *spec, struct liner_scope *scope, uint32_t at);
/* Adds "count", or "sum(x)" of the expression @at if it is not 0. */
int liner_spec_sum(struct liner_spec *spec, struct liner_scope *scope, uint32_t at);
/* Adds what the call @at of printf, print or join prints. */
int liner_spec_print(struct liner_spec *spec, struct liner_scope *scope, uint32_t at);

/* Writes the spec of @target. -EINVAL: it is too long. */
int liner_spec_write(const struct liner_spec *spec, const char *target,
		     char out[PROBE_SPEC_BYTES], struct liner_scope *scope);

/* For one_liner_condition.c. */

/* Appends to @out[@room], terminated. False: no room; nothing is appended. */
bool liner_append(char *out, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int liner_too_long(const struct liner_scope *scope, const struct liner_node *node);
bool liner_is_in(const char *name, const char *const words[], size_t count);
/* True: in a condition, or as a key, the name means something else than a value. */
bool liner_is_reserved(const struct liner_scope *scope, const char *name);
/* True: the text stands for the value where no type is known: in conditions and aggregates. */
bool liner_is_bare(const struct liner_value *value);
/* Returns the name of a listed value, BORROWED from @spec, and lists it if it was not; NULL:
 * refused. */
const char *liner_spec_name(struct liner_spec *spec, struct liner_scope *scope,
			    const struct liner_value *value);

#endif
