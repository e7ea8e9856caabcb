/* row_role.h - which role a share and a kind of code have, in tables, trees and flame graphs.
 *
 * Thread: any. Pure.
 */
#ifndef UI_ROW_ROLE_H
#define UI_ROW_ROLE_H

#include <stdbool.h>

#include "capture/event_record.h"
#include "ui/theme.h"

/* Shares in %: the limits that perf's users know. */
#define ROW_ROLE_HOT_PCT  5.0
#define ROW_ROLE_WARM_PCT 0.5

enum role row_role_of_share(double pct);
/* Of named code. */
enum role row_role_of_code(enum cpu_mode mode, bool is_run_time);

#endif
