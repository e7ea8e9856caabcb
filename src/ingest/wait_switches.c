/* wait_switches.c - see ingest/waits.h. Counts the waits of records, and pairs the switches of a
 * recording to waits.
 *
 * A thread's row has a copy of the sample that it left the CPU with, because the stack is counted
 * when the length of the wait is known: when it is the next thread of a switch. Without
 * sched_waking or sched_wakeup, all of a wait is blocked time.
 *
 * sched_stat_sleep, _blocked and _wait have the length of a part of a wait. It is counted at once,
 * as perf-inject(1) -s does, and what remains of the wait when it ends is time on the run queue. So
 * recordings of single tasks have waits, too: there a switch to the task is not recorded, as it
 * happens in another task.
 *
 * A switch from the idle task is not always recorded (seen on Linux 6.18: most are not). So a
 * thread may leave a CPU that it has not been switched to. It has been on that CPU since it was
 * woken, or since an unknown time after the CPU's last switch: there its wait is taken to have
 * ended, as in perf-sched(1) timehist, and is counted as one that lasted longer. This needs a
 * recording of all tasks of the CPU, where mostly the thread that leaves is the one that was
 * switched to before.
 *
 * Invariant: each wait whose switch-out was recorded is counted or among the unpaired ones; of
 * waits that began before the recording those are unpaired whose threads left the CPU later.
 */
#include "ingest/waits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/wait_record.h"
#include "capture/raw_fields.h"
#include "ingest/ingest.h"
#include "on_cpu_times.h"
#include "open_times.h"
#include "samples.h"

#define COUNTS	       (sizeof(struct off_cpu_counts) / sizeof(uint64_t))
#define COUNTS_OF_TIME (offsetof(struct off_cpu_counts, records) / sizeof(uint64_t))

#define STAT_PREFIX  "sched:sched_stat_"

#define OTHER_WAKER  "(other)"
#define FIRST_OTHER  (WAIT_TUPLES - 2 * WAIT_STATES)	/* the rows of that waker */
#define COPIES_BYTES_MAX ((size_t)32 << 20)	/* a thousand samples with copies of 32 KB stacks */

/* Bits of prev_state in sched_switch: TASK_*, as far as the kernel reports them. */
#define STATE_SLEEPING 0x01u
#define STATE_DISK     0x02u
#define STATE_STOPPED  0x0cu	/* stopped or traced */
#define STATE_DEAD     0x30u
#define STATE_BITS     0xffu	/* the others say how it was switched, not why */

/* States of a task that prev_state has as others: __task_state_index() in include/linux/sched.h. */
#define TASK_IDLE_BITS	 0x402u		/* there TASK_REPORT_IDLE */
#define TASK_LOCK_BITS	 0x9000u	/* TASK_RTLOCK_WAIT, TASK_FROZEN: there uninterruptible */

static const char *const state_names[WAIT_STATES] = {
	[WAIT_UNKNOWN] = "unknown", [WAIT_RUNNING] = "running", [WAIT_RUNNABLE] = "runnable",
	[WAIT_SLEEPING] = "sleeping", [WAIT_DISK] = "disk", [WAIT_STOPPED] = "stopped",
	[WAIT_OTHER] = "other", [WAIT_BLOCKED] = "blocked",
};

const char *wait_state_name(enum wait_state state)
{
	return state_names[state];
}

enum wait_state wait_state_of_bits(uint64_t bits)
{
	if (!(bits & STATE_BITS))
		return WAIT_RUNNABLE;
	return bits & STATE_SLEEPING ? WAIT_SLEEPING
	     : bits & STATE_DISK     ? WAIT_DISK
	     : bits & STATE_STOPPED  ? WAIT_STOPPED : WAIT_OTHER;
}

static enum wait_state state_of_task(uint32_t bits)
{
	if ((bits & TASK_IDLE_BITS) == TASK_IDLE_BITS)
		return WAIT_OTHER;
	return bits & TASK_LOCK_BITS ? WAIT_DISK : wait_state_of_bits(bits);
}

/* What an event of the recording says of waits. */
enum wait_role {
	ROLE_NONE,
	ROLE_SWITCH,
	ROLE_WAKING,		/* in the context of the waker */
	ROLE_WAKEUP,		/* on the CPU that the task is to run on: maybe from an interrupt
				 * that the waker has sent */
	ROLE_BLOCKED_STAT, ROLE_WAIT_STAT,
};

