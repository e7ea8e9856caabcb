/* flame_svg.c - see flame_svg.h.
 *
 * The graph is drawn twice. The file has it at a fixed width, with each name cut to its box, so
 * that a viewer without scripts shows all; the script then lays it out anew for the window's
 * width. Boxes are in preorder, so that the script finds callers and callees by depth (y) and
 * position alone; what it needs besides is the weight of each box. All texts are in the boxes'
 * titles.
 *
 *   head     what was sampled, how to read the widths, the command (a part: the second alone)
 *   legend   kinds of code, or changes
 *   frames   roots at the top; x and width in %, so that they follow the width of the window
 */
#include "flame_svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/safe_print.h"
#include "fold/filter.h"

#define WIDTH	      1200	/* without the script */
#define EDGE	      12	/* left and right of everything */
#define FRAME_PITCH   18	/* from a frame to its callee */
#define FRAME_HEIGHT  17
#define LINE_PITCH    18
#define CHIP_SIDE     11
#define NOTE_CHARS    170	/* a line of the head at WIDTH */
#define CODE_CHARS    150	/* a line of the command at WIDTH */
#define LETTER_WIDTH  6.7	/* a frame's name has these letters */
#define LABEL_EDGE    4
#define LABEL_LETTERS 3		/* narrower boxes get no name */
#define WIDE_BOX      5.0	/* from this width on a box has an outline */
#define SHADES	      5
#define NAME_BYTES    FLAME_SVG_NAME_BYTES
#define EVENT_BYTES   200	/* those of other events, too */
#define LINE_BYTES    4096
#define NUMBER_BYTES  40
#define LEAST_PCT     (100 * 0.1 / 1600)	/* 0.1 px on a wide screen */

enum kind { KIND_COMMAND, KIND_USER, KIND_KERNEL, KIND_JIT, KIND_INLINED, KIND_UNKNOWN, KINDS };

/* The letter is the class of its colours. */
static const struct {
	char letter;
	const char *word, *in_legend;
} kinds[KINDS] = {
	[KIND_COMMAND] = { 'c', "command", "command" },
	[KIND_USER] = { 'u', "user", "user" },
	[KIND_KERNEL] = { 'k', "kernel", "[k] kernel" },
	[KIND_JIT] = { 'j', "JIT", "[j] JIT" },
	[KIND_INLINED] = { 'i', "inlined", "[i] inlined" },
	[KIND_UNKNOWN] = { 'x', "no symbol", "no symbol" },
};

/* Changes of a share in percentage points, from the least of each colour on. */
static const struct {
	double points;
	const char *more, *less;	/* classes */
	const char *as_more, *as_less;	/* in the legend */
} changes[] = {
	{ 10, "m4", "l4", "+10", "\u221210 points" }, { 5, "m3", "l3", "+5", "\u22125" },
	{ 2, "m2", "l2", "+2", "\u22122" },	      { 0.5, "m1", "l1", "+0.5", "\u22120.5" },
};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

struct graph {
	const struct snapshot *snapshot;
	const struct call_tree *tree;
	const struct export_options *options;	/* NULL: a part, without head, style and script */
	const char *command;
	double *widths;		/* owned; by node, in % of the graph */
	uint32_t levels;	/* depth of the deepest drawn node, and 1 */
	uint32_t left_out;	/* nodes of the window that are not drawn */
	uint32_t gone;		/* nodes that only the baseline has */
	double least_pct;	/* narrower nodes are not drawn */
	uint32_t equal;		/* number of nodes as wide as that which are */
	bool has_kind[KINDS];
};

/* What is drawn. */

static enum kind kind_of(const struct tree_node *node)
{
	if (node->is_command)
		return KIND_COMMAND;
	if (node->mode == MODE_KERNEL || node->mode == MODE_GUEST_KERNEL ||
	    node->mode == MODE_HYPERVISOR)
		return KIND_KERNEL;
	if (node->state != SYMBOL_NAMED || node->is_synthetic)
		return KIND_UNKNOWN;
	if (node->is_inlined)
		return KIND_INLINED;
	return node->is_run_time ? KIND_JIT : KIND_USER;
}

static bool is_gone(const struct tree_node *node)
{
	return !node->now.total.samples && node->base.total.samples;
}

static int widest_first(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left < right) - (left > right);
}

