/* Live counting: what /proc is asked, how long that is waited for, and who is left out. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

static struct ingest_fixture feed;

static uint32_t own_pid(void)
{
	return (uint32_t)getpid();
}

/* A pid that nobody has: of a child that has ended just now. */
static uint32_t dead_pid(void)
{
	const pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

/* Path and file offset of our own code, read by other means than the program's. */
static void find_own_code(uint64_t ip, char *path, size_t cap, uint64_t *offset)
{
	unsigned long long first, end, file_offset;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");

	*offset = 0;
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &first, &end, &file_offset) == 3 &&
		    first <= ip && ip < end)
			*offset = ip - first + file_offset;
	fclose(maps);
	path[readlink("/proc/self/exe", path, cap - 1)] = '\0';
}

static void test_a_process_that_was_there_before_gets_its_maps_and_name(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	char path[512] = "";
	uint64_t offset;

	(void)state;
	prctl(PR_SET_NAME, "before us");
	feed_init_with_reader(&feed, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	for (uint64_t i = 0; i < 3; i++)
		feed_sample(&feed, 10 + i, own_pid(), own_pid(), ip);
	feed_round(&feed, 99);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "before us", own_pid(), path, offset), 3);
	assert_int_equal(feed.ingest.counters.unattributed, 0);
}

static void test_what_was_mapped_after_the_reading_lies_over_it(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code, page = ip & ~0xfffull;
	const uint64_t later_ns = clock_now_ns() + 3600 * CLOCK_NS_PER_S;

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_mmap(&feed, 5, own_pid(), page, 0x1000, 0, "/lib/before.so");
	feed_mmap(&feed, later_ns, own_pid(), page + 0x100000000, 0x1000, 0, "/lib/after.so");
	feed_sample(&feed, later_ns + 1, own_pid(), own_pid(), ip);
	feed_sample(&feed, later_ns + 1, own_pid(), own_pid(), page + 0x100000007);
	feed_round(&feed, UINT64_MAX);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "before us", own_pid(), "/lib/after.so", 7), 1);
	assert_int_equal(feed_counted(&feed, "before us", own_pid(), "/lib/before.so",
				      ip - page), 0);
	assert_int_equal(feed_samples(&feed), 2);
}

static void test_a_process_that_is_gone_is_unknown(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t pid = dead_pid();
	char comm[16];

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 10, pid, pid, 0x1234);
	feed_round(&feed, 99);
	feed_wait_for_replies(&feed);
	snprintf(comm, sizeof(comm), ":%u", pid);
	assert_int_equal(feed_counted(&feed, comm, pid, "[unknown]", 0x1234), 1);
	assert_int_equal(feed.ingest.counters.unattributed, 1);
	assert_int_equal(feed.ingest.counters.unattributed_forkless, 1);
	assert_int_equal(feed.ingest.counters.unattributed_late, 0);
	feed_sample(&feed, 100, pid, pid, 0x1234);	/* is not asked for again */
	feed_round(&feed, 199);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed.ingest.counters.unattributed, 2);
}

/* Records of another CPU may come later and be of an earlier time: the reader is asked about the
 * child when its fork is not known yet, and only then about the parent. */
static void test_a_child_that_is_gone_has_its_parents_maps_when_its_fork_comes_late(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t pid = dead_pid();
	struct pollfd reply = { .events = POLLIN };
	char path[512] = "";
	uint64_t offset;

	(void)state;
	feed_init_with_reader(&feed, &config);
	reply.fd = process_reader_fd(feed.reader);
	find_own_code(ip, path, sizeof(path), &offset);
	feed_sample(&feed, 30, pid, pid, ip);
	feed_comm(&feed, 20, pid, pid, "brief", false);
	feed_fork(&feed, 10, own_pid(), own_pid(), pid, pid);
	feed_round(&feed, 5);		/* looked ahead at, and nobody's turn yet */
	poll(&reply, 1, -1);
	feed_round(&feed, 99);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "brief", pid, path, offset), 1);
	assert_int_equal(feed.ingest.counters.unattributed, 0);
}

/* Ever-new processes of one shell: /proc is asked about the shell, once. */
static void test_a_child_of_a_known_parent_is_not_asked_about(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t pid = dead_pid();
	char path[512] = "";
	uint64_t offset;

	(void)state;
	prctl(PR_SET_NAME, "before us");
	feed_init_with_reader(&feed, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	feed_sample(&feed, 10, own_pid(), own_pid(), ip);
	feed_round(&feed, 19);
	feed_wait_for_replies(&feed);
	feed_fork(&feed, 20, own_pid(), own_pid(), pid, pid);
	feed_sample(&feed, 30, pid, pid, ip);
	assert_int_equal(task_table_find_process(&feed.ingest.tasks, pid)->maps_state,
			 MAPS_UNREAD);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed_counted(&feed, "before us", pid, path, offset), 1);
}

