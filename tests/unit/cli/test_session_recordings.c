/* Two recordings, from the files to the snapshot: the second beside what the first counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/analyzer.h"
#include "cli/session.h"
#include "elf/file_jobs.h"
#include "perf_data_writer.h"
#include "unit_tests.h"

#define KERNEL 0xffffffff81000000

enum { MEMORY_BYTES = 16 << 20 };

static char directory[] = "/tmp/flametop-test-XXXXXX";
static char paths[2][64];
static struct perf_data_writer writers[2];
static struct session_recordings recordings;
static struct snapshot *last;
static struct sandbox *sandbox;
static struct dso_opener *opener;	/* NULL: no names */

static int make_directory(void **state)
{
	(void)state;
	if (sandbox_start(&sandbox, worker_run, NULL) || !mkdtemp(directory))
		return -1;
	for (int i = 0; i < 2; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%c.data", directory, 'a' + i);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	sandbox_stop(sandbox);
	return rmdir(directory);
}

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		perf_data_writer_init(&writers[i]);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_destroy(last);
	last = NULL;
	session_recordings_close(&recordings);
	for (int i = 0; i < 2; i++) {
		perf_data_writer_finish(&writers[i]);
		unlink(paths[i]);
	}
	return 0;
}

/* A program that is mapped as pid @pid from @time_ns on; the event is number @event. */
static void add_program(struct perf_data_writer *writer, uint32_t pid, uint64_t time_ns)
{
	perf_data_writer_comm(writer, pid, pid, time_ns, "program", false);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_USER, pid, time_ns, 0x400000, 0x10000, 0,
			      "/bin/program");
}

static void add_samples(struct perf_data_writer *writer, size_t event, uint32_t pid,
			uint64_t time_ns, uint64_t ip, uint64_t count)
{
	const bool is_kernel = ip >= KERNEL;

	for (uint64_t i = 0; i < count; i++) {
		const struct writer_sample sample = {
			.event = event, .pid = pid, .tid = pid, .time_ns = time_ns + i, .ip = ip,
			.misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			.period = 10,
		};

		perf_data_writer_sample(writer, &sample);
	}
}

static void add_event(struct perf_data_writer *writer, const char *name)
{
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
			       WRITER_SAMPLE_TYPE, name);
}

static void take_last(struct analyzer *analyzer)
{
	while (!last || !last->is_last) {
		struct pollfd waiting = { .fd = analyzer_fd(analyzer), .events = POLLIN };

		assert_int_equal(poll(&waiting, 1, 60 * 1000), 1);	/* a minute: it hangs */
		snapshot_destroy(last);
		last = analyzer_take_snapshot(analyzer);
		assert_true(!last || last->has_baseline || last->end_err);
	}
}

/* A key that is pressed while the first is read: all of it is in the queue by then. */
static const struct request *early_request;
static nlink_t threads_before;	/* the reader's began: a sanitizer may have one of its own */

static nlink_t count_threads(void)
{
	struct stat tasks;

	assert_int_equal(stat("/proc/self/task", &tasks), 0);
	return tasks.st_nlink;
}

static void press_early(struct analyzer *analyzer)
{
	while (count_threads() > threads_before)	/* the reader has not ended */
		sched_yield();
	assert_true(analyzer_request(analyzer, early_request));
}

static void analyze(unsigned int keys)
{
	struct analyzer_config config = {
		.wants_all_events = true, .host = "", .query.keys = keys, .window = WINDOW_ALL,
		.interval_ns = 1000000000, .memory_bytes = MEMORY_BYTES, .opener = opener,
	};
	struct analyzer *analyzer;
	struct spsc queue;
	struct diag why;

	assert_int_equal(session_recordings_open(&recordings, paths[0], paths[1], NULL, &why), 0);
	session_recordings_configure(&recordings, &config);
	assert_int_equal(spsc_init(&queue, 1 << 20), 0);
	config.queue = &queue;
	assert_int_equal(analyzer_create(&analyzer, &config, &why), 0);
	threads_before = count_threads();
	assert_int_equal(perf_data_start(recordings.first.reader, &queue, &why), 0);
	if (early_request)
		press_early(analyzer);
	assert_int_equal(analyzer_start(analyzer, &why), 0);
	take_last(analyzer);
	analyzer_destroy(analyzer);
	dso_opener_destroy(opener);
	opener = NULL;
	session_recordings_close(&recordings);
	spsc_finish(&queue);
}

static void compare_as_saved(unsigned int keys)
{
	for (int i = 0; i < 2; i++)
		perf_data_writer_save(&writers[i], paths[i]);
	analyze(keys);
}