/* Sums of values can be negative: a frame is at most as wide as its caller. */
static void measure(struct graph *graph)
{
	const struct call_tree *tree = graph->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const double most = node->depth ? graph->widths[node->parent] : 100;
		const double pct = tree->weight > 0 ? 100 * node->now.total.weight / tree->weight
						    : 0;

		graph->widths[i] = fmax(0, fmin(pct, most));
	}
}

/* Finds the width from which on nodes are drawn, at most @max_frames. No node is wider than its
 * caller, which comes before it, so the first of equal ones are a tree with the wider ones. */
static int choose(struct graph *graph, uint32_t max_frames)
{
	const uint32_t count = graph->tree->node_count;
	double *sorted;

	graph->least_pct = LEAST_PCT;
	graph->equal = count;
	if (count <= max_frames || !max_frames)
		return 0;
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, graph->widths, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), widest_first);
	if (sorted[max_frames] >= LEAST_PCT) {
		graph->least_pct = sorted[max_frames - 1];
		graph->equal = 0;
		while (graph->equal < max_frames &&
		       sorted[max_frames - 1 - graph->equal] == graph->least_pct)
			graph->equal++;
	}
	free(sorted);
	return 0;
}

/* Sets the widths of nodes that are not drawn to 0. */
static void leave_out(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->tree->node_count; i++) {
		const struct tree_node *node = &graph->tree->nodes[i];
		bool is_drawn = graph->widths[i] > graph->least_pct;

		if (graph->widths[i] == graph->least_pct && graph->equal) {
			graph->equal--;
			is_drawn = true;
		}
		if (is_drawn) {
			graph->levels = graph->levels > node->depth ? graph->levels
								    : node->depth + 1;
			graph->has_kind[kind_of(node)] = true;
			continue;
		}
		graph->widths[i] = 0;
		graph->gone += is_gone(node);
		graph->left_out += !is_gone(node);
	}
}

static int graph_init(struct graph *graph, const struct snapshot *snapshot, uint32_t max_frames)
{
	int err;

	*graph = (struct graph){ .snapshot = snapshot, .tree = &snapshot->tree };
	graph->widths = calloc(graph->tree->node_count + 1, sizeof(*graph->widths));
	if (!graph->widths)
		return -ENOMEM;
	measure(graph);
	err = choose(graph, max_frames);
	if (!err)
		leave_out(graph);
	return err;
}

static void graph_finish(struct graph *graph)
{
	free(graph->widths);
}

/* Texts. */

/* "1,234,567" */
static struct safe_text format_count(char out[NUMBER_BYTES], double count)
{
	char digits[NUMBER_BYTES];
	size_t length, at = 0;

	snprintf(digits, sizeof(digits), "%.0f", fmin(fabs(count), 1e18));
	length = strlen(digits);
	if (count <= -0.5)
		out[at++] = '-';
	for (size_t i = 0; i < length; i++) {
		out[at++] = digits[i];
		if (i + 1 < length && (length - i) % 3 == 1)
			out[at++] = ',';
	}
	out[at] = '\0';
	return sanitize_checked(out);
}

static struct safe_text format_time(char out[NUMBER_BYTES], double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (i < sizeof(units) / sizeof(units[0]) - 1 && fabs(ns) < units[i].ns)
		i++;
	snprintf(out, NUMBER_BYTES, "%.*f %s", units[i].ns > 1 ? 3 : 0, ns / units[i].ns,
		 units[i].unit);
	return sanitize_checked(out);
}

/* Writes @text, or its first @bytes or fewer and an ellipsis. */
static void put_cut(FILE *out, const char *text, size_t bytes)
{
	char part[LINE_BYTES];
	const size_t cap = bytes + 1 < sizeof(part) ? bytes + 1 : sizeof(part);

	safe_put_xml(out, sanitize(part, cap, text, strlen(text)));
	if (strlen(text) >= cap)
		safe_put(out, "\u2026");
}

void flame_svg_write_name(FILE *out, const char *name)
{
	put_cut(out, name, NAME_BYTES);
}

/* While names are being read all code of a DSO is one frame. */
static const char *name_of(const struct tree_node *node)
{
	const bool has_name = node->symbol[0] && (node->state != SYMBOL_UNKNOWN || node->address ||
						  node->is_command);

	return has_name ? node->symbol : node->dso;
}

static const char *mark_of(const struct graph *graph, const struct tree_node *node)
{
	static const char *const marks[KINDS] = {
		[KIND_KERNEL] = "[k] ", [KIND_JIT] = "[j] ", [KIND_INLINED] = "[i] ",
	};
	const enum kind kind = kind_of(node);
	const enum kind above = node->depth ? kind_of(&graph->tree->nodes[node->parent])
					    : KIND_COMMAND;

	return kind != above && marks[kind] ? marks[kind] : "";
}

