/* text_probes.c - see text_probes.h.
 *
 *   PROBE                     STATE       HITS    HITS/s       P50       P90       P99       MAX
 *   lat:libc.so.6:malloc      attached  120034   60017.0     1.2us     1.5us     9.8us     1.2ms
 *                   1.0us..2.0us     110034  |########################################|
 *                   2.0us..4.1us      10000  |####                                    |
 *       size s64: 120034, min 1, mean 93.1, max 65536: 16 50000, 32 20000
 *                         16..32      50000  |########################################|
 */
#include "text_probes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/safe_print.h"

#define TOP_SHOWN   8		/* most frequent values shown per line, of 20 */
#define BAR_CELLS   40
#define GAP_OCTAVES 3		/* consecutive empty octaves that one line replaces */

static void format_time(char text[32], uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	snprintf(text, 32, "%" PRIu64 "ns", ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, 32, "%.1f%s", (double)ns / (double)units[i].ns, units[i].unit);
		break;
	}
}

static void put_time(FILE *out, uint64_t ns)
{
	char text[32];

	format_time(text, ns);
	safe_print(out, "  %8s", sanitize_checked(text));
}

/* A bound is 2^@octave. */
static void format_bound(char text[32], int octave, bool is_time)
{
	if (octave >= LATENCY_OCTAVES)
		text[0] = '\0';
	else if (is_time)
		format_time(text, 1ull << octave);
	else
		snprintf(text, 32, "%" PRIu64, (uint64_t)1 << octave);
}

static void put_bar(FILE *out, const char *range, uint64_t count, uint64_t most)
{
	char bar[BAR_CELLS + 1];
	const size_t cells = (size_t)((double)count * BAR_CELLS / (double)most + 0.5);

	memset(bar, ' ', BAR_CELLS);
	memset(bar, '#', cells < BAR_CELLS ? cells : BAR_CELLS);
	bar[BAR_CELLS] = '\0';
	safe_print(out, "      %24s  %9" PRIu64 "  |%s|\n", sanitize_checked(range), count,
		   sanitize_checked(bar));
}

static int count_empty(const uint64_t *octaves, int octave)
{
	int count = 0;

	while (octave + count < LATENCY_OCTAVES && !octaves[octave + count])
		count++;
	return count;
}

/* From the first octave that has any to the last. */
static void put_histogram(FILE *out, const uint64_t *octaves, uint64_t zeros, bool is_time)
{
	uint64_t most = zeros;
	int last = -1;

	for (int i = 0; i < LATENCY_OCTAVES; i++) {
		most = octaves[i] > most ? octaves[i] : most;
		last = octaves[i] ? i : last;
	}
	if (zeros)
		put_bar(out, "0", zeros, most);
	for (int i = count_empty(octaves, 0); i <= last;) {
		const int empty = count_empty(octaves, i);
		char begin[32], end[32], range[70];

		if (empty >= GAP_OCTAVES) {
			safe_print(out, "      %24s\n", SAFE_TEXT("..."));
			i += empty;
			continue;
		}
		format_bound(begin, i, is_time);
		format_bound(end, i + 1, is_time);
		snprintf(range, sizeof(range), "%s..%s", begin, end);
		put_bar(out, range, octaves[i], most);
		i++;
	}
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	if (!latency->count) {
		safe_put(out, "         -         -         -         -");
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
		safe_print(out, "  %s %" PRIu64, sanitize_checked(name), count);
}

static bool is_number(const struct snapshot_value *value)
{
	return value->numbers &&
	       (value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	char min[SNAPSHOT_NUMBER_BYTES], max[SNAPSHOT_NUMBER_BYTES];

	safe_print(out, "      %s %s: %" PRIu64, sanitize_checked(value->name),
		   sanitize_checked(value->type), value->count);
	put_counter(out, "unknown", value->unknown);
	if (is_number(value))
		safe_print(out, ", min %s, mean %.1f, max %s",
			   sanitize_checked(snapshot_number(value->is_signed, value->min, min)),
			   value->mean,
			   sanitize_checked(snapshot_number(value->is_signed, value->max, max)));
	for (uint32_t i = 0; i < value->top_count && i < TOP_SHOWN; i++)
		safe_print(out, "%s %s x%" PRIu64, i ? SAFE_TEXT(",") : SAFE_TEXT(":"),
			   sanitize_checked(value->top[i].text),
			   value->top[i].count);
	safe_put(out, "\n");
	if (is_number(value))	/* negative numbers are in the octave of their magnitude */
		put_histogram(out, value->octaves, value->zeros, false);
}

static void put_probe(FILE *out, const struct snapshot_probe *probe)
{
	safe_print(out, "  %-32s  %-9s  %9" PRIu64, sanitize_checked(probe->name),
		   sanitize_checked(probe_state_name(probe->state)), probe->hits);
	if (probe->hits_per_s < 0)
		safe_print(out, "  %9s", SAFE_TEXT("-"));
	else
		safe_print(out, "  %9.1f", probe->hits_per_s);
	put_latency(out, probe);
	put_counter(out, "unpaired", probe->unpaired);
	put_counter(out, "filtered", probe->filtered);
	put_counter(out, "missed", probe->missed_since);
	put_counter(out, "lost", probe->lost_since);
	safe_put(out, "\n");
	if (probe->latency.count && probe->own_ns)
		safe_print(out, "      of each latency about %.1f us are the probe\n",
			   (double)probe->own_ns / 1e3);
	if (probe->reason[0])
		safe_print(out, "      %s\n", sanitize_checked(probe->reason));
	if (probe->has_latency)
		put_histogram(out, probe->latency.octaves, 0, true);
	for (uint32_t i = 0; i < probe->value_count; i++)
		put_value(out, &probe->values[i]);
}

void text_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	safe_print(out, "  %-32s  %-9s  %9s  %9s  %8s  %8s  %8s  %8s\n", SAFE_TEXT("PROBE"),
		   SAFE_TEXT("STATE"), SAFE_TEXT("HITS"),
		   SAFE_TEXT("HITS/s"), SAFE_TEXT("P50"), SAFE_TEXT("P90"), SAFE_TEXT("P99"),
		   SAFE_TEXT("MAX"));
	for (uint32_t i = 0; i < probes->count; i++)
		put_probe(out, &probes->list[i]);
	safe_put(out, "\n");
}
