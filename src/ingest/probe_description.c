/* probe_description.c - what a recording says of a probe: its spec as typed, how it is shown, its
 * values. See ingest/probe_state.h.
 *
 *	id 3
 *	spec lat:/bin/app:serve id=%di:s32 rc=$retval:s32
 *	name lat:app:serve
 *	dso app
 *	scope all processes
 *	stacks 1
 *	value signed plain typed - 0 <tab>id<tab>s32<tab>id		field, type, name
 *	value signed errno typed -rk 0 <tab>rc<tab>s32<tab>rc
 *
 * Flags of a value: r, it is of the return; c, a BPF program copied it; k, it has a bit in the word
 * of known values, in the order of the lines.
 *
 * Keys that are not known are skipped, so that later versions can add some.
 *
 * Trust: a description is a stranger's text. The spec goes through its own parser, and each name
 * through the sanitizer.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "ingest/probe_state.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const kinds[] = {
	[VALUE_SIGNED] = "signed", [VALUE_UNSIGNED] = "unsigned", [VALUE_HEX] = "hex",
	[VALUE_TEXT] = "text", [VALUE_SYMBOL] = "symbol", [VALUE_NAMED] = "named",
};

static const char *const meanings[] = {
	[MEANING_PLAIN] = "plain", [MEANING_WORDS] = "words", [MEANING_SYSCALL] = "syscall",
	[MEANING_ERRNO] = "errno", [MEANING_PORT] = "port", [MEANING_IPV4] = "ipv4",
	[MEANING_IPV6] = "ipv6", [MEANING_SOCKET_ADDRESS] = "sockaddr", [MEANING_UUID] = "uuid",
	[MEANING_MAC] = "mac", [MEANING_BYTES] = "bytes", [MEANING_LIST] = "list",
	[MEANING_STATEMENT] = "statement",
};

static const char *const origins[] = {
	[ORIGIN_TYPED] = "typed", [ORIGIN_DWARF] = "dwarf", [ORIGIN_BTF] = "btf",
	[ORIGIN_ABI] = "abi", [ORIGIN_FORMAT] = "format", [ORIGIN_NOTE] = "note",
	[ORIGIN_STAGE] = "stage",
};

/* Returns the index of @word among @words[@count]; -1: it is none of them. */
static int find_word(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && !strcmp(words[i], word))
			return (int)i;
	return -1;
}

/* A description while it is written: the longest spec, three names and all values have room. */
#define WRITTEN_BYTES 8192

