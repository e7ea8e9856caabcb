/* Names of keys, as users write them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/option_values.h"
#include "fold/query.h"
#include "unit_tests.h"

#define ALL_KEYS                                                                                   \
	"event, comm, pid, tid, thread, cgroup, unit, container, pod, cpu, socket, pmu, " \
	"wait, state, waker, by1, by2, by3, by4, dso, symbol, address, source, parent"

static enum group_key keys[GROUP_LEVELS];
static uint32_t count;
static struct diag why;

static void expect(const char *text, const enum group_key *known, uint32_t known_count)
{
	assert_int_equal(group_keys_parse(text, "--group", keys, &count, &why), 0);
	assert_int_equal(count, known_count);
	assert_memory_equal(keys, known, known_count * sizeof(*known));
}

#define EXPECT(text, ...)                                                                          \
	expect(text, (const enum group_key[]){ __VA_ARGS__ },                                      \
	       sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

static void refuse(const char *text, const char *sentence)
{
	count = 77;
	assert_int_equal(group_keys_parse(text, "--group", keys, &count, &why), -EINVAL);
	assert_string_equal(why.text, sentence);
	assert_int_equal(count, 77);
}

static void test_keys_stay_in_their_order(void **state)
{
	(void)state;
	EXPECT("comm,dso,symbol", GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	EXPECT("symbol,comm", GROUP_SYMBOL, GROUP_COMM);
	EXPECT("event,socket,cpu,pid,tid,thread,address,source", GROUP_EVENT, GROUP_SOCKET,
	       GROUP_CPU, GROUP_PID, GROUP_TID, GROUP_THREAD, GROUP_ADDRESS, GROUP_SOURCE);
	EXPECT("cgroup,unit,container,pod,parent", GROUP_CGROUP, GROUP_UNIT, GROUP_CONTAINER,
	       GROUP_POD, GROUP_PARENT);
}

static void test_other_tools_names_are_known(void **state)
{
	(void)state;
	EXPECT("sym,object,command", GROUP_SYMBOL, GROUP_DSO, GROUP_COMM);
	EXPECT("srcline,caller,addr,package", GROUP_SOURCE, GROUP_PARENT, GROUP_ADDRESS,
	       GROUP_SOCKET);
}

static void test_what_is_no_key_is_refused_with_all_that_are(void **state)
{
	(void)state;
	refuse("host", "--group host: \"host\" is no key; there are " ALL_KEYS);
	refuse("comm,symbl",
	       "--group comm,symbl: \"symbl\" is no key, did you mean symbol? There are " ALL_KEYS);
	refuse("", "--group : \"\" is no key; there are " ALL_KEYS);
	refuse("comm,", "--group comm,: \"\" is no key; there are " ALL_KEYS);
}

static void test_what_can_not_be_together_is_refused(void **state)
{
	(void)state;
	refuse("comm,sym,command", "--group comm,sym,command: comm is there twice");
	refuse("comm,event", "--group comm,event: event must come first, for periods of different "
			     "events can't be added");
	refuse("comm,pid,tid,thread,cpu,dso,symbol,address,parent",
	       "--group comm,pid,tid,thread,cpu,dso,symbol,address,parent: no more than 8 levels "
	       "can be");
}

static void test_the_words_that_are_offered_are_the_keys(void **state)
{
	uint32_t i = 0;

	(void)state;
	for (; option_group_keys[i]; i++)
		assert_string_equal(option_group_keys[i], group_key_name((enum group_key)i));
	assert_int_equal(i, GROUP_KEY_COUNT);
}

UNIT_TESTS(test_group_keys)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_stay_in_their_order),
		cmocka_unit_test(test_other_tools_names_are_known),
		cmocka_unit_test(test_what_is_no_key_is_refused_with_all_that_are),
		cmocka_unit_test(test_what_can_not_be_together_is_refused),
		cmocka_unit_test(test_the_words_that_are_offered_are_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
