/* probe_number.h - reads numbers as conditions, limits and expressions have them: "64k", "1.5ms".
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_NUMBER_H
#define PROBE_PROBE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses all of @text: decimal or 0x, after a '-' or not, with k K M G (1024 each) or a time, which
 * becomes ns; fractions need such a unit. False: it is no number, or too large. @number is the
 * magnitude. */
bool probe_number_read(const char *text, uint64_t *number, bool *is_negative, bool *is_time);

/* Writes @number so that it is read back: a time with its largest unit if @is_time, else with k, M
 * or G where it is a multiple of 1024. Returns the length as snprintf(). */
size_t probe_number_write(int64_t number, bool is_time, char *out, size_t room);

#endif
