/* input.c - see input.h. Prompts, menus and panels come first, then the table of commands; a click
 * does what a key would do to the thing under it.
 *
 * Problem: a key may act on a row that has not arrived yet. Enter, Enter means "its DSOs, and the
 * first of these", but the rows of the DSOs come with the analyzer's reply.
 *
 * Idea: queries are numbered, and a snapshot says which one it answers. Until the last query is
 * answered, keys that need rows, and all keys typed after them, wait in `deferred`. Keys that leave
 * (back, quit) don't wait, and drop the deferred ones. But after a deferred key that will open a
 * prompt or a menu they are for that: q is text, Esc drops the opening key.
 *
 * An unbound key shows a hint: what it does in other views, the command that other profilers and
 * process viewers have on it, or the command of the same letter in the other case.
 */
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "overlays.h"
#include "ui/keymap.h"

/* Returns the index of the first deferred key that will open a prompt or a menu; deferred.count:
 * there is none. Keys after it are text, in which any letter may occur. */
static size_t first_question(const struct ui_state *state)
{
	const struct command *command;
	size_t i;

	for (i = 0; i < state->deferred.count; i++) {
		command = keymap_find(state->keymap, state->deferred.keys[i], state_place(state));
		if (command && (command->traits & COMMAND_ASKS))
			break;
	}
	return i;
}

/* Handles a leaving key. True if it only drops a deferred prompt or menu, or is text for it. */
static bool reply_deferred(struct ui_state *state, int key)
{
	const size_t question = first_question(state);

	if (question == state->deferred.count || key == UI_KEY_CTRL('C')) {
		state->deferred.count = 0;
		return false;
	}
	if (key == UI_KEY_ESCAPE)
		state->deferred.count = question;
	else if (state->deferred.count < STATE_DEFERRED)
		state->deferred.keys[state->deferred.count++] = key;
	return true;
}

/* Defers the key if it has to wait for its rows; true if so. */
static bool defer_key(struct ui_state *state, int key, const struct command *command)
{
	const unsigned int traits = command ? command->traits : COMMAND_PLAIN;

	const bool is_of_next = command && !(command->where & state->view->ops->place);

	if (state_is_page(state) || !state_is_waiting(state) || key == UI_KEY_MOUSE)
		return false;
	if (traits & COMMAND_LEAVES)
		return reply_deferred(state, key);
	if (!state->deferred.count && !(traits & COMMAND_NEEDS_ROWS) && !is_of_next)
		return false;
	if (state->deferred.count < STATE_DEFERRED)
		state->deferred.keys[state->deferred.count++] = key;
	return true;
}

/* Keys that once meant something else in a view. */
static const struct old_key {
	int key;
	unsigned int where;	/* enum view_place bits */
	const char *now;	/* the command that the key runs there now; NULL: none */
	const char *meaning;	/* the key's meaning in all views */
	const char *was;	/* the key's earlier meaning in `where` */
	const char *moved;	/* the command that does that now */
} old_keys[] = {
	{ 'e', IN_TREE | IN_FLAME | IN_GROUPS, "event", "events", "the hottest path is",
	  "hottest" },
	{ 'r', IN_TABLE | IN_GROUPS, NULL, "turns the tree round", "the refresh is faster by",
	  "faster" },
	{ 'c', IN_PROBES, NULL, "columns, colours", "what is being attached is cancelled by",
	  "probe-remove" },
	{ 'L', IN_PROBES, "probes-log", "the log", "the lease is extended by", "probe-extend" },
	{ UI_KEY_INSERT, IN_PROBES, NULL, "marks lines of a list", "a new probe is found by",
	  "new-probe" },
};

/* Keys of other programs: why they do nothing here, and the nearest command. */
static const struct habit {
	int key;
	const char *note;
	const char *command;
} habits[] = {
	{ UI_KEY_F2, "nothing is set up on a page of its own", "columns" },
	{ UI_KEY_F7, "flametop changes no priority", "row-menu" },
	{ UI_KEY_F8, "flametop changes no priority", "row-menu" },
	{ UI_KEY_F9, "flametop sends no signal", "row-menu" },
};

