/* recorder.c - an encoder, a queue, and the thread that writes the file. See record/recording.h.
 *
 *   encoder --> queue (QUEUE_BYTES, spsc) --> thread: recording_file, synced each second
 *      |                                        |
 *      `-> mailbox: counts --> main <-- mailbox: status
 *
 * The encoder counts what is lost, so that main knows it while the thread waits for a disk. The
 * thread counts what a file has.
 *
 * The queue is bounded, and whoever finds no room in it goes on: what is lost is counted. A replay
 * waits instead. After a failed write the thread goes on reading, and drops what it reads.
 *
 * Parts: the producer decides when another file is due, and a mark in the queue separates the
 * records of the one from those of the other. The thread keeps records that come only once (kernel
 * maps, kernel code, cgroups) and writes them into each file.
 *
 * The end: the thread ends when it has read END from the eventfd. Writing that is the last that the
 * producer does, as main may free the recorder from then on. A thread that waits for a disk can't
 * be ended: main leaves it alone, with the recorder.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
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
#include "file_features.h"
#include "packed_item.h"
#include "written_record.h"

#define QUEUE_BYTES (16u << 20)	/* seconds of records, while a disk takes none */
#define WAKE_BYTES  (QUEUE_BYTES / 8)	/* the thread is woken before its second is over */
#define SYNC_NS	    CLOCK_NS_PER_S
#define FIRST_SYNC_NS (SYNC_NS / 10)	/* after the first; each gap is twice the last */
#define COUNTS_NS   (SYNC_NS / 2)
#define STALL_NS    (4 * SYNC_NS)	/* without a status: the disk hangs */
#define END_MS	    1000
#define GLOBALS_BYTES ((size_t)4 << 20)	/* records for each file, at most */
#define NAME_NS	    10000000L		/* names have hundredths of a second, */
#define NAMES_MAX   100			/* and are tried until one is free */
#define STAMP_BYTES 32
#define END	    (UINT64_C(1) << 32)	/* more than all wake-ups before it */
#define NEW_FILE_MODE 0600

enum packet_kind { PACKET_ITEM, PACKET_PART };

/* The queue's payload; an item's bytes and texts follow. */
struct packet {
	enum packet_kind kind;		/* PACKET_PART: later items belong into another file */
	struct recording_item item;
};

/* A file that the recorder has created. */
struct made_file {
	char *path;		/* owned; NULL: out of memory, the file stays */
	dev_t device;
	ino_t inode;
};

/* State of the files, which the thread publishes. */
struct progress {
	struct diag why;		/* err 0: no write has failed */
	uint64_t bytes, samples;	/* sums over all files */
	uint64_t ended_bytes, ended_samples;	/* sums without the open one */
	uint64_t undescribed;		/* records that the open file lacks */
	uint32_t files;
};

struct recorder {
	struct record_encoder *encoder;	/* owned */
	struct recording_machine machine;	/* a copy */
	/* The thread's while it runs. */
	struct recording_file *file;	/* owned */
	struct progress progress;
	struct byte_store globals;	/* records that each file needs */
	uint64_t globals_left_out;	/* such records that had no room in it */
	struct made_file *made;		/* owned; the newest files, or the first, oldest first */
	uint32_t made_count;
	bool was_opened;
	int signal_fd;			/* signalfd; -1: signals don't matter */
	/* Parts. The producer's, but for the flag. */
	struct recorder_split split;
	atomic_bool is_part_wanted;	/* set by the thread at a signal */
	bool is_part_due;		/* the encoder will say when it begins */
	uint64_t part_bytes, part_ns;	/* counts and time at its begin */
	struct spsc queue;
	int wake_fd;			/* eventfd: the queue fills; END: it ends */
	int room_fd;			/* eventfd of a replay: the queue was emptied */
	atomic_bool is_room_awaited;
	uint64_t counts_due_ns;		/* producer's */
	bool is_replay;			/* see struct recorder_config */
	struct build_id kernel_build_id;
	atomic_bool has_ended;		/* set by the producer: nothing more will be queued */
	struct record_encoder_counts last_counts;	/* the producer's until then */
	pthread_t thread;
	char *path;			/* owned */
	bool has_joined;		/* main's: the thread is gone */
	int close_err;			/* the thread's: result of recording_file_close() */
	struct mailbox statuses;	/* struct recorder_status, owned by its holder */
	struct mailbox counts;		/* struct record_encoder_counts, the same */
	struct recorder_status status;	/* main's: the newest that was taken, */
	uint64_t status_ns;		/* and when */
};

