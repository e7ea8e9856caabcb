/* The listing of a function: keys, the cursor over refreshes and layers, where rows lead. The
 * function is that of listing_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "listing_screen.h"
#include "probe_fixture.h"
#include "ui/term/keys.h"
#include "unit_tests.h"

static int set_up(void **state)
{
	static struct listing_screen screen;

	listing_screen_init(&screen, 100, 30);
	listing_screen_open(&screen);
	*state = &screen;
	return 0;
}

static int tear_down(void **state)
{
	listing_screen_finish(*state);
	return 0;
}

static struct listing_view *view_of(const struct listing_screen *screen)
{
	return listing_view_of(&screen->ui.state);
}

static const struct breadcrumbs_level *here(const struct listing_screen *screen)
{
	const struct breadcrumbs *breadcrumbs = &screen->ui.state.query.breadcrumbs;

	return &breadcrumbs->levels[breadcrumbs->count - 1];
}

static void expect_cursor(const struct listing_screen *screen, const char *text)
{
	assert_string_equal(listing_screen_cursor(screen), text);
}

static void expect_message(const struct listing_screen *screen, const char *text)
{
	assert_string_equal(screen->ui.state.message, text);
}

static void test_a_lists_the_function_of_the_row_and_back_returns_to_it(void **state)
{
	struct listing_screen *screen = *state;

	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_SYMBOLS));
	ui_press(&screen->ui, "jja");
	assert_int_equal(here(screen)->kind, VIEW_LISTING);
	assert_string_equal(here(screen)->function, "ChaCha20_4xl");
	assert_int_equal(ui_asked(&screen->ui)->listing.address, here(screen)->listing.address);
	assert_int_equal(ui_asked(&screen->ui)->keys, 0);
	assert_int_equal(ui_asked(&screen->ui)->filter.count, 0);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_LISTING));
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	assert_string_equal(ui_cursor(&screen->ui)->symbol, "ChaCha20_4xl");
	assert_int_equal(ui_asked(&screen->ui)->listing.dso, 0);
}

static void test_the_cursor_begins_on_the_hottest_line(void **state)
{
	expect_cursor(*state, "if (match(e, key))");
}

/* The key is pressed on a row of one address, or a call leads into the middle of a function. */
static void test_an_address_within_the_function_is_where_the_cursor_begins(void **state)
{
	const struct source_request within = { .address = 0x1018, .dso = 1 };
	struct listing_screen *screen = *state;

	state_open_listing(&screen->ui.state, &within, "", "search");
	listing_screen_reply(screen);
	expect_cursor(screen, "return value_of(e);");
	ui_press(&screen->ui, "aa");
	expect_cursor(screen, "call   value_of");
}

static void test_a_goes_round_the_layers(void **state)
{
	static const enum listing_layer layers[] = { LISTING_MIXED, LISTING_ASM, LISTING_SOURCE };
	struct listing_screen *screen = *state;

	assert_int_equal(view_of(screen)->rows.layer, LISTING_SOURCE);
	for (int i = 0; i < 3; i++) {
		ui_press(&screen->ui, "a");
		assert_int_equal(view_of(screen)->rows.layer, layers[i]);
	}
}

/* Line 17 begins at 0x100f, whose instruction is "mov (%rax),%rax". */
static void test_another_layer_keeps_the_cursor_at_its_address(void **state)
{
	struct listing_screen *screen = *state;

	listing_screen_go(screen, "e = e->next;");
	ui_press(&screen->ui, "a");
	expect_cursor(screen, "mov    (%rax),%rax");
	ui_press(&screen->ui, "a");
	expect_cursor(screen, "mov    (%rax),%rax");
	ui_press(&screen->ui, "a");
	expect_cursor(screen, "e = e->next;");
}

