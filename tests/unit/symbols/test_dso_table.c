/* Which mappings are one DSO, and which are two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/dso_table.h"
#include "unit_tests.h"

static const struct build_id id_a = { .bytes = { 0xaa, 1 }, .count = 20 };
static const struct build_id id_b = { .bytes = { 0xbb, 1 }, .count = 20 };
static const struct build_id no_id;

static struct strpool *strings;
static struct dso_table table;

static int set_up(void **state)
{
	(void)state;
	strings = strpool_create();
	return dso_table_init(&table, strings);
}

static int tear_down(void **state)
{
	(void)state;
	dso_table_finish(&table);
	strpool_destroy(strings);
	return 0;
}

static uint32_t intern(const char *path, const struct build_id *id, uint64_t inode, bool is_new)
{
	const struct dso_key key = {
		.path = path, .path_len = strlen(path), .build_id = *id,
		.device = id->count ? 0 : 8, .inode = id->count ? 0 : inode, .mode = MODE_USER,
	};
	bool was_new;
	const uint32_t dso = dso_table_intern(&table, &key, &was_new);

	assert_int_equal(was_new, is_new);
	return dso;
}

static const char *text(struct str_id id)
{
	return strpool_get(strings, id);
}

static void test_the_fixed_dsos_have_perfs_names(void **state)
{
	(void)state;
	assert_int_equal(table.count, DSO_FIXED_COUNT);
	assert_string_equal(text(table.dsos[DSO_KERNEL].name), "[kernel]");
	assert_string_equal(text(table.dsos[DSO_KERNEL].path), "[kernel.kallsyms]");
	assert_string_equal(text(table.dsos[DSO_UNKNOWN].path), "[unknown]");
	assert_int_equal(table.dsos[DSO_UNKNOWN].mode, MODE_USER);
	assert_int_equal(table.dsos[DSO_GUEST_KERNEL].mode, MODE_GUEST_KERNEL);
	for (uint32_t i = 0; i < DSO_FIXED_COUNT; i++) {
		assert_int_equal(table.dsos[i].canonical, i);
		assert_int_equal(table.dsos[i].state,
				 i == DSO_VSYSCALL ? DSO_READY : DSO_NO_TABLE);
	}
}

/* Names of run-time code come and go; a DSO's own symbols are not replaced by them. */
static void test_run_time_names_yield_to_symbols_of_the_file(void **state)
{
	static const struct flat_header header;
	const struct flat_table own = { .header = &header, .strings = "own" };
	const struct flat_table other = { .strings = "other" };
	const struct build_id none = { .count = 0 };
	const uint32_t id = intern("/memfd:jit (deleted)", &none, 0, true);

	(void)state;
	assert_true(dso_table_set_run_time(&table, id, &other));
	assert_true(table.dsos[id].is_run_time);
	dso_table_set_ready(&table, id, &own, &none);
	assert_false(table.dsos[id].is_run_time);
	assert_false(dso_table_set_run_time(&table, id, &other));
	assert_ptr_equal(table.dsos[id].table.strings, own.strings);
}

static void test_the_place_is_part_of_an_identity_if_it_counts(void **state)
{
	struct dso_key key = { .path = "//anon", .path_len = 6, .mode = MODE_USER };
	uint32_t anywhere, one, other;
	bool is_new;

	(void)state;
	anywhere = dso_table_intern(&table, &key, &is_new);
	key.place = 1;
	one = dso_table_intern(&table, &key, &is_new);
	key.place = 2;
	other = dso_table_intern(&table, &key, &is_new);
	assert_true(is_new && anywhere != one && one != other && other != anywhere);
	key.place = 1;
	assert_int_equal(dso_table_intern(&table, &key, &is_new), one);
	assert_false(is_new);
}