struct wait_event {
	enum wait_role role;
	struct raw_fields fields;	/* owned */
	int prev_pid, prev_state, next_pid, pid, delay, flags;	/* indices; < 0: there is none */
};

struct waiting_thread {
	bool is_out;		/* it waits; the next members are of this wait */
	uint32_t losses;	/* struct wait_switches.losses when it began */
	bool has_begun_before;	/* it was switched to before anything else was recorded of it */
	bool has_stat;		/* a part was counted when a sched_stat_ event had its length */
	bool has_blocked_stat;	/* so was the blocked part */
	uint8_t waker_bytes;	/* 0: unknown, or none */
	char waker[THREAD_COMM_BYTES];	/* raw, not terminated */
	uint64_t out_ns, woken_ns;	/* woken_ns 0: not woken, as far as is known */
	uint64_t counted_ns;	/* parts that were counted */
	enum wait_state state;
	uint32_t source;	/* event of the sample */
	uint32_t pid, tid;	/* from an earlier sample: one of an exiting thread has neither */
	unsigned char *sample;	/* owned; its record */
	uint32_t bytes, capacity;
};

/* The last switch on a CPU. */
struct cpu_switch {
	uint64_t time_ns;	/* 0: none yet */
	uint32_t next_tid;
};

struct wait_switches {
	uint16_t event;			/* the event that waits are counted for */
	struct wait_event *events;	/* owned; by event */
	uint32_t event_count;
	struct waiting_thread *rows;	/* owned */
	uint32_t row_count, row_capacity;
	struct id_map by_tid;
	uint32_t losses;		/* times that records were lost: these ended all waits */
	size_t copied_bytes;		/* capacity of all samples */
	struct cpu_switch *cpus;	/* owned */
	uint32_t cpu_count;
	/* Threads that left a CPU, and those of them that the switch before was to. */
	uint64_t left, left_as_next;
};

static void free_switches(struct wait_switches *switches)
{
	if (!switches)
		return;
	for (uint32_t i = 0; switches->events && i < switches->event_count; i++)
		raw_fields_finish(&switches->events[i].fields);
	for (uint32_t i = 0; i < switches->row_count; i++)
		free(switches->rows[i].sample);
	free(switches->events);
	free(switches->rows);
	free(switches->cpus);
	id_map_finish(&switches->by_tid);
	free(switches);
}

static uint8_t other_tuple(enum wait_state state, bool is_of_all)
{
	return (uint8_t)(FIRST_OTHER + (is_of_all ? WAIT_STATES : 0u) + (uint32_t)state);
}

struct waits *waits_create(struct strpool *strings)
{
	struct waits *waits = calloc(1, sizeof(*waits));
	struct str_id other;

	if (!waits)
		return NULL;
	other = strpool_intern(strings, OTHER_WAKER, strlen(OTHER_WAKER));
	waits->tuple_count = 1;
	for (uint32_t state = 0; state < WAIT_STATES; state++) {
		waits->tuples[other_tuple((enum wait_state)state, false)] =
			(struct wait_tuple){ (enum wait_state)state, other, false };
		waits->tuples[other_tuple((enum wait_state)state, true)] =
			(struct wait_tuple){ (enum wait_state)state, other, true };
	}
	return waits;
}

static void forget_switches(struct waits *waits)
{
	free_switches(waits->switches);
	waits->switches = NULL;
}

void waits_destroy(struct waits *waits)
{
	if (waits) {
		forget_switches(waits);
		free(waits->open);
		id_map_finish(&waits->open_by_tid);
		free(waits->sampled);
		id_map_finish(&waits->sampled_by_tid);
	}
	free(waits);
}

/* The counts are u64 without gaps, those of time first. */
void waits_count(struct waits *waits, const struct off_cpu_reading *now)
{
	const uint64_t *new = (const uint64_t *)&now->counts;
	const uint64_t *last = (const uint64_t *)&waits->last.counts;
	uint64_t *sums = (uint64_t *)&waits->counted;
	const bool is_new = now->has_sums != waits->last.has_sums ||	/* others */
			    now->counts.waits < waits->last.counts.waits ||
			    now->counts.on_ns < waits->last.counts.on_ns ||
			    now->counts.blocked_ns < waits->last.counts.blocked_ns;

	for (size_t i = now->has_sums ? 0 : COUNTS_OF_TIME; i < COUNTS; i++)
		sums[i] += is_new ? new[i] : new[i] - last[i];
	waits->last = *now;
}

