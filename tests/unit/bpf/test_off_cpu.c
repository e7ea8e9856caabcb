/* Waits that the kernel reports are compared with those that threads measure themselves: see
 * tests/workloads/waits.c. Other tests run meanwhile: what is compared is measured at the same
 * time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "bpf/off_cpu.h"
#include "bpf/off_cpu_programs.h"
#include "need_bpf.h"
#include "need_root.h"
#include "unit_tests.h"

#define CPUS_MAX      256
#define RECORDS_MAX   100000
#define STACK_BYTES   1024
#define FUNCTION_SPAN 72	/* bytes in which a function of the workload waits */
#define FUNCTIONS     8
#define THREADS	      6
#define SWITCH_NS     4000	/* a switch in wall - CPU differs by that, at most */
#ifdef __aarch64__
#define REGISTERS (1ull << 31 | 1ull << 32)	/* sp, pc */
#else
#define REGISTERS (1ull << 7 | 1ull << 8)	/* sp, ip */
#endif

struct ring {
	int fd, cpu;
	size_t bytes;
	struct perf_event_mmap_page *page;
};

struct seen_wait {
	uint32_t pid, tid;
	uint64_t time_ns;
	bool has_registers;
	struct wait_record wait;
	uint64_t stack[STACK_BYTES / 8];
};

struct watch {
	struct ring rings[CPUS_MAX];
	size_t ring_count;
	struct seen_wait *seen;	/* owned */
	size_t seen_count;
	uint64_t lost;
	struct off_cpu *off_cpu;
};

/* What the workload said of itself. */
struct truth {
	pid_t pid;
	struct {
		char name[32];
		uint64_t address, spent_ns;
	} functions[FUNCTIONS];
	struct {
		char name[32];
		pid_t tid;
		uint64_t begin_ns, end_ns, cpu_ns, switches;
	} threads[THREADS];
};

struct workload {
	pid_t pid;	/* the child; of a shell, if one starts it */
	FILE *to, *from;
};

static bool open_ring(struct ring *ring, int cpu, size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW |
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, .sample_regs_user = REGISTERS,
		.sample_stack_user = STACK_BYTES, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = 1u << 30,
	};

	ring->cpu = cpu;
	ring->bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return false;
	ring->page = mmap(NULL, ring->bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
	assert_true(ring->page != MAP_FAILED);
	return true;
}

