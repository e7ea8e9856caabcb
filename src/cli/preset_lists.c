/* preset_lists.c - reads the presets of flametop and the user's own, and prints them: see
 * cli/options.h. */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "config_file.h"
#include "finder/presets.h"

#define OWN_FILE      "presets"
#define NAME_COLUMNS  16	/* a longer name shifts what follows it */
#define TITLE_COLUMNS 30

/* Adds the user's own presets. A file that can't be trusted or read is a problem, too. */
static int read_own(struct presets *presets, FILE *problems)
{
	struct config_file file;
	struct diag why;
	char clean[4 * sizeof(why.text)];
	int count = 0;

	if (config_file_read_own(&file, OWN_FILE, &why)) {
		safe_print(problems, "presets are not read: %s\n",
			   sanitize(clean, sizeof(clean), why.text, strlen(why.text)));
		count = 1;
	} else if (file.text) {
		count = presets_read(presets, file.text, file.path, problems);
	}
	config_file_finish(&file);
	return count;
}

int preset_lists_read(struct presets **out, bool has_own, char **problems, struct diag *why)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *lines = open_memstream(&text, &bytes);
	int err = lines ? presets_create(out) : -ENOMEM;

	if (!err && has_own)
		err = read_own(*out, lines);
	if (lines && fclose(lines))
		err = -ENOMEM;
	if (err <= 0 || !bytes) {
		free(text);
		text = NULL;
	}
	*problems = text;
	if (err >= 0)
		return 0;
	presets_destroy(*out);
	*out = NULL;
	return diag_set(why, err, "no memory for presets");
}

static void put_entry(FILE *out, const char *name, const char *text, const char *value)
{
	safe_print(out, "  %-12s  %s", sanitize_checked(name), sanitize_checked(text));
	if (value)
		safe_print(out, " (%s)", sanitize_checked(value));
	safe_put(out, "\n");
}

static void put_parameters(FILE *out, const struct preset *preset)
{
	char usage[PRESET_LINE_BYTES];

	preset_usage(preset, usage, sizeof(usage));
	safe_print(out, "\nUsage: flametop --preset '%s'\n", sanitize_checked(usage));
	for (uint32_t i = 0; i < preset->parameter_count; i++)
		put_entry(out, preset->parameters[i].name, preset->parameters[i].text,
			  preset->parameters[i].value);
}

static void put_page(FILE *out, const struct preset *preset)
{
	safe_print(out, "%s - %s\n\n%s.\n", sanitize_checked(preset->name),
		   sanitize_checked(preset->title), sanitize_checked(preset->about));
	if (preset->also[0])
		safe_print(out, "Also called: %s\n", sanitize_checked(preset->also));
	if (preset->needs[0])
		safe_print(out, "Needs: %s\n", sanitize_checked(preset->needs));
	put_parameters(out, preset);
	safe_put_text(out, preset->probe_count == 1 ? SAFE_TEXT("\nProbe:\n")
						    : SAFE_TEXT("\nProbes:\n"));
	for (uint32_t i = 0; i < preset->probe_count; i++)
		safe_print(out, "  %s\n", sanitize_checked(preset->probes[i]));
	if (preset->column_count)
		safe_put(out, "\nValues:\n");
	for (uint32_t i = 0; i < preset->column_count; i++)
		put_entry(out, preset->columns[i].name, preset->columns[i].text, NULL);
	if (preset->example[0])
		safe_put(out, "\nExample:\n");
	for (const char *at = preset->example; *at; at += strcspn(at, "\n") + 1) {
		char line[1024];

		safe_print(out, "  %s\n", sanitize(line, sizeof(line), at, strcspn(at, "\n")));
	}
}

int preset_lists_print_page(FILE *out, const struct presets *presets, const char *text,
			    struct diag *why)
{
	struct preset_use *use = malloc(sizeof(*use));
	int err = use ? 0 : diag_set(why, -ENOMEM, "no memory for a preset");

	if (!err && presets_use(presets, text, use, why) == -ENOENT)
		err = -ENOENT;	/* values may be missing: the page says which there are */
	if (!err)
		put_page(out, use->preset);
	free(use);
	return err;
}

static void put_json(FILE *out, const char *text)
{
	safe_put_json(out, sanitize_checked(text));
}

static void put_json_field(FILE *out, const char *name, const char *text)
{
	safe_put(out, ", ");
	put_json(out, name);
	safe_put(out, ": ");
	put_json(out, text);
}

static void put_json_preset(FILE *out, const struct preset *preset)
{
	safe_put(out, "{\"name\": ");
	put_json(out, preset->name);
	put_json_field(out, "title", preset->title);
	put_json_field(out, "also", preset->also);
	put_json_field(out, "about", preset->about);
	put_json_field(out, "needs", preset->needs);
	safe_put(out, ", \"parameters\": [");
	for (uint32_t i = 0; i < preset->parameter_count; i++) {
		safe_put_text(out, i ? SAFE_TEXT(", {\"name\": ") : SAFE_TEXT("{\"name\": "));
		put_json(out, preset->parameters[i].name);
		put_json_field(out, "what", preset->parameters[i].text);
		if (preset->parameters[i].value)
			put_json_field(out, "value", preset->parameters[i].value);
		safe_put(out, "}");
	}
	safe_put(out, "], \"probes\": [");
	for (uint32_t i = 0; i < preset->probe_count; i++) {
		safe_put_text(out, i ? SAFE_TEXT(", ") : SAFE_TEXT(""));
		put_json(out, preset->probes[i]);
	}
	safe_put(out, "]}");
}

void preset_lists_print(FILE *out, const struct presets *presets, bool is_json)
{
	safe_put_text(out, is_json ? SAFE_TEXT("{\"presets\": [\n") : SAFE_TEXT(""));
	for (size_t i = 0; i < presets_count(presets); i++) {
		const struct preset *preset = presets_at(presets, i);

		if (is_json) {
			safe_put_text(out, i ? SAFE_TEXT(",\n  ") : SAFE_TEXT("  "));
			put_json_preset(out, preset);
			continue;
		}
		safe_print(out, "%-*s  %-*s  %s%s%s%s\n", NAME_COLUMNS,
			   sanitize_checked(preset->name), TITLE_COLUMNS,
			   sanitize_checked(preset->title), sanitize_checked(preset->about),
			   preset->also[0] ? SAFE_TEXT(" [") : SAFE_TEXT(""),
			   sanitize_checked(preset->also),
			   preset->also[0] ? SAFE_TEXT("]") : SAFE_TEXT(""));
	}
	safe_put_text(out, is_json ? SAFE_TEXT("\n]}\n") : SAFE_TEXT(""));
}
