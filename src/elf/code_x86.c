/* code_x86.c - see code_decoder.h: x86 in 64 and 32 bits, by Zydis.
 *
 * Zydis gives operands, categories and addresses without text. Its text in AT&T's syntax differs
 * from that of GNU as: it says jz and cmovnbe, has suffixes on vector instructions and none on
 * `divl (%rcx)`, and no * before the operand of an indirect jump. So the first word is made here.
 *
 * An instruction that is newer than Zydis mostly has a VEX or EVEX prefix, after which lengths are
 * regular: it becomes one row of data, and the code after it is decoded from its begin.
 *
 * Source: Intel SDM, volume 2; Intel's optimization manual, "Macro-fusion"; `info as`, i386.
 */
#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code_decoder.h"

#define RAW_TEXT_BYTES 256	/* Zydis' text is some characters longer than ours */
#define NAME_COLUMNS   7	/* operands begin there, as objdump has them */

/* Which conditional jumps an instruction is fused with, if one follows. */
enum fusing {
	FUSES_NOT,
	FUSES_ANY,	/* test, and */
	FUSES_CARRY,	/* cmp, add, sub: not with jumps on sign, parity, overflow */
	FUSES_ZERO,	/* inc, dec: not with jumps on carry either */
};

struct code_decoder {
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	enum fusing before;	/* for the instruction that ended at `end` */
	uint64_t end;
};

/* One instruction and its operands, in Intel's order: the destination first. */
struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

int code_decoder_create(struct code_decoder **out, enum machine machine, struct diag *why)
{
	const bool is_64_bit = machine == MACHINE_X86_64;
	ZydisFormatter *formatter;

	*out = NULL;
	if (machine != MACHINE_X86_64 && machine != MACHINE_X86_32)
		return diag_set(why, -ENOTSUP, "it is code of another CPU: flametop for x86 "
				"decodes x86 only");
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory for decoding instructions");
	ZydisDecoderInit(&(*out)->decoder,
			 is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	formatter = &(*out)->formatter;
	ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_SCALE_ONE, ZYAN_TRUE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
	return 0;
}

void code_decoder_destroy(struct code_decoder *decoder)
{
	free(decoder);
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static const ZydisDecodedOperand *memory_of(const struct decoded *decoded)
{
	for (uint8_t i = 0; i < decoded->instruction.operand_count_visible; i++)
		if (is_memory(&decoded->operands[i]))
			return &decoded->operands[i];
	return NULL;
}

static bool has_register(const struct decoded *decoded)
{
	for (uint8_t i = 0; i < decoded->instruction.operand_count_visible; i++)
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			return true;
	return false;
}

static bool is_relative_memory(const ZydisDecodedOperand *memory)
{
	return memory->mem.base == ZYDIS_REGISTER_RIP || memory->mem.base == ZYDIS_REGISTER_EIP;
}

/* The names that GNU as has for conditions and others; NULL: Zydis' own. */
static const char *name_of_condition(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_JZ: return "je";
	case ZYDIS_MNEMONIC_JNZ: return "jne";
	case ZYDIS_MNEMONIC_JNB: return "jae";
	case ZYDIS_MNEMONIC_JNBE: return "ja";
	case ZYDIS_MNEMONIC_JNL: return "jge";
	case ZYDIS_MNEMONIC_JNLE: return "jg";
	case ZYDIS_MNEMONIC_SETZ: return "sete";
	case ZYDIS_MNEMONIC_SETNZ: return "setne";
	case ZYDIS_MNEMONIC_SETNB: return "setae";
	case ZYDIS_MNEMONIC_SETNBE: return "seta";
	case ZYDIS_MNEMONIC_SETNL: return "setge";
	case ZYDIS_MNEMONIC_SETNLE: return "setg";
	case ZYDIS_MNEMONIC_CMOVZ: return "cmove";
	case ZYDIS_MNEMONIC_CMOVNZ: return "cmovne";
	case ZYDIS_MNEMONIC_CMOVNB: return "cmovae";
	case ZYDIS_MNEMONIC_CMOVNBE: return "cmova";
	case ZYDIS_MNEMONIC_CMOVNL: return "cmovge";
	case ZYDIS_MNEMONIC_CMOVNLE: return "cmovg";
	case ZYDIS_MNEMONIC_CBW: return "cbtw";
	case ZYDIS_MNEMONIC_CWDE: return "cwtl";
	case ZYDIS_MNEMONIC_CDQE: return "cltq";
	case ZYDIS_MNEMONIC_CWD: return "cwtd";
	case ZYDIS_MNEMONIC_CDQ: return "cltd";
	case ZYDIS_MNEMONIC_CQO: return "cqto";
	case ZYDIS_MNEMONIC_PUSHFQ: return "pushf";
	case ZYDIS_MNEMONIC_POPFQ: return "popf";
	case ZYDIS_MNEMONIC_IRETD: return "iret";
	case ZYDIS_MNEMONIC_STOSD: return "stosl";
	case ZYDIS_MNEMONIC_LODSD: return "lodsl";
	case ZYDIS_MNEMONIC_SCASD: return "scasl";
	case ZYDIS_MNEMONIC_INSD: return "insl";
	case ZYDIS_MNEMONIC_OUTSD: return "outsl";
	default: return NULL;
	}
}

/* In AT&T's syntax these two pairs are exchanged where the destination is not the top of the
 * stack: an error of AT&T's assembler that GNU as keeps. */
static ZydisMnemonic exchanged(const struct decoded *decoded)
{
	const ZydisMnemonic mnemonic = decoded->instruction.mnemonic;
	const ZydisDecodedOperand *first = &decoded->operands[0];

	if (first->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    first->reg.value == ZYDIS_REGISTER_ST0)
		return mnemonic;
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_FSUB: return ZYDIS_MNEMONIC_FSUBR;
	case ZYDIS_MNEMONIC_FSUBR: return ZYDIS_MNEMONIC_FSUB;
	case ZYDIS_MNEMONIC_FSUBP: return ZYDIS_MNEMONIC_FSUBRP;
	case ZYDIS_MNEMONIC_FSUBRP: return ZYDIS_MNEMONIC_FSUBP;
	case ZYDIS_MNEMONIC_FDIV: return ZYDIS_MNEMONIC_FDIVR;
	case ZYDIS_MNEMONIC_FDIVR: return ZYDIS_MNEMONIC_FDIV;
	case ZYDIS_MNEMONIC_FDIVP: return ZYDIS_MNEMONIC_FDIVRP;
	case ZYDIS_MNEMONIC_FDIVRP: return ZYDIS_MNEMONIC_FDIVP;
	default: return mnemonic;
	}
}