static void open_rings(struct watch *watch, size_t pages)
{
	for (int cpu = 0; cpu < CPUS_MAX && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if (open_ring(&watch->rings[watch->ring_count], cpu, pages))
			watch->ring_count++;
	assert_true(watch->ring_count > 0);
	watch->seen = calloc(RECORDS_MAX, sizeof(*watch->seen));
	assert_non_null(watch->seen);
}

static struct off_cpu_config config_of(const pid_t *watched, size_t count)
{
	return (struct off_cpu_config){ .watched = watched, .watched_count = count,
					.cgroup_fd = -1 };
}

/* @config's events become those of the rings, of chosen CPUs that of the first. Skips the test
 * where BPF is refused. */
static void watch_open(struct watch *watch, struct off_cpu_config *config, size_t pages)
{
	struct diag why = { .text = "" };
	int cpus[CPUS_MAX], events[CPUS_MAX];

	need_root();
	need_bpf();
	memset(watch, 0, sizeof(*watch));
	open_rings(watch, pages);
	for (size_t i = 0; i < watch->ring_count; i++) {
		cpus[i] = watch->rings[i].cpu;
		events[i] = watch->rings[i].fd;
	}
	config->cpus = cpus;
	config->events = events;
	config->event_count = config->are_cpus_chosen ? 1 : watch->ring_count;
	if (!off_cpu_open(&watch->off_cpu, config, &why))
		return;
	if (!strstr(why.text, " needs "))
		fail_msg("%s", why.text);
	print_message("SKIP: needs BPF: %s\n", why.text);
	skip();
}

static void watch_close(struct watch *watch)
{
	off_cpu_close(watch->off_cpu);
	for (size_t i = 0; i < watch->ring_count; i++) {
		munmap(watch->rings[i].page, watch->rings[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
		close(watch->rings[i].fd);
	}
	free(watch->seen);
}

/* TID, TIME, RAW (its size is 4 bytes), REGS_USER, STACK_USER, as in perf_event_open(2). */
static void read_sample(struct watch *watch, const unsigned char *at)
{
	struct seen_wait *seen = &watch->seen[watch->seen_count++];
	uint32_t raw_bytes;
	uint64_t abi;

	assert_true(watch->seen_count < RECORDS_MAX);
	memcpy(&seen->pid, at, 4);
	memcpy(&seen->tid, at + 4, 4);
	memcpy(&seen->time_ns, at + 8, 8);
	memcpy(&raw_bytes, at + 16, 4);
	assert_true(raw_bytes >= sizeof(seen->wait));
	memcpy(&seen->wait, at + 20, sizeof(seen->wait));
	at += 20 + raw_bytes;
	memcpy(&abi, at, 8);
	seen->has_registers = abi != 0;
	at += 8 + (abi ? 16 : 0);
	memcpy(&abi, at, 8);	/* bytes of stack that follow */
	memcpy(seen->stack, at + 8, abi < STACK_BYTES ? abi : STACK_BYTES);
}

static void read_record(struct watch *watch, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE)
		read_sample(watch, (const unsigned char *)(header + 1));
	if (header->type == PERF_RECORD_LOST)
		watch->lost += ((const uint64_t *)(header + 1))[1];
}

static void drain_ring(struct watch *watch, struct ring *ring)
{
	static unsigned char copy[65536];
	const unsigned char *bytes = (const unsigned char *)ring->page + sysconf(_SC_PAGESIZE);
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;

		for (size_t i = 0; i < sizeof(header); i++)
			((unsigned char *)&header)[i] = bytes[(tail + i) % ring->bytes];
		for (size_t i = 0; i < header.size; i++)
			copy[i] = bytes[(tail + i) % ring->bytes];
		read_record(watch, (const struct perf_event_header *)copy);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void drain(struct watch *watch)
{
	for (size_t i = 0; i < watch->ring_count; i++)
		drain_ring(watch, &watch->rings[i]);
}

/* The workloads. */

/* @command is for a shell, in which $WAITS is the workload: it was built beside the tests. */
static struct workload start_waits(const char *command)
{
	char path[PATH_MAX] = "";
	struct workload workload;
	int to[2], from[2];

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 32) > 0);
	strcpy(strrchr(path, '/'), "/../workloads/waits");
	setenv("WAITS", path, 1);
	assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
	workload.pid = fork();
	if (!workload.pid) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	workload.to = fdopen(to[1], "w");
	workload.from = fdopen(from[0], "r");
	return workload;
}

static pid_t read_pid(struct workload *workload)
{
	int pid = 0;

	assert_int_equal(fscanf(workload->from, "pid %d", &pid), 1);
	return pid;
}

static void say_go(struct workload *workload)
{
	fputs("go\n", workload->to);
	fflush(workload->to);
}

/* Waits for the workload to say something, as it does at its end. */
static bool is_ready(const struct workload *workload, int milliseconds)
{
	struct pollfd end = { .fd = fileno(workload->from), .events = POLLIN };

	return poll(&end, 1, milliseconds) > 0;
}

/* Reads rings meanwhile. */
static void drain_until_end(struct watch *watch, const struct workload *workload)
{
	while (!is_ready(workload, 20))
		drain(watch);
}

static void read_truth(struct workload *workload, struct truth *out)
{
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(fscanf(workload->from, " function %31s %" SCNx64 " %" SCNu64,
					out->functions[i].name, &out->functions[i].address,
					&out->functions[i].spent_ns), 3);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(fscanf(workload->from, " thread %31s %d %" SCNu64 " %" SCNu64
					" %" SCNu64 " %" SCNu64, out->threads[i].name,
					&out->threads[i].tid, &out->threads[i].begin_ns,
					&out->threads[i].end_ns, &out->threads[i].cpu_ns,
					&out->threads[i].switches), 6);
}

static void end_waits(struct workload *workload)
{
	fclose(workload->to);
	fclose(workload->from);
	waitpid(workload->pid, NULL, 0);
}

static int find_function(const struct truth *truth, const char *name)
{
	for (int i = 0; i < FUNCTIONS; i++)
		if (!strcmp(truth->functions[i].name, name))
			return i;
	fail_msg("no function %s", name);
	return -1;
}

static int find_thread(const struct truth *truth, const char *name)
{
	for (int i = 0; i < THREADS; i++)
		if (!strcmp(truth->threads[i].name, name))
			return i;
	fail_msg("no thread %s", name);
	return -1;
}

static uint64_t spent_in(const struct truth *truth, const char *name)
{
	return truth->functions[find_function(truth, name)].spent_ns;
}

/* The function that @address returns to; -1: none. */
static int function_at(const struct truth *truth, uint64_t address)
{
	int found = -1;

	for (int i = 0; i < FUNCTIONS; i++)
		if (address - truth->functions[i].address - 1 < FUNCTION_SPAN &&
		    (found < 0 || truth->functions[i].address > truth->functions[found].address))
			found = i;
	return found;
}

/* The function that the first address of one in the stack is in; -1: none. */
static int function_of(const struct truth *truth, const struct seen_wait *seen)
{
	int found = -1;

	for (size_t word = 0; found < 0 && word < STACK_BYTES / 8; word++)
		found = function_at(truth, seen->stack[word]);
	return found;
}

/* The weight of a thread's waits while it measured. */
static uint64_t weight_of_thread(const struct watch *watch, const struct truth *truth, int thread)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < watch->seen_count; i++)
		if (watch->seen[i].tid == (uint32_t)truth->threads[thread].tid &&
		    watch->seen[i].time_ns > truth->threads[thread].begin_ns &&
		    watch->seen[i].time_ns < truth->threads[thread].end_ns)
			sum += watch->seen[i].wait.weight_ns;
	return sum;
}

