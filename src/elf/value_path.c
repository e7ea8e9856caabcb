/* value_path.c - see elf/value_path.h. */
#include "elf/value_path.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MAX    1000000u	/* keeps offsets far from overflow */
#define ARGUMENT_MAX 99u

static int misspelt(const char *text, struct diag *why)
{
	return diag_set(why, -EINVAL, "'%s' is no value: write name, a->b.c, arr[1], $arg1, "
			"$retval or a fetch argument such as +8(%%di)", text);
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
