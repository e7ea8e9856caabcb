/* sampler.c - see capture/event_set.h.
 *
 * Problem: the rings of all CPUs together have no order, a busy ring is never empty, and the queue
 * may be full.
 *
 * Idea: rounds. A round reads the time, then each ring's end, then reads each ring up to that end
 * and queues a mark with the time: all records stamped before it have been queued. When the queue
 * is full, the rest stays in the rings (where the kernel counts the records that it drops) and the
 * round stays open: it continues where it stopped, up to the ends read before. So a round is never
 * larger than the rings, and marks advance however long the queue is the bottleneck.
 *
 * Idle interval: a round comes every 50 ms, or when any ring reaches its watermark. While there is
 * nothing to read it may come every 150 ms, and every 100 ms while there are only samples (side-
 * band records lead to requests about tasks that may end soon); the analyzer requests a round when
 * it needs a mark sooner. Waking a thread with cold caches costs more than the records of 50 ms.
 * Each inherited event that ends with its task wakes whoever polls it (perf_event_exit_event() in
 * kernel/events/core.c): 600 wake-ups a second under a compiler. So while tasks end that often, the
 * rings are not polled but looked at, every 4 to 16 ms: often enough that a flood of side-band
 * records that begins in between does not fill a ring. Hits with a fixed period have no such limit:
 * a program can cause a million in a second, so their rings are always polled.
 * Rejected: a side-band that wakes an idle sampler at once (a watermark is permanent: one that low
 * wakes the sampler for each exec under load, or has to be ignored, and then records are lost).
 *
 * Priority: beside hundreds of runnable threads a nice value doesn't get the sampler a CPU in time.
 * It applies within the session or control group, whose share flametop's own threads use up while
 * it starts. Beside 2,000 threads the sampler waited for most of a second, and the rings overflowed
 * in most starts. So it has the lowest real-time priority, and raises that of the consumer while
 * the queue fills up. Their CPU time is bounded: a record costs the sampled task ten times as much
 * as the sampler needs to queue it, and more than the analyzer needs to count it.
 *
 * Invariant: a round allocates, locks and logs nothing, but once where a target's memory does not
 * respond (switch_waits_watch()). No round begins before the mark of the previous one has been
 * queued.
 *
 * Rejected: one record per wake-up (a system call each); reading a ring until it is empty (with a
 * busy CPU the round would never end); restarting the round after a stall (under sustained load no
 * round would ever be complete).
 */
#include "capture/event_set.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "bpf/off_cpu.h"
#include "capture/record.h"
#include "capture/stack_copy.h"
#include "switch_waits.h"

#define ROUND_MAX_MS	 50	/* longest delay of a single record */
#define SAMPLES_MS	 100	/* between rounds while only samples come */
#define LIVELY_NS	 CLOCK_NS_PER_S	/* after the start: first snapshots wait for names */
#define IDLE_MS		 150	/* while nothing comes; 14 wake-ups a second with the consumer's */
#define UNWATCHED_MS	 250	/* nobody looks: a round of few records costs mostly the waking */
#define LOOK_PARTS	 4	/* a ring gets 1/4 of a watermark between looks, at most */
#define STALL_MS	 5	/* retry interval: a consumer that is slow wakes nobody */
#define LAST_ROUND_NS	 (2 * CLOCK_NS_PER_S)	/* timeout for a consumer that takes nothing */
/* The kernel reads the time, then writes the record, then publishes it; a virtual CPU may be
 * stopped in between. The mark of a round covers only records that are older than this. */
#define IN_FLIGHT_NS	 (1 * CLOCK_NS_PER_MS)
#define SWITCHES_LATE_NS (CLOCK_NS_PER_S / 2)	/* no round waits longer for switch_waits */
#define SWEEP_EVERY_NS	 CLOCK_NS_PER_S
#define SWEEP_READS	 64	/* per round: a read interrupts the event's CPU */

#define SAMPLER_NICE	 (-10)	/* without real-time priority */

/* Above 1/HASTEN_SHARE of the queue the consumer gets a higher priority: when the queue is full,
 * records wait in the rings, and are lost when those are full. */
#define HASTEN_SHARE	 16

