/* Each path once, and its text clean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/task_table.h"
#include "unit_tests.h"

#define ID "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"

static struct strpool *strings;
static struct cgroup_table table;

static int set_up(void **state)
{
	(void)state;
	strings = strpool_create();
	cgroup_table_init(&table, strings);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cgroup_table_finish(&table);
	strpool_destroy(strings);
	return 0;
}

static uint32_t intern(const char *path)
{
	return cgroup_table_intern(&table, path, strlen(path));
}

static const char *text(struct str_id id)
{
	return strpool_get(strings, id);
}

static void test_equal_paths_are_one_cgroup(void **state)
{
	const uint32_t root = intern("/"), web = intern("/system.slice/web.service");

	(void)state;
	assert_int_not_equal(root, web);
	assert_int_not_equal(root, CGROUP_UNKNOWN);
	assert_int_equal(intern("/"), root);
	assert_int_equal(intern("/system.slice/web.service"), web);
	assert_int_equal(table.count, 2);
	for (int i = 0; i < 100; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/%d.service", i);
		intern(path);
	}
	assert_int_equal(intern("/"), root);
	assert_string_equal(text(cgroup_table_get(&table, web)->unit), "web.service");
	assert_string_equal(text(cgroup_table_get(&table, intern("/7.service"))->unit),
			    "7.service");
}

static void test_a_path_says_container_and_pod(void **state)
{
	const uint32_t id = intern("/kubepods/pod8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5/" ID);
	const struct cgroup_names *names = cgroup_table_get(&table, id);

	(void)state;
	assert_string_equal(text(names->container), "4f797c539e6c");
	assert_string_equal(text(names->pod), "8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5");
	assert_string_equal(text(names->unit), "");
}

static void test_no_path_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(intern(""), CGROUP_UNKNOWN);
	assert_int_equal(cgroup_table_get(&table, CGROUP_UNKNOWN)->path.v, 0);
	assert_int_equal(cgroup_table_get(&table, CGROUP_UNKNOWN)->container.v, 0);
	assert_int_equal(table.count, 0);
}

/* Whoever may make cgroups may call them anything. */
static void test_names_are_sanitized(void **state)
{
	const struct cgroup_names *names =
		cgroup_table_get(&table, intern("/lxc/a\033[31m/b\tc.service"));

	(void)state;
	assert_string_equal(text(names->path), "/lxc/a\\x1b[31m/b\\x09c.service");
	assert_string_equal(text(names->container), "a\\x1b[31m");
	assert_string_equal(text(names->unit), "b\\x09c.service");
}

static void test_a_storm_of_cgroups_has_an_end_and_is_counted(void **state)
{
	char path[32];
	size_t len;

	(void)state;
	for (unsigned int i = 1; i <= CGROUP_TABLE_ROWS + 5; i++) {
		len = (size_t)snprintf(path, sizeof(path), "/storm/%u", i);
		assert_int_equal(cgroup_table_intern(&table, path, len),
				 i <= CGROUP_TABLE_ROWS ? i : CGROUP_UNKNOWN);
	}
	assert_int_equal(table.refused, 5);
	assert_int_equal(cgroup_table_intern(&table, "/storm/1", 8), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_cgroup_table)
{
	const struct CMUnitTest tests[] = {
		TEST(test_equal_paths_are_one_cgroup),
		TEST(test_a_path_says_container_and_pod),
		TEST(test_no_path_is_unknown),
		TEST(test_names_are_sanitized),
		TEST(test_a_storm_of_cgroups_has_an_end_and_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
