/* wait_stacks.c - see fold/wait_stacks.h.
 *
 * Names of functions differ between kernels by prefixes, suffixes and helpers that are inlined or
 * not: futex_wait_queue_me, futex_wait_queue, futex_do_wait. So the table has beginnings of names,
 * and the first row that matches counts.
 */
#include "fold/wait_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[WAIT_KINDS] = {
	[WAIT_KIND_UNKNOWN] = "unknown", [WAIT_KIND_FUTEX] = "futex",
	[WAIT_KIND_SOCKET] = "socket", [WAIT_KIND_PIPE] = "pipe", [WAIT_KIND_DISK] = "disk",
	[WAIT_KIND_TIMER] = "timer", [WAIT_KIND_PAGE_FAULT] = "page fault",
	[WAIT_KIND_RUN_QUEUE] = "run queue", [WAIT_KIND_POLL] = "epoll/poll",
	[WAIT_KIND_LOCK] = "lock", [WAIT_KIND_OTHER] = "other", [WAIT_KIND_ON_CPU] = "on CPU",
};

const char *wait_kind_name(enum wait_kind kind)
{
	return kind_names[kind];
}

#define SCHEDULER(prefix)	{ prefix, WAIT_FRAME_SCHEDULER, WAIT_KIND_UNKNOWN }
#define PRIMITIVE(prefix, kind) { prefix, WAIT_FRAME_PRIMITIVE, WAIT_KIND_##kind }
#define MARK(prefix, kind)	{ prefix, WAIT_FRAME_MARK, WAIT_KIND_##kind }

