/* keymap.h - commands, and the keys that run them: the defaults of a table of commands, changed by
 * the user's configuration.
 *
 * Table:  every command is in ui/commands.c, once: dispatch, the '?' screen, the palette, the
 *         bottom line, the configuration's [keys] and the manual are made from it.
 * Text:   keys as the help prints them, ", " between: "Up, k", "Ctrl-L", "Space", "F5", "\".
 * Thread: filled before the screen starts, then constant; any. The functions of the commands are
 *         the ui thread's.
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include <stddef.h>

#include "base/diag.h"

#define COMMAND_KEYS	  4	/* most default keys of one command */
#define KEYMAP_KEYS	  4	/* most keys of one command */
#define KEYMAP_COMMANDS	  160	/* more than there are commands */
#define KEYMAP_TEXT_BYTES 80

/* Where a command works: a bit per kind of view. */
enum view_place {
	IN_TABLE = 1 << 0,
	IN_PAGER = 1 << 1,
	IN_TREE = 1 << 2,
	IN_FLAME = 1 << 3,
	IN_PROBES = 1 << 4,	/* the list of probes, and the page of one probe */
	IN_GROUPS = 1 << 5,	/* the group tree */
	IN_BUTTERFLY = 1 << 6,	/* a function, its callers and callees */
	IN_LISTING = 1 << 7,	/* the code of a function */
	IN_COUNTERS = 1 << 8,	/* counters: no samples */
	IN_THREADS = 1 << 9,	/* where threads are now */
	IN_SAMPLES = IN_TABLE | IN_TREE | IN_FLAME | IN_GROUPS | IN_BUTTERFLY |
		     IN_LISTING,	/* samples */
	IN_TIMED = IN_SAMPLES | IN_PROBES | IN_COUNTERS,	/* views of a window of time */
	IN_ALL = IN_TIMED | IN_PAGER | IN_THREADS,
};

struct ui_state;

/* Bits. */
enum command_trait {
	COMMAND_PLAIN = 0,
	COMMAND_NEEDS_ROWS = 1 << 0,	/* acts on rows: deferred while new rows are on their way */
	COMMAND_LEAVES = 1 << 1,	/* never deferred, unless after a deferred COMMAND_ASKS */
	COMMAND_ASKS = 1 << 2,	/* opens a prompt or a menu, which gets the keys after it */
	COMMAND_OF_PAST = 1 << 3,	/* in the bottom line only while the past is shown */
	COMMAND_OF_NOW = 1 << 4,	/* never there while the past is shown */
	COMMAND_PROBES = 1 << 5,	/* never there where there can be no probes */
	COMMAND_TAKES_TEXT = 1 << 6,	/* in the palette with a text after its name */
};

/* What a command does: one of the two functions. */
struct command_action {
	void (*run)(struct ui_state *state);
	void (*run_with)(struct ui_state *state, int argument);
	int argument;
};

struct command {
	int keys[COMMAND_KEYS];	/* defaults: enum ui_key or characters; 0: no more */
	const char *name;
	unsigned int where;	/* enum view_place bits */
	unsigned int traits;	/* enum command_trait bits */
	struct command_action action;
	const char *help;	/* one sentence */
	const char *label;	/* in the bottom line; NULL: never there */
	int label_rank;		/* 1 is the last to leave a narrow bottom line */
};

extern const struct command commands[];
extern const size_t command_count;

struct keymap {
	const struct command *commands;	/* the table; BORROWED */
	size_t count;			/* commands in it */
	int keys[KEYMAP_COMMANDS][KEYMAP_KEYS];	/* in the table's order; 0: no more */
};

/* Sets the defaults of a table of @count commands, which stays the caller's. */
void keymap_init(struct keymap *keymap, const struct command *table, size_t count);

/* Returns the command called @name, which must exist. */
const struct command *keymap_command(const struct keymap *keymap, const char *name);
/* Runs the command. */
void keymap_run(const struct command *command, struct ui_state *state);
/* Returns what views of @place (one bit) are called, in lower case: "tree". */
const char *keymap_place_name(enum view_place place);

/* Replaces all keys of the command @name by those in @text ("": none). A key that another command
 * had in the same place is taken from it. Returns 0, or with the map unchanged -ENOENT: no such
 * command (@why names a near one); -EINVAL: no such key, too many, or `quit` would have none. */
int keymap_bind(struct keymap *keymap, const char *name, const char *text, struct diag *why);

/* Returns the command of @key in views of @place, or NULL. */
const struct command *keymap_find(const struct keymap *keymap, int key, enum view_place place);

/* Returns the first key of the command; 0: none. */
int keymap_key(const struct keymap *keymap, const struct command *command);
/* Formats all keys of the command into @out[KEYMAP_TEXT_BYTES]; returns @out. */
char *keymap_format(const struct keymap *keymap, const struct command *command, char *out);

/* Returns the key called @name ("Ctrl-L", "Space", "k"), or 0. */
int keymap_parse_key(const char *name);

#endif
