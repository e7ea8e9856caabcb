/* fetch_text.h - the location of a value, built step by step, and its fetch argument in the syntax
 * of kprobe_events and uprobe_events.
 *
 *   register %di --follow--> memory at (%di) + 0 --add 16--> memory at (%di) + 16
 *                --follow--> memory at (+16(%di)) + 0 ...          "+0(+16(%di)):string"
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
#define FETCH_ARGUMENT_REGISTERS 6	/* registers for arguments of class INTEGER */

enum fetch_kind { FETCH_SIGNED, FETCH_UNSIGNED, FETCH_HEX, FETCH_TEXT, FETCH_SYMBOL };

struct fetch_place {
	char base[FETCH_TEXT_BYTES];	/* "%di", "$retval"; "": no location, or nested too deep */
	bool is_memory;			/* the value is in memory at base + offset, else in base */
	int64_t offset;
};

struct fetch_place fetch_register(const char *base);
struct fetch_place fetch_memory(const char *base, int64_t offset);
/* Returns the location that the pointer at @place points to. */
struct fetch_place fetch_follow(const struct fetch_place *place);

/* Writes the fetch argument of @place with @type, e.g. "u32", "string", "b3@5/32"; a string's
 * characters are at @place itself. Returns false if @place has no location or the text is too
 * long. */
bool fetch_write(const struct fetch_place *place, const char *type, char out[FETCH_TEXT_BYTES]);

/* Returns the name of the AMD64 register with this DWARF number; NULL: no probe can read it. */
const char *fetch_dwarf_register(unsigned int number);
/* Returns the location, at the function's first instruction, of argument @index (from 0) of class
 * INTEGER, assuming that the stack arguments before it are all of class INTEGER. */
struct fetch_place fetch_argument(unsigned int index);

/* Writes an integer type such as "s32" or "u8". Returns false unless @bytes is 1, 2, 4 or 8. */
bool fetch_integer_type(char out[FETCH_TYPE_BYTES], char letter, uint64_t bytes);
enum fetch_kind fetch_kind_of(const char *type);

#endif