static enum wait_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum wait_role role;
	} roles[] = {
		{ EVENT_OF_SWITCHES, ROLE_SWITCH },
		{ "sched:sched_waking", ROLE_WAKING },
		{ "sched:sched_wakeup", ROLE_WAKEUP },
		{ STAT_PREFIX "sleep", ROLE_BLOCKED_STAT },
		{ STAT_PREFIX "blocked", ROLE_BLOCKED_STAT },
		{ STAT_PREFIX "wait", ROLE_WAIT_STAT },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(roles[i].name, name))
			return roles[i].role;
	return ROLE_NONE;
}

static int read_format(struct wait_event *event, const struct event_desc *desc)
{
	struct raw_fields *fields = &event->fields;
	struct diag why;

	event->role = desc->raw_format ? role_of(desc->name) : ROLE_NONE;
	if (event->role == ROLE_NONE)
		return 0;
	if (raw_fields_parse_foreign(fields, desc->raw_format, strlen(desc->raw_format),
				     desc->long_bytes, &why)) {
		event->role = ROLE_NONE;
		return why.err == -ENOMEM ? -ENOMEM : 0;
	}
	event->prev_pid = raw_fields_find(fields, "prev_pid");
	event->prev_state = raw_fields_find(fields, "prev_state");
	event->next_pid = raw_fields_find(fields, "next_pid");
	event->pid = raw_fields_find(fields, "pid");
	event->delay = raw_fields_find(fields, "delay");
	event->flags = raw_fields_find(fields, "common_flags");
	return 0;
}

static int create_switches(struct waits *waits, const struct ingest_config *config, uint16_t event)
{
	struct wait_switches *switches = calloc(1, sizeof(*switches));
	int err = switches ? 0 : -ENOMEM;

	waits->switches = switches;
	if (err)
		return err;
	switches->event = event;
	switches->event_count = config->event_count;
	switches->events = calloc(config->event_count, sizeof(*switches->events));
	if (!switches->events)
		return -ENOMEM;
	for (uint32_t i = 0; i < config->event_count && !err; i++)
		err = read_format(&switches->events[i], config->events[i]);
	return err;
}

int waits_look_at_config(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;
	int err = 0;

	forget_switches(ingest->waits);
	for (uint32_t i = 0; i < config->event_count; i++)
		if (config->events[i]->is_of_switches && !ingest->waits->switches)
			err = create_switches(ingest->waits, config, (uint16_t)i);
	if (err)
		forget_switches(ingest->waits);
	return err;
}

/* Returns the number of the tuple: without room that of the same state, whoever woke. */
static uint8_t tuple_of(struct ingest *ingest, enum wait_state state, struct record_text waker,
			bool is_of_all)
{
	struct waits *waits = ingest->waits;
	struct str_id text = { 0 };

	if (waker.len)
		text = strpool_intern_passing(ingest->strings, waker.bytes, waker.len);
	for (uint32_t i = 0; i < waits->tuple_count; i++)
		if (waits->tuples[i].state == state && waits->tuples[i].waker.v == text.v &&
		    waits->tuples[i].is_of_all == is_of_all)
			return (uint8_t)i;
	if (waits->tuple_count == FIRST_OTHER)
		return other_tuple(state, is_of_all);
	if (waker.len)
		text = strpool_intern(ingest->strings, waker.bytes, waker.len);	/* stays */
	waits->tuples[waits->tuple_count] = (struct wait_tuple){ state, text, is_of_all };
	return (uint8_t)waits->tuple_count++;
}

void waits_add(struct ingest *ingest, const struct event_record *record, const void *raw,
	       size_t size, uint16_t event, const struct wait *wait)
{
	struct sample_form form = {
		.format = ingest->config.events[record->event]->format,
		.copy_bytes = ingest->config.events[record->event]->copy_bytes, .event = event,
		.is_wait = true, .time_ns = wait->end_ns,
	};

	if (wait->blocked_ns) {
		form.weight = wait->blocked_ns;
		form.bucket = tuple_of(ingest, wait->state, wait->waker, wait->is_of_all);
		samples_add(ingest, record, &form, raw, size, false);
	}
	if (wait->run_queue_ns) {
		form.weight = wait->run_queue_ns;
		form.bucket = tuple_of(ingest, WAIT_RUNNABLE, wait->waker, false);
		samples_add(ingest, record, &form, raw, size, false);
	}
}