/* A compiler and the pass that it starts, both in one round. */
static void test_a_grandchild_of_a_known_process_is_not_asked_about(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t child = dead_pid(), grandchild = dead_pid();
	char path[512] = "";
	uint64_t offset;

	(void)state;
	prctl(PR_SET_NAME, "before us");
	feed_init_with_reader(&feed, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	feed_sample(&feed, 10, own_pid(), own_pid(), ip);
	feed_round(&feed, 19);
	feed_wait_for_replies(&feed);
	feed_fork(&feed, 20, own_pid(), own_pid(), child, child);
	feed_fork(&feed, 25, child, child, grandchild, grandchild);
	feed_sample(&feed, 30, grandchild, grandchild, ip);
	assert_int_equal(task_table_find_process(&feed.ingest.tasks, grandchild)->maps_state,
			 MAPS_UNREAD);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed_counted(&feed, "before us", grandchild, path, offset), 1);
}

/* A parent that is never sampled itself. */
static void test_with_a_child_its_parent_is_asked_about(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t pid = dead_pid(), later = dead_pid();
	struct pollfd reply = { .events = POLLIN };
	char path[512] = "";
	uint64_t offset;

	(void)state;
	prctl(PR_SET_NAME, "before us");
	feed_init_with_reader(&feed, &config);
	reply.fd = process_reader_fd(feed.reader);
	find_own_code(ip, path, sizeof(path), &offset);
	feed_fork(&feed, 10, own_pid(), own_pid(), pid, pid);
	feed_sample(&feed, 20, pid, pid, ip);
	feed_round(&feed, 29);
	feed_wait_for_replies(&feed);
	while (task_table_find_process(&feed.ingest.tasks, own_pid())->maps_state != MAPS_KNOWN) {
		poll(&reply, 1, -1);
		ingest_poll(&feed.ingest, false);
	}
	feed_fork(&feed, 30, own_pid(), own_pid(), later, later);
	feed_sample(&feed, 40, later, later, ip);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed_counted(&feed, "before us", later, path, offset), 1);
}

/* Nobody takes the reader's reply here: as if it never came. */
static void test_a_sample_waits_for_its_reply_only_so_long(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t begun_ns = clock_now_ns();
	uint64_t wait_ns;

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 10, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
	samples_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 1);
	assert_int_equal(feed_samples(&feed), 0);
	wait_ns = feed.ingest.pending->list[0].deadline_ns - begun_ns;
	assert_in_range(wait_ns, CLOCK_NS_PER_S / 2, 60 * CLOCK_NS_PER_S);
	feed.ingest.pending->list[0].deadline_ns = feed.ingest.pending_due_ns = 0;
	samples_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.counters.unattributed, 1);
	assert_int_equal(feed.ingest.counters.unattributed_late, 1);
	assert_int_equal(feed.ingest.counters.unattributed_forkless, 0);
}

static void test_at_the_end_all_that_waits_is_counted(void **state)
{
	const struct ingest_config config = { .event_count = 1 };

	(void)state;
	feed_init_with_reader(&feed, &config);
	for (uint64_t i = 0; i < 100; i++)
		feed_sample(&feed, 10, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
	samples_poll(&feed.ingest, true);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed.ingest.pending->bytes, 0);
	assert_int_equal(feed_samples(&feed), 100);
	assert_int_equal(feed.ingest.counters.unattributed, 100);
}

/* The reader takes no more requests: the sample must not count as if nothing were mapped. */
static void test_a_process_that_could_not_be_asked_for_yet_waits_too(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	struct process_request request = { .pid = own_pid(), .tid = own_pid() };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	char path[512] = "";
	uint64_t offset;

	(void)state;
	feed_init_with_reader(&feed, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	while (process_reader_request(feed.reader, &request))
		;
	feed_sample(&feed, 10, own_pid(), own_pid(), ip);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.pending_count, 1);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "before us", own_pid(), path, offset), 1);
}

static void test_data_mappings_are_left_out(void **state)
{
	const struct ingest_config config = { .event_count = 1 };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_mmap_data(&feed, 1, 100, 0x400000, 0x1000, "/etc/passwd");
	feed_mmap(&feed, 1, 100, 0x500000, 0x1000, 0, "/bin/x");
	feed_sample(&feed, 2, 100, 100, 0x400010);
	feed_sample(&feed, 2, 100, 100, 0x500010);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x400010), 1);
	assert_int_equal(feed_counted(&feed, ":100", 100, "/bin/x", 0x10), 1);
}

