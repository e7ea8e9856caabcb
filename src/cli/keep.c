/* keep.c - see keep.h.
 *
 * The analyzer finds that a condition has fired, and main says so: sentences are passed from one to
 * the other by a queue.
 */
#include "keep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/safe_print.h"
#include "base/sanitize.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "capture/tracefs.h"
#include "record/flight_recorder.h"

#define MESSAGES_BYTES (64u * 1024)	/* a hundred and more */

struct keep {
	const struct options *options;	/* BORROWED */
	struct spsc messages;		/* struct keep_message items, from the analyzer to main */
	struct keep_control control;
	struct flight_recorder *flight;	/* owned; NULL: nothing is kept */
};

/* Formats the time of the day, local. */
static const char *format_time(char out[16], uint64_t monotonic_ns)
{
	const time_t wall = (time_t)((monotonic_ns + clock_wall_offset_ns()) / CLOCK_NS_PER_S);
	struct tm local;

	out[0] = '\0';
	if (localtime_r(&wall, &local))
		strftime(out, 16, "%H:%M:%S", &local);
	return out;
}

/* Analyzer's thread. */
static void queue_message(struct keep *keep, const struct keep_message *message)
{
	struct keep_message *slot = spsc_reserve(&keep->messages, sizeof(*slot));

	log_note("%s", message->text);
	if (!slot)
		return;		/* it is in the log */
	*slot = *message;
	spsc_commit(&keep->messages);
	whole_eventfd_write(keep->control.fd, 1);
}

/* Analyzer's thread. */
static void report_fired(void *owner, const struct condition_event *event)
{
	struct keep_message message = { .rings = true };
	struct keep *keep = owner;
	char value[CONDITION_VALUE_BYTES], time[16];

	snprintf(message.text, sizeof(message.text), "%s: %s, in the second until %s",
		 event->condition->text, condition_format(value, event->condition, event->value),
		 format_time(time, event->end_ns));
	queue_message(keep, &message);
	if (keep->flight)
		flight_recorder_trigger(keep->flight, event->end_ns);
}

/* Analyzer's thread. */
static void note_look(void *owner, uint64_t until_ns)
{
	struct keep *keep = owner;

	if (keep->flight)
		flight_recorder_note_look(keep->flight, until_ns);
}

/* Analyzer's thread, or main when that has ended. */
static void report_saved(void *owner, const struct flight_saved *saved)
{
	struct keep_message message = { .rings = false };
	char text[sizeof(message.text)], removed[48] = "";

	if (saved->removed)
		snprintf(removed, sizeof(removed), "; %" PRIu32 " older removed", saved->removed);
	if (saved->why.err)
		snprintf(text, sizeof(text), "the last seconds are not saved: %s",
			 saved->why.text);
	else
		snprintf(text, sizeof(text), "saved %.1f s, %" PRIu64 " samples, in %s%s",
			 saved->seconds, saved->samples, saved->path, removed);
	sanitize_text(message.text, sizeof(message.text), text, strlen(text));
	queue_message(owner, &message);
}

static bool save(void *owner, const char *path)
{
	struct keep *keep = owner;

	return flight_recorder_save(keep->flight, path);
}

static void read_status(void *owner, struct keep_status *out)
{
	struct keep *keep = owner;
	struct flight_status status;

	flight_recorder_status(keep->flight, &status);
	*out = (struct keep_status){
		.kept_s = (double)status.kept_ns / 1e9, .is_cut = status.is_cut,
		.wanted_s = (double)keep->options->keep_ns / 1e9,
	};
}

static char *read_format(void *owner, const char *name)
{
	(void)owner;
	return tracefs_copy_format(name);
}

static int begin_flight(struct keep *keep, struct diag *why)
{
	const struct options *options = keep->options;
	struct flight_config config = {
		.encoder = { .keeps_raw_stacks = options->keeps_raw_stacks,
			     .read_format = read_format },
		.length_ns = options->keep_ns, .memory_bytes = options->keep_bytes,
		.directory = options->keep_directory ? options->keep_directory : ".",
		.files_max = (uint32_t)options->keep_files,
		.saved = report_saved, .owner = keep,
	};

	recording_machine_read(&config.machine, options->arguments);
	keep->control.save = save;
	keep->control.status = read_status;
	return flight_recorder_create(&keep->flight, &config, why);
}

static bool take_message(void *owner, struct keep_message *out)
{
	struct keep *keep = owner;
	const struct keep_message *message;
	eventfd_t count;
	size_t bytes;

	eventfd_read(keep->control.fd, &count);
	message = spsc_peek(&keep->messages, &bytes);
	if (!message)
		return false;
	*out = *message;
	spsc_release(&keep->messages);
	return true;
}

int keep_create(struct keep **out, const struct options *options, struct diag *why)
{
	struct keep *keep;

	*out = NULL;
	if (!options->condition_count && !options->keep_ns)
		return 0;
	keep = calloc(1, sizeof(*keep));
	if (!keep)
		return diag_set(why, -ENOMEM, "no memory for the conditions");
	keep->options = options;
	keep->control = (struct keep_control){
		.owner = keep, .next = take_message,
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	*out = keep;
	if (spsc_init(&keep->messages, MESSAGES_BYTES))
		return diag_set(why, -ENOMEM, "no memory for the conditions");
	if (keep->control.fd < 0)
		return diag_set(why, -EMFILE, "no descriptors left: raise ulimit -n");
	return options->keep_ns ? begin_flight(keep, why) : 0;
}

void keep_destroy(struct keep *keep)
{
	struct keep_message message;

	if (!keep)
		return;
	flight_recorder_destroy(keep->flight);	/* completes what is being saved */
	while (keep->control.fd >= 0 && take_message(keep, &message))
		safe_print(stderr, "flametop: %s\n", sanitize_checked(message.text));
	spsc_finish(&keep->messages);
	if (keep->control.fd >= 0)
		close(keep->control.fd);
	free(keep);
}

void keep_configure(struct keep *keep, struct analyzer_config *config)
{
	config->conditions = (struct condition_list){
		.list = keep->options->conditions, .count = keep->options->condition_count,
		.fired = report_fired, .looked = note_look, .owner = keep,
	};
	if (keep->flight)
		config->keeper = flight_recorder_tee(keep->flight);
}

const struct keep_control *keep_control(struct keep *keep)
{
	return keep ? &keep->control : NULL;
}
