/* probe_argument.h - one value that a probe records with each hit: "[NAME=]VALUE[:TYPE]".
 *
 *   VALUE: name  a->b.c  arr[1]  ns::global      by debug information, BTF, a tracepoint's format
 *          $argN (from 1)  $retval  and their members: $retval->id
 *          %di  $stackN  $stack  $comm  @SYMBOL[+-N]  \N  +N(VALUE)
 *          +uN(VALUE)                            fetch arguments in the kernel's own syntax
 *   norm(VALUE): a text with its constants masked (probe/statement_mask.h)
 *   TYPE:  u8..u64 s8..s64 x8..x64, [N] of these, string ustring symbol
 *          b<WIDTH>@<OFFSET>/<CONTAINER>
 *          and the words of probe/probe_meaning.h: ipv4 ipv6 port sockaddr mac uuid errno syscall
 *
 * Source: Documentation/trace/kprobetrace.rst "Synopsis"; perf-probe(1) "PROBE ARGUMENT".
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_ARGUMENT_H
#define PROBE_PROBE_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

/* Parses @line[@from, @from + @bytes) and appends it to the arguments of @spec, whose kind and edge
 * are known. 0 or -EINVAL. */
int probe_argument_add(struct probe_spec *spec, const char *line, size_t from, size_t bytes,
		       struct diag *why);

/* Finds the argument named @value or with that value; if there is none, appends one for the
 * condition that uses it. *@name: its name, BORROWED from @spec. @at: column of the condition. 0 or
 * -EINVAL. */
int probe_argument_want(struct probe_spec *spec, const char *value, size_t at, const char **name,
			struct diag *why);

/* True: @spec's kind and edge can have such a value. */
bool probe_argument_fits(const struct probe_spec *spec, const struct probe_argument *argument);

/* Writes @argument as it could have been typed. Returns the length as snprintf(). */
size_t probe_argument_write(const struct probe_argument *argument, char *out, size_t room);

#endif
