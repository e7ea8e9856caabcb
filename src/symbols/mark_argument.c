/* mark_argument.c - see symbols/mark_argument.h. */
#include "symbols/mark_argument.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERAND_BYTES 96

struct register_name {
	const char *fetch;		/* as kernels call it */
	const char *names[5];		/* of 64, 32, 16, 8 bits, and the second byte */
};

static const struct register_name registers[] = {
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

/* "%eax" whole -> "%ax"; NULL: no register that a probe can read. */
static const char *find_register(const char *text)
{
	for (size_t i = 0; text[0] == '%' && i < sizeof(registers) / sizeof(registers[0]); i++)
		for (size_t size = 0; size < 4; size++)
			if (strcmp(text + 1, registers[i].names[size]) == 0)
				return registers[i].fetch;
	return NULL;
}

/* "8(%rbp)", "(%rax)". Indices and symbols are not what a fetch argument can say. */
static bool take_memory(char *operand, struct fetch_place *place)
{
	char *open = strchr(operand, '('), *close = open ? strchr(open, ')') : NULL, *end;
	const char *base;
	long long offset;

	if (!close || close[1])
		return false;
	*close = '\0';
	base = find_register(open + 1);
	*open = '\0';
	offset = strtoll(operand, &end, 0);
	if (!base || *end)
		return false;
	*place = fetch_memory(base, offset);
	return true;
}

static bool take_operand(char *operand, struct fetch_place *place)
{
	const char *name = find_register(operand);
	char text[OPERAND_BYTES], *end;
	long long number;

	if (name) {
		*place = fetch_register(name);
		return true;
	}
	if (operand[0] != '$')
		return take_memory(operand, place);
	number = strtoll(operand + 1, &end, 0);
	if (*end || end == operand + 1)
		return false;
	snprintf(text, sizeof(text), "\\%lld", number);
	*place = fetch_register(text);
	return true;
}

static void read_argument(char *text, const char *wanted, struct fetch_value *out)
{
	char *at = strchr(text, '@'), type[FETCH_TYPE_BYTES] = "x64";
	const bool is_signed = text[0] == '-';
	struct fetch_place place;
	unsigned long bytes = 8;

	if (at) {
		*at = '\0';
		bytes = strtoul(text + is_signed, NULL, 10);
		/* A whole word may be a pointer as well: it is shown in hex. */
		fetch_integer_type(type, is_signed ? 's' : bytes == 8 ? 'x' : 'u', bytes);
		snprintf(out->type, sizeof(out->type), "%s%lu bits", is_signed ? "signed " : "",
			 bytes * 8);
	}
	if (strchr(text, 'f') && at)
		fetch_value_refuse(out, "a floating point number: probes fetch integers only");
	else if (!take_operand(at ? at + 1 : text, &place))
		fetch_value_refuse(out, "its place '%.40s' is more than a probe can fetch",
				   at ? at + 1 : text);
	else
		fetch_value_put(out, &place, true, wanted[0] ? wanted : type);
}

bool mark_argument_next(const char **at, const char *wanted, struct fetch_value *out)
{
	char text[OPERAND_BYTES];
	size_t len;

	*out = (struct fetch_value){ .fetch = "" };
	while (**at == ' ')
		++*at;
	len = strcspn(*at, " ");
	if (!len)
		return false;
	if (len >= sizeof(text)) {
		fetch_value_refuse(out, "its place is more than a probe can fetch");
	} else {
		memcpy(text, *at, len);
		text[len] = '\0';
		read_argument(text, wanted, out);
	}
	*at += len;
	return true;
}
