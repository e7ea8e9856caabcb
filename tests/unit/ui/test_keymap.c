/* Keys are bound, taken away and written as the help prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "ui/keymap.h"
#include "term/keys.h"
#include "unit_tests.h"

static struct keymap keymap;

static int set_defaults(void **state)
{
	(void)state;
	keymap_init(&keymap, commands, command_count);
	return 0;
}

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	fail_msg("no command %s", name);
	return NULL;
}

static const char *keys_of(const char *name)
{
	static char text[KEYMAP_TEXT_BYTES];

	return keymap_format(&keymap, command_named(name), text);
}

static const char *found(int key, enum view_place place)
{
	const struct command *command = keymap_find(&keymap, key, place);

	return command ? command->name : "none";
}

static void bind(const char *name, const char *text)
{
	struct diag why = { 0 };

	if (keymap_bind(&keymap, name, text, &why))
		fail_msg("%s", why.text);
}

/* Expects that binding fails and changes nothing. */
static void refuse(const char *name, const char *text, int err, const char *reason)
{
	const struct keymap before = keymap;
	struct diag why = { 0 };

	assert_int_equal(keymap_bind(&keymap, name, text, &why), err);
	assert_int_equal(why.err, err);
	assert_non_null(strstr(why.text, reason));
	assert_memory_equal(&before, &keymap, sizeof(keymap));
}

static void test_the_defaults_are_those_of_the_commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < command_count; i++) {
		assert_int_equal(keymap_key(&keymap, &commands[i]), commands[i].keys[0]);
		for (size_t k = 0; k < COMMAND_KEYS && commands[i].keys[k]; k++)
			for (unsigned int place = 1; place <= IN_ALL; place <<= 1)
				if (commands[i].where & place)
					assert_ptr_equal(keymap_find(&keymap, commands[i].keys[k],
								     (enum view_place)place),
							 &commands[i]);
	}
	assert_null(keymap_find(&keymap, 0, IN_TABLE));
	assert_string_equal(keys_of("quit"), "q, Ctrl-C, F10");
}

static void test_binding_replaces_all_keys_of_a_command(void **state)
{
	(void)state;
	bind("quit", "Q,  F10");
	assert_string_equal(keys_of("quit"), "Q, F10");
	assert_string_equal(found('Q', IN_TABLE), "quit");
	assert_string_equal(found(UI_KEY_F10, IN_PAGER), "quit");
	assert_string_equal(found('q', IN_TABLE), "none");
	bind("pause", "");
	assert_string_equal(keys_of("pause"), "");
	assert_int_equal(keymap_key(&keymap, command_named("pause")), 0);
	assert_string_equal(found(' ', IN_TABLE), "none");
	bind("pause", "Y, Y, Ctrl-Y, Y");	/* the same key again is the same key */
	assert_string_equal(keys_of("pause"), "Y, Ctrl-Y");
}

static void test_the_earlier_name_of_a_command_is_read(void **state)
{
	(void)state;
	bind("objects", "Z");
	assert_string_equal(keys_of("dsos"), "Z");
}

static void test_a_key_is_taken_from_the_command_that_had_it(void **state)
{
	(void)state;
	bind("pause", "k, Ctrl-C");
	assert_string_equal(found('k', IN_TABLE), "pause");
	assert_string_equal(keys_of("up"), "Up");
	assert_string_equal(keys_of("quit"), "q, F10");
	bind("pause", "Up");
	assert_string_equal(keys_of("up"), "");
	assert_string_equal(found('k', IN_TABLE), "none");
}

static void test_the_last_key_of_quit_cannot_be_taken(void **state)
{
	(void)state;
	refuse("quit", "", -EINVAL, "no key to quit");
	refuse("pause", "q, Ctrl-C, F10", -EINVAL, "give quit another one first");
	bind("pause", "Ctrl-C, F10");
	refuse("help", "q", -EINVAL, "no key to quit");
	bind("quit", "F10");
	bind("help", "q");
	assert_string_equal(found('q', IN_TABLE), "help");
}

static void test_unknown_commands_and_keys_are_refused_with_a_reason(void **state)
{
	(void)state;
	refuse("pauze", "p", -ENOENT, "did you mean pause?");
	refuse("xyzzy-plugh", "p", -ENOENT, "no command \"xyzzy-plugh\"");
	refuse("pause", "k, Hyper-X", -EINVAL, "\"Hyper-X\" in \"k, Hyper-X\" is no key");
	refuse("pause", "a,", -EINVAL, "is no key");
	refuse("pause", "a, , b", -EINVAL, "is no key");
	refuse("pause", "ab", -EINVAL, "is no key");
	refuse("pause", "Shift-Tab-and-much-more-than-that", -EINVAL, "is no key");
	refuse("pause", "1, 2, 3, 4, 5", -EINVAL, "can have 4 keys");
}

