/* What a wait is for, and whose row it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "model_fixture.h"
#include "unit_tests.h"

/* The kernel's functions in these tests, 256 bytes each. */
enum kernel_function {
	SCHEDULE, FUTEX, DO_FUTEX, SYSCALL, NANOSLEEP, EP_POLL, IO_SCHEDULE, PIPE_READ, VFS_READ,
	SK_WAIT, MUTEX, FAULT, IRQ_EXIT, WORKER, FORK, HOOK, FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
	[SCHEDULE] = "__schedule", [FUTEX] = "futex_wait_queue", [DO_FUTEX] = "do_futex",
	[SYSCALL] = "do_syscall_64", [NANOSLEEP] = "do_nanosleep", [EP_POLL] = "ep_poll",
	[IO_SCHEDULE] = "io_schedule", [PIPE_READ] = "pipe_read", [VFS_READ] = "vfs_read",
	[SK_WAIT] = "sk_wait_data", [MUTEX] = "__mutex_lock.constprop.0",
	[FAULT] = "asm_exc_page_fault", [IRQ_EXIT] = "irqentry_exit_to_user_mode",
	[WORKER] = "writeback_work", [FORK] = "ret_from_fork_asm",
	[HOOK] = "bpf_trace_run4",
};

static struct model_fixture model;
static struct waits waits;
static struct wait_stacks stacks;
static void *kernel_table;
static uint32_t libc;

static int set_up(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct flat_table table;
	struct diag why;
	size_t count;

	(void)state;
	fixture_init(&model);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		assert_int_equal(flat_builder_add(builder, FIXTURE_SYSCALL_ADDRESS + 0x100 * i,
						  0x100, names[i], NULL, 0), 0);
	assert_int_equal(flat_builder_finish(builder, 1, &kernel_table, &count), 0);
	assert_int_equal(flat_table_check(&table, kernel_table, count, &why), 0);
	flat_builder_destroy(builder);
	dso_table_set_ready(&model.dsos, DSO_KERNEL, &table, &table.header->build_id);
	libc = fixture_dso(&model, "/lib/libc.so.6", DSO_LOADING);
	waits = (struct waits){ .tuple_count = 3, .tuples = { [1] = { .state = WAIT_SLEEPING },
							       [2] = { .state = WAIT_RUNNABLE } } };
	wait_stacks_init(&stacks, &model.trie, &model.names, &waits);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wait_stacks_finish(&stacks);
	fixture_finish(&model);
	free(kernel_table);
	return 0;
}

/* A stack, leaf first: @kernel[@count], then libc's if it @has_libc, then those of the program. */
static struct slice_entry wait_in(const enum kernel_function *kernel, uint32_t count,
				  bool has_libc, const enum fixture_function *program,
				  uint32_t functions)
{
	uint32_t frames[16], used = 0;

	for (uint32_t i = 0; i < count; i++)
		frames[used++] = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS +
							      0x100 * (uint32_t)kernel[i]);
	if (has_libc)
		frames[used++] = stack_trie_frame(&model.trie, libc, 0x4000);
	for (uint32_t i = 0; i < functions; i++)
		frames[used++] = fixture_frame(&model, program[i], 0);
	return (struct slice_entry){ .stack = fixture_stack(&model, frames, used), .count = 1,
				     .weight = 10, .bucket = 1,
				     .task = fixture_task(&model, 10, 10, "a") };
}

#define WAIT_IN(has_libc, ...) wait_in((const enum kernel_function[]){ __VA_ARGS__ }, \
	sizeof((const enum kernel_function[]){ __VA_ARGS__ }) / sizeof(enum kernel_function), \
	has_libc, (const enum fixture_function[]){ FN_F, FN_MAIN }, 2)

static void prepare(const struct slice_entry *entry, bool is_raw)
{
	assert_int_equal(wait_stacks_begin(&stacks, 0, false, is_raw), 0);
	assert_int_equal(wait_stacks_prepare(&stacks, entry, 1), 0);
}

static const char *leaf_of(const struct slice_entry *entry)
{
	const uint32_t stack = wait_stacks_cut(&stacks, entry);
	const uint32_t symbol = symbol_names_of_frame(&model.names, &model.trie,
						      model.trie.stacks.frame[stack]);

	return strpool_get(model.strings, model.names.symbols[symbol].name);
}

