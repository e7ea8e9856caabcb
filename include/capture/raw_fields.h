/* raw_fields.h - reads the fields of a tracepoint's or probe's raw record (PERF_SAMPLE_RAW) by the
 * "format" file of its event; without such a file fields can lie in registers and stack.
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
#include "capture/record.h"

enum raw_area {
	AREA_RAW,		/* PERF_SAMPLE_RAW */
	AREA_REGISTERS,		/* PERF_SAMPLE_REGS_INTR: the words in their order */
	AREA_STACK,		/* PERF_SAMPLE_STACK_USER */
};

struct raw_field {
	char name[64];
	char type[64];		/* as in the file: "unsigned int", "__data_loc char[]" */
	enum raw_area area;	/* the area that contains the field */
	uint16_t offset, size;	/* place in `area`, bytes */
	uint16_t element_size;	/* bytes of one number: 1, 2, 4 or 8; for an array and __data_loc
				 * the size of an element */
	uint16_t element;	/* index of the array element that is the value */
	uint8_t first_bit, bits;	/* bit field of the number that is the value; bits 0: all */
	bool is_signed;
	bool is_text;		/* char[N], __data_loc char[], __rel_loc char[] */
	bool is_dynamic, is_relative;	/* __data_loc, __rel_loc */
	bool is_array;		/* array of numbers: the value is its `element` */
	bool is_address;	/* pointer: shown in hex */
	bool is_common;		/* common_type, common_pid ... */
};

struct raw_fields {
	struct raw_field *list;	/* owned */
	size_t count;
	char *symbolic;		/* owned; the "print fmt" line; "": there is none */
};

struct raw_value {
	bool is_text;
	bool is_signed;
	uint64_t number;	/* sign-extended when signed */
	const char *text;	/* BORROWED from the record, not terminated, not sanitized: the
				 * text, or all bytes of an array; else NULL */
	size_t text_bytes;
};

/* Bits of the field common_flags of records that came in an interrupt: TRACE_FLAG_HARDIRQ, _SOFTIRQ
 * and _NMI. Source: include/linux/trace_events.h. */
#define RAW_IN_INTERRUPT (0x08 | 0x10 | 0x40)

/* Parses a format file of this kernel. Returns 0, -EBADMSG (not a format file) or -ENOMEM. */
int raw_fields_parse(struct raw_fields *out, const char *format, size_t bytes, struct diag *why);
/* Parses a format file of a kernel whose longs and pointers have @long_bytes, 4 or 8. */
int raw_fields_parse_foreign(struct raw_fields *out, const char *format, size_t bytes,
			     uint32_t long_bytes, struct diag *why);
void raw_fields_finish(struct raw_fields *fields);	/* a zeroed one is fine */

/* Returns the index of the field called @name; -1: there is none. */
int raw_fields_find(const struct raw_fields *fields, const char *name);

/* Writes the names of the event's own fields, separated by ", ", cut to @room. */
void raw_fields_list(const struct raw_fields *fields, char *out, size_t room);

/* Appends a copy of @as with the name of field @index, to read that field in another way. Returns
 * its index or -ENOMEM. Existing indices stay valid, pointers to fields do not. */
int raw_fields_add_view(struct raw_fields *fields, int index, const struct raw_field *as);

/* Reads a field. Returns false when the record is too short, or the kernel could not read the value
 * (a text of 0 bytes). */
bool raw_field_read(const struct raw_field *field, const void *raw, size_t raw_bytes,
		    struct raw_value *out);

/* Reads field @index from its area of @sample. Returns false also when there is no such field. */
bool raw_fields_read(const struct raw_fields *fields, int index,
		     const struct record_sample *sample, struct raw_value *out);

/* Writes the text that the event's print fmt line makes of @number in @field: "READ", "S|D", "8,0"
 * (a device). Returns false when there is none. */
bool raw_fields_name(const struct raw_fields *fields, const struct raw_field *field,
		     uint64_t number, char *out, size_t room);
/* Finds the number that the event calls @name, also a single flag. Returns false when there is
 * none. */
bool raw_fields_number(const struct raw_fields *fields, const struct raw_field *field,
		       const char *name, uint64_t *number);
/* Returns true when the event has names for at least some numbers of the field. */
bool raw_fields_has_names(const struct raw_fields *fields, const struct raw_field *field);

/* How the event prints a field that is an address, or bytes in the record: the letters after %p in
 * Documentation/core-api/printk-formats.rst. */
enum raw_print {
	PRINT_NUMBER,		/* not by %p */
	PRINT_POINTER, PRINT_SYMBOL, PRINT_IPV4, PRINT_IPV6, PRINT_SOCKET_ADDRESS, PRINT_UUID,
	PRINT_MAC,
};
enum raw_print raw_fields_print(const struct raw_fields *fields, const struct raw_field *field);

#endif
