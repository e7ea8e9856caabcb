/* fetch_value.h - the fetch argument for one value of a probe, or why it can't be fetched.
 *
 * Use:    fetch_value_put() when the value's location and type are known (debug information, BTF);
 *         otherwise fetch_value_put_raw() or fetch_value_put_by_convention().
 * Thread: any; pure.
 */
#ifndef ELF_FETCH_VALUE_H
#define ELF_FETCH_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "sandbox/probe_points.h"

/* Parses an argument of a probe as the user wrote it: "count", "a->b.c", "arr[1]",
 * "$retval->id", or a fetch argument in the kernel's syntax ("%di", "+8(%si)", "$stack2").
 *
 * Source: perf-probe(1) "PROBE ARGUMENT"; Documentation/trace/uprobetracer.rst.
 */

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

#define FETCH_NAME_BYTES   48
#define FETCH_REASON_BYTES 96

struct fetch_value {
	char fetch[FETCH_TEXT_BYTES];	/* "": `reason` says why */
	char type[FETCH_NAME_BYTES];	/* type as in the source; "": unknown */
	char reason[FETCH_REASON_BYTES];
	enum fetch_kind kind;
	bool is_located;	/* see struct point_value */
};

/* Fetches the value at @place as @type, a kernel fetch type. Strings and arrays are fetched from
 * memory at @place itself; if @place holds a pointer to them, set @is_pointer to follow it. */
void fetch_value_put(struct fetch_value *out, const struct fetch_location *place, bool is_pointer,
		     const char *type);
/* Fetches a bitfield: @bits bits from @first_bit on, counted from @place; its type has @bytes. */
void fetch_value_put_bits(struct fetch_value *out, const struct fetch_location *place,
			  uint32_t first_bit, uint32_t bits, uint64_t bytes);
void fetch_value_refuse(struct fetch_value *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Fetches @value, a fetch argument, as the user wrote it. */
void fetch_value_put_raw(struct fetch_value *out, const char *value, const char *type);
/* Fetches @path by @machine's calling convention; @at_begin: the probe is on the function's first
 * instruction. */
void fetch_value_put_by_convention(struct fetch_value *out, const struct value_path *path,
				   const char *type, bool at_begin, enum machine machine);

/* Argument strings in the notes of USDT probes -> fetch arguments:
 * "-4@%eax 8@-24(%rbp) -4@$6 8@x(%rip)" on x86, "-4@w0 8@[sp, 24] -4@6 8@[x1, x2]" on AArch64.
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; GNU as, operands.
 * Trust:  the text is untrusted.
 */

/* One argument of one site of a USDT probe. */
struct usdt_argument {
	struct fetch_location place;
	uint32_t bytes;			/* 1, 2, 4, 8 */
	bool has_size;			/* `bytes` and `is_signed` come from the note */
	bool is_signed;
	bool is_constant;		/* "$6", or "6": the value is `number` */
	int64_t number;
	char reason[FETCH_REASON_BYTES];	/* why it can't be fetched; "": it can */
};

/* Reads the argument at *@at, of a program for @machine, and advances *@at past it; false: none
 * left. */
bool usdt_argument_next(const char **at, enum machine machine, struct usdt_argument *out);

/* Writes how to fetch the argument at site @index of @copies[@count], @index < @count; all sites
 * get the same layout. If one site can't be fetched, all are refused, with the reason in @out.
 * @wanted: the type that the user asked for, or "". */
void usdt_argument_fetch(const struct usdt_argument *copies, size_t count, size_t index,
			 const char *wanted, struct fetch_value *out);

#endif
