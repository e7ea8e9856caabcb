/* code_aarch64.c - see code_decoder.h: AArch64, by capstone.
 *
 * Version 4 does not know SVE, MTE, SHA-512 and SHA-3: 0.5 to 1.2 % of code, which then is data.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C6.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_decoder.h"

#define WORD_BYTES 4u

struct code_decoder {
	csh handle;
	cs_insn *instruction;
	arm64_reg page;		/* register that the adrp which ended at `end` has set; 0: none */
	uint64_t page_address;
	uint64_t end;
};

int code_decoder_create(struct code_decoder **out, enum machine machine, struct diag *why)
{
	struct code_decoder *decoder;

	*out = NULL;
	if (machine != MACHINE_AARCH64)
		return diag_set(why, -ENOTSUP, "it is code of another CPU: flametop for AArch64 "
				"decodes AArch64 only");
	decoder = calloc(1, sizeof(*decoder));
	if (decoder && cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &decoder->handle))
		decoder->handle = 0;
	if (decoder && decoder->handle &&
	    !cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON))
		decoder->instruction = cs_malloc(decoder->handle);
	if (!decoder || !decoder->instruction) {
		code_decoder_destroy(decoder);
		return diag_set(why, -ENOMEM, "no memory for decoding instructions");
	}
	*out = decoder;
	return 0;
}

void code_decoder_destroy(struct code_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->instruction)
		cs_free(decoder->instruction, 1);
	if (decoder->handle)
		cs_close(&decoder->handle);
	free(decoder);
}

/* Returns the operand that is a number, from the last one on: a target is the last. */
static const cs_arm64_op *number_of(const cs_arm64 *detail)
{
	for (uint8_t i = detail->op_count; i > 0; i--)
		if (detail->operands[i - 1].type == ARM64_OP_IMM)
			return &detail->operands[i - 1];
	return NULL;
}

static void set_target(struct code_instruction *out, const cs_arm64 *detail, uint8_t flag)
{
	const cs_arm64_op *number = number_of(detail);

	if (!number)
		return;
	out->target = (uint64_t)number->imm;
	out->flags |= flag;
}

static void set_kind(struct code_instruction *out, const cs_insn *instruction)
{
	const cs_arm64 *detail = &instruction->detail->arm64;

	switch (instruction->id) {
	case ARM64_INS_B:
		out->kind = strcmp(instruction->mnemonic, "b") ? CODE_BRANCH : CODE_JUMP;
		set_target(out, detail, CODE_HAS_TARGET);
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		out->kind = CODE_BRANCH;
		set_target(out, detail, CODE_HAS_TARGET);
		break;
	case ARM64_INS_BL:
		out->kind = CODE_CALL;
		set_target(out, detail, CODE_HAS_TARGET);
		break;
	case ARM64_INS_BLR:
		out->kind = CODE_INDIRECT_CALL;
		break;
	case ARM64_INS_BR:
		out->kind = CODE_INDIRECT_JUMP;
		break;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
		out->kind = CODE_RETURN;
		break;
	case ARM64_INS_ADR:
	case ARM64_INS_ADRP:
		set_target(out, detail, CODE_REFERS);
		break;
	case ARM64_INS_LDR:	/* from a literal, if it has a number instead of memory */
	case ARM64_INS_LDRSW:
		set_target(out, detail, CODE_REFERS);
		break;
	default:
		break;
	}
}

/* adrp x0, page; add x0, x0, #offset: one address in two instructions. */
static void join_page(struct code_decoder *decoder, struct code_instruction *out, uint64_t address)
{
	const cs_arm64 *detail = &decoder->instruction->detail->arm64;
	const cs_arm64_op *operands = detail->operands;

	if (!decoder->page || decoder->end != address ||
	    decoder->instruction->id != ARM64_INS_ADD || detail->op_count != 3 ||
	    operands[2].type != ARM64_OP_IMM || operands[0].reg != decoder->page ||
	    operands[1].reg != decoder->page)
		return;
	out->is_fused = true;
	out->target = decoder->page_address + (uint64_t)operands[2].imm;
	out->flags |= CODE_REFERS;
}

static void keep_page(struct code_decoder *decoder, const struct code_instruction *out,
		      uint64_t address)
{
	const bool is_page = decoder->instruction->id == ARM64_INS_ADRP;

	decoder->page = is_page ? decoder->instruction->detail->arm64.operands[0].reg : 0;
	decoder->page_address = out->target;
	decoder->end = address + out->length;
}

static bool ends_flow(const struct code_instruction *out, const cs_insn *instruction)
{
	return out->kind == CODE_JUMP || out->kind == CODE_INDIRECT_JUMP ||
	       out->kind == CODE_RETURN || instruction->id == ARM64_INS_BRK;
}

static bool enables_interrupts(const cs_insn *instruction)
{
	return !strcmp(instruction->mnemonic, "msr") &&
	       (!strncmp(instruction->op_str, "daifclr", strlen("daifclr")) ||
		!strncmp(instruction->op_str, "daif,", strlen("daif,")));
}

/* Without the target of a branch, which is the last operand: "cbz    x0". */
static void write_text(const struct code_decoder *decoder, struct code_instruction *out)
{
	const cs_insn *instruction = decoder->instruction;
	const char *operands = instruction->op_str, *last = strrchr(operands, ',');
	int bytes = (int)strlen(operands);

	if (out->flags & CODE_HAS_TARGET)
		bytes = last ? (int)(last - operands) : 0;
	snprintf(out->text, sizeof(out->text), bytes ? "%-6s %.*s" : "%s%.*s",
		 instruction->mnemonic, bytes, operands);
}

size_t code_decoder_skip(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			 uint64_t address, bool *is_whole)
{
	(void)decoder;
	(void)bytes;
	(void)address;
	*is_whole = false;	/* an unknown word is as likely data */
	return count < WORD_BYTES ? count : WORD_BYTES;
}

bool code_decoder_next(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
		       uint64_t address, struct code_instruction *out)
{
	uint64_t next = address;

	if (!cs_disasm_iter(decoder->handle, &bytes, &count, &next, decoder->instruction)) {
		decoder->page = 0;
		return false;
	}
	out->length = (uint8_t)(next - address);
	out->kind = CODE_PLAIN;
	out->flags = enables_interrupts(decoder->instruction) ? CODE_ENABLES_INTERRUPTS : 0;
	out->target = 0;
	out->is_fused = false;
	set_kind(out, decoder->instruction);
	out->is_filler = !strcmp(decoder->instruction->mnemonic, "nop");
	out->ends_flow = ends_flow(out, decoder->instruction);
	join_page(decoder, out, address);
	keep_page(decoder, out, address);
	write_text(decoder, out);
	return true;
}
