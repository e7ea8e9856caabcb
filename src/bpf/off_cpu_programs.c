/* off_cpu_programs.c - see off_cpu_programs.h.
 *
 * sched_switch ends a part of the time of the thread that leaves and of the one that comes, and
 * adds it to their sums; sched_waking ends a wait. Both run for every switch of the machine, in the
 * scheduler's locks: they keep stamps and look at no stack. The program of the resumed thread runs
 * when the thread is back, after the switch: it knows how long the thread waited, and only then
 * decides whether that is a record. The thread's user registers and stack are those that it waited
 * with, so the kernel copies them into the record like those of any sample.
 *
 * Why not at switch-out, as others do: its cost is a stack for each switch, also of the nine of ten
 * that nobody wants to see, and the length of the wait is not known.
 *
 * Who changes what: the words of a thread are written by the CPU that switches it, and those of its
 * wake-up under its own lock while it is off; the two can't meet, but for a wake-up in the moment
 * before the switch, which finds the thread on CPU and is not kept. Counts are a CPU's own, but an
 * interrupt may come in between: they are added to atomically.
 *
 * Interrupts: a wake-up runs in whatever the CPU did just then. A timer's or a device's names a
 * bystander, so the count of interrupts that the CPU is in is read: on x86 it is a variable of the
 * CPU, found from another one of the same CPU, the run queue, by the distance of the two, as the
 * kernel doesn't give programs the address of either.
 */
#include "off_cpu_programs.h"

#include <errno.h>
#include <stddef.h>

#include "kernel_program.h"

#define THREAD(member) ((int32_t)offsetof(struct watched_thread, member))
#define RECORDED(member) (RECORD + (int32_t)offsetof(struct wait_record, member))
#define COUNT(member)  ((int32_t)offsetof(struct off_cpu_counts, member))

/* What the registers have that calls leave alone. */
enum { CONTEXT = BPF_REG_6, NOW = BPF_REG_7, TASK = BPF_REG_8, KEPT = BPF_REG_9 };

/* The stack. */
enum { KEY = -8, VALUE = -16, COUNTS = -24, RECORD = COUNTS - (int)sizeof(struct wait_record),
       ROW = -(int)sizeof(struct off_cpu_thread) };

#define KERNEL_THREAD_BIT 21	/* PF_KTHREAD of task_struct.flags */
#define INTERRUPT_BITS	0x00ff0100	/* preempt_count(): NMI, hard and serving soft interrupts */
#define READ_TRIES	4

static int find_task_members(struct off_cpu_layout *out, const struct btf *btf, struct diag *why)
{
	const struct kernel_member members[] = {
		{ &out->pid, "task_struct", "pid" },
		{ &out->tgid, "task_struct", "tgid" },
		{ &out->flags, "task_struct", "flags" },
		{ &out->signal, "task_struct", "signal" },
		{ &out->live, "signal_struct", "live" },
		{ &out->seq, "bpf_iter_meta", "seq" },
	};

	return kernel_btf_offsets(btf, members, sizeof(members) / sizeof(members[0]), why);
}

/* Finds the count of interrupts in the task: on most machines but x86. */
static bool find_count_in_task(struct off_cpu_layout *out, const struct btf *btf)
{
	const int within = kernel_btf_offset(btf, "thread_info", "preempt_count", NULL);
	const int at = kernel_btf_offset(btf, "task_struct", "thread_info", NULL);

	out->interrupts = at + within;
	return within >= 0 && at >= 0;
}

static bool find_count_of_cpu(struct off_cpu_layout *out, const struct btf *btf)
{
	const int queue = kernel_btf_cpu_variable(btf, "runqueues");
	const int entity = kernel_btf_offset(btf, "task_struct", "se", NULL);
	const int cfs_rq = kernel_btf_offset(btf, "sched_entity", "cfs_rq", NULL);
	int count = kernel_btf_cpu_variable(btf, "__preempt_count"), within = 0;

	if (count < 0) {	/* Linux 6.2 to 6.14 */
		count = kernel_btf_cpu_variable(btf, "pcpu_hot");
		within = kernel_btf_offset(btf, "pcpu_hot", "preempt_count", NULL);
	}
	out->cfs_rq = entity + cfs_rq;
	out->rq = kernel_btf_offset(btf, "cfs_rq", "rq", NULL);
	out->interrupts = count + within - queue;
	return queue >= 0 && count >= 0 && within >= 0 && entity >= 0 && cfs_rq >= 0 &&
	       out->rq >= 0;
}

