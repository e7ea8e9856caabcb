/* panel_stage.c - see panel_stage.h. */
#include "panel_stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct probe_answer panel_answer(enum probe_verdict verdict)
{
	return (struct probe_answer){
		.kind = PROBE_EXAMINE, .is_done = true, .verdict = verdict, .functions = 1,
		.sites = 1, .has_rate = true, .hits_per_s = 100, .cost_pct = 0.1,
		.offered_count = 3,
		.offered = {
			{ .name = "key", .type = "int", .fetch = "%di:s32",
			  .origin = ORIGIN_DWARF },
			{ .name = "arg2", .fetch = "%si:u64", .origin = ORIGIN_ABI },
			{ .name = "$retval", .type = "int", .fetch = "$retval:s32",
			  .origin = ORIGIN_DWARF, .is_return = true },
		},
	};
}

void panel_give(struct scene *scene, struct probe_answer answer)
{
	answer.number = scene->state.panel.number;
	state_probe_answered(&scene->state, &answer);
}

struct scene *panel_open_first(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "p");
	assert_true(scene->state.panel.is_open);
	panel_give(scene, panel_answer(VERDICT_OK));
	probe_fixture_send(scene);
	return scene;
}

void panel_focus_on(struct scene *scene, enum panel_part part, int index)
{
	for (int i = 0; i < PANEL_ITEMS; i++) {
		if (probe_panel_is_focus(&scene->state.panel, part, index))
			return;
		scene_press_key(scene, UI_KEY_TAB);
	}
	fail_msg("nothing is at %d %d", (int)part, index);
}

const char *panel_spec_text(const struct scene *scene)
{
	static struct probe_choice choice;

	probe_panel_choice(&scene->state.panel, false, &choice, NULL);
	return choice.spec.text;
}