static struct record_text waker_of(const struct wait_record *wait)
{
	if (wait->flags & WAIT_WOKEN_BY_INTERRUPT)
		return (struct record_text){ WAIT_INTERRUPT, strlen(WAIT_INTERRUPT) };
	if (wait->flags & WAIT_HAS_WAKER)
		return (struct record_text){ wait->waker_comm, strnlen(wait->waker_comm,
								  sizeof(wait->waker_comm)) };
	return (struct record_text){ 0 };
}

/* Counts the time of @record, in which its thread was on a CPU, as far as no sample has it. */
static void count_on_cpu(struct ingest *ingest, const struct event_record *record,
			 const void *raw, size_t size, uint16_t event, uint64_t on_ns)
{
	const struct event_desc *desc = ingest->config.events[record->event];
	const struct sample_form form = {
		.format = desc->format, .copy_bytes = desc->copy_bytes, .event = event,
		.is_wait = true, .time_ns = record->time_ns,
		.weight = on_cpu_times_take(ingest->waits, record->tid, on_ns),
	};

	if (form.weight)
		samples_add(ingest, record, &form, raw, size, false);
}

/* Sets what a recording says of a part of a wait; its waker refers to @bytes. */
static void set_recorded(struct wait *wait, uint64_t period, const struct wait_words *words,
			 char bytes[sizeof(struct wait_words)])
{
	unsigned char state;

	memcpy(bytes, words, sizeof(*words));
	state = (unsigned char)bytes[WAIT_WAKER_BYTES];
	wait->is_of_all = state & 0x80;
	state &= 0x7f;
	wait->state = state && state <= WAIT_STATES ? (enum wait_state)(state - 1) : WAIT_UNKNOWN;
	wait->waker = (struct record_text){ bytes, strnlen(bytes, WAIT_WAKER_BYTES) };
	*(wait->state == WAIT_RUNNABLE ? &wait->run_queue_ns : &wait->blocked_ns) = period;
}

struct wait_words waits_words(const struct waits *waits, const struct strpool *strings,
			      uint8_t number)
{
	const struct wait_tuple *tuple = &waits->tuples[number];
	const char *waker = strpool_get(strings, tuple->waker);
	char bytes[sizeof(struct wait_words)] = { 0 };
	struct wait_words words;

	memcpy(bytes, waker, strnlen(waker, WAIT_WAKER_BYTES));
	if (number)
		bytes[WAIT_WAKER_BYTES] = (char)((1 + tuple->state) |
						 (tuple->is_of_all ? 0x80 : 0));
	memcpy(&words, bytes, sizeof(words));
	return words;
}

bool waits_are_in(const struct event_record *record)
{
	return record->sample.transaction >> 56;
}

/* A record weighs its wait, or what short waits have added up to since the last one: that is
 * divided as the wait is. */
void waits_record(struct ingest *ingest, const struct event_record *record, const void *raw,
		  size_t size)
{
	const struct event_desc *desc = ingest->config.events[record->event];
	struct wait_record from;
	struct wait wait = { .end_ns = record->time_ns };
	double whole_ns, blocked_ns;
	uint64_t before_ns;

	if (ingest->config.is_replay) {
		const struct wait_words words = {
			record->sample.memory_source, record->sample.transaction,
		};
		char bytes[sizeof(words)];

		set_recorded(&wait, record->sample.period, &words, bytes);
		waits_add(ingest, record, raw, size, (uint16_t)record->event, &wait);
		return;
	}
	if (record->sample.raw_bytes < sizeof(from)) {
		ingest->counters.malformed++;
		return;
	}
	memcpy(&from, record->sample.raw, sizeof(from));
	if (from.flags & WAIT_IS_ON_CPU) {
		count_on_cpu(ingest, record, raw, size, desc->counted_as, from.weight_ns);
		return;
	}
	if (from.flags & WAIT_IS_OPEN) {
		from.weight_ns = open_times_extend(ingest->waits, record->tid, &from);
		from.blocked_ns = from.weight_ns;
		wait.end_ns = from.woken_at_ns - 1;	/* the end of a slice is the next one's */
		wait.is_of_all = from.flags & WAIT_IS_OF_ALL;
		before_ns = 0;
	} else {
		before_ns = open_times_close(ingest->waits, record->tid, record->time_ns, &from);
	}
	whole_ns = (double)from.blocked_ns + (double)from.run_queue_ns;
	blocked_ns = (double)from.weight_ns;
	if (whole_ns > 0)
		blocked_ns *= (double)from.blocked_ns / whole_ns;
	wait.state = from.flags & WAIT_STATE_UNKNOWN ? WAIT_BLOCKED : state_of_task(from.state);
	wait.waker = waker_of(&from);
	wait.blocked_ns = blocked_ns < (double)from.weight_ns ? (uint64_t)blocked_ns
							      : from.weight_ns;
	wait.run_queue_ns = from.weight_ns - wait.blocked_ns;
	from.weight_ns -= before_ns;	/* that was blocked time, as far as there is any */
	wait.blocked_ns -= before_ns < wait.blocked_ns ? before_ns : wait.blocked_ns;
	wait.run_queue_ns = from.weight_ns - wait.blocked_ns;
	waits_add(ingest, record, raw, size,
		  desc->is_part ? desc->counted_as : (uint16_t)record->event, &wait);
}