#define KEY_LIST_BYTES 128
#define WHEEL_LINES 3

/* Formats the first key of the command, or ":name" if it has none. */
static const char *key_of(const struct ui_state *state, const struct command *command,
			  char out[KEYMAP_TEXT_BYTES])
{
	const int key = keymap_key(state->keymap, command);

	if (key)
		return keys_format(key, out);
	snprintf(out, KEYMAP_TEXT_BYTES, ":%s", command->name);
	return out;
}

static const struct old_key *find_old_key(int key, enum view_place place,
					  const struct command *command)
{
	for (size_t i = 0; i < sizeof(old_keys) / sizeof(old_keys[0]); i++)
		if (old_keys[i].key == key && (old_keys[i].where & place) &&
		    (command ? old_keys[i].now && !strcmp(command->name, old_keys[i].now)
			     : !old_keys[i].now))
			return &old_keys[i];
	return NULL;
}

/* Shows a message if @key, which runs @command (NULL: none), once meant something else; if it runs
 * a command, only once. */
static bool say_old_key(struct ui_state *state, int key, enum view_place place,
			const struct command *command)
{
	const struct old_key *old = find_old_key(key, place, command);
	char name[KEYS_NAME_BYTES], moved[KEYMAP_TEXT_BYTES], before[STATE_MESSAGE_BYTES] = "";

	if (!old || (state->old_keys_said & 1u << (old - old_keys)))
		return false;
	if (command)
		state->old_keys_said |= 1u << (old - old_keys);
	if (state->message[0])
		snprintf(before, sizeof(before), "%s \u00b7 ", state->message);
	state_say(state, "%s%s: %s; %s %s", before, keys_format(key, name), old->meaning,
		  old->was, key_of(state, keymap_command(state->keymap, old->moved), moved));
	return true;
}

static bool is_same(const struct command_action *a, const struct command_action *b)
{
	return a->run == b->run && a->run_with == b->run_with && a->argument == b->argument;
}

/* Returns the command that @key runs in other views, and their names in @out: "tree, groups". */
static const struct command *find_elsewhere(const struct ui_state *state, int key,
					    char out[KEY_LIST_BYTES])
{
	const struct command *found = NULL, *here;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned int place = 1; place <= IN_ALL && used < KEY_LIST_BYTES; place <<= 1) {
		here = keymap_find(state->keymap, key, (enum view_place)place);
		if (!here || (found && !is_same(&here->action, &found->action)))
			continue;
		found = here;
		used += (size_t)snprintf(out + used, KEY_LIST_BYTES - used, "%s%s",
					 used ? ", " : "",
					 keymap_place_name((enum view_place)place));
	}
	return found;
}

static void say_unbound(struct ui_state *state, int key, enum view_place place)
{
	char name[KEYS_NAME_BYTES], other[KEYMAP_TEXT_BYTES], places[KEY_LIST_BYTES];
	const struct command *elsewhere = find_elsewhere(state, key, places);
	const struct command *nearest = NULL;
	const char *note = "does nothing here", *colon = "";

	keys_format(key, name);
	if (say_old_key(state, key, place, NULL))
		return;
	if (elsewhere) {
		state_say(state, "%s %s \u00b7 in %s: %s", name, note, places, elsewhere->help);
		return;
	}
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (habits[i].key != key)
			continue;
		note = habits[i].note;
		colon = ":";
		nearest = keymap_command(state->keymap, habits[i].command);
	}
	if (key < 128 && isalpha(key))
		nearest = keymap_find(state->keymap, isupper(key) ? tolower(key) : toupper(key),
				      place);
	if (nearest && (nearest->where & place))
		state_say(state, "%s%s %s \u00b7 nearest is %s: %s", name, colon, note,
			  key_of(state, nearest, other), nearest->help);
	else
		state_say(state, "%s%s %s \u00b7 ? shows all keys", name, colon, note);
}