/* @count: increased by the number of records. */
static uint64_t weight_in(const struct watch *watch, const struct truth *truth, const char *thread,
			  const char *function, uint32_t *count)
{
	const uint32_t tid = (uint32_t)truth->threads[find_thread(truth, thread)].tid;
	const int wanted = find_function(truth, function);
	uint64_t sum = 0;

	for (size_t i = 0; i < watch->seen_count; i++)
		if (watch->seen[i].tid == tid && function_of(truth, &watch->seen[i]) == wanted) {
			sum += watch->seen[i].wait.weight_ns;
			++*count;
		}
	return sum;
}

static void expect_near(const char *what, uint64_t seen, uint64_t wanted, uint64_t tolerance)
{
	const uint64_t difference = seen > wanted ? seen - wanted : wanted - seen;

	print_message("%-14s %8.3f ms, wanted %8.3f\n", what, (double)seen / 1e6,
		      (double)wanted / 1e6);
	if (difference > tolerance)
		fail_msg("%s: %" PRIu64 " ns, wanted %" PRIu64, what, seen, wanted);
}

static uint64_t sum_of(const struct off_cpu_thread *row)
{
	return row->on_ns + row->blocked_ns + row->run_queue_ns + row->unknown_ns;
}

static const struct off_cpu_thread *row_of(const struct off_cpu_thread *rows, size_t count, int tid)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].tid == (uint32_t)tid)
			return &rows[i];
	return NULL;
}

/* Each moment of a thread is in one of its sums. */
static void test_the_sums_of_a_thread_are_its_wall_clock(void **state)
{
	struct workload workload = start_waits("exec $WAITS 1");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	struct diag why = { .text = "" };
	struct off_cpu_thread *rows;
	struct truth truth;
	struct watch watch;
	size_t count, most = 0;

	(void)state;
	watch_open(&watch, &config, 256);
	say_go(&workload);
	while (!is_ready(&workload, 30)) {
		drain(&watch);
		assert_int_equal(off_cpu_read_threads(watch.off_cpu, pid, &rows, &count, &why), 0);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(rows[i].pid, pid);
			assert_int_equal(sum_of(&rows[i]), rows[i].since_ns - rows[i].first_ns);
			assert_int_equal(rows[i].unknown_ns, 0);
		}
		assert_true(!count || row_of(rows, count, pid));
		most = count > most ? count : most;
		free(rows);
	}
	assert_int_equal(most, THREADS + 1);
	read_truth(&workload, &truth);
	watch_close(&watch);
	end_waits(&workload);
}

/* What another thread has for its reads still has the sums after the first one was closed. */
static void test_sums_can_be_read_by_another_thread(void **state)
{
	struct workload workload = start_waits("exec $WAITS 1");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	struct diag why = { .text = "" };
	struct off_cpu_thread *rows, *last;
	const struct off_cpu_thread *row;
	struct off_cpu *shared;
	struct truth truth;
	struct watch watch;
	size_t count, last_count;

	(void)state;
	watch_open(&watch, &config, 256);
	shared = off_cpu_share(watch.off_cpu);
	assert_non_null(shared);
	say_go(&workload);
	while (!is_ready(&workload, 30))
		drain(&watch);
	assert_int_equal(off_cpu_read_threads(shared, pid, &rows, &count, &why), 0);
	row = row_of(rows, count, pid);
	assert_non_null(row);
	assert_int_equal(sum_of(row), row->since_ns - row->first_ns);
	read_truth(&workload, &truth);
	watch_close(&watch);
	assert_int_equal(off_cpu_read_threads(shared, pid, &last, &last_count, &why), 0);
	assert_true(!last_count || row_of(last, last_count, pid)->since_ns >= row->since_ns);
	free(rows);
	free(last);
	off_cpu_close(shared);
	end_waits(&workload);
}

/* Returns the place of the first instruction at or after @from whose code and offset these are. */
static uint32_t find_insn(const struct bytecode *code, uint32_t from, uint8_t op, int32_t offset)
{
	for (uint32_t i = from; i < code->count; i++)
		if (code->insns[i].code == op && code->insns[i].off == offset)
			return i;
	fail_msg("no instruction %#x with %d", op, offset);
	return 0;
}

