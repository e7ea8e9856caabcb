/* Whose table is whose: which files share one, and which must not although they claim to. */
#include <dlfcn.h>
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

#include "elf/file_jobs.h"
#include "symbols/table_source.h"
#include "unit_tests.h"

static char directory[] = "/tmp/test_table_source.XXXXXX";
static struct sandbox *sandbox;
static struct table_source source;
static const struct process_root ours = { .process = -1, .root = -1, .is_ours = true };
static const struct process_root elsewhere = { .process = -1, .root = -1 };

static void run(const char *format, const char *a, const char *b)
{
	char command[1024];

	snprintf(command, sizeof(command), format, a, b);
	assert_int_equal(system(command), 0);
}

static void open_cache(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/.cache/flametop", directory);
	assert_int_equal(table_cache_open(&source.cache, path, NULL), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	source = (struct table_source){ .cache = NULL };
	if (!mkdtemp(directory) || sandbox_start(&source.sandbox, worker_run, NULL))
		return -1;
	sandbox = source.sandbox;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	table_source_finish(&source);
	sandbox_stop(sandbox);
	run("rm -r %s%s", directory, "");
	return 0;
}

/* As if flametop was started again. */
static void start_again(void)
{
	table_source_finish(&source);
	source = (struct table_source){ .sandbox = sandbox };
	open_cache();
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* A copy of the C library, or of this program, which is another DSO. */
static void copy_libc(const char *name)
{
	Dl_info where;

	assert_int_not_equal(dladdr(dlsym(RTLD_DEFAULT, "getopt_long"), &where), 0);
	run("cp -p %s %s", where.dli_fname, path_of(name));
	run("chmod 644 %s%s", path_of(name), "");
}

static struct kept_table *get(const char *name, const struct process_root *root,
			      const struct build_id *id, bool is_known)
{
	struct table_request request = { .root = root, .path = path_of(name) };
	struct dso_file file;
	struct kept_table *table;
	struct diag why;
	bool was_known;
	int place = process_root_take(AT_FDCWD, path_of(name), 0);

	assert_int_equal(dso_file_open_place(&file, place, NULL), 0);
	close(place);
	file.is_certain = true;
	request.file = &file;
	if (id)
		request.build_id = *id;
	assert_int_equal(table_source_get(&source, &request, &table, &was_known, &why), 0);
	close(file.fd);
	assert_int_equal(was_known, is_known);
	return table;
}

static struct build_id id_of(const struct kept_table *table)
{
	assert_int_equal(table->why.err, 0);
	if (!table->table.table.header->build_id.count)
		skip();
	return table->table.table.header->build_id;
}

static void test_trusted_copies_are_one_table_by_their_build_id(void **state)
{
	struct kept_table *first;
	struct build_id id;

	(void)state;
	copy_libc("one");
	copy_libc("two");
	first = get("one", &ours, NULL, false);
	id = id_of(first);
	assert_ptr_equal(get("two", &ours, &id, true), first);
	assert_ptr_equal(get("two", &ours, NULL, true), first);	/* by the file now */
}

/* Equal bytes prove themselves, whoever's they are; but they are read. */
static void test_copies_elsewhere_share_memory_only(void **state)
{
	struct kept_table *first;
	struct build_id id;
	size_t bytes;

	(void)state;
	copy_libc("one");
	copy_libc("two");
	first = get("one", &ours, NULL, false);
	id = id_of(first);
	bytes = source.store.bytes;
	assert_ptr_equal(get("two", &elsewhere, &id, false), first);
	assert_int_equal(source.store.bytes, bytes);
}

/* A file that everybody may write, and that claims to be libc: @id is what the kernel saw in it. */
static void expect_own_table(const char *change, const struct process_root *root)
{
	struct kept_table *honest, *claimer;
	struct build_id id;

	copy_libc("libc");
	run("cp /proc/self/exe %s%s", path_of("claimer"), "");
	run("chmod 644 %s%s", path_of("claimer"), "");
	run(change, path_of("claimer"), "");
	open_cache();
	honest = get("libc", &ours, NULL, false);
	id = id_of(honest);
	claimer = get("claimer", root, &id, false);
	assert_ptr_not_equal(claimer, honest);
	start_again();
	claimer = get("claimer", root, &id, false);
	honest = get("libc", &ours, &id, false);	/* from disk */
	assert_ptr_not_equal(claimer, honest);
	assert_true(build_id_is_equal(&honest->table.table.header->build_id, &id));
	assert_ptr_equal(get("libc", &ours, &id, true), honest);	/* still */
}

static void test_a_file_that_others_may_write_has_its_own_table(void **state)
{
	(void)state;
	expect_own_table("chmod 664 %s%s", &ours);
}

static void test_a_strangers_file_has_its_own_table(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_own_table("chown nobody %s%s", &ours);
}

/* However many tables strangers make us keep, there is room for those of the system. */
static void test_strangers_files_leave_room_for_ours(void **state)
{
	struct table_request request = { .root = &elsewhere, .path = path_of("one") };
	struct dso_file file = { .is_certain = true };
	struct kept_table *table;
	bool is_known;
	int place;

	(void)state;
	copy_libc("one");
	place = process_root_take(AT_FDCWD, path_of("one"), 0);
	assert_int_equal(dso_file_open_place(&file, place, NULL), 0);
	close(place);
	request.file = &file;
	source.store.bytes = TABLE_STORE_FOREIGN_BYTES_MAX;
	assert_int_equal(table_source_get(&source, &request, &table, &is_known, NULL), -ENOMEM);
	request.root = &ours;
	assert_int_equal(table_source_get(&source, &request, &table, &is_known, NULL), 0);
	close(file.fd);
}

static void test_a_file_in_a_container_has_its_own_table(void **state)
{
	(void)state;
	expect_own_table("true %s%s", &elsewhere);
}

static size_t entries(void)
{
	char command[256], line[16] = "";
	FILE *count;

	snprintf(command, sizeof(command), "ls %s/.cache/flametop | wc -l", directory);
	count = popen(command, "re");
	assert_non_null(fgets(line, sizeof(line), count));
	pclose(count);
	return (size_t)atoi(line);
}

static void test_only_what_is_shared_goes_to_disk(void **state)
{
	(void)state;
	open_cache();
	copy_libc("one");
	get("one", &elsewhere, NULL, false);
	assert_int_equal(entries(), 0);
	/* The same file, seen by a process of ours: not read again, but kept. */
	get("one", &ours, NULL, true);
	assert_int_equal(entries(), 1);
}

static void test_a_second_start_reads_it_from_disk(void **state)
{
	(void)state;
	open_cache();
	copy_libc("one");
	get("one", &ours, NULL, false);
	start_again();
	sandbox_cancel(sandbox);	/* nothing can be compiled any more */
	id_of(get("one", &ours, NULL, false));
}

static void test_a_file_that_changed_is_read_again(void **state)
{
	struct kept_table *libc, *text;

	(void)state;
	copy_libc("file");
	libc = get("file", &ours, NULL, false);
	run("echo text >%s%s", path_of("file"), "");
	text = get("file", &ours, NULL, false);
	assert_int_equal(text->why.err, -ENOEXEC);
	assert_int_equal(libc->why.err, 0);
	assert_ptr_equal(get("file", &ours, NULL, true), text);	/* not tried again */
	run("touch %s%s", path_of("file"), "");
	get("file", &ours, NULL, false);
}

static void build_library(const char *name)
{
	run("printf 'hidden_code: nop\n.type hidden_code, @function\n"
	    ".size hidden_code, .-hidden_code\n' | cc -shared -nostdlib -Wl,--build-id=sha1 "
	    "-x assembler - -o %s%s", path_of(name), "");
}

/* Its only name is in a debug file: "NAME" and "NAME.debug", with a link to it. */
static void build_stripped(const char *name)
{
	static const char *const steps[] = {
		"objcopy --only-keep-debug %s %s.debug",
		"strip %s%s",
		"objcopy --add-gnu-debuglink=%s.debug %s",
	};
	char path[256];

	build_library(name);
	snprintf(path, sizeof(path), "%s", path_of(name));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		run(steps[i], path, i % 2 ? "" : path);
}

static bool has_hidden_code(const struct kept_table *kept)
{
	for (uint32_t i = 0; i < kept->table.table.header->row_count; i++)
		if (!strcmp(flat_table_name(&kept->table.table, i), "hidden_code"))
			return true;
	return false;
}

/* Its build-id stays when a file is stripped. Whoever came first must not name the other one. */
static void test_a_stripped_copy_takes_no_names_away(void **state)
{
	struct kept_table *stripped;
	struct build_id id;
	char path[256];

	(void)state;
	open_cache();
	build_library("whole");
	snprintf(path, sizeof(path), "%s", path_of("whole"));
	run("strip -o %s.stripped %s", path, path);
	stripped = get("whole.stripped", &ours, NULL, false);
	assert_false(has_hidden_code(stripped));
	id = id_of(stripped);
	start_again();
	get("whole.stripped", &ours, &id, false);
	assert_true(has_hidden_code(get("whole", &ours, &id, false)));
	start_again();
	sandbox_cancel(sandbox);	/* both from disk */
	assert_false(has_hidden_code(get("whole.stripped", &ours, &id, false)));
	assert_true(has_hidden_code(get("whole", &ours, &id, false)));
}

/* @mtime: of both, as of touch(1); they differ in a name only. */
static void expect_own_names(const char *mtime, const char *mtime_of_renamed)
{
	struct build_id id;

	open_cache();
	build_library("first");
	run("sed s/hidden_code/hidden_CODE/g %s >%s.renamed", path_of("first"), path_of("first"));
	run("touch -d @%s %s", mtime, path_of("first"));
	run("touch -d @%s %s.renamed", mtime_of_renamed, path_of("first"));
	id = id_of(get("first", &ours, NULL, false));
	get("first", &ours, &id, true);
	assert_false(has_hidden_code(get("first.renamed", &ours, &id, false)));
	start_again();
	assert_true(has_hidden_code(get("first", &ours, &id, false)));
	assert_false(has_hidden_code(get("first.renamed", &ours, &id, false)));
	start_again();
	sandbox_cancel(sandbox);	/* both from disk */
	assert_false(has_hidden_code(get("first.renamed", &ours, &id, false)));
	assert_true(has_hidden_code(get("first", &ours, &id, false)));
}

/* ld's build-id does not cover the symbols. */
static void test_a_renamed_function_has_its_new_name(void **state)
{
	(void)state;
	expect_own_names("1600000000.123456789", "1600000000.123456788");
}

/* There all files are of the same time. */
static void test_a_renamed_function_has_its_new_name_in_a_nix_store(void **state)
{
	(void)state;
	expect_own_names("1", "1");
}

static void test_a_debug_file_that_is_installed_later_is_noticed(void **state)
{
	char debug[256];

	(void)state;
	open_cache();
	build_stripped("library");
	snprintf(debug, sizeof(debug), "%s", path_of("library.debug"));
	run("mv %s %s.away", debug, debug);
	assert_false(has_hidden_code(get("library", &ours, NULL, false)));
	start_again();
	assert_false(has_hidden_code(get("library", &ours, NULL, false)));
	run("mv %s.away %s", debug, debug);
	start_again();
	assert_true(has_hidden_code(get("library", &ours, NULL, false)));
	start_again();
	sandbox_cancel(sandbox);	/* from disk, or not at all */
	assert_true(has_hidden_code(get("library", &ours, NULL, false)));
}

static void test_a_debug_file_that_is_removed_is_noticed(void **state)
{
	(void)state;
	open_cache();
	build_stripped("library");
	assert_true(has_hidden_code(get("library", &ours, NULL, false)));
	run("rm %s%s", path_of("library.debug"), "");
	start_again();
	assert_false(has_hidden_code(get("library", &ours, NULL, false)));
}

/* The DSO is the very same file, here and in the container: the debug file is not. */
static void test_a_containers_debug_file_is_its_own_affair(void **state)
{
	struct process_root container = { .process = -1 };
	struct kept_table *plain, *theirs;
	char hex[BUILD_ID_HEX_BYTES], debug[256], place[512];
	struct build_id id;

	(void)state;
	build_stripped("library");
	snprintf(debug, sizeof(debug), "%s", path_of("library.debug"));
	run("mv %s %s.away", debug, debug);
	plain = get("library", &elsewhere, NULL, false);
	id = id_of(plain);
	build_id_format(&id, hex);
	snprintf(place, sizeof(place), "%s/root/usr/lib/debug/.build-id/%.2s", directory, hex);
	run("mkdir -p %s%s", place, "");
	snprintf(place + strlen(place), sizeof(place) - strlen(place), "/%s.debug", hex + 2);
	run("mv %s.away %s", debug, place);
	container.root = open(path_of("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	theirs = get("library", &container, NULL, false);
	assert_true(has_hidden_code(theirs));
	assert_ptr_equal(get("library", &container, NULL, true), theirs);
	close(container.root);
	assert_ptr_equal(get("library", &ours, NULL, true), plain);
	assert_false(has_hidden_code(plain));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_table_source)
{
	const struct CMUnitTest tests[] = {
		TEST(test_trusted_copies_are_one_table_by_their_build_id),
		TEST(test_copies_elsewhere_share_memory_only),
		TEST(test_a_file_that_others_may_write_has_its_own_table),
		TEST(test_a_strangers_file_has_its_own_table),
		TEST(test_strangers_files_leave_room_for_ours),
		TEST(test_a_file_in_a_container_has_its_own_table),
		TEST(test_only_what_is_shared_goes_to_disk),
		TEST(test_a_second_start_reads_it_from_disk),
		TEST(test_a_file_that_changed_is_read_again),
		TEST(test_a_stripped_copy_takes_no_names_away),
		TEST(test_a_renamed_function_has_its_new_name),
		TEST(test_a_renamed_function_has_its_new_name_in_a_nix_store),
		TEST(test_a_debug_file_that_is_installed_later_is_noticed),
		TEST(test_a_debug_file_that_is_removed_is_noticed),
		TEST(test_a_containers_debug_file_is_its_own_affair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
