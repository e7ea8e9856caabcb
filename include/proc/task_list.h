/* task_list.h - lists the threads and processes that exist now, from /proc. Source: proc(5).
 * Thread: any. Every result may be outdated when it is returned. */
#ifndef PROC_TASK_LIST_H
#define PROC_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
