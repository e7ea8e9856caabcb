/* raw_fields.h - the fields of a tracepoint's or probe's raw record (PERF_SAMPLE_RAW), read by the
 * "format" file of its event; where there is no such file, what the rest of the record has of them.
 *
 * Source: Documentation/trace/events.rst "Event formats"; __data_loc: u32 length << 16 | offset
 *         from the record's begin; __rel_loc: from the field's end.
 * Trust:  format and record come from the kernel; texts in the record are foreign bytes. Every
 *         offset is checked against the record's size.
 * Thread: any.
 */
#ifndef CAPTURE_RAW_FIELDS_H
#define CAPTURE_RAW_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/event_record.h"

enum raw_area {
	AREA_RAW,		/* PERF_SAMPLE_RAW */
	AREA_REGISTERS,		/* PERF_SAMPLE_REGS_INTR, as its words lie */
	AREA_STACK,		/* PERF_SAMPLE_STACK_USER */
};

struct raw_field {
	char name[64];
	char type[64];		/* as the file says it: "unsigned int", "__data_loc char[]" */
	enum raw_area area;	/* what `offset` counts in */
	uint16_t offset, size;	/* bytes; of one element in `element_size` */
	uint16_t element_size;	/* bytes of one number: 1, 2, 4 or 8; of an array one element's, of
				 * __data_loc that of what it points to */
	uint16_t element;	/* which element of an array is the value; the first is 0 */
	uint8_t first_bit, bits;	/* the part of the number that is the value; bits 0: all */
	bool is_signed;
	bool is_text;		/* char[N], __data_loc char[], __rel_loc char[] */
	bool is_dynamic, is_relative;	/* __data_loc, __rel_loc */
	bool is_array;		/* not of text: the number is its `element` */
	bool is_address;	/* pointer: shown in hex */
	bool is_common;		/* common_type, common_pid ... */
};

struct raw_fields {
	struct raw_field *list;	/* owned */
	size_t count;
	char *symbolic;		/* owned: the "print fmt" line; "": there is none */
};

struct raw_value {
	bool is_text;
	bool is_signed;
	uint64_t number;	/* sign-extended when signed */
	const char *text;	/* BORROWED from the record; not terminated, not sanitized. Of an
				 * array all its bytes, beside the number; else NULL */
	size_t text_bytes;
};

/* 0, -EBADMSG (not a format file) or -ENOMEM. */
int raw_fields_parse(struct raw_fields *out, const char *format, size_t bytes, struct diag *why);
/* The same for a kernel whose longs and pointers have @long_bytes, 4 or 8. */
int raw_fields_parse_foreign(struct raw_fields *out, const char *format, size_t bytes,
			     uint32_t long_bytes, struct diag *why);
void raw_fields_finish(struct raw_fields *fields);	/* a zeroed one is fine */

/* Index of the field, -1: there is none. */
int raw_fields_find(const struct raw_fields *fields, const char *name);

/* The names of the event's own fields, ", " between, cut to @room. */
void raw_fields_list(const struct raw_fields *fields, char *out, size_t room);

/* Appends a field that reads the same bytes as field @index, but as @as says, and has its name.
 * Returns its index; -ENOMEM. Field numbers of before stay valid, pointers to fields do not. */
int raw_fields_add_view(struct raw_fields *fields, int index, const struct raw_field *as);

/* False: the record is too short for it, or the kernel could not read it (a text of no bytes). */
bool raw_field_read(const struct raw_field *field, const void *raw, size_t raw_bytes,
		    struct raw_value *out);

/* Field @index of @sample, wherever it lies. False: also when there is no such field. */
bool raw_fields_read(const struct raw_fields *fields, int index,
		     const struct record_sample *sample, struct raw_value *out);

/* What @number of that field is called by its event: the text that its print fmt line makes of it,
 * "READ", "S|D", "8,0" (a device). False: it has none. */
bool raw_fields_name(const struct raw_fields *fields, const struct raw_field *field,
		     uint64_t number, char *out, size_t room);
/* The number that the event calls @name; of flags one flag's. False: none of that name. */
bool raw_fields_number(const struct raw_fields *fields, const struct raw_field *field,
		       const char *name, uint64_t *number);
/* Whether the event has names for numbers of the field, if not for each. */
bool raw_fields_has_names(const struct raw_fields *fields, const struct raw_field *field);

/* How the event prints a field that is an address, or bytes that lie in the record: the letters
 * behind %p of Documentation/core-api/printk-formats.rst. */
enum raw_print {
	PRINT_NUMBER,		/* not by %p */
	PRINT_POINTER, PRINT_SYMBOL, PRINT_IPV4, PRINT_IPV6, PRINT_SOCKET_ADDRESS, PRINT_UUID,
	PRINT_MAC,
};
enum raw_print raw_fields_print(const struct raw_fields *fields, const struct raw_field *field);

#endif