/* Returns 0 if it is not known. */
static uint64_t number_in(const struct wait_event *event, int field,
			  const struct event_record *record)
{
	struct raw_value value;

	return raw_fields_read(&event->fields, field, &record->sample, &value) ? value.number : 0;
}

/* Returns the row of a thread, or NULL. */
static struct waiting_thread *find_row(struct wait_switches *switches, uint32_t tid)
{
	const uint32_t at = id_map_get(&switches->by_tid, tid);

	return at == ID_MAP_NONE ? NULL : &switches->rows[at];
}

/* Returns the row of a thread, or a new one; NULL: out of memory. */
static struct waiting_thread *row_of(struct wait_switches *switches, uint32_t tid)
{
	struct waiting_thread *row = find_row(switches, tid);

	if (row)
		return row;
	if (switches->row_count == switches->row_capacity) {
		const uint32_t capacity = switches->row_capacity ? switches->row_capacity * 2 : 64;

		row = realloc(switches->rows, capacity * sizeof(*row));
		if (!row)
			return NULL;
		switches->rows = row;
		switches->row_capacity = capacity;
	}
	if (id_map_put(&switches->by_tid, tid, switches->row_count))
		return NULL;
	row = &switches->rows[switches->row_count++];
	*row = (struct waiting_thread){ .is_out = false };
	return row;
}

static bool is_waiting(const struct wait_switches *switches, const struct waiting_thread *row)
{
	return row->is_out && row->losses == switches->losses;
}

/* Ends the wait of @row, which was counted as unpaired when it began, unless a part of it was
 * counted since. */
static void drop_wait(struct ingest *ingest, struct waiting_thread *row, bool is_paired)
{
	ingest->counters.unpaired_waits -= is_paired && row->is_out && !row->has_stat;
	row->is_out = false;
}

static bool copy_sample(struct wait_switches *switches, struct waiting_thread *row, const void *raw,
			size_t size)
{
	if (size > row->capacity) {
		unsigned char *bigger = NULL;

		if (switches->copied_bytes + size - row->capacity <= COPIES_BYTES_MAX)
			bigger = realloc(row->sample, size);
		if (!bigger)
			return false;
		switches->copied_bytes += size - row->capacity;
		row->sample = bigger;
		row->capacity = (uint32_t)size;
	}
	memcpy(row->sample, raw, size);
	row->bytes = (uint32_t)size;
	return true;
}

/* Counts parts of the wait of @row. */
static void count_wait(struct ingest *ingest, struct waiting_thread *row, struct wait *wait)
{
	const struct record_format *format = &ingest->config.events[row->source]->format;
	struct event_record record;

	wait->state = row->state;
	wait->waker = (struct record_text){ row->waker, row->waker_bytes };
	if (record_parse(format, row->sample, row->bytes, &record))
		return;		/* it could be parsed when it was copied */
	record.event = row->source;
	if (record.tid == TASK_PID_UNKNOWN && row->tid) {
		record.pid = row->pid;
		record.tid = row->tid;
	}
	waits_add(ingest, &record, row->sample, row->bytes, ingest->waits->switches->event, wait);
}

/* Counts the wait of @row, which ends at @end_ns, or what is left of it. Its end may be of a record
 * that comes late. */
