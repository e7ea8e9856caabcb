/* Recordings, hand-made and of real machines, reach the queue whole and in order. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_data_result.h"
#include "unit_tests.h"

static void test_samples_go_to_their_event_with_their_period(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
			       WRITER_SAMPLE_TYPE, "instructions");
	perf_data_writer_comm(&writer, 10, 10, 0, "program", false);
	perf_data_add_sample(&writer, 0, 100, 7);
	perf_data_add_sample(&writer, 1, 101, 1000);
	perf_data_add_sample(&writer, 1, 102, 2000);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.open_err, 0);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.sideband, 1);
	assert_int_equal(result.samples[0], 1);
	assert_int_equal(result.period[0], 7);
	assert_int_equal(result.samples[1], 2);
	assert_int_equal(result.period[1], 3000);
	perf_data_writer_finish(&writer);
}

static void test_the_header_names_events_host_and_cpus(void **state)
{
	struct perf_data_writer writer;
	struct perf_data *reader;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 100, 1);
	reader = perf_data_open_written(&writer);
	assert_int_equal(perf_data_event_count(reader), 1);
	assert_string_equal(perf_data_event(reader, 0)->name, "cpu-clock:u");
	assert_int_equal(perf_data_event(reader, 0)->freq_hz, 997);
	assert_int_equal(perf_data_event(reader, 0)->fixed_period, 0);
	assert_false(perf_data_event(reader, 0)->is_sideband);
	assert_string_equal(perf_data_host(reader), "test-host");
	assert_int_equal(perf_data_cpu_count(reader), 4);
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

static void test_the_machine_that_was_recorded_has_the_registers(void **state)
{
	static const struct { const char *name; enum machine machine; } known[] = {
		{ "x86_64", MACHINE_X86_64 }, { "i686", MACHINE_X86_32 },
		{ "aarch64", MACHINE_AARCH64 }, { "riscv64", MACHINE_UNKNOWN },
		{ NULL, MACHINE_OWN },
	};
	struct perf_data_writer writer;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 100, 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct perf_data *reader;

		writer.machine = known[i].name;
		reader = perf_data_open_written(&writer);
		assert_int_equal(perf_data_event(reader, 0)->format.machine, known[i].machine);
		assert_string_equal(perf_data_machine(reader), known[i].name ? known[i].name : "");
		perf_data_close(reader);
	}
	perf_data_writer_finish(&writer);
}

static void test_the_header_tells_the_sockets(void **state)
{
	static const int known[8] = { 0, 0, 1, 1, -1, -1, -1, -1 };	/* four are offline */
	struct perf_data_writer writer;
	struct perf_data *reader;
	const int *sockets;
	uint32_t count;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 100, 1);
	reader = perf_data_open_written(&writer);
	sockets = perf_data_sockets(reader, &count);
	assert_int_equal(count, 8);
	assert_memory_equal(sockets, known, sizeof(known));
	perf_data_close(reader);
	writer.has_topology = false;
	reader = perf_data_open_written(&writer);
	perf_data_sockets(reader, &count);
	assert_int_equal(count, 0);
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

