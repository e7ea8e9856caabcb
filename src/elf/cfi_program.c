/* cfi_program.c - see cfi_program.h. Everything here parses untrusted bytes.
 *
 * Problem: a library has 100,000 entries and a million places where the rule changes; libdw makes
 * one rule at a time, with all registers, on the heap: 240 ns each.
 *
 * Idea: of the 17 registers only four matter for walking from frame to frame: the three that a CFA
 * can be based on, and the return address. Instructions for others are skipped. Each time the
 * location advances, the current rules become a row of 8 bytes, unless it equals the one before.
 *
 * Expressions are not evaluated, but four are recognized by their bytes: the linker's for the PLT,
 * the C library's for the return from a signal, and two of functions that align the stack and save
 * the old stack pointer in a word of it (a third of a video encoder's code, 5 % of libcrypto's).
 * All others, and all rules that don't fit into a row, are UNWIND_COMPLEX: 5 rows in libc.
 *
 * aarch64: x29 and x30 are saved in one word pair or not at all, but for 4 rows of its libc.
 * Whether x30 is signed is not kept: the walker clears the signature of every return address, see
 * src/unwind/arm_step.c.
 */
#include "cfi_program.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "large_block.h"

#define ROWS_MAX (UNWIND_BYTES_MAX / sizeof(struct unwind_row))

/* DW_CFA_*. The first three have an operand in their low 6 bits. */
enum {
	ADVANCE_LOC = 0x40, OFFSET = 0x80, RESTORE = 0xc0, SHORT_MASK = 0xc0,
	NOP = 0x00, SET_LOC = 0x01, ADVANCE_LOC1 = 0x02, ADVANCE_LOC2 = 0x03, ADVANCE_LOC4 = 0x04,
	OFFSET_EXTENDED = 0x05, RESTORE_EXTENDED = 0x06, UNDEFINED = 0x07, SAME_VALUE = 0x08,
	REGISTER = 0x09, REMEMBER_STATE = 0x0a, RESTORE_STATE = 0x0b, DEF_CFA = 0x0c,
	DEF_CFA_REGISTER = 0x0d, DEF_CFA_OFFSET = 0x0e, DEF_CFA_EXPRESSION = 0x0f,
	EXPRESSION = 0x10, OFFSET_EXTENDED_SF = 0x11, DEF_CFA_SF = 0x12, DEF_CFA_OFFSET_SF = 0x13,
	VAL_OFFSET = 0x14, VAL_OFFSET_SF = 0x15, VAL_EXPRESSION = 0x16, ADVANCE_LOC8 = 0x1d,
	ARM_NEGATE_RA_STATE_WITH_PC = 0x2c, ARM_NEGATE_RA_STATE = 0x2d,
	GNU_ARGS_SIZE = 0x2e, GNU_NEGATIVE_OFFSET = 0x2f,
};

#define NO_REGISTER 0xff	/* the machine has none such; DWARF numbers no register so */

/* unwind_row.cfa of a PLT row is the literal between plt_before and plt_after. */
struct cfi_machine {
	uint16_t elf_machine;
	uint8_t registers[CFI_REGISTERS];
	uint8_t di;
	int8_t return_offset;	/* where rows expect the return address: CFA + this */
	uint8_t plt_before[6], plt_after[4];
	uint8_t signal[4];
};

static const struct cfi_machine machines[] = {
	{
		.elf_machine = EM_X86_64, .registers = { 6, 7, 3, 16 }, .di = 5,
		.return_offset = -8,
		/* rsp + 8 + ((rip & 15) >= byte) << 3 */
		.plt_before = { 0x77, 8, 0x80, 0, 0x3f, 0x1a },
		.plt_after = { 0x2a, 0x33, 0x24, 0x22 },
		/* The word at rsp + 160. */
		.signal = { 0x77, 0xa0, 0x01, 0x06 },
	},
	{
		.elf_machine = EM_AARCH64, .registers = { 29, 31, NO_REGISTER, 30 },
		.di = NO_REGISTER,
	},
};

