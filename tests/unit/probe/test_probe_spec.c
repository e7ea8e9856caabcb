/* A spec says the same in perf's, bpftrace's and the short form, nothing is guessed, and what is
 * wrong is refused at its column. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_spec.h"
#include "random_numbers.h"
#include "unit_tests.h"

static struct probe_spec parse(const char *text)
{
	struct probe_spec spec;
	struct diag why = { 0 };

	if (probe_spec_parse(&spec, text, &why))
		fail_msg("%s: %s", text, why.text);
	return spec;
}

static void is_function(const char *text, enum probe_kind kind, enum probe_edge edge,
			const char *file, const char *function)
{
	const struct probe_spec spec = parse(text);

	assert_string_equal(spec.text, text);
	assert_int_equal(spec.kind, kind);
	assert_int_equal(spec.edge, edge);
	assert_string_equal(spec.file, file);
	assert_string_equal(spec.function, function);
	assert_int_equal(spec.offset, 0);
	assert_int_equal(spec.line, 0);
	assert_int_equal(spec.argument_count, 0);
	assert_int_equal(spec.condition.count, 0);
	assert_false(spec.is_wildcard);
}

static void test_functions_in_all_forms(void **state)
{
	(void)state;
	is_function("k:vfs_read", PROBE_KERNEL, PROBE_ENTRY, "", "vfs_read");
	is_function("kprobe:vfs_read", PROBE_KERNEL, PROBE_ENTRY, "", "vfs_read");
	is_function("vfs_read", PROBE_KERNEL, PROBE_ENTRY, "", "vfs_read");
	is_function("kr:vfs_read", PROBE_KERNEL, PROBE_RETURN, "", "vfs_read");
	is_function("kretprobe:vfs_read", PROBE_KERNEL, PROBE_RETURN, "", "vfs_read");
	is_function("vfs_read%return", PROBE_KERNEL, PROBE_RETURN, "", "vfs_read");
	is_function("k:vfs_read%return", PROBE_KERNEL, PROBE_RETURN, "", "vfs_read");
	is_function("k:ext4:ext4_sync_fs", PROBE_KERNEL, PROBE_ENTRY, "ext4", "ext4_sync_fs");
	is_function("k:foo.isra.0", PROBE_KERNEL, PROBE_ENTRY, "", "foo.isra.0");
	is_function("lat:vfs_read", PROBE_KERNEL, PROBE_LATENCY, "", "vfs_read");
	is_function("lat:k:ext4:ext4_sync_fs", PROBE_KERNEL, PROBE_LATENCY, "ext4", "ext4_sync_fs");
	is_function("u:/bin/bash:readline", PROBE_USER, PROBE_ENTRY, "/bin/bash", "readline");
	is_function("uprobe:/bin/bash:readline", PROBE_USER, PROBE_ENTRY, "/bin/bash", "readline");
	is_function("ur:bash:readline", PROBE_USER, PROBE_RETURN, "bash", "readline");
	is_function("uretprobe:bash:readline", PROBE_USER, PROBE_RETURN, "bash", "readline");
	is_function("u:bash:readline%return", PROBE_USER, PROBE_RETURN, "bash", "readline");
	is_function("lat:libc.so.6:malloc", PROBE_USER, PROBE_LATENCY, "libc.so.6", "malloc");
	is_function("lat:u:libc.so.6:malloc", PROBE_USER, PROBE_LATENCY, "libc.so.6", "malloc");
}

static void test_names_of_cpp_need_no_quotes_but_for_blanks(void **state)
{
	(void)state;
	is_function("u:x:ns::A::~A", PROBE_USER, PROBE_ENTRY, "x", "ns::A::~A");
	is_function("u:x:std::max<int>", PROBE_USER, PROBE_ENTRY, "x", "std::max<int>");
	is_function("u:x:0x47228F", PROBE_USER, PROBE_ENTRY, "x", "0x47228F");
	is_function("lat:/bin/x:fn_472280", PROBE_USER, PROBE_LATENCY, "/bin/x", "fn_472280");
	is_function("ur:x:0x472280", PROBE_USER, PROBE_RETURN, "x", "0x472280");
	is_function("u:x:::global", PROBE_USER, PROBE_ENTRY, "x", "::global");
	is_function("u:x:A::operator+", PROBE_USER, PROBE_ENTRY, "x", "A::operator+");
	is_function("u:x:A::operator->", PROBE_USER, PROBE_ENTRY, "x", "A::operator->");
	is_function("u:x:\"A::operator*\"", PROBE_USER, PROBE_ENTRY, "x", "A::operator*");
	is_function("u:x:A::operator\\*", PROBE_USER, PROBE_ENTRY, "x", "A::operator*");
	is_function("u:x:\"f<int, char>(A const&)\"", PROBE_USER, PROBE_ENTRY, "x",
		    "f<int, char>(A const&)");
	is_function("u:x:\"A::operator%\"%return", PROBE_USER, PROBE_RETURN, "x", "A::operator%");
	is_function("u:x:\"odd%return\"", PROBE_USER, PROBE_ENTRY, "x", "odd%return");
	is_function("u:x:\"odd+4\"", PROBE_USER, PROBE_ENTRY, "x", "odd+4");
}

static void test_quotes_and_escapes_hold_any_path(void **state)
{
	(void)state;
	is_function("u:\"/opt/My App/x:y\":f", PROBE_USER, PROBE_ENTRY, "/opt/My App/x:y", "f");
	is_function("u:/opt/My\\ App/x\\:y:f", PROBE_USER, PROBE_ENTRY, "/opt/My App/x:y", "f");
	is_function("u:\"a\\\"b\\\\c  d\":f", PROBE_USER, PROBE_ENTRY, "a\"b\\c  d", "f");
	is_function("u:/opt/\"My App\"/x:f", PROBE_USER, PROBE_ENTRY, "/opt/My App/x", "f");
	is_function("u:libc.so.6:malloc\\@GLIBC_2.2.5", PROBE_USER, PROBE_ENTRY, "libc.so.6",
		    "malloc@GLIBC_2.2.5");
	is_function("u:\"t\":f", PROBE_USER, PROBE_ENTRY, "t", "f");
	is_function("lat:\"t\":f", PROBE_USER, PROBE_LATENCY, "t", "f");
}

static void test_places_inside_of_functions(void **state)
{
	struct probe_spec spec = parse("k:vfs_read+0x1c");

	(void)state;
	assert_string_equal(spec.function, "vfs_read");
	assert_int_equal(spec.offset, 0x1c);
	spec = parse("u:x:A::operator++16");
	assert_string_equal(spec.function, "A::operator+");
	assert_int_equal(spec.offset, 16);
	spec = parse("vfs_read:5");
	assert_string_equal(spec.function, "vfs_read");
	assert_string_equal(spec.source, "");
	assert_int_equal(spec.line, 5);
	spec = parse("u:x:A::run:12");
	assert_string_equal(spec.file, "x");
	assert_string_equal(spec.function, "A::run");
	assert_int_equal(spec.line, 12);
	spec = parse("u:x:main.c:12");
	assert_string_equal(spec.function, "");
	assert_string_equal(spec.source, "main.c");
	assert_int_equal(spec.line, 12);
	spec = parse("fs/read_write.c:470");
	assert_int_equal(spec.kind, PROBE_KERNEL);
	assert_string_equal(spec.source, "fs/read_write.c");
	assert_int_equal(spec.line, 470);
	spec = parse("k:probeme:probeme.c:7");
	assert_string_equal(spec.file, "probeme");
	assert_string_equal(spec.source, "probeme.c");
	spec = parse("k:vfs_read:0");	/* a function's line 0 is its begin */
	assert_int_equal(spec.line, 0);
	assert_string_equal(spec.function, "vfs_read");
}

