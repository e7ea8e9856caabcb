/* cgroup_dir.h - which directory is the cgroup that the user names: -G.
 *
 * Source: cgroups(7); perf_event_open(2), PERF_FLAG_PID_CGROUP: it counts by the hierarchy of
 *         version 1 that has the perf_event controller where there is one, else by version 2.
 * Thread: any.
 */
#ifndef CAPTURE_CGROUP_DIR_H
#define CAPTURE_CGROUP_DIR_H

#include <stddef.h>

#include "base/diag.h"

/* The directory of @name: its path below the hierarchy, or all of it; else a directory's own name
 * ("nginx.service") or 12 or more digits of a container's id in it, if only one has that. *@out:
 * malloc'd, the caller's. -ENOENT: none, with the nearest name; -EINVAL: several, or not a
 * directory of the hierarchy; -ENODEV: no hierarchy is mounted. */
int cgroup_dir_find(char **out, const char *name, struct diag *why);

/* The same below @root. */
int cgroup_dir_find_below(char **out, const char *root, const char *name, struct diag *why);

/* Where the hierarchy is mounted, from the text of /proc/self/mountinfo; see proc(5). malloc'd, the
 * caller's; NULL: nowhere, or out of memory. */
char *cgroup_dir_parse_mounts(const char *text);

/* What is short of the directory's name, for the header: the last directory, of long ids the first
 * digits. Into @out[@room]. */
void cgroup_dir_format(const char *path, char *out, size_t room);

#endif
