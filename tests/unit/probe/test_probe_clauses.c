/* Joins, keys and aggregates of a spec: what they mean, in any order, what is refused and in which
 * column; and any spec is the same from its own text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_expression.h"
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

static void is_end(const char *text, enum probe_kind kind, enum probe_edge edge, const char *file,
		   const char *group, const char *function)
{
	struct probe_spec spec = parse(text), again;

	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_int_equal(spec.end.kind, kind);
	assert_int_equal(spec.end.edge, edge);
	assert_string_equal(spec.end.file, file);
	assert_string_equal(spec.end.group, group);
	assert_string_equal(spec.end.function, function);
	again = spec;
	assert_int_equal(probe_spec_write(&again, "", NULL), 0);
	spec = parse(again.text);
	assert_memory_equal(&spec, &again, sizeof(spec));
}

static void test_a_latency_is_between_any_two_points(void **state)
{
	(void)state;
	is_end("lat:U:postgres:lwlock__wait__start->lwlock__wait__done", PROBE_USDT, PROBE_ENTRY,
	       "postgres", "", "lwlock__wait__done");
	is_end("lat:U:x:p:a->b", PROBE_USDT, PROBE_ENTRY, "x", "p", "b");
	is_end("lat:U:x:p:a->q:b", PROBE_USDT, PROBE_ENTRY, "x", "q", "b");
	is_end("lat:U:x:p:a->/y:q:b", PROBE_USDT, PROBE_ENTRY, "/y", "q", "b");
	is_end("lat:U:x:a->U:x:b", PROBE_USDT, PROBE_ENTRY, "x", "", "b");
	is_end("lat:t:sched:sched_wakeup->sched_switch on pid=next_pid", PROBE_TRACEPOINT,
	       PROBE_ENTRY, "", "sched", "sched_switch");
	is_end("lat:k:vfs_read->t:block:block_rq_issue", PROBE_TRACEPOINT, PROBE_ENTRY, "",
	       "block", "block_rq_issue");
	is_end("lat:t:a:b->k:f", PROBE_KERNEL, PROBE_ENTRY, "", "", "f");
	is_end("lat:u:/bin/x:f->ur:/bin/x:g", PROBE_USER, PROBE_RETURN, "/bin/x", "", "g");
	is_end("lat:u:/bin/x:f->ur:g", PROBE_USER, PROBE_RETURN, "/bin/x", "", "g");
	is_end("lat:/bin/x:f->g", PROBE_USER, PROBE_ENTRY, "/bin/x", "", "g");
	is_end("lat:/bin/x:f -> /bin/y:g", PROBE_USER, PROBE_ENTRY, "/bin/y", "", "g");
	is_end("lat:f->g", PROBE_KERNEL, PROBE_ENTRY, "", "", "g");
	is_end("lat:f->g%return", PROBE_KERNEL, PROBE_RETURN, "", "", "g");
	is_end("lat:k:ext4:f->g", PROBE_KERNEL, PROBE_ENTRY, "ext4", "", "g");
	is_end("lat:k:ext4:f->k:g", PROBE_KERNEL, PROBE_ENTRY, "", "", "g");
	is_end("lat:kr:a->k:b", PROBE_KERNEL, PROBE_ENTRY, "", "", "b");
	is_end("lat:kr:a->k:a", PROBE_KERNEL, PROBE_ENTRY, "", "", "a");
	is_end("lat:u:x:A::operator->->u:x:B::operator->", PROBE_USER, PROBE_ENTRY, "x", "",
	       "B::operator->");
	is_end("lat:u:\"a->b\":\"f->g\"->h", PROBE_USER, PROBE_ENTRY, "a->b", "", "h");
	is_end("lat:u:x:f->kretprobe:g", PROBE_KERNEL, PROBE_RETURN, "", "", "g");
	assert_true(parse("lat:kr:a->k:b").is_from_return);
	assert_true(parse("lat:a%return->b").is_from_return);
	assert_false(parse("lat:k:a->kr:b").is_from_return);
	assert_int_equal(parse("lat:U:x:a->b").kind, PROBE_USDT);
}

static void test_an_interval_is_from_a_point_to_itself(void **state)
{
	struct probe_spec spec = parse("lat:U:x:p:m->m");

	(void)state;
	assert_true(probe_spec_is_interval(&spec));
	spec = parse("lat:k:f->f");
	assert_true(probe_spec_is_interval(&spec));
	spec = parse("lat:t:syscalls:sys_enter_nanosleep->syscalls:sys_enter_nanosleep");
	assert_true(probe_spec_is_interval(&spec));
	spec = parse("lat:kr:f->k:f");
	assert_false(probe_spec_is_interval(&spec));
	spec = parse("lat:u:x:f->u:y:f");
	assert_false(probe_spec_is_interval(&spec));
}

static void is_middle(const struct probe_spec *spec, uint32_t index, enum probe_kind kind,
		      const char *file, const char *group, const char *function)
{
	assert_true(index < spec->middle_count);
	assert_int_equal(spec->middles[index].kind, kind);
	assert_string_equal(spec->middles[index].file, file);
	assert_string_equal(spec->middles[index].group, group);
	assert_string_equal(spec->middles[index].function, function);
}

/* A name alone is in the file and group of the point before it. */
static void test_a_latency_goes_through_points_in_their_order(void **state)
{
	struct probe_spec spec = parse("lat:t:sched:sched_switch->sched_wakeup->sched_switch on "
				       "prev_pid=pid=next_pid");

	(void)state;
	assert_int_equal(spec.middle_count, 1);
	is_middle(&spec, 0, PROBE_TRACEPOINT, "", "sched", "sched_wakeup");
	assert_string_equal(spec.end.function, "sched_switch");
	assert_string_equal(spec.on[0].begin, "prev_pid");
	assert_string_equal(spec.on[0].middles[0], "pid");
	assert_string_equal(spec.on[0].end, "next_pid");
	assert_false(probe_spec_is_interval(&spec));
	spec = parse("lat:u:/bin/x:f->g->u:/bin/y:h->ur:i->k:j->kr:k->U:x:p:m->n on tid,$arg1");
	assert_int_equal(spec.middle_count, 6);
	is_middle(&spec, 0, PROBE_USER, "/bin/x", "", "g");
	is_middle(&spec, 2, PROBE_USER, "/bin/y", "", "i");
	assert_int_equal(spec.middles[2].edge, PROBE_RETURN);
	is_middle(&spec, 3, PROBE_KERNEL, "", "", "j");
	is_middle(&spec, 5, PROBE_USDT, "x", "p", "m");
	assert_string_equal(spec.end.group, "p");
	assert_string_equal(spec.on[1].middles[5], "$arg1");
	assert_int_equal(parse("lat:a->b->c on tid").on_count, 0);
	assert_int_equal(parse("lat:k:f->g->kr:f").middle_count, 1);	/* inside of one call */
}

