/* snapshot_lines.h - what a snapshot shows, a line each, to compare two of them. Rows of one weight
 * are in the order of numbers there: so the lines are sorted by their text. */
#ifndef SNAPSHOT_LINES_H
#define SNAPSHOT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/snapshot.h"

#define LINES_MAX 4096

struct snapshot_lines {
	char *list[LINES_MAX];	/* owned */
	uint32_t count;
	bool has_ids;	/* with the numbers by which the screen knows rows */
};

/* Rows, both trees, groups and probes. */
void snapshot_lines_add(struct snapshot_lines *lines, const struct snapshot *snapshot);
void snapshot_lines_sort(struct snapshot_lines *lines);
void snapshot_lines_expect_same(const struct snapshot_lines *left,
				const struct snapshot_lines *right);
void snapshot_lines_free(const struct snapshot_lines *lines);

#endif
