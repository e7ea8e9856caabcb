/* term_curses.c - the only file that knows curses.
 *
 * Idea: curses does what it is good at: terminfo, and sending as little as possible for a changed
 * frame. It does no input (ui/term/keys.c does) because it would block, no signals because the
 * event loop reads them from a descriptor, and no typeahead check because that delays painting
 * while keys are held down.
 *
 * Invariant: while the screen is taken, `restore` below has all that is needed to restore the
 * terminal with only write(2) and tcsetattr(3): both are async-signal-safe, curses is not.
 *
 * A terminal that nobody reads blocks every write of curses, and the event loop with it. So while
 * curses writes, a timer checks whether a terminating signal is pending; if so, the handler
 * discards the terminal's output queue, and the interrupted write finds room. Rejected: exiting
 * from the handler, which would skip the normal cleanup; non-blocking output, which curses partly
 * drops without an error.
 */
#include "term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#define STUCK_MS 500		/* interval of the check for a blocked write */
#define MAX_CELLS 1000		/* a terminal that says it is larger is lying */

/* A mode of the terminal that curses knows nothing of; "" where there is none. */
struct mode_bytes {
	char on[64], off[64];
};

struct curses_look {
	attr_t attributes;
	short pair;
};

struct terminal {
	SCREEN *screen;
	struct guardian *guardian;
	bool is_ascii, wants_mouse;
	int colors;			/* that may be used; 0: none */
	struct mode_bytes mouse, paste;
	struct canvas shown;		/* the terminal's content */
	struct curses_look looks[ROLE_COUNT], edges[ROLE_COUNT];	/* INK_TEXT, INK_FILL */
	int width, height;
};

static const int fatal_signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT };
#define FATAL_COUNT (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

/* For the handlers of fatal signals and of the timer. Set before the handler is; then only the
 * atomics change. */
static struct {
	volatile sig_atomic_t is_taken, is_leaving, was_discarded;
	struct termios cooked;
	char bytes[256];
	size_t count;
	struct guardian *guardian;
	struct sigaction before[FATAL_COUNT];
} restore;

static void restore_on_fatal(int signal)
{
	const int saved = errno;
	ssize_t done;

	if (restore.is_taken) {
		restore.is_taken = 0;
		tcflush(STDOUT_FILENO, TCOFLUSH);	/* or an unread snapshot blocks the write */
		done = write(STDOUT_FILENO, restore.bytes, restore.count);
		(void)done;
		tcsetattr(STDIN_FILENO, TCSANOW, &restore.cooked);
		if (restore.guardian)
			guardian_screen_left(restore.guardian);
	}
	for (size_t i = 0; i < FATAL_COUNT; i++)
		if (fatal_signals[i] == signal)
			sigaction(signal, &restore.before[i], NULL);
	errno = saved;
	raise(signal);		/* blocked until we return, then it does what it would have done */
}

/* The signals that end us are blocked: they stay pending until the event loop reads them. */
static void discard_when_ending(int signal)
{
	const int saved = errno;
	sigset_t pending;

	(void)signal;
	sigpending(&pending);
	if (restore.is_leaving || sigismember(&pending, SIGTERM) ||
	    sigismember(&pending, SIGHUP) || sigismember(&pending, SIGINT)) {
		restore.was_discarded = 1;
		tcflush(STDOUT_FILENO, TCOFLUSH);
	}
	errno = saved;
}