/* Lines without code are at the address of the code before them. */
static void test_a_line_without_code_is_where_the_line_before_it_is(void **state)
{
	struct listing_screen *screen = *state;

	listing_screen_go(screen, "}");
	ui_press_key(&screen->ui, UI_KEY_UP);
	ui_press_key(&screen->ui, UI_KEY_UP);
	ui_press_key(&screen->ui, UI_KEY_UP);
	ui_press(&screen->ui, "a");
	assert_true(listing_view_cursor(view_of(screen)) != UINT32_MAX);
}

static void test_a_refresh_changes_numbers_and_never_the_cursor(void **state)
{
	static struct listing_address addresses[2] = {
		{ .address = 0x1018, .now = { { 90, 90 } } },
		{ .address = 0x101e, .now = { { 10, 10 } } },
	};
	struct listing_screen *screen = *state;
	size_t top;

	ui_press(&screen->ui, "j");
	expect_cursor(screen, "return value_of(e);");
	top = view_of(screen)->place.top;
	screen->fixture.listing.addresses = addresses;
	screen->fixture.listing.address_count = 2;
	memset(screen->fixture.listing.now, 0, sizeof(screen->fixture.listing.now));
	screen->fixture.listing.now[0] = (struct load){ 100, 100 };
	listing_screen_reply(screen);
	expect_cursor(screen, "return value_of(e);");
	assert_int_equal(view_of(screen)->place.top, top);
	assert_true(ui_has(&screen->ui, "90.00"));
}

static void test_it_waits_for_its_code_and_keys_work_meanwhile(void **state)
{
	struct listing_screen *screen = *state;
	struct listing *listing = &screen->fixture.listing;

	listing->state = LISTING_LOADING;
	listing->reason = "reading its code\u2026";
	listing_screen_reply(screen);
	assert_true(ui_has(&screen->ui, "reading its code"));
	ui_press(&screen->ui, "aJjkA%EC");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	ui_press_key(&screen->ui, UI_KEY_RIGHT);
	assert_int_equal(screen->ui.state.deferred.count, 0);
	assert_int_equal(view_of(screen)->layer, LISTING_MIXED);
	listing->state = LISTING_READY;
	listing_screen_reply(screen);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_MIXED);
	listing->state = LISTING_LOADING;
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_SYMBOLS));
}

/* First come the instructions, then the lines, then their text. */
static void test_lines_that_come_later_replace_instructions(void **state)
{
	struct listing_screen *screen = *state;
	struct listing_document *document = &screen->fixture.document;

	document->has_lines = document->is_final = false;
	document->sources = NULL;
	listing_screen_reply(screen);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_ASM);
	ui_press(&screen->ui, "j");
	expect_cursor(screen, "mov    (%rax),%rax");
	document->has_lines = true;
	listing_screen_reply(screen);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_ASM);
	document->sources = screen->fixture.sources;
	listing_screen_reply(screen);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_SOURCE);
	expect_cursor(screen, "e = e->next;");
}

static void test_without_text_the_first_layer_is_instructions_by_line(void **state)
{
	static struct listing_source none[2];
	struct listing_screen *screen = *state;

	diag_set(&none[0].why, -2, "dyn.c is not there");
	screen->fixture.document.sources = none;
	listing_screen_reply(screen);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_MIXED);
	assert_true(ui_has(&screen->ui, "no text: dyn.c is not there"));
	ui_press(&screen->ui, "aa");
	assert_int_equal(view_of(screen)->rows.layer, LISTING_SOURCE);
}

static void test_without_lines_another_layer_says_why_not(void **state)
{
	struct listing_screen *screen = *state;

	screen->fixture.document.has_lines = false;
	diag_set(&screen->fixture.document.lines_why, -2, "libdyn.so has no debug information");
	listing_screen_reply(screen);
	assert_true(ui_has(&screen->ui, "instructions only: libdyn.so has no debug information"));
	ui_press(&screen->ui, "a");
	expect_message(screen, "instructions only: libdyn.so has no debug information");
}

