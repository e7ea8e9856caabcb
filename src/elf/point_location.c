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

#define STACK_POINTER 7		/* AMD64 registers by DWARF number */
#define FRAME_POINTER 6
#define VECTOR_REGISTERS 8	/* vector registers for arguments: AMD64 ABI, 3.2.3 */
#define RETURN_ADDRESS_BYTES 8	/* CFA - rsp at a function's first instruction */
#define SAVED_BYTES   16	/* CFA - rbp: return address and the caller's rbp */

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

	*base = (struct frame_base){ .reg = STACK_POINTER };
	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, at->vaddr, &ops, &count, 1) != 1 || count != 1)
		return false;
	base->is_unwritten = is_at_begin(at);
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		base->offset = RETURN_ADDRESS_BYTES;
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
	base->is_unknown = base->reg != FRAME_POINTER;
	base->reg = STACK_POINTER;
	base->offset += RETURN_ADDRESS_BYTES - SAVED_BYTES;
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

/* Returns the number of registers that the return value's hidden pointer takes: 0 or 1. */
static int hidden_registers(Dwarf_Die *function)
{
	Dwarf_Die type;

	if (!point_types_of(function, &type))
		return 0;
	switch (point_types_class(&type)) {
	case POINT_CLASS_MEMORY:
	case POINT_CLASS_REFERENCE:
		return 1;
	default:
		return 0;
	}
}

/* Adds what @param takes to *@taken; false: unknown. A parameter that needs two registers, when one
 * is left, goes to the stack and leaves that one to the next parameter. */
static bool count_registers(Dwarf_Die *param, struct taken *taken)
{
	Dwarf_Die type;

	if (!point_types_of(param, &type))
		return false;
	switch (point_types_class(&type)) {
	case POINT_CLASS_INTEGER:
	case POINT_CLASS_REFERENCE:
		taken->registers++;
		return true;
	case POINT_CLASS_TWO_INTEGERS:
		if (taken->registers + 2 <= FETCH_ARGUMENT_REGISTERS)
			taken->registers += 2;
		else
			taken->has_more_on_stack = true;
		return true;
	case POINT_CLASS_VECTOR:
		if (++taken->vectors > VECTOR_REGISTERS)
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
			 struct fetch_place *place)
{
	Dwarf_Die type;
	enum point_class class;

	if (!point_types_of(variable, &type))
		return refuse(at, "it has no type");
	class = point_types_class(&type);
	if (class == POINT_CLASS_VECTOR)
		return refuse(at, "a floating point number: probes fetch integers only");
	if (class != POINT_CLASS_INTEGER && class != POINT_CLASS_REFERENCE)
		return refuse(at, "passed by value in several registers");
	if (taken->registers >= FETCH_ARGUMENT_REGISTERS && taken->has_more_on_stack)
		return refuse(at, "on the stack, behind an argument of another size");
	*place = fetch_argument(taken->registers);
	if (class == POINT_CLASS_REFERENCE)
		*place = fetch_follow(place);
	return true;
}

/* Locates a parameter by the calling convention; valid only at the function's first instruction. */
static bool by_convention(const struct at *at, Dwarf_Die *variable, struct fetch_place *place)
{
	Dwarf_Die function = at->scope->function, child;
	struct taken taken = { .registers = (unsigned int)hidden_registers(&function) };

	if (dwarf_tag(variable) != DW_TAG_formal_parameter || dwarf_child(&function, &child) != 0)
		return refuse(at, "not set yet where the function begins");
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (is_same(&child, variable))
			return put_argument(at, variable, &taken, place);
		if (!count_registers(&child, &taken))
			break;
	} while (dwarf_siblingof(&child, &child) == 0);
	return refuse(at, "an argument before it is passed by value in several registers");
}

static bool put_register(const struct at *at, unsigned int number, struct fetch_place *place)
{
	const char *name = fetch_dwarf_register(number);

	if (!name)
		return refuse(at, "in a vector register, which probes can't read");
	*place = fetch_register(name);
	return true;
}

static bool put_memory(const struct at *at, unsigned int number, int64_t offset,
		       struct fetch_place *place)
{
	const char *name = fetch_dwarf_register(number);

	if (!name)
		return refuse(at, "its place is more than a probe can fetch");
	*place = fetch_memory(name, offset);
	return true;
}

