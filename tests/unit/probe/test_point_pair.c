/* Two places, each found as a probe of its own, become one latency: who brings a value, what joins
 * them, whose verdict it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/point_pair.h"
#include "probe/probe_definition.h"
#include "unit_tests.h"

static struct probe_spec spec, one;
static struct probe_point *point;
static struct diag why;

/* Finds @place, of the place that `one` is, with @site_count sites and no value. */
static void find(struct probe_point *place, uint32_t site_count)
{
	*place = (struct probe_point){ .spec = one, .file = -1, .site_count = site_count };
	place->sites = calloc(site_count, sizeof(*place->sites));
	assert_non_null(place->sites);
	for (uint32_t s = 0; s < site_count; s++) {
		place->sites[s].value_count = one.argument_count;
		for (uint32_t i = 0; i < one.argument_count; i++) {
			struct probe_fetch *value = &place->sites[s].values[i];

			strcpy(value->name, one.arguments[i].name);
			strcpy(value->reason, "not there");
		}
	}
}

/* Finds both places of @text, none with a value. */
static void begin(const char *text)
{
	if (probe_spec_parse(&spec, text, &why))
		fail_msg("%s: %s", text, why.text);
	assert_true(point_pair_is(&spec));
	point = calloc(1, sizeof(*point));
	assert_non_null(point);
	assert_int_equal(point_pair_spec(&spec, 0, &one, &why), 0);
	find(point, 2);
	assert_int_equal(point_pair_begin(point, &spec, &why), 0);
	for (uint32_t i = 1; i < spec.middle_count + 2; i++) {
		struct probe_point *later = calloc(1, sizeof(*later));

		assert_non_null(later);
		assert_int_equal(point_pair_spec(&spec, i, &one, &why), 0);
		find(later, 1);
		*(i <= spec.middle_count ? &point->middles[i - 1] : &point->end) = later;
	}
}

static int tear_down(void **state)
{
	(void)state;
	probe_point_free(point, 1);
	point = NULL;
	return 0;
}

/* All sites of @place fetch value @index so. */
static void fetch(struct probe_point *place, uint32_t index, const char *how,
		  enum probe_value_kind kind)
{
	for (uint32_t s = 0; s < place->site_count; s++) {
		strcpy(place->sites[s].values[index].fetch, how);
		place->sites[s].values[index].kind = kind;
		place->sites[s].values[index].is_return = !strncmp(how, "$retval", 7);
	}
}

static const struct probe_fetch *value_of(const struct probe_point *place, uint32_t index)
{
	return &place->sites[place->site_count - 1].values[index];
}

static void test_each_place_is_a_probe_of_its_own(void **state)
{
	(void)state;
	begin("lat:u:prog:f->U:lib.so:prov:mark req=$arg1 on req=$arg2,$arg3=req if req > 3");
	assert_int_equal(point_pair_spec(&spec, 0, &one, &why), 0);
	assert_int_equal(one.kind, PROBE_USER);
	assert_int_equal(one.edge, PROBE_ENTRY);
	assert_string_equal(one.function, "f");
	assert_string_equal(one.end.function, "");
	assert_int_equal(one.on_count + one.condition.count, 0);
	assert_int_equal(one.argument_count, 2);
	assert_string_equal(one.arguments[1].value, "$arg3");
	assert_int_equal(point->on_values[0], 0);
	assert_int_equal(point->on_values[1], 1);
	assert_int_equal(point_pair_spec(&spec, 1, &one, &why), 0);
	assert_int_equal(one.kind, PROBE_USDT);
	assert_string_equal(one.file, "lib.so");
	assert_string_equal(one.group, "prov");
	assert_string_equal(one.function, "mark");
	assert_int_equal(one.argument_count, 2);
	assert_string_equal(one.arguments[1].value, "$arg2");
	assert_string_equal(point->spec.text, spec.text);
	assert_int_equal(point->spec.argument_count, 1);
	assert_int_equal(point->spec.condition.count, 1);
}

