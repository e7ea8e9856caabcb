/* fuzz_raw_fields.c - no format and no record makes a field be read outside the record.
 *
 * Input: | bytes of the record 1 | record | format |. A format that the input lacks is that of a
 * probe, so that records alone are tried, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/raw_fields.h"
#include "probe/probe_meaning.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char probe[] =
	"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] t;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc u64[] r;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:char x[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"print fmt: \"%s\", __print_flags(REC->a & ~8, \"|\", { 1, \"one\" }, { 2, \"two\" })\n";

static void read_meanings(const struct raw_fields *fields, const struct raw_field *field,
			  const struct raw_value *value)
{
	struct raw_value text = *value;
	uint64_t number;
	char out[32];

	raw_fields_print(fields, field);
	raw_fields_has_names(fields, field);
	raw_fields_number(fields, field, "one", &number);
	for (int meaning = MEANING_IPV4; meaning <= MEANING_STATEMENT; meaning++)
		if (probe_meaning_write((enum probe_meaning)meaning, field, &text, out,
					sizeof(out)) && !memchr(out, '\0', sizeof(out)))
			abort();
}

static void read_all(const struct raw_fields *fields, const uint8_t *raw, size_t raw_bytes)
{
	char name[16];

	for (size_t i = 0; i < fields->count; i++) {
		struct raw_value value;
		size_t sum = 0;

		if (!raw_field_read(&fields->list[i], raw, raw_bytes, &value))
			continue;
		for (size_t k = 0; value.is_text && k < value.text_bytes; k++)
			sum += (unsigned char)value.text[k];
		if (raw_fields_name(fields, &fields->list[i], value.number + sum, name,
				    sizeof(name)) && strlen(name) >= sizeof(name))
			abort();
		read_meanings(fields, &fields->list[i], &value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	size_t raw_bytes = count ? bytes[0] : 0;
	struct raw_fields fields;
	const char *format;
	uint8_t *raw;

	if (count < 1 + raw_bytes)
		return 0;
	raw = malloc(raw_bytes ? raw_bytes : 1);	/* a block of its own: its end is known */
	memcpy(raw, bytes + 1, raw_bytes);
	format = (const char *)bytes + 1 + raw_bytes;
	count -= 1 + raw_bytes;
	if (raw_fields_parse(&fields, count ? format : probe, count ? count : strlen(probe),
			     NULL) == 0)
		read_all(&fields, raw, raw_bytes);
	raw_fields_finish(&fields);
	free(raw);
	return 0;
}
