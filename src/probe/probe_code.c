/* probe_code.c - see probe_code.h.
 *
 * The kernel puts a breakpoint wherever it is told to: in the middle of an instruction it changes
 * what the program computes, or crashes it. x86 code does not mark where instructions begin, so it
 * is decoded from the start of its function.
 */
#include "probe_code.h"

#include <stdio.h>

#include "code_decoder.h"

/* ns, measured with one record per hit in a ring (6.18, virtual machine): a breakpoint whose
 * instruction is emulated, with the entry's record; with the return's; extra to single-step an
 * instruction. With both records, the breakpoint counts in the first: 1030. */
#define ENTRY_NS      1950u
#define RETURN_NS     2540u
#define BREAKPOINT_NS 1030u
#define STEP_NS	      11200u

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
	return count >= 4 && bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e &&
	       (bytes[3] == 0xfa || bytes[3] == 0xfb);
}

static void look_at(const uint8_t *bytes, size_t count, struct probe_code *out)
{
	out->is_emulated = is_emulated(bytes, count);
	if (is_endbr(bytes, count) && is_emulated(bytes + 4, count - 4)) {
		out->is_emulated = true;
		out->skip = 4;
	}
}

/* True for sub $n, %rsp: 48 83 ec n, or 48 81 ec n n n n. */
static bool is_sub_of_stack(const uint8_t *bytes, size_t count)
{
	return count >= 4 && bytes[0] == 0x48 && (bytes[1] == 0x83 || bytes[1] == 0x81) &&
	       bytes[2] == 0xec;
}

bool probe_code_begins_function(const uint8_t *bytes, size_t count)
{
	return is_endbr(bytes, count) || is_push_register(bytes, count) ||
	       is_sub_of_stack(bytes, count);
}

void probe_code_look(const uint8_t *bytes, size_t count, uint64_t at, bool is_32_bit,
		     struct probe_code *out)
{
	struct code_decoder decoder;
	struct code_instruction found = { .end = 0 };

	*out = (struct probe_code){ .is_known = false };
	if (at >= count || !code_decoder_begin(&decoder, bytes, count, is_32_bit))
		return;
	while (found.end <= at && code_decoder_next(&decoder, &found))
		;
	if (found.end > at) {
		out->is_known = true;
		out->is_border = found.begin == at;
		snprintf(out->text, sizeof(out->text), "%s%s%s", found.mnemonic,
			 found.operands[0] ? " " : "", found.operands);
	}
	code_decoder_end(&decoder);
	if (out->is_border)
		look_at(bytes + at, count - at, out);
}

uint32_t probe_code_cost_ns(bool emulated, bool has_entry, bool has_return)
{
	uint32_t ns = emulated ? 0 : STEP_NS;

	if (has_entry)
		ns += ENTRY_NS;
	if (has_return)
		ns += RETURN_NS - (has_entry ? BREAKPOINT_NS : 0);
	return ns;
}
