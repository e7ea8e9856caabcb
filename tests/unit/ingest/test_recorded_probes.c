/* Tracepoints and probes of a recording, from the file to the snapshot: their fields are values,
 * and each hit is one sample of its event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/analyzer.h"
#include "cli/session.h"
#include "export/json.h"
#include "perf_data_writer.h"
#include "unit_tests.h"

enum { MEMORY_BYTES = 16 << 20, HIT_IP = 0x400100, TRACEPOINT = 372 };

#define COMMON                                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char hit_format[] =
	"name: served\nID: 372\nformat:\n" COMMON
	"\tfield:int status;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 bytes;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char path[16];\toffset:24;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"%s\", __print_symbolic(REC->status, { -1, \"GONE\" })\n";

static const char probe_format[] =
	"name: alpha__return\nID: 372\nformat:\n" COMMON
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s32 arg1;\toffset:24;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

struct hit_bytes {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int32_t status, unused;
	uint64_t bytes;
	char path[16];
};

static char directory[] = "/tmp/flametop-test-XXXXXX";
static char paths[2][64];
static struct perf_data_writer writers[2];
static struct session_recordings recordings;
static struct snapshot *last;

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	for (int i = 0; i < 2; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%c.data", directory, 'a' + i);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

/* A clock, whose samples have no fields, and a tracepoint. */
static void begin(struct perf_data_writer *writer, const char *system, const char *format)
{
	const uint64_t type = WRITER_SAMPLE_TYPE | PERF_SAMPLE_RAW;

	perf_data_writer_init(writer);
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, type,
			       "cpu-clock");
	perf_data_writer_event(writer, PERF_TYPE_TRACEPOINT, TRACEPOINT, type, "");
	writer->attrs[1].freq = 0;
	writer->attrs[1].sample_period = 1;
	writer->has_names = false;
	writer->system = system;
	writer->format = format;
	perf_data_writer_comm(writer, 10, 10, 50, "server", false);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_USER, 10, 50, 0x400000, 0x10000, 0,
			      "/bin/server");
}

static void add_sample(struct perf_data_writer *writer, size_t event, uint64_t time_ns,
		       const void *raw, uint32_t raw_bytes)
{
	const struct writer_sample sample = {
		.event = event, .pid = 10, .tid = 10, .time_ns = time_ns, .ip = HIT_IP,
		.misc = PERF_RECORD_MISC_USER, .period = 1, .raw = raw, .raw_bytes = raw_bytes,
	};

	perf_data_writer_sample(writer, &sample);
}

static void add_hit(struct perf_data_writer *writer, uint64_t time_ns, int status, uint64_t bytes,
		    const char *path)
{
	struct hit_bytes hit = { .type = TRACEPOINT, .pid = 10, .status = status, .bytes = bytes };

	snprintf(hit.path, sizeof(hit.path), "%s", path);
	add_sample(writer, 1, time_ns, &hit, sizeof(hit));
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_destroy(last);
	last = NULL;
	session_recordings_close(&recordings);
	for (int i = 0; i < 2; i++) {
		perf_data_writer_finish(&writers[i]);
		writers[i] = (struct perf_data_writer){ .host = NULL };
		unlink(paths[i]);
	}
	return 0;
}

static void take_last(struct analyzer *analyzer)
{
	while (!last || !last->is_last) {
		struct pollfd waiting = { .fd = analyzer_fd(analyzer), .events = POLLIN };

		assert_int_equal(poll(&waiting, 1, 60 * 1000), 1);	/* a minute: it hangs */
		snapshot_destroy(last);
		last = analyzer_take_snapshot(analyzer);
	}
	assert_int_equal(last->end_err, 0);
}

/* Leaves the last snapshot in `last`. @is_diff: the second recording against the first. */
static void analyze(bool is_diff)
{
	struct analyzer_config config = {
		.wants_all_events = true, .host = "", .query.keys = KEY_COMM | KEY_ADDRESS,
		.window = WINDOW_ALL, .interval_ns = 1000000000, .memory_bytes = MEMORY_BYTES,
	};
	struct analyzer *analyzer;
	struct spsc queue;
	struct diag why;

	assert_int_equal(session_recordings_open(&recordings, paths[0], is_diff ? paths[1] : NULL,
						 NULL, &why), 0);
	session_recordings_configure(&recordings, &config);
	assert_int_equal(spsc_init(&queue, 1 << 20), 0);
	config.queue = &queue;
	assert_int_equal(analyzer_create(&analyzer, &config, &why), 0);
	assert_int_equal(perf_data_start(recordings.first.reader, &queue, &why), 0);
	assert_int_equal(analyzer_start(analyzer, &why), 0);
	take_last(analyzer);
	session_recordings_close(&recordings);
	analyzer_destroy(analyzer);
	spsc_finish(&queue);
}

