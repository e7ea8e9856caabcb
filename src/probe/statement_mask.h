/* statement_mask.h - texts that differ in constants only become one: the value function norm().
 *
 *   SELECT a FROM t1 WHERE id = 42 AND n = 'x''y'   ->  SELECT a FROM t1 WHERE id = ? AND n = ?
 *   INSERT INTO t VALUES (1, -2.5e3, "z")           ->  INSERT INTO t VALUES (?, ...)
 *
 * Thread: any; pure.
 */
#ifndef PROBE_STATEMENT_MASK_H
#define PROBE_STATEMENT_MASK_H

#include <stddef.h>

/* Writes @text[@bytes] to @out[@room], terminated, with ? for each number that is no part of a name
 * and for each quoted text; a list of these is its first one and "...", blanks are one. What does
 * not fit is cut off. Returns the length. */
size_t statement_mask(const char *text, size_t bytes, char *out, size_t room);

#endif
