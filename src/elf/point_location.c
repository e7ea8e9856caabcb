/* point_location.c - see point_location.h. Everything here parses untrusted bytes.
 *
 * Problem: at a function's first instruction unoptimized code still has its arguments in registers,
 * but debug information gives the stack location to which they will be stored. For that reason
 * perf(1) moves the probe after the prologue, which is not the entry that a return is paired with.
 *
 * Idea: at the first instruction the calling convention applies, whatever the optimizer did. So a
 * location in the function's own, still unwritten frame is replaced by the register in which the
 * argument arrives, counted by the types of the arguments before it. If these are uncertain (a
 * struct in mixed registers), the location is not guessed.
 */
#include "point_location.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR_REGISTERS 8	/* vector registers for arguments: AMD64 ABI, 3.2.3; AAPCS64, 6.1 */
#define MARK_BYTES    4
#define SAVED_BYTES   16	/* CFA - frame pointer: return address and the caller's pointer */

/* Registers by DWARF number, and what a call leaves on the stack. */
struct frame_convention {
	uint8_t stack_pointer, frame_pointer;
	uint8_t pushed_bytes;	/* CFA - stack pointer at a function's first instruction */
};

static const struct frame_convention conventions[MACHINES] = {
	[MACHINE_X86_64] = { 7, 6, 8 },
	[MACHINE_AARCH64] = { 31, 29, 0 },
};

/* A base address, register + offset, for offsets in the frame. */
struct frame_base {
	unsigned int reg;
	int64_t offset;
	bool is_unwritten;	/* at the first instruction: the own frame is not filled yet */
	bool is_unknown;	/* at the first instruction, and the base's address is unknown */
};

struct at {
	struct point_job *job;
	const struct point_scope *scope;
	uint64_t vaddr;
	struct fetch_value *out;
	enum machine machine;
	struct frame_convention convention;
};

static bool refuse(const struct at *at, const char *reason)
{
	fetch_value_refuse(at->out, "%s", reason);
	return false;
}

static bool is_at_begin(const struct at *at)
{
	return !at->scope->is_inlined && at->vaddr == at->scope->entry;
}

/* Reads the CFA from the unwind information, if it has the form "breg N, offset". */
static bool read_cfa(const struct at *at, struct frame_base *base)
{
	Dwarf_CFI *sources[] = { at->job->frames, dwarf_getcfi(at->job->dwarf) };
	bool is_found = false;

	for (size_t i = 0; i < 2 && !is_found; i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *ops;
		size_t count;

		if (!sources[i] || dwarf_cfi_addrframe(sources[i], at->vaddr, &frame) != 0)
			continue;
		if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) {
			is_found = true;
			if (ops[0].atom == DW_OP_bregx) {
				base->reg = (unsigned int)ops[0].number;
				base->offset = (int64_t)ops[0].number2;
			} else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
				base->reg = ops[0].atom - DW_OP_breg0;
				base->offset = (int64_t)ops[0].number;
			} else {
				is_found = false;
			}
		}
		free(frame);
	}
	return is_found;
}

/* Reads the frame base, to which DW_OP_fbreg is relative. */
static bool read_frame_base(const struct at *at, struct frame_base *base)
{
	Dwarf_Die function = at->scope->function;
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	*base = (struct frame_base){ .reg = at->convention.stack_pointer };
	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, at->vaddr, &ops, &count, 1) != 1 || count != 1)
		return false;
	base->is_unwritten = is_at_begin(at);
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		base->offset = at->convention.pushed_bytes;
		return base->is_unwritten || read_cfa(at, base);
	}
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		base->reg = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		base->reg = ops[0].atom - DW_OP_breg0;
	else
		return false;
	base->offset = ops[0].atom >= DW_OP_breg0 ? (int64_t)ops[0].number : 0;
	if (!base->is_unwritten)
		return true;
	base->is_unknown = base->reg != at->convention.frame_pointer;
	base->reg = at->convention.stack_pointer;
	base->offset += at->convention.pushed_bytes - SAVED_BYTES;
	return true;
}

static bool is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	return dwarf_dieoffset(a) == dwarf_dieoffset(b);
}

/* Registers and stack words that the arguments before one take. */
struct taken {
	unsigned int registers;	/* plus stack words after the registers are used up */
	unsigned int vectors;
	bool has_more_on_stack;	/* other stack arguments: later stack offsets are uncertain */
};

/* Returns the number of registers for arguments that the return value's hidden pointer takes: 0 or
 * 1. AArch64 has x8 for it, which is none of these. */
