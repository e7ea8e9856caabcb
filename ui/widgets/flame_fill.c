/* flame_fill.c - see flame_fill.h.
 *
 * A DSO's colour follows from its name, so that it is the same in every refresh and every run. Two
 * may share one: the legend names the DSOs with most self samples.
 */
#include "flame_fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "change.h"
#include "flame_layout.h"
#include "fold/filter.h"
#include "symbol_fold.h"

#define DSOS_MAX 64		/* candidates for the legend */
#define CHIPS_MAX   8
#define CHIP_BYTES  80
#define CHIP_CELLS  18		/* width of a DSO's name */

struct chip {
	enum role role;
	char text[CHIP_BYTES];
};

struct chips {
	struct chip list[CHIPS_MAX];
	int count;
};

struct dso_weight {
	const char *name;
	double weight;
	enum role role;
};

enum flame_kind flame_kind_of(const struct tree_node *node)
{
	if (node->is_command)
		return FLAME_COMMAND;
	if (node->mode == MODE_KERNEL || node->mode == MODE_GUEST_KERNEL ||
	    node->mode == MODE_HYPERVISOR)
		return FLAME_KERNEL;
	if (node->state != SYMBOL_NAMED || node->is_synthetic)
		return FLAME_UNKNOWN;
	if (node->is_inlined)
		return FLAME_INLINED;
	return node->is_run_time ? FLAME_JIT : FLAME_USER;
}

const char *flame_kind_mark(enum flame_kind kind)
{
	static const char *const marks[FLAME_KIND_COUNT] = {
		[FLAME_COMMAND] = "", [FLAME_USER] = "", [FLAME_KERNEL] = "[k] ",
		[FLAME_JIT] = "[j] ", [FLAME_INLINED] = "[i] ", [FLAME_UNKNOWN] = "",
	};

	return marks[kind];
}

static enum role role_of_kind(enum flame_kind kind)
{
	static const enum role roles[FLAME_KIND_COUNT] = {
		[FLAME_COMMAND] = ROLE_FILL_QUIET,
		[FLAME_USER] = ROLE_FILL_USER,	   [FLAME_KERNEL] = ROLE_FILL_KERNEL,
		[FLAME_JIT] = ROLE_FILL_JIT,	   [FLAME_INLINED] = ROLE_FILL_INLINED,
		[FLAME_UNKNOWN] = ROLE_FILL_UNKNOWN,
	};

	return roles[kind];
}

static enum role role_of_share(double pct)
{
	if (pct >= ROW_ROLE_HOT_PCT)
		return ROLE_FILL_HEAT;
	return pct >= ROW_ROLE_WARM_PCT ? ROLE_FILL_USER : ROLE_FILL_UNKNOWN;
}

static enum role role_of_dso(const struct tree_node *node)
{
	static const enum role roles[] = { ROLE_FILL_USER, ROLE_FILL_JIT, ROLE_FILL_INLINED,
					   ROLE_FILL_HEAT };

	if (flame_kind_of(node) == FLAME_KERNEL)
		return ROLE_FILL_KERNEL;
	return roles[filter_hash(node->dso) % (sizeof(roles) / sizeof(roles[0]))];
}

static enum role role_of_change(double points)
{
	if (fabs(points) < CHANGE_SEEN_POINTS)
		return ROLE_FILL_UNKNOWN;
	if (points > 0)
		return points < CHANGE_LARGE_POINTS ? ROLE_FILL_MORE : ROLE_FILL_MORE_LARGE;
	return points > -CHANGE_LARGE_POINTS ? ROLE_FILL_LESS : ROLE_FILL_LESS_LARGE;
}

const char *flame_fill_sign(const struct snapshot *snapshot, const struct tree_node *node)
{
	const double points = change_of_node(snapshot, node);

	if (fabs(points) < CHANGE_SEEN_POINTS)
		return "";
	return points > 0 ? "+ " : "- ";
}

enum role flame_fill_role(enum flame_fill fill, const struct snapshot *snapshot,
			  const struct tree_node *node, bool is_hottest)
{
	const double whole = snapshot->tree.weight;
	const double pct = whole > 0 ? 100 * node->now.total.weight / whole : 0;
	enum role role;

	if (fill == FLAME_BY_CHANGE)
		return role_of_change(change_of_node(snapshot, node));
	if (node->is_command)
		return ROLE_FILL_QUIET;
	role = fill == FLAME_BY_KIND	 ? role_of_kind(flame_kind_of(node))
			 : fill == FLAME_BY_SHARE ? role_of_share(pct)
						  : role_of_dso(node);

	return is_hottest ? (enum role)(role + 1) : role;
}

