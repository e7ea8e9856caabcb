/* cgroup_table.h - the cgroups of sampled processes: each path once, with the names found in it.
 *
 * Rows stay for the life of the table, as interned text does: only cgroups of sampled processes are
 * added, up to the limits below.
 * Thread: the analyzer's.
 */
#ifndef INGEST_CGROUP_TABLE_H
#define INGEST_CGROUP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/strpool.h"

#define CGROUP_TABLE_ROWS	16384u
#define CGROUP_TABLE_TEXT_BYTES (4u * 1024 * 1024)

#define CGROUP_UNKNOWN 0	/* row without names: not read yet, or the process ended before */

/* See proc/cgroup_name.h. Id 0, "": the path has no such name, or is "" (unknown) itself. */
struct cgroup_names {
	struct str_id path, unit, container, pod;
};

struct cgroup_table {
	struct cgroup_names *rows;	/* owned */
	uint32_t count, capacity;
	struct id_map by_path;		/* str id -> row */
	size_t text_bytes;		/* length of all paths */
	uint64_t refused;		/* how often there was no room for a new row */
	struct strpool *strings;	/* borrowed */
};

void cgroup_table_init(struct cgroup_table *table, struct strpool *strings);
void cgroup_table_finish(struct cgroup_table *table);

/* Returns the row of the raw @path[0..@len), adding it if need be. CGROUP_UNKNOWN: empty path, out
 * of memory, or over CGROUP_TABLE_ROWS or CGROUP_TABLE_TEXT_BYTES (counted in `refused`). */
uint32_t cgroup_table_intern(struct cgroup_table *table, const char *path, size_t len);

/* BORROWED until the next cgroup_table_intern(). */
const struct cgroup_names *cgroup_table_get(const struct cgroup_table *table, uint32_t cgroup);

#endif
