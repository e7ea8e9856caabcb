/* The table of keys is consistent, and the manual says the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "term/keys.h"
#include "ui/keymap.h"
#include "unit_tests.h"

static void test_no_view_has_one_key_twice(void **state)
{
	struct keymap keymap;

	(void)state;
	keymap_init(&keymap, commands, command_count);
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
		assert_int_not_equal(!commands[i].action.run, !commands[i].action.run_with);
		assert_true(strlen(commands[i].help) > 0);
		assert_true(commands[i].where & IN_ALL);
		assert_int_equal(commands[i].label != NULL, commands[i].label_rank > 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(commands[i].name, commands[j].name);
	}
}

/* The key map: what a key does is the same in all views. A line names keys, and the commands that
 * may have them, which are one action on what the view shows. A line without commands keeps its
 * keys free for a feature that is still to come. A key of no line, and a command of another line,
 * fail the test. */
static const struct key_meaning {
	const char *keys, *commands;
} key_map[] = {
	{ "Up k", "up" },
	{ "Down j", "down" },
	{ "PgUp Ctrl-B", "page-up" },
	{ "PgDn Ctrl-F", "page-down" },
	{ "Ctrl-U", "half-up" },
	{ "Ctrl-D", "half-down" },
	{ "Home", "first" },
	{ "End G", "last" },
	{ "Enter", "open open-function open-group open-probe open-rows zoom follow open-stack" },
	/* Open, or fold out; to the next box of the flame graph, the next page of a probe. */
	{ "Right l", "open open-line open-groups open-inlined open-rows open-stack box-right "
		     "next-page" },
	{ "Esc Backspace", "back leave-tree" },
	/* Back, or fold in; to the box or the page before. */
	{ "Left h", "back close-line close-rows box-left previous-page" },
	{ "1", "symbols" }, { "2", "dsos" }, { "3", "commands" }, { "4", "tasks" },
	{ "5", "cpus" }, { "8", "probes" }, { "9", "groups" },
	{ "6 F5", "tree whole-tree" },
	{ "7", "flame whole-flame" },
	{ "b", "butterfly" },
	/* The code of this function; again: its next layer. */
	{ "a", "listing next-layer" },
	{ "A", "arrows" },
	{ "Tab", "next-view" },
	{ "Shift-Tab", "previous-view" },
	{ ".", "row-menu probe-menu" },
	{ ":", "palette" },
	{ "/ F3", "search" },
	{ "n", "find-next" },
	{ "N", "find-previous" },
	{ "\\ F4", "filter probe-log-filter filter-threads" },
	{ "F", "filters" },
	{ "[", "earlier" }, { "]", "later" }, { "{", "much-earlier" }, { "}", "much-later" },
	{ "(", "shorter" }, { ")", "longer" }, { "0", "live" },
	{ "Space", "pause" },
	{ "w", "window" },
	{ "m", "mark-baseline" }, { "x", "compare" }, { "X", "forget-baseline" },
	{ "z", "zero" },
	{ "H", "heat-map" },
	{ "J", "hottest" },
	{ "<", "slower" }, { ">", "faster" },
	{ "c", "columns colours" },
	{ "s", "sort sort-groups" }, { "S", "reverse reverse-groups" },
	{ "o F6", "order flip" },
	{ "e", "event" }, { "v", "next-event" },
	{ "f", "frequency" },
	{ "g", "group-by group-keys group-hits counter-rows" },
	{ "%", "percent-of" },
	{ "#", "tree-limit" },
	/* In Probes + is the lease, which grows. */
	{ "+", "unfold open-line open-groups open-inlined open-rows probe-extend" },
	{ "-", "fold close-line close-rows" },
	{ "E", "open-all" }, { "C", "close-all" },
	{ "r", "turn" },
	{ "I", "inlined" },
	{ "i", "idle kernel-threads" }, { "K", "hide-kernel" }, { "U", "hide-user" },
	{ "R", "raw-names" },
	{ "p", "probe" },
	{ "Ctrl-P", "find-target new-probe" },
	/* The exception: in Probes t is on and off. */
	{ "t", "target probe-toggle" },
	{ "d", "probe-remove" }, { "D", "probe-remove-all" },
	{ "L", "log probes-log" },
	{ "P", "save-stacks" },
	{ "O", "record" },
	{ "T", "theme" }, { "M", "mouse" }, { "Ctrl-L", "repaint" },
	{ "? F1", "help" },
	{ "!", "messages" }, { "$", "losses" },
	{ "q Ctrl-C F10", "quit" },
	/* On the page of :command its line is what there is to copy. */
	{ "y", "copy-line copy-row" },
	{ "V", "counters" },
	{ "=", "counter-line" },
	{ "@", "threads-now look-again" },
	{ "W", "weight" },
	{ "B u | Y", "" },
};

