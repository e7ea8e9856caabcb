/* What flametop takes over from who started it, and what its command gets back. */
#include "base/privileges.h"
#include "unit_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_the_command_gets_back_what_was_taken(void **state)
{
	static char term[] = "TERM=xterm", lang[] = "LANG=/evil", home[] = "HOME=/evil";
	char *given[] = { term, lang, home, NULL };
	struct rlimit before, now;
	char **own = environ;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	before.rlim_cur /= 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	umask(022);
	environ = given;
	inherited_distrust();
	if (geteuid() == 0) {
		assert_string_equal(getenv("TERM"), "xterm");
		assert_null(getenv("LANG"));	/* leads somewhere */
		assert_null(getenv("HOME"));
	}
	assert_int_equal(umask(077), 077);
	assert_int_equal(getrlimit(RLIMIT_CORE, &now), 0);
	assert_int_equal(now.rlim_cur, 0);
	now = (struct rlimit){ .rlim_cur = before.rlim_max, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);

	inherited_give_back();
	assert_string_equal(getenv("HOME"), "/evil");
	assert_int_equal(umask(022), 022);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, before.rlim_cur);
	environ = own;
}

UNIT_TESTS(test_inherited)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_command_gets_back_what_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
