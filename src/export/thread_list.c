/* thread_list.c - threads as text and JSON, see export/thread_rows.h. */
#include "export/thread_rows.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/safe_print.h"

#define NAME_BYTES 512	/* a longer name is cut */
#define RANGES_MAX 8	/* so many ranges of ids are in a line of text; JSON has all */

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

static const char *reason_of(const struct thread_now *now)
{
	switch (now->look) {
	case THREAD_RUNNING: return "it runs, or waits for a CPU";
	case THREAD_CHANGED: return "it ran while it was read";
	case THREAD_REFUSED: return "its stack may be read by root only";
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
	const char *reason = reason_of(entry->now), *kernel = entry->now->kernel;
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
	const char *reason = reason_of(entry->now);

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
