/* counter_history.c - see counter_history.h.
 *
 * Problem: opening counters on many CPUs takes a while, closing them, too, and the analyzer must
 * not wait. And a second that was not read is lost.
 *
 * Idea: a thread opens, reads and closes. It sends sums since the opening, so that a reading that
 * is left out makes the next stretch longer and loses nothing. The analyzer keeps differences
 * (counter_series.h).
 */
#include "counter_history.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "capture/capture.h"
#include "capture/scope.h"

/* A group for each ratio, whose parts must be counted at the same time. */
#define COUNTED_EVENTS                                                                             \
	"{cycles,instructions},{branches,branch-misses},{cache-references,cache-misses},"          \
	"stalled-cycles-frontend,stalled-cycles-backend,page-faults,major-faults,"                 \
	"context-switches,cpu-migrations"

#define MORE_EVENTS_BYTES 512
#define CGROUPS_MOST	  32	/* rows by cgroup; fewer on large machines */

#define SECOND_NS    CLOCK_NS_PER_S
#define CGROUPS_NS   (10 * SECOND_NS)	/* after that it is looked whether there are others */
#define QUEUE_BYTES  4096		/* 256 pointers, with their headers */

/* The thread. */

enum { OF_MACHINE, OF_TASK, OF_CGROUPS, SCOPES };

struct request {
	bool is_wanted[SCOPES];
	struct counter_scope task;
	char *events;			/* owned; see struct counter_scope; NULL: none */
};

static void free_request(struct request *request)
{
	if (request)
		free(request->events);
	free(request);
}

enum message_kind { MESSAGE_OPENED, MESSAGE_READ, MESSAGE_ENDED };

struct message {
	enum message_kind kind;
	int scope;
	struct counter_scope of;
	struct counter_opening opening;	/* MESSAGE_OPENED; owned */
	uint64_t time_ns;
	struct counter_value values[];		/* MESSAGE_READ */
};

/* Open counters of one scope. */
struct counting {
	struct counter_scope of;
	bool is_wanted, is_reported;	/* is_reported: a refusal or an end was sent */
	uint64_t left_ns;		/* when it was wanted last */
	struct counter_list list;	/* owned */
	struct counter_set *set;	/* owned; NULL: not open */
	char *cgroups;			/* owned; its rows as counter_cgroups_find() has them */
	size_t cgroup_count;		/* how many have tasks: all or more than these */
	uint64_t listed_ns;		/* when that was so */
};

struct counter_reader {
	struct service *service;
	struct mailbox requests;	/* carries struct request, malloc'd */
	/* No counter is open, and none will be before the next request. Stored by the thread with
	 * RELEASE when it has closed them; loaded by the analyzer with ACQUIRE. */
	atomic_bool is_idle;
	uint64_t linger_ns;

	/* The thread's. */
	struct counting countings[SCOPES];
	char *events;			/* owned; that of the last request */
	uint64_t next_ns;		/* time of the next reading */
};

static void free_message(struct message *message)
{
	if (message)
		counter_opening_finish(&message->opening);
	free(message);
}

static struct message *make_message(enum message_kind kind, int scope,
				    const struct counting *counting, size_t values)
{
	struct message *message = calloc(1, sizeof(*message) + values * sizeof(message->values[0]));

	if (!message)
		return NULL;
	message->kind = kind;
	message->scope = scope;
	message->of = counting->of;
	return message;
}

/* Sends the message, which is taken over. False: no room, or no memory before. */
static bool send_message(struct counter_reader *reader, struct message *message)
{
	struct message **slot = message ? spsc_reserve(&reader->service->replies, sizeof(*slot))
					: NULL;

	if (!slot) {
		free_message(message);
		return false;
	}
	*slot = message;
	spsc_commit(&reader->service->replies);
	service_notify(reader->service);
	return true;
}

static void close_counting(struct counting *counting)
{
	counter_set_destroy(counting->set);
	counting->set = NULL;
	counter_list_finish(&counting->list);
	free(counting->cgroups);
	counting->cgroups = NULL;
	counting->is_reported = false;
}

static bool has_nmi_watchdog(void)
{
	FILE *file = fopen("/proc/sys/kernel/nmi_watchdog", "re");
	const bool is_on = file && fgetc(file) == '1';

	if (file)
		fclose(file);
	return is_on;
}

