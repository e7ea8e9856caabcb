/* thread_reader.c - see capture/thread_reader.h.
 *
 * The scheduler counts how often a thread was run (schedstat, else status): the count is read first
 * and last, and what was read in between belongs together if it is the same.
 *
 * When a thread stopped running is in its "sched" as a time of the scheduler's clock of its CPU, in
 * which time of interrupts and of the host may be missing. How far that clock lags is found by
 * running on that CPU for a moment. An off-CPU clock that runs anyway knows it to the nanosecond.
 *
 * All registers come from a BPF program, where the kernel and the rights permit one; else stack
 * pointer and address alone, from "syscall", with which stacks of code that keeps its frame in
 * another register end early.
 *
 * A read of a thread's memory may block for ever, as its stack may be a mapping of a file whose
 * server does not respond: so the memory is read by a blocking call, which is abandoned when it
 * hangs. The threads of that process have no stack then, until the call returns; all others have.
 */
#include "capture/thread_reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "base/service.h"
#include "base/whole_io.h"
#include "bpf/kernel_reads.h"
#include "capture/stack_copy.h"
#include "capture_plan.h"
#include "memory_read.h"
#include "proc/process_stat.h"

#define FILE_BYTES     8192	/* "sched" has about 2 KB, "stack" at most 64 lines */
#define KERNEL_BYTES   4096	/* 64 functions */
#define CPUS_MAX       8192
#define ROUND_THREADS  16	/* threads between two ends of rounds, which cost the consumer */
#define REGISTERS_MAX  64
#define SAMPLE_WORDS   (5 + REGISTERS_MAX + 2)	/* a sample without its stack has at most so many */
#define AGAIN_THREADS_MAX 64	/* the registers of so many are read again for one that ran */
#define UNKNOWN_BP     1u	/* no stack is there: a walk that needs it ends */
#define MEMORY_MS  2000	/* memory that takes longer does not respond */
#define LOCK_HAS_WAITERS 2u	/* glibc's value of a lock that somebody waits for */

struct thread_reader {
	struct service *service;
	struct spsc *queue;		/* borrowed */
	int items_fd, room_fd;		/* eventfds */
	struct event_desc event;
	struct task_iterator *iterator;	/* owned; NULL: refused, only ip and sp are known */
	struct task_registers *registers;	/* owned; of the threads of one process */
	size_t register_count;
	uint32_t registers_pid;
	const struct off_cpu *off_cpu;	/* borrowed; NULL: there is none */
	struct thread_now *threads;	/* owned; with their `kernel` */
	size_t count;
	struct memory_reader memory;	/* `last` is of the last thread */
	int64_t lag_ns[CPUS_MAX];	/* our clock less the scheduler's; 0: not measured */
	bool has_iterator;		/* was tried: it is, or was refused */
	/* thread_reader_start() stores true after the threads were listed; the reading thread
	 * exchanges it for false before it reads them. */
	atomic_bool is_due;
	/* How many threads were read; the reading thread stores, thread_reader_progress() loads. */
	_Atomic size_t progress;
};

/* What one attempt found. */
struct attempt {
	int directory;			/* /proc/PID/task/TID */
	struct thread_call call;
	const uint64_t *registers;	/* all of them, by DWARF number; NULL: unknown */
	char text[FILE_BYTES];
};

/* Reads a file of the thread, as process_stat_read_file(). */
static ssize_t read_text(struct attempt *attempt, const char *name)
{
	return process_stat_read_file(attempt->directory, name, attempt->text,
				      sizeof(attempt->text));
}

/* Returns the number after @name and blanks and colons in @text; 0: there is none. */
static uint64_t number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	if (!at)
		return 0;
	at += strlen(name);
	at += strspn(at, " \t:");
	return strtoull(at, NULL, 10);
}

/* The number of its switches so far, from "status"; UINT64_MAX: unknown. */
static uint64_t count_switches(struct attempt *attempt)
{
	if (read_text(attempt, "status") <= 0)
		return UINT64_MAX;
	return number_after(attempt->text, "\nvoluntary_ctxt_switches") +
	       number_after(attempt->text, "\nnonvoluntary_ctxt_switches");
}

