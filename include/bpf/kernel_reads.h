/* kernel_reads.h - what BPF programs read of the running kernel when they are asked: the user
 * registers and the kernel stacks of all threads of a process, without stopping any; and the code
 * of a function.
 *
 * Use:    task_iterator_create(), task_iterator_read() for a process, task_iterator_destroy().
 *         Registers are those with which a thread entered the kernel: they mean something of a
 *         thread that is blocked, as long as it has not been run since, which the number of its
 *         switches tells.
 *         kernel_code_read() for code whose place the caller has checked.
 * Source: bpf-helpers(7), bpf_task_pt_regs, bpf_probe_read_kernel; numbers of registers: see
 *         capture/stack_copy.h.
 * Thread: any; one at a time for an iterator.
 */
#ifndef BPF_KERNEL_READS_H
#define BPF_KERNEL_READS_H

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
/* Finds thread @tid in a @list that task_iterator_read() made. NULL: it is not there. */
const struct task_registers *task_registers_find(const struct task_registers *list, size_t count,
						 uint32_t tid);

#define KERNEL_CODE_BYTES_MAX (1u << 20)	/* CODE_RANGE_BYTES_MAX */

/* Copies @bytes, at most KERNEL_CODE_BYTES_MAX, of kernel memory at @address into @out. Whoever
 * calls it has made sure that there is code. Nothing stays loaded. Takes a few milliseconds.
 * Returns 0; -EPERM, -EINVAL: rights, lockdown, a kernel that cannot (before Linux 5.10); -EFAULT:
 * no memory is there; -ENOMEM. */
int kernel_code_read(uint64_t address, uint32_t bytes, unsigned char *out, struct diag *why);

#endif
