/* Who runs, after forks, execs, exits and renames, as the kernel defines them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "task_fixture.h"
#include "unit_tests.h"

static void set_comm(uint32_t pid, uint32_t tid, const char *comm, bool is_exec)
{
	task_table_set_comm(&table, pid, tid, comm, strlen(comm), is_exec);
}

static void test_a_forked_process_has_its_parents_name_maps_and_user(void **state)
{
	struct process *parent;

	(void)state;
	set_comm(100, 101, "worker", false);
	map(100, 0x5000, 7);
	parent = task_table_process(&table, 100);
	parent->uid = 1000;
	parent->has_uid = parent->is_target = true;
	fork_from(100, 101, 200, 200);

	assert_string_equal(comm_of(200, 200), "worker");
	assert_int_equal(mapping_at(200, 0x5000)->dso, 7);
	assert_int_equal(task_table_find_process(&table, 200)->maps_state, MAPS_KNOWN);
	assert_int_equal(task_table_find_process(&table, 200)->parent_pid, 100);
	assert_int_equal(task_table_find_process(&table, 200)->uid, 1000);
	assert_true(task_table_find_process(&table, 200)->has_uid);
	assert_true(task_table_find_process(&table, 200)->is_target);
}

static void test_after_fork_the_maps_of_parent_and_child_part(void **state)
{
	(void)state;
	map(100, 0x5000, 7);
	fork_from(100, 100, 200, 200);
	map(200, 0x8000, 8);
	map(100, 0x9000, 9);
	assert_null(mapping_at(100, 0x8000));
	assert_null(mapping_at(200, 0x9000));
	assert_int_equal(mapping_at(200, 0x5000)->dso, 7);
}

static void test_a_child_of_an_unread_process_is_unread(void **state)
{
	(void)state;
	task_table_process(&table, 100)->maps_state = MAPS_ASKED;
	fork_from(100, 100, 200, 200);
	fork_from(999, 999, 300, 300);	/* a parent that was never seen */
	assert_int_equal(task_table_find_process(&table, 200)->maps_state, MAPS_UNREAD);
	assert_int_equal(task_table_find_process(&table, 300)->maps_state, MAPS_UNREAD);
	assert_int_equal(task_table_find_process(&table, 300)->parent_pid, 999);
	assert_string_equal(comm_of(300, 300), ":300");
}

static void test_a_new_thread_runs_in_the_maps_that_are_there(void **state)
{
	const struct process_maps *maps;

	(void)state;
	set_comm(100, 100, "server", false);
	map(100, 0x5000, 7);
	maps = task_table_find_process(&table, 100)->maps;
	fork_from(100, 100, 100, 105);
	assert_string_equal(comm_of(100, 105), "server");
	assert_ptr_equal(task_table_find_process(&table, 100)->maps, maps);
	assert_int_equal(maps->refs, 1);
	assert_null(task_table_find_process(&table, 105));
}

/* perf record's own words about what ran already: the mappings follow one by one. */
static void test_a_synthesized_fork_copies_no_maps(void **state)
{
	(void)state;
	set_comm(100, 100, "init", false);
	map(100, 0x5000, 7);
	task_table_fork(&table, 100, 100, 200, 200, true);
	assert_null(mapping_at(200, 0x5000));
	assert_string_equal(comm_of(200, 200), "init");
}

static void test_exec_drops_the_maps_and_leaves_the_parents_alone(void **state)
{
	(void)state;
	set_comm(100, 100, "sh", false);
	map(100, 0x5000, 7);
	fork_from(100, 100, 200, 200);
	set_comm(200, 200, "ls", true);
	assert_null(mapping_at(200, 0x5000));
	assert_int_equal(task_table_find_process(&table, 200)->maps_state, MAPS_KNOWN);
	assert_int_equal(mapping_at(100, 0x5000)->dso, 7);
	assert_string_equal(comm_of(200, 200), "ls");
	assert_string_equal(comm_of(100, 100), "sh");
	set_comm(300, 300, "seen first now", true);	/* all that follows is reported */
	assert_int_equal(task_table_find_process(&table, 300)->maps_state, MAPS_KNOWN);
}

