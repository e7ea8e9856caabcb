/* keymap.h - maps keys to commands: the defaults of ui/commands.c, changed by the user's
 * configuration.
 *
 * Text:   keys as the help prints them, ", " between: "Up, k", "Ctrl-L", "Space", "F5", "\".
 * Thread: filled before the screen starts, then constant; any.
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include <stddef.h>

#include "base/diag.h"
#include "ui/view.h"

#define KEYMAP_KEYS	  4	/* most keys of one command */
#define KEYMAP_COMMANDS	  128	/* more than there are commands */
#define KEYMAP_TEXT_BYTES 80

struct command;

struct keymap {
	int keys[KEYMAP_COMMANDS][KEYMAP_KEYS];	/* in the order of commands[]; 0: no more */
};

void keymap_init(struct keymap *keymap);	/* the defaults */

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
