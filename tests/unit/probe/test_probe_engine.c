/* test_probe_engine.c - probes on functions of a copy of this program that runs beside it, for its
 * own are refused: what is reported, what is counted, what is left. Needs root and uprobes. */
#include "probe/probe_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/record.h"
#include "elf/file_jobs.h"
#include "need_root.h"
#include "probed_copy.h"
#include "unit_tests.h"

#define HANG_NS (60 * CLOCK_NS_PER_S)

static struct sandbox *sandbox;
static struct probe_engine *engine;
static uint64_t last_number;

/* The state, reason and values in the last event of a probe. */
static struct {
	bool has_rings, has_row, has_reading, is_removed;
	uint32_t id, added, removed;
	struct probe_status status;
	uint64_t ignored_ns;
	uint64_t records;
	char name[PROBE_FUNCTION_BYTES];	/* the last row's */
} seen;

static void create_engine(const struct probe_engine_config *config)
{
	struct probe_engine_config with_sandbox = *config;
	struct diag why = { .err = 0 };

	memset(&seen, 0, sizeof(seen));
	/* One for each: its end cancels all its jobs. */
	if (sandbox_start(&sandbox, worker_run, &why))
		fail_msg("%s", why.text);
	with_sandbox.sandbox = sandbox;
	if (probe_engine_create(&engine, &with_sandbox, &why))
		fail_msg("%s", why.text);
}

static void destroy_engine(void)
{
	assert_true(probe_engine_destroy(engine));
	sandbox_stop(sandbox);
	engine = NULL;
	sandbox = NULL;
}

static void replace_engine(const struct probe_engine_config *config)
{
	destroy_engine();
	create_engine(config);
}

static int setup(void **state)
{
	const struct probe_engine_config config = { .cap_pct = 100, .cap_sum_pct = 100,
						    .lease_ns = PROBE_LEASE_NS };

	(void)state;
	if (geteuid() == 0)
		create_engine(&config);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	destroy_engine();
	return 0;
}

static void take_event(void)
{
	struct engine_event event;

	while (probe_engine_event(engine, &event)) {
		seen.has_rings |= event.kind == ENGINE_EVENT_RINGS;
		seen.is_removed |= event.kind == ENGINE_EVENT_REMOVED;
		seen.removed += event.kind == ENGINE_EVENT_REMOVED;
		seen.has_reading |= event.kind == ENGINE_EVENT_READING;
		if (event.kind == ENGINE_EVENT_ADDED) {
			seen.has_row = true;
			seen.id = event.probe;
			snprintf(seen.name, sizeof(seen.name), "%s", event.name);
			seen.added++;
		}
		if (event.kind == ENGINE_EVENT_STATUS && event.probe == seen.id)
			seen.status = event.status;
		if (event.kind == ENGINE_EVENT_IGNORE)
			seen.ignored_ns = event.time_ns;
		probe_reading_destroy(event.reading);
		free(event.spec);
	}
}

static uint64_t count_records(const struct queue_item *item, size_t bytes)
{
	uint64_t count = 0;
	size_t offset = 0;

	while (item->kind == QUEUE_RECORD && queue_next_record(item, bytes, &offset))
		count++;
	return count;
}

static void take_records(void)
{
	struct spsc *queue = probe_engine_queue(engine);
	const struct queue_item *item;
	size_t bytes;

	while ((item = spsc_peek(queue, &bytes))) {
		seen.records += count_records(item, bytes);
		spsc_release(queue);
	}
}

static uint64_t order_with(const struct probe_choice *choice, enum probe_request_kind kind,
			   const char *spec)
{
	struct probe_request made = { .kind = kind, .number = ++last_number, .choice = *choice,
				    .time_ns = clock_now_ns(), .probe = seen.id };
	struct diag why;

	if (spec && probe_spec_parse(&made.choice.spec, spec, &why))
		fail_msg("%s: %s", spec, why.text);
	assert_true(probe_engine_request(engine, &made));
	return made.number;
}

static uint64_t order(enum probe_request_kind kind, const char *spec)
{
	return order_with(&(struct probe_choice){ .pid = 0 }, kind, spec);
}

