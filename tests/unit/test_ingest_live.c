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
#include "ingest_stage.h"

static struct ingest_stage stage;

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
	stage_init_with_reader(&stage, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	for (uint64_t i = 0; i < 3; i++)
		stage_sample(&stage, 10 + i, own_pid(), own_pid(), ip);
	stage_round(&stage, 99);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "before us", own_pid(), path, offset), 3);
	assert_int_equal(stage.ingest.counters.unattributed, 0);
}

static void test_what_was_mapped_after_the_reading_lies_over_it(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code, page = ip & ~0xfffull;
	const uint64_t later_ns = clock_now_ns() + 3600 * CLOCK_NS_PER_S;

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_mmap(&stage, 5, own_pid(), page, 0x1000, 0, "/lib/before.so");
	stage_mmap(&stage, later_ns, own_pid(), page + 0x100000000, 0x1000, 0, "/lib/after.so");
	stage_sample(&stage, later_ns + 1, own_pid(), own_pid(), ip);
	stage_sample(&stage, later_ns + 1, own_pid(), own_pid(), page + 0x100000007);
	stage_round(&stage, UINT64_MAX);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "before us", own_pid(), "/lib/after.so", 7), 1);
	assert_int_equal(stage_counted(&stage, "before us", own_pid(), "/lib/before.so",
				       ip - page), 0);
	assert_int_equal(stage_samples(&stage), 2);
}

static void test_a_process_that_is_gone_is_unknown(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t pid = dead_pid();
	char comm[16];

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_sample(&stage, 10, pid, pid, 0x1234);
	stage_round(&stage, 99);
	stage_wait_for_answers(&stage);
	snprintf(comm, sizeof(comm), ":%u", pid);
	assert_int_equal(stage_counted(&stage, comm, pid, "[unknown]", 0x1234), 1);
	assert_int_equal(stage.ingest.counters.unattributed, 1);
	assert_int_equal(stage.ingest.counters.unattributed_forkless, 1);
	assert_int_equal(stage.ingest.counters.unattributed_late, 0);
	stage_sample(&stage, 100, pid, pid, 0x1234);	/* is not asked for again */
	stage_round(&stage, 199);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(stage.ingest.counters.unattributed, 2);
}

/* Records of another CPU may come later and be of an earlier time: the reader is asked about the
 * child when its fork is not known yet, and only then about the parent. */
static void test_a_child_that_is_gone_has_its_parents_maps_when_its_fork_comes_late(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t pid = dead_pid();
	struct pollfd answer = { .events = POLLIN };
	char path[512] = "";
	uint64_t offset;

	(void)state;
	stage_init_with_reader(&stage, &config);
	answer.fd = process_reader_fd(stage.reader);
	find_own_code(ip, path, sizeof(path), &offset);
	stage_sample(&stage, 30, pid, pid, ip);
	stage_comm(&stage, 20, pid, pid, "brief", false);
	stage_fork(&stage, 10, own_pid(), own_pid(), pid, pid);
	stage_round(&stage, 5);		/* looked ahead at, and nobody's turn yet */
	poll(&answer, 1, -1);
	stage_round(&stage, 99);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "brief", pid, path, offset), 1);
	assert_int_equal(stage.ingest.counters.unattributed, 0);
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
	stage_init_with_reader(&stage, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	stage_sample(&stage, 10, own_pid(), own_pid(), ip);
	stage_round(&stage, 19);
	stage_wait_for_answers(&stage);
	stage_fork(&stage, 20, own_pid(), own_pid(), pid, pid);
	stage_sample(&stage, 30, pid, pid, ip);
	assert_int_equal(task_table_find_process(&stage.ingest.tasks, pid)->maps_state,
			 MAPS_UNREAD);
	stage_round(&stage, 99);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(stage_counted(&stage, "before us", pid, path, offset), 1);
}

