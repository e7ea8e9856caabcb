/* state_keys.c - which key means what where: prompts, menus and panels come first, then the table
 * of commands.
 *
 * Problem: a key may mean a row that is not there yet. Enter, Enter means "its objects, and of
 * these the first", but the rows of the objects come with the analyzer's answer.
 *
 * Idea: queries are numbered, and a snapshot says which one it answers. Keys that need rows wait in
 * `deferred` while the last query is not answered, and the keys typed behind them, too. What leaves
 * (back, quit) does not wait, and forgets those that do. Only behind a key that will open a prompt
 * or a menu is it meant for that: q is text, Esc takes the question back.
 */
#include "ui/commands.h"
#include "ui/mouse.h"
#include "ui/state.h"

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
	return true;
}

/* An open prompt or menu has the keyboard for itself, but for what ends or repaints. */
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

/* Where the keys that are pressed now will be meant. */
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

/* Index of the first deferred key that will open a prompt or a menu, deferred_count: there is none.
 * What is typed behind it is its text, in which any letter may occur. */
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

/* True when the key that leaves, leaves only a question that waits, or is text for it. */
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

/* True when the key has to wait for the rows it means. */
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

void state_press_key(struct ui_state *state, int key, const struct mouse *mouse)
{
	const struct command *command;
	char name[KEYS_NAME_BYTES];

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
	command = keymap_find(state->keymap, key, place_asked(state));
	if (defer_key(state, key, command))
		return;
	if (command) {
		command->run(state);
		state->is_changed = true;
	} else {
		state_say(state, "%s does nothing here \u00b7 ? shows all keys",
			  keys_format(key, name));
	}
}