/* What perf record -a -e cycles,cpu_core/slots/ has on a hybrid processor. */
static void test_an_event_of_all_kinds_of_cores_is_one(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;
	const struct core_pmus *pmus;
	struct perf_data *reader;

	(void)state;
	perf_data_writer_init(&writer);
	writer.has_core_pmus = true;
	perf_data_writer_event(&writer, 0, 0x400000000, WRITER_SAMPLE_TYPE, "cpu_core/cycles/P");
	perf_data_writer_event(&writer, 4, 0xa4, WRITER_SAMPLE_TYPE, "cpu_core/slots/");
	perf_data_writer_event(&writer, 0, 0xa00000000, WRITER_SAMPLE_TYPE, "cpu_atom/cycles/P");
	perf_data_writer_event(&writer, 1, 0, WRITER_SAMPLE_TYPE, "cpu-clock");
	for (size_t event = 0; event < 4; event++)
		perf_data_add_sample(&writer, event, 100 + event, 10ull << event);
	reader = perf_data_open_written(&writer);
	assert_int_equal(perf_data_event_count(reader), 3);
	assert_string_equal(perf_data_event(reader, 0)->name, "cycles:P");
	assert_string_equal(perf_data_event(reader, 1)->name, "cpu_core/slots/");
	assert_string_equal(perf_data_event(reader, 2)->name, "cpu-clock");
	pmus = perf_data_pmus(reader);
	assert_int_equal(pmus->count, 2);
	assert_string_equal(pmus->list[core_pmus_of_cpu(pmus, 1)].name, "cpu_core");
	assert_string_equal(pmus->list[core_pmus_of_cpu(pmus, 2)].name, "cpu_atom");
	perf_data_close(reader);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], 2);
	assert_int_equal(result.period[0], 10 + 40);
	assert_int_equal(result.period[1], 20);
	assert_int_equal(result.period[2], 80);
	perf_data_writer_finish(&writer);
}

/* Without CPUs in the samples the names of the events are all that tells the cores. */
static void test_events_of_cores_without_cpus_stay_apart(void **state)
{
	const uint64_t type = WRITER_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_CPU;
	struct perf_data_writer writer;
	struct perf_data *reader;

	(void)state;
	perf_data_writer_init(&writer);
	perf_data_writer_event(&writer, 0, 0x400000000, type, "cpu_core/cycles:ppp/");
	perf_data_writer_event(&writer, 0, 0xa00000000, type, "cpu_atom/cycles:ppp/");
	perf_data_add_sample(&writer, 0, 100, 1);
	reader = perf_data_open_written(&writer);
	assert_int_equal(perf_data_event_count(reader), 2);
	assert_string_equal(perf_data_event(reader, 1)->name, "cpu_atom/cycles:ppp/");
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

static void test_hostile_event_names_are_made_harmless(void **state)
{
	struct perf_data_writer writer;
	struct perf_data *reader;

	(void)state;
	perf_data_writer_init(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, WRITER_SAMPLE_TYPE,
			       "\033[2Jdummy");
	perf_data_add_sample(&writer, 0, 100, 1);
	reader = perf_data_open_written(&writer);
	assert_string_equal(perf_data_event(reader, 0)->name, "\\x1b[2Jdummy");
	assert_true(perf_data_event(reader, 0)->is_sideband);
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

/* Names as `perf report` 6.1 prints them for recordings without event descriptions. */
static void test_events_without_a_name_get_that_of_perf(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .config = 0, .exclude_guest = 1 }, "cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 4, .exclude_guest = 1 }, "branches" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0, .exclude_kernel = 1, .exclude_hv = 1 },
		  "cycles:u" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0, .exclude_kernel = 1, .exclude_hv = 1,
		    .exclude_guest = 1 }, "cycles:uH" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0, .precise_ip = 3 }, "cycles:ppp" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0, .exclude_user = 1, .exclude_hv = 1,
		    .precise_ip = 2, .exclude_guest = 1 }, "cycles:kppH" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0 }, "cycles:HG" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 99, .exclude_guest = 1 },
		  "unknown-hardware" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 5, .exclude_guest = 1 }, "minor-faults" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10000, .exclude_guest = 1 },
		  "L1-dcache-load-misses" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x103, .exclude_guest = 1 },
		  "dTLB-stores" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x20206, .exclude_guest = 1 },
		  "unknown-ext-hardware-cache-result" },
		{ { .type = PERF_TYPE_BREAKPOINT, .bp_addr = 0x1234, .bp_type = 3,
		    .exclude_guest = 1 }, "mem:0x1234:rw" },
		{ { .type = PERF_TYPE_RAW, .config = 0x1a8, .exclude_guest = 1 }, "raw 0x1a8" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 300 }, "unknown tracepoint" },
	};
	struct perf_data *reader;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct perf_data_writer writer;

		perf_data_writer_init(&writer);
		perf_data_writer_event(&writer, 0, 0, WRITER_SAMPLE_TYPE, "");
		writer.attrs[0] = cases[i].attr;
		writer.attrs[0].sample_type = WRITER_SAMPLE_TYPE;
		writer.has_names = false;
		perf_data_add_sample(&writer, 0, 100, 1);
		reader = perf_data_open_written(&writer);
		assert_string_equal(perf_data_event(reader, 0)->name, cases[i].name);
		perf_data_close(reader);
		perf_data_writer_finish(&writer);
	}
}

