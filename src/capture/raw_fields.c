/* raw_fields.c - see raw_fields.h.
 *
 * Problem: the kernel describes a record by C declarations: with kernel typedefs, arrays in the
 * name or in the type, fields that are wider than their type (system calls' arguments are longs),
 * texts elsewhere in the record.
 *
 * Idea: all that is needed at each hit (place, width, sign, text) is determined once, when the
 * format is parsed. A type whose width is not known by name is read with the size that the file
 * says.
 *
 * A line of unknown form is skipped; the other fields are not affected.
 */
#include "capture/raw_fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG 0	/* the size of a long, which depends on the kernel */

struct number_type {
	const char *name;
	uint16_t size;
	bool is_signed;
};

/* Types in wider fields, and in arrays, for which the file does not say the size of an element. */
static const struct number_type number_types[] = {
	{ "char", 1, true },	      { "signed char", 1, true },    { "unsigned char", 1, false },
	{ "s8", 1, true },	      { "u8", 1, false },	     { "__u8", 1, false },
	{ "bool", 1, false },	      { "uint8_t", 1, false },	     { "short", 2, true },
	{ "unsigned short", 2, false }, { "s16", 2, true },	     { "u16", 2, false },
	{ "__u16", 2, false },	      { "__be16", 2, false },	     { "umode_t", 2, false },
	{ "uint16_t", 2, false },     { "int", 4, true },	     { "unsigned int", 4, false },
	{ "unsigned", 4, false },     { "s32", 4, true },	     { "u32", 4, false },
	{ "__s32", 4, true },	      { "__u32", 4, false },	     { "__be32", 4, false },
	{ "int32_t", 4, true },	      { "uint32_t", 4, false },	     { "pid_t", 4, true },
	{ "uid_t", 4, false },	      { "gid_t", 4, false },	     { "qid_t", 4, false },
	{ "key_t", 4, true },	      { "mqd_t", 4, true },	     { "clockid_t", 4, true },
	{ "timer_t", 4, true },	      { "key_serial_t", 4, true },   { "rwf_t", 4, true },
	{ "long", LONG, true },	      { "unsigned long", LONG, false },
	{ "s64", 8, true },
	{ "u64", 8, false },	      { "__s64", 8, true },	     { "__u64", 8, false },
	{ "long long", 8, true },     { "unsigned long long", 8, false }, { "int64_t", 8, true },
	{ "uint64_t", 8, false },     { "loff_t", 8, true },	     { "size_t", LONG, false },
	{ "ssize_t", LONG, true },    { "off_t", LONG, true },
	{ "aio_context_t", LONG, false },
};

#define TEXT_TYPE "char"