static void test_path_and_build_id_are_an_identity(void **state)
{
	const uint32_t first = intern("/lib/libc.so.6", &id_a, 0, true);

	(void)state;
	assert_int_equal(intern("/lib/libc.so.6", &id_a, 0, false), first);
	assert_int_not_equal(intern("/lib/libc.so.6", &id_b, 0, true), first);	/* an upgrade */
	assert_int_not_equal(intern("/srv/libc.so.6", &id_a, 0, true), first);
}

static void test_path_device_and_inode_are_an_identity(void **state)
{
	const uint32_t first = intern("/bin/x", &no_id, 100, true);

	(void)state;
	assert_int_equal(intern("/bin/x", &no_id, 100, false), first);
	assert_int_not_equal(intern("/bin/x", &no_id, 101, true), first);
	assert_int_not_equal(intern("/bin/y", &no_id, 100, true), first);	/* a hard link */
}

static void test_dsos_of_another_level_are_others(void **state)
{
	struct dso_key key = { .path = "[x]", .path_len = 3, .mode = MODE_USER };
	bool is_new;
	const uint32_t user = dso_table_intern(&table, &key, &is_new);

	(void)state;
	key.mode = MODE_KERNEL;
	assert_int_not_equal(dso_table_intern(&table, &key, &is_new), user);
	assert_true(is_new);
}

