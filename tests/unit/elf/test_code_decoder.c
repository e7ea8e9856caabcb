/* Instructions of the machines that this build decodes, both x86 ones or AArch64: lengths, kinds,
 * targets, pairs that belong together, and texts. Encodings: Intel SDM, volume 2; Arm Architecture
 * Reference Manual, C6; and GNU as. Texts: on x86 what objdump prints, on AArch64 the same but for
 * numbers, which are hexadecimal from 10 on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/code_decoder.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ADDRESS	    0x401000u
#ifdef __aarch64__
#define DECODED_MIN 20000	/* fewer words are instructions than bytes of x86 are */
#else
#define DECODED_MIN 50000
#endif

static struct code_decoder *decoder;

static int create(void **state)
{
	(void)state;
	return code_decoder_create(&decoder, MACHINE_OWN, NULL);
}

static int destroy(void **state)
{
	(void)state;
	code_decoder_destroy(decoder);
	return 0;
}

static void expect_ends(const uint8_t *code, size_t bytes, enum machine machine,
			const uint64_t *ends, size_t count)
{
	struct code_instruction instruction;
	struct code_decoder *other;
	uint64_t begin = 0;

	assert_int_equal(code_decoder_create(&other, machine, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(code_decoder_next(other, code + begin, bytes - begin, begin,
					      &instruction));
		assert_int_equal(begin + instruction.length, ends[i]);
		begin = ends[i];
	}
	assert_false(code_decoder_next(other, code + begin, bytes - begin, begin, &instruction));
	code_decoder_destroy(other);
}

static void expect_refusal(enum machine machine, const char *wanted)
{
	struct code_decoder *other;
	struct diag why;

	assert_int_equal(code_decoder_create(&other, machine, &why), -ENOTSUP);
	assert_null(other);
	assert_string_equal(why.text, wanted);
}

#ifdef __aarch64__
#define WORD_BYTES 4

/* Decodes the @count words, of which the last is meant, with a gap of @gap bytes before that. */
static struct code_instruction decode(const uint32_t *words, size_t count, uint64_t gap)
{
	struct code_instruction found;

	for (size_t i = 0; i < count; i++) {
		const uint64_t address = ADDRESS + i * WORD_BYTES + (i + 1 == count ? gap : 0);

		assert_true(code_decoder_next(decoder, (const uint8_t *)&words[i], WORD_BYTES,
					      address, &found));
		assert_int_equal(found.length, WORD_BYTES);
	}
	return found;
}

#define DECODE(word) decode(&(const uint32_t){ word }, 1, 0)

static void test_instructions_have_four_bytes(void **state)
{
	static const uint32_t code[] = { 0xa9bd7bfd, 0x910003fd, 0xd65f03c0 };
	static const uint64_t ends[] = { 4, 8, 12 };

	(void)state;
	expect_ends((const uint8_t *)code, sizeof(code), MACHINE_AARCH64, ends, COUNT_OF(ends));
}

/* udf #0, and an instruction that is cut off. */
static void test_it_ends_where_no_instruction_is(void **state)
{
	static const uint32_t code[] = { 0xa9bd7bfd, 0 };
	static const uint64_t end = 4;

	(void)state;
	expect_ends((const uint8_t *)code, sizeof(code), MACHINE_AARCH64, &end, 1);
	expect_ends((const uint8_t *)code, 7, MACHINE_AARCH64, &end, 1);
	expect_ends((const uint8_t *)code, 0, MACHINE_AARCH64, NULL, 0);
}

static void test_each_build_decodes_the_code_of_its_machine(void **state)
{
	static const char reason[] = "it is code of another CPU: flametop for AArch64 decodes "
				     "AArch64 only";

	(void)state;
	expect_refusal(MACHINE_X86_64, reason);
	expect_refusal(MACHINE_UNKNOWN, reason);
}

static void test_the_text_is_that_of_objdump(void **state)
{
	(void)state;
#define EXPECT(word, expected) assert_string_equal(DECODE(word).text, expected)
	EXPECT(0xa9bd7bfd, "stp    x29, x30, [sp, #-0x30]!");
	EXPECT(0xa8c37bfd, "ldp    x29, x30, [sp], #0x30");
	EXPECT(0x910003fd, "mov    x29, sp");
	EXPECT(0xd10083ff, "sub    sp, sp, #0x20");
	EXPECT(0xaa0103e0, "mov    x0, x1");
	EXPECT(0x528000a0, "movz   w0, #0x5");	/* objdump: mov w0, #5 */
	EXPECT(0xd2800140, "movz   x0, #0xa");
	EXPECT(0xb9400c41, "ldr    w1, [x2, #0xc]");
	EXPECT(0xb8615800, "ldr    w0, [x0, w1, uxtw #2]");
	EXPECT(0x0b811020, "add    w0, w1, w1, asr #4");
	EXPECT(0x6b01001f, "cmp    w0, w1");
	EXPECT(0x9a9f17e0, "cset   x0, eq");
	EXPECT(0x1e622820, "fadd   d0, d1, d2");
	EXPECT(0x4ea28420, "add    v0.4s, v1.4s, v2.4s");
	EXPECT(0xd53bd040, "mrs    x0, tpidr_el0");
	EXPECT(0xd5033bbf, "dmb    ish");
	EXPECT(0xd4000001, "svc    #0");
	EXPECT(0xd65f03c0, "ret");
	EXPECT(0xd503201f, "nop");
	EXPECT(0xd503233f, "hint   #0x19");	/* paciasp: version 4 knows no signatures */
#undef EXPECT
}

static void expect_target(struct code_instruction found, enum code_kind kind, const char *text,
			  uint64_t target)
{
	assert_int_equal(found.kind, kind);
	assert_string_equal(found.text, text);
	assert_int_equal(found.flags, CODE_HAS_TARGET);
	assert_int_equal(found.target, target);
}

static void test_jumps_have_a_target_instead_of_an_operand(void **state)
{
	(void)state;
	expect_target(DECODE(0x14000002), CODE_JUMP, "b", ADDRESS + 8);
	expect_target(DECODE(0x17ffffff), CODE_JUMP, "b", ADDRESS - 4);
	expect_target(DECODE(0x94000010), CODE_CALL, "bl", ADDRESS + 64);
	expect_target(DECODE(0x54000041), CODE_BRANCH, "b.ne", ADDRESS + 8);
	expect_target(DECODE(0x54ffffe0), CODE_BRANCH, "b.eq", ADDRESS - 4);
	expect_target(DECODE(0xb4000040), CODE_BRANCH, "cbz    x0", ADDRESS + 8);
	expect_target(DECODE(0x35ffffe1), CODE_BRANCH, "cbnz   w1", ADDRESS - 4);
	expect_target(DECODE(0x37000040), CODE_BRANCH, "tbnz   w0, #0", ADDRESS + 8);
	expect_target(DECODE(0xb6f80040), CODE_BRANCH, "tbz    x0, #0x3f", ADDRESS + 8);
}

static void test_other_ways_out_have_no_target(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0xd63f0020).kind, CODE_INDIRECT_CALL);	/* blr x1 */
	assert_int_equal(DECODE(0xd63f0020).flags, 0);
	assert_int_equal(DECODE(0xd61f0220).kind, CODE_INDIRECT_JUMP);	/* br x17 */
	assert_int_equal(DECODE(0xd61f0220).flags, 0);
	assert_int_equal(DECODE(0xd65f03c0).kind, CODE_RETURN);
	assert_int_equal(DECODE(0xd65f0000).kind, CODE_RETURN);		/* ret x0 */
	assert_int_equal(DECODE(0xd69f03e0).kind, CODE_RETURN);		/* eret */
	assert_int_equal(DECODE(0xd4000001).kind, CODE_PLAIN);		/* svc */
	assert_int_equal(DECODE(0xd4200000).kind, CODE_PLAIN);		/* brk */
}

