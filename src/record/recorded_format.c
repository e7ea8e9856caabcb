/* recorded_format.c - see recorded_format.h.
 *
 * Problem: readers want each tracepoint's format file. What a probe is made of is gone from tracefs
 * when it is removed, and its fields are called a0, a1 there.
 *
 * Idea: the fields of its raw bytes are known here, as its format file was parsed when it was
 * attached: a file is made of them that says the same, with the names that the values have, and
 * with the values that a recording adds (ingest/probe_state.h). A tracepoint is printed as the
 * kernel prints it, followed by what is added.
 */
#include "recorded_format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "byte_store.h"

/* A format while it is made. */
struct format {
	const struct probe_spec *spec;
	const struct probe_reading *reading;
	const struct raw_fields *fields;
	uint8_t added[PROBE_VALUES_MAX];	/* columns */
	uint32_t added_count;
};

static void format_init(struct format *format, const struct probe_row *row)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;

	*format = (struct format){
		.spec = row->spec, .reading = reading,
		.fields = &probe_reading_stream(reading)->fields,
	};
	format->added_count = probe_reading_added(reading, format->added);
}

void recorded_format_name(char *out, size_t room, const char *name)
{
	size_t len = 0;

	for (; name[len] && len + 1 < room; len++)
		out[len] = isalnum((unsigned char)name[len]) ? name[len] : '_';
	out[len] = '\0';
}

/* The bit of column @index among those that are added, plus 1; 0: it is a field. */
static uint32_t added_bit(const struct format *format, uint32_t index)
{
	for (uint32_t i = 0; i < format->added_count; i++)
		if (format->added[i] == index)
			return i + 1;
	return 0;
}

/* Writes the name of field @index: an argument of a probe is called as in the probe, not as in
 * tracefs. Copied bytes are not called as the pointer to them. */
static void write_field_name(char out[PROBE_FIELD_BYTES], const struct format *format, size_t index)
{
	const struct raw_field *field = &format->fields->list[index];
	const char *name = field->name;

	for (uint32_t i = 0; i < format->reading->column_count && !field->is_common; i++) {
		const struct probe_column *column = &format->reading->columns[i];

		if (!added_bit(format, i) && column->field == (int)index &&
		    (column->origin != ORIGIN_FORMAT || probe_field_is_copied(field)))
			name = column->name;
	}
	recorded_format_name(out, PROBE_FIELD_BYTES - sizeof("_text"), name);
	if (probe_field_is_copied(field))
		strcat(out, "_text");
}

/* True: the field is in the format. Copied bytes may be among the added values instead. */
static bool is_in_format(const struct format *format, size_t index)
{
	const struct raw_field *field = &format->fields->list[index];

	if (!probe_field_is_listed(format->fields, index))
		return false;
	for (uint32_t i = 0; i < format->reading->column_count && probe_field_is_copied(field); i++)
		if (format->reading->columns[i].field == (int)index && added_bit(format, i))
			return false;
	return true;
}

static bool is_field_name(const struct format *format, const char *name)
{
	char other[PROBE_FIELD_BYTES];

	for (size_t i = 0; i < format->fields->count; i++) {
		if (!is_in_format(format, i))
			continue;
		write_field_name(other, format, i);
		if (!strcmp(other, name))
			return true;
	}
	return false;
}

static bool is_added_text(const struct probe_column *column)
{
	return column->kind == VALUE_TEXT || probe_meaning_is_text(column->meaning);
}

/* Writes the name of the added column @index, which no field has. */
static void write_added_name(char out[PROBE_FIELD_BYTES], const struct format *format,
			     uint32_t index)
{
	const struct probe_column *column = &format->reading->columns[index];

	recorded_format_name(out, PROBE_FIELD_BYTES - sizeof("_value"), column->name);
	if (is_field_name(format, out))
		strcat(out, is_added_text(column) ? "_text" : "_value");
}

/* Writes "char comm[16]" for the name comm and the type "char[16]". */
static void add_declaration(struct byte_store *out, const struct raw_field *field, const char *name)
{
	const char *bracket = field->is_dynamic ? NULL : strchr(field->type, '[');

	if (probe_field_is_copied(field))
		byte_store_print(out, "__data_loc %s[] %s", field->is_text ? "char" : "u8", name);
	else if (bracket)
		byte_store_print(out, "%.*s %s%s", (int)(bracket - field->type), field->type, name,
				 bracket);
	else
		byte_store_print(out, "%s %s", field->type, name);
}

static void add_added(struct byte_store *out, const struct format *format)
{
	char name[PROBE_FIELD_BYTES];

	if (format->added_count)
		byte_store_print(out, "\tfield:u64 %s;\toffset:%d;\tsize:8;\tsigned:0;\n",
				 PROBE_KNOWN_NAME, PROBE_KNOWN_AT);
	for (uint32_t i = 0; i < format->added_count; i++) {
		const struct probe_column *column = &format->reading->columns[format->added[i]];
		const bool is_text = is_added_text(column);

		write_added_name(name, format, format->added[i]);
		byte_store_print(out, "\tfield:%s %s;\toffset:%zu;\tsize:%d;\tsigned:%d;\n",
				 is_text ? "__data_loc char[]"
				 : column->kind == VALUE_SIGNED ? "s64" : "u64", name,
				 PROBE_ADDED_AT(i), is_text ? 4 : 8,
				 !is_text && column->kind == VALUE_SIGNED);
	}
}