static void test_build_ids_of_both_formats_are_read(void **state)
{
	struct build_id long_id = { .count = 20 }, short_id = { .count = 16 };
	const struct perf_data_build_id *entries;
	struct perf_data_writer writer;
	struct perf_data *reader;
	size_t count;

	(void)state;
	memset(long_id.bytes, 0xaa, 20);
	memset(short_id.bytes, 0xbb, 16);
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 100, 1);
	perf_data_writer_build_id(&writer, PERF_RECORD_MISC_KERNEL | 1 << 15, "[kernel.kallsyms]",
				  &long_id);
	perf_data_writer_build_id(&writer, PERF_RECORD_MISC_USER | 1 << 15, "/lib/libm.so",
				  &short_id);
	perf_data_writer_build_id(&writer, PERF_RECORD_MISC_USER, "/bin/old-16", &short_id);
	perf_data_writer_build_id(&writer, PERF_RECORD_MISC_USER, "/bin/old-20", &long_id);
	perf_data_writer_build_id(&writer, PERF_RECORD_MISC_GUEST_KERNEL, "[guest]", &long_id);
	reader = perf_data_open_written(&writer);
	entries = perf_data_build_ids(reader, &count);
	assert_int_equal(count, 4);	/* the guest's kernel is none of ours */
	assert_string_equal(entries[0].path, "[kernel.kallsyms]");
	assert_true(entries[0].is_kernel);
	assert_true(build_id_is_equal(&entries[0].build_id, &long_id));
	assert_string_equal(entries[1].path, "/lib/libm.so");
	assert_false(entries[1].is_kernel);
	assert_true(build_id_is_equal(&entries[1].build_id, &short_id));
	assert_true(build_id_is_equal(&entries[2].build_id, &short_id));
	assert_true(build_id_is_equal(&entries[3].build_id, &long_id));
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

/* perf of 2009 wrote 64 bytes of attr, of 2012 80 and 96; a newer one than ours writes more. */
static void test_attrs_of_every_size_are_read(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct perf_data_writer writer;
		struct perf_data_result result;

		perf_data_begin_clock(&writer);
		perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
				       WRITER_SAMPLE_TYPE, "cycles");
		writer.attr_bytes = sizes[i];
		perf_data_add_sample(&writer, 0, 100, 5);
		perf_data_add_sample(&writer, 1, 101, 6);
		result = perf_data_result_of_writer(&writer);
		assert_int_equal(result.why.err, 0);
		assert_int_equal(result.period[0], 5);
		assert_int_equal(result.period[1], 6);
		perf_data_writer_finish(&writer);
	}
}

/* Everything up to the newest stamp before the previous mark may go:
 *
 *   10 30 | 20 40 | 35 |          marks 1..3 and the end
 *   limits 0,      30,  40, all
 */
static void test_rounds_end_with_the_newest_stamp_before_the_previous_mark(void **state)
{
	static const uint64_t times[] = { 10, 30, 0, 20, 40, 0, 35, 0 };	/* 0: mark */
	static const uint64_t limits[] = { 0, 30, 40, UINT64_MAX };
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		if (times[i])
			perf_data_add_sample(&writer, 0, times[i], 1);
		else
			perf_data_writer_round(&writer);
	}
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.round_count, COUNT_OF(limits));
	assert_memory_equal(result.limits, limits, sizeof(limits));
	assert_int_equal(result.time_count, 5);
	assert_int_equal(result.times[2], 20);	/* file order: sorting is for others */
	perf_data_writer_finish(&writer);
}