int off_cpu_layout_find(struct off_cpu_layout *out, const struct btf *btf, struct diag *why)
{
	*out = (struct off_cpu_layout){ .count_place = COUNT_UNKNOWN };
	out->task_state = kernel_btf_offset(btf, "task_struct", "__state", NULL);
	out->on_cpu = kernel_btf_offset(btf, "task_struct", "on_cpu", NULL);
	if (find_count_in_task(out, btf))
		out->count_place = COUNT_IN_TASK;
	else if (find_count_of_cpu(out, btf))
		out->count_place = COUNT_OF_CPU;
	return find_task_members(out, btf, why);
}

static void keep_time(struct bytecode *code)
{
	bytecode_call(code, BPF_FUNC_ktime_get_ns);
	bytecode_move(code, NOW, BPF_REG_0);
}

/* Keeps a pointer to this CPU's counts on the stack. */
static void keep_counts(struct bytecode *code, const struct off_cpu_build *build,
			struct bytecode_label missing)
{
	bytecode_entry(code, build->maps.counts, 0, KEY, missing);
	bytecode_store(code, 8, BPF_REG_10, COUNTS, BPF_REG_0);
}

/* Adds @reg to a count. Destroys r0. */
static void add_to_count(struct bytecode *code, int32_t count, uint8_t reg)
{
	bytecode_load(code, 8, BPF_REG_0, BPF_REG_10, COUNTS);
	bytecode_add_to(code, BPF_REG_0, count, reg);
}

static void count_one(struct bytecode *code, int32_t count)
{
	bytecode_move_imm(code, BPF_REG_1, 1);
	add_to_count(code, count, BPF_REG_1);
}

/* Adds @reg to a word of the thread. Destroys r0. */
static void add_to_thread(struct bytecode *code, int32_t word, uint8_t reg)
{
	bytecode_load(code, 8, BPF_REG_0, KEPT, word);
	bytecode_alu(code, BPF_ADD, BPF_REG_0, reg);
	bytecode_store(code, 8, KEPT, word, BPF_REG_0);
}

/* Before and after the sums change: see make_row(). Destroys r0. */
static void step_sequence(struct bytecode *code)
{
	bytecode_load(code, 4, BPF_REG_0, KEPT, THREAD(sequence));
	bytecode_alu_imm(code, BPF_ADD, BPF_REG_0, 1);
	bytecode_store(code, 4, KEPT, THREAD(sequence), BPF_REG_0);
}

/* Writes to @key by what the map `ids` knows @task, of which r1 gets the id. */
static void write_id(struct bytecode *code, const struct off_cpu_build *build, uint8_t task,
		     int32_t key)
{
	bytecode_load(code, 4, BPF_REG_1, task,
		      build->are_threads ? build->layout.pid : build->layout.tgid);
	bytecode_store(code, 4, BPF_REG_10, key, BPF_REG_1);
}

/* Jumps to @skip when TASK is not watched. */
static void filter_task(struct bytecode *code, const struct off_cpu_build *build, bool is_current,
			struct bytecode_label skip)
{
	const struct bytecode_label unknown = bytecode_label(code), end = bytecode_label(code);

	if (build->maps.cgroup >= 0 && !is_current) {
		bytecode_jump(code, skip);	/* the kernel says it of the current task alone */
		return;
	}
	if (build->maps.cgroup >= 0) {
		bytecode_move_map(code, BPF_REG_1, build->maps.cgroup);
		bytecode_move_imm(code, BPF_REG_2, 0);
		bytecode_call(code, BPF_FUNC_current_task_under_cgroup);
		bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 1, skip);
	}
	write_id(code, build, TASK, KEY);
	bytecode_lookup(code, build->maps.ids, KEY, unknown);
	bytecode_load(code, 4, BPF_REG_1, BPF_REG_0, 0);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, ID_LEFT_OUT, skip);
	bytecode_jump(code, end);
	bytecode_bind(code, unknown);
	if (build->watches_ids)
		bytecode_jump(code, skip);
	bytecode_bind(code, end);
}

