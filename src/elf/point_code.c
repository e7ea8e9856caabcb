/* point_code.c - see point_code.h.
 *
 * The kernel puts a breakpoint wherever it is told to: in the middle of an instruction it changes
 * what the program computes, or crashes it. x86 code does not mark where instructions begin, so it
 * is decoded from the start of its function. On AArch64 they begin at every fourth byte.
 */
#include "point_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/whole_io.h"
#include "code_decoder.h"

#define FUNCTION_BYTES_MAX (1u << 20)	/* the largest are parsers with 500 KB */
#define ENDBR_BYTES	   4
#define WORD_BYTES	   4u	/* size of an AArch64 instruction */
#define EXCLUSIVE_BYTES	   128u	/* the kernel looks back as far for the begin of a sequence */

static bool is_push_register(const uint8_t *bytes, size_t count)
{
	if (count > 1 && bytes[0] >= 0x40 && bytes[0] <= 0x4f)	/* REX */
		bytes++;
	return count && bytes[0] >= 0x50 && bytes[0] <= 0x57;
}

/* True for relative calls and jumps, push of a register, nop. */
static bool is_emulated(const uint8_t *bytes, size_t count)
{
	if (!count)
		return false;
	if (is_push_register(bytes, count))
		return true;
	switch (bytes[0]) {
	case 0x90:
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return true;
	case 0x0f:
		return count > 1 && (bytes[1] & 0xf0) == 0x80;
	default:
		return (bytes[0] & 0xf0) == 0x70;
	}
}

static bool is_endbr(const uint8_t *bytes, size_t count)
{
	return count >= ENDBR_BYTES && bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e &&
	       (bytes[3] == 0xfa || bytes[3] == 0xfb);
}

/* True for sub $n, %rsp: 48 83 ec n, or 48 81 ec n n n n. */
static bool is_sub_of_stack(const uint8_t *bytes, size_t count)
{
	return count >= 4 && bytes[0] == 0x48 && (bytes[1] == 0x83 || bytes[1] == 0x81) &&
	       bytes[2] == 0xec;
}

static bool begins_function(const uint8_t *bytes, size_t count)
{
	return is_endbr(bytes, count) || is_push_register(bytes, count) ||
	       is_sub_of_stack(bytes, count);
}

static void look_at(const uint8_t *bytes, size_t count, struct point_code_look *out)
{
	out->flags |= POINT_CODE_BORDER;
	if (is_emulated(bytes, count))
		out->flags |= POINT_CODE_EMULATED;
	if (is_endbr(bytes, count) && is_emulated(bytes + ENDBR_BYTES, count - ENDBR_BYTES)) {
		out->flags |= POINT_CODE_EMULATED;
		out->skip = ENDBR_BYTES;
	}
}

/* The bits of an AArch64 instruction that tell what it is. */
struct word_form {
	uint32_t mask, value;
};

/* Returns whether @word has one of @forms; the last has mask 0. */
static bool is_one_of(uint32_t word, const struct word_form *forms)
{
	for (; forms->mask; forms++)
		if ((word & forms->mask) == forms->value)
			return true;
	return false;
}

/* True for relative and indirect branches and calls, ret, adr. */
static bool is_word_emulated(uint32_t word)
{
	static const struct word_form forms[] = {
		{ 0x7c000000, 0x14000000 },	/* b, bl */
		{ 0x7e000000, 0x34000000 },	/* cbz, cbnz */
		{ 0x7e000000, 0x36000000 },	/* tbz, tbnz */
		{ 0xff000010, 0x54000000 },	/* b.cond */
		{ 0x1f000000, 0x10000000 },	/* adr, adrp */
		{ 0xfffffc1f, 0xd61f0000 }, { 0xfffffc1f, 0xd63f0000 },	/* br, blr */
		{ 0xfffffc1f, 0xd65f0000 },	/* ret */
		{ 0, 0 },
	};

	return is_one_of(word, forms);
}

/* Returns whether @word, which is not emulated, can be neither single-stepped elsewhere. */
static bool is_word_refused(uint32_t word)
{
	static const struct word_form steppable[] = {
		{ 0xffffff1f, 0xd503241f },	/* bti */
		{ 0xffffffff, 0xd503201f }, { 0xffffffff, 0xd50320ff },	/* nop, xpaclri */
		{ 0xffffffbf, 0xd503211f },	/* pacia1716, pacib1716 */
		{ 0xffffff9f, 0xd503231f },	/* paciaz, paciasp, pacibz, pacibsp */
		{ 0, 0 },
	};
	static const struct word_form refused[] = {
		{ 0xfffff01f, 0xd503201f },	/* other hints: aut*, yield, wfe... */
		{ 0xff000000, 0xd4000000 },	/* svc, brk and other exceptions */
		{ 0xfe000000, 0xd6000000 },	/* branches, calls, ret and eret with a signature */
		{ 0xff000010, 0x54000010 },	/* bc.cond; the kernel takes it for no branch */
		{ 0xfff00000, 0xd5100000 }, { 0xfff8f01f, 0xd500401f },	/* msr */
		{ 0xffffffe0, 0xd53b4220 },	/* mrs of daif; a copy reads others as well */
		{ 0x3f800000, 0x08000000 },	/* casp */
		{ 0x3b000000, 0x18000000 },	/* ldr from the code, prfm; of SIMD registers the
						 * kernel takes it, and reads elsewhere */
		{ 0, 0 },
	};

	return !is_one_of(word, steppable) && is_one_of(word, refused);
}

