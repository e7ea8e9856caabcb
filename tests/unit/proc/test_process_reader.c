/* /proc/PID as text by hand, and of real processes: our own, a dead one, a zombie. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "proc/process_reader.h"
#include "unit_tests.h"

static struct process_reply parse(const char *text)
{
	struct process_reply reply = { .pid = 1 };

	assert_int_equal(process_reply_parse_maps(&reply, strdup(text), strlen(text)), 0);
	return reply;
}

/* As no kernel writes them: none may be taken for a mapping, nor end the reading. */
static void test_lines_that_end_too_soon_are_left_out(void **state)
{
	struct process_reply reply = parse(
		"\n7f00\n7f00-\n-7f00 r-xp 0 0:0 0 \n7f00-7f01\n7f00-7f01 \n7f00-7f01 r-x\n"
		"7f00-7f01 r-xp\n7f00-7f01 r-xp \n7f00-7f01 r-xp 0 00:00\n7f00-7f01 r-xp 0 0 0 a\n"
		"7f00-7f01 r-xp 0 00:00 f /x\n7g00-7f01 r-xp 0 00:00 0 \n7f01-7f01 r-xp 0 0:0 0 \n"
		"7f00-7f01 r-xp 10 fe:0a 99 /a b\n7f02-7f03 r-xp 0 0:0 ");

	(void)state;
	assert_int_equal(reply.row_count, 1);
	assert_int_equal(reply.rows[0].start, 0x7f00);
	assert_int_equal(reply.rows[0].file_offset, 0x10);
	assert_int_equal(reply.rows[0].dev_minor, 10);
	assert_int_equal(reply.rows[0].inode, 99);
	assert_string_equal(reply.rows[0].path, "/a b");
	process_reply_finish(&reply);
}

static void test_only_executable_lines_become_mappings(void **state)
{
	struct process_reply reply = parse(
		"55d0a000-55d0c000 r--p 00000000 fe:01 1234                       /usr/bin/cat\n"
		"55d0c000-55d11000 r-xp 00002000 fe:01 1234                       /usr/bin/cat\n"
		"55d11000-55d13000 rw-p 00007000 fe:01 1234                       /usr/bin/cat\n"
		"7f0000000000-7f0000021000 rwxp 00000000 00:00 0 \n"
		"7ffc0000-7ffc2000 r-xp 00000000 00:00 0                          [vdso]\n");
	const struct process_mapping *row = reply.rows;

	(void)state;
	assert_int_equal(reply.row_count, 3);
	assert_int_equal(row[0].start, 0x55d0c000);
	assert_int_equal(row[0].end, 0x55d11000);
	assert_int_equal(row[0].file_offset, 0x2000);
	assert_int_equal(row[0].dev_major, 0xfe);
	assert_int_equal(row[0].dev_minor, 1);
	assert_int_equal(row[0].inode, 1234);
	assert_string_equal(row[0].path, "/usr/bin/cat");
	assert_int_equal(row[1].end, 0x7f0000021000);
	assert_string_equal(row[1].path, "");	/* anonymous */
	assert_string_equal(row[2].path, "[vdso]");
	process_reply_finish(&reply);
}

static void test_paths_stay_as_the_kernel_wrote_them(void **state)
{
	struct process_reply reply = parse(
		"1000-2000 r-xp 00000000 08:01 1        /opt/my app/run  me\n"
		"2000-3000 r-xp 00000000 08:01 2        /tmp/new\\012line\n"
		"3000-4000 r-xp 00000000 08:01 3        /tmp/gone (deleted)\n"
		"4000-5000 r-xs 00000000 00:01 4        /memfd:jit code (deleted)\n"
		"5000-6000 r-xp 00000000 08:01 18446744073709551615 /x\n"
		"6000-7000 r-xp 00000000 00:00 0\n"
		"7000-8000 --xp 00000000 00:00 0        [anon:v8]");

	(void)state;
	assert_int_equal(reply.row_count, 7);
	assert_string_equal(reply.rows[0].path, "/opt/my app/run  me");
	assert_string_equal(reply.rows[1].path, "/tmp/new\\012line");
	assert_string_equal(reply.rows[2].path, "/tmp/gone (deleted)");
	assert_string_equal(reply.rows[3].path, "/memfd:jit code (deleted)");
	assert_true(reply.rows[4].inode == UINT64_MAX);
	assert_string_equal(reply.rows[5].path, "");
	assert_string_equal(reply.rows[6].path, "[anon:v8]");	/* no newline at the end */
	process_reply_finish(&reply);
}

