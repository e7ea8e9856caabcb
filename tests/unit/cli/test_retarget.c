/* Changes of a running session, on this kernel: the real pipeline, children with known behaviour.
 * Skipped where events are not permitted. The time limits end a hang, they judge no speed. */
#include "resources_fixture.h"
#include "cli/retarget.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/session.h"
#include "need_root.h"
#include "unit_tests.h"

#define HANG_MS	    60000
#define NOBODY	    65534
#define ENOUGH	    50		/* samples that make it no accident */
#define WORDS_MAX   24
#define CHILD_SKIPS 77

/* A session as the screen has it, and the newest snapshot of it. */
struct fixture {
	struct options options;
	struct session session;
	struct snapshot *shown;
	struct diag why;
	char line[256];
};

static struct fixture fixture;

/* Children: each is ready when start_child() returns, and ends with us. */

struct child {
	pid_t pid;
	int ask, reply;
};

static struct child start_child(void (*run)(int asked, int reply))
{
	int ask[2], reply[2];
	struct child child = { 0 };
	char ready;

	if (pipe(ask) || pipe(reply))
		return child;
	child = (struct child){ .ask = ask[1], .reply = reply[0] };
	child.pid = fork();
	if (!child.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(reply[1], "r", 1) == 1)
			run(ask[0], reply[1]);
		_exit(0);
	}
	close(ask[0]);
	close(reply[1]);
	if (read(child.reply, &ready, 1) != 1)
		child.pid = 0;
	return child;
}

static void end_child(const struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->ask);
	close(child->reply);
}

static void burn(int asked, int reply)
{
	(void)asked;
	(void)reply;
	for (volatile unsigned int i = 0;; i++)
		;
}

static void sleep_on(int asked, int reply)
{
	(void)asked;
	(void)reply;
	for (;;)
		pause();
}

/* A number of pages -> touched for the first time each. */
static void touch_pages(int asked, int reply)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t count;

	while (read(asked, &count, sizeof(count)) == sizeof(count)) {
		volatile char *pages = mmap(NULL, count * page_bytes, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise((void *)pages, count * page_bytes, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < count; i++)
			pages[i * page_bytes] = 1;
		if (write(reply, &count, sizeof(count)) != sizeof(count))
			break;
	}
}

/* A byte -> a child that burns; its pid. */
static void start_burner(int asked, int reply)
{
	char byte;
	pid_t pid;

	while (read(asked, &byte, 1) == 1) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			burn(asked, reply);
		}
		if (write(reply, &pid, sizeof(pid)) != sizeof(pid))
			break;
	}
}

static void burn_2_ms(void)
{
	struct timespec used;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_sec == 0 && used.tv_nsec < 2000000);
}