/* DW_OP_*. */
enum { DEREF = 0x06, PLUS_UCONST = 0x23, LITERAL_0 = 0x30, LITERAL_15 = 0x3f, BREG_0 = 0x70 };

/* State of one cfi_program_run(). */
struct run {
	struct cfi_program *program;
	const struct frame_entry *entry;
	struct byte_reader reader;
	struct cfi_rows *rows;		/* NULL: runs the CIE's instructions, makes no rows */
	uint32_t first_row;
	uint64_t at;			/* location, relative to the entry's start */
	int err;
};

const struct cfi_machine *cfi_machine_find(uint16_t elf_machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf_machine == elf_machine)
			return &machines[i];
	return NULL;
}

int cfi_rows_append(struct cfi_rows *rows, struct unwind_row row)
{
	if (rows->count == rows->capacity) {
		uint32_t capacity = rows->capacity ? 2 * rows->capacity : 4096;
		struct unwind_row *grown;

		if (rows->count >= ROWS_MAX)
			return -E2BIG;
		grown = large_block_grow(rows->rows, rows->count * sizeof(row),
					 capacity * sizeof(row));
		if (!grown)
			return -ENOMEM;
		rows->rows = grown;
		rows->capacity = capacity;
	}
	rows->rows[rows->count++] = row;
	return 0;
}

static bool is_in_units(int64_t offset, int64_t units_max)
{
	return offset % 8 == 0 && offset / 8 <= units_max && offset / 8 >= -units_max;
}

/* Sets row->bp. Returns false if a row can't express where the caller's bp is. */
static bool put_bp(struct unwind_row *row, const struct cfi_place *bp)
{
	if (bp->where >= CFI_AT_BP)
		return false;
	if (bp->where != CFI_AT_CFA)
		return true;
	row->bp = (int8_t)(bp->offset / 8);
	return bp->offset && is_in_units(bp->offset, INT8_MAX);
}

/* Returns unwind_row.bx: where the caller's bx is saved. Few walks need it. */
static unsigned int bx_of(const struct cfi_place *bx)
{
	if (bx->where == CFI_UNSAID || bx->where == CFI_SAME)
		return 0;
	if (bx->where != CFI_AT_CFA || bx->offset % 8 || bx->offset >= 0 ||
	    bx->offset <= -8 * UNWIND_BX_ELSEWHERE)
		return UNWIND_BX_ELSEWHERE;
	return (unsigned int)(-bx->offset / 8);
}

static enum unwind_kind kind_of_register(uint64_t number, const struct cfi_machine *machine)
{
	if (number == machine->registers[CFI_SP])
		return UNWIND_SP;
	if (number == machine->registers[CFI_BP])
		return UNWIND_BP;
	return number == machine->registers[CFI_BX] ? UNWIND_BX : UNWIND_COMPLEX;
}

/* Returns the kind of row for the CFA's rule; UNWIND_COMPLEX: no kind fits. */
static enum unwind_kind kind_of(const struct cfi_rules *rules, const struct cfi_machine *machine)
{
	switch (rules->cfa) {
	case CFI_CFA_REGISTER:
		return kind_of_register(rules->cfa_register, machine);
	case CFI_CFA_SP_WORD:
		return UNWIND_SP_WORD;
	case CFI_CFA_BP_WORD:
		return UNWIND_BP_WORD;
	case CFI_CFA_PLT:
		return UNWIND_PLT;
	default:
		return UNWIND_COMPLEX;
	}
}

/* Sets @row from @rules. Returns false if a row can't express them. */
static bool put_rules(struct unwind_row *row, const struct cfi_rules *rules,
		      const struct cfi_machine *machine)
{
	const struct cfi_place *bp = &rules->places[CFI_BP];

	row->kind = kind_of(rules, machine) & UNWIND_KIND_MASK;
	row->bx = bx_of(&rules->places[CFI_BX]) & UNWIND_BX_ELSEWHERE;
	if (row->kind == UNWIND_PLT) {
		row->cfa = (int16_t)rules->cfa_offset;
		return put_bp(row, bp) && row->bp == 0;
	}
	row->cfa = (int16_t)(rules->cfa_offset / 8);
	if (row->kind == UNWIND_COMPLEX || !is_in_units(rules->cfa_offset, INT16_MAX))
		return false;
	return row->kind == UNWIND_BP_WORD ? bp->where == CFI_AT_BP : put_bp(row, bp);
}

