/* probe_pairs.c - see probe_pairs.h.
 *
 * Problem: which return belongs to which entry? The kernel silently stops tracing returns at a
 * depth of 64, misses some, and longjmp(3) leaves functions without one. A depth counter would be
 * wrong from the first of these on.
 *
 * Idea: the stack pointer. At the entry it points at the return address, at the return just after
 * it, and while a call lasts nothing else of that thread can have its place:
 *
 *	entry  sp ->| return address |          return: sp - 8 (- 4 in programs of 32 bits)
 *	            | caller's frame |<- sp
 *
 * So a return belongs to the entry with exactly that address. Calls below it on the stack are over,
 * and so are those at or below a new entry, as the kernel itself judges (arch_uretprobe_is_alive).
 * Of several entries at one place, which a chain of tail calls makes, the kernel reports all
 * returns one after the other, innermost first.
 *
 * The kernel's stacks: interrupts have their own, which lie above or below. There only calls on the
 * same stack, of 16 KiB, judge each other.
 *
 * Invariant: never a guess. After lost records an older entry may have returned and been entered
 * again unseen: it is not paired any more. Rejected: a depth per thread; the newest entry (both
 * pair recursion wrongly after one miss).
 */
#include "probe_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"

#define NONE		ID_MAP_NONE
#define KERNEL_HALF	(UINT64_C(1) << 63)
#define KERNEL_STACK	(UINT64_C(16) << 10)	/* x86: THREAD_SIZE */
#define IDLE_THREAD	(UINT64_C(1) << 32)

void probe_pairs_init(struct probe_pairs *pairs)
{
	*pairs = (struct probe_pairs){ .free_row = NONE, .oldest = NONE, .newest = NONE };
}

void probe_pairs_finish(struct probe_pairs *pairs)
{
	for (uint32_t row = pairs->oldest; row != NONE; row = pairs->list[row].newer)
		free(pairs->list[row].bytes);
	free(pairs->taken.bytes);
	free(pairs->list);
	id_map_finish(&pairs->top_of);
	memset(pairs, 0, sizeof(*pairs));
}

uint64_t probe_pairs_thread(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : IDLE_THREAD | cpu;
}

/* Mixes slot and key; two keys collide with a probability of 2^-64. */
static uint64_t map_key_of(uint32_t slot, uint64_t key)
{
	return id_set_mix(slot, key);
}

void probe_pairs_miss(struct probe_pairs *pairs, uint32_t slot)
{
	pairs->unpaired[slot]++;
	pairs->unpaired_slots |= UINT64_C(1) << slot;
}

static size_t cost_of(const struct probe_pending *pending)
{
	return sizeof(*pending) + pending->bytes_count;
}

/* Frees the row; its bytes pass to the caller. */
static void release_row(struct probe_pairs *pairs, uint32_t row)
{
	struct probe_pending *pending = &pairs->list[row];

	*(pending->older == NONE ? &pairs->oldest : &pairs->list[pending->older].newer) =
		pending->newer;
	*(pending->newer == NONE ? &pairs->newest : &pairs->list[pending->newer].older) =
		pending->older;
	pairs->bytes -= cost_of(pending);
	pairs->in_flight[pending->slot]--;
	pairs->all_in_flight--;
	pending->below = pairs->free_row;
	pairs->free_row = row;
}

/* The pending calls of one thread in one function. */
struct chain {
	uint64_t map_key;
	uint32_t top;		/* innermost */
	uint32_t depth;
};

static struct chain chain_of(struct probe_pairs *pairs, const struct pair_end *end)
{
	const uint64_t map_key = map_key_of(end->slot, end->key);

	return (struct chain){ .map_key = map_key, .top = id_map_get(&pairs->top_of, map_key) };
}

/* Stores the chain's top. 0 or -ENOMEM, which can't happen if the chain was not empty before. */
static int put_chain(struct probe_pairs *pairs, const struct chain *chain)
{
	if (chain->top != NONE)
		return id_map_put(&pairs->top_of, chain->map_key, chain->top);
	id_map_remove(&pairs->top_of, chain->map_key);
	return 0;
}

/* Takes @row, which is below @above (NONE: it is the top), out of the chain; its bytes stay. */
static void unlink_row(struct probe_pairs *pairs, struct chain *chain, uint32_t above, uint32_t row)
{
	*(above == NONE ? &chain->top : &pairs->list[above].below) = pairs->list[row].below;
	release_row(pairs, row);
}

