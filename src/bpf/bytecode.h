/* bytecode.h - makes a BPF program in memory, instruction by instruction, without a compiler.
 *
 * Use:     bytecode_create(); the calls below in the order of the instructions;
 *          kernel_program_load() (kernel_program.h), which finishes the program;
 *          bytecode_destroy(). A failure is kept: the calls after it do nothing, and
 *          bytecode_finish() reports it.
 * Example: counts each switch of the machine's CPUs in entry 0 of an array of u64.
 *
 *              const struct bytecode_label end = bytecode_label(code);
 *
 *              bytecode_entry(code, counters, 0, -4, end);
 *              bytecode_move_imm(code, BPF_REG_1, 1);
 *              bytecode_add_to(code, BPF_REG_0, 0, BPF_REG_1);
 *              bytecode_bind(code, end);
 *              bytecode_exit(code, 0);
 *
 * Registers: r0 is the result of a call, which destroys r1 to r5; r6 to r9 survive it; r10 points
 *            to
 *          the end of the 512 bytes of stack, so that offsets into it are negative. Every program
 *          has its context in r1 at first: keep it with bytecode_move(code, BPF_REG_6, BPF_REG_1).
 * Limits:  jumps lead forward only, so every program ends; BYTECODE_MAX instructions. What no jump
 *          and no instruction before it leads to is refused by the kernel's verifier.
 * Source:  Linux, Documentation/bpf/standardization/instruction-set.rst; <linux/bpf.h>.
 * Thread:  one per program.
 */
#ifndef BPF_BYTECODE_H
#define BPF_BYTECODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define BYTECODE_MAX	    4096u	/* instructions of a program: BPF_MAXINSNS */
#define BYTECODE_LABELS_MAX 512u
#define BYTECODE_HOPS_MAX   8u
#define BYTECODE_STACK	    512		/* bytes below r10 */
#define BYTECODE_BUCKETS    65u		/* results of bytecode_log2() */

struct bytecode {
	struct bpf_insn insns[BYTECODE_MAX];
	uint16_t targets[BYTECODE_MAX];		/* a jump's label + 1; 0: none */
	int32_t bound_at[BYTECODE_LABELS_MAX];	/* instruction; -1: not bound */
	uint32_t count;
	uint32_t label_count;
	int err;				/* the first failure */
};

struct bytecode_label {
	uint32_t index;
};

/* Returns an empty program; NULL: out of memory. */
struct bytecode *bytecode_create(void);
void bytecode_destroy(struct bytecode *code);	/* NULL is fine */

/* Gives all jumps their distance. Returns 0; -E2BIG: too many instructions, labels; -EINVAL: a
 * label was used but not bound, or bound before its jump; a size or an offset that cannot be. */
int bytecode_finish(struct bytecode *code, struct diag *why);

/* Labels: create one, jump to it any number of times, bind it once to the instruction that
 * follows. */
struct bytecode_label bytecode_label(struct bytecode *code);
void bytecode_bind(struct bytecode *code, struct bytecode_label label);
/* Returns true when something jumps there: bind and emit a block for a rare case only then. */
bool bytecode_is_used(const struct bytecode *code, struct bytecode_label label);
void bytecode_jump(struct bytecode *code, struct bytecode_label label);
/* Jump when `@left OPERATOR @right`. @op: BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JGE, BPF_JLT, BPF_JLE
 * (unsigned), BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE (signed), BPF_JSET (any bit in both). All 64
 * bits are compared; an immediate value is extended by its sign. */
void bytecode_jump_if(struct bytecode *code, uint8_t op, uint8_t left, uint8_t right,
		      struct bytecode_label label);
void bytecode_jump_if_imm(struct bytecode *code, uint8_t op, uint8_t left, int32_t right,
			  struct bytecode_label label);

void bytecode_move(struct bytecode *code, uint8_t to, uint8_t from);
void bytecode_move_imm(struct bytecode *code, uint8_t to, int32_t value);	/* sign extended */
void bytecode_move_imm64(struct bytecode *code, uint8_t to, uint64_t value);
/* @to becomes the map of the descriptor @map, for calls. */
void bytecode_move_map(struct bytecode *code, uint8_t to, int map);
/* @to becomes a pointer to the kernel's variable with the BTF id @id. */
void bytecode_move_variable(struct bytecode *code, uint8_t to, uint32_t id);
/* @to = @to OPERATOR @by on 64 bits. @op: BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_MOD (unsigned;
 * by 0 the results are 0 and @to), BPF_AND, BPF_OR, BPF_XOR, BPF_LSH, BPF_RSH, BPF_ARSH. */
