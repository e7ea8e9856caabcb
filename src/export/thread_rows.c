/* thread_rows.c - see export/thread_rows.h.
 *
 * Each thread waits for one lock at most, so from thread to owner there is at most one way: a walk
 * along it either ends or comes to a thread that it has seen, and then that begins a circle. Each
 * thread is walked over once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/thread_rows.h"

#include "fold/wait_stacks.h"

#define NAME_BYTES  128	/* a kernel function's; a longer one is cut */
#define NOBODY	    UINT32_MAX
#define LOCK_FRAMES 8	/* a lock's own functions are among so many, the innermost */

static int compare_text(const char *a, const char *b)
{
	if (!a || !b)
		return !!a - !!b;
	return strcmp(a, b);
}

static int compare_frames(const struct thread_entry *a, const struct thread_entry *b)
{
	if (a->frame_count != b->frame_count)
		return a->frame_count < b->frame_count ? -1 : 1;
	for (uint32_t i = 0; i < a->frame_count; i++) {
		const int order = strcmp(a->frames[i], b->frames[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Orders what is a row of its own. */
static int compare_stacks(const struct thread_entry *a, const struct thread_entry *b)
{
	int order = (a->circle > b->circle) - (a->circle < b->circle);

	if (!order)
		order = strcmp(a->now->comm, b->now->comm);
	if (!order)
		order = a->now->state - b->now->state;
	if (!order)
		order = (int)a->now->look - (int)b->now->look;
	if (!order)
		order = compare_text(a->now->kernel, b->now->kernel);
	return order ? order : compare_frames(a, b);
}

static int compare_ids(const struct thread_now *a, const struct thread_now *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_entries(const void *one, const void *other)
{
	const struct thread_entry *a = one, *b = other;
	const int order = compare_stacks(a, b);

	return order ? order : compare_ids(a->now, b->now);
}

/* Rows of circles first; then the most threads, then the first in the order of entries. */
static int compare_rows(const void *one, const void *other)
{
	const struct thread_row *a = one, *b = other;

	if (a->circle != b->circle)
		return !a->circle || (b->circle && a->circle > b->circle) ? 1 : -1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void add_to_row(struct thread_row *row, const struct thread_now *now)
{
	const uint64_t still_ns = now->since_ns ? now->time_ns - now->since_ns : 0;

	row->count++;
	if (!now->since_ns)
		return;
	if (still_ns > row->longest_ns)
		row->longest_ns = still_ns;
	if (!row->shortest_ns || still_ns < row->shortest_ns)
		row->shortest_ns = still_ns;
}

static void build_rows(struct thread_rows *out)
{
	for (uint32_t i = 0; i < out->entry_count; i++) {
		if (!i || compare_stacks(&out->entries[i - 1], &out->entries[i]))
			out->rows[out->row_count++] =
				(struct thread_row){ .first = i, .circle = out->entries[i].circle };
		add_to_row(&out->rows[out->row_count - 1], out->entries[i].now);
	}
	if (out->row_count)
		qsort(out->rows, out->row_count, sizeof(*out->rows), compare_rows);
}

/* Returns the index of the thread of process @pid that calls itself @inner_tid. */
static uint32_t find_thread(const struct thread_entry *entries, uint32_t count, uint32_t pid,
			    uint32_t inner_tid)
{
	uint32_t low = 0, high = count;

	while (low < high) {	/* the first of the process */
		const uint32_t middle = low + (high - low) / 2;

		if (entries[middle].now->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && entries[low].now->pid == pid; low++)
		if (entries[low].now->inner_tid == inner_tid)
			return low;
	return NOBODY;
}

/* Sets @next[i] to the thread that has the lock which thread i waits for. */
static void find_owners(const struct thread_entry *entries, uint32_t count, uint32_t *next)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct thread_now *now = entries[i].now;

		next[i] = now->look == THREAD_READ && now->owner
				  ? find_thread(entries, count, now->pid, now->owner) : NOBODY;
	}
}

static void add_circle(struct thread_rows *out, const struct thread_entry *entries,
		       const uint32_t *next, uint32_t start)
{
	struct thread_circle *circle = &out->circles[out->circle_count++];
	uint32_t at = start;

	circle->first = out->circle_count > 1 ? circle[-1].first + circle[-1].count : 0;
	do {
		out->entries[at].circle = out->circle_count;
		out->waiting[circle->first + circle->count++] = entries[at];
		at = next[at];
	} while (at != start);
}

/* @walk[i]: number of the walk that came to thread i; 0: none. */
static void find_circles(struct thread_rows *out, const struct thread_entry *entries,
			 const uint32_t *next, uint32_t *walk)
{
	for (uint32_t i = 0; i < out->entry_count; i++) {
		uint32_t at = i;

		for (; at != NOBODY && !walk[at]; at = next[at])
			walk[at] = i + 1;
		if (at != NOBODY && walk[at] == i + 1)
			add_circle(out, entries, next, at);
	}
}

int thread_rows_build(struct thread_rows *out, const struct thread_entry *entries, uint32_t count)
{
	uint32_t *next = calloc(count + 1, sizeof(*next)), *walk = calloc(count + 1, sizeof(*walk));
	int err = -ENOMEM;

	*out = (struct thread_rows){
		.entries = malloc((count + 1) * sizeof(*out->entries)), .entry_count = count,
		.rows = calloc(count + 1, sizeof(*out->rows)),
		.waiting = calloc(count + 1, sizeof(*out->waiting)),
		.circles = calloc(count + 1, sizeof(*out->circles)),
	};
	if (next && walk && out->entries && out->rows && out->waiting && out->circles) {
		for (uint32_t i = 0; i < count; i++)
			out->process_count += !i || entries[i].now->pid != entries[i - 1].now->pid;
		memcpy(out->entries, entries, count * sizeof(*entries));
		find_owners(entries, count, next);
		find_circles(out, entries, next, walk);
		qsort(out->entries, count, sizeof(*out->entries), compare_entries);
		build_rows(out);
		err = 0;
	} else {
		thread_rows_finish(out);
	}
	free(next);
	free(walk);
	return err;
}

void thread_rows_finish(struct thread_rows *rows)
{
	free(rows->entries);
	free(rows->rows);
	free(rows->waiting);
	free(rows->circles);
	*rows = (struct thread_rows){ .entry_count = 0 };
}

/* Whether @name is a function of libc or of libstdc++ that waits for a lock. */
static bool is_of_lock(const char *name)
{
	static const char *const begins[] = {
		"lll_lock", "lll_wait", "lll_clocklock", "lll_timedlock", "futex", "syscall",
		"pthread_mutex_", "pthread_cond_timedlock", "mtx_lock", "mtx_timedlock", "gthread",
		"std::mutex::lock", "std::recursive_mutex::lock", "std::timed_mutex::",
		"std::lock_guard<", "std::unique_lock<", "std::scoped_lock<", "pthread_rwlock_",
	};

	while (*name == '_')
		name++;
	if (!strncmp(name, "GI_", 3))
		for (name += 3; *name == '_';)
			name++;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

const char *thread_rows_waits_in(const struct thread_entry *entry)
{
	uint32_t waits = 0;

	/* Without libc's debug symbols not all of its functions have a name. */
	for (uint32_t i = 0; i < entry->frame_count && i < LOCK_FRAMES; i++)
		if (is_of_lock(entry->frames[i]))
			waits = i + 1;
	return waits < entry->frame_count ? entry->frames[waits] : "";
}

const char *thread_rows_wait(const struct thread_now *now)
{
	struct wait_reason reason = { .is_any = false };
	enum wait_frame frame;
	enum wait_kind kind;
	char name[NAME_BYTES];

	for (const char *at = now->kernel; at && *at;) {
		const size_t length = strcspn(at, " ");

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		frame = wait_frame_classify(name, &kind);
		wait_reason_add(&reason, frame, kind);
		at += length + (at[length] == ' ');
	}
	kind = wait_reason_kind(&reason);
	return kind ? wait_kind_name(kind) : "";
}
