/* Unwind tables by way of the DSO opener: of the C library of this process, of copies of it, of
 * the vdso. */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "mapping_fixture.h"
#include "symbols/dso_table.h"
#include "unit_tests.h"

#define COPY_BYTES     65536
#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct dso_opener *opener;

static int set_up(void **state)
{
	(void)state;
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       dso_opener_create(&opener, sandbox, NULL, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	return 0;
}

static struct open_request request_of(const void *address, enum open_purpose purpose)
{
	struct open_request request = mapping_request(address);

	request.dso = 7;
	request.purpose = purpose;
	return request;
}

static const void *libc_function(void)
{
	return dlsym(RTLD_DEFAULT, "getopt_long");	/* which no sanitizer's library has too */
}

static struct open_reply take(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };
	struct open_reply reply;

	while (!dso_opener_reply(opener, &reply))
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
	return reply;
}

static struct open_reply ask(const struct open_request *request)
{
	assert_true(dso_opener_request(opener, request));
	return take();
}

static struct open_reply ask_for_rows(const void *address)
{
	const struct open_request request = request_of(address, OPEN_UNWIND);
	struct open_reply reply = ask(&request);

	assert_true(reply.is_unwind);
	assert_int_equal(reply.dso, 7);
	return reply;
}

/* Nobody but root may write it, or everybody. */
static void *map_copy(const char *name, mode_t mode)
{
	const char *path = elf_fixture_path(name);
	Dl_info where;
	void *mapping;
	int fd;

	dladdr(libc_function(), &where);
	assert_true(elf_fixture_run("cp -p %s %s", where.dli_fname, name));
	assert_int_equal(chmod(path, mode), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	mapping = mmap(NULL, COPY_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(mapping != MAP_FAILED);
	return mapping;
}

/* The row of a function's first instruction; arm64's kernel gives its vDSO no entries. */
#ifdef __aarch64__
#define FIRST_KIND    UNWIND_ARM_SP
#define VDSO_ROWS_MIN 0
#else
#define FIRST_KIND    UNWIND_SP
#define VDSO_ROWS_MIN 5
#endif

static void test_rows_come_after_the_names(void **state)
{
	const struct open_request request = request_of(libc_function(), OPEN_NAMES_AND_UNWIND);
	struct open_reply names = ask(&request), rows = take();
	const struct unwind_row *row;
	Dl_info where;

	(void)state;
	assert_true(names.is_ready);
	assert_false(names.is_unwind);
	assert_non_null(names.table.header);
	assert_true(rows.is_ready);
	assert_true(rows.is_unwind);
	assert_int_equal(rows.dso, 7);
	assert_int_not_equal(rows.unwind_number, 0);
	/* The C library of Debian has vaddr = offset in its code segment. */
	dladdr(libc_function(), &where);
	row = unwind_table_find(&rows.unwind, (uintptr_t)libc_function() -
				(uintptr_t)where.dli_fbase);
	assert_int_equal(row->kind, FIRST_KIND);
	assert_int_equal(row->cfa, RETURN_BYTES / 8);
}

static void test_the_same_rows_are_made_once(void **state)
{
	struct open_reply first = ask_for_rows(libc_function()), second;
	const size_t bytes = dso_opener_bytes(opener);

	(void)state;
	second = ask_for_rows(libc_function());
	assert_true(second.is_shared);
	assert_int_equal(second.unwind_number, first.unwind_number);
	assert_ptr_equal(second.unwind.header, first.unwind.header);
	assert_int_equal(dso_opener_bytes(opener), bytes);
}

static void test_rows_that_were_given_back_are_made_again(void **state)
{
	struct open_request back = { .purpose = OPEN_RETURN_UNWIND };
	struct open_reply first = ask_for_rows(libc_function()), again;
	const size_t bytes = unwind_table_bytes(&first.unwind);
	const size_t before = dso_opener_bytes(opener);

	(void)state;
	back.table_number = first.unwind_number;
	back.table_received = 1;
	assert_false(ask(&back).is_ready);
	assert_int_equal(dso_opener_bytes(opener), before - bytes);
	again = ask_for_rows(libc_function());
	assert_true(again.is_ready);
	assert_false(again.is_shared);
	assert_int_equal(again.unwind_number, first.unwind_number);
	assert_int_equal(unwind_table_bytes(&again.unwind), bytes);
}

/* Whoever asks only whether the file has changed. */
static void test_rows_that_are_known_are_neither_brought_nor_made_again(void **state)
{
	struct open_request back = { .purpose = OPEN_RETURN_UNWIND, .table_received = 1 };
	struct open_request again = request_of(libc_function(), OPEN_NAMES_AND_UNWIND);
	struct open_reply first = ask_for_rows(libc_function()), rows;
	size_t bytes;

	(void)state;
	again.is_again = true;
	again.known_unwind = back.table_number = first.unwind_number;
	ask(&back);
	assert_true(ask(&again).is_ready);	/* the names */
	rows = take();
	bytes = dso_opener_bytes(opener);
	assert_true(rows.is_unchanged);
	assert_false(rows.is_ready);
	assert_int_equal(rows.unwind_number, first.unwind_number);
	again.known_unwind++;			/* those of another file */
	ask(&again);
	rows = take();
	assert_false(rows.is_unchanged);
	assert_true(rows.is_ready);
	assert_int_equal(dso_opener_bytes(opener), bytes + unwind_table_bytes(&rows.unwind));
}

static void test_trusted_copies_of_a_library_share_their_rows(void **state)
{
	void *one = map_copy("one.so", 0644), *two = map_copy("two.so", 0644);
	struct open_reply first = ask_for_rows(one), second = ask_for_rows(two);

	(void)state;
	assert_true(first.is_ready);
	assert_int_equal(second.unwind_number, first.unwind_number);
	munmap(one, COPY_BYTES);
	munmap(two, COPY_BYTES);
}

/* Its build-id is only a claim. */
static void test_a_copy_that_others_may_write_has_its_own_rows(void **state)
{
	void *one = map_copy("one.so", 0666), *two = map_copy("two.so", 0644);
	struct open_reply first = ask_for_rows(one), second = ask_for_rows(two);

	(void)state;
	assert_true(first.is_ready);
	assert_true(second.is_ready);
	assert_int_not_equal(second.unwind_number, first.unwind_number);
	munmap(one, COPY_BYTES);
	munmap(two, COPY_BYTES);
}

static void test_the_vdso_has_rows(void **state)
{
	const unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	struct open_reply reply;

	(void)state;
	if (!vdso)
		skip();
	reply = ask_for_rows((const void *)(uintptr_t)vdso);
	assert_true(reply.is_ready);
	assert_in_range(reply.unwind.header->row_count, VDSO_ROWS_MIN, 10000);
}

static void test_what_is_no_elf_file_has_no_rows(void **state)
{
	const struct open_request nothing = { .purpose = OPEN_NAMES_AND_UNWIND, .dso = 8,
					      .pid = (uint32_t)getpid(), .path = "/etc/passwd",
					      .build_id = { .bytes = { 1 }, .count = 20 } };
	struct open_reply names = ask(&nothing), rows = take();

	(void)state;
	assert_false(names.is_ready);
	assert_false(names.is_unwind);
	assert_true(rows.is_unwind);
	assert_false(rows.is_ready);
	assert_string_equal(rows.why.text, names.why.text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_unwind_source)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_come_after_the_names),
		TEST(test_the_same_rows_are_made_once),
		TEST(test_rows_that_were_given_back_are_made_again),
		TEST(test_rows_that_are_known_are_neither_brought_nor_made_again),
		TEST(test_trusted_copies_of_a_library_share_their_rows),
		TEST(test_a_copy_that_others_may_write_has_its_own_rows),
		TEST(test_the_vdso_has_rows),
		TEST(test_what_is_no_elf_file_has_no_rows),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