/* Most bytes of records in one item: few enough for the consumer to respond to keys in between. */
#define SPAN_MAX_BYTES	 (16u * 1024)

enum { ROUND_AT = 1, WATCHES_AT };	/* in sampler.polls */

struct sampler {
	struct sampler_config config;
	struct event_set *set;
	pthread_t thread;
	int stop_fd;		/* eventfd */
	/* Events to hand over to; NULL: end. sampler_hand_over() stores it before it writes
	 * stop_fd, RELEASE; end() loads it after that is readable, ACQUIRE. */
	_Atomic(const struct event_set *) next;

	sem_t is_ready;		/* posted by the thread when its priority is set */
	sem_t start;		/* posted when sampler_start() has set the fields below */
	bool is_started, has_first, has_ended;
	struct queue_source first;

	struct pollfd *polls;	/* owned; [0] stop, [1] round_fd, then the watches, then one per
				 * lane */
	size_t poll_count, lane_polls_at;
	size_t *lane_rows;	/* owned; per lane: the row whose descriptor is polled */
	size_t live_watches;	/* watches, or lanes without watches, that have not ended */

	bool is_round_open;
	bool fills_slowly;	/* the records of each ring came slowly, up to this round */
	uint64_t elapsed_ns;	/* from the last round's begin to this one's */
	size_t ends;		/* records of ended tasks that this round has queued */
	uint64_t look_ns;	/* between looks at rings that are not polled; 0: they are polled */
	uint64_t start_ns, round_begin_ns;
	uint64_t round_done_ns;	/* switch_waits_done_ns() at the begin of the round */
	size_t round_lane;	/* first lane that is not read yet */
	size_t round_bytes;	/* bytes in all rings at the begin of the round */
	size_t sideband_bytes;	/* bytes in side-band rings at the begin of the round */
	uint64_t promised_ns, stalled_rounds;
	size_t unreached_cpus;	/* see event_set_exchange() */
	uint64_t line_ns;	/* no mark is later: the next events are enabled from then on */

	struct record_format *formats;	/* owned; per event */

	uint64_t sweep_due_ns;
	size_t sweep_at;	/* next descriptor whose counts are read */
	struct event_counts *sums;	/* owned; per lane, in this sweep */
	uint64_t *lost_queued;		/* owned; per lane */
	uint64_t *hits_queued;		/* owned; per event */
};

/* Returns room for a payload, to be committed by spsc_commit(); NULL: the queue is full. */
static void *open_item(struct sampler *sampler, enum queue_item_kind kind,
		       const struct event_lane *lane, size_t bytes)
{
	struct queue_item *item = spsc_reserve(sampler->config.queue, sizeof(*item) + bytes);

	if (!item)
		return NULL;
	item->kind = (uint16_t)kind;
	item->event = lane ? lane->event : 0;
	item->cpu = lane ? (uint32_t)lane->cpu : UINT32_MAX;
	return item + 1;
}

static bool put_item(struct sampler *sampler, enum queue_item_kind kind,
		     const struct event_lane *lane, const void *payload, size_t bytes)
{
	void *room = open_item(sampler, kind, lane, bytes);

	if (!room)
		return false;
	memcpy(room, payload, bytes);
	spsc_commit(sampler->config.queue);
	return true;
}

static size_t needed_of_stack(const struct sampler *sampler, const struct record_format *format,
			      const struct event_record *parsed)
{
	const struct record_sample *sample = &parsed->sample;
	struct user_registers registers;
	struct stack_copy copy = { .tid = parsed->tid, .bytes = sample->user_stack,
				   .count = sample->user_stack_bytes };

	if (!sampler->config.stack_ends || !sample->user_stack ||
	    !user_registers_read(format, sample, &registers))
		return SIZE_MAX;
	copy.sp = registers.sp;
	return stack_ends_needed(sampler->config.stack_ends, &copy);
}

/* Queues a sample without the unfilled part of its stack copy, and without what no walk needs. */
static bool put_sample(struct sampler *sampler, const struct event_lane *lane,
		       const struct perf_event_header *record)
{
	const struct record_format *format = &sampler->formats[lane->event];
	struct event_record parsed;
	struct record_trim trim;
	const bool is_sound = record_parse(format, record, record->size, &parsed) == 0;
	void *room;

	record_trim_init(&trim, record, is_sound ? &parsed : NULL,
			 is_sound ? needed_of_stack(sampler, format, &parsed) : SIZE_MAX);
	room = open_item(sampler, QUEUE_RECORD, lane, trim.bytes);
	if (!room)
		return false;
	record_trim_write(&trim, room);
	spsc_commit(sampler->config.queue);
	return true;
}

