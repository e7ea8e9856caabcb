/* time_fixture.h - a heat map of ui_fixture.h's machine: a burst of 150 ms in each third second, a
 * second that is full, and one of which nothing is known. */
#ifndef TESTS_TIME_FIXTURE_H
#define TESTS_TIME_FIXTURE_H

#define TIME_FIXTURE_MOST 400	/* in 50 ms: 8 CPUs at 1000 Hz */

/* Of UI_ACTIVITY_POINTS points; a static array. */
const float *time_fixture_heat(void);

#endif
