/* user.c - see base/user.h. */
#include "base/user.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 4096		/* buffer for one entry; glibc starts with 1024 */

static int copy_user(const struct passwd *found, struct user *out)
{
	const size_t name_bytes = strlen(found->pw_name) + 1;
	const size_t home_bytes = strlen(found->pw_dir) + 1;

	if (name_bytes > sizeof(out->name) || home_bytes > sizeof(out->home))
		return -ENOENT;
	memcpy(out->name, found->pw_name, name_bytes);
	memcpy(out->home, found->pw_dir, home_bytes);
	return 0;
}

static int find_in_file(uid_t uid, struct user *out)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd entry, *found = NULL;
	char text[LINE_BYTES];
	int err = -ENOENT;

	if (!file)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	while (!fgetpwent_r(file, &entry, text, sizeof(text), &found) && found)
		if (found->pw_uid == uid) {
			err = copy_user(found, out);
			break;
		}
	fclose(file);
	return err;
}

int user_find(uid_t uid, struct user *out)
{
	struct passwd entry, *found = NULL;
	char text[LINE_BYTES];
	int err = find_in_file(uid, out);

	if (err != -ENOENT)
		return err;
	if (getpwuid_r(uid, &entry, text, sizeof(text), &found) || !found)
		return -ENOENT;
	return copy_user(found, out);
}