/* Far more records than the queue holds, so that both sides wait for each other many times. */
static void test_nothing_is_dropped_when_the_queue_is_full(void **state)
{
	enum { COUNT = 50000 };	/* 56 bytes each in a queue of 256 KiB */
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	for (uint64_t i = 1; i <= COUNT; i++)
		perf_data_add_sample(&writer, 0, i, i);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], COUNT);
	assert_int_equal(result.period[0], (uint64_t)COUNT * (COUNT + 1) / 2);
	perf_data_writer_finish(&writer);
}

static void test_closing_ends_a_reader_that_waits_for_room(void **state)
{
	struct perf_data_writer writer;
	struct perf_data *reader;
	struct spsc queue;
	struct diag why;

	(void)state;
	perf_data_begin_clock(&writer);
	for (uint64_t i = 1; i <= 10000; i++)
		perf_data_add_sample(&writer, 0, i, 1);
	reader = perf_data_open_written(&writer);
	assert_int_equal(spsc_init(&queue, PERF_DATA_QUEUE_MIN_BYTES), 0);
	assert_int_equal(perf_data_start(reader, &queue, &why), 0);
	perf_data_wait_for_items(reader);
	perf_data_close(reader);
	spsc_finish(&queue);
	perf_data_writer_finish(&writer);
}

static void test_a_piped_file_has_names_and_host(void **state)
{
	struct perf_data_writer writer;
	struct writer_bytes file;
	struct perf_data *reader;
	struct diag why;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			       WRITER_SAMPLE_TYPE, "cycles");
	perf_data_add_sample(&writer, 1, 100, 1);
	file = perf_data_writer_bytes(&writer, true);
	perf_data_writer_save_bytes(file.at, file.count, perf_data_path);
	assert_int_equal(perf_data_open(&reader, perf_data_path, &why), 0);
	assert_int_equal(perf_data_event_count(reader), 2);
	assert_string_equal(perf_data_event(reader, 0)->name, "cpu-clock:u");
	assert_string_equal(perf_data_event(reader, 1)->name, "cycles");
	assert_string_equal(perf_data_host(reader), "test-host");
	perf_data_close(reader);
	free(file.at);
	perf_data_writer_finish(&writer);
}

static void test_user_records_of_no_use_are_passed_over(void **state)
{
	struct perf_data_writer writer;
	struct record_bytes record;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	for (uint32_t type = 72; type < 80; type++) {	/* stat, thread map, CPU map, ... */
		record_begin(&record, type, 0);
		record_add(&record, (const uint64_t[]){ 1, 2, 3 }, 3);
		perf_data_writer_record(&writer, &record);
	}
	perf_data_add_sample(&writer, 0, 100, 9);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.sideband, 0);
	assert_int_equal(result.period[0], 9);
	perf_data_writer_finish(&writer);
}

static void begin_tracepoint(struct perf_data_writer *writer)
{
	perf_data_writer_init(writer);
	perf_data_writer_event(writer, PERF_TYPE_TRACEPOINT, 372, WRITER_SAMPLE_TYPE, "");
	perf_data_writer_event(writer, PERF_TYPE_TRACEPOINT, 373, WRITER_SAMPLE_TYPE, "");
	writer->has_names = false;
	writer->system = "sched";
	writer->format = "name: sched_switch\nID: 372\nformat:\n\tfield:int a;\toffset:8;"
			 "\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
	perf_data_add_sample(writer, 0, 100, 1);
}

static struct perf_data *open_bytes(const struct perf_data_writer *writer, bool is_piped)
{
	const struct writer_bytes file = perf_data_writer_bytes(writer, is_piped);
	struct perf_data *reader;
	struct diag why = { .err = 0 };

	perf_data_writer_save_bytes(file.at, file.count, perf_data_path);
	free(file.at);
	if (perf_data_open(&reader, perf_data_path, &why))
		fail_msg("%s", why.text);
	return reader;
}