static void test_lines_that_make_no_sense_are_left_out(void **state)
{
	struct process_reply reply = parse("\n"
					   "no mapping at all\n"
					   "2000-1000 r-xp 00000000 08:01 1 /backwards\n"
					   "1000-1000 r-xp 00000000 08:01 1 /empty\n"
					   "1000-2000 r-\n"
					   "1000-2000 r-xp 00000000 08:01\n"
					   "1000-2000 r-xp 00000000 08:01 7 /good\n");
	struct process_reply nothing = parse("");

	(void)state;
	assert_int_equal(reply.row_count, 1);
	assert_string_equal(reply.rows[0].path, "/good");
	assert_int_equal(nothing.row_count, 0);
	process_reply_finish(&reply);
	process_reply_finish(&nothing);
}

static struct process_reader *create(void)
{
	struct process_reader *reader;
	struct diag why;

	assert_int_equal(process_reader_create(&reader, &why), 0);
	return reader;
}

static struct process_reply wait_for_reply(struct process_reader *reader)
{
	struct pollfd fd = { .fd = process_reader_fd(reader), .events = POLLIN };
	struct process_reply reply;

	while (!process_reader_reply(reader, &reply))
		assert_int_equal(poll(&fd, 1, -1), 1);
	return reply;
}

static struct process_reply ask(struct process_reader *reader, pid_t pid, pid_t parent_pid)
{
	const struct process_request request = {
		.pid = (uint32_t)pid, .tid = (uint32_t)pid, .parent_pid = (uint32_t)parent_pid,
		.wants_maps = true,
	};

	assert_true(process_reader_request(reader, &request));
	return wait_for_reply(reader);
}

static bool has_address(const struct process_reply *reply, uintptr_t address)
{
	for (uint32_t i = 0; i < reply->row_count; i++)
		if (reply->rows[i].start <= address && address < reply->rows[i].end)
			return true;
	return false;
}

/* The reader's own, for one. */
static uint32_t another_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	uint32_t tid = 0;

	assert_non_null(tasks);
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != getpid())
			tid = (uint32_t)atoi(entry->d_name);
	closedir(tasks);
	assert_true(tid);
	return tid;
}

/* Whoever sleeps for ever in its first thread is never sampled there. */
static void test_the_maps_of_a_thread_come_with_its_process_name(void **state)
{
	struct process_reader *reader = create();
	struct process_request request = { .pid = (uint32_t)getpid(), .tid = another_thread(),
					   .wants_maps = true };
	struct process_reply reply;

	(void)state;
	prctl(PR_SET_NAME, "the first");
	assert_true(process_reader_request(reader, &request));
	reply = wait_for_reply(reader);
	assert_string_equal(reply.process_comm, "the first");
	assert_string_not_equal(reply.comm, "the first");
	process_reply_finish(&reply);
	request.tid = request.pid;
	assert_true(process_reader_request(reader, &request));
	reply = wait_for_reply(reader);
	assert_string_equal(reply.comm, "the first");
	assert_string_equal(reply.process_comm, "");
	process_reply_finish(&reply);
	process_reader_destroy(reader);
}

static void test_our_own_process_has_our_code_name_and_user(void **state)
{
	struct process_reader *reader = create();
	const uint64_t before_ns = clock_now_ns();
	struct process_reply reply;

	(void)state;
	prctl(PR_SET_NAME, "a b\nc");
	reply = ask(reader, getpid(), 0);
	assert_int_equal(reply.pid, getpid());
	assert_true(reply.has_maps && reply.has_comm && reply.has_uid);
	assert_int_equal(reply.found_parent, getppid());
	assert_true(before_ns <= reply.time_ns && reply.time_ns <= clock_now_ns());
	assert_string_equal(reply.comm, "a b\nc");
	assert_int_equal(reply.uid, geteuid());
	assert_true(has_address(&reply, (uintptr_t)has_address));
	assert_true(has_address(&reply, (uintptr_t)getpid));
	assert_false(has_address(&reply, (uintptr_t)&reply));	/* the stack */
	process_reply_finish(&reply);
	process_reader_destroy(reader);
}

