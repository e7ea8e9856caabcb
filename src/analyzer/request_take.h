/* request_take.h - applies a request of the screen to the content of snapshots, not to their times.
 *
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_REQUEST_TAKE_H
#define ANALYZER_REQUEST_TAKE_H

#include <stdbool.h>

#include "analyzer/analyzer.h"
#include "analyzer/publisher.h"

/* Applies @request. @is_zero_refused: ignore REQUEST_ZERO, as the window is always everything.
 * True: the rows need stats from /proc, so another snapshot should follow in a moment. */
bool request_take(const struct request *request, struct analyzer_config *config,
		  struct publisher *publisher, bool is_zero_refused);

#endif
