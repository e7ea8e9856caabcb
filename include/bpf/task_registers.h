/* task_registers.h - the user registers and the kernel stacks of all threads of a process, read
 * without stopping any, by a BPF program that the kernel runs for each of them.
 *
 * Use:    task_iterator_create(), task_iterator_read() for a process, task_iterator_destroy().
 *         Registers are those with which a thread entered the kernel: they mean something of a
 *         thread that is blocked, as long as it has not been run since, which the number of its
 *         switches tells.
 * Source: bpf-helpers(7), bpf_task_pt_regs; numbers of registers: see capture/stack_copy.h.
 * Thread: any, one at a time.
 */
#ifndef BPF_TASK_REGISTERS_H
#define BPF_TASK_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define TASK_REGISTERS 33	/* DWARF numbers 0 to 32 */
#define TASK_KERNEL_FRAMES 40	/* functions that are called later are left out */

struct task_registers {
	uint32_t pid, tid;
	uint64_t switches;	/* voluntary and not, as in /proc/PID/task/TID/status */
	uint64_t values[TASK_REGISTERS];	/* by DWARF number; 0: the machine has none */
	uint64_t kernel[TASK_KERNEL_FRAMES];	/* addresses, innermost first; 0: no more */
};

struct task_iterator;

/* Loads the program, which takes about 30 ms. 0; -EPERM: rights, lockdown; -ENOENT: a kernel
 * without BTF; -ENOTSUP: a machine whose registers are not known; or -ENOMEM. */
int task_iterator_create(struct task_iterator **out, struct diag *why);
void task_iterator_destroy(struct task_iterator *iterator);	/* NULL is fine */

/* Reads the threads of process @pid, by tid; *@out is the caller's (malloc'd). 0 or -errno. */
int task_iterator_read(struct task_iterator *iterator, uint32_t pid, struct task_registers **out,
		       size_t *count, struct diag *why);

#endif
