/* probe_columns.c - see probe_columns.h. */
#include "probe_columns.h"

#include <stdio.h>
#include <string.h>

#include "change.h"
#include "charts.h"
#include "format.h"

#define GAP_CELLS    1
#define NAME_CELLS   20		/* other columns are dropped before the name gets less */
#define NAME_COMFORT 40		/* the name grows to this before others grow, if needed */
#define WORD_CELLS   12		/* width of the word for a state after the name */
#define LOSS_KEEP    88		/* less than that of rate and p99 */

const char *probe_state_word(enum probe_state state)
{
	static const char *const words[] = {
		[PROBE_ATTACHING] = "attaching\u2026", [PROBE_ATTACHED] = "on",
		[PROBE_IS_OFF] = "off",		       [PROBE_DETACHING] = "detaching\u2026",
		[PROBE_REFUSED] = "refused",	       [PROBE_FAILED] = "failed",
		[PROBE_CAPPED] = "capped",	       [PROBE_EXPIRED] = "expired",
		[PROBE_PAUSED] = "between bursts",     [PROBE_RECORDED] = "recorded",
	};

	return words[state];
}

static bool is_sampled(const struct snapshot_probe *probe)
{
	return probe->is_in_bursts &&
	       (probe->state == PROBE_ATTACHED || probe->state == PROBE_PAUSED);
}

const char *probe_word(const struct snapshot_probe *probe)
{
	return is_sampled(probe) ? "in bursts" : probe_state_word(probe->state);
}

const char *probe_mark(const struct snapshot_probe *probe)
{
	if (probe->state == PROBE_ATTACHED && probe->reason[0])
		return "!";	/* it is on, but its file was replaced by another */
	return probe_state_mark(is_sampled(probe) ? PROBE_PAUSED : probe->state);
}

const char *probe_state_mark(enum probe_state state)
{
	switch (state) {
	case PROBE_ATTACHED:
	case PROBE_RECORDED:  return "\u25cf";
	case PROBE_IS_OFF:
	case PROBE_EXPIRED:   return "\u25cb";
	case PROBE_REFUSED:
	case PROBE_FAILED:
	case PROBE_CAPPED:    return "!";
	case PROBE_PAUSED:    return "\u25d0";
	case PROBE_ATTACHING:
	case PROBE_DETACHING: break;
	}
	return "\u2026";
}

enum role probe_state_role(enum probe_state state)
{
	switch (state) {
	case PROBE_ATTACHED:
	case PROBE_PAUSED:    return ROLE_KEY;
	case PROBE_REFUSED:
	case PROBE_FAILED:
	case PROBE_CAPPED:    return ROLE_LOSS;
	case PROBE_EXPIRED:
	case PROBE_ATTACHING:
	case PROBE_DETACHING: return ROLE_STATE;
	case PROBE_RECORDED:
	case PROBE_IS_OFF:    break;
	}
	return ROLE_DIM;
}

bool probe_state_is_dead(enum probe_state state)
{
	return state == PROBE_REFUSED || state == PROBE_FAILED;
}

/* Returns k, u, t or U, with an r appended for return probes. */
static const char *probe_kind_letters(const struct snapshot_probe *probe)
{
	static const char *const letters[][2] = {
		[PROBE_KERNEL] = { "k", "kr" },	    [PROBE_USER] = { "u", "ur" },
		[PROBE_TRACEPOINT] = { "t", "tr" }, [PROBE_USDT] = { "U", "Ur" },
	};

	return letters[probe->kind][probe->edge == PROBE_RETURN];
}

/* Skips @prefix and a colon, if @text begins so. */
static const char *after(const char *text, const char *prefix)
{
	const size_t length = strlen(prefix);

	return !strncmp(text, prefix, length) && text[length] == ':' ? text + length + 1 : text;
}

const char *probe_plain_name(const struct snapshot_probe *probe)
{
	static const char *const kinds[] = { "lat", "k", "kr", "u", "ur", "t", "U" };
	const char *name = probe->name;

	if (probe->meaning && probe->meaning[0])
		return probe->meaning;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && name == probe->name; i++)
		name = after(probe->name, kinds[i]);
	if (name != probe->name && probe->kind == PROBE_TRACEPOINT)
		name = after(name, "t");	/* "lat:t:" of a pair */
	return name == probe->name ? name : after(name, probe->dso);
}