/* The reply that ends request @number. */
static struct probe_reply wait_in_rounds(uint64_t number, void (*each_round)(void))
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;
	struct pollfd ready = { .fd = probe_engine_reply_fd(engine), .events = POLLIN };
	struct probe_reply reply;

	while (clock_now_ns() < give_up_ns) {
		if (each_round)
			each_round();
		poll(&ready, 1, each_round ? 0 : 100);
		while (probe_engine_reply(engine, &reply))
			if (reply.number == number && reply.is_done)
				return reply;
	}
	fail_msg("no reply to request %d", (int)number);
	return reply;
}

static struct probe_reply wait_for(uint64_t number)
{
	return wait_in_rounds(number, NULL);
}

static void wait_until(bool (*is_so)(uint64_t number), uint64_t number)
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;

	for (take_event(); !is_so(number); take_event()) {
		if (clock_now_ns() > give_up_ns)
			fail_msg("state %d, %d hits, %d wanted: %s", (int)seen.status.state,
				 (int)seen.status.hits, (int)number, seen.status.reason);
		take_records();
		poll(NULL, 0, 5);
	}
}

static bool is_state(uint64_t state)
{
	return seen.status.state == state;
}

static bool has_hits(uint64_t hits)
{
	return seen.status.hits >= hits;
}

static bool has_records(uint64_t records)
{
	return seen.records >= records;
}

static bool is_removed(uint64_t ignored)
{
	(void)ignored;
	return seen.is_removed;
}

static const char *spec_of(const char *form, const char *function)
{
	static char text[PATH_MAX + 64];

	snprintf(text, sizeof(text), form, probed_copy_path(), function);
	return text;
}

static void add(const char *spec)
{
	const struct probe_reply reply = wait_for(order(PROBE_ADD, spec));

	if (reply.why.err || reply.reason[0])
		fail_msg("%s: %s%s", spec, reply.why.text, reply.reason);
	take_event();
	seen.id = reply.probe;
	wait_until(is_state, PROBE_ATTACHED);
}

static void test_each_call_is_a_hit_and_a_record(void **state)
{
	(void)state;
	need_root();
	add(spec_of("u:%s:%s", "probed_function"));
	assert_true(seen.has_rings && seen.has_row && seen.has_reading);
	probed_copy_call(10);
	wait_until(has_hits, 10);
	wait_until(has_records, 10);
	probed_copy_call(1);
	wait_until(has_hits, 11);
	assert_int_equal(seen.status.hits, 11);
}

static void test_a_latency_probe_sends_two_records_for_a_hit(void **state)
{
	(void)state;
	need_root();
	add(spec_of("lat:%s:%s", "probed_function"));
	probed_copy_call(5);
	wait_until(has_hits, 5);
	wait_until(has_records, 10);
	assert_int_equal(seen.status.hits, 5);
	assert_int_equal(seen.records, 10);
}

static void test_off_takes_the_breakpoint_away_and_on_counts_further(void **state)
{
	const uint64_t before = probed_copy_first_bytes();
	uint64_t pressed_ns;

	(void)state;
	need_root();
	add(spec_of("u:%s:%s", "probed_function"));
	assert_int_not_equal(probed_copy_first_bytes(), before);
	probed_copy_call(3);
	wait_until(has_hits, 3);
	pressed_ns = clock_now_ns();
	order(PROBE_OFF, NULL);
	wait_until(is_state, PROBE_IS_OFF);
	assert_int_equal(probed_copy_first_bytes(), before);
	assert_true(seen.ignored_ns >= pressed_ns);
	probed_copy_call(4);
	order(PROBE_ON, NULL);
	wait_until(is_state, PROBE_ATTACHED);
	probed_copy_call(2);
	wait_until(has_hits, 5);
	assert_int_equal(seen.status.hits, 5);
}

static void test_a_file_that_was_changed_is_not_probed_by_old_offsets(void **state)
{
	(void)state;
	need_root();
	add(spec_of("u:%s:%s", "probed_function"));
	order(PROBE_OFF, NULL);
	wait_until(is_state, PROBE_IS_OFF);
	assert_int_equal(chmod(probed_copy_path(), 0755), 0);	/* as a write does: a new ctime */
	order(PROBE_ON, NULL);
	wait_until(is_state, PROBE_FAILED);
	assert_non_null(strstr(seen.status.reason, "was changed"));
}

