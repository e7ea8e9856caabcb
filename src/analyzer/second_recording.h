/* second_recording.h - goes on with the second of two recordings.
 * Thread: the analyzer's. */
#ifndef ANALYZER_SECOND_RECORDING_H
#define ANALYZER_SECOND_RECORDING_H

#include "publisher.h"

/* Switches to the second recording, after the first has ended and was counted. Changes @config, the
 * analyzer's; its budget grows by the memory of the first. 0 or -errno: then no records follow. */
int second_recording_begin(const struct second_recording *second, struct analyzer_config *config,
			   struct publisher *publisher, struct diag *why);

#endif