/* All stages' times are values of the probe, whether they are typed or not. */
static void test_the_times_of_stages_are_values(void **state)
{
	struct probe_spec spec = parse("lat:a->b->c lat2 slow=lat1 if slow > 5ms by comm : "
				       "hist(lat2), sum(lat - slow)");

	(void)state;
	assert_int_equal(spec.argument_count, 2);
	assert_int_equal(spec.arguments[0].stage, 2);
	assert_int_equal(spec.arguments[1].stage, 1);
	assert_string_equal(spec.arguments[1].name, "slow");
	assert_int_equal(spec.aggregates[0].value.terms[0].kind, TERM_STAGE);
	assert_true(probe_aggregate_is_ns(&spec.aggregates[0]));
	spec = parse("lat:a->b->c->d $arg1 if lat3 > 5us");
	assert_int_equal(spec.argument_count, 4);
	assert_int_equal(spec.arguments[3].stage, 3);
	assert_true(spec.arguments[3].is_implied);
	assert_false(probe_spec_drop_argument(&spec, 3));
	assert_int_equal(probe_spec_write(&spec, "", NULL), 0);
	assert_string_equal(spec.text, "lat:k:a->b->c->d $arg1");
	assert_int_equal(spec.argument_count, 4);
	spec = parse("lat:a->b lat1=$arg1 : sum(lat1)");	/* one stage: a name as any other */
	assert_int_equal(spec.arguments[0].stage, 0);
}

static void is_named(const char *text, const char *name)
{
	const struct probe_spec spec = parse(text);
	char out[100];

	probe_spec_name(&spec, out, sizeof(out));
	assert_string_equal(out, name);
}

static void test_a_name_has_both_points(void **state)
{
	(void)state;
	is_named("lat:U:/usr/bin/postgres:p:start->done by comm", "lat:U:postgres:p:start->done");
	is_named("lat:k:vfs_read->t:block:block_rq_issue n",
		 "lat:k:vfs_read->t:block:block_rq_issue");
	is_named("lat:u:/bin/x:f->ur:/bin/x:g", "lat:u:x:f->ur:g");
	is_named("lat:u:/bin/x:f->/bin/y:g", "lat:u:x:f->u:y:g");
	is_named("lat:kr:a->k:b", "lat:kr:a->b");
	is_named("lat:t:a:b->c:d on x", "lat:t:a:b->c:d");
	is_named("lat:t:a:b->c:d->e->u:/bin/x:f->ur:g on x", "lat:t:a:b->c:d->e->u:x:f->ur:g");
}

static void is_written(const char *typed, const char *written)
{
	struct probe_spec spec = parse(typed), again;
	char condition[PROBE_SPEC_BYTES];

	snprintf(condition, sizeof(condition), "%.*s", (int)spec.condition_bytes,
		 spec.text + spec.condition_from);
	assert_int_equal(probe_spec_write(&spec, condition, NULL), 0);
	assert_string_equal(spec.text, written);
	again = parse(written);
	assert_memory_equal(&spec, &again, sizeof(spec));
}

static void test_clauses_stand_in_any_order(void **state)
{
	static const char written[] = "lat:t:a:b->c:d x if x > 1 on e,f=g by comm, x : sum(x * 2)";

	(void)state;
	is_written(written, written);
	is_written("lat:t:a:b->c:d x : sum(x*2) by comm,x on e , f=g if x > 1", written);
	is_written("lat:t:a:b->c:d x on e,f=g : sum( x*2 ) if x > 1 by comm , x", written);
	is_written("k:f if(n > 1) by pid", "k:f if (n > 1) by pid");
	is_written("k:f if n > 1 and (m == 2 or c == \" by : x\") : count()",
		   "k:f if n > 1 and (m == 2 or c == \" by : x\") : count");
	assert_string_equal(parse("k:f : count by  comm if  n > 1").text,
			    "k:f if n > 1 by comm : count");
	assert_int_equal(parse("k:f : count if n > 1 by comm").condition_bytes, strlen("n > 1"));
	is_written("u:x:f;a\"b  k  : sum(k)", "u:x:f;a\"b k : sum(k)");
	assert_string_equal(parse("u:x:f;a\"b  : sum(k)").text, "u:x:f;a\"b : sum(k)");
	assert_int_equal(parse("u:x:\"f by g\" n=norm(x):string if s == a\\ by\\ b").key_count, 0);
}