static void test_hottest_goes_from_line_to_line(void **state)
{
	static const char *const lines[] = {
		"if (match(e, key))", "e = e->next;", "while (e) {", "return value_of(e);",
	};
	struct listing_screen *screen = *state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ui_press(&screen->ui, "J");
		expect_cursor(screen, lines[i]);
	}
	expect_message(screen, "hottest line 4 of 5 \u00b7 J the next");
	ui_press(&screen->ui, "JJ");
	expect_cursor(screen, "if (match(e, key))");
}

/* Of 95 samples now 2 are at 0x1001, of 10 then 8 were: that changed most. */
static void test_hottest_is_what_changed_most_while_compared(void **state)
{
	struct listing_screen *screen = *state;

	screen->fixture.listing.is_compared = true;
	listing_screen_reply(screen);
	ui_press(&screen->ui, "J");
	expect_cursor(screen, "{       struct entry *e = t->first;");
	assert_true(ui_has(&screen->ui, "-77.89"));
}

static void test_search_finds_text_of_rows(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "/return");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	expect_cursor(screen, "return value_of(e);");
	ui_press(&screen->ui, "n");
	expect_cursor(screen, "return -1;");
	ui_press(&screen->ui, "N");
	expect_cursor(screen, "return value_of(e);");
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	assert_string_equal(screen->ui.state.search, "");
	assert_true(ui_is(&screen->ui, VIEW_LISTING));
}

static void test_raw_operands_are_addresses(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	assert_true(ui_has(&screen->ui, "call   value_of"));
	ui_press(&screen->ui, "R");
	listing_screen_reply(screen);
	assert_true(ui_has(&screen->ui, "call   3000"));
}

static void test_inlined_code_opens_and_closes(void **state)
{
	struct listing_screen *screen = *state;

	ui_press_key(&screen->ui, UI_KEY_RIGHT);
	assert_true(ui_has(&screen->ui, "match (inlined)"));
	ui_press_key(&screen->ui, UI_KEY_RIGHT);
	expect_cursor(screen, "match");
	ui_press(&screen->ui, "+l");
	expect_cursor(screen, "return e->key == key;");
	listing_screen_reply(screen);
	expect_cursor(screen, "return e->key == key;");
	ui_press(&screen->ui, "hhh");
	expect_cursor(screen, "if (match(e, key))");
	assert_true(ui_has(&screen->ui, "match (inlined)"));
	ui_press(&screen->ui, "-");
	assert_false(ui_has(&screen->ui, "match (inlined)"));
	ui_press(&screen->ui, "-");
	expect_message(screen, "it is closed \u00b7 Esc leaves the listing");
	ui_press(&screen->ui, "j+");
	expect_message(screen, "no code was inlined on this line");
}

static void test_all_lines_open_and_close(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "E");
	assert_true(ui_has(&screen->ui, "return e->key == key;"));
	ui_press(&screen->ui, "C");
	assert_false(ui_has(&screen->ui, "match (inlined)"));
}

static void test_enter_follows_a_jump_and_back_returns(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "jmp    1004");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	expect_cursor(screen, "test   %rax,%rax ; je     101e");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	expect_cursor(screen, "mov    $0xffffffff,%eax");
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	expect_cursor(screen, "test   %rax,%rax ; je     101e");
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	expect_cursor(screen, "jmp    1004");
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_SYMBOLS));
}

static void test_enter_opens_the_function_that_is_called_and_back_returns(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "call   value_of");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_string_equal(here(screen)->function, "value_of");
	assert_int_equal(ui_asked(&screen->ui)->listing.address, 0x3000);
	assert_int_equal(ui_asked(&screen->ui)->listing.dso, 1);
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	expect_cursor(screen, "call   value_of");
}

/* A jump that was followed belongs to its listing: back from the next one comes first. */
static void test_back_from_a_callee_does_not_take_back_a_jump(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "cmp    %rsi,0x8(%rax) ; je     1018");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	expect_cursor(screen, "call   value_of");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	listing_screen_reply(screen);
	listing_screen_go(screen, "ret");
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	expect_cursor(screen, "call   value_of");
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	expect_cursor(screen, "cmp    %rsi,0x8(%rax) ; je     1018");
}

