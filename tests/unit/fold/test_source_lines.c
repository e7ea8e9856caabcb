/* Requests against this very program, whose lines the compiler knows: from a request to the text in
 * a row, through the thread and a real worker. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/sample_hold.h"
#include "analyzer/source_hold.h"
#include "base/clock.h"
#include "elf/file_jobs.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "ingest_fixture.h"
#include "symbols/kallsyms.h"
#include "unit_tests.h"

#define FILE_NAME "test_source_lines.c"

static struct sandbox *sandbox;
static struct line_server *server;
static struct ingest_fixture feed;
static struct source_lines lines;
static uint32_t own_dso;		/* this program, as the fixture knows it */
static uint64_t own_start, own_offset;	/* where its text is mapped from */

static int inner_line, outer_line;	/* lines of the calls below, once they were made */

static __attribute__((noinline)) void *here(void)
{
	return __builtin_return_address(0);
}

static inline __attribute__((always_inline)) void *inner(void)
{
	void *at = (inner_line = __LINE__, here());

	__asm__ volatile("" : "+r"(at));
	return (char *)at - 1;
}

static __attribute__((noinline)) void *outer(void)
{
	void *at = (outer_line = __LINE__, inner());

	__asm__ volatile("" : "+r"(at));
	return at;
}

/* Adds the map that holds @code, as the kernel would. */
static void map_own_text(const void *code)
{
	unsigned long start, end, offset;
	char line[512], path[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool is_found = false;
	struct dso *dso;
	struct stat status;

	while (!is_found && fgets(line, sizeof(line), maps))
		is_found = sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset,
				  path) == 4 &&
			   (uintptr_t)code >= start && (uintptr_t)code < end;
	fclose(maps);
	assert_true(is_found);
	own_start = start;
	own_offset = offset;
	feed_mmap(&feed, 1, (uint32_t)getpid(), start, end - start, offset, path);
	feed_round(&feed, 2);
	for (uint32_t i = DSO_FIXED_COUNT; i < feed.ingest.dsos.count; i++)
		if (!strcmp(strpool_get(feed.ingest.strings, feed.ingest.dsos.dsos[i].path),
			    path))
			own_dso = i;
	assert_int_not_equal(own_dso, 0);
	assert_int_equal(stat(path, &status), 0);
	dso = &feed.ingest.dsos.dsos[own_dso];
	dso->device = status.st_dev;
	dso->inode = status.st_ino;
	dso->state = DSO_READY;
}

static uint64_t offset_of(const void *code)
{
	return (uintptr_t)code - own_start + own_offset;
}

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	own_dso = 0;
	feed_init(&feed, &config, NULL);
	map_own_text((const void *)(uintptr_t)outer);
	source_lines_init(&lines, server, &feed.ingest);
	return 0;
}

static int tear_down(void **state)
{
	struct pollfd reply = { .fd = line_server_fd(server), .events = POLLIN };

	(void)state;
	while (!line_server_is_idle(server)) {	/* the next test's is another ingest */
		struct line_reply left;

		poll(&reply, 1, -1);
		if (line_server_reply(server, &left))
			line_reply_finish(&left);
	}
	source_lines_finish(&lines);
	feed_finish(&feed);
	return 0;
}

/* Until nothing is pending. */
static void take_all(void)
{
	struct pollfd reply = { .fd = line_server_fd(server), .events = POLLIN };

	while (source_lines_are_pending(&lines)) {
		poll(&reply, 1, -1);
		source_lines_take(&lines);
	}
}

static struct source_text look_up(struct source_request of, bool has_chain)
{
	return source_lines_find(&lines, &of, has_chain);
}

static void test_a_request_becomes_the_line_and_the_chain(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	char expected[256];

	(void)state;
	assert_string_equal(look_up(request, true).line, "");
	source_lines_request(&lines, &request, 1);
	assert_true(source_lines_are_pending(&lines));
	take_all();
	snprintf(expected, sizeof(expected), "%s:%d (inner < outer %s:%d)", FILE_NAME, inner_line,
		 FILE_NAME, outer_line);
	assert_string_equal(look_up(request, true).line, expected);
	snprintf(expected, sizeof(expected), "%s:%d", FILE_NAME, outer_line);
	assert_string_equal(look_up(request, false).line, expected);
}

