/* config.c - see config.h.
 *
 * Idea: inih splits lines into section, name and value; the reader that feeds it knows the line, so
 * that every error is reported with its line, and detects lines that inih could not use.
 *
 * Rejected: stopping at the first error: users who edit a file want to know them all.
 */
#include "cli/config.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_match.h"
#include "base/safe_print.h"
#include "config_columns.h"
#include "config_file.h"
#include "ui/keymap.h"

#define COUNTER_LINE "counter-line"

static void print_option(FILE *out, const struct option_row *row)
{
	const char *line = row->help;
	const char *end;

	fputs("\n# ", out);
	while ((end = strchr(line, '\n'))) {
		fprintf(out, "%.*s\n# ", (int)(end - line), line);
		line = end + 1;
	}
	fprintf(out, "%s\n#%s =%s%s\n", line, row->name, row->default_text ? " " : "",
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
	      "# front of it to change it. After \" ;\" is a comment, too.\n"
	      "\n"
	      "[options]\n"
	      "# As on the command line, which wins. Flags are true or false; an empty value\n"
	      "# leaves the default.\n", out);
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].in_file)
			print_option(out, &option_rows[i]);
	fputs("\n[keys]\n"
	      "# Replaces all keys of a command; an empty value takes them away.\n", out);
	keymap_init(&keymap, commands, command_count);
	for (size_t i = 0; i < command_count; i++)
		print_key(out, &keymap, &commands[i]);
	fputs("\n[columns]\n"
	      "# What each view shows; the columns that are chosen on the screen win. Those of\n"
	      "# several events are a list for all views.\n", out);
	for (unsigned int list = 0; list < CONFIG_COLUMN_LISTS; list++) {
		fputc('#', out);
		config_columns_print(out, list, &columns_at_first);
	}
	fputs("\n[screen]\n"
	      "# The line of counters below the activity graph; the screen's choice wins.\n"
	      "#" COUNTER_LINE " = false\n", out);
}

#define SENTENCE_BYTES 600
#define SECTION_BYTES  50	/* inih's */

static const char *const sections[] = { "options", "keys", "columns", "screen" };
#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

struct parse {
	struct config *config;
	const struct config_file *file;
	char path[PATH_MAX];	/* sanitized, for messages */
	const char *at;		/* unread text */
	unsigned int line;	/* number of the line that inih has */
	bool needs_pair;	/* the line must be a name with a value */
	bool has_pair;		/* the line was a name with a value */
	bool is_state;		/* the file is `state`: only columns and screen are allowed */
	unsigned int problem_count;
	unsigned int problem_line;	/* line of the last problem */
	FILE *problems;
};

static void add_problem(struct parse *parse, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_problem(struct parse *parse, const char *format, ...)
{
	char raw[SENTENCE_BYTES], clean[SENTENCE_BYTES];
	va_list args;

	parse->problem_line = parse->line;
	if (parse->problem_count++ >= CONFIG_PROBLEMS_SHOWN)
		return;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	safe_print(parse->problems, "%s:%u: %s\n", sanitize_checked(parse->path), parse->line,
		   sanitize(clean, sizeof(clean), raw, strlen(raw)));
}

static void check_section(struct parse *parse, const char *section)
{
	struct near_name near;

	near_name_start(&near, section);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!strcmp(section, sections[i]))
			return;
		near_name_try(&near, sections[i]);
	}
	if (near.nearest)
		add_problem(parse, "no section [%s]: did you mean [%s]?", section, near.nearest);
	else
		add_problem(parse, "no section [%s]; there are [options], [keys], [columns] and "
			    "[screen]", section);
}

/* Begins @line, from which blanks at the start were stripped. */
static void begin_line(struct parse *parse, const char *line, size_t length)
{
	const char *end = memchr(line, ']', length);
	char section[SECTION_BYTES];

	parse->has_pair = false;
	parse->needs_pair = length > 0 && !strchr("#;[", line[0]);
	if (length == 0 || line[0] != '[')
		return;
	if (end) {
		snprintf(section, sizeof(section), "%.*s", (int)(end - line - 1), line + 1);
		check_section(parse, section);
	} else {
		add_problem(parse, "a section needs its ]");
	}
}

