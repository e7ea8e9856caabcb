/* session_probes.c - see session_probes.h. */
#include "session_probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/batch.h"
#include "proc/task_list.h"
#include "startup_probes.h"

/* Bytes of user stack copied at a hit: enough for most, and half of a sample's copy. */
#define COPY_BYTES 8192

static bool take_news(void *owner, struct probe_news *out)
{
	return probe_engine_news(owner, out);
}

static bool put_order(void *owner, const struct probe_order *order)
{
	return probe_engine_order(owner, order);
}

static bool take_answer(void *owner, struct probe_answer *out)
{
	return probe_engine_answer(owner, out);
}

static void ask_finder(void *owner, uint64_t number, const char *text, pid_t pid)
{
	target_finder_ask(owner, number, text, pid);
}

static void renew_finder(void *owner)
{
	target_finder_renew(owner);
}

static const struct target_reply *take_reply(void *owner)
{
	return target_finder_reply(owner);
}

/* Returns the process whose files come first: the only one sampled at the start; 0: none. */
static pid_t pid_of(const struct session *session)
{
	const struct target *target = capture_target(session->capture);

	return target->id_count == 1 &&
	       (target->kind == TARGET_PROCESSES || target->kind == TARGET_COMMAND) ?
		       (pid_t)target->ids[0] : 0;
}

/* Creates the finder. A failure is only logged, as everything else works without it. */
static void create_finder(struct session *session)
{
	const struct target_finder_config config = {
		.sandbox = session->sandboxes[SANDBOX_OF_TARGETS], .pid = pid_of(session),
	};
	struct diag why = { .err = 0 };

	if (target_finder_create(&session->finder, &config, &why)) {
		log_warn("%s", why.text);
		return;
	}
	session->finder_control = (struct finder_control){
		.owner = session->finder, .ask = ask_finder, .reply = take_reply,
		.renew = renew_finder, .fd = target_finder_fd(session->finder),
	};
}

int session_probes_create(struct session *session, const struct options *options,
			  struct diag *why)
{
	const struct probe_engine_config config = {
		.sandbox = session->sandboxes[SANDBOX_OF_PROBES],
		.is_readonly = options->is_readonly, .cap_pct = options->probe_cap_pct,
		.cap_sum_pct = 2 * options->probe_cap_pct, .lease_ns = options->lease_ns,
		.copy_bytes = options->capture.call_graph.mode == CALL_GRAPH_FP ? 0
									       : COPY_BYTES,
	};
	int err = probe_engine_create(&session->probes, &config, why);

	if (err)
		return err;
	if (!options->is_batch)
		create_finder(session);
	session->probe_control = (struct probe_control){
		.owner = session->probes, .order = put_order, .answer = take_answer,
		.fd = probe_engine_answer_fd(session->probes), .cap_pct = config.cap_pct,
		.refusal = options->is_readonly ? "started with --readonly: no probe is attached"
						: probe_engine_refusal(session->probes),
	};
	return 0;
}

/* Lists the target processes and their descendants; those started later inherit probes. */
static int list_family(const struct target *target, pid_t **pids, size_t *count)
{
	pid_t *all = NULL, *family;
	size_t started = 0;
	int err = task_list_descendants(target->ids, target->id_count, 1, &all, &started);

	family = err ? NULL : realloc(all, (started + target->id_count) * sizeof(*all));
	if (!family) {
		free(all);
		return -ENOMEM;
	}
	memcpy(family + started, target->ids, target->id_count * sizeof(*family));
	*pids = family;
	*count = started + target->id_count;
	return 0;
}

/* Returns the probes of the command line with their processes. The caller must free() *@pids
 * afterwards. */
static struct startup_probes probes_of_options(const struct session *session,
					       const struct options *options, pid_t **pids)
{
	const struct target *target = capture_target(session->capture);
	struct startup_probes probes = {
		.specs = options->probes, .count = options->probe_count,
		.choice.with_stacks = options->capture.call_graph.mode != CALL_GRAPH_OFF,
	};

	if (target->kind == TARGET_PROCESSES || target->kind == TARGET_COMMAND) {
		probes.pids = target->ids;
		probes.pid_count = target->id_count;
	}
	if (target->has_descendants && !list_family(target, pids, &probes.pid_count))
		probes.pids = *pids;
	return probes;
}

static int attach_all(struct session *session, const struct startup_probes *probes,
		      struct diag *why)
{
	const int stop_fd = batch_signal_fd();
	int err;

	if (stop_fd < 0)
		return diag_set(why, stop_fd, "cannot watch signals: %s", strerror(-stop_fd));
	err = startup_probes_attach(session->probes, probes, stop_fd, why);
	close(stop_fd);
	return err;
}

int session_probes_start(struct session *session, const struct options *options, struct diag *why)
{
	struct startup_probes probes;
	pid_t *pids = NULL;
	int err;

	if (!options->probe_count)
		return 0;
	if (!session->probes)
		return diag_set(why, -EINVAL, "--probe and -i: a recording can't be probed");
	probes = probes_of_options(session, options, &pids);
	err = options->is_batch ? attach_all(session, &probes, why)
				: startup_probes_order(session->probes, &probes, why);
	free(pids);
	return err;
}

struct probe_source session_probes_source(const struct session *session)
{
	return (struct probe_source){
		.news = take_news, .owner = session->probes,
		.queue = probe_engine_queue(session->probes),
		.fd = probe_engine_fd(session->probes),
	};
}
