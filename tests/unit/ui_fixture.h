/* ui_fixture.h - the whole screen without a terminal: snapshots of one small machine, keys in,
 * cells out, compared with tests/golden/NAME.txt.
 *
 * Use:    FLAMETOP_GOLDEN_UPDATE=1 writes the files anew: then look at each of them.
 * Thread: one fixture at a time.
 */
#ifndef TESTS_UI_FIXTURE_H
#define TESTS_UI_FIXTURE_H

#include "ui/frame.h"
#include "ui/input.h"
#include "ui/views/view_flame.h"
#include "ui/views/view_groups.h"
#include "ui/views/listing_view.h"
#include "ui/views/view_counters.h"
#include "ui/views/view_probes.h"
#include "ui/views/view_table.h"
#include "ui/views/view_threads.h"
#include "ui/views/view_tree.h"
#include "ui/widgets/finder.h"
#include "ui/widgets/group_panel.h"
#include "ui/widgets/pager.h"
#include "ui/widgets/probe_panel.h"

#define UI_NOW_S	    5000	/* end of the newest point of the load */
#define UI_WALL_OFFSET_S 45733		/* it was 14:05:33 */

/* What the source was asked, instead of a capture. */
struct ui_source {
	struct source_control control;
	struct source_change asked[4];
	size_t count;
	bool is_busy;
};

struct ui {
	struct ui_state state;
	struct snapshot snapshot;
	struct canvas canvas;
	struct keymap keymap;
	struct ui_source source;
	struct probe_control probes;	/* requests stay in the state's outbox */
	struct finder_control finder;	/* it never replies */
};

/* A live screen of that size before its first snapshot. @ui's snapshot is that of the symbols:
 * change it, then ui_show(). */
void ui_open(struct ui *ui, int width, int height);
void ui_finish(struct ui *ui);

/* cmocka's setup and teardown: *state is the symbols of the machine on 100 x 30 cells, drawn. */
int ui_set_up(void **state);
int ui_tear_down(void **state);
#define UI_TEST(test) cmocka_unit_test_setup_teardown(test, ui_set_up, ui_tear_down)

/* The snapshot as it is replies to the last query; @ui_reply first makes it one of the view that
 * was asked for. */
void ui_show(struct ui *ui);
void ui_reply(struct ui *ui);
/* Its first half: makes it one of that view. */
void ui_prepare(struct ui *ui);
/* As ui_reply(), of @count rows from number @first on only; @pct of the samples pass the
 * filter. */
void ui_reply_part(struct ui *ui, size_t first, size_t count, double pct);

/* True if the view of @kind, or the page of one probe, is on the screen. */
bool ui_is(const struct ui *ui, enum view_kind kind);
bool ui_is_probe(const struct ui *ui);
const struct pager *ui_help(const struct ui_state *state);

/* The snapshot of the machine as the view of @kind shows it. */
struct snapshot ui_snapshot(enum view_kind kind);

void ui_press(struct ui *ui, const char *keys);
void ui_press_key(struct ui *ui, int key);
/* Chooses the line of the open menu that has @words. */
void ui_choose(struct ui *ui, const char *words);
void ui_click(struct ui *ui, enum mouse_action action, int x, int y);
/* The first query that waits in the outbox: fails the test when there is none. */
const struct query *ui_asked(const struct ui *ui);
/* NULL: there is no row. */
const struct snapshot_row *ui_cursor(const struct ui *ui);
/* Draws, and puts the lines of the frame into @out, without the blanks at their ends; of its
 * roles a letter each. Both return a static buffer. */
const char *ui_text(struct ui *ui);
const char *ui_roles(struct ui *ui);
/* The line number @y of the frame drawn last; a static buffer. */
const char *ui_line(const struct ui *ui, int y);
/* Draws; where @text begins on the screen: fails the test when it is not there. */
struct mouse ui_find(struct ui *ui, const char *text);
bool ui_has(struct ui *ui, const char *text);

/* Fails unless the file says the same. */
void ui_compare(const char *name, const char *text);
/* Compares the frame and ends the fixture. */
void ui_close(struct ui *ui, const char *name);

#endif
