/* elf_plt.c - see elf_plt.h.
 *
 * Problem: the n-th slot need not belong to the n-th relocation (.plt.got has no order, a linker
 * may leave slots out, with control-flow protection the slots that are called lie in .plt.sec).
 *
 * Idea: all kinds of slots jump through a GOT word, and a relocation tells whose address is stored
 * in that word:
 *
 *   slot [endbr64] [bnd] jmp *0x2fe2(%rip)  -->  GOT word  <--  relocation JUMP_SLOT or GLOB_DAT,
 *                                                               symbol puts
 *
 *   slot [bti c] adrp x16; ldr x17, [x16, #n]; [add x16, x16, #n;] [autia1716;] br x17   (AArch64)
 *
 * Slots are at multiples of 8. Bytes at a multiple of 8 inside another slot don't look like a jump
 * through a relocated word.
 */
#include "elf_plt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "elf_symbols.h"

#define SLOTS_MAX   (1u << 18)	/* 20,000 are the most seen */
#define SLOT_ALIGN  8
#define X86_BYTES   16
#define JUMP_BYTES  6		/* opcode 2, displacement 4 */
#define WORD_BYTES  4u		/* size of an AArch64 instruction */
#define BTI_C	    0xd503245fu
#define AUTIA1716   0xd503219fu
#define BR_X17	    0xd61f0220u
#define BRAA_X17_16 0xd71f0a30u

struct slot {
	uint64_t vaddr;
	uint64_t bytes;		/* at most; a slot ends where the next begins, too */
	uint64_t got;		/* virtual address of the GOT word */
	bool is_named;		/* on a GOT word's first slot: all slots of the word have names */
};

struct plt;
struct plt_machine {
	uint16_t elf_machine;
	uint32_t jump_slot, glob_dat, irelative;	/* types of relocations */
	/* Returns whether a slot begins at @code, which has @left bytes; sets `got` and `bytes`. */
	bool (*read_slot)(const struct plt *plt, const unsigned char *code, size_t left,
			  struct slot *slot);
};

struct plt {
	const struct plt_machine *machine;
	struct elf_file *file;
	struct flat_builder *builder;
	struct slot *slots;	/* owned; sorted by `got` after all are found */
	size_t count, capacity;
	size_t words_left;	/* GOT words whose slots have no name yet */
	uint64_t got_base;	/* i386: value of %ebx in position-independent code */
};

/* Returns whether a slot's jump is at @code; @next: virtual address after the jump. */
static bool read_jump(const struct plt *plt, const unsigned char *code, uint64_t next,
		      uint64_t *got)
{
	const bool is_386 = plt->file->header.e_machine == EM_386;
	int32_t displacement;

	memcpy(&displacement, code + 2, sizeof(displacement));
	if (code[0] != 0xff || (code[1] != 0x25 && !(is_386 && code[1] == 0xa3)))
		return false;
	if (!is_386)
		*got = next + (uint64_t)(int64_t)displacement;
	else if (code[1] == 0x25)
		*got = (uint32_t)displacement;
	else
		*got = (uint32_t)(plt->got_base + (uint32_t)displacement);
	return true;
}

static bool read_x86(const struct plt *plt, const unsigned char *code, size_t left,
		     struct slot *slot)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e };
	size_t at = 0;

	slot->bytes = X86_BYTES;
	if (left >= 4 && memcmp(code, endbr, sizeof(endbr)) == 0 &&
	    (code[3] == 0xfa || code[3] == 0xfb))
		at = 4;
	if (at < left && code[at] == 0xf2)	/* bnd */
		at++;
	return left - at >= JUMP_BYTES &&
	       read_jump(plt, code + at, slot->vaddr + at + JUMP_BYTES, &slot->got);
}

/* Returns the instruction at @code[@at]; 0, which is none: there are only @left bytes. */
static uint32_t word_at(const unsigned char *code, size_t left, size_t at)
{
	uint32_t word = 0;

	if (left >= WORD_BYTES && at <= left - WORD_BYTES)
		memcpy(&word, code + at, sizeof(word));
	return word;
}

