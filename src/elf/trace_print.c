/* trace_print.c - worker side of sandbox/trace_texts.h. Everything here parses untrusted bytes.
 *
 * Each event has a libtraceevent of its own: formats of a recording may share an id, and then one
 * would print the records of the other. Plugins are never loaded: they are code that changes what
 * is printed from machine to machine.
 *
 * Trust: libtraceevent takes a record's offsets as they are. So a record is copied to the begin of
 * a larger block of zeros: a field that is said to lie beyond its end is empty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/whole_io.h"
#include "sandbox/trace_texts.h"

#define QUERY_BYTES_MAX (64u << 20)
/* An offset and a length in a record have 16 bits each. */
#define SCRATCH_BYTES (TRACE_RECORD_BYTES_MAX + 2 * 65536)
#define PAGE_BYTES 4096

struct printer_event {
	struct tep_handle *tep;		/* owned */
	struct tep_event *event;	/* NULL: its format can't be read */
};

struct trace_symbol {
	struct trace_query_symbol head;
	const char *name;
};

struct trace_printer {
	const unsigned char *at;	/* rest of the query */
	size_t left;
	struct printer_event *events;	/* owned */
	uint32_t event_count;
	struct trace_symbol *symbols;	/* owned; of the current record */
	uint32_t symbol_count;
	unsigned char *scratch;		/* owned; SCRATCH_BYTES */
	uint32_t scratch_used;
	char *reply;			/* owned */
	size_t used, room;
	struct diag *why;
};

/* Returns the next @count bytes and skips their padding; NULL: the query ends before. */
static const void *take(struct trace_printer *printer, size_t count)
{
	const size_t padded = (count + 7) / 8 * 8;
	const unsigned char *at = printer->at;

	if (padded > printer->left)
		return NULL;
	printer->at += padded;
	printer->left -= padded;
	return at;
}

/* Returns the next text of @count bytes with its terminator; NULL: there is none. */
static const char *take_text(struct trace_printer *printer, size_t count)
{
	const char *text = take(printer, count);

	return text && count && !text[count - 1] ? text : NULL;
}

static char *find_symbol(void *context, unsigned long long *address, char **module)
{
	struct trace_printer *printer = context;

	*module = NULL;
	for (uint32_t i = 0; i < printer->symbol_count; i++) {
		if (printer->symbols[i].head.address != *address)
			continue;
		*address = printer->symbols[i].head.start;
		return (char *)printer->symbols[i].name;
	}
	return NULL;
}

