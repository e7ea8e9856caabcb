/* second_recording.h - a recording B that is shown after another one, A, was read, and is compared
 * with it: everything counted in A becomes the baseline.
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
	struct ingest_config ingest;	/* the data it points to outlives the analyzer */
	const char *host, *target;	/* for the header; raw */
	uint32_t cpus;
	const int *sockets;	/* see struct analyzer_config */
	uint32_t socket_count;
	const char *first_name, *name;	/* names of the first and of this recording */
	int queue_fd;			/* readable when records wait */
	void *source;			/* argument of start() and of queue_drained() */
	/* Begins to read records into @queue, whose former producer has ended. 0 or -errno. */
	int (*start)(void *source, struct spsc *queue, struct diag *why);
};

/* Switches to the second recording, after the first has ended and was counted. Changes @config, the
 * analyzer's; its budget grows by the memory of the first. 0 or -errno: then no records follow. */
int second_recording_begin(const struct second_recording *second, struct analyzer_config *config,
			   struct publisher *publisher, struct diag *why);

#endif