static const struct snapshot_row *find(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (snapshot->rows[i].address == address)
			return &snapshot->rows[i];
	fail_msg("no row 0x%llx", (unsigned long long)address);
	return NULL;
}

static void expect(const struct snapshot *snapshot, uint64_t address, uint64_t now, uint64_t then)
{
	const struct snapshot_row *row = find(snapshot, address);

	assert_int_equal(row->now.self.samples, now);
	assert_int_equal(row->base.self.samples, then);
	assert_true(row->now.self.weight == 10.0 * (double)now);
	assert_true(row->base.self.weight == 10.0 * (double)then);
}

/* The second was recorded before the first, by the clock, and as another process. */
static void test_the_second_stands_beside_what_the_first_counted(void **state)
{
	(void)state;
	add_event(&writers[0], "cpu-clock");
	add_program(&writers[0], 10, 5000);
	add_samples(&writers[0], 0, 10, 6000, 0x400100, 5);
	add_samples(&writers[0], 0, 10, 7000, 0x400200, 3);
	add_event(&writers[1], "cpu-clock");
	writers[1].host = "second-host";
	add_program(&writers[1], 20, 100);
	add_samples(&writers[1], 0, 20, 200, 0x400100, 2);
	add_samples(&writers[1], 0, 20, 300, 0x400300, 4);
	compare_as_saved(KEY_COMM | KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);
	assert_int_equal(last->end_err, 0);
	assert_string_equal(last->target, "recording b.data");
	assert_string_equal(last->host, "second-host");
	assert_string_equal(last->baseline.label, "a.data");
	assert_string_equal(last->notice, "");
	assert_true(last->is_compared);
	assert_int_equal(last->samples, 6);
	assert_int_equal(last->baseline.samples, 8);
	assert_int_equal(last->baseline.begin_ns, 6000);
	assert_int_equal(last->baseline.end_ns, 7002);
	assert_int_equal(last->time_ns, 303);
	assert_int_equal(last->lost_late, 0);
	assert_int_equal(last->unattributed, 0);
	assert_int_equal(last->row_count, 3);
	expect(last, 0x100, 2, 5);
	expect(last, 0x200, 0, 3);
	expect(last, 0x300, 4, 0);
	assert_string_equal(find(last, 0x200)->dso_path, "/bin/program");
	assert_string_equal(find(last, 0x200)->comm, "program");
}

static void test_a_key_before_the_first_frame_leaves_the_comparison_on(void **state)
{
	const struct request key = {
		.kind = REQUEST_QUERY, .query = { .number = 3, .keys = KEY_DSO },
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		add_event(&writers[i], "cpu-clock");
		add_program(&writers[i], 10, 40);
		add_samples(&writers[i], 0, 10, 60, 0x400100, 2);
	}
	early_request = &key;
	compare_as_saved(KEY_COMM);
	early_request = NULL;
	assert_int_equal(last->query, 3);
	assert_true(last->is_compared);
}

/* "z" would leave a baseline without samples. */
static void test_zero_leaves_the_first_alone(void **state)
{
	const struct request zero = { .kind = REQUEST_ZERO };

	(void)state;
	for (int i = 0; i < 2; i++) {
		add_event(&writers[i], "cpu-clock");
		add_program(&writers[i], 10, 40);
		add_samples(&writers[i], 0, 10, 60, 0x400100, 2);
	}
	early_request = &zero;
	compare_as_saved(KEY_COMM);
	early_request = NULL;
	assert_int_equal(last->baseline.samples, 2);
	assert_int_equal(last->samples, 2);
}

static void test_events_are_compared_by_name(void **state)
{
	(void)state;
	add_event(&writers[0], "cycles");
	add_event(&writers[0], "faults");
	add_program(&writers[0], 10, 5000);
	add_samples(&writers[0], 0, 10, 6000, 0x400100, 5);
	add_samples(&writers[0], 1, 10, 7000, 0x400100, 3);
	add_event(&writers[1], "faults");
	add_event(&writers[1], "misses");
	add_program(&writers[1], 20, 100);
	add_samples(&writers[1], 0, 20, 200, 0x400100, 2);
	add_samples(&writers[1], 1, 20, 300, 0x400100, 4);
	compare_as_saved(KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);
	assert_string_equal(last->event, "faults");
	assert_true(last->is_compared);
	expect(last, 0x100, 2, 3);
	assert_string_equal(last->next_event->event, "misses");
	assert_true(last->next_event->has_baseline && !last->next_event->is_compared);
	expect(last->next_event, 0x100, 4, 0);
	assert_non_null(strstr(last->notice, "cycles: only in a.data"));
	assert_non_null(strstr(last->notice, "misses: only in b.data"));
}

