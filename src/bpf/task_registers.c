/* task_registers.c - see bpf/kernel_reads.h.
 *
 *	struct row	| tgid, tid | voluntary switches | involuntary | struct pt_regs | kernel |
 *
 * The row is written in two parts, as both are too much for the program's stack on some machines.
 * The program copies the kernel's struct as it is: its layout depends on the machine alone.
 */
#include "bpf/kernel_reads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_program.h"

#if defined(__x86_64__)
#define FRAME_WORDS 21		/* arch/x86/include/asm/ptrace.h */
/* ax dx cx bx si di bp sp r8 to r15 ip */
static const uint8_t places[] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 };
#elif defined(__aarch64__)
#define FRAME_WORDS 33		/* arch/arm64/include/uapi/asm/ptrace.h: x0 to x30, sp, pc */
static const uint8_t places[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	25, 26, 27, 28, 29, 30, 31, 32,
};
#else
#define FRAME_WORDS 1
static const uint8_t places[] = { 0 };
#define IS_UNKNOWN_MACHINE
#endif

struct row {
	uint32_t pid, tid;
	uint64_t voluntary, involuntary;
	uint64_t frame[FRAME_WORDS];
	uint64_t kernel[TASK_KERNEL_FRAMES];
};

#define KERNEL_BYTES	 ((uint32_t)sizeof(((struct row *)NULL)->kernel))
#define REGISTERS_BYTES ((uint32_t)offsetof(struct row, kernel))
/* The two parts of a row take turns in the same place of the program's stack. */
#define ROW_AT	  (-(int32_t)REGISTERS_BYTES)
#define KERNEL_AT (-(int32_t)KERNEL_BYTES)

struct task_iterator {
	struct kernel_program program;
};

/* Offsets in the kernel's structs. */
struct offsets {
	int pid, tid, voluntary, involuntary, seq;
};

static int find_offsets(struct offsets *out, const struct btf *btf, struct diag *why)
{
	const struct kernel_member members[] = {
		{ &out->pid, "task_struct", "tgid" }, { &out->tid, "task_struct", "pid" },
		{ &out->voluntary, "task_struct", "nvcsw" },
		{ &out->involuntary, "task_struct", "nivcsw" },
		{ &out->seq, "bpf_iter_meta", "seq" },
	};

	return kernel_btf_offsets(btf, members, sizeof(members) / sizeof(members[0]), why);
}

/* Copies a member of the task, r7, to the row. */
static void copy_member(struct bytecode *code, uint32_t bytes, size_t to, int from)
{
	bytecode_load(code, bytes, BPF_REG_1, BPF_REG_7, from);
	bytecode_store(code, bytes, BPF_REG_10, ROW_AT + (int32_t)to, BPF_REG_1);
}

/* Writes @bytes of the program's stack for the reader. */
static void write_stack(struct bytecode *code, const struct offsets *at, int32_t from,
			uint32_t bytes)
{
	bytecode_load(code, 8, BPF_REG_1, BPF_REG_6, 0);	/* the iterator writes there */
	bytecode_load(code, 8, BPF_REG_1, BPF_REG_1, at->seq);
	bytecode_stack_address(code, BPF_REG_2, from);
	bytecode_move_imm(code, BPF_REG_3, (int32_t)bytes);
	bytecode_call(code, BPF_FUNC_seq_write);
}