static double change_of(const struct graph *graph, const struct tree_node *node)
{
	return snapshot_pct(graph->snapshot, node->now.total.weight) -
	       row_changes_base_pct(graph->snapshot, node->base.total.weight);
}

/* Returns the sign that says without a colour what the colour says. */
static const char *sign_of(const struct graph *graph, const struct tree_node *node)
{
	const double points = graph->snapshot->is_compared ? change_of(graph, node) : 0;

	if (fabs(points) < changes[CHANGES - 1].points)
		return "";
	return points > 0 ? "+ " : "\u2212 ";
}

/* Frames. */

static void put_class(FILE *out, const struct graph *graph, const struct tree_node *node)
{
	const double points = graph->snapshot->is_compared ? change_of(graph, node) : 0;
	size_t i = 0;

	if (!graph->snapshot->is_compared) {
		safe_print(out, "%c%d", kinds[kind_of(node)].letter,
			   (int)(filter_hash(name_of(node)) % SHADES));
		return;
	}
	while (i < CHANGES && fabs(points) < changes[i].points)
		i++;
	if (i == CHANGES)
		safe_put(out, "z0");
	else
		safe_put_text(out, sanitize_checked(points > 0 ? changes[i].more
							       : changes[i].less));
}

static void put_change(FILE *out, const struct graph *graph, const struct tree_node *node)
{
	if (!graph->snapshot->is_compared)
		return;
	if (!node->base.total.samples)
		safe_put(out, " \u00b7 new");
	else
		safe_print(out, " \u00b7 %+.2f points from %.2f %%", change_of(graph, node),
			   row_changes_base_pct(graph->snapshot, node->base.total.weight));
}

/* Writes a line each: name; DSO and kind; numbers. */
static void put_title(FILE *out, const struct graph *graph, const struct tree_node *node)
{
	const struct snapshot *snapshot = graph->snapshot;
	char number[NUMBER_BYTES];

	safe_put(out, "<title>");
	put_cut(out, name_of(node), NAME_BYTES);
	safe_put(out, "\n");
	if (!node->is_command) {
		put_cut(out, node->dso, NAME_BYTES);
		safe_put(out, " \u00b7 ");
	}
	safe_print(out, "%s\n%.2f %%", sanitize_checked(kinds[kind_of(node)].word),
		   snapshot_pct(snapshot, node->now.total.weight));
	put_change(out, graph, node);
	safe_print(out, " \u00b7 self %.2f %%",
		   snapshot_pct(snapshot, node->now.self.weight));
	if (snapshot->is_of_waits || snapshot->is_hit_time)
		safe_print(out, " \u00b7 %s", format_time(number, node->now.total.weight));
	else if (snapshot_is_by_weight(snapshot))
		safe_print(out, " \u00b7 sum %s", format_count(number, node->now.total.weight));
	safe_print(out, " \u00b7 %s sample%s",
		   format_count(number, (double)node->now.total.samples),
		   node->now.total.samples == 1 ? SAFE_TEXT("") : SAFE_TEXT("s"));
	safe_put(out, "</title>");
}

static int columns_of(unsigned char lead)
{
	return lead >= 0xe3 ? 2 : 1;	/* from U+3000 on most are wide */
}

/* Writes the part of the label that a box of @pixels has room for. */
static void put_label(FILE *out, const struct graph *graph, const struct tree_node *node,
		      double x_pct, double pixels)
{
	const char *parts[] = { sign_of(graph, node), mark_of(graph, node), name_of(node) };
	const int room = (int)((pixels - 2 * LABEL_EDGE) / LETTER_WIDTH);
	char label[NAME_BYTES + 16];
	size_t bytes = 0, fits = 0;
	int columns = 0;

	if (room < LABEL_LETTERS)
		return;
	snprintf(label, sizeof(label), "%s%s%.*s", parts[0], parts[1], NAME_BYTES, parts[2]);
	for (; label[bytes] && columns <= room; bytes++) {
		if (((unsigned char)label[bytes] & 0xc0) == 0x80)
			continue;
		if (columns < room)
			fits = bytes;
		columns += columns_of((unsigned char)label[bytes]);
	}
	if (columns <= room)
		fits = strlen(label);
	safe_print(out, "<text x=\"%.4f%%\" y=\"%u\" dx=\"%d\">", x_pct,
		   node->depth * FRAME_PITCH + FRAME_HEIGHT - 5, LABEL_EDGE);
	put_cut(out, label, fits);
	safe_put(out, "</text>");
}

