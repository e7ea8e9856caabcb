/* busy.h - how busy the machine and each CPU was, from /proc/stat: cycles does not sample idle, so
 * samples can't tell. Source: proc(5), /proc/stat. Thread: the analyzer's. */
#ifndef ANALYZER_BUSY_H
#define ANALYZER_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readings kept: ten a second for the last 10 s, one a second for as long as the activity graph
 * shows, then one a minute for two hours or more. */
#define BUSY_POINTS 1440

#define BUSY_GONE   8	/* offline CPUs kept by number */

struct busy_cpu {		/* ticks since boot; they may wrap, only differences count */
	uint32_t busy, total;	/* both 0: offline */
};

struct busy_point {
	uint64_t time_ns, busy, total;	/* clock ticks of all CPUs since boot */
	struct busy_cpu *cpus;		/* owned; by CPU number */
	uint32_t cpu_count;
};

struct busy {
	struct busy_point points[BUSY_POINTS];	/* oldest first */
	uint32_t count;
	uint64_t read_ns;	/* time of the last attempt to read */
	uint32_t gone[BUSY_GONE];	/* CPUs that went offline between two readings */
	uint32_t gone_count;	/* different CPUs; beyond BUSY_GONE repeats count, too */
	uint64_t steal_first, steal;	/* clock ticks of all CPUs, first and last reading */
	bool has_steal;
	char *text;		/* owned; /proc/stat as it was read */
	size_t text_bytes;
};

void busy_finish(struct busy *busy);

/* Reads /proc/stat now. If that fails, the time has no reading. */
void busy_read(struct busy *busy, uint64_t now_ns);
/* Returns when the next reading is due, so that every second has one. */
uint64_t busy_due_ns(const struct busy *busy);
/* Adds a reading from the text of /proc/stat, read at @now_ns, after all earlier readings. */
void busy_add(struct busy *busy, uint64_t now_ns, const char *text);

/* Return the busy share between the readings around @since_ns and @until_ns, or the nearest ones,
 * 0..100; < 0: unknown. For one CPU: the share of its time online. */
double busy_pct(const struct busy *busy, uint64_t since_ns, uint64_t until_ns);
double busy_cpu_pct(const struct busy *busy, uint32_t cpu, uint64_t since_ns, uint64_t until_ns);
/* Returns the steal time (proc(5)) of all CPUs between the first reading and the last. */
uint64_t busy_stolen_ns(const struct busy *busy);
/* Returns the busy share between two readings, the earlier one first: 0..100; < 0: unknown. */
double busy_point_pct(const struct busy_point *from, const struct busy_point *to);

/* Parses the first line of @text, for all CPUs ("cpu ", @cpu -1) or one ("cpu3 "), into ticks.
 * False: it is another line. */
bool busy_parse(const char *text, int64_t *cpu, uint64_t *busy, uint64_t *total);

/* Joins @asked, a notice, and one about CPUs that went offline: the kernel ends their events, and
 * does not begin them again when they come back. The caller must free() it. NULL: no memory. */
char *busy_notice(const struct busy *busy, const char *asked);

#endif
