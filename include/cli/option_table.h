/* option_table.h - every option, once: getopt's arrays, --help, the [options] of the configuration,
 * --print-config, flametop(8) and the shell's completion are made from this table.
 * Thread: constant; main.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"

struct options;

/* Takes the value of an option; @as: the option as the user wrote it, for the sentence. @text is
 * borrowed as long as @out lives; NULL where it was left out. 0 or -errno with @why. */
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

/* Options of one alternative: what the command line gives of it puts aside what the configuration
 * has of it. */
enum option_choice {
	CHOICE_FREE,
	CHOICE_WHOM,
	CHOICE_EVENT,
	CHOICE_RATE,
	CHOICE_STACKS,
	CHOICE_FILTER,
};

/* What a value is, for the completion. */
enum option_value {
	VALUE_ANY,
	VALUE_WORD,		/* of `words`; others may be right, too */
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
	const char *name;	/* long; NULL: not an option but the command behind them */
	const char *argument;	/* NULL: none; "[=N]": may be left out */
	/* One of them: the offset of the bool in struct options that it switches on; a setter. */
	size_t flag;
	option_setter *set;
	/* Of an option without a value: is the word behind it meant for it? NULL: it never is. */
	bool (*is_next_word)(const char *word);
	bool in_file;		/* may stand in the configuration */
	const char *default_text;	/* as it would be written; NULL: `help` tells */
	const char *help;	/* one line or two */
	const char *more;	/* for the manual; NULL: nothing */
	enum option_choice choice;
	enum option_value value;
	const char *const *words;	/* NULL ends them */
};

#define OPTION_ROWS_MAX 96

extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* Title of a group in the help and the manual; "" for the last one. */
const char *option_table_title(enum option_group group);

/* The row, or NULL. */
const struct option_row *option_table_find(const char *name);
const struct option_row *option_table_find_letter(int letter);

/* The known name that is closest, or NULL when none is near. */
const char *option_table_nearest(const char *name);

bool option_table_is_value_optional(const struct option_row *row);

/* The text of --help. */
void option_table_print_help(FILE *out);

#endif