/* The next random point is half to one and a half periods away. */
static void choose_point(struct bytecode *code, const struct off_cpu_build *build)
{
	bytecode_call(code, BPF_FUNC_get_prandom_u32);
	bytecode_move_imm64(code, BPF_REG_1, build->period_ns);
	bytecode_alu(code, BPF_MOD, BPF_REG_0, BPF_REG_1);
	bytecode_alu_imm(code, BPF_RSH, BPF_REG_1, 1);
	bytecode_alu(code, BPF_ADD, BPF_REG_0, BPF_REG_1);
	bytecode_store(code, 8, KEPT, THREAD(point_ns), BPF_REG_0);
}

/* Begins the sums of TASK, whose words are zero. Two programs may find that nobody has: one of them
 * claims it, the other one jumps to @skip. The kind comes last: with it the sums are in use. */
static void begin_thread(struct bytecode *code, const struct off_cpu_build *build, bool is_off,
			 struct bytecode_label skip)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_move_imm(code, BPF_REG_1, 1);
	bytecode_exchange(code, 4, KEPT, THREAD(is_claimed), BPF_REG_1);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, skip);
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.tgid);
	bytecode_store(code, 4, KEPT, THREAD(sums.pid), BPF_REG_1);
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.pid);
	bytecode_store(code, 4, KEPT, THREAD(sums.tid), BPF_REG_1);
	bytecode_store(code, 8, KEPT, THREAD(sums.first_ns), NOW);
	bytecode_store(code, 8, KEPT, THREAD(sums.since_ns), NOW);
	choose_point(code, build);
	if (is_off) {
		bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.task_state);
		bytecode_store(code, 4, KEPT, THREAD(sums.state), BPF_REG_1);
		bytecode_store_imm(code, 2, KEPT, THREAD(sums.is_off), 1);
	}
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.flags);
	bytecode_alu_imm(code, BPF_RSH, BPF_REG_1, KERNEL_THREAD_BIT);
	bytecode_alu_imm(code, BPF_AND, BPF_REG_1, 1);
	bytecode_store(code, 2, KEPT, THREAD(sums.is_kernel), BPF_REG_1);
	bytecode_move_imm(code, BPF_REG_2, THREAD_KERNEL);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, end);
	bytecode_move_imm(code, BPF_REG_2, THREAD_USER);
	bytecode_bind(code, end);
	bytecode_exchange(code, 4, KEPT, THREAD(kind), BPF_REG_2);
}

/* KEPT becomes what is kept for TASK, which is watched from now on if it should be; else jumps to
 * @skip. Destroys r0 to r5. */
static void find_thread(struct bytecode *code, const struct off_cpu_build *build, bool is_current,
			struct bytecode_label skip)
{
	const struct bytecode_label absent = bytecode_label(code), refused = bytecode_label(code);
	const struct bytecode_label found = bytecode_label(code), end = bytecode_label(code);

	bytecode_task_storage(code, build->maps.threads, TASK, false, absent);
	bytecode_load(code, 4, BPF_REG_1, BPF_REG_0, THREAD(kind));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, found);
	bytecode_bind(code, absent);
	filter_task(code, build, is_current, skip);
	if (build->maps.cgroup < 0 || is_current) {
		bytecode_task_storage(code, build->maps.threads, TASK, true, refused);
		bytecode_move(code, KEPT, BPF_REG_0);
		begin_thread(code, build, false, skip);
		bytecode_jump(code, end);
		bytecode_bind(code, refused);
		count_one(code, COUNT(threads_refused));
		bytecode_jump(code, skip);
	}
	bytecode_bind(code, found);
	bytecode_move(code, KEPT, BPF_REG_0);
	bytecode_bind(code, end);
}

/* Adds @reg to a sum of the thread, and to the count unless it is a kernel thread. */
static void add_sum(struct bytecode *code, int32_t word, int32_t count, uint8_t reg)
{
	const struct bytecode_label end = bytecode_label(code);

	add_to_thread(code, word, reg);
	bytecode_load(code, 4, BPF_REG_0, KEPT, THREAD(kind));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, THREAD_USER, end);
	add_to_count(code, count, reg);
	bytecode_bind(code, end);
}

/* r2 becomes the time since the thread's last stamp. Jumps to @skip when the thread has ended, or
 * shows none yet: a branch does not order loads on all machines, so the kind may be seen before the
 * stamp that was written before it. The clock that programs may read can go back by some ns from
 * one CPU to another: then no time has passed. Source: ktime_get_mono_fast_ns() in
 * kernel/time/timekeeping.c. */
