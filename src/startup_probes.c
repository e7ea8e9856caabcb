/* startup_probes.c - see startup_probes.h. */
#include "startup_probes.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"

#define FINISH_NUMBER UINT64_MAX

int startup_probes_order(struct probe_engine *engine, const struct startup_probes *probes,
			 struct diag *why)
{
	for (size_t i = 0; i < probes->count; i++) {
		struct probe_order order = { .kind = PROBE_ADD, .number = i + 1,
					     .time_ns = clock_now_ns(),
					     .choice = probes->choice };

		order.choice.spec = probes->specs[i];
		if (!probe_engine_order(engine, &order))
			return diag_set(why, -EAGAIN, "%zu probes are too many to begin with",
					probes->count);
	}
	return 0;
}

/* @stop_fd -1: none. False: it is readable. */
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
	const char *text = probes->specs[answer->number - 1].text;

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

	for (size_t left = probes->count; left && !err;) {
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