static void test_keys_are_of_the_task_or_values(void **state)
{
	static const enum probe_key_kind kinds[] = { PROBE_KEY_COMM, PROBE_KEY_CPU, PROBE_KEY_FUNC,
						     PROBE_KEY_USTACK };
	struct probe_spec spec = parse("k:vfs_* by comm, cpu, func, ustack");

	(void)state;
	assert_int_equal(spec.key_count, 4);
	assert_int_equal(spec.aggregate_count, 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(spec.keys[i].kind, kinds[i]);
	spec = parse("t:a:b x if y > 1 by args.pid, x, pid, y");
	assert_int_equal(spec.argument_count, 3);
	assert_int_equal(spec.keys[0].kind, PROBE_KEY_VALUE);
	assert_string_equal(spec.arguments[spec.keys[0].argument].value, "pid");
	assert_int_equal(spec.keys[1].argument, 0);
	assert_int_equal(spec.keys[2].kind, PROBE_KEY_PID);
	assert_int_equal(spec.keys[3].argument, 1);
	spec = parse("lat:f r=$retval by retval");
	assert_int_equal(spec.argument_count, 1);
	spec = parse("kr:f by ret");
	assert_string_equal(spec.arguments[0].value, "$retval");
	assert_true(spec.arguments[0].is_implied);
	assert_string_equal(parse("t:a:b by ret").arguments[0].value, "ret");
	spec = parse("U:postgres:query__start by norm($arg1):string");
	assert_true(spec.arguments[0].is_masked);
	assert_string_equal(spec.arguments[0].type, "string");
	spec = parse("U:x:m q=$arg1:string by norm(q), q");
	assert_int_equal(spec.argument_count, 2);
	assert_string_equal(spec.arguments[spec.keys[0].argument].value, "$arg1");
	assert_string_equal(spec.arguments[spec.keys[0].argument].type, "string");
	assert_int_equal(spec.keys[1].argument, 0);
	spec = parse("U:x:m q=norm($arg1):string by q, $arg2");
	assert_int_equal(spec.keys[0].argument, 0);
}

static void test_a_masked_copy_is_called_as_its_key(void **state)
{
	struct probe_spec spec = parse("U:x:m q=$arg1:string n=norm($arg2):string by norm(q), n");
	char out[100];

	(void)state;
	assert_int_equal(spec.argument_count, 3);
	probe_value_name_write(&spec, spec.arguments[2].name, out, sizeof(out));
	assert_string_equal(out, "norm(q)");
	probe_value_name_write(&spec, "q", out, sizeof(out));
	assert_string_equal(out, "q");
	probe_value_name_write(&spec, "n", out, sizeof(out));	/* it is listed */
	assert_string_equal(out, "n");
	probe_value_name_write(NULL, "arg1", out, sizeof(out));	/* a recording has no spec */
	assert_string_equal(out, "arg1");
}

static void has_key(const char *text, const char *written)
{
	const struct probe_spec spec = parse(text);
	char out[100];

	probe_key_write(&spec, &spec.keys[0], out, sizeof(out));
	assert_string_equal(out, written);
}

static void test_a_key_is_written_as_it_is_typed(void **state)
{
	(void)state;
	has_key("k:f by kstack", "kstack");
	has_key("k:f n=count by count", "n");
	has_key("k:f by a->len", "a->len");
	has_key("kr:f by ret", "retval");
	has_key("kr:f $retval by ret", "ret");
	has_key("t:a:b by args.comm", "args.comm");
	has_key("t:a:b by ret", "ret");
	has_key("lat:t:a:b->k:f by args.ret", "args.ret");
	has_key("t:a:b args.by by args.by", "args.by");
	has_key("u:x:f by norm($arg1):string", "norm($arg1):string");
	has_key("u:x:f by +8(%si):u32", "+8(%si):u32");
}

static void has_aggregate(const char *typed, const char *written)
{
	char text[200];
	struct probe_spec spec;

	snprintf(text, sizeof(text), "lat:f bytes $retval : %s", typed);
	spec = parse(text);
	assert_int_equal(spec.aggregate_count, 1);
	probe_aggregate_write(&spec, &spec.aggregates[0], text, sizeof(text));
	assert_string_equal(text, written);
}

static void test_an_aggregate_is_written_as_it_is_typed(void **state)
{
	(void)state;
	has_aggregate("count", "count");
	has_aggregate("count ( )", "count");
	has_aggregate("sum(bytes*512)", "sum(bytes * 512)");
	has_aggregate("avg((bytes+1)*2)", "avg((bytes + 1) * 2)");
	has_aggregate("min(bytes-(1-2))", "min(bytes - (1 - 2))");
	has_aggregate("max(-(bytes|1)&7)", "max(-(bytes | 1) & 7)");
	has_aggregate("hist(lat)", "hist(lat)");
	has_aggregate("hist(lat,1ms,5000us,0.02s)", "hist(lat, 1ms, 5ms, 20ms)");
	has_aggregate("hist(bytes, 512, 4096, 1M)", "hist(bytes, 512, 4k, 1M)");
	has_aggregate("lhist(ret, -10, 10, 1)", "lhist(ret, -10, 10, 1)");
	has_aggregate("top(args.pid)", "top(args.pid)");
	has_aggregate("sum(a->b[2].c:u32 >> 3)", "sum(a->b[2].c:u32 >> 3)");
}

static void test_stats_is_count_avg_and_sum(void **state)
{
	const struct probe_spec spec = parse("k:f by comm : count, stats(n), max(n)");

	(void)state;
	assert_int_equal(spec.aggregate_count, 4);
	assert_int_equal(spec.aggregates[0].kind, AGGREGATE_COUNT);
	assert_int_equal(spec.aggregates[1].kind, AGGREGATE_AVG);
	assert_int_equal(spec.aggregates[2].kind, AGGREGATE_SUM);
	assert_int_equal(spec.aggregates[3].kind, AGGREGATE_MAX);
	assert_int_equal(spec.argument_count, 1);
}

static void test_print_takes_each_value(void **state)
{
	struct probe_spec spec = parse("U:x:m $arg1:string $arg2 if $arg3 > 1 : print "
				       "\"\\\"%s\\\": %d, 100 %% \\\\\"");

	(void)state;
	assert_string_equal(spec.format, "\"%s\": %d, 100 %% \\");
	assert_int_equal(spec.argument_count, 3);
	assert_int_equal(spec.aggregate_count, 0);
	is_written("k:f a b : print \"%x \\\" by %u\"", "k:f a b : print \"%x \\\" by %u\"");
}

static void refuses(const char *text, const char *sentence)
{
	static const struct probe_spec nothing;
	struct probe_spec spec;
	struct diag why = { 0 };

	if (probe_spec_parse(&spec, text, &why) != -EINVAL)
		fail_msg("%s is not refused", text);
	if (strncmp(why.text, sentence, strlen(sentence)) != 0)
		fail_msg("%s: \"%s\" is not the begin of \"%s\"", text, sentence, why.text);
	assert_memory_equal(&spec, &nothing, sizeof(spec));
}

static void test_wrong_ends_are_refused(void **state)
{
	(void)state;
	refuses("lat:a->b->c->d->e->f->g->h->i", "column 27: more than 8 points in one latency: "
		"write two probes, the second from the last point of the first");
	refuses("lat:a->b->c:12", "column 13: a point of a latency is a whole function");
	refuses("lat:a->b*->c", "column 8: a latency between two points has one of each");
	refuses("lat:a->b->", "column 11: ");
	refuses("lat:a->b->a", "column 1: a is both point 1 and point 3: join them by fields");
	refuses("lat:a->b->b on x", "column 1: b is both point 2 and point 3");
	refuses("lat:k:f->kr:f", "column 8: from the entry of f to its return is its latency: "
		"write lat:f");
	refuses("lat:u:x:f->ur:f", "column 10: from the entry of f to its return is its latency: "
		"write lat:x:f");
	refuses("k:a->b", "column 4: from one point to another is lat:, as in lat:k:a->b");
	refuses("U:x:p:a->b", "column 8: from one point to another is lat:, as in lat:U:x:p:a->b");
	refuses("u:x:a -> b", "column 7: from one point to another is lat:");
	refuses("lat:k:f+8->g", "column 7: a point of a latency is a whole function");
	refuses("lat:k:f:3->g", "column 9: a point of a latency is a whole function");
	refuses("lat:k:f->g;x", "column 10: a point of a latency is a whole function");
	refuses("lat:k:f*->g", "column 7: a latency between two points has one of each");
	refuses("lat:U:x:a->U:x:b*", "column 16: a latency between two points has one of each");
	refuses("lat:k:f->t:g", "column 10: a tracepoint is written t:GROUP:NAME");
	refuses("lat:k:f->u:g", "column 10: a function of a program is written u:FILE:FUNC");
	refuses("lat:k:f->", "column 10: a name is missing");
	refuses("lat:U:x:p:m", "column 5: a USDT probe has no return; latency is of functions, "
		"and from one point to another: lat:U:FILE:NAME->NAME");
	refuses("lat:kr:f", "column 5: lat: is entry and return: write lat:k:");
}

static void test_joins_that_mean_nothing_are_refused(void **state)
{
	(void)state;
	refuses("lat:t:sched:sched_switch->sched:sched_switch", "column 1: sched_switch and "
		"sched_switch are not of one thread: add on prev_pid=next_pid");
	refuses("lat:t:sched:sched_wakeup->sched_switch by comm", "column 1: sched_wakeup and "
		"sched_switch are not of one thread: add on pid=next_pid");
	refuses("lat:t:sched:sched_waking->sched_wakeup", "column 1: sched_waking and sched_wakeup "
		"are not of one thread: add on pid");
	refuses("lat:t:block:block_rq_issue->block_rq_complete by dev,sector", "column 1: "
		"block_rq_issue and block_rq_complete are not of one thread: add on dev,sector");
	refuses("lat:t:sched:sched_switch->sched_wakeup->sched_switch", "column 1: sched_switch "
		"and sched_wakeup are not of one thread: add on prev_pid=pid=next_pid");
	refuses("lat:t:sched:sched_waking->sched_wakeup->sched_migrate_task", "column 1: "
		"sched_waking and sched_wakeup are not of one thread: add on pid");
	refuses("lat:k:f->t:sched:sched_wakeup->sched_switch", "column 1: sched_wakeup and "
		"sched_switch are not of one thread: add on FIELD=pid=next_pid");
	refuses("lat:a->b->c on x,y=z", "column 21: a field has one name at all of the 3 points, "
		"or one for each, as in on prev_pid=pid=next_pid");
	refuses("lat:a->b->c on x=y=z=x", "column 21: a field has one name at all of the 3");
	refuses("lat:a->b on x=y=z", "column 16: a field has one name at all of the 2 points, or "
		"one for each, as in on prev_pid=pid");
	refuses("lat:a->b->c lat1=$arg1", "column 13: lat1 is the time of stage 1: another name");
	refuses("lat:a->b->c lat2:u32", "column 13: lat2 is a time in ns: it has no type");
	refuses("lat:a->b->c if lat2 > 5", "column 16: 5: a time is needed, as in lat2 > 5ms");
	refuses("k:f on pid", "column 1: on joins two points: lat:POINT->POINT on FIELD,...");
	refuses("lat:f on pid", "column 1: on joins two points");
	refuses("lat:t:a:b->c on", "column 16: a field is needed");
	refuses("lat:t:a:b->c on x y", "column 19: a comma or the next clause is needed before "
		"\"y\": values stand before on");
	refuses("lat:t:a:b->c on a,b,c,d,e", "column 25: more than 4 fields");
	refuses("lat:t:a:b->c on a on b", "column 19: there is an on already");
}

static void test_wrong_keys_are_refused(void **state)
{
	(void)state;
	refuses("k:f by", "column 7: a key is needed: comm, pid, tid");
	refuses("k:f by comm,", "column 13: a key is needed");
	refuses("k:f by comm, comm", "column 14: the key comm is given twice");
	refuses("k:f n by n, n", "column 13: the key n is given twice");
	refuses("k:f by comm pid", "column 12: a comma or the next clause is needed");
	refuses("k:f by comm,pid,tid,cpu,func", "column 25: more than 4 keys");
	refuses("k:f by comm by pid", "column 13: there is a by already");
	refuses("kr:f by com", "column 9: there is no key \"com\": did you mean comm?");
	refuses("kr:f by count", "column 9: at the return count is gone");
	refuses("k:f by ret", "column 8: $retval is known at the return of a function");
	refuses("k:f by 5", "column 8: 5: no value");
	refuses("k:f by n:u12", "column 10: u12: no type");
	refuses("k:f by norm(n", "column 13: norm(VALUE)");
	refuses("k:f by n=x", "column 8: a value gets its name where it is listed");
	refuses("k:f a b c d e f g h i j k l by m", "column 32: more than 12 values, with those "
		"that the condition, keys and aggregates name");
	refuses("k:f if a > 1 if b > 1", "column 14: there is a condition already");
}

static void test_wrong_aggregates_are_refused(void **state)
{
	(void)state;
	refuses("k:f :", "column 6: an aggregate is needed: count, sum(x)");
	refuses("k:f : summ(n)", "column 7: there is no aggregate \"summ\": did you mean sum?");
	refuses("k:f : 5", "column 7: an aggregate is needed");
	refuses("k:f : sum", "column 10: a value in parentheses is needed: sum(x)");
	refuses("k:f : sum()", "column 11: a value is missing");
	refuses("k:f : sum(n", "column 12: an operator, a comma or ) is needed, for the ( in "
		"column 10");
	refuses("k:f : sum(n, 5)", "column 7: only hist and lhist have limits: sum(x)");
	refuses("k:f : count(n)", "column 13: count counts hits");
	refuses("k:f : sum(lat)", "column 11: lat is known of lat:... only");
	refuses("k:f : sum(pid)", "column 11: pid is of the task: by pid groups by it; a value of "
		"that name is args.pid");
	refuses("k:f : sum(n +)", "column 14: a value is missing");
	refuses("k:f : sum((n + 1)", "column 18: an operator, a comma or ) is needed");
	refuses("k:f : sum(5q)", "column 11: \"5q\" is no number");
	refuses("k:f : sum(n m)", "column 13: an operator, a comma or ) is needed");
	refuses("k:f : sum(+8(%si))", "column 11: a value is missing");
	refuses("k:f : sum(a+b+c+d+e+f+g)", "column 23: more than 12 values and operators");
	refuses("k:f : hist(n, 5, 5)", "column 18: limits rise");
	refuses("k:f : hist(n, x)", "column 15: a number is needed, as in 100, 64k or 5ms");
	refuses("k:f : hist(n,1,2,3,4,5,6,7,8,9,10,11,12,13)", "column 41: more than 12 limits");
	refuses("k:f : lhist(n, 1, 2)", "column 7: lhist has a value and three numbers");
	refuses("k:f : lhist(n)", "column 7: lhist has a value and three numbers");
	refuses("k:f : lhist(n, 1, 1, 1)", "column 7: from is below to, and step is above 0");
	refuses("k:f : lhist(n, 0, 1000000, 1)", "column 7: more than 1022 steps");
	refuses("k:f : count, count", "column 14: it is given twice");
	refuses("k:f : count count", "column 13: a comma or the next clause is needed");
	refuses("k:f : count : count", "column 13: there are aggregates already");
	refuses("U:x:m q=$arg1:string : sum(q)", "column 24: q is a text: top(q) or by "
		"count texts");
	assert_int_equal(parse("U:x:m q=$arg1:string : top(q)").aggregate_count, 1);
	refuses("k:f : min(a),max(a),min(b),max(b),min(c),max(c),min(d),max(d),sum(a)",
		"column 63: more than 8 aggregates");
}

static void test_wrong_formats_are_refused(void **state)
{
	(void)state;
	refuses("k:f : print", "column 12: a format in quotes is needed");
	refuses("k:f : print x", "column 13: a format in quotes is needed");
	refuses("k:f : print \"a", "column 13: the quote does not end");
	refuses("k:f a : print \"%ld\"", "column 16: there are %d, %u, %x, %s and %%");
	refuses("k:f a : print \"%d %d\"", "column 19: conversion 2 has no value: the spec has 1");
	refuses("k:f a b : print \"%d\"", "column 20: b has no conversion");
	refuses("k:f a if b > 1 : print \"%d %d\"", "column 28: conversion 2 has no value");
	refuses("k:f a:string : print \"%d\"", "column 23: a is a text: %s");
	refuses("k:f a : print \"%d\\n\"", "column 18: there are \\\" and \\\\; each hit is a line"
		"");
	refuses("k:f a : print \"%d\", count", "column 19: print stands alone");
	refuses("k:f a by comm : print \"%d\"", "column 17: print writes single hits");
	refuses("k:f : print \"\"", "column 13: an empty format");
	refuses("k:f : print \"%", "column 14: there are %d");
}

static void test_what_keys_and_aggregates_imply_survives_the_condition(void **state)
{
	struct probe_spec spec = parse("k:f x if y > 1 and z > 2 by z : sum(w + x)"), again;

	(void)state;
	assert_int_equal(spec.argument_count, 4);
	assert_int_equal(probe_spec_write(&spec, "", NULL), 0);
	assert_string_equal(spec.text, "k:f x by z : sum(w + x)");
	assert_int_equal(spec.argument_count, 3);
	assert_string_equal(spec.arguments[spec.keys[0].argument].value, "z");
	again = parse(spec.text);
	assert_memory_equal(&again, &spec, sizeof(spec));
	assert_int_equal(probe_spec_write(&spec, "v < 3", NULL), 0);
	assert_string_equal(spec.text, "k:f x if v < 3 by z : sum(w + x)");
	again = parse(spec.text);
	assert_memory_equal(&again, &spec, sizeof(spec));
	assert_int_equal(probe_spec_write(&spec, "v <", NULL), -EINVAL);
	assert_string_equal(spec.text, "k:f x by z : sum(w + x)");
}

static void test_an_argument_is_dropped_unless_groups_use_it(void **state)
{
	struct probe_spec spec = parse("k:f a b c by c : sum(b)");

	(void)state;
	assert_false(probe_spec_drop_argument(&spec, 1));
	assert_false(probe_spec_drop_argument(&spec, 2));
	assert_true(probe_spec_drop_argument(&spec, 0));
	assert_int_equal(probe_spec_write(&spec, "", NULL), 0);
	assert_string_equal(spec.text, "k:f b c by c : sum(b)");
}

static void test_groups_stay_when_values_change(void **state)
{
	struct probe_spec spec = parse("lat:f $retval by ret : hist(lat)");
	char groups[PROBE_SPEC_BYTES];
	struct diag why = { 0 };

	(void)state;
	probe_spec_groups_write(&spec, groups, sizeof(groups));
	assert_string_equal(groups, " by ret : hist(lat)");
	spec.edge = PROBE_ENTRY;
	spec.argument_count = 0;
	assert_int_equal(probe_spec_rewrite(&spec, "", groups, &why), -EINVAL);
	assert_string_equal(why.text, "by ret : hist(lat): column 5: $retval is known at the "
			    "return of a function: kr: ur: or lat:");
	assert_string_equal(spec.text, "k:f");
	assert_int_equal(spec.argument_count, 0);
}

static void test_groups_that_are_refused_leave_no_values(void **state)
{
	struct probe_spec spec = parse("k:f a");

	(void)state;
	assert_int_equal(probe_spec_rewrite(&spec, "b > 1", " by c, ret", NULL), -EINVAL);
	assert_string_equal(spec.text, "k:f a if b > 1");
	assert_int_equal(spec.argument_count, 2);
	assert_int_equal(spec.key_count, 0);
}

static void test_a_pair_keeps_the_groups_of_one(void **state)
{
	struct probe_spec entry = parse("k:f n by comm : sum(n)");
	struct probe_spec back = parse("kr:f $retval if ret < 0");

	(void)state;
	assert_true(probe_spec_pair(&entry, &back));
	assert_string_equal(entry.text, "lat:f n $retval if ret < 0 by comm : sum(n)");
	entry = parse("k:f by comm");
	back = parse("kr:f by comm");
	assert_true(probe_spec_pair(&entry, &back));
	assert_string_equal(entry.text, "lat:f by comm");
	entry = parse("k:f by comm");
	back = parse("kr:f by pid");
	assert_false(probe_spec_pair(&entry, &back));
	entry = parse("lat:k:f->g");
	assert_false(probe_spec_pair(&entry, &back));
}

/* A generator of specs: what it makes is right but for values, keys and aggregates that may be
 * there twice. */
struct maker {
	uint64_t seed;
	char text[PROBE_SPEC_BYTES];
};

#define ONE_OF(maker, list) (list)[random_below(&(maker)->seed, sizeof(list) / sizeof((list)[0]))]

static void put(struct maker *maker, const char *text)
{
	const size_t used = strlen(maker->text);

	snprintf(maker->text + used, sizeof(maker->text) - used, "%s", text);
}

static bool is_chosen(struct maker *maker, uint32_t in)
{
	return random_below(&maker->seed, in) == 0;
}

static const char *blank(struct maker *maker)
{
	static const char *const blanks[] = { " ", " ", "  ", "\t" };

	return ONE_OF(maker, blanks);
}

static void put_point(struct maker *maker)
{
	static const char *const points[] = {
		"k:vfs_read", "kr:vfs_read", "k:ext4:f", "vfs_*", "u:/bin/x:main", "ur:x:ns::f",
		"u:\"/opt/My App\":f\\ g", "u:x:f:12", "k:f;\"a  b\"", "t:sched:sched_switch",
		"U:x:p:m", "U:x:m*", "lat:vfs_read", "lat:x:f", "lat:t:syscalls:sys_enter_read",
		"n=lat:k:f", "kprobe:f+8", "u:x:A::operator->", "k:f@fs/a.c",
	};
	static const char *const froms[] = {
		"lat:k:f", "lat:kr:f", "lat:u:/bin/x:f", "lat:ur:x:ns::f", "lat:t:a:b", "lat:U:x:m",
		"lat:U:x:p:m", "lat:k:ext4:f", "lat:x:A::operator->", "lat:f", "lat:\"a->b\":f",
	};
	static const char *const ends[] = {
		"g", "k:g", "kr:g", "k:ext4:g", "u:x:g", "ur:\"x y\":g", "t:c:d", "U:x:n",
		"U:y:p:n", "uretprobe:z:h",
	};

	if (!is_chosen(maker, 3)) {
		put(maker, ONE_OF(maker, points));
		return;
	}
	put(maker, ONE_OF(maker, froms));
	do {
		put(maker, is_chosen(maker, 4) ? " -> " : "->");
		put(maker, ONE_OF(maker, ends));
	} while (is_chosen(maker, 3));
}

static const char *value(struct maker *maker)
{
	static const char *const values[] = {
		"a", "b", "len", "file->f_flags", "arr[1]", "$arg1", "$arg2", "%di", "$retval",
		"args.pid", "args.comm", "x", "y:u32", "c:b3@4/32", "args.on", "args.by", "lat1",
		"lat2",
	};

	return ONE_OF(maker, values);
}

static void put_values(struct maker *maker)
{
	static const char *const special[] = { "x=+8(%si):u64", "q=norm($arg1):string", "y=len",
					       "on=a", "norm(s):ustring", "pid=b" };

	for (uint32_t n = random_below(&maker->seed, 4); n; n--) {
		put(maker, blank(maker));
		put(maker, is_chosen(maker, 3) ? ONE_OF(maker, special) : value(maker));
	}
}

static void put_condition(struct maker *maker)
{
	static const char *const conditions[] = {
		"len > 64k", "comm == \"by : on\"", "(a < 3 or pid == 4)", "not x & 0x40",
		"file->f_flags == 2", "name ~ *.so", "cpu != 1", "args.pid >= 5",
		"name == a\\ by\\ b", "lat2 > 5ms", "args.lat1 < 1s",
	};

	for (uint32_t n = random_below(&maker->seed, 3) + 1; n; n--) {
		put(maker, ONE_OF(maker, conditions));
		put(maker, n > 1 ? is_chosen(maker, 2) ? " and " : " || " : "");
	}
}

static void put_joins(struct maker *maker)
{
	static const char *const fields[] = {
		"dev", "sector", "pid=next_pid", "$arg1", "$arg1=%di", "tid=pid=next_pid",
		"a=a=a=b",
	};

	for (uint32_t n = random_below(&maker->seed, 2) + 1; n; n--) {
		put(maker, ONE_OF(maker, fields));
		put(maker, n > 1 ? is_chosen(maker, 2) ? "," : " , " : "");
	}
}

static void put_keys(struct maker *maker)
{
	static const char *const keys[] = { "comm", "pid", "func", "ustack", "container", "cpu",
					    "norm(s):string", "norm(q)", "ret", "retval",
					    "+8(%si):u32" };

	for (uint32_t n = random_below(&maker->seed, 3) + 1; n; n--) {
		put(maker, is_chosen(maker, 2) ? ONE_OF(maker, keys) : value(maker));
		put(maker, n > 1 ? is_chosen(maker, 2) ? "," : " ,  " : "");
	}
}

static void put_expression(struct maker *maker, uint32_t depth)
{
	static const char *const signs[] = { "+", " - ", "*", " / ", " % ", " &", "| ", " << ",
					     ">>" };
	static const char *const numbers[] = { "5", "512", "0x1f", "2k", "1.5ms", "lat" };
	const bool is_inside = depth && is_chosen(maker, 3);

	put(maker, is_chosen(maker, 8) ? "-" : "");
	put(maker, is_inside ? "(" : "");
	if (!depth || is_chosen(maker, 2)) {
		put(maker, is_chosen(maker, 3) ? ONE_OF(maker, numbers) : value(maker));
	} else {
		put_expression(maker, depth - 1);
		put(maker, ONE_OF(maker, signs));
		put_expression(maker, depth - 1);
	}
	put(maker, is_inside ? ")" : "");
}

static void put_aggregates(struct maker *maker)
{
	static const char *const begins[] = { "sum(", "avg(", "min(", "max(", "hist(", "stats(",
					      "top(" };

	for (uint32_t n = random_below(&maker->seed, 3) + 1; n; n--) {
		if (is_chosen(maker, 4)) {
			put(maker, "count");
		} else if (is_chosen(maker, 4)) {
			put(maker, is_chosen(maker, 2) ? "lhist(" : "hist(");
			put_expression(maker, 1);
			put(maker, is_chosen(maker, 2) ? ", -5,100, 5)" : ",0,1k , 2M)");
		} else {
			put(maker, ONE_OF(maker, begins));
			put_expression(maker, 2);
			put(maker, ")");
		}
		put(maker, n > 1 ? ", " : "");
	}
}

static void put_clauses(struct maker *maker)
{
	static const char *const words[] = { "if ", "by ", ": ", "on " };
	static void (*const puts_of[])(struct maker *) = { put_condition, put_keys, put_aggregates,
							   put_joins };
	const uint32_t first = random_below(&maker->seed, 4);

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t clause = (first + i) % 4;

		if (clause == 3 ? !strstr(maker->text, "->") || is_chosen(maker, 2)
				: is_chosen(maker, 2))
			continue;
		put(maker, blank(maker));
		put(maker, words[clause]);
		puts_of[clause](maker);
	}
}

