/* switch_waits.c - see switch_waits.h.
 *
 *	rings of all CPUs --merge by time--> switch_clock --a wait has ended--> queue --> sampler
 *	                                        |  ^
 *	     at random times: who waits, and was not read?  stack of that thread
 *
 * Switches are counted up to a moment that lies a little back, as the kernel reads the time of a
 * record before it publishes it. A thread may have run again since: then its switch in, when it is
 * counted, is older than the end of the read.
 *
 * Times of reads are random, from a quarter to three quarters of the period: so that they do not
 * march with the target's timers, and no wait of a period is missed while this thread gets a CPU in
 * time. Where several threads wait, those are read first that come after a random one.
 *
 * A wait that goes on is counted at the end of each slice, and at the end of all, by records with
 * WAIT_IS_OPEN.
 *
 * A read of a thread's memory may block for ever, as its stack may be a mapping of a file whose
 * server does not respond. It can't be done by another thread: two more switches take longer than
 * the waits that are to be read. So the thread that hangs is abandoned with the memory that it
 * reads into, and another one goes on: whose turn it is says `state` of struct reader.
 *
 * Only ip and sp are known of a thread that waits. So a stack ends early at code that keeps its
 * frame in another register (-fno-omit-frame-pointer); the walk is then counted as cut short.
 */
#include "switch_waits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "capture/event.h"
#include "capture/thread_reader.h"
#include "proc/process_stat.h"
#include "switch_clock.h"
#include "wait_sample.h"

#define SLICE_NS       CLOCK_NS_PER_S	/* as in timeline/timeline.h */
#define OPEN_MIN_NS    (CLOCK_NS_PER_S / 10)	/* as in open_times.c */
#define IN_FLIGHT_NS   5000	/* from the time of a record to its publication */
#define DRAIN_MAX_NS   (5 * CLOCK_NS_PER_MS)	/* a ring of 64 KiB holds 1,300 switches */
#define TICK_MIN_NS    100000
#define READS_NS       500000	/* most that a tick reads */
#define IDLE_SHARE     4	/* pause after work that took 1 */
#define FAMILIES_MAX   65536u
#define QUEUE_BYTES    ((size_t)4 << 20)
#define STATUS_BYTES   2048	/* they hold the line Tgid of /proc/PID/status */
#define HUNG_NS	       (CLOCK_NS_PER_S / 2)	/* memory that takes longer does not respond */
#define STOP_MS	       500

