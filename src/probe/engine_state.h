/* engine_state.h - the state of the probe engine, shared by the files that make it up.
 *
 *   probe_engine.c         queues, threads, the public functions
 *   engine_orders.c        orders, and the findings of the examiner for them
 *   engine_examination.c   the place that the panel examines
 *   engine_watch.c         steps, meters, leases, bursts
 *
 * Thread: the engine's.
 */
#ifndef PROBE_ENGINE_STATE_H
#define PROBE_ENGINE_STATE_H

#include "base/service.h"
#include "engine_probe.h"
#include "probe_examiner.h"
#include "probe_rate.h"

#define EXAMINATION_RATES 4	/* closing one takes 90 ms, in which the engine does nothing else */

struct examination {
	bool is_counting;
	bool is_for_all;		/* the user chose REACH_ALL */
	struct probe_answer answer;	/* complete but for the rate */
	struct probe_places *places;	/* owned */
	uint32_t place_count;
	struct probe_rate rates[EXAMINATION_RATES];	/* one per item of `places` */
	uint32_t rate_count;
};

/* A final answer kept while the reply queue is full: its caller may wait without a timeout. */
struct late_answer {
	struct late_answer *next;
	struct probe_answer answer;
};

struct probe_engine {
	struct probe_engine_config config;
	struct service *service;	/* carries orders in and answers out */
	struct spsc news, records;
	bool has_news, has_records;
	int analyzer_fd;		/* eventfd, written when news or records are queued */

	struct probe_examiner *examiner;
	struct engine_kernel kernel;
	struct engine_probe *probes[PROBE_SLOTS];	/* owned; by slot */
	struct governor_account account;	/* sum of all probes */
	struct examination examination;
	uint32_t last_id, next_slot;
	struct late_answer *late_first, *late_last;	/* owned: kept while the queue is full */
	uint64_t finish_number;		/* number of the PROBE_FINISH under way; 0: none */
	bool is_finished;
	uint64_t tick_ns, report_ns;
	struct errands errands;		/* calls that look at the probes' files */
	uint64_t files_ns;		/* time of the next look at the files */
	struct diag group_why;		/* why kernel.group is NULL */
	bool has_pmus;			/* and if the PMUs can attach without it */
};

static inline bool engine_can_attach(const struct probe_engine *engine)
{
	return engine->kernel.group || engine->has_pmus;
}

/* Sends a copy of @answer; if the queue is full, keeps a final answer for later, drops others. */
void engine_answer(struct probe_engine *engine, const struct probe_answer *answer);
/* Sends the answers kept while the queue was full. */
void engine_send_late_answers(struct probe_engine *engine);

void engine_take_orders(struct probe_engine *engine);
void engine_take_findings(struct probe_engine *engine);
/* Starts to detach @probe and drop its row. Hits later than @time_ns don't count. */
void engine_remove(struct probe_engine *engine, struct engine_probe *probe, uint64_t time_ns);

/* Answers the orders whose probes are now attached, refused, failed or off again. */
void engine_settle(struct probe_engine *engine);

/* Starts to detach all probes; once all are gone, ends the records and answers order @number. */
void engine_finish(struct probe_engine *engine, uint64_t number);

/* Answers with all but the rate, and counts that for few sites. Takes over @finding's places. */
void engine_examine(struct probe_engine *engine, struct probe_finding *finding);
/* Sends the rate once it is known. */
void engine_continue_examination(struct probe_engine *engine, uint64_t now_ns);
void engine_drop_examination(struct probe_engine *engine);

/* Takes the most urgent step of all probes. True: more steps are due. BLOCKS for up to 110 ms. */
bool engine_take_step(struct probe_engine *engine);
/* Every 100 ms: reads the meters, checks leases, bursts and files, reports. */
void engine_watch(struct probe_engine *engine, uint64_t now_ns);
/* True once PROBE_FINISH is ordered: no probe may be attached from then on. */
bool engine_is_ending(const struct probe_engine *engine);
bool engine_has_probes(const struct probe_engine *engine);

#endif
