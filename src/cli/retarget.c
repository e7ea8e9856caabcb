/* retarget.c - see retarget.h.
 *
 * Problem: opening events may take long and may fail, keys must not wait, and after a failure the
 * old capture must go on.
 *
 * Idea: apply the change to a copy of the present configuration, and open that as at the start of
 * the program: with the same parsers, fallbacks and messages. Everything that can fail happens
 * before the old capture is touched. Only then the present configuration changes.
 *
 * Invariant: at any time one capture is in the slot, and it is sampling or has ended by itself.
 * Rejected: PERF_EVENT_IOC_PERIOD for another frequency: it does not reach inherited events, and a
 * window with two rates has no "samples per second".
 */
#include "retarget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "bpf/off_cpu.h"
#include "ingest/source.h"

#define QUEUE_BYTES 4096	/* one request and one result at a time */

/* Sources are kept until the end: the analyzer may still be reading the records of an old one. */
struct kept_source {
	struct kept_source *next;
	struct source *source;
};

struct shared_off_cpu {
	struct off_cpu *off_cpu;	/* owned; NULL: the capture has none */
};

struct retarget {
	struct source_control control;
	struct capture **capture;	/* the slot */
	struct capture_config config;	/* present one; its target is in the capture */
	const char *event;		/* config.events points to it, once it was changed */
	char event_text[SOURCE_CHANGE_BYTES];
	struct kept_source *sources;	/* owned; newest first */
	struct mailbox off_cpu;		/* struct shared_off_cpu, whenever the capture changed */

	struct spsc asked, results;	/* struct source_change in, struct diag out */
	struct spsc requests;		/* from the analyzer: uint32_t, bytes of a stack copy */
	int ask_fd;			/* eventfd */
	bool is_under_way;		/* used by the screen: change begun, result not taken */
	_Atomic bool stop;		/* set by retarget_stop(), read by run() */
	pthread_t thread;
	bool has_thread;
};

static int change_target(const struct source_change *change, struct target *target,
			 struct diag *why)
{
	if (change->kind != SOURCE_CPUS)
		target_set_everything(target);
	switch (change->kind) {
	case SOURCE_PROCESSES:
		return target_set_processes(target, change->text, why);
	case SOURCE_THREADS:
		return target_set_threads(target, change->text, why);
	case SOURCE_USER:
		return target_set_user(target, change->text, why);
	case SOURCE_CGROUP:
		return target_set_cgroup(target, change->text, why);
	case SOURCE_CPUS:
		if (*change->text)
			return target_set_cpus(target, change->text, why);
		free(target->cpus);
		target->cpus = NULL;
		target->cpu_count = 0;
		return 0;
	case SOURCE_ALL:
	case SOURCE_EVENT:
	case SOURCE_FREQUENCY:
	case SOURCE_COPIES:
		break;
	}
	return 0;
}

static bool is_of_target(const struct source_change *change)
{
	return change->kind != SOURCE_EVENT && change->kind != SOURCE_FREQUENCY &&
	       change->kind != SOURCE_COPIES;
}

static void put_copies(uint32_t bytes, struct capture_config *config)
{
	if (bytes)
		config->call_graph.copy_bytes = bytes;
	else
		config->are_hits_too_many = true;
}

/* @config: a copy of the one in force. @event is what its events point to when these change. */
static int put_change(const struct source_change *change, struct capture_config *config,
		      const char **event, struct diag *why)
{
	if (change->kind == SOURCE_COPIES) {
		put_copies((uint32_t)strtoul(change->text, NULL, 10), config);
		return 0;
	}
	config->are_hits_too_many = false;	/* they may be others now */
	if (is_of_target(change))
		return change_target(change, &config->target, why);
	if (change->kind == SOURCE_FREQUENCY)	/* goes before a period */
		return capture_parse_freq(change->text, &config->freq_hz, why);
	*event = change->text;
	config->has_no_event = false;
	config->events = event;
	config->event_filters = NULL;
	config->event_text_count = 1;
	return 0;
}

static int open_changed(const struct retarget *retarget, const struct source_change *change,
			struct capture_config *config, const char **event, struct capture **out,
			struct diag *why)
{
	int err = capture_copy_target(*retarget->capture, &config->target, why);

	if (!err)
		err = put_change(change, config, event, why);
	if (err) {
		target_finish(&config->target);
		return err;
	}
	return capture_open(out, config, why);
}

/* True if both captures have all records of the same processes, so that these stay known. A user's
 * processes are found anew each time, a moment after the old capture ended. */
static bool keeps_tasks(const struct source_change *change, const struct capture *old,
			const struct capture *capture)
{
	const enum target_kind kind = capture_target_kind(capture);

	return !is_of_target(change) && kind == capture_target_kind(old) && kind != TARGET_OWN;
}

