/* One id per text, whatever happens around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strpool.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id_0_is_the_empty_string),
		cmocka_unit_test(test_equal_text_gives_the_same_id_and_other_text_another),
		cmocka_unit_test(test_hostile_text_is_interned_clean),
		cmocka_unit_test(test_text_longer_than_a_path_is_cut),
		cmocka_unit_test(test_text_never_moves_while_the_pool_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
