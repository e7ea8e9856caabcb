/* theme.h - what a piece of the screen means, and how each theme shows that meaning.
 *
 * Use:    views draw roles, never colours; ui/term/term_curses.c turns a role into what there is.
 * Fewer:  a terminal without 256 colours gets the theme "16", one without colours "mono",
 *         whatever was chosen: see theme_for_colors().
 * Rule:   no role is told by its colour alone: there is always a letter, a word or a place, too.
 * Thread: constant tables; any.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

enum role {
	ROLE_TEXT,
	ROLE_DIM,		/* there when looked for */
	ROLE_NAME,		/* the program's name, titles of views */
	ROLE_HEADING,		/* column titles */
	ROLE_HOT,		/* share of 5 % and more */
	ROLE_WARM,		/* 0.5 % and more */
	ROLE_COOL,
	ROLE_USER,		/* kinds of code */
	ROLE_KERNEL,
	ROLE_GUEST,
	ROLE_UNRESOLVED,
	ROLE_LOSS,		/* something was lost */
	ROLE_STATE,		/* paused, filtered, ...: the picture is not the plain one */
	ROLE_KEY,		/* a key to press */
	ROLE_SELECTED,		/* the row under the cursor */
	ROLE_SELECTED_BAR,	/* its bar: reversed, the blocks would be holes */
	ROLE_JIT,		/* code that was made at run time */
	ROLE_MATCH,		/* what the search found */
	ROLE_TAB,		/* the view on the screen, among the names of views */
	ROLE_STRIP,		/* the load of the last seconds */
	ROLE_STRIP_HIGH,	/* where it is 80 % and more */
	ROLE_BOX,		/* a menu over the table: frame and text */
	ROLE_BOX_DIM,		/* what is there when looked for */
	ROLE_BOX_CURSOR,	/* its chosen line */
	ROLE_MORE,		/* compared: more than before */
	ROLE_LESS,
	ROLE_FILL_USER,		/* boxes of the flame graph: kinds of code, and behind each the */
	ROLE_FILL_USER_HOT,	/* same on the hottest path */
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
	ROLE_FILL_MORE,		/* compared: more than before, red; behind it where it is much */
	ROLE_FILL_MORE_LARGE,
	ROLE_FILL_LESS,		/* less, blue */
	ROLE_FILL_LESS_LARGE,
	ROLE_FILL_QUIET,	/* callers of the zoomed frame, frames without room */
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
	const char *help;	/* where it reads best, half a sentence */
	int colors;		/* that it needs, at least */
	struct look looks[ROLE_COUNT];
};

#define ROLE_FILL_FIRST ROLE_FILL_USER

extern const struct theme themes[];	/* the first is the default */
extern const unsigned int theme_count;

/* NULL: there is none of that name. */
const struct theme *theme_find(const char *name);

/* What stands for @theme where there are @colors colours (0: none): itself, "16" or "mono". */
const struct theme *theme_for_colors(const struct theme *theme, int colors);

/* How half a cell of a fill looks beside nothing: its background as the colour of a block. */
struct look theme_edge(const struct look *fill);

#endif
