/* page.c - see page.h.
 *
 * Problem: whoever opens the page may read it with rights and cookies of a browser, and names on it
 * are chosen by those who are profiled.
 * Idea: names are text only, escaped; and the page's own policy (Content-Security-Policy) allows no
 * network and no script or style but those whose hashes are in it. So there are no style attributes
 * either: a bar has a class for each percent of its length.
 * Without script the page is whole, but neither sorts nor searches.
 */
#include "page.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/safe_print.h"
#include "base/sanitize.h"
#include "flame_svg.h"
#include "page_table.h"
#include "page_text.h"

#define MOST_FRAMES 6000	/* in all flame graphs: a browser opens as many at once */
#define FRAME_BYTES 1200000	/* limit for all frames */
#define LINE_BYTES  4096	/* a longer line is cut */
#define HASH_CHARS  44		/* 32 bytes in base 64 */

#define PLOT_HEIGHT  64		/* pixels */
#define TOP	     100	/* height of the plot in its own units */
#define CONTEXT_S    60		/* shown before and after the window */
#define MOST_LABELS  5		/* they must not touch at a width of 400 pixels */

extern const char page_css_in[], page_js_in[];	/* page.css.in, page.js.in */

static void write_style(FILE *out, const struct snapshot *snapshot)
{
	flame_svg_write_own(out, page_css_in);
	page_table_write_style(out, snapshot);
	flame_svg_write_style(out);
}

static void write_script(FILE *out, const struct snapshot *snapshot)
{
	(void)snapshot;
	flame_svg_write_own(out, page_js_in);
	flame_svg_write_script(out);
}

/* RFC 4648, 4. */
static void encode_base64(char out[HASH_CHARS + 1], const uint8_t hash[SHA256_DIGEST_LENGTH])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = 0;

	for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i += 3) {
		const bool is_last = i + 3 > SHA256_DIGEST_LENGTH;	/* 32 = 10 * 3 + 2 */
		const uint32_t bits = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 |
				      (is_last ? 0u : hash[i + 2]);

		out[length++] = digits[bits >> 18];
		out[length++] = digits[bits >> 12 & 63];
		out[length++] = digits[bits >> 6 & 63];
		out[length++] = is_last ? '=' : digits[bits & 63];
	}
	out[length] = '\0';
}

/* Writes 'sha256-...', as the policy names what @write writes. 0 or -ENOMEM. */
static int put_source(FILE *out, void (*write)(FILE *out, const struct snapshot *snapshot),
		      const struct snapshot *snapshot)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	char encoded[HASH_CHARS + 1], *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	SHA2_CTX sum;

	if (!stream)
		return -ENOMEM;
	write(stream, snapshot);
	if (fclose(stream)) {
		free(text);
		return -ENOMEM;
	}
	SHA256Init(&sum);
	SHA256Update(&sum, (const uint8_t *)text, bytes);
	SHA256Final(hash, &sum);
	free(text);
	encode_base64(encoded, hash);
	safe_print(out, "'sha256-%s'", sanitize_checked(encoded));
	return 0;
}

static void put_title(FILE *out, const struct snapshot *snapshot)
{
	safe_put_xml(out, sanitize_checked(snapshot->event));
	text_put_rate(out, snapshot);
	safe_put(out, " \u00b7 ");
	safe_put_xml(out, sanitize_checked(snapshot->target));
}

static int put_head(FILE *out, const struct snapshot *snapshot)
{
	int err;

	safe_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "script-src ");
	err = put_source(out, write_script, snapshot);
	safe_put(out, "; style-src ");
	err = err ? err : put_source(out, write_style, snapshot);
	safe_put(out, "; base-uri 'none'; form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n"
		      "<meta name=\"generator\" content=\"flametop\">\n<title>");
	put_title(out, snapshot);
	safe_put(out, " \u00b7 ");
	safe_put_xml(out, sanitize_checked(snapshot->host));
	safe_put(out, "</title>\n<style>");
	write_style(out, snapshot);
	safe_put(out, "</style>\n</head>\n");
	return err;
}