static void finish_wait(struct ingest *ingest, struct waiting_thread *row, uint64_t end_ns)
{
	struct wait wait = { .end_ns = end_ns };
	uint64_t rest_ns = end_ns - row->out_ns;

	if (end_ns < row->out_ns) {
		drop_wait(ingest, row, false);
		return;
	}
	drop_wait(ingest, row, true);
	rest_ns -= row->counted_ns < rest_ns ? row->counted_ns : rest_ns;
	if (row->state == WAIT_RUNNABLE || row->has_blocked_stat)
		wait.run_queue_ns = rest_ns;
	else if (row->woken_ns && row->woken_ns < end_ns)
		wait.run_queue_ns = end_ns - row->woken_ns;
	if (wait.run_queue_ns > rest_ns)
		wait.run_queue_ns = rest_ns;
	wait.blocked_ns = rest_ns - wait.run_queue_ns;
	count_wait(ingest, row, &wait);
}

/* The next thread of a switch runs again. */
static void end_wait(struct ingest *ingest, uint32_t tid, uint64_t time_ns)
{
	struct wait_switches *switches = ingest->waits->switches;
	struct waiting_thread *row = tid ? find_row(switches, tid) : NULL;

	if (row && is_waiting(switches, row))
		finish_wait(ingest, row, time_ns);
	if (row || !tid)
		return;
	row = row_of(switches, tid);
	if (row)
		row->has_begun_before = true;
}

/* Returns the last switch on @cpu. NULL: the CPU is not known, or out of memory. */
static struct cpu_switch *last_switch(struct wait_switches *switches,
				      const struct event_record *record)
{
	const uint32_t count = record->cpu + 16;
	struct cpu_switch *bigger;

	if (!record->has_cpu || record->cpu >= SLICE_CPU_UNKNOWN)
		return NULL;
	if (record->cpu < switches->cpu_count)
		return &switches->cpus[record->cpu];
	bigger = realloc(switches->cpus, count * sizeof(*bigger));
	if (!bigger)
		return NULL;
	memset(bigger + switches->cpu_count, 0,
	       (count - switches->cpu_count) * sizeof(*bigger));
	switches->cpus = bigger;
	switches->cpu_count = count;
	return &bigger[record->cpu];
}

/* The thread of @row leaves a CPU, but its return to it was not recorded. */
static void end_unseen(struct ingest *ingest, struct waiting_thread *row,
		       const struct cpu_switch *last)
{
	const struct wait_switches *switches = ingest->waits->switches;
	uint64_t end_ns = last && last->time_ns > row->out_ns ? last->time_ns : row->out_ns;

	if (row->woken_ns > end_ns)
		end_ns = row->woken_ns;
	if (end_ns > row->out_ns && switches->left_as_next * 2 > switches->left) {
		ingest->counters.shortened_waits++;
		finish_wait(ingest, row, end_ns);
	} else {
		drop_wait(ingest, row, false);
	}
}

/* The previous thread of a switch leaves the CPU. The last switch of a thread begins no wait. */
static void begin_wait(struct ingest *ingest, const struct wait_event *event, uint32_t tid,
		       const struct event_record *record, const void *raw, size_t size)
{
	struct wait_switches *switches = ingest->waits->switches;
	const uint64_t bits = number_in(event, event->prev_state, record);
	const struct cpu_switch *last = last_switch(switches, record);
	struct waiting_thread *row = find_row(switches, tid);

	switches->left++;
	switches->left_as_next += last && last->next_tid == tid;
	if (row && is_waiting(switches, row))
		end_unseen(ingest, row, last);
	if (row)
		ingest->counters.unpaired_waits += row->has_begun_before;
	if (bits & STATE_DEAD) {
		waits_thread_begins(ingest, tid);
		return;
	}
	row = row_of(switches, tid);
	if (!row || !copy_sample(switches, row, raw, size)) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	row->is_out = true;
	row->losses = switches->losses;
	row->has_begun_before = row->has_stat = row->has_blocked_stat = false;
	row->out_ns = record->time_ns;
	row->woken_ns = row->counted_ns = 0;
	row->state = wait_state_of_bits(bits);
	row->waker_bytes = 0;
	row->source = record->event;
	if (record->tid != TASK_PID_UNKNOWN) {
		row->pid = record->pid;
		row->tid = record->tid;
	}
	ingest->counters.unpaired_waits++;
}