static void test_a_function_is_of_one_source_file(void **state)
{
	struct probe_spec spec = parse("k:vfs_read@fs/read_write.c");

	(void)state;
	assert_string_equal(spec.function, "vfs_read");
	assert_string_equal(spec.declared_in, "fs/read_write.c");
	assert_string_equal(spec.source, "");
	spec = parse("type_show@block/genhd.c%return");
	assert_int_equal(spec.edge, PROBE_RETURN);
	assert_string_equal(spec.declared_in, "block/genhd.c");
	spec = parse("k:ext4:f@super.c+0x10");
	assert_string_equal(spec.file, "ext4");
	assert_int_equal(spec.offset, 0x10);
	assert_string_equal(spec.declared_in, "super.c");
	spec = parse("k:f+16@super.c");
	assert_int_equal(spec.offset, 16);
	assert_string_equal(spec.function, "f");
	assert_string_equal(spec.declared_in, "super.c");
	spec = parse("u:x:\"f<int, char>\"@a.cpp:7");
	assert_string_equal(spec.function, "f<int, char>");
	assert_string_equal(spec.declared_in, "a.cpp");
	assert_string_equal(spec.source, "");
	assert_int_equal(spec.line, 7);
	spec = parse("lat:x:init@a.c");
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_string_equal(spec.declared_in, "a.c");
	/* The version of a symbol, and of a Go module, is none. */
	spec = parse("u:libc.so.6:malloc@GLIBC_2.2.5");
	assert_string_equal(spec.function, "malloc@GLIBC_2.2.5");
	assert_string_equal(spec.declared_in, "");
	spec = parse("u:x:/go/mod/y@v1.2/z.go:12");
	assert_string_equal(spec.source, "/go/mod/y@v1.2/z.go");
	assert_int_equal(spec.line, 12);
	is_function("u:x:\"f@a.c\"", PROBE_USER, PROBE_ENTRY, "x", "f@a.c");
}

static void has_pattern(const char *text, const char *function, const char *source,
			const char *pattern)
{
	const struct probe_spec spec = parse(text);

	assert_string_equal(spec.function, function);
	assert_string_equal(spec.source, source);
	assert_string_equal(spec.pattern, pattern);
	assert_int_equal(spec.line, 0);
}

static void test_a_line_is_known_by_its_text(void **state)
{
	struct probe_spec spec = parse("u:x:f@a.c;*=0; y");

	(void)state;
	assert_string_equal(spec.declared_in, "a.c");
	assert_string_equal(spec.pattern, "*=0;");
	assert_string_equal(spec.arguments[0].name, "y");
	has_pattern("schedule;rq=cpu_rq*", "schedule", "", "rq=cpu_rq*");
	has_pattern("k:schedule;rq=cpu_rq* cpu", "schedule", "", "rq=cpu_rq*");
	has_pattern("k:fs/read_write.c;ret=*", "", "fs/read_write.c", "ret=*");
	has_pattern("u:x:main.c;case[0-9]:*", "", "main.c", "case[0-9]:*");
	has_pattern("u:x:ns::f;a?b:c", "ns::f", "", "a?b:c");
	has_pattern("u:x:f;\"x = a[ 1 ];\" y", "f", "", "x = a[ 1 ];");
	has_pattern("u:x:f;\"puts(\\\"a \\\\n\\\");\"", "f", "", "puts(\"a \\n\");");
	has_pattern("u:x:f;\"\\* b\"", "f", "", "\\* b");	/* an escape of the pattern */
	has_pattern("u:x:f;puts(\"a\");", "f", "", "puts(\"a\");");
	has_pattern("u:\"a;b\":\"f;g\";h", "f;g", "", "h");
}

