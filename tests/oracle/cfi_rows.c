/* cfi_rows COUNT FILE[=STRIPPED]... - the unwind rows of each FILE against
 * dwarf_cfi_addrframe(3) of libdw, at COUNT random addresses of its code and at the first address
 * of every row.
 *
 * A row is made of what libdw says by the definition in sandbox/unwind_table.h; then both rows must
 * be the same. Where the first instruction of a program has no entry it is outermost. A line per
 * file; status 1 if anything differs.
 *
 * STRIPPED: a Go program; its rows, which are made of its frame sizes, are compared with the
 * .debug_frame that the linker made of the same sizes for FILE. Functions whose flags say that no
 * size leads to a caller are left out: at most 1 % of the code. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_cfi.h"
#include "sandbox/unwind_table.h"

#include "../unit/random_numbers.h"

enum { BX = 3, DI = 5, BP = 6, SP = 7, RETURN = 16 };
enum { X29 = 29, X30 = 30, ARM_SP = 31 };

struct comparison {
	const char *path;
	Dwarf_CFI *cfi;
	struct unwind_table table;
	GElf_Phdr code;		/* the first segment that is executable */
	GElf_Shdr plt;		/* aarch64's; of 0 bytes if there is none */
	uint64_t start;		/* the address of the first instruction */
	uint32_t compared, special, complex, flagged, differ;
	bool is_go;		/* the rows are those of a stripped Go program */
	bool is_arm;		/* the file's machine is aarch64 */
};

static const struct unwind_row complex = { .kind = UNWIND_COMPLEX };

/* CFA + *@offset; false: it is elsewhere. */
static bool is_at_cfa(const Dwarf_Op *ops, size_t count, int64_t *offset)
{
	*offset = count == 2 ? (int64_t)ops[1].number : 0;
	return (count == 1 || (count == 2 && ops[1].atom == DW_OP_plus_uconst)) &&
	       ops[0].atom == DW_OP_call_frame_cfa;
}

static bool is_plt(const Dwarf_Op *ops, size_t count)
{
	static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0,
					 DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };

	if (count != sizeof(atoms) || ops[0].number != 8 || ops[1].number != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (atoms[i] && ops[i].atom != atoms[i])
			return false;
	return ops[4].atom >= DW_OP_lit0 && ops[4].atom <= DW_OP_lit15;
}

/* False: the caller's bp is where a row can't say. */
static bool put_bp(Dwarf_Frame *frame, struct unwind_row *row)
{
	Dwarf_Op memory[3], *ops;
	int64_t offset;
	size_t count;

	if (dwarf_frame_register(frame, BP, memory, &ops, &count))
		return false;
	if (row->kind == UNWIND_BP_WORD)
		return count == 2 && ops[1].atom == DW_OP_breg6 && ops[1].number == 0;
	if (count == 0)
		return true;
	if (!is_at_cfa(ops, count, &offset) || !offset || offset % 8 || offset < -127 * 8 ||
	    offset > 127 * 8)
		return false;
	row->bp = (int8_t)(offset / 8);
	return true;
}

/* libdw says of a register that no entry speaks of that it is undefined. */
static unsigned int bx_of(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	int64_t offset;
	size_t count;

	if (dwarf_frame_register(frame, BX, memory, &ops, &count))
		return UNWIND_BX_ELSEWHERE;
	if (count == 0)
		return 0;
	if (!is_at_cfa(ops, count, &offset) || offset % 8 || offset > -8 || offset < -14 * 8)
		return UNWIND_BX_ELSEWHERE;
	return (unsigned int)(-offset / 8);
}

/* The caller's sp is the CFA, its ip the word below, or in di, which @row then says. */
static bool is_ordinary(Dwarf_Frame *frame, struct unwind_row *row)
{
	Dwarf_Op memory[3], *ops;
	int64_t offset;
	size_t count;

	if (dwarf_frame_register(frame, SP, memory, &ops, &count) || count != 2 ||
	    ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_stack_value)
		return false;
	if (dwarf_frame_register(frame, RETURN, memory, &ops, &count))
		return false;
	if (row->kind == UNWIND_SP && count == 1 && ops[0].atom == DW_OP_regx &&
	    ops[0].number == DI)
		row->kind = UNWIND_DI;
	return row->kind == UNWIND_DI || (is_at_cfa(ops, count, &offset) && offset == -8);
}

static bool is_outermost(Dwarf_Frame *frame, int return_register)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	return dwarf_frame_register(frame, return_register, memory, &ops, &count) == 0 &&
	       count == 0 && ops == memory;
}