static void test_kernel_addresses_are_the_running_kernels_or_a_programs(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t program = 0xffffffffc0001000, text = 0xffffffff81000000;

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_ksymbol(&feed, 1, program, 0x100, false, "bpf_prog_1");
	feed_sample_at(&feed, 2, 1, 1, PERF_RECORD_MISC_KERNEL, program, NULL, 0);
	feed_ksymbol(&feed, 3, program, 0x100, true, "bpf_prog_1");
	feed_sample_at(&feed, 4, 1, 1, PERF_RECORD_MISC_KERNEL, program, NULL, 0);
	feed_sample_at(&feed, 4, 1, 1, PERF_RECORD_MISC_KERNEL, text, NULL, 0);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":1", 1, "bpf_prog_1", program), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[kernel.kallsyms]", program), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[kernel.kallsyms]", text), 1);
}

/*   -p 100: its threads, its children and theirs */
static void test_a_process_target_keeps_what_it_starts(void **state)
{
	static const uint32_t pids[] = { 100 };
	const struct ingest_config config = { .event_count = 1, .target_pids = pids,
					      .target_pid_count = 1,
					      .has_task_filter = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed_sample(&feed, 1, 100, 105, 0x10);
	feed_sample(&feed, 1, 300, 300, 0x10);		/* somebody else */
	feed_fork(&feed, 2, 100, 105, 200, 200);
	feed_fork(&feed, 3, 200, 200, 201, 201);
	feed_fork(&feed, 3, 300, 300, 301, 301);
	feed_sample(&feed, 4, 200, 200, 0x10);
	feed_sample(&feed, 4, 201, 201, 0x10);
	feed_sample(&feed, 4, 301, 301, 0x10);
	feed_round(&feed, 9);
	assert_int_equal(feed_samples(&feed), 4);
	assert_int_equal(feed_counted(&feed, ":300", 300, "[unknown]", 0x10), 0);
	assert_int_equal(feed_counted(&feed, ":301", 301, "[unknown]", 0x10), 0);
}

/*   -t 105, a thread of 100 that is not its first */
static void test_a_thread_target_keeps_what_it_starts_and_not_its_process(void **state)
{
	static const uint32_t tids[] = { 105 };
	const struct ingest_config config = { .event_count = 1, .target_tids = tids,
					      .target_tid_count = 1,
					      .has_task_filter = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed_sample(&feed, 1, 100, 105, 0x10);
	feed_sample(&feed, 2, 100, 105, 0x10);
	feed_fork(&feed, 3, 100, 105, 200, 200);
	feed_fork(&feed, 3, 100, 100, 300, 300);
	feed_fork(&feed, 3, 100, 105, 100, 106);
	feed_sample(&feed, 4, 200, 200, 0x10);
	feed_sample(&feed, 4, 300, 300, 0x10);
	feed_sample(&feed, 4, 100, 106, 0x10);
	feed_round(&feed, 9);
	assert_int_equal(feed_samples(&feed), 4);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x10), 0);
	assert_int_equal(feed_counted(&feed, ":300", 300, "[unknown]", 0x10), 0);
}

static void test_a_user_target_keeps_processes_of_that_user(void **state)
{
	struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					.uid = (uint32_t)geteuid() };

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 1, own_pid(), own_pid(), 0x10);
	feed_sample(&feed, 1, 0, 0, 0x10);	/* the idle task is root's */
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "before us", own_pid(), "[unknown]", 0x10), 1);
	assert_int_equal(feed_samples(&feed), geteuid() ? 1 : 2);
	feed_finish(&feed);

	config.uid++;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 1, own_pid(), own_pid(), 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_samples(&feed), 0);
	assert_int_equal(feed.ingest.counters.filtered_unknown_uid, 0);
}

static void test_samples_whose_user_is_unknown_are_counted_apart(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true };
	const uint32_t pid = dead_pid();

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 1, pid, pid, 0x10);
	feed_sample(&feed, 2, pid, pid, 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_samples(&feed), 0);
	assert_int_equal(feed.ingest.counters.filtered_unknown_uid, 2);
}

/* A command started by a shell that had no sample yet: its maps and name are all reported, its user
 * is not. */
