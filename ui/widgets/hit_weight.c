/* hit_weight.c - see hit_weight.h. */
#include "hit_weight.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char average[] = "avg(";

/* True: it is the sum of the latencies, HIT_WEIGHT_LATENCY. */
static bool is_of_latency(const struct snapshot_aggregate *aggregate)
{
	return !strcmp(aggregate->name, "sum(lat)") || !strcmp(aggregate->name, "avg(lat)");
}

static bool has_weight(const struct snapshot_probe *probe, unsigned int weight)
{
	const unsigned int index = weight - HIT_WEIGHT_AGGREGATE;

	if (weight == HIT_WEIGHT_COUNT)
		return true;
	if (weight == HIT_WEIGHT_LATENCY)
		return probe->has_latency;
	return index < probe->aggregate_count && !is_of_latency(&probe->aggregates[index]) &&
	       (probe->aggregates[index].kind == AGGREGATE_SUM ||
		probe->aggregates[index].kind == AGGREGATE_AVG);
}

unsigned int hit_weight_of(const struct snapshot_probe *probe, unsigned int weight)
{
	return has_weight(probe, weight) ? weight : HIT_WEIGHT_COUNT;
}

unsigned int hit_weight_find(const struct snapshot_probe *probe, const char *name)
{
	if (!name || !strcmp(name, "hits"))
		return HIT_WEIGHT_COUNT;
	if (!strcmp(name, "lat"))
		return hit_weight_of(probe, HIT_WEIGHT_LATENCY);
	for (uint32_t i = 0; i < probe->aggregate_count; i++)
		if (!strcmp(probe->aggregates[i].name, name))
			return hit_weight_of(probe, HIT_WEIGHT_AGGREGATE + i);
	return HIT_WEIGHT_COUNT;
}

unsigned int hit_weight_next(const struct snapshot_probe *probe, unsigned int weight)
{
	const unsigned int end = HIT_WEIGHT_AGGREGATE + probe->aggregate_count;

	do
		weight = weight + 1 < end ? weight + 1 : HIT_WEIGHT_COUNT;
	while (!has_weight(probe, weight));
	return weight;
}

/* An average weighs by its sum. */
static char *name_sum(char *out, const char *name)
{
	if (!strcmp(name, "lat"))
		snprintf(out, HIT_WEIGHT_BYTES, "sum of latency");
	else if (!strncmp(name, average, strlen(average)))
		snprintf(out, HIT_WEIGHT_BYTES, "sum(%s", name + strlen(average));
	else
		snprintf(out, HIT_WEIGHT_BYTES, "%s", name);
	return out;
}

char *hit_weight_name(char *out, const struct snapshot_probe *probe, unsigned int weight)
{
	if (weight == HIT_WEIGHT_COUNT)
		snprintf(out, HIT_WEIGHT_BYTES, "hits");
	else
		name_sum(out, weight == HIT_WEIGHT_LATENCY
			      ? "lat" : probe->aggregates[weight - HIT_WEIGHT_AGGREGATE].name);
	return out;
}

char *hit_weight_format(char *out, bool is_ns, double sum)
{
	char text[FORMAT_BYTES - 1];
	char number[FORMAT_BYTES];

	if (is_ns)
		format_wait(number, fabs(sum));
	else
		format_count(number, (uint64_t)fmin(fabs(sum) + 0.5, 1.8e19));
	snprintf(text, sizeof(text), "%s", number);
	snprintf(out, FORMAT_BYTES, "%s%s", sum < 0 ? "-" : "", text);
	return out;
}

static bool has_name(const struct snapshot *snapshot)
{
	return snapshot && snapshot->hit_weight && snapshot->hit_weight[0];
}

bool hit_weight_is_shown(const struct snapshot *snapshot)
{
	return has_name(snapshot) || (snapshot && snapshot->is_of_waits);
}

static bool is_time(const struct snapshot *snapshot)
{
	return snapshot->is_of_waits || snapshot->is_hit_time;
}

char *hit_weight_of_row(char *out, const struct snapshot *snapshot, double weight)
{
	return hit_weight_format(out, is_time(snapshot), weight);
}

const char *hit_weight_title(const struct snapshot *snapshot)
{
	return has_name(snapshot) && !is_time(snapshot) ? "SUM" : "TIME";
}

char *hit_weight_of_snapshot(char *out, const struct snapshot *snapshot)
{
	out[0] = '\0';
	return has_name(snapshot) ? name_sum(out, snapshot->hit_weight) : out;
}
