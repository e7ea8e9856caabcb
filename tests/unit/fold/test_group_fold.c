/* Trees of groups worked out by hand from a few samples, whose stacks are written leaf first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "fold/groups.h"
#include "group_fold_fixture.h"
#include "unit_tests.h"

#define CALLS(...)                                                                                 \
	fixture_calls(&model, (const enum fixture_function[]){ __VA_ARGS__ },                      \
		      sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/* One line a node: "  text self total", two spaces a level; base after it where there is one. */
static const char *draw(const struct group_tree *tree)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct group_node *node = &tree->nodes[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%*s%s %d %d",
					 2 * (int)node->depth, "", node->text,
					 (int)node->now.self.samples, (int)node->now.total.samples);
		if (node->base.total.samples)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " was %d %d",
						 (int)node->base.self.samples,
						 (int)node->base.total.samples);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	return text;
}

static void expect(const struct slice_entry *entries, uint32_t count, const char *drawn)
{
	struct snapshot *snapshot = group_fold_fixture_build(
		(struct group_window){ .entries = entries, .count = count });

	assert_string_equal(draw(&snapshot->groups), drawn);
	snapshot_destroy(snapshot);
}

/*   app    6 samples  main > f > g		on CPU 0
 *   app    2 samples  main > f			on CPU 1
 *   other  3 samples  main > do_syscall_64	on CPU 1 */
static struct slice_entry known[3];

static void make_known(void)
{
	const uint32_t app = fixture_task(&model, 10, 10, "app");
	const uint32_t other = fixture_task(&model, 20, 21, "other");
	const uint32_t in_kernel[] = { fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS),
				       fixture_frame(&model, FN_MAIN, 0) };

	known[0] = (struct slice_entry){ .stack = CALLS(FN_G, FN_F, FN_MAIN), .count = 6,
					 .weight = 6, .task = app };
	known[1] = (struct slice_entry){ .stack = CALLS(FN_F, FN_MAIN), .count = 2, .weight = 2,
					 .task = app, .cpu = 1 };
	known[2] = (struct slice_entry){ .stack = fixture_stack(&model, in_kernel, 2), .count = 3,
					 .weight = 3, .task = other, .cpu = 1 };
}

static void test_each_key_is_a_level(void **state)
{
	(void)state;
	make_known();
	KEYS(GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	expect(known, 3,
	       "app 8 8\n"
	       "  app 8 8\n"
	       "    g 6 6\n"
	       "    f 2 8\n"
	       "    main 0 8\n"
	       "other 3 3\n"
	       "  [kernel] 3 3\n"
	       "    do_syscall_64 3 3\n"
	       "  app 0 3\n"
	       "    main 0 3\n");
}

static void test_code_may_come_before_tasks(void **state)
{
	(void)state;
	make_known();
	KEYS(GROUP_SYMBOL, GROUP_COMM);
	expect(known, 3,
	       "g 6 6\n"
	       "  app 6 6\n"
	       "do_syscall_64 3 3\n"
	       "  other 3 3\n"
	       "f 2 8\n"
	       "  app 2 8\n"
	       "main 0 11\n"
	       "  app 0 8\n"
	       "  other 0 3\n");
}

static void test_without_code_all_frames_are_of_one_group(void **state)
{
	(void)state;
	make_known();
	KEYS(GROUP_CPU, GROUP_COMM);
	expect(known, 3,
	       "CPU 0 6 6\n"
	       "  app 6 6\n"
	       "CPU 1 5 5\n"
	       "  other 3 3\n"
	       "  app 2 2\n");
}

/*   3 samples  main > f > g > f      1 sample  main > f */
static void test_recursion_counts_once(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F, FN_G, FN_F, FN_MAIN), .count = 3, .weight = 3,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 1, .weight = 1 },
	};

	(void)state;
	KEYS(GROUP_DSO, GROUP_SYMBOL);
	expect(entries, 2,
	       "app 4 4\n"
	       "  f 4 4\n"
	       "  main 0 4\n"
	       "  g 0 3\n");
}

