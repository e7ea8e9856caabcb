/* panel_fixture.c - see panel_fixture.h. */
#include "panel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct probe_reply panel_reply(enum probe_verdict verdict)
{
	return (struct probe_reply){
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

void panel_give(struct ui *ui, struct probe_reply reply)
{
	reply.number = probe_panel_of(&ui->state)->number;
	input_probe_replied(&ui->state, &reply);
}

struct ui *panel_open_first(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "p");
	assert_true(probe_panel_of(&ui->state)->is_open);
	panel_give(ui, panel_reply(VERDICT_OK));
	probe_fixture_send(ui);
	return ui;
}

void panel_focus_on(struct ui *ui, enum panel_part part, int index)
{
	for (int i = 0; i < PANEL_ITEMS; i++) {
		if (probe_panel_is_focus(probe_panel_of(&ui->state), part, index))
			return;
		ui_press_key(ui, UI_KEY_TAB);
	}
	fail_msg("nothing is at %d %d", (int)part, index);
}

const char *panel_spec_text(const struct ui *ui)
{
	static struct probe_choice choice;

	probe_panel_choice(probe_panel_of(&ui->state), false, &choice, NULL);
	return choice.spec.text;
}
