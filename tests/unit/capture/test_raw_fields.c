/* Formats as kernels 6.1 and 6.18 give them, and records whose values were written by hand. */
#include "capture/raw_fields.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/tracefs.h"
#include "unit_tests.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define HEAD "name: x\nID: 372\nformat:\n" COMMON

static const char sched_switch[] = HEAD
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s"
	" next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio,"
	" (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 |"
	" 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state &"
	" ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 |"
	" 0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002,"
	" \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, {"
	" 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\","
	" REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 |"
	" 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\", REC->next_comm,"
	" REC->next_pid, REC->next_prio\n";

static const char sys_openat[] = HEAD
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n";

/* A uprobe, defined with n=%di:s64 t=+0(%si):string arr=+0(%di):u32[3]
 * strs=+0(+0(%di)):string[2] b=+0(%di):b3@1/32 ch=%ax:char */
static const char uprobe[] = HEAD
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 n;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] t;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 arr[];\toffset:28;\tsize:12;\tsigned:0;\n"
	"\tfield:__data_loc char[][2] strs;\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 b;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 ch;\toffset:52;\tsize:1;\tsigned:0;\n\n"
	"print fmt: \"(%lx) n=%Ld\", REC->__probe_ip, REC->n\n";

static const char odd_ones[] = HEAD
	"\tfield:__rel_loc char[] rel;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u16[] halves;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc s8[] bytes;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:20;\tsize:6;\tsigned:0;\n"
	"\tfield:struct in6_addr addr;\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:48;\tsize:0;\tsigned:0;\n";

static const char words[] = HEAD
	"\tfield:u32 mode;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 prio;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 flags;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 root;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s %s\", __print_symbolic(((REC->prio >> 13) & (8 - 1)),"
	" { 0, \"none\" }, { 1, \"rt\"}), __print_symbolic(REC->mode, { SOME_NAME, \"lost\" },"
	" {0x0, \"read\"}, { 1 << 1, \"write\" }), __print_flags("
	"(unsigned long)REC->flags, \" | \","
	" { (unsigned long)((((gfp_t)(0x20u|0x400u)) | ((gfp_t)0x40u))), \"KERNEL\" },"
	" { (1ULL << 1), \"HIGH\" }, { 0x40u, \"IO\" }), __print_symbolic(REC->root,"
	" { 1ULL, \"ROOT\" }, { -6ULL, \"LOG\" }), __print_hex(REC->x, 3)\n";

static void parse(struct raw_fields *out, const char *format)
{
	assert_int_equal(raw_fields_parse(out, format, strlen(format), NULL), 0);
}

static void put(unsigned char *raw, size_t offset, const void *bytes, size_t count)
{
	memcpy(raw + offset, bytes, count);
}

static void put_number(unsigned char *raw, size_t offset, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		raw[offset + i] = (unsigned char)(number >> (8 * i));
}

static struct raw_value read_as(const struct raw_fields *fields, const char *name,
				const unsigned char *raw, size_t bytes)
{
	const int at = raw_fields_find(fields, name);
	struct raw_value value;

	assert_true(at >= 0);
	assert_true(raw_field_read(&fields->list[at], raw, bytes, &value));
	return value;
}

static bool is_unread(const struct raw_fields *fields, const char *name, const unsigned char *raw,
		      size_t bytes)
{
	struct raw_value value;

	return !raw_field_read(&fields->list[raw_fields_find(fields, name)], raw, bytes, &value);
}

static void assert_text(struct raw_value value, const char *wanted)
{
	assert_true(value.is_text);
	assert_int_equal(value.text_bytes, strlen(wanted));
	assert_memory_equal(value.text, wanted, value.text_bytes);
}