/* Queues the records of a ring with stack copies one by one. False when the queue is full. */
static bool move_copies(struct sampler *sampler, const struct event_lane *lane)
{
	const struct perf_event_header *header;

	while ((header = perf_ring_peek(lane->ring)) != NULL) {
		if (header->type == PERF_RECORD_SAMPLE
		    ? !put_sample(sampler, lane, header)
		    : !put_item(sampler, QUEUE_RECORD, lane, header, header->size))
			return false;
		perf_ring_consume(lane->ring);
	}
	return true;
}

/* Returns true if the ring of @lane is read here. */
static bool is_own(const struct sampler *sampler, const struct event_lane *lane)
{
	return !lane->is_read && !(sampler->config.switch_waits &&
				   lane->event == sampler->config.open_waits_event);
}

static size_t count_ends(const void *records, size_t bytes)
{
	const struct perf_event_header *record;
	size_t count = 0;

	for (size_t at = 0; at < bytes; at += record->size) {
		record = (const void *)((const char *)records + at);
		count += record->type == PERF_RECORD_EXIT;
	}
	return count;
}

static bool is_sideband(const struct sampler *sampler, const struct event_lane *lane)
{
	return lane->event == sampler->set->event_count - 1;
}

/* Queues the records of a ring. False when the queue is full: the rest stays in the ring. */
static bool move_records(struct sampler *sampler, const struct event_lane *lane)
{
	const void *span;
	size_t bytes;

	if (!is_own(sampler, lane))
		return true;
	if (sampler->formats[lane->event].sample_type & PERF_SAMPLE_STACK_USER)
		return move_copies(sampler, lane);
	while ((span = perf_ring_peek_span(lane->ring, SPAN_MAX_BYTES, &bytes)) != NULL) {
		if (!put_item(sampler, QUEUE_RECORD, lane, span, bytes))
			return false;
		if (sampler->look_ns && is_sideband(sampler, lane))
			sampler->ends += count_ends(span, bytes);
		perf_ring_consume(lane->ring);
	}
	return true;
}

/* Queues the sums of waits that are counted by the target's switches. False: the queue is full. */
static bool put_switch_counts(struct sampler *sampler, const struct perf_event_header *counts)
{
	struct off_cpu_reading reading = { .has_sums = *sampler->config.has_wait_sums };

	memcpy(&reading.counts, counts + 1, sizeof(reading.counts));
	return put_item(sampler, QUEUE_WAITS, NULL, &reading, sizeof(reading));
}

/* Queues the records of waits that no ring has. Their time becomes one that no mark has promised to
 * be past. False when the queue is full. */
static bool move_open_waits(struct sampler *sampler)
{
	struct spsc *from = sampler->config.open_waits;
	const struct event_lane lane = { .event = sampler->config.open_waits_event, .cpu = -1 };
	const struct perf_event_header *record;
	size_t bytes;

	while (from && (record = spsc_peek(from, &bytes))) {
		const int16_t at = record_time_word(&sampler->formats[lane.event], record);
		uint64_t *words;

		if (record->type == SWITCH_WAITS_COUNTS) {
			if (!put_switch_counts(sampler, record))
				return false;
			spsc_release(from);
			continue;
		}
		words = open_item(sampler, QUEUE_RECORD, &lane, bytes);
		if (!words)
			return false;
		memcpy(words, record, bytes);
		if (words[at] <= sampler->promised_ns)
			words[at] = sampler->promised_ns + 1;
		spsc_commit(sampler->config.queue);
		spsc_release(from);
	}
	return true;
}

