/* Programs in this kernel: what they count and write is compared with what the test does and
 * /proc. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/kernel_program.h"
#include "need_bpf.h"
#include "need_root.h"
#include "unit_tests.h"

#define FORKS	7
#define THREADS 5

static struct btf *btf;

static int open_btf(void **state)
{
	struct diag why;

	(void)state;
	if (kernel_btf_open(&btf, &why))
		btf = NULL;
	return 0;
}

static int close_btf(void **state)
{
	(void)state;
	btf__free(btf);
	return 0;
}

static void need_programs(void)
{
	need_root();
	need_bpf();
	if (!btf) {
		print_message("SKIP: needs BPF with the kernel's types\n");
		skip();
	}
}

/* Counts forks of this process in entry 0 of @map. */
static struct bytecode *make_fork_counter(int map)
{
	struct bytecode *code = bytecode_create();
	const struct bytecode_label end = bytecode_label(code);

	bytecode_call(code, BPF_FUNC_get_current_pid_tgid);
	bytecode_alu_imm(code, BPF_RSH, BPF_REG_0, 32);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, getpid(), end);
	bytecode_move_imm(code, BPF_REG_7, 0);
	bytecode_count(code, map, BPF_REG_7, -4);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

static const struct kernel_hook fork_hook = { HOOK_TRACEPOINT, "forks", "sched_process_fork" };

static void load_fork_counter(struct kernel_program *program, int *map)
{
	struct bytecode *code;
	struct diag why = { .text = "" };

	*map = kernel_map_create(BPF_MAP_TYPE_ARRAY, "forks", 4, 8, 1, 0, &why);
	assert_true(*map >= 0);
	code = make_fork_counter(*map);
	if (kernel_program_load(program, code, &fork_hook, btf, &why) ||
	    kernel_program_attach(program, &fork_hook, &why))
		fail_msg("%s", why.text);
	bytecode_destroy(code);
}

static void test_a_tracepoint_counts_what_this_process_does(void **state)
{
	struct kernel_program program;
	const uint32_t key = 0;
	uint64_t count;
	int map;

	(void)state;
	need_programs();
	load_fork_counter(&program, &map);
	for (int i = 0; i < FORKS; i++) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	assert_int_equal(bpf_map_lookup_elem(map, &key, &count), 0);
	assert_int_equal(count, FORKS);
	kernel_program_close(&program);
	close(map);
}

static uint32_t id_of(const struct kernel_program *program)
{
	struct bpf_prog_info state = { 0 };
	uint32_t bytes = sizeof(state);

	assert_int_equal(bpf_obj_get_info_by_fd(program->fd, &state, &bytes), 0);
	return state.id;
}

/* Waits for the kernel to free it, which happens later. */
static void expect_gone(uint32_t id)
{
	for (int i = 0; i < 3000; i++) {
		const int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0) {
			assert_int_equal(errno, ENOENT);
			return;
		}
		close(fd);
		usleep(10000);
	}
	fail_msg("program %u is still there", id);
}

static void test_a_closed_program_is_gone_and_exec_closes_all(void **state)
{
	struct kernel_program program;
	uint32_t id;
	int map;

	(void)state;
	need_programs();
	load_fork_counter(&program, &map);
	id = id_of(&program);
	assert_true(fcntl(program.fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(program.link, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(map, F_GETFD) & FD_CLOEXEC);
	kernel_program_close(&program);
	assert_int_equal(program.fd, -1);
	close(map);
	expect_gone(id);
}

static void *wait_for_end(void *end)
{
	pthread_rwlock_rdlock(end);
	pthread_rwlock_unlock(end);
	return NULL;
}

/* Writes the id of each thread of this process. */
static struct bytecode *make_thread_list(void)
{
	struct bytecode *code = bytecode_create();
	const struct bytecode_label end = bytecode_label(code);
	const int tgid = kernel_btf_offset(btf, "task_struct", "tgid", NULL);
	const int pid = kernel_btf_offset(btf, "task_struct", "pid", NULL);

	bytecode_move(code, BPF_REG_6, BPF_REG_1);
	bytecode_load(code, 8, BPF_REG_7, BPF_REG_6, 8);	/* the task; NULL: that was all */
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_7, 0, end);
	bytecode_load(code, 4, BPF_REG_8, BPF_REG_7, tgid);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_8, getpid(), end);
	bytecode_load(code, 4, BPF_REG_8, BPF_REG_7, pid);
	bytecode_zero(code, -8, 8);
	bytecode_store(code, 8, BPF_REG_10, -8, BPF_REG_8);
	bytecode_load(code, 8, BPF_REG_1, BPF_REG_6, 0);	/* the iterator writes there */
	bytecode_load(code, 8, BPF_REG_1, BPF_REG_1,
		      kernel_btf_offset(btf, "bpf_iter_meta", "seq", NULL));
	bytecode_stack_address(code, BPF_REG_2, -8);
	bytecode_move_imm(code, BPF_REG_3, 8);
	bytecode_call(code, BPF_FUNC_seq_write);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

static bool is_thread(uint64_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%u", (uint32_t)tid);
	return access(path, F_OK) == 0;
}

static void check_thread_list(const struct kernel_program *program, pid_t pid)
{
	struct diag why = { .text = "" };
	uint64_t *tids;
	size_t bytes;

	if (kernel_program_iterate(program, pid, (void **)&tids, &bytes, &why))
		fail_msg("%s", why.text);
	assert_int_equal(bytes, (THREADS + 1) * sizeof(*tids));
	for (size_t i = 0; i <= THREADS; i++)
		assert_true(is_thread(tids[i]) && (!i || tids[i] != tids[i - 1]));
	free(tids);
}

static void test_an_iterator_writes_a_row_for_each_thread(void **state)
{
	const struct kernel_hook hook = { HOOK_TASK_ITERATOR, "threads", NULL };
	pthread_rwlock_t end = PTHREAD_RWLOCK_INITIALIZER;
	struct diag why = { .text = "" };
	struct kernel_program program;
	pthread_t threads[THREADS];
	struct bytecode *code;

	(void)state;
	need_programs();
	code = make_thread_list();
	if (kernel_program_load(&program, code, &hook, btf, &why))
		fail_msg("%s", why.text);
	bytecode_destroy(code);
	pthread_rwlock_wrlock(&end);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, wait_for_end, &end);
	check_thread_list(&program, getpid());
	check_thread_list(&program, 0);
	pthread_rwlock_unlock(&end);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	kernel_program_close(&program);
}

