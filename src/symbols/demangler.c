/* demangler.c - see symbols/demangler.h.
 *
 * Problem: a name is demangled in two microseconds, and a worker for it takes some milliseconds. A
 * name may also kill its worker.
 *
 * Idea: all names that are waiting when the thread looks are one batch, sorted by owner; each
 * owner's names are one job. New names of a large program come one by one, so a batch begins a
 * tenth of a second after the last one, unless it is full: the first names are demangled at once,
 * and later ones do not take a worker each. A job that fails is split in halves until the name
 * that caused it is alone: that name stays mangled, and costs the others only time. The time is
 * bounded: after FAILURES_MAX such names no more names of that owner are demangled.
 *
 * No more names are under way than there is room for in the queue of replies: the thread never
 * waits for the analyzer, nor the analyzer for the thread.
 */
#include "symbols/demangler.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "base/log.h"
#include "base/service.h"
#include "elf/name_list.h"

#define UNDER_WAY_MAX	    250
#define BATCH_EVERY_NS	    (100 * CLOCK_NS_PER_MS)
#define FAILURES_MAX	    8	/* names of one owner: each costs 8 workers, and 5 s if they hang */
#define REQUEST_QUEUE_BYTES (1u << 20)	/* 250 of the longest names */
#define REPLY_QUEUE_BYTES   (2u << 20)	/* UNDER_WAY_MAX replies: see the assertion below */

_Static_assert(UNDER_WAY_MAX * (sizeof(struct demangled) + 16) <
	       REPLY_QUEUE_BYTES - sizeof(struct demangled) - 16,
	       "all replies fit, the filler at the end of the buffer included");

struct name_request {
	uint32_t id, owner;
	char name[];
};

struct batch_name {
	uint32_t id, owner;
	char *name;		/* owned */
};

struct demangler {
	struct service *service;
	uint32_t under_way;		/* the analyzer's: requests without their reply yet */

	/* the thread's own, until it is joined */
	struct sandbox *sandbox;	/* borrowed */
	struct batch_name batch[UNDER_WAY_MAX];
	uint32_t count;
	uint64_t next_ns;		/* when a batch that is not full may begin */
	struct id_map failures;		/* owner -> how many of its names have failed alone */
};

static void reply(struct demangler *demangler, uint32_t id, uint32_t owner, const char *text)
{
	const size_t text_bytes = strlen(text) + 1;
	struct demangled *queued = spsc_reserve(&demangler->service->replies,
						offsetof(struct demangled, text) + text_bytes);

	queued->id = id;	/* never NULL: UNDER_WAY_MAX */
	queued->owner = owner;
	memcpy(queued->text, text, text_bytes);
	spsc_commit(&demangler->service->replies);
}

/* Returns the terminated names one after another, *@bytes in all; malloc'd; NULL: no memory. */
static char *join_names(const struct batch_name *names, uint32_t count, size_t *bytes)
{
	char *text, *at;

	*bytes = 0;
	for (uint32_t i = 0; i < count; i++)
		*bytes += strlen(names[i].name) + 1;
	text = at = malloc(*bytes);
	for (uint32_t i = 0; text && i < count; i++)
		at = stpcpy(at, names[i].name) + 1;
	return text;
}

static int write_names(int fd, const struct batch_name *names, uint32_t count)
{
	size_t left;
	char *text = join_names(names, count, &left);
	const char *at = text;
	int err = text ? 0 : -ENOMEM;

	while (text && left && !err) {
		const ssize_t written = write(fd, at, left);

		if (written < 0 && errno != EINTR)
			err = -errno;
		if (written > 0) {
			at += written;
			left -= (size_t)written;
		}
	}
	free(text);
	return err;
}

