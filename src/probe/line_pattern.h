/* line_pattern.h - which lines of a source text match the pattern of FUNC;PATTERN.
 *
 * A pattern is perf's: * ? and [a-z], [!a-z] as in glob(7), \X for X itself; blanks, of the pattern
 * and of the line, do not count: "a=*" matches "a=b", " a = b;" and "a == b", and not "x; a=b".
 *
 * Source: perf-probe(1), LAZY MATCHING.
 * Thread: any. Pure.
 */
#ifndef PROBE_LINE_PATTERN_H
#define PROBE_LINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether @pattern matches the whole of @line[@bytes]. */
bool line_pattern_matches(const char *pattern, const char *line, size_t bytes);

/* Writes the numbers, from 1 and rising, of the lines of @text[@bytes] from @first on to @last that
 * match to @out[@room]. Returns how many match: more than @room if not all are written. */
size_t line_pattern_find(const char *pattern, const char *text, size_t bytes, uint32_t first,
			 uint32_t last, uint32_t *out, size_t room);

#endif
