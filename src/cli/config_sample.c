/* config_sample.c - prints the sample for --print-config: all defaults, commented out, so that a
 * line has an effect only after it was edited. */
#include "cli/config.h"

#include <string.h>

#include "config_columns.h"
#include "ui/commands.h"

static void print_option(FILE *out, const struct option_row *row)
{
	const char *second = strchr(row->help, '\n');

	fputs("\n# ", out);
	if (second)
		fprintf(out, "%.*s\n# %s", (int)(second - row->help), row->help, second + 1);
	else
		fputs(row->help, out);
	fprintf(out, "\n#%s =%s%s\n", row->name, row->default_text ? " " : "",
		row->default_text ? row->default_text : "");
}

static void print_key(FILE *out, const struct keymap *keymap, const struct command *command)
{
	char keys[KEYMAP_TEXT_BYTES];

	fprintf(out, "\n# %s\n#%s = %s\n", command->help, command->name,
		keymap_format(keymap, command, keys));
}

void config_print_sample(FILE *out)
{
	struct keymap keymap;

	fputs("# Configuration of flametop(8). Every line shows the default; remove the # in\n"
	      "# front of it to change it. Behind \" ;\" is a comment, too.\n"
	      "\n"
	      "[options]\n"
	      "# As on the command line, which wins. Flags are true or false; an empty value\n"
	      "# leaves the default.\n", out);
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].in_file)
			print_option(out, &option_rows[i]);
	fputs("\n[keys]\n"
	      "# Replaces all keys of a command; an empty value takes them away.\n", out);
	keymap_init(&keymap);
	for (size_t i = 0; i < command_count; i++)
		print_key(out, &keymap, &commands[i]);
	fputs("\n[columns]\n"
	      "# What each view shows; the columns that are chosen on the screen win.\n", out);
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		fputc('#', out);
		config_columns_print(out, (enum view_kind)kind, &columns_at_first);
	}
}
