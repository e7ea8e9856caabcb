/* Where a source file is looked for, and in which order. Every list is written down by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/source_search.h"
#include "unit_tests.h"

static const struct source_context no_context = { "", "" };

static void expect_normal(const char *path, const char *wanted)
{
	char out[256];

	source_search_normalize(out, path);
	assert_string_equal(out, wanted);
}

static void test_a_path_without_its_detours(void **state)
{
	(void)state;
	expect_normal("/a/./b//../c.c", "/a/c.c");
	expect_normal("/../../etc/x", "/etc/x");
	expect_normal("../../src/./x.c", "src/x.c");
	expect_normal("a/b/../../../c", "c");
	expect_normal("/a/b/..", "/a");
	expect_normal("/", "/");
	expect_normal(".", "");
	expect_normal("", "");
	expect_normal("...//..x/y..", ".../..x/y..");
}

/* A step as "directory: path path path"; a root directory is "/". */
static void print_steps(char *out, size_t cap, const struct source_search *search)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < search->count; i++) {
		const struct source_step *step = &search->steps[i];
		const char *path = step->paths;

		used += (size_t)snprintf(out + used, cap - used, "%s:",
					 step->directory ? step->directory : "/");
		for (uint32_t j = 0; j < step->path_count; j++, path += strlen(path) + 1)
			used += (size_t)snprintf(out + used, cap - used, " %s", path);
		assert_ptr_equal(path, step->paths + step->path_bytes);
		used += (size_t)snprintf(out + used, cap - used, "\n");
	}
}

static void expect_search(const char *path, const struct source_paths *paths,
			  const struct source_context *context, const char *wanted)
{
	struct source_search search;
	char steps[8192];

	assert_int_equal(source_search_list(&search, path, paths, context), 0);
	print_steps(steps, sizeof(steps), &search);
	source_search_finish(&search);
	assert_string_equal(steps, wanted);
}

static void test_the_path_itself_then_where_packages_put_sources(void **state)
{
	(void)state;
	expect_search("/build/foo-1.2/src/a.c", NULL, &no_context,
		      "/: /build/foo-1.2/src/a.c /usr/src/build/foo-1.2/src/a.c "
		      "/usr/src/foo-1.2/src/a.c /usr/src/src/a.c "
		      "/usr/src/debug/build/foo-1.2/src/a.c /usr/src/debug/foo-1.2/src/a.c "
		      "/usr/src/debug/src/a.c\n");
}

/* The detour may lead through a symbolic link, so that it comes first as it was recorded. */
static void test_a_detour_is_tried_as_it_is_and_without(void **state)
{
	(void)state;
	expect_search("/x/obj/../a.c", NULL, &no_context,
		      "/: /x/obj/../a.c /x/a.c /usr/src/x/a.c /usr/src/debug/x/a.c\n");
}

static void test_the_longest_replaced_beginning_comes_first(void **state)
{
	static const struct source_paths paths = { 5, {
		{ "/build", 6, "/one" },
		{ "/build/foo-1.2/", 15, "/two" },
		{ "/build/fo", 9, "/never" },
		{ "/", 1, "/three" },
		{ "build", 5, "/never" },
	} };

	(void)state;
	expect_search("/build/foo-1.2/a.c", &paths, &no_context,
		      "/two: a.c\n/one: foo-1.2/a.c\n/three: build/foo-1.2/a.c\n"
		      "/: /build/foo-1.2/a.c /usr/src/build/foo-1.2/a.c /usr/src/foo-1.2/a.c "
		      "/usr/src/debug/build/foo-1.2/a.c /usr/src/debug/foo-1.2/a.c\n");
}

/* Reproducible builds record paths that are relative to their own directory. */
static void test_a_dot_is_the_beginning_of_relative_paths(void **state)
{
	static const struct source_paths paths = { 1, { { ".", 1, "/home/me" } } };

	(void)state;
	expect_search("./a.c", &paths, &no_context, "/home/me: a.c\n");
	expect_search("/a.c", &paths, &no_context, "/: /a.c\n");
}

static void test_below_a_directory_the_longest_tail_comes_first(void **state)
{
	static const struct source_paths paths = { 2, { { "", 0, "/one" }, { "", 0, "two" } } };

	(void)state;
	expect_search("../lib/x/a.c", &paths, &no_context,
		      "/one: lib/x/a.c x/a.c a.c\ntwo: lib/x/a.c x/a.c a.c\n"
		      "/: /usr/src/lib/x/a.c /usr/src/x/a.c /usr/src/debug/lib/x/a.c "
		      "/usr/src/debug/x/a.c\n");
}

static void test_rust_has_its_standard_library_in_the_toolchain(void **state)
{
	static const struct source_context context = { "/home/me", "" };
	struct source_search search;
	char steps[8192];

	(void)state;
	assert_int_equal(source_search_list(&search, "/rustc/9fc6b4/library/std/src/io.rs", NULL,
					    &context), 0);
	print_steps(steps, sizeof(steps), &search);
	source_search_finish(&search);
	assert_non_null(strstr(steps, "/: /rustc/9fc6b4/library/std/src/io.rs "
				      "/usr/lib/rustlib/src/rust/library/std/src/io.rs "));
	assert_non_null(strstr(steps, " /home/me/.rustup/toolchains/stable-"));
}