static void add_kernel(struct perf_data_writer *writer, uint8_t build, uint64_t text)
{
	const struct build_id id = { .bytes = { build, 1, 2, 3 }, .count = 20 };

	perf_data_writer_build_id(writer, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]", &id);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, text, 0x1000000,
			      text, "[kernel.kallsyms]_text");
}

static void add_two_kernels(uint8_t first, uint8_t second, uint64_t second_text)
{
	add_event(&writers[0], "cpu-clock");
	add_kernel(&writers[0], first, KERNEL);
	add_program(&writers[0], 10, 5000);
	add_samples(&writers[0], 0, 10, 6000, KERNEL + 0x100, 5);
	add_event(&writers[1], "cpu-clock");
	add_kernel(&writers[1], second, second_text);
	add_program(&writers[1], 20, 100);
	add_samples(&writers[1], 0, 20, 200, second_text + 0x100, 2);
	compare_as_saved(KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);
}

static void test_a_kernel_that_was_started_again_is_the_same(void **state)
{
	(void)state;
	add_two_kernels(7, 7, KERNEL + 0x3000000);
	assert_int_equal(last->row_count, 1);
	expect(last, KERNEL + 0x100, 2, 5);
}

static void test_addresses_of_another_kernel_are_others(void **state)
{
	(void)state;
	add_two_kernels(7, 8, KERNEL);
	assert_int_equal(last->row_count, 2);
	assert_int_equal(last->rows[0].now.self.samples, 2);
	assert_int_equal(last->rows[0].base.self.samples, 0);
	assert_int_equal(last->rows[1].now.self.samples, 0);
	assert_int_equal(last->rows[1].base.self.samples, 5);
	for (int i = 0; i < 2; i++)
		assert_string_equal(last->rows[i].dso, "[kernel]");
}

/* As `perf record --kcore` does: a directory, in which "data" has the records. */
static void save_with_names(int recording, const char *names)
{
	char path[128];

	assert_int_equal(mkdir(paths[recording], 0700), 0);
	snprintf(path, sizeof(path), "%s/kcore_dir", paths[recording]);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", paths[recording]);
	perf_data_writer_save_bytes(names, strlen(names), path);
	snprintf(path, sizeof(path), "%s/data", paths[recording]);
	perf_data_writer_save(&writers[recording], path);
}

static void remove_with_names(int recording)
{
	static const char *const names[] = { "data", "kcore_dir/kallsyms", "kcore_dir", "" };
	char path[128];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", paths[recording], names[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void expect_named(const char *dso, const char *symbol, uint64_t now, uint64_t then)
{
	for (size_t i = 0; i < last->row_count; i++) {
		const struct snapshot_row *row = &last->rows[i];

		if (strcmp(row->dso, dso) || strcmp(row->symbol, symbol))
			continue;
		assert_int_equal(row->now.self.samples, now);
		assert_int_equal(row->base.self.samples, then);
		return;
	}
	fail_msg("no row %s %s", dso, symbol);
}

static void add_kernel_with_module(int recording, uint64_t module)
{
	struct perf_data_writer *writer = &writers[recording];

	add_event(writer, "cpu-clock");
	add_kernel(writer, (uint8_t)(7 + recording), KERNEL);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, module, 0x1000, 0,
			      "/lib/modules/6.1/kernel/ext.ko");
	add_program(writer, 10, 5000);
}

/* Neither is the running one. Functions lie elsewhere in each. */
static void test_kernels_have_the_names_that_their_recordings_brought(void **state)
{
	const uint64_t first_module = 0xffffffffc0001000, second_module = 0xffffffffc0005000;

	(void)state;
	add_kernel_with_module(0, first_module);
	add_samples(&writers[0], 0, 10, 6000, KERNEL + 0x120, 5);
	add_samples(&writers[0], 0, 10, 6100, first_module + 0x80, 4);
	save_with_names(0, "ffffffff81000000 T _stext\n"
			   "ffffffff81000100 T first\n"
			   "ffffffff81000200 T other\n"
			   "ffffffff81000300 T _etext\n"
			   "ffffffffc0001000 t ext_read\t[ext]\n");
	add_kernel_with_module(1, second_module);
	add_samples(&writers[1], 0, 10, 6000, KERNEL + 0x220, 2);
	add_samples(&writers[1], 0, 10, 6100, KERNEL + 0x120, 1);
	add_samples(&writers[1], 0, 10, 6200, second_module + 0x80, 3);
	save_with_names(1, "ffffffff81000000 T _stext\n"
			   "ffffffff81000100 T second\n"
			   "ffffffff81000200 T third\n"
			   "ffffffff81000300 T _etext\n"
			   "ffffffffc0005000 t ext_write\t[ext]\n");
	assert_int_equal(dso_opener_create(&opener, sandbox, NULL, NULL), 0);
	analyze(KEY_DSO | KEY_SYMBOL);
	assert_int_equal(last->end_err, 0);
	expect_named("[kernel]", "first", 0, 5);
	expect_named("[kernel]", "second", 1, 0);
	expect_named("[kernel]", "third", 2, 0);
	expect_named("[ext]", "ext_read", 0, 4);
	expect_named("[ext]", "ext_write", 3, 0);
	assert_int_equal(last->row_count, 5);
	remove_with_names(0);
	remove_with_names(1);
}