/* These races are between two instructions: so it is the instructions that are looked at. */
static void test_sums_that_begin_while_the_thread_is_switched(void **state)
{
	const struct off_cpu_build build = {
		.maps = { 3, 4, 5, 6, -1 }, .period_ns = 1000000,
		.layout = { .task_state = 1001, .on_cpu = 1002 },
	};
	const int32_t kind = offsetof(struct watched_thread, kind);
	const int32_t since = offsetof(struct watched_thread, sums.since_ns);
	const int32_t is_off = offsetof(struct watched_thread, sums.is_off);
	struct bytecode *rows = off_cpu_make_rows(&build);
	struct bytecode *resumed = off_cpu_make_resumed(&build);
	uint32_t at;

	(void)state;
	assert_non_null(rows);
	assert_non_null(resumed);
	/* After the kind is set, whether the thread runs is read once more. */
	at = find_insn(rows, 0, BPF_STX | BPF_ATOMIC | BPF_W, kind);
	at = find_insn(rows, at, BPF_LDX | BPF_MEM | BPF_W, 1002);
	assert_int_equal(rows->insns[find_insn(rows, at, BPF_ST | BPF_MEM | BPF_H, is_off)].imm, 0);
	/* No time since a stamp that is not there yet. */
	at = find_insn(resumed, 0, BPF_LDX | BPF_MEM | BPF_DW, since);
	assert_int_equal(resumed->insns[at + 1].code, BPF_JMP | BPF_K | BPF_JEQ);
	assert_int_equal(resumed->insns[at + 1].imm, 0);
	bytecode_destroy(rows);
	bytecode_destroy(resumed);
}

static void expect_nothing_lost(const struct off_cpu_counts *counts)
{
	print_message("%" PRIu64 " waits, %" PRIu64 " records; refused: %" PRIu64 " records, %"
		      PRIu64 " threads, %" PRIu64 " processes; %" PRIu64 " runs skipped, %" PRIu64
		      " ns unknown\n", counts->waits, counts->records, counts->records_refused,
		      counts->threads_refused, counts->processes_refused, counts->skipped,
		      counts->unknown_ns);
	assert_int_equal(counts->records_refused + counts->threads_refused, 0);
	assert_int_equal(counts->processes_refused + counts->skipped, 0);
	assert_int_equal(counts->unknown_ns, 0);
}

/* The records of a function weigh what its calls took: long waits only, as calls take CPU, too. */
static void expect_function(const struct watch *watch, const struct truth *truth,
			    const char *thread, const char *name)
{
	const uint64_t cpu_ns = truth->threads[find_thread(truth, thread)].cpu_ns;
	const uint64_t wanted = spent_in(truth, name);

	uint32_t count = 0;

	expect_near(name, weight_in(watch, truth, thread, name, &count), wanted,
		    wanted / 50 + 10 * OFF_CPU_PERIOD_NS + cpu_ns);
}

/* A thread's own measure of its waits, wall - CPU, has an error for each switch; and a virtual
 * machine leaves time out of CPU that was taken from it, and time in interrupts. */
static void expect_thread(const struct watch *watch, const struct truth *truth, int thread)
{
	const uint64_t waited = truth->threads[thread].end_ns - truth->threads[thread].begin_ns -
				truth->threads[thread].cpu_ns;
	const uint64_t error = truth->threads[thread].switches * SWITCH_NS +
			       truth->threads[thread].cpu_ns / 2;

	expect_near(truth->threads[thread].name, weight_of_thread(watch, truth, thread), waited,
		    waited / 20 + error + 2 * OFF_CPU_PERIOD_NS);
}

/* What a thread's records weigh is what it waited, but for less than one and a half periods. */
static void test_weights_of_records_are_the_time_waited(void **state)
{
	struct workload workload = start_waits("exec $WAITS 2");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	struct off_cpu_counts counts;
	uint64_t sum = 0;
	struct truth truth;
	struct watch watch;

	(void)state;
	watch_open(&watch, &config, 1024);
	say_go(&workload);
	drain_until_end(&watch, &workload);
	read_truth(&workload, &truth);
	end_waits(&workload);
	drain(&watch);
	assert_int_equal(off_cpu_read_counts(watch.off_cpu, &counts, NULL), 0);
	expect_nothing_lost(&counts);
	assert_int_equal(counts.records, watch.seen_count);
	for (size_t i = 0; i < watch.seen_count; i++) {
		assert_int_equal(watch.seen[i].pid, pid);
		sum += watch.seen[i].wait.weight_ns;
	}
	assert_int_equal(counts.recorded_ns, sum);
	assert_in_range(counts.blocked_ns + counts.run_queue_ns - sum, 0,
			(THREADS + 1) * 3 * OFF_CPU_PERIOD_NS / 2);
	for (int i = 0; i < THREADS; i++)
		expect_thread(&watch, &truth, i);
	expect_function(&watch, &truth, "sleeper", "sleep_long");
	expect_function(&watch, &truth, "locker", "wait_for_lock");
	expect_function(&watch, &truth, "holder", "hold_lock");
	watch_close(&watch);
}

/* Naps of 50 and of 150 us in turns: each is chosen as often as its length asks for. What the calls
 * took besides is about the same for both, and 250 / sqrt(records) are 5 standard deviations. */
