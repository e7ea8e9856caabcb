/* symbol_fold.h - long names of C++, Rust and D functions in narrow columns.
 *
 *   std::vector<int, std::allocator<int> >::push_back(int const&)
 *   std::vector<int, std::allocator<int> >::push_back(…)		arguments folded
 *   std::vector<…>::push_back(…)					templates, too
 *
 * Thread: any, no state.
 */
#ifndef UI_SYMBOL_FOLD_H
#define UI_SYMBOL_FOLD_H

#include <stddef.h>

#include "ui/canvas.h"

#define SYMBOL_FOLD_BYTES 2048	/* of a folded name: more than a line of any terminal */

/* @name when it fits into @width cells; else it folded into @out[SYMBOL_FOLD_BYTES]: no further
 * than it must be, and where that does not help as far as it can be. */
const char *symbol_fold(const struct canvas *canvas, const char *name, int width, char *out);

#endif
