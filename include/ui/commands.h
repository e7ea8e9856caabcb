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
	COMMAND_NEEDS_ROWS = 1 << 0,	/* acts on rows: deferred while new rows are on their way */
	COMMAND_LEAVES = 1 << 1,	/* never deferred, unless after a deferred COMMAND_ASKS */
	COMMAND_ASKS = 1 << 2,	/* opens a prompt or a menu, which gets the keys after it */
};

struct command {
	int keys[COMMAND_KEYS];	/* defaults: enum ui_key or characters; 0: no more. See keymap.h */
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

/* Returns what views of @place (one bit) are called, in lower case: "tree". */
const char *commands_place_name(enum view_place place);

/* Returns the command called @name, which must exist. */
const struct command *commands_find(const char *name);

#endif
