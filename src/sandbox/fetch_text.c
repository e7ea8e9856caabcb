/* fetch_text.c - see sandbox/probe_points.h. */
#include "sandbox/probe_points.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const x86_registers[] = {
	"%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp",
	"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

static const char *const aarch64_registers[] = {
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9", "%x10",
	"%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21",
	"%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30", "%sp",
};

/* The part of a machine's calling convention that a fetch argument needs. */
struct fetch_machine {
	const char *const *registers;	/* by DWARF number */
	unsigned int register_count;
	const uint8_t *arguments;	/* DWARF numbers */
	unsigned int argument_count;
	unsigned int first_word;	/* word of the stack with the first argument there */
};

static const uint8_t x86_arguments[] = { 5, 4, 1, 2, 8, 9 };
static const uint8_t aarch64_arguments[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const struct fetch_machine machines[MACHINES] = {
	/* Word 0 of the stack is the return address. */
	[MACHINE_X86_64] = { x86_registers, 16, x86_arguments, 6, 1 },
	[MACHINE_AARCH64] = { aarch64_registers, 32, aarch64_arguments, 8, 0 },
};

struct fetch_location fetch_register(const char *base)
{
	struct fetch_location place = { .is_memory = false };

	snprintf(place.base, sizeof(place.base), "%s", base);
	return place;
}

struct fetch_location fetch_memory(const char *base, int64_t offset)
{
	struct fetch_location place = fetch_register(base);

	place.is_memory = true;
	place.offset = offset;
	return place;
}

struct fetch_location fetch_symbol(const char *name, int64_t offset)
{
	struct fetch_location place = { .is_memory = true, .is_symbol = true, .offset = offset };
	const int used = snprintf(place.base, sizeof(place.base), "@%s", name);

	if (used < 0 || (size_t)used >= sizeof(place.base))
		place.base[0] = '\0';
	return place;
}

/* Writes @place without a type. Returns false if it has no location or does not fit. */
static bool write_place(const struct fetch_location *place, char out[FETCH_TEXT_BYTES])
{
	int used;

	if (!place->base[0])
		return false;
	if (!place->is_memory)
		used = snprintf(out, FETCH_TEXT_BYTES, "%s", place->base);
	else if (place->is_symbol && !place->offset)
		used = snprintf(out, FETCH_TEXT_BYTES, "%s", place->base);
	else if (place->is_symbol)
		used = snprintf(out, FETCH_TEXT_BYTES, "%s%+" PRId64, place->base, place->offset);
	else if (strcmp(place->base, "@") == 0)	/* "@+OFFSET": the kernel takes a file offset */
		used = snprintf(out, FETCH_TEXT_BYTES, "@%+" PRId64, place->offset);
	else
		used = snprintf(out, FETCH_TEXT_BYTES, "%+" PRId64 "(%s)", place->offset,
				place->base);
	return used > 0 && used < FETCH_TEXT_BYTES;
}

struct fetch_location fetch_follow(const struct fetch_location *place)
{
	struct fetch_location pointee = { .is_memory = true };

	if (!write_place(place, pointee.base))
		pointee.base[0] = '\0';
	return pointee;
}

bool fetch_write(const struct fetch_location *place, const char *type, char out[FETCH_TEXT_BYTES])
{
	char text[FETCH_TEXT_BYTES];
	int used;

	out[0] = '\0';
	if (!write_place(place, text))
		return false;
	used = snprintf(out, FETCH_TEXT_BYTES, "%s:%s", text, type);
	if (used > 0 && used < FETCH_TEXT_BYTES)
		return true;
	out[0] = '\0';
	return false;
}

const char *fetch_dwarf_register(enum machine machine, unsigned int number)
{
	return number < machines[machine].register_count ? machines[machine].registers[number]
							  : NULL;
}

unsigned int fetch_argument_registers(enum machine machine)
{
	return machines[machine].argument_count;
}

struct fetch_location fetch_argument(enum machine machine, unsigned int index)
{
	const struct fetch_machine *known = &machines[machine];
	char base[FETCH_TEXT_BYTES];

	if (index < known->argument_count)
		return fetch_register(known->registers[known->arguments[index]]);
	snprintf(base, sizeof(base), "$stack%u", index - known->argument_count + known->first_word);
	return fetch_register(base);
}

bool fetch_integer_type(char out[FETCH_TYPE_BYTES], char letter, uint64_t bytes)
{
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return false;
	snprintf(out, FETCH_TYPE_BYTES, "%c%u", letter, (unsigned int)bytes * 8);
	return true;
}

enum fetch_kind fetch_kind_of(const char *type)
{
	if (strstr(type, "str"))
		return FETCH_TEXT;
	if (strncmp(type, "symbol", 6) == 0)
		return FETCH_SYMBOL;
	if (type[0] == 's')
		return FETCH_SIGNED;
	return type[0] == 'x' ? FETCH_HEX : FETCH_UNSIGNED;
}