static void test_tracepoints_get_their_names_from_the_tracing_data(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	begin_tracepoint(&writer);
	for (int is_piped = 0; is_piped < 2; is_piped++) {
		struct perf_data_result result = { 0 };
		struct perf_data *reader = open_bytes(&writer, is_piped);

		assert_string_equal(perf_data_event(reader, 0)->name, "sched:sched_switch");
		assert_string_equal(perf_data_event(reader, 1)->name, "unknown tracepoint");
		perf_data_drain(reader, &result);
		assert_int_equal(result.why.err, 0);
		assert_int_equal(result.samples[0], 1);
	}
	perf_data_writer_finish(&writer);
}

static void test_events_with_raw_bytes_have_the_format_that_describes_them(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	begin_tracepoint(&writer);
	writer.long_bytes = 4;
	for (int is_piped = 0; is_piped < 2; is_piped++) {
		struct perf_data *reader = open_bytes(&writer, is_piped);

		assert_null(perf_data_event(reader, 0)->raw_format);
		perf_data_close(reader);
	}
	for (size_t i = 0; i < 2; i++)
		writer.attrs[i].sample_type |= PERF_SAMPLE_RAW;
	for (int is_piped = 0; is_piped < 2; is_piped++) {
		struct perf_data *reader = open_bytes(&writer, is_piped);

		assert_string_equal(perf_data_event(reader, 0)->raw_format, writer.format);
		assert_int_equal(perf_data_event(reader, 0)->long_bytes, 4);
		assert_null(perf_data_event(reader, 1)->raw_format);
		perf_data_close(reader);
	}
	perf_data_writer_finish(&writer);
}

/* perf wrote them before Linux 3.11. */
static void test_old_pipes_name_tracepoints_by_records_of_event_types(void **state)
{
	struct perf_data_writer writer;
	struct record_bytes record;
	struct perf_data *reader;

	(void)state;
	begin_tracepoint(&writer);
	writer.format = NULL;
	record_begin(&record, 65, 0);
	record_add(&record, (const uint64_t[]){ 373 }, 1);
	record_add_text(&record, "block:block_rq_issue");
	perf_data_writer_record(&writer, &record);
	reader = open_bytes(&writer, true);
	assert_string_equal(perf_data_event(reader, 0)->name, "unknown tracepoint");
	assert_string_equal(perf_data_event(reader, 1)->name, "block:block_rq_issue");
	perf_data_close(reader);
	perf_data_writer_finish(&writer);
}

/* A group of two events that are read with the samples of the first. */
static void begin_group(struct perf_data_writer *writer, uint64_t read_format, bool inherit)
{
	const uint64_t type = WRITER_SAMPLE_TYPE | PERF_SAMPLE_READ;

	perf_data_writer_init(writer);
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, type,
			       "cpu-clock");
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, type,
			       "page-faults");
	for (size_t i = 0; i < 2; i++) {
		writer->attrs[i].read_format = read_format;
		writer->attrs[i].inherit = inherit;
	}
}

static void add_group_sample(struct perf_data_writer *writer, uint32_t tid, uint64_t clock,
			     uint64_t faults)
{
	static uint64_t time_ns;
	const struct writer_read reads[] = { { clock, 0 }, { faults, 1 } };

	perf_data_writer_sample(writer, &(struct writer_sample){
		.misc = PERF_RECORD_MISC_USER, .ip = 0x1000, .pid = 10, .tid = tid,
		.time_ns = ++time_ns, .period = 77, .reads = reads, .read_count = 2,
	});
}

/* Values rise, and what is new of each since the sample before is its period, as in perf:
 *
 *   cpu-clock    100 250 400	3 samples, 400
 *   page-faults    2   2   9	2 samples, 9: nothing was new at the second
 */