static int read_event(struct trace_printer *printer, struct printer_event *out)
{
	const struct trace_query_event *head = take(printer, sizeof(*head));
	const char *format = head ? take_text(printer, head->format_bytes) : NULL;
	const char *group = format ? take_text(printer, head->group_bytes) : NULL;

	if (!group)
		return diag_set(printer->why, -EBADMSG, "formats that end too early");
	out->tep = tep_alloc();
	if (!out->tep)
		return diag_set(printer->why, -ENOMEM, "no memory for formats");
	tep_set_long_size(out->tep, (int)head->long_bytes);
	tep_set_page_size(out->tep, PAGE_BYTES);
	tep_set_file_bigendian(out->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(out->tep, TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(out->tep, find_symbol, printer);
	if (tep_parse_event(out->tep, format, head->format_bytes - 1, group) == 0)
		out->event = tep_get_first_event(out->tep);
	return 0;
}

static int read_symbols(struct trace_printer *printer, uint32_t count)
{
	struct trace_symbol *bigger = realloc(printer->symbols, (count + 1) * sizeof(*bigger));

	if (!bigger)
		return diag_set(printer->why, -ENOMEM, "no memory for symbols");
	printer->symbols = bigger;
	for (printer->symbol_count = 0; printer->symbol_count < count; printer->symbol_count++) {
		struct trace_symbol *symbol = &bigger[printer->symbol_count];
		const struct trace_query_symbol *head = take(printer, sizeof(*head));

		symbol->name = head ? take_text(printer, head->name_bytes) : NULL;
		if (!symbol->name)
			return diag_set(printer->why, -EBADMSG, "symbols that end too early");
		symbol->head = *head;
	}
	return 0;
}

/* Appends a mark and a text without control over its bytes. */
static int append(struct trace_printer *printer, enum trace_mark mark, const char *text,
		  size_t bytes)
{
	const size_t kept = bytes < TRACE_TEXT_MAX - 1 ? bytes : TRACE_TEXT_MAX - 1;
	const size_t room = (printer->used + kept + 2) * 2;
	char *bigger;

	if (printer->room - printer->used < kept + 2) {
		bigger = realloc(printer->reply, room);
		if (!bigger)
			return diag_set(printer->why, -ENOMEM, "no memory for texts");
		printer->reply = bigger;
		printer->room = room;
	}
	printer->reply[printer->used++] = (char)mark;
	if (kept)
		memcpy(printer->reply + printer->used, text, kept);
	printer->used += kept;
	printer->reply[printer->used++] = '\0';
	return 0;
}

/* Returns whether the fields of @event with a place of their own lie in @bytes bytes. */
static bool has_fields(const struct tep_event *event, uint32_t bytes)
{
	const struct tep_format_field *field;

	for (field = event->format.common_fields; field; field = field->next)
		if (field->offset < 0 || field->size < 0 ||
		    (uint32_t)field->offset + (uint32_t)field->size > bytes)
			return false;
	for (field = event->format.fields; field; field = field->next)
		if (field->offset < 0 || field->size < 0 ||
		    (uint32_t)field->offset + (uint32_t)field->size > bytes)
			return false;
	return true;
}

static void copy_record(struct trace_printer *printer, const void *bytes, uint32_t count)
{
	if (printer->scratch_used > count)
		memset(printer->scratch + count, 0, printer->scratch_used - count);
	if (count)
		memcpy(printer->scratch, bytes, count);
	printer->scratch_used = count;
}

static int print_record(struct trace_printer *printer, const struct trace_query_record *head)
{
	const struct printer_event *event = &printer->events[head->event];
	struct tep_record record = {
		.cpu = head->cpu == UINT32_MAX ? 0 : (int)head->cpu, .size = (int)head->bytes,
		.record_size = (int)head->bytes, .data = printer->scratch,
	};
	struct trace_seq text;
	int err;

	if (!event->event || !has_fields(event->event, head->bytes) ||
	    tep_data_type(event->tep, &record) != event->event->id)
		return append(printer, TRACE_NOT_PRINTED, "", 0);
	trace_seq_init(&text);
	tep_print_event(event->tep, &text, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&text);
	err = text.state != TRACE_SEQ__GOOD
	      ? append(printer, TRACE_NOT_PRINTED, "", 0)
	      : append(printer, TRACE_PRINTED, text.buffer, strlen(text.buffer));
	trace_seq_destroy(&text);
	return err;
}

static int read_record(struct trace_printer *printer)
{
	const struct trace_query_record *head = take(printer, sizeof(*head));
	const void *bytes;
	int err;

	if (!head || head->event >= printer->event_count ||
	    head->bytes > TRACE_RECORD_BYTES_MAX || head->symbols > printer->left)
		return diag_set(printer->why, -EBADMSG, "records that end too early");
	err = read_symbols(printer, head->symbols);
	if (err)
		return err;
	bytes = take(printer, head->bytes);
	if (!bytes)
		return diag_set(printer->why, -EBADMSG, "a record that ends too early");
	copy_record(printer, bytes, head->bytes);
	return print_record(printer, head);
}

static int read_query(struct trace_printer *printer)
{
	const struct trace_query_header *header = take(printer, sizeof(*header));
	int err = 0;

	if (!header || header->events > TRACE_EVENTS_MAX || header->records > TRACE_RECORDS_MAX)
		return diag_set(printer->why, -EBADMSG, "no query of texts");
	printer->events = calloc(header->events + 1, sizeof(*printer->events));
	printer->scratch = calloc(1, SCRATCH_BYTES);
	if (!printer->events || !printer->scratch)
		return diag_set(printer->why, -ENOMEM, "no memory for formats");
	tep_set_loglevel(TEP_LOG_NONE);
	for (uint32_t i = 0; i < header->events && !err; i++)
		err = read_event(printer, &printer->events[printer->event_count++]);
	for (uint32_t i = 0; i < header->records && !err; i++)
		err = read_record(printer);
	return err;
}

static int read_all(int fd, unsigned char **out, size_t *count, struct diag *why)
{
	struct stat status;
	size_t got = 0;
	ssize_t part;

	if (fstat(fd, &status))
		return diag_set(why, -errno, "a query that can't be read");
	if (status.st_size > (off_t)QUERY_BYTES_MAX)
		return diag_set(why, -E2BIG, "more than %u MiB of records", QUERY_BYTES_MAX >> 20);
	*count = (size_t)status.st_size;
	*out = malloc(*count + 1);
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory for records");
	while (got < *count) {
		part = whole_pread(fd, *out + got, *count - got, (off_t)got);
		if (part <= 0)
			return diag_set(why, -EBADMSG, "a query that ends too early");
		got += (size_t)part;
	}
	return 0;
}

int trace_texts_print(int fd, void **bytes, size_t *count, struct diag *why)
{
	struct trace_printer printer = { .why = why };
	unsigned char *query = NULL;
	int err = read_all(fd, &query, &printer.left, why);

	printer.at = query;
	if (!err)
		err = read_query(&printer);
	for (uint32_t i = 0; i < printer.event_count; i++)
		tep_free(printer.events[i].tep);
	free(printer.events);
	free(printer.symbols);
	free(printer.scratch);
	free(query);
	if (err) {
		free(printer.reply);
		return err;
	}
	*bytes = printer.reply;
	*count = printer.used;
	return 0;
}
