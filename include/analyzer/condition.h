/* condition.h - conditions of --keep-when: what one says, and whether the last second fulfilled it.
 *
 *   busy > 90              how busy the machine is, in %
 *   samples < 10           samples of all events, probes left aside
 *   lost > 0               records that found the kernel's rings full
 *   NAME p99 > 50ms        of a probe: p50 p90 p99 max avg of its latency, count, rate
 *
 * A condition is looked at once a second. It fires when it becomes true, and can fire again only
 * after a second in which it was not.
 *
 * Thread: conditions are constant once parsed; a watch is the analyzer's.
 */
#ifndef ANALYZER_CONDITION_H
#define ANALYZER_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define CONDITIONS_MAX	8
#define CONDITION_BYTES 512

enum condition_stat {
	CONDITION_BUSY,
	CONDITION_SAMPLES,
	CONDITION_LOST,
	CONDITION_COUNT,	/* from here on: of a probe */
	CONDITION_RATE,
	CONDITION_P50,		/* from here on: of a latency, ns */
	CONDITION_P90,
	CONDITION_P99,
	CONDITION_MAX,
	CONDITION_AVG,
	CONDITION_STATS
};

enum condition_operator { CONDITION_ABOVE, CONDITION_AT_LEAST, CONDITION_BELOW, CONDITION_AT_MOST };

struct condition {
	char text[CONDITION_BYTES];	/* as typed, sanitized */
	char probe[CONDITION_BYTES];	/* name of the probe; "": of none */
	enum condition_stat stat;
	enum condition_operator comparison;
	double limit;			/* %, a number, or ns */
};

/* What is known of a condition. */
struct condition_state {
	bool is_known;		/* there was such a value in the last second */
	bool is_true;
	double value;		/* in the last second; is_known */
	uint64_t fired;		/* how often it became true */
	uint64_t fired_ns;	/* end of the second in which it last did; 0: never */
};

/* Parses "busy > 90". 0; -EINVAL: @why has the column and what can be there. */
int condition_parse(struct condition *out, const char *text, struct diag *why);
/* True if the condition is about latencies: its probe must measure one. */
bool condition_needs_latency(const struct condition *condition);
/* Formats @value of the condition with its unit: "93.1 %", "61.2 ms". Returns @out. */
#define CONDITION_VALUE_BYTES 32
char *condition_format(char out[CONDITION_VALUE_BYTES], const struct condition *condition,
		       double value);

/* Notes that @value was seen in the second that ended at @end_ns, or with @is_known false that
 * there was none. True: the condition fires. */
bool condition_note(const struct condition *condition, struct condition_state *state, bool is_known,
		    double value, uint64_t end_ns);

/* A condition that has fired: passed on at once, on the analyzer's thread. */
struct condition_event {
	const struct condition *condition;
	uint32_t index;		/* place of the condition in its list */
	double value;
	uint64_t begin_ns, end_ns;	/* the second, CLOCK_MONOTONIC */
};

struct condition_list {
	const struct condition *list;	/* BORROWED */
	uint32_t count;			/* at most CONDITIONS_MAX */
	/* Called at once for each condition that fires, on the analyzer's thread. NULL: nobody
	 * asks. */
	void (*fired)(void *owner, const struct condition_event *event);
	/* Called on the same thread once all seconds up to @until_ns, CLOCK_MONOTONIC, were looked
	 * at. NULL: nobody asks. */
	void (*looked)(void *owner, uint64_t until_ns);
	void *owner;
};

#endif