static void expect(struct slice_entry entry, enum wait_kind kind, const char *leaf)
{
	prepare(&entry, false);
	assert_string_equal(wait_kind_name(wait_stacks_kind(&stacks, &entry)),
			    wait_kind_name(kind));
	assert_string_equal(leaf_of(&entry), leaf);
	assert_false(wait_stacks_is_idle(&stacks, &entry));
}

static void test_who_waits_is_the_first_function_of_the_program(void **state)
{
	(void)state;
	expect(WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL), WAIT_KIND_FUTEX, "f");
	expect(WAIT_IN(false, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL), WAIT_KIND_FUTEX, "f");
	expect(WAIT_IN(true, SCHEDULE, NANOSLEEP, SYSCALL), WAIT_KIND_TIMER, "f");
	expect(WAIT_IN(true, SCHEDULE, EP_POLL, SYSCALL), WAIT_KIND_POLL, "f");
	expect(WAIT_IN(true, SCHEDULE, PIPE_READ, VFS_READ, SYSCALL), WAIT_KIND_PIPE, "f");
	expect(WAIT_IN(true, SCHEDULE, SK_WAIT, VFS_READ, SYSCALL), WAIT_KIND_SOCKET, "f");
	expect(WAIT_IN(true, SCHEDULE, IO_SCHEDULE, VFS_READ, SYSCALL), WAIT_KIND_DISK, "f");
	expect(WAIT_IN(true, SCHEDULE, MUTEX, VFS_READ, SYSCALL), WAIT_KIND_LOCK, "f");
	expect(WAIT_IN(true, SCHEDULE, VFS_READ, SYSCALL), WAIT_KIND_OTHER, "f");
}

/* A fault that waits for a disk is the fault's; one that waits for a lock is the lock's. */
static void test_a_page_fault_is_no_disk(void **state)
{
	(void)state;
	expect(WAIT_IN(false, SCHEDULE, IO_SCHEDULE, FAULT), WAIT_KIND_PAGE_FAULT, "f");
	expect(WAIT_IN(false, SCHEDULE, MUTEX, FAULT), WAIT_KIND_LOCK, "f");
}

/* Code that was preempted is no wrapper, also in libc. */
static void test_preempted_code_keeps_its_leaf(void **state)
{
	struct slice_entry entry = WAIT_IN(true, SCHEDULE, IRQ_EXIT);

	(void)state;
	entry.bucket = 2;
	prepare(&entry, false);
	assert_int_equal(wait_stacks_kind(&stacks, &entry), WAIT_KIND_RUN_QUEUE);
	assert_int_equal(model.trie.frames.dso[model.trie.stacks.frame[
		wait_stacks_cut(&stacks, &entry)]], libc);
}

static void test_kernel_threads_are_idle(void **state)
{
	static const enum kernel_function kernel[] = { SCHEDULE, IO_SCHEDULE, WORKER, FORK };
	struct slice_entry entry;

	(void)state;
	entry = wait_in(kernel, 4, false, NULL, 0);
	prepare(&entry, false);
	assert_true(wait_stacks_is_idle(&stacks, &entry));
	assert_string_equal(leaf_of(&entry), "writeback_work");
}

/* But for what records the wait. */
static void test_raw_stacks_stay(void **state)
{
	const struct slice_entry entry = WAIT_IN(true, HOOK, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL);

	(void)state;
	prepare(&entry, true);
	assert_string_equal(leaf_of(&entry), "__schedule");
	assert_int_equal(wait_stacks_kind(&stacks, &entry), WAIT_KIND_FUTEX);
	prepare(&entry, false);
	assert_string_equal(leaf_of(&entry), "f");
}

/* The user functions of this stack say nothing, so that the kind is unknown until then. */
static void test_until_the_kernels_names_come_user_code_says_the_kind(void **state)
{
	struct dso *kernel = &model.dsos.dsos[DSO_KERNEL];

	(void)state;
	kernel->state = DSO_LOADING;
	expect(WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL), WAIT_KIND_UNKNOWN, "f");
	kernel->state = DSO_READY;
	symbol_names_forget_dso(&model.names, &model.trie, DSO_KERNEL);
	expect(WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL), WAIT_KIND_FUTEX, "f");
}