static void make_program(struct bytecode *code, const struct offsets *at)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_move(code, BPF_REG_6, BPF_REG_1);
	bytecode_load(code, 8, BPF_REG_7, BPF_REG_6, 8);	/* the task; NULL: that was all */
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_7, 0, end);
	bytecode_zero(code, ROW_AT, REGISTERS_BYTES);
	copy_member(code, 4, offsetof(struct row, pid), at->pid);
	copy_member(code, 4, offsetof(struct row, tid), at->tid);
	copy_member(code, 8, offsetof(struct row, voluntary), at->voluntary);
	copy_member(code, 8, offsetof(struct row, involuntary), at->involuntary);
	bytecode_move(code, BPF_REG_1, BPF_REG_7);
	bytecode_call(code, BPF_FUNC_task_pt_regs);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, 0, end);
	bytecode_move(code, BPF_REG_3, BPF_REG_0);
	bytecode_stack_address(code, BPF_REG_1, ROW_AT + (int32_t)offsetof(struct row, frame));
	bytecode_move_imm(code, BPF_REG_2, sizeof(((struct row *)NULL)->frame));
	bytecode_call(code, BPF_FUNC_probe_read_kernel);
	write_stack(code, at, ROW_AT, REGISTERS_BYTES);
	bytecode_zero(code, KERNEL_AT, KERNEL_BYTES);
	bytecode_move(code, BPF_REG_1, BPF_REG_7);
	bytecode_stack_address(code, BPF_REG_2, KERNEL_AT);
	bytecode_move_imm(code, BPF_REG_3, (int32_t)KERNEL_BYTES);
	bytecode_move_imm(code, BPF_REG_4, 0);
	bytecode_call(code, BPF_FUNC_get_task_stack);
	write_stack(code, at, KERNEL_AT, KERNEL_BYTES);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
}

static int load(struct task_iterator *iterator, const struct btf *btf, struct diag *why)
{
	const struct kernel_hook hook = { HOOK_TASK_ITERATOR, "task_registers", NULL };
	struct bytecode *code = bytecode_create();
	struct offsets offsets;
	int err = code ? find_offsets(&offsets, btf, why)
		       : diag_set(why, -ENOMEM, "no memory for a program");

	if (!err) {
		make_program(code, &offsets);
		err = kernel_program_load(&iterator->program, code, &hook, btf, why);
	}
	bytecode_destroy(code);
	return err;
}

int task_iterator_create(struct task_iterator **out, struct diag *why)
{
	struct task_iterator *iterator;
	struct btf *btf;
	int err;

	*out = NULL;
#ifdef IS_UNKNOWN_MACHINE
	return diag_set(why, -ENOTSUP, "the registers of this machine are not known");
#endif
	err = kernel_btf_open(&btf, why);
	if (err)
		return err;
	iterator = malloc(sizeof(*iterator));
	if (iterator)
		iterator->program = KERNEL_PROGRAM_NONE;
	err = iterator ? load(iterator, btf, why)
		       : diag_set(why, -ENOMEM, "no memory for a program");
	btf__free(btf);
	if (err) {
		task_iterator_destroy(iterator);
		return err;
	}
	*out = iterator;
	return 0;
}

void task_iterator_destroy(struct task_iterator *iterator)
{
	if (!iterator)
		return;
	kernel_program_close(&iterator->program);
	free(iterator);
}

static void convert(struct task_registers *out, const struct row *row)
{
	*out = (struct task_registers){ .pid = row->pid, .tid = row->tid,
					.switches = row->voluntary + row->involuntary };
	for (size_t i = 0; i < sizeof(places); i++)
		out->values[i] = row->frame[places[i]];
	memcpy(out->kernel, row->kernel, sizeof(out->kernel));
}

static int compare(const void *one, const void *other)
{
	const struct task_registers *a = one, *b = other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

int task_iterator_read(struct task_iterator *iterator, uint32_t pid, struct task_registers **out,
		       size_t *count, struct diag *why)
{
	struct row *rows;
	size_t bytes;
	int err = kernel_program_iterate(&iterator->program, (pid_t)pid, (void **)&rows, &bytes,
					 why);

	*out = NULL;
	*count = 0;
	if (err)
		return err;
	*out = malloc(bytes / sizeof(*rows) * sizeof(**out) + 1);
	if (!*out) {
		free(rows);
		return diag_set(why, -ENOMEM, "no memory for registers");
	}
	for (size_t i = 0; i < bytes / sizeof(*rows); i++)	/* before Linux 6.1: of all tasks */
		if (rows[i].pid == pid)
			convert(&(*out)[(*count)++], &rows[i]);
	free(rows);
	if (*count)
		qsort(*out, *count, sizeof(**out), compare);
	return 0;
}

const struct task_registers *task_registers_find(const struct task_registers *list, size_t count,
						 uint32_t tid)
{
	const struct task_registers wanted = { .tid = tid };

	return count ? bsearch(&wanted, list, count, sizeof(wanted), compare) : NULL;
}
