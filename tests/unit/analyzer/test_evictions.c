/* What budgets may take away, taken away after every step: two fixtures see the same records. One
 * has room for everything. In the other, whatever may go goes after each step, so that every number
 * and pointer into it is of the past. Both must show the same.
 *
 * Adding a holder: give `steps` a step by which it comes to hold something, snapshot_lines.c a line
 * that shows it, and `evictions` what takes that away.
 *
 * By design one thing is lost: code first seen after its symtab went has no name until the symtab
 * is back. Each step waits for that: test_table_budget.c tests what is shown meanwhile. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "analyzer/publisher.h"
#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "hit_fixture.h"
#include "ingest/ingest.h"
#include "random_numbers.h"
#include "snapshot_lines.h"
#include "unit_tests.h"

#define S	       UINT64_C(1000000000)
#define STEP_S	       70	/* numbers of DSOs are given out again after a minute */
#define MAPPED_BYTES   0x4000
#define JIT_CODE       UINT64_C(0x7f0000000000)
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */
#define STEPS	       16
#define SEEDS	       2
#define SLICES_STAY    6

enum { FUNCTIONS = 8, EVENTS = 2 };	/* EVENTS: one with a copy of the stack */
enum { FILE_ONE, FILE_COPY, FILE_LATE, FILE_TWO, FILE_OTHER, FILES };
enum { SERVER, CLIENT, JIT, CHILDREN };	/* JIT writes code at run time */

static struct {
	char path[256];
	void *mapping;
	struct stat status;
	uint64_t function[FUNCTIONS];	/* file offsets */
} files[FILES];

static pid_t children[CHILDREN];
static char map_path[64];

struct model {
	struct sandbox *sandbox, *names_sandbox;
	struct dso_opener *opener;
	struct demangler *demangler;
	struct ingest_fixture feed;
	struct analyzer_config config;
	struct publisher publisher;
	uint64_t now_ns;
	uint64_t work;		/* seed of the steps */
	uint32_t strangers;	/* processes that have come and gone */
	uint32_t unwind_evictions;
	bool has_ended;		/* the JIT */
};

static struct model roomy, narrow;

static void build(int file, unsigned int number)
{
	assert_true(elf_fixture_run(
		"for f in 0 1 2 3 4 5 6 7; do echo \"int _Z4f${f}_%uv(void) { return $f; }\"; "
		"done | cc -O1 -shared -nostdlib -x c - -o %s", number, files[file].path));
}

static void map(int file, unsigned int number)
{
	const struct elf_loads loads = elf_fixture_loads(files[file].path);
	const int fd = open(files[file].path, O_RDONLY | O_CLOEXEC);
	char name[16];

	assert_int_equal(fstat(fd, &files[file].status), 0);
	files[file].mapping = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(files[file].mapping != MAP_FAILED);
	close(fd);
	for (unsigned int f = 0; f < FUNCTIONS; f++) {
		snprintf(name, sizeof(name), "_Z4f%u_%uv", f, number);
		assert_true(elf_fixture_to_offset(&loads,
						  elf_fixture_vaddr(files[file].path, name),
						  &files[file].function[f]));
	}
}

/* Files 0 to 2 have one path and the same bytes, but are three: as a package that was installed
 * again, twice. */
static void make_files(void)
{
	snprintf(files[FILE_ONE].path, sizeof(files[0].path), "%s", elf_fixture_path("one.so"));
	build(FILE_ONE, 1);
	map(FILE_ONE, 1);
	for (int file = FILE_COPY; file <= FILE_LATE; file++) {
		const char *path = files[FILE_ONE].path;

		snprintf(files[file].path, sizeof(files[0].path), "%s", path);
		assert_true(elf_fixture_run("cp %s copy.so && mv copy.so %s", path, path));
		map(file, 1);
	}
	snprintf(files[FILE_TWO].path, sizeof(files[0].path), "%s", elf_fixture_path("two.so"));
	build(FILE_TWO, 2);
	map(FILE_TWO, 2);
	snprintf(files[FILE_OTHER].path, sizeof(files[0].path), "%s",
		 elf_fixture_path("other.so"));
	build(FILE_OTHER, 3);
	map(FILE_OTHER, 3);
}

static void start_children(void)
{
	FILE *out;

	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", children[JIT]);
	out = fopen(map_path, "w");
	assert_non_null(out);
	fprintf(out, "7f0000000000 100 first\n7f0000000100 100 second\n");
	assert_int_equal(fclose(out), 0);
}

