/* row_role.h - the roles of shares and of kinds of code, in tables, trees and flame graphs.
 *
 * Thread: any. Pure.
 */
#ifndef UI_ROW_ROLE_H
#define UI_ROW_ROLE_H

#include <stdbool.h>

#include "capture/event_record.h"
#include "ui/theme.h"

/* Limits of shares in %, the same as perf's. */
#define ROW_ROLE_HOT_PCT  5.0
#define ROW_ROLE_WARM_PCT 0.5

enum role row_role_of_share(double pct);
/* Returns the role of code that has a symbol. */
enum role row_role_of_code(enum cpu_mode mode, bool is_run_time);

#endif
