/* session_recordings.c - see session_recordings.h. */
#include "cli/session_recordings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/build_id.h"
#include "base/clock.h"
#include "symbols/kallsyms.h"

static int copy_headers(struct session_recording *recording, struct diag *why)
{
	const size_t count = perf_data_event_count(recording->reader);
	const struct perf_data_build_id *ids;
	size_t id_count;

	ids = perf_data_build_ids(recording->reader, &id_count);
	recording->events = calloc(count + 1, sizeof(*recording->events));
	recording->build_ids = calloc(id_count + 1, sizeof(*recording->build_ids));
	if (!recording->events || !recording->build_ids)
		return diag_set(why, -ENOMEM, "no memory for the recording");
	for (size_t i = 0; i < count; i++)
		recording->events[i] = perf_data_event(recording->reader, i);
	for (size_t i = 0; i < id_count; i++)
		recording->build_ids[i] = (struct ingest_build_id){
			.path = ids[i].path, .build_id = ids[i].build_id,
			.is_kernel = ids[i].is_kernel,
		};
	return 0;
}

static int begin_unpacking(void *owner, int fd, uint64_t begin, uint64_t end, int *records,
			   struct diag *why)
{
	struct session_recording *recording = owner;
	const struct record_unpacker_range range = { .file = fd, .begin = begin, .end = end };

	return record_unpacker_begin(&recording->unpacker, recording->sandbox, ++recording->jobs,
				     &range, records, why);
}

static int end_unpacking(void *owner, struct diag *why)
{
	struct session_recording *recording = owner;
	const int err = record_unpacker_end(recording->unpacker, why);

	recording->unpacker = NULL;
	return err;
}

static int open_one(struct session_recording *recording, const char *path, struct diag *why)
{
	const char *slash = strrchr(path, '/');
	int err = perf_data_open(&recording->reader, path, why);

	snprintf(recording->name, sizeof(recording->name), "%s", slash ? slash + 1 : path);
	snprintf(recording->text, sizeof(recording->text), "recording %s", recording->name);
	if (err)
		return err;
	perf_data_set_unpacker(recording->reader, &(struct perf_data_unpacker){
		.owner = recording, .begin = begin_unpacking, .end = end_unpacking,
	});
	return copy_headers(recording, why);
}

int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct sandbox *sandbox, struct diag *why)
{
	int err;

	recordings->first.sandbox = recordings->other.sandbox = sandbox;
	recordings->first.number = 1;
	recordings->other.number = 2;
	recordings->other.jobs = UINT32_MAX;	/* unpacked when the first recording is done */
	err = open_one(&recordings->first, path, why);

	return err || !diff_path ? err : open_one(&recordings->other, diff_path, why);
}

static void close_one(struct session_recording *recording)
{
	perf_data_close(recording->reader);
	free(recording->events);
	free(recording->build_ids);
}

void session_recordings_close(struct session_recordings *recordings)
{
	close_one(&recordings->first);
	close_one(&recordings->other);
	memset(recordings, 0, sizeof(*recordings));
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t booted_ns(void)
{
	return read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME);
}

/* A machine with the same name and kernel is taken for this one. */
static bool is_this_boot(const struct perf_data *reader)
{
	struct utsname here;

	return !uname(&here) && perf_data_written_ns(reader) >= booted_ns() &&
	       !strcmp(perf_data_host(reader), here.nodename) &&
	       !strcmp(perf_data_kernel_release(reader), here.release);
}

static void describe(const struct session_recording *recording, struct ingest_config *out)
{
	const int kernel_names = perf_data_kernel_names(recording->reader);

	out->events = recording->events;
	out->event_count = (uint32_t)perf_data_event_count(recording->reader);
	out->is_replay = true;
	out->build_ids = recording->build_ids;
	perf_data_build_ids(recording->reader, &out->build_id_count);
	out->running_kernel = kallsyms_build_id();
	if (kernel_names >= 0)
		out->kernel_names = (struct recorded_names){ .recording = recording->number,
							     .fd = kernel_names };
	out->is_this_boot = is_this_boot(recording->reader);
	out->written_ns = perf_data_written_ns(recording->reader);
}

/* Returns the build-id of the recorded kernel itself, not of a module; count 0: not recorded. */
static struct build_id kernel_of(const struct ingest_config *config)
{
	for (size_t i = 0; i < config->build_id_count; i++)
		if (config->build_ids[i].is_kernel && config->build_ids[i].path[0] == '[')
			return config->build_ids[i].build_id;
	return config->is_this_boot ? config->running_kernel : (struct build_id){ .count = 0 };
}

/* Names are known of the kernel that runs, and of one whose recording brought them; only it may
 * have them. */
static void tell_kernels_apart(struct ingest_config *first, struct ingest_config *other)
{
	const struct build_id of_first = kernel_of(first), of_other = kernel_of(other);

	if ((!of_first.count && !of_other.count) || build_id_is_equal(&of_first, &of_other))
		return;
	if (!build_id_is_equal(&of_first, &first->running_kernel))
		first->kernel_number = 1;
	if (!build_id_is_equal(&of_other, &other->running_kernel))
		other->kernel_number = 2;
}

static void drained(void *source)
{
	perf_data_consumed(source);
}

static int start(void *source, struct spsc *queue, struct diag *why)
{
	return perf_data_start(source, queue, why);
}

void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config)
{
	const struct session_recording *first = &recordings->first, *other = &recordings->other;
	struct second_recording *second = &recordings->second;

	describe(first, &config->ingest);
	config->queue_fd = perf_data_queue_fd(first->reader);
	config->queue_drained = drained;
	config->source = first->reader;
	config->target = first->text;
	config->notice = "";
	config->cpus = perf_data_cpu_count(first->reader);
	config->sockets = perf_data_sockets(first->reader, &config->socket_count);
	if (!other->reader)
		return;
	*second = (struct second_recording){
		.host = perf_data_host(other->reader), .target = other->text,
		.cpus = perf_data_cpu_count(other->reader),
		.first_name = first->name, .name = other->name,
		.queue_fd = perf_data_queue_fd(other->reader), .source = other->reader,
		.start = start,
	};
	second->sockets = perf_data_sockets(other->reader, &second->socket_count);
	describe(other, &second->ingest);
	tell_kernels_apart(&config->ingest, &second->ingest);
	config->second = second;
	config->query.compare = true;
}