static void test_a_probe_has_a_name(void **state)
{
	struct probe_spec spec = parse("slow_read=lat:vfs_read count if lat > 1ms");

	(void)state;
	assert_string_equal(spec.name, "slow_read");
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_string_equal(spec.function, "vfs_read");
	assert_string_equal(spec.text + spec.condition_from, "lat > 1ms");
	spec = parse("n1=schedule:12 cpu");
	assert_string_equal(spec.name, "n1");
	assert_int_equal(spec.line, 12);
	assert_string_equal(parse("x=t:sched:sched_switch").name, "x");
	assert_string_equal(parse("x=U:libc.so.6:lll_lock_wait").name, "x");
	assert_string_equal(parse("u:x:A::operator==").name, "");
}

static void test_a_build_is_meant(void **state)
{
	static const char text[] = "k:f+155 n=%si:s32 @0123456789ABCDEF0123456789abcdef01234567";
	struct probe_spec spec = parse(text);

	(void)state;
	assert_int_equal(spec.build_id.count, 20);
	assert_int_equal(spec.build_id.bytes[0], 0x01);
	assert_int_equal(spec.build_id.bytes[6], 0xcd);
	assert_int_equal(spec.build_id.bytes[19], 0x67);
	assert_int_equal(spec.argument_count, 1);
	spec = parse("u:x:f @0011223344556677 if tid == 1");
	assert_int_equal(spec.build_id.count, 8);
	/* A symbol, an address, one digit too few, too many. */
	assert_int_equal(parse("k:f @jiffies").build_id.count, 0);
	assert_int_equal(parse("k:f @deadbeef").argument_count, 1);
	assert_int_equal(parse("k:f @0x1122334455667788").argument_count, 1);
	assert_int_equal(parse("k:f @abcdef0123456789a").argument_count, 1);
	assert_int_equal(parse("k:f @a0123456789abcdef0123456789abcdef01234567ab").argument_count,
			 1);
}

static void test_wildcards_are_seen(void **state)
{
	struct probe_spec spec = parse("k:vfs_*");

	(void)state;
	assert_true(spec.is_wildcard);
	assert_string_equal(spec.function, "vfs_*");
	assert_true(parse("u:x:get?").is_wildcard);
	assert_true(parse("t:syscalls:sys_enter_*").is_wildcard);
	assert_true(parse("kr:tcp_*").is_wildcard);
	assert_true(parse("U:x:prov:*").is_wildcard);
	assert_true(parse("lat:x:ns::get*").is_wildcard);
	assert_true(parse("u:x:{malloc,calloc}").is_wildcard);
	assert_true(parse("k:vfs_{read,write}").is_wildcard);
	assert_true(parse("lat:t:syscalls:sys_enter_{fsync,msync} ret").is_wildcard);
	assert_false(parse("u:x:\"main::{lambda(int, char)#1}\"").is_wildcard);
	assert_false(parse("u:x:\"{a,b}\"").is_wildcard);
}

static void test_tracepoints_and_marks(void **state)
{
	struct probe_spec spec = parse("t:sched:sched_switch");

	(void)state;
	assert_int_equal(spec.kind, PROBE_TRACEPOINT);
	assert_int_equal(spec.edge, PROBE_ENTRY);
	assert_string_equal(spec.group, "sched");
	assert_string_equal(spec.function, "sched_switch");
	spec = parse("tracepoint:sched:sched_switch");
	assert_string_equal(spec.function, "sched_switch");
	spec = parse("U:/usr/bin/python3:python:function__entry");
	assert_int_equal(spec.kind, PROBE_USDT);
	assert_string_equal(spec.file, "/usr/bin/python3");
	assert_string_equal(spec.group, "python");
	assert_string_equal(spec.function, "function__entry");
	spec = parse("usdt:/bin/x:begin");
	assert_string_equal(spec.group, "");
	assert_string_equal(spec.function, "begin");
}

static void test_a_latency_between_tracepoints_has_keys(void **state)
{
	struct probe_spec spec = parse("lat:t:block:block_rq_issue->block:block_rq_complete "
				       "rwbs if rwbs ~ W* on dev,sector");

	(void)state;
	assert_int_equal(spec.kind, PROBE_TRACEPOINT);
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_string_equal(spec.group, "block");
	assert_string_equal(spec.function, "block_rq_issue");
	assert_string_equal(spec.end.group, "block");
	assert_string_equal(spec.end.function, "block_rq_complete");
	assert_int_equal(spec.on_count, 2);
	assert_string_equal(spec.on[0].begin, "dev");
	assert_string_equal(spec.on[1].end, "sector");
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.arguments[0].name, "rwbs");
	spec = parse("lat:tracepoint:a:b -> c:d z on x , y");
	assert_string_equal(spec.end.group, "c");
	assert_int_equal(spec.on_count, 2);
	assert_string_equal(spec.on[1].begin, "y");
	assert_string_equal(spec.arguments[0].value, "z");
	spec = parse("lat:t:a:b->d");
	assert_string_equal(spec.end.group, "a");
	assert_string_equal(spec.end.function, "d");
	assert_int_equal(spec.on_count, 0);
	assert_int_equal(parse("lat:t:a:b->d on tid").on_count, 0);
}

static void test_the_end_of_a_system_call_is_known(void **state)
{
	struct probe_spec spec = parse("lat:t:syscalls:sys_enter_read if ret < 0 and fd == 3");

	(void)state;
	assert_string_equal(spec.end.group, "syscalls");
	assert_string_equal(spec.end.function, "sys_exit_read");
	assert_string_equal(spec.arguments[0].value, "ret");
	assert_int_equal(spec.condition.nodes[0].operand, OPERAND_VALUE);
	assert_string_equal(spec.arguments[1].value, "fd");
	assert_string_equal(parse("lat:t:raw_syscalls:sys_enter").end.function, "sys_exit");
}

