/* keymap.c - see ui/keymap.h.
 *
 * Invariant: in one place a key runs at most one command. Binding a key takes it from the command
 * that had it; all is tried on a copy, so that a line that fails changes nothing.
 */
#include "ui/keymap.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/name_match.h"
#include "base/sanitize.h"
#include "term/utf8.h"
#include "term/keys.h"

_Static_assert((int)COMMAND_KEYS <= (int)KEYMAP_KEYS, "the defaults have room");
_Static_assert(KEYMAP_KEYS * (KEYS_NAME_BYTES + 1) <= KEYMAP_TEXT_BYTES, "so has their text");

void keymap_init(struct keymap *keymap, const struct command *table, size_t count)
{
	assert(count <= KEYMAP_COMMANDS);
	*keymap = (struct keymap){ .commands = table, .count = count };
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < COMMAND_KEYS; k++)
			keymap->keys[i][k] = table[i].keys[k];
}

const struct command *keymap_command(const struct keymap *keymap, const char *name)
{
	size_t i = 0;

	while (strcmp(keymap->commands[i].name, name) != 0)
		i++;
	return &keymap->commands[i];
}

void keymap_run(const struct command *command, struct ui_state *state)
{
	const struct command_action *action = &command->action;

	if (action->run)
		action->run(state);
	else
		action->run_with(state, action->argument);
}

const char *keymap_place_name(enum view_place place)
{
	switch (place) {
	case IN_TABLE:	return "tables";
	case IN_PAGER:	return "pages of text";
	case IN_TREE:	return "tree";
	case IN_FLAME:	return "flame graph";
	case IN_PROBES: return "probes";
	case IN_GROUPS: return "groups";
	case IN_BUTTERFLY: return "butterfly";
	case IN_LISTING: return "listing";
	case IN_COUNTERS: return "counters";
	case IN_THREADS: return "threads";
	case IN_SAMPLES:
	case IN_TIMED:
	case IN_ALL:	break;
	}
	return "all views";
}

static size_t index_of(const struct keymap *keymap, const struct command *command)
{
	return (size_t)(command - keymap->commands);
}

int keymap_key(const struct keymap *keymap, const struct command *command)
{
	return keymap->keys[index_of(keymap, command)][0];
}

char *keymap_format(const struct keymap *keymap, const struct command *command, char *out)
{
	const int *keys = keymap->keys[index_of(keymap, command)];
	char name[KEYS_NAME_BYTES];
	size_t used = 0;

	out[0] = '\0';
	for (size_t k = 0; k < KEYMAP_KEYS && keys[k]; k++)
		used += (size_t)snprintf(out + used, KEYMAP_TEXT_BYTES - used, "%s%s",
					 k ? ", " : "", keys_format(keys[k], name));
	return out;
}

const struct command *keymap_find(const struct keymap *keymap, int key, enum view_place place)
{
	for (size_t i = 0; i < keymap->count; i++)
		for (size_t k = 0; k < KEYMAP_KEYS && keymap->keys[i][k]; k++)
			if (keymap->keys[i][k] == key && (keymap->commands[i].where & place))
				return &keymap->commands[i];
	return NULL;
}

static int find_named_key(const char *name, int first, int last)
{
	char printed[KEYS_NAME_BYTES];

	for (int key = first; key <= last; key++)
		if (strcasecmp(name, keys_format(key, printed)) == 0)
			return key;
	return 0;
}

int keymap_parse_key(const char *name)
{
	uint32_t code;
	const size_t bytes = utf8_decode(name, &code);
	int key;

	if (bytes == 0)
		return 0;
	if (name[bytes] == '\0')	/* one character is itself: a space would be read as none */
		return code != ' ' && sanitize_is_clean(name, bytes) ? (int)code : 0;
	key = find_named_key(name, 1, ' ');
	if (!key)
		key = find_named_key(name, UI_KEY_BACKSPACE, UI_KEY_BACKSPACE);
	return key ? key : find_named_key(name, UI_KEY_SPECIAL, UI_KEY_F12);
}

