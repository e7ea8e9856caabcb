/* usdt_argument.c - see elf/fetch_value.h.
 *
 * Problem: the compiler writes one note per site ("copy") of a USDT probe, and each site has the
 * argument in its own location and form: "4@%r14d" at one, the constant "-4@$0" at another. The
 * records of all sites are read as one stream, so all must be fetched as one type.
 *
 * Idea: a constant takes any type that can hold it. Unsigned numbers of different sizes become 64
 * bits, with the kernel's bitfields, which extract the number from a word. The kernel can't
 * sign-extend: such a mixture is refused, and so are index registers.
 */
#include "elf/fetch_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERAND_BYTES 96

struct register_name {
	const char *fetch;		/* the kernel's name */
	const char *names[5];		/* names for 64, 32, 16, 8 bits, and the second byte */
};

static const struct register_name x86_registers[] = {
	{ "%ax", { "rax", "eax", "ax", "al", "ah" } },
	{ "%bx", { "rbx", "ebx", "bx", "bl", "bh" } },
	{ "%cx", { "rcx", "ecx", "cx", "cl", "ch" } },
	{ "%dx", { "rdx", "edx", "dx", "dl", "dh" } },
	{ "%si", { "rsi", "esi", "si", "sil", "" } },
	{ "%di", { "rdi", "edi", "di", "dil", "" } },
	{ "%bp", { "rbp", "ebp", "bp", "bpl", "" } },
	{ "%sp", { "rsp", "esp", "sp", "spl", "" } },
	{ "%r8", { "r8", "r8d", "r8w", "r8b", "" } },
	{ "%r9", { "r9", "r9d", "r9w", "r9b", "" } },
	{ "%r10", { "r10", "r10d", "r10w", "r10b", "" } },
	{ "%r11", { "r11", "r11d", "r11w", "r11b", "" } },
	{ "%r12", { "r12", "r12d", "r12w", "r12b", "" } },
	{ "%r13", { "r13", "r13d", "r13w", "r13b", "" } },
	{ "%r14", { "r14", "r14d", "r14w", "r14b", "" } },
	{ "%r15", { "r15", "r15d", "r15w", "r15b", "" } },
};

/* Returns the kernel's name of register @text ("%eax" -> "%ax"); NULL: no probe can read it. */
static const char *find_x86_register(const char *text)
{
	const size_t count = sizeof(x86_registers) / sizeof(x86_registers[0]);

	for (size_t i = 0; text[0] == '%' && i < count; i++)
		for (size_t size = 0; size < 4; size++)
			if (strcmp(text + 1, x86_registers[i].names[size]) == 0)
				return x86_registers[i].fetch;
	return NULL;
}

/* Parses "8(%rbp)" or "(%rax)". A fetch argument can't express index registers and symbols. */
static bool take_x86_memory(char *operand, struct fetch_location *place)
{
	char *open = strchr(operand, '('), *close = open ? strchr(open, ')') : NULL, *end;
	const char *base;
	long long offset;

	if (!close || close[1])
		return false;
	*close = '\0';
	base = find_x86_register(open + 1);
	*open = '\0';
	offset = strtoll(operand, &end, 0);
	if (!base || *end)
		return false;
	*place = fetch_memory(base, offset);
	return true;
}

/* Parses the whole of @text as a number. */
static bool take_number(struct usdt_argument *out, const char *text)
{
	char fetch[OPERAND_BYTES], *end;
	const long long number = strtoll(text, &end, 0);

	if (*end || end == text)
		return false;
	snprintf(fetch, sizeof(fetch), "\\%lld", number);
	out->place = fetch_register(fetch);
	out->number = number;
	return true;
}

static bool take_x86(struct usdt_argument *out, char *operand)
{
	const char *name = find_x86_register(operand);

	out->is_constant = operand[0] == '$';
	if (out->is_constant)
		return take_number(out, operand + 1);
	if (!name)
		return take_x86_memory(operand, &out->place);
	out->place = fetch_register(name);
	return true;
}