static void test_a_value_is_the_first_places_or_else_the_seconds(void **state)
{
	(void)state;
	begin("lat:u:prog:f->ur:prog:g $arg1 b=$arg2 $retval");
	fetch(point, 0, "%di", VALUE_HEX);
	fetch(point->end, 0, "%di", VALUE_HEX);		/* at a return it is none */
	fetch(point, 2, "$retval:s32", VALUE_SIGNED);	/* nor at an entry */
	fetch(point->end, 2, "$retval:u64", VALUE_UNSIGNED);
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_string_equal(value_of(point, 0)->fetch, "%di");
	assert_false(value_of(point, 0)->is_return);
	assert_string_equal(value_of(point->end, 0)->fetch, "");
	assert_string_equal(value_of(point, 1)->fetch, "");
	assert_non_null(strstr(value_of(point, 1)->reason, "at the second point: not there"));
	assert_string_equal(value_of(point, 2)->fetch, "$retval:u64");
	assert_true(value_of(point, 2)->is_return);
	assert_string_equal(value_of(point->end, 2)->fetch, "$retval:u64");
}

/* The second point's $arg1 is not shown, as the first one has it, but joins. */
static void test_what_joins_is_recorded_at_both_places(void **state)
{
	struct probe_definition made;

	(void)state;
	begin("lat:u:prog:f->u:prog:g $arg1 on $arg1");
	fetch(point, 0, "%di:x64", VALUE_HEX);
	fetch(point->end, 0, "%di:s32", VALUE_SIGNED);
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(probe_definition_make(&made, point, &point->sites[0], false, &why), 0);
	assert_int_equal(made.type, TRACE_UPROBE);
	assert_string_equal(made.fetch_args, "a0=%di:x64");
	assert_int_equal(probe_definition_make(&made, point, &point->end->sites[0], true, &why), 0);
	assert_int_equal(made.type, TRACE_UPROBE);
	assert_string_equal(made.fetch_args, "a0=%di:s32");
}

static void test_a_place_is_an_entry_or_a_return(void **state)
{
	struct probe_definition made;

	(void)state;
	begin("lat:ur:prog:f->kr:g");
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(probe_definition_make(&made, point, &point->sites[0], false, &why), 0);
	assert_int_equal(made.type, TRACE_URETPROBE);
	assert_int_equal(probe_definition_make(&made, point, &point->end->sites[0], true, &why), 0);
	assert_int_equal(made.type, TRACE_KRETPROBE);
	assert_string_equal(made.fetch_args, "");	/* no stack pointer pairs two functions */
}

static void test_a_join_is_refused_where_it_means_nothing(void **state)
{
	(void)state;
	begin("lat:u:prog:f->u:prog:g on $arg1=$arg2");
	fetch(point, 0, "%di:x64", VALUE_HEX);
	assert_int_equal(point_pair_join(point, &why), -EINVAL);
	assert_string_equal(why.text, "g has no value '$arg2' to join by: not there");
	tear_down(NULL);
	begin("lat:u:prog:f->u:prog:g name=$arg1:string on name=$arg2");
	fetch(point, 0, "+0(%di):string", VALUE_TEXT);
	fetch(point->end, 1, "%si:x64", VALUE_HEX);
	assert_int_equal(point_pair_join(point, &why), -EINVAL);
	assert_string_equal(why.text, "name of f is a text, $arg2 of g is a number: the two are "
			    "never equal");
	tear_down(NULL);
	begin("lat:u:prog:f->u:prog:g on $arg1");
	fetch(point, 0, "%di:x64", VALUE_HEX);
	fetch(point->end, 0, "%di:x64", VALUE_HEX);
	point->sites[1].values[0].fetch[0] = '\0';	/* an inlined copy */
	assert_int_equal(point_pair_join(point, &why), -EINVAL);
}

