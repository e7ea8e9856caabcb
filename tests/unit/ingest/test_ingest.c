/* Raw records in, counts out: the stories that a kernel tells, by hand. Replay, so that nothing is
 * asked of this machine; what asks it is in test_ingest_live.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "unit_tests.h"

static struct ingest_fixture feed;

/* sh (100) forks 200, which becomes ls, which ends. Offsets: 0x400000 -> /bin/sh+0x1000,
 * 0x500000 -> /bin/ls+0x2000. */
static void test_samples_count_for_who_ran_and_what_was_mapped_then(void **state)
{
	(void)state;
	feed_comm(&feed, 10, 100, 100, "sh", true);
	feed_mmap(&feed, 11, 100, 0x400000, 0x1000, 0x1000, "/bin/sh");
	feed_sample(&feed, 12, 100, 100, 0x400010);
	feed_fork(&feed, 20, 100, 100, 200, 200);
	feed_sample(&feed, 21, 200, 200, 0x400010);	/* still the parent's code */
	feed_comm(&feed, 30, 200, 200, "ls", true);
	feed_sample(&feed, 31, 200, 200, 0x400010);	/* gone by exec */
	feed_mmap(&feed, 32, 200, 0x500000, 0x1000, 0x2000, "/bin/ls");
	feed_sample(&feed, 33, 200, 200, 0x500020);
	feed_sample(&feed, 34, 200, 200, 0x500020);
	feed_sample(&feed, 35, 100, 100, 0x500020);	/* not in the shell */
	feed_exit(&feed, 40, 200, 200);
	feed_round(&feed, 100);

	assert_int_equal(feed_counted(&feed, "sh", 100, "/bin/sh", 0x1010), 1);
	assert_int_equal(feed_counted(&feed, "sh", 200, "/bin/sh", 0x1010), 1);
	assert_int_equal(feed_counted(&feed, "ls", 200, "[unknown]", 0x400010), 1);
	assert_int_equal(feed_counted(&feed, "ls", 200, "/bin/ls", 0x2020), 2);
	assert_int_equal(feed_counted(&feed, "sh", 100, "[unknown]", 0x500020), 1);
	assert_int_equal(feed_samples(&feed), 6);
}

static void test_records_count_in_the_order_of_their_times(void **state)
{
	(void)state;
	feed_sample(&feed, 12, 100, 100, 0x400010);	/* this CPU's ring was read first */
	feed_mmap(&feed, 11, 100, 0x400000, 0x1000, 0, "/bin/sh");
	feed_comm(&feed, 10, 100, 100, "sh", false);
	feed_round(&feed, 11);
	assert_int_equal(feed_samples(&feed), 0);
	feed_round(&feed, 12);
	assert_int_equal(feed_counted(&feed, "sh", 100, "/bin/sh", 0x10), 1);
}

static void test_a_mapping_over_another_cuts_it(void **state)
{
	(void)state;
	feed_mmap(&feed, 1, 100, 0x400000, 0x3000, 0, "/lib/a.so");
	feed_mmap(&feed, 2, 100, 0x401000, 0x1000, 0, "/lib/b.so");
	feed_sample(&feed, 3, 100, 100, 0x400ff0);
	feed_sample(&feed, 3, 100, 100, 0x401000);
	feed_sample(&feed, 3, 100, 100, 0x402000);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":100", 100, "/lib/a.so", 0xff0), 1);
	assert_int_equal(feed_counted(&feed, ":100", 100, "/lib/b.so", 0), 1);
	assert_int_equal(feed_counted(&feed, ":100", 100, "/lib/a.so", 0x2000), 1);
}

static void test_memory_without_a_file_keeps_its_addresses(void **state)
{
	(void)state;
	feed_mmap(&feed, 1, 100, 0x7f0000000000, 0x1000, 0, "//anon");
	feed_sample(&feed, 2, 100, 100, 0x7f0000000123);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":100", 100, "//anon", 0x7f0000000123), 1);
}

static void test_records_without_a_time_hold_at_once(void **state)
{
	(void)state;
	feed_comm(&feed, 0, 100, 100, "init", false);
	feed_mmap(&feed, 0, 100, 0x400000, 0x1000, 0, "/sbin/init");
	feed_sample(&feed, 0, 100, 100, 0x400010);
	assert_int_equal(feed_counted(&feed, "init", 100, "/sbin/init", 0x10), 1);
}

