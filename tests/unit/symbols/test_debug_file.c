/* Where debug files are looked for, and what is not taken for one. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/sandbox.h"
#include "symbols/dso_file.h"
#include "unit_tests.h"

static char root_path[] = "/tmp/test_debug_file.XXXXXX";
static int root;
static struct debug_search search;

static int set_up(void **state)
{
	(void)state;
	strcpy(root_path + strlen(root_path) - 6, "XXXXXX");
	assert_non_null(mkdtemp(root_path));
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	search = (struct debug_search){ .link = "", .dso_path = "/opt/app/bin/app" };
	return root < 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	close(root);
	snprintf(command, sizeof(command), "rm -r %s", root_path);
	return system(command);
}

/* A file at @path below the root, with its path as content. */
static void make(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s$(dirname %s) && printf %%s %s >%s%s",
		 root_path, path, path, root_path, path);
	assert_int_equal(system(command), 0);
}

static void expect_in(const struct dso_file *file, int err, const char *path)
{
	char content[128] = "";

	if (!path) {
		assert_int_equal(err, -ENOENT);
		assert_int_equal(file->fd, -1);
		return;
	}
	assert_int_equal(err, 0);
	assert_true(read(file->fd, content, sizeof(content) - 1) > 0);
	close(file->fd);
	assert_string_equal(content, path);
}

static void expect(const char *path)
{
	const struct process_root of_test = { .process = -1, .root = root };
	struct dso_file file;

	expect_in(&file, debug_file_open_below(&file, &search, &of_test), path);
}

static void test_a_build_id_leads_to_its_file(void **state)
{
	(void)state;
	search.build_id = (struct build_id){ .bytes = { 0xab, 0xcd, 0xef }, .count = 3 };
	expect(NULL);
	make("/usr/lib/debug/.build-id/ab/cdef.debug");
	expect("/usr/lib/debug/.build-id/ab/cdef.debug");
	search.build_id.count = 1;	/* no name would be left */
	expect(NULL);
}

/* In this order. */
static void test_a_link_is_looked_for_in_three_directories(void **state)
{
	(void)state;
	search.link = "app.debug";
	make("/opt/app/bin/other.debug");
	expect(NULL);
	make("/usr/lib/debug/opt/app/bin/app.debug");
	expect("/usr/lib/debug/opt/app/bin/app.debug");
	make("/opt/app/bin/.debug/app.debug");
	expect("/opt/app/bin/.debug/app.debug");
	make("/opt/app/bin/app.debug");
	expect("/opt/app/bin/app.debug");
	search.build_id = (struct build_id){ .bytes = { 0xab, 0xcd }, .count = 2 };
	make("/usr/lib/debug/.build-id/ab/cd.debug");
	expect("/usr/lib/debug/.build-id/ab/cd.debug");
}

static void test_a_dso_in_the_root_directory_has_debug_files_too(void **state)
{
	(void)state;
	search.dso_path = "/app";
	search.link = "app.debug";
	make("/.debug/app.debug");
	expect("/.debug/app.debug");
}

/* The name is a stranger's. */
static void test_a_link_is_only_a_name(void **state)
{
	static const char *const links[] = { "../app.debug", "/opt/app.debug", "..", ".", "",
					     "x/app.debug" };

	(void)state;
	make("/opt/app/app.debug");
	make("/opt/app.debug");
	make("/opt/app/bin/x/app.debug");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		search.link = links[i];
		expect(NULL);
	}
}

static void test_a_dso_without_a_path_has_no_directory(void **state)
{
	(void)state;
	make("/app.debug");
	search.link = "app.debug";
	search.dso_path = "[vdso]";
	expect(NULL);
	search.dso_path = "memfd:app";
	expect(NULL);
}

/* Debian's debug files have their program's name. */
static void test_a_dso_is_not_its_own_debug_file(void **state)
{
	struct stat status;

	(void)state;
	make("/opt/app/bin/app");
	make("/usr/lib/debug/opt/app/bin/app");
	search.link = "app";
	assert_int_equal(fstatat(root, "opt/app/bin/app", &status, 0), 0);
	search.dso = file_version_of(&status);
	expect("/usr/lib/debug/opt/app/bin/app");
}

