/* manual.c - prints flametop(8), flametop-presets(7) and the completion for bash: the text of
 * flametop.8.in, flametop_presets.7.in and flametop.bash.in, where a line such as "@options@" is
 * replaced by the contents of a table.
 *
 * Source: mdoc(7); checked with mandoc -T lint.
 *
 * Problem of the completion: readline cuts words at = and : as well ("--color=al",
 * "sched:sched_sw"), differently on machines with other COMP_WORDBREAKS.
 *
 * Idea: look at the line up to the cursor, split it at blanks, and offer whole values; remove from
 * the front of each what readline has cut off before the cursor.
 *
 * Rejected: the functions of the bash-completion package, which may not be there.
 */
#include "cli/options.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "capture/event.h"
#include "ingest/losses.h"
#include "finder/presets.h"
#include "ui/keymap.h"
#include "ui/theme.h"
#include "ui/views.h"

#define PROSE_COLUMNS 72	/* mandoc wants lines of at most 80 */

/* The line `mark` of a text is replaced by what print() prints. */
struct text_part {
	const char *mark;
	void (*print)(FILE *out);
};

/* Files of this folder; the Makefile makes a string of each. */
extern const char flametop_8_in[], flametop_presets_7_in[], flametop_bash_in[];

static const struct text_part *find_part(const struct text_part *parts, size_t count,
					 const char *line, size_t length)
{
	size_t i = 0;

	while (i < count && (strlen(parts[i].mark) != length ||
			     memcmp(line, parts[i].mark, length)))
		i++;
	assert(i < count);
	return &parts[i];
}

static void print_text(FILE *out, const char *text, const struct text_part *parts, size_t count)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");

		if (*text == '@')
			find_part(parts, count, text, length)->print(out);
		else
			fprintf(out, "%.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* Prints @text as data, not as markup. */
static void print_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '"')
			fputs("\\(dq", out);
		else
			fputc(text[i], out);
	}
}

/* Prints the words of @text in lines that mandoc accepts; each sentence begins a line. */
static void print_prose(FILE *out, const char *text)
{
	bool is_first = true;
	size_t column = 0;

	while (*(text += strspn(text, " \n"))) {
		const size_t length = strcspn(text, " \n");

		if (column > 0 && column + 1 + length > PROSE_COLUMNS)
			column = 0;
		fputs(column ? " " : is_first ? "" : "\n", out);
		if (column == 0 && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		print_escaped(out, text, length);
		column = text[length - 1] == '.' ? 0 : column + length + (column > 0);
		text += length;
		is_first = false;
	}
}

/* Prints an argument of a macro: \& keeps it from being a macro itself, or punctuation. */
static void print_argument(FILE *out, const char *text)
{
	fputs(" \"\\&", out);
	print_escaped(out, text, strlen(text));
	fputc('"', out);
}

/* Prints a specification as an argument: a word too long for a line may break after , or >. */
static void print_spec(FILE *out, const char *spec)
{
	fputs(" \"\\&", out);
	while (*spec) {
		const size_t length = strcspn(spec, ",>") + 1;
		const size_t part = strnlen(spec, length);

		print_escaped(out, spec, part);
		fputs(part == length && spec[part] != ' ' ? "\\:" : "", out);
		spec += part;
	}
	fputc('"', out);
}

static void print_item(FILE *out, const struct option_row *row)
{
	fputs(".It", out);
	if (!row->name) {
		print_argument(out, row->argument);
		fputc('\n', out);
		return;
	}
	if (row->letter)
		fprintf(out, " Fl %c ,", row->letter);
	fprintf(out, " Fl -%s", row->name);
	if (option_table_is_value_optional(row)) {
		fprintf(out, " Ns Op = Ns Ar %.*s", (int)strcspn(row->argument + 2, "]"),
			row->argument + 2);
	} else if (row->argument) {
		fputs(" Ar", out);
		print_argument(out, row->argument);
	}
	fputc('\n', out);
}

static void print_themes(FILE *out)
{
	fputs(".Bl -tag -width colour-blind -compact\n", out);
	for (unsigned int i = 0; i < theme_count; i++)
		fprintf(out, ".It Cm %s\n%s\n", themes[i].name, themes[i].help);
	fputs(".El\n", out);
}

static void print_option(FILE *out, const struct option_row *row)
{
	print_item(out, row);
	print_prose(out, row->help);
	if (row->default_text && row->argument)
		fprintf(out, " (%s)", row->default_text);
	fputs(".\n", out);
	if (row->more) {
		print_prose(out, row->more);
		fputc('\n', out);
	}
	if (row->value == VALUE_THEME)
		print_themes(out);
}

static void print_options(FILE *out)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		const char *title = option_table_title(row->group);

		if (i == 0 || row->group != option_rows[i - 1].group)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "",
				title[0] ? title : "Other");
		print_option(out, row);
	}
	fputs(".El\n", out);
}

