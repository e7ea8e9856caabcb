/* Instructions that are made are compared, run by the kernel, with an interpreter of the
 * expressions that they were made from; and by hand what has a known answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "bpf/bytecode.h"
#include "need_bpf.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define EXPRESSIONS 10000	/* unless the environment has another number */
#define BATCH	    8		/* expressions of one program */
#define CONTEXTS    4		/* that each of them is run with */
#define NODES_MAX   64
#define DEPTH_MAX   4
#define WORDS	    32		/* a context has, the first POINTERS of them addresses */
#define POINTERS    4

enum node_kind { NODE_CONSTANT, NODE_READ, NODE_NEGATE, NODE_LOG2, NODE_BINARY,
		 NODE_BINARY_CONSTANT, NODE_COMPARE, NODE_KINDS };

struct node {
	enum node_kind kind;
	uint8_t op;
	uint64_t constant;
	struct bytecode_read read;
	uint32_t left, right;
};

struct expression {
	struct node nodes[NODES_MAX];
	uint32_t count;
};

/* What a program reads, and what it writes into it. */
struct context {
	uint64_t words[WORDS];
	struct {
		uint64_t value, is_fault;
	} results[BATCH];
};

/* A pointer of the context leads to one of these, and from there to another. */
struct target {
	uint64_t words[8];	/* the first one is a pointer */
};

static const uint8_t operators[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_MOD, BPF_AND, BPF_OR,
				     BPF_XOR, BPF_LSH, BPF_RSH, BPF_ARSH };
static const uint8_t comparisons[] = { BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JGE, BPF_JLT, BPF_JLE,
				       BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE, BPF_JSET };
static uint64_t seed = 88172645463325252u;

static uint64_t random_word(void)
{
	static const uint64_t edges[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff,
					  0x80000000, 0xffffffff, INT64_MAX, 1ull << 63,
					  UINT64_MAX };
	static const uint32_t count = sizeof(edges) / sizeof(edges[0]);

	return random_below(&seed, 3) ? random_next(&seed) : edges[random_below(&seed, count)];
}

static struct bytecode_read random_read(void)
{
	struct bytecode_read read = { .bytes = 1u << random_below(&seed, 4),
				      .is_signed = random_below(&seed, 2), .is_user = true,
				      .hop_count = random_below(&seed, 3) };
	const uint32_t room = read.hop_count ? sizeof(struct target) : WORDS * 8;
	const uint32_t offset = read.bytes * random_below(&seed, room / read.bytes);

	if (!read.hop_count) {
		read.offset = offset;
		return read;
	}
	read.offset = 8 * random_below(&seed, POINTERS);
	read.hops[read.hop_count - 1] = (int32_t)offset;
	return read;
}

static uint32_t make_node(struct expression *expression, int depth)
{
	const uint32_t index = expression->count++;
	struct node node = { .kind = random_below(&seed, depth ? NODE_KINDS : NODE_READ + 1) };

	node.constant = random_word();
	node.read = random_read();
	node.op = node.kind == NODE_COMPARE ? comparisons[random_below(&seed, sizeof(comparisons))]
					    : operators[random_below(&seed, sizeof(operators))];
	if (node.kind >= NODE_NEGATE)
		node.left = make_node(expression, depth - 1);
	if (node.kind == NODE_BINARY || node.kind == NODE_COMPARE)
		node.right = make_node(expression, depth - 1);
	expression->nodes[index] = node;
	return index;
}

static bool is_shift(uint8_t op)
{
	return op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
}

/* An immediate value has 32 bits, and the verifier wants one that has a result. */
static int32_t immediate_of(const struct node *node)
{
	const int32_t value = is_shift(node->op) ? (int32_t)(node->constant & 63)
						 : (int32_t)node->constant;

	return value ? value : 1;
}

/* The interpreter. */