int recording_file_create(const char *path, struct diag *why)
{
	struct stat found;
	const char *name;
	int directory = new_file_place(path, &name, why), fd, err;

	if (directory < 0)
		return directory;
	privileges_begin_write();
	fd = openat(directory, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		    NEW_FILE_MODE);
	err = fd < 0 ? -errno : 0;
	privileges_end_write();
	if (err == -EEXIST && !fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) &&
	    !S_ISREG(found.st_mode))
		diag_set(why, err, "%s is %s: a recording needs a regular file, whose header is "
			 "written again and again", path,
			 S_ISFIFO(found.st_mode) ? "a FIFO" : S_ISLNK(found.st_mode)
			 ? "a symbolic link" : S_ISDIR(found.st_mode) ? "a directory"
			 : "no regular file");
	else if (err == -EEXIST)
		diag_set(why, err, "%s exists: give another name", path);
	else if (err)
		diag_set(why, err, "cannot create %s: %s; another directory may do", path,
			 strerror(-err));
	close(directory);
	return err ? err : fd;
}

/* Returns room for @bytes in the queue; NULL: there is none. A replay waits for it. */
static struct packet *reserve_packet(struct recorder *recorder, size_t bytes)
{
	struct packet *packet = spsc_reserve(&recorder->queue, bytes);
	struct pollfd room = { .fd = recorder->room_fd, .events = POLLIN };
	eventfd_t count;

	while (!packet && recorder->is_replay && bytes < QUEUE_BYTES / 2) {
		atomic_store(&recorder->is_room_awaited, true);		/* tell_of_room() */
		whole_eventfd_write(recorder->wake_fd, 1);
		poll(&room, 1, -1);
		eventfd_read(recorder->room_fd, &count);
		packet = spsc_reserve(&recorder->queue, bytes);
	}
	return packet;
}

/* The sink of the encoder. The pointers in the queued item mean nothing; packed_item_open() sets
 * them. */
static bool queue_item(void *owner, const struct recording_item *item)
{
	struct recorder *recorder = owner;
	struct packet *packet = reserve_packet(recorder, sizeof(*packet) + packed_item_bytes(item));

	if (!packet)
		return false;
	*packet = (struct packet){ .kind = PACKET_ITEM, .item = *item };
	packed_item_write(packet + 1, item);
	spsc_commit(&recorder->queue);
	if (spsc_used(&recorder->queue) > WAKE_BYTES)
		whole_eventfd_write(recorder->wake_fd, 1);
	return true;
}

static bool queue_part(void *owner)
{
	struct recorder *recorder = owner;
	struct packet *packet = reserve_packet(recorder, sizeof(*packet));

	if (!packet)
		return false;
	*packet = (struct packet){ .kind = PACKET_PART };
	spsc_commit(&recorder->queue);
	recorder->is_part_due = false;
	recorder->part_ns = 0;
	return true;
}

static void publish_counts(struct recorder *recorder, const struct record_encoder_counts *counts)
{
	struct record_encoder_counts *copy = malloc(sizeof(*copy));

	if (!copy)
		return;		/* the next ones will come */
	*copy = *counts;
	free(mailbox_put(&recorder->counts, copy));
}

/* Whether the open file has all that it should have. Its time is that of its records. */
static bool is_part_full(struct recorder *recorder, uint64_t limit_ns, uint64_t bytes)
{
	const struct recorder_split *split = &recorder->split;

	if (!recorder->part_ns) {
		recorder->part_ns = limit_ns;
		recorder->part_bytes = bytes;
	}
	return (split->bytes && bytes - recorder->part_bytes >= split->bytes) ||
	       (split->time_ns && limit_ns - recorder->part_ns >= split->time_ns) ||
	       atomic_exchange_explicit(&recorder->is_part_wanted, false,
					memory_order_relaxed);	/* read_signal() */
}

static void note_progress(void *owner, uint64_t limit_ns,
			  const struct record_encoder_counts *counts)
{
	struct recorder *recorder = owner;

	if (recorder->split.is_on && !recorder->is_part_due && limit_ns != UINT64_MAX &&
	    is_part_full(recorder, limit_ns, counts->bytes)) {
		recorder->is_part_due = true;
		record_encoder_begin_part(recorder->encoder);
	}
	if (limit_ns < recorder->counts_due_ns)
		return;
	recorder->counts_due_ns = limit_ns + COUNTS_NS;
	publish_counts(recorder, counts);
}