/* The key back may come before the listing of the callee: that is late then. */
static void test_a_listing_that_was_left_before_it_came_is_not_shown(void **state)
{
	struct listing_screen *screen = *state;
	static struct listing_fixture other;
	struct snapshot late;

	listing_fixture_init(&other, LISTING_SOURCE);
	other.listing.function.sections[0].begin = 0x3000;
	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "call   value_of");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	late = screen->ui.snapshot;
	late.query = screen->ui.state.query.number;
	late.listing = &other.listing;
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	assert_ptr_equal(input_offer_snapshot(&screen->ui.state, &late), &late);
	listing_screen_reply(screen);
	expect_cursor(screen, "call   value_of");
	listing_fixture_finish(&other);
}

static void test_a_line_leads_where_its_call_does(void **state)
{
	struct listing_screen *screen = *state;

	listing_screen_go(screen, "return value_of(e);");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_true(screen->ui.state.menu.is_open);	/* value_of, and abort in the moved part */
	assert_int_equal(screen->ui.state.menu.count, 2);
	ui_choose(&screen->ui, "abort");
	assert_string_equal(here(screen)->function, "abort");
	assert_int_equal(ui_asked(&screen->ui)->listing.address, 0x3108);
}

static struct code_row rows_of_call[] = {
	{ 0x1000, 0, 0, 5, CODE_INDIRECT_CALL, 0, 0 },
	{ 0x1005, 0, 0, 5, CODE_INDIRECT_CALL, 0, 0 },
};

static const struct listing_callee seen[] = {
	{ 0x1005, 96, 96, "memcmp", 4, 0x500 }, { 0x1005, 4, 4, "uint32_eq", 1, 0x600 },
};

/* An indirect call at 0x1000, of which @seen was seen. */
static void make_indirect(struct listing_screen *screen)
{
	screen->fixture.code_header.row_count = 2;
	screen->fixture.document.code.rows = rows_of_call;
	screen->fixture.document.code.strings = "call   *0x28(%rbp)";
	screen->fixture.document.has_lines = false;
	screen->fixture.listing.callees = seen;
	screen->fixture.listing.callee_count = 2;
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_HOME);
}

static void test_an_indirect_call_offers_the_callees_that_stacks_have_shown(void **state)
{
	struct listing_screen *screen = *state;

	make_indirect(screen);
	assert_true(ui_has(&screen->ui, "seen: memcmp 96 %, uint32_eq 4 %"));
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_true(screen->ui.state.menu.is_open);
	assert_string_equal(screen->ui.state.menu.items[0].label, "memcmp");
	assert_string_equal(screen->ui.state.menu.items[0].note, "96 % of its calls seen");
	ui_choose(&screen->ui, "uint32_eq");
	assert_int_equal(ui_asked(&screen->ui)->listing.address, 0x600);
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	ui_press(&screen->ui, "j");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	expect_message(screen, "no stack of the window shows what it calls");
}

static void test_a_single_callee_of_an_indirect_call_is_offered_all_the_same(void **state)
{
	struct listing_screen *screen = *state;

	make_indirect(screen);
	screen->fixture.listing.callee_count = 1;
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_HOME);
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_true(screen->ui.state.menu.is_open);
	assert_int_equal(screen->ui.state.menu.count, 1);
}

static void test_a_call_through_the_linkage_table_opens_what_stacks_have_shown(void **state)
{
	static const struct listing_target linkage = { 0x3000, 0, "memcmp@plt" };
	static struct code_row call[] = {
		{ 0x1000, 0x3000, 0, 5, CODE_CALL, CODE_HAS_TARGET, 0 },
		{ 0x1005, 0, 0, 5, CODE_PLAIN, 0, 0 },
	};
	struct listing_screen *screen = *state;

	make_indirect(screen);
	screen->fixture.listing.callee_count = 1;
	screen->fixture.listing.targets = &linkage;
	screen->fixture.listing.target_count = 1;
	screen->fixture.document.code.rows = call;
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_HOME);
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_int_equal(ui_asked(&screen->ui)->listing.address, 0x500);
	assert_int_equal(ui_asked(&screen->ui)->listing.dso, 4);
}

