/* group_panel.c - see group_panel.h.
 *
 *   +- groups by ---------------------------------+
 *   |> 1 comm       command: the thread's name ^v |
 *   |  2 dso        program or library         ^v |
 *   |  3 symbol     function                   ^v |
 *   |    event      what was sampled              |
 *   |    ...                                      |
 *   |    reset      comm > dso > symbol           |
 *   +---------------------------------------------+
 *
 * The cursor follows a key, not a line: a key that is moved or added stays under it. The marks at
 * the right move the key with the mouse. The tree gets the rest of the screen: so the help of the
 * keys is beside them only if the tree's names keep their room, else in the bottom line
 * instead of the view's keys.
 */
#include "group_panel.h"

#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "fold/query.h"
#include "pieces.h"

#define LINES	     (GROUP_KEY_COUNT + 1)	/* at most */
#define FRAME	     2		/* cells and lines of it */
#define LEVEL_X	     2		/* in the box: after the cursor's mark */
#define NAME_X	     4
#define HELP_X	     15		/* the longest name is container */
#define NAME_CELLS   (HELP_X - NAME_X - 1)
#define HELP_CELLS   28
#define MARKS_CELLS  4		/* "^v" between spaces */
#define PANEL_CELLS  (HELP_X + HELP_CELLS + MARKS_CELLS)
#define SHORT_CELLS  (HELP_X + MARKS_CELLS)	/* without help */
#define TREE_CELLS   40		/* needed beside the tree, or it lies beneath */
#define UP_MARK	     "\u25b2"
#define DOWN_MARK    "\u25bc"

static struct group_order order_of(const struct ui_state *state)
{
	return group_order_of(&state->query.groups, state_weighed_probe(state));
}

static bool is_offered(const struct ui_state *state, enum group_key key)
{
	return !group_key_is_by(key) ||
	       key - GROUP_BY1 < group_order_by_count(state_weighed_probe(state));
}

/* Lists the lines from the top: keys in force, of the others those of a probe first, reset. Returns
 * their number. */
static int list_lines(const struct ui_state *state, int out[LINES])
{
	const struct group_order order = order_of(state);
	int count = 0;

	for (uint32_t i = 0; i < order.count; i++)
		out[count++] = (int)order.keys[i];
	for (int by = 1; by >= 0; by--)
		for (int key = 0; key < GROUP_KEY_COUNT; key++)
			if (group_key_is_by((enum group_key)key) == by &&
			    is_offered(state, (enum group_key)key) &&
			    !group_order_level(&order, (enum group_key)key))
				out[count++] = key;
	out[count++] = GROUP_PANEL_RESET;
	return count;
}

static int line_of(const struct ui_state *state, int key)
{
	int lines[LINES], at = 0;
	const int count = list_lines(state, lines);

	while (at < count - 1 && lines[at] != key)
		at++;
	return at;
}

static void group_panel_open(struct ui_state *state)
{
	*group_panel_of(state) = (struct group_panel){
		.is_open = true, .cursor = (int)order_of(state).keys[0],
	};
	state->is_changed = true;
}

static void close_panel(struct ui_state *state)
{
	group_panel_of(state)->is_open = false;
	state->is_changed = true;
}

/* Requests the rows of another order at once; shows a message about one that can't be. */
static void take_order(struct ui_state *state, const struct group_order *order, int err,
		       const struct diag *why)
{
	const struct group_order was = order_of(state);

	if (err) {
		state_say(state, "%s", why->text);
		return;
	}
	if (order->count == was.count &&
	    !memcmp(order->keys, was.keys, order->count * sizeof(order->keys[0])))
		return;
	state->query.groups = *order;
	state_ask(state);
}

static void use_line(struct ui_state *state)
{
	const int key = group_panel_of(state)->cursor;
	struct group_order order = order_of(state);
	struct diag why = { 0 };
	int err = 0;

	if (key == GROUP_PANEL_RESET)
		order = group_order_at_first;
	else
		err = group_order_toggle(&order, (enum group_key)key, &why);
	take_order(state, &order, err, &why);
}

/* Moves the key under the cursor to @level, counted from 1. */
static void place_key(struct ui_state *state, uint32_t level)
{
	const int key = group_panel_of(state)->cursor;
	struct group_order order = order_of(state);
	struct diag why = { 0 };
	int err;

	if (key == GROUP_PANEL_RESET)
		return;
	err = group_order_place(&order, (enum group_key)key, level, &why);
	take_order(state, &order, err, &why);
}