/* A parent that is never sampled itself. */
static void test_with_a_child_its_parent_is_asked_about(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t ip = (uint64_t)(uintptr_t)find_own_code;
	const uint32_t pid = dead_pid(), later = dead_pid();
	struct pollfd answer = { .events = POLLIN };
	char path[512] = "";
	uint64_t offset;

	(void)state;
	prctl(PR_SET_NAME, "before us");
	stage_init_with_reader(&stage, &config);
	answer.fd = process_reader_fd(stage.reader);
	find_own_code(ip, path, sizeof(path), &offset);
	stage_fork(&stage, 10, own_pid(), own_pid(), pid, pid);
	stage_sample(&stage, 20, pid, pid, ip);
	stage_round(&stage, 29);
	stage_wait_for_answers(&stage);
	while (task_table_find_process(&stage.ingest.tasks, own_pid())->maps_state != MAPS_KNOWN) {
		poll(&answer, 1, -1);
		ingest_poll(&stage.ingest, false);
	}
	stage_fork(&stage, 30, own_pid(), own_pid(), later, later);
	stage_sample(&stage, 40, later, later, ip);
	stage_round(&stage, 99);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(stage_counted(&stage, "before us", later, path, offset), 1);
}

/* Nobody takes the reader's answer here: as if it never came. */
static void test_a_sample_waits_for_its_answer_only_so_long(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t begun_ns = clock_now_ns();
	uint64_t wait_ns;

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_sample(&stage, 10, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	ingest_parked(&stage.ingest, false);
	assert_int_equal(stage.ingest.parked_count, 1);
	assert_int_equal(stage_samples(&stage), 0);
	wait_ns = stage.ingest.parked[0].deadline_ns - begun_ns;
	assert_in_range(wait_ns, CLOCK_NS_PER_S / 2, 60 * CLOCK_NS_PER_S);
	stage.ingest.parked[0].deadline_ns = stage.ingest.parked_due_ns = 0;
	ingest_parked(&stage.ingest, false);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(stage_samples(&stage), 1);
	assert_int_equal(stage.ingest.counters.unattributed, 1);
	assert_int_equal(stage.ingest.counters.unattributed_late, 1);
	assert_int_equal(stage.ingest.counters.unattributed_forkless, 0);
}

static void test_at_the_end_all_that_waits_is_counted(void **state)
{
	const struct ingest_config config = { .event_count = 1 };

	(void)state;
	stage_init_with_reader(&stage, &config);
	for (uint64_t i = 0; i < 100; i++)
		stage_sample(&stage, 10, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	ingest_parked(&stage.ingest, true);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(stage.ingest.parked_bytes, 0);
	assert_int_equal(stage_samples(&stage), 100);
	assert_int_equal(stage.ingest.counters.unattributed, 100);
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
	stage_init_with_reader(&stage, &config);
	find_own_code(ip, path, sizeof(path), &offset);
	while (process_reader_request(stage.reader, &request))
		;
	stage_sample(&stage, 10, own_pid(), own_pid(), ip);
	stage_round(&stage, 99);
	assert_int_equal(stage.ingest.parked_count, 1);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "before us", own_pid(), path, offset), 1);
}

static void test_data_mappings_are_left_out(void **state)
{
	const struct ingest_config config = { .event_count = 1 };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_mmap_data(&stage, 1, 100, 0x400000, 0x1000, "/etc/passwd");
	stage_mmap(&stage, 1, 100, 0x500000, 0x1000, 0, "/bin/x");
	stage_sample(&stage, 2, 100, 100, 0x400010);
	stage_sample(&stage, 2, 100, 100, 0x500010);
	stage_round(&stage, 9);
	assert_int_equal(stage_counted(&stage, ":100", 100, "[unknown]", 0x400010), 1);
	assert_int_equal(stage_counted(&stage, ":100", 100, "/bin/x", 0x10), 1);
}