static void begin_stamp(struct bytecode *code, struct bytecode_label skip)
{
	const struct bytecode_label is_later = bytecode_label(code);

	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(kind));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, THREAD_ENDED, skip);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(sums.since_ns));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, skip);
	bytecode_jump_if(code, BPF_JGE, NOW, BPF_REG_1, is_later);
	bytecode_move(code, NOW, BPF_REG_1);
	bytecode_bind(code, is_later);
	bytecode_move(code, BPF_REG_2, NOW);
	bytecode_alu(code, BPF_SUB, BPF_REG_2, BPF_REG_1);
	step_sequence(code);
}

static void end_stamp(struct bytecode *code, bool is_off)
{
	bytecode_store(code, 8, KEPT, THREAD(sums.since_ns), NOW);
	bytecode_store_imm(code, 2, KEPT, THREAD(sums.is_off), is_off);
	step_sequence(code);
}

/* The time until now was on the CPU, if the switch before this one was seen. */
static void add_time_on(struct bytecode *code)
{
	const struct bytecode_label unknown = bytecode_label(code), end = bytecode_label(code);

	bytecode_load(code, 2, BPF_REG_1, KEPT, THREAD(sums.is_off));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, unknown);
	add_sum(code, THREAD(sums.on_ns), COUNT(on_ns), BPF_REG_2);
	bytecode_jump(code, end);
	bytecode_bind(code, unknown);
	add_sum(code, THREAD(sums.unknown_ns), COUNT(unknown_ns), BPF_REG_2);
	bytecode_bind(code, end);
}

/* The thread leaves the CPU: arguments 0 and 3 say whether it was preempted, and its state. */
static void stop_thread(struct bytecode *code, struct bytecode_label skip)
{
	const struct bytecode_label end = bytecode_label(code);

	begin_stamp(code, skip);
	add_time_on(code);
	bytecode_store_imm(code, 8, KEPT, THREAD(sums.woken_at_ns), 0);
	bytecode_store_imm(code, 4, KEPT, THREAD(waker_flags), 0);
	bytecode_move_imm(code, BPF_REG_2, 0);
	bytecode_load(code, 8, BPF_REG_1, CONTEXT, 0);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, end);
	bytecode_load(code, 8, BPF_REG_2, CONTEXT, 24);
	bytecode_bind(code, end);
	bytecode_store(code, 4, KEPT, THREAD(sums.state), BPF_REG_2);
	end_stamp(code, true);
}

/* Divides r2, the time off CPU: r5 on the run queue, r4 blocked. The stamp of the wake-up may be
 * outside of that time, as it is another CPU's. */
static void divide_wait(struct bytecode *code)
{
	const struct bytecode_label is_valid = bytecode_label(code), end = bytecode_label(code);

	bytecode_move_imm(code, BPF_REG_4, 0);
	bytecode_move(code, BPF_REG_5, BPF_REG_2);
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(sums.state));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);		/* preempted */
	bytecode_move(code, BPF_REG_4, BPF_REG_2);
	bytecode_move_imm(code, BPF_REG_5, 0);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(sums.woken_at_ns));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);
	bytecode_jump_if(code, BPF_JSGT, BPF_REG_1, NOW, end);
	bytecode_move(code, BPF_REG_5, NOW);
	bytecode_alu(code, BPF_SUB, BPF_REG_5, BPF_REG_1);
	bytecode_jump_if(code, BPF_JLE, BPF_REG_5, BPF_REG_2, is_valid);
	bytecode_move(code, BPF_REG_5, BPF_REG_2);
	bytecode_bind(code, is_valid);
	bytecode_alu(code, BPF_SUB, BPF_REG_4, BPF_REG_5);
	bytecode_bind(code, end);
}

/* The thread comes to the CPU: a wait has ended. */
static void start_thread(struct bytecode *code, struct bytecode_label skip)
{
	const struct bytecode_label unknown = bytecode_label(code), end = bytecode_label(code);

	begin_stamp(code, skip);
	bytecode_load(code, 2, BPF_REG_1, KEPT, THREAD(sums.is_off));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, unknown);
	divide_wait(code);
	bytecode_store(code, 8, KEPT, THREAD(blocked_ns), BPF_REG_4);
	bytecode_store(code, 8, KEPT, THREAD(run_queue_ns), BPF_REG_5);
	add_to_thread(code, THREAD(pending_ns), BPF_REG_2);
	add_sum(code, THREAD(sums.blocked_ns), COUNT(blocked_ns), BPF_REG_4);
	add_sum(code, THREAD(sums.run_queue_ns), COUNT(run_queue_ns), BPF_REG_5);
	bytecode_move_imm(code, BPF_REG_2, 1);
	add_sum(code, THREAD(sums.waits), COUNT(waits), BPF_REG_2);
	bytecode_jump(code, end);
	bytecode_bind(code, unknown);
	add_sum(code, THREAD(sums.unknown_ns), COUNT(unknown_ns), BPF_REG_2);
	bytecode_bind(code, end);
	end_stamp(code, false);
}

