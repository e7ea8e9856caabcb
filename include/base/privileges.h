/* privileges.h - what a program that runs as root must be careful with: its capabilities, what it
 * inherited, the user database, and new files.
 *
 * Use:    privileges_drop() once, when nothing needs more any longer: in main after forking the
 *         children and before the first thread (capabilities are per thread and inherited).
 * Source: capabilities(7), prctl(2). Workers drop all capabilities: sandbox/confine.h. */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"

enum privileges {
	PRIVILEGES_OF_MAIN,	/* sample, read processes and their files, probe */
	PRIVILEGES_TO_READ,	/* sample, read processes and their files: --readonly */
	PRIVILEGES_OF_GUARDIAN,	/* end other processes, remove probes */
};

/* Keeps those capabilities of @kept that the process has and drops all others, also for programs
 * that it executes; only root may inspect it from now on (PR_SET_DUMPABLE). @ends_command: keep
 * CAP_KILL too, to end a command that changed its user. 0 or -errno. */
int privileges_drop(enum privileges kept, bool ends_command, struct diag *why);

/* Puts CAP_DAC_OVERRIDE, if kept, in effect for the calling thread: for creating a file where only
 * that capability allows it, as under sudo in another user's directory. */
void privileges_begin_write(void);
void privileges_end_write(void);

/* Environment, umask and resource limits that flametop inherited: it must not use them itself, and
 * gives them back to the user's own command.
 *
 * Use:    inherited_distrust() first of all in main; inherited_give_back() in a child, before exec.
 * Source: sudo(8), "ENVIRONMENT".
 */

/* As root, removes all environment variables but those that say how to show text: others could lead
 * to files or code of another user. For every user, disables core dumps and sets umask 077. Call it
 * before the first thread and before setlocale(). */
void inherited_distrust(void);

/* Restores environment, umask and limits. Async-signal-safe. */
void inherited_give_back(void);

/* Returns true when @user started this process through sudo(8). Any thread. */
bool inherited_is_from(uid_t user);

/* Home directories and names from the user database.
 *
 * Thread: any.
 * Source: passwd(5). /etc/passwd is read first. The name service switch is used only for users that
 *         are not there: it loads code into this process, connects to daemons, and in some versions
 *         crashes when out of memory.
 */

struct user {
	char name[64];
	char home[PATH_MAX];
};

/* Finds the user @uid. Returns 0; -ENOENT: there is no such user; or -ENOMEM. */
int user_find(uid_t uid, struct user *out);
/* Looks into /etc/passwd only: for users that a stranger's file names. Returns as user_find(). */
int user_find_in_file(uid_t uid, struct user *out);

/* Creates a file that gets its name only when complete, and never replaces another.
 *
 * Use:    new_file_open(), write to `fd`, then new_file_keep() or new_file_drop(). A process that
 *         is killed before leaves nothing where the file system supports O_TMPFILE, elsewhere a
 *         file named ".flametop-" and a random number.
 * Source: open(2) O_TMPFILE, linkat(2), rename(2) RENAME_NOREPLACE.
 * Thread: one per file.
 */

struct new_file {
	int directory;			/* O_PATH descriptor, owned */
	int fd;				/* for writing, owned; mode 0600 */
	bool is_named;			/* `temporary` exists; false: the file has no name yet */
	char temporary[32];
	char name[NAME_MAX + 1];	/* final name in `directory` */
};

/* Creates the file that will become @path. Returns 0, or -errno with the reason: -EEXIST (also for
 * a symbolic link, which is not followed), -ENOENT, -EPERM: new_file_place() refuses the place. */
int new_file_open(struct new_file *out, const char *path, struct diag *why);
/* Gives the file its name and closes it. Returns 0, or -errno after removing the file. */
int new_file_keep(struct new_file *file);
/* Closes the file and removes it. */
void new_file_drop(struct new_file *file);

/* Opens the directory of @path. Returns an O_PATH descriptor, owned by the caller, or -errno with
 * the reason; *@name points to the rest of @path. root is refused where another user could replace
 * the file: in a directory that another user owns, or may write without S_ISVTX. Directories of the
 * user who called sudo(8) are allowed. */
int new_file_place(const char *path, const char **name, struct diag *why);

#endif