static void save(int which, bool is_piped)
{
	const struct writer_bytes file = perf_data_writer_bytes(&writers[which], is_piped);

	perf_data_writer_save_bytes(file.at, file.count, paths[which]);
	free(file.at);
}

static const struct snapshot_probe *only_probe(void)
{
	assert_int_equal(last->probes.count, 1);
	return &last->probes.list[0];
}

static const struct snapshot_value *value_of(const struct snapshot_probe *probe, const char *name)
{
	for (uint32_t i = 0; i < probe->value_count; i++)
		if (!strcmp(probe->values[i].name, name))
			return &probe->values[i];
	fail_msg("no value '%s'", name);
	return NULL;
}

static void add_four_hits(struct perf_data_writer *writer)
{
	add_hit(writer, 100, -1, 10, "/a");
	add_hit(writer, 101, 200, 30, "/b");
	add_hit(writer, 102, 200, UINT64_MAX, "/a");
	add_sample(writer, 0, 103, NULL, 0);
	add_hit(writer, 104, 404, 20, "/a");
}

static void check_four_hits(void)
{
	const struct snapshot_probe *probe = only_probe();
	const struct snapshot_value *status, *path;

	assert_string_equal(probe->name, "t:web:served");
	assert_string_equal(probe->spec, "t:web:served");
	assert_int_equal(probe->state, PROBE_RECORDED);
	assert_int_equal(probe->hits, 4);
	assert_int_equal(probe->value_count, 3);
	status = value_of(probe, "status");
	assert_int_equal(status->count, 4);
	assert_int_equal((int64_t)status->min, -1);
	assert_int_equal(status->max, 404);
	assert_true(status->mean == (200 + 200 + 404 - 1) / 4.0);
	assert_string_equal(status->top[0].text, "200");
	assert_int_equal(status->top[0].count, 2);
	assert_string_equal(status->type, "int");
	path = value_of(probe, "path");
	assert_string_equal(path->top[0].text, "/a");
	assert_int_equal(path->top[0].count, 3);
	assert_string_equal(path->top[1].text, "/b");
	assert_int_equal(path->top[1].count, 1);
}

static void test_fields_of_a_recorded_tracepoint_are_values(void **state)
{
	const struct snapshot_value *bytes;

	(void)state;
	begin(&writers[0], "web", hit_format);
	add_four_hits(&writers[0]);
	for (int is_piped = 0; is_piped < 2; is_piped++) {
		save(0, is_piped);
		analyze(false);
		check_four_hits();
		bytes = value_of(only_probe(), "bytes");
		assert_false(bytes->is_signed);
		assert_int_equal(bytes->min, 10);
		assert_true(bytes->max == UINT64_MAX);
		snapshot_destroy(last);
		last = NULL;
	}
}

static void test_a_hit_is_one_sample_of_its_event(void **state)
{
	const struct snapshot *event;

	(void)state;
	begin(&writers[0], "web", hit_format);
	add_four_hits(&writers[0]);
	save(0, false);
	analyze(false);
	assert_int_equal(last->event_count, 2);
	assert_string_equal(last->event, "cpu-clock");
	assert_int_equal(last->samples, 1);
	event = last->next_event;
	assert_string_equal(event->event, "web:served");
	assert_int_equal(event->event_index, only_probe()->event);
	assert_int_equal(event->samples, 4);
	assert_int_equal(event->row_count, 1);
	assert_int_equal(event->rows[0].now.self.samples, 4);
	assert_null(event->next_event);
}

/* Samples of one thread and place after another take a short way. */
static void test_hits_in_a_row_all_bring_their_values(void **state)
{
	const struct snapshot_value *bytes;

	(void)state;
	begin(&writers[0], "web", hit_format);
	for (uint64_t i = 0; i < 5000; i++)
		add_hit(&writers[0], 100 + i, 200, i, "/a");
	save(0, false);
	analyze(false);
	bytes = value_of(only_probe(), "bytes");
	assert_int_equal(only_probe()->hits, 5000);
	assert_int_equal(last->next_event->samples, 5000);
	assert_int_equal(bytes->count, 5000);
	assert_int_equal(bytes->min, 0);
	assert_int_equal(bytes->max, 4999);
	assert_true(bytes->mean == 2499.5);
}

static void test_what_the_kernel_adds_to_a_probe_is_no_value(void **state)
{
	static const int32_t words[] = { TRACEPOINT, 10, 0x401000, 0, 0x402000, 0, -7, 0 };

	(void)state;
	begin(&writers[0], "probe_server", probe_format);
	add_sample(&writers[0], 1, 100, words, sizeof(words));
	save(0, false);
	analyze(false);
	assert_string_equal(only_probe()->name, "t:probe_server:alpha__return");
	assert_int_equal(only_probe()->edge, PROBE_RETURN);
	assert_int_equal(only_probe()->value_count, 1);
	assert_int_equal((int64_t)value_of(only_probe(), "arg1")->min, -7);
}

