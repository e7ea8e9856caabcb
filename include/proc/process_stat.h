/* process_stat.h - what the kernel says of one process or thread besides its code: state, threads,
 * CPU time, command line.
 *
 * Source: proc(5), /proc/PID/stat, /proc/PID/task/TID/stat, /proc/PID/cmdline.
 * Thread: any; may block as long as the process holds its memory map.
 */
#ifndef PROC_PROCESS_STAT_H
#define PROC_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_COMMAND_LINE_BYTES 4096	/* longer ones are cut */

struct process_stat {
	char state;		/* R S D Z T t I ... */
	char comm[16];		/* raw, terminated */
	uint32_t threads;	/* of the process, also in a thread's */
	uint64_t cpu_ticks;	/* user and system, of sysconf(_SC_CLK_TCK) a second */
	uint64_t start_ticks;	/* since boot: with the pid, which is used again, its identity */
};

/* @tid 0: the whole process. 0; -ESRCH: there is none (any more); another -errno: can't tell. */
int process_stat_read(struct process_stat *out, uint32_t pid, uint32_t tid);

/* The arguments with a space between, raw but without NUL: foreign bytes. "" of a kernel thread
 * and a zombie. malloc'd, the caller's; NULL: can't tell. */
char *process_stat_read_command_line(uint32_t pid);

/* The parser of stat alone. False: it is none. */
bool process_stat_parse(struct process_stat *out, const char *text);
/* Arguments as the kernel gives them, @text[0..@len) with a NUL behind each, become one line in
 * place. @text has room for one byte more. */
void process_stat_join_arguments(char *text, size_t len);

#endif
