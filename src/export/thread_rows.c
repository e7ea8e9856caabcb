/* thread_rows.c - see export/thread_rows.h.
 *
 * Each thread waits for one lock at most, so from thread to owner there is at most one way: a walk
 * along it either ends or comes to a thread that it has seen, and then that begins a circle. Each
 * thread is walked over once.
 */
#include "export/thread_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/safe_print.h"
#include "cells.h"
#include "fold/wait_stacks.h"

#define NAME_BYTES  512	/* a longer name is cut */
#define RANGES_MAX  8	/* so many ranges of ids are in a line of text; JSON has all */
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

static void add_circle(struct thread_rows *out, const uint32_t *next, uint32_t start)
{
	struct thread_circle *circle = &out->circles[out->circle_count++];
	uint32_t at = start;

	circle->first = out->circle_count > 1 ? circle[-1].first + circle[-1].count : 0;
	do {
		out->entries[at].circle = out->circle_count;
		out->waiting[circle->first + circle->count++] = out->entries[at];
		at = next[at];
	} while (at != start);
}

/* @walk[i]: number of the walk that came to thread i; 0: none. */
static void find_circles(struct thread_rows *out, const uint32_t *next, uint32_t *walk)
{
	for (uint32_t i = 0; i < out->entry_count; i++) {
		uint32_t at = i;

		for (; at != NOBODY && !walk[at]; at = next[at])
			walk[at] = i + 1;
		if (at != NOBODY && walk[at] == i + 1)
			add_circle(out, next, at);
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
		find_circles(out, next, walk);
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

void threads_found_destroy(struct threads_found *found)
{
	if (!found)
		return;
	thread_rows_finish(&found->rows);
	threads_destroy(found->threads, found->thread_count);
	for (size_t i = 0; i < found->snapshot_count; i++)
		snapshot_destroy(found->snapshots[i]);
	free(found->snapshots);
	free(found);
}

/* Rows as text, JSON and tables. */

static void format_duration(char *out, size_t room, uint64_t ns)
{
	const double s = (double)ns / (double)CLOCK_NS_PER_S;

	if (!ns)
		snprintf(out, room, "-");
	else if (s < 1)
		snprintf(out, room, "%.0f ms", s * 1000);
	else if (s < 100)
		snprintf(out, room, "%.1f s", s);
	else if (s < 6000)
		snprintf(out, room, "%.0f m", s / 60);
	else
		snprintf(out, room, "%.0f h", s / 3600);
}

static void format_time(char *out, size_t room, uint64_t time_ns)
{
	const time_t seconds = (time_t)(time_ns / CLOCK_NS_PER_S);
	const unsigned ms = (unsigned)(time_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS);
	struct tm local;
	size_t length = 0;

	if (localtime_r(&seconds, &local))
		length = strftime(out, room, "%H:%M:%S", &local);
	snprintf(out + length, room - length, ".%03u", ms);
}

/* Writes @text, a word of kernel text, to @name. Returns the word after it. */
static const char *next_word(const char *text, char *name, size_t room, struct safe_text *out)
{
	const size_t length = strcspn(text, " ");

	*out = sanitize(name, room, text, length);
	return text + length + (text[length] == ' ');
}

const char *thread_rows_reason(const struct thread_now *now)
{
	switch (now->look) {
	case THREAD_RUNNING: return "it runs, or waits for a CPU";
	case THREAD_CHANGED: return "it ran while it was read";
	case THREAD_REFUSED:
		return "its stack may not be read: run as root, in the host's namespaces";
	case THREAD_SILENT:
		return "its memory does not respond: the server of a mapped file may be dead";
	case THREAD_KERNEL_ONLY:
	case THREAD_READ:    return "";
	}
	return "";
}

static struct safe_text comm_of(const struct thread_now *now, char out[4 * sizeof(now->comm) + 1])
{
	return sanitize_lazily(out, 4 * sizeof(now->comm) + 1, now->comm);
}

static void put_circle(FILE *out, const struct thread_rows *rows,
		       const struct thread_circle *circle)
{
	char comm[4 * sizeof(rows->waiting->now->comm) + 1];

	safe_print(out, "DEADLOCK: %" PRIu32 " threads wait for each other\n", circle->count);
	for (uint32_t i = 0; i < circle->count; i++) {
		const struct thread_entry *entry = &rows->waiting[circle->first + i];
		const struct thread_entry *owner =
			&rows->waiting[circle->first + (i + 1) % circle->count];
		const char *function = thread_rows_waits_in(entry);

		safe_print(out, "  %" PRIu32 " %s waits in %s for the lock at 0x%" PRIx64
			   ", which %" PRIu32 " has\n", entry->now->tid,
			   comm_of(entry->now, comm), sanitize_checked(*function ? function : "?"),
			   entry->now->futex, owner->now->tid);
	}
	safe_put(out, "\n");
}

/* Writes the ids as "4121-4126 4130". */
static void put_ids(FILE *out, const struct thread_entry *entries, uint32_t count)
{
	uint32_t ranges = 0, begin = 0;

	for (uint32_t i = 1; i <= count; i++) {
		const uint32_t last = entries[i - 1].now->tid;

		if (i < count && entries[i].now->tid == last + 1)
			continue;
		if (ranges++ == RANGES_MAX) {
			safe_print(out, " +%" PRIu32, count - begin);
			return;
		}
		safe_print(out, "%s%" PRIu32, ranges > 1 ? SAFE_TEXT(" ") : SAFE_TEXT(""),
			   entries[begin].now->tid);
		if (last != entries[begin].now->tid)
			safe_print(out, "-%" PRIu32, last);
		begin = i;
	}
}

static void put_stack(FILE *out, const struct thread_entry *entry)
{
	const char *reason = thread_rows_reason(entry->now), *kernel = entry->now->kernel;
	char name[NAME_BYTES];

	while (kernel && *kernel) {
		struct safe_text word;

		kernel = next_word(kernel, name, sizeof(name), &word);
		safe_print(out, "           %s [k]\n", word);
	}
	for (uint32_t i = 0; i < entry->frame_count; i++)
		safe_print(out, "           %s\n", sanitize_checked(entry->frames[i]));
	if (*reason)
		safe_print(out, "           (%s)\n", sanitize_checked(reason));
}

static void put_row(FILE *out, const struct thread_rows *rows, const struct thread_row *row)
{
	const struct thread_entry *entry = &rows->entries[row->first];
	const char *wait = thread_rows_wait(entry->now);
	char comm[4 * sizeof(entry->now->comm) + 1], since[32];

	format_duration(since, sizeof(since), row->longest_ns);
	safe_print(out, "%8" PRIu32 "  %c      %8s  %-10s  %-16s ", row->count, entry->now->state,
		   sanitize_checked(since), sanitize_checked(*wait ? wait : "-"),
		   comm_of(entry->now, comm));
	put_ids(out, entry, row->count);
	safe_put(out, "\n");
	put_stack(out, entry);
}

void threads_write_text(FILE *out, const struct thread_listing *listing)
{
	const struct thread_rows *rows = listing->rows;
	char time[32];
	uint32_t row = 0;

	format_time(time, sizeof(time), listing->time_ns);
	safe_print(out, "# %" PRIu32 " %s of %" PRIu32 " %s at %s, read in %.0f ms; "
		   "none was stopped\n", rows->entry_count,
		   rows->entry_count == 1 ? SAFE_TEXT("thread") : SAFE_TEXT("threads"),
		   rows->process_count,
		   rows->process_count == 1 ? SAFE_TEXT("process") : SAFE_TEXT("processes"),
		   sanitize_checked(time), (double)listing->took_ns / (double)CLOCK_NS_PER_MS);
	if (listing->incomplete)
		safe_print(out, "# %" PRIu64 " stacks end early: code without unwind rows, a "
			   "stack longer than its copy (--call-graph dwarf,BYTES), or registers "
			   "that can't be read (run as root)\n", listing->incomplete);
	if (listing->dropped)
		safe_print(out, "# %" PRIu64 " stacks are left out: no memory\n", listing->dropped);
	safe_put(out, "\n");
	for (uint32_t i = 0; i < rows->circle_count; i++)
		put_circle(out, rows, &rows->circles[i]);
	safe_put(out, " THREADS  STATE     SINCE  WAIT        COMMAND          TIDS\n");
	for (; row < rows->row_count && row < listing->max_rows; row++)
		put_row(out, rows, &rows->rows[row]);
	if (row < rows->row_count)
		safe_print(out, "# %" PRIu32 " more rows: -E says how many are printed\n",
			   rows->row_count - row);
}

static void put_number(FILE *out, const char *before, bool is_known, uint64_t number)
{
	safe_put_text(out, sanitize_checked(before));
	if (is_known)
		safe_print(out, "%" PRIu64, number);
	else
		safe_put(out, "null");
}

/* "" is null. */
static void put_json_text(FILE *out, const char *text)
{
	if (*text)
		safe_put_json(out, sanitize_checked(text));
	else
		safe_put(out, "null");
}

static void put_json_kernel(FILE *out, const char *kernel)
{
	char name[NAME_BYTES];

	if (!kernel) {
		safe_put(out, "null");
		return;
	}
	safe_put(out, "[");
	for (bool is_first = true; *kernel; is_first = false) {
		struct safe_text word;

		kernel = next_word(kernel, name, sizeof(name), &word);
		if (!is_first)
			safe_put(out, ",");
		safe_put_json(out, word);
	}
	safe_put(out, "]");
}

static void put_json_frames(FILE *out, const struct thread_entry *entry)
{
	if (!entry->frames) {
		safe_put(out, "null");
		return;
	}
	safe_put(out, "[");
	for (uint32_t i = 0; i < entry->frame_count; i++) {
		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(entry->frames[i]));
	}
	safe_put(out, "]");
}

static void put_json_row(FILE *out, const struct thread_rows *rows, const struct thread_row *row)
{
	const struct thread_entry *entry = &rows->entries[row->first];
	char comm[4 * sizeof(entry->now->comm) + 1];
	const char *reason = thread_rows_reason(entry->now);

	safe_print(out, "{\"threads\":%" PRIu32 ",\"state\":\"%c\",\"comm\":", row->count,
		   entry->now->state);
	safe_put_json(out, comm_of(entry->now, comm));
	put_number(out, ",\"longest_ns\":", row->longest_ns, row->longest_ns);
	put_number(out, ",\"shortest_ns\":", row->shortest_ns, row->shortest_ns);
	safe_put(out, ",\"wait\":");
	put_json_text(out, thread_rows_wait(entry->now));
	safe_put(out, ",\"kernel\":");
	put_json_kernel(out, entry->now->kernel);
	safe_put(out, ",\"user\":");
	put_json_frames(out, entry);
	safe_put(out, ",\"reason\":");
	put_json_text(out, reason);
	safe_put(out, ",\"pids\":[");
	for (uint32_t i = 0; i < row->count; i++)
		if (!i || entry[i].now->pid != entry[i - 1].now->pid)
			put_number(out, i ? "," : "", true, entry[i].now->pid);
	safe_put(out, "],\"tids\":[");
	for (uint32_t i = 0; i < row->count; i++)
		put_number(out, i ? "," : "", true, entry[i].now->tid);
	safe_put(out, "]}");
}

static void put_json_circle(FILE *out, const struct thread_rows *rows,
			    const struct thread_circle *circle)
{
	char comm[4 * sizeof(rows->waiting->now->comm) + 1];

	safe_put(out, "[");
	for (uint32_t i = 0; i < circle->count; i++) {
		const struct thread_entry *entry = &rows->waiting[circle->first + i];
		const struct thread_entry *owner =
			&rows->waiting[circle->first + (i + 1) % circle->count];
		const char *function = thread_rows_waits_in(entry);

		safe_print(out, "%s{\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":",
			   i ? SAFE_TEXT(",") : SAFE_TEXT(""), entry->now->pid, entry->now->tid);
		safe_put_json(out, comm_of(entry->now, comm));
		safe_put(out, ",\"function\":");
		put_json_text(out, function);
		safe_print(out, ",\"lock\":\"0x%" PRIx64 "\",\"owner\":%" PRIu32 "}",
			   entry->now->futex, owner->now->tid);
	}
	safe_put(out, "]");
}

void threads_write_json(FILE *out, const struct thread_listing *listing)
{
	const struct thread_rows *rows = listing->rows;
	char host[NAME_BYTES];

	safe_put(out, "{\"host\":");
	safe_put_json(out, sanitize(host, sizeof(host), listing->host, strlen(listing->host)));
	safe_print(out, ",\"time_ns\":%" PRIu64 ",\"took_ns\":%" PRIu64 ",\"threads\":%" PRIu32
		   ",\"processes\":%" PRIu32 ",\"incomplete_stacks\":%" PRIu64
		   ",\"dropped\":%" PRIu64 ",\"deadlocks\":[", listing->time_ns,
		   listing->took_ns, rows->entry_count, rows->process_count,
		   listing->incomplete, listing->dropped);
	for (uint32_t i = 0; i < rows->circle_count; i++) {
		if (i)
			safe_put(out, ",");
		put_json_circle(out, rows, &rows->circles[i]);
	}
	safe_put(out, "],\"rows\":[");
	for (uint32_t i = 0; i < rows->row_count && i < listing->max_rows; i++) {
		if (i)
			safe_put(out, ",");
		put_json_row(out, rows, &rows->rows[i]);
	}
	safe_put(out, "]}\n");
}

/* Texts of a row that are lists. Owned. */
struct row_lists {
	char *kernel, *user, *pids, *tids;
};

static void put_kernel(FILE *out, const char *kernel)
{
	char name[NAME_BYTES];

	for (bool is_first = true; kernel && *kernel; is_first = false) {
		struct safe_text word;

		kernel = next_word(kernel, name, sizeof(name), &word);
		safe_print(out, "%s%s", is_first ? SAFE_TEXT("") : SAFE_TEXT(";"), word);
	}
}

static void put_user(FILE *out, const struct thread_entry *entry)
{
	for (uint32_t i = 0; i < entry->frame_count; i++)
		safe_print(out, "%s%s", i ? SAFE_TEXT(";") : SAFE_TEXT(""),
			   sanitize_checked(entry->frames[i]));
}

static void put_pids(FILE *out, const struct thread_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!i || entries[i].now->pid != entries[i - 1].now->pid)
			safe_print(out, "%s%" PRIu32, i ? SAFE_TEXT(" ") : SAFE_TEXT(""),
				   entries[i].now->pid);
}

