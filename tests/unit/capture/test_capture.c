/* Live capture on this kernel: real children with known behaviour. Skipped where events are not
 * permitted. The time limits below end a hang, they judge no speed. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/event.h"
#include "capture_session.h"
#include "proc/command.h"
#include "unit_tests.h"

#define NOBODY	     65534
#define ENOUGH	     20		/* samples that make it no accident */
#define CHILD_DONE   0
#define CHILD_FAILED 1
#define CHILD_SKIPS  77

static pid_t start_child(void (*run)(int go), int *go)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		run(ends[0]);
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void end_child(pid_t pid, int go)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go);
}

static void burn(int go)
{
	(void)go;
	for (volatile unsigned int i = 0;; i++)
		;
}

static uint64_t *report;	/* shared with a child: what it has to tell */

static void make_report(void)
{
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(report != MAP_FAILED);
}

static uint64_t wait_for_report(void)
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;

	while (*(volatile uint64_t *)report == 0 && clock_now_ns() < give_up_ns)
		poll(NULL, 0, 1);
	return *report;
}

static void burn_in_a_grandchild(int go)
{
	char byte;

	if (read(go, &byte, 1) == 1 && fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*report = (uint64_t)getpid();
		burn(go);
	}
	pause();
}
static void test_the_whole_system_shows_a_burning_child(void **state)
{
	struct capture_config config = { .call_graph.mode = CALL_GRAPH_FP };
	struct capture_session session;
	int go;
	pid_t child;

	(void)state;
	if (!may_sample_everything())
		skip();
	child = start_child(burn, &go);
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	session.watched = (uint32_t)child;
	assert_int_equal(capture_target_kind(session.capture), TARGET_SYSTEM);
	assert_int_equal(capture_start(session.capture, &session.queue, NULL), 0);
	assert_true(capture_session_run(&session, ENOUGH));
	capture_stop(session.capture);
	capture_session_drain(&session);
	assert_true(session.has_end);
	assert_int_equal(session.counted.time_ns, 0);	/* tasks alone have none */
	capture_session_close(&session);
	end_child(child, go);
}

static void test_a_process_target_sees_only_its_process_and_ends_with_it(void **state)
{
	struct capture_config config;
	struct capture_session session;
	int go, other_go;
	pid_t child = start_child(burn, &go), other = start_child(burn, &other_go);

	(void)state;
	config = capture_process_config(child);
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	session.watched = (uint32_t)child;
	assert_int_equal(capture_start(session.capture, &session.queue, NULL), 0);
	assert_true(capture_session_run(&session, ENOUGH));
	end_child(child, go);
	assert_true(capture_session_run(&session, UINT64_MAX));
	assert_true(session.has_end);	/* by itself */
	assert_int_equal(session.of_others, 0);
	assert_int_equal(session.of_idle, 0);
	/* The kernel's count holds at least what was sampled. */
	assert_true(session.counted.total >= ENOUGH);
	assert_true(session.counted.descriptors >= capture_cpu_count(session.capture));
	assert_true(session.counted.time_ns && session.counted.time_ns <= clock_now_ns());
	capture_session_close(&session);
	end_child(other, other_go);
}

static void test_a_child_forked_later_is_followed(void **state)
{
	struct capture_config config;
	struct capture_session session;
	int go;
	pid_t child;

	(void)state;
	make_report();
	child = start_child(burn_in_a_grandchild, &go);
	config = capture_process_config(child);
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	assert_int_equal(capture_start(session.capture, &session.queue, NULL), 0);
	assert_int_equal(write(go, "x", 1), 1);
	session.watched = (uint32_t)wait_for_report();
	assert_true(capture_session_run(&session, ENOUGH));
	assert_int_equal(session.has_end, false);
	capture_session_close(&session);
	end_child(child, go);
}

/* Touches fresh pages: one minor fault each. */
#define FAULTS 20000

static void touch_pages(void)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages = mmap(NULL, FAULTS * page_bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, FAULTS * page_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < FAULTS; i++)
		pages[i * page_bytes] = 1;
	munmap(pages, FAULTS * page_bytes);
}

static void touch_pages_on_request(int go)
{
	char byte;

	while (read(go, &byte, 1) == 1)
		touch_pages();
}

/* The kernel's own count (proc(5), minflt) once the child sleeps in its read. Of its first thread:
 * a sanitizer's own thread touches pages when it likes. */