static const struct frame_row {
	const char *prefix;
	enum wait_frame frame;
	enum wait_kind kind;
} frame_rows[] = {
	/* The hooks of what records the wait come before the scheduler. */
	SCHEDULER("bpf_"), SCHEDULER("__bpf_"), SCHEDULER("trace_call_bpf"),
	SCHEDULER("perf_trace_"), SCHEDULER("__traceiter_"), SCHEDULER("kprobe_"),
	SCHEDULER("ftrace_"), SCHEDULER("finish_task_switch"), SCHEDULER("schedule_tail"),
	SCHEDULER("__schedule"), SCHEDULER("schedule_timeout"), SCHEDULER("schedule_hrtimeout"),
	SCHEDULER("schedule_preempt_disabled"), SCHEDULER("schedule"),
	SCHEDULER("preempt_schedule"),
	SCHEDULER("__cond_resched"), SCHEDULER("_cond_resched"), SCHEDULER("__sched_text"),
	SCHEDULER("exit_to_user_mode_"), SCHEDULER("irqentry_exit"),
	SCHEDULER("raw_irqentry_exit_cond_resched"), SCHEDULER("asm_sysvec_"),
	SCHEDULER("asm_common_interrupt"),
	PRIMITIVE("io_schedule", DISK),

	PRIMITIVE("futex_", FUTEX), PRIMITIVE("__futex_", FUTEX), PRIMITIVE("do_futex", FUTEX),

	PRIMITIVE("ep_poll", POLL), PRIMITIVE("do_epoll_", POLL),
	PRIMITIVE("poll_schedule_timeout", POLL), PRIMITIVE("do_select", POLL),
	PRIMITIVE("core_sys_select", POLL), PRIMITIVE("do_pselect", POLL),
	PRIMITIVE("do_sys_poll", POLL), PRIMITIVE("do_poll", POLL),

	PRIMITIVE("hrtimer_nanosleep", TIMER), PRIMITIVE("do_nanosleep", TIMER),
	PRIMITIVE("common_nsleep", TIMER), PRIMITIVE("usleep_range", TIMER),
	PRIMITIVE("msleep", TIMER), PRIMITIVE("alarm_timer_nsleep", TIMER),

	PRIMITIVE("pipe_", PIPE), PRIMITIVE("anon_pipe_", PIPE), PRIMITIVE("fifo_", PIPE),
	PRIMITIVE("wait_for_partner", PIPE),

	PRIMITIVE("sk_wait_", SOCKET), PRIMITIVE("sk_stream_wait_", SOCKET),
	PRIMITIVE("__skb_wait_", SOCKET), PRIMITIVE("__skb_recv_", SOCKET),
	PRIMITIVE("skb_recv_", SOCKET), PRIMITIVE("unix_", SOCKET), PRIMITIVE("__unix_", SOCKET),
	PRIMITIVE("tcp_", SOCKET), PRIMITIVE("udp_", SOCKET), PRIMITIVE("__udp_", SOCKET),
	PRIMITIVE("inet_", SOCKET), PRIMITIVE("__inet_", SOCKET), PRIMITIVE("netlink_", SOCKET),
	PRIMITIVE("packet_", SOCKET), PRIMITIVE("vsock_", SOCKET), PRIMITIVE("__vsock_", SOCKET),
	PRIMITIVE("sock_", SOCKET), PRIMITIVE("__sock_", SOCKET), PRIMITIVE("lock_sock", SOCKET),
	PRIMITIVE("__lock_sock", SOCKET), PRIMITIVE("wait_for_connect", SOCKET),

	PRIMITIVE("mutex_lock", LOCK), PRIMITIVE("__mutex_lock", LOCK),
	PRIMITIVE("rwsem_", LOCK), PRIMITIVE("__rwsem_", LOCK), PRIMITIVE("down_", LOCK),
	PRIMITIVE("__down", LOCK), PRIMITIVE("down", LOCK), PRIMITIVE("rt_mutex_", LOCK),
	PRIMITIVE("__rt_mutex_", LOCK), PRIMITIVE("rtlock_", LOCK), PRIMITIVE("ww_mutex_", LOCK),
	PRIMITIVE("percpu_down_", LOCK), PRIMITIVE("percpu_rwsem_", LOCK),
	PRIMITIVE("__percpu_down_", LOCK), PRIMITIVE("flock_lock_", LOCK),
	PRIMITIVE("locks_lock_", LOCK), PRIMITIVE("posix_lock_", LOCK),

	PRIMITIVE("folio_wait_", DISK), PRIMITIVE("__folio_lock", DISK),
	PRIMITIVE("wait_on_page_", DISK), PRIMITIVE("__lock_page", DISK),
	PRIMITIVE("bit_wait_io", DISK), PRIMITIVE("__wait_on_buffer", DISK),
	PRIMITIVE("wait_for_completion_io", DISK), PRIMITIVE("submit_bio_wait", DISK),
	PRIMITIVE("blk_", DISK), PRIMITIVE("rq_qos_wait", DISK), PRIMITIVE("wbt_wait", DISK),
	PRIMITIVE("__rq_qos_throttle", DISK), PRIMITIVE("__iomap_dio_", DISK),
	PRIMITIVE("iomap_dio_", DISK), PRIMITIVE("__blkdev_direct_IO", DISK),
	PRIMITIVE("blkdev_direct_IO", DISK), PRIMITIVE("balance_dirty_pages", DISK),
	PRIMITIVE("jbd2_log_wait_commit", DISK), PRIMITIVE("xfs_log_force", DISK),

	PRIMITIVE("bit_wait", OTHER), PRIMITIVE("__wait_on_bit", OTHER),
	PRIMITIVE("out_of_line_wait_on_bit", OTHER), PRIMITIVE("wait_for_completion", OTHER),
	PRIMITIVE("__wait_for_common", OTHER), PRIMITIVE("wait_woken", OTHER),
	PRIMITIVE("prepare_to_wait", OTHER), PRIMITIVE("wait_for_common", OTHER),
	PRIMITIVE("wait_event", OTHER),

	/* Code above the primitives above. */
	MARK("handle_mm_fault", PAGE_FAULT), MARK("do_user_addr_fault", PAGE_FAULT),
	MARK("exc_page_fault", PAGE_FAULT), MARK("asm_exc_page_fault", PAGE_FAULT),
	MARK("do_page_fault", PAGE_FAULT), MARK("do_mem_abort", PAGE_FAULT),
	MARK("el0_da", PAGE_FAULT), MARK("el0_ia", PAGE_FAULT), MARK("ext4_sync_file", DISK),
	MARK("vfs_fsync", DISK), MARK("ksys_sync", DISK), MARK("dio_", DISK),
};

enum wait_frame wait_frame_classify(const char *name, enum wait_kind *kind)
{
	*kind = WAIT_KIND_UNKNOWN;
	for (size_t i = 0; i < sizeof(frame_rows) / sizeof(frame_rows[0]); i++) {
		const struct frame_row *row = &frame_rows[i];

		if (strncmp(name, row->prefix, strlen(row->prefix)) != 0)
			continue;
		*kind = row->kind;
		return row->frame;
	}
	return WAIT_FRAME_CODE;
}

