/* overlays.c - see overlays.h. */
#include "overlays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_list.h"
#include "ui/keymap.h"
#include "widgets/finder.h"

static bool is_prompt_open(const struct ui_state *state)
{
	return state->prompt.is_open;
}

static void press_in_prompt(struct ui_state *state, int key)
{
	const struct prompt_use *use = state->prompt_use;

	if ((key == UI_KEY_TAB || key == UI_KEY_BACKTAB) && use->tab) {
		use->tab(state, key == UI_KEY_TAB ? 1 : -1);
		state->is_changed = true;
		return;
	}
	switch (prompt_press(&state->prompt, key)) {
	case PROMPT_IGNORED:
		return;
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

static void refresh_prompt(struct ui_state *state)
{
	if (state->prompt_use->refreshed)
		state->prompt_use->refreshed(state);
}

static void draw_prompt(struct ui_state *state, struct canvas *canvas, int y)
{
	prompt_draw(&state->prompt, canvas, y);
}

static void draw_choices(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	(void)top;
	prompt_draw_choices(&state->prompt, canvas, bottom - 1);
}

const struct overlay_ops prompt_overlay_ops = {
	.is_open = is_prompt_open,
	.press = press_in_prompt,
	.refresh = refresh_prompt,
	.draw = draw_choices,
	.draw_keys = draw_prompt,
	.hides_messages = true,
};

static bool is_menu_open(const struct ui_state *state)
{
	return state->menu.is_open;
}

static void press_in_menu(struct ui_state *state, int key)
{
	take_menu_result(state, menu_press(&state->menu, key));
}

static bool click_in_menu(struct ui_state *state, const struct mouse *mouse)
{
	return take_menu_result(state, menu_click(&state->menu, mouse));
}

static void draw_menu(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	menu_draw(&state->menu, canvas, top, bottom);
}

const struct overlay_ops menu_overlay_ops = {
	.is_open = is_menu_open,
	.press = press_in_menu,
	.click = click_in_menu,
	.draw = draw_menu,
};

/* Returns the overlay in front; NULL: none is open. */
static const struct overlay_ops *find_front(const struct ui_state *state)
{
	for (int kind = OVERLAY_COUNT - 1; kind >= 0; kind--)
		if (state->overlay_ops[kind]->is_open(state))
			return state->overlay_ops[kind];
	return NULL;
}

bool overlays_press(struct ui_state *state, int key, const struct mouse *mouse)
{
	const bool is_always = key == UI_KEY_CTRL('C') || key == UI_KEY_CTRL('L');
	const struct overlay_ops *front = find_front(state);

	if (!front || is_always)
		return false;
	if (key != UI_KEY_MOUSE)
		front->press(state, key);
	else if (front->click)
		state->display.is_click_spent = front->click(state, mouse);
	return true;
}

bool overlays_take_text(const struct ui_state *state)
{
	const struct overlay_ops *front = find_front(state);

	return front && (!front->takes_text || front->takes_text(state));
}

void overlays_replied(struct ui_state *state, const struct probe_reply *reply)
{
	for (int kind = 0; kind < OVERLAY_COUNT; kind++)
		if (state->overlay_ops[kind]->replied)
			state->overlay_ops[kind]->replied(state, reply);
}

void overlays_draw(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	for (int kind = 0; kind < OVERLAY_COUNT; kind++) {
		const struct overlay_ops *ops = state->overlay_ops[kind];

		if (ops->draw && ops->is_open(state))
			ops->draw(state, canvas, top, bottom);
	}
}

bool overlays_draw_keys(struct ui_state *state, struct canvas *canvas, int y)
{
	for (int kind = OVERLAY_COUNT - 1; kind >= 0; kind--) {
		const struct overlay_ops *ops = state->overlay_ops[kind];

		if (!ops->draw_keys || !ops->is_open(state) ||
		    (state->message[0] && !ops->hides_messages))
			continue;
		ops->draw_keys(state, canvas, y);
		return true;
	}
	return false;
}

/* The palette finds every command by its name, its help and the words of other tools.
 *
 * Problem: users of perf, htop or gdb type "annotate", "delay" or "export". The command that does
 * it, or something near it, has another name here.
 *
 * Idea: such words belong to a command and are searched like its name. If a word means different
 * commands in different views, all have it: the palette shows only commands of the present view.
 */

static const struct synonyms {
	const char *command;
	const char *words;	/* separated by one blank */
} synonyms[] = {
	{ "symbols", "functions report" },
	{ "dsos", "objects libraries modules" },
	{ "commands", "comm programs" },
	{ "tasks", "thread threads pids tids ps" },
	{ "cpus", "cores mpstat" },
	{ "tree", "callers callees callgraph call-graph stacks backtrace" },
	{ "flame", "flamegraph icicle" },
	{ "groups", "hierarchy breakdown" },
	{ "find-target", "syscalls tracepoints kprobes uprobes usdt presets strace bpftrace" },
	{ "new-probe", "syscalls tracepoints kprobes uprobes usdt presets strace bpftrace" },
	{ "probe", "breakpoint uprobe kprobe trace" },
	{ "probe-remove", "kill delete detach" },
	{ "probe-extend", "renew" },
	{ "row-menu", "kill signal renice actions" },
	{ "probe-menu", "actions" },
	{ "listing", "annotate disassemble assembler asm code source lines" },
	{ "next-layer", "annotate disassemble assembler asm source lines" },
	{ "arrows", "jumps" },
	{ "follow", "jump call enter" },
	{ "inlined", "source lines" },
	{ "columns", "source lines fields setup" },
	{ "search", "find" },
	{ "filter", "grep match" },
	{ "order", "sort-by" },
	{ "save-stacks", "export write dump share folded svg html pprof json csv" },
	{ "pause", "freeze stop" },
	{ "earlier", "history past rewind" },
	{ "window", "duration last" },
	{ "zero", "reset clear" },
	{ "mark-baseline", "baseline" },
	{ "compare", "diff delta" },
	{ "interval", "delay refresh" },
	{ "event", "pmu" },
	{ "counters", "stat ipc" },
	{ "counter-line", "ipc" },
	{ "threads-now", "pstack deadlock blocked" },
	{ "frequency", "rate hz" },
	{ "target", "attach process user cgroup" },
	{ "hide-kernel", "user-only" },
	{ "hide-user", "kernel-only" },
	{ "raw-names", "mangled demangle scheduler leaf" },
	{ "theme", "colors dark light" },
	{ "messages", "warnings errors" },
	{ "losses", "lost dropped" },
	{ "command", "command-line batch shell script" },
	{ "copy-line", "yank clipboard" },
	{ "repaint", "redraw" },
	{ "help", "keys shortcuts manual" },
	{ "quit", "exit" },
};

static const char *find_synonyms(const struct command *command)
{
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (!strcmp(synonyms[i].command, command->name))
			return synonyms[i].words;
	return "";
}

/* A preset has the number of a command after the last. The finder shows what it is, and takes
 * values for its parameters. */
static void command_chosen(struct ui_state *state, const struct menu_item *item)
{
	const size_t index = (size_t)item->id;

	if (index < state->keymap->count) {
		state->chosen = &state->keymap->commands[index];
		snprintf(state->argument, sizeof(state->argument), "%s",
			 menu_argument(&state->menu));
	} else {
		finder_open_text(state, presets_at(state->finder_control->presets,
						   index - state->keymap->count)->name);
	}
}

static void add_presets(struct ui_state *state)
{
	const struct presets *presets =
		state->finder_control ? state->finder_control->presets : NULL;
	char label[MENU_LABEL_BYTES];

	for (size_t i = 0; presets && i < presets_count(presets); i++) {
		const struct preset *preset = presets_at(presets, i);

		snprintf(label, sizeof(label), "%-14s %s: %s", preset->name, preset->title,
			 preset->about);
		menu_add(&state->menu, (int)(state->keymap->count + i), MENU_PLAIN, label,
			 "preset");
		menu_set_synonyms(&state->menu, preset->also);
	}
}

void cmd_palette(struct ui_state *state)
{
	static const struct menu_use use = { command_chosen };
	const struct command *table = state->keymap->commands;
	char label[MENU_LABEL_BYTES], keys[KEYMAP_TEXT_BYTES];
	bool has_finder = false;

	state_open_menu(state, &use, "command", true);
	for (size_t i = 0; i < state->keymap->count; i++) {
		if (!(table[i].where & state->view->ops->place) ||
		    table[i].action.run == cmd_palette)
			continue;
		snprintf(label, sizeof(label), "%-14s %s", table[i].name, table[i].help);
		menu_add(&state->menu, (int)i, MENU_PLAIN, label,
			 keymap_format(state->keymap, &table[i], keys));
		menu_set_synonyms(&state->menu, find_synonyms(&table[i]));
		if (table[i].traits & COMMAND_TAKES_TEXT)
			menu_take_argument(&state->menu);
		has_finder |= !strcmp(table[i].name, "find-target");
	}
	if (has_finder)
		add_presets(state);
}