static void test_arrows_are_of_the_row_and_the_hottest_loop_or_all(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "push   %rbx");
	assert_null(strstr(ui_line(&screen->ui, ui_find(&screen->ui, "101e").y), "\u2570"));
	ui_press(&screen->ui, "A");
	expect_message(screen, "all arrows");
	ui_text(&screen->ui);
	assert_non_null(strstr(ui_line(&screen->ui, ui_find(&screen->ui, " mov    $0xffff").y),
			       "\u2570"));
	ui_press(&screen->ui, "Aa");
	ui_press(&screen->ui, "A");
	expect_message(screen, "arrows are of instructions: a goes on to them");
}

static void test_percentages_are_of_the_function_or_of_all(void **state)
{
	struct listing_screen *screen = *state;

	assert_true(ui_has(&screen->ui, "45.26"));
	ui_press(&screen->ui, "%");
	expect_message(screen, "percent of all");
	assert_true(ui_has(&screen->ui, "ALL%"));
	assert_true(ui_has(&screen->ui, "  0.12 "));	/* 43 of 34860 */
	ui_press(&screen->ui, "%");
	expect_message(screen, "percent of the function");
}

static void test_a_row_that_is_no_function_says_so(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "2");
	listing_screen_reply(screen);
	ui_press(&screen->ui, "a");
	expect_message(screen,
		       "this row is no function: Enter leads to its functions, a lists one");
}

static void test_from_tree_flame_graph_and_butterfly(void **state)
{
	struct listing_screen *screen = *state;

	for (const char *key = "67b"; *key; key++) {
		ui_press(&screen->ui, (char[]){ '1', '\0' });
		listing_screen_reply(screen);
		ui_press(&screen->ui, (char[]){ *key, '\0' });
		listing_screen_reply(screen);
		assert_true(ui_cursor(&screen->ui) != NULL);
		ui_press(&screen->ui, "a");
		assert_int_equal(here(screen)->kind, VIEW_LISTING);
		listing_screen_reply(screen);
		assert_true(ui_is(&screen->ui, VIEW_LISTING));
	}
}

/* In the tree of callees match() is inlined into search(); turned round search() is below it. */
static void test_inlined_functions_lead_to_the_function_that_has_their_code(void **state)
{
	struct listing_screen *screen = *state;
	struct tree_node nodes[3] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 3, .symbol = "search", .address = 0x1000,
		  .dso_id = 1 },
		{ .id = 2, .parent = 0, .size = 2, .depth = 1, .symbol = "match",
		  .is_inlined = true, .dso_id = 1 },
		{ .id = 3, .parent = 1, .size = 1, .depth = 2, .symbol = "equal",
		  .is_inlined = true, .dso_id = 1 },
	};

	for (int i = 0; i < 3; i++) {
		nodes[i].now.total = (struct load){ 10, 10 };
		nodes[i].raw_symbol = nodes[i].symbol;
		nodes[i].dso = nodes[i].dso_path = "libdyn.so";
		nodes[i].state = SYMBOL_NAMED;
		nodes[i].mode = MODE_USER;
	}
	ui_press(&screen->ui, "1");
	listing_screen_reply(screen);
	ui_press(&screen->ui, "36");
	listing_screen_reply(screen);
	ui_prepare(&screen->ui);
	screen->ui.snapshot.tree = (struct call_tree){
		.direction = TREE_CALLEES, .weight = 10, .samples = 10, .node_count = 3,
		.nodes = nodes,
	};
	ui_show(&screen->ui);
	ui_press(&screen->ui, "++/equal");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	assert_string_equal(ui_cursor(&screen->ui)->symbol, "equal");
	ui_press(&screen->ui, "a");
	assert_string_equal(here(screen)->function, "search");
	assert_int_equal(here(screen)->listing.address, 0x1000);
	screen->ui.state.shown = NULL;	/* the nodes end here */
	listing_screen_reply(screen);
}