/* Sets where an aarch64 row's registers are saved. Returns false if a row can't express it. */
static bool put_saves(struct unwind_row *row, const struct cfi_rules *rules)
{
	const struct cfi_place *bp = &rules->places[CFI_BP], *lr = &rules->places[CFI_RETURN];
	const bool saves_bp = bp->where == CFI_AT_CFA, saves_lr = lr->where == CFI_AT_CFA;
	const int64_t offset = saves_bp ? bp->offset : lr->offset;
	int64_t slot = offset / 8;

	if (bp->where > CFI_AT_CFA || (!saves_lr && lr->where > CFI_SAME))
		return false;
	if (!saves_bp && !saves_lr)
		return true;
	if (offset % 8 || (saves_bp && saves_lr && (uint64_t)lr->offset - (uint64_t)offset != 8))
		return false;
	row->bx = (saves_lr ? UNWIND_SAVES_LR : 0) | (saves_bp ? UNWIND_SAVES_BP : 0);
	if (slot < INT8_MIN || slot >= 0) {
		slot += row->cfa;
		row->bx |= UNWIND_FROM_BASE;
	}
	row->bp = (int8_t)slot;
	return slot >= INT8_MIN && slot <= INT8_MAX;
}

/* Not inlined into make_row(), which would save more registers for x86, too. */
__attribute__((noinline)) static struct unwind_row make_arm_row(const struct run *run)
{
	const struct cfi_rules *rules = &run->program->rules;
	const struct cfi_machine *machine = run->program->machine;
	struct unwind_row row = { .kind = UNWIND_ARM_SP };

	if (rules->places[CFI_RETURN].where == CFI_UNDEFINED)
		return (struct unwind_row){ .kind = UNWIND_END };
	if (run->entry->cie->is_signal)
		return (struct unwind_row){ .kind = UNWIND_ARM_SIGNAL };
	if (rules->cfa_register == machine->registers[CFI_BP])
		row.kind = UNWIND_ARM_BP;
	else if (rules->cfa_register != machine->registers[CFI_SP])
		return (struct unwind_row){ .kind = UNWIND_COMPLEX };
	row.cfa = (int16_t)(rules->cfa_offset / 8);
	if (rules->cfa != CFI_CFA_REGISTER || rules->places[CFI_SP].where != CFI_UNSAID ||
	    !is_in_units(rules->cfa_offset, INT16_MAX) || !put_saves(&row, rules))
		return (struct unwind_row){ .kind = UNWIND_COMPLEX };
	return row;
}

static struct unwind_row make_x86_row(const struct run *run)
{
	const struct cfi_rules *rules = &run->program->rules;
	const struct cfi_machine *machine = run->program->machine;
	const struct cfi_place *ra = &rules->places[CFI_RETURN];
	struct unwind_row row = { .start = 0 };

	if (ra->where == CFI_UNDEFINED)
		return (struct unwind_row){ .kind = UNWIND_END };
	if (rules->cfa == CFI_CFA_SIGNAL && run->entry->cie->is_signal)
		return (struct unwind_row){ .kind = UNWIND_SIGNAL };
	if (rules->places[CFI_SP].where != CFI_UNSAID || !put_rules(&row, rules, machine))
		return (struct unwind_row){ .kind = UNWIND_COMPLEX };
	if (ra->where == CFI_AT_CFA && ra->offset == machine->return_offset)
		return row;
	if (ra->where == CFI_IN_DI && row.kind == UNWIND_SP) {
		row.kind = UNWIND_DI;
		return row;
	}
	return (struct unwind_row){ .kind = UNWIND_COMPLEX };
}

static struct unwind_row make_row(const struct run *run)
{
	return run->program->machine->elf_machine == EM_AARCH64 ? make_arm_row(run) :
								  make_x86_row(run);
}