static void test_the_user_is_asked_for_also_when_all_else_is_known(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_fork(&feed, 1, 5000001, 5000001, own_pid(), own_pid());
	feed_comm(&feed, 2, own_pid(), own_pid(), "command", true);
	feed_mmap(&feed, 3, own_pid(), 0x400000, 0x1000, 0, "/bin/command");
	feed_round(&feed, 4);
	feed_sample(&feed, 5, own_pid(), own_pid(), 0x400010);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "command", own_pid(), "/bin/command", 0x10), 1);
	assert_int_equal(feed.ingest.counters.filtered_unknown_uid, 0);
}

#define SOMEBODY 54321u /* no uid of ours */

static struct process *own_process(void)
{
	return task_table_find_process(&feed.ingest.tasks, own_pid());
}

/* A parent whose user is known forks this process, which runs as another one by now. */
static void start_forked(const struct ingest_config *config, uint64_t fork_ns)
{
	struct process *parent;
	struct thread *thread;

	feed_init_with_reader(&feed, config);
	parent = task_table_process(&feed.ingest.tasks, 5000001);
	thread = task_table_thread(&feed.ingest.tasks, 5000001, 5000001);
	parent->uid = SOMEBODY;
	parent->has_uid = true;
	parent->maps_state = MAPS_KNOWN;
	thread_set_comm(thread, "server", 6);
	feed_fork(&feed, fork_ns, 5000001, 5000001, own_pid(), own_pid());
}

/* nginx, apache, sshd: forked as root, they drop their rights without an exec. */
static void test_the_user_of_a_forked_process_is_read_at_its_first_sample(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	start_forked(&config, 1);
	feed_round(&feed, 2);
	assert_int_equal(own_process()->uid, SOMEBODY);
	feed_sample(&feed, 5, own_pid(), own_pid(), 0x10);
	feed_sample(&feed, 6, own_pid(), own_pid(), 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "server", own_pid(), "[unknown]", 0x10), 2);
}

/* Seen before its fork had its turn: what the parent is known as is no reply either. */
static void test_a_sample_right_after_the_fork_belongs_to_the_user_of_now(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	start_forked(&config, 1);
	feed_sample(&feed, 5, own_pid(), own_pid(), 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_counted(&feed, "server", own_pid(), "[unknown]", 0x10), 1);
}

/* One that ended before /proc was read had its parent's, as far as anybody knows. */
static void test_a_forked_process_that_is_gone_keeps_its_parents_user(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = SOMEBODY };
	const uint32_t pid = dead_pid();

	(void)state;
	start_forked(&config, 1);
	feed_fork(&feed, 2, 5000001, 5000001, pid, pid);
	feed_round(&feed, 3);
	feed_sample(&feed, 5, pid, pid, 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.counters.filtered_unknown_uid, 0);
}

/* How many samples are counted after one more of this process, at @time_ns. */
static uint64_t samples_with(uint64_t time_ns)
{
	feed_sample(&feed, time_ns, own_pid(), own_pid(), 0x10);
	feed_round(&feed, time_ns + 1);
	feed_wait_for_replies(&feed);
	return feed_samples(&feed);
}

/* What changed since /proc was read is found after 0.1, 1 and 10 s, then each minute. */
static void test_the_user_of_a_process_is_read_again_and_again(void **state)
{
	static const uint64_t steps_ms[] = { 100, 900, 9000, 60000, 60000 };
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };
	uint64_t counted = 1, time_ns = clock_now_ns();

	(void)state;
	start_forked(&config, time_ns);
	assert_int_equal(samples_with(time_ns + 1), counted);
	for (size_t i = 0; i < sizeof(steps_ms) / sizeof(steps_ms[0]); i++) {
		time_ns = clock_now_ns();
		own_process()->uid_read_ns = time_ns + 9 - steps_ms[i] * CLOCK_NS_PER_MS;
		own_process()->uid = SOMEBODY;
		assert_int_equal(samples_with(time_ns + 8), counted);
		assert_int_equal(samples_with(time_ns + 10), ++counted);
	}
}

/* sudo: an exec may give other rights. */
static void test_the_user_is_read_again_after_an_exec(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };
	const uint64_t time_ns = clock_now_ns();

	(void)state;
	start_forked(&config, time_ns);
	assert_int_equal(samples_with(time_ns + 1), 1);
	own_process()->uid = SOMEBODY;
	assert_int_equal(samples_with(time_ns + 3), 1);
	feed_comm(&feed, time_ns + 5, own_pid(), own_pid(), "sudo", true);
	assert_int_equal(samples_with(time_ns + 7), 2);
}

