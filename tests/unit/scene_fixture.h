/* scene_fixture.h - the whole screen without a terminal: snapshots of one small machine, keys in,
 * cells out, compared with tests/golden/NAME.txt.
 *
 * Use:    FLAMETOP_GOLDEN_UPDATE=1 writes the files anew: then look at each of them.
 * Thread: one scene at a time.
 */
#ifndef TESTS_SCENE_FIXTURE_H
#define TESTS_SCENE_FIXTURE_H

#include "ui/frame.h"
#include "ui/state.h"

#define SCENE_NOW_S	    5000	/* end of the newest point of the load */
#define SCENE_WALL_OFFSET_S 45733	/* it was 14:05:33 */

/* What the source was asked, instead of a capture. */
struct scene_source {
	struct source_control control;
	struct source_change asked[4];
	size_t count;
	bool is_busy;
};

struct scene {
	struct ui_state state;
	struct snapshot snapshot;
	struct canvas canvas;
	struct keymap keymap;
	struct scene_source source;
	struct probe_control probes;	/* orders stay in the state's outbox */
};

/* A live screen of that size before its first snapshot. @scene's snapshot is that of the symbols:
 * change it, then scene_show(). */
void scene_open(struct scene *scene, int width, int height);
void scene_finish(struct scene *scene);

/* cmocka's setup and teardown: *state is the symbols of the machine on 100 x 30 cells, drawn. */
int scene_set_up(void **state);
int scene_tear_down(void **state);
#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, scene_set_up, scene_tear_down)

/* The snapshot as it is answers the last query; @scene_answer first makes it one of the view that
 * was asked for. */
void scene_show(struct scene *scene);
void scene_answer(struct scene *scene);
/* Its first half: makes it one of that view. */
void scene_prepare(struct scene *scene);
/* As scene_answer(), of @count rows from number @first on only; @pct of the samples pass the
 * filter. */
void scene_answer_part(struct scene *scene, size_t first, size_t count, double pct);

/* The snapshot of the machine as the view of @kind shows it. */
struct snapshot scene_snapshot(enum view_kind kind);

void scene_press(struct scene *scene, const char *keys);
void scene_press_key(struct scene *scene, int key);
/* Chooses the line of the open menu that has @words. */
void scene_choose(struct scene *scene, const char *words);
void scene_click(struct scene *scene, enum mouse_action action, int x, int y);
/* The first query that waits in the outbox: fails the test when there is none. */
const struct query *scene_asked(const struct scene *scene);
/* NULL: there is no row. */
const struct snapshot_row *scene_cursor(const struct scene *scene);
/* Draws, and puts the lines of the picture into @out, without the blanks at their ends; of its
 * roles a letter each. Both return a static buffer. */
const char *scene_text(struct scene *scene);
const char *scene_roles(struct scene *scene);
/* The line number @y of the picture drawn last; a static buffer. */
const char *scene_line(const struct scene *scene, int y);
/* Draws; where @text begins on the screen: fails the test when it is not there. */
struct mouse scene_find(struct scene *scene, const char *text);
bool scene_has(struct scene *scene, const char *text);

/* Fails unless the file says the same. */
void scene_compare(const char *name, const char *text);
/* Compares the picture and ends the scene. */
void scene_close(struct scene *scene, const char *name);

#endif
