/* fetch_text.c - see sandbox/fetch_text.h. */
#include "sandbox/fetch_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const dwarf_registers[] = {
	"%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp",
	"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

static const char *const argument_registers[FETCH_ARGUMENT_REGISTERS] = {
	"%di", "%si", "%dx", "%cx", "%r8", "%r9",
};

struct fetch_place fetch_register(const char *base)
{
	struct fetch_place place = { .is_memory = false };

	snprintf(place.base, sizeof(place.base), "%s", base);
	return place;
}

struct fetch_place fetch_memory(const char *base, int64_t offset)
{
	struct fetch_place place = fetch_register(base);

	place.is_memory = true;
	place.offset = offset;
	return place;
}

/* Writes @place without a type. Returns false if it has no location or does not fit. */
static bool write_place(const struct fetch_place *place, char out[FETCH_TEXT_BYTES])
{
	int used;

	if (!place->base[0])
		return false;
	if (!place->is_memory)
		used = snprintf(out, FETCH_TEXT_BYTES, "%s", place->base);
	else if (strcmp(place->base, "@") == 0)	/* "@+OFFSET": the kernel takes a file offset */
		used = snprintf(out, FETCH_TEXT_BYTES, "@%+" PRId64, place->offset);
	else
		used = snprintf(out, FETCH_TEXT_BYTES, "%+" PRId64 "(%s)", place->offset,
				place->base);
	return used > 0 && used < FETCH_TEXT_BYTES;
}

struct fetch_place fetch_follow(const struct fetch_place *place)
{
	struct fetch_place pointee = { .is_memory = true };

	if (!write_place(place, pointee.base))
		pointee.base[0] = '\0';
	return pointee;
}

bool fetch_write(const struct fetch_place *place, const char *type, char out[FETCH_TEXT_BYTES])
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

const char *fetch_dwarf_register(unsigned int number)
{
	return number < sizeof(dwarf_registers) / sizeof(dwarf_registers[0])
		       ? dwarf_registers[number] : NULL;
}

struct fetch_place fetch_argument(unsigned int index)
{
	char base[FETCH_TEXT_BYTES];

	if (index < FETCH_ARGUMENT_REGISTERS)
		return fetch_register(argument_registers[index]);
	/* Word 0 of the stack is the return address. */
	snprintf(base, sizeof(base), "$stack%u", index - FETCH_ARGUMENT_REGISTERS + 1);
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