static int hidden_registers(const struct at *at, Dwarf_Die *function)
{
	Dwarf_Die type;

	if (at->machine == MACHINE_AARCH64 || !point_types_of(function, &type))
		return 0;
	switch (point_types_passing(&type, at->machine).class) {
	case POINT_CLASS_MEMORY:
	case POINT_CLASS_REFERENCE:
		return 1;
	default:
		return 0;
	}
}

/* Adds a parameter in @count registers for integers. One that needs two, when one is left, goes to
 * the stack; on AMD64 it leaves that one to the next parameter, on AArch64 nobody gets it. */
static void count_integers(const struct at *at, struct taken *taken, unsigned int count)
{
	const unsigned int most = fetch_argument_registers(at->machine);

	if (count == 1 || taken->registers + count <= most) {
		taken->registers += count;
		return;
	}
	taken->has_more_on_stack = true;
	if (at->machine == MACHINE_AARCH64 && taken->registers < most)
		taken->registers = most;
}

/* Returns whether the location of @param is that of a pointer to it: GCC has it so for C++ classes
 * that are copied by a constructor, and their types don't tell. */
static bool is_behind_pointer(const struct at *at, Dwarf_Die *param)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	return dwarf_attr_integrate(param, DW_AT_location, &attribute) &&
	       dwarf_getlocation_addr(&attribute, at->vaddr, &ops, &count, 1) == 1 &&
	       count == 2 && ops[0].atom == DW_OP_fbreg && ops[1].atom == DW_OP_deref;
}

static struct point_passing passing_of(const struct at *at, Dwarf_Die *param, Dwarf_Die *type)
{
	if (is_behind_pointer(at, param))
		return (struct point_passing){ .class = POINT_CLASS_REFERENCE, .registers = 1 };
	return point_types_passing(type, at->machine);
}

/* Adds what @param takes to *@taken; false: unknown. */
static bool count_registers(const struct at *at, Dwarf_Die *param, struct taken *taken)
{
	struct point_passing passing;
	Dwarf_Die type;

	if (!point_types_of(param, &type))
		return false;
	passing = passing_of(at, param, &type);
	switch (passing.class) {
	case POINT_CLASS_INTEGER:
	case POINT_CLASS_REFERENCE:
		if (passing.is_even && taken->registers < fetch_argument_registers(at->machine))
			taken->registers += taken->registers % 2;
		count_integers(at, taken, passing.registers);
		return true;
	case POINT_CLASS_VECTOR:
		taken->vectors += passing.registers;
		if (taken->vectors > VECTOR_REGISTERS)
			taken->has_more_on_stack = true;
		return true;
	case POINT_CLASS_MEMORY:
		taken->has_more_on_stack = true;
		return true;
	default:
		return false;
	}
}

static bool put_argument(const struct at *at, Dwarf_Die *variable, const struct taken *taken,
			 struct fetch_location *place)
{
	struct point_passing passing;
	Dwarf_Die type;

	if (!point_types_of(variable, &type))
		return refuse(at, "it has no type");
	passing = passing_of(at, variable, &type);
	if (passing.class == POINT_CLASS_VECTOR && passing.registers == 1)
		return refuse(at, "a floating point number: probes fetch integers only");
	if ((passing.class != POINT_CLASS_INTEGER && passing.class != POINT_CLASS_REFERENCE) ||
	    passing.registers != 1)
		return refuse(at, "passed by value in several registers");
	if (taken->registers >= fetch_argument_registers(at->machine) && taken->has_more_on_stack)
		return refuse(at, "on the stack, after an argument of another size");
	*place = fetch_argument(at->machine, taken->registers);
	if (passing.class == POINT_CLASS_REFERENCE && !is_behind_pointer(at, variable))
		*place = fetch_follow(place);
	return true;
}

/* Locates a parameter by the calling convention; valid only at the function's first instruction. */
static bool by_convention(const struct at *at, Dwarf_Die *variable, struct fetch_location *place)
{
	Dwarf_Die function = at->scope->function, child;
	struct taken taken = { .registers = (unsigned int)hidden_registers(at, &function) };

	if (dwarf_tag(variable) != DW_TAG_formal_parameter || dwarf_child(&function, &child) != 0)
		return refuse(at, "not set yet where the function begins");
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (is_same(&child, variable))
			return put_argument(at, variable, &taken, place);
		if (!count_registers(at, &child, &taken))
			break;
	} while (dwarf_siblingof(&child, &child) == 0);
	return refuse(at, "an argument before it is passed by value in several registers");
}

static bool put_register(const struct at *at, unsigned int number, struct fetch_location *place)
{
	const char *name = fetch_dwarf_register(at->machine, number);

	if (!name)
		return refuse(at, "in a vector register, which probes can't read");
	*place = fetch_register(name);
	return true;
}