/* The next switch on a CPU. */
struct switch_lane {
	struct perf_ring *ring;		/* BORROWED */
	uint32_t cpu;
	bool has_next;
	enum switch_kind kind;
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* Or the process whose memory is being read. */
enum { READER_OWNS = 0, READER_IS_ABANDONED = -1 };

/* A thread that counts and reads. */
struct reader {
	struct switch_waits *waits;	/* not to be used if it is abandoned */
	pthread_t thread;
	/* It owns all of `waits` but while it reads: then whoever exchanges the process for
	 * READER_IS_ABANDONED may do so, and else it itself goes on. */
	_Atomic int state;
	unsigned char stack[];		/* form.read_bytes */
};

struct switch_waits {
	struct switch_waits_config config;
	struct wait_sample_form form;
	struct switch_clock clock;
	struct switch_lane *lanes;	/* owned */
	size_t lane_count;
	struct spsc queue;
	struct reader *reader;		/* owned until it is abandoned */
	uint32_t own_pid;
	struct id_map families;		/* process -> is it flametop or of its children? */
	uint64_t random;
	uint64_t begin_ns, read_due_ns, counts_due_ns, slice_end_ns;
	bool is_running, has_ended;
	int stop_fd;			/* eventfd */
	/* switch_waits_done_ns(). The thread stores after it queued the records, RELEASE; the
	 * sampler loads before it takes them, ACQUIRE. */
	_Atomic uint64_t done_ns;
	uint64_t malformed;		/* records that could not be parsed */
	/* switch_waits_malformed(). The thread stores, RELAXED: it is a number alone. */
	_Atomic uint64_t published_malformed;
};

static uint64_t next_random(struct switch_waits *waits)
{
	waits->random += 0x9e3779b97f4a7c15ull;
	return id_map_mix(waits->random);
}

/* From the rings to the clock. */

/* Returns true for flametop itself and what it has started, which are among all processes. */
static bool is_left_out(struct switch_waits *waits, uint32_t pid)
{
	uint32_t is_own = id_map_get(&waits->families, pid);
	uint64_t start_ticks;
	pid_t parent;

	if (pid == waits->own_pid || !waits->config.is_of_all)
		return pid == waits->own_pid;
	if (is_own != ID_MAP_NONE)
		return is_own;
	is_own = !task_list_origin((pid_t)pid, &parent, &start_ticks) &&
		 ((uint32_t)parent == waits->own_pid ||
		  id_map_get(&waits->families, (uint32_t)parent) == 1);
	if (waits->families.used >= FAMILIES_MAX)
		id_map_clear(&waits->families);
	id_map_put(&waits->families, pid, is_own);
	return is_own;
}

/* Sets the lane's next switch from @header. False: the record is of no use. */
static bool take_record(struct switch_waits *waits, struct switch_lane *lane,
			const struct perf_event_header *header)
{
	struct event_record record;

	if (header->type == PERF_RECORD_LOST) {
		switch_clock_lost(&waits->clock);
		return false;
	}
	if (header->type != PERF_RECORD_SWITCH && header->type != PERF_RECORD_SWITCH_CPU_WIDE &&
	    header->type != PERF_RECORD_EXIT)
		return false;
	if (record_parse(&waits->form.format, header, header->size, &record) || !record.has_time ||
	    !record.has_pid) {
		waits->malformed++;
		return false;
	}
	if (!record.tid || record.tid == UINT32_MAX || is_left_out(waits, record.pid))
		return false;
	if (header->type == PERF_RECORD_EXIT && record.pid == record.tid)
		id_map_remove(&waits->families, record.pid);
	lane->kind = header->type == PERF_RECORD_EXIT ? SWITCH_EXIT
		   : !(header->misc & PERF_RECORD_MISC_SWITCH_OUT) ? SWITCH_IN
		   : header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? SWITCH_PREEMPTED
									: SWITCH_OUT;
	lane->pid = record.pid;
	lane->tid = record.tid;
	lane->time_ns = record.time_ns;
	return true;
}

static void advance(struct switch_waits *waits, struct switch_lane *lane)
{
	const struct perf_event_header *header;

	lane->has_next = false;
	while (!lane->has_next && (header = perf_ring_peek(lane->ring))) {
		lane->has_next = take_record(waits, lane, header);
		perf_ring_consume(lane->ring);
	}
}

static uint32_t state_bits(char state)
{
	switch (state) {
	case 'S':
		return 0x1;
	case 'D':
		return 0x2;
	case 'T':
		return 0x4;
	case 't':
		return 0x8;
	default:
		return 0;
	}
}

/* Returns the sample of @thread's wait, but for its times. */
static struct wait_sample make_sample(const struct switched_thread *thread, bool has_stack)
{
	const struct switch_stack *stack = &thread->stack;
	struct wait_sample sample = { .pid = thread->pid, .tid = thread->tid, .cpu = UINT32_MAX };

	if (has_stack) {
		sample.ip = stack->ip;
		sample.sp = stack->sp;
		sample.stack = stack->copy;
		sample.stack_bytes = stack->bytes;
		sample.needed_bytes = stack->needed;
		sample.wait.state = state_bits(stack->state);
	}
	return sample;
}

static void queue_due(struct switch_waits *waits, const struct switch_due *due, uint32_t cpu,
		      uint64_t time_ns)
{
	struct wait_sample sample = make_sample(due->thread, due->has_stack);

	sample.cpu = cpu;
	sample.time_ns = time_ns;
	sample.wait.weight_ns = due->weight_ns;
	sample.wait.returned_ns = due->returned_ns;
	sample.wait.blocked_ns = due->blocked_ns;
	sample.wait.run_queue_ns = due->run_queue_ns;
	if (!sample.wait.state && !due->run_queue_ns)
		sample.wait.flags = WAIT_STATE_UNKNOWN;
	switch_clock_recorded(&waits->clock, due,
			      wait_sample_queue(&waits->form, &sample, &waits->queue));
}

/* Queues how long @thread was on a CPU since it was last asked, until @now_ns. */
static void queue_on_cpu(struct switch_waits *waits, struct switched_thread *thread,
			 uint64_t now_ns)
{
	const uint64_t on_ns = switch_clock_on_ns(&waits->clock, thread, now_ns);
	const struct wait_sample sample = {
		.pid = thread->pid, .tid = thread->tid, .cpu = UINT32_MAX, .time_ns = now_ns,
		.is_in_kernel = true,
		.wait = { .weight_ns = on_ns - thread->recorded_on_ns, .flags = WAIT_IS_ON_CPU },
	};

	if (waits->config.tells_on_cpu && on_ns > thread->recorded_on_ns &&
	    wait_sample_queue(&waits->form, &sample, &waits->queue))
		thread->recorded_on_ns = on_ns;
}

static void count_switch(struct switch_waits *waits, const struct switch_lane *lane)
{
	struct switched_thread *ended = lane->kind == SWITCH_EXIT
					? switch_clock_find(&waits->clock, lane->tid) : NULL;
	struct switch_due due;

	if (ended)
		queue_on_cpu(waits, ended, lane->time_ns);
	if (switch_clock_turn(&waits->clock, lane->kind, lane->pid, lane->tid, lane->time_ns, &due))
		queue_due(waits, &due, lane->cpu, lane->time_ns);
}

/* Returns the lane whose next switch is the oldest, and not later than @limit_ns; NULL: none is. */
static struct switch_lane *find_oldest(struct switch_waits *waits, uint64_t limit_ns)
{
	struct switch_lane *oldest = NULL;