static void test_a_removed_probe_leaves_no_breakpoint(void **state)
{
	const uint64_t before = probed_copy_first_bytes();

	(void)state;
	need_root();
	add(spec_of("u:%s:%s", "probed_function"));
	order(PROBE_REMOVE, NULL);
	wait_until(is_removed, 0);
	assert_int_equal(probed_copy_first_bytes(), before);
}

static void test_a_wildcard_adds_a_row_for_each_function(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_ADD, spec_of("u:%s:%s", "*probed_function")));
	take_event();
	assert_int_equal(reply.why.err, 0);
	assert_int_equal(reply.all, seen.added);
	assert_int_equal(reply.done, seen.added);
	assert_true(seen.added >= 2);
}

static void test_a_row_has_the_name_that_the_probe_was_given(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	add(spec_of("mine=u:%s:%s", "probed_function"));
	assert_string_equal(seen.name, "mine");
	reply = wait_for(order(PROBE_ADD, spec_of("mine=u:%s:%s", "unprobed_function")));
	assert_int_equal(reply.why.err, -EEXIST);
	assert_string_equal(reply.why.text, "there is a probe mine already: give this one another "
			    "name, or remove that one");
	reply = wait_for(order(PROBE_ADD, spec_of("all=u:%s:%s", "un?robed_function")));
	take_event();
	assert_int_equal(reply.why.err, 0);
	assert_string_equal(seen.name, "all:unprobed_function");
}

static bool are_left(uint64_t count)
{
	return seen.added - seen.removed == count;
}

static void test_what_is_cancelled_is_not_attached(void **state)
{
	struct probe_reply reply;
	struct probe_request cancel = { .kind = PROBE_CANCEL };

	(void)state;
	need_root();
	cancel.number = order(PROBE_ADD, spec_of("u:%s:%s", "*probed_function"));
	assert_true(probe_engine_request(engine, &cancel));
	reply = wait_for(cancel.number);	/* how far it came is a matter of luck */
	wait_until(are_left, reply.done);
	add(spec_of("u:%s:%s", "probed_function"));	/* another order is none of its business */
}

static void test_examining_tells_the_rate_of_two_and_attaches_nothing(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_EXAMINE, spec_of("u:%s:%s", "{probed,unprobed}_function")));
	take_event();
	assert_int_equal(reply.why.err, 0);
	assert_int_equal(reply.functions, 2);
	assert_true(reply.has_rate);
	assert_true(reply.cost_ns > 0);
	assert_false(seen.has_row);
}

static void call_some(void)
{
	probed_copy_call(10);
}

/* Calls nothing for the first 0.5 s, as a thread that does not run. */
static void call_late(void)
{
	static uint64_t begin_ns;

	if (!begin_ns)
		begin_ns = clock_now_ns() + CLOCK_NS_PER_S / 2;
	if (clock_now_ns() > begin_ns)
		call_some();
}

/* The rate of the function that the copy calls by @call, if @pid alone is to be probed. */
static double rate_for(pid_t pid, void (*call)(void))
{
	const struct probe_choice choice = { .reach = REACH_PROCESS, .pid = pid };
	struct probe_reply reply;

	reply = wait_in_rounds(order_with(&choice, PROBE_EXAMINE,
					  spec_of("u:%s:%s", "probed_function")), call);
	if (reply.why.err || !reply.has_rate)
		fail_msg("%s%s", reply.why.text, reply.reason);
	return reply.hits_per_s;
}

static void test_the_rate_is_that_of_the_process_to_be_probed(void **state)
{
	(void)state;
	need_root();
	assert_true(rate_for(probed_copy_pid(), call_some) > 0);
	assert_true(rate_for(getpid(), call_some) == 0);
}

static void test_a_thread_that_does_not_run_at_first_has_a_rate(void **state)
{
	(void)state;
	need_root();
	assert_true(rate_for(probed_copy_pid(), call_late) > 0);
}

