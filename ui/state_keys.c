/* state_keys.c - dispatches keys: prompts, menus and panels come first, then the table of commands.
 *
 * Problem: a key may act on a row that has not arrived yet. Enter, Enter means "its DSOs, and the
 * first of these", but the rows of the DSOs come with the analyzer's answer.
 *
 * Idea: queries are numbered, and a snapshot says which one it answers. Until the last query is
 * answered, keys that need rows, and all keys typed after them, wait in `deferred`. Keys that leave
 * (back, quit) don't wait, and drop the deferred ones. But after a deferred key that will open a
 * prompt or a menu they are for that: q is text, Esc drops the opening key.
 *
 * An unbound key shows a hint: what it does in other views, the command that other profilers and
 * process viewers have on it, or the command of the same letter in the other case.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "state.h"
#include "term/mouse.h"
#include "ui/commands.h"

/* True when the prompt took the key. */
static bool press_in_prompt(struct ui_state *state, int key)
{
	const struct prompt_use *use = state->prompt_use;

	switch (prompt_press(&state->prompt, key)) {
	case PROMPT_IGNORED:
		return false;
	case PROMPT_MOVED:
		break;
	case PROMPT_EDITED:
		if (use->edited)
			use->edited(state);
		break;
	case PROMPT_ACCEPTED:
		use->accepted(state);
		break;
	case PROMPT_CANCELLED:
		if (use->cancelled)
			use->cancelled(state);
		break;
	}
	state->is_changed = true;
	return true;
}

static bool take_menu_result(struct ui_state *state, enum menu_result result)
{
	if (result == MENU_IGNORED)
		return false;
	state->is_changed = true;
	if (result == MENU_CHOSEN)
		state->menu_use->chosen(state, menu_chosen(&state->menu));
	else if (result == MENU_REFUSED)
		state_say(state, "%s", menu_chosen(&state->menu)->note);
	return true;
}

/* An open prompt, menu or panel gets all keys except those that quit or repaint. */
static bool press_in_front(struct ui_state *state, int key, const struct mouse *mouse)
{
	const bool is_always = key == UI_KEY_CTRL('C') || key == UI_KEY_CTRL('L');

	if (state->menu.is_open) {
		if (key == UI_KEY_MOUSE)
			state->is_click_spent = take_menu_result(state,
								 menu_click(&state->menu, mouse));
		else if (!is_always)
			take_menu_result(state, menu_press(&state->menu, key));
		return !is_always;
	}
	if (state->prompt.is_open) {
		if (!is_always && key != UI_KEY_MOUSE)
			press_in_prompt(state, key);
		return !is_always;
	}
	if (state->finder.is_open) {
		if (key == UI_KEY_MOUSE)
			finder_click(state, mouse);
		else if (!is_always)
			finder_press(state, key);
		return !is_always;
	}
	if (state->panel.is_open) {
		if (key == UI_KEY_MOUSE)
			probe_panel_click(state, mouse);
		else if (!is_always)
			probe_panel_press(state, key);
		return !is_always;
	}
	if (state->group_panel.is_open) {
		if (key == UI_KEY_MOUSE)
			state->is_click_spent = group_panel_click(state, mouse);
		else if (!is_always)
			group_panel_press(state, key);
		return !is_always;
	}
	return false;
}

/* Returns the kind of view that keys pressed now are for: the one queried, not the one shown. */
static enum view_place place_asked(const struct ui_state *state)
{
	if (state_is_page(state))
		return state->view->ops->place;
	switch (state_kind(state)) {
	case VIEW_TREE:	  return IN_TREE;
	case VIEW_FLAME:  return IN_FLAME;
	case VIEW_PROBES: return IN_PROBES;
	case VIEW_GROUPS: return IN_GROUPS;
	default:	  return IN_TABLE;
	}
}

/* Returns the index of the first deferred key that will open a prompt or a menu; deferred_count:
 * there is none. Keys after it are text, in which any letter may occur. */
static size_t first_question(const struct ui_state *state)
{
	const struct command *command;
	size_t i;

	for (i = 0; i < state->deferred_count; i++) {
		command = keymap_find(state->keymap, state->deferred[i], place_asked(state));
		if (command && (command->traits & COMMAND_ASKS))
			break;
	}
	return i;
}

/* Handles a leaving key. True if it only drops a deferred prompt or menu, or is text for it. */
static bool answer_deferred(struct ui_state *state, int key)
{
	const size_t question = first_question(state);

	if (question == state->deferred_count || key == UI_KEY_CTRL('C')) {
		state->deferred_count = 0;
		return false;
	}
	if (key == UI_KEY_ESCAPE)
		state->deferred_count = question;
	else if (state->deferred_count < STATE_DEFERRED)
		state->deferred[state->deferred_count++] = key;
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
		return answer_deferred(state, key);
	if (!state->deferred_count && !(traits & COMMAND_NEEDS_ROWS) && !is_of_next)
		return false;
	if (state->deferred_count < STATE_DEFERRED)
		state->deferred[state->deferred_count++] = key;
	return true;
}

/* Keys that once meant something else in a view. */
static const struct old_key {
	int key;
	unsigned int where;	/* enum view_place bits */
	const char *now;	/* the command that the key runs there now; NULL: none */
	const char *meaning;	/* what the key means in all views */
	const char *was;	/* what the key did in `where` */
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
		  old->was, key_of(state, commands_find(old->moved), moved));
	return true;
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
		if (!here || (found && here->run != found->run))
			continue;
		found = here;
		used += (size_t)snprintf(out + used, KEY_LIST_BYTES - used, "%s%s",
					 used ? ", " : "",
					 commands_place_name((enum view_place)place));
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
		nearest = commands_find(habits[i].command);
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

void state_press_key(struct ui_state *state, int key, const struct mouse *mouse)
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
		state->drag.is_on = false;
	if (press_in_front(state, key, mouse))
		return;
	if (key == UI_KEY_MOUSE) {
		if (mouse->action != MOUSE_DOUBLE || !state->is_click_spent)
			mouse_act(state, mouse);
		state->is_click_spent &= mouse->action == MOUSE_RELEASE;
		return;
	}
	place = place_asked(state);
	command = keymap_find(state->keymap, key, place);
	if (defer_key(state, key, command))
		return;
	if (!command) {
		say_unbound(state, key, place);
		return;
	}
	if ((command->traits & COMMAND_NEEDS_ROWS) && command->run != cmd_hottest)
		state->is_on_time = false;
	command->run(state);
	say_old_key(state, key, place, command);
	state->is_changed = true;
}