static void test_a_rename_makes_another_task_and_keeps_the_maps(void **state)
{
	uint32_t before, after;

	(void)state;
	set_comm(100, 100, "loader", false);
	map(100, 0x5000, 7);
	before = task_of(100, 100);
	set_comm(100, 100, "running", false);
	after = task_of(100, 100);
	assert_int_not_equal(before, after);
	assert_string_equal(strpool_get(strings, table.tasks[before].comm), "loader");
	assert_string_equal(strpool_get(strings, table.tasks[after].comm), "running");
	assert_int_equal(mapping_at(100, 0x5000)->dso, 7);
	set_comm(100, 100, "loader", false);
	assert_int_equal(task_of(100, 100), before);	/* the old name: the old task */
}

static void test_a_thread_without_a_name_is_called_by_its_number(void **state)
{
	uint32_t nameless;

	(void)state;
	nameless = task_of(4294967294u, 4294967295u);
	assert_string_equal(strpool_get(strings, table.tasks[nameless].comm), ":-1");
	assert_string_equal(comm_of(300, 301), ":301");
	set_comm(300, 301, "named", false);
	assert_string_equal(comm_of(300, 301), "named");
}

static void test_the_idle_task_is_swapper_and_needs_nothing(void **state)
{
	(void)state;
	assert_string_equal(comm_of(0, 0), "swapper");
	assert_int_equal(task_table_process(&table, 0)->maps_state, MAPS_KNOWN);
	assert_true(task_table_process(&table, 0)->has_uid);
}

static void test_names_are_sanitized(void **state)
{
	(void)state;
	set_comm(100, 100, "a\033[2J", false);
	assert_string_equal(comm_of(100, 100), "a\\x1b[2J");
}

static void test_a_pid_that_is_used_again_starts_anew(void **state)
{
	uint32_t before;

	(void)state;
	set_comm(1, 1, "init", false);
	set_comm(200, 200, "old", true);
	map(200, 0x5000, 7);
	task_table_process(&table, 200)->is_target = true;
	before = task_of(200, 200);
	task_table_exit(&table, 200, 200, 10);
	fork_from(1, 1, 200, 200);
	assert_null(mapping_at(200, 0x5000));
	assert_false(task_table_find_process(&table, 200)->is_target);
	assert_true(task_table_find_process(&table, 200)->is_alive);
	assert_string_equal(comm_of(200, 200), "init");
	assert_int_not_equal(task_of(200, 200), before);
}

/* Its EXIT and FORK were lost: the record's own pid is newer than what we know. */
static void test_a_tid_seen_in_another_process_is_another_thread(void **state)
{
	(void)state;
	set_comm(100, 150, "old", false);
	assert_string_equal(comm_of(100, 150), "old");
	assert_string_equal(comm_of(150, 150), ":150");
}

static void test_a_thread_made_before_its_process_was_known_keeps_its_mark(void **state)
{
	(void)state;
	task_table_thread(&table, TASK_PID_UNKNOWN, 105)->is_target = true;
	assert_true(task_table_thread(&table, 100, 105)->is_target);
	assert_int_equal(task_table_thread(&table, 100, 105)->pid, 100);
	assert_false(task_table_thread(&table, 200, 105)->is_target);	/* another one by now */
}

/* Of one that is going the kernel says -1: of both, or of the thread alone. */
static void test_a_thread_that_is_gone_counts_for_the_process_that_is_known(void **state)
{
	uint32_t nobody, of_process;

	(void)state;
	nobody = task_table_task(&table, task_table_thread(&table, UINT32_MAX, UINT32_MAX));
	of_process = task_table_task(&table, task_table_thread(&table, 100, UINT32_MAX));
	assert_int_equal(table.tasks[nobody].pid, UINT32_MAX);
	assert_int_equal(table.tasks[of_process].pid, 100);
	assert_int_equal(task_table_task(&table, task_table_thread(&table, UINT32_MAX, UINT32_MAX)),
			 nobody);
}

