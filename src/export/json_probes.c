/* json_probes.c - the probes of a snapshot as JSON. */
#include "export/json_probes.h"

#include <inttypes.h>

#include "export/json_text.h"

static const char *kind_name(enum probe_kind kind)
{
	switch (kind) {
	case PROBE_KERNEL:     return "kernel";
	case PROBE_USER:       return "user";
	case PROBE_TRACEPOINT: return "tracepoint";
	case PROBE_USDT:       break;
	}
	return "usdt";
}

static const char *edge_name(enum probe_edge edge)
{
	switch (edge) {
	case PROBE_ENTRY:   return "entry";
	case PROBE_RETURN:  return "return";
	case PROBE_LATENCY: break;
	}
	return "latency";
}

/* Up to the last octave that counts. */
static void put_octaves(FILE *out, const uint64_t *octaves)
{
	int count = LATENCY_OCTAVES;

	while (count && !octaves[count - 1])
		count--;
	fputs(",\"log2\":[", out);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", octaves[i]);
	putc(']', out);
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	fputs(",\"latency_ns\":", out);
	if (!probe->has_latency) {
		fputs("null", out);
		return;
	}
	fprintf(out, "{\"count\":%" PRIu64, latency->count);
	if (latency->count)
		fprintf(out, ",\"p50\":%" PRIu64 ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64
			",\"max\":%" PRIu64, latency->p50_ns, latency->p90_ns, latency->p99_ns,
			latency->max_ns);
	else
		fputs(",\"p50\":null,\"p90\":null,\"p99\":null,\"max\":null", out);
	put_octaves(out, latency->octaves);
	putc('}', out);
}

static void put_top(FILE *out, const struct snapshot_value *value)
{
	fputs(",\"top\":[", out);
	for (uint32_t i = 0; i < value->top_count; i++) {
		const struct snapshot_top *top = &value->top[i];

		fputs(i ? ",[" : "[", out);
		if (top->is_number && value->kind == VALUE_UNSIGNED)
			fprintf(out, "%" PRIu64, (uint64_t)top->number);
		else if (top->is_number && value->kind == VALUE_SIGNED)
			fprintf(out, "%" PRId64, top->number);
		else
			json_put_string(out, top->text);
		fprintf(out, ",%" PRIu64 "]", top->count);
	}
	fprintf(out, "],\"other\":%" PRIu64, value->other);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	json_put_string(out, value->name);
	fprintf(out, ":{\"count\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"type\":", value->count,
		value->unknown);
	json_put_string(out, value->type);
	fputs(",\"origin\":", out);
	json_put_string(out, value->origin);
	if (value->numbers)
		fprintf(out, ",\"min\":%" PRId64 ",\"max\":%" PRId64 ",\"mean\":%.3f", value->min,
			value->max, value->mean);
	else
		fputs(",\"min\":null,\"max\":null,\"mean\":null", out);
	fprintf(out, ",\"zeros\":%" PRIu64 ",\"negatives\":%" PRIu64, value->zeros,
		value->negatives);
	put_octaves(out, value->octaves);
	put_top(out, value);
	putc('}', out);
}

static void put_probe(FILE *out, const struct snapshot_probe *probe)
{
	fputs("{\"spec\":", out);
	json_put_string(out, probe->spec);
	fputs(",\"name\":", out);
	json_put_string(out, probe->name);
	fputs(",\"object\":", out);
	json_put_string(out, probe->object);
	fputs(",\"scope\":", out);
	json_put_string(out, probe->scope);
	fprintf(out, ",\"kind\":\"%s\",\"edge\":\"%s\",\"state\":\"%s\",\"reason\":",
		kind_name(probe->kind), edge_name(probe->edge), probe_state_name(probe->state));
	if (probe->reason[0])
		json_put_string(out, probe->reason);
	else
		fputs("null", out);
	fprintf(out, ",\"hits\":%" PRIu64 ",\"hits_per_s\":%.1f", probe->hits, probe->hits_per_s);
	fprintf(out, ",\"missed\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"hits_since\":%" PRIu64,
		probe->missed_since, probe->lost_since, probe->hits_since);
	fprintf(out, ",\"unpaired\":%" PRIu64 ",\"filtered\":%" PRIu64 ",\"in_flight\":%" PRIu64,
		probe->unpaired, probe->filtered, probe->in_flight);
	fprintf(out, ",\"cost_pct\":%.3f,\"in_bursts\":%s", probe->cost_pct,
		probe->is_in_bursts ? "true" : "false");
	put_latency(out, probe);
	fputs(",\"values\":{", out);
	for (uint32_t i = 0; i < probe->value_count; i++) {
		if (i)
			putc(',', out);
		put_value(out, &probe->values[i]);
	}
	fputs("}}", out);
}

void json_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	fputs(",\"probes\":[", out);
	for (uint32_t i = 0; i < probes->count; i++) {
		if (i)
			putc(',', out);
		put_probe(out, &probes->list[i]);
	}
	putc(']', out);
}
