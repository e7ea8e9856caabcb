/* preorder_sort.h - other places for the nodes of a tree in preorder: siblings by a figure, the
 * largest first, ties as they were.
 *
 * Use:    preorder_sort_begin(), fill `sizes` and `figures` of each node, preorder_sort_run(); node
 *         i is then number places[i].
 * Thread: the owner's. Pure.
 */
#ifndef UI_PREORDER_SORT_H
#define UI_PREORDER_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct preorder_sort {
	uint32_t *sizes;	/* owned, as all of them; of each node's subtree with itself */
	double *figures;
	uint32_t *places;
	uint32_t *siblings;
	uint32_t count, room;
};

/* For @count nodes. False: out of memory, it is empty. */
bool preorder_sort_begin(struct preorder_sort *sort, uint32_t count);
void preorder_sort_run(struct preorder_sort *sort);
void preorder_sort_finish(struct preorder_sort *sort);	/* a zeroed one is fine */

#endif