static int group_set_up(void **state)
{
	if (elf_fixture_make_directory(state))
		return -1;
	make_files();
	start_children();
	return 0;
}

static int group_tear_down(void **state)
{
	for (int i = 0; i < CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	unlink(map_path);
	for (int i = 0; i < FILES; i++)
		munmap(files[i].mapping, MAPPED_BYTES);
	return elf_fixture_remove_directory(state);
}

static void take_replies(struct model *model)
{
	struct pollfd wait = { .fd = dso_opener_fd(model->opener), .events = POLLIN };

	jit_poll(&model->feed.ingest);
	while (model->feed.ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&model->feed.ingest);
	}
}

/* Samples that wait for unwind tables get them, and names are demangled. */
static void wait_for_everything(struct model *model)
{
	struct ingest *ingest = &model->feed.ingest;
	struct pollfd names = { .fd = demangler_fd(model->demangler), .events = POLLIN };

	do {
		take_replies(model);
		for (uint32_t i = 0; i < ingest->pending_count; i++)
			ingest->pending->list[i].deadline_ns = UINT64_MAX;
		ingest_poll(ingest, false);
		ingest->names.asked_ns = 0;	/* it need not wait for more names */
		if (demangler_under_way(model->demangler))
			assert_int_equal(poll(&names, 1, REPLY_LIMIT_MS), 1);
	} while (ingest->pending_count || ingest->opening ||
		 symbol_names_are_pending(&ingest->names));
}

/* The steps. */

static uint32_t pid_of(int child)
{
	return (uint32_t)children[child];
}

static void map_file(struct model *model, uint32_t pid, int file)
{
	const struct stat *status = &files[file].status;
	struct event_record record = { .mode = MODE_USER, .has_pid = true, .pid = pid,
				       .time_ns = model->now_ns };
	struct record_mmap *mmap = &record.mmap;

	mmap->start = (uintptr_t)files[file].mapping;
	mmap->bytes = MAPPED_BYTES;
	mmap->path = (struct record_text){ files[file].path, strlen(files[file].path) };
	mmap->is_executable = mmap->has_inode = true;
	mmap->dev_major = major(status->st_dev);
	mmap->dev_minor = minor(status->st_dev);
	mmap->inode = status->st_ino;
	mappings_mmap(&model->feed.ingest, &record);
}

static uint64_t address(int file, uint32_t function)
{
	return (uintptr_t)files[file].mapping + files[file].function[function];
}

/* A sample of @child whose stack is three functions of these files, leaf first. */
static void sample(struct model *model, int child, const int list[3])
{
	const uint64_t chain[] = {
		PERF_CONTEXT_USER, address(list[0], random_below(&model->work, FUNCTIONS)),
		address(list[1], random_below(&model->work, FUNCTIONS)) + 1,
		address(list[2], random_below(&model->work, FUNCTIONS)) + 1,
	};

	feed_sample_at(&model->feed, ++model->now_ns, pid_of(child), pid_of(child),
		       PERF_RECORD_MISC_USER, chain[1], chain, COUNT_OF(chain));
}

static void take_samples(struct model *model)
{
	for (uint32_t i = 0; i < 8; i++) {
		const int client[] = { FILE_TWO, FILE_COPY, FILE_TWO };
		const int server[] = { FILE_ONE, FILE_TWO, FILE_ONE };

		sample(model, CLIENT, client);
		sample(model, SERVER, server);
	}
}

/* Each function is a return address deep: the stack ends where its copy does. */
static void unwind_stacks(struct model *model)
{
	for (uint32_t i = 0; i < 4; i++) {
		const uint64_t words[] = {
			address(FILE_TWO, random_below(&model->work, FUNCTIONS)) + 1,
			address(FILE_ONE, random_below(&model->work, FUNCTIONS)) + 1,
			address(FILE_TWO, random_below(&model->work, FUNCTIONS)) + 1,
		};

		feed_sample_copy(&model->feed, ++model->now_ns, pid_of(SERVER),
				 address(FILE_ONE, random_below(&model->work, FUNCTIONS)),
				 0x7ffe00001000, words, COUNT_OF(words));
	}
}

static void sample_the_late_copy(struct model *model)
{
	const int list[] = { FILE_LATE, FILE_LATE, FILE_TWO };

	map_file(model, pid_of(SERVER), FILE_LATE);
	sample(model, SERVER, list);
	sample(model, SERVER, list);
}

static void rename_the_client(struct model *model)
{
	char name[16];

	snprintf(name, sizeof(name), "client %u", random_below(&model->work, 5));
	feed_comm(&model->feed, ++model->now_ns, pid_of(CLIENT), pid_of(CLIENT), name, false);
	take_samples(model);
}