static bool put_mark(struct sampler *sampler, uint64_t limit_ns)
{
	struct queue_round_end mark = { .limit_ns = limit_ns,
					.stalled_rounds = sampler->stalled_rounds };

	for (size_t i = 0; i < sampler->set->lane_count; i++)
		if (is_own(sampler, &sampler->set->lanes[i]))
			mark.malformed += perf_ring_malformed(sampler->set->lanes[i].ring);
	if (sampler->config.switch_waits)
		mark.malformed += switch_waits_malformed(sampler->config.switch_waits);
	return put_item(sampler, QUEUE_ROUND_END, NULL, &mark, sizeof(mark));
}

/* An eventfd whose counter is full has woken the consumer already. */
static void wake_consumer(const struct sampler *sampler)
{
	const uint64_t one = 1;

	while (write(sampler->config.wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Whether the @bytes that have come since the last round leave time to look at the ring. */
static bool has_come_slowly(const struct sampler *sampler, const struct event_lane *lane,
			    size_t bytes)
{
	return bytes * LOOK_PARTS * sampler->look_ns <=
	       event_set_watermark(sampler->set, lane) * sampler->elapsed_ns;
}

static void begin_round(struct sampler *sampler)
{
	const struct event_set *set = sampler->set;
	const uint64_t last_ns = sampler->round_begin_ns;

	sampler->round_begin_ns = clock_now_ns();	/* must precede perf_ring_begin() */
	sampler->elapsed_ns = sampler->round_begin_ns - last_ns;
	if (sampler->config.switch_waits) {		/* and this move_open_waits() */
		sampler->round_done_ns = switch_waits_done_ns(sampler->config.switch_waits);
		switch_waits_watch(sampler->config.switch_waits, sampler->round_begin_ns);
	}
	sampler->round_bytes = sampler->sideband_bytes = 0;
	sampler->fills_slowly = true;
	for (size_t i = 0; i < set->lane_count; i++) {
		const size_t bytes = is_own(sampler, &set->lanes[i])
				     ? perf_ring_begin(set->lanes[i].ring) : 0;

		sampler->round_bytes += bytes;
		sampler->fills_slowly &= has_come_slowly(sampler, &set->lanes[i], bytes);
		if (is_sideband(sampler, &set->lanes[i]))
			sampler->sideband_bytes += bytes;
	}
	sampler->ends = 0;
	sampler->round_lane = 0;
	spsc_begin_batch(sampler->config.queue);
	sampler->is_round_open = true;
}

/* Returns the time that the round promises to be past. Waits that are counted by switches may be
 * queued a little later than they end, but not for long. */
static uint64_t limit_of_round(const struct sampler *sampler)
{
	uint64_t limit_ns = sampler->round_begin_ns - IN_FLIGHT_NS;
	uint64_t done_ns = sampler->round_done_ns;

	if (sampler->config.switch_waits) {
		if (done_ns + SWITCHES_LATE_NS < limit_ns)
			done_ns = limit_ns - SWITCHES_LATE_NS;
		if (done_ns < limit_ns)
			limit_ns = done_ns;
	}
	return limit_ns < sampler->line_ns ? limit_ns : sampler->line_ns;
}

/* Returns false when the queue was full: the round is still open then. */
static bool continue_round(struct sampler *sampler)
{
	const uint64_t limit_ns = limit_of_round(sampler);
	const size_t lanes = sampler->set->lane_count;

	while (sampler->round_lane < lanes &&
	       move_records(sampler, &sampler->set->lanes[sampler->round_lane]))
		sampler->round_lane++;
	if (sampler->round_lane == lanes && move_open_waits(sampler) &&
	    put_mark(sampler, limit_ns)) {
		sampler->promised_ns = limit_ns;
		sampler->is_round_open = false;
	} else {
		sampler->stalled_rounds++;
		put_mark(sampler, sampler->promised_ns);	/* reports the stall, if it fits */
	}
	wake_consumer(sampler);
	if (spsc_used(sampler->config.queue) > sampler->config.queue->capacity / HASTEN_SHARE)
		thread_turn_hasten(&sampler->config.queue->consumer);
	return !sampler->is_round_open;
}

static bool run_round(struct sampler *sampler)
{
	if (!sampler->is_round_open)
		begin_round(sampler);
	return continue_round(sampler);
}

static bool finish_open_round(struct sampler *sampler)
{
	return !sampler->is_round_open || continue_round(sampler);
}

/* Queues the losses that have changed. False when the queue is full: the next sweep tries again. */
static bool put_losses(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->set->lane_count; i++) {
		struct event_lane *lane = &sampler->set->lanes[i];
		struct queue_lost lost = {	/* pairs with follow.c's store, RELAXED */
			sampler->sums[i].lost + atomic_load_explicit(&lane->followed_lost,
								     memory_order_relaxed)
		};

		if (lost.lost_total == sampler->lost_queued[i])
			continue;
		if (!put_item(sampler, QUEUE_LOST, lane, &lost, sizeof(lost)))
			return false;
		sampler->lost_queued[i] = lost.lost_total;
	}
	return true;
}

/* Returns the sum of what all descriptors of @event have counted. */
static struct queue_counted sum_counts(const struct sampler *sampler, size_t event)
{
	struct queue_counted sum = { .time_ns = clock_now_ns() };

	for (size_t i = 0; i < sampler->set->lane_count; i++) {
		if (sampler->set->lanes[i].event != event)
			continue;
		sum.total += sampler->sums[i].value;
		sum.descriptors += sampler->set->row_count;
	}
	return sum;
}

/* Queues the counts that have changed. False when the queue is full: the next sweep tries again. */
static bool put_counted(struct sampler *sampler)
{
	for (size_t i = 0; sampler->config.counts_hits && i + 1 < sampler->set->event_count; i++) {
		const struct event_lane event = { .event = (uint16_t)i, .cpu = -1 };
		const struct queue_counted now = sum_counts(sampler, i);

		if (now.total == sampler->hits_queued[i])
			continue;
		if (!put_item(sampler, QUEUE_COUNTED, &event, &now, sizeof(now)))
			return false;
		sampler->hits_queued[i] = now.total;
	}
	return true;
}

/* Returns the time of waits that no record has. */
static int64_t unrecorded_ns(const struct off_cpu_counts *counts)
{
	return (int64_t)(counts->blocked_ns + counts->run_queue_ns - counts->recorded_ns);
}

/* Queues the sums of waits. A wait that ends between the reads of two sums would be taken for one
 * without a record, so the smaller of two readings counts. False when the queue is full. */
static bool put_waits(struct sampler *sampler)
{
	const struct off_cpu *off_cpu = sampler->config.off_cpu ? *sampler->config.off_cpu : NULL;
	struct off_cpu_reading first = { .has_sums = off_cpu && *sampler->config.has_wait_sums };
	struct off_cpu_reading second = first;
	const struct off_cpu_reading *chosen;
	struct diag why;

	if (!off_cpu || off_cpu_read_counts(off_cpu, &first.counts, &why) ||
	    off_cpu_read_counts(off_cpu, &second.counts, &why))
		return true;
	chosen = unrecorded_ns(&first.counts) < unrecorded_ns(&second.counts) ? &first : &second;
	return put_item(sampler, QUEUE_WAITS, NULL, chosen, sizeof(*chosen));
}

/* Reads the counts of up to @reads descriptors; a sweep over all may take several rounds. Queues
 * the sums at its end. False when the queue is full. */
static bool sweep_counts(struct sampler *sampler, size_t reads)
{
	const struct event_set *set = sampler->set;
	const size_t count = set->row_count * set->lane_count;

	if (sampler->sweep_at == 0)
		memset(sampler->sums, 0, set->lane_count * sizeof(*sampler->sums));
	for (; reads > 0 && sampler->sweep_at < count; reads--, sampler->sweep_at++)
		event_set_add_counts(set->fds[sampler->sweep_at],
				     &sampler->sums[sampler->sweep_at % set->lane_count]);
	if (sampler->sweep_at < count)
		return true;
	sampler->sweep_at = 0;
	return put_losses(sampler) && put_counted(sampler) && put_waits(sampler);
}

static void continue_sweep(struct sampler *sampler)
{
	uint64_t now_ns = clock_now_ns();

	if (!sampler->config.counts_lost || now_ns < sampler->sweep_due_ns)
		return;
	sweep_counts(sampler, SWEEP_READS);
	if (sampler->sweep_at == 0)
		sampler->sweep_due_ns = now_ns + SWEEP_EVERY_NS;
}

/* Replaces a polled descriptor whose tasks have ended by that of the next live row, or none. Such a
 * descriptor is always readable, so it must not stay in the poll set. */
static void move_lane_on(struct sampler *sampler, size_t lane, struct pollfd *entry)
{
	const struct event_set *set = sampler->set;
	size_t *row = &sampler->lane_rows[lane];

	for (; *row < set->row_count; (*row)++) {
		entry->fd = set->fds[*row * set->lane_count + lane];
		if (!event_set_is_over(entry->fd))
			return;
	}
	entry->fd = -1;
	sampler->live_watches -= sampler->config.watch_count == 0;
}

static void note_ends(struct sampler *sampler)
{
	struct pollfd *watches = sampler->polls + WATCHES_AT;
	struct pollfd *lanes = sampler->polls + sampler->lane_polls_at;

	for (size_t i = 0; i < sampler->config.watch_count; i++)
		if (watches[i].fd >= 0 && watches[i].revents) {
			watches[i].fd = -1;
			sampler->live_watches--;
		}
	for (size_t i = 0; i < sampler->set->lane_count; i++)
		if (lanes[i].fd >= 0 && (lanes[i].revents & (POLLHUP | POLLERR)))
			move_lane_on(sampler, i, &lanes[i]);
}

static int idle_interval_ms(const struct sampler *sampler)
{
	if (sampler->config.is_unwatched)
		return UNWATCHED_MS;
	if (sampler->config.round_fd <= 0 || sampler->sideband_bytes)
		return ROUND_MAX_MS;
	if (!sampler->round_bytes)
		return IDLE_MS;
	return sampler->round_begin_ns < sampler->start_ns + LIVELY_NS ? ROUND_MAX_MS : SAMPLES_MS;
}

static bool has_reached_watermark(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->set->lane_count; i++) {
		const struct event_lane *lane = &sampler->set->lanes[i];

		if (is_own(sampler, lane) &&
		    perf_ring_unread(lane->ring) >= event_set_watermark(sampler->set, lane))
			return true;
	}
	return false;
}

/* Looks at the rings for @wait_ms at most, instead of polling them, if tasks would wake the sampler
 * more often than that. Returns what is left of it to poll them for. */
static int look_at_rings(struct sampler *sampler, int wait_ms)
{
	const int look_ms = (int)(sampler->look_ns / CLOCK_NS_PER_MS);

	if (!sampler->fills_slowly || sampler->ends * sampler->look_ns <= sampler->elapsed_ns)
		return wait_ms;
	for (; wait_ms > 0 && !has_reached_watermark(sampler); wait_ms -= look_ms)
		if (poll(sampler->polls, sampler->lane_polls_at,
			 look_ms < wait_ms ? look_ms : wait_ms))
			break;
	return 0;
}

/* Waits until records have arrived or a round is due or requested. True: stop was requested. */
static bool wait_for_records(struct sampler *sampler, bool is_stalled)
{
	const size_t polled = is_stalled ? 1 : sampler->poll_count;
	const int wait_ms = is_stalled ? STALL_MS
				       : look_at_rings(sampler, idle_interval_ms(sampler));
	eventfd_t asked;

	if (poll(sampler->polls, polled, wait_ms) <= 0)
		return false;
	if (sampler->polls[0].revents)
		return true;
	if (sampler->polls[ROUND_AT].revents)
		eventfd_read(sampler->config.round_fd, &asked);
	note_ends(sampler);
	return false;
}

/* Repeats @step until it succeeds; false when the consumer takes nothing for LAST_ROUND_NS. */
static bool insist(struct sampler *sampler, bool (*step)(struct sampler *sampler))
{
	size_t used = spsc_used(sampler->config.queue);
	uint64_t give_up_ns = clock_now_ns() + LAST_ROUND_NS;

	while (!step(sampler)) {
		const size_t still_used = spsc_used(sampler->config.queue);

		if (still_used != used)
			give_up_ns = clock_now_ns() + LAST_ROUND_NS;
		else if (clock_now_ns() >= give_up_ns)
			return false;
		used = still_used;
		poll(NULL, 0, STALL_MS);
	}
	return true;
}

static bool put_last_losses(struct sampler *sampler)
{
	sampler->sweep_at = 0;
	return !sampler->config.counts_lost || sweep_counts(sampler, SIZE_MAX);
}

static bool put_last_mark(struct sampler *sampler)
{
	return put_mark(sampler, UINT64_MAX);
}

static bool put_end(struct sampler *sampler)
{
	static const struct queue_end end;	/* no error: the data simply ended */

	return put_item(sampler, QUEUE_END, NULL, &end, sizeof(end));
}

static bool is_told_to_stop(const struct sampler *sampler, int wait_ms)
{
	struct pollfd stop = sampler->polls[0];

	return poll(&stop, 1, wait_ms) > 0;
}

/* Queues the QUEUE_SOURCE before any record. False: stop was requested meanwhile. */
static bool put_first(struct sampler *sampler)
{
	while (!put_item(sampler, QUEUE_SOURCE, NULL, &sampler->first, sizeof(sampler->first)))
		if (is_told_to_stop(sampler, STALL_MS))
			return false;
	wake_consumer(sampler);
	return true;
}

static bool has_target(const struct sampler *sampler)
{
	return sampler->live_watches > 0 || !sampler->config.ends_with_target;
}

/* Waits until all that was stamped before now has been published. */
static void wait_for_publication(void)
{
	const uint64_t stamped_ns = clock_now_ns();

	while (clock_now_ns() <= stamped_ns + IN_FLIGHT_NS)
		poll(NULL, 0, 1);
}

static void end_switch_waits(struct sampler *sampler)
{
	if (sampler->config.switch_waits)
		switch_waits_end(sampler->config.switch_waits);
}

/* The last round comes after the exchange, when the rings and the counts of losses have ended: the
 * kernel does not say when it lost a record, so no loss may be on either side of a line in time. */
static void hand_over(struct sampler *sampler, const struct event_set *next)
{
	const bool is_drained = insist(sampler, finish_open_round);

	if (is_drained)
		sampler->line_ns = clock_now_ns();
	sampler->unreached_cpus = event_set_exchange(sampler->set, next);
	wait_for_publication();
	end_switch_waits(sampler);
	if (is_drained && insist(sampler, run_round))
		insist(sampler, put_last_losses);
}

static void end(struct sampler *sampler)
{
	const struct event_set *next = NULL;

	if (has_target(sampler))	/* pairs with sampler_hand_over() */
		next = atomic_load_explicit(&sampler->next, memory_order_acquire);
	if (next) {
		hand_over(sampler, next);
		return;
	}
	/* An open round has read the rings' ends too early to be the last one. */
	if (!insist(sampler, finish_open_round))
		return;
	end_switch_waits(sampler);
	begin_round(sampler);
	if (!insist(sampler, run_round) || !insist(sampler, put_last_losses))
		return;
	sampler->has_ended = true;
	if (insist(sampler, put_last_mark))
		insist(sampler, put_end);
}

static void *run_sampler(void *argument)
{
	struct sampler *sampler = argument;
	bool is_stalled = false;

	if (!thread_go_first(0))
		setpriority(PRIO_PROCESS, 0, SAMPLER_NICE);	/* where permitted */
	sem_post(&sampler->is_ready);
	while (sem_wait(&sampler->start))
		;
	if (!sampler->is_started || (sampler->has_first && !put_first(sampler)))
		return NULL;
	sampler->start_ns = sampler->round_begin_ns = clock_now_ns();
	while (!wait_for_records(sampler, is_stalled) && has_target(sampler)) {
		is_stalled = !run_round(sampler);
		continue_sweep(sampler);
	}
	end(sampler);
	wake_consumer(sampler);
	return NULL;
}

static void fill_polls(struct sampler *sampler)
{
	const struct event_set *set = sampler->set;
	const size_t watches = sampler->config.watch_count;
	struct pollfd *lanes = sampler->polls + sampler->lane_polls_at;

	sampler->polls[0] = (struct pollfd){ .fd = sampler->stop_fd, .events = POLLIN };
	sampler->polls[ROUND_AT] = (struct pollfd){
		.fd = sampler->config.round_fd > 0 ? sampler->config.round_fd : -1,
		.events = POLLIN,
	};
	for (size_t i = 0; i < watches; i++)
		sampler->polls[WATCHES_AT + i] = (struct pollfd){
			.fd = sampler->config.watch_fds[i], .events = POLLIN
		};
	for (size_t i = 0; i < set->lane_count; i++)
		lanes[i] = (struct pollfd){
			.fd = set->lanes[i].is_read ? -1 : set->fds[i],
			.events = is_own(sampler, &set->lanes[i]) ? POLLIN : 0,
		};
	sampler->config.watch_fds = NULL;	/* not valid later: polls has a copy */
}

static size_t count_rings(const struct event_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->lane_count; i++)
		count += !set->lanes[i].is_read;
	return count;
}