/* A storage is created for the task that asks, with zeros, and is kept from one hit to the next. */
static void test_storage_of_a_task_is_kept_for_it(void **state)
{
	struct bytecode *code = bytecode_create();
	const struct bytecode_label end = bytecode_label(code);
	struct diag why = { .text = "" };
	struct kernel_program program;
	const int storage = kernel_map_create_task_storage("hits", 3, &why);
	const int pid_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	uint64_t words[3];

	(void)state;
	need_programs();
	assert_true(storage >= 0);
	bytecode_load(code, 8, BPF_REG_7, BPF_REG_1, 0);	/* the parent */
	bytecode_task_storage(code, storage, BPF_REG_7, true, end);
	bytecode_move_imm(code, BPF_REG_1, 3);
	bytecode_add_to(code, BPF_REG_0, 16, BPF_REG_1);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	if (kernel_program_load(&program, code, &fork_hook, btf, &why) ||
	    kernel_program_attach(&program, &fork_hook, &why))
		fail_msg("%s", why.text);
	for (int i = 0; i < 2; i++) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	assert_int_equal(bpf_map_lookup_elem(storage, &pid_fd, words), 0);
	assert_int_equal(words[0], 0);
	assert_int_equal(words[2], 6);
	kernel_program_close(&program);
	bytecode_destroy(code);
	close(storage);
	close(pid_fd);
}

static void test_what_the_verifier_says_is_reported(void **state)
{
	struct bytecode *code = bytecode_create();
	struct diag why = { .text = "" };
	struct kernel_program program;

	(void)state;
	need_programs();
	bytecode_move(code, BPF_REG_0, BPF_REG_5);	/* was never written */
	bytecode_exit(code, 0);
	assert_int_equal(kernel_program_load(&program, code, &fork_hook, btf, &why), -EACCES);
	assert_int_equal(program.fd, -1);
	assert_non_null(strstr(why.text, "program forks"));
	assert_non_null(strstr(why.text, "R5 !read_ok"));
	bytecode_destroy(code);
}

static void test_unknown_tracepoints_and_members_are_named(void **state)
{
	const struct kernel_hook hook = { HOOK_TRACEPOINT, "none", "sched_no_such" };
	struct bytecode *code = bytecode_create();
	struct diag why = { .text = "" };
	struct kernel_program program;

	(void)state;
	need_programs();
	bytecode_exit(code, 0);
	assert_int_equal(kernel_program_load(&program, code, &hook, btf, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no sched_no_such"));
	assert_int_equal(kernel_btf_offset(btf, "task_struct", "no_such", &why), -ENOENT);
	assert_non_null(strstr(why.text, "no_such in struct task_struct"));
	assert_int_equal(kernel_btf_arguments(btf, "sched_process_fork"), 2);
	assert_int_equal(kernel_btf_arguments(btf, "sched_no_such"), -ENOENT);
	bytecode_destroy(code);
}

static int load_without_rights(void)
{
	struct bytecode *code = bytecode_create();
	struct kernel_program program;
	struct diag why;

	bytecode_exit(code, 0);
	if (setresuid(65534, 65534, 65534))
		return 2;
	if (kernel_program_load(&program, code, &fork_hook, btf, &why) != -EPERM)
		return 3;
	return strstr(why.text, "CAP_BPF and CAP_PERFMON: run as root") ? 0 : 4;
}

static void test_without_rights_the_capabilities_are_named(void **state)
{
	pid_t child;
	int status;

	(void)state;
	need_programs();
	child = fork();
	if (!child)
		_exit(load_without_rights());
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
}

UNIT_TESTS(test_kernel_program)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tracepoint_counts_what_this_process_does),
		cmocka_unit_test(test_a_closed_program_is_gone_and_exec_closes_all),
		cmocka_unit_test(test_an_iterator_writes_a_row_for_each_thread),
		cmocka_unit_test(test_storage_of_a_task_is_kept_for_it),
		cmocka_unit_test(test_what_the_verifier_says_is_reported),
		cmocka_unit_test(test_unknown_tracepoints_and_members_are_named),
		cmocka_unit_test(test_without_rights_the_capabilities_are_named),
	};

	return cmocka_run_group_tests(tests, open_btf, close_btf);
}