/* "storm" starts one "storm-kid" after the other, which becomes "true". */
static void storm(int asked, int reply)
{
	(void)asked;
	(void)reply;
	prctl(PR_SET_NAME, "storm");
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			prctl(PR_SET_NAME, "storm-kid");
			burn_2_ms();
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Nothing here asserts: a forked part of a test uses it too. */

static int begin(const char *format, ...)
{
	static char program[] = "flametop";
	char *argv[WORDS_MAX + 1] = { program }, *at;
	int argc = 1, err;
	va_list args;

	memset(&fixture, 0, sizeof(fixture));
	va_start(args, format);
	vsnprintf(fixture.line, sizeof(fixture.line), format, args);
	va_end(args);
	for (at = strtok(fixture.line, " "); at && argc < WORDS_MAX; at = strtok(NULL, " "))
		argv[argc++] = at;
	err = options_parse(&fixture.options, argc, argv, &fixture.why);
	if (!err)	/* without a terminal to guard */
		err = session_start(&fixture.session, &fixture.options, false, &fixture.why);
	return err;
}

static void finish(void)
{
	snapshot_destroy(fixture.shown);
	session_finish(&fixture.session, NULL);
	options_finish(&fixture.options);
}

/* The next snapshot; NULL: none came. */
static const struct snapshot *next(void)
{
	struct pollfd ready = { .fd = analyzer_fd(fixture.session.analyzer), .events = POLLIN };

	snapshot_destroy(fixture.shown);
	fixture.shown = NULL;
	while (!fixture.shown && poll(&ready, 1, HANG_MS) == 1)
		fixture.shown = analyzer_take_snapshot(fixture.session.analyzer);
	return fixture.shown;
}

static int change(enum source_change_kind kind, const char *format, ...)
{
	const struct source_control *control = retarget_control(fixture.session.retarget);
	struct pollfd done = { .fd = control->done_fd, .events = POLLIN };
	struct source_change change = { .kind = kind };
	va_list args;

	va_start(args, format);
	vsnprintf(change.text, sizeof(change.text), format, args);
	va_end(args);
	if (!control->ask(control->owner, &change))
		return -EBUSY;
	if (poll(&done, 1, HANG_MS) != 1)
		return -ETIMEDOUT;
	return control->take_result(control->owner, &fixture.why);
}

/* Snapshots until one has @samples of @event; NULL: none in time. */
static const struct snapshot *until_samples(const char *event, uint64_t samples)
{
	const uint64_t give_up_ns = clock_now_ns() + (uint64_t)HANG_MS * CLOCK_NS_PER_MS;
	const struct snapshot *now;

	while ((now = next()) && clock_now_ns() < give_up_ns)
		if (!strcmp(now->event, event) && now->samples >= samples)
			return now;
	return NULL;
}

/* ... or whose target reads so. */
static const struct snapshot *until_target(const char *target, uint64_t samples)
{
	const uint64_t give_up_ns = clock_now_ns() + (uint64_t)HANG_MS * CLOCK_NS_PER_MS;
	const struct snapshot *now;

	while ((now = next()) && clock_now_ns() < give_up_ns)
		if (!strcmp(now->target, target) && now->samples >= samples)
			return now;
	return NULL;
}

static const struct snapshot *until_samples_of(pid_t pid, uint64_t samples)
{
	const uint64_t give_up_ns = clock_now_ns() + (uint64_t)HANG_MS * CLOCK_NS_PER_MS;
	const struct snapshot *now;

	while ((now = next()) && clock_now_ns() < give_up_ns) {
		uint64_t seen = 0;

		for (size_t i = 0; i < now->row_count; i++)
			if (now->rows[i].pid == pid)
				seen += now->rows[i].now.self.samples;
		if (seen >= samples)
			return now;
	}
	return NULL;
}

static void expect_samples(const char *event, uint64_t samples)
{
	assert_non_null(until_samples(event, samples));
}

static void expect_target(const char *format, ...)
{
	char target[128];
	va_list args;

	va_start(args, format);
	vsnprintf(target, sizeof(target), format, args);
	va_end(args);
	assert_non_null(until_target(target, ENOUGH));
}

/* Skips without the right to see the kernel's part: others get events of another name. */
#define BEGIN(...)                                                  \
	do {                                                        \
		need_root();                                        \
		const int begun = begin(__VA_ARGS__);               \
		if (begun == -EACCES || begun == -EPERM) {          \
			finish();                                   \
			print_message("SKIP: needs root\n");        \
			skip();                                     \
		}                                                   \
		assert_int_equal(begun, 0);                         \
	} while (0)

/* The kernel's count of its page faults, once it sleeps in read(2). */
static uint64_t faults_at_rest(pid_t pid)
{
	unsigned long long minor, major;
	char path[64], line[512], *after, state = 0;
	FILE *file;

	do {
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		file = fopen(path, "re");
		assert_non_null(fgets(line, sizeof(line), file));
		fclose(file);
		after = strrchr(line, ')');
		assert_int_equal(sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %llu %*u %llu",
					&state, &minor, &major), 3);
	} while (state != 'S');
	return minor + major;
}