static void put_frame(FILE *out, const struct graph *graph, uint32_t index, double x_pct)
{
	const struct tree_node *node = &graph->tree->nodes[index];
	const double width_pct = graph->widths[index];
	const double pixels = width_pct / 100 * (WIDTH - 2 * EDGE);

	safe_put(out, "<g class=\"");
	put_class(out, graph, node);
	safe_print(out, "%s\" data-n=\"%.0f\">",
		   pixels >= WIDE_BOX ? SAFE_TEXT(" w") : SAFE_TEXT(""), node->now.total.weight);
	put_title(out, graph, node);
	safe_print(out, "<rect x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%d\"/>", x_pct,
		   node->depth * FRAME_PITCH, width_pct, FRAME_HEIGHT);
	put_label(out, graph, node, x_pct, pixels);
	safe_put(out, "</g>\n");
}

/* Callees begin where their caller does, each after the one before it. */
static int put_frames(FILE *out, const struct graph *graph)
{
	double *ends = calloc(graph->levels + 1, sizeof(*ends));	/* by depth */

	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->tree->node_count; i++) {
		const uint32_t depth = graph->tree->nodes[i].depth;

		if (!(graph->widths[i] > 0))
			continue;
		put_frame(out, graph, i, ends[depth]);
		ends[depth + 1] = ends[depth];
		ends[depth] += graph->widths[i];
	}
	free(ends);
	return 0;
}

/* Head and legend. */

/* Writes @text as a paragraph of lines. Each begins with its share of the text and ends with the
 * blank between them. */
static void put_lines(FILE *out, const char *class, const char *text, size_t chars, uint32_t *y)
{
	char line[LINE_BYTES];

	safe_print(out, "<text class=\"%s\">", sanitize_checked(class));
	do {
		size_t length = strlen(text);

		if (length > chars) {
			length = chars;
			while (length > chars / 2 && text[length - 1] != ' ')
				length--;
			while (length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80)
				length--;
		}
		*y += LINE_PITCH;
		safe_print(out, "<tspan x=\"%d\" y=\"%" PRIu32 "\">", EDGE, *y);
		safe_put_xml(out, sanitize(line, sizeof(line), text, length));
		safe_put(out, "</tspan>");
		text += length;
	} while (*text);
	safe_put(out, "</text>\n");
}

/* Returns the text after @count double blanks of @line, and ends @line before it. */
static char *split(char *line, int count)
{
	char *at = line;

	while (count-- && (at = strstr(at, "  ")) != NULL)
		while (*at == ' ')
			at++;
	if (!at)
		return line + strlen(line);
	at[-2] = '\0';
	return at;
}

/* Puts a dot where two or more blanks separate what @line says. */
static void separate(char out[LINE_BYTES], const char *line)
{
	size_t used = 0;

	while (*line && used + 8 < LINE_BYTES) {
		if (line[0] == ' ' && line[1] == ' ') {
			while (*line == ' ')
				line++;
			used += (size_t)sprintf(out + used, " \u00b7 ");
		} else {
			out[used++] = *line++;
		}
	}
	out[used] = '\0';
}

static void put_note(FILE *out, char *line, uint32_t *y)
{
	char note[LINE_BYTES];
	char *chance = strstr(line, "  (~");	/* explains what only tables have */

	if (chance)
		*chance = '\0';
	separate(note, line);
	put_lines(out, "note", note, NOTE_CHARS, y);
}

/* @line: "flametop  HOST  EVENT 997 Hz  TARGET  last 10.0 s  ..." */
static void put_first_line(FILE *out, char *line, uint32_t *y)
{
	char title[LINE_BYTES];
	char *stats = split(line, 4), *after_name = strstr(line, "  ");

	separate(title, after_name ? after_name + 2 : line);
	put_lines(out, "what", title, NOTE_CHARS / 2, y);
	put_note(out, stats, y);
}

