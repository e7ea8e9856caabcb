/* The disk cache: what it gives back, what it refuses, who may lie where it is. */
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

#include "elf/flat_builder.h"
#include "symbols/table_cache.h"
#include "unit_tests.h"

#define MTIME_NS 0x123456789	/* later than what file_version_has_copies() refuses */

static const struct table_cache_key by_id = {
	.build_id = { .bytes = { 0xab, 0xcd }, .count = 2 }, .version = { .mtime_ns = MTIME_NS },
};
static const struct table_cache_key by_file = { .version = { 1, 2, 3, 4, 5 } };
static const struct file_version no_debug, some_debug = { 5, 6, 7, 8, 9 };

static char base[] = "/tmp/test_table_cache.XXXXXX";
static char directory[64], entry[128];	/* entry: of by_id */
static struct table_cache *cache;
static struct kept_table table;
static void *table_memory;

static int open_cache(void)
{
	struct diag why;

	return table_cache_open(&cache, directory, &why);
}

static int set_up(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	size_t bytes;

	(void)state;
	strcpy(base + strlen(base) - 6, "XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(directory, sizeof(directory), "%s/.cache/flametop", base);
	snprintf(entry, sizeof(entry), "%s/abcd-0-123456789.table", directory);
	flat_builder_set_build_id(builder, &by_id.build_id);
	assert_int_equal(flat_builder_add(builder, 0x1000, 16, "function", NULL, 0), 0);
	assert_int_equal(flat_builder_finish(builder, 1, &table_memory, &bytes), 0);
	flat_builder_destroy(builder);
	assert_int_equal(flat_table_check(&table.table.table, table_memory, bytes, NULL), 0);
	table.checksum = table_checksum(table_memory, bytes);
	return open_cache();
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	table_cache_close(cache);
	cache = NULL;
	free(table_memory);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static int read_entry(const struct table_cache_key *key, struct file_version *debug)
{
	struct kept_table found;
	const struct flat_table *flat = &found.table.table;
	int err = table_cache_read(cache, key, &found);

	if (err) {
		assert_null(found.table.bytes.bytes);
		return err;
	}
	assert_int_equal(flat->header->row_count, 1);
	assert_string_equal(flat_table_name(flat, 0), "function");
	assert_int_equal(flat_table_find(flat, 0x100f), 0);
	assert_int_equal(found.checksum, table.checksum);
	sandbox_table_finish(&found.table);
	if (debug)
		*debug = found.debug;
	return 0;
}

static void write_with(const struct table_cache_key *key, const struct file_version *debug)
{
	table.debug = *debug;
	assert_int_equal(table_cache_write(cache, key, &table), 0);
}

static void write_entry(const struct table_cache_key *key)
{
	write_with(key, &no_debug);
}

static void test_a_table_comes_back_by_its_key_with_its_debug_file(void **state)
{
	struct file_version debug;

	(void)state;
	assert_int_equal(read_entry(&by_id, NULL), -ENOENT);
	write_with(&by_id, &some_debug);
	write_with(&by_file, &no_debug);
	assert_int_equal(read_entry(&by_id, &debug), 0);
	assert_true(file_version_is_equal(&debug, &some_debug));
	assert_int_equal(read_entry(&by_file, &debug), 0);
	assert_true(file_version_is_equal(&debug, &no_debug));
}

static void test_a_later_write_replaces_the_entry(void **state)
{
	struct file_version debug;

	(void)state;
	write_entry(&by_id);
	write_with(&by_id, &some_debug);
	assert_int_equal(read_entry(&by_id, &debug), 0);
	assert_true(file_version_is_equal(&debug, &some_debug));
}

static void test_another_process_finds_it(void **state)
{
	(void)state;
	write_entry(&by_id);
	table_cache_close(cache);
	assert_int_equal(open_cache(), 0);
	assert_int_equal(read_entry(&by_id, NULL), 0);
}

/* Every byte counts: each is turned over in its turn, and the entry made anew. */
static void test_a_damaged_byte_is_noticed_and_the_entry_removed(void **state)
{
	struct stat status;

	(void)state;
	write_entry(&by_id);
	assert_int_equal(stat(entry, &status), 0);
	for (off_t at = 0; at < status.st_size; at++) {
		int fd;
		char byte;

		write_entry(&by_id);
		fd = open(entry, O_RDWR | O_CLOEXEC);
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte = (char)~byte;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		if (read_entry(&by_id, NULL) != -EBADMSG)
			fail_msg("byte %ld of %ld", (long)at, (long)status.st_size);
		assert_int_equal(access(entry, F_OK), -1);
	}
}

/* Another compiler finds other names. The header is 144 bytes, the program's build-id at 8, and the
 * checksum of the header is its last word. */
static void test_an_entry_of_another_build_is_not_used(void **state)
{
	unsigned char header[144];
	uint64_t checksum;
	int fd;

	(void)state;
	write_entry(&by_id);
	fd = open(entry, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	header[8] ^= 1;
	checksum = table_checksum(header, sizeof(header) - sizeof(checksum));
	memcpy(header + sizeof(header) - sizeof(checksum), &checksum, sizeof(checksum));
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	close(fd);
	assert_int_equal(read_entry(&by_id, NULL), -EBADMSG);
}

static void test_an_entry_that_was_cut_is_noticed(void **state)
{
	struct stat status;

	(void)state;
	write_entry(&by_id);
	assert_int_equal(stat(entry, &status), 0);
	for (off_t size = 0; size < status.st_size; size++) {
		write_entry(&by_id);
		assert_int_equal(truncate(entry, size), 0);
		assert_int_equal(read_entry(&by_id, NULL), -EBADMSG);
	}
}

static void test_an_entry_under_another_name_is_not_believed(void **state)
{
	static const struct table_cache_key other = {
		.build_id = { .bytes = { 0xab, 0xce }, .count = 2 },
		.version = { .mtime_ns = MTIME_NS },
	};
	char other_entry[128];

	(void)state;
	write_entry(&by_id);
	snprintf(other_entry, sizeof(other_entry), "%s/abce-0-123456789.table", directory);
	assert_int_equal(rename(entry, other_entry), 0);
	assert_int_equal(read_entry(&other, NULL), -EBADMSG);
	/* Nor one whose key and table disagree. */
	write_entry(&other);
	assert_int_equal(read_entry(&other, NULL), -EBADMSG);
}

static void test_only_a_file_that_is_the_users_alone_is_read(void **state)
{
	char target[128];

	(void)state;
	write_entry(&by_id);
	assert_int_equal(chmod(entry, 0640), 0);
	assert_int_equal(read_entry(&by_id, NULL), -EBADMSG);

	snprintf(target, sizeof(target), "%s/target", base);
	write_entry(&by_id);
	assert_int_equal(rename(entry, target), 0);
	assert_int_equal(symlink(target, entry), 0);
	assert_int_equal(read_entry(&by_id, NULL), -EBADMSG);

	assert_int_equal(mkfifo(entry, 0600), 0);	/* the link is gone */
	assert_int_equal(read_entry(&by_id, NULL), -EBADMSG);
}

/* A link in the way is replaced, not followed. */
static void test_nothing_is_written_through_a_link(void **state)
{
	struct stat status;
	char target[128];
	int fd;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", base);
	fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(symlink(target, entry), 0);
	write_entry(&by_id);
	assert_int_equal(lstat(entry, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(stat(target, &status), 0);
	assert_int_equal(status.st_size, 0);
}

static void test_a_directory_that_others_may_use_is_refused(void **state)
{
	char cache_of_all[64], elsewhere[64];

	(void)state;
	table_cache_close(cache);
	assert_int_equal(chmod(directory, 0750), 0);
	assert_int_equal(open_cache(), -EPERM);
	assert_null(cache);
	assert_int_equal(chmod(directory, 0700), 0);
	snprintf(cache_of_all, sizeof(cache_of_all), "%s/.cache", base);
	assert_int_equal(chmod(cache_of_all, 0777), 0);
	assert_int_equal(open_cache(), -EPERM);
	assert_int_equal(chmod(cache_of_all, 0755), 0);
	assert_int_equal(rmdir(directory), 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", base);
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	assert_int_equal(symlink(elsewhere, directory), 0);
	assert_true(open_cache() < 0);
}

static void test_a_directory_of_another_user_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	table_cache_close(cache);
	assert_int_equal(chown(directory, 65534, 65534), 0);
	assert_int_equal(open_cache(), -EPERM);
}

static void make_old_entry(const char *name, off_t bytes, time_t used)
{
	const struct timespec times[2] = { { .tv_sec = used }, { .tv_sec = used } };
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool has(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

/* 256 MiB are full; for one more the oldest go until a quarter is free. */
static void test_what_was_used_longest_ago_goes_first(void **state)
{
	(void)state;
	table_cache_close(cache);
	make_old_entry("1.table", 90 << 20, 1000);
	make_old_entry("2.table", 90 << 20, 3000);
	make_old_entry("3.table", 76 << 20, 2000);
	make_old_entry("notes.txt", 90 << 20, 10);	/* is not ours */
	assert_int_equal(open_cache(), 0);
	assert_true(has("1.table"));			/* nothing is counted before it must be */
	write_entry(&by_id);
	assert_false(has("1.table"));
	assert_true(has("2.table"));
	assert_true(has("3.table"));
	assert_true(has("notes.txt"));
	make_old_entry("4.table", 90 << 20, 1500);	/* by another process */
	table_cache_close(cache);
	assert_int_equal(open_cache(), 0);
	write_entry(&by_id);
	assert_false(has("4.table"));
	assert_true(has("3.table"));
	assert_int_equal(read_entry(&by_id, NULL), 0);
}

static void test_a_use_makes_an_entry_young(void **state)
{
	static const struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat status;

	(void)state;
	write_entry(&by_id);
	assert_int_equal(utimensat(AT_FDCWD, entry, long_ago, 0), 0);
	assert_int_equal(read_entry(&by_id, NULL), 0);
	assert_int_equal(stat(entry, &status), 0);
	assert_true(status.st_mtim.tv_sec > 1000000);
}

/* As root nothing of the environment decides where root writes. */
static void test_the_place_is_the_effective_users(void **state)
{
	char home[256];

	(void)state;
	setenv("HOME", "/tmp/not-here", 1);
	setenv("XDG_CACHE_HOME", "/tmp/xdg", 1);
	assert_int_equal(table_cache_home(home, sizeof(home), NULL), 0);
	if (geteuid() == 0)
		assert_null(strstr(home, "/tmp/"));
	else
		assert_string_equal(home, "/tmp/xdg/flametop");
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(table_cache_home(home, sizeof(home), NULL), 0);
	assert_null(strstr(home, "not-here"));
	assert_non_null(strstr(home, "/.cache/flametop"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_table_cache)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_table_comes_back_by_its_key_with_its_debug_file),
		TEST(test_a_later_write_replaces_the_entry),
		TEST(test_another_process_finds_it),
		TEST(test_a_damaged_byte_is_noticed_and_the_entry_removed),
		TEST(test_an_entry_of_another_build_is_not_used),
		TEST(test_an_entry_that_was_cut_is_noticed),
		TEST(test_an_entry_under_another_name_is_not_believed),
		TEST(test_only_a_file_that_is_the_users_alone_is_read),
		TEST(test_nothing_is_written_through_a_link),
		TEST(test_a_directory_that_others_may_use_is_refused),
		TEST(test_a_directory_of_another_user_is_refused),
		TEST(test_what_was_used_longest_ago_goes_first),
		TEST(test_a_use_makes_an_entry_young),
		TEST(test_the_place_is_the_effective_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
