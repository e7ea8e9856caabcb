/* follow.c - see follow.h.
 *
 * Problem: an event on a process is inherited by what it starts. A new process in /proc is either
 * such a child, sampled already, or new to us; taken for the wrong one it counts twice or never.
 *
 * Idea: each known process is attached (events on all its threads), covered (inherited) or refused.
 * A new process is covered when its parent is attached or covered and it began after that; the
 * parent's number and the start come from /proc/PID/stat. An orphan, now a child of init, had a
 * parent of ours if it began after us: it is covered too. When in doubt (the start is known to a
 * clock tick only) it counts as covered, because counted twice is worse than missed. What is left:
 * an orphan that went to a subreaper of another user is taken for new.
 *
 * Invariant: no process is attached that inherited an event of ours. A process's descriptors stay
 * open until it and all that inherited from it have ended.
 */
#include "follow.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/thread.h"
#include "proc/process_stat.h"

#define SCAN_EVERY_MS 1000

enum follow_state { FOLLOW_NEW, FOLLOW_ATTACHED, FOLLOW_COVERED, FOLLOW_REFUSED };

struct followed {
	pid_t pid, parent;
	uint64_t start_ticks;
	uint64_t since_ticks;	/* children started since then inherit the events */
	enum follow_state state;
};

struct follow {
	struct event_set *set;
	pthread_t thread;
	int stop_fd;
	uint64_t begin_ticks;
	size_t max_rows;
	bool has_warned_of_room;

	struct followed *known;	/* owned; sorted by pid */
	size_t known_count;
	int **rows;		/* owned; one per attached thread: a descriptor per lane */
	size_t row_count;
	struct event_counts *closed;	/* owned; per lane: counts of closed descriptors */
};

static int compare_followed(const void *a, const void *b)
{
	pid_t left = ((const struct followed *)a)->pid, right = ((const struct followed *)b)->pid;

	return (left > right) - (left < right);
}

static struct followed *find_known(const struct follow *follow, pid_t pid)
{
	struct followed key = { .pid = pid };

	if (!follow->known)
		return NULL;
	return bsearch(&key, follow->known, follow->known_count, sizeof(key), compare_followed);
}