/* When a live window was; a recording's clock is its own. */
static void put_time(FILE *out, const struct snapshot *snapshot, uint32_t *y)
{
	const uint64_t offset_ns = clock_wall_offset_ns();
	const time_t end = (time_t)((snapshot->time_ns + offset_ns) / 1000000000);
	const time_t begin = (time_t)((snapshot->begin_ns + offset_ns) / 1000000000);
	char text[160], from[64], to[64];
	struct tm parts;

	if (snapshot->is_replay || !snapshot->begin_ns || !localtime_r(&begin, &parts) ||
	    !strftime(from, sizeof(from), "%Y-%m-%d %H:%M:%S", &parts) ||
	    !localtime_r(&end, &parts) || !strftime(to, sizeof(to), "%H:%M:%S %z", &parts))
		return;
	snprintf(text, sizeof(text), "%s to %s", from, to);
	put_note(out, text, y);
}

static const char *width_word(const struct snapshot *snapshot)
{
	if (snapshot->is_of_waits)
		return "time off CPU";
	if (snapshot->is_hit_time)
		return "latency";
	return snapshot_is_by_weight(snapshot) ? snapshot->hit_weight : "samples";
}

static void put_command(FILE *out, const char *command, uint32_t *y)
{
	char *line;

	if (!command[0] || asprintf(&line, "$ %s", command) < 0)
		return;
	put_lines(out, "code", line, CODE_CHARS, y);
	free(line);
}

/* Writes what the head of the text says. */
static int put_what(FILE *out, const struct snapshot *snapshot,
		    const struct export_options *options, uint32_t *y)
{
	char *text = NULL, *line, *next;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	if (!stream)
		return -ENOMEM;
	text_put_head(stream, snapshot, options);
	if (fclose(stream)) {
		free(text);
		return -ENOMEM;
	}
	for (line = text; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (line == text)
			put_first_line(out, line + strspn(line, "# "), y);
		else
			put_note(out, line + strspn(line, "# "), y);
	}
	put_time(out, snapshot, y);
	free(text);
	return 0;
}

static void put_chip(FILE *out, const char *class, const char *word, uint32_t *x, uint32_t y)
{
	uint32_t letters = 0;

	safe_print(out, "<g class=\"chip %s\"><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" "
		   "rx=\"2\"/><text x=\"%u\" y=\"%u\">",
		   sanitize_checked(class), *x, y - CHIP_SIDE + 1, CHIP_SIDE, CHIP_SIDE,
		   *x + CHIP_SIDE + 5, y);
	safe_put_xml(out, sanitize_checked(word));
	safe_put(out, "</text></g>\n");
	for (const char *at = word; *at; at++)
		letters += ((unsigned char)*at & 0xc0) != 0x80;
	*x += CHIP_SIDE + 24 + letters * 7;
}

static void put_legend(FILE *out, const struct graph *graph, uint32_t *y)
{
	uint32_t x = EDGE;

	*y += LINE_PITCH + 4;
	safe_put(out, "<g class=\"legend\">\n");
	for (int i = 0; graph->snapshot->is_compared && i < (int)CHANGES; i++)
		put_chip(out, changes[i].more, changes[i].as_more, &x, *y);
	if (graph->snapshot->is_compared)
		put_chip(out, "z0", "as in A", &x, *y);
	for (int i = (int)CHANGES - 1; graph->snapshot->is_compared && i >= 0; i--)
		put_chip(out, changes[i].less, changes[i].as_less, &x, *y);
	for (int i = 0; !graph->snapshot->is_compared && i < KINDS; i++)
		if (graph->has_kind[i])
			put_chip(out, (char[]){ kinds[i].letter, '0', '\0' },
				 kinds[i].in_legend, &x, *y);
	safe_put(out, "</g>\n");
}

/* Appends the names of the events that are in the same window. */
static void add_other_events(char text[LINE_BYTES], const struct snapshot *snapshot)
{
	const char *before = " Not in this file: ";
	size_t used = strlen(text);

	while ((snapshot = snapshot->next_event) && used + EVENT_BYTES + 20 < LINE_BYTES) {
		used += (size_t)snprintf(text + used, LINE_BYTES - used, "%s%.*s", before,
					 EVENT_BYTES, snapshot->event);
		before = ", ";
	}
}

/* Writes how the widths are to be read, and what is not drawn. */
static void put_width_note(FILE *out, const struct graph *graph, uint32_t *y)
{
	char count[NUMBER_BYTES], all[NUMBER_BYTES], text[LINE_BYTES];
	size_t used = (size_t)snprintf(text, sizeof(text), "Width: share of %.*s.", EVENT_BYTES,
				       width_word(graph->snapshot));

	format_count(all, graph->tree->node_count - graph->gone);
	if (graph->left_out)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 " Not drawn: %s of %s frames, each at most %.3g %% of the "
					 "width.", format_count(count, graph->left_out).chars, all,
					 graph->least_pct);
	if (graph->gone)
		snprintf(text + used, sizeof(text) - used,
			 " Only in A, and not drawn: %s frame%s.",
			 format_count(count, graph->gone).chars, graph->gone == 1 ? "" : "s");
	if (graph->options)	/* a page has them all */
		add_other_events(text, graph->snapshot);
	put_lines(out, "note", text, NOTE_CHARS, y);
}