/* False: a row can't say it. */
static bool put_cfa(const Dwarf_Op *ops, size_t count, struct unwind_row *row)
{
	int64_t offset = (int64_t)ops[0].number;

	if (is_plt(ops, count)) {
		row->kind = UNWIND_PLT;
		row->cfa = (int16_t)(ops[4].atom - DW_OP_lit0);
		return true;
	}
	if (count == 1 && ops[0].atom == DW_OP_bregx &&
	    (ops[0].number == SP || ops[0].number == BP || ops[0].number == BX)) {
		row->kind = ops[0].number == SP ? UNWIND_SP :
			    ops[0].number == BP ? UNWIND_BP : UNWIND_BX;
		offset = (int64_t)ops[0].number2;
	} else if (count == 2 && ops[0].atom == DW_OP_breg6 && ops[1].atom == DW_OP_deref) {
		row->kind = UNWIND_BP_WORD;
	} else if (count == 3 && ops[0].atom == DW_OP_breg7 && ops[1].atom == DW_OP_deref &&
		   ops[2].atom == DW_OP_plus_uconst && ops[2].number == 8) {
		row->kind = UNWIND_SP_WORD;
	} else {
		return false;
	}
	row->cfa = (int16_t)(offset / 8);
	return offset % 8 == 0 && offset >= -32767 * 8 && offset <= 32767 * 8;
}

static struct unwind_row row_of(Dwarf_Frame *frame)
{
	struct unwind_row row = { .kind = UNWIND_SP };
	bool is_signal;
	Dwarf_Op *ops;
	size_t count;

	if (is_outermost(frame, RETURN))
		return (struct unwind_row){ .kind = UNWIND_END };
	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	if (dwarf_frame_cfa(frame, &ops, &count) || count == 0)
		return complex;
	if (is_signal && count == 2 && ops[0].atom == DW_OP_breg7 && ops[0].number == 160 &&
	    ops[1].atom == DW_OP_deref)
		return (struct unwind_row){ .kind = UNWIND_SIGNAL };
	if (!put_cfa(ops, count, &row) || !is_ordinary(frame, &row) ||
	    !put_bp(frame, &row) || (row.kind == UNWIND_PLT && row.bp))
		return complex;
	row.bx = bx_of(frame) & UNWIND_BX_ELSEWHERE;
	return row;
}

/* Where a register is saved: -1: a row can't say it; 0: nowhere; 1: at CFA + *@offset. */
static int find_saved(Dwarf_Frame *frame, int number, int64_t *offset)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count))
		return -1;
	if (count == 0)
		return 0;
	return is_at_cfa(ops, count, offset) && *offset % 8 == 0 ? 1 : -1;
}

static bool put_saved(Dwarf_Frame *frame, struct unwind_row *row)
{
	int64_t x29_at = 0, x30_at = 0, at;
	const int x29 = find_saved(frame, X29, &x29_at), x30 = find_saved(frame, X30, &x30_at);

	if (x29 < 0 || x30 < 0 || (x29 && x30 && x30_at != x29_at + 8))
		return false;
	if (!x29 && !x30)
		return true;
	at = x29 ? x29_at : x30_at;
	row->bx = (x30 ? UNWIND_SAVES_LR : 0) | (x29 ? UNWIND_SAVES_BP : 0);
	if (at < -1024 || at >= 0) {
		at += 8 * row->cfa;
		row->bx |= UNWIND_FROM_BASE;
	}
	row->bp = (int8_t)(at / 8);
	return at >= -1024 && at <= 1016;
}

static struct unwind_row arm_row_of(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	struct unwind_row row = { .kind = UNWIND_ARM_SP };
	bool is_signal;
	int64_t offset;
	size_t count;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != X30)
		return complex;	/* ld.so's TLS descriptors return to x15 */
	if (is_outermost(frame, X30))
		return (struct unwind_row){ .kind = UNWIND_END };
	if (is_signal)
		return (struct unwind_row){ .kind = UNWIND_ARM_SIGNAL };
	if (dwarf_frame_cfa(frame, &ops, &count) || count != 1 || ops[0].atom != DW_OP_bregx ||
	    (ops[0].number != X29 && ops[0].number != ARM_SP))
		return complex;
	offset = (int64_t)ops[0].number2;
	if (ops[0].number == X29)
		row.kind = UNWIND_ARM_BP;
	row.cfa = (int16_t)(offset / 8);
	if (offset % 8 || offset < -32767 * 8 || offset > 32767 * 8 ||
	    dwarf_frame_register(frame, ARM_SP, memory, &ops, &count) || count != 2 ||
	    ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_stack_value)
		return complex;
	return put_saved(frame, &row) ? row : complex;
}

/* Go's linker says nothing of x29, which is in the word below x30, the lowest of the frame. A frame
 * of less than 0 bytes leads to no caller. */
static void add_x29_of_go(struct unwind_row *row)
{
	const int at = row->bx & UNWIND_FROM_BASE ? row->bp : row->cfa + row->bp;

	if (row->kind == UNWIND_ARM_SP && row->cfa < 0)
		*row = complex;
	if (row->kind != UNWIND_ARM_SP || (row->bx & UNWIND_SAVES_PAIR) != UNWIND_SAVES_LR || at)
		return;
	row->bp = -1;
	row->bx = UNWIND_SAVES_PAIR | UNWIND_FROM_BASE;
}

/* A PLT has no entries. Its head pushes x16 and x30 and calls the resolver; a slot jumps. */
static struct unwind_row arm_plt_row(uint64_t into)
{
	struct unwind_row row = { .kind = UNWIND_ARM_SP };

