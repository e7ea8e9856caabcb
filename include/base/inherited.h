/* inherited.h - what flametop got from whoever started it: its environment and what it must not
 * keep of it, but the user's own command gets back.
 *
 * Use:    inherited_distrust() first of all in main; inherited_give_back() in a child, before exec.
 * Source: sudo(8), "ENVIRONMENT".
 */
#ifndef BASE_INHERITED_H
#define BASE_INHERITED_H

#include <stdbool.h>
#include <sys/types.h>

/* Drops what could lead a program that runs as root to files or code of somebody else: of the
 * environment only the variables that say how to show text stay. For every user: core dumps, and
 * new files that others may read. Before the first thread, and before setlocale(). */
void inherited_distrust(void);

void inherited_give_back(void);	/* async-signal-safe */

/* Whether @user called sudo(8), which started this process. Any thread. */
bool inherited_is_from(uid_t user);

#endif