static void put_tids(FILE *out, const struct thread_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		safe_print(out, "%s%" PRIu32, i ? SAFE_TEXT(" ") : SAFE_TEXT(""),
			   entries[i].now->tid);
}

static int list_row(struct row_lists *out, const struct thread_entry *entries, uint32_t count)
{
	char **const texts[] = { &out->kernel, &out->user, &out->pids, &out->tids };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t bytes;
		FILE *list = open_memstream(texts[i], &bytes);

		if (!list)
			return -ENOMEM;
		if (texts[i] == &out->kernel)
			put_kernel(list, entries->now->kernel);
		else if (texts[i] == &out->user)
			put_user(list, entries);
		else if (texts[i] == &out->pids)
			put_pids(list, entries, count);
		else
			put_tids(list, entries, count);
		if (fclose(list) || !*texts[i])
			return -ENOMEM;
	}
	return 0;
}

static void put_cells(struct cells *cells, uint64_t time_ns, const struct thread_row *row,
		      const struct thread_entry *entry, const struct row_lists *lists)
{
	char comm[4 * sizeof(entry->now->comm) + 1];
	const char state[] = { entry->now->state, '\0' };

	cells_count(cells, "time_ns", NULL, time_ns);
	cells_count(cells, "threads", "THREADS", row->count);
	cells_word(cells, "state", "STATE", state);
	cells_time(cells, "longest_ns", "SINCE", row->longest_ns, row->longest_ns);
	cells_time(cells, "shortest_ns", NULL, row->shortest_ns, row->shortest_ns);
	cells_word(cells, "wait", "WAIT", thread_rows_wait(entry->now));
	cells_text(cells, "comm", "COMMAND", comm_of(entry->now, comm).chars);
	cells_number(cells, "deadlock", "DEADLOCK", row->circle, row->circle);
	cells_text(cells, "pids", NULL, lists->pids);
	cells_text(cells, "tids", "TIDS", lists->tids);
	cells_text(cells, "kernel", "KERNEL", lists->kernel);
	cells_text(cells, "user", "USER", lists->user);
	cells_word(cells, "reason", "REASON", thread_rows_reason(entry->now));
	cells_end(cells);
}