static void test_a_reply_has_what_was_inlined(void **state)
{
	const struct source_request requests[] = { { offset_of(outer()), own_dso },
					      { offset_of((void *)(uintptr_t)here), own_dso } };
	const struct inline_chain *chain;

	(void)state;
	assert_null(inline_chains_find(&lines.inlined, own_dso, requests[0].address));
	source_lines_request(&lines, requests, 2);
	take_all();
	chain = inline_chains_find(&lines.inlined, own_dso, requests[0].address);
	assert_non_null(chain);
	assert_int_equal(chain->count, 1);
	assert_string_equal(strpool_get(feed.ingest.strings,
					lines.inlined.functions[chain->first]), "inner");
	chain = inline_chains_find(&lines.inlined, own_dso, requests[1].address);
	assert_non_null(chain);
	assert_int_equal(chain->count, 0);
}

static void test_a_reply_has_the_places_of_its_functions(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	const struct inline_chain *chain;
	const struct inline_place *places;

	(void)state;
	source_lines_request(&lines, &request, 1);
	take_all();
	chain = inline_chains_find(&lines.inlined, own_dso, request.address);
	assert_non_null(chain);
	assert_int_equal(chain->place_count, 2);
	places = &lines.inlined.places[chain->first_place];
	assert_int_equal(places[0].line, inner_line);
	/* Line tables alone (-g1), in the sanitizers' builds, do not say it of inlined code. */
	if (places[0].first_line)
		assert_in_range(places[0].first_line, inner_line - 3, inner_line - 1);
	assert_int_equal(places[1].line, outer_line);
	assert_in_range(places[1].first_line, outer_line - 3, outer_line - 1);
	assert_non_null(strstr(strpool_get(feed.ingest.strings, places[1].file), FILE_NAME));
}

/* Samples at @count addresses of this program, one after the other, the last weighs most, and in
 * the kernel; all were called from address 9000. */
static uint32_t requests_of_tree(uint32_t count, struct source_request out[SOURCE_REQUESTS_MAX])
{
	struct ingest *ingest = &feed.ingest;
	struct dso *dso = &ingest->dsos.dsos[own_dso];
	const struct query query = { .tree = TREE_CALLEES, .tree_inlined = true };
	const uint32_t caller = stack_trie_frame(&ingest->trie, own_dso, 9000);
	const uint32_t node = stack_trie_child(&ingest->trie, STACK_NODE_ROOT, caller);
	struct slice_entry *entries = calloc(count + 1, sizeof(*entries));
	struct tree_fold tree;
	uint32_t requested;

	assert_non_null(entries);
	task_table_set_comm(&ingest->tasks, 1, 1, "a", 1, false);
	for (uint32_t i = 0; i <= count; i++)
		entries[i] = (struct slice_entry){
			.stack = stack_trie_stack(&ingest->trie, node, i == count
				? stack_trie_frame(&ingest->trie, DSO_KERNEL, 0xffffffff81000000)
				: stack_trie_frame(&ingest->trie, own_dso, 100 + i)),
			.task = task_table_task(&ingest->tasks,
						task_table_thread(&ingest->tasks, 1, 1)),
			.count = 1, .weight = i + 1,
		};
	dso->state = DSO_NO_TABLE;		/* each address is a symbol of its own */
	tree_fold_init(&tree, &ingest->trie, &ingest->names, &ingest->tasks, &query, 0);
	tree_fold_inline(&tree, &lines.inlined);
	tree_fold_add(&tree, entries, count + 1, 1.0);
	tree_fold_sum(&tree);
	assert_false(tree.is_out_of_memory);
	dso->state = DSO_READY;
	requested = tree_fold_requests(&tree, &lines, out);
	tree_fold_finish(&tree);
	free(entries);
	return requested;
}

