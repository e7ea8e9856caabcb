/* process_stat.h - reads state, number of threads, CPU time and command line of a process or
 * thread.
 *
 * Source: proc(5), /proc/PID/stat, /proc/PID/task/TID/stat, /proc/PID/cmdline.
 * Thread: any; may block as long as the process holds its mmap_lock.
 */
#ifndef PROC_PROCESS_STAT_H
#define PROC_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_COMMAND_LINE_BYTES 4096	/* longer ones are cut */

struct process_stat {
	char state;		/* R S D Z T t I ... */
	char comm[16];		/* raw, NUL-terminated */
	uint32_t threads;	/* number of threads of the process, also for a thread */
	uint64_t cpu_ticks;	/* user and system time, in 1/sysconf(_SC_CLK_TCK) s */
	uint64_t start_ticks;	/* start time since boot; identifies the process with the pid */
};

/* Reads the statistics of thread @tid; 0: of the whole process. Returns 0; -ESRCH: it does not
 * exist (any more); another -errno: unknown. */
int process_stat_read(struct process_stat *out, uint32_t pid, uint32_t tid);

/* Returns the arguments, separated by spaces: foreign bytes, without NUL. "" for a kernel thread
 * and a zombie. malloc'd, owned by the caller; NULL: could not be read. */
char *process_stat_read_command_line(uint32_t pid);

/* Parses the text of /proc/PID/stat. Returns false when @text is malformed. */
bool process_stat_parse(struct process_stat *out, const char *text);
/* Joins the arguments in @text[0..@len), as read from /proc/PID/cmdline with a NUL after each, into
 * one line in place. @text has room for @len + 1 bytes. */
void process_stat_join_arguments(char *text, size_t len);

#endif
