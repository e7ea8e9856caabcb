/* flight_recorder.c - see record/flight_recorder.h.
 *
 * Problem: a recording needs the names and mappings of its tasks before their samples, and those
 * are older than the last seconds. Memory is bounded, and a save must not stop what goes on.
 *
 * Idea: records are kept in segments. Each begins with record_encoder_restart(), after which every
 * task is described anew before its next sample: so any run of segments is a complete recording.
 *
 *	| segment | segment | segment | open: filled now |
 *	  leaves when the next one reaches back far enough, or memory is used up
 *
 * Samples that waited in the encoder when a segment began may be of tasks that only the one before
 * describes: a segment leaves a second later than it could.
 *
 * A save closes the open segment and hands all of them to the thread, as a job; a segment is freed
 * once it has left and no job has it. Only the analyzer's thread counts that: the thread gives each
 * job back when it is done.
 */
#include "record/flight_recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "packed_item.h"

#define SEGMENTS_MAX	64
#define SEGMENT_PARTS	8	/* a segment has this part of the time, or of the memory */
#define SEGMENT_MIN_NS	CLOCK_NS_PER_S
#define MARGIN_NS	CLOCK_NS_PER_S	/* see above */
#define BLOCK_BYTES	((size_t)256 * 1024)
#define TRIGGERS_MAX	8
#define JOBS_BYTES	4096	/* pointers to jobs, on their way */
#define NAMES_MAX	100	/* files of one second */
#define TIME_BYTES	32
#define END_MS		30000	/* for a save at the end */

struct flight_block {
	struct flight_block *next;
	size_t used;
	unsigned char bytes[];
};

/* An item in a block; the record, or the texts of the event or build-id, follow. */
struct flight_item {
	uint32_t bytes;		/* with this header; a multiple of 8 */
	struct recording_item item;
};

struct flight_segment {
	struct flight_block *first, *last;	/* owned */
	uint64_t begin_ns;
	size_t bytes;
	uint32_t jobs;		/* that have it */
	bool has_left;		/* it is no longer kept */
};

/* A file to be written. */
struct flight_job {
	struct flight_segment *segments[SEGMENTS_MAX];
	uint32_t count;
	char path[FLIGHT_PATH_BYTES];	/* "": one of its own */
	struct flight_saved saved;	/* filled in by the thread */
};

struct flight_recorder {
	struct flight_config config;
	struct record_encoder *encoder;	/* owned */
	struct flight_segment *segments[SEGMENTS_MAX];	/* owned; the last one is open */
	uint32_t count;
	size_t bytes;			/* sum of all that are kept */
	size_t left_bytes;		/* sum of those that have left, but jobs have them */
	uint64_t limit_ns;		/* everything up to it has come */
	uint64_t looked_ns;		/* no trigger comes for seconds up to it */
	bool is_cut;
	uint64_t triggers[TRIGGERS_MAX];	/* save once everything up to these has come */
	uint32_t trigger_count;
	struct spsc to_thread, from_thread;	/* pointers to jobs */
	int wake_fd;			/* eventfd: a job waits, or the end */
	atomic_bool has_ended;		/* set by main, read by run() */
	/* Paths, from main and the thread to the analyzer: a later one replaces the one before,
	 * which needs no more than the exchange that a mailbox is. */
	struct mailbox requests;
	struct mailbox statuses;	/* struct flight_status, analyzer -> main */
	struct flight_status status;	/* main's: the newest that was taken */
	time_t named_s;			/* the thread's: second of the last own name, */
	int names;			/* and how many names of that second were used */
	pthread_t thread;
	bool has_thread;
};

static void destroy_segment(struct flight_segment *segment)
{
	struct flight_block *next;

	if (!segment)
		return;
	for (struct flight_block *block = segment->first; block; block = next) {
		next = block->next;
		free(block);
	}
	free(segment);
}

/* Returns room for @bytes in the open segment; NULL: out of memory. */
static void *take_room(struct flight_recorder *flight, size_t bytes)
{
	struct flight_segment *segment =
		flight->count ? flight->segments[flight->count - 1] : NULL;
	struct flight_block *block = segment ? segment->last : NULL;
	void *at;

	if (!segment || bytes > BLOCK_BYTES)
		return NULL;
	if (!block || BLOCK_BYTES - block->used < bytes) {
		block = malloc(sizeof(*block) + BLOCK_BYTES);
		if (!block)
			return NULL;
		*block = (struct flight_block){ .next = NULL };
		if (segment->last)
			segment->last->next = block;
		else
			segment->first = block;
		segment->last = block;
		segment->bytes += BLOCK_BYTES;
		flight->bytes += BLOCK_BYTES;
	}
	at = block->bytes + block->used;
	block->used += bytes;
	return at;
}

