/* listing_screen.c - see listing_screen.h. */
#include "listing_screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void listing_screen_init(struct listing_screen *screen, int width, int height)
{
	listing_fixture_init(&screen->fixture, LISTING_SOURCE);
	ui_open(&screen->ui, width, height);
	ui_show(&screen->ui);
}

void listing_screen_reply(struct listing_screen *screen)
{
	const bool is_compared = screen->fixture.listing.is_compared;

	ui_prepare(&screen->ui);
	if (state_kind(&screen->ui.state) == VIEW_LISTING)
		screen->ui.snapshot.listing = &screen->fixture.listing;
	screen->ui.snapshot.has_baseline = screen->ui.snapshot.is_compared = is_compared;
	screen->ui.snapshot.baseline.weight = is_compared ? 20000 : 0;
	screen->ui.snapshot.baseline.window_s = is_compared ? 5 : 0;
	screen->ui.snapshot.baseline.label = "";
	ui_show(&screen->ui);
	frame_draw(&screen->ui.state, &screen->ui.canvas);
}

void listing_screen_open(struct listing_screen *screen)
{
	ui_press(&screen->ui, "a");
	listing_screen_reply(screen);
}

void listing_screen_finish(struct listing_screen *screen)
{
	ui_finish(&screen->ui);
	listing_fixture_finish(&screen->fixture);
}

void listing_screen_close(struct listing_screen *screen, const char *name)
{
	ui_compare(name, ui_text(&screen->ui));
	listing_screen_finish(screen);
}

static const char *text_of(const struct listing_screen *screen, uint32_t row)
{
	static char text[256];

	listing_rows_text(&listing_view_of(&screen->ui.state)->rows, row, false, text,
			  sizeof(text));
	return text + strspn(text, " ");
}

const char *listing_screen_cursor(const struct listing_screen *screen)
{
	const uint32_t cursor = listing_view_cursor(listing_view_of(&screen->ui.state));

	return cursor == UINT32_MAX ? "" : text_of(screen, cursor);
}

void listing_screen_go(struct listing_screen *screen, const char *text)
{
	struct listing_view *listing = listing_view_of(&screen->ui.state);

	for (uint32_t i = 0; i < listing->rows.count; i++)
		if (!strcmp(text_of(screen, i), text)) {
			listing_view_go(listing, i);
			return;
		}
	fail_msg("no row \"%s\"", text);
}