static void test_short_waits_are_chosen_in_proportion_to_their_length(void **state)
{
	struct workload workload = start_waits("exec $WAITS 2");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	double short_ns, long_ns, cpu_ns, seen, wanted, tolerance;
	uint32_t count = 0;
	struct truth truth;
	struct watch watch;

	(void)state;
	config.period_ns = 500000;
	watch_open(&watch, &config, 1024);
	say_go(&workload);
	drain_until_end(&watch, &workload);
	read_truth(&workload, &truth);
	end_waits(&workload);
	drain(&watch);
	cpu_ns = (double)truth.threads[find_thread(&truth, "mixer")].cpu_ns;
	short_ns = (double)spent_in(&truth, "nap_short") - cpu_ns / 2;
	long_ns = (double)spent_in(&truth, "nap_long") - cpu_ns / 2;
	wanted = 100 * short_ns / (short_ns + long_ns);
	short_ns = (double)weight_in(&watch, &truth, "mixer", "nap_short", &count);
	long_ns = (double)weight_in(&watch, &truth, "mixer", "nap_long", &count);
	seen = 100 * short_ns / (short_ns + long_ns);
	tolerance = 1 + 250 / sqrt(count) + 20 * cpu_ns / (cpu_ns + short_ns + long_ns);
	print_message("short naps: %.1f %%, wanted %.1f +- %.1f\n", seen, wanted, tolerance);
	assert_true(seen > wanted - tolerance && seen < wanted + tolerance);
	watch_close(&watch);
}

/* Who wakes whom: the holder of the lock, and timers, which interrupt anybody. */
static void test_the_waker_is_the_holder_of_the_lock_or_an_interrupt(void **state)
{
	struct workload workload = start_waits("exec $WAITS 2");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	uint32_t holder, by_holder = 0, of_lock = 0, by_timer = 0, of_timer = 0;
	struct truth truth;
	struct watch watch;

	(void)state;
	watch_open(&watch, &config, 1024);
	say_go(&workload);
	drain_until_end(&watch, &workload);
	read_truth(&workload, &truth);
	end_waits(&workload);
	drain(&watch);
	holder = (uint32_t)truth.threads[find_thread(&truth, "holder")].tid;
	for (size_t i = 0; i < watch.seen_count; i++) {
		const struct wait_record *wait = &watch.seen[i].wait;
		const int function = function_of(&truth, &watch.seen[i]);

		if (function < 0 || !wait->woken_at_ns)
			continue;
		if (function == find_function(&truth, "wait_for_lock") &&
		    wait->blocked_ns > 5000000) {
			of_lock++;
			by_holder += wait->flags == WAIT_HAS_WAKER && wait->waker_tid == holder &&
				     wait->waker_pid == (uint32_t)pid &&
				     !strcmp(wait->waker_comm, "holder");
		}
		if (function == find_function(&truth, "sleep_long") ||
		    function == find_function(&truth, "nap_often")) {
			of_timer++;
			by_timer += wait->flags == WAIT_WOKEN_BY_INTERRUPT && !wait->waker_tid &&
				    !wait->waker_comm[0];
		}
	}
	print_message("%u of %u by the holder, %u of %u by a timer\n", by_holder, of_lock, by_timer,
		      of_timer);
	assert_true(of_lock > 0 && of_timer > 0);
	assert_true(by_holder * 100 >= of_lock * 99);
	assert_int_equal(by_timer, of_timer);
	watch_close(&watch);
}

/* Records of others than @pid. */
static uint32_t count_others(const struct watch *watch, pid_t pid)
{
	uint32_t count = 0;

	for (size_t i = 0; i < watch->seen_count; i++)
		count += watch->seen[i].pid != (uint32_t)pid;
	return count;
}

/* A process that a watched one starts is watched: here a shell starts the workload. */
static void test_children_of_watched_processes_are_watched(void **state)
{
	struct workload workload = start_waits("read go; (echo | $WAITS 0.3)& wait; read go");
	struct off_cpu_config config = config_of(&workload.pid, 1);
	struct watch watch;
	pid_t pid;

	(void)state;
	watch_open(&watch, &config, 256);
	say_go(&workload);
	pid = read_pid(&workload);
	drain_until_end(&watch, &workload);
	drain(&watch);
	assert_true(watch.seen_count - count_others(&watch, pid) > 10);
	watch_close(&watch);
	end_waits(&workload);
}

/* False for a thread that has ended, too: at the end of its life it has no registers. */
static bool is_kernel_thread(uint32_t tid)
{
	char path[64], text[512] = "";
	unsigned int flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(text, sizeof(text), file) && strrchr(text, ')'))	/* proc(5): flags is (9) */
		sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %u", &flags);
	fclose(file);
	return flags & 0x00200000;	/* PF_KTHREAD */
}

