/* The spec of a site, without anything that only debug information knows: parsed again it means the
 * same function, offset, values and condition. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_point.h"
#include "unit_tests.h"

static struct probe_site sites[2];
static struct probe_point point;
static struct probe_spec out;
static struct diag why;

/* A point of @text, whose first site is 0x2b bytes into "work" at 0x1139. */
static void begin(const char *text)
{
	memset(sites, 0, sizeof(sites));
	point = (struct probe_point){ .sites = sites, .site_count = 2, .path = "/bin/x",
				      .build_id = { .bytes = { 1, 2, 3, 4, 5, 6, 7, 0xab },
						    .count = 8 } };
	if (probe_spec_parse(&point.spec, text, &why))
		fail_msg("%s: %s", text, why.text);
	for (uint32_t i = 0; i < 2; i++) {
		strcpy(sites[i].symbol, i ? "other" : "work");
		sites[i].begin = i ? 0x2000 : 0x1139;
		sites[i].address = sites[i].begin + 0x1000;
		sites[i].offset = sites[i].begin + 0x2b;
		sites[i].value_count = point.spec.argument_count;
	}
}

static void fetch(uint32_t value, const char *text)
{
	strcpy(sites[0].values[value].fetch, text);
}

static void expect(uint32_t index, const char *wanted)
{
	struct probe_spec again;

	if (probe_point_write_spec(&point, index, false, &out, &why))
		fail_msg("%s", why.text);
	assert_string_equal(out.text, wanted);
	assert_int_equal(probe_spec_parse(&again, out.text, &why), 0);
	assert_int_equal(again.argument_count, out.argument_count);
	assert_int_equal(again.build_id.count, out.build_id.count);
}

static void test_a_line_is_a_function_and_an_offset(void **state)
{
	(void)state;
	begin("u:x:work:3");
	expect(0, "u:/bin/x:work+0x2b @01020304050607ab");
	begin("u:x:a.c:12");
	expect(1, "u:/bin/x:other+0x2b @01020304050607ab");
	begin("u:x:work@a.c;sum+=*");
	expect(0, "u:/bin/x:work+0x2b @01020304050607ab");
	begin("u:x:wo*");
	sites[0].offset = sites[0].begin;
	expect(0, "u:/bin/x:work @01020304050607ab");
	assert_int_equal(probe_point_write_spec(&point, 1, true, &out, &why), 0);
	assert_string_equal(out.text, "u:/bin/x:fn_3000+0x2b @01020304050607ab");
}

static void test_a_return_has_no_offset(void **state)
{
	(void)state;
	begin("ur:x:work");
	sites[0].offset = sites[0].begin + 4;	/* after an ENDBR64 */
	expect(0, "ur:/bin/x:work @01020304050607ab");
}

static void test_values_are_fetch_arguments(void **state)
{
	(void)state;
	begin("u:x:work:3 n=p->a q->text pages $comm ip:ipv4 norm(sql):string");
	fetch(0, "+8(+16(%di)):s32");
	fetch(1, "+0(+24(-40(%bp))):string");
	fetch(2, "+4(%di):b3@17/32");
	fetch(3, "$comm");
	fetch(4, "+4(%si):u32");
	fetch(5, "+0(%dx):string");
	sites[0].values[4].meaning = MEANING_IPV4;
	sites[0].values[5].meaning = MEANING_STATEMENT;
	expect(0, "u:/bin/x:work+0x2b n=+8(+16(%di)):s32 text=+0(+24(-40(%bp))):string "
	       "pages=+4(%di):b3@17/32 $comm ip=+4(%si):ipv4 sql=norm(+0(%dx)):string "
	       "@01020304050607ab");
}

static void test_what_is_not_there_is_left_out(void **state)
{
	(void)state;
	begin("u:x:work:3 a b");
	fetch(1, "@+4096:s64");
	expect(0, "u:/bin/x:work+0x2b b=@+4096:s64 @01020304050607ab");
}

static void test_a_condition_names_the_values(void **state)
{
	(void)state;
	begin("lat:x:work if p->n > 1k and (comm == \"a b\" or not ret < 0) and lat > 5ms");
	fetch(0, "+0(%di):s32");
	fetch(1, "$retval:s32");
	expect(0, "lat:/bin/x:work n=+0(%di):s32 $retval:s32 @01020304050607ab if ((n > 1k) && "
	       "((comm == \"a b\") || (!(ret < 0)))) && (lat > 5ms)");
}

static void test_keys_and_aggregates_name_the_values(void **state)
{
	(void)state;
	begin("u:x:work:3 a b if p->n > 1 by $arg1:string, comm : sum(b * 2), hist(len)");
	fetch(1, "%si:s32");
	fetch(2, "+0(%di):s32");
	fetch(3, "+0(%dx):string");
	fetch(4, "%cx:u64");
	expect(0, "u:/bin/x:work+0x2b b=%si:s32 n=+0(%di):s32 arg1=+0(%dx):string len=%cx:u64 "
	       "@01020304050607ab if n > 1 by arg1, comm : sum(b * 2), hist(len)");
	sites[0].values[4].fetch[0] = '\0';
	assert_int_equal(probe_point_write_spec(&point, 0, false, &out, &why), -ENOENT);
	assert_non_null(strstr(why.text, "a value that it groups by or aggregates is not there"));
}

static void test_a_name_is_of_one_site(void **state)
{
	(void)state;
	begin("slow=u:x:work:3");
	expect(0, "slow=u:/bin/x:work+0x2b @01020304050607ab");
	expect(1, "slow_2=u:/bin/x:other+0x2b @01020304050607ab");
}

static void test_a_kernel_site_is_of_its_module(void **state)
{
	(void)state;
	begin("k:xennet_start_xmit:40 pages");
	strcpy(sites[0].symbol, "xen_netfront:xennet_start_xmit");
	sites[0].offset = 155;
	fetch(0, "%si:s32");
	expect(0, "k:xen_netfront:xennet_start_xmit+0x9b pages=%si:s32 @01020304050607ab");
	strcpy(sites[0].symbol, "xennet_start_xmit");
	point.build_id.count = 0;
	expect(0, "k:xennet_start_xmit+0x9b pages=%si:s32");
}

static void test_what_has_no_name_or_is_too_long_is_refused(void **state)
{
	(void)state;
	begin("k:a.c:12");
	sites[0].symbol[0] = '\0';
	assert_int_equal(probe_point_write_spec(&point, 0, false, &out, &why), -ENOENT);
	begin("u:x:work a b c d");
	for (uint32_t i = 0; i < 4; i++) {
		memset(sites[0].values[i].fetch, '1', 159);
		sites[0].values[i].fetch[159] = '\0';
	}
	assert_int_equal(probe_point_write_spec(&point, 0, false, &out, &why), -EINVAL);
}

UNIT_TESTS(test_resolved_spec)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_a_function_and_an_offset),
		cmocka_unit_test(test_a_return_has_no_offset),
		cmocka_unit_test(test_values_are_fetch_arguments),
		cmocka_unit_test(test_what_is_not_there_is_left_out),
		cmocka_unit_test(test_a_condition_names_the_values),
		cmocka_unit_test(test_keys_and_aggregates_name_the_values),
		cmocka_unit_test(test_a_name_is_of_one_site),
		cmocka_unit_test(test_a_kernel_site_is_of_its_module),
		cmocka_unit_test(test_what_has_no_name_or_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
