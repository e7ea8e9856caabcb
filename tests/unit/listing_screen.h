/* listing_screen.h - the function of listing_fixture.h on a screen: opened from the table by its
 * key. */
#ifndef TESTS_LISTING_SCREEN_H
#define TESTS_LISTING_SCREEN_H

#include "listing_fixture.h"
#include "ui_fixture.h"

struct listing_screen {
	struct ui ui;
	struct listing_fixture fixture;	/* shown by the next listing_screen_reply() */
};

/* The table on a screen of that size, and the fixture, which may be changed before the key. */
void listing_screen_init(struct listing_screen *screen, int width, int height);
/* Presses `a`, replies and draws. */
void listing_screen_open(struct listing_screen *screen);
/* Replies to the last query: with the fixture if that asks for a listing. */
void listing_screen_reply(struct listing_screen *screen);
void listing_screen_finish(struct listing_screen *screen);
/* Compares the screen and ends it. */
void listing_screen_close(struct listing_screen *screen, const char *name);

/* Returns the text of the cursor's row, without blanks at its begin; a static buffer. */
const char *listing_screen_cursor(const struct listing_screen *screen);
/* Moves the cursor to the row with that text. */
void listing_screen_go(struct listing_screen *screen, const char *text);

#endif
