/* engine_probe.h - the life of one probe: what it shall be, what it is, and the next step between.
 *
 *   wants_on, no parts    --step--> defined, opened, enabled
 *   is_retired            --step--> a part closed (up to 110 ms), another ..., definitions gone
 *
 * A step is all that blocks; between two of them the engine looks at its orders and its meters.
 * Thread: the probe engine's.
 */
#ifndef PROBE_ENGINE_PROBE_H
#define PROBE_ENGINE_PROBE_H

#include "live_probe.h"
#include "probe/probe_engine.h"
#include "probe_governor.h"

/* What the steps work with; the engine's. */
struct engine_kernel {
	struct trace_group *group;
	struct probe_rings *rings;
	uint32_t copy_bytes;
	/* Delivers, and takes over what @news owns. */
	void (*tell)(void *owner, struct probe_news *news);
	void *owner;
};

struct engine_probe {
	uint32_t id, slot;
	struct probe_choice choice;	/* with the defaults filled in */
	struct probe_places *places;	/* owned; one */
	struct live_probe live;
	struct probe_status status;
	enum probe_state rest;		/* what it is while it has no parts */
	bool wants_on, is_retired, is_removed;
	uint64_t order;			/* that added it and waits for its answer; 0: none */
	uint32_t order_probes;		/* how many it added */
	struct diag failure;		/* PROBE_FAILED: why */
	bool keeps_state;		/* it is told as it was */
	uint64_t process_ticks;		/* REACH_PROCESS: when it began; 0: not looked yet */
	struct governor_account account;
	struct governor_meter meter;
	double cost_ns;			/* of a hit */
	uint64_t switch_ns;		/* in bursts: when it goes off, or on again */
};

/* Takes over @places, one. NULL: no memory; @places is still the caller's. */
struct engine_probe *engine_probe_create(const struct probe_choice *choice,
					 struct probe_places *places, uint32_t id, uint32_t slot);
void engine_probe_destroy(struct engine_probe *probe);	/* without parts; NULL is fine */
/* Tells of the new row. */
void engine_probe_announce(const struct engine_probe *probe, const struct engine_kernel *kernel);

/* From now on; the steps follow. @rest: why it is off. Hits younger than @time_ns don't count. */
void engine_probe_switch_on(struct engine_probe *probe, uint64_t now_ns);
void engine_probe_switch_off(struct engine_probe *probe, const struct engine_kernel *kernel,
			     enum probe_state rest, const char *reason, uint64_t time_ns);

/* For whom a probe is attached, and counted before. One process has a descriptor per thread, as
 * long as they are few; else it is attached CPU-wide and the analyzer keeps the hits of the
 * process. Without a group of tracefs (@has_group) it is always so: a PMU's descriptors are not
 * inherited. *@tids, which *@out borrows, is the caller's to free. 0, or -errno: the process is
 * gone. */
int engine_probe_scope(const struct probe_choice *choice, bool has_group, struct probe_scope *out,
		       pid_t **tids, struct diag *why);

/* It can't be attached. */
void engine_probe_fail(struct engine_probe *probe, const struct engine_kernel *kernel,
		       const struct diag *why);

/* There is a step to be taken. */
bool engine_probe_is_due(const struct engine_probe *probe);
/* Takes it; BLOCKS. */
void engine_probe_step(struct engine_probe *probe, const struct engine_kernel *kernel);

/* Reads its counts; says how much CPU time its hits took since the last look. */
double engine_probe_read(struct engine_probe *probe, const struct engine_kernel *kernel,
			 uint64_t now_ns);
/* Tells how it fares. */
void engine_probe_report(struct engine_probe *probe, const struct engine_kernel *kernel);

#endif
