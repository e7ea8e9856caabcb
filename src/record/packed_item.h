/* packed_item.h - keeps what an item of a recording points to in one block of bytes, for a queue or
 * for memory that holds it for a while.
 *
 * Use:    reserve packed_item_bytes(), packed_item_write() there, and keep a copy of the item: its
 *         pointers mean nothing until packed_item_open() sets them.
 * Thread: any. Pure.
 */
#ifndef RECORD_PACKED_ITEM_H
#define RECORD_PACKED_ITEM_H

#include <stddef.h>

#include "record/recording.h"

/* Returns the size of the block for @item. */
size_t packed_item_bytes(const struct recording_item *item);
/* Writes the block of @item to @at, which is aligned for a perf record. */
void packed_item_write(void *at, const struct recording_item *item);
/* Returns @item with its pointers into its block at @at, which is BORROWED. */
struct recording_item packed_item_open(const struct recording_item *item, const void *at);

#endif