/* The suffix by which GNU as tells the size of an operand of @bits; "": it has none. */
static const char *size_suffix(unsigned int bits)
{
	return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : bits == 64 ? "q" : "";
}

static const char *real_suffix(unsigned int bits)
{
	return bits == 32 ? "s" : bits == 64 ? "l" : bits == 80 ? "t" : "";
}

static const char *integer_suffix(unsigned int bits)
{
	return bits == 16 ? "s" : bits == 32 ? "l" : bits == 64 ? "ll" : "";
}

/* The suffix of an instruction that works on @memory, and whose size no register tells. */
static const char *memory_suffix(const struct decoded *decoded, const ZydisDecodedOperand *memory)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD: case ZYDIS_MNEMONIC_OR: case ZYDIS_MNEMONIC_ADC:
	case ZYDIS_MNEMONIC_SBB: case ZYDIS_MNEMONIC_AND: case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_CMP: case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_NOT: case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_MUL: case ZYDIS_MNEMONIC_IMUL: case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV: case ZYDIS_MNEMONIC_INC: case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_BT: case ZYDIS_MNEMONIC_BTS: case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		return has_register(decoded) ? "" : size_suffix(memory->size);
	case ZYDIS_MNEMONIC_CVTSI2SD: case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS: case ZYDIS_MNEMONIC_VCVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTUSI2SD: case ZYDIS_MNEMONIC_VCVTUSI2SS:
		return size_suffix(memory->size);
	case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHR: case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL: case ZYDIS_MNEMONIC_ROR: case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR: case ZYDIS_MNEMONIC_NOP:
		return size_suffix(decoded->instruction.operand_width);
	case ZYDIS_MNEMONIC_FLD: case ZYDIS_MNEMONIC_FST: case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FADD: case ZYDIS_MNEMONIC_FMUL: case ZYDIS_MNEMONIC_FSUB:
	case ZYDIS_MNEMONIC_FSUBR: case ZYDIS_MNEMONIC_FDIV: case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FCOM: case ZYDIS_MNEMONIC_FCOMP:
		return real_suffix(memory->size);
	case ZYDIS_MNEMONIC_FILD: case ZYDIS_MNEMONIC_FIST: case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP: case ZYDIS_MNEMONIC_FIADD: case ZYDIS_MNEMONIC_FIMUL:
	case ZYDIS_MNEMONIC_FISUB: case ZYDIS_MNEMONIC_FISUBR: case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FIDIVR: case ZYDIS_MNEMONIC_FICOM: case ZYDIS_MNEMONIC_FICOMP:
		return integer_suffix(memory->size);
	default:
		return "";
	}
}

