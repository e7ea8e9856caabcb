/* cgroup_table.c - see ingest/cgroup_table.h. */
#include "ingest/cgroup_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proc/cgroup_name.h"

static const struct cgroup_names unknown;

void cgroup_table_init(struct cgroup_table *table, struct strpool *strings)
{
	*table = (struct cgroup_table){ .strings = strings };
}

void cgroup_table_finish(struct cgroup_table *table)
{
	free(table->rows);
	id_map_finish(&table->by_path);
	memset(table, 0, sizeof(*table));
}

static struct str_id intern(const struct cgroup_table *table, const char *text)
{
	return strpool_intern(table->strings, text, strlen(text));
}

static int reserve_row(struct cgroup_table *table)
{
	const uint32_t larger = table->capacity ? table->capacity * 2 : 16;
	struct cgroup_names *bigger;

	if (table->count < table->capacity)
		return 0;
	bigger = realloc(table->rows, larger * sizeof(*bigger));
	if (!bigger)
		return -1;
	table->rows = bigger;
	table->capacity = larger;
	return 0;
}

uint32_t cgroup_table_intern(struct cgroup_table *table, const char *path, size_t len)
{
	const bool is_full = table->count >= CGROUP_TABLE_ROWS ||
			     table->text_bytes >= CGROUP_TABLE_TEXT_BYTES;
	const struct str_id id = is_full ? strpool_find(table->strings, path, len)
					 : strpool_intern(table->strings, path, len);
	const uint32_t known = id_map_get(&table->by_path, id.v);
	struct cgroup_name name;

	if (known != ID_MAP_NONE)
		return known;
	if (is_full && len) {
		table->refused++;
		return CGROUP_UNKNOWN;
	}
	if (!id.v || reserve_row(table) || id_map_put(&table->by_path, id.v, table->count + 1))
		return CGROUP_UNKNOWN;
	table->text_bytes += len;
	cgroup_name_parse(&name, path, len);
	table->rows[table->count++] = (struct cgroup_names){
		.path = id, .unit = intern(table, name.unit),
		.container = intern(table, name.container), .pod = intern(table, name.pod),
	};
	return table->count;	/* the first is 1 */
}

const struct cgroup_names *cgroup_table_get(const struct cgroup_table *table, uint32_t cgroup)
{
	return cgroup == CGROUP_UNKNOWN ? &unknown : &table->rows[cgroup - 1];
}
