/* stages_screens.c - what drawing a table and painting it costs. The terminal is a pty, of which a
 * program reads that throws all away. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages_window.h"
#include "term/term.h"

#include "../unit/ui_fixture.h"

struct screen {
	struct window *window;
	struct snapshot *snapshot;	/* owned */
	struct ui ui;
	struct terminal *term;		/* NULL: only drawn */
	int input, output;		/* ours, in place of which the pty is */
	pid_t reader;
};

static struct screen *draw_create(const struct stages_shape *shape)
{
	struct screen *screen = stages_allocate(1, sizeof(*screen));

	screen->window = window_create(shape, KEY_DSO | KEY_SYMBOL, TREE_NONE);
	screen->snapshot = window_publish(screen->window);
	ui_open(&screen->ui, (int)shape->width, (int)shape->height);
	screen->ui.snapshot = *screen->snapshot;
	ui_show(&screen->ui);
	return screen;
}

static void *draw_set_up(const struct stages_shape *shape)
{
	return draw_create(shape);
}

static void draw_tear_down(void *state)
{
	struct screen *screen = state;

	ui_finish(&screen->ui);
	snapshot_destroy(screen->snapshot);
	window_destroy(screen->window);
	free(screen);
}

static uint64_t draw_round(void *state)
{
	struct screen *screen = state;

	frame_draw(&screen->ui.state, &screen->ui.canvas);
	return 1;
}

/* Reads the other end of the terminal until it is closed. */
static pid_t start_reader(int pty)
{
	const pid_t reader = fork();

	if (reader)
		return reader;
	dup2(pty, STDIN_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);	/* NOLINT: cat keeps it */
	dup2(STDOUT_FILENO, STDERR_FILENO);	/* it would complain of the end */
	execlp("cat", "cat", (char *)NULL);
	_exit(127);
}

static void take_terminal(struct screen *screen, const struct stages_shape *shape)
{
	const struct winsize size = { .ws_row = (unsigned short)shape->height,
				      .ws_col = (unsigned short)shape->width };
	const int pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int terminal = -1;

	stages_need(pty >= 0 && !grantpt(pty) && !unlockpt(pty), "no pseudo terminal");
	terminal = open(ptsname(pty), O_RDWR | O_NOCTTY | O_CLOEXEC);
	stages_need(terminal >= 0 && !ioctl(terminal, TIOCSWINSZ, &size), "no pseudo terminal");
	screen->reader = start_reader(pty);
	stages_need(screen->reader > 0, "no process to read the terminal");
	close(pty);
	screen->input = dup(STDIN_FILENO);
	screen->output = dup(STDOUT_FILENO);
	stages_need(dup2(terminal, STDIN_FILENO) >= 0 && dup2(terminal, STDOUT_FILENO) >= 0,
		    "no descriptors left");
	close(terminal);
}

static void *paint_set_up(const struct stages_shape *shape)
{
	struct screen *screen = draw_create(shape);
	const struct term_config config = { .color = COLOR_ALWAYS, .theme = &themes[0] };
	struct diag why = { 0 };
	int width, height;

	setenv("TERM", "xterm-256color", 1);
	take_terminal(screen, shape);
	stages_need(!term_enter(&screen->term, &config, &why), why.text);
	term_update_size(screen->term, &width, &height);
	draw_round(screen);
	term_paint(screen->term, &screen->ui.canvas);
	return screen;
}

static void paint_tear_down(void *state)
{
	struct screen *screen = state;

	term_leave(screen->term);
	dup2(screen->input, STDIN_FILENO);
	dup2(screen->output, STDOUT_FILENO);
	close(screen->input);
	close(screen->output);
	kill(screen->reader, SIGTERM);
	waitpid(screen->reader, NULL, 0);
	draw_tear_down(screen);
}

static void forget(void *state)
{
	const struct screen *screen = state;

	term_forget(screen->term);
}

static void change_cell(void *state)
{
	struct screen *screen = state;
	struct canvas *canvas = &screen->ui.canvas;
	struct canvas_cell *middle =
		&canvas->cells[canvas->width * (canvas->height / 2) + canvas->width / 2];

	middle->code = middle->code == 'a' ? 'b' : 'a';
}

static uint64_t paint_round(void *state)
{
	struct screen *screen = state;

	term_paint(screen->term, &screen->ui.canvas);
	return 1;
}

const struct stage stages_of_screens[] = {
	{ "draw", "frame", "a snapshot -> all cells", draw_set_up, NULL, draw_round,
	  draw_tear_down },
	{ "paint_all", "frame", "all cells -> the terminal", paint_set_up, forget, paint_round,
	  paint_tear_down },
	{ "paint_cell", "frame", "one cell that has changed", paint_set_up, change_cell,
	  paint_round, paint_tear_down },
	{ "paint_none", "frame", "nothing has changed", paint_set_up, NULL, paint_round,
	  paint_tear_down },
	{ .name = NULL },
};