/* How often the thread was run so far; 0: unknown, or it has ended. */
static uint64_t count_runs(struct attempt *attempt)
{
	uint64_t runs = 0;

	if (read_text(attempt, "schedstat") > 0 &&
	    sscanf(attempt->text, "%*u %*u %" SCNu64, &runs) == 1 && runs)
		return runs;
	return count_switches(attempt) + 1;
}

bool thread_call_parse(struct thread_call *out, const char *text)
{
	uint64_t *arguments = out->arguments;

	*out = (struct thread_call){ .number = -1 };
	if (sscanf(text, "-1 %" SCNx64 " %" SCNx64, &out->sp, &out->ip) == 2)
		return true;
	return sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		      " %" SCNx64 " %" SCNx64 " %" SCNx64, &out->number, &arguments[0],
		      &arguments[1], &arguments[2], &arguments[3], &arguments[4],
		      &arguments[5], &out->sp, &out->ip) == 9;
}

/* Lines are "[<0>] NAME+0xOFFSET/0xSIZE", maybe with a module after it. */
size_t thread_kernel_parse(const char *text, char *out, size_t room)
{
	size_t used = 0;

	for (const char *line = text, *next; *line; line = next) {
		const size_t length = strcspn(line, "\n");
		const char *name = memchr(line, ']', length);
		size_t bytes;

		next = line + length + (line[length] == '\n');
		if (!name)
			continue;
		name += 1 + (name[1] == ' ');
		bytes = strcspn(name, "+ \n");
		if (used + bytes + 2 > room)
			break;
		memcpy(out + used, name, bytes);
		used += bytes;
		out[used++] = ' ';
	}
	if (room)
		out[used] = '\0';
	return used;
}

uint32_t thread_lock_owner(const struct thread_call *call, const uint32_t words[3])
{
	const uint32_t expected = (uint32_t)call->arguments[2], lock = words[0];

	if (call->number != SYS_futex)
		return 0;
	switch ((int)call->arguments[1] & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case 13:	/* FUTEX_LOCK_PI2 */
		return lock & FUTEX_TID_MASK;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		if (expected == LOCK_HAS_WAITERS)
			return lock == LOCK_HAS_WAITERS ? words[2] : 0;
		return expected & lock & FUTEX_WAITERS ? lock & FUTEX_TID_MASK : 0;
	default:
		return 0;
	}
}

/* Returns when the thread began or stopped to run, in ns of its CPU's clock, from the text of
 * "sched"; 0: unknown. */
static int64_t parse_run_time(const char *text)
{
	const char *line = strstr(text, "se.exec_start");
	double ms;

	return line && sscanf(line, "%*s : %lf", &ms) == 1 && ms > 0 ? (int64_t)(ms * 1e6) : 0;
}

/* Runs on @cpu for a moment. Returns our clock less that of its scheduler; 0: unknown. */
static int64_t measure_cpu(uint32_t cpu)
{
	const struct timespec moment = { .tv_nsec = 1 };
	const int directory = open("/proc/thread-self", O_PATH | O_CLOEXEC);
	char text[FILE_BYTES];
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int64_t lag_ns = 0;

	if (set && directory >= 0) {
		CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
		CPU_SET_S(cpu, CPU_ALLOC_SIZE(CPUS_MAX), set);
		if (!sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set)) {
			uint64_t now_ns;

			nanosleep(&moment, NULL);	/* so that it begins to run anew */
			now_ns = clock_now_ns();
			if (process_stat_read_file(directory, "sched", text,
						   sizeof(text)) > 0 && parse_run_time(text))
				lag_ns = (int64_t)now_ns - parse_run_time(text);
		}
	}
	if (set)
		CPU_FREE(set);
	if (directory >= 0)
		close(directory);
	return lag_ns;
}

/* Sets since when @thread, which is blocked, has not run. */
static void read_since(struct thread_reader *reader, struct attempt *attempt,
		       struct thread_now *thread)
{
	int64_t run_ns;

	if (thread->cpu >= CPUS_MAX || read_text(attempt, "sched") <= 0)
		return;
	run_ns = parse_run_time(attempt->text);
	if (!run_ns)
		return;
	if (!reader->lag_ns[thread->cpu])
		reader->lag_ns[thread->cpu] = measure_cpu(thread->cpu);
	if (!reader->lag_ns[thread->cpu])
		return;
	thread->since_ns = (uint64_t)(run_ns + reader->lag_ns[thread->cpu]);
	if (thread->since_ns > thread->time_ns)
		thread->since_ns = thread->time_ns;
}