static void test_levels_of_guests_and_hypervisor_have_dsos_of_their_own(void **state)
{
	static const struct { uint16_t misc; const char *path; } known[] = {
		{ PERF_RECORD_MISC_GUEST_KERNEL, "[guest.kernel.kallsyms]" },
		{ PERF_RECORD_MISC_GUEST_USER, "[guest]" },
	};

	(void)state;
	feed_mmap(&feed, 1, 100, 0x400000, 0x1000, 0, "/bin/qemu");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		feed_sample_at(&feed, 2, 100, 100, known[i].misc, 0x400010, NULL, 0);
		feed_round(&feed, 9);
		assert_int_equal(feed_counted(&feed, ":100", 100, known[i].path, 0x400010), 1);
	}
	feed_sample_at(&feed, 10, 100, 100, PERF_RECORD_MISC_HYPERVISOR, 0x400010, NULL, 0);
	feed_round(&feed, 19);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x400010), 1);
}

/*   chain (leaf first): kernel 0xffff...10, user 0x400010, user 0x400020 */
static void test_a_chain_changes_its_level_at_the_markers(void **state)
{
	const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER, 0x400010, 0x400020,
	};
	const struct stack_trie *trie = &feed.ingest.trie;
	uint32_t node;

	(void)state;
	feed_kernel(&feed, 0xffffffff81000000, 0x100000, "[kernel.kallsyms]_text");
	feed_mmap(&feed, 1, 100, 0x400000, 0x1000, 0, "/bin/sh");
	feed_sample_at(&feed, 2, 100, 100, PERF_RECORD_MISC_KERNEL, chain[1], chain, 5);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[kernel.kallsyms]", chain[1]), 1);
	node = trie->stacks.node[0];
	assert_string_equal(feed_path(&feed, trie->nodes.frame[node]), "/bin/sh");
	assert_int_equal(trie->frames.address[trie->nodes.frame[node]], 0x10);
	node = trie->nodes.parent[node];
	assert_int_equal(trie->frames.address[trie->nodes.frame[node]], 0x20);
	assert_int_equal(trie->nodes.parent[node], STACK_NODE_ROOT);
}

static void test_a_chain_at_the_kernels_limit_is_counted_as_truncated(void **state)
{
	uint64_t chain[128] = { PERF_CONTEXT_USER };

	(void)state;
	for (uint64_t i = 1; i < 128; i++)
		chain[i] = 0x400000 + i;
	feed_sample_at(&feed, 1, 100, 100, PERF_RECORD_MISC_USER, chain[1], chain, 127);
	feed_round(&feed, 1);
	assert_int_equal(feed.ingest.timeline.open_slice.stacks.truncated, 0);	/* 126 + marker */
	feed_sample_at(&feed, 2, 100, 100, PERF_RECORD_MISC_USER, chain[1], chain, 128);
	feed_round(&feed, 2);
	assert_int_equal(feed.ingest.timeline.open_slice.stacks.truncated, 1);
}

/*   [kernel.kallsyms]  ffffffff81000000 + 1 MiB
 *   ext4               ffffffffc0000000 + 64 KiB      elsewhere: nothing is known */
static void test_a_recorded_kernel_is_where_the_recording_says(void **state)
{
	static const char ext4[] = "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz";
	const uint64_t kernel_ip = 0xffffffff81000010, ext4_ip = 0xffffffffc0000010;

	(void)state;
	feed_kernel(&feed, 0xffffffff81000000, 0x100000, "[kernel.kallsyms]_text");
	feed_kernel(&feed, 0xffffffffc0000000, 0x10000, ext4);
	feed_sample_at(&feed, 1, 1, 1, PERF_RECORD_MISC_KERNEL, kernel_ip, NULL, 0);
	feed_sample_at(&feed, 1, 1, 1, PERF_RECORD_MISC_KERNEL, ext4_ip, NULL, 0);
	feed_sample_at(&feed, 1, 1, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffa0000010, NULL, 0);
	feed_round(&feed, 9);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[kernel.kallsyms]", kernel_ip), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[unknown]", 0xffffffffa0000010), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, ext4, ext4_ip), 1);
	assert_string_equal(feed_name_of(&feed, ext4), "[ext4]");
}

static void test_modules_have_the_names_of_proc_modules(void **state)
{
	static const char *const known[][2] = {
		{ "/lib/modules/6.1/snd-hda-intel.ko", "[snd_hda_intel]" },
		{ "/x/a.ko.zst", "[a]" },
		{ "[nf_tables]", "[nf_tables]" },
		{ "/x/plain", "[plain]" },
	};
	char huge[400] = "[";

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		feed_kernel(&feed, 0xffffffffc0000000 + i * 0x10000, 0x1000, known[i][0]);
		assert_string_equal(feed_name_of(&feed, known[i][0]), known[i][1]);
	}
	memset(huge + 1, 'x', sizeof(huge) - 2);	/* longer than any name */
	feed_kernel(&feed, 0xffffffffd0000000, 0x1000, huge);
	assert_int_equal(strlen(feed_name_of(&feed, huge)), 255);
}

