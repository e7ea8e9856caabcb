/* switch_clock.c - see switch_clock.h.
 *
 * A time between two switches is one of a kind: on a CPU, blocked, on the run queue, or unknown,
 * where the second switch does not fit the first, or records were lost in between. So for each
 * thread on + blocked + run queue + unknown is the time from its first switch to its last.
 *
 * Long waits do not bring the sum of the short ones with them: they are nearly always read, and
 * would have the time of other functions.
 */
#include "switch_clock.h"

#include <stdlib.h>
#include <string.h>

#define ENDED_MAX 65536u

void switch_clock_init(struct switch_clock *clock, uint64_t period_ns)
{
	*clock = (struct switch_clock){ .period_ns = period_ns };
}

void switch_clock_finish(struct switch_clock *clock)
{
	for (uint32_t i = 0; i < clock->count; i++)
		free(clock->threads[i].stack.copy);
	free(clock->threads);
	free(clock->unread);
	id_map_finish(&clock->by_tid);
	id_map_finish(&clock->ended);
	*clock = (struct switch_clock){ 0 };
}

struct switched_thread *switch_clock_find(struct switch_clock *clock, uint32_t tid)
{
	const uint32_t at = id_map_get(&clock->by_tid, tid);

	return at == ID_MAP_NONE ? NULL : &clock->threads[at];
}

uint64_t switch_clock_on_ns(const struct switch_clock *clock,
			    const struct switched_thread *thread, uint64_t now_ns)
{
	const bool is_on = !thread->is_off && thread->losses == clock->losses;

	return thread->on_ns + (is_on && now_ns > thread->since_ns ? now_ns - thread->since_ns
								   : 0);
}

static bool make_room(struct switch_clock *clock)
{
	const uint32_t room = clock->room ? clock->room * 2 : 64;
	struct switched_thread *threads;
	uint32_t *unread;

	if (clock->count < clock->room)
		return true;
	threads = realloc(clock->threads, room * sizeof(*threads));
	if (threads)
		clock->threads = threads;
	unread = realloc(clock->unread, room * sizeof(*unread));
	if (unread)
		clock->unread = unread;
	if (!threads || !unread)
		return false;
	clock->room = room;
	return true;
}

/* Returns a new row; NULL: out of memory. */
static struct switched_thread *append(struct switch_clock *clock, uint32_t pid, uint32_t tid)
{
	struct switched_thread *thread;

	if (!make_room(clock) || id_map_put(&clock->by_tid, tid, clock->count)) {
		clock->counts.threads_refused++;
		return NULL;
	}
	thread = &clock->threads[clock->count++];
	*thread = (struct switched_thread){ .pid = pid, .tid = tid, .unread_at = ID_MAP_NONE };
	return thread;
}

static void add_unread(struct switch_clock *clock, struct switched_thread *thread)
{
	thread->unread_at = clock->unread_count;
	clock->unread[clock->unread_count++] = (uint32_t)(thread - clock->threads);
}

static void remove_unread(struct switch_clock *clock, struct switched_thread *thread)
{
	const uint32_t at = thread->unread_at;

	if (at == ID_MAP_NONE)
		return;
	clock->unread[at] = clock->unread[--clock->unread_count];
	clock->threads[clock->unread[at]].unread_at = at;
	thread->unread_at = ID_MAP_NONE;
}

/* Removes a thread; the last one gets its number. */
static void remove_thread(struct switch_clock *clock, struct switched_thread *thread)
{
	const uint32_t at = (uint32_t)(thread - clock->threads);

	remove_unread(clock, thread);
	id_map_remove(&clock->by_tid, thread->tid);
	free(thread->stack.copy);
	*thread = clock->threads[--clock->count];
	if (at == clock->count)
		return;
	id_map_put(&clock->by_tid, thread->tid, at);	/* replaces its number: needs no memory */
	if (thread->unread_at != ID_MAP_NONE)
		clock->unread[thread->unread_at] = at;
}

static void leave_cpu(struct switch_clock *clock, struct switched_thread *thread,
		      bool is_preempted)
{
	thread->is_off = true;
	thread->is_preempted = is_preempted;
	if (!is_preempted && !thread->is_refused)
		add_unread(clock, thread);
}

void switch_clock_add(struct switch_clock *clock, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct switched_thread *thread = switch_clock_find(clock, tid) ? NULL
								       : append(clock, pid, tid);

	if (!thread)
		return;
	thread->since_ns = now_ns;
	thread->losses = clock->losses;
	thread->is_assumed = true;
	leave_cpu(clock, thread, false);
}

/* Counts the time of @thread since its last switch, at which @kind comes. */
static void count_time(struct switch_clock *clock, struct switched_thread *thread,
		       enum switch_kind kind, uint64_t ns)
{
	struct off_cpu_counts *counts = &clock->counts;
	const bool is_in = kind == SWITCH_IN;
	const bool is_off = thread->is_off && !(thread->is_assumed && !is_in);

	if (thread->losses != clock->losses || is_off != is_in)
		counts->unknown_ns += ns;
	else if (!is_in) {
		counts->on_ns += ns;
		thread->on_ns += ns;
	} else if (thread->is_preempted)
		counts->run_queue_ns += ns;
	else
		counts->blocked_ns += ns;
	counts->waits += is_off && is_in;
}