/* Appends @part at @text[@at], cut to what there is room for; returns the end. */
static size_t append(char *text, size_t at, const char *part)
{
	while (*part && at < CODE_TEXT_BYTES - 1)
		text[at++] = *part++;
	text[at] = '\0';
	return at;
}

/* "movzbl": extends 8 bits to 32. */
static size_t append_extension(const struct decoded *decoded, const char *stem, char *text,
			       size_t at)
{
	at = append(text, at, stem);
	at = append(text, at, size_suffix(decoded->operands[1].size));
	return append(text, at, size_suffix(decoded->operands[0].size));
}

static bool has_wide_number(const struct decoded *decoded)
{
	const ZydisDecodedOperand *memory = memory_of(decoded);

	return decoded->instruction.raw.imm[0].size == 64 ||
	       (memory && memory->mem.base == ZYDIS_REGISTER_NONE &&
		decoded->instruction.raw.disp.size == 64);
}

/* Appends the first word, but for prefixes: "movzbl". */
static size_t append_name(const struct decoded *decoded, char *text, size_t at)
{
	const ZydisMnemonic mnemonic = exchanged(decoded);
	const char *name = name_of_condition(mnemonic);
	const ZydisDecodedOperand *memory = memory_of(decoded);

	if (mnemonic == ZYDIS_MNEMONIC_MOVZX)
		return append_extension(decoded, "movz", text, at);
	if (mnemonic == ZYDIS_MNEMONIC_MOVSX ||
	    (mnemonic == ZYDIS_MNEMONIC_MOVSXD && decoded->operands[0].size == 64))
		return append_extension(decoded, "movs", text, at);
	if (mnemonic == ZYDIS_MNEMONIC_MOV && has_wide_number(decoded))
		return append(text, at, "movabs");
	if (decoded->instruction.meta.category == ZYDIS_CATEGORY_STRINGOP &&
	    (mnemonic == ZYDIS_MNEMONIC_MOVSD || mnemonic == ZYDIS_MNEMONIC_CMPSD))
		return append(text, at, mnemonic == ZYDIS_MNEMONIC_MOVSD ? "movsl" : "cmpsl");
	at = append(text, at, name ? name : ZydisMnemonicGetString(mnemonic));
	return append(text, at, memory ? memory_suffix(decoded, memory) : "");
}

/* Returns the word of Zydis' @text that begins with @name, after the prefixes; NULL: none. */
static const char *find_word(const char *text, const char *name)
{
	const size_t bytes = strlen(name);

	while (text && strncmp(text, name, bytes)) {
		text = strchr(text, ' ');
		if (text)
			text++;
	}
	return text;
}

/* "0x38(%rbp), %rax {%k1}" becomes "0x38(%rbp),%rax{%k1}". */
static void append_operands(char *text, size_t at, const char *operands)
{
	for (char before = '\0'; *operands && at < CODE_TEXT_BYTES - 1; operands++) {
		if (*operands == ' ' && (before == ',' || operands[1] == '{'))
			continue;
		text[at++] = before = *operands;
	}
	text[at] = '\0';
}

static bool is_indirect(enum code_kind kind)
{
	return kind == CODE_INDIRECT_JUMP || kind == CODE_INDIRECT_CALL;
}

static void write_text(const struct code_decoder *decoder, const struct decoded *decoded,
		       struct code_instruction *out)
{
	char raw[RAW_TEXT_BYTES] = "";
	const char *word, *operands;
	size_t begin, at;

