/* One id per text, whatever happens around it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/id_map.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

static struct str_id intern(struct strpool *pool, const char *text)
{
	return strpool_intern(pool, text, strlen(text));
}

static void test_id_0_is_the_empty_string(void **state)
{
	struct strpool *pool = strpool_create();

	(void)state;
	assert_string_equal(strpool_get(pool, (struct str_id){ 0 }), "");
	assert_int_equal(strpool_intern(pool, "", 0).v, 0);
	assert_int_equal(strpool_intern(pool, "\0abc", 4).v, 0);
	strpool_destroy(pool);
}

/* Known answers of FNV-1a 64, as for filter_hash(): either is compared with the other. */
static void test_the_hash_is_the_same_everywhere(void **state)
{
	struct strpool *pool = strpool_create();

	(void)state;
	assert_true(strpool_hash(pool, (struct str_id){ 0 }) == 0xcbf29ce484222325ull);
	assert_true(strpool_hash(pool, intern(pool, "foobar")) == 0x85944171f73967e8ull);
	strpool_destroy(pool);
}

static void test_equal_text_gives_the_same_id_and_other_text_another(void **state)
{
	struct strpool *pool = strpool_create();
	struct str_id main_id = intern(pool, "main"), mai_id = intern(pool, "mai");

	(void)state;
	assert_int_not_equal(main_id.v, mai_id.v);
	assert_int_equal(intern(pool, "main").v, main_id.v);
	assert_int_equal(strpool_intern(pool, "mainframe", 4).v, main_id.v);
	assert_int_equal(strpool_intern(pool, "main\0rest", 9).v, main_id.v);
	assert_string_equal(strpool_get(pool, mai_id), "mai");
	strpool_destroy(pool);
}

static void test_hostile_text_is_interned_clean(void **state)
{
	struct strpool *pool = strpool_create();
	struct str_id id = intern(pool, "a\033[2Jb");

	(void)state;
	assert_string_equal(strpool_get(pool, id), "a\\x1b[2Jb");
	assert_int_equal(intern(pool, "a\\x1b[2Jb").v, id.v);
	strpool_destroy(pool);
}

static void test_text_longer_than_a_path_is_cut(void **state)
{
	struct strpool *pool = strpool_create();
	static char text[20000];
	struct str_id id;

	(void)state;
	memset(text, 'x', sizeof(text));
	id = strpool_intern(pool, text, sizeof(text));
	assert_int_equal(strlen(strpool_get(pool, id)), 4095);
	assert_int_equal(strpool_intern(pool, text, sizeof(text)).v, id.v);
	strpool_destroy(pool);
}

static void test_text_never_moves_while_the_pool_grows(void **state)
{
	enum { COUNT = 20000 };
	static const char *where[COUNT];
	static struct str_id ids[COUNT];
	struct strpool *pool = strpool_create();
	char text[32];

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "symbol_%d", i);
		ids[i] = intern(pool, text);
		where[i] = strpool_get(pool, ids[i]);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "symbol_%d", i);
		assert_int_equal(intern(pool, text).v, ids[i].v);
		assert_ptr_equal(strpool_get(pool, ids[i]), where[i]);
		assert_string_equal(where[i], text);
	}
	assert_true(strpool_bytes(pool) > COUNT * sizeof("symbol_0"));
	strpool_destroy(pool);
}

/* Text that came and went leaves neither bytes nor ids, and what somebody else keeps stays. */
static void test_passing_text_goes_when_nobody_uses_it(void **state)
{
	enum { COUNT = 1000, KEPT = 7 };
	struct strpool *pool = strpool_create();
	struct str_id kept, both;
	unsigned char *used;
	char text[32];
	size_t most = 0;

	(void)state;
	both = strpool_intern_passing(pool, "both", 4);
	assert_int_equal(intern(pool, "both").v, both.v);
	kept = strpool_intern_passing(pool, "kept", 4);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < COUNT; i++) {
			const int len = snprintf(text, sizeof(text), "name %d of %d", i, round);

			strpool_intern_passing(pool, text, (size_t)len);
		}
		assert_true(strpool_passing_bytes(pool) > COUNT * sizeof("name 1 of 1"));
		used = calloc(strpool_count(pool), 1);
		used[kept.v] = 1;
		strpool_sweep(pool, used);
		free(used);
		if (!round)
			most = strpool_bytes(pool);
		assert_true(strpool_bytes(pool) <= most);
		assert_in_range(strpool_passing_bytes(pool), 1, 200);
	}
	assert_true(strpool_count(pool) <= COUNT + 3);
	assert_string_equal(strpool_get(pool, kept), "kept");
	assert_string_equal(strpool_get(pool, both), "both");
	assert_int_equal(strpool_find(pool, "kept", 4).v, kept.v);
	assert_int_equal(strpool_find(pool, "name 1 of 1", 11).v, 0);
	assert_int_equal(intern(pool, "both").v, both.v);
	strpool_destroy(pool);
}

/* With no memory to be had a name is the empty one: and somebody says so. */
static void test_text_without_memory_is_counted(void **state)
{
	struct strpool *pool = strpool_create();
	struct rlimit before, none = { .rlim_cur = 0 };
	uint64_t empty = 0;
	char text[4096];

	(void)state;
	if (SANITIZER_BUILD) {	/* the sanitizer's own memory must not be limited */
		strpool_destroy(pool);
		return;
	}
	memset(text, 'x', sizeof(text));
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	for (unsigned int i = 0; i < 100000 && !empty; i++) {
		memcpy(text, &(uint32_t){ 0x41414141 + i % 16 + (i / 16 % 16 << 8) +
					  (i / 256 % 16 << 16) + (i / 4096 << 24) }, 4);
		empty += !strpool_intern(pool, text, sizeof(text) - 1).v;
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(empty, 1);
	assert_int_equal(strpool_refused(pool), 1);
	assert_int_not_equal(intern(pool, "later").v, 0);
	assert_int_equal(strpool_refused(pool), 1);
	strpool_destroy(pool);
}

/* In another process: it is to end by the assertion, in silence. */
static bool ends_at_text_of(struct strpool *pool, struct str_id id)
{
	static const struct rlimit no_core = { .rlim_cur = 0 };
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		_exit(strpool_get(pool, id) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || status == 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_an_id_that_was_swept_is_our_own_mistake(void **state)
{
	struct strpool *pool = strpool_create();
	const struct str_id stays = intern(pool, "stays");
	const struct str_id goes = strpool_intern_passing(pool, "goes", 4);
	const unsigned char used[3] = { 0 };

	(void)state;
	assert_int_equal(strpool_count(pool), 3);
	assert_false(ends_at_text_of(pool, goes));
	strpool_sweep(pool, used);
	assert_true(ends_at_text_of(pool, goes));
	assert_true(ends_at_text_of(pool, (struct str_id){ 3 }));
	assert_false(ends_at_text_of(pool, stays));
	strpool_destroy(pool);
}

UNIT_TESTS(test_strpool)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id_0_is_the_empty_string),
		cmocka_unit_test(test_the_hash_is_the_same_everywhere),
		cmocka_unit_test(test_equal_text_gives_the_same_id_and_other_text_another),
		cmocka_unit_test(test_hostile_text_is_interned_clean),
		cmocka_unit_test(test_text_longer_than_a_path_is_cut),
		cmocka_unit_test(test_text_never_moves_while_the_pool_grows),
		cmocka_unit_test(test_passing_text_goes_when_nobody_uses_it),
		cmocka_unit_test(test_an_id_that_was_swept_is_our_own_mistake),
		cmocka_unit_test(test_text_without_memory_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
