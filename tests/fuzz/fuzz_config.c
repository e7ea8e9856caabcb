/* fuzz_config.c - any bytes as a configuration: what is wrong in it is said in clean lines, or
 * nothing is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "cli/config.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static char place[] = "/tmp/fuzz_config.XXXXXX", path[64];

static void remove_place(void)
{
	unlink(path);
	rmdir(place);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(place))
		abort();
	snprintf(path, sizeof(path), "%s/config", place);
	return atexit(remove_place);
}

static void check_lines(char *lines)
{
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		if (!sanitize_is_clean(line, strlen(line)))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct diag why = { .err = 0 };
	struct config config;
	FILE *out = fopen(path, "w");
	int err;

	if (!out || fwrite(bytes, 1, count, out) != count || fclose(out))
		abort();
	err = config_read(&config, path, &why);
	if (err > 0 || (err && (why.err != err || !why.text[0])) || (!err && config.problems))
		abort();
	if (config.problems)
		check_lines(config.problems);
	config_finish(&config);
	return 0;
}