static uint64_t count_faults_of_sleeper(pid_t pid)
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;
	char path[64], comm[64], task_state = 0;
	unsigned long faults = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	while (task_state != 'S' && clock_now_ns() < give_up_ns) {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d %63s %c %*d %*d %*d %*d %*d %*u %lu", comm,
					&task_state, &faults), 3);
		fclose(file);
		poll(NULL, 0, task_state == 'S' ? 0 : 1);
	}
	assert_int_equal(task_state, 'S');
	return faults;
}

/* A child whose page faults are all sampled, faster than they are read, and the kernel counts. */
struct faulting_child {
	struct capture_config config;
	struct capture_session session;
	char thread[16];
	int pid, go;
	uint64_t before;	/* faults that it had before its events counted */
};

static const char *const each_fault[] = { "minor-faults" };

static void start_faulting_child(struct faulting_child *child, void (*run)(int go))
{
	*child = (struct faulting_child){ .config = {
		.events = each_fault, .event_text_count = 1, .period = 1, .ring_pages = 1,
	} };
	child->pid = start_child(run, &child->go);
	child->before = count_faults_of_sleeper(child->pid);
	snprintf(child->thread, sizeof(child->thread), "%d", child->pid);
	assert_int_equal(target_set_threads(&child->config.target, child->thread, NULL), 0);
	assert_int_equal(capture_session_open(&child->session, &child->config, NULL), 0);
	child->session.watched = (uint32_t)child->pid;
	assert_int_equal(capture_start(child->session.capture, &child->session.queue, NULL), 0);
	assert_int_equal(write(child->go, "x", 1), 1);
}

static uint64_t count_faults(const struct faulting_child *child)
{
	return count_faults_of_sleeper(child->pid) - child->before;
}

static void end_faulting_child(struct faulting_child *child, uint64_t happened)
{
	struct capture_session *session = &child->session;

	capture_session_drain(session);
	capture_stop(session->capture);
	capture_session_drain(session);
	assert_true(session->has_end && session->lost > 0 && session->of_watched > 0);
	assert_int_equal(session->of_watched + session->lost, happened);
	capture_session_close(session);
	end_child(child->pid, child->go);
}

static void test_samples_and_losses_sum_up_to_what_happened(void **state)
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;
	struct faulting_child child;
	uint64_t happened = 0;

	(void)state;
	if (!may_sample_everything())
		skip();		/* those in the kernel would be missing */
	start_faulting_child(&child, touch_pages_on_request);
	/* Nobody drains: the queue fills, then the ring, then the kernel drops. */
	while (happened < FAULTS && clock_now_ns() < give_up_ns)
		happened = count_faults(&child);
	end_faulting_child(&child, happened);
}

#define REPLACEMENTS 20

/* From one request to the next. */
static void touch_pages_after_request(int go)
{
	struct pollfd next = { .fd = go, .events = POLLIN };
	char byte;

	if (read(go, &byte, 1) == 1)
		while (!poll(&next, 1, 0))
			touch_pages();
	while (read(go, &byte, 1) == 1)
		;
}

struct replacement {
	struct capture *old, *next;
	int err;
	atomic_bool is_done;
};

static void *replace(void *argument)
{
	struct replacement *replacement = argument;

	replacement->err = capture_replace(replacement->next, replacement->old, NULL, NULL);
	atomic_store(&replacement->is_done, true);
	return NULL;
}

/* The queue is drained meanwhile: the sampler gives up when nobody takes anything. */
static void replace_capture(struct faulting_child *child)
{
	struct capture_session *session = &child->session;
	struct replacement replacement = { .old = session->capture };
	pthread_t replacer;

	assert_int_equal(target_set_threads(&child->config.target, child->thread, NULL), 0);
	assert_int_equal(capture_open(&replacement.next, &child->config, NULL), 0);
	assert_int_equal(pthread_create(&replacer, NULL, replace, &replacement), 0);
	while (!atomic_load(&replacement.is_done)) {
		capture_session_drain(session);
		poll(NULL, 0, 1);
	}
	pthread_join(replacer, NULL);
	assert_int_equal(replacement.err, 0);
	session->capture = replacement.next;
	capture_session_drain(session);
	capture_destroy(replacement.old);
}

/* The hits are faster than the rings are read: what is lost is of one capture, too. */
static void test_each_hit_is_of_one_capture_when_the_next_replaces_it(void **state)
{
	struct faulting_child child;

	(void)state;
	if (!may_sample_everything())
		skip();		/* those in the kernel would be missing */
	start_faulting_child(&child, touch_pages_after_request);
	for (int i = 0; i < REPLACEMENTS; i++)
		replace_capture(&child);
	assert_int_equal(write(child.go, "x", 1), 1);
	end_faulting_child(&child, count_faults(&child));
}