	for (size_t i = 0; i < waits->lane_count; i++) {
		struct switch_lane *lane = &waits->lanes[i];

		if (lane->has_next && lane->time_ns <= limit_ns) {
			limit_ns = lane->time_ns;
			oldest = lane;
		}
	}
	return oldest;
}

static void publish_malformed(struct switch_waits *waits)
{
	uint64_t malformed = waits->malformed;

	for (size_t i = 0; i < waits->lane_count; i++)
		malformed += perf_ring_malformed(waits->lanes[i].ring);
	atomic_store_explicit(&waits->published_malformed, malformed, memory_order_relaxed);
}

/* Counts all switches up to @limit_ns. */
static void drain(struct switch_waits *waits, uint64_t limit_ns)
{
	struct switch_lane *lane;

	for (size_t i = 0; i < waits->lane_count; i++) {
		lane = &waits->lanes[i];
		perf_ring_begin(lane->ring);
		if (!lane->has_next)
			advance(waits, lane);
	}
	while ((lane = find_oldest(waits, limit_ns))) {
		count_switch(waits, lane);
		advance(waits, lane);
	}
	publish_malformed(waits);
	atomic_store_explicit(&waits->done_ns, limit_ns, memory_order_release);
}

/* From threads that wait to their stacks. */

/* Reads a file of the thread, as process_stat_read_file(). */
static ssize_t read_text(uint32_t pid, uint32_t tid, const char *name, char *text, size_t room)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid, name);
	return process_stat_read_file(AT_FDCWD, path, text, room);
}

static char read_state(const struct switched_thread *thread)
{
	char text[1024];
	struct process_stat stat;

	return read_text(thread->pid, thread->tid, "stat", text, sizeof(text)) > 0 &&
	       process_stat_parse(&stat, text) ? stat.state : 0;
}

/* Notes that the thread's stack may not be read. A thread that was not switched so far, and has no
 * stack to tell that it waits, is known to wait by its state alone. */
static void refuse(struct switch_waits *waits, struct switched_thread *thread)
{
	const char state = thread->is_assumed ? read_state(thread) : 0;

	switch_clock_refuse(&waits->clock, thread);
	if (state == 'S' || state == 'D')
		thread->is_assumed = false;
}

/* Returns how much of the copy a walk needs. */
static size_t needed_of(const struct switch_waits *waits, const struct switched_thread *thread,
			size_t bytes)
{
	const struct stack_copy copy = { .tid = thread->tid, .sp = thread->stack.sp,
					 .bytes = waits->reader->stack, .count = bytes };

	return waits->config.stack_ends ? stack_ends_needed(waits->config.stack_ends, &copy)
					: SIZE_MAX;
}

/* Keeps @bytes that were read as the stack of @thread. */
static bool keep_copy(const struct switch_waits *waits, struct switched_thread *thread,
		      size_t bytes)
{
	struct switch_stack *stack = &thread->stack;
	size_t kept;

	stack->needed = needed_of(waits, thread, bytes);
	kept = stack->needed + 8 < bytes ? stack->needed + 8 : bytes;	/* 8: it is seen as cut */
	if (kept > stack->room) {
		unsigned char *bigger = realloc(stack->copy, kept);

		if (!bigger)
			return false;
		stack->copy = bigger;
		stack->room = kept;
	}
	memcpy(stack->copy, waits->reader->stack, kept);
	stack->bytes = kept;
	return true;
}