static void test_a_probe_leads_to_the_code_of_its_function(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "8");
	probe_fixture_reply(&screen->ui);
	ui_press_key(&screen->ui, UI_KEY_HOME);
	ui_press(&screen->ui, "a");
	assert_int_equal(here(screen)->kind, VIEW_LISTING);
	assert_string_equal(here(screen)->function, "hash_search_with_hash_value");
	assert_string_equal(ui_asked(&screen->ui)->listing_name,
			    "/usr/lib/postgresql/15/bin/postgres:hash_search_with_hash_value");
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_LISTING));
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	probe_fixture_reply(&screen->ui);
	assert_int_equal(state_kind(&screen->ui.state), VIEW_PROBES);
	ui_press(&screen->ui, "ja");
	assert_string_equal(ui_asked(&screen->ui)->listing_name, "[kernel]:vfs_read");
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	probe_fixture_reply(&screen->ui);
	ui_press(&screen->ui, "ja");
	expect_message(screen, "sched:sched_switch is on no function whose code could be listed");
}

static void test_from_the_groups(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "9");
	listing_screen_reply(screen);
	ui_press(&screen->ui, "a");
	expect_message(screen,
		       "this row is no function: Enter leads to its functions, a lists one");
	ui_press(&screen->ui, "E/hash_search");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	ui_press(&screen->ui, "a");
	assert_int_equal(here(screen)->kind, VIEW_LISTING);
	assert_string_equal(here(screen)->function, "hash_search_with_hash_value");
}

static void test_the_tree_of_the_function_is_a_key_away(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "6");
	assert_int_equal(here(screen)->kind, VIEW_TREE);
	assert_string_equal(ui_asked(&screen->ui)->filter.parts[0].text, "search");
	listing_screen_reply(screen);
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_LISTING));
	expect_cursor(screen, "if (match(e, key))");
}

static void test_a_filter_keeps_the_listing(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "aa");
	listing_screen_go(screen, "call   value_of");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	listing_screen_reply(screen);
	ui_press(&screen->ui, "\\pg");
	ui_press_key(&screen->ui, UI_KEY_ENTER);
	listing_screen_reply(screen);
	assert_int_equal(ui_asked(&screen->ui)->listing.address, 0x3000);
	assert_int_equal(ui_asked(&screen->ui)->filter.count, 1);
	ui_press_key(&screen->ui, UI_KEY_BACKSPACE);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_LISTING));
	assert_int_equal(ui_asked(&screen->ui)->filter.count, 0);
}

static const struct probe_spec *panel_spec(struct listing_screen *screen)
{
	assert_true(probe_panel_of(&screen->ui.state)->is_open);
	return &probe_panel_of(&screen->ui.state)->spec;
}

/* search() is declared in line 10. */
static void test_p_probes_exactly_this_line_or_instruction(void **state)
{
	struct listing_screen *screen = *state;

	listing_screen_go(screen, "e = e->next;");
	ui_press(&screen->ui, "p");
	assert_string_equal(panel_spec(screen)->text, "u:/usr/lib/libdyn.so:search:7");
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	ui_press(&screen->ui, "aap");
	assert_string_equal(panel_spec(screen)->text, "u:/usr/lib/libdyn.so:search+0xf");
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	listing_screen_go(screen, "call   abort+0x8");
	ui_press(&screen->ui, "p");
	expect_message(screen, "the compiler moved this part away: its lines can be probed, in the "
		       "source layer");
	screen->fixture.listing.is_of_kernel = true;
	screen->fixture.listing.dso = screen->fixture.listing.dso_path = "[ext4]";
	listing_screen_reply(screen);
	listing_screen_go(screen, "mov    (%rdi),%rax");
	ui_press(&screen->ui, "p");
	assert_string_equal(panel_spec(screen)->text, "k:ext4:search+0x1");
}