/* Parses "x0", "w12" or "sp" and sets *@name to the kernel's name. */
static bool find_aarch64_register(const char *text, const char **name)
{
	char *end;
	unsigned long number;

	*name = NULL;
	if (strcmp(text, "sp") == 0 || strcmp(text, "wsp") == 0) {
		*name = fetch_dwarf_register(MACHINE_AARCH64, 31);
	} else if ((text[0] == 'x' || text[0] == 'w') && text[1] >= '0' && text[1] <= '9') {
		number = strtoul(text + 1, &end, 10);
		if (!*end && number <= 30)
			*name = fetch_dwarf_register(MACHINE_AARCH64, (unsigned int)number);
	}
	return *name != NULL;
}

/* Parses "[x0]", "[sp, 16]" or "[x29, #-8]". A fetch argument can't express index registers. */
static bool take_aarch64_memory(char *operand, struct fetch_location *place)
{
	char *close = strchr(operand, ']'), *comma = strchr(operand, ','), *end;
	const char *base, *number = comma ? comma + 1 : "0";
	long long offset;

	if (operand[0] != '[' || !close || close[1])
		return false;
	*close = '\0';
	if (comma)
		*comma = '\0';
	number += strspn(number, " #");
	offset = strtoll(number, &end, 0);
	if (*end || end == number || !find_aarch64_register(operand + 1, &base))
		return false;
	*place = fetch_memory(base, offset);
	return true;
}

static bool take_aarch64(struct usdt_argument *out, char *operand)
{
	const char *name;
	const bool is_zero = strcmp(operand, "xzr") == 0 || strcmp(operand, "wzr") == 0;

	out->is_constant = is_zero || strchr("#-0123456789", operand[0]);
	if (out->is_constant)
		return take_number(out, is_zero ? "0" : operand + (operand[0] == '#'));
	if (!find_aarch64_register(operand, &name))
		return take_aarch64_memory(operand, &out->place);
	out->place = fetch_register(name);
	return true;
}

/* Parses the operand after the "N@" that gives its size. */
static void read_operand(struct usdt_argument *out, enum machine machine, char *operand)
{
	char shown[OPERAND_BYTES];

	snprintf(shown, sizeof(shown), "%s", operand);
	if (machine == MACHINE_AARCH64 ? take_aarch64(out, operand) : take_x86(out, operand))
		return;
	snprintf(out->reason, sizeof(out->reason), strchr(shown, ',')
		 ? "'%.32s' has an index register, which a uprobe event can't add"
		 : "its location '%.32s' is more than a uprobe event can fetch", shown);
}

