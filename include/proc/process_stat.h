/* process_stat.h - reads state, number of threads, CPU time and command line of a process or
 * thread; its root, the tasks that exist, and the names in its cgroup.
 *
 * Source: proc(5), /proc/PID/stat, /proc/PID/task/TID/stat, /proc/PID/cmdline.
 * Thread: any; may block as long as the process holds its mmap_lock.
 */
#ifndef PROC_PROCESS_STAT_H
#define PROC_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_COMMAND_LINE_BYTES 4096	/* longer ones are cut */

struct process_stat {
	char state;		/* R S D Z T t I ... */
	char comm[16];		/* raw, NUL-terminated */
	uint32_t threads;	/* number of threads of the process, also for a thread */
	uint64_t cpu_ticks;	/* user and system time, in 1/sysconf(_SC_CLK_TCK) s */
	uint64_t start_ticks;	/* start time since boot; identifies the process with the pid */
	bool is_kernel;		/* a thread of the kernel, which has no user code */
	uint32_t cpu;		/* the CPU on which it ran last; UINT32_MAX: unknown */
};

/* Reads the statistics of thread @tid; 0: of the whole process. Returns 0; -ESRCH: it does not
 * exist (any more); another -errno: unknown. */
int process_stat_read(struct process_stat *out, uint32_t pid, uint32_t tid);

/* Reads the start of the file @name below @directory, or AT_FDCWD, into @text[@room], terminated:
 * foreign bytes. Returns their number, or -errno with an empty text. */
ssize_t process_stat_read_file(int directory, const char *name, char *text, size_t room);

/* Returns the arguments, separated by spaces: foreign bytes, without NUL. "" for a kernel thread
 * and a zombie. malloc'd, owned by the caller; NULL: could not be read. */
char *process_stat_read_command_line(uint32_t pid);

/* Parses the text of /proc/PID/stat. Returns false when @text is malformed. */
bool process_stat_parse(struct process_stat *out, const char *text);
/* Joins the arguments in @text[0..@len), as read from /proc/PID/cmdline with a NUL after each, into
 * one line in place. @text has room for @len + 1 bytes. */
void process_stat_join_arguments(char *text, size_t len);

/* The file system as a process sees it.
 *
 * Use:    process_root_open(), then look below the two descriptors; process_root_close().
 * Source: proc(5), mount_namespaces(7).
 * Thread: any.
 */

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

#define PROCESS_GROUPS_MAX 1024

/* The user and groups that the kernel checks when a process opens a file. */
struct process_identity {
	uint32_t uid, gid;		/* fsuid and fsgid */
	uint32_t group_count;		/* supplementary groups; those beyond the room are left out,
					 * which only takes rights away */
	uint32_t groups[PROCESS_GROUPS_MAX];
};

/* Reads them from /proc/PID/status of @process, O_PATH of its /proc/PID. Returns 0; -ESRCH: it is
 * gone; or -errno. */
int process_root_identity(int process, struct process_identity *out);

/* Returns whether @process, O_PATH of its /proc/PID, maps the file @inode of the device; with
 * @inode 0: a file of the raw @path, which may have been deleted. False also if that can't be
 * determined. Blocks while the process holds its mmap_lock. Source: proc(5), /proc/PID/maps. */
bool process_root_has_mapped(int process, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
			     const char *path);

/* Opens @path below @directory (or AT_FDCWD) with O_PATH, so not the file itself; @resolve:
 * RESOLVE_* of openat2(2). Returns a descriptor, owned by the caller, or -errno. */
int process_root_take(int directory, const char *path, uint64_t resolve);

/* Lists the threads and processes that exist now, from /proc. Source: proc(5).
 * Thread: any. Every result may be outdated when it is returned. */

/* Appends the threads of @pid to *@tids (realloc'd, owned by the caller). 0, -ESRCH or -ENOMEM. */
int task_list_threads(pid_t pid, pid_t **tids, size_t *count);

/* Appends the processes whose files in /proc belong to @uid; (uid_t)-1: all. 0 or -errno. */
int task_list_processes_of(uid_t uid, pid_t **pids, size_t *count);

/* Appends the descendants of the processes @roots that began at @since_ticks or later; not orphans
 * whose parents have exited, nor the calling process and its descendants. 0 or -errno. */
int task_list_descendants(const pid_t *roots, size_t root_count, uint64_t since_ticks,
			  pid_t **pids, size_t *count);

/* Returns the number of existing children of @pid; 0 also without CONFIG_PROC_CHILDREN. Cheap
 * enough for each refresh. */
uint32_t task_list_count_children(pid_t pid);

/* Returns the current time in the clock of /proc/PID/stat. */
uint64_t task_list_now_ticks(void);

/* Reads the parent and the start time (clock ticks since boot, field 22 of /proc/PID/stat).
 * Returns 0 or -ESRCH. */
int task_list_origin(pid_t pid, pid_t *parent, uint64_t *start_ticks);

/* Reads from /proc/PID/cgroup the path of a cgroup, and from the path the systemd unit, container
 * and pod.
 *
 * Source: cgroups(7), systemd.slice(5); paths as Docker, containerd, CRI-O, Podman, LXC, nspawn and
 *         libvirt make them. These are conventions: whoever may create cgroups can imitate them.
 * Text:   foreign bytes, not sanitized.
 * Thread: any. Pure.
 */

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
