/* A tracepoint's field as an argument asks for it, or why it can't be had so; and where the text
 * is that only its address was recorded of. Values were put into the record by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_definition.h"
#include "probe/point_tracepoint.h"
#include "probe/probe_spec.h"
#include "unit_tests.h"

static const char format[] =
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long call_site;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 daddr[4];\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__be16 dport;\toffset:44;\tsize:2;\tsigned:0;\n"
	"\tfield:__u16 sport;\toffset:46;\tsize:2;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:48;\tsize:16;\tsigned:0;\n"
	"\tfield:u32 state;\toffset:64;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __print_symbolic(REC->state, { 1, \"BUSY\" })\n";

struct fixture {
	struct raw_fields fields;
	struct field_view view;
	char reason[PROBE_REASON_BYTES];
};

static int set_up(void **state)
{
	static struct fixture fixture;

	*state = &fixture;
	return raw_fields_parse(&fixture.fields, format, strlen(format), NULL);
}

static int tear_down(void **state)
{
	raw_fields_finish(&((struct fixture *)*state)->fields);
	return 0;
}

/* Makes the view of "VALUE[:TYPE]". */
static int view(struct fixture *fixture, const char *word)
{
	struct probe_spec spec = { .kind = PROBE_TRACEPOINT };
	char name[64];

	assert_int_equal(probe_argument_add(&spec, word, 0, strlen(word), NULL), 0);
	field_view_name(spec.arguments[0].value, name, sizeof(name));
	return field_view_make(&fixture->view, &fixture->fields,
			       raw_fields_find(&fixture->fields, name), "syscalls",
			       "sys_enter_openat", &spec.arguments[0], fixture->reason,
			       sizeof(fixture->reason));
}

static void put(unsigned char *raw)
{
	memcpy(raw + 40, "\x0a\x01\x02\xfe", 4);
	memcpy(raw + 44, "\x01\xbb\x01\xbb", 4);
	memcpy(raw + 48, "two words", 10);
}

static struct raw_value read_view(const struct fixture *fixture)
{
	unsigned char raw[80] = { 0 };
	static unsigned char kept[80];
	struct raw_value value;

	put(raw);
	memcpy(kept, raw, sizeof(kept));
	assert_true(raw_field_read(&fixture->view.field, kept, sizeof(kept), &value));
	return value;
}