static uint32_t renumbered[64];

static void compact(const unsigned char *used)
{
	assert_int_equal(task_table_compact(&table, used, renumbered), 0);
}

static void test_compaction_keeps_used_tasks_and_renumbers_them(void **state)
{
	static const unsigned char used[] = { 0, 1, 0, 1 };

	(void)state;
	set_comm(100, 100, "a", false);
	assert_int_equal(task_of(100, 100), 0);
	set_comm(100, 100, "b", false);
	assert_int_equal(task_of(100, 100), 1);
	set_comm(200, 200, "c", false);
	assert_int_equal(task_of(200, 200), 2);
	set_comm(300, 300, "d", false);
	assert_int_equal(task_of(300, 300), 3);
	compact(used);
	assert_int_equal(table.task_count, 2);
	assert_int_equal(renumbered[0], ID_SET_NONE);
	assert_int_equal(renumbered[1], 0);
	assert_int_equal(renumbered[2], ID_SET_NONE);
	assert_int_equal(renumbered[3], 1);
	assert_int_equal(task_of(100, 100), 0);	/* found again by what it is */
	assert_int_equal(task_of(300, 300), 1);
	assert_int_equal(task_of(200, 200), 2);	/* runs on, made anew */
	assert_string_equal(comm_of(200, 200), "c");
}

static void test_the_dead_alone_are_forgotten(void **state)
{
	(void)state;
	set_comm(100, 100, "lives", false);
	fork_from(100, 100, 100, 101);
	fork_from(100, 100, 100, 102);
	set_comm(200, 200, "dies", true);
	map(200, 0x5000, 7);
	fork_from(200, 200, 200, 201);
	task_table_process(&table, 100);
	task_table_exit(&table, 100, 102, 10);
	task_table_exit(&table, 200, 201, 10);
	task_table_exit(&table, 200, 200, 10);
	task_table_drop_dead(&table, 11);
	assert_null(task_table_find_process(&table, 200));
	assert_non_null(task_table_find_process(&table, 100));
	assert_int_equal(table.thread_count, 2);	/* 100 and 101 */
	assert_string_equal(comm_of(100, 101), "lives");
	assert_string_equal(comm_of(200, 201), ":201");
}

/* Rows that were asked for last move when others go; these have one place among them. */
static void test_who_was_asked_for_last_is_found_where_he_is(void **state)
{
	(void)state;
	for (uint32_t pid = 36; pid < 300; pid += 64) {
		set_comm(pid, pid, "same", true);
		assert_int_equal(task_table_thread(&table, pid, pid)->tid, pid);
		assert_int_equal(task_table_process(&table, pid)->pid, pid);
	}
	task_table_exit(&table, 36, 36, 10);
	task_table_drop_dead(&table, 11);
	assert_int_equal(task_table_find_thread(&table, 292)->tid, 292);
	assert_int_equal(task_table_find_process(&table, 292)->pid, 292);
	task_table_forget(&table);
	assert_null(task_table_find_thread(&table, 292));
}

/* main() may end by pthread_exit(): the others go on in the same memory. */
static void test_a_process_lives_as_long_as_one_of_its_threads(void **state)
{
	(void)state;
	set_comm(100, 100, "server", true);
	map(100, 0x5000, 7);
	fork_from(100, 100, 100, 101);
	task_table_exit(&table, 100, 100, 10);
	task_table_drop_dead(&table, 11);
	assert_int_equal(mapping_at(100, 0x5000)->dso, 7);
	task_table_exit(&table, 100, 101, 10);
	task_table_drop_dead(&table, 11);
	assert_null(task_table_find_process(&table, 100));
	assert_int_equal(table.thread_count, 0);
}