static void put_state(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_probe *probe)
{
	canvas_put_text(canvas, area, canvas_clean(probe_mark(probe)),
			probe_state_role(probe->state));
}

static void put_kind(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	canvas_put_text(canvas, area, canvas_clean(probe_kind_letters(probe)),
			probe->kind == PROBE_USER || probe->kind == PROBE_USDT ? ROLE_USER
									       : ROLE_KERNEL);
}

/* The state is shown as well where it is not the usual one; it has room before the name's end. */
static void put_name(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	const bool is_usual = probe->state == PROBE_RECORDED ||
			      (probe->state == PROBE_ATTACHED && !probe->is_in_bursts);
	const char *word = is_usual ? "" : probe_word(probe);
	const int kept = word[0] ? canvas_text_width(canvas, word) + GAP_CELLS : 0;
	struct canvas_area name = { area.x, area.y, area.width - kept };

	name.x += canvas_put_text(canvas, name, canvas_clean(probe_plain_name(probe)), ROLE_TEXT) +
		  GAP_CELLS;
	name.width = area.x + area.width - name.x;
	if (word[0])
		canvas_put_text(canvas, name, canvas_clean(word), probe_state_role(probe->state));
}

static void put_dso(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe)
{
	canvas_put_text(canvas, area, canvas_clean(probe->dso), ROLE_DIM);
}

static void put_scope(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_probe *probe)
{
	canvas_put_text(canvas, area, canvas_clean(probe->scope), ROLE_DIM);
}

static void put_count(struct canvas *canvas, struct canvas_area area, uint64_t count,
		      enum role role)
{
	char text[FORMAT_BYTES];

	canvas_put_right(canvas, area, canvas_clean(format_count(text, count)),
			 count ? role : ROLE_DIM);
}

static void put_hits(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	put_count(canvas, area, probe->hits, ROLE_TEXT);
}

/* Less than one a second is not none. */
static void put_rate(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	char text[FORMAT_BYTES];

	if (probe->hits_per_s < 0)
		snprintf(text, sizeof(text), "-");
	else if (probe->hits_per_s > 0 && probe->hits_per_s < 9.95)
		snprintf(text, sizeof(text), "%.1f", probe->hits_per_s);
	else
		format_count(text, (uint64_t)(probe->hits_per_s + 0.5));
	canvas_put_right(canvas, area, canvas_clean(text),
			 probe->hits_per_s > 0 ? ROLE_TEXT : ROLE_DIM);
}

/* The columns of changes have room only while probes are compared. */
static void put_rate_change(struct canvas *canvas, struct canvas_area area,
			    const struct snapshot_probe *probe)
{
	const double change = probe->hits_per_s - probe->base_hits_per_s;
	char text[FORMAT_BYTES];

	if (probe->hits_per_s < 0)
		canvas_put_right(canvas, area, SAFE_TEXT("-"), ROLE_DIM);
	else if (probe->base_hits_per_s < 0)
		canvas_put_right(canvas, area, SAFE_TEXT("new"), ROLE_MORE);
	else
		canvas_put_right(canvas, area, canvas_clean(change_format_per_s(text, change)),
				 change_role(change));
}

static void put_spark(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_probe *probe)
{
	sparkline_draw_counts(probe->spark, probe->spark_count, canvas, area);
}

static void put_latency(struct canvas *canvas, struct canvas_area area,
			const struct snapshot_probe *probe, uint64_t ns)
{
	char text[FORMAT_BYTES] = "-";

	if (probe->has_latency && probe->latency.count)
		format_latency(text, ns);
	canvas_put_right(canvas, area, canvas_clean(text), text[0] == '-' ? ROLE_DIM : ROLE_TEXT);
}

static void put_p50(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe)
{
	put_latency(canvas, area, probe, probe->latency.p50_ns);
}

static void put_p90(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe)
{
	put_latency(canvas, area, probe, probe->latency.p90_ns);
}

static void put_p99(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe)
{
	put_latency(canvas, area, probe, probe->latency.p99_ns);
}

