/* A file is copied by a child; one that does not answer costs a deadline, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/dso_file.h"
#include "unit_tests.h"

#define USER	   1000
#define OTHER_USER 1001
#define HANGING	   3		/* one user's at once: CHILDREN_OF_USER */

static const struct process_root nobody = { .process = -1, .root = -1 };
static int *opens;		/* shared with the children: how many have begun */

static int set_up(void **state)
{
	(void)state;
	opens = mmap(NULL, sizeof(*opens), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	return opens == MAP_FAILED;
}

static int open_own_program(const struct file_copy_job *job, struct dso_file *out,
			    struct diag *why)
{
	const int place = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	(void)job;
	__atomic_add_fetch(opens, 1, __ATOMIC_SEQ_CST);
	return dso_file_open_place(out, place, why);
}

static int hang(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	(void)job;
	(void)out;
	(void)why;
	__atomic_add_fetch(opens, 1, __ATOMIC_SEQ_CST);
	while (pause())
		continue;
	return 0;
}

static int refuse(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	(void)job;
	(void)out;
	return diag_set(why, -ESTALE, "another file");
}

static struct file_copy_job job_of(uint64_t system, uint32_t user,
				   int (*open)(const struct file_copy_job *job,
					       struct dso_file *out, struct diag *why))
{
	return (struct file_copy_job){ .system = system, .user = user, .root = &nobody,
				       .open = open };
}

static void test_a_copy_has_the_bytes_and_the_version_of_the_file(void **state)
{
	const struct file_copy_job job = job_of(0, USER, open_own_program);
	struct dso_file copy, file;
	const int place = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	char of_copy[4096], of_file[4096];
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(dso_file_open_place(&file, place, &why), 0);
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	assert_true(copy.is_copy);
	assert_true(file_version_is_equal(&copy.version, &file.version));
	assert_int_equal(lseek(copy.fd, 0, SEEK_END), file.version.bytes);
	for (off_t at = 0; at < (off_t)file.version.bytes; at += 4096) {
		const ssize_t count = pread(file.fd, of_file, 4096, at);

		assert_int_equal(pread(copy.fd, of_copy, 4096, at), count);
		assert_memory_equal(of_copy, of_file, (size_t)count);
	}
	assert_int_equal(pwrite(copy.fd, "x", 1, 0), -1);	/* sealed */
	close(copy.fd);
	close(file.fd);
	close(place);
}

static int open_large(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	const int file = memfd_create("large", MFD_CLOEXEC);

	(void)job;
	if (ftruncate(file, (off_t)FILE_COPY_BYTES_MAX + 1))
		return -errno;
	return dso_file_open_place(out, file, why);
}

static void test_a_file_larger_than_the_memory_for_it_is_refused(void **state)
{
	const struct file_copy_job job = job_of(0, USER, open_large);
	struct dso_file copy;
	struct diag why = { 0 };

	(void)state;
	assert_true(FILE_COPY_BYTES_MAX <= 64 << 20);
	assert_int_equal(file_copy_open(&job, &copy, &why), -EFBIG);
	assert_string_equal(why.text, "too large for its kind of file system: 64 MiB");
}

static void test_the_reason_of_a_failure_comes_back(void **state)
{
	const struct file_copy_job job = job_of(0, USER, refuse);
	struct dso_file copy;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(file_copy_open(&job, &copy, &why), -ESTALE);
	assert_string_equal(why.text, "another file");
	assert_int_equal(copy.fd, -1);
}

static void test_what_hangs_is_given_up_and_not_asked_again(void **state)
{
	struct file_copy_job job = job_of(77, USER, hang);
	struct dso_file copy;
	struct diag why = { 0 };

	(void)state;
	job.deadline_ms = 50;
	*opens = 0;
	assert_int_equal(file_copy_open(&job, &copy, &why), -EBUSY);
	job.open = open_own_program;
	job.deadline_ms = 0;
	assert_int_equal(file_copy_open(&job, &copy, &why), -EBUSY);
	assert_int_equal(*opens, 1);
	job.system = 78;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
}

static void *open_hanging(void *system)
{
	struct file_copy_job job = job_of((uintptr_t)system, USER, hang);
	struct dso_file copy;
	struct diag why;

	job.deadline_ms = 3000;
	file_copy_open(&job, &copy, &why);
	return NULL;
}

static void test_one_user_takes_no_other_ones_place(void **state)
{
	struct file_copy_job job = job_of(0, USER, open_own_program);
	pthread_t threads[HANGING];
	struct dso_file copy;
	struct diag why = { 0 };

	(void)state;
	*opens = 0;
	for (uintptr_t i = 0; i < HANGING; i++)
		pthread_create(&threads[i], NULL, open_hanging, (void *)(100 + i));
	while (__atomic_load_n(opens, __ATOMIC_SEQ_CST) < HANGING)
		usleep(1000);
	assert_int_equal(file_copy_open(&job, &copy, &why), -EBUSY);
	job.user = OTHER_USER;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
	for (int i = 0; i < HANGING; i++)
		pthread_join(threads[i], NULL);
	job.user = USER;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
}

#define TOO_MANY "too many copies of its kind at once"

/* Is never at the end of a copy. */
static int open_stuck(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	int ends[2];

	(void)job;
	(void)why;
	*out = (struct dso_file){ .fd = pipe(ends) ? -1 : ends[0] };
	out->version.bytes = FILE_COPY_BYTES_MAX - 1;
	return 0;
}

static void *copy_stuck(void *state)
{
	struct file_copy_job job = job_of(200, USER, open_stuck);
	struct dso_file copy;
	struct diag why;

	(void)state;
	job.deadline_ms = 1000;
	while (file_copy_open(&job, &copy, &why) && !strcmp(why.text, TOO_MANY))
		continue;	/* the other one was first */
	return NULL;
}

static void test_all_copies_of_a_user_have_room_for_one_large_file(void **state)
{
	struct file_copy_job job = job_of(0, USER, open_own_program);
	struct dso_file copy;
	struct diag why = { 0 };
	pthread_t thread;
	int err;

	(void)state;
	pthread_create(&thread, NULL, copy_stuck, NULL);
	while ((err = file_copy_open(&job, &copy, &why)) == 0)
		close(copy.fd);
	assert_int_equal(err, -EBUSY);	/* asked for again: requests.c */
	assert_string_equal(why.text, TOO_MANY);
	job.user = OTHER_USER;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
	pthread_join(thread, NULL);
	job.user = USER;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
}

static int die(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	(void)job;
	(void)out;
	(void)why;
	raise(SIGKILL);
	return 0;
}

static void test_a_child_that_dies_is_no_reason_to_ask_nobody_again(void **state)
{
	struct file_copy_job job = job_of(300, USER, die);
	struct dso_file copy;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(file_copy_open(&job, &copy, &why), -ECHILD);
	job.open = open_own_program;
	assert_int_equal(file_copy_open(&job, &copy, &why), 0);
	close(copy.fd);
}

static void test_neither_disk_nor_memory_needs_a_copy(void **state)
{
	const int memory = memfd_create("test", MFD_CLOEXEC);
	const int proc = open("/proc/self/status", O_PATH | O_CLOEXEC);

	(void)state;
	assert_false(file_copy_is_needed(memory, -1));
	assert_false(file_copy_is_needed(proc, -1));
	close(memory);
	close(proc);
}

/* A process that mounted an overlay below @place; @namespaces: of unshare(1). */
static pid_t start_with_overlay(const char *place, const char *namespaces)
{
	const pid_t parent = getpid();
	char command[512];
	pid_t child = fork();

	snprintf(command, sizeof(command),
		 "mount -t tmpfs none %s && cd %s && mkdir lower upper work over && >lower/file && "
		 "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none over && "
		 ">ready && exec sleep 60", place, place);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		execlp("unshare", "unshare", namespaces, "sh", "-c", command, NULL);
	_exit(1);
}

static int take_of(pid_t pid, const char *place, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/root%s/%s", (int)pid, place, name);
	return open(path, O_PATH | O_CLOEXEC);
}

static void assert_overlay(const char *namespaces, bool is_needed)
{
	char place[] = "/tmp/test-file-copy-XXXXXX";
	const pid_t pid = mkdtemp(place) ? start_with_overlay(place, namespaces) : -1;
	struct process_root root;
	int file, beside = -1;

	assert_true(pid > 0);
	while (beside < 0 && waitpid(pid, NULL, WNOHANG) == 0)
		beside = take_of(pid, place, "ready");
	if (beside < 0) {
		rmdir(place);
		skip();		/* without the right to mount there is nothing to test */
	}
	file = take_of(pid, place, "over/file");
	process_root_open(&root, (uint32_t)pid);
	assert_true(file >= 0);
	assert_int_equal(file_copy_is_needed(file, root.process), is_needed);
	assert_false(file_copy_is_needed(beside, root.process));	/* memory is none's */
	process_root_close(&root);
	close(file);
	close(beside);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rmdir(place);
}

static void test_an_overlay_needs_a_copy_only_in_another_user_namespace(void **state)
{
	(void)state;
	assert_overlay("-m", false);
	assert_overlay("-Urm", true);
}

UNIT_TESTS(test_file_copy)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_copy_has_the_bytes_and_the_version_of_the_file),
		cmocka_unit_test(test_a_file_larger_than_the_memory_for_it_is_refused),
		cmocka_unit_test(test_the_reason_of_a_failure_comes_back),
		cmocka_unit_test(test_what_hangs_is_given_up_and_not_asked_again),
		cmocka_unit_test(test_one_user_takes_no_other_ones_place),
		cmocka_unit_test(test_all_copies_of_a_user_have_room_for_one_large_file),
		cmocka_unit_test(test_a_child_that_dies_is_no_reason_to_ask_nobody_again),
		cmocka_unit_test(test_an_overlay_needs_a_copy_only_in_another_user_namespace),
		cmocka_unit_test(test_neither_disk_nor_memory_needs_a_copy),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
