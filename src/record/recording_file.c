/* recording_file.c - a perf.data file that is readable at any time. See record/recording.h.
 *
 * Problem: a recorder that is killed, or a full disk, must not cost what was recorded. Readers find
 * the features after the records, whose end is in the header, so they are overwritten by the next
 * records.
 *
 * Idea: records are collected in memory and written in steps, each of which leaves a readable file:
 *
 *	1. header: no features		 records until the last step
 *	2. new records, over the features
 *	3. features after them; slots of new events
 *	4. header: size of the data, features
 *
 * The header is one write. If another fails, the file is cut to the end of step 1's records, and
 * the features are written there again: their room was theirs before.
 *
 * A step's records end with the mark of a round: a reader need not have all of a long recording in
 * memory to put it in order.
 *
 * Rejected: features in records, as in a pipe, which hotspot and older readers don't look for.
 */
#include "file_features.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"

#define STEP_BYTES (1u << 20)	/* collected before they are written at the latest */
#define MAGIC "PERFILE2"
#define FINISHED_ROUND 68	/* PERF_RECORD_FINISHED_ROUND of linux/tools/lib/perf */

struct file_section {
	uint64_t offset, bytes;
};

struct file_header {
	char magic[8];
	uint64_t header_bytes, attr_bytes;
	struct file_section attrs, records, event_types;
	uint64_t features[FILE_FEATURE_WORDS];
};

struct attr_slot {
	struct perf_event_attr attr;
	struct file_section ids;
};

_Static_assert(sizeof(struct file_header) == 104, "as perf writes it");

#define SLOTS_BYTES (RECORDING_EVENTS_MAX * sizeof(struct attr_slot))
#define IDS_AT	    (sizeof(struct file_header) + SLOTS_BYTES)
#define RECORDS_AT	 (IDS_AT + RECORDING_EVENTS_MAX * sizeof(uint64_t))

struct recording_file {
	int fd;				/* owned */
	int err;			/* error that ended the recording; 0: none */
	struct file_header header;	/* as it is in the file */
	struct byte_store records;	/* that the file does not have yet */
	struct byte_store build_ids, features;
	struct recording_event *events;	/* owned, with their texts */
	uint32_t event_count, written_events;
	struct recording_machine machine;	/* texts owned, but for `arguments` */
	uint64_t first_ns, last_ns;
	uint64_t samples;		/* that were added */
	uint64_t written_samples;	/* that the file has */
	uint64_t written_last_ns;	/* time of the last one */
	uint64_t wall_offset_ns;
};

static int no_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for a recording");
}

static const char *cause_of(int err)
{
	switch (err) {
	case -ENOSPC:	return "no space is left on its disk: free some, or record elsewhere";
	case -EDQUOT:	return "the user's disk quota is used up: remove files, or record "
			       "elsewhere";
	case -EFBIG:	return "it has reached the limit of a file's size: raise ulimit -f";
	case -EROFS:	return "its file system has become read-only: see dmesg, or record "
			       "elsewhere";
	case -EIO:	return "its disk reports an error: see dmesg, or record elsewhere";
	case -E2BIG:	return "it has no room for the description of another event: begin "
			       "another recording";
	default:	return strerror(-err);
	}
}

/* Notes that a write has failed. The first failure stays. */
static int fail(struct recording_file *file, int err, struct diag *why)
{
	if (!file->err)
		file->err = err;
	return diag_set(why, file->err, "%s", cause_of(file->err));
}

