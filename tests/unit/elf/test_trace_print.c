/* Texts of tracepoints by known formats, and formats and records that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/sandbox_protocol.h"
#include "sandbox/trace_texts.h"
#include "unit_tests.h"

#define HEAD                                                                                      \
	"name: tick\nID: 7\nformat:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                    \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                    \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"            \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                              \
	"\tfield:int count;\toffset:8;\tsize:4;\tsigned:1;\n"                                     \
	"\tfield:__data_loc char[] text;\toffset:12;\tsize:4;\tsigned:1;\n"                       \
	"\tfield:void * call;\toffset:16;\tsize:8;\tsigned:0;\n\n"

#define FORMAT                                                                                    \
	HEAD "print fmt: \"count=%d text=%s call=%pS kind=%s\", REC->count, __get_str(text), "    \
	     "(void *)REC->call, __print_symbolic(REC->count, { 3, \"THREE\" }, { 5, \"FIVE\" })\n"

struct tick {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid, count;
	uint32_t text;		/* length << 16 | offset */
	uint64_t call;
	char bytes[8];
};

static const struct tick tick = {
	.type = 7, .count = 5, .text = 4u << 16 | 24, .call = 0xffffffff81000010, .bytes = "abc",
};

static char *texts;		/* owned: the last reply */

/* Returns the text of @bytes[@count] by @format, with its mark. */
static const char *print_bytes(const char *format, const void *bytes, uint32_t count)
{
	const struct trace_query_header header = { .events = 1, .records = 1 };
	struct trace_query query = { .used = 0 };
	struct diag why = { .err = 0 };
	size_t reply_bytes = 0;
	void *reply = NULL;
	int fd;

	trace_query_begin(&query, &header);
	trace_query_add_event(&query, "group", format, 8);
	trace_query_add_record(&query, &(struct trace_query_record){ .bytes = count,
								     .symbols = 1 });
	trace_query_add_symbol(&query, 0xffffffff81000010, 0xffffffff81000000, "vfs_read");
	trace_query_end_record(&query, bytes, count);
	assert_false(query.is_out_of_memory);
	fd = sandbox_seal("query", query.bytes, query.used);
	assert_true(fd >= 0);
	assert_int_equal(trace_texts_print(fd, &reply, &reply_bytes, &why), 0);
	assert_int_equal(trace_texts_check(reply, reply_bytes, 1, &why), 0);
	assert_true(trace_texts_check(reply, reply_bytes, 2, &why) < 0);
	close(fd);
	trace_query_finish(&query);
	free(texts);
	texts = reply;
	return texts;
}

static void test_a_record_is_printed_by_its_format(void **state)
{
	(void)state;
	assert_string_equal(print_bytes(FORMAT, &tick, sizeof(tick)),
			    "+count=5 text=abc call=vfs_read+0x10 kind=FIVE");
}

static void test_a_text_that_lies_beyond_the_record_is_empty(void **state)
{
	struct tick far = tick;

	(void)state;
	far.text = 0xffffu << 16 | 0xffff;
	assert_string_equal(print_bytes(FORMAT, &far, sizeof(far)),
			    "+count=5 text= call=vfs_read+0x10 kind=FIVE");
}

static void test_a_record_without_room_for_its_fields_is_not_printed(void **state)
{
	struct tick other = tick;

	(void)state;
	assert_string_equal(print_bytes(FORMAT, &tick, 20), "-");
	assert_string_equal(print_bytes(FORMAT, &tick, 1), "-");
	assert_string_equal(print_bytes(FORMAT, &tick, 0), "-");
	other.type = 8;
	assert_string_equal(print_bytes(FORMAT, &other, sizeof(other)), "-");
}

static void test_what_is_no_format_prints_nothing(void **state)
{
	char deep[8192];

	(void)state;
	assert_string_equal(print_bytes("", &tick, sizeof(tick)), "-");
	assert_string_equal(print_bytes("name: tick\nID: 7\n", &tick, sizeof(tick)), "-");
	memset(deep, '(', sizeof(deep));
	memcpy(deep, HEAD "print fmt: \"%d\", ", strlen(HEAD "print fmt: \"%d\", "));
	deep[sizeof(deep) - 1] = '\0';
	print_bytes(deep, &tick, sizeof(tick));		/* anything: it ends */
}

static void test_a_long_text_is_cut(void **state)
{
	(void)state;
	print_bytes(HEAD "print fmt: \"%9000d\", REC->count\n", &tick, sizeof(tick));
	assert_true(strlen(texts) <= TRACE_TEXT_MAX);
}

static int finish(void **state)
{
	(void)state;
	free(texts);
	texts = NULL;
	return 0;
}

UNIT_TESTS(test_trace_print)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_record_is_printed_by_its_format),
		cmocka_unit_test(test_a_text_that_lies_beyond_the_record_is_empty),
		cmocka_unit_test(test_a_record_without_room_for_its_fields_is_not_printed),
		cmocka_unit_test(test_what_is_no_format_prints_nothing),
		cmocka_unit_test(test_a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