static uint64_t calculate(uint8_t op, uint64_t left, uint64_t right)
{
	switch (op) {
	case BPF_ADD: return left + right;
	case BPF_SUB: return left - right;
	case BPF_MUL: return left * right;
	case BPF_DIV: return right ? left / right : 0;
	case BPF_MOD: return right ? left % right : left;
	case BPF_AND: return left & right;
	case BPF_OR: return left | right;
	case BPF_XOR: return left ^ right;
	case BPF_LSH: return left << (right & 63);
	case BPF_RSH: return left >> (right & 63);
	default: return (uint64_t)((int64_t)left >> (right & 63));
	}
}

static bool compare(uint8_t op, uint64_t left, uint64_t right)
{
	switch (op) {
	case BPF_JEQ: return left == right;
	case BPF_JNE: return left != right;
	case BPF_JGT: return left > right;
	case BPF_JGE: return left >= right;
	case BPF_JLT: return left < right;
	case BPF_JLE: return left <= right;
	case BPF_JSGT: return (int64_t)left > (int64_t)right;
	case BPF_JSGE: return (int64_t)left >= (int64_t)right;
	case BPF_JSLT: return (int64_t)left < (int64_t)right;
	case BPF_JSLE: return (int64_t)left <= (int64_t)right;
	default: return left & right;
	}
}

static uint64_t bucket_of(uint64_t value)
{
	uint64_t bits = 0;

	for (; value; value /= 2)
		bits++;
	return bits;
}

static uint64_t read_memory(const void *from, uint32_t bytes, bool is_signed)
{
	uint64_t value = 0;

	memcpy(&value, from, bytes);
	if (is_signed && bytes < 8 && value >> (8 * bytes - 1) & 1)
		value |= UINT64_MAX << 8 * bytes;
	return value;
}

/* Pointers lead to struct target or nowhere: below 4096. */
static uint64_t interpret_read(const struct bytecode_read *read, const struct context *context,
			       bool *is_fault)
{
	const unsigned char *at = (const unsigned char *)context + read->offset;

	for (uint32_t i = 0; i < read->hop_count; i++) {
		uint64_t pointer;

		memcpy(&pointer, at, sizeof(pointer));
		if (pointer < 4096) {
			*is_fault = true;
			return 0;
		}
		at = (const unsigned char *)(uintptr_t)pointer + read->hops[i];
	}
	return read_memory(at, read->bytes, read->is_signed);
}

static uint64_t interpret(const struct expression *expression, uint32_t index,
			  const struct context *context, bool *is_fault)
{
	const struct node *node = &expression->nodes[index];
	uint64_t left = 0;

	if (node->kind >= NODE_NEGATE)
		left = interpret(expression, node->left, context, is_fault);
	switch (node->kind) {
	case NODE_CONSTANT:
		return node->constant;
	case NODE_READ:
		return interpret_read(&node->read, context, is_fault);
	case NODE_NEGATE:
		return -left;
	case NODE_LOG2:
		return bucket_of(left);
	case NODE_BINARY_CONSTANT:
		return calculate(node->op, left, (uint64_t)(int64_t)immediate_of(node));
	case NODE_COMPARE:
		return compare(node->op, left,
			       interpret(expression, node->right, context, is_fault));
	default:
		return calculate(node->op, left,
				 interpret(expression, node->right, context, is_fault));
	}
}

/* The same as instructions: the value of a node comes into r7; r8 and r9 are free. */

static void build(struct bytecode *code, const struct expression *expression, uint32_t index,
		  int depth, struct bytecode_label fault);

/* Left into r8, right into r7. */
static void build_pair(struct bytecode *code, const struct expression *expression,
		       const struct node *node, int depth, struct bytecode_label fault)
{
	const int32_t slot = -8 * (depth + 2);

	build(code, expression, node->left, depth + 1, fault);
	bytecode_store(code, 8, BPF_REG_10, slot, BPF_REG_7);
	build(code, expression, node->right, depth + 1, fault);
	bytecode_load(code, 8, BPF_REG_8, BPF_REG_10, slot);
}

static void build_compare(struct bytecode *code, const struct node *node)
{
	const struct bytecode_label is_true = bytecode_label(code);

	bytecode_move_imm(code, BPF_REG_9, 1);
	bytecode_jump_if(code, node->op, BPF_REG_8, BPF_REG_7, is_true);
	bytecode_move_imm(code, BPF_REG_9, 0);
	bytecode_bind(code, is_true);
	bytecode_move(code, BPF_REG_7, BPF_REG_9);
}

