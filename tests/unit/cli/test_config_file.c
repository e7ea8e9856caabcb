/* Which files are trusted, and that nothing is left behind. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/config_file.h"
#include "unit_tests.h"

#define STRANGER 65534	/* nobody */

static char place[] = "/tmp/flametop-test-XXXXXX";
static struct config_file file;
static struct diag why;

static int make_place(void **state)
{
	(void)state;
	strcpy(place + strlen(place) - 6, "XXXXXX");
	return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
	char command[100];

	(void)state;
	config_file_finish(&file);
	snprintf(command, sizeof(command), "rm -rf %s", place);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int read_named(const char *name)
{
	config_file_finish(&file);
	why = (struct diag){ .err = 0 };
	return config_file_read(&file, path_of(name), &why);
}

static void assert_refused(const char *name, int err, const char *part)
{
	assert_int_equal(read_named(name), err);
	if (!strstr(why.text, part))
		fail_msg("\"%s\" is not in: %s", part, why.text);
}

static void test_a_file_of_ones_own_is_read(void **state)
{
	(void)state;
	write_file("config", "[keys]\n", 0644);
	assert_int_equal(read_named("config"), 0);
	assert_string_equal(file.text, "[keys]\n");
	assert_int_equal(file.size, 7);
	assert_string_equal(file.path, path_of("config"));
	write_file("config", "", 0600);
	assert_int_equal(read_named("config"), 0);
	assert_int_equal(file.size, 0);
}

static void test_what_others_may_write_is_refused_with_the_remedy(void **state)
{
	char remedy[PATH_MAX + 20];

	(void)state;
	snprintf(remedy, sizeof(remedy), "others may write %s: chmod go-w ", path_of("config"));
	write_file("config", "", 0620);
	assert_refused("config", -EPERM, remedy);
	write_file("config", "", 0602);
	assert_refused("config", -EPERM, remedy);
	write_file("config", "", 0600);
	assert_int_equal(chmod(place, 0770), 0);
	assert_refused("config", -EPERM, "chmod go-w");
	assert_int_equal(chmod(place, 01777), 0);	/* sticky: nobody can replace our file */
	assert_int_equal(read_named("config"), 0);
}

static void test_what_belongs_to_others_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	write_file("config", "", 0600);
	assert_int_equal(chown(path_of("config"), STRANGER, 0), 0);
	assert_refused("config", -EPERM, "belongs to user 65534");
	assert_int_equal(chown(path_of("config"), 0, 0), 0);
	assert_int_equal(chown(place, STRANGER, 0), 0);
	assert_refused("config", -EPERM, "belongs to user 65534");
}

static void test_only_regular_files_are_read(void **state)
{
	(void)state;
	write_file("other", "", 0600);
	assert_int_equal(symlink("other", path_of("config")), 0);
	assert_refused("config", -EPERM, "is a symbolic link");
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);	/* nobody writes: must not wait */
	assert_refused("fifo", -EPERM, "is no regular file");
	assert_int_equal(mkdir(path_of("directory"), 0700), 0);
	assert_refused("directory", -EPERM, "is no regular file");
	assert_refused("missing", -ENOENT, "cannot open");
	assert_refused("nowhere/config", -ENOENT, "cannot open the directory");
	assert_refused("directory/", -EINVAL, "is no path of a file");
}

static void test_a_file_that_is_too_large_is_refused(void **state)
{
	char *text = malloc(CONFIG_FILE_MAX_BYTES + 2);

	(void)state;
	assert_non_null(text);
	memset(text, '#', CONFIG_FILE_MAX_BYTES + 1);
	text[CONFIG_FILE_MAX_BYTES] = '\0';
	write_file("config", text, 0600);
	assert_int_equal(read_named("config"), 0);
	assert_int_equal(file.size, CONFIG_FILE_MAX_BYTES);
	strcpy(text + CONFIG_FILE_MAX_BYTES, "#");
	write_file("config", text, 0600);
	assert_refused("config", -EFBIG, "has more than 65536 bytes");
	free(text);
}

/* Runs @check as a user who is not root, with the configuration in `place`; its result is the exit
 * status. root's own files must not be touched by a test. */
