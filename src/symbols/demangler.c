/* demangler.c - see symbols/demangler.h.
 *
 * Problem: a name is demangled in two microseconds, and a worker for it takes some milliseconds. A
 * name may also kill its worker.
 *
 * Idea: all names that are waiting when the previous batch is done are one batch, sorted by owner;
 * each owner's names are one job. New names of a large program come one by one, so a batch begins a
 * tenth of a second after the last one, unless it is full: the first names are demangled at once,
 * and later ones do not take a worker each. A job that fails is split in halves until the name
 * that caused it is alone: that name stays mangled, and costs the others only time. The time is
 * bounded: after FAILURES_MAX such names no more names of that owner are demangled.
 */
#include "symbols/demangler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "base/diag.h"
#include "elf/demangle.h"

#define UNDER_WAY_MAX	250
#define BATCH_EVERY_NS	(100 * CLOCK_NS_PER_MS)
#define FAILURES_MAX	8	/* names of one owner; each costs 8 workers, 5 s if they hang */

struct batch_name {
	uint32_t id, owner;
	char *name;		/* owned; NULL: its reply has been taken */
};

/* Names of one owner. */
struct name_range {
	uint32_t first, count;
};

struct demangler {
	struct sandbox *sandbox;	/* borrowed */
	int fd;				/* epoll(7) of the sandbox and `timer` */
	int timer;			/* timerfd, expires when there is something to do */
	uint64_t timer_ns;		/* its setting, CLOCK_MONOTONIC; 0: not set */
	uint64_t next_ns;		/* when a batch that is not full may begin */

	uint32_t under_way;		/* requests without their reply yet */
	/* The batch, then those that wait for the next one. */
	struct batch_name names[2 * UNDER_WAY_MAX];
	uint32_t count, batch_count;
	struct name_range ranges[UNDER_WAY_MAX];	/* names of the batch not demangled yet */
	uint32_t range_count;

	struct name_range range;	/* the part whose job runs, or whose replies are taken */
	bool is_running;
	struct sandbox_bytes reply;
	const char *text;		/* the next name's in `reply`; NULL: all names stay */
	struct id_map failures;		/* owner -> how many of its names have failed alone */
};

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