/* Its count is nanoseconds: some 10^9 a second on a busy CPU, with at most some 10^4 hits. */
static void test_the_rate_of_a_tracepoint_with_a_weight_is_of_its_hits(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_in_rounds(order(PROBE_EXAMINE, "t:sched:sched_stat_runtime"), call_some);
	assert_int_equal(reply.why.err, 0);
	assert_true(reply.has_rate);
	assert_true(reply.hits_per_s > 0 && reply.hits_per_s < 1e6);
}

static void test_what_is_not_counted_must_be_typed(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_EXAMINE, spec_of("u:%s:%s", "probed_copy_*")));
	assert_true(reply.functions >= 2);
	assert_false(reply.has_rate);
	assert_true(reply.must_type);
	reply = wait_for(order(PROBE_EXAMINE, spec_of("u:%s:%s", "probed_function")));
	assert_false(reply.must_type);
}

/* No hit would be let through. */
static void test_a_condition_on_what_is_not_there_is_reported_before(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_EXAMINE, spec_of("u:%s:%s if cuont > 100",
						      "probed_function")));
	assert_int_equal(reply.verdict, VERDICT_UNABLE);
	assert_non_null(strstr(reply.reason, "the filter asks for cuont: "));
	reply = wait_for(order(PROBE_EXAMINE, spec_of("u:%s:%s cuont if pid > 1",
						      "probed_function")));
	assert_int_not_equal(reply.verdict, VERDICT_UNABLE);
}

static void call_until_capped(void)
{
	while (seen.status.state == PROBE_ATTACHED || seen.status.state == PROBE_DETACHING) {
		probed_copy_call(1000);
		take_event();
		take_records();
	}
	assert_int_equal(seen.status.state, PROBE_CAPPED);
}

/* An engine with these caps, and a probe that it has switched off. */
static void cap_a_probe(double cap_pct, double cap_sum_pct)
{
	const struct probe_engine_config config = { .cap_pct = cap_pct, .cap_sum_pct = cap_sum_pct,
						    .lease_ns = PROBE_LEASE_NS };

	need_root();
	replace_engine(&config);
	add(spec_of("u:%s:%s", "probed_function"));
	call_until_capped();
}

static void test_what_costs_too_much_is_switched_off(void **state)
{
	(void)state;
	cap_a_probe(0.5, 100);
	assert_non_null(strstr(seen.status.reason, " are over its cap, 0.5 %"));
}

static void test_what_was_switched_off_goes_on_in_bursts(void **state)
{
	(void)state;
	cap_a_probe(1, 100);
	order(PROBE_BURSTS, NULL);
	wait_until(is_state, PROBE_ATTACHED);
	assert_true(seen.status.is_in_bursts);
	wait_until(is_state, PROBE_PAUSED);
	wait_until(is_state, PROBE_ATTACHED);
}

static void test_a_refused_probe_stays_so_whatever_is_requested(void **state)
{
	static const enum probe_request_kind orders[] = { PROBE_OFF, PROBE_ON, PROBE_BURSTS,
							PROBE_LIFT, PROBE_EXTEND };
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_ADD, spec_of("u:%s:%s+1", "probed_function")));
	assert_int_equal(reply.verdict, VERDICT_REFUSED);
	take_event();
	seen.id = reply.probe;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		order(orders[i], NULL);
		wait_for(order(PROBE_SWEEP, NULL));	/* the orders before it were taken */
		take_event();
		assert_int_equal(seen.status.state, PROBE_REFUSED);
		assert_non_null(strstr(seen.status.reason, "inside the instruction"));
	}
}

/* Refused ones have rows, too: they fill them at once. */
static void test_a_pattern_is_added_as_a_whole_or_not_at_all(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	for (int i = 0; i < PROBE_SLOTS - 1; i++)
		wait_for(order(PROBE_ADD, spec_of("u:%s:%s+1", "probed_function")));
	reply = wait_for(order(PROBE_ADD, spec_of("u:%s:%s", "*probed_function")));
	assert_int_equal(reply.why.err, -ENOSPC);
	assert_non_null(strstr(reply.why.text, "room for 1 of"));
	take_event();
	assert_int_equal(seen.added, PROBE_SLOTS - 1);
	add(spec_of("u:%s:%s", "probed_function"));
	reply = wait_for(order(PROBE_ADD, spec_of("u:%s:%s", "probed_function")));
	assert_int_equal(reply.why.err, -ENOSPC);
}

