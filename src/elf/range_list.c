/* range_list.c - see range_list.h.
 *
 * Idea: ranges are sorted by start, outer ranges before their inner ones. A binary search finds the
 * last range that starts at or before the address. If the address is not in it, it is not in any
 * range that ends earlier either: so the search follows `outer`, the nearest range before it that
 * ends later.
 */
#include "range_list.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int range_list_add(struct range_list *list, uint64_t start, uint64_t end, uint32_t value)
{
	assert(start < end);
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? 2 * list->capacity : 64;
		struct range *bigger = realloc(list->rows, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		list->rows = bigger;
		list->capacity = capacity;
	}
	list->rows[list->count++] = (struct range){ start, end, value, RANGE_NONE };
	return 0;
}

static int outer_first(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	return left->value < right->value ? -1 : left->value > right->value;
}

void range_list_sort(struct range_list *list)
{
	if (list->count)
		qsort(list->rows, list->count, sizeof(*list->rows), outer_first);
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t outer = i ? i - 1 : RANGE_NONE;

		while (outer != RANGE_NONE && list->rows[outer].end <= list->rows[i].end)
			outer = list->rows[outer].outer;
		list->rows[i].outer = outer;
	}
}

uint32_t range_list_find(const struct range_list *list, uint64_t address)
{
	uint32_t low = 0, high = list->count, row;

	while (low < high) {	/* until low is the first range that starts after @address */
		uint32_t middle = low + (high - low) / 2;

		if (list->rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (row = low ? low - 1 : RANGE_NONE; row != RANGE_NONE; row = list->rows[row].outer)
		if (address < list->rows[row].end)
			return list->rows[row].value;
	return RANGE_NONE;
}

void range_list_finish(struct range_list *list)
{
	free(list->rows);
	memset(list, 0, sizeof(*list));
}
