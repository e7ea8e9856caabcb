/* bytecode.c - see bytecode.h.
 *
 * Jumps: a jump is emitted with distance 0 and the number of its label beside it; bytecode_finish()
 * writes the distances when all labels are bound. Only forward jumps: a program without loops needs
 * no proof that it ends, on any kernel.
 */
#include "bytecode.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

struct bytecode *bytecode_create(void)
{
	return calloc(1, sizeof(struct bytecode));
}

void bytecode_destroy(struct bytecode *code)
{
	free(code);
}

static void fail(struct bytecode *code, int err)
{
	if (!code->err)
		code->err = err;
}

static struct bpf_insn *emit(struct bytecode *code, int operation, uint8_t to, uint8_t from)
{
	static _Thread_local struct bpf_insn unused;

	if (to > BPF_REG_10 || from > BPF_REG_10)
		fail(code, -EINVAL);
	if (code->count == BYTECODE_MAX)
		fail(code, -E2BIG);
	if (code->err)
		return &unused;
	code->insns[code->count] = (struct bpf_insn){ .code = (uint8_t)operation,
						      .dst_reg = to & 15u, .src_reg = from & 15u };
	return &code->insns[code->count++];
}

int bytecode_finish(struct bytecode *code, struct diag *why)
{
	for (uint32_t i = 0; !code->err && i < code->count; i++) {
		const uint32_t target = code->targets[i];

		if (!target)
			continue;
		if (code->bound_at[target - 1] <= (int32_t)i ||
		    code->bound_at[target - 1] >= (int32_t)code->count)
			fail(code, -EINVAL);
		else
			code->insns[i].off = (int16_t)(code->bound_at[target - 1] - (int32_t)i - 1);
	}
	if (code->err == -E2BIG)
		return diag_set(why, code->err, "a BPF program of more than %u instructions or %u "
				"labels: flametop makes none that large, please report this",
				BYTECODE_MAX, BYTECODE_LABELS_MAX);
	if (code->err)
		return diag_set(why, code->err, "a BPF program with a jump or an instruction that "
				"leads nowhere: please report this");
	return 0;
}

struct bytecode_label bytecode_label(struct bytecode *code)
{
	if (code->label_count == BYTECODE_LABELS_MAX) {
		fail(code, -E2BIG);
		return (struct bytecode_label){ 0 };
	}
	code->bound_at[code->label_count] = -1;
	return (struct bytecode_label){ code->label_count++ };
}

static bool is_known(struct bytecode *code, struct bytecode_label label)
{
	if (label.index >= code->label_count)
		fail(code, -EINVAL);
	return label.index < code->label_count;
}

void bytecode_bind(struct bytecode *code, struct bytecode_label label)
{
	if (!is_known(code, label))
		return;
	if (code->bound_at[label.index] >= 0)
		fail(code, -EINVAL);
	code->bound_at[label.index] = (int32_t)code->count;
}

bool bytecode_is_used(const struct bytecode *code, struct bytecode_label label)
{
	for (uint32_t i = 0; i < code->count; i++)
		if (code->targets[i] == label.index + 1)
			return true;
	return false;
}

static struct bpf_insn *emit_jump(struct bytecode *code, int operation, uint8_t left,
				  uint8_t right, struct bytecode_label label)
{
	struct bpf_insn *insn = emit(code, operation, left, right);

	if (is_known(code, label) && !code->err)
		code->targets[code->count - 1] = (uint16_t)(label.index + 1);
	return insn;
}

void bytecode_jump(struct bytecode *code, struct bytecode_label label)
{
	emit_jump(code, BPF_JMP | BPF_JA, 0, 0, label);
}

void bytecode_jump_if(struct bytecode *code, uint8_t op, uint8_t left, uint8_t right,
		      struct bytecode_label label)
{
	emit_jump(code, BPF_JMP | BPF_X | op, left, right, label);
}

void bytecode_jump_if_imm(struct bytecode *code, uint8_t op, uint8_t left, int32_t right,
			  struct bytecode_label label)
{
	emit_jump(code, BPF_JMP | BPF_K | op, left, 0, label)->imm = right;
}

void bytecode_move(struct bytecode *code, uint8_t to, uint8_t from)
{
	emit(code, BPF_ALU64 | BPF_MOV | BPF_X, to, from);
}

