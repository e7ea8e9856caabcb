/* cgroup_table.h - the cgroups that sampled processes are in, each path once, with what it says.
 *
 * Rows stay for the life of the table, as interned text does: only processes that were sampled get
 * here, and no more than there is room for.
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

#define CGROUP_UNKNOWN 0	/* the row without any name: not read yet, or gone before */

/* See proc/cgroup_name.h; id 0, "": none, or unknown where the path is "", too. */
struct cgroup_names {
	struct str_id path, unit, container, pod;
};

struct cgroup_table {
	struct cgroup_names *rows;	/* owned */
	uint32_t count, capacity;
	struct id_map by_path;		/* str id -> row */
	size_t text_bytes;		/* of all paths */
	uint64_t refused;		/* how often there was no room for a new one */
	struct strpool *strings;	/* borrowed */
};

void cgroup_table_init(struct cgroup_table *table, struct strpool *strings);
void cgroup_table_finish(struct cgroup_table *table);

/* Row of the raw @path[0..@len); CGROUP_UNKNOWN: it is empty, or out of memory, or,
 * counted in `refused`, beyond CGROUP_TABLE_ROWS and CGROUP_TABLE_TEXT_BYTES. */
uint32_t cgroup_table_intern(struct cgroup_table *table, const char *path, size_t len);

/* BORROWED until the next cgroup_table_intern(). */
const struct cgroup_names *cgroup_table_get(const struct cgroup_table *table, uint32_t cgroup);

#endif