/* What the processor lost before the kernel had it is in no count of the kernel's. */
static void test_samples_that_the_processor_lost_are_missing_besides(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t ring = UINT32_MAX;

	(void)state;
	feed_init(&feed, &config, NULL);
	ingest_lost_total(&feed.ingest, 0, ring, 8);
	feed_lost_samples(&feed, 1, 0, 5);
	feed_round(&feed, 1);
	assert_int_equal(feed.ingest.counters.lost_kernel, 13);
	assert_int_equal(feed.ingest.counters.lost_counted, 8);
	assert_int_equal(feed.ingest.counters.lost_recorded, 5);
	ingest_lost_total(&feed.ingest, 0, ring, 9);
	assert_int_equal(feed.ingest.counters.lost_kernel, 14);
}

/* The kernel's own count holds; LOST records tell the same sooner, and must not add to it. */
static void test_lost_samples_are_counted_once(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t ring = UINT32_MAX;	/* the one that the fixture's records come from */

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_lost(&feed, 1, 0, 5);
	feed_round(&feed, 1);
	assert_int_equal(feed.ingest.counters.lost_kernel, 5);
	ingest_lost_total(&feed.ingest, 0, ring, 3);	/* read before the record was written */
	assert_int_equal(feed.ingest.counters.lost_kernel, 5);
	ingest_lost_total(&feed.ingest, 0, ring, 8);
	assert_int_equal(feed.ingest.counters.lost_kernel, 8);
	feed_lost(&feed, 2, 0, 3);
	feed_round(&feed, 2);
	assert_int_equal(feed.ingest.counters.lost_kernel, 8);
	ingest_lost_total(&feed.ingest, 0, 1, 10);	/* another CPU */
	ingest_lost_total(&feed.ingest, 0, 1, 10);
	assert_int_equal(feed.ingest.counters.lost_kernel, 18);
	assert_int_equal(feed.ingest.counters.lost_counted, 18);
	assert_int_equal(feed.ingest.counters.lost_recorded, 8);
}

static void test_round_ends_carry_the_counters_of_the_reading_side(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const struct queue_round_end mark = { .limit_ns = 50, .stalled_rounds = 7, .malformed = 2 };

	(void)state;
	feed_init(&feed, &config, NULL);
	ingest_round_end(&feed.ingest, &mark);
	assert_int_equal(feed.ingest.counters.stalled_rounds, 7);
	assert_int_equal(feed.ingest.counters.malformed_rings, 2);
	assert_int_equal(feed.ingest.watermark_ns, 50);
	feed_round(&feed, 40);		/* time never goes back */
	assert_int_equal(feed.ingest.watermark_ns, 50);
}

#define TEST(name) FEED_TEST(name, NULL)

UNIT_TESTS(test_ingest_live)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_that_was_there_before_gets_its_maps_and_name),
		TEST(test_what_was_mapped_after_the_reading_lies_over_it),
		TEST(test_a_process_that_is_gone_is_unknown),
		TEST(test_a_child_that_is_gone_has_its_parents_maps_when_its_fork_comes_late),
		TEST(test_a_child_of_a_known_parent_is_not_asked_about),
		TEST(test_a_grandchild_of_a_known_process_is_not_asked_about),
		TEST(test_with_a_child_its_parent_is_asked_about),
		TEST(test_a_sample_waits_for_its_reply_only_so_long),
		TEST(test_at_the_end_all_that_waits_is_counted),
		TEST(test_a_process_that_could_not_be_asked_for_yet_waits_too),
		TEST(test_data_mappings_are_left_out),
		TEST(test_kernel_addresses_are_the_running_kernels_or_a_programs),
		TEST(test_a_process_target_keeps_what_it_starts),
		TEST(test_a_thread_target_keeps_what_it_starts_and_not_its_process),
		TEST(test_a_user_target_keeps_processes_of_that_user),
		TEST(test_samples_whose_user_is_unknown_are_counted_apart),
		TEST(test_the_user_is_asked_for_also_when_all_else_is_known),
		TEST(test_the_user_of_a_forked_process_is_read_at_its_first_sample),
		TEST(test_a_sample_right_after_the_fork_belongs_to_the_user_of_now),
		TEST(test_a_forked_process_that_is_gone_keeps_its_parents_user),
		TEST(test_the_user_of_a_process_is_read_again_and_again),
		TEST(test_the_user_is_read_again_after_an_exec),
		TEST(test_lost_samples_are_counted_once),
		TEST(test_samples_that_the_processor_lost_are_missing_besides),
		TEST(test_round_ends_carry_the_counters_of_the_reading_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