static void build(struct bytecode *code, const struct expression *expression, uint32_t index,
		  int depth, struct bytecode_label fault)
{
	const struct node *node = &expression->nodes[index];

	if (node->kind == NODE_BINARY || node->kind == NODE_COMPARE)
		build_pair(code, expression, node, depth, fault);
	else if (node->kind >= NODE_NEGATE)
		build(code, expression, node->left, depth + 1, fault);
	switch (node->kind) {
	case NODE_CONSTANT:
		bytecode_move_imm64(code, BPF_REG_7, node->constant);
		break;
	case NODE_READ:
		bytecode_read(code, BPF_REG_7, &node->read, -8, fault);
		break;
	case NODE_NEGATE:
		bytecode_negate(code, BPF_REG_7);
		break;
	case NODE_LOG2:
		bytecode_log2(code, BPF_REG_8, BPF_REG_7, BPF_REG_9);
		bytecode_move(code, BPF_REG_7, BPF_REG_8);
		break;
	case NODE_BINARY_CONSTANT:
		bytecode_alu_imm(code, node->op, BPF_REG_7, immediate_of(node));
		break;
	case NODE_COMPARE:
		build_compare(code, node);
		break;
	default:
		if (is_shift(node->op))
			bytecode_alu_imm(code, BPF_AND, BPF_REG_7, 63);
		bytecode_alu(code, node->op, BPF_REG_8, BPF_REG_7);
		bytecode_move(code, BPF_REG_7, BPF_REG_8);
		break;
	}
}

/* Writes the value, or that there is none, into the context. */
static void build_result(struct bytecode *code, const struct expression *expression,
			 uint32_t number)
{
	const struct bytecode_label fault = bytecode_label(code), end = bytecode_label(code);
	const int32_t at = (int32_t)(offsetof(struct context, results) + 16 * number);

	build(code, expression, 0, 0, fault);
	bytecode_store(code, 8, BPF_REG_6, at, BPF_REG_7);
	if (bytecode_is_used(code, fault)) {
		bytecode_jump(code, end);
		bytecode_bind(code, fault);
		bytecode_move_imm(code, BPF_REG_7, 1);
		bytecode_store(code, 8, BPF_REG_6, at + 8, BPF_REG_7);
		bytecode_bind(code, end);
	}
}

static int load(struct bytecode *code, char *text, size_t room)
{
	const struct bpf_prog_load_opts options = {
		.sz = sizeof(options), .prog_flags = BPF_F_SLEEPABLE, .log_buf = text,
		.log_size = (uint32_t)room, .log_level = text ? 1 : 0,
	};
	struct diag why = { .text = "" };

	if (bytecode_finish(code, &why))
		fail_msg("%s", why.text);
	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "expressions", "GPL", code->insns, code->count,
			     &options);
}

static void run(int program, struct context *context)
{
	struct bpf_test_run_opts options = { .sz = sizeof(options), .ctx_in = context,
					     .ctx_size_in = sizeof(*context) };

	assert_int_equal(bpf_prog_test_run_opts(program, &options), 0);
}

static void fill(struct context *context, struct target *targets)
{
	memset(context, 0, sizeof(*context));
	for (uint32_t i = 0; i < WORDS; i++)
		context->words[i] = random_word();
	for (uint32_t i = 0; i < POINTERS; i++) {
		for (uint32_t word = 0; word < 8; word++)
			targets[i].words[word] = random_word();
		context->words[i] = random_below(&seed, 8) ? (uintptr_t)&targets[i] : 8 * i;
		targets[i].words[0] = random_below(&seed, 8) ? (uintptr_t)&targets[3 - i] : 0;
	}
}

static void compare_batch(int program, const struct expression *expressions, uint32_t *faults)
{
	static struct target targets[POINTERS];
	struct context context;

	fill(&context, targets);
	run(program, &context);
	for (uint32_t i = 0; i < BATCH; i++) {
		bool is_fault = false;
		const uint64_t value = interpret(&expressions[i], 0, &context, &is_fault);

		assert_int_equal(context.results[i].is_fault, is_fault);
		if (!is_fault)
			assert_true(context.results[i].value == value);
		*faults += is_fault;
	}
}