static void test_lines_of_inlined_code_are_probed_by_their_file(void **state)
{
	struct listing_screen *screen = *state;

	ui_press(&screen->ui, "E");
	listing_screen_go(screen, "return e->key == key;");
	ui_press(&screen->ui, "p");
	assert_string_equal(panel_spec(screen)->text, "u:/usr/lib/libdyn.so:dyn.h:4");
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	listing_screen_go(screen, "match");
	ui_press(&screen->ui, "p");
	assert_string_equal(panel_spec(screen)->text, "u:/usr/lib/libdyn.so:match");
	ui_press_key(&screen->ui, UI_KEY_ESCAPE);
	listing_screen_go(screen, "long key)");
	ui_press(&screen->ui, "p");
	expect_message(screen, "no statement begins on this line: those with \u25cf can be probed");
}

static struct snapshot_probe probe_of_line = {
	.id = 7, .spec = "u:/usr/lib/libdyn.so:search:7", .name = "search", .dso = "libdyn.so",
	.scope = "", .meaning = "", .reason = "", .kind = PROBE_USER, .state = PROBE_ATTACHED,
	.hits_per_s = 12400,
};

static void test_probed_lines_are_marked_with_their_rate(void **state)
{
	struct listing_screen *screen = *state;
	const char *line;

	screen->ui.snapshot.probes.count = 1;
	screen->ui.snapshot.probes.list = &probe_of_line;
	state_refresh_view(&screen->ui.state);
	line = ui_line(&screen->ui, ui_find(&screen->ui, "e = e->next").y);
	assert_non_null(strstr(line, "\u25c6"));
	assert_non_null(strstr(line, "probe 12.4k/s"));
	ui_press(&screen->ui, "aa");
	ui_text(&screen->ui);
	line = ui_line(&screen->ui, ui_find(&screen->ui, "(%rax),%rax").y);
	assert_null(strstr(line, "probe"));	/* the line's probe is not the instruction's */
}

static void test_the_mouse_chooses_rows_and_layers(void **state)
{
	struct listing_screen *screen = *state;
	struct mouse at = ui_find(&screen->ui, "e = e->next");

	ui_click(&screen->ui, MOUSE_PRESS, at.x, at.y);
	expect_cursor(screen, "e = e->next;");
	at = ui_find(&screen->ui, "instructions");
	ui_click(&screen->ui, MOUSE_PRESS, at.x, at.y);
	assert_int_equal(view_of(screen)->rows.layer, LISTING_ASM);
	expect_cursor(screen, "mov    (%rax),%rax");
	at = ui_find(&screen->ui, "jmp    1004");
	ui_click(&screen->ui, MOUSE_DOUBLE, at.x, at.y);
	expect_cursor(screen, "test   %rax,%rax ; je     101e");
	at = ui_find(&screen->ui, "all \u203a");
	ui_click(&screen->ui, MOUSE_PRESS, at.x, at.y);
	listing_screen_reply(screen);
	assert_true(ui_is(&screen->ui, VIEW_SYMBOLS));
}

static void set_ticks(struct listing_screen *screen)
{
	static struct code_row rows[] = {
		{ 0x1000, 0, 0, 1, CODE_PLAIN, CODE_ENABLES_INTERRUPTS, 0 },
		{ 0x1001, 0, 4, 3, CODE_PLAIN, 0, 0 },
		{ 0x1004, 0, 0, 3, CODE_PLAIN, 0, 0 },
	};

	make_indirect(screen);
	screen->fixture.code_header.row_count = 3;
	screen->fixture.document.code.rows = rows;
	screen->fixture.document.code.strings = "sti\0mov    (%rdi),%rax";
	screen->fixture.listing.is_of_kernel = true;
	listing_screen_reply(screen);
	listing_screen_go(screen, "mov    (%rdi),%rax");
}