/* The sink of the encoder. The pointers in the kept item mean nothing; packed_item_open() sets
 * them. */
static bool hold_item(void *owner, const struct recording_item *item)
{
	const size_t bytes = (sizeof(struct flight_item) + packed_item_bytes(item) + 7) &
			     ~(size_t)7;
	struct flight_item *kept = take_room(owner, bytes);

	if (!kept)
		return false;
	*kept = (struct flight_item){ .bytes = (uint32_t)bytes, .item = *item };
	packed_item_write(kept + 1, item);
	return true;
}

/* Lets the oldest segment leave. */
static void drop_oldest(struct flight_recorder *flight)
{
	struct flight_segment *oldest = flight->segments[0];

	flight->bytes -= oldest->bytes;
	memmove(flight->segments, flight->segments + 1,
		--flight->count * sizeof(flight->segments[0]));
	oldest->has_left = true;
	if (oldest->jobs)
		flight->left_bytes += oldest->bytes;
	else
		destroy_segment(oldest);
}

/* The open one always stays, and so does what a second needs in which a condition may have become
 * true: on a busy machine records of several seconds may come before it is known. */
static void drop_old(struct flight_recorder *flight)
{
	const uint64_t kept_ns = flight->config.length_ns + MARGIN_NS;
	const uint64_t end_ns = flight->looked_ns < flight->limit_ns ? flight->looked_ns
								     : flight->limit_ns;

	while (flight->count > 1 && end_ns > kept_ns &&
	       flight->segments[1]->begin_ns < end_ns - kept_ns) {
		drop_oldest(flight);
		flight->is_cut = false;		/* all of the time fits */
	}
	while (flight->count > 1 && flight->bytes > flight->config.memory_bytes) {
		drop_oldest(flight);
		flight->is_cut = true;
	}
}

/* Begins a segment, in which everything is described anew. Without memory the open one goes on. */
static void begin_segment(struct flight_recorder *flight)
{
	struct flight_segment *segment = calloc(1, sizeof(*segment));

	if (!segment)
		return;
	if (flight->count == SEGMENTS_MAX)
		drop_oldest(flight);
	segment->begin_ns = flight->limit_ns;
	flight->segments[flight->count++] = segment;
	record_encoder_restart(flight->encoder);
}

static bool is_segment_full(const struct flight_recorder *flight)
{
	const struct flight_segment *open = flight->segments[flight->count - 1];
	uint64_t length_ns = flight->config.length_ns / SEGMENT_PARTS;

	if (length_ns < SEGMENT_MIN_NS)
		length_ns = SEGMENT_MIN_NS;
	return flight->limit_ns - open->begin_ns >= length_ns ||
	       open->bytes >= flight->config.memory_bytes / SEGMENT_PARTS;
}

/* Hands all that is kept to the thread. @path "": a name of its own. A disk that hangs must not
 * make the jobs hold ever more memory. */
static void begin_job(struct flight_recorder *flight, const char *path)
{
	const bool is_busy = flight->left_bytes > flight->config.memory_bytes;
	struct flight_job *job = is_busy ? NULL : calloc(1, sizeof(*job));
	struct flight_job **slot = job ? spsc_reserve(&flight->to_thread, sizeof(*slot)) : NULL;

	if (!slot) {
		const struct flight_saved failure = {
			.path = path, .why = { .err = -EBUSY, .text = "saves take too long, and too"
					       " many wait: a faster disk, or fewer conditions" },
		};

		flight->config.saved(flight->config.owner, &failure);
		free(job);
		return;
	}
	snprintf(job->path, sizeof(job->path), "%s", path);
	for (uint32_t i = 0; i < flight->count; i++) {
		job->segments[i] = flight->segments[i];
		job->segments[i]->jobs++;
	}
	job->count = flight->count;
	begin_segment(flight);		/* the thread's do not change any more */
	*slot = job;
	spsc_commit(&flight->to_thread);
	whole_eventfd_write(flight->wake_fd, 1);
}

/* A job is done with @segment. */
static void give_back(struct flight_recorder *flight, struct flight_segment *segment)
{
	if (--segment->jobs || !segment->has_left)
		return;
	flight->left_bytes -= segment->bytes;
	destroy_segment(segment);
}