static void test_fixed_fields_are_read_as_the_format_says(void **state)
{
	unsigned char raw[64] = { 0 };
	struct raw_fields fields;

	(void)state;
	put(raw, 8, "cc1plus", 8);
	put_number(raw, 24, 4711, 4);
	put_number(raw, 28, (uint64_t)-100, 4);
	put_number(raw, 32, (uint64_t)-2, 8);
	put(raw, 40, "0123456789abcdef", 16);	/* fills its field: no terminator */
	parse(&fields, sched_switch);
	assert_int_equal(fields.count, 11);
	assert_text(read_as(&fields, "prev_comm", raw, sizeof(raw)), "cc1plus");
	assert_int_equal(read_as(&fields, "prev_pid", raw, sizeof(raw)).number, 4711);
	assert_int_equal(read_as(&fields, "prev_prio", raw, sizeof(raw)).number, -100);
	assert_true(read_as(&fields, "prev_prio", raw, sizeof(raw)).is_signed);
	assert_int_equal(read_as(&fields, "prev_state", raw, sizeof(raw)).number, -2);
	assert_text(read_as(&fields, "next_comm", raw, sizeof(raw)), "0123456789abcdef");
	assert_true(fields.list[3].is_common);
	assert_false(fields.list[4].is_common);
	assert_string_equal(fields.list[4].type, "char[16]");
	assert_int_equal(raw_fields_find(&fields, "comm"), -1);
	raw_fields_finish(&fields);
}

static void test_a_number_in_a_wider_field_has_the_width_of_its_type(void **state)
{
	unsigned char raw[48] = { 0 };
	struct raw_fields fields;

	(void)state;
	put_number(raw, 16, 0xffffff9c, 8);	/* AT_FDCWD as compilers pass it */
	put_number(raw, 24, 0x7ffe12345678, 8);
	put_number(raw, 32, 0x80000, 8);
	put_number(raw, 40, 0xabcd01a4, 8);	/* bits above a umode_t are garbage */
	parse(&fields, sys_openat);
	assert_int_equal(read_as(&fields, "dfd", raw, sizeof(raw)).number, -100);
	assert_int_equal(read_as(&fields, "filename", raw, sizeof(raw)).number, 0x7ffe12345678);
	assert_true(fields.list[raw_fields_find(&fields, "filename")].is_address);
	assert_int_equal(read_as(&fields, "flags", raw, sizeof(raw)).number, 0x80000);
	assert_int_equal(read_as(&fields, "mode", raw, sizeof(raw)).number, 0644);
	raw_fields_finish(&fields);
}

static void test_dynamic_texts_and_arrays_of_a_probe(void **state)
{
	unsigned char raw[80] = { 0 };
	struct raw_fields fields;

	(void)state;
	put_number(raw, 16, (uint64_t)-5, 8);
	put_number(raw, 24, 6u << 16 | 56, 4);
	put_number(raw, 28, 7, 4);
	put_number(raw, 32, 8, 4);
	put_number(raw, 40, 3u << 16 | 62, 4);
	put_number(raw, 48, 5, 4);
	put_number(raw, 52, 0xff, 1);
	put(raw, 56, "hello", 6);
	put(raw, 62, "no", 3);
	parse(&fields, uprobe);
	assert_int_equal(read_as(&fields, "n", raw, sizeof(raw)).number, -5);
	assert_text(read_as(&fields, "t", raw, sizeof(raw)), "hello");
	assert_int_equal(read_as(&fields, "arr", raw, sizeof(raw)).number, 7);
	assert_true(fields.list[raw_fields_find(&fields, "arr")].is_array);
	assert_text(read_as(&fields, "strs", raw, sizeof(raw)), "no");
	assert_int_equal(read_as(&fields, "b", raw, sizeof(raw)).number, 5);
	assert_int_equal(read_as(&fields, "ch", raw, sizeof(raw)).number, 255);
	raw_fields_finish(&fields);
}