static void test_memory_beside_the_instruction_is_referred_to(void **state)
{
	const struct code_instruction literal = DECODE(0x58000040);	/* ldr x0, .+8 */
	const struct code_instruction page = DECODE(0xb0000010);	/* adrp x16, page after */
	const struct code_instruction near = DECODE(0x10ffffe0);	/* adr x0, .-4 */
	const struct code_instruction other = DECODE(0xf9400020);	/* ldr x0, [x1] */

	(void)state;
	assert_int_equal(literal.flags, CODE_REFERS);
	assert_int_equal(literal.target, ADDRESS + 8);
	assert_int_equal(page.flags, CODE_REFERS);
	assert_int_equal(page.target, ADDRESS + 0x1000);
	assert_int_equal(near.flags, CODE_REFERS);
	assert_int_equal(near.target, ADDRESS - 4);
	assert_int_equal(other.flags, 0);
	assert_int_equal(other.target, 0);
}

#define ADRP_X0 0xb0000000u	/* the page after ADDRESS */
#define ADD_X0	0x91002000u	/* add x0, x0, #8 */
#define ADD_X1	0x91002001u	/* add x1, x0, #8 */
#define NOP	0xd503201fu

#define JOINED(gap, ...)                                                  \
	decode((const uint32_t[]){ __VA_ARGS__ },                         \
	       COUNT_OF(((const uint32_t[]){ __VA_ARGS__ })), gap)