static void test_the_worse_verdict_counts_and_says_whose_it_is(void **state)
{
	(void)state;
	begin("lat:u:prog:f->u:prog:g");
	point->verdict = VERDICT_COSTLY;
	strcpy(point->reason, "slow");
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(point->verdict, VERDICT_COSTLY);
	assert_string_equal(point->reason, "u:prog:f: slow");
	tear_down(NULL);
	begin("lat:u:prog:f->u:prog:g");
	point->verdict = VERDICT_COSTLY;
	point->end->verdict = VERDICT_REFUSED;
	strcpy(point->end->reason, "dangerous");
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(point->verdict, VERDICT_REFUSED);
	assert_string_equal(point->reason, "u:prog:g: dangerous");
}

static void test_a_place_ends_itself_only_by_the_field_that_it_began_with(void **state)
{
	(void)state;
	assert_int_equal(probe_spec_parse(&spec, "lat:u:prog:f->u:prog:f", &why), 0);
	assert_true(probe_spec_is_interval(&spec));
	assert_int_equal(probe_spec_parse(&spec, "lat:t:a:b->a:b on x,y", &why), 0);
	assert_true(probe_spec_is_interval(&spec));
	assert_int_equal(probe_spec_parse(&spec, "lat:t:a:b->a:b on x,y=z", &why), 0);
	assert_false(probe_spec_is_interval(&spec));
	assert_int_equal(probe_spec_parse(&spec, "lat:u:prog:f->u:other:f", &why), 0);
	assert_false(probe_spec_is_interval(&spec));
}

/* Its two places, or an error: a probe of the first alone would show wrong latencies. */
static void test_a_latency_of_two_places_is_never_one_of_the_first_alone(void **state)
{
	static const char *const firsts[] = {
		"", "prog:f", "u:prog:f", "ur:prog:f", "u:prog:f+8", "u:prog:f.c:42", "u:prog:f*",
		"f", "k:f", "kr:f", "k:module:f", "k:f+8", "t:a:b", "t:a:b*",
		"t:syscalls:sys_enter_read", "t:syscalls:sys_enter_{read,write}", "U:prog:a:b",
		"U:prog:b", "f(inlined)",
	};
	static const char *const seconds[] = {
		"", "prog:g", "u:prog:g", "ur:prog:g", "u:prog:g+8", "u:prog:f.c:43", "u:prog:g*",
		"g", "k:g", "kr:g", "k:module:g", "k:g+8", "c:d", "t:c:d", "t:c:d*",
		"syscalls:sys_exit_read", "t:syscalls:sys_exit_*", "U:prog:c:d", "U:prog:d",
		"lat:u:prog:g", "u:prog:g->u:prog:h",
	};
	static const char *const arrows[] = { "->", " ->", "-> ", " -> " };
	char text[200];
	uint32_t pairs = 0;

	(void)state;
	for (size_t i = 0; i < 19 * 21 * 4; i++) {
		snprintf(text, sizeof(text), "lat:%s%s%s", firsts[i % 19], arrows[i / 19 % 4],
			 seconds[i / 76]);
		if (probe_spec_parse(&spec, text, &why))
			continue;
		if (!point_pair_is(&spec))
			fail_msg("%s: has no second place", text);
		pairs++;
	}
	assert_in_range(pairs, 100, 19 * 21 * 4);
}

static void test_a_pair_costs_what_both_places_cost(void **state)
{
	const struct probe_cost cost = { .emulated = 1, .stepped = 10, .user_return = 100,
					 .kernel = 1000, .record = 10000, .stack = 100000 };

	(void)state;
	begin("lat:ur:prog:f->k:g");
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal((int)probe_cost_of_hit(&cost, point, true), 110110);
	assert_int_equal((int)probe_cost_of_end(&cost, point), 11000);
}

