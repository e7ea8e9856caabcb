/* busy.h - how busy the machine was, from /proc/stat: cycles does not sample idle, so samples can't
 * tell. Source: proc(5), /proc/stat. Thread: the analyzer's. */
#ifndef MODEL_BUSY_H
#define MODEL_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUSY_POINTS 128		/* readings kept: one a refresh */

struct busy_point {
	uint64_t time_ns, busy, total;	/* clock ticks of all CPUs since boot */
};

struct busy {
	struct busy_point points[BUSY_POINTS];
	uint64_t count;			/* ever; the newest is points[(count - 1) % BUSY_POINTS] */
};

/* Reads /proc/stat now. */
void busy_read(struct busy *busy, uint64_t now_ns);
/* Busy share from @since_ns (or the nearest reading to it) to the newest reading, 0..100; below 0:
 * not known. */
double busy_pct(const struct busy *busy, uint64_t since_ns);

/* The parser alone: the "cpu " line of @text. False: no such line. */
bool busy_parse(const char *text, uint64_t *busy, uint64_t *total);

#endif