static void drop_row(struct probe_pairs *pairs, struct chain *chain, uint32_t above, uint32_t row)
{
	probe_pairs_miss(pairs, pairs->list[row].slot);
	free(pairs->list[row].bytes);
	unlink_row(pairs, chain, above, row);
}

static bool is_same_stack(uint64_t a, uint64_t b)
{
	return !((a | b) & KERNEL_HALF) || a / KERNEL_STACK == b / KERNEL_STACK;
}

typedef bool judgement(const struct probe_pending *pending, const struct pair_end *end);

/* Drops the calls of which @is_over is true. */
static void drop_over(struct probe_pairs *pairs, struct chain *chain, const struct pair_end *end,
		      judgement *is_over)
{
	uint32_t above = NONE, below;

	chain->depth = 0;
	for (uint32_t row = chain->top; row != NONE; row = below) {
		below = pairs->list[row].below;
		if (is_over(&pairs->list[row], end)) {
			drop_row(pairs, chain, above, row);
		} else {
			above = row;
			chain->depth++;
		}
	}
}

/* Whether the call must have ended, as @end enters a function at its sp or a higher one. */
static bool is_over_at_entry(const struct probe_pending *pending, const struct pair_end *end)
{
	if (end->order == PAIR_BY_KEY)
		return true;
	return is_same_stack(pending->sp, end->sp) &&
	       (pending->sp < end->sp || (pending->sp == end->sp && pending->is_left));
}

static bool is_at_return(uint64_t entry_sp, uint64_t return_sp)
{
#ifdef __aarch64__
	return entry_sp == return_sp;	/* the return address is in a register */
#else
	return return_sp - entry_sp == 8 || (return_sp <= UINT32_MAX && return_sp - entry_sp == 4);
#endif
}

static bool is_partner(const struct probe_pending *pending, const struct pair_end *end)
{
	return end->order == PAIR_BY_KEY || !end->sp || !pending->sp ||
	       is_at_return(pending->sp, end->sp);
}

/* Whether the call was made by the function that @end leaves. */
static bool is_over_at_return(const struct probe_pending *pending, const struct pair_end *end)
{
	return end->order == PAIR_NESTED && pending->sp < end->sp && !is_partner(pending, end) &&
	       is_same_stack(pending->sp, end->sp);
}

static bool is_row(const struct probe_pending *pending, const struct pair_end *end)
{
	return pending->time_ns == end->time_ns && pending->sp == end->sp;
}

static void drop_oldest(struct probe_pairs *pairs)
{
	const struct probe_pending *oldest = &pairs->list[pairs->oldest];
	const struct pair_end end = { .sp = oldest->sp, .time_ns = oldest->time_ns };
	struct chain chain = {
		.map_key = oldest->map_key, .top = id_map_get(&pairs->top_of, oldest->map_key),
	};

	drop_over(pairs, &chain, &end, is_row);
	put_chain(pairs, &chain);
}

/* Returns an unused row, its links unset; NONE: out of memory. */
static uint32_t new_row(struct probe_pairs *pairs)
{
	const uint32_t row = pairs->free_row;
	struct probe_pending *bigger;

	if (row != NONE) {
		pairs->free_row = pairs->list[row].below;
		return row;
	}
	if (pairs->count == pairs->capacity) {
		const uint32_t capacity = pairs->capacity ? pairs->capacity * 2 : 64;

		bigger = realloc(pairs->list, capacity * sizeof(*bigger));
		if (!bigger)
			return NONE;
		pairs->list = bigger;
		pairs->capacity = capacity;
	}
	return pairs->count++;
}

/* Appends the row to the list by arrival, as the newest. */
static void append_row(struct probe_pairs *pairs, uint32_t row)
{
	struct probe_pending *pending = &pairs->list[row];

	pending->older = pairs->newest;
	pending->newer = NONE;
	*(pairs->newest == NONE ? &pairs->oldest : &pairs->list[pairs->newest].newer) = row;
	pairs->newest = row;
	pairs->bytes += cost_of(pending);
	pairs->in_flight[pending->slot]++;
	pairs->all_in_flight++;
}