static uint64_t begin_of(const struct snapshot *snapshot)
{
	return snapshot->begin_ns ? snapshot->begin_ns
				  : snapshot->time_ns - (uint64_t)(snapshot->window_s * 1e9);
}

/* Returns how long after the start of the recording @ns is. */
static double seconds_of(const struct snapshot *snapshot, uint64_t ns)
{
	return ns > snapshot->known_ns ? (double)(ns - snapshot->known_ns) / 1e9 : 0;
}

static void put_term(FILE *out, struct safe_text name)
{
	safe_print(out, "<div><dt>%s</dt><dd>", name);
}

static void end_term(FILE *out)
{
	safe_put(out, "</dd></div>\n");
}

static void put_window(FILE *out, const struct snapshot *snapshot)
{
	char begin[PAGE_TEXT_BYTES], end[PAGE_TEXT_BYTES], length[PAGE_TEXT_BYTES];

	put_term(out, SAFE_TEXT("Window"));
	page_text_length(length, snapshot->window_s * 1e9);
	safe_print(out, "<b>%s</b> ", sanitize_checked(length));
	if (snapshot->is_replay)
		safe_print(out, "<span>%.1f \u2013 %.1f s of the recording</span>",
			   seconds_of(snapshot, begin_of(snapshot)),
			   seconds_of(snapshot, snapshot->time_ns));
	else
		safe_print(out, "<span>%s \u2013 %s</span>",
			   sanitize_checked(page_text_time(begin, snapshot, begin_of(snapshot),
							   true)),
			   sanitize_checked(page_text_time(end, snapshot, snapshot->time_ns,
							   false)));
	end_term(out);
}

static void put_samples(FILE *out, const struct snapshot *snapshot)
{
	char text[PAGE_TEXT_BYTES];

	put_term(out, SAFE_TEXT("Samples"));
	safe_print(out, "<b>%s</b>", sanitize_checked(page_text_count(text, snapshot->samples)));
	if (snapshot->samples_per_s >= 0)
		safe_print(out, " <span>%s a second</span>",
			   sanitize_checked(page_text_count(text, (uint64_t)
							      (snapshot->samples_per_s + 0.5))));
	if (snapshot->idle_samples)
		safe_print(out, " <span>%s of them idle</span>",
			   sanitize_checked(page_text_count(text, snapshot->idle_samples)));
	end_term(out);
	if (snapshot->is_of_waits || snapshot->is_hit_time) {
		put_term(out, SAFE_TEXT("Time"));
		page_text_length(text, snapshot->weight);
		safe_print(out, "<b>%s</b> <span>%s</span>", sanitize_checked(text),
			   snapshot->is_hit_time ? SAFE_TEXT("")
			   : snapshot->is_wall	 ? SAFE_TEXT("on and off CPU")
						 : SAFE_TEXT("off CPU"));
		end_term(out);
	}
}

static void put_weight(FILE *out, const struct snapshot *snapshot)
{
	if (!snapshot->hit_weight || !snapshot->hit_weight[0])
		return;
	put_term(out, SAFE_TEXT("Weight of a hit"));
	safe_put_xml(out, sanitize_checked(snapshot->hit_weight));
	end_term(out);
}

static void put_busy(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->busy_pct < 0)
		return;
	put_term(out, SAFE_TEXT("Busy"));
	safe_print(out, "<b>%.0f %%</b> <span>of all CPUs</span>", snapshot->busy_pct);
	end_term(out);
}

static void put_stacks(FILE *out, const struct snapshot *snapshot)
{
	const double complete_pct = snapshot_complete_pct(snapshot);
	char text[PAGE_TEXT_BYTES];

	put_term(out, SAFE_TEXT("Stacks"));
	if (snapshot->stacks == STACKS_OFF)
		safe_put(out, "none: callers are unknown");
	else if (complete_pct >= 0)
		safe_print(out, "<b>%.0f %%</b> <span>of user stacks are complete</span>",
			   complete_pct);
	else
		safe_print(out, "<span>%s; how many are complete is not known</span>",
			   snapshot->is_replay ? SAFE_TEXT("as they were recorded")
					       : SAFE_TEXT("by frame pointers"));
	if (snapshot->truncated_stacks)
		safe_print(out, " <span>%s cut short</span>",
			   sanitize_checked(page_text_count(text, snapshot->truncated_stacks)));
	end_term(out);
}

