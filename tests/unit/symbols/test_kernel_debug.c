/* The files that may be the debug information of the kernel that runs here, and what is said when
 * none of them is. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/kallsyms.h"
#include "symbols/kernel_debug.h"
#include "unit_tests.h"

static char paths[2][64];
static const char *const given[] = { paths[0], paths[1] };

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/tmp/flametop-vmlinux.XXXXXX");
		close(mkstemp(paths[i]));
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	kernel_debug_set_files(NULL, 0);
	for (int i = 0; i < 2; i++)
		unlink(paths[i]);
	return 0;
}

/* A build of which there is no file here. */
static struct kernel_layout made_up(const char *module)
{
	struct kernel_layout layout = { .build_id = { .bytes = { 1, 2, 3 }, .count = 20 } };

	snprintf(layout.module, sizeof(layout.module), "%s", module);
	return layout;
}

static bool is_same_file(int fd, const char *path)
{
	struct stat opened, named;

	return !fstat(fd, &opened) && !stat(path, &named) && opened.st_ino == named.st_ino &&
	       opened.st_dev == named.st_dev;
}

static void test_named_files_are_tried_first_in_their_order(void **state)
{
	const struct kernel_layout layout = made_up("");
	struct kernel_debug_search search = { .layout = &layout };

	(void)state;
	kernel_debug_set_files(given, 2);
	for (int i = 0; i < 2; i++) {
		const int fd = kernel_debug_next(&search, NULL);

		assert_true(fd >= 0 && is_same_file(fd, paths[i]));
		assert_string_equal(search.path, paths[i]);
		close(fd);
	}
}

static void test_a_file_that_is_gone_is_passed_over(void **state)
{
	const struct kernel_layout layout = made_up("");
	struct kernel_debug_search search = { .layout = &layout };
	int fd;

	(void)state;
	kernel_debug_set_files(given, 2);
	assert_int_equal(unlink(paths[0]), 0);
	fd = kernel_debug_next(&search, NULL);
	assert_true(fd >= 0 && is_same_file(fd, paths[1]));
	close(fd);
	close(open(paths[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

/* Goes through all files of this machine; returns the sentence at their end. */
static const char *all_files(struct kernel_debug_search *search)
{
	static struct diag why;
	int fd;

	for (int i = 0; i < 100; i++) {
		fd = kernel_debug_next(search, &why);
		if (fd < 0) {
			assert_int_equal(fd, -ENOENT);
			return why.text;
		}
		close(fd);
	}
	fail_msg("the search does not end");
	return NULL;
}

static void test_without_a_file_the_build_id_is_named(void **state)
{
	const char *const modules[] = { "", "no_such_module" };

	(void)state;
	kernel_debug_set_files(NULL, 0);
	for (int i = 0; i < 2; i++) {
		const struct kernel_layout layout = made_up(modules[i]);
		struct kernel_debug_search search = { .layout = &layout };
		const char *text = all_files(&search);

		assert_non_null(strstr(text, "no debug information of "));
		assert_non_null(strstr(text, i ? "module no_such_module" : "the kernel"));
		assert_non_null(strstr(text, "0102030000"));
		assert_non_null(strstr(text, "--vmlinux"));
	}
}

static void test_the_first_file_of_another_build_is_the_reason(void **state)
{
	const struct kernel_layout layout = made_up("");
	struct kernel_debug_search search = { .layout = &layout };
	struct diag reason = { .err = 0 };

	(void)state;
	kernel_debug_set_files(given, 2);
	close(kernel_debug_next(&search, NULL));
	diag_set(&reason, -ENODATA, "no debug information");
	assert_true(kernel_debug_refused(&search, -ENODATA, &reason));
	close(kernel_debug_next(&search, NULL));
	diag_set(&reason, -ESTALE, "it has build-id 12, the running code 34");
	assert_true(kernel_debug_refused(&search, -ESTALE, &reason));
	diag_set(&reason, -EPIPE, "died");
	assert_false(kernel_debug_refused(&search, -EPIPE, &reason));
	assert_non_null(strstr(all_files(&search), paths[1]));
	assert_non_null(strstr(all_files(&search), "it has build-id 12, the running code 34"));
}

static void test_the_layout_is_that_of_the_kernel_that_runs(void **state)
{
	const struct build_id own = kallsyms_build_id();
	static struct kernel_layout layout;
	uint64_t text = 0;
	FILE *list;

	(void)state;
	if (geteuid() != 0)
		skip();		/* addresses may be hidden */
	assert_int_equal(kernel_layout_read(&layout, "", NULL), 0);
	assert_true(build_id_is_equal(&layout.build_id, &own));
	list = popen("grep ' _stext$' /proc/kallsyms", "re");
	assert_int_equal(fscanf(list, "%" SCNx64, &text), 1);
	pclose(list);
	assert_int_equal(layout.text_address, text);
	assert_int_equal(layout.section_count, 0);
}

static void test_what_is_no_loaded_module_is_refused(void **state)
{
	static struct kernel_layout layout;
	struct diag why;

	(void)state;
	assert_int_equal(kernel_layout_read(&layout, "no_such_module", &why), -ENOENT);
	assert_non_null(strstr(why.text, "no module 'no_such_module'"));
	assert_int_equal(kernel_layout_read(&layout, "../kernel", &why), -EINVAL);
	assert_int_equal(kernel_layout_read(&layout, "a b", &why), -EINVAL);
}

UNIT_TESTS(test_kernel_debug)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_files_are_tried_first_in_their_order),
		cmocka_unit_test(test_a_file_that_is_gone_is_passed_over),
		cmocka_unit_test(test_without_a_file_the_build_id_is_named),
		cmocka_unit_test(test_the_first_file_of_another_build_is_the_reason),
		cmocka_unit_test(test_the_layout_is_that_of_the_kernel_that_runs),
		cmocka_unit_test(test_what_is_no_loaded_module_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
