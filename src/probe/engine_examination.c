/* engine_examination.c - see engine_state.h: replies about a point before it is probed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "engine_state.h"

#define RATE_NS	  200000000ull	/* the rate is counted for 0.2 s, or */
#define RATE_HITS 500		/* until there are so many hits; */
#define UNHIT_NS  (1 * CLOCK_NS_PER_S)	/* for 1 s while there are none: threads may not run */
#define KEPT_NS	  (60 * CLOCK_NS_PER_S)	/* meanwhile the file stays open */
#define HOT_PER_S 10000		/* system-wide, above it the function's name must be typed */

/* Counts the entries at @points for @scope. 0, or -errno with nothing left behind. */
static int begin_rate(struct probe_rate *rate, struct trace_group *group,
		      const struct probe_point *points, const struct probe_scope *scope,
		      struct diag *why)
{
	struct probe_point entries = *points;
	const struct live_request request = { .group = group, .points = &entries,
					      .scope = *scope };
	int err;

	*rate = (struct probe_rate){ .begin_ns = 0 };
	entries.spec.edge = PROBE_ENTRY;	/* entries are as many as returns, and cheaper */
	entries.spec.end.function[0] = '\0';
	entries.spec.middle_count = 0;
	err = live_probe_open(&rate->live, &request, NULL, why);
	if (err)
		return err;
	live_probe_enable(&rate->live);
	rate->begin_ns = clock_now_ns();
	return 0;
}

/* Reads the rate. True: it is known. */
static bool read_rate(const struct probe_rate *rate, struct trace_group *group, uint64_t now_ns,
		      double *hits_per_s)
{
	const uint64_t passed_ns = now_ns - rate->begin_ns;
	struct live_counts counts;

	live_probe_read(&rate->live, group, &counts);
	*hits_per_s = passed_ns ? (double)counts.hits * 1e9 / (double)passed_ns : 0;
	return passed_ns >= (counts.hits ? RATE_NS : UNHIT_NS) || counts.hits >= RATE_HITS;
}

static void end_rate(struct probe_rate *rate, struct trace_group *group)
{
	struct diag why;

	live_probe_retire(&rate->live, group);
	for (uint32_t i = 0; i < rate->live.part_count; i++)
		live_part_close(&rate->live.parts[i]);
	if (live_probe_undefine(&rate->live, group, &why))
		log_warn("a counter is not removed yet: %s", why.text);
}

static void end_counting(struct probe_engine *engine)
{
	struct examination *examination = &engine->examination;

	for (uint32_t i = 0; i < examination->rate_count; i++)
		end_rate(&examination->rates[i], engine->kernel.group);
	examination->rate_count = 0;
	examination->is_counting = false;
}

void engine_drop_examination(struct probe_engine *engine)
{
	struct examination *examination = &engine->examination;

	end_counting(engine);
	probe_point_free(examination->examined.points, examination->examined.point_count);
	*examination = (struct examination){ .is_counting = false };
}

static void put_points(struct probe_reply *out, const struct examined_point *examined)
{
	const struct probe_point *first = &examined->points[0];

	out->verdict = first->verdict;
	memcpy(out->reason, first->reason, sizeof(out->reason));
	memcpy(out->point, first->path, sizeof(out->point));
	out->functions = examined->point_count;
	for (uint32_t i = 0; i < examined->point_count; i++) {
		const struct probe_point *point = &examined->points[i];

		for (uint32_t k = 0; probe_point_at(point, k); k++)
			out->sites += probe_point_at(point, k)->site_count;
	}
	for (uint32_t i = 0; i < first->offered_count && i < PROBE_OFFERED_MAX; i++)
		out->offered[out->offered_count++] = first->offered[i];
	out->cost_ns = probe_cost_of_hit(&examined->cost, first,
					 examined->request.choice.with_stacks) +
		       probe_cost_of_end(&examined->cost, first);
	out->other_processes = examined->processes ? examined->processes - 1 : 0;
}

static bool is_allowed(enum probe_verdict verdict)
{
	return verdict != VERDICT_REFUSED && verdict != VERDICT_UNABLE;
}