static void test_a_tree_requests_what_weighs_most(void **state)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];
	uint32_t count;

	(void)state;
	count = requests_of_tree(200, requests);
	assert_int_equal(count, SOURCE_REQUESTS_MAX);
	assert_int_equal(requests[0].address, 9000);	/* all samples */
	assert_int_equal(requests[0].dso, own_dso);
	for (uint32_t i = 1; i < count; i++)
		assert_int_equal(requests[i].address, 300 - i);
}

static void test_a_tree_requests_nothing_that_it_knows(void **state)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];

	(void)state;
	assert_int_equal(inline_chains_begin(&lines.inlined, own_dso, 9000), 0);
	assert_int_equal(inline_chains_begin(&lines.inlined, own_dso, 101), 0);
	assert_int_equal(inline_chains_add(&lines.inlined, "known"), 0);
	assert_int_equal(requests_of_tree(3, requests), 2);
	assert_int_equal(requests[0].address, 102);
	assert_int_equal(requests[1].address, 100);
}

static void test_inlined_names_have_a_limit(void **state)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];

	(void)state;
	assert_int_equal(inline_chains_begin(&lines.inlined, own_dso, 1), 0);
	lines.inlined.text_bytes = INLINE_CHAINS_TEXT_MAX;
	assert_int_equal(inline_chains_add(&lines.inlined, "one more"), 0);
	assert_int_equal(inline_chains_begin(&lines.inlined, own_dso, 2), -ENOSPC);
	assert_int_equal(requests_of_tree(3, requests), 0);
}

static void test_what_is_known_is_not_asked_for_again(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };

	(void)state;
	source_lines_request(&lines, &request, 1);
	take_all();
	source_lines_request(&lines, &request, 1);
	assert_false(source_lines_are_pending(&lines));
	assert_true(line_server_is_idle(server));
}

/* While the first is under way the second request comes, then the third instead of it. */
static void test_only_the_newest_request_is_asked_for_next(void **state)
{
	const struct source_request first = { offset_of(outer()), own_dso };
	const struct source_request second = { offset_of((void *)(uintptr_t)here), own_dso };
	const struct source_request third = { offset_of((void *)(uintptr_t)outer), own_dso };

	(void)state;
	source_lines_request(&lines, &first, 1);
	source_lines_request(&lines, &second, 1);
	source_lines_request(&lines, &third, 1);
	take_all();
	assert_string_not_equal(look_up(first, true).line, "");
	assert_string_not_equal(look_up(third, true).line, "");
	assert_string_equal(look_up(second, true).line, "");
}

/* The zygote stands still until the second request is there: the first can't have been granted. */
static void test_what_nobody_requests_any_more_is_cancelled(void **state)
{
	const struct source_request first = { offset_of(outer()), own_dso };
	struct source_request second;

	(void)state;
	map_own_text((const void *)(uintptr_t)_cmocka_run_group_tests);
	second = (struct source_request){ own_offset, own_dso };
	assert_int_equal(kill(sandbox_pid(sandbox), SIGSTOP), 0);
	assert_int_equal(waitpid(sandbox_pid(sandbox), NULL, WUNTRACED), sandbox_pid(sandbox));
	source_lines_request(&lines, &first, 1);
	assert_false(line_server_is_idle(server));
	source_lines_request(&lines, &second, 1);
	assert_int_equal(kill(sandbox_pid(sandbox), SIGCONT), 0);
	take_all();
	assert_string_equal(look_up(first, true).line, "");
	assert_true(source_lines_can_be_requested(&lines, &first));
	assert_string_equal(look_up(second, true).reason, "no debug information");
}

/* The number was given to another DSO while the lines were looked for. */
static void test_a_late_reply_is_not_that_of_another_dso(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	struct pollfd reply = { .fd = line_server_fd(server), .events = POLLIN };

	(void)state;
	source_lines_request(&lines, &request, 1);
	source_lines_request(&lines, &request, 0);	/* cancels no request under way */
	feed.ingest.dsos.dsos[own_dso].serial = ++feed.ingest.dsos.last_serial;
	while (!line_server_is_idle(server)) {
		poll(&reply, 1, -1);
		source_lines_take(&lines);
	}
	assert_string_equal(look_up(request, true).line, "");
	assert_string_equal(look_up(request, true).reason, "");
}

