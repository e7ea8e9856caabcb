/* The thread that has names demangled, with real workers. Some are watched by ptrace(2): what they
 * were given, and one that is killed when it reads a certain name. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/demangle.h"
#include "elf/file_jobs.h"
#include "need_root.h"
#include "symbols/demangler.h"
#include "unit_tests.h"

#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */
#define LIST_FD	       3	/* the worker's first input */
#define OWNERS	       3
#define DEADLY	       "_Z6deadlyv"

static struct sandbox *sandbox;
static struct demangler *demangler;

static int set_up(void **state)
{
	(void)state;
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       demangler_create(&demangler, sandbox, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	demangler_destroy(demangler);
	sandbox_stop(sandbox);
	return 0;
}

static void wait_for_reply(struct demangled *out)
{
	struct pollfd ready = { .fd = demangler_fd(demangler), .events = POLLIN };

	demangler_begin(demangler);
	while (!demangler_reply(demangler, out))
		assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
}

/* Has @name demangled alone. */
static const char *meaning_of(const char *name)
{
	static struct demangled reply;

	assert_true(demangler_request(demangler, 7, 5, name));
	wait_for_reply(&reply);
	assert_int_equal(reply.id, 7);
	assert_int_equal(reply.owner, 5);
	return reply.text;
}

static void test_a_name_comes_back_with_its_meaning(void **state)
{
	(void)state;
	assert_string_equal(meaning_of("_Z3foov"), "foo()");
	assert_string_equal(meaning_of("_RNvC7mycrate3foo.cold"), "mycrate::foo [.cold]");
	assert_string_equal(meaning_of("_D8demangle4testFaZv"), "demangle.test(char)");
	assert_int_equal(demangler_under_way(demangler), 0);
}

static void test_a_name_that_means_nothing_stays(void **state)
{
	(void)state;
	assert_string_equal(meaning_of("_Zero"), "");
	assert_string_equal(meaning_of("_Z\033[31m\xff"), "");
}

/* The descriptor must not only be readable until somebody looks whether the job is done. */
static void test_a_reply_that_was_there_at_the_beginning_is_announced(void **state)
{
	struct pollfd done = { .fd = sandbox_fd(sandbox), .events = POLLIN };
	struct pollfd ready = { .fd = demangler_fd(demangler), .events = POLLIN };
	struct demangled reply;

	(void)state;
	assert_true(demangler_request(demangler, 1, 1, "_Z3foov"));
	demangler_begin(demangler);
	assert_int_equal(poll(&done, 1, REPLY_LIMIT_MS), 1);
	assert_true(demangler_request(demangler, 2, 1, "_Z3barv"));
	demangler_begin(demangler);
	assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
	assert_true(demangler_reply(demangler, &reply));
	assert_string_equal(reply.text, "foo()");
	wait_for_reply(&reply);
	assert_string_equal(reply.text, "bar()");
	assert_int_equal(poll(&ready, 1, 0), 0);
	kill(sandbox_pid(sandbox), SIGKILL);
	assert_true(demangler_request(demangler, 3, 1, "_Z3foov"));
	demangler_begin(demangler);
	wait_for_reply(&reply);
	assert_string_equal(reply.text, "");
}

static bool request_number(uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "_Z6f%05uv", number);
	return demangler_request(demangler, number, number % OWNERS, name);
}

static void test_each_of_many_names_has_one_reply(void **state)
{
	enum { NAMES = 3000 };
	static unsigned char seen[NAMES];
	uint32_t asked = 0, replied = 0;
	struct demangled reply;
	char expected[32];

	(void)state;
	while (replied < NAMES) {
		if (asked < NAMES && request_number(asked)) {
			asked++;
			continue;	/* until no more are taken */
		}
		wait_for_reply(&reply);
		snprintf(expected, sizeof(expected), "f%05u()", reply.id);
		assert_string_equal(reply.text, expected);
		assert_int_equal(seen[reply.id]++, 0);
		replied++;
	}
	assert_false(demangler_reply(demangler, &reply));
}

