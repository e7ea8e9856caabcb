/* folded.h - a call tree as folded stacks, one line each, as flame graph programs read them:
 *
 *   postgres;main;PostgresMain;ExecScan;read;ksys_read_[k] 42
 *
 * Names: a ';' in one is written ':', because it stands between names. Code without a name is that
 *        of its object: "[libfoo.so]".
 * Count: of samples, where the stack ended; all lines together are the tree's samples. Compared,
 *        as difffolded.pl writes it: first what the baseline counted, then the window. Both are
 *        as counted: flamegraph.pl draws the second in the colours of the difference.
 * Thread: any.
 */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "fold/call_tree.h"

/* @tree: callees. @marks_kernel: "_[k]" behind the names of kernel code. @is_compared: two counts a
 * line. Errors stay in @out (ferror(3)). 0 or -ENOMEM: the rest is missing. */
int folded_write(FILE *out, const struct call_tree *tree, bool marks_kernel, bool is_compared);

#endif