static void test_a_module_that_comes_after_the_kernels_table_shares_it(void **state)
{
	static const struct flat_header header;
	const struct flat_table table = { .header = &header };
	const struct build_id none = { .count = 0 };
	struct dso_table *dsos = &feed.ingest.dsos;
	uint32_t id = 0;

	(void)state;
	dso_table_set_ready(dsos, DSO_KERNEL, &table, &none);
	feed_kernel(&feed, 0xffffffffc0000000, 0x1000, "/x/late.ko");
	while (strcmp(strpool_get(feed.ingest.strings, dsos->dsos[id].path), "/x/late.ko"))
		id++;
	assert_int_equal(dsos->dsos[id].state, DSO_READY);
	assert_ptr_equal(dsos->dsos[id].table.header, &header);
}

static void test_a_program_made_at_run_time_has_its_name_until_it_goes(void **state)
{
	const uint64_t start = 0xffffffffa0001000, ip = start + 0x10;

	(void)state;
	feed_ksymbol(&feed, 10, start, 0x100, false, "bpf_prog_1_x");
	feed_sample_at(&feed, 11, 1, 1, PERF_RECORD_MISC_KERNEL, ip, NULL, 0);
	feed_sample_at(&feed, 11, 1, 1, PERF_RECORD_MISC_KERNEL, start + 0x100, NULL, 0);
	feed_ksymbol(&feed, 20, start, 0x100, true, "bpf_prog_1_x");
	feed_sample_at(&feed, 21, 1, 1, PERF_RECORD_MISC_KERNEL, ip, NULL, 0);
	feed_round(&feed, 99);
	assert_int_equal(feed_counted(&feed, ":1", 1, "bpf_prog_1_x", ip), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[unknown]", start + 0x100), 1);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[unknown]", ip), 1);
}

static void test_an_unregister_of_what_the_kernel_map_holds_leaves_it(void **state)
{
	const uint64_t start = 0xffffffff81000100;

	(void)state;
	feed_kernel(&feed, 0xffffffff81000000, 0x100000, "[kernel.kallsyms]_text");
	feed_ksymbol(&feed, 10, start, 0x100, false, "trampoline");
	feed_ksymbol(&feed, 20, start, 0x100, true, "trampoline");
	feed_sample_at(&feed, 21, 1, 1, PERF_RECORD_MISC_KERNEL, start, NULL, 0);
	feed_round(&feed, 99);
	assert_int_equal(feed_counted(&feed, ":1", 1, "[kernel.kallsyms]", start), 1);
}

static void test_weights_are_the_periods_of_the_samples(void **state)
{
	(void)state;
	feed.period = 4000;
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed.period = 6;
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed_round(&feed, 9);
	assert_int_equal(timeline_cut(&feed.ingest.timeline, 9), 0);
	assert_int_equal(feed.ingest.timeline.slices[0].entries[0].count, 2);
	assert_int_equal(feed.ingest.timeline.slices[0].entries[0].weight, 4006);
}

static void test_lost_records_of_a_recording_are_counted(void **state)
{
	(void)state;
	feed_lost(&feed, 1, 0, 40);
	feed_lost(&feed, 2, 1, 2);
	feed_round(&feed, 9);
	assert_int_equal(feed.ingest.counters.lost_kernel, 42);
}

/*   cpu 0   throttled 100 .. 150         cpu 1   120 .. 220     150 ns in all
 * A recording has one stream for all CPUs: the records themselves say which. */
static void test_throttled_time_is_summed_per_cpu(void **state)
{
	(void)state;
	feed_throttle(&feed, 90, 0, false);	/* began before we looked */
	feed_throttle(&feed, 100, 0, true);
	feed_throttle(&feed, 110, 0, true);	/* once more: the first counts */
	feed_throttle(&feed, 120, 1, true);
	feed_throttle(&feed, 150, 0, false);
	feed_throttle(&feed, 220, 1, false);
	feed_throttle(&feed, 230, 1, false);
	feed_round(&feed, 999);
	assert_int_equal(feed.ingest.counters.throttled_ns, 150);
}

static void test_what_is_no_record_is_counted_as_malformed(void **state)
{
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_close(&record);	/* a sample without its fields */
	ingest_push(&feed.ingest, record.words, 8, 0, 0);
	ingest_push(&feed.ingest, record.words, 8, 77, 0);	/* an event that is not there */
	assert_int_equal(feed.ingest.counters.malformed, 2);
	feed_round(&feed, 9);
	assert_int_equal(feed_samples(&feed), 0);
}

static void test_more_events_than_the_timeline_can_tell_apart_are_refused(void **state)
{
	struct ingest_config config = { .is_replay = true,
					.event_count = TIMELINE_MAX_EVENTS + 1 };
	struct ingest ingest;
	struct diag why;

	(void)state;
	assert_int_equal(ingest_init(&ingest, &config, NULL, NULL, &why), -E2BIG);
	assert_string_equal(why.text, "1921 events: at most 1920 can be shown");
}

