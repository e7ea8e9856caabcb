/* engine_probe.h - the life of one probe: its wanted state, its present state, and the next step
 * from one to the other.
 *
 *   wants_on, no parts    --step--> defined, opened, enabled
 *   is_retired            --step--> a part closed (up to 110 ms), another ..., definitions gone
 *
 * Only a step blocks; between two of them the engine reads its requests and its meters.
 * Thread: the probe engine's.
 */
#ifndef PROBE_ENGINE_PROBE_H
#define PROBE_ENGINE_PROBE_H

#include "live_probe.h"
#include "probe/engine_messages.h"
#include "probe_governor.h"

/* The kernel side that the steps use; owned by the engine. */
struct engine_kernel {
	struct trace_group *group;
	struct probe_rings *rings;
	uint32_t copy_bytes;
	/* Sends @event and takes over what it owns. */
	void (*tell)(void *owner, struct engine_event *event);
	void *owner;
};

struct engine_probe {
	uint32_t id, slot;
	struct probe_choice choice;	/* with the defaults filled in */
	struct probe_point *points;	/* owned; exactly one */
	struct live_probe live;
	struct probe_status status;
	enum probe_state rest;		/* its state while it has no parts */
	bool wants_on, is_retired, is_removed;
	uint64_t request;		/* PROBE_ADD without a reply for it so far; 0: none */
	uint32_t request_probes;	/* number of probes that this request added */
	struct diag failure;		/* PROBE_FAILED: the reason */
	bool keeps_state;		/* PROBE_FINISH: keep reporting the last state */
	uint64_t process_ticks;		/* REACH_PROCESS: its start time; 0: not read yet */
	struct governor_account account;
	struct governor_meter meter, end_meter;	/* hits, and those of a second point */
	double cost_ns, end_cost_ns;		/* cost of a hit, and of a later point's */
	uint64_t switch_ns;		/* in bursts: time of the next switch on or off */
};

/* Takes over @points, exactly one. NULL: no memory; @points is still the caller's. */
struct engine_probe *engine_probe_create(const struct probe_choice *choice,
					 struct probe_point *points, uint32_t id, uint32_t slot);
void engine_probe_destroy(struct engine_probe *probe);	/* only without parts; NULL is fine */
/* Sends ENGINE_EVENT_ADDED for the new probe. */
void engine_probe_announce(const struct engine_probe *probe, const struct engine_kernel *kernel);

/* Switch on or off; steps follow. @rest: why it is off. Hits later than @time_ns don't count. */
void engine_probe_switch_on(struct engine_probe *probe, uint64_t now_ns);
void engine_probe_switch_off(struct engine_probe *probe, const struct engine_kernel *kernel,
			     enum probe_state rest, const char *reason, uint64_t time_ns);

/* Chooses the threads that a probe is attached to, or counted for. A process gets a descriptor per
 * thread if it has few; else the scope is CPU-wide and the analyzer drops the hits of others.
 * Without a group of tracefs (@has_group false) it is always CPU-wide: a PMU's descriptors are not
 * inherited. *@tids, which *@out borrows, is the caller's to free. 0, or -errno: the process is
 * gone. */
int engine_probe_scope(const struct probe_choice *choice, bool has_group, struct probe_scope *out,
		       pid_t **tids, struct diag *why);

/* Marks the probe PROBE_FAILED and detaches it; @why becomes its reason. */
void engine_probe_fail(struct engine_probe *probe, const struct engine_kernel *kernel,
		       const struct diag *why);

/* True: a step is due. */
bool engine_probe_is_due(const struct engine_probe *probe);
/* Takes the step that is due, if any; BLOCKS. */
void engine_probe_step(struct engine_probe *probe, const struct engine_kernel *kernel);

/* Reads the probe's counts; returns the CPU time in ns that its hits took since the last call. */
double engine_probe_read(struct engine_probe *probe, const struct engine_kernel *kernel,
			 uint64_t now_ns);
/* Sends ENGINE_EVENT_STATUS. */
void engine_probe_report(struct engine_probe *probe, const struct engine_kernel *kernel);

#endif