static void test_a_command_is_sampled_from_its_exec_to_its_end(void **state)
{
	char *const argv[] = { "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done;"
			       " exit 3", NULL };
	struct capture_config config = { 0 };
	struct command *command;
	struct capture_session session;
	struct pollfd end = { .events = POLLIN };
	int status = -1;

	(void)state;
	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	config.target.kind = TARGET_COMMAND;
	config.target.ids = malloc(sizeof(*config.target.ids));
	config.target.ids[0] = command_pid(command);
	config.target.id_count = 1;
	assert_int_equal(capture_session_open(&session, &config, NULL), 0);
	session.watched = (uint32_t)command_pid(command);
	assert_int_equal(capture_start(session.capture, &session.queue, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	assert_true(capture_session_run(&session, UINT64_MAX));
	assert_true(session.has_end);
	assert_true(session.of_watched > 0);
	assert_int_equal(session.of_others, 0);
	/* A task's events end shortly before it can be reaped. */
	end.fd = command_pidfd(command);
	assert_int_equal(poll(&end, 1, (int)(HANG_NS / CLOCK_NS_PER_MS)), 1);
	assert_true(command_has_ended(command, &status));
	assert_int_equal(status, 3);
	command_destroy(command);
	capture_session_close(&session);
}

static void *sleep_for_ever(void *unused)
{
	(void)unused;
	pause();
	return NULL;
}

#define THREADS 300

static void be_many_threads(int go)
{
	pthread_t thread;
	pthread_attr_t attr;

	(void)go;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread, &attr, sleep_for_ever, NULL) != 0)
			_exit(1);
	*report = 1;
	burn(go);
}

static pid_t start_many_threads(int *go)
{
	pid_t child;

	make_report();
	child = start_child(be_many_threads, go);
	wait_for_report();
	return child;
}

/* Runs @body in a process of its own, so that it may lower limits and drop privileges. */
static void expect_in_child(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_SKIPS)
		skip();
	assert_int_equal(WEXITSTATUS(status), CHILD_DONE);
}

static bool lower_descriptor_limit(rlim_t descriptors)
{
	struct rlimit limit = { .rlim_cur = descriptors, .rlim_max = descriptors };

	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* THREADS, and one more where a sanitizer has one of its own. */
static int count_threads(pid_t pid)
{
	char path[64], line[256];
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && !count && fgets(line, sizeof(line), file))
		sscanf(line, "Threads: %d", &count);
	if (file)
		fclose(file);
	return count;
}

static int sample_many_threads_with_few_descriptors(void)
{
	struct capture_config config;
	struct capture_session session;
	struct diag why = { 0 };
	char expected[32];
	int go, result = CHILD_FAILED;
	pid_t child = start_many_threads(&go);

	snprintf(expected, sizeof(expected), "%d threads need ", count_threads(child));
	config = capture_process_config(child);
	if (!lower_descriptor_limit(400))
		return CHILD_SKIPS;
	if (capture_session_open(&session, &config, &why) == 0 &&
	    capture_needs_task_filter(session.capture) &&
	    strstr(capture_notice(session.capture), expected) &&
	    capture_target_kind(session.capture) == TARGET_PROCESSES) {
		session.watched = (uint32_t)child;
		if (capture_start(session.capture, &session.queue, NULL) == 0 &&
		    capture_session_run(&session, ENOUGH))
			result = CHILD_DONE;
		end_child(child, go);
		if (!capture_session_run(&session, UINT64_MAX) || !session.has_end)
			result = CHILD_FAILED;	/* CPU-wide events must end with the target too */
	}
	capture_session_close(&session);
	return result;
}

static void test_more_threads_than_descriptors_are_sampled_cpu_wide(void **state)
{
	(void)state;
	if (!may_sample_everything())
		skip();
	expect_in_child(sample_many_threads_with_few_descriptors);
}

static int drop_privileges(void)
{
	return setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0 ? 0 : -1;
}

