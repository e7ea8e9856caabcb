/* user.h - the user database.
 *
 * Use:    where a user's own files are, and what a user is called.
 * Thread: any.
 * Source: passwd(5). /etc/passwd is read first, without the name service switch: it loads code into
 *         this process, speaks to daemons, and does not survive missing memory in all its versions.
 *         Only for a user that is not there it is asked.
 */
#ifndef BASE_USER_H
#define BASE_USER_H

#include <limits.h>
#include <sys/types.h>

struct user {
	char name[64];
	char home[PATH_MAX];
};

/* 0, -ENOENT: there is no such user, or -ENOMEM. */
int user_find(uid_t uid, struct user *out);

#endif