/* A sealed file of the names; or -errno. */
static int make_list(const struct batch_name *names, uint32_t count)
{
	const int fd = memfd_create("flametop-names", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	err = write_names(fd, names, count);
	if (!err && fcntl(fd, F_ADD_SEALS,
			  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int run_job(struct demangler *demangler, const struct batch_name *names, uint32_t count,
		   struct sandbox_bytes *answer, struct diag *why)
{
	struct sandbox_request request = { .kind = SANDBOX_NAMES, .input_count = 1 };
	const int list = make_list(names, count);
	int err;

	if (list < 0)
		return diag_set(why, list, "no memory for a list of names");
	request.inputs[0] = list;
	err = sandbox_run(demangler->sandbox, &request, answer, why);
	close(list);
	if (!err)
		err = name_list_check(answer->bytes, answer->count, count, DEMANGLE_TEXT_MAX, why);
	return err;
}

static uint32_t failures_of(const struct demangler *demangler, uint32_t owner)
{
	const uint32_t failures = id_map_get(&demangler->failures, owner);

	return failures == ID_MAP_NONE ? 0 : failures;
}

static void note_failure(struct demangler *demangler, const struct batch_name *name,
			 const char *reason)
{
	const uint32_t failures = failures_of(demangler, name->owner) + 1;

	id_map_put(&demangler->failures, name->owner, failures);
	log_note("name stays as it is (%s): %.80s", reason, name->name);
	if (failures == FAILURES_MAX)
		log_note("so do all others of its file");
}

/* Replies to @count names of one owner. */
static void demangle(struct demangler *demangler, const struct batch_name *names, uint32_t count)
{
	struct sandbox_bytes answer = { .bytes = NULL };
	struct diag why = { .err = 0 };
	const bool is_refused = failures_of(demangler, names->owner) >= FAILURES_MAX;
	const int err = is_refused ? -EBADMSG : run_job(demangler, names, count, &answer, &why);

	if (err && !is_refused && count > 1 && !service_is_stopping(demangler->service)) {
		sandbox_bytes_finish(&answer);
		demangle(demangler, names, count / 2);
		demangle(demangler, names + count / 2, count - count / 2);
		return;
	}
	if (err && !is_refused && !service_is_stopping(demangler->service))
		note_failure(demangler, names, why.text);
	if (err) {
		for (uint32_t i = 0; i < count; i++)
			reply(demangler, names[i].id, names[i].owner, "");
	} else {
		const char *text = answer.bytes;

		for (uint32_t i = 0; i < count; i++, text = name_list_next(text))
			reply(demangler, names[i].id, names[i].owner, text);
	}
	sandbox_bytes_finish(&answer);
	service_notify(demangler->service);
}

/* Moves waiting requests to the batch. Without memory for a name, it stays mangled. */
static void collect(struct demangler *demangler)
{
	const struct name_request *request;
	size_t bytes;

	while (demangler->count < UNDER_WAY_MAX &&
	       (request = spsc_peek(&demangler->service->requests, &bytes))) {
		struct batch_name *next = &demangler->batch[demangler->count];

		*next = (struct batch_name){ request->id, request->owner, strdup(request->name) };
		if (next->name) {
			demangler->count++;
		} else {
			reply(demangler, request->id, request->owner, "");
			service_notify(demangler->service);
		}
		spsc_release(&demangler->service->requests);
	}
}

static int by_owner(const void *a, const void *b)
{
	const struct batch_name *left = a, *right = b;

	return (left->owner > right->owner) - (left->owner < right->owner);
}

static void drop_batch(struct demangler *demangler)
{
	for (uint32_t i = 0; i < demangler->count; i++)
		free(demangler->batch[i].name);
	demangler->count = 0;
}

static void run_batch(struct demangler *demangler)
{
	const struct batch_name *batch = demangler->batch;
	uint32_t first = 0, end;

	qsort(demangler->batch, demangler->count, sizeof(*batch), by_owner);
	for (; first < demangler->count; first = end) {
		for (end = first; end < demangler->count; end++)
			if (batch[end].owner != batch[first].owner)
				break;
		demangle(demangler, batch + first, end - first);
	}
	drop_batch(demangler);
}

static int serve(void *owner)
{
	struct demangler *demangler = owner;
	uint64_t now_ns;

	collect(demangler);
	if (!demangler->count)
		return SERVICE_SLEEP;
	now_ns = clock_now_ns();
	if (now_ns < demangler->next_ns && demangler->count < UNDER_WAY_MAX)
		return (int)((demangler->next_ns - now_ns) / CLOCK_NS_PER_MS) + 1;
	demangler->next_ns = now_ns + BATCH_EVERY_NS;
	run_batch(demangler);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct demangler *demangler = owner;

	sandbox_cancel(demangler->sandbox);
}

int demangler_create(struct demangler **out, struct sandbox *sandbox, struct diag *why)
{
	struct demangler *demangler = calloc(1, sizeof(*demangler));
	const struct service_plan plan = {
		.name = "flametop-names", .request_bytes = REQUEST_QUEUE_BYTES,
		.reply_bytes = REPLY_QUEUE_BYTES, .serve = serve, .interrupt = interrupt,
		.owner = demangler,
	};
	int err;

	*out = NULL;
	if (!demangler)
		return diag_set(why, -ENOMEM, "no memory for the demangler");
	demangler->sandbox = sandbox;
	err = service_create(&demangler->service, &plan);
	if (err) {
		free(demangler);
		return diag_set(why, err, "cannot start the demangler: %s", strerror(-err));
	}
	*out = demangler;
	return 0;
}

void demangler_destroy(struct demangler *demangler)
{
	if (!demangler)
		return;
	service_stop(demangler->service);
	service_destroy(demangler->service);
	drop_batch(demangler);
	id_map_finish(&demangler->failures);
	free(demangler);
}

bool demangler_request(struct demangler *demangler, uint32_t id, uint32_t owner, const char *name)
{
	const size_t name_bytes = strlen(name) + 1;
	struct name_request *queued;

	if (demangler->under_way == UNDER_WAY_MAX)
		return false;
	queued = spsc_reserve(&demangler->service->requests, sizeof(*queued) + name_bytes);
	if (!queued)
		return false;
	*queued = (struct name_request){ .id = id, .owner = owner };
	memcpy(queued->name, name, name_bytes);
	spsc_commit(&demangler->service->requests);
	demangler->under_way++;
	return true;
}

void demangler_begin(struct demangler *demangler)
{
	service_wake(demangler->service);
}

bool demangler_reply(struct demangler *demangler, struct demangled *out)
{
	const struct demangled *queued;
	size_t bytes;

	queued = service_reply(demangler->service, &bytes);
	if (!queued)
		return false;
	memcpy(out, queued, offsetof(struct demangled, text) + strlen(queued->text) + 1);
	spsc_release(&demangler->service->replies);
	demangler->under_way--;
	return true;
}

int demangler_fd(const struct demangler *demangler)
{
	return service_fd(demangler->service);
}

uint32_t demangler_under_way(const struct demangler *demangler)
{
	return demangler->under_way;
}
