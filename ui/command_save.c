/* command_save.c - saves folded stacks to a file. The analyzer makes them, because the screen has
 * neither all paths nor their commands; ui/screen.c has them written. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command_list.h"

static void save_accepted(struct ui_state *state)
{
	if (!state->prompt.text[0])
		return;
	snprintf(state->save_path, sizeof(state->save_path), "%s", state->prompt.text);
	state->wants_stacks = true;
	state_request(state, REQUEST_STACKS, state->show_idle, 0);
	state_say(state, "writing %s\u2026", state->save_path);
}

void cmd_save_stacks(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "folded stacks to:", .accepted = save_accepted,
	};
	static const struct prompt_use compared_use = {
		.label = "stacks of this window, not of A, to:", .accepted = save_accepted,
	};
	const time_t now = time(NULL);
	char path[64];
	struct tm local;

	if (!state->shown) {
		state_say(state, "nothing to write yet");
		return;
	}
	localtime_r(&now, &local);
	strftime(path, sizeof(path), "flametop-%Y%m%d-%H%M%S.folded", &local);
	state_open_prompt(state, state_is_compared(state) ? &compared_use : &use, path);
}