/* 0 or -ENOMEM. */
static int push(struct probe_pairs *pairs, struct chain *chain, const struct probe_pending *model,
		const void *record)
{
	struct probe_pending pending = *model;
	uint32_t row;

	pending.bytes = malloc(pending.bytes_count);
	row = pending.bytes ? new_row(pairs) : NONE;
	if (row == NONE) {
		free(pending.bytes);
		return -ENOMEM;
	}
	memcpy(pending.bytes, record, pending.bytes_count);
	pending.below = chain->top;
	pairs->list[row] = pending;
	append_row(pairs, row);
	chain->top = row;
	if (!put_chain(pairs, chain))
		return 0;
	free(pending.bytes);
	unlink_row(pairs, chain, NONE, row);
	return -ENOMEM;
}

void probe_pairs_enter(struct probe_pairs *pairs, const struct pair_end *end, uint32_t generation,
		       const void *record, size_t bytes)
{
	const struct probe_pending pending = {
		.map_key = map_key_of(end->slot, end->key), .sp = end->sp,
		.return_address = end->return_address, .time_ns = end->time_ns,
		.number = ++pairs->last_number, .slot = end->slot, .generation = generation,
		.bytes_count = (uint32_t)bytes,
	};
	struct chain chain;

	while (pairs->oldest != NONE && pairs->bytes + cost_of(&pending) > PROBE_PAIRS_BYTES_MAX)
		drop_oldest(pairs);
	chain = chain_of(pairs, end);
	drop_over(pairs, &chain, end, is_over_at_entry);
	put_chain(pairs, &chain);
	if (chain.depth >= PROBE_PAIRS_DEPTH_MAX || push(pairs, &chain, &pending, record))
		probe_pairs_miss(pairs, end->slot);
}

/* The innermost call that may be the partner; NONE. *@above: the row above it in the chain, a call
 * that it made on another stack; or NONE. */
static uint32_t find_partner(const struct probe_pairs *pairs, const struct chain *chain,
			     const struct pair_end *end, uint32_t *above)
{
	*above = NONE;
	for (uint32_t row = chain->top; row != NONE; row = pairs->list[row].below) {
		if (is_partner(&pairs->list[row], end))
			return row;
		*above = row;
	}
	return NONE;
}

/* Marks the other calls at @sp: their returns, if any, follow at once. */
static void mark_left(struct probe_pairs *pairs, const struct chain *chain, uint64_t sp)
{
	for (uint32_t row = chain->top; sp && row != NONE; row = pairs->list[row].below)
		if (pairs->list[row].sp == sp)
			pairs->list[row].is_left = true;
}

const struct probe_pending *probe_pairs_leave(struct probe_pairs *pairs, const struct pair_end *end)
{
	struct chain chain = chain_of(pairs, end);
	uint32_t row, above;

	drop_over(pairs, &chain, end, is_over_at_return);
	row = find_partner(pairs, &chain, end, &above);
	if (row != NONE) {
		free(pairs->taken.bytes);
		pairs->taken = pairs->list[row];
		unlink_row(pairs, &chain, above, row);
		mark_left(pairs, &chain, pairs->taken.sp);
	}
	put_chain(pairs, &chain);
	if (row != NONE && pairs->taken.time_ns > pairs->gap_ns)
		return &pairs->taken;
	if (row != NONE)
		probe_pairs_miss(pairs, end->slot);
	return NULL;
}

static bool is_any(const struct probe_pending *pending, const struct pair_end *end)
{
	(void)pending;
	(void)end;
	return true;
}

bool probe_pairs_pass(struct probe_pairs *pairs, const struct pair_end *end, uint32_t middle,
		      uint32_t generation)
{
	struct chain chain = chain_of(pairs, end);
	struct probe_pending *pending;

	if (chain.top == NONE)
		return false;
	pending = &pairs->list[chain.top];
	if (pending->passed == middle && pending->time_ns > pairs->gap_ns &&
	    pending->generation == generation) {
		pending->passed_ns[pending->passed++] = end->time_ns;
		return true;
	}
	probe_pairs_miss(pairs, end->slot);
	if (pending->passed <= middle) {
		drop_over(pairs, &chain, end, is_any);
		put_chain(pairs, &chain);
	}
	return true;
}

/* In a chain of tail calls only the outermost has the caller's return address; the others have
 * @replaced. Calls left by longjmp(3) may still have the same sp: the newest is used. */