static void test_code_without_debug_information_says_why_and_is_left_alone(void **state)
{
	const struct source_request request = { own_offset, 0 };
	struct source_request of = request;

	(void)state;
	/* Distributions strip their libraries. */
	map_own_text((const void *)(uintptr_t)_cmocka_run_group_tests);
	of.dso = own_dso;
	of.address = own_offset;
	feed.ingest.dsos.dsos[own_dso].build_id.count = 0;
	source_lines_request(&lines, &of, 1);
	take_all();
	assert_string_equal(look_up(of, true).line, "");
	assert_string_equal(look_up(of, true).reason, "no debug information");
	assert_false(source_lines_can_be_requested(&lines, &of));
}

static void test_nobody_asks_for_run_time_code_or_before_names_are_known(void **state)
{
	const struct source_request kernel = { 0xffffffff81000000, DSO_KERNEL };
	const struct source_request own = { offset_of(outer()), own_dso };
	const struct source_request none = { 1, UINT32_MAX };

	(void)state;
	assert_false(source_lines_can_be_requested(&lines, &kernel));
	assert_false(source_lines_can_be_requested(&lines, &none));
	feed.ingest.dsos.dsos[own_dso].is_run_time = true;
	assert_false(source_lines_can_be_requested(&lines, &own));
	feed.ingest.dsos.dsos[own_dso].is_run_time = false;
	assert_true(source_lines_can_be_requested(&lines, &own));
	feed.ingest.dsos.dsos[own_dso].state = DSO_LOADING;
	assert_false(source_lines_can_be_requested(&lines, &own));
	source_lines_request(&lines, &own, 1);
	assert_true(line_server_is_idle(server));
}

/* The kernel and two modules, of which none is loaded here, have one DSO. What can't be had is
 * remembered for each of their files. */
static void test_each_module_of_the_kernel_has_a_file_of_its_own(void **state)
{
	static const char list[] = "ffffffff81000000 T _text\nffffffff81001000 t work\n"
				   "ffffffff81002000 T _etext\n"
				   "ffffffffc0000000 t run\t[flametop_none]\n"
				   "ffffffffc0001000 t walk\t[flametop_none]\n"
				   "ffffffffc0100000 t rest\t[flametop_other]\n";
	const struct source_request run = { 0xffffffffc0000010, DSO_KERNEL };
	const struct source_request walk = { 0xffffffffc0001010, DSO_KERNEL };
	const struct source_request rest = { 0xffffffffc0100010, DSO_KERNEL };
	const struct source_request work = { 0xffffffff81001010, DSO_KERNEL };
	struct dso *kernel = &feed.ingest.dsos.dsos[DSO_KERNEL];
	struct kallsyms kallsyms;

	(void)state;
	assert_int_equal(kallsyms_parse(&kallsyms, list, sizeof(list) - 1, 0, NULL), 0);
	kernel->table = kallsyms.table;
	kernel->state = DSO_READY;
	assert_true(source_lines_can_be_requested(&lines, &run));
	source_lines_request(&lines, &run, 1);
	take_all();
	assert_string_equal(look_up(run, false).line, "");
	assert_string_equal(look_up(run, false).reason, "no module 'flametop_none' is loaded");
	assert_string_equal(look_up(walk, false).reason, "no module 'flametop_none' is loaded");
	assert_false(source_lines_can_be_requested(&lines, &walk));
	assert_true(source_lines_can_be_requested(&lines, &rest));
	assert_true(source_lines_can_be_requested(&lines, &work));
	source_lines_request(&lines, &rest, 1);
	take_all();
	assert_string_equal(look_up(rest, false).reason, "no module 'flametop_other' is loaded");
	feed.ingest.config.is_replay = true;
	assert_false(source_lines_can_be_requested(&lines, &work));
	kernel->state = DSO_NO_TABLE;
	kallsyms_finish(&kallsyms);
}