static uint32_t word_at(const uint8_t *bytes, uint64_t at)
{
	uint32_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

/* Returns whether the word at @at in a function is a load- or store-exclusive, or between the two,
 * as the kernel finds out for kprobes (is_probed_address_atomic()), but not for uprobes. */
static bool is_exclusive(const uint8_t *bytes, uint64_t at)
{
	static const struct word_form loads[] = {
		{ 0x3fe00000, 0x08400000 }, { 0xbfe00000, 0x88600000 },	/* ldxr, ldxp */
		{ 0, 0 },
	};
	static const struct word_form stores[] = {
		{ 0x3fe00000, 0x08000000 }, { 0xbfe00000, 0x88200000 },	/* stxr, stxp */
		{ 0, 0 },
	};
	const uint64_t before = at < EXCLUSIVE_BYTES ? at : EXCLUSIVE_BYTES;
	uint32_t word = word_at(bytes, at);
	bool is_in_sequence = is_one_of(word, loads) || is_one_of(word, stores);

	for (uint64_t back = WORD_BYTES; !is_in_sequence && back <= before; back += WORD_BYTES) {
		word = word_at(bytes, at - back);
		is_in_sequence = is_one_of(word, loads);
		if (is_one_of(word, stores))
			break;
	}
	return is_in_sequence;
}

static uint8_t flags_of_word(const uint8_t *bytes, uint64_t at)
{
	const uint32_t word = word_at(bytes, at);

	if (is_exclusive(bytes, at))
		return POINT_CODE_EXCLUSIVE;
	if (is_word_emulated(word))
		return POINT_CODE_EMULATED;
	return is_word_refused(word) ? POINT_CODE_NOWHERE_ELSE : 0;
}

static bool begins_aarch64_function(const uint8_t *bytes, size_t count)
{
	static const struct word_form forms[] = {
		{ 0xffffffff, 0xd503245f },	/* bti c */
		{ 0xffffffff, 0xd503233f }, { 0xffffffff, 0xd503237f },	/* paciasp, pacibsp */
		{ 0xffe003e0, 0xa9a003e0 },	/* stp xN, xM, [sp, #-n]! */
		{ 0xfff00fe0, 0xf8100fe0 },	/* str xN, [sp, #-n]! */
		{ 0xff8003ff, 0xd10003ff },	/* sub sp, sp, #n */
		{ 0, 0 },
	};

	return count >= WORD_BYTES && is_one_of(word_at(bytes, 0), forms);
}

/* Writes the text for a sentence: without the spaces that align columns. */
static void copy_text(const char *text, char *out)
{
	for (; *text; text++)
		if (text[0] != ' ' || text[1] != ' ')
			*out++ = *text;
	*out = '\0';
}

static void look_at_aarch64(const uint8_t *bytes, size_t count, uint64_t at,
			    struct point_code_look *out)
{
	const uint64_t begin = at - at % WORD_BYTES;
	struct code_instruction found;
	struct code_decoder *decoder;

	if (begins_aarch64_function(bytes, count))
		out->flags = POINT_CODE_FUNCTION;
	if (begin >= count || count - begin < WORD_BYTES)
		return;
	out->flags |= POINT_CODE_KNOWN;
	if (begin == at)
		out->flags |= POINT_CODE_BORDER | flags_of_word(bytes, at);
	if (code_decoder_create(&decoder, MACHINE_AARCH64, NULL))
		return;
	if (code_decoder_next(decoder, bytes + begin, WORD_BYTES, begin, &found))
		copy_text(found.text, out->text);
	code_decoder_destroy(decoder);
}

void point_code_look(enum machine machine, const uint8_t *bytes, size_t count, uint64_t at,
		     struct point_code_look *out)
{
	struct code_instruction found = { .length = 0 };
	struct code_decoder *decoder;
	uint64_t begin = 0, end = 0;

	*out = (struct point_code_look){ .flags = 0 };
	if (machine == MACHINE_AARCH64) {
		look_at_aarch64(bytes, count, at, out);
		return;
	}
	if (begins_function(bytes, count))
		out->flags = POINT_CODE_FUNCTION;
	if (at >= count || code_decoder_create(&decoder, machine, NULL))
		return;
	while (end <= at && code_decoder_next(decoder, bytes + end, count - end, end, &found)) {
		begin = end;
		end += found.length;
	}
	code_decoder_destroy(decoder);
	if (end <= at)
		return;
	out->flags |= POINT_CODE_KNOWN;
	copy_text(found.text, out->text);
	if (begin == at)
		look_at(bytes + at, count - at, out);
}

static void describe(struct point_job *job, struct point_site *site, uint8_t *bytes)
{
	const enum machine machine = machine_of_elf(job->dso.elf.header.e_machine);
	const uint64_t after = site->offset - site->begin;
	struct point_code_look look;
	ssize_t got;

	if (after >= FUNCTION_BYTES_MAX)
		return;
	got = whole_pread(job->dso.elf.fd, bytes, after + POINT_CODE_TAIL, (off_t)site->begin);
	if (got <= 0)
		return;
	point_code_look(machine, bytes, (size_t)got, after, &look);
	site->code = look.flags;
	site->skip = look.skip;
	site->instruction = point_rows_text(&job->rows, look.text);
	if (site->start == POINT_START_SYMBOL)
		return;
	point_code_look(machine, bytes, (size_t)got, 0, &look);
	site->first = point_rows_text(&job->rows, look.text);
}

void point_code_describe(struct point_job *job)
{
	uint8_t *bytes = malloc(FUNCTION_BYTES_MAX + POINT_CODE_TAIL);

	for (uint32_t i = 0; bytes && i < job->rows.header.site_count; i++)
		describe(job, &job->rows.sites[i], bytes);
	free(bytes);
}