static bool is_integer_size(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static void read_argument(struct usdt_argument *out, enum machine machine, char *text)
{
	char *at = strchr(text, '@');

	out->bytes = 8;
	if (at) {
		*at = '\0';
		out->is_signed = text[0] == '-';
		out->bytes = (uint32_t)strtoul(text + out->is_signed, NULL, 10);
	}
	out->has_size = at != NULL;
	if (at && !strchr(text, 'f') && !is_integer_size(out->bytes))
		snprintf(out->reason, sizeof(out->reason),
			 "%u bytes: probes fetch integers of 1, 2, 4 and 8", out->bytes);
	else if (at && strchr(text, 'f'))
		snprintf(out->reason, sizeof(out->reason),
			 "a floating point number: probes fetch integers only");
	else
		read_operand(out, machine, at ? at + 1 : text);
}

/* Returns the length of the argument at @text: brackets of AArch64 have blanks inside. */
static size_t length_of(const char *text)
{
	size_t len = strcspn(text, " ["), inside;

	if (text[len] != '[')
		return len;
	inside = strcspn(text + len, "]");
	return len + inside + strcspn(text + len + inside, " ");
}

bool usdt_argument_next(const char **at, enum machine machine, struct usdt_argument *out)
{
	char text[OPERAND_BYTES];
	size_t len;

	*out = (struct usdt_argument){ .bytes = 8 };
	while (**at == ' ')
		++*at;
	len = length_of(*at);
	if (!len)
		return false;
	if (len >= sizeof(text)) {
		snprintf(out->reason, sizeof(out->reason),
			 "its location is more than a uprobe event can fetch");
	} else {
		memcpy(text, *at, len);
		text[len] = '\0';
		read_argument(out, machine, text);
	}
	*at += len;
	return true;
}

/* The number type with which all copies of an argument are fetched. */
struct form {
	uint32_t bytes;
	bool is_signed;
	bool is_cut;		/* shorter numbers are extracted as bitfields, always unsigned */
};

/* Returns whether the form's size and sign can represent the constant. */
static bool holds(const struct form *form, int64_t number)
{
	const uint32_t bits = form->bytes * 8;

	if (!form->is_signed)
		return number >= 0 && (bits == 64 || (uint64_t)number >> bits == 0);
	return bits == 64 || (number >= -(INT64_C(1) << (bits - 1)) &&
			      number < INT64_C(1) << (bits - 1));
}

/* Chooses the form by the copies that are no constants, or by the constants if all are. Returns
 * false if signed numbers would have to be widened: a uprobe event widens only unsigned ones. */
static bool choose_form(const struct usdt_argument *copies, size_t count, bool by_constants,
			struct form *out)
{
	uint32_t shortest = UINT32_MAX, longest = 0;
	bool has_signed = false, has_unsigned = false;

	for (size_t i = 0; i < count; i++) {
		const uint32_t bytes = copies[i].bytes;

		if (copies[i].is_constant != by_constants)
			continue;
		shortest = bytes < shortest ? bytes : shortest;
		longest = bytes > longest ? bytes : longest;
		has_signed |= copies[i].is_signed;
		has_unsigned |= !copies[i].is_signed;
	}
	*out = (struct form){ .bytes = longest, .is_signed = has_signed };
	if (!longest)
		return choose_form(copies, count, true, out);
	if (by_constants ||
	    (shortest == longest && (!has_signed || !has_unsigned || longest == 8)))
		return true;
	*out = (struct form){ .bytes = 8, .is_cut = true };
	return !has_signed;
}

/* Widens the form to represent the constant @number. Returns false if no form can. */
static bool add_constant(struct form *form, bool has_variables, int64_t number)
{
	if (holds(form, number))
		return true;
	if (form->bytes == 8 || !has_variables) {
		form->bytes = 8;
		form->is_signed = true;
		return !form->is_cut;
	}
	form->bytes = 8;
	form->is_cut = true;
	return !form->is_signed && number >= 0;
}

static bool find_form(const struct usdt_argument *copies, size_t count, struct form *out)
{
	bool is_there, has_variables = false;

	for (size_t i = 0; i < count; i++)
		has_variables |= !copies[i].is_constant;
	is_there = choose_form(copies, count, false, out);
	for (size_t i = 0; i < count && is_there; i++)
		if (copies[i].is_constant)
			is_there = add_constant(out, has_variables, copies[i].number);
	return is_there;
}

static void fetch_as(const struct usdt_argument *argument, const struct form *form,
		     struct fetch_value *out)
{
	char type[FETCH_TYPE_BYTES];

	/* A 64-bit word may be a pointer, so it is shown in hex. */
	fetch_integer_type(type, form->is_signed ? 's' : form->bytes == 8 ? 'x' : 'u', form->bytes);
	if (form->is_cut && !argument->is_constant && argument->bytes < form->bytes)
		snprintf(type, sizeof(type), "b%u@0/64", argument->bytes * 8);
	fetch_value_put(out, &argument->place, false, type);
	if (form->is_cut)
		out->kind = FETCH_UNSIGNED;
	if (argument->has_size)
		snprintf(out->type, sizeof(out->type), "%s%u bits",
			 form->is_signed ? "signed " : "", form->bytes * 8);
}

/* Returns why one of the copies can't be fetched; NULL: all can. */
static const char *refusal_of(const struct usdt_argument *copies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (copies[i].reason[0])
			return copies[i].reason;
	return NULL;
}

void usdt_argument_fetch(const struct usdt_argument *copies, size_t count, size_t index,
			 const char *wanted, struct fetch_value *out)
{
	const char *refusal = refusal_of(copies, count);
	struct form form;

	*out = (struct fetch_value){ .fetch = "" };
	if (refusal)
		fetch_value_refuse(out, "%s", refusal);
	else if (wanted[0])
		fetch_value_put(out, &copies[index].place, true, wanted);
	else if (!find_form(copies, count, &form))
		fetch_value_refuse(out, "its copies have different types, and a uprobe event widens"
				   " unsigned ones only");
	else
		fetch_as(&copies[index], &form, out);
}
