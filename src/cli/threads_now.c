/* threads_now.c - waits for the stacks of all threads and prints them: threads_run() of
 * cli/session.h.
 *
 * Names come with the analyzer's last snapshots, a part of the threads in each; all are kept until
 * the last one, as rows are made of all of them.
 */
#include "cli/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "export/thread_rows.h"

#define LOOK_MS 40000	/* longer than what the analyzer lets the queue wait for a table */

struct snapshots {
	struct snapshot **list;		/* owned, each one too */
	size_t count;
	bool is_complete;
};

static void finish_snapshots(struct snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->count; i++)
		snapshot_destroy(snapshots->list[i]);
	free(snapshots->list);
}

static int take_snapshot(struct session *session, struct snapshots *snapshots, struct diag *why)
{
	struct snapshot *snapshot = analyzer_take_snapshot(session->analyzer);
	struct snapshot **grown;

	if (!snapshot)
		return 0;
	grown = realloc(snapshots->list, (snapshots->count + 1) * sizeof(*grown));
	if (!grown) {
		snapshot_destroy(snapshot);
		return diag_set(why, -ENOMEM, "no memory for the stacks");
	}
	snapshots->list = grown;
	grown[snapshots->count++] = snapshot;
	snapshots->is_complete = snapshot->is_last;
	return snapshot->end_err ? diag_set(why, snapshot->end_err, "%s", snapshot->end_reason)
				 : 0;
}

/* Returns 0; 128+n: signal n; or -errno. */
static int collect(struct session *session, struct snapshots *snapshots, struct diag *why)
{
	struct pollfd fds[] = { { .fd = session_signal_fd(), .events = POLLIN },
				{ .fd = analyzer_fd(session->analyzer), .events = POLLIN } };
	size_t progress = 0, before;
	bool is_stuck = false;
	int result = 0;

	while (!result && !is_stuck && !snapshots->is_complete) {
		const int ready = poll(fds, 2, LOOK_MS);

		if (ready > 0 && fds[0].revents)
			result = session_take_signal();
		else if (ready > 0)
			result = take_snapshot(session, snapshots, why);
		if (ready)
			continue;
		before = progress;
		progress = thread_reader_progress(session->threads);
		is_stuck = progress == before && progress != SIZE_MAX;	/* else names are to come */
	}
	close(fds[0].fd);
	if (!is_stuck)
		return result;
	return diag_set(why, -ETIMEDOUT, "a thread's memory can't be read, as the server of a file "
			"that is mapped there does not respond: -p and -t choose others");
}

struct stack_index {
	const struct snapshot_event **list;	/* owned; by tid */
	size_t count;
};

static int compare_tids(const void *one, const void *other)
{
	const struct snapshot_event *a = *(const struct snapshot_event *const *)one;
	const struct snapshot_event *b = *(const struct snapshot_event *const *)other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int index_stacks(const struct snapshots *snapshots, struct stack_index *out)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshots->count; i++)
		count += snapshots->list[i]->events->count;
	out->list = malloc((count + 1) * sizeof(*out->list));
	if (!out->list)
		return -ENOMEM;
	for (size_t i = 0; i < snapshots->count; i++)
		for (uint32_t j = 0; j < snapshots->list[i]->events->count; j++)
			out->list[out->count++] = &snapshots->list[i]->events->list[j];
	qsort(out->list, out->count, sizeof(*out->list), compare_tids);
	return 0;
}

static struct thread_entry entry_of(const struct stack_index *stacks, const struct thread_now *now)
{
	const struct snapshot_event wanted = { .tid = now->tid }, *key = &wanted;
	const struct snapshot_event **found =
		bsearch(&key, stacks->list, stacks->count, sizeof(key), compare_tids);
	struct thread_entry entry = { .now = now };

	if (found && now->look == THREAD_READ) {
		entry.frames = (*found)->frames;
		entry.frame_count = (*found)->frame_count;
	}
	return entry;
}

static int build_rows(const struct session *session, const struct snapshots *snapshots,
		      struct thread_rows *out)
{
	size_t count;
	const struct thread_now *threads = thread_reader_threads(session->threads, &count);
	struct thread_entry *entries = malloc((count + 1) * sizeof(*entries));
	struct stack_index stacks = { .count = 0 };
	int err = entries ? index_stacks(snapshots, &stacks) : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		entries[i] = entry_of(&stacks, &threads[i]);
	if (!err)
		err = thread_rows_build(out, entries, (uint32_t)count);
	free(stacks.list);
	free(entries);
	return err;
}

static struct thread_listing describe(const struct session *session, const struct options *options,
				      const struct snapshots *snapshots,
				      const struct thread_rows *rows)
{
	const struct snapshot *last = snapshots->list[snapshots->count - 1];
	struct thread_listing listing = {
		.rows = rows, .host = session->host, .dropped = last->events->dropped,
		.max_rows = options->max_rows,
	};
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	listing.incomplete = last->user_stacks - last->complete_stacks;
	for (uint32_t i = 0; i < rows->entry_count; i++) {
		first_ns = clock_earlier(first_ns, rows->entries[i].now->time_ns);
		if (rows->entries[i].now->time_ns > last_ns)
			last_ns = rows->entries[i].now->time_ns;
	}
	if (!rows->entry_count)
		first_ns = last_ns = clock_now_ns();
	listing.time_ns = first_ns + clock_wall_offset_ns();
	listing.took_ns = last_ns - first_ns;
	return listing;
}

static int print(const struct session *session, const struct options *options,
		 const struct snapshots *snapshots, struct diag *why)
{
	struct thread_rows rows;
	struct thread_listing listing;

	if (build_rows(session, snapshots, &rows))
		return diag_set(why, -ENOMEM, "no memory for the threads");
	listing = describe(session, options, snapshots, &rows);
	if (options->format == OUTPUT_JSON)
		threads_write_json(stdout, &listing);
	else
		threads_write_text(stdout, &listing);
	thread_rows_finish(&rows);
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	diag_set(why, -EIO, "cannot write the output: %s", strerror(errno));
	return BATCH_OUTPUT_FAILED;
}

int threads_run(struct session *session, const struct options *options, struct diag *why)
{
	struct snapshots snapshots = { .count = 0 };
	int result = collect(session, &snapshots, why);

	if (!result)
		result = print(session, options, &snapshots, why);
	finish_snapshots(&snapshots);
	return result;
}