static void put_filter(FILE *out, const struct snapshot *snapshot, const struct filter *filter)
{
	char part[FILTER_PART_BYTES], text[12 * FILTER_PART_BYTES];
	char shown[PAGE_TEXT_BYTES], all[PAGE_TEXT_BYTES];

	if (!filter->count)
		return;
	put_term(out, SAFE_TEXT("Filter"));
	for (uint32_t i = 0; i < filter->count; i++) {
		filter_format_part(&filter->parts[i], part);
		safe_put_text(out, i ? SAFE_TEXT(", <code>") : SAFE_TEXT("<code>"));
		safe_put_xml(out, sanitize(text, sizeof(text), part, strlen(part)));
		safe_put(out, "</code>");
	}
	safe_print(out, " <span>%s of %s samples%s</span>",
		   sanitize_checked(page_text_count(shown, snapshot->shown_samples)),
		   sanitize_checked(page_text_count(all, snapshot->samples -
							   snapshot->idle_samples)),
		   snapshot->is_relative ? SAFE_TEXT(", these are 100 %") : SAFE_TEXT(""));
	end_term(out);
}

static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;
	char length[PAGE_TEXT_BYTES], begin[PAGE_TEXT_BYTES], end[PAGE_TEXT_BYTES];

	if (!snapshot->is_compared)
		return;
	put_term(out, SAFE_TEXT("Compared with A"));
	page_text_length(length, baseline->window_s * 1e9);
	safe_print(out, "<b>%s</b> <span>", sanitize_checked(length));
	if (baseline->label && baseline->label[0])
		safe_put_xml(out, sanitize_checked(baseline->label));
	else
		safe_print(out, "%s \u2013 %s",
			   sanitize_checked(page_text_time(begin, snapshot, baseline->begin_ns,
							     true)),
			   sanitize_checked(page_text_time(end, snapshot, baseline->end_ns,
							     false)));
	safe_print(out, "</span> <span>%s samples</span>",
		   sanitize_checked(page_text_count(length, baseline->samples)));
	end_term(out);
}

static void put_loss(FILE *out, const struct loss_description *what, const struct loss_count *count)
{
	const uint64_t lost = count->has_window ? count->in_window : count->since_start;
	char text[PAGE_TEXT_BYTES];

	safe_print(out, " <span%s title=\"", what->is_missing && !what->is_meant
			? SAFE_TEXT(" class=\"loss\"") : SAFE_TEXT(""));
	safe_put_xml(out, sanitize_checked(what->meaning));
	if (what->remedy[0]) {
		safe_put(out, "; remedy: ");
		safe_put_xml(out, sanitize_checked(what->remedy));
	}
	safe_print(out, "\">%s %s", sanitize_checked(what->title),
		   sanitize_checked(what->is_time ? page_text_length(text, (double)lost)
						  : page_text_count(text, lost)));
	safe_put_text(out, count->has_window ? SAFE_TEXT("</span>")
					     : SAFE_TEXT(" since the start</span>"));
}

/* Writes causes that have counted something in the window; or since the start, if that is all that
 * is known. */
static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	uint32_t shown = 0;

	put_term(out, SAFE_TEXT("Losses"));
	for (size_t cause = 0; snapshot->losses.is_set && cause < LOSS_CAUSES; cause++) {
		const struct loss_count *count = &snapshot->losses.counts[cause];
		const uint64_t lost = count->has_window	 ? count->in_window
				      : count->has_start ? count->since_start : 0;

		if (!lost || loss_descriptions[cause].is_part)
			continue;
		put_loss(out, &loss_descriptions[cause], count);
		shown++;
	}
	if (!shown)
		safe_put_text(out, snapshot->losses.is_set ? SAFE_TEXT("none")
							   : SAFE_TEXT("not known"));
	end_term(out);
}