/* Reads the stack of @pid from @sp up into reader->stack. Ends the calling thread if it was
 * abandoned meanwhile. */
static size_t read_memory(struct reader *reader, uint32_t pid, uint64_t sp, size_t room)
{
	int expected = (int)pid;
	size_t bytes;

	atomic_store(&reader->state, expected);	/* abandon() */
	bytes = stack_copy_read((pid_t)pid, sp, reader->stack, room);
	if (!atomic_compare_exchange_strong(&reader->state, &expected, READER_OWNS)) {
		free(reader);
		pthread_exit(NULL);
	}
	return bytes;
}

/* Reads the stack of a thread that waits. False: there is none to be read now. A thread of another
 * user has none at all. */
static bool read_thread(struct switch_waits *waits, struct switched_thread *thread)
{
	struct switch_stack *stack = &thread->stack;
	struct thread_call call;
	char text[256];
	ssize_t got;
	size_t bytes;

	stack->begin_ns = clock_now_ns();
	got = read_text(thread->pid, thread->tid, "syscall", text, sizeof(text));
	if (got == -EPERM || got == -EACCES)
		refuse(waits, thread);
	if (got <= 0 || !thread_call_parse(&call, text))
		return false;
	stack->ip = call.ip;
	stack->sp = call.sp;
	bytes = read_memory(waits->reader, thread->pid, call.sp, waits->form.read_bytes);
	stack->state = stack->begin_ns - thread->since_ns >= waits->config.period_ns
		       ? read_state(thread) : 0;	/* a short one ends before */
	stack->end_ns = clock_now_ns();
	return keep_copy(waits, thread, bytes);
}

/* Reads stacks, each of a thread that waits at that moment. */
static void read_some(struct switch_waits *waits)
{
	struct switch_clock *clock = &waits->clock;
	const uint64_t begin_ns = clock_now_ns();
	uint32_t at = (uint32_t)next_random(waits), tries = clock->unread_count;
	uint64_t now_ns = begin_ns;

	while (tries-- && clock->unread_count && now_ns - begin_ns < READS_NS) {
		struct switched_thread *thread;

		at %= clock->unread_count;
		thread = &clock->threads[clock->unread[at]];
		if (read_thread(waits, thread))
			switch_clock_was_read(clock, at);	/* another one has its number */
		else
			at++;
		now_ns = clock_now_ns();
		drain(waits, now_ns - IN_FLIGHT_NS);
	}
}

/* Waits that go on. */

static void queue_open(struct switch_waits *waits, struct switched_thread *thread,
		       uint64_t until_ns)
{
	struct wait_sample sample =
		make_sample(thread, thread->has_stack && thread->stack.end_ns <= until_ns);

	sample.time_ns = until_ns;
	sample.wait.weight_ns = sample.wait.blocked_ns = until_ns - thread->since_ns;
	sample.wait.woken_at_ns = until_ns;
	sample.wait.flags = WAIT_IS_OPEN | (sample.wait.state ? 0 : WAIT_STATE_UNKNOWN) |
			    (waits->config.is_of_all ? WAIT_IS_OF_ALL : 0);
	if (wait_sample_queue(&waits->form, &sample, &waits->queue))
		thread->open_ns = until_ns;
}

/* Queues what threads do since before @until_ns: the time until then of those that wait for long (a
 * wait that is shorter than the period is counted with others when it ends), and that on a CPU. */
static void queue_all_open(struct switch_waits *waits, uint64_t until_ns)
{
	const uint64_t period_ns = waits->config.period_ns;
	const uint64_t min_ns = period_ns > OPEN_MIN_NS ? period_ns : OPEN_MIN_NS;

	for (uint32_t i = 0; i < waits->clock.count; i++) {
		struct switched_thread *thread = &waits->clock.threads[i];
		const uint64_t from_ns = thread->open_ns ? thread->open_ns : thread->since_ns;

		if (thread->is_off && !thread->is_preempted &&
		    (thread->has_stack || !thread->is_assumed) &&
		    from_ns + (thread->open_ns ? OPEN_MIN_NS : min_ns) <= until_ns)
			queue_open(waits, thread, until_ns);
		queue_on_cpu(waits, thread, until_ns);
	}
}

