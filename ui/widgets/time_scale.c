/* time_scale.c - see time_scale.h. */
#include "time_scale.h"

#include <limits.h>

static int clamp(int value, int count)
{
	return value < 0 ? 0 : value >= count ? count - 1 : value;
}

struct time_range time_scale_cell(const struct time_scale *scale, int x, int y)
{
	const uint64_t length = scale->row_ns ? scale->row_ns : scale->step_ns;
	int64_t begin;

	if (scale->width <= 0)
		return (struct time_range){ 0, 0 };
	begin = scale->begin_ns +
		(int64_t)scale->step_ns * clamp(x - scale->x, scale->width) +
		(int64_t)scale->row_ns * clamp(y - scale->y, scale->height);
	if (begin + (int64_t)length <= 0)
		return (struct time_range){ 0, 0 };
	return (struct time_range){ begin > 0 ? (uint64_t)begin : 0,
				    (uint64_t)(begin + (int64_t)length) };
}

int time_scale_column(const struct time_scale *scale, uint64_t ns)
{
	const int64_t step = (int64_t)scale->step_ns;
	const int64_t from = (int64_t)ns - scale->begin_ns;
	const int64_t column = from >= 0 ? from / step : -((step - 1 - from) / step);

	return column > INT_MAX ? INT_MAX : column < INT_MIN ? INT_MIN : (int)column;
}
