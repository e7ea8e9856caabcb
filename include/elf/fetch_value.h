/* fetch_value.h - the fetch argument for one value of a probe, or why it can't be fetched.
 *
 * Use:    fetch_value_put() when the value's location and type are known (debug information, BTF);
 *         otherwise fetch_value_put_raw() or fetch_value_put_by_convention().
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
	char type[FETCH_NAME_BYTES];	/* type as in the source; "": unknown */
	char reason[FETCH_REASON_BYTES];
	enum fetch_kind kind;
};

/* Fetches the value at @place as @type, a kernel fetch type. Strings and arrays are fetched from
 * memory at @place itself; if @place holds a pointer to them, set @is_pointer to follow it. */
void fetch_value_put(struct fetch_value *out, const struct fetch_place *place, bool is_pointer,
		     const char *type);
/* Fetches a bitfield: @bits bits from @first_bit on, counted from @place; its type has @bytes. */
void fetch_value_put_bits(struct fetch_value *out, const struct fetch_place *place,
			  uint32_t first_bit, uint32_t bits, uint64_t bytes);
void fetch_value_refuse(struct fetch_value *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Fetches @value, a fetch argument, as the user wrote it. */
void fetch_value_put_raw(struct fetch_value *out, const char *value, const char *type);
/* Fetches @path by the AMD64 calling convention; @at_begin: the probe is on the function's first
 * instruction. */
void fetch_value_put_by_convention(struct fetch_value *out, const struct value_path *path,
				   const char *type, bool at_begin, bool is_32_bit);

#endif