void bytecode_move_imm(struct bytecode *code, uint8_t to, int32_t value)
{
	emit(code, BPF_ALU64 | BPF_MOV | BPF_K, to, 0)->imm = value;
}

/* One instruction of two slots; @kind says what the value is. */
static void move_wide(struct bytecode *code, uint8_t to, uint8_t kind, uint64_t value)
{
	emit(code, BPF_LD | BPF_DW | BPF_IMM, to, kind)->imm = (int32_t)value;
	emit(code, 0, 0, 0)->imm = (int32_t)(value >> 32);
}

void bytecode_move_imm64(struct bytecode *code, uint8_t to, uint64_t value)
{
	move_wide(code, to, 0, value);
}

void bytecode_move_map(struct bytecode *code, uint8_t to, int map)
{
	move_wide(code, to, BPF_PSEUDO_MAP_FD, (uint32_t)map);
}

void bytecode_move_variable(struct bytecode *code, uint8_t to, uint32_t id)
{
	move_wide(code, to, BPF_PSEUDO_BTF_ID, id);
}

void bytecode_alu(struct bytecode *code, uint8_t op, uint8_t to, uint8_t by)
{
	emit(code, BPF_ALU64 | BPF_X | op, to, by);
}

/* The verifier refuses what has no result: a division by 0, and shifts by 64 bits or more. */
void bytecode_alu_imm(struct bytecode *code, uint8_t op, uint8_t to, int32_t by)
{
	const bool is_shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;

	if (((op == BPF_DIV || op == BPF_MOD) && by == 0) || (is_shift && (by < 0 || by > 63)))
		fail(code, -EINVAL);
	emit(code, BPF_ALU64 | BPF_K | op, to, 0)->imm = by;
}

void bytecode_negate(struct bytecode *code, uint8_t reg)
{
	emit(code, BPF_ALU64 | BPF_NEG, reg, 0);
}

void bytecode_extend_sign(struct bytecode *code, uint8_t reg, uint32_t bytes)
{
	if (bytes == 8)
		return;
	bytecode_alu_imm(code, BPF_LSH, reg, (int32_t)(64 - 8 * bytes));
	bytecode_alu_imm(code, BPF_ARSH, reg, (int32_t)(64 - 8 * bytes));
}

static int size_of(struct bytecode *code, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	case 8:
		return BPF_DW;
	default:
		fail(code, -EINVAL);
		return 0;
	}
}

static struct bpf_insn *emit_access(struct bytecode *code, int operation, uint32_t bytes,
				    uint8_t to, uint8_t from, int32_t offset)
{
	struct bpf_insn *insn;

	if (offset != (int16_t)offset)
		fail(code, -EINVAL);
	insn = emit(code, operation | size_of(code, bytes), to, from);
	insn->off = (int16_t)offset;
	return insn;
}

void bytecode_load(struct bytecode *code, uint32_t bytes, uint8_t to, uint8_t from, int32_t offset)
{
	emit_access(code, BPF_LDX | BPF_MEM, bytes, to, from, offset);
}

void bytecode_store(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
		    uint8_t from)
{
	emit_access(code, BPF_STX | BPF_MEM, bytes, to, from, offset);
}

void bytecode_store_imm(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
			int32_t value)
{
	emit_access(code, BPF_ST | BPF_MEM, bytes, to, 0, offset)->imm = value;
}

void bytecode_add_to(struct bytecode *code, uint8_t to, int32_t offset, uint8_t reg)
{
	emit_access(code, BPF_STX | BPF_ATOMIC, 8, to, reg, offset)->imm = BPF_ADD;
}

void bytecode_exchange(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
		       uint8_t reg)
{
	emit_access(code, BPF_STX | BPF_ATOMIC, bytes, to, reg, offset)->imm = BPF_XCHG;
}

void bytecode_zero(struct bytecode *code, int32_t offset, uint32_t bytes)
{
	if (offset % 8 || bytes % 8 || offset >= 0 || offset < -BYTECODE_STACK ||
	    bytes > (uint32_t)-offset)
		fail(code, -EINVAL);
	for (uint32_t at = 0; !code->err && at < bytes; at += 8)
		bytecode_store_imm(code, 8, BPF_REG_10, offset + (int32_t)at, 0);
}