static void test_a_group_that_is_read_with_its_leader_is_split_by_its_values(void **state)
{
	static const uint64_t formats[] = {
		PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST,
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct perf_data_writer writer;
		struct perf_data_result result;

		begin_group(&writer, formats[i], false);
		add_group_sample(&writer, 10, 100, 2);
		add_group_sample(&writer, 11, 250, 2);
		add_group_sample(&writer, 10, 400, 9);
		result = perf_data_result_of_writer(&writer);
		assert_int_equal(result.why.err, 0);
		assert_int_equal(result.samples[0], 3);
		assert_int_equal(result.period[0], 400);
		assert_int_equal(result.samples[1], 2);
		assert_int_equal(result.period[1], 9);
		perf_data_writer_finish(&writer);
	}
}

/* Since Linux 6.12 what is inherited can be read, too: each thread has values of its own. */
static void test_values_of_inherited_counters_rise_in_each_thread(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	begin_group(&writer, PERF_FORMAT_GROUP | PERF_FORMAT_ID, true);
	add_group_sample(&writer, 10, 100, 5);
	add_group_sample(&writer, 11, 30, 1);
	add_group_sample(&writer, 10, 150, 5);
	add_group_sample(&writer, 11, 90, 4);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], 4);
	assert_int_equal(result.period[0], 150 + 90);
	assert_int_equal(result.samples[1], 3);
	assert_int_equal(result.period[1], 5 + 4);
	perf_data_writer_finish(&writer);
}

static void test_a_counter_that_is_read_alone_has_its_value_as_period(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	begin_group(&writer, PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_LOST,
		    false);
	for (uint64_t value = 40; value <= 120; value += 40) {
		const struct writer_read read = { value, 1 };

		perf_data_writer_sample(&writer, &(struct writer_sample){
			.event = 1, .misc = PERF_RECORD_MISC_USER, .ip = 0x1000, .pid = 10,
			.tid = 10, .time_ns = value, .period = 1, .reads = &read, .read_count = 1,
		});
	}
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], 0);
	assert_int_equal(result.samples[1], 3);
	assert_int_equal(result.period[1], 120);
	perf_data_writer_finish(&writer);
}

/* Samples and periods as `perf report -f -n --no-group --no-branch-stack` 6.1 gives them. */
static const struct {
	const char *file;
	size_t event;
	const char *name;
	uint64_t samples, period;
} stored[] = {
	{ "contentsize.data", 0, "cache-references", 69, 386608 },
	{ "pmu-branch-4.14.data", 0, "cycles:ppp", 13, 2668332 },
	{ "pmu-callgraph-3.8.data", 0, "cycles", 1768, 291177942 },
	{ "pmu-ctx_switch_namespaces-4.14.data", 0, "cycles", 2, 2 },
	{ "pmu-dwarf-static.data", 0, "cycles", 45, 11975357 },
	{ "pmu-group_desc-4.14.data", 0, "cache-references", 7, 165909 },
	{ "pmu-group_desc-4.14.data", 1, "branch-misses", 6, 23813 },
	{ "pmu-hw_and_sw-3.4.data", 0, "cycles", 207, 207000000 },
	{ "pmu-hw_and_sw-3.4.data", 1, "branch-misses", 0, 0 },
	{ "pmu-hw_and_sw-3.4.data", 2, "cpu-clock", 4734, 4734000000 },
	{ "pmu-hybrid_topology.data", 0, "cpu_core/cycles:ppp/", 7, 7048948 },
	{ "pmu-hybrid_topology.data", 1, "cpu_atom/cycles:ppp/", 0, 0 },
	{ "pmu-hybrid_topology.data", 2, "dummy:HG", 0, 0 },
	{ "pmu-i686-3.4.data", 0, "cycles", 147, 264438523 },
	{ "pmu-i686-3.4.data", 1, "instructions", 155, 85205501 },
	{ "pmu-i686-3.4.data", 2, "cache-references", 116, 1447587 },
	{ "pmu-i686-3.4.data", 3, "cache-misses", 89, 65138 },
	{ "pmu-i686-3.4.data", 4, "branches", 95, 11678830 },
	{ "pmu-i686-3.4.data", 5, "branch-misses", 101, 817902 },
	{ "pmu-lbr.data", 0, "cycles", 29, 15087311 },
	{ "pmu-lost_samples-4.4.data", 0, "cycles:pp", 97, 1940291 },
	{ "pmu-lost_samples-4.4.data", 1, "instructions:pp", 80, 1600240 },
	{ "pmu-lost_samples-4.4.data", 2, "branch-instructions:pp", 14, 280042 },
	{ "pmu-proc.map.timeout-3.18.data", 0, "cycles", 8, 32000000 },
	{ "pmu-singleprocess-3.8.data", 0, "cycles", 13, 1010740 },
	{ "pmu-systemwide.1-3.8.data", 0, "cycles", 755, 139647940 },
	{ "probe.data", 0, "probe_untitled1:main", 1, 1 },
};

