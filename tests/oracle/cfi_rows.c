/* cfi_rows COUNT FILE[=STRIPPED]... - the unwind rows of each FILE against
 * dwarf_cfi_addrframe(3) of libdw, at COUNT random addresses of its code and at the first address
 * of every row.
 *
 * A row is made of libdw's answer by the definition in sandbox/unwind_table.h; then both rows must
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

struct comparison {
	const char *path;
	Dwarf_CFI *cfi;
	struct unwind_table table;
	GElf_Phdr code;		/* the first segment that is executable */
	uint64_t start;		/* the address of the first instruction */
	uint32_t compared, special, flagged, differ;
	bool is_go;		/* the rows are those of a stripped Go program */
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

static bool is_outermost(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	return dwarf_frame_register(frame, RETURN, memory, &ops, &count) == 0 && count == 0 &&
	       ops == memory;
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

	if (is_outermost(frame))
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

static void compare_at(struct comparison *job, uint64_t vaddr)
{
	const struct unwind_row *ours = unwind_table_find(&job->table,
							  vaddr - job->code.p_vaddr +
							  job->code.p_offset);
	struct unwind_row theirs = { .kind = vaddr == job->start ? UNWIND_END : UNWIND_GAP };
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(job->cfi, vaddr, &frame) == 0) {
		theirs = row_of(frame);
		free(frame);
	}
	job->compared++;
	job->special += theirs.kind != UNWIND_SP && theirs.kind != UNWIND_BP &&
			theirs.kind != UNWIND_GAP;
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
	if (job.is_go)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	job.cfi = job.is_go ? dwarf_getcfi(dwarf) : dwarf_getcfi_elf(elf);
	if (job.cfi && find_code(elf, &job.code, &job.start))
		bytes = read_rows(&job, stripped ? stripped : path, &why);
	if (bytes) {
		compare(&job, count);
		printf("%-48s %7u rows, %7u addresses, %4u of special rows, %u flagged, "
		       "%u differ\n", path, job.table.header->row_count, job.compared, job.special,
		       job.flagged, job.differ);
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