int sampler_create(struct sampler **out, const struct sampler_config *config, struct diag *why)
{
	const size_t lanes = config->set->lane_count;
	struct sampler *sampler;
	int err = -ENOMEM;

	*out = NULL;
	if (config->queue->capacity < SAMPLER_QUEUE_MIN_BYTES)
		return diag_set(why, -EINVAL, "a record queue of %zu bytes is too small",
				(size_t)config->queue->capacity);
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return diag_set(why, -ENOMEM, "no memory for the sampler");
	sampler->config = *config;
	sampler->set = config->set;
	sem_init(&sampler->is_ready, 0, 0);	/* can't fail */
	sem_init(&sampler->start, 0, 0);
	sampler->live_watches = config->watch_count ? config->watch_count
						    : count_rings(config->set);
	sampler->lane_polls_at = WATCHES_AT + config->watch_count;
	sampler->poll_count = sampler->lane_polls_at + lanes;
	sampler->polls = calloc(sampler->poll_count, sizeof(*sampler->polls));
	sampler->lane_rows = calloc(lanes, sizeof(*sampler->lane_rows));
	sampler->sums = calloc(lanes, sizeof(*sampler->sums));
	sampler->lost_queued = calloc(lanes, sizeof(*sampler->lost_queued));
	sampler->hits_queued = calloc(config->set->event_count, sizeof(*sampler->hits_queued));
	sampler->formats = calloc(config->set->event_count, sizeof(*sampler->formats));
	sampler->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (sampler->stop_fd < 0)
		err = -errno;
	if (sampler->stop_fd < 0 || !sampler->polls || !sampler->lane_rows ||
	    !sampler->sums || !sampler->lost_queued || !sampler->hits_queued || !sampler->formats)
		goto fail;
	for (size_t i = 0; i < config->set->event_count; i++)
		record_format_init(&sampler->formats[i], &config->set->attrs[i]);
	sampler->look_ns = event_set_look_interval_ns(config->set);
	sampler->round_bytes = 1;	/* not idle before the first round */
	sampler->line_ns = UINT64_MAX;
	fill_polls(sampler);
	err = thread_start(&sampler->thread, "ft-sampler", run_sampler, sampler);
	if (err)
		goto fail;
	while (sem_wait(&sampler->is_ready))
		;
	*out = sampler;
	return 0;
fail:
	diag_set(why, err, "cannot start the sampler: %s", strerror(-err));
	sampler_destroy(sampler);
	return err;
}

void sampler_start(struct sampler *sampler, const struct queue_source *first)
{
	if (first)
		sampler->first = *first;
	sampler->has_first = first;
	sampler->is_started = true;
	sem_post(&sampler->start);
}

void sampler_stop(struct sampler *sampler)
{
	whole_eventfd_write(sampler->stop_fd, 1);
	if (!sampler->is_started)
		sem_post(&sampler->start);
	pthread_join(sampler->thread, NULL);
}

uint64_t sampler_hand_over(struct sampler *sampler, const struct event_set *next)
{
	atomic_store_explicit(&sampler->next, next, memory_order_release);	/* end() */
	sampler_stop(sampler);
	if (sampler->unreached_cpus)
		log_note("flametop may not run on %zu of the CPUs: as the events changed, hits of"
			 " some microseconds there may have been counted twice",
			 sampler->unreached_cpus);
	return sampler->has_ended ? 0 : sampler->promised_ns;
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->stop_fd >= 0)
		close(sampler->stop_fd);
	sem_destroy(&sampler->start);
	free(sampler->polls);
	free(sampler->lane_rows);
	free(sampler->sums);
	free(sampler->lost_queued);
	free(sampler->hits_queued);
	free(sampler->formats);
	free(sampler);
}
