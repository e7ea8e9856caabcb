/* fetch_text.h - a value's place, grown step by step, and its fetch argument in the words of
 * kprobe_events and uprobe_events.
 *
 *   register %di --follow--> memory 0 behind (%di) --add 16--> 16 behind (%di)
 *                --follow--> 0 behind (+16(%di)) ...               "+0(+16(%di)):string"
 *
 * Source: Documentation/trace/kprobetrace.rst, uprobetracer.rst; System V ABI, AMD64, 3.2.3.
 * Thread: any; pure.
 */
#ifndef SANDBOX_FETCH_TEXT_H
#define SANDBOX_FETCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FETCH_TEXT_BYTES 160
#define FETCH_TYPE_BYTES 24
#define FETCH_ARGUMENT_REGISTERS 6	/* of class INTEGER */

enum fetch_kind { FETCH_SIGNED, FETCH_UNSIGNED, FETCH_HEX, FETCH_TEXT, FETCH_SYMBOL };

struct fetch_place {
	char base[FETCH_TEXT_BYTES];	/* "%di", "$retval"; "": nowhere, or too deep to be said */
	bool is_memory;			/* it lies at `offset` behind what `base` is, else in it */
	int64_t offset;
};

struct fetch_place fetch_register(const char *base);
struct fetch_place fetch_memory(const char *base, int64_t offset);
/* What the pointer at @place points to. */
struct fetch_place fetch_follow(const struct fetch_place *place);

/* Writes @place as "@type", e.g. "u32", "string", "b3@5/32"; texts are what lies at the place.
 * False: it is nowhere, or does not fit. */
bool fetch_write(const struct fetch_place *place, const char *type, char out[FETCH_TEXT_BYTES]);

/* The AMD64 register, by its number in DWARF; NULL: none that a probe can read. */
const char *fetch_dwarf_register(unsigned int number);
/* Where argument @index (from 0) of class INTEGER is when its function begins, where only such ones
 * are on the stack before it. */
struct fetch_place fetch_argument(unsigned int index);

/* "s32", "u8": @bytes is 1, 2, 4 or 8; false: no such type. */
bool fetch_integer_type(char out[FETCH_TYPE_BYTES], char letter, uint64_t bytes);
enum fetch_kind fetch_kind_of(const char *type);

#endif
