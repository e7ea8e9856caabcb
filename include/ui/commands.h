/* commands.h - every command, once: dispatch, the '?' screen, the palette, the bottom line, the
 * configuration's [keys], the manual and README's key table are made from one array.
 * Thread: constant table; the functions in it are the ui thread's. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H

#include <stddef.h>

#include "ui/view.h"

#define COMMAND_KEYS 4

/* Bits. */
enum command_trait {
	COMMAND_PLAIN = 0,
	COMMAND_NEEDS_ROWS = 1 << 0,	/* means the rows on the screen: waits while others are on
					 * their way */
	COMMAND_LEAVES = 1 << 1,	/* does not wait, but behind what COMMAND_ASKS */
	COMMAND_ASKS = 1 << 2,	/* opens a prompt or a menu: keys behind it are meant for that */
};

struct command {
	int keys[COMMAND_KEYS];	/* enum ui_key or characters; 0: no more. See ui/keymap.h */
	const char *name;
	unsigned int where;	/* enum view_place bits */
	unsigned int traits;	/* enum command_trait bits */
	void (*run)(struct ui_state *state);
	const char *help;	/* one sentence */
	const char *label;	/* in the bottom line; NULL: never there */
	int label_rank;		/* 1 is the last to leave a narrow bottom line */
};

extern const struct command commands[];
extern const size_t command_count;

/* What views of that place are called, with a small letter: "tree". @place is one bit. */
const char *commands_place_name(enum view_place place);

/* The command of that name, which must be there. */
const struct command *commands_find(const char *name);

#endif