/* Locates a static variable: "@+OFFSET", to which the kernel adds the mapping's address. */
static bool put_static(const struct at *at, uint64_t vaddr, struct fetch_place *place)
{
	uint64_t offset;

	if (at->job->query->is_of_kernel ||
	    !point_job_offset(at->job, at->scope->entry, &offset))
		return refuse(at, "a static variable, which a probe can't name here");
	*place = fetch_memory("@", (int64_t)(vaddr - at->scope->entry + offset));
	return true;
}

/* Locates a static variable whose address is in a table (DWARF 5); clang always uses one. */
static bool put_indexed(const struct at *at, const Dwarf_Op *op, Dwarf_Die *variable,
			struct fetch_place *place)
{
	Dwarf_Attribute location, address;
	Dwarf_Addr vaddr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &location) ||
	    dwarf_getlocation_attr(&location, op, &address) != 0 ||
	    dwarf_formaddr(&address, &vaddr) != 0)
		return refuse(at, "its place is more than a probe can fetch");
	return put_static(at, vaddr, place);
}

static bool put_frame(const struct at *at, int64_t offset, Dwarf_Die *variable,
		      struct fetch_place *place)
{
	struct frame_base base;

	if (!read_frame_base(at, &base))
		return refuse(at, "the frame of its function is unknown here");
	if (base.is_unwritten &&
	    (base.is_unknown || base.offset + offset < RETURN_ADDRESS_BYTES))
		return by_convention(at, variable, place);
	return put_memory(at, base.reg, base.offset + offset, place);
}

static bool put_constant(uint64_t number, struct fetch_place *place)
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

/* Evaluates the first operation of a location expression. */
static bool start(const struct at *at, const Dwarf_Op *op, Dwarf_Die *variable,
		  struct fetch_place *place)
{
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
	return refuse(at, "its place is more than a probe can fetch");
}

/* Evaluates the other operations: offset, dereference, DW_OP_stack_value. */
static bool go_on(const struct at *at, const Dwarf_Op *ops, size_t count,
		  struct fetch_place *place)
{
	bool is_value = false;

	for (size_t i = 1; i < count; i++) {
		if (ops[i].atom == DW_OP_plus_uconst && place->is_memory)
			place->offset += (int64_t)ops[i].number;
		else if (ops[i].atom == DW_OP_deref && place->is_memory)
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

/* Returns the address after an ENDBR64 at the function's start: clang's argument locations begin
 * there, and ENDBR64 changes none of them. */
static uint64_t behind_endbr(const struct at *at)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct elf_bytes code = { .at = NULL };
	uint64_t offset;

	if (is_at_begin(at) && point_job_offset(at->job, at->vaddr, &offset))
		code = elf_file_read_at(&at->job->object.elf, offset, sizeof(endbr64));
	if (code.at && code.count == sizeof(endbr64) &&
	    memcmp(code.at, endbr64, sizeof(endbr64)) == 0)
		return at->vaddr + sizeof(endbr64);
	return at->vaddr;
}

bool point_location_find(struct point_job *job, const struct point_scope *scope, uint64_t vaddr,
			 Dwarf_Die *variable, struct fetch_place *place, struct fetch_value *out)
{
	const struct at at = { job, scope, vaddr, out };
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	uint64_t constant;
	size_t count;

	if (job->object.elf.is_32_bit)
		return refuse(&at, "a 32-bit program: registers have other names");
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) &&
	    dwarf_formudata(&attribute, &constant) == 0)
		return put_constant(constant, place);
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return refuse(&at, "optimized away");
	if ((dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) != 1 || !count) &&
	    (dwarf_getlocation_addr(&attribute, behind_endbr(&at), &ops, &count, 1) != 1 || !count))
		return refuse(&at, "optimized away here");
	return start(&at, &ops[0], variable, place) && go_on(&at, ops, count, place);
}

bool point_location_of_return(const struct point_scope *scope, struct point_place *at,
			      struct fetch_value *out)
{
	Dwarf_Die function = scope->function;

	*at = (struct point_place){ .place = fetch_register("$retval"), .name = "$retval" };
	at->has_type = point_types_of(&function, &at->type);
	if (!at->has_type)
		return true;
	switch (point_types_class(&at->type)) {
	case POINT_CLASS_MEMORY:
	case POINT_CLASS_REFERENCE:
		at->place = fetch_follow(&at->place);	/* the hidden pointer is returned */
		return true;
	case POINT_CLASS_VECTOR:
		fetch_value_refuse(out, "a floating point number: probes fetch integers only");
		return false;
	case POINT_CLASS_INTEGER:
		return true;
	default:
		fetch_value_refuse(out, "returned by value in several registers");
		return false;
	}
}
