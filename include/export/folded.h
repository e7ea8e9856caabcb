/* folded.h - a call tree as folded stacks, one line each, as flame graph programs read them:
 *
 *   postgres;main;PostgresMain;ExecScan;read;ksys_read_[k] 42
 *
 * Names: a ';' in a name is written ':', as ';' separates names. Code without a name has that of
 *        its DSO: "[libfoo.so]".
 * Count: samples whose stack ends there; all lines add up to the tree's samples. Compared, there
 *        are two counts as difffolded.pl writes them: the baseline's, then the window's, neither
 *        scaled: flamegraph.pl draws the second in the colours of the difference.
 * Thread: any.
 */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "fold/call_tree.h"

/* Writes @tree, a callees tree. @marks_kernel: append "_[k]" to names of kernel code. @is_compared:
 * two counts a line. Errors stay in @out (ferror(3)). 0 or -ENOMEM: the rest is missing. */
int folded_write(FILE *out, const struct call_tree *tree, bool marks_kernel, bool is_compared);

#endif
