/* copy_size.c - see copy_size.h.
 *
 * Problem: a copy that is too small cuts the callers off that matter most, the outermost; one that
 * is too large costs memory bandwidth for nothing. How deep stacks are is known only afterwards,
 * and with large copies nothing tells how many a smaller one would cut.
 *
 * Idea: double the size as soon as more than 4 % are cut by the copy's size; the rest of the 5 %
 * that may be incomplete is for causes that no size helps. Try a smaller size after a calm minute;
 * each attempt that fails doubles the calm time that the next one needs. A request that the source
 * does not fulfil (no locked memory, too many bytes a second) is repeated at growing intervals.
 *
 * Where every hit of an event is a sample its rate is known only from the hits. They are judged
 * while they come, not at the end of a second: a flood of copies fills the rings in milliseconds.
 * There is no way back, as chains without copies don't show what copies would cost.
 */
#include "copy_size.h"

#include "base/clock.h"
#include "capture/event.h"

#define JUDGE_NS     (2 * CLOCK_NS_PER_S)
#define CUT_MAX_PCT  4
#define JUDGE_STACKS 200	/* 4 % of fewer is an accident */
#define CALM_NS	     (60 * CLOCK_NS_PER_S)
#define CALM_MAX_NS  (3600 * CLOCK_NS_PER_S)
#define QUIET_NS     (30 * CLOCK_NS_PER_S)
#define QUIET_MAX_NS (1800 * CLOCK_NS_PER_S)

static uint64_t twice(uint64_t ns, uint64_t max_ns)
{
	return 2 * ns < max_ns ? 2 * ns : max_ns;
}

static uint32_t larger(uint32_t bytes)
{
	return bytes < CALL_GRAPH_COPY_MAX_BYTES / 2 ? 2 * bytes : CALL_GRAPH_COPY_MAX_BYTES;
}

/* The largest is not a power of two, but 8 bytes less. */
static uint32_t smaller(uint32_t bytes)
{
	return (bytes + 8) / 2 / 1024 * 1024;
}

void copy_size_begin(struct copy_size *size, uint32_t bytes, uint64_t now_ns)
{
	if (!size->first_bytes)
		*size = (struct copy_size){ .first_bytes = bytes, .calm_ns = CALM_NS };
	size->bytes = bytes;
	size->stacks = size->outgrown = 0;
	size->judged_ns = size->calm_since_ns = now_ns;
	size->quiet_until_ns = 0;
	size->quiet_ns = QUIET_NS;
	size->second = UINT64_MAX;
	size->hits_hz = size->hits_quiet_until_ns = 0;
}

static uint32_t request(struct copy_size *size, uint32_t bytes, uint64_t now_ns)
{
	size->quiet_until_ns = now_ns + size->quiet_ns;
	size->quiet_ns = twice(size->quiet_ns, QUIET_MAX_NS);
	return bytes;
}

static uint32_t judge(struct copy_size *size, uint64_t now_ns)
{
	const bool needs_slow_path = size->outgrown * 100 < size->stacks;

	if (!needs_slow_path)
		size->calm_since_ns = now_ns;
	if (now_ns < size->quiet_until_ns)
		return 0;
	if (size->outgrown * 100 > size->stacks * CUT_MAX_PCT &&
	    size->bytes < CALL_GRAPH_COPY_MAX_BYTES &&
	    size->hits_hz * larger(size->bytes) <= CALL_GRAPH_COPY_MAX_RATE) {
		if (size->bytes == size->tried_bytes)
			size->calm_ns = twice(size->calm_ns, CALM_MAX_NS);
		size->tried_bytes = 0;
		return request(size, larger(size->bytes), now_ns);
	}
	if (needs_slow_path && size->bytes > size->first_bytes &&
	    now_ns - size->calm_since_ns >= size->calm_ns) {
		size->tried_bytes = smaller(size->bytes);
		return request(size, size->tried_bytes, now_ns);
	}
	return 0;
}

uint32_t copy_size_observe(struct copy_size *size, const struct stack_counts *counts,
			   uint64_t now_ns)
{
	uint32_t requested;

	size->stacks += counts->user;
	size->outgrown += counts->outgrown;
	if (!size->bytes || now_ns - size->judged_ns < JUDGE_NS || size->stacks < JUDGE_STACKS)
		return 0;
	requested = judge(size, now_ns);
	size->stacks = size->outgrown = 0;
	size->judged_ns = now_ns;
	return requested;
}

static void begin_second(struct copy_size *size, const struct copied_hits *hits)
{
	if (size->second == UINT64_MAX) {
		size->hits_first = size->second_first = hits->count;
		size->lost_first = hits->lost;
	}
	size->hits_hz = hits->count - size->second_first;
	size->second_first = hits->count;
	size->second = hits->second;
}

bool copy_size_is_too_much(struct copy_size *size, const struct copied_hits *hits, uint64_t now_ns)
{
	const bool is_begun = size->second != UINT64_MAX;
	const uint64_t in_second = is_begun ? hits->count - size->second_first : 0;
	const bool is_lost = is_begun && hits->count > size->hits_first &&
			     hits->lost > size->lost_first;

	if (hits->second != size->second)
		begin_second(size, hits);
	if (!size->bytes || now_ns < size->hits_quiet_until_ns)
		return false;
	if (!is_lost && in_second <= CALL_GRAPH_COPY_MAX_HITS &&
	    in_second * size->bytes <= CALL_GRAPH_COPY_MAX_RATE)
		return false;
	size->hits_quiet_until_ns = now_ns + QUIET_NS;
	return true;
}