static void put_max(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe)
{
	put_latency(canvas, area, probe, probe->latency.max_ns);
}

static void put_latency_change(struct canvas *canvas, struct canvas_area area,
			       const struct snapshot_probe *probe, uint64_t ns, uint64_t base_ns)
{
	char text[FORMAT_BYTES];

	if (probe->has_latency && probe->latency.count && probe->base_latency.count)
		canvas_put_right(canvas, area, canvas_clean(change_format_ns(text, ns, base_ns)),
				 change_role((double)ns - (double)base_ns));
	else
		canvas_put_right(canvas, area, SAFE_TEXT("-"), ROLE_DIM);
}

static void put_p50_change(struct canvas *canvas, struct canvas_area area,
			   const struct snapshot_probe *probe)
{
	put_latency_change(canvas, area, probe, probe->latency.p50_ns, probe->base_latency.p50_ns);
}

static void put_p99_change(struct canvas *canvas, struct canvas_area area,
			   const struct snapshot_probe *probe)
{
	put_latency_change(canvas, area, probe, probe->latency.p99_ns, probe->base_latency.p99_ns);
}

static void put_lost(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	put_count(canvas, area, probe->lost_since, ROLE_LOSS);
}

static void put_missed(struct canvas *canvas, struct canvas_area area,
		       const struct snapshot_probe *probe)
{
	put_count(canvas, area, probe->missed_since, ROLE_LOSS);
}

static void put_unpaired(struct canvas *canvas, struct canvas_area area,
			 const struct snapshot_probe *probe)
{
	put_count(canvas, area, probe->unpaired, ROLE_LOSS);
}

static void put_lease(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_probe *probe)
{
	char text[FORMAT_BYTES];

	canvas_put_right(canvas, area, canvas_clean(format_lease(text, probe->lease_s)), ROLE_DIM);
}

