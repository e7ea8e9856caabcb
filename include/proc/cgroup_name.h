/* cgroup_name.h - reads from /proc/PID/cgroup the path of a cgroup, and from the path the systemd
 * unit, container and pod.
 *
 * Source: cgroups(7), systemd.slice(5); paths as Docker, containerd, CRI-O, Podman, LXC, nspawn and
 *         libvirt make them. These are conventions: whoever may create cgroups can imitate them.
 * Text:   foreign bytes, not sanitized.
 * Thread: any. Pure.
 */
#ifndef PROC_CGROUP_NAME_H
#define PROC_CGROUP_NAME_H

#include <stddef.h>

#define CGROUP_NAME_BYTES 256	/* NAME_MAX + 1; longer names are cut */

struct cgroup_name {
	char unit[CGROUP_NAME_BYTES];	/* "nginx.service", as in systemctl(1); "": none */
	char container[CGROUP_NAME_BYTES];	/* first 12 digits of the id, or a name; "": none */
	char pod[CGROUP_NAME_BYTES];	/* Kubernetes uid of the pod, with dashes; "": none */
};

/* Returns the path in @text, the NUL-terminated contents of /proc/PID/cgroup. Prefers systemd's
 * named hierarchy, which has containers too, then the hierarchy of the CPU controllers, then
 * version 2, and takes the first path that is not the root. BORROWED from @text, not terminated;
 * NULL: no line could be parsed. */
const char *cgroup_name_find_path(const char *text, size_t *len);

/* Parses @path[0..@len). Of nested units, containers or pods it takes the innermost. */
void cgroup_name_parse(struct cgroup_name *out, const char *path, size_t len);

#endif