static void test_a_lifted_cap_lets_it_go_on(void **state)
{
	struct probe_request lift = { .kind = PROBE_LIFT, .choice.cap_pct = INFINITY };
	uint64_t hits;

	(void)state;
	cap_a_probe(1, 2);
	hits = seen.status.hits;
	lift.number = ++last_number;
	lift.probe = seen.id;
	assert_true(probe_engine_request(engine, &lift));
	wait_until(is_state, PROBE_ATTACHED);
	for (int i = 0; i < 50; i++) {
		probed_copy_call(1000);
		take_records();
	}
	wait_until(has_hits, hits + 50000);
	assert_int_equal(seen.status.state, PROBE_ATTACHED);
}

static void test_the_sum_of_all_probes_has_a_cap_of_its_own(void **state)
{
	(void)state;
	cap_a_probe(1000, 1);
	assert_non_null(strstr(seen.status.reason, "all may take"));
}

static void add_for(pid_t pid)
{
	const struct probe_choice choice = { .reach = REACH_PROCESS, .pid = pid };
	struct probe_reply reply;

	reply = wait_for(order_with(&choice, PROBE_ADD, spec_of("u:%s:%s", "probed_function")));
	if (reply.why.err || reply.reason[0])
		fail_msg("%s%s", reply.why.text, reply.reason);
	take_event();
	seen.id = reply.probe;
	wait_until(is_state, PROBE_ATTACHED);
}

static void test_a_thread_that_begins_while_it_is_attached_is_counted(void **state)
{
	int calls;

	(void)state;
	need_root();
	probed_copy_begin_chain();
	add_for(probed_copy_pid());
	calls = probed_copy_end_chain();
	wait_until(has_hits, (uint64_t)calls);
	assert_int_equal(seen.status.hits, calls);
}

static void test_a_lease_ends_a_probe(void **state)
{
	const struct probe_engine_config config = { .cap_pct = 100, .cap_sum_pct = 100,
						    .lease_ns = CLOCK_NS_PER_S };

	(void)state;
	need_root();
	replace_engine(&config);
	add(spec_of("u:%s:%s", "probed_function"));
	wait_until(is_state, PROBE_EXPIRED);
}

static void test_readonly_refuses_to_attach(void **state)
{
	const struct probe_engine_config config = { .is_readonly = true, .cap_pct = 100,
						    .cap_sum_pct = 100 };
	struct probe_reply reply;

	(void)state;
	need_root();
	replace_engine(&config);
	reply = wait_for(order(PROBE_ADD, spec_of("u:%s:%s", "probed_function")));
	assert_int_equal(reply.why.err, -EPERM);
	assert_non_null(strstr(reply.why.text, "--readonly"));
}

static void test_each_request_is_answered_however_late_one_looks(void **state)
{
	const struct probe_engine_config config = { .is_readonly = true, .cap_pct = 100,
						    .cap_sum_pct = 100 };
	uint64_t first;

	(void)state;
	need_root();
	replace_engine(&config);
	first = order(PROBE_ADD, spec_of("u:%s:%s", "probed_function"));
	for (int i = 1; i < PROBE_SLOTS; i++)
		order(PROBE_ADD, spec_of("u:%s:%s", "probed_function"));
	poll(NULL, 0, 200);	/* they are answered meanwhile; no test of the time */
	for (uint64_t number = first; number < first + PROBE_SLOTS; number++)
		assert_int_equal(wait_for(number).why.err, -EPERM);
}

static void test_who_cancels_a_question_does_not_cancel_what_was_added_before(void **state)
{
	const char *spec = spec_of("u:%s:%s", "probed_function");
	uint64_t added;

	(void)state;
	need_root();
	added = order(PROBE_ADD, spec);
	order(PROBE_CANCEL, NULL);
	assert_int_equal(wait_for(added).why.err, 0);
}