static void test_after_the_change_each_event_is_shown_or_lost(void **state)
{
	const struct child child = start_child(touch_pages);
	const uint32_t pages = 3000;
	const struct snapshot *last;
	uint64_t before, after;
	uint32_t reply;

	(void)state;
	faults_at_rest(child.pid);
	BEGIN("-e context-switches -c 1 -p %d --window all -d 0.1", (int)child.pid);
	assert_int_equal(change(SOURCE_EVENT, "page-faults"), 0);
	before = faults_at_rest(child.pid);
	assert_int_equal(write(child.ask, &pages, sizeof(pages)), sizeof(pages));
	assert_int_equal(read(child.reply, &reply, sizeof(reply)), sizeof(reply));
	after = faults_at_rest(child.pid);
	assert_true(after - before >= pages);
	session_stop_source(&fixture.session);
	do
		last = next();
	while (last && !last->is_last);
	assert_non_null(last);
	assert_string_equal(last->event, "page-faults");
	assert_int_equal(last->fixed_period, 1);
	assert_int_equal(last->samples + last->lost_kernel, after - before);
	assert_int_equal(last->lost_late + last->lost_malformed, 0);
	finish();
	end_child(&child);
}

/* The kernel says with each sample how many ns it stands for: 1e9 / Hz. */
static void test_another_frequency_holds_from_the_change_on(void **state)
{
	const struct child child = start_child(burn);
	const struct snapshot *now;

	(void)state;
	BEGIN("-e cpu-clock -F 997 -p %d --window all -d 0.1", (int)child.pid);
	now = until_samples("cpu-clock", ENOUGH);
	assert_non_null(now);
	assert_int_equal(now->freq_hz, 997);
	assert_int_equal(now->weight / (double)now->samples, 1000000000 / 997);
	assert_int_equal(change(SOURCE_FREQUENCY, "99"), 0);
	do
		now = until_samples("cpu-clock", 20);
	while (now && now->freq_hz != 99);
	assert_non_null(now);
	assert_int_equal(now->weight / (double)now->samples, 1000000000 / 99);
	assert_true(now->samples_per_s < 300);	/* one thread: at most 99, were windows exact */
	finish();
	end_child(&child);
}

/* ThreadSanitizer has a thread in each process, which keeps the name of the program. */
static bool is_of_sanitizer(const struct snapshot_row *row, pid_t process)
{
	return row->pid == process && !strcmp(row->comm, program_invocation_short_name);
}

/* Every sample of @now is of the storm, or one whose name nobody could tell any more. The kernel
 * says -1 for a task that it reaps: that is all there is to tell. */
static void expect_names_of_storm(const struct snapshot *now, pid_t process)
{
	static const char *const names[] = { "storm", "storm-kid", "true" };
	uint64_t nameless = 0;

	for (size_t i = 0; i < now->row_count; i++) {
		const struct snapshot_row *row = &now->rows[i];
		bool is_known = false;

		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			is_known |= !strcmp(row->comm, names[k]);
		if (is_known || row->pid == -1 || is_of_sanitizer(row, process))
			continue;
		assert_true(row->comm[0] == ':');
		nameless += row->now.self.samples;
	}
	assert_true(nameless <= now->unattributed);
}

