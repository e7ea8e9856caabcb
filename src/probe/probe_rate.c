/* probe_rate.c - see probe_rate.h. */
#include "probe_rate.h"

#include "base/clock.h"
#include "base/log.h"

int probe_rate_begin(struct probe_rate *rate, struct trace_group *group,
		     const struct probe_places *places, const struct probe_scope *scope,
		     struct diag *why)
{
	struct probe_places entries = *places;
	const struct live_request request = { .group = group, .places = &entries,
					      .scope = *scope };
	int err;

	*rate = (struct probe_rate){ .begin_ns = 0 };
	entries.spec.edge = PROBE_ENTRY;	/* entries are as many as returns, and cheaper */
	err = live_probe_open(&rate->live, &request, NULL, why);
	if (err)
		return err;
	live_probe_enable(&rate->live);
	rate->begin_ns = clock_now_ns();
	return 0;
}

bool probe_rate_read(struct probe_rate *rate, struct trace_group *group, uint64_t now_ns,
		     double *hits_per_s)
{
	const uint64_t passed_ns = now_ns - rate->begin_ns;
	struct live_counts counts;

	live_probe_read(&rate->live, group, &counts);
	*hits_per_s = passed_ns ? (double)counts.hits * 1e9 / (double)passed_ns : 0;
	return passed_ns >= PROBE_RATE_NS || counts.hits >= PROBE_RATE_HITS;
}

void probe_rate_end(struct probe_rate *rate, struct trace_group *group)
{
	struct diag why;

	live_probe_retire(&rate->live, group);
	for (uint32_t i = 0; i < rate->live.part_count; i++)
		live_part_close(&rate->live.parts[i]);
	if (live_probe_undefine(&rate->live, group, &why))
		log_warn("a counter is not removed yet: %s", why.text);
}