static void put_table_titles(struct cells *cells, enum cells_line line)
{
	static const struct thread_now now = { .comm = "" };
	const struct thread_row row = { .count = 0 };
	const struct thread_entry entry = { .now = &now };
	const struct row_lists lists = { .kernel = NULL };

	cells->line = line;
	put_cells(cells, 0, &row, &entry, &lists);
	cells->line = CELLS_VALUES;
}

int threads_write_table(FILE *out, const struct thread_listing *listing, enum table_style style)
{
	const struct thread_rows *rows = listing->rows;
	struct cells cells = { .out = out, .style = style };
	int err = 0;

	put_table_titles(&cells, CELLS_TITLES);
	if (style == TABLE_MARKDOWN)
		put_table_titles(&cells, CELLS_RULES);
	for (uint32_t i = 0; i < rows->row_count && i < listing->max_rows && !err; i++) {
		const struct thread_row *row = &rows->rows[i];
		struct row_lists lists = { .kernel = NULL };

		err = list_row(&lists, &rows->entries[row->first], row->count);
		if (!err)
			put_cells(&cells, listing->time_ns, row, &rows->entries[row->first],
				  &lists);
		free(lists.kernel);
		free(lists.user);
		free(lists.pids);
		free(lists.tids);
	}
	return err;
}