static void note_end(void *owner, const struct record_encoder_counts *counts)
{
	struct recorder *recorder = owner;

	recorder->last_counts = *counts;
	atomic_store_explicit(&recorder->has_ended, true, memory_order_release);	/* run() */
	whole_eventfd_write(recorder->wake_fd, END);
}

static void publish(struct recorder *recorder, bool is_done)
{
	struct progress *progress = &recorder->progress;
	struct recorder_status *status = malloc(sizeof(*status));

	if (recorder->file) {
		progress->bytes = progress->ended_bytes + recording_file_bytes(recorder->file);
		progress->samples = progress->ended_samples +
				    recording_file_samples(recorder->file);
	}
	if (!status)
		return;		/* the next one will come */
	*status = (struct recorder_status){
		.is_on = !is_done && !progress->why.err, .is_done = is_done,
		.bytes = progress->bytes, .samples = progress->samples,
		.files = progress->files, .undescribed = progress->undescribed,
		.why = progress->why,
	};
	free(mailbox_put(&recorder->statuses, status));
}

/* Whether each file of a recording needs this record, which comes only once. */
static bool is_global(const struct perf_event_header *record)
{
	uint32_t pid;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		memcpy(&pid, record + 1, sizeof(pid));
		return pid == UINT32_MAX;	/* the kernel's */
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
		return true;
	default:
		return false;
	}
}

/* Keeps @record for the files to come. */
static void keep_global(struct recorder *recorder, const struct perf_event_header *record)
{
	struct byte_store *globals = &recorder->globals;
	const size_t before = globals->count;

	if (before + record->size <= GLOBALS_BYTES)
		byte_store_add(globals, record, record->size);
	recorder->globals_left_out += globals->count == before;
}

static void add_item(struct recorder *recorder, const struct recording_item *item)
{
	if (recorder->progress.why.err)
		return;
	if (recorder->split.is_on && item->kind == RECORDING_RECORD && is_global(item->record))
		keep_global(recorder, item->record);
	recording_file_add(recorder->file, item, &recorder->progress.why);
}

static void begin_next_file(struct recorder *recorder);

static void take_packets(struct recorder *recorder)
{
	const struct packet *packet;
	struct recording_item item;
	uint64_t bytes;
	size_t packet_bytes;

	while ((packet = spsc_peek(&recorder->queue, &packet_bytes))) {
		bytes = recorder->file ? recording_file_bytes(recorder->file) : 0;
		if (packet->kind == PACKET_PART) {
			begin_next_file(recorder);
		} else {
			item = packed_item_open(&packet->item, packet + 1);
			add_item(recorder, &item);
		}
		spsc_release(&recorder->queue);
		if (recorder->file && recording_file_bytes(recorder->file) != bytes)
			publish(recorder, false);	/* a slow disk takes it in steps */
	}
}

/* Wakes the producer if it waits; the queue is empty. */
static void tell_of_room(struct recorder *recorder)
{
	if (atomic_exchange(&recorder->is_room_awaited, false))		/* reserve_packet() */
		whole_eventfd_write(recorder->room_fd, 1);
}

static bool add_to_file(void *owner, const struct recording_item *item)
{
	add_item(owner, item);
	return true;
}

/* Begins the file with the kernel. */
static void add_kernel(struct recorder *recorder)
{
	const struct recording_sink sink = { .owner = recorder, .write = add_to_file };
	const struct recording_item build_id = {
		.kind = RECORDING_BUILD_ID,
		.build_id = { .path = RECORDING_KERNEL, .build_id = recorder->kernel_build_id,
			      .is_kernel = true },
	};

	if (!recorder->is_replay)
		recording_describe_kernel(&sink);
	else if (recorder->kernel_build_id.count)
		add_to_file(recorder, &build_id);
}

/* Reports in the file what was lost at the end, when the queue had no room for the report. */
static void add_last_loss(struct recorder *recorder)
{
	const struct record_encoder_counts *counts = &recorder->last_counts;
	const struct written_trailer trailer = {
		.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX,
		.time_ns = counts->newest_ns, .id = WRITTEN_FIRST_ID,
	};
	struct written_record lost;

	if (!counts->unsaid)
		return;
	written_record_lost(&lost, counts->unsaid, &trailer);
	add_item(recorder, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = (const void *)lost.words,
		.time_ns = counts->newest_ns,
	});
}