static void test_a_page_and_an_offset_are_one_address(void **state)
{
	const struct code_instruction joined = JOINED(0, ADRP_X0, ADD_X0);

	(void)state;
	assert_true(joined.is_fused);
	assert_int_equal(joined.flags, CODE_REFERS);
	assert_int_equal(joined.target, ADDRESS + 0x1000 + 8);
	assert_false(JOINED(0, ADD_X0).is_fused);
	assert_false(JOINED(0, ADRP_X0, ADD_X1).is_fused);
	assert_false(JOINED(0, ADRP_X0, NOP, ADD_X0).is_fused);
	assert_false(JOINED(4, ADRP_X0, ADD_X0).is_fused);		/* not adjacent */
	assert_int_equal(JOINED(4, ADRP_X0, ADD_X0).flags, 0);
}

static void test_interrupts_are_enabled_by_msr_of_daif(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0xd50342ff).flags, CODE_ENABLES_INTERRUPTS);	/* daifclr, #2 */
	assert_int_equal(DECODE(0xd51b4220).flags, CODE_ENABLES_INTERRUPTS);	/* daif, x0 */
	assert_int_equal(DECODE(0xd50342df).flags, 0);		/* msr daifset, #2 */
	assert_int_equal(DECODE(0xd53b4220).flags, 0);		/* mrs x0, daif */
}

static void test_nop_is_filler_and_other_hints_are_not(void **state)
{
	(void)state;
	assert_true(DECODE(NOP).is_filler);
	assert_false(DECODE(0xd503203f).is_filler);	/* yield */
	assert_false(DECODE(0xd503245f).is_filler);	/* bti c */
	assert_false(DECODE(0xd503233f).is_filler);	/* paciasp */
}

static void test_nothing_comes_after_jumps_returns_and_brk(void **state)
{
	(void)state;
	assert_true(DECODE(0x14000002).ends_flow);
	assert_true(DECODE(0xd61f0220).ends_flow);
	assert_true(DECODE(0xd65f03c0).ends_flow);
	assert_true(DECODE(0xd4200000).ends_flow);
	assert_false(DECODE(0x54000041).ends_flow);
	assert_false(DECODE(0x94000010).ends_flow);
	assert_false(DECODE(0xd4000001).ends_flow);	/* svc */
}

#else
/* push rbp; mov rbp, rsp; an AVX-512 instruction of 11 bytes; ret */
static const uint8_t code_64[] = { 0x55, 0x48, 0x89, 0xe5, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0x84,
				   0x88, 0x00, 0x01, 0x00, 0x00, 0xc3 };
/* inc eax (a prefix where addresses have 64 bits); push ebp */
static const uint8_t code_32[] = { 0x40, 0x55 };

static void test_instructions_have_the_ends_of_the_manual(void **state)
{
	static const uint64_t ends[] = { 1, 4, 15, 16 }, ends_32[] = { 1, 2 }, ends_as_64[] = { 2 };

	(void)state;
	expect_ends(code_64, sizeof(code_64), MACHINE_X86_64, ends, COUNT_OF(ends));
	expect_ends(code_32, sizeof(code_32), MACHINE_X86_32, ends_32, COUNT_OF(ends_32));
	expect_ends(code_32, sizeof(code_32), MACHINE_X86_64, ends_as_64, COUNT_OF(ends_as_64));
}