static void is_argument(const char *text, uint32_t index, const char *name, const char *value,
			const char *type)
{
	const struct probe_spec spec = parse(text);

	assert_true(index < spec.argument_count);
	assert_string_equal(spec.arguments[index].name, name);
	assert_string_equal(spec.arguments[index].value, value);
	assert_string_equal(spec.arguments[index].type, type);
	assert_false(spec.arguments[index].is_implied);
}

static void test_values_have_names_and_types(void **state)
{
	static const char long_value[] = "+0(+8(file->f_path.dentry->d_name.name)):ustring";

	(void)state;
	is_argument("k:f count", 0, "count", "count", "");
	is_argument("k:f a count:u32", 1, "count", "count", "u32");
	is_argument("k:f file->f_path.dentry", 0, "dentry", "file->f_path.dentry", "");
	is_argument("k:f arr[1]", 0, "arr", "arr[1]", "");
	is_argument("k:f a->b[2].c[0x1f]", 0, "c", "a->b[2].c[0x1f]", "");
	is_argument("u:x:f ns::depth:s8", 0, "depth", "ns::depth", "s8");
	is_argument("k:f $arg1:x64", 0, "arg1", "$arg1", "x64");
	is_argument("k:f %di %si:string", 1, "si", "%si", "string");
	is_argument("kr:f $retval", 0, "ret", "$retval", "");
	is_argument("f%return r=$retval:s32", 0, "r", "$retval", "s32");
	is_argument("kr:f +8($retval):u16", 0, "ret", "+8($retval)", "u16");
	is_argument("k:f +8(%si)", 0, "si", "+8(%si)", "");
	is_argument("k:f -0x10(%bp):symbol", 0, "bp", "-0x10(%bp)", "symbol");
	is_argument("k:f n=+u0(+8(%di)):ustring", 0, "n", "+u0(+8(%di))", "ustring");
	is_argument("k:f @jiffies @jiffies+8 @0x1b", 0, "jiffies", "@jiffies", "");
	is_argument("k:f @jiffies @jiffies+8 @0x1b", 1, "jiffies_2", "@jiffies+8", "");
	is_argument("k:f @jiffies @jiffies+8 @0x1b", 2, "value", "@0x1b", "");
	is_argument("k:f $stack2 $stack $comm \\-12", 3, "value", "\\-12", "");
	is_argument("k:f flags:b3@4/32", 0, "flags", "flags", "b3@4/32");
	is_argument("k:f a:b8@0/8 b:b1@15/16 c:b64@0/64", 0, "a", "a", "b8@0/8");
	is_argument("k:f a:b8@0/8 b:b1@15/16 c:b64@0/64", 1, "b", "b", "b1@15/16");
	is_argument("k:f a:b8@0/8 b:b1@15/16 c:b64@0/64", 2, "c", "c", "b64@0/64");
	is_argument("k:f +123456789012345678(%di)", 0, "di", "+123456789012345678(%di)", "");
	is_argument("t:sched:sched_switch args->prev_pid", 0, "prev_pid", "prev_pid", "");
	is_argument("t:sched:sched_switch who=next_comm", 0, "who", "next_comm", "");
	is_argument("U:x:p:m $arg2:s32", 0, "arg2", "$arg2", "s32");
	is_argument("t:a:b daddr[3]", 0, "daddr", "daddr[3]", "");
	is_argument("t:a:b args->daddr:ipv4", 0, "daddr", "daddr", "ipv4");
	is_argument("u:x:f $arg2[1]:string", 0, "arg2", "$arg2[1]", "string");
	is_argument("k:f sk->skc_dport:port", 0, "skc_dport", "sk->skc_dport", "port");
	is_argument("k:f +0(%di):u8[16]", 0, "di", "+0(%di)", "u8[16]");
	is_argument("lat:f a $retval", 1, "ret", "$retval", "");
	is_argument("kr:f $retval->id", 0, "id", "$retval->id", "");
	is_argument("k:f $arg1->retvals[2]", 0, "retvals", "$arg1->retvals[2]", "");
	assert_int_equal(strlen(parse("k:f +0(+8(file->f_path.dentry->d_name.name)):ustring")
				.arguments[0].value) + strlen(":ustring"), strlen(long_value));
}

static void test_a_path_is_a_text_of_a_system_call(void **state)
{
	struct probe_spec spec = parse("t:syscalls:sys_enter_openat filename:path");

	(void)state;
	assert_string_equal(spec.arguments[0].name, "filename");
	assert_string_equal(spec.arguments[0].type, "ustring");
}

static void test_a_masked_value_is_written_as_it_was_typed(void **state)
{
	struct probe_spec spec = parse("U:x:p:m q=norm($arg1):string norm($arg2):ustring $arg3");
	char text[64];

	(void)state;
	assert_true(spec.arguments[0].is_masked);
	assert_string_equal(spec.arguments[0].value, "$arg1");
	assert_string_equal(spec.arguments[0].type, "string");
	assert_string_equal(spec.arguments[1].name, "arg2");
	assert_false(spec.arguments[2].is_masked);
	probe_argument_write(&spec.arguments[0], text, sizeof(text));
	assert_string_equal(text, "q=norm($arg1):string");
	probe_argument_write(&spec.arguments[1], text, sizeof(text));
	assert_string_equal(text, "norm($arg2):ustring");
	spec = parse("t:a:b norm(args->query)");
	assert_string_equal(spec.arguments[0].value, "query");
	assert_true(spec.arguments[0].is_masked);
}

static void test_equal_names_are_told_apart(void **state)
{
	(void)state;
	is_argument("k:f a->len b->len c->len", 1, "len_2", "b->len", "");
	is_argument("k:f a->len b->len c->len", 2, "len_3", "c->len", "");
}