/* Samples of the way out come after the EXIT; they need names and maps. */
static void test_who_ended_just_now_stays_with_all_its_process_has(void **state)
{
	(void)state;
	set_comm(100, 100, "dies", true);
	map(100, 0x5000, 7);
	fork_from(100, 100, 100, 101);
	task_table_exit(&table, 100, 100, 5);
	task_table_exit(&table, 100, 101, 10);
	task_table_drop_dead(&table, 10);
	assert_string_equal(comm_of(100, 101), "dies");
	assert_int_equal(mapping_at(100, 0x5000)->dso, 7);
	task_table_drop_dead(&table, 11);
	assert_int_equal(table.process_count, 0);
	assert_int_equal(table.thread_count, 0);
}

static void test_who_has_the_number_of_a_dead_one_is_not_dropped_for_it(void **state)
{
	(void)state;
	set_comm(1, 1, "init", false);
	fork_from(1, 1, 200, 200);
	task_table_exit(&table, 200, 200, 10);
	fork_from(1, 1, 200, 200);
	map(200, 0x5000, 7);
	task_table_drop_dead(&table, 1000);
	assert_string_equal(comm_of(200, 200), "init");
	assert_int_equal(mapping_at(200, 0x5000)->dso, 7);
}

/* The kernel ends the first thread, then gives its number to the one that called exec. */
static void test_exec_by_another_thread_brings_the_first_one_back(void **state)
{
	(void)state;
	set_comm(100, 100, "server", true);
	fork_from(100, 100, 100, 101);
	task_table_exit(&table, 100, 100, 10);
	set_comm(100, 100, "updated", true);
	map(100, 0x5000, 7);
	task_table_drop_dead(&table, 1000);
	assert_int_equal(mapping_at(100, 0x5000)->dso, 7);
	assert_string_equal(comm_of(100, 100), "updated");
	assert_true(task_table_find_process(&table, 100)->is_alive);
}

static void test_a_drop_keeps_the_tasks_and_their_numbers(void **state)
{
	uint32_t lives;

	(void)state;
	set_comm(100, 100, "dies", false);
	assert_int_equal(task_of(100, 100), 0);
	set_comm(200, 200, "lives", false);
	lives = task_of(200, 200);
	task_table_exit(&table, 100, 100, 10);
	task_table_drop_dead(&table, 11);
	assert_int_equal(table.task_count, 2);
	assert_int_equal(task_of(200, 200), lives);
	assert_string_equal(strpool_get(strings, table.tasks[0].comm), "dies");
}

static void test_a_storm_of_forks_leaves_nothing_behind(void **state)
{
	(void)state;
	set_comm(1, 1, "init", true);
	map(1, 0x5000, 7);
	for (uint32_t pid = 2; pid < 50000; pid++) {
		fork_from(1, 1, pid, pid);
		map(pid, 0x9000, 8);
		task_table_exit(&table, pid, pid, pid);
		if (pid % 10000 == 0)
			task_table_drop_dead(&table, pid);
	}
	task_table_drop_dead(&table, 50000);
	assert_int_equal(table.process_count, 1);
	assert_int_equal(table.thread_count, 1);
	assert_true(table.process_capacity <= 64);
	assert_true(table.thread_capacity <= 64);
	assert_true(id_map_bytes(&table.process_by_pid) <= 64 * sizeof(struct id_map_slot));
	assert_true(id_map_bytes(&table.thread_by_tid) <= 64 * sizeof(struct id_map_slot));
	assert_int_equal(mapping_at(1, 0x5000)->dso, 7);
	assert_int_equal(task_table_find_process(&table, 1)->maps->refs, 1);
}

/* Nobody counted a sample under these names: they cost nothing. */
static void test_names_that_no_sample_saw_are_not_kept(void **state)
{
	const size_t before = strpool_bytes(strings);
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		set_comm(100, 100, name, false);
	}
	assert_int_equal(strpool_bytes(strings), before);
	assert_string_equal(comm_of(100, 100), "name99999");
	set_comm(100, 100, "0123456789abcdefgh", false);	/* the kernel has 15 of it */
	assert_string_equal(comm_of(100, 100), "0123456789abcdef");
}