static int add_rate(struct probe_engine *engine, const struct probe_point *point, bool is_end,
		    const struct probe_scope *scope, struct diag *why)
{
	struct examination *examination = &engine->examination;
	struct probe_rate *rate = &examination->rates[examination->rate_count];
	int err = begin_rate(rate, engine->kernel.group, point, scope, why);

	if (err)
		return err;
	rate->is_end = is_end;
	examination->rate_count++;
	return 0;
}

/* Counts in the processes to be probed. 0, or -errno with nothing left behind. */
static int begin_counting(struct probe_engine *engine, const struct probe_choice *choice,
			  struct diag *why)
{
	struct examination *examination = &engine->examination;
	struct probe_scope scope;
	pid_t *tids;
	int err = engine_probe_scope(choice, engine->kernel.group, &scope, &tids, why);

	for (uint32_t i = 0; i < examination->examined.point_count && !err; i++) {
		const struct probe_point *point = &examination->examined.points[i];

		err = add_rate(engine, point, false, &scope, why);
		for (uint32_t k = 1; !err && probe_point_at(point, k); k++)
			err = add_rate(engine, probe_point_at(point, k), true, &scope, why);
	}
	for (; err && examination->rate_count; examination->rate_count--)
		end_rate(&examination->rates[examination->rate_count - 1], engine->kernel.group);
	free(tids);
	examination->reply.is_rate_of_all =
		choice->reach == REACH_PROCESS && scope.kind == PROBE_SCOPE_ALL;
	return err;
}

/* Everything is known but the rate, which is counted if there are few sites. Points that are not
 * counted may be hot. */
void engine_examine(struct probe_engine *engine, struct examined_point *examined)
{
	struct examination *examination = &engine->examination;
	struct probe_reply *out = &examination->reply;
	struct diag why = { .err = 0 };

	engine_drop_examination(engine);
	*out = (struct probe_reply){ .number = examined->request.number, .kind = PROBE_EXAMINE };
	examination->is_for_all = examined->request.choice.reach == REACH_ALL;
	examination->examined = *examined;
	examination->drop_ns = clock_now_ns() + KEPT_NS;
	put_points(out, examined);
	examination->is_counting =
		is_allowed(out->verdict) && engine_can_attach(engine) &&
		!engine->config.is_readonly && out->sites <= EXAMINATION_RATES &&
		begin_counting(engine, &examined->request.choice, &why) == 0;
	if (why.err && is_allowed(out->verdict)) {
		out->verdict = VERDICT_UNABLE;
		snprintf(out->reason, sizeof(out->reason), "%.255s", why.text);
	}
	out->must_type = examination->is_for_all && is_allowed(out->verdict) &&
			 out->sites > EXAMINATION_RATES;
	out->is_done = !examination->is_counting;
	engine_reply(engine, out);
}

/* Sums the rates of all points, and *@ends of those where latencies end. True: all are known. */
static bool read_rates(struct examination *examination, struct trace_group *group, uint64_t now_ns,
		       double *ends)
{
	bool is_known = true;

	examination->reply.hits_per_s = *ends = 0;
	for (uint32_t i = 0; i < examination->rate_count; i++) {
		const struct probe_rate *rate = &examination->rates[i];
		double hits_per_s;

		is_known &= read_rate(rate, group, now_ns, &hits_per_s);
		*(rate->is_end ? ends : &examination->reply.hits_per_s) += hits_per_s;
	}
	return is_known;
}

void engine_continue_examination(struct probe_engine *engine, uint64_t now_ns)
{
	struct examination *examination = &engine->examination;
	const struct probe_cost *cost = &examination->examined.cost;
	struct probe_reply *out = &examination->reply;
	double ends, end_ns;

	if (!examination->is_counting && now_ns >= examination->drop_ns)
		engine_drop_examination(engine);
	if (!examination->is_counting ||
	    !read_rates(examination, engine->kernel.group, now_ns, &ends))
		return;
	end_ns = probe_cost_of_end(cost, examination->examined.points);
	out->has_rate = true;
	/* Each hit of a later point costs the mean of these. */
	out->cost_pct = (out->hits_per_s * (out->cost_ns - end_ns) +
			 ends * end_ns / (examination->examined.points->spec.middle_count + 1)) /
			1e7;
	out->must_type = examination->is_for_all && out->hits_per_s + ends > HOT_PER_S;
	out->is_done = true;
	engine_reply(engine, out);
	end_counting(engine);
}