static int sample_many_threads_unprivileged(void)
{
	struct capture_config config;
	struct capture_session session;
	struct diag why = { 0 };
	char expected[32];
	int go, err;
	pid_t child;

	if (drop_privileges() != 0 || event_sysctl("paranoid", 2) != 2)
		return CHILD_SKIPS;
	child = start_many_threads(&go);
	snprintf(expected, sizeof(expected), "%d threads", count_threads(child));
	config = capture_process_config(child);
	if (!lower_descriptor_limit(400))
		return CHILD_SKIPS;
	err = capture_session_open(&session, &config, &why);
	end_child(child, go);
	if (err != -EMFILE || !strstr(why.text, expected) || !strstr(why.text, "ulimit -n"))
		return CHILD_FAILED;
	spsc_finish(&session.queue);
	return CHILD_DONE;
}

static void test_too_many_threads_without_privileges_say_what_is_needed(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_in_child(sample_many_threads_unprivileged);
}

/* A process's start is known to a clock tick only: lets that tick pass. */
static void wait_for_next_tick(void)
{
	const uint64_t tick_ns = CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	const uint64_t end_ns = clock_now_ns() + 2 * tick_ns;

	while (clock_now_ns() < end_ns)
		poll(NULL, 0, 1);
}

static int sample_own_processes(void)
{
	struct capture_config config = { 0 };
	struct capture_session session;
	const char *name;
	int go, result = CHILD_FAILED;
	pid_t child;

	if (drop_privileges() != 0 || event_sysctl("paranoid", 2) != 2)
		return CHILD_SKIPS;
	child = start_child(burn, &go);
	wait_for_next_tick();
	if (capture_session_open(&session, &config, NULL) != 0)
		return CHILD_FAILED;
	session.watched = (uint32_t)child;
	name = capture_event(session.capture, 0)->name;
	if (capture_target_kind(session.capture) == TARGET_OWN && strstr(name, ":u") &&
	    strstr(capture_notice(session.capture), "sudo sysctl kernel.perf_event_paranoid=") &&
	    capture_start(session.capture, &session.queue, NULL) == 0 &&
	    capture_session_run(&session, ENOUGH))
		result = CHILD_DONE;
	capture_session_close(&session);
	end_child(child, go);
	return result;
}

static void test_without_privileges_own_processes_are_followed(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_in_child(sample_own_processes);
}

static int sample_a_stranger(void)
{
	struct capture_config config = capture_process_config(1);
	struct capture_session session;
	struct diag why = { 0 };

	if (drop_privileges() != 0)
		return CHILD_SKIPS;
	if (capture_session_open(&session, &config, &why) != -EACCES ||
	    !strstr(why.text, "sudo flametop"))
		return CHILD_FAILED;
	spsc_finish(&session.queue);
	return CHILD_DONE;
}

static void test_a_strangers_process_is_refused_with_the_remedy(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_in_child(sample_a_stranger);
}

/* Of everything, and of a process that may be sampled, though not at this level. */
static int sample_the_kernel_unprivileged(void)
{
	static const char *const events[] = { "cpu-clock:k" };
	struct capture_config configs[] = { { 0 }, capture_process_config(getpid()) };
	struct capture_session session;
	struct diag why = { 0 };

	if (drop_privileges() != 0 || event_sysctl("paranoid", 2) != 2)
		return CHILD_SKIPS;
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		configs[i].events = events;
		configs[i].event_text_count = 1;
		if (capture_session_open(&session, &configs[i], &why) != -EACCES ||
		    !strstr(why.text, "event cpu-clock:k is not permitted"))
			return CHILD_FAILED;
		spsc_finish(&session.queue);
	}
	return CHILD_DONE;
}

static void test_a_refused_level_names_the_event_that_asked_for_it(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_in_child(sample_the_kernel_unprivileged);
}
UNIT_TESTS(test_capture)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_whole_system_shows_a_burning_child),
		cmocka_unit_test(test_a_process_target_sees_only_its_process_and_ends_with_it),
		cmocka_unit_test(test_a_child_forked_later_is_followed),
		cmocka_unit_test(test_samples_and_losses_sum_up_to_what_happened),
		cmocka_unit_test(test_each_hit_is_of_one_capture_when_the_next_replaces_it),
		cmocka_unit_test(test_a_command_is_sampled_from_its_exec_to_its_end),
		cmocka_unit_test(test_more_threads_than_descriptors_are_sampled_cpu_wide),
		cmocka_unit_test(test_too_many_threads_without_privileges_say_what_is_needed),
		cmocka_unit_test(test_without_privileges_own_processes_are_followed),
		cmocka_unit_test(test_a_strangers_process_is_refused_with_the_remedy),
		cmocka_unit_test(test_a_refused_level_names_the_event_that_asked_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