static void test_random_expressions_have_the_interpreters_values(void **state)
{
	static struct expression expressions[BATCH];
	static char text[65536];
	const char *wanted = getenv("EXPRESSIONS");
	const uint32_t total = wanted ? (uint32_t)atoi(wanted) : EXPRESSIONS;
	uint32_t faults = 0, longest = 0;

	(void)state;
	need_bpf();
	for (uint32_t done = 0; done < total; done += BATCH) {
		struct bytecode *code = bytecode_create();
		int program;

		bytecode_move(code, BPF_REG_6, BPF_REG_1);
		for (uint32_t i = 0; i < BATCH; i++) {
			expressions[i].count = 0;
			make_node(&expressions[i], DEPTH_MAX);
			build_result(code, &expressions[i], i);
		}
		bytecode_exit(code, 0);
		program = load(code, NULL, 0);
		if (program < 0) {
			load(code, text, sizeof(text));
			fail_msg("%s", text + (strlen(text) > 2000 ? strlen(text) - 2000 : 0));
		}
		for (uint32_t i = 0; i < CONTEXTS; i++)
			compare_batch(program, expressions, &faults);
		close(program);
		longest = code->count > longest ? code->count : longest;
		bytecode_destroy(code);
	}
	print_message("longest program: %u instructions; %u results were faults\n", longest,
		      faults);
	assert_in_range(longest, BATCH, BYTECODE_MAX);
	assert_in_range(faults, total / 100, total * CONTEXTS / 2);
}

/* 13 << 2 | (u8) of -1 as s8, by hand. */
static void test_numbers_by_hand(void **state)
{
	struct bytecode *code = bytecode_create();
	struct context context = { .words = { 0xff, 13 } };
	const struct bytecode_read byte = { .offset = 0, .bytes = 1, .is_signed = true };
	const struct bytecode_label never = bytecode_label(code);
	int program;

	(void)state;
	need_bpf();
	bytecode_move(code, BPF_REG_6, BPF_REG_1);
	bytecode_read(code, BPF_REG_7, &byte, -8, never);
	bytecode_load(code, 8, BPF_REG_8, BPF_REG_6, 8);
	bytecode_alu_imm(code, BPF_LSH, BPF_REG_8, 2);
	bytecode_alu(code, BPF_SUB, BPF_REG_8, BPF_REG_7);
	bytecode_store(code, 8, BPF_REG_6, offsetof(struct context, results), BPF_REG_8);
	bytecode_exit(code, 0);
	assert_false(bytecode_is_used(code, never));
	program = load(code, NULL, 0);
	assert_true(program >= 0);
	run(program, &context);
	assert_int_equal(context.results[0].value, 53);	/* 13 * 4 - (-1) */
	close(program);
	bytecode_destroy(code);
}

/* A histogram of 0, 1, 2, 3, 4, 1000 and 2^63: counts of buckets 0, 1, 2, 2, 3, 10, 64. */
static void test_values_are_counted_in_buckets_of_powers_of_two(void **state)
{
	static const uint64_t values[] = { 0, 1, 2, 3, 4, 1000, 1ull << 63 };
	static const uint32_t buckets[] = { 0, 1, 2, 3, 10, 64 }, counts[] = { 1, 1, 2, 1, 1, 1 };
	struct bytecode *code = bytecode_create();
	struct context context;
	int map, program;

	(void)state;
	need_bpf();
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "buckets", 4, 8, BYTECODE_BUCKETS, NULL);
	assert_true(map >= 0);
	bytecode_move(code, BPF_REG_6, BPF_REG_1);
	bytecode_load(code, 8, BPF_REG_7, BPF_REG_6, 0);
	bytecode_log2(code, BPF_REG_8, BPF_REG_7, BPF_REG_9);
	bytecode_count(code, map, BPF_REG_8, -4);
	bytecode_exit(code, 0);
	program = load(code, NULL, 0);
	assert_true(program >= 0);
	for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		context.words[0] = values[i];
		run(program, &context);
	}
	for (uint32_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		uint64_t count = 0;

		assert_int_equal(bpf_map_lookup_elem(map, &buckets[i], &count), 0);
		assert_int_equal(count, counts[i]);
	}
	close(program);
	close(map);
	bytecode_destroy(code);
}

