/* probe_meaning.h - what a value means, beyond the number or the bytes that the kernel records: a
 * network address, a system call, an error, a symbolic name of its event, a masked statement.
 *
 * Use:    find the meaning once, with the point of a probe (probe_meaning_of_type(),
 *         probe_meaning_of()); format bytes as text at each hit (probe_meaning_write()), look up
 *         names of numbers when they are shown (probe_meaning_name()).
 * Source: ip(7), ipv6(7) "Address format"; syscalls(2) by libseccomp; errno(3).
 * Thread: any; pure.
 */
#ifndef PROBE_PROBE_MEANING_H
#define PROBE_PROBE_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/machine.h"
#include "capture/raw_fields.h"

enum probe_meaning {
	MEANING_PLAIN,		/* no special meaning: shown by its kind */
	/* Meanings of numbers: */
	MEANING_WORDS,		/* a number that the event names: raw_fields_name() */
	MEANING_SYSCALL,	/* "futex" */
	MEANING_ERRNO,		/* "EAGAIN" for -11; other numbers stay numbers */
	MEANING_PORT,		/* a port number in network byte order */
	/* Meanings whose value is shown as text made from its bytes: */
	MEANING_IPV4, MEANING_IPV6, MEANING_SOCKET_ADDRESS, MEANING_UUID, MEANING_MAC,
	MEANING_BYTES,		/* "7f 00 00 01" */
	MEANING_LIST,		/* "{1, 2, 3}": numbers wider than a byte */
	MEANING_STATEMENT,	/* a text in which numbers and quoted texts are masked */
};

/* Looks up @type, the type of an argument: "ipv4", "errno", ... False: it names no meaning. */
bool probe_meaning_of_type(const char *type, enum probe_meaning *out);
/* Returns the type in which the kernel fetches the value: "u32" for "ipv4"; @type itself if it
 * names no meaning. */
const char *probe_meaning_fetched_as(const char *type);
/* Returns the meaning of @field, for which no type was typed, in the event @group:@name. */
enum probe_meaning probe_meaning_of(const struct raw_fields *fields, const struct raw_field *field,
				    const char *group, const char *name);

/* True: values with this meaning are texts, made by probe_meaning_write(). */
bool probe_meaning_is_text(enum probe_meaning meaning);
/* Formats @value as text in @out[@room], terminated; returns its length; 0: too few bytes. */
size_t probe_meaning_write(enum probe_meaning meaning, const struct raw_field *field,
			   const struct raw_value *value, char *out, size_t room);

/* Writes the name of @number, a system call of @machine or an error. False: it has no name. */
bool probe_meaning_name(enum probe_meaning meaning, enum machine machine, uint64_t number,
			char *out, size_t room);
/* Finds the number for @name: -11 for "EAGAIN" and "-EAGAIN"; system calls are those of the machine
 * that flametop runs on. False: there is none. */
bool probe_meaning_number(enum probe_meaning meaning, const char *name, uint64_t *number);

#endif
