/* probe_meaning.h - what a value is, beyond the number or the bytes that the kernel brings: an
 * address of the network, a system call, an error, a word of its event, a masked statement.
 *
 * Use:    found once, when the place of a probe is (probe_meaning_of_type(), probe_meaning_of());
 *         bytes become text at each hit (probe_meaning_write()), numbers get their names when they
 *         are shown (probe_meaning_name()).
 * Source: ip(7), ipv6(7) "Address format"; syscalls(2) by libseccomp; errno(3).
 * Thread: any; pure.
 */
#ifndef PROBE_PROBE_MEANING_H
#define PROBE_PROBE_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/raw_fields.h"

enum probe_meaning {
	MEANING_PLAIN,		/* as its kind says */
	/* Numbers: */
	MEANING_WORDS,		/* the event has names for it: raw_fields_name() */
	MEANING_SYSCALL,	/* "futex" */
	MEANING_ERRNO,		/* "EAGAIN" for -11; what is no error stays a number */
	MEANING_PORT,		/* in network order */
	/* Texts, made of bytes: */
	MEANING_IPV4, MEANING_IPV6, MEANING_SOCKET_ADDRESS, MEANING_UUID, MEANING_MAC,
	MEANING_BYTES,		/* "7f 00 00 01" */
	MEANING_LIST,		/* "{1, 2, 3}": numbers wider than a byte */
	MEANING_STATEMENT,	/* a text whose numbers and quoted texts are masked */
};

/* "ipv4", "errno", ... of probe_argument.type. False: it is no such word. */
bool probe_meaning_of_type(const char *type, enum probe_meaning *out);
/* The type that the kernel is asked for where it fetches the value: "u32" for "ipv4"; @type itself
 * if it is no word of ours. */
const char *probe_meaning_fetched_as(const char *type);
/* What a field is whose type nobody typed, of the event @group:@name. */
enum probe_meaning probe_meaning_of(const struct raw_fields *fields, const struct raw_field *field,
				    const char *group, const char *name);

/* Whether its values are texts that probe_meaning_write() makes. */
bool probe_meaning_is_text(enum probe_meaning meaning);
/* Fills @out[@room], terminated; returns its length, 0: there are too few bytes. */
size_t probe_meaning_write(enum probe_meaning meaning, const struct raw_field *field,
			   const struct raw_value *value, char *out, size_t room);

/* What @number is called: system calls and errors. False: it has no name. */
bool probe_meaning_name(enum probe_meaning meaning, uint64_t number, char *out, size_t room);
/* The number of that name, of "EAGAIN" and "-EAGAIN" -11. False: there is none. */
bool probe_meaning_number(enum probe_meaning meaning, const char *name, uint64_t *number);

#endif