static int submit(struct demangler *demangler, const struct name_range *range, struct diag *why)
{
	struct sandbox_request request = { .kind = SANDBOX_NAMES, .input_count = 1 };
	size_t bytes;
	char *text = join_names(demangler->names + range->first, range->count, &bytes);
	const int list = text ? sandbox_seal("flametop-names", text, bytes) : -ENOMEM;
	int err;

	free(text);
	if (list < 0)
		return diag_set(why, list, "no memory for a list of names");
	request.inputs[0] = list;
	err = sandbox_submit(demangler->sandbox, &request, why);
	close(list);
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

static void push_range(struct demangler *demangler, uint32_t first, uint32_t count)
{
	demangler->ranges[demangler->range_count++] = (struct name_range){ first, count };
}

/* Splits the range whose job has failed. A name that was alone in it stays mangled. */
static void split(struct demangler *demangler, const char *reason)
{
	const struct name_range range = demangler->range;
	const uint32_t half = range.count / 2;

	demangler->text = NULL;
	if (range.count == 1) {
		note_failure(demangler, &demangler->names[range.first], reason);
		return;
	}
	demangler->range.count = 0;
	push_range(demangler, range.first + half, range.count - half);
	push_range(demangler, range.first, half);
}

/* Returns false when the job is not done yet. */
static bool end_job(struct demangler *demangler)
{
	struct sandbox_bytes *reply = &demangler->reply;
	struct diag why = { .err = 0 };
	int err;

	if (!sandbox_take(demangler->sandbox, reply, &err, &why))
		return false;
	demangler->is_running = false;
	demangler->text = reply->bytes;
	if (!err)
		err = name_list_check(reply->bytes, reply->count, demangler->range.count,
				      DEMANGLE_TEXT_MAX, &why);
	if (err) {
		sandbox_bytes_finish(reply);
		split(demangler, why.text);
	}
	return true;
}

static int by_owner(const void *a, const void *b)
{
	const struct batch_name *left = a, *right = b;

	return (left->owner > right->owner) - (left->owner < right->owner);
}

static void set_timer(struct demangler *demangler, uint64_t end_ns)
{
	const struct itimerspec end = { .it_value = {
		.tv_sec = (time_t)(end_ns / CLOCK_NS_PER_S),
		.tv_nsec = (long)(end_ns % CLOCK_NS_PER_S),
	} };

	if (demangler->timer_ns != end_ns)
		timerfd_settime(demangler->timer, TFD_TIMER_ABSTIME, &end, NULL);
	demangler->timer_ns = end_ns;
}

/* Makes a batch of the waiting names. False: there are none, or it is too early. */
static bool begin_batch(struct demangler *demangler)
{
	struct batch_name *names = demangler->names;
	const uint64_t now_ns = clock_now_ns();

	demangler->count -= demangler->batch_count;
	memmove(names, names + demangler->batch_count, demangler->count * sizeof(*names));
	demangler->batch_count = 0;
	if (demangler->count && demangler->count < UNDER_WAY_MAX && now_ns < demangler->next_ns) {
		set_timer(demangler, demangler->next_ns);
		return false;
	}
	set_timer(demangler, 0);
	if (!demangler->count)
		return false;
	demangler->next_ns = now_ns + BATCH_EVERY_NS;
	demangler->batch_count = demangler->count;
	qsort(names, demangler->count, sizeof(*names), by_owner);
	for (uint32_t end = demangler->count, first; end; end = first) {
		for (first = end; first && names[first - 1].owner == names[end - 1].owner; first--)
			continue;
		push_range(demangler, first, end - first);
	}
	return true;
}

/* Begins the next range, whose job may fail at once. False: no name is waiting. */
static bool begin_range(struct demangler *demangler)
{
	struct diag why = { .err = 0 };

	if (!demangler->range_count && !begin_batch(demangler))
		return false;
	set_timer(demangler, 0);
	demangler->range = demangler->ranges[--demangler->range_count];
	demangler->text = NULL;
	if (failures_of(demangler, demangler->names[demangler->range.first].owner) >= FAILURES_MAX)
		return true;
	demangler->is_running = !submit(demangler, &demangler->range, &why);
	if (!demangler->is_running)
		split(demangler, why.text);
	return true;
}

/* Returns whether there are replies to take: goes on until there are, or a job runs. */
static bool advance(struct demangler *demangler)
{
	while (demangler->is_running || !demangler->range.count)
		if (demangler->is_running ? !end_job(demangler) : !begin_range(demangler))
			return false;
	return true;
}

int demangler_create(struct demangler **out, struct sandbox *sandbox, struct diag *why)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct demangler *demangler = calloc(1, sizeof(*demangler));
	int err;

	*out = NULL;
	if (!demangler)
		return diag_set(why, -ENOMEM, "no memory for the demangler");
	demangler->sandbox = sandbox;
	demangler->fd = epoll_create1(EPOLL_CLOEXEC);
	demangler->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (demangler->fd < 0 || demangler->timer < 0 ||
	    epoll_ctl(demangler->fd, EPOLL_CTL_ADD, demangler->timer, &wanted) ||
	    epoll_ctl(demangler->fd, EPOLL_CTL_ADD, sandbox_fd(sandbox), &wanted)) {
		err = -errno;
		demangler_destroy(demangler);
		return diag_set(why, err, "cannot start the demangler: %s", strerror(-err));
	}
	*out = demangler;
	return 0;
}

void demangler_destroy(struct demangler *demangler)
{
	if (!demangler)
		return;
	sandbox_cancel(demangler->sandbox);
	if (demangler->fd >= 0)
		close(demangler->fd);
	if (demangler->timer >= 0)
		close(demangler->timer);
	sandbox_bytes_finish(&demangler->reply);
	for (uint32_t i = 0; i < demangler->count; i++)
		free(demangler->names[i].name);
	id_map_finish(&demangler->failures);
	free(demangler);
}

bool demangler_request(struct demangler *demangler, uint32_t id, uint32_t owner, const char *name)
{
	struct batch_name *next = &demangler->names[demangler->count];

	if (demangler->under_way == UNDER_WAY_MAX)
		return false;
	*next = (struct batch_name){ id, owner, strdup(name) };
	if (!next->name)
		return false;
	demangler->count++;
	demangler->under_way++;
	return true;
}

void demangler_begin(struct demangler *demangler)
{
	if (advance(demangler))
		set_timer(demangler, 1);	/* long ago: demangler_fd() is readable at once */
}

bool demangler_reply(struct demangler *demangler, struct demangled *out)
{
	struct batch_name *name;

	if (!advance(demangler))
		return false;
	name = &demangler->names[demangler->range.first++];
	out->id = name->id;
	out->owner = name->owner;
	stpcpy(out->text, demangler->text ? demangler->text : "");
	if (demangler->text)
		demangler->text = name_list_next(demangler->text);
	free(name->name);
	name->name = NULL;
	demangler->under_way--;
	if (--demangler->range.count == 0)
		sandbox_bytes_finish(&demangler->reply);
	return true;
}

int demangler_fd(const struct demangler *demangler)
{
	return demangler->fd;
}

uint32_t demangler_under_way(const struct demangler *demangler)
{
	return demangler->under_way;
}
