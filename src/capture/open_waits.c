/* open_waits.c - see open_waits.h.
 *
 * Problem: a thread that blocked before flametop started, or that stays blocked, is never switched.
 *
 * Idea: at the end of each slice the off-CPU clock tells who is blocked since when. Registers,
 * kernel stack and user stack of some of these threads are read, those first whose time was queued
 * longest ago; then the clock is read once more. A thread that is blocked since the same moment has
 * kept still in between, and all that was read of it belongs together: nothing is stopped.
 *
 * A read of a thread's memory may block for ever: see memory_read.h. A thread whose memory does not
 * respond has its time counted with the kernel's functions and the user code's address alone.
 */
#include "open_waits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/service.h"
#include "base/whole_io.h"
#include "bpf/kernel_reads.h"
#include "memory_read.h"
#include "wait_sample.h"

#define SLICE_NS      CLOCK_NS_PER_S	/* as in timeline/timeline.h */
#define OPEN_MIN_NS   (CLOCK_NS_PER_S / 10)	/* shorter ones end soon */
#define LAST_LOOK_MS  1000
#define LAST_TRIES    20	/* looks in a row that queue nothing, before the last look ends */
#define TRY_NS	      5000000	/* between two of these: the sampler makes room in the queue */
#define MEMORY_MS     250	/* memory that takes longer does not respond */
#define DEAD_STATES   0xb0u	/* EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD: it waits for nothing */

#ifdef __aarch64__
enum { SP = 31 };	/* DWARF number */
#else
enum { SP = 7 };
#endif

/* A thread that waits. */
struct open_wait {
	uint32_t pid, tid;
	uint64_t since_ns;
	uint64_t until_ns;	/* its time until then was queued; since_ns: none was */
	uint32_t state;
};

/* A thread that waits and what was read of it. */
struct look {
	struct open_wait *wait;		/* in `now` */
	struct task_registers registers;
	size_t stack_bytes;
	bool is_read;
};

struct open_waits {
	struct service *service;
	struct spsc queue;
	struct off_cpu *off_cpu;	/* owned */
	struct task_iterator *iterator;	/* owned */
	struct wait_sample_form form;
	struct memory_reader memory;
	uint64_t min_ns;		/* a wait is not counted before it lasts so long */
	bool is_of_all;
	int round_fd;			/* a duplicate: the other may be closed when a read ends */
	int ended_fd;			/* eventfd: the last look is over */
	/* 0: the session goes on; else the last look ends then. open_waits_end() stores, the
	 * looking thread loads. */
	_Atomic uint64_t end_ns;
	uint64_t due_ns;		/* end of the slice */
	struct open_wait *now;		/* owned; by tid: who waited at the last look */
	size_t count;
	struct look looks[OPEN_WAITS_LOOK];
	unsigned char *stacks;		/* owned; read_bytes for each look */
};

