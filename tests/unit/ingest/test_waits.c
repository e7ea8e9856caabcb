/* Waits made of the switches of a recording: known switches, known times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/wait_record.h"
#include "ingest/ingest.h"
#include "ingest/losses.h"
#include "ingest/waits.h"
#include "ingest/intake.h"
#include "ingest/on_cpu_times.h"
#include "record_bytes.h"
#include "unit_tests.h"

#define COMMON                                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] =
	"name: sched_switch\nID: 1\nformat:\n" COMMON
	"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n";
static const char waking_format[] =
	"name: sched_waking\nID: 2\nformat:\n" COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
static const char stat_format[] =
	"name: sched_stat_sleep\nID: 3\nformat:\n" COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 delay;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";

enum { SWITCH, WAKING, STAT, OFF_CPU, WALL, PART, LIVE, EVENTS };
enum { A = 10, B = 20, IDLE = 0 };
enum { RUNS = 0, SLEEPS = 1, DISK = 2, ZOMBIE = 0x20 };	/* prev_state */
enum { HARDIRQ = 0x08 };

static struct event_desc descs[EVENTS];
static const struct event_desc *events[EVENTS];
static struct ingest ingest;
static uint32_t cpu;		/* the next records' */

static int set_up(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.sample_period = 1, .sample_id_all = 1,
	};
	static const struct event_desc known[EVENTS] = {
		[SWITCH] = { .name = "sched:sched_switch", .raw_format = switch_format },
		[WAKING] = { .name = "sched:sched_waking", .raw_format = waking_format },
		[STAT] = { .name = "sched:sched_stat_sleep", .raw_format = stat_format },
		[OFF_CPU] = { .name = "off-cpu", .counts_waits = true, .is_of_switches = true },
		[WALL] = { .name = "wall", .counts_waits = true, .is_wall = true },
		[PART] = { .name = "off-cpu", .counts_waits = true, .is_part = true,
			   .counted_as = WALL },
		[LIVE] = { .name = "off-cpu", .counts_waits = true },
	};
	const struct ingest_config config = { .is_replay = true, .events = events,
					      .event_count = EVENTS };
	struct diag why;

	(void)state;
	for (int i = 0; i < EVENTS; i++) {
		descs[i] = known[i];
		descs[i].long_bytes = 8;
		record_format_init(&descs[i].format, &attr);
		events[i] = &descs[i];
	}
	cpu = 0;
	return ingest_init(&ingest, &config, NULL, NULL, &why);
}

static int tear_down(void **state)
{
	(void)state;
	ingest_finish(&ingest);
	return 0;
}

struct raw_bytes {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t common_pid;
	int32_t pid, next_pid;
	uint64_t number;
};

static void push(uint16_t event, uint64_t time_ns, uint32_t tid, const struct raw_bytes *raw)
{
	/* The size of the raw bytes stands in half a word. */
	struct { uint32_t size, at[7]; } sized = { .size = sizeof(sized) - 4 };
	struct record_bytes record;
	uint64_t words[sizeof(sized) / 8];

	memcpy(sized.at, raw, sizeof(*raw));
	memcpy(words, &sized, sizeof(words));
	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	record_add(&record, (uint64_t[]){ 0xffffffff81000000 + tid, PAIR(tid, tid), time_ns,
					  PAIR(cpu, 0), 1 }, 5);
	record_add(&record, words, COUNT_OF(words));
	record_close(&record);
	ingest_push(&ingest, record.words, record.count * 8, event, cpu);
	assert_int_equal(ingest.counters.malformed, 0);
}

static void push_switch(uint64_t time_ns, int32_t from, uint64_t state, int32_t to)
{
	push(SWITCH, time_ns, (uint32_t)from,
	     &(struct raw_bytes){ .pid = from, .next_pid = to, .number = state });
}

static void push_waking(uint64_t time_ns, int32_t waker, uint8_t flags, int32_t of)
{
	push(WAKING, time_ns, (uint32_t)waker, &(struct raw_bytes){ .flags = flags, .pid = of });
}

