/* busy.h - how busy the machine and each CPU was, from /proc/stat: cycles does not sample idle, so
 * samples can't tell. Source: proc(5), /proc/stat. Thread: the analyzer's. */
#ifndef ANALYZER_BUSY_H
#define ANALYZER_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readings kept: of the last 10 s ten a second, of as much as the strip shows one a second, before
 * that one a minute, for two hours or more. */
#define BUSY_POINTS 1440

#define BUSY_GONE   8

struct busy_cpu {		/* ticks since boot; they may wrap, only differences count */
	uint32_t busy, total;	/* both 0: offline */
};

struct busy_point {
	uint64_t time_ns, busy, total;	/* clock ticks of all CPUs since boot */
	struct busy_cpu *cpus;		/* owned, by number */
	uint32_t cpu_count;
};

struct busy {
	struct busy_point points[BUSY_POINTS];	/* oldest first */
	uint32_t count;
	uint64_t read_ns;	/* the last try to read */
	uint32_t gone[BUSY_GONE];	/* CPUs that went offline between two readings */
	uint32_t gone_count;	/* of different ones; beyond BUSY_GONE one more each time */
	uint64_t steal_first, steal;	/* clock ticks of all CPUs, first and last reading */
	bool has_steal;
	char *text;		/* owned; /proc/stat as it was read */
	size_t text_bytes;
};

void busy_finish(struct busy *busy);

/* Reads /proc/stat now. What can't be read is not known. */
void busy_read(struct busy *busy, uint64_t now_ns);
/* When the next reading is due, so that every second has one. */
uint64_t busy_due_ns(const struct busy *busy);
/* The same as busy_read() for text that was read at @now_ns, later than the readings before. */
void busy_add(struct busy *busy, uint64_t now_ns, const char *text);

/* Busy share between the readings around @since_ns and @until_ns, or those nearest to them, 0..100;
 * below 0: not known. Of a CPU: while it was online. */
double busy_pct(const struct busy *busy, uint64_t since_ns, uint64_t until_ns);
double busy_cpu_pct(const struct busy *busy, uint32_t cpu, uint64_t since_ns, uint64_t until_ns);
/* What the host gave to others between the first reading and the last, of all CPUs. */
uint64_t busy_stolen_ns(const struct busy *busy);
/* Between two readings, the earlier one first. As above. */
double busy_point_pct(const struct busy_point *from, const struct busy_point *to);

/* The parser alone: the first line of @text, for all CPUs ("cpu ") or one ("cpu3 "); @cpu is -1 for
 * all. False: it is no such line. */
bool busy_parse(const char *text, int64_t *cpu, uint64_t *busy, uint64_t *total);

#endif