/* Moves the key under the cursor a level up (@step -1) or down. */
static void shift_key(struct ui_state *state, int step)
{
	const int key = group_panel_of(state)->cursor;
	const struct group_order order = order_of(state);
	const uint32_t level = key == GROUP_PANEL_RESET
			       ? 0 : group_order_level(&order, (enum group_key)key);

	if (!level)
		state_say(state, "Space takes it in first");
	else if (step > 0 || level > 1)
		place_key(state, level + (uint32_t)step);
}

static void move_to(struct ui_state *state, int line)
{
	int lines[LINES];
	const int count = list_lines(state, lines);

	if (line > count - 1)
		line = count - 1;
	group_panel_of(state)->cursor = lines[line > 0 ? line : 0];
	state->is_changed = true;
}

static void move_by(struct ui_state *state, int lines)
{
	move_to(state, line_of(state, group_panel_of(state)->cursor) + lines);
}

static void press_in_panel(struct ui_state *state, int key)
{
	const int page = group_panel_of(state)->height > FRAME + 1
			 ? group_panel_of(state)->height - FRAME : 1;

	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_BACKTAB:
	case 'k':		move_by(state, -1); break;
	case UI_KEY_DOWN:
	case UI_KEY_TAB:
	case 'j':		move_by(state, 1); break;
	case UI_KEY_PAGE_UP:	move_by(state, -page); break;
	case UI_KEY_PAGE_DOWN:	move_by(state, page); break;
	case UI_KEY_HOME:	move_to(state, 0); break;
	case UI_KEY_END:	move_to(state, LINES - 1); break;
	case ' ':
	case UI_KEY_ENTER:	use_line(state); break;
	case '<':
	case '-':
	case UI_KEY_LEFT:	shift_key(state, -1); break;
	case '>':
	case '+':
	case UI_KEY_RIGHT:	shift_key(state, 1); break;
	case 'r':
		group_panel_of(state)->cursor = GROUP_PANEL_RESET;
		use_line(state);
		break;
	case UI_KEY_ESCAPE:
	case 'g':
	case 'q':		close_panel(state); break;
	default:
		if (key >= '1' && key <= '0' + GROUP_LEVELS)
			place_key(state, (uint32_t)(key - '0'));
		break;
	}
}

static bool is_inside(const struct group_panel *panel, const struct mouse *mouse)
{
	return mouse->x >= panel->x && mouse->x < panel->x + panel->width &&
	       mouse->y >= panel->y && mouse->y < panel->y + panel->height;
}

static int marks_x(const struct group_panel *panel)
{
	return panel->x + panel->width - 1 - MARKS_CELLS;
}

static void press_line(struct ui_state *state, const struct mouse *mouse)
{
	struct group_panel *panel = group_panel_of(state);
	const int line = mouse->y - panel->y - 1, x = mouse->x - marks_x(panel);
	const struct group_order order = order_of(state);
	int lines[LINES];

	if (line < 0 || line >= panel->height - FRAME ||
	    panel->top + line >= list_lines(state, lines))
		return;
	panel->cursor = lines[panel->top + line];
	if (panel->cursor != GROUP_PANEL_RESET && x >= 0 &&
	    group_order_level(&order, (enum group_key)panel->cursor))
		shift_key(state, x < MARKS_CELLS / 2 ? -1 : 1);
	else
		use_line(state);
}

static bool click_in_panel(struct ui_state *state, const struct mouse *mouse)
{
	switch (mouse->action) {
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:
	case MOUSE_MENU:
		state->is_changed = true;
		if (is_inside(group_panel_of(state), mouse))
			press_line(state, mouse);
		else
			close_panel(state);
		return true;
	case MOUSE_WHEEL_UP:
		move_by(state, -1);
		return true;
	case MOUSE_WHEEL_DOWN:
		move_by(state, 1);
		return true;
	case MOUSE_DRAG:
	case MOUSE_RELEASE:
		break;
	}
	return false;
}

static int cells_of(int width)
{
	return (width >= PANEL_CELLS + FRAME + TREE_CELLS ? PANEL_CELLS : SHORT_CELLS) + FRAME;
}

int group_panel_cells(const struct ui_state *state, int width)
{
	const int cells = cells_of(width);

	return group_panel_of(state)->is_open && width - cells >= TREE_CELLS ? cells : 0;
}

static const char *help_below(const struct ui_state *state, int width)
{
	const int key = group_panel_of(state)->cursor;

	if (cells_of(width) > SHORT_CELLS + FRAME)
		return NULL;
	return key == GROUP_PANEL_RESET ? "the order at first" : group_key_helps[key];
}