/* Removes a file, unless its path has become another file's. */
static void remove_file(const struct made_file *made)
{
	const char *name;
	struct stat found;
	struct diag why;
	const int directory = made->path ? new_file_place(made->path, &name, &why) : -1;

	if (directory < 0)
		return;
	privileges_begin_write();
	if (!fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) &&
	    found.st_dev == made->device && found.st_ino == made->inode)
		unlinkat(directory, name, 0);
	privileges_end_write();
	close(directory);
}

/* Notes another file, which is open as @fd, and removes the oldest ones that are too many. */
static void keep_file(struct recorder *recorder, const char *path, int fd)
{
	const uint32_t most = recorder->split.files_max;
	struct made_file *made;
	struct stat found;

	recorder->progress.files++;
	if ((!most && recorder->made_count) || fstat(fd, &found))
		return;
	made = realloc(recorder->made, (recorder->made_count + 1) * sizeof(*made));
	if (!made)
		return;		/* it stays */
	recorder->made = made;
	made[recorder->made_count++] = (struct made_file){
		.path = strdup(path), .device = found.st_dev, .inode = found.st_ino,
	};
	while (most && recorder->made_count > most) {
		remove_file(&made[0]);
		free(made[0].path);
		memmove(made, made + 1, --recorder->made_count * sizeof(*made));
	}
}

/* Makes the path of a file that begins @now, as perf does: to the hundredth of a second. */
static void format_path(char *out, size_t room, const char *path, const struct timespec *now)
{
	const time_t second = now->tv_sec + now->tv_nsec / 1000000000;
	char text[STAMP_BYTES] = "";
	struct tm local;

	if (localtime_r(&second, &local))
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
	snprintf(out, room, "%s.%s%02ld", path, text, now->tv_nsec % 1000000000 / NAME_NS);
}

/* Creates the file, or the next one of several, whose names end with the time they begin at.
 * Returns the descriptor or -errno. */
static int create_file(struct recorder *recorder, struct diag *why)
{
	const size_t room = strlen(recorder->path) + STAMP_BYTES;
	struct timespec now;
	char *path;
	int fd = -EEXIST;

	if (!recorder->split.is_on) {
		fd = recording_file_create(recorder->path, why);
		if (fd >= 0)
			keep_file(recorder, recorder->path, fd);
		return fd;
	}
	path = malloc(room);
	if (!path)
		return diag_set(why, -ENOMEM, "no memory for a recording");
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < NAMES_MAX && fd == -EEXIST; i++) {
		format_path(path, room, recorder->path, &now);
		why->err = 0;
		fd = recording_file_create(path, why);
		now.tv_nsec += NAME_NS;
	}
	if (fd >= 0)
		keep_file(recorder, path, fd);
	free(path);
	return fd;
}

static int open_file(struct recorder *recorder, struct diag *why)
{
	const int fd = create_file(recorder, why);
	const int err = fd < 0 ? fd : recording_file_begin(&recorder->file, fd,
							   &recorder->machine, why);

	recorder->was_opened |= !err;
	return err;
}

/* Closes a file that was synced, and takes what is known of it. Returns 0 or -errno. */
static int close_file(struct recorder *recorder, struct recording_file *file)
{
	struct progress *progress = &recorder->progress;

	progress->ended_bytes += recording_file_bytes(file);
	progress->ended_samples += recording_file_samples(file);
	progress->bytes = progress->ended_bytes;
	progress->samples = progress->ended_samples;
	return recording_file_close(file, progress->why.err ? NULL : &progress->why);
}

static void add_globals(struct recorder *recorder)
{
	const struct byte_store *globals = &recorder->globals;
	const struct perf_event_header *record;

	recorder->progress.undescribed = recorder->globals_left_out;
	for (size_t at = 0; at < globals->count; at += record->size) {
		record = (const void *)(globals->bytes + at);
		recording_file_add(recorder->file, &(struct recording_item){
			.kind = RECORDING_RECORD, .record = record,
		}, &recorder->progress.why);
	}
}

