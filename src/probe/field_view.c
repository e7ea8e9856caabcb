/* field_view.c - see probe/field_view.h. */
#include "probe/field_view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct change {
	struct field_view *view;
	const char *type;	/* the type as typed */
	char *reason;
	size_t room;
};

static int refuse(const struct change *change, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static int refuse(const struct change *change, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(change->reason, change->room, format, args);
	va_end(args);
	return -EINVAL;
}

void field_view_name(const char *value, char *out, size_t room)
{
	snprintf(out, room, "%.*s", (int)strcspn(value, "["), value);
}

static enum probe_value_kind kind_of(const struct raw_fields *fields,
				     const struct raw_field *field, enum probe_meaning meaning)
{
	if (field->is_text || probe_meaning_is_text(meaning))
		return VALUE_TEXT;
	if (meaning == MEANING_WORDS || meaning == MEANING_SYSCALL || meaning == MEANING_PORT)
		return VALUE_NAMED;
	switch (raw_fields_print(fields, field)) {
	case PRINT_SYMBOL:  return VALUE_SYMBOL;
	case PRINT_POINTER: return VALUE_HEX;
	default:	    break;
	}
	if (field->is_address)
		return VALUE_HEX;
	return field->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* Bytes of the whole value; SIZE_MAX for a dynamic one, whose size is known only at each hit. */
static size_t bytes_of(const struct raw_field *field)
{
	return field->is_dynamic || !field->size ? SIZE_MAX : field->size;
}

static int take_element(const struct change *change, unsigned long element)
{
	struct raw_field *field = &change->view->field;

	if (!field->is_array)
		return refuse(change, "it is no array");
	if (element >= bytes_of(field) / field->element_size || element > UINT16_MAX)
		return refuse(change, "it has %zu elements, from [0] on",
			      bytes_of(field) / field->element_size);
	field->element = (uint16_t)element;
	field->is_array = false;
	change->view->meaning = MEANING_PLAIN;
	change->view->kind = field->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
	return 0;
}

static bool is_word(const struct raw_field *field)
{
	return !field->is_text && !field->is_array && !field->is_dynamic;
}

static int make_text(const struct change *change)
{
	struct raw_field *field = &change->view->field;

	if (is_word(field) && !field->element && field->size == sizeof(void *))
		return -ENOTSUP;
	if (!field->is_text && (!field->is_array || field->element_size != 1))
		return refuse(change, "it is a number, no text");
	field->is_text = true;
	field->is_array = false;
	change->view->meaning = MEANING_PLAIN;
	change->view->kind = VALUE_TEXT;
	return 0;
}

static int make_symbol(const struct change *change)
{
	const struct raw_field *field = &change->view->field;

	if (field->is_text || field->is_array || field->element_size != sizeof(void *))
		return refuse(change, "it is no address: those have 8 bytes");
	change->view->meaning = MEANING_PLAIN;
	change->view->kind = VALUE_SYMBOL;
	return 0;
}

/* "b3@4/32". */
static int make_bits(const struct change *change)
{
	struct raw_field *field = &change->view->field;
	unsigned int width, first, container;

	if (sscanf(change->type, "b%u@%u/%u", &width, &first, &container) != 3 ||
	    container / 8 > bytes_of(field) || field->is_text)
		return refuse(change, "it has %zu bytes", bytes_of(field));
	field->element_size = (uint16_t)(container / 8);
	field->first_bit = (uint8_t)first;
	field->bits = (uint8_t)width;
	field->is_array = field->is_signed = false;
	change->view->meaning = MEANING_PLAIN;
	change->view->kind = VALUE_UNSIGNED;
	return 0;
}

/* "x32", "u8[4]". */
static int make_number(const struct change *change)
{
	struct raw_field *field = &change->view->field;
	unsigned int bits = 0, count = 0;

	sscanf(change->type + 1, "%u[%u]", &bits, &count);
	if (field->is_text)
		return refuse(change, "it is a text");
	if (field->is_array && !count)
		return refuse(change, "it is an array: take %s[0], or a type with [N]",
			      field->name);
	if ((size_t)bits / 8 * (count ? count : 1) > bytes_of(field))
		return refuse(change, "it has %zu bytes", bytes_of(field));
	field->element_size = (uint16_t)(bits / 8);
	field->is_signed = change->type[0] == 's';
	change->view->meaning = MEANING_PLAIN;
	change->view->kind = change->type[0] == 'x' ? VALUE_HEX :
			     field->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
	if (!count)
		return 0;
	if (!field->is_dynamic)
		field->size = (uint16_t)(bits / 8 * count);
	field->is_array = true;
	change->view->meaning = bits == 8 ? MEANING_BYTES : MEANING_LIST;
	change->view->kind = VALUE_TEXT;
	return 0;
}

/* Views the field as one of the types of probe/probe_meaning.h, "ipv4" for instance. */
static int make_meaning(const struct change *change, enum probe_meaning meaning)
{
	static const uint8_t needed[] = {
		[MEANING_IPV4] = 4, [MEANING_IPV6] = 16, [MEANING_SOCKET_ADDRESS] = 8,
		[MEANING_UUID] = 16, [MEANING_MAC] = 6, [MEANING_PORT] = 2, [MEANING_ERRNO] = 1,
		[MEANING_SYSCALL] = 1,
	};
	struct raw_field *field = &change->view->field;
	const bool is_bytes = probe_meaning_is_text(meaning);

	if (bytes_of(field) < needed[meaning])
		return refuse(change, "it has %zu bytes, %s needs %u", bytes_of(field),
			      change->type, needed[meaning]);
	if (is_bytes ? is_word(field) && meaning != MEANING_IPV4 : !is_word(field))
		return refuse(change, "it is %s number", is_bytes ? "a" : "no");
	if (is_bytes && field->is_text) {	/* a char array that holds no text */
		field->is_text = false;
		field->is_array = true;
		field->element_size = 1;
	}
	/* A port whose type is not __be16 was put into host byte order by the event. */
	if (meaning == MEANING_PORT && !strstr(field->type, "be16"))
		meaning = MEANING_PLAIN;
	change->view->meaning = meaning;
	change->view->kind = is_bytes ? VALUE_TEXT :
			     meaning == MEANING_ERRNO ? VALUE_SIGNED : VALUE_NAMED;
	return 0;
}

static int make_type(const struct change *change)
{
	enum probe_meaning meaning;

	if (!change->type[0])
		return 0;
	if (probe_meaning_of_type(change->type, &meaning))
		return make_meaning(change, meaning);
	if (strcmp(change->type, "symbol") == 0)
		return make_symbol(change);
	if (strstr(change->type, "string"))
		return make_text(change);
	return change->type[0] == 'b' ? make_bits(change) : make_number(change);
}

static int mask(const struct change *change)
{
	if (!change->view->field.is_text)
		return refuse(change, "norm() masks texts, and it is none");
	change->view->meaning = MEANING_STATEMENT;
	return 0;
}

int field_view_make(struct field_view *out, const struct raw_fields *fields, int index,
		    const char *group, const char *name, const struct probe_argument *argument,
		    char *reason, size_t room)
{
	const struct raw_field *field = &fields->list[index];
	const struct change change = { out, argument ? argument->type : "", reason, room };
	const char *bracket = argument ? strchr(argument->value, '[') : NULL;
	int err = 0;

	*out = (struct field_view){ .field = *field };
	out->meaning = probe_meaning_of(fields, field, group, name);
	out->kind = kind_of(fields, field, out->meaning);
	if (bracket)
		err = take_element(&change, strtoul(bracket + 1, NULL, 0));
	if (!err)
		err = make_type(&change);
	return !err && argument && argument->is_masked ? mask(&change) : err;
}