struct writer {
	char text[WRITTEN_BYTES];
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void write_text(struct writer *out, const char *format, ...)
{
	const size_t room = sizeof(out->text) - out->used;
	va_list arguments;
	int len;

	va_start(arguments, format);
	len = vsnprintf(out->text + out->used, room, format, arguments);
	va_end(arguments);
	if (len > 0)
		out->used += (size_t)len < room ? (size_t)len : room - 1;
}

/* Writes "key text", in which no byte ends the line. */
static void write_line(struct writer *out, const char *key, const char *text)
{
	const size_t begin = out->used;

	write_text(out, "%s %s", key, text);
	for (size_t at = begin; at < out->used; at++)
		if (out->text[at] == '\n' || out->text[at] == '\t')
			out->text[at] = ' ';
	write_text(out, "\n");
}

static void write_value(struct writer *out, const struct probe_column *column, const char *field)
{
	write_text(out, "value %s %s %s -%s%s%s %u \t%s\t%s\t%s\n", kinds[column->kind],
		   meanings[column->meaning], origins[column->origin],
		   column->is_return ? "r" : "", column->is_copied ? "c" : "",
		   column->known_bit ? "k" : "", column->stage, field, column->type,
		   column->name);
}

char *probe_description_write(const struct probe_row *row, const struct probe_column *columns,
			      uint32_t count, const char (*fields)[PROBE_FIELD_BYTES])
{
	struct writer out = { .used = 0 };

	write_text(&out, "id %" PRIu32 "\n", row->id);
	write_line(&out, "spec", row->spec->text);
	write_line(&out, "name", row->name);
	write_line(&out, "dso", row->dso);
	write_line(&out, "scope", row->scope);
	write_text(&out, "stacks %d\n", row->with_stacks);
	for (uint32_t i = 0; i < count; i++)
		write_value(&out, &columns[i], fields[i]);
	return strdup(out.text);
}

/* A description while it is read. */
struct reader {
	struct probe_row *row;
	struct probe_reading *reading;
	bool has_spec;
	uint8_t known_bits;
};

static void copy_name(char *out, size_t room, const char *text, size_t bytes)
{
	sanitize_text(out, room, text, bytes);
}

/* 0, -EBADMSG or -ENOMEM. */
static int read_spec(struct reader *reader, const char *text, size_t bytes)
{
	struct probe_spec *spec;
	struct diag why = { .err = 0 };
	char line[PROBE_SPEC_BYTES];

	if (reader->has_spec || bytes >= sizeof(line))
		return -EBADMSG;
	memcpy(line, text, bytes);
	line[bytes] = '\0';
	spec = calloc(1, sizeof(*spec));
	if (!spec)
		return -ENOMEM;
	reader->row->spec = spec;
	reader->has_spec = true;
	return probe_spec_parse(spec, line, &why) ? -EBADMSG : 0;
}

static int read_value(struct reader *reader, const char *text, size_t bytes)
{
	struct probe_reading *reading = reader->reading;
	struct probe_column *column = &reading->columns[reading->column_count];
	char line[512], kind[16], meaning[16], origin[16], flags[8];
	char *field, *type, *name;
	int found[3];
	unsigned int stage;

	if (reading->column_count == PROBE_VALUES_MAX || bytes >= sizeof(line))
		return -EBADMSG;
	memcpy(line, text, bytes);
	line[bytes] = '\0';
	field = strchr(line, '\t');
	type = field ? strchr(field + 1, '\t') : NULL;
	name = type ? strchr(type + 1, '\t') : NULL;
	if (!name || sscanf(line, "%15s %15s %15s %7s %u", kind, meaning, origin, flags,
			    &stage) != 5)
		return -EBADMSG;
	*type++ = *name++ = '\0';
	found[0] = find_word(kinds, COUNT_OF(kinds), kind);
	found[1] = find_word(meanings, COUNT_OF(meanings), meaning);
	found[2] = find_word(origins, COUNT_OF(origins), origin);
	if (found[0] < 0 || found[1] < 0 || found[2] < 0 || stage >= PROBE_POINTS_MAX)
		return -EBADMSG;
	*column = (struct probe_column){
		.kind = (enum probe_value_kind)found[0], .meaning = (enum probe_meaning)found[1],
		.origin = (enum probe_origin)found[2], .is_return = strchr(flags, 'r'),
		.is_copied = strchr(flags, 'c'), .stage = (uint8_t)stage,
		.field = raw_fields_find(&reading->entry.fields, field + 1),
	};
	if (strchr(flags, 'k'))
		column->known_bit = ++reader->known_bits;
	copy_name(column->name, sizeof(column->name), name, strlen(name));
	copy_name(column->type, sizeof(column->type), type, strlen(type));
	reading->column_count++;
	return 0;
}

static int read_line(struct reader *reader, const char *line, size_t bytes)
{
	struct probe_row *row = reader->row;
	const char *space = memchr(line, ' ', bytes);
	const char *text = space ? space + 1 : line + bytes;
	const size_t left = (size_t)(line + bytes - text);
	char key[16];

	snprintf(key, sizeof(key), "%.*s", (int)(space ? space - line : (ptrdiff_t)bytes), line);
	if (!strcmp(key, "spec"))
		return read_spec(reader, text, left);
	if (!strcmp(key, "value"))
		return read_value(reader, text, left);
	if (!strcmp(key, "name"))
		copy_name(row->name, sizeof(row->name), text, left);
	else if (!strcmp(key, "dso"))
		copy_name(row->dso, sizeof(row->dso), text, left);
	else if (!strcmp(key, "scope"))
		copy_name(row->scope, sizeof(row->scope), text, left);
	else if (!strcmp(key, "stacks"))
		row->with_stacks = left && *text == '1';
	return 0;
}

int probe_description_read(const char *text, struct probe_row *row, struct probe_reading *reading)
{
	struct reader reader = { .row = row, .reading = reading };
	int err = 0;

	reading->known_field = raw_fields_find(&reading->entry.fields, PROBE_KNOWN_NAME);
	while (*text && !err) {
		const size_t bytes = strcspn(text, "\n");

		err = read_line(&reader, text, bytes);
		text += bytes + (text[bytes] == '\n');
	}
	return err || reader.has_spec ? err : -EBADMSG;
}

uint32_t probe_description_id(const char *text)
{
	uint32_t id;

	return sscanf(text, "id %" SCNu32, &id) == 1 ? id : 0;
}