static void drop_off_cpu(struct shared_off_cpu *shared)
{
	if (shared)
		off_cpu_close(shared->off_cpu);
	free(shared);
}

/* Offers the off-CPU clock of the capture to who takes it. */
static void share_off_cpu(struct retarget *retarget)
{
	struct shared_off_cpu *shared = malloc(sizeof(*shared));

	if (shared)
		shared->off_cpu = capture_share_off_cpu(*retarget->capture);
	drop_off_cpu(mailbox_put(&retarget->off_cpu, shared));
}

bool retarget_take_off_cpu(struct retarget *retarget, struct off_cpu **out)
{
	struct shared_off_cpu *shared = mailbox_take(&retarget->off_cpu);

	if (!shared)
		return false;
	*out = shared->off_cpu;
	free(shared);
	return true;
}

static int replace(struct retarget *retarget, const struct source_change *change,
		   struct capture *capture, struct diag *why)
{
	struct kept_source *kept = calloc(1, sizeof(*kept));
	struct capture *old = *retarget->capture;
	int err;

	if (!kept)
		return diag_set(why, -ENOMEM, "no memory for the events");
	err = source_create(&kept->source, capture, keeps_tasks(change, old, capture), why);
	if (!err) {
		kept->source->keeps_counts = change->kind == SOURCE_COPIES;
		err = capture_replace(capture, old, kept->source, why);
	}
	if (err) {
		source_destroy(kept->source);
		free(kept);
		return err;
	}
	kept->next = retarget->sources;
	retarget->sources = kept;
	if (!kept->source->keeps_counts)	/* else it is known */
		source_log_notice(kept->source);
	*retarget->capture = capture;
	share_off_cpu(retarget);
	capture_destroy(old);
	return 0;
}

static void put_in_force(struct retarget *retarget, const struct source_change *change,
			 const struct capture_config *config)
{
	retarget->config = *config;
	if (change->kind != SOURCE_EVENT)
		return;
	memcpy(retarget->event_text, change->text, sizeof(retarget->event_text));
	retarget->event = retarget->event_text;
	retarget->config.events = &retarget->event;
}

/* Checks that nothing but the copies changed: not the tasks, nor, for want of memory, the rings. */
static int check_copies(const struct source_change *change, const struct capture *old,
			const struct capture *capture, struct diag *why)
{
	const unsigned long asked = strtoul(change->text, NULL, 10);
	const uint32_t got = capture_adaptable_copy(capture);

	if (change->kind != SOURCE_COPIES || got == asked)
		return 0;
	if (!asked && got == capture_adaptable_copy(old))
		return 0;	/* another event has its copies on */
	return diag_set(why, -ENOMEM, "no memory, or too many bytes a second, for stack copies of"
			" %s bytes (--call-graph dwarf,%s insists)", change->text, change->text);
}

static int carry_out(struct retarget *retarget, const struct source_change *change,
		     struct diag *why)
{
	struct capture_config config = retarget->config;
	struct capture *capture;
	const char *event;
	int err = open_changed(retarget, change, &config, &event, &capture, why);

	if (err)
		return err;
	err = check_copies(change, *retarget->capture, capture, why);
	if (!err)
		err = replace(retarget, change, capture, why);
	if (err) {
		capture_destroy(capture);
		return err;
	}
	put_in_force(retarget, change, &config);
	return 0;
}

static void send_result(struct retarget *retarget, const struct source_change *change)
{
	struct diag *why = spsc_reserve(&retarget->results, sizeof(*why));	/* one at a time */

	*why = (struct diag){ 0 };
	why->err = carry_out(retarget, change, why);
	if (why->err)
		log_warn("%s", why->text);	/* the line at the bottom may be too narrow */
	spsc_commit(&retarget->results);
	whole_eventfd_write(retarget->control.done_fd, 1);
}

/* Changes stack copies for the analyzer: as no user requested that, the result is only logged. */
static void fulfil(struct retarget *retarget, uint32_t copy_bytes)
{
	struct source_change change = { .kind = SOURCE_COPIES };
	struct diag why = { .err = 0 };

	if (copy_bytes && !capture_adaptable_copy(*retarget->capture))
		return;		/* requested before the copies ended */
	snprintf(change.text, sizeof(change.text), "%u", copy_bytes);
	if (carry_out(retarget, &change, &why))
		log_note("stack copies stay as they are: %s", why.text);
	else if (copy_bytes)
		log_note("stack copies of %u bytes now", copy_bytes);
	else
		source_log_notice(retarget->sources->source);
}