/* The clock of wall interrupts a thread that is about to wait, and one of the kernel's: both are on
 * a CPU, with the functions that they are in. A wait in the same stack is one. */
static void test_a_sample_on_a_cpu_is_no_wait(void **state)
{
	static const enum kernel_function kernel[] = { SCHEDULE, IO_SCHEDULE, WORKER, FORK };
	struct slice_entry entries[] = { WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL),
					 WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL),
					 wait_in(kernel, 4, false, NULL, 0) };

	(void)state;
	entries[0].bucket = entries[2].bucket = 0;
	assert_int_equal(wait_stacks_begin(&stacks, 0, true, false), 0);
	assert_int_equal(wait_stacks_prepare(&stacks, entries, 3), 0);
	assert_int_equal(wait_stacks_kind(&stacks, &entries[0]), WAIT_KIND_ON_CPU);
	assert_int_equal(wait_stacks_state(&stacks, &entries[0]), WAIT_RUNNING);
	assert_string_equal(leaf_of(&entries[0]), "__schedule");
	assert_int_equal(wait_stacks_kind(&stacks, &entries[1]), WAIT_KIND_FUTEX);
	assert_int_equal(wait_stacks_state(&stacks, &entries[1]), WAIT_SLEEPING);
	assert_string_equal(leaf_of(&entries[1]), "f");
	assert_false(wait_stacks_is_idle(&stacks, &entries[2]));
	assert_string_equal(wait_kind_name(WAIT_KIND_ON_CPU), "on CPU");
	assert_string_equal(wait_state_name(WAIT_RUNNING), "running");
}

static uint32_t fold_samples(unsigned int keys, const struct filter *filter,
			     const struct slice_entry *entries, const char *name)
{
	const struct fold_row *row;
	struct fold fold;
	uint64_t self;

	fold_init(&fold, &model.trie, &model.names, &model.tasks, keys, 0, filter);
	fold_set_waits(&fold, &stacks);
	fold_add(&fold, entries, 2, 1.0);
	row = fixture_row(&fold, name, false);
	self = row ? row->stats.self.samples : 0;
	fold_finish(&fold);
	return (uint32_t)self;
}

/* Of two waits below f one is for a futex, the other on the run queue. */
static void test_rows_and_filters_of_waits(void **state)
{
	struct filter filter = { .count = 0 };
	struct filter_part part = { .field = FILTER_WAIT, .hash = filter_hash("futex") };
	struct slice_entry entries[2];

	(void)state;
	entries[0] = entries[1] = WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL);
	entries[1].bucket = 2;
	prepare(entries, false);
	assert_int_equal(fold_samples(KEY_DSO | KEY_SYMBOL, &filter, entries, "f"), 2);
	assert_int_equal(fold_samples(KEY_DSO | KEY_SYMBOL, &filter, entries, "__schedule"), 0);
	assert_int_equal(filter_add(&filter, &part, NULL), 0);
	assert_int_equal(fold_samples(KEY_DSO | KEY_SYMBOL, &filter, entries, "f"), 1);
	filter.parts[0].is_negated = true;
	assert_int_equal(fold_samples(KEY_DSO | KEY_SYMBOL, &filter, entries, "f"), 1);
	filter.parts[0] = (struct filter_part){ .field = FILTER_STATE,
						.hash = filter_hash("disk") };
	assert_int_equal(fold_samples(KEY_DSO | KEY_SYMBOL, &filter, entries, "f"), 0);
}

/* f waits for a futex itself; it calls g, which waits for a timer. */
static void test_a_row_knows_what_it_waits_for_itself(void **state)
{
	static const enum kernel_function kernel[] = { SCHEDULE, NANOSLEEP, SYSCALL };
	static const enum fixture_function calls[] = { FN_G, FN_F, FN_MAIN };
	const uint16_t futex = 1u << WAIT_KIND_FUTEX, timer = 1u << WAIT_KIND_TIMER;
	const struct slice_entry entries[] = {
		WAIT_IN(true, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL),
		wait_in(kernel, 3, true, calls, 3),
	};
	struct fold fold;

	(void)state;
	assert_int_equal(wait_stacks_begin(&stacks, 0, false, false), 0);
	assert_int_equal(wait_stacks_prepare(&stacks, entries, 2), 0);
	fold_init(&fold, &model.trie, &model.names, &model.tasks, KEY_DSO | KEY_SYMBOL, 0,
		  &fixture_no_filter);
	fold_set_waits(&fold, &stacks);
	fold_add(&fold, entries, 2, 1.0);
	assert_int_equal(fixture_row(&fold, "f", false)->self_wait_kinds, futex);
	assert_int_equal(fixture_row(&fold, "f", false)->wait_kinds, futex | timer);
	assert_int_equal(fixture_row(&fold, "g", false)->self_wait_kinds, timer);
	assert_int_equal(fixture_row(&fold, "main", false)->self_wait_kinds, 0);
	assert_int_equal(fixture_row(&fold, "main", false)->wait_kinds, futex | timer);
	fold_finish(&fold);
}