static int compare_tids(const void *one, const void *other)
{
	const struct open_wait *a = one, *b = other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_rows(const void *one, const void *other)
{
	const struct off_cpu_thread *a = one, *b = other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Sorts first who waits longest for its time to be queued; among equals whose wait is newest, then
 * whose process is: a program that has just deadlocked is found before those that wait for days. */
static int compare_looks(const void *one, const void *other)
{
	const struct open_wait *a = ((const struct look *)one)->wait;
	const struct open_wait *b = ((const struct look *)other)->wait;

	if (a->until_ns != b->until_ns)
		return a->until_ns < b->until_ns ? -1 : 1;
	if (a->since_ns != b->since_ns)
		return a->since_ns > b->since_ns ? -1 : 1;
	return (a->pid < b->pid) - (a->pid > b->pid);
}

static int compare_pids(const void *one, const void *other)
{
	const struct open_wait *a = ((const struct look *)one)->wait;
	const struct open_wait *b = ((const struct look *)other)->wait;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Returns true for a blocked thread. One that was woken is not: it waits for a CPU. */
static bool is_open(const struct off_cpu_thread *row)
{
	return row->is_off && row->state && !(row->state & DEAD_STATES) && !row->is_kernel &&
	       !row->woken_at_ns;
}

/* Returns true if the time of @wait until @until_ns is to be queued. Of a wait that is queued in
 * part already the rest is, however short the wait was to be. */
static bool is_due(const struct open_waits *open_waits, const struct open_wait *wait,
		   uint64_t until_ns)
{
	const uint64_t min_ns = wait->until_ns == wait->since_ns ? open_waits->min_ns : OPEN_MIN_NS;

	return wait->until_ns + min_ns <= until_ns;
}

/* Lists the threads that wait, by tid. The caller frees *@out. */
static int list_open(struct open_waits *open_waits, struct open_wait **out, size_t *count)
{
	struct off_cpu_thread *rows;
	struct diag why;
	size_t row_count;
	int err = off_cpu_read_threads(open_waits->off_cpu, 0, &rows, &row_count, &why);

	*out = NULL;
	*count = 0;
	if (err)
		return err;
	*out = malloc((row_count + 1) * sizeof(**out));
	for (size_t i = 0; *out && i < row_count; i++) {
		const struct open_wait key = { .tid = rows[i].tid };
		const struct open_wait *before =
			open_waits->count ? bsearch(&key, open_waits->now, open_waits->count,
						    sizeof(key), compare_tids) : NULL;

		if (!is_open(&rows[i]))
			continue;
		(*out)[(*count)++] = (struct open_wait){
			.pid = rows[i].pid, .tid = rows[i].tid, .since_ns = rows[i].since_ns,
			.until_ns = before && before->since_ns == rows[i].since_ns
				    ? before->until_ns : rows[i].since_ns,
			.state = (uint32_t)rows[i].state,
		};
	}
	free(rows);
	if (!*out)
		return -ENOMEM;
	qsort(*out, *count, sizeof(**out), compare_tids);
	return 0;
}

/* Chooses the threads to look at and sorts these by process. Returns the number of threads that are
 * due; the first OPEN_WAITS_LOOK of them are chosen. */
static size_t choose(struct open_waits *open_waits, uint64_t until_ns)
{
	struct look *all = malloc((open_waits->count + 1) * sizeof(*all));
	size_t count = 0, chosen;

	for (size_t i = 0; all && i < open_waits->count; i++)
		if (is_due(open_waits, &open_waits->now[i], until_ns))
			all[count++] = (struct look){ .wait = &open_waits->now[i] };
	chosen = count < OPEN_WAITS_LOOK ? count : OPEN_WAITS_LOOK;
	if (count) {
		qsort(all, count, sizeof(*all), compare_looks);
		memcpy(open_waits->looks, all, chosen * sizeof(*all));
		qsort(open_waits->looks, chosen, sizeof(*all), compare_pids);
	}
	free(all);
	return count;
}

/* Copies the stack of the thread whose registers @look has. */
static void read_stack(struct open_waits *open_waits, struct look *look, unsigned char *stack)
{
	const struct task_registers *registers = &look->registers;
	struct thread_memory *memory;
	const int err = memory_read(&open_waits->memory, registers->pid, registers->values[SP], 0,
				    &memory);

	if (err == -ETIMEDOUT)	/* from now on it is -EBUSY */
		log_note("the memory of process %" PRIu32 " does not respond: waits of its threads "
			 "are counted without their stacks until it does", registers->pid);
	if (err)
		return;
	look->stack_bytes = memory->stack_bytes;
	memcpy(stack, memory->stack, memory->stack_bytes);
}

/* Reads @looks[@count], all of one process, and their stacks from @stacks on. */
static void read_process(struct open_waits *open_waits, struct look *looks, size_t count,
			 unsigned char *stacks)
{
	struct task_registers *list;
	size_t listed;
	struct diag why;

	if (task_iterator_read(open_waits->iterator, looks->wait->pid, &list, &listed, &why))
		return;
	for (size_t i = 0; i < count && !service_is_stopping(open_waits->service); i++) {
		const struct task_registers *found =
			task_registers_find(list, listed, looks[i].wait->tid);

		if (!found)
			continue;
		looks[i].registers = *found;
		if (open_waits->form.read_bytes)
			read_stack(open_waits, &looks[i], stacks + i * open_waits->form.read_bytes);
		looks[i].is_read = true;
	}
	free(list);
}

static void read_stacks(struct open_waits *open_waits, size_t count)
{
	struct look *looks = open_waits->looks;

	for (size_t first = 0, end; first < count; first = end) {
		const uint32_t pid = looks[first].wait->pid;

		for (end = first + 1; end < count && looks[end].wait->pid == pid;)
			end++;
		read_process(open_waits, looks + first, end - first,
			     open_waits->stacks + first * open_waits->form.read_bytes);
	}
}

/* Forgets what was read of threads that did not keep still. */
static void check_looks(struct open_waits *open_waits, size_t count)
{
	struct off_cpu_thread *rows = NULL;
	struct diag why;
	size_t row_count = 0;

	if (off_cpu_read_threads(open_waits->off_cpu, 0, &rows, &row_count, &why))
		row_count = 0;
	if (row_count)
		qsort(rows, row_count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < count; i++) {
		struct look *look = &open_waits->looks[i];
		const struct off_cpu_thread key = { .tid = look->wait->tid };
		const struct off_cpu_thread *row =
			row_count ? bsearch(&key, rows, row_count, sizeof(key), compare_rows)
				  : NULL;

		look->is_read &= row && row->is_off && row->since_ns == look->wait->since_ns;
	}
	free(rows);
}

/* Queues the time of @look until @until_ns. False: the queue is full. */
static bool queue_look(struct open_waits *open_waits, const struct look *look,
		       const unsigned char *stack, uint64_t until_ns)
{
	const uint64_t waited_ns = until_ns - look->wait->since_ns;
	const struct wait_sample sample = {
		.pid = look->wait->pid, .tid = look->wait->tid, .cpu = UINT32_MAX,
		.time_ns = until_ns,
		.wait = {
			.weight_ns = waited_ns, .blocked_ns = waited_ns, .woken_at_ns = until_ns,
			.state = look->wait->state,
			.flags = WAIT_IS_OPEN | (open_waits->is_of_all ? WAIT_IS_OF_ALL : 0),
		},
		.kernel = look->registers.kernel, .registers = look->registers.values,
		.stack = stack, .stack_bytes = look->stack_bytes, .needed_bytes = SIZE_MAX,
	};

	return wait_sample_queue(&open_waits->form, &sample, &open_waits->queue);
}

/* Queues the records of the chosen threads that kept still. Returns their number. */
static size_t queue_looks(struct open_waits *open_waits, size_t count, uint64_t until_ns)
{
	size_t queued = 0;

	for (size_t i = 0; i < count; i++) {
		struct look *look = &open_waits->looks[i];

		if (!look->is_read)
			continue;
		if (!queue_look(open_waits, look,
				open_waits->stacks + i * open_waits->form.read_bytes, until_ns))
			break;
		look->wait->until_ns = until_ns;
		queued++;
	}
	return queued;
}

/* Queues the time of at most OPEN_WAITS_LOOK threads that wait, until @until_ns; *@queued is their
 * number. Returns the number of threads that are still due. */
static size_t look(struct open_waits *open_waits, uint64_t until_ns, size_t *queued)
{
	struct open_wait *now;
	size_t count, due, chosen;

	*queued = 0;
	if (list_open(open_waits, &now, &count))
		return 0;
	free(open_waits->now);
	open_waits->now = now;
	open_waits->count = count;
	due = choose(open_waits, until_ns);
	chosen = due < OPEN_WAITS_LOOK ? due : OPEN_WAITS_LOOK;
	if (!chosen)
		return 0;
	read_stacks(open_waits, chosen);
	check_looks(open_waits, chosen);
	*queued = queue_looks(open_waits, chosen, until_ns);
	whole_eventfd_write(open_waits->round_fd, 1);
	return due - *queued;
}

/* Looks until all threads had their turn, as there is no later slice for the others. */
static void look_last(struct open_waits *open_waits, uint64_t end_ns)
{
	const struct timespec nap = { .tv_nsec = TRY_NS };
	const uint64_t until_ns = clock_now_ns();
	size_t due, queued;
	int tries = 0;

	while ((due = look(open_waits, until_ns, &queued)) && clock_now_ns() < end_ns &&
	       !service_is_stopping(open_waits->service)) {
		tries = queued ? 0 : tries + 1;
		if (tries == LAST_TRIES)
			break;
		if (!queued)
			nanosleep(&nap, NULL);
	}
	if (due)
		log_note("the last seconds of %zu threads that stay blocked are not counted: there "
			 "was no time for more", due);
}

static uint64_t slice_end(uint64_t time_ns)
{
	return (time_ns / SLICE_NS + 1) * SLICE_NS;
}

static int serve(void *owner)
{
	struct open_waits *open_waits = owner;
	const uint64_t end_ns = atomic_load(&open_waits->end_ns);	/* open_waits_end() */
	const uint64_t now_ns = clock_now_ns();
	struct diag why;
	size_t queued;

	if (!open_waits->iterator && task_iterator_create(&open_waits->iterator, &why)) {
		log_note("threads that stay blocked are not found: %s", why.text);
		whole_eventfd_write(open_waits->ended_fd, 1);
		return SERVICE_SLEEP;
	}
	if (end_ns) {
		look_last(open_waits, end_ns);
		whole_eventfd_write(open_waits->ended_fd, 1);
		return SERVICE_SLEEP;
	}
	if (now_ns >= open_waits->due_ns) {
		look(open_waits, now_ns - now_ns % SLICE_NS, &queued);
		open_waits->due_ns = slice_end(now_ns);
	}
	return clock_ms_until(open_waits->due_ns, clock_now_ns());
}

/* Returns the capacity that holds the records of a look: a power of two. */
static size_t queue_bytes(const struct wait_sample_form *form)
{
	const size_t record_bytes = wait_sample_max_bytes(form) + 32;	/* 32: the queue's own */
	size_t bytes = 4096;

	while (bytes < OPEN_WAITS_LOOK * record_bytes)
		bytes *= 2;
	return bytes;
}

int open_waits_create(struct open_waits **out, const struct perf_event_attr *attr,
		      uint64_t period_ns, bool is_of_all, int round_fd)
{
	struct open_waits *open_waits = calloc(1, sizeof(*open_waits));

	*out = NULL;
	if (!open_waits)
		return -ENOMEM;
	wait_sample_form_init(&open_waits->form, attr);
	open_waits->memory.room = open_waits->form.read_bytes;
	open_waits->memory.calls.wait_ms = MEMORY_MS;
	open_waits->min_ns = period_ns > OPEN_MIN_NS ? period_ns : OPEN_MIN_NS;
	open_waits->is_of_all = is_of_all;
	open_waits->round_fd = fcntl(round_fd, F_DUPFD_CLOEXEC, 0);
	open_waits->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	open_waits->stacks = malloc((size_t)OPEN_WAITS_LOOK * open_waits->form.read_bytes + 1);
	if (open_waits->ended_fd < 0 || open_waits->round_fd < 0 || !open_waits->stacks ||
	    spsc_init(&open_waits->queue, queue_bytes(&open_waits->form))) {
		open_waits_destroy(open_waits);
		return -ENOMEM;
	}
	*out = open_waits;
	return 0;
}

struct spsc *open_waits_queue(struct open_waits *open_waits)
{
	return &open_waits->queue;
}

int open_waits_start(struct open_waits *open_waits, const struct off_cpu *off_cpu)
{
	const struct service_plan plan = { .name = "flametop-wait", .serve = serve,
					   .may_hang = true, .owner = open_waits };

	open_waits->off_cpu = off_cpu_share(off_cpu);
	if (!open_waits->off_cpu)
		return -EMFILE;
	return service_create(&open_waits->service, &plan);
}

void open_waits_end(struct open_waits *open_waits)
{
	struct pollfd ended = { .fd = open_waits->ended_fd, .events = POLLIN };

	if (!open_waits->service)
		return;
	atomic_store(&open_waits->end_ns,	/* serve() */
		     clock_now_ns() + LAST_LOOK_MS * CLOCK_NS_PER_MS);
	service_wake(open_waits->service);
	poll(&ended, 1, LAST_LOOK_MS);
}

/* If the thread hangs, it goes on using all that would be freed. */
void open_waits_destroy(struct open_waits *open_waits)
{
	if (!open_waits || !service_stop(open_waits->service))
		return;
	service_destroy(open_waits->service);
	task_iterator_destroy(open_waits->iterator);
	off_cpu_close(open_waits->off_cpu);
	memory_reader_finish(&open_waits->memory);
	spsc_finish(&open_waits->queue);
	if (open_waits->ended_fd >= 0)
		close(open_waits->ended_fd);
	if (open_waits->round_fd >= 0)
		close(open_waits->round_fd);
	free(open_waits->now);
	free(open_waits->stacks);
	free(open_waits);
}