static void test_what_a_compaction_frees_does_not_count_any_more(void **state)
{
	unsigned char used[2000] = { [1999] = 1 }, texts[4096] = { 0 };
	uint32_t numbers[2000];
	size_t before;

	(void)state;
	assert_int_equal(task_of(100, 0), 0);
	before = task_table_bytes(&table);
	for (uint32_t tid = 1; tid < 2000; tid++)
		assert_int_equal(task_of(100, tid), tid);
	assert_true(task_table_bytes(&table) > before);
	assert_int_equal(task_table_compact(&table, used, numbers), 0);
	assert_int_equal(numbers[1999], 0);
	task_table_mark_text(&table, texts);
	assert_int_equal(task_table_bytes(&table), before);
	assert_true(table.task_capacity <= 64);
}

static uint32_t cgroup(const char *path)
{
	return cgroup_table_intern(&table.cgroups, path, strlen(path));
}

static void put_cgroup(uint32_t pid, const char *path)
{
	task_table_settle(&table, task_table_process(&table, pid), cgroup(path));
}

static uint32_t cgroup_of(uint32_t pid)
{
	return task_table_process(&table, pid)->cgroup;
}

static bool is_read(uint32_t pid)
{
	return task_table_process(&table, pid)->is_cgroup_read;
}

/* What ingest does when a sample's turn has come. */
static uint32_t sampled_task(uint32_t pid)
{
	struct thread *thread = task_table_thread(&table, pid, pid);

	thread_set_cgroup(thread, cgroup_of(pid), !is_read(pid));
	return task_table_task(&table, thread);
}

static const char *text(struct str_id id)
{
	return strpool_get(strings, id);
}

static void test_a_task_is_of_a_cgroup(void **state)
{
	uint32_t before, after;

	(void)state;
	set_comm(100, 100, "nginx", true);
	put_cgroup(100, "/lxc/web/nginx.service");
	before = sampled_task(100);
	assert_string_equal(text(task_table_cgroup(&table, before)->path),
			    "/lxc/web/nginx.service");
	assert_string_equal(text(task_table_cgroup(&table, before)->unit), "nginx.service");
	assert_string_equal(text(task_table_cgroup(&table, before)->container), "web");
	put_cgroup(100, "/");	/* moved */
	after = sampled_task(100);
	assert_int_not_equal(before, after);
	assert_string_equal(text(task_table_cgroup(&table, before)->path),
			    "/lxc/web/nginx.service");
	assert_string_equal(text(task_table_cgroup(&table, after)->path), "/");
	assert_string_equal(text(table.tasks[after].comm), "nginx");
	put_cgroup(100, "/lxc/web/nginx.service");
	assert_int_equal(sampled_task(100), before);
	assert_int_equal(table.task_count, 2);
}

/* Names come after counting. */
static void test_what_was_counted_before_the_cgroup_was_read_counts_for_it(void **state)
{
	uint32_t unknown, other, fork;

	(void)state;
	set_comm(100, 100, "nginx", true);
	set_comm(300, 300, "other", true);
	unknown = sampled_task(100);
	other = sampled_task(300);
	assert_string_equal(text(task_table_cgroup(&table, unknown)->path), "");
	put_cgroup(100, "/a");
	assert_int_equal(sampled_task(100), unknown);
	assert_string_equal(text(task_table_cgroup(&table, unknown)->path), "/a");
	assert_string_equal(text(task_table_cgroup(&table, other)->path), "");
	fork_from(100, 100, 200, 200);
	fork = sampled_task(200);
	assert_string_equal(text(task_table_cgroup(&table, fork)->path), "/a");
	put_cgroup(200, "/b");
	assert_int_equal(sampled_task(200), fork);
	assert_string_equal(text(task_table_cgroup(&table, fork)->path), "/b");
	assert_string_equal(text(task_table_cgroup(&table, unknown)->path), "/a");
	assert_int_equal(table.task_count, 3);
	assert_int_equal(table.open_count, 1);	/* 300's */
}