static void emit(struct run *run, struct unwind_row row)
{
	const struct cfi_rows *rows = run->rows;

	if (rows->count > run->first_row &&
	    unwind_row_is_same_rule(&rows->rows[rows->count - 1], &row))
		return;
	row.start = (uint32_t)(run->entry->offset + run->at);
	run->err = cfi_rows_append(run->rows, row);
}

/* Advances the location by @steps and emits the row of the code before it. */
static void advance(struct run *run, uint64_t steps)
{
	const uint64_t left = run->entry->bytes - run->at;
	uint64_t bytes;

	if (!run->rows) {
		run->reader.is_bad = true;
		return;
	}
	if (__builtin_mul_overflow(steps, run->entry->cie->code_align, &bytes) || bytes > left)
		bytes = left;
	if (!bytes)
		return;
	emit(run, make_row(run));
	run->at += bytes;
}

static void set_location(struct run *run)
{
	const uint64_t vaddr = frame_entry_read_address(run->entry, &run->reader);
	const uint64_t from = run->entry->vaddr + run->at;

	if (!run->rows || vaddr < from || run->entry->cie->code_align != 1)
		run->reader.is_bad = true;
	else
		advance(run, vaddr - from);
}

static int64_t scale(const struct run *run, uint64_t number)
{
	return (int64_t)(number * (uint64_t)run->entry->cie->data_align);
}

static uint64_t read_leb(struct run *run)
{
	return byte_reader_leb(&run->reader, false);
}

static int64_t read_scaled(struct run *run, bool is_signed)
{
	return scale(run, byte_reader_leb(&run->reader, is_signed));
}

/* Returns the place of register @number, or NULL if it is not tracked. */
static struct cfi_place *place_of(struct cfi_rules *rules, const struct cfi_machine *machine,
				  uint64_t number)
{
	for (int i = 0; i < CFI_REGISTERS; i++)
		if (machine->registers[i] == number)
			return &rules->places[i];
	return NULL;
}

static void put_place(struct run *run, uint64_t number, struct cfi_place place)
{
	struct cfi_place *own = place_of(&run->program->rules, run->program->machine, number);

	if (own)
		*own = place;
}

static void restore_place(struct run *run, uint64_t number)
{
	struct cfi_program *program = run->program;
	const struct cfi_place *initial = place_of(&program->initial, program->machine, number);

	if (!run->rows)
		run->reader.is_bad = true;
	else if (initial)
		put_place(run, number, *initial);
}

static void skip_expression(struct run *run)
{
	byte_reader_skip(&run->reader, read_leb(run));
}

/* Reads an expression for the address where a register is saved. */
static struct cfi_place read_place_expression(struct run *run)
{
	const uint8_t at_bp[] = { (uint8_t)(BREG_0 + run->program->machine->registers[CFI_BP]), 0 };
	const uint64_t bytes = read_leb(run);
	const unsigned char *at = run->reader.at;

	if (byte_reader_skip(&run->reader, bytes) && bytes == sizeof(at_bp) &&
	    memcmp(at, at_bp, bytes) == 0)
		return (struct cfi_place){ .where = CFI_AT_BP };
	return (struct cfi_place){ .where = CFI_ELSEWHERE };
}

static bool is_plt(const struct cfi_machine *machine, const unsigned char *at, uint64_t bytes)
{
	const size_t before = sizeof(machine->plt_before), after = sizeof(machine->plt_after);

	return bytes == before + 1 + after && memcmp(at, machine->plt_before, before) == 0 &&
	       at[before] >= LITERAL_0 && at[before] <= LITERAL_15 &&
	       memcmp(at + before + 1, machine->plt_after, after) == 0;
}