/* The wait of @thread for a CPU has ended after @ns. */
static bool end_preempted(const struct switch_clock *clock, struct switched_thread *thread,
			  uint64_t ns, struct switch_due *due)
{
	thread->preempted_ns += ns;
	if (thread->preempted_ns < clock->period_ns)
		return false;
	*due = (struct switch_due){ .thread = thread, .weight_ns = thread->preempted_ns,
				    .run_queue_ns = ns };
	thread->preempted_ns = 0;
	return true;
}

/* Returns the index of sums for waits of @ns. */
static size_t length_of(uint64_t ns)
{
	size_t length = 0;

	for (ns >>= 12; ns && length < SWITCH_LENGTHS - 1; ns >>= 1)
		length++;
	return length;
}

static bool end_blocked(const struct switch_clock *clock, struct switched_thread *thread,
			uint64_t ns, uint64_t time_ns, struct switch_due *due)
{
	const bool has_stack = thread->has_stack && time_ns >= thread->stack.end_ns;
	uint64_t *short_ns = &thread->short_ns[length_of(ns)];

	*due = (struct switch_due){ .thread = thread, .weight_ns = ns, .blocked_ns = ns,
				    .has_stack = has_stack };
	if (ns >= clock->period_ns)
		return true;
	*short_ns += ns;
	if (!has_stack && *short_ns < SWITCH_UNREAD_PERIODS * clock->period_ns)
		return false;
	due->weight_ns = *short_ns;
	*short_ns = 0;
	return true;
}

static void note_end(struct switch_clock *clock, uint32_t tid)
{
	if (clock->ended.used >= ENDED_MAX)
		id_map_clear(&clock->ended);
	id_map_put(&clock->ended, tid, false);	/* out of memory: it will seem to wait */
}

/* Returns true if @kind is a switch of a thread that has ended: as a zombie it leaves the CPU once
 * more, which begins no wait, and it may be preempted before. */
static bool is_of_ended(struct switch_clock *clock, uint32_t tid, enum switch_kind kind)
{
	const uint32_t was_preempted = id_map_get(&clock->ended, tid);

	if (was_preempted == ID_MAP_NONE)
		return false;
	if (kind == SWITCH_IN && !was_preempted) {	/* a new thread has its number */
		id_map_remove(&clock->ended, tid);
		return false;
	}
	id_map_put(&clock->ended, tid, kind == SWITCH_PREEMPTED);	/* needs no memory */
	return true;
}

bool switch_clock_turn(struct switch_clock *clock, enum switch_kind kind, uint32_t pid,
		       uint32_t tid, uint64_t time_ns, struct switch_due *due)
{
	struct switched_thread *thread = switch_clock_find(clock, tid);
	const bool is_new = !thread;
	bool was_waiting, is_due = false;
	uint64_t ns;

	if (kind == SWITCH_EXIT)
		note_end(clock, tid);
	else if (is_new && !is_of_ended(clock, tid, kind))
		thread = append(clock, pid, tid);
	if (!thread)
		return false;
	if (is_new)
		thread->since_ns = time_ns;
	if (time_ns < thread->since_ns && kind != SWITCH_EXIT)
		return false;	/* it comes late: the time is unknown already */
	ns = time_ns > thread->since_ns ? time_ns - thread->since_ns : 0;
	was_waiting = thread->is_off && kind == SWITCH_IN && thread->losses == clock->losses;
	if (!is_new)
		count_time(clock, thread, kind, ns);
	if (kind == SWITCH_EXIT) {
		remove_thread(clock, thread);
		return false;
	}
	remove_unread(clock, thread);
	if (was_waiting && ns)
		is_due = thread->is_preempted ? end_preempted(clock, thread, ns, due)
					      : end_blocked(clock, thread, ns, time_ns, due);
	if (is_due) {
		due->returned_ns = thread->refused_ns;
		due->weight_ns += thread->refused_ns;
		thread->refused_ns = 0;
	}
	thread->pid = pid;
	thread->since_ns = time_ns;
	thread->losses = clock->losses;
	thread->is_off = thread->is_assumed = thread->has_stack = false;
	thread->open_ns = 0;
	if (kind != SWITCH_IN)
		leave_cpu(clock, thread, kind == SWITCH_PREEMPTED);
	return is_due;
}

void switch_clock_recorded(struct switch_clock *clock, const struct switch_due *due,
			   bool is_recorded)
{
	clock->counts.records += is_recorded;
	clock->counts.records_refused += !is_recorded;
	if (is_recorded && !due->has_stack)
		clock->counts.stackless_ns += due->weight_ns;
	if (is_recorded)
		clock->counts.recorded_ns += due->weight_ns;
	else
		due->thread->refused_ns = due->weight_ns;
}

void switch_clock_lost(struct switch_clock *clock)
{
	clock->losses++;
}

void switch_clock_was_read(struct switch_clock *clock, uint32_t at)
{
	struct switched_thread *thread = &clock->threads[clock->unread[at]];

	thread->has_stack = true;
	remove_unread(clock, thread);
}

void switch_clock_refuse(struct switch_clock *clock, struct switched_thread *thread)
{
	thread->is_refused = true;
	remove_unread(clock, thread);
}