static void test_relative_places_and_elements_of_other_widths(void **state)
{
	unsigned char raw[88] = { 0 };
	struct raw_fields fields;

	(void)state;
	put_number(raw, 8, 4u << 16 | 52, 4);	/* from 12 on: 64 */
	put(raw, 64, "rel", 4);
	put_number(raw, 12, 4u << 16 | 68, 4);
	put_number(raw, 68, 0x00021234, 4);
	put_number(raw, 16, 1u << 16 | 72, 4);
	put_number(raw, 72, 0xfe, 1);
	put(raw, 20, "\x02\x42\xac\x11\x00\x02", 6);
	put_number(raw, 28, 0x20010db800000000, 8);
	put_number(raw, 48, 0x1122334455667788, 8);
	parse(&fields, odd_ones);
	assert_text(read_as(&fields, "rel", raw, sizeof(raw)), "rel");
	assert_int_equal(read_as(&fields, "halves", raw, sizeof(raw)).number, 0x1234);
	assert_int_equal(read_as(&fields, "bytes", raw, sizeof(raw)).number, -2);
	assert_int_equal(read_as(&fields, "mac", raw, sizeof(raw)).number, 2);
	assert_int_equal(read_as(&fields, "addr", raw, sizeof(raw)).number, 0x20010db800000000);
	assert_int_equal(read_as(&fields, "args", raw, sizeof(raw)).number, 0x1122334455667788);
	raw_fields_finish(&fields);
}

static void test_what_lies_outside_the_record_is_not_read(void **state)
{
	unsigned char raw[64] = { 0 };
	struct raw_fields fields;

	(void)state;
	parse(&fields, uprobe);
	assert_true(is_unread(&fields, "n", raw, 23));
	assert_false(is_unread(&fields, "n", raw, 24));
	assert_true(is_unread(&fields, "t", raw, sizeof(raw)));	/* no bytes: it faulted */
	put_number(raw, 24, 8u << 16 | 57, 4);
	assert_true(is_unread(&fields, "t", raw, sizeof(raw)));
	put_number(raw, 24, 8u << 16 | 56, 4);
	assert_false(is_unread(&fields, "t", raw, sizeof(raw)));
	assert_true(is_unread(&fields, "t", raw, 27));
	put_number(raw, 24, 0xffffffff, 4);
	assert_true(is_unread(&fields, "t", raw, sizeof(raw)));
	raw_fields_finish(&fields);
}

static const char *name_of(const struct raw_fields *fields, const char *field, uint64_t number)
{
	static char name[64];

	memset(name, 'x', sizeof(name));
	return raw_fields_name(fields, &fields->list[raw_fields_find(fields, field)], number, name,
			       sizeof(name)) ? name : "(none)";
}

static void test_numbers_get_the_words_of_their_own_list(void **state)
{
	struct raw_fields fields;

	(void)state;
	parse(&fields, words);
	assert_string_equal(name_of(&fields, "mode", 0), "read");
	assert_string_equal(name_of(&fields, "mode", 2), "write");
	assert_string_equal(name_of(&fields, "mode", 1), "(none)");
	assert_string_equal(name_of(&fields, "prio", 0), "(none)");	/* words for a part of it */
	assert_string_equal(name_of(&fields, "prio", 1), "(none)");
	assert_string_equal(name_of(&fields, "flags", 0x460), "KERNEL");
	assert_string_equal(name_of(&fields, "flags", 0x42), "HIGH | IO");
	assert_string_equal(name_of(&fields, "flags", 0x1002), "HIGH | 0x1000");
	assert_string_equal(name_of(&fields, "flags", 0x1000), "(none)");
	assert_string_equal(name_of(&fields, "flags", 0), "(none)");
	assert_string_equal(name_of(&fields, "root", (uint64_t)-6), "LOG");
	raw_fields_finish(&fields);
}

static void test_the_states_of_sched_switch_have_their_letters(void **state)
{
	struct raw_fields fields;

	(void)state;
	parse(&fields, sched_switch);
	assert_string_equal(name_of(&fields, "prev_state", 1), "S");
	assert_string_equal(name_of(&fields, "prev_state", 0x82), "D|I");
	assert_string_equal(name_of(&fields, "prev_state", 0), "R");	/* still runnable */
	assert_string_equal(name_of(&fields, "prev_state", 0x100), "R+");	/* preempted */
	assert_string_equal(name_of(&fields, "prev_state", 0x102), "D+");
	assert_string_equal(name_of(&fields, "prev_pid", 1), "(none)");
	raw_fields_finish(&fields);
}