/* Values keep the indices that the spec gives them, around the times of the stages. */
static void test_a_point_between_brings_what_joins_it(void **state)
{
	struct probe_definition made;

	(void)state;
	begin("lat:u:prog:f->u:lib:g->kr:h->U:prog:m lat2 $arg2 if lat1 > 1ms on "
	      "$arg1=$arg3=$retval=$arg1");
	assert_int_equal(spec.argument_count, 4);
	assert_int_equal(point->spec.argument_count, 4);
	assert_string_equal(point->spec.arguments[1].value, "$arg2");
	assert_int_equal(point->on_values[0], 4);
	assert_int_equal(point->sites[1].value_count, 5);
	assert_int_equal(value_of(point, 0)->origin, ORIGIN_STAGE);
	assert_string_equal(value_of(point, 0)->name, "lat2");
	assert_string_equal(value_of(point, 1)->name, "arg2");
	assert_string_equal(value_of(point, 2)->name, "lat1");
	assert_string_equal(value_of(point, 3)->name, "lat3");
	assert_int_equal(point->middles[0]->spec.argument_count, 1);
	assert_string_equal(point->middles[0]->spec.file, "lib");
	assert_int_equal(point->middles[1]->spec.edge, PROBE_RETURN);
	fetch(point, 1, "%si:x64", VALUE_HEX);
	fetch(point, 4, "%di:x64", VALUE_HEX);
	fetch(point->middles[0], 0, "%dx:x64", VALUE_HEX);
	fetch(point->middles[1], 0, "$retval:s32", VALUE_SIGNED);
	fetch(point->end, 0, "%si:x64", VALUE_HEX);
	fetch(point->end, 1, "%bx:x64", VALUE_HEX);
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(probe_definition_make(&made, point, &point->sites[0], false, &why), 0);
	assert_string_equal(made.fetch_args, "a1=%si:x64 a4=%di:x64");
	assert_int_equal(probe_definition_make(&made, point->middles[0],
					       &point->middles[0]->sites[0], false, &why), 0);
	assert_string_equal(made.fetch_args, "a0=%dx:x64");
	assert_int_equal(probe_definition_make(&made, point->middles[1],
					       &point->middles[1]->sites[0], true, &why), 0);
	assert_int_equal(made.type, TRACE_KRETPROBE);
	assert_string_equal(made.fetch_args, "a0=$retval:s32");
	assert_int_equal(probe_definition_make(&made, point, &point->end->sites[0], true, &why), 0);
	assert_string_equal(made.fetch_args, "a4=%bx:x64");
}

static void test_what_a_point_between_lacks_is_refused(void **state)
{
	(void)state;
	begin("lat:u:prog:f->u:prog:g->u:prog:h on $arg1");
	fetch(point, 2, "%di:x64", VALUE_HEX);
	fetch(point->end, 2, "%di:x64", VALUE_HEX);
	assert_int_equal(point_pair_join(point, &why), -EINVAL);
	assert_string_equal(why.text, "g has no value '$arg1' to join by: not there");
	tear_down(NULL);
	begin("lat:u:prog:f->u:prog:g->u:prog:h");
	point->middles[0]->verdict = VERDICT_REFUSED;
	strcpy(point->middles[0]->reason, "it must not be");
	assert_int_equal(point_pair_join(point, &why), 0);
	assert_int_equal(point->verdict, VERDICT_REFUSED);
	assert_string_equal(point->reason, "u:prog:g: it must not be");
}

#define PAIR_TEST(name) cmocka_unit_test_teardown(name, tear_down)

UNIT_TESTS(test_point_pair)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_each_place_is_a_probe_of_its_own),
		PAIR_TEST(test_a_value_is_the_first_places_or_else_the_seconds),
		PAIR_TEST(test_what_joins_is_recorded_at_both_places),
		PAIR_TEST(test_a_place_is_an_entry_or_a_return),
		PAIR_TEST(test_a_join_is_refused_where_it_means_nothing),
		PAIR_TEST(test_the_worse_verdict_counts_and_says_whose_it_is),
		PAIR_TEST(test_a_place_ends_itself_only_by_the_field_that_it_began_with),
		PAIR_TEST(test_a_latency_of_two_places_is_never_one_of_the_first_alone),
		PAIR_TEST(test_a_pair_costs_what_both_places_cost),
		PAIR_TEST(test_a_point_between_brings_what_joins_it),
		PAIR_TEST(test_what_a_point_between_lacks_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