static void test_a_forked_process_has_its_parents_cgroup_until_its_own_is_read(void **state)
{
	(void)state;
	put_cgroup(100, "/a");
	fork_from(100, 100, 200, 200);
	assert_int_equal(cgroup_of(200), cgroup("/a"));
	assert_false(is_read(200));
	put_cgroup(200, "/b");
	assert_int_equal(cgroup_of(100), cgroup("/a"));
	fork_from(200, 200, 200, 201);	/* a thread changes nothing */
	assert_int_equal(cgroup_of(200), cgroup("/b"));
	assert_true(is_read(200));
	fork_from(900, 900, 200, 200);	/* the pid is used again, by a child of nobody known */
	assert_int_equal(cgroup_of(200), CGROUP_UNKNOWN);
	assert_false(is_read(200));
}

/* The record waits for its turn, the reader is asked for it before that. */
static void test_a_cgroup_read_between_sight_and_turn_of_the_fork_stays(void **state)
{
	(void)state;
	put_cgroup(100, "/a");
	put_cgroup(200, "/of/a/dead/one");
	task_table_see_fork(&table, 100, 200);
	assert_false(is_read(200));
	assert_int_equal(cgroup_of(200), CGROUP_UNKNOWN);
	assert_int_equal(task_table_process(&table, 200)->parent_pid, 100);
	put_cgroup(200, "/b");
	fork_from(100, 100, 200, 200);
	assert_int_equal(cgroup_of(200), cgroup("/b"));
	assert_true(is_read(200));
	task_table_see_fork(&table, 100, 300);
	task_table_process(&table, 300)->is_cgroup_asked = true;
	fork_from(100, 100, 300, 300);
	assert_int_equal(cgroup_of(300), cgroup("/a"));
	assert_true(task_table_process(&table, 300)->is_cgroup_asked && !is_read(300));
}

/* Whether the parent's was read, or is itself nothing but handed down by somebody who was moved. */
static void test_a_child_knows_how_well_its_parents_cgroup_is_known(void **state)
{
	(void)state;
	put_cgroup(100, "/a");
	fork_from(100, 100, 200, 200);
	fork_from(200, 200, 300, 300);
	assert_true(task_table_process(&table, 300)->is_cgroup_inherited);
	task_table_see_exec(&table, 200);	/* it may have been moved for this program */
	assert_int_equal(cgroup_of(200), cgroup("/a"));
	fork_from(200, 200, 301, 301);
	assert_int_equal(cgroup_of(301), cgroup("/a"));
	assert_false(task_table_process(&table, 301)->is_cgroup_inherited);
}

/* Both are seen before the first has its turn. */
static void test_what_a_fork_tells_does_not_outlive_the_exec_after_it(void **state)
{
	(void)state;
	put_cgroup(100, "/a");
	task_table_see_fork(&table, 100, 200);
	task_table_see_exec(&table, 200);
	fork_from(100, 100, 200, 200);
	assert_true(task_table_process(&table, 200)->is_cgroup_inherited);
	set_comm(200, 200, "unshare", true);
	fork_from(200, 200, 300, 300);
	assert_false(task_table_process(&table, 300)->is_cgroup_inherited);
}

static void test_after_exec_the_cgroup_is_to_be_read_again(void **state)
{
	struct process *process;

	(void)state;
	put_cgroup(100, "/a");
	process = task_table_process(&table, 100);
	task_table_see_exec(&table, 100);
	assert_false(process->is_cgroup_read || process->is_cgroup_stale);
	assert_int_equal(process->cgroup, cgroup("/a"));
	process->is_cgroup_asked = true;
	task_table_see_exec(&table, 100);	/* a reply under way may be too early */
	assert_true(process->is_cgroup_stale);
	task_table_see_exec(&table, 999);
	assert_null(task_table_find_process(&table, 999));
}

