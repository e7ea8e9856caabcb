/* fetch_value.c - see elf/fetch_value.h. */
#include "elf/fetch_value.h"

#include <stdarg.h>
#include <stdio.h>
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
static bool is_behind_pointer(const char *type)
{
	return fetch_kind_of(type) == FETCH_TEXT || strchr(type, '[');
}

void fetch_value_put(struct fetch_value *out, const struct fetch_place *place, bool is_pointer,
		     const char *type)
{
	struct fetch_place at = *place;

	out->kind = fetch_kind_of(type);
	if (is_behind_pointer(type) && (is_pointer || !at.is_memory))
		at = fetch_follow(&at);
	if (!fetch_write(&at, type, out->fetch))
		fetch_value_refuse(out, "longer than the kernel takes");
}

void fetch_value_put_bits(struct fetch_value *out, const struct fetch_place *place,
			  uint32_t first_bit, uint32_t bits, uint64_t bytes)
{
	const uint64_t bit = (uint64_t)place->offset * 8 + first_bit;
	struct fetch_place word = *place;
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
	const struct fetch_place place = fetch_register(value);

	out->kind = fetch_kind_of(type[0] ? type : is_name ? "string" : WORD);
	if (is_behind_pointer(type) && value[0] == '%')
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
				   const char *type, bool at_begin, bool is_32_bit)
{
	struct fetch_place place;

	if (path->base == VALUE_VARIABLE)
		fetch_value_refuse(out, "no debug information: install its debug symbols, or use "
				   "$arg1");
	else if (!has_indices_only(path))
		fetch_value_refuse(out, "no debug information: members are unknown");
	else if (path->base == VALUE_ARGUMENT && is_32_bit)
		fetch_value_refuse(out, "a 32-bit program has its arguments on the stack: write "
				   "+4(%%sp)");
	else if (path->base == VALUE_ARGUMENT && !at_begin)
		fetch_value_refuse(out, "arguments are in their registers only where the function "
				   "begins");
	else {
		place = path->base == VALUE_RETURNED ? fetch_register("$retval")
						     : fetch_argument(path->number - 1);
		for (uint32_t i = 0; i < path->step_count; i++) {
			place = fetch_follow(&place);
			place.offset += (int64_t)path->steps[i].index * WORD_BYTES;
		}
		fetch_value_put(out, &place, true, type[0] ? type : WORD);
	}
}