static void test_a_cancelled_request_is_answered(void **state)
{
	struct probe_request cancel = { .kind = PROBE_CANCEL };

	(void)state;
	need_root();
	cancel.number = order(PROBE_ADD, spec_of("u:%s:%s", "*probed_function"));
	assert_true(probe_engine_request(engine, &cancel));
	wait_for(cancel.number);
}

static void test_dead_instances_are_swept_on_order(void **state)
{
	struct probe_reply reply;

	(void)state;
	need_root();
	reply = wait_for(order(PROBE_SWEEP, NULL));
	assert_int_equal(reply.why.err, 0);
	assert_int_equal(reply.done, reply.all);
}

static void test_finishing_ends_the_records(void **state)
{
	const struct queue_item *item;
	struct spsc *queue;
	bool has_end = false;
	size_t bytes;

	(void)state;
	need_root();
	add(spec_of("u:%s:%s", "probed_function"));
	probed_copy_call(7);
	wait_for(order(PROBE_FINISH, NULL));
	take_event();
	assert_int_equal(seen.status.state, PROBE_ATTACHED);	/* as it was */
	assert_int_equal(seen.status.hits, 7);
	assert_true(seen.status.read_ns == UINT64_MAX);	/* whoever waits for the last counts */
	queue = probe_engine_queue(engine);
	while ((item = spsc_peek(queue, &bytes))) {
		assert_false(has_end);
		seen.records += count_records(item, bytes);
		has_end = item->kind == QUEUE_END;
		spsc_release(queue);
	}
	assert_true(has_end);
	assert_int_equal(seen.records, 7);
}

/* What the copy runs. */
UNIT_TESTS(probed_copy)
{
	probed_copy_serve();
	return 0;
}

UNIT_TESTS(test_probe_engine)
{
#define WITH_ENGINE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_ENGINE(test_each_call_is_a_hit_and_a_record),
		WITH_ENGINE(test_a_latency_probe_sends_two_records_for_a_hit),
		WITH_ENGINE(test_off_takes_the_breakpoint_away_and_on_counts_further),
		WITH_ENGINE(test_a_file_that_was_changed_is_not_probed_by_old_offsets),
		WITH_ENGINE(test_a_removed_probe_leaves_no_breakpoint),
		WITH_ENGINE(test_a_wildcard_adds_a_row_for_each_function),
		WITH_ENGINE(test_a_row_has_the_name_that_the_probe_was_given),
		WITH_ENGINE(test_what_is_cancelled_is_not_attached),
		WITH_ENGINE(test_examining_tells_the_rate_of_two_and_attaches_nothing),
		WITH_ENGINE(test_the_rate_is_that_of_the_process_to_be_probed),
		WITH_ENGINE(test_a_thread_that_does_not_run_at_first_has_a_rate),
		WITH_ENGINE(test_the_rate_of_a_tracepoint_with_a_weight_is_of_its_hits),
		WITH_ENGINE(test_what_is_not_counted_must_be_typed),
		WITH_ENGINE(test_a_condition_on_what_is_not_there_is_reported_before),
		WITH_ENGINE(test_what_costs_too_much_is_switched_off),
		WITH_ENGINE(test_a_thread_that_begins_while_it_is_attached_is_counted),
		WITH_ENGINE(test_what_was_switched_off_goes_on_in_bursts),
		WITH_ENGINE(test_a_refused_probe_stays_so_whatever_is_requested),
		WITH_ENGINE(test_a_pattern_is_added_as_a_whole_or_not_at_all),
		WITH_ENGINE(test_a_lifted_cap_lets_it_go_on),
		WITH_ENGINE(test_the_sum_of_all_probes_has_a_cap_of_its_own),
		WITH_ENGINE(test_a_lease_ends_a_probe),
		WITH_ENGINE(test_readonly_refuses_to_attach),
		WITH_ENGINE(test_each_request_is_answered_however_late_one_looks),
		WITH_ENGINE(test_who_cancels_a_question_does_not_cancel_what_was_added_before),
		WITH_ENGINE(test_a_cancelled_request_is_answered),
		WITH_ENGINE(test_dead_instances_are_swept_on_order),
		WITH_ENGINE(test_finishing_ends_the_records),
	};

	int failed;

	if (probed_copy_start())
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	probed_copy_end();
	return failed;
}
