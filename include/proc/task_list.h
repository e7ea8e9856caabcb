/* task_list.h - the threads and processes that exist now, from /proc. Source: proc(5).
 * Thread: any. Every answer may be old when it arrives. */
#ifndef PROC_TASK_LIST_H
#define PROC_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Appends the threads of @pid to *@tids (realloc'd, the caller's). 0, -ESRCH or -ENOMEM. */
int task_list_threads(pid_t pid, pid_t **tids, size_t *count);

/* Appends the processes whose files in /proc belong to @uid; (uid_t)-1: all. 0 or -errno. */
int task_list_processes_of(uid_t uid, pid_t **pids, size_t *count);

/* Appends what was started by the processes @roots, directly or not, since @since_ticks; not what
 * lost its parents meanwhile, nor the calling process and what that has started. 0 or -errno. */
int task_list_descendants(const pid_t *roots, size_t root_count, uint64_t since_ticks,
			  pid_t **pids, size_t *count);

/* How many processes @pid has started that it still has; 0 also where the kernel does not say so
 * (CONFIG_PROC_CHILDREN). Cheap enough for each refresh. */
uint32_t task_list_count_children(pid_t pid);

/* Now, in the clock of /proc/PID/stat. */
uint64_t task_list_now_ticks(void);

/* Parent and start (clock ticks since boot, field 22 of /proc/PID/stat). 0 or -ESRCH. */
int task_list_origin(pid_t pid, pid_t *parent, uint64_t *start_ticks);

#endif