static void test_a_storm_of_processes_keeps_its_names_through_all_targets(void **state)
{
	const struct child child = start_child(storm);
	const struct snapshot *now;
	char target[64];

	(void)state;
	snprintf(target, sizeof(target), "pid %d", (int)child.pid);
	BEGIN("-a -e cpu-clock -s comm,pid --window all -d 0.1");
	for (int round = 0; round < 3; round++) {
		expect_samples("cpu-clock", ENOUGH);
		assert_int_equal(change(SOURCE_PROCESSES, "%d", (int)child.pid), 0);
		now = until_target(target, ENOUGH);
		assert_non_null(now);
		expect_names_of_storm(now, child.pid);
		assert_int_equal(change(SOURCE_FREQUENCY, round % 2 ? "1997" : "499"), 0);
		do
			now = until_target(target, ENOUGH);
		while (now && now->freq_hz != (round % 2 ? 1997 : 499));
		assert_non_null(now);
		expect_names_of_storm(now, child.pid);
		assert_int_equal(change(SOURCE_ALL, ""), 0);
	}
	do
		now = next();
	while (now && (!strcmp(now->target, target) || now->busy_pct < 0));
	assert_non_null(now);	/* busy means something again */
	assert_int_equal(now->lost_late, 0);
	assert_int_equal(now->lost_malformed, 0);
	finish();
	end_child(&child);
}

/* Other threads note lines of their own. */
static bool is_noted(const char *text)
{
	struct log_line lines[8];
	const size_t count = log_tail(lines, sizeof(lines) / sizeof(lines[0]));
	bool is_found = false;

	for (size_t i = 0; i < count; i++)
		is_found |= strcmp(lines[i].text, text) == 0;
	return is_found;
}

static void test_what_cannot_be_opened_leaves_the_source_as_it_is(void **state)
{
	static const struct {
		enum source_change_kind kind;
		const char *text;
		int err;
		const char *sentence;
	} refused[] = {
		{ SOURCE_EVENT, "cpu-clokc", -ENOENT, "cpu-clokc" },
		{ SOURCE_EVENT, "", -EINVAL, "" },
		{ SOURCE_FREQUENCY, "99x", -EINVAL, "-F 99x: a number from 1 to" },
		{ SOURCE_PROCESSES, "2147483647", -ESRCH, "no process 2147483647" },
		{ SOURCE_THREADS, "x", -EINVAL, "\"x\" is not a list of ids" },
		{ SOURCE_USER, "no such user", -ENOENT, "no user \"no such user\"" },
		{ SOURCE_CGROUP, "", -ENOENT, "no cgroup" },
		{ SOURCE_CPUS, "4095", -ENODEV, "CPU 4095 is not online" },
	};
	const struct child child = start_child(burn);
	const struct snapshot *now;
	uint64_t before;

	(void)state;
	BEGIN("-e cpu-clock -p %d --window all -d 0.1", (int)child.pid);
	expect_samples("cpu-clock", ENOUGH);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		before = fixture.shown->samples;
		assert_int_equal(change(refused[i].kind, "%s", refused[i].text), refused[i].err);
		assert_non_null(strstr(fixture.why.text, refused[i].sentence));
		assert_true(is_noted(fixture.why.text));
		now = until_samples("cpu-clock", before + ENOUGH);	/* counts on */
		assert_non_null(now);
	}
	assert_int_equal(change(SOURCE_FREQUENCY, "99"), 0);	/* the refusal left no trace */
	do
		now = next();
	while (now && now->freq_hz != 99);
	assert_non_null(now);
	assert_string_equal(now->event, "cpu-clock");
	finish();
	end_child(&child);
}

static void test_a_target_that_has_ended_makes_room_for_another(void **state)
{
	const struct child first = start_child(burn), second = start_child(burn);
	const struct snapshot *now;

	(void)state;
	BEGIN("-e cpu-clock -p %d --window all -d 0.1", (int)first.pid);
	expect_samples("cpu-clock", ENOUGH);
	end_child(&first);
	do
		now = next();
	while (now && !now->is_last);
	assert_non_null(now);
	assert_true(now->is_target_gone);
	assert_int_equal(now->target_pid, first.pid);
	assert_int_equal(change(SOURCE_EVENT, "task-clock"), -ESRCH);	/* the target is gone */
	assert_int_equal(change(SOURCE_PROCESSES, "%d", (int)second.pid), 0);
	expect_target("pid %d", (int)second.pid);
	assert_int_equal(fixture.shown->target_pid, second.pid);
	assert_false(fixture.shown->is_target_gone);
	assert_false(fixture.shown->is_last);
	assert_int_equal(fixture.shown->lost_late, 0);
	end_child(&second);	/* and ends in its turn */
	do
		now = next();
	while (now && !now->is_last);
	assert_non_null(now);
	finish();
}