static void test_a_key_works_only_where_its_command_does(void **state)
{
	(void)state;
	bind("pause", "F9");
	assert_string_equal(found(UI_KEY_F9, IN_TABLE), "pause");
	assert_string_equal(found(UI_KEY_F9, IN_PAGER), "none");
}

static void check_round_trip(int first, int last)
{
	char name[KEYS_NAME_BYTES];

	for (int key = first; key <= last; key++)
		assert_int_equal(keymap_parse_key(keys_format(key, name)), key);
}

static void test_every_printed_key_is_read_back(void **state)
{
	(void)state;
	check_round_trip(1, '~');
	check_round_trip(UI_KEY_BACKSPACE, UI_KEY_BACKSPACE);
	check_round_trip(0xa1, 0xac);
	check_round_trip(0x6f22, 0x6f22);
	check_round_trip(0x1f525, 0x1f525);
	check_round_trip(UI_KEY_SPECIAL, UI_KEY_F12);
}

static void test_every_list_of_keys_is_read_back(void **state)
{
	static const int keys[] = { ',', ' ', '\\', UI_KEY_F5, 0xe4, UI_KEY_CTRL('X'), ',' };
	char text[KEYMAP_TEXT_BYTES];
	struct keymap again;

	(void)state;
	for (size_t first = 0; first + KEYMAP_KEYS <= sizeof(keys) / sizeof(keys[0]); first++) {
		memcpy(keymap.keys[0], keys + first, sizeof(keymap.keys[0]));
		again = keymap;
		memset(again.keys[0], 0, sizeof(again.keys[0]));
		keymap_format(&keymap, &commands[0], text);
		assert_int_equal(keymap_bind(&again, commands[0].name, text, NULL), 0);
		assert_memory_equal(again.keys[0], keymap.keys[0], sizeof(again.keys[0]));
	}
}

static void test_names_of_keys_have_no_case_and_characters_have(void **state)
{
	(void)state;
	assert_int_equal(keymap_parse_key("ctrl-l"), UI_KEY_CTRL('L'));
	assert_int_equal(keymap_parse_key("ESC"), UI_KEY_ESCAPE);
	assert_int_equal(keymap_parse_key("pgup"), UI_KEY_PAGE_UP);
	assert_int_equal(keymap_parse_key("f12"), UI_KEY_F12);
	assert_int_equal(keymap_parse_key("k"), 'k');
	assert_int_equal(keymap_parse_key("K"), 'K');
	assert_int_equal(keymap_parse_key("\u00e4"), 0xe4);
}

static void test_what_is_no_key_is_not_read(void **state)
{
	(void)state;
	assert_int_equal(keymap_parse_key(""), 0);
	assert_int_equal(keymap_parse_key(" "), 0);
	assert_int_equal(keymap_parse_key("\t"), 0);
	assert_int_equal(keymap_parse_key("\x9b"), 0);
	assert_int_equal(keymap_parse_key("\u202e"), 0);
	assert_int_equal(keymap_parse_key("\u0301"), 0);
	assert_int_equal(keymap_parse_key("Mouse"), 0);
	assert_int_equal(keymap_parse_key("F13"), 0);
	assert_int_equal(keymap_parse_key("Ctrl-"), 0);
	assert_int_equal(keymap_parse_key("Ctrl-LL"), 0);
}

#define KEYMAP_TEST(test) cmocka_unit_test_setup(test, set_defaults)

UNIT_TESTS(test_keymap)
{
	const struct CMUnitTest tests[] = {
		KEYMAP_TEST(test_the_defaults_are_those_of_the_commands),
		KEYMAP_TEST(test_binding_replaces_all_keys_of_a_command),
		KEYMAP_TEST(test_the_earlier_name_of_a_command_is_read),
		KEYMAP_TEST(test_a_key_is_taken_from_the_command_that_had_it),
		KEYMAP_TEST(test_the_last_key_of_quit_cannot_be_taken),
		KEYMAP_TEST(test_unknown_commands_and_keys_are_refused_with_a_reason),
		KEYMAP_TEST(test_a_key_works_only_where_its_command_does),
		KEYMAP_TEST(test_every_printed_key_is_read_back),
		KEYMAP_TEST(test_every_list_of_keys_is_read_back),
		KEYMAP_TEST(test_names_of_keys_have_no_case_and_characters_have),
		KEYMAP_TEST(test_what_is_no_key_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
