/* time_fixture.c - see time_fixture.h. */
#include "time_fixture.h"

#include "analyzer/snapshot.h"
#include "ui_rows.h"

#define FULL_POINT    100
#define UNKNOWN_POINT 90

static float value_of(int point, int tick)
{
	if (point == UNKNOWN_POINT)
		return -1;
	if (point == FULL_POINT)
		return TIME_FIXTURE_MOST;
	if (point % 3 == 0 && tick >= 6 && tick < 9)
		return TIME_FIXTURE_MOST * 3 / 4;
	return tick % 5 == 0 ? 30 : 0;	/* a timer */
}

const float *time_fixture_heat(void)
{
	static float heat[UI_ACTIVITY_POINTS][HEAT_ROWS];

	for (int point = 0; point < UI_ACTIVITY_POINTS; point++)
		for (int tick = 0; tick < HEAT_ROWS; tick++)
			heat[point][tick] = value_of(point, tick);
	return heat[0];
}
