/* preorder_sort.c - see ui/preorder_sort.h.
 *
 * In preorder a node's place is its parent's, and one, and the sizes of the siblings before it. So
 * parents get theirs first, and each hands places to its children in their new order.
 */
#include "ui/preorder_sort.h"

#include <stdlib.h>

void preorder_sort_finish(struct preorder_sort *sort)
{
	free(sort->sizes);
	free(sort->figures);
	free(sort->places);
	free(sort->siblings);
	*sort = (struct preorder_sort){ .room = 0 };
}

bool preorder_sort_begin(struct preorder_sort *sort, uint32_t count)
{
	if (count > sort->room) {
		preorder_sort_finish(sort);
		sort->sizes = calloc(count, sizeof(*sort->sizes));
		sort->figures = calloc(count, sizeof(*sort->figures));
		sort->places = calloc(count, sizeof(*sort->places));
		sort->siblings = calloc(count, sizeof(*sort->siblings));
		if (!sort->sizes || !sort->figures || !sort->places || !sort->siblings) {
			preorder_sort_finish(sort);
			return false;
		}
		sort->room = count;
	}
	sort->count = count;
	return true;
}

static int compare_siblings(const void *a, const void *b, void *context)
{
	const double *figures = context;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (figures[left] < figures[right] || figures[left] > figures[right])
		return figures[left] < figures[right] ? 1 : -1;
	return (left > right) - (left < right);
}

/* Gives places from @place on to the nodes @begin..@end - 1 that are nobody's child among them. */
static void place_siblings(struct preorder_sort *sort, uint32_t begin, uint32_t end,
			   uint32_t place)
{
	uint32_t count = 0;

	for (uint32_t i = begin; i < end; i += sort->sizes[i])
		sort->siblings[count++] = i;
	if (!count)
		return;		/* of no nodes there may be no arrays */
	qsort_r(sort->siblings, count, sizeof(sort->siblings[0]), compare_siblings,
		sort->figures);
	for (uint32_t i = 0; i < count; i++) {
		sort->places[sort->siblings[i]] = place;
		place += sort->sizes[sort->siblings[i]];
	}
}

void preorder_sort_run(struct preorder_sort *sort)
{
	place_siblings(sort, 0, sort->count, 0);
	for (uint32_t i = 0; i < sort->count; i++)
		if (sort->sizes[i] > 1)
			place_siblings(sort, i + 1, i + sort->sizes[i], sort->places[i] + 1);
}
