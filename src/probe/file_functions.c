/* file_functions.c - see probe/probe_point.h: lists the functions of one file. */
#include "probe/probe_point.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/name_match.h"
#include "point_file.h"
#include "point_user.h"
#include "sandbox/probe_names.h"

struct listing {
	const char *file, *pattern;	/* BORROWED */
	file_function_sink *sink;
	void *context;
};

bool file_functions_split(const char *text, char *file, size_t room, const char **pattern)
{
	const bool has_kind = !strncmp(text, "u:", 2);
	const char *name = text + (has_kind ? 2 : 0);
	const size_t bytes = strcspn(name, ":");

	*pattern = name[bytes] ? name + bytes + 1 : "*";
	if (!bytes || bytes >= room || name[strcspn(name, " ")] ||
	    (!has_kind && !memchr(name, '/', bytes)))
		return false;
	memcpy(file, name, bytes);
	file[bytes] = '\0';
	return strpbrk(*pattern, "*?[") || name_pattern_has_alternatives(*pattern);
}

/* Passes each name on once: one at several addresses is one target. */
static uint32_t pass_on(const struct listing *listing, const struct probe_names *names)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < names->header->function_count; i++) {
		const struct probe_function *function = &names->functions[i];
		const char *name = probe_names_text(names, function->name);
		const char *shown = probe_names_text(names, function->shown);

		if ((i && !strcmp(name, probe_names_text(names, function[-1].name))) ||
		    (!name_pattern_matches(listing->pattern, name) &&
		     !name_pattern_matches(listing->pattern, shown)))
			continue;
		listing->sink(listing->context, name, shown, function->is_resolver == 0);
		count++;
	}
	return count;
}

/* Tries again without demangling if a name has crashed the worker. */
static int read_names(struct sandbox *sandbox, const struct point_file *file,
		      struct probe_names *names, struct diag *why)
{
	struct build_id ignored;
	int debug = -1, err = point_user_open_debug(sandbox, file, &ignored, &debug, why);

	*names = (struct probe_names){ .header = NULL };
	if (!err)
		err = probe_names_read(sandbox, file->file.fd, debug,
				       PROBE_NAMES_FUNCTIONS | PROBE_NAMES_DEMANGLED, names, why);
	if (err == -EPIPE || err == -ETIMEDOUT || err == -E2BIG) {
		probe_names_finish(names);
		err = probe_names_read(sandbox, file->file.fd, debug, PROBE_NAMES_FUNCTIONS, names,
				       why);
	}
	if (debug >= 0)
		close(debug);
	return err;
}

int file_functions_list(struct sandbox *sandbox, const char *file, const char *pattern, pid_t pid,
			file_function_sink *sink, void *context, struct diag *why)
{
	const struct listing listing = { file, pattern, sink, context };
	struct probe_names names;
	struct point_file opened;
	int err = point_file_open(&opened, file, pid, why);

	if (err)
		return err;
	err = read_names(sandbox, &opened, &names, why);
	if (!err && !pass_on(&listing, &names))
		err = diag_set(why, -ENOENT, "no function matches '%s'", pattern);
	if (err)
		diag_prefix(why, "%s", file);
	probe_names_finish(&names);
	point_file_close(&opened);
	return err;
}
