/* record_control.c - see record_control.h. */
#include "record_control.h"

#include <string.h>

#include "capture/tracefs.h"
#include "record/recording.h"

static char *read_format(void *owner, const char *name)
{
	(void)owner;
	return tracefs_copy_format(name);
}

/* The machine of a replay is the recorded one. */
static void describe_replay(const struct session *session, struct recorder_config *config)
{
	const struct session_recording *first = &session->recordings.first;
	const uint32_t cpus = perf_data_cpu_count(first->reader);
	size_t count;
	const struct perf_data_build_id *ids = perf_data_build_ids(first->reader, &count);

	config->is_replay = true;
	config->encoder.read_format = NULL;
	config->machine.host = perf_data_host(first->reader);
	config->machine.release = perf_data_kernel_release(first->reader);
	if (perf_data_machine(first->reader)[0])
		config->machine.arch = perf_data_machine(first->reader);
	config->machine.cpu = "unknown";
	if (cpus)
		config->machine.cpus_available = config->machine.cpus_online = cpus;
	for (size_t i = 0; i < count; i++)
		if (ids[i].is_kernel && ids[i].path[0] == '[')
			config->kernel_build_id = ids[i].build_id;
}

static int begin(void *owner, const char *path, const struct record_tee **tee, struct diag *why)
{
	struct session *session = owner;
	struct recorder_config config = {
		.encoder = { .keeps_raw_stacks = session->keeps_raw_stacks,
			     .read_format = read_format },
	};
	int err;

	recording_machine_read(&config.machine, session->arguments);
	if (session->recordings.first.reader)
		describe_replay(session, &config);
	err = recorder_begin(&session->recorder, path, &config, why);
	if (!err)
		*tee = recorder_tee(session->recorder);
	return err;
}

static bool read_status(void *owner, struct recorder_status *out)
{
	const struct session *session = owner;

	if (session->recorder)
		recorder_status(session->recorder, out);
	return session->recorder;
}

static int finish(void *owner, struct recorder_status *out, struct diag *why)
{
	struct session *session = owner;
	struct recorder *recorder = session->recorder;

	session->recorder = NULL;
	return recorder_finish(recorder, out, why);
}

int record_control_begin(struct session *session, const struct options *options,
			 const struct record_tee **tee, struct diag *why)
{
	session->arguments = options->arguments;
	session->keeps_raw_stacks = options->keeps_raw_stacks;
	session->record = (struct record_control){
		.owner = session, .begin = begin, .status = read_status, .finish = finish,
	};
	return options->record_path ? begin(session, options->record_path, tee, why) : 0;
}
