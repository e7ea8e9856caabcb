/* demangle.h - the linker's name of a function -> what its programmer wrote: C++ with parameters,
 * Rust (legacy and v0) without its hash, D. Runs in the worker: names are chosen by strangers.
 *
 * Rules:  Itanium C++ ABI 5.1; Rust RFC 2603; the suffixes that compilers give to clones stay, as
 *         " [.cold]", and so does "@plt". What can't be demangled stays as it is.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Of 113,000 names in Debian's and Rust's libraries the longest has 1,042 bytes, and 8 mean more
 * than 4,000. */
#define DEMANGLE_NAME_MAX  4095	/* bytes; longer ones stay as they are */
#define DEMANGLE_TEXT_MAX  4095	/* bytes; more is cut, and ends in an ellipsis */

/* Can @name (raw, terminated) be one that somebody mangled? Any process: looks at its first letters
 * and its length. */
bool demangle_is_mangled(const char *name);

/* Writes what @name means into @out[DEMANGLE_TEXT_MAX + 1], raw bytes, terminated. False: nothing;
 * then @out is "". The worker only: may crash, or take for ever. */
bool demangle_name(const char *name, char *out);

/* The job: a list of names (elf/name_list.h) in @fd -> a list of what they mean, "" for those
 * that stay as they are. 0 with *@bytes malloc'd; -EBADMSG, -ENOMEM; -E2BIG: too many, or one of
 * them takes 100 ms. */
int demangle_list(int fd, void **bytes, size_t *count, struct diag *why);

#endif