void bytecode_alu(struct bytecode *code, uint8_t op, uint8_t to, uint8_t by);
void bytecode_alu_imm(struct bytecode *code, uint8_t op, uint8_t to, int32_t by);
void bytecode_negate(struct bytecode *code, uint8_t reg);
/* The lowest @bytes (1, 2, 4) of @reg become a signed value of 64 bits. */
void bytecode_extend_sign(struct bytecode *code, uint8_t reg, uint32_t bytes);

/* Memory that a register points to. @bytes: 1, 2, 4 or 8; what is loaded is extended by zeros. */
void bytecode_load(struct bytecode *code, uint32_t bytes, uint8_t to, uint8_t from, int32_t offset);
void bytecode_store(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
		    uint8_t from);
void bytecode_store_imm(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
			int32_t value);
/* Adds @reg to the u64 at @to + @offset, atomically. */
void bytecode_add_to(struct bytecode *code, uint8_t to, int32_t offset, uint8_t reg);
/* Exchanges @reg and the 4 or 8 bytes at @to + @offset, atomically: what other CPUs see is in the
 * order of the program. Needs Linux 5.12. */
void bytecode_exchange(struct bytecode *code, uint32_t bytes, uint8_t to, int32_t offset,
		       uint8_t reg);
/* Writes zeros to the stack from @offset on; both are multiples of 8. Keys and records must be
 * zeroed whole, padding too, before a call reads them. */
void bytecode_zero(struct bytecode *code, int32_t offset, uint32_t bytes);
/* @to = r10 + @offset. */
void bytecode_stack_address(struct bytecode *code, uint8_t to, int32_t offset);

/* @function: BPF_FUNC_*; arguments are in r1 to r5. */
void bytecode_call(struct bytecode *code, int32_t function);
void bytecode_exit(struct bytecode *code, int32_t result);

/* A value of the context, or one that a chain of pointers leads to from there. */
struct bytecode_read {
	uint32_t offset;	/* in the context; a multiple of the field's size */
	uint32_t bytes;		/* the value has 1, 2, 4 or 8 */
	bool is_signed;
	bool is_user;		/* the pointers lead into memory of the current process */
	uint32_t hop_count;	/* 0: the value is in the context itself */
	int32_t hops[BYTECODE_HOPS_MAX];	/* added to the pointer, which is followed */
};

/* Reads a value into @to, which is none of r1 to r5. r6 has the context. Uses 8 bytes of stack at
 * @stack (a multiple of 8). Jumps to @fault where a pointer leads to no readable memory: user
 * memory that is not present counts as such. Destroys r0 to r5 if there are hops. */
void bytecode_read(struct bytecode *code, uint8_t to, const struct bytecode_read *read,
		   int32_t stack, struct bytecode_label fault);

/* @to becomes the bucket of @value: 0 for 0, else 1 + the number of its highest bit, so bucket b
 * has values from 2^(b-1) to 2^b - 1. Destroys @value and @scratch; all three differ. */
void bytecode_log2(struct bytecode *code, uint8_t to, uint8_t value, uint8_t scratch);

/* r0 becomes a pointer to the value of the key that lies on the stack at @key; jumps to @missing
 * when the map has no such key. */
void bytecode_lookup(struct bytecode *code, int map, int32_t key, struct bytecode_label missing);
/* The same for entry @index of an array; the index is written to 4 bytes of the stack at @key. */
void bytecode_entry(struct bytecode *code, int map, uint32_t index, int32_t key,
		    struct bytecode_label missing);
/* Adds 1 to the u64 that entry @reg of an array begins with (BPF_MAP_TYPE_PERCPU_ARRAY for counts
 * and for a histogram's buckets). @key: as above. Nothing is counted when there is no such entry.
 * */
void bytecode_count(struct bytecode *code, int map, uint8_t reg, int32_t key);

/* r0 becomes a pointer to what the task storage @map keeps for the task that @task points to, a
 * register with a typed pointer; jumps to @missing when there is none. @is_created: zeros are kept
 * from now on if there is nothing, and @missing means that this failed. */
void bytecode_task_storage(struct bytecode *code, int map, uint8_t task, bool is_created,
			   struct bytecode_label missing);

#endif
