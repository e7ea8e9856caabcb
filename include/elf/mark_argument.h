/* mark_argument.h - argument strings in the notes of USDT probes -> fetch arguments:
 * "-4@%eax 8@-24(%rbp) -4@$6 8@x(%rip)".
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; GNU as, x86 operands.
 * Trust:  the text is untrusted.
 * Thread: any; pure.
 */
#ifndef ELF_MARK_ARGUMENT_H
#define ELF_MARK_ARGUMENT_H

#include "elf/fetch_value.h"

/* One argument of one site of a USDT probe. */
struct mark_argument {
	struct fetch_place place;
	uint32_t bytes;			/* 1, 2, 4, 8 */
	bool has_size;			/* `bytes` and `is_signed` come from the note */
	bool is_signed;
	bool is_constant;		/* "$6": the value is `number` */
	int64_t number;
	char reason[FETCH_REASON_BYTES];	/* why it can't be fetched; "": it can */
};

/* Reads the argument at *@at and advances *@at past it; false: none left. */
bool mark_argument_next(const char **at, struct mark_argument *out);

/* Writes how to fetch the argument at site @index of @copies[@count], @index < @count; all sites
 * get the same layout. If one site can't be fetched, all are refused, with the reason in @out.
 * @wanted: the type that the user asked for, or "". */
void mark_argument_fetch(const struct mark_argument *copies, size_t count, size_t index,
			 const char *wanted, struct fetch_value *out);

#endif