static void test_a_parent_is_the_function_that_called(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_LEAF, FN_F, FN_MAIN), .count = 5, .weight = 5,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_LEAF, FN_G, FN_MAIN), .count = 2, .weight = 2 },
		{ .stack = CALLS(FN_LEAF), .count = 1, .weight = 1 },
	};

	(void)state;
	KEYS(GROUP_SYMBOL, GROUP_PARENT);
	expect(entries, 3,
	       "leaf 8 8\n"
	       "  f 5 5\n"
	       "  g 2 2\n"
	       "  [none] 1 1\n"
	       "main 0 7\n"
	       "  [none] 0 7\n"
	       "f 0 5\n"
	       "  main 0 5\n"
	       "g 0 2\n"
	       "  main 0 2\n");
	KEYS(GROUP_PARENT);
	expect(entries, 3,
	       "f 5 5\n"
	       "g 2 2\n"
	       "[none] 1 8\n"
	       "main 0 7\n");
}

static void test_tasks_by_process_and_thread(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F), .count = 4, .weight = 4,
		  .task = fixture_task(&model, 10, 12, "worker") },
		{ .stack = CALLS(FN_F), .count = 2, .weight = 2,
		  .task = fixture_task(&model, 10, 10, "server") },
		{ .stack = CALLS(FN_F), .count = 1, .weight = 1,
		  .task = fixture_task(&model, 30, 31, "lost") },
	};
	const struct slice_entry lost[] = {
		{ .stack = CALLS(FN_F), .count = 2, .weight = 2,
		  .task = fixture_task(&model, 40, 41, "lost") },
		entries[2],
	};

	(void)state;
	KEYS(GROUP_PID, GROUP_TID);
	expect(entries, 3,
	       "10 server 6 6\n"
	       "  12 4 4\n"
	       "  10 2 2\n"
	       "30 1 1\n"
	       "  31 1 1\n");
	KEYS(GROUP_THREAD);
	expect(entries, 3,
	       "worker of server 4 4\n"
	       "server 2 2\n"
	       "lost of pid 30 1 1\n");
	expect(lost, 2,
	       "lost of pid 40 2 2\n"
	       "lost of pid 30 1 1\n");
}

static void test_sockets_of_cpus(void **state)
{
	static const int sockets[] = { 1, -1 };

	(void)state;
	make_known();
	known[0].cpu = 0;
	known[2].cpu = SLICE_CPU_UNKNOWN;
	KEYS(GROUP_SOCKET, GROUP_CPU);
	group_sources.sockets = sockets;
	group_sources.socket_count = 2;
	expect(known, 3,
	       "socket 1 6 6\n"
	       "  CPU 0 6 6\n"
	       "[unknown] 5 5\n"
	       "  [unknown] 3 3\n"
	       "  CPU 1 2 2\n");
}

static const char *name_of_atom_event(const void *owner, uint32_t event)
{
	(void)owner;
	(void)event;
	return "cpu_atom/cycles/";
}

static void test_pmus_of_cpus_or_of_the_event(void **state)
{
	int fast = 0, slow = 2;
	const struct core_pmus pmus = { .count = 2,
					.list = { { .name = "cpu_core", .cpus = &fast,
						    .cpu_count = 1 },
						  { .name = "cpu_atom", .cpus = &slow,
						    .cpu_count = 1 } } };

	(void)state;
	make_known();
	known[0].cpu = 0;
	known[2].cpu = SLICE_CPU_UNKNOWN;
	KEYS(GROUP_PMU);
	expect(known, 3, "[no PMU] 11 11\n");
	group_sources.pmus = &pmus;
	expect(known, 3,
	       "cpu_core 6 6\n"
	       "[unknown] 5 5\n");	/* one on CPU 1, one on any */
	group_sources.event_name = name_of_atom_event;
	expect(known, 3,
	       "cpu_core 6 6\n"
	       "cpu_atom 3 3\n"
	       "[unknown] 2 2\n");
	group_sources.pmus = NULL;
}

