/* kernel_code.c - see bpf/kernel_reads.h.
 *
 * Problem: a program that reads kernel memory can read all of it.
 *
 * Idea: a program is made for each request. Address and size are constants in it, so it reads what
 * was asked for and nothing else, whoever runs it; it is run once and unloaded.
 *
 * Rejected: one program that gets the address as its argument, which would stay loaded; an
 * iterator, whose records need a loop for more than the 512 bytes of the stack.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf/kernel_reads.h"
#include "kernel_program.h"

#define KEY_AT (-4)	/* on the program's stack */

enum result { RESULT_READ, RESULT_FAULT };

/* Copies the memory into the only entry of the array @map. */
static void make_program(struct bytecode *code, int map, uint64_t address, uint32_t bytes)
{
	const struct bytecode_label fault = bytecode_label(code);

	bytecode_entry(code, map, 0, KEY_AT, fault);
	bytecode_move(code, BPF_REG_1, BPF_REG_0);
	bytecode_move_imm(code, BPF_REG_2, (int32_t)bytes);
	bytecode_move_imm64(code, BPF_REG_3, address);
	bytecode_call(code, BPF_FUNC_probe_read_kernel);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, fault);
	bytecode_exit(code, RESULT_READ);
	bytecode_bind(code, fault);
	bytecode_exit(code, RESULT_FAULT);
}

/* Makes, loads and runs the program. */
static int run_program(int map, uint64_t address, uint32_t bytes, struct diag *why)
{
	const struct kernel_hook hook = { HOOK_NOTHING, "kernel_code", NULL };
	struct bytecode *code = bytecode_create();
	struct kernel_program program;
	uint32_t result;
	int err;

	if (!code)
		return diag_set(why, -ENOMEM, "no memory for a program");
	make_program(code, map, address, bytes);
	err = kernel_program_load(&program, code, &hook, NULL, why);
	bytecode_destroy(code);
	if (err)
		return err;
	err = kernel_program_run(&program, &result, why);
	kernel_program_close(&program);
	if (!err && result != RESULT_READ)
		err = diag_set(why, -EFAULT, "the kernel has no memory at 0x%" PRIx64, address);
	return err;
}

int kernel_code_read(uint64_t address, uint32_t bytes, unsigned char *out, struct diag *why)
{
	const uint32_t room = (bytes + 7) & ~7u;	/* the kernel copies whole words */
	const uint32_t key = 0;
	unsigned char *value;
	int map, err;

	if (!bytes || bytes > KERNEL_CODE_BYTES_MAX)
		return diag_set(why, -EINVAL, "kernel code of %u bytes", bytes);
	map = kernel_map_create(BPF_MAP_TYPE_ARRAY, "kernel_code", sizeof(key), room, 1, 0, why);
	if (map < 0)
		return map;
	value = malloc(room);
	err = value ? run_program(map, address, bytes, why)
		    : diag_set(why, -ENOMEM, "no memory for code");
	if (!err && bpf_map_lookup_elem(map, &key, value)) {
		err = -errno;
		diag_set(why, err, "a BPF program's result can't be fetched: %s",
			 strerror(-err));
	}
	if (!err)
		memcpy(out, value, bytes);
	free(value);
	close(map);
	return err;
}