/* What a recording has cost is not known. */
static void put_cost(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->is_replay)
		return;
	put_term(out, SAFE_TEXT("Cost of flametop"));
	safe_print(out, "<b>%.1f %%</b> <span>of a CPU</span> <span>%.0f MiB</span>",
		   snapshot->own_cpu_pct, (double)snapshot->own_rss_bytes / (1 << 20));
	end_term(out);
}

/* Writes what is of one event. */
static void put_event_facts(FILE *out, const struct snapshot *snapshot,
			    const struct export_options *print)
{
	put_samples(out, snapshot);
	put_weight(out, snapshot);
	put_filter(out, snapshot, &print->filter);
	put_baseline(out, snapshot);
	put_stacks(out, snapshot);
}

/* Writes @lines, a paragraph each. */
static void put_notice(FILE *out, const char *lines)
{
	char line[LINE_BYTES];

	while (*lines) {
		const size_t length = strcspn(lines, "\n");

		safe_put(out, "<p class=\"notice\">");
		safe_put_xml(out, sanitize(line, sizeof(line), lines, length));
		safe_put(out, "</p>\n");
		lines += length + (lines[length] == '\n');
	}
}

static void put_command(FILE *out, const char *command)
{
	char *text;
	size_t bytes;

	if (!command[0])
		return;
	bytes = 12 * strlen(command) + 1;	/* the worst: "<U+NNNN>" for a byte */
	text = malloc(bytes);
	if (!text)
		return;
	safe_put(out, "<div class=\"command\"><code id=\"command\" tabindex=\"0\">");
	safe_put_xml(out, sanitize(text, bytes, command, strlen(command)));
	safe_put(out, "</code><button type=\"button\" id=\"copy\">Copy</button>"
		      "<span id=\"copied\" role=\"status\"></span></div>\n");
	free(text);
}

static void put_facts(FILE *out, const struct snapshot *snapshot,
		      const struct export_options *print, const char *command)
{
	safe_put(out, "<header>\n<h1>");
	safe_put_xml(out, sanitize_checked(snapshot->host));
	safe_put(out, " <small>");
	put_title(out, snapshot);
	safe_put(out, "</small></h1>\n<dl>\n");
	put_window(out, snapshot);
	put_busy(out, snapshot);
	put_event_facts(out, snapshot, print);
	put_losses(out, snapshot);
	put_cost(out, snapshot);
	safe_put(out, "</dl>\n");
	put_notice(out, snapshot->notice);
	put_command(out, command);
	safe_put(out, "</header>\n");
}

/* The activity graph: the points in the window and some before and after it. */

/* The points that are shown: those with a value in first..end, and times as parts of them. */
struct stretch {
	const struct snapshot *snapshot;
	uint32_t first, end;
	double step_ns, begin_ns, end_ns;
	float most;		/* value at the upper edge */
};

static double max_of(double a, double b)
{
	return a > b ? a : b;
}

static double min_of(double a, double b)
{
	return a < b ? a : b;
}

static uint32_t point_at(const struct stretch *stretch, double ns)
{
	const struct snapshot *snapshot = stretch->snapshot;
	const double oldest = (double)snapshot->activity_end_ns -
			      stretch->step_ns * snapshot->activity_count;
	const double point = (ns - oldest) / stretch->step_ns;

	return point <= 0 ? 0
	       : point >= snapshot->activity_count ? snapshot->activity_count : (uint32_t)point;
}

/* False: there is nothing to show. */
static bool choose(struct stretch *out, const struct snapshot *snapshot)
{
	const double end_ns = (double)snapshot->time_ns, length_ns = snapshot->window_s * 1e9;
	const double context_ns = max_of(CONTEXT_S * 1e9, length_ns / 2);

	*out = (struct stretch){ .snapshot = snapshot, .step_ns = snapshot->activity_step_s * 1e9 };
	if (!snapshot->activity_count || out->step_ns <= 0)
		return false;
	out->first = point_at(out, end_ns - length_ns - context_ns);
	out->end = point_at(out, end_ns + context_ns + out->step_ns);
	while (out->first < out->end && snapshot->activity[out->first] < 0)
		out->first++;
	while (out->first < out->end && snapshot->activity[out->end - 1] < 0)
		out->end--;
	for (uint32_t i = out->first; i < out->end; i++)
		out->most = snapshot->activity[i] > out->most ? snapshot->activity[i] : out->most;
	if (snapshot->activity_kind == ACTIVITY_BUSY)
		out->most = 100;
	out->end_ns = (double)snapshot->activity_end_ns -
		      out->step_ns * (snapshot->activity_count - out->end);
	out->begin_ns = out->end_ns - out->step_ns * (out->end - out->first);
	return out->first < out->end && out->most > 0;
}

