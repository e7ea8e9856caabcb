/* theme.h - roles (what a piece of the screen means) and the look of each role per theme.
 *
 * Use:    views draw roles, never colours; ui/term/term_curses.c maps a role to what the terminal
 *         has. With fewer than 256 colours the theme is "16", without colours "mono", whatever was
 *         chosen: see theme_for_colors().
 * Rule:   no role is shown by its colour alone: a letter, a word or a position shows it, too.
 * Thread: constant tables; any.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

enum color_mode {
	COLOR_AUTO,		/* by terminfo; none if NO_COLOR is set */
	COLOR_ALWAYS,		/* by terminfo */
	COLOR_NEVER,
};

enum role {
	ROLE_TEXT,
	ROLE_DIM,		/* secondary text */
	ROLE_NAME,		/* the program's name, titles of views */
	ROLE_HEADING,		/* column titles */
	ROLE_HOT,		/* share of 5 % and more */
	ROLE_WARM,		/* share of 0.5 % and more */
	ROLE_COOL,
	ROLE_USER,		/* user code; the next three are other kinds of code */
	ROLE_KERNEL,
	ROLE_GUEST,
	ROLE_UNRESOLVED,
	ROLE_LOSS,		/* something was lost */
	ROLE_STATE,		/* paused, filtered, ...: the view is not the plain one */
	ROLE_KEY,		/* a key to press */
	ROLE_SELECTED,		/* the row under the cursor */
	ROLE_SELECTED_BAR,	/* bar in that row; reversed, its blocks would look like holes */
	ROLE_JIT,		/* code that was made at run time */
	ROLE_MATCH,		/* match of the search */
	ROLE_TAB,		/* the view on the screen, among the names of views */
	ROLE_ACTIVITY,		/* activity graph */
	ROLE_ACTIVITY_HIGH,	/* activity graph at a load of 80 % and more */
	ROLE_BOX,		/* a menu over the table: frame and text */
	ROLE_BOX_DIM,		/* secondary text in a box */
	ROLE_BOX_CURSOR,	/* line under the cursor in a box */
	ROLE_MORE,		/* compared: more than before */
	ROLE_LESS,		/* compared: less than before */
	ROLE_FILL_USER,		/* flame graph boxes by kind of code; _HOT: on the hottest path */
	ROLE_FILL_USER_HOT,
	ROLE_FILL_KERNEL,
	ROLE_FILL_KERNEL_HOT,
	ROLE_FILL_JIT,
	ROLE_FILL_JIT_HOT,
	ROLE_FILL_INLINED,
	ROLE_FILL_INLINED_HOT,
	ROLE_FILL_UNKNOWN,	/* without a symbol */
	ROLE_FILL_UNKNOWN_HOT,
	ROLE_FILL_HEAT,		/* a large share */
	ROLE_FILL_HEAT_HOT,
	ROLE_FILL_MORE,		/* compared: more than before, red; _LARGE: much more */
	ROLE_FILL_MORE_LARGE,
	ROLE_FILL_LESS,		/* compared: less than before, blue; _LARGE: much less */
	ROLE_FILL_LESS_LARGE,
	ROLE_FILL_QUIET,	/* callers of the zoomed frame, boxes of others */
	ROLE_FILL_MATCH,
	ROLE_FILL_SELECTED,
	ROLE_COUNT
};

enum look_attribute {
	LOOK_BOLD = 1 << 0,
	LOOK_DIM = 1 << 1,
	LOOK_UNDERLINE = 1 << 2,
	LOOK_REVERSE = 1 << 3,
};

#define LOOK_DEFAULT_COLOR (-1)

struct look {
	short color, back;	/* xterm's palette, 0..15 the ANSI colours, or LOOK_DEFAULT_COLOR */
	unsigned char attributes;
};

struct theme {
	const char *name;
	const char *help;	/* where the theme reads best, half a sentence */
	int colors;		/* how many colours it needs */
	struct look looks[ROLE_COUNT];
};

#define ROLE_FILL_FIRST ROLE_FILL_USER

extern const struct theme themes[];	/* the first is the default */
extern const unsigned int theme_count;

/* Returns the theme called @name, or NULL. */
const struct theme *theme_find(const char *name);

/* Returns the theme to use instead of @theme on a terminal with @colors colours (0: none): @theme
 * itself, "16" or "mono". */
const struct theme *theme_for_colors(const struct theme *theme, int colors);

/* Returns the look of the half cell at the edge of a fill: the fill's background as foreground. */
struct look theme_edge(const struct look *fill);

#endif