/* Reports the jobs that are done. */
static void take_jobs(struct flight_recorder *flight)
{
	struct flight_job *const *slot;
	size_t bytes;

	while ((slot = spsc_peek(&flight->from_thread, &bytes))) {
		struct flight_job *job = *slot;

		spsc_release(&flight->from_thread);
		job->saved.path = job->path;
		flight->config.saved(flight->config.owner, &job->saved);
		for (uint32_t i = 0; i < job->count; i++)
			give_back(flight, job->segments[i]);
		free(job);
	}
}

static void run_triggers(struct flight_recorder *flight, uint64_t limit_ns)
{
	char *request = mailbox_take(&flight->requests);
	uint32_t left = 0;
	bool is_due = false;

	for (uint32_t i = 0; i < flight->trigger_count; i++)
		if (flight->triggers[i] <= limit_ns)
			is_due = true;
		else
			flight->triggers[left++] = flight->triggers[i];
	flight->trigger_count = left;
	if (is_due)
		begin_job(flight, "");
	if (request)
		begin_job(flight, request);
	free(request);
}

static void publish_status(struct flight_recorder *flight)
{
	struct flight_status *status;

	if (!mailbox_is_empty(&flight->statuses) || !flight->count)
		return;
	status = malloc(sizeof(*status));
	if (!status)
		return;
	*status = (struct flight_status){
		.kept_ns = flight->limit_ns - flight->segments[0]->begin_ns,
		.bytes = flight->bytes, .is_cut = flight->is_cut,
	};
	free(mailbox_put(&flight->statuses, status));
}

static void note_progress(void *owner, uint64_t limit_ns,
			  const struct record_encoder_counts *counts)
{
	struct flight_recorder *flight = owner;

	(void)counts;
	if (limit_ns == UINT64_MAX)
		return;
	if (flight->count && !flight->segments[0]->begin_ns)
		flight->segments[0]->begin_ns = limit_ns;	/* the first one */
	flight->limit_ns = limit_ns;
	take_jobs(flight);
	run_triggers(flight, limit_ns);
	if (is_segment_full(flight))
		begin_segment(flight);
	drop_old(flight);
	publish_status(flight);
}

/* All has come that ever will. */
static void note_end(void *owner, const struct record_encoder_counts *counts)
{
	struct flight_recorder *flight = owner;

	(void)counts;
	run_triggers(flight, UINT64_MAX);
	take_jobs(flight);
}

void flight_recorder_trigger(struct flight_recorder *flight, uint64_t until_ns)
{
	if (flight->trigger_count < TRIGGERS_MAX)	/* else the last ones save it as well */
		flight->triggers[flight->trigger_count++] = until_ns;
}

void flight_recorder_note_look(struct flight_recorder *flight, uint64_t until_ns)
{
	flight->looked_ns = until_ns;
}

/* The thread: writes files. */

