/* What the bytes and numbers of values stand for; the expected texts are from the documents and,
 * by hand, from strace(1), inet_ntop(3) and errno(3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "probe/probe_meaning.h"
#include "unit_tests.h"

static const char *text_of(enum probe_meaning meaning, const void *bytes, size_t count,
			   uint16_t element_size)
{
	const struct raw_field field = { .element_size = element_size, .is_array = true };
	const struct raw_value value = { .text = bytes, .text_bytes = count };
	static char out[256];

	memset(out, 'x', sizeof(out));
	return probe_meaning_write(meaning, &field, &value, out, sizeof(out)) ? out : "(none)";
}

static void test_bytes_become_the_texts_that_people_write(void **state)
{
	static const unsigned char six[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
	static const unsigned char four_in_six[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
	static const unsigned char socket4[16] = { 2, 0, 0x1f, 0x90, 192, 168, 0, 7 };
	static const unsigned char socket6[28] = { 10, 0, 0, 53, [23] = 1 };
	static const unsigned char socket_unix[28] = { 1, 0, '/', 'x' };
	static const unsigned char socket_abstract[28] = { 1, 0, 0, 'x' };
	static const unsigned char socket_netlink[28] = { 16 };
	static const uint32_t words[] = { 1, 0x12345, 7 };

	(void)state;
	assert_string_equal(text_of(MEANING_IPV4, "\x7f\0\0\x01", 4, 1), "127.0.0.1");
	/* Too few bytes: then it is the number. */
	assert_string_equal(text_of(MEANING_IPV4, "\x7f\0\0", 3, 1), "0.0.0.0");
	assert_string_equal(text_of(MEANING_IPV6, six, 16, 1), "2001:db8::1");
	assert_string_equal(text_of(MEANING_IPV6, four_in_six, 16, 1), "::ffff:10.0.0.1");
	assert_string_equal(text_of(MEANING_IPV6, six, 15, 1), "(none)");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket4, 16, 1), "192.168.0.7:8080");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket6, 28, 1), "[::1]:53");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket6, 20, 1), "family 10");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket_unix, 28, 1), "unix:/x");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket_abstract, 28, 1), "unix:@x");
	assert_string_equal(text_of(MEANING_SOCKET_ADDRESS, socket_netlink, 28, 1), "family 16");
	assert_string_equal(text_of(MEANING_MAC, "\x52\x54\0\x12\x34\x56", 6, 1),
			    "52:54:00:12:34:56");
	assert_string_equal(text_of(MEANING_UUID, "\0\x11\x22\x33\x44\x55\x66\x77"
				    "\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16, 1),
			    "00112233-4455-6677-8899-aabbccddeeff");
	assert_string_equal(text_of(MEANING_BYTES, "\x7f\0\xff", 3, 1), "7f 00 ff");
	assert_string_equal(text_of(MEANING_LIST, words, 12, 4), "{1, 0x12345, 7}");
}

static const char *name_of(enum probe_meaning meaning, int64_t number)
{
	static char name[64];

	return probe_meaning_name(meaning, MACHINE_OWN, (uint64_t)number, name, sizeof(name))
	       ? name : "(none)";
}

static void test_system_calls_and_errors_have_names(void **state)
{
	(void)state;
	assert_string_equal(name_of(MEANING_SYSCALL, SYS_futex), "futex");
	assert_string_equal(name_of(MEANING_SYSCALL, SYS_openat), "openat");
	assert_string_equal(name_of(MEANING_SYSCALL, 451), "cachestat");
	assert_string_equal(name_of(MEANING_SYSCALL, 462), "mseal");
	assert_string_equal(name_of(MEANING_SYSCALL, -1), "(none)");
	assert_string_equal(name_of(MEANING_SYSCALL, 5000), "(none)");
	assert_string_equal(name_of(MEANING_ERRNO, -11), "EAGAIN");
	assert_string_equal(name_of(MEANING_ERRNO, -2), "ENOENT");
	assert_string_equal(name_of(MEANING_ERRNO, -512), "ERESTARTSYS");
	assert_string_equal(name_of(MEANING_ERRNO, 0), "(none)");
	assert_string_equal(name_of(MEANING_ERRNO, 11), "(none)");	/* bytes, or a descriptor */
	assert_string_equal(name_of(MEANING_ERRNO, -4096), "(none)");
	assert_string_equal(name_of(MEANING_PLAIN, -11), "(none)");
}

