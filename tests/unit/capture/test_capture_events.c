/* What is opened for the events that were asked for, and what is refused: on this kernel, no record
 * is read. Skipped where events are not permitted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/event.h"
#include "capture_session.h"
#include "unit_tests.h"

static void expect_refusal(const char *event, int err, const char *sentence)
{
	struct capture_config config = { .events = &event, .event_text_count = 1 };
	struct capture_session session;
	struct diag why = { 0 };

	assert_int_equal(capture_session_open(&session, &config, &why), err);
	assert_null(session.capture);
	if (!strstr(why.text, sentence))
		fail_msg("%s: \"%s\" does not say \"%s\"", event, why.text, sentence);
	spsc_finish(&session.queue);
}

static void test_an_event_asked_for_by_name_has_no_substitute(void **state)
{
	struct perf_event_attr cycles = { .size = sizeof(cycles), .type = PERF_TYPE_HARDWARE,
					  .exclude_kernel = 1 };
	int fd = event_open(&cycles, 0, -1);

	(void)state;
	expect_refusal("no-such-event-at-all", -ENOENT, "--list-events shows them");
	if (fd >= 0)
		close(fd);	/* this machine has counters */
	else
		expect_refusal("cycles", fd, "-e cpu-clock");
}

static void test_absent_events_are_reported_and_the_others_run(void **state)
{
	static const char *const events[] = { "cycles,sched:no_such", "cpu-clock,no_such:*" };
	struct perf_event_attr cycles = { .size = sizeof(cycles), .type = PERF_TYPE_HARDWARE };
	struct capture_config config = { .events = events, .event_text_count = 2 };
	const int fd = event_open(&cycles, 0, -1);
	struct capture_session session;
	const char *absent;

	(void)state;
	if (!may_sample_everything())
		skip();
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	absent = capture_absent_events(session.capture);
	assert_int_equal(strncmp(absent, "sched:no_such\nno tracepoint ", 28), 0);
	assert_non_null(strstr(absent, "\nno_such:*\nno tracepoint matches"));
	if (fd >= 0) {
		close(fd);	/* this machine has counters */
		assert_int_equal(capture_event_count(session.capture), 3);
	} else {
		assert_non_null(strstr(absent, "\ncycles\nthis machine cannot sample"));
		assert_int_equal(capture_event_count(session.capture), 2);
		assert_string_equal(capture_event(session.capture, 0)->name, "cpu-clock");
	}
	capture_session_close(&session);
	expect_refusal("no_such:*,sched:no_such", -ENOENT, "no tracepoint matches \"no_such:*\"");
}

static void test_a_pattern_is_reported_with_its_number(void **state)
{
	static const char *const events[] = { "sched:sched_wak[ie][nu]*" };
	static const char *const filters[] = { "pid > 0" };
	struct capture_config config = { .events = events, .event_filters = filters,
					 .event_text_count = 1 };
	struct capture_session session;

	(void)state;
	if (!may_sample_everything() || capture_session_open(&session, &config, NULL) != 0)
		skip();
	assert_int_equal(capture_event_count(session.capture), 4);
	assert_string_equal(capture_event(session.capture, 2)->name, "sched:sched_waking");
	assert_non_null(strstr(capture_notice(session.capture),
			       "sched:sched_wak[ie][nu]*: 3 tracepoints\n"
			       "only hits of sched:sched_wakeup with pid > 0\n"
			       "only hits of sched:sched_wakeup_new with pid > 0\n"
			       "only hits of sched:sched_waking with pid > 0"));
	capture_session_close(&session);
}

static void test_a_group_with_s_has_samples_of_its_first_event(void **state)
{
	static const char *const events[] = { "{cpu-clock,page-faults,cs}:S", "cpu-migrations" };
	struct capture_config config = { .events = events, .event_text_count = 2 };
	struct capture_session session;
	const struct event_desc *leader, *member;

	(void)state;
	if (!may_sample_everything() || capture_session_open(&session, &config, NULL) != 0)
		skip();
	assert_int_equal(capture_event_count(session.capture), 5);
	leader = capture_event(session.capture, 0);
	member = capture_event(session.capture, 2);
	assert_int_equal(leader->read_count, 2);
	assert_int_equal(leader->freq_hz, 997);
	assert_string_equal(member->name, "cs");
	assert_int_equal(member->read_count, 0);
	assert_int_equal(member->freq_hz, 0);
	assert_int_equal(member->fixed_period, 0);
	assert_int_equal(member->format.sample_type, leader->format.sample_type);
	assert_int_equal(capture_event(session.capture, 3)->freq_hz, 997);
	assert_non_null(strstr(capture_notice(session.capture),
			       "cpu-clock, read with: page-faults, cs"));
	capture_session_close(&session);
}