/* Recognizes the expressions "word at bp + offset" and "8 + word at sp + offset". */
static void read_word_expression(struct cfi_rules *rules, const struct cfi_machine *machine,
				 struct byte_reader expression)
{
	const uint64_t register_number = byte_reader_number(&expression, 1) - BREG_0;
	const int64_t offset = (int64_t)byte_reader_leb(&expression, true);
	const bool is_word = byte_reader_number(&expression, 1) == DEREF;
	const bool has_more = byte_reader_left(&expression) > 0;
	const bool is_8_more = byte_reader_number(&expression, 1) == PLUS_UCONST &&
			       byte_reader_number(&expression, 1) == 8 &&
			       expression.at == expression.end;

	rules->cfa_offset = offset;
	if (is_word && !has_more && register_number == machine->registers[CFI_BP])
		rules->cfa = CFI_CFA_BP_WORD;
	else if (is_word && is_8_more && register_number == machine->registers[CFI_SP])
		rules->cfa = CFI_CFA_SP_WORD;
}

static void read_cfa_expression(struct run *run)
{
	const struct cfi_machine *machine = run->program->machine;
	struct cfi_rules *rules = &run->program->rules;
	const uint64_t bytes = read_leb(run);
	const unsigned char *at = run->reader.at;

	rules->cfa = CFI_CFA_ELSE;
	if (!byte_reader_skip(&run->reader, bytes))
		return;
	if (bytes == sizeof(machine->signal) && memcmp(at, machine->signal, bytes) == 0) {
		rules->cfa = CFI_CFA_SIGNAL;
	} else if (is_plt(machine, at, bytes)) {
		rules->cfa = CFI_CFA_PLT;
		rules->cfa_offset = at[sizeof(machine->plt_before)] - LITERAL_0;
	} else {
		read_word_expression(rules, machine,
				     (struct byte_reader){ at, run->reader.at, false });
	}
}

static void put_cfa_register(struct run *run, uint64_t number)
{
	struct cfi_rules *rules = &run->program->rules;

	if (rules->cfa != CFI_CFA_REGISTER)
		run->reader.is_bad = true;
	rules->cfa_register = number;
}

static void put_cfa_offset(struct run *run, int64_t offset)
{
	struct cfi_rules *rules = &run->program->rules;

	if (rules->cfa != CFI_CFA_REGISTER)
		run->reader.is_bad = true;
	rules->cfa_offset = offset;
}

static void remember(struct run *run)
{
	struct cfi_program *program = run->program;

	if (program->remembered_count == CFI_REMEMBERED_MAX)
		run->reader.is_bad = true;
	else
		program->remembered[program->remembered_count++] = program->rules;
}

static void restore(struct run *run)
{
	struct cfi_program *program = run->program;

	if (program->remembered_count == 0)
		run->reader.is_bad = true;
	else
		program->rules = program->remembered[--program->remembered_count];
}

/* Executes an instruction that defines the CFA. Returns false if it is another one. */
static bool run_cfa(struct run *run, unsigned int instruction)
{
	struct cfi_rules *rules = &run->program->rules;

	switch (instruction) {
	case DEF_CFA:
	case DEF_CFA_SF:
		rules->cfa = CFI_CFA_REGISTER;
		rules->cfa_register = read_leb(run);
		rules->cfa_offset = instruction == DEF_CFA ? (int64_t)read_leb(run) :
							     read_scaled(run, true);
		return true;
	case DEF_CFA_REGISTER:
		put_cfa_register(run, read_leb(run));
		return true;
	case DEF_CFA_OFFSET:
		put_cfa_offset(run, (int64_t)read_leb(run));
		return true;
	case DEF_CFA_OFFSET_SF:
		put_cfa_offset(run, read_scaled(run, true));
		return true;
	case DEF_CFA_EXPRESSION:
		read_cfa_expression(run);
		return true;
	default:
		return false;
	}
}

