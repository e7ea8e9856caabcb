/* recorder.c - an encoder, a queue, and the thread that writes the file. See record/recording.h.
 *
 *   encoder --> queue (QUEUE_BYTES, spsc) --> thread: recording_file, a sync each second
 *   main    <-- mailbox: status <------------'
 *
 * The queue is bounded, and whoever finds no room in it goes on: what is lost is counted. A replay
 * waits instead. After a failed write the thread goes on reading, and drops what it reads.
 *
 * The end: the thread ends when it has read END from the eventfd. Writing that is the last that the
 * producer does, as main may free the recorder from then on.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "packed_item.h"
#include "record/recording.h"
#include "written_record.h"

#define QUEUE_BYTES (16u << 20)	/* seconds of records, while a disk takes none */
#define WAKE_BYTES  (QUEUE_BYTES / 8)	/* the thread is woken before its second is over */
#define SYNC_NS	    CLOCK_NS_PER_S
#define COUNTS_NS   (SYNC_NS / 2)
#define END	    (UINT64_C(1) << 32)	/* more than all wake-ups before it */
#define NEW_FILE_MODE 0600

enum packet_kind { PACKET_ITEM, PACKET_COUNTS };

/* The queue's payload; an item's bytes and texts follow. */
struct packet {
	enum packet_kind kind;
	union {
		struct recording_item item;
		struct record_encoder_counts counts;
	};
};