/* Prints which views have the command, unless all views of samples do. */
static void print_places(FILE *out, unsigned int where)
{
	bool is_first = true;
	size_t column = 0;

	if ((where & IN_SAMPLES) == IN_SAMPLES)
		return;
	for (unsigned int place = 1; place <= IN_ALL; place <<= 1) {
		const char *name = keymap_place_name((enum view_place)place);

		if (!(where & place))
			continue;
		if (column + strlen(name) > PROSE_COLUMNS)
			column = 0;
		fputs(is_first ? "\n(" : column ? ", " : ",\n", out);
		fputs(name, out);
		column += strlen(name) + 2;
		is_first = false;
	}
	fputc(')', out);
}

static void print_keys(FILE *out)
{
	char keys[KEYMAP_TEXT_BYTES], by_name[KEYMAP_TEXT_BYTES];
	struct keymap keymap;

	keymap_init(&keymap, commands, command_count);
	for (size_t i = 0; i < command_count; i++) {
		snprintf(by_name, sizeof(by_name), ":%s", commands[i].name);
		keymap_format(&keymap, &commands[i], keys);
		fputs(".It Ic", out);
		print_argument(out, keys[0] ? keys : by_name);
		fprintf(out, " Pq %s\n", commands[i].name);
		print_prose(out, commands[i].help);
		print_places(out, commands[i].where);
		fputs(".\n", out);
	}
}

/* Prints the names of all presets, with their titles; their own page has the rest. */
static void print_preset_names(FILE *out)
{
	struct presets *presets;

	if (presets_create(&presets))
		return;
	for (size_t i = 0; i < presets_count(presets); i++)
		fprintf(out, ".It %s\n%s\n", presets_at(presets, i)->name,
			presets_at(presets, i)->title);
	presets_destroy(presets);
}

static void print_example(FILE *out, const char *example)
{
	fputs(".Bd -literal\n", out);
	for (const char *at = example; *at; at += strcspn(at, "\n") + 1) {
		fputs(*at == '.' || *at == '\'' ? "\\&" : "", out);
		print_escaped(out, at, strcspn(at, "\n"));
		fputc('\n', out);
	}
	fputs(".Ed\n", out);
}

static void print_entry(FILE *out, const char *name, const char *text, const char *value)
{
	fputs(".It", out);
	print_argument(out, name);
	fputc('\n', out);
	print_prose(out, text);
	if (value)
		fprintf(out, " (%s)", value);
	fputc('\n', out);
}

static void print_entries(FILE *out, const struct preset *preset)
{
	if (!preset->parameter_count && !preset->column_count)
		return;
	fputs(".Bl -tag -width daddr_v6 -compact\n", out);
	for (uint32_t i = 0; i < preset->parameter_count; i++)
		print_entry(out, preset->parameters[i].name, preset->parameters[i].text,
			    preset->parameters[i].value);
	for (uint32_t i = 0; i < preset->column_count; i++)
		print_entry(out, preset->columns[i].name, preset->columns[i].text, NULL);
	fputs(".El\n", out);
}

static void print_preset(FILE *out, const struct preset *preset)
{
	char usage[PRESET_LINE_BYTES];

	fprintf(out, ".Ss %s\n", preset->name);
	print_prose(out, preset->title);
	fputs(":\n", out);
	print_prose(out, preset->about);
	fputs(".\n", out);
	if (preset->parameter_count) {
		preset_usage(preset, usage, sizeof(usage));
		fputs(".Dl", out);
		print_argument(out, usage);
		fputc('\n', out);
	}
	if (preset->also[0])
		fprintf(out, "Also found as\n%s.\n", preset->also);
	if (preset->needs[0])
		fprintf(out, "Needs %s.\n", preset->needs);
	for (uint32_t i = 0; i < preset->probe_count; i++) {
		fputs(".Dl", out);
		print_spec(out, preset->probes[i]);
		fputc('\n', out);
	}
	print_entries(out, preset);
	if (preset->example[0])
		print_example(out, preset->example);
}

static void print_presets(FILE *out)
{
	struct presets *presets;

	if (presets_create(&presets))
		return;
	for (size_t i = 0; i < presets_count(presets); i++)
		print_preset(out, presets_at(presets, i));
	presets_destroy(presets);
}

static void print_columns(FILE *out)
{
	for (size_t i = 0; i < COL_COUNT; i++) {
		fputs(".It", out);
		print_argument(out, columns_name((enum column_id)i));
		fputc('\n', out);
		print_prose(out, columns[i].help);
		fputc('\n', out);
	}
}

