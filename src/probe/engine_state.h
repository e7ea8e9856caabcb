/* engine_state.h - the probe engine, for the files that make it up.
 *
 *   probe_engine.c         queues, threads, what the others call
 *   engine_orders.c        what is asked for, and what was looked up for it
 *   engine_examination.c   the place that the panel asks about
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

#define EXAMINATION_RATES 4	/* each takes 90 ms to go, in which nothing else is looked at */

struct examination {
	bool is_counting;
	bool is_for_all;		/* REACH_ALL was chosen */
	struct probe_answer answer;	/* as far as it is known */
	struct probe_places *places;	/* owned */
	uint32_t place_count;
	struct probe_rate rates[EXAMINATION_RATES];	/* one for each place */
	uint32_t rate_count;
};

/* Somebody may wait for the end of an order without end. */
struct late_answer {
	struct late_answer *next;
	struct probe_answer answer;
};

struct probe_engine {
	struct probe_engine_config config;
	struct service *service;	/* orders in, answers out */
	struct spsc news, records;
	bool has_news, has_records;
	int analyzer_fd;		/* eventfd: news or records */

	struct probe_examiner *examiner;
	struct engine_kernel kernel;
	struct engine_probe *probes[PROBE_SLOTS];	/* owned; by slot */
	struct governor_account account;	/* of all */
	struct examination examination;
	uint32_t last_id, next_slot;
	struct late_answer *late_first, *late_last;	/* owned: there was no room for them */
	uint64_t finish_number;		/* of the order to finish that is under way; 0: none */
	bool is_finished;
	uint64_t tick_ns, report_ns;
	struct errands errands;		/* looks at the files of probes */
	uint64_t files_ns;		/* when to look next */
	struct diag group_why;		/* kernel.group NULL: why; */
	bool has_pmus;			/* and whether the PMUs can do without it */
};

static inline bool engine_can_attach(const struct probe_engine *engine)
{
	return engine->kernel.group || engine->has_pmus;
}

/* Sends a copy; what is no end of an order only if there is room for it. */
void engine_answer(struct probe_engine *engine, const struct probe_answer *answer);
/* Sends those that had no room when they were made. */
void engine_send_late_answers(struct probe_engine *engine);

void engine_take_orders(struct probe_engine *engine);
void engine_take_findings(struct probe_engine *engine);
/* Its row and all of it are on their way out; hits younger than @time_ns don't count. */
void engine_remove(struct probe_engine *engine, struct engine_probe *probe, uint64_t time_ns);

/* Answers who asked for probes that are now attached, refused, failed or off again. */
void engine_settle(struct probe_engine *engine);

/* All are detached from now on, and once that is so the records end. */
void engine_finish(struct probe_engine *engine, uint64_t number);

/* Tells all but the rate, which is counted where one function is meant. Takes over its places. */
void engine_examine(struct probe_engine *engine, struct probe_finding *finding);
/* The rate, once it is known. */
void engine_continue_examination(struct probe_engine *engine, uint64_t now_ns);
void engine_drop_examination(struct probe_engine *engine);

/* The most urgent step of all probes. True: there are more. BLOCKS for up to 110 ms. */
bool engine_take_step(struct probe_engine *engine);
/* Reads meters and clocks, if it is time to. */
void engine_watch(struct probe_engine *engine, uint64_t now_ns);
/* PROBE_FINISH was ordered: nothing is attached any more. */
bool engine_is_ending(const struct probe_engine *engine);
bool engine_has_probes(const struct probe_engine *engine);

#endif
