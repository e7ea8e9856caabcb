/* hit_log.h - the newest hits of one probe, a line each, and the slowest ones.
 *
 * A line keeps raw numbers; analyzer/probe_draft.c formats those that are shown.
 * Bounds: PROBE_LOG_LINES and PROBE_SLOWEST lines; the number of columns gives their length.
 * Thread: the analyzer's.
 */
#ifndef INGEST_HIT_LOG_H
#define INGEST_HIT_LOG_H

#include "ingest/snapshot_probes.h"
#include "probe/probe_condition.h"

#define HIT_COMM_BYTES 16
#define HIT_TEXT_BYTES	 56	/* longest text that is stored in its line */
#define HIT_BEGIN_BYTES	 48	/* begin of a longer text, stored in the line */
#define HIT_TEXTS_BYTES	 (128u * 1024)	/* ring of longer texts; the newest are whole */
#define HIT_LONGEST_BYTES 255	/* longer texts are cut off */
#define HIT_STACKS_KEPT	 50	/* number of newest lines whose stacks outlive history */

struct hit_line_value {
	bool is_known, is_text, is_signed;
	uint8_t text_bytes;
	union {
		struct {
			uint64_t number;
			uint32_t object, serial;	/* see struct probe_value */
		};
		char text[HIT_TEXT_BYTES];	/* raw; texts of at most HIT_TEXT_BYTES */
		struct {		/* texts over HIT_TEXT_BYTES */
			char begin[HIT_BEGIN_BYTES];
			uint64_t at;	/* position of the whole text, like texts_used */
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
	char *texts;		/* owned; a ring of HIT_TEXTS_BYTES; NULL: no long text yet */
	uint64_t texts_used;	/* bytes ever written to `texts` */
	uint32_t columns, line_bytes;
	uint32_t slowest_count;
	uint64_t last_number;	/* number of the newest line; the first is 1 */
};

void hit_log_finish(struct hit_log *log);	/* a zeroed struct is fine */

/* Adds a hit with the fields of @line, but for its number, and @values[@columns]. Returns its
 * number; 0: out of memory. Another number of columns than before begins a new log. */
uint64_t hit_log_add(struct hit_log *log, const struct hit_line *line,
		       const struct probe_value *values, uint32_t columns);
/* Sets the stack of the line with that number, among the newest and among the slowest lines. */
void hit_log_set_stack(struct hit_log *log, uint64_t number, uint32_t stack);

/* How many lines there are, and the one at @index, oldest first. BORROWED. */
uint32_t hit_log_count(const struct hit_log *log);
const struct hit_line *hit_log_line(const struct hit_log *log, uint32_t index);
/* The line with that number among the newest ones; NULL: no longer there. The caller may set its
 * stack, when stacks are renumbered. BORROWED. */
struct hit_line *hit_log_recent(const struct hit_log *log, uint64_t number);
/* The line with that number among the newest and the slowest; NULL: it is not kept. BORROWED. */
const struct hit_line *hit_log_find(const struct hit_log *log, uint64_t number);
/* Copies the text of a value with is_text. A text over HIT_TEXT_BYTES that has left the ring
 * becomes its begin and "...". Returns the length; adds no terminator. */
size_t hit_log_text(const struct hit_log *log, const struct hit_line_value *value,
		    char out[HIT_LONGEST_BYTES]);
/* The slowest line at @index, in no order. The caller may set its stack, when stacks are
 * renumbered. BORROWED. */
struct hit_line *hit_log_slowest(const struct hit_log *log, uint32_t index);

#endif
