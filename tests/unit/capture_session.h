/* capture_session.h - a capture on this kernel and what came of it so far. */
#ifndef TESTS_CAPTURE_SESSION_H
#define TESTS_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/thread.h"
#include "capture/capture.h"
#include "capture/record.h"

#define HANG_NS (30 * CLOCK_NS_PER_S)	/* ends a hang, judges no speed */

struct capture_session {
	struct capture *capture;
	struct spsc queue;
	uint32_t watched;		/* process whose samples are counted */
	uint64_t of_watched, of_others, of_idle;
	uint64_t lost;			/* event 0's */
	uint64_t lost_by_cpu[64];
	struct queue_counted counted;	/* event 0's; total 0: not queued yet */
	bool has_end;
};

/* Are samples of everybody permitted? */
bool may_sample_everything(void);
struct capture_config capture_process_config(pid_t pid);

/* What capture_open() says; queue and all, the session is the caller's either way. */
int capture_session_open(struct capture_session *session, struct capture_config *config,
			 struct diag *why);
void capture_session_close(struct capture_session *session);

/* Counts what is queued. */
void capture_session_drain(struct capture_session *session);
/* Until @enough samples of the watched process are there, or the end. False: neither came. */
bool capture_session_run(struct capture_session *session, uint64_t enough);

#endif