/* Adds 1 as often as there is room for. */
static void test_a_program_of_the_greatest_length_runs(void **state)
{
	struct bytecode *code = bytecode_create();
	struct context context = { .words = { 0 } };
	uint32_t additions = 0;
	int program;

	(void)state;
	need_bpf();
	bytecode_move(code, BPF_REG_6, BPF_REG_1);
	bytecode_move_imm(code, BPF_REG_7, 0);
	for (; code->count < BYTECODE_MAX - 3; additions++)	/* 3: the store and the exit */
		bytecode_alu_imm(code, BPF_ADD, BPF_REG_7, 1);
	bytecode_store(code, 8, BPF_REG_6, offsetof(struct context, results), BPF_REG_7);
	bytecode_exit(code, 0);
	assert_int_equal(code->count, BYTECODE_MAX);
	program = load(code, NULL, 0);
	assert_true(program >= 0);
	run(program, &context);
	assert_int_equal(context.results[0].value, additions);
	close(program);
	bytecode_destroy(code);
}

static void test_a_program_that_is_too_long_fails(void **state)
{
	struct bytecode *code = bytecode_create();
	struct diag why = { .text = "" };

	(void)state;
	for (uint32_t i = 0; i < BYTECODE_MAX - 1; i++)
		bytecode_move_imm(code, BPF_REG_0, 0);
	assert_int_equal(bytecode_finish(code, &why), 0);
	bytecode_exit(code, 0);
	assert_int_equal(bytecode_finish(code, &why), -E2BIG);
	assert_non_null(strstr(why.text, "4096 instructions"));
	bytecode_destroy(code);
}

static void expect_refused(struct bytecode *code)
{
	struct diag why = { .text = "" };

	assert_int_equal(bytecode_finish(code, &why), -EINVAL);
	assert_non_null(strstr(why.text, "leads nowhere"));
	bytecode_destroy(code);
}

static void test_labels_must_be_bound_once_after_their_jumps(void **state)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label label = bytecode_label(code);

	(void)state;
	bytecode_jump(code, label);
	bytecode_exit(code, 0);
	expect_refused(code);

	code = bytecode_create();
	label = bytecode_label(code);
	bytecode_bind(code, label);
	bytecode_jump(code, label);
	bytecode_exit(code, 0);
	expect_refused(code);

	code = bytecode_create();
	label = bytecode_label(code);
	bytecode_jump(code, label);
	bytecode_exit(code, 0);
	bytecode_bind(code, label);	/* no instruction follows */
	expect_refused(code);
}

static void test_sizes_and_offsets_that_cannot_be_fail(void **state)
{
	struct bytecode *code = bytecode_create();

	(void)state;
	bytecode_load(code, 3, BPF_REG_0, BPF_REG_6, 0);
	expect_refused(code);
	code = bytecode_create();
	bytecode_load(code, 4, BPF_REG_0, BPF_REG_6, 40000);
	expect_refused(code);
	code = bytecode_create();
	bytecode_zero(code, -16, 24);
	expect_refused(code);
	code = bytecode_create();
	bytecode_alu_imm(code, BPF_DIV, BPF_REG_0, 0);
	expect_refused(code);
}

UNIT_TESTS(test_bytecode)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_expressions_have_the_interpreters_values),
		cmocka_unit_test(test_numbers_by_hand),
		cmocka_unit_test(test_values_are_counted_in_buckets_of_powers_of_two),
		cmocka_unit_test(test_a_program_of_the_greatest_length_runs),
		cmocka_unit_test(test_a_program_that_is_too_long_fails),
		cmocka_unit_test(test_labels_must_be_bound_once_after_their_jumps),
		cmocka_unit_test(test_sizes_and_offsets_that_cannot_be_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