static void queue_counts(struct switch_waits *waits)
{
	struct perf_event_header *header =
		spsc_reserve(&waits->queue, sizeof(*header) + sizeof(waits->clock.counts));

	if (!header)
		return;
	*header = (struct perf_event_header){
		.type = SWITCH_WAITS_COUNTS,
		.size = sizeof(*header) + sizeof(waits->clock.counts),
	};
	memcpy(header + 1, &waits->clock.counts, sizeof(waits->clock.counts));
	spsc_commit(&waits->queue);
}

/* The thread. */

static uint64_t next_read_ns(struct switch_waits *waits, uint64_t now_ns)
{
	const uint64_t half_ns = waits->config.period_ns / 2;
	const uint64_t mean_ns = half_ns > TICK_MIN_NS ? half_ns : TICK_MIN_NS;

	return now_ns + mean_ns / 2 + next_random(waits) % mean_ns;
}

static void run_tick(struct switch_waits *waits, uint64_t now_ns)
{
	drain(waits, now_ns - IN_FLIGHT_NS);
	if (now_ns >= waits->read_due_ns) {
		read_some(waits);
		waits->read_due_ns = next_read_ns(waits, now_ns);
	}
	if (now_ns >= waits->slice_end_ns + IN_FLIGHT_NS) {
		queue_all_open(waits, waits->slice_end_ns);
		waits->slice_end_ns = (now_ns / SLICE_NS + 1) * SLICE_NS;
	}
	if (now_ns >= waits->counts_due_ns) {
		queue_counts(waits);
		waits->counts_due_ns = now_ns + CLOCK_NS_PER_S;
	}
}

