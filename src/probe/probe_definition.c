/* probe_definition.c - see probe/probe_definition.h. */
#include "probe/probe_definition.h"

#include <errno.h>
#include <inttypes.h>
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

	if (meaning == MEANING_SOCKET_ADDRESS && field->is_address && !field->is_array)
		return -ENOTSUP;
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

static enum trace_type type_of(const struct probe_point *point, bool is_at_return)
{
	if (point->spec.kind == PROBE_KERNEL)
		return is_at_return ? TRACE_KRETPROBE : TRACE_KPROBE;
	return is_at_return ? TRACE_URETPROBE : TRACE_UPROBE;
}

/* The path in the definition is looked up by us, now: the descriptor leads to the very file that
 * was examined, also when its name is gone or means another file in our mount namespace. */
static void put_point(struct probe_definition *out, const struct probe_point *point,
		      const struct probe_site *site, bool is_at_return)
{
	char semaphore[32] = "";

	if (point->spec.kind == PROBE_KERNEL) {
		snprintf(out->site, sizeof(out->site), "%s+%" PRIu64, site->symbol,
			 site->offset);
		snprintf(out->shown, sizeof(out->shown), "%s", out->site);
		return;
	}
	if (site->semaphore && !is_at_return)
		snprintf(semaphore, sizeof(semaphore), "(0x%" PRIx64 ")", site->semaphore);
	snprintf(out->site, sizeof(out->site), "/proc/self/fd/%d:0x%" PRIx64 "%s", point->file,
		 site->offset, semaphore);
	snprintf(out->shown, sizeof(out->shown), "%s:0x%" PRIx64, point->path, site->offset);
}

/* Where the return address is at the first instruction of a function. */
#ifdef __aarch64__
#define RETURN_ADDRESS "%x30"
#else
#define RETURN_ADDRESS "+0($stack)"
#endif

/* Returns fetch arguments for pairing the calls of one function: the stack pointer; at a user entry
 * the return address, too, since the kernel replaces it after the entry's record. */
static const char *pair_fetch(const struct probe_point *points, bool is_return)
{
	if (points->spec.edge != PROBE_LATENCY || points->spec.end.function[0])
		return "";
	return is_return || points->spec.kind == PROBE_KERNEL
		       ? "sp=$stack" : "sp=$stack ra=" RETURN_ADDRESS ":x64";
}

static bool is_fetched(const struct probe_fetch *value, bool is_return)
{
	return value->is_return == is_return && value->fetch[0];
}

int probe_definition_make(struct probe_definition *out, const struct probe_point *points,
			  const struct probe_site *site, bool is_return, struct diag *why)
{
	const struct probe_point *point = probe_point_of_edge(points, is_return);
	const bool is_at_return = probe_point_is_at_return(points, is_return);
	size_t length;

	*out = (struct probe_definition){
		.type = type_of(point, is_at_return),
		.max_active = is_at_return ? point->max_active : 0,
	};
	put_point(out, point, site, is_at_return);
	length = (size_t)snprintf(out->fetch_args, sizeof(out->fetch_args), "%s",
				  pair_fetch(points, is_return));
	for (uint32_t i = 0; i < site->value_count && length < sizeof(out->fetch_args); i++)
		if (is_fetched(&site->values[i], is_return))
			length += (size_t)snprintf(out->fetch_args + length,
						   sizeof(out->fetch_args) - length, "%sa%u=%s",
						   length ? " " : "", i, site->values[i].fetch);
	if (length >= sizeof(out->fetch_args))
		return diag_set(why, -E2BIG, "the arguments are too long for one probe: take some "
				"of them away");
	return 0;
}

/* Returns the value that the analyzer would use. NULL: this event has none. */
static const struct probe_fetch *value_of(const struct probe_site *site,
					  const struct probe_node *node, uint32_t *index)
{
	const struct probe_fetch *returned = NULL;

	for (uint32_t i = 0; i < site->value_count; i++) {
		const struct probe_fetch *value = &site->values[i];
		const bool is_named = strcmp(value->name, node->name) == 0;

		if (!is_named && (node->operand != OPERAND_RETURN || !value->is_return || returned))
			continue;
		returned = value;
		*index = i;
		if (is_named)
			break;
	}
	return returned;
}

/* True: the field can have the number. The kernel would cut it to the field's size. */
static bool fits(const struct probe_node *node, const struct raw_fields *fields)
{
	const int index = raw_fields_find(fields, node->name);
	const struct raw_field *field = index < 0 ? NULL : &fields->list[index];

	if (!field || field->is_text || field->is_array || field->is_dynamic)
		return false;
	if (field->size >= sizeof(node->number))
		return true;
	if (!field->is_signed)
		return !node->is_negative && node->number >> 8 * field->size == 0;
	return node->number >> (8 * field->size - 1) == 0;
}

