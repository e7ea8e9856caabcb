/* tree_lines.c - see tree_lines.h. */
#include "tree_lines.h"

static struct tree_lines *lines_of(struct view *view)
{
	return (struct tree_lines *)view;
}

void tree_lines_finish(struct view *view)
{
	tree_rows_finish(&lines_of(view)->rows);
	tree_order_finish(&lines_of(view)->order);
}

void tree_lines_move(struct view *view, enum view_move move)
{
	tree_rows_move(&lines_of(view)->rows, move);
}

void tree_lines_scroll(struct view *view, int lines)
{
	tree_rows_scroll(&lines_of(view)->rows, lines);
}

bool tree_lines_select(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct tree_rows *rows = &lines_of(view)->rows;

	(void)mouse;
	if (hit->number >= rows->count)
		return false;
	tree_rows_select_index(rows, hit->number);
	return true;
}

struct table_place *tree_lines_place(struct view *view)
{
	return &lines_of(view)->rows.place;
}

void tree_lines_restore(struct view *view, const struct table_place *place)
{
	tree_rows_restore(&lines_of(view)->rows, place);
}

void tree_lines_hottest(struct view *view, struct ui_state *state)
{
	(void)state;
	tree_rows_open_hottest(&lines_of(view)->rows);
}

static uint64_t id_of(const struct tree_rows *rows, uint32_t node)
{
	return rows->groups ? tree_rows_group(rows, node)->id : tree_rows_node(rows, node)->id;
}

void tree_lines_mark(struct view *view)
{
	const struct tree_row *row = tree_rows_cursor(&lines_of(view)->rows);

	lines_of(view)->marked = row ? id_of(&lines_of(view)->rows, row->first) : 0;
}

void tree_lines_unmark(struct view *view)
{
	tree_rows_select_id(&lines_of(view)->rows, lines_of(view)->marked);
}

struct tree_rows *tree_lines_rows(struct view *view)
{
	return &lines_of(view)->rows;
}

bool *tree_lines_of_parent(struct view *view)
{
	return &lines_of(view)->is_of_parent;
}

bool tree_lines_find(struct view *view, size_t nodes, tree_lines_match *matches, const char *text,
		     int step)
{
	struct tree_rows *rows = &lines_of(view)->rows;
	const struct tree_row *row;
	size_t from, each;

	if (!step)
		tree_lines_unmark(view);
	row = tree_rows_cursor(rows);
	each = step < 0 && nodes ? nodes - 1 : 1;
	from = (row ? row->first : 0) + (step ? each : 0);
	for (size_t i = 0; text[0] && i < nodes; i++) {
		const uint32_t node = (uint32_t)((from + i * each) % nodes);

		if (!matches(rows, node, text))
			continue;
		tree_rows_show_node(rows, node);
		return true;
	}
	return false;
}

size_t tree_lines_count(const struct view *view, size_t nodes, tree_lines_match *matches,
			const char *text)
{
	const struct tree_rows *rows = &((const struct tree_lines *)view)->rows;
	size_t count = 0;

	for (size_t i = 0; i < nodes; i++)
		count += matches(rows, (uint32_t)i, text);
	return count;
}
