/* user.h - home directories and names from the user database.
 *
 * Thread: any.
 * Source: passwd(5). /etc/passwd is read first. The name service switch is used only for users that
 *         are not there: it loads code into this process, connects to daemons, and in some versions
 *         crashes when out of memory.
 */
#ifndef BASE_USER_H
#define BASE_USER_H

#include <limits.h>
#include <sys/types.h>

struct user {
	char name[64];
	char home[PATH_MAX];
};

/* Finds the user @uid. Returns 0; -ENOENT: there is no such user; or -ENOMEM. */
int user_find(uid_t uid, struct user *out);

#endif
