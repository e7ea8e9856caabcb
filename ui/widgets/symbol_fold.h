/* symbol_fold.h - shortens long names of C++, Rust and D functions for narrow columns.
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

/* Returns @name if it fits into @width cells; otherwise folds it into @out[SYMBOL_FOLD_BYTES], only
 * as far as needed, or as far as possible if it still does not fit, and returns @out. */
const char *symbol_fold(const struct canvas *canvas, const char *name, int width, char *out);

#endif