/* Returns the place of a time, in % of the width. */
static double place_pct(const struct stretch *stretch, double ns)
{
	const double pct = 100 * (ns - stretch->begin_ns) / (stretch->end_ns - stretch->begin_ns);

	return min_of(max_of(pct, 0), 100);
}

/* Writes the steps of the points as one area. */
static void put_steps(FILE *out, const struct stretch *stretch)
{
	bool is_open = false;

	safe_print(out, "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %" PRIu32
		   " %d\" preserveAspectRatio=\"none\"><path class=\"load\" d=\"", PLOT_HEIGHT,
		   stretch->end - stretch->first, TOP);
	for (uint32_t i = stretch->first; i < stretch->end; i++) {
		const float value = stretch->snapshot->activity[i];
		const bool is_known = value >= 0;

		if (is_open && !is_known)
			safe_print(out, "V%dZ", TOP);
		else if (is_known && !is_open)
			safe_print(out, "M%" PRIu32 " %d", i - stretch->first, TOP);
		if (is_known)
			safe_print(out, "V%.1fh1", TOP - TOP * (double)(value / stretch->most));
		is_open = is_known;
	}
	safe_print(out, "%s\"/></svg>\n", is_open ? SAFE_TEXT("V100Z") : SAFE_TEXT(""));
}

/* Fades what is not in the window. */
static void put_edges(FILE *out, const struct stretch *stretch, double from_ns, double to_ns)
{
	const double from = place_pct(stretch, from_ns), to = place_pct(stretch, to_ns);

	safe_print(out, "<rect class=\"outside\" width=\"%.3f%%\" height=\"%d\"/>"
		   "<rect class=\"outside\" x=\"%.3f%%\" width=\"%.3f%%\" height=\"%d\"/>\n", from,
		   PLOT_HEIGHT, to, 100 - to, PLOT_HEIGHT);
	safe_print(out, "<line class=\"edge\" x1=\"%.3f%%\" x2=\"%.3f%%\" y2=\"%d\"/>"
		   "<line class=\"edge\" x1=\"%.3f%%\" x2=\"%.3f%%\" y2=\"%d\"/>\n", from, from,
		   PLOT_HEIGHT, to, to, PLOT_HEIGHT);
}

static double step_of_labels(double length_ns)
{
	static const int seconds[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600 };
	size_t i = 0;

	while (i < sizeof(seconds) / sizeof(seconds[0]) - 1 &&
	       seconds[i] * 1e9 * MOST_LABELS < length_ns)
		i++;
	return max_of(seconds[i] * 1e9, length_ns / MOST_LABELS);
}

/* Writes round times: of the clock, or from the start of the recording. */
static void put_labels(FILE *out, const struct stretch *stretch)
{
	const struct snapshot *snapshot = stretch->snapshot;
	const uint64_t step = (uint64_t)step_of_labels(stretch->end_ns - stretch->begin_ns);
	const uint64_t begin = stretch->begin_ns > 0 ? (uint64_t)stretch->begin_ns : 0;
	const uint64_t offset = snapshot->is_replay ? 0 - snapshot->known_ns
						    : clock_wall_offset_ns();
	const uint64_t first = snapshot->is_replay && begin < snapshot->known_ns
					? snapshot->known_ns : begin;
	uint64_t at = first + (step - (first + offset) % step) % step;
	char text[PAGE_TEXT_BYTES];

	for (; (double)at <= stretch->end_ns; at += step) {
		const double place = place_pct(stretch, (double)at);

		/* To the next second: wall clocks are read anew. */
		page_text_time(text, snapshot, at + CLOCK_NS_PER_MS, false);
		safe_print(out, "<line class=\"tick\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" "
			   "y2=\"%d\"/><text class=\"%s\" x=\"%.3f%%\" y=\"%d\">%s</text>\n",
			   place, place, PLOT_HEIGHT, PLOT_HEIGHT + 4,
			   place < 5 ? SAFE_TEXT("first") : place > 95 ? SAFE_TEXT("last")
								      : SAFE_TEXT("time"),
			   place, PLOT_HEIGHT + 16, sanitize_checked(text));
	}
}

