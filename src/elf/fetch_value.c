/* fetch_value.c - see elf/fetch_value.h. */
#include "elf/fetch_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD	   "x64"	/* type of a value whose type is unknown */
#define WORD_BYTES 8

void fetch_value_refuse(struct fetch_value *out, const char *format, ...)
{
	va_list args;

	out->fetch[0] = '\0';
	va_start(args, format);
	vsnprintf(out->reason, sizeof(out->reason), format, args);
	va_end(args);
}

/* Returns whether registers and variables hold only the address of a value of @type: strings and
 * arrays. */
static bool is_after_pointer(const char *type)
{
	return fetch_kind_of(type) == FETCH_TEXT || strchr(type, '[');
}

void fetch_value_put(struct fetch_value *out, const struct fetch_location *place, bool is_pointer,
		     const char *type)
{
	struct fetch_location at = *place;

	out->kind = fetch_kind_of(type);
	if (is_after_pointer(type) && (is_pointer || !at.is_memory))
		at = fetch_follow(&at);
	if (!fetch_write(&at, type, out->fetch))
		fetch_value_refuse(out, "longer than the kernel takes");
}

void fetch_value_put_bits(struct fetch_value *out, const struct fetch_location *place,
			  uint32_t first_bit, uint32_t bits, uint64_t bytes)
{
	const uint64_t bit = (uint64_t)place->offset * 8 + first_bit;
	struct fetch_location word = *place;
	char type[FETCH_TYPE_BYTES];
	uint64_t first;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
		fetch_value_refuse(out, "a bitfield of no known word");
		return;
	}
	first = bit % (bytes * 8);
	if (first + bits > bytes * 8) {
		fetch_value_refuse(out, "its bits lie in two words");
		return;
	}
	word.offset = (int64_t)(bit - first) / 8;	/* may be negative: below a frame pointer */
	snprintf(type, sizeof(type), "b%u@%u/%u", bits, (unsigned int)first,
		 (unsigned int)bytes * 8);
	fetch_value_put(out, &word, false, type);
}

void fetch_value_put_raw(struct fetch_value *out, const char *value, const char *type)
{
	const bool is_name = strcasecmp(value, "$comm") == 0;	/* fetched as a string */
	const char *colon = type[0] ? ":" : "";
	const struct fetch_location place = fetch_register(value);

	out->kind = fetch_kind_of(type[0] ? type : is_name ? "string" : WORD);
	if (is_after_pointer(type) && value[0] == '%')
		fetch_value_put(out, &place, true, type);
	else if (snprintf(out->fetch, sizeof(out->fetch), "%s%s%s", value, colon, type) >=
		 (int)sizeof(out->fetch))
		fetch_value_refuse(out, "longer than the kernel takes");
}

/* Returns whether @path has only indices, as "$arg2[1]": an array of words, like argv. */
static bool has_indices_only(const struct value_path *path)
{
	for (uint32_t i = 0; i < path->step_count; i++)
		if (path->steps[i].kind != VALUE_INDEX)
			return false;
	return true;
}

void fetch_value_put_by_convention(struct fetch_value *out, const struct value_path *path,
				   const char *type, bool at_begin, enum machine machine)
{
	struct fetch_location place;

	if (path->base == VALUE_VARIABLE)
		fetch_value_refuse(out, "no debug information: install its debug symbols, or use "
				   "$arg1");
	else if (!has_indices_only(path))
		fetch_value_refuse(out, "no debug information: members are unknown");
	else if (path->base == VALUE_ARGUMENT && machine == MACHINE_X86_32)
		fetch_value_refuse(out, "a 32-bit program has its arguments on the stack: write "
				   "+4(%%sp)");
	else if (path->base == VALUE_ARGUMENT && !fetch_argument_registers(machine))
		fetch_value_refuse(out, "a program for another CPU: its calling convention is "
				   "unknown");
	else if (path->base == VALUE_ARGUMENT && !at_begin)
		fetch_value_refuse(out, "arguments are in their registers only where the function "
				   "begins");
	else {
		place = path->base == VALUE_RETURNED ? fetch_register("$retval")
						     : fetch_argument(machine, path->number - 1);
		for (uint32_t i = 0; i < path->step_count; i++) {
			place = fetch_follow(&place);
			place.offset += (int64_t)path->steps[i].index * WORD_BYTES;
		}
		fetch_value_put(out, &place, true, type[0] ? type : WORD);
	}
}

#define INDEX_MAX    1000000u	/* keeps offsets far from overflow */
#define ARGUMENT_MAX 99u

static int misspelt(const char *text, struct diag *why)
{
	const struct fetch_location first = fetch_argument(MACHINE_OWN, 0);

	return diag_set(why, -EINVAL, "'%s' is no value: write name, a->b.c, arr[1], $arg1, "
			"$retval or a fetch argument such as +8(%s)", text, first.base);
}

/* Copies the name at *@at and advances past it. C++ and Rust names use no other characters. */
static bool take_name(const char **at, char out[VALUE_NAME_BYTES])
{
	size_t len = 0;

	if (!isalpha((unsigned char)**at) && **at != '_')
		return false;
	while (isalnum((unsigned char)(*at)[len]) || (*at)[len] == '_')
		len++;
	if (len >= VALUE_NAME_BYTES)
		return false;
	memcpy(out, *at, len);
	out[len] = '\0';
	*at += len;
	return true;
}

static bool take_number(const char **at, uint32_t most, uint32_t *out)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	number = strtoul(*at, &end, 10);
	if (number > most)
		return false;
	*out = (uint32_t)number;
	*at = end;
	return true;
}

static bool take_step(const char **at, struct value_step *step)
{
	if ((*at)[0] == '-' && (*at)[1] == '>') {
		step->kind = VALUE_ARROW;
		*at += 2;
		return take_name(at, step->name);
	}
	if (**at == '.') {
		step->kind = VALUE_DOT;
		++*at;
		return take_name(at, step->name);
	}
	if (**at != '[')
		return false;
	step->kind = VALUE_INDEX;
	++*at;
	if (!take_number(at, INDEX_MAX, &step->index) || **at != ']')
		return false;
	++*at;
	return true;
}

/* Reads the base of a path and advances past it; false: it is another kind of value. */
static bool take_base(struct value_path *out, const char **at)
{
	if (strncmp(*at, "$arg", 4) == 0 && isdigit((unsigned char)(*at)[4])) {
		out->base = VALUE_ARGUMENT;
		*at += 4;
		return take_number(at, ARGUMENT_MAX, &out->number) && out->number;
	}
	if (strncmp(*at, "$retval", 7) == 0) {
		out->base = VALUE_RETURNED;
		*at += 7;
		return true;
	}
	out->base = VALUE_VARIABLE;
	return take_name(at, out->name);
}

int value_path_parse(struct value_path *out, const char *text, struct diag *why)
{
	const char *at = text;

	*out = (struct value_path){ .base = VALUE_RAW };
	if (strchr("%+-@\\", text[0]) || strncmp(text, "$stack", 6) == 0 ||
	    strcmp(text, "$comm") == 0)
		return text[0] ? 0 : misspelt(text, why);
	if (!take_base(out, &at))
		return misspelt(text, why);
	while (*at) {
		if (out->step_count == VALUE_STEPS_MAX)
			return diag_set(why, -EINVAL, "'%s' goes over more than %d members", text,
					VALUE_STEPS_MAX);
		if (!take_step(&at, &out->steps[out->step_count++]))
			return misspelt(text, why);
	}
	return 0;
}

bool value_path_is_return(const char *text)
{
	return strstr(text, "$retval") != NULL;
}
