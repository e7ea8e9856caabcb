/* engine_state.h - the state of the probe engine, shared by the files that make it up.
 *
 *   probe_engine.c         queues, threads, the public functions
 *   engine_requests.c      requests, and the results of the examiner for them
 *   engine_watch.c         steps, meters, leases, bursts
 *   engine_examination.c   the probe point that the panel examines
 *   engine_state.c         replies
 *
 * Thread: the engine's.
 */
#ifndef PROBE_ENGINE_STATE_H
#define PROBE_ENGINE_STATE_H

#include "base/service.h"
#include "engine_probe.h"
#include "file_watch.h"
#include "probe_examiner.h"

#define EXAMINATION_RATES 4	/* closing one takes 90 ms, in which the engine does nothing else */

/* Counts the hits of a probe point before it is probed. */
struct probe_rate {
	struct live_probe live;
	uint64_t begin_ns;
	bool is_end;		/* counts the second of two points */
};

struct examination {
	bool is_counting;
	bool is_for_all;		/* the user chose REACH_ALL */
	struct probe_reply reply;	/* complete but for the rate */
	struct examined_point examined;	/* owned: what is attached if the user wants it. No point:
					 * none was found, or it was taken, or dropped at
					 * `drop_ns` */
	uint64_t drop_ns;
	struct probe_rate rates[EXAMINATION_RATES];	/* one per examined point, and per end */
	uint32_t rate_count;
};

/* A final reply kept while the reply queue is full: its caller may wait without a timeout. */
struct late_reply {
	struct late_reply *next;
	struct probe_reply reply;
};

struct probe_engine {
	struct probe_engine_config config;
	struct service *service;	/* carries requests in and replies out */
	struct spsc events, records;
	bool has_events, has_records;
	int analyzer_fd;		/* eventfd, written when events or records are queued */

	struct probe_examiner *examiner;
	struct engine_kernel kernel;
	struct engine_probe *probes[PROBE_SLOTS];	/* owned; by slot */
	struct governor_account account;	/* sum of all probes */
	struct examination examination;
	uint32_t last_id, next_slot;
	struct late_reply *late_first, *late_last;	/* owned: kept while the queue is full */
	uint64_t finish_number;		/* number of the PROBE_FINISH under way; 0: none */
	bool is_finished;
	uint64_t tick_ns, report_ns;
	struct blocking_calls blocking_calls;		/* calls that look at the probes' files */
	uint64_t files_ns;		/* time of the next look at the files */
	struct diag group_why;		/* why kernel.group is NULL */
	bool has_pmus;			/* and if the PMUs can attach without it */
};

static inline bool engine_can_attach(const struct probe_engine *engine)
{
	return engine->kernel.group || engine->has_pmus;
}

/* Sends a copy of @reply; if the queue is full, keeps a final reply for later, drops others. */
void engine_reply(struct probe_engine *engine, const struct probe_reply *reply);
/* Sends the replies kept while the queue was full. */
void engine_send_late_replies(struct probe_engine *engine);
void engine_drop_late_replies(struct probe_engine *engine);

void engine_take_requests(struct probe_engine *engine);
void engine_take_examined(struct probe_engine *engine);
/* Starts to detach @probe and drop its row. Hits later than @time_ns don't count. */
void engine_remove(struct probe_engine *engine, struct engine_probe *probe, uint64_t time_ns);

/* Replies to the requests whose probes are now attached, refused, failed or off again. */
void engine_settle(struct probe_engine *engine);

/* Starts to detach all probes; once all are gone, ends the records and replies request @number. */
void engine_finish(struct probe_engine *engine, uint64_t number);

/* Replies with all but the rate, and counts that for few sites. Takes over @examined's points. */
void engine_examine(struct probe_engine *engine, struct examined_point *examined);
/* Sends the rate once it is known; drops the points when nobody has wanted them for long. */
void engine_continue_examination(struct probe_engine *engine, uint64_t now_ns);
void engine_drop_examination(struct probe_engine *engine);

/* Takes the most urgent step of all probes. True: more steps are due. BLOCKS for up to 110 ms. */
bool engine_take_step(struct probe_engine *engine);
/* Every 100 ms: reads the meters, checks leases, bursts and files, reports. */
void engine_watch(struct probe_engine *engine, uint64_t now_ns);
/* True once PROBE_FINISH is requested: no probe may be attached from then on. */
bool engine_is_ending(const struct probe_engine *engine);
bool engine_has_probes(const struct probe_engine *engine);

#endif