static void test_blanks_are_evened_but_not_in_quotes(void **state)
{
	const struct probe_spec spec = parse("  u:\"a  b\":f \t x   y:u8  if  x >  1 and comm == "
					     "\"c  d\"  \n");

	(void)state;
	assert_string_equal(spec.text, "u:\"a  b\":f x y:u8 if x > 1 and comm == \"c  d\"");
	assert_string_equal(spec.file, "a  b");
	assert_int_equal(spec.argument_count, 2);
	assert_int_equal(spec.condition.count, 3);
	assert_string_equal(spec.text + spec.condition_from, "x > 1 and comm == \"c  d\"");
}

static void test_what_a_condition_names_is_brought_along(void **state)
{
	struct probe_spec spec = parse("k:vfs_read if count > 1000 and count < 1M");

	(void)state;
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.arguments[0].value, "count");
	assert_true(spec.arguments[0].is_implied);
	spec = parse("k:f n=count if count > 1");	/* by its value, then called by its name */
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.condition.nodes[0].name, "n");
	spec = parse("k:f if file->f_flags & 1");
	assert_string_equal(spec.arguments[0].value, "file->f_flags");
	assert_string_equal(spec.condition.nodes[0].name, "f_flags");
	spec = parse("kr:f if ret < 0 or ret == 7");
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.arguments[0].value, "$retval");
	assert_string_equal(spec.condition.nodes[0].name, "ret");
	assert_int_equal(spec.condition.nodes[0].operand, OPERAND_RETURN);
	spec = parse("kr:f if $retval->id == 7");
	assert_string_equal(spec.arguments[0].value, "$retval->id");
	assert_string_equal(spec.condition.nodes[0].name, "id");
	assert_int_equal(spec.condition.nodes[0].operand, OPERAND_VALUE);
	spec = parse("lat:f r=$retval if(ret != 0 and lat > 5ms and comm == x)");
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.condition.nodes[0].name, "r");
	spec = parse("t:a:b if args.pid == 3 and pid == 4");
	assert_int_equal(spec.argument_count, 1);
	assert_string_equal(spec.arguments[0].name, "pid");
}

static void refuses(const char *text, const char *sentence)
{
	static const struct probe_spec nothing;
	struct probe_spec spec;
	struct diag why = { 0 };

	if (probe_spec_parse(&spec, text, &why) != -EINVAL)
		fail_msg("%s is not refused", text);
	if (!strstr(why.text, sentence))
		fail_msg("%s: \"%s\" is not in \"%s\"", text, sentence, why.text);
	assert_memory_equal(&spec, &nothing, sizeof(spec));
}

static void test_wrong_places_are_refused(void **state)
{
	(void)state;
	refuses("", "column 1: what is to be probed?");
	refuses("  ", "column 3: what is to be probed?");
	refuses("k:", "column 3: a name is missing");
	refuses("sched:sched_switch", "column 1: there is no kind \"sched\": k kr u ur t U lat, "
		"as in t:sched:sched_switch");
	refuses("k:a:b:3:4", "column 1: a kernel function is written k:[MODULE:]FUNC[@FILE.c]");
	refuses("u:malloc", "column 1: a function of a program is written u:FILE:FUNC");
	refuses("u:a:b:c", "column 7: \"c\" is no line: a number is needed");
	refuses("u:a:b:3:4:5", "too many parts; a ':' inside of a name is written \\: or in");
	refuses("lat:t:syscalls:sys_enter_{read,write}->sys_exit_read", "column 16: a latency "
		"between two points has one of each, without wildcards");
	refuses("lat:t:block:block_{rq,bio}_queue", "until when?");
	refuses("u:x:0x", "column 5: \"0x\" is no function");
	refuses("u:x:0x12g", "column 5: \"0x12g\" is no function");
	refuses("k:0x472280", "column 3: \"0x472280\" is no function");
	refuses("u:main.c:12", "column 10: \"12\" is no function; lines are FILE.c:LINE");
	refuses("u:/usr/lib/*:f", "column 3: one file is needed");
	refuses("k:my-f", "column 3: \"my-f\" is no kernel function: '-' is in no name");
	refuses("k:\"vfs_read", "column 3: the quote does not end");
	refuses("u:x:\"a*\"*", "column 5: * and ? are either all in quotes");
	refuses("kr:f+8", "column 4: an offset is of one function");
	refuses("k:f*+8", "column 3: an offset is of one function");
	refuses("lat:f%return", "column 5: lat: is entry and return: leave %return out");
	refuses("lat:kr:f", "column 5: lat: is entry and return: write lat:k:");
	refuses("lat:U:x:p:m", "column 5: a USDT probe has no return");
	refuses("kr:f:3", "column 6: returns and latencies are of functions");
	refuses("k:f*:3", "column 3: a line is of one function");
	refuses("k:main.c:0", "column 10: \"0\" is no line");
	refuses("t:sched_switch", "column 1: a tracepoint is written t:GROUP:NAME");
	refuses("t:*:sched_switch", "column 3: one group is needed");
	refuses("t:a:b->c:d", "column 6: from one point to another is lat:, as in lat:t:a:b->c:d");
	refuses("lat:t:a:b", "column 1: until when? lat:t:GROUP:NAME->GROUP:NAME on FIELD");
	refuses("lat:t:a:b*->c", "column 9: a latency between two points has one of each");
	refuses("lat:t:a:b->c*", "column 12: a latency between two points has one of each");
	refuses("lat:t:a:b->c on", "column 16: a field is needed");
	refuses("lat:t:a:b->c on ->", "column 17: a field is needed, as in on dev,sector");
	refuses("lat:t:a:b->c on a,b,c,d,e", "column 25: more than 4 fields");
	refuses("lat:t:a:b->c on abcdefghijklmnopqrstuvwxyz123456", "column 17: a field is needed");
	refuses("U:x", "column 1: a USDT probe is written U:FILE:PROVIDER:NAME");
	refuses("k:a\x01", "column 4: a control character");
	refuses("u:\"a\tb\":f", "column 5: a control character");
}