	if (into >= 4 && into < 32) {
		row.cfa = 2;
		row.bp = -1;
		row.bx = UNWIND_SAVES_LR;
	}
	return row;
}

static void compare_at(struct comparison *job, uint64_t vaddr)
{
	const struct unwind_row *ours = unwind_table_find(&job->table,
							  vaddr - job->code.p_vaddr +
							  job->code.p_offset);
	struct unwind_row theirs = { .kind = vaddr == job->start ? UNWIND_END : UNWIND_GAP };
	Dwarf_Frame *frame;

	if (vaddr - job->plt.sh_addr < job->plt.sh_size)
		theirs = arm_plt_row(vaddr - job->plt.sh_addr);
	if (dwarf_cfi_addrframe(job->cfi, vaddr, &frame) == 0) {
		theirs = job->is_arm ? arm_row_of(frame) : row_of(frame);
		free(frame);
	}
	if (job->is_go && job->is_arm)
		add_x29_of_go(&theirs);
	job->compared++;
	job->special += theirs.kind != UNWIND_SP && theirs.kind != UNWIND_BP &&
			theirs.kind != UNWIND_GAP && theirs.kind != UNWIND_ARM_SP;
	job->complex += theirs.kind == UNWIND_COMPLEX;
	if (unwind_row_is_same_rule(ours, &theirs))
		return;
	if (job->is_go && (ours->kind == UNWIND_GAP || ours->kind == UNWIND_END)) {
		job->flagged++;
		return;
	}
	if (job->differ++ < 10)
		printf("%s 0x%" PRIx64 ": ours %d cfa %d bp %d bx %d, "
		       "libdw %d cfa %d bp %d bx %d\n",
		       job->path, vaddr, ours->kind, ours->cfa, ours->bp, ours->bx, theirs.kind,
		       theirs.cfa, theirs.bp, theirs.bx);
}

static void compare(struct comparison *job, uint32_t count)
{
	const GElf_Phdr *code = &job->code;
	uint64_t seed = 5;

	for (uint32_t i = 0; i < count; i++)
		compare_at(job, code->p_vaddr + random_below(&seed, (uint32_t)code->p_filesz));
	for (uint32_t i = 0; i < job->table.header->row_count; i++) {
		const uint64_t into = job->table.rows[i].start - code->p_offset;

		if (into < code->p_filesz)
			compare_at(job, code->p_vaddr + into);
	}
}

static bool find_code(Elf *elf, GElf_Phdr *code, uint64_t *start)
{
	GElf_Ehdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count) || !gelf_getehdr(elf, &header))
		return false;
	*start = header.e_entry;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, code) && code->p_type == PT_LOAD &&
		    code->p_flags & PF_X)
			return true;
	return false;
}

static void find_plt(Elf *elf, GElf_Shdr *plt)
{
	Elf_Scn *section = NULL;
	size_t names;

	while (!elf_getshdrstrndx(elf, &names) && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strcmp(name, ".plt") == 0)
			*plt = header;
	}
}

static bool is_of_arm(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64;
}

/* The rows of the file at @path into job->table; NULL: @why says why there are none. */
static void *read_rows(struct comparison *job, const char *path, struct diag *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = NULL;
	size_t count;

	if (elf_cfi_compile(fd, -1, &bytes, &count, why) == 0 &&
	    unwind_table_check(&job->table, bytes, count, why)) {
		free(bytes);
		bytes = NULL;
	}
	close(fd);
	return bytes;
}

/* Returns false when something differs. */
static bool check_file(char *path, uint32_t count)
{
	char *stripped = strchr(path, '=');
	struct comparison job = { .path = path, .is_go = stripped != NULL };
	struct diag why = { .text = "cannot be opened" };
	Dwarf *dwarf = NULL;
	void *bytes = NULL;
	Elf *elf;
	int fd;

	if (stripped)
		*stripped++ = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	job.is_arm = is_of_arm(elf);
	if (job.is_arm)
		find_plt(elf, &job.plt);
	if (job.is_go)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	job.cfi = job.is_go ? dwarf_getcfi(dwarf) : dwarf_getcfi_elf(elf);
	if (job.cfi && find_code(elf, &job.code, &job.start))
		bytes = read_rows(&job, stripped ? stripped : path, &why);
	if (bytes) {
		compare(&job, count);
		printf("%-48s %7u rows, %7u addresses, %4u of special rows, %u complex, "
		       "%u flagged, %u differ\n", path, job.table.header->row_count, job.compared,
		       job.special, job.complex, job.flagged, job.differ);
	} else {
		printf("%s: %s\n", path, why.text);
	}
	free(bytes);
	if (dwarf)
		dwarf_end(dwarf);
	else
		dwarf_cfi_end(job.cfi);
	elf_end(elf);
	close(fd);
	return bytes && job.differ == 0 && job.flagged * 100 <= job.compared;
}

int main(int argc, char **argv)
{
	bool is_same = argc > 2;

	for (int i = 2; i < argc; i++)
		is_same &= check_file(argv[i], (uint32_t)strtoul(argv[1], NULL, 10));
	return is_same ? 0 : 1;
}