static void test_kernel_rows_after_interrupts_are_on_again_say_so_under_a_clock(void **state)
{
	struct listing_screen *screen = *state;

	set_ticks(screen);
	assert_true(ui_has(&screen->ui, "interrupts on again"));
	assert_true(ui_has(&screen->ui, "time without them is counted here, too"));
	ui_press(&screen->ui, "j");
	assert_false(ui_has(&screen->ui, "time without them is counted here, too"));
	screen->ui.snapshot.event = "cycles";
	state_refresh_view(&screen->ui.state);
	assert_false(ui_has(&screen->ui, "interrupts on again"));
}

#define LISTING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_view_listing)
{
	const struct CMUnitTest tests[] = {
		LISTING_TEST(test_a_lists_the_function_of_the_row_and_back_returns_to_it),
		LISTING_TEST(test_the_cursor_begins_on_the_hottest_line),
		LISTING_TEST(test_an_address_within_the_function_is_where_the_cursor_begins),
		LISTING_TEST(test_a_goes_round_the_layers),
		LISTING_TEST(test_another_layer_keeps_the_cursor_at_its_address),
		LISTING_TEST(test_a_line_without_code_is_where_the_line_before_it_is),
		LISTING_TEST(test_a_refresh_changes_numbers_and_never_the_cursor),
		LISTING_TEST(test_it_waits_for_its_code_and_keys_work_meanwhile),
		LISTING_TEST(test_lines_that_come_later_replace_instructions),
		LISTING_TEST(test_without_text_the_first_layer_is_instructions_by_line),
		LISTING_TEST(test_without_lines_another_layer_says_why_not),
		LISTING_TEST(test_hottest_goes_from_line_to_line),
		LISTING_TEST(test_hottest_is_what_changed_most_while_compared),
		LISTING_TEST(test_search_finds_text_of_rows),
		LISTING_TEST(test_raw_operands_are_addresses),
		LISTING_TEST(test_inlined_code_opens_and_closes),
		LISTING_TEST(test_all_lines_open_and_close),
		LISTING_TEST(test_enter_follows_a_jump_and_back_returns),
		LISTING_TEST(test_enter_opens_the_function_that_is_called_and_back_returns),
		LISTING_TEST(test_back_from_a_callee_does_not_take_back_a_jump),
		LISTING_TEST(test_a_listing_that_was_left_before_it_came_is_not_shown),
		LISTING_TEST(test_a_line_leads_where_its_call_does),
		LISTING_TEST(test_an_indirect_call_offers_the_callees_that_stacks_have_shown),
		LISTING_TEST(test_a_single_callee_of_an_indirect_call_is_offered_all_the_same),
		LISTING_TEST(test_a_call_through_the_linkage_table_opens_what_stacks_have_shown),
		LISTING_TEST(test_arrows_are_of_the_row_and_the_hottest_loop_or_all),
		LISTING_TEST(test_percentages_are_of_the_function_or_of_all),
		LISTING_TEST(test_a_row_that_is_no_function_says_so),
		LISTING_TEST(test_from_tree_flame_graph_and_butterfly),
		LISTING_TEST(test_inlined_functions_lead_to_the_function_that_has_their_code),
		LISTING_TEST(test_a_probe_leads_to_the_code_of_its_function),
		LISTING_TEST(test_from_the_groups),
		LISTING_TEST(test_the_tree_of_the_function_is_a_key_away),
		LISTING_TEST(test_a_filter_keeps_the_listing),
		LISTING_TEST(test_p_probes_exactly_this_line_or_instruction),
		LISTING_TEST(test_lines_of_inlined_code_are_probed_by_their_file),
		LISTING_TEST(test_probed_lines_are_marked_with_their_rate),
		LISTING_TEST(test_the_mouse_chooses_rows_and_layers),
		LISTING_TEST(test_kernel_rows_after_interrupts_are_on_again_say_so_under_a_clock),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