static void test_a_path_that_is_no_system_calls_is_refused(void **state)
{
	(void)state;
	refuses("k:f name:path", "path: of system calls (t:syscalls:..) only; string and ustring "
		"are texts, too");
	refuses("t:sched:sched_process_exec filename:path", "path: of system calls "
		"(t:syscalls:..) only; string and ustring are texts, too");
}

static void test_wrong_names_sources_patterns_and_builds_are_refused(void **state)
{
	(void)state;
	refuses("k:f@g", "column 3: after the @ of \"f@g\" the source file is needed that");
	refuses("k:f@a.c@b.c", "column 3: \"f@a.c\": one function of one source file");
	refuses("k:@a.c", "column 3: \"@a.c\": one function of one source file");
	refuses("k:vfs_*@a.c", "column 3: \"vfs_*@a.c\": one function of one source file");
	refuses("k:f;", "column 5: after ; the text of a line is needed, as in k:schedule;rq=");
	refuses("k:f;\"  \"", "column 5: after ; the text of a line is needed");
	refuses("k:f;\"a", "column 5: the quote does not end");
	refuses("k:f;\"a\"b", "column 8: a blank is needed after a pattern");
	refuses("k:f:3;a", "column 6: a line is known by its number or by its text, not by both");
	refuses("k:f+8;a", "column 3: a line is of one function, without an offset");
	refuses("k:vfs_*;a", "column 3: a pattern is of lines of one function or one source");
	refuses("kr:f;a", "column 5: returns and latencies are of functions: a line has none");
	refuses("lat:x:f;a", "column 8: returns and latencies are of functions");
	refuses("u:x;a", "column 1: a function of a program is written u:FILE:FUNC");
	refuses("probe:x=vfs_read", "column 1: flametop chooses the group: write x=, without "
		"probe:");
	refuses("k:x=vfs_read", "column 3: \"x=vfs_read\": a probe's name comes first, as in "
		"NAME=k:vfs_read");
	refuses("x=", "column 3: a name is missing");
	refuses("t:a:b @0123456789abcdef0123", "column 7: a tracepoint is of no file");
	refuses("U:x:p:m @0123456789abcdef", "column 9: a USDT probe is found in every build");
	refuses("k:f @0123456789abcdef @0123456789abcdef", "column 23: there is a build-id");
}

static void test_wrong_values_are_refused(void **state)
{
	(void)state;
	refuses("k:f 5", "column 5: 5: no value: there are name, a->b.c");
	refuses("k:f a->", "column 5: a->: no value");
	refuses("k:f n=a[i]", "column 7: a[i]: no value");
	refuses("k:f $arg0", "column 5: $arg0: no value");
	refuses("k:f $args", "column 5: $args: no value");
	refuses("k:f $comm.x", "column 5: $comm.x: no value");
	refuses("kr:f $retval->", "column 6: $retval->: no value");
	refuses("k:f +8(%si", "column 5: +8(%si: no value");
	refuses("k:f +8", "column 5: +8: no value");
	refuses("k:f a:u12", "column 7: u12: no type: there are u8 u16 u32 u64");
	refuses("k:f a:", "column 7: : no type");
	refuses("k:f a:b3@30/32", "column 7: b3@30/32: no type");
	refuses("k:f a:b3@4/24", "no type");
	refuses("k:f a:b0@4/32", "no type");
	refuses("k:f a:b3", "no type");
	refuses("k:f a:u8[0]", "no type");
	refuses("k:f a:u8[65]", "no type");
	refuses("k:f a:u8[4", "no type");
	refuses("k:f a:ipv5", "column 7: ipv5: no type");
	refuses("k:f norm(a", "column 10: norm(VALUE) masks the constants of a text");
	refuses("t:a:b daddr[x]", "column 7: daddr[x]: no value");
	refuses("t:a:b daddr[1][2]", "column 7: a tracepoint brings its own fields");
	refuses("k:f a:b3@4/32x", "no type");
	refuses("k:f +(%di)", "column 5: +(%di): no value");
	refuses("k:f @+16:s32", "column 5: @+16 counts in a file: of the kernel write @SYMBOL");
	refuses("u:x:f @+", "column 7: @+: no value");
	refuses("k:f +0x(%di)", "no value");
	refuses("k:f +1234567890123456789(%di)", "no value");
	refuses("k:f x=a x=b", "column 9: there is a value x already");
	refuses("k:f $retval", "column 5: $retval is known at the return of a function: kr: ur:");
	refuses("kr:f $arg1", "column 6: at the return $arg1 is gone: lat: brings");
	refuses("kr:f count", "column 6: at the return count is gone");
	refuses("kr:f +8(p)", "column 6: at the return +8(p) is gone");
	refuses("t:a:b %di", "column 7: a tracepoint brings its own fields");
	refuses("t:a:b x->y", "column 7: a tracepoint brings its own fields");
	refuses("U:x:p:m $retval", "column 9: $retval is known at the return");
	refuses("k:f a b c d e f g h i j k l m", "column 29: more than 12 values");
	refuses("k:f abcdefghijklmnopqrstuvwxyz123456=a", "column 5: a name of more than 31 bytes");
}

