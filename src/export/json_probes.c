/* json_probes.c - the probes of a snapshot as JSON. */
#include "json_probes.h"

#include <inttypes.h>

#include "base/safe_print.h"
#include "json_text.h"

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
	safe_put(out, ",\"log2\":[");
	for (int i = 0; i < count; i++)
		safe_print(out, "%s%" PRIu64, i ? SAFE_TEXT(",") : SAFE_TEXT(""), octaves[i]);
	safe_put(out, "]");
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	safe_put(out, ",\"latency_ns\":");
	if (!probe->has_latency) {
		safe_put(out, "null");
		return;
	}
	safe_print(out, "{\"count\":%" PRIu64, latency->count);
	if (latency->count)
		safe_print(out,
			   ",\"p50\":%" PRIu64 ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64
			   ",\"max\":%" PRIu64, latency->p50_ns, latency->p90_ns, latency->p99_ns,
			   latency->max_ns);
	else
		safe_put(out, ",\"p50\":null,\"p90\":null,\"p99\":null,\"max\":null");
	if (probe->own_ns)
		safe_print(out, ",\"own\":%" PRIu32, probe->own_ns);
	else
		safe_put(out, ",\"own\":null");
	put_octaves(out, latency->octaves);
	safe_put(out, "}");
}

static void put_top(FILE *out, const struct snapshot_value *value)
{
	safe_put(out, ",\"top\":[");
	for (uint32_t i = 0; i < value->top_count; i++) {
		const struct snapshot_top *top = &value->top[i];

		safe_put_text(out, i ? SAFE_TEXT(",[") : SAFE_TEXT("["));
		if (top->is_named)
			json_put_string(out, sanitize_checked(top->text));
		else if (top->is_number && value->kind == VALUE_UNSIGNED)
			safe_print(out, "%" PRIu64, (uint64_t)top->number);
		else if (top->is_number && value->kind == VALUE_SIGNED)
			safe_print(out, "%" PRId64, top->number);
		else
			json_put_string(out, sanitize_checked(top->text));
		safe_print(out, ",%" PRIu64 "]", top->count);
	}
	safe_print(out, "],\"other\":%" PRIu64, value->other);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	char min[SNAPSHOT_NUMBER_BYTES], max[SNAPSHOT_NUMBER_BYTES];

	json_put_string(out, sanitize_checked(value->name));
	safe_print(out, ":{\"count\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"type\":", value->count,
		   value->unknown);
	json_put_string(out, sanitize_checked(value->type));
	safe_put(out, ",\"origin\":");
	json_put_string(out, sanitize_checked(value->origin));
	if (value->numbers)
		safe_print(out, ",\"min\":%s,\"max\":%s,\"mean\":%.3f",
			   sanitize_checked(snapshot_number(value->is_signed, value->min, min)),
			   sanitize_checked(snapshot_number(value->is_signed, value->max, max)),
			   value->mean);
	else
		safe_put(out, ",\"min\":null,\"max\":null,\"mean\":null");
	safe_print(out, ",\"zeros\":%" PRIu64 ",\"negatives\":%" PRIu64, value->zeros,
		   value->negatives);
	put_octaves(out, value->octaves);
	put_top(out, value);
	safe_put(out, "}");
}

static void put_probe(FILE *out, const struct snapshot_probe *probe)
{
	safe_put(out, "{\"spec\":");
	json_put_string(out, sanitize_checked(probe->spec));
	safe_put(out, ",\"name\":");
	json_put_string(out, sanitize_checked(probe->name));
	safe_put(out, ",\"object\":");
	json_put_string(out, sanitize_checked(probe->object));
	safe_put(out, ",\"scope\":");
	json_put_string(out, sanitize_checked(probe->scope));
	safe_print(out, ",\"kind\":\"%s\",\"edge\":\"%s\",\"state\":\"%s\",\"reason\":",
		   sanitize_checked(kind_name(probe->kind)),
		   sanitize_checked(edge_name(probe->edge)),
		   sanitize_checked(probe_state_name(probe->state)));
	if (probe->reason[0])
		json_put_string(out, sanitize_checked(probe->reason));
	else
		safe_put(out, "null");
	safe_print(out, ",\"hits\":%" PRIu64 ",\"hits_per_s\":", probe->hits);
	if (probe->hits_per_s < 0)
		safe_put(out, "null");
	else
		safe_print(out, "%.1f", probe->hits_per_s);
	safe_print(out, ",\"missed\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"hits_since\":%" PRIu64,
		   probe->missed_since, probe->lost_since, probe->hits_since);
	safe_print(out, ",\"unpaired\":%" PRIu64 ",\"filtered\":%" PRIu64 ",\"in_flight\":%" PRIu64,
		   probe->unpaired, probe->filtered, probe->in_flight);
	safe_print(out, ",\"cost_pct\":%.3f,\"in_bursts\":%s", probe->cost_pct,
		   probe->is_in_bursts ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	put_latency(out, probe);
	safe_put(out, ",\"values\":{");
	for (uint32_t i = 0; i < probe->value_count; i++) {
		if (i)
			safe_put(out, ",");
		put_value(out, &probe->values[i]);
	}
	safe_put(out, "}}");
}

void json_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	safe_put(out, ",\"probes\":[");
	for (uint32_t i = 0; i < probes->count; i++) {
		if (i)
			safe_put(out, ",");
		put_probe(out, &probes->list[i]);
	}
	safe_put(out, "]");
}
