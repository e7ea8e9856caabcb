/* fetch_value.h - one value of a probe as the kernel is told to fetch it, or why it can't be.
 *
 * Use:    once its place and its type are known (debug information, BTF): fetch_value_put(). Where
 *         nothing is known, as the user wrote it, or by the calling convention.
 * Thread: any; pure.
 */
#ifndef ELF_FETCH_VALUE_H
#define ELF_FETCH_VALUE_H

#include "elf/value_path.h"
#include "sandbox/fetch_text.h"

#define FETCH_NAME_BYTES   48
#define FETCH_REASON_BYTES 96

struct fetch_value {
	char fetch[FETCH_TEXT_BYTES];	/* "": `reason` says why */
	char type[FETCH_NAME_BYTES];	/* as in the source; "" unknown */
	char reason[FETCH_REASON_BYTES];
	enum fetch_kind kind;
};

/* What is at @place as @type, a word of the kernel's. A text is what lies at a place: where @place
 * holds a pointer, pass @is_pointer, and it is followed. */
void fetch_value_put(struct fetch_value *out, const struct fetch_place *place, bool is_pointer,
		     const char *type);
/* A bitfield: @bits from the @first_bit of what is at @place on, of a type of @bytes. */
void fetch_value_put_bits(struct fetch_value *out, const struct fetch_place *place,
			  uint32_t first_bit, uint32_t bits, uint64_t bytes);
void fetch_value_refuse(struct fetch_value *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* @value as the user wrote it. */
void fetch_value_put_raw(struct fetch_value *out, const char *value, const char *type);
/* By AMD64's calling convention; @at_begin: no instruction of the function was run yet. */
void fetch_value_put_by_convention(struct fetch_value *out, const struct value_path *path,
				   const char *type, bool at_begin, bool is_32_bit);

#endif
