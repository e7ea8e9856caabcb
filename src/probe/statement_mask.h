/* statement_mask.h - the value function norm(): makes texts equal that differ only in constants.
 *
 *   SELECT a FROM t1 WHERE id = 42 AND n = 'x''y'   ->  SELECT a FROM t1 WHERE id = ? AND n = ?
 *   INSERT INTO t VALUES (1, -2.5e3, "z")           ->  INSERT INTO t VALUES (?, ...)
 *
 * Thread: any; pure.
 */
#ifndef PROBE_STATEMENT_MASK_H
#define PROBE_STATEMENT_MASK_H

#include <stddef.h>

/* Writes @text[@bytes] to @out[@room], terminated. Replaces each number that is no part of a name
 * and each quoted text by ?, a list of these by its first one and "...", blanks by one. Cuts off
 * what does not fit. Returns the length. */
size_t statement_mask(const char *text, size_t bytes, char *out, size_t room);

#endif
