/* demangle.h - worker side: the readable forms of mangled names, and the lists of names that a job
 * receives and returns.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Demangles function names: C++ with parameters, Rust (legacy and v0) without its hash, D.
 * Runs in the worker, because the names are untrusted.
 *
 * Rules:  Itanium C++ ABI 5.1; Rust RFC 2603. Suffixes of compiler clones are kept as " [.cold]",
 *         "@plt" is kept too. A name that can't be demangled stays as it is.
 */

/* The longest of 113,000 mangled names in Debian's and Rust's libraries has 1,042 bytes; 8 of them
 * demangle to more than 4,000. */
#define DEMANGLE_NAME_MAX  4095	/* bytes; longer mangled names stay as they are */
#define DEMANGLE_TEXT_MAX  4095	/* bytes; longer results are cut and end in an ellipsis */

/* Returns whether @name (raw, NUL-terminated) may be mangled, judged by its first letters and its
 * length only; safe in any process. */
bool demangle_is_mangled(const char *name);

/* Writes the demangled @name to @out[DEMANGLE_TEXT_MAX + 1], raw bytes, NUL-terminated. Returns
 * false and sets @out to "" if it can't. Call only in the worker: may crash, or never return. */
bool demangle_name(const char *name, char *out);

/* Does a SANDBOX_NAMES job: a list of names in @fd -> a list of demangled names,
 * "" for those that stay as they are. Returns 0 with *@bytes malloc'd for the caller; -EBADMSG;
 * -ENOMEM; -E2BIG: too many names, or one of them takes 100 ms. */
int demangle_list(int fd, void **bytes, size_t *count, struct diag *why);

/* A list of names is a sequence of NUL-terminated texts: those that a worker is to demangle, or its
 * reply. Both functions are stateless: any thread. */

/* Checks that @bytes[@bytes_count] is exactly @texts NUL-terminated texts of at most @text_max
 * bytes each, NUL excluded. Returns 0, or -EBADMSG with the reason. Do this before
 * name_list_next(). */
int name_list_check(const void *bytes, size_t bytes_count, uint32_t texts, size_t text_max,
		    struct diag *why);

/* Returns the text after @text. Call it only within the number of texts that was checked. */
const char *name_list_next(const char *text);

#endif