struct bytecode *off_cpu_make_switch(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label next, idle, end;

	if (!code)
		return NULL;
	next = bytecode_label(code);
	idle = bytecode_label(code);
	end = bytecode_label(code);
	bytecode_move(code, CONTEXT, BPF_REG_1);
	keep_time(code);
	keep_counts(code, build, end);
	bytecode_load(code, 8, TASK, CONTEXT, 8);	/* the thread that leaves */
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.pid);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, next);
	find_thread(code, build, true, next);
	stop_thread(code, next);
	bytecode_bind(code, next);
	bytecode_load(code, 8, TASK, CONTEXT, 16);	/* the one that comes */
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.pid);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, idle);
	find_thread(code, build, false, end);
	start_thread(code, end);
	bytecode_jump(code, end);
	bytecode_bind(code, idle);
	count_one(code, COUNT(idle_switches));
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

/* r7 becomes the count of interrupts that this CPU is in. */
static void read_interrupts(struct bytecode *code, const struct off_cpu_layout *layout,
			    struct bytecode_label unknown)
{
	if (layout->count_place == COUNT_UNKNOWN) {
		bytecode_jump(code, unknown);
		return;
	}
	bytecode_call(code, BPF_FUNC_get_current_task_btf);
	if (layout->count_place == COUNT_IN_TASK) {
		bytecode_load(code, 4, BPF_REG_7, BPF_REG_0, layout->interrupts);
	} else {
		bytecode_load(code, 8, BPF_REG_3, BPF_REG_0, layout->cfs_rq);
		bytecode_load(code, 8, BPF_REG_3, BPF_REG_3, layout->rq);
		bytecode_alu_imm(code, BPF_ADD, BPF_REG_3, layout->interrupts);
		bytecode_stack_address(code, BPF_REG_1, KEY);
		bytecode_move_imm(code, BPF_REG_2, 4);
		bytecode_call(code, BPF_FUNC_probe_read_kernel);
		bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, unknown);
		bytecode_load(code, 4, BPF_REG_7, BPF_REG_10, KEY);
	}
	bytecode_alu_imm(code, BPF_AND, BPF_REG_7, INTERRUPT_BITS);
}

/* Keeps the current task as the waker, if it is one. */
static void keep_waker(struct bytecode *code, const struct off_cpu_layout *layout,
		       struct bytecode_label end)
{
	const struct bytecode_label interrupt = bytecode_label(code);

	read_interrupts(code, layout, end);
	if (layout->count_place == COUNT_UNKNOWN)
		return;
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_7, 0, interrupt);
	bytecode_call(code, BPF_FUNC_get_current_pid_tgid);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, 0, interrupt);	/* idle */
	bytecode_store(code, 8, KEPT, THREAD(waker), BPF_REG_0);
	bytecode_move(code, BPF_REG_1, KEPT);
	bytecode_alu_imm(code, BPF_ADD, BPF_REG_1, THREAD(waker_comm));
	bytecode_move_imm(code, BPF_REG_2, 16);
	bytecode_call(code, BPF_FUNC_get_current_comm);
	bytecode_store_imm(code, 4, KEPT, THREAD(waker_flags), WAIT_HAS_WAKER);
	bytecode_jump(code, end);
	bytecode_bind(code, interrupt);
	bytecode_store_imm(code, 4, KEPT, THREAD(waker_flags), WAIT_WOKEN_BY_INTERRUPT);
}

struct bytecode *off_cpu_make_waking(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label end;

	if (!code)
		return NULL;
	end = bytecode_label(code);
	bytecode_load(code, 8, TASK, BPF_REG_1, 0);
	bytecode_task_storage(code, build->maps.threads, TASK, false, end);
	bytecode_move(code, KEPT, BPF_REG_0);
	bytecode_load(code, 2, BPF_REG_1, KEPT, THREAD(sums.is_off));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(sums.state));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(sums.woken_at_ns));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, end);
	bytecode_call(code, BPF_FUNC_ktime_get_ns);
	bytecode_store(code, 8, KEPT, THREAD(sums.woken_at_ns), BPF_REG_0);
	keep_waker(code, &build->layout, end);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