static void test_a_file_that_nobody_maps_is_not_requested_forever(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };

	(void)state;
	feed_exit(&feed, 3, (uint32_t)getpid(), (uint32_t)getpid());
	feed_round(&feed, 4);
	feed.ingest.dsos.dsos[own_dso].build_id.count = 0;
	feed.ingest.dsos.dsos[own_dso].inode = 0;
	source_lines_request(&lines, &request, 1);
	assert_false(source_lines_are_pending(&lines));
}

/* Go's linker writes no build-id. */
static void test_a_file_of_an_ended_process_is_known_by_its_inode(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };

	(void)state;
	feed_exit(&feed, 3, (uint32_t)getpid(), (uint32_t)getpid());
	feed_round(&feed, 4);
	feed.ingest.dsos.dsos[own_dso].build_id.count = 0;
	source_lines_request(&lines, &request, 1);
	take_all();
	assert_non_null(strstr(look_up(request, true).line, FILE_NAME ":"));
}

/* The file that stands for its copies was replaced and is mapped by nobody; a copy is. */
static void test_the_lines_of_a_replaced_file_come_from_the_copy_that_is_mapped(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	struct dso_table *dsos = &feed.ingest.dsos;
	const struct dso before = dsos->dsos[own_dso];
	const char *path = strpool_get(feed.ingest.strings, before.path);
	const struct dso_key key = { .path = path, .path_len = strlen(path),
					.device = before.device, .inode = before.inode,
					.mode = MODE_USER };
	struct process *process = task_table_find_process(&feed.ingest.tasks, (uint32_t)getpid());
	uint32_t copy;
	bool is_new;

	(void)state;
	copy = dso_table_intern(dsos, &key, &is_new);
	assert_true(is_new);
	dsos->dsos[copy].state = DSO_READY;
	dsos->dsos[copy].canonical = own_dso;
	dsos->dsos[own_dso].inode = before.inode + 1;
	for (uint32_t i = 0; i < process->maps->count; i++)
		process->maps->rows[i].dso = copy;
	source_lines_request(&lines, &request, 1);
	take_all();
	assert_string_equal(look_up(request, true).reason, "");
	assert_memory_equal(look_up(request, true).line, FILE_NAME, strlen(FILE_NAME));
}

/* A snapshot of one row, as snapshot_build() makes it: in one block. */
static struct snapshot *make_snapshot(struct source_request of)
{
	struct {
		struct snapshot snapshot;
		struct snapshot_row row;
	} *made = calloc(1, sizeof(*made));

	made->snapshot.keys = KEY_DSO | KEY_SYMBOL | KEY_ADDRESS;
	made->snapshot.rows = &made->row;
	made->snapshot.row_count = 1;
	made->row = (struct snapshot_row){ .address = of.address, .dso_id = of.dso,
					   .source = "" };
	return &made->snapshot;
}

/* A snapshot with a sample at @of. */
static struct snapshot *make_samples(struct source_request of)
{
	struct ingest *ingest = &feed.ingest;
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const struct query query = { .stack_samples = true };
	struct slice_entry entry = { .count = 1, .weight = 1 };
	struct sample_fold fold;

	assert_non_null(snapshot);
	task_table_set_comm(&ingest->tasks, 1, 1, "a", 1, false);
	entry.task = task_table_task(&ingest->tasks, task_table_thread(&ingest->tasks, 1, 1));
	entry.stack = stack_trie_stack(&ingest->trie, STACK_NODE_ROOT,
				       stack_trie_frame(&ingest->trie, of.dso, of.address));
	ingest->dsos.dsos[of.dso].state = DSO_NO_TABLE;	/* the fixture has none */
	sample_fold_init(&fold, &ingest->trie, &ingest->names, &ingest->tasks, &query, 0);
	sample_fold_add(&fold, &entry, 1, 1.0);
	ingest->dsos.dsos[of.dso].state = DSO_READY;
	snapshot = sample_hold_fill(snapshot, &fold, (struct slice){ .count = 0 }, ingest, 0);
	sample_fold_finish(&fold);
	assert_non_null(snapshot);
	return snapshot;
}

