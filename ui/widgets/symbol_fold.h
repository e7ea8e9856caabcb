/* symbol_fold.h - how a symbol is shown: long names of C++, Rust and D functions are shortened for
 * narrow columns; colours say its share and the kind of its code.
 *
 *   std::vector<int, std::allocator<int> >::push_back(int const&)
 *   std::vector<int, std::allocator<int> >::push_back(…)		arguments folded
 *   std::vector<…>::push_back(…)					templates, too
 *
 * Thread: any, no state.
 */
#ifndef UI_SYMBOL_FOLD_H
#define UI_SYMBOL_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/record.h"
#include "term/canvas.h"
#include "ui/theme.h"

#define SYMBOL_FOLD_BYTES 2048	/* a folded name: more than a line of any terminal */

/* Returns @name if it fits into @width cells; otherwise folds it into @out[SYMBOL_FOLD_BYTES], only
 * as far as needed, or as far as possible if it still does not fit, and returns @out. */
const char *symbol_fold(const struct canvas *canvas, const char *name, int width, char *out);

/* Limits of shares in %, the same as perf's. */
#define ROW_ROLE_HOT_PCT  5.0
#define ROW_ROLE_WARM_PCT 0.5

enum role row_role_of_share(double pct);
/* Returns the role of code that has a symbol. */
enum role row_role_of_code(enum cpu_mode mode, bool is_run_time);

#endif
