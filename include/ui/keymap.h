/* keymap.h - which key means which command: the defaults of ui/commands.c, changed by the user's
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

#define KEYMAP_KEYS	  4	/* of one command */
#define KEYMAP_COMMANDS	  128	/* more than there are */
#define KEYMAP_TEXT_BYTES 80

struct command;

struct keymap {
	int keys[KEYMAP_COMMANDS][KEYMAP_KEYS];	/* in the order of commands[]; 0: no more */
};

void keymap_init(struct keymap *keymap);	/* the defaults */

/* @text replaces all keys of the command called @name; "": none. A key that another command had in
 * the same place is taken away from it. -ENOENT: no such command (with a near one); -EINVAL: no
 * such key, or too many; the map is unchanged then. The last key of `quit` can't be taken. */
int keymap_bind(struct keymap *keymap, const char *name, const char *text, struct diag *why);

/* The command that @key has in a view of @place, or NULL. */
const struct command *keymap_find(const struct keymap *keymap, int key, enum view_place place);

/* The first key of the command, 0: none. */
int keymap_key(const struct keymap *keymap, const struct command *command);
/* All its keys as text, into @out[KEYMAP_TEXT_BYTES]; returns @out. */
char *keymap_format(const struct keymap *keymap, const struct command *command, char *out);

/* The key that is called @name ("Ctrl-L", "Space", "k"), or 0. */
int keymap_parse_key(const char *name);

#endif
