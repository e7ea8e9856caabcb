/* group_table.h - the groups of a probe's hits: a row for each, and below them how the values of
 * the cursor's group are spread.
 *
 *    HITS%           HITS HITS/S   MEAN    P50    P99    MAX  ▁▂▃▅▂▁▁▂  LOCK
 *    78.40 ████████  6290    629  266µs  180µs 3.00ms 41.0ms  ▃▃▅▅▃▃▂▃  WALWrite
 *
 * Cursor: it follows its group; the row "(other)", of hits for whose keys there was no room, is
 *         always the last.
 * Thread: the ui's.
 */
#ifndef UI_GROUP_TABLE_H
#define UI_GROUP_TABLE_H

#include "fold/query.h"
#include "ingest/snapshot_probes.h"
#include "term/canvas.h"
#include "hits.h"
#include "table_rows.h"
#include "view.h"

enum group_table_column {
	GROUP_COL_SHARE, GROUP_COL_BAR,	/* show what the group weighs */
	GROUP_COL_CHANGE,		/* comparing: how the share has changed */
	GROUP_COL_BASE,			/* comparing: the share in the baseline */
	GROUP_COL_SUM,
	GROUP_COL_RATE, GROUP_COL_MEAN, GROUP_COL_P50, GROUP_COL_P99, GROUP_COL_MAX,
	GROUP_COL_AGGREGATE,	/* and after it a column for each other aggregate */
	GROUP_COL_SPARK = GROUP_COL_AGGREGATE + PROBE_AGGREGATES_MAX,
	GROUP_COL_KEY,		/* and after it a column for each other key */
	GROUP_COL_COUNT = GROUP_COL_KEY + PROBE_KEYS_MAX
};

struct group_table {
	const struct snapshot_probe *probe;	/* BORROWED until the next refresh; NULL: none */
	const struct snapshot_groups *groups;	/* BORROWED likewise; NULL: there are none yet */
	unsigned int weight;	/* enum hit_weight: what the shares are of */
	uint16_t order[PROBE_GROUPS_SHOWN];	/* indices in groups->list, as on the screen */
	size_t count;
	double whole, most;	/* the weight of all groups, and of the heaviest */
	enum group_table_column sort;	/* column that orders the rows: the most first */
	bool is_reversed;
	const char *until;	/* end of the heat maps: "now" */
	bool is_compared;	/* with a baseline: then by the change, unless another was chosen */
	struct table_place place;
	size_t page;		/* rows at the last draw */
};

/* Updates the table from another snapshot's @of (NULL: none), for the probe @probe (NULL: none),
 * or after @weight changed. */
void group_table_refresh(struct group_table *table, const struct snapshot_probes *of,
			 const struct snapshot_probe *probe, unsigned int weight);

/* Returns the group under the cursor, BORROWED until the next refresh; NULL: there is none. */
const struct snapshot_group *group_table_cursor(const struct group_table *table);
/* Formats the keys of @group, ", " between them, into @out[@room]; returns @out. */
char *group_table_name(const struct snapshot_groups *groups, const struct snapshot_group *group,
		       char *out, size_t room);
/* Formats @group as "lock=WALWrite hits=6290 lat=1.68 s ..." into @out[@room]. */
void group_table_format(const struct group_table *table, const struct snapshot_group *group,
			char *out, size_t room);

void group_table_move(struct group_table *table, enum view_move move);
void group_table_scroll(struct group_table *table, int lines);
void group_table_select(struct group_table *table, size_t index);
/* Moves the cursor to a match of @search as view_ops.find does. */
bool group_table_find(struct group_table *table, const char *search, int step);

/* Sorts by @column; if it is the sort column already, reverses the order. */
void group_table_sort_by(struct group_table *table, enum group_table_column column);
/* Sorts by the next column that the probe has, and reverses the order. */
void group_table_sort_next(struct group_table *table);
void group_table_reverse(struct group_table *table);
/* True if the probe has something for @column. `groups` must not be NULL, as below. */
bool group_table_has(const struct group_table *table, enum group_table_column column);
/* Formats the title of @column, at most 13 cells; returns @out[GROUP_TITLE_BYTES]. */
#define GROUP_TITLE_BYTES 64
char *group_table_title(const struct group_table *table, enum group_table_column column, char *out);

/* Returns what @column shows; "": it needs no words. */
const char *group_table_help(enum group_table_column column);

/* Returns which groups to list, if there are too many for the snapshot, before the table shows
 * @weight and, if @is_comparing, a comparison; fills *@is_reversed. */
enum hit_order group_table_hit_order(const struct group_table *table, unsigned int weight,
				     bool is_comparing, bool *is_reversed);

/* Draws on the lines @top..@end - 1, records rows and titles in @hits. */
void group_table_draw(struct group_table *table, const char *search, struct canvas *canvas,
		      int top, int end, struct hits *hits);

#endif