/* It has a file that nobody can open, and memory that no map names. */
static void let_a_stranger_live(struct model *model)
{
	const uint32_t pid = 5000000 + model->strangers++;
	char path[32];

	snprintf(path, sizeof(path), "/gone/%u", pid);
	feed_fork(&model->feed, ++model->now_ns, pid_of(SERVER), pid_of(SERVER), pid, pid);
	feed_comm(&model->feed, ++model->now_ns, pid, pid, "stranger", true);
	feed_mmap(&model->feed, ++model->now_ns, pid, 0x400000, 0x10000, 0, path);
	feed_mmap(&model->feed, ++model->now_ns, pid, 0x800000, 0x10000, 0, "//anon");
	feed_round(&model->feed, ++model->now_ns);
	take_replies(model);
	for (uint64_t i = 0; i < 3; i++) {
		feed_sample(&model->feed, ++model->now_ns, pid, pid, 0x400000 + i);
		feed_sample(&model->feed, ++model->now_ns, pid, pid, 0x800000 + i);
	}
	feed_exit(&model->feed, ++model->now_ns, pid, pid);
}

static void run_jit_code(struct model *model)
{
	const uint32_t pid = pid_of(JIT);
	const uint64_t chain[] = { PERF_CONTEXT_USER,
				   JIT_CODE + 0x100u * random_below(&model->work, 2),
				   JIT_CODE + 0x101, JIT_CODE + 0x900 };

	if (model->has_ended)
		return;
	feed_sample_at(&model->feed, ++model->now_ns, pid, pid, PERF_RECORD_MISC_USER, chain[1],
		       chain, COUNT_OF(chain));
}

static void end_the_jit(struct model *model)
{
	if (!model->has_ended)
		feed_exit(&model->feed, ++model->now_ns, pid_of(JIT),
			  pid_of(JIT));
	model->has_ended = true;
}

static void hit_the_probe(struct model *model)
{
	struct hit_record hit = {
		.time_ns = ++model->now_ns, .pid = pid_of(SERVER), .tid = pid_of(SERVER),
		.sp = 0x1000, .return_address = 0x40, .number = random_below(&model->work, 9),
	};

	hit.text = hit.number % 2 ? "odd" : "even";
	assert_true(hit_fixture_enter(&model->feed.ingest, 1, &hit));
	hit.time_ns = model->now_ns += 1000u * (1 + random_below(&model->work, 90));
	hit.sp += RETURN_BYTES;
	assert_true(hit_fixture_leave(&model->feed.ingest, 1, &hit));
}

static void mark_the_baseline(struct model *model)
{
	const uint64_t length_ns = 3 * STEP_S * S;

	feed_round(&model->feed, ++model->now_ns);
	publisher_mark(&model->publisher,
		       model->now_ns > length_ns ? model->now_ns - length_ns : 1, model->now_ns,
		       false);
	assert_true(model->feed.ingest.baseline.is_set);
}

/* The file's place in the client becomes other memory, and the file's again. */
static void map_anew(struct model *model)
{
	feed_mmap(&model->feed, ++model->now_ns, pid_of(CLIENT),
		  (uintptr_t)files[FILE_COPY].mapping, 0x1000, 0, "//anon");
	feed_round(&model->feed, ++model->now_ns);
	map_file(model, pid_of(CLIENT), FILE_COPY);
	take_samples(model);
}

typedef void step(struct model *);
static step *const steps[] = {
	take_samples, unwind_stacks, sample_the_late_copy, rename_the_client,
	let_a_stranger_live, run_jit_code, end_the_jit, hit_the_probe,
	mark_the_baseline, map_anew,
};

/* The evictions. */

/* The symtab that is needed last stays, and nobody needs that of the last file. */
static void let_symtabs_go(struct model *model)
{
	struct ingest *ingest = &model->feed.ingest;

	for (uint32_t i = 0; i < ingest->dsos.count; i++)
		if (!strcmp(strpool_get(ingest->strings, ingest->dsos.dsos[i].path),
			    files[FILE_OTHER].path))
			ingest->dsos.dsos[i].needed_round = UINT32_MAX;
	ingest_limit_tables(ingest, 0);
	take_replies(model);
}