/* Each means more than 4 KB, and nobody takes replies: there is room for those that were taken. */
static void test_no_more_is_taken_than_there_is_room_for(void **state)
{
	static const char bomb[] = "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_E"
				   "S_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_E";
	struct demangled reply;
	uint32_t taken = 0;

	(void)state;
	while (taken < 600 && demangler_request(demangler, taken, 0, bomb))
		taken++;
	assert_in_range(taken, 100, 599);
	assert_int_equal(demangler_under_way(demangler), taken);
	for (; taken; taken--) {
		wait_for_reply(&reply);
		assert_int_equal(strlen(reply.text), DEMANGLE_TEXT_MAX);
	}
}

/* Watches all workers of a sandbox. */
struct watch {
	pid_t zygote, worker;
	sem_t is_ready;
	pthread_t thread;
	unsigned int jobs, mixed_jobs, killed;
};

/* Owners are known by the last digit before the "v" of "_Z6f%05uv". */
static void look_at_list(struct watch *watch, const char *list, size_t bytes)
{
	unsigned int owners = 0;
	const char *end = list + bytes;

	watch->jobs++;
	for (const char *name = list; name < end; name = name_list_next(name)) {
		if (!strcmp(name, DEADLY)) {
			watch->killed++;
			kill(watch->worker, SIGKILL);
		} else {
			owners |= 1u << strtoul(name + 4, NULL, 10) % OWNERS;
		}
	}
	watch->mixed_jobs += (owners & (owners - 1)) != 0;
}

/* What a worker's pread(2) of its list has brought. */
static void look_at_call(struct watch *watch)
{
	static struct __ptrace_syscall_info entry;
	static char list[65536];
	struct __ptrace_syscall_info call = { .op = PTRACE_SYSCALL_INFO_NONE };
	struct iovec here = { .iov_base = list }, there;

	ptrace(PTRACE_GET_SYSCALL_INFO, watch->worker, (void *)sizeof(call), &call);
	if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
		entry = call;
	if (call.op != PTRACE_SYSCALL_INFO_EXIT || call.exit.is_error ||
	    entry.entry.nr != SYS_pread64 || entry.entry.args[0] != LIST_FD)
		return;
	there = (struct iovec){ (void *)(uintptr_t)entry.entry.args[1], (size_t)call.exit.rval };
	here.iov_len = there.iov_len;
	if (here.iov_len <= sizeof(list) &&
	    process_vm_readv(watch->worker, &here, 1, &there, 1, 0) == call.exit.rval)
		look_at_list(watch, list, here.iov_len);
}

static void *trace(void *argument)
{
	struct watch *watch = argument;
	int status;

	if (ptrace(PTRACE_SEIZE, watch->zygote, NULL,
		   (void *)(intptr_t)(PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD)))
		watch->zygote = -1;
	sem_post(&watch->is_ready);
	while (watch->zygote > 0) {
		const pid_t pid = waitpid(-1, &status, __WALL);
		const bool is_call = WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80);
		int signal_number;

		if (pid < 0 || (pid == watch->zygote && !WIFSTOPPED(status)))
			break;
		if (!WIFSTOPPED(status))
			continue;
		if (pid != watch->zygote)
			watch->worker = pid;
		if (pid != watch->zygote && is_call)
			look_at_call(watch);
		signal_number = status >> 16 || is_call ? 0 : WSTOPSIG(status);
		ptrace(pid == watch->zygote ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL,
		       (void *)(intptr_t)signal_number);
	}
	return NULL;
}

/* Skips where ptrace is not allowed, which only root may do to all of a worker. */
static void begin_watch(struct watch *watch)
{
	need_root();
	*watch = (struct watch){ .zygote = sandbox_pid(sandbox) };
	sem_init(&watch->is_ready, 0, 0);
	assert_int_equal(pthread_create(&watch->thread, NULL, trace, watch), 0);
	sem_wait(&watch->is_ready);
	if (watch->zygote > 0)
		return;
	pthread_join(watch->thread, NULL);
	skip();
}