static void test_names_of_primitives(void **state)
{
	static const struct {
		const char *name;
		enum wait_frame frame;
		enum wait_kind kind;
	} known[] = {
		{ "schedule_hrtimeout_range_clock", WAIT_FRAME_SCHEDULER, WAIT_KIND_UNKNOWN },
		{ "schedule", WAIT_FRAME_SCHEDULER, WAIT_KIND_UNKNOWN },
		{ "io_schedule_timeout", WAIT_FRAME_PRIMITIVE, WAIT_KIND_DISK },
		{ "futex_wait_queue_me", WAIT_FRAME_PRIMITIVE, WAIT_KIND_FUTEX },
		{ "poll_schedule_timeout.constprop.0", WAIT_FRAME_PRIMITIVE, WAIT_KIND_POLL },
		{ "anon_pipe_read", WAIT_FRAME_PRIMITIVE, WAIT_KIND_PIPE },
		{ "unix_stream_read_generic", WAIT_FRAME_PRIMITIVE, WAIT_KIND_SOCKET },
		{ "inet_csk_accept", WAIT_FRAME_PRIMITIVE, WAIT_KIND_SOCKET },
		{ "rwsem_down_read_slowpath", WAIT_FRAME_PRIMITIVE, WAIT_KIND_LOCK },
		{ "folio_wait_bit_common", WAIT_FRAME_PRIMITIVE, WAIT_KIND_DISK },
		{ "wait_for_completion_state", WAIT_FRAME_PRIMITIVE, WAIT_KIND_OTHER },
		{ "handle_mm_fault", WAIT_FRAME_MARK, WAIT_KIND_PAGE_FAULT },
		{ "ext4_file_read_iter", WAIT_FRAME_CODE, WAIT_KIND_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		enum wait_kind kind;

		assert_int_equal(wait_frame_classify(known[i].name, &kind), known[i].frame);
		assert_int_equal(kind, known[i].kind);
	}
	assert_true(wait_dso_is_libc("libc.so.6"));
	assert_true(wait_dso_is_libc("ld-musl-x86_64.so.1"));
	assert_false(wait_dso_is_libc("libcurl.so.4"));
	assert_true(wait_name_is_wrapper("__lll_lock_wait"));
	assert_true(wait_name_is_wrapper("clock_nanosleep"));
	assert_false(wait_name_is_wrapper("reader"));
}

/* Where the kernel's functions are unknown, the function that calls it tells. */
static void test_wrappers_say_what_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(wait_kind_of_wrapper("clock_nanosleep"), WAIT_KIND_TIMER);
	assert_int_equal(wait_kind_of_wrapper("__GI___clock_nanosleep"), WAIT_KIND_TIMER);
	assert_int_equal(wait_kind_of_wrapper("___pthread_mutex_lock"), WAIT_KIND_FUTEX);
	assert_int_equal(wait_kind_of_wrapper("pthread_cond_wait@@GLIBC_2.3.2"), WAIT_KIND_FUTEX);
	assert_int_equal(wait_kind_of_wrapper("__futex_abstimed_wait_cancelable64"),
			 WAIT_KIND_FUTEX);
	assert_int_equal(wait_kind_of_wrapper("epoll_wait"), WAIT_KIND_POLL);
	assert_int_equal(wait_kind_of_wrapper("__libc_recvfrom"), WAIT_KIND_SOCKET);
	assert_int_equal(wait_kind_of_wrapper("__libc_pread64"), WAIT_KIND_DISK);
	assert_int_equal(wait_kind_of_wrapper("wait4"), WAIT_KIND_OTHER);
	assert_int_equal(wait_kind_of_wrapper("read"), WAIT_KIND_UNKNOWN);
	assert_int_equal(wait_kind_of_wrapper("sleep_long"), WAIT_KIND_UNKNOWN);
	assert_int_equal(wait_kind_of_wrapper(""), WAIT_KIND_UNKNOWN);
}