static void read_kernel(struct attempt *attempt, struct thread_now *thread)
{
	char names[KERNEL_BYTES];

	if (read_text(attempt, "stack") > 0 &&
	    thread_kernel_parse(attempt->text, names, sizeof(names)))
		thread->kernel = strdup(names);
}

/* Reads stack and lock of @thread into reader->memory.last. Returns false when its memory does not
 * respond. */
static bool read_memory(struct thread_reader *reader, const struct thread_call *call,
			struct thread_now *thread)
{
	struct thread_memory *memory;

	if (memory_read(&reader->memory, thread->pid, call->sp,
			call->number == SYS_futex ? call->arguments[0] : 0, &memory))
		return false;
	thread->owner = memory->has_words ? thread_lock_owner(call, memory->words) : 0;
	thread->futex = thread->owner ? memory->futex : 0;
	return true;
}

static bool take_room(struct thread_reader *reader)
{
	struct pollfd room = { .fd = reader->room_fd, .events = POLLIN };
	eventfd_t count;

	while (poll(&room, 1, -1) < 0)
		;
	eventfd_read(reader->room_fd, &count);
	return !service_is_stopping(reader->service);
}

/* Waits for room in the queue. NULL: the reader is stopped. */
static struct queue_item *reserve(struct thread_reader *reader, enum queue_item_kind kind,
				  size_t payload_bytes)
{
	struct queue_item *item;

	while (!(item = spsc_reserve(reader->queue, sizeof(*item) + payload_bytes)))
		if (!take_room(reader))
			return NULL;
	*item = (struct queue_item){ .kind = (uint16_t)kind, .cpu = UINT32_MAX };
	return item;
}

static void commit(struct thread_reader *reader)
{
	spsc_commit(reader->queue);
	whole_eventfd_write(reader->items_fd, 1);
}

/* Queues a sample of @thread: PERF_RECORD_SAMPLE of perf_event_open(2). */
static bool queue_sample(struct thread_reader *reader, const struct thread_now *thread,
			 const struct attempt *attempt)
{
	const size_t stack_bytes = reader->memory.last->stack_bytes;
	unsigned char *stack = reader->memory.last->stack;
	const struct thread_call *call = &attempt->call;
	const struct user_registers registers = { .ip = call->ip, .sp = call->sp,
						  .bp = UNKNOWN_BP };
	const size_t padded = (stack_bytes + 7) / 8 * 8;
	uint64_t words[SAMPLE_WORDS];
	size_t count = 0, bytes;
	struct perf_event_header *header;
	struct queue_item *item;
	char *at;

	words[count++] = call->ip;
	words[count++] = thread->pid | (uint64_t)thread->tid << 32;
	words[count++] = thread->time_ns;
	words[count++] = thread->cpu;
	words[count++] = user_registers_abi(call->sp, call->ip);
	count += user_registers_write(&reader->event.format, &registers, attempt->registers,
				      words + count);
	words[count++] = padded;
	bytes = sizeof(*header) + count * sizeof(*words) + padded + (padded ? 8 : 0);
	item = reserve(reader, QUEUE_RECORD, bytes);
	if (!item)
		return false;
	item->event = 0;
	header = (void *)(item + 1);
	*header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = (uint16_t)bytes,
					      .misc = PERF_RECORD_MISC_USER };
	at = (char *)(header + 1);
	memcpy(at, words, count * sizeof(*words));
	at += count * sizeof(*words);
	memset(stack + stack_bytes, 0, padded - stack_bytes);
	memcpy(at, stack, padded);
	if (padded)
		memcpy(at + padded, &(uint64_t){ stack_bytes }, 8);
	commit(reader);
	return true;
}

static bool queue_round_end(struct thread_reader *reader, uint64_t limit_ns)
{
	struct queue_item *item = reserve(reader, QUEUE_ROUND_END, sizeof(struct queue_round_end));

	if (!item)
		return false;
	*(struct queue_round_end *)(void *)(item + 1) =
		(struct queue_round_end){ .limit_ns = limit_ns };
	commit(reader);
	return true;
}

