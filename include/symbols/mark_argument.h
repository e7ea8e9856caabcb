/* mark_argument.h - the arguments of a USDT mark as its note says them -> fetch arguments:
 * "-4@%eax 8@-24(%rbp) -4@$6 8@x(%rip)".
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; GNU as, x86 operands.
 * Trust:  foreign text.
 * Thread: any; pure.
 */
#ifndef SYMBOLS_MARK_ARGUMENT_H
#define SYMBOLS_MARK_ARGUMENT_H

#include "symbols/fetch_value.h"

/* Reads the argument that *@at begins with and passes it; false: there is none left. What can't be
 * fetched has its reason in @out. @wanted: the type that the user asked for, or "". */
bool mark_argument_next(const char **at, const char *wanted, struct fetch_value *out);

#endif