/* Layers of runtimes by which all of their threads wait; their callers say for what. */
static void test_names_of_layers(void **state)
{
	static const struct {
		const char *dso, *name;
		bool is_primitive;
	} known[] = {
		{ "server", "runtime.futex.abi0", true },
		{ "server", "runtime.notesleep", true },
		{ "server", "runtime.findRunnable", false },
		{ "server", "runtime.futexwakeup", false },
		{ "server", "syscall.Syscall6", true },
		{ "server", "internal/poll.(*FD).Read", true },
		{ "server", "os.(*File).Read", false },
		{ "libjvm.so", "_ZN2os13PlatformEvent4parkEv", true },
		{ "libjvm.so", "_ZN15PlatformMonitor4waitEm", true },
		{ "libjvm.so", "_ZN13ObjectMonitor6EnterIEP10JavaThread", true },
		{ "libjvm.so", "_ZN13ObjectMonitor5enterEP10JavaThread", false },
		{ "server", "_ZN7Monitor4waitEl", false },
		{ "postgres", "WaitLatch", true },
		{ "postgres", "WaitLatches", false },
		{ "postgres", "ProcSleep", false },
		{ "server", "WaitLatch", false },
		{ "libstdc++.so.6", "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
		  true },
		{ "server", "_ZN3std3sys3pal4unix5futex10futex_wait17h0E", true },
		{ "libpython3.12.so.1.0", "PyThread_acquire_lock_timed", false },
		{ "libpython3.12.so.1.0", "take_gil", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(wait_name_is_primitive(known[i].dso, known[i].name),
				 known[i].is_primitive);
}

/* In a program of Go, who waits is above the layer of the runtime; where the stack ends before
 * that, the layer is, and not the kernel or the wrapper below it. */
static void test_who_waits_is_above_the_layer_of_a_runtime(void **state)
{
	static const char *const functions[] = { "runtime.futex.abi0", "runtime.notesleep",
						 "runtime.findRunnable" };
	struct slice_entry entry = WAIT_IN(false, SCHEDULE, FUTEX, DO_FUTEX, SYSCALL);
	struct flat_builder *builder = flat_builder_create();
	const uint32_t server = fixture_dso(&model, "/bin/server", DSO_LOADING);
	struct flat_table flat;
	struct diag why;
	uint32_t frames[5];
	void *table;
	size_t bytes;

	(void)state;
	frames[0] = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS + 0x100 * FUTEX);
	frames[1] = fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS + 0x100 * SYSCALL);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(flat_builder_add(builder, 0x1000 + 0x100 * i, 0x100, functions[i],
						  NULL, 0), 0);
		frames[2 + i] = stack_trie_frame(&model.trie, server, 0x1000 + 0x100 * i);
	}
	assert_int_equal(flat_builder_finish(builder, 1, &table, &bytes), 0);
	assert_int_equal(flat_table_check(&flat, table, bytes, &why), 0);
	flat_builder_destroy(builder);
	dso_table_set_ready(&model.dsos, server, &flat, &flat.header->build_id);

	entry.stack = fixture_stack(&model, frames, 5);
	expect(entry, WAIT_KIND_FUTEX, "runtime.findRunnable");
	entry.stack = fixture_stack(&model, frames, 4);
	expect(entry, WAIT_KIND_FUTEX, "runtime.notesleep");
	free(table);
}

UNIT_TESTS(test_wait_stacks)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_who_waits_is_the_first_function_of_the_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_page_fault_is_no_disk, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_preempted_code_keeps_its_leaf, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_kernel_threads_are_idle, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_raw_stacks_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_until_the_kernels_names_come_user_code_says_the_kind, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(test_a_sample_on_a_cpu_is_no_wait, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_rows_and_filters_of_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_who_waits_is_above_the_layer_of_a_runtime, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_row_knows_what_it_waits_for_itself, set_up,
						tear_down),
		cmocka_unit_test(test_names_of_primitives),
		cmocka_unit_test(test_wrappers_say_what_is_waited_for),
		cmocka_unit_test(test_names_of_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