/* A pid that was ours and is free again: nobody else can have it so soon. */
static pid_t start_and_end(bool is_reaped)
{
	siginfo_t ended;
	const pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	waitid(P_PID, (id_t)pid, &ended, WEXITED | (is_reaped ? 0 : WNOWAIT));
	return pid;
}

static void test_of_a_dead_process_the_parents_maps_serve(void **state)
{
	struct process_reader *reader = create();
	const pid_t pid = start_and_end(true);
	struct process_reply orphan = ask(reader, pid, 0);
	struct process_reply child = ask(reader, pid, getpid());

	(void)state;
	assert_false(orphan.has_maps || orphan.has_comm || orphan.has_uid);
	assert_int_equal(child.pid, pid);
	assert_true(child.has_maps);
	assert_false(child.has_comm || child.has_uid);
	assert_true(has_address(&child, (uintptr_t)getpid));
	process_reply_finish(&orphan);
	process_reply_finish(&child);
	process_reader_destroy(reader);
}

/* Its maps file is there, and empty. */
static void test_of_a_zombie_the_parents_maps_serve(void **state)
{
	struct process_reader *reader = create();
	const pid_t pid = start_and_end(false);
	struct process_reply child = ask(reader, pid, getpid());

	(void)state;
	assert_true(child.has_maps && child.has_comm && child.has_uid);
	assert_true(has_address(&child, (uintptr_t)getpid));
	process_reply_finish(&child);
	waitpid(pid, NULL, 0);
	process_reader_destroy(reader);
}

static struct process_reply ask_cgroup(struct process_reader *reader, pid_t pid, pid_t parent_pid)
{
	const struct process_request request = {
		.pid = (uint32_t)pid, .tid = (uint32_t)pid, .parent_pid = (uint32_t)parent_pid,
		.wants_cgroup = true, .has_names = true,
	};

	assert_true(process_reader_request(reader, &request));
	return wait_for_reply(reader);
}

/* Some line of the file has it, with one of them all lines of a machine with one version. */
static bool is_own_cgroup(const char *path)
{
	bool is_there = false;
	char line[4096];
	FILE *file = fopen("/proc/self/cgroup", "re");

	while (!is_there && fgets(line, sizeof(line), file)) {
		char *at = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		at = at ? strchr(at + 1, ':') : NULL;
		is_there = at && !strcmp(at + 1, path);
	}
	fclose(file);
	return is_there;
}

static void test_the_cgroup_is_the_processes_or_when_it_is_gone_the_parents(void **state)
{
	struct process_reader *reader = create();
	const pid_t dead = start_and_end(true);
	struct process_reply own = ask_cgroup(reader, getpid(), 1);
	struct process_reply orphan = ask_cgroup(reader, dead, 0);
	struct process_reply child = ask_cgroup(reader, dead, getpid());

	(void)state;
	assert_true(own.wants_cgroup && own.has_names && !own.has_comm && !own.has_uid);
	assert_non_null(own.cgroup);
	assert_true(is_own_cgroup(own.cgroup));
	assert_false(own.is_parents_cgroup);
	assert_null(orphan.cgroup);
	assert_non_null(child.cgroup);
	assert_string_equal(child.cgroup, own.cgroup);
	assert_true(child.is_parents_cgroup);
	process_reply_finish(&own);
	process_reply_finish(&orphan);
	process_reply_finish(&child);
	process_reader_destroy(reader);
}

/* The parent is read once for those that were asked about before: another cgroup that it is moved
 * to in between can't be theirs alone. */
static void test_the_cgroups_of_dead_children_are_answered_together(void **state)
{
	const struct process_request request = {
		.pid = (uint32_t)start_and_end(true), .parent_pid = (uint32_t)getpid(),
		.wants_cgroup = true, .has_names = true,
	};
	struct process_reader *reader = create();

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(process_reader_request(reader, &request));
	for (int i = 0; i < 3; i++) {
		struct process_reply reply = wait_for_reply(reader);

		assert_non_null(reply.cgroup);
		assert_true(is_own_cgroup(reply.cgroup));
		assert_true(reply.is_parents_cgroup);
		process_reply_finish(&reply);
	}
	process_reader_destroy(reader);
}

