/* startup_probes.h - the probes of the command line.
 * Thread: main. */
#ifndef CLI_STARTUP_PROBES_H
#define CLI_STARTUP_PROBES_H

#include <stddef.h>

#include "probe/probe_engine.h"

struct startup_probes {
	const struct probe_spec *specs;
	size_t count;
	const pid_t *pids;	/* for each of these processes */
	size_t pid_count;	/* 0: for everybody */
	struct probe_choice choice;	/* for all of them; spec, reach and pid do not count */
};

/* Orders them and goes on: the screen shows what becomes of them. 0 or
 * -EAGAIN: there are too many. */
int startup_probes_order(struct probe_engine *engine, const struct startup_probes *probes,
			 struct diag *why);

/* The same, and waits until all are attached: what is measured must not begin before. 0, or -errno
 * with the sentence of one that can't be attached: -EPERM refused, ...; -EINTR: @stop_fd became
 * readable, some may be attached. */
int startup_probes_attach(struct probe_engine *engine, const struct startup_probes *probes,
			  int stop_fd, struct diag *why);

/* Detaches all and waits until the last record is on its way to the analyzer. */
void startup_probes_finish(struct probe_engine *engine);

#endif