/* Recordings that the user began have other names: nothing removes them. */
static bool is_own_name(const char *name)
{
	static const char pattern[] = "flametop-kept-dddddddd-dddddd";
	size_t i = 0, digits;

	for (; pattern[i]; i++)
		if (pattern[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != pattern[i])
			return false;
	name += i;
	if (*name == '-') {
		digits = strspn(name + 1, "0123456789");
		if (!digits)
			return false;
		name += 1 + digits;
	}
	return !strcmp(name, ".data");
}

/* Names of one second have the second as the first part: "...-02" comes after "....data". */
static int compare_names(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;
	const int order = strncmp(*left, *right, strlen("flametop-kept-dddddddd-dddddd"));
	const size_t left_bytes = strlen(*left), right_bytes = strlen(*right);

	if (order)
		return order;
	return left_bytes != right_bytes ? (left_bytes > right_bytes) - (left_bytes < right_bytes)
					 : strcmp(*left, *right);
}

/* Lists own files in @directory, sorted, the oldest first. */
static char **list_own(DIR *directory, size_t *count)
{
	const struct dirent *entry;
	char **names = NULL, **more;
	struct stat found;

	*count = 0;
	while ((entry = readdir(directory))) {
		if (!is_own_name(entry->d_name) ||
		    fstatat(dirfd(directory), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(found.st_mode) || found.st_uid != geteuid())
			continue;
		more = realloc(names, (*count + 1) * sizeof(*names));
		if (!more)
			break;
		names = more;
		names[*count] = strdup(entry->d_name);
		if (!names[*count])
			break;
		(*count)++;
	}
	if (names)
		qsort(names, *count, sizeof(*names), compare_names);
	return names;
}

/* Removes the oldest own files beside @path, so that at most @most are left. Returns how many. */
static uint32_t remove_oldest(const char *path, uint32_t most)
{
	struct diag why;
	const char *name;
	const int place = new_file_place(path, &name, &why);
	const int fd = place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	uint32_t removed = 0;
	char **names;
	size_t count;

	if (place >= 0)
		close(place);
	if (!directory) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	names = list_own(directory, &count);
	privileges_begin_write();
	for (size_t i = 0; i + most < count; i++)
		removed += !unlinkat(dirfd(directory), names[i], 0);
	privileges_end_write();
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	closedir(directory);
	return removed;
}

/* Creates a file that has the time in its name, and after the first of a second a number, which is
 * not used again when its file was removed. Returns the descriptor or -errno. */
static int create_own(struct flight_recorder *flight, char path[FLIGHT_PATH_BYTES],
		      struct diag *why)
{
	const char *directory = flight->config.directory;
	const time_t now = time(NULL);
	char name[TIME_BYTES] = "";
	struct tm local;
	int fd = -EEXIST;

	if (localtime_r(&now, &local))
		strftime(name, sizeof(name), "%Y%m%d-%H%M%S", &local);
	if (now != flight->named_s)
		flight->names = 0;
	flight->named_s = now;
	for (int i = 0; fd == -EEXIST && i < NAMES_MAX; i++) {
		if (!flight->names++)
			snprintf(path, FLIGHT_PATH_BYTES, "%s/flametop-kept-%s.data", directory,
				 name);
		else
			snprintf(path, FLIGHT_PATH_BYTES, "%s/flametop-kept-%s-%d.data", directory,
				 name, flight->names);
		why->err = 0;
		fd = recording_file_create(path, why);
	}
	return fd;
}

struct flight_file {
	struct recording_file *file;
	struct flight_saved *saved;
	uint64_t first_ns, last_ns;
};

static bool add_item(void *owner, const struct recording_item *item)
{
	struct flight_file *to = owner;

	if (to->saved->why.err)
		return true;
	if (item->kind == RECORDING_RECORD && item->is_sample) {
		to->saved->samples++;
		if (!to->first_ns)
			to->first_ns = item->time_ns;
		to->last_ns = item->time_ns;
	}
	recording_file_add(to->file, item, &to->saved->why);
	return true;
}

static void add_segment(struct flight_file *to, const struct flight_segment *segment)
{
	for (const struct flight_block *block = segment->first; block; block = block->next)
		for (size_t at = 0; at < block->used;) {
			const struct flight_item *kept = (const void *)(block->bytes + at);
			const struct recording_item item = packed_item_open(&kept->item, kept + 1);

			add_item(to, &item);
			at += kept->bytes;
		}
}

static void write_job(struct flight_recorder *flight, struct flight_job *job)
{
	const bool is_own = !job->path[0];
	struct flight_file to = { .saved = &job->saved };
	struct diag *why = &job->saved.why;
	const int fd = is_own ? create_own(flight, job->path, why)
			      : recording_file_create(job->path, why);

	if (fd < 0 || recording_file_begin(&to.file, fd, &flight->config.machine, why))
		return;
	recording_describe_kernel(&(struct recording_sink){ .owner = &to, .write = add_item });
	for (uint32_t i = 0; i < job->count; i++)
		add_segment(&to, job->segments[i]);
	if (!why->err)
		recording_file_sync(to.file, why);
	job->saved.bytes = recording_file_bytes(to.file);
	job->saved.seconds = (double)(to.last_ns - to.first_ns) / 1e9;
	recording_file_close(to.file, why->err ? NULL : why);
	if (is_own)
		job->saved.removed = remove_oldest(job->path, flight->config.files_max);
}

static void write_jobs(struct flight_recorder *flight)
{
	struct flight_job *const *slot;
	struct flight_job *job, **done;
	size_t bytes;

	while ((slot = spsc_peek(&flight->to_thread, &bytes))) {
		job = *slot;
		spsc_release(&flight->to_thread);
		write_job(flight, job);
		done = spsc_reserve(&flight->from_thread, sizeof(*done));
		if (!done)	/* as many as came fit */
			continue;
		*done = job;
		spsc_commit(&flight->from_thread);
	}
}

void flight_recorder_block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int open_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void *run(void *argument)
{
	struct flight_recorder *flight = argument;
	struct pollfd fds[] = { { .fd = flight->wake_fd, .events = POLLIN },
				{ .fd = open_signal(), .events = POLLIN } };
	struct signalfd_siginfo signal;
	bool has_ended = false;
	eventfd_t count;

	while (!has_ended) {
		poll(fds, 2, -1);
		eventfd_read(flight->wake_fd, &count);
		has_ended = atomic_load_explicit(&flight->has_ended,
						 memory_order_acquire);	/* destroy() */
		if (fds[1].revents && read(fds[1].fd, &signal, sizeof(signal)) == sizeof(signal))
			flight_recorder_save(flight, "");
		write_jobs(flight);
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	return NULL;
}

bool flight_recorder_save(struct flight_recorder *flight, const char *path)
{
	char *request = strdup(path);

	if (!request)
		return false;
	free(mailbox_put(&flight->requests, request));
	return true;
}

void flight_recorder_status(struct flight_recorder *flight, struct flight_status *out)
{
	struct flight_status *newest = mailbox_take(&flight->statuses);

	if (newest)
		flight->status = *newest;
	free(newest);
	*out = flight->status;
}

const struct record_tee *flight_recorder_tee(struct flight_recorder *flight)
{
	return record_encoder_tee(flight->encoder);
}

static int begin_parts(struct flight_recorder *flight, struct diag *why)
{
	const struct recording_sink sink = {
		.owner = flight, .write = hold_item, .progress = note_progress, .end = note_end,
	};
	int err = spsc_init(&flight->to_thread, JOBS_BYTES);

	if (!err)
		err = spsc_init(&flight->from_thread, JOBS_BYTES);
	if (err)
		return diag_set(why, err, "no memory for --keep-last");
	flight->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (flight->wake_fd < 0)
		return diag_set(why, -errno, "no descriptors left: raise ulimit -n");
	err = record_encoder_create(&flight->encoder, &flight->config.encoder, &sink, why);
	if (err)
		return err;
	begin_segment(flight);
	if (!flight->count)
		return diag_set(why, -ENOMEM, "no memory for --keep-last");
	err = thread_start(&flight->thread, "ft-keep", run, flight);
	flight->has_thread = !err;
	return err ? diag_set(why, err, "cannot start the thread of --keep-last: %s",
			      strerror(-err)) : 0;
}

int flight_recorder_create(struct flight_recorder **out, const struct flight_config *config,
			   struct diag *why)
{
	struct flight_recorder *flight = calloc(1, sizeof(*flight));
	int err;

	*out = NULL;
	if (!flight)
		return diag_set(why, -ENOMEM, "no memory for --keep-last");
	flight->config = *config;
	flight->wake_fd = -1;
	flight->looked_ns = UINT64_MAX;
	err = begin_parts(flight, why);
	if (err) {
		flight_recorder_destroy(flight);
		return err;
	}
	*out = flight;
	return 0;
}

/* Ends the thread. False: it waits for a disk that hangs, and can't be ended. */
static bool end_thread(struct flight_recorder *flight)
{
	const struct flight_saved failure = {
		.path = "", .why = { .err = -ETIMEDOUT, .text = "their disk does not answer: see "
				     "dmesg, or take another --keep-dir" },
	};

	atomic_store_explicit(&flight->has_ended, true, memory_order_release);	/* run() */
	whole_eventfd_write(flight->wake_fd, 1);
	if (!thread_join_within(flight->thread, END_MS)) {
		flight->config.saved(flight->config.owner, &failure);
		return false;
	}
	take_jobs(flight);
	return true;
}

void flight_recorder_destroy(struct flight_recorder *flight)
{
	if (!flight)
		return;
	if (flight->has_thread && !end_thread(flight))
		return;		/* the thread has it to the end of the program */
	for (uint32_t i = 0; i < flight->count; i++)
		destroy_segment(flight->segments[i]);
	record_encoder_destroy(flight->encoder);
	if (flight->to_thread.bytes)
		spsc_finish(&flight->to_thread);
	if (flight->from_thread.bytes)
		spsc_finish(&flight->from_thread);
	if (flight->wake_fd >= 0)
		close(flight->wake_fd);
	free(mailbox_take(&flight->requests));
	free(mailbox_take(&flight->statuses));
	free(flight);
}