void bytecode_stack_address(struct bytecode *code, uint8_t to, int32_t offset)
{
	if (offset >= 0 || offset < -BYTECODE_STACK)
		fail(code, -EINVAL);
	bytecode_move(code, to, BPF_REG_10);
	bytecode_alu_imm(code, BPF_ADD, to, offset);
}

void bytecode_call(struct bytecode *code, int32_t function)
{
	emit(code, BPF_JMP | BPF_CALL, 0, 0)->imm = function;
}

void bytecode_exit(struct bytecode *code, int32_t result)
{
	bytecode_move_imm(code, BPF_REG_0, result);
	emit(code, BPF_JMP | BPF_EXIT, 0, 0);
}

/* Replaces the pointer in @to by the @bytes that it leads to at @hop. The helpers that don't say
 * which memory they read are absent on some machines. */
static void follow(struct bytecode *code, uint8_t to, const struct bytecode_read *read, int32_t hop,
		   uint32_t bytes, int32_t stack, struct bytecode_label fault)
{
	bytecode_stack_address(code, BPF_REG_1, stack);
	bytecode_move_imm(code, BPF_REG_2, (int32_t)bytes);
	bytecode_move(code, BPF_REG_3, to);
	bytecode_alu_imm(code, BPF_ADD, BPF_REG_3, hop);
	bytecode_call(code, read->is_user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, fault);
	bytecode_load(code, bytes, to, BPF_REG_10, stack);
}

void bytecode_read(struct bytecode *code, uint8_t to, const struct bytecode_read *read,
		   int32_t stack, struct bytecode_label fault)
{
	const uint32_t hops = read->hop_count;

	if (hops > BYTECODE_HOPS_MAX || stack % 8 || read->offset > INT16_MAX) {
		fail(code, -EINVAL);
		return;
	}
	bytecode_load(code, hops ? 8 : read->bytes, to, BPF_REG_6, (int32_t)read->offset);
	for (uint32_t i = 0; i < hops; i++)
		follow(code, to, read, read->hops[i], i + 1 < hops ? 8 : read->bytes, stack, fault);
	if (read->is_signed)
		bytecode_extend_sign(code, to, read->bytes);
}

void bytecode_log2(struct bytecode *code, uint8_t to, uint8_t value, uint8_t scratch)
{
	bytecode_move_imm(code, to, 0);
	for (int32_t bits = 32; bits; bits /= 2) {
		const struct bytecode_label is_below = bytecode_label(code);

		bytecode_move(code, scratch, value);
		bytecode_alu_imm(code, BPF_RSH, scratch, bits);
		bytecode_jump_if_imm(code, BPF_JEQ, scratch, 0, is_below);
		bytecode_move(code, value, scratch);
		bytecode_alu_imm(code, BPF_ADD, to, bits);
		bytecode_bind(code, is_below);
	}
	bytecode_alu(code, BPF_ADD, to, value);	/* 1, or 0 of 0 */
}

void bytecode_lookup(struct bytecode *code, int map, int32_t key, struct bytecode_label missing)
{
	bytecode_move_map(code, BPF_REG_1, map);
	bytecode_stack_address(code, BPF_REG_2, key);
	bytecode_call(code, BPF_FUNC_map_lookup_elem);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, 0, missing);
}

void bytecode_entry(struct bytecode *code, int map, uint32_t index, int32_t key,
		    struct bytecode_label missing)
{
	bytecode_store_imm(code, 4, BPF_REG_10, key, (int32_t)index);
	bytecode_lookup(code, map, key, missing);
}

void bytecode_count(struct bytecode *code, int map, uint8_t reg, int32_t key)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_store(code, 4, BPF_REG_10, key, reg);
	bytecode_lookup(code, map, key, end);
	bytecode_move_imm(code, BPF_REG_1, 1);
	bytecode_add_to(code, BPF_REG_0, 0, BPF_REG_1);
	bytecode_bind(code, end);
}

void bytecode_task_storage(struct bytecode *code, int map, uint8_t task, bool is_created,
			   struct bytecode_label missing)
{
	bytecode_move(code, BPF_REG_2, task);	/* first: @task may be r1 */
	bytecode_move_map(code, BPF_REG_1, map);
	bytecode_move_imm(code, BPF_REG_3, 0);
	bytecode_move_imm(code, BPF_REG_4, is_created ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	bytecode_call(code, BPF_FUNC_task_storage_get);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, 0, missing);
}