struct recorder {
	struct record_encoder *encoder;	/* owned */
	struct recording_machine machine;	/* its texts are BORROWED */
	struct recording_file *file;	/* owned; the thread's while it runs */
	bool was_opened;		/* the same */
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
	int close_err;			/* the thread's: result of recording_file_close() */
	struct mailbox statuses;	/* struct recorder_status, owned by its holder */
	struct recorder_status status;	/* main's: the newest that was taken */
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

static void queue_counts(void *owner, const struct record_encoder_counts *counts)
{
	struct recorder *recorder = owner;
	struct packet *packet = spsc_reserve(&recorder->queue, sizeof(*packet));

	if (!packet)
		return;		/* the next ones will come */
	*packet = (struct packet){ .kind = PACKET_COUNTS, .counts = *counts };
	spsc_commit(&recorder->queue);
}

static void note_progress(void *owner, uint64_t limit_ns,
			  const struct record_encoder_counts *counts)
{
	struct recorder *recorder = owner;

	if (limit_ns < recorder->counts_due_ns)
		return;
	recorder->counts_due_ns = limit_ns + COUNTS_NS;
	queue_counts(owner, counts);
}

static void note_end(void *owner, const struct record_encoder_counts *counts)
{
	struct recorder *recorder = owner;

	recorder->last_counts = *counts;
	atomic_store_explicit(&recorder->has_ended, true, memory_order_release);	/* run() */
	whole_eventfd_write(recorder->wake_fd, END);
}

/* What the thread knows. */
struct progress {
	struct record_encoder_counts counts;
	struct diag why;		/* err 0: no write has failed */
	uint64_t bytes;
};

static void publish(struct recorder *recorder, const struct progress *progress, bool is_done)
{
	struct recorder_status *status = malloc(sizeof(*status));

	if (!status)
		return;		/* the next one will come */
	*status = (struct recorder_status){
		.is_on = !is_done && !progress->why.err, .is_done = is_done,
		.bytes = progress->bytes, .samples = progress->counts.samples,
		.lost = progress->counts.lost,
		.why = progress->why,
	};
	free(mailbox_put(&recorder->statuses, status));
}

static void take_packets(struct recorder *recorder, struct progress *progress)
{
	const struct packet *packet;
	struct recording_item item;
	size_t bytes;

	while ((packet = spsc_peek(&recorder->queue, &bytes))) {
		if (packet->kind == PACKET_COUNTS) {
			progress->counts = packet->counts;
		} else if (!progress->why.err) {
			item = packed_item_open(&packet->item, packet + 1);
			recording_file_add(recorder->file, &item, &progress->why);
		}
		spsc_release(&recorder->queue);
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
	struct recorder *recorder = owner;

	return !recording_file_add(recorder->file, item, NULL);
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
static void add_last_loss(struct recorder *recorder, struct progress *progress)
{
	const struct record_encoder_counts *counts = &recorder->last_counts;
	const struct written_trailer trailer = {
		.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX,
		.time_ns = counts->newest_ns, .id = WRITTEN_FIRST_ID,
	};
	struct written_record lost;

	if (!counts->unsaid || progress->why.err)
		return;
	written_record_lost(&lost, counts->unsaid, &trailer);
	recording_file_add(recorder->file, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = (const void *)lost.words,
		.time_ns = counts->newest_ns,
	}, &progress->why);
}

static int open_file(struct recorder *recorder, struct diag *why)
{
	const int fd = recording_file_create(recorder->path, why);
	const int err = fd < 0 ? fd : recording_file_begin(&recorder->file, fd,
							   &recorder->machine, why);

	recorder->was_opened = !err;
	return err;
}

/* Closes the file, so that main needs not wait for the disk. */
static void end_file(struct recorder *recorder, struct progress *progress)
{
	if (!recorder->file) {
		recorder->close_err = progress->why.err;
		return;
	}
	add_last_loss(recorder, progress);
	if (!progress->why.err)
		recording_file_sync(recorder->file, &progress->why);
	progress->bytes = recording_file_bytes(recorder->file);
	progress->counts = recorder->last_counts;
	recorder->close_err = recording_file_close(recorder->file, &progress->why);
	recorder->file = NULL;
}

static void *run(void *argument)
{
	struct recorder *recorder = argument;
	struct pollfd wake = { .fd = recorder->wake_fd, .events = POLLIN };
	struct progress progress = { .bytes = 0 };
	uint64_t due_ns;
	eventfd_t count;

	if (!recorder->file && open_file(recorder, &progress.why))
		publish(recorder, &progress, false);
	else
		add_kernel(recorder);
	due_ns = clock_now_ns() + SYNC_NS;
	for (;;) {
		poll(&wake, 1, clock_ms_until(due_ns, clock_now_ns()));
		if (eventfd_read(recorder->wake_fd, &count))
			count = 0;
		if (count >= END && atomic_load_explicit(&recorder->has_ended,
							 memory_order_acquire))	/* note_end() */
			break;
		take_packets(recorder, &progress);
		tell_of_room(recorder);
		if (clock_now_ns() < due_ns)
			continue;
		due_ns = clock_now_ns() + SYNC_NS;
		if (!progress.why.err)
			recording_file_sync(recorder->file, &progress.why);
		if (recorder->file)
			progress.bytes = recording_file_bytes(recorder->file);
		publish(recorder, &progress, false);
	}
	take_packets(recorder, &progress);
	end_file(recorder, &progress);
	publish(recorder, &progress, true);
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
	free(mailbox_take(&recorder->statuses));
	free(recorder->path);
	free(recorder);
}

static int begin_parts(struct recorder *recorder, const struct record_encoder_config *config,
		       struct diag *why)
{
	const struct recording_sink sink = {
		.owner = recorder, .write = queue_item, .progress = note_progress,
		.end = note_end,
	};
	int err = spsc_init(&recorder->queue, QUEUE_BYTES);

	if (!err && !recorder->path)
		err = -ENOMEM;
	if (!err) {
		recorder->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		recorder->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		err = recorder->wake_fd < 0 || recorder->room_fd < 0 ? -errno : 0;
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
	recorder->machine = config->machine;
	recorder->wake_fd = recorder->room_fd = -1;
	recorder->path = strdup(path);
	recorder->status.is_on = true;
	recorder->is_replay = config->is_replay;
	recorder->kernel_build_id = config->kernel_build_id;
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

	if (newest)
		recorder->status = *newest;
	free(newest);
	*out = recorder->status;
}

int recorder_finish(struct recorder *recorder, struct recorder_status *out, struct diag *why)
{
	struct recorder_status status;
	int err;

	if (!recorder)
		return 0;
	if (!atomic_load_explicit(&recorder->has_ended, memory_order_relaxed)) {
		const struct record_encoder_counts counts =
			record_encoder_counts(recorder->encoder);

		note_end(recorder, &counts);	/* the tee was never attached */
	}
	pthread_join(recorder->thread, NULL);
	recorder_status(recorder, &status);
	status.is_on = false;
	status.is_done = true;
	err = recorder->close_err;
	if (out)
		*out = status;
	if (err && !recorder->was_opened)
		diag_set(why, err, "%s", status.why.text);
	else if (err)
		diag_set(why, err, "the recording %s ended early: %s", recorder->path,
			 status.why.text);
	destroy(recorder);
	return err;
}