/* The whole machine, but for one process and its children; kernel threads are only counted. */
static void test_left_out_processes_and_kernel_threads_have_no_records(void **state)
{
	struct workload left_out = start_waits("read go; (echo | $WAITS 0.3)& wait; read go");
	struct workload workload = start_waits("exec $WAITS 0.5");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(NULL, 0);
	struct off_cpu_counts counts;
	struct watch watch;
	pid_t unseen;

	(void)state;
	config.left_out = &left_out.pid;
	config.left_out_count = 1;
	watch_open(&watch, &config, 1024);
	say_go(&left_out);
	say_go(&workload);
	unseen = read_pid(&left_out);
	drain_until_end(&watch, &workload);
	drain(&watch);
	assert_true(count_others(&watch, pid) < watch.seen_count);
	assert_int_equal(count_others(&watch, unseen), watch.seen_count);
	assert_int_equal(count_others(&watch, left_out.pid), watch.seen_count);
	for (size_t i = 0; i < watch.seen_count; i++)
		assert_true(watch.seen[i].has_registers || !is_kernel_thread(watch.seen[i].tid));
	assert_int_equal(off_cpu_read_counts(watch.off_cpu, &counts, NULL), 0);
	assert_true(counts.kernel_thread_ns > 0);
	watch_close(&watch);
	end_waits(&left_out);
	end_waits(&workload);
}

/* A ring of one page that nobody reads holds a few records. What did not fit comes later. */
static void test_refused_records_give_their_weight_back(void **state)
{
	struct workload workload = start_waits("exec $WAITS 1");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	uint64_t sum = 0, returned = 0;
	struct off_cpu_counts counts;
	struct watch watch;

	(void)state;
	watch_open(&watch, &config, 1);
	say_go(&workload);
	assert_false(is_ready(&workload, 500));
	drain_until_end(&watch, &workload);
	drain(&watch);
	for (size_t i = 0; i < watch.seen_count; i++) {
		sum += watch.seen[i].wait.weight_ns;
		returned += watch.seen[i].wait.returned_ns;
	}
	assert_int_equal(off_cpu_read_counts(watch.off_cpu, &counts, NULL), 0);
	print_message("%" PRIu64 " records, %" PRIu64 " refused, returned %.1f ms\n",
		      counts.records, counts.records_refused, (double)returned / 1e6);
	assert_true(counts.records_refused > 0 && returned > 100000000);
	assert_int_equal(counts.records, watch.seen_count);
	assert_int_equal(counts.recorded_ns, sum);
	watch_close(&watch);
	end_waits(&workload);
}

/* The directory of cgroup v2; NULL: it is not mounted. */
static const char *find_cgroups(void)
{
	static char path[256];
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[1024];
	bool has_found = false;

	while (mounts && !has_found && fgets(line, sizeof(line), mounts))
		has_found = strstr(line, " cgroup2 ") && sscanf(line, "%*s %255s", path) == 1;
	if (mounts)
		fclose(mounts);
	return has_found ? path : NULL;
}

static void test_a_cgroup_is_watched_with_those_below(void **state)
{
	const char *cgroups = find_cgroups();
	char outer[320], inner[360], command[512];
	struct off_cpu_config config = config_of(NULL, 0);
	struct workload workload;
	struct watch watch;
	pid_t pid;

	(void)state;
	need_root();
	if (!cgroups) {
		print_message("SKIP: needs BPF for a cgroup of version 2\n");
		skip();
	}
	snprintf(outer, sizeof(outer), "%s/flametop-test-%d", cgroups, getpid());
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	assert_int_equal(mkdir(outer, 0700) | mkdir(inner, 0700), 0);
	snprintf(command, sizeof(command), "echo $$ >%s/cgroup.procs; exec $WAITS 0.5", inner);
	workload = start_waits(command);
	pid = read_pid(&workload);
	config.cgroup_fd = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	watch_open(&watch, &config, 256);
	say_go(&workload);
	drain_until_end(&watch, &workload);
	drain(&watch);
	assert_true(watch.seen_count > 10);
	assert_int_equal(count_others(&watch, pid), 0);
	watch_close(&watch);
	end_waits(&workload);
	close(config.cgroup_fd);
	assert_int_equal(rmdir(inner) | rmdir(outer), 0);
}

/* Two instances see the same waits, and each has its own sums of them. */
static void test_two_instances_see_the_same(void **state)
{
	struct workload workload = start_waits("exec $WAITS 1");
	const pid_t pid = read_pid(&workload);
	struct off_cpu_config config = config_of(&pid, 1);
	struct off_cpu_counts one, other;
	struct watch first, second;

	(void)state;
	watch_open(&first, &config, 512);
	watch_open(&second, &config, 512);
	say_go(&workload);
	while (!is_ready(&workload, 20)) {
		drain(&first);
		drain(&second);
	}
	assert_int_equal(off_cpu_read_counts(first.off_cpu, &one, NULL), 0);
	assert_int_equal(off_cpu_read_counts(second.off_cpu, &other, NULL), 0);
	assert_true(one.waits > 0 && one.waits + 20 > other.waits && other.waits + 20 > one.waits);
	expect_near("the other's", one.blocked_ns + one.run_queue_ns,
		    other.blocked_ns + other.run_queue_ns, one.blocked_ns / 50);
	watch_close(&first);
	watch_close(&second);
	end_waits(&workload);
}

/* Appends the numbers that the kernel gave to what @pid has open, by the @field of its fdinfo. */
static size_t list_ids(pid_t pid, const char *field, uint32_t *ids, size_t room)
{
	char path[64], line[256], format[32];
	size_t count = 0;

	snprintf(format, sizeof(format), "%s: %%u", field);
	for (int fd = 0; fd < 1024; fd++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (count < room && sscanf(line, format, &ids[count]) == 1)
				count++;
		if (file)
			fclose(file);
	}
	return count;
}