static void test_the_screen_shows_the_last_part_of_a_path(void **state)
{
	static const char *const known[][2] = {
		{ "/usr/lib/libc.so.6", "libc.so.6" },
		{ "/opt/my app/run me", "run me" },
		{ "[vdso]", "[vdso]" },
		{ "//anon", "[anon]" },
		{ "memfd:jit", "memfd:jit" },
		{ "/strange/", "/strange/" },
		{ "/lib/evil\033[2J.so", "evil\\x1b[2J.so" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const uint32_t dso = intern(known[i][0], &no_id, i, true);

		assert_string_equal(text(table.dsos[dso].name), known[i][1]);
	}
}

/* /proc has device and inode, a later record the build-id: one file, and both get its table. */
static void test_a_file_seen_both_ways_becomes_one_when_its_tables_are_one(void **state)
{
	static const struct flat_header header;
	const struct flat_table flat = { .header = &header };
	const uint32_t by_inode = intern("/lib/libc.so.6", &no_id, 100, true);
	const uint32_t by_id = intern("/lib/libc.so.6", &id_a, 0, true);

	(void)state;
	dso_table_set_ready(&table, by_inode, &flat, &id_a);
	assert_int_equal(table.dsos[by_inode].state, DSO_READY);
	assert_true(build_id_is_equal(&table.dsos[by_inode].build_id, &id_a));
	dso_table_set_ready(&table, by_id, &flat, &id_a);
	assert_int_equal(table.dsos[by_inode].canonical, by_inode);
	assert_int_equal(table.dsos[by_id].canonical, by_inode);
}

/* A third copy came while the others had no table: who reads the screen has one file. */
static void test_copies_become_one_again_when_their_tables_come_back(void **state)
{
	static const struct flat_header header;
	const struct flat_table flat = { .header = &header };
	const uint32_t one = intern("/lib/libc.so.6", &no_id, 100, true);
	const uint32_t two = intern("/lib/libc.so.6", &no_id, 200, true);
	const uint32_t late = intern("/lib/libc.so.6", &no_id, 300, true);

	(void)state;
	assert_false(dso_table_set_ready(&table, one, &flat, &id_a));
	assert_false(dso_table_set_ready(&table, two, &flat, &id_a));
	dso_table_let_go(&table, one);
	dso_table_let_go(&table, two);
	assert_false(dso_table_set_ready(&table, late, &flat, &id_a));
	assert_int_equal(table.dsos[late].canonical, late);
	assert_true(dso_table_set_ready(&table, two, &flat, &id_a));
	assert_int_equal(table.dsos[late].canonical, one);
	assert_false(dso_table_set_ready(&table, one, &flat, &id_a));
	for (uint32_t i = one; i <= late; i++)
		assert_int_equal(table.dsos[i].canonical, one);
}

static void test_other_paths_or_build_ids_do_not_become_one(void **state)
{
	static const struct flat_header header;
	const struct flat_table flat = { .header = &header };
	const uint32_t here = intern("/lib/libc.so.6", &no_id, 100, true);
	const uint32_t there = intern("/srv/lib/libc.so.6", &no_id, 200, true);
	const uint32_t newer = intern("/lib/libc.so.6", &no_id, 300, true);

	(void)state;
	dso_table_set_ready(&table, here, &flat, &id_a);
	dso_table_set_ready(&table, there, &flat, &id_a);
	dso_table_set_ready(&table, newer, &flat, &id_b);
	assert_int_equal(table.dsos[here].canonical, here);
	assert_int_equal(table.dsos[there].canonical, there);
	assert_int_equal(table.dsos[newer].canonical, newer);
}

static void test_files_without_a_build_id_do_not_become_one(void **state)
{
	static const struct flat_header header;
	const struct flat_table flat = { .header = &header };
	const uint32_t one = intern("/tmp/a.out", &no_id, 1, true);
	const uint32_t two = intern("/tmp/a.out", &no_id, 2, true);

	(void)state;
	dso_table_set_ready(&table, one, &flat, &no_id);
	dso_table_set_ready(&table, two, &flat, &no_id);
	assert_int_equal(table.dsos[two].canonical, two);
}

/* A container's libc of the same path that claims the same build-id: its table is another, so it
 * must not name the addresses of the true one. */
static void test_a_stranger_that_claims_a_build_id_stays_a_stranger(void **state)
{
	static const struct flat_header true_header, claimed_header;
	const struct flat_table trusted = { .header = &true_header };
	const struct flat_table claimed = { .header = &claimed_header };
	const uint32_t host = intern("/lib/libc.so.6", &no_id, 100, true);
	const uint32_t container = intern("/lib/libc.so.6", &no_id, 900, true);

	(void)state;
	dso_table_set_ready(&table, container, &claimed, &id_a);
	dso_table_set_ready(&table, host, &trusted, &id_a);
	assert_int_equal(table.dsos[host].canonical, host);
	assert_int_equal(table.dsos[container].canonical, container);
}

/* Source lines are read by it, long after the symtab had to go. */
static void test_the_debug_link_stays_when_the_table_goes(void **state)
{
	static const struct flat_header header = { .debug_link = "libx.debug" };
	const struct flat_table flat = { .header = &header };
	const uint32_t dso = intern("/lib/libx.so", &no_id, 100, true);
	unsigned char used[256] = { 0 };

	(void)state;
	dso_table_set_ready(&table, dso, &flat, &id_a);
	dso_table_let_go(&table, dso);
	assert_true(strpool_count(strings) <= sizeof(used));
	dso_table_mark_text(&table, used);
	strpool_sweep(strings, used);
	assert_string_equal(text(table.dsos[dso].debug_link), "libx.debug");
}

/* A library that was overwritten in place. */
static void test_a_dso_whose_file_changed_has_a_successor(void **state)
{
	static const struct flat_header old_header, new_header;
	const struct flat_table old_flat = { .header = &old_header };
	const struct flat_table new_flat = { .header = &new_header };
	const uint32_t old = intern("/lib/libx.so", &no_id, 100, true);
	uint32_t new;

	(void)state;
	dso_table_set_ready(&table, old, &old_flat, &id_a);
	assert_int_equal(dso_table_current(&table, old), old);
	new = dso_table_succeed(&table, old);
	dso_table_set_ready(&table, new, &new_flat, &id_b);
	assert_int_not_equal(new, old);
	assert_string_equal(text(table.dsos[new].name), "libx.so");
	assert_ptr_equal(table.dsos[old].table.header, &old_header);
	assert_int_equal(dso_table_current(&table, old), new);
	assert_int_equal(intern("/lib/libx.so", &no_id, 100, false), new);
	assert_int_equal(dso_table_current(&table, dso_table_succeed(&table, new)),
			 new + 1);
	assert_int_equal(dso_table_current(&table, old), new + 1);
}

static void test_without_room_for_a_successor_that_is_counted(void **state)
{
	const uint32_t old = intern("/lib/libx.so", &no_id, 100, true);
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	uint64_t refused;
	bool is_new;

	(void)state;
	while (table.count < DSO_TABLE_ROWS && key.inode++ < DSO_TABLE_ROWS)
		dso_table_intern(&table, &key, &is_new);
	refused = table.refused;
	assert_false(table.is_full);
	assert_int_equal(dso_table_succeed(&table, old), old);
	assert_int_equal(dso_table_current(&table, old), old);
	assert_int_equal(table.refused, refused + 1);
	assert_true(table.is_full);
}

/* Inode numbers are used again; the generation is not. */
static void test_a_new_file_with_an_old_number_is_another_dso(void **state)
{
	struct dso_key key = { .path = "/a.out", .path_len = 6, .inode = 7,
				  .inode_generation = 1, .mode = MODE_USER };
	bool is_new;
	const uint32_t old = dso_table_intern(&table, &key, &is_new);

	(void)state;
	key.inode_generation = 2;
	assert_int_not_equal(dso_table_intern(&table, &key, &is_new), old);
	assert_true(is_new);
}

static void test_an_unreadable_dso_keeps_its_reason_clean(void **state)
{
	const uint32_t dso = intern("/tmp/x", &no_id, 1, true);

	(void)state;
	dso_table_set_unreadable(&table, dso, "no\ttable");
	assert_int_equal(table.dsos[dso].state, DSO_UNREADABLE);
	assert_string_equal(text(table.dsos[dso].reason), "no\\x09table");
}

/* Rows of one file are together, whatever its programs are called. */
static void test_a_program_is_shown_by_the_one_name_it_was_started_by(void **state)
{
	const uint32_t id = intern("/usr/bin/redis-check-rdb", &no_id, 7, true);
	const struct dso *dso = &table.dsos[id];

	(void)state;
	assert_string_equal(text(dso_shown_name(dso)), "redis-check-rdb");
	assert_true(dso_table_set_started(&table, id, "redis-server"));
	assert_string_equal(text(dso_shown_name(dso)), "redis-server");
	assert_string_equal(text(dso->path), "/usr/bin/redis-check-rdb");
	assert_false(dso_table_set_started(&table, id, "redis-server"));
	assert_true(dso_table_set_started(&table, id, "redis-sentinel"));
	assert_string_equal(text(dso_shown_name(dso)), "redis-check-rdb");
	assert_false(dso_table_set_started(&table, id, "redis-server"));
	assert_string_equal(text(dso_shown_name(dso)), "redis-check-rdb");
}

static void test_a_program_that_was_started_by_its_own_name_keeps_it(void **state)
{
	const uint32_t id = intern("/usr/bin/dash", &no_id, 7, true);

	(void)state;
	assert_false(dso_table_set_started(&table, id, "dash"));
	assert_false(dso_table_set_started(&table, id, "sh"));
	assert_string_equal(text(dso_shown_name(&table.dsos[id])), "dash");
}

static void test_a_thousand_dsos_keep_their_numbers(void **state)
{
	(void)state;
	for (uint64_t inode = 0; inode < 1000; inode++)
		assert_int_equal(intern("/x", &no_id, inode, true), DSO_FIXED_COUNT + inode);
	for (uint64_t inode = 0; inode < 1000; inode++)
		assert_int_equal(intern("/x", &no_id, inode, false), DSO_FIXED_COUNT + inode);
}

static void test_a_storm_of_files_has_an_end_and_is_counted(void **state)
{
	struct dso_key key = { .path_len = 0, .device = 8, .mode = MODE_USER };
	char path[32];
	bool is_new;
	size_t bytes;

	(void)state;
	for (uint64_t inode = 1; inode <= DSO_TABLE_ROWS + 1000; inode++) {
		key.path = path;
		key.path_len = (size_t)snprintf(path, sizeof(path), "/tmp/file%u", (unsigned)inode);
		key.inode = inode;
		if (dso_table_intern(&table, &key, &is_new) == DSO_UNKNOWN)
			assert_false(is_new);
	}
	assert_int_equal(table.count, DSO_TABLE_ROWS);
	assert_int_equal(table.refused, 1000 + DSO_FIXED_COUNT);
	bytes = strpool_bytes(strings);
	intern("/tmp/one more", &no_id, 5, false);
	assert_int_equal(strpool_bytes(strings), bytes);
	key.path_len = (size_t)snprintf(path, sizeof(path), "/tmp/file%u", 77u);
	key.inode = 77;
	assert_int_not_equal(dso_table_intern(&table, &key, &is_new), DSO_UNKNOWN);
}

/* A loop of files made and mapped: its process has its share, others keep room for theirs. */
static void test_one_process_leaves_room_for_the_files_of_others(void **state)
{
	struct dso_key key = { .path = "/memfd:x", .path_len = 8, .mode = MODE_USER };
	bool is_new;

	(void)state;
	for (key.inode = 1; key.inode <= 2 * DSO_TABLE_ROWS; key.inode++) {
		dso_table_intern(&table, &key, &is_new);
		key.had += is_new;
	}
	assert_in_range(key.had, DSO_TABLE_ROWS / 5 - 5, DSO_TABLE_ROWS / 5 + 5);
	assert_int_equal(table.refused, 2 * DSO_TABLE_ROWS - key.had);
	intern("/bin/later", &no_id, 5, true);
}

static uint32_t reclaim_all_but(uint32_t kept)
{
	unsigned char used[64] = { 0 };

	used[kept] = 1;
	assert_true(table.count <= sizeof(used));
	return dso_table_reclaim(&table, used);
}

static void test_what_nobody_uses_goes_and_its_number_rests(void **state)
{
	const uint32_t gone = intern("/tmp/gone", &no_id, 1, true);
	const uint32_t kept = intern("/tmp/kept", &no_id, 2, true);
	const uint32_t serial = table.dsos[gone].serial;

	(void)state;
	assert_int_equal(reclaim_all_but(kept), 1);
	assert_int_equal(intern("/tmp/kept", &no_id, 2, false), kept);
	table.now_ns += DSO_REST_NS - 1;
	table.round += 1000;	/* these come as often as there is work */
	assert_int_equal(intern("/tmp/next", &no_id, 3, true), kept + 1);
	table.now_ns++;
	assert_int_equal(intern("/tmp/gone", &no_id, 1, true), gone);
	assert_int_not_equal(table.dsos[gone].serial, serial);
	assert_string_equal(text(table.dsos[gone].path), "/tmp/gone");
	assert_int_equal(table.free_count, 0);
}

/* A reply names the DSO by its number. */
static void test_who_waits_for_a_reply_stays(void **state)
{
	const uint32_t asked = intern("/tmp/asked", &no_id, 1, true);
	const uint32_t unwind = intern("/tmp/unwind", &no_id, 2, true);

	(void)state;
	table.dsos[asked].is_asked = true;
	table.dsos[unwind].unwind = DSO_UNWIND_LOADING;
	assert_int_equal(reclaim_all_but(DSO_UNKNOWN), 0);
	table.dsos[asked].is_asked = false;
	table.dsos[unwind].unwind = DSO_UNWIND_NONE;
	assert_int_equal(reclaim_all_but(DSO_UNKNOWN), 2);
}

/* Its reply went to the successor, so that it would wait for ever. */
static void test_who_was_succeeded_does_not_wait_for_unwind_rows(void **state)
{
	const uint32_t old = intern("/lib/libx.so", &no_id, 100, true);
	uint32_t new;

	(void)state;
	table.dsos[old].unwind = DSO_UNWIND_LOADING;
	assert_int_equal(reclaim_all_but(DSO_UNKNOWN), 0);
	new = dso_table_succeed(&table, old);
	assert_int_equal(reclaim_all_but(new), 1);
	assert_true(table.dsos[old].is_free);
}

static void test_who_stands_for_another_stays_with_it(void **state)
{
	static const struct flat_header header;
	const struct flat_table flat = { .header = &header };
	const uint32_t first = intern("/lib/libc.so.6", &no_id, 100, true);
	const uint32_t again = intern("/lib/libc.so.6", &id_a, 0, true);

	(void)state;
	dso_table_set_ready(&table, first, &flat, &id_a);
	dso_table_set_ready(&table, again, &flat, &id_a);
	assert_int_equal(reclaim_all_but(again), 0);
	assert_int_equal(intern("/lib/libc.so.6", &no_id, 100, false), first);
	assert_int_equal(reclaim_all_but(first), 1);
}

/* A file that was overwritten twice: whoever maps it finds what it is now. */
static void test_of_a_chain_of_successors_any_part_can_go(void **state)
{
	const uint32_t first = intern("/lib/libx.so", &no_id, 100, true);
	const uint32_t second = dso_table_succeed(&table, first);
	const uint32_t third = dso_table_succeed(&table, second);

	(void)state;
	assert_int_equal(reclaim_all_but(first), 1);	/* the second */
	assert_int_equal(dso_table_current(&table, first), third);
	assert_int_equal(intern("/lib/libx.so", &no_id, 100, false), third);
	assert_int_equal(reclaim_all_but(third), 1);	/* the first, which had the identity */
	assert_int_equal(intern("/lib/libx.so", &no_id, 100, false), third);
	assert_int_equal(reclaim_all_but(DSO_UNKNOWN), 1);
	assert_int_not_equal(intern("/lib/libx.so", &no_id, 100, true), third);
}

/* A file that is written to all day: nobody goes through all that it was, each time. */
static void test_the_way_to_a_late_successor_is_gone_once(void **state)
{
	const uint32_t first = intern("/lib/libx.so", &no_id, 100, true);
	uint32_t last = first;

	(void)state;
	for (int i = 0; i < 30; i++)
		last = dso_table_succeed(&table, last);
	assert_int_equal(dso_table_current(&table, first), last);
	for (uint32_t id = first; id < last; id++)
		assert_int_equal(table.dsos[id].successor, last);
	assert_int_equal(table.dsos[last].successor, 0);
	assert_int_equal(reclaim_all_but(first), 29);
	assert_int_equal(dso_table_current(&table, first), last);
	assert_int_equal(intern("/lib/libx.so", &no_id, 100, false), last);
}

/* A process that ended leaves the room to the next one, with that of its paths. */
static void test_room_that_is_given_back_is_room(void **state)
{
	unsigned char *used = calloc(DSO_TABLE_ROWS, 1);
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	bool is_new;

	(void)state;
	while (key.inode++, dso_table_intern(&table, &key, &is_new) != DSO_UNKNOWN)
		;
	assert_true(table.is_full);
	assert_int_equal(dso_table_reclaim(&table, used),
			 DSO_TABLE_ROWS - DSO_FIXED_COUNT);
	assert_false(table.is_full);
	table.now_ns += DSO_REST_NS;
	for (uint32_t i = 0; i < DSO_TABLE_ROWS - DSO_FIXED_COUNT; i++, key.inode++)
		assert_int_not_equal(dso_table_intern(&table, &key, &is_new), DSO_UNKNOWN);
	assert_int_equal(dso_table_intern(&table, &key, &is_new), DSO_UNKNOWN);
	assert_int_equal(table.count, DSO_TABLE_ROWS);
	free(used);
}

/* Numbers that rest are no room: what is refused meanwhile leaves no text. */
static void test_while_rows_rest_who_is_refused_leaves_nothing(void **state)
{
	unsigned char *used = calloc(DSO_TABLE_ROWS, 1);
	struct dso_key key = { .path = "/x", .path_len = 2, .mode = MODE_USER };
	char path[32];
	size_t bytes;
	bool is_new;

	(void)state;
	while (key.inode++, dso_table_intern(&table, &key, &is_new) != DSO_UNKNOWN)
		;
	dso_table_reclaim(&table, used);
	bytes = strpool_bytes(strings);
	for (uint32_t i = 0; i < 1000; i++) {
		key.path = path;
		key.path_len = (size_t)snprintf(path, sizeof(path), "/tmp/file%u", i);
		assert_int_equal(dso_table_intern(&table, &key, &is_new), DSO_UNKNOWN);
	}
	assert_int_equal(strpool_bytes(strings), bytes);
	free(used);
}

/* Path and short name, as they are kept. */
static void test_the_text_of_dsos_is_counted_and_has_an_end(void **state)
{
	struct dso_key key = { .device = 8, .mode = MODE_USER };
	unsigned char used[8192] = { 0 };
	char path[1024] = "/\1/";
	size_t bytes;
	bool is_new;

	(void)state;
	memset(path + 3, 'x', 1000);
	for (uint32_t i = 0; i < 3000; i++) {
		key.path = path;
		key.path_len = 3 + (size_t)snprintf(path + 3, 8, "%04u", i) + 996;
		path[7] = 'x';
		dso_table_intern(&table, &key, &is_new);
	}
	assert_int_equal(table.count, DSO_FIXED_COUNT + DSO_TABLE_TEXT_BYTES / 2006 + 1);
	bytes = table.text_bytes;
	assert_int_equal(bytes, 2006 * (table.count - DSO_FIXED_COUNT));
	assert_true(strpool_count(strings) <= sizeof(used));
	dso_table_mark_text(&table, used);
	assert_int_equal(table.text_bytes, bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_dso_table)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_fixed_dsos_have_perfs_names),
		TEST(test_run_time_names_yield_to_symbols_of_the_file),
		TEST(test_the_place_is_part_of_an_identity_if_it_counts),
		TEST(test_one_process_leaves_room_for_the_files_of_others),
		TEST(test_path_and_build_id_are_an_identity),
		TEST(test_path_device_and_inode_are_an_identity),
		TEST(test_dsos_of_another_level_are_others),
		TEST(test_the_screen_shows_the_last_part_of_a_path),
		TEST(test_a_file_seen_both_ways_becomes_one_when_its_tables_are_one),
		TEST(test_copies_become_one_again_when_their_tables_come_back),
		TEST(test_other_paths_or_build_ids_do_not_become_one),
		TEST(test_files_without_a_build_id_do_not_become_one),
		TEST(test_a_stranger_that_claims_a_build_id_stays_a_stranger),
		TEST(test_the_debug_link_stays_when_the_table_goes),
		TEST(test_a_dso_whose_file_changed_has_a_successor),
		TEST(test_without_room_for_a_successor_that_is_counted),
		TEST(test_a_new_file_with_an_old_number_is_another_dso),
		TEST(test_an_unreadable_dso_keeps_its_reason_clean),
		TEST(test_a_program_is_shown_by_the_one_name_it_was_started_by),
		TEST(test_a_program_that_was_started_by_its_own_name_keeps_it),
		TEST(test_a_thousand_dsos_keep_their_numbers),
		TEST(test_a_storm_of_files_has_an_end_and_is_counted),
		TEST(test_what_nobody_uses_goes_and_its_number_rests),
		TEST(test_who_waits_for_a_reply_stays),
		TEST(test_who_was_succeeded_does_not_wait_for_unwind_rows),
		TEST(test_who_stands_for_another_stays_with_it),
		TEST(test_of_a_chain_of_successors_any_part_can_go),
		TEST(test_the_way_to_a_late_successor_is_gone_once),
		TEST(test_room_that_is_given_back_is_room),
		TEST(test_while_rows_rest_who_is_refused_leaves_nothing),
		TEST(test_the_text_of_dsos_is_counted_and_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