/* Replaces the operand by the name of the field that has it. Unreadable texts are "(fault)" there:
 * comparisons of texts stay with the analyzer. */
static bool rename_operand(struct probe_node *node, const struct probe_point *points,
			   const struct probe_site *site, const struct raw_fields *fields,
			   bool is_second)
{
	const struct probe_fetch *value;
	uint32_t index;

	if (node->operand == OPERAND_CPU && node->number > INT32_MAX)
		return false;
	if (!probe_node_is_comparison(node) ||
	    (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN))
		return true;
	value = value_of(site, node, &index);
	if (!value || !value->fetch[0] || value->kind == VALUE_TEXT ||
	    value->meaning == MEANING_PORT)
		return false;
	if (node->is_pointed) {
		/* Without ".ustring" the kernel would read its own memory. */
		snprintf(node->name, sizeof(node->name), "%.40s%s", value->fetch,
			 strcmp(points->spec.group, "syscalls") == 0 ? ".ustring" : "");
		return true;
	}
	if (node->is_text || (points->spec.kind == PROBE_TRACEPOINT &&
			      points->spec.arguments[index].type[0]))
		return false;
	if (points->spec.kind == PROBE_TRACEPOINT)
		snprintf(node->name, sizeof(node->name), "%.*s", PROBE_CONDITION_NAME - 1,
			 is_second ? value->end_field : value->fetch);
	else
		snprintf(node->name, sizeof(node->name), "a%u", index);
	return fits(node, fields);
}

bool probe_definition_asks_both_ends(const struct probe_point *points,
				     const struct probe_site *site)
{
	const struct probe_condition *condition = &points->spec.condition;

	/* Filtered at both ends a path would be hit between them alone. */
	if (points->spec.kind != PROBE_TRACEPOINT || !points->end || points->spec.middle_count ||
	    points->end->spec.kind != PROBE_TRACEPOINT)
		return false;
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];
		const struct probe_fetch *value;
		uint32_t index;

		if (!probe_node_is_comparison(node))
			continue;
		value = node->operand == OPERAND_VALUE ? value_of(site, node, &index) : NULL;
		if (!value || !value->end_field[0] || value->kind == VALUE_TEXT ||
		    value->is_pointed)
			return false;
	}
	return condition->count > 0;
}

/* Prepares a part for the kernel. False: the analyzer must evaluate it. */
static bool rename_part(struct probe_condition *part, const struct probe_point *points,
			const struct probe_site *site, const struct raw_fields *fields,
			bool is_second)
{
	const bool is_pair = points->spec.edge == PROBE_LATENCY;
	char ignored[PROBE_FILTER_BYTES];

	for (uint32_t i = 0; i < part->count; i++) {
		const struct probe_node *node = &part->nodes[i];
		const bool is_comparison = probe_node_is_comparison(node);
		const struct probe_fetch *value;
		uint32_t index;

		if (is_pair && is_comparison && node->operand == OPERAND_VALUE) {
			value = value_of(site, node, &index);
			if (!value || value->is_return)
				return false;
		} else if (is_pair && is_comparison && node->operand != OPERAND_COMM) {
			return false;
		}
		if (!rename_operand(&part->nodes[i], points, site, fields, is_second))
			return false;
	}
	return probe_condition_kernel_text(part, ignored, sizeof(ignored));
}

bool probe_definition_filter(const struct probe_point *points, const struct probe_site *site,
			     const struct raw_fields *fields, bool is_second, char *out,
			     size_t room, struct probe_condition *rest)
{
	const struct probe_condition *whole = &points->spec.condition;
	struct probe_condition part, kernel = { .count = 0 };

	*rest = (struct probe_condition){ .count = 0 };
	if (points->spec.edge == PROBE_LATENCY && !probe_condition_has_pointed(whole) &&
	    !probe_definition_asks_both_ends(points, site))
		return false;
	for (uint32_t i = 0; probe_condition_part(whole, i, &part); i++) {
		struct probe_condition renamed = part;

		if (rename_part(&renamed, points, site, fields, is_second))
			probe_condition_join(&kernel, &renamed);
		else
			probe_condition_join(rest, &part);
	}
	return probe_condition_kernel_text(&kernel, out, room);
}

/* Adds the field of text @text, which a BPF program appends to the record. Returns its index; -1:
 * no memory. */
static int add_copied(struct probe_stream *stream, const struct probe_fetch *value, uint32_t text)
{
	const bool is_text = value->text.kind != SYSCALL_ADDRESS;
	const struct raw_field field = {
		.offset = (uint16_t)SYSCALL_TEXT_AT(text), .size = 4, .element_size = 1,
		.is_dynamic = true, .is_text = is_text, .is_array = !is_text,
	};
	const int added = raw_fields_add_view(&stream->fields, 0, &field);

	return added < 0 ? -1 : added;
}

