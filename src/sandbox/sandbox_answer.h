/* sandbox_answer.h - evaluates the zygote's verdict on a worker, and receives the worker's answer.
 * Thread: the thread of sandbox_run(), which is the only caller. */
#ifndef SANDBOX_SANDBOX_ANSWER_H
#define SANDBOX_SANDBOX_ANSWER_H

#include <stdint.h>

#include "sandbox/sandbox.h"

/* Returns 0 if the worker exited by itself with status 0; else -errno with the reason. */
int sandbox_answer_judge(const struct sandbox_verdict *verdict, uint32_t deadline_ms,
			 uint32_t cpu_s, struct diag *why);
/* Sets @why to the message of a cancelled job and returns -ECANCELED. */
int sandbox_answer_cancelled(struct diag *why);

/* Receives the answer from the socket @reply; call it after the worker is gone, when the answer is
 * there or never will be. Returns 0 or the error as sandbox_run() does; -EBADMSG: the worker broke
 * the protocol; -E2BIG: more than @bytes_max. */
int sandbox_answer_take(int reply, uint64_t bytes_max, struct sandbox_bytes *out,
			struct diag *why);

#endif
