/* option_table.h - the table of all options, from which getopt's arrays, --help, the [options] of
 * the configuration, --print-config, flametop(8) and the shell's completion are made.
 * Thread: constant; main.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"

struct options;

/* Parses the value of an option into @out; @as: the option as the user wrote it, for the reason.
 * @text is borrowed as long as @out lives; NULL: it was left out. 0 or -errno with @why. */
typedef int option_setter(struct options *out, const char *as, const char *text,
			  struct diag *why);

enum option_group {
	OPTIONS_WHOM,
	OPTIONS_WHAT,
	OPTIONS_PROBES,
	OPTIONS_SHOWN,
	OPTIONS_SCREEN,
	OPTIONS_BATCH,
	OPTIONS_OTHER,
	OPTION_GROUP_COUNT
};

/* Sets of alternative options: one on the command line overrides all of its set in the
 * configuration. */
enum option_choice {
	CHOICE_FREE,
	CHOICE_WHOM,
	CHOICE_EVENT,
	CHOICE_RATE,
	CHOICE_STACKS,
	CHOICE_FILTER,
};

/* Kinds of values, for the completion. */
enum option_value {
	VALUE_ANY,
	VALUE_WORD,		/* one of `words`, or maybe another */
	VALUE_SORT_KEYS,	/* list of `words` with signs */
	VALUE_GROUP_KEYS,	/* list of `words` */
	VALUE_FILE,
	VALUE_PID,
	VALUE_TID,
	VALUE_USER,
	VALUE_CGROUP,
	VALUE_CPU,
	VALUE_EVENT,
	VALUE_PROBE,
	VALUE_THEME,
};

struct option_row {
	enum option_group group;
	char letter;		/* 0: none */
	const char *name;	/* long name; NULL: the row is the command after the options */
	const char *argument;	/* NULL: none; "[=N]": may be left out */
	/* Either the offset of the bool in struct options that the option sets, or a setter. */
	size_t flag;
	option_setter *set;
	/* If the value was left out: is the next word the value? NULL: never. */
	bool (*is_next_word)(const char *word);
	bool in_file;		/* allowed in the configuration */
	const char *default_text;	/* default, as a user would write it; NULL: see `help` */
	const char *help;	/* one line or two */
	const char *more;	/* more text for the manual; NULL: none */
	enum option_choice choice;
	enum option_value value;
	const char *const *words;	/* NULL-terminated */
};

#define OPTION_ROWS_MAX 96

extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* Returns the title of a group in the help and the manual; "" for the last one. */
const char *option_table_title(enum option_group group);

/* Return the row of an option by its long name or its letter, or NULL. */
const struct option_row *option_table_find(const char *name);
const struct option_row *option_table_find_letter(int letter);

/* Returns the long name that is closest to @name, or NULL when none is near. */
const char *option_table_nearest(const char *name);

bool option_table_is_value_optional(const struct option_row *row);

/* Prints the text of --help. */
void option_table_print_help(FILE *out);

#endif
