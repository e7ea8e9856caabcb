/* Code that the kernel puts into processes: this process's own, read the foreign way. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf/process_memory.h"
#include "unit_tests.h"

#define PAGE 4096

static struct sandbox *sandbox;
static struct diag why;

static int set_up(void **state)
{
	(void)state;
	return sandbox_start(&sandbox, worker_run, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	sandbox_stop(sandbox);
	return 0;
}

static int copy(const void *from, size_t bytes, uint64_t *digest)
{
	return vdso_image_copy(sandbox, (uint32_t)getpid(), (uintptr_t)from,
			       (uintptr_t)from + bytes, digest, &why);
}

static void test_the_copy_is_what_is_in_memory(void **state)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	unsigned char bytes[PAGE];
	uint64_t digest;
	int fd;

	(void)state;
	if (!image)
		skip();
	fd = copy(image, PAGE, &digest);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, PAGE, 0), PAGE);
	close(fd);
	assert_memory_equal(bytes, ELFMAG, SELFMAG);
	assert_memory_equal(bytes, image, PAGE);
}

static void test_no_worker_can_change_the_copy(void **state)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	uint64_t digest;
	int fd = copy(page, PAGE, &digest);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	close(fd);
}

static void test_equal_bytes_have_equal_digests_and_others_another(void **state)
{
	unsigned char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t one, same, other, longer;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	page[17] = 1;
	close(copy(page, PAGE, &one));
	close(copy(page, PAGE, &same));
	close(copy(page, 2 * PAGE, &longer));
	page[PAGE - 1] = 1;
	close(copy(page, PAGE, &other));
	munmap(page, 2 * PAGE);
	assert_int_equal(one, same);
	assert_int_not_equal(one, other);
	assert_int_not_equal(one, longer);
}

static void test_what_is_no_image_is_refused(void **state)
{
	char *hole = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t digest;

	(void)state;
	assert_int_equal(copy(hole, 17 * PAGE, &digest), -E2BIG);
	assert_int_equal(copy(hole, 0, &digest), -E2BIG);
	assert_int_equal(copy(hole, 100, &digest), -E2BIG);
	munmap(hole, PAGE);
	assert_int_equal(copy(hole, PAGE, &digest), -EIO);
}

/* A file system whose server does not answer blocks whoever reads the memory that it backs. */
static void test_memory_that_never_comes_costs_a_deadline(void **state)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	uint64_t digest;

	(void)state;
	sandbox_set_deadline(sandbox, 0);
	assert_int_equal(copy(page, PAGE, &digest), -ETIMEDOUT);
}

static void test_a_process_that_is_gone_is_said(void **state)
{
	pid_t child = fork();
	uint64_t digest;

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(vdso_image_copy(sandbox, (uint32_t)child, PAGE, 2 * PAGE, &digest, &why),
			 -ESRCH);
}

/* Addresses as in the kernel's documentation, Documentation/arch/x86: the three entries. */
static void test_the_vsyscall_page_has_three_entries(void **state)
{
	static const struct {
		uint64_t address;
		const char *name;
	} entries[] = {
		{ 0xffffffffff600000, "vgettimeofday" },
		{ 0xffffffffff600007, "vgettimeofday" },
		{ 0xffffffffff600400, "vtime" },
		{ 0xffffffffff600800, "vgetcpu" },
		{ 0xffffffffff600bff, "vgetcpu" },
	};
	const struct flat_table table = vdso_image_vsyscall_table();

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		uint32_t row = flat_table_find(&table, entries[i].address);

		assert_int_not_equal(row, FLAT_NONE);
		assert_string_equal(flat_table_name(&table, row), entries[i].name);
	}
	assert_int_equal(flat_table_find(&table, 0xffffffffff600c00), FLAT_NONE);
	assert_false(vdso_image_is_vsyscall(0xffffffffff5fffff));
	assert_true(vdso_image_is_vsyscall(0xffffffffff600fff));
	assert_false(vdso_image_is_vsyscall(0xffffffffff601000));
}

#define WITH_SANDBOX(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_vdso_image)
{
	const struct CMUnitTest tests[] = {
		WITH_SANDBOX(test_the_copy_is_what_is_in_memory),
		WITH_SANDBOX(test_no_worker_can_change_the_copy),
		WITH_SANDBOX(test_equal_bytes_have_equal_digests_and_others_another),
		WITH_SANDBOX(test_what_is_no_image_is_refused),
		WITH_SANDBOX(test_memory_that_never_comes_costs_a_deadline),
		WITH_SANDBOX(test_a_process_that_is_gone_is_said),
		cmocka_unit_test(test_the_vsyscall_page_has_three_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