static void test_kernel_addresses_are_the_running_kernels_or_a_programs(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint64_t program = 0xffffffffc0001000, text = 0xffffffff81000000;

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_ksymbol(&stage, 1, program, 0x100, false, "bpf_prog_1");
	stage_sample_at(&stage, 2, 1, 1, PERF_RECORD_MISC_KERNEL, program, NULL, 0);
	stage_ksymbol(&stage, 3, program, 0x100, true, "bpf_prog_1");
	stage_sample_at(&stage, 4, 1, 1, PERF_RECORD_MISC_KERNEL, program, NULL, 0);
	stage_sample_at(&stage, 4, 1, 1, PERF_RECORD_MISC_KERNEL, text, NULL, 0);
	stage_round(&stage, 9);
	assert_int_equal(stage_counted(&stage, ":1", 1, "bpf_prog_1", program), 1);
	assert_int_equal(stage_counted(&stage, ":1", 1, "[kernel.kallsyms]", program), 1);
	assert_int_equal(stage_counted(&stage, ":1", 1, "[kernel.kallsyms]", text), 1);
}

/*   -p 100: its threads, its children and theirs */
static void test_a_process_target_keeps_what_it_starts(void **state)
{
	static const uint32_t pids[] = { 100 };
	const struct ingest_config config = { .event_count = 1, .target_pids = pids,
					      .target_pid_count = 1,
					      .has_task_filter = true };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_sample(&stage, 1, 100, 100, 0x10);
	stage_sample(&stage, 1, 100, 105, 0x10);
	stage_sample(&stage, 1, 300, 300, 0x10);	/* somebody else */
	stage_fork(&stage, 2, 100, 105, 200, 200);
	stage_fork(&stage, 3, 200, 200, 201, 201);
	stage_fork(&stage, 3, 300, 300, 301, 301);
	stage_sample(&stage, 4, 200, 200, 0x10);
	stage_sample(&stage, 4, 201, 201, 0x10);
	stage_sample(&stage, 4, 301, 301, 0x10);
	stage_round(&stage, 9);
	assert_int_equal(stage_samples(&stage), 4);
	assert_int_equal(stage_counted(&stage, ":300", 300, "[unknown]", 0x10), 0);
	assert_int_equal(stage_counted(&stage, ":301", 301, "[unknown]", 0x10), 0);
}

/*   -t 105, a thread of 100 that is not its first */
static void test_a_thread_target_keeps_what_it_starts_and_not_its_process(void **state)
{
	static const uint32_t tids[] = { 105 };
	const struct ingest_config config = { .event_count = 1, .target_tids = tids,
					      .target_tid_count = 1,
					      .has_task_filter = true };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_sample(&stage, 1, 100, 100, 0x10);
	stage_sample(&stage, 1, 100, 105, 0x10);
	stage_sample(&stage, 2, 100, 105, 0x10);
	stage_fork(&stage, 3, 100, 105, 200, 200);
	stage_fork(&stage, 3, 100, 100, 300, 300);
	stage_fork(&stage, 3, 100, 105, 100, 106);
	stage_sample(&stage, 4, 200, 200, 0x10);
	stage_sample(&stage, 4, 300, 300, 0x10);
	stage_sample(&stage, 4, 100, 106, 0x10);
	stage_round(&stage, 9);
	assert_int_equal(stage_samples(&stage), 4);
	assert_int_equal(stage_counted(&stage, ":100", 100, "[unknown]", 0x10), 0);
	assert_int_equal(stage_counted(&stage, ":300", 300, "[unknown]", 0x10), 0);
}

static void test_a_user_target_keeps_processes_of_that_user(void **state)
{
	struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					.uid = (uint32_t)geteuid() };

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_sample(&stage, 1, own_pid(), own_pid(), 0x10);
	stage_sample(&stage, 1, 0, 0, 0x10);	/* the idle task is root's */
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "before us", own_pid(), "[unknown]", 0x10), 1);
	assert_int_equal(stage_samples(&stage), geteuid() ? 1 : 2);
	stage_finish(&stage);

	config.uid++;
	stage_init_with_reader(&stage, &config);
	stage_sample(&stage, 1, own_pid(), own_pid(), 0x10);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_samples(&stage), 0);
	assert_int_equal(stage.ingest.counters.filtered_unknown_uid, 0);
}

