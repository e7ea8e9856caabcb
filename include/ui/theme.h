/* theme.h - what a piece of the screen means, and how each theme shows that meaning.
 *
 * Use:    views draw roles, never colours; ui/term_curses.c turns a role into what there is.
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
	ROLE_JIT,		/* code that was made at run time */
	ROLE_MATCH,		/* what the search found */
	ROLE_TAB,		/* the view on the screen, among the names of views */
	ROLE_STRIP,		/* the load of the last seconds */
	ROLE_STRIP_HIGH,	/* where it is 80 % and more */
	ROLE_BOX,		/* a menu over the table: frame and text */
	ROLE_BOX_CURSOR,	/* its chosen line */
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
	short color_256;	/* xterm's palette, or LOOK_DEFAULT_COLOR */
	short color_16;		/* ANSI 0..15; with 8 colours the low three bits */
	unsigned char attributes;	/* with colours */
	unsigned char mono_attributes;	/* without */
};

struct theme {
	const char *name;
	struct look looks[ROLE_COUNT];
};

extern const struct theme themes[];	/* the first is the default */
extern const unsigned int theme_count;

#endif
