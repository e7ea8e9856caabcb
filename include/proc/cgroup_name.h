/* cgroup_name.h - /proc/PID/cgroup -> which cgroup, and what its path says: systemd's unit, the
 * container, the pod.
 *
 * Source: cgroups(7), systemd.slice(5); paths as Docker, containerd, CRI-O, Podman, LXC, nspawn and
 *         libvirt make them. They are conventions: who may make cgroups may name them like that.
 * Text:   foreign bytes, not sanitized.
 * Thread: any. Pure.
 */
#ifndef PROC_CGROUP_NAME_H
#define PROC_CGROUP_NAME_H

#include <stddef.h>

#define CGROUP_NAME_BYTES 256	/* a directory's name, NAME_MAX; longer ones are cut */

struct cgroup_name {
	char unit[CGROUP_NAME_BYTES];	/* "nginx.service", as systemctl(1) writes it; "": none */
	char container[CGROUP_NAME_BYTES];	/* the id's first 12 digits, or a name */
	char pod[CGROUP_NAME_BYTES];	/* Kubernetes' uid of it, with dashes */
};

/* The path in the terminated @text of /proc/PID/cgroup: the named hierarchy of systemd, which
 * knows containers, too, where there is one; else what groups CPU time; else version 2. The first
 * of them that is not the root. BORROWED, not terminated; NULL: no line can be read. */
const char *cgroup_name_find_path(const char *text, size_t *len);

/* What @path[0..@len) says. Of several, one within the other, the innermost. */
void cgroup_name_parse(struct cgroup_name *out, const char *path, size_t len);

#endif