static void test_recordings_of_real_machines_have_the_counts_of_perf(void **state)
{
	const char *chosen = getenv("FLAMETOP_RECORDINGS");
	const char *directory = chosen ? chosen : "../shared/data/recordings";

	(void)state;
	if (access(directory, R_OK)) {
		print_message("SKIP: absent: %s\n", directory);
		skip();
	}
	for (size_t i = 0; i < COUNT_OF(stored); i++) {
		struct perf_data *reader;
		struct perf_data_result result = { 0 };
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", directory, stored[i].file);
		assert_int_equal(perf_data_open(&reader, file, &result.why), 0);
		assert_string_equal(perf_data_event(reader, stored[i].event)->name, stored[i].name);
		perf_data_drain(reader, &result);
		assert_int_equal(result.why.err, 0);
		assert_int_equal(result.samples[stored[i].event], stored[i].samples);
		assert_int_equal(result.period[stored[i].event], stored[i].period);
	}
}

/* Sums of perf record --off-cpu are stamped with times that do not exist. */
#define NO_TIME (~UINT64_C(0) << 32)

static const uint64_t wait_chain[] = { PERF_CONTEXT_USER, 0x401000, 0x402000 };

static void add_sum(struct perf_data_writer *writer, uint64_t time_ns, uint64_t period)
{
	perf_data_writer_sample(writer, &(struct writer_sample){
		.event = 1, .misc = PERF_RECORD_MISC_USER, .ip = 0x401000, .pid = 10, .tid = 11,
		.time_ns = time_ns, .period = period, .chain = wait_chain, .chain_count = 3,
	});
}

static void test_sums_of_waits_are_of_the_end_of_the_recording(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;
	struct perf_data *reader;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
			       WRITER_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, "offcpu-time");
	perf_data_add_sample(&writer, 0, 300, 7);
	add_sum(&writer, NO_TIME, 5000);
	add_sum(&writer, NO_TIME + 1, 600);
	reader = perf_data_open_written(&writer);
	assert_string_equal(perf_data_event(reader, 1)->name, "off-cpu");
	assert_true(perf_data_event(reader, 1)->counts_waits);
	assert_int_equal(perf_data_event(reader, 1)->freq_hz, 0);
	perf_data_close(reader);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[1], 2);
	assert_int_equal(result.period[1], 5600);
	assert_int_equal(result.time_count, 3);
	for (size_t i = 0; i < result.time_count; i++)
		assert_int_equal(result.times[i], 300);
	perf_data_writer_finish(&writer);
}

/* The event comes first, and records still find theirs. */
static void test_waits_alone_are_shown(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;
	struct perf_data *reader;
	struct diag why;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 300, 7);
	reader = perf_data_open_written(&writer);
	assert_int_equal(perf_data_show_waits(reader, &why), -ENOENT);
	assert_non_null(strstr(why.text, "sched:sched_switch"));
	perf_data_close(reader);
	perf_data_writer_event(&writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
			       WRITER_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, "offcpu-time");
	add_sum(&writer, NO_TIME, 5000);
	reader = perf_data_open_written(&writer);
	assert_int_equal(perf_data_show_waits(reader, &why), 0);
	assert_string_equal(perf_data_event(reader, 0)->name, "off-cpu");
	assert_false(event_desc_is_hidden(perf_data_event(reader, 0)));
	assert_string_equal(perf_data_event(reader, 1)->name, "cpu-clock:u");
	assert_true(event_desc_is_hidden(perf_data_event(reader, 1)));
	result = (struct perf_data_result){ .open_err = 0 };
	perf_data_drain(reader, &result);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.period[0], 5000);
	assert_int_equal(result.period[1], 7);
	perf_data_writer_finish(&writer);
}

