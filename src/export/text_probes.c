/* text_probes.c - see export/text_probes.h.
 *
 *   PROBE                     STATE       HITS    HITS/s       P50       P90       P99       MAX
 *   lat:libc.so.6:malloc      attached  120034   60017.0     1.2us     1.5us     9.8us     1.2ms
 *       size s64: 120034, min 1, mean 93.1, max 65536: 16 50000, 32 20000
 */
#include "export/text_probes.h"

#include <inttypes.h>

#define TOP_SHOWN 8	/* of a line's 20 */

static void put_time(FILE *out, uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "ns", ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, sizeof(text), "%.1f%s", (double)ns / (double)units[i].ns,
			 units[i].unit);
		break;
	}
	fprintf(out, "  %8s", text);
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	if (!latency->count) {
		fputs("         -         -         -         -", out);
		return;
	}
	put_time(out, latency->p50_ns);
	put_time(out, latency->p90_ns);
	put_time(out, latency->p99_ns);
	put_time(out, latency->max_ns);
}

static void put_counter(FILE *out, const char *name, uint64_t count)
{
	if (count)
		fprintf(out, "  %s %" PRIu64, name, count);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	fprintf(out, "      %s %s: %" PRIu64, value->name, value->type, value->count);
	put_counter(out, "unknown", value->unknown);
	if (value->numbers)
		fprintf(out, ", min %" PRId64 ", mean %.1f, max %" PRId64, value->min,
			value->mean, value->max);
	for (uint32_t i = 0; i < value->top_count && i < TOP_SHOWN; i++)
		fprintf(out, "%s %s x%" PRIu64, i ? "," : ":", value->top[i].text,
			value->top[i].count);
	putc('\n', out);
}

static void put_probe(FILE *out, const struct snapshot_probe *probe)
{
	fprintf(out, "  %-32s  %-9s  %9" PRIu64 "  %9.1f", probe->name,
		probe_state_name(probe->state), probe->hits, probe->hits_per_s);
	put_latency(out, probe);
	put_counter(out, "unpaired", probe->unpaired);
	put_counter(out, "filtered", probe->filtered);
	put_counter(out, "missed", probe->missed_since);
	put_counter(out, "lost", probe->lost_since);
	putc('\n', out);
	if (probe->reason[0])
		fprintf(out, "      %s\n", probe->reason);
	for (uint32_t i = 0; i < probe->value_count; i++)
		put_value(out, &probe->values[i]);
}

void text_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	fprintf(out, "  %-32s  %-9s  %9s  %9s  %8s  %8s  %8s  %8s\n", "PROBE", "STATE", "HITS",
		"HITS/s", "P50", "P90", "P99", "MAX");
	for (uint32_t i = 0; i < probes->count; i++)
		put_probe(out, &probes->list[i]);
	putc('\n', out);
}