/* Opens events on one thread. Returns 0 or -errno; -EMFILE at max_descriptors. */
static int open_thread(struct follow *follow, pid_t tid)
{
	struct event_failure failure;
	int *fds;
	int err;

	if (follow->row_count == follow->max_rows)
		return -EMFILE;
	fds = calloc(follow->set->lane_count, sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	err = event_set_open_row(follow->set, tid, fds, &failure);
	if (err) {
		free(fds);
		return err;
	}
	follow->rows[follow->row_count++] = fds;
	return 0;
}

static void tell_no_room(struct follow *follow, pid_t pid)
{
	if (!follow->has_warned_of_room)
		log_warn("no descriptors left (%zu threads followed): process %d and later ones are"
			 " not sampled; raise the limit (ulimit -n)", follow->row_count, (int)pid);
	follow->has_warned_of_room = true;
}

static enum follow_state attach_process(struct follow *follow, pid_t pid)
{
	pid_t *tids = NULL;
	size_t count = 0, opened = 0;
	int err = task_list_threads(pid, &tids, &count);

	for (size_t i = 0; i < count; i++) {
		err = open_thread(follow, tids[i]);
		if (err == -EMFILE || err == -ENOMEM)
			tell_no_room(follow, pid);
		opened += err == 0;
	}
	free(tids);
	return opened ? FOLLOW_ATTACHED : FOLLOW_REFUSED;
}

static void meet(struct follow *follow, struct followed *task);

static bool is_covered(struct follow *follow, const struct followed *task)
{
	struct followed *parent;

	if (task->parent == getpid())
		return task->start_ticks >= follow->begin_ticks;
	parent = find_known(follow, task->parent);
	if (!parent)
		return task->parent == 1 && task->start_ticks > follow->begin_ticks;
	if (parent->state == FOLLOW_NEW)
		meet(follow, parent);
	return parent->state != FOLLOW_REFUSED && task->start_ticks >= parent->since_ticks;
}

/* Decides the state of a new process, after that of its parent. */
static void meet(struct follow *follow, struct followed *task)
{
	task->state = FOLLOW_REFUSED;	/* ends the recursion if /proc shows a cycle */
	if (is_covered(follow, task)) {
		task->state = FOLLOW_COVERED;
		task->since_ticks = task->start_ticks;
		return;
	}
	task->state = attach_process(follow, task->pid);
	task->since_ticks = task_list_now_ticks();
}

/* Returns the process @pid as in the last scan if it was known, else as /proc shows it now. */
static struct followed look_at(const struct follow *follow, pid_t pid)
{
	struct followed now = { .pid = pid, .state = FOLLOW_NEW };
	const struct followed *before = find_known(follow, pid);
	bool is_gone = task_list_origin(pid, &now.parent, &now.start_ticks) != 0;

	if (before && (is_gone || before->start_ticks == now.start_ticks))
		return *before;	/* one that has just ended may still be a parent */
	now.state = is_gone ? FOLLOW_REFUSED : FOLLOW_NEW;
	return now;
}

static void scan(struct follow *follow)
{
	struct followed *now;
	pid_t *pids = NULL;
	size_t count = 0, kept = 0;

	task_list_processes_of(geteuid(), &pids, &count);
	now = calloc(count + 1, sizeof(*now));
	for (size_t i = 0; now && i < count; i++)
		if (pids[i] != getpid())
			now[kept++] = look_at(follow, pids[i]);
	free(pids);
	if (!now)
		return;		/* the next scan tries again */
	qsort(now, kept, sizeof(*now), compare_followed);
	free(follow->known);
	follow->known = now;
	follow->known_count = kept;
	for (size_t i = 0; i < kept; i++)
		if (now[i].state == FOLLOW_NEW)
			meet(follow, &now[i]);
}

static void close_row(struct follow *follow, size_t at)
{
	int *fds = follow->rows[at];

	for (size_t i = 0; i < follow->set->lane_count; i++) {
		event_set_add_counts(fds[i], &follow->closed[i]);
		close(fds[i]);
	}
	free(fds);
	follow->rows[at] = follow->rows[--follow->row_count];
}

static void close_ended_rows(struct follow *follow)
{
	for (size_t i = follow->row_count; i-- > 0;)
		if (event_set_is_over(follow->rows[i][0]))
			close_row(follow, i);
}

static void publish_losses(struct follow *follow)
{
	for (size_t lane = 0; lane < follow->set->lane_count; lane++) {
		struct event_counts sum = follow->closed[lane];

		for (size_t i = 0; i < follow->row_count; i++)
			event_set_add_counts(follow->rows[i][lane], &sum);
		atomic_store_explicit(&follow->set->lanes[lane].followed_lost, sum.lost,
				      memory_order_relaxed);	/* sampler.c put_losses() */
	}
}

static void *run_follow(void *argument)
{
	struct follow *follow = argument;
	struct pollfd stop = { .fd = follow->stop_fd, .events = POLLIN };

	do {
		close_ended_rows(follow);
		scan(follow);
		publish_losses(follow);
	} while (poll(&stop, 1, SCAN_EVERY_MS) <= 0);
	return NULL;
}

static void free_follow(struct follow *follow)
{
	if (follow->stop_fd >= 0)
		close(follow->stop_fd);
	free(follow->known);
	free(follow->rows);
	free(follow->closed);
	free(follow);
}

int follow_create(struct follow **out, struct event_set *set, size_t max_descriptors,
		  struct diag *why)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	int err = -ENOMEM;

	*out = NULL;
	if (!follow)
		return diag_set(why, -ENOMEM, "no memory to follow processes");
	follow->set = set;
	follow->begin_ticks = task_list_now_ticks();
	follow->max_rows = max_descriptors / set->lane_count;
	follow->rows = calloc(follow->max_rows + 1, sizeof(*follow->rows));
	follow->closed = calloc(set->lane_count, sizeof(*follow->closed));
	follow->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (follow->stop_fd < 0)
		err = -errno;
	else if (follow->rows && follow->closed)
		err = thread_start(&follow->thread, "ft-follow", run_follow, follow);
	if (err) {
		free_follow(follow);
		return diag_set(why, err, "cannot start following processes: %s", strerror(-err));
	}
	*out = follow;
	return 0;
}

void follow_destroy(struct follow *follow)
{
	const uint64_t one = 1;

	if (!follow)
		return;
	while (write(follow->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(follow->thread, NULL);
	while (follow->row_count)
		close_row(follow, follow->row_count - 1);
	publish_losses(follow);
	free_follow(follow);
}