static void test_raw_bytes_that_are_too_short_are_unknown_values(void **state)
{
	static const int32_t words[] = { TRACEPOINT, 10, 5, 0 };

	(void)state;
	begin(&writers[0], "web", hit_format);
	add_sample(&writers[0], 1, 100, words, sizeof(words));
	save(0, false);
	analyze(false);
	assert_int_equal(only_probe()->hits, 1);
	assert_int_equal(value_of(only_probe(), "status")->count, 1);
	assert_int_equal(value_of(only_probe(), "bytes")->count, 0);
	assert_int_equal(value_of(only_probe(), "bytes")->unknown, 1);
}

static void test_fields_beyond_the_columns_are_reported(void **state)
{
	static char format[4096];
	size_t used;

	(void)state;
	used = (size_t)snprintf(format, sizeof(format), "name: wide\nID: 372\nformat:\n" COMMON);
	for (int i = 0; i < 14; i++)
		used += (size_t)snprintf(format + used, sizeof(format) - used,
					 "\tfield:u8 f%d;\toffset:%d;\tsize:1;\tsigned:0;\n", i,
					 8 + i);
	begin(&writers[0], "web", format);
	add_hit(&writers[0], 100, 0, 0, "");
	save(0, false);
	analyze(false);
	assert_int_equal(only_probe()->value_count, 12);
	assert_string_equal(only_probe()->reason, "the first 12 of its 14 fields are shown");
}

static void test_hits_that_were_not_all_recorded_are_reported(void **state)
{
	(void)state;
	begin(&writers[0], "web", hit_format);
	writers[0].attrs[1].sample_period = 100;
	add_four_hits(&writers[0]);
	save(0, false);
	analyze(false);
	assert_string_equal(only_probe()->reason, "one of 100 hits was recorded");
}

static void test_of_two_recordings_the_second_has_the_values(void **state)
{
	(void)state;
	begin(&writers[0], "web", hit_format);
	add_hit(&writers[0], 100, 500, 1, "/old");
	add_hit(&writers[0], 100 + 2000000000, 500, 1, "/old");
	begin(&writers[1], "web", hit_format);
	add_four_hits(&writers[1]);
	for (int i = 0; i < 2; i++)
		save(i, false);
	analyze(true);
	check_four_hits();
	assert_true(only_probe()->base_hits_per_s > 0.9 && only_probe()->base_hits_per_s < 1.1);
}

static void test_a_format_without_a_field_leaves_the_event_as_it_is(void **state)
{
	(void)state;
	begin(&writers[0], "web", "name: served\nID: 372\nformat:\n\nprint fmt: \"\"\n");
	add_four_hits(&writers[0]);
	save(0, false);
	analyze(false);
	assert_int_equal(last->probes.count, 0);
	assert_int_equal(last->next_event->samples, 4);
}

static void test_json_has_the_values_as_those_of_a_live_probe(void **state)
{
	char *text = NULL;
	size_t bytes;
	FILE *out;

	(void)state;
	begin(&writers[0], "web", hit_format);
	add_four_hits(&writers[0]);
	save(0, false);
	analyze(false);
	out = open_memstream(&text, &bytes);
	json_put_probes(out, &last->probes);
	fclose(out);
	assert_non_null(strstr(text, "\"spec\":\"t:web:served\""));
	assert_non_null(strstr(text, "\"state\":\"recorded\""));
	assert_non_null(strstr(text, "\"min\":-1,\"max\":404,\"mean\":200.750"));
	assert_non_null(strstr(text, "\"top\":[[\"/a\",3],[\"/b\",1]]"));
	free(text);
}

#define TEST(test) cmocka_unit_test_teardown(test, tear_down)

UNIT_TESTS(test_recorded_probes)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fields_of_a_recorded_tracepoint_are_values),
		TEST(test_a_hit_is_one_sample_of_its_event),
		TEST(test_hits_in_a_row_all_bring_their_values),
		TEST(test_what_the_kernel_adds_to_a_probe_is_no_value),
		TEST(test_raw_bytes_that_are_too_short_are_unknown_values),
		TEST(test_fields_beyond_the_columns_are_reported),
		TEST(test_hits_that_were_not_all_recorded_are_reported),
		TEST(test_of_two_recordings_the_second_has_the_values),
		TEST(test_a_format_without_a_field_leaves_the_event_as_it_is),
		TEST(test_json_has_the_values_as_those_of_a_live_probe),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