static void take_switch(struct ingest *ingest, const struct wait_event *event,
			const struct event_record *record, const void *raw, size_t size)
{
	const uint32_t prev = (uint32_t)number_in(event, event->prev_pid, record);
	const uint32_t next = (uint32_t)number_in(event, event->next_pid, record);
	struct cpu_switch *last;

	if (prev)
		begin_wait(ingest, event, prev, record, raw, size);
	end_wait(ingest, next, record->time_ns);
	last = last_switch(ingest->waits->switches, record);
	if (last)
		*last = (struct cpu_switch){ record->time_ns, next };
}

/* Notes who wakes: the task of the record, unless it was interrupted. The idle task wakes nobody of
 * its own accord. */
static void note_waker(const struct ingest *ingest, const struct wait_event *event,
		       const struct event_record *record, struct waiting_thread *row)
{
	const struct thread *thread = task_table_find_thread(&ingest->tasks, record->tid);
	struct record_text waker = { WAIT_INTERRUPT, strlen(WAIT_INTERRUPT) };

	if (record->tid && !(number_in(event, event->flags, record) & RAW_IN_INTERRUPT))
		waker = thread && thread->has_comm
			? (struct record_text){ thread->comm, thread->comm_len }
				: (struct record_text){ NULL, 0 };
	else if (event->role != ROLE_WAKING)
		waker.len = 0;
	row->waker_bytes = (uint8_t)waker.len;
	if (waker.len)
		memcpy(row->waker, waker.bytes, waker.len);
}

static void wake(struct ingest *ingest, const struct wait_event *event,
		 const struct event_record *record)
{
	struct waiting_thread *row = find_row(ingest->waits->switches,
					      (uint32_t)number_in(event, event->pid, record));

	if (!row || !is_waiting(ingest->waits->switches, row) || row->woken_ns ||
	    row->state == WAIT_RUNNABLE)
		return;
	row->woken_ns = record->time_ns;
	note_waker(ingest, event, record, row);
}

/* Counts the part of a wait whose length is in the record. */
static void count_stat(struct ingest *ingest, const struct wait_event *event,
		       const struct event_record *record)
{
	struct waiting_thread *row = find_row(ingest->waits->switches,
					      (uint32_t)number_in(event, event->pid, record));
	const uint64_t delay_ns = number_in(event, event->delay, record);
	struct wait wait = { .end_ns = record->time_ns };

	if (!row || !is_waiting(ingest->waits->switches, row) || !delay_ns)
		return;
	drop_wait(ingest, row, true);
	row->is_out = row->has_stat = true;
	row->has_blocked_stat |= event->role == ROLE_BLOCKED_STAT;
	row->counted_ns += delay_ns;
	*(event->role == ROLE_WAIT_STAT ? &wait.run_queue_ns : &wait.blocked_ns) = delay_ns;
	count_wait(ingest, row, &wait);
}

void waits_sample(struct ingest *ingest, const struct event_record *record, const void *raw,
		  size_t size)
{
	const struct wait_switches *switches = ingest->waits->switches;
	const struct wait_event *event;

	if (record->event >= switches->event_count || !record->has_time)
		return;
	event = &switches->events[record->event];
	switch (event->role) {
	case ROLE_SWITCH:
		take_switch(ingest, event, record, raw, size);
		break;
	case ROLE_WAKING:
	case ROLE_WAKEUP:
		wake(ingest, event, record);
		break;
	case ROLE_BLOCKED_STAT:
	case ROLE_WAIT_STAT:
		count_stat(ingest, event, record);
		break;
	case ROLE_NONE:
		break;
	}
}

void waits_thread_begins(struct ingest *ingest, uint32_t tid)
{
	struct wait_switches *switches = ingest->waits->switches;
	struct waiting_thread *row = switches ? find_row(switches, tid) : NULL;

	open_times_remove(ingest->waits, tid);
	on_cpu_times_remove(ingest->waits, tid);
	if (!row)
		return;
	drop_wait(ingest, row, false);
	row->has_begun_before = false;
	row->pid = row->tid = 0;
	switches->copied_bytes -= row->capacity;
	free(row->sample);
	row->sample = NULL;
	row->capacity = 0;
}

void waits_lost(struct ingest *ingest)
{
	struct wait_switches *switches = ingest->waits->switches;

	if (switches)
		switches->losses++;
}
