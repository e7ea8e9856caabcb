/* change.c - see change.h. */
#include "change.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/snapshot.h"
#include "format.h"
#include "term/utf8.h"

#define ARROW_POINTS 2.0	/* 14 points are 7 arrows: as many as one sees at a glance */
#define LEAST_POINTS 0.005	/* less is written 0.00 */

double change_points(const struct snapshot *snapshot, double weight, double base_weight)
{
	return snapshot_pct(snapshot, weight) - row_changes_base_pct(snapshot, base_weight);
}

double change_per_s(const struct snapshot *snapshot, uint64_t samples, uint64_t base_samples)
{
	return row_changes_per_s(samples, snapshot->window_s) -
	       row_changes_per_s(base_samples, snapshot->baseline.window_s);
}

bool change_row_is_new(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	return snapshot->is_compared && row_changes_presence(row) == ROW_NEW;
}

bool change_row_is_gone(const struct snapshot_row *row)
{
	return row_changes_presence(row) == ROW_GONE;
}

bool change_node_is_new(const struct snapshot *snapshot, const struct tree_node *node)
{
	return snapshot->is_compared && !node->base.total.samples;
}

bool change_node_is_gone(const struct tree_node *node)
{
	return !node->now.total.samples && node->base.total.samples;
}

bool change_group_is_new(const struct group_node *node)
{
	return node->has_base && !node->base.self.samples && !node->base.total.samples;
}

bool change_group_is_gone(const struct group_node *node)
{
	return !node->now.self.samples && !node->now.total.samples &&
	       (node->base.self.samples || node->base.total.samples);
}

double change_of_group(const struct group_node *node)
{
	if (!node->has_base)
		return 0;
	return group_node_pct(node, node->now.self.weight) -
	       group_node_base_pct(node, node->base.self.weight);
}

double change_of_row(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	if (row->is_idle)
		return 0;
	return row_changes_points(snapshot, row, false);
}

double change_of_row_total(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	return row->is_idle ? 0 : row_changes_points(snapshot, row, true);
}

double change_per_s_of_row(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	return change_per_s(snapshot, row->now.self.samples, row->base.self.samples);
}

double change_of_node(const struct snapshot *snapshot, const struct tree_node *node)
{
	return change_points(snapshot, node->now.total.weight, node->base.total.weight);
}

char *change_format_points(char *out, double points)
{
	if (fabs(points) < LEAST_POINTS)
		snprintf(out, FORMAT_BYTES, "0.00");
	else
		snprintf(out, FORMAT_BYTES, "%+.*f", fabs(points) < 99.995 ? 2 : 1, points);
	return out;
}

static char sign_of(bool is_less)
{
	return is_less ? '-' : '+';
}

char *change_format_per_s(char *out, double per_second)
{
	const double size = fabs(per_second);
	char number[FORMAT_BYTES];

	if (size < 0.05)
		snprintf(out, FORMAT_BYTES, "0");
	else if (size < 9.95)
		snprintf(out, FORMAT_BYTES, "%+.1f", per_second);
	else
		snprintf(out, FORMAT_BYTES, "%c%.20s", sign_of(per_second < 0),
			 format_count(number, (uint64_t)(size + 0.5)));
	return out;
}

char *change_format_ns(char *out, uint64_t ns, uint64_t base_ns)
{
	const bool is_less = ns < base_ns;
	char number[FORMAT_BYTES];

	if (ns == base_ns)
		snprintf(out, FORMAT_BYTES, "0");
	else
		snprintf(out, FORMAT_BYTES, "%c%.20s", sign_of(is_less),
			 format_latency(number, is_less ? base_ns - ns : ns - base_ns));
	return out;
}

char *change_format_bar(char *out, size_t cap, int cells, double points)
{
	const uint32_t arrow = points < 0 ? 0x25bc : 0x25b2;	/* down, up */
	const double arrows = ceil(fabs(points) / ARROW_POINTS);
	size_t used = 0;

	out[0] = '\0';
	if (fabs(points) < CHANGE_SEEN_POINTS)
		return out;
	for (int i = 0; i < cells && i < arrows && used + UTF8_MAX_BYTES < cap; i++)
		used += utf8_encode(out + used, arrow);
	return out;
}

enum role change_role(double points)
{
	if (fabs(points) < CHANGE_SEEN_POINTS)
		return ROLE_DIM;
	return points > 0 ? ROLE_MORE : ROLE_LESS;
}

enum role change_role_of_row(const struct snapshot *snapshot, const struct snapshot_row *row,
			     bool of_total)
{
	if (row->is_idle || row_changes_is_noise(snapshot, row, of_total))
		return ROLE_DIM;
	return change_role(row_changes_points(snapshot, row, of_total));
}

static char *describe_shares(char *out, double base_pct, double pct)
{
	char before[FORMAT_BYTES], now[FORMAT_BYTES], points[FORMAT_BYTES];

	format_pct(before, base_pct);
	format_pct(now, pct);
	change_format_points(points, pct - base_pct);
	snprintf(out, CHANGE_TEXT_BYTES, "%s %% \u2192 %s %% (%s)", before, now, points);
	return out;
}

char *change_describe_share(char *out, const struct snapshot *snapshot,
			    const struct snapshot_row *row, bool is_total)
{
	const struct load *now = is_total ? &row->now.total : &row->now.self;
	const struct load *base = is_total ? &row->base.total : &row->base.self;

	return describe_shares(out, row_changes_row_base_pct(snapshot, row, base->weight),
			       snapshot_row_pct(snapshot, row, now->weight));
}

char *change_describe_group(char *out, const struct group_node *node, double weight,
			    double base_weight)
{
	return describe_shares(out, group_node_base_pct(node, base_weight),
			       group_node_pct(node, weight));
}

char *change_describe_rate(char *out, const struct snapshot *snapshot, uint64_t samples,
			   uint64_t base_samples)
{
	const double now = row_changes_per_s(samples, snapshot->window_s);
	const double before = row_changes_per_s(base_samples, snapshot->baseline.window_s);
	char old[FORMAT_BYTES], new[FORMAT_BYTES], change[FORMAT_BYTES];

	snprintf(out, CHANGE_TEXT_BYTES, "%s/s \u2192 %s/s (%s)",
		 format_count(old, (uint64_t)(before + 0.5)),
		 format_count(new, (uint64_t)(now + 0.5)),
		 change_format_per_s(change, now - before));
	return out;
}
