/* finder.c - see ui/finder.h. ui/widgets/finder_draw.c draws it.
 *
 * Problem: results arrive some milliseconds after the letter that they are for, and again while
 * names are loaded; Enter is meant for the results of the text typed.
 *
 * Idea: requests are numbered. Enter on results of an older request waits for the newest. The
 * cursor follows its result if the user moved it, else it stays on the best one.
 */
#include "ui/finder.h"

#include <string.h>

#include "state.h"

static const char label[] = "find";

static void ask(struct ui_state *state)
{
	const struct finder_control *control = state->finder_control;
	struct finder *finder = &state->finder;

	finder->has_moved = false;
	finder->is_taking = false;
	control->ask(control->owner, ++finder->asked, finder->input.text,
		     state_target_pid(state));
}

void finder_open(struct ui_state *state)
{
	struct finder *finder = &state->finder;

	if (state_probe_refusal(state)[0]) {
		state_say(state, "%s", state_probe_refusal(state));
		return;
	}
	if (!state->finder_control) {
		state_say(state, "there is no finder here: its thread could not be started");
		return;
	}
	finder->is_open = true;
	finder->cursor = finder->top = 0;
	prompt_open(&finder->input, label, finder->text);
	prompt_select(&finder->input);
	ask(state);
	state->is_changed = true;
}

static void close_finder(struct finder *finder)
{
	finder->is_open = false;
	memcpy(finder->text, finder->input.text, sizeof(finder->text));
}

static size_t result_count(const struct finder *finder)
{
	return finder->reply ? finder->reply->count : 0;
}

static bool is_answered(const struct finder *finder)
{
	return finder->reply && finder->reply->number == finder->asked;
}

/* What lies in the way of a target is said; the box stays. */
static void take_spec(struct ui_state *state, const struct target_result *result)
{
	const char *name = strchr(result->shown, ':');	/* behind that of its file */
	struct probe_spec spec;
	struct diag why;

	if (probe_spec_parse(&spec, result->spec, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	close_finder(&state->finder);
	probe_panel_open_spec(state, &spec, state_target_pid(state));
	if (result->kind == TARGET_USER_FUNCTION && name)
		probe_panel_call(&state->panel, name + 1);
}

static void take_result(struct ui_state *state)
{
	struct finder *finder = &state->finder;
	const struct probe_order sweep = { .kind = PROBE_SWEEP };
	const struct target_result *result;

	finder->is_taking = false;
	if (finder->cursor >= result_count(finder))
		return;
	result = &finder->reply->results[finder->cursor];
	if (!result->is_able)
		state_say(state, "%s", result->note);
	else if (result->kind != TARGET_LEFTOVER)
		take_spec(state, result);
	else if (state_probe_order(state, &sweep))
		state_say(state, "removing what dead instances of flametop left");
}

/* Copies the spec to the input line, to add arguments or a condition. */
static void edit_result(struct ui_state *state)
{
	struct finder *finder = &state->finder;
	const struct target_result *result;

	if (finder->cursor >= result_count(finder))
		return;
	result = &finder->reply->results[finder->cursor];
	if (result->kind == TARGET_LEFTOVER || strlen(result->spec) >= PROMPT_BYTES) {
		state_say(state, "it can't be edited here");
		return;
	}
	prompt_open(&finder->input, label, result->spec);
	finder->cursor = finder->top = 0;
	ask(state);
}

static void move_to(struct finder *finder, size_t cursor)
{
	const size_t count = result_count(finder);

	finder->cursor = cursor < count ? cursor : count ? count - 1 : 0;
	finder->has_moved = true;
	finder->is_taking = false;
}

static void move_up(struct finder *finder, size_t lines)
{
	move_to(finder, finder->cursor > lines ? finder->cursor - lines : 0);
}

static void press_in_input(struct ui_state *state, int key)
{
	struct finder *finder = &state->finder;

	if (prompt_press(&finder->input, key) != PROMPT_EDITED)
		return;
	finder->cursor = finder->top = 0;
	ask(state);
}

void finder_press(struct ui_state *state, int key)
{
	struct finder *finder = &state->finder;
	const size_t page = finder_page(finder);

	state->is_changed = true;
	state->message[0] = '\0';
	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_BACKTAB:	move_up(finder, 1); break;
	case UI_KEY_DOWN:	move_to(finder, finder->cursor + 1); break;
	case UI_KEY_PAGE_UP:	move_up(finder, page); break;
	case UI_KEY_PAGE_DOWN:	move_to(finder, finder->cursor + page); break;
	case UI_KEY_TAB:	edit_result(state); break;
	case UI_KEY_ESCAPE:
	case UI_KEY_CTRL('P'):	close_finder(finder); break;
	case UI_KEY_ENTER:
		finder->is_taking = !is_answered(finder);
		if (!finder->is_taking)
			take_result(state);
		break;
	default:		press_in_input(state, key);
	}
}

static bool is_inside(const struct finder *finder, const struct mouse *mouse)
{
	return mouse->x > finder->x && mouse->x < finder->x + finder->width - 1 &&
	       mouse->y >= finder->y && mouse->y < finder->y + finder->height;
}

/* A press moves the cursor to a line, a second one opens the result. */
static void press_line(struct ui_state *state, const struct mouse *mouse)
{
	struct finder *finder = &state->finder;
	const int line = mouse->y - finder->y - 2;

	if (!is_inside(finder, mouse)) {
		close_finder(finder);
		return;
	}
	if (line < 0 || (size_t)line >= finder_page(finder) ||
	    finder->top + (size_t)line >= result_count(finder))
		return;
	move_to(finder, finder->top + (size_t)line);
	if (mouse->action == MOUSE_DOUBLE && is_answered(finder))
		take_result(state);
}

void finder_click(struct ui_state *state, const struct mouse *mouse)
{
	struct finder *finder = &state->finder;

	state->is_changed = true;
	switch (mouse->action) {
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:
		press_line(state, mouse);
		break;
	case MOUSE_WHEEL_UP:
		move_up(finder, 1);
		break;
	case MOUSE_WHEEL_DOWN:
		move_to(finder, finder->cursor + 1);
		break;
	case MOUSE_MENU:
	case MOUSE_DRAG:
	case MOUSE_RELEASE:
		break;
	}
}

/* Where the result is now; it may have been overtaken. */
static size_t find_spec(const struct target_reply *reply, const char *spec)
{
	for (size_t i = 0; i < reply->count; i++)
		if (strcmp(reply->results[i].spec, spec) == 0)
			return i;
	return 0;
}

void finder_replied(struct ui_state *state)
{
	struct finder *finder = &state->finder;
	const struct target_reply *reply;
	char spec[TARGET_SPEC_BYTES] = "";

	/* Before the next reply, which takes the old one back. */
	if (finder->has_moved && finder->cursor < result_count(finder))
		memcpy(spec, finder->reply->results[finder->cursor].spec, sizeof(spec));
	reply = state->finder_control->reply(state->finder_control->owner);
	if (!reply)
		return;
	finder->reply = reply;
	finder->cursor = spec[0] ? find_spec(reply, spec) : 0;
	if (!finder->is_open)
		return;
	state->is_changed = true;
	if (finder->is_taking && is_answered(finder))
		take_result(state);
}

void finder_swept(struct ui_state *state)
{
	if (state->finder_control)
		state->finder_control->renew(state->finder_control->owner);
}