static void end_line(struct parse *parse)
{
	if (parse->needs_pair && !parse->has_pair && parse->problem_line != parse->line)
		add_problem(parse, "name = value is needed");
	parse->needs_pair = false;
}

/* Reads as fgets(3) does, without blanks before the name: inih takes an indented line for more of
 * the value before it. A line that has no room becomes an empty one. */
static char *next_line(char *out, int room, void *user)
{
	struct parse *parse = user;
	const size_t limit = (size_t)room - 2;
	size_t length;

	end_line(parse);
	if (!*parse->at)
		return NULL;
	parse->line++;
	if (parse->line == 1 && !strncmp(parse->at, "\xef\xbb\xbf", 3))
		parse->at += 3;
	parse->at += strspn(parse->at, " \t");
	length = strcspn(parse->at, "\n");
	if (length > limit) {
		add_problem(parse, "a line of more than %zu bytes", limit);
		strcpy(out, "\n");
	} else {
		snprintf(out, (size_t)room, "%.*s\n", (int)length, parse->at);
		begin_line(parse, parse->at, strcspn(parse->at, "\r\n"));
	}
	parse->at += length + (parse->at[length] == '\n');
	return out;
}

static int keep_setting(struct config *config, const struct option_row *row, const char *text)
{
	const size_t count = config->setting_count;
	struct option_setting *bigger = realloc(config->settings, (count + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	config->settings = bigger;
	bigger[count] = (struct option_setting){ .row = row, .text = strdup(text) };
	if (!bigger[count].text)
		return -ENOMEM;
	config->setting_count++;
	return 0;
}

static int set_option(struct config *config, const char *name, const char *text,
		      struct diag *why)
{
	const struct option_row *row = option_table_find(name);
	const char *nearest;
	int err;

	if (!row) {
		nearest = option_table_nearest(name);
		return diag_set(why, -EINVAL, "no option \"%s\"%s%s%s", name,
				nearest ? ": did you mean " : "", nearest ? nearest : "",
				nearest ? "?" : "; flametop --print-config lists them");
	}
	if (!row->in_file)
		return diag_set(why, -EINVAL, "%s is for the command line: it is about one run",
				name);
	err = options_check(&(struct option_setting){ row, (char *)text }, why);
	if (err)
		return err;
	err = keep_setting(config, row, text);
	return err ? diag_set(why, err, "no memory for the configuration") : 0;
}

static int set_screen(const char *name, const char *value, struct column_choice *choice,
		      struct diag *why)
{
	if (strcmp(name, COUNTER_LINE) != 0)
		return diag_set(why, -EINVAL, "no \"%s\" in [screen]; there is " COUNTER_LINE,
				name);
	if (!strcmp(value, "true"))
		choice->counter_line = 1;
	else if (!value[0] || !strcmp(value, "false"))
		choice->counter_line = 0;
	else
		return diag_set(why, -EINVAL, "%s is true or false, not \"%s\"", name, value);
	return 0;
}

/* Applies a name and value. Unknown sections were reported at their head. */
static int take_pair(void *user, const char *section, const char *name, const char *value)
{
	struct parse *parse = user;
	struct config *config = parse->config;
	struct diag why = { 0 };
	int err = 0;

	parse->has_pair = true;
	if (!section[0])
		err = diag_set(&why, -EINVAL, "a [section] is needed before the first name");
	else if (!strcmp(section, "columns"))
		err = config_columns_parse(name, value, &config->columns, &why);
	else if (!strcmp(section, "screen"))
		err = set_screen(name, value, &config->columns, &why);
	else if (parse->is_state)
		err = diag_set(&why, -EINVAL, "only [columns] and [screen] are remembered");
	else if (!strcmp(section, "options"))
		err = set_option(config, name, value, &why);
	else if (!strcmp(section, "keys"))
		err = keymap_bind(&config->keymap, name, value, &why);
	if (err)
		add_problem(parse, "%s", why.text);
	return 1;
}

static void read_lines(struct parse *parse)
{
	const struct config_file *file = parse->file;
	const char *nul = memchr(file->text, '\0', file->size);
	int first_bad;

	if (nul) {
		for (const char *at = file->text; at < nul; at++)
			parse->line += *at == '\n';
		parse->line++;
		add_problem(parse, "a NUL byte: this is no text");
		return;
	}
	first_bad = ini_parse_stream(next_line, parse, take_pair, parse);
	if (first_bad > 0 && !parse->problem_count) {
		parse->line = (unsigned int)first_bad;
		add_problem(parse, "not understood");
	}
}

/* 0, -EINVAL with config->problems, -ENOMEM. */
static int parse_file(struct config *config, const struct config_file *file, bool is_state,
		      struct diag *why)
{
	struct parse parse = { .config = config, .file = file, .at = file->text,
			       .is_state = is_state };
	size_t size;

	free(config->problems);
	config->problems = NULL;
	parse.problems = open_memstream(&config->problems, &size);
	if (!parse.problems)
		return diag_set(why, -ENOMEM, "no memory for the configuration");
	sanitize_text(parse.path, sizeof(parse.path), file->path, strlen(file->path));
	read_lines(&parse);
	if (parse.problem_count > CONFIG_PROBLEMS_SHOWN)
		safe_print(parse.problems, "%s: and %u more\n", sanitize_checked(parse.path),
			   parse.problem_count - CONFIG_PROBLEMS_SHOWN);
	if (fclose(parse.problems))
		return diag_set(why, -ENOMEM, "no memory for the configuration");
	if (parse.problem_count)
		return diag_set(why, -EINVAL, "%s has mistakes%s", file->path,
				is_state ? ": remove it" : "; --config none starts without it");
	free(config->problems);
	config->problems = NULL;
	return 0;
}

static void reset(struct config *config)
{
	for (size_t i = 0; i < config->setting_count; i++)
		free(config->settings[i].text);
	free(config->settings);
	config->settings = NULL;
	config->setting_count = 0;
	config->columns = config->file_columns = columns_at_first;
	keymap_init(&config->keymap, commands, command_count);
}

int config_read(struct config *out, const char *path, struct diag *why)
{
	struct config_file file;
	int err;

	*out = (struct config){ .keeps_state = !path };
	reset(out);
	if (path && !strcmp(path, "none"))
		return 0;
	err = path ? config_file_read(&file, path, why)
		   : config_file_read_own(&file, "config", why);
	if (!err && file.text) {
		snprintf(out->path, sizeof(out->path), "%s", file.path);
		err = parse_file(out, &file, false, why);
	}
	if (err)
		reset(out);
	out->file_columns = out->columns;
	config_file_finish(&file);
	return err;
}

void config_finish(struct config *config)
{
	reset(config);
	free(config->problems);
	config->problems = NULL;
}

int config_load_state(struct config *config, struct diag *why)
{
	const struct column_choice before = config->columns;
	struct config_file file;
	int err;

	if (!config->keeps_state)
		return 0;
	err = config_file_read_own(&file, "state", why);
	if (!err && file.text)
		err = parse_file(config, &file, true, why);
	if (err)
		config->columns = before;
	config_file_finish(&file);
	return err;
}

static int print_state(const struct config *config, const struct column_choice *choice,
		       char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		return -ENOMEM;
	safe_put(out, "# Written by flametop when columns or lines are hidden or shown. Remove this"
		      " file to have\n# those of the configuration again.\n[columns]\n");
	for (unsigned int list = 0; list < CONFIG_COLUMN_LISTS; list++)
		if (config_columns_hidden(list, choice) !=
		    config_columns_hidden(list, &config->file_columns))
			config_columns_print(out, list, choice);
	if (choice->counter_line != config->file_columns.counter_line)
		fprintf(out, "[screen]\n" COUNTER_LINE " = %s\n",
			choice->counter_line ? "true" : "false");
	return fclose(out) ? -ENOMEM : 0;
}

int config_save_state(const struct config *config, const struct column_choice *choice,
		      struct diag *why)
{
	char *text = NULL;
	int err;

	if (!config->keeps_state || !memcmp(choice, &config->columns, sizeof(*choice)))
		return 0;
	err = print_state(config, choice, &text);
	if (err)
		diag_set(why, err, "no memory for the columns");
	else
		err = config_file_write_own("state", text, why);
	free(text);
	return err;
}
