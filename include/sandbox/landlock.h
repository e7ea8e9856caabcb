/* landlock.h - denies a process all paths, ports and other processes. Source: landlock(7). */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

/* Returns the kernel's Landlock ABI version, 1 or more; 0: Landlock is missing or disabled. */
int landlock_version(void);

/* Irrevocably denies the calling process and its children every access that this version of
 * Landlock can restrict; set PR_SET_NO_NEW_PRIVS before. Returns 0, also without Landlock, or
 * -errno. */
int landlock_deny_all(void);

#endif