/* Is @word one of those of @list, between which there are blanks? */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static const struct key_meaning *meaning_of(const char *key)
{
	for (size_t i = 0; i < sizeof(key_map) / sizeof(key_map[0]); i++)
		if (has_word(key_map[i].keys, key))
			return &key_map[i];
	return NULL;
}

static void test_a_key_means_the_same_in_all_views(void **state)
{
	const struct key_meaning *meaning;
	char key[KEYS_NAME_BYTES];

	(void)state;
	for (size_t i = 0; i < command_count; i++)
		for (size_t k = 0; k < COMMAND_KEYS && commands[i].keys[k]; k++) {
			meaning = meaning_of(keys_format(commands[i].keys[k], key));
			if (!meaning || !has_word(meaning->commands, commands[i].name))
				fail_msg("the key map does not have %s for %s", key,
					 commands[i].name);
		}
}

/* Has a command that the list @names has the key @name? */
static bool is_bound(const char *names, const char *name)
{
	char key[KEYS_NAME_BYTES];

	for (size_t i = 0; i < command_count; i++)
		for (size_t k = 0; k < COMMAND_KEYS && commands[i].keys[k]; k++)
			if (has_word(names, commands[i].name) &&
			    !strcmp(keys_format(commands[i].keys[k], key), name))
				return true;
	return false;
}

static void test_every_key_of_the_map_is_bound(void **state)
{
	char keys[64], *rest, *key;

	(void)state;
	for (size_t i = 0; i < sizeof(key_map) / sizeof(key_map[0]); i++) {
		snprintf(keys, sizeof(keys), "%s", key_map[i].keys);
		for (key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest))
			if (key_map[i].commands[0] && !is_bound(key_map[i].commands, key))
				fail_msg("no command has %s", key);
	}
}

/* Removes blanks, and the escapes of mdoc(7) that manual.c writes, from @text. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!strncmp(from, "\\&", 2) || !strncmp(from, "\\:", 2)) {
			from++;
		} else if (!strncmp(from, "\\(dq", 4)) {
			*to++ = '"';
			from += 3;
		} else if (!strncmp(from, "\\e", 2)) {
			*to++ = '\\';
			from++;
		} else if (*from != ' ' && *from != '\n') {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* The manual has "KEYS (NAME)", or ":NAME (NAME)", and the help of each command. */
static void test_the_manual_lists_every_command(void **state)
{
	char keys[KEYMAP_TEXT_BYTES], item[512], *manual;
	struct keymap keymap;
	size_t size;
	FILE *out = open_memstream(&manual, &size);

	(void)state;
	keymap_init(&keymap, commands, command_count);
	assert_non_null(out);
	manual_print(out);
	assert_int_equal(fclose(out), 0);
	squeeze(manual);
	for (size_t i = 0; i < command_count; i++) {
		keymap_format(&keymap, &commands[i], keys);
		if (!keys[0])
			snprintf(keys, sizeof(keys), ":%s", commands[i].name);
		snprintf(item, sizeof(item), ".It Ic\"%s\"Pq %s%s", keys, commands[i].name,
			 commands[i].help);
		squeeze(item);
		if (!strstr(manual, item))
			print_error("the manual lacks: %s\n", item);
		assert_non_null(strstr(manual, item));
	}
	free(manual);
}

UNIT_TESTS(test_commands)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_view_has_one_key_twice),
		cmocka_unit_test(test_a_key_means_the_same_in_all_views),
		cmocka_unit_test(test_every_key_of_the_map_is_bound),
		cmocka_unit_test(test_every_command_is_whole_and_has_its_own_name),
		cmocka_unit_test(test_the_manual_lists_every_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
