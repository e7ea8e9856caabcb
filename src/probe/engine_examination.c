/* engine_examination.c - see probe/engine_state.h: answers about a place before it is probed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine_state.h"

#define HOT_PER_S 10000	/* system-wide, above it the function's name must be typed */

void engine_drop_examination(struct probe_engine *engine)
{
	struct examination *examination = &engine->examination;

	for (uint32_t i = 0; i < examination->rate_count; i++)
		probe_rate_end(&examination->rates[i], engine->kernel.group);
	probe_places_free(examination->places, examination->place_count);
	*examination = (struct examination){ .is_counting = false };
}

static void put_places(struct probe_answer *out, const struct probe_finding *finding)
{
	const struct probe_places *first = &finding->places[0];

	out->verdict = first->verdict;
	memcpy(out->reason, first->reason, sizeof(out->reason));
	memcpy(out->place, first->path, sizeof(out->place));
	out->functions = finding->place_count;
	for (uint32_t i = 0; i < finding->place_count; i++)
		out->sites += finding->places[i].site_count;
	for (uint32_t i = 0; i < first->offered_count && i < PROBE_VALUES_MAX; i++)
		out->offered[out->offered_count++] = first->offered[i];
	out->cost_ns = probe_cost_of_hit(&finding->cost, first,
					 finding->order.choice.with_stacks);
	out->other_processes = finding->processes ? finding->processes - 1 : 0;
}

static bool is_allowed(enum probe_verdict verdict)
{
	return verdict != VERDICT_REFUSED && verdict != VERDICT_UNABLE;
}

/* Counts in the processes to be probed. 0, or -errno with nothing left behind. */
static int begin_counting(struct probe_engine *engine, const struct probe_choice *choice,
			  struct diag *why)
{
	struct examination *examination = &engine->examination;
	struct probe_scope scope;
	pid_t *tids;
	int err = engine_probe_scope(choice, engine->kernel.group, &scope, &tids, why);

	for (uint32_t i = 0; i < examination->place_count && !err; i++) {
		err = probe_rate_begin(&examination->rates[i], engine->kernel.group,
				       &examination->places[i], &scope, why);
		examination->rate_count += !err;
	}
	for (; err && examination->rate_count; examination->rate_count--)
		probe_rate_end(&examination->rates[examination->rate_count - 1],
			       engine->kernel.group);
	free(tids);
	examination->answer.is_rate_of_all =
		choice->reach == REACH_PROCESS && scope.kind == PROBE_SCOPE_ALL;
	return err;
}

/* Everything is known but the rate, which is counted if there are few sites. Places that are not
 * counted may be hot. */
void engine_examine(struct probe_engine *engine, struct probe_finding *finding)
{
	struct examination *examination = &engine->examination;
	struct probe_answer *out = &examination->answer;
	struct diag why = { .err = 0 };

	engine_drop_examination(engine);
	*out = (struct probe_answer){ .number = finding->order.number, .kind = PROBE_EXAMINE };
	examination->is_for_all = finding->order.choice.reach == REACH_ALL;
	examination->places = finding->places;
	examination->place_count = finding->place_count;
	put_places(out, finding);
	examination->is_counting =
		is_allowed(out->verdict) && engine_can_attach(engine) &&
		!engine->config.is_readonly && out->sites <= EXAMINATION_RATES &&
		begin_counting(engine, &finding->order.choice, &why) == 0;
	if (why.err && is_allowed(out->verdict)) {
		out->verdict = VERDICT_UNABLE;
		snprintf(out->reason, sizeof(out->reason), "%.255s", why.text);
	}
	out->must_type = examination->is_for_all && is_allowed(out->verdict) &&
			 out->sites > EXAMINATION_RATES;
	out->is_done = !examination->is_counting;
	engine_answer(engine, out);
}

/* Sums the rates of all places. True: all are known. */
static bool read_rates(struct examination *examination, struct trace_group *group, uint64_t now_ns)
{
	bool is_known = true;

	examination->answer.hits_per_s = 0;
	for (uint32_t i = 0; i < examination->rate_count; i++) {
		double hits_per_s;

		is_known &= probe_rate_read(&examination->rates[i], group, now_ns, &hits_per_s);
		examination->answer.hits_per_s += hits_per_s;
	}
	return is_known;
}

void engine_continue_examination(struct probe_engine *engine, uint64_t now_ns)
{
	struct examination *examination = &engine->examination;
	struct probe_answer *out = &examination->answer;

	if (!examination->is_counting || !read_rates(examination, engine->kernel.group, now_ns))
		return;
	out->has_rate = true;
	out->cost_pct = out->hits_per_s * out->cost_ns / 1e7;
	out->must_type = examination->is_for_all && out->hits_per_s > HOT_PER_S;
	out->is_done = true;
	engine_answer(engine, out);
	engine_drop_examination(engine);
}
