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
	int process;		/* O_PATH of /proc/PID: of this process, never of a later one with
				 * its number; -1: gone, or none */
	int root;		/* O_PATH of its root directory; -1: gone, or not permitted */
	bool is_ours;		/* paths mean the same as here: same mounts, same root */
};

/* @pid 0: nobody (a recording); its paths are taken for ours. */
void process_root_open(struct process_root *out, uint32_t pid);
void process_root_close(struct process_root *root);

/* Whether @name ("ns/mnt", "root") of @process, O_PATH of its /proc/PID, is what it is of ours;
 * false also where that cannot be found out. Asks no server of a file system. */
bool process_root_shares(int process, const char *name);

/* What proc(5) status says of @process, as process_root_shares() has it: its pid in the innermost
 * namespace (NSpid), and whose rights it has (the effective Uid). 0; -ESRCH it is gone; -errno. */
int process_root_status(int process, uint32_t *pid, uint32_t *uid);

/* Takes the place @path below @directory (AT_FDCWD: here) without opening what is there; @resolve:
 * RESOLVE_* of openat2(2). The caller's descriptor, or -errno. */
int process_root_take(int directory, const char *path, uint64_t resolve);

#endif