static void test_maps_are_read_only_when_wanted(void **state)
{
	const struct process_request request = { .pid = (uint32_t)getpid(),
						 .tid = (uint32_t)getpid() };
	struct process_reader *reader = create();
	struct process_reply reply;

	(void)state;
	assert_true(process_reader_request(reader, &request));
	reply = wait_for_reply(reader);
	assert_true(reply.has_comm && reply.has_uid);
	assert_false(reply.has_maps);
	assert_null(reply.cgroup);
	process_reader_destroy(reader);
}

/* A reply without a time would be taken for one from before another target was chosen. */
static void test_a_reply_without_maps_has_its_time_too(void **state)
{
	const struct process_request request = { .pid = (uint32_t)getpid(),
						 .tid = (uint32_t)getpid() };
	struct process_reader *reader = create();
	const uint64_t before_ns = clock_now_ns();
	struct process_reply reply;

	(void)state;
	assert_true(process_reader_request(reader, &request));
	reply = wait_for_reply(reader);
	assert_false(reply.has_maps);
	assert_true(before_ns <= reply.time_ns && reply.time_ns <= clock_now_ns());
	process_reply_finish(&reply);
	process_reader_destroy(reader);
}

static struct process_stat_reply wait_for_stat(struct process_reader *reader)
{
	struct process_stat_reply reply;

	while (!process_reader_stat_reply(reader, &reply))
		usleep(1000);	/* nobody is woken for it */
	return reply;
}

/* All replies lie there before the first is taken: none may be thrown away for want of room.
 * Statistics come after them. */
static void wait_for_replies(struct process_reader *reader)
{
	const struct process_stat_request last = { .pid = (uint32_t)getpid() };
	struct process_stat_reply reply;

	assert_true(process_reader_request_stat(reader, &last));
	reply = wait_for_stat(reader);
	free(reply.command_line);
}

static void test_every_request_that_was_taken_is_answered(void **state)
{
	struct process_request request = { .pid = (uint32_t)getpid() };
	struct process_reader *reader = create();
	uint32_t taken = 0;

	(void)state;
	while (taken < 100000) {
		request.tid = taken;
		if (!process_reader_request(reader, &request))
			break;
		taken++;
	}
	assert_in_range(taken, 1000, 99999);
	wait_for_replies(reader);
	for (uint32_t i = 0; i < taken; i++) {
		struct process_reply reply = wait_for_reply(reader);

		assert_int_equal(reply.tid, i);
		process_reply_finish(&reply);
	}
	assert_true(process_reader_request(reader, &request));
	process_reader_destroy(reader);	/* with a reply that nobody took */
	process_reader_destroy(NULL);
}

static void test_statistics_are_of_the_process_or_the_thread(void **state)
{
	const pid_t dead = start_and_end(true), zombie = start_and_end(false);
	struct process_stat_request request = { .pid = (uint32_t)getpid(),
						.wants_command_line = true };
	struct process_reader *reader = create();
	struct process_stat_reply reply;

	(void)state;
	assert_true(process_reader_request_stat(reader, &request));
	reply = wait_for_stat(reader);
	assert_int_equal(reply.err, 0);
	assert_int_equal(reply.pid, getpid());
	assert_true(reply.stat.threads >= 2 && reply.stat.start_ticks > 0);
	assert_non_null(strstr(reply.command_line, "test_process_reader"));
	free(reply.command_line);
	request = (struct process_stat_request){ .pid = (uint32_t)getpid(),
						 .tid = (uint32_t)getpid() };
	assert_true(process_reader_request_stat(reader, &request));
	reply = wait_for_stat(reader);
	assert_int_equal(reply.err, 0);
	assert_int_equal(reply.tid, getpid());
	assert_null(reply.command_line);	/* not wanted */
	request = (struct process_stat_request){ .pid = (uint32_t)dead,
						 .wants_command_line = true };
	assert_true(process_reader_request_stat(reader, &request));
	assert_int_equal(wait_for_stat(reader).err, -ESRCH);
	request.pid = (uint32_t)zombie;
	assert_true(process_reader_request_stat(reader, &request));
	reply = wait_for_stat(reader);
	assert_int_equal(reply.stat.state, 'Z');
	assert_null(reply.command_line);	/* an empty one would not be what it was called */
	waitpid(zombie, NULL, 0);
	process_reader_destroy(reader);
}