/* Computes the box; false: there is no room. */
static bool place_box(struct group_panel *panel, const struct canvas *canvas, int lines, int top,
		      int bottom)
{
	panel->width = cells_of(canvas->width);
	panel->height = bottom - top < lines + FRAME ? bottom - top : lines + FRAME;
	panel->x = canvas->width - panel->width;
	panel->y = top;
	return panel->x >= 0 && panel->height > FRAME;
}

static void scroll_to(struct group_panel *panel, int line, int lines)
{
	const int page = panel->height - FRAME;

	if (line < panel->top)
		panel->top = line;
	if (line >= panel->top + page)
		panel->top = line - page + 1;
	if (panel->top > lines - page)
		panel->top = lines - page;
}

static void put(const struct group_panel *panel, struct canvas *canvas, int x, int y,
		const char *text, enum role role)
{
	const int end = marks_x(panel);
	const struct canvas_area area = { panel->x + 1 + x, y, end - panel->x - 1 - x };

	canvas_put_text(canvas, area, canvas_clean(text), role);
}

static void draw_line(const struct ui_state *state, struct canvas *canvas, int key, int y)
{
	const struct group_panel *panel = group_panel_of(state);
	const bool is_cursor = key == panel->cursor, is_reset = key == GROUP_PANEL_RESET;
	const struct snapshot_probe *probe = state_weighed_probe(state);
	const struct group_order order = order_of(state);
	const uint32_t level = is_reset ? 0 : group_order_level(&order, (enum group_key)key);
	const enum role role = is_cursor ? ROLE_BOX_CURSOR : ROLE_BOX;
	const enum role quiet = is_cursor ? ROLE_BOX_CURSOR : ROLE_BOX_DIM;
	const bool has_help = panel->width > SHORT_CELLS + FRAME;
	char text[GROUP_ORDER_BYTES];

	canvas_set_role(canvas, (struct canvas_area){ panel->x + 1, y, panel->width - FRAME },
			role);
	if (is_cursor)
		put(panel, canvas, 0, y, "\u25b8", role);
	if (level) {
		snprintf(text, sizeof(text), "%u", level);
		put(panel, canvas, LEVEL_X, y, text, role);
		canvas_put_text(canvas, (struct canvas_area){ marks_x(panel) + 1, y, 2 },
				SAFE_TEXT(UP_MARK DOWN_MARK), quiet);
	}
	snprintf(text, sizeof(text), "%.*s", has_help ? NAME_CELLS : (int)sizeof(text) - 1,
		 is_reset ? "reset"
			  : group_order_name((enum group_key)key, probe ? probe->key_names : NULL));
	put(panel, canvas, NAME_X, y, text, level || is_reset || is_cursor ? role : quiet);
	if (!has_help)
		return;
	if (is_reset)
		group_order_format(group_order_at_first.keys, group_order_at_first.count, NULL,
				   text);
	put(panel, canvas, HELP_X, y, is_reset ? text : group_key_helps[key], quiet);
}

static void draw_panel(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	struct group_panel *panel = group_panel_of(state);
	int lines[LINES];
	const int count = list_lines(state, lines);

	if (!place_box(panel, canvas, count, top, bottom)) {
		panel->width = panel->height = 0;
		return;
	}
	scroll_to(panel, line_of(state, panel->cursor), count);
	canvas_put_box(canvas, panel->x, panel->y, panel->width, panel->height, ROLE_BOX_DIM);
	put(panel, canvas, 0, panel->y, " groups by ", ROLE_BOX);
	for (int i = 0; i < panel->height - FRAME; i++)
		draw_line(state, canvas, lines[panel->top + i], panel->y + 1 + i);
}

/* What the key under the cursor is comes first, where the box has no room for it. */
static void draw_keys(struct ui_state *state, struct canvas *canvas, int y)
{
	static const char *const keys[] = { "Space in or out", "Esc close", "< > move", "1-8 level",
					    "r reset" };
	const char *help = help_below(state, canvas->width);
	const char *shown[sizeof(keys) / sizeof(keys[0]) + 1] = { help };
	int count = help ? 1 : 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		shown[count++] = keys[i];
	pieces_draw_keys(canvas, y, shown, count);
}

/* The panel has no line of input. */
static bool takes_text(const struct ui_state *state)
{
	(void)state;
	return false;
}

static bool is_panel_open(const struct ui_state *state)
{
	return group_panel_of(state)->is_open;
}

const struct overlay_ops group_panel_ops = {
	.bytes = sizeof(struct group_panel),
	.is_open = is_panel_open,
	.press = press_in_panel,
	.click = click_in_panel,
	.takes_text = takes_text,
	.draw = draw_panel,
	.draw_keys = draw_keys,
};

void cmd_group_keys(struct ui_state *state)
{
	command_show_view(state, VIEW_GROUPS);
	group_panel_open(state);
}
