/* mark_argument.h - the arguments of a USDT mark as its note says them -> fetch arguments:
 * "-4@%eax 8@-24(%rbp) -4@$6 8@x(%rip)".
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; GNU as, x86 operands.
 * Trust:  foreign text.
 * Thread: any; pure.
 */
#ifndef ELF_MARK_ARGUMENT_H
#define ELF_MARK_ARGUMENT_H

#include "elf/fetch_value.h"

/* One argument of one copy of a USDT probe. */
struct mark_argument {
	struct fetch_place place;
	uint32_t bytes;			/* 1, 2, 4, 8 */
	bool has_size;			/* the note says `bytes` and `is_signed` */
	bool is_signed;
	bool is_constant;		/* "$6": `number` */
	int64_t number;
	char reason[FETCH_REASON_BYTES];	/* why it can't be fetched; "": it can be */
};

/* Reads the argument that *@at begins with and passes it; false: there is none left. */
bool mark_argument_next(const char **at, struct mark_argument *out);

/* How the argument is fetched at copy @index of @copies[@count], @index < @count, with one layout
 * for all of them. What can't be fetched in one copy is refused in all, with the reason in @out.
 * @wanted: the type that the user asked for, or "". */
void mark_argument_fetch(const struct mark_argument *copies, size_t count, size_t index,
			 const char *wanted, struct fetch_value *out);

#endif