static void test_addresses_are_told_apart(void **state)
{
	const uint32_t frames[] = { fixture_frame(&model, FN_F, 8),
				    fixture_frame(&model, FN_F, 4) };
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, frames, 2), .count = 2, .weight = 2,
		  .task = fixture_task(&model, 1, 1, "app") },
	};

	(void)state;
	KEYS(GROUP_SYMBOL, GROUP_ADDRESS);
	expect(entries, 1,
	       "f 2 2\n"
	       "  0x1108 2 2\n"
	       "  0x1104 0 2\n");
}

static void test_what_is_not_loaded_is_one_row_a_dso(void **state)
{
	const uint32_t one = fixture_dso(&model, "/lib/one.so", DSO_LOADING);
	const uint32_t two = fixture_dso(&model, "/lib/two.so", DSO_LOADING);
	const uint32_t frames[] = { stack_trie_frame(&model.trie, one, 0x10),
				    stack_trie_frame(&model.trie, one, 0x20),
				    stack_trie_frame(&model.trie, two, 0x10) };
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, frames, 3), .count = 2, .weight = 2,
		  .task = fixture_task(&model, 1, 1, "app") },
	};

	(void)state;
	KEYS(GROUP_DSO, GROUP_SYMBOL);
	expect(entries, 1,
	       "one.so 2 2\n"
	       "  (loading) 2 2\n"
	       "two.so 0 2\n"
	       "  (loading) 0 2\n");
	KEYS(GROUP_SYMBOL);
	expect(entries, 1,
	       "one.so (loading) 2 2\n"
	       "two.so (loading) 0 2\n");
}

static void test_a_filter_leaves_what_matches(void **state)
{
	(void)state;
	make_known();
	tree_fold_fixture_add_part(FILTER_DSO, "/bin/app", false);
	KEYS(GROUP_COMM, GROUP_SYMBOL);
	expect(known, 3,
	       "app 8 8\n"
	       "  g 6 6\n"
	       "  f 2 8\n"
	       "  main 0 8\n"
	       "other 0 3\n"
	       "  main 0 3\n");
	KEYS(GROUP_COMM);
	expect(known, 3,
	       "app 8 8\n"
	       "other 0 3\n");
	tree_fold_fixture_add_part(FILTER_COMMAND, "other", false);
	expect(known, 3, "other 0 3\n");
}

static void test_idle_is_left_out(void **state)
{
	const uint32_t idle = fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS);

	(void)state;
	make_known();
	known[0].stack = fixture_stack(&model, &idle, 1);
	known[1].task = fixture_task(&model, 0, 0, "swapper");
	KEYS(GROUP_COMM);
	expect(known, 3, "other 3 3\n");
}

static const char *event_name(const void *owner, uint32_t event)
{
	static const char *const names[] = { "cycles", "faults" };

	(void)owner;
	return event < 2 ? names[event] : "";
}

/* Weights of events are not added: each has its own whole, and the event is the first level. */
static void test_events_have_shares_of_their_own(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	make_known();
	known[0].weight = 600000;
	known[1].event = 1;
	known[2].event = 1;
	KEYS(GROUP_COMM, GROUP_EVENT);
	group_sources.event_name = event_name;
	expect(known, 3,
	       "cycles 6 6\n"
	       "  app 6 6\n"
	       "faults 5 5\n"
	       "  other 3 3\n"
	       "  app 2 2\n");
	snapshot = group_fold_fixture_build((struct group_window){ .entries = known, .count = 3 });
	assert_int_equal(snapshot->groups.keys[0], GROUP_EVENT);
	assert_int_equal(snapshot->groups.keys[1], GROUP_COMM);
	assert_int_equal(snapshot->groups.nodes[0].number, 0);
	assert_int_equal(snapshot->groups.nodes[2].number, 1);
	assert_string_equal(snapshot->groups.nodes[2].name, "");
	assert_true(snapshot->groups.nodes[0].whole_weight == 600000);
	assert_true(snapshot->groups.nodes[3].whole_weight == 5);
	assert_true(group_node_pct(&snapshot->groups.nodes[3],
				   snapshot->groups.nodes[3].now.self.weight) == 60);
	snapshot_destroy(snapshot);
	KEYS(GROUP_COMM);
	expect(known, 3, "app 6 6\n");
}