static void look_after_writes(bool is_on)
{
	const suseconds_t every_us = is_on ? STUCK_MS * 1000 : 0;
	const struct itimerval timer = { .it_interval.tv_usec = every_us,
					 .it_value.tv_usec = every_us };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static int collect_byte(int byte)
{
	if (restore.count < sizeof(restore.bytes))
		restore.bytes[restore.count++] = (char)byte;
	return byte;
}

static void collect_restore_bytes(const struct terminal *term)
{
	const char *const strings[] = {
		term->mouse.off, term->paste.off,     keypad_local, cursor_normal,
		exit_attribute_mode, orig_pair, exit_ca_mode,
	};

	restore.count = 0;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		if (strings[i])
			tputs(strings[i], 1, collect_byte);
}

static bool is_string(const char *capability)
{
	return capability && capability != (const char *)-1;
}

static void set_mode(struct mode_bytes *mode, const char *on, const char *more_on,
		     const char *off, const char *more_off)
{
	const int on_bytes = snprintf(mode->on, sizeof(mode->on), "%s%s", on, more_on);
	const int off_bytes = snprintf(mode->off, sizeof(mode->off), "%s%s", off, more_off);

	if (on_bytes >= (int)sizeof(mode->on) || off_bytes >= (int)sizeof(mode->off))
		mode->on[0] = mode->off[0] = '\0';
}

/* Finds the modes by terminfo's extended names. Descriptions older than these names that have a
 * mouse are of xterm imitations, which ignore unknown modes. DEC terminals must not get any of
 * these. 1000: buttons, 1002: dragging, too, 1006: positions beyond column 223, 2004: bracketed
 * paste (ctlseqs). */
static void find_modes(struct terminal *term)
{
	char *mouse = tigetstr("XM"), *paste_on = tigetstr("BE"), *paste_off = tigetstr("BD");
	char mouse_on[sizeof(term->mouse.on)];

	if (is_string(mouse)) {
		snprintf(mouse_on, sizeof(mouse_on), "%s", tiparm(mouse, 1));
		set_mode(&term->mouse, mouse_on, "\033[?1002h", "\033[?1002l", tiparm(mouse, 0));
	} else if (is_string(key_mouse)) {
		set_mode(&term->mouse, "\033[?1000h\033[?1002h", "\033[?1006h",
			 "\033[?1006l\033[?1002l", "\033[?1000l");
	}
	if (is_string(paste_on) && is_string(paste_off))
		set_mode(&term->paste, paste_on, "", paste_off, "");
	else if (is_string(key_mouse))
		set_mode(&term->paste, "\033[?2004h", "", "\033[?2004l", "");
}

static void catch_fatal_signals(void)
{
	/* Each thread has a stack for it (base/diag.h): the overflow of another is no obstacle. */
	struct sigaction action = { .sa_handler = restore_on_fatal, .sa_flags = SA_ONSTACK };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal_signals[i], &action, &restore.before[i]);
}

static void catch_timer(void)
{
	const struct sigaction action = { .sa_handler = discard_when_ending,
					  .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
}

static void release_fatal_signals(void)
{
	for (size_t i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal_signals[i], &restore.before[i], NULL);
}

/* curses catches these for itself; the event loop wants them. */
static void take_signals_from_curses(void)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	const struct sigaction action = { .sa_handler = SIG_DFL };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaction(taken[i], &action, NULL);
}

/* Beyond cbreak: no flow control (Ctrl-S would stop the screen), no extended editing keys. Signals
 * from keys stay: Ctrl-Z and Ctrl-C mean the whole job. */
static void set_tty_modes(void)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(STDIN_FILENO, &modes) == 0) {
		modes.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR);
		modes.c_lflag &= ~(tcflag_t)IEXTEN;
		modes.c_cc[VMIN] = 1;
		modes.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
	}
	def_prog_mode();	/* term_resume() goes back to this */
}

static bool wants_color(enum color_mode mode)
{
	const char *no_color = getenv("NO_COLOR");

	if (mode == COLOR_NEVER)
		return false;
	return mode == COLOR_ALWAYS || !no_color || no_color[0] == '\0';
}

static attr_t curses_attributes(unsigned int look)
{
	return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_DIM ? A_DIM : 0) |
	       (look & LOOK_UNDERLINE ? A_UNDERLINE : 0) | (look & LOOK_REVERSE ? A_REVERSE : 0);
}

/* With 8 colours the bright ones are shown by bold; bright black, else plain black, by dim. */
static short reduce_color(const struct terminal *term, short color, attr_t *attributes)
{
	if (term->colors >= 16 || color < 8)
		return color;
	if (color == 8) {
		*attributes |= A_DIM;
		return LOOK_DEFAULT_COLOR;
	}
	*attributes |= A_BOLD;
	return (short)(color & 7);
}

/* Gives pair number @pair that look. */
static struct curses_look init_look(const struct terminal *term, const struct look *look,
				    int pair)
{
	struct curses_look out = { .attributes = curses_attributes(look->attributes) };
	const short color = reduce_color(term, look->color, &out.attributes);

	if ((color != LOOK_DEFAULT_COLOR || look->back != LOOK_DEFAULT_COLOR) &&
	    init_pair((short)pair, color, look->back) == OK)
		out.pair = (short)pair;
	return out;
}

/* Only fills have edges: a terminal of 8 colours may have no more than 63 pairs. */
static void init_looks(struct terminal *term, const struct theme *theme)
{
	const struct look *looks = theme_for_colors(theme, term->colors)->looks;

	for (int role = 0; role < ROLE_COUNT; role++)
		term->looks[role] = init_look(term, &looks[role], role + 1);
	for (int role = ROLE_FILL_FIRST; role < ROLE_COUNT; role++) {
		const struct look edge = theme_edge(&looks[role]);

		term->edges[role] = init_look(term, &edge, ROLE_COUNT + role - ROLE_FILL_FIRST + 1);
	}
}

static void init_colors(struct terminal *term, enum color_mode mode)
{
	if (wants_color(mode) && has_colors() && start_color() == OK &&
	    use_default_colors() == OK && COLORS >= 8)
		term->colors = COLORS;
}