/* Process 100 and thread 301 are targets; 200 and 302 come of them. */
static uint64_t samples_of_children(const struct ingest_config *config)
{
	feed_finish(&feed);
	feed_init(&feed, config, NULL);
	feed_fork(&feed, 1, 100, 100, 200, 200);
	feed_fork(&feed, 1, 300, 301, 300, 302);
	feed_sample(&feed, 2, 100, 100, 0x10);
	feed_sample(&feed, 2, 300, 301, 0x10);
	feed_sample(&feed, 2, 200, 200, 0x10);
	feed_sample(&feed, 2, 300, 302, 0x10);
	feed_round(&feed, 9);
	return feed_samples(&feed);
}

static void test_children_of_targets_count_unless_told_otherwise(void **state)
{
	static const uint32_t pid = 100, tid = 301;
	struct ingest_config processes = { .is_replay = true, .target_pids = &pid,
					   .target_pid_count = 1, .has_task_filter = true };
	struct ingest_config threads = { .is_replay = true, .target_tids = &tid,
					 .target_tid_count = 1, .has_task_filter = true };

	(void)state;
	assert_int_equal(samples_of_children(&processes), 2);
	assert_int_equal(samples_of_children(&threads), 2);
	processes.no_inherit = threads.no_inherit = true;
	assert_int_equal(samples_of_children(&processes), 1);
	assert_int_equal(samples_of_children(&threads), 1);
}

/* Who has no room among the DSOs must not call all that is unknown by its name. */
static void test_a_kernel_without_room_is_unknown_and_renames_nobody(void **state)
{
	const struct ingest_config config = { .is_replay = true, .kernel_number = 1 };
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	const uint64_t kernel = 0xffffffff81000000ull;
	const struct dso *dsos;
	bool is_new;

	(void)state;
	feed_finish(&feed);
	feed_init(&feed, &config, NULL);
	do
		key.inode++;
	while (dso_table_intern(&feed.ingest.dsos, &key, &is_new) != DSO_UNKNOWN);
	feed_kernel(&feed, kernel, 0x1000000, "[kernel.kallsyms]_text");
	feed_kernel(&feed, kernel + 0x2000000, 0x1000, "/lib/modules/ext4.ko");
	feed_round(&feed, 1);
	dsos = feed.ingest.dsos.dsos;
	for (uint32_t id = 0; id < DSO_FIXED_COUNT; id++)
		assert_int_not_equal(dsos[id].state, DSO_UNREADABLE);
	assert_string_equal(strpool_get(feed.ingest.strings, dsos[DSO_UNKNOWN].name),
			    "[unknown]");
	assert_string_equal(strpool_get(feed.ingest.strings, dsos[DSO_UNKNOWN_KERNEL].name),
			    "[unknown]");
	for (uint64_t at = 0; at <= 0x2000000; at += 0x2000000)
		assert_int_equal(process_maps_find(feed.ingest.kernel->maps, kernel + at)->dso,
				 DSO_UNKNOWN_KERNEL);
}

#define TEST(name) FEED_TEST(name, feed_set_up_replay)

UNIT_TESTS(test_ingest)
{
	const struct CMUnitTest tests[] = {
		TEST(test_samples_count_for_who_ran_and_what_was_mapped_then),
		TEST(test_records_count_in_the_order_of_their_times),
		TEST(test_a_mapping_over_another_cuts_it),
		TEST(test_memory_without_a_file_keeps_its_addresses),
		TEST(test_records_without_a_time_hold_at_once),
		TEST(test_levels_of_guests_and_hypervisor_have_dsos_of_their_own),
		TEST(test_a_chain_changes_its_level_at_the_markers),
		TEST(test_a_chain_at_the_kernels_limit_is_counted_as_truncated),
		TEST(test_a_recorded_kernel_is_where_the_recording_says),
		TEST(test_modules_have_the_names_of_proc_modules),
		TEST(test_a_module_that_comes_after_the_kernels_table_shares_it),
		TEST(test_a_program_made_at_run_time_has_its_name_until_it_goes),
		TEST(test_an_unregister_of_what_the_kernel_map_holds_leaves_it),
		TEST(test_weights_are_the_periods_of_the_samples),
		TEST(test_lost_records_of_a_recording_are_counted),
		TEST(test_throttled_time_is_summed_per_cpu),
		TEST(test_what_is_no_record_is_counted_as_malformed),
		TEST(test_children_of_targets_count_unless_told_otherwise),
		TEST(test_more_events_than_the_timeline_can_tell_apart_are_refused),
		TEST(test_a_kernel_without_room_is_unknown_and_renames_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