static bool queue_end(struct thread_reader *reader)
{
	struct queue_item *item;

	if (!queue_round_end(reader, UINT64_MAX))
		return false;
	item = reserve(reader, QUEUE_END, sizeof(struct queue_end));
	if (!item)
		return false;
	*(struct queue_end *)(void *)(item + 1) = (struct queue_end){ .why.err = 0 };
	commit(reader);
	return true;
}

/* Reads name, state and CPU. Returns false when the thread has ended. */
static bool read_stat(struct attempt *attempt, struct thread_now *thread, bool *is_kernel)
{
	struct process_stat stat;

	if (read_text(attempt, "stat") <= 0 ||
	    !process_stat_parse(&stat, attempt->text))
		return false;
	memcpy(thread->comm, stat.comm, sizeof(thread->comm));
	thread->state = stat.state;
	thread->cpu = stat.cpu;
	*is_kernel = stat.is_kernel || stat.state == 'Z' || stat.state == 'X';
	return true;
}

/* Reads system call and registers. Returns what is known of the thread then. */
static enum thread_look read_call(struct attempt *attempt)
{
	const ssize_t got = read_text(attempt, "syscall");

	if (got == -EPERM || got == -EACCES)
		return THREAD_REFUSED;
	return got > 0 && thread_call_parse(&attempt->call, attempt->text) ? THREAD_READ
									   : THREAD_RUNNING;
}

/* Reads the registers of all threads of process @pid. */
static void read_registers(struct thread_reader *reader, uint32_t pid)
{
	struct diag why;

	free(reader->registers);
	reader->registers = NULL;
	reader->register_count = 0;
	reader->registers_pid = pid;
	if (reader->iterator && task_iterator_read(reader->iterator, pid, &reader->registers,
						   &reader->register_count, &why))
		log_warn("registers of process %" PRIu32 ": %s", pid, why.text);
}

/* NULL: they were not read. */
static const struct task_registers *find_registers(const struct thread_reader *reader,
						   const struct thread_now *thread)
{
	return task_registers_find(reader->registers, reader->register_count, thread->tid);
}

/* Looks at @thread once. @all: its registers, with the number of its switches, by which it is found
 * whether it has run since; NULL: unknown. Its stack is in reader->memory.last then. Returns false
 * when it has ended. */
static bool look_once(struct thread_reader *reader, struct attempt *attempt,
		      const struct task_registers *all, struct thread_now *thread)
{
	const uint64_t runs = all ? all->switches : count_runs(attempt);
	bool is_kernel;

	thread->time_ns = clock_now_ns();
	if ((!all && !runs) || !read_stat(attempt, thread, &is_kernel))
		return false;
	thread->look = is_kernel ? THREAD_KERNEL_ONLY : THREAD_RUNNING;
	if (thread->state == 'R')
		return true;
	if (!is_kernel)
		thread->look = read_call(attempt);
	attempt->registers = all ? all->values : NULL;
	if (thread->look == THREAD_READ && !read_memory(reader, &attempt->call, thread))
		thread->look = THREAD_SILENT;
	if (thread->look != THREAD_RUNNING)
		read_kernel(attempt, thread);
	if ((all ? count_switches(attempt) : count_runs(attempt)) != runs)
		thread->look = THREAD_CHANGED;
	else if (thread->look != THREAD_RUNNING)
		read_since(reader, attempt, thread);
	return true;
}

static void forget_look(struct thread_now *thread)
{
	free((char *)thread->kernel);
	thread->kernel = NULL;
	thread->futex = thread->since_ns = 0;
	thread->owner = 0;
}

/* Returns the id in the innermost pid namespace, from the text of "status"; 0: unknown. *@is_inner:
 * the id differs between namespaces. */
static uint32_t innermost_id(const char *text, bool *is_inner)
{
	const char *at = strstr(text, "\nNSpid:");
	uint32_t id = 0;
	int ids = 0;

	if (at)
		at += strlen("\nNSpid:");
	for (char *end; at && at[strspn(at, " \t")] != '\n'; at = end, ids++) {
		id = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
	}
	*is_inner = ids > 1;
	return id;
}

