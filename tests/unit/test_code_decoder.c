/* Instructions of both machines, and the memory that the library gets for them. */
#include <capstone/capstone.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "probe/code_decoder.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* push rbp; mov rbp, rsp; an AVX-512 instruction of 11 bytes; ret */
static const uint8_t code_64[] = { 0x55, 0x48, 0x89, 0xe5, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0x84,
				   0x88, 0x00, 0x01, 0x00, 0x00, 0xc3 };
/* inc eax (a prefix where addresses have 64 bits); push ebp */
static const uint8_t code_32[] = { 0x40, 0x55 };

static size_t asked_bytes;

static void *count_malloc(size_t bytes)
{
	asked_bytes += bytes;
	return malloc(bytes);
}

static void *count_calloc(size_t count, size_t bytes)
{
	asked_bytes += count * bytes;
	return calloc(count, bytes);
}

static void *count_realloc(void *block, size_t bytes)
{
	asked_bytes += bytes;
	return realloc(block, bytes);
}

static size_t bytes_to_decode(cs_mode mode, const uint8_t *code, size_t count)
{
	uint64_t address = 0;
	cs_insn *instruction;
	csh handle;

	asked_bytes = 0;
	assert_int_equal(cs_open(CS_ARCH_X86, mode, &handle), CS_ERR_OK);
	instruction = cs_malloc(handle);
	while (cs_disasm_iter(handle, &code, &count, &address, instruction))
		;
	assert_int_equal(count, 0);
	cs_free(instruction, 1);
	cs_close(&handle);
	return asked_bytes;
}

/* The library with an allocator that counts: what it asks for in a decoder's life, with nothing
 * given back, is at most half of what a decoder has. */
static void test_the_pool_has_twice_what_the_library_asks_for(void **state)
{
	const cs_opt_mem counting = {
		.malloc = count_malloc, .calloc = count_calloc, .realloc = count_realloc,
		.free = free, .vsnprintf = vsnprintf,
	};

	(void)state;
	assert_int_equal(cs_option(0, CS_OPT_MEM, (size_t)&counting), CS_ERR_OK);
	assert_in_range(bytes_to_decode(CS_MODE_64, code_64, sizeof(code_64)), 1,
			CODE_DECODER_POOL_BYTES / 2);
	assert_in_range(bytes_to_decode(CS_MODE_32, code_32, sizeof(code_32)), 1,
			CODE_DECODER_POOL_BYTES / 2);
}

static void expect_ends(const uint8_t *code, size_t bytes, bool is_32_bit, const uint64_t *ends,
			size_t count)
{
	struct code_instruction instruction;
	struct code_decoder decoder;
	uint64_t begin = 0;

	assert_true(code_decoder_begin(&decoder, code, bytes, is_32_bit));
	for (size_t i = 0; i < count; i++) {
		assert_true(code_decoder_next(&decoder, &instruction));
		assert_int_equal(instruction.begin, begin);
		assert_int_equal(instruction.end, ends[i]);
		begin = ends[i];
	}
	assert_false(code_decoder_next(&decoder, &instruction));
	code_decoder_end(&decoder);
}

static void test_instructions_have_the_ends_of_the_manual(void **state)
{
	static const uint64_t ends[] = { 1, 4, 15, 16 }, ends_32[] = { 1, 2 }, ends_as_64[] = { 2 };

	(void)state;
	expect_ends(code_64, sizeof(code_64), false, ends, COUNT_OF(ends));
	expect_ends(code_32, sizeof(code_32), true, ends_32, COUNT_OF(ends_32));
	expect_ends(code_32, sizeof(code_32), false, ends_as_64, COUNT_OF(ends_as_64));
}

static void test_the_words_are_those_of_the_assembler(void **state)
{
	struct code_instruction instruction;
	struct code_decoder decoder;

	(void)state;
	assert_true(code_decoder_begin(&decoder, code_64, sizeof(code_64), false));
	assert_true(code_decoder_next(&decoder, &instruction));
	assert_string_equal(instruction.mnemonic, "push");
	assert_string_equal(instruction.operands, "rbp");
	code_decoder_end(&decoder);
}

/* An instruction that is cut off, and a byte that is none there (push es). */
static void test_it_ends_where_no_instruction_is(void **state)
{
	static const uint8_t none[] = { 0x55, 0x06 };
	static const uint64_t end = 1;

	(void)state;
	expect_ends(code_64, 3, false, &end, 1);
	expect_ends(none, sizeof(none), false, &end, 1);
	expect_ends(none, 0, false, NULL, 0);
}

/* Each gives back all that it took. */
static void test_there_is_room_for_any_number_of_decoders(void **state)
{
	static const uint64_t ends[] = { 1, 4, 15, 16 };

	(void)state;
	for (int i = 0; i < 100; i++)
		expect_ends(code_64, sizeof(code_64), false, ends, COUNT_OF(ends));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: from the first decoder on the library's memory is the decoder's. */
		cmocka_unit_test(test_the_pool_has_twice_what_the_library_asks_for),
		cmocka_unit_test(test_instructions_have_the_ends_of_the_manual),
		cmocka_unit_test(test_the_words_are_those_of_the_assembler),
		cmocka_unit_test(test_it_ends_where_no_instruction_is),
		cmocka_unit_test(test_there_is_room_for_any_number_of_decoders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