/* The kernel frees what nobody has open, after a while. */
static void expect_gone(const uint32_t *ids, size_t count, int (*open_id)(uint32_t id))
{
	int tries = 20000;	/* a loaded kernel takes tens of seconds */

	for (size_t i = 0; i < count; i++) {
		int fd = open_id(ids[i]);

		for (; fd >= 0 && tries > 0; tries--) {
			close(fd);
			usleep(10000);
			fd = open_id(ids[i]);
		}
		assert_true(fd < 0 && errno == ENOENT);
	}
}

/* The table of ids is full of processes that there are not: their numbers are too large. */
static void test_full_maps_stay_within_their_limit(void **state)
{
	struct off_cpu_config config = config_of(NULL, 0);
	uint32_t bytes[64];
	struct watch watch;
	pid_t id = 1 << 24;
	uint64_t sum = 0;
	size_t count;

	(void)state;
	watch_open(&watch, &config, 1);
	while (!off_cpu_watch(watch.off_cpu, id))
		id++;
	assert_int_equal(off_cpu_watch(watch.off_cpu, id), -E2BIG);
	count = list_ids(getpid(), "memlock", bytes, 64);
	for (size_t i = 0; i < count; i++)
		sum += bytes[i];
	print_message("%d ids, %" PRIu64 " bytes in %zu maps and programs\n", id - (1 << 24), sum,
		      count);
	assert_in_range(count, 10, 63);
	/* Before Linux 6.4 the kernel counts keys and values alone. */
	assert_in_range(sum, 65536 * sizeof(uint64_t), OFF_CPU_MAP_BYTES);
	watch_close(&watch);
}

static void test_nothing_is_left_after_a_kill(void **state)
{
	struct off_cpu_config config = config_of(NULL, 0);
	uint32_t programs[64], maps[64], links[64];
	size_t program_count, map_count, link_count;
	struct watch watch;
	int ready[2];
	pid_t child;
	char byte;

	(void)state;
	need_root();
	need_bpf();
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		watch_open(&watch, &config, 16);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	program_count = list_ids(child, "prog_id", programs, 64);
	map_count = list_ids(child, "map_id", maps, 64);
	link_count = list_ids(child, "link_id", links, 64);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(program_count >= 6 && map_count >= 4 && link_count >= 4);
	expect_gone(programs, program_count, bpf_prog_get_fd_by_id);
	expect_gone(maps, map_count, bpf_map_get_fd_by_id);
	expect_gone(links, link_count, bpf_link_get_fd_by_id);
	close(ready[0]);
}

static void nap(int times, long milliseconds)
{
	const struct timespec one = { .tv_nsec = milliseconds * 1000000 };

	for (int i = 0; i < times; i++)
		nanosleep(&one, NULL);
}

static void nap_on(size_t cpu, int times, long milliseconds)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	nap(times, milliseconds);
}

static uint64_t weight_of_process(struct watch *watch, pid_t pid)
{
	uint64_t weight = 0;

	drain(watch);
	for (size_t i = 0; i < watch->seen_count; i++)
		if (watch->seen[i].pid == (uint32_t)pid)
			weight += watch->seen[i].wait.weight_ns;
	return weight;
}

/* Five naps of 40 ms end on the second CPU, then five of 20 ms on the first, which is chosen. The
 * child says how long the latter took in all. */
static void test_waits_that_end_on_other_cpus_have_no_record(void **state)
{
	struct watch watch;
	int from[2];
	uint64_t weight, wall_ns;
	const pid_t own = getpid();
	struct off_cpu_config config = config_of(&own, 1);
	pid_t pid;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("SKIP: needs a second CPU\n");
		skip();
	}
	config.are_cpus_chosen = true;
	watch_open(&watch, &config, 64);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (!pid) {
		nap_on((size_t)watch.rings[1].cpu, 5, 40);
		wall_ns = clock_now_ns();
		nap_on((size_t)watch.rings[0].cpu, 5, 20);
		wall_ns = clock_now_ns() - wall_ns;
		_exit(write(from[1], &wall_ns, sizeof(wall_ns)) != sizeof(wall_ns));
	}
	assert_int_equal(read(from[0], &wall_ns, sizeof(wall_ns)), sizeof(wall_ns));
	waitpid(pid, NULL, 0);
	weight = weight_of_process(&watch, pid);
	for (int i = 0; i < 2; i++)
		close(from[i]);
	assert_true(weight >= 100000000 - 2 * OFF_CPU_PERIOD_NS);
	assert_true(weight <= wall_ns + 2 * OFF_CPU_PERIOD_NS);
	watch_close(&watch);
}