static const char *call_of(enum machine machine, uint64_t number)
{
	static char name[64];

	return probe_meaning_name(MEANING_SYSCALL, machine, number, name, sizeof(name))
	       ? name : "(none)";
}

/* Source: Linux, arch/x86/entry/syscalls and include/uapi/asm-generic/unistd.h (aarch64). */
static void test_system_calls_are_those_of_the_machine(void **state)
{
	(void)state;
	assert_string_equal(call_of(MACHINE_X86_64, 56), "clone");
	assert_string_equal(call_of(MACHINE_AARCH64, 56), "openat");
	assert_string_equal(call_of(MACHINE_X86_32, 5), "open");
	assert_string_equal(call_of(MACHINE_X86_64, 57), "fork");
	assert_string_equal(call_of(MACHINE_AARCH64, 57), "close");
	assert_string_equal(call_of(MACHINE_AARCH64, 173), "getppid");
	assert_string_equal(call_of(MACHINE_X86_64, 110), "getppid");
	assert_string_equal(call_of(MACHINE_AARCH64, 400), "(none)");
	assert_string_equal(call_of(MACHINE_AARCH64, 451), "cachestat");
	assert_string_equal(call_of(MACHINE_UNKNOWN, 56), "(none)");
}

static void test_names_lead_back_to_their_numbers(void **state)
{
	uint64_t number = 0;

	(void)state;
	assert_true(probe_meaning_number(MEANING_SYSCALL, "futex", &number));
	assert_int_equal(number, SYS_futex);
	assert_true(probe_meaning_number(MEANING_SYSCALL, "cachestat", &number));
	assert_int_equal(number, 451);
	assert_false(probe_meaning_number(MEANING_SYSCALL, "futx", &number));
	assert_true(probe_meaning_number(MEANING_ERRNO, "EAGAIN", &number));
	assert_int_equal((int64_t)number, -11);
	assert_true(probe_meaning_number(MEANING_ERRNO, "-ERESTARTSYS", &number));
	assert_int_equal((int64_t)number, -512);
	assert_false(probe_meaning_number(MEANING_ERRNO, "EFOO", &number));
	assert_false(probe_meaning_number(MEANING_PLAIN, "EAGAIN", &number));
}

static void test_types_say_what_the_kernel_fetches(void **state)
{
	enum probe_meaning meaning;

	(void)state;
	assert_true(probe_meaning_of_type("ipv4", &meaning));
	assert_int_equal(meaning, MEANING_IPV4);
	assert_string_equal(probe_meaning_fetched_as("ipv4"), "u32");
	assert_string_equal(probe_meaning_fetched_as("ipv6"), "u8[16]");
	assert_string_equal(probe_meaning_fetched_as("port"), "u16");
	assert_string_equal(probe_meaning_fetched_as("x64"), "x64");
	assert_false(probe_meaning_of_type("x64", &meaning));
}

static void test_a_field_is_what_its_event_says(void **state)
{
	static const char format[] =
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:long id;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:long ret;\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:__u8 daddr[4];\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:__u8 other[4];\toffset:36;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n\n"
		"print fmt: \"daddr=%pI4 NR %ld\", REC->daddr, REC->id\n";
	struct raw_fields fields;
	enum probe_meaning of[6];

	(void)state;
	assert_int_equal(raw_fields_parse(&fields, format, strlen(format), NULL), 0);
	for (int i = 0; i < 6; i++)
		of[i] = probe_meaning_of(&fields, &fields.list[i], "raw_syscalls", "sys_exit");
	assert_int_equal(of[0], MEANING_PLAIN);
	assert_int_equal(of[1], MEANING_SYSCALL);
	assert_int_equal(of[2], MEANING_ERRNO);
	assert_int_equal(of[3], MEANING_IPV4);
	assert_int_equal(of[4], MEANING_BYTES);
	assert_int_equal(of[5], MEANING_LIST);
	assert_int_equal(probe_meaning_of(&fields, &fields.list[0], "syscalls", "sys_enter_read"),
			 MEANING_SYSCALL);
	assert_int_equal(probe_meaning_of(&fields, &fields.list[1], "sched", "x"), MEANING_PLAIN);
	raw_fields_finish(&fields);
}