static void scroll(struct ui_state *state, int lines)
{
	const struct view_ops *ops = state->view->ops;

	if (ops->scroll)
		ops->scroll(state->view, lines);
	for (int i = 0; !ops->scroll && i < WHEEL_LINES; i++)
		ops->move(state->view, lines < 0 ? MOVE_UP : MOVE_DOWN);
	state->is_changed = true;
}

static void go_to_parts(struct ui_state *state, size_t parts)
{
	while ((state->query.breadcrumbs.filter.count > parts ||
		state_kind(state) == VIEW_LISTING ||
		(!parts && breadcrumbs_here(&state->query.breadcrumbs)->inside)) &&
	       state_go_back(state))
		;
}

/* A double click opens and closes the lines of a tree; other rows do what Enter does. */
static void press_row(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	const struct view_ops *ops = state->view->ops;

	if (state_is_waiting(state) || !ops->select || !ops->select(state->view, hit, mouse))
		return;
	state->is_changed = true;
	if (mouse->action == MOUSE_DOUBLE && ops->tree_rows)
		command_toggle_line(state);
	else if (mouse->action == MOUSE_DOUBLE)
		keymap_run(keymap_command(state->keymap, ops->open), state);
	else if (mouse->action == MOUSE_MENU)
		keymap_run(keymap_command(state->keymap, ops->menu), state);
}

/* Goes back to the page of the probe whose hits are shown. */
static void leave_hits(struct ui_state *state)
{
	while (state_probe_hits(state) && state_go_back(state))
		;
}

/* Runs a command by its key, if it has one, so that it waits for rows as the key does. */
static void press_command(struct ui_state *state, const struct command *command)
{
	const int key = keymap_key(state->keymap, command);

	if (key)
		input_press_key(state, key, NULL);
	else
		keymap_run(command, state);
}

/* Returns the time of the cell nearest to the mouse, in the graph where the drag began. */
static struct time_range time_at(const struct ui_state *state, const struct mouse *mouse)
{
	return time_scale_cell(state->display.drag.is_in_heat ? &state->display.heat
							      : &state->display.activity,
			       mouse->x, mouse->y);
}

/* The second press of a double click chooses again, or begins a drag. */
static void press_time(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	if (mouse->action == MOUSE_MENU)
		return;
	state->display.drag =
		(struct time_drag){ .is_on = true, .is_in_heat = hit->kind == HIT_HEAT };
	state->display.drag.from = state->display.drag.range = time_at(state, mouse);
}

static void drag_time(struct ui_state *state, const struct mouse *mouse)
{
	if (!state->display.drag.is_on)
		return;
	if (state->display.drag.is_in_heat ? state->display.heat.width > 0
					   : state->display.activity.width > 0)
		state->display.drag.range =
			time_range_join(state->display.drag.from, time_at(state, mouse));
	state->is_changed = true;
}

/* Selects the range that was marked, even if the graph has scrolled since. */
static void release_time(struct ui_state *state)
{
	if (!state->display.drag.is_on)
		return;
	state->display.drag.is_on = false;
	state->is_changed = true;
	command_choose_time(state, state->display.drag.range);
}

static void press(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	const enum mouse_action action = mouse->action;

	switch (hit->kind) {
	case HIT_ROWS:
	case HIT_BOXES:
		press_row(state, hit, mouse);
		break;
	case HIT_TITLE:
		command_sort_by(state, (enum column_id)hit->number);
		break;
	case HIT_TAB:
		command_show_view(state, (enum view_kind)hit->number);
		break;
	case HIT_CRUMB:
		go_to_parts(state, hit->number);
		break;
	case HIT_PROBE:
		leave_hits(state);
		break;
	case HIT_PANE:
		command_show_pane(state, (int)hit->number);
		break;
	case HIT_GROUP_TITLE:
		command_sort_groups(state, (int)hit->number);
		break;
	case HIT_LAYER:
		command_show_layer(state, (int)hit->number);
		break;
	case HIT_ACTIVITY:
	case HIT_HEAT:
		press_time(state, hit, mouse);
		break;
	case HIT_LIVE:
		if (action == MOUSE_PRESS)
			cmd_live(state);
		break;
	case HIT_MESSAGES:
		cmd_page(state, PAGE_MESSAGES);
		break;
	case HIT_LOSSES:
		cmd_page(state, PAGE_LOSSES);
		break;
	case HIT_COMMAND:
		press_command(state, &state->keymap->commands[hit->number]);
		break;
	case HIT_NOTHING:
		break;
	}
	state->is_changed = true;
}