	ZydisFormatterFormatInstruction(&decoder->formatter, &decoded->instruction,
					decoded->operands,
					decoded->instruction.operand_count_visible, raw,
					sizeof(raw), ZYDIS_RUNTIME_ADDRESS_NONE, NULL);
	word = find_word(raw, ZydisMnemonicGetString(decoded->instruction.mnemonic));
	if (!word) {	/* a far jump, ljmp */
		append_operands(out->text, 0, raw);
		return;
	}
	operands = out->flags & CODE_HAS_TARGET ? NULL : strchr(word, ' ');
	if (operands && decoded->instruction.mnemonic == ZYDIS_MNEMONIC_NOP)
		operands = strrchr(word, ' ');	/* only Zydis gives it a register beside memory */
	raw[word - raw] = '\0';		/* only prefixes are left */
	begin = append(out->text, 0, raw);
	at = append_name(decoded, out->text, begin);
	if (!operands)
		return;
	do
		at = append(out->text, at, " ");
	while (at < begin + NAME_COLUMNS);
	if (is_indirect(out->kind))
		at = append(out->text, at, "*");
	append_operands(out->text, at, operands + 1);
}

/* Sets kind and target of an instruction that goes elsewhere. */
static void set_way(const struct decoded *decoded, uint64_t address, struct code_instruction *out,
		    enum code_kind direct, enum code_kind indirect)
{
	const ZydisDecodedOperand *first = &decoded->operands[0];

	out->kind = (uint8_t)indirect;
	if (first->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !first->imm.is_relative)
		return;
	out->kind = (uint8_t)direct;
	if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded->instruction, first, address,
						  &out->target)))
		out->flags |= CODE_HAS_TARGET;
}

static void set_kind(const struct decoded *decoded, uint64_t address, struct code_instruction *out)
{
	switch (decoded->instruction.meta.category) {
	case ZYDIS_CATEGORY_CALL:
		set_way(decoded, address, out, CODE_CALL, CODE_INDIRECT_CALL);
		break;
	case ZYDIS_CATEGORY_COND_BR:	/* also xbegin, and xend */
		set_way(decoded, address, out, CODE_BRANCH, CODE_PLAIN);
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:	/* also xabort */
		if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_JMP)
			set_way(decoded, address, out, CODE_JUMP, CODE_INDIRECT_JUMP);
		break;
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSRET:
		out->kind = CODE_RETURN;
		break;
	default:
		break;
	}
}

static bool ends_flow(const struct decoded *decoded, enum code_kind kind)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return true;
	default:
		return kind == CODE_JUMP || kind == CODE_INDIRECT_JUMP || kind == CODE_RETURN;
	}
}

static void set_reference(const struct decoded *decoded, uint64_t address,
			  struct code_instruction *out)
{
	const ZydisDecodedOperand *memory = memory_of(decoded);

	if (memory && is_relative_memory(memory) && !(out->flags & CODE_HAS_TARGET) &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded->instruction, memory, address,
						  &out->target)))
		out->flags |= CODE_REFERS;
}

static bool enables_interrupts(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_STI || mnemonic == ZYDIS_MNEMONIC_POPF ||
	       mnemonic == ZYDIS_MNEMONIC_POPFD || mnemonic == ZYDIS_MNEMONIC_POPFQ;
}

static bool is_filler(const struct decoded *decoded)
{
	/* endbr and prefetches lie in the space of nops, but have names of their own. */
	return decoded->instruction.mnemonic == ZYDIS_MNEMONIC_NOP ||
	       decoded->instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
}

/* Not fused: a number beside memory, and memory relative to the instruction. */
static bool may_compare(const struct decoded *decoded)
{
	const ZydisDecodedOperand *memory = memory_of(decoded);

	return !memory || (!is_relative_memory(memory) &&
			   decoded->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE);
}

static enum fusing fusing_of(const struct decoded *decoded)
{
	const bool is_computed = !is_memory(&decoded->operands[0]) && may_compare(decoded);

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_TEST:
		return may_compare(decoded) ? FUSES_ANY : FUSES_NOT;
	case ZYDIS_MNEMONIC_CMP:
		return may_compare(decoded) ? FUSES_CARRY : FUSES_NOT;
	case ZYDIS_MNEMONIC_AND:
		return is_computed ? FUSES_ANY : FUSES_NOT;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return is_computed ? FUSES_CARRY : FUSES_NOT;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return is_computed ? FUSES_ZERO : FUSES_NOT;
	default:
		return FUSES_NOT;
	}
}