static void test_wrong_conditions_are_refused(void **state)
{
	(void)state;
	refuses("k:f if", "column 7: the condition ends too early");
	refuses("k:f if n = 1", "column 10: = does not compare");
	refuses("k:f if lat > 5ms", "column 8: lat is known of lat:... only");
	refuses("k:f if ret == 1", "column 8: $retval is known at the return");
	refuses("kr:f if count == 1", "column 9: at the return count is gone");
	refuses("t:a:b if a->b == 1", "column 10: a tracepoint brings its own fields");
}

static void test_what_is_too_long_is_refused(void **state)
{
	char text[2000] = "u:x:";

	(void)state;
	memset(text + 4, 'f', 256);
	refuses(text, "column 5: a name of more than 255 bytes");
	memset(text + 4, ' ', 600);
	text[604] = 'f';
	refuses(text, "column 5: a name is missing");
	memset(text, 'f', sizeof(text) - 1);
	refuses(text, "a spec of more than 1023 bytes");
	strcpy(text, "t:");
	memset(text + 2, 'g', 64);
	strcpy(text + 66, ":n");
	refuses(text, "column 3: a name of more than 63 bytes");
}

static void is_named(const char *text, const char *name)
{
	const struct probe_spec spec = parse(text);
	char out[100];

	probe_spec_name(&spec, out, sizeof(out));
	assert_string_equal(out, name);
}

static void test_a_name_is_short(void **state)
{
	struct probe_spec spec = parse("k:vfs_read");
	char out[6];

	(void)state;
	is_named("lat:/lib/x86_64-linux-gnu/libc.so.6:malloc bytes if lat > 1ms",
		 "lat:libc.so.6:malloc");
	is_named("vfs_read%return $retval", "kr:vfs_read");
	is_named("uretprobe:/bin/bash:readline", "ur:bash:readline");
	is_named("k:ext4:ext4_sync_fs+0x10", "k:ext4:ext4_sync_fs+0x10");
	is_named("u:/bin/x:src/main.c:12", "u:x:main.c:12");
	is_named("k:vfs_read:3", "k:vfs_read:3");
	is_named("tracepoint:a:b c", "t:a:b");
	is_named("U:/bin/x:p:m", "U:x:p:m");
	is_named("lat:t:a:b -> a:c on d", "lat:t:a:b->c");
	is_named("lat:t:a:b->d:c", "lat:t:a:b->d:c");
	is_named("k:f@fs/super.c:3", "k:f@super.c:3");
	is_named("u:/bin/x:f;a=*", "u:x:f;a=*");
	is_named("slow=u:/bin/x:f a if a > 1", "slow");
	probe_spec_name(&spec, out, sizeof(out));
	assert_string_equal(out, "k:vfs");
}

/* The points of a probe know the function as well; counted from it, line 20 is another one. */
static void test_a_line_of_a_source_stays_one_when_the_function_is_known(void **state)
{
	struct probe_spec spec = parse("u:./work:src/work.c:20");
	char out[100];

	(void)state;
	strcpy(spec.function, "send_it");
	probe_spec_name(&spec, out, sizeof(out));
	assert_string_equal(out, "u:work:work.c:20");
	assert_int_equal(probe_spec_write(&spec, "", NULL), 0);
	assert_string_equal(spec.text, "u:./work:src/work.c:20");
}

static void pairs(const char *one, const char *other, const char *text)
{
	struct probe_spec entry = parse(one), pair = parse(text);
	const struct probe_spec back = parse(other);

	assert_true(probe_spec_pair(&entry, &back));
	assert_string_equal(entry.text, text);
	assert_memory_equal(&entry, &pair, sizeof(pair));
}

static void test_entry_and_return_of_one_place_are_a_latency(void **state)
{
	(void)state;
	pairs("k:f", "kr:f", "lat:f");
	pairs("kr:f", "k:f", "lat:f");
	pairs("k:m:f", "kr:m:f", "lat:k:m:f");
	pairs("kprobe:f a", "f%return $retval", "lat:f a $retval");
	pairs("u:/bin/x:f %di n=count:u32", "ur:/bin/x:f r=$retval:s32",
	      "lat:/bin/x:f %di n=count:u32 r=$retval:s32");
	pairs("u:\"a b\":\"f<int, char>\"", "ur:a\\ b:\"f<int, char>\"",
	      "lat:\"a b\":\"f<int, char>\"");
	pairs("u:x:ns::f", "ur:x:ns::f", "lat:x:ns::f");
	pairs("k:f if n > 1", "kr:f", "lat:f if n > 1");
	pairs("k:f", "kr:f if ret < 0", "lat:f if ret < 0");
	pairs("k:f a if n > 1 or n == 0", "kr:f if ret < 0",
	      "lat:f a if (n > 1 or n == 0) and (ret < 0)");
	pairs("x=k:f@a.c", "kr:f@a.c", "x=lat:f@a.c");
	pairs("k:f", "x=kr:f", "x=lat:f");
	pairs("x=k:f a", "x=kr:f @0123456789abcdef if ret < 0",
	      "x=lat:f a @0123456789abcdef if ret < 0");
}

static void does_not_pair(const char *one, const char *other)
{
	struct probe_spec entry = parse(one);
	const struct probe_spec before = entry, back = parse(other);

	assert_false(probe_spec_pair(&entry, &back));
	assert_memory_equal(&entry, &before, sizeof(before));
}

static void test_what_is_not_one_place_is_no_pair(void **state)
{
	(void)state;
	does_not_pair("k:f", "kr:g");
	does_not_pair("k:f", "k:f");
	does_not_pair("kr:f", "kr:f");
	does_not_pair("k:f", "lat:f");
	does_not_pair("k:f*", "kr:f*");
	does_not_pair("k:f+4", "kr:f");
	does_not_pair("k:f:4", "kr:f");
	does_not_pair("u:x:f", "ur:y:f");
	does_not_pair("k:x:f", "ur:x:f");
	does_not_pair("k:f", "kr:f %ax");	/* at the entry it is another value */
	does_not_pair("k:f x=a", "kr:f x=$retval");
	does_not_pair("t:a:b", "kr:b");
	does_not_pair("k:f@a.c", "kr:f@b.c");
	does_not_pair("x=k:f", "y=kr:f");
	does_not_pair("k:f @0123456789abcdef", "kr:f @0123456789abcdee");
}

