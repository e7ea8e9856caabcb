/* commands.h - every key, once: dispatch, the '?' screen, the bottom line and README's key table
 * are made from one array.
 * Thread: constant table; the functions in it are the ui thread's. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H

#include <stddef.h>

#include "ui/view.h"

#define COMMAND_KEYS	   3
#define COMMANDS_KEY_BYTES 64

struct command {
	int keys[COMMAND_KEYS];	/* enum ui_key or characters; 0: no more */
	const char *name;
	unsigned int where;	/* enum view_place bits */
	void (*run)(struct ui_state *state);
	const char *help;	/* one sentence */
	const char *label;	/* in the bottom line; NULL: never there */
	int label_rank;		/* 1 is the last to leave a narrow bottom line */
};

extern const struct command commands[];
extern const size_t command_count;

/* The command that @key has in a view of @place, or NULL. */
const struct command *commands_find(int key, enum view_place place);

/* "Up, k" into @out[COMMANDS_KEY_BYTES]; returns @out. */
char *commands_format_keys(const struct command *command, char *out);

#endif