/* There are kernels that show some switches to no tracer, perf included: that a thread came to the
 * CPU shows at the latest when it runs. */
static void start_late(struct bytecode *code, struct bytecode_label skip)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_load(code, 2, BPF_REG_1, KEPT, THREAD(sums.is_off));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);
	keep_time(code);
	start_thread(code, skip);
	bytecode_bind(code, end);
}

/* Jumps to @none unless the wait of r7 ns is a record; else r7 becomes its weight. */
static void choose_wait(struct bytecode *code, const struct off_cpu_build *build,
			struct bytecode_label none)
{
	const struct bytecode_label is_chosen = bytecode_label(code);
	const struct bytecode_label is_long = bytecode_label(code);

	bytecode_move_imm64(code, BPF_REG_1, build->period_ns);
	bytecode_jump_if(code, BPF_JGE, BPF_REG_7, BPF_REG_1, is_long);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(short_ns));
	bytecode_alu(code, BPF_ADD, BPF_REG_1, BPF_REG_7);
	bytecode_load(code, 8, BPF_REG_7, KEPT, THREAD(point_ns));
	bytecode_jump_if(code, BPF_JGE, BPF_REG_1, BPF_REG_7, is_chosen);
	bytecode_store(code, 8, KEPT, THREAD(short_ns), BPF_REG_1);
	bytecode_jump(code, none);
	bytecode_bind(code, is_chosen);
	bytecode_alu(code, BPF_SUB, BPF_REG_1, BPF_REG_7);
	bytecode_store(code, 8, KEPT, THREAD(short_ns), BPF_REG_1);
	choose_point(code, build);
	bytecode_bind(code, is_long);
}

/* Copies a word of the thread to the record. */
static void copy_to_record(struct bytecode *code, int32_t word, int32_t to)
{
	bytecode_load(code, 8, BPF_REG_1, KEPT, word);
	bytecode_store(code, 8, BPF_REG_10, to, BPF_REG_1);
}

static void fill_record(struct bytecode *code)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_zero(code, RECORD, sizeof(struct wait_record));
	copy_to_record(code, THREAD(returned_ns), RECORDED(returned_ns));
	bytecode_alu(code, BPF_ADD, BPF_REG_7, BPF_REG_1);
	bytecode_store(code, 8, BPF_REG_10, RECORDED(weight_ns), BPF_REG_7);
	copy_to_record(code, THREAD(blocked_ns), RECORDED(blocked_ns));
	copy_to_record(code, THREAD(run_queue_ns), RECORDED(run_queue_ns));
	copy_to_record(code, THREAD(sums.woken_at_ns), RECORDED(woken_at_ns));
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(sums.state));
	bytecode_store(code, 4, BPF_REG_10, RECORDED(state), BPF_REG_1);
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(waker_flags));
	bytecode_store(code, 4, BPF_REG_10, RECORDED(flags), BPF_REG_1);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, WAIT_HAS_WAKER, end);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(waker));
	bytecode_store(code, 4, BPF_REG_10, RECORDED(waker_tid), BPF_REG_1);
	bytecode_alu_imm(code, BPF_RSH, BPF_REG_1, 32);
	bytecode_store(code, 4, BPF_REG_10, RECORDED(waker_pid), BPF_REG_1);
	for (int32_t i = 0; i < (int32_t)sizeof(((struct wait_record *)0)->waker_comm); i += 8)
		copy_to_record(code, THREAD(waker_comm) + i, RECORDED(waker_comm) + i);
	bytecode_bind(code, end);
}

/* Writes the record, or keeps its weight for the next one. Drops it while the CPU's event is off,
 * and where the CPU has none as it is not chosen. */
