/* kernel_program.h - loads BPF programs, their maps and their hooks into the running kernel, and
 * finds where its structs have their members.
 *
 * Use:     kernel_btf_open(); kernel_map_create(); bytecode_create() and the program's
 *          instructions; kernel_program_load(), kernel_program_attach(); later
 *          kernel_program_close(). Whether the kernel and the rights suffice shows when the real
 *          program is loaded and attached: there is no other test, and the reason in @why is for
 *          the user.
 * Example: an iterator over all tasks.
 *
 *              bytecode_move(code, BPF_REG_6, BPF_REG_1);
 *              bytecode_load(code, 8, BPF_REG_7, BPF_REG_6, 8);    // ctx->task
 *              bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_7, 0, end);
 *              ...                                                 // BPF_FUNC_seq_write
 *              const struct kernel_hook hook = { HOOK_TASK_ITERATOR, "threads", NULL };
 *
 *              err = kernel_program_load(&program, code, &hook, btf, why);
 *              if (!err)
 *                      err = kernel_program_iterate(&program, pid, &rows, &bytes, why);
 *
 * Left over: nothing. Programs, maps and hooks live as long as their descriptors, which are closed
 *          by every exec and with the process; nothing is pinned.
 * Source:  bpf(2); perf_event_open(2); libbpf's bpf.h and btf.h; Linux, Documentation/bpf.
 * Thread:  any, one at a time per program. Loading takes 0.2 to 100 ms: not for the sampler.
 */
#ifndef BPF_KERNEL_PROGRAM_H
#define BPF_KERNEL_PROGRAM_H

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "bytecode.h"

/* Returns 0 if this process has the capabilities that every program needs; else -EPERM, with the
 * one that is missing in @why. @what needs them. */
int kernel_check_rights(const char *what, struct diag *why);
/* The types of the running kernel; *@out is the caller's (btf__free()). Returns 0, or -ENOENT: it
 * was built without them. Takes 20 ms and 10 MB: one for all programs. */
int kernel_btf_open(struct btf **out, struct diag *why);
/* Finds @member of the kernel's `struct @type`, also in unnamed structs and unions of it. Returns
 * its offset in bytes; or -ENOENT: this kernel has none. */
int kernel_btf_offset(const struct btf *btf, const char *type, const char *member,
		      struct diag *why);
/* A member that kernel_btf_offsets() finds. */
struct kernel_member {
	int *offset;		/* becomes kernel_btf_offset() of the other two */
	const char *type, *member;
};

/* Finds all of @members[@count]. Returns 0, or the error of the first one that is not there. */
int kernel_btf_offsets(const struct btf *btf, const struct kernel_member *members, size_t count,
		       struct diag *why);
/* Returns where the variable @name is in the memory that each CPU has of its own: its distance from
 * another such variable is the same on all of them. -ENOENT: there is none. */
int kernel_btf_cpu_variable(const struct btf *btf, const char *name);
/* Returns the number of arguments of the tracepoint @name, without the first one of every
 * tracepoint, which programs don't get; or -ENOENT. */
int kernel_btf_arguments(const struct btf *btf, const char *name);

/* Creates a map. Returns its descriptor; or -EPERM, -ENOMEM, -EINVAL. @flags: BPF_F_*. */
int kernel_map_create(enum bpf_map_type type, const char *name, uint32_t key_bytes,
		      uint32_t value_bytes, uint32_t entries, uint32_t flags, struct diag *why);
/* Creates a task storage: @words u64 for every task that a program asked for, freed
 * with the task. */
int kernel_map_create_task_storage(const char *name, uint32_t words, struct diag *why);

/* Adds up what the CPUs have in the only entry of the per-CPU array @map, @count u64 each, into
 * @out[@count]. @what names the counts for the user. Returns 0; or -errno, and @out is 0. */
int kernel_map_add_up(int map, uint64_t *out, size_t count, const char *what, struct diag *why);

enum kernel_hook_kind {
	HOOK_TRACEPOINT,	/* tp_btf: argument i is a u64 at 8 * i of the context; pointers
				 * are typed */
	HOOK_TASK_ITERATOR,	/* runs for each task when kernel_program_iterate() asks */
	HOOK_FUNCTION,		/* kprobe: the context is struct pt_regs */
	HOOK_NOTHING,		/* runs once when kernel_program_run() asks, without a context */
};

struct kernel_hook {
	enum kernel_hook_kind kind;
	const char *name;	/* shown by bpftool, at most 15 characters */
	const char *target;	/* tracepoint or function; else NULL */
};

struct kernel_program {
	int fd;		/* -1: not loaded */
	int link;	/* keeps it attached; -1: is not */
};

#define KERNEL_PROGRAM_NONE ((struct kernel_program){ -1, -1 })

/* Finishes @code and loads it for @hook; @btf may be NULL for HOOK_FUNCTION and HOOK_NOTHING. On
 * failure *@out is KERNEL_PROGRAM_NONE, and @why says what was missing: -ENOENT: the kernel has no
 * such tracepoint; -EPERM: rights, lockdown; -EINVAL, -EACCES: the kernel's verifier refuses it,
 * with the last line of its log (the whole log is in ours). */
int kernel_program_load(struct kernel_program *out, struct bytecode *code,
			const struct kernel_hook *hook, const struct btf *btf, struct diag *why);
/* Makes it run. Returns 0, or -errno as above. */
int kernel_program_attach(struct kernel_program *program, const struct kernel_hook *hook,
			  struct diag *why);
/* Runs an iterator, which need not be attached, over the threads of the process @pid, 0: over all
 * tasks; from Linux 6.1 on, before it always over all. *@bytes becomes what the program wrote with
 * BPF_FUNC_seq_write, the caller's (malloc'd). Returns 0 or -errno. */
int kernel_program_iterate(const struct kernel_program *program, pid_t pid, void **bytes,
			   size_t *count, struct diag *why);
/* Runs a program of HOOK_NOTHING, now and on this CPU; *@result becomes what it returns. Returns 0,
 * or -errno as above: Linux before 5.10 cannot. */
int kernel_program_run(const struct kernel_program *program, uint32_t *result, struct diag *why);
/* Returns how often the kernel skipped the program, since it ran already on that CPU; 0: unknown.
 * */
uint64_t kernel_program_missed(const struct kernel_program *program);
/* Detaches and unloads. KERNEL_PROGRAM_NONE is fine, and what it is afterwards. */
void kernel_program_close(struct kernel_program *program);

#endif
