/* character_kinds.h - what of Unicode nobody sees, and what sits on the character before.
 *
 * Use:    the sanitizer's. Tables, written by tests/oracle/check_characters, which proves them.
 * Source: UnicodeData.txt, DerivedCoreProperties.txt.
 * Thread: any, pure.
 */
#ifndef BASE_CHARACTER_KINDS_H
#define BASE_CHARACTER_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* Controls, format characters, separators and spaces but ' ', private use, what is not assigned. */
bool character_is_hidden(uint32_t code);
/* Combining marks without a width of their own. */
bool character_is_mark(uint32_t code);

#endif