/* An instruction that is cut off, and a byte that is none there (push es). */
static void test_it_ends_where_no_instruction_is(void **state)
{
	static const uint8_t none[] = { 0x55, 0x06 };
	static const uint64_t end = 1;

	(void)state;
	expect_ends(code_64, 3, MACHINE_X86_64, &end, 1);
	expect_ends(none, sizeof(none), MACHINE_X86_64, &end, 1);
	expect_ends(none, 0, MACHINE_X86_64, NULL, 0);
}

static void test_each_build_decodes_the_code_of_its_machine(void **state)
{
	static const char reason[] = "it is code of another CPU: flametop for x86 decodes x86 only";

	(void)state;
	expect_refusal(MACHINE_AARCH64, reason);
	expect_refusal(MACHINE_UNKNOWN, reason);
}

static struct code_instruction decode(const char *bytes, size_t count)
{
	struct code_instruction instruction;

	assert_true(code_decoder_next(decoder, (const uint8_t *)bytes, count, ADDRESS,
				      &instruction));
	assert_int_equal(instruction.length, count);
	return instruction;
}

#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1)

static void test_the_text_is_that_of_objdump(void **state)
{
	(void)state;
#define EXPECT(bytes, expected) assert_string_equal(DECODE(bytes).text, expected)
	EXPECT("\x55", "push   %rbp");
	EXPECT("\xc3", "ret");
	EXPECT("\xf3\x0f\x1e\xfa", "endbr64");
	EXPECT("\x48\x8b\x45\x38", "mov    0x38(%rbp),%rax");
	EXPECT("\x48\x8d\x04\x37", "lea    (%rdi,%rsi,1),%rax");
	EXPECT("\xb8\x05\x00\x00\x00", "mov    $0x5,%eax");
	EXPECT("\x48\xb8\xff\xff\xff\xff\xff\x7f\x00\x00", "movabs $0x7fffffffffff,%rax");
	EXPECT("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov    %fs:0x28,%rax");
	EXPECT("\x0f\xb6\x3c\x24", "movzbl (%rsp),%edi");
	EXPECT("\x0f\xb6\xc0", "movzbl %al,%eax");
	EXPECT("\x48\x63\xcb", "movslq %ebx,%rcx");
	EXPECT("\x63\xcb", "movsxd %ebx,%ecx");
	EXPECT("\x48\x98", "cltq");
	EXPECT("\x9d", "popf");
	EXPECT("\xf2\x0f\x2a\x45\xfc", "cvtsi2sdl -0x4(%rbp),%xmm0");
	EXPECT("\xde\xe9", "fsubrp %st0,%st1");
	EXPECT("\x0f\x94\xc0", "sete   %al");
	EXPECT("\x48\x0f\x44\xd8", "cmove  %rax,%rbx");
	EXPECT("\x83\x45\xfc\x01", "addl   $0x1,-0x4(%rbp)");
	EXPECT("\xf7\x71\x28", "divl   0x28(%rcx)");
	EXPECT("\xd3\x20", "shll   %cl,(%rax)");
	EXPECT("\x48\x89\x05\x10\x00\x00\x00", "mov    %rax,0x10(%rip)");
	EXPECT("\xf2\x0f\x10\x05\x00\x01\x00\x00", "movsd  0x100(%rip),%xmm0");
	EXPECT("\xf3\x48\xa5", "rep movsq");
	EXPECT("\xf3\xab", "rep stosl");
	EXPECT("\xf0\x0f\xb1\x15\x00\x00\x00\x00", "lock cmpxchg %edx,(%rip)");
	EXPECT("\xff\xe0", "jmp    *%rax");
	EXPECT("\xff\x25\x10\x00\x00\x00", "jmp    *0x10(%rip)");
	EXPECT("\x3e\xff\xe2", "notrack jmp    *%rdx");
	EXPECT("\xdb\x6c\x24\x10", "fldt   0x10(%rsp)");
	EXPECT("\x62\xf1\x7c\x48\x58\x84\x88\x00\x01\x00\x00",
	       "vaddps 0x100(%rax,%rcx,4),%zmm0,%zmm0");
	EXPECT("\x62\x61\x7f\x49\x7f\x00", "vmovdqu8 %zmm24,(%rax){%k1}");
#undef EXPECT
}