/* Looks at @thread until it has kept still, and queues its stack. False: the reader is stopped. */
static bool read_thread(struct thread_reader *reader, struct thread_now *thread)
{
	struct attempt attempt;
	char path[64];
	bool is_there = true, is_inner, is_new;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32, thread->pid, thread->tid);
	attempt.directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (attempt.directory < 0)
		return true;
	thread->look = THREAD_CHANGED;
	for (int i = 0; i < THREAD_ATTEMPTS && is_there && thread->look == THREAD_CHANGED; i++) {
		forget_look(thread);
		is_new = thread->pid != reader->registers_pid ||
			 (i && reader->register_count <= AGAIN_THREADS_MAX);
		if (is_new)
			read_registers(reader, thread->pid);
		is_there = look_once(reader, &attempt,
				     is_new || !i ? find_registers(reader, thread) : NULL, thread);
	}
	if (is_there && !thread->inner_tid &&
	    read_text(&attempt, "status") > 0)
		thread->inner_tid = innermost_id(attempt.text, &is_inner);
	close(attempt.directory);
	if (!is_there || thread->look == THREAD_CHANGED || thread->look == THREAD_RUNNING)
		forget_look(thread);
	if (!is_there)
		thread->time_ns = 0;
	return !is_there || thread->look != THREAD_READ ||
	       queue_sample(reader, thread, &attempt);
}

static int compare(const void *a, const void *b)
{
	const struct thread_now *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

/* Sets since when the threads @first..@end - 1, all of one process, are blocked, by the off-CPU
 * clock. They were looked at before: who left its CPU before that is the one that was seen. */
static void read_clock(struct thread_reader *reader, size_t first, size_t end)
{
	const uint32_t pid = reader->threads[first].pid;
	struct off_cpu_thread *rows;
	struct diag why;
	size_t count;

	if (!reader->off_cpu ||
	    off_cpu_read_threads(reader->off_cpu, (pid_t)pid, &rows, &count, &why))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct thread_now wanted = { .pid = pid, .tid = rows[i].tid };
		struct thread_now *thread = bsearch(&wanted, reader->threads + first, end - first,
						    sizeof(wanted), compare);

		if (!thread || thread->look == THREAD_RUNNING || thread->look == THREAD_CHANGED ||
		    !rows[i].is_off || !rows[i].state || rows[i].since_ns > thread->time_ns)
			continue;
		thread->since_ns = rows[i].since_ns;
		thread->is_since_exact = true;
	}
	free(rows);
}

/* Leaves out the threads that had ended. */
static void keep_those_there(struct thread_reader *reader)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->count; i++)
		if (reader->threads[i].time_ns)
			reader->threads[kept++] = reader->threads[i];
	reader->count = kept;
}

static void create_iterator(struct thread_reader *reader)
{
	struct diag why;

	/* The program knows the ids of the first namespace alone: these are other threads here. */
	if (capture_is_in_pid_namespace())
		diag_set(&why, -ENOTSUP, "all registers are read in the host's PID namespace only");
	else
		task_iterator_create(&reader->iterator, &why);
	if (!reader->iterator)
		log_note("stacks may end early where code keeps its frame in a register: %s",
			 why.text);
	reader->has_iterator = true;
}

static int serve(void *owner)
{
	struct thread_reader *reader = owner;

	if (!atomic_exchange(&reader->is_due, false))
		return SERVICE_SLEEP;
	if (!reader->has_iterator)
		create_iterator(reader);
	for (size_t i = 0, first = 0; i < reader->count; i++) {
		if (service_is_stopping(reader->service) ||
		    !read_thread(reader, &reader->threads[i]) ||
		    (i % ROUND_THREADS == 0 && !queue_round_end(reader, clock_now_ns())))
			return SERVICE_SLEEP;
		if (i + 1 == reader->count ||
		    reader->threads[i + 1].pid != reader->threads[first].pid) {
			read_clock(reader, first, i + 1);
			first = i + 1;
		}
		atomic_store_explicit(&reader->progress, i + 1, memory_order_relaxed);
	}
	keep_those_there(reader);
	atomic_store_explicit(&reader->progress, SIZE_MAX, memory_order_relaxed);
	queue_end(reader);
	return SERVICE_SLEEP;
}