static void add_fields(struct byte_store *out, const struct format *format)
{
	const size_t by = PROBE_ADDED_BYTES(format->added_count);
	char name[PROBE_FIELD_BYTES];
	bool is_in_head = true;

	for (size_t i = 0; i < format->fields->count; i++) {
		const struct raw_field *field = &format->fields->list[i];

		if (!is_in_format(format, i))
			continue;
		if (is_in_head && !field->is_common) {
			byte_store_print(out, "\n");
			add_added(out, format);
		}
		is_in_head = field->is_common;
		byte_store_print(out, "\tfield:");
		write_field_name(name, format, i);
		add_declaration(out, field, name);
		byte_store_print(out, ";\toffset:%zu;\tsize:%u;\tsigned:%d;\n",
				 field->offset + (field->is_common ? 0 : by), field->size,
				 field->is_signed);
	}
	if (is_in_head)
		add_added(out, format);
}

/* A field of the print line. */
struct printed {
	char name[PROBE_FIELD_BYTES];
	bool is_text, is_dynamic, is_signed;
};

static bool find_printed(const struct format *format, size_t index, bool is_of_kernel,
			 struct printed *out)
{
	const struct raw_field *field = &format->fields->list[index];

	if (field->is_common || !is_in_format(format, index) ||
	    (!field->is_text && (field->is_array || field->is_dynamic)) ||
	    (is_of_kernel && !probe_field_is_copied(field)))
		return false;
	*out = (struct printed){ .is_text = field->is_text, .is_dynamic = field->is_dynamic,
				 .is_signed = field->is_signed };
	write_field_name(out->name, format, index);
	return true;
}

static void find_added(const struct format *format, uint32_t bit, struct printed *out)
{
	const struct probe_column *column = &format->reading->columns[format->added[bit]];
	const bool is_text = is_added_text(column);

	*out = (struct printed){ .is_text = is_text, .is_dynamic = is_text,
				 .is_signed = column->kind == VALUE_SIGNED };
	write_added_name(out->name, format, format->added[bit]);
}

/* Adds the field to both parts of the line. */
static void add_printed(struct byte_store *words, struct byte_store *values,
			const struct printed *field)
{
	byte_store_print(words, "%s%s=%s", words->count ? " " : "", field->name,
			 field->is_text ? "%s" : field->is_signed ? "%lld" : "0x%llx");
	if (field->is_text && field->is_dynamic)
		byte_store_print(values, ", __get_str(%s)", field->name);
	else
		byte_store_print(values, ", REC->%s", field->name);
}

/* Returns the quote that ends the text at the begin of @line; NULL: there is none. */
static const char *end_of_text(const char *line)
{
	if (*line++ != '"')
		return NULL;
	for (; *line && *line != '"'; line++)
		line += *line == '\\' && line[1];
	return *line ? line : NULL;
}

static void add_print(struct byte_store *out, const struct format *format)
{
	const char *line = format->spec->kind == PROBE_TRACEPOINT ? format->fields->symbolic : "";
	const char *end = line ? end_of_text(line) : NULL;
	struct byte_store words = { 0 }, values = { 0 };
	struct printed field;

	for (uint32_t i = 0; i < format->added_count; i++) {
		find_added(format, i, &field);
		add_printed(&words, &values, &field);
	}
	for (size_t i = 0; i < format->fields->count; i++)
		if (find_printed(format, i, end, &field))
			add_printed(&words, &values, &field);
	byte_store_add_zeros(&words, 1);
	byte_store_add_zeros(&values, 1);
	out->has_failed |= words.has_failed || values.has_failed;
	if (!out->has_failed && end)
		byte_store_print(out, "\nprint fmt: %.*s%s%s%s%s\n", (int)(end - line), line,
				 words.bytes[0] ? " " : "", (const char *)words.bytes, end,
				 (const char *)values.bytes);
	else if (!out->has_failed)
		byte_store_print(out, "\nprint fmt: \"%s\"%s\n", (const char *)words.bytes,
				 (const char *)values.bytes);
	byte_store_finish(&words);
	byte_store_finish(&values);
}

char *recorded_format_make(const struct probe_row *row, const char *name, uint64_t number)
{
	struct byte_store out = { 0 };
	struct format format;

	format_init(&format, row);
	byte_store_print(&out, "name: %s\nID: %" PRIu64 "\nformat:\n", name, number);
	add_fields(&out, &format);
	add_print(&out, &format);
	byte_store_add_zeros(&out, 1);
	if (out.has_failed)
		byte_store_finish(&out);
	return (char *)out.bytes;
}

char *recorded_format_describe(const struct probe_row *row)
{
	struct probe_column columns[PROBE_VALUES_MAX];
	char names[PROBE_VALUES_MAX][PROBE_FIELD_BYTES];
	const struct probe_reading *reading = row->generations[row->newest].reading;
	struct format format;

	if (!reading)
		return probe_description_write(row, NULL, 0, NULL);
	format_init(&format, row);
	for (uint32_t i = 0; i < reading->column_count; i++) {
		struct probe_column *column = &columns[i];

		*column = reading->columns[i];
		column->known_bit = (uint8_t)added_bit(&format, i);
		if (!column->known_bit) {
			write_field_name(names[i], &format, (size_t)column->field);
			continue;
		}
		write_added_name(names[i], &format, i);
		/* The value is added as it is shown. */
		if (probe_meaning_is_text(column->meaning) || column->meaning == MEANING_PORT ||
		    column->meaning == MEANING_WORDS)
			column->meaning = MEANING_PLAIN;
	}
	return probe_description_write(row, columns, reading->column_count,
				       (const char (*)[PROBE_FIELD_BYTES])names);
}