/* The whole graph. */

/* Files of this folder; the Makefile makes a string of each. */
extern const char flame_svg_css_in[], flame_svg_js_in[];

void flame_svg_write_own(FILE *out, const char *text)
{
	char line[LINE_BYTES];

	while (*text) {
		size_t length;

		text += strspn(text, "\t");
		length = strcspn(text, "\n");
		if (length && strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0) {
			safe_put_text(out, sanitize(line, sizeof(line), text, length));
			safe_put(out, "\n");
		}
		text += length + (text[length] == '\n');
	}
}

void flame_svg_write_style(FILE *out)
{
	flame_svg_write_own(out, flame_svg_css_in);
}

void flame_svg_write_script(FILE *out)
{
	flame_svg_write_own(out, flame_svg_js_in);
}

/* Writes what stands above the frames. *@y: the last line's. */
static int put_above(FILE *out, const struct graph *graph, uint32_t *y)
{
	int err;

	safe_put(out, "<g class=\"head\">\n");
	err = graph->options ? put_what(out, graph->snapshot, graph->options, y) : 0;
	put_width_note(out, graph, y);
	if (graph->options)
		put_command(out, graph->command, y);
	safe_put(out, "</g>\n");
	put_legend(out, graph, y);
	return err;
}

/* Finds where the frames begin: writes what stands above them for its height alone. */
static int find_top(const struct graph *graph, uint32_t *y)
{
	char *text = NULL;
	size_t bytes;
	FILE *nowhere = open_memstream(&text, &bytes);
	int err;

	if (!nowhere)
		return -ENOMEM;
	err = put_above(nowhere, graph, y);
	if (fclose(nowhere) && !err)
		err = -ENOMEM;
	free(text);
	return err;
}

static int put_graph(FILE *out, const struct graph *graph)
{
	const uint32_t begin = graph->options ? EDGE - 4 : 0;
	uint32_t top = begin, y = begin, height;
	int err = find_top(graph, &top);

	if (err)
		return err;
	top += LINE_PITCH - 6;
	height = top + (graph->levels ? graph->levels : 1) * FRAME_PITCH + EDGE;
	safe_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame-graph\" "
		   "width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32 "\" "
		   "data-whole=\"%.0f\">\n", WIDTH, height, WIDTH, height, graph->tree->weight);
	if (graph->options) {
		safe_put(out, "<style><![CDATA[\n");
		flame_svg_write_style(out);
		safe_put(out, "]]></style>\n"
			      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	}
	err = put_above(out, graph, &y);
	safe_print(out, "<svg class=\"frames\" x=\"%d\" y=\"%" PRIu32
		   "\" width=\"%d\" height=\"%" PRIu32 "\">\n", EDGE, top, WIDTH - 2 * EDGE,
		   (graph->levels ? graph->levels : 1) * FRAME_PITCH);
	if (!graph->levels)
		safe_print(out, "<text x=\"0\" y=\"%d\">No samples in this window</text>\n",
			   FRAME_HEIGHT - 5);
	else if (!err)
		err = put_frames(out, graph);
	safe_put(out, "</svg>\n");
	if (graph->options) {
		safe_put(out, "<script><![CDATA[\n");
		flame_svg_write_script(out);
		safe_put(out, "]]></script>\n");
	}
	safe_put(out, "</svg>\n");
	return err;
}

int flame_svg_write(FILE *out, const struct snapshot *snapshot,
		    const struct export_options *options, const char *command)
{
	struct graph graph;
	int err = graph_init(&graph, snapshot, FLAME_SVG_FRAMES);

	graph.options = options;
	graph.command = command;
	if (!err) {
		safe_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		err = put_graph(out, &graph);
	}
	graph_finish(&graph);
	return err;
}

int flame_svg_write_part(FILE *out, const struct snapshot *snapshot, uint32_t max_frames)
{
	struct graph graph;
	int err = graph_init(&graph, snapshot, max_frames);

	if (!err)
		err = put_graph(out, &graph);
	graph_finish(&graph);
	return err;
}