/* Waits for @pause_ns, or less where a read is due or rings have to be emptied. False: stopped. */
static bool wait_for_tick(const struct switch_waits *waits, uint64_t work_ns)
{
	struct pollfd stop = { .fd = waits->stop_fd, .events = POLLIN };
	const uint64_t now_ns = clock_now_ns();
	uint64_t pause_ns = waits->read_due_ns > now_ns ? waits->read_due_ns - now_ns : 0;
	struct timespec pause;

	if (pause_ns > DRAIN_MAX_NS)
		pause_ns = DRAIN_MAX_NS;
	if (pause_ns < work_ns * IDLE_SHARE)
		pause_ns = work_ns * IDLE_SHARE;
	pause = (struct timespec){ .tv_sec = (time_t)(pause_ns / CLOCK_NS_PER_S),
				   .tv_nsec = (long)(pause_ns % CLOCK_NS_PER_S) };
	return ppoll(&stop, 1, &pause, NULL) <= 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec now = { .tv_sec = 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

static void *run(void *argument)
{
	struct reader *reader = argument;
	struct switch_waits *waits = reader->waits;
	uint64_t before_ns, work_ns = 0;

	prctl(PR_SET_TIMERSLACK, 1);
	thread_go_first(0);	/* where permitted */
	while (wait_for_tick(waits, work_ns)) {
		before_ns = cpu_ns();
		run_tick(waits, clock_now_ns());
		work_ns = cpu_ns() - before_ns;
	}
	return NULL;
}

static int find_lanes(struct switch_waits *waits)
{
	const struct event_set *set = waits->config.set;

	waits->lanes = calloc(set->lane_count, sizeof(*waits->lanes));
	for (size_t i = 0; waits->lanes && i < set->lane_count; i++)
		if (set->lanes[i].event == waits->config.event)
			waits->lanes[waits->lane_count++] = (struct switch_lane){
				.ring = set->lanes[i].ring, .cpu = (uint32_t)set->lanes[i].cpu,
			};
	return waits->lanes ? 0 : -ENOMEM;
}

int switch_waits_create(struct switch_waits **out, const struct switch_waits_config *config)
{
	struct switch_waits *waits = calloc(1, sizeof(*waits));
	int err;

	*out = NULL;
	if (!waits)
		return -ENOMEM;
	waits->config = *config;
	waits->own_pid = (uint32_t)getpid();
	waits->random = clock_now_ns();
	wait_sample_form_init(&waits->form, &config->set->attrs[config->event]);
	switch_clock_init(&waits->clock, config->period_ns);
	waits->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = waits->stop_fd < 0 ? -EMFILE : find_lanes(waits);
	if (!err)
		err = spsc_init(&waits->queue, QUEUE_BYTES);
	if (err)
		switch_waits_destroy(waits);
	else
		*out = waits;
	return err;
}

struct spsc *switch_waits_queue(struct switch_waits *waits)
{
	return &waits->queue;
}

/* Returns the process of a thread; 0: it has ended. */
static uint32_t process_of(uint32_t tid)
{
	static const char name[] = "\nTgid:";
	char text[STATUS_BYTES];
	const char *at;

	if (read_text(tid, tid, "status", text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, name);
	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

/* Adds the threads of the set: those that are blocked may never be switched. */
static void add_threads(struct switch_waits *waits)
{
	const struct event_set *set = waits->config.set;

	for (size_t i = 0; waits->config.has_begun && i < set->row_count; i++) {
		const uint32_t tid = set->tids[i] > 0 ? (uint32_t)set->tids[i] : 0;
		const uint32_t pid = tid ? process_of(tid) : 0;

		if (pid)
			switch_clock_add(&waits->clock, pid, tid, waits->begin_ns);
	}
}

static int start_reader(struct switch_waits *waits)
{
	struct reader *reader = malloc(sizeof(*reader) + waits->form.read_bytes);
	int err;

	if (!reader)
		return -ENOMEM;
	reader->waits = waits;
	atomic_init(&reader->state, READER_OWNS);
	waits->reader = reader;
	err = thread_start(&reader->thread, "ft-waits", run, reader);
	waits->is_running = !err;
	if (err) {
		free(reader);
		waits->reader = NULL;
	}
	return err;
}

/* Abandons the thread, if it hangs in a read, and refuses the process's threads: their memory is
 * the same. False: it does not hang. */
static bool abandon(struct switch_waits *waits)
{
	const pthread_t thread = waits->reader->thread;
	int expected = atomic_load(&waits->reader->state);
	const uint32_t pid = (uint32_t)expected;

	if (expected == READER_OWNS ||
	    !atomic_compare_exchange_strong(&waits->reader->state, &expected,	/* read_memory() */
					    READER_IS_ABANDONED))
		return false;
	pthread_detach(thread);
	waits->reader = NULL;
	waits->is_running = false;
	log_note("the memory of process %" PRIu32 " does not respond: waits of its threads are "
		 "counted without their stacks", pid);
	for (uint32_t i = 0; i < waits->clock.count; i++)
		if (waits->clock.threads[i].pid == pid)
			refuse(waits, &waits->clock.threads[i]);
	return true;
}

void switch_waits_watch(struct switch_waits *waits, uint64_t now_ns)
{
	const uint64_t done_ns = switch_waits_done_ns(waits);

	if (waits->is_running && now_ns > done_ns + HUNG_NS && abandon(waits))
		start_reader(waits);
}

int switch_waits_start(struct switch_waits *waits)
{
	waits->begin_ns = clock_now_ns();
	waits->slice_end_ns = (waits->begin_ns / SLICE_NS + 1) * SLICE_NS;
	waits->counts_due_ns = waits->begin_ns + CLOCK_NS_PER_S;
	atomic_store(&waits->done_ns, waits->begin_ns);
	add_threads(waits);
	return start_reader(waits);
}

uint64_t switch_waits_malformed(const struct switch_waits *waits)
{
	return atomic_load_explicit(&waits->published_malformed, memory_order_relaxed);
}

uint64_t switch_waits_done_ns(const struct switch_waits *waits)
{
	return atomic_load_explicit(&waits->done_ns, memory_order_acquire);
}

void switch_waits_end(struct switch_waits *waits)
{
	uint64_t now_ns;

	if (waits->has_ended)
		return;
	waits->has_ended = true;
	whole_eventfd_write(waits->stop_fd, 1);
	while (waits->is_running && !thread_join_within(waits->reader->thread, STOP_MS))
		if (abandon(waits))
			break;
	waits->is_running = false;
	free(waits->reader);
	waits->reader = NULL;
	now_ns = clock_now_ns();
	drain(waits, now_ns);
	queue_all_open(waits, now_ns);
	queue_counts(waits);
	atomic_store(&waits->done_ns, UINT64_MAX);
}

void switch_waits_destroy(struct switch_waits *waits)
{
	if (!waits)
		return;
	if (waits->is_running)
		switch_waits_end(waits);
	switch_clock_finish(&waits->clock);
	id_map_finish(&waits->families);
	spsc_finish(&waits->queue);
	if (waits->stop_fd >= 0)
		close(waits->stop_fd);
	free(waits->lanes);
	free(waits);
}