static void begin_next_file(struct recorder *recorder)
{
	struct progress *progress = &recorder->progress;
	struct recording_file *before = recorder->file;

	if (progress->why.err || recording_file_sync(before, &progress->why))
		return;		/* it is closed at the end */
	recorder->file = NULL;
	if (!open_file(recorder, &progress->why) &&
	    recording_file_continue(recorder->file, before))
		diag_set(&progress->why, -ENOMEM, "no memory for another file");
	close_file(recorder, before);
	if (!progress->why.err)
		add_globals(recorder);
	publish(recorder, false);
}

/* Closes the file, so that main needs not wait for the disk. */
static void end_file(struct recorder *recorder)
{
	struct diag *why = &recorder->progress.why;
	int err = 0;

	if (recorder->file) {
		add_last_loss(recorder);
		if (!why->err)
			recording_file_sync(recorder->file, why);
		err = close_file(recorder, recorder->file);
		recorder->file = NULL;
	}
	recorder->close_err = why->err ? why->err : err;
}

static void read_signal(struct recorder *recorder)
{
	struct signalfd_siginfo signal;

	while (read(recorder->signal_fd, &signal, sizeof(signal)) == sizeof(signal))
		atomic_store_explicit(&recorder->is_part_wanted, true,
				      memory_order_relaxed);	/* is_part_full() */
}

static void *run(void *argument)
{
	struct recorder *recorder = argument;
	struct pollfd wake[] = { { .fd = recorder->wake_fd, .events = POLLIN },
				 { .fd = recorder->signal_fd, .events = POLLIN } };
	struct progress *progress = &recorder->progress;
	uint64_t step_ns = FIRST_SYNC_NS / 2, due_ns = 0;	/* the first one is due */
	eventfd_t count;

	if (!recorder->file && open_file(recorder, &progress->why))
		publish(recorder, false);
	else
		add_kernel(recorder);
	for (;;) {
		poll(wake, 2, clock_ms_until(due_ns, clock_now_ns()));
		if (recorder->signal_fd >= 0)
			read_signal(recorder);
		if (eventfd_read(recorder->wake_fd, &count))
			count = 0;
		if (count >= END && atomic_load_explicit(&recorder->has_ended,
							 memory_order_acquire))	/* note_end() */
			break;
		take_packets(recorder);
		tell_of_room(recorder);
		if (clock_now_ns() < due_ns)
			continue;
		step_ns = step_ns < SYNC_NS / 2 ? 2 * step_ns : SYNC_NS;
		due_ns = clock_now_ns() + step_ns;
		if (!progress->why.err)
			recording_file_sync(recorder->file, &progress->why);
		publish(recorder, false);
	}
	take_packets(recorder);
	end_file(recorder);
	publish(recorder, true);
	return NULL;
}

static void destroy(struct recorder *recorder)
{
	recording_file_close(recorder->file, NULL);
	record_encoder_destroy(recorder->encoder);
	if (recorder->queue.bytes)
		spsc_finish(&recorder->queue);
	if (recorder->wake_fd >= 0)
		close(recorder->wake_fd);
	if (recorder->room_fd >= 0)
		close(recorder->room_fd);
	if (recorder->signal_fd >= 0)
		close(recorder->signal_fd);
	free(mailbox_take(&recorder->statuses));
	free(mailbox_take(&recorder->counts));
	recording_machine_finish(&recorder->machine);
	byte_store_finish(&recorder->globals);
	for (uint32_t i = 0; i < recorder->made_count; i++)
		free(recorder->made[i].path);
	free(recorder->made);
	free(recorder->path);
	free(recorder);
}

static int open_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int begin_parts(struct recorder *recorder, const struct record_encoder_config *config,
		       struct diag *why)
{
	const struct recording_sink sink = {
		.owner = recorder, .write = queue_item, .progress = note_progress,
		.part = queue_part, .end = note_end,
	};
	int err = spsc_init(&recorder->queue, QUEUE_BYTES);

	if (!err && !recorder->path)
		err = -ENOMEM;
	if (!err) {
		recorder->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		recorder->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (recorder->split.by_signal)
			recorder->signal_fd = open_signal();
		err = recorder->wake_fd < 0 || recorder->room_fd < 0 ||
		      (recorder->split.by_signal && recorder->signal_fd < 0) ? -errno : 0;
	}
	if (err)
		return diag_set(why, err, "cannot begin a recording: %s", strerror(-err));
	return record_encoder_create(&recorder->encoder, config, &sink, why);
}