/* At every length around the limit: it is whole, or there is none. */
static void test_a_pair_that_no_line_can_hold_is_none(void **state)
{
	unsigned int paired = 0;

	(void)state;
	for (int bytes = 1; bytes < 250; bytes++) {
		char one[1100], other[1100];
		size_t used;
		struct probe_spec entry, back;

		snprintf(one, sizeof(one), "u:\"%0*d*\":f if a == %060d", bytes, 1, 2);
		used = (size_t)snprintf(other, sizeof(other), "ur:\"%0*d*\":f if ret == 0", bytes,
					1);
		for (int i = 0; i < 10; i++)
			used += (size_t)snprintf(other + used, sizeof(other) - used,
						 " or ret == %060d", i);
		entry = parse(one);
		back = parse(other);
		if (!probe_spec_pair(&entry, &back)) {
			assert_string_equal(entry.text, one);
			continue;
		}
		paired++;
		assert_int_equal(strlen(entry.file), bytes + 1);
		assert_int_equal(entry.condition.count, 23);
	}
	assert_int_equal(paired, 218);	/* 1023 - 805 that all have */
}

/* Parts in any order: what parses must parse from its own text to the same. */
static void test_any_spec_is_the_same_from_its_own_text(void **state)
{
	static const char *const parts[] = {
		"k:", "u:", "ur:", "t:", "U:", "lat:", "lat:t:", "kr:", "f", "/bin/x", ":", "::",
		"%return", "+8", ":12", "main.c", " ", "  ", "\t", "\"a  b\"", "\\ ", "\\:",
		"\"", "\\", "a->b", "n=", "$arg1", "%di", "$retval", "+8(", ")", ":u32", ":string",
		" if ",
		"n > 5", " and ", "comm == ", "\"q  r\"", "lat > 1ms", "->", " by ", ",", "*", "~A",
		"'", "(", "not ", "ret < 0", "@s", "[1]", ";", "@main.c", "x=", "{a,b}",
		" @0123456789abcdef",
	};
	uint64_t seed = 1;
	unsigned int parsed = 0;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		char text[300] = "";
		struct probe_spec spec, again;

		for (uint64_t n = random_below(&seed, 9) + 1; n; n--)
			strcat(text, parts[random_below(&seed, sizeof(parts) / sizeof(parts[0]))]);
		if (probe_spec_parse(&spec, text, NULL))
			continue;
		parsed++;
		if (probe_spec_parse(&again, spec.text, NULL) ||
		    memcmp(&spec, &again, sizeof(spec)) != 0)
			fail_msg("\"%s\" is another from its text \"%s\"", text, spec.text);
		if (spec.condition.count)
			continue;
		again = spec;
		assert_int_equal(probe_spec_write(&again, "", NULL), 0);
		memset(spec.text, 0, sizeof(spec.text));
		strcpy(spec.text, again.text);
		if (probe_spec_parse(&again, spec.text, NULL) ||
		    memcmp(&spec, &again, sizeof(spec)) != 0)
			fail_msg("\"%s\" is another as it is written, \"%s\"", text, spec.text);
	}
	assert_true(parsed > 1000);
}

UNIT_TESTS(test_probe_spec)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_in_all_forms),
		cmocka_unit_test(test_names_of_cpp_need_no_quotes_but_for_blanks),
		cmocka_unit_test(test_quotes_and_escapes_hold_any_path),
		cmocka_unit_test(test_places_inside_of_functions),
		cmocka_unit_test(test_a_function_is_of_one_source_file),
		cmocka_unit_test(test_a_line_is_known_by_its_text),
		cmocka_unit_test(test_a_probe_has_a_name),
		cmocka_unit_test(test_a_build_is_meant),
		cmocka_unit_test(test_wildcards_are_seen),
		cmocka_unit_test(test_tracepoints_and_marks),
		cmocka_unit_test(test_a_latency_between_tracepoints_has_keys),
		cmocka_unit_test(test_the_end_of_a_system_call_is_known),
		cmocka_unit_test(test_values_have_names_and_types),
		cmocka_unit_test(test_a_path_is_a_text_of_a_system_call),
		cmocka_unit_test(test_a_path_that_is_no_system_calls_is_refused),
		cmocka_unit_test(test_a_masked_value_is_written_as_it_was_typed),
		cmocka_unit_test(test_equal_names_are_told_apart),
		cmocka_unit_test(test_blanks_are_evened_but_not_in_quotes),
		cmocka_unit_test(test_what_a_condition_names_is_brought_along),
		cmocka_unit_test(test_wrong_places_are_refused),
		cmocka_unit_test(test_wrong_names_sources_patterns_and_builds_are_refused),
		cmocka_unit_test(test_wrong_values_are_refused),
		cmocka_unit_test(test_wrong_conditions_are_refused),
		cmocka_unit_test(test_what_is_too_long_is_refused),
		cmocka_unit_test(test_a_name_is_short),
		cmocka_unit_test(test_a_line_of_a_source_stays_one_when_the_function_is_known),
		cmocka_unit_test(test_entry_and_return_of_one_place_are_a_latency),
		cmocka_unit_test(test_what_is_not_one_place_is_no_pair),
		cmocka_unit_test(test_a_pair_that_no_line_can_hold_is_none),
		cmocka_unit_test(test_any_spec_is_the_same_from_its_own_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