/* The steps are in an element that is stretched to the width of the page; the labels, which must
 * not be, are beside it, and their places are percentages. */
static void put_activity(FILE *out, const struct snapshot *snapshot)
{
	const double end_ns = (double)snapshot->time_ns;
	struct stretch stretch;

	if (!choose(&stretch, snapshot))
		return;
	safe_put(out, "<section aria-label=\"Activity\">\n<h2>Activity <small>");
	if (snapshot->activity_kind == ACTIVITY_BUSY)
		safe_put(out, "busy % of all CPUs");
	else
		safe_print(out, "samples a second, up to %.0f", (double)stretch.most);
	safe_print(out, "; pale: outside the window</small></h2>\n"
		   "<svg class=\"activity\" width=\"100%%\" height=\"%d\" role=\"img\" "
		   "aria-label=\"Activity in and around the window\">\n",
		   PLOT_HEIGHT + 20);
	put_steps(out, &stretch);
	put_edges(out, &stretch, end_ns - snapshot->window_s * 1e9, end_ns);
	safe_print(out, "<line class=\"base\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n", PLOT_HEIGHT,
		   PLOT_HEIGHT);
	put_labels(out, &stretch);
	safe_put(out, "</svg>\n</section>\n");
}

/* The page. */

/* Writes as many frames, the widest, as there is room for if the page has @parts graphs. */
static int put_flame_graph(FILE *out, const struct snapshot *snapshot, uint32_t parts)
{
	const size_t room = FRAME_BYTES / parts;
	uint32_t frames = MOST_FRAMES / parts;
	size_t bytes = room;
	int err = 0;

	do {
		char *text = NULL;
		FILE *stream = open_memstream(&text, &bytes);

		if (!stream)
			return -ENOMEM;
		err = flame_svg_write_part(stream, snapshot, frames);
		if (fclose(stream) && !err)
			err = -ENOMEM;
		free(text);
		if (bytes > room)
			frames = (uint32_t)((double)frames * 0.9 * (double)room / (double)bytes);
	} while (!err && bytes > room && frames);
	return err ? err : flame_svg_write_part(out, snapshot, frames);
}

/* Writes an event. The first's title and facts are those of the page. */
static int put_event(FILE *out, const struct snapshot *snapshot,
		     const struct export_options *print, bool is_first, uint32_t parts)
{
	int err;

	safe_put(out, "<article>\n");
	if (!is_first) {
		safe_put(out, "<h1>");
		put_title(out, snapshot);
		safe_put(out, "</h1>\n<dl>\n");
		put_event_facts(out, snapshot, print);
		safe_put(out, "</dl>\n");
	}
	err = page_table_write(out, snapshot, print, parts);
	safe_put(out, "<section class=\"flame\" aria-label=\"Flame graph\">\n"
		      "<h2>Flame graph</h2>\n");
	if (!err)
		err = put_flame_graph(out, snapshot, parts);
	safe_put(out, "</section>\n</article>\n");
	return err;
}

int page_write(FILE *out, const struct snapshot *snapshot, const struct export_options *print,
	       const char *command)
{
	const struct snapshot *event = snapshot;
	uint32_t parts = 0;
	int err = put_head(out, snapshot);

	for (; event; event = event->next_event)
		parts++;
	safe_put(out, "<body>\n");
	put_facts(out, snapshot, print, command);
	safe_put(out, "<main>\n");
	put_activity(out, snapshot);
	for (event = snapshot; event && !err; event = event->next_event)
		err = put_event(out, event, print, event == snapshot, parts);
	safe_put(out, "</main>\n<script>");
	write_script(out, snapshot);
	safe_put(out, "</script>\n</body>\n</html>\n");
	return err;
}
