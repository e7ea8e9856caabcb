/* Which directory a name is, in a tree made for it; and where the trees of real machines are. */
#include <errno.h>
#include <fts.h>
#include <limits.h>
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

#include "capture/cgroup_dir.h"
#include "unit_tests.h"

#define ID   "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
#define ID2  "4f797c539e6c845de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"

static char root[PATH_MAX];

static void make(const char *path)
{
	char whole[PATH_MAX + 300];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0700), 0);
}

static int set_up(void **state)
{
	char template[] = "/tmp/cgroup_dir.XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(template));
	assert_non_null(realpath(template, root));
	make("/system.slice");
	make("/system.slice/nginx.service");
	make("/system.slice/docker-" ID ".scope");
	make("/system.slice/docker-" ID ".scope/" ID);	/* as some do within */
	make("/user.slice");
	make("/user.slice/a");
	make("/user.slice/a/init.scope");
	make("/user.slice/b");
	make("/user.slice/b/init.scope");
	make("/init.scope");
	return 0;
}

static int tear_down(void **state)
{
	char *roots[] = { root, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	(void)state;
	while ((entry = fts_read(tree)) != NULL)
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_path);
	fts_close(tree);
	return 0;
}

static void accept(const char *name, const char *expected)
{
	struct diag why = { .err = 0 };
	char *path;

	if (cgroup_dir_find_below(&path, root, name, &why))
		fail_msg("%s: %s", name, why.text);
	assert_true(!strncmp(path, root, strlen(root)));
	assert_string_equal(path + strlen(root), expected);
	free(path);
}

static void refuse(const char *name, int err, const char *reason)
{
	struct diag why = { .err = 0 };
	char *path;

	assert_int_equal(cgroup_dir_find_below(&path, root, name, &why), err);
	assert_null(path);
	if (!strstr(why.text, reason))
		fail_msg("%s: \"%s\"", name, why.text);
}

static void test_a_path_is_below_the_hierarchy_or_whole(void **state)
{
	char whole[PATH_MAX + 40];

	(void)state;
	accept("/system.slice/nginx.service", "/system.slice/nginx.service");
	accept("system.slice/nginx.service", "/system.slice/nginx.service");
	accept("system.slice/", "/system.slice");
	accept("/", "/");
	accept("init.scope", "/init.scope");	/* a path before a name */
	snprintf(whole, sizeof(whole), "%s/user.slice/a", root);
	accept(whole, "/user.slice/a");
}

static void test_a_name_that_only_one_has_is_enough(void **state)
{
	(void)state;
	accept("nginx.service", "/system.slice/nginx.service");
	accept("4f797c539e6c", "/system.slice/docker-" ID ".scope");
	accept(ID, "/system.slice/docker-" ID ".scope");
	make("/user.slice/" ID2);
	accept("4f797c539e6c8", "/user.slice/" ID2);
	refuse("4f797c539e6c", -EINVAL, "2 cgroups are called \"4f797c539e6c\": give the path");
	refuse("4f797c5", -ENOENT, "no cgroup");	/* too few digits to be sure */
	refuse("97c539e6c745", -ENOENT, "no cgroup");	/* not the begin */
}

static void test_refusals_say_what_helps(void **state)
{
	(void)state;
	make("/user.slice/a/x.scope");
	make("/user.slice/b/x.scope");
	refuse("x.scope", -EINVAL, "2 cgroups are called \"x.scope\": give the path of one, as "
	       "/user.slice/");
	refuse("ngnix.service", -ENOENT, "did you mean nginx.service?");
	refuse("quite-something-else", -ENOENT, "systemd-cgls");
	refuse("/system.slice/ngnix.service", -ENOENT, "no cgroup");
	refuse("", -ENOENT, "no cgroup");
	refuse("/usr", -EINVAL, "those are in /tmp/");
	refuse("../", -EINVAL, "those are in");
}

static void check_mounts(const char *text, const char *expected)
{
	char *root_found = cgroup_dir_parse_mounts(text);

	if (expected)
		assert_non_null(root_found);
	else
		assert_null(root_found);
	if (expected)
		assert_string_equal(root_found, expected);
	free(root_found);
}

#define V2   "30 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 none rw,nsdelegate\n"
#define V1   "33 30 0:29 / /sys/fs/cgroup/perf_event rw shared:9 - cgroup cgroup rw,perf_event\n"
#define CPU  "34 30 0:30 / /sys/fs/cgroup/cpu rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
#define TEMP "25 24 0:22 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"

static void test_events_are_counted_by_version_1_where_it_has_them(void **state)
{
	(void)state;
	check_mounts(V2, "/sys/fs/cgroup");
	check_mounts(TEMP V2 CPU, "/sys/fs/cgroup");
	check_mounts(V2 CPU V1, "/sys/fs/cgroup/perf_event");
	check_mounts(V1 V2, "/sys/fs/cgroup/perf_event");
	check_mounts(TEMP CPU, NULL);
	check_mounts("", NULL);
	check_mounts("garbage\n1 2 3\n", NULL);
	check_mounts("30 24 0:26 / /mnt/my\\040groups rw - cgroup2 none rw", "/mnt/my groups");
	check_mounts("1 2 0:1 / /a rw - cgroup none rw,net_cls,perf_event\n", "/a");
	check_mounts("1 2 0:1 / /a rw - cgroup none rw,xperf_event\n", NULL);
}

static void check_format(const char *path, size_t room, const char *expected)
{
	char out[64];

	cgroup_dir_format(path, out, room);
	assert_string_equal(out, expected);
}

static void test_the_header_has_the_last_directory(void **state)
{
	(void)state;
	check_format("/sys/fs/cgroup/system.slice/nginx.service", 64, "nginx.service");
	check_format("/sys/fs/cgroup/system.slice/docker-" ID ".scope", 64,
		     "docker-4f797c539e6c.scope");
	check_format("/sys/fs/cgroup/docker/" ID, 64, "4f797c539e6c");
	check_format("/sys/fs/cgroup/docker/" ID, 8, "4f797c5");
	check_format("/a/abcdef", 4, "abc");
	check_format("/sys/fs/cgroup/", 64, "/");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_cgroup_dir)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_path_is_below_the_hierarchy_or_whole),
		TEST(test_a_name_that_only_one_has_is_enough),
		TEST(test_refusals_say_what_helps),
		cmocka_unit_test(test_events_are_counted_by_version_1_where_it_has_them),
		cmocka_unit_test(test_the_header_has_the_last_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