static bool put_memory(const struct at *at, unsigned int number, int64_t offset,
		       struct fetch_location *place)
{
	const char *name = fetch_dwarf_register(at->machine, number);

	if (!name)
		return refuse(at, "its location is more than a probe can fetch");
	*place = fetch_memory(name, offset);
	return true;
}

/* Locates a static variable of the kernel: "@SYMBOL+OFFSET". The kernel takes the first symbol of
 * that name, its own before those of modules: it must be the only one, and none of a module. */
static bool put_kernel_static(const struct at *at, uint64_t vaddr, struct fetch_location *place)
{
	char name[POINT_NAME_BYTES];
	uint64_t begin;

	if (at->job->dso.elf.header.e_type == ET_REL)
		return refuse(at, "a static variable of a module, which a probe can't name");
	if (!point_symbols_variable(&at->job->dso.elf, vaddr, name, &begin))
		return refuse(at, "a static variable whose name is not unique, or one per CPU");
	*place = fetch_symbol(name, (int64_t)(vaddr - begin));
	return true;
}

/* Locates a static variable: "@+OFFSET", to which the kernel adds the mapping's address. */
static bool put_static(const struct at *at, uint64_t vaddr, struct fetch_location *place)
{
	uint64_t offset;

	if (at->job->query->is_of_kernel)
		return put_kernel_static(at, vaddr, place);
	if (!point_job_offset(at->job, at->scope->entry, &offset))
		return refuse(at, "a static variable, which a probe can't name here");
	*place = fetch_memory("@", (int64_t)(vaddr - at->scope->entry + offset));
	return true;
}

/* Locates a static variable whose address is in a table (DWARF 5); clang always uses one. */
static bool put_indexed(const struct at *at, const Dwarf_Op *op, Dwarf_Die *variable,
			struct fetch_location *place)
{
	Dwarf_Attribute location, address;
	Dwarf_Addr vaddr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &location) ||
	    dwarf_getlocation_attr(&location, op, &address) != 0 ||
	    dwarf_formaddr(&address, &vaddr) != 0)
		return refuse(at, "its location is more than a probe can fetch");
	return put_static(at, vaddr, place);
}

static bool put_frame(const struct at *at, int64_t offset, Dwarf_Die *variable,
		      struct fetch_location *place)
{
	struct frame_base base;

	if (!read_frame_base(at, &base))
		return refuse(at, "the frame of its function is unknown here");
	if (base.is_unwritten &&
	    (base.is_unknown || base.offset + offset < at->convention.pushed_bytes))
		return by_convention(at, variable, place);
	return put_memory(at, base.reg, base.offset + offset, place);
}

static bool put_constant(uint64_t number, struct fetch_location *place)
{
	char text[24];

	snprintf(text, sizeof(text), "\\%" PRId64, (int64_t)number);
	*place = fetch_register(text);
	return true;
}

static bool is_entry_value(unsigned int atom)
{
	return atom == DW_OP_entry_value || atom == DW_OP_GNU_entry_value;
}

/* Returns whether @op is about a register that the function has not set yet, although debug
 * information says from the first instruction on that the variable is there: clang counts from the
 * stack pointer that the function will have, and GCC for AArch64 copies the pointer to a large
 * struct into a register that has to be saved before. */
