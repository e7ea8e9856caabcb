/* startup_probes.c - see startup_probes.h. */
#include "startup_probes.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"

/* The screen numbers its requests from 1 on, and must not take these replies for its own. */
#define FIRST_NUMBER  (1ull << 32)
#define FINISH_NUMBER UINT64_MAX

/* Returns the number of requests: one per probe and process, or one per probe for all processes. */
static size_t count_orders(const struct startup_probes *probes)
{
	return probes->count * (probes->pid_count ? probes->pid_count : 1);
}

static const struct probe_spec *spec_of(const struct startup_probes *probes, uint64_t number)
{
	return &probes->specs[(number - FIRST_NUMBER) % probes->count];
}

int startup_probes_order(struct probe_engine *engine, const struct startup_probes *probes,
			 struct diag *why)
{
	const size_t count = count_orders(probes);

	for (size_t i = 0; i < count; i++) {
		struct probe_order order = { .kind = PROBE_ADD, .number = FIRST_NUMBER + i,
					     .time_ns = clock_now_ns(),
					     .choice = probes->choice };

		order.choice.spec = *spec_of(probes, order.number);
		if (probes->pid_count) {
			order.choice.reach = REACH_PROCESS;
			order.choice.pid = probes->pids[i / probes->count];
		}
		if (!probe_engine_order(engine, &order))
			return diag_set(why, -E2BIG, "%zu probes are too many to begin with",
					count);
	}
	return 0;
}

/* Waits for a reply. @stop_fd -1: none. False: @stop_fd is readable. */
static bool wait_for_answer(struct probe_engine *engine, struct probe_answer *answer, int stop_fd)
{
	struct pollfd sources[] = { { .fd = stop_fd, .events = POLLIN },
				    { .fd = probe_engine_answer_fd(engine), .events = POLLIN } };

	for (int wait_ms = 0; poll(sources, 2, wait_ms) < 0 || !sources[0].revents; wait_ms = -1)
		if (probe_engine_answer(engine, answer))
			return true;
	return false;
}

static int check(const struct probe_answer *answer, const struct startup_probes *probes,
		 struct diag *why)
{
	const char *text = spec_of(probes, answer->number)->text;

	if (answer->why.err) {
		*why = answer->why;
		diag_prefix(why, "probe %s", text);
		return why->err;
	}
	if (answer->reason[0])
		return diag_set(why, -EPERM, "probe %s: %s", text, answer->reason);
	return 0;
}

int startup_probes_attach(struct probe_engine *engine, const struct startup_probes *probes,
			  int stop_fd, struct diag *why)
{
	int err = startup_probes_order(engine, probes, why);

	for (size_t left = count_orders(probes); left && !err;) {
		struct probe_answer answer;

		if (!wait_for_answer(engine, &answer, stop_fd))
			return diag_set(why, -EINTR, "interrupted while probes were attached");
		err = check(&answer, probes, why);
		left -= answer.is_done;
	}
	return err;
}

void startup_probes_finish(struct probe_engine *engine)
{
	const struct probe_order order = { .kind = PROBE_FINISH, .number = FINISH_NUMBER };
	struct probe_answer answer = { .number = 0 };

	if (!probe_engine_order(engine, &order))
		return;
	while (answer.kind != PROBE_FINISH)
		wait_for_answer(engine, &answer, -1);
}