int recorder_begin(struct recorder **out, const char *path, const struct recorder_config *config,
		   struct diag *why)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int err;

	*out = NULL;
	if (!recorder)
		return diag_set(why, -ENOMEM, "no memory for a recording");
	recorder->wake_fd = recorder->room_fd = recorder->signal_fd = -1;
	recorder->split = config->split;
	recorder->status_ns = clock_now_ns();
	recorder->path = strdup(path);
	recorder->status.is_on = true;
	recorder->is_replay = config->is_replay;
	recorder->kernel_build_id = config->kernel_build_id;
	err = recording_machine_copy(&recorder->machine, &config->machine);
	if (err)
		diag_set(why, err, "no memory for a recording");
	else
		err = begin_parts(recorder, &config->encoder, why);
	if (!err && !config->opens_later)
		err = open_file(recorder, why);
	if (!err) {
		err = thread_start(&recorder->thread, "recorder", run, recorder);
		if (err)
			diag_set(why, err, "cannot begin a recording: %s", strerror(-err));
	}
	if (err) {
		destroy(recorder);
		return err;
	}
	*out = recorder;
	return 0;
}

const struct record_tee *recorder_tee(struct recorder *recorder)
{
	return record_encoder_tee(recorder->encoder);
}

const char *recorder_path(const struct recorder *recorder)
{
	return recorder->path;
}

void recorder_status(struct recorder *recorder, struct recorder_status *out)
{
	struct recorder_status *newest = mailbox_take(&recorder->statuses);
	struct record_encoder_counts *counts = mailbox_take(&recorder->counts);
	const uint64_t lost = recorder->status.lost, now_ns = clock_now_ns();

	if (newest) {
		recorder->status = *newest;
		recorder->status_ns = now_ns;
	}
	recorder->status.lost = counts ? counts->lost : lost;
	recorder->status.is_stalled = !recorder->status.is_done &&
				      now_ns - recorder->status_ns >= STALL_NS;
	free(newest);
	free(counts);
	*out = recorder->status;
}

bool recorder_wait(struct recorder *recorder, uint32_t wait_ms)
{
	if (!atomic_load_explicit(&recorder->has_ended, memory_order_relaxed)) {
		const struct record_encoder_counts counts =
			record_encoder_counts(recorder->encoder);

		note_end(recorder, &counts);	/* the tee was never attached */
	}
	if (!recorder->has_joined)
		recorder->has_joined = thread_join_within(recorder->thread, wait_ms);
	return recorder->has_joined;
}

/* Says why a recording has ended early, and what is in its file. */
static int end_early(const struct recorder *recorder, const struct recorder_status *status,
		     struct diag *why)
{
	if (!recorder->has_joined)
		return diag_set(why, -ETIMEDOUT, "the disk of %s does not answer: what it has "
				"taken so far, %" PRIu64 " samples, is readable; %" PRIu64
				" more are lost", recorder->path, status->samples,
				status->unwritten);
	if (!recorder->was_opened)
		return diag_set(why, recorder->close_err, "%s", status->why.text);
	return diag_set(why, recorder->close_err, "the recording %s ended early, with %" PRIu64
			" samples, and %" PRIu64 " more are lost: %s", recorder->path,
			status->samples, status->unwritten, status->why.text);
}

int recorder_finish(struct recorder *recorder, struct recorder_status *out, struct diag *why)
{
	struct recorder_status status;
	bool is_ended;
	int err;

	if (!recorder)
		return 0;
	is_ended = recorder_wait(recorder, END_MS);
	recorder_status(recorder, &status);
	status.is_on = false;
	status.is_done = true;
	status.is_split = recorder->split.is_on;
	status.lost = recorder->last_counts.lost;
	status.unwritten = recorder->last_counts.samples > status.samples
			   ? recorder->last_counts.samples - status.samples : 0;
	if (out)
		*out = status;
	err = is_ended ? recorder->close_err : -ETIMEDOUT;
	if (err)
		end_early(recorder, &status, why);
	if (is_ended)
		destroy(recorder);
	return err;
}

bool recorder_discard(struct recorder *recorder)
{
	struct recorder_status status;

	if (!recorder_wait(recorder, END_MS))
		return false;
	recorder_status(recorder, &status);
	if (status.samples || status.files != 1 || recorder->made_count != 1)
		return false;
	remove_file(&recorder->made[0]);
	destroy(recorder);
	return true;
}
