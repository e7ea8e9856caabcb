/* The table of keys is consistent, and README tells the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui/commands.h"
#include "ui/keymap.h"
#include "ui/keys.h"

static void test_no_view_has_one_key_twice(void **state)
{
	struct keymap keymap;

	(void)state;
	keymap_init(&keymap);
	for (size_t i = 0; i < command_count; i++)
		for (size_t k = 0; k < COMMAND_KEYS && commands[i].keys[k]; k++)
			for (unsigned int place = 1; place <= IN_ALL; place <<= 1)
				if (commands[i].where & place)
					assert_ptr_equal(keymap_find(&keymap, commands[i].keys[k],
								     (enum view_place)place),
							 &commands[i]);
}

static void test_every_command_is_whole_and_has_its_own_name(void **state)
{
	(void)state;
	assert_true(command_count <= KEYMAP_COMMANDS);
	for (size_t i = 0; i < command_count; i++) {
		assert_non_null(commands[i].run);
		assert_true(strlen(commands[i].help) > 0);
		assert_true(commands[i].where & IN_ALL);
		assert_int_equal(commands[i].label != NULL, commands[i].label_rank > 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(commands[i].name, commands[j].name);
	}
}

/* README has each command as "| `keys` | help |". */
static void test_readme_lists_every_command(void **state)
{
	static char readme[256 * 1024];
	char keys[KEYMAP_TEXT_BYTES], row[512];
	struct keymap keymap;
	FILE *file = fopen("README.md", "r");
	size_t length;

	(void)state;
	keymap_init(&keymap);
	assert_non_null(file);
	length = fread(readme, 1, sizeof(readme) - 1, file);
	fclose(file);
	readme[length] = '\0';
	for (size_t i = 0; i < command_count; i++) {
		snprintf(row, sizeof(row), "| `%s` | %s |",
			 keymap_format(&keymap, &commands[i], keys), commands[i].help);
		if (!strstr(readme, row))
			print_error("README.md lacks: %s\n", row);
		assert_non_null(strstr(readme, row));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_view_has_one_key_twice),
		cmocka_unit_test(test_every_command_is_whole_and_has_its_own_name),
		cmocka_unit_test(test_readme_lists_every_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