/* Until events are enabled it is another's time: five naps of 40 ms, then five of 20 ms. */
static void test_waits_while_events_are_off_have_no_record(void **state)
{
	const pid_t own = getpid();
	struct off_cpu_config config = config_of(&own, 1);
	struct watch watch;
	int from[2], to[2];
	uint64_t weight, wall_ns;
	char go = 'g';
	pid_t pid;

	(void)state;
	watch_open(&watch, &config, 64);
	for (size_t i = 0; i < watch.ring_count; i++)
		assert_int_equal(ioctl(watch.rings[i].fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(pipe(from) | pipe(to), 0);
	pid = fork();
	if (!pid) {
		nap(5, 40);
		wall_ns = clock_now_ns();
		if (write(from[1], &go, 1) != 1 || read(to[0], &go, 1) != 1)
			_exit(1);
		nap(5, 20);
		wall_ns = clock_now_ns() - wall_ns;
		_exit(write(from[1], &wall_ns, sizeof(wall_ns)) != sizeof(wall_ns));
	}
	assert_int_equal(read(from[0], &go, 1), 1);
	for (size_t i = 0; i < watch.ring_count; i++)
		assert_int_equal(ioctl(watch.rings[i].fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	assert_int_equal(write(to[1], &go, 1), 1);
	assert_int_equal(read(from[0], &wall_ns, sizeof(wall_ns)), sizeof(wall_ns));
	waitpid(pid, NULL, 0);
	weight = weight_of_process(&watch, pid);
	assert_true(weight >= 100000000 - 2 * OFF_CPU_PERIOD_NS);
	assert_true(weight <= wall_ns + 2 * OFF_CPU_PERIOD_NS);
	watch_close(&watch);
	for (int i = 0; i < 2; i++)
		close(from[i]);
	for (int i = 0; i < 2; i++)
		close(to[i]);
}

static bool is_asleep(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'S';
}

/* The only thread of @pid. */
static struct off_cpu_thread read_thread(const struct watch *watch, pid_t pid)
{
	struct off_cpu_thread *rows, row = { .pid = 0 };
	struct diag why;
	size_t count;

	if (off_cpu_read_threads(watch->off_cpu, pid, &rows, &count, &why))
		fail_msg("%s", why.text);
	assert_true(count <= 1);
	if (count)
		row = rows[0];
	free(rows);
	return row;
}

/* A child blocks before the programs are there, and is woken when they have seen it. */
static void test_who_is_blocked_already_is_seen(void **state)
{
	uint64_t begin_ns, weight;
	struct off_cpu_thread row;
	struct watch watch;
	char go = 'g';
	int to[2];
	pid_t pid;
	struct off_cpu_config config = config_of(&pid, 1);

	(void)state;
	assert_int_equal(pipe(to), 0);
	pid = fork();
	if (!pid)
		_exit(read(to[0], &go, 1) != 1);
	while (!is_asleep(pid))
		usleep(1000);
	watch_open(&watch, &config, 64);
	begin_ns = clock_now_ns();
	read_thread(&watch, pid);
	row = read_thread(&watch, pid);
	assert_int_equal(row.tid, pid);
	assert_int_equal(row.is_off, 1);
	assert_int_equal(row.state, 1);
	assert_int_equal(row.waits, 0);
	assert_int_equal(row.is_kernel, 0);
	assert_true(row.since_ns >= begin_ns && row.since_ns == row.first_ns);
	usleep(150000);
	assert_int_equal(read_thread(&watch, pid).since_ns, row.since_ns);
	begin_ns = clock_now_ns() - row.since_ns;
	assert_int_equal(write(to[1], &go, 1), 1);
	waitpid(pid, NULL, 0);
	weight = weight_of_process(&watch, pid);
	assert_true(weight >= begin_ns && weight <= clock_now_ns() - row.since_ns);
	watch_close(&watch);
	close(to[0]);
	close(to[1]);
}

UNIT_TESTS(test_off_cpu)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_that_begin_while_the_thread_is_switched),
		cmocka_unit_test(test_the_sums_of_a_thread_are_its_wall_clock),
		cmocka_unit_test(test_sums_can_be_read_by_another_thread),
		cmocka_unit_test(test_weights_of_records_are_the_time_waited),
		cmocka_unit_test(test_short_waits_are_chosen_in_proportion_to_their_length),
		cmocka_unit_test(test_the_waker_is_the_holder_of_the_lock_or_an_interrupt),
		cmocka_unit_test(test_children_of_watched_processes_are_watched),
		cmocka_unit_test(test_left_out_processes_and_kernel_threads_have_no_records),
		cmocka_unit_test(test_refused_records_give_their_weight_back),
		cmocka_unit_test(test_a_cgroup_is_watched_with_those_below),
		cmocka_unit_test(test_two_instances_see_the_same),
		cmocka_unit_test(test_waits_that_end_on_other_cpus_have_no_record),
		cmocka_unit_test(test_waits_while_events_are_off_have_no_record),
		cmocka_unit_test(test_who_is_blocked_already_is_seen),
		cmocka_unit_test(test_full_maps_stay_within_their_limit),
		cmocka_unit_test(test_nothing_is_left_after_a_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
