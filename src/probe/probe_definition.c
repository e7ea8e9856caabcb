/* probe_definition.c - see probe/probe_definition.h. */
#include "probe/probe_definition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum trace_type type_of(const struct probe_places *places, bool is_return)
{
	if (places->spec.kind == PROBE_KERNEL)
		return is_return ? TRACE_KRETPROBE : TRACE_KPROBE;
	return is_return ? TRACE_URETPROBE : TRACE_UPROBE;
}

/* The path in the definition is looked up by us, now: the descriptor leads to the very file that
 * was examined, also when its name is gone or means another file in our mount namespace. */
static void put_place(struct probe_definition *out, const struct probe_places *places,
		      const struct probe_site *site, bool is_return)
{
	char semaphore[32] = "";

	if (places->spec.kind == PROBE_KERNEL) {
		snprintf(out->place, sizeof(out->place), "%s+%" PRIu64, site->symbol,
			 site->offset);
		return;
	}
	if (site->semaphore && !is_return)
		snprintf(semaphore, sizeof(semaphore), "(0x%" PRIx64 ")", site->semaphore);
	snprintf(out->place, sizeof(out->place), "/proc/self/fd/%d:0x%" PRIx64 "%s", places->file,
		 site->offset, semaphore);
}

/* What pairs entries and returns; and the return address, as the kernel puts another in its place
 * once the entry is told. */
static const char *pair_fetch(const struct probe_places *places, bool is_return)
{
	if (places->spec.edge != PROBE_LATENCY)
		return "";
	return is_return || places->spec.kind == PROBE_KERNEL ? "sp=$stack"
							      : "sp=$stack ra=+0($stack):x64";
}

static bool is_fetched(const struct probe_fetch *value, bool is_return)
{
	return value->is_return == is_return && value->fetch[0];
}

int probe_definition_make(struct probe_definition *out, const struct probe_places *places,
			  const struct probe_site *site, bool is_return, struct diag *why)
{
	size_t length;

	*out = (struct probe_definition){
		.type = type_of(places, is_return),
		.max_active = is_return ? places->max_active : 0,
	};
	put_place(out, places, site, is_return);
	length = (size_t)snprintf(out->fetch_args, sizeof(out->fetch_args), "%s",
				  pair_fetch(places, is_return));
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

/* The value that the analyzer would take. NULL: it is none of this event's. */
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

static bool is_comparison(const struct probe_node *node)
{
	return node->kind != OPERATOR_NOT && node->kind != OPERATOR_AND &&
	       node->kind != OPERATOR_OR;
}

/* The kernel cuts the number to the field's size. */
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

/* Names the field where the kernel has the value. What can't be read is text there, "(fault)":
 * comparisons of texts stay with the analyzer. */
static bool rename_operand(struct probe_node *node, const struct probe_places *places,
			   const struct probe_site *site, const struct raw_fields *fields)
{
	const struct probe_fetch *value;
	uint32_t index;

	if (node->operand == OPERAND_CPU && node->number > INT32_MAX)
		return false;
	if (!is_comparison(node) ||
	    (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN))
		return true;
	value = value_of(site, node, &index);
	if (!value || !value->fetch[0] || value->kind == VALUE_TEXT)
		return false;
	if (places->spec.kind == PROBE_TRACEPOINT)
		snprintf(node->name, sizeof(node->name), "%.*s", PROBE_CONDITION_NAME - 1,
			 value->fetch);
	else
		snprintf(node->name, sizeof(node->name), "a%u", index);
	return fits(node, fields);
}

bool probe_definition_filter(const struct probe_places *places, const struct probe_site *site,
			     const struct raw_fields *fields, char *out, size_t room)
{
	struct probe_condition condition = places->spec.condition;

	if (places->spec.edge == PROBE_LATENCY)
		return false;
	for (uint32_t i = 0; i < condition.count; i++)
		if (!rename_operand(&condition.nodes[i], places, site, fields))
			return false;
	return probe_condition_kernel_text(&condition, out, room);
}

static int field_of(const struct probe_stream *stream, const struct probe_places *places,
		    const struct probe_fetch *value, uint32_t index)
{
	char name[16];

	if (places->spec.kind == PROBE_TRACEPOINT)
		return raw_fields_find(&stream->fields, value->fetch);
	snprintf(name, sizeof(name), "a%u", index);
	return raw_fields_find(&stream->fields, name);
}

void probe_definition_columns(struct probe_reading *reading, const struct probe_places *places)
{
	const struct probe_site *site = &places->sites[0];

	reading->entry.sp_field = raw_fields_find(&reading->entry.fields, "sp");
	reading->leave.sp_field = raw_fields_find(&reading->leave.fields, "sp");
	reading->entry.ra_field = raw_fields_find(&reading->entry.fields, "ra");
	reading->leave.ra_field = -1;
	reading->column_count = 0;
	for (uint32_t i = 0; i < site->value_count; i++) {
		const struct probe_fetch *value = &site->values[i];
		struct probe_column *column = &reading->columns[reading->column_count++];

		*column = (struct probe_column){
			.kind = value->kind, .origin = value->origin, .is_return = value->is_return,
			.field = field_of(value->is_return ? &reading->leave : &reading->entry,
					  places, value, i),
		};
		memcpy(column->name, value->name, sizeof(column->name));
		memcpy(column->type, value->type, sizeof(column->type));
	}
}
