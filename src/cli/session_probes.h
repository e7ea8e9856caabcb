/* session_probes.h - the probes of a session: their engine, and its connections.
 * Thread: main. */
#ifndef CLI_SESSION_PROBES_H
#define CLI_SESSION_PROBES_H

#include "cli/session.h"
#include "ingest/probe_source.h"

/* Creates engine and control of a live session. 0 or -errno. */
int session_probes_create(struct session *session, const struct options *options,
			  struct diag *why);
/* Returns the source of probe events for the analyzer. */
struct probe_source session_probes_source(const struct session *session);
/* Starts the probes of the command line. In batch mode waits until all are attached, as output must
 * be complete. 0 or -errno with the reason of one that can't be attached. */
int session_probes_start(struct session *session, const struct options *options,
			 struct diag *why);

#endif
