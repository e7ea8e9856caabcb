/* fuzz_presets.c - any text as presets: problems are clean lines, what is kept can be used and
 * printed, and those that were there before stay. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "finder/presets.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_clean(const char *text)
{
	if (!sanitize_is_clean(text, strlen(text)))
		abort();
}

static void check_lines(char *lines)
{
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		check_clean(line);
}

static void check_preset(const struct preset *preset)
{
	static struct preset_use use;
	struct probe_spec spec;
	char usage[PRESET_LINE_BYTES];

	check_clean(preset->name);
	check_clean(preset->title);
	check_clean(preset->also);
	check_clean(preset->about);
	check_clean(preset->needs);
	preset_usage(preset, usage, sizeof(usage));
	check_clean(usage);
	if (!preset->name[0] || !preset->probe_count)
		abort();
	if (!preset_use_defaults(preset, &use))
		return;
	for (uint32_t i = 0; i < use.count; i++)
		if (probe_spec_parse(&spec, use.specs[i], NULL))
			abort();
}

/* The first line is also what a user gives for --preset. */
static void use_first_line(const struct presets *presets, const char *text)
{
	static struct preset_use use;
	struct diag why = { .err = 0 };
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (presets_use(presets, line, &use, &why) && !why.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	char *text = malloc(count + 1), *problems = NULL;
	struct presets *presets;
	size_t before, size;
	FILE *out;

	if (!text || presets_create(&presets))
		return 0;
	memcpy(text, bytes, count);
	text[count] = '\0';
	before = presets_count(presets);
	out = open_memstream(&problems, &size);
	if (!out)
		abort();
	presets_read(presets, text, "own", out);
	fclose(out);
	check_lines(problems);
	if (presets_count(presets) < before)
		abort();
	for (size_t i = 0; i < presets_count(presets); i++)
		check_preset(presets_at(presets, i));
	use_first_line(presets, text);
	presets_destroy(presets);
	free(problems);
	free(text);
	return 0;
}