static void test_the_baseline_counts_beside(void **state)
{
	const struct slice_entry base[] = {
		{ .stack = CALLS(FN_H, FN_MAIN), .count = 7, .weight = 7,
		  .task = fixture_task(&model, 10, 10, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 1, .weight = 1,
		  .task = fixture_task(&model, 10, 10, "app") },
	};
	struct snapshot *snapshot;

	(void)state;
	make_known();
	KEYS(GROUP_COMM, GROUP_SYMBOL);
	snapshot = group_fold_fixture_build((struct group_window){ known, base, 3, 2 });
	assert_string_equal(draw(&snapshot->groups),
			    "app 8 8 was 8 8\n"
			    "  g 6 6\n"
			    "  f 2 8 was 1 1\n"
			    "  main 0 8 was 0 8\n"
			    "  h 0 0 was 7 7\n"
			    "other 3 3\n"
			    "  do_syscall_64 3 3\n"
			    "  main 0 3\n");
	assert_true(snapshot->groups.nodes[0].whole_weight == 11);
	assert_true(snapshot->groups.nodes[0].base_whole_weight == 8);
	snapshot_destroy(snapshot);
}

static void test_nodes_say_where_they_stand(void **state)
{
	struct snapshot *snapshot;
	const struct group_node *nodes;

	(void)state;
	make_known();
	KEYS(GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	snapshot = group_fold_fixture_build((struct group_window){ .entries = known, .count = 3 });
	nodes = snapshot->groups.nodes;
	assert_int_equal(snapshot->groups.level_count, 3);
	assert_int_equal(nodes[0].parent, UINT32_MAX);
	assert_int_equal(nodes[0].size, 5);
	assert_int_equal(nodes[3].parent, 1);
	assert_int_equal(nodes[5].size, 5);
	assert_int_equal(nodes[7].parent, 6);
	assert_int_equal(nodes[7].mode, MODE_KERNEL);
	assert_string_equal(nodes[8].dso_path, "/bin/app");
	assert_string_equal(nodes[0].dso_path, "");
	assert_int_equal(nodes[0].mode, MODE_UNKNOWN);
	assert_true(nodes[7].now.self.weight == 3);
	snapshot_destroy(snapshot);
}

/* What a filter compares to leave a node alone. */
static void test_nodes_say_what_filters_compare(void **state)
{
	struct snapshot *snapshot;
	const struct group_node *nodes;

	(void)state;
	make_known();
	KEYS(GROUP_PID, GROUP_CPU, GROUP_DSO, GROUP_SYMBOL);
	snapshot = group_fold_fixture_build((struct group_window){ .entries = known, .count = 1 });
	nodes = snapshot->groups.nodes;
	assert_int_equal(nodes[0].number, 10);
	assert_string_equal(nodes[0].name, "10");
	assert_string_equal(nodes[1].name, "0");
	assert_string_equal(nodes[2].name, "/bin/app");
	assert_string_equal(nodes[3].name, "g");
	assert_false(nodes[3].is_unknown);
	snapshot_destroy(snapshot);
	KEYS(GROUP_COMM, GROUP_ADDRESS, GROUP_UNIT);
	snapshot = group_fold_fixture_build((struct group_window){ .entries = known, .count = 1 });
	nodes = snapshot->groups.nodes;
	assert_string_equal(nodes[0].name, "app");
	assert_string_equal(nodes[1].name, "");
	assert_string_equal(nodes[2].name, "");
	assert_true(nodes[2].is_unknown);
	snapshot_destroy(snapshot);
}

/*   one  in a unit and a container      two  in a unit      three  nobody has read /proc of it */
static void test_cgroups_of_tasks(void **state)
{
	static const char container[] = "/system.slice/docker-0123456789abcdef0123456789abcdef"
					"0123456789abcdef0123456789abcdef.scope";
	static const char unit[] = "/system.slice/nginx.service";
	const uint32_t cgroups[] = {
		cgroup_table_intern(&model.tasks.cgroups, container, strlen(container)),
		cgroup_table_intern(&model.tasks.cgroups, unit, strlen(unit)), CGROUP_UNKNOWN,
	};
	struct slice_entry entries[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t task = fixture_task(&model, i + 1, i + 1, "a");

		entries[i] = (struct slice_entry){ .stack = CALLS(FN_F), .count = 3 - i,
						   .weight = 3 - i, .task = task };
		model.tasks.tasks[task].cgroup = cgroups[i];
	}
	KEYS(GROUP_CONTAINER, GROUP_CGROUP);
	expect(entries, 3,
	       "0123456789ab 3 3\n"
	       "  /system.slice/docker-0123456789abcdef0123456789abcdef"
	       "0123456789abcdef0123456789abcdef.scope 3 3\n"
	       "[no container] 2 2\n"
	       "  /system.slice/nginx.service 2 2\n"
	       "[unknown] 1 1\n"
	       "  [unknown] 1 1\n");
	KEYS(GROUP_UNIT, GROUP_POD);
	expect(entries + 1, 2,
	       "nginx.service 2 2\n"
	       "  [no pod] 2 2\n"
	       "[unknown] 1 1\n"
	       "  [unknown] 1 1\n");
}

/* Another order of arrival, other tasks before them: ids of the analyzer differ, those of nodes do
 * not. */
static void test_ids_do_not_depend_on_what_came_first(void **state)
{
	struct snapshot *before, *after;
	uint64_t ids[10];

	(void)state;
	make_known();
	KEYS(GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	before = group_fold_fixture_build((struct group_window){ .entries = known, .count = 3 });
	for (uint32_t i = 0; i < 10; i++)
		ids[i] = before->groups.nodes[i].id;
	snapshot_destroy(before);
	tree_fold_fixture_tear_down(NULL);
	group_fold_fixture_set_up(NULL);
	fixture_task(&model, 5, 5, "first");
	CALLS(FN_LEAF, FN_H);
	make_known();
	KEYS(GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	after = group_fold_fixture_build((struct group_window){ .entries = known, .count = 3 });
	assert_int_equal(after->groups.node_count, 10);
	for (uint32_t i = 0; i < 10; i++) {
		assert_true(after->groups.nodes[i].id == ids[i]);
		for (uint32_t j = 0; j < i; j++)
			assert_true(ids[i] != ids[j]);
	}
	snapshot_destroy(after);
}

/* One more than may be, of which the smallest goes, and is counted. */
static void test_the_smallest_of_too_many_are_left_out(void **state)
{
	static struct slice_entry entries[GROUP_NODES_MAX];
	struct snapshot *snapshot;

	(void)state;
	for (uint32_t i = 0; i < GROUP_NODES_MAX; i++) {
		const uint64_t address = FIXTURE_SYSCALL_ADDRESS - 0x100000 + i;
		const uint32_t frame = fixture_kernel_frame(&model, address);

		entries[i] = (struct slice_entry){ .count = i == 7 ? 3 : 5,
						   .weight = i == 7 ? 3 : 5,
						   .stack = fixture_stack(&model, &frame, 1),
						   .task = fixture_task(&model, 1, 1, "app") };
	}
	KEYS(GROUP_COMM, GROUP_ADDRESS);
	snapshot = group_fold_fixture_build((struct group_window){ .entries = entries,
							    .count = GROUP_NODES_MAX });
	assert_int_equal(snapshot->groups.node_count, GROUP_NODES_MAX);
	assert_int_equal(snapshot->groups.hidden_samples, 3);
	snapshot_destroy(snapshot);
	query.tree_limit_pct = -1;
	snapshot = group_fold_fixture_build((struct group_window){ .entries = entries,
							    .count = GROUP_NODES_MAX });
	assert_int_equal(snapshot->groups.node_count, GROUP_NODES_MAX + 1);
	assert_int_equal(snapshot->groups.hidden_samples, 0);
	snapshot_destroy(snapshot);
}

/* Keys that tell nearly every sample apart do not take all memory. */
static void test_too_many_to_begin_count_in_those_above(void **state)
{
	enum { PAIRS = GROUP_FOLD_SUMS / 500 + 1 };
	static struct slice_entry entries[500];
	struct group_fold fold;
	struct group_builder builder;
	uint64_t of_roots = 0;

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		const uint32_t frame = fixture_kernel_frame(
			&model, FIXTURE_SYSCALL_ADDRESS - 0x100000 + i);

		entries[i] = (struct slice_entry){ .count = 1, .weight = 1,
						   .stack = fixture_stack(&model, &frame, 1) };
	}
	KEYS(GROUP_TID, GROUP_ADDRESS);
	group_fold_init(&fold, &group_sources, &query, 0);
	for (uint32_t tid = 1; tid <= PAIRS; tid++) {
		entries[0].task = fixture_task(&model, tid, tid, "app");
		for (uint32_t i = 1; i < 500; i++)
			entries[i].task = entries[0].task;
		group_fold_add(&fold, entries, 500, 1.0);
	}
	group_fold_sum(&fold);
	assert_false(fold.is_out_of_memory);
	assert_true(fold.count <= GROUP_FOLD_SUMS + PAIRS);
	assert_int_equal(group_arrange(&fold, &builder), 0);
	assert_true(builder.tree.node_count <= GROUP_NODES_MAX);
	assert_int_equal(builder.nodes[0].now.self.samples, 500);
	for (uint32_t n = 0; n < builder.tree.node_count; n += builder.nodes[n].size)
		of_roots += builder.nodes[n].now.self.samples;
	assert_int_equal(of_roots, 500 * PAIRS);	/* more than may wait at a time */
	assert_true(builder.tree.hidden_samples > 0);
	group_builder_finish(&builder);
	group_fold_finish(&fold);
}

static bool is_due(void *owner)
{
	(void)owner;
	return true;
}

static void test_a_key_stops_the_fold(void **state)
{
	struct group_fold fold;

	(void)state;
	make_known();
	KEYS(GROUP_COMM);
	group_fold_init(&fold, &group_sources, &query, 0);
	fold.stop = (struct fold_stop){ is_due, NULL };
	for (uint32_t i = 0; i < 1000; i++)
		group_fold_add(&fold, known, 3, 1.0);
	assert_true(fold.is_stopped);
	group_fold_finish(&fold);
	KEYS(GROUP_COMM, GROUP_SYMBOL);
	group_fold_init(&fold, &group_sources, &query, 0);
	for (uint32_t i = 0; i < 1000; i++)
		group_fold_add(&fold, known, 3, 1.0);
	assert_false(fold.is_stopped);
	fold.stop = (struct fold_stop){ is_due, NULL };
	group_fold_sum(&fold);
	assert_true(fold.is_stopped);
	group_fold_finish(&fold);
}

UNIT_TESTS(test_group_fold)
{
	const struct CMUnitTest tests[] = {
		GROUP_TEST(test_each_key_is_a_level),
		GROUP_TEST(test_code_may_come_before_tasks),
		GROUP_TEST(test_without_code_all_frames_are_of_one_group),
		GROUP_TEST(test_recursion_counts_once),
		GROUP_TEST(test_a_parent_is_the_function_that_called),
		GROUP_TEST(test_tasks_by_process_and_thread),
		GROUP_TEST(test_sockets_of_cpus),
		GROUP_TEST(test_pmus_of_cpus_or_of_the_event),
		GROUP_TEST(test_addresses_are_told_apart),
		GROUP_TEST(test_what_is_not_loaded_is_one_row_a_dso),
		GROUP_TEST(test_a_filter_leaves_what_matches),
		GROUP_TEST(test_idle_is_left_out),
		GROUP_TEST(test_events_have_shares_of_their_own),
		GROUP_TEST(test_the_baseline_counts_beside),
		GROUP_TEST(test_nodes_say_where_they_stand),
		GROUP_TEST(test_nodes_say_what_filters_compare),
		GROUP_TEST(test_cgroups_of_tasks),
		GROUP_TEST(test_ids_do_not_depend_on_what_came_first),
		GROUP_TEST(test_the_smallest_of_too_many_are_left_out),
		GROUP_TEST(test_too_many_to_begin_count_in_those_above),
		GROUP_TEST(test_a_key_stops_the_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