static void test_samples_whose_user_is_unknown_are_counted_apart(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true };
	const uint32_t pid = dead_pid();

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_sample(&stage, 1, pid, pid, 0x10);
	stage_sample(&stage, 2, pid, pid, 0x10);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_samples(&stage), 0);
	assert_int_equal(stage.ingest.counters.filtered_unknown_uid, 2);
}

/* A command started by a shell that had no sample yet: its maps and name are all reported, its user
 * is not. */
static void test_the_user_is_asked_for_also_when_all_else_is_known(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	stage_init_with_reader(&stage, &config);
	stage_fork(&stage, 1, 5000001, 5000001, own_pid(), own_pid());
	stage_comm(&stage, 2, own_pid(), own_pid(), "command", true);
	stage_mmap(&stage, 3, own_pid(), 0x400000, 0x1000, 0, "/bin/command");
	stage_round(&stage, 4);
	stage_sample(&stage, 5, own_pid(), own_pid(), 0x400010);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "command", own_pid(), "/bin/command", 0x10), 1);
	assert_int_equal(stage.ingest.counters.filtered_unknown_uid, 0);
}

#define SOMEBODY 54321u /* no uid of ours */

static struct process *own_process(void)
{
	return task_table_find_process(&stage.ingest.tasks, own_pid());
}

/* A parent whose user is known forks this process, which runs as another one by now. */
static void start_forked(const struct ingest_config *config, uint64_t fork_ns)
{
	struct process *parent;
	struct thread *thread;

	stage_init_with_reader(&stage, config);
	parent = task_table_process(&stage.ingest.tasks, 5000001);
	thread = task_table_thread(&stage.ingest.tasks, 5000001, 5000001);
	parent->uid = SOMEBODY;
	parent->has_uid = true;
	parent->maps_state = MAPS_KNOWN;
	thread_set_comm(thread, "server", 6);
	stage_fork(&stage, fork_ns, 5000001, 5000001, own_pid(), own_pid());
}

/* nginx, apache, sshd: forked as root, they drop their rights without an exec. */
static void test_the_user_of_a_forked_process_is_read_at_its_first_sample(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	start_forked(&config, 1);
	stage_round(&stage, 2);
	assert_int_equal(own_process()->uid, SOMEBODY);
	stage_sample(&stage, 5, own_pid(), own_pid(), 0x10);
	stage_sample(&stage, 6, own_pid(), own_pid(), 0x10);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "server", own_pid(), "[unknown]", 0x10), 2);
}

/* Seen before its fork had its turn: what the parent is known as is no answer either. */
static void test_a_sample_right_after_the_fork_belongs_to_the_user_of_now(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = (uint32_t)geteuid() };

	(void)state;
	start_forked(&config, 1);
	stage_sample(&stage, 5, own_pid(), own_pid(), 0x10);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_counted(&stage, "server", own_pid(), "[unknown]", 0x10), 1);
}

/* One that ended before /proc was read had its parent's, as far as anybody knows. */
static void test_a_forked_process_that_is_gone_keeps_its_parents_user(void **state)
{
	const struct ingest_config config = { .event_count = 1, .has_uid_filter = true,
					      .uid = SOMEBODY };
	const uint32_t pid = dead_pid();

	(void)state;
	start_forked(&config, 1);
	stage_fork(&stage, 2, 5000001, 5000001, pid, pid);
	stage_round(&stage, 3);
	stage_sample(&stage, 5, pid, pid, 0x10);
	stage_round(&stage, 9);
	stage_wait_for_answers(&stage);
	assert_int_equal(stage_samples(&stage), 1);
	assert_int_equal(stage.ingest.counters.filtered_unknown_uid, 0);
}