/* A record of the kernel's programs. */
static void push_live(uint64_t time_ns, uint32_t tid, const struct wait_record *wait)
{
	struct { uint32_t size, at[19]; } sized = { .size = sizeof(sized) - 4 };
	struct record_bytes record;
	uint64_t words[sizeof(sized) / 8];

	memcpy(sized.at, wait, sizeof(*wait));
	memcpy(words, &sized, sizeof(words));
	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	record_add(&record, (uint64_t[]){ 0xffffffff81000000, PAIR(tid, tid), time_ns,
					  PAIR(cpu, 0), 1 }, 5);
	record_add(&record, words, COUNT_OF(words));
	record_close(&record);
	ingest_push(&ingest, record.words, record.count * 8, LIVE, cpu);
}

static void push_comm(uint64_t time_ns, uint32_t tid, const char *comm)
{
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_COMM, 0);
	record_add(&record, (uint64_t[]){ PAIR(tid, tid) }, 1);
	record_add_text(&record, comm);
	record_add(&record, (uint64_t[]){ PAIR(tid, tid), time_ns, PAIR(cpu, 0) }, 3);
	record_close(&record);
	ingest_push(&ingest, record.words, record.count * 8, SWITCH, cpu);
}

static void end_recording(void)
{
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = UINT64_MAX });
	assert_int_equal(timeline_cut(&ingest.timeline, 10 * SLICE_NS), 0);
}

static uint64_t sum_waits(uint32_t tid, enum wait_state state, const char *waker, bool is_of_all)
{
	uint64_t ns = 0;

	for (uint32_t s = 0; s < ingest.timeline.count; s++)
		for (uint32_t i = 0; i < ingest.timeline.slices[s].count; i++) {
			const struct slice_entry *entry = &ingest.timeline.slices[s].entries[i];
			const struct wait_tuple *tuple = &ingest.waits->tuples[entry->bucket];

			if (entry->event >= OFF_CPU && tuple->state == state &&
			    tuple->is_of_all == is_of_all &&
			    ingest.tasks.tasks[entry->task].tid == tid &&
			    (!waker || !strcmp(strpool_get(ingest.strings, tuple->waker), waker)))
				ns += entry->weight;
		}
	return ns;
}

/* The ns of waits of @tid in @state that @waker ended; NULL: any. */
static uint64_t waited(uint32_t tid, enum wait_state state, const char *waker)
{
	return sum_waits(tid, state, waker, false);
}

/* The ns of such waits that go on while all threads are watched. */
static uint64_t waited_of_all(uint32_t tid, enum wait_state state)
{
	return sum_waits(tid, state, NULL, true);
}

/*   0   100        150 160            200        260
 *   A   |B                            |A         |       A sleeps 100..150, is runnable ..200
 *       A blocks   | B wakes it       B preempted        B is runnable 200..260
 */
static void test_a_wait_has_a_blocked_and_a_runnable_part(void **state)
{
	(void)state;
	push_comm(50, B, "baker");
	push_switch(100, A, SLEEPS, B);
	push_waking(150, B, 0, A);
	push_waking(160, B, 0, A);	/* it is awake */
	push_switch(200, B, RUNS, A);
	push_switch(260, A, SLEEPS, B);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, "baker"), 50);
	assert_int_equal(waited(A, WAIT_RUNNABLE, "baker"), 50);
	assert_int_equal(waited(B, WAIT_RUNNABLE, ""), 60);
	assert_int_equal(waited(B, WAIT_SLEEPING, NULL), 0);
	assert_int_equal(ingest.counters.unpaired_waits, 2);	/* B before 100, A after 260 */
	assert_int_equal(ingest.counters.shortened_waits, 0);
}

/* An interrupt wakes, whoever ran; and without sched_waking nobody knows who woke. */
static void test_an_interrupt_is_no_task(void **state)
{
	(void)state;
	push_comm(50, B, "baker");
	push_switch(100, A, DISK, B);
	push_waking(130, B, HARDIRQ, A);
	push_switch(140, B, SLEEPS, A);
	push_switch(150, A, DISK, IDLE);
	push_switch(190, IDLE, RUNS, A);
	end_recording();
	assert_int_equal(waited(A, WAIT_DISK, "interrupt"), 30);
	assert_int_equal(waited(A, WAIT_RUNNABLE, "interrupt"), 10);
	assert_int_equal(waited(A, WAIT_DISK, ""), 40);
	assert_int_equal(waited(A, WAIT_DISK, "baker"), 0);
}