static void test_a_group_that_is_read_has_64_events_at_most(void **state)
{
	char text[65 * 3 + 8] = "{cs";

	(void)state;
	for (int i = 1; i < 65; i++)
		strcat(text, ",cs");
	strcat(text, "}:S");
	expect_refusal(text, -E2BIG, "cs: at most 63 events can be read with the samples of one");
}

static void test_more_events_than_can_be_counted_apart_are_refused(void **state)
{
	static const char *events[CAPTURE_MAX_EVENTS + 1];
	struct capture_config config = { .events = events,
					 .event_text_count = CAPTURE_MAX_EVENTS + 1 };
	struct capture_session session;
	struct diag why;

	(void)state;
	for (size_t i = 0; i <= CAPTURE_MAX_EVENTS; i++)
		events[i] = "cpu-clock";
	assert_int_equal(capture_session_open(&session, &config, &why), -E2BIG);
	assert_string_equal(why.text, "1920 events: at most 1919 can be sampled at once; name "
				      "fewer, or a narrower pattern");
	spsc_finish(&session.queue);
}

static void test_rates_follow_the_kind_of_event(void **state)
{
	static const char *const events[] = { "cpu-clock,context-switches", "sched:sched_switch" };
	struct capture_config config = { .events = events, .event_text_count = 2 };
	struct capture_session session;

	(void)state;
	if (!may_sample_everything() || capture_session_open(&session, &config, NULL) != 0)
		skip();
	assert_int_equal(capture_event_count(session.capture), 4);
	assert_int_equal(capture_event(session.capture, 0)->freq_hz, CAPTURE_DEFAULT_FREQ_HZ);
	assert_int_equal(capture_event(session.capture, 1)->freq_hz, CAPTURE_DEFAULT_FREQ_HZ);
	assert_int_equal(capture_event(session.capture, 2)->freq_hz, 0);
	assert_int_equal(capture_event(session.capture, 2)->fixed_period, 1);
	assert_true(capture_event(session.capture, 3)->is_sideband);
	capture_session_close(&session);
}

static void test_without_an_event_only_the_side_band_runs(void **state)
{
	struct capture_config config = capture_process_config(getpid());
	struct capture_session session;

	(void)state;
	config.has_no_event = true;
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	assert_int_equal(capture_event_count(session.capture), 1);
	assert_true(capture_event(session.capture, 0)->is_sideband);
	assert_int_equal(capture_start(session.capture, &session.queue, NULL), 0);
	capture_stop(session.capture);
	capture_session_drain(&session);
	assert_true(session.has_end);
	capture_session_close(&session);
}

static void test_a_rate_over_the_kernels_maximum_is_lowered_and_reported(void **state)
{
	static const char *const events[] = { "cpu-clock" };
	struct capture_config config = { .events = events, .event_text_count = 1,
					 .freq_hz = 2000000000 };
	struct capture_session session;

	(void)state;
	if (!may_sample_everything())
		skip();
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	assert_int_equal(capture_event(session.capture, 0)->freq_hz,
			 event_sysctl("max_sample_rate", 0));
	assert_non_null(strstr(capture_notice(session.capture), "max_sample_rate"));
	capture_session_close(&session);
}
/* Of 400 descriptors 272 are for events, each of which has one per CPU beside the side-band's. The
 * limit can't be raised again by everybody: this test is the last. */
static void test_events_that_have_no_descriptors_are_reported_with_numbers(void **state)
{
	const struct rlimit few = { .rlim_cur = 400, .rlim_max = 400 };
	char fit[32];

	(void)state;
	if (!may_sample_everything() || setrlimit(RLIMIT_NOFILE, &few))
		skip();
	snprintf(fit, sizeof(fit), "name at most %ld events",
		 272 / sysconf(_SC_NPROCESSORS_ONLN) - 1);
	expect_refusal("syscalls:sys_enter_*", -EMFILE, "descriptors, the limit is 400: raise it");
	expect_refusal("syscalls:sys_enter_*", -EMFILE, fit);
}

UNIT_TESTS(test_capture_events)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_event_asked_for_by_name_has_no_substitute),
		cmocka_unit_test(test_absent_events_are_reported_and_the_others_run),
		cmocka_unit_test(test_a_pattern_is_reported_with_its_number),
		cmocka_unit_test(test_a_group_with_s_has_samples_of_its_first_event),
		cmocka_unit_test(test_a_group_that_is_read_has_64_events_at_most),
		cmocka_unit_test(test_more_events_than_can_be_counted_apart_are_refused),
		cmocka_unit_test(test_rates_follow_the_kind_of_event),
		cmocka_unit_test(test_without_an_event_only_the_side_band_runs),
		cmocka_unit_test(test_a_rate_over_the_kernels_maximum_is_lowered_and_reported),
		cmocka_unit_test(test_events_that_have_no_descriptors_are_reported_with_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
