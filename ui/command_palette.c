/* command_palette.c - finds every command by its name, its help and the words of other tools.
 *
 * Problem: users of perf, htop or gdb type "annotate", "delay" or "export". The command that does
 * it, or something near it, has another name here.
 *
 * Idea: such words belong to a command and are searched like its name. If a word means different
 * commands in different views, all have it: the palette shows only commands of the present view.
 */
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "ui/commands.h"

static const struct synonyms {
	const char *command;
	const char *words;	/* separated by one blank */
} synonyms[] = {
	{ "symbols", "functions report" },
	{ "objects", "dso libraries modules" },
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
	{ "inlined", "annotate source lines" },
	{ "columns", "annotate source lines fields setup" },
	{ "search", "find" },
	{ "filter", "grep match" },
	{ "order", "sort-by" },
	{ "save-stacks", "export write dump folded" },
	{ "pause", "freeze stop" },
	{ "earlier", "history past rewind" },
	{ "window", "duration last" },
	{ "zero", "reset clear" },
	{ "mark-baseline", "baseline" },
	{ "compare", "diff delta" },
	{ "interval", "delay refresh" },
	{ "event", "counters pmu" },
	{ "frequency", "rate hz" },
	{ "target", "attach process user cgroup" },
	{ "hide-kernel", "user-only" },
	{ "hide-user", "kernel-only" },
	{ "raw-names", "mangled demangle" },
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

/* By its key where it has one, so that it waits for rows as the key does. */
static void command_chosen(struct ui_state *state, const struct menu_item *item)
{
	const struct command *command = &commands[item->id];
	const int key = keymap_key(state->keymap, command);

	if (key)
		state_press_key(state, key, NULL);
	else
		command->run(state);
}

void cmd_palette(struct ui_state *state)
{
	static const struct menu_use use = { command_chosen };
	char label[MENU_LABEL_BYTES], keys[KEYMAP_TEXT_BYTES];

	state_open_menu(state, &use, "command", true);
	for (size_t i = 0; i < command_count; i++) {
		if (!(commands[i].where & state->view->ops->place) ||
		    commands[i].run == cmd_palette)
			continue;
		snprintf(label, sizeof(label), "%-14s %s", commands[i].name, commands[i].help);
		menu_add(&state->menu, (int)i, MENU_PLAIN, label,
			 keymap_format(state->keymap, &commands[i], keys));
		menu_set_synonyms(&state->menu, find_synonyms(&commands[i]));
	}
}