static void test_types_change_how_the_bytes_are_read(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(view(fixture, "daddr[3]"), 0);
	assert_int_equal(read_view(fixture).number, 0xfe);
	assert_int_equal(fixture->view.kind, VALUE_UNSIGNED);
	assert_int_equal(view(fixture, "daddr[3]:s8"), 0);
	assert_int_equal((int64_t)read_view(fixture).number, -2);
	assert_int_equal(view(fixture, "daddr:ipv4"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_IPV4);
	assert_int_equal(view(fixture, "daddr:u16[2]"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_LIST);
	assert_int_equal(read_view(fixture).number, 0x10a);
	assert_int_equal(view(fixture, "daddr"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_BYTES);
	assert_int_equal(view(fixture, "dport:b4@12/16"), 0);
	assert_int_equal(read_view(fixture).number, 0xb);
	assert_int_equal(view(fixture, "sport:x16"), 0);
	assert_int_equal(fixture->view.kind, VALUE_HEX);
	assert_int_equal(view(fixture, "call_site:symbol"), 0);
	assert_int_equal(fixture->view.kind, VALUE_SYMBOL);
	assert_int_equal(view(fixture, "state"), 0);
	assert_int_equal(fixture->view.kind, VALUE_NAMED);
	assert_int_equal(view(fixture, "state:x32"), 0);
	assert_int_equal(fixture->view.kind, VALUE_HEX);
	assert_int_equal(fixture->view.meaning, MEANING_PLAIN);
}

static void test_a_port_is_in_the_order_that_its_type_says(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(view(fixture, "dport:port"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_PORT);
	assert_int_equal(view(fixture, "sport:port"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_PLAIN);
	assert_int_equal(fixture->view.kind, VALUE_NAMED);
}

static void test_texts_are_those_in_the_record(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(view(fixture, "comm:string"), 0);
	assert_int_equal(read_view(fixture).text_bytes, 9);
	assert_int_equal(view(fixture, "norm(comm)"), 0);
	assert_int_equal(fixture->view.meaning, MEANING_STATEMENT);
	assert_int_equal(view(fixture, "daddr:string"), 0);
	assert_true(read_view(fixture).is_text);
	assert_int_equal(view(fixture, "filename:ustring"), -ENOTSUP);
	assert_int_equal(view(fixture, "call_site:string"), -ENOTSUP);
}

static void assert_refused(struct fixture *fixture, const char *word, const char *reason)
{
	assert_int_equal(view(fixture, word), -EINVAL);
	assert_string_equal(fixture->reason, reason);
}

static void test_what_a_field_is_not_is_refused_with_the_reason(void **state)
{
	struct fixture *fixture = *state;

	assert_refused(fixture, "daddr[4]", "it has 4 elements, from [0] on");
	assert_refused(fixture, "dfd[0]", "it is no array");
	assert_refused(fixture, "state:string", "it is a number, no text");
	assert_refused(fixture, "state:symbol", "it is no address: those have 8 bytes");
	assert_refused(fixture, "daddr:ipv6", "it has 4 bytes, ipv6 needs 16");
	assert_refused(fixture, "daddr:u8", "it is an array: take daddr[0], or a type with [N]");
	assert_refused(fixture, "daddr:u8[5]", "it has 4 bytes");
	assert_refused(fixture, "state:u64", "it has 4 bytes");
	assert_refused(fixture, "comm:x8", "it is a text");
	assert_refused(fixture, "daddr:port", "it is no number");
	assert_refused(fixture, "norm(dfd)", "norm() masks texts, and it is none");
}

static void test_the_way_to_a_text_behind_a_pointer_is_said_by_name(void **state)
{
	struct fixture *fixture = *state;
	const int filename = raw_fields_find(&fixture->fields, "filename");
	char text[PROBE_REASON_BYTES];

	pointed_text_refuse("syscalls", "sys_enter_openat", &fixture->fields, filename, text,
			    sizeof(text));
	assert_non_null(strstr(text, "u:libc.so.6:openat64 filename=$arg2:string"));
#ifdef __x86_64__
	assert_non_null(strstr(text, "k:__x64_sys_openat regs->si:ustring"));
#endif
	pointed_text_refuse("syscalls", "sys_enter_unlink", &fixture->fields, filename, text,
			    sizeof(text));
	assert_non_null(strstr(text, "u:libc.so.6:unlink filename=$arg2:string"));
	fixture->fields.list[filename].is_address = true;
	assert_true(pointed_text_is(&fixture->fields.list[filename]));
	strcpy(fixture->fields.list[filename].type, "const char *const *");
	assert_false(pointed_text_is(&fixture->fields.list[filename]));
	pointed_text_refuse("syscalls", "sys_enter_execve", &fixture->fields, filename, text,
			    sizeof(text));
	assert_non_null(strstr(text, "; u:libc.so.6:execve $arg2[1]:string brings one of them"));
	pointed_text_refuse("rcu", "rcu_utilization", &fixture->fields, filename, text,
			    sizeof(text));
	assert_string_equal(text, "the record has only the address of this text");
}

UNIT_TESTS(test_field_view)
{
#define FEED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		FEED_TEST(test_types_change_how_the_bytes_are_read),
		FEED_TEST(test_a_port_is_in_the_order_that_its_type_says),
		FEED_TEST(test_texts_are_those_in_the_record),
		FEED_TEST(test_what_a_field_is_not_is_refused_with_the_reason),
		FEED_TEST(test_the_way_to_a_text_behind_a_pointer_is_said_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
