/* state.c - see ui/state.h. What single keys do is in ui/commands.c. */
#include "ui/state.h"

#include <stdarg.h>
#include <stdio.h>

#include "ui/commands.h"
#include "ui/keys.h"
#include "ui/view_help.h"
#include "ui/view_messages.h"

_Static_assert((int)PROMPT_BYTES == (int)FILTER_TEXT_BYTES, "the prompt edits the filter's text");

void state_init(struct ui_state *state)
{
	*state = (struct ui_state){ .order.column = COL_SELF, .is_changed = true };
	table_view_init(&state->table);
	pager_init(&state->help, &view_help_ops);
	pager_init(&state->messages, &view_messages_ops);
	state->view = &state->table.view;
}

void state_finish(struct ui_state *state)
{
	table_view_finish(&state->table);
	pager_finish(&state->help);
	pager_finish(&state->messages);
}

void state_refresh_view(struct ui_state *state)
{
	/* The table's rows point into the snapshot, so it follows even while it is covered. */
	state->table.view.ops->refresh(&state->table.view, state);
	if (state->view != &state->table.view)
		state->view->ops->refresh(state->view, state);
	state->is_changed = true;
}

const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh)
{
	const struct snapshot *old = state->shown;

	if (state->is_paused && old)
		return fresh;
	state->shown = fresh;
	state_refresh_view(state);
	return old;
}

void state_open_view(struct ui_state *state, struct view *view)
{
	if (state->view == view)
		return;
	/* One page of text takes the place of another: back always leads to the table. */
	view->opener = state->view->opener ? state->view->opener : state->view;
	state->view = view;
	state_refresh_view(state);
}

void state_close_view(struct ui_state *state)
{
	if (!state->view->opener)
		return;
	state->view = state->view->opener;
	state->is_changed = true;
}

void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns)
{
	const struct request request = { .kind = kind, .value = value, .value_ns = value_ns };

	for (size_t i = 0; i < state->outbox_count; i++) {
		if (state->outbox[i].kind == kind) {
			state->outbox[i] = request;
			return;
		}
	}
	if (state->outbox_count < STATE_OUTBOX)	/* never full: there are fewer kinds */
		state->outbox[state->outbox_count++] = request;
}

void state_say(struct ui_state *state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->message, sizeof(state->message), format, args);
	va_end(args);
	state->is_changed = true;
}

static void restore_filter(struct ui_state *state)
{
	state->filter = state->filter_before;
	state_refresh_view(state);
	table_view_select(&state->table, state->cursor_before);
}

/* True when the prompt took the key. */
static bool press_in_prompt(struct ui_state *state, int key)
{
	switch (prompt_press(&state->prompt, key)) {
	case PROMPT_IGNORED:
		return false;
	case PROMPT_MOVED:
		break;
	case PROMPT_EDITED:
		snprintf(state->filter.text, sizeof(state->filter.text), "%s", state->prompt.text);
		state_refresh_view(state);
		break;
	case PROMPT_ACCEPTED:
		break;
	case PROMPT_CANCELLED:
		restore_filter(state);
		break;
	}
	state->is_changed = true;
	return true;
}

void state_press_key(struct ui_state *state, int key)
{
	const struct command *command;

	if (key == UI_KEY_UNKNOWN)
		return;
	if (state->message[0]) {
		state->message[0] = '\0';
		state->is_changed = true;
	}
	if (state->prompt.is_open) {
		if (press_in_prompt(state, key))
			return;
		if (key < UI_KEY_SPECIAL && key != UI_KEY_CTRL('C') && key != UI_KEY_CTRL('L'))
			return;
	}
	command = commands_find(key, state->view->ops->place);
	if (command) {
		command->run(state);
		state->is_changed = true;
	} else {
		char name[KEYS_NAME_BYTES];

		state_say(state, "%s does nothing here \u00b7 ? shows all keys",
			  keys_format(key, name));
	}
}