/* Copies sentences, a line each, as sanitized text with "; " between them. */
static void copy_notice(char *out, size_t room, const char *notice)
{
	size_t used = 0;

	while (*notice && used + 4 < room) {
		const size_t length = strcspn(notice, "\n");

		if (used)
			used += (size_t)snprintf(out + used, room - used, "; ");
		used += sanitize_text(out + used, room - used, notice, length);
		notice += length + (notice[length] == '\n');
	}
}

/* Describes what was opened. False: no memory. */
static bool describe(const struct counting *counting, enum counter_rows rows_are,
		     struct counter_opening *out)
{
	const struct counter_list *list = &counting->list;
	const size_t rows = counter_set_row_count(counting->set);
	size_t used = 0;

	assert(list->count <= SNAPSHOT_COUNTERS_EVENTS);
	out->events = calloc(list->count, sizeof(*out->events));
	out->rows = calloc(rows, sizeof(*out->rows));
	if (!out->events || !out->rows)
		return false;
	out->event_count = list->count;
	out->row_count = rows;
	out->rows_are = rows_are;
	out->has_nmi_watchdog = has_nmi_watchdog();
	if (counting->cgroups && counting->cgroup_count > rows)
		used = (size_t)snprintf(out->notice, sizeof(out->notice), "%zu of %zu cgroups, "
					"those that have used the most CPU time; ", rows,
					counting->cgroup_count);
	copy_notice(out->notice + used, sizeof(out->notice) - used,
		    counter_set_notice(counting->set));
	memcpy(out->events, list->events, list->count * sizeof(*out->events));
	for (size_t i = 0; i < list->count; i++)
		out->events[i].filter = NULL;
	for (size_t i = 0; i < rows; i++) {
		const struct counter_row *row = counter_set_row(counting->set, i);

		out->rows[i].number = row->number;
		sanitize_text(out->rows[i].text, sizeof(out->rows[i].text), row->text,
			      strlen(row->text));
	}
	return true;
}

/* Returns the next event of a text for -e, and its length; NULL: there is none. Commas between
 * slashes belong to an event. */
static const char *next_event(const char **at, size_t *length)
{
	const char *event = *at + strspn(*at, ",{}");
	bool is_inside = false;

	for (*at = event; **at && (is_inside || !strchr(",}", **at)); ++*at)
		is_inside ^= **at == '/';
	*length = (size_t)(*at - event);
	return *length ? event : NULL;
}

static bool has_event(const char *text, const char *event, size_t length)
{
	const char *one;
	size_t bytes;

	while ((one = next_event(&text, &bytes)))
		if (bytes == length && !memcmp(one, event, length))
			return true;
	return false;
}

/* Writes the events that are counted for all or for tasks, and then those of @asked that are none
 * of them. The caller frees it; NULL: no memory. */
static char *list_events(bool is_machine, const char *asked)
{
	char more[MORE_EVENTS_BYTES], *text = NULL;
	const char *event;
	size_t length;
	int err;

	counter_list_find_more(more, sizeof(more), EVENT_PMU_DEVICES, is_machine);
	err = asprintf(&text, "%s," COUNTED_EVENTS "%s", is_machine ? "cpu-clock" : "task-clock",
		       more);
	if (err < 0)
		return NULL;
	for (err = 0; !err && (event = next_event(&asked, &length));)
		if (!has_event(text, event, length))
			err = event_names_append(&text, event, length);
	if (!err)
		return text;
	free(text);
	return NULL;
}

static int parse_events(struct counting *counting, bool is_machine, const char *asked,
			struct diag *why)
{
	char *text = list_events(is_machine, asked);
	const char *const texts[] = { text };
	const struct capture_config config = { .events = texts, .event_text_count = 1 };
	int err = text ? counter_list_parse(&counting->list, &config, COUNTER_DETAIL_LESS,
					    is_machine, why)
		       : diag_set(why, -ENOMEM, "no memory for the counters");

	for (size_t i = 0; !err && i < counting->list.count; i++) {
		struct counter_event *event = &counting->list.events[i];

		event->is_asked = has_event(asked, event->name, strlen(event->name));
	}
	free(text);
	return err;
}