/* Returns 0 or -errno; a part may have been written. */
static int write_at(const struct recording_file *file, const void *bytes, size_t count,
		    uint64_t offset)
{
	const unsigned char *at = bytes;

	while (count) {
		const ssize_t done = pwrite(file->fd, at, count, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		count -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

static uint64_t records_end(const struct recording_file *file)
{
	return file->header.records.offset + file->header.records.bytes;
}

static void make_features(struct recording_file *file, uint64_t at, struct file_header *header)
{
	const struct file_features features = {
		.machine = file->machine, .events = file->events,
		.event_count = file->event_count, .build_ids = &file->build_ids,
		.first_ns = file->first_ns, .last_ns = file->last_ns,
		.wall_offset_ns = file->wall_offset_ns,
	};

	byte_store_clear(&file->features);
	file_features_make(&file->features, &features, at, header->features);
	if (file->features.has_failed || file->build_ids.has_failed) {
		memset(header->features, 0, sizeof(header->features));
		byte_store_clear(&file->features);
	}
}

static int write_header(struct recording_file *file, const struct file_header *header)
{
	const int err = write_at(file, header, sizeof(*header), 0);

	if (!err)
		file->header = *header;
	return err;
}

static int write_events(struct recording_file *file, struct file_header *header)
{
	int err = 0;

	for (uint32_t i = file->written_events; i < file->event_count && !err; i++) {
		const struct recording_event *event = &file->events[i];
		const struct attr_slot slot = {
			.attr = event->attr,
			.ids = { IDS_AT + i * sizeof(uint64_t), sizeof(uint64_t) },
		};

		err = write_at(file, &event->id, sizeof(event->id), slot.ids.offset);
		if (!err)
			err = write_at(file, &slot, sizeof(slot),
				       sizeof(*header) + i * sizeof(slot));
	}
	header->attrs.bytes = file->event_count * sizeof(struct attr_slot);
	return err;
}

/* Says that later records are not older than those before the last mark. A file without records has
 * one, too: readers take a section of no bytes for a recorder that was killed. */
static void mark_round(struct recording_file *file)
{
	const struct perf_event_header mark = { .type = FINISHED_ROUND, .size = sizeof(mark) };

	if (file->records.count || !file->header.records.bytes)
		byte_store_add(&file->records, &mark, sizeof(mark));
}

/* Steps 1 to 4. */
static int write_step(struct recording_file *file)
{
	struct file_header next = file->header;
	int err = 0;

	if (file->header.features[0]) {
		memset(next.features, 0, sizeof(next.features));
		err = write_header(file, &next);
	}
	if (!err)
		err = write_at(file, file->records.bytes, file->records.count, records_end(file));
	if (err)
		return err;
	next.records.bytes += file->records.count;
	make_features(file, next.records.offset + next.records.bytes, &next);
	err = write_at(file, file->features.bytes, file->features.count,
		       next.records.offset + next.records.bytes);
	if (!err)
		err = write_events(file, &next);
	if (!err)
		err = write_header(file, &next);
	if (err)
		return err;
	file->written_events = file->event_count;
	file->written_samples = file->samples;
	file->written_last_ns = file->last_ns;
	byte_store_clear(&file->records);
	return 0;
}

/* Leaves what was recorded until the last step that went well. */
static void restore(struct recording_file *file)
{
	struct file_header last = file->header;
	const uint32_t event_count = file->event_count;

	byte_store_clear(&file->records);
	/* While the header tells of features, nothing was written over them. */
	if (file->header.features[0] || ftruncate(file->fd, (off_t)records_end(file)))
		return;
	file->event_count = file->written_events;
	file->last_ns = file->written_last_ns;
	make_features(file, records_end(file), &last);
	if (!write_at(file, file->features.bytes, file->features.count, records_end(file)))
		write_header(file, &last);
	file->event_count = event_count;
}

int recording_file_sync(struct recording_file *file, struct diag *why)
{
	int err;

	if (file->err)
		return fail(file, file->err, why);
	mark_round(file);
	if (file->records.has_failed)
		err = -ENOMEM;
	else
		err = write_step(file);
	if (!err)
		return 0;
	restore(file);
	return fail(file, err, why);
}

void recording_machine_read(struct recording_machine *out, char *const *arguments)
{
	static struct utsname names;
	const long available = sysconf(_SC_NPROCESSORS_CONF);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	uname(&names);
	*out = (struct recording_machine){
		.host = names.nodename, .release = names.release, .version = "flametop",
		.arch = names.machine,
		.cpus_available = available > 0 ? (uint32_t)available : 1,
		.cpus_online = online > 0 ? (uint32_t)online : 1, .arguments = arguments,
	};
}

/* Finds "model name : TEXT" in /proc/cpuinfo; other machines have other keys. */
static void read_cpu(char *out, size_t room)
{
	static const char *const keys[] = { "model name", "Processor", "CPU part" };
	char text[4096];
	const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? -1 : whole_read(fd, text, sizeof(text) - 1);
	const char *at = NULL;

	if (fd >= 0)
		close(fd);
	text[count > 0 ? count : 0] = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !at; i++)
		at = strstr(text, keys[i]);
	at = at ? strchr(at, ':') : NULL;
	at = at ? at + 1 + strspn(at + 1, " \t") : "unknown";
	snprintf(out, room, "%.*s", (int)strcspn(at, "\n"), at);
}

int recording_machine_copy(struct recording_machine *out, const struct recording_machine *from)
{
	*out = *from;
	out->host = strdup(from->host);
	out->release = strdup(from->release);
	out->version = strdup(from->version);
	out->arch = strdup(from->arch);
	out->cpu = from->cpu ? strdup(from->cpu) : NULL;
	return out->host && out->release && out->version && out->arch && (out->cpu || !from->cpu)
	       ? 0 : -ENOMEM;
}

void recording_machine_finish(struct recording_machine *machine)
{
	free((char *)machine->host);
	free((char *)machine->release);
	free((char *)machine->version);
	free((char *)machine->arch);
	free((char *)machine->cpu);
}

static int copy_machine(struct recording_machine *out, const struct recording_machine *from)
{
	char cpu[128];
	int err = recording_machine_copy(out, from);

	if (err || out->cpu)
		return err;
	read_cpu(cpu, sizeof(cpu));
	out->cpu = strdup(cpu);
	return out->cpu ? 0 : -ENOMEM;
}

int recording_file_begin(struct recording_file **out, int fd,
			 const struct recording_machine *machine, struct diag *why)
{
	struct recording_file *file = calloc(1, sizeof(*file));
	int err;

	*out = NULL;
	if (!file) {
		close(fd);
		return no_memory(why);
	}
	file->fd = fd;
	file->header = (struct file_header){
		.header_bytes = sizeof(file->header), .attr_bytes = sizeof(struct attr_slot),
		.attrs = { .offset = sizeof(file->header) }, .records = { .offset = RECORDS_AT },
	};
	memcpy(file->header.magic, MAGIC, sizeof(file->header.magic));
	file->wall_offset_ns = clock_wall_offset_ns();
	err = copy_machine(&file->machine, machine) ? no_memory(why)
						   : recording_file_sync(file, why);
	if (err) {
		recording_file_close(file, NULL);
		return err;
	}
	*out = file;
	return 0;
}

static int add_record(struct recording_file *file, const struct recording_item *item,
		      struct diag *why)
{
	byte_store_add(&file->records, item->record, item->record->size);
	if (item->is_sample) {
		if (!file->first_ns)
			file->first_ns = item->time_ns;
		file->last_ns = item->time_ns;
		file->samples++;
	}
	return file->records.count < STEP_BYTES ? 0 : recording_file_sync(file, why);
}

static void free_event(struct recording_event *event)
{
	free((char *)event->name);
	free((char *)event->format);
	free((char *)event->group);
	free((char *)event->probe);
}

static int add_event(struct recording_file *file, const struct recording_event *event)
{
	struct recording_event *events;
	struct recording_event copy = *event;

	for (uint32_t i = 0; i < file->event_count; i++)
		if (file->events[i].id == event->id)
			return 0;
	if (file->event_count == RECORDING_EVENTS_MAX)
		return -E2BIG;
	events = realloc(file->events, (file->event_count + 1) * sizeof(*events));
	if (!events)
		return -ENOMEM;
	file->events = events;
	copy.name = strdup(event->name);
	copy.format = strdup(event->format);
	copy.group = strdup(event->group);
	copy.probe = strdup(event->probe);
	if (!copy.name || !copy.format || !copy.group || !copy.probe) {
		free_event(&copy);
		return -ENOMEM;
	}
	file->events[file->event_count++] = copy;
	return 0;
}

/* Ends the recording with the error @err, after what came before it was written. */
static int end_early(struct recording_file *file, int err, struct diag *why)
{
	recording_file_sync(file, why);
	return fail(file, err, why);
}

int recording_file_add(struct recording_file *file, const struct recording_item *item,
		       struct diag *why)
{
	int err;

	if (file->err)
		return fail(file, file->err, why);
	switch (item->kind) {
	case RECORDING_RECORD:
		return add_record(file, item, why);
	case RECORDING_EVENT:
		err = add_event(file, &item->event);
		return err ? end_early(file, err, why) : 0;
	case RECORDING_BUILD_ID:
		file_features_add_build_id(&file->build_ids, &item->build_id);
		return 0;
	}
	return 0;
}

int recording_file_continue(struct recording_file *file, const struct recording_file *before)
{
	int err = 0;

	for (uint32_t i = 0; i < before->event_count && !err; i++)
		err = add_event(file, &before->events[i]);
	byte_store_add(&file->build_ids, before->build_ids.bytes, before->build_ids.count);
	return file->build_ids.has_failed ? -ENOMEM : err;
}

uint64_t recording_file_bytes(const struct recording_file *file)
{
	return records_end(file) + file->features.count;
}

uint64_t recording_file_samples(const struct recording_file *file)
{
	return file->written_samples;
}

int recording_file_close(struct recording_file *file, struct diag *why)
{
	int err;

	if (!file)
		return 0;
	err = file->err ? fail(file, file->err, why) : 0;
	if (!err && file->machine.cpu)
		err = recording_file_sync(file, why);
	if (close(file->fd) && !err)	/* NFS reports late that there was no space */
		err = fail(file, -errno, why);
	for (uint32_t i = 0; i < file->event_count; i++)
		free_event(&file->events[i]);
	free(file->events);
	byte_store_finish(&file->records);
	byte_store_finish(&file->build_ids);
	byte_store_finish(&file->features);
	recording_machine_finish(&file->machine);
	free(file);
	return err;
}