/* Returns the distance in bytes that an adrp adds: immhi in bits 23 to 5, immlo in 30 and 29. */
static uint64_t adrp_bytes(uint32_t word)
{
	const uint64_t pages = (uint64_t)(word >> 5 & 0x7ffffu) << 2 | (word >> 29 & 3u);

	return ((pages ^ 0x100000u) - 0x100000u) << 12;		/* 21 bits, signed */
}

static bool read_aarch64(const struct plt *plt, const unsigned char *code, size_t left,
			 struct slot *slot)
{
	size_t at = word_at(code, left, 0) == BTI_C ? WORD_BYTES : 0;
	const uint32_t adrp = word_at(code, left, at), ldr = word_at(code, left, at + WORD_BYTES);
	uint32_t word;

	(void)plt;
	if ((adrp & 0x9f00001fu) != 0x90000010u || (ldr & 0xffc003ffu) != 0xf9400211u)
		return false;
	slot->got = ((slot->vaddr + at) & ~UINT64_C(0xfff)) + adrp_bytes(adrp) +
		    ((ldr >> 10 & 0xfffu) << 3);
	at += 2 * WORD_BYTES;
	word = word_at(code, left, at);
	if ((word & 0xffc003ffu) == 0x91000210u) {	/* add x16, x16, #n: the word's address */
		at += WORD_BYTES;
		word = word_at(code, left, at);
	}
	if (word == AUTIA1716) {
		at += WORD_BYTES;
		word = word_at(code, left, at);
	}
	/* A nop fills what is left up to the next multiple of 8. */
	slot->bytes = (at + WORD_BYTES + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
	return word == BR_X17 || word == BRAA_X17_16;
}

static const struct plt_machine machines[] = {
	{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, read_x86 },
	{ EM_386, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE, read_x86 },
	{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, read_aarch64 },
};

/* Returns NULL if slots of @file's machine are unknown. */
static const struct plt_machine *machine_of(const struct elf_file *file)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf_machine == file->header.e_machine)
			return &machines[i];
	return NULL;
}

