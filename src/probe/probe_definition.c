/* probe_definition.c - see probe/probe_definition.h. */
#include "probe/probe_definition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/field_view.h"

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
		snprintf(out->shown, sizeof(out->shown), "%s", out->place);
		return;
	}
	if (site->semaphore && !is_return)
		snprintf(semaphore, sizeof(semaphore), "(0x%" PRIx64 ")", site->semaphore);
	snprintf(out->place, sizeof(out->place), "/proc/self/fd/%d:0x%" PRIx64 "%s", places->file,
		 site->offset, semaphore);
	snprintf(out->shown, sizeof(out->shown), "%s:0x%" PRIx64, places->path, site->offset);
}

/* Returns fetch arguments for pairing: the stack pointer; at a user entry the return address, too,
 * since the kernel replaces it on the stack after the entry's record. */
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

static bool is_comparison(const struct probe_node *node)
{
	return node->kind != OPERATOR_NOT && node->kind != OPERATOR_AND &&
	       node->kind != OPERATOR_OR;
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
	if (!value || !value->fetch[0] || value->kind == VALUE_TEXT ||
	    value->meaning == MEANING_PORT)
		return false;
	if (node->is_pointed) {
		/* Without ".ustring" the kernel would read its own memory. */
		snprintf(node->name, sizeof(node->name), "%.40s%s", value->fetch,
			 strcmp(places->spec.group, "syscalls") == 0 ? ".ustring" : "");
		return true;
	}
	if (node->is_text || (places->spec.kind == PROBE_TRACEPOINT &&
			      places->spec.arguments[index].type[0]))
		return false;
	if (places->spec.kind == PROBE_TRACEPOINT)
		snprintf(node->name, sizeof(node->name), "%.*s", PROBE_CONDITION_NAME - 1,
			 value->fetch);
	else
		snprintf(node->name, sizeof(node->name), "a%u", index);
	return fits(node, fields);
}

bool probe_definition_asks_both_ends(const struct probe_places *places,
				     const struct probe_site *site)
{
	const struct probe_condition *condition = &places->spec.condition;

	if (places->spec.kind != PROBE_TRACEPOINT || !places->spec.end_name[0] ||
	    probe_spec_is_interval(&places->spec))
		return false;
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];
		const struct probe_fetch *value;
		uint32_t index;

		if (!is_comparison(node))
			continue;
		value = node->operand == OPERAND_VALUE ? value_of(site, node, &index) : NULL;
		if (!value || !value->is_of_both || value->kind == VALUE_TEXT || value->is_pointed)
			return false;
	}
	return condition->count > 0;
}

/* Prepares a part for the kernel. False: the analyzer must evaluate it. */
static bool rename_part(struct probe_condition *part, const struct probe_places *places,
			const struct probe_site *site, const struct raw_fields *fields)
{
	const bool is_pair = places->spec.edge == PROBE_LATENCY;
	char ignored[PROBE_FILTER_BYTES];

	for (uint32_t i = 0; i < part->count; i++) {
		const struct probe_node *node = &part->nodes[i];
		const struct probe_fetch *value;
		uint32_t index;

		if (is_pair && is_comparison(node) && node->operand == OPERAND_VALUE) {
			value = value_of(site, node, &index);
			if (!value || value->is_return)
				return false;
		} else if (is_pair && is_comparison(node) && node->operand != OPERAND_COMM) {
			return false;
		}
		if (!rename_operand(&part->nodes[i], places, site, fields))
			return false;
	}
	return probe_condition_kernel_text(part, ignored, sizeof(ignored));
}

bool probe_definition_filter(const struct probe_places *places, const struct probe_site *site,
			     const struct raw_fields *fields, char *out, size_t room,
			     struct probe_condition *rest)
{
	const struct probe_condition *whole = &places->spec.condition;
	struct probe_condition part, kernel = { .count = 0 };

	*rest = (struct probe_condition){ .count = 0 };
	if (places->spec.edge == PROBE_LATENCY && !probe_condition_has_pointed(whole) &&
	    !probe_definition_asks_both_ends(places, site))
		return false;
	for (uint32_t i = 0; probe_condition_part(whole, i, &part); i++) {
		struct probe_condition renamed = part;

		if (rename_part(&renamed, places, site, fields))
			probe_condition_join(&kernel, &renamed);
		else
			probe_condition_join(rest, &part);
	}
	return probe_condition_kernel_text(&kernel, out, room);
}

/* Returns the field of a tracepoint's value, adding one if it is read in another way than the
 * event's own. -1: there is none, or no memory for it. */
static int view_of(struct probe_stream *stream, const struct probe_spec *spec,
		   const struct probe_fetch *value, const struct probe_argument *argument)
{
	const char *group = value->is_return ? spec->end_group : spec->group;
	const char *name = value->is_return ? spec->end_name : spec->function;
	const int index = raw_fields_find(&stream->fields, value->fetch);
	char ignored[PROBE_REASON_BYTES];
	struct field_view view;
	int added;

	if (index < 0 || field_view_make(&view, &stream->fields, index, group, name, argument,
					 ignored, sizeof(ignored)))
		return -1;
	if (!argument->type[0] && !strchr(argument->value, '['))
		return index;
	added = raw_fields_add_view(&stream->fields, index, &view.field);
	return added < 0 ? -1 : added;
}

static int field_of(struct probe_stream *stream, const struct probe_places *places,
		    const struct probe_fetch *value, uint32_t index)
{
	char name[16];

	if (places->spec.kind == PROBE_TRACEPOINT)
		return view_of(stream, &places->spec, value, &places->spec.arguments[index]);
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
			.kind = value->kind, .meaning = value->meaning, .origin = value->origin,
			.is_return = value->is_return,
			.field = field_of(value->is_return ? &reading->leave : &reading->entry,
					  places, value, i),
		};
		memcpy(column->name, value->name, sizeof(column->name));
		memcpy(column->type, value->type, sizeof(column->type));
	}
}