static void output_record(struct bytecode *code, const struct off_cpu_build *build)
{
	const struct bytecode_label refused = bytecode_label(code), end = bytecode_label(code);

	bytecode_move(code, BPF_REG_1, CONTEXT);
	bytecode_move_map(code, BPF_REG_2, build->maps.events);
	bytecode_move_imm64(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	bytecode_stack_address(code, BPF_REG_4, RECORD);
	bytecode_move_imm(code, BPF_REG_5, sizeof(struct wait_record));
	bytecode_call(code, BPF_FUNC_perf_event_output);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, refused);
	bytecode_store_imm(code, 8, KEPT, THREAD(returned_ns), 0);
	add_sum(code, THREAD(sums.recorded_ns), COUNT(recorded_ns), BPF_REG_7);
	count_one(code, COUNT(records));
	bytecode_jump(code, end);
	bytecode_bind(code, refused);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, -EOPNOTSUPP, end);
	if (build->are_cpus_chosen)
		bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, -ENOENT, end);
	bytecode_store(code, 8, KEPT, THREAD(returned_ns), BPF_REG_7);
	count_one(code, COUNT(records_refused));
	bytecode_bind(code, end);
}

struct bytecode *off_cpu_make_resumed(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label kernel, end;

	if (!code)
		return NULL;
	kernel = bytecode_label(code);
	end = bytecode_label(code);
	bytecode_move(code, CONTEXT, BPF_REG_1);
	if (!build->is_function) {
		bytecode_load(code, 8, BPF_REG_1, CONTEXT, 0);
		bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);	/* it was not switched */
	}
	bytecode_call(code, BPF_FUNC_get_current_task_btf);
	bytecode_move(code, TASK, BPF_REG_0);
	bytecode_task_storage(code, build->maps.threads, TASK, false, end);
	bytecode_move(code, KEPT, BPF_REG_0);
	keep_counts(code, build, end);
	start_late(code, end);
	bytecode_load(code, 8, BPF_REG_7, KEPT, THREAD(pending_ns));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_7, 0, end);
	bytecode_store_imm(code, 8, KEPT, THREAD(pending_ns), 0);
	if (!build->has_kernel_threads) {
		bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(kind));
		bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, THREAD_KERNEL, kernel);
	}
	choose_wait(code, build, end);
	fill_record(code);
	output_record(code, build);
	if (!build->has_kernel_threads) {
		bytecode_jump(code, end);
		bytecode_bind(code, kernel);
		add_to_count(code, COUNT(kernel_thread_ns), BPF_REG_7);
	}
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

/* Children are what their parents are. */
struct bytecode *off_cpu_make_fork(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label refused, end;

	if (!code)
		return NULL;
	refused = bytecode_label(code);
	end = bytecode_label(code);
	bytecode_load(code, 8, BPF_REG_7, BPF_REG_1, 0);	/* the parent */
	bytecode_load(code, 8, TASK, BPF_REG_1, 8);
	keep_counts(code, build, end);
	write_id(code, build, BPF_REG_7, KEY);
	bytecode_move(code, BPF_REG_7, BPF_REG_1);
	bytecode_lookup(code, build->maps.ids, KEY, end);
	bytecode_load(code, 4, KEPT, BPF_REG_0, 0);
	if (build->has_no_children)
		bytecode_jump_if_imm(code, BPF_JEQ, KEPT, ID_WATCHED, end);
	bytecode_store(code, 4, BPF_REG_10, VALUE, KEPT);
	write_id(code, build, TASK, KEY);
	bytecode_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_7, end);	/* a thread of it */
	bytecode_move_map(code, BPF_REG_1, build->maps.ids);
	bytecode_stack_address(code, BPF_REG_2, KEY);
	bytecode_stack_address(code, BPF_REG_3, VALUE);
	bytecode_move_imm(code, BPF_REG_4, BPF_ANY);
	bytecode_call(code, BPF_FUNC_map_update_elem);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, refused);
	bytecode_jump(code, end);
	bytecode_bind(code, refused);
	count_one(code, COUNT(processes_refused));
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

/* A thread that was left out stays so until it has been switched for the last time, when its id is
 * no longer known. */
struct bytecode *off_cpu_make_exit(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label is_new, absent, end;

	if (!code)
		return NULL;
	is_new = bytecode_label(code);
	absent = bytecode_label(code);
	end = bytecode_label(code);
	bytecode_load(code, 8, TASK, BPF_REG_1, 0);
	keep_time(code);
	keep_counts(code, build, end);
	bytecode_task_storage(code, build->maps.threads, TASK, !build->watches_ids, absent);
	bytecode_move(code, KEPT, BPF_REG_0);
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(kind));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, is_new);
	begin_stamp(code, absent);
	add_time_on(code);
	end_stamp(code, false);
	bytecode_bind(code, is_new);
	bytecode_store_imm(code, 4, KEPT, THREAD(kind), THREAD_ENDED);
	bytecode_bind(code, absent);
	if (!build->are_threads) {	/* the id may be another process's soon */
		bytecode_load(code, 8, BPF_REG_1, TASK, build->layout.signal);
		bytecode_load(code, 4, BPF_REG_1, BPF_REG_1, build->layout.live);
		bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, end);
	}
	write_id(code, build, TASK, KEY);
	bytecode_move_map(code, BPF_REG_1, build->maps.ids);
	bytecode_stack_address(code, BPF_REG_2, KEY);
	bytecode_call(code, BPF_FUNC_map_delete_elem);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