static void test_only_a_regular_file_is_one(void **state)
{
	(void)state;
	search.link = "app.debug";
	make("/opt/app/bin/x");
	assert_int_equal(mkfifoat(root, "opt/app/bin/app.debug", 0600), 0);
	expect(NULL);
	assert_int_equal(unlinkat(root, "opt/app/bin/app.debug", 0), 0);
	assert_int_equal(mkdirat(root, "opt/app/bin/app.debug", 0700), 0);
	expect(NULL);
}

static void test_links_lead_no_further_than_the_root(void **state)
{
	(void)state;
	search.link = "app.debug";
	make("/opt/app/bin/x");
	make("/opt/target");
	assert_int_equal(symlinkat("/opt/target", root, "opt/app/bin/app.debug"), 0);
	expect("/opt/target");
	assert_int_equal(unlinkat(root, "opt/app/bin/app.debug", 0), 0);
	assert_int_equal(symlinkat("../../../../../../etc/passwd", root, "opt/app/bin/app.debug"),
			 0);
	expect(NULL);
}

/* Below our own root, which our temporary directory is, too. */
static void test_of_our_own_only_trusted_ones_count(void **state)
{
	char dso[128], path[128];
	struct dso_file file;

	(void)state;
	snprintf(dso, sizeof(dso), "%s/app", root_path);
	snprintf(path, sizeof(path), "%s/app.debug", root_path);
	make("/app.debug");
	search.dso_path = dso;
	search.link = "app.debug";
	expect_in(&file, debug_file_open(&file, &search), NULL);	/* a stranger's place */
	search.has_safe_path = true;
	expect_in(&file, debug_file_open(&file, &search), "/app.debug");
	assert_int_equal(chmod(path, 0666), 0);
	expect_in(&file, debug_file_open(&file, &search), NULL);
	assert_int_equal(chmod(path, 0664), 0);
	expect_in(&file, debug_file_open(&file, &search), NULL);
	if (geteuid() != 0)
		return;
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chown(path, 65534, 65534), 0);
	expect_in(&file, debug_file_open(&file, &search), NULL);
}

/* A worker that a hostile file controls: its reply is in order, but without the source file of the
 * function that was asked for. */
static int reply_without_a_file(const struct sandbox_request *job, void **bytes, size_t *count,
				struct diag *why)
{
	struct {
		struct line_ranges_header header;
		char strings[8];
	} *reply = calloc(1, sizeof(*reply));

	(void)job;
	(void)why;
	reply->header = (struct line_ranges_header){
		.magic = LINE_RANGES_MAGIC, .version = LINE_RANGES_VERSION,
		.string_bytes = sizeof(reply->strings), .named_file = UINT32_MAX,
	};
	*bytes = reply;
	*count = sizeof(*reply);
	return 0;
}

static void test_lines_of_a_function_have_its_source_file(void **state)
{
	struct line_files files = LINE_FILES_NONE;
	struct line_query query = { .function = "main", .memory_bytes = UINT64_MAX };
	struct sandbox *sandbox;
	struct lines_read read;
	struct diag why;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, reply_without_a_file, &why), 0);
	files.dso = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_int_equal(line_files_read(&read, sandbox, &files, &query, 0, &why), -EBADMSG);
	assert_null(read.bytes.bytes);
	query.function[0] = '\0';	/* a source file's lines have none */
	assert_int_equal(line_files_read(&read, sandbox, &files, &query, 0, &why), 0);
	lines_read_finish(&read);
	line_files_close(&files);
	sandbox_stop(sandbox);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_debug_file)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_build_id_leads_to_its_file),
		TEST(test_a_link_is_looked_for_in_three_directories),
		TEST(test_a_dso_in_the_root_directory_has_debug_files_too),
		TEST(test_a_link_is_only_a_name),
		TEST(test_a_dso_without_a_path_has_no_directory),
		TEST(test_a_dso_is_not_its_own_debug_file),
		TEST(test_only_a_regular_file_is_one),
		TEST(test_links_lead_no_further_than_the_root),
		TEST(test_of_our_own_only_trusted_ones_count),
		TEST(test_lines_of_a_function_have_its_source_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