static void test_what_a_process_has_started_is_still_sampled(void **state)
{
	const struct child child = start_child(start_burner);
	pid_t started;

	(void)state;
	BEGIN("-e cpu-clock -p %d -s pid --window all -d 0.1", (int)child.pid);
	assert_int_equal(write(child.ask, "s", 1), 1);
	assert_int_equal(read(child.reply, &started, sizeof(started)), sizeof(started));
	assert_non_null(until_samples_of(started, ENOUGH));
	assert_int_equal(change(SOURCE_EVENT, "task-clock"), 0);
	expect_samples("task-clock", 1);
	assert_non_null(until_samples_of(started, ENOUGH));
	assert_int_equal(change(SOURCE_FREQUENCY, "99"), 0);
	do
		assert_non_null(until_samples_of(started, 1));
	while (fixture.shown->freq_hz != 99);
	finish();
	kill(started, SIGKILL);
	end_child(&child);
}

/* timeout(1) sleeps; it ends what it has started when it is ended. */
static void test_a_command_that_runs_is_sampled_on_with_its_children(void **state)
{
	const struct snapshot *now;

	(void)state;
	BEGIN("-e cpu-clock -s pid,comm --window all -d 0.1 "
	      "--kill-command -- timeout 600 sha256sum /dev/zero");
	expect_samples("cpu-clock", ENOUGH);
	assert_int_equal(change(SOURCE_EVENT, "task-clock"), 0);
	now = until_samples("task-clock", ENOUGH);
	assert_non_null(now);
	assert_string_equal(now->rows[0].comm, "sha256sum");
	assert_true(now->rows[0].pid != command_pid(fixture.session.command));
	assert_int_equal(strncmp(now->target, "command, pid ", 13), 0);
	finish();
}

static void change_all(pid_t pid)
{
	assert_int_equal(change(SOURCE_ALL, ""), 0);
	assert_int_equal(change(SOURCE_EVENT, "cpu-clock,page-faults"), 0);
	assert_int_equal(change(SOURCE_CPUS, "0"), 0);
	assert_int_equal(change(SOURCE_PROCESSES, "%d", (int)pid), 0);
	assert_int_equal(change(SOURCE_EVENT, "cpu-clock"), 0);
	assert_int_equal(change(SOURCE_CPUS, ""), 0);
	assert_int_equal(change(SOURCE_EVENT, "no-such-event"), -ENOENT);
}

static void test_many_changes_leave_no_descriptor_and_no_thread_behind(void **state)
{
	const struct child child = start_child(sleep_on);
	struct resources_count before;
	int queue_fd;

	(void)state;
	BEGIN("-e cpu-clock -p %d -d 0.1", (int)child.pid);
	assert_non_null(next());
	change_all(child.pid);		/* begins the threads that files need */
	queue_fd = capture_queue_fd(fixture.session.capture);	/* nothing is under way */
	before = resources_now();
	for (int i = 0; i < 10; i++)
		change_all(child.pid);
	resources_expect_no_more(before, HANG_MS);
	assert_int_equal(capture_queue_fd(fixture.session.capture), queue_fd);	/* polled */
	assert_non_null(next());
	finish();
	end_child(&child);
}