static void expect_target(struct code_instruction found, enum code_kind kind, const char *text,
			  uint64_t target)
{
	assert_int_equal(found.kind, kind);
	assert_string_equal(found.text, text);
	assert_int_equal(found.flags, CODE_HAS_TARGET);
	assert_int_equal(found.target, target);
}

static void test_jumps_have_a_target_instead_of_an_operand(void **state)
{
	(void)state;
	expect_target(DECODE("\xeb\x10"), CODE_JUMP, "jmp", ADDRESS + 2 + 16);
	expect_target(DECODE("\xe9\xfb\xff\xff\xff"), CODE_JUMP, "jmp", ADDRESS);
	expect_target(DECODE("\x74\xfe"), CODE_BRANCH, "je", ADDRESS);
	expect_target(DECODE("\x75\x00"), CODE_BRANCH, "jne", ADDRESS + 2);
	expect_target(DECODE("\x0f\x83\x00\x01\x00\x00"), CODE_BRANCH, "jae", ADDRESS + 6 + 256);
	expect_target(DECODE("\x7f\x00"), CODE_BRANCH, "jg", ADDRESS + 2);
	expect_target(DECODE("\xe3\x00"), CODE_BRANCH, "jrcxz", ADDRESS + 2);
	expect_target(DECODE("\xe2\x00"), CODE_BRANCH, "loop", ADDRESS + 2);
	expect_target(DECODE("\xc7\xf8\x00\x00\x00\x00"), CODE_BRANCH, "xbegin", ADDRESS + 6);
	expect_target(DECODE("\xe8\x00\x00\x00\x00"), CODE_CALL, "call", ADDRESS + 5);
	expect_target(DECODE("\xf2\xe9\x00\x00\x00\x00"), CODE_JUMP, "bnd jmp", ADDRESS + 6);
}

static void test_other_ways_out_have_no_target(void **state)
{
	static const char indirect[] = "\xff\xd0", returns[] = "\xf3\xc3";

	(void)state;
	assert_int_equal(DECODE(indirect).kind, CODE_INDIRECT_CALL);
	assert_int_equal(DECODE(indirect).flags, 0);
	assert_int_equal(DECODE("\xff\xe0").kind, CODE_INDIRECT_JUMP);
	assert_int_equal(DECODE("\xff\x2d\x00\x00\x00\x00").kind, CODE_INDIRECT_JUMP);	/* far */
	assert_int_equal(DECODE(returns).kind, CODE_RETURN);
	assert_int_equal(DECODE("\xc2\x08\x00").kind, CODE_RETURN);
	assert_int_equal(DECODE("\x48\xcf").kind, CODE_RETURN);		/* iretq */
	assert_int_equal(DECODE("\x48\x0f\x07").kind, CODE_RETURN);	/* sysretq */
	assert_int_equal(DECODE("\x0f\x05").kind, CODE_PLAIN);		/* syscall */
	assert_int_equal(DECODE("\x0f\x01\xd5").kind, CODE_PLAIN);		/* xend */
	assert_int_equal(DECODE("\xc6\xf8\x01").kind, CODE_PLAIN);		/* xabort */
}

static void test_memory_beside_the_instruction_is_referred_to(void **state)
{
	const struct code_instruction lea = DECODE("\x48\x8d\x05\x10\x00\x00\x00");
	const struct code_instruction call = DECODE("\xff\x15\xfa\xff\xff\xff");
	const struct code_instruction other = DECODE("\x48\x8b\x45\x38");

	(void)state;
	assert_int_equal(lea.flags, CODE_REFERS);
	assert_int_equal(lea.target, ADDRESS + 7 + 16);
	assert_int_equal(call.kind, CODE_INDIRECT_CALL);
	assert_int_equal(call.flags, CODE_REFERS);
	assert_int_equal(call.target, ADDRESS);
	assert_int_equal(other.flags, 0);
	assert_int_equal(other.target, 0);
}

static void test_interrupts_are_enabled_by_sti_and_popf(void **state)
{
	(void)state;
	assert_int_equal(DECODE("\xfb").flags, CODE_ENABLES_INTERRUPTS);
	assert_int_equal(DECODE("\x9d").flags, CODE_ENABLES_INTERRUPTS);
	assert_int_equal(DECODE("\xfa").flags, 0);	/* cli */
	assert_int_equal(DECODE("\x9c").flags, 0);	/* pushf */
}