/* From 6.18's kmem:kmalloc, block:block_rq_issue, sock:inet_sock_set_state and tcp:tcp_probe,
 * shortened. */
static const char prints[] = HEAD
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t dev;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned short ioprio;\toffset:28;\tsize:2;\tsigned:0;\n"
	"\tfield:__u8 daddr[4];\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 daddr_v6[16];\toffset:36;\tsize:16;\tsigned:0;\n"
	"\tfield:__u8 src[28];\toffset:52;\tsize:28;\tsigned:0;\n"
	"\tfield:int newstate;\toffset:80;\tsize:4;\tsigned:1;\n"
	"\tfield:bool late;\toffset:84;\tsize:1;\tsigned:0;\n"
	"\tfield:int len;\toffset:88;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"call_site=%pS gfp_flags=%s node=%d accounted=%s dev %d,%d\" \" %s,%u "
	"daddr=%pI4 daddrv6=%pI6c src=%pISpc 100%% newstate=%s late=%s buf=%*ph\","
	" (void *)REC->call_site,"
	" (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", {( unsigned long)((( gfp_t)"
	"(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6)))), \"GFP_NOFS\"},"
	" {( unsigned long)(( gfp_t)((((1UL))) << (8))), \"__GFP_ZERO\"}, { 0, ((void *)0) } ) :"
	" \"none\", 7, (1 && (REC->gfp_flags & ( unsigned long)4)) ? \"true\" : \"false\","
	" ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))),"
	" __print_symbolic(((REC->ioprio) >> 13) & 7, { 0, \"none\" }, { 2, \"best-effort\" }),"
	" REC->ioprio & ((1 << 3) - 1), REC->daddr, REC->daddr_v6, REC->src,"
	" __print_symbolic(REC->newstate, { 1, \"TCP_ESTABLISHED\" }, { 2, \"TCP_SYN_SENT\" },"
	" { TCP_LISTEN, \"TCP_LISTEN\" }, { OTHER, \"OTHER\" }, { TCP_, \"TCP_\" }),"
	" REC->late ? \"yes, late\" : \"no\", REC->len, REC->src\n";

static void test_the_names_are_the_text_that_the_event_prints(void **state)
{
	struct raw_fields fields;

	(void)state;
	parse(&fields, prints);
	assert_string_equal(name_of(&fields, "gfp_flags", 0), "none");
	assert_string_equal(name_of(&fields, "gfp_flags", 0xd40), "GFP_NOFS|__GFP_ZERO");
	assert_string_equal(name_of(&fields, "gfp_flags", 0xc44), "GFP_NOFS|0x4");
	assert_string_equal(name_of(&fields, "dev", 8 << 20 | 17), "8,17");
	assert_string_equal(name_of(&fields, "ioprio", 2 << 13 | 4), "best-effort,4");
	assert_string_equal(name_of(&fields, "newstate", 2), "TCP_SYN_SENT");
	assert_string_equal(name_of(&fields, "newstate", 10), "TCP_LISTEN");
	assert_string_equal(name_of(&fields, "newstate", 3), "(none)");
	assert_string_equal(name_of(&fields, "late", 1), "yes, late");
	assert_string_equal(name_of(&fields, "len", 1), "(none)");
	assert_string_equal(name_of(&fields, "call_site", 1), "(none)");
	assert_true(raw_fields_has_names(&fields, &fields.list[raw_fields_find(&fields, "dev")]));
	assert_false(raw_fields_has_names(&fields, &fields.list[raw_fields_find(&fields, "len")]));
	raw_fields_finish(&fields);
}

static enum raw_print print_of(const struct raw_fields *fields, const char *field)
{
	return raw_fields_print(fields, &fields->list[raw_fields_find(fields, field)]);
}

static void test_what_the_letters_after_p_mean(void **state)
{
	struct raw_fields fields;

	(void)state;
	parse(&fields, prints);
	assert_int_equal(print_of(&fields, "call_site"), PRINT_SYMBOL);
	assert_int_equal(print_of(&fields, "daddr"), PRINT_IPV4);
	assert_int_equal(print_of(&fields, "daddr_v6"), PRINT_IPV6);
	assert_int_equal(print_of(&fields, "src"), PRINT_SOCKET_ADDRESS);
	assert_int_equal(print_of(&fields, "len"), PRINT_NUMBER);
	assert_int_equal(print_of(&fields, "gfp_flags"), PRINT_NUMBER);
	raw_fields_finish(&fields);
}

static void test_a_name_leads_back_to_its_number(void **state)
{
	struct raw_fields fields;
	uint64_t number = 0;

	(void)state;
	parse(&fields, prints);
	assert_true(raw_fields_number(&fields, &fields.list[raw_fields_find(&fields, "newstate")],
				      "TCP_SYN_SENT", &number));
	assert_int_equal(number, 2);
	assert_true(raw_fields_number(&fields, &fields.list[raw_fields_find(&fields, "newstate")],
				      "TCP_LISTEN", &number));
	assert_int_equal(number, 10);
	assert_false(raw_fields_number(&fields, &fields.list[raw_fields_find(&fields, "newstate")],
				       "TCP_SYN", &number));
	assert_false(raw_fields_number(&fields, &fields.list[raw_fields_find(&fields, "ioprio")],
				       "best-effort", &number));	/* only a part of it */
	raw_fields_finish(&fields);
}

static void test_a_view_reads_an_element_or_some_bits(void **state)
{
	unsigned char raw[96] = { 0 };
	struct raw_fields fields;
	struct raw_field as;
	struct raw_value value;
	int daddr, view;

	(void)state;
	parse(&fields, prints);
	daddr = raw_fields_find(&fields, "daddr");
	put(raw, 32, "\x7f\x00\x00\x35", 4);
	assert_true(raw_field_read(&fields.list[daddr], raw, sizeof(raw), &value));
	assert_int_equal(value.number, 0x7f);
	assert_int_equal(value.text_bytes, 4);
	assert_memory_equal(value.text, "\x7f\x00\x00\x35", 4);
	as = fields.list[daddr];
	as.element = 3;
	as.is_array = false;
	view = raw_fields_add_view(&fields, daddr, &as);
	assert_true(raw_field_read(&fields.list[view], raw, sizeof(raw), &value));
	assert_int_equal(value.number, 0x35);
	assert_null(value.text);
	assert_string_equal(fields.list[view].name, "daddr");
	fields.list[view].first_bit = 4;
	fields.list[view].bits = 2;
	assert_true(raw_field_read(&fields.list[view], raw, sizeof(raw), &value));
	assert_int_equal(value.number, 3);
	fields.list[view].element = 4;	/* after its end */
	assert_false(raw_field_read(&fields.list[view], raw, sizeof(raw), &value));
	raw_fields_finish(&fields);
}

static void test_a_name_is_cut_to_its_room(void **state)
{
	struct raw_fields fields;
	char name[7] = "xxxxxx";

	(void)state;
	parse(&fields, words);
	assert_true(raw_fields_name(&fields, &fields.list[raw_fields_find(&fields, "flags")], 0x42,
				    name, 6));
	assert_string_equal(name, "HIGH ");
	raw_fields_finish(&fields);
}

static void test_longs_and_pointers_have_the_size_of_the_kernel_that_wrote_them(void **state)
{
	static const char format[] = HEAD
		"\tfield:unsigned long args[2];\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:void * list[2];\toffset:16;\tsize:8;\tsigned:0;\n";
	unsigned char raw[24] = { 0 };
	struct raw_fields fields;
	struct raw_value value;

	(void)state;
	put_number(raw, 8, 7, 4);
	put_number(raw, 12, 9, 4);
	put_number(raw, 16, 5, 4);
	put_number(raw, 20, 3, 4);
	assert_int_equal(raw_fields_parse_foreign(&fields, format, strlen(format), 4, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(raw_field_read(&fields.list[fields.count - 2 + i], raw, sizeof(raw),
					   &value));
		assert_int_equal(value.number, i ? 5 : 7);
	}
	raw_fields_finish(&fields);
}

static void test_what_is_no_format_is_refused_with_a_sentence(void **state)
{
	struct raw_fields fields;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(raw_fields_parse(&fields, "name: x\nID: 1\n", 14, &why), -EBADMSG);
	assert_non_null(strstr(why.text, "field"));
	assert_null(fields.list);
	assert_int_equal(raw_fields_parse(&fields, "", 0, NULL), -EBADMSG);
	raw_fields_finish(&fields);
}

static size_t read_file_at(int dir, const char *path, char *out, size_t room)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, out + used, room - 1 - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	out[used] = '\0';
	return used;
}

static size_t count_lines_with(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		count++;
	return count;
}

/* Every field line counts, lies after the one before, and its width fits what it takes. */
static void check_format(const char *format, size_t bytes)
{
	struct raw_fields fields;

	assert_int_equal(raw_fields_parse(&fields, format, bytes, NULL), 0);
	assert_int_equal(fields.count, count_lines_with(format, "\tfield:"));
	for (size_t i = 0; i < fields.count; i++) {
		const struct raw_field *field = &fields.list[i];

		assert_true(i == 0 || field->offset >= field[-1].offset + field[-1].size);
		assert_true(field->element_size == 1 || field->element_size == 2 ||
			    field->element_size == 4 || field->element_size == 8);
		assert_true(field->is_dynamic || field->size == 0 ||
			    field->element_size <= field->size);
	}
	raw_fields_finish(&fields);
}

static void test_every_format_of_this_kernel_is_understood(void **state)
{
	static char text[1 << 20], path[600];
	int tracefs = tracefs_open(NULL), events;
	const struct dirent *group, *event;
	DIR *groups, *list;
	size_t formats = 0;

	(void)state;
	if (tracefs < 0)
		skip();
	events = openat(tracefs, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	groups = fdopendir(dup(events));
	while ((group = readdir(groups)) != NULL) {
		int dir = openat(events, group->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (group->d_name[0] == '.' || dir < 0)
			continue;
		list = fdopendir(dir);
		while ((event = readdir(list)) != NULL) {
			size_t bytes;

			snprintf(path, sizeof(path), "%s/%s/format", group->d_name, event->d_name);
			bytes = read_file_at(events, path, text, sizeof(text));
			if (bytes)	/* a probe of others may go at any time */
				check_format(text, bytes);
			formats += bytes > 0;
		}
		closedir(list);
	}
	closedir(groups);
	close(events);
	close(tracefs);
	assert_true(formats > 100);
}

UNIT_TESTS(test_raw_fields)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_fields_are_read_as_the_format_says),
		cmocka_unit_test(test_a_number_in_a_wider_field_has_the_width_of_its_type),
		cmocka_unit_test(test_dynamic_texts_and_arrays_of_a_probe),
		cmocka_unit_test(test_relative_places_and_elements_of_other_widths),
		cmocka_unit_test(test_what_lies_outside_the_record_is_not_read),
		cmocka_unit_test(test_numbers_get_the_words_of_their_own_list),
		cmocka_unit_test(test_the_states_of_sched_switch_have_their_letters),
		cmocka_unit_test(test_the_names_are_the_text_that_the_event_prints),
		cmocka_unit_test(test_what_the_letters_after_p_mean),
		cmocka_unit_test(test_a_name_leads_back_to_its_number),
		cmocka_unit_test(test_a_view_reads_an_element_or_some_bits),
		cmocka_unit_test(test_a_name_is_cut_to_its_room),
		cmocka_unit_test(
			test_longs_and_pointers_have_the_size_of_the_kernel_that_wrote_them),
		cmocka_unit_test(test_what_is_no_format_is_refused_with_a_sentence),
		cmocka_unit_test(test_every_format_of_this_kernel_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