static void test_one_change_at_a_time(void **state)
{
	const struct child child = start_child(sleep_on);
	const struct source_change all = { .kind = SOURCE_ALL };
	const struct source_control *control;
	struct pollfd done;

	(void)state;
	BEGIN("-e cpu-clock -p %d -d 0.1", (int)child.pid);
	control = retarget_control(fixture.session.retarget);
	done = (struct pollfd){ .fd = control->done_fd, .events = POLLIN };
	assert_true(control->ask(control->owner, &all));
	assert_false(control->ask(control->owner, &all));
	assert_int_equal(poll(&done, 1, HANG_MS), 1);
	assert_false(control->ask(control->owner, &all));	/* its result was not taken */
	assert_int_equal(control->take_result(control->owner, &fixture.why), 0);
	assert_int_equal(poll(&done, 1, 0), 0);
	assert_true(control->ask(control->owner, &all));
	finish();	/* while it is under way */
	end_child(&child);
}

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition)) {                                                    \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, \
				fixture.why.text);                                     \
			return 1;                                                      \
		}                                                                      \
	} while (0)

/* A process's start is known to a clock tick only: lets that tick pass. */
static void wait_for_next_tick(void)
{
	const uint64_t tick_ns = CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	const uint64_t end_ns = clock_now_ns() + 2 * tick_ns;

	while (clock_now_ns() < end_ns)
		poll(NULL, 0, 1);
}

static int change_unprivileged(void)
{
	const struct snapshot *now;
	struct child child;
	char target[32];

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    prctl(PR_SET_DUMPABLE, 1))
		return CHILD_SKIPS;
	child = start_child(burn);
	wait_for_next_tick();
	CHECK(begin("-e cpu-clock -F 997 -s pid --window all -d 0.1") == 0);
	if (!strstr(fixture.session.source->notice, "own processes only"))
		return CHILD_SKIPS;	/* everything is permitted to everybody here */
	CHECK(until_samples_of(child.pid, ENOUGH));
	CHECK(change(SOURCE_FREQUENCY, "499") == 0);
	do
		CHECK((now = until_samples_of(child.pid, 1)) != NULL);
	while (now->freq_hz != 499);
	CHECK(!strcmp(now->target, "user nobody") && strstr(now->notice, "own processes only"));
	CHECK(change(SOURCE_PROCESSES, "1") == -EACCES);
	CHECK(strstr(fixture.why.text, "task 1 belongs to another user"));
	CHECK(change(SOURCE_EVENT, "cpu-clock:k") == -EACCES);
	CHECK(until_samples_of(child.pid, now->samples + ENOUGH));
	CHECK(change(SOURCE_PROCESSES, "%d", (int)child.pid) == 0);
	snprintf(target, sizeof(target), "pid %d", (int)child.pid);
	CHECK(until_target(target, ENOUGH));	/* one of the old source may come before it */
	CHECK(change(SOURCE_ALL, "") == 0);
	CHECK(until_target("user nobody", ENOUGH));
	finish();
	end_child(&child);
	return 0;
}

static void test_without_privileges_own_processes_can_be_changed(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_root();
	pid = fork();
	if (!pid)
		_exit(change_unprivileged());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_SKIPS)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

UNIT_TESTS(test_retarget)
{
	const struct CMUnitTest tests[] = {
		/* First: a session keeps no right to become somebody else. */
		cmocka_unit_test(test_without_privileges_own_processes_can_be_changed),
		cmocka_unit_test(test_after_the_change_each_event_is_shown_or_lost),
		cmocka_unit_test(test_another_frequency_holds_from_the_change_on),
		cmocka_unit_test(test_a_storm_of_processes_keeps_its_names_through_all_targets),
		cmocka_unit_test(test_what_cannot_be_opened_leaves_the_source_as_it_is),
		cmocka_unit_test(test_a_target_that_has_ended_makes_room_for_another),
		cmocka_unit_test(test_what_a_process_has_started_is_still_sampled),
		cmocka_unit_test(test_a_command_that_runs_is_sampled_on_with_its_children),
		cmocka_unit_test(test_many_changes_leave_no_descriptor_and_no_thread_behind),
		cmocka_unit_test(test_one_change_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