static void fulfil_requests(struct retarget *retarget)
{
	const uint32_t *requested;
	size_t bytes;

	while ((requested = spsc_peek(&retarget->requests, &bytes)) != NULL) {
		fulfil(retarget, *requested);
		spsc_release(&retarget->requests);
	}
}

static void *run(void *argument)
{
	struct retarget *retarget = argument;
	const struct source_change *change;
	eventfd_t count;
	size_t bytes;

	while (!atomic_load_explicit(&retarget->stop, memory_order_acquire)) { /* retarget_stop() */
		eventfd_read(retarget->ask_fd, &count);
		fulfil_requests(retarget);
		change = spsc_peek(&retarget->asked, &bytes);
		if (!change)
			continue;
		send_result(retarget, change);
		spsc_release(&retarget->asked);
	}
	return NULL;
}

static bool ask(void *owner, const struct source_change *change)
{
	struct retarget *retarget = owner;
	struct source_change *slot;

	if (retarget->is_under_way)
		return false;
	slot = spsc_reserve(&retarget->asked, sizeof(*slot));
	if (!slot)
		return false;
	*slot = *change;
	slot->text[sizeof(slot->text) - 1] = '\0';
	spsc_commit(&retarget->asked);
	retarget->is_under_way = true;
	whole_eventfd_write(retarget->ask_fd, 1);
	return true;
}

static int take_result(void *owner, struct diag *why)
{
	struct retarget *retarget = owner;
	const struct diag *result;
	eventfd_t count;
	size_t bytes;
	int err;

	eventfd_read(retarget->control.done_fd, &count);
	result = spsc_peek(&retarget->results, &bytes);
	if (!result)
		return 0;
	*why = *result;
	err = result->err;
	spsc_release(&retarget->results);
	retarget->is_under_way = false;
	return err;
}

static void request_copies(void *owner, uint32_t copy_bytes)
{
	struct retarget *retarget = owner;
	uint32_t *slot = spsc_reserve(&retarget->requests, sizeof(*slot));

	if (!slot)
		return;		/* it will be requested again */
	*slot = copy_bytes;
	spsc_commit(&retarget->requests);
	whole_eventfd_write(retarget->ask_fd, 1);
}

int retarget_start(struct retarget **out, struct capture **capture,
		   const struct capture_config *config, struct diag *why)
{
	struct retarget *retarget = calloc(1, sizeof(*retarget));
	int err;

	*out = NULL;
	if (!retarget)
		return diag_set(why, -ENOMEM, "no memory for changes of the source");
	retarget->capture = capture;
	retarget->config = *config;
	retarget->config.target = (struct target){ .kind = TARGET_SYSTEM };
	retarget->ask_fd = eventfd(0, EFD_CLOEXEC);
	retarget->control = (struct source_control){
		.owner = retarget, .ask = ask, .take_result = take_result,
		.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	err = retarget->ask_fd < 0 || retarget->control.done_fd < 0 ? -EMFILE : 0;
	if (!err && (spsc_init(&retarget->asked, QUEUE_BYTES) ||
		     spsc_init(&retarget->results, QUEUE_BYTES) ||
		     spsc_init(&retarget->requests, QUEUE_BYTES)))
		err = -ENOMEM;
	if (!err)
		share_off_cpu(retarget);
	if (!err)
		err = thread_start(&retarget->thread, "ft-retarget", run, retarget);
	if (err) {
		retarget_destroy(retarget);
		return diag_set(why, err, "cannot prepare for changes of the source: %s",
				strerror(-err));
	}
	retarget->has_thread = true;
	*out = retarget;
	return 0;
}

const struct source_control *retarget_control(const struct retarget *retarget)
{
	return &retarget->control;
}

struct copy_control retarget_copy_control(struct retarget *retarget)
{
	return (struct copy_control){ .owner = retarget, .request = request_copies };
}

void retarget_stop(struct retarget *retarget)
{
	if (!retarget->has_thread)
		return;
	atomic_store_explicit(&retarget->stop, true, memory_order_release);	/* run() */
	whole_eventfd_write(retarget->ask_fd, 1);
	pthread_join(retarget->thread, NULL);
	retarget->has_thread = false;
}

void retarget_destroy(struct retarget *retarget)
{
	struct kept_source *kept;

	if (!retarget)
		return;
	retarget_stop(retarget);
	drop_off_cpu(mailbox_take(&retarget->off_cpu));
	while ((kept = retarget->sources) != NULL) {
		retarget->sources = kept->next;
		source_destroy(kept->source);
		free(kept);
	}
	spsc_finish(&retarget->asked);
	spsc_finish(&retarget->results);
	spsc_finish(&retarget->requests);
	if (retarget->ask_fd >= 0)
		close(retarget->ask_fd);
	if (retarget->control.done_fd >= 0)
		close(retarget->control.done_fd);
	free(retarget);
}
