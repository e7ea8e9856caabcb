/* line_wait.h - delays a refresh in batch mode until the source lines that key its groups are
 * known: they can't be filled in after printing, and new lines make new groups. For lines in rows
 * see source_hold.h.
 * Thread: the analyzer's. */
#ifndef ANALYZER_LINE_WAIT_H
#define ANALYZER_LINE_WAIT_H

#include "analyzer/publisher.h"

struct line_wait {
	uint64_t until_ns;	/* when the refresh is made anyway; 0: none waits */
};

/* True if a refresh that is due must wait. Requests lines that are not known yet. */
bool line_wait_must(struct line_wait *wait, struct publisher *publisher, uint64_t now_ns);

#endif
