/* landlock.h - no path, port or foreign process from here on. Source: landlock(7). */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

/* The kernel's version of Landlock, 1 or more; 0: it has none, or it is switched off. */
int landlock_version(void);

/* Denies the calling process and its children all that this version of Landlock knows, for good,
 * with PR_SET_NO_NEW_PRIVS set before. 0, also where there is no Landlock, or -errno. */
int landlock_deny_all(void);

#endif