/* How many samples are counted after one more of this process, at @time_ns. */
static uint64_t samples_with(uint64_t time_ns)
{
	stage_sample(&stage, time_ns, own_pid(), own_pid(), 0x10);
	stage_round(&stage, time_ns + 1);
	stage_wait_for_answers(&stage);
	return stage_samples(&stage);
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
	stage_comm(&stage, time_ns + 5, own_pid(), own_pid(), "sudo", true);
	assert_int_equal(samples_with(time_ns + 7), 2);
}

/* What the processor lost before the kernel had it is in no count of the kernel's. */
static void test_samples_that_the_processor_lost_are_missing_besides(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t ring = UINT32_MAX;

	(void)state;
	stage_init(&stage, &config, NULL);
	ingest_lost_total(&stage.ingest, 0, ring, 8);
	stage_lost_samples(&stage, 1, 0, 5);
	stage_round(&stage, 1);
	assert_int_equal(stage.ingest.counters.lost_kernel, 13);
	assert_int_equal(stage.ingest.counters.lost_counted, 8);
	assert_int_equal(stage.ingest.counters.lost_recorded, 5);
	ingest_lost_total(&stage.ingest, 0, ring, 9);
	assert_int_equal(stage.ingest.counters.lost_kernel, 14);
}

/* The kernel's own count holds; LOST records tell the same sooner, and must not add to it. */
static void test_lost_samples_are_counted_once(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t ring = UINT32_MAX;	/* the one that the stage's records come from */

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_lost(&stage, 1, 0, 5);
	stage_round(&stage, 1);
	assert_int_equal(stage.ingest.counters.lost_kernel, 5);
	ingest_lost_total(&stage.ingest, 0, ring, 3);	/* read before the record was written */
	assert_int_equal(stage.ingest.counters.lost_kernel, 5);
	ingest_lost_total(&stage.ingest, 0, ring, 8);
	assert_int_equal(stage.ingest.counters.lost_kernel, 8);
	stage_lost(&stage, 2, 0, 3);
	stage_round(&stage, 2);
	assert_int_equal(stage.ingest.counters.lost_kernel, 8);
	ingest_lost_total(&stage.ingest, 0, 1, 10);	/* another CPU */
	ingest_lost_total(&stage.ingest, 0, 1, 10);
	assert_int_equal(stage.ingest.counters.lost_kernel, 18);
	assert_int_equal(stage.ingest.counters.lost_counted, 18);
	assert_int_equal(stage.ingest.counters.lost_recorded, 8);
}

static void test_marks_carry_the_figures_of_the_reading_side(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const struct queue_round_end mark = { .limit_ns = 50, .stalled_rounds = 7, .malformed = 2 };

	(void)state;
	stage_init(&stage, &config, NULL);
	ingest_round_end(&stage.ingest, &mark);
	assert_int_equal(stage.ingest.counters.stalled_rounds, 7);
	assert_int_equal(stage.ingest.counters.malformed_rings, 2);
	assert_int_equal(stage.ingest.watermark_ns, 50);
	stage_round(&stage, 40);	/* time never goes back */
	assert_int_equal(stage.ingest.watermark_ns, 50);
}

#define TEST(name) STAGE_TEST(name, NULL)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_that_was_there_before_gets_its_maps_and_name),
		TEST(test_what_was_mapped_after_the_reading_lies_over_it),
		TEST(test_a_process_that_is_gone_is_unknown),
		TEST(test_a_child_that_is_gone_has_its_parents_maps_when_its_fork_comes_late),
		TEST(test_a_child_of_a_known_parent_is_not_asked_about),
		TEST(test_with_a_child_its_parent_is_asked_about),
		TEST(test_a_sample_waits_for_its_answer_only_so_long),
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
		TEST(test_marks_carry_the_figures_of_the_reading_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
