/* second_recording.h - a recording that is shown after another one was read, and compared with it:
 * what that one counted becomes the baseline, as a whole.
 *
 *   A's reader ---> queue ---> analyzer     | A has ended and is counted: second_recording_begin()
 *                    B's reader ---> queue -'
 *
 * Objects, names and the tasks of counts are shared by both; processes, clocks, events and losses
 * are each recording's own.
 *
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SECOND_RECORDING_H
#define ANALYZER_SECOND_RECORDING_H

#include "analyzer/publisher.h"

struct second_recording {
	struct ingest_config ingest;	/* all that is pointed to outlives the analyzer */
	const char *host, *target;	/* for the header; raw */
	uint32_t cpus;
	const int *sockets;	/* as in struct analyzer_config */
	uint32_t socket_count;
	const char *first_name, *name;	/* what the two are called */
	int queue_fd;			/* as in struct analyzer_config, as the next */
	void *source;
	/* Its records go to @queue from now on, whose producer has ended. 0 or -errno. */
	int (*start)(void *source, struct spsc *queue, struct diag *why);
};

/* The first recording has ended and all of it was counted. @config: the analyzer's, which becomes
 * the second's; the budget grows by what the first keeps. 0 or -errno: then nothing will come. */
int second_recording_begin(const struct second_recording *second, struct analyzer_config *config,
			   struct publisher *publisher, struct diag *why);

#endif