/* The kernel's console or a DEC terminal, which know little. */
static bool is_console(void)
{
	const char *name = getenv("TERM");

	return !name || strncmp(name, "linux", 5) == 0 || strncmp(name, "vt", 2) == 0;
}

/* The console's font and the DEC terminals have none of the block and arrow characters, whatever
 * the locale says. */
static bool needs_ascii(bool no_unicode)
{
	return no_unicode || strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || is_console();
}

static int check_terminal(struct diag *why)
{
	bool can_place;
	int result;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return diag_set(why, -ENOTTY, "no terminal: use --batch to print plain text");
	if (setupterm(NULL, STDOUT_FILENO, &result) != OK)
		return diag_set(why, -ENOTTY,
				"no description of the terminal \"%s\": set TERM, or use --batch",
				getenv("TERM") ? getenv("TERM") : "");
	can_place = cursor_address && clear_screen;
	del_curterm(cur_term);	/* newterm() makes its own */
	if (!can_place)
		return diag_set(why, -ENOTTY,
				"the terminal \"%s\" cannot place its cursor: set TERM, or use "
				"--batch",
				getenv("TERM"));
	return 0;
}

static void send_bytes(const char *bytes)
{
	ssize_t done;

	look_after_writes(true);
	done = write(STDOUT_FILENO, bytes, strlen(bytes));
	(void)done;	/* the terminal is gone: reading it will tell */
	look_after_writes(false);
}

static void switch_modes(const struct terminal *term, bool is_on)
{
	send_bytes(is_on ? term->paste.on : term->paste.off);
	if (term->wants_mouse || !is_on)
		send_bytes(is_on ? term->mouse.on : term->mouse.off);
}

int term_enter(struct terminal **out, const struct term_config *config, struct diag *why)
{
	struct terminal *term;
	int err;

	*out = NULL;
	err = check_terminal(why);
	if (err)
		return err;
	term = calloc(1, sizeof(*term));
	if (!term)
		return diag_set(why, -ENOMEM, "no memory for the screen");

	term->guardian = restore.guardian = config->guardian;
	term->wants_mouse = config->mouse;
	term->is_ascii = needs_ascii(config->no_unicode);
	tcgetattr(STDIN_FILENO, &restore.cooked);
	if (term->guardian)
		guardian_screen_taken(term->guardian);
	term->screen = newterm(NULL, stdout, stdin);
	if (!term->screen) {
		term_leave(term);
		return diag_set(why, -ENOTTY, "cannot use this terminal: use --batch");
	}
	take_signals_from_curses();
	find_modes(term);
	collect_restore_bytes(term);
	catch_fatal_signals();
	catch_timer();
	restore.is_taken = 1;
	set_tty_modes();
	typeahead(-1);
	curs_set(0);
	leaveok(stdscr, TRUE);
	init_colors(term, config->color);
	init_looks(term, config->theme);
	switch_modes(term, true);
	*out = term;
	return 0;
}

/* A terminal without an alternate screen keeps our last snapshot: the shell goes on in its bottom
 * line, which must be empty for that. */
static void end_curses(void)
{
	if (!exit_ca_mode) {
		leaveok(stdscr, FALSE);
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
		leaveok(stdscr, TRUE);
	}
	endwin();
}

void term_leave(struct terminal *term)
{
	if (!term)
		return;
	if (term->screen) {
		restore.is_leaving = 1;
		switch_modes(term, false);
		look_after_writes(true);
		end_curses();
		if (restore.was_discarded && write(STDOUT_FILENO, restore.bytes, restore.count) < 0)
			restore.was_discarded = 0;	/* the terminal is gone as well */
		look_after_writes(false);
		/* curses knows the modes as it found them; this also undoes what it doesn't know.
		 * Without waiting for a terminal that takes nothing. */
		tcsetattr(STDIN_FILENO, restore.was_discarded ? TCSANOW : TCSADRAIN,
			  &restore.cooked);
		restore.is_taken = 0;
		release_fatal_signals();
		delscreen(term->screen);
	}
	if (term->guardian)
		guardian_screen_left(term->guardian);
	canvas_finish(&term->shown);
	free(term);
}

void term_suspend(struct terminal *term)
{
	switch_modes(term, false);
	look_after_writes(true);
	end_curses();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &restore.cooked);
	look_after_writes(false);
	restore.is_taken = 0;
	if (term->guardian)
		guardian_screen_left(term->guardian);
}

void term_resume(struct terminal *term)
{
	tcgetattr(STDIN_FILENO, &restore.cooked);	/* the shell may have other modes now */
	if (term->guardian)
		guardian_screen_taken(term->guardian);
	restore.is_taken = 1;
	reset_prog_mode();
	switch_modes(term, true);
	term_forget(term);
}

