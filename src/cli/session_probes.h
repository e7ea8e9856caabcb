/* session_probes.h - the probes of a session: their engine, and who talks to it.
 * Thread: main. */
#ifndef CLI_SESSION_PROBES_H
#define CLI_SESSION_PROBES_H

#include "cli/session.h"
#include "ingest/probe_source.h"

/* Makes engine and control of a live session. 0 or -errno. */
int session_probes_create(struct session *session, const struct options *options,
			  struct diag *why);
/* What the analyzer reads. */
struct probe_source session_probes_source(const struct session *session);
/* Those of the command line. What is printed must be whole: in batch mode all are attached when it
 * returns. 0 or -errno with the sentence of one that is not. */
int session_probes_start(struct session *session, const struct options *options,
			 struct diag *why);

#endif