/* Ends the zygote, too. */
static void end_watch(struct watch *watch)
{
	kill(watch->zygote, SIGKILL);
	pthread_join(watch->thread, NULL);
}

static void test_a_worker_is_given_names_of_one_owner_only(void **state)
{
	struct demangled reply;
	struct watch watch;

	(void)state;
	begin_watch(&watch);
	for (uint32_t i = 0; i < 90; i++)
		assert_true(request_number(i));
	for (uint32_t i = 0; i < 90; i++)
		wait_for_reply(&reply);
	end_watch(&watch);
	assert_in_range(watch.jobs, OWNERS, 90);
	assert_int_equal(watch.mixed_jobs, 0);
}

static void test_a_name_that_kills_its_worker_costs_itself_alone(void **state)
{
	enum { NAMES = 40, DEADLY_ID = 1000 };
	struct demangled reply;
	struct watch watch;
	uint32_t named = 0;

	(void)state;
	begin_watch(&watch);
	for (uint32_t i = 0; i < NAMES; i++) {
		assert_true(request_number(OWNERS * i));
		if (i == NAMES / 3)
			assert_true(demangler_request(demangler, DEADLY_ID, 0, DEADLY));
	}
	for (uint32_t i = 0; i < NAMES + 1; i++) {
		wait_for_reply(&reply);
		assert_int_equal(reply.text[0] == '\0', reply.id == DEADLY_ID);
		named += reply.text[0] != '\0';
	}
	end_watch(&watch);
	assert_int_equal(named, NAMES);
	assert_in_range(watch.killed, 1, 8);	/* halves of 41 names */
}

/* Each of owner 0's names is deadly. Without an end they would keep the others waiting for minutes:
 * a worker that hangs is ended after five seconds. */
static void test_an_owner_of_deadly_names_does_not_hold_up_the_others(void **state)
{
	enum { NAMES = 120, OTHERS = 10 };
	struct demangled reply;
	struct watch watch;
	uint32_t named = 0;

	(void)state;
	begin_watch(&watch);
	for (uint32_t i = 0; i < NAMES; i++)
		assert_true(demangler_request(demangler, 1000 + i, 0, DEADLY));
	for (uint32_t i = 0; i < OTHERS; i++)
		assert_true(request_number(OWNERS * i + 1));
	for (uint32_t i = 0; i < NAMES + OTHERS; i++) {
		wait_for_reply(&reply);
		assert_int_equal(reply.text[0] == '\0', reply.owner == 0);
		named += reply.text[0] != '\0';
	}
	end_watch(&watch);
	assert_int_equal(named, OTHERS);
	assert_in_range(watch.jobs, 8, 8 * 7 + OTHERS);	/* eight names, each in halves of 120 */
}

static void test_without_a_zygote_every_name_stays(void **state)
{
	struct demangled reply;

	(void)state;
	kill(sandbox_pid(sandbox), SIGKILL);
	for (uint32_t i = 0; i < 20; i++)
		assert_true(request_number(i));
	for (uint32_t i = 0; i < 20; i++) {
		wait_for_reply(&reply);
		assert_string_equal(reply.text, "");
	}
}

static void test_the_end_does_not_wait_for_names(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 200; i++)
		assert_true(request_number(i));	/* tear_down() would hang */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_demangler)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_name_comes_back_with_its_meaning),
		TEST(test_a_name_that_means_nothing_stays),
		TEST(test_a_reply_that_was_there_at_the_beginning_is_announced),
		TEST(test_each_of_many_names_has_one_reply),
		TEST(test_no_more_is_taken_than_there_is_room_for),
		TEST(test_a_worker_is_given_names_of_one_owner_only),
		TEST(test_a_name_that_kills_its_worker_costs_itself_alone),
		TEST(test_an_owner_of_deadly_names_does_not_hold_up_the_others),
		TEST(test_without_a_zygote_every_name_stays),
		TEST(test_the_end_does_not_wait_for_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