static void interrupt(void *owner)
{
	struct thread_reader *reader = owner;

	whole_eventfd_write(reader->room_fd, 1);
}

static int append_thread(struct thread_reader *reader, uint32_t pid, uint32_t tid, bool is_inner)
{
	if ((reader->count & (reader->count - 1)) == 0) {	/* room doubles at powers of two */
		const size_t room = reader->count ? reader->count * 2 : 1;
		void *grown = realloc(reader->threads, room * sizeof(*reader->threads));

		if (!grown)
			return -ENOMEM;
		reader->threads = grown;
	}
	reader->threads[reader->count++] = (struct thread_now){
		.pid = pid, .tid = tid, .inner_tid = is_inner ? 0 : tid,
	};
	return 0;
}

static bool has_id(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Whose threads are listed. */
struct listing {
	const struct target *target;
	const char *comm;		/* NULL: any */
	const struct own_processes *own;
};

static bool has_name(pid_t pid, pid_t tid, const char *comm)
{
	char path[64], text[32], name[4 * sizeof(text) + 1];
	const int length =
		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	const int fd = length > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t got;

	if (fd < 0)
		return false;
	got = whole_read(fd, text, sizeof(text));
	close(fd);
	if (got <= 0)
		return false;
	sanitize_text(name, sizeof(name), text, (size_t)got - 1);	/* the last is a newline */
	return !strcmp(name, comm);
}

static bool has_thread_named(pid_t pid, const pid_t *tids, size_t count, const char *comm)
{
	for (size_t i = 0; i < count; i++)
		if (has_name(pid, tids[i], comm))
			return true;
	return false;
}

/* Appends thread @tid of process @pid; 0: all of its threads. What has ended has none. */
static int append_process(struct thread_reader *reader, uint32_t pid, uint32_t tid,
			  const struct listing *of)
{
	const struct own_processes *own = of->own;
	char path[64], text[FILE_BYTES];
	size_t count = 0;
	pid_t *tids = NULL;
	bool is_inner;
	int directory, err = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, tid ? tid : pid);
	directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return 0;
	got = process_stat_read_file(directory, "status", text, sizeof(text));
	close(directory);
	if (got <= 0)
		return 0;
	innermost_id(text, &is_inner);
	pid = (uint32_t)number_after(text, "\nTgid");
	if (has_id(own->ids, own->count, pid) ||
	    has_id(own->ids, own->count, (uint32_t)number_after(text, "\nPPid")))
		return 0;
	if (tid)
		return append_thread(reader, pid, tid, is_inner);
	if (task_list_threads((pid_t)pid, &tids, &count) == -ENOMEM)
		err = -ENOMEM;
	if (of->comm && !has_thread_named((pid_t)pid, tids, count, of->comm))
		count = 0;
	for (size_t i = 0; i < count && !err; i++)
		err = append_thread(reader, pid, (uint32_t)tids[i], is_inner);
	free(tids);
	return err;
}

static int list_processes(const struct target *target, pid_t **pids, size_t *count)
{
	int err;

	if (target->kind == TARGET_SYSTEM || target->kind == TARGET_USER)
		return task_list_processes_of(target->kind == TARGET_USER ? target->uid
									  : (uid_t)-1,
					      pids, count);
	if (target->has_descendants) {
		err = task_list_descendants(target->ids, target->id_count, 1, pids, count);
		if (err)
			return err;
	}
	return 0;
}

static int list_threads(struct thread_reader *reader, const struct listing *of)
{
	const struct target *target = of->target;
	const bool has_threads = target->kind == TARGET_THREADS;
	size_t count = 0;
	pid_t *pids = NULL;
	int err = list_processes(target, &pids, &count);

	for (size_t i = 0; i < target->id_count && !err; i++)
		err = append_process(reader, (uint32_t)target->ids[i],
				     has_threads ? (uint32_t)target->ids[i] : 0, of);
	for (size_t i = 0; i < count && !err; i++)
		err = append_process(reader, (uint32_t)pids[i], 0, of);
	free(pids);
	if (!err && reader->count)
		qsort(reader->threads, reader->count, sizeof(*reader->threads), compare);
	return err;
}