/* Copies the sums to the stack; jumps to @changed when the thread is switched meanwhile. */
static void copy_row(struct bytecode *code, struct bytecode_label changed)
{
	bytecode_load(code, 4, BPF_REG_7, KEPT, THREAD(sequence));
	bytecode_jump_if_imm(code, BPF_JSET, BPF_REG_7, 1, changed);
	for (int32_t at = 0; at < (int32_t)sizeof(struct off_cpu_thread); at += 8) {
		bytecode_load(code, 8, BPF_REG_1, KEPT, at);
		bytecode_store(code, 8, BPF_REG_10, ROW + at, BPF_REG_1);
	}
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(sequence));
	bytecode_jump_if(code, BPF_JNE, BPF_REG_1, BPF_REG_7, changed);
}

/* Begins the sums of TASK if it is blocked and was not switched since off_cpu_open(): no other
 * program would see it before it wakes. A cgroup's tasks are known where they run only. */
static void find_blocked(struct bytecode *code, const struct off_cpu_build *build,
			 struct bytecode_label skip)
{
	if (build->maps.cgroup >= 0 || build->layout.task_state < 0 || build->layout.on_cpu < 0)
		return;
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.task_state);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, skip);
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.on_cpu);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, skip);
	filter_task(code, build, false, skip);
	bytecode_task_storage(code, build->maps.threads, TASK, true, skip);
	bytecode_move(code, KEPT, BPF_REG_0);
	keep_time(code);
	begin_thread(code, build, true, skip);
	/* A switch may have brought it to a CPU before the kind was set: its programs found no
	 * sums. A switch that found them has stepped the sequence, and knows better. */
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(sequence));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, skip);
	bytecode_load(code, 4, BPF_REG_1, TASK, build->layout.on_cpu);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, skip);
	bytecode_store_imm(code, 2, KEPT, THREAD(sums.is_off), 0);
}

/* A row whose sums could not be had at once is zero: off_cpu_read_threads() reads again. */
struct bytecode *off_cpu_make_rows(const struct off_cpu_build *build)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label copied, absent, found, end;

	if (!code)
		return NULL;
	copied = bytecode_label(code);
	absent = bytecode_label(code);
	found = bytecode_label(code);
	end = bytecode_label(code);
	bytecode_move(code, CONTEXT, BPF_REG_1);
	bytecode_load(code, 8, TASK, CONTEXT, 8);
	bytecode_jump_if_imm(code, BPF_JEQ, TASK, 0, end);	/* that was the last one */
	bytecode_task_storage(code, build->maps.threads, TASK, false, absent);
	bytecode_move(code, KEPT, BPF_REG_0);
	bytecode_load(code, 4, BPF_REG_1, KEPT, THREAD(kind));
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, found);
	bytecode_bind(code, absent);
	find_blocked(code, build, end);
	bytecode_jump(code, end);	/* it has a row from the next time on */
	bytecode_bind(code, found);
	bytecode_load(code, 8, BPF_REG_1, KEPT, THREAD(sums.first_ns));
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, end);		/* has no sums */
	for (int i = 0; i < READ_TRIES; i++) {
		const struct bytecode_label changed = bytecode_label(code);

		copy_row(code, changed);
		bytecode_jump(code, copied);
		bytecode_bind(code, changed);
	}
	bytecode_zero(code, ROW, sizeof(struct off_cpu_thread));
	bytecode_bind(code, copied);
	bytecode_load(code, 8, BPF_REG_1, CONTEXT, 0);
	bytecode_load(code, 8, BPF_REG_1, BPF_REG_1, build->layout.seq);
	bytecode_stack_address(code, BPF_REG_2, ROW);
	bytecode_move_imm(code, BPF_REG_3, sizeof(struct off_cpu_thread));
	bytecode_call(code, BPF_FUNC_seq_write);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}