/* The table that was hit last stays; none was hit since. */
static void let_unwind_tables_go(struct model *model)
{
	struct ingest *ingest = &model->feed.ingest;
	struct unwind_set *set = &ingest->tables->unwind;
	const size_t bytes_max = set->bytes_max;
	struct open_request request = { .purpose = OPEN_RETURN_UNWIND };

	set->bytes_max = 0;
	set->hits++;
	while (unwind_set_evict(set, &request.table_number, &request.table_received)) {
		requests_send(ingest, &request);
		model->unwind_evictions++;
	}
	set->bytes_max = bytes_max;
	ingest->tables_epoch++;
	take_replies(model);
}

static void compact(struct model *model)
{
	model->feed.ingest.names.is_full = true;
	model->feed.ingest.dsos.is_full = true;
	assert_true(budget_compact(&model->feed.ingest));
	publisher_renumbered(&model->publisher);
}

static void forget_the_dead(struct model *model)
{
	if (budget_enforce(&model->feed.ingest, SIZE_MAX, model->now_ns))
		publisher_renumbered(&model->publisher);
}

static void let_compiled_code_go(struct model *model)
{
	model->feed.ingest.jit->swept_ns = 0;
	take_replies(model);
}

static void merge_ticks(struct model *model)
{
	timeline_merge_ticks(&model->feed.ingest.timeline, model->now_ns);
	live_window_reset(&model->publisher.window);
}

static step *const evictions[] = {
	let_symtabs_go, let_unwind_tables_go, compact, forget_the_dead, let_compiled_code_go,
	merge_ticks,
};

static void show(struct model *model, struct snapshot_lines *lines, bool has_ids)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot;

	*lines = (struct snapshot_lines){ .has_ids = has_ids };
	for (uint32_t event = 0; event < EVENTS; event++) {
		model->publisher.event = event;
		model->publisher.wants_stacks = true;
		snapshot = publisher_make(&model->publisher, false, &why);
		assert_non_null(snapshot);
		snapshot_lines_add(lines, snapshot);
		snapshot_destroy(snapshot);
	}
	snapshot_lines_sort(lines);
}

static void start_sandboxes(struct model *model)
{
	assert_int_equal(sandbox_start(&model->sandbox, worker_run, NULL), 0);
	assert_int_equal(sandbox_start(&model->names_sandbox, worker_run, NULL), 0);
}

/* An odd seed shows all of history and callees, an even one the newest 100 s and callers. */
static void start(struct model *model, uint64_t seed)
{
	const struct ingest_config live = { .is_replay = false, .event_count = EVENTS };

	assert_int_equal(dso_opener_create(&model->opener, model->sandbox, NULL, NULL), 0);
	assert_int_equal(demangler_create(&model->demangler, model->names_sandbox, NULL), 0);
	feed_init(&model->feed, &live, NULL);
	model->feed.ingest.opener = model->opener;
	model->feed.ingest.names.demangler = model->demangler;
	model->feed.ingest.wants_unwind = true;
	model->config = (struct analyzer_config){
		.ingest = model->feed.ingest.config, .host = "", .target = "", .notice = "",
		.window = seed % 2 ? WINDOW_ALL : WINDOW_SECONDS,
		.window_ns = LIVE_WINDOW_MAX_NS, .memory_bytes = SIZE_MAX,
		.query = { .keys = KEY_DSO | KEY_SYMBOL | KEY_COMM | KEY_PID, .compare = true,
			   .tree = seed % 2 ? TREE_CALLEES : TREE_CALLERS,
			   .tree_idle = true, .tree_limit_pct = -1,
			   .group_count = 4, .probe = 1,
			   .groups = { GROUP_COMM, GROUP_DSO, GROUP_SYMBOL, GROUP_PARENT } },
	};
	assert_int_equal(publisher_init(&model->publisher, &model->config, &model->feed.ingest),
			 0);
	model->work = seed;
	model->now_ns = S;
	model->strangers = 0;
	model->unwind_evictions = 0;
	model->has_ended = false;
	hit_fixture_add(&model->feed.ingest, 1, PROBE_USER, PROBE_LATENCY, "", 0);
	for (int i = 0; i < CHILDREN; i++)
		feed_comm(&model->feed, ++model->now_ns, pid_of(i), pid_of(i), "child", true);
	feed_round(&model->feed, ++model->now_ns);
	map_file(model, pid_of(SERVER), FILE_ONE);
	map_file(model, pid_of(CLIENT), FILE_COPY);
	map_file(model, pid_of(SERVER), FILE_TWO);
	map_file(model, pid_of(CLIENT), FILE_TWO);
	map_file(model, pid_of(CLIENT), FILE_OTHER);
	feed_mmap(&model->feed, ++model->now_ns, pid_of(JIT), JIT_CODE, 0x1000, 0,
		  "//anon");
	feed_round(&model->feed, ++model->now_ns);
	take_replies(model);
}