static bool is_fused(enum fusing before, ZydisMnemonic jump)
{
	switch (jump) {
	case ZYDIS_MNEMONIC_JZ: case ZYDIS_MNEMONIC_JNZ: case ZYDIS_MNEMONIC_JL:
	case ZYDIS_MNEMONIC_JNL: case ZYDIS_MNEMONIC_JLE: case ZYDIS_MNEMONIC_JNLE:
		return before != FUSES_NOT;
	case ZYDIS_MNEMONIC_JB: case ZYDIS_MNEMONIC_JNB: case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_JNBE:
		return before == FUSES_ANY || before == FUSES_CARRY;
	case ZYDIS_MNEMONIC_JS: case ZYDIS_MNEMONIC_JNS: case ZYDIS_MNEMONIC_JP:
	case ZYDIS_MNEMONIC_JNP: case ZYDIS_MNEMONIC_JO: case ZYDIS_MNEMONIC_JNO:
		return before == FUSES_ANY;
	default:
		return false;
	}
}

bool code_decoder_next(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
		       uint64_t address, struct code_instruction *out)
{
	const enum fusing before = decoder->end == address ? decoder->before : FUSES_NOT;
	struct decoded decoded;

	decoder->before = FUSES_NOT;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder->decoder, bytes, count,
						 &decoded.instruction, decoded.operands)))
		return false;
	out->length = decoded.instruction.length;
	out->kind = CODE_PLAIN;
	out->flags = enables_interrupts(decoded.instruction.mnemonic) ? CODE_ENABLES_INTERRUPTS : 0;
	out->target = 0;
	set_kind(&decoded, address, out);
	set_reference(&decoded, address, out);
	out->is_fused = is_fused(before, decoded.instruction.mnemonic);
	out->is_filler = is_filler(&decoded);
	out->ends_flow = ends_flow(&decoded, out->kind);
	write_text(decoder, &decoded, out);
	decoder->before = fusing_of(&decoded);
	decoder->end = address + out->length;
	return true;
}

/* Opcodes of map 1 (0f) that end with a number of one byte; all of map 3 (0f 3a) do. */
static bool has_number(unsigned int map, uint8_t opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					 (opcode >= 0xc4 && opcode <= 0xc6)));
}

/* Returns the bytes of ModRM, SIB and displacement at @at[@count]; 0: they are cut off. */
static size_t address_bytes(const uint8_t *at, size_t count)
{
	const unsigned int mod = count ? at[0] >> 6 : 3, rm = count ? at[0] & 7 : 0;
	size_t bytes = 1;

	if (count < 2)
		return count && mod == 3 ? 1 : 0;
	if (mod == 3)
		return 1;
	if (rm == 4)
		bytes++;
	if (mod == 1)
		bytes++;
	else if (mod == 2 || rm == 5 || (rm == 4 && (at[1] & 7) == 5))
		bytes += 4;
	return bytes <= count ? bytes : 0;
}

/* Returns the length of an instruction with a VEX or EVEX prefix, whose encoding is regular; 0:
 * there is none, or it is of another map. */
static size_t vector_bytes(const uint8_t *bytes, size_t count)
{
	unsigned int map;
	size_t opcode, address;

	if (count < 6)
		return 0;
	map = bytes[0] == 0xc5 ? 1 : bytes[0] == 0xc4 ? bytes[1] & 0x1f : bytes[1] & 7;
	opcode = bytes[0] == 0xc5 ? 2 : bytes[0] == 0xc4 ? 3 : 4;
	if (bytes[0] != 0xc5 && bytes[0] != 0xc4 && bytes[0] != 0x62)
		return 0;
	if (!map || map == 4 || map > 6 || (map > 3 && bytes[0] != 0x62))
		return 0;
	address = address_bytes(bytes + opcode + 1, count - opcode - 1);
	return address ? opcode + 1 + address + has_number(map, bytes[opcode]) : 0;
}

size_t code_decoder_skip(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			 uint64_t address, bool *is_whole)
{
	const bool is_64_bit = decoder->decoder.machine_mode == ZYDIS_MACHINE_MODE_LONG_64;
	const size_t length = is_64_bit ? vector_bytes(bytes, count) : 0;
	struct code_instruction next;

	/* In data such bytes occur, too: another instruction has to follow. */
	*is_whole = length && length < count &&
		    code_decoder_next(decoder, bytes + length, count - length, address + length,
				      &next);
	return *is_whole ? length : 1;
}