/* The switch from the idle task to A is missing: A has waited at least until the last switch. */
static void test_a_wait_without_an_end_ends_with_the_last_switch(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		push_switch(50 + 2 * i, IDLE, RUNS, B);
		push_switch(51 + 2 * i, B, SLEEPS, IDLE);
	}
	push_switch(100, A, SLEEPS, B);
	push_switch(150, B, SLEEPS, IDLE);
	push_switch(170, IDLE, RUNS, B);
	push_switch(180, B, SLEEPS, IDLE);
	push_switch(300, A, SLEEPS, IDLE);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 80);
	assert_int_equal(ingest.counters.shortened_waits, 1);
}

/* Recorded of A alone: nothing says when it ran again, but for what the scheduler summed up. */
static void test_a_part_is_counted_where_its_length_is_recorded(void **state)
{
	(void)state;
	push_switch(100, A, SLEEPS, B);
	push(STAT, 400, B, &(struct raw_bytes){ .pid = A, .number = 290 });
	push_switch(500, A, SLEEPS, B);
	push_switch(900, A, SLEEPS, B);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 290);
	assert_int_equal(ingest.counters.unpaired_waits, 2);	/* since 500, 900 */
}

/* On a whole CPU the rest of such a wait was spent on the run queue. */
static void test_the_rest_of_a_wait_is_counted_once(void **state)
{
	(void)state;
	push_switch(100, A, SLEEPS, B);
	push(STAT, 400, B, &(struct raw_bytes){ .pid = A, .number = 290 });
	push_switch(450, B, SLEEPS, A);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 290);
	assert_int_equal(waited(A, WAIT_RUNNABLE, NULL), 60);
}

/* The round of 1000 is over when the switch at 400 comes: it is late, and no wait ends with it. */
static void test_a_wait_that_ends_before_it_began_is_none(void **state)
{
	(void)state;
	push_switch(500, A, SLEEPS, B);
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = 1000 });
	push_switch(400, B, SLEEPS, A);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 0);
	assert_int_equal(waited(A, WAIT_RUNNABLE, NULL), 0);
	assert_int_equal(ingest.counters.unpaired_waits, 3);	/* A; B before 500, after 400 */
}

/* The weight is divided as the wait is, to the last ns; and states of which tracepoints know
 * nothing are what tracepoints make of them. */
static void test_a_live_wait_weighs_what_its_record_says(void **state)
{
	const uint64_t large = (1ull << 53) + 1;

	(void)state;
	ingest.config.is_replay = false;
	push_live(100, A, &(struct wait_record){ .weight_ns = 100, .blocked_ns = 30,
						 .run_queue_ns = 10, .state = SLEEPS });
	push_live(200, A, &(struct wait_record){ .weight_ns = large, .blocked_ns = large,
						 .state = 0x1000 });	/* TASK_RTLOCK_WAIT */
	push_live(300, B, &(struct wait_record){ .weight_ns = 7, .blocked_ns = 7,
						 .state = 0x402 });	/* TASK_IDLE */
	push_live(400, B, &(struct wait_record){ .weight_ns = 9, .run_queue_ns = 9 });
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 75);
	assert_int_equal(waited(A, WAIT_RUNNABLE, NULL), 25);
	assert_int_equal(waited(A, WAIT_DISK, NULL), large);
	assert_int_equal(waited(B, WAIT_OTHER, NULL), 7);
	assert_int_equal(waited(B, WAIT_RUNNABLE, NULL), 9);
}

/* Without BPF it is known that a thread was blocked, but not how; a thread that was preempted is
 * runnable. */
static void test_a_wait_of_unknown_state_is_blocked_and_no_time_on_a_cpu(void **state)
{
	(void)state;
	ingest.config.is_replay = false;
	push_live(100, A, &(struct wait_record){ .weight_ns = 40, .blocked_ns = 10,
						 .flags = WAIT_STATE_UNKNOWN });
	push_live(200, A, &(struct wait_record){ .weight_ns = 7, .blocked_ns = 7, .state = DISK });
	push_live(300, A, &(struct wait_record){ .weight_ns = 9, .run_queue_ns = 9 });
	end_recording();
	assert_int_equal(waited(A, WAIT_BLOCKED, NULL), 40);
	assert_int_equal(waited(A, WAIT_DISK, NULL), 7);
	assert_int_equal(waited(A, WAIT_RUNNABLE, NULL), 9);
	assert_int_equal(waited(A, WAIT_UNKNOWN, NULL), 0);
	assert_string_equal(wait_state_name(WAIT_BLOCKED), "blocked");
}

