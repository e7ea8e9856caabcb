/* inherited.c - see base/inherited.h.
 *
 * Problem: sudo -E, su and containers keep the environment of somebody who is not root: where
 * terminfo, locales, character set modules and time zones are, and where files are to be looked up.
 *
 * Idea: as root a list of what may stay, not of what may not: libraries grow variables.
 */
#include "base/inherited.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT_MAX 32

static struct {
	char **environment;	/* the original environ */
	char *kept[KEPT_MAX + 1];
	struct rlimit core, files;
	mode_t mask;
	bool has_caller;
	uid_t caller;		/* user who called sudo(8) */
} inherited;

/* Returns true for these names and prefixes; not for a value with a slash, which names a file (the
 * sanitizers' options excepted). */
static bool is_kept(const char *variable)
{
	static const char *const names[] = { "TERM=", "COLORTERM=", "NO_COLOR=", "LANG=", "LC_",
					     "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",
					     "LSAN_OPTIONS=" };
	const char *value = strchr(variable, '=');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (value && !strncmp(variable, names[i], strlen(names[i])))
			return i >= 5 || !strchr(value, '/');
	return false;
}

static void keep_few(void)
{
	size_t kept = 0;

	for (char **variable = environ; *variable && kept < KEPT_MAX; variable++)
		if (is_kept(*variable))
			inherited.kept[kept++] = *variable;
	environ = inherited.kept;
}

/* Reads SUDO_UID. Returns false unless it is a plain number. */
static bool read_caller(uid_t *caller)
{
	const char *text = secure_getenv("SUDO_UID");
	char *end;
	unsigned long number;

	if (!text || !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	*caller = (uid_t)number;
	return !errno && !*end && number < (uid_t)-1;
}

void inherited_distrust(void)
{
	inherited.environment = environ;
	inherited.has_caller = read_caller(&inherited.caller);	/* before environ changes */
	getrlimit(RLIMIT_CORE, &inherited.core);	/* cannot fail, nor can lowering it */
	getrlimit(RLIMIT_NOFILE, &inherited.files);	/* the capture raises it */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ .rlim_max = inherited.core.rlim_max });
	inherited.mask = umask(077);
	if (geteuid() == 0)
		keep_few();
}

void inherited_give_back(void)
{
	if (!inherited.environment)
		return;
	environ = inherited.environment;
	umask(inherited.mask);
	setrlimit(RLIMIT_CORE, &inherited.core);
	setrlimit(RLIMIT_NOFILE, &inherited.files);
}

bool inherited_is_from(uid_t user)
{
	return inherited.has_caller && inherited.caller == user;
}