static void take_newer(struct probe_call *newest, const struct probe_call *call, uint64_t sp,
		       uint64_t replaced, uint64_t time_ns)
{
	if (call->sp == sp && call->return_address != replaced && call->time_ns <= time_ns &&
	    call->time_ns > newest->time_ns)
		*newest = *call;
}

static uint32_t first_call(const struct probe_pairs *pairs, uint32_t slot, uint64_t thread)
{
	return pairs->in_flight[slot] ? id_map_get(&pairs->top_of, map_key_of(slot, thread))
				      : NONE;
}

uint64_t probe_pairs_outermost(const struct probe_pairs *pairs, uint32_t slot, uint64_t thread)
{
	uint64_t number = 0;

	for (uint32_t row = first_call(pairs, slot, thread); row != NONE;
	     row = pairs->list[row].below)
		if (pairs->list[row].time_ns > pairs->gap_ns)
			number = pairs->list[row].number;
	return number;
}

static struct probe_call call_of(const struct probe_pending *pending)
{
	return (struct probe_call){ pending->sp, pending->return_address, pending->time_ns,
				    pending->number, pending->slot };
}

uint64_t probe_pairs_return_address(const struct probe_pairs *pairs, uint64_t thread, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns)
{
	struct probe_call newest = { .time_ns = pairs->gap_ns };

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		uint32_t row = first_call(pairs, slot, thread);

		for (; row != NONE; row = pairs->list[row].below) {
			const struct probe_call call = call_of(&pairs->list[row]);

			take_newer(&newest, &call, sp, replaced, time_ns);
		}
	}
	return newest.return_address;
}

static uint32_t count_calls(const struct probe_pairs *pairs, uint64_t thread)
{
	uint32_t count = 0;

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		uint32_t row = first_call(pairs, slot, thread);

		for (; row != NONE; row = pairs->list[row].below)
			count++;
	}
	return count;
}

void probe_pairs_copy_calls(const struct probe_pairs *pairs, uint64_t thread,
			    struct probe_calls *out)
{
	const uint32_t room = count_calls(pairs, thread);

	*out = (struct probe_calls){ .list = room ? malloc(room * sizeof(*out->list)) : NULL };
	for (uint32_t slot = 0; out->list && slot < PROBE_SLOTS; slot++) {
		uint32_t row = first_call(pairs, slot, thread);

		for (; row != NONE; row = pairs->list[row].below)
			if (pairs->list[row].time_ns > pairs->gap_ns)
				out->list[out->count++] = call_of(&pairs->list[row]);
	}
}

uint64_t probe_calls_return_address(const struct probe_calls *calls, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns)
{
	struct probe_call newest = { .time_ns = 0 };

	for (uint32_t i = 0; i < calls->count; i++)
		take_newer(&newest, &calls->list[i], sp, replaced, time_ns);
	return newest.return_address;
}

void probe_pairs_lost(struct probe_pairs *pairs, uint64_t time_ns)
{
	if (time_ns > pairs->gap_ns)
		pairs->gap_ns = time_ns;
}

static bool is_of_program(const struct probe_pending *pending, const struct pair_end *end)
{
	(void)end;
	return pending->sp && pending->sp < KERNEL_HALF;
}

void probe_pairs_gone(struct probe_pairs *pairs, uint64_t thread, bool is_exec)
{
	struct pair_end end = { .key = thread };

	for (end.slot = 0; end.slot < PROBE_SLOTS; end.slot++) {
		struct chain chain;

		if (!pairs->in_flight[end.slot])
			continue;
		chain = chain_of(pairs, &end);
		drop_over(pairs, &chain, &end, is_exec ? is_of_program : is_any);
		put_chain(pairs, &chain);
	}
}

void probe_pairs_drop(struct probe_pairs *pairs, uint32_t slot)
{
	uint32_t row = pairs->in_flight[slot] ? pairs->oldest : NONE, newer;

	for (; row != NONE; row = newer) {
		struct probe_pending *pending = &pairs->list[row];

		newer = pending->newer;
		if (pending->slot != slot)
			continue;
		id_map_remove(&pairs->top_of, pending->map_key);
		probe_pairs_miss(pairs, slot);
		free(pending->bytes);
		release_row(pairs, row);
	}
}
