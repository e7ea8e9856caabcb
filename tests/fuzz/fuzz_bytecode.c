/* fuzz_bytecode.c - whatever the calls, a program is refused or has jumps that lead forward to an
 * instruction of its own, and no register that does not exist. */
#include <stdlib.h>
#include <string.h>

#include "bpf/bytecode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A call takes these from the input. */
struct call {
	uint8_t kind, a, b, c;
	int32_t value;
};

static void add_access(struct bytecode *code, const struct call *call)
{
	const struct bytecode_label label = { call->c };
	const struct bytecode_read read = { .offset = call->b, .bytes = call->c & 15,
					    .is_signed = call->a & 1,
					    .hop_count = call->value & 15 };

	switch (call->kind / 16 % 6) {
	case 0:
		bytecode_load(code, call->c & 15, call->a, call->b, call->value);
		break;
	case 1:
		bytecode_store(code, call->c & 15, call->a, call->value, call->b);
		break;
	case 2:
		bytecode_store_imm(code, call->c & 15, call->a, call->b, call->value);
		break;
	case 3:
		bytecode_zero(code, call->value, call->c);
		break;
	case 4:
		bytecode_add_to(code, call->a, call->value, call->b);
		break;
	default:
		bytecode_read(code, call->a, &read, -8 * call->b, label);
		break;
	}
}

static void add_jump(struct bytecode *code, const struct call *call)
{
	const struct bytecode_label label = { call->c };

	switch (call->kind / 16 % 6) {
	case 0:
		bytecode_label(code);
		break;
	case 1:
		bytecode_bind(code, label);
		break;
	case 2:
		bytecode_jump(code, label);
		break;
	case 3:
		bytecode_jump_if(code, BPF_JEQ, call->a, call->b, label);
		break;
	case 4:
		bytecode_jump_if_imm(code, BPF_JSGT, call->a, call->value, label);
		break;
	default:
		bytecode_entry(code, call->a, call->b, call->value, label);
		break;
	}
}

static void add_value(struct bytecode *code, const struct call *call)
{
	switch (call->kind / 16 % 6) {
	case 0:
		bytecode_move(code, call->a, call->b);
		break;
	case 1:
		bytecode_move_imm64(code, call->a, (uint64_t)call->value * call->b);
		break;
	case 2:
		bytecode_alu_imm(code, call->b & 0xf0, call->a, call->value);
		break;
	case 3:
		bytecode_log2(code, call->a, call->b, call->c);
		break;
	case 4:
		bytecode_count(code, call->a, call->b, call->value);
		break;
	default:
		bytecode_extend_sign(code, call->a, call->c & 7);
		break;
	}
}

static void check(const struct bytecode *code)
{
	for (uint32_t i = 0; i < code->count; i++) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn->dst_reg > BPF_REG_10 || insn->src_reg > BPF_REG_10)
			abort();
		if (!code->targets[i])
			continue;
		if (insn->off < 0 || i + 1 + (uint32_t)insn->off >= code->count)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct bytecode *code = bytecode_create();
	struct diag why;
	struct call call;

	if (!code)
		return 0;
	for (; count >= sizeof(call); bytes += sizeof(call), count -= sizeof(call)) {
		memcpy(&call, bytes, sizeof(call));
		if (call.kind % 3 == 0)
			add_access(code, &call);
		else if (call.kind % 3 == 1)
			add_jump(code, &call);
		else
			add_value(code, &call);
	}
	bytecode_exit(code, 0);
	if (!bytecode_finish(code, &why))
		check(code);
	bytecode_destroy(code);
	return 0;
}
