/* record_control.c - see record_control.h. */
#include "record_control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/tracefs.h"

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

void record_owner_destroy(struct record_owner *owner, char *path, size_t room,
			  struct recorder_status *status, struct diag *why)
{
	path[0] = '\0';
	if (!owner)
		return;
	if (owner->recorder)
		snprintf(path, room, "%s", recorder_path(owner->recorder));
	finish(owner, status, why);
	free(owner);
}