static void test_nop_and_int3_are_filler_and_endbr_is_not(void **state)
{
	(void)state;
	assert_true(DECODE("\x90").is_filler);
	assert_true(DECODE("\xcc").is_filler);
	assert_true(DECODE("\x66\x0f\x1f\x44\x00\x00").is_filler);
	assert_true(DECODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00").is_filler);
	assert_true(DECODE("\x66\x90").is_filler);
	assert_false(DECODE("\xf3\x90").is_filler);		/* pause */
	assert_false(DECODE("\xf3\x0f\x1e\xfa").is_filler);
	assert_false(DECODE("\x0f\x18\x08").is_filler);		/* prefetcht0 */
}

static void test_nothing_comes_after_jumps_returns_and_ud2(void **state)
{
	(void)state;
	assert_true(DECODE("\xeb\x10").ends_flow);
	assert_true(DECODE("\xff\xe0").ends_flow);
	assert_true(DECODE("\xc3").ends_flow);
	assert_true(DECODE("\x0f\x0b").ends_flow);
	assert_false(DECODE("\x74\x10").ends_flow);
	assert_false(DECODE("\xe8\x00\x00\x00\x00").ends_flow);
	assert_false(DECODE("\xf4").ends_flow);	/* hlt: goes on after an interrupt */
}

/* Returns whether the second instruction, a jump of 2 bytes, is fused with the one before it. */
static bool fuses(const char *bytes, size_t count, size_t gap)
{
	const uint8_t *code = (const uint8_t *)bytes;
	struct code_instruction found;

	assert_true(code_decoder_next(decoder, code, count, ADDRESS, &found));
	assert_false(found.is_fused);
	assert_int_equal(found.length, count - 2);
	assert_true(code_decoder_next(decoder, code + count - 2, 2, ADDRESS + count - 2 + gap,
				      &found));
	return found.is_fused;
}

#define FUSES(bytes) fuses(bytes, sizeof(bytes) - 1, 0)

/* Intel's optimization manual, table "Macro-Fusible Instructions". */
static void test_comparisons_fuse_with_the_jumps_of_the_manual(void **state)
{
	(void)state;
	assert_true(FUSES("\x39\xd8\x74\x00"));			/* cmp; je */
	assert_true(FUSES("\x39\xd8\x72\x00"));			/* cmp; jb */
	assert_true(FUSES("\x3b\x07\x7f\x00"));			/* cmp memory; jg */
	assert_true(FUSES("\x83\xf8\x05\x77\x00"));		/* cmp $5; ja */
	assert_false(FUSES("\x39\xd8\x78\x00"));		/* cmp; js */
	assert_false(FUSES("\x39\xd8\x70\x00"));		/* cmp; jo */
	assert_false(FUSES("\x83\x3f\x05\x74\x00"));		/* cmp $5, memory; je */
	assert_false(FUSES("\x3b\x05\0\0\0\0\x74\x00"));	/* cmp 0(%rip); je */
	assert_true(FUSES("\x85\xc0\x78\x00"));			/* test; js */
	assert_true(FUSES("\xa8\x01\x75\x00"));			/* test $1, al; jne */
	assert_false(FUSES("\xf6\x07\x01\x75\x00"));		/* test $1, memory; jne */
	assert_true(FUSES("\x83\xe0\x01\x7a\x00"));		/* and; jp */
	assert_false(FUSES("\x21\x07\x74\x00"));		/* and to memory; je */
	assert_true(FUSES("\x83\xe8\x01\x73\x00"));		/* sub; jae */
	assert_false(FUSES("\x83\xe8\x01\x79\x00"));		/* sub; jns */
	assert_true(FUSES("\x01\xd8\x75\x00"));			/* add; jne */
	assert_true(FUSES("\xff\xc8\x75\x00"));			/* dec; jne */
	assert_false(FUSES("\xff\xc8\x72\x00"));		/* dec; jb */
	assert_false(FUSES("\x09\xd8\x74\x00"));		/* or; je */
	assert_false(FUSES("\x39\xd8\xeb\x00"));		/* cmp; jmp */
	assert_false(FUSES("\x39\xd8\xe3\x00"));		/* cmp; jrcxz */
	assert_false(fuses("\x39\xd8\x74\x00", 4, 1));		/* not adjacent */
}

#endif

static void expect_sane(const struct code_instruction *instruction)
{
	assert_in_range(instruction->length, 1, CODE_LENGTH_MAX);
	assert_in_range(instruction->kind, CODE_PLAIN, CODE_RETURN);
	assert_in_range(strlen(instruction->text), 1, CODE_TEXT_BYTES - 1);
	if (!(instruction->flags & (CODE_HAS_TARGET | CODE_REFERS)))
		assert_int_equal(instruction->target, 0);
}

static void test_random_bytes_are_instructions_or_none(void **state)
{
	const enum machine machine = *(const enum machine *)*state;
	struct code_instruction instruction;
	struct code_decoder *other;
	uint64_t seed = machine;
	uint32_t decoded = 0;

	assert_int_equal(code_decoder_create(&other, machine, NULL), 0);
	for (int round = 0; round < 100000; round++) {
		const size_t count = random_below(&seed, 32);
		uint8_t *code = malloc(count + 1);	/* its end is guarded by sanitizers */

		for (size_t i = 0; i < count; i++)
			code[i] = (uint8_t)random_below(&seed, 256);
		if (code_decoder_next(other, code, count, ADDRESS, &instruction)) {
			expect_sane(&instruction);
			assert_in_range(instruction.length, 1, count);
			decoded++;
		}
		free(code);
	}
	assert_in_range(decoded, DECODED_MIN, 99999);
	code_decoder_destroy(other);
}

#ifdef __aarch64__
static enum machine machines[] = { MACHINE_AARCH64 };
#else
static enum machine machines[] = { MACHINE_X86_64, MACHINE_X86_32 };
#endif

UNIT_TESTS(test_code_decoder)
{
	const struct CMUnitTest tests[] = {
#ifdef __aarch64__
		cmocka_unit_test(test_instructions_have_four_bytes),
		cmocka_unit_test(test_it_ends_where_no_instruction_is),
		cmocka_unit_test(test_each_build_decodes_the_code_of_its_machine),
		cmocka_unit_test(test_the_text_is_that_of_objdump),
		cmocka_unit_test(test_jumps_have_a_target_instead_of_an_operand),
		cmocka_unit_test(test_other_ways_out_have_no_target),
		cmocka_unit_test(test_memory_beside_the_instruction_is_referred_to),
		cmocka_unit_test(test_a_page_and_an_offset_are_one_address),
		cmocka_unit_test(test_interrupts_are_enabled_by_msr_of_daif),
		cmocka_unit_test(test_nop_is_filler_and_other_hints_are_not),
		cmocka_unit_test(test_nothing_comes_after_jumps_returns_and_brk),
		cmocka_unit_test_prestate(test_random_bytes_are_instructions_or_none, &machines[0]),
#else
		cmocka_unit_test(test_instructions_have_the_ends_of_the_manual),
		cmocka_unit_test(test_it_ends_where_no_instruction_is),
		cmocka_unit_test(test_each_build_decodes_the_code_of_its_machine),
		cmocka_unit_test(test_the_text_is_that_of_objdump),
		cmocka_unit_test(test_jumps_have_a_target_instead_of_an_operand),
		cmocka_unit_test(test_other_ways_out_have_no_target),
		cmocka_unit_test(test_memory_beside_the_instruction_is_referred_to),
		cmocka_unit_test(test_interrupts_are_enabled_by_sti_and_popf),
		cmocka_unit_test(test_nop_and_int3_are_filler_and_endbr_is_not),
		cmocka_unit_test(test_nothing_comes_after_jumps_returns_and_ud2),
		cmocka_unit_test(test_comparisons_fuse_with_the_jumps_of_the_manual),
		cmocka_unit_test_prestate(test_random_bytes_are_instructions_or_none, &machines[0]),
		cmocka_unit_test_prestate(test_random_bytes_are_instructions_or_none, &machines[1]),
#endif
	};

	return cmocka_run_group_tests(tests, create, destroy);
}