static void act_on_mouse(struct ui_state *state, const struct mouse *mouse)
{
	const struct hit hit = hits_find(&state->display.hits, mouse->x, mouse->y);

	if (mouse->action != MOUSE_DRAG && mouse->action != MOUSE_RELEASE)
		state->display.drag.is_on = false;	/* its release was lost */
	switch (mouse->action) {
	case MOUSE_WHEEL_UP:
		scroll(state, -WHEEL_LINES);
		break;
	case MOUSE_WHEEL_DOWN:
		scroll(state, WHEEL_LINES);
		break;
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:
	case MOUSE_MENU:
		press(state, &hit, mouse);
		break;
	case MOUSE_DRAG:
		drag_time(state, mouse);
		break;
	case MOUSE_RELEASE:
		release_time(state);
		break;
	}
}

/* Runs the command that the palette left. */
static void run_chosen(struct ui_state *state)
{
	const struct command *command = state->chosen;

	state->chosen = NULL;
	if (command)
		press_command(state, command);
	state->argument[0] = '\0';
}

void input_press_key(struct ui_state *state, int key, const struct mouse *mouse)
{
	const struct command *command;
	enum view_place place;

	if (key == UI_KEY_UNKNOWN)
		return;
	if (state->message[0] && !(key == UI_KEY_MOUSE && mouse->action == MOUSE_RELEASE)) {
		state->message[0] = '\0';
		state->is_changed = true;
	}
	if (key != UI_KEY_MOUSE)
		state->display.drag.is_on = false;
	if (overlays_press(state, key, mouse)) {
		run_chosen(state);
		return;
	}
	if (key == UI_KEY_MOUSE) {
		if (mouse->action != MOUSE_DOUBLE || !state->display.is_click_spent)
			act_on_mouse(state, mouse);
		state->display.is_click_spent &= mouse->action == MOUSE_RELEASE;
		return;
	}
	place = state_place(state);
	command = keymap_find(state->keymap, key, place);
	if (defer_key(state, key, command))
		return;
	if (key == UI_KEY_ESCAPE && !command_leads_back(state) && command_stop_reading(state)) {
		state->is_changed = true;
		return;
	}
	if (!command) {
		say_unbound(state, key, place);
		return;
	}
	if ((command->traits & COMMAND_NEEDS_ROWS) && command->action.run != cmd_hottest)
		state->is_on_time = false;
	keymap_run(command, state);
	say_old_key(state, key, place, command);
	state->is_changed = true;
}

/* Presses the deferred keys; those that still have to wait are deferred again, in order. */
static void press_deferred(struct ui_state *state)
{
	const size_t count = state->deferred.count;
	int keys[STATE_DEFERRED];

	memcpy(keys, state->deferred.keys, count * sizeof(keys[0]));
	state->deferred.count = 0;
	for (size_t i = 0; i < count; i++)
		input_press_key(state, keys[i], NULL);
}

const struct snapshot *input_offer_snapshot(struct ui_state *state, const struct snapshot *fresh)
{
	const struct snapshot *unused = state_offer_snapshot(state, fresh);

	if (!state_is_waiting(state))
		press_deferred(state);
	return unused;
}

void input_probe_replied(struct ui_state *state, const struct probe_reply *reply)
{
	overlays_replied(state, reply);
	state_probe_replied(state, reply);
}