static void describe_event(struct thread_reader *reader)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = user_registers_mask(),
		.sample_stack_user = (uint32_t)reader->memory.room,
	};

	record_format_init(&reader->event.format, &attr);
	event_desc_identify(&reader->event, &attr);
	reader->event.fixed_period = 1;
	reader->event.copy_bytes = attr.sample_stack_user;
	snprintf(reader->event.name, sizeof(reader->event.name), "threads");
}

int thread_reader_create(struct thread_reader **out, size_t copy_bytes, struct diag *why)
{
	struct thread_reader *reader = calloc(1, sizeof(*reader));

	*out = NULL;
	if (!reader)
		return diag_set(why, -ENOMEM, "no memory for the threads");
	reader->memory.calls.wait_ms = MEMORY_MS;
	reader->memory.room = copy_bytes < THREAD_COPY_BYTES_MAX ? copy_bytes
								 : THREAD_COPY_BYTES_MAX;
	reader->items_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	describe_event(reader);
	if (reader->items_fd < 0 || reader->room_fd < 0) {
		thread_reader_destroy(reader);
		return diag_set(why, -EMFILE, "cannot list the threads: %s", strerror(EMFILE));
	}
	*out = reader;
	return 0;
}

static void forget_threads(struct thread_reader *reader)
{
	threads_destroy(reader->threads, reader->count);
	reader->threads = NULL;
	reader->count = 0;
}

int thread_reader_list(struct thread_reader *reader, const struct target *target,
		       const char *comm, const struct own_processes *own, struct diag *why)
{
	const struct listing of = { target, comm, own };
	int err;

	forget_threads(reader);
	reader->registers_pid = 0;
	memset(reader->lag_ns, 0, sizeof(reader->lag_ns));	/* it grows with the host's time */
	atomic_store_explicit(&reader->progress, 0, memory_order_relaxed);
	err = list_threads(reader, &of);
	if (!err && !reader->count)
		err = -ESRCH;
	return err ? diag_set(why, err, "cannot list the threads: %s",
			      err == -ESRCH ? "there are none" : strerror(-err)) : 0;
}

bool thread_reader_destroy(struct thread_reader *reader)
{
	if (!reader)
		return true;
	if (!service_stop(reader->service))
		return false;
	service_destroy(reader->service);
	forget_threads(reader);
	free(reader->registers);
	task_iterator_destroy(reader->iterator);
	memory_reader_finish(&reader->memory);
	if (reader->items_fd >= 0)
		close(reader->items_fd);
	if (reader->room_fd >= 0)
		close(reader->room_fd);
	free(reader);
	return true;
}

void thread_reader_set_clock(struct thread_reader *reader, const struct off_cpu *off_cpu)
{
	reader->off_cpu = off_cpu;
}

const struct event_desc *thread_reader_event(const struct thread_reader *reader)
{
	return &reader->event;
}

int thread_reader_start(struct thread_reader *reader, struct spsc *queue, struct diag *why)
{
	const struct service_plan plan = {
		.name = "flametop-stacks", .serve = serve, .interrupt = interrupt,
		.may_hang = true, .owner = reader,
	};
	int err;

	reader->queue = queue;
	atomic_store(&reader->is_due, true);	/* serve() */
	if (reader->service) {
		service_wake(reader->service);
		return 0;
	}
	err = service_create(&reader->service, &plan);
	return err ? diag_set(why, err, "cannot start the thread that reads stacks: %s",
			      strerror(-err)) : 0;
}

int thread_reader_queue_fd(const struct thread_reader *reader)
{
	return reader->items_fd;
}

void thread_reader_consumed(struct thread_reader *reader)
{
	whole_eventfd_write(reader->room_fd, 1);
}

size_t thread_reader_progress(const struct thread_reader *reader)
{
	return atomic_load_explicit(&reader->progress, memory_order_relaxed);
}

struct thread_now *thread_reader_take_threads(struct thread_reader *reader, size_t *count)
{
	struct thread_now *threads = reader->threads;

	*count = reader->count;
	reader->threads = NULL;
	reader->count = 0;
	return threads;
}

void threads_destroy(struct thread_now *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)threads[i].kernel);
	free(threads);
}