bool term_is_ascii(const struct terminal *term)
{
	return term->is_ascii;
}

void term_set_mouse(struct terminal *term, bool is_on)
{
	if (is_on == term->wants_mouse)
		return;
	term->wants_mouse = is_on;
	send_bytes(is_on ? term->mouse.on : term->mouse.off);
}

void term_set_theme(struct terminal *term, const struct theme *theme)
{
	init_looks(term, theme);
	term_forget(term);
}

static int clamp_cells(int cells, int otherwise)
{
	if (cells <= 0)
		return otherwise;
	return cells < MAX_CELLS ? cells : MAX_CELLS;
}

bool term_update_size(struct terminal *term, int *width, int *height)
{
	struct winsize size = { 0 };
	bool is_new;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);	/* failed: 0, unknown */
	*width = clamp_cells(size.ws_col, 80);
	*height = clamp_cells(size.ws_row, 24);
	is_new = *width != term->width || *height != term->height;
	if (is_new) {
		resize_term(*height, *width);
		term_forget(term);
	}
	term->width = *width;
	term->height = *height;
	return is_new;
}

void term_forget(struct terminal *term)
{
	canvas_finish(&term->shown);
	clearok(curscr, TRUE);
}

static void paint_cell(const struct terminal *term, int x, int y, const struct canvas_cell *cell)
{
	const struct curses_look *look = cell->ink == INK_FILL ? &term->edges[cell->role]
							       : &term->looks[cell->role];
	wchar_t text[] = { (wchar_t)cell->code, (wchar_t)cell->mark, L'\0' };
	cchar_t curses_cell;

	setcchar(&curses_cell, text, look->attributes, look->pair, NULL);
	mvadd_wch(y, x, &curses_cell);	/* the last cell of the screen says ERR and is drawn */
}

static void paint_row(const struct terminal *term, const struct canvas *canvas, int y)
{
	const struct canvas_cell *row = &canvas->cells[y * canvas->width];

	for (int x = 0; x < canvas->width; x++)
		if (row[x].code != CANVAS_TAIL)
			paint_cell(term, x, y, &row[x]);
}

void term_paint(struct terminal *term, const struct canvas *canvas)
{
	const size_t row_bytes = (size_t)canvas->width * sizeof(*canvas->cells);
	struct canvas *shown = &term->shown;
	bool is_new = shown->width != canvas->width || shown->height != canvas->height;

	/* Without memory for the copy, everything is painted each time: slower, not wrong. */
	if (is_new)
		canvas_resize(shown, canvas->width, canvas->height);
	for (int y = 0; y < canvas->height; y++) {
		const int first = y * canvas->width;

		if (!is_new && !memcmp(&shown->cells[first], &canvas->cells[first], row_bytes))
			continue;
		paint_row(term, canvas, y);
		if (shown->cells)
			memcpy(&shown->cells[first], &canvas->cells[first], row_bytes);
	}
	look_after_writes(true);
	refresh();
	look_after_writes(false);
}

/* Source: RFC 4648, 4. Fills @out, 4 bytes for 3, and ends it. */
static void encode_base64(const char *text, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *at = (const unsigned char *)text;

	for (size_t left = strlen(text); left > 0; left -= left < 3 ? left : 3, at += 3) {
		const unsigned int bits = (unsigned int)at[0] << 16 |
					  (left > 1 ? (unsigned int)at[1] << 8 : 0) |
					  (left > 2 ? at[2] : 0);

		*out++ = digits[bits >> 18];
		*out++ = digits[bits >> 12 & 63];
		*out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*out++ = left > 2 ? digits[bits & 63] : '=';
	}
	*out = '\0';
}

/* The console would show the text of a sequence that it does not know. */
bool term_copy(struct terminal *term, const char *text)
{
	static char bytes[TERM_COPY_BYTES / 3 * 4 + 32];
	static const char begin[] = "\033]52;c;";

	(void)term;
	if (strlen(text) > TERM_COPY_BYTES || is_console() || !isatty(STDOUT_FILENO))
		return false;
	memcpy(bytes, begin, sizeof(begin));
	encode_base64(text, bytes + sizeof(begin) - 1);
	memcpy(bytes + strlen(bytes), "\a", 2);
	send_bytes(bytes);
	return true;
}

void term_ring(struct terminal *term)
{
	(void)term;
	send_bytes("\a");
}

int term_input_fd(const struct terminal *term)
{
	(void)term;
	return STDIN_FILENO;
}

ssize_t term_read(const struct terminal *term, unsigned char *out, size_t cap)
{
	ssize_t count;

	do
		count = read(term_input_fd(term), out, cap);
	while (count < 0 && errno == EINTR);
	return count;
}
