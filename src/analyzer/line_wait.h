/* line_wait.h - holds a refresh of batch mode back until the lines are known that its groups are
 * by: what is printed can't be filled in later, and other lines make other groups. What rows say of
 * lines is analyzer/source_hold.h's.
 * Thread: the analyzer's. */
#ifndef ANALYZER_LINE_WAIT_H
#define ANALYZER_LINE_WAIT_H

#include "analyzer/publisher.h"

struct line_wait {
	uint64_t until_ns;	/* then it goes as it is; 0: nothing waits */
};

/* A refresh is due: must it wait? Asks for what is not known yet. */
bool line_wait_must(struct line_wait *wait, struct publisher *publisher, uint64_t now_ns);

#endif