static const struct number_type *find_type(const char *name)
{
	for (size_t i = 0; i < sizeof(number_types) / sizeof(number_types[0]); i++)
		if (strcmp(number_types[i].name, name) == 0)
			return &number_types[i];
	return NULL;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Splits "const char * name", "char comm[16]", "__data_loc u8[] buf" into type and name, the last
 * word; brackets after the name go to the type. @declaration ends at @end. */
static bool split_declaration(struct raw_field *field, const char *declaration, const char *end)
{
	const char *name, *name_end, *bracket = end;

	while (bracket > declaration && bracket[-1] == ']') {
		while (bracket > declaration && *--bracket != '[')
			;
		field->is_array = true;
	}
	name_end = name = bracket;
	while (name > declaration && is_name_char(name[-1]))
		name--;
	if (name == name_end || (size_t)(name_end - name) >= sizeof(field->name))
		return false;
	memcpy(field->name, name, (size_t)(name_end - name));
	while (name > declaration && name[-1] == ' ')
		name--;
	if (name == declaration)
		return false;
	snprintf(field->type, sizeof(field->type), "%.*s%.*s", (int)(name - declaration),
		 declaration, (int)(end - bracket), bracket);
	return true;
}

static bool take_number(const char *line, const char *end, const char *key, unsigned long max,
			unsigned long *number)
{
	const char *at = memmem(line, (size_t)(end - line), key, strlen(key));
	char *stop;

	if (!at)
		return false;
	at += strlen(key);
	if (!isdigit((unsigned char)*at))
		return false;
	*number = strtoul(at, &stop, 10);
	return *stop == ';' && *number <= max;
}

/* Writes the type of an element: without __data_loc or __rel_loc, and without brackets. */
static void name_element(const struct raw_field *field, char out[sizeof(field->type)])
{
	const char *begin = field->type;

	if (field->is_dynamic)
		begin += strcspn(begin, " ");
	begin += strspn(begin, " ");
	snprintf(out, sizeof(field->type), "%.*s", (int)strcspn(begin, "["), begin);
	for (size_t len = strlen(out); len > 0 && out[len - 1] == ' '; len--)
		out[len - 1] = '\0';
}

static uint16_t widest_number(size_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

static void settle_element(struct raw_field *field, uint32_t long_bytes)
{
	char element[sizeof(field->type)];
	const struct number_type *type;
	uint16_t type_size;

	field->is_relative = strncmp(field->type, "__rel_loc ", 10) == 0;
	field->is_dynamic = field->is_relative || strncmp(field->type, "__data_loc ", 11) == 0;
	name_element(field, element);
	type = find_type(element);
	type_size = (uint16_t)(type && type->size ? type->size : long_bytes);
	field->is_address = strchr(element, '*') != NULL;
	if (field->is_dynamic || field->is_array) {
		field->is_text = strcmp(element, TEXT_TYPE) == 0;
		/* A dynamic type always has brackets; it is an array if larger, or no text. */
		field->is_array = field->is_dynamic ? field->size > 4 || !field->is_text
						    : !field->is_text;
		field->element_size = type || field->is_address ? type_size
			: field->is_dynamic ? 8 : widest_number(field->size);
		field->is_signed = type && type->is_signed;
		return;
	}
	field->element_size = widest_number(field->size);
	if (type && type_size < field->element_size) {
		field->element_size = type_size;
		field->is_signed = type->is_signed;
	}
	field->is_array = field->size > 8;	/* a struct */
}

/* Parses "\tfield:DECLARATION;\toffset:8;\tsize:16;\tsigned:0;". */
static bool parse_field(struct raw_field *field, const char *line, const char *end,
			uint32_t long_bytes)
{
	const char *declaration = memmem(line, (size_t)(end - line), "field:", 6);
	const char *declaration_end;
	unsigned long offset, size, is_signed = 0;

	*field = (struct raw_field){ 0 };
	if (!declaration)
		return false;
	declaration += 6;
	declaration_end = memchr(declaration, ';', (size_t)(end - declaration));
	if (!declaration_end || !split_declaration(field, declaration, declaration_end) ||
	    !take_number(declaration_end, end, "offset:", UINT16_MAX, &offset) ||
	    !take_number(declaration_end, end, "size:", UINT16_MAX, &size))
		return false;
	take_number(declaration_end, end, "signed:", 1, &is_signed);	/* absent in old kernels */
	field->offset = (uint16_t)offset;
	field->size = (uint16_t)size;
	field->is_signed = is_signed;
	field->is_common = strncmp(field->name, "common_", 7) == 0;
	settle_element(field, long_bytes);
	return true;
}

static int add_field(struct raw_fields *fields, size_t *room, const struct raw_field *field)
{
	if (fields->count == *room) {
		const size_t more = *room ? *room * 2 : 16;
		struct raw_field *list = realloc(fields->list, more * sizeof(*list));

		if (!list)
			return -ENOMEM;
		fields->list = list;
		*room = more;
	}
	fields->list[fields->count++] = *field;
	return 0;
}

static int parse_lines(struct raw_fields *out, const char *format, uint32_t long_bytes)
{
	static const char print[] = "print fmt: ";
	struct raw_field field;
	size_t room = 0;
	const char *end;
	int err = 0;

	for (const char *line = format; *line && !err; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (strncmp(line, print, sizeof(print) - 1) == 0 && !out->symbolic) {
			out->symbolic = strndup(line + sizeof(print) - 1,
						(size_t)(end - line) - (sizeof(print) - 1));
			err = out->symbolic ? 0 : -ENOMEM;
		} else if (parse_field(&field, line, end, long_bytes)) {
			err = add_field(out, &room, &field);
		}
	}
	if (!err && !out->symbolic) {
		out->symbolic = strdup("");
		err = out->symbolic ? 0 : -ENOMEM;
	}
	return err;
}

int raw_fields_parse_foreign(struct raw_fields *out, const char *format, size_t bytes,
			     uint32_t long_bytes, struct diag *why)
{
	char *text = strndup(format, bytes);
	int err = text ? 0 : -ENOMEM;

	*out = (struct raw_fields){ 0 };
	if (!err)
		err = parse_lines(out, text, long_bytes);
	free(text);
	if (!err && out->count == 0)
		err = diag_set(why, -EBADMSG,
			       "the kernel's description of the event names no field");
	else if (err)
		diag_set(why, err, "no memory for the fields of an event");
	if (err)
		raw_fields_finish(out);
	return err;
}

int raw_fields_parse(struct raw_fields *out, const char *format, size_t bytes, struct diag *why)
{
	return raw_fields_parse_foreign(out, format, bytes, sizeof(long), why);
}

void raw_fields_finish(struct raw_fields *fields)
{
	free(fields->list);
	free(fields->symbolic);
	*fields = (struct raw_fields){ 0 };
}

void raw_fields_list(const struct raw_fields *fields, char *out, size_t room)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < fields->count && used < room; i++)
		if (!fields->list[i].is_common)
			used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
						 fields->list[i].name);
}