static void test_samples_wait_for_their_lines(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	const uint64_t now_ns = clock_now_ns();
	struct sample_hold hold = { .lines = &lines };
	struct stack_samples *samples;
	struct snapshot *snapshot;

	(void)state;
	sample_hold_put(&hold, make_samples(request), now_ns);
	assert_null(sample_hold_release(&hold, now_ns));
	assert_true(sample_hold_due_ns(&hold) > now_ns);
	take_all();
	assert_int_equal(sample_hold_due_ns(&hold), 0);
	snapshot = sample_hold_release(&hold, now_ns);
	assert_non_null(snapshot);
	samples = snapshot->stack_samples;
	assert_int_equal(samples->frame_count, 1);
	assert_int_equal(samples->frames[0].line_count, 2);
	assert_int_equal(samples->lines[samples->frames[0].first_line].line, inner_line);
	assert_int_equal(samples->unknown_lines, 0);
	snapshot_destroy(snapshot);
	assert_null(sample_hold_release(&hold, now_ns));
}

static void test_samples_wait_no_longer_than_their_time(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	struct sample_hold hold = { .lines = &lines };
	struct snapshot *snapshot;

	(void)state;
	sample_hold_put(&hold, make_samples(request), clock_now_ns());
	assert_null(sample_hold_release(&hold, clock_now_ns()));
	snapshot = sample_hold_release(&hold, hold.until_ns);
	assert_non_null(snapshot);
	assert_int_equal(snapshot->stack_samples->unknown_lines, 1);
	assert_int_equal(snapshot->stack_samples->frames[0].line_count, 1);
	snapshot_destroy(snapshot);
}

static void test_a_waiting_snapshot_goes_with_its_lines(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	const uint64_t now_ns = clock_now_ns();
	struct source_hold hold;
	struct snapshot *snapshot;

	(void)state;
	source_hold_init(&hold, &lines, NULL, 10);
	source_hold_put(&hold, make_snapshot(request), now_ns);
	assert_null(source_hold_release(&hold, now_ns));
	take_all();
	snapshot = source_hold_release(&hold, now_ns);
	assert_non_null(snapshot);
	assert_non_null(strstr(snapshot->rows[0].source, FILE_NAME ":"));
	snapshot_destroy(snapshot);
	assert_null(source_hold_release(&hold, now_ns));
}

static void test_a_waiting_snapshot_goes_without_them_when_its_time_has_come(void **state)
{
	const struct source_request request = { offset_of(outer()), own_dso };
	const uint64_t now_ns = clock_now_ns();
	struct source_hold hold;
	struct snapshot *snapshot;

	(void)state;
	source_hold_init(&hold, &lines, NULL, 10);
	source_hold_put(&hold, make_snapshot(request), now_ns);
	snapshot = source_hold_release(&hold, now_ns + 60 * CLOCK_NS_PER_S);
	assert_non_null(snapshot);
	assert_string_equal(snapshot->rows[0].source, "");
	snapshot_destroy(snapshot);
}

static void count_at(double seconds, const void *code)
{
	struct ingest *ingest = &feed.ingest;
	struct dso *dso = &ingest->dsos.dsos[own_dso];
	const uint32_t frame = stack_trie_frame(&ingest->trie, own_dso, offset_of(code));
	const struct slice_entry entry = {
		.stack = stack_trie_stack(&ingest->trie, STACK_NODE_ROOT, frame),
		.task = task_table_task(&ingest->tasks, task_table_thread(&ingest->tasks, 1, 1)),
		.count = 1, .weight = 1,
	};

	dso->state = DSO_NO_TABLE;		/* the address is its symbol */
	symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
	dso->state = DSO_READY;
	assert_int_equal(timeline_add(&ingest->timeline, (uint64_t)(seconds * 1e9), &entry, NULL),
			 0);
}