/* Lists the cgroups of the rows: a quarter of the descriptors is for their counters. */
static int find_cgroups(struct counting *counting, char **out, struct diag *why)
{
	const size_t each = counting->list.count * (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	size_t limit, most;
	int err = capture_claim_descriptors(&limit, why);

	most = err ? 0 : limit / 4 / each;
	counting->listed_ns = clock_now_ns();
	return err ? err : counter_cgroups_find(out, most < 1 ? 1 : most < CGROUPS_MOST ? most
							     : CGROUPS_MOST,
						&counting->cgroup_count, why);
}

static int open_set(struct counting *counting, enum counter_rows rows, const char *asked,
		    struct diag *why)
{
	const bool is_machine = counting->of.of == COUNTERS_OF_ALL;
	pid_t id = (pid_t)counting->of.id;
	const struct target target = {
		.kind = is_machine ? TARGET_SYSTEM
		      : counting->of.of == COUNTERS_OF_THREAD ? TARGET_THREADS : TARGET_PROCESSES,
		.ids = is_machine ? NULL : &id, .id_count = !is_machine,
		.no_inherit = counting->of.of == COUNTERS_OF_THREAD,
	};
	int err = parse_events(counting, is_machine, asked, why);

	if (!err && rows == COUNTER_PER_CGROUP)
		err = find_cgroups(counting, &counting->cgroups, why);
	if (!err)
		err = counter_set_open(&counting->set, &counting->list, &target, rows,
				       counting->cgroups, why);
	if (!err)
		counter_set_enable(counting->set);
	return err;
}

/* Sends what the counters read now. */
static void send_reading(struct counter_reader *reader, int scope)
{
	const struct counting *counting = &reader->countings[scope];
	struct message *message = make_message(
		MESSAGE_READ, scope, counting,
		counter_set_row_count(counting->set) * counting->list.count);

	if (!message)
		return;
	message->time_ns = clock_now_ns();
	counter_set_read(counting->set, message->values);
	send_message(reader, message);
}

/* Opens the counters and sends the result with the first reading. Without room for it they are
 * closed again, for the next turn. */
static void open_counting(struct counter_reader *reader, int scope)
{
	struct counting *counting = &reader->countings[scope];
	static const enum counter_rows rows_of[SCOPES] = {
		[OF_MACHINE] = COUNTER_PER_CPU, [OF_TASK] = COUNTER_PER_THREAD,
		[OF_CGROUPS] = COUNTER_PER_CGROUP,
	};
	const enum counter_rows rows = rows_of[scope];
	struct message *message = make_message(MESSAGE_OPENED, scope, counting, 0);
	struct diag why = { .err = 0 };
	int err;

	if (!message)
		return;
	err = open_set(counting, rows, reader->events ? reader->events : "", &why);
	if (err) {
		message->opening.why.err = err;
		sanitize_text(message->opening.why.text, sizeof(message->opening.why.text),
			      why.text, strlen(why.text));
	} else if (!describe(counting, rows, &message->opening)) {
		free_message(message);
		message = NULL;
	}
	if (!send_message(reader, message)) {
		close_counting(counting);
		return;
	}
	if (!err) {
		send_reading(reader, scope);
		return;
	}
	close_counting(counting);
	counting->is_reported = true;
}

static bool has_ended(const struct counting *counting)
{
	return counting->of.of != COUNTERS_OF_ALL && kill((pid_t)counting->of.id, 0) &&
	       errno == ESRCH;
}

/* Returns true when other cgroups than those that are counted have tasks. */
static bool are_cgroups_others(struct counting *counting, uint64_t now_ns)
{
	char *cgroups = NULL;
	struct diag why;
	bool are_others;

	if (!counting->cgroups || now_ns - counting->listed_ns < CGROUPS_NS)
		return false;
	are_others = find_cgroups(counting, &cgroups, &why) ||
		     strcmp(cgroups, counting->cgroups) != 0;
	free(cgroups);
	return are_others;
}

static void read_counting(struct counter_reader *reader, int scope)
{
	struct counting *counting = &reader->countings[scope];

	if (are_cgroups_others(counting, clock_now_ns())) {
		close_counting(counting);	/* the next turn opens the others */
		return;
	}
	if (!has_ended(counting)) {
		send_reading(reader, scope);
		return;
	}
	send_reading(reader, scope);	/* up to its end */
	if (send_message(reader, make_message(MESSAGE_ENDED, scope, counting, 0))) {
		close_counting(counting);
		counting->is_reported = true;
	}
}

/* Takes over the text of the events; another one opens all counters anew. */
static void take_events(struct counter_reader *reader, struct request *request)
{
	const char *old = reader->events ? reader->events : "";

	if (strcmp(old, request->events ? request->events : "") != 0)
		for (int scope = 0; scope < SCOPES; scope++)
			close_counting(&reader->countings[scope]);
	free(reader->events);
	reader->events = request->events;
	request->events = NULL;
}

static void take_request(struct counter_reader *reader, uint64_t now_ns)
{
	struct request *request = mailbox_take(&reader->requests);
	struct counting *task = &reader->countings[OF_TASK];

	if (!request)
		return;
	atomic_store_explicit(&reader->is_idle, false, memory_order_release);
	if (request->is_wanted[OF_TASK] &&
	    (request->task.of != task->of.of || request->task.id != task->of.id)) {
		close_counting(task);
		task->of = request->task;
	}
	reader->countings[OF_MACHINE].of.of = COUNTERS_OF_ALL;
	reader->countings[OF_CGROUPS].of.of = COUNTERS_OF_ALL;
	take_events(reader, request);
	for (int scope = 0; scope < SCOPES; scope++) {
		struct counting *counting = &reader->countings[scope];

		if (counting->is_wanted && !request->is_wanted[scope])
			counting->left_ns = now_ns;
		if (!counting->is_wanted && request->is_wanted[scope] && !counting->set)
			counting->is_reported = false;	/* asked again, it is tried again */
		counting->is_wanted = request->is_wanted[scope];
	}
	free_request(request);
}

static void close_unwanted(struct counter_reader *reader, uint64_t now_ns)
{
	for (int scope = 0; scope < SCOPES; scope++) {
		struct counting *counting = &reader->countings[scope];

		if (!counting->is_wanted && counting->set &&
		    now_ns - counting->left_ns >= reader->linger_ns)
			close_counting(counting);
	}
}

static int serve(void *owner)
{
	struct counter_reader *reader = owner;
	const uint64_t now_ns = clock_now_ns();
	const bool is_due = now_ns >= reader->next_ns;
	bool is_open = false;

	take_request(reader, now_ns);
	close_unwanted(reader, now_ns);
	for (int scope = 0; scope < SCOPES; scope++) {
		struct counting *counting = &reader->countings[scope];

		if (counting->set && is_due)
			read_counting(reader, scope);
		else if (!counting->set && counting->is_wanted && !counting->is_reported)
			open_counting(reader, scope);
		is_open |= counting->set || (counting->is_wanted && !counting->is_reported);
	}
	if (!is_open) {
		atomic_store_explicit(&reader->is_idle, true, memory_order_release);
		return SERVICE_SLEEP;
	}
	if (is_due)
		reader->next_ns = now_ns - now_ns % SECOND_NS + SECOND_NS;
	return clock_ms_until(reader->next_ns, clock_now_ns());
}

/* The analyzer's side. */

static int begin_reader(struct counter_history *counters)
{
	struct counter_reader *reader = calloc(1, sizeof(*reader));
	const struct service_plan plan = {
		.name = "flametop-count", .reply_bytes = QUEUE_BYTES, .serve = serve,
		.may_hang = true, .owner = reader,
	};
	int err = -ENOMEM;

	if (reader) {
		reader->linger_ns = counters->linger_ns ? counters->linger_ns
							: COUNTER_HISTORY_LINGER_NS;
		err = service_create(&reader->service, &plan);
	}
	if (err) {
		free(reader);
		return diag_set(&counters->why, err, "cannot start the thread of the counters: %s",
				strerror(-err));
	}
	counters->reader = reader;
	return 0;
}

static struct message *next_message(struct counter_reader *reader)
{
	struct message *const *slot, *message;
	size_t bytes;

	slot = service_reply(reader->service, &bytes);
	if (!slot)
		return NULL;
	message = *slot;
	spsc_release(&reader->service->replies);
	return message;
}

static void end_reader(struct counter_history *counters)
{
	struct counter_reader *reader = counters->reader;
	struct message *message;

	counters->reader = NULL;
	if (!reader || !service_stop(reader->service))
		return;
	while ((message = next_message(reader)))
		free_message(message);
	for (int scope = 0; scope < SCOPES; scope++)
		close_counting(&reader->countings[scope]);
	free_request(mailbox_take(&reader->requests));
	free(reader->events);
	service_destroy(reader->service);
	free(reader);
}

void counter_history_finish(struct counter_history *counters)
{
	end_reader(counters);
	counter_series_finish(&counters->machine);
	counter_series_finish(&counters->task);
	counter_series_finish(&counters->cgroups);
	memset(counters, 0, sizeof(*counters));
}

static bool is_same_scope(const struct counter_scope *a, const struct counter_scope *b)
{
	return a->of == b->of && a->id == b->id && a->by_cgroup == b->by_cgroup &&
	       !strcmp(a->events ? a->events : "", b->events ? b->events : "");
}

void counter_history_want(struct counter_history *counters, struct counter_scope scope)
{
	const bool is_same = is_same_scope(&scope, &counters->wanted);
	struct request *request;

	/* A thread that has nothing open ends at once. */
	if (is_same && scope.of == COUNTERS_NONE && counters->reader &&
	    atomic_load_explicit(&counters->reader->is_idle, memory_order_acquire))
		end_reader(counters);
	if (is_same)
		return;
	if (!counters->reader && (scope.of == COUNTERS_NONE || begin_reader(counters)))
		return;
	request = calloc(1, sizeof(*request));
	if (request && scope.events)
		request->events = strdup(scope.events);
	if (!request || (scope.events && !request->events)) {
		free(request);
		return;		/* the next snapshot tries again */
	}
	/* Those of the machine are wanted beside a task's: one comes back to them. */
	request->is_wanted[OF_MACHINE] = scope.of == COUNTERS_OF_ALL ||
		(scope.of != COUNTERS_NONE && counters->machine.is_opened);
	request->is_wanted[OF_TASK] = scope.of == COUNTERS_OF_PROCESS ||
				      scope.of == COUNTERS_OF_THREAD;
	request->is_wanted[OF_CGROUPS] = scope.of == COUNTERS_OF_ALL && scope.by_cgroup;
	request->task = scope;
	counters->wanted = scope;
	free_request(mailbox_put(&counters->reader->requests, request));
	service_wake(counters->reader->service);
}

/* Returns true when the message changes what is shown now. */
static bool apply_message(struct counter_series *series, struct message *message)
{
	const size_t points = series->totals.count;

	switch (message->kind) {
	case MESSAGE_OPENED:
		counter_series_open(series, message->of.of, message->of.id, &message->opening);
		return series->opening.why.err;
	case MESSAGE_READ:
		counter_series_add(series, message->time_ns, message->values);
		return !points && series->totals.count;
	case MESSAGE_ENDED:
		series->is_ended = true;
		break;
	}
	return true;
}

bool counter_history_take(struct counter_history *counters)
{
	struct message *message;
	bool is_new = false;

	while (counters->reader && (message = next_message(counters->reader))) {
		is_new |= apply_message(message->scope == OF_MACHINE ? &counters->machine
					: message->scope == OF_TASK ? &counters->task
								    : &counters->cgroups, message);
		free_message(message);
	}
	return is_new;
}

int counter_history_fd(const struct counter_history *counters)
{
	return counters->reader ? service_fd(counters->reader->service) : -1;
}

struct snapshot_counters *counter_history_make(const struct counter_history *counters,
					struct counter_scope scope, uint64_t begin_ns,
					uint64_t end_ns, bool wants_rows)
{
	const bool is_machine = scope.of == COUNTERS_OF_ALL;
	const struct counter_series *series = is_machine ? &counters->machine : &counters->task;
	const struct counter_series none = { .of = scope.of, .id = scope.id }, *rows_of;
	struct snapshot_counters *out;

	if (!is_machine && (series->of != scope.of || series->id != scope.id))
		series = &none;
	rows_of = !wants_rows ? NULL : is_machine && scope.by_cgroup ? &counters->cgroups : series;
	out = counter_series_make(series, rows_of, begin_ns, end_ns);
	if (!out)
		return NULL;
	out->of = scope.of;
	if (counters->why.err && !counters->reader) {
		out->state = COUNTERS_REFUSED;
		snprintf(out->reason, sizeof(out->reason), "%s", counters->why.text);
	}
	return out;
}