int raw_fields_find(const struct raw_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcmp(fields->list[i].name, name) == 0)
			return (int)i;
	return -1;
}

int raw_fields_add_view(struct raw_fields *fields, int index, const struct raw_field *as)
{
	struct raw_field view = *as;
	struct raw_field *list = realloc(fields->list, (fields->count + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	memcpy(view.name, list[index].name, sizeof(view.name));
	fields->list = list;
	list[fields->count] = view;
	return (int)fields->count++;
}

/* Place of the bytes of a field in its area. */
struct place {
	size_t offset, bytes;
};

static bool find_place(const struct raw_field *field, const unsigned char *raw, size_t raw_bytes,
		       struct place *out)
{
	const size_t end = (size_t)field->offset + (field->is_dynamic ? 4 : field->size);
	uint32_t where;

	if (end > raw_bytes)
		return false;
	*out = (struct place){ field->offset, field->size };
	if (field->is_dynamic) {
		memcpy(&where, raw + field->offset, sizeof(where));
		out->offset = (where & 0xffff) + (field->is_relative ? end : 0);
		out->bytes = where >> 16;
	} else if (field->size == 0) {	/* a flexible array takes the rest */
		out->bytes = raw_bytes - field->offset;
	}
	return out->offset + out->bytes <= raw_bytes;
}

/* Reads a little-endian number: stack_copy.c supports only little-endian machines. */
static uint64_t read_number(const unsigned char *at, size_t size, bool is_signed)
{
	uint64_t number = 0;

	memcpy(&number, at, size);
	if (is_signed && size < sizeof(number) && number >> (size * 8 - 1))
		number |= UINT64_MAX << (size * 8);
	return number;
}

bool raw_field_read(const struct raw_field *field, const void *raw, size_t raw_bytes,
		    struct raw_value *out)
{
	size_t size = field->element_size;
	struct place place;

	*out = (struct raw_value){ .is_text = field->is_text, .is_signed = field->is_signed };
	if (!find_place(field, raw, raw_bytes, &place) || place.bytes == 0)
		return false;
	if (field->is_text) {
		out->is_signed = false;
		out->text = (const char *)raw + place.offset;
		out->text_bytes = strnlen(out->text, place.bytes);
		return true;
	}
	if (field->is_array) {
		out->text = (const char *)raw + place.offset;
		out->text_bytes = place.bytes;
	}
	if (field->element) {
		if ((field->element + 1u) * size > place.bytes)
			return false;
		place.offset += field->element * size;
		place.bytes = size;
	}
	if (place.bytes < size)
		size = widest_number(place.bytes);
	out->number = read_number((const unsigned char *)raw + place.offset, size,
				  field->is_signed && !field->bits);
	if (field->bits)
		out->number = out->number >> field->first_bit &
			      UINT64_MAX >> (64 - field->bits);
	return true;
}

bool raw_fields_read(const struct raw_fields *fields, int index,
		     const struct record_sample *sample, struct raw_value *out)
{
	const struct raw_field *field;

	if (index < 0 || (size_t)index >= fields->count)
		return false;
	field = &fields->list[index];
	switch (field->area) {
	case AREA_REGISTERS:
		return raw_field_read(field, sample->intr_regs,
				      sample->intr_regs_count * sizeof(*sample->intr_regs), out);
	case AREA_STACK:
		return raw_field_read(field, sample->user_stack, sample->user_stack_bytes, out);
	default:
		return raw_field_read(field, sample->raw, sample->raw_bytes, out);
	}
}
