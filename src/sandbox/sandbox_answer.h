/* sandbox_answer.h - what has come of a job: the verdict on the worker, and what it sent.
 * Thread: that of sandbox_run(), which is the only caller. */
#ifndef SANDBOX_SANDBOX_ANSWER_H
#define SANDBOX_SANDBOX_ANSWER_H

#include <stdint.h>

#include "sandbox/sandbox.h"

/* 0 when the worker ended by itself and with status 0; else -errno with the reason. */
int sandbox_answer_judge(const struct sandbox_verdict *verdict, uint32_t deadline_ms,
			 uint32_t cpu_s, struct diag *why);
/* -ECANCELED and its sentence. */
int sandbox_answer_cancelled(struct diag *why);

/* Takes the answer from the socket @reply when the worker is gone: it is there, or never will be.
 * As sandbox_run(); -EBADMSG when the worker broke the rules, -E2BIG over @bytes_max. */
int sandbox_answer_take(int reply, uint64_t bytes_max, struct sandbox_bytes *out,
			struct diag *why);

#endif