static void print_losses(FILE *out)
{
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_description *text = &loss_descriptions[cause];

		fputs(".It", out);
		print_argument(out, text->name);
		fputc('\n', out);
		print_prose(out, text->meaning);
		if (text->remedy[0]) {
			fputs(".\nHelps:\n", out);
			print_prose(out, text->remedy);
		}
		fputs(".\n", out);
	}
}

void manual_print(FILE *out)
{
	static const struct text_part parts[] = {
		{ "@options@", print_options },
		{ "@presets@", print_preset_names },
		{ "@keys@", print_keys },
		{ "@columns@", print_columns },
		{ "@losses@", print_losses },
	};

	print_text(out, flametop_8_in, parts, sizeof(parts) / sizeof(parts[0]));
}

void manual_print_presets(FILE *out)
{
	static const struct text_part parts[] = { { "@presets@", print_presets } };

	print_text(out, flametop_presets_7_in, parts, sizeof(parts) / sizeof(parts[0]));
}

static void print_pattern(FILE *out, const struct option_row *row)
{
	if (row->letter)
		fprintf(out, "-%c|", row->letter);
	fprintf(out, "--%s", row->name);
}

static void print_names(FILE *out)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name)
			continue;
		fprintf(out, "\t--%s", row->name);
		if (row->letter)
			fprintf(out, " -%c", row->letter);
		fputc('\n', out);
	}
}

/* Returns true when the value is the next word: most that may be left out only stand after =. */
static bool takes_next_word(const struct option_row *row)
{
	return row->name && row->argument &&
	       (row->is_next_word || !option_table_is_value_optional(row));
}

static void print_takes_value(FILE *out)
{
	bool is_first = true;

	fputs("\t[[ $1 == @(", out);
	for (size_t i = 0; i < option_row_count; i++) {
		if (!takes_next_word(&option_rows[i]))
			continue;
		fputs(is_first ? "" : "|", out);
		print_pattern(out, &option_rows[i]);
		is_first = false;
	}
	fputs(") ]]\n", out);
}

static void print_words(FILE *out, const char *const *words)
{
	while (*words)
		fprintf(out, " %s", *words++);
}

static void print_preset_words(FILE *out)
{
	struct presets *presets;

	if (presets_create(&presets))
		return;
	for (size_t i = 0; i < presets_count(presets); i++)
		fprintf(out, " %s", presets_at(presets, i)->name);
	fputs(" help", out);
	presets_destroy(presets);
}

/* Prints the shell function that offers the values, and its arguments. */
static void print_offer(FILE *out, const struct option_row *row)
{
	const char *name;

	switch (row->value) {
	case VALUE_ANY:
		break;
	case VALUE_WORD:
		fputs("_flametop_words", out);
		print_words(out, row->words);
		break;
	case VALUE_SORT_KEYS:
		fputs("_flametop_list ,+-", out);
		print_words(out, row->words);
		break;
	case VALUE_GROUP_KEYS:
		fputs("_flametop_list ,", out);
		print_words(out, row->words);
		break;
	case VALUE_FILE:
		fputs("_flametop_files=1", out);
		break;
	case VALUE_PID:
		fputs("_flametop_numbers /proc/[0-9]*", out);
		break;
	case VALUE_TID:
		fputs("_flametop_numbers /proc/[0-9]*/task/[0-9]*", out);
		break;
	case VALUE_USER:
		fputs("_flametop_users", out);
		break;
	case VALUE_CGROUP:
		fputs("_flametop_cgroups", out);
		break;
	case VALUE_CPU:
		fputs("_flametop_numbers /sys/devices/system/cpu/cpu[0-9]*", out);
		break;
	case VALUE_EVENT:
		fputs("_flametop_events", out);
		for (size_t i = 0; (name = event_names_at(i)); i++)
			fprintf(out, " %s", name);
		if (row->words)
			print_words(out, row->words);
		break;
	case VALUE_PROBE:
		fputs("_flametop_probes", out);
		break;
	case VALUE_PRESET:
		fputs("_flametop_words", out);
		print_preset_words(out);
		break;
	case VALUE_THEME:
		fputs("_flametop_words", out);
		for (unsigned int i = 0; i < theme_count; i++)
			fprintf(out, " %s", themes[i].name);
		break;
	}
}

static void print_values(FILE *out)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name || row->value == VALUE_ANY)
			continue;
		fputc('\t', out);
		print_pattern(out, row);
		fputs(")\n\t\t", out);
		print_offer(out, row);
		fputs(" ;;\n", out);
	}
}

void completion_print(FILE *out)
{
	static const struct text_part parts[] = {
		{ "@option-names@", print_names },
		{ "@takes-value@", print_takes_value },
		{ "@values@", print_values },
	};

	print_text(out, flametop_bash_in, parts, sizeof(parts) / sizeof(parts[0]));
}
