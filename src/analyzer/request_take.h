/* request_take.h - what a request of the screen changes: what pictures show, not when they come.
 *
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_REQUEST_TAKE_H
#define ANALYZER_REQUEST_TAKE_H

#include <stdbool.h>

#include "analyzer/analyzer.h"
#include "analyzer/publisher.h"

/* @is_zero_refused: the window is all there is, always. True: /proc is read for what the picture
 * will show, another one should follow in a moment. */
bool request_take(const struct request *request, struct analyzer_config *config,
		  struct publisher *publisher, bool is_zero_refused);

#endif