/* Takes the first name of the list *@text into @name[KEYS_NAME_BYTES]; true: a comma and so another
 * one follows. The first byte is always the name's: it may be the comma key's own. What is longer
 * than any key becomes "". */
static bool next_name(const char **text, char *name)
{
	const char *begin = *text + strspn(*text, " ");
	size_t length = *begin ? 1 + strcspn(begin + 1, ",") : 0;
	const bool is_more = begin[length] == ',';

	*text = begin + length + is_more;
	while (length > 0 && begin[length - 1] == ' ')
		length--;
	if (length >= KEYS_NAME_BYTES)
		length = 0;
	memcpy(name, begin, length);
	name[length] = '\0';
	return is_more;
}

static bool has_key(const int *keys, int key)
{
	for (size_t k = 0; k < KEYMAP_KEYS; k++)
		if (keys[k] == key)
			return true;
	return false;
}

/* Reads the list @text into @keys[KEYMAP_KEYS], all 0 at first. */
static int parse_keys(int *keys, const char *text, struct diag *why)
{
	const char *rest = text;
	bool is_more = text[strspn(text, " ")] != '\0';
	char name[KEYS_NAME_BYTES];
	size_t count = 0;
	int key;

	while (is_more) {
		is_more = next_name(&rest, name);
		key = keymap_parse_key(name);
		if (!key)
			return diag_set(why, -EINVAL,
					"\"%s\" in \"%s\" is no key: write one character or a name "
					"like Ctrl-L, Space, Enter, PgUp, F5", name, text);
		if (has_key(keys, key))
			continue;
		if (count == KEYMAP_KEYS)
			return diag_set(why, -EINVAL, "\"%s\": a command can have %d keys", text,
					KEYMAP_KEYS);
		keys[count++] = key;
	}
	return 0;
}

static void take_key(int *keys, int key)
{
	size_t kept = 0;

	for (size_t k = 0; k < KEYMAP_KEYS; k++)
		if (keys[k] != key)
			keys[kept++] = keys[k];
	while (kept < KEYMAP_KEYS)
		keys[kept++] = 0;
}

/* Takes the keys of command number @index away from all that work in the same place. */
static void take_from_others(struct keymap *keymap, size_t index)
{
	for (size_t i = 0; i < keymap->count; i++)
		if (i != index && (keymap->commands[i].where & keymap->commands[index].where))
			for (size_t k = 0; k < KEYMAP_KEYS && keymap->keys[index][k]; k++)
				take_key(keymap->keys[i], keymap->keys[index][k]);
}

static int find_command(const struct keymap *keymap, const char *name, size_t *index,
			struct diag *why)
{
	struct near_name near;

	if (!strcmp(name, "objects"))	/* the command's name in earlier files */
		name = "dsos";
	near_name_start(&near, name);
	for (*index = 0; *index < keymap->count; ++*index) {
		if (strcmp(keymap->commands[*index].name, name) == 0)
			return 0;
		near_name_try(&near, keymap->commands[*index].name);
	}
	if (near.nearest)
		return diag_set(why, -ENOENT, "no command \"%s\": did you mean %s?", name,
				near.nearest);
	return diag_set(why, -ENOENT, "no command \"%s\": the key : lists them all", name);
}

int keymap_bind(struct keymap *keymap, const char *name, const char *text, struct diag *why)
{
	struct keymap changed = *keymap;
	size_t index, quit;
	int err = find_command(keymap, name, &index, why);

	if (err)
		return err;
	memset(changed.keys[index], 0, sizeof(changed.keys[index]));
	err = parse_keys(changed.keys[index], text, why);
	if (err)
		return err;
	take_from_others(&changed, index);
	err = find_command(keymap, "quit", &quit, why);
	assert(!err);
	if (!changed.keys[quit][0])
		return diag_set(why, -EINVAL,
				"%s = %s would leave no key to quit: give quit another one first",
				name, text);
	*keymap = changed;
	return 0;
}