static void add_chip(struct chips *chips, enum role role, const char *mark, const char *text)
{
	struct chip *chip = &chips->list[chips->count++];

	chip->role = role;
	snprintf(chip->text, sizeof(chip->text), " %s%s ", mark, text);
}

static void list_kinds(const struct tree_node *nodes, uint32_t node_count, struct chips *chips)
{
	static const char *const names[FLAME_KIND_COUNT] = {
		[FLAME_USER] = "user", [FLAME_KERNEL] = "kernel", [FLAME_JIT] = "JIT",
		[FLAME_INLINED] = "inlined", [FLAME_UNKNOWN] = "no symbol",
	};
	bool is_there[FLAME_KIND_COUNT] = { false };

	for (uint32_t i = 0; i < node_count; i++)
		is_there[flame_kind_of(&nodes[i])] = true;
	for (int kind = FLAME_USER; kind < FLAME_KIND_COUNT; kind++)
		if (is_there[kind])
			add_chip(chips, role_of_kind((enum flame_kind)kind),
				 flame_kind_mark((enum flame_kind)kind), names[kind]);
}

static void count_dso(struct dso_weight *dsos, size_t *count,
		      const struct tree_node *node)
{
	size_t i = 0;

	while (i < *count && strcmp(dsos[i].name, node->dso))
		i++;
	if (i == DSOS_MAX)
		return;
	if (i == *count)
		dsos[(*count)++] = (struct dso_weight){ .name = node->dso,
							      .role = role_of_dso(node) };
	dsos[i].weight += node->now.self.weight;
}

static void list_dsos(const struct tree_node *nodes, uint32_t node_count, struct chips *chips)
{
	struct dso_weight dsos[DSOS_MAX];
	size_t count = 0;

	for (uint32_t i = 0; i < node_count; i++)
		if (!nodes[i].is_command)
			count_dso(dsos, &count, &nodes[i]);
	while (chips->count < CHIPS_MAX && count) {
		size_t most = 0;

		for (size_t i = 1; i < count; i++)
			if (dsos[i].weight > dsos[most].weight)
				most = i;
		add_chip(chips, dsos[most].role, "", dsos[most].name);
		dsos[most] = dsos[--count];
	}
}

static int chip_width(const struct canvas *canvas, const struct chip *chip)
{
	const int width = canvas_text_width(canvas, chip->text);

	return width < CHIP_CELLS ? width : CHIP_CELLS;
}

/* Drops the last ones until the rest fits, with a cell between two. */
static int fit_chips(const struct canvas *canvas, struct chips *chips, int room)
{
	int width = 0, count = 0;

	while (count < chips->count) {
		const int more = chip_width(canvas, &chips->list[count]) + (count > 0);

		if (width + more > room)
			break;
		width += more;
		count++;
	}
	chips->count = count;
	return width;
}

void flame_fill_put_legend(struct canvas *canvas, struct canvas_area area, enum flame_fill fill,
			   const struct snapshot *snapshot, uint32_t zoom)
{
	const struct call_tree *tree = &snapshot->tree;
	const struct tree_node *nodes = tree->nodes + (zoom == FLAME_NONE ? 0 : zoom);
	const uint32_t node_count = zoom == FLAME_NONE ? tree->node_count : nodes->size;
	struct chips chips = { .count = 0 };
	int width;

	if (fill == FLAME_BY_KIND) {
		list_kinds(nodes, node_count, &chips);
	} else if (fill == FLAME_BY_DSO) {
		list_dsos(nodes, node_count, &chips);
	} else if (fill == FLAME_BY_CHANGE) {
		add_chip(&chips, ROLE_FILL_MORE_LARGE, "", "+5");
		add_chip(&chips, ROLE_FILL_MORE, "", "+0.5");
		add_chip(&chips, ROLE_FILL_UNKNOWN, "", "as in A");
		add_chip(&chips, ROLE_FILL_LESS, "", "-0.5");
		add_chip(&chips, ROLE_FILL_LESS_LARGE, "", "-5 points");
	} else {
		add_chip(&chips, ROLE_FILL_HEAT, "", "5 % and more");
		add_chip(&chips, ROLE_FILL_USER, "", "0.5 %");
		add_chip(&chips, ROLE_FILL_UNKNOWN, "", "less");
	}
	width = fit_chips(canvas, &chips, area.width);
	area.x += area.width - width;
	for (int i = 0; i < chips.count; i++) {
		area.width = chip_width(canvas, &chips.list[i]);
		area.x += canvas_put_text(canvas, area, canvas_clean(chips.list[i].text),
					  chips.list[i].role) +
			  1;
	}
}