/* An open wait: the time so far until @until_ns. */
static void push_open(uint32_t tid, uint64_t until_ns, uint64_t so_far_ns)
{
	push_live(until_ns, tid, &(struct wait_record){
		.weight_ns = so_far_ns, .blocked_ns = so_far_ns, .woken_at_ns = until_ns,
		.state = SLEEPS, .flags = WAIT_IS_OPEN });
}

#define TENTH (SLICE_NS / 10)

/* In tenths of seconds: A blocks at 10 and is woken at 34; B blocks at 10, and its record is
 * refused, but brought by that of a wait of 2 that ends at 60.
 *
 *        10        20        30   34   35              60
 *   A    |---open--|---open--|----|-rq-|
 *   B    |---open--|...............|               |--|
 */
static void test_a_wait_that_goes_on_is_counted_once(void **state)
{
	(void)state;
	ingest.config.is_replay = false;
	push_open(A, 20 * TENTH, 10 * TENTH);
	push_open(B, 20 * TENTH, 10 * TENTH);
	push_open(A, 30 * TENTH, 20 * TENTH);
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = 31 * TENTH });
	assert_int_equal(ingest.waits->open_ns, 30 * TENTH);
	push_live(35 * TENTH, A, &(struct wait_record){
		.weight_ns = 25 * TENTH, .blocked_ns = 24 * TENTH, .run_queue_ns = TENTH,
		.state = SLEEPS });
	push_live(60 * TENTH, B, &(struct wait_record){
		.weight_ns = 17 * TENTH, .returned_ns = 15 * TENTH, .blocked_ns = 2 * TENTH,
		.state = SLEEPS });
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 24 * TENTH);
	assert_int_equal(waited(A, WAIT_RUNNABLE, NULL), TENTH);
	assert_int_equal(waited(B, WAIT_SLEEPING, NULL), 17 * TENTH);
	assert_int_equal(ingest.waits->open_ns, 0);
}

/* A waits since 10 and is open at 20; the record of that wait is missing. The next wait ends at 35,
 * with @record, and is open at 30 for @next_open_ns, 0: not. */
static void expect_after_missing(uint64_t next_open_ns, struct wait_record record,
				 uint64_t waited_ns)
{
	ingest.config.is_replay = false;
	push_open(A, 20 * TENTH, 10 * TENTH);
	if (next_open_ns)
		push_open(A, 30 * TENTH, next_open_ns);
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = 31 * TENTH });
	assert_int_equal(ingest.waits->open_ns, next_open_ns ? next_open_ns : 10 * TENTH);
	push_live(35 * TENTH, A, &record);
	push_live(40 * TENTH, A, &(struct wait_record){
		.weight_ns = 2 * TENTH, .blocked_ns = 2 * TENTH, .state = SLEEPS });
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), waited_ns + 2 * TENTH);
	assert_int_equal(ingest.waits->open_ns, 0);
}

/* In tenths of seconds: the wait of 10 to 21 is open at 20, and its record is refused.
 *
 *        10        20      22       30   35
 *   A    |---open--|.|     |--open--|----|     weight: 11 + 13
 */
static void test_a_wait_whose_record_was_refused_is_counted_once(void **state)
{
	(void)state;
	expect_after_missing(8 * TENTH, (struct wait_record){
		.weight_ns = 24 * TENTH, .returned_ns = 11 * TENTH, .blocked_ns = 13 * TENTH,
		.state = SLEEPS }, 24 * TENTH);
}

/* The record was dropped while the event was disabled: its time comes with no other one. */
static void test_a_wait_whose_record_was_dropped_is_open_no_more(void **state)
{
	(void)state;
	expect_after_missing(0, (struct wait_record){
		.weight_ns = 3 * TENTH, .blocked_ns = 3 * TENTH, .state = SLEEPS }, 13 * TENTH);
}

/* The program that writes the record did not run: both waits are in the next one. */
static void test_a_wait_that_had_no_record_is_counted_once(void **state)
{
	(void)state;
	expect_after_missing(0, (struct wait_record){
		.weight_ns = 14 * TENTH, .blocked_ns = 3 * TENTH, .state = SLEEPS }, 14 * TENTH);
}