/* Writes the text as norm() shows it. */
static size_t mask(const char *text, size_t bytes, char *out, size_t room)
{
	const struct raw_value value = { .is_text = true, .text = text, .text_bytes = bytes };

	return probe_meaning_write(MEANING_STATEMENT, NULL, &value, out, room);
}

static const char *masked(const char *text)
{
	static char out[128];

	if (!mask(text, strlen(text), out, sizeof(out)))
		out[0] = '\0';
	return out;
}

static void test_constants_are_masked(void **state)
{
	(void)state;
	assert_string_equal(masked("UPDATE pgbench_accounts SET abalance = abalance + -1713 WHERE "
				   "aid = 90210;"),
			    "UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?;");
	assert_string_equal(masked("a-5-3 * -2, b - -c"), "a-?-? * ?, b - -c");
	assert_string_equal(masked("SELECT a FROM t1 WHERE n = 'x''y' AND m=\"a\\\"b\" AND o=-2"),
			    "SELECT a FROM t1 WHERE n = ? AND m=? AND o=?");
	assert_string_equal(masked("INSERT INTO t VALUES (1, -2.5e-3, 'z', 0x1F)"),
			    "INSERT INTO t VALUES (?, ...)");
	assert_string_equal(masked("x IN (1) or x in (1,2)"), "x IN (?) or x in (?, ...)");
	assert_string_equal(masked("  a\n\t b  "), "a b");
	assert_string_equal(masked("SELECT $1, E'a', c2 FROM x"), "SELECT $1, E?, c2 FROM x");
	assert_string_equal(masked("can't open 5 files in 12ms"), "can't open ? files in ?");
	assert_string_equal(masked("'no end"), "?");
	assert_string_equal(masked("a-1"), "a-?");
	assert_string_equal(masked(""), "");
}

static void test_two_statements_of_one_form_are_one(void **state)
{
	char first[128], second[128];
	static const char one[] = "SELECT * FROM t WHERE id = 7 AND name = 'Ada'";
	static const char other[] = "SELECT *  FROM t WHERE id = 123456 AND name = 'O''Neil'";

	(void)state;
	mask(one, strlen(one), first, sizeof(first));
	mask(other, strlen(other), second, sizeof(second));
	assert_string_equal(first, second);
}

static void test_a_masked_text_is_cut_to_its_room(void **state)
{
	char out[8];

	(void)state;
	memset(out, 'x', sizeof(out));
	assert_int_equal(mask("SELECT 42 FROM t", 16, out, 8), 7);
	assert_string_equal(out, "SELECT ");
	assert_int_equal(mask("SELECT 42", 8, out, 8), 7);	/* the text ends in 42 */
}

UNIT_TESTS(test_probe_meaning)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_become_the_texts_that_people_write),
		cmocka_unit_test(test_system_calls_and_errors_have_names),
		cmocka_unit_test(test_system_calls_are_those_of_the_machine),
		cmocka_unit_test(test_names_lead_back_to_their_numbers),
		cmocka_unit_test(test_types_say_what_the_kernel_fetches),
		cmocka_unit_test(test_a_field_is_what_its_event_says),
		cmocka_unit_test(test_constants_are_masked),
		cmocka_unit_test(test_two_statements_of_one_form_are_one),
		cmocka_unit_test(test_a_masked_text_is_cut_to_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