/* How many lines are asked for before groups by line are shown. */
static uint32_t waits_for(enum window_kind window, uint64_t published_seq)
{
	const struct analyzer_config config = {
		.line_server = server, .wants_sources = true, .window = window,
		.query = { .group_count = 2, .groups = { GROUP_ADDRESS, GROUP_SOURCE } },
	};
	struct pollfd reply = { .fd = line_server_fd(server), .events = POLLIN };
	const uint64_t now_ns = clock_now_ns();
	struct line_wait wait = { 0 };
	struct publisher publisher;
	uint32_t count;

	publisher_init(&publisher, &config, &feed.ingest);
	publisher.published_seq = published_seq;
	line_wait_must(&wait, &publisher, now_ns);
	count = publisher.source_lines.request_count;
	while (source_lines_are_pending(&publisher.source_lines)) {
		poll(&reply, 1, -1);
		source_lines_take(&publisher.source_lines);
	}
	assert_false(line_wait_must(&wait, &publisher, now_ns));
	publisher_finish(&publisher);
	return count;
}

/* A closed slice, and two ticks of the open one. */
static void test_groups_wait_for_the_lines_of_all_that_is_shown(void **state)
{
	struct timeline *timeline = &feed.ingest.timeline;

	(void)state;
	count_at(5.0, outer());
	count_at(6.0, (void *)(uintptr_t)here);
	count_at(6.1, (void *)(uintptr_t)outer);
	assert_int_equal(timeline->count, 1);
	assert_int_equal(timeline->open.count, 1);
	assert_int_equal(waits_for(WINDOW_ALL, 0), 3);
	assert_int_equal(waits_for(WINDOW_INTERVAL, timeline->slices[0].seq), 3);
	assert_int_equal(waits_for(WINDOW_INTERVAL, timeline->open_slice.seq), 2);
}

static void test_groups_wait_for_no_lines_that_nobody_can_read(void **state)
{
	struct ingest *ingest = &feed.ingest;
	const struct analyzer_config config = {
		.line_server = server, .wants_sources = true, .window = WINDOW_ALL,
		.query = { .group_count = 1, .groups = { GROUP_SOURCE } },
	};
	struct line_wait wait = { 0 };
	struct publisher publisher;

	(void)state;
	count_at(5.0, outer());
	ingest->dsos.dsos[own_dso].build_id.count = 0;
	ingest->dsos.dsos[own_dso].inode = 0;
	task_table_find_process(&ingest->tasks, (uint32_t)getpid())->is_alive = false;
	publisher_init(&publisher, &config, ingest);
	assert_false(line_wait_must(&wait, &publisher, clock_now_ns()));
	publisher_finish(&publisher);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static int start(void **state)
{
	(void)state;
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       line_server_create(&server, sandbox, NULL);
}

static int stop(void **state)
{
	(void)state;
	line_server_destroy(server);
	sandbox_stop(sandbox);
	return 0;
}

UNIT_TESTS(test_source_lines)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_request_becomes_the_line_and_the_chain),
		TEST(test_a_reply_has_what_was_inlined),
		TEST(test_a_reply_has_the_places_of_its_functions),
		TEST(test_a_tree_requests_what_weighs_most),
		TEST(test_a_tree_requests_nothing_that_it_knows),
		TEST(test_inlined_names_have_a_limit),
		TEST(test_what_is_known_is_not_asked_for_again),
		TEST(test_only_the_newest_request_is_asked_for_next),
		TEST(test_what_nobody_requests_any_more_is_cancelled),
		TEST(test_a_late_reply_is_not_that_of_another_dso),
		TEST(test_code_without_debug_information_says_why_and_is_left_alone),
		TEST(test_nobody_asks_for_run_time_code_or_before_names_are_known),
		TEST(test_each_module_of_the_kernel_has_a_file_of_its_own),
		TEST(test_a_file_that_nobody_maps_is_not_requested_forever),
		TEST(test_a_file_of_an_ended_process_is_known_by_its_inode),
		TEST(test_samples_wait_for_their_lines),
		TEST(test_samples_wait_no_longer_than_their_time),
		TEST(test_the_lines_of_a_replaced_file_come_from_the_copy_that_is_mapped),
		TEST(test_a_waiting_snapshot_goes_with_its_lines),
		TEST(test_a_waiting_snapshot_goes_without_them_when_its_time_has_come),
		TEST(test_groups_wait_for_the_lines_of_all_that_is_shown),
		TEST(test_groups_wait_for_no_lines_that_nobody_can_read),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