/* Where the programs watch other tasks, too, no time of them is one of the target. */
static void test_times_of_others_are_in_no_sum(void **state)
{
	struct off_cpu_reading counted = {
		.counts = { .on_ns = 1, .blocked_ns = 2, .run_queue_ns = 3, .unknown_ns = 4,
			    .recorded_ns = 5, .skipped = 6 },
	};
	uint64_t sums[SUMS];

	(void)state;
	ingest.config.is_replay = false;
	push_open(A, 20 * TENTH, 10 * TENTH);
	waits_count(ingest.waits, &counted);
	end_recording();
	loss_sums_read(&ingest, sums);
	assert_int_equal(sums[SUM_ON_CPU] + sums[SUM_BLOCKED] + sums[SUM_RUN_QUEUE], 0);
	assert_int_equal(sums[SUM_RECORDED] + sums[LOSS_WAIT_TIME], 0);
	assert_int_equal(sums[LOSS_WAKEUPS], 6);
	counted.has_sums = 1;		/* the programs are others */
	waits_count(ingest.waits, &counted);
	end_recording();
	loss_sums_read(&ingest, sums);
	assert_int_equal(sums[SUM_BLOCKED], 2 + 10 * TENTH);
	assert_int_equal(sums[LOSS_WAIT_TIME], 4);
	assert_int_equal(sums[LOSS_WAKEUPS], 12);
}

/* The record of the wait came first, as the open one was read before and queued later. A later wait
 * of the thread is another one, and so is one of another thread of that number. */
static void test_an_open_wait_that_comes_late_is_none(void **state)
{
	struct record_bytes fork;

	(void)state;
	ingest.config.is_replay = false;
	push_live(35 * TENTH, A, &(struct wait_record){
		.weight_ns = 25 * TENTH, .blocked_ns = 25 * TENTH, .state = SLEEPS });
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = 36 * TENTH });
	push_live(37 * TENTH, A, &(struct wait_record){
		.weight_ns = 20 * TENTH, .blocked_ns = 20 * TENTH, .woken_at_ns = 30 * TENTH,
		.state = SLEEPS, .flags = WAIT_IS_OPEN });
	push_open(A, 50 * TENTH, 14 * TENTH);
	record_begin(&fork, PERF_RECORD_FORK, 0);
	record_add(&fork, (uint64_t[]){ PAIR(A, B), PAIR(A, B), 55 * TENTH, PAIR(A, A),
					55 * TENTH, PAIR(0, 0) }, 6);
	record_close(&fork);
	ingest_push(&ingest, fork.words, fork.count * 8, LIVE, 0);
	push_live(80 * TENTH, A, &(struct wait_record){
		.weight_ns = 30 * TENTH, .blocked_ns = 30 * TENTH, .state = SLEEPS });
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), (25 + 14 + 30) * TENTH);
	assert_int_equal(ingest.counters.malformed, 0);
}

static void test_a_thread_that_has_ended_does_not_wait(void **state)
{
	(void)state;
	push_switch(100, A, ZOMBIE, B);
	push_switch(900, B, SLEEPS, A);		/* another one of this number */
	end_recording();
	assert_int_equal(waited(A, WAIT_OTHER, NULL), 0);
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 0);
	assert_int_equal(ingest.counters.unpaired_waits, 2);	/* B before 100, after 900 */
}

/* Nothing is known of a time in which records were lost. */
static void test_lost_records_end_all_waits(void **state)
{
	struct record_bytes record;

	(void)state;
	push_switch(100, A, SLEEPS, B);
	record_begin(&record, PERF_RECORD_LOST, 0);
	record_add(&record, (uint64_t[]){ 1, 7, PAIR(B, B), 120, PAIR(0, 0) }, 5);
	record_close(&record);
	ingest_push(&ingest, record.words, record.count * 8, SWITCH, 0);
	push_switch(200, B, SLEEPS, A);
	end_recording();
	assert_int_equal(waited(A, WAIT_SLEEPING, NULL), 0);
	assert_int_equal(ingest.counters.unpaired_waits, 3);	/* A; B before 100, after 200 */
}

/* There is room for 239 pairs of state and waker; the rest keeps its state, and is of all threads
 * if it was before. */
