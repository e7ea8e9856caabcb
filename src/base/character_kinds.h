/* character_kinds.h - finds invisible characters and combining marks of Unicode.
 *
 * Use:    by the sanitizer. Tables generated and verified by tests/oracle/check_characters.
 * Source: UnicodeData.txt, DerivedCoreProperties.txt.
 * Thread: any, pure.
 */
#ifndef BASE_CHARACTER_KINDS_H
#define BASE_CHARACTER_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true for controls, format characters, separators and spaces but ' ', private use and
 * unassigned characters. */
bool character_is_hidden(uint32_t code);
/* Returns true for combining marks of width 0. */
bool character_is_mark(uint32_t code);

#endif