static void test_go_has_its_own_in_goroot_and_modules_in_the_cache(void **state)
{
	static const struct source_context context = { "/home/me", "" };

	(void)state;
	expect_search("runtime/proc.go", NULL, &context,
		      "/: /usr/local/go/src/runtime/proc.go /usr/lib/go/src/runtime/proc.go "
		      "/usr/lib/golang/src/runtime/proc.go /usr/share/go/src/runtime/proc.go "
		      "/usr/src/runtime/proc.go /usr/src/debug/runtime/proc.go\n");
	expect_search("/opt/go1/src/os/file.go", NULL, &no_context,
		      "/: /opt/go1/src/os/file.go /usr/local/go/src/os/file.go "
		      "/usr/lib/go/src/os/file.go /usr/lib/golang/src/os/file.go "
		      "/usr/share/go/src/os/file.go /usr/src/opt/go1/src/os/file.go "
		      "/usr/src/go1/src/os/file.go /usr/src/src/os/file.go /usr/src/os/file.go "
		      "/usr/src/debug/opt/go1/src/os/file.go /usr/src/debug/go1/src/os/file.go "
		      "/usr/src/debug/src/os/file.go /usr/src/debug/os/file.go\n");
	expect_search("example.org/BurntS/t@v1.0.0/d.go", NULL, &context,
		      "/: /home/me/go/pkg/mod/example.org/!burnt!s/t@v1.0.0/d.go "
		      "/usr/local/go/src/example.org/BurntS/t@v1.0.0/d.go "
		      "/usr/lib/go/src/example.org/BurntS/t@v1.0.0/d.go "
		      "/usr/lib/golang/src/example.org/BurntS/t@v1.0.0/d.go "
		      "/usr/share/go/src/example.org/BurntS/t@v1.0.0/d.go "
		      "/usr/src/example.org/BurntS/t@v1.0.0/d.go /usr/src/BurntS/t@v1.0.0/d.go "
		      "/usr/src/t@v1.0.0/d.go /usr/src/debug/example.org/BurntS/t@v1.0.0/d.go "
		      "/usr/src/debug/BurntS/t@v1.0.0/d.go /usr/src/debug/t@v1.0.0/d.go\n");
}

static void test_the_kernel_has_its_sources_beside_its_modules(void **state)
{
	static const struct source_context context = { "", "6.1.0-18-amd64" };

	(void)state;
	expect_search("/b/fs/open.c", NULL, &context,
		      "/: /b/fs/open.c /lib/modules/6.1.0-18-amd64/source/b/fs/open.c "
		      "/lib/modules/6.1.0-18-amd64/source/fs/open.c "
		      "/lib/modules/6.1.0-18-amd64/build/b/fs/open.c "
		      "/lib/modules/6.1.0-18-amd64/build/fs/open.c "
		      "/usr/src/linux-source-6.1/b/fs/open.c /usr/src/linux-source-6.1/fs/open.c "
		      "/usr/src/linux/b/fs/open.c /usr/src/linux/fs/open.c "
		      "/usr/src/b/fs/open.c /usr/src/fs/open.c "
		      "/usr/src/debug/b/fs/open.c /usr/src/debug/fs/open.c\n");
}

static void test_a_path_without_a_name_is_looked_for_nowhere(void **state)
{
	(void)state;
	expect_search("/", NULL, &no_context, "");
	expect_search("", NULL, &no_context, "");
	expect_search("/..", NULL, &no_context, "");
}

static void test_a_path_of_thousands_of_components_fits(void **state)
{
	static const struct source_paths paths = { 1, { { "", 0, "/one" } } };
	struct source_search search;
	char path[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 2 ? 'a' : '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(source_search_list(&search, path, &paths, &no_context), 0);
	assert_int_equal(search.count, 2);
	assert_int_equal(search.steps[0].path_count, SOURCE_TAILS_MAX);
	assert_int_equal(search.steps[1].path_count, 1 + 1 + 2 * SOURCE_TAILS_MAX);
	source_search_finish(&search);
}

UNIT_TESTS(test_source_search)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_without_its_detours),
		cmocka_unit_test(test_the_path_itself_then_where_packages_put_sources),
		cmocka_unit_test(test_a_detour_is_tried_as_it_is_and_without),
		cmocka_unit_test(test_the_longest_replaced_beginning_comes_first),
		cmocka_unit_test(test_a_dot_is_the_beginning_of_relative_paths),
		cmocka_unit_test(test_below_a_directory_the_longest_tail_comes_first),
		cmocka_unit_test(test_rust_has_its_standard_library_in_the_toolchain),
		cmocka_unit_test(test_go_has_its_own_in_goroot_and_modules_in_the_cache),
		cmocka_unit_test(test_the_kernel_has_its_sources_beside_its_modules),
		cmocka_unit_test(test_a_path_without_a_name_is_looked_for_nowhere),
		cmocka_unit_test(test_a_path_of_thousands_of_components_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