static void put_cost(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot_probe *probe)
{
	char text[FORMAT_BYTES];

	snprintf(text, sizeof(text), "%.1f%%", probe->cost_pct);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

const struct probe_list_column probe_list_columns[PROBE_COL_COUNT] = {
	[PROBE_COL_STATE] = { "", 1, 1, ALIGN_LEFT, 101, put_state,
			      "\u25cf on, \u25d0 on in bursts, \u25cb off or expired, ! refused, "
			      "failed or capped, \u2026 on its way" },
	[PROBE_COL_KIND] = { "", 2, 2, ALIGN_LEFT, 100, put_kind,
			     "k kernel, u user, t tracepoint, U USDT probe; r: of returns" },
	[PROBE_COL_NAME] = { "PROBE", NAME_CELLS, 0, ALIGN_LEFT, 102, put_name,
			     "function, tracepoint or USDT probe" },
	[PROBE_COL_DSO] = { "DSO", 10, 20, ALIGN_LEFT, 60, put_dso,
			       "program, library or [kernel]" },
	[PROBE_COL_SCOPE] = { "SCOPE", 12, 20, ALIGN_LEFT, 50, put_scope, "for whom it is on" },
	[PROBE_COL_HITS] = { "HITS", 6, 6, ALIGN_RIGHT, 55, put_hits, "hits in the window" },
	[PROBE_COL_RATE] = { "HITS/S", 6, 6, ALIGN_RIGHT, 95, put_rate,
			     "hits a second, in the window" },
	[PROBE_COL_RATE_CHANGE] = { "\u0394/S", 6, 6, ALIGN_RIGHT, 93, put_rate_change,
				    "compared: HITS/S against the baseline" },
	[PROBE_COL_SPARK] = { "", 8, 30, ALIGN_LEFT, 65, put_spark,
			      "hits of the last seconds; against the most of them" },
	[PROBE_COL_P50] = { "P50", 6, 6, ALIGN_RIGHT, 85, put_p50,
			    "latency that half of the calls do not exceed" },
	[PROBE_COL_P50_CHANGE] = { "\u0394P50", 7, 7, ALIGN_RIGHT, 84, put_p50_change,
				   "compared: P50 against the baseline" },
	[PROBE_COL_P90] = { "P90", 6, 6, ALIGN_RIGHT, 45, put_p90, "and 90 % of them" },
	[PROBE_COL_P99] = { "P99", 6, 6, ALIGN_RIGHT, 90, put_p99, "and 99 % of them" },
	[PROBE_COL_P99_CHANGE] = { "\u0394P99", 7, 7, ALIGN_RIGHT, 89, put_p99_change,
				   "and P99" },
	[PROBE_COL_MAX] = { "MAX", 6, 6, ALIGN_RIGHT, 70, put_max, "the slowest call" },
	[PROBE_COL_LOST] = { "LOST", 6, 6, ALIGN_RIGHT, 38, put_lost,
			     "records of hits that the kernel dropped: since the probe was added" },
	[PROBE_COL_MISSED] = { "MISSED", 6, 6, ALIGN_RIGHT, 40, put_missed,
			       "hits that the kernel could not see, since then" },
	[PROBE_COL_UNPAIRED] = { "UNPAIR", 6, 6, ALIGN_RIGHT, 36, put_unpaired,
				 "returns without their entry; and entries without return" },
	[PROBE_COL_LEASE] = { "LEASE", 5, 5, ALIGN_RIGHT, 75, put_lease,
			      "when it goes off by itself" },
	[PROBE_COL_COST] = { "COST", 6, 6, ALIGN_RIGHT, 80, put_cost,
			     "time that its hits take, % of one CPU" },
};

static int keep_of(enum probe_column_id id, const struct snapshot_probes *probes)
{
	for (uint32_t i = 0; i < probes->count; i++) {
		const struct snapshot_probe *probe = &probes->list[i];

		if ((id == PROBE_COL_LOST && probe->lost_since) ||
		    (id == PROBE_COL_MISSED && probe->missed_since) ||
		    (id == PROBE_COL_UNPAIRED && probe->unpaired))
			return LOSS_KEEP;
	}
	return probe_list_columns[id].keep;
}

static int least_kept(const struct probe_layout *layout, const struct snapshot_probes *probes)
{
	int least = -1;

	for (int id = 0; id < PROBE_COL_COUNT; id++) {
		if (!layout->places[id].width || id == PROBE_COL_NAME)
			continue;
		if (least < 0 || keep_of((enum probe_column_id)id, probes) <
				 keep_of((enum probe_column_id)least, probes))
			least = id;
	}
	return least;
}

static bool is_change(int id)
{
	return id == PROBE_COL_RATE_CHANGE || id == PROBE_COL_P50_CHANGE ||
	       id == PROBE_COL_P99_CHANGE;
}

/* What the longest name takes with a state after it, which comes and goes. */
static int name_comfort(const struct snapshot_probes *probes)
{
	int cells = NAME_CELLS;

	for (uint32_t i = 0; i < probes->count; i++) {
		const int name = (int)strlen(probe_plain_name(&probes->list[i])) + WORD_CELLS;

		cells = name > cells ? name : cells;
	}
	return cells < NAME_COMFORT ? cells : NAME_COMFORT;
}

void probe_columns_fit(struct probe_layout *out, int x, int width,
		       const struct snapshot_probes *probes, bool is_compared)
{
	static const enum probe_column_id growing[] = { PROBE_COL_SPARK, PROBE_COL_DSO,
							PROBE_COL_SCOPE };
	const int comfort = name_comfort(probes);
	int name = width, id;

	for (id = 0; id < PROBE_COL_COUNT; id++) {
		out->places[id].width = 0;
		if (is_change(id) && !is_compared)
			continue;
		out->places[id].width = probe_list_columns[id].min_width;
		name -= id == PROBE_COL_NAME ? 0 : probe_list_columns[id].min_width + GAP_CELLS;
	}
	while (name < NAME_CELLS && (id = least_kept(out, probes)) >= 0) {
		name += out->places[id].width + GAP_CELLS;
		out->places[id].width = 0;
	}
	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
		id = (int)growing[i];
		while (out->places[id].width && name > comfort &&
		       out->places[id].width < probe_list_columns[id].max_width) {
			out->places[id].width++;
			name--;
		}
	}
	out->places[PROBE_COL_NAME].width = name;
	for (id = 0; id < PROBE_COL_COUNT; id++) {
		out->places[id].x = x;
		x += out->places[id].width ? out->places[id].width + GAP_CELLS : 0;
	}
}