static void end(struct model *model)
{
	publisher_finish(&model->publisher);
	demangler_destroy(model->demangler);
	sandbox_stop(model->names_sandbox);
	feed_finish(&model->feed);
	dso_opener_destroy(model->opener);
	sandbox_stop(model->sandbox);
}

static void run(struct model *model, step *what)
{
	model->now_ns += STEP_S * S;
	what(model);
	feed_round(&model->feed, ++model->now_ns);
	hit_fixture_round(&model->feed.ingest, model->now_ns);
	wait_for_everything(model);
}

/* Names that a snapshot needed are there in the next one. */
static void show_names(struct model *model, struct snapshot_lines *lines)
{
	struct snapshot_lines first;

	for (int second = 0; second < 2; second++) {
		show(model, &first, false);
		snapshot_lines_free(&first);
		ingest_limit_tables(&model->feed.ingest, SIZE_MAX);
		wait_for_everything(model);
	}
	show(model, lines, false);
}

static void expect_same_in_both(void)
{
	struct snapshot_lines with_room, without;

	show_names(&roomy, &with_room);
	show_names(&narrow, &without);
	snapshot_lines_expect_same(&with_room, &without);
	snapshot_lines_free(&with_room);
	snapshot_lines_free(&without);
}

/* History is as short in both, so that numbers of what was first are given to what comes later. */
static void forget_the_oldest(struct model *model)
{
	struct timeline *timeline = &model->feed.ingest.timeline;

	assert_int_equal(timeline_cut(timeline, model->now_ns), 0);
	timeline_roll_up(timeline, model->now_ns);
	while (timeline->count > SLICES_STAY && timeline_evict_oldest(timeline))
		;
	publisher_renumbered(&model->publisher);
}

static void forget_the_oldest_in_both(void)
{
	forget_the_oldest(&roomy);
	forget_the_oldest(&narrow);
}

static void expect_no_change(struct model *model, step *eviction)
{
	struct snapshot_lines before, after;

	show(model, &before, true);
	eviction(model);
	show(model, &after, true);
	snapshot_lines_expect_same(&before, &after);
	snapshot_lines_free(&before);
	snapshot_lines_free(&after);
}

/* Zygotes are forked before there are threads, which openers have: malloc(3) may be locked in the
 * child of a program with threads. */
static void start_both(uint64_t seed)
{
	start_sandboxes(&roomy);
	start_sandboxes(&narrow);
	start(&roomy, seed);
	start(&narrow, seed);
}

static void end_both(void)
{
	end(&roomy);
	end(&narrow);
}

/* All evictions after each step; each step twice, all in order. */
static void test_what_is_evicted_after_every_step_is_missed_nowhere(void **state)
{
	(void)state;
	start_both(1);
	for (uint32_t i = 0; i < 2 * COUNT_OF(steps); i++) {
		run(&roomy, steps[i % COUNT_OF(steps)]);
		run(&narrow, steps[i % COUNT_OF(steps)]);
		expect_same_in_both();
		forget_the_oldest_in_both();
		for (uint32_t e = 0; e < COUNT_OF(evictions); e++)
			expect_no_change(&narrow, evictions[e]);
	}
	/* Root alone can open a file whose path another one has by now. */
	assert_true(narrow.feed.ingest.counters.tables_let_go > (geteuid() ? 4 : COUNT_OF(steps)));
	assert_int_equal(roomy.feed.ingest.counters.tables_let_go, 0);
	assert_true(narrow.unwind_evictions >= (geteuid() ? 2 : 4));
	end_both();
}

static void test_any_order_of_steps_and_evictions_shows_the_same(void **state)
{
	uint64_t order = 20;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		start_both(seed);
		for (uint32_t i = 0; i < STEPS; i++) {
			step *next = steps[random_below(&order, COUNT_OF(steps))];

			run(&roomy, next);
			run(&narrow, next);
			expect_same_in_both();
			forget_the_oldest_in_both();
			for (uint32_t e = 0; e < COUNT_OF(evictions); e++)
				expect_no_change(&narrow, evictions[random_below(
								  &order, COUNT_OF(evictions))]);
		}
		end_both();
	}
}

UNIT_TESTS(test_evictions)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_evicted_after_every_step_is_missed_nowhere),
		cmocka_unit_test(test_any_order_of_steps_and_evictions_shows_the_same),
	};

	return cmocka_run_group_tests(tests, group_set_up, group_tear_down);
}