static bool is_unset(const struct at *at, const Dwarf_Op *op)
{
	const unsigned int number = op->atom - DW_OP_breg0;

	if (!is_at_begin(at) || op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
		return false;
	return number == at->convention.stack_pointer ||
	       (at->machine == MACHINE_AARCH64 &&
		number >= fetch_argument_registers(MACHINE_AARCH64));
}

/* Evaluates the first operation of a location expression. */
static bool start(const struct at *at, const Dwarf_Op *op, Dwarf_Die *variable,
		  struct fetch_location *place)
{
	if (is_unset(at, op))
		return by_convention(at, variable, place);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return put_register(at, op->atom - DW_OP_reg0, place);
	if (op->atom == DW_OP_regx)
		return put_register(at, (unsigned int)op->number, place);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return put_memory(at, op->atom - DW_OP_breg0, (int64_t)op->number, place);
	if (op->atom == DW_OP_fbreg)
		return put_frame(at, (int64_t)op->number, variable, place);
	if (op->atom == DW_OP_call_frame_cfa)
		return put_frame(at, 0, variable, place);
	if (op->atom == DW_OP_addr)
		return put_static(at, op->number, place);
	if (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index)
		return put_indexed(at, op, variable, place);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return put_constant(op->atom - DW_OP_lit0, place);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return put_constant(op->number, place);
	if (is_entry_value(op->atom))
		return refuse(at, "overwritten here: only where the function begins it is known");
	return refuse(at, "its location is more than a probe can fetch");
}

/* Evaluates the other operations: offset, dereference, DW_OP_stack_value. A register stands for the
 * word of memory to which it will be stored, if by_convention() has found it. */
static bool go_on(const struct at *at, const Dwarf_Op *ops, size_t count,
		  struct fetch_location *place)
{
	bool is_value = false;

	for (size_t i = 1; i < count; i++) {
		if (ops[i].atom == DW_OP_plus_uconst && place->is_memory)
			place->offset += (int64_t)ops[i].number;
		else if (ops[i].atom == DW_OP_deref && place->base[0] != '\\')
			*place = fetch_follow(place);
		else if (ops[i].atom == DW_OP_stack_value)
			is_value = true;
		else if (ops[i].atom == DW_OP_piece)
			return refuse(at, "split over several registers here");
		else
			return refuse(at, "computed here: its value is nowhere to be fetched");
	}
	if (!is_value || !place->is_memory)
		return true;
	/* The computed address is the value: fetchable only if it is a register's content. */
	if (place->offset)
		return refuse(at, "computed here: its value is nowhere to be fetched");
	place->is_memory = false;
	return true;
}

/* Returns whether @code is an instruction that marks a target of indirect calls: ENDBR64, BTI C, or
 * PACIASP, which is one, too. */
static bool is_mark(const unsigned char code[MARK_BYTES], enum machine machine)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const unsigned char bti_c[] = { 0x5f, 0x24, 0x03, 0xd5 };
	static const unsigned char paciasp[] = { 0x3f, 0x23, 0x03, 0xd5 };

	if (machine == MACHINE_AARCH64)
		return !memcmp(code, bti_c, MARK_BYTES) || !memcmp(code, paciasp, MARK_BYTES);
	return !memcmp(code, endbr64, MARK_BYTES);
}

/* Returns the address after such a mark at the function's start: clang's argument locations begin
 * there, and the mark changes none of them. */
static uint64_t after_mark(const struct at *at)
{
	struct elf_bytes code = { .at = NULL };
	uint64_t offset;

	if (is_at_begin(at) && point_job_offset(at->job, at->vaddr, &offset))
		code = elf_file_read_at(&at->job->dso.elf, offset, MARK_BYTES);
	if (code.at && code.count == MARK_BYTES && is_mark(code.at, at->machine))
		return at->vaddr + MARK_BYTES;
	return at->vaddr;
}

bool point_location_find(struct point_job *job, const struct point_scope *scope, uint64_t vaddr,
			 Dwarf_Die *variable, struct fetch_location *place, struct fetch_value *out)
{
	const enum machine machine = point_job_machine(job);
	const struct at at = { job, scope, vaddr, out, machine, conventions[machine] };
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	uint64_t constant;
	size_t count;

	if (job->dso.elf.is_32_bit)
		return refuse(&at, "a 32-bit program: registers have other names");
	if (!fetch_argument_registers(machine))
		return refuse(&at, "a program for another CPU: its registers are unknown");
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) &&
	    dwarf_formudata(&attribute, &constant) == 0) {
		out->is_located = true;
		return put_constant(constant, place);
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return refuse(&at, "optimized away");
	if ((dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) != 1 || !count) &&
	    (dwarf_getlocation_addr(&attribute, after_mark(&at), &ops, &count, 1) != 1 || !count))
		return refuse(&at, "optimized away here");
	out->is_located = start(&at, &ops[0], variable, place);
	return out->is_located && go_on(&at, ops, count, place);
}

bool point_location_of_return(const struct point_job *job, const struct point_scope *scope,
			      struct point_place *at, struct fetch_value *out)
{
	const enum machine machine = point_job_machine(job);
	Dwarf_Die function = scope->function;
	struct point_passing passing;

	*at = (struct point_place){ .place = fetch_register("$retval"), .name = "$retval" };
	at->has_type = point_types_of(&function, &at->type);
	if (!at->has_type)
		return true;
	passing = point_types_passing(&at->type, machine);
	if (passing.class == POINT_CLASS_MEMORY || passing.class == POINT_CLASS_REFERENCE) {
		at->place = fetch_follow(&at->place);	/* the hidden pointer is returned */
		if (machine == MACHINE_X86_64)
			return true;
		fetch_value_refuse(out, "returned in memory, whose address only the caller knows");
		return false;
	}
	if (passing.class == POINT_CLASS_INTEGER && passing.registers == 1)
		return true;
	if (passing.class == POINT_CLASS_VECTOR && passing.registers == 1)
		fetch_value_refuse(out, "a floating point number: probes fetch integers only");
	else
		fetch_value_refuse(out, "returned by value in several registers");
	return false;
}