static void add_entered(struct probe_stream *stream)
{
	const struct raw_field field = { .offset = SYSCALL_ADDRESS_AT, .size = 8,
					 .element_size = 8 };
	const int added = raw_fields_add_view(&stream->fields, 0, &field);

	stream->entered_field = added < 0 ? 0 : added;
}

static uint32_t texts_before(const struct probe_site *site, uint32_t index)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < index; i++)
		count += site->values[i].is_copied;
	return count;
}

/* Returns the field of a tracepoint's value, adding one if it is read in another way than the
 * event's own. -1: there is none, or no memory for it. */
static int view_of(struct probe_stream *stream, const struct probe_spec *spec,
		   const struct probe_fetch *value, const struct probe_argument *argument)
{
	const int index = raw_fields_find(&stream->fields, value->fetch);
	char ignored[PROBE_REASON_BYTES];
	struct field_view view;
	int added;

	if (index < 0 || field_view_make(&view, &stream->fields, index, spec->group,
					 spec->function, argument, ignored, sizeof(ignored)))
		return -1;
	if (!argument->type[0] && !strchr(argument->value, '['))
		return index;
	added = raw_fields_add_view(&stream->fields, index, &view.field);
	return added < 0 ? -1 : added;
}

static int field_of(struct probe_stream *stream, const struct probe_point *point, uint32_t index)
{
	const struct probe_fetch *value = &point->sites[0].values[index];
	char name[16];

	if (value->is_copied)
		return add_copied(stream, value, texts_before(&point->sites[0], index));
	if (point->spec.kind == PROBE_TRACEPOINT)
		return view_of(stream, &point->spec, value, &point->spec.arguments[index]);
	snprintf(name, sizeof(name), "a%u", index);
	return raw_fields_find(&stream->fields, name);
}

/* Returns the field of @point that joins it by spec.on[@index], whose name is @name there. */
static int key_of(const struct probe_stream *stream, const struct probe_point *point,
		  uint32_t index, const char *name)
{
	char value[16];

	if (point->spec.kind == PROBE_TRACEPOINT)
		return raw_fields_find(&stream->fields, name);
	snprintf(value, sizeof(value), "a%u", point->on_values[index]);
	return raw_fields_find(&stream->fields, value);
}

static void find_keys(struct probe_reading *reading, const struct probe_point *points)
{
	const struct probe_spec *spec = &points->spec;

	for (uint32_t i = 0; i < spec->on_count; i++) {
		reading->entry_keys[i] = key_of(&reading->entry, points, i, spec->on[i].begin);
		reading->leave_keys[i] = points->end ? key_of(&reading->leave, points->end, i,
							      spec->on[i].end) : -1;
		for (uint32_t k = 0; k < spec->middle_count; k++)
			reading->middle_keys[k][i] = key_of(&reading->middles[k],
							    points->middles[k], i,
							    spec->on[i].middles[k]);
	}
}

void probe_definition_columns(struct probe_reading *reading, const struct probe_point *points)
{
	const struct probe_site *site = &points->sites[0];

	reading->entry.sp_field = raw_fields_find(&reading->entry.fields, "sp");
	reading->leave.sp_field = raw_fields_find(&reading->leave.fields, "sp");
	reading->entry.ra_field = raw_fields_find(&reading->entry.fields, "ra");
	reading->leave.ra_field = -1;
	reading->column_count = 0;
	if (texts_before(site, site->value_count))
		add_entered(&reading->entry);
	find_keys(reading, points);
	for (uint32_t i = 0; i < points->spec.argument_count; i++) {
		const bool is_second = site->values[i].is_return;
		const struct probe_point *point = probe_point_of_edge(points, is_second);
		const struct probe_fetch *value = &point->sites[0].values[i];
		struct probe_column *column = &reading->columns[reading->column_count++];

		*column = (struct probe_column){
			.kind = value->kind, .meaning = value->meaning, .origin = value->origin,
			.is_return = value->is_return, .is_copied = value->is_copied,
			.stage = points->spec.arguments[i].stage,
		};
		if (!column->stage)
			column->field = field_of(is_second ? &reading->leave : &reading->entry,
						 point, i);
		if (value->is_copied && !is_second && probe_point_is_system_call(&points->spec))
			column->late_field = field_of(&reading->leave, point, i);
		if (column->late_field < 0)
			column->late_field = 0;
		memcpy(column->name, value->name, sizeof(column->name));
		memcpy(column->type, value->type, sizeof(column->type));
	}
}

static void stream_finish(struct probe_stream *stream)
{
	raw_fields_finish(&stream->fields);
	free(stream->ids);
}

void probe_reading_destroy(struct probe_reading *reading)
{
	if (!reading)
		return;
	stream_finish(&reading->entry);
	stream_finish(&reading->leave);
	for (uint32_t i = 0; i < PROBE_MIDDLES_MAX; i++)
		stream_finish(&reading->middles[i]);
	free(reading->names);
	free(reading);
}
