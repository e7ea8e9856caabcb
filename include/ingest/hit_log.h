/* hit_log.h - the last hits of one probe, line by line, and the slowest that there were.
 *
 * A line keeps numbers as they came; analyzer/probe_draft.c makes text of them for who looks.
 * Bounds: PROBE_LOG_LINES and PROBE_SLOWEST lines, of a length that the columns say.
 * Thread: the analyzer's.
 */
#ifndef INGEST_HIT_LOG_H
#define INGEST_HIT_LOG_H

#include "ingest/snapshot_probes.h"
#include "probe/probe_condition.h"

#define HIT_COMM_BYTES 16
#define HIT_TEXT_BYTES	 56	/* longest text that is stored in its line */
#define HIT_BEGIN_BYTES	 48	/* begin of a longer text, stored in the line */
#define HIT_TEXTS_BYTES	 (128u * 1024)	/* for the longer ones of a probe: the newest are whole */
#define HIT_LONGEST_BYTES 255	/* the rest is cut off */
#define HIT_STACKS_KEPT	 50	/* newest lines; their stacks outlive history */

struct hit_line_value {
	bool is_known, is_text, is_signed;
	uint8_t text_bytes;
	union {
		struct {
			uint64_t number;
			uint32_t object, serial;	/* as in struct probe_value */
		};
		char text[HIT_TEXT_BYTES];	/* raw; texts of at most HIT_TEXT_BYTES */
		struct {		/* texts over HIT_TEXT_BYTES */
			char begin[HIT_BEGIN_BYTES];
			uint64_t at;	/* as of hit_log.texts_used, of all of it */
		} longer;
	};
};

struct hit_line {
	uint64_t time_ns, number;
	int64_t latency_ns;	/* < 0: none */
	uint32_t cpu, pid, tid;
	uint8_t comm_bytes;	/* 0: unknown */
	char comm[HIT_COMM_BYTES];
	uint32_t stack;		/* in the trie; ID_SET_NONE: none, not yet, or it left history */
	struct hit_line_value values[];
};

struct hit_log {
	unsigned char *lines;	/* owned; a ring */
	unsigned char *slowest;	/* owned; unordered */
	char *texts;		/* owned; a ring of HIT_TEXTS_BYTES; NULL: none was long */
	uint64_t texts_used;	/* since the log began */
	uint32_t columns, line_bytes;
	uint32_t slowest_count;
	uint64_t last_number;	/* of the newest line; the first is 1 */
};

void hit_log_finish(struct hit_log *log);	/* of a zeroed one, too */

/* Notes a hit: all of @line but its number, which is returned; and @values[@columns]. Another
 * number of columns than before begins a new log. 0: out of memory. */
uint64_t hit_log_add(struct hit_log *log, const struct hit_line *line,
		       const struct probe_value *values, uint32_t columns);
/* Gives the line with that number its stack, wherever it is kept. */
void hit_log_set_stack(struct hit_log *log, uint64_t number, uint32_t stack);

/* How many lines there are, and the one at @index, oldest first. BORROWED. */
uint32_t hit_log_count(const struct hit_log *log);
const struct hit_line *hit_log_line(const struct hit_log *log, uint32_t index);
/* The line with that number among the last ones; NULL: it has left them. The stack may be changed,
 * when stacks are renumbered. BORROWED. */
struct hit_line *hit_log_recent(const struct hit_log *log, uint64_t number);
/* The same among the last ones and the slowest. BORROWED. */
const struct hit_line *hit_log_find(const struct hit_log *log, uint64_t number);
/* The text of a value that is_text. What is longer than HIT_TEXT_BYTES and has left the ring is its
 * begin and "...". Returns its length, without a terminator. */
size_t hit_log_text(const struct hit_log *log, const struct hit_line_value *value,
		    char out[HIT_LONGEST_BYTES]);
/* In no order; the stack may be changed, when stacks are renumbered. */
struct hit_line *hit_log_slowest(const struct hit_log *log, uint32_t index);

#endif