static int add_slot(struct plt *plt, const struct slot *slot)
{
	if (plt->count == SLOTS_MAX)
		return -E2BIG;
	if (plt->count == plt->capacity) {
		size_t capacity = 2 * plt->capacity + 256;
		struct slot *grown = realloc(plt->slots, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		plt->slots = grown;
		plt->capacity = capacity;
	}
	plt->slots[plt->count++] = *slot;
	return 0;
}

/* Cuts a slot off where the next begins. */
static void end_slot(struct plt *plt, size_t index, uint64_t end)
{
	struct slot *slot = &plt->slots[index];

	if (end - slot->vaddr < slot->bytes)
		slot->bytes = end - slot->vaddr;
}

static int find_slots(struct plt *plt, const char *name)
{
	const struct elf_section *section = elf_file_section(plt->file, name);
	const size_t first = plt->count;
	struct elf_bytes code;

	if (!section)
		return 0;
	code = elf_file_read(plt->file, section);
	if (!code.at || code.count > UINT64_MAX - section->vaddr)
		return 0;
	for (size_t at = 0; at < code.count; at += SLOT_ALIGN) {
		struct slot slot = { .vaddr = section->vaddr + at };
		int err;

		if (!plt->machine->read_slot(plt, code.at + at, code.count - at, &slot))
			continue;
		if (plt->count > first)
			end_slot(plt, plt->count - 1, slot.vaddr);
		err = add_slot(plt, &slot);
		if (err)
			return err;
	}
	if (plt->count > first)
		end_slot(plt, plt->count - 1, section->vaddr + code.count);
	return 0;
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	if (a->got != b->got)
		return a->got < b->got ? -1 : 1;
	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static void sort_slots(struct plt *plt)
{
	qsort(plt->slots, plt->count, sizeof(*plt->slots), compare_slots);
	for (size_t i = 0; i < plt->count; i++)
		plt->words_left += i == 0 || plt->slots[i].got != plt->slots[i - 1].got;
}

/* Returns the first slot that jumps through @got or a later word. */
static size_t first_slot_of(const struct plt *plt, uint64_t got)
{
	size_t low = 0, high = plt->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (plt->slots[middle].got < got)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Function that a relocation's slots call: its name, or the address of its IFUNC resolver. */
struct callee {
	struct flat_name name;
	uint64_t resolver;	/* file offset; used if name.bytes is 0 */
};

static bool find_callee(const struct plt *plt, const struct elf_symbols *symbols,
			const struct elf_relocation *relocation, struct callee *out)
{
	const struct plt_machine *machine = plt->machine;
	struct elf_symbol symbol;
	uint64_t left;

	*out = (struct callee){ .resolver = 0 };
	if (relocation->type == machine->irelative)
		return elf_file_find_code(plt->file, relocation->addend, &out->resolver, &left);
	if (relocation->type != machine->jump_slot && relocation->type != machine->glob_dat)
		return false;
	if (relocation->symbol >= symbols->count)
		return false;
	symbol = elf_symbols_get(symbols, relocation->symbol);
	out->name = elf_symbols_name(symbols, &symbol);
	return out->name.bytes != 0;
}

static int name_slot(struct plt *plt, const struct slot *slot, const struct callee *callee)
{
	uint64_t offset, left, bytes;

	if (!elf_file_find_code(plt->file, slot->vaddr, &offset, &left))
		return 0;
	bytes = slot->bytes < left ? slot->bytes : left;
	if (callee->name.bytes)
		return flat_builder_add_plt(plt->builder, offset, bytes, callee->name);
	return flat_builder_add_plt_of(plt->builder, offset, bytes, callee->resolver);
}

static int apply_relocation(struct plt *plt, const struct elf_symbols *symbols,
			    const struct elf_relocation *relocation)
{
	size_t first = first_slot_of(plt, relocation->place);
	struct callee callee;
	int err = 0;

	if (first == plt->count || plt->slots[first].got != relocation->place ||
	    plt->slots[first].is_named || !find_callee(plt, symbols, relocation, &callee))
		return 0;
	plt->slots[first].is_named = true;
	plt->words_left--;
	for (size_t i = first;
	     i < plt->count && plt->slots[i].got == relocation->place && !err; i++)
		err = name_slot(plt, &plt->slots[i], &callee);
	return err;
}

static int apply_section(struct plt *plt, const struct elf_symbols *symbols,
			 const struct elf_section *section)
{
	struct elf_relocations all = elf_relocations_read(plt->file, section);
	int err = 0;

	for (size_t i = 0; i < all.count && !err; i++) {
		struct elf_relocation relocation = elf_relocations_get(&all, i);

		err = apply_relocation(plt, symbols, &relocation);
	}
	return err;
}

static int name_slots(struct plt *plt)
{
	struct elf_symbols symbols;
	int err = 0;

	if (elf_symbols_read(&symbols, plt->file, SHT_DYNSYM, NULL))
		symbols = (struct elf_symbols){ .count = 0 };	/* static programs have none */
	/* Backwards: the PLT's relocations come last and mostly name all slots; there can be
	 * 400,000 others. */
	for (size_t i = plt->file->section_count; i > 1 && plt->words_left && !err; i--)
		err = apply_section(plt, &symbols, &plt->file->sections[i - 1]);
	return err;
}

static uint64_t find_got_base(const struct elf_file *file)
{
	const struct elf_section *got = elf_file_section(file, ".got.plt");

	if (!got)
		got = elf_file_section(file, ".got");
	return got ? got->vaddr : 0;
}

int elf_plt_add(struct elf_file *main, struct flat_builder *builder)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt plt = { .file = main, .builder = builder, .machine = machine_of(main) };
	int err = 0;

	if (!plt.machine)
		return 0;
	plt.got_base = find_got_base(main);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++)
		err = find_slots(&plt, names[i]);
	if (!err && plt.count) {
		sort_slots(&plt);
		err = name_slots(&plt);
	}
	free(plt.slots);
	return err;
}