/* Executes an instruction whose first operand is a register. Returns false if it is another one. */
static bool run_register(struct run *run, unsigned int instruction)
{
	struct cfi_place place = { .where = CFI_ELSEWHERE };
	struct byte_reader before = run->reader;
	const uint64_t number = read_leb(run);

	switch (instruction) {
	case OFFSET_EXTENDED:
	case OFFSET_EXTENDED_SF:
		place = (struct cfi_place){ CFI_AT_CFA,
					    read_scaled(run, instruction == OFFSET_EXTENDED_SF) };
		break;
	case GNU_NEGATIVE_OFFSET:
		place = (struct cfi_place){ CFI_AT_CFA, scale(run, -read_leb(run)) };
		break;
	case RESTORE_EXTENDED:
		restore_place(run, number);
		return true;
	case UNDEFINED:
		place.where = CFI_UNDEFINED;
		break;
	case SAME_VALUE:
		place.where = CFI_SAME;
		break;
	case REGISTER:
		if (read_leb(run) == run->program->machine->di)
			place.where = CFI_IN_DI;
		break;
	case VAL_OFFSET:
	case VAL_OFFSET_SF:
		read_leb(run);
		break;
	case EXPRESSION:
		place = read_place_expression(run);
		break;
	case VAL_EXPRESSION:
		skip_expression(run);
		break;
	default:
		run->reader = before;
		return false;
	}
	put_place(run, number, place);
	return true;
}

static void run_other(struct run *run, unsigned int instruction)
{
	switch (instruction) {
	case NOP:
		break;
	case SET_LOC:
		set_location(run);
		break;
	case ADVANCE_LOC1:
	case ADVANCE_LOC2:
		advance(run, byte_reader_number(&run->reader, instruction - 1u));
		break;
	case ADVANCE_LOC4:
		advance(run, byte_reader_number(&run->reader, 4));
		break;
	case ADVANCE_LOC8:
		advance(run, byte_reader_number(&run->reader, 8));
		break;
	case REMEMBER_STATE:
		remember(run);
		break;
	case RESTORE_STATE:
		restore(run);
		break;
	case GNU_ARGS_SIZE:
		read_leb(run);
		break;
	case ARM_NEGATE_RA_STATE:
	case ARM_NEGATE_RA_STATE_WITH_PC:
		if (run->program->machine->elf_machine != EM_AARCH64)
			run->reader.is_bad = true;
		break;
	default:
		run->reader.is_bad = true;
	}
}

static void run_instruction(struct run *run)
{
	const unsigned int byte = *run->reader.at++;
	const unsigned int number = byte & ~(unsigned int)SHORT_MASK;

	switch (byte & SHORT_MASK) {
	case ADVANCE_LOC:
		advance(run, number);
		break;
	case OFFSET:
		put_place(run, number, (struct cfi_place){ CFI_AT_CFA, read_scaled(run, false) });
		break;
	case RESTORE:
		restore_place(run, number);
		break;
	default:
		if (!run_cfa(run, byte) && !run_register(run, byte))
			run_other(run, byte);
	}
}

static void run_all(struct run *run)
{
	run->program->remembered_count = 0;
	while (run->reader.at < run->reader.end && !run->reader.is_bad && !run->err &&
	       run->at < run->entry->bytes)
		run_instruction(run);
}

static void run_cie(struct cfi_program *program, const struct frame_entry *entry)
{
	const struct frame_cie *cie = entry->cie;
	struct run run = { .program = program, .entry = entry, .reader = cie->program };

	program->rules = (struct cfi_rules){ .cfa = CFI_CFA_UNSAID };
	run_all(&run);
	program->is_bad_cie = run.reader.is_bad ||
			      cie->return_register != program->machine->registers[CFI_RETURN];
	program->initial = program->rules;
	program->cie_number = cie->number;
}

int cfi_program_run(struct cfi_program *program, const struct frame_entry *entry,
		    struct cfi_rows *rows)
{
	struct run run = {
		.program = program, .entry = entry, .reader = entry->program, .rows = rows,
		.first_row = rows->count,
	};

	if (program->cie_number != entry->cie->number)
		run_cie(program, entry);
	program->rules = program->initial;
	if (program->is_bad_cie)
		run.reader.is_bad = true;
	run_all(&run);
	if (run.err || run.at == entry->bytes)
		return run.err;
	if (run.reader.is_bad)
		emit(&run, (struct unwind_row){ .kind = UNWIND_COMPLEX });
	else
		emit(&run, make_row(&run));
	return run.err;
}