static void as_user(int (*check)(void))
{
	pid_t child;
	int status;

	if (geteuid() == 0)
		assert_int_equal(chown(place, STRANGER, STRANGER), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setenv("XDG_CONFIG_HOME", path_of("home"), 1);
		if (geteuid() == 0 && setresuid(STRANGER, STRANGER, STRANGER))
			_exit(99);
		_exit(check());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int count = -2;	/* . and .. */

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count;
}

static int write_and_read_back(void)
{
	char own[PATH_MAX];
	struct stat found;

	snprintf(own, sizeof(own), "%s/home/flametop", place);
	if (config_file_read_own(&file, "state", NULL) || file.text)
		return 1;	/* missing is no failure */
	if (config_file_write_own("state", "one\n", NULL) ||
	    config_file_write_own("state", "two\n", NULL))
		return 2;
	if (config_file_read_own(&file, "state", NULL) || strcmp(file.text, "two\n") != 0)
		return 3;
	if (stat(file.path, &found) || (found.st_mode & 07777) != 0600)
		return 4;
	if (stat(own, &found) || (found.st_mode & 07777) != 0700)
		return 5;
	return count_entries(own) == 1 ? 0 : 6;	/* no temporary file */
}

static void test_what_is_written_is_read_back(void **state)
{
	(void)state;
	as_user(write_and_read_back);
}

static int fail_to_replace(void)
{
	char own[PATH_MAX], state[PATH_MAX + 10];

	snprintf(own, sizeof(own), "%s/home/flametop", place);
	snprintf(state, sizeof(state), "%s/state", own);
	if (mkdir(path_of("home"), 0700) || mkdir(own, 0700) || mkdir(state, 0700))
		return 1;
	if (config_file_write_own("state", "x", &why) != -EISDIR)
		return 2;
	if (!strstr(why.text, "cannot write"))
		return 3;
	return count_entries(own) == 1 ? 0 : 4;
}

static void test_a_write_that_fails_leaves_no_temporary_file(void **state)
{
	(void)state;
	as_user(fail_to_replace);
}

static int refuse_directories(void)
{
	char own[PATH_MAX];

	snprintf(own, sizeof(own), "%s/home/flametop", place);
	if (mkdir(path_of("home"), 0700) || mkdir(own, 0700))
		return 1;
	if (chmod(own, 0730) || config_file_read_own(&file, "config", &why) != -EPERM ||
	    config_file_write_own("state", "", NULL) != -EPERM)
		return 2;
	if (!strstr(why.text, "home/flametop: chmod go-w "))
		return 3;
	if (chmod(own, 0700) || chmod(path_of("home"), 0703) ||
	    config_file_read_own(&file, "config", &why) != -EPERM)
		return 4;
	if (chmod(path_of("home"), 0700) || rmdir(own) || symlink("/tmp", own))
		return 5;
	if (config_file_read_own(&file, "config", &why) != -ENOTDIR ||
	    !strstr(why.text, "home/flametop must be a directory, and no link to one"))
		return 6;
	return config_file_write_own("state", "", NULL) ? 0 : 7;
}

static void test_directories_on_the_way_are_checked_too(void **state)
{
	(void)state;
	as_user(refuse_directories);
}

static void test_root_is_not_led_by_its_environment(void **state)
{
	char home[PATH_MAX], expected[PATH_MAX];

	(void)state;
	setenv("XDG_CONFIG_HOME", "/tmp/elsewhere", 1);
	setenv("HOME", "/tmp/elsewhere", 1);
	assert_int_equal(config_file_home(home, sizeof(home), &why), 0);
	snprintf(expected, sizeof(expected), "%s/.config", getpwuid(geteuid())->pw_dir);
	assert_string_equal(home, geteuid() == 0 ? expected : "/tmp/elsewhere");
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(config_file_home(home, sizeof(home), &why), 0);
	assert_string_equal(home, expected);
	assert_int_equal(config_file_home(home, 4, &why), -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

UNIT_TESTS(test_config_file)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_of_ones_own_is_read),
		TEST(test_what_others_may_write_is_refused_with_the_remedy),
		TEST(test_what_belongs_to_others_is_refused),
		TEST(test_only_regular_files_are_read),
		TEST(test_a_file_that_is_too_large_is_refused),
		TEST(test_what_is_written_is_read_back),
		TEST(test_a_write_that_fails_leaves_no_temporary_file),
		TEST(test_directories_on_the_way_are_checked_too),
		TEST(test_root_is_not_led_by_its_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