/* Asks for statistics before the last of many maps. True: all maps were read before them. Not so
 * only when the reader was faster than we ask. */
static bool is_read_after_maps(struct process_reader *reader)
{
	const struct process_stat_request stat = { .pid = (uint32_t)getpid() };
	const struct process_request maps = { .pid = (uint32_t)getpid(), .wants_maps = true };
	uint64_t newest_ns = 0;
	uint32_t asked = 0;

	for (; asked < 400; asked++) {
		assert_true(process_reader_request(reader, &maps));
		if (asked == 100)
			assert_true(process_reader_request_stat(reader, &stat));
	}
	for (; asked; asked--) {
		struct process_reply reply = wait_for_reply(reader);

		newest_ns = reply.time_ns;
		process_reply_finish(&reply);
	}
	return wait_for_stat(reader).time_ns > newest_ns;
}

static void test_maps_come_before_statistics(void **state)
{
	struct process_reader *reader = create();
	int tries = 0;

	(void)state;
	while (!is_read_after_maps(reader))
		assert_true(++tries < 100);
	process_reader_destroy(reader);
}

/* Of two requests that wait when the reader comes round. */
static bool is_read_before_ours(struct process_reader *reader)
{
	const struct process_request ours = { .pid = (uint32_t)getpid(), .wants_maps = true };
	const struct process_request other = { .pid = 1, .wants_maps = true };
	struct process_reply first, second;

	assert_true(process_reader_request(reader, &other));	/* while it is at this one */
	assert_true(process_reader_request(reader, &ours));
	assert_true(process_reader_request(reader, &other));
	first = wait_for_reply(reader);
	process_reply_finish(&first);
	first = wait_for_reply(reader);
	second = wait_for_reply(reader);
	process_reply_finish(&first);
	process_reply_finish(&second);
	assert_int_not_equal(first.pid, second.pid);
	return first.pid == other.pid;
}

static void test_our_own_maps_come_after_those_of_others(void **state)
{
	struct process_reader *reader = create();
	int tries = 0;

	(void)state;
	while (!is_read_before_ours(reader))
		assert_true(++tries < 100);
	process_reader_destroy(reader);
}

static void test_statistics_have_a_limit_of_their_own(void **state)
{
	const struct process_stat_request request = { .pid = (uint32_t)getpid(),
						      .wants_command_line = true };
	struct process_reader *reader = create();
	struct process_reply maps;
	uint32_t taken = 0;

	(void)state;
	while (taken < 100000 && process_reader_request_stat(reader, &request))
		taken++;
	assert_int_equal(taken, 512);
	maps = ask(reader, getpid(), 0);	/* which they do not hold up */
	assert_true(maps.has_maps);
	process_reply_finish(&maps);
	free(wait_for_stat(reader).command_line);
	assert_true(process_reader_request_stat(reader, &request));
	process_reader_destroy(reader);	/* with replies that nobody took */
}

UNIT_TESTS(test_process_reader)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_executable_lines_become_mappings),
		cmocka_unit_test(test_lines_that_end_too_soon_are_left_out),
		cmocka_unit_test(test_paths_stay_as_the_kernel_wrote_them),
		cmocka_unit_test(test_lines_that_make_no_sense_are_left_out),
		cmocka_unit_test(test_the_maps_of_a_thread_come_with_its_process_name),
		cmocka_unit_test(test_our_own_process_has_our_code_name_and_user),
		cmocka_unit_test(test_of_a_dead_process_the_parents_maps_serve),
		cmocka_unit_test(test_of_a_zombie_the_parents_maps_serve),
		cmocka_unit_test(test_the_cgroup_is_the_processes_or_when_it_is_gone_the_parents),
		cmocka_unit_test(test_the_cgroups_of_dead_children_are_answered_together),
		cmocka_unit_test(test_maps_are_read_only_when_wanted),
		cmocka_unit_test(test_a_reply_without_maps_has_its_time_too),
		cmocka_unit_test(test_every_request_that_was_taken_is_answered),
		cmocka_unit_test(test_statistics_are_of_the_process_or_the_thread),
		cmocka_unit_test(test_maps_come_before_statistics),
		cmocka_unit_test(test_our_own_maps_come_after_those_of_others),
		cmocka_unit_test(test_statistics_have_a_limit_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