/* Since Linux 6.16 all is in raw bytes, and long waits have a sample each, of their own time. */
static void test_raw_bytes_have_the_wait(void **state)
{
	uint64_t raw[] = { PAIR(11, 10), 4000, 3, PERF_CONTEXT_USER, 0x401000, 0x402000, 77 };
	struct writer_sample sample = { .event = 1, .misc = PERF_RECORD_MISC_KERNEL, .ip = 1,
					.pid = 99, .tid = 99, .time_ns = 200, .period = 1,
					.raw = raw, .raw_bytes = sizeof(raw) };
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
			       WRITER_SAMPLE_TYPE | PERF_SAMPLE_RAW, "offcpu-time");
	perf_data_add_sample(&writer, 0, 100, 7);
	perf_data_writer_sample(&writer, &sample);
	sample.time_ns = NO_TIME;
	raw[1] = 30;
	perf_data_writer_sample(&writer, &sample);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[1], 2);
	assert_int_equal(result.period[1], 4030);
	assert_int_equal(result.times[1], 200);
	assert_int_equal(result.times[2], 200);
	raw[2] = 5;	/* more than there are */
	perf_data_writer_sample(&writer, &sample);
	result = perf_data_result_of_writer(&writer);
	assert_int_equal(result.why.err, -EBADMSG);
	assert_non_null(strstr(result.why.text, "perf record --off-cpu"));
	perf_data_writer_finish(&writer);
}

UNIT_TESTS(test_perf_data)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_go_to_their_event_with_their_period),
		cmocka_unit_test(test_sums_of_waits_are_of_the_end_of_the_recording),
		cmocka_unit_test(test_waits_alone_are_shown),
		cmocka_unit_test(test_raw_bytes_have_the_wait),
		cmocka_unit_test(test_the_header_names_events_host_and_cpus),
		cmocka_unit_test(test_the_machine_that_was_recorded_has_the_registers),
		cmocka_unit_test(test_the_header_tells_the_sockets),
		cmocka_unit_test(test_an_event_of_all_kinds_of_cores_is_one),
		cmocka_unit_test(test_events_of_cores_without_cpus_stay_apart),
		cmocka_unit_test(test_hostile_event_names_are_made_harmless),
		cmocka_unit_test(test_events_without_a_name_get_that_of_perf),
		cmocka_unit_test(test_build_ids_of_both_formats_are_read),
		cmocka_unit_test(test_attrs_of_every_size_are_read),
		cmocka_unit_test(test_rounds_end_with_the_newest_stamp_before_the_previous_mark),
		cmocka_unit_test(test_nothing_is_dropped_when_the_queue_is_full),
		cmocka_unit_test(test_closing_ends_a_reader_that_waits_for_room),
		cmocka_unit_test(test_a_piped_file_has_names_and_host),
		cmocka_unit_test(test_user_records_of_no_use_are_passed_over),
		cmocka_unit_test(test_tracepoints_get_their_names_from_the_tracing_data),
		cmocka_unit_test(test_events_with_raw_bytes_have_the_format_that_describes_them),
		cmocka_unit_test(test_old_pipes_name_tracepoints_by_records_of_event_types),
		cmocka_unit_test(
			test_a_group_that_is_read_with_its_leader_is_split_by_its_values),
		cmocka_unit_test(test_values_of_inherited_counters_rise_in_each_thread),
		cmocka_unit_test(test_a_counter_that_is_read_alone_has_its_value_as_period),
		cmocka_unit_test(test_recordings_of_real_machines_have_the_counts_of_perf),
	};

	return cmocka_run_group_tests(tests, perf_data_scratch_make, perf_data_scratch_remove);
}
