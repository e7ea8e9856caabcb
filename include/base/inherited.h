/* inherited.h - environment, umask and resource limits that flametop inherited: what it must not
 * use itself, and gives back to the user's own command.
 *
 * Use:    inherited_distrust() first of all in main; inherited_give_back() in a child, before exec.
 * Source: sudo(8), "ENVIRONMENT".
 */
#ifndef BASE_INHERITED_H
#define BASE_INHERITED_H

#include <stdbool.h>
#include <sys/types.h>

/* As root, removes all environment variables but those that say how to show text: others could lead
 * to files or code of another user. For every user, disables core dumps and sets umask 077. Call it
 * before the first thread and before setlocale(). */
void inherited_distrust(void);

/* Restores environment, umask and limits. Async-signal-safe. */
void inherited_give_back(void);

/* Returns true when @user started this process through sudo(8). Any thread. */
bool inherited_is_from(uid_t user);

#endif
