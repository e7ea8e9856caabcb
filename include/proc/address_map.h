/* address_map.h - the executable mappings of one process: address -> (DSO, file offset).
 *
 *   file offset = ip - start + file_offset		(what flat tables are sorted by)
 *   absolute    = ip				(anonymous memory: JIT code, [heap], ...)
 *
 * Idea:   a sorted array, shared by reference after fork until one side changes it.
 * Rules:  a new mapping cuts what it overlaps, as mmap(2) with MAP_FIXED does; munmap is not
 *         reported by the kernel, so an old mapping stays until a new one overlaps it.
 * Thread: the analyzer's.
 */
#ifndef PROC_ADDRESS_MAP_H
#define PROC_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_MAP_MAX_ROWS 65536	/* vm.max_map_count is 65530 */

struct mapping {
	uint64_t start, end;		/* end is exclusive */
	uint64_t file_offset;		/* file offset of `start` */
	uint64_t since_ns;		/* when it was mapped; 0: before flametop looked */
	uint32_t object;
	bool is_absolute;		/* frame addresses are the ip itself */
};

struct address_map {
	struct mapping *rows;		/* owned; sorted, not overlapping */
	uint32_t count, capacity;
	uint32_t refs;
	uint64_t number, space;		/* set by users to identify the content; reset to 0 by
					 * every change */
};

struct address_map *address_map_create(void);	/* empty, one reference; NULL: no memory */
struct address_map *address_map_share(struct address_map *map);	/* adds a reference */
void address_map_release(struct address_map *map);		/* NULL is fine */

/* Adds @row to *@map, replacing *@map by a copy first if it is shared (copy on write).
 * Returns 0, -EINVAL (empty or wrapping range), -E2BIG or -ENOMEM. */
int address_map_insert(struct address_map **map, const struct mapping *row);

/* Returns the mapping that contains @ip, or NULL. BORROWED until the next insert. */
const struct mapping *address_map_find(const struct address_map *map, uint64_t ip);

static inline uint64_t mapping_frame_address(const struct mapping *row, uint64_t ip)
{
	return row->is_absolute ? ip : ip - row->start + row->file_offset;
}

#endif
