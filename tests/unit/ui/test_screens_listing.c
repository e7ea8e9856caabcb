/* Whole screens of a listing: its layers, its arrows, and what it says if something is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "listing_screen.h"
#include "ui/term/keys.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static struct listing_screen screen;

/* Compares the screen after @keys at every size. @change (NULL: nothing) is applied first. */
static void check_at_every_size(const char *name, const char *keys,
				void (*change)(struct listing_fixture *fixture))
{
	char file[64];

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		listing_screen_init(&screen, sizes[i].width, sizes[i].height);
		if (change)
			change(&screen.fixture);
		listing_screen_open(&screen);
		ui_press(&screen.ui, keys);
		frame_draw(&screen.ui.state, &screen.ui.canvas);
		screen.ui.state.message[0] = '\0';
		snprintf(file, sizeof(file), "listing_%s_%dx%d", name, sizes[i].width,
			 sizes[i].height);
		listing_screen_close(&screen, file);
	}
}

static void test_source_lines(void **state)
{
	(void)state;
	check_at_every_size("source", "", NULL);
}

static void test_opened_lines(void **state)
{
	(void)state;
	check_at_every_size("opened", "E", NULL);
}

static void test_instructions_by_line(void **state)
{
	(void)state;
	check_at_every_size("mixed", "a", NULL);
}

static void test_instructions_with_the_moved_part(void **state)
{
	(void)state;
	check_at_every_size("asm", "aa", NULL);
}

static void test_all_arrows(void **state)
{
	(void)state;
	check_at_every_size("arrows", "aaA", NULL);
}

static void test_percent_of_all(void **state)
{
	(void)state;
	check_at_every_size("of_all", "%", NULL);
}

static void compare(struct listing_fixture *fixture)
{
	fixture->listing.is_compared = true;
}

static void test_compared_with_a_baseline(void **state)
{
	(void)state;
	check_at_every_size("compared", "", compare);
}

static void drop_lines(struct listing_fixture *fixture)
{
	fixture->document.has_lines = false;
	fixture->document.sources = NULL;
	diag_set(&fixture->document.lines_why, -2, "libdyn.so has no debug information");
}

static void test_without_lines_there_are_instructions_and_the_reason(void **state)
{
	(void)state;
	check_at_every_size("no_lines", "", drop_lines);
}

static struct listing_source no_sources[2];

static void drop_sources(struct listing_fixture *fixture)
{
	for (int i = 0; i < 2; i++)
		diag_set(&no_sources[i].why, -2, "/src/dyn.c is not there: --source-path says "
			 "where sources are");
	fixture->document.sources = no_sources;
}

static void test_without_sources_there_are_line_numbers_and_the_reason(void **state)
{
	(void)state;
	check_at_every_size("no_source", "", drop_sources);
}

static void drop_code(struct listing_fixture *fixture)
{
	drop_lines(fixture);
	fixture->document.has_code = false;
	diag_set(&fixture->document.code_why, -2,
		 "no bytes: this kernel has no /proc/kcore and no image");
}

static void test_without_bytes_there_are_addresses(void **state)
{
	(void)state;
	check_at_every_size("no_code", "", drop_code);
}

static void refuse(struct listing_fixture *fixture)
{
	fixture->listing.state = LISTING_REFUSED;
	fixture->listing.document = NULL;
	fixture->listing.reason = "no process has it mapped any more, and its file has no build-id";
}

static void test_refused(void **state)
{
	(void)state;
	check_at_every_size("refused", "", refuse);
}

static void load(struct listing_fixture *fixture)
{
	fixture->listing.state = LISTING_LOADING;
	fixture->listing.document = NULL;
	fixture->listing.reason = "reading its code\u2026";
}

static void test_loading(void **state)
{
	(void)state;
	check_at_every_size("loading", "", load);
}

static void make_jit(struct listing_fixture *fixture)
{
	drop_lines(fixture);
	diag_set(&fixture->document.lines_why, -2, "code made at run time has no source lines "
		 "without a jitdump");
	fixture->listing.is_run_time = true;
	fixture->listing.symbol = fixture->listing.raw_symbol = "LazyCompile:*render app.js:118";
	fixture->listing.dso = fixture->listing.dso_path = "[jit]";
	strcpy(fixture->document.note, "bytes of the process's memory; changed since");
}

static void test_code_made_at_run_time(void **state)
{
	(void)state;
	check_at_every_size("jit", "", make_jit);
}

static void test_meaning_of_every_cell(void **state)
{
	(void)state;
	listing_screen_init(&screen, 80, 24);
	compare(&screen.fixture);
	listing_screen_open(&screen);
	ui_compare("listing_source_roles_80x24", ui_roles(&screen.ui));
	ui_press(&screen.ui, "aa");
	ui_compare("listing_asm_roles_80x24", ui_roles(&screen.ui));
	listing_screen_finish(&screen);
}

static void test_only_ascii(void **state)
{
	(void)state;
	listing_screen_init(&screen, 80, 24);
	screen.ui.canvas.is_ascii = true;
	listing_screen_open(&screen);
	ui_compare("listing_source_ascii_80x24", ui_text(&screen.ui));
	ui_press(&screen.ui, "aaA");
	listing_screen_close(&screen, "listing_arrows_ascii_80x24");
}

UNIT_TESTS(test_screens_listing)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_lines),
		cmocka_unit_test(test_opened_lines),
		cmocka_unit_test(test_instructions_by_line),
		cmocka_unit_test(test_instructions_with_the_moved_part),
		cmocka_unit_test(test_all_arrows),
		cmocka_unit_test(test_percent_of_all),
		cmocka_unit_test(test_compared_with_a_baseline),
		cmocka_unit_test(test_without_lines_there_are_instructions_and_the_reason),
		cmocka_unit_test(test_without_sources_there_are_line_numbers_and_the_reason),
		cmocka_unit_test(test_without_bytes_there_are_addresses),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_loading),
		cmocka_unit_test(test_code_made_at_run_time),
		cmocka_unit_test(test_meaning_of_every_cell),
		cmocka_unit_test(test_only_ascii),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