static void test_a_damaged_list_of_names_is_the_reason_that_there_are_none(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		add_event(&writers[i], "cpu-clock");
		add_kernel(&writers[i], 7, KERNEL);
		add_program(&writers[i], 10, 5000);
		add_samples(&writers[i], 0, 10, 6000, KERNEL + 0x120, 5);
		save_with_names(i, "no list\n");
	}
	assert_int_equal(dso_opener_create(&opener, sandbox, NULL, NULL), 0);
	analyze(KEY_DSO | KEY_SYMBOL);
	assert_int_equal(last->row_count, 1);
	assert_int_equal(last->rows[0].now.self.samples, 5);
	assert_int_equal(last->rows[0].state, SYMBOL_UNREADABLE);
	assert_non_null(strstr(last->rows[0].reason, "no kernel symbols"));
	remove_with_names(0);
	remove_with_names(1);
}

static void add_lost(struct perf_data_writer *writer, uint64_t count)
{
	const uint64_t id = perf_data_writer_id(0);
	/* id and count; then the trailer: task, time, CPU, identifier */
	const uint64_t words[] = { id, count, PAIR(10, 10), 50, 0, id };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_LOST, 0);
	record_add(&record, words, COUNT_OF(words));
	perf_data_writer_record(writer, &record);
}

static void test_losses_are_each_recordings_own(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		add_event(&writers[i], "cpu-clock");
		add_program(&writers[i], 10, 40);
		add_lost(&writers[i], i ? 3 : 11);
		add_samples(&writers[i], 0, 10, 60, 0x400100, 2);
	}
	compare_as_saved(KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);
	assert_int_equal(last->lost_kernel, 3);
	assert_string_equal(last->notice,
			    "a.data lacks 11 samples that were lost when it was recorded");
}

static void test_a_first_without_samples_is_an_empty_baseline(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		add_event(&writers[i], "cpu-clock");
		add_program(&writers[i], 10, 40);
	}
	add_samples(&writers[1], 0, 10, 60, 0x400100, 2);
	compare_as_saved(KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);
	assert_true(last->is_compared);
	assert_int_equal(last->baseline.samples, 0);
	expect(last, 0x100, 2, 0);
}

/* A record of the first has no event. */
static void test_damage_says_in_which_it_is(void **state)
{
	(void)state;
	for (int which = 0; which < 2; which++) {
		struct record_bytes record;
		const uint64_t word = 0;

		for (int i = 0; i < 2; i++) {
			add_event(&writers[i], "cpu-clock");
			add_program(&writers[i], 10, 40);
		}
		record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		record_add(&record, &word, 1);
		perf_data_writer_record(&writers[which], &record);
		compare_as_saved(KEY_DSO);
		assert_true(last->end_err < 0);
		assert_memory_equal(last->end_reason, which ? "b.data: " : "a.data: ", 8);
		tear_down(state);
		set_up(state);
	}
}

static void test_a_file_that_is_not_there_is_named(void **state)
{
	struct diag why;

	(void)state;
	add_event(&writers[0], "cpu-clock");
	add_program(&writers[0], 10, 40);
	perf_data_writer_save(&writers[0], paths[0]);
	assert_int_equal(session_recordings_open(&recordings, paths[0], paths[1], NULL, &why),
			 -ENOENT);
	assert_non_null(strstr(why.text, "b.data: No such file"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_session_recordings)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_second_stands_beside_what_the_first_counted),
		TEST(test_a_key_before_the_first_frame_leaves_the_comparison_on),
		TEST(test_zero_leaves_the_first_alone),
		TEST(test_events_are_compared_by_name),
		TEST(test_a_kernel_that_was_started_again_is_the_same),
		TEST(test_addresses_of_another_kernel_are_others),
		TEST(test_kernels_have_the_names_that_their_recordings_brought),
		TEST(test_a_damaged_list_of_names_is_the_reason_that_there_are_none),
		TEST(test_losses_are_each_recordings_own),
		TEST(test_a_first_without_samples_is_an_empty_baseline),
		TEST(test_damage_says_in_which_it_is),
		TEST(test_a_file_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
