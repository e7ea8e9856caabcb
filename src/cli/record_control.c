/* record_control.c - see record_control.h. */
#include "record_control.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "base/sanitize.h"
#include "capture/tracefs.h"

#define PATIENCE_MS 10000	/* for a disk that takes nothing: 10 s */

static char *read_format(void *owner, const char *name)
{
	(void)owner;
	return tracefs_copy_format(name);
}

/* The machine of a replay is the recorded one. */
static void describe_replay(const struct perf_data *replayed, struct recorder_config *config)
{
	const uint32_t cpus = perf_data_cpu_count(replayed);
	size_t count;
	const struct perf_data_build_id *ids = perf_data_build_ids(replayed, &count);

	config->is_replay = true;
	config->encoder.read_format = NULL;
	config->machine.host = perf_data_host(replayed);
	config->machine.release = perf_data_kernel_release(replayed);
	if (perf_data_machine(replayed)[0])
		config->machine.arch = perf_data_machine(replayed);
	config->machine.cpu = "unknown";
	if (cpus)
		config->machine.cpus_available = config->machine.cpus_online = cpus;
	for (size_t i = 0; i < count; i++)
		if (ids[i].is_kernel && ids[i].path[0] == '[')
			config->kernel_build_id = ids[i].build_id;
}

static int begin_at(struct record_owner *records, const char *path, bool opens_later,
		    const struct record_tee **tee, struct diag *why)
{
	struct recorder_config config = {
		.opens_later = opens_later,
		.encoder = { .keeps_raw_stacks = records->options->keeps_raw_stacks,
			     .read_format = read_format },
	};
	int err;

	if (!opens_later)	/* -o, not O */
		config.split = records->options->split;

	recording_machine_read(&config.machine, records->options->arguments);
	if (records->replayed)
		describe_replay(records->replayed, &config);
	err = recorder_begin(&records->recorder, path, &config, why);
	if (!err)
		*tee = recorder_tee(records->recorder);
	return err;
}

static int begin(void *owner, const char *path, const struct record_tee **tee, struct diag *why)
{
	return begin_at(owner, path, true, tee, why);
}

static bool read_status(void *owner, struct recorder_status *out)
{
	const struct record_owner *records = owner;

	if (records->recorder)
		recorder_status(records->recorder, out);
	return records->recorder;
}

static int finish(void *owner, struct recorder_status *out, struct diag *why)
{
	struct record_owner *records = owner;
	struct recorder *recorder = records->recorder;

	records->recorder = NULL;
	return recorder_finish(recorder, out, why);
}

int record_owner_create(struct record_owner **out, const struct options *options,
			const struct perf_data *replayed, const struct record_tee **tee,
			struct diag *why)
{
	struct record_owner *records = calloc(1, sizeof(*records));

	*out = records;
	if (!records)
		return diag_set(why, -ENOMEM, "no memory for recordings");
	*records = (struct record_owner){
		.control = { .owner = records, .begin = begin, .status = read_status,
			     .finish = finish },
		.options = options, .replayed = replayed,
	};
	return options->record_path ? begin_at(records, options->record_path, false, tee, why) : 0;
}

/* Waits for a disk that is slow as long as it takes something. */
static void wait_for_disk(struct recorder *recorder)
{
	char clean[4 * PATH_MAX];
	const char *path = recorder_path(recorder);
	struct recorder_status status;
	uint64_t bytes;

	if (recorder_wait(recorder, 1000))
		return;
	safe_print(stderr, "flametop: waiting for the disk of %s, until it takes nothing for %d "
		   "s\n", sanitize(clean, sizeof(clean), path, strlen(path)), PATIENCE_MS / 1000);
	recorder_status(recorder, &status);
	do {
		bytes = status.bytes;
		if (recorder_wait(recorder, PATIENCE_MS))
			return;
		recorder_status(recorder, &status);
	} while (status.bytes != bytes);
}

void record_owner_discard(struct record_owner *owner)
{
	if (owner && owner->recorder && recorder_discard(owner->recorder))
		owner->recorder = NULL;
}

void record_owner_destroy(struct record_owner *owner, char *path, size_t room,
			  struct recorder_status *status, struct diag *why)
{
	path[0] = '\0';
	if (!owner)
		return;
	if (owner->recorder) {
		snprintf(path, room, "%s", recorder_path(owner->recorder));
		wait_for_disk(owner->recorder);
	}
	finish(owner, status, why);
	free(owner);
}
