/* cgroup_dir.h - finds the directory of the cgroup that the user names with -G.
 *
 * Source: cgroups(7); perf_event_open(2), PERF_FLAG_PID_CGROUP: the kernel uses the version 1
 *         hierarchy with the perf_event controller if there is one, else version 2.
 * Thread: any.
 */
#ifndef CAPTURE_CGROUP_DIR_H
#define CAPTURE_CGROUP_DIR_H

#include <stddef.h>

#include "base/diag.h"

/* Finds the directory of @name: a path below the hierarchy, or a full path; else the unique
 * directory with that name ("nginx.service"), or with 12 or more digits of a container id in its
 * name. *@out: malloc'd, owned by the caller. -ENOENT: none, with the nearest name; -EINVAL:
 * several, or not in the hierarchy; -ENODEV: no hierarchy is mounted. */
int cgroup_dir_find(char **out, const char *name, struct diag *why);

/* Does the work of cgroup_dir_find() for a hierarchy mounted at @root. */
int cgroup_dir_find_below(char **out, const char *root, const char *name, struct diag *why);

/* Returns the mount point of the hierarchy from @text, the contents of /proc/self/mountinfo; see
 * proc(5). malloc'd, owned by the caller; NULL: not mounted, or out of memory. */
char *cgroup_dir_parse_mounts(const char *text);

/* See counter_cgroups_find(). */
int cgroup_dir_find_used(char **out, size_t most, size_t *found, struct diag *why);

/* Writes a short name for the header into @out[@room]: the last directory of @path, with only the
 * first digits of long ids. */
void cgroup_dir_format(const char *path, char *out, size_t room);

#endif
