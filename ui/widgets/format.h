/* format.h - formats numbers for people, in a bounded width that does not flicker.
 * Thread: any, no state. */
#ifndef UI_FORMAT_H
#define UI_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORMAT_BYTES 32		/* room enough for every number below */

/* All of these return @out[FORMAT_BYTES]. At most 5 cells: 9999, 78.9k, 1.23M, 456G. */
char *format_count(char *out, uint64_t count);
/* Powers of 1000: "512 B", "1.2 MB", "38 MB". */
char *format_bytes(char *out, uint64_t bytes);
/* "250 ms", "2.5 s", "10 s", "4 m 05 s", "2 h 03 m". */
char *format_duration(char *out, double seconds);
/* At most 6 cells: "999ns", "1.23µs", "48.0ms", "2.50s"; beyond 9999 s more. */
char *format_latency(char *out, uint64_t ns);
/* At most 7 cells: "999 ns", "1.23 µs", "48.0 ms", "2.50 s"; beyond 9999 s more. */
char *format_wait(char *out, double ns);
/* Time left of a lease: "9:41", "1h05"; "-" when @seconds < 0. At most 5 cells below 100 h. */
char *format_lease(char *out, double seconds);
/* "18.42"; from 100 on with one digit less, so that it never exceeds 6 cells. */
char *format_pct(char *out, double pct);

/* A bar of up to @cells cells in eighths of a cell (whole '#' when @is_ascii) for @fraction of
 * 0..1. A nonzero fraction shows at least the smallest step. Needs 3 bytes per cell + 1 in
 * @out[@cap]. */
char *format_bar(char *out, size_t cap, int cells, double fraction, bool is_ascii);

#endif