void wait_reason_add(struct wait_reason *reason, enum wait_frame frame, enum wait_kind kind)
{
	reason->is_any = true;
	if (frame == WAIT_FRAME_MARK && !reason->mark)
		reason->mark = kind;
	if (frame == WAIT_FRAME_PRIMITIVE && (!reason->kind || reason->kind == WAIT_KIND_OTHER))
		reason->kind = kind;
}

/* A page fault mostly waits for a disk; a lock that it waits for is a lock. */
enum wait_kind wait_reason_kind(const struct wait_reason *reason)
{
	if (!reason->is_any)
		return WAIT_KIND_UNKNOWN;
	if (reason->mark && (!reason->kind || reason->kind == WAIT_KIND_OTHER ||
			     reason->kind == WAIT_KIND_DISK))
		return reason->mark;
	return reason->kind ? reason->kind : WAIT_KIND_OTHER;
}

bool wait_dso_is_libc(const char *dso)
{
	static const char *const libraries[] = {
		"libc.so.", "libc-2.", "libpthread.so.", "libpthread-2.", "librt.so.", "ld-linux",
		"ld-2.", "ld.so", "ld64.so.", "ld-musl-", "libc.musl-", "[vdso]",
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!strncmp(dso, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

bool wait_name_is_wrapper(const char *name)
{
	static const char *const names[] = {
		"syscall", "read", "pread64", "readv", "write", "pwrite64", "writev", "nanosleep",
		"clock_nanosleep", "usleep", "sleep", "poll", "ppoll", "select", "pselect",
		"epoll_wait", "epoll_pwait", "accept", "accept4", "connect", "recv", "recvfrom",
		"recvmsg", "send", "sendto", "sendmsg", "fsync", "fdatasync", "open", "openat",
		"close", "wait4", "waitpid", "wait", "waitid", "ioctl", "pause", "sigsuspend",
		"sem_wait", "sem_timedwait", "pthread_join", "pthread_mutex_lock",
		"pthread_cond_wait", "pthread_cond_timedwait", "pthread_rwlock_rdlock",
		"pthread_rwlock_wrlock",
	};
	static const char *const prefixes[] = {
		"__GI_", "__libc_", "__lll_", "__futex_", "__pthread_", "___pthread_",
		"__internal_", "__new_sem_", "__syscall", "__timedwait", "futex_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* What the functions by which user code waits wait for. Others wait for anything: read, write. */
static const struct wrapper_row {
	const char *names;	/* each between blanks */
	enum wait_kind kind;
} wrapper_rows[] = {
	{ " nanosleep clock_nanosleep usleep sleep runtime.usleep ", WAIT_KIND_TIMER },
	{ " pthread_mutex_lock pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait "
	  "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_join pthread_timedjoin_np "
	  "pthread_clockjoin_np pthread_barrier_wait sem_wait sem_timedwait sem_clockwait "
	  "pthread_clockjoin_ex pthread_timedjoin_ex lll_lock_wait lll_lock_wait_private "
	  "runtime.futex ",
	  WAIT_KIND_FUTEX },
	{ " poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 runtime.epollwait ",
	  WAIT_KIND_POLL },
	{ " accept accept4 connect recv recvfrom recvmsg recvmmsg send sendto sendmsg sendmmsg ",
	  WAIT_KIND_SOCKET },
	{ " fsync fdatasync msync syncfs pread64 pread preadv pwrite64 pwrite pwritev ",
	  WAIT_KIND_DISK },
	{ " wait wait3 wait4 waitpid waitid pause sigsuspend sigwaitinfo sigtimedwait ",
	  WAIT_KIND_OTHER },
};

enum wait_kind wait_kind_of_wrapper(const char *name)
{
	static const char *const prefixes[] = { "__GI_", "__libc_", "___" };
	char word[64];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			name += strlen(prefixes[i]);
	name += strspn(name, "_");
	if (!strncmp(name, "futex_", strlen("futex_")))
		return WAIT_KIND_FUTEX;
	snprintf(word, sizeof(word), " %.*s ", (int)strcspn(name, "@"), name);
	for (size_t i = 0; i < sizeof(wrapper_rows) / sizeof(wrapper_rows[0]); i++)
		if (strstr(wrapper_rows[i].names, word))
			return wrapper_rows[i].kind;
	return WAIT_KIND_UNKNOWN;
}

/* Runtimes and servers have layers of their own above the C library, or in place of it, by which
 * all of their threads wait. A row of such a function would be of all reasons at once; its caller
 * is the reason: ObjectMonitor::enter, runtime.findRunnable, LWLockAcquire. Of CPython the layer
 * itself is the reason: take_gil, PyThread_acquire_lock_timed. */
static const struct primitive_row {
	const char *dso;	/* beginning of its base name; "": any, no other language has such
				 * names */
	const char *name;	/* as in the file; see is_primitive_row() */
} primitive_rows[] = {
	/* Go: packages of system calls, and what the threads of its scheduler sleep in */
	{ "", "syscall." }, { "", "internal/poll." }, { "", "internal/syscall/unix." },
	{ "", "runtime/internal/syscall." }, { "", "internal/runtime/syscall." },
	{ "", "golang.org/x/sys/unix." }, { "", "runtime.futex" }, { "", "runtime.usleep" },
	{ "", "runtime.epollwait" }, { "", "runtime.futexsleep" }, { "", "runtime.notesleep" },
	{ "", "runtime.notetsleep" }, { "", "runtime.notetsleep_internal" },
	{ "", "runtime.notetsleepg" }, { "", "runtime.semasleep" }, { "", "runtime.mPark" },
	{ "", "runtime.stopm" },

	/* HotSpot: os::PlatformEvent, os::PlatformMonitor (without os:: since JDK 21),
	 * PosixSemaphore, Parker::park, Monitor::wait..., ObjectMonitor::EnterI */
	{ "libjvm.so", "_ZN2os13PlatformEvent" }, { "libjvm.so", "_ZN13PlatformEvent" },
	{ "libjvm.so", "_ZN2os15PlatformMonitor" }, { "libjvm.so", "_ZN15PlatformMonitor" },
	{ "libjvm.so", "_ZN14PosixSemaphore" }, { "libjvm.so", "_ZN6Parker4park" },
	{ "libjvm.so", "_ZN7Monitor4wait" }, { "libjvm.so", "_ZN7Monitor28wait_without_" },
	{ "libjvm.so", "_ZN13ObjectMonitor6EnterI" },

	{ "postgres", "PGSemaphoreLock" }, { "postgres", "WaitEventSetWait" },
	{ "postgres", "WaitEventSetWaitBlock" }, { "postgres", "WaitLatch" },
	{ "postgres", "WaitLatchOrSocket" },

	/* C++: std::condition_variable::wait, std::__condvar, std::thread::join,
	 * std::this_thread::__sleep_for; Rust: std::sys, std::thread::park, std::thread::sleep */
	{ "libstdc++.so", "_ZNSt18condition_variable4wait" }, { "libstdc++.so", "_ZNSt9__condvar" },
	{ "libstdc++.so", "_ZNSt6thread4join" }, { "libstdc++.so", "_ZNSt11this_thread" },
	{ "", "_ZN3std3sys" }, { "", "_ZN3std6thread4park" }, { "", "_ZN3std6thread5sleep" },
};

/* A name of a package and a mangled one are beginnings. The others may have a suffix of a linker
 * (runtime.futex.abi0) or compiler. */
static bool is_primitive_row(const struct primitive_row *row, const char *dso, const char *name)
{
	const size_t bytes = strlen(row->name);

	if (strncmp(name, row->name, bytes) != 0 || strncmp(dso, row->dso, strlen(row->dso)) != 0)
		return false;
	return row->name[0] == '_' || row->name[bytes - 1] == '.' || !name[bytes] ||
	       name[bytes] == '.';
}

bool wait_name_is_primitive(const char *dso, const char *name)
{
	for (size_t i = 0; i < sizeof(primitive_rows) / sizeof(primitive_rows[0]); i++)
		if (is_primitive_row(&primitive_rows[i], dso, name))
			return true;
	return false;
}

void wait_stacks_init(struct wait_stacks *waits, struct stack_trie *trie,
		      struct symbol_names *names, const struct waits *of)
{
	*waits = (struct wait_stacks){ .trie = trie, .names = names, .waits = of };
}

static void forget(struct wait_stacks *waits)
{
	free(waits->cut);
	free(waits->kind);
	free(waits->classes);
	waits->cut = NULL;
	waits->kind = waits->classes = NULL;
	waits->stack_count = waits->class_count = 0;
}

void wait_stacks_finish(struct wait_stacks *waits)
{
	forget(waits);
}

int wait_stacks_begin(struct wait_stacks *waits, uint32_t event, bool is_wall, bool is_raw)
{
	const struct stack_trie *trie = waits->trie;
	const uint32_t count = trie->stacks.count;
	uint32_t *cut;
	uint8_t *kind;

	if (waits->compactions != trie->compactions ||
	    waits->forgotten != trie->frames.forgotten || waits->is_raw != is_raw)
		forget(waits);
	waits->compactions = trie->compactions;
	waits->forgotten = trie->frames.forgotten;
	waits->is_raw = is_raw;
	waits->event = event;
	waits->is_wall = is_wall;
	if (count <= waits->stack_count)
		return 0;
	cut = realloc(waits->cut, count * sizeof(*cut));
	if (cut)
		waits->cut = cut;
	kind = realloc(waits->kind, count * sizeof(*kind));
	if (kind)
		waits->kind = kind;
	if (!cut || !kind)
		return -ENOMEM;
	memset(cut + waits->stack_count, 0xff, (count - waits->stack_count) * sizeof(*cut));
	waits->stack_count = count;
	return 0;
}

/* Returns the class of a kernel symbol: its enum wait_frame + 1, and its kind << 4. */
static uint8_t class_of(struct wait_stacks *waits, uint32_t symbol)
{
	const char *name = strpool_get(waits->names->strings, waits->names->symbols[symbol].name);
	const uint32_t capacity = waits->names->capacity;
	enum wait_kind kind;
	enum wait_frame frame;
	uint8_t *bigger;

	if (symbol < waits->class_count && waits->classes[symbol])
		return waits->classes[symbol];
	frame = wait_frame_classify(name, &kind);
	if (symbol >= waits->class_count) {
		bigger = realloc(waits->classes, capacity);
		if (!bigger)
			return (uint8_t)((unsigned int)kind << 4 | (frame + 1));
		memset(bigger + waits->class_count, 0, capacity - waits->class_count);
		waits->classes = bigger;
		waits->class_count = capacity;
	}
	waits->classes[symbol] = (uint8_t)((unsigned int)kind << 4 | (frame + 1));
	return waits->classes[symbol];
}

/* A stack while it is walked from its leaf. */
struct wait_walk {
	uint32_t frame, node;	/* the frame, and the node of its caller */
	const struct symbol *symbol;
	uint32_t symbol_id;
};

/* False: out of memory, or there is no such frame. */
static bool look_at(struct wait_stacks *waits, struct wait_walk *walk)
{
	walk->symbol_id = symbol_names_of_frame(waits->names, waits->trie, walk->frame);
	if (walk->symbol_id == ID_SET_NONE)
		return false;
	walk->symbol = &waits->names->symbols[walk->symbol_id];
	return true;
}

static bool step(struct wait_stacks *waits, struct wait_walk *walk)
{
	if (walk->node == STACK_NODE_ROOT)
		return false;
	walk->frame = waits->trie->nodes.frame[walk->node];
	walk->node = waits->trie->nodes.parent[walk->node];
	return look_at(waits, walk);
}

/* What the kernel's part of a stack says. */
struct kernel_part {
	struct wait_reason reason;
	bool has_raw, has_code;		/* the next two, or the two after them, are set */
	uint32_t raw_frame, raw_node;	/* the first function that does not record the wait */
	uint32_t code_frame, code_node;	/* the first function above the primitives */
	bool is_system_call, is_of_thread;	/* it begins with one, or with a kernel thread */
};

static bool is_entry(const char *name)
{
	return !strncmp(name, "do_syscall", 10) || !strncmp(name, "entry_SYSCALL", 13) ||
	       !strncmp(name, "el0_svc", 7) || !strncmp(name, "invoke_syscall", 14) ||
	       !strncmp(name, "do_int80", 8) || !strncmp(name, "do_fast_syscall", 15);
}

/* Hooks by which the wait is recorded come before the scheduler. */
static bool is_hook(const char *name)
{
	static const char *const prefixes[] = {
		"bpf_", "__bpf_", "trace_call_bpf", "perf_trace_", "__traceiter_", "kprobe_",
		"ftrace_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void take_kernel_frame(struct wait_stacks *waits, const struct wait_walk *walk,
			      struct kernel_part *part)
{
	const char *name = strpool_get(waits->names->strings, walk->symbol->name);
	const uint8_t class = class_of(waits, walk->symbol_id);
	const enum wait_frame frame = (enum wait_frame)((class & 15) - 1);

	/* Until the kernel's names have come, user code says what is waited for. */
	if (walk->symbol->state != SYMBOL_LOADING)
		wait_reason_add(&part->reason, frame, (enum wait_kind)(class >> 4));
	if (!part->has_raw && !is_hook(name)) {
		part->has_raw = true;
		part->raw_frame = walk->frame;
		part->raw_node = walk->node;
	}
	part->is_system_call |= is_entry(name);
	part->is_of_thread |= !strncmp(name, "ret_from_fork", strlen("ret_from_fork"));
	if (part->has_code || frame == WAIT_FRAME_SCHEDULER || frame == WAIT_FRAME_PRIMITIVE)
		return;
	part->has_code = true;
	part->code_frame = walk->frame;
	part->code_node = walk->node;
}

/* Returns what user code waits for where the kernel's functions are not known. Inner functions of
 * the C library have no names of their own: the outermost one is called by the program. */
static enum wait_kind kind_of_user_code(struct wait_stacks *waits, struct wait_walk walk)
{
	const struct strpool *strings = waits->names->strings;
	enum wait_kind kind = wait_kind_of_wrapper(strpool_get(strings, walk.symbol->name)), found;

	while (step(waits, &walk) &&
	       wait_dso_is_libc(strpool_get(strings, walk.symbol->dso_name))) {
		found = wait_kind_of_wrapper(strpool_get(strings, walk.symbol->name));
		if (found != WAIT_KIND_UNKNOWN)
			kind = found;
	}
	return kind;
}

/* Walks on to the first user function that is neither the C library's, nor of such a layer, nor in
 * unknown memory, where a stack without frame pointers may lead. A stack that ends before it stops
 * at the layer, and one of the C library alone at its first function. */
static void find_user_code(struct wait_stacks *waits, struct wait_walk *walk)
{
	const struct strpool *strings = waits->names->strings;
	struct wait_walk outermost = *walk;
	bool has_seen_libc = false;

	do {
		const char *dso = strpool_get(strings, walk->symbol->dso_name);
		const char *name = strpool_get(strings, walk->symbol->name);
		const bool is_libc = wait_dso_is_libc(dso);

		if (!is_libc && strcmp(dso, "[unknown]") != 0 &&
		    (has_seen_libc || !wait_name_is_wrapper(name))) {
			if (!wait_name_is_primitive(dso, name))
				return;
			outermost = *walk;
		}
		has_seen_libc |= is_libc;
	} while (step(waits, walk));
	*walk = outermost;
}

/* Sets the kind of @stack, and what it is shown as. False: out of memory. */
static bool classify(struct wait_stacks *waits, uint32_t stack)
{
	struct wait_walk walk = { .frame = waits->trie->stacks.frame[stack],
				  .node = waits->trie->stacks.node[stack] };
	struct kernel_part part = { .has_code = false };
	bool goes_on = look_at(waits, &walk);
	uint32_t cut = stack;

	while (goes_on && walk.symbol->mode == MODE_KERNEL) {
		take_kernel_frame(waits, &walk, &part);
		goes_on = step(waits, &walk);
	}
	waits->kind[stack] = (uint8_t)(goes_on && !part.reason.is_any
				       ? kind_of_user_code(waits, walk)
				       : wait_reason_kind(&part.reason));
	if (!goes_on && part.is_of_thread)
		waits->kind[stack] |= WAIT_KERNEL_THREAD;
	if (goes_on && (part.is_system_call || !part.reason.is_any))
		find_user_code(waits, &walk);
	if (!goes_on && part.has_code) {
		walk.frame = part.code_frame;
		walk.node = part.code_node;
	}
	if (waits->is_raw && part.has_raw)
		cut = stack_trie_stack(waits->trie, part.raw_node, part.raw_frame);
	else if (!waits->is_raw && (goes_on || part.has_code))
		cut = stack_trie_stack(waits->trie, walk.node, walk.frame);
	waits->cut[stack] = cut;
	return cut != ID_SET_NONE;
}

int wait_stacks_prepare(struct wait_stacks *waits, const struct slice_entry *entries,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct slice_entry *entry = &entries[i];

		if (entry->event == waits->event && entry->stack < waits->stack_count &&
		    !wait_stacks_is_on_cpu(waits, entry) &&
		    waits->cut[entry->stack] == ID_SET_NONE && !classify(waits, entry->stack))
			return -ENOMEM;
	}
	return 0;
}
