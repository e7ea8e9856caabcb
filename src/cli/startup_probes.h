/* startup_probes.h - the probes of the command line.
 * Thread: main. */
#ifndef CLI_STARTUP_PROBES_H
#define CLI_STARTUP_PROBES_H

#include <stddef.h>

#include "probe/probe_engine.h"

struct startup_probes {
	const struct probe_spec *specs;
	size_t count;
	const pid_t *pids;	/* attach each probe for each of these processes */
	size_t pid_count;	/* 0: for all processes */
	struct probe_choice choice;	/* for all probes; spec, reach and pid are ignored */
};

/* Requests all probes and returns at once: the screen shows their states. 0, or -E2BIG: there are
 * too many. */
int startup_probes_order(struct probe_engine *engine, const struct startup_probes *probes,
			 struct diag *why);

/* Requests all probes and waits until they are attached, as measuring must not begin before. 0, or
 * -errno with the reason of one that can't be attached: -EPERM refused, ...; -EINTR: @stop_fd
 * became readable, some may be attached. */
int startup_probes_attach(struct probe_engine *engine, const struct startup_probes *probes,
			  int stop_fd, struct diag *why);

/* Detaches all probes and waits until their last record is queued for the analyzer. */
void startup_probes_finish(struct probe_engine *engine);

#endif