static void check_again(const struct probe_spec *spec, const char *text)
{
	struct probe_spec again, written = *spec;
	char condition[PROBE_SPEC_BYTES];

	if (probe_spec_parse(&again, spec->text, NULL) || memcmp(spec, &again, sizeof(again)) != 0)
		fail_msg("\"%s\" is another from its text \"%s\"", text, spec->text);
	snprintf(condition, sizeof(condition), "%.*s", (int)spec->condition_bytes,
		 spec->text + spec->condition_from);
	if (probe_spec_write(&written, condition, NULL) ||
	    probe_spec_parse(&again, written.text, NULL) ||
	    memcmp(&written, &again, sizeof(again)) != 0)
		fail_msg("\"%s\" is another as it is written, \"%s\"", text, written.text);
	/* Only the text may differ, and where in it the condition is. */
	memcpy(written.text, spec->text, sizeof(written.text));
	written.condition_from = spec->condition_from;
	if (memcmp(&written, spec, sizeof(written)) != 0)
		fail_msg("\"%s\" means something else as it is written, \"%s\"", text, again.text);
}

static void test_a_hundred_thousand_specs_are_the_same_from_their_text(void **state)
{
	unsigned int parsed = 0, grouped = 0, refused = 0, staged = 0;
	struct maker maker = { .seed = 42 };

	(void)state;
	while (parsed < 100000) {
		struct probe_spec spec;

		maker.text[0] = '\0';
		put_point(&maker);
		put_values(&maker);
		put_clauses(&maker);
		if (probe_spec_parse(&spec, maker.text, NULL)) {
			refused++;
			continue;
		}
		parsed++;
		grouped += spec.key_count && spec.aggregate_count;
		staged += spec.middle_count > 0;
		check_again(&spec, maker.text);
	}
	assert_true(grouped > 15000);
	assert_true(staged > 2000);
	assert_true(refused < 500000);
}

