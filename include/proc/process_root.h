/* process_root.h - the file system as a process sees it.
 *
 * Use:    process_root_open(), then look below the two descriptors; process_root_close().
 * Source: proc(5), mount_namespaces(7).
 * Thread: any.
 */
#ifndef PROC_PROCESS_ROOT_H
#define PROC_PROCESS_ROOT_H

#include <stdbool.h>
#include <stdint.h>

struct process_root {
	int process;		/* O_PATH of /proc/PID: always refers to this process, never to a
				 * later one with its pid; -1: gone, or none */
	int root;		/* O_PATH of its root directory; -1: gone, or not permitted */
	bool is_ours;		/* its mounts and root are those of flametop */
};

/* Opens both descriptors. @pid 0: no process (a recording); is_ours is set. */
void process_root_open(struct process_root *out, uint32_t pid);
void process_root_close(struct process_root *root);

/* Returns true when @name ("ns/mnt", "root") below @process, O_PATH of its /proc/PID, is the same
 * as below /proc/self; false also if that can't be determined. Causes no request to the server of
 * a file system (AT_STATX_DONT_SYNC). */
bool process_root_shares(int process, const char *name);

/* Reads from /proc/PID/status (proc(5)) of @process, O_PATH of its /proc/PID, its pid in the
 * innermost namespace (NSpid) and its effective uid. Returns 0; -ESRCH: it is gone; or -errno. */
int process_root_status(int process, uint32_t *pid, uint32_t *uid);

/* Opens @path below @directory (or AT_FDCWD) with O_PATH, so not the file itself; @resolve:
 * RESOLVE_* of openat2(2). Returns a descriptor, owned by the caller, or -errno. */
int process_root_take(int directory, const char *path, uint64_t resolve);

#endif