static void test_wakers_without_room_are_other(void **state)
{
	const struct event_record record = { .kind = RECORD_SAMPLE, .pid = A, .tid = A,
					     .has_pid = true, .has_time = true };
	char comm[16];
	uint64_t raw[1] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		const struct wait wait = {
			.end_ns = 100, .blocked_ns = 10, .state = WAIT_DISK,
			.waker = { comm, (size_t)snprintf(comm, sizeof(comm), "w%u", i) },
		};

		waits_add(&ingest, &record, raw, sizeof(raw), OFF_CPU, &wait);
	}
	waits_add(&ingest, &record, raw, sizeof(raw), OFF_CPU, &(struct wait){
		.end_ns = 100, .blocked_ns = 10, .state = WAIT_STOPPED, .is_of_all = true });
	end_recording();
	assert_int_equal(waited(A, WAIT_DISK, NULL), 3000);
	assert_int_equal(waited(A, WAIT_STOPPED, NULL), 0);
	assert_int_equal(waited_of_all(A, WAIT_STOPPED), 10);
	assert_int_equal(waited(A, WAIT_DISK, "w0"), 10);
	assert_int_equal(waited(A, WAIT_DISK, "w299"), 0);
	assert_int_equal(waited(A, WAIT_DISK, "(other)"), 10 * (300 - 239));
}

/* A record of wall's part is a wait of wall, which has its ns; nothing else is counted. */
static void test_a_part_counts_for_wall(void **state)
{
	const struct wait_record wait = { .weight_ns = 70, .blocked_ns = 60, .run_queue_ns = 10,
					  .state = DISK };
	const struct event_record record = {
		.kind = RECORD_SAMPLE, .pid = A, .tid = A, .has_pid = true, .has_time = true,
		.event = PART, .sample = { .raw = &wait, .raw_bytes = sizeof(wait) },
	};
	uint64_t raw[1] = { 0 }, of_wall = 0, of_disk = 0;

	(void)state;
	ingest.config.is_replay = false;
	waits_record(&ingest, &record, raw, sizeof(raw));
	end_recording();
	for (uint32_t s = 0; s < ingest.timeline.count; s++)
		for (uint32_t i = 0; i < ingest.timeline.slices[s].count; i++) {
			const struct slice_entry *entry = &ingest.timeline.slices[s].entries[i];

			assert_int_equal(entry->event, WALL);
			of_wall += entry->weight;
			if (ingest.waits->tuples[entry->bucket].state == WAIT_DISK)
				of_disk += entry->weight;
		}
	assert_int_equal(of_wall, 70);
	assert_int_equal(of_disk, 60);
}

static void test_bits_of_a_state(void **state)
{
	(void)state;
	assert_int_equal(wait_state_of_bits(0), WAIT_RUNNABLE);
	assert_int_equal(wait_state_of_bits(0x100), WAIT_RUNNABLE);	/* R+ */
	assert_int_equal(wait_state_of_bits(0x1), WAIT_SLEEPING);
	assert_int_equal(wait_state_of_bits(0x102), WAIT_DISK);
	assert_int_equal(wait_state_of_bits(0x8), WAIT_STOPPED);
	assert_int_equal(wait_state_of_bits(0x80), WAIT_OTHER);
}

/* Threads that have ended leave rows; the time of a later one is not counted twice for that. */
static void test_time_on_a_cpu_is_counted_once_after_many_threads(void **state)
{
	struct waits *waits = calloc(1, sizeof(*waits));

	(void)state;
	assert_non_null(waits);
	for (uint32_t tid = 1; tid <= 100000; tid++) {
		on_cpu_times_sampled(waits, tid, 1000000);
		assert_int_equal(on_cpu_times_take(waits, tid, 400000), 0);
	}
	assert_int_equal(on_cpu_times_take(waits, 100000, 700000), 100000);
	waits_destroy(waits);
}

UNIT_TESTS(test_waits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_wait_has_a_blocked_and_a_runnable_part,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_an_interrupt_is_no_task, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_wait_without_an_end_ends_with_the_last_switch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_part_is_counted_where_its_length_is_recorded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_rest_of_a_wait_is_counted_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_wait_that_ends_before_it_began_is_none,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_live_wait_weighs_what_its_record_says,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_wait_that_goes_on_is_counted_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_wait_whose_record_was_refused_is_counted_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_wait_whose_record_was_dropped_is_open_no_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_wait_that_had_no_record_is_counted_once,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_times_of_others_are_in_no_sum, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_an_open_wait_that_comes_late_is_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_thread_that_has_ended_does_not_wait, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_lost_records_end_all_waits, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_wait_of_unknown_state_is_blocked_and_no_time_on_a_cpu, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(test_wakers_without_room_are_other, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_part_counts_for_wall, set_up, tear_down),
		cmocka_unit_test(test_bits_of_a_state),
		cmocka_unit_test(test_time_on_a_cpu_is_counted_once_after_many_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