UNIT_TESTS(test_probe_clauses)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_latency_is_between_any_two_points),
		cmocka_unit_test(test_a_latency_goes_through_points_in_their_order),
		cmocka_unit_test(test_the_times_of_stages_are_values),
		cmocka_unit_test(test_an_interval_is_from_a_point_to_itself),
		cmocka_unit_test(test_a_name_has_both_points),
		cmocka_unit_test(test_clauses_stand_in_any_order),
		cmocka_unit_test(test_keys_are_of_the_task_or_values),
		cmocka_unit_test(test_a_key_is_written_as_it_is_typed),
		cmocka_unit_test(test_a_masked_copy_is_called_as_its_key),
		cmocka_unit_test(test_an_aggregate_is_written_as_it_is_typed),
		cmocka_unit_test(test_stats_is_count_avg_and_sum),
		cmocka_unit_test(test_print_takes_each_value),
		cmocka_unit_test(test_wrong_ends_are_refused),
		cmocka_unit_test(test_joins_that_mean_nothing_are_refused),
		cmocka_unit_test(test_wrong_keys_are_refused),
		cmocka_unit_test(test_wrong_aggregates_are_refused),
		cmocka_unit_test(test_wrong_formats_are_refused),
		cmocka_unit_test(test_what_keys_and_aggregates_imply_survives_the_condition),
		cmocka_unit_test(test_an_argument_is_dropped_unless_groups_use_it),
		cmocka_unit_test(test_groups_stay_when_values_change),
		cmocka_unit_test(test_groups_that_are_refused_leave_no_values),
		cmocka_unit_test(test_a_pair_keeps_the_groups_of_one),
		cmocka_unit_test(test_a_hundred_thousand_specs_are_the_same_from_their_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