static void test_compaction_leaves_the_cgroups_of_tasks(void **state)
{
	const unsigned char used[] = { 0, 1, 1, 1, 0, 1 };
	uint32_t numbers[6];

	(void)state;
	set_comm(100, 100, "x", true);
	put_cgroup(100, "/a");
	assert_int_equal(sampled_task(100), 0);
	put_cgroup(100, "/b");
	assert_int_equal(sampled_task(100), 1);
	put_cgroup(100, "/c");
	assert_int_equal(sampled_task(100), 2);
	for (uint32_t pid = 200; pid < 203; pid++)
		assert_int_equal(sampled_task(pid), 3 + pid - 200);
	task_table_exit(&table, 202, 202, 1);
	task_table_drop_dead(&table, 2);	/* no reply will come of that one */
	assert_int_equal(table.open_count, 3);
	assert_int_equal(task_table_compact(&table, used, numbers), 0);
	assert_int_equal(table.open_count, 1);
	put_cgroup(200, "/d");
	assert_int_equal(sampled_task(200), numbers[3]);
	assert_int_equal(table.tasks[numbers[3]].cgroup, cgroup("/d"));
	assert_int_equal(sampled_task(100), numbers[2]);
	assert_int_equal(table.tasks[numbers[1]].cgroup, cgroup("/b"));
	assert_int_equal(table.tasks[numbers[2]].cgroup, cgroup("/c"));
	put_cgroup(100, "/b");
	assert_int_equal(sampled_task(100), numbers[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_task_table)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_forked_process_has_its_parents_name_maps_and_user),
		TEST(test_after_fork_the_maps_of_parent_and_child_part),
		TEST(test_a_child_of_an_unread_process_is_unread),
		TEST(test_a_new_thread_runs_in_the_maps_that_are_there),
		TEST(test_a_synthesized_fork_copies_no_maps),
		TEST(test_exec_drops_the_maps_and_leaves_the_parents_alone),
		TEST(test_a_rename_makes_another_task_and_keeps_the_maps),
		TEST(test_a_thread_without_a_name_is_called_by_its_number),
		TEST(test_the_idle_task_is_swapper_and_needs_nothing),
		TEST(test_names_are_sanitized),
		TEST(test_a_pid_that_is_used_again_starts_anew),
		TEST(test_a_tid_seen_in_another_process_is_another_thread),
		TEST(test_a_thread_made_before_its_process_was_known_keeps_its_mark),
		TEST(test_a_thread_that_is_gone_counts_for_the_process_that_is_known),
		TEST(test_compaction_keeps_used_tasks_and_renumbers_them),
		TEST(test_the_dead_alone_are_forgotten),
		TEST(test_who_was_asked_for_last_is_found_where_he_is),
		TEST(test_a_process_lives_as_long_as_one_of_its_threads),
		TEST(test_who_ended_just_now_stays_with_all_its_process_has),
		TEST(test_who_has_the_number_of_a_dead_one_is_not_dropped_for_it),
		TEST(test_exec_by_another_thread_brings_the_first_one_back),
		TEST(test_a_drop_keeps_the_tasks_and_their_numbers),
		TEST(test_a_storm_of_forks_leaves_nothing_behind),
		TEST(test_names_that_no_sample_saw_are_not_kept),
		TEST(test_what_a_compaction_frees_does_not_count_any_more),
		TEST(test_a_task_is_of_a_cgroup),
		TEST(test_what_was_counted_before_the_cgroup_was_read_counts_for_it),
		TEST(test_a_forked_process_has_its_parents_cgroup_until_its_own_is_read),
		TEST(test_a_cgroup_read_between_sight_and_turn_of_the_fork_stays),
		TEST(test_a_child_knows_how_well_its_parents_cgroup_is_known),
		TEST(test_what_a_fork_tells_does_not_outlive_the_exec_after_it),
		TEST(test_after_exec_the_cgroup_is_to_be_read_again),
		TEST(test_compaction_leaves_the_cgroups_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
